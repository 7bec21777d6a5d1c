/* The steps of all formulas on packs of reals, and the same with tangents. A body: included once
 * for each type of pack, after these macros; it undefines STEP_FN at its end.
 *
 *     PREFIX, PACK   see kernels/escape/lanes.h
 *     STEPS_OF_OPERATIONS   if defined: the macros alone, no rows
 *     STEP_FN        what stands before the functions: they must be inlined
 *
 *     step_NAME(&x, &y, cx, cy)             z' of z = (x, y)
 *     slope_NAME(&x, &y, cx, cy, &a, &b)    and of two tangents: by the pixel's position to the
 *                                           right, and upwards. dz' is a's where the formula is
 *                                           holomorphic; then b, which is i times a, is left alone
 *     STEP_OPERATION, SLOPE_OPERATION(t)    macros: one operation (kernels/formula/program.h) on
 *                                           x_, y_, kept_x, kept_y and the tangent t, with cx, cy
 *                                           and a constant factor_x, factor_y around it
 */
#if !defined(PREFIX) || !defined(PACK) || !defined(STEP_FN)
#error "steps.h: a macro is missing"
#endif

#include "kernels/escape/lanes.h"
#include "kernels/formula.h"
#include "kernels/formula/program.h"

#define STEPS_PASTE_(a, b) a##_##b
#define STEPS_PASTE(a, b) STEPS_PASTE_(a, b)
#define S(word) STEPS_PASTE(PREFIX, word)
#define STEPS_KEPT __attribute__((unused)) PACK /* by most */

#ifndef KERNELS_FORMULA_STEPS_ONCE
#define KERNELS_FORMULA_STEPS_ONCE

/* ---- z ---- */

#define STEP_abs_x x_ = S(abs)(x_);
#define STEP_abs_y y_ = S(abs)(y_);
#define STEP_neg_x x_ = S(neg)(x_);
#define STEP_neg_y y_ = S(neg)(y_);
#define STEP_swap         \
    {                     \
        PACK t_ = x_;     \
        x_ = y_, y_ = t_; \
    }
#define STEP_sign_y y_ = S(flip)(S(abs)(y_), kept_y);
#define STEP_keep kept_x = x_, kept_y = y_;
#define STEP_add x_ = S(add)(x_, cx), y_ = S(add)(y_, cy);
/* x^2 - y^2, 2 x y */
#define STEP_sqr                    \
    {                               \
        PACK xx_ = S(mul)(x_, x_);  \
        PACK two_ = S(add)(x_, x_); \
        x_ = S(fnma)(y_, y_, xx_);  \
        y_ = S(mul)(two_, y_);      \
    }
/* The arithmetic of kernels/escape/quadratic.h. */
#define STEP_sqr_add                   \
    {                                  \
        PACK t_ = S(fnma)(y_, y_, cx); \
        PACK two_ = S(add)(x_, x_);    \
        y_ = S(fma)(two_, y_, cy);     \
        x_ = S(fma)(x_, x_, t_);       \
    }
#define STEP_mul                      \
    {                                 \
        PACK t_ = S(mul)(x_, kept_x); \
        PACK s_ = S(mul)(y_, kept_x); \
        t_ = S(fnma)(y_, kept_y, t_); \
        y_ = S(fma)(x_, kept_y, s_);  \
        x_ = t_;                      \
    }
#define STEP_scale                      \
    {                                   \
        PACK t_ = S(mul)(x_, factor_x); \
        PACK s_ = S(mul)(y_, factor_x); \
        t_ = S(fnma)(y_, factor_y, t_); \
        y_ = S(fma)(x_, factor_y, s_);  \
        x_ = t_;                        \
    }
#define STEP_mul_add                      \
    {                                     \
        PACK t_ = S(fma)(x_, kept_x, cx); \
        PACK s_ = S(fma)(y_, kept_x, cy); \
        t_ = S(fnma)(y_, kept_y, t_);     \
        y_ = S(fma)(x_, kept_y, s_);      \
        x_ = t_;                          \
    }

/* ---- a tangent, from the z before the operation ---- */

#define SLOPE_abs_x(t) t.x = S(flip)(t.x, x_);
#define SLOPE_abs_y(t) t.y = S(flip)(t.y, y_);
#define SLOPE_neg_x(t) t.x = S(neg)(t.x);
#define SLOPE_neg_y(t) t.y = S(neg)(t.y);
#define SLOPE_swap(t)        \
    {                        \
        PACK u_ = t.x;       \
        t.x = t.y, t.y = u_; \
    }
#define SLOPE_sign_y(t) t.y = S(flip)(S(flip)(t.y, y_), kept_y);
#define SLOPE_scale(t)                   \
    {                                    \
        PACK r_ = S(mul)(t.x, factor_x); \
        PACK s_ = S(mul)(t.y, factor_x); \
        r_ = S(fnma)(t.y, factor_y, r_); \
        t.y = S(fma)(t.x, factor_y, s_); \
        t.x = r_;                        \
    }
#define SLOPE_keep(t) t.kept_x = t.x, t.kept_y = t.y;
#define SLOPE_add(t) t.x = S(add)(t.x, t.cx), t.y = S(add)(t.y, t.cy);
/* 2 z dz */
#define SLOPE_sqr(t)                                   \
    {                                                  \
        PACK u_ = S(add)(x_, x_), v_ = S(add)(y_, y_); \
        PACK right_ = S(mul)(u_, t.x);                 \
        PACK up_ = S(mul)(v_, t.x);                    \
        t.x = S(fnma)(v_, t.y, right_);                \
        t.y = S(fma)(u_, t.y, up_);                    \
    }
#define SLOPE_sqr_add(t)                               \
    {                                                  \
        PACK u_ = S(add)(x_, x_), v_ = S(add)(y_, y_); \
        PACK right_ = S(fnma)(v_, t.y, t.cx);          \
        PACK up_ = S(fma)(v_, t.x, t.cy);              \
        t.x = S(fma)(u_, t.x, right_);                 \
        t.y = S(fma)(u_, t.y, up_);                    \
    }
/* z dk + k dz */
#define SLOPE_product(t, right_, up_)   \
    {                                   \
        PACK r_ = right_, s_ = up_;     \
        r_ = S(fnma)(y_, t.kept_y, r_); \
        s_ = S(fma)(x_, t.kept_y, s_);  \
        r_ = S(fma)(kept_x, t.x, r_);   \
        s_ = S(fma)(kept_x, t.y, s_);   \
        r_ = S(fnma)(kept_y, t.y, r_);  \
        s_ = S(fma)(kept_y, t.x, s_);   \
        t.x = r_, t.y = s_;             \
    }
#define SLOPE_mul(t) SLOPE_product(t, S(mul)(x_, t.kept_x), S(mul)(y_, t.kept_x))
#define SLOPE_mul_add(t) SLOPE_product(t, S(fma)(x_, t.kept_x, t.cx), S(fma)(y_, t.kept_x, t.cy))

#endif

/* A tangent; cx, cy are the one of c, which is 0 where c is the same for all pixels. */
struct S(tangent) {
    PACK x, y, cx, cy, kept_x, kept_y;
};

#ifndef STEPS_OF_OPERATIONS
#define OP(operation) STEP_##operation
#define FORMULA(name, degree, number, home, summary, operations)                        \
    STEP_FN void STEPS_PASTE(step_##name, PREFIX)(PACK * x, PACK * y, PACK cx, PACK cy) \
    {                                                                                   \
        PACK x_ = *x, y_ = *y;                                                          \
        STEPS_KEPT kept_x = x_;                                                         \
        STEPS_KEPT kept_y = y_;                                                         \
        operations *x = x_;                                                             \
        *y = y_;                                                                        \
    }
#include "kernels/formula/formulas.inc"

#define OP(operation) \
    SLOPE_##operation((*a)) if (!holomorphic){SLOPE_##operation((*b))} STEP_##operation
#define FORMULA(name, degree, number, home, summary, operations)                                 \
    STEP_FN void STEPS_PASTE(slope_##name, PREFIX)(PACK * x, PACK * y, PACK cx, PACK cy,         \
                                                   struct S(tangent) * a, struct S(tangent) * b) \
    {                                                                                            \
        enum { holomorphic = FORMULA_HOLOMORPHIC_##name };                                       \
        PACK x_ = *x, y_ = *y;                                                                   \
        STEPS_KEPT kept_x = x_;                                                                  \
        STEPS_KEPT kept_y = y_;                                                                  \
        operations *x = x_;                                                                      \
        *y = y_;                                                                                 \
        (void)b;                                                                                 \
    }
#include "kernels/formula/formulas.inc"

#endif

#undef S
#undef STEPS_KEPT
#undef STEP_FN
