/* The hyperbolic component about a nucleus: its size, its orientation, its kind.
 *
 * Near 0 and the nucleus, z_p as a function of z_0 and c is a(c) + l(c) z_0^2 + ..., with a = z_p
 * from z_0 = 0 and l = dz_p/dz_1. In u = l z_0 that is u -> u^2 + C with C = l a: the same step
 * again. With a = a' h + a'' h^2 / 2 and l = l0 + l' h at the distance h from the nucleus,
 *     C = C1 - shape C1^2, C1 = h / size, size = 1 / (a' l0),
 *     shape = -(a'' / (2 a') + l' / l0) size.
 * An island is a small copy of the set, so C = C1 and shape is near 0; at c = 0 it is 0. A disc on
 * another component has shape near 1: at c = -1 it is 1, size is 1/2, and C1 of its boundary is
 * 1/2 in magnitude. In either kind the root, where it begins, is at C1 > 0. */
#ifndef KERNELS_ORBIT_COMPONENT_H
#define KERNELS_ORBIT_COMPONENT_H

#include "kernels/orbit/newton.h"

/* COMPONENT_ANY: that of another formula, where kinds are not distinguished. */
enum component_kind { COMPONENT_CARDIOID, COMPONENT_DISC, COMPONENT_ANY };

struct component {
    struct complex_scaled size; /* with its orientation: h of C1 = 1 */
    enum component_kind kind;
};

/* The component of a nucleus, m = 0, that newton_refine has found. */
static inline struct component component_of(const struct newton *nucleus)
{
    struct component component;
    component.size = scaled_div(scaled_of(1, 0), scaled_mul(nucleus->slope, nucleus->growth));
    struct complex_scaled bent = scaled_add(scaled_div(nucleus->bend, nucleus->slope),
                                            scaled_div(nucleus->growth_dc, nucleus->growth));
    struct complex_scaled shape = scaled_times(scaled_mul(bent, component.size), -1);
    struct complex_scaled from_disc = scaled_add(shape, scaled_of(-1, 0));
    component.kind = scaled_less(shape, from_disc) ? COMPONENT_CARDIOID : COMPONENT_DISC;
    return component;
}

/* log2 of the distance from the nucleus at which pictures have 2^fold-fold symmetry, fold >= 1.
 * Where |z_p| is small it is a' h, and z_2p is l z_p^2, z_3p is l z_2p^2: the picture at the
 * distance of |z_2p| = 1 is a Julia set folded once, at that of |z_3p| = 1 twice, and so on down to
 * the component's own size. */
static inline double component_embedded_log2(const struct newton *nucleus, int fold)
{
    return -scaled_log2(nucleus->slope) - (1 - exp2(-fold)) * scaled_log2(nucleus->growth);
}

#endif
