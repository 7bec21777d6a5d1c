#include "library/config/config_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/formula_text.h"
#include "kernels/number_text.h"
#include "render/colour/palette_choice.h"
#include "render/view/view_motion.h"

enum status config_formula(const struct config *config, struct formula *formula)
{
    const struct config_value *c = &config->value[OPTION_VIEW_JULIA];
    const char *named = config_text(config, OPTION_VIEW_FORMULA);
    *formula = (struct formula){.plane = PARAMETER_PLANE};
    if (named)
        TRY(formula_of_text(formula, named, strlen(named)));
    if (c->text && !formula_has_c(formula))
        return status_fail(STATUS_CONFIG, "%s: %s has no c; its pixels are z_0 without it",
                           c->origin, formula_name(formula));
    if (c->text)
        formula->plane = DYNAMIC_PLANE;
    if (!formula_julia(formula))
        return STATUS_OK;
    if (!c->text)
        return status_fail(STATUS_CONFIG, "%s: a Julia set needs its c; use --julia RE,IM",
                           config->value[OPTION_VIEW_FORMULA].origin);
    formula->c_re = c->real;
    formula->c_im = c->imaginary;
    return STATUS_OK;
}

enum status config_home(struct config *config)
{
    bool named = config_text(config, OPTION_VIEW_FORMULA);
    struct formula formula;
    char zoom[32];
    if (config_text(config, OPTION_VIEW_RE) || config_text(config, OPTION_VIEW_IM) ||
        config_text(config, OPTION_VIEW_ZOOM) || !(named || config_text(config, OPTION_VIEW_JULIA)))
        return STATUS_OK;
    TRY(config_formula(config, &formula));
    const struct view_range *range = view_range_of(&formula);
    const char *origin = config->value[named ? OPTION_VIEW_FORMULA : OPTION_VIEW_JULIA].origin;
    snprintf(zoom, sizeof zoom, "%.15g", range->home_zoom);
    TRY(config_set(config, OPTION_VIEW_RE, range->home_re, origin, STATUS_INTERNAL));
    TRY(config_set(config, OPTION_VIEW_IM, range->home_im, origin, STATUS_INTERNAL));
    if (range->home_mirrored && !config_was_set(config, OPTION_VIEW_MIRROR))
        TRY(config_set(config, OPTION_VIEW_MIRROR, "true", origin, STATUS_INTERNAL));
    return config_set(config, OPTION_VIEW_ZOOM, zoom, origin, STATUS_INTERNAL);
}

const char *config_place_missing(const struct config *config, int *there)
{
    static const enum option_key needed[] = {OPTION_VIEW_RE, OPTION_VIEW_IM, OPTION_VIEW_ZOOM};
    const char *missing = NULL;
    *there = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (config_text(config, needed[i]))
            ++*there;
        else if (!missing)
            missing = option_rows[needed[i]].key;
    return missing;
}

enum status config_complete(struct config *config)
{
    int there;
    config_settle(config);
    TRY(config_home(config));
    const char *missing = config_place_missing(config, &there);
    if (missing)
        return status_fail(
            STATUS_CONFIG,
            "view.%s is missing: a picture needs a view, or re, im and zoom, or a formula",
            missing);
    return config_colours(config);
}

bool config_colours_chosen(const char *palette)
{
    size_t length = strcspn(palette, "+");
    return length == 4 && (!strncmp(palette, "auto", length) || !strncmp(palette, "safe", length));
}

/* The number of a text, within what a choice takes. */
static double choice_number(const char *text)
{
    return fmin(fmax(number_real(text), -1e12), 1e12);
}

static enum status palette_choice_of(const struct config *config, struct palette_choice *choice)
{
    const char *re = config_text(config, OPTION_VIEW_RE), *im = config_text(config, OPTION_VIEW_IM);
    struct formula formula;
    char text[FORMULA_TEXT_BYTES];
    TRY(config_formula(config, &formula));
    const struct view_range *range = view_range_of(&formula);
    const bool julia = formula_julia(&formula);
    const double numbers[] = {choice_number(re ? re : range->home_re),
                              choice_number(im ? im : range->home_im), formula.c_re, formula.c_im};
    const enum palette_set set =
        *config_text(config, OPTION_LOOK_PALETTE) == 's' ? PALETTES_SAFE : PALETTES_CURATED;
    *choice = palette_choose(set, formula_quadratic(&formula) ? "" : formula_text(&formula, text),
                             numbers, julia ? 4 : 2);
    return STATUS_OK;
}

enum status config_colours(struct config *config)
{
    const char *offset = config_text(config, OPTION_LOOK_OFFSET), *origin = "the place";
    const char *palette = config_text(config, OPTION_LOOK_PALETTE), *plus = strchr(palette, '+');
    struct palette_choice choice = {.offset = PALETTE_OFFSET};
    char number[NUMBER_TEXT_BYTES], pair[OPTION_PALETTE_MAX + PALETTE_CHOICE_BYTES];
    if (plus && config_colours_chosen(plus + 1))
        return config_blame(config, OPTION_LOOK_PALETTE,
                            status_fail(STATUS_CONFIG,
                                        "%s is chosen by the place for the first palette alone; "
                                        "name the second, as in auto+ocean",
                                        plus + 1));
    if (config_colours_chosen(palette)) {
        TRY(palette_choice_of(config, &choice));
        snprintf(pair, sizeof pair, "%s%s", choice.name, plus ? plus : "");
        TRY(config_set(config, OPTION_LOOK_PALETTE, pair, origin, STATUS_INTERNAL));
    } else {
        origin = config->value[OPTION_LOOK_OFFSET].origin;
    }
    return strcmp(offset, "auto") != 0
               ? STATUS_OK
               : config_set(config, OPTION_LOOK_OFFSET, number_shortest(choice.offset, 3, number),
                            origin, STATUS_INTERNAL);
}

enum status config_view_shape(const struct config *config, struct view_shape *shape)
{
    const char *stretch = config_text(config, OPTION_VIEW_STRETCH);
    *shape = (struct view_shape){.mirrored = config_boolean(config, OPTION_VIEW_MIRROR)};
    return view_stretch_read(stretch ? stretch : "", shape);
}
