#include "kernels/deep/deep_newton.h"

#include <math.h>

enum { APART_MOST = -6 }; /* log2 of theta: further off blocks hold no longer, whatever epsilon */

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
    int32_t apart = (int32_t)ceil(log2(DIRECT_ROUNDINGS * 0x1p-53 / epsilon));
    bool nova = formula_has_c(formula), dynamic = formula->plane == DYNAMIC_PLANE;
    *common = (struct newton_common){.shared = *shared,
                                     .rule = rule_of(rational_newton(formula)),
                                     .ends = rational_kind(formula)->rule,
                                     .references = orbit_count(formula),
                                     .critical = nova && dynamic,
                                     .apart = apart < APART_MOST ? apart : APART_MOST,
                                     .nova = nova,
                                     .dynamic = dynamic,
                                     .first = nova,
                                     .centre = {orbit->c.x, orbit->c.y}};
    for (int i = 0; i < common->references; i++, orbit = orbit->critical) {
        if (!orbit)
            return status_fail(STATUS_INTERNAL, "%d reference orbits, where there are %d", i,
                               common->references);
        TRY(deep_orbit_check(orbit, spec));
        common->reference[i] = formula_reference_of(orbit);
    }
    return STATUS_OK;
}

struct newton_source newton_source_of(const struct newton_common *common,
                                      const struct table_source *shared, int reference)
{
    struct newton_source source = {
        .table = *shared, .common = common, .reference = (int32_t)reference};
    source.table.end = common->reference[reference].end - common->first;
    if (source.table.end < 0)
        source.table.end = 0;
    source.table.bytes_max = shared->bytes_max / (size_t)common->references;
    return source;
}
