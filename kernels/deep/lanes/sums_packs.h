/* Sums along the orbits of many pixels of z^2 + c at once, in the SIMD lanes of a processor, to the
 * bit as pixel_sums_on (deep_sums.h) makes them: a lane that is done takes the next pixel.
 *
 * A body, behind deep_body.h's includes and after these macros: PREFIX and PACK of the operations
 * and their type, LANES (kernels/escape/lanes.h). */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "sums_packs.h: a macro is missing"
#endif

WITH_PREFIX(SUMS, PACK)

enum { SUMS_MEMBERS = sizeof(struct f64x1_orbit_sums) / sizeof(double) };

struct sums_slot {
    struct pixel_state pixel;
    struct f64x1_orbit_sums sums;
    int64_t count; /* 0: there is no pixel */
    int32_t i;     /* pixel of the chunk */
};

struct sums_packs { /* lanes side by side */
    ALIGNED double x[LANES], y[LANES], dx[LANES], dy[LANES], cx[LANES], cy[LANES], c_abs[LANES];
    ALIGNED double to_x[LANES], to_y[LANES]; /* c less the reference's */
    ALIGNED double norm[LANES], sum[SUMS_MEMBERS][LANES];
    const double *z[LANES]; /* Z_m and what follows */
    uint32_t active;
};

/* Steps that all lanes may take before one is at its count, or arrives at the end of the reference,
 * which is tested pixel by pixel. 0: one is before that end now; INT64_MAX: there are no pixels. */
static int64_t sums_due(const struct sums_slot *lanes, const struct pixel_common *common)
{
    int64_t most = INT64_MAX;
    for (int s = 0; s < LANES; s++) {
        const struct pixel_state *pixel = &lanes[s].pixel;
        int64_t left = lanes[s].count - pixel->n, to_end = common->end - 1 - pixel->m;
        left = to_end < left ? to_end : left;
        most = lanes[s].count && left < most ? left : most;
    }
    return most;
}

static void sums_load(struct sums_packs *packs, const struct sums_slot *lanes,
                      const struct pixel_common *common)
{
    packs->active = 0;
    for (int s = 0; s < LANES; s++) {
        const struct pixel_state *pixel = &lanes[s].pixel;
        packs->active |= (uint32_t)(lanes[s].count > 0) << s;
        struct complex_f64 c = sums_c(common, pixel->c), z = pixel_end(pixel, common);
        double sums[SUMS_MEMBERS];
        memcpy(sums, &lanes[s].sums, sizeof sums);
        packs->x[s] = z.x;
        packs->y[s] = z.y;
        packs->dx[s] = pixel->delta.x;
        packs->dy[s] = pixel->delta.y;
        packs->to_x[s] = pixel->c.x;
        packs->to_y[s] = pixel->c.y;
        packs->cx[s] = c.x;
        packs->cy[s] = c.y;
        packs->c_abs[s] = sqrt(fma(c.x, c.x, c.y * c.y));
        packs->z[s] = (const double *)&common->z[pixel->m];
        for (int i = 0; i < SUMS_MEMBERS; i++)
            packs->sum[i][s] = sums[i];
    }
}

/* Puts lanes back after `taken` steps, and ends or rebases those of `set`. */
static void sums_store(const struct sums_packs *packs, struct sums_slot *lanes,
                       const struct pixel_common *common, int64_t taken, uint32_t set)
{
    for (int s = 0; s < LANES; s++) {
        struct pixel_state *pixel = &lanes[s].pixel;
        double sums[SUMS_MEMBERS];
        if (!lanes[s].count)
            continue;
        pixel->delta.x = packs->dx[s];
        pixel->delta.y = packs->dy[s];
        pixel->norm = packs->norm[s];
        pixel->m += taken;
        pixel->n += taken;
        pixel->steps += (uint64_t)taken;
        for (int i = 0; i < SUMS_MEMBERS; i++)
            sums[i] = packs->sum[i][s];
        memcpy(&lanes[s].sums, sums, sizeof sums);
        if (!(set >> s & 1))
            continue;
        if (pixel->norm > common->bailout_squared)
            pixel->count = pixel->n;
        else if (pixel->n < lanes[s].count) {
            pixel->delta.x = packs->x[s];
            pixel->delta.y = packs->y[s];
            pixel->m = 0;
        }
    }
}

/* As bounds_refine, in the lanes of `set`. */
static void sums_refine(struct P(orbit_bounds) * bounds, uint32_t set, PACK x, PACK y,
                        const struct sums_packs *packs)
{
    ALIGNED double above[LANES], least[LANES], m[LANES], re[LANES], im[LANES];
    P(store)(above, bounds->above);
    P(store)(least, bounds->least);
    P(store)(m, bounds->m);
    P(store)(re, x);
    P(store)(im, y);
    for (; set; set &= set - 1) {
        int s = __builtin_ctz(set);
        struct f64x1_orbit_bounds one = {above[s], least[s], m[s]};
        const struct complex_f64 z = {re[s], im[s]}, c = {packs->cx[s], packs->cy[s]};
        bounds_refine(&one, z, c, packs->c_abs[s]);
        above[s] = one.above;
        m[s] = one.m;
    }
    bounds->above = P(load)(above);
    bounds->m = P(load)(m);
}

/* Takes up to `most` >= 1 steps of all lanes, until one escapes or rebases: which, in *set. Returns
 * the steps. */
static int64_t sums_steps(struct sums_packs *packs, const struct pixel_common *common,
                          const struct P(orbit_rule) * rule, int64_t most, uint32_t *set)
{
    PACK x = P(load)(packs->x), y = P(load)(packs->y), norm = P(splat)(0);
    PACK dx = P(load)(packs->dx), dy = P(load)(packs->dy), zx, zy;
    const PACK cx = P(load)(packs->cx), cy = P(load)(packs->cy), c_abs = P(load)(packs->c_abs);
    const PACK to_x = P(load)(packs->to_x), to_y = P(load)(packs->to_y);
    const PACK far = P(splat)(common->bailout_squared), two = P(splat)(2);
    const PACK small = P(splat)(SUMS_SMALL * SUMS_SMALL);
    struct P(orbit_sums) sums;
    int64_t i = 0;
    memcpy(&sums, packs->sum, sizeof sums);
    P(load_pairs)(packs->z, 0, &zx, &zy);
    do {
        struct P(orbit_bounds) bounds = P(orbit_square)(rule, x, y, cx, cy, c_abs);
        PACK ax = P(fma)(two, zx, dx), ay = P(fma)(two, zy, dy);
        PACK next = P(fma)(ax, dx, P(fnma)(ay, dy, to_x));
        dy = P(fma)(ax, dy, P(fma)(ay, dx, to_y));
        dx = next;
        P(load_pairs)(packs->z, 2 * ++i, &zx, &zy);
        x = P(add)(dx, zx);
        y = P(add)(dy, zy);
        norm = P(fma)(x, x, P(mul)(y, y));
        uint32_t refined = ~P(le)(P(mul)(P(mul)(small, c_abs), c_abs), norm) & LANES_BELOW(LANES);
        if (refined && rule->planes & PLANE_MASK_TRIANGLE)
            sums_refine(&bounds, refined, x, y, packs);
        P(orbit_add)(&sums, rule, bounds, x, y);
        PACK z_max = P(max)(P(abs)(x), P(abs)(y)), d_max = P(max)(P(abs)(dx), P(abs)(dy));
        *set = ~(P(le)(norm, far) & P(le)(d_max, z_max)) & packs->active;
    } while (i < most && !*set);
    P(store)(packs->x, x);
    P(store)(packs->y, y);
    P(store)(packs->dx, dx);
    P(store)(packs->dy, dy);
    P(store)(packs->norm, norm);
    memcpy(packs->sum, &sums, sizeof sums);
    return i;
}

static void sums_step(struct sums_slot *lanes, const struct pixel_common *common,
                      const struct P(orbit_rule) * rule, int64_t most)
{
    struct sums_packs packs;
    uint32_t set;
    sums_load(&packs, lanes, common);
    int64_t taken = sums_steps(&packs, common, rule, most, &set);
    sums_store(&packs, lanes, common, taken, set);
}

static struct P(orbit_rule) sums_rule(const struct f64x1_orbit_rule *of)
{
    struct P(orbit_rule) rule;
    rule.re = P(splat)(of->re);
    rule.im = P(splat)(of->im);
    rule.radius = P(splat)(of->radius);
    rule.one = P(splat)(of->one);
    rule.tiny = P(splat)(of->tiny);
    rule.stripes = of->stripes;
    rule.planes = of->planes;
    return rule;
}

static int sums_go_on(const struct sums_slot *lane)
{
    return !lane->pixel.count && lane->pixel.n < lane->count;
}

/* Begins the next pixel of the chunk that escapes in a lane; those before it are stored. */
static void sums_take(struct sums_slot *lane, const struct deep_chunk *chunk, int32_t *next)
{
    *lane = (struct sums_slot){.sums = orbit_sums_begin()};
    for (int32_t i; !lane->count && *next < chunk_pixels(chunk);) {
        i = (*next)++;
        lane->count = chunk_count(chunk, i);
        if (!lane->count)
            chunk_store_sums(chunk, i, (struct orbit_values){0});
        const struct complex_f64 c = chunk_point(chunk, i);
        lane->pixel = pixel_begin(chunk->common, c.x, c.y);
        lane->i = i;
    }
}

/* As chunk_sums, of a picture that is not wide. */
static uint64_t chunk_sums_packs(const struct deep_chunk *chunk)
{
    const struct pixel_common *common = chunk->common;
    const struct P(orbit_rule) rule = sums_rule(&chunk->rule);
    struct sums_slot lanes[LANES];
    int32_t next = 0;
    uint64_t steps = 0;
    for (int s = 0; s < LANES; s++)
        sums_take(&lanes[s], chunk, &next);
    for (int64_t due; (due = sums_due(lanes, common)) < INT64_MAX && !stop_asked(chunk->stop);) {
        if (due > 0)
            sums_step(lanes, common, &rule, due < STEPS_BETWEEN_STOPS ? due : STEPS_BETWEEN_STOPS);
        for (int s = 0; s < LANES; s++) {
            struct sums_slot *lane = &lanes[s];
            struct pixel_state *pixel = &lane->pixel;
            if (sums_go_on(lane) && pixel->m >= common->end - 1)
                pixel_sums_on(pixel, &lane->sums, common, &chunk->rule, 0, lane->count, 1);
            if (!lane->count || sums_go_on(lane))
                continue;
            steps += pixel->steps;
            chunk_store_sums(chunk, lane->i,
                             pixel_sums_values(pixel, &lane->sums, chunk->fraction_offset));
            sums_take(lane, chunk, &next);
        }
    }
    return steps;
}
