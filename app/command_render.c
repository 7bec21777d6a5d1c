/* deepfield render: a view becomes files. */
#include <string.h>

#include "app/command.h"
#include "app/picture_settings.h"
#include "app/progress.h"
#include "app/report.h"
#include "app/stop.h"
#include "decomposition/clock.h"
#include "render/folder_clear.h"

static void mpi_device_explain(const struct renderer *renderer, FILE *stream)
{
    const struct renderer_mpi_device *mpi = &renderer->mpi_device;
    bool used = renderer->facts.sends_device;
    if (mpi->asked)
        fprintf(stream, "mpi gpu     %s: %s\n", used ? "used" : "not used",
                mpi->proven && !used ? "no rank but 0 has a device whose memory MPI would send"
                                     : mpi->why);
}

/* stdout may belong to the line of JSON, or to the picture. */
static FILE *explain_stream(const struct invocation *invocation,
                            const struct picture_settings *settings)
{
    bool taken = settings->to_stdout || arguments_has(&invocation->arguments, OPTION_JSON);
    return taken ? stderr : stdout;
}

static void explain(const struct invocation *invocation, const struct picture_settings *settings,
                    const struct renderer *renderer)
{
    char text[8192];
    FILE *stream = explain_stream(invocation, settings);
    plan_explain(&settings->plan, &settings->inputs, text, sizeof text);
    fputs(text, stream);
    if (settings_interior_refusal(settings))
        fprintf(stream, "interior    %s\n", settings_interior_refusal(settings));
    mpi_device_explain(renderer, stream);
    for (int i = 0; i < renderer->row_count; i++) {
        const struct device_row *row = &renderer->rows[i];
        if (!*row->facts.bus)
            continue; /* a CPU */
        fprintf(stream, "%-11s rank %d on %s: %s %d, %s, %s", i ? "" : "devices", row->rank,
                row->host, row->backend, row->device, row->facts.name, row->facts.bus);
        if (row->shared_with)
            fprintf(stream, ", shared with %d other rank%s", row->shared_with,
                    row->shared_with > 1 ? "s" : "");
        fputc('\n', stream);
    }
    if (renderer->spared)
        fprintf(stream,
                "            %d more would take longer to open than they save; --devices names "
                "those to take\n",
                renderer->spared);
}

static void dry_run_show(const struct invocation *invocation,
                         const struct picture_settings *settings, const struct renderer *renderer)
{
    struct outcome nothing = {.renderer = renderer};
    if (arguments_has(&invocation->arguments, OPTION_JSON)) {
        report_json(invocation, settings, &nothing, stdout);
        return;
    }
    explain(invocation, settings, renderer);
    fputs("would write:\n", stdout);
    report_paths(settings, stdout);
}

static void mended_show(const char *text)
{
    fprintf(stderr, "deepfield: %s\n", text);
}

/* Rank 0, before anything is computed. */
static enum status settings_prepare(const struct invocation *invocation,
                                    struct picture_settings *settings,
                                    const struct renderer *renderer, bool *dry)
{
    const struct arguments *arguments = &invocation->arguments;
    folder_clear_listen(mended_show);
    TRY(settings_create(settings, invocation, &renderer->facts));
    *dry = arguments_has(arguments, OPTION_DRY_RUN);
    if (arguments_has(arguments, OPTION_EXPLAIN) && !*dry)
        explain(invocation, settings, renderer); /* before the admission: it shows the sums */
    TRY(picture_admit(&settings->plan));
    if (*dry)
        dry_run_show(invocation, settings, renderer);
    return STATUS_OK;
}

/* All of an order appear, or none; those of one folder together. An order that fails does not cost
 * the others what they have. */
static enum status files_write(const struct picture_settings *settings, const struct field *field,
                               const float (*light)[3])
{
    struct atomic_file_set set = {.count = 0};
    enum status status = STATUS_OK;
    char why[STATUS_TEXT_BYTES] = "";
    for (size_t i = 0; status != STATUS_STOPPED && i < settings->path_count; i++) {
        struct sink_request sink = settings_sink(settings, i, field, light);
        size_t before = set.count;
        enum status written = sink_write_to(&sink, &set);
        if (written == STATUS_OK)
            continue;
        atomic_file_set_cut(&set, before);
        status = written;
        snprintf(why, sizeof why, "%s", status_text());
    }
    if (status == STATUS_STOPPED)
        atomic_file_set_cut(&set, 0);
    bool others = set.count > 0;
    enum status named = stop_held_commit(&set);
    if (status == STATUS_OK || named != STATUS_OK)
        return named;
    return status_fail(status, others ? "%.900s; the other files are complete" : "%.900s", why);
}

/* Rank 0, with the picture in `field`. */
static enum status picture_deliver(const struct invocation *invocation,
                                   const struct picture_settings *settings,
                                   const struct field *field, struct outcome *outcome)
{
    double begin_s = clock_s();
    TRY(files_write(settings, field, (const float(*)[3])outcome->report->light));
    outcome->write_s = clock_s() - begin_s;
    outcome->total_s = clock_s() - invocation->started_s;
    if (arguments_has(&invocation->arguments, OPTION_JSON)) {
        report_json(invocation, settings, outcome, stdout);
        return STATUS_OK;
    }
    if (!settings->to_stdout)
        report_paths(settings, stdout);
    if (!config_boolean(&invocation->config, OPTION_OUTPUT_QUIET))
        report_line(settings, outcome, stderr);
    return STATUS_OK;
}

/* Another transport than the one asked for. */
static void refusal_show(const struct invocation *invocation, const struct renderer *renderer)
{
    const char *refusal = renderer_refusal(renderer);
    if (refusal && !config_boolean(&invocation->config, OPTION_OUTPUT_QUIET))
        fprintf(stderr, "deepfield: transport auto instead of device: %s\n", refusal);
}

/* Less than the accuracy that somebody asked for; --explain tells it of the default too. */
static void shortfall_show(const struct invocation *invocation, const struct plan *plan)
{
    const struct config *config = &invocation->config;
    if (plan->falls_short && config_was_set(config, OPTION_COMPUTE_ACCURACY) &&
        !config_boolean(config, OPTION_OUTPUT_QUIET))
        fprintf(stderr,
                "deepfield: %.1e pixels beside the points asked for, not %.1e: Julia sets have no "
                "perturbation, and fp64 comes no nearer\n",
                plan->error_px[plan->number], plan->accuracy_px);
}

static void interior_show(const struct invocation *invocation,
                          const struct picture_settings *settings)
{
    const char *refusal = settings_interior_refusal(settings);
    if (refusal && !config_boolean(&invocation->config, OPTION_OUTPUT_QUIET))
        fprintf(stderr, "deepfield: %s\n", refusal);
}

static void cache_warn(const struct picture_reference *reference)
{
    if (*reference->warning)
        fprintf(stderr, "deepfield: orbit cache: %s\n", reference->warning);
}

/* A device or a rank that failed on the way is an error, though the picture is complete and saved.
 */
static enum status losses(const struct world *world, const struct job_report *job)
{
    if (world_lost(world) != STATUS_OK) {
        char text[STATUS_TEXT_BYTES];
        snprintf(text, sizeof text, "%s", status_text());
        return status_fail(STATUS_SYSTEM, "the picture is complete and saved, but %.900s", text);
    }
    if (job->threads_lost == 0)
        return STATUS_OK;
    return status_fail(STATUS_DEVICE_LOST,
                       "the picture is complete and saved, but a device of rank %d (%s) failed: %s",
                       job->lost_rank, job->rank[job->lost_rank].host, job->lost_text);
}

/* Of all samples, when the pixels' centres are there. */
struct look_job {
    struct picture_settings *settings;
    struct config *config;
};

static enum status look_settle(void *context, const struct field *field, const struct look **look)
{
    struct look_job *job = context;
    *look = &job->settings->look;
    return settings_fit(job->settings, job->config, field);
}

static enum status root_render(struct invocation *invocation, struct renderer *renderer,
                               struct picture_settings *settings)
{
    struct progress progress = {
        .stream = stderr,
        .style = progress_style_choose(config_boolean(&invocation->config, OPTION_OUTPUT_QUIET))};
    struct look_job look_job = {settings, &invocation->config};
    struct picture_hooks hooks = {.progress = progress_show,
                                  .prepare = progress_prepare,
                                  .notice = progress_notice,
                                  .context = &progress,
                                  .look = look_settle,
                                  .look_context = &look_job,
                                  .stop = &stop_requested};
    struct field field = {0};
    struct picture_report report = {0};
    struct outcome outcome = {
        .report = &report, .renderer = renderer, .prepare_s = clock_s() - invocation->started_s};
    enum status status = picture_render(renderer, &settings->picture, &hooks, &field, &report);
    progress_end(&progress);
    if (status == STATUS_OK) {
        refusal_show(invocation, renderer);
        shortfall_show(invocation, &report.plan);
        interior_show(invocation, settings);
        cache_warn(&report.reference);
        outcome.sums = picture_sum(&field);
        if (arguments_has(&invocation->arguments, OPTION_EXPLAIN))
            report_survey(&outcome, explain_stream(invocation, settings));
        if (!report.light) /* else it is settled since the first sample */
            status = settings_fit(settings, &invocation->config, &field);
        if (status == STATUS_OK)
            status = picture_deliver(invocation, settings, &field, &outcome);
    }
    if (status == STATUS_OK)
        status = losses(invocation->world, &report.job);
    picture_report_destroy(&report);
    return status;
}

static enum status worker_render(struct renderer *renderer)
{
    struct picture_hooks hooks = {.stop = &stop_requested};
    return picture_render(renderer, NULL, &hooks, NULL, NULL);
}

/* The size may be anything: this is an estimate in doubles. */
static double iterations_most(const struct config *config)
{
    const struct config_value *size = &config->value[OPTION_VIEW_SIZE];
    return (double)size->integer * (double)size->second *
           (double)config_integer(config, OPTION_VIEW_LIMIT);
}

enum status command_render(struct invocation *invocation)
{
    struct world *world = invocation->world;
    bool root = world_rank(world) == 0;
    struct picture_settings settings = {0};
    bool dry = false;
    struct renderer *renderer;
    struct renderer_options options = {0};
    if (root) {
        options = settings_renderer(&invocation->config, FRAME_MEMORY_ONCE);
        options.iterations = iterations_most(&invocation->config);
    }
    TRY(renderer_open(&renderer, world, root ? &options : NULL));
    enum status status = STATUS_OK;
    if (root)
        status = settings_prepare(invocation, &settings, renderer, &dry);
    if (root && (status != STATUS_OK || dry))
        status = picture_decline(renderer, status);
    else
        status = root ? root_render(invocation, renderer, &settings) : worker_render(renderer);
    renderer_close(renderer);
    settings_destroy(&settings);
    return status;
}
