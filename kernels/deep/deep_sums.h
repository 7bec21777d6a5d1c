/* Averages and traps along the orbit of a pixel by perturbation whose count is known
 * (kernels/escape/orbit_sums.h): single steps from z_0 on, as blocks show no z_k. It goes along the
 * reference and rebases as the pass that counts, and z_k = Z_m + delta. It ends at the count, or
 * before, where its own |z_k| > R: what blocks leave out may change a count. */
#ifndef KERNELS_DEEP_DEEP_SUMS_H
#define KERNELS_DEEP_DEEP_SUMS_H

#include "kernels/deep/formula_pixel.h"
#include "kernels/escape/orbit_sums.h"

/* |z| / |c| below which w + c cancels so much of w that a triangle is computed from z instead. */
#define SUMS_SMALL 0x1p-10

/* Bounds of a triangle from z_k = w + c, which is small: with |w|^2 - |c|^2 = |z|^2 - 2 z . c,
 * m = ||z|^2 - 2 z . c| / (|w| + |c|) and |w| |c| + w . c = (|z|^2 - m^2) / 2. */
DEEP_FN void bounds_refine(struct f64x1_orbit_bounds *bounds, struct complex_f64 z,
                           struct complex_f64 c, double c_abs)
{
    double norm = fma(z.x, z.x, z.y * z.y);
    if (!(norm < SUMS_SMALL * SUMS_SMALL * c_abs * c_abs))
        return;
    double r = sqrt(norm), twice = 2 * bounds->least;
    bounds->m = fabs(fma(-2.0, fma(z.x, c.x, z.y * c.y), norm)) / (twice + bounds->m);
    bounds->above = 0.5 * fabs(r - bounds->m) * (r + bounds->m);
}

/* c of a pixel. */
DEEP_FN struct complex_f64 sums_c(const struct pixel_common *common, struct complex_f64 c)
{
    return complex_add(common->direct.centre, wide_power(common->exponent), c);
}

/* Takes up to `most` steps, to z_last at most; 1: the sums are complete. */
DEEP_FN int pixel_sums_on(struct pixel_state *pixel, struct f64x1_orbit_sums *sums,
                          const struct pixel_common *common, const struct f64x1_orbit_rule *rule,
                          int wide, int64_t last, int64_t most)
{
    const struct complex_f64 c = sums_c(common, pixel->c);
    const double c_abs = sqrt(fma(c.x, c.x, c.y * c.y));
    struct complex_f64 z = pixel_end(pixel, common);
    int done = 0;
    for (int64_t i = 0; i < most && !done; i++) {
        struct f64x1_orbit_bounds bounds = f64x1_orbit_square(rule, z.x, z.y, c.x, c.y, c_abs);
        done = pixel_advance(pixel, common, 0, wide, -1) || pixel->n == last;
        z = pixel_end(pixel, common);
        bounds_refine(&bounds, z, c, c_abs);
        f64x1_orbit_add(sums, rule, bounds, z.x, z.y);
    }
    return done;
}

/* Bounds of a triangle with w, the list's step from z without its c. */
DEEP_FN struct f64x1_orbit_bounds formula_bounds(const struct f64x1_orbit_rule *rule,
                                                 struct program_list list, struct complex_f64 z,
                                                 struct complex_f64 c, double c_abs)
{
    struct formula_step_input input = {{0, 0}, {0, 0}, {0, 0}};
    struct formula_tangents none = {{0, 0}, {0, 0}};
    struct f64x1_orbit_bounds bounds = {0, 0, 0};
    if (!(rule->planes & PLANE_MASK_TRIANGLE))
        return bounds;
    struct complex_f64 w = formula_direct_step(list, z, &input, 0, 0, &none);
    return f64x1_orbit_bounds_of(w.x, w.y, complex_abs(w), c.x, c.y, c_abs);
}

/* As pixel_sums_on. */
DEEP_FN int formula_sums_on(struct formula_pixel *pixel, struct f64x1_orbit_sums *sums,
                            const struct formula_common *common,
                            const struct f64x1_orbit_rule *rule, int wide, int64_t last,
                            int64_t most)
{
    const struct complex_f64 c = sums_c(&common->shared, pixel->at.c);
    const double c_abs = sqrt(fma(c.x, c.x, c.y * c.y));
    struct complex_f64 z = formula_end(pixel, common);
    int done = 0;
    for (int64_t i = 0; i < most && !done; i++) {
        struct f64x1_orbit_bounds bounds =
            formula_bounds(rule, formula_list_of(common, pixel), z, c, c_abs);
        pixel->at.steps++;
        (wide ? formula_step_of_wide : formula_step)(pixel, common, 0);
        done = (wide ? formula_arrive_of_wide : formula_arrive)(pixel, common);
        done |= pixel->at.n == last;
        z = formula_end(pixel, common);
        bounds_refine(&bounds, z, c, c_abs);
        f64x1_orbit_add(sums, rule, bounds, z.x, z.y);
    }
    return done;
}

/* Fraction by which the last terms of an average count: that of a pixel that escaped, else 1. */
DEEP_FN struct orbit_values pixel_sums_values(const struct pixel_state *pixel,
                                              const struct f64x1_orbit_sums *sums,
                                              double fraction_offset)
{
    double fraction = pixel->count ? fraction_of((float)pixel->norm, fraction_offset) : 1.0;
    return orbit_values_of(sums, pixel->n, 0, fraction);
}

DEEP_FN struct orbit_values formula_sums_values(const struct formula_pixel *pixel,
                                                const struct f64x1_orbit_sums *sums,
                                                const struct formula_common *common)
{
    double fraction = pixel->at.count ? formula_fraction(pixel, common) : 1.0;
    return orbit_values_of(sums, pixel->at.n, common->dynamic, fraction);
}

#endif
