/* Steps without the reference of many pixels of any formula at once, in the SIMD lanes of a
 * processor, to the bit as formula_direct.h takes them: see direct_packs.h. One jump for each
 * operation is taken by all packs together.
 *
 * A body, with the macros of direct_packs.h and PACKS. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES) || !defined(PACKS) || !defined(DEEP_REAL)
#error "formula_packs.h: a macro is missing"
#endif

struct T(formula_tangent) { /* tangents of a pack */
    PACK x, y, kept_x, kept_y;
};

struct T(formula_slots) {
    _Alignas(64) DEEP_REAL x[SLOTS], y[SLOTS], c_re[SLOTS], c_im[SLOTS];
    _Alignas(64) DEEP_REAL dx[SLOTS], dy[SLOTS], up_x[SLOTS], up_y[SLOTS]; /* with slopes */
    _Alignas(64) DEEP_REAL norm[SLOTS], slope[SLOTS], next[SLOTS];
    int64_t born[SLOTS], due[SLOTS];        /* on the clock */
    struct T(formula_pixel) * pixel[SLOTS]; /* NULL: idle */
    uint32_t active[PACKS];
    int actives;
    int64_t clock; /* steps since the beginning */
};

static void T(formula_slot_clear)(struct T(formula_slots) * slots, int s)
{
    slots->x[s] = slots->y[s] = slots->c_re[s] = slots->c_im[s] = 0;
    slots->dx[s] = slots->dy[s] = slots->up_x[s] = slots->up_y[s] = slots->next[s] = 0;
    slots->due[s] = INT64_MAX;
    slots->pixel[s] = NULL;
    slots->active[s / LANES] &= ~(1u << s % LANES);
}

static void T(formula_slot_take)(struct T(formula_slots) * slots, int s,
                                 struct T(formula_pixel) * pixel,
                                 const struct T(formula_common) * common, int64_t most)
{
    const struct T(formula_step_input) input = T(formula_direct_input)(pixel, common);
    const struct program_list list = T(formula_list)(common, 0);
    int64_t left = common->shared.limit - pixel->at.n;
    slots->x[s] = pixel->at.delta.x;
    slots->y[s] = pixel->at.delta.y;
    slots->dx[s] = pixel->at.dz.x;
    slots->dy[s] = pixel->at.dz.y;
    slots->up_x[s] = pixel->up.x;
    slots->up_y[s] = pixel->up.y;
    slots->c_re[s] = input.centre.x;
    slots->c_im[s] = input.centre.y;
    slots->norm[s] = pixel->at.norm;
    slots->slope[s] = pixel->at.slope;
    slots->next[s] = T(formula_direct_next)(pixel->at.slope, pixel->at.norm, T(list_stretch)(list),
                                            list.phase->degree);
    slots->born[s] = slots->clock;
    slots->due[s] = slots->clock + (most < left ? most : left);
    slots->pixel[s] = pixel;
    slots->active[s / LANES] |= 1u << s % LANES;
    slots->actives++;
}

static void T(formula_slot_give)(struct T(formula_slots) * slots, int s,
                                 const struct T(formula_common) * common)
{
    struct T(formula_pixel) *pixel = slots->pixel[s];
    pixel->at.delta.x = slots->x[s];
    pixel->at.delta.y = slots->y[s];
    pixel->at.dz.x = slots->dx[s];
    pixel->at.dz.y = slots->dy[s];
    pixel->up.x = slots->up_x[s];
    pixel->up.y = slots->up_y[s];
    pixel->at.norm = slots->norm[s];
    pixel->at.slope = slots->slope[s];
    T(formula_settle)
    (pixel, common, T(direct_end)(pixel->at.norm, slots->next[s], &common->shared.direct),
     slots->clock - slots->born[s]);
    T(formula_slot_clear)(slots, s);
    slots->actives--;
}

/* As tangent_after. dc: the derivative of c by the pixel's position. */
DEEP_FN void T(formula_tangent_take)(struct T(formula_tangent) * t, int operation, PACK x, PACK y,
                                     PACK kept_x, PACK kept_y, PACK dc_x, PACK dc_y)
{
    PACK u, v;
    switch (operation) {
    case OPERATION_ABS_X:
        t->x = P(flip)(t->x, x);
        break;
    case OPERATION_ABS_Y:
        t->y = P(flip)(t->y, y);
        break;
    case OPERATION_NEG_X:
        t->x = P(neg)(t->x);
        break;
    case OPERATION_NEG_Y:
        t->y = P(neg)(t->y);
        break;
    case OPERATION_KEEP:
        t->kept_x = t->x;
        t->kept_y = t->y;
        break;
    case OPERATION_MUL:
        u = P(fma)(kept_x, t->x, P(neg)(P(mul)(kept_y, t->y)));
        v = P(fma)(kept_x, t->y, P(mul)(kept_y, t->x));
        t->x = P(fma)(x, t->kept_x, P(fnma)(y, t->kept_y, u));
        t->y = P(fma)(x, t->kept_y, P(fma)(y, t->kept_x, v));
        break;
    case OPERATION_SQR:
        u = P(add)(x, x);
        v = P(add)(y, y);
        x = P(fma)(u, t->x, P(neg)(P(mul)(v, t->y)));
        t->y = P(fma)(u, t->y, P(mul)(v, t->x));
        t->x = x;
        break;
    case OPERATION_ADD:
        t->x = P(add)(t->x, dc_x);
        t->y = P(add)(t->y, dc_y);
        break;
    default:
        break;
    }
}

/* Multiplies x, y by a, b, as complex_mul. */
#define PACK_PRODUCT(x, y, a, b)                      \
    do {                                              \
        PACK x_ = P(fma)(x, a, P(neg)(P(mul)(y, b))); \
        (y) = P(fma)(x, b, P(mul)(y, a));             \
        (x) = x_;                                     \
    } while (0)

struct T(formula_packs) { /* state of all packs between two operations */
    PACK x[PACKS], y[PACKS], kept_x[PACKS], kept_y[PACKS];
    struct T(formula_tangent) right[PACKS], up[PACKS];
    PACK norm[PACKS], slope[PACKS], next[PACKS];
};

DEEP_FN void T(formula_packs_take)(struct T(formula_packs) * at, int operation,
                                   const struct T(formula_slots) * slots, struct COMPLEX dc,
                                   int slopes, int both)
{
    for (int v = 0; v < PACKS && slopes; v++) {
        T(formula_tangent_take)
        (&at->right[v], operation, at->x[v], at->y[v], at->kept_x[v], at->kept_y[v], P(splat)(dc.x),
         P(splat)(dc.y));
        if (both)
            T(formula_tangent_take)
        (&at->up[v], operation, at->x[v], at->y[v], at->kept_x[v], at->kept_y[v], P(splat)(-dc.y),
         P(splat)(dc.x));
    }
    switch (operation) {
    case OPERATION_ABS_X:
        for (int v = 0; v < PACKS; v++)
            at->x[v] = P(abs)(at->x[v]);
        break;
    case OPERATION_ABS_Y:
        for (int v = 0; v < PACKS; v++)
            at->y[v] = P(abs)(at->y[v]);
        break;
    case OPERATION_NEG_X:
        for (int v = 0; v < PACKS; v++)
            at->x[v] = P(neg)(at->x[v]);
        break;
    case OPERATION_NEG_Y:
        for (int v = 0; v < PACKS; v++)
            at->y[v] = P(neg)(at->y[v]);
        break;
    case OPERATION_KEEP:
        for (int v = 0; v < PACKS; v++) {
            at->kept_x[v] = at->x[v];
            at->kept_y[v] = at->y[v];
        }
        break;
    case OPERATION_MUL:
        for (int v = 0; v < PACKS; v++)
            PACK_PRODUCT(at->x[v], at->y[v], at->kept_x[v], at->kept_y[v]);
        break;
    case OPERATION_SQR:
        for (int v = 0; v < PACKS; v++) {
            PACK x = at->x[v], y = at->y[v];
            PACK_PRODUCT(at->x[v], at->y[v], x, y);
        }
        break;
    case OPERATION_ADD:
        for (int v = 0; v < PACKS; v++) {
            at->x[v] = P(add)(at->x[v], P(load)(slots->c_re + v * LANES));
            at->y[v] = P(add)(at->y[v], P(load)(slots->c_im + v * LANES));
        }
        break;
    default:
        break;
    }
}

#define FORMULA_SWAP(x, y) \
    do {                   \
        PACK x_ = x;       \
        (x) = y;           \
        (y) = x_;          \
    } while (0)

/* As tangents_times_c. */
DEEP_FN void T(formula_tangent_times_c)(struct T(formula_tangent) * t, PACK x, PACK y, PACK c_x,
                                        PACK c_y, PACK dc_x, PACK dc_y)
{
    PACK u = P(fma)(c_x, t->x, P(neg)(P(mul)(c_y, t->y)));
    PACK v = P(fma)(c_x, t->y, P(mul)(c_y, t->x));
    t->x = P(fma)(x, dc_x, P(fnma)(y, dc_y, u));
    t->y = P(fma)(x, dc_y, P(fma)(y, dc_x, v));
}

DEEP_FN void T(formula_packs_times_c)(struct T(formula_packs) * at,
                                      const struct T(formula_slots) * slots, struct COMPLEX dc)
{
    PACK dc_x = P(splat)(dc.x), dc_y = P(splat)(dc.y);
    for (int v = 0; v < PACKS; v++) {
        PACK c_x = P(load)(slots->c_re + v * LANES), c_y = P(load)(slots->c_im + v * LANES);
        T(formula_tangent_times_c)(&at->right[v], at->x[v], at->y[v], c_x, c_y, dc_x, dc_y);
        T(formula_tangent_times_c)(&at->up[v], at->x[v], at->y[v], c_x, c_y, P(neg)(dc_y), dc_x);
        PACK_PRODUCT(at->x[v], at->y[v], c_x, c_y);
    }
}

/* As walk_map. */
DEEP_FN void T(formula_packs_map)(struct T(formula_packs) * at, int operation,
                                  struct COMPLEX factor, const struct T(formula_slots) * slots,
                                  struct COMPLEX dc)
{
    if (operation == OPERATION_TIMES_C) {
        T(formula_packs_times_c)(at, slots, dc);
        return;
    }
    if (operation == OPERATION_SWAP) {
        for (int v = 0; v < PACKS; v++) {
            FORMULA_SWAP(at->x[v], at->y[v]);
            FORMULA_SWAP(at->right[v].x, at->right[v].y);
            FORMULA_SWAP(at->up[v].x, at->up[v].y);
        }
        return;
    }
    if (operation == OPERATION_SIGN_Y) {
        for (int v = 0; v < PACKS; v++) {
            PACK y = at->y[v], kept_y = at->kept_y[v];
            at->right[v].y = P(flip)(P(flip)(at->right[v].y, y), kept_y);
            at->up[v].y = P(flip)(P(flip)(at->up[v].y, y), kept_y);
            at->y[v] = P(flip)(P(abs)(y), kept_y);
        }
        return;
    }
    PACK x = P(splat)(factor.x), y = P(splat)(factor.y);
    for (int v = 0; v < PACKS; v++) {
        if (operation == OPERATION_PLUS) {
            at->x[v] = P(add)(at->x[v], x);
            at->y[v] = P(add)(at->y[v], y);
            continue;
        }
        PACK_PRODUCT(at->x[v], at->y[v], x, y);
        PACK_PRODUCT(at->right[v].x, at->right[v].y, x, y);
        PACK_PRODUCT(at->up[v].x, at->up[v].y, x, y);
    }
}

DEEP_FN void T(formula_packs_load)(struct T(formula_packs) * at,
                                   const struct T(formula_slots) * slots, int slopes)
{
    for (int v = 0; v < PACKS; v++) {
        at->x[v] = at->kept_x[v] = P(load)(slots->x + v * LANES);
        at->y[v] = at->kept_y[v] = P(load)(slots->y + v * LANES);
        at->next[v] = P(load)(slots->next + v * LANES);
    }
    for (int v = 0; v < PACKS && (slopes || DEEP_OWN); v++) {
        at->right[v].x = at->right[v].kept_x = P(load)(slots->dx + v * LANES);
        at->right[v].y = at->right[v].kept_y = P(load)(slots->dy + v * LANES);
        at->up[v].x = at->up[v].kept_x = P(load)(slots->up_x + v * LANES);
        at->up[v].y = at->up[v].kept_y = P(load)(slots->up_y + v * LANES);
    }
}

/* Updates all packs after a step; the lanes that end: of each pack in ends, of any is returned. */
DEEP_FN uint32_t T(formula_packs_arrive)(struct T(formula_packs) * at,
                                         const struct T(formula_slots) * slots, DEEP_REAL stretch,
                                         int degree, const struct T(direct_limits) * limits,
                                         uint32_t ends[PACKS])
{
    uint32_t any = 0;
    for (int v = 0; v < PACKS; v++) {
        at->slope[v] = at->next[v];
        at->norm[v] = P(fma)(at->x[v], at->x[v], P(mul)(at->y[v], at->y[v]));
        at->next[v] = P(mul)(at->slope[v], P(splat)(stretch));
    }
    for (int k = 1; k < degree; k++)
        for (int v = 0; v < PACKS; v++)
            at->next[v] = P(mul)(at->next[v], at->norm[v]);
#ifdef REAL_SLOPE_MOST
    for (int v = 0; v < PACKS; v++)
        at->next[v] = P(min)(at->next[v], P(splat)(REAL_SLOPE_MOST));
#endif
    for (int v = 0; v < PACKS; v++) {
        ends[v] = slots->active[v] & ~(P(le)(at->norm[v], P(splat)(limits->bailout_squared)) &
                                       P(le)(P(splat)(limits->norm_least), at->norm[v]) &
                                       P(le)(P(splat)(limits->slope_least), at->next[v]));
        any |= ends[v];
    }
    return any;
}

DEEP_FN void T(formula_packs_store)(const struct T(formula_packs) * at,
                                    struct T(formula_slots) * slots, int slopes)
{
    for (int v = 0; v < PACKS; v++) {
        P(store)(slots->x + v * LANES, at->x[v]);
        P(store)(slots->y + v * LANES, at->y[v]);
        P(store)(slots->next + v * LANES, at->next[v]);
        P(store)(slots->slope + v * LANES, at->slope[v]);
        P(store)(slots->norm + v * LANES, at->norm[v]);
    }
    for (int v = 0; v < PACKS && (slopes || DEEP_OWN); v++) {
        P(store)(slots->dx + v * LANES, at->right[v].x);
        P(store)(slots->dy + v * LANES, at->right[v].y);
        P(store)(slots->up_x + v * LANES, at->up[v].x);
        P(store)(slots->up_y + v * LANES, at->up[v].y);
    }
}

/* Takes up to `most` >= 1 steps of all lanes, until one of them ends: which, in ends. */
DEEP_FN int64_t T(formula_slots_step)(struct T(formula_slots) * slots,
                                      const struct T(formula_common) * common, struct COMPLEX dc,
                                      int slopes, int64_t most, uint32_t ends[PACKS])
{
    const struct T(direct_limits) *limits = &common->shared.direct;
#ifndef REAL_NARROW
    if (!DEEP_OWN || common->row)
        return common->row->lanes[slopes](slots, limits, dc, most, ends);
#endif
    const struct program_list list = T(formula_list)(common, 0);
    const struct program_phase *phase = list.phase;
    int both = !common->program.holomorphic;
    struct T(formula_packs) at;
    T(formula_packs_load)(&at, slots, slopes);
    int64_t i = 0;
    uint32_t any;
    do {
        for (int k = 0; k < phase->operations; k++)
            if (list_maps(list, k))
                T(formula_packs_map)(&at, phase->operation[k], T(list_factor)(list, k), slots, dc);
            else
                T(formula_packs_take)(&at, phase->operation[k], slots, dc, slopes, both);
        any =
            T(formula_packs_arrive)(&at, slots, T(list_stretch)(list), phase->degree, limits, ends);
    } while (++i < most && !any);
    T(formula_packs_store)(&at, slots, slopes);
    return i;
}

/* Steps until the first slot is due. */
static int64_t T(slots_due)(const int64_t *due, int slots, int64_t clock)
{
    int64_t first = INT64_MAX;
    for (int s = 0; s < slots; s++)
        first = due[s] < first ? due[s] : first;
    return first - clock;
}

/* As pixels_directly; of formulas of one phase. */
DEEP_FN void T(formulas_directly)(struct T(formula_pixel) *const *list, int count,
                                  const struct T(formula_common) * common, int slopes, int64_t most)
{
    struct T(formula_slots) slots = {.clock = 0};
    DEEP_REAL unit = common->dynamic ? 0 : T(wide_power)(common->shared.exponent);
    struct COMPLEX dc = T(complex_scale)(unit, common->shared.step);
    int taken = 0, least = count < SLOTS ? 1 : SLOTS / 4;
    for (int s = 0; s < SLOTS; s++)
        T(formula_slot_clear)(&slots, s);
    for (int s = 0; s < SLOTS && taken < count; s++)
        T(formula_slot_take)(&slots, s, list[taken++], common, most);
    while (slots.actives >= least || taken < count) {
        uint32_t ends[PACKS], ended = 0;
        const int64_t due = T(slots_due)(slots.due, SLOTS, slots.clock);
        int64_t steps = T(formula_slots_step)(&slots, common, dc, slopes, due, ends);
        slots.clock += steps;
        for (int v = 0; v < PACKS; v++)
            ended |= ends[v] << v * LANES;
        for (int s = 0; s < SLOTS && steps == due; s++)
            ended |= (uint32_t)(slots.due[s] == slots.clock) << s;
        for (; ended; ended &= ended - 1) {
            int s = __builtin_ctz(ended);
            T(formula_slot_give)(&slots, s, common);
            if (taken < count)
                T(formula_slot_take)(&slots, s, list[taken++], common, most);
        }
    }
    for (int s = 0; s < SLOTS; s++)
        if (slots.pixel[s])
            T(formula_slot_give)(&slots, s, common);
}
