#include "library/output/picture_output.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "library/output/part_join.h"
#include "library/output/picture_there.h"
#include "library/settings/settings_look.h"
#include "render/growing/picture_files.h"
#include "render/picture/estimate.h"
#include "render/picture/picture_plan.h"

struct picture_output { /* a picture that is being made, with its files */
    struct picture_output_request request;
    struct picture_output_facts facts;
    struct picture_settings settings;
    struct config *config;
    struct field shape;
    bool settled; /* the look and the texts of files are final: files borrow them from now on */
    bool done;    /* nothing is left to report */
    bool lost;    /* ranks or devices were lost on the way */
    struct journal *journal;
    struct picture_files *files;
    int parts; /* number of parts that are joined; 0: the picture is computed */
    struct picture_report report;
    struct outcome outcome; /* with `report`, once that is there */
};

/* ---- sentences ---- */

__attribute__((format(printf, 2, 3))) static void say(const struct picture_output *output,
                                                      const char *format, ...)
{
    const struct output_hooks *hooks = &output->request.hooks;
    char text[STATUS_TEXT_BYTES];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (hooks->say)
        hooks->say(hooks->context, text);
}

static bool is_quiet(const struct picture_output *output)
{
    return config_boolean(output->config, OPTION_OUTPUT_QUIET);
}

static void resumed_say(const struct picture_output *output)
{
    struct journal_left left = journal_left(output->journal);
    if (left.strip_rows == 0 || is_quiet(output))
        return;
    say(output, "goes on from %s: %d of %d rows are there, and %u tiles",
        journal_folder(output->journal), left.rows, output->shape.height, left.tiles);
}

static void kept_say(const struct picture_output *output)
{
    const struct journal *journal = output->journal;
    if (journal && journal_begun(journal))
        say(output, "%s%s%s",
            journal_is_there(journal) ? "what is computed is in " : "nothing is kept: ",
            journal_folder(journal),
            journal_is_there(journal) ? "; the same command goes on from there"
                                      : " was removed by somebody");
}

/* Says that another transport is used than the one set, or than the plan's. */
static void refusal_say(const struct picture_output *output)
{
    const char *refusal = renderer_refusal(output->request.renderer);
    bool asked = !strcmp(output->settings.picture.transport, "device");
    if (refusal && !is_quiet(output))
        say(output, "%s: %s",
            asked ? "transport auto instead of device"
                  : "the processor averages the samples, and not rank 0's GPU",
            refusal);
}

/* Says that the plan misses an accuracy that was set; who explains plans says so of the default,
 * too. */
static void shortfall_say(const struct picture_output *output)
{
    const struct plan *plan = &output->report.plan;
    double error_px = plan->error_px[plan->number];
    if (!plan->falls_short || !config_was_set(output->config, OPTION_COMPUTE_ACCURACY) ||
        is_quiet(output))
        return;
    if (isfinite(error_px))
        say(output, "%.1e pixels beside the points asked for, not %.1e: %s", error_px,
            plan->accuracy_px, plan_short_reason(plan, &output->settings.picture.spec.formula));
    else
        say(output, "how far beside the points asked for is not known: orbits stay bounded "
                    "for millions of steps");
}

static void interior_say(const struct picture_output *output)
{
    const char *refusal = settings_interior_refusal(&output->settings);
    if (refusal && !is_quiet(output))
        say(output, "%s", refusal);
}

/* ---- files ---- */

static enum status look_settle(void *context, const struct field *field, const struct look **look)
{
    struct picture_output *output = context;
    *look = &output->settings.look;
    if (output->settled) /* by what an interrupted run has left */
        return STATUS_OK;
    output->settled = true;
    return settings_fit(&output->settings, output->config, field);
}

static enum status requests_make(void *context, struct sink_request *requests,
                                 char settled[DISTRIBUTION_TEXT_BYTES])
{
    struct picture_output *output = context;
    struct config *config = output->config;
    const enum option_key key = OPTION_LOOK_DISTRIBUTION;
    if (*settled) {
        if (strcmp(settled, "auto") != 0)
            TRY(config_set(config, key, settled, "measured", STATUS_BAD_DATA));
        TRY(settings_fit(&output->settings, config, NULL));
        output->settled = true;
    } else {
        const char *text = config_text(config, key);
        snprintf(settled, DISTRIBUTION_TEXT_BYTES, "%s", text ? text : "auto");
    }
    for (size_t i = 0; i < output->settings.path_count; i++)
        requests[i] = settings_sink(&output->settings, i, &output->shape);
    return STATUS_OK;
}

static enum status output_open(struct picture_output *output)
{
    struct picture_settings *settings = &output->settings;
    struct picture_files_options options = {.context = output,
                                            .requests = requests_make,
                                            .count = settings->path_count,
                                            .planes = settings->picture.spec.planes,
                                            .height = output->shape.height,
                                            .journal = output->journal,
                                            .interval_s =
                                                config_real(output->config, OPTION_OUTPUT_JOURNAL),
                                            .copied_bytes = output->request.copied_bytes};
    TRY(picture_files_open(&output->files, &options));
    if (output->journal)
        resumed_say(output);
    return STATUS_OK;
}

/* Tells the caller that files are opened next. */
static enum status open_tell(struct picture_output *output)
{
    const struct output_hooks *hooks = &output->request.hooks;
    return hooks->open ? hooks->open(hooks->context, &output->settings) : STATUS_OK;
}

/* Gives the files their names: all of a request appear, or none, and those of one folder together.
 * A request that fails does not cost the others what they have. */
static enum status output_save(struct picture_output *output)
{
    const struct output_hooks *hooks = &output->request.hooks;
    struct atomic_file_set set = {.count = 0};
    enum status status = picture_files_end(output->files, &set);
    if (hooks->naming)
        hooks->naming(hooks->context);
    if (status == STATUS_OK)
        status = hooks->commit ? hooks->commit(hooks->context, &set) : atomic_file_set_commit(&set);
    else
        atomic_file_set_cut(&set, 0);
    TRY(status);
    TRY(picture_files_verdict(output->files));
    output->facts.saved = true;
    return STATUS_OK;
}

static enum status outcome_report(struct picture_output *output, const struct outcome *outcome)
{
    const struct output_hooks *hooks = &output->request.hooks;
    return hooks->report ? hooks->report(hooks->context, &output->settings, outcome) : STATUS_OK;
}

/* ---- the pixels ---- */

/* A device or a rank that failed on the way is an error, though the picture is complete and saved.
 */
static enum status losses_check(const struct world *world, const struct job_report *job)
{
    if (world_lost(world) != STATUS_OK)
        return status_fail(STATUS_SYSTEM, "the picture is complete and saved, but %.900s",
                           status_text());
    if (job->threads_lost == 0)
        return STATUS_OK;
    return status_fail(STATUS_DEVICE_LOST,
                       "the picture is complete and saved, but a device of rank %d (%s) failed: %s",
                       job->lost_rank, job->rank[job->lost_rank].host, job->lost_text);
}

/* What was lost is known on this thread alone, which calls MPI. */
static enum status pixels_end(struct picture_output *output)
{
    const struct output_hooks *hooks = &output->request.hooks;
    struct picture_report *report = &output->report;
    refusal_say(output);
    shortfall_say(output);
    interior_say(output);
    if (*report->reference.warning)
        say(output, "orbit cache: %s", report->reference.warning);
    if (*report->reference.device_lost)
        say(output, "the reference orbit was left to the processor: %s",
            report->reference.device_lost);
    report->compute_s -= picture_files_seconds(output->files);
    output->lost = world_lost(renderer_world(output->request.renderer)) != STATUS_OK ||
                   report->job.threads_lost;
    TRY(outcome_links_keep(&output->outcome));
    if (output->request.asked.survey && hooks->surveyed)
        hooks->surveyed(hooks->context, &output->settings, &output->outcome);
    return STATUS_OK;
}

/* Computes the picture, also the rest of one whose run was interrupted. */
static enum status picture_compute(struct picture_output *output)
{
    const struct picture_output_request *request = &output->request;
    const struct picture_settings *settings = &output->settings;
    const struct output_hooks *asked = &request->hooks;
    struct picture_hooks hooks = {
        .progress = asked->progress,
        .prepare = asked->prepare,
        .notice = asked->notice,
        .context = asked->context,
        .look = look_settle,
        .look_context = output,
        .wants_subgrid = settings_wants_distribution(output->config),
        .consumer = picture_files_consumer(output->files, settings->plan.strip_rows),
        .stop = request->asked.stop,
        .reference = request->reference,
        .orbit = request->orbit};
    output->outcome = (struct outcome){.report = &output->report,
                                       .renderer = request->renderer,
                                       .prepare_s = clock_s() - request->started_s};
    enum status status =
        picture_render(request->renderer, &settings->picture, &hooks, NULL, &output->report);
    if (asked->computed)
        asked->computed(asked->context);
    return status == STATUS_OK ? pixels_end(output) : status;
}

/* Completes the files of what was computed, and tells of them. */
static enum status computed_end(struct picture_output *output, enum status status)
{
    const struct picture_output_request *request = &output->request;
    const struct output_hooks *hooks = &request->hooks;
    struct outcome *outcome = &output->outcome;
    if (status == STATUS_OK)
        status = output_save(output);
    if (status == STATUS_OK && hooks->before_report)
        hooks->before_report(hooks->context);
    if (*picture_files_warning(output->files))
        say(output, "%s", picture_files_warning(output->files));
    if (status != STATUS_OK) {
        kept_say(output);
        return status;
    }
    outcome->sums = picture_files_sums(output->files);
    outcome->write_s = picture_files_seconds(output->files);
    outcome->total_s = clock_s() - request->started_s;
    TRY(outcome_report(output, outcome));
    return output->lost ? losses_check(renderer_world(request->renderer), &output->report.job)
                        : STATUS_OK;
}

/* ---- the estimate ---- */

static enum status files_estimate(struct estimate *estimate, const struct picture_output *output)
{
    const struct picture_settings *settings = &output->settings;
    size_t count = settings->path_count;
    struct sink_request *requests = calloc(count, sizeof *requests);
    if (!requests)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of %zu files", count);
    for (size_t i = 0; i < count; i++)
        requests[i] = settings_sink(settings, i, &output->shape);
    enum status status = estimate_files(estimate, requests, count, settings->plan.writers);
    free(requests);
    return status;
}

/* Reports the plan of the picture, and how long it would take. */
static enum status picture_estimate(struct picture_output *output)
{
    struct renderer *renderer = output->request.renderer;
    const struct picture_settings *settings = &output->settings;
    struct picture_hooks hooks = {
        .look = look_settle, .look_context = output, .stop = output->request.asked.stop};
    struct estimate estimate = {.orbit_s = ESTIMATE_BUDGET_S, .budget_s = ESTIMATE_BUDGET_S};
    struct outcome outcome = {.renderer = renderer, .estimate = &estimate};
    enum status status =
        estimate_make(&estimate, renderer, &settings->picture, &hooks, &settings->plan);
    if (status == STATUS_OK)
        status = files_estimate(&estimate, output);
    if (status == STATUS_OK)
        status = outcome_report(output, &outcome);
    estimate_close(&estimate);
    return status;
}

/* ---- parts, and files that are there ---- */

/* Makes the files from the rows of the parts. */
static enum status parts_join(struct picture_output *output)
{
    const struct picture_output_request *request = &output->request;
    struct picture_settings *settings = &output->settings;
    struct outcome outcome = {.renderer = request->renderer, .joined = output->parts};
    TRY(open_tell(output));
    TRY(part_join_look(output->parts, settings, output->config));
    output->settled = true;
    TRY(output_open(output));
    TRY(part_join_run(output->parts, settings,
                      picture_files_consumer(output->files, output->shape.height)));
    TRY(output_save(output));
    part_join_clear(output->parts, settings);
    outcome.sums = picture_files_sums(output->files);
    outcome.total_s = clock_s() - request->started_s;
    return outcome_report(output, &outcome);
}

/* Are all files complete that this picture has? Those that are need not be made again. */
static enum status complete_find(struct picture_output *output)
{
    struct picture_output_facts *facts = &output->facts;
    if (output->request.settings)
        facts->was_there = output->request.was_there;
    else if (output->settings.part_path)
        TRY(picture_there_take(&output->settings, &facts->was_there));
    facts->saved = facts->was_there;
    return STATUS_OK;
}

static enum status complete_report(struct picture_output *output)
{
    const struct output_hooks *hooks = &output->request.hooks;
    const struct outcome outcome = {.renderer = output->request.renderer, .already_complete = true};
    if (hooks->before_report)
        hooks->before_report(hooks->context);
    TRY(open_tell(output));
    return outcome_report(output, &outcome);
}

/* Finds the parts that are joined. Those of a complete picture go: they are what a run has left
 * that was killed between naming the files and removing the parts. */
static enum status parts_find(struct picture_output *output)
{
    struct picture_settings *settings = &output->settings, copy = *settings;
    bool complete = false;
    enum status status = part_join_find(&output->parts, settings);
    if (!output->parts)
        return status;
    copy.paths = calloc(settings->path_count, sizeof *copy.paths); /* files there are taken off */
    if (!copy.paths)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of the files");
    memcpy(copy.paths, settings->paths, settings->path_count * sizeof *copy.paths);
    bool same = picture_there_take(&copy, &complete) == STATUS_OK && complete;
    free(copy.paths);
    if (!same)
        return part_join_find(&output->parts, settings); /* with its own sentence */
    part_join_clear(output->parts, settings);
    output->facts.was_there = output->facts.saved = true;
    return STATUS_OK;
}

/* ---- from settings to pixels ---- */

static enum status journal_make(struct picture_output *output)
{
    const struct output_hooks *hooks = &output->request.hooks;
    return hooks->command ? picture_journal_open(&output->journal, &output->settings,
                                                 hooks->command, hooks->context)
                          : picture_journal_open(&output->journal, &output->settings,
                                                 picture_command_of_settings, &output->settings);
}

/* Opens the journal; what an interrupted run has left decides how the picture is cut. */
static enum status journal_prepare(struct picture_output *output)
{
    struct picture_settings *settings = &output->settings;
    TRY(journal_make(output));
    if (output->journal)
        settings->picture.strip_rows = journal_left(output->journal).strip_rows;
    if (!settings->picture.strip_rows)
        return output_settings_check(settings);
    return picture_plan(&settings->picture, &renderer_info(output->request.renderer)->facts,
                        settings->stop, &settings->numbers, &settings->plan);
}

/* Opens the files, those of an interrupted run if there was one. */
static enum status files_open(struct picture_output *output)
{
    struct picture_output_facts *facts = &output->facts;
    TRY(open_tell(output));
    TRY(output_open(output));
    facts->was_there = picture_files_complete(output->files);
    if (!facts->was_there)
        return STATUS_OK;
    TRY(picture_files_verdict(output->files));
    facts->saved = true;
    return STATUS_OK;
}

static enum status settings_prepare(struct picture_output *output)
{
    const struct picture_output_request *request = &output->request;
    struct picture_settings *settings = &output->settings;
    if (!request->settings)
        TRY(output_settings_make(settings, &request->asked,
                                 &renderer_info(request->renderer)->facts));
    output->shape = settings_shape(settings);
    TRY(complete_find(output));
    bool joins = !settings->part_path && !request->dry && !request->asked.of_list;
    return joins && !output->facts.was_there ? parts_find(output) : STATUS_OK;
}

/* Refuses what can be refused before anything is computed, and opens the files. */
static enum status output_prepare(struct picture_output *output)
{
    const struct picture_output_request *request = &output->request;
    const struct output_hooks *hooks = &request->hooks;
    struct picture_settings *settings = &output->settings;
    TRY(settings_prepare(output));
    if (output->facts.was_there)
        return STATUS_OK;
    if (output->parts)
        return output_settings_check(settings);
    TRY(request->dry ? output_settings_check(settings) : journal_prepare(output));
    if (request->asked.survey && !request->dry && hooks->planned)
        hooks->planned(hooks->context, settings); /* before the admission: it shows the sums */
    TRY(picture_admit(&settings->plan));
    return request->dry ? STATUS_OK : files_open(output);
}

static enum status output_run(struct picture_output *output)
{
    const struct picture_output_request *request = &output->request;
    const struct outcome plan = {.renderer = request->renderer};
    if (output->facts.was_there) /* picture_output_end tells */
        return STATUS_OK;
    output->done = output->parts || request->dry;
    if (output->parts)
        return parts_join(output);
    if (request->dry && request->brief)
        return outcome_report(output, &plan);
    output->facts.shared = true;
    if (request->hooks.begin)
        TRY(request->hooks.begin(request->hooks.context));
    return request->dry ? picture_estimate(output) : picture_compute(output);
}

enum status picture_output_compute(struct picture_output **out,
                                   const struct picture_output_request *request,
                                   struct picture_output_facts *facts)
{
    struct picture_output *output = *out = calloc(1, sizeof *output);
    *facts = (struct picture_output_facts){.shared = false};
    if (!output)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture");
    *output = (struct picture_output){.request = *request, .config = request->asked.config};
    if (request->settings) {
        output->settings = *request->settings;
        settings_moved(&output->settings);
        *request->settings = (struct picture_settings){0};
    }
    enum status status = output_prepare(output);
    if (status == STATUS_OK)
        status = output_run(output);
    *facts = output->facts;
    return status;
}

bool picture_output_is_apart(const struct picture_output *output)
{
    bool attached = output->request.attached || output->settings.to_stdout;
    return !output->done && !output->lost && !attached;
}

enum status picture_output_end(struct picture_output *output, enum status status,
                               struct picture_output_facts *facts)
{
    if (!output)
        return status;
    if (output->outcome.report)
        status = computed_end(output, status);
    else if (status == STATUS_OK && !output->done)
        status = complete_report(output);
    *facts = output->facts;
    picture_files_close(output->files);
    journal_close(output->journal);
    settings_destroy(&output->settings);
    picture_report_destroy(&output->report);
    outcome_destroy(&output->outcome);
    free(output);
    return status;
}
