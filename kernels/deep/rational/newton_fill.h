/* The building of the blocks of Newton's method, of Nova and of magnets, as formula_fill.h. */
#ifndef KERNELS_DEEP_RATIONAL_NEWTON_FILL_H
#define KERNELS_DEEP_RATIONAL_NEWTON_FILL_H

#include "kernels/deep/formula_fill.h"
#include "kernels/deep/rational/newton_kinds.h"

struct newton_source {
    struct table_source table; /* `fill` casts it to this struct */
    const struct newton_common *common;
    int32_t reference;
    double steps_most; /* most steps of a block */
};

/* Within this fraction of |Z| what a step leaves out beyond the fourth power, sum of a_j delta^j
 * with a_j = binomial(-k, j) Z^(-k - j) / n from j = 5 on, is below twice its first term. */
#define NEWTON_REACH 0.0625

/* |binomial(-k, j)| = binomial(k + j - 1, j) */
DEEP_FN double newton_binomial(int k, int j)
{
    double binomial = 1;
    for (int i = 0; i < j; i++)
        binomial = binomial * (k + i) / (i + 1);
    return binomial;
}

/* Largest |delta| of a block at Z_m, over 2^e of Z: a fraction of |Z|; the fifth power is
 * epsilon of the first, a; and no orbit is over: w(z) = f(z) - z changes by less than
 * (1 + k |z|^-n) / n, with |z|^-n <= 1.5 |Z|^-n. */
DEEP_FN double newton_leaf_reach(const struct newton_source *source, struct complex_wide z,
                                 double a, int64_t m)
{
    const struct newton_common *common = source->common;
    const struct formula_reference *reference = &common->reference[source->reference];
    int n = common->rule.degree, k = n - 1;
    double size = complex_abs(z.x), ratio = NEWTON_REACH, power = leaf_power(size, n);
    double first = a * power * wide_power(z.e > 0 ? z.e * n : 0); /* |a_1 Z| |Z|^k */
    double fifth = newton_binomial(k, 5) * common->rule.of_power;
    double most = sqrt(sqrt(source->table.limits.epsilon * first / (2 * fifth)));
    ratio = most < ratio ? most : ratio;
    if (!newton_is_plain(z))
        return ratio * size;
    struct complex_f64 from = newton_point(reference, m).z;
    struct complex_f64 to = newton_point(reference, reference_wrap(reference, m + 1)).z;
    double moves = complex_abs(complex_add(to, -1, from)) * (1 - 0x1p-40);
    double lipschitz = (1 + 1.5 * k / (power * wide_power(z.e * n))) / n;
    double room = (moves - (1 + 0x1p-20) / common->shared.bailout) / lipschitz * wide_power(-z.e);
    return room < ratio * size ? room : ratio * size;
}

/* One step from Z_m, over 2^out of the larger of Z and Z^-k. */
DEEP_FN struct formula_leaf newton_leaf(const struct newton_source *source, int64_t m)
{
    const struct newton_rule *rule = &source->common->rule;
    struct formula_leaf leaf = {
        {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0}, WIDE_KEY_NONE};
    struct complex_wide z = newton_point(&source->common->reference[source->reference], m).wide;
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

/* ---- Nova ---- */

/* Bounds near Z, where |z|^-n is below 1.5 |Z|^-n: |f'| is below `stretch`, and w(z) = f(z) - z
 * changes by less than `moves` times as much as z. */
struct nova_bounds {
    double stretch, moves;
};

DEEP_FN struct nova_bounds nova_bounds(const struct newton_rule *rule, struct complex_wide z)
{
    struct nova_bounds bounds;
    double power = leaf_power(complex_abs(z.x), rule->degree) * wide_power(z.e * rule->degree);
    double rest = 1.5 * (rule->degree - 1) / power;
    bounds.stretch = rule->of_z + rest * rule->of_power;
    bounds.moves = (1 + rest) * rule->of_power;
    return bounds;
}

/* Largest distance of z to Z_m at which no orbit is over after a step from there. */
DEEP_FN double nova_rest_room(const struct newton_source *source, int64_t m)
{
    const struct newton_common *common = source->common;
    const struct formula_reference *reference = &common->reference[source->reference];
    const struct block_limits *limits = &source->table.limits;
    struct newton_point from = newton_point(reference, m);
    struct newton_point to = newton_point(reference, reference_wrap(reference, m + 1));
    double moves = complex_abs(complex_add(to.z, -1, from.z)) * (1 - 0x1p-40);
    double c = limits->v_max * BLOCK_SLACK * wide_power(limits->unit);
    double room = (moves - c - (1 + 0x1p-20) / common->shared.bailout) /
                  nova_bounds(&common->rule, from.wide).moves;
    double most = NEWTON_REACH * complex_abs(from.wide.x) * wide_power(from.wide.e);
    return room < most ? room : most;
}

/* Largest |delta| of a block at Z_m, but for the root next to it, of doubles; a: f'(Z_m). As
 * newton_leaf_reach, and no orbit is over in the next step either: a pixel that is over in a single
 * step needs the length of the step before it. */
DEEP_FN double nova_leaf_reach(const struct newton_source *source, struct complex_wide z,
                               struct complex_wide a, int64_t m)
{
    const struct newton_common *common = source->common;
    const struct formula_reference *reference = &common->reference[source->reference];
    const struct newton_rule *rule = &common->rule;
    int64_t next = reference_wrap(reference, m + 1);
    double size = complex_abs(z.x) * wide_power(z.e), most = NEWTON_REACH * size;
    if (next == reference->end || !newton_is_plain(newton_point(reference, next).wide) ||
        !newton_is_plain(newton_point(reference, reference_wrap(reference, next + 1)).wide))
        return 0;
    double fifth = newton_binomial(rule->degree - 1, 5) * rule->of_power;
    double first = complex_abs(a.x) * wide_power(a.e) * leaf_power(size, rule->degree);
    double by_order = size * sqrt(sqrt(source->table.limits.epsilon * first / (2 * fifth)));
    if (a.e > -60 && by_order < most) /* else half of the way to the root is less */
        most = by_order;
    double room = nova_rest_room(source, m);
    most = room < most ? room : most;
    room = nova_rest_room(source, next) / nova_bounds(rule, z).stretch;
    return room < most ? room : most;
}

/* f'(Z), from V = Z - rho. */
DEEP_FN struct complex_wide nova_leaf_slope(const struct newton_common *common,
                                            struct complex_wide z, struct complex_wide off)
{
    struct complex_f64 plain = newton_double(z), q = complex_inverse(plain);
    struct complex_wide slope =
        nova_slope(&common->rule, nova_times(off, q), complex_mul(nova_root(common, plain), q));
    return wide_settle(slope.x, slope.e);
}

/* One step from Z_m, of doubles: over powers of the distance to the root, half of which is the most
 * that a pixel may be off without rebasing. */
DEEP_FN struct formula_leaf nova_leaf_plain(const struct newton_source *source, int64_t m)
{
    const struct newton_common *common = source->common;
    const struct newton_rule *rule = &common->rule;
    const struct formula_reference *reference = &common->reference[source->reference];
    struct formula_leaf leaf = {
        {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0}, WIDE_KEY_NONE};
    struct complex_wide z = newton_point(reference, m).wide, off = nova_off(reference, m);
    if (off.e == WIDE_ZERO)
        return leaf;
    struct complex_wide a = nova_leaf_slope(common, z, off);
    struct complex_f64 p = complex_inverse(newton_double(z));
    struct complex_f64 power = complex_power(p, rule->degree + 1);
    int k = rule->degree - 1;
    leaf.block.in = off.e;
    leaf.block.out = 2 * off.e;
    leaf.block.a = complex_scale(wide_power(a.e - off.e), a.x);
    leaf.block.d = complex_scale(newton_binomial(k, 2) * rule->of_power, power);
    power = complex_mul(power, p);
    leaf.block.g =
        complex_scale(-newton_binomial(k, 3) * rule->of_power * wide_power(off.e), power);
    power = complex_mul(power, p);
    leaf.block.h =
        complex_scale(newton_binomial(k, 4) * rule->of_power * wide_power(2 * off.e), power);
    leaf.block.b.x = !common->dynamic;
    leaf.block.of_c = source->table.limits.unit - leaf.block.out;
    double less = 1 - 64 * source->table.limits.epsilon - 0x1p-40;
    double most = nova_leaf_reach(source, z, a, m);
    int32_t of_root = wide_key(complex_abs(off.x) / 2 * less, off.e);
    if (most > 0) {
        leaf.radius = wide_key(most * less, 0);
        leaf.radius = of_root < leaf.radius ? of_root : leaf.radius;
    }
    return leaf;
}

/* One step from Z_m; where doubles do not hold Z_m, far from all roots, c is nothing beside what z
 * is there, or becomes. */
DEEP_FN struct formula_leaf nova_leaf(const struct newton_source *source, int64_t m)
{
    const struct newton_common *common = source->common;
    const struct formula_reference *reference = &common->reference[source->reference];
    if (newton_point(reference, m).plain)
        return nova_leaf_plain(source, m);
    struct formula_leaf leaf = newton_leaf(source, m);
    leaf.block.b.x = !common->dynamic;
    leaf.block.of_c = source->table.limits.unit - leaf.block.out;
    return leaf;
}

/* ---- magnets ---- */

enum { MAGNET_ORDERS = 6 };

/* A step at Z_m, as doubles hold it: delta' = sum of f_j delta^j + f_c dc, j up to 4, and of g;
 * from j = 4 on f and g are bounds. */
struct magnet_series {
    struct complex_f64 t, b, g, s;
    struct complex_f64 of_g[4], of_f[MAGNET_ORDERS - 1]; /* [j] */
    struct complex_f64 g_c, f_c;
    double apart; /* |delta| up to which S' is next to S */
    double cross; /* relative change of f_1 and f_c by dc, over |dc| */
    double fifth; /* |f_5|, or a bound of it */
};

/* Coefficients of S' by delta: s_1 / S and s_2 / S. */
struct magnet_moves {
    struct complex_f64 first, second;
};

DEEP_FN struct complex_f64 magnet_next_order(const struct magnet_moves *moves,
                                             struct complex_f64 last, struct complex_f64 before)
{
    return complex_scale(-1, complex_fma(moves->first, last, complex_mul(moves->second, before)));
}

/* Fills all but T, B, G and S, which are set. */
DEEP_FN void magnet_series_fill(struct magnet_series *at, int k)
{
    const struct complex_f64 none = {0, 0}, one = {1, 0};
    struct complex_f64 over = complex_inverse(at->s), p = complex_mul(at->t, at->b);
    struct complex_f64 q = complex_add(at->t, 1, at->b),
                       sum = k == 2 ? one : complex_add(q, 1, at->b);
    struct complex_f64 square = complex_mul(over, over), *g = at->of_g, *f = at->of_f;
    struct magnet_moves moves = {complex_scale(2, over), none};
    if (k == 3) {
        moves.first = complex_scale(3, complex_mul(q, over));
        moves.second = complex_scale(3, over);
    }
    struct complex_f64 first = k == 2 ? complex_scale(2, p) : complex_scale(3, complex_mul(p, p));
    g[0] = none;
    g[1] = complex_mul(first, square);
    g[2] = complex_add(k == 2 ? over : complex_scale(3, complex_mul(complex_mul(p, q), square)), 1,
                       magnet_next_order(&moves, g[1], none));
    g[3] = complex_add(k == 2 ? none : over, 1, magnet_next_order(&moves, g[2], g[1]));
    struct complex_f64 twice = complex_scale(2, at->g),
                       fourth = magnet_next_order(&moves, g[3], g[2]);
    f[1] = complex_mul(twice, g[1]);
    f[2] = complex_fma(twice, g[2], complex_mul(g[1], g[1]));
    f[3] = complex_fma(twice, g[3], complex_scale(2, complex_mul(g[1], g[2])));
    f[4] = complex_fma(twice, fourth, complex_scale(2, complex_mul(g[1], g[3])));
    f[4] = complex_fma(g[2], g[2], f[4]);
    double size[4] = {0, complex_abs(g[1]), complex_abs(g[2]), complex_abs(g[3])};
    double moved = complex_abs(moves.first), bent = complex_abs(moves.second);
    double g4 = moved * size[3] + bent * size[2], g5 = moved * g4 + bent * size[3];
    at->fifth = 2 * (complex_abs(at->g) * g5 + size[1] * g4 + size[2] * size[3]);
    at->apart = 1 / (moved + sqrt(bent));
    at->g_c = complex_scale(-1, complex_mul(complex_mul(magnet_power(k, at->t), sum), square));
    at->f_c = complex_mul(twice, at->g_c);
    double of_c = complex_abs(at->g_c);
    at->cross = 2 * complex_abs(complex_mul(sum, over)) + moved * of_c / size[1] +
                of_c / complex_abs(at->g) + (k == 3 ? 2 / complex_abs(sum) : 0);
}

/* Largest |delta| of a block, with dc up to c, at which S' is next to S; the fifth power is epsilon
 * of the first; no pixel rebases, |delta| <= |B| / 2 and |g - G| <= |G| / 2; and none is
 * over behind the step, or has lost its t beside T' = next. */
DEEP_FN double magnet_leaf_reach(const struct magnet_series *at, const struct newton_common *common,
                                 const struct block_limits *limits, struct complex_f64 next,
                                 double c)
{
    const double ratio = 1 / 16.0, slack = 1 + 0x1p-20;
    struct complex_f64 z = next;
    z.x += 1;
    double to = complex_abs(next), g = complex_abs(at->g);
    double room = to - slack / common->shared.bailout;
    double far = common->shared.bailout / slack - complex_abs(z);
    room = far < room ? far : room;
    room = to / 2 < room ? to / 2 : room;
    double most = room / (2.5 * g); /* most |g - G|: delta' is that times g + G */
    most = g / 2 < most ? g / 2 : most;
    most = ((most < 1 ? most : 1) - 1.1 * complex_abs(at->g_c) * c) / (3 * 1.25);
    if (!(most > 0))
        return 0;
    double reach = ratio * at->apart;
    double of_b = complex_abs(at->b) / 2, of_t = ratio * complex_abs(at->t);
    reach = of_b < reach ? of_b : reach;
    reach = of_t < reach ? of_t : reach;
    double of_g = most / complex_abs(at->of_g[1]);
    reach = of_g < reach ? of_g : reach;
    of_g = sqrt(most / complex_abs(at->of_g[2]));
    reach = of_g < reach ? of_g : reach;
    of_g = most / (complex_abs(at->of_g[3]) * reach * reach);
    reach = of_g < reach ? of_g : reach;
    double power = sqrt(sqrt(limits->epsilon * complex_abs(at->of_f[1]) / (4 * at->fifth)));
    return power < reach ? power : reach;
}

/* One step from Z_m, without the terms in delta dc and dc^2. A block leaves out some of each of its
 * steps: source->steps_most. */
DEEP_FN struct formula_leaf magnet_leaf(const struct newton_source *source, int64_t m)
{
    const struct newton_common *common = source->common;
    const struct formula_reference *reference = &common->reference[source->reference];
    const struct block_limits *limits = &source->table.limits;
    struct formula_leaf leaf = {
        {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0}, WIDE_KEY_NONE};
    if (m + 1 == reference->end && !reference->period)
        return leaf;
    struct magnet_series at;
    struct complex_f64 next = point_load(&reference->z[reference_wrap(reference, m + 1)]);
    at.t = point_load(&reference->z[m]);
    at.b = magnet_taped(reference, m, MAGNET_B);
    at.g = magnet_taped(reference, m, MAGNET_G);
    if (!magnet_holds(at.b, at.g))
        return leaf;
    at.s = magnet_reference_sum(common->rule.degree, at.t, at.b, at.g);
    if (!newton_holds(at.s))
        return leaf;
    magnet_series_fill(&at, common->rule.degree);
    double c = common->dynamic ? 0 : limits->v_max * BLOCK_SLACK * wide_power(limits->unit);
    double reach = magnet_leaf_reach(&at, common, limits, next, c);
    if (!(reach > 0) ||
        (!common->dynamic && !(at.cross * c * source->steps_most <= limits->epsilon)))
        return leaf;
    reach *= 1 - 64 * limits->epsilon - 0x1p-40;
    leaf.radius = wide_key(reach, 0);
    leaf.block.in = leaf.block.out = wide_exponent(reach);
    double scale = wide_power(leaf.block.in);
    leaf.block.a = at.of_f[1];
    leaf.block.d = complex_scale(scale, at.of_f[2]);
    leaf.block.g = complex_scale(scale * scale, at.of_f[3]);
    leaf.block.h = complex_scale(scale * scale * scale, at.of_f[4]);
    if (!common->dynamic)
        leaf.block.b = at.f_c;
    leaf.block.of_c = limits->unit - leaf.block.out;
    return leaf;
}

/* ---- all kinds ---- */

DEEP_FN struct formula_leaf newton_kind_leaf(const struct newton_source *source, int64_t m)
{
    switch (source->common->kind) {
    case KIND_NOVA:
        return nova_leaf(source, m);
    case KIND_MAGNET:
        return magnet_leaf(source, m);
    default:
        return newton_leaf(source, m);
    }
}

/* Block of 2^levels steps from Z_m on, as formula_shortest. */
DEEP_FN struct formula_leaf newton_shortest(const struct newton_source *source, int64_t m,
                                            int levels)
{
    struct formula_leaf waiting[TABLE_SHORTEST_MOST + 1];
    for (int64_t i = 0; i < (int64_t)1 << levels; i++) {
        struct formula_leaf leaf = newton_kind_leaf(source, m + i);
        if (TABLE_STOPPED(&source->table))
            return leaf;
        formula_count_in(waiting, i, leaf, &source->table.limits);
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
                  : newton_shortest(source, source->common->first + (i << table->shortest),
                                    table->shortest);
        record[i] = formula_fit(&block.block, block.block.in);
        radius[i] = (double)((int64_t)1 << (table->shortest + level)) > source->steps_most
                        ? WIDE_KEY_NONE
                        : block.radius;
        any |= radius[i] != WIDE_KEY_NONE;
    }
    return any;
}

#endif
