/* The page of films: keyframes as a list, length, size and kind; preview, making, and its progress.
 */
#include <stdio.h>

#include "app/viewer/core/viewer_film.h"
#include "app/viewer/core/viewer_make.h"
#include "app/viewer/overlays/style.h"
#include "app/viewer/panels/pages.h"

static void told(struct viewer *viewer, enum status status)
{
    if (status != STATUS_OK)
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
}

static void key_rows(struct viewer *viewer)
{
    struct viewer_film *film = viewer->film;
    struct ui *ui = viewer->pages->ui;
    bool removes = false;
    for (int i = 0; i < film->keys; i++) {
        char number[16], zoom[STYLE_ZOOM_BYTES], seconds[24], text[120];
        snprintf(number, sizeof number, "%d", i + 1);
        snprintf(seconds, sizeof seconds, "%.3g", i ? film->key[i].seconds : 0);
        string_fill(text, sizeof text, STRING_FILM_KEY, number,
                    style_zoom(film->key[i].view.zoom, zoom), seconds);
        enum ui_answer answer = ui_row(ui, NULL, text, i == film->selected);
        film->selected = answer == UI_NOTHING ? film->selected : i;
        removes |= answer == UI_REMOVED;
    }
    if (removes)
        viewer_film_remove(viewer);
}

static bool seconds_slider(struct viewer *viewer, enum string name, double *seconds)
{
    char words[24];
    snprintf(words, sizeof words, "%.0f s", *seconds);
    return ui_slider(viewer->pages->ui, string_of(name), words, seconds, 1, FILM_KEY_S_MOST, 1);
}

static void key_edit(struct viewer *viewer)
{
    struct viewer_film *film = viewer->film;
    const char *labels[] = {string_of(STRING_DO_VISIT), string_of(STRING_FILM_REPLACE),
                            string_of(STRING_DO_REMOVE), string_of(STRING_FILM_UP),
                            string_of(STRING_FILM_DOWN)};
    if (!film->keys)
        return;
    int pressed = ui_buttons(viewer->pages->ui, labels, film->keys > 1 ? 5 : 3);
    if (pressed == 0)
        told(viewer, viewer_film_visit(viewer));
    if (pressed == 1)
        told(viewer, viewer_film_replace(viewer));
    if (pressed == 2)
        viewer_film_remove(viewer);
    if (pressed > 2)
        viewer_film_move(viewer, pressed == 3 ? -1 : 1);
    if (film->selected) /* below the buttons, which stay where they are when it goes */
        seconds_slider(viewer, STRING_FILM_STEP, &film->key[film->selected].seconds);
}

static void list_choice(struct viewer *viewer, enum string name, const char *const *list, int count,
                        int *chosen)
{
    int step = ui_choice(viewer->pages->ui, string_of(name), list[*chosen]);
    *chosen = (*chosen + step + count) % count;
}

void make_rows(struct viewer *viewer)
{
    char line[MAKE_LINE_BYTES];
    const char *labels[] = {string_of(STRING_MAKE_CANCEL)};
    if (!viewer_make_line(viewer, line))
        return;
    ui_line(viewer->pages->ui, line, "");
    if (ui_buttons(viewer->pages->ui, labels, 1) == 0)
        viewer_make_stop(viewer);
}

void page_film(struct viewer *viewer)
{
    struct viewer_film *film = viewer->film;
    struct ui *ui = viewer->pages->ui;
    const char *add[] = {string_of(STRING_FILM_ADD)};
    const char *doings[] = {string_of(STRING_FILM_PREVIEW), string_of(STRING_FILM_MAKE)};
    make_rows(viewer);
    ui_paragraph(ui, string_of(film->keys < 2 ? STRING_FILM_ABOUT : STRING_FILM_ALONG));
    if (ui_buttons(ui, add, 1) == 0)
        told(viewer, viewer_film_add(viewer));
    key_rows(viewer);
    key_edit(viewer);
    if (film->keys < 2)
        seconds_slider(viewer, STRING_FILM_SECONDS, &film->seconds);
    list_choice(viewer, STRING_SAVE_SIZE, film_size_names, FILM_SIZES, &film->size);
    list_choice(viewer, STRING_FILM_RATE, film_rate_names, FILM_RATES, &film->rate);
    list_choice(viewer, STRING_FILM_KIND, film_suffixes, FILM_KINDS, &film->kind);
    int pressed = ui_buttons(ui, doings, 2);
    if (pressed == 0)
        told(viewer, viewer_film_preview(viewer));
    if (pressed == 1)
        told(viewer, viewer_film_make(viewer));
}
