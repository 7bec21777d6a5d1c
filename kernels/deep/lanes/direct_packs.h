/* Steps without the reference of many pixels at once, in the SIMD lanes of a processor, to the
 * bit as in direct.h: a lane that ends takes the next pixel.
 *
 * A body, between real_f64.h or real_f32.h and real_end.h, and after these macros: PREFIX and PACK
 * of the operations of such reals and their type, LANES (kernels/escape/lanes.h), and PACKS that
 * alternate. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES) || !defined(PACKS) || !defined(DEEP_REAL)
#error "direct_packs.h: a macro is missing"
#endif

struct T(slots) {
    _Alignas(64) DEEP_REAL x[SLOTS], y[SLOTS], c_re[SLOTS], c_im[SLOTS];
    _Alignas(64) DEEP_REAL dx[SLOTS], dy[SLOTS];                   /* dz, with slopes */
    _Alignas(64) DEEP_REAL norm[SLOTS], slope[SLOTS], next[SLOTS]; /* next: slope after a step */
    int64_t born[SLOTS], due[SLOTS];                               /* on the clock */
    struct T(pixel_state) * pixel[SLOTS];                          /* NULL: idle */
    uint32_t active[PACKS];
    int actives;
    int64_t clock;   /* steps since the beginning */
    int64_t soonest; /* no slot is due before */
};

static void T(slot_clear)(struct T(slots) * slots, int s)
{
    slots->x[s] = slots->y[s] = slots->c_re[s] = slots->c_im[s] = 0;
    slots->dx[s] = slots->dy[s] = slots->next[s] = 0;
    slots->due[s] = INT64_MAX;
    slots->pixel[s] = NULL;
    slots->active[s / LANES] &= ~(1u << s % LANES);
}

static void T(slot_take)(struct T(slots) * slots, int s, struct T(pixel_state) * pixel,
                         const struct T(pixel_common) * common, int64_t most)
{
    struct COMPLEX c =
        T(complex_add)(common->direct.centre, T(wide_power)(common->exponent), pixel->c);
    int64_t left = common->limit - pixel->n;
    slots->x[s] = pixel->delta.x;
    slots->y[s] = pixel->delta.y;
    slots->dx[s] = pixel->dz.x;
    slots->dy[s] = pixel->dz.y;
    slots->c_re[s] = c.x;
    slots->c_im[s] = c.y;
    slots->norm[s] = pixel->norm;
    slots->slope[s] = pixel->slope;
    slots->next[s] = T(direct_next)(pixel->slope, pixel->norm);
    slots->born[s] = slots->clock;
    slots->due[s] = slots->clock + (most < left ? most : left);
    slots->soonest = slots->due[s] < slots->soonest ? slots->due[s] : slots->soonest;
    slots->pixel[s] = pixel;
    slots->active[s / LANES] |= 1u << s % LANES;
    slots->actives++;
}

static void T(slot_give)(struct T(slots) * slots, int s, const struct T(pixel_common) * common)
{
    struct T(pixel_state) *pixel = slots->pixel[s];
    pixel->delta.x = slots->x[s];
    pixel->delta.y = slots->y[s];
    pixel->dz.x = slots->dx[s];
    pixel->dz.y = slots->dy[s];
    pixel->norm = slots->norm[s];
    pixel->slope = slots->slope[s];
    enum direct_end end =
        T(direct_end)(pixel->norm, T(direct_next)(pixel->slope, pixel->norm), &common->direct);
    T(pixel_settle)(pixel, common, end, slots->clock - slots->born[s]);
    slots->actives--;
}

/* dz' = 2 z dz + dc, from the z before the step, as delta_slope has it. */
#define DZ_STEP(x, y, dx, dy, step_x, step_y)                 \
    do {                                                      \
        PACK x2_ = P(add)(x, x), y2_ = P(add)(y, y);          \
        PACK dx_ = P(fma)(x2_, dx, P(fnma)(y2_, dy, step_x)); \
        (dy) = P(fma)(x2_, dy, P(fma)(y2_, dx, step_y));      \
        (dx) = dx_;                                           \
    } while (0)

/* Takes up to `most` >= 1 steps of all lanes, until one of them ends: which, in ends. step: dc of
 * one pixel; slopes: a constant, whether dz is computed. Returns the steps. */
DEEP_FN int64_t T(slots_step)(struct T(slots) * slots, const struct T(direct_limits) * limits,
                              struct COMPLEX step, int slopes, int64_t most, uint32_t ends[PACKS])
{
    PACK x[PACKS], y[PACKS], dx[PACKS], dy[PACKS], next[PACKS], slope[PACKS], norm[PACKS];
    PACK far = P(splat)(limits->bailout_squared), norm_least = P(splat)(limits->norm_least);
    PACK four = P(splat)(4), slope_least = P(splat)(limits->slope_least);
    PACK step_x = P(splat)(step.x), step_y = P(splat)(step.y);
    for (int v = 0; v < PACKS; v++) {
        x[v] = P(load)(slots->x + v * LANES);
        y[v] = P(load)(slots->y + v * LANES);
        dx[v] = P(load)(slots->dx + v * LANES);
        dy[v] = P(load)(slots->dy + v * LANES);
        next[v] = P(load)(slots->next + v * LANES);
    }
    int64_t i = 0;
    uint32_t any = 0;
    do {
        for (int v = 0; v < PACKS; v++) {
            if (slopes)
                DZ_STEP(x[v], y[v], dx[v], dy[v], step_x, step_y);
            PACK t = P(fnma)(y[v], y[v], P(load)(slots->c_re + v * LANES));
            PACK doubled = P(add)(x[v], x[v]);
            x[v] = P(fma)(x[v], x[v], t);
            y[v] = P(fma)(doubled, y[v], P(load)(slots->c_im + v * LANES));
            slope[v] = next[v];
            norm[v] = P(fma)(x[v], x[v], P(mul)(y[v], y[v]));
            next[v] = P(mul)(P(mul)(four, norm[v]), slope[v]);
#ifdef REAL_SLOPE_MOST
            next[v] = P(min)(next[v], P(splat)(REAL_SLOPE_MOST));
#endif
            ends[v] = slots->active[v] &
                      ~P(le_three)(norm[v], far, norm_least, norm[v], slope_least, next[v]);
            any |= ends[v];
        }
    } while (++i < most && !any);
    for (int v = 0; v < PACKS; v++) {
        P(store)(slots->x + v * LANES, x[v]);
        P(store)(slots->y + v * LANES, y[v]);
        P(store)(slots->dx + v * LANES, dx[v]);
        P(store)(slots->dy + v * LANES, dy[v]);
        P(store)(slots->next + v * LANES, next[v]);
        P(store)(slots->slope + v * LANES, slope[v]);
        P(store)(slots->norm + v * LANES, norm[v]);
    }
    return i;
}

/* Takes steps of all slots until some end or are due; returns these. */
DEEP_FN uint32_t T(slots_advance)(struct T(slots) * slots, const struct T(pixel_common) * common,
                                  struct COMPLEX step, int slopes)
{
    const int64_t due = slots->soonest - slots->clock;
    uint32_t ends[PACKS], ended = 0;
    const int64_t steps = T(slots_step)(slots, &common->direct, step, slopes, due, ends);
    slots->clock += steps;
    for (int v = 0; v < PACKS; v++)
        ended |= ends[v] << v * LANES;
    if (steps < due)
        return ended;
    slots->soonest = INT64_MAX;
    for (int s = 0; s < SLOTS; s++)
        if (slots->due[s] == slots->clock)
            ended |= 1u << s;
        else if (slots->due[s] < slots->soonest)
            slots->soonest = slots->due[s];
    return ended;
}

/* Takes up to `most` steps of each of `count` pixels without the reference. When the list is at
 * its end and few are left, they are left where they are, for the next list. In a wide picture the
 * step is nothing beside dz here. */
DEEP_FN void T(pixels_directly)(struct T(pixel_state) *const *list, int count,
                                const struct T(pixel_common) * common, int slopes, int64_t most)
{
    struct T(slots) slots = {.clock = 0, .soonest = INT64_MAX};
    struct COMPLEX step = T(complex_scale)(T(wide_power)(common->exponent), common->step);
    int taken = 0, least = count < SLOTS ? 1 : SLOTS / 4;
    for (int s = 0; s < SLOTS; s++)
        T(slot_clear)(&slots, s);
    for (int s = 0; s < SLOTS && taken < count; s++)
        T(slot_take)(&slots, s, list[taken++], common, most);
    while (slots.actives >= least || taken < count) {
        uint32_t ended = T(slots_advance)(&slots, common, step, slopes);
        for (; ended; ended &= ended - 1) {
            const int s = __builtin_ctz(ended);
            T(slot_give)(&slots, s, common);
            if (taken < count)
                T(slot_take)(&slots, s, list[taken++], common, most);
            else
                T(slot_clear)(&slots, s);
        }
    }
    for (int s = 0; s < SLOTS; s++)
        if (slots.pixel[s])
            T(slot_give)(&slots, s, common);
}

#undef DZ_STEP
