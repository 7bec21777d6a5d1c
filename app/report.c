#include "app/report.h"

#include <string.h>

#include "app/json.h"

double report_balance(const struct job_rank *rank, int ranks)
{
    double sum = 0, largest = 0;
    int computing = 0;
    for (int i = 0; i < ranks; i++) {
        if (!rank[i].computes)
            continue;
        computing++;
        sum += rank[i].busy_s;
        largest = rank[i].busy_s > largest ? rank[i].busy_s : largest;
    }
    return largest > 0 ? sum / computing / largest : 0;
}

/* Calls sink_paths for every file; each path is a line. */
static void paths_each(const struct order *order, void (*each)(void *, const char *), void *context)
{
    struct field shape = order_shape(order);
    for (size_t i = 0; i < order->path_count; i++) {
        char text[16384];
        struct sink_order sink = order_sink(order, i, &shape);
        sink_paths(&sink, text, sizeof text);
        for (char *line = text, *rest = NULL; (line = strtok_r(line, "\n", &rest)); line = NULL)
            each(context, line);
    }
}

static void path_print(void *stream, const char *path)
{
    fprintf(stream, "%s\n", path);
}

static void path_json(void *json, const char *path)
{
    json_text(json, NULL, path);
}

void report_paths(const struct order *order, FILE *stream)
{
    paths_each(order, path_print, stream);
}

static const char *number_name(enum number number)
{
    return number == NUMBER_FP32 ? "fp32" : "fp64";
}

static void order_json(struct json *json, const struct invocation *invocation,
                       const struct order *order)
{
    const struct picture *picture = &order->picture;
    json_text(json, "program", "deepfield");
    json_text(json, "version", DEEPFIELD_VERSION);
    json_text(json, "view", invocation->view.path);
    json_open(json, "files", '[');
    paths_each(order, path_json, json);
    json_close(json, ']');
    json_integer(json, "width", picture->view.width);
    json_integer(json, "height", picture->view.height);
    json_integer(json, "limit", picture->limit);
    json_real(json, "bailout", picture->bailout);
}

static void plan_json(struct json *json, const struct plan *plan)
{
    json_open(json, "plan", '{');
    json_text(json, "method", plan->method == METHOD_DIRECT ? "direct" : "perturbation");
    json_text(json, "number", number_name(plan->number));
    json_real(json, "error_px", plan->error_px[plan->number]);
    json_real(json, "accuracy_px", plan->accuracy_px);
    json_integer(json, "tile_px", plan->tile_px);
    json_count(json, "combs", plan->combs);
    json_count(json, "tiles", plan->tiles);
    json_integer(json, "count_bytes", plan->count_bytes);
    json_text(json, "schedule", plan->schedule);
    json_text(json, "transport", plan->transport);
    json_integer(json, "ranks", plan->ranks);
    json_integer(json, "computing_ranks", plan->computing_ranks);
    json_count(json, "frame_bytes", plan->frame_bytes);
    json_count(json, "road_bytes", plan->road_bytes);
    json_count(json, "worker_bytes", plan->worker_bytes);
    json_count(json, "device_bytes", plan->device_bytes);
    json_close(json, '}');
}

static const char *const cache_names[] = {[ORBIT_CACHE_NONE] = NULL,
                                          [ORBIT_CACHE_NEW] = "new",
                                          [ORBIT_CACHE_LONGER] = "longer",
                                          [ORBIT_CACHE_FOUND] = "found"};

static void reference_json(struct json *json, const struct picture_reference *reference)
{
    json_open(json, "reference", '{');
    json_integer(json, "bits", reference->bits);
    json_integer(json, "steps", reference->steps);
    json_integer(json, "period", reference->period);
    json_count(json, "bytes", reference->bytes);
    json_real(json, "seconds", reference->seconds);
    json_text(json, "cache", cache_names[reference->cache]);
    json_text(json, "cache_warning", *reference->warning ? reference->warning : NULL);
    json_close(json, '}');
}

static void ranks_json(struct json *json, const struct picture_report *report,
                       const struct studio *studio)
{
    json_open(json, "ranks", '[');
    for (int i = 0; i < report->plan.ranks; i++) {
        const struct job_rank *rank = &report->job.rank[i];
        json_open(json, NULL, '{');
        json_text(json, "host", rank->host);
        json_boolean(json, "computes", rank->computes);
        json_count(json, "tiles", rank->tiles);
        json_count(json, "iterations", rank->iterations);
        json_real(json, "busy_s", rank->busy_s);
        json_real(json, "wait_s", rank->wait_s);
        json_count(json, "bytes", rank->bytes_sent);
        json_integer(json, "lanes", rank->lanes);
        json_integer(json, "lanes_lost", rank->lanes_lost);
        if (rank->computes) {
            json_text(json, "road", studio->roads[i]->name);
            json_text(json, "road_reason", studio->road[i].reason);
        }
        json_close(json, '}');
    }
    json_close(json, ']');
    json_text(json, "road_refused", studio_refusal(studio));
    json_count(json, "tiles_twice", report->job.twice);
    json_real(json, "balance", report_balance(report->job.rank, report->plan.ranks));
}

static void figures_json(struct json *json, const struct order *order,
                         const struct outcome *outcome)
{
    const struct picture_report *report = outcome->report;
    json_text(json, "backend", studio_backend(outcome->studio));
    json_integer(json, "devices", outcome->studio->facts.devices);
    json_integer(json, "threads", outcome->studio->crew_options.threads);
    json_open(json, "seconds", '{');
    json_real(json, "prepare", outcome->prepare_s);
    json_real(json, "plan", report->plan_s);
    json_real(json, "compute", report->compute_s);
    json_real(json, "write", outcome->write_s);
    json_real(json, "total", outcome->total_s);
    json_close(json, '}');
    if (report->plan.method == METHOD_PERTURBATION)
        reference_json(json, &report->reference);
    json_count(json, "iterations", report->iterations);
    json_real(json, "iterations_per_s",
              report->compute_s > 0 ? (double)report->iterations / report->compute_s : 0);
    json_real(json, "interior_fraction",
              (double)outcome->sums.interior / (double)outcome->sums.pixels);
    json_open(json, "checksums", '{');
    for (int p = 0; p < PLANES; p++)
        if (order->picture.planes & 1u << p)
            json_hex(json, plane_kinds[p].name, outcome->sums.checksum[p]);
    json_close(json, '}');
    ranks_json(json, report, outcome->studio);
}

void report_json(const struct invocation *invocation, const struct order *order,
                 const struct outcome *outcome, FILE *stream)
{
    struct json json = {.stream = stream};
    json_open(&json, NULL, '{');
    order_json(&json, invocation, order);
    plan_json(&json, outcome->report ? &outcome->report->plan : &order->plan);
    json_boolean(&json, "dry_run", !outcome->report);
    if (outcome->report)
        figures_json(&json, order, outcome);
    json_close(&json, '}');
    fputc('\n', stream);
}

/* "cuda, 4 devices of 2 ranks" or "avx512, 3 ranks of 2 threads" */
static void devices_text(const struct studio *studio, char *text, size_t bytes)
{
    const struct studio_facts *facts = &studio->facts;
    int ranks = facts->computing_ranks, threads = studio->crew_options.threads;
    const char *mixed = facts->mixed ? " and others" : "";
    if (facts->gpus > 0)
        snprintf(text, bytes, "%s%s, %d device%s of %d rank%s", studio_backend(studio), mixed,
                 facts->devices, facts->devices == 1 ? "" : "s", ranks, ranks == 1 ? "" : "s");
    else
        snprintf(text, bytes, "%s%s, %d rank%s of %d thread%s", studio_backend(studio), mixed,
                 ranks, ranks == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
}

void report_line(const struct order *order, const struct outcome *outcome, FILE *stream)
{
    const struct picture_report *report = outcome->report;
    double giga = (double)report->iterations * 1e-9;
    char devices[96];
    devices_text(outcome->studio, devices, sizeof devices);
    fprintf(stream, "%d x %d, limit %lld: %.3g G %s in %.3g s (%.3g G/s) on %s; %.3g s in all\n",
            order->picture.view.width, order->picture.view.height, (long long)order->picture.limit,
            giga, report->plan.method == METHOD_DIRECT ? "iterations" : "steps and blocks",
            report->compute_s, report->compute_s > 0 ? giga / report->compute_s : 0, devices,
            outcome->total_s);
}
