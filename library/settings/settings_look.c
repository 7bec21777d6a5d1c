#include "library/settings/settings_look.h"

#include <stdio.h>

#include "library/config/config_view.h"
#include "render/colour/palette_choice.h"
#include "render/plan/plan.h"

static struct colour_source source_of(const struct config *config, enum option_key by,
                                      enum option_key runs)
{
    return colour_source_at((int)config_integer(config, by), config_real(config, runs));
}

enum status settings_look_options(const struct config *config, struct look_options *options)
{
    *options = (struct look_options){.density = config_real(config, OPTION_LOOK_DENSITY),
                                     .runs = config_real(config, OPTION_LOOK_RUNS),
                                     .contrast = config_real(config, OPTION_LOOK_CONTRAST),
                                     .offset = config_real(config, OPTION_LOOK_OFFSET),
                                     .offset_auto = config_is_auto(config, OPTION_LOOK_OFFSET),
                                     .relief_auto = config_is_auto(config, OPTION_LOOK_RELIEF),
                                     .lines_auto = config_is_auto(config, OPTION_LOOK_LINES),
                                     .relief = config_real(config, OPTION_LOOK_RELIEF),
                                     .lines = config_real(config, OPTION_LOOK_LINES),
                                     .light_deg = config_real(config, OPTION_LOOK_LIGHT)};
    struct formula formula;
    TRY(config_formula(config, &formula));
    options->roots = formula_roots(&formula);
    options->source = source_of(config, OPTION_LOOK_BY, OPTION_LOOK_BY_RUNS);
    options->layer = (struct colour_layer){
        .blend = (enum colour_blend)config_integer(config, OPTION_LOOK_LAYER),
        .source = source_of(config, OPTION_LOOK_LAYER_BY, OPTION_LOOK_LAYER_RUNS),
        .offset = config_real(config, OPTION_LOOK_LAYER_OFFSET),
        .opacity = config_real(config, OPTION_LOOK_LAYER_OPACITY)};
    if (options->offset_auto)
        options->offset = PALETTE_OFFSET;
    if (options->relief_auto)
        options->relief = LOOK_RELIEF;
    if (options->lines_auto)
        options->lines = LOOK_LINES;
    return interior_parse(config_text(config, OPTION_LOOK_INTERIOR), &options->interior_kind,
                          options->interior);
}

bool settings_shaded(const struct plan *plan)
{
    return plan->method == METHOD_PERTURBATION && plan->number == NUMBER_FP64;
}

void settings_shading_drop(struct look_options *options, const struct formula *formula)
{
    if (formula_has_distances(formula))
        return;
    options->relief = options->lines = 0;
    options->relief_auto = options->lines_auto = false;
}

struct distribution settings_distribution(const struct config *config)
{
    struct distribution distribution = {.runs = 0};
    if (!config_is_auto(config, OPTION_LOOK_DISTRIBUTION)) /* checked when it was set */
        distribution_parse(&distribution, config_text(config, OPTION_LOOK_DISTRIBUTION));
    return distribution;
}

bool settings_wants_distribution(const struct config *config)
{
    return !(config_real(config, OPTION_LOOK_DENSITY) > 0) &&
           !(settings_distribution(config).runs > 0);
}

struct distribution settings_measure(const struct config *config, const struct field *field,
                                     int32_t height)
{
    struct distribution distribution = settings_distribution(config);
    bool wanted = field && settings_wants_distribution(config);
    if (wanted && field->height == height)
        distribution_measure(&distribution, field);
    else if (wanted)
        distribution_measure_subgrid(&distribution, field, height);
    return distribution;
}

enum status settings_palette(const struct config *config, struct palette **palette)
{
    char folder[4096], assets[4200];
    TRY(data_folder(&config->data, folder, sizeof folder));
    snprintf(assets, sizeof assets, "%s/assets", folder);
    return config_blame(config, OPTION_LOOK_PALETTE,
                        palette_load(palette, assets, config_text(config, OPTION_LOOK_PALETTE)));
}

/* kernels/escape/attractor.h */
const char *settings_interior_missing(enum interior_kind kind, bool deep,
                                      const struct formula *formula)
{
    unsigned planes = interior_planes(kind);
    if (planes && deep)
        return "deep views keep one colour inside: periods and distances inside are found by "
               "direct iteration";
    if (planes && !formula_quadratic(formula))
        return "this formula keeps one colour inside: periods are found for z^2 + c alone";
    if (planes & PLANE_MASK_INSIDE && formula->plane == DYNAMIC_PLANE)
        return "a Julia set keeps one colour inside: distances inside are those of the Mandelbrot "
               "set";
    return NULL;
}

/* What was automatic is from now on what it became. */
static enum status resolved_set(struct config *config, enum option_key option, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%g", value);
    return config_is_auto(config, option)
               ? config_set(config, option, text, "measured", STATUS_INTERNAL)
               : STATUS_OK;
}

enum status settings_look(struct config *config, const struct distribution *distribution,
                          const struct palette *palette, const struct field *shape,
                          struct look_options *options, struct look *look)
{
    char text[DISTRIBUTION_TEXT_BYTES];
    look_resolve(options, shape);
    look_make(look, options, distribution, palette, shape->height);
    distribution_text(distribution, text);
    TRY(config_set(config, OPTION_LOOK_DISTRIBUTION, text, "measured", STATUS_INTERNAL));
    TRY(resolved_set(config, OPTION_LOOK_RELIEF, options->relief));
    return resolved_set(config, OPTION_LOOK_LINES, options->lines);
}
