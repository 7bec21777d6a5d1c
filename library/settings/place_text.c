#include "library/settings/place_text.h"

#include <stdio.h>
#include <string.h>

#include "library/settings/settings_description.h"
#include "library/settings/settings_look.h"
#include "library/settings/view_file.h"
#include "kernels/formula_text.h"
#include "kernels/number_text.h"
#include "library/config/config.h"
#include "library/config/config_view.h"
#include "render/plan/plan.h"
#include "render/view/view_motion.h"

/* ---- settings ---- */

static enum status text_set(struct config *config, enum option_key option, const char *text)
{
    return *text ? config_set(config, option, text, "place", STATUS_INTERNAL) : STATUS_OK;
}

static enum status real_set(struct config *config, enum option_key option, double value)
{
    char text[NUMBER_TEXT_BYTES];
    return text_set(config, option, number_shortest(value, 15, text));
}

/* 0 is automatic. */
static enum status automatic_set(struct config *config, enum option_key option, double value)
{
    return value > 0 ? real_set(config, option, value) : text_set(config, option, "auto");
}

/* What planes along orbits measure, where colours go by one. */
static enum status orbit_set(struct config *config, const struct place *place)
{
    const struct orbit_rule *orbit = &place->orbit;
    char re[NUMBER_TEXT_BYTES], im[NUMBER_TEXT_BYTES], trap[2 * NUMBER_TEXT_BYTES];
    unsigned planes = look_planes(&place->look);
    if (planes & PLANE_MASK_STRIPE)
        TRY(real_set(config, OPTION_VIEW_STRIPES, orbit->stripes));
    if (!(planes & PLANE_MASK_TRAPS))
        return STATUS_OK;
    snprintf(trap, sizeof trap, "%s,%s", number_shortest(orbit->trap_re, 17, re),
             number_shortest(orbit->trap_im, 17, im));
    TRY(text_set(config, OPTION_VIEW_TRAP, trap));
    return real_set(config, OPTION_VIEW_TRAP_RADIUS, orbit->trap_radius);
}

static enum status source_set(struct config *config, const struct colour_source *source,
                              enum option_key by, enum option_key runs)
{
    if (!source->input)
        return STATUS_OK;
    TRY(text_set(config, by, colour_source_name(colour_source_number(source))));
    return real_set(config, runs, source->runs);
}

/* What colours go by, and the layer over them, where they are not as by default. */
static enum status colours_set(struct config *config, const struct look_options *look)
{
    const struct colour_layer *layer = &look->layer;
    TRY(source_set(config, &look->source, OPTION_LOOK_BY, OPTION_LOOK_BY_RUNS));
    if (!layer->blend)
        return STATUS_OK;
    TRY(text_set(config, OPTION_LOOK_LAYER, colour_blend_name(layer->blend)));
    TRY(source_set(config, &layer->source, OPTION_LOOK_LAYER_BY, OPTION_LOOK_LAYER_RUNS));
    TRY(real_set(config, OPTION_LOOK_LAYER_OFFSET, layer->offset));
    return real_set(config, OPTION_LOOK_LAYER_OPACITY, layer->opacity);
}

/* Colours, and how is computed: all that a text may leave open, but for the limit. */
static enum status rest_set(struct config *config, const struct place *place)
{
    TRY(real_set(config, OPTION_VIEW_BAILOUT, place->bailout));
    TRY(orbit_set(config, place));
    TRY(text_set(config, OPTION_LOOK_PALETTE, place->palette));
    char distribution[DISTRIBUTION_TEXT_BYTES], interior[INTERIOR_TEXT_BYTES];
    const struct look_options *look = &place->look;
    TRY(automatic_set(config, OPTION_LOOK_DENSITY, look->density));
    TRY(automatic_set(config, OPTION_LOOK_RUNS, look->runs));
    TRY(real_set(config, OPTION_LOOK_CONTRAST, look->contrast));
    TRY(look->offset_auto ? text_set(config, OPTION_LOOK_OFFSET, "auto")
                          : real_set(config, OPTION_LOOK_OFFSET, look->offset));
    TRY(look->relief_auto ? text_set(config, OPTION_LOOK_RELIEF, "auto")
                          : real_set(config, OPTION_LOOK_RELIEF, look->relief));
    TRY(real_set(config, OPTION_LOOK_LIGHT, look->light_deg));
    TRY(look->lines_auto ? text_set(config, OPTION_LOOK_LINES, "auto")
                         : real_set(config, OPTION_LOOK_LINES, look->lines));
    distribution_text(&place->distribution, distribution);
    if (place->distribution.runs > 0)
        TRY(text_set(config, OPTION_LOOK_DISTRIBUTION, distribution));
    TRY(colours_set(config, look));
    interior_text(look->interior_kind, look->interior, interior);
    TRY(text_set(config, OPTION_LOOK_INTERIOR, interior));
    return real_set(config, OPTION_COMPUTE_ACCURACY, place->accuracy_px);
}

/* ---- places ---- */

static void text_copy(char *to, size_t bytes, const char *from)
{
    snprintf(to, bytes, "%s", from ? from : "");
}

/* The other way round. */
static void rest_take(struct place *place, const struct config *config)
{
    place->bailout = config_real(config, OPTION_VIEW_BAILOUT);
    place->orbit = settings_orbit(config);
    place->accuracy_px = config_real(config, OPTION_COMPUTE_ACCURACY);
    settings_look_options(config, &place->look); /* checked when it was set */
    place->distribution = settings_distribution(config);
    const char *palette = config_text(config, OPTION_LOOK_PALETTE);
    if (*palette)
        text_copy(place->palette, sizeof place->palette, palette);
}

enum status place_create(struct place *place, int32_t width, int32_t height)
{
    struct config config;
    *place = (struct place){0};
    TRY(config_create(&config));
    enum status status = config_colours(&config);
    rest_take(place, &config);
    config_destroy(&config);
    TRY(status);
    return view_home(&place->view, &range_parameter_plane, width, height);
}

void place_destroy(struct place *place)
{
    view_destroy(&place->view);
    *place = (struct place){0};
}

enum live_distances place_distances(const struct place *place)
{
    const struct look_options *look = &place->look;
    return look_planes(look) & PLANE_MASK_DISTANCE ? LIVE_DISTANCES_ALL
           : look->relief > 0 || look->lines > 0   ? LIVE_DISTANCES_FREE
                                                   : LIVE_DISTANCES_NONE;
}

struct look place_look(const struct place *place, int32_t height)
{
    struct look look;
    look_make(&look, &place->look, &place->distribution, NULL, height);
    return look;
}

enum status place_copy(struct place *copy, const struct place *place)
{
    struct place fresh = *place;
    fresh.view = (struct view){0};
    TRY(view_copy(&fresh.view, &place->view));
    place_destroy(copy);
    *copy = fresh;
    return STATUS_OK;
}

enum status place_check(const struct place *place)
{
    struct view_numbers numbers;
    TRY(view_numbers(&place->view, &numbers));
    return plan_reach(&numbers);
}

/* ---- reading ---- */

/* Does the limit belong to this place alone? One of the command line holds for all places. */
static bool limit_ends(const struct config *config)
{
    const char *origin = config->value[OPTION_VIEW_LIMIT].origin;
    return strcmp(origin, "--limit") != 0 && strcmp(origin, "DEEPFIELD_LIMIT") != 0;
}

/* What *place has where the settings say nothing stays. */
static enum status view_take(struct place *place, const struct config *config, int32_t width,
                             int32_t height)
{
    struct picture picture;
    TRY(settings_picture(config, &picture));
    enum status status = formula_check(&picture.spec.formula, picture.spec.bailout);
    place->view.shape = picture.view.shape;
    if (status == STATUS_OK)
        status = view_set(&place->view, picture.view.re, picture.view.im, picture.view.zoom,
                          picture.view.rotation_deg, width, height);
    view_destroy(&picture.view);
    TRY(status);
    place->formula = picture.spec.formula;
    text_copy(place->title, sizeof place->title, config_text(config, OPTION_VIEW_TITLE));
    if (config_was_set(config, OPTION_VIEW_LIMIT)) {
        place->limit = picture.spec.limit;
        place->limit_ends = limit_ends(config);
    }
    return STATUS_OK;
}

enum status place_of_settings(struct place *place, const struct config *config)
{
    const struct config_value *size = &config->value[OPTION_VIEW_SIZE];
    int32_t width = (int32_t)size->integer, height = (int32_t)size->second;
    *place = (struct place){.limit = config_integer(config, OPTION_VIEW_LIMIT),
                            .limit_ends = limit_ends(config)};
    rest_take(place, config);
    /* A flag alone says no place. */
    bool whole = config_text(config, OPTION_VIEW_RE) && config_text(config, OPTION_VIEW_IM) &&
                 config_text(config, OPTION_VIEW_ZOOM);
    if (whole)
        return view_take(place, config, width, height);
    TRY(config_formula(config, &place->formula));
    TRY(formula_check(&place->formula, config_real(config, OPTION_VIEW_BAILOUT)));
    TRY(view_home(&place->view, view_range_of(&place->formula), width, height));
    bool mirrored = place->view.shape.mirrored;
    TRY(config_view_shape(config, &place->view.shape));
    if (!config_was_set(config, OPTION_VIEW_MIRROR))
        place->view.shape.mirrored = mirrored;
    return STATUS_OK;
}

static enum status ini_take(struct place *place, const struct ini *ini, const char *name)
{
    struct config config;
    TRY(config_create(&config));
    enum status status = rest_set(&config, place);
    if (status == STATUS_OK)
        status = config_apply(&config, ini, name, STATUS_BAD_DATA);
    if (status == STATUS_OK)
        status = config_colours(&config);
    if (status == STATUS_OK)
        status = view_take(place, &config, place->view.width, place->view.height);
    if (status == STATUS_OK)
        rest_take(place, &config);
    config_destroy(&config);
    if (status == STATUS_CONFIG) /* settings that come from a text are bad data */
        status = status_fail(STATUS_BAD_DATA, "%s: %s", name, status_text());
    return status;
}

enum status place_text_read(struct place *place, const char *text, size_t length, const char *name)
{
    struct view_file file;
    TRY(view_file_parse(&file, text, length, name));
    enum status status = ini_take(place, &file.ini, name);
    view_file_destroy(&file);
    return status;
}

/* ---- writing ---- */

static enum status formula_set(struct config *config, const struct formula *formula)
{
    char re[32], im[32], c[65], text[FORMULA_TEXT_BYTES];
    if (formula->plane == DYNAMIC_PLANE || !formula_quadratic(formula))
        TRY(text_set(config, OPTION_VIEW_FORMULA, formula_text(formula, text)));
    if (!formula_julia(formula))
        return STATUS_OK;
    snprintf(c, sizeof c, "%s,%s", number_shortest(formula->c_re, 15, re),
             number_shortest(formula->c_im, 15, im));
    return text_set(config, OPTION_VIEW_JULIA, c);
}

static enum status place_set(struct config *config, const struct place *place)
{
    char limit[24] = "", samples[16] = "", stretch[VIEW_STRETCH_BYTES];
    if (place->samples > 0)
        snprintf(samples, sizeof samples, "%d", place->samples);
    if (place->limit > 0)
        snprintf(limit, sizeof limit, "%lld", (long long)place->limit);
    TRY(text_set(config, OPTION_VIEW_VERSION, "1"));
    TRY(text_set(config, OPTION_VIEW_TITLE, place->title));
    TRY(text_set(config, OPTION_VIEW_RE, place->view.re));
    TRY(text_set(config, OPTION_VIEW_IM, place->view.im));
    TRY(text_set(config, OPTION_VIEW_ZOOM, place->view.zoom));
    TRY(real_set(config, OPTION_VIEW_ROTATION, place->view.rotation_deg));
    TRY(text_set(config, OPTION_VIEW_MIRROR, place->view.shape.mirrored ? "true" : ""));
    view_stretch_text(&place->view.shape, stretch);
    TRY(text_set(config, OPTION_VIEW_STRETCH, stretch));
    TRY(text_set(config, OPTION_VIEW_LIMIT, limit));
    TRY(formula_set(config, &place->formula));
    TRY(text_set(config, OPTION_LOOK_SAMPLES, samples));
    return rest_set(config, place);
}

/* Colours as by default, too, since flags may say others for what a text leaves out. */
static enum status defaults_set(struct config *config, const struct look_options *look)
{
    const char *count = colour_source_name(0);
    if (!look->source.input)
        TRY(text_set(config, OPTION_LOOK_BY, count));
    if (!look->layer.blend)
        return text_set(config, OPTION_LOOK_LAYER, colour_blend_name(BLEND_NONE));
    return look->layer.source.input ? STATUS_OK : text_set(config, OPTION_LOOK_LAYER_BY, count);
}

static enum status write_with(const struct place *place, const char *size, char **text)
{
    struct config config = {0}; /* no defaults: what is set is written */
    *text = NULL;
    enum status status = place_set(&config, place);
    if (status == STATUS_OK && !*size) /* a step of the history */
        status = defaults_set(&config, &place->look);
    if (status == STATUS_OK)
        status = text_set(&config, OPTION_VIEW_SIZE, size);
    if (status == STATUS_OK)
        status = place_to_text(text, &place_view, &config);
    config_destroy(&config);
    return status;
}

enum status place_text_write(const struct place *place, char **text)
{
    char size[64];
    int used = snprintf(size, sizeof size, "%dx%d", place->view.width, place->view.height);
    if (place->dpi > 0)
        snprintf(size + used, sizeof size - (size_t)used, "@%.10gdpi", place->dpi);
    return write_with(place, size, text);
}

enum status place_text_write_step(const struct place *place, char **text)
{
    struct place step = *place; /* borrowed */
    step.distribution.runs = 0;
    return write_with(&step, "", text);
}
