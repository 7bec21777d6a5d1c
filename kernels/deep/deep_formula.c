#include "kernels/deep/deep_formula.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum status deep_orbit_check(const struct orbit *orbit, const struct spec *spec)
{
    const struct orbit_point *last = &orbit->z[orbit->length - 1];
    double size = hypot(last->x, last->y); /* infinite, maybe, of a power */
    if (orbit->end == ORBIT_LIMIT && orbit->length <= spec->limit)
        return status_fail(STATUS_INTERNAL, "a reference orbit of %lld steps for a limit of %lld",
                           (long long)orbit->length - 1, (long long)spec->limit);
    if (orbit->end == ORBIT_ESCAPED && !(size > 2 * spec->bailout))
        return status_fail(STATUS_INTERNAL,
                           "a reference orbit that ends at %g, for a bailout radius of %g", size,
                           spec->bailout);
    return STATUS_OK;
}

static struct formula_reference reference_of(const struct orbit *orbit)
{
    bool cycle = orbit->end == ORBIT_CYCLE;
    return (struct formula_reference){.z = orbit->z,
                                      .tape = orbit->tape,
                                      .small = orbit->small,
                                      .small_count = orbit->small_count,
                                      .end = cycle ? orbit->length : orbit->length - 1,
                                      .period = cycle ? orbit->period : 0,
                                      .tape_width = orbit->tape_width,
                                      .phase = orbit->phase};
}

enum status formula_references_take(struct formula_reference *reference, int count,
                                    const struct orbit *orbit, const struct spec *spec)
{
    for (int i = 0; i < count; i++, orbit = orbit->critical) {
        if (!orbit)
            return status_fail(STATUS_INTERNAL, "%d reference orbits, where there are %d", i,
                               count);
        TRY(deep_orbit_check(orbit, spec));
        reference[i] = reference_of(orbit);
    }
    return STATUS_OK;
}

/* Where perturbation is of z - begins, pixels go on by plain steps from |z - begins| > R - begins
 * to |z| > R, and must not come back: |c z (1 - z)| > |z| beyond 1 + 1 / |c|. Where |c| < 1, 0
 * attracts the critical point, and no pixel of the parameter plane comes so far. */
static enum status far_check(const struct formula *formula, const struct orbit_point *c,
                             double bailout)
{
    double begins = formula_begins(formula), size = hypot(c->x, c->y);
    double least = 1 + 2 * begins + 1 / size;
    if (!(begins > 0) || bailout >= least || (formula->plane == PARAMETER_PLANE && size < 1))
        return STATUS_OK;
    if (!(least <= SPEC_BAILOUT_MAX))
        return status_fail(STATUS_CONFIG,
                           "|c| = %g: c is too small for perturbation of %s, whatever the bailout "
                           "radius",
                           size, formula_name(formula));
    return status_fail(STATUS_CONFIG,
                       "a bailout radius of %g is too small for perturbation of %s with |c| = %g: "
                       "orbits come back from beyond it; use --bailout %.0f or more",
                       bailout, formula_name(formula), size, ceil(least));
}

enum status formula_references_fill(struct formula_common *common, const struct orbit *orbit,
                                    const struct spec *spec)
{
    TRY(far_check(&spec->formula, &orbit->c, spec->bailout));
    common->program = program_of(&spec->formula);
    program_constants_of(&spec->formula, spec->bailout, orbit->c.x, orbit->c.y, common->constants);
    common->begins = formula_begins(&spec->formula);
    common->far = spec->bailout * spec->bailout;
    common->dynamic = spec->formula.plane == DYNAMIC_PLANE;
    common->critical = common->dynamic;
    common->references = common->critical + common->program.phases;
    common->shared.direct.centre = (struct complex_f64){orbit->c.x, orbit->c.y};
    return formula_references_take(common->reference, common->references, orbit, spec);
}

/* A block of a list that multiplies by c leaves out that |dc| / |c| of each of its steps, so it has
 * so many at most. */
static double steps_most(const struct formula_common *common, const struct block_limits *limits)
{
    struct complex_f64 c = common->shared.direct.centre;
    bool multiplies = false;
    for (int i = 0; i < common->program.phase[0].operations; i++)
        multiplies |= common->program.phase[0].operation[i] == OPERATION_TIMES_C;
    if (!multiplies || common->dynamic)
        return INFINITY;
    return limits->epsilon * hypot(c.x, c.y) / ldexp(limits->v_max, limits->unit);
}

/* Blocks of formulas that are no similarity are linear and hold less long: with 4 steps at least
 * instead of 8 pixels take 7 to 22 % fewer steps. */
enum { FORMULA_MIXED_SHORTEST = 2 };

int formula_shortest_blocks(const struct program *program, int of_similar)
{
    return program->similar || of_similar < FORMULA_MIXED_SHORTEST ? of_similar
                                                                   : FORMULA_MIXED_SHORTEST;
}

struct formula_source formula_source_of(const struct formula_common *common,
                                        const struct table_source *shared, int reference)
{
    struct formula_source source = {.table = *shared,
                                    .common = common,
                                    .reference = (int32_t)reference,
                                    .steps_most = steps_most(common, &shared->limits)};
    source.table.end = common->reference[reference].end - 1;
    source.table.shortest = formula_shortest_blocks(&common->program, shared->shortest);
    if (source.table.end < 0)
        source.table.end = 0;
    source.table.bytes_max = shared->bytes_max / (size_t)common->references;
    return source;
}

/* |z|^2 of a pixel at which the shortest block behind a beginning holds: size |z|^degree is delta
 * there. */
static double beginning_norm(const struct formula_common *common, int reference)
{
    const struct block_table *table = &common->table[reference];
    const struct program_list list = formula_list(common, common->reference[reference].phase);
    double delta = table->levels ? wide_key_over(table->radius[0][0], 0) : 0;
    return pow(delta / list.constants->size, 2.0 / list.phase->degree);
}

struct direct_limits formula_direct_limits(const struct formula_common *common, double epsilon,
                                           bool late)
{
    double roundings = late ? DIRECT_ROUNDINGS_F32 * 0x1p-24 : DIRECT_ROUNDINGS * 0x1p-53;
    double theta = roundings / epsilon, least = 0;
    for (int i = common->critical; i < common->references; i++)
        least = fmax(least, beginning_norm(common, i));
    return (struct direct_limits){.centre = common->shared.direct.centre,
                                  .bailout_squared = common->shared.bailout_squared,
                                  .norm_least = least,
                                  .slope_least = theta * theta};
}

static_assert(sizeof(struct formula_block) == sizeof(struct quadratic_block) &&
                  sizeof(struct formula_block_f32) == sizeof(struct quadratic_block_f32),
              "tables have room for one kind of records");

struct formula_common_f32 formula_late_common(const struct formula_common *common)
{
    struct formula_common_f32 late = {.shared = late_common(&common->shared),
                                      .program = common->program,
                                      .references = common->references,
                                      .critical = common->critical,
                                      .dynamic = common->dynamic,
                                      .begins = (float)common->begins,
                                      .far = (float)common->far};
    memcpy(late.table, common->table, sizeof late.table);
    memcpy(late.constants, common->constants, sizeof late.constants);
    for (int i = 0; i < common->references; i++) {
        const struct formula_reference *reference = &common->reference[i];
        late.reference[i] = (struct formula_reference_f32){.small = reference->small,
                                                           .points = reference->z,
                                                           .values = reference->tape,
                                                           .small_count = reference->small_count,
                                                           .end = reference->end,
                                                           .period = reference->period,
                                                           .tape_width = reference->tape_width,
                                                           .phase = reference->phase};
    }
    return late;
}

size_t formula_orbit_points(const struct orbit *orbit)
{
    return (size_t)orbit->length;
}

size_t formula_orbit_values(const struct orbit *orbit)
{
    const int64_t steps = orbit->length - (orbit->end != ORBIT_CYCLE);
    return (size_t)steps * (size_t)orbit->tape_width;
}
