#include "render/film/film_timing.h"

#include <math.h>
#include <stdlib.h>

#include "decomposition/thread/clock.h"
#include "kernels/stop.h"
#include "render/device/background.h"
#include "render/film/film_change.h"
#include "render/film/film_colours_measure.h"
#include "render/motion/film_flash.h"
#include "render/film/film_orbit.h"
#include "render/film/film_renderers.h"

enum {
    COLOURS = 17, /* small pictures measured for colours */
    TRIED = 3,    /* small frames that show whether whole ones are cheap */
    SMALLER = 8,  /* their side is that of a frame over this, unless that is too small to tell */
    WARM = 4,     /* frames before those that count */
    FIRST = 8,    /* frames of the round that shows how many there is time for */
    MOST = 48
};

/* Time of a pixel on a GPU over that in small frames: a quarter or less. */
#define GPU_SHARE 0.25

/* Error of the cost between two computed frames, as a share of their difference. */
#define BETWEEN 0.5

struct timing {
    struct renderer *renderer;
    struct film film; /* film of one scene; also smaller */
    const volatile int *stop;
    struct film_orbit shared;
    struct film_colours colours;
    struct film_renderers *renderers; /* NULL: frames are computed one after the other */
    struct look look;
    struct writing { /* buffers of frames as in the film's writer, without the encoder */
        struct background *background;
        int threads;
        struct film_frame frame; /* frame in work */
        struct flash_frame *flash;
        struct film_change change;
        uint8_t *samples;
        enum status status; /* status of all frames so far */
    } writing;
    int frames;            /* frames of a round */
    double sum_s, squares; /* sums of their times and squares */
    bool over;             /* as in struct film_timing */
};

/* Number of frame i of `count` frames, evenly along the film. */
static int64_t number_of(const struct timing *timing, int i, int count)
{
    double part = (i + 0.5) / count;
    return timing->film.first + (int64_t)(part * (double)film_frames_moving(&timing->film));
}

static void frame_write(void *context)
{
    struct timing *timing = context;
    struct writing *writing = &timing->writing;
    struct film_frame *frame = &writing->frame;
    const struct film *film = &timing->film;
    const float(*light)[3] = (const float(*)[3])frame->light;
    double moved;
    if (writing->status == STATUS_OK) {
        flash_frame_make(writing->flash, light, film->width, film->height, writing->threads);
        writing->status =
            film_change_add(&writing->change, light, &frame->view, frame->number, &moved);
        if (writing->status == STATUS_OK && !film->video.kind->frames)
            writing->status =
                film_yuv_make(&film->video.yuv, light, writing->samples, writing->threads);
    }
    film_frame_destroy(frame);
}

/* Converts the frame, which it takes, as the writer would. */
static void frame_take(struct timing *timing, const struct film_frame *frame,
                       const struct picture_report *report)
{
    background_rest(timing->writing.background);
    timing->writing.frame = *frame;
    timing->writing.frame.number = timing->frames; /* numbered as if they followed each other */
    background_run(timing->writing.background, frame_write, timing);
    timing->frames++;
    timing->sum_s += report->compute_s;
    timing->squares += report->compute_s * report->compute_s;
}

static enum status look_give(void *context, const struct field *field, const struct look **look)
{
    struct timing *timing = context;
    (void)field;
    *look = &timing->look;
    return STATUS_OK;
}

/* Computes a frame with all ranks. */
static enum status frame_render(struct timing *timing, struct film_frame *frame,
                                struct picture_report *report)
{
    const struct film *film = &timing->film;
    struct picture picture = film->picture;
    struct picture_hooks hooks = {.look = look_give,
                                  .look_context = timing,
                                  .stop = timing->stop,
                                  .orbit =
                                      timing->shared.orbit.orbit ? &timing->shared.orbit : NULL};
    struct field field;
    int goes_on = 1;
    double time_s = film_time_s(film, frame->number);
    *report = (struct picture_report){.plan_s = 0};
    film_look(film, &timing->colours, time_s, &timing->look);
    timing->shared.orbit.amplification = film_colours_amplification(&timing->colours, time_s);
    picture.of_many = true;
    picture.light_alone = !film->video.kind->numbers;
    TRY(film_view(film, frame->number, &frame->view));
    picture.view = frame->view; /* borrowed */
    TRY(world_tell(renderer_world(timing->renderer), STATUS_OK, &goes_on, sizeof goes_on));
    enum status status = picture_render(timing->renderer, &picture, &hooks, &field, report);
    timing->over = status != STATUS_OK;
    TRY(status);
    return film_light(report, &timing->look, &field, &frame->light);
}

static void frame_begin(struct timing *timing, int64_t number)
{
    double time_s = film_time_s(&timing->film, number);
    film_look(&timing->film, &timing->colours, time_s, &timing->look);
    film_renderers_begin(timing->renderers, number, &timing->look,
                         film_colours_amplification(&timing->colours, time_s));
}

/* Computes `count` frames; *seconds per frame. */
static enum status round_run(struct timing *timing, int count, double *seconds)
{
    double begin_s = clock_s();
    int begun = 0;
    enum status status = STATUS_OK;
    timing->frames = 0;
    timing->sum_s = timing->squares = 0;
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        struct picture_report report = {.plan_s = 0};
        struct film_frame frame = {.number = number_of(timing, i, count)};
        while (timing->renderers && begun < count && film_renderers_idle(timing->renderers))
            frame_begin(timing, number_of(timing, begun++, count));
        if (stop_asked(timing->stop))
            status = status_fail(STATUS_STOPPED, "stopped");
        else if (timing->renderers)
            status = film_renderers_take(timing->renderers, frame.number, &frame, &report);
        else
            status = frame_render(timing, &frame, &report);
        if (status == STATUS_OK)
            frame_take(timing, &frame, &report);
        else
            film_frame_destroy(&frame);
        picture_report_destroy(&report);
    }
    background_rest(timing->writing.background);
    *seconds = (clock_s() - begin_s) / count;
    return status == STATUS_OK && timing->writing.status != STATUS_OK
               ? status_fail(timing->writing.status, "no memory to write frames")
               : status;
}

static int32_t small_side(int32_t side, int32_t least)
{
    int32_t small = side / SMALLER > least ? side / SMALLER : least;
    return small < side ? small : side;
}

/* Computes frame i of `count` alone. */
static enum status frame_tried(struct timing *timing, int i, int count)
{
    struct film_frame frame = {.number = number_of(timing, i, count)};
    struct picture_report report = {.plan_s = 0};
    enum status status = frame_render(timing, &frame, &report);
    film_frame_destroy(&frame);
    picture_report_destroy(&report);
    return status;
}

/* Do whole frames fit the budget if a pixel takes as long in them as in small ones? On GPUs, whose
 * small frames take as long as their longest orbit, it takes a small part of that. Opens the
 * devices, too. */
static enum status is_cheap(struct timing *timing, double budget_s, bool *cheap)
{
    const struct film whole = timing->film;
    double most_s = 0;
    timing->film.width = small_side(whole.width, SUBGRID_WIDTH);
    timing->film.height = small_side(whole.height, SUBGRID_HEIGHT);
    double times =
        (double)whole.width * whole.height / ((double)timing->film.width * timing->film.height);
    enum status status = frame_tried(timing, 0, 1);
    for (int i = 0; i < TRIED && status == STATUS_OK; i++) {
        double begin_s = clock_s();
        status = frame_tried(timing, i, TRIED);
        most_s = fmax(most_s, clock_s() - begin_s);
    }
    timing->film = whole;
    double share = renderer_info(timing->renderer)->facts.gpus ? GPU_SHARE : WARM + FIRST;
    *cheap = most_s * times * share <= budget_s;
    return status;
}

static enum status writing_open(struct timing *timing)
{
    const struct film *film = &timing->film;
    struct writing *writing = &timing->writing;
    writing->threads = film_writer_threads(renderer_info(timing->renderer)->facts.gpus > 0);
    writing->flash = malloc(sizeof *writing->flash);
    writing->samples = malloc(film_yuv_bytes(&film->video.yuv) + 1);
    if (!writing->flash || !writing->samples)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for samples of a film");
    TRY(film_change_open(&writing->change, film->width, film->height));
    writing->change.threads = writing->threads;
    return background_open(&writing->background);
}

static void writing_close(struct writing *writing)
{
    background_close(writing->background);
    film_change_close(&writing->change);
    free(writing->flash);
    free(writing->samples);
}

static enum status frames_time(struct timing *timing, struct film_timing *out, double budget_s)
{
    struct film_renderers_order order = {.renderer = timing->renderer,
                                         .film = &timing->film,
                                         .orbit = &timing->shared.orbit,
                                         .stop = timing->stop};
    int64_t moving = film_frames_moving(&timing->film);
    int most = moving < MOST ? (int)moving : MOST, first = most < FIRST ? most : FIRST;
    double warm_s;
    TRY(writing_open(timing));
    int count = film_renderers_count(timing->renderer, &timing->film, timing->stop);
    if (count > 1) /* one renderer is used where others cannot be opened, as for the film */
        (void)film_renderers_open(&timing->renderers, count, &order);
    TRY(round_run(timing, most < WARM ? most : WARM, &warm_s));
    TRY(round_run(timing, first, &out->frame_s));
    double fit = budget_s / out->frame_s;
    most = fit < most ? (int)fit : most;
    if (most > first)
        TRY(round_run(timing, most, &out->frame_s));
    double mean = timing->sum_s / timing->frames;
    double spread = sqrt(fmax(0, timing->squares / timing->frames - mean * mean));
    out->frames = timing->frames;
    out->error = mean > 0 ? BETWEEN * spread / mean / sqrt(timing->frames) : 0;
    return STATUS_OK;
}

static enum status colours_time(struct timing *timing, double *seconds)
{
    const struct film_colours_order order = {.film = &timing->film,
                                             .orbit = &timing->shared.orbit,
                                             .threads =
                                                 renderer_info(timing->renderer)->asked.threads,
                                             .stop = timing->stop};
    TRY(film_colours_open(&timing->colours, &timing->film.path));
    double begin_s = clock_s(), all = (double)timing->colours.count;
    film_colours_thin(&timing->colours, COLOURS);
    TRY(film_colours_measure(&order, &timing->colours));
    *seconds = (clock_s() - begin_s) * all / (double)timing->colours.count;
    film_colours_settle(&timing->colours);
    return STATUS_OK;
}

static enum status timing_run(struct timing *timing, struct film_timing *out, struct estimate *sum,
                              double budget_s)
{
    struct estimate_watch watch = {.asked = timing->stop, .budget_s = budget_s};
    const struct reference_hooks hooks = {
        .progress = estimate_watch, .context = &watch, .stop = &watch.stop};
    double begin_s = clock_s(), colours_s;
    bool cheap;
    enum status status =
        film_orbit_make(&timing->shared, &timing->film, NULL, timing->renderer, &hooks);
    if (status == STATUS_STOPPED && estimate_is_cut(sum, &watch))
        return STATUS_OK;
    TRY(status);
    double orbit_s = clock_s() - begin_s;
    TRY(colours_time(timing, &colours_s));
    TRY(is_cheap(timing, budget_s, &cheap));
    double open_s = clock_s() - begin_s;
    out->begin_s = fmax(open_s, orbit_s + colours_s);
    return cheap ? frames_time(timing, out, budget_s) : STATUS_OK;
}

enum status film_time(struct film_timing *timing, struct estimate *sum, struct renderer *renderer,
                      const struct film *film, double budget_s, const volatile int *stop)
{
    struct timing one = {.renderer = renderer, .film = *film, .stop = stop};
    *timing = (struct film_timing){.frames = 0};
    renderer_devices_begin(renderer);
    enum status status = timing_run(&one, timing, sum, budget_s);
    timing->over = one.over;
    film_renderers_close(one.renderers);
    writing_close(&one.writing);
    film_colours_close(&one.colours);
    film_orbit_close(&one.shared);
    return status;
}
