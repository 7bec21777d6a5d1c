/* Blocks and steps along the reference of many pixels of a formula at once, in the SIMD lanes of a
 * processor, to the bit as formula_along takes them, and as many.
 *
 * One pixel waits for its last step before it knows what comes next. So all pixels of a chunk take
 * turns, a block or some steps each: those that have a block next, LANES at a time, and those that
 * have steps next. Each has its own place on the reference, since all of it is loaded by pairs of
 * doubles: parts of z, of a coefficient or of the reference.
 *
 * A body, behind formula_packs.h and with its macros. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "formula_along_packs.h: a macro is missing"
#endif

enum { ALONG_FEW = 2 }; /* so many pixels are faster one by one */

struct lane_complex { /* of LANES pixels */
    PACK x, y;
};

DEEP_FN struct lane_complex lane_pairs(const double *const from[LANES], int64_t at)
{
    struct lane_complex pairs;
    P(load_pairs)(from, at, &pairs.x, &pairs.y);
    return pairs;
}

/* As lane_pairs; same: all are the first's. */
DEEP_FN struct lane_complex lane_pairs_of(const double *const from[LANES], int64_t at, int same)
{
    struct lane_complex pairs;
    if (!same)
        return lane_pairs(from, at);
    pairs.x = P(splat)(from[0][at]);
    pairs.y = P(splat)(from[0][at + 1]);
    return pairs;
}

/* As complex_fma and complex_mul. */
DEEP_FN struct lane_complex lane_fma(struct lane_complex a, struct lane_complex b,
                                     struct lane_complex c)
{
    struct lane_complex sum;
    sum.x = P(fma)(a.x, b.x, P(fnma)(a.y, b.y, c.x));
    sum.y = P(fma)(a.x, b.y, P(fma)(a.y, b.x, c.y));
    return sum;
}

DEEP_FN struct lane_complex lane_mul(struct lane_complex a, struct lane_complex b)
{
    struct lane_complex product;
    product.x = P(fma)(a.x, b.x, P(neg)(P(mul)(a.y, b.y)));
    product.y = P(fma)(a.x, b.y, P(mul)(a.y, b.x));
    return product;
}

DEEP_FN struct lane_complex lane_add(struct lane_complex a, struct lane_complex b)
{
    a.x = P(add)(a.x, b.x);
    a.y = P(add)(a.y, b.y);
    return a;
}

DEEP_FN struct lane_complex lane_scale(PACK k, struct lane_complex a)
{
    a.x = P(mul)(k, a.x);
    a.y = P(mul)(k, a.y);
    return a;
}

DEEP_FN struct lane_complex lane_conj(struct lane_complex a)
{
    a.y = P(neg)(a.y);
    return a;
}

DEEP_FN PACK lane_max(struct lane_complex a)
{
    return P(max)(P(abs)(a.x), P(abs)(a.y));
}

DEEP_FN PACK lane_norm(struct lane_complex a)
{
    return P(fma)(a.x, a.x, P(mul)(a.y, a.y));
}

/* ---- LANES pixels ---- */

struct along_lanes {
    struct formula_pixel *pixel[LANES]; /* the first once more where there are fewer */
    double *at[LANES];                  /* the same */
    int count;
    int same;  /* all have the same place of the reference, n, and block if one */
    int apart; /* so many have to be looked at for that: LANES or 1 */
    struct lane_complex delta, right, up; /* right and up: where asked for */
};

#define PIXEL_MEMBER(member) ((int64_t)(offsetof(struct formula_pixel, member) / sizeof(double)))

DEEP_FN struct lane_complex along_lanes_pairs(const struct along_lanes *lanes, int64_t member)
{
    return lane_pairs((const double *const *)lanes->at, member);
}

DEEP_FN void along_lanes_load(struct along_lanes *lanes, struct formula_pixel *const *list,
                              int count, int slopes)
{
    lanes->count = count < LANES ? count : LANES;
    for (int l = 0; l < LANES; l++) {
        lanes->pixel[l] = list[l < count ? l : 0];
        lanes->at[l] = (double *)(void *)lanes->pixel[l];
    }
    lanes->delta = along_lanes_pairs(lanes, PIXEL_MEMBER(at.delta));
    if (slopes) {
        lanes->right = along_lanes_pairs(lanes, PIXEL_MEMBER(at.dz));
        lanes->up = along_lanes_pairs(lanes, PIXEL_MEMBER(up));
    }
}

DEEP_FN void along_lanes_store(const struct along_lanes *lanes, int slopes)
{
    P(store_pairs)(lanes->at, PIXEL_MEMBER(at.delta), lanes->delta.x, lanes->delta.y);
    if (slopes) {
        P(store_pairs)(lanes->at, PIXEL_MEMBER(at.dz), lanes->right.x, lanes->right.y);
        P(store_pairs)(lanes->at, PIXEL_MEMBER(up), lanes->up.x, lanes->up.y);
    }
}

/* ---- steps ---- */

struct lane_run { /* of LANES pixels */
    struct lane_complex delta, right, up, c;
    struct complex_f64 dc;
    const double *z[LANES], *tape[LANES]; /* of the first step */
    const uint8_t *taped;                 /* of struct program_phase */
    int same;                             /* z and tape of all */
};

struct lane_walk { /* as struct formula_walk, with tangents */
    struct lane_complex z, d, z_kept, d_kept;
    struct formula_tangent right, up;
    int64_t on_tape; /* doubles of the tape behind that of the run's first step */
};

DEEP_FN struct formula_tangent lane_tangent(struct lane_complex t)
{
    struct formula_tangent tangent = {t.x, t.y, t.x, t.y};
    return tangent;
}

DEEP_FN void lane_walk_begin(struct lane_walk *at, const struct lane_run *run,
                             struct lane_complex z, int slopes)
{
    at->z = at->z_kept = z;
    at->d = at->d_kept = run->delta;
    if (slopes) {
        at->right = lane_tangent(run->right);
        at->up = lane_tangent(run->up);
    }
}

DEEP_FN void lane_walk_end(const struct lane_walk *at, struct lane_run *run, int slopes)
{
    run->delta = at->d;
    if (slopes) {
        run->right.x = at->right.x;
        run->right.y = at->right.y;
        run->up.x = at->up.x;
        run->up.y = at->up.y;
    }
}

DEEP_FN PACK lane_fold_difference(PACK v, PACK d)
{
    PACK stays = P(flip)(d, v), folded = P(fnma)(P(splat)(2.0), P(abs)(v), P(neg)(stays));
    return P(max)(folded, stays);
}

/* As walk_take. */
DEEP_FN void lane_walk_take(struct lane_walk *at, int operation, struct lane_complex c)
{
    switch (operation) {
    case OPERATION_ABS_X:
        at->d.x = lane_fold_difference(at->z.x, at->d.x);
        at->z.x = P(abs)(at->z.x);
        break;
    case OPERATION_ABS_Y:
        at->d.y = lane_fold_difference(at->z.y, at->d.y);
        at->z.y = P(abs)(at->z.y);
        break;
    case OPERATION_NEG_X:
        at->d.x = P(neg)(at->d.x);
        at->z.x = P(neg)(at->z.x);
        break;
    case OPERATION_NEG_Y:
        at->d.y = P(neg)(at->d.y);
        at->z.y = P(neg)(at->z.y);
        break;
    case OPERATION_KEEP:
        at->d_kept = at->d;
        at->z_kept = at->z;
        break;
    case OPERATION_MUL:
        at->d = lane_fma(at->d, lane_add(at->z_kept, at->d_kept), lane_mul(at->z, at->d_kept));
        at->z = lane_mul(at->z, at->z_kept);
        break;
    case OPERATION_SQR: {
        const struct lane_complex doubled = lane_add(at->z, at->z);
        at->d = lane_mul(lane_add(doubled, at->d), at->d);
        at->z = lane_mul(at->z, at->z);
        break;
    }
    case OPERATION_ADD:
        at->d = lane_add(at->d, c);
        break;
    default:
        break;
    }
}

/* As row_take. */
DEEP_FN void lane_row_take(struct lane_walk *at, const struct lane_run *run, int operation,
                           int taped, int slopes, int both)
{
    if ((operation == OPERATION_ABS_X || operation == OPERATION_ABS_Y) && taped) {
        at->z = lane_pairs_of(run->tape, at->on_tape, run->same);
        at->on_tape += 2;
    }
    if (slopes) {
        struct lane_complex own = lane_add(at->z, at->d), kept = lane_add(at->z_kept, at->d_kept);
        formula_tangent_take(&at->right, operation, own.x, own.y, kept.x, kept.y,
                             P(splat)(run->dc.x), P(splat)(run->dc.y));
        if (both)
            formula_tangent_take(&at->up, operation, own.x, own.y, kept.x, kept.y,
                                 P(splat)(-run->dc.y), P(splat)(run->dc.x));
    }
    lane_walk_take(at, operation, run->c);
}

/* As along_goes_on: the lanes that do. z: of the next step's reference. */
DEEP_FN uint32_t lane_goes_on(struct lane_complex delta, struct lane_complex z, int leaves,
                              int degree, const struct direct_limits *limits)
{
    z = lane_add(z, delta);
    PACK norm = lane_norm(z);
    uint32_t stays =
        P(le)(norm, P(splat)(limits->bailout_squared)) & P(le)(lane_max(delta), lane_max(z));
    if (!leaves)
        return stays;
    PACK next = P(mul)(lane_norm(delta), P(splat)((double)(degree * degree)));
    for (int i = 1; i < degree; i++)
        next = P(mul)(next, norm);
    return stays & ~(P(le)(P(splat)(limits->norm_least), norm) &
                     P(le)(P(splat)(limits->slope_least), next));
}

/* ---- blocks ---- */

struct lane_block { /* of each lane */
    struct lane_complex a, b, a2, b2, d, g, h;
    PACK scale, scale_y; /* w = x scale + i y scale_y */
    uint32_t linear;
};

DEEP_FN struct lane_complex lane_argument(const struct lane_block *k, struct lane_complex delta)
{
    delta.x = P(mul)(delta.x, k->scale);
    delta.y = P(mul)(delta.y, k->scale_y);
    return delta;
}

#define BLOCK_MEMBER(member) ((int64_t)(offsetof(struct formula_block, member) / sizeof(double)))

/* Its scales. */
DEEP_FN struct complex_f64 lane_block_scales(const struct formula_block *block)
{
    const struct complex_f64 one = {1, 1};
    return formula_argument(block, one);
}

/* same: all are the first. */
DEEP_FN struct lane_block lane_block_load(const struct formula_block *const *block, int same)
{
    struct lane_block k;
    const double *record[LANES];
    for (int l = 0; l < (same ? 1 : LANES); l++)
        record[l] = (const double *)(const void *)block[l];
    if (same) {
        const struct complex_f64 scales = lane_block_scales(block[0]);
        k.scale = P(splat)(scales.x);
        k.scale_y = P(splat)(scales.y);
    } else {
        _Alignas(64) double scale[LANES], scale_y[LANES];
        for (int l = 0; l < LANES; l++) {
            const struct complex_f64 scales = lane_block_scales(block[l]);
            scale[l] = scales.x;
            scale_y[l] = scales.y;
        }
        k.scale = P(load)(scale);
        k.scale_y = P(load)(scale_y);
    }
    k.a = lane_pairs_of(record, BLOCK_MEMBER(a), same);
    k.b = lane_pairs_of(record, BLOCK_MEMBER(b), same);
    k.a2 = lane_pairs_of(record, BLOCK_MEMBER(a2), same);
    k.b2 = lane_pairs_of(record, BLOCK_MEMBER(b2), same);
    k.d = lane_pairs_of(record, BLOCK_MEMBER(d), same);
    k.g = lane_pairs_of(record, BLOCK_MEMBER(g), same);
    k.h = lane_pairs_of(record, BLOCK_MEMBER(h), same);
    PACK size = P(add)(lane_max(k.d), P(add)(lane_max(k.g), lane_max(k.h)));
    k.linear = P(le)(size, P(splat)(0));
    return k;
}

/* As formula_apply. */
DEEP_FN struct lane_complex lane_apply(const struct lane_block *k, struct lane_complex delta,
                                       struct lane_complex v, int similar)
{
    struct lane_complex w = lane_argument(k, delta);
    struct lane_complex of_v = lane_fma(k->b, v, lane_mul(k->b2, lane_conj(v)));
    struct lane_complex rest = lane_fma(k->a2, lane_conj(w), of_v);
    struct lane_complex a = lane_fma(lane_fma(lane_fma(k->h, w, k->g), w, k->d), w, k->a);
    if (!similar) {
        a.x = P(where)(k->linear, k->a.x, a.x);
        a.y = P(where)(k->linear, k->a.y, a.y);
    }
    return lane_fma(a, w, rest);
}

/* As formula_slope_apply. */
DEEP_FN struct lane_complex lane_slope_apply(const struct lane_block *k, struct lane_complex delta,
                                             struct lane_complex dz, struct complex_f64 of_dv)
{
    struct lane_complex w = lane_argument(k, delta), dw = lane_argument(k, dz);
    struct lane_complex dv = {P(splat)(of_dv.x), P(splat)(of_dv.y)};
    struct lane_complex d = lane_scale(P(splat)(2), k->d);
    d = lane_fma(lane_fma(lane_scale(P(splat)(4), k->h), w, lane_scale(P(splat)(3), k->g)), w, d);
    struct lane_complex of_w = lane_fma(lane_fma(d, w, k->a), dw, lane_mul(k->a2, lane_conj(dw)));
    return lane_fma(k->b, dv, lane_fma(k->b2, lane_conj(dv), of_w));
}

/* ---- turns ---- */

enum turn { TURN_BLOCK, TURN_STEPS, TURN_BEGINS, TURNS }; /* begins: a step from Z_0 */

/* A place that a pixel looked for a block at: neighbours mostly come to the same, and find the
 * same. */
struct along_place {
    int64_t m, n;              /* n: no less than along_near */
    int32_t reference, before; /* before: level of the last block */
    int most;                  /* formula_level_most */
    int level;                 /* what was found for keys from `least` to below `most_reach` */
    int32_t least, below;
    int number; /* of places and levels until now */
};

struct along_turns { /* of the pixels of a chunk */
    const struct formula_common *common;
    struct formula_pixel *pixels; /* the chunk's, and what is kept of each */
    struct pixel_kept *kept;
    struct formula_pixel *going[DEEP_CHUNK], *next[TURNS][DEEP_CHUNK], **away;
    int number[TURNS][DEEP_CHUNK]; /* equal: the same place and block */
    int goings, nexts[TURNS], aways;
    int64_t taken; /* blocks and steps */
};

/* Before this n the limit shortens no block. */
DEEP_FN int64_t along_near(const struct formula_common *common, int32_t reference)
{
    const struct block_table *table = &common->table[reference];
    return common->shared.limit - ((int64_t)1 << (table->shortest + table->levels));
}

/* As formula_level. */
DEEP_FN int along_place_level(struct along_place *place, const struct formula_pixel *pixel,
                              const struct formula_common *common)
{
    const struct pixel_state *at = &pixel->at;
    const int64_t near = along_near(common, pixel->reference), n = at->n > near ? at->n : near;
    if ((at->m ^ place->m) | (n ^ place->n) | (pixel->reference ^ place->reference) |
        (at->level ^ place->before)) {
        place->m = at->m;
        place->n = n;
        place->reference = pixel->reference;
        place->before = at->level;
        place->most = place->level = formula_level_most(pixel, common);
        place->least = place->most < 0 ? INT32_MIN : INT32_MAX;
        place->below = INT32_MAX;
        place->number++;
    }
    if (place->most < 0)
        return -1;
    const int32_t reach = wide_key(complex_reach(at->delta), 0);
    if (reach >= place->least && reach < place->below)
        return place->level;
    const struct block_table *table = &common->table[pixel->reference];
    int level = place->most;
    place->least = INT32_MIN;
    place->below = INT32_MAX;
    for (; level >= 0; level--) {
        int32_t radius = table->radius[level][(at->m - 1) >> (table->shortest + level)];
        if (reach < radius) {
            place->below = radius;
            break;
        }
        place->least = radius > place->least ? radius : place->least;
    }
    place->level = level;
    place->number++;
    return level;
}

/* What each pixel does next. */
static void turns_sort(struct along_turns *turns, enum blocks blocks)
{
    const struct formula_common *common = turns->common;
    struct along_place place = {.m = -1};
    for (int k = 0; k < TURNS; k++)
        turns->nexts[k] = 0;
    for (int i = 0; i < turns->goings; i++) {
        struct formula_pixel *pixel = turns->going[i];
        int level = -1;
        if (blocks != BLOCKS_NONE) {
            level = along_place_level(&place, pixel, common);
            if (level < 0 && formula_leave(pixel, common)) {
                turns->away[turns->aways++] = pixel;
                continue;
            }
            pixel->at.level = level < 0 ? 0 : level;
        }
        const enum turn turn = level >= 0 ? TURN_BLOCK : pixel->at.m ? TURN_STEPS : TURN_BEGINS;
        turns->number[turn][turns->nexts[turn]] = place.number;
        turns->next[turn][turns->nexts[turn]++] = pixel;
    }
    turns->goings = 0;
}

/* 1: all are at the same place, with the same n and, if one, block. */
DEEP_FN int turns_load(const struct along_turns *turns, enum turn turn, int first, int slopes,
                       struct along_lanes *lanes)
{
    along_lanes_load(lanes, &turns->next[turn][first], turns->nexts[turn] - first, slopes);
    const int *number = &turns->number[turn][first];
    return number[0] == number[lanes->count - 1];
}

/* ---- what is behind an advance ---- */

struct lane_arrival { /* of each lane */
    struct lane_complex z;
    PACK norm;
    uint32_t last;   /* the orbit may end */
    uint32_t rebase; /* else: rebases */
    uint32_t ends;   /* a run of steps ends here, whatever its room is */
};

/* last: the lanes at the limit, or at an end. */
DEEP_FN struct lane_arrival lane_arrive(const struct formula_common *common,
                                        struct lane_complex delta, struct lane_complex reference,
                                        uint32_t last)
{
    const struct direct_limits *limits = &common->shared.direct;
    struct lane_arrival at;
    at.z = lane_add(reference, delta);
    at.norm = lane_norm(at.z);
    at.last = last | (~P(le)(at.norm, P(splat)(limits->bailout_squared)) & LANES_BELOW(LANES));
    at.rebase = ~P(le)(lane_max(delta), lane_max(at.z)) & LANES_BELOW(LANES) & ~at.last;
    at.ends = ~lane_goes_on(delta, reference, common->program.similar,
                            common->program.phase[0].degree, limits);
    return at;
}

/* Those that have not rebased yet do; ends: lanes whose run of steps ended. */
DEEP_FN void turns_settle(struct along_turns *turns, struct along_lanes *lanes,
                          const struct lane_arrival *arrival, uint32_t ends, int slopes)
{
    const struct formula_common *common = turns->common;
    _Alignas(64) double norm[LANES];
    P(store)(norm, arrival->norm);
    lanes->delta.x = P(where)(arrival->rebase, arrival->z.x, lanes->delta.x);
    lanes->delta.y = P(where)(arrival->rebase, arrival->z.y, lanes->delta.y);
    along_lanes_store(lanes, slopes);
    for (int l = 0; l < lanes->count; l++) {
        struct formula_pixel *pixel = lanes->pixel[l];
        int done = 0;
        pixel->at.norm = norm[l];
        if (arrival->rebase >> l & 1)
            formula_rebase(pixel, common);
        if (arrival->last >> l & 1)
            done = formula_arrive(pixel, common);
        if (!done && ends >> l & 1 && formula_repeats(pixel, &turns->kept[pixel - turns->pixels])) {
            pixel->at.n = common->shared.limit;
            done = 1;
        }
        if (!done)
            turns->going[turns->goings++] = pixel;
    }
}

/* ---- pixels at different places ---- */

/* `steps` of each behind where they were; ends: lanes whose run of steps ends by that. */
DEEP_FN void turns_arrive(struct along_turns *turns, struct along_lanes *lanes,
                          const int64_t *steps, int64_t counted, uint32_t ends, int slopes)
{
    const struct formula_common *common = turns->common;
    const double *z[LANES];
    uint32_t last = 0;
    for (int l = 0; l < LANES; l++) {
        struct formula_pixel *pixel = lanes->pixel[l];
        const struct formula_reference *reference = &common->reference[pixel->reference];
        if (l < lanes->count) {
            pixel->at.m += steps[l];
            pixel->at.n += steps[l];
            pixel->at.steps += (uint64_t)counted;
            turns->taken += counted;
            formula_go_round(pixel, common);
        }
        z[l] = &reference->z[pixel->at.m].x;
        last |= (uint32_t)((pixel->at.n == common->shared.limit) | (pixel->at.m == reference->end))
                << l;
    }
    const struct lane_arrival arrival = lane_arrive(common, lanes->delta, lane_pairs(z, 0), last);
    turns_settle(turns, lanes, &arrival, ends | arrival.ends | arrival.last, slopes);
}

DEEP_FN const struct formula_block *along_block(const struct formula_pixel *pixel,
                                                const struct formula_common *common)
{
    const struct block_table *table = &common->table[pixel->reference];
    const void *record = table->record[pixel->at.level];
    return (const struct formula_block *)record +
           ((pixel->at.m - 1) >> (table->shortest + pixel->at.level));
}

DEEP_FN void lanes_leap(struct along_lanes *lanes, const struct formula_common *common,
                        const struct lane_block *k, struct lane_complex v, int slopes)
{
    if (slopes) {
        const struct complex_f64 dv = common->shared.step_v;
        lanes->right = lane_slope_apply(k, lanes->delta, lanes->right, dv);
        if (!common->program.holomorphic)
            lanes->up = lane_slope_apply(k, lanes->delta, lanes->up, complex_turned(dv));
    }
    lanes->delta = lane_apply(k, lanes->delta, v, common->program.similar);
}

/* Without the places of its lanes. */
DEEP_FN struct lane_run lanes_run(const struct along_lanes *lanes,
                                  const struct formula_common *common, struct lane_complex c,
                                  int slopes, int same)
{
    struct lane_run run;
    run.delta = lanes->delta;
    if (slopes) {
        run.right = lanes->right;
        run.up = lanes->up;
    }
    run.c = c;
    run.dc = common->dynamic ? complex_scale(0, common->shared.step) : common->shared.step;
    run.taped = common->program.phase[0].taped;
    run.same = same;
    return run;
}

DEEP_FN int64_t lanes_step(struct along_lanes *lanes, const struct formula_common *common,
                           struct lane_run *run, int slopes, int64_t most)
{
    const int64_t taken = common->row->along_lanes[slopes](run, &common->shared.direct,
                                                           common->program.similar, most);
    lanes->delta = run->delta;
    if (slopes) {
        lanes->right = run->right;
        lanes->up = run->up;
    }
    return taken;
}

DEEP_FN struct lane_complex lanes_c(const struct along_lanes *lanes)
{
    return along_lanes_pairs(lanes, PIXEL_MEMBER(at.c));
}

DEEP_FN struct lane_complex lanes_v(const struct along_lanes *lanes,
                                    const struct formula_common *common)
{
    return lane_scale(P(splat)(common->shared.per_unit), lanes_c(lanes));
}

DEEP_FN void turns_leap(struct along_turns *turns, struct along_lanes *lanes, int slopes)
{
    const struct formula_common *common = turns->common;
    const struct formula_block *block[LANES];
    int64_t steps[LANES];
    for (int l = 0; l < LANES; l++) {
        const struct formula_pixel *pixel = lanes->pixel[l];
        block[l] = along_block(pixel, common);
        steps[l] = (int64_t)1 << (common->table[pixel->reference].shortest + pixel->at.level);
    }
    const struct lane_block k = lane_block_load(block, 0);
    lanes_leap(lanes, common, &k, lanes_v(lanes, common), slopes);
    turns_arrive(turns, lanes, steps, 1, LANES_BELOW(LANES), slopes);
}

DEEP_FN void turns_step(struct along_turns *turns, struct along_lanes *lanes, int slopes)
{
    const struct formula_common *common = turns->common;
    struct lane_run run = lanes_run(lanes, common, lanes_c(lanes), slopes, 0);
    int64_t room[LANES], steps[LANES], most = INT64_MAX;
    uint32_t ends = 0;
    for (int l = 0; l < LANES; l++) {
        const struct formula_pixel *pixel = lanes->pixel[l];
        run.z[l] = &common->reference[pixel->reference].z[pixel->at.m].x;
        run.tape[l] = (const double *)formula_tape_at(common, pixel);
        room[l] = formula_room(pixel, common);
        most = room[l] < most ? room[l] : most;
    }
    const int64_t taken = lanes_step(lanes, common, &run, slopes, most);
    for (int l = 0; l < LANES; l++) {
        steps[l] = taken;
        ends |= (uint32_t)(room[l] == taken) << l;
    }
    turns_arrive(turns, lanes, steps, taken, ends, slopes);
}

/* ---- pixels at the same place ---- */

/* So many blocks and steps can be taken before one of them has to be kept; and the places that are
 * kept, by their last six bits. */
DEEP_FN int64_t together_most(const struct along_turns *turns, const struct along_lanes *lanes,
                              uint64_t *kept_at)
{
    int64_t most = STEPS_BETWEEN_STOPS / DEEP_CHUNK;
    *kept_at = 0;
    for (int l = 0; l < lanes->count; l++) {
        const struct formula_pixel *pixel = lanes->pixel[l];
        const struct pixel_kept *kept = &turns->kept[pixel - turns->pixels];
        int64_t left = (int64_t)(kept->due - pixel->at.steps);
        most = left < most ? left : most;
        *kept_at |= (uint64_t)1 << (kept->m & 63);
    }
    return most;
}

/* May one of them be where it was kept? */
DEEP_FN int together_repeats(const struct along_turns *turns, const struct along_lanes *lanes)
{
    const double *kept[LANES];
    for (int l = 0; l < LANES; l++)
        kept[l] = &turns->kept[lanes->pixel[l] - turns->pixels].delta.x;
    const struct lane_complex delta = lane_pairs(kept, 0);
    return (P(eq)(delta.x, lanes->delta.x) & P(eq)(delta.y, lanes->delta.y)) != 0;
}

/* The smallest number of a key. */
DEEP_FN double along_key_number(int32_t key)
{
    enum { INFINITE = 2047 * 4096 };
    uint64_t bits = (uint64_t)(key < 0 ? 0 : key > INFINITE ? INFINITE : key) << 40;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* As formula_level, of all; below -1: it is not the same. */
DEEP_FN int together_level(const struct formula_pixel *place, const struct formula_common *common,
                           struct lane_complex delta)
{
    enum { DIFFERENT = -2 };
    int level = formula_level_most(place, common);
    if (level < 0)
        return level;
    const struct block_table *table = &common->table[place->reference];
    PACK x = P(abs)(delta.x), y = P(abs)(delta.y);
    PACK large = P(max)(x, y), small = P(neg)(P(max)(P(neg)(x), P(neg)(y)));
    PACK reach = P(fma)(P(splat)(0.41421356237309515), small, large);
    for (; level >= 0; level--) {
        int32_t radius = table->radius[level][(place->at.m - 1) >> (table->shortest + level)];
        uint32_t beyond = P(le)(P(splat)(along_key_number(radius)), reach);
        if (beyond != LANES_BELOW(LANES))
            return beyond ? DIFFERENT : level;
    }
    return level;
}

/* The largest n, and whether others are not that. */
DEEP_FN int together_furthest(const struct along_lanes *lanes, int64_t *furthest)
{
    int apart = 0;
    for (int l = 0; l < lanes->count; l++) {
        const int64_t n = lanes->pixel[l]->at.n;
        apart |= n != *furthest;
        *furthest = n > *furthest ? n : *furthest;
    }
    return apart;
}

/* All go on by the same blocks and steps, for as long as that is what each would take. */
DEEP_FN void turns_together(struct along_turns *turns, struct along_lanes *lanes, enum turn turn,
                            int slopes)
{
    const struct formula_common *common = turns->common;
    const uint32_t all = LANES_BELOW(LANES);
    struct formula_pixel place = *lanes->pixel[0];
    const uint64_t before = place.at.steps;
    const int apart = together_furthest(lanes, &place.at.n);
    const int64_t first = place.at.n;
    const struct lane_complex c = lanes_c(lanes), v = lanes_v(lanes, common);
    uint64_t kept_at;
    const int64_t most = together_most(turns, lanes, &kept_at);
    struct lane_arrival arrival;
    uint32_t ends;
    int level = turn == TURN_BLOCK ? place.at.level : -1;
    for (;;) {
        int64_t steps = 1;
        ends = all;
        if (level >= 0) {
            const struct formula_block *block = along_block(&place, common);
            const struct lane_block k = lane_block_load(&block, 1);
            lanes_leap(lanes, common, &k, v, slopes);
            steps <<= common->table[place.reference].shortest + level;
            place.at.steps++;
        } else {
            const int64_t room = formula_room(&place, common);
            struct lane_run run = lanes_run(lanes, common, c, slopes, 1);
            run.z[0] = &common->reference[place.reference].z[place.at.m].x;
            run.tape[0] = (const double *)formula_tape_at(common, &place);
            steps = lanes_step(lanes, common, &run, slopes, room);
            ends = steps == room ? all : 0;
            place.at.steps += (uint64_t)steps;
        }
        place.at.m += steps;
        place.at.n += steps;
        formula_go_round(&place, common);
        const struct formula_reference *reference = &common->reference[place.reference];
        const struct complex_f64 z = formula_point(common, &place);
        const struct lane_complex of_z = {P(splat)(z.x), P(splat)(z.y)};
        int last = place.at.n == common->shared.limit || place.at.m == reference->end;
        arrival = lane_arrive(common, lanes->delta, of_z, last ? all : 0);
        ends |= arrival.ends | arrival.last;
        if (arrival.last || (arrival.rebase && arrival.rebase != all) || (ends & all) != all)
            break;
        if (arrival.rebase) {
            lanes->delta = arrival.z;
            arrival.rebase = 0;
            formula_rebase(&place, common);
        }
        if (apart && place.at.n > along_near(common, place.reference))
            break;
        if ((int64_t)(place.at.steps - before) >= most ||
            (kept_at >> (formula_kept_place(&place) & 63) & 1 && together_repeats(turns, lanes)))
            break;
        level = together_level(&place, common, lanes->delta);
        if (level < -1 || (level < 0 && common->program.similar && arrival.ends))
            break;
        place.at.level = level < 0 ? 0 : level;
    }
    for (int l = 0; l < lanes->count; l++) {
        struct formula_pixel *pixel = lanes->pixel[l];
        pixel->at.m = place.at.m;
        pixel->at.n += place.at.n - first;
        pixel->at.level = place.at.level;
        pixel->at.steps += place.at.steps - before;
        turns->taken += (int64_t)(place.at.steps - before);
        pixel->reference = place.reference;
    }
    turns_settle(turns, lanes, &arrival, ends, slopes);
}

DEEP_FN void turns_take(struct along_turns *turns, enum turn turn, int slopes)
{
    for (int first = 0; first < turns->nexts[turn]; first += LANES) {
        struct along_lanes lanes;
        if (turns_load(turns, turn, first, slopes, &lanes))
            turns_together(turns, &lanes, turn, slopes);
        else if (turn == TURN_BLOCK)
            turns_leap(turns, &lanes, slopes);
        else
            turns_step(turns, &lanes, slopes);
    }
}

/* As formula_until_away, of each pixel of a list; those that go without the reference into `away`,
 * and how many. */
DEEP_FN int formulas_until_away(struct formula_pixel **list, int count,
                                const struct formula_common *common, enum blocks blocks, int slopes,
                                struct formula_pixel *pixels, struct pixel_kept *kept,
                                struct formula_pixel **away)
{
    struct along_turns turns;
    turns.common = common;
    turns.pixels = pixels;
    turns.kept = kept;
    turns.away = away;
    turns.goings = turns.aways = 0;
    turns.taken = 0;
    for (int i = 0; i < count; i++)
        if (list[i]->at.direct)
            away[turns.aways++] = list[i];
        else
            turns.going[turns.goings++] = list[i];
    while (turns.taken < STEPS_BETWEEN_STOPS && turns.goings > ALONG_FEW) {
        turns_sort(&turns, blocks);
        turns_take(&turns, TURN_BLOCK, slopes);
        turns_take(&turns, TURN_STEPS, slopes);
        turns_take(&turns, TURN_BEGINS, slopes);
    }
    for (int i = 0; i < turns.goings && turns.goings <= ALONG_FEW; i++)
        if (formula_until_away(turns.going[i], common, blocks, slopes, 0,
                               &kept[turns.going[i] - pixels]))
            away[turns.aways++] = turns.going[i];
    return turns.aways;
}
