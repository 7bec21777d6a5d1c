#include "app/serve/exploration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"
#include "library/config/config_view.h"
#include "library/handle/program.h"
#include "library/place/data.h"
#include "library/place/place_format.h"
#include "library/settings/settings_description.h"
#include "library/settings/settings_look.h"
#include "library/settings/view_file.h"
#include "render/colour/palette.h"

#define ORIGIN "page"

/* Keys of a place that a page may set. */
static const enum option_key settable[] = {
    OPTION_VIEW_ROTATION,   OPTION_VIEW_MIRROR, OPTION_VIEW_LIMIT,    OPTION_LOOK_PALETTE,
    OPTION_LOOK_DENSITY,    OPTION_LOOK_RUNS,   OPTION_LOOK_OFFSET,   OPTION_LOOK_CONTRAST,
    OPTION_LOOK_RELIEF,     OPTION_LOOK_LINES,  OPTION_LOOK_INTERIOR, OPTION_LOOK_SAMPLES,
    OPTION_COMPUTE_ACCURACY};

/* Keys in which places differ that are steps of the list: neither size nor distribution. */
static const enum option_key step_keys[] = {
    OPTION_VIEW_RE,     OPTION_VIEW_IM,       OPTION_VIEW_ZOOM,    OPTION_VIEW_ROTATION,
    OPTION_VIEW_MIRROR, OPTION_VIEW_STRETCH,  OPTION_VIEW_FORMULA, OPTION_VIEW_JULIA,
    OPTION_VIEW_LIMIT,  OPTION_LOOK_PALETTE,  OPTION_LOOK_DENSITY, OPTION_LOOK_RUNS,
    OPTION_LOOK_OFFSET, OPTION_LOOK_CONTRAST, OPTION_LOOK_RELIEF,  OPTION_LOOK_INTERIOR};

/* ---- the place as it is ---- */

enum status exploration_create(struct exploration *exploration, struct deepfield_world *world,
                               const struct config *config, const char *data)
{
    *exploration = (struct exploration){.world = world, .data = data};
    TRY(config_copy(&exploration->begin, config));
    return config_copy(&exploration->config, config);
}

void exploration_destroy(struct exploration *exploration)
{
    for (int i = 0; i < exploration->steps; i++)
        config_destroy(&exploration->step[i]);
    config_destroy(&exploration->begin);
    config_destroy(&exploration->config);
}

enum status exploration_picture(const struct exploration *exploration,
                                struct deepfield_picture **picture)
{
    return program_picture(picture, exploration->world, &exploration->config);
}

static enum status view_set_texts(struct config *config, const struct view *view)
{
    char rotation[32];
    snprintf(rotation, sizeof rotation, "%.10g", view->rotation_deg);
    TRY(config_set(config, OPTION_VIEW_RE, view->re, ORIGIN, STATUS_BAD_DATA));
    TRY(config_set(config, OPTION_VIEW_IM, view->im, ORIGIN, STATUS_BAD_DATA));
    TRY(config_set(config, OPTION_VIEW_ZOOM, view->zoom, ORIGIN, STATUS_BAD_DATA));
    return config_set(config, OPTION_VIEW_ROTATION, rotation, ORIGIN, STATUS_BAD_DATA);
}

static enum status default_set(struct config *config, enum option_key option)
{
    struct config fresh = {0};
    enum status status = config_create(&fresh);
    if (status == STATUS_OK)
        config_move(config, &fresh, option);
    config_destroy(&fresh);
    return status;
}

/* Was it said for all places, by a flag, the environment or the page? */
static bool is_lasting(const struct config *config, enum option_key option)
{
    const char *origin = config->value[option].origin;
    return origin && (!strncmp(origin, "--", 2) || !strncmp(origin, "DEEPFIELD_", 10) ||
                      !strcmp(origin, ORIGIN));
}

/* Forgets what was said of the place that is left alone. */
static enum status place_left(struct config *config)
{
    static const enum option_key of_place[] = {OPTION_VIEW_TITLE, OPTION_VIEW_CREDIT,
                                               OPTION_VIEW_LIMIT, OPTION_LOOK_DISTRIBUTION};
    for (size_t i = 0; i < sizeof of_place / sizeof *of_place; i++)
        if (config_was_set(config, of_place[i]) && !is_lasting(config, of_place[i]))
            TRY(default_set(config, of_place[i]));
    return STATUS_OK;
}

/* ---- motions ---- */

/* The view and its range; the view is the caller's to destroy, also after a failure. */
static enum status view_of(const struct config *config, struct view *view,
                           const struct view_range **range)
{
    struct config whole = {0};
    struct picture picture = {.view = {.re = NULL}};
    struct formula formula;
    enum status status = config_copy(&whole, config);
    if (status == STATUS_OK)
        status = config_complete(&whole);
    if (status == STATUS_OK)
        status = settings_picture(&whole, &picture);
    if (status == STATUS_OK)
        status = config_formula(&whole, &formula);
    if (status == STATUS_OK)
        *range = view_range_of(&formula);
    config_destroy(&whole);
    *view = picture.view;
    return status;
}

enum status exploration_move(struct exploration *exploration, const struct view_motion *motion)
{
    struct view view = {.re = NULL};
    const struct view_range *range;
    enum status status = view_of(&exploration->config, &view, &range);
    if (status == STATUS_OK) {
        struct view_motion placed = *motion;
        placed.from_x += view.width * 0.5;
        placed.to_x += view.width * 0.5;
        placed.from_y += view.height * 0.5;
        placed.to_y += view.height * 0.5;
        status = view_move(&view, range, &placed, NULL);
    }
    if (status == STATUS_OK)
        status = view_set_texts(&exploration->config, &view);
    if (status == STATUS_OK)
        status = place_left(&exploration->config);
    view_destroy(&view);
    return status;
}

enum status exploration_size(struct exploration *exploration, int32_t width, int32_t height)
{
    char size[32];
    snprintf(size, sizeof size, "%dx%d", width, height);
    return config_set(&exploration->config, OPTION_VIEW_SIZE, size, ORIGIN, STATUS_BAD_DATA);
}

/* ---- other places ---- */

/* STATUS_NO_INPUT, STATUS_BAD_DATA for a palette that cannot be loaded. */
static enum status palette_try(const struct config *config)
{
    struct config whole = {0};
    struct palette *palette = NULL;
    enum status status = config_copy(&whole, config);
    if (status == STATUS_OK)
        status = config_complete(&whole);
    if (status == STATUS_OK)
        status = settings_palette(&whole, &palette);
    palette_destroy(palette);
    config_destroy(&whole);
    return status;
}

/* Takes over a place that is complete and can be computed. */
static enum status place_take(struct exploration *exploration, struct config *config)
{
    struct view view = {.re = NULL};
    const struct view_range *range;
    const char *size = config_text(&exploration->config, OPTION_VIEW_SIZE);
    enum status status = config_set(config, OPTION_VIEW_SIZE, size, ORIGIN, STATUS_BAD_DATA);
    if (status == STATUS_OK)
        status = view_of(config, &view, &range);
    view_destroy(&view);
    if (status == STATUS_OK)
        status = palette_try(config);
    if (status == STATUS_OK) {
        config_destroy(&exploration->config);
        exploration->config = *config;
    } else
        config_destroy(config);
    return status;
}

enum status exploration_home(struct exploration *exploration)
{
    struct config config = {0};
    struct view view = {.re = NULL};
    const struct view_range *range;
    enum status status = config_copy(&config, &exploration->config);
    if (status == STATUS_OK)
        status = view_of(&config, &view, &range);
    if (status == STATUS_OK)
        status = view_home(&view, range, view.width, view.height);
    if (status == STATUS_OK)
        status = view_set_texts(&config, &view);
    if (status == STATUS_OK)
        status = place_left(&config);
    view_destroy(&view);
    if (status == STATUS_OK)
        return place_take(exploration, &config);
    config_destroy(&config);
    return status;
}

/* The settings of the program without those of the place at which it began. */
static enum status place_begin(struct config *config, const struct config *begin)
{
    struct config fresh = {0};
    TRY(config_copy(config, begin));
    enum status status = config_create(&fresh);
    for (int i = 0; i < OPTIONS && status == STATUS_OK; i++) {
        const struct option_row *row = &option_rows[i];
        bool lasts = is_lasting(config, (enum option_key)i) && strcmp(row->section, "view") != 0;
        if (row->traits & OPTION_OF_PICTURE && !lasts)
            config_move(config, &fresh, (enum option_key)i);
    }
    config_destroy(&fresh);
    return status;
}

static bool palette_is_file(const char *name)
{
    return *name != '#' && (strpbrk(name, "/.\\") || palette_is_path(name));
}

/* Refuses what would be looked for on the disk: a palette is colours, or one of those that come
 * with the program; both of two are looked at, whatever files there are. */
static enum status palette_check(const char *palette)
{
    const char *plus = strchr(palette, '+');
    if (palette_is_file(palette) || (plus && palette_is_file(plus + 1)))
        return status_fail(STATUS_BAD_DATA, "the palette is a file; a page takes palettes by their "
                                            "names and colours as #rrggbb#rrggbb");
    return STATUS_OK;
}

/* Keys of a view that a page gives: none that writes files, or says how this machine is used. */
static enum status place_apply(struct config *config, const struct ini *ini)
{
    for (size_t i = 0; i < ini->count; i++) {
        const struct ini_entry *entry = &ini->entry[i];
        enum option_key option = option_of_key(entry->section, entry->key);
        if (option == OPTION_VIEW_REGION ||
            (option != OPTIONS && !(option_rows[option].traits & OPTION_OF_PICTURE)))
            return status_fail(STATUS_BAD_DATA, "a page cannot set %.40s.%.40s", entry->section,
                               entry->key);
    }
    TRY(config_apply(config, ini, "text", STATUS_BAD_DATA));
    const struct config_value *palette = &config->value[OPTION_LOOK_PALETTE];
    bool given = palette->origin && !strncmp(palette->origin, "text", 4); /* else the owner's */
    return given ? palette_check(config_text(config, OPTION_LOOK_PALETTE)) : STATUS_OK;
}

static enum status text_read(struct exploration *exploration, struct view_file *file,
                             const char *text)
{
    struct data_source data = {.folder = exploration->data};
    char path[4400];
    if (strpbrk(text, "\n={ \t"))
        return view_file_parse(file, text, strlen(text), "text");
    /* A name is one of the list, so nothing else of the disk is looked at. */
    if (strlen(text) >= DATA_NAME_BYTES || strpbrk(text, "/.\\") || text[0] == '-')
        return status_fail(STATUS_BAD_DATA, "neither the name of a view nor the text of a place");
    TRY(data_view(&data, text, path, sizeof path));
    return view_file_find(file, path, &data, VIEW_WHOLE);
}

/* Settings of the place of a text, the caller's unless it fails. */
static enum status text_place(struct exploration *exploration, const char *text,
                              struct config *config)
{
    struct view_file file = {0};
    enum status status = text_read(exploration, &file, text);
    if (status == STATUS_OK)
        status = place_begin(config, &exploration->begin);
    if (status == STATUS_OK)
        status = place_apply(config, &file.ini);
    view_file_destroy(&file);
    return status;
}

enum status exploration_go(struct exploration *exploration, const char *text)
{
    struct config config = {0};
    enum status status = text_place(exploration, text, &config);
    if (status == STATUS_OK)
        return place_take(exploration, &config);
    config_destroy(&config);
    return status;
}

enum status exploration_follow(struct exploration *exploration, const char *text)
{
    struct config config = {0};
    struct view_file file = {0};
    enum status status = view_file_parse(&file, text, strlen(text), "window");
    if (status == STATUS_OK)
        status = place_begin(&config, &exploration->begin);
    if (status == STATUS_OK)
        status = config_apply(&config, &file.ini, "window", STATUS_BAD_DATA);
    view_file_destroy(&file);
    if (status != STATUS_OK) {
        config_destroy(&config);
        return status;
    }
    config_destroy(&exploration->config);
    exploration->config = config;
    return STATUS_OK;
}

enum status exploration_text(const struct exploration *exploration, char **text)
{
    struct config config = {0};
    *text = NULL;
    TRY(config_copy(&config, &exploration->config));
    enum status status = config_complete(&config);
    if (status == STATUS_OK)
        status = place_to_text(text, &place_view, &config);
    config_destroy(&config);
    return status;
}

/* ---- keys ---- */

/* All of the set of a formula, or of its Julia set of c (NULL: none), in the colours that there
 * are; name NULL: z^2 + c. */
static enum status set_show(struct exploration *exploration, const char *name, const char *c)
{
    struct config config = {0};
    TRY(place_begin(&config, &exploration->begin));
    const char *palette = config_text(&exploration->config, OPTION_LOOK_PALETTE);
    enum status status = STATUS_OK;
    if (name)
        status = config_set(&config, OPTION_VIEW_FORMULA, name, ORIGIN, STATUS_BAD_DATA);
    if (status == STATUS_OK && c)
        status = config_set(&config, OPTION_VIEW_JULIA, c, ORIGIN, STATUS_BAD_DATA);
    if (status == STATUS_OK && palette)
        status = config_set(&config, OPTION_LOOK_PALETTE, palette, ORIGIN, STATUS_BAD_DATA);
    if (status == STATUS_OK)
        status = config_home(&config);
    if (status == STATUS_OK)
        return place_take(exploration, &config);
    config_destroy(&config);
    return status;
}

/* The Julia set of the point at x, y. */
static enum status julia_enter(struct exploration *exploration, double x, double y)
{
    struct view view = {.re = NULL};
    const struct view_range *range;
    double re = 0, im = 0;
    char c[64], number[2][NUMBER_TEXT_BYTES];
    enum status status = view_of(&exploration->config, &view, &range);
    if (status == STATUS_OK)
        status = view_point(&view, x + view.width * 0.5, y + view.height * 0.5, &re, &im);
    view_destroy(&view);
    TRY(status);
    snprintf(c, sizeof c, "%s,%s", number_shortest(re, 1, number[0]),
             number_shortest(im, 1, number[1]));
    return set_show(exploration, config_text(&exploration->config, OPTION_VIEW_FORMULA), c);
}

static const char *formula_named(const struct config *config)
{
    const char *name = config_text(config, OPTION_VIEW_FORMULA);
    return name ? name : "mandelbrot";
}

/* The last place in the plane of c at which the picture rested, in the palette that there is, or
 * all of the set, as in the window. */
static enum status julia_leave(struct exploration *exploration)
{
    struct config config = {0};
    const char *name = formula_named(&exploration->config);
    const char *palette = config_text(&exploration->config, OPTION_LOOK_PALETTE);
    int from = exploration->steps ? exploration->at : -1;
    while (from >= 0 && (config_text(&exploration->step[from], OPTION_VIEW_JULIA) ||
                         strcmp(formula_named(&exploration->step[from]), name) != 0))
        from--;
    if (from < 0)
        return set_show(exploration, name, NULL);
    TRY(config_copy(&config, &exploration->step[from]));
    enum status status =
        palette ? config_set(&config, OPTION_LOOK_PALETTE, palette, ORIGIN, STATUS_BAD_DATA)
                : STATUS_OK;
    if (status == STATUS_OK)
        return place_take(exploration, &config);
    config_destroy(&config);
    return status;
}

enum status exploration_julia(struct exploration *exploration, double x, double y)
{
    return config_text(&exploration->config, OPTION_VIEW_JULIA) ? julia_leave(exploration)
                                                                : julia_enter(exploration, x, y);
}

static bool is_settable(enum option_key option)
{
    for (size_t i = 0; i < sizeof settable / sizeof *settable; i++)
        if (settable[i] == option)
            return true;
    return false;
}

static enum status palette_set(struct exploration *exploration, const char *palette)
{
    struct config config = {0};
    TRY(palette_check(palette));
    enum status status = config_copy(&config, &exploration->config);
    if (status == STATUS_OK)
        status = config_set(&config, OPTION_LOOK_PALETTE, palette, ORIGIN, STATUS_BAD_DATA);
    if (status == STATUS_OK)
        return place_take(exploration, &config);
    config_destroy(&config);
    return status;
}

enum status exploration_set(struct exploration *exploration, const char *key, const char *value)
{
    const char *dot = strchr(key, '.');
    char section[32] = "";
    if (!strcmp(key, "view.formula"))
        return set_show(exploration, value, NULL);
    if (dot)
        snprintf(section, sizeof section, "%.*s", (int)(dot - key), key);
    enum option_key option = option_of_key(section, dot ? dot + 1 : key);
    if (option == OPTIONS || !is_settable(option))
        return status_fail(STATUS_BAD_DATA, "a page cannot set this key");
    if (option == OPTION_LOOK_PALETTE)
        return palette_set(exploration, value);
    if (option == OPTION_VIEW_LIMIT && !strcmp(value, "auto"))
        return default_set(&exploration->config, option);
    return config_set(&exploration->config, option, value, ORIGIN, STATUS_BAD_DATA);
}

/* ---- steps of the look ---- */

static const struct {
    enum action action;
    enum look_step step;
    int by;
} look_actions[] = {
    {ACTION_DENSITY_MORE, LOOK_STEP_DENSITY, 1},   {ACTION_DENSITY_LESS, LOOK_STEP_DENSITY, -1},
    {ACTION_OFFSET_MORE, LOOK_STEP_OFFSET, 1},     {ACTION_OFFSET_LESS, LOOK_STEP_OFFSET, -1},
    {ACTION_CONTRAST_MORE, LOOK_STEP_CONTRAST, 1}, {ACTION_CONTRAST_LESS, LOOK_STEP_CONTRAST, -1},
    {ACTION_RELIEF_MORE, LOOK_STEP_RELIEF, 1},     {ACTION_RELIEF_LESS, LOOK_STEP_RELIEF, -1},
    {ACTION_INTERIOR, LOOK_STEP_INTERIOR, 1}};

bool exploration_is_look(enum action action)
{
    for (size_t i = 0; i < sizeof look_actions / sizeof *look_actions; i++)
        if (look_actions[i].action == action)
            return true;
    return false;
}

enum status exploration_look_step(struct exploration *exploration, enum action action,
                                  const struct look_seen *seen)
{
    for (size_t i = 0; i < sizeof look_actions / sizeof *look_actions; i++)
        if (look_actions[i].action == action)
            return look_step_settings(&exploration->config, look_actions[i].step,
                                      look_actions[i].by, seen, ORIGIN);
    return status_fail(STATUS_BAD_DATA, "this action is no step of the look");
}

enum status exploration_look(const struct exploration *exploration, struct look_options *look)
{
    return settings_look_options(&exploration->config, look);
}

/* ---- the places before ---- */

static bool place_same(const struct config *a, const struct config *b)
{
    for (size_t i = 0; i < sizeof step_keys / sizeof *step_keys; i++) {
        const char *one = config_text_or_null(a, step_keys[i]);
        const char *other = config_text_or_null(b, step_keys[i]);
        if ((one || other) && (!one || !other || strcmp(one, other) != 0))
            return false;
    }
    return true;
}

enum status exploration_rested(struct exploration *exploration)
{
    struct config copy = {0};
    if (exploration->steps && place_same(&exploration->step[exploration->at], &exploration->config))
        return STATUS_OK;
    TRY(config_copy(&copy, &exploration->config));
    int keep = exploration->steps ? exploration->at + 1 : 0;
    for (int i = keep; i < exploration->steps; i++)
        config_destroy(&exploration->step[i]);
    if (keep == EXPLORATION_STEPS) {
        config_destroy(&exploration->step[0]);
        memmove(exploration->step, exploration->step + 1,
                (EXPLORATION_STEPS - 1) * sizeof *exploration->step);
        keep--;
    }
    exploration->step[keep] = copy;
    exploration->at = keep;
    exploration->steps = keep + 1;
    return STATUS_OK;
}

enum status exploration_step(struct exploration *exploration, int direction, bool *moved)
{
    struct config copy = {0};
    *moved = false;
    TRY(exploration_rested(exploration)); /* one that was not entered yet comes first */
    int to = exploration->at + direction;
    if (to < 0 || to >= exploration->steps)
        return STATUS_OK;
    TRY(config_copy(&copy, &exploration->step[to]));
    TRY(place_take(exploration, &copy));
    exploration->at = to;
    *moved = true;
    return STATUS_OK;
}
