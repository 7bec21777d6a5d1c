/* The building of blocks from the steps of a reference, and from each other.
 *
 * A header, to be compiled for each instruction set (without the instruction, fma() is a call)
 * and for GPUs: in the common subset of C17 and CUDA C++17. Where LANES is defined, behind
 * quadratic_lanes.h and with its macros, it also builds LANES neighbours at a time, to the bit as
 * one by one: the same products and sums, and the same halvings of each lane's radius. */
#ifndef KERNELS_DEEP_TABLE_FILL_H
#define KERNELS_DEEP_TABLE_FILL_H

#include "kernels/deep/table.h"

struct built { /* a block on its way into the table */
    struct quadratic_block block;
    int32_t radius; /* a key */
};

DEEP_FN struct built leaf_build(const struct table_source *source, int64_t m)
{
    struct complex_wide z = wide_point(source->z, source->tiny, source->tiny_count, m);
    struct built leaf;
    if (m == 0) {
        leaf.radius = block_first_radius(&source->limits);
        leaf.block = block_first(&source->limits);
        return leaf;
    }
    leaf.radius = block_leaf_radius(z, &source->limits);
    leaf.block = block_leaf(z, &source->limits);
    return leaf;
}

DEEP_FN struct built built_join(const struct table_source *source, const struct built *x,
                                const struct built *y)
{
    struct built xy;
    xy.radius = block_join(&x->block, x->radius, &y->block, y->radius, &source->limits, &xy.block);
    return xy;
}

/* Block of 2^levels steps from m on. Two of a kind are merged as soon as there are two, like the
 * ones of a binary counter, so that one block of every length is all that is kept. */
DEEP_FN struct built shortest_build(const struct table_source *source, int64_t m, int levels)
{
    struct built waiting[TABLE_SHORTEST_MOST + 1];
    for (int64_t i = 0; i < (int64_t)1 << levels; i++) {
        struct built block = leaf_build(source, m + i);
        int level = 0;
        if (TABLE_STOPPED(source))
            return block;
        for (; i >> level & 1; level++)
            block = built_join(source, &waiting[level], &block);
        waiting[level] = block;
    }
    return waiting[levels];
}

/* Makes the record of floats from that of doubles. */
DEEP_FN void narrow_fill(const struct block_table *table, const struct table_source *source,
                         int level, int64_t i)
{
    if (source->narrow)
        ((struct quadratic_block_f32 *)table->record_f32[level])[i] =
            block_narrow(&table->record[level][i]);
}

DEEP_FN int table_fill(const struct block_table *table, const struct table_source *source,
                       int level, int64_t from, int64_t to)
{
    struct quadratic_block *record = (struct quadratic_block *)table->record[level];
    int32_t *radius = (int32_t *)table->radius[level];
    int any = 0;
    for (int64_t i = from; i < to; i++) {
        struct built block;
        if (level == 0)
            block = shortest_build(source, i << table->shortest, table->shortest);
        else {
            const struct quadratic_block *below = table->record[level - 1] + 2 * i;
            const int32_t *radii = table->radius[level - 1] + 2 * i;
            struct built x = {below[0], radii[0]}, y = {below[1], radii[1]};
            block = built_join(source, &x, &y);
        }
        record[i] = block_bake(&block.block, source->wide);
        narrow_fill(table, source, level, i);
        radius[i] = block.radius;
        any |= block.radius != WIDE_KEY_NONE;
    }
    return any;
}

#ifdef LANES
/* ---- LANES neighbours ----
 * Exponents are whole doubles here. What is rare, a block of no radius or a point of the reference
 * below the doubles (`odd`), is built by itself. */

struct lane_built { /* LANES times struct built */
    struct lane_complex a, b, d, e, f, g, h;
    PACK in, out, of_c;
    PACK radius, radius_e; /* radius 2^radius_e, radius in [1, 2), as a key has it */
    uint32_t none;         /* lanes of no radius */
};

/* ---- single lanes ---- */

DEEP_FN struct complex_f64 lane_get(const struct lane_complex *of, int l)
{
    const struct complex_f64 number = {((const double *)&of->x)[l], ((const double *)&of->y)[l]};
    return number;
}

DEEP_FN void lane_put(struct lane_complex *of, int l, struct complex_f64 number)
{
    ((double *)&of->x)[l] = number.x;
    ((double *)&of->y)[l] = number.y;
}

static struct built lane_built_get(const struct lane_built *of, int l)
{
    struct built built = {.block = {.a = lane_get(&of->a, l),
                                    .b = lane_get(&of->b, l),
                                    .d = lane_get(&of->d, l),
                                    .e = lane_get(&of->e, l),
                                    .f = lane_get(&of->f, l),
                                    .g = lane_get(&of->g, l),
                                    .h = lane_get(&of->h, l),
                                    .in = (int32_t)((const double *)&of->in)[l],
                                    .out = (int32_t)((const double *)&of->out)[l],
                                    .of_c = (int32_t)((const double *)&of->of_c)[l]},
                          .radius = WIDE_KEY_NONE};
    if (!(of->none >> l & 1))
        built.radius =
            wide_key(((const double *)&of->radius)[l], (int32_t)((const double *)&of->radius_e)[l]);
    return built;
}

static void lane_built_put(struct lane_built *of, int l, const struct built *built)
{
    const struct quadratic_block *block = &built->block;
    const int32_t e = wide_key_exponent(built->radius);
    const int none = built->radius == WIDE_KEY_NONE;
    lane_put(&of->a, l, block->a);
    lane_put(&of->b, l, block->b);
    lane_put(&of->d, l, block->d);
    lane_put(&of->e, l, block->e);
    lane_put(&of->f, l, block->f);
    lane_put(&of->g, l, block->g);
    lane_put(&of->h, l, block->h);
    ((double *)&of->in)[l] = block->in;
    ((double *)&of->out)[l] = block->out;
    ((double *)&of->of_c)[l] = block->of_c;
    ((double *)&of->radius)[l] = none ? 1 : wide_key_over(built->radius, e);
    ((double *)&of->radius_e)[l] = none ? 0 : e;
    of->none = (of->none & ~(1u << l)) | (uint32_t)none << l;
}

/* ---- exponents and sizes ---- */

/* As wide_exponent. */
DEEP_FN PACK lane_exponent(PACK positive)
{
    const uint32_t normal = P(le)(P(splat)(0x1p-1022), positive);
    return P(where)(normal, P(lead)(positive), P(splat)(WIDE_ZERO));
}

/* As block_larger. */
DEEP_FN PACK lane_larger(PACK lead, struct lane_complex coefficient, PACK e)
{
    return P(max)(P(add)(lane_exponent(lane_max(coefficient)), e), lead);
}

/* As complex_reach. */
DEEP_FN PACK lane_reach(struct lane_complex a)
{
    const PACK x = P(abs)(a.x), y = P(abs)(a.y);
    return P(fma)(P(splat)(0.41421356237309515), P(min)(y, x), P(max)(x, y));
}

/* As complex_abs. */
DEEP_FN PACK lane_abs(struct lane_complex a)
{
    const PACK x = P(abs)(a.x), y = P(abs)(a.y), large = P(max)(x, y), none = P(splat)(0);
    const PACK ratio = P(where)(P(le)(large, none), none, P(div)(P(min)(y, x), large));
    return P(mul)(large, P(sqrt)(P(fma)(ratio, ratio, P(splat)(1))));
}

/* As wide_key, of positive x: radius and radius_e. Returns lanes where it leaves the keys. */
DEEP_FN uint32_t lane_radius_set(struct lane_built *built, PACK x, PACK e)
{
    const PACK most = P(splat)(WIDE_MOST), lead = P(lead)(x);
    built->radius = P(mul)(P(truncate)(x), P(power)(P(neg)(lead)));
    built->radius_e = P(add)(lead, e);
    const uint32_t normal = P(le)(P(splat)(0x1p-1020), x) & P(le)(x, P(splat)(0x1p1020));
    return ~(P(le)(P(abs)(e), most) & normal) & LANES_BELOW(LANES);
}

/* As wide_key_over, of a key radius 2^radius_e. */
DEEP_FN PACK lane_radius_over(PACK radius, PACK radius_e, PACK e)
{
    return P(mul)(radius, P(power)(P(min)(P(sub)(radius_e, e), P(splat)(1022))));
}

/* ---- fitting and merging ---- */

/* As block_counted. */
DEEP_FN struct lane_complex lane_counted(struct lane_complex coefficient, PACK e)
{
    const PACK size = P(add)(lane_exponent(lane_max(coefficient)), e);
    const uint32_t counts = P(le)(P(splat)(BLOCK_NOTHING), size);
    return lane_scale(P(where)(counts, P(power)(e), P(splat)(0)), coefficient);
}

/* As block_fit; the radius stays. */
DEEP_FN struct lane_built lane_fit(const struct lane_built *block, PACK in)
{
    struct lane_built fit;
    const PACK zero = P(splat)(WIDE_ZERO), k = P(sub)(in, block->in);
    const PACK of_c = lane_larger(lane_larger(zero, block->b, P(splat)(0)), block->f, P(splat)(0));
    PACK lead = lane_larger(zero, block->a, k);
    lead = P(max)(P(add)(of_c, block->of_c), lead);
    lead = P(where)(P(le)(lead, P(splat)(WIDE_ZERO / 2)), P(splat)(0), lead);
    const PACK once = P(sub)(k, lead), twice = P(add)(once, k), thrice = P(add)(twice, k);
    fit.a = lane_counted(block->a, once);
    fit.b = lane_counted(block->b, P(neg)(of_c));
    fit.d = lane_counted(block->d, twice);
    fit.e = lane_counted(block->e, once);
    fit.f = lane_counted(block->f, P(neg)(of_c));
    fit.g = lane_counted(block->g, thrice);
    fit.h = lane_counted(block->h, P(add)(thrice, k));
    fit.in = in;
    fit.out = P(add)(block->out, lead);
    fit.of_c = P(sub)(P(add)(block->of_c, of_c), lead);
    fit.radius = block->radius;
    fit.radius_e = block->radius_e;
    fit.none = block->none;
    return fit;
}

/* As block_merge; without a radius. */
DEEP_FN void lane_merge(struct lane_built *xy, const struct lane_built *x,
                        const struct lane_built *y)
{
    const PACK two = P(splat)(2), three = P(splat)(3), of_c = P(max)(x->of_c, y->of_c);
    const PACK of_x = P(power)(P(sub)(x->of_c, of_c)), of_y = P(power)(P(sub)(y->of_c, of_c));
    const struct lane_complex xb = lane_scale(of_x, x->b), da = lane_mul(y->d, x->a);
    const struct lane_complex b = lane_scale(P(power)(x->of_c), x->b), db = lane_mul(y->d, b);
    xy->a = lane_mul(y->a, x->a);
    xy->b = lane_fma(y->a, xb, lane_scale(of_y, y->b));
    xy->d = lane_fma(y->a, x->d, lane_mul(da, x->a));
    xy->e = lane_fma(y->a, x->e, lane_fma(lane_scale(two, da), b, lane_mul(y->e, x->a)));
    xy->f = lane_fma(y->a, lane_scale(of_x, x->f),
                     lane_fma(db, xb, lane_fma(y->e, xb, lane_scale(of_y, y->f))));
    const struct lane_complex aa = lane_mul(x->a, x->a), gaa = lane_mul(y->g, aa);
    xy->g = lane_fma(y->a, x->g, lane_fma(lane_scale(two, da), x->d, lane_mul(gaa, x->a)));
    const struct lane_complex of_d = lane_fma(lane_scale(two, x->a), x->g, lane_mul(x->d, x->d));
    const struct lane_complex of_h = lane_mul(lane_mul(y->h, aa), aa);
    xy->h =
        lane_fma(y->a, x->h, lane_fma(y->d, of_d, lane_fma(lane_scale(three, gaa), x->d, of_h)));
    xy->in = x->in;
    xy->out = y->out;
    xy->of_c = of_c;
}

/* ---- the radius of a pair ---- */

struct lane_sizes { /* as struct block_sizes */
    PACK a, b, d, e, f, g, h;
};

DEEP_FN struct lane_sizes lane_sizes(const struct lane_built *block)
{
    const PACK of_c = P(power)(block->of_c);
    struct lane_sizes sizes;
    sizes.a = lane_reach(block->a);
    sizes.b = P(mul)(of_c, lane_reach(block->b));
    sizes.d = lane_reach(block->d);
    sizes.e = lane_reach(block->e);
    sizes.f = P(mul)(of_c, lane_reach(block->f));
    sizes.g = lane_reach(block->g);
    sizes.h = lane_reach(block->h);
    return sizes;
}

struct lane_pair { /* as struct block_pair */
    struct lane_sizes x, y;
    PACK a, b, y_reach;
};

/* As block_left_out. */
DEEP_FN PACK lane_left_out(const struct lane_sizes *x, const struct lane_sizes *y, PACK w, PACK v,
                           PACK *reach)
{
    const PACK two = P(splat)(2), three = P(splat)(3), four = P(splat)(4), six = P(splat)(6);
    const PACK l = P(mul)(x->a, w), m = P(mul)(x->b, v), p = P(mul)(P(mul)(x->d, w), w);
    const PACK q = P(mul)(P(add)(P(mul)(x->e, w), P(mul)(x->f, v)), v);
    const PACK t = P(mul)(P(mul)(P(mul)(P(add)(x->g, P(mul)(x->h, w)), w), w), w);
    const PACK pq = P(add)(p, q), pqt = P(add)(pq, t);
    *reach = P(add)(P(add)(P(add)(l, m), pq), t);
    const PACK r = P(add)(P(add)(m, pq), t);
    const PACK last = P(mul)(P(mul)(P(mul)(P(mul)(x->h, w), w), w), w);
    PACK second = P(add)(P(add)(P(mul)(l, q), P(mul)(m, pqt)), P(mul)(l, last));
    second = P(add)(P(mul)(two, second), P(mul)(q, P(add)(pq, p)));
    second = P(add)(second, P(mul)(P(add)(P(mul)(two, pq), t), t));
    const PACK inner = P(add)(P(mul)(l, P(add)(P(add)(m, q), t)), P(mul)(r, r));
    const PACK third = P(add)(P(mul)(P(mul)(three, l), inner), P(mul)(P(mul)(r, r), r));
    PACK fourth = P(add)(P(mul)(P(mul)(six, l), l), P(mul)(r, P(add)(P(mul)(four, l), r)));
    fourth = P(add)(P(mul)(P(mul)(P(mul)(four, l), l), l), P(mul)(r, fourth));
    fourth = P(mul)(r, fourth);
    PACK sum = P(add)(P(mul)(y->d, second), P(mul)(P(mul)(y->e, v), pqt));
    sum = P(add)(sum, P(mul)(y->g, third));
    return P(add)(sum, P(mul)(y->h, fourth));
}

/* As block_holds; returns lanes. */
DEEP_FN uint32_t lane_holds(const struct lane_pair *pair, PACK w, const struct block_limits *limits)
{
    const PACK slack = P(splat)(BLOCK_SLACK), v = P(splat)(limits->v_max);
    PACK reach;
    const PACK left_out = lane_left_out(&pair->x, &pair->y, w, v, &reach);
    const PACK counts = P(add)(P(mul)(pair->a, w), P(mul)(pair->b, v));
    return P(le)(P(mul)(reach, slack), pair->y_reach) &
           P(le)(P(mul)(left_out, slack), P(mul)(P(splat)(limits->epsilon), counts));
}

/* As block_search; 0 in lanes where nothing holds. */
DEEP_FN PACK lane_search(const struct lane_pair *pair, PACK least, PACK most,
                         const struct block_limits *limits)
{
    const PACK narrow = P(splat)(1.0625);
    const uint32_t hold = lane_holds(pair, P(splat)(0), limits) & LANES_BELOW(LANES);
    uint32_t down = hold & ~lane_holds(pair, most, limits); /* lanes that step down */
    uint32_t between = down;                                /* lanes that are halved then */
    PACK low = P(where)(hold, most, P(splat)(0));
    for (double factor = 0.25; down; factor *= factor) {
        const PACK next = P(max)(P(mul)(low, P(splat)(factor)), least);
        const uint32_t held = lane_holds(pair, next, limits);
        const uint32_t last = down & ~held & P(le)(next, least);
        low = P(where)(down, next, low);
        down &= ~(held | last);
        most = P(where)(down, next, most);
        low = P(where)(last, P(splat)(0), low);
        between &= ~last;
    }
    for (between &= ~P(le)(most, P(mul)(low, narrow)); between;
         between &= ~P(le)(most, P(mul)(low, narrow))) {
        const PACK middle = P(middle)(low, most);
        const uint32_t held = lane_holds(pair, middle, limits);
        low = P(where)(between & held, middle, low);
        most = P(where)(between & ~held, middle, most);
    }
    return low;
}

/* Joins the blocks of lanes one by one. */
static void lane_join_odd(const struct table_source *source, const struct lane_built *x,
                          const struct lane_built *y, struct lane_built *xy, uint32_t odd)
{
    for (int l = 0; l < LANES; l++) {
        if (!(odd >> l & 1))
            continue;
        const struct built of_x = lane_built_get(x, l), of_y = lane_built_get(y, l);
        const struct built both = built_join(source, &of_x, &of_y);
        lane_built_put(xy, l, &both);
    }
}

/* As block_join; *xy is neither of both. */
static void lane_join(const struct table_source *source, const struct lane_built *x,
                      const struct lane_built *y, struct lane_built *xy)
{
    const struct block_limits *limits = &source->limits;
    const int32_t least_key = wide_key(limits->v_max, limits->unit - 20);
    const int32_t least_e = wide_key_exponent(least_key);
    const PACK least = P(splat)(wide_key_over(least_key, least_e)), least_of = P(splat)(least_e);
    struct lane_built most; /* a radius */
    uint32_t odd = x->none | y->none;
    odd |= lane_radius_set(&most, P(div)(y->radius, lane_abs(x->a)),
                           P(add)(P(sub)(y->radius_e, x->out), x->in));
    const PACK above = lane_radius_over(most.radius, most.radius_e, x->radius_e);
    const uint32_t lower = ~P(le)(above, x->radius); /* lanes with the radius of x */
    most.radius = P(where)(lower, x->radius, most.radius);
    most.radius_e = P(where)(lower, x->radius_e, most.radius_e);
    odd |= P(le)(most.radius, lane_radius_over(least, least_of, most.radius_e));
    const struct lane_built of_x = lane_fit(x, most.radius_e), of_y = lane_fit(y, of_x.out);
    lane_merge(xy, &of_x, &of_y);
    struct lane_pair pair = {.x = lane_sizes(&of_x), .y = lane_sizes(&of_y)};
    pair.a = lane_abs(xy->a);
    pair.b = P(mul)(P(power)(xy->of_c), lane_abs(xy->b));
    pair.y_reach = lane_radius_over(y->radius, y->radius_e, of_x.out);
    const PACK low = P(max)(lane_radius_over(least, least_of, most.radius_e), P(splat)(0x1p-900));
    const PACK found = lane_search(&pair, low, most.radius, limits);
    xy->none = ~P(le)(P(splat)(0x1p-1000), found) & LANES_BELOW(LANES);
    odd |= lane_radius_set(xy, found, xy->in) & ~xy->none;
    if (odd)
        lane_join_odd(source, x, y, xy, odd);
}

/* ---- steps ---- */

/* As leaf_build at m, m + apart, ... */
static void lane_leaf(const struct table_source *source, int64_t m, int64_t apart,
                      struct lane_built *leaf)
{
    const struct block_limits *limits = &source->limits;
    const PACK none = P(splat)(0), one = P(splat)(1);
    const struct lane_complex zero = {none, none};
    const double *from[LANES];
    for (int l = 0; l < LANES; l++)
        from[l] = (const double *)(const void *)&source->z[m + l * apart];
    const struct lane_complex z = lane_pairs(from, 0);
    const PACK size = lane_abs(z);
    const PACK room = P(sub)(P(splat)(limits->bailout), P(mul)(size, P(splat)(BLOCK_SLACK)));
    const PACK most = P(min)(room, P(mul)(size, P(splat)(0.5)));
    *leaf = (struct lane_built){.a = lane_scale(P(splat)(2), z),
                                .b = {one, none},
                                .d = {one, none},
                                .e = zero,
                                .f = zero,
                                .g = zero,
                                .h = zero,
                                .in = none,
                                .out = none,
                                .of_c = P(splat)(limits->unit)};
    uint32_t odd = ~P(le)(P(splat)(ORBIT_TINY), lane_max(z)) & LANES_BELOW(LANES);
    odd |= P(le)(most, none);
    odd |= lane_radius_set(leaf, P(mul)(most, P(splat)(1 - 64 * limits->epsilon - 0x1p-40)), none);
    for (int l = 0; odd >> l; l++)
        if (odd >> l & 1) {
            const struct built alone = leaf_build(source, m + l * apart);
            lane_built_put(leaf, l, &alone);
        }
}

/* As shortest_build, of LANES blocks from m on. */
static void lane_shortest(const struct table_source *source, int64_t m, int levels,
                          struct lane_built *out)
{
    struct lane_built waiting[TABLE_SHORTEST_MOST + 1], passing[2];
    for (int64_t i = 0; i < (int64_t)1 << levels; i++) {
        const int joins = __builtin_ctzll(~(unsigned long long)i);
        struct lane_built *block = joins ? &passing[0] : &waiting[0];
        lane_leaf(source, m + i, (int64_t)1 << levels, block);
        for (int level = 0; level < joins && !TABLE_STOPPED(source); level++) {
            struct lane_built *both =
                level + 1 < joins ? &passing[(level + 1) % 2] : &waiting[level + 1];
            lane_join(source, &waiting[level], block, both);
            block = both;
        }
    }
    *out = waiting[levels];
}

/* ---- records ---- */

/* Loads every second one of 2 LANES blocks. */
static void lane_load(const struct quadratic_block *block, const int32_t *radius,
                      struct lane_built *built)
{
    const double *from[LANES];
    _Alignas(64) double in[LANES], out[LANES], of_c[LANES], over[LANES], e[LANES];
    built->none = 0;
    for (int l = 0; l < LANES; l++) {
        const struct quadratic_block *one = block + 2 * l;
        const int none = radius[2 * l] == WIDE_KEY_NONE;
        from[l] = (const double *)(const void *)one;
        in[l] = one->in;
        out[l] = one->out;
        of_c[l] = one->of_c;
        e[l] = none ? 0 : wide_key_exponent(radius[2 * l]);
        over[l] = none ? 1 : wide_key_over(radius[2 * l], (int32_t)e[l]);
        built->none |= (uint32_t)none << l;
    }
    built->a = lane_pairs(from, QUADRATIC_MEMBER(a));
    built->b = lane_pairs(from, QUADRATIC_MEMBER(b));
    built->d = lane_pairs(from, QUADRATIC_MEMBER(d));
    built->e = lane_pairs(from, QUADRATIC_MEMBER(e));
    built->f = lane_pairs(from, QUADRATIC_MEMBER(f));
    built->g = lane_pairs(from, QUADRATIC_MEMBER(g));
    built->h = lane_pairs(from, QUADRATIC_MEMBER(h));
    built->in = P(load)(in);
    built->out = P(load)(out);
    built->of_c = P(load)(of_c);
    built->radius = P(load)(over);
    built->radius_e = P(load)(e);
}

/* As block_bake. */
DEEP_FN struct lane_built lane_bake(const struct lane_built *block, int wide)
{
    const PACK zero = P(splat)(0), one = P(splat)(1);
    struct lane_built baked = lane_fit(block, block->in);
    uint32_t kept = 0; /* lanes that keep their exponents */
    if (wide)
        kept = ~P(le)(P(splat)(WIDE_BORDER), lane_larger(P(splat)(WIDE_ZERO), baked.a, baked.out));
    const PACK out = P(where)(kept, one, P(power)(baked.out));
    baked.a = lane_scale(out, baked.a);
    baked.d = lane_scale(out, baked.d);
    baked.e = lane_scale(out, baked.e);
    baked.g = lane_scale(out, baked.g);
    baked.h = lane_scale(out, baked.h);
    baked.of_c = P(where)(kept, baked.of_c, P(add)(baked.of_c, baked.out));
    baked.out = P(where)(kept, baked.out, zero);
    if (wide)
        kept |= ~P(le)(P(splat)(WIDE_BORDER - 100), baked.of_c);
    const PACK of_c = P(where)(kept, one, P(power)(baked.of_c));
    baked.b = lane_scale(of_c, baked.b);
    baked.f = lane_scale(of_c, baked.f);
    baked.of_c = P(where)(kept, baked.of_c, zero);
    return baked;
}

static void lane_store(const struct lane_built *built, int wide, struct quadratic_block *block,
                       int32_t *radius)
{
    const struct lane_built baked = lane_bake(built, wide);
    double *to[LANES];
    _Alignas(64) double in[LANES], out[LANES], of_c[LANES], over[LANES], e[LANES];
    P(store)(in, baked.in);
    P(store)(out, baked.out);
    P(store)(of_c, baked.of_c);
    P(store)(over, baked.radius);
    P(store)(e, baked.radius_e);
    for (int l = 0; l < LANES; l++) {
        to[l] = (double *)(void *)&block[l];
        block[l].in = (int32_t)in[l];
        block[l].out = (int32_t)out[l];
        block[l].of_c = (int32_t)of_c[l];
        block[l].unused[0] = 0;
        radius[l] = built->none >> l & 1 ? WIDE_KEY_NONE : wide_key(over[l], (int32_t)e[l]);
    }
    P(store_pairs)(to, QUADRATIC_MEMBER(a), baked.a.x, baked.a.y);
    P(store_pairs)(to, QUADRATIC_MEMBER(b), baked.b.x, baked.b.y);
    P(store_pairs)(to, QUADRATIC_MEMBER(d), baked.d.x, baked.d.y);
    P(store_pairs)(to, QUADRATIC_MEMBER(e), baked.e.x, baked.e.y);
    P(store_pairs)(to, QUADRATIC_MEMBER(f), baked.f.x, baked.f.y);
    P(store_pairs)(to, QUADRATIC_MEMBER(g), baked.g.x, baked.g.y);
    P(store_pairs)(to, QUADRATIC_MEMBER(h), baked.h.x, baked.h.y);
}

/* As table_fill. */
static int table_fill_lanes(const struct block_table *table, const struct table_source *source,
                            int level, int64_t from, int64_t to)
{
    struct quadratic_block *record = (struct quadratic_block *)table->record[level];
    int32_t *radius = (int32_t *)table->radius[level];
    int any = 0;
    for (; from + LANES <= to; from += LANES) {
        struct lane_built built;
        if (level == 0)
            lane_shortest(source, from << table->shortest, table->shortest, &built);
        else {
            const struct quadratic_block *below = table->record[level - 1] + 2 * from;
            const int32_t *radii = table->radius[level - 1] + 2 * from;
            struct lane_built x, y;
            lane_load(below, radii, &x);
            lane_load(below + 1, radii + 1, &y);
            lane_join(source, &x, &y, &built);
        }
        lane_store(&built, source->wide, record + from, radius + from);
        for (int l = 0; l < LANES; l++)
            narrow_fill(table, source, level, from + l);
        any |= (~built.none & LANES_BELOW(LANES)) != 0;
    }
    return table_fill(table, source, level, from, to) | any;
}
#endif

#endif
