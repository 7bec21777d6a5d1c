/* Perturbation of any formula and plane: what deep.c does otherwise than for z^2 + c. */
#ifndef KERNELS_DEEP_DEEP_FORMULA_H
#define KERNELS_DEEP_DEEP_FORMULA_H

#include "kernels/deep/deep.h"
#include "kernels/deep/formula_fill.h"

/* Does an orbit go as far as deep_open needs? */
enum status deep_orbit_check(const struct orbit *orbit, const struct spec *spec);

/* Takes an orbit and its critical ones as `count` references. Fails as deep_open does. */
enum status formula_references_take(struct formula_reference *reference, int count,
                                    const struct orbit *orbit, const struct spec *spec);

/* Fills operations and orbits of a picture whose `shared` part is complete, without tables and what
 * is made of them. Fails as deep_open does. */
enum status formula_references_fill(struct formula_common *common, const struct orbit *orbit,
                                    const struct spec *spec);

/* log2 of the steps of the shortest blocks, of_similar: where derivatives are similarities. */
int formula_shortest_blocks(const struct program *program, int of_similar);

/* Source of a reference's table; shared: complete but for its end and its share of bytes. */
struct formula_source formula_source_of(const struct formula_common *common,
                                        const struct table_source *shared, int reference);

/* Limits within which pixels need no reference, from complete tables. late: of pixels in fp32. */
struct direct_limits formula_direct_limits(const struct formula_common *common, double epsilon,
                                           bool late);

/* What pixels share in fp32, of what they share in doubles, without orbits. */
struct formula_common_f32 formula_late_common(const struct formula_common *common);

/* Points of an orbit, and values of its tape. */
size_t formula_orbit_points(const struct orbit *orbit);
size_t formula_orbit_values(const struct orbit *orbit);

#endif
