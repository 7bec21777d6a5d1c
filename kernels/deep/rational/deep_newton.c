#include "kernels/deep/rational/deep_newton.h"

#include <math.h>

enum {
    THETA_MOST = -6,    /* log2 of theta: beyond it blocks hold no longer, whatever epsilon */
    MAGNET_LONGEST = 40 /* log2 of the steps of a block of magnets: more than limits have */
};

static struct newton_rule rule_of(int n)
{
    struct newton_rule rule = {.degree = n,
                               .of_z = (double)(n - 1) / n,
                               .of_power = 1.0 / n,
                               .far_steps = 1 / log2((double)n / (n - 1))};
    for (int k = 0; k < n; k++)
        rational_root(n, k, rule.root[k]);
    return rule;
}

enum status newton_common_fill(struct newton_common *common, const struct pixel_common *shared,
                               const struct orbit *orbit, const struct spec *spec, double epsilon)
{
    const struct formula *formula = &spec->formula;
    int32_t theta = (int32_t)ceil(log2(DIRECT_ROUNDINGS * 0x1p-53 / epsilon));
    bool dynamic = formula->plane == DYNAMIC_PLANE;
    int magnet = rational_magnet(formula);
    enum newton_kind kind = magnet ? KIND_MAGNET : formula_has_c(formula) ? KIND_NOVA : KIND_NEWTON;
    *common = (struct newton_common){.shared = *shared,
                                     .rule = magnet ? (struct newton_rule){.degree = magnet}
                                                    : rule_of(rational_newton(formula)),
                                     .ends = rational_kind(formula)->rule,
                                     .references = orbit_count(formula),
                                     .critical = kind != KIND_NEWTON && dynamic,
                                     .log2_theta = theta < THETA_MOST ? theta : THETA_MOST,
                                     .kind = kind,
                                     .dynamic = dynamic,
                                     .first = kind != KIND_NEWTON,
                                     .centre = {orbit->c.x, orbit->c.y}};
    return formula_references_take(common->reference, common->references, orbit, spec);
}

/* Most steps of a block. Steps of magnets leave out |dc| times a factor: half of the digits between
 * |dc| and epsilon are for the number of steps, half for that factor. */
static double steps_most(const struct newton_common *common, const struct block_limits *limits)
{
    double digits = log2(limits->epsilon) - log2(limits->v_max) - limits->unit;
    if (common->kind != KIND_MAGNET || common->dynamic)
        return INFINITY;
    return exp2(fmin(floor(fmax(digits, 0) / 2), MAGNET_LONGEST));
}

struct newton_source newton_source_of(const struct newton_common *common,
                                      const struct table_source *shared, int reference)
{
    struct newton_source source = {.table = *shared,
                                   .common = common,
                                   .reference = (int32_t)reference,
                                   .steps_most = steps_most(common, &shared->limits)};
    source.table.end = common->reference[reference].end - common->first;
    if (source.table.end < 0)
        source.table.end = 0;
    source.table.bytes_max = shared->bytes_max / (size_t)common->references;
    return source;
}
