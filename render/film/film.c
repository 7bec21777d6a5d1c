#include "render/disk/run_status.h"
#include "render/film/film.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/thread/clock.h"
#include "kernels/backend.h"
#include "kernels/stop.h"
#include "render/film/film_colours.h"
#include "render/film/film_colours_measure.h"
#include "render/film/film_end.h"
#include "render/film/film_orbit.h"
#include "render/film/film_renderers.h"
#include "render/film/film_resample.h"
#include "render/film/video/film_writer.h"
#include "render/device/background.h"
#include "render/disk/folder.h"
#include "render/disk/memory.h"
#include "render/motion/screen_threads.h"
#include "render/file/sink.h"
#include "render/picture/picture_plan.h"

#define SEGMENT_MOST_S 60.0 /* longest segment: work lost by a kill, beside a frame */

struct film_run { /* state of a film on rank 0 */
    struct renderer *renderer;
    const struct film *film; /* present scene */
    const struct film_hooks *hooks;
    struct film_report *report;
    double begin_s;
    bool over; /* the other ranks were told of the failure and have returned */
    struct film_orbit shared;
    struct film_colours colours;
    struct look looks[2];    /* looks of alternate frames */
    const struct look *look; /* look of the present frame or picture */
    struct film_store store;
    struct film_writer *writer;
    struct late_frame { /* frame whose last samples are being added */
        struct film_frame frame;
        struct average *average; /* NULL: there is none */
    } late;
    struct ahead { /* facts of a frame that are computed in the background during the frame before
                    */
        struct background *background;
        uint64_t begun; /* number of the background job */
        int64_t frame;  /* number of the frame; -1: none */
        struct picture_known known;
    } ahead;
    struct film_renderers *renderers; /* NULL: frames are computed one after the other */
    int64_t given;                    /* frame behind the last one given to them */
    float (*held)[3];                 /* light of a frame that is repeated; NULL: none */
    struct film_keys keys;
    struct key_picture { /* key pictures that frames are resampled from */
        struct field field;
        int number; /* -1: none */
    } key[FILM_KEYS_WHOLE];
    float (*room)[3]; /* buffer for the colours of one */
    char *text;       /* text of the present frame; NULL: its file has none */
    int64_t wanted, done;
    struct job_rank *rank,
        *rank_now; /* work of ranks in all pictures, and with the present one; [ranks] */
    struct job_rank joined[JOINED_MOST], joined_now[JOINED_MOST]; /* likewise of joined jobs */
    int joined_count;
    int64_t segment_end; /* frame behind the last one put; -1: no segment is open */
    double segment_s;    /* time when it began */
};

static bool stops(const struct film_run *run)
{
    return stop_asked(run->hooks->stop);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static enum status look_give(void *context, const struct field *field, const struct look **look)
{
    struct film_run *run = context;
    (void)field;
    *look = run->look;
    return STATUS_OK;
}

static void rank_add(struct job_rank *sum, const struct job_rank *more)
{
    memcpy(sum->host, more->host, sizeof sum->host);
    sum->computes |= more->computes;
    sum->tiles += more->tiles;
    sum->iterations += more->iterations;
    sum->busy_s += more->busy_s;
    sum->unheard_s = more->unheard_s;
}

/* Work of jobs that have joined, with the present picture; their number. */
static int joined_sum(struct film_run *run, const struct job_progress *picture)
{
    int count = run->joined_count;
    memcpy(run->joined_now, run->joined, sizeof run->joined_now);
    if (picture) {
        job_joined_add(run->joined_now, &count, picture->joined_before,
                       picture->joined_before_count);
        job_joined_add(run->joined_now, &count, picture->joined, picture->joined_count);
    }
    return count;
}

/* Reports progress. `picture`: of the present picture; NULL: none. */
static void progress_tell(struct film_run *run, const struct job_progress *picture)
{
    const struct film *film = run->film;
    int ranks = world_size(renderer_world(run->renderer));
    uint64_t frame_pixels = (uint64_t)film->width * (uint64_t)film->height;
    struct film_progress progress = {
        .done = run->done, .frames = run->wanted, .seconds = clock_s() - run->begin_s};
    if (!run->hooks->progress)
        return;
    for (int i = 0; i < ranks; i++) {
        run->rank_now[i] = run->rank[i];
        if (picture && picture->rank_before)
            rank_add(&run->rank_now[i], &picture->rank_before[i]);
        if (picture && picture->rank &&
            i < picture->ranks) /* fewer ranks when rank 0 continues alone */
            rank_add(&run->rank_now[i], &picture->rank[i]);
        progress.job.iterations += run->rank_now[i].iterations;
    }
    progress.job.joined = run->joined_now;
    progress.job.joined_count = joined_sum(run, picture);
    for (int i = 0; i < progress.job.joined_count; i++)
        progress.job.iterations += run->joined_now[i].iterations;
    progress.job.pixels_done = (uint64_t)run->done * frame_pixels;
    progress.job.pixels = (uint64_t)run->wanted * frame_pixels;
    progress.job.share = run->wanted ? (double)run->done / (double)run->wanted : 1;
    progress.job.seconds = progress.seconds;
    progress.job.rank = run->rank_now;
    progress.job.ranks = ranks;
    run->hooks->progress(run->hooks->context, &progress);
}

static void job_tell(void *context, const struct job_progress *picture)
{
    progress_tell(context, picture);
}

static void notice_tell(void *context, const char *text)
{
    const struct film_run *run = context;
    if (run->hooks->notice)
        run->hooks->notice(run->hooks->context, text);
}

/* Adds up the work of ranks, and notes a device that failed. */
static void picture_note(struct film_run *run, const struct job_report *work)
{
    for (int i = 0; work->rank && i < world_size(renderer_world(run->renderer)); i++)
        rank_add(&run->rank[i], &work->rank[i]);
    job_joined_add(run->joined, &run->joined_count, work->joined, work->joined_count);
    if (work->rank && work->threads_lost && !*run->report->lost)
        snprintf(run->report->lost, sizeof run->report->lost,
                 "a device of rank %d (%s) failed: %.800s", work->lost_rank,
                 work->rank[work->lost_rank].host, work->lost_text);
}

/* Requests the next picture of all ranks. */
static enum status picture_ask(struct film_run *run, const struct picture *picture,
                               struct field *field, struct picture_report *report)
{
    struct picture_hooks hooks = {.progress = job_tell,
                                  .notice = notice_tell,
                                  .context = run,
                                  .look = look_give,
                                  .look_context = run,
                                  .late_light = !run->film->video.kind->numbers,
                                  .stop = run->hooks->stop,
                                  .orbit = run->shared.orbit.orbit ? &run->shared.orbit : NULL};
    struct picture one = *picture;
    int goes_on = 1;
    one.of_many = true;
    *report = (struct picture_report){.plan_s = 0};
    if (stops(run))
        return status_fail(STATUS_STOPPED, "stopped");
    TRY(world_tell(renderer_world(run->renderer), STATUS_OK, &goes_on, sizeof goes_on));
    enum status status = picture_render(run->renderer, &one, &hooks, field, report);
    run->over = status != STATUS_OK;
    if (status == STATUS_OK)
        picture_note(run, &report->job);
    return status;
}

static enum status worker_make(struct renderer *renderer, const struct film_hooks *hooks)
{
    struct picture_hooks picture_hooks = {.stop = hooks ? hooks->stop : NULL};
    renderer_devices_begin(renderer);
    for (;;) {
        int goes_on = 0;
        TRY(world_tell(renderer_world(renderer), STATUS_OK, &goes_on, sizeof goes_on));
        if (!goes_on)
            return STATUS_OK;
        TRY(picture_render(renderer, NULL, &picture_hooks, NULL, NULL));
    }
}

enum status film_decline(struct renderer *renderer, enum status status)
{
    int goes_on = 0;
    return world_tell(renderer_world(renderer), status, &goes_on, sizeof goes_on);
}

/* ---- what all frames have in common ---------------------------------------------------------- */

static enum status orbit_make(struct film_run *run)
{
    double begin_s = clock_s();
    struct reference_hooks hooks = {.progress = run->hooks->prepare,
                                    .context = run->hooks->context,
                                    .stop = run->hooks->stop,
                                    .keeps_stopped = true};
    TRY(film_orbit_make(&run->shared, run->film, &run->keys, run->renderer, &hooks));
    if (run->shared.orbit.orbit)
        run->report->reference_s += clock_s() - begin_s;
    return STATUS_OK;
}

/* Reports a small picture that was measured. */
static void measured_tell(void *context, const struct picture_report *report)
{
    struct film_run *run = context;
    if (report->job.rank) /* ranks of this process only */
        rank_add(&run->rank[0], report->job.rank);
    progress_tell(run, NULL);
}

static enum status colours_measure(struct film_run *run)
{
    struct film_colours *colours = &run->colours;
    double begin_s = clock_s();
    struct film_colours_order order = {.film = run->film,
                                       .orbit = &run->shared.orbit,
                                       .threads = renderer_info(run->renderer)->asked.threads,
                                       .stop = run->hooks->stop,
                                       .measured = measured_tell,
                                       .context = run};
    enum status status = film_colours_open(colours, &run->film->path);
    if (status == STATUS_OK)
        status = film_colours_measure(&order, colours);
    if (status == STATUS_OK)
        film_colours_settle(colours);
    run->report->colours_s += clock_s() - begin_s;
    return status;
}

static void look_settle(struct film_run *run, double time_s)
{
    struct look *look = &run->looks[run->look == &run->looks[0]];
    film_look(run->film, &run->colours, time_s, look);
    run->look = look;
}

/* ---- frames, each computed ------------------------------------------------------------------- */

static enum status light_create_for(const struct film *film, float (**light)[3])
{
    *light = malloc((size_t)film->width * (size_t)film->height * sizeof **light);
    return *light ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a frame");
}

static enum status numbers_write(const struct film_run *run, const struct picture *picture,
                                 const struct field *field, struct film_frame *frame)
{
    char path[FILM_NAME_BYTES];
    const struct film *film = run->film;
    film_frame_path(film->out, frame->number, path);
    struct sink_request sink = {.path = path,
                                .field = field,
                                .picture = picture,
                                .look = run->look,
                                .light = (const float(*)[3])frame->light,
                                .view_text = run->text,
                                .bits = film->bits,
                                .overwrite = OVERWRITE_YES,
                                .stop = run->hooks->stop};
    frame->written = true;
    return sink_write(&sink);
}

/* Puts the late frame. */
static enum status late_put(struct film_run *run)
{
    struct late_frame late = run->late;
    if (!late.average)
        return STATUS_OK;
    run->late = (struct late_frame){.average = NULL};
    enum status status = average_end(late.average, &late.frame.light);
    if (status != STATUS_OK) {
        late.frame.light = NULL;
        film_frame_destroy(&late.frame);
        return status;
    }
    return film_writer_put(run->writer, &late.frame);
}

/* Reports a frame for which rank 0 has waited since `begin_s`. */
static void frame_note(struct film_run *run, int64_t number, double begin_s,
                       const struct picture_report *report)
{
    const struct film *film = run->film;
    double log2_zoom = film_path_log2_zoom(&film->path, film_time_s(film, number));
    struct film_frame_report one = {.frame = number,
                                    .log10_zoom = log2_zoom * log10(2),
                                    .prepare_s = report->plan_s,
                                    .compute_s = report->compute_s,
                                    .waited_s = clock_s() - begin_s,
                                    .iterations = report->iterations};
    run->report->prepare_s += one.prepare_s;
    run->report->compute_s += one.waited_s;
    for (int rank = 0; report->job.rank && rank < world_size(renderer_world(run->renderer)); rank++)
        run->report->devices_s += report->job.rank[rank].busy_s;
    if (run->hooks->frame)
        run->hooks->frame(run->hooks->context, &one);
}

static void ahead_find(void *context)
{
    struct film_run *run = context;
    struct ahead *ahead = &run->ahead;
    struct picture picture = run->film->picture;
    picture.view = (struct view){.re = NULL};
    ahead->known = (struct picture_known){.nucleus = -1};
    if (film_view(run->film, ahead->frame, &picture.view) == STATUS_OK)
        ahead->known = picture_know(&picture, run->shared.orbit.orbit ? &run->shared.orbit : NULL,
                                    run->hooks->stop);
    view_destroy(&picture.view);
}

/* Takes the facts of a frame, and begins to compute those of the next one. */
static struct picture_known ahead_take(struct film_run *run, int64_t number)
{
    struct ahead *ahead = &run->ahead;
    struct picture_known known = {.nucleus = -1};
    background_wait(ahead->background, ahead->begun);
    if (ahead->frame == number)
        known = ahead->known;
    ahead->frame = number + 1 < film_scene_end(run->film) ? number + 1 : -1;
    if (ahead->frame >= 0)
        ahead->begun = background_run(ahead->background, ahead_find, run);
    return known;
}

/* Computes the light of a frame, or `average`, from which its light comes later. */
static enum status frame_compute(struct film_run *run, struct film_frame *frame,
                                 struct average **average)
{
    struct picture picture = run->film->picture;
    struct field field;
    struct picture_report report;
    double begin_s = clock_s();
    struct picture_known known = ahead_take(run, frame->number);
    picture.known = &known;
    picture.light_alone = !run->film->video.kind->numbers;
    run->shared.orbit.amplification =
        film_colours_amplification(&run->colours, film_time_s(run->film, frame->number));
    picture.view = frame->view; /* borrowed */
    enum status status = picture_ask(run, &picture, &field, &report);
    if (status == STATUS_OK && report.late_light) {
        *average = report.late_light;
        report.late_light = NULL;
    } else if (status == STATUS_OK) {
        status = film_light(&report, run->look, &field, &frame->light);
    }
    if (status == STATUS_OK && run->film->video.kind->numbers)
        status = numbers_write(run, &picture, &field, frame);
    if (status == STATUS_OK)
        frame_note(run, frame->number, begin_s, &report);
    picture_report_destroy(&report);
    return status;
}

/* ---- frames from key pictures ---------------------------------------------------------------- */

/* Slot of a key picture: those that a frame is resampled from have slots of their own. */
static struct key_picture *key_slot(struct film_run *run, int number)
{
    return &run->key[number % FILM_KEYS_WHOLE];
}

static enum status key_keep(struct film_run *run, const struct field *field, int number)
{
    struct key_picture *key = key_slot(run, number);
    if (!key->field.base || key->field.count_bytes != field->count_bytes) {
        field_destroy(&key->field);
        TRY(field_create(&key->field, field->width, field->height, field->planes,
                         field->count_bytes));
    }
    field_copy(&key->field, field);
    key->number = number;
    return STATUS_OK;
}

static enum status key_compute(struct film_run *run, int number)
{
    const struct film *film = run->film;
    const struct film_keys *keys = &run->keys;
    struct picture picture = film->picture;
    struct field field;
    struct picture_report report = {.plan_s = 0};
    double begin_s = clock_s();
    picture.samples = 1;
    picture.hole = film_key_hole(keys, number);
    picture.view = (struct view){.re = NULL};
    double rotation = keys->turns ? 0 : film_path_rotation_deg(&film->path, 0);
    enum status status =
        film_view_zoomed(&run->shared.deepest, film_key_log2_zoom(keys, number, film->height),
                         rotation, keys->width, keys->height, &picture.view);
    if (status == STATUS_OK)
        status = picture_ask(run, &picture, &field, &report);
    if (status == STATUS_OK)
        status = key_keep(run, &field, number);
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    run->report->keys++;
    run->report->compute_s += clock_s() - begin_s;
    return status;
}

/* Resamples the frame from one key picture, over the pixels that it has. */
static enum status frame_take(struct film_run *run, double time, int number, bool inner,
                              struct film_frame *frame)
{
    const struct film *film = run->film;
    const struct film_keys *keys = &run->keys;
    double turn = keys->turns ? film_path_rotation_deg(&film->path, time) * (M_PI / 180) : 0;
    turn = film->path.shape.mirrored ? -turn : turn; /* turn as seen on the screen */
    if (key_slot(run, number)->number != number)
        TRY(key_compute(run, number));
    struct film_source source = {
        .field = &key_slot(run, number)->field,
        .scale = film_key_scale(keys, number, film_path_log2_zoom(&film->path, time)),
        .cosine = cos(turn),
        .sine = sin(turn),
        .inner = inner,
        .hole = film_key_hole(keys, number),
        .light = run->room};
    double begin_s = clock_s();
    TRY(film_resample(&source, run->look, film->width, film->height, frame->light,
                      backend_cores_usable()));
    run->report->resample_s += clock_s() - begin_s;
    return STATUS_OK;
}

static enum status frame_resample(struct film_run *run, struct film_frame *frame)
{
    const struct film *film = run->film;
    double time = film_time_s(film, frame->number);
    int first = film_key_at(&run->keys, film_path_log2_zoom(&film->path, time));
    int last = film_key_last(&run->keys, first);
    TRY(light_create_for(film, &frame->light));
    for (int number = first; number <= last; number++)
        TRY(frame_take(run, time, number, number > first, frame));
    return STATUS_OK;
}

static enum status keys_open(struct film_run *run)
{
    const struct film *film = run->film;
    struct film_depth depth = film_path_depth(&film->path);
    for (int i = 0; i < FILM_KEYS_WHOLE; i++)
        run->key[i].number = -1;
    if (film->method != FILM_KEYFRAMES)
        return STATUS_OK;
    run->keys = film_keys_of(depth.low, depth.high, film->width, film->height,
                             !film_path_is_upright(&film->path));
    size_t pixels = (size_t)run->keys.width * (size_t)run->keys.height + 1;
    run->room = malloc(pixels * sizeof *run->room);
    if (run->room)
        return STATUS_OK;
    return status_fail(STATUS_OUT_OF_MEMORY,
                       "no memory for the colours of %zu pixels; choose a smaller --size, or "
                       "--method frames",
                       pixels);
}

/* ---- segments ------------------------------------------------------------------------------- */

/* Ends the segment also where its last frame has failed: those before it are whole. */
static enum status film_segment_close(struct film_run *run)
{
    run->segment_end = -1;
    enum status status = late_put(run), ended = film_writer_end(run->writer);
    return status != STATUS_OK ? status : ended;
}

static bool frame_is_there(const struct film *film, int64_t number)
{
    char path[FILM_NAME_BYTES];
    film_frame_path(film->out, number, path);
    return access(path, F_OK) == 0;
}

/* First missing frame from this one on. */
static int64_t there_until(const struct film_run *run, int64_t number)
{
    if (run->film->video.kind->frames)
        return number + (frame_is_there(run->film, number) ? 1 : 0);
    const struct film_segment *segment = film_store_at(&run->store, number);
    return segment ? segment->last + 1 : number;
}

int64_t film_cells(const struct film *film)
{
    return (film->frames + FILM_CELL_FRAMES - 1) / FILM_CELL_FRAMES;
}

int64_t film_cells_of_part(const struct film *film)
{
    int64_t pieces = film_cells(film);
    return pieces < film->part ? 0 : (pieces - film->part) / film->parts + 1;
}

static bool cell_is_ours(const struct film *film, int64_t cell)
{
    return cell % film->parts == film->part - 1;
}

static int64_t cell_end(const struct film *film, int64_t cell)
{
    int64_t end = (cell + 1) * FILM_CELL_FRAMES;
    return end < film->frames ? end : film->frames;
}

static int64_t frames_missing(const struct film_run *run)
{
    int64_t missing = 0;
    for (int64_t cell = 0; cell < film_cells(run->film); cell++)
        if (cell_is_ours(run->film, cell))
            for (int64_t n = cell * FILM_CELL_FRAMES; n < cell_end(run->film, cell);) {
                int64_t next = there_until(run, n);
                missing += next == n;
                n = next > n ? next : n + 1;
            }
    return missing;
}

/* First frame of the scene from this one on that this run has to make; -1: none. */
static int64_t missing_from(const struct film_run *run, int64_t number)
{
    const struct film *film = run->film;
    while (number < film_scene_end(film)) {
        int64_t cell = number / FILM_CELL_FRAMES, next = there_until(run, number);
        if (!cell_is_ours(film, cell))
            number = cell_end(film, cell);
        else if (next == number)
            return number;
        else
            number = next;
    }
    return -1;
}

static bool repeats(const struct film_run *run, int64_t number)
{
    return film_is_still(run->film, number) && !run->film->video.kind->numbers;
}

/* Gives idle renderers the next frames from `wanted` on, except those that repeat the frame
 * before. */
static void renderers_feed(struct film_run *run, int64_t wanted)
{
    while (film_renderers_idle(run->renderers)) {
        struct look *look = &run->looks[0];
        int64_t number = missing_from(run, run->given);
        while (number > wanted && repeats(run, number))
            number = missing_from(run, number + 1);
        if (number < 0)
            return;
        double time_s = film_time_s(run->film, number);
        film_look(run->film, &run->colours, time_s, look);
        film_renderers_begin(run->renderers, number, look,
                             film_colours_amplification(&run->colours, time_s));
        run->given = number + 1;
    }
}

/* Fetches a frame of a renderer, and begins another before this one is used. */
static enum status frame_fetch(struct film_run *run, struct film_frame *frame)
{
    struct picture_report report;
    double begin_s = clock_s();
    if (run->given <= frame->number)
        run->given = frame->number;
    renderers_feed(run, frame->number);
    TRY(film_renderers_take(run->renderers, frame->number, frame, &report));
    renderers_feed(run, frame->number);
    picture_note(run, &report.job);
    frame_note(run, frame->number, begin_s, &report);
    picture_report_destroy(&report);
    return STATUS_OK;
}

static enum status frame_here(struct film_run *run, struct film_frame *frame,
                              struct average **average)
{
    look_settle(run, film_time_s(run->film, frame->number));
    TRY(film_view(run->film, frame->number, &frame->view));
    return run->film->method == FILM_KEYFRAMES ? frame_resample(run, frame)
                                               : frame_compute(run, frame, average);
}

static size_t frame_bytes(const struct film *film)
{
    return (size_t)film->width * (size_t)film->height * sizeof(float[3]);
}

/* Repeats the frame before. */
static enum status frame_repeat(struct film_run *run, struct film_frame *frame)
{
    TRY(film_view(run->film, frame->number, &frame->view));
    TRY(light_create_for(run->film, &frame->light));
    memcpy(frame->light, run->held, frame_bytes(run->film));
    return STATUS_OK;
}

static void held_drop(struct film_run *run)
{
    free(run->held);
    run->held = NULL;
}

/* Keeps the frame's light, if the next one repeats it. */
static enum status frame_hold(struct film_run *run, struct film_frame *frame,
                              struct average **average)
{
    bool again = repeats(run, frame->number + 1);
    if (!again)
        held_drop(run);
    if (!again || run->held)
        return STATUS_OK;
    if (*average) {
        struct average *late = *average;
        *average = NULL;
        TRY(average_end(late, &frame->light));
    }
    TRY(light_create_for(run->film, &run->held));
    memcpy(run->held, frame->light, frame_bytes(run->film));
    return STATUS_OK;
}

static enum status frame_find(struct film_run *run, struct film_frame *frame,
                              struct average **average)
{
    if (run->held && repeats(run, frame->number))
        return frame_repeat(run, frame);
    held_drop(run);
    return run->renderers && run->film->method == FILM_FRAMES ? frame_fetch(run, frame)
                                                              : frame_here(run, frame, average);
}

/* Makes the text that a frame's file contains; NULL where files have none. */
static enum status text_make(struct film_run *run, int64_t number)
{
    const struct film *film = run->film;
    struct film_frame_view frame = {.film = film};
    if (!film->video.kind->frames || !film->view_text)
        return STATUS_OK;
    film_look_parts(film, &run->colours, film_time_s(film, number), &frame.look,
                    &frame.distribution);
    TRY(film_view(film, number, &frame.view));
    enum status status = film->view_text(&frame, &run->text);
    view_destroy(&frame.view);
    return status;
}

static enum status frame_make(struct film_run *run, int64_t number)
{
    struct film_frame frame = {.number = number};
    struct average *average = NULL;
    TRY(text_make(run, number));
    enum status status = frame_find(run, &frame, &average);
    frame.text = run->text;
    run->text = NULL;
    if (status == STATUS_OK)
        status = frame_hold(run, &frame, &average);
    if (status != STATUS_OK) {
        film_frame_destroy(&frame);
        return status;
    }
    if (run->segment_end < 0)
        run->segment_s = clock_s();
    run->segment_end = number + 1;
    status = late_put(run);
    if (!average)
        return film_writer_put(run->writer, &frame); /* returns an earlier failure, too */
    run->late = (struct late_frame){frame, average};
    return status;
}

/* Makes the frames of a cell that belong to the scene. */
static enum status cell_make(struct film_run *run, int64_t cell)
{
    const struct film *film = run->film;
    int64_t first = cell * FILM_CELL_FRAMES, end = cell_end(film, cell);
    first = first > film->first ? first : film->first;
    end = end < film_scene_end(film) ? end : film_scene_end(film);
    for (int64_t n = first; n < end;) {
        int64_t next = there_until(run, n);
        bool late = clock_s() - run->segment_s > SEGMENT_MOST_S;
        if (run->segment_end >= 0 && (next > n || late))
            TRY(film_segment_close(run));
        if (stops(run)) /* many frames may come from one key picture */
            return status_fail(STATUS_STOPPED, "stopped");
        if (next == n) {
            TRY(frame_make(run, n++));
            run->done++;
            progress_tell(run, NULL);
        } else {
            n = next;
        }
    }
    return run->segment_end >= 0 ? film_segment_close(run) : STATUS_OK;
}

/* Opens the renderers; uses one where others cannot be opened. */
static void renderers_open(struct film_run *run)
{
    struct film_renderers_order order = {.renderer = run->renderer,
                                         .film = run->film,
                                         .orbit = &run->shared.orbit,
                                         .stop = run->hooks->stop};
    if (run->renderers) {
        film_renderers_scene_set(run->renderers, run->film);
        return;
    }
    int count = film_renderers_count(run->renderer, run->film, run->hooks->stop);
    count = run->wanted < count ? (int)run->wanted : count;
    if (count > 1 && film_renderers_open(&run->renderers, count, &order) != STATUS_OK)
        notice_tell(run, status_text());
}

static enum status frames_make(struct film_run *run)
{
    const struct film *film = run->film;
    for (int64_t cell = film->first / FILM_CELL_FRAMES; cell < film_cells(film); cell++)
        if (cell_is_ours(film, cell))
            TRY(cell_make(run, cell));
    return film_writer_wait(run->writer);
}

/* Frees the data of a scene. */
static void scene_close(struct film_run *run)
{
    float(*late)[3];
    average_end(run->late.average, &late);
    run->late.frame.light = late;
    film_frame_destroy(&run->late.frame);
    run->late = (struct late_frame){.average = NULL};
    background_rest(run->ahead.background);
    run->ahead.frame = -1;
    held_drop(run);
    film_colours_close(&run->colours);
    film_orbit_close(&run->shared);
    for (int i = 0; i < FILM_KEYS_WHOLE; i++) {
        field_destroy(&run->key[i].field);
        run->key[i].number = -1;
    }
    free(run->room);
    run->room = NULL;
}

static enum status scene_make(struct film_run *run)
{
    if (missing_from(run, run->film->first) < 0)
        return STATUS_OK;
    renderers_open(run);
    TRY(keys_open(run));
    TRY(orbit_make(run));
    TRY(colours_measure(run));
    if (!run->done)
        run->begin_s = clock_s();
    return frames_make(run);
}

static enum status scenes_make(struct film_run *run)
{
    const struct film *first = run->film;
    renderer_devices_begin(run->renderer);
    for (; run->film; run->film = run->film->next) {
        enum status status = scene_make(run);
        if (status != STATUS_OK)
            return status;
        scene_close(run);
    }
    run->film = first;
    return STATUS_OK;
}

/* Saves, after a failure or a stop, the finished frames of a segment as a segment. */
static void film_segment_save(struct film_run *run)
{
    enum status status;
    char why[STATUS_TEXT_BYTES];
    snprintf(why, sizeof why, "%s", status_text());
    status = film_segment_close(run);
    if (status == STATUS_OK)
        status = film_writer_wait(run->writer);
    if (status != STATUS_OK && strcmp(why, status_text()) != 0)
        notice_tell(run, status_text());
    status_fail(STATUS_STOPPED, "%s", why); /* whatever closing returned */
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Number of the film's frames that are made. */
static int64_t frames_there(const struct film_run *run)
{
    int64_t there = 0;
    for (int64_t n = 0; n < run->film->frames;) {
        int64_t next = there_until(run, n);
        there += next - n;
        n = next > n ? next : n + 1;
    }
    return there;
}

/* Calls the hook `final`: the results are about to be published. */
static void final_say(const struct film_run *run)
{
    if (run->hooks->final)
        run->hooks->final(run->hooks->context);
}

/* Ends a film that has its name: calls the hook `placed`, then removes the folder. */
static enum status placed_end(struct film_run *run)
{
    if (run->hooks->placed)
        TRY(run->hooks->placed(run->hooks->placed_context));
    film_store_remove(&run->store);
    return STATUS_OK;
}

/* Joins the frames, all of which are made, to one file with the film's name. */
static enum status film_complete(struct film_run *run)
{
    const struct film_file whole = film_store_whole(&run->store);
    enum status status = run->store.offsets.frame_bytes
                             ? STATUS_OK
                             : film_segments_join(run->film, &run->store, &whole);
    final_say(run);
    TRY(status);
    TRY(film_place(run->film, &whole));
    return placed_end(run);
}

static enum status film_finish(struct film_run *run)
{
    struct film_report *report = run->report;
    const struct film *film = run->film;
    struct film_writer_times times = film_writer_times(run->writer);
    double begin_s = clock_s();
    report->writer = (struct film_writer_figures){times.busy_s, times.waited_s, times.dimmed};
    report->frames = run->done;
    TRY(film_store_scan(&run->store));
    TRY(film_measures_report(film, &run->store, report));
    report->there = frames_there(run);
    if (report->there < film->frames && film->parts == 1) {
        report->kept = true;
        return status_fail(STATUS_IO, "%lld of %lld frames cannot be read back",
                           (long long)(film->frames - report->there), (long long)film->frames);
    }
    if (film->parts == 1) {
        if (film->video.kind->frames)
            final_say(run);
        else
            TRY(film_complete(run));
        report->joined = true;
    }
    report->whole = true;
    report->join_s = clock_s() - begin_s;
    return STATUS_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Removes frames that exist although nothing is known of their film: they are not of this one. */
static enum status frames_clear(const struct film_run *run)
{
    const struct film *film = run->film;
    char path[FILM_NAME_BYTES];
    if (!film->video.kind->frames || !run->store.fresh)
        return STATUS_OK;
    for (int64_t n = 0; n < film->frames; n++) {
        if (!frame_is_there(film, n))
            continue;
        film_frame_path(film->out, n, path);
        if (film->overwrite == OVERWRITE_NO)
            return status_fail(STATUS_CANNOT_CREATE, "%s exists; --force replaces it", path);
        if (folder_path_remove(path) != 0)
            return status_fail(STATUS_CANNOT_CREATE, "%s: %s", path, strerror(errno));
    }
    return STATUS_OK;
}

static bool is_placed(const struct film *film)
{
    char folder[FILM_PATH_BYTES];
    const struct film_kind *kind = film->video.kind;
    return !kind->frames && run_film_folder(folder, film->out, false) == STATUS_OK &&
           film_store_is_placed(folder, kind->suffix, film->out);
}

/* Is light kept? Limiting flashes needs all frames before, as they were shown. */
static bool is_kept(struct film_run *run)
{
    const struct film *film = run->film;
    if (!film->limits_flashes || !run->store.count || frames_missing(run) == 0 || is_placed(film) ||
        film_store_past(&run->store, (size_t)film->width * (size_t)film->height))
        return true;
    notice_tell(run, "begins anew: with --flash-safe the light of a frame follows from those "
                     "before it, of which some are damaged");
    return false;
}

/* Opens the folder of this film; removes the content of another film, or of a finished one, if that
 * may be replaced. */
static enum status store_open(struct film_run *run)
{
    const struct film *film = run->film;
    const struct film_kind *kind = film->video.kind;
    struct film_store *store = &run->store;
    char folder[FILM_PATH_BYTES];
    struct film_store_order order = {.folder = folder,
                                     .suffix = kind->frames ? "" : kind->suffix,
                                     .offsets = film_video_offsets(&film->video),
                                     .frames = film->frames,
                                     .identity = film->identity,
                                     .command = film->command,
                                     .command_bytes = film->command_bytes,
                                     .overwrite = film->overwrite,
                                     .stop = run->hooks->stop};
    TRY(run_film_folder(folder, film->out, kind->frames));
    TRY(film_store_open(store, &order));
    bool finished = kind->frames && !store->fresh && frames_missing(run) == 0;
    if ((finished && film->overwrite == OVERWRITE_YES && film->parts == 1) || !is_kept(run))
        TRY(film_store_empty(store));
    enum status status = frames_clear(run);
    if (status == STATUS_OK)
        status = film_store_begin(store, &order);
    run->report->kept = status == STATUS_OK;
    if (status != STATUS_OK && store->fresh)
        film_store_remove(store);
    return status;
}

static void left_tell(struct film_run *run)
{
    char text[FILM_PATH_BYTES + 100];
    int64_t there = frames_there(run);
    if (!there || !run->wanted)
        return;
    snprintf(text, sizeof text, "goes on from %s: %lld of %lld frames are there", run->store.folder,
             (long long)there, (long long)run->film->frames);
    notice_tell(run, text);
}

static enum status film_run_open(struct film_run *run)
{
    const struct film *film = run->film;
    TRY(store_open(run));
    run->wanted = frames_missing(run);
    left_tell(run);
    struct film_writer_order order = {
        .video = film->video,
        .path = film->out,
        .store = &run->store,
        .threads = film_writer_threads(renderer_info(run->renderer)->facts.gpus > 0),
        .under_way = film_under_way(film, &renderer_info(run->renderer)->facts),
        .limits_flashes = film->limits_flashes,
        .bits = film->bits};
    TRY(film_writer_open(&run->writer, &order));
    TRY(background_open(&run->ahead.background));
    if (film->limits_flashes && run->wanted)
        return film_writer_past(run->writer);
    return STATUS_OK;
}

/* Finishes a run that was killed after its film got its name and before its folder was removed. */
static enum status placed_finish(struct film_run *run)
{
    TRY(store_open(run));
    run->report->there = run->film->frames;
    final_say(run);
    TRY(placed_end(run));
    run->report->joined = run->report->whole = true;
    return STATUS_OK;
}

static enum status root_make(struct film_run *run)
{
    if (run->film->overwrite == OVERWRITE_NO && is_placed(run->film))
        return placed_finish(run);
    TRY(film_run_open(run));
    enum status status = run->wanted ? scenes_make(run) : STATUS_OK;
    if (status != STATUS_OK) {
        film_segment_save(run);
        return status;
    }
    return film_finish(run);
}

static void film_run_close(struct film_run *run)
{
    film_renderers_close(run->renderers);
    scene_close(run);
    background_close(run->ahead.background);
    film_writer_close(run->writer);
    film_store_close(&run->store);
    free(run->rank);
    free(run->rank_now);
}

enum status film_make(struct renderer *renderer, const struct film *film,
                      const struct film_hooks *hooks, struct film_report *report)
{
    if (world_rank(renderer_world(renderer)) != 0)
        return worker_make(renderer, hooks);
    struct film_run run = {.renderer = renderer,
                           .film = film,
                           .hooks = hooks,
                           .report = report,
                           .begin_s = clock_s(),
                           .ahead = {.frame = -1},
                           .segment_end = -1};
    double begin_s = run.begin_s;
    *report = (struct film_report){.frames = 0};
    size_t ranks = (size_t)world_size(renderer_world(renderer));
    run.rank = calloc(ranks, sizeof *run.rank);
    run.rank_now = calloc(ranks, sizeof *run.rank_now);
    enum status status = run.rank && run.rank_now
                             ? root_make(&run)
                             : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a film");
    if (!run.over) /* the other ranks wait for the next picture */
        status = film_decline(renderer, status);
    film_run_close(&run);
    report->total_s = clock_s() - begin_s;
    return status;
}

enum status film_check(const struct film *film)
{
    const struct film_kind *kind = film->video.kind;
    if (film->overwrite == OVERWRITE_NO && !kind->frames && access(film->out, F_OK) == 0 &&
        !is_placed(film))
        return status_fail(STATUS_CANNOT_CREATE, "%s exists; --force replaces it", film->out);
    return film_video_check(&film->video);
}
