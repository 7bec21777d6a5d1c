/* deepfield render: views become files, one picture after the other in one renderer. */
#include <stdio.h>
#include <string.h>

#include "app/command/batch.h"
#include "app/command/command.h"
#include "app/command/render_output.h"
#include "app/process/message.h"
#include "app/process/stop.h"
#include "app/report/document.h"
#include "app/settings/engine.h"
#include "kernels/stop.h"
#include "library/settings/settings_description.h"
#include "render/disk/folder_clear.h"

/* ---- one view ---- */

static enum status one_make(struct invocation *invocation, struct deepfield_renderer *renderer)
{
    struct render_output render = {.invocation = invocation, .whole = invocation};
    render_output_listen();
    TRY(render_output_open(&render, renderer));
    (void)deepfield_output_render(render.output); /* its end tells */
    return status_take(deepfield_output_close(render.output, NULL));
}

/* ---- several views ---- */

enum { AHEADS = 8, ENDINGS = 3 }; /* most pictures that are made ready, and that are completed */
enum { COMINGS = AHEADS + 1 + ENDINGS }; /* with the one that is computed */

struct coming { /* a picture on its way, from its view to its files */
    const struct batch_item *item;
    const struct batch_run *run;
    struct invocation picture;
    struct render_output render;
    enum status status;    /* why it could not be opened */
    bool saved, was_there; /* all files are complete; and were before */
};

struct batch_run { /* rank 0 */
    const struct invocation *invocation;
    struct deepfield_renderer *renderer;
    const struct picture_batch *batch;
    struct coming coming[COMINGS]; /* a ring */
    int aheads;                    /* number of pictures to make ready at once */
    size_t readied, begun, taken, failed, were_there;
    enum status worst;           /* status of the highest exit code */
    char why[STATUS_TEXT_BYTES]; /* sentence of that */
    bool over;                   /* no further picture can be computed in this process */
};

static bool is_alone(const struct batch_run *run)
{
    return run->batch->count == 1;
}

/* Reports a failure among others, by the name of its view; its sentence stays. */
static void failure_tell(const struct batch_run *run, const char *view, enum status status)
{
    char text[STATUS_TEXT_BYTES];
    if (status == STATUS_OK || status == STATUS_STOPPED || is_alone(run))
        return;
    bool named = !*view || strstr(status_text(), view);
    snprintf(text, sizeof text, "%.300s%s%.700s", named ? "" : view, named ? "" : ": ",
             status_text());
    message_print(text);
    if (arguments_has(&run->invocation->arguments, OPTION_JSON))
        document_failure(status_exit_code(status), text, view);
}

/* Does the failure concern the ranks and devices, and not this picture alone? */
static bool is_general(enum status status)
{
    return status == STATUS_STOPPED || status == STATUS_DEVICE_LOST || status == STATUS_SYSTEM ||
           status == STATUS_INTERNAL;
}

static void outcome_take(struct batch_run *run, enum status status, const struct coming *coming)
{
    run->were_there += coming->was_there;
    run->over = run->over || (is_general(status) && !coming->saved);
    if (status == STATUS_OK)
        return;
    run->failed += !coming->saved;
    if (status_exit_code(status) >= status_exit_code(run->worst)) {
        run->worst = status;
        snprintf(run->why, sizeof run->why, "%s", status_text());
    }
}

/* ---- a picture on its way ---- */

/* The renderer has been opened for all pictures by the settings that they share. */
static enum status backend_check(const struct invocation *picture, const struct invocation *whole)
{
    const char *own = config_text(&picture->config, OPTION_COMPUTE_BACKEND);
    const char *opened = config_text(&whole->config, OPTION_COMPUTE_BACKEND);
    if (!strcmp(own, opened))
        return STATUS_OK;
    return status_fail(STATUS_CONFIG,
                       "%s: the backend is %s, but for all pictures %s is open; --backend says one "
                       "for all, or render this view alone",
                       picture->config.value[OPTION_COMPUTE_BACKEND].origin, own, opened);
}

/* Reads the view, on the thread that makes it ready. */
static enum status coming_load(void *context)
{
    struct coming *coming = context;
    const struct invocation *whole = coming->run->invocation;
    TRY(batch_picture_open(&coming->picture, coming->item, whole));
    return backend_check(&coming->picture, whole);
}

static void coming_ended(void *context, enum status status)
{
    struct coming *coming = context;
    coming->saved = program_output_saved(coming->render.output, &coming->was_there);
    failure_tell(coming->run, coming->item->view, status);
    fflush(stdout); /* who waits for one of many sees it */
}

static void coming_open(struct batch_run *run, struct coming *coming, const struct batch_item *item)
{
    *coming = (struct coming){.item = item,
                              .run = run,
                              .render = {.invocation = &coming->picture,
                                         .whole = run->invocation,
                                         .of_many = true,
                                         .load = coming_load,
                                         .ended = coming_ended,
                                         .context = coming}};
    coming->status = render_output_open(&coming->render, run->renderer);
}

/* Waits until its files are there, or have failed. */
static void coming_take(struct batch_run *run)
{
    struct coming *coming = &run->coming[run->taken++ % COMINGS];
    enum status closed = status_take(deepfield_output_close(coming->render.output, NULL));
    outcome_take(run, coming->render.output ? closed : coming->status, coming);
    batch_picture_close(&coming->picture);
}

/* Drops what was made ready and is not computed. */
static void comings_drop(struct batch_run *run)
{
    for (; run->taken < run->readied; run->taken++) {
        struct coming *coming = &run->coming[run->taken % COMINGS];
        (void)deepfield_output_close(coming->render.output, NULL);
        batch_picture_close(&coming->picture);
    }
}

/* Keeps the pictures after the one in work under way, as many as there is room for. */
static void aheads_begin(struct batch_run *run)
{
    size_t most = (size_t)run->aheads + 1;
    for (; run->readied < run->batch->count && run->readied < run->begun + most; run->readied++)
        coming_open(run, &run->coming[run->readied % COMINGS], &run->batch->item[run->readied]);
}

static void picture_run(struct batch_run *run)
{
    aheads_begin(run);
    struct coming *coming = &run->coming[run->begun++ % COMINGS];
    if (coming->render.output)
        coming->status = status_take(deepfield_output_render(coming->render.output));
    else
        failure_tell(run, coming->item->view, coming->status);
    run->over = run->over || coming->status == STATUS_SYSTEM; /* a rank is lost */
    while (run->begun - run->taken > ENDINGS)
        coming_take(run);
}

static void complete_report(const struct batch_run *run)
{
    if (run->were_there && !config_boolean(&run->invocation->config, OPTION_OUTPUT_QUIET))
        fprintf(stderr, "deepfield: %zu of %zu pictures were complete before\n", run->were_there,
                run->batch->count);
}

/* Says how far a batch came that was stopped. With --json that is a line, too: the pictures before
 * have theirs, and whoever reads them knows that no further follows. */
static enum status stop_tell(const struct batch_run *run)
{
    enum status status = status_fail(
        STATUS_STOPPED,
        "stopped on request; %zu of %zu pictures are complete, and the same command goes on",
        run->begun - run->failed, run->batch->count);
    if (arguments_has(&run->invocation->arguments, OPTION_JSON) && document_printed())
        document_failure(status_exit_code(status), status_text(), NULL);
    return status;
}

static enum status batch_outcome(const struct batch_run *run)
{
    size_t count = run->batch->count, left = count - run->begun;
    complete_report(run);
    if (stop_asked(&stop_requested) && (left || run->worst == STATUS_STOPPED))
        return stop_tell(run);
    if (run->worst == STATUS_OK)
        return STATUS_OK;
    if (is_alone(run))
        return status_fail(run->worst, "%s", run->why);
    if (left && !run->failed)
        return status_fail(run->worst,
                           "%zu of %zu pictures are complete, and %zu were not begun; the same "
                           "command makes what is missing",
                           run->begun, count, left);
    if (left)
        return status_fail(run->worst,
                           "%zu of %zu pictures failed, and %zu were not begun; the same command "
                           "makes what is missing",
                           run->failed, count, left);
    if (!run->failed)
        return status_fail(run->worst,
                           "all pictures are complete and saved, but not all went well");
    return status_fail(run->worst, "%zu of %zu pictures failed%s", run->failed, count,
                       run->failed < count ? "; the others are complete" : "");
}

static enum status batch_make(const struct invocation *invocation,
                              struct deepfield_renderer *renderer)
{
    struct batch_run run = {
        .invocation = invocation, .renderer = renderer, .batch = invocation->batch};
    TRY(program_outputs_ahead(renderer, &run.aheads));
    folder_clear_seldom();
    render_output_listen();
    while (run.begun < run.batch->count && !run.over && !stop_asked(&stop_requested))
        picture_run(&run);
    while (run.taken < run.begun)
        coming_take(&run);
    comings_drop(&run);
    return batch_outcome(&run);
}

/* ---- the command ---- */

/* The size may be anything: this is an estimate in doubles. Views may have other limits. */
static double iterations_most(const struct invocation *invocation)
{
    const struct config *config = &invocation->config;
    const struct config_value *size = &config->value[OPTION_VIEW_SIZE];
    struct picture picture = {
        .view = {.width = (int32_t)size->integer, .height = (int32_t)size->second}};
    double pictures = invocation->batch ? (double)invocation->batch->count : 1;
    if (settings_region(config, &picture) != STATUS_OK) /* it is refused later */
        picture.region.width = 0;
    double width = picture.region.width ? picture.region.width : picture.view.width;
    double height = picture.region.width ? picture.region.height : picture.view.height;
    return pictures * width * height * (double)config_integer(config, OPTION_VIEW_LIMIT);
}

static enum status views_render(struct invocation *invocation, struct deepfield_world *world)
{
    struct deepfield_renderer *renderer;
    double iterations = iterations_most(invocation);
    TRY(invocation->batch ? engine_renderer(&renderer, world, invocation, iterations, false)
                          : engine_renderer_of_one(&renderer, world, invocation, iterations));
    enum status status =
        invocation->batch ? batch_make(invocation, renderer) : one_make(invocation, renderer);
    deepfield_renderer_destroy(renderer);
    return status;
}

enum status command_render(struct invocation *invocation)
{
    return engine_run(invocation, views_render);
}
