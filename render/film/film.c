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

#define STRETCH_MOST_S 60.0 /* what a kill may cost, beside a frame */

struct making { /* on rank 0 */
    struct renderer *renderer;
    const struct film *film; /* the scene that is being made */
    const struct film_hooks *hooks;
    struct film_report *report;
    double begin_s;
    bool over; /* the other ranks know of the failure, and have gone */
    struct film_orbit shared;
    struct film_colours colours;
    struct look looks[2];    /* of frames in turn */
    const struct look *look; /* of the frame or picture that is being made */
    struct film_store store;
    struct film_writer *writer;
    struct late_frame { /* the last samples of which are being added */
        struct film_frame frame;
        struct average *average; /* NULL: there is none */
    } late;
    struct ahead { /* what is found while the frame before is computed */
        struct background *background;
        uint64_t begun; /* its number there, */
        int64_t frame;  /* and the frame's; -1: there is none */
        struct picture_known known;
    } ahead;
    struct film_renderers *renderers; /* NULL: frames are computed one after the other */
    int64_t given;                    /* the frame behind the last one that they got */
    float (*held)[3];                 /* light of the frame before, which is repeated; NULL: none */
    struct film_keys keys;
    struct key_picture { /* that frames are taken from, ... */
        struct field field;
        int number; /* -1: none */
    } key[FILM_KEYS_WHOLE];
    float (*room)[3]; /* ... and room for the colours of one */
    char *text;       /* of the frame that is being made; NULL: its file has none */
    int64_t wanted, done;
    struct job_rank *rank, *rank_now; /* of all pictures, and with the one in work; [ranks] */
    int64_t stretch_end; /* the frame behind the last one put; -1: there is no stretch */
    double stretch_s;    /* when it began */
};

static bool stops(const struct making *making)
{
    return stop_asked(making->hooks->stop);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static enum status look_give(void *context, const struct field *field, const struct look **look)
{
    struct making *making = context;
    (void)field;
    *look = making->look;
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

/* `job`: of the picture in work; NULL: there is none. */
static void progress_tell(const struct making *making, const struct job_progress *job)
{
    const struct film *film = making->film;
    int ranks = world_size(renderer_world(making->renderer));
    uint64_t frame_pixels = (uint64_t)film->width * (uint64_t)film->height;
    struct film_progress progress = {
        .done = making->done, .frames = making->wanted, .seconds = clock_s() - making->begin_s};
    if (!making->hooks->progress)
        return;
    for (int i = 0; i < ranks; i++) {
        making->rank_now[i] = making->rank[i];
        if (job && job->rank_before)
            rank_add(&making->rank_now[i], &job->rank_before[i]);
        if (job && job->rank && i < job->ranks) /* fewer when rank 0 goes on alone */
            rank_add(&making->rank_now[i], &job->rank[i]);
        progress.job.iterations += making->rank_now[i].iterations;
    }
    progress.job.pixels_done = (uint64_t)making->done * frame_pixels;
    progress.job.pixels = (uint64_t)making->wanted * frame_pixels;
    progress.job.share = making->wanted ? (double)making->done / (double)making->wanted : 1;
    progress.job.seconds = progress.seconds;
    progress.job.rank = making->rank_now;
    progress.job.ranks = ranks;
    making->hooks->progress(making->hooks->context, &progress);
}

static void job_tell(void *context, const struct job_progress *job)
{
    progress_tell(context, job);
}

static void notice_tell(void *context, const char *text)
{
    const struct making *making = context;
    if (making->hooks->notice)
        making->hooks->notice(making->hooks->context, text);
}

/* What ranks have done, and a device that failed. */
static void picture_note(struct making *making, const struct job_report *job)
{
    for (int i = 0; job->rank && i < world_size(renderer_world(making->renderer)); i++)
        rank_add(&making->rank[i], &job->rank[i]);
    if (job->rank && job->threads_lost && !*making->report->lost)
        snprintf(making->report->lost, sizeof making->report->lost,
                 "a device of rank %d (%s) failed: %.800s", job->lost_rank,
                 job->rank[job->lost_rank].host, job->lost_text);
}

/* The next picture, of all ranks. */
static enum status picture_ask(struct making *making, const struct picture *picture,
                               struct field *field, struct picture_report *report)
{
    struct picture_hooks hooks = {.progress = job_tell,
                                  .notice = notice_tell,
                                  .context = making,
                                  .look = look_give,
                                  .look_context = making,
                                  .late_light = !making->film->video.kind->numbers,
                                  .stop = making->hooks->stop,
                                  .orbit =
                                      making->shared.orbit.orbit ? &making->shared.orbit : NULL};
    struct picture one = *picture;
    int goes_on = 1;
    one.of_many = true;
    *report = (struct picture_report){.plan_s = 0};
    if (stops(making))
        return status_fail(STATUS_STOPPED, "stopped");
    TRY(world_tell(renderer_world(making->renderer), STATUS_OK, &goes_on, sizeof goes_on));
    enum status status = picture_render(making->renderer, &one, &hooks, field, report);
    making->over = status != STATUS_OK;
    if (status == STATUS_OK)
        picture_note(making, &report->job);
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

static enum status orbit_make(struct making *making)
{
    double begin_s = clock_s();
    struct reference_hooks hooks = {.progress = making->hooks->prepare,
                                    .context = making->hooks->context,
                                    .stop = making->hooks->stop,
                                    .keeps_stopped = true};
    TRY(film_orbit_make(&making->shared, making->film, &making->keys, making->renderer, &hooks));
    if (making->shared.orbit.orbit)
        making->report->reference_s += clock_s() - begin_s;
    return STATUS_OK;
}

/* Of a small picture. */
static void measured_tell(void *context, const struct picture_report *report)
{
    struct making *making = context;
    if (report->job.rank) /* of this process alone */
        rank_add(&making->rank[0], report->job.rank);
    progress_tell(making, NULL);
}

static enum status colours_measure(struct making *making)
{
    struct film_colours *colours = &making->colours;
    double begin_s = clock_s();
    struct film_colours_order order = {.film = making->film,
                                       .orbit = &making->shared.orbit,
                                       .threads = renderer_info(making->renderer)->asked.threads,
                                       .stop = making->hooks->stop,
                                       .measured = measured_tell,
                                       .context = making};
    enum status status = film_colours_open(colours, &making->film->path);
    if (status == STATUS_OK)
        status = film_colours_measure(&order, colours);
    if (status == STATUS_OK)
        film_colours_settle(colours);
    making->report->colours_s += clock_s() - begin_s;
    return status;
}

static void look_settle(struct making *making, double time_s)
{
    struct look *look = &making->looks[making->look == &making->looks[0]];
    film_look(making->film, &making->colours, time_s, look);
    making->look = look;
}

/* ---- frames, each computed ------------------------------------------------------------------- */

static enum status light_create_for(const struct film *film, float (**light)[3])
{
    *light = malloc((size_t)film->width * (size_t)film->height * sizeof **light);
    return *light ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a frame");
}

static enum status numbers_write(const struct making *making, const struct picture *picture,
                                 const struct field *field, struct film_frame *frame)
{
    char path[FILM_NAME_BYTES];
    const struct film *film = making->film;
    film_frame_path(film->out, frame->number, path);
    struct sink_request sink = {.path = path,
                                .field = field,
                                .picture = picture,
                                .look = making->look,
                                .light = (const float(*)[3])frame->light,
                                .view_text = making->text,
                                .bits = film->bits,
                                .overwrite = OVERWRITE_YES,
                                .stop = making->hooks->stop};
    frame->written = true;
    return sink_write(&sink);
}

/* Hands over the frame before. */
static enum status late_put(struct making *making)
{
    struct late_frame late = making->late;
    if (!late.average)
        return STATUS_OK;
    making->late = (struct late_frame){.average = NULL};
    enum status status = average_end(late.average, &late.frame.light);
    if (status != STATUS_OK) {
        late.frame.light = NULL;
        film_frame_destroy(&late.frame);
        return status;
    }
    return film_writer_put(making->writer, &late.frame);
}

/* Of a frame, for which one has waited since then. */
static void frame_note(struct making *making, int64_t number, double begin_s,
                       const struct picture_report *report)
{
    const struct film *film = making->film;
    double log2_zoom = film_path_log2_zoom(&film->path, film_time_s(film, number));
    struct film_frame_report one = {.frame = number,
                                    .log10_zoom = log2_zoom * log10(2),
                                    .prepare_s = report->plan_s,
                                    .compute_s = report->compute_s,
                                    .waited_s = clock_s() - begin_s,
                                    .iterations = report->iterations};
    making->report->prepare_s += one.prepare_s;
    making->report->compute_s += one.waited_s;
    for (int rank = 0; report->job.rank && rank < world_size(renderer_world(making->renderer));
         rank++)
        making->report->devices_s += report->job.rank[rank].busy_s;
    if (making->hooks->frame)
        making->hooks->frame(making->hooks->context, &one);
}

static void ahead_find(void *context)
{
    struct making *making = context;
    struct ahead *ahead = &making->ahead;
    struct picture picture = making->film->picture;
    picture.view = (struct view){.re = NULL};
    ahead->known = (struct picture_known){.nucleus = -1};
    if (film_view(making->film, ahead->frame, &picture.view) == STATUS_OK)
        ahead->known =
            picture_know(&picture, making->shared.orbit.orbit ? &making->shared.orbit : NULL,
                         making->hooks->stop);
    view_destroy(&picture.view);
}

/* What is known of a frame; and begins to find it for the next one. */
static struct picture_known ahead_take(struct making *making, int64_t number)
{
    struct ahead *ahead = &making->ahead;
    struct picture_known known = {.nucleus = -1};
    background_wait(ahead->background, ahead->begun);
    if (ahead->frame == number)
        known = ahead->known;
    ahead->frame = number + 1 < film_scene_end(making->film) ? number + 1 : -1;
    if (ahead->frame >= 0)
        ahead->begun = background_run(ahead->background, ahead_find, making);
    return known;
}

/* Its light, or `average`, from which light comes later. */
static enum status frame_compute(struct making *making, struct film_frame *frame,
                                 struct average **average)
{
    struct picture picture = making->film->picture;
    struct field field;
    struct picture_report report;
    double begin_s = clock_s();
    struct picture_known known = ahead_take(making, frame->number);
    picture.known = &known;
    picture.light_alone = !making->film->video.kind->numbers;
    making->shared.orbit.amplification =
        film_colours_amplification(&making->colours, film_time_s(making->film, frame->number));
    picture.view = frame->view; /* borrowed */
    enum status status = picture_ask(making, &picture, &field, &report);
    if (status == STATUS_OK && report.late_light) {
        *average = report.late_light;
        report.late_light = NULL;
    } else if (status == STATUS_OK) {
        status = film_light(&report, making->look, &field, &frame->light);
    }
    if (status == STATUS_OK && making->film->video.kind->numbers)
        status = numbers_write(making, &picture, &field, frame);
    if (status == STATUS_OK)
        frame_note(making, frame->number, begin_s, &report);
    picture_report_destroy(&report);
    return status;
}

/* ---- frames from key pictures ---------------------------------------------------------------- */

/* Those that a frame is taken from have room beside each other. */
static struct key_picture *key_slot(struct making *making, int number)
{
    return &making->key[number % FILM_KEYS_WHOLE];
}

static enum status key_keep(struct making *making, const struct field *field, int number)
{
    struct key_picture *key = key_slot(making, number);
    if (!key->field.base || key->field.count_bytes != field->count_bytes) {
        field_destroy(&key->field);
        TRY(field_create(&key->field, field->width, field->height, field->planes,
                         field->count_bytes));
    }
    field_copy(&key->field, field);
    key->number = number;
    return STATUS_OK;
}

static enum status key_compute(struct making *making, int number)
{
    const struct film *film = making->film;
    const struct film_keys *keys = &making->keys;
    struct picture picture = film->picture;
    struct field field;
    struct picture_report report = {.plan_s = 0};
    double begin_s = clock_s();
    picture.samples = 1;
    picture.hole = film_key_hole(keys, number);
    picture.view = (struct view){.re = NULL};
    double rotation = keys->turns ? 0 : film_path_rotation_deg(&film->path, 0);
    enum status status =
        film_view_zoomed(&making->shared.deepest, film_key_log2_zoom(keys, number, film->height),
                         rotation, keys->width, keys->height, &picture.view);
    if (status == STATUS_OK)
        status = picture_ask(making, &picture, &field, &report);
    if (status == STATUS_OK)
        status = key_keep(making, &field, number);
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    making->report->keys++;
    making->report->compute_s += clock_s() - begin_s;
    return status;
}

/* From one key picture, over what the frame has. */
static enum status frame_take(struct making *making, double time, int number, bool inner,
                              struct film_frame *frame)
{
    const struct film *film = making->film;
    const struct film_keys *keys = &making->keys;
    double turn = keys->turns ? film_path_rotation_deg(&film->path, time) * (M_PI / 180) : 0;
    turn = film->path.shape.mirrored ? -turn : turn; /* for the eye */
    if (key_slot(making, number)->number != number)
        TRY(key_compute(making, number));
    struct film_source source = {
        .field = &key_slot(making, number)->field,
        .scale = film_key_scale(keys, number, film_path_log2_zoom(&film->path, time)),
        .cosine = cos(turn),
        .sine = sin(turn),
        .inner = inner,
        .hole = film_key_hole(keys, number),
        .light = making->room};
    double begin_s = clock_s();
    TRY(film_resample(&source, making->look, film->width, film->height, frame->light,
                      backend_cores_usable()));
    making->report->resample_s += clock_s() - begin_s;
    return STATUS_OK;
}

static enum status frame_resample(struct making *making, struct film_frame *frame)
{
    const struct film *film = making->film;
    double time = film_time_s(film, frame->number);
    int first = film_key_at(&making->keys, film_path_log2_zoom(&film->path, time));
    int last = film_key_last(&making->keys, first);
    TRY(light_create_for(film, &frame->light));
    for (int number = first; number <= last; number++)
        TRY(frame_take(making, time, number, number > first, frame));
    return STATUS_OK;
}

static enum status keys_open(struct making *making)
{
    const struct film *film = making->film;
    struct film_depth depth = film_path_depth(&film->path);
    for (int i = 0; i < FILM_KEYS_WHOLE; i++)
        making->key[i].number = -1;
    if (film->method != FILM_KEYFRAMES)
        return STATUS_OK;
    making->keys = film_keys_of(depth.low, depth.high, film->width, film->height,
                                !film_path_is_upright(&film->path));
    size_t pixels = (size_t)making->keys.width * (size_t)making->keys.height + 1;
    making->room = malloc(pixels * sizeof *making->room);
    if (making->room)
        return STATUS_OK;
    return status_fail(STATUS_OUT_OF_MEMORY,
                       "no memory for the colours of %zu pixels; choose a smaller --size, or "
                       "--method frames",
                       pixels);
}

/* ---- stretches ------------------------------------------------------------------------------- */

static enum status stretch_close(struct making *making)
{
    making->stretch_end = -1;
    TRY(late_put(making));
    return film_writer_end(making->writer);
}

static bool frame_is_there(const struct film *film, int64_t number)
{
    char path[FILM_NAME_BYTES];
    film_frame_path(film->out, number, path);
    return access(path, F_OK) == 0;
}

/* The frame behind what is there from this one on; the same, if it is missing. */
static int64_t there_until(const struct making *making, int64_t number)
{
    if (making->film->video.kind->frames)
        return number + (frame_is_there(making->film, number) ? 1 : 0);
    const struct film_stretch *stretch = film_store_at(&making->store, number);
    return stretch ? stretch->last + 1 : number;
}

int64_t film_pieces(const struct film *film)
{
    return (film->frames + FILM_CELL_FRAMES - 1) / FILM_CELL_FRAMES;
}

int64_t film_pieces_of_part(const struct film *film)
{
    int64_t pieces = film_pieces(film);
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

static int64_t frames_missing(const struct making *making)
{
    int64_t missing = 0;
    for (int64_t cell = 0; cell < film_pieces(making->film); cell++)
        if (cell_is_ours(making->film, cell))
            for (int64_t n = cell * FILM_CELL_FRAMES; n < cell_end(making->film, cell);) {
                int64_t next = there_until(making, n);
                missing += next == n;
                n = next > n ? next : n + 1;
            }
    return missing;
}

/* The first frame of the scene from this one on that is ours to make; -1: there is none. */
static int64_t missing_from(const struct making *making, int64_t number)
{
    const struct film *film = making->film;
    while (number < film_scene_end(film)) {
        int64_t cell = number / FILM_CELL_FRAMES, next = there_until(making, number);
        if (!cell_is_ours(film, cell))
            number = cell_end(film, cell);
        else if (next == number)
            return number;
        else
            number = next;
    }
    return -1;
}

static bool repeats(const struct making *making, int64_t number)
{
    return film_is_still(making->film, number) && !making->film->video.kind->numbers;
}

/* Gives those that are idle the next frames from `wanted` on, but for those that repeat it. */
static void renderers_feed(struct making *making, int64_t wanted)
{
    while (film_renderers_idle(making->renderers)) {
        struct look *look = &making->looks[0];
        int64_t number = missing_from(making, making->given);
        while (number > wanted && repeats(making, number))
            number = missing_from(making, number + 1);
        if (number < 0)
            return;
        double time_s = film_time_s(making->film, number);
        film_look(making->film, &making->colours, time_s, look);
        film_renderers_begin(making->renderers, number, look,
                             film_colours_amplification(&making->colours, time_s));
        making->given = number + 1;
    }
}

/* A frame of one of them, where another is begun before this one is used. */
static enum status frame_fetch(struct making *making, struct film_frame *frame)
{
    struct picture_report report;
    double begin_s = clock_s();
    if (making->given <= frame->number)
        making->given = frame->number;
    renderers_feed(making, frame->number);
    TRY(film_renderers_take(making->renderers, frame->number, frame, &report));
    renderers_feed(making, frame->number);
    picture_note(making, &report.job);
    frame_note(making, frame->number, begin_s, &report);
    picture_report_destroy(&report);
    return STATUS_OK;
}

static enum status frame_here(struct making *making, struct film_frame *frame,
                              struct average **average)
{
    look_settle(making, film_time_s(making->film, frame->number));
    TRY(film_view(making->film, frame->number, &frame->view));
    return making->film->method == FILM_KEYFRAMES ? frame_resample(making, frame)
                                                  : frame_compute(making, frame, average);
}

static size_t frame_bytes(const struct film *film)
{
    return (size_t)film->width * (size_t)film->height * sizeof(float[3]);
}

/* The frame before once more. */
static enum status frame_repeat(struct making *making, struct film_frame *frame)
{
    TRY(film_view(making->film, frame->number, &frame->view));
    TRY(light_create_for(making->film, &frame->light));
    memcpy(frame->light, making->held, frame_bytes(making->film));
    return STATUS_OK;
}

static void held_drop(struct making *making)
{
    free(making->held);
    making->held = NULL;
}

/* Keeps the frame's light, if the next one repeats it. */
static enum status frame_hold(struct making *making, struct film_frame *frame,
                              struct average **average)
{
    bool again = repeats(making, frame->number + 1);
    if (!again)
        held_drop(making);
    if (!again || making->held)
        return STATUS_OK;
    if (*average) {
        struct average *late = *average;
        *average = NULL;
        TRY(average_end(late, &frame->light));
    }
    TRY(light_create_for(making->film, &making->held));
    memcpy(making->held, frame->light, frame_bytes(making->film));
    return STATUS_OK;
}

static enum status frame_find(struct making *making, struct film_frame *frame,
                              struct average **average)
{
    if (making->held && repeats(making, frame->number))
        return frame_repeat(making, frame);
    held_drop(making);
    return making->renderers && making->film->method == FILM_FRAMES
               ? frame_fetch(making, frame)
               : frame_here(making, frame, average);
}

/* What the file of a frame has inside; NULL where none has. */
static enum status text_make(struct making *making, int64_t number)
{
    const struct film *film = making->film;
    struct film_frame_place place = {.film = film};
    if (!film->video.kind->frames || !film->view_text)
        return STATUS_OK;
    film_look_parts(film, &making->colours, film_time_s(film, number), &place.look,
                    &place.distribution);
    TRY(film_view(film, number, &place.view));
    enum status status = film->view_text(&place, &making->text);
    view_destroy(&place.view);
    return status;
}

static enum status frame_make(struct making *making, int64_t number)
{
    struct film_frame frame = {.number = number};
    struct average *average = NULL;
    TRY(text_make(making, number));
    enum status status = frame_find(making, &frame, &average);
    frame.text = making->text;
    making->text = NULL;
    if (status == STATUS_OK)
        status = frame_hold(making, &frame, &average);
    if (status != STATUS_OK) {
        film_frame_destroy(&frame);
        return status;
    }
    if (making->stretch_end < 0)
        making->stretch_s = clock_s();
    making->stretch_end = number + 1;
    status = late_put(making);
    if (!average)
        return film_writer_put(making->writer, &frame); /* which knows of an earlier failure */
    making->late = (struct late_frame){frame, average};
    return status;
}

/* What the scene has of it. */
static enum status cell_make(struct making *making, int64_t cell)
{
    const struct film *film = making->film;
    int64_t first = cell * FILM_CELL_FRAMES, end = cell_end(film, cell);
    first = first > film->first ? first : film->first;
    end = end < film_scene_end(film) ? end : film_scene_end(film);
    for (int64_t n = first; n < end;) {
        int64_t next = there_until(making, n);
        bool late = clock_s() - making->stretch_s > STRETCH_MOST_S;
        if (making->stretch_end >= 0 && (next > n || late))
            TRY(stretch_close(making));
        if (stops(making)) /* many frames may come from one key picture */
            return status_fail(STATUS_STOPPED, "stopped");
        if (next == n) {
            TRY(frame_make(making, n++));
            making->done++;
            progress_tell(making, NULL);
        } else {
            n = next;
        }
    }
    return making->stretch_end >= 0 ? stretch_close(making) : STATUS_OK;
}

/* One does where others cannot be had. */
static void renderers_open(struct making *making)
{
    struct film_renderers_order order = {.renderer = making->renderer,
                                         .film = making->film,
                                         .orbit = &making->shared.orbit,
                                         .stop = making->hooks->stop};
    if (making->renderers) {
        film_renderers_turn(making->renderers, making->film);
        return;
    }
    int count = film_renderers_count(making->renderer, making->film, making->hooks->stop);
    count = making->wanted < count ? (int)making->wanted : count;
    if (count > 1 && film_renderers_open(&making->renderers, count, &order) != STATUS_OK)
        notice_tell(making, status_text());
}

static enum status frames_make(struct making *making)
{
    const struct film *film = making->film;
    for (int64_t cell = film->first / FILM_CELL_FRAMES; cell < film_pieces(film); cell++)
        if (cell_is_ours(film, cell))
            TRY(cell_make(making, cell));
    return film_writer_wait(making->writer);
}

/* What a scene has beside its frames. */
static void scene_close(struct making *making)
{
    float(*late)[3];
    average_end(making->late.average, &late);
    making->late.frame.light = late;
    film_frame_destroy(&making->late.frame);
    making->late = (struct late_frame){.average = NULL};
    background_rest(making->ahead.background);
    making->ahead.frame = -1;
    held_drop(making);
    film_colours_close(&making->colours);
    film_orbit_close(&making->shared);
    for (int i = 0; i < FILM_KEYS_WHOLE; i++) {
        field_destroy(&making->key[i].field);
        making->key[i].number = -1;
    }
    free(making->room);
    making->room = NULL;
}

static enum status scene_make(struct making *making)
{
    if (missing_from(making, making->film->first) < 0)
        return STATUS_OK;
    renderers_open(making);
    TRY(keys_open(making));
    TRY(orbit_make(making));
    TRY(colours_measure(making));
    if (!making->done)
        making->begin_s = clock_s();
    return frames_make(making);
}

static enum status scenes_make(struct making *making)
{
    const struct film *first = making->film;
    renderer_devices_begin(making->renderer);
    for (; making->film; making->film = making->film->next) {
        enum status status = scene_make(making);
        if (status != STATUS_OK)
            return status;
        scene_close(making);
    }
    making->film = first;
    return STATUS_OK;
}

/* After a failure or a stop: what is done of a stretch becomes one. */
static void stretch_save(struct making *making)
{
    enum status status;
    char why[STATUS_TEXT_BYTES];
    snprintf(why, sizeof why, "%s", status_text());
    status = stretch_close(making);
    if (status == STATUS_OK)
        status = film_writer_wait(making->writer);
    if (status != STATUS_OK && strcmp(why, status_text()) != 0)
        notice_tell(making, status_text());
    status_fail(STATUS_STOPPED, "%s", why); /* whatever it was */
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Of the frames of the film, those that are there. */
static int64_t frames_there(const struct making *making)
{
    int64_t there = 0;
    for (int64_t n = 0; n < making->film->frames;) {
        int64_t next = there_until(making, n);
        there += next - n;
        n = next > n ? next : n + 1;
    }
    return there;
}

/* Results leave: the work cannot be done a second time. */
static void final_say(const struct making *making)
{
    if (making->hooks->final)
        making->hooks->final(making->hooks->context);
}

/* What belongs to a film that has its name, then no folder. */
static enum status placed_end(struct making *making)
{
    if (making->hooks->placed)
        TRY(making->hooks->placed(making->hooks->placed_context));
    film_store_remove(&making->store);
    return STATUS_OK;
}

/* All its frames are there: they become one file with its name. */
static enum status film_complete(struct making *making)
{
    const struct film_file whole = film_store_whole(&making->store);
    enum status status = making->store.places.frame_bytes
                             ? STATUS_OK
                             : film_stretches_join(making->film, &making->store, &whole);
    final_say(making);
    TRY(status);
    TRY(film_place(making->film, &whole));
    return placed_end(making);
}

static enum status film_finish(struct making *making)
{
    struct film_report *report = making->report;
    const struct film *film = making->film;
    struct film_writer_times times = film_writer_times(making->writer);
    double begin_s = clock_s();
    report->writer = (struct film_writer_figures){times.busy_s, times.waited_s, times.dimmed};
    report->frames = making->done;
    TRY(film_store_scan(&making->store));
    TRY(film_measures_report(film, &making->store, report));
    report->there = frames_there(making);
    if (report->there < film->frames && film->parts == 1) {
        report->kept = true;
        return status_fail(STATUS_IO, "%lld of %lld frames cannot be read back",
                           (long long)(film->frames - report->there), (long long)film->frames);
    }
    if (film->parts == 1) {
        if (film->video.kind->frames)
            final_say(making);
        else
            TRY(film_complete(making));
        report->joined = true;
    }
    report->whole = true;
    report->join_s = clock_s() - begin_s;
    return STATUS_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Frames that are there although nothing is known of their film are not of this one. */
static enum status frames_clear(const struct making *making)
{
    const struct film *film = making->film;
    char path[FILM_NAME_BYTES];
    if (!film->video.kind->frames || !making->store.fresh)
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
    return !kind->frames && film_store_folder(folder, film->out, false) == STATUS_OK &&
           film_store_is_placed(folder, kind->suffix, film->out);
}

/* Limited light follows from all frames before, as they were shown. */
static bool is_kept(struct making *making)
{
    const struct film *film = making->film;
    if (!film->limits_flashes || !making->store.count || frames_missing(making) == 0 ||
        is_placed(film) ||
        film_store_past(&making->store, (size_t)film->width * (size_t)film->height))
        return true;
    notice_tell(making, "begins anew: with --flash-safe the light of a frame follows from those "
                        "before it, of which some are damaged");
    return false;
}

/* The folder of this film; what is in it of another one, or of one that was finished, goes if it
 * may be replaced. */
static enum status store_open(struct making *making)
{
    const struct film *film = making->film;
    const struct film_kind *kind = film->video.kind;
    struct film_store *store = &making->store;
    char folder[FILM_PATH_BYTES];
    struct film_store_order order = {.folder = folder,
                                     .suffix = kind->frames ? "" : kind->suffix,
                                     .places = film_video_places(&film->video),
                                     .frames = film->frames,
                                     .identity = film->identity,
                                     .command = film->command,
                                     .command_bytes = film->command_bytes,
                                     .overwrite = film->overwrite,
                                     .stop = making->hooks->stop};
    TRY(film_store_folder(folder, film->out, kind->frames));
    TRY(film_store_open(store, &order));
    bool finished = kind->frames && !store->fresh && frames_missing(making) == 0;
    if ((finished && film->overwrite == OVERWRITE_YES && film->parts == 1) || !is_kept(making))
        TRY(film_store_empty(store));
    enum status status = frames_clear(making);
    if (status == STATUS_OK)
        status = film_store_begin(store, &order);
    making->report->kept = status == STATUS_OK;
    if (status != STATUS_OK && store->fresh)
        film_store_remove(store);
    return status;
}

static void left_tell(struct making *making)
{
    char text[FILM_PATH_BYTES + 100];
    int64_t there = frames_there(making);
    if (!there || !making->wanted)
        return;
    snprintf(text, sizeof text, "goes on from %s: %lld of %lld frames are there",
             making->store.folder, (long long)there, (long long)making->film->frames);
    notice_tell(making, text);
}

static enum status making_open(struct making *making)
{
    const struct film *film = making->film;
    TRY(store_open(making));
    making->wanted = frames_missing(making);
    left_tell(making);
    struct film_writer_order order = {
        .video = film->video,
        .path = film->out,
        .store = &making->store,
        .threads = film_writer_threads(renderer_info(making->renderer)->facts.gpus > 0),
        .under_way = film_under_way(film, &renderer_info(making->renderer)->facts),
        .limits_flashes = film->limits_flashes,
        .bits = film->bits};
    TRY(film_writer_open(&making->writer, &order));
    TRY(background_open(&making->ahead.background));
    if (film->limits_flashes && making->wanted)
        return film_writer_past(making->writer);
    return STATUS_OK;
}

/* A run was killed between the name of its film and the end of its folder. */
static enum status placed_finish(struct making *making)
{
    TRY(store_open(making));
    making->report->there = making->film->frames;
    final_say(making);
    TRY(placed_end(making));
    making->report->joined = making->report->whole = true;
    return STATUS_OK;
}

static enum status root_make(struct making *making)
{
    if (making->film->overwrite == OVERWRITE_NO && is_placed(making->film))
        return placed_finish(making);
    TRY(making_open(making));
    enum status status = making->wanted ? scenes_make(making) : STATUS_OK;
    if (status != STATUS_OK) {
        stretch_save(making);
        return status;
    }
    return film_finish(making);
}

static void making_close(struct making *making)
{
    film_renderers_close(making->renderers);
    scene_close(making);
    background_close(making->ahead.background);
    film_writer_close(making->writer);
    film_store_close(&making->store);
    free(making->rank);
    free(making->rank_now);
}

enum status film_make(struct renderer *renderer, const struct film *film,
                      const struct film_hooks *hooks, struct film_report *report)
{
    if (world_rank(renderer_world(renderer)) != 0)
        return worker_make(renderer, hooks);
    struct making making = {.renderer = renderer,
                            .film = film,
                            .hooks = hooks,
                            .report = report,
                            .begin_s = clock_s(),
                            .ahead = {.frame = -1},
                            .stretch_end = -1};
    double begin_s = making.begin_s;
    *report = (struct film_report){.frames = 0};
    size_t ranks = (size_t)world_size(renderer_world(renderer));
    making.rank = calloc(ranks, sizeof *making.rank);
    making.rank_now = calloc(ranks, sizeof *making.rank_now);
    enum status status = making.rank && making.rank_now
                             ? root_make(&making)
                             : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a film");
    if (!making.over) /* the others wait for the next picture */
        status = film_decline(renderer, status);
    making_close(&making);
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
