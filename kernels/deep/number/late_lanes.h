/* Pixels in fp32 that are at the same point of the reference, in SIMD lanes: they go on together
 * for as long as all take the same block, or a step, to the bit as pixel_along_f32 takes each, and
 * as many blocks and steps. delta is over 2^e, settled behind a block; e is 0 behind steps. The
 * compiler's vectors have the integers.
 *
 * A body of late_body.h, with its macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "late_lanes.h: a macro is missing"
#endif

enum { LATE_GROUP = LANES };

typedef int32_t late_ints __attribute__((vector_size(sizeof(int32_t) * LANES)));

struct late_pair {
    PACK x, y;
};

struct late_lanes {
    struct pixel_state_f32 *pixel[LANES]; /* the first once more where there are fewer */
    int count;
    struct late_pair delta, c, z; /* z: behind the last advance */
    late_ints e;
    PACK norm;
    int64_t m, went; /* went: steps of n since they were loaded */
    uint64_t advances;
    int level;
    uint32_t escaped, rebased; /* by the last advance */
};

static ALWAYS_INLINE late_ints late_larger(late_ints a, late_ints b)
{
    const late_ints more = a > b;
    return (a & more) | (b & ~more);
}

/* 2^e, e at most a little above 0; 0 below the normal numbers. */
static ALWAYS_INLINE PACK late_power(late_ints e)
{
    return (PACK)((late_larger(e, (late_ints){0} - 127) + 127) << 23);
}

/* Lanes of a mask, as bits: 0 is a number, and -1 is none. */
static ALWAYS_INLINE uint32_t late_bits(late_ints mask)
{
    return ~P(le)(P(splat)(0), (PACK)mask) & LANES_BELOW(LANES);
}

static ALWAYS_INLINE struct late_pair late_fma(struct late_pair a, struct late_pair b,
                                               struct late_pair c)
{
    struct late_pair sum;
    sum.x = P(fma)(a.x, b.x, P(fnma)(a.y, b.y, c.x));
    sum.y = P(fma)(a.x, b.y, P(fma)(a.y, b.x, c.y));
    return sum;
}

static ALWAYS_INLINE struct late_pair late_mul(struct late_pair a, struct late_pair b)
{
    struct late_pair product;
    product.x = P(fma)(a.x, b.x, P(neg)(P(mul)(a.y, b.y)));
    product.y = P(fma)(a.x, b.y, P(mul)(a.y, b.x));
    return product;
}

static ALWAYS_INLINE struct late_pair late_scale(PACK k, struct late_pair a)
{
    a.x = P(mul)(k, a.x);
    a.y = P(mul)(k, a.y);
    return a;
}

static ALWAYS_INLINE struct late_pair late_splat(struct complex_f32 a)
{
    return (struct late_pair){P(splat)(a.x), P(splat)(a.y)};
}

/* max(|x|, |y|): numbers that are not negative have the order of their bits. */
static ALWAYS_INLINE PACK late_max(struct late_pair a)
{
    return (PACK)late_larger((late_ints)P(abs)(a.x), (late_ints)P(abs)(a.y));
}

static ALWAYS_INLINE PACK late_norm(struct late_pair a)
{
    return P(fma)(a.x, a.x, P(mul)(a.y, a.y));
}

/* As wide_settle_f32. */
static ALWAYS_INLINE void late_settle(struct late_pair *a, late_ints *e)
{
    const late_ints lead = (late_ints)late_max(*a) >> 23, normal = lead > 0;
    *a = late_scale((PACK)(((254 - lead) << 23) & normal), *a);
    *e = ((*e + lead - 127) & normal) | (((late_ints){0} + WIDE_ZERO) & ~normal);
}

/* 2^e where that is a delta of plain arithmetic, else 0. */
static ALWAYS_INLINE PACK late_plain_power(late_ints e)
{
    return (PACK)((late_ints)late_power(e) & (e >= (late_ints){0} + WIDE_BORDER_F32));
}

/* Level of the longest block that all take next, or -1; -2: they differ, or may. left: least number
 * of steps to the limit. */
static ALWAYS_INLINE int late_level(const struct late_lanes *lanes,
                                    const struct pixel_common_f32 *common, int64_t left)
{
    const struct block_table *table = &common->table;
    int level = table_level_most(table, lanes->m, INT64_MAX, common->end - lanes->m, lanes->level);
    if (level < 0)
        return -1;
    if ((int64_t)1 << (table->shortest + level) >= left)
        return -2;
    const late_ints x = (late_ints)P(abs)(lanes->delta.x), y = (late_ints)P(abs)(lanes->delta.y);
    const late_ints large = late_larger(x, y), small = x ^ y ^ large;
    PACK reach = P(fma)(P(splat)(0.41421356237309515f), (PACK)small, (PACK)large);
    late_ints e = lanes->e;
    if (lanes->m == 0) {
        reach = P(mul)(reach, reach);
        e += e;
    }
    const late_ints key =
        ((late_ints)reach >> (23 - WIDE_KEY_PLACES)) +
        ((late_larger(e, (late_ints){0} - (WIDE_MOST + 1000)) + (1023 - 127)) << WIDE_KEY_PLACES);
    for (; level >= 0; level--) {
        const int32_t radius = table->radius[level][lanes->m >> (table->shortest + level)];
        const uint32_t beyond = late_bits(key >= (late_ints){0} + radius);
        if (beyond != LANES_BELOW(LANES))
            return beyond ? -2 : level;
    }
    return -1;
}

/* As wide_apply_alike_f32. */
static ALWAYS_INLINE void late_apply(struct late_lanes *lanes, const struct quadratic_block_f32 *k)
{
    struct late_pair x = lanes->delta, c = lanes->c;
    late_ints e = lanes->e;
    if (lanes->m == 0) {
        late_settle(&x, &e);
        x = late_mul(x, x);
        e += e;
    }
    const late_ints of_w = e - k->in, of_c = (late_ints){0} + k->of_c;
    const late_ints top = late_larger(of_w, of_c);
    const struct late_pair w = late_scale(late_power(of_w), x);
    const struct late_pair d =
        late_fma(late_fma(late_splat(k->h), w, late_splat(k->g)), w, late_splat(k->d));
    const struct late_pair a = late_fma(d, w, late_fma(late_splat(k->e), c, late_splat(k->a)));
    struct late_pair b = late_mul(late_fma(late_splat(k->f), c, late_splat(k->b)), c);
    b = late_scale(late_power(of_c - top), b);
    lanes->delta = late_fma(a, late_scale(late_power(of_w - top), x), b);
    lanes->e = top + k->out;
    late_settle(&lanes->delta, &lanes->e);
}

/* Tests behind an advance. */
static ALWAYS_INLINE void late_arrive(struct late_lanes *lanes,
                                      const struct pixel_common_f32 *common, struct complex_f32 at)
{
    const PACK power = late_plain_power(lanes->e);
    lanes->z.x = P(fma)(lanes->delta.x, power, P(splat)(at.x));
    lanes->z.y = P(fma)(lanes->delta.y, power, P(splat)(at.y));
    lanes->norm = late_norm(lanes->z);
    lanes->escaped = ~P(le)(lanes->norm, P(splat)(common->bailout_squared)) & LANES_BELOW(LANES);
    lanes->rebased =
        ~P(le)(P(mul)(power, late_max(lanes->delta)), late_max(lanes->z)) & LANES_BELOW(LANES);
}

/* May an advance to m be taken in lanes? Ends of the reference and points that are tiny are left to
 * single pixels. */
static ALWAYS_INLINE int late_goes_to(const struct pixel_common_f32 *common, int64_t m)
{
    return m < common->end && complex_max_f32(common->z[m]) >= REAL_TINY;
}

static ALWAYS_INLINE void late_moved(struct late_lanes *lanes,
                                     const struct pixel_common_f32 *common, int64_t steps,
                                     int level)
{
    lanes->m += steps;
    lanes->went += steps;
    lanes->advances++;
    lanes->level = level;
    late_arrive(lanes, common, common->z[lanes->m]);
}

/* Takes a block; 0: nothing has been done. */
static ALWAYS_INLINE int late_leap(struct late_lanes *lanes, const struct pixel_common_f32 *common,
                                   int level)
{
    const int shift = common->table.shortest + level;
    const int64_t steps = (int64_t)1 << shift;
    if (!late_goes_to(common, lanes->m + steps))
        return 0;
    late_apply(lanes, &common->table.record_f32[level][lanes->m >> shift]);
    late_moved(lanes, common, steps, level);
    return 1;
}

/* Takes a step along the reference, unless a lane may leave it, or its delta is not plain; 0:
 * nothing has been done. */
static ALWAYS_INLINE int late_step(struct late_lanes *lanes, const struct pixel_common_f32 *common)
{
    const struct direct_limits_f32 *limits = &common->direct;
    const PACK border = P(splat)(wide_power_f32(WIDE_BORDER_F32)),
               power = late_plain_power(lanes->e);
    const struct late_pair delta = late_scale(power, lanes->delta);
    const PACK next = P(min)(P(mul)(P(mul)(P(splat)(4), lanes->norm), late_norm(delta)),
                             P(splat)(REAL_SLOPE_MOST));
    const uint32_t leaves = P(le)(P(splat)(limits->norm_least), lanes->norm) &
                            P(le)(P(splat)(limits->slope_least), next);
    if (leaves || P(le)(border, late_max(delta)) != LANES_BELOW(LANES) ||
        !late_goes_to(common, lanes->m + 1))
        return 0;
    const struct complex_f32 at = common->z[lanes->m];
    const PACK unit = P(splat)(wide_power_f32(common->exponent)), two = P(splat)(2);
    struct late_pair sum = {P(fma)(two, P(splat)(at.x), delta.x),
                            P(fma)(two, P(splat)(at.y), delta.y)};
    sum = late_fma(sum, delta, late_scale(unit, lanes->c));
    if (P(le)(border, late_max(sum)) != LANES_BELOW(LANES))
        return 0;
    lanes->delta = sum;
    lanes->e = (late_ints){0};
    late_moved(lanes, common, 1, 0);
    return 1;
}

/* Rebases all lanes; 0: one of them is too small for that, and nothing has been done. */
static ALWAYS_INLINE int late_rebase(struct late_lanes *lanes,
                                     const struct pixel_common_f32 *common)
{
    if (P(le)(P(splat)(wide_power_f32(WIDE_BORDER_F32)), late_max(lanes->z)) != LANES_BELOW(LANES))
        return 0;
    lanes->delta = lanes->z;
    lanes->e = (late_ints){0};
    lanes->m = 0;
    lanes->level = common->table.levels - 1;
    lanes->rebased = 0;
    return 1;
}

static ALWAYS_INLINE void late_load(struct late_lanes *lanes, struct pixel_state_f32 *const *list,
                                    int count)
{
    _Alignas(64) float x[LANES], y[LANES], c_re[LANES], c_im[LANES], norm[LANES];
    _Alignas(64) int32_t e[LANES];
    for (int l = 0; l < LANES; l++) {
        struct pixel_state_f32 *pixel = lanes->pixel[l] = list[l < count ? l : 0];
        x[l] = pixel->delta.x;
        y[l] = pixel->delta.y;
        c_re[l] = pixel->c.x;
        c_im[l] = pixel->c.y;
        norm[l] = pixel->norm;
        e[l] = pixel->e;
    }
    lanes->count = count;
    lanes->delta = (struct late_pair){P(load)(x), P(load)(y)};
    lanes->z = lanes->delta; /* replaced by the first advance */
    lanes->c = (struct late_pair){P(load)(c_re), P(load)(c_im)};
    lanes->norm = P(load)(norm);
    memcpy(&lanes->e, e, sizeof e);
    lanes->m = list[0]->m;
    lanes->level = list[0]->level;
    lanes->went = 0;
    lanes->advances = 0;
    lanes->escaped = lanes->rebased = 0;
}

static ALWAYS_INLINE void late_lanes_store(const struct late_lanes *lanes,
                                           const struct pixel_common_f32 *common,
                                           struct late_pixels *pixels)
{
    _Alignas(64) float x[LANES], y[LANES], z_re[LANES], z_im[LANES], norm[LANES];
    _Alignas(64) int32_t e[LANES];
    P(store)(x, lanes->delta.x);
    P(store)(y, lanes->delta.y);
    P(store)(z_re, lanes->z.x);
    P(store)(z_im, lanes->z.y);
    P(store)(norm, lanes->norm);
    memcpy(e, &lanes->e, sizeof e);
    for (int l = 0; l < lanes->count; l++) {
        struct pixel_state_f32 *pixel = lanes->pixel[l];
        struct complex_wide_f32 delta = {{x[l], y[l]}, e[l]};
        pixel->m = lanes->m;
        pixel->n += lanes->went;
        pixel->level = lanes->level;
        pixel->steps += lanes->advances;
        pixel->norm = norm[l];
        if (lanes->escaped >> l & 1)
            pixel->count = pixel->n;
        else if (lanes->rebased >> l & 1) {
            delta = (struct complex_wide_f32){{z_re[l], z_im[l]}, 0};
            pixel->m = 0;
            pixel->level = common->table.levels - 1;
        }
        wide_put_f32(pixel, wide_settle_f32(delta.x, delta.e));
        if (!pixel->count && pixel_repeats_f32(pixel, &pixels->kept[pixel - pixels->at]))
            pixel->n = common->limit;
    }
}

/* A bit of 64 for a position; blocks begin at multiples of powers of two, so a product mixes them.
 */
static ALWAYS_INLINE uint64_t late_bit(int64_t m)
{
    return (uint64_t)1 << ((uint64_t)m * 0x9e3779b97f4a7c15u >> 58);
}

/* Most blocks and steps until the state of a lane is due to be kept; *kept_at: bits of the
 * positions that are kept. */
static ALWAYS_INLINE uint64_t late_most(const struct late_lanes *lanes,
                                        const struct late_pixels *pixels, uint64_t *kept_at)
{
    uint64_t most = STEPS_OF_ROUND / DEEP_CHUNK;
    *kept_at = 0;
    for (int l = 0; l < lanes->count; l++) {
        const struct pixel_state_f32 *pixel = lanes->pixel[l];
        const struct pixel_kept_f32 *kept = &pixels->kept[pixel - pixels->at];
        const uint64_t left = kept->due > pixel->steps ? kept->due - pixel->steps : 1;
        most = left < most ? left : most;
        *kept_at |= kept->m < 0 ? 0 : late_bit(kept->m);
    }
    return most;
}

/* Takes blocks and steps of pixels at the same point until they differ, or may; returns how many.
 */
static uint64_t late_lockstep(struct late_pixels *pixels, struct pixel_state_f32 *const *list,
                              int count, const struct pixel_common_f32 *common)
{
    struct late_lanes lanes;
    uint64_t kept_at;
    int64_t left = INT64_MAX;
    for (int i = 0; i < count; i++)
        left = common->limit - list[i]->n < left ? common->limit - list[i]->n : left;
    late_load(&lanes, list, count);
    const uint64_t most = late_most(&lanes, pixels, &kept_at);
    for (;;) {
        const int level = late_level(&lanes, common, left - lanes.went);
        if (level < -1 || left - lanes.went <= 1 ||
            !(level < 0 ? late_step(&lanes, common) : late_leap(&lanes, common, level)))
            break;
        if (lanes.escaped ||
            (lanes.rebased &&
             (lanes.rebased != LANES_BELOW(LANES) || !late_rebase(&lanes, common))) ||
            lanes.advances >= most || kept_at & late_bit(lanes.m))
            break;
    }
    if (lanes.advances)
        late_lanes_store(&lanes, common, pixels);
    return lanes.advances;
}
