/* Squares of pixels that are proven to be interior before any of their pixels is iterated. Belongs
 * to cpu_body.h, which includes it after the macros. The claim and its proof:
 * kernels/escape/cycle.h. One lane is enough: few squares need many steps, and most that are proven
 * need few. */
#ifndef BODY
#error "cpu_squares.h: belongs to cpu_body.h"
#endif

/* The middle of a square, and how far its pixels' c lie from it. 0: it is left to the tests for the
 * cardioid and the disc, which hold at its corners, or its pixels are not neighbours. */
static int NAME(cycle_square_of)(const struct grid *grid, const struct cpu_square *square,
                                 struct cycle_square *at)
{
    double re[2], im[2], dx = grid_diagonal(grid, square->width - 1, square->height - 1);
    double dy = grid->down_y * (square->height - 1);
    int32_t x = grid->x + square->x, y = pixel_row(grid, square->y);
    pixel_c(grid, x, y, &re[0], &im[0]);
    pixel_c(grid, x + square->width - 1, y + square->height - 1, &re[1], &im[1]);
    for (int i = 0; i < 2; i++) {
        re[i] = REAL_VALUE(REAL_OF(re[i]));
        im[i] = REAL_VALUE(REAL_OF(im[i]));
    }
    /* Half a diagonal, and more than the roundings of c here and in each pixel. */
    double half = 0.5 * hypot(grid->step_re, grid->step_im) * hypot(dx, dy);
    *at =
        (struct cycle_square){0.5 * (re[0] + re[1]), 0.5 * (im[0] + im[1]),
                              (float)(half * (1 + 0x1p-16) + TRAP_ROUNDING), (float)TRAP_ROUNDING};
    return !grid->cells && !(interior_surely(re[0], im[0], DIRECT_MARGIN) &&
                             interior_surely(re[1], im[1], DIRECT_MARGIN));
}

/* The subsquare of `side` pixels at (x, y) of a square, cut at its edges; 0: it has no pixel. */
static int NAME(subsquare)(const struct cpu_square *square, int32_t x, int32_t y, int32_t side,
                           struct cpu_square *sub)
{
    *sub = *square;
    sub->x += x;
    sub->y += y;
    sub->width = square->width - x < side ? square->width - x : side;
    sub->height = square->height - y < side ? square->height - y : side;
    return sub->width > 0 && sub->height > 0;
}

/* The subsquares that are proven of a quarter of a square whose cycle is known; and its trap. */
static unsigned NAME(quarter_prove)(const struct grid *grid, const struct cpu_square *quarter,
                                    struct bend_seed seed, struct cpu_trap *trap)
{
    struct cycle_square at;
    struct cpu_square sub;
    unsigned proven = 0;
    trap->half = 0;
    if (!NAME(cycle_square_of)(grid, quarter, &at))
        return 0;
    int verdict = bend_from_seed(&seed, &at);
    if (verdict > 0)
        return 1 | 1 << 1 | 1 << SUBSQUARES | 1 << (SUBSQUARES + 1);
    if (verdict < 0)
        return 0;
    *trap = (struct cpu_trap){seed.w.x, seed.w.y, seed.w.dx,         seed.w.dy,
                              at.cx,    at.cy,    seed.trap * 0.7071};
    for (int p = 0; p < 4; p++)
        if (NAME(subsquare)(quarter, p % 2 * SUBSQUARE, p / 2 * SUBSQUARE, SUBSQUARE, &sub) &&
            NAME(cycle_square_of)(grid, &sub, &at) && bend_from_seed(&seed, &at) > 0)
            proven |= 1u << (p / 2 * SUBSQUARES + p % 2);
    return proven;
}

/* The subsquares of a square that are proven. */
static unsigned NAME(square_prove)(struct cpu_task *task, const struct cpu_square *square,
                                   struct bend_seed *seed)
{
    enum { ALL = (1 << SUBSQUARES * SUBSQUARES) - 1, HALF = SQUARE / 2 };
    int64_t limit = task->spec->limit;
    int steps = limit < PROOF_STEPS ? (int)limit : PROOF_STEPS, bends = limit >= BEND_LIMIT;
    struct cycle_square at;
    struct cpu_square quarter;
    unsigned proven = 0;
    if (!NAME(cycle_square_of)(task->grid, square, &at))
        return 0;
    int verdict = bends ? bend_from_seed(seed, &at) : -1;
    if (verdict > 0 || cycle_proves_square(&at, steps))
        return ALL;
    if (bends && verdict < 0)
        verdict = bend_from_orbit(seed, &at, steps);
    if (verdict != 0)
        return verdict > 0 ? ALL : 0;
    for (int q = 0; q < QUARTERS; q++) {
        struct cpu_trap *trap = &task->traps[square->number * QUARTERS + (size_t)q];
        trap->half = 0;
        if (NAME(subsquare)(square, q % 2 * HALF, q / 2 * HALF, HALF, &quarter))
            proven |= NAME(quarter_prove)(task->grid, &quarter, *seed, trap)
                      << (q / 2 * 2 * SUBSQUARES + q % 2 * 2);
    }
    task->trapped[square->number] = 1;
    atomic_store_explicit(&task->any_trap, 1, memory_order_relaxed);
    return proven;
}

/* One thread's share of a round of proofs. */
static void NAME(prove)(struct cpu_task *task, enum cpu_round round)
{
    struct bend_seed seed = {.period = 0};
    struct cpu_square square;
    while (cpu_task_square(task, round, &square))
        cpu_task_proven(task, square.number, NAME(square_prove)(task, &square, &seed));
}
