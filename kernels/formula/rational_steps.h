/* The steps of formulas that divide or converge on packs of reals, and the same with a tangent. A
 * body: included once for each type of pack, after these macros; it undefines STEP_FN at its end.
 *
 *     PREFIX, PACK   see kernels/escape/lanes.h
 *     STEP_FN        what stands before the functions: they must be inlined
 *
 *     step_NAME(&state, cx, cy)           z_(n+1) of z_n and z_(n-1)
 *     slope_NAME(&state, cx, cy, of_c)    and their derivatives; of_c is that of c: 1 or 0
 *
 * A quotient is a conj(b) times 1 / |b|^2, which is one division for both parts. */
#if !defined(PREFIX) || !defined(PACK) || !defined(STEP_FN)
#error "rational_steps.h: a macro is missing"
#endif

#include "kernels/escape/lanes.h"
#include "kernels/formula.h"

#define RATIONAL_PASTE_(a, b) a##_##b
#define RATIONAL_PASTE(a, b) RATIONAL_PASTE_(a, b)
#define S(word) RATIONAL_PASTE(PREFIX, word)

#ifndef KERNELS_FORMULA_RATIONAL_STEPS_ONCE
#define KERNELS_FORMULA_RATIONAL_STEPS_ONCE

/* (x_, y_) = (a_x, a_y) (b_x, b_y) */
#define RATIONAL_PRODUCT(a_x, a_y, b_x, b_y) \
    PACK x_ = S(mul)(a_x, b_x);              \
    PACK y_ = S(mul)(a_x, b_y);              \
    x_ = S(fnma)(a_y, b_y, x_);              \
    y_ = S(fma)(a_y, b_x, y_);
/* n / |a|^2 */
#define RATIONAL_RECIPROCAL(n, a_x, a_y) S(div)(S(splat)(n), S(fma)(a_x, a_x, S(mul)(a_y, a_y)))
/* (x_, y_) = (a_x, a_y) / (b_x, b_y) */
#define RATIONAL_QUOTIENT(a_x, a_y, b_x, b_y)          \
    PACK over_ = RATIONAL_RECIPROCAL(1.0, b_x, b_y);   \
    PACK x_ = S(mul)(a_x, b_x), y_ = S(mul)(a_y, b_x); \
    x_ = S(mul)(S(fma)(a_y, b_y, x_), over_);          \
    y_ = S(mul)(S(fnma)(a_x, b_y, y_), over_);
#define RATIONAL_TO(to) to##_x = x_, to##_y = y_;

#define RATIONAL_STEP_sqr(to, a, b)                    \
    {                                                  \
        PACK x_ = S(mul)(a##_x, a##_x);                \
        PACK y_ = S(mul)(S(add)(a##_x, a##_x), a##_y); \
        x_ = S(fnma)(a##_y, a##_y, x_);                \
        RATIONAL_TO(to)                                \
    }
#define RATIONAL_STEP_mul(to, a, b)                  \
    {                                                \
        RATIONAL_PRODUCT(a##_x, a##_y, b##_x, b##_y) \
        RATIONAL_TO(to)                              \
    }
#define RATIONAL_STEP_div(to, a, b)                   \
    {                                                 \
        RATIONAL_QUOTIENT(a##_x, a##_y, b##_x, b##_y) \
        RATIONAL_TO(to)                               \
    }
#define RATIONAL_STEP_add(to, a, b) to##_x = S(add)(a##_x, b##_x), to##_y = S(add)(a##_y, b##_y);
#define RATIONAL_STEP_sub(to, a, b) to##_x = S(sub)(a##_x, b##_x), to##_y = S(sub)(a##_y, b##_y);
#define RATIONAL_STEP_scale(to, a, n) \
    to##_x = S(mul)(a##_x, S(splat)(n)), to##_y = S(mul)(a##_y, S(splat)(n));
#define RATIONAL_STEP_plus(to, a, n) to##_x = S(add)(a##_x, S(splat)(n)), to##_y = a##_y;
#define RATIONAL_STEP_invert(to, a, n)                     \
    {                                                      \
        PACK over_ = RATIONAL_RECIPROCAL(n, a##_x, a##_y); \
        PACK x_ = S(mul)(a##_x, over_);                    \
        PACK y_ = S(mul)(S(neg)(a##_y), over_);            \
        RATIONAL_TO(to)                                    \
    }

/* Tangents, before the operation itself: those of register A are dA_x, dA_y. */
#define RATIONAL_SLOPE_sqr(to, a, b)                               \
    {                                                              \
        PACK u_ = S(add)(a##_x, a##_x), v_ = S(add)(a##_y, a##_y); \
        RATIONAL_PRODUCT(u_, v_, d##a##_x, d##a##_y)               \
        RATIONAL_TO(d##to)                                         \
    }
#define RATIONAL_SLOPE_mul(to, a, b)                                         \
    {                                                                        \
        RATIONAL_PRODUCT(a##_x, a##_y, d##b##_x, d##b##_y)                   \
        x_ = S(fma)(d##a##_x, b##_x, x_), y_ = S(fma)(d##a##_x, b##_y, y_);  \
        x_ = S(fnma)(d##a##_y, b##_y, x_), y_ = S(fma)(d##a##_y, b##_x, y_); \
        RATIONAL_TO(d##to)                                                   \
    }
/* (da - q db) / b, q = a / b */
#define RATIONAL_SLOPE_div(to, a, b)                              \
    {                                                             \
        PACK u_, v_;                                              \
        {                                                         \
            RATIONAL_QUOTIENT(a##_x, a##_y, b##_x, b##_y)         \
            u_ = x_, v_ = y_;                                     \
        }                                                         \
        {                                                         \
            RATIONAL_PRODUCT(u_, v_, d##b##_x, d##b##_y)          \
            u_ = S(sub)(d##a##_x, x_), v_ = S(sub)(d##a##_y, y_); \
        }                                                         \
        RATIONAL_QUOTIENT(u_, v_, b##_x, b##_y)                   \
        RATIONAL_TO(d##to)                                        \
    }
#define RATIONAL_SLOPE_add(to, a, b) RATIONAL_STEP_add(d##to, d##a, d##b)
#define RATIONAL_SLOPE_sub(to, a, b) RATIONAL_STEP_sub(d##to, d##a, d##b)
#define RATIONAL_SLOPE_scale(to, a, n) RATIONAL_STEP_scale(d##to, d##a, n)
#define RATIONAL_SLOPE_plus(to, a, n) d##to##_x = d##a##_x, d##to##_y = d##a##_y;
/* -q da / a, q = (n/d) / a */
#define RATIONAL_SLOPE_invert(to, a, n)                              \
    {                                                                \
        PACK r_ = RATIONAL_RECIPROCAL(n, a##_x, a##_y);              \
        PACK u_ = S(mul)(S(neg)(a##_x), r_), v_ = S(mul)(a##_y, r_); \
        {                                                            \
            RATIONAL_PRODUCT(u_, v_, d##a##_x, d##a##_y)             \
            u_ = x_, v_ = y_;                                        \
        }                                                            \
        {                                                            \
            RATIONAL_QUOTIENT(u_, v_, a##_x, a##_y)                  \
            RATIONAL_TO(d##to)                                       \
        }                                                            \
    }

#define RATIONAL_KEPT __attribute__((unused)) PACK /* by most */
#define RATIONAL_REGISTERS_OF(zero)                               \
    RATIONAL_KEPT A_x = zero, A_y = zero, B_x = zero, B_y = zero; \
    RATIONAL_KEPT D_x = zero, D_y = zero, E_x = zero, E_y = zero;
#define RATIONAL_TANGENTS_OF(zero)                                    \
    RATIONAL_KEPT dA_x = zero, dA_y = zero, dB_x = zero, dB_y = zero; \
    RATIONAL_KEPT dD_x = zero, dD_y = zero, dE_x = zero, dE_y = zero;

#endif

struct S(orbit) {
    PACK x, y, last_x, last_y;     /* z_n, z_(n-1) */
    PACK dx, dy, last_dx, last_dy; /* derivatives by the pixel's position; unused by step_NAME */
};

#define OF(operation, to, a, b) RATIONAL_STEP_##operation(to, a, b)
#define BY(operation, to, a, n, d) RATIONAL_STEP_##operation(to, a, (double)(n) / (d))
#define RATIONAL(name, home, begins, has_c, escapes, ends, order, roots, summary, sizes,    \
                 operations, perturbed)                                                     \
    STEP_FN void RATIONAL_PASTE(step_##name, PREFIX)(struct S(orbit) * z, PACK cx, PACK cy) \
    {                                                                                       \
        const PACK zero_ = S(splat)(0);                                                     \
        RATIONAL_REGISTERS_OF(zero_)                                                        \
        PACK Z_x = z->x, Z_y = z->y;                                                        \
        RATIONAL_KEPT P_x = z->last_x, P_y = z->last_y, C_x = cx, C_y = cy;                 \
        operations z->last_x = z->x, z->last_y = z->y;                                      \
        z->x = Z_x, z->y = Z_y;                                                             \
    }
#include "kernels/formula/rational.inc"

#define OF(operation, to, a, b) \
    RATIONAL_SLOPE_##operation(to, a, b) RATIONAL_STEP_##operation(to, a, b)
#define BY(operation, to, a, n, d)                       \
    RATIONAL_SLOPE_##operation(to, a, (double)(n) / (d)) \
        RATIONAL_STEP_##operation(to, a, (double)(n) / (d))
#define RATIONAL(name, home, begins, has_c, escapes, ends, order, roots, summary, sizes,     \
                 operations, perturbed)                                                      \
    STEP_FN void RATIONAL_PASTE(slope_##name, PREFIX)(struct S(orbit) * z, PACK cx, PACK cy, \
                                                      PACK of_c)                             \
    {                                                                                        \
        const PACK zero_ = S(splat)(0);                                                      \
        RATIONAL_REGISTERS_OF(zero_)                                                         \
        RATIONAL_TANGENTS_OF(zero_)                                                          \
        PACK Z_x = z->x, Z_y = z->y, dZ_x = z->dx, dZ_y = z->dy;                             \
        RATIONAL_KEPT P_x = z->last_x, P_y = z->last_y, C_x = cx, C_y = cy;                  \
        RATIONAL_KEPT dP_x = z->last_dx, dP_y = z->last_dy, dC_x = of_c, dC_y = zero_;       \
        operations z->last_x = z->x, z->last_y = z->y;                                       \
        z->last_dx = z->dx, z->last_dy = z->dy;                                              \
        z->x = Z_x, z->y = Z_y, z->dx = dZ_x, z->dy = dZ_y;                                  \
    }
#include "kernels/formula/rational.inc"

#undef S
#undef STEP_FN
