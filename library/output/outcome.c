#include "library/output/outcome.h"

#include <stdlib.h>
#include <string.h>

#include "library/settings/settings_json.h"

double outcome_balance(const struct job_rank *rank, int ranks)
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
static void paths_each(const struct picture_settings *settings, void (*each)(void *, const char *),
                       void *context)
{
    struct field shape = settings_shape(settings);
    for (size_t i = 0; i < settings->path_count; i++) {
        char text[16384];
        struct sink_request sink = settings_sink(settings, i, &shape);
        sink_paths(&sink, text, sizeof text);
        for (char *line = text, *rest = NULL; (line = strtok_r(line, "\n", &rest)); line = NULL)
            each(context, line);
    }
}

static void path_write(void *stream, const char *path)
{
    fprintf(stream, "%s\n", path);
}

static void path_json(void *json, const char *path)
{
    json_text(json, NULL, path);
}

void outcome_paths(const struct picture_settings *settings, FILE *stream)
{
    paths_each(settings, path_write, stream);
}

static void planes_json(struct json *json, const char *key, unsigned planes)
{
    json_open(json, key, '[');
    for (int p = 0; p < PLANES; p++)
        if (planes & 1u << p)
            json_text(json, NULL, plane_kinds[p].name);
    json_close(json);
}

/* null: all pixels. */
static void region_json(struct json *json, const struct tile *region)
{
    const int32_t numbers[] = {region->x, region->y, region->width, region->height};
    if (!region->width) {
        json_text(json, "region", NULL);
        return;
    }
    json_open(json, "region", '[');
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_integer(json, NULL, numbers[i]);
    json_close(json);
}

static void settings_json(struct json *json, const char *view,
                          const struct picture_settings *settings)
{
    program_json(json);
    json_text(json, "view", view);
    json_text(json, "title", settings->title);
    json_open(json, "files", '[');
    paths_each(settings, path_json, json);
    json_close(json);
    picture_json(json, &settings->picture);
    region_json(json, &settings->picture.region);
    look_json(json, settings->config);
    setting_json(json, "bits", settings->config, OPTION_OUTPUT_BITS);
    setting_json(json, "samples", settings->config, OPTION_LOOK_SAMPLES);
    planes_json(json, "planes", settings->picture.spec.planes);
    planes_json(json, "planes_saved", settings->planes_saved);
}

static const char *const cache_names[] = {[ORBIT_CACHE_NONE] = NULL,
                                          [ORBIT_CACHE_NEW] = "new",
                                          [ORBIT_CACHE_LONGER] = "longer",
                                          [ORBIT_CACHE_FOUND] = "found"};

/* Mean over the pixels that were followed. */
static double per_pixel(const struct block_usage *survey, uint64_t count)
{
    return survey->pixels ? (double)count / (double)survey->pixels : 0;
}

static void survey_json(struct json *json, const struct block_usage *survey)
{
    json_open(json, "survey", '{');
    json_integer(json, "pixels", survey->pixels);
    json_real(json, "iterations_per_pixel", per_pixel(survey, survey->iterations));
    json_real(json, "single_steps_per_pixel", per_pixel(survey, survey->single));
    json_real(json, "unreferenced_steps_per_pixel", per_pixel(survey, survey->unreferenced));
    json_open(json, "levels", '[');
    for (int l = 0; l < survey->levels; l++) {
        json_open(json, NULL, '{');
        json_integer(json, "steps", (int64_t)1 << (survey->shortest + l));
        json_integer(json, "blocks", survey->level[l].blocks);
        json_integer(json, "hold", survey->level[l].hold);
        json_real(json, "taken_per_pixel", per_pixel(survey, survey->level[l].taken));
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static void reference_json(struct json *json, const struct picture_reference *reference)
{
    json_open(json, "reference", '{');
    json_integer(json, "bits", reference->bits);
    json_integer(json, "steps", reference->steps);
    json_integer(json, "period", reference->period);
    json_integer(json, "device_steps", reference->device_steps);
    json_count(json, "bytes", reference->orbit_bytes + reference->table_bytes);
    json_count(json, "orbit_bytes", reference->orbit_bytes);
    json_count(json, "table_bytes", reference->table_bytes);
    json_real(json, "seconds", reference->seconds);
    json_text(json, "cache", cache_names[reference->cache]);
    json_text(json, "cache_warning", *reference->warning ? reference->warning : NULL);
    json_close(json);
}

enum status outcome_links_keep(struct outcome *outcome)
{
    const struct renderer *renderer = outcome->renderer;
    const char *refusal = renderer_refusal(renderer);
    int ranks = outcome->report->plan.facts.ranks;
    outcome->link = calloc((size_t)ranks, sizeof *outcome->link);
    if (!outcome->link)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the report of %d ranks", ranks);
    for (int i = 0; i < ranks; i++) {
        if (!outcome->report->job.rank[i].computes)
            continue;
        outcome->link[i].transport = renderer_transport(renderer, i)->name;
        snprintf(outcome->link[i].reason, sizeof outcome->link[i].reason, "%s",
                 renderer_link(renderer, i)->reason);
    }
    snprintf(outcome->refusal, sizeof outcome->refusal, "%s", refusal ? refusal : "");
    return STATUS_OK;
}

void outcome_destroy(struct outcome *outcome)
{
    free(outcome->link);
    outcome->link = NULL;
}

static void ranks_json(struct json *json, const struct outcome *outcome)
{
    const struct picture_report *report = outcome->report;
    json_open(json, "ranks", '[');
    for (int i = 0; i < report->plan.facts.ranks + report->job.joined_count; i++) {
        int joined = i - report->plan.facts.ranks;
        const struct job_rank *rank =
            joined < 0 ? &report->job.rank[i] : &report->job.joined[joined];
        json_open(json, NULL, '{');
        json_integer(json, "rank", i);
        json_boolean(json, "joined", joined >= 0);
        json_text(json, "host", *rank->host ? rank->host : NULL);
        json_boolean(json, "computes", rank->computes);
        json_count(json, "tiles", rank->tiles);
        json_count(json, "iterations", rank->iterations);
        json_real(json, "busy_s", rank->busy_s);
        json_real(json, "wait_s", rank->wait_s);
        json_count(json, "bytes", rank->bytes_sent);
        json_integer(json, "threads", rank->threads);
        json_integer(json, "threads_lost", rank->threads_lost);
        json_integer(json, "silences", rank->silences);
        json_boolean(json, "missing", rank->missing);
        const struct outcome_link *link = joined < 0 && rank->computes ? &outcome->link[i] : NULL;
        json_text(json, "transport", link ? link->transport : joined < 0 ? NULL : "tcp");
        json_text(json, "transport_reason", link ? link->reason : NULL);
        json_close(json);
    }
    json_close(json);
    json_text(json, "transport_refused", *outcome->refusal ? outcome->refusal : NULL);
    json_count(json, "tiles_twice", report->job.twice);
    json_real(json, "balance", outcome_balance(report->job.rank, report->plan.facts.ranks));
}

/* Writes null for what a dry run does not measure. */
static void figures_none(struct json *json)
{
    /* clang-format off */
    static const char *const keys[] = {
        "backend", "devices", "threads", "seconds", "blocks", "reference", "survey",
        "samples_per_pixel", "iterations", "iterations_per_pixel", "iterations_per_s",
        "interior_fraction", "checksums", "ranks", "transport_refused", "tiles_twice", "balance"};
    /* clang-format on */
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_text(json, keys[i], NULL);
}

static void report_seconds(struct json *json, const struct outcome *outcome)
{
    const struct picture_report *report = outcome->report;
    json_open(json, "seconds", '{');
    json_real(json, "prepare", outcome->prepare_s);
    json_real(json, "plan", report->plan_s);
    json_real(json, "compute", report->compute_s);
    json_real(json, "centres", report->centres_s);
    json_real(json, "write", outcome->write_s);
    json_real(json, "total", outcome->total_s);
    json_close(json);
}

static void figures_json(struct json *json, const struct picture_settings *settings,
                         const struct outcome *outcome)
{
    const struct picture_report *report = outcome->report;
    json_text(json, "backend", renderer_backend(outcome->renderer));
    json_integer(json, "devices", renderer_info(outcome->renderer)->facts.devices);
    json_integer(json, "threads", renderer_info(outcome->renderer)->devices.threads);
    report_seconds(json, outcome);
    bool deep = report->plan.method == METHOD_PERTURBATION;
    json_text(json, "blocks", deep ? plan_blocks_name(settings->picture.blocks) : NULL);
    if (deep)
        reference_json(json, &report->reference);
    else
        json_text(json, "reference", NULL);
    if (deep && settings->picture.survey)
        survey_json(json, &report->survey);
    else
        json_text(json, "survey", NULL);
    json_real(json, "samples_per_pixel", report->samples);
    json_count(json, "iterations", report->iterations);
    json_real(json, "iterations_per_pixel",
              (double)report->iterations / (double)outcome->sums.pixels);
    json_real(json, "iterations_per_s",
              report->compute_s > 0 ? (double)report->iterations / report->compute_s : 0);
    json_real(json, "interior_fraction",
              (double)outcome->sums.interior / (double)outcome->sums.pixels);
    /* A resumed picture has null checksums: this run has not seen all rows. */
    checksums_json(json, settings->picture.spec.planes, outcome->sums.checksum);
    ranks_json(json, outcome);
}

/* Devices in words of their own, of dry runs, too; no members of `deepfield render --json`. */
static void devices_json(struct json *json, const struct outcome *outcome)
{
    const struct renderer_info *info = renderer_info(outcome->renderer);
    json_integer(json, "gpus", info->facts.gpus);
    json_integer(json, "cores", info->facts.computing_ranks * info->devices.threads);
    json_boolean(json, "mixed", info->facts.mixed);
}

void outcome_json(struct json *json, const char *view, const struct picture_settings *settings,
                  const struct outcome *outcome)
{
    json_begin(json, "render/1");
    settings_json(json, view, settings);
    plan_json(json, outcome->report ? &outcome->report->plan : &settings->plan);
    json_boolean(json, "dry_run",
                 !outcome->report && !outcome->already_complete && !outcome->joined);
    json_boolean(json, "already_complete", outcome->already_complete);
    if (outcome->estimate)
        estimate_json(json, outcome->estimate);
    else
        json_text(json, "estimate", NULL);
    if (outcome->report)
        figures_json(json, settings, outcome);
    else
        figures_none(json);
    devices_json(json, outcome);
}
