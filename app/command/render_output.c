#include "app/command/render_output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/command/command.h"
#include "app/command/resume.h"
#include "app/launch/rank.h"
#include "app/process/stop.h"
#include "app/report/document.h"
#include "app/report/estimate_report.h"
#include "app/report/report.h"
#include "app/settings/picture_request.h"
#include "decomposition/thread/clock.h"
#include "render/disk/folder_clear.h"

/* ---- --explain and --dry-run ---- */

static void mpi_device_explain(const struct renderer *renderer, FILE *stream)
{
    const struct renderer_mpi_device *mpi = &renderer_info(renderer)->mpi_device;
    bool used = renderer_info(renderer)->facts.sends_device;
    if (mpi->asked)
        fprintf(stream, "mpi gpu     %s: %s\n", used ? "used" : "not used",
                mpi->proven && !used ? "no rank but 0 has a device whose memory MPI would send"
                                     : mpi->why);
}

static bool is_given(const struct render_output *render, enum option_key option)
{
    return arguments_has(&render->invocation->arguments, option);
}

/* Stream of --explain: stdout may belong to the document of --json, to events, or to the picture.
 */
static FILE *explain_stream(const struct render_output *render,
                            const struct picture_settings *settings)
{
    bool taken = settings->to_stdout || is_given(render, OPTION_JSON) ||
                 progress_logs_to_stdout(&render->invocation->config);
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

static void devices_explain(const struct renderer_info *info, FILE *stream)
{
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

static void explain(void *context, const struct picture_settings *settings)
{
    const struct render_output *render = context;
    FILE *stream = explain_stream(render, settings);
    plan_explain(&settings->plan, &settings->picture, &settings->numbers, stream);
    palette_explain(settings, stream);
    if (settings_interior_refusal(settings))
        fprintf(stream, "interior    %s\n", settings_interior_refusal(settings));
    choice_explain(render->choice, render->renderer, stream);
    mpi_device_explain(render->renderer, stream);
    devices_explain(renderer_info(render->renderer), stream);
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

static void dry_run_print(struct render_output *render, const struct picture_settings *settings,
                          const struct estimate *estimate)
{
    explain(render, settings);
    printf("disk        %.1f MB at most\n", (double)disk_most(settings) * 1e-6);
    if (estimate)
        estimate_print(estimate, render->renderer, stdout);
    fputs("would write:\n", stdout);
    outcome_paths(settings, stdout);
}

static void mended_show(const char *text)
{
    fprintf(stderr, "deepfield: %s\n", text);
}

void render_output_listen(void)
{
    folder_clear_listen(mended_show);
}

/* ---- progress ---- */

static enum status progress_begin(void *context, const struct picture_settings *settings)
{
    struct render_output *render = context;
    const struct invocation *invocation = render->invocation;
    char folder[PROGRESS_PATH_BYTES];
    const struct field shape = settings_shape(settings);
    struct progress_facts facts = {.command = invocation->command->name,
                                   .status_folder = settings->to_stdout ? NULL : folder,
                                   .width = shape.width,
                                   .height = shape.height,
                                   .takes_stdout = settings->to_stdout ? "a picture" : NULL};
    snprintf(folder, sizeof folder, "%s%s", settings->to_stdout ? "" : settings->paths[0],
             RUN_STATUS_SUFFIX);
    return render->progress.stream ? STATUS_OK
                                   : progress_open(&render->progress, invocation, &facts);
}

static void progress_picture(void *context, const struct job_progress *job)
{
    struct render_output *render = context;
    progress_show(&render->progress, job);
}

static void progress_reference(void *context, const struct reference_progress *reference)
{
    struct render_output *render = context;
    progress_prepare(&render->progress, reference);
}

static void notice_show(void *context, const char *sentence)
{
    struct render_output *render = context;
    progress_notice(&render->progress, sentence);
}

static void computed_note(void *context)
{
    struct render_output *render = context;
    progress_end(&render->progress);
}

static void sentence_show(void *context, const char *sentence)
{
    (void)context;
    fprintf(stderr, "deepfield: %s\n", sentence);
}

/* ---- results ---- */

static void survey_show(void *context, const struct picture_settings *settings,
                        const struct outcome *outcome)
{
    report_survey(settings, outcome, explain_stream(context, settings));
}

static void paths_print(const struct render_output *render, const struct picture_settings *settings)
{
    if (!settings->to_stdout && !progress_logs_to_stdout(&render->invocation->config))
        outcome_paths(settings, stdout);
}

/* Collects what the last line of --log-json reports. */
static enum status result_keep(struct render_output *render,
                               const struct picture_settings *settings,
                               const struct outcome *outcome)
{
    struct event_result *result = &render->progress.result;
    size_t bytes = 0;
    FILE *stream = open_memstream(&result->files, &bytes);
    if (stream)
        outcome_paths(settings, stream);
    if (!stream || fclose(stream) != 0)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of the files");
    result->total_s = outcome->total_s;
    result->planes = settings->picture.spec.planes;
    memcpy(result->checksum, outcome->sums.checksum, sizeof result->checksum);
    return STATUS_OK;
}

static enum status document_show(const struct render_output *render,
                                 const struct picture_settings *settings,
                                 const struct outcome *outcome)
{
    enum status told = report_json(render->invocation->view.path, settings, outcome);
    return told == STATUS_OK || !outcome->report
               ? told
               : status_fail(told, "the picture is complete and saved, but there is %.900s",
                             status_text());
}

static enum status outcome_show(void *context, const struct picture_settings *settings,
                                const struct outcome *outcome)
{
    struct render_output *render = context;
    bool dry = !outcome->report && !outcome->already_complete && !outcome->joined;
    if (!dry)
        TRY(result_keep(render, settings, outcome));
    if (is_given(render, OPTION_JSON))
        return document_show(render, settings, outcome);
    if (dry) {
        dry_run_print(render, settings, outcome->estimate);
        return STATUS_OK;
    }
    paths_print(render, settings);
    if (!outcome->report)
        return STATUS_OK;
    if (render->before_report)
        progress_line_clear(&render->progress); /* line of the next picture */
    if (!config_boolean(&render->invocation->config, OPTION_OUTPUT_QUIET))
        report_line(settings, outcome, stderr);
    return STATUS_OK;
}

/* ---- the picture ---- */

static enum status begin_tell(void *context)
{
    struct render_output *render = context;
    return render->begin ? render->begin(render->context) : STATUS_OK;
}

static void report_wait(void *context)
{
    struct render_output *render = context;
    if (render->before_report)
        render->before_report(render->context);
}

static void naming_say(void *context)
{
    struct render_output *render = context;
    if (!render->of_many)
        rank_say(RANK_FINAL, 0); /* a second run would find the files of the first */
}

static enum status names_give(void *context, struct atomic_file_set *set)
{
    (void)context;
    return stop_held_commit(set);
}

static char *command_words(void *context, size_t *bytes)
{
    struct render_output *render = context;
    return resume_command(render->invocation, bytes);
}

static struct output_hooks hooks_of(struct render_output *render)
{
    return (struct output_hooks){.context = render,
                                 .planned = explain,
                                 .open = progress_begin,
                                 .begin = begin_tell,
                                 .progress = progress_picture,
                                 .prepare = progress_reference,
                                 .notice = notice_show,
                                 .computed = computed_note,
                                 .surveyed = survey_show,
                                 .say = sentence_show,
                                 .before_report = report_wait,
                                 .naming = naming_say,
                                 .commit = names_give,
                                 .report = outcome_show,
                                 .command = command_words};
}

/* Larger ones keep all cores busy by themselves, and a copy would take as long as they. */
enum { COPIED_BYTES = 8 << 20 };

enum status render_output_compute(struct render_output *render)
{
    const struct config *config = &render->invocation->config;
    struct picture_ahead *ahead = render->ahead;
    struct picture_output_request request = {
        .renderer = render->renderer,
        .settings = ahead ? &ahead->settings : NULL,
        .reference = ahead ? &ahead->reference : NULL,
        .was_there = ahead && ahead->was_there,
        .dry = is_given(render, OPTION_DRY_RUN),
        .brief = config_boolean(config, OPTION_OUTPUT_QUIET), /* the plan alone */
        .attached = is_given(render, OPTION_EXPLAIN) || config_text(config, OPTION_OUTPUT_LOG_JSON),
        .copied_bytes = render->of_many ? COPIED_BYTES : 0,
        .started_s = render->invocation->started_s,
        .hooks = hooks_of(render)};
    render_output_listen();
    if (ahead)
        request.asked = ahead->request;
    else
        TRY(picture_request_make(&request.asked, render->invocation));
    return picture_output_compute(&render->output, &request, &render->facts);
}

enum status render_output_end(struct render_output *render, enum status status)
{
    status = picture_output_end(render->output, status, &render->facts);
    progress_close(&render->progress, status);
    return status;
}
