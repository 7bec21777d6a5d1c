/* Blocks and steps of LANES pixels of Nova along the reference, in the SIMD lanes of a processor,
 * to the bit as nova_pixel.h takes each.
 *
 * A body, behind wide_lanes.h and with its macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "nova_lanes.h: a macro is missing"
#endif

/* Loops over lanes of scalar work, which gcc unrolls at -O3. */
#define NOVA_ROLLED _Pragma("GCC unroll 1")

DEEP_FN struct lane_complex lane_inverse(struct lane_complex a)
{
    const PACK over = P(div)(P(splat)(1), lane_norm(a));
    a.x = P(mul)(a.x, over);
    a.y = P(mul)(P(neg)(a.y), over);
    return a;
}

DEEP_FN struct lane_complex lane_less(struct lane_complex a, struct lane_complex b)
{
    a.x = P(sub)(a.x, b.x);
    a.y = P(sub)(a.y, b.y);
    return a;
}

DEEP_FN PACK lane_wide_larger(struct lane_wide a, struct lane_wide b)
{
    return P(max)(a.e, b.e);
}

DEEP_FN struct lane_complex lane_wide_over(struct lane_wide a, PACK e)
{
    return lane_scale(P(power)(P(sub)(a.e, e)), a.x);
}

/* As newton_double. */
DEEP_FN struct lane_complex lane_wide_double(struct lane_wide a)
{
    return lane_scale(P(power)(a.e), a.x);
}

#define R(word) P(word)
#define C(word) lane_##word
#define COMPLEX struct lane_complex
#define W(word) lane_wide_##word
#define WIDE struct lane_wide
#define N(word) nova_lane_##word
#include "kernels/deep/rational/nova_step_body.h"

DEEP_FN struct lane_wide lane_wide_splat(struct complex_wide a)
{
    struct lane_wide all;
    all.x = lane_splat(a.x);
    all.e = P(splat)(a.e);
    return all;
}

/* As newton_is_plain. */
DEEP_FN uint32_t nova_lanes_plain(PACK e)
{
    return P(le_two)(P(splat)(-NEWTON_PLAIN), e, e, P(splat)(NEWTON_PLAIN - 1));
}

/* As wide_less. */
DEEP_FN uint32_t nova_lanes_less(struct lane_wide a, struct lane_wide b)
{
    const uint32_t size = ~P(le)(lane_max(b.x), lane_max(a.x));
    return (~P(le)(b.e, a.e) | (P(eq)(a.e, b.e) & size)) & LANES_BELOW(LANES);
}

/* ---- points of the reference ---- */

struct nova_places {             /* a point of each lane */
    struct lane_complex z, root; /* root: the one next to Z */
    struct lane_wide wide, off;  /* Z and V */
    PACK near;                   /* number of the root */
    uint32_t plain;              /* lanes where z and its powers are doubles */
    uint32_t exact;              /* lanes where wide and off are exact */
};

/* Numbers of the roots next to z; *root: these. */
static NO_INLINE PACK nova_lanes_nearest(const struct newton_rule *rule, struct lane_complex z,
                                         struct lane_complex *root)
{
    PACK near = P(splat)(0), most = z.x;
    root->x = P(splat)(rule->root[0][0]);
    root->y = P(splat)(rule->root[0][1]);
    for (int k = 1; k < rule->degree; k++) {
        const PACK x = P(splat)(rule->root[k][0]), y = P(splat)(rule->root[k][1]);
        const PACK along = P(fma)(x, z.x, P(mul)(y, z.y));
        const uint32_t stays = P(le)(along, most);
        near = P(where)(stays, near, P(splat)(k));
        root->x = P(where)(stays, root->x, x);
        root->y = P(where)(stays, root->y, y);
        most = P(max)(along, most);
    }
    return near;
}

struct nova_point { /* a point that all lanes have */
    struct newton_point at;
    struct complex_wide off;
    int near;
};

/* ends: 1 at the end of a reference, where there is no V that counts. */
static NO_INLINE struct nova_point nova_point(const struct newton_common *common, int32_t reference,
                                              int64_t m, int ends)
{
    struct nova_point point;
    point.at = newton_point(&common->reference[reference], m);
    point.off = nova_off(&common->reference[reference], m - ends);
    point.near = nova_nearest(common, point.at.z);
    return point;
}

DEEP_FN struct nova_places nova_places_same(const struct newton_common *common,
                                            const struct nova_point *point)
{
    const double *root = common->rule.root[point->near];
    struct nova_places places;
    places.z = lane_splat(point->at.z);
    places.wide = lane_wide_splat(point->at.wide);
    places.off = lane_wide_splat(point->off);
    places.near = P(splat)(point->near);
    places.root.x = P(splat)(root[0]);
    places.root.y = P(splat)(root[1]);
    places.plain = point->at.plain ? LANES_BELOW(LANES) : 0;
    places.exact = LANES_BELOW(LANES);
    return places;
}

/* Base of a step from a point that all lanes have: one division for all. */
DEEP_FN struct nova_lane_base nova_base_same(const struct nova_places *places,
                                             const struct nova_point *point)
{
    const struct nova_lane_base base = {places->root, lane_splat(complex_inverse(point->at.z)),
                                        places->off};
    return base;
}

struct nova_points { /* points of references in memory, one of each lane */
    const double *z[LANES], *tape[LANES];
    uint32_t begins; /* lanes at a root, where V is 0 */
};

DEEP_FN struct nova_places nova_places_load(const struct newton_common *common,
                                            const struct nova_points *points)
{
    const PACK zero = P(splat)(0), most = P(splat)(NEWTON_LISTED - 1);
    struct nova_places at;
    at.z = lane_pairs(points->z, 0);
    at.wide = lane_wide_settle(at.z, zero);
    at.off = lane_wide_settle(lane_pairs(points->tape, 0), zero);
    at.plain = nova_lanes_plain(at.wide.e);
    at.exact = P(le_two)(P(neg)(most), at.off.e, at.off.e, most);
    at.exact |= points->begins & P(eq)(at.off.e, P(splat)(WIDE_ZERO));
    at.exact &= at.plain;
    at.near = nova_lanes_nearest(&common->rule, at.z, &at.root);
    return at;
}

/* ---- blocks and steps ---- */

struct nova_values { /* what an advance changes in LANES pixels */
    struct lane_wide delta;
    struct lane_wide z, off; /* Z + delta and V + delta, settled */
    PACK norm, before;
};

/* Takes lanes to a point. */
DEEP_FN void nova_values_place(struct nova_values *now, const struct nova_places *at)
{
    now->z = lane_wide_add(at->wide, now->delta);
    now->off = lane_wide_add(at->off, now->delta);
}

/* Puts values from before an advance back into the lanes of `odd`. */
DEEP_FN void nova_values_restore(struct nova_values *now, const struct nova_values *before,
                                 uint32_t odd)
{
    if (!odd)
        return;
    now->delta = lane_wide_where(odd, before->delta, now->delta);
    now->norm = P(where)(odd, before->norm, now->norm);
    now->before = P(where)(odd, before->before, now->before);
}

DEEP_FN void nova_lanes_exponents(const struct formula_block *const *block, int same,
                                  struct lane_powers *powers)
{
    _Alignas(64) double in[LANES], out[LANES], of_c[LANES];
    if (same) {
        powers->in = P(splat)(block[0]->in);
        powers->out = P(splat)(block[0]->out);
        powers->of_c = P(splat)(block[0]->of_c);
        return;
    }
    NOVA_ROLLED
    for (int l = 0; l < LANES; l++) {
        in[l] = block[l]->in;
        out[l] = block[l]->out;
        of_c[l] = block[l]->of_c;
    }
    powers->in = P(load)(in);
    powers->out = P(load)(out);
    powers->of_c = P(load)(of_c);
}

/* Takes a block; v: c in units. As formula_wide_apply of one without a conjugate of delta. */
DEEP_FN struct lane_wide nova_lanes_leap(const struct formula_block *const *block, int same,
                                         struct lane_wide delta, struct lane_complex v)
{
    const double *record[LANES];
    struct lane_powers powers;
    struct lane_block k;
    nova_lanes_exponents(block, same, &powers);
    for (int l = 0; l < (same ? 1 : LANES); l++)
        record[l] = (const double *)(const void *)block[l];
    lane_block_terms(&k, record, same);
    const PACK e = P(sub)(delta.e, powers.in);
    const struct lane_complex w = lane_scale(P(power)(e), delta.x);
    const struct lane_complex d = lane_fma(lane_fma(k.h, w, k.g), w, k.d);
    const struct lane_complex of_w =
        lane_fma(lane_fma(d, w, k.a), delta.x, lane_mul(k.a2, lane_conj(delta.x)));
    const struct lane_complex of_v = lane_fma(k.b, v, lane_mul(k.b2, lane_conj(v)));
    struct lane_wide sum =
        lane_wide_add(lane_wide_settle(of_w, e), lane_wide_settle(of_v, powers.of_c));
    sum.e = P(add)(sum.e, powers.out);
    return sum;
}

struct nova_step {               /* what a step finds out */
    struct lane_complex last, w; /* z before it, and how far it moves z */
    uint32_t over, odd;          /* lanes that are over; that take this step alone */
};

/* Lanes whose step is none of doubles. */
DEEP_FN uint32_t nova_lanes_odd(const struct nova_values *now, const struct nova_places *from,
                                const struct nova_places *to)
{
    const uint32_t plain = from->plain & from->exact & to->plain & nova_lanes_plain(now->z.e);
    return ~plain & LANES_BELOW(LANES);
}

/* As nova_along_step, of lanes that are not odd, which are known; c: that of delta. */
DEEP_FN void nova_lanes_step(struct nova_values *now, struct nova_step *step,
                             const struct newton_common *common, const struct nova_lane_base *base,
                             const struct nova_places *from, const struct nova_places *to,
                             struct lane_wide c)
{
    const struct lane_wide delta = now->delta;
    const struct lane_complex before = lane_wide_double(delta);
    const PACK power = P(power)(delta.e);
    struct lane_complex z;
    z.x = P(fma)(power, delta.x.x, from->z.x);
    z.y = P(fma)(power, delta.x.y, from->z.y);
    const struct nova_lane_factors at =
        nova_lane_factors(&common->rule, base, lane_inverse(z), now->off);
    now->delta = lane_wide_add(lane_wide_mul(at.stretch, delta), c);
    step->w = lane_add(lane_less(to->z, from->z), lane_less(lane_wide_double(now->delta), before));
    step->last = lane_add(from->z, before);
    now->before = now->norm;
    now->norm = lane_norm(step->w);
    const PACK rest = P(mul)(now->norm, P(splat)(common->shared.bailout_squared));
    step->over = ~step->odd & P(le)(rest, P(splat)(1));
}

/* As nova_direct_steps takes one, from a z = delta that is below 2^NEWTON_PLAIN and not 0; c: of
 * the reference, and of each lane beside it. */
DEEP_FN void nova_lanes_direct(struct nova_values *now, struct nova_step *step,
                               const struct newton_common *common, struct lane_wide centre,
                               struct lane_wide c)
{
    const struct lane_wide z = now->delta;
    const struct lane_wide p = lane_wide_settle(lane_inverse(z.x), P(neg)(z.e));
    const struct lane_wide of_z = lane_wide_splat(wide_of(common->rule.of_z));
    const struct lane_wide of_power = lane_wide_splat(wide_of(common->rule.of_power));
    struct lane_wide power = p;
    for (int i = 2; i < common->rule.degree; i++)
        power = lane_wide_mul(power, p);
    power = lane_wide_add(lane_wide_mul(of_z, z), lane_wide_mul(of_power, power));
    now->delta = lane_wide_add(lane_wide_add(power, centre), c);
    step->last = lane_wide_double(z);
    step->w = lane_less(lane_wide_double(now->delta), step->last);
    now->before = now->norm;
    now->norm = P(where)(nova_lanes_plain(z.e) & nova_lanes_plain(now->delta.e), lane_norm(step->w),
                         P(splat)(0x1p1001));
    const PACK rest = P(mul)(now->norm, P(splat)(common->shared.bailout_squared));
    step->over = P(le)(rest, P(splat)(1));
    step->odd = 0;
}

/* ---- behind a block or a step ---- */

struct nova_arrival {
    uint32_t alone;       /* lanes that arrive alone */
    uint32_t rebase;      /* other lanes that rebase, from the root `near` */
    struct lane_wide off; /* z less that root */
    PACK near;
};

/* As nova_arrive; at: where lanes have been placed; ends: those whose reference is over. */
DEEP_FN void nova_lanes_arrive(struct nova_arrival *arrival, const struct nova_places *at,
                               const struct nova_values *now, const struct newton_rule *rule,
                               uint32_t ends)
{
    const uint32_t stays = P(le)(P(sub)(now->z.e, P(splat)(1)), at->wide.e);
    const uint32_t far = ~P(le)(now->delta.e, P(splat)(NOVA_NEAR)) & LANES_BELOW(LANES);
    arrival->alone = ~(at->exact & stays & ~ends) & LANES_BELOW(LANES);
    arrival->near = at->near;
    arrival->off = now->off;
    if (far & ~arrival->alone) {
        struct lane_complex root;
        const PACK own = nova_lanes_nearest(rule, lane_wide_double(now->z), &root);
        const uint32_t other = far & ~P(eq)(own, at->near);
        if (other) {
            root.x = P(neg)(root.x);
            root.y = P(neg)(root.y);
            const struct lane_wide less =
                lane_wide_add(now->z, lane_wide_settle(root, P(splat)(0)));
            arrival->off = lane_wide_where(other, less, arrival->off);
            arrival->near = P(where)(other, own, arrival->near);
        }
    }
    arrival->rebase = nova_lanes_less(arrival->off, now->delta) & ~arrival->alone;
}

/* Lanes whose delta is too large for a block of this radius. */
DEEP_FN uint32_t nova_lanes_beyond(struct lane_wide delta, PACK reach, int32_t radius)
{
    if (radius == WIDE_KEY_NONE)
        return LANES_BELOW(LANES);
    const PACK most = P(splat)(wide_key_over(radius, wide_key_exponent(radius)));
    const PACK e = P(sub)(P(splat)(wide_key_exponent(radius)), delta.e);
    return P(le_two)(P(mul)(most, P(power)(e)), reach, P(splat)(-WIDE_MOST), delta.e);
}
