/* How well do 1 to 4,096 workers share a picture?
 *
 * What pixels cost is counted by kernels of one instruction set, so that it is the same on every
 * processor that has it. Who is given which tile is decided by the code of a job
 * (decomposition/schedule/); computing and messages take virtual time. A worker has one thread and
 * two tiles at a time, and rank 0 hears and answers one message after the other.
 *
 * `test_many_workers --table` prints the section "Many workers" of BENCHMARKS.md. */
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decomposition/schedule/forecast.h"
#include "decomposition/schedule/task_table.h"
#include "render/device/cost_map.h"
#include "render/plan/plan.h"

/* ---- a job in virtual time ------------------------------------------------------------------- */

enum { CREDITS = 2 };

/* Rank 0 asks again whom it has refused, as the pool does. */
static const double feed_interval_s = 0.0005;

struct job {
    const struct schedule_kind *schedule;
    const double *cost;    /* [tiles] iterations that a tile takes */
    const float *forecast; /* [tiles] what the list was sorted by; NULL: none */
    uint32_t tiles, workers;
    const double *speed; /* [workers] iterations per second */
    struct forecast_overhead overhead;
};

enum event_kind {
    EVENT_TAKE, /* a tile reaches its worker */
    EVENT_DONE, /* a worker has computed one */
    EVENT_TILE, /* rank 0 is told */
    EVENT_FEED  /* rank 0 looks who could be given something now */
};

struct event {
    double at_s;
    uint64_t number; /* of two at the same time the earlier one made */
    enum event_kind kind;
    uint32_t worker, tile;
};

struct worker {
    uint32_t waits[CREDITS]; /* tiles given and not begun */
    int waiting;
    bool busy;
    uint32_t listed; /* static schedule: tiles of its own list that are begun */
};

struct play {
    const struct job *job;
    struct task_table *table;
    struct worker *worker; /* [workers] */
    struct event *event;   /* a heap, the next on top */
    size_t events;
    uint64_t numbers;
    double root_free_s, root_busy_s, over_s; /* over: rank 0 has heard of the last tile */
};

static bool sooner(const struct event *a, const struct event *b)
{
    if (a->at_s < b->at_s || a->at_s > b->at_s)
        return a->at_s < b->at_s;
    return a->number < b->number;
}

/* Each tile is under way at most twice, and there is one feed: there is always room. */
static void post(struct play *play, double at_s, enum event_kind kind, uint32_t worker,
                 uint32_t tile)
{
    struct event event = {at_s, play->numbers++, kind, worker, tile};
    size_t at = play->events++;
    for (; at > 0 && sooner(&event, &play->event[(at - 1) / 2]); at = (at - 1) / 2)
        play->event[at] = play->event[(at - 1) / 2];
    play->event[at] = event;
}

static struct event take(struct play *play)
{
    struct event top = play->event[0], last = play->event[--play->events];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < play->events; at = child) {
        if (child + 1 < play->events && sooner(&play->event[child + 1], &play->event[child]))
            child++;
        if (!sooner(&play->event[child], &last))
            break;
        play->event[at] = play->event[child];
    }
    play->event[at] = last;
    return top;
}

static double compute_s(const struct job *job, uint32_t worker, uint32_t tile)
{
    return job->cost[tile] / job->speed[worker];
}

/* Rank 0 is at it for root_s, when it has time. */
static double root_works(struct play *play, double now_s)
{
    play->root_free_s = fmax(play->root_free_s, now_s) + play->job->overhead.root_s;
    play->root_busy_s += play->job->overhead.root_s;
    return play->root_free_s;
}

static bool give(struct play *play, uint32_t worker, double now_s)
{
    uint32_t left = table_undone(play->table);
    uint32_t tile = left ? table_next(play->table, worker, now_s) : play->job->tiles;
    if (tile == play->job->tiles)
        return false;
    double sent_s = root_works(play, now_s);
    post(play, sent_s + play->job->overhead.round_trip_s / 2, EVENT_TAKE, worker, tile);
    return true;
}

static void give_all(struct play *play, double now_s)
{
    for (bool any = true; any;) {
        any = false;
        for (uint32_t worker = 0; worker < play->job->workers; worker++)
            any |= give(play, worker, now_s);
    }
}

static void hear(struct play *play, const struct event *event)
{
    double heard_s = root_works(play, event->at_s);
    table_done(play->table, event->worker, event->tile, (uint64_t)play->job->cost[event->tile],
               compute_s(play->job, event->worker, event->tile));
    play->over_s = heard_s;
    while (!play->job->schedule->is_static && give(play, event->worker, heard_s))
        continue;
}

/* The next tile of a worker without a word from rank 0; the number of tiles: none. */
static uint32_t next_tile(struct play *play, uint32_t number)
{
    const struct job *job = play->job;
    struct worker *worker = &play->worker[number];
    if (job->schedule->is_static)
        return job->schedule->at(worker->listed++, number, job->workers, job->tiles);
    if (worker->waiting == 0)
        return job->tiles;
    uint32_t tile = worker->waits[0];
    worker->waits[0] = worker->waits[--worker->waiting];
    return tile;
}

static void go_on(struct play *play, uint32_t number, double now_s)
{
    struct worker *worker = &play->worker[number];
    uint32_t tile = worker->busy ? play->job->tiles : next_tile(play, number);
    if (tile == play->job->tiles)
        return;
    worker->busy = true;
    double takes_s = play->job->overhead.tile_s + compute_s(play->job, number, tile);
    post(play, now_s + takes_s, EVENT_DONE, number, tile);
}

static void happen(struct play *play, const struct event *event)
{
    struct worker *worker = &play->worker[event->worker];
    switch (event->kind) {
    case EVENT_TAKE:
        worker->waits[worker->waiting++] = event->tile;
        go_on(play, event->worker, event->at_s);
        return;
    case EVENT_DONE:
        worker->busy = false;
        post(play, event->at_s + play->job->overhead.round_trip_s / 2, EVENT_TILE, event->worker,
             event->tile);
        go_on(play, event->worker, event->at_s);
        return;
    case EVENT_TILE:
        hear(play, event);
        return;
    case EVENT_FEED:
        give_all(play, event->at_s);
        post(play, event->at_s + feed_interval_s, EVENT_FEED, 0, 0);
        return;
    }
}

static void play_open(struct play *play)
{
    const struct job *job = play->job;
    size_t n = job->workers;
    struct table_worker *introduced = calloc(n, sizeof *introduced);
    play->worker = calloc(n, sizeof *play->worker);
    /* a static list may be all on its way */
    play->event = calloc(n * (CREDITS + 1) + job->tiles + 1, sizeof *play->event);
    assert_true(introduced && play->worker && play->event);
    for (size_t w = 0; w < n; w++)
        introduced[w] = (struct table_worker){1, CREDITS, job->speed[w]};
    assert_int_equal(table_open(&play->table, job->schedule, job->tiles, job->workers, introduced),
                     STATUS_OK);
    if (job->forecast)
        table_forecast(play->table, job->forecast);
    free(introduced);
}

/* Until rank 0 has heard of the last tile; *root_s: how long it was busy, or NULL. */
static double job_seconds(const struct job *job, double *root_s)
{
    struct play play = {.job = job};
    play_open(&play);
    if (job->schedule->is_static)
        for (uint32_t worker = 0; worker < job->workers; worker++)
            go_on(&play, worker, 0);
    else {
        give_all(&play, 0);
        post(&play, feed_interval_s, EVENT_FEED, 0, 0);
    }
    while (play.events && table_undone(play.table) > 0) {
        struct event event = take(&play);
        happen(&play, &event);
    }
    assert_int_equal(table_undone(play.table), 0);
    table_close(play.table);
    free(play.worker);
    free(play.event);
    if (root_s)
        *root_s = play.root_busy_s;
    return play.over_s;
}

static void expect_s(double got, double wanted)
{
    if (fabs(got - wanted) > 1e-9)
        print_message("%.12g instead of %.12g\n", got, wanted);
    assert_true(fabs(got - wanted) <= 1e-9); /* roundings of sums of a few seconds */
}

TEST(jobs_take_the_time_that_they_should)
{
    static const double cost[] = {300, 200, 100, 100, 100}, alike[] = {100, 100, 100};
    struct job job = {
        .schedule = &schedule_dynamic, .cost = cost, .tiles = 5, .workers = 1, .speed = alike};
    expect_s(job_seconds(&job, NULL), 8);
    job.workers = 2; /* 3 + 1 beside 2 + 1 + 1 */
    expect_s(job_seconds(&job, NULL), 4);
    job.schedule = &schedule_cyclic; /* 3 + 1 + 1 beside 2 + 1 */
    expect_s(job_seconds(&job, NULL), 5);
    job.workers = 3; /* 3 + 1, 2 + 1, 1 */
    expect_s(job_seconds(&job, NULL), 4);
}

/* Each tile takes 1 s of computing and 1 s beside it. */
TEST(messages_take_their_time)
{
    static const double cost[] = {100, 100, 100}, alike[] = {100};
    double root_s;
    struct job job = {.schedule = &schedule_dynamic,
                      .cost = cost,
                      .tiles = 3,
                      .workers = 1,
                      .speed = alike,
                      .overhead = {.tile_s = 1, .round_trip_s = 2}};
    /* A second there, two tiles; the last one is kept for whoever is idle first, so its worker asks
     * and waits 2; the tile, a second back. */
    expect_s(job_seconds(&job, NULL), 1 + 4 + 2 + 2 + 1);
    job.overhead.round_trip_s = 6;
    expect_s(job_seconds(&job, NULL), 3 + 4 + 6 + 2 + 3);
    /* Rank 0 gives at 10 and 20, hears of both at 30 and 40, gives at 50 and hears at 61 + 10. */
    job.overhead = (struct forecast_overhead){.root_s = 10};
    expect_s(job_seconds(&job, &root_s), 61);
    expect_s(root_s, 60);
}

/* ---- what pictures cost ---------------------------------------------------------------------- */

enum { WIDTH = 1920, HEIGHT = 1080, SQUARE_PX = 64 };
enum { CELL_PX = 16 }; /* squares that kernels prove interior as a whole */

/* Those of the list-scheduling study that tile sizes were first chosen by. */
static const struct place {
    const char *name, *re, *im, *zoom;
    int64_t limit;
} places[] = {
    {"whole set", "-0.75", "0", "1.580246913580247", 5000},
    {"seahorse valley", "-0.743643887037151", "0.131825904205330", "1185.185185185185", 5000},
    {"edge of a minibrot", "-0.7436423016578459", "0.1318265198125947", "1000000", 20000},
};
enum { PLACES = sizeof places / sizeof *places };

struct map {
    int32_t columns, rows;
    double *cell;             /* [rows][columns] iterations of cells of CELL_PX */
    double all;               /* iterations of the picture */
    struct forecast truth;    /* made of the cells */
    struct forecast forecast; /* made of the coarse pass */
};

struct counter { /* of iterations of a picture */
    struct backend *backend;
    struct spec spec;
};

static enum status count(void *context, const struct grid *grid, struct field *out,
                         uint64_t *iterations)
{
    const struct counter *counter = context;
    struct backend_work work = {0};
    TRY(backend_compute(counter->backend, &counter->spec, grid, out, &work));
    *iterations += work.iterations;
    return STATUS_OK;
}

/* Every cell is computed by itself, as tiles are. */
static void truth_make(struct map *map, struct counter *counter, const struct grid *whole,
                       float *sample)
{
    struct grid grid = *whole;
    struct field field;
    for (int32_t i = 0; i < map->rows * map->columns; i++) {
        uint64_t iterations = 0;
        grid.x = i % map->columns * CELL_PX;
        grid.y = i / map->columns * CELL_PX;
        grid.width = WIDTH - grid.x < CELL_PX ? WIDTH - grid.x : CELL_PX;
        grid.height = HEIGHT - grid.y < CELL_PX ? HEIGHT - grid.y : CELL_PX;
        assert_int_equal(field_create(&field, grid.width, grid.height, PLANE_MASK_COUNT, 4),
                         STATUS_OK);
        assert_int_equal(count(counter, &grid, &field, &iterations), STATUS_OK);
        field_destroy(&field);
        map->cell[i] = (double)iterations;
        map->all += map->cell[i];
        sample[i] = (float)(map->cell[i] / (CELL_PX * grid.height));
    }
    assert_int_equal(forecast_open(&map->truth, WIDTH, HEIGHT, CELL_PX, sample), STATUS_OK);
}

static void forecast_make(struct map *map, const struct cost_device *device,
                          const struct grid *grid, float *sample)
{
    float *second = sample + cost_part(grid, 1);
    uint64_t iterations = 0;
    assert_int_equal(cost_samples(device, grid, 0, 1, sample, &iterations), STATUS_OK);
    cost_join(grid, 1, sample, 0, second);
    forecast_careful(second, forecast_samples(WIDTH, COST_SAMPLE_PX),
                     forecast_samples(HEIGHT, COST_SAMPLE_PX), sample);
    assert_int_equal(forecast_open(&map->forecast, WIDTH, HEIGHT, COST_SAMPLE_PX, sample),
                     STATUS_OK);
}

/* With one thread: what several learn of the interior depends on which of them is first. */
static struct map map_open(const struct place *place)
{
    struct map map = {.columns = forecast_samples(WIDTH, CELL_PX),
                      .rows = forecast_samples(HEIGHT, CELL_PX)};
    struct counter counter = {.spec = {.limit = place->limit,
                                       .bailout = 1024,
                                       .planes = PLANE_MASK_COUNT,
                                       .count_bytes = 4,
                                       .number = NUMBER_FP64}};
    struct backend_options options = {.threads = 1};
    struct view view = {0};
    struct view_numbers numbers;
    if (backend_open(&counter.backend, "avx2", &options) != STATUS_OK)
        assert_int_equal(backend_open(&counter.backend, "scalar", &options), STATUS_OK);
    assert_int_equal(view_set(&view, place->re, place->im, place->zoom, 0, WIDTH, HEIGHT),
                     STATUS_OK);
    assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
    struct grid grid = view_grid(&numbers, 0, 0, WIDTH, HEIGHT);
    struct cost_device device = {&counter.spec, &counter, count};
    float *sample = calloc(2 * cost_part(&grid, 1), sizeof *sample);
    map.cell = calloc((size_t)map.columns * (size_t)map.rows, sizeof *map.cell);
    assert_true(sample && map.cell);
    truth_make(&map, &counter, &grid, sample);
    forecast_make(&map, &device, &grid, sample);
    free(sample);
    view_destroy(&view);
    backend_close(counter.backend);
    return map;
}

static void map_close(struct map *map)
{
    free(map->cell);
    forecast_close(&map->forecast);
    forecast_close(&map->truth);
}

/* Tiles begin and end where cells do. */
static double tile_cost(const struct map *map, const struct tile *tile)
{
    double cost = 0;
    for (int32_t y = tile->y / CELL_PX; y * CELL_PX < tile->y + tile->height; y++)
        for (int32_t x = tile->x / CELL_PX; x * CELL_PX < tile->x + tile->width; x++)
            cost += map->cell[(size_t)y * (size_t)map->columns + (size_t)x];
    return cost;
}

/* ---- workers, and ways to give them tiles ---------------------------------------------------- */

#define SPEED 1e9 /* iterations per second of a worker */

enum { FREE, BESIDE, MIXED, AWAY, PARKS };
static const struct park {
    const char *name;
    struct forecast_overhead overhead;
    uint32_t slow_every; /* one in so many is 8 times slower; 0: none */
} parks[PARKS] = {
    [FREE] = {"messages cost nothing", {0, 0, 0}, 0},
    [BESIDE] = {"on one machine", {.tile_s = 5e-6, .root_s = 1e-6, .round_trip_s = 20e-6}, 0},
    [MIXED] = {"one in four slow", {.tile_s = 5e-6, .root_s = 1e-6, .round_trip_s = 20e-6}, 4},
    [AWAY] = {"over a network", {.tile_s = 5e-6, .root_s = 1e-6, .round_trip_s = 1e-3}, 0},
};

/* Squares of 64 pixels dealt out in turn; the same on demand, from the middle outwards; on demand
 * as the plan cuts them without a forecast; cut and sorted by a coarse pass; the same by what the
 * pixels really cost, the best that can be had. */
enum scheme { CYCLIC, CENTRE, PLANNED, FORECAST, EXACT, SCHEMES };

/* All iterations over all speeds, over the time that it takes, which goes to *seconds. */
static double efficiency(const struct map *map, const struct park *park, uint32_t workers,
                         enum scheme scheme, double *seconds)
{
    struct tile *tile;
    struct job job = {.schedule = scheme == CYCLIC ? &schedule_cyclic : &schedule_dynamic,
                      .workers = workers,
                      .overhead = park->overhead};
    float *forecast = NULL;
    double *speed = calloc(workers, sizeof *speed), all = 0;
    if (scheme >= FORECAST) {
        struct forecast_limits limits = forecast_limits(workers, SPEED, &park->overhead);
        assert_int_equal(forecast_cut(scheme == EXACT ? &map->truth : &map->forecast, &limits,
                                      &tile, &forecast, &job.tiles),
                         STATUS_OK);
    } else {
        int32_t px = scheme == PLANNED ? plan_tile_narrow(WIDTH, HEIGHT, (int)workers) : SQUARE_PX;
        enum tile_order order = scheme == CYCLIC ? TILE_ORDER_MORTON : TILE_ORDER_SPIRAL;
        assert_int_equal(tiles_cut(&tile, &job.tiles, WIDTH, HEIGHT, px, order), STATUS_OK);
    }
    double *cost = calloc(job.tiles, sizeof *cost);
    assert_true(speed && cost);
    for (uint32_t i = 0; i < job.tiles; i++)
        cost[i] = tile_cost(map, &tile[i]);
    for (uint32_t w = 0; w < workers; w++) {
        bool slow = park->slow_every && w % park->slow_every == park->slow_every - 1;
        all += speed[w] = slow ? SPEED / 8 : SPEED;
    }
    job.cost = cost;
    job.speed = speed;
    job.forecast = forecast;
    *seconds = job_seconds(&job, NULL);
    free(tile);
    free(forecast);
    free(cost);
    free(speed);
    return map->all / all / *seconds;
}

TEST(forecasts_balance_32_workers)
{
    for (int p = 0; p < PLACES; p++) {
        struct map map = map_open(&places[p]);
        for (int k = 0; k < PARKS; k++) {
            double got[SCHEMES], seconds;
            for (int s = 0; s < SCHEMES; s++) {
                got[s] = efficiency(&map, &parks[k], 32, (enum scheme)s, &seconds);
                assert_true(got[s] > 0 && got[s] <= 1);
            }
            print_message("%s, %s: %.3f, exact %.3f, planned %.3f\n", places[p].name, parks[k].name,
                          got[FORECAST], got[EXACT], got[PLANNED]);
            if (k != AWAY) /* nobody waits for a word from rank 0 under cyclic */
                assert_true(got[FORECAST] > got[CYCLIC]);
            if (k ==
                FREE) { /* of the whole set, 50 ms of one worker, 0.946; 0.986 of scalar code */
                assert_true(got[FORECAST] >= (p ? 0.97 : 0.94));
                assert_true(got[EXACT] >= 0.99);
            }
            if (k == MIXED)
                assert_true(got[FORECAST] >= 0.85);
            /* The last is long enough that messages do not matter, over a network too. */
            if (p == PLACES - 1)
                assert_true(got[FORECAST] >= (k == AWAY ? 0.93 : 0.97));
        }
        map_close(&map);
    }
}

/* ---- the tables ------------------------------------------------------------------------------ */

/* The least power of 2 from which on the forecast keeps less than 0.9 of the workers' time. */
static uint32_t workers_enough(const struct map *map, const struct park *park)
{
    double seconds;
    uint32_t workers = 1;
    while (workers < 4096 && efficiency(map, park, workers, FORECAST, &seconds) >= 0.9)
        workers *= 2;
    return workers;
}

static void tables_print(void)
{
    struct map map[PLACES];
    double seconds;
    printf(
        "| view | dynamic with a forecast | dynamic, as the plan cuts without | dynamic, squares "
        "of 64 px | cyclic |\n|---|---|---|---|---|\n");
    for (int p = 0; p < PLACES; p++) {
        map[p] = map_open(&places[p]);
        printf("| %s |", places[p].name);
        for (int s = FORECAST; s >= CYCLIC; s--)
            printf(" %.2f |", efficiency(&map[p], &parks[FREE], 32, (enum scheme)s, &seconds));
        printf("\n");
    }
    printf("\n| view | picture of one worker over 32, ms | efficiency at 32 workers | messages "
           "cost nothing | on one machine | one in four 8 times "
           "slower | over a network |\n|---|---|---|---|---|---|---|\n");
    for (int p = 0; p < PLACES; p++) {
        printf("| %s | %.1f | %.2f |", places[p].name, 1e3 * map[p].all / SPEED / 32,
               efficiency(&map[p], &parks[BESIDE], 32, FORECAST, &seconds));
        for (int k = 0; k < PARKS; k++)
            printf(" %u |", workers_enough(&map[p], &parks[k]));
        printf("\n");
        map_close(&map[p]);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--table") != 0)
        return check_run(NULL, NULL);
    tables_print();
    return 0;
}
