/* deepfield render: views become files, one picture after the other in one renderer. */
#include <stdio.h>
#include <string.h>

#include "app/command/batch.h"
#include "app/command/command.h"
#include "app/command/render_output.h"
#include "app/process/gpu_queues.h"
#include "app/process/message.h"
#include "app/process/stop.h"
#include "app/report/document.h"
#include "app/report/idle_report.h"
#include "app/settings/picture_request.h"
#include "app/settings/renderer_probed.h"
#include "decomposition/thread/clock.h"
#include "kernels/stop.h"
#include "library/settings/settings_description.h"
#include "render/device/background.h"
#include "render/disk/folder_clear.h"
#include "render/disk/memory.h"
#include "render/picture/region.h"

/* ---- one view ---- */

static enum status one_make(struct invocation *invocation, struct renderer *renderer,
                            const struct cores_choice *choice)
{
    struct render_output render = {
        .invocation = invocation, .renderer = renderer, .choice = choice};
    if (world_rank(invocation->world) != 0)
        return picture_output_join(renderer, &stop_requested);
    enum status status = render_output_compute(&render);
    status = render_output_end(&render, status);
    return render.facts.shared ? status : picture_decline(renderer, status);
}

/* ---- several views ---- */

/* Messages of rank 0 between pictures. */
enum batch_message { BATCH_END, BATCH_PICTURE, BATCH_RELEASE };

enum { FRAME_SHARE_KEPT = 8 }; /* a frame is kept up to an eighth of the memory that is free */
enum { ENDINGS = 3 };          /* pictures whose files are written behind the one in work */
enum { AHEADS = AHEAD_MOST + 1 + ENDINGS }; /* with the one that is computed */

struct coming { /* a picture that is made ready */
    const struct batch_item *item;
    const struct batch_run *run;
    struct invocation picture;
    struct picture_ahead ahead;
};

struct ending { /* a picture whose pixels are there */
    struct batch_run *run;
    struct coming *coming;
    struct render_output render;
    struct background *background; /* NULL: not opened yet */
    uint64_t number;               /* number of the function there; 0: it ended here */
    struct background *before;     /* background of the picture before, and its number there */
    uint64_t before_number;
    enum status status;          /* how it ended */
    char why[STATUS_TEXT_BYTES]; /* sentence of that */
};

struct batch_run { /* rank 0 */
    const struct invocation *invocation;
    struct renderer *renderer;
    const struct picture_batch *batch;
    struct coming coming[AHEADS];  /* a ring of pictures that are made ready */
    struct ending ending[ENDINGS]; /* a ring of those whose files are completed */
    size_t ending_begun, ending_taken;
    size_t readied, begun, failed, were_there;
    enum status worst;           /* status of the highest exit code */
    char why[STATUS_TEXT_BYTES]; /* sentence of that */
    bool over;                   /* no further picture can be computed in this process */
};

static enum status message_send(struct world *world, enum batch_message message)
{
    int32_t record = message;
    return world_tell(world, STATUS_OK, &record, sizeof record);
}

static enum status picture_announce(void *context)
{
    const struct ending *ending = context;
    return message_send(ending->run->invocation->world, BATCH_PICTURE);
}

/* Gives a large frame back, which would count as taken when the next picture is admitted. */
static void frame_release(struct batch_run *run)
{
    if (run->over || renderer_kept_bytes(run->renderer) < memory_available() / FRAME_SHARE_KEPT)
        return;
    if (message_send(run->invocation->world, BATCH_RELEASE) == STATUS_OK)
        renderer_memory_release(run->renderer);
}

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

static void outcome_take(struct batch_run *run, enum status status, const char *why,
                         const struct picture_output_facts *facts)
{
    run->were_there += facts->was_there;
    run->over = run->over || (is_general(status) && !facts->saved);
    if (status == STATUS_OK)
        return;
    run->failed += !facts->saved;
    if (status_exit_code(status) >= status_exit_code(run->worst)) {
        run->worst = status;
        snprintf(run->why, sizeof run->why, "%s", why);
    }
}

/* ---- pictures that are made ready ---- */

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
static enum status coming_load(void *context, struct output_request *request)
{
    struct coming *coming = context;
    const struct invocation *whole = coming->run->invocation;
    TRY(batch_picture_open(&coming->picture, coming->item, whole));
    TRY(backend_check(&coming->picture, whole));
    return picture_request_make(request, &coming->picture);
}

static void coming_begin(struct batch_run *run, struct coming *coming,
                         const struct batch_item *item)
{
    *coming = (struct coming){
        .item = item,
        .run = run,
        .ahead = {.renderer = run->renderer,
                  .load = coming_load,
                  .context = coming,
                  .no_orbit = arguments_has(&run->invocation->arguments, OPTION_DRY_RUN)}};
    picture_ahead_begin(&coming->ahead);
}

static void coming_close(struct coming *coming)
{
    picture_ahead_close(&coming->ahead);
    batch_picture_close(&coming->picture);
    *coming = (struct coming){.item = NULL};
}

/* Keeps the pictures after the one in work under way, as many as there is room for. */
static void aheads_begin(struct batch_run *run)
{
    size_t most = (size_t)picture_ahead_count(run->renderer) + 1;
    for (; run->readied < run->batch->count && run->readied < run->begun + most; run->readied++)
        coming_begin(run, &run->coming[run->readied % AHEADS], &run->batch->item[run->readied]);
}

/* ---- files behind the picture that is computed ---- */

static struct ending *ending_at(struct batch_run *run, size_t number)
{
    return &run->ending[number % ENDINGS];
}

/* Waits until the picture before has been told of: lines keep the order of the list. */
static void ending_wait(void *context)
{
    const struct ending *ending = context;
    background_wait(ending->before, ending->before_number);
}

static void ending_run(void *context)
{
    struct ending *ending = context;
    ending->status = render_output_end(&ending->render, STATUS_OK);
    ending_wait(ending);
    failure_tell(ending->run, ending->coming->item->view, ending->status);
    snprintf(ending->why, sizeof ending->why, "%s",
             ending->status == STATUS_OK ? "" : status_text());
    fflush(stdout); /* who waits for one of many sees it */
}

/* Takes the oldest, when its files are there, or have failed. */
static void ending_take(struct batch_run *run)
{
    struct ending *ending = ending_at(run, run->ending_taken++);
    background_wait(ending->background, ending->number);
    outcome_take(run, ending->status, ending->why, &ending->render.facts);
    coming_close(ending->coming);
}

static void endings_take(struct batch_run *run)
{
    while (run->ending_taken < run->ending_begun)
        ending_take(run);
}

/* Completes a picture in the background, or here where the pixels failed, or nothing may be beside
 * it. */
static void ending_begin(struct batch_run *run, struct ending *ending, enum status status)
{
    struct background **background = &ending->background;
    bool apart = status == STATUS_OK && picture_output_is_apart(ending->render.output) &&
                 (*background || background_open(background) == STATUS_OK);
    if (apart) {
        ending->number = background_run(*background, ending_run, ending);
        return;
    }
    ending_wait(ending);
    ending->status = render_output_end(&ending->render, status);
    failure_tell(run, ending->coming->item->view, ending->status);
    snprintf(ending->why, sizeof ending->why, "%s", status_text());
    fflush(stdout);
}

static void picture_run(struct batch_run *run)
{
    aheads_begin(run);
    struct coming *coming = &run->coming[run->begun++ % AHEADS];
    struct ending *ending = ending_at(run, run->ending_begun);
    enum status status = picture_ahead_take(&coming->ahead);
    coming->picture.started_s = clock_s();
    if (run->ending_begun - run->ending_taken == ENDINGS)
        ending_take(run);
    const struct ending *before = ending_at(run, run->ending_begun + ENDINGS - 1);
    *ending = (struct ending){.run = run,
                              .coming = coming,
                              .background = ending->background,
                              .before = before->background,
                              .before_number = before->number,
                              .render = {.invocation = &coming->picture,
                                         .renderer = run->renderer,
                                         .ahead = &coming->ahead,
                                         .of_many = true,
                                         .begin = picture_announce,
                                         .before_report = ending_wait,
                                         .context = ending}};
    if (status == STATUS_OK)
        status = render_output_compute(&ending->render);
    bool shared = ending->render.facts.shared;
    run->ending_begun++;
    ending_begin(run, ending, status);
    if (world_lost(run->invocation->world) != STATUS_OK)
        run->over = true;
    if (shared && run->begun < run->batch->count)
        frame_release(run);
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

static enum status batch_root(const struct invocation *invocation, struct renderer *renderer)
{
    struct batch_run run = {
        .invocation = invocation, .renderer = renderer, .batch = invocation->batch};
    folder_clear_seldom();
    render_output_listen();
    while (run.begun < run.batch->count && !run.over && !stop_asked(&stop_requested))
        picture_run(&run);
    endings_take(&run);
    for (int i = 0; i < ENDINGS; i++)
        background_close(run.ending[i].background);
    for (int i = 0; i < AHEADS; i++)
        coming_close(&run.coming[i]);
    if (world_lost(invocation->world) == STATUS_OK)
        TRY(message_send(invocation->world, BATCH_END));
    return batch_outcome(&run);
}

static enum status batch_join(struct world *world, struct renderer *renderer)
{
    for (;;) {
        int32_t message = BATCH_END;
        TRY(world_tell(world, STATUS_OK, &message, sizeof message));
        if (message == BATCH_END)
            return STATUS_OK;
        if (message == BATCH_RELEASE)
            renderer_memory_release(renderer);
        else
            (void)picture_output_join(renderer, &stop_requested); /* rank 0 knows, and decides */
    }
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
    struct tile wanted = region_wanted(&picture);
    return pictures * (double)wanted.width * (double)wanted.height *
           (double)config_integer(config, OPTION_VIEW_LIMIT);
}

/* Opens GPUs as fast as they can be for a picture that is soon there, and takes the cores where
 * these make it sooner than a GPU opens. Settings that are wrong are refused later. */
static enum status backend_settle(const struct invocation *invocation,
                                  struct renderer_options *options, struct cores_choice *choice)
{
    struct picture picture;
    enum status status = STATUS_OK;
    bool known = settings_picture(&invocation->config, &picture) == STATUS_OK &&
                 settings_region(&invocation->config, &picture) == STATUS_OK;
    picture.samples = settings_samples(&invocation->config);
    if (known && cores_choice_small(&picture))
        gpu_queues_few();
    if (known && cores_choice_due(options, invocation->world, &picture))
        status = cores_choose(choice, invocation->world, options, &picture, &stop_requested);
    if (choice->cores)
        options->backend = "cpu";
    view_destroy(&picture.view);
    return status;
}

enum status command_render(struct invocation *invocation)
{
    struct world *world = invocation->world;
    bool root = world_rank(world) == 0;
    struct renderer *renderer;
    struct renderer_options options = {0};
    struct cores_choice choice = {.tried = false};
    if (root) {
        options = renderer_probed(&invocation->config);
        options.iterations = iterations_most(invocation);
        options.several = invocation->batch != NULL;
        if (!options.several)
            TRY(backend_settle(invocation, &options, &choice));
    }
    TRY(renderer_open(&renderer, world, root ? &options : NULL));
    if (root) {
        struct idle idle = renderer_info(renderer)->idle;
        idle.gpus = choice.cores ? 0 : idle.gpus; /* the cores were chosen, for a reason */
        idle_report(invocation, &idle);
    }
    enum status status = STATUS_OK;
    if (!renderer_info(renderer)->several)
        status = one_make(invocation, renderer, &choice);
    else
        status = root ? batch_root(invocation, renderer) : batch_join(world, renderer);
    renderer_close(renderer);
    return status;
}
