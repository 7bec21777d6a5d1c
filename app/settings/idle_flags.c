#include "app/settings/idle_flags.h"

#include "app/arguments/arguments.h"
#include "library/settings/settings_description.h"

enum status settings_look_flags(const struct look_options *look, const struct formula *formula,
                                const struct arguments *arguments)
{
    static const char flat[] = "this formula has no distances";
    static const char no_counts[] = "no colours go by counts", no_layer[] = "there is no --layer";
    const struct colour_layer *layer = &look->layer;
    const bool counts = look_has_counts(look), none = !formula_has_distances(formula);
    const bool fixed = look->density > 0 || !counts;
    const char *why = counts ? "it is for --density auto" : no_counts;
    const struct idle_flag flags[] = {
        {OPTION_LOOK_RUNS, fixed, why},
        {OPTION_LOOK_CONTRAST, fixed, why},
        {OPTION_LOOK_DISTRIBUTION, fixed, why},
        {OPTION_LOOK_DENSITY, !counts, no_counts},
        {OPTION_LOOK_BY_RUNS, !look->source.input, "it is for --by with a plane"},
        {OPTION_LOOK_LAYER_BY, !layer->blend, no_layer},
        {OPTION_LOOK_LAYER_OFFSET, !layer->blend, no_layer},
        {OPTION_LOOK_LAYER_OPACITY, !layer->blend, no_layer},
        {OPTION_LOOK_LAYER_RUNS, !layer->blend, no_layer},
        {OPTION_LOOK_LAYER_RUNS, !layer->source.input, "it is for --layer-by with a plane"},
        {OPTION_LOOK_RELIEF, none && look->relief > 0, flat},
        {OPTION_LOOK_LINES, none && look->lines > 0, flat},
    };
    return arguments_none_idle(arguments, flags, sizeof flags / sizeof *flags);
}

enum status settings_light_flag(bool relief, const struct arguments *arguments)
{
    const struct idle_flag flag = {OPTION_LOOK_LIGHT, !relief, "there is no --relief"};
    return arguments_none_idle(arguments, &flag, 1);
}

enum status settings_forecast_flag(const struct config *config, const struct arguments *arguments)
{
    const bool on = config_integer(config, OPTION_COMPUTE_FORECAST) == FORECAST_ON;
    const struct idle_flag flag = {OPTION_COMPUTE_FORECAST,
                                   on && settings_schedule_is_static(config),
                                   "it is for --schedule dynamic"};
    return arguments_none_idle(arguments, &flag, 1);
}

enum status settings_join_flags(const struct config *config, const struct arguments *arguments)
{
    const bool dry = arguments_has(arguments, OPTION_DRY_RUN);
    const struct idle_flag flags[] = {
        {OPTION_COMPUTE_JOIN_FILE, dry, "nobody joins a dry run"},
        {OPTION_COMPUTE_JOIN_ADDRESS, !config_text_or_null(config, OPTION_COMPUTE_JOIN_FILE),
         "it is for --join-file"},
    };
    return arguments_none_idle(arguments, flags, sizeof flags / sizeof *flags);
}

enum status settings_flags_check(const struct picture_settings *settings,
                                 const struct arguments *arguments)
{
    const struct idle_flag flags[] = {
        {OPTION_OUTPUT_QUALITY, !settings->quality, "it is for .jpg, .webp and tiles of a .dzi"},
        {OPTION_OUTPUT_OVERVIEWS, !settings->overviews, "it is for .tif"},
        {OPTION_LOOK_SAMPLES, !settings->coloured,
         "numbers in .npy are those of the pixels' centres"},
        {OPTION_OUTPUT_BITS, !settings->coloured, "numbers in .npy have the bits of their planes"},
        {OPTION_OUTPUT_LOG_JSON, arguments_has(arguments, OPTION_DRY_RUN),
         "a dry run has no events"},
    };
    TRY(settings_look_flags(&settings->look_options, &settings->picture.spec.formula, arguments));
    return arguments_none_idle(arguments, flags, sizeof flags / sizeof *flags);
}

enum status settings_orbit_flags(unsigned planes, const struct arguments *arguments)
{
    const struct idle_flag flags[] = {
        {OPTION_VIEW_STRIPES, !(planes & PLANE_MASK_STRIPE), "nothing wants the plane 'stripe'"},
        {OPTION_VIEW_TRAP, !(planes & PLANE_MASK_TRAPS), "nothing wants a plane of a trap"},
        {OPTION_VIEW_TRAP_RADIUS, !(planes & PLANE_MASK_CIRCLE),
         "nothing wants the plane 'trap_circle'"},
    };
    return arguments_none_idle(arguments, flags, sizeof flags / sizeof *flags);
}

enum status settings_shading_flags_check(const struct picture_settings *settings,
                                         const struct arguments *arguments)
{
    const char *why = settings_interior_refusal(settings);
    const struct idle_flag flag = {OPTION_LOOK_INTERIOR, why != NULL, why};
    if (settings->coloured)
        TRY(settings_light_flag(settings->look_options.relief > 0, arguments));
    TRY(arguments_none_idle(arguments, &flag, 1));
    return settings_orbit_flags(settings->picture.spec.planes, arguments);
}
