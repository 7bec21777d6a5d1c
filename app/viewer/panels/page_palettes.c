/* The pages of colours: all palettes, and the editor of a palette and of the look. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/viewer/core/viewer_action.h"
#include "app/viewer/core/viewer_files.h"
#include "app/viewer/files/favourites.h"
#include "app/viewer/panels/pages.h"
#include "decomposition/thread/clock.h"
#include "render/colour/palette.h"
#include "render/colour/palette_file.h"

/* Shows colours that a hand has chosen at once, and makes them a step to undo. */
static void look_chosen(struct viewer *viewer)
{
    viewer_look_changed(viewer);
    viewer->unkept_s = clock_s();
    viewer_insets_ask(viewer);
}

static void palette_set(struct viewer *viewer, const char *text)
{
    viewer_palette_set(viewer, PALETTE_OF_COUNTS, text);
    look_chosen(viewer);
}

static void strip_make(const struct palette *palette, uint32_t strip[STRIP_PX],
                       struct paint_image *image)
{
    const float(*values)[4] = palette_values(palette);
    for (int i = 0; i < STRIP_PX; i++) {
        const float *rgb = values[i * PALETTE_SAMPLES / STRIP_PX];
        strip[i] = UINT32_C(0xff000000) | (uint32_t)lrintf(rgb[0]) << 16 |
                   (uint32_t)lrintf(rgb[1]) << 8 | (uint32_t)lrintf(rgb[2]);
    }
    *image = (struct paint_image){strip, STRIP_PX, 1, STRIP_PX};
}

/* ---- the list ---- */

/* Adds a palette. A place keeps the colours of the user's own palettes, not their paths, so that a
 * view that is sent to others has them. */
static void row_add(struct viewer *viewer, const char *name, const char *path)
{
    struct pages *state = viewer->pages;
    struct palette *palette = NULL;
    struct palette_edit edit;
    if (state->palettes == PALETTES_SHOWN ||
        palette_load(&palette, viewer->options->assets, path ? path : name) != STATUS_OK)
        return;
    struct palette_row *row = &state->palette[state->palettes++];
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->text, sizeof row->text, "%s", name);
    if (path) {
        palette_edit_of(&edit, palette);
        palette_edit_text(&edit, row->text, sizeof row->text);
    }
    strip_make(palette, row->strip, &row->image);
    palette_destroy(palette);
}

static bool own_folder(char path[USER_DATA_PATH_BYTES])
{
    char folder[USER_DATA_PATH_BYTES];
    return user_data_folder(folder) == STATUS_OK &&
           user_data_path(path, folder, "palettes") == STATUS_OK;
}

void palettes_list(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    char names[sizeof viewer->palettes], *rest = names, *name, folder[USER_DATA_PATH_BYTES];
    char path[USER_DATA_PATH_BYTES + DATA_NAME_BYTES + 8];
    struct data_names own = {0};
    if (!state->palettes_stale)
        return;
    if (!state->palette)
        state->palette = calloc(PALETTES_SHOWN, sizeof *state->palette);
    if (!state->palette)
        return;
    state->palettes = 0;
    state->palettes_stale = false;
    if (own_folder(folder) && data_names_list(&own, folder, ".csv") == STATUS_OK)
        for (size_t i = 0; i < own.count; i++) {
            snprintf(path, sizeof path, "%s/%s.csv", folder, own.name[i]);
            row_add(viewer, own.name[i], path);
        }
    data_names_destroy(&own);
    snprintf(names, sizeof names, "%s", viewer->palettes);
    while ((name = strsep(&rest, ",")))
        row_add(viewer, name + strspn(name, " "), NULL);
}

static void favourites_row(struct viewer *viewer)
{
    char digit[2] = "1";
    const char *labels[FAVOURITES];
    char words[FAVOURITES][8];
    for (int i = 0; i < FAVOURITES; i++, digit[0]++) {
        snprintf(words[i], sizeof words[i], "%s%s", favourite_is(&viewer->favourites, i) ? "" : "+",
                 digit);
        labels[i] = words[i];
    }
    ui_line(viewer->pages->ui, string_of(STRING_FAVOURITES), "");
    int pressed = ui_buttons(viewer->pages->ui, labels, FAVOURITES);
    if (pressed >= 0 && favourite_is(&viewer->favourites, pressed))
        viewer_favourite_recall(viewer, pressed);
    else if (pressed >= 0)
        viewer_favourite_keep(viewer, pressed);
}

void page_palettes(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    const char *labels[] = {string_of(STRING_DO_EDIT), string_of(STRING_DO_IMPORT)};
    int pressed = ui_buttons(state->ui, labels, 2);
    favourites_row(viewer);
    for (int i = 0; i < state->palettes; i++) {
        const struct palette_row *row = &state->palette[i];
        bool now = viewer_palette_is(viewer, row->text);
        if (now)
            ui_seek(state->ui);
        if (ui_row(state->ui, &row->image, row->name, now) == UI_CHOSEN)
            palette_set(viewer, row->text);
    }
    if (pressed == 0)
        viewer->panel = PANEL_COLOURS;
    if (pressed == 1)
        viewer_files_show(viewer, FILE_PALETTE);
}

void palette_import(struct viewer *viewer, const char *path)
{
    struct palette *palette = NULL;
    struct palette_edit edit;
    char text[OPTION_PALETTE_MAX + 1];
    if (palette_load(&palette, viewer->options->assets, path) != STATUS_OK) {
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
        return;
    }
    palette_edit_of(&edit, palette);
    palette_edit_text(&edit, text, sizeof text);
    palette_destroy(palette);
    palette_set(viewer, text);
    viewer->panel = PANEL_COLOURS;
}

/* ---- the editor ---- */

/* Reads the stops of the place's palette if it was changed, by undo or another page, too. */
static void edit_follow(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    char text[OPTION_PALETTE_MAX + 1];
    struct palette *palette = NULL;
    viewer_palette_first(viewer, text);
    if (strcmp(text, state->edited) != 0 && !palette_edit_parse(&state->edit, text) &&
        palette_load(&palette, viewer->options->assets, text) == STATUS_OK)
        palette_edit_of(&state->edit, palette);
    if (!palette && strcmp(text, state->strip_of) != 0 &&
        palette_load(&palette, viewer->options->assets, text) != STATUS_OK)
        palette = NULL;
    snprintf(state->edited, sizeof state->edited, "%s", text);
    snprintf(state->strip_of, sizeof state->strip_of, "%s", text);
    if (palette)
        strip_make(palette, state->strip, &state->strip_image);
    palette_destroy(palette);
}

static void edit_take(struct viewer *viewer)
{
    char text[OPTION_PALETTE_MAX + 1];
    palette_edit_text(&viewer->pages->edit, text, sizeof text);
    palette_set(viewer, text);
    snprintf(viewer->pages->edited, sizeof viewer->pages->edited, "%s", text);
}

/* Adds a stop with the colour that the strip has at its position. */
static bool stop_add(struct viewer *viewer, double position)
{
    struct pages *state = viewer->pages;
    double rgb[3];
    uint32_t pixel = state->strip[(int)fmin(position * STRIP_PX, STRIP_PX - 1)];
    for (int k = 0; k < 3; k++)
        rgb[k] = (pixel >> (16 - 8 * k) & 255) / 255.0;
    return palette_edit_add(&state->edit, position, rgb);
}

/* Adds a stop in the widest gap, so that the button always finds room. */
static bool stop_add_somewhere(struct viewer *viewer)
{
    const struct palette_edit *edit = &viewer->pages->edit;
    double widest = 0, position = 0;
    for (int i = 0; i < edit->count; i++) {
        double end = i + 1 < edit->count ? edit->position[i + 1] : 1;
        if (end - edit->position[i] > widest) {
            widest = end - edit->position[i];
            position = edit->position[i] + widest / 2;
        }
    }
    return stop_add(viewer, position);
}

static void strip_row(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    struct palette_edit *edit = &state->edit;
    double position;
    int at = ui_strip(state->ui, &state->strip_image, edit->position, edit->count, edit->selected,
                      &position);
    if (at < 0)
        return;
    if (at == edit->count) {
        if (stop_add(viewer, position))
            edit_take(viewer);
        return;
    }
    edit->selected = at;
    if (position >= 0 && position != edit->position[at]) {
        palette_edit_move(edit, position);
        edit_take(viewer);
    }
}

/* The colour of the stop as a text, #rrggbb, which follows the sliders, and they it. */
static void hex_row(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    double *rgb = state->edit.rgb[state->edit.selected];
    char now[8];
    unsigned typed;
    int length = 0;
    snprintf(now, sizeof now, "#%02x%02x%02x", (unsigned)lrint(255 * rgb[0]) & 255,
             (unsigned)lrint(255 * rgb[1]) & 255, (unsigned)lrint(255 * rgb[2]) & 255);
    if (strcmp(now, state->hex_of) != 0) {
        memcpy(state->hex_of, now, sizeof now);
        entry_open(&state->hex, now);
    }
    ui_entry(state->ui, &state->hex, &state->clipboard);
    const char *text = state->hex.text ? state->hex.text : "";
    text += *text == '#';
    if (strlen(text) != 6 || sscanf(text, "%6x%n", &typed, &length) != 1 || length != 6 ||
        !strcasecmp(text, now + 1))
        return;
    for (int k = 0; k < 3; k++)
        rgb[k] = (typed >> (16 - 8 * k) & 255) / 255.0;
    snprintf(state->hex_of, sizeof state->hex_of, "#%06x", typed);
    edit_take(viewer);
}

static void stop_rows(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    struct palette_edit *edit = &state->edit;
    const char *const names[3] = {string_of(STRING_COLOUR_HUE), string_of(STRING_COLOUR_SATURATION),
                                  string_of(STRING_COLOUR_VALUE)};
    const char *labels[] = {string_of(STRING_STOP_BEFORE), string_of(STRING_STOP_NEXT),
                            string_of(STRING_STOP_ADD), string_of(STRING_DO_REMOVE)};
    int pressed = ui_buttons(state->ui, labels, 4);
    if (pressed == 0 || pressed == 1)
        edit->selected = (edit->selected + (pressed ? 1 : edit->count - 1)) % edit->count;
    if ((pressed == 2 && stop_add_somewhere(viewer)) || (pressed == 3 && palette_edit_remove(edit)))
        edit_take(viewer);
    if (ui_colour(state->ui, edit->rgb[edit->selected], names))
        edit_take(viewer);
    hex_row(viewer);
}

/* ---- the look ---- */

static bool look_slider(struct viewer *viewer, enum string name, double *value, double least,
                        double most, double step)
{
    char words[24];
    snprintf(words, sizeof words, most > 2 ? "%.0f\xc2\xb0" : "%.2f", *value);
    return ui_slider(viewer->pages->ui, string_of(name), words, value, least, most, step);
}

static void relief_rows(struct viewer *viewer)
{
    struct look_options *look = &viewer->place.look;
    enum live_distances before = place_distances(&viewer->place);
    double relief =
        look->relief_auto && !(viewer->state.planes & PLANE_MASK_DISTANCE) ? 0 : look->relief;
    bool changed = look_slider(viewer, STRING_LOOK_RELIEF, &relief, 0, 1, 0.05);
    if (changed) {
        look->relief = relief;
        look->relief_auto = false;
    }
    double light = fmod(fmod(look->light_deg, 360) + 360, 360);
    if (look_slider(viewer, STRING_LOOK_LIGHT, &light, 0, 359, 5)) {
        look->light_deg = light;
        changed = true;
    }
    if (!changed)
        return;
    if (place_distances(&viewer->place) != before)
        viewer_view_changed(viewer, clock_s());
    look_chosen(viewer);
}

static void density_rows(struct viewer *viewer)
{
    struct look_options *look = &viewer->place.look;
    const struct distribution *measured = &viewer->place.distribution;
    double *value = look->density > 0 ? &look->density : &look->runs;
    double density = *value > 0 ? *value : measured->runs > 0 ? measured->runs : 1;
    double power = fmin(fmax(log2(density), -6), 6);
    char words[24];
    snprintf(words, sizeof words, "%.3g", density);
    if (ui_slider(viewer->pages->ui, string_of(STRING_LOOK_DENSITY), words, &power, -6, 6, 0.125)) {
        *value = exp2(power);
        look_chosen(viewer);
    }
    bool automatic = !(look->density > 0) && !(look->runs > 0);
    if (ui_switch(viewer->pages->ui, string_of(STRING_LOOK_DENSITY_AUTO), automatic)) {
        look->density = 0;
        look->runs = automatic ? density : 0;
        look_chosen(viewer);
    }
}

static void interior_row(struct viewer *viewer)
{
    static const enum string words[INTERIOR_KINDS] = {
        [INTERIOR_COLOUR] = STRING_INSIDE_COLOUR,
        [INTERIOR_PERIOD] = STRING_INSIDE_PERIOD,
        [INTERIOR_DISTANCE] = STRING_INSIDE_DISTANCE,
    };
    struct look_options *look = &viewer->place.look;
    int step = ui_choice(viewer->pages->ui, string_of(STRING_LOOK_INTERIOR),
                         string_of(words[look->interior_kind]));
    if (!step)
        return;
    look->interior_kind =
        (enum interior_kind)(((int)look->interior_kind + step + INTERIOR_KINDS) % INTERIOR_KINDS);
    viewer_view_changed(viewer, clock_s());
    look_chosen(viewer);
}

static void look_rows(struct viewer *viewer)
{
    struct look_options *look = &viewer->place.look;
    double speed = viewer->cycles_per_s;
    bool changed = look_slider(viewer, STRING_LOOK_OFFSET, &look->offset, 0, 1, 0.01);
    if (look_slider(viewer, STRING_LOOK_SPEED, &speed, 0, CYCLES_MOST_PER_S, 0.02) &&
        !viewer->options->reduced_motion) {
        viewer->cycles_per_s = speed;
        viewer->shown.cycling = speed > 0;
        viewer->cycled_s = clock_s();
    }
    density_rows(viewer);
    changed |= look_slider(viewer, STRING_LOOK_CONTRAST, &look->contrast, 0, 1, 0.05);
    if (changed)
        look_chosen(viewer);
    relief_rows(viewer);
    interior_row(viewer);
}

/* ---- saving ---- */

static void palette_save_named(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    char path[USER_DATA_PATH_BYTES + NAME_BYTES + 8], folder[USER_DATA_PATH_BYTES];
    char text[OPTION_PALETTE_MAX + 1];
    struct palette *palette = NULL;
    const char *name = state->name.text ? state->name.text : "";
    if (!*name || *name == '.' || strpbrk(name, "/:\n") || strlen(name) >= NAME_BYTES) {
        viewer_tell(viewer, NOTICE_ALARM, STRING_PALETTE_NAME_WRONG);
        return;
    }
    if (!own_folder(folder)) {
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
        return;
    }
    snprintf(path, sizeof path, "%s/%s.csv", folder, name);
    enum status status = user_data_make(folder);
    viewer_palette_first(viewer, text);
    if (status == STATUS_OK)
        status = palette_load(&palette, viewer->options->assets, text);
    if (status == STATUS_OK)
        status = palette_save(palette, path, OVERWRITE_YES);
    palette_destroy(palette);
    state->palettes_stale = true;
    if (status == STATUS_OK)
        viewer_tell_of(viewer, NOTICE_INFO, STRING_PALETTE_SAVED, path);
    else
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
}

void page_colours(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    edit_follow(viewer);
    if (!state->edit.count)
        return;
    strip_row(viewer);
    stop_rows(viewer);
    ui_heading(state->ui, string_of(STRING_LOOK_HEAD));
    colour_source_rows(viewer);
    look_rows(viewer);
    layer_rows(viewer);
    ui_heading(state->ui, string_of(STRING_PALETTE_SAVE));
    bool saves = ui_entry(state->ui, &state->name, &state->clipboard) == ENTRY_ACCEPTED;
    const char *labels[] = {string_of(STRING_DO_SAVE)};
    if (ui_buttons(state->ui, labels, 1) == 0 || saves)
        palette_save_named(viewer);
}
