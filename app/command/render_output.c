#include "app/command/render_output.h"

#include <stdlib.h>
#include <string.h>

#include "app/command/resume.h"
#include "app/launch/rank.h"
#include "app/process/stop.h"
#include "app/report/document.h"
#include "app/report/estimate_report.h"
#include "app/report/report.h"
#include "app/settings/picture_request.h"
#include "library/settings/picture_settings.h"
#include "render/disk/folder_clear.h"

static bool is_given(const struct render_output *render, enum option_key option)
{
    return arguments_has(&render->whole->arguments, option);
}

static bool is_quiet(const struct render_output *render)
{
    return config_boolean(&render->whole->config, OPTION_OUTPUT_QUIET);
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

static void explain(void *context, const struct picture_settings *settings, const char *lines)
{
    fputs(lines, explain_stream(context, settings));
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
    struct progress_facts facts = {.command = "render",
                                   .status_folder = settings->to_stdout ? NULL : folder,
                                   .width = shape.width,
                                   .height = shape.height,
                                   .ranks = render->whole->ranks,
                                   .takes_stdout = settings->to_stdout ? "a picture" : NULL};
    snprintf(folder, sizeof folder, "%s%s", settings->to_stdout ? "" : settings->paths[0],
             RUN_STATUS_SUFFIX);
    return render->progress.stream ? STATUS_OK
                                   : progress_open(&render->progress, invocation, &facts);
}

static void progress_picture(void *context, const deepfield_progress *now)
{
    struct render_output *render = context;
    (void)progress_stage(&render->progress, now);
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

static void survey_show(void *context, const struct picture_settings *settings, const char *json)
{
    struct json_object *report = json_read(json);
    if (report)
        report_survey(report, explain_stream(context, settings));
    json_free(report);
}

/* Collects what the last line of --log-json reports. */
static enum status result_keep(struct render_output *render, const struct program_report *report)
{
    struct event_result *result = &render->progress.result;
    result->files = strdup(report->files);
    result->checksum = calloc(PLANES, sizeof *result->checksum);
    if (!result->files || !result->checksum)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of the files");
    result->total_s = report->total_s;
    result->planes = report->settings->picture.spec.planes;
    memcpy(result->checksum, report->checksums, PLANES * sizeof *result->checksum);
    return STATUS_OK;
}

static enum status document_show(const struct render_output *render, struct json_object *report)
{
    enum status told = report_json(render->invocation->view.path, report);
    return told == STATUS_OK || !json_length(json_member(report, "ranks"))
               ? told
               : status_fail(told, "the picture is complete and saved, but there is %.900s",
                             status_text());
}

static void dry_run_print(const struct program_report *said, struct json_object *report)
{
    fputs(said->explained ? said->explained : "", stdout);
    printf("disk        %.1f MB at most\n", said->disk_bytes * 1e-6);
    if (json_member(report, "estimate"))
        estimate_print(report, stdout);
    fputs("would write:\n", stdout);
    fputs(said->files, stdout);
}

static void lines_show(const struct render_output *render, const struct program_report *said,
                       const struct json_object *report)
{
    if (!said->settings->to_stdout && !progress_logs_to_stdout(&render->invocation->config))
        fputs(said->files, stdout);
    if (!json_length(json_member(report, "ranks"))) /* nothing was computed */
        return;
    if (render->of_many)
        progress_line_clear(&render->progress); /* line of the next picture */
    if (!is_quiet(render))
        report_line(report, stderr);
}

static enum status report_show(struct render_output *render, const struct program_report *said,
                               struct json_object *report)
{
    bool dry = json_boolean_of(report, "dry_run");
    if (!dry)
        TRY(result_keep(render, said));
    if (is_given(render, OPTION_JSON))
        return document_show(render, report);
    if (dry)
        dry_run_print(said, report);
    else
        lines_show(render, said, report);
    return STATUS_OK;
}

static enum status outcome_show(void *context, const struct program_report *said)
{
    struct json_object *report = json_read(said->json);
    enum status status = report ? report_show(context, said, report) : STATUS_OUT_OF_MEMORY;
    json_free(report);
    return status;
}

/* ---- the picture ---- */

static enum status request_load(void *context, struct output_request *request)
{
    struct render_output *render = context;
    if (render->load)
        TRY(render->load(render->context));
    return picture_request_make(request, render->invocation);
}

static void naming_say(void *context)
{
    const struct render_output *render = context;
    if (!render->of_many)
        rank_say(RANK_FINAL, 0); /* a second run would find the files of the first */
}

static enum status names_give(void *context, struct atomic_file_set *set)
{
    (void)context;
    return stop_held_commit(set);
}

static void picture_ended(void *context, enum status status)
{
    struct render_output *render = context;
    progress_close(&render->progress, status);
    if (render->ended)
        render->ended(render->context, status);
}

static char *command_words(void *context, size_t *bytes)
{
    const struct render_output *render = context;
    return resume_command(render->invocation, bytes);
}

enum status render_output_open(struct render_output *render, struct deepfield_renderer *renderer)
{
    const struct program_output parts = {
        .context = render,
        .load = request_load,
        .explain = explain,
        .open = progress_begin,
        .progress = progress_picture,
        .notice = notice_show,
        .computed = computed_note,
        .surveyed = survey_show,
        .say = sentence_show,
        .naming = naming_say,
        .commit = names_give,
        .report = outcome_show,
        .ended = picture_ended,
        .command = command_words,
        .alone = !render->of_many,
        .started_s = render->whole->started_s,
        .dry = is_given(render, OPTION_DRY_RUN),
        .brief = is_quiet(render), /* the plan alone */
        .attached = is_given(render, OPTION_EXPLAIN) ||
                    config_text(&render->whole->config, OPTION_OUTPUT_LOG_JSON)};
    return program_output(&render->output, renderer, &parts);
}
