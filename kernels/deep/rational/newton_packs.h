/* Steps without the reference of many pixels of Newton's method at once, in the SIMD lanes of a
 * processor, to the bit as newton_direct_plain takes them.
 *
 * A body, behind formula_packs.h and with its macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES) || !defined(PACKS)
#error "newton_packs.h: a macro is missing"
#endif

/* Packs at a time: several, since a step waits for its division. */
enum { NEWTON_PACKS = 4, NEWTON_LANES = NEWTON_PACKS * LANES };

struct newton_pack { /* a pack, and its state before the last step */
    PACK x, y, dx, dy, last_x, last_y, last_dx, last_dy;
};

/* Returns the lanes that are over; *lost: those whose z doubles hold no longer. */
DEEP_FN uint32_t newton_pack_step(struct newton_pack *at, const struct newton_common *common,
                                  int slopes, uint32_t *lost)
{
    const struct newton_rule *rule = &common->rule;
    const PACK x = at->x, y = at->y, one = P(splat)(1), of_power = P(splat)(rule->of_power);
    const PACK over = P(div)(one, P(fma)(x, x, P(mul)(y, y)));
    const PACK p_x = P(mul)(x, over), p_y = P(mul)(P(neg)(y), over);
    PACK q_x = p_x, q_y = p_y;
    at->last_x = x, at->last_y = y, at->last_dx = at->dx, at->last_dy = at->dy;
    for (int i = 2; i < rule->degree; i++)
        PACK_PRODUCT(q_x, q_y, p_x, p_y);
    at->x = P(fma)(of_power, q_x, P(mul)(P(splat)(rule->of_z), x));
    at->y = P(fma)(of_power, q_y, P(mul)(P(splat)(rule->of_z), y));
    if (slopes) {
        const PACK k = P(splat)(rule->degree - 1), minus = P(splat)(-rule->of_power);
        PACK_PRODUCT(q_x, q_y, p_x, p_y);
        q_x = P(fma)(minus, P(mul)(k, q_x), P(splat)(rule->of_z));
        q_y = P(mul)(minus, P(mul)(k, q_y));
        PACK_PRODUCT(q_x, q_y, at->dx, at->dy);
        at->dx = q_x, at->dy = q_y;
    }
    const PACK w_x = P(fma)(P(splat)(-1), x, at->x), w_y = P(fma)(P(splat)(-1), y, at->y);
    const PACK norm = P(fma)(w_x, w_x, P(mul)(w_y, w_y));
    const PACK most = P(splat)(0x1.fffffffffffffp79), least = P(splat)(0x1.fffffffffffffp-81);
    const PACK size_x = P(abs)(at->x), size_y = P(abs)(at->y);
    *lost = ~(P(le)(size_x, most) & P(le)(size_y, most)) |
            (P(le)(size_x, least) & P(le)(size_y, least));
    return P(le)(P(mul)(norm, P(splat)(common->shared.bailout_squared)), one);
}

/* Writes the lanes of a mask back to their pixels after `steps`. */
static void newton_pack_store(const struct newton_pack *at, struct newton_pixel *const *pixel,
                              uint32_t lanes, uint32_t over, int64_t steps)
{
    _Alignas(64) double lane[8][LANES];
    const PACK from[8] = {at->x,      at->y,      at->dx,      at->dy,
                          at->last_x, at->last_y, at->last_dx, at->last_dy};
    for (int i = 0; i < 8; i++)
        P(store)(lane[i], from[i]);
    for (int l = 0; l < LANES; l++) {
        struct complex_f64 z = {lane[0][l], lane[1][l]}, dz = {lane[2][l], lane[3][l]};
        struct complex_f64 last = {lane[4][l], lane[5][l]}, last_dz = {lane[6][l], lane[7][l]};
        if (lanes >> l & 1)
            newton_direct_end(pixel[l], steps, over >> l & 1, z, last, dz, last_dz);
    }
}

static void newton_pack_load(struct newton_pack *at, struct newton_pixel *const *pixel, int count)
{
    _Alignas(64) double lane[4][LANES];
    for (int l = 0; l < LANES; l++) {
        const struct newton_pixel *own = pixel[l < count ? l : 0];
        struct complex_f64 z = newton_double(own->delta);
        lane[0][l] = z.x, lane[1][l] = z.y;
        lane[2][l] = own->dz.x.x, lane[3][l] = own->dz.x.y;
    }
    at->x = P(load)(lane[0]), at->y = P(load)(lane[1]);
    at->dx = P(load)(lane[2]), at->dy = P(load)(lane[3]);
}

/* Takes up to `most` >= 1 steps of 1 ... NEWTON_LANES pixels whose z is plain, none of them beyond
 * the limit. */
DEEP_FN void newton_packs_step(struct newton_pixel *const *pixel, int count,
                               const struct newton_common *common, int slopes, int64_t most)
{
    struct newton_pack at[NEWTON_PACKS];
    uint32_t active[NEWTON_PACKS], any = 0, lost;
    int packs = (count - 1) / LANES + 1;
    for (int i = 0; i < count; i++)
        most =
            common->shared.limit - pixel[i]->n < most ? common->shared.limit - pixel[i]->n : most;
    for (int v = 0; v < packs; v++) {
        int left = count - v * LANES < LANES ? count - v * LANES : LANES;
        newton_pack_load(&at[v], pixel + v * LANES, left);
        active[v] = (1u << left) - 1;
    }
    for (int64_t i = 1; i <= most; i++, any = 0) {
        for (int v = 0; v < packs; v++) {
            uint32_t over = newton_pack_step(&at[v], common, slopes, &lost);
            uint32_t gone = i == most ? active[v] : active[v] & (over | lost);
            if (gone)
                newton_pack_store(&at[v], pixel + v * LANES, gone, over, i);
            any |= active[v] &= ~gone;
        }
        if (!any)
            break;
    }
}
