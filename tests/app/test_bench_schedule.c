/* Does the play of a schedule take the time that can be worked out by hand, and do forecasts of
 * real pictures balance as promised?
 *
 * What the pictures cost is played from schedule_costs.bin: kernels count differently on every
 * instruction set. `test_bench_schedule --write` records it anew, with what this processor has. */
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/bench/schedule.h"
#include "render/device/cost_map.h"
#include "app/bench/schedule_simulation.h"

/* --- recorded costs --------------------------------------------------------------------------- */

/* Linked with --wrap. Costs are recorded as bytes, 11 for each doubling: 3 % at most beside what
 * was counted, and the largest cell has 256 x 20,000 iterations. */
static FILE *record;
static bool recording;

static double decoded(int code)
{
    return exp2(code / 11.0) - 1;
}

static void costs_keep(const double *cost, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fputc((int)lround(11 * log2(cost[i] + 1)), record);
}

static void costs_play(double *cost, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int code = fgetc(record);
        assert_true(code != EOF);
        cost[i] = decoded(code);
    }
}

enum status __real_cost_cells(const struct cost_device *, const struct grid *, double *,
                              uint64_t *);
enum status __wrap_cost_cells(const struct cost_device *, const struct grid *, double *,
                              uint64_t *);
enum status __wrap_cost_cells(const struct cost_device *device, const struct grid *whole,
                              double *cost, uint64_t *interior)
{
    size_t columns = (size_t)(whole->width + COST_CELL_PX - 1) / COST_CELL_PX;
    size_t cells = columns * ((size_t)(whole->height + COST_CELL_PX - 1) / COST_CELL_PX);
    enum status status = STATUS_OK;
    if (recording) {
        status = __real_cost_cells(device, whole, cost, interior);
        if (status != STATUS_OK) /* stopped by the test */
            return status;
        costs_keep(cost, cells);
        fwrite(interior, sizeof *interior, 1, record);
    } else {
        costs_play(cost, cells);
        assert_int_equal(fread(interior, sizeof *interior, 1, record), 1);
    }
    return status;
}

enum status __real_cost_samples(const struct cost_device *, const struct grid *, int, int, float *,
                                uint64_t *);
enum status __wrap_cost_samples(const struct cost_device *, const struct grid *, int, int, float *,
                                uint64_t *);
enum status __wrap_cost_samples(const struct cost_device *device, const struct grid *whole,
                                int part, int parts, float *samples, uint64_t *iterations)
{
    size_t count = cost_part(whole, parts);
    double *cost = calloc(count, sizeof *cost);
    enum status status = STATUS_OK;
    assert_non_null(cost);
    if (recording)
        status = __real_cost_samples(device, whole, part, parts, samples, iterations);
    for (size_t i = 0; i < count; i++)
        cost[i] = samples[i];
    if (recording)
        costs_keep(cost, count);
    else
        costs_play(cost, count);
    for (size_t i = 0; i < count && !recording; i++) {
        samples[i] = (float)cost[i];
        *iterations += (uint64_t)cost[i];
    }
    free(cost);
    return status;
}

/* --- plays ------------------------------------------------------------------------------------ */

static struct simulation_report play(const struct simulated_job *job)
{
    struct simulation_report report;
    assert_int_equal(schedule_simulate(job, &report), STATUS_OK);
    return report;
}

static void expect_s(double got, double wanted)
{
    if (fabs(got - wanted) > 1e-9)
        print_message("%.12g instead of %.12g\n", got, wanted);
    assert_true(fabs(got - wanted) <= 1e-9); /* roundings of sums of a few seconds */
}

TEST(plays_take_the_time_that_they_should)
{
    static const double cost[] = {300, 200, 100, 100, 100}, alike[] = {100, 100, 100};
    struct simulated_job job = {
        .schedule = &schedule_dynamic, .cost = cost, .tiles = 5, .workers = 1, .speed = alike};
    expect_s(play(&job).seconds, 8);
    job.workers = 2; /* 3 + 1 beside 2 + 1 + 1 */
    expect_s(play(&job).seconds, 4);
    expect_s(play(&job).ideal_s, 4);
    expect_s(play(&job).dearest_s, 3);
    job.schedule = &schedule_cyclic; /* 3 + 1 + 1 beside 2 + 1 */
    expect_s(play(&job).seconds, 5);
    job.workers = 3; /* 3 + 1, 2 + 1, 1 */
    expect_s(play(&job).seconds, 4);
}

/* Each tile takes 1 s of computing and 1 s beside it. */
TEST(messages_take_their_time)
{
    static const double cost[] = {100, 100, 100}, alike[] = {100};
    struct simulated_job job = {.schedule = &schedule_dynamic,
                                .cost = cost,
                                .tiles = 3,
                                .workers = 1,
                                .speed = alike,
                                .overhead = {.tile_s = 1, .round_trip_s = 2}};
    /* A second there, two tiles; the last one is kept for whoever is idle first, so its worker asks
     * and waits 2; the tile, a second back. */
    struct simulation_report report = play(&job);
    expect_s(report.seconds, 1 + 4 + 2 + 2 + 1);
    expect_s(report.starved_s, 2);
    expect_s(report.overhead_s, 3);
    job.overhead.round_trip_s = 6;
    report = play(&job);
    expect_s(report.seconds, 3 + 4 + 6 + 2 + 3);
    expect_s(report.starved_s, 6);
    /* Rank 0 gives at 10 and 20, hears of both at 30 and 40, gives at 50 and hears at 61 + 10. */
    job.overhead = (struct forecast_overhead){.root_s = 10};
    report = play(&job);
    expect_s(report.root_s, 60);
    expect_s(report.seconds, 61);
}

/* One in two is four times slower. It gets the tile that takes it as long as the dearest takes the
 * other, and none that the other would wait for. */
TEST(a_slow_worker_gets_a_small_tile)
{
    static const double cost[] = {400, 380, 360, 200, 100, 90, 80}, speed[] = {400, 100};
    static const float forecast[] = {400, 380, 360, 200, 100, 90, 80};
    struct simulated_job job = {.schedule = &schedule_dynamic,
                                .cost = cost,
                                .forecast = forecast,
                                .tiles = 7,
                                .workers = 2,
                                .speed = speed};
    struct simulation_report report = play(&job);
    expect_s(report.dearest_s, 1); /* 100 at a speed of 100; not 400 */
    assert_true(report.seconds < 1.2 * report.ideal_s);
}

TEST(nothing_and_more_workers_than_tiles)
{
    double cost[] = {5}, speed[64];
    for (int i = 0; i < 64; i++)
        speed[i] = 1;
    for (int s = 0; s < schedule_kinds_count; s++) {
        struct simulated_job job = {
            .schedule = schedule_kinds[s], .cost = cost, .tiles = 1, .workers = 64, .speed = speed};
        expect_s(play(&job).seconds, 5);
        job.tiles = 0;
        expect_s(play(&job).seconds, 0);
    }
}

struct seen {
    int rows[PARKS];
    const char *views[SCHEDULE_VIEWS];
    int count;
};

static void look(void *context, const struct schedule_row *row)
{
    struct seen *seen = context;
    const double *got = row->efficiency;
    if (row->park == PARK_FREE)
        seen->views[seen->count++] = row->view->name;
    seen->rows[row->park]++;
    print_message("%s, %s: %.3f, exact %.3f, planned %.3f\n", row->view->name,
                  schedule_park_names[row->park], got[SCHEME_FORECAST], got[SCHEME_ORACLE],
                  got[SCHEME_PLANNED]);
    assert_int_equal(row->workers, 32);
    for (int s = 0; s < SCHEMES; s++)
        assert_true(got[s] > 0 && got[s] <= 1);
    if (row->park != PARK_AWAY) /* nobody waits for a word from rank 0 under cyclic */
        assert_true(got[SCHEME_FORECAST] > got[SCHEME_CYCLIC]);
    if (row->park == PARK_FREE) { /* the promise of the sharing out */
        assert_true(got[SCHEME_FORECAST] >= 0.97);
        assert_true(got[SCHEME_ORACLE] >= 0.99);
    }
    if (row->park == PARK_MIXED) /* a quarter of them 8 times slower, messages that cost time */
        assert_true(got[SCHEME_FORECAST] >= 0.85);
    /* The third is long enough that messages do not matter, over a network too. */
    if (!strcmp(row->view->name, "minibrot's edge")) {
        assert_true(row->view->interior > 0.2 && row->view->interior < 0.3);
        assert_true(got[SCHEME_FORECAST] >= (row->park == PARK_AWAY ? 0.93 : 0.97));
    }
}

TEST(forecasts_of_the_three_views_balance_32_workers)
{
    struct seen seen = {.count = 0};
    struct schedules_options options = {.workers_least = 32, .workers_most = 32};
    record = fopen(COSTS, recording ? "wb" : "rb");
    assert_non_null(record);
    assert_int_equal(schedules_compare(&options, look, &seen), STATUS_OK);
    assert_int_equal(seen.count, SCHEDULE_VIEWS);
    for (int p = 0; p < PARKS; p++)
        assert_int_equal(seen.rows[p], SCHEDULE_VIEWS);
    if (!recording)
        assert_int_equal(fgetc(record), EOF);
    rewind(record);
    volatile int stop = 1;
    options.stop = &stop;
    assert_int_equal(schedules_compare(&options, look, &seen), STATUS_STOPPED);
    fclose(record);
}

int main(int argc, char **argv)
{
    recording = argc > 1 && !strcmp(argv[1], "--write");
    return check_run(NULL, NULL);
}
