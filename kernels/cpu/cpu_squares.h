/* Squares of pixels that are proven to be interior before any of their pixels is iterated. Part of
 * cpu_body.h, which includes it after the macros. What is proven, and why it is a proof:
 * kernels/escape/cycle.h. One lane does it: few squares need many steps, and most of those that are
 * proven need few. */
#ifndef BODY
#error "cpu_squares.h: is part of cpu_body.h"
#endif

/* The middle of a square, and what its pixels' c are about it. 0: its corners are known to the
 * tests for the cardioid and the disc, which it is left to, or its pixels are not neighbours. */
static int NAME(square_place)(const struct grid *grid, const struct cpu_square *square,
                              struct cycle_place *place)
{
    double re[2], im[2], dx = square->width - 1, dy = square->height - 1;
    int32_t x = grid->x + square->x, y = pixel_row(grid, square->y);
    pixel_c(grid, x, y, &re[0], &im[0]);
    pixel_c(grid, x + square->width - 1, y + square->height - 1, &re[1], &im[1]);
    for (int i = 0; i < 2; i++) {
        re[i] = (double)(REAL)re[i];
        im[i] = (double)(REAL)im[i];
    }
    /* Half a diagonal, and more than what the roundings of c here and in each pixel can be. */
    double half = 0.5 * hypot(grid->step_re, grid->step_im) * hypot(dx, dy);
    *place =
        (struct cycle_place){0.5 * (re[0] + re[1]), 0.5 * (im[0] + im[1]),
                             (float)(half * (1 + 0x1p-16) + TRAP_ROUNDING), (float)TRAP_ROUNDING};
    return !grid->cells && !(interior_surely(re[0], im[0], DIRECT_MARGIN) &&
                             interior_surely(re[1], im[1], DIRECT_MARGIN));
}

/* One thread's share of a round of proofs. */
static void NAME(prove)(struct cpu_task *task, enum cpu_round round)
{
    int64_t limit = task->spec->limit;
    int steps = limit < PROOF_STEPS ? (int)limit : PROOF_STEPS;
    struct cpu_square square;
    struct cycle_place place;
    while (cpu_task_square(task, round, &square))
        if (NAME(square_place)(task->grid, &square, &place) && cycle_proves_square(&place, steps))
            cpu_task_proven(task, square.number);
}
