#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/bench/bench.h"
#include "app/bench/bench_table.h"
#include "app/process/stop.h"
#include "decomposition/thread/clock.h"
#include "kernels/backend.h"
#include "render/plan/plan.h"
#include "render/plan/sorted.h"
#include "render/view/view.h"

struct bench_device { /* the device that is measured */
    struct backend *backend;
    struct device_facts facts;
    double ceiling[NUMBERS]; /* iterations per second: best seen in the run */
    bool wide;               /* a GPU: 4K pictures, the count plane alone, in pinned host memory */
};

struct bench_row {
    uint64_t iterations; /* iterations of the picture */
    double seconds;      /* median, until the planes are in host memory */
    double kernel_s;     /* median by the device's own clock; 0 on a CPU */
    double of_ceiling;   /* median of iterations / seconds / ceiling */
    double of_limit;     /* iterations / kernel_s / what the units can issue; 0 on a CPU */
    double of_allowed;   /* time over the goal's; the goal is <= 1, 0: there is none */
};

struct bench_view {
    const char *name;
    const char *re, *im, *zoom;
    int32_t width, height;
    int64_t limit;
    enum number number;
    /* The goal is one of these, or there is none. */
    double allowed_iterations; /* most time, as iterations at the ceiling */
    double allowed_ratio;      /* most time, over that of the picture's iterations at the ceiling */
    double allowed_ms;         /* most time until the picture is in host memory */
    double least_of_limit;     /* least share of what the device can issue while kernels run */
    enum shortcuts shortcuts;
    unsigned planes; /* 0: those of the device's other rows */
};

/* The interior view lies in the period-3 bulb where a round trip shrinks by 0.999 only. Its rows
 * are about the steps and have no short-cuts, since proofs end the bulb in doubles. */
#define BULB_RIM "-0.037025667466868806", "0.7788796699113392", "4e6"
#define SEAHORSE "-0.743643887037158704752191506114774", "0.131825904205311970493132056385139"
#define MINIBROT "-0.7436423016578459", "0.1318265198125947", "1800281.2939521800"
#define WHOLE_SET "-0.75", "0", "1.580246913580247"

/* Also distances and phases, and no sums along orbits. */
#define EVERY_PLANE (((1u << PLANES) - 1) & ~(unsigned)PLANE_MASK_ORBIT)

static const struct bench_view views[] = {
    {"interior only", BULB_RIM, 480, 270, 20000, NUMBER_FP64, .allowed_ratio = 1 / 0.85,
     .shortcuts = SHORTCUTS_OFF},
    {"interior only", BULB_RIM, 480, 270, 20000, NUMBER_FP32, .allowed_ratio = 1 / 0.85,
     .shortcuts = SHORTCUTS_OFF},
    {"interior only", BULB_RIM, 480, 270, 20000, NUMBER_DS, .shortcuts = SHORTCUTS_OFF},
    {"whole set", WHOLE_SET, 1920, 1080, 1000, NUMBER_FP64, .allowed_iterations = 0.5e9},
    {"whole set", WHOLE_SET, 1920, 1080, 50000, NUMBER_FP64, .allowed_iterations = 0.5e9},
    {"seahorse 5.7e-10", SEAHORSE, "7e9", 1920, 1080, 20000, NUMBER_FP64, .allowed_ratio = 1.6},
    {"minibrot, 61 % in", MINIBROT, 960, 540, 50000, NUMBER_FP64, .allowed_ms = 0},
    {"whole set, planes", WHOLE_SET, 1920, 1080, 1000, NUMBER_FP64, .planes = EVERY_PLANE},
    {"seahorse, planes", SEAHORSE, "7e9", 1920, 1080, 20000, NUMBER_FP64, .planes = EVERY_PLANE},
};

static const struct bench_view wide_views[] = {
    {"interior only", BULB_RIM, 3840, 2160, 20000, NUMBER_FP64, .least_of_limit = 0.92,
     .shortcuts = SHORTCUTS_OFF},
    {"interior only", BULB_RIM, 3840, 2160, 20000, NUMBER_FP32, .least_of_limit = 0.88,
     .shortcuts = SHORTCUTS_OFF},
    {"interior only", BULB_RIM, 3840, 2160, 20000, NUMBER_DS, .shortcuts = SHORTCUTS_OFF},
    {"whole set", WHOLE_SET, 3840, 2160, 1000, NUMBER_FP64, .allowed_ms = 1},
    {"whole set", WHOLE_SET, 3840, 2160, 50000, NUMBER_FP64, .allowed_ms = 3},
    {"seahorse 1e-6", "-0.743643887037151", "0.131825904205330", "7111111.111111111", 3840, 2160,
     20000, NUMBER_FP64, .allowed_ms = 32},
    {"seahorse 1e-6", "-0.743643887037151", "0.131825904205330", "7111111.111111111", 3840, 2160,
     20000, NUMBER_DS, .allowed_ms = 0},
    {"minibrot, 61 % in", MINIBROT, 3840, 2160, 50000, NUMBER_FP64, .allowed_ms = 25},
    {"seahorse 5.7e-10", SEAHORSE, "7111111111.111111", 3840, 2160, 20000, NUMBER_FP64,
     .allowed_ms = 0},
    {"whole set, planes", WHOLE_SET, 3840, 2160, 1000, NUMBER_FP64, .planes = EVERY_PLANE},
    {"seahorse, planes", SEAHORSE, "7111111111.111111", 3840, 2160, 20000, NUMBER_FP64,
     .planes = EVERY_PLANE},
};

#define CEILING_S \
    0.01 /* long enough to be timed, short enough to be close to the picture in time */

struct bench_series { /* repeated measurements of a picture */
    double time_s[BENCH_REPEATS], kernel_s[BENCH_REPEATS], of_ceiling[BENCH_REPEATS];
};

static void row_judge(const struct bench_view *view, const struct bench_device *device,
                      struct bench_series *series, struct bench_row *row)
{
    double iterations = (double)row->iterations, limit = device->facts.limit[view->number];
    row->seconds = median(series->time_s, BENCH_REPEATS);
    row->kernel_s = median(series->kernel_s, BENCH_REPEATS);
    row->of_ceiling = median(series->of_ceiling, BENCH_REPEATS);
    row->of_limit = row->kernel_s > 0 && limit > 0 ? iterations / row->kernel_s / limit : 0;
    double allowed =
        view->allowed_iterations > 0 ? view->allowed_iterations : view->allowed_ratio * iterations;
    if (allowed > 0)
        row->of_allowed = iterations / row->of_ceiling / allowed;
    if (view->allowed_ms > 0)
        row->of_allowed = 1e3 * row->seconds / view->allowed_ms;
    if (view->least_of_limit > 0 && row->of_limit > 0)
        row->of_allowed = view->least_of_limit / row->of_limit;
}

/* One picture, again and again, each time between two measurements of the ceiling. The first run on
 * a GPU, which warms caches and finds out how long slices may be, does not count. */
static enum status view_measure(const struct bench_view *view, const struct grid *grid,
                                struct field *field, struct bench_device *device,
                                struct bench_row *row)
{
    struct bench_series series;
    struct spec spec = {.limit = view->limit,
                        .bailout = 1024,
                        .planes = field->planes,
                        .count_bytes = field->count_bytes,
                        .number = view->number,
                        .shortcuts = view->shortcuts};
    struct backend_work warm = {0};
    if (device->wide)
        TRY(backend_compute(device->backend, &spec, grid, field, &warm));
    double before = backend_ceiling(device->backend, view->number, CEILING_S);
    for (int r = 0; r < BENCH_REPEATS; r++) {
        struct backend_work work = {0};
        double begin = clock_s();
        TRY(backend_compute(device->backend, &spec, grid, field, &work));
        series.time_s[r] = clock_s() - begin;
        series.kernel_s[r] = work.kernel_s;
        double after = backend_ceiling(device->backend, view->number, CEILING_S);
        double ceiling = (before + after) / 2;
        series.of_ceiling[r] = (double)work.iterations / series.time_s[r] / ceiling;
        device->ceiling[view->number] = fmax(device->ceiling[view->number], ceiling);
        row->iterations = work.iterations;
        before = after;
    }
    row_judge(view, device, &series, row);
    return STATUS_OK;
}

/* The picture's memory: what the device reaches fast. */
static enum status field_make(struct field *field, struct backend *backend,
                              const struct bench_view *view)
{
    const struct backend_memory *memory = backend_kind_of(backend)->memory;
    unsigned planes = view->planes ? view->planes
                      : memory     ? PLANE_MASK_COUNT
                                   : PLANE_MASK_COUNT | PLANE_MASK_FRACTION;
    if (!memory)
        return field_create(field, view->width, view->height, planes, 4);
    void *base;
    size_t bytes;
    TRY(field_bytes(view->width, view->height, planes, 4, &bytes));
    TRY(memory->host_create(backend, bytes, &base));
    field_over(field, view->width, view->height, planes, 4, base);
    return STATUS_OK;
}

static void field_unmake(struct field *field, struct backend *backend)
{
    const struct backend_memory *memory = backend_kind_of(backend)->memory;
    if (memory)
        memory->host_destroy(backend, field->base);
    else
        field_destroy(field);
}

static enum status view_bench(const struct bench_view *view, struct bench_device *device,
                              struct bench_row *row)
{
    struct view where = {0};
    struct view_numbers numbers;
    struct field field = {0};
    enum status status =
        view_set(&where, view->re, view->im, view->zoom, 0, view->width, view->height);
    if (status == STATUS_OK)
        status = view_numbers(&where, &numbers);
    if (status == STATUS_OK)
        status = field_make(&field, device->backend, view);
    if (status == STATUS_OK) {
        struct grid grid = view_grid(&numbers, 0, 0, view->width, view->height);
        status = view_measure(view, &grid, &field, device, row);
    }
    field_unmake(&field, device->backend);
    view_destroy(&where);
    return status;
}

/* ---- the table ---- */

enum { KERNEL_MS = 6, OF_CEILING = 9, OF_LIMIT };

static const struct bench_field fields[] = {
    {"view", "view", -17, 0, 1, ""},
    {"width", "size", 4, 0, 1, " x"},
    {"height", "", -4, 0, 1, ""},
    {"limit", "limit", 6, 0, 1, ""},
    {"numbers", "type", 5, 0, 1, ""},
    {"seconds", "ms", 9, 2, 1e3, ""},
    {"kernel_s", "kernel ms", 9, 2, 1e3, ""},
    {"iterations", "G iterat.", 11, 3, 1e-9, ""},
    {NULL, "G/s", 8, 2, 1e-9, ""},
    {"of_ceiling", "ceiling", 7, 1, 100, " %"},
    {"of_limit", "limit", 7, 1, 100, " %"},
    {"of_goal", "of goal", 9, 2, 1, ""},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static void row_tell(struct bench_table *table, const struct bench_view *view,
                     const struct bench_row *row)
{
    double seconds = row->kernel_s > 0 ? row->kernel_s : row->seconds;
    bench_table_row(table, (struct bench_cell[FIELDS]){
                               {.text = view->name},
                               {.number = view->width},
                               {.number = view->height},
                               {.number = (double)view->limit},
                               {.text = plan_number_name(view->number)},
                               {.number = row->seconds},
                               {.number = row->kernel_s},
                               {.number = (double)row->iterations},
                               {.number = (double)row->iterations / seconds},
                               {.number = row->of_ceiling},
                               {.number = row->of_limit},
                               {.number = row->of_allowed > 0 ? row->of_allowed : NAN},
                           });
}

static void foot_print(const struct bench_device *device)
{
    const double *ceiling = device->ceiling, *limit = device->facts.limit;
    if (device->wide) {
        printf(
            "\n%s %s: its units can issue fp32 %.2f, fp64 %.2f G iterations/s; the plain\n"
            "unchecked loop reaches fp32 %.2f, fp64 %.2f.\n"
            "ms: until the count plane, or all planes, are in pinned host memory; kernel ms: by\n"
            "the device's clock; medians of %d. G/s and limit (part of what can be issued):\n"
            "while kernels ran. of goal: over the goal's figure; 1 or less reaches it. Goals:\n"
            "interior 92 %% (fp64) and 88 %% (fp32) of the limit; 1, 3, 32 and 25 ms.\n",
            device->facts.name, device->facts.bus, 1e-9 * limit[NUMBER_FP32],
            1e-9 * limit[NUMBER_FP64], 1e-9 * ceiling[NUMBER_FP32], 1e-9 * ceiling[NUMBER_FP64],
            BENCH_REPEATS);
        return;
    }
    printf("\nbackend %s, %d threads; ceiling (plain unchecked loop, same threads, same run): "
           "fp32 %.2f, fp64 %.2f G iterations/s\n"
           "ms: count and fraction planes, or all planes, in memory, median of %d. ceiling: part\n"
           "of the ceiling measured just before and after. of goal: time over the goal's; 1 or\n"
           "less reaches it. Goals: interior 85 %% of the ceiling; whole set 0.5 G iterations at\n"
           "the ceiling; seahorse 1.6 times its own iterations at the ceiling.\n",
           backend_kind_of(device->backend)->name, backend_threads(device->backend),
           1e-9 * ceiling[NUMBER_FP32], 1e-9 * ceiling[NUMBER_FP64], BENCH_REPEATS);
}

static void foot_json(struct json *json, const struct bench_device *device)
{
    json_text(json, "backend", backend_kind_of(device->backend)->name);
    json_text(json, "device", device->facts.name);
    json_integer(json, "threads", backend_threads(device->backend));
    json_integer(json, "repeats", BENCH_REPEATS);
    json_real(json, "ceiling_fp32", device->ceiling[NUMBER_FP32]);
    json_real(json, "ceiling_fp64", device->ceiling[NUMBER_FP64]);
    json_real(json, "limit_fp32", device->facts.limit[NUMBER_FP32]);
    json_real(json, "limit_fp64", device->facts.limit[NUMBER_FP64]);
}

/* ---- the suite ---- */

/* One device: the first of those chosen. */
static int device_first(const struct config *config)
{
    uint64_t chosen = (uint64_t)config_integer(config, OPTION_COMPUTE_DEVICES);
    return chosen ? __builtin_ctzll(chosen) : 0;
}

static enum status device_open(struct bench_device *device, const struct config *config)
{
    struct backend_options options = {.device = device_first(config),
                                      .threads =
                                          (int)config_integer(config, OPTION_COMPUTE_THREADS),
                                      .stop = &stop_requested};
    TRY(backend_open(&device->backend, config_text(config, OPTION_COMPUTE_BACKEND), &options));
    const struct backend_kind *kind = backend_kind_of(device->backend);
    device->wide = kind->memory;
    for (int n = 0; n < NUMBERS; n++)
        device->ceiling[n] = backend_ceiling(device->backend, (enum number)n, 10 * CEILING_S);
    return kind->facts(backend_device(device->backend), &device->facts);
}

static enum status views_bench(struct bench_table *table, struct bench_device *device)
{
    const struct bench_view *list = device->wide ? wide_views : views;
    size_t count =
        device->wide ? sizeof wide_views / sizeof *wide_views : sizeof views / sizeof *views;
    for (size_t v = 0; v < count; v++) {
        struct bench_row row = {.iterations = 0};
        TRY(view_bench(&list[v], device, &row));
        row_tell(table, &list[v], &row);
    }
    return STATUS_OK;
}

enum status bench_direct(const struct invocation *invocation)
{
    struct bench_table table;
    struct bench_device device = {.backend = NULL};
    struct bench_field shown[FIELDS];
    if (config_integer(&invocation->config, OPTION_COMPUTE_DEVICES_PER_RANK) > 1)
        return status_fail(STATUS_CONFIG, "suite direct measures one device, the first of "
                                          "--devices; --devices-per-rank is for the others");
    enum status status = device_open(&device, &invocation->config);
    if (status == STATUS_OK) {
        memcpy(shown, fields, sizeof fields);
        shown[OF_CEILING].head = device.wide ? NULL : fields[OF_CEILING].head;
        shown[OF_LIMIT].head = device.wide ? fields[OF_LIMIT].head : NULL;
        shown[KERNEL_MS].head = device.wide ? fields[KERNEL_MS].head : NULL;
        bench_table_begin(&table, invocation, "direct", shown, FIELDS);
        status = views_bench(&table, &device);
        bench_table_rows_end(&table);
        if (table.as_json)
            foot_json(&table.json, &device);
        else if (status == STATUS_OK)
            foot_print(&device);
        status = bench_table_end(&table, status);
    }
    backend_close(device.backend);
    return status;
}
