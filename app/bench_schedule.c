#include "app/bench_schedule.h"

#include <stdio.h>

#include "render/json.h"
#include "app/stop.h"
#include "render/bench_schedule.h"

struct table { /* on its way to stdout */
    const char *view;
    enum schedule_park park;
    bool fallen; /* the forecast is below `low`: the rest of the curve is in the JSON */
};

static const double low = 0.9;

static void print_view(const struct schedule_view *view)
{
    printf(
        "\n%s, 1920 x 1080, limit %lld: %.2f G iterations, %.0f %% interior; coarse pass %.1f %%;\n"
        "the dearest 16 x 16 pixels are %.3f %%\n",
        view->name, (long long)view->limit, 1e-9 * (double)view->iterations, 100 * view->interior,
        100 * view->pass, 100 * view->dearest);
}

static void print_head(void)
{
    printf("%-7s %7s", "workers", "");
    for (int s = 0; s < SCHEMES; s++)
        printf(" %8s", schedule_scheme_names[s]);
    printf(" %6s %9s\n", "tiles", "ms");
}

static void print_row(void *context, const struct schedule_row *row)
{
    struct table *table = context;
    if (table->view != row->view->name) {
        print_view(row->view);
        print_head();
    }
    if (table->view != row->view->name || table->park != row->park)
        table->fallen = false;
    table->view = row->view->name;
    table->park = row->park;
    if (table->fallen)
        return;
    table->fallen = row->efficiency[SCHEME_FORECAST] < low;
    printf("%-7s %7u", schedule_park_names[row->park], row->workers);
    for (int s = 0; s < SCHEMES; s++)
        printf(" %8.3f", row->efficiency[s]);
    printf(" %6u %9.3f%s%s\n", row->tiles[SCHEME_FORECAST], 1e3 * row->seconds,
           table->fallen ? "  " : "", table->fallen ? schedule_reason_texts[row->reason] : "");
    fflush(stdout);
}

static void json_row(void *context, const struct schedule_row *row)
{
    struct json *json = context;
    json_open(json, NULL, '{');
    json_text(json, "view", row->view->name);
    json_integer(json, "limit", row->view->limit);
    json_count(json, "iterations", row->view->iterations);
    json_real(json, "interior", row->view->interior);
    json_real(json, "coarse_pass", row->view->pass);
    json_real(json, "dearest_cell", row->view->dearest);
    json_text(json, "workers_are", schedule_park_names[row->park]);
    json_integer(json, "workers", row->workers);
    for (int s = 0; s < SCHEMES; s++)
        json_real(json, schedule_scheme_names[s], row->efficiency[s]);
    json_integer(json, "tiles", row->tiles[SCHEME_FORECAST]);
    json_real(json, "seconds", row->seconds);
    json_text(json, "largest_loss", schedule_reason_texts[row->reason]);
    json_close(json);
}

static void print_foot(void)
{
    printf(
        "\nefficiency: all iterations over all speeds, over the time until rank 0 has heard of\n"
        "the last tile, in virtual time; what decides is the code of a job. Curves end where the\n"
        "forecast's falls below %.1f, with what costs it most; --json has all up to %d workers.\n"
        "A worker does %.0f G iterations/s. free: messages cost nothing. beside: a round trip\n"
        "takes %.0f us, a tile its worker %.0f us beside its pixels, a message rank 0 %.0f us;\n"
        "mixed: the same, one worker in four is 8 times slower; away: a round trip of %.0f us.\n"
        "cyclic, centre: squares of 64 pixels dealt out in turn, and on demand from the middle\n"
        "outwards; planned: on demand, as cut without a forecast; forecast: cut and sorted by a\n"
        "coarse pass, whose time is not in it; exact: by what pixels really cost. tiles and ms:\n"
        "of forecast.\n",
        low, SCHEDULE_WORKERS_MOST, 1e-9 * SCHEDULE_SPEED, 1e6 * SCHEDULE_BESIDE_S,
        1e6 * SCHEDULE_TILE_S, 1e6 * SCHEDULE_ROOT_S, 1e6 * SCHEDULE_AWAY_S);
}

enum status bench_schedule_run(const struct invocation *invocation)
{
    struct bench_schedule_options options = {
        .workers_least = 1, .workers_most = SCHEDULE_WORKERS_MOST, .stop = &stop_requested};
    struct table table = {.view = NULL};
    if (!arguments_has(&invocation->arguments, OPTION_JSON)) {
        TRY(bench_schedule(&options, print_row, &table));
        print_foot();
        return STATUS_OK;
    }
    struct json json = {.stream = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "suite", "schedule");
    json_open(&json, "rows", '[');
    enum status status = bench_schedule(&options, json_row, &json);
    json_close(&json);
    json_close(&json);
    putchar('\n');
    return status;
}
