#include "app/command/picture_output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/command/command.h"
#include "app/command/part_join.h"
#include "app/command/resume.h"
#include "app/launch/rank.h"
#include "app/process/stop.h"
#include "app/report/estimate_report.h"
#include "app/report/progress.h"
#include "app/report/report.h"
#include "app/settings/picture_request.h"
#include "app/settings/picture_there.h"
#include "decomposition/thread/clock.h"
#include "library/settings/picture_settings.h"
#include "library/settings/settings_look.h"
#include "render/disk/folder_clear.h"
#include "render/growing/picture_files.h"
#include "render/picture/picture_plan.h"

static void mpi_device_explain(const struct renderer *renderer, FILE *stream)
{
    const struct renderer_mpi_device *mpi = &renderer_info(renderer)->mpi_device;
    bool used = renderer_info(renderer)->facts.sends_device;
    if (mpi->asked)
        fprintf(stream, "mpi gpu     %s: %s\n", used ? "used" : "not used",
                mpi->proven && !used ? "no rank but 0 has a device whose memory MPI would send"
                                     : mpi->why);
}

/* Stream of --explain: stdout may belong to the document of --json, to events, or to the picture.
 */
static FILE *explain_stream(const struct invocation *invocation,
                            const struct picture_settings *settings)
{
    bool taken = settings->to_stdout || arguments_has(&invocation->arguments, OPTION_JSON) ||
                 progress_logs_to_stdout(&invocation->config);
    return taken ? stderr : stdout;
}

static void choice_explain(const struct cores_choice *choice, const struct renderer *renderer,
                           FILE *stream)
{
    if (!choice || !choice->tried)
        return;
    fprintf(stream, "backend     %s: the cores take ", renderer_backend(renderer));
    if (isfinite(choice->picture_s))
        fprintf(stream, "about %.2g s", choice->picture_s);
    else
        fputs("longer", stream);
    fprintf(stream, ", a GPU at least %g s\n", CORES_CHOICE_GPU_S);
}

/* Says which colours there are, and who chose them. */
static void palette_explain(const struct picture_settings *settings, FILE *stream)
{
    const struct config_value *palette = &settings->config->value[OPTION_LOOK_PALETTE];
    if (settings->coloured)
        fprintf(stream, "palette     %.60s from %s on (%s)\n", palette->text,
                config_text(settings->config, OPTION_LOOK_OFFSET), palette->origin);
}

static void explain(const struct picture_output_request *request,
                    const struct picture_settings *settings)
{
    FILE *stream = explain_stream(request->invocation, settings);
    const struct renderer_info *info = renderer_info(request->renderer);
    plan_explain(&settings->plan, &settings->picture, &settings->numbers, stream);
    palette_explain(settings, stream);
    if (settings_interior_refusal(settings))
        fprintf(stream, "interior    %s\n", settings_interior_refusal(settings));
    choice_explain(request->choice, request->renderer, stream);
    mpi_device_explain(request->renderer, stream);
    for (int i = 0; i < info->row_count; i++) {
        const struct device_row *row = &info->rows[i];
        if (!*row->facts.bus)
            continue; /* a CPU */
        fprintf(stream, "%-11s rank %d on %s: %s %d, %s, %s", i ? "" : "devices", row->rank,
                row->host, row->backend, row->device, row->facts.name, row->facts.bus);
        if (row->shared_with)
            fprintf(stream, ", shared with %d other rank%s", row->shared_with,
                    row->shared_with > 1 ? "s" : "");
        fputc('\n', stream);
    }
    if (info->spared)
        fprintf(stream,
                "            %d more would take longer to open than they save; --devices names "
                "those to take\n",
                info->spared);
}

/* Bytes that the files can need at most on the disk of the first. */
static uint64_t disk_most(const struct picture_settings *settings)
{
    const struct field shape = settings_shape(settings);
    uint64_t bytes = 0;
    for (size_t i = 0; i < settings->path_count; i++) {
        const struct sink_request request = settings_sink(settings, i, &shape);
        uint64_t more = sink_bytes_on_disk(&request, settings->paths[0]);
        if (__builtin_add_overflow(bytes, more, &bytes))
            return UINT64_MAX;
    }
    return bytes;
}

static enum status dry_run_show(const struct picture_output_request *request,
                                const struct picture_settings *settings,
                                const struct estimate *estimate)
{
    struct outcome nothing = {.renderer = request->renderer, .estimate = estimate};
    if (arguments_has(&request->invocation->arguments, OPTION_JSON))
        return report_json(request->invocation, settings, &nothing);
    explain(request, settings);
    printf("disk        %.1f MB at most\n", (double)disk_most(settings) * 1e-6);
    if (estimate)
        estimate_print(estimate, request->renderer, stdout);
    fputs("would write:\n", stdout);
    report_paths(settings, stdout);
    return STATUS_OK;
}

static void mended_show(const char *text)
{
    fprintf(stderr, "deepfield: %s\n", text);
}

void picture_output_listen(void)
{
    folder_clear_listen(mended_show);
}

static enum status progress_begin(struct progress *progress, const struct invocation *invocation,
                                  const struct picture_settings *settings)
{
    char folder[PROGRESS_PATH_BYTES];
    const struct field shape = settings_shape(settings);
    struct progress_facts facts = {.command = invocation->command->name,
                                   .status_folder = settings->to_stdout ? NULL : folder,
                                   .width = shape.width,
                                   .height = shape.height,
                                   .takes_stdout = settings->to_stdout ? "a picture" : NULL};
    snprintf(folder, sizeof folder, "%s%s", settings->to_stdout ? "" : settings->paths[0],
             RUN_STATUS_SUFFIX);
    return progress_open(progress, invocation, &facts);
}

struct picture_output { /* a picture that is being made, with its files */
    struct picture_output_request request;
    struct picture_output_facts facts;
    const struct invocation *invocation;
    struct picture_settings settings;
    struct config *config;
    struct field shape;
    bool settled; /* the look and the texts of files are final: files borrow them from now on */
    bool done;    /* nothing is left to report */
    bool lost;    /* ranks or devices were lost on the way */
    struct journal *journal;
    struct picture_files *files;
    int parts; /* number of parts that are joined; 0: the picture is computed */
    struct progress progress;
    struct picture_report report;
    struct outcome outcome; /* with `report`, once that is there */
};

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

static void resumed_show(const struct picture_output *output)
{
    struct journal_left left = journal_left(output->journal);
    if (left.strip_rows == 0 || config_boolean(output->config, OPTION_OUTPUT_QUIET))
        return;
    fprintf(stderr, "deepfield: goes on from %s: %d of %d rows are there, and %u tiles\n",
            journal_folder(output->journal), left.rows, output->shape.height, left.tiles);
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
        resumed_show(output);
    return STATUS_OK;
}

/* Gives the files their names: all of a request appear, or none, and those of one folder together.
 * A request that fails does not cost the others what they have. */
static enum status output_save(struct picture_output *output)
{
    struct atomic_file_set set = {.count = 0};
    enum status status = picture_files_end(output->files, &set);
    if (!output->request.of_many)
        rank_say(RANK_FINAL, 0); /* a second run would find the files of the first */
    if (status == STATUS_OK)
        status = stop_held_commit(&set);
    else
        atomic_file_set_cut(&set, 0);
    TRY(status);
    TRY(picture_files_verdict(output->files));
    output->facts.saved = true;
    return STATUS_OK;
}

static void kept_show(const struct picture_output *output)
{
    const struct journal *journal = output->journal;
    if (journal && journal_begun(journal))
        fprintf(stderr, "deepfield: %s%s%s\n",
                journal_is_there(journal) ? "what is computed is in " : "nothing is kept: ",
                journal_folder(journal),
                journal_is_there(journal) ? "; the same command goes on from there"
                                          : " was removed by somebody");
}

static void paths_print(const struct picture_output *output)
{
    const struct picture_settings *settings = &output->settings;
    if (!settings->to_stdout && !progress_logs_to_stdout(output->config))
        report_paths(settings, stdout);
}

/* Collects what the last line of --log-json reports. */
static enum status result_keep(struct picture_output *output, const struct outcome *outcome)
{
    struct event_result *result = &output->progress.result;
    size_t bytes = 0;
    FILE *stream = open_memstream(&result->files, &bytes);
    if (stream)
        report_paths(&output->settings, stream);
    if (!stream || fclose(stream) != 0)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of the files");
    result->total_s = outcome->total_s;
    result->planes = output->settings.picture.spec.planes;
    memcpy(result->checksum, outcome->sums.checksum, sizeof result->checksum);
    return STATUS_OK;
}

static enum status picture_tell(struct picture_output *output)
{
    struct outcome *outcome = &output->outcome;
    const struct invocation *invocation = output->invocation;
    const struct picture_settings *settings = &output->settings;
    outcome->write_s = picture_files_seconds(output->files);
    outcome->total_s = clock_s() - invocation->started_s;
    TRY(result_keep(output, outcome));
    if (arguments_has(&invocation->arguments, OPTION_JSON)) {
        enum status told = report_json(invocation, settings, outcome);
        return told == STATUS_OK
                   ? told
                   : status_fail(told, "the picture is complete and saved, but there is %.900s",
                                 status_text());
    }
    paths_print(output);
    if (output->request.before_report)
        progress_line_clear(&output->progress); /* line of the next picture */
    if (!config_boolean(&invocation->config, OPTION_OUTPUT_QUIET))
        report_line(settings, outcome, stderr);
    return STATUS_OK;
}

/* Says that another transport is used than the one set, or than the plan's. */
static void refusal_show(const struct invocation *invocation,
                         const struct picture_settings *settings, const struct renderer *renderer)
{
    const char *refusal = renderer_refusal(renderer);
    bool asked = !strcmp(settings->picture.transport, "device");
    if (refusal && !config_boolean(&invocation->config, OPTION_OUTPUT_QUIET))
        fprintf(stderr, "deepfield: %s: %s\n",
                asked ? "transport auto instead of device"
                      : "the processor averages the samples, and not rank 0's GPU",
                refusal);
}

/* Says that the plan misses an accuracy that was set; --explain says so of the default, too. */
static void shortfall_show(const struct invocation *invocation, const struct plan *plan,
                           const struct formula *formula)
{
    const struct config *config = &invocation->config;
    double error_px = plan->error_px[plan->number];
    if (!plan->falls_short || !config_was_set(config, OPTION_COMPUTE_ACCURACY) ||
        config_boolean(config, OPTION_OUTPUT_QUIET))
        return;
    if (isfinite(error_px))
        fprintf(stderr, "deepfield: %.1e pixels beside the points asked for, not %.1e: %s\n",
                error_px, plan->accuracy_px, plan_short_reason(plan, formula));
    else
        fprintf(stderr,
                "deepfield: how far beside the points asked for is not known: orbits stay bounded "
                "for millions of steps\n");
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
    const struct invocation *invocation = output->invocation;
    const struct picture_settings *settings = &output->settings;
    struct picture_report *report = &output->report;
    refusal_show(invocation, settings, output->request.renderer);
    shortfall_show(invocation, &report->plan, &settings->picture.spec.formula);
    interior_show(invocation, settings);
    cache_warn(&report->reference);
    report->compute_s -= picture_files_seconds(output->files);
    if (arguments_has(&invocation->arguments, OPTION_EXPLAIN))
        report_survey(&output->outcome, explain_stream(invocation, settings));
    output->lost = world_lost(invocation->world) != STATUS_OK || report->job.threads_lost;
    return outcome_links_keep(&output->outcome);
}

/* Computes the picture, also the rest of one whose run was interrupted. */
static enum status root_render(struct picture_output *output)
{
    struct renderer *renderer = output->request.renderer;
    const struct picture_settings *settings = &output->settings;
    struct picture_hooks hooks = {
        .progress = progress_show,
        .prepare = progress_prepare,
        .notice = progress_notice,
        .context = &output->progress,
        .look = look_settle,
        .look_context = output,
        .wants_subgrid = settings_wants_distribution(output->config),
        .consumer = picture_files_consumer(output->files, settings->plan.strip_rows),
        .stop = &stop_requested,
        .reference = output->request.reference};
    output->outcome = (struct outcome){.report = &output->report,
                                       .renderer = renderer,
                                       .prepare_s = clock_s() - output->invocation->started_s};
    enum status status =
        picture_render(renderer, &settings->picture, &hooks, NULL, &output->report);
    progress_end(&output->progress);
    return status == STATUS_OK ? pixels_end(output) : status;
}

/* Completes the files of what was computed, and tells of them. */
static enum status rendered_end(struct picture_output *output, enum status status)
{
    const struct picture_output_request *request = &output->request;
    if (status == STATUS_OK)
        status = output_save(output);
    if (status == STATUS_OK && request->before_report)
        request->before_report(request->context);
    if (*picture_files_warning(output->files))
        fprintf(stderr, "deepfield: %s\n", picture_files_warning(output->files));
    if (status != STATUS_OK) {
        kept_show(output);
        return status;
    }
    output->outcome.sums = picture_files_sums(output->files);
    TRY(picture_tell(output));
    return output->lost ? losses_check(output->invocation->world, &output->report.job) : STATUS_OK;
}

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

/* Prints the plan of the picture, and how long it would take. */
static enum status root_dry_run(struct picture_output *output, struct renderer *renderer)
{
    const struct picture_settings *settings = &output->settings;
    struct picture_hooks hooks = {
        .look = look_settle, .look_context = output, .stop = &stop_requested};
    struct estimate estimate = {.orbit_s = ESTIMATE_BUDGET_S, .budget_s = ESTIMATE_BUDGET_S};
    enum status status =
        estimate_make(&estimate, renderer, &settings->picture, &hooks, &settings->plan);
    if (status == STATUS_OK)
        status = files_estimate(&estimate, output);
    if (status == STATUS_OK)
        status = dry_run_show(&output->request, settings, &estimate);
    estimate_close(&estimate);
    return status;
}

/* Opens the journal; what an interrupted run has left decides how the picture is cut. */
static enum status journal_prepare(struct picture_output *output, const struct renderer *renderer)
{
    struct picture_settings *settings = &output->settings;
    TRY(resume_journal(&output->journal, settings, output->invocation));
    if (output->journal)
        settings->picture.strip_rows = journal_left(output->journal).strip_rows;
    if (!settings->picture.strip_rows)
        return picture_request_check(settings);
    return picture_plan(&settings->picture, &renderer_info(renderer)->facts, &stop_requested,
                        &settings->numbers, &settings->plan);
}

/* Makes the files from the rows of the parts. */
static enum status root_join(struct picture_output *output)
{
    const struct invocation *invocation = output->invocation;
    struct picture_settings *settings = &output->settings;
    struct outcome outcome = {.renderer = output->request.renderer, .joined = output->parts};
    TRY(progress_begin(&output->progress, invocation, settings));
    TRY(part_join_look(output->parts, settings, output->config));
    output->settled = true;
    TRY(output_open(output));
    TRY(part_join_run(output->parts, settings,
                      picture_files_consumer(output->files, output->shape.height)));
    TRY(output_save(output));
    part_join_clear(output->parts, settings);
    outcome.sums = picture_files_sums(output->files);
    outcome.total_s = clock_s() - invocation->started_s;
    TRY(result_keep(output, &outcome));
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        return report_json(invocation, settings, &outcome);
    paths_print(output);
    return STATUS_OK;
}

/* Are all files complete that this picture has? Those that are need not be made again. */
static enum status complete_find(struct picture_output *output)
{
    struct picture_output_facts *facts = &output->facts;
    if (output->request.settings)
        facts->was_there = output->request.was_there;
    else if (output->invocation->part_path)
        TRY(picture_there_take(&output->settings, &facts->was_there));
    facts->saved = facts->was_there;
    return STATUS_OK;
}

static enum status complete_report(struct picture_output *output)
{
    const struct invocation *invocation = output->invocation;
    struct outcome outcome = {.renderer = output->request.renderer, .already_complete = true};
    if (output->request.before_report)
        output->request.before_report(output->request.context);
    if (!output->progress.stream) /* not begun: the events are those of a picture */
        TRY(progress_begin(&output->progress, invocation, &output->settings));
    TRY(result_keep(output, &outcome));
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        return report_json(invocation, &output->settings, &outcome);
    paths_print(output);
    return STATUS_OK;
}

/* Opens the files, those of an interrupted run if there was one. */
static enum status files_open(struct picture_output *output)
{
    struct picture_output_facts *facts = &output->facts;
    TRY(progress_begin(&output->progress, output->invocation, &output->settings));
    TRY(output_open(output));
    facts->was_there = picture_files_complete(output->files);
    if (!facts->was_there)
        return STATUS_OK;
    TRY(picture_files_verdict(output->files));
    facts->saved = true;
    return STATUS_OK;
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

/* Refuses what can be refused before anything is computed, and opens the files. */
static enum status output_prepare(struct picture_output *output)
{
    struct picture_settings *settings = &output->settings;
    const struct invocation *invocation = output->invocation;
    const struct renderer *renderer = output->request.renderer;
    bool dry = arguments_has(&invocation->arguments, OPTION_DRY_RUN);
    picture_output_listen();
    if (!output->request.settings)
        TRY(picture_request_make(settings, output->request.invocation,
                                 &renderer_info(renderer)->facts));
    output->shape = settings_shape(settings);
    TRY(complete_find(output));
    if (output->facts.was_there)
        return STATUS_OK;
    if (!invocation->part_path && !dry && !invocation->listed)
        TRY(parts_find(output));
    if (output->facts.was_there)
        return STATUS_OK;
    if (output->parts)
        return picture_request_check(settings);
    TRY(dry ? picture_request_check(settings) : journal_prepare(output, renderer));
    if (arguments_has(&invocation->arguments, OPTION_EXPLAIN) && !dry)
        explain(&output->request, settings); /* before the admission: it shows the sums */
    TRY(picture_admit(&settings->plan));
    return dry ? STATUS_OK : files_open(output);
}

static enum status output_run(struct picture_output *output)
{
    const struct picture_output_request *request = &output->request;
    const struct arguments *arguments = &output->invocation->arguments;
    bool dry = arguments_has(arguments, OPTION_DRY_RUN);
    if (output->facts.was_there) /* picture_output_end tells */
        return STATUS_OK;
    output->done = output->parts || dry;
    if (output->parts)
        return root_join(output);
    if (dry && config_boolean(output->config, OPTION_OUTPUT_QUIET)) /* the plan alone */
        return dry_run_show(request, &output->settings, NULL);
    output->facts.shared = true;
    if (request->begin)
        TRY(request->begin(request->context));
    return dry ? root_dry_run(output, request->renderer) : root_render(output);
}

enum status picture_output_compute(struct picture_output **out,
                                   const struct picture_output_request *request,
                                   struct picture_output_facts *facts)
{
    struct picture_output *output = *out = calloc(1, sizeof *output);
    *facts = (struct picture_output_facts){.shared = false};
    if (!output)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture");
    *output = (struct picture_output){.request = *request,
                                      .invocation = request->invocation,
                                      .config = &request->invocation->config};
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
    const struct arguments *arguments = &output->invocation->arguments;
    bool prints = output->settings.to_stdout || arguments_has(arguments, OPTION_EXPLAIN) ||
                  config_text(output->config, OPTION_OUTPUT_LOG_JSON);
    return !output->done && !output->lost && !prints;
}

enum status picture_output_end(struct picture_output *output, enum status status,
                               struct picture_output_facts *facts)
{
    if (!output)
        return status;
    if (output->outcome.report)
        status = rendered_end(output, status);
    else if (status == STATUS_OK && !output->done)
        status = complete_report(output);
    *facts = output->facts;
    picture_files_close(output->files);
    journal_close(output->journal);
    settings_destroy(&output->settings);
    picture_report_destroy(&output->report);
    outcome_destroy(&output->outcome);
    progress_close(&output->progress, status);
    free(output);
    return status;
}

enum status picture_output_join(struct renderer *renderer)
{
    struct picture_hooks hooks = {.stop = &stop_requested};
    return picture_render(renderer, NULL, &hooks, NULL, NULL);
}
