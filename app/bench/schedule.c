#include "app/bench/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/bench/bench.h"
#include "app/bench/schedule_simulation.h"
#include "app/bench/bench_table.h"
#include "app/stop.h"
#include "decomposition/schedule/forecast.h"
#include "kernels/stop.h"
#include "render/device/cost_map.h"
#include "render/plan/plan.h"

enum { WIDTH = 1920, HEIGHT = 1080, SQUARE_PX = 64, SLOW_EVERY = 4 };
static const double slow_by = 8;

const char *const schedule_park_names[PARKS] = {
    [PARK_FREE] = "free", [PARK_BESIDE] = "beside", [PARK_MIXED] = "mixed", [PARK_AWAY] = "away"};
static const char *const schedule_reason_texts[REASONS] = {
    [REASON_SPREAD] = "workers end at different times",
    [REASON_DEAREST] = "the dearest tile alone",
    [REASON_ROOT] = "rank 0 is busy with messages",
    [REASON_STARVED] = "workers wait for their next tile",
    [REASON_OVERHEAD] = "what every tile costs beside its pixels",
    [REASON_LATENCY] = "the way of the first and the last tile",
};

struct place {
    const char *name, *re, *im, *zoom;
    int64_t limit;
};

/* Those of the list-scheduling study that tile sizes were first chosen by. */
static const struct place places[SCHEDULE_VIEWS] = {
    {"whole set", "-0.75", "0", "1.580246913580247", 5000},
    {"seahorse valley", "-0.743643887037151", "0.131825904205330", "1185.185185185185", 5000},
    {"minibrot's edge", "-0.7436423016578459", "0.1318265198125947", "1000000", 20000},
};

struct map { /* what a picture costs */
    struct schedule_view view;
    int32_t columns, rows;
    double *cell;             /* [rows][columns] iterations of cells of COST_CELL_PX */
    struct forecast truth;    /* of the same */
    struct forecast forecast; /* of the coarse pass */
};

struct list { /* tiles on their way to be played */
    struct tile *tile;
    float *forecast;
    double *cost;
    uint32_t count;
};

/* --- the maps ---- */

/* `sample`: room for the samples of the coarse pass, twice. */
static enum status forecast_make(struct map *map, const struct cost_device *device,
                                 const struct grid *grid, float *sample)
{
    int32_t columns = forecast_samples(WIDTH, COST_SAMPLE_PX);
    int32_t rows = forecast_samples(HEIGHT, COST_SAMPLE_PX);
    float *second = sample + cost_part(grid, 1);
    uint64_t iterations = 0;
    TRY(cost_samples(device, grid, 0, 1, sample, &iterations));
    map->view.pass = (double)iterations / (double)map->view.iterations;
    cost_join(grid, 1, sample, 0, second);
    forecast_careful(second, columns, rows, sample);
    return forecast_open(&map->forecast, WIDTH, HEIGHT, COST_SAMPLE_PX, sample);
}

static enum status truth_make(struct map *map, const struct cost_device *device,
                              const struct grid *grid, float *sample)
{
    uint64_t interior = 0;
    TRY(cost_cells(device, grid, map->cell, &interior));
    double total = 0, most = 0;
    for (int32_t i = 0; i < map->rows * map->columns; i++) {
        int32_t left = HEIGHT - i / map->columns * COST_CELL_PX;
        int32_t pixels = COST_CELL_PX * (left < COST_CELL_PX ? left : COST_CELL_PX);
        sample[i] = (float)(map->cell[i] / pixels);
        total += map->cell[i];
        most = fmax(most, map->cell[i]);
    }
    map->view.interior = (double)interior / ((double)WIDTH * HEIGHT);
    map->view.iterations = (uint64_t)total;
    map->view.dearest = most / total;
    return forecast_open(&map->truth, WIDTH, HEIGHT, COST_CELL_PX, sample);
}

static enum status map_measure(struct map *map, struct backend *backend, const struct spec *spec,
                               const struct view_numbers *numbers, float *sample)
{
    struct grid grid = view_grid(numbers, 0, 0, WIDTH, HEIGHT);
    struct cost_backend with = {backend, spec};
    struct cost_device device = {spec, &with, cost_compute};
    TRY(truth_make(map, &device, &grid, sample));
    return forecast_make(map, &device, &grid, sample);
}

static enum status map_open(struct map *map, struct backend *backend, const struct place *place)
{
    struct view view = {0};
    struct view_numbers numbers;
    struct spec spec = {.limit = place->limit,
                        .bailout = 1024,
                        .planes = PLANE_MASK_COUNT,
                        .count_bytes = 4,
                        .number = NUMBER_FP64};
    *map = (struct map){.view = {.name = place->name, .limit = place->limit},
                        .columns = forecast_samples(WIDTH, COST_CELL_PX),
                        .rows = forecast_samples(HEIGHT, COST_CELL_PX)};
    size_t cells = (size_t)map->columns * (size_t)map->rows;
    struct grid size = {.width = WIDTH, .height = HEIGHT};
    size_t samples = 2 * cost_part(&size, 1);
    float *sample = calloc(samples, sizeof *sample);
    map->cell = calloc(cells, sizeof *map->cell);
    enum status status = STATUS_OK;
    if (!sample || !map->cell)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for a map of %zu cells", cells);
    if (status == STATUS_OK)
        status = view_set(&view, place->re, place->im, place->zoom, 0, WIDTH, HEIGHT);
    if (status == STATUS_OK)
        status = view_numbers(&view, &numbers);
    if (status == STATUS_OK)
        status = map_measure(map, backend, &spec, &numbers, sample);
    free(sample);
    view_destroy(&view);
    return status;
}

static void map_close(struct map *map)
{
    free(map->cell);
    forecast_close(&map->forecast);
    forecast_close(&map->truth);
}

/* --- the tiles ---- */

/* Tiles begin and end where cells do. */
static double tile_cost(const struct map *map, const struct tile *tile)
{
    double cost = 0;
    for (int32_t y = tile->y / COST_CELL_PX; y * COST_CELL_PX < tile->y + tile->height; y++)
        for (int32_t x = tile->x / COST_CELL_PX; x * COST_CELL_PX < tile->x + tile->width; x++)
            cost += map->cell[(size_t)y * (size_t)map->columns + (size_t)x];
    return cost;
}

static const struct forecast_overhead overheads[PARKS] = {
    [PARK_FREE] = {0, 0, 0},
    [PARK_BESIDE] = {SCHEDULE_TILE_S, SCHEDULE_ROOT_S, SCHEDULE_BESIDE_S},
    [PARK_MIXED] = {SCHEDULE_TILE_S, SCHEDULE_ROOT_S, SCHEDULE_BESIDE_S},
    [PARK_AWAY] = {SCHEDULE_TILE_S, SCHEDULE_ROOT_S, SCHEDULE_AWAY_S},
};

static enum status list_make(struct list *list, const struct map *map, enum schedule_scheme scheme,
                             uint32_t workers, const struct forecast_overhead *overhead)
{
    enum tile_order order = scheme == SCHEME_CYCLIC ? TILE_ORDER_MORTON : TILE_ORDER_SPIRAL;
    int32_t px =
        scheme == SCHEME_PLANNED ? plan_tile_narrow(WIDTH, HEIGHT, (int)workers) : SQUARE_PX;
    *list = (struct list){.count = 0};
    if (scheme >= SCHEME_FORECAST) {
        struct forecast_limits limits = forecast_limits(workers, SCHEDULE_SPEED, overhead);
        TRY(forecast_cut(scheme == SCHEME_ORACLE ? &map->truth : &map->forecast, &limits,
                         &list->tile, &list->forecast, &list->count));
    } else {
        TRY(tiles_cut(&list->tile, &list->count, WIDTH, HEIGHT, px, order));
    }
    list->cost = calloc(list->count, sizeof *list->cost);
    if (!list->cost)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %u tiles", list->count);
    for (uint32_t i = 0; i < list->count; i++)
        list->cost[i] = tile_cost(map, &list->tile[i]);
    return STATUS_OK;
}

static void list_free(struct list *list)
{
    free(list->tile);
    free(list->forecast);
    free(list->cost);
}

/* --- the plays ---- */

static enum schedule_reason reason_of(const struct simulation_report *report, double round_trip_s)
{
    double lost_s[REASONS] = {
        [REASON_DEAREST] = fmax(0, report->dearest_s - report->ideal_s),
        [REASON_STARVED] = report->starved_s,
        [REASON_OVERHEAD] = report->overhead_s,
        [REASON_LATENCY] = round_trip_s,
    };
    if (report->root_s > 0.8 * report->seconds)
        return REASON_ROOT;
    lost_s[REASON_SPREAD] = report->seconds - report->ideal_s;
    for (int i = 0; i < REASONS; i++)
        lost_s[REASON_SPREAD] -= i != REASON_SPREAD ? lost_s[i] : 0;
    int largest = 0;
    for (int i = 1; i < REASONS; i++)
        largest = lost_s[i] > lost_s[largest] ? i : largest;
    return (enum schedule_reason)largest;
}

static enum status scheme_play(const struct map *map, enum schedule_scheme scheme,
                               const double *speed, struct schedule_row *row)
{
    struct list list;
    struct simulation_report report;
    const struct forecast_overhead *overhead = &overheads[row->park];
    enum status status = list_make(&list, map, scheme, row->workers, overhead);
    struct simulated_job job = {.schedule =
                                    scheme == SCHEME_CYCLIC ? &schedule_cyclic : &schedule_dynamic,
                                .cost = list.cost,
                                .forecast = list.forecast,
                                .tiles = list.count,
                                .workers = row->workers,
                                .speed = speed,
                                .overhead = *overhead};
    if (status == STATUS_OK)
        status = schedule_simulate(&job, &report);
    if (status == STATUS_OK) {
        row->efficiency[scheme] = report.ideal_s / report.seconds;
        row->tiles[scheme] = list.count;
    }
    if (status == STATUS_OK && scheme == SCHEME_FORECAST) {
        row->seconds = report.seconds;
        row->reason = reason_of(&report, overhead->round_trip_s);
    }
    list_free(&list);
    return status;
}

static enum status row_play(const struct map *map, enum schedule_park park, uint32_t workers,
                            double *speed, struct schedule_row *row)
{
    *row = (struct schedule_row){.view = &map->view, .park = park, .workers = workers};
    for (uint32_t w = 0; w < workers; w++) {
        bool slow = park == PARK_MIXED && w % SLOW_EVERY == SLOW_EVERY - 1;
        speed[w] = slow ? SCHEDULE_SPEED / slow_by : SCHEDULE_SPEED;
    }
    for (int s = 0; s < SCHEMES; s++)
        TRY(scheme_play(map, (enum schedule_scheme)s, speed, row));
    return STATUS_OK;
}

static enum status map_play(const struct schedules_options *options, const struct map *map,
                            double *speed,
                            void (*row)(void *context, const struct schedule_row *row),
                            void *context)
{
    for (int park = 0; park < PARKS; park++)
        for (uint32_t workers = options->workers_least; workers <= options->workers_most;
             workers *= 2) {
            struct schedule_row line;
            if (stop_asked(options->stop))
                return status_fail(STATUS_STOPPED, "stopped");
            TRY(row_play(map, (enum schedule_park)park, workers, speed, &line));
            row(context, &line);
        }
    return STATUS_OK;
}

enum status schedules_compare(const struct schedules_options *options,
                              void (*row)(void *context, const struct schedule_row *row),
                              void *context)
{
    struct backend *backend = NULL;
    struct backend_options opening = {.threads = 1, .stop = options->stop};
    double *speed = calloc(options->workers_most, sizeof *speed);
    enum status status = STATUS_OK;
    if (!speed)
        status =
            status_fail(STATUS_OUT_OF_MEMORY, "no memory for %u workers", options->workers_most);
    if (status == STATUS_OK)
        status = backend_open(&backend, "cpu", &opening);
    for (int v = 0; status == STATUS_OK && v < SCHEDULE_VIEWS; v++) {
        struct map map;
        status = map_open(&map, backend, &places[v]);
        if (status == STATUS_OK)
            status = map_play(options, &map, speed, row, context);
        map_close(&map);
    }
    backend_close(backend);
    free(speed);
    return status;
}

/* ---- the table ---- */

static const struct bench_field fields[] = {
    {"view", NULL, 0, 0, 1, ""},
    {"workers_are", "workers", -7, 0, 1, ""},
    {"workers", "", 7, 0, 1, ""},
    {"limit", NULL, 0, 0, 1, ""},
    {"iterations", NULL, 0, 0, 1, ""},
    {"interior", NULL, 0, 0, 1, ""},
    {"coarse_pass", NULL, 0, 0, 1, ""},
    {"dearest_cell", NULL, 0, 0, 1, ""},
    {"cyclic", "cyclic", 8, 3, 1, ""}, /* and the others in the order of enum schedule_scheme */
    {"centre", "centre", 8, 3, 1, ""},
    {"planned", "planned", 8, 3, 1, ""},
    {"forecast", "forecast", 8, 3, 1, ""},
    {"exact", "exact", 8, 3, 1, ""},
    {"tiles", "tiles", 6, 0, 1, ""},
    {"seconds", "ms", 9, 3, 1e3, ""},
    {"largest_loss", "largest loss", -12, 0, 1, ""},
};
enum { FIELDS = sizeof fields / sizeof *fields };

struct listing { /* on its way to stdout */
    struct bench_table table;
    const char *view;
    enum schedule_park park;
    bool fallen; /* the forecast is below `low`: the rest of the curve is in the JSON */
};

static const double low = 0.9;

static void view_print(const struct schedule_view *view)
{
    printf(
        "\n%s, 1920 x 1080, limit %lld: %.2f G iterations, %.0f %% interior; coarse pass %.1f %%;\n"
        "the dearest 16 x 16 pixels are %.3f %%\n",
        view->name, (long long)view->limit, 1e-9 * (double)view->iterations, 100 * view->interior,
        100 * view->pass, 100 * view->dearest);
}

static void row_tell(void *context, const struct schedule_row *row)
{
    struct listing *listing = context;
    const struct schedule_view *view = row->view;
    bool another = listing->view != view->name;
    if (another || listing->park != row->park)
        listing->fallen = false;
    listing->view = view->name;
    listing->park = row->park;
    if (another && !listing->table.as_json) {
        view_print(view);
        bench_table_again(&listing->table);
    }
    if (listing->fallen && !listing->table.as_json)
        return;
    listing->fallen = row->efficiency[SCHEME_FORECAST] < low;
    bench_table_row(&listing->table, (struct bench_cell[FIELDS]){
                                         {.text = view->name},
                                         {.text = schedule_park_names[row->park]},
                                         {.number = row->workers},
                                         {.number = (double)view->limit},
                                         {.number = (double)view->iterations},
                                         {.number = view->interior},
                                         {.number = view->pass},
                                         {.number = view->dearest},
                                         {.number = row->efficiency[SCHEME_CYCLIC]},
                                         {.number = row->efficiency[SCHEME_CENTRE]},
                                         {.number = row->efficiency[SCHEME_PLANNED]},
                                         {.number = row->efficiency[SCHEME_FORECAST]},
                                         {.number = row->efficiency[SCHEME_ORACLE]},
                                         {.number = row->tiles[SCHEME_FORECAST]},
                                         {.number = row->seconds},
                                         {.text = schedule_reason_texts[row->reason]},
                                     });
}

static void foot_print(void)
{
    printf(
        "\nefficiency: all iterations over all speeds, over the time until rank 0 has heard of\n"
        "the last tile, in virtual time; what decides is the code of a job. Curves end where the\n"
        "forecast's falls below %.1f; --json has all up to %d workers.\n"
        "A worker does %.0f G iterations/s. free: messages cost nothing. beside: a round trip\n"
        "takes %.0f us, a tile its worker %.0f us beside its pixels, a message rank 0 %.0f us;\n"
        "mixed: the same, one worker in four is 8 times slower; away: a round trip of %.0f us.\n"
        "cyclic, centre: squares of 64 pixels dealt out in turn, and on demand from the middle\n"
        "outwards; planned: on demand, as cut without a forecast; forecast: cut and sorted by a\n"
        "coarse pass, whose time is not in it; exact: by what pixels really cost. tiles, ms and\n"
        "largest loss: of forecast.\n",
        low, SCHEDULE_WORKERS_MOST, 1e-9 * SCHEDULE_SPEED, 1e6 * SCHEDULE_BESIDE_S,
        1e6 * SCHEDULE_TILE_S, 1e6 * SCHEDULE_ROOT_S, 1e6 * SCHEDULE_AWAY_S);
}

enum status bench_schedule(const struct invocation *invocation)
{
    struct schedules_options options = {
        .workers_least = 1, .workers_most = SCHEDULE_WORKERS_MOST, .stop = &stop_requested};
    struct listing listing = {.view = NULL};
    bench_table_begin(&listing.table, invocation, "schedule", fields, FIELDS);
    enum status status = schedules_compare(&options, row_tell, &listing);
    bench_table_rows_end(&listing.table);
    if (status == STATUS_OK && !listing.table.as_json)
        foot_print();
    return bench_table_end(&listing.table, status);
}
