/* The building of the blocks of Newton's method, as formula_fill.h. */
#ifndef KERNELS_DEEP_NEWTON_FILL_H
#define KERNELS_DEEP_NEWTON_FILL_H

#include "kernels/deep/formula_fill.h"
#include "kernels/deep/newton_pixel.h"

struct newton_source {
    struct table_source table; /* its fill takes it for all of this */
    const struct newton_common *common;
};

/* Within this part of |Z| what a step leaves out beyond the fourth power, sum of a_j delta^j with
 * a_j = binomial(-k, j) Z^(-k - j) / n from j = 5 on, is below twice its first term. */
#define NEWTON_REACH 0.0625

/* |binomial(-k, j)| = binomial(k + j - 1, j) */
DEEP_FN double newton_binomial(int k, int j)
{
    double binomial = 1;
    for (int i = 0; i < j; i++)
        binomial = binomial * (k + i) / (i + 1);
    return binomial;
}

/* How far a block's delta may reach at Z_m, over 2^e of Z: a part of |Z|; the fifth power is
 * epsilon of the first, a; and no orbit is over: w(z) = f(z) - z changes by less than
 * (1 + k |z|^-n) / n, with |z|^-n <= 1.5 |Z|^-n. */
DEEP_FN double newton_leaf_reach(const struct newton_source *source, struct complex_wide z,
                                 double a, int64_t m)
{
    const struct newton_common *common = source->common;
    int n = common->rule.degree, k = n - 1;
    double size = complex_abs(z.x), part = NEWTON_REACH, power = leaf_power(size, n);
    double first = a * power * wide_power(z.e > 0 ? z.e * n : 0); /* |a_1 Z| |Z|^k */
    double fifth = newton_binomial(k, 5) * common->rule.of_power;
    double most = sqrt(sqrt(source->table.limits.epsilon * first / (2 * fifth)));
    part = most < part ? most : part;
    if (!newton_is_plain(z))
        return part * size;
    struct complex_f64 from = newton_point(common, m).z;
    struct complex_f64 to = newton_point(common, newton_next(common, m)).z;
    double moves = complex_abs(complex_add(to, -1, from)) * (1 - 0x1p-40);
    double lipschitz = (1 + 1.5 * k / (power * wide_power(z.e * n))) / n;
    double room = (moves - (1 + 0x1p-20) / common->shared.bailout) / lipschitz * wide_power(-z.e);
    return room < part * size ? room : part * size;
}

/* One step from Z_m: over 2^out of the larger of Z and Z^-k. */
DEEP_FN struct formula_leaf newton_leaf(const struct newton_source *source, int64_t m)
{
    const struct newton_rule *rule = &source->common->rule;
    struct formula_leaf leaf = {
        {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0}, WIDE_KEY_NONE};
    struct complex_wide z = newton_point(source->common, m).wide;
    int n = rule->degree, k = n - 1;
    if (z.e == WIDE_ZERO)
        return leaf;
    int32_t pole = -z.e * n < 0 ? -z.e * n : 0, far = z.e * n < 0 ? z.e * n : 0;
    struct complex_f64 p = complex_inverse(z.x), power = complex_power(p, n);
    struct complex_f64 of_pole = complex_scale(wide_power(pole), power);
    struct complex_f64 a = complex_scale(-rule->of_z, of_pole);
    a.x = fma(rule->of_z, wide_power(far), a.x);
    of_pole = complex_mul(of_pole, p);
    leaf.block.a = a;
    leaf.block.d = complex_scale(newton_binomial(k, 2) * rule->of_power, of_pole);
    of_pole = complex_mul(of_pole, p);
    leaf.block.g = complex_scale(-newton_binomial(k, 3) * rule->of_power, of_pole);
    of_pole = complex_mul(of_pole, p);
    leaf.block.h = complex_scale(newton_binomial(k, 4) * rule->of_power, of_pole);
    leaf.block.in = z.e;
    leaf.block.out = z.e >= 0 ? z.e : -k * z.e;
    leaf.block.of_c = leaf.block.out;
    double most = newton_leaf_reach(source, z, complex_abs(a), m);
    if (most > 0)
        leaf.radius = wide_key(most * (1 - 64 * source->table.limits.epsilon - 0x1p-40), z.e);
    return leaf;
}

/* 2^levels steps from Z_m on, as formula_shortest. */
DEEP_FN struct formula_leaf newton_shortest(const struct newton_source *source, int64_t m,
                                            int levels)
{
    struct formula_leaf waiting[TABLE_SHORTEST_MOST + 1];
    for (int64_t i = 0; i < (int64_t)1 << levels; i++) {
        formula_count_in(waiting, i, newton_leaf(source, m + i), &source->table.limits);
    }
    return waiting[levels];
}

DEEP_FN int newton_fill(const struct block_table *table, const struct table_source *table_source,
                        int level, int64_t from, int64_t to)
{
    const struct newton_source *source = (const struct newton_source *)table_source;
    struct formula_block *record = (struct formula_block *)table->record[level];
    int32_t *radius = (int32_t *)table->radius[level];
    int any = 0;
    for (int64_t i = from; i < to; i++) {
        struct formula_leaf block =
            level ? formula_above(table, level, i, &source->table.limits)
                  : newton_shortest(source, i << table->shortest, table->shortest);
        record[i] = formula_fit(&block.block, block.block.in);
        radius[i] = block.radius;
        any |= block.radius != WIDE_KEY_NONE;
    }
    return any;
}

#endif
