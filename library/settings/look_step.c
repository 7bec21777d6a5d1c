#include "library/settings/look_step.h"

#include <math.h>

#include "kernels/number_text.h"
#include "library/settings/settings_look.h"
#include "render/colour/interior.h"

#define DENSITY_STEP 1.189207115002721 /* 2^(1/4) */
#define DENSITY_LEAST 1e-3
#define DENSITY_MOST 1e3

double look_density(const struct look_options *look, const struct look_seen *seen)
{
    double value = look->density > 0 ? look->density : look->runs;
    return value > 0 ? value : seen->runs > 0 ? seen->runs : 1;
}

double look_relief(const struct look_options *look, const struct look_seen *seen)
{
    return look->relief_auto && !seen->shaded ? 0 : look->relief;
}

void look_offset_add(struct look_options *look, double more)
{
    double offset = look->offset + more;
    look->offset = offset - floor(offset);
    look->offset_auto = false;
}

static double tenth_step(double value, int by)
{
    return fmin(fmax(round((value + 0.1 * by) * 10) / 10, 0), 1);
}

static void density_step(struct look_options *look, int by, const struct look_seen *seen)
{
    double value = look_density(look, seen) * (by > 0 ? DENSITY_STEP : 1 / DENSITY_STEP);
    *(look->density > 0 ? &look->density : &look->runs) =
        fmin(fmax(value, DENSITY_LEAST), DENSITY_MOST);
}

void look_step(struct look_options *look, enum look_step step, int by, const struct look_seen *seen)
{
    switch (step) {
    case LOOK_STEP_DENSITY:
        density_step(look, by, seen);
        return;
    case LOOK_STEP_OFFSET:
        look_offset_add(look, by * LOOK_STEP_OFFSET_BY);
        return;
    case LOOK_STEP_CONTRAST:
        look->contrast = tenth_step(look->contrast, by);
        return;
    case LOOK_STEP_RELIEF:
        look->relief = tenth_step(look_relief(look, seen), by);
        look->relief_auto = false;
        return;
    default:
        look->interior_kind = (enum interior_kind)((look->interior_kind + 1) % INTERIOR_KINDS);
    }
}

static enum status value_set(struct config *config, enum option_key option, double value,
                             const char *origin)
{
    char number[NUMBER_TEXT_BYTES];
    return config_set(config, option, number_shortest(value, 15, number), origin, STATUS_BAD_DATA);
}

enum status look_step_settings(struct config *config, enum look_step step, int by,
                               const struct look_seen *seen, const char *origin)
{
    struct look_options look;
    TRY(settings_look_options(config, &look));
    look_step(&look, step, by, seen);
    const struct {
        enum option_key option;
        double value;
    } rows[LOOK_STEPS] = {
        [LOOK_STEP_DENSITY] = {look.density > 0 ? OPTION_LOOK_DENSITY : OPTION_LOOK_RUNS,
                               look.density > 0 ? look.density : look.runs},
        [LOOK_STEP_OFFSET] = {OPTION_LOOK_OFFSET, look.offset},
        [LOOK_STEP_CONTRAST] = {OPTION_LOOK_CONTRAST, look.contrast},
        [LOOK_STEP_RELIEF] = {OPTION_LOOK_RELIEF, look.relief},
    };
    char interior[INTERIOR_TEXT_BYTES];
    if (step == LOOK_STEP_INTERIOR) {
        interior_text(look.interior_kind, look.interior, interior);
        return config_set(config, OPTION_LOOK_INTERIOR, interior, origin, STATUS_BAD_DATA);
    }
    return value_set(config, rows[step].option, rows[step].value, origin);
}

enum status look_shading_settings(struct config *config, const struct look_seen *seen,
                                  const char *origin)
{
    struct look_options look;
    TRY(settings_look_options(config, &look));
    if (!seen->shaded || !(look_planes(&look) & PLANE_MASK_DISTANCE))
        return STATUS_OK;
    if (look.relief_auto)
        TRY(value_set(config, OPTION_LOOK_RELIEF, LOOK_RELIEF, origin));
    return look.lines_auto ? value_set(config, OPTION_LOOK_LINES, LOOK_LINES, origin) : STATUS_OK;
}
