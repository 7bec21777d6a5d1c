#include "render/bench_orbit.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "decomposition/clock.h"
#include "kernels/orbit/orbit.h"
#include "render/sorted.h"

static const struct {
    long bits;
    double goal;
} sizes[] = {{256, 2.5}, {1024, 1.3}, {4096, 1}, {16384, 1}, {65536, 1}};

/* In the period-3 bulb, where a round trip shrinks by 0.999 only: it neither escapes nor closes a
 * cycle for longer than this takes, and all digits of z stay in use. */
static const char *const centre[2] = {"-0.037025667466868806", "0.7788796699113392"};

#define TURN_S 0.02 /* of MPFR */

struct plain { /* what anybody would write */
    mpfr_t cx, cy, x, y, xx, yy, sum;
    struct orbit_point *point;
    int escaped;
};

static enum status plain_create(struct plain *plain, long bits)
{
    mpfr_inits2(bits, plain->cx, plain->cy, plain->x, plain->y, plain->xx, plain->yy, plain->sum,
                (mpfr_ptr)0);
    mpfr_set_str(plain->cx, centre[0], 10, MPFR_RNDN);
    mpfr_set_str(plain->cy, centre[1], 10, MPFR_RNDN);
    mpfr_set_zero(plain->x, 1);
    mpfr_set_zero(plain->y, 1);
    plain->point = NULL;
    return STATUS_OK;
}

static void plain_destroy(struct plain *plain)
{
    mpfr_clears(plain->cx, plain->cy, plain->x, plain->y, plain->xx, plain->yy, plain->sum,
                (mpfr_ptr)0);
    free(plain->point);
}

/* x' = x^2 - y^2 + cx, y' = (x + y)^2 - x^2 - y^2 + cy */
static void plain_steps(struct plain *plain, int steps)
{
    for (int i = 0; i < steps; i++) {
        mpfr_sqr(plain->xx, plain->x, MPFR_RNDN);
        mpfr_sqr(plain->yy, plain->y, MPFR_RNDN);
        mpfr_add(plain->sum, plain->x, plain->y, MPFR_RNDN);
        mpfr_sqr(plain->sum, plain->sum, MPFR_RNDN);
        mpfr_sub(plain->x, plain->xx, plain->yy, MPFR_RNDN);
        mpfr_add(plain->x, plain->x, plain->cx, MPFR_RNDN);
        mpfr_sub(plain->y, plain->sum, plain->xx, MPFR_RNDN);
        mpfr_sub(plain->y, plain->y, plain->yy, MPFR_RNDN);
        mpfr_add(plain->y, plain->y, plain->cy, MPFR_RNDN);
        double x = mpfr_get_d(plain->x, MPFR_RNDN), y = mpfr_get_d(plain->y, MPFR_RNDN);
        plain->point[i] = (struct orbit_point){x, y};
        plain->escaped += x * x + y * y > 1e10;
    }
}

/* So many that MPFR takes TURN_S. */
static enum status turn_choose(struct plain *plain, int *steps)
{
    double per_step = INFINITY;
    for (*steps = 4;; *steps *= 2) {
        void *grown = realloc(plain->point, 2 * (size_t)*steps * sizeof *plain->point);
        if (!grown)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d points", 2 * *steps);
        plain->point = grown;
        double begin = clock_s();
        plain_steps(plain, *steps);
        per_step = fmin(per_step, (clock_s() - begin) / *steps); /* whatever else is running */
        if (per_step * *steps * 2 > TURN_S)
            return STATUS_OK;
    }
}

struct turns { /* [repeats] each */
    double *one, *all, *mpfr, *by_one, *by_all;
};

static double orbit_turn(struct orbit *orbit, int steps, enum status *status)
{
    double begin = clock_s();
    *status = orbit_extend(orbit, orbit->length - 1 + steps);
    return (clock_s() - begin) / steps;
}

static enum status turns_take(struct plain *plain, struct orbit *one, struct orbit *all, int steps,
                              int repeats, const struct turns *turns)
{
    enum status status;
    orbit_turn(all, steps, &status); /* tries how many threads pay, and warms up */
    for (int r = 0; status == STATUS_OK && r < repeats; r++) {
        turns->one[r] = orbit_turn(one, steps, &status);
        if (status == STATUS_OK)
            turns->all[r] = orbit_turn(all, steps, &status);
        double begin = clock_s();
        plain_steps(plain, steps);
        turns->mpfr[r] = (clock_s() - begin) / steps;
        turns->by_one[r] = turns->mpfr[r] / turns->one[r];
        turns->by_all[r] = turns->mpfr[r] / turns->all[r];
    }
    if (status == STATUS_OK && (one->end != ORBIT_LIMIT || plain->escaped))
        return status_fail(STATUS_INTERNAL, "the benchmark's orbit ended");
    return status;
}

static void row_judge(struct bench_orbit_row *row, const struct turns *turns, int repeats)
{
    row->one_s = median(turns->one, repeats);
    row->all_s = median(turns->all, repeats);
    row->mpfr_s = median(turns->mpfr, repeats);
    row->faster_by_one = median(turns->by_one, repeats);
    row->faster_by_all = median(turns->by_all, repeats);
    row->of_goal = row->goal / row->faster_by_one;
}

static enum status size_measure(const struct bench_orbit_options *options,
                                const struct turns *turns, struct bench_orbit_row *row)
{
    struct orbit one = {0}, all = {0};
    struct plain plain = {.escaped = 0};
    /* With a disc of some pixels to watch, as a picture has. */
    struct orbit_options wanted = {.bits = row->bits,
                                   .radius = 1e5,
                                   .log2_disc = 64 - (double)row->bits,
                                   .threads = 1,
                                   .stop = options->stop};
    plain_create(&plain, row->bits);
    enum status status = turn_choose(&plain, &row->steps);
    if (status == STATUS_OK)
        status = orbit_create(&one, &wanted, centre[0], centre[1]);
    wanted.threads = options->threads;
    if (status == STATUS_OK)
        status = orbit_create(&all, &wanted, centre[0], centre[1]);
    if (status == STATUS_OK)
        status = turns_take(&plain, &one, &all, row->steps, options->repeats, turns);
    if (status == STATUS_OK) {
        row->threads = all.threads;
        row_judge(row, turns, options->repeats);
    }
    orbit_destroy(&one);
    orbit_destroy(&all);
    plain_destroy(&plain);
    return status;
}

enum status bench_orbit(const struct bench_orbit_options *options,
                        void (*row)(void *context, const struct bench_orbit_row *row),
                        void *context)
{
    size_t n = (size_t)options->repeats;
    double *block = calloc(5 * n, sizeof *block);
    if (!block)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for times");
    struct turns turns = {block, block + n, block + 2 * n, block + 3 * n, block + 4 * n};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof sizes / sizeof *sizes; i++) {
        struct bench_orbit_row line = {.bits = sizes[i].bits, .goal = sizes[i].goal};
        status = size_measure(options, &turns, &line);
        if (status == STATUS_OK)
            row(context, &line);
    }
    free(block);
    return status;
}
