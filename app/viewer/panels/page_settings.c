/* The page of settings: how the picture is computed, how it is coloured inside, and the window. */
#include <math.h>
#include <stdio.h>

#include "app/viewer/core/viewer_action.h"
#include "app/viewer/core/viewer_files.h"
#include "app/viewer/overlays/style.h"
#include "app/viewer/panels/pages.h"
#include "decomposition/thread/clock.h"

static void act(struct viewer *viewer, enum action action)
{
    if (viewer_action(viewer, action, viewer->pointer_x, viewer->pointer_y) != STATUS_OK)
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
}

static void limit_row(struct viewer *viewer)
{
    struct ui *ui = viewer->pages->ui;
    char number[STYLE_NUMBER_BYTES], words[96];
    style_number((double)(viewer->place.limit ? viewer->place.limit : viewer->state.limit), number);
    string_fill(words, sizeof words,
                viewer->place.limit ? STRING_HUD_LIMIT : STRING_HUD_LIMIT_AUTOMATIC, number);
    int step = ui_choice(ui, string_of(STRING_SET_LIMIT), words);
    if (step)
        act(viewer, step > 0 ? ACTION_LIMIT_MORE : ACTION_LIMIT_LESS);
    if (ui_switch(ui, string_of(STRING_SET_LIMIT_AUTO), !viewer->place.limit))
        act(viewer, viewer->place.limit ? ACTION_LIMIT_AUTO : ACTION_LIMIT_MORE);
}

/* The nearest number of a list, moved by a step. */
static double list_step(const double *list, int count, double now, int step)
{
    int at = 0;
    for (int i = 1; i < count; i++)
        if (fabs(log(list[i] / now)) < fabs(log(list[at] / now)))
            at = i;
    at += step;
    return list[at < 0 ? 0 : at < count ? at : count - 1];
}

static void accuracy_row(struct viewer *viewer)
{
    static const double list[] = {0.05, 0.01, 1e-3, 1e-6, 1e-9};
    char words[48], number[16];
    snprintf(number, sizeof number, "%g", viewer->place.accuracy_px);
    string_fill(words, sizeof words, STRING_SET_PIXELS, number);
    int step = ui_choice(viewer->pages->ui, string_of(STRING_SET_ACCURACY), words);
    double wanted = list_step(list, 5, viewer->place.accuracy_px, step);
    if (!step || wanted == viewer->place.accuracy_px)
        return;
    viewer->place.accuracy_px = wanted;
    viewer_view_changed(viewer, clock_s());
}

static void samples_row(struct viewer *viewer)
{
    static const double list[] = {1, 4, 8, 16, 32, 64};
    char words[16];
    int now = viewer->samples > 0 ? viewer->samples : viewer->state.samples;
    snprintf(words, sizeof words, "%d", now);
    int step = ui_choice(viewer->pages->ui, string_of(STRING_SET_SAMPLES), words);
    int wanted = (int)list_step(list, 6, now, step);
    if (!step || wanted == now)
        return;
    viewer->samples = wanted;
    viewer_view_changed(viewer, clock_s());
}

static void language_row(struct viewer *viewer)
{
    int now = (int)language_used();
    int step = ui_choice(viewer->pages->ui, string_of(STRING_SET_LANGUAGE), language_names[now]);
    if (!step)
        return;
    language_use((enum language)((now + step + LANGUAGES) % LANGUAGES));
    viewer_text_keep(viewer, "", "language", language_codes[language_used()], "");
}

static void scale_row(struct viewer *viewer)
{
    char words[16];
    snprintf(words, sizeof words, "%.4g", window_ui_scale(viewer->window));
    int step = ui_choice(viewer->pages->ui, string_of(STRING_SET_SCALE), words);
    if (step)
        act(viewer, step > 0 ? ACTION_LARGER : ACTION_SMALLER);
}

static void shown_rows(struct viewer *viewer)
{
    static const struct {
        enum string name;
        enum action action;
    } rows[] = {{STRING_SET_MAP, ACTION_MINIMAP},
                {STRING_SET_JULIA_INSET, ACTION_JULIA_INSET},
                {STRING_SET_TILES, ACTION_TILES},
                {STRING_SET_FULLSCREEN, ACTION_FULLSCREEN}};
    bool on[] = {viewer->shown.minimap, viewer->shown.julia_inset, viewer->shown.tiles,
                 window_screen(viewer->window) == WINDOW_FULLSCREEN};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ui_switch(viewer->pages->ui, string_of(rows[i].name), on[i]))
            act(viewer, rows[i].action);
}

static void figures_row(struct viewer *viewer)
{
    static const enum string words[HUD_LEVELS] = {[HUD_NOTHING] = STRING_SET_FIGURES_NONE,
                                                  [HUD_SHORT] = STRING_SET_FIGURES_SHORT,
                                                  [HUD_FULL] = STRING_SET_FIGURES_FULL};
    int step = ui_choice(viewer->pages->ui, string_of(STRING_SET_FIGURES),
                         string_of(words[viewer->shown.hud]));
    viewer->shown.hud = (enum hud_level)(((int)viewer->shown.hud + step + HUD_LEVELS) % HUD_LEVELS);
}

/* What else there is, for who has no keys. */
static void buttons_row(struct viewer *viewer)
{
    static const enum action actions[] = {ACTION_HOME,         ACTION_UNDO,    ACTION_REDO,
                                          ACTION_BOOKMARK_ADD, ACTION_PICTURE, ACTION_SAVE_AS,
                                          ACTION_OPEN,         ACTION_GO_TO,   ACTION_HELP};
    const char *labels[] = {
        string_of(STRING_DO_HOME),     string_of(STRING_DO_UNDO),    string_of(STRING_DO_REDO),
        string_of(STRING_DO_BOOKMARK), string_of(STRING_DO_PICTURE), string_of(STRING_DO_SAVE_AS),
        string_of(STRING_DO_OPEN),     string_of(STRING_DO_GO_TO),   string_of(STRING_DO_HELP)};
    int pressed = ui_buttons(viewer->pages->ui, labels, sizeof labels / sizeof *labels);
    if (pressed >= 0)
        act(viewer, actions[pressed]);
}

void page_settings(struct viewer *viewer)
{
    struct ui *ui = viewer->pages->ui;
    buttons_row(viewer);
    ui_heading(ui, string_of(STRING_GROUP_PICTURE));
    limit_row(viewer);
    accuracy_row(viewer);
    samples_row(viewer);
    ui_heading(ui, string_of(STRING_GROUP_SHOWN));
    figures_row(viewer);
    shown_rows(viewer);
    language_row(viewer);
    scale_row(viewer);
}
