/* Steps of all formulas. Belongs to cpu_body.h, which includes it after the macros.
 *
 * The bookkeeping of a tile is the same for all formulas and is compiled once; the two loops over
 * steps are compiled for each, and called through a table once in RUN steps. */
#ifndef FORMULAS
#error "cpu_formulas.h: belongs to cpu_body.h"
#endif

#include "kernels/always_inline.h"

#define STEP_FN static ALWAYS_INLINE
#include "kernels/formula/steps.h"

typedef void NAME(step)(PACK *x, PACK *y, PACK cx, PACK cy);

struct NAME(pixels);
struct NAME(worker);
struct NAME(kernels) { /* loops over steps of one formula */
    void (*tested)(struct NAME(pixels) * pixels, int first, int used, REAL bailout_squared,
                   int32_t *escaped_at, REAL *norms);
    void (*block)(struct NAME(worker) * w, uint32_t *escapes, uint32_t *repeats);
};
