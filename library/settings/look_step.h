/* Steps of the look, as keys of the window and of the served page take them. */
#ifndef LIBRARY_SETTINGS_LOOK_STEP_H
#define LIBRARY_SETTINGS_LOOK_STEP_H

#include <stdbool.h>

#include "kernels/status.h"
#include "library/config/config.h"
#include "render/colour/look_options.h"

enum look_step {
    LOOK_STEP_DENSITY,  /* by 2^(1/4) */
    LOOK_STEP_OFFSET,   /* by LOOK_STEP_OFFSET_BY, around the palette's end */
    LOOK_STEP_CONTRAST, /* by a tenth, 0 ... 1 */
    LOOK_STEP_RELIEF,   /* the same */
    LOOK_STEP_INTERIOR, /* the next kind, whatever the direction */
    LOOK_STEPS
};

#define LOOK_STEP_OFFSET_BY 0.02

struct look_seen { /* what automatic values are in the picture that is shown */
    double runs;   /* palette runs over it; 0: not measured */
    bool shaded;   /* it has distances, so it shows a relief that is automatic */
};

/* The value that a step of density or relief begins at: density or runs, whichever is set. */
double look_density(const struct look_options *look, const struct look_seen *seen);
double look_relief(const struct look_options *look, const struct look_seen *seen);

/* Adds to the offset, around the palette's end; it is not that of the palette any more. */
void look_offset_add(struct look_options *look, double more);

/* One step up (by 1) or down (-1). */
void look_step(struct look_options *look, enum look_step step, int by,
               const struct look_seen *seen);

/* The same in settings, which are complete enough for settings_look_options; sets the key that
 * changes alone, with this origin. */
enum status look_step_settings(struct config *config, enum look_step step, int by,
                               const struct look_seen *seen, const char *origin);

/* Sets relief and lines that are automatic to what they are in a live picture that has distances
 * because the other one is set: `deepfield render` has none of them there. */
enum status look_shading_settings(struct config *config, const struct look_seen *seen,
                                  const char *origin);

#endif
