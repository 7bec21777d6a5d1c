/* Pictures of the interface that go into files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "kernels/stop.h"
#include "library/handle/film.h"
#include "library/handle/program.h"
#include "library/handle/sentence.h"
#include "library/output/explanation.h"
#include "library/output/picture_ahead.h"
#include "library/output/picture_output.h"
#include "render/device/background.h"
#include "render/disk/memory.h"

enum { FRAME_SHARE_KEPT = 8 }; /* a frame is kept up to an eighth of the memory that is free */

/* Larger pictures keep all cores busy by themselves, and a copy would take as long as they. */
enum { COPIED_BYTES = 8 << 20 };

#define READY_TELL_S 0.1

struct deepfield_output {
    struct deepfield_renderer *renderer;
    struct program_output program; /* what the program does on the way; zeroed: nothing */
    struct config config;          /* settings of the picture; receives what it settles */
    char **paths;                  /* owned, each of them, too */
    size_t path_count;
    bool dry_run;
    struct deepfield_film *film;       /* film that the picture is a frame of, held; NULL: none */
    const struct picture_orbit *orbit; /* orbit that its frames share; NULL: none */
    struct picture_ahead ahead;
    bool rendered;                 /* deepfield_output_render was called */
    struct picture_output *output; /* NULL: it has ended */
    struct picture_output_facts facts;
    struct background *background; /* thread that completes the files; NULL: they are complete */
    uint64_t number;               /* number of the function there */
    struct background *before;     /* thread and number of the picture before */
    uint64_t before_number;
    char *report;                /* owned */
    char *said;                  /* sentences of the completion, a line each; owned */
    enum status status;          /* how it ended */
    char why[STATUS_TEXT_BYTES]; /* sentence of that */
};

/* ---- opening ---- */

static enum status no_memory(void)
{
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the files of a picture");
}

static enum status paths_take(struct deepfield_output *output, const char *const *paths, int count)
{
    if (count < 1)
        return status_fail(STATUS_USAGE, "%d files: a picture goes into at least one", count);
    output->paths = calloc((size_t)count, sizeof *output->paths);
    if (!output->paths)
        return no_memory();
    for (int i = 0; i < count; i++) {
        if (!paths[i] || !*paths[i])
            return status_fail(STATUS_USAGE, "file %d of %d has no name", i + 1, count);
        if (!(output->paths[output->path_count++] = strdup(paths[i])))
            return no_memory();
        for (int j = 0; j < i; j++)
            if (!strcmp(paths[i], paths[j]))
                return status_fail(STATUS_USAGE, "%s was given twice", paths[i]);
    }
    return STATUS_OK;
}

/* A frame of a film has the film's orbit, and colours that are measured along its path. */
static enum status film_take(struct deepfield_output *output,
                             const struct deepfield_picture *picture)
{
    struct deepfield_renderer *renderer = output->renderer;
    if (!picture->film)
        return STATUS_OK;
    TRY(renderer_call_begin(renderer));
    output->film = film_hold(picture->film);
    enum status status =
        film_orbit_ready(output->film, picture->film_scene, renderer, &output->orbit);
    if (status == STATUS_OK)
        status = film_colours_put(output->film, picture->film_scene, renderer, picture->film_time_s,
                                  &output->config);
    renderer_call_end(renderer);
    return status;
}

static void ahead_begin(struct deepfield_output *output, const struct output_request *request)
{
    output->ahead = (struct picture_ahead){.renderer = output->renderer->renderer,
                                           .load = output->program.load,
                                           .context = output->program.context,
                                           .no_orbit = output->film || output->dry_run,
                                           .request = *request};
    picture_ahead_begin(&output->ahead);
}

static void output_destroy(struct deepfield_output *output)
{
    picture_ahead_close(&output->ahead);
    film_release(output->film);
    for (size_t i = 0; i < output->path_count; i++)
        free(output->paths[i]);
    free(output->paths);
    free(output->report);
    free(output->said);
    config_destroy(&output->config);
    free(output);
}

static enum status output_open(struct deepfield_output *output,
                               const struct deepfield_picture *picture, const char *const *paths,
                               const deepfield_output_options *options, int count)
{
    struct deepfield_renderer *renderer = output->renderer;
    TRY(paths_take(output, paths, count));
    if (!renderer->renderer)
        TRY(world_idle(renderer->world));
    TRY(renderer_ready(renderer));
    TRY(picture_config(picture, &output->config));
    TRY(film_take(output, picture));
    const struct output_request request = {.config = &output->config,
                                           .paths = (const char *const *)output->paths,
                                           .path_count = output->path_count,
                                           .survey = options->survey != 0,
                                           .overwrite =
                                               options->replace ? OVERWRITE_YES : OVERWRITE_NO,
                                           .stop = renderer->stop};
    ahead_begin(output, &request);
    return STATUS_OK;
}

static struct deepfield_output *output_create(struct deepfield_renderer *renderer)
{
    struct deepfield_output *output = calloc(1, sizeof *output);
    if (output)
        output->renderer = renderer;
    return output;
}

deepfield_status deepfield_output_open(deepfield_output **output, deepfield_renderer *renderer,
                                       const deepfield_picture *picture, const char *const *paths,
                                       int count, const deepfield_output_options *options)
{
    deepfield_output_options wanted = {.size = sizeof wanted};
    NEED(output);
    *output = NULL;
    NEED(renderer);
    NEED(picture);
    NEED(paths);
    if (options && options->size < sizeof wanted.size)
        return status_give(status_fail(STATUS_USAGE,
                                       "deepfield_output_options.size is %zu, not %zu",
                                       options->size, sizeof wanted));
    if (options)
        memcpy(&wanted, options, options->size < sizeof wanted ? options->size : sizeof wanted);
    struct deepfield_output *made = output_create(renderer);
    if (!made)
        return status_give(no_memory());
    made->dry_run = wanted.dry_run != 0;
    enum status status = output_open(made, picture, paths, &wanted, count);
    if (status != STATUS_OK) {
        output_destroy(made);
        return status_give(status);
    }
    *output = made;
    return DEEPFIELD_OK;
}

enum status output_of_program(struct deepfield_output **output, struct deepfield_renderer *renderer,
                              const struct program_output *parts)
{
    const struct output_request nothing = {.path_count = 0};
    *output = NULL;
    TRY(renderer_ready(renderer));
    struct deepfield_output *made = *output = output_create(renderer);
    if (!made)
        return no_memory();
    made->program = *parts;
    made->dry_run = parts->dry;
    if (!parts->alone)
        ahead_begin(made, &nothing);
    return STATUS_OK;
}

bool output_saved(const struct deepfield_output *output, bool *was_there)
{
    *was_there = output->facts.was_there;
    return output->facts.saved;
}

/* ---- what is told on the way ---- */

static char *explained_text(const struct deepfield_output *output,
                            const struct picture_settings *settings)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    output_explain(settings, output->renderer->renderer, &output->renderer->choice, stream);
    return fclose(stream) == 0 ? text : NULL;
}

static void plan_tell(void *context, const struct picture_settings *settings)
{
    const struct deepfield_output *output = context;
    const struct program_output *program = &output->program;
    char *text = program->explain ? explained_text(output, settings) : NULL;
    if (text)
        program->explain(program->context, settings, text);
    free(text);
}

static enum status open_tell(void *context, const struct picture_settings *settings)
{
    const struct program_output *program = &((struct deepfield_output *)context)->program;
    return program->open ? program->open(program->context, settings) : STATUS_OK;
}

static enum status ranks_call(void *context)
{
    const struct deepfield_output *output = context;
    return order_send(output->renderer->world, ORDER_PICTURE);
}

static void progress_give(const struct deepfield_output *output, deepfield_progress progress)
{
    output->program.progress(output->program.context, &progress);
}

static void progress_tell(void *context, const struct job_progress *job)
{
    const struct deepfield_output *output = context;
    if (output->program.progress)
        progress_give(output, progress_of_job(output->renderer, job));
    else
        renderer_progress(output->renderer, job);
}

static void prepare_tell(void *context, const struct reference_progress *reference)
{
    const struct deepfield_output *output = context;
    if (output->program.progress)
        progress_give(output, progress_of_orbit(reference));
    else
        renderer_prepare_progress(output->renderer, reference);
}

static void notice_tell(void *context, const char *sentence)
{
    const struct deepfield_output *output = context;
    if (output->program.notice)
        output->program.notice(output->program.context, sentence);
    else
        world_notice(output->renderer->world, sentence);
}

static void computed_tell(void *context)
{
    const struct program_output *program = &((struct deepfield_output *)context)->program;
    if (program->computed)
        program->computed(program->context);
}

/* Sentences of the completion, which is another thread's, wait until deepfield_output_close. */
static void sentence_tell(void *context, const char *said_by_program)
{
    struct deepfield_output *output = context;
    char *said, sentence[STATUS_TEXT_BYTES];
    if (output->program.say) {
        output->program.say(output->program.context, said_by_program);
        return;
    }
    sentence_by_keys(sentence, sizeof sentence, said_by_program);
    if (!output->rendered) {
        world_notice(output->renderer->world, sentence);
        return;
    }
    if (asprintf(&said, "%s%s\n", output->said ? output->said : "", sentence) < 0)
        return;
    free(output->said);
    output->said = said;
}

static void before_wait(void *context)
{
    const struct deepfield_output *output = context;
    background_wait(output->before, output->before_number);
}

static void naming_tell(void *context)
{
    const struct program_output *program = &((struct deepfield_output *)context)->program;
    if (program->naming)
        program->naming(program->context);
}

static enum status names_give(void *context, struct atomic_file_set *set)
{
    const struct program_output *program = &((struct deepfield_output *)context)->program;
    return program->commit ? program->commit(program->context, set) : atomic_file_set_commit(set);
}

static char *command_words(void *context, size_t *bytes)
{
    const struct program_output *program = &((struct deepfield_output *)context)->program;
    return program->command(program->context, bytes);
}

/* ---- results ---- */

static enum status document_make(const struct picture_settings *settings,
                                 const struct outcome *outcome, char **text)
{
    size_t bytes = 0;
    struct json json = {.stream = open_memstream(text, &bytes)};
    if (!json.stream)
        return no_memory();
    outcome_json(&json, NULL, settings, outcome);
    enum status status = json_end(&json);
    return fclose(json.stream) == 0 || status != STATUS_OK ? status : no_memory();
}

static void survey_tell(void *context, const struct picture_settings *settings,
                        const struct outcome *outcome)
{
    const struct program_output *program = &((struct deepfield_output *)context)->program;
    char *json = NULL;
    if (program->surveyed && document_make(settings, outcome, &json) == STATUS_OK)
        program->surveyed(program->context, settings, json);
    free(json);
}

/* Gives the program its report, with what JSON cannot say, or need not. */
static enum status program_tell(const struct deepfield_output *output,
                                const struct picture_settings *settings,
                                const struct outcome *outcome)
{
    const struct program_output *program = &output->program;
    char *files = NULL, *explained = output->dry_run ? explained_text(output, settings) : NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&files, &bytes);
    if (stream)
        outcome_paths(settings, stream);
    enum status status =
        stream && fclose(stream) == 0
            ? STATUS_OK
            : status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of the files");
    const struct program_report report = {
        .settings = settings,
        .json = output->report,
        .files = files,
        .total_s = outcome->total_s,
        .checksums = outcome->sums.checksum,
        .disk_bytes = output->dry_run ? (double)output_disk_most(settings) : 0,
        .explained = explained};
    if (status == STATUS_OK)
        status = program->report(program->context, &report);
    free(files);
    free(explained);
    return status;
}

static enum status report_make(void *context, const struct picture_settings *settings,
                               const struct outcome *outcome)
{
    struct deepfield_output *output = context;
    TRY(document_make(settings, outcome, &output->report));
    return output->program.report ? program_tell(output, settings, outcome) : STATUS_OK;
}

static struct output_hooks hooks_of(struct deepfield_output *output)
{
    return (struct output_hooks){.context = output,
                                 .planned = plan_tell,
                                 .open = open_tell,
                                 .begin = ranks_call,
                                 .progress = progress_tell,
                                 .prepare = prepare_tell,
                                 .notice = notice_tell,
                                 .computed = computed_tell,
                                 .surveyed = survey_tell,
                                 .say = sentence_tell,
                                 .before_report = before_wait,
                                 .naming = naming_tell,
                                 .commit = names_give,
                                 .report = report_make,
                                 .command = output->program.command ? command_words : NULL};
}

/* ---- rendering ---- */

/* Gives a large frame back, which would count as taken when the picture is admitted. */
static enum status frame_release(struct deepfield_renderer *renderer)
{
    if (renderer_kept_bytes(renderer->renderer) < memory_available() / FRAME_SHARE_KEPT)
        return STATUS_OK;
    TRY(order_send(renderer->world, ORDER_RELEASE));
    renderer_memory_release(renderer->renderer);
    return STATUS_OK;
}

/* Waits until the picture is ready, and tells how far its orbit is; the program knows of its own.
 */
static void ready_wait(struct deepfield_output *output)
{
    struct reference_progress seen;
    while (!picture_ahead_wait(&output->ahead, READY_TELL_S, &seen))
        if (seen.most > 0 && !output->program.load)
            renderer_prepare_progress(output->renderer, &seen);
}

/* Takes what was made ready. A call that was cancelled may have stopped that, too. */
static enum status ready_take(struct deepfield_output *output)
{
    struct picture_ahead *ahead = &output->ahead;
    ready_wait(output);
    enum status status = picture_ahead_take(ahead);
    if (status != STATUS_STOPPED || stop_asked(output->renderer->stop))
        return status;
    const struct output_request request = ahead->request;
    picture_ahead_close(ahead);
    ahead_begin(output, &request);
    return picture_ahead_take(ahead);
}

static void completion_run(void *context)
{
    struct deepfield_output *output = context;
    const struct program_output *program = &output->program;
    output->status = picture_output_end(output->output, output->status, &output->facts);
    output->output = NULL;
    if (output->status != STATUS_OK)
        snprintf(output->why, sizeof output->why, "%s", status_text());
    before_wait(output);
    if (program->ended)
        program->ended(program->context, output->status);
}

/* The place of this picture among those whose files are completed. */
static struct background **completion_place(struct deepfield_renderer *renderer)
{
    return &renderer->completion[renderer->completions % RENDERER_COMPLETIONS];
}

/* Completes the files in the background, or here where the pixels failed, or nothing may be beside
 * them. */
static enum status completion_begin(struct deepfield_output *output)
{
    struct deepfield_renderer *renderer = output->renderer;
    struct background **background = completion_place(renderer);
    bool apart = output->status == STATUS_OK && !output->program.alone &&
                 picture_output_is_apart(output->output) &&
                 (*background || background_open(background) == STATUS_OK);
    output->rendered = true;
    output->before = renderer->before;
    output->before_number = renderer->before_number;
    renderer->completions++;
    renderer->before = NULL;
    if (!apart) {
        completion_run(output);
        return output->status;
    }
    renderer->before = output->background = *background;
    renderer->before_number = output->number = background_run(*background, completion_run, output);
    return STATUS_OK;
}

/* What was made ready, or what the program asks now. */
static enum status asked_take(struct deepfield_output *output,
                              struct picture_output_request *request)
{
    struct picture_ahead *ahead = &output->ahead;
    const struct program_output *program = &output->program;
    if (program->alone)
        return program->load(program->context, &request->asked);
    TRY(ready_take(output));
    request->asked = ahead->request;
    request->settings = &ahead->settings;
    request->reference = &ahead->reference;
    request->was_there = ahead->was_there;
    request->copied_bytes = COPIED_BYTES;
    return STATUS_OK;
}

static enum status output_render(struct deepfield_output *output)
{
    struct deepfield_renderer *renderer = output->renderer;
    struct picture_output_request request = {.renderer = renderer->renderer,
                                             .orbit = output->orbit,
                                             .dry = output->dry_run,
                                             .brief = output->program.brief,
                                             .attached = output->program.attached,
                                             .hooks = hooks_of(output)};
    TRY(renderer_ready(renderer)); /* else a live picture has the devices */
    TRY(asked_take(output, &request));
    request.started_s = output->program.alone ? output->program.started_s : clock_s();
    background_rest(*completion_place(renderer));
    TRY(frame_release(renderer));
    return picture_output_compute(&output->output, &request, &output->facts);
}

deepfield_status deepfield_output_render(deepfield_output *output)
{
    NEED(output);
    if (output->rendered)
        return status_give(status_fail(STATUS_USAGE, "the picture was rendered already"));
    TRY_GIVE(renderer_call_begin(output->renderer));
    output->status = output_render(output);
    enum status status = completion_begin(output);
    renderer_call_end(output->renderer);
    return status_give(status == STATUS_OK ? status : status_fail(status, "%s", output->why));
}

/* ---- the end ---- */

static void sentences_tell(struct deepfield_output *output)
{
    char *rest = output->said;
    for (const char *line; (line = strsep(&rest, "\n")) && *line;)
        world_notice(output->renderer->world, line);
}

deepfield_status deepfield_output_close(deepfield_output *output, char **json)
{
    if (json)
        *json = NULL;
    if (!output)
        return DEEPFIELD_OK;
    background_wait(output->background, output->number);
    sentences_tell(output);
    if (json) {
        *json = output->report;
        output->report = NULL;
    }
    enum status status =
        output->status == STATUS_OK ? STATUS_OK : status_fail(output->status, "%s", output->why);
    output_destroy(output);
    return status_give(status);
}
