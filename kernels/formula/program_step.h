/* A step of any list of operations on a pack, and the bounds of a triangle with it
 * (kernels/escape/orbit_sums.h). A body: included once for each type of pack, behind the macros of
 * steps.h, with STEPS_OF_OPERATIONS. */
#include "kernels/escape/orbit_sums.h"
#include "kernels/formula/steps.h"

#define S(word) STEPS_PASTE(PREFIX, word)

/* z' of z = (x, y) by list `phase`, whose operations are read one by one. */
PROGRAM_FN void S(program_step)(const struct formula_program *program, int phase, PACK *x, PACK *y,
                                PACK cx, PACK cy)
{
    PACK x_ = *x, y_ = *y, kept_x = x_, kept_y = y_;
    for (int i = phase ? program->end[phase - 1] : 0; i < program->end[phase]; i++) {
        const double *factor = program->factor[program->factor_at[i]];
        const PACK factor_x = S(splat)(factor[0]), factor_y = S(splat)(factor[1]);
        (void)factor_x;
        (void)factor_y;
        switch (program->fused[i]) {
#define STEP_CASE(name) \
    case FUSED_##name:  \
        STEP_##name;    \
        break;
            FORMULA_FUSED(STEP_CASE)
#undef STEP_CASE
        default:
            break;
        }
    }
    *x = x_;
    *y = y_;
}

/* w is the list's step without its c, which it adds last. */
PROGRAM_FN struct S(orbit_bounds) S(program_bounds)(const struct formula_program *program,
                                                    int phase, const struct S(orbit_rule) * rule,
                                                    PACK x, PACK y, PACK cx, PACK cy, PACK c_abs)
{
    const PACK none = S(splat)(0);
    if (rule->planes & PLANE_MASK_TRIANGLE)
        S(program_step)(program, phase, &x, &y, none, none);
    PACK size = S(sqrt)(S(fma)(x, x, S(mul)(y, y)));
    return S(orbit_bounds_of)(x, y, size, cx, cy, c_abs);
}

#undef S
