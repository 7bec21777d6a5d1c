/* Squares of pixels that are proven to be interior before any of their pixels is iterated. Part of
 * cpu_body.h, which includes it after the macros. What is proven, and why it is a proof:
 * kernels/escape/trap.h. */
#ifndef BODY
#error "cpu_squares.h: is part of cpu_body.h"
#endif

struct NAME(squares) {
    ALIGNED REAL cx[SLOTS], cy[SLOTS]; /* c_0, in the middle */
    ALIGNED REAL spread[SLOTS];        /* s: no c of the square is farther from it */
    size_t number[SLOTS];              /* of the square in the tile's map */
    int count;
};

struct NAME(orbit) { /* of one pack of squares */
    PACK x, y, a, b, r;
};

/* For which lanes has the disc come to lie within the one that was kept? Each of the two distances
 * may take half of the room. */
static inline uint32_t NAME(orbit_within)(const struct NAME(orbit) * now,
                                          const struct NAME(orbit) * kept, PACK s)
{
    PACK half = P(splat)((REAL)0.499), room = P(mul)(half, P(sub)(kept->r, now->r));
    PACK dx = P(sub)(now->x, kept->x), dy = P(sub)(now->y, kept->y);
    PACK da = P(mul)(s, P(sub)(now->a, kept->a)), db = P(mul)(s, P(sub)(now->b, kept->b));
    PACK room_squared = P(mul)(room, room);
    return P(le)(P(splat)(0), room) & P(le)(NORM(dx, dy), room_squared) &
           P(le)(NORM(da, db), room_squared);
}

/* Tries the proof in up to `steps` steps; proven[v] becomes the lanes for which it succeeded. The
 * radius is enlarged, and the disc kept, at steps 128, 256, 512, ... */
static void NAME(squares_prove)(const struct NAME(squares) * squares, int steps,
                                uint32_t proven[PACKS])
{
    struct NAME(orbit) now[PACKS], kept[PACKS];
    PACK one = P(splat)(1), two = P(splat)(2), radius_max = P(splat)((REAL)TRAP_RADIUS_MAX);
    PACK rounding = P(splat)((REAL)TRAP_ROUNDING), up = P(splat)((REAL)TRAP_UP);
    PACK norm_max = P(splat)((REAL)TRAP_NORM_MAX);
    uint32_t alive[PACKS];
    for (int v = 0; v < PACKS; v++) {
        now[v].x = now[v].y = now[v].a = now[v].b = now[v].r = P(splat)(0);
        kept[v] = now[v];
        alive[v] = LANES_BELOW(squares->count - v * LANES);
        proven[v] = 0;
    }
    for (int k = 1, keep = 128; k <= steps; k++) {
        uint32_t any = 0;
        for (int v = 0; v < PACKS; v++) {
            PACK cx = P(load)(squares->cx + v * LANES), cy = P(load)(squares->cy + v * LANES);
            PACK s = P(load)(squares->spread + v * LANES), reach;
            struct NAME(orbit) *o = &now[v];
            alive[v] &= P(le)(NORM(o->x, o->y), norm_max);
            TRAP_STEP_(PREFIX, o->x, o->y, o->a, o->b, o->r, reach, cx, cy, s, one, two, rounding,
                       up);
            alive[v] &= P(le)(reach, radius_max);
            proven[v] |= alive[v] & NAME(orbit_within)(o, &kept[v], s);
            alive[v] &= ~proven[v];
            any |= alive[v];
            if (k == keep) {
                o->r = P(mul)(two, P(fma)(P(sqrt)(NORM(o->a, o->b)), s, o->r));
                kept[v] = *o;
            }
        }
        if (!any)
            break;
        keep += k == keep ? keep : 0;
    }
}

static void NAME(square_add)(struct NAME(squares) * squares, const struct grid *grid,
                             const struct cpu_square *square)
{
    double re[2], im[2];
    int32_t x = grid->x + square->x, y = pixel_row(grid, square->y);
    pixel_c(grid, x, y, &re[0], &im[0]);
    pixel_c(grid, x + square->width - 1, y + square->height - 1, &re[1], &im[1]);
    int i = squares->count++;
    squares->cx[i] = (REAL)(0.5 * (re[0] + re[1]));
    squares->cy[i] = (REAL)(0.5 * (im[0] + im[1]));
    /* Half a diagonal, and more than what the roundings of c here and in each pixel can be. */
    double half =
        0.5 * hypot(grid->step_re, grid->step_im) * hypot(square->width - 1, square->height - 1);
    squares->spread[i] = (REAL)(half * (1 + 0x1p-16) + TRAP_ROUNDING);
    squares->number[i] = square->number;
}

static void NAME(squares_finish)(struct NAME(squares) * squares, struct cpu_task *task)
{
    uint32_t proven[PACKS];
    int64_t limit = task->spec->limit;
    for (int i = squares->count; i < SLOTS; i++)
        squares->cx[i] = squares->cy[i] = squares->spread[i] = 0;
    NAME(squares_prove)(squares, limit < PROOF_STEPS ? (int)limit : PROOF_STEPS, proven);
    for (int i = 0; i < squares->count; i++)
        if (proven[i / LANES] >> i % LANES & 1)
            cpu_task_proven(task, squares->number[i]);
    squares->count = 0;
}

/* One thread's share of a round of proofs. A square whose first pixel the tests for the cardioid
 * and the disc know is left to them. */
static void NAME(prove)(struct cpu_task *task, enum cpu_round round)
{
    struct NAME(squares) squares = {.count = 0};
    struct cpu_square square;
    while (cpu_task_square(task, round, &square)) {
        double re, im;
        pixel_c(task->grid, task->grid->x + square.x, pixel_row(task->grid, square.y), &re, &im);
        if (interior_surely((double)(REAL)re, (double)(REAL)im, DIRECT_MARGIN))
            continue;
        NAME(square_add)(&squares, task->grid, &square);
        if (squares.count == SLOTS)
            NAME(squares_finish)(&squares, task);
    }
    if (squares.count)
        NAME(squares_finish)(&squares, task);
}
