#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/bench/bench.h"
#include "app/bench/bench_table.h"
#include "app/bench/idle_report.h"
#include "app/bench/renderer_probed.h"
#include "app/bench/scaling_report.h"
#include "app/process/stop.h"
#include "decomposition/world/world.h"
#include "include/deepfield/deepfield.h"
#include "library/config/revision.h"
#include "render/device/devices.h"
#include "render/picture/picture.h"

struct scaling_view {
    const char *name, *re, *im, *zoom;
    int32_t width, height;
    int64_t limit;
};

#define SEAHORSE "-0.743643887037151", "0.131825904205330"

/* Views for GPUs: one three quarters inside, at two sizes; one without interior; one so cheap that
 * only latency is left. */
static const struct scaling_view wide_views[] = {
    {"seahorse 1e-6", SEAHORSE, "7111111.111111111", 3840, 2160, 20000},
    {"seahorse 1e-6", SEAHORSE, "7111111.111111111", 7680, 4320, 20000},
    {"seahorse 1e-9", SEAHORSE, "7111111111.111111", 3840, 2160, 20000},
    {"whole set", "-0.75", "0", "1.580246913580247", 3840, 2160, 50000},
};

static const struct scaling_view views[] = {
    {"seahorse 1e-6", SEAHORSE, "7111111.111111111", 640, 360, 20000},
    {"seahorse 1e-9", SEAHORSE, "7111111111.111111", 960, 540, 20000},
    {"whole set", "-0.75", "0", "1.580246913580247", 1920, 1080, 50000},
};

/* Rows of all views, with up to 2^31 devices each. */
enum { VIEWS_MOST = 4, ROWS_MOST = VIEWS_MOST * 32 };
struct scaling_output { /* on rank 0 */
    struct bench_table table;
    struct scaling_row row[ROWS_MOST];
    size_t rows;
};

/* ---- measurements ---- */

static int row_compare(const void *a, const void *b)
{
    const struct scaling_row *x = a, *y = b;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static struct scaling_row row_of(const struct picture_report *report, int ranks)
{
    struct scaling_row sample = {.seconds = report->compute_s,
                                 .iterations = report->iterations,
                                 .tiles = report->plan.tiles,
                                 .bytes = report->plan.bytes.frame};
    double busy = 0, wait = 0;
    int threads = 0;
    for (int rank = 0; rank < ranks; rank++) {
        const struct job_rank *row = &report->job.rank[rank];
        busy += row->busy_s;
        wait += row->wait_s;
        threads += row->threads;
        if (row->threads && row->busy_s / row->threads > sample.compute_s)
            sample.compute_s = row->busy_s / row->threads;
    }
    sample.idle = busy + wait > 0 ? wait / (busy + wait) : 0;
    sample.mean_s = threads ? busy / threads : 0;
    return sample;
}

/* One picture; on ranks > 0 only `renderer` counts. */
static enum status picture_time(struct renderer *renderer, const struct picture *picture,
                                struct scaling_row *sample)
{
    bool root = world_rank(renderer_world(renderer)) == 0;
    struct picture_hooks hooks = {.stop = root ? &stop_requested : NULL};
    struct picture_report report = {.iterations = 0};
    struct field field;
    TRY(world_agree(renderer_world(renderer),
                    picture_render(renderer, root ? picture : NULL, &hooks, &field, &report)));
    if (root)
        *sample = row_of(&report, world_size(renderer_world(renderer)));
    picture_report_destroy(&report);
    return STATUS_OK;
}

/* The first picture, which opens devices and pins memory, does not count. */
static enum status view_run(struct renderer *renderer, const struct picture *picture,
                            struct scaling_row *middle)
{
    struct scaling_row samples[BENCH_REPEATS];
    TRY(picture_time(renderer, picture, &samples[0]));
    for (int i = 0; i < BENCH_REPEATS; i++)
        TRY(picture_time(renderer, picture, &samples[i]));
    if (world_rank(renderer_world(renderer)) == 0) {
        qsort(samples, BENCH_REPEATS, sizeof *samples, row_compare);
        *middle = samples[BENCH_REPEATS / 2];
    }
    return STATUS_OK;
}

static const struct bench_field fields[] = {
    {"view", "view", -14, 0, 1, ""},      {"width", "size", 4, 0, 1, " x"},
    {"height", "", -4, 0, 1, ""},         {"limit", "limit", 6, 0, 1, ""},
    {"devices", "devices", 8, 0, 1, ""},  {"seconds", "ms", 9, 3, 1e3, ""},
    {"speedup", "speed-up", 8, 2, 1, ""}, {"efficiency", "efficiency", 8, 1, 100, " %"},
    {"idle", "idle", 5, 1, 100, " %"},    {"busy_s", "busy ms", 9, 3, 1e3, ""},
    {"tiles", "tiles", 6, 0, 1, ""},      {"iterations", "G iterat.", 9, 2, 1e-9, ""},
    {"bytes", NULL, 0, 0, 1, ""},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static void row_tell(struct scaling_output *output, const struct scaling_row *row, double one_s)
{
    bench_table_row(&output->table, (struct bench_cell[FIELDS]){
                                        {.text = row->view},
                                        {.number = row->width},
                                        {.number = row->height},
                                        {.number = (double)row->limit},
                                        {.number = row->devices},
                                        {.number = row->seconds},
                                        {.number = one_s / row->seconds},
                                        {.number = one_s / row->seconds / row->devices},
                                        {.number = row->idle},
                                        {.number = row->compute_s},
                                        {.number = row->tiles},
                                        {.number = (double)row->iterations},
                                        {.number = (double)row->bytes},
                                    });
    if (output->rows < ROWS_MOST)
        output->row[output->rows++] = *row;
}

/* `output`: on rank 0; NULL on the others. */
static enum status view_scale(struct renderer *renderer, const struct scaling_view *view,
                              int32_t tile_px, struct scaling_output *output)
{
    struct picture picture = {.spec.limit = view->limit,
                              .spec.bailout = 1024,
                              .spec.planes = PLANE_MASK_COUNT,
                              .accuracy_px = ERROR_MAX_PX, /* direct iteration */
                              .precision = PRECISION_FP64,
                              .tile_px = tile_px,
                              .schedule = "auto",
                              .transport = "auto"};
    double one_s = 0;
    int all = renderer_info(renderer)->facts.devices;
    enum status status =
        view_set(&picture.view, view->re, view->im, view->zoom, 0, view->width, view->height);
    status = world_agree(renderer_world(renderer), status);
    for (int devices = 1; status == STATUS_OK && devices <= all;
         devices = devices < all && 2 * devices > all ? all : 2 * devices) {
        struct scaling_row middle = {.seconds = 0};
        renderer_activate(renderer, devices);
        status = view_run(renderer, &picture, &middle);
        one_s = devices == 1 ? middle.seconds : one_s;
        middle.view = view->name;
        middle.width = view->width;
        middle.height = view->height;
        middle.limit = view->limit;
        middle.devices = devices;
        if (status == STATUS_OK && output)
            row_tell(output, &middle, one_s);
    }
    renderer_activate(renderer, all);
    view_destroy(&picture.view);
    return status;
}

static enum status views_scale(struct renderer *renderer, int32_t tile_px,
                               struct scaling_output *output)
{
    bool wide = renderer_info(renderer)->facts.gpus > 0;
    const struct scaling_view *list = wide ? wide_views : views;
    size_t count = wide ? sizeof wide_views / sizeof *wide_views : sizeof views / sizeof *views;
    for (size_t v = 0; v < count; v++)
        TRY(view_scale(renderer, &list[v], tile_px, output));
    return STATUS_OK;
}

/* ---- the report ---- */

enum { LINE_BYTES = 256, LINES_MOST = 12, COMMAND_BYTES = 2048 };

/* Lines of equal neighbours: "4 x NVIDIA H200, cuda, on n1". Those that find no line are counted in
 * the last. */
static int device_lines_write(const struct renderer_info *info, char line[LINES_MOST][LINE_BYTES])
{
    int lines = 0;
    for (int i = 0, same; i < info->row_count; i += same) {
        const struct device_row *row = &info->rows[i];
        for (same = 1; i + same < info->row_count; same++) {
            const struct device_row *next = row + same;
            if (strcmp(row->facts.name, next->facts.name) != 0 ||
                strcmp(row->host, next->host) != 0 || strcmp(row->backend, next->backend) != 0)
                break;
        }
        if (lines == LINES_MOST - 1) {
            snprintf(line[lines++], LINE_BYTES, "and %d others", info->row_count - i);
            break;
        }
        snprintf(line[lines++], LINE_BYTES, "%d × %s, %s, on %s", same, row->facts.name,
                 row->backend, row->host);
    }
    return lines;
}

static void command_write(char *const *argv, char text[COMMAND_BYTES])
{
    int length = snprintf(text, COMMAND_BYTES, "deepfield");
    for (int i = 1; argv[i] && length < COMMAND_BYTES; i++)
        length += snprintf(text + length, (size_t)(COMMAND_BYTES - length), " %s", argv[i]);
}

static enum status report_write(const struct invocation *invocation,
                                const struct renderer *renderer,
                                const struct scaling_output *output)
{
    const struct arguments *arguments = &invocation->arguments;
    const struct renderer_facts *facts = &renderer_info(renderer)->facts;
    const char *path = arguments_last(arguments, OPTION_BENCH_REPORT);
    char line[LINES_MOST][LINE_BYTES], command[COMMAND_BYTES], program[128], ranks[64], date[64];
    const char *device[LINES_MOST];
    const time_t now = time(NULL);
    struct tm utc;
    if (!path)
        return STATUS_OK;
    int devices = device_lines_write(renderer_info(renderer), line);
    for (int i = 0; i < devices; i++)
        device[i] = line[i];
    command_write(invocation->argv, command);
    snprintf(program, sizeof program, "deepfield %s, revision %s", deepfield_version(),
             deepfield_revision);
    snprintf(ranks, sizeof ranks, "%d, of which %d compute", facts->ranks, facts->computing_ranks);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
    const struct scaling_facts told = {.program = program,
                                       .command = command,
                                       .device = device,
                                       .devices = devices,
                                       .ranks = ranks,
                                       .library = world_library(),
                                       .date = date,
                                       .repeats = BENCH_REPEATS};
    return scaling_report_save(path, bench_overwrite(arguments), &stop_requested, &told,
                               output->row, output->rows);
}

static enum status root_run(const struct invocation *invocation, struct renderer *renderer)
{
    struct scaling_output output = {.rows = 0};
    struct bench_table *table = &output.table;
    bench_table_begin(table, invocation, "scaling", fields, FIELDS);
    enum status status = views_scale(
        renderer, (int32_t)config_integer(&invocation->config, OPTION_COMPUTE_TILE), &output);
    bench_table_rows_end(table);
    bench_table_renderer(table, renderer);
    if (status == STATUS_OK && !table->as_json)
        printf("ms: until the count plane of the whole picture is in rank 0's memory, from the\n"
               "moment that all ranks know what is wanted. idle: part of that time in which the\n"
               "threads that feed devices computed nothing. busy ms: of the busiest device.\n");
    if (status == STATUS_OK)
        status = report_write(invocation, renderer, &output);
    return bench_table_end(table, status);
}

enum status bench_scaling(const struct invocation *invocation)
{
    bool root = world_rank(invocation->world) == 0;
    struct renderer_options options = {0};
    struct renderer *renderer;
    if (root)
        options = renderer_probed(&invocation->config);
    TRY(renderer_open(&renderer, invocation->world, root ? &options : NULL));
    if (root)
        idle_report(invocation, &renderer_info(renderer)->idle);
    enum status status = root ? root_run(invocation, renderer) : views_scale(renderer, 0, NULL);
    renderer_close(renderer);
    return status;
}
