/* One thread, all threads, a GPU where there is one that takes orbits, and MPFR's three squares
 * take turns on the same centre. Of the first and the last the processor time counts, so that
 * another load on the machine counts little; of the others the time that passes. All keep the
 * points as doubles and look for escape. */
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "app/bench/bench.h"
#include "app/bench/bench_table.h"
#include "app/process/stop.h"
#include "decomposition/thread/clock.h"
#include "kernels/backend.h"
#include "kernels/orbit/fixed.h"
#include "kernels/orbit/orbit.h"
#include "kernels/orbit_devices.h"
#include "render/plan/sorted.h"

static const struct size {
    long bits;
    double goal; /* for one thread over MPFR */
} sizes[] = {{256, 2.5}, {1024, 3}, {4096, 3}, {16384, 3}, {32600, 1}, {65500, 1}, {131000, 1}};

/* A point in the period-3 bulb, where a round trip shrinks by 0.999 only: its orbit neither escapes
 * nor closes a cycle for longer than this takes, and all digits of z stay in use. */
static const char *const centre[2] = {"-0.037025667466868806", "0.7788796699113392"};

enum { GPU_STEPS = 20 }; /* turns of a GPU, which begins by some launches, over those of others */
#define ROUND_S 0.02     /* time of the steps by MPFR that are measured at once */

/* Processor time of this thread. */
static double processor_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct plain { /* the orbit by plain calls of MPFR */
    mpfr_t cx, cy, x, y, xx, yy, sum;
    struct orbit_point *point;
    int escaped;
};

static void plain_create(struct plain *plain, long bits)
{
    mpfr_inits2(bits, plain->cx, plain->cy, plain->x, plain->y, plain->xx, plain->yy, plain->sum,
                (mpfr_ptr)0);
    mpfr_set_str(plain->cx, centre[0], 10, MPFR_RNDN);
    mpfr_set_str(plain->cy, centre[1], 10, MPFR_RNDN);
    mpfr_set_zero(plain->x, 1);
    mpfr_set_zero(plain->y, 1);
    plain->point = NULL;
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

/* Finds the number of steps for which MPFR takes ROUND_S. */
static enum status turn_choose(struct plain *plain, int *steps)
{
    double per_step = INFINITY;
    for (*steps = 4;; *steps *= 2) {
        void *grown = realloc(plain->point, 2 * (size_t)*steps * sizeof *plain->point);
        if (!grown)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d points", 2 * *steps);
        plain->point = grown;
        double begin = processor_s();
        plain_steps(plain, *steps);
        per_step = fmin(per_step, (processor_s() - begin) / *steps);
        if (per_step * *steps * 2 > ROUND_S)
            return STATUS_OK;
    }
}

struct turns { /* seconds of one step, and MPFR's time over ours of the same turn */
    double one[BENCH_REPEATS], all[BENCH_REPEATS], mpfr[BENCH_REPEATS];
    double by_one[BENCH_REPEATS], by_all[BENCH_REPEATS];
    double gpu[BENCH_REPEATS], all_by_gpu[BENCH_REPEATS]; /* if there is one */
};

struct orbit_by { /* orbits by one thread, by all, and by a GPU */
    struct orbit one, all, gpu;
    bool has_gpu;
};

static double orbit_turn(struct orbit *orbit, double (*clock)(void), int steps, enum status *status)
{
    double begin = clock();
    *status = orbit_extend(orbit, orbit->length - 1 + steps);
    return (clock() - begin) / steps;
}

static enum status turns_take(struct plain *plain, struct orbit_by *orbits, int steps,
                              struct turns *turns)
{
    enum status status;
    orbit_turn(&orbits->all, clock_s, steps, &status); /* tries how many threads pay; warms up */
    if (orbits->has_gpu && status == STATUS_OK)
        orbit_turn(&orbits->gpu, clock_s, GPU_STEPS * steps, &status);
    for (int r = 0; status == STATUS_OK && r < BENCH_REPEATS; r++) {
        turns->one[r] = orbit_turn(&orbits->one, processor_s, steps, &status);
        if (status == STATUS_OK)
            turns->all[r] = orbit_turn(&orbits->all, clock_s, steps, &status);
        if (status == STATUS_OK && orbits->has_gpu)
            turns->gpu[r] = orbit_turn(&orbits->gpu, clock_s, GPU_STEPS * steps, &status);
        double begin = processor_s();
        plain_steps(plain, steps);
        turns->mpfr[r] = (processor_s() - begin) / steps;
        turns->by_one[r] = turns->mpfr[r] / turns->one[r];
        turns->by_all[r] = turns->mpfr[r] / turns->all[r];
        turns->all_by_gpu[r] = turns->all[r] / turns->gpu[r];
    }
    if (status == STATUS_OK && (orbits->one.end != ORBIT_LIMIT || plain->escaped))
        return status_fail(STATUS_INTERNAL, "the benchmark's orbit ended");
    return status;
}

static const struct bench_field fields[] = {
    {"bits", "bits", 7, 0, 1, ""},
    {"steps", NULL, 0, 0, 1, ""},
    {"step_s", "us", 10, 3, 1e6, ""},
    {"step_mpfr_s", "MPFR us", 12, 3, 1e6, ""},
    {"faster", "faster", 8, 2, 1, ""},
    {"goal", NULL, 0, 0, 1, ""},
    {"of_goal", "of goal", 8, 2, 1, ""},
    {"step_threads_s", "threads us", 12, 3, 1e6, ""},
    {"faster_threads", "faster", 8, 2, 1, ""},
    {"threads", "threads", 8, 0, 1, ""},
    {"step_gpu_s", "GPU us", 8, 3, 1e6, ""},
    {"faster_gpu", "faster", 8, 2, 1, ""},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static void row_tell(struct bench_table *table, const struct size *size, int steps,
                     const struct orbit_by *orbits, struct turns *turns)
{
    bool by_gpu = orbits->has_gpu && orbit_device_steps(&orbits->gpu);
    double faster = median(turns->by_one, BENCH_REPEATS);
    bench_table_row(table, (struct bench_cell[FIELDS]){
                               {.number = (double)size->bits},
                               {.number = steps},
                               {.number = median(turns->one, BENCH_REPEATS)},
                               {.number = median(turns->mpfr, BENCH_REPEATS)},
                               {.number = faster},
                               {.number = size->goal},
                               {.number = size->goal / faster},
                               {.number = median(turns->all, BENCH_REPEATS)},
                               {.number = median(turns->by_all, BENCH_REPEATS)},
                               {.number = orbits->all.threads},
                               {.number = by_gpu ? median(turns->gpu, BENCH_REPEATS) : NAN},
                               {.number = by_gpu ? median(turns->all_by_gpu, BENCH_REPEATS) : NAN},
                           });
}

/* Creates the orbits. A GPU counts where it takes so many digits. */
static enum status orbits_create(struct orbit_by *orbits, const struct size *size, int threads,
                                 struct orbit_device device)
{
    /* A disc of some pixels is watched, as for a picture. */
    struct orbit_options wanted = {.bits = size->bits,
                                   .radius = 1e5,
                                   .log2_disc = 64 - (double)size->bits,
                                   .threads = 1,
                                   .stop = &stop_requested};
    TRY(orbit_create(&orbits->one, &wanted, centre[0], centre[1]));
    wanted.threads = threads;
    TRY(orbit_create(&orbits->all, &wanted, centre[0], centre[1]));
    orbits->has_gpu = device.kind && device.kind->digits(fixed_limbs(size->bits));
    if (!orbits->has_gpu)
        return STATUS_OK;
    TRY(orbit_create(&orbits->gpu, &wanted, centre[0], centre[1]));
    orbit_device_set(&orbits->gpu, device);
    return STATUS_OK;
}

static enum status size_measure(struct bench_table *table, const struct size *size, int threads,
                                struct orbit_device device)
{
    struct orbit_by orbits = {.has_gpu = false};
    struct plain plain = {.escaped = 0};
    struct turns turns = {.one = {0}};
    int steps = 0;
    plain_create(&plain, size->bits);
    enum status status = turn_choose(&plain, &steps);
    if (status == STATUS_OK)
        status = orbits_create(&orbits, size, threads, device);
    if (status == STATUS_OK)
        status = turns_take(&plain, &orbits, steps, &turns);
    if (status == STATUS_OK)
        row_tell(table, size, steps, &orbits, &turns);
    orbit_destroy(&orbits.one);
    orbit_destroy(&orbits.all);
    orbit_destroy(&orbits.gpu);
    plain_destroy(&plain);
    return status;
}

static struct orbit_device gpu_find(void)
{
    const struct backend_kind *kind;
    char why[128];
    if (backend_kind_find(&kind, "auto") != STATUS_OK)
        return (struct orbit_device){.kind = NULL};
    return orbit_device_find(kind->name, 0, why, sizeof why);
}

enum status bench_orbit(const struct invocation *invocation)
{
    struct bench_table table;
    enum status status = STATUS_OK;
    int threads = (int)config_integer(&invocation->config, OPTION_COMPUTE_THREADS);
    const struct orbit_device device = gpu_find();
    bench_table_begin(&table, invocation, "orbit", fields, FIELDS);
    for (size_t i = 0; status == STATUS_OK && i < sizeof sizes / sizeof *sizes; i++)
        status = size_measure(&table, &sizes[i], threads, device);
    bench_table_rows_end(&table);
    if (table.as_json)
        json_integer(&table.json, "repeats", BENCH_REPEATS);
    else if (status == STATUS_OK)
        printf(
            "\nus: one step of a reference orbit on one thread; MPFR us: three squares, at the\n"
            "same precision in the same turns; both in processor time, medians of %d. threads us:\n"
            "with all threads, in time that passes, of which `threads` were taken; GPU us: by the\n"
            "first GPU, where it takes numbers of so many digits, over all threads. Goals,\n"
            "with AVX-512 IFMA: 2.5 times as fast at 256 bits, 3 at 1024 to 16384, never slower;\n"
            "of goal: 1 or less reaches it.\n",
            BENCH_REPEATS);
    return bench_table_end(&table, status);
}
