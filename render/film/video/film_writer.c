#include "render/film/video/film_writer.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/thread/clock.h"
#include "kernels/backend.h"
#include "render/device/background.h"
#include "render/file/sink.h"
#include "render/film/film_dim.h"

enum errand { ERRAND_NONE, ERRAND_FRAME, ERRAND_END, ERRAND_QUIT };

struct film_writer {
    struct film_writer_order order;
    pthread_t thread;
    bool threaded;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    /* Members under the mutex: */
    struct queued_frame {
        enum errand errand;
        struct film_frame frame;
    } * queue;        /* [order.under_way] */
    int first, count; /* the first frame is in work */
    enum status status;
    char why[STATUS_TEXT_BYTES];
    struct film_writer_times times;
    /* Members of the thread: */
    struct film_encoder encoder;
    struct film_file file;       /* file being written */
    int claim;                   /* descriptor that claims it, if it is a temporary; else -1 */
    struct film_segment segment; /* last < first: none */
    struct film_measure *measures;
    size_t measured, room;
    struct film_change change;
    struct film_dim *dim;
    struct background *measurer; /* measures a frame while it is encoded */
    /* segment whose last frame has its light in the store; last < first: none */
    struct film_segment lit;
};

/* ---- a frame --------------------------------------------------------------------------------- */

static enum status measure(struct film_writer *writer, const struct film_frame *frame)
{
    if (writer->measured == writer->room) {
        size_t room = writer->room ? 2 * writer->room : 64;
        struct film_measure *grown = realloc(writer->measures, room * sizeof *grown);
        if (!grown)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the measures of frames");
        writer->measures = grown;
        writer->room = room;
    }
    const struct film_yuv *yuv = &writer->order.video.yuv;
    struct film_measure *measured = &writer->measures[writer->measured];
    double change = NAN;
    const float(*light)[3] = (const float(*)[3])frame->light;
    memset(measured, 0, sizeof *measured);
    flash_frame_make(&measured->flash, light, yuv->width, yuv->height, writer->order.threads);
    if (writer->dim)
        TRY(film_dim_frame(writer->dim, frame->light, &measured->flash, frame->number));
    TRY(film_change_add(&writer->change, light, &frame->view, frame->number, &change));
    measured->change = (float)change;
    writer->measured++;
    return STATUS_OK;
}

static enum status frame_file(struct film_writer *writer, const struct film_frame *frame)
{
    char path[FILM_PATH_BYTES];
    const struct film_yuv *yuv = &writer->order.video.yuv;
    struct field shape = {.width = yuv->width,
                          .height = yuv->height,
                          .stride = yuv->width,
                          .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                          .count_bytes = 4,
                          .space = MEMORY_HOST};
    film_frame_path(writer->order.path, frame->number, path);
    struct sink_request sink = {.path = path,
                                .field = &shape,
                                .light = (const float(*)[3])frame->light,
                                .view_text = frame->text,
                                .bits = writer->order.bits,
                                .overwrite = OVERWRITE_YES};
    return sink_write(&sink);
}

static enum status segment_begin(struct film_writer *writer, int64_t first)
{
    const struct film_store *store = writer->order.store;
    if (store->offsets.frame_bytes)
        writer->file = film_store_whole(store);
    else
        TRY(film_store_temporary(store, &writer->file, &writer->claim));
    return film_encoder_open(&writer->encoder, &writer->order.video, &writer->file, first);
}

static enum status frame_encode(struct film_writer *writer, const struct film_frame *frame)
{
    if (writer->segment.last < writer->segment.first)
        TRY(segment_begin(writer, frame->number));
    return film_encoder_add(&writer->encoder, (const float(*)[3])frame->light,
                            writer->order.threads);
}

static enum status frame_write(struct film_writer *writer, const struct film_frame *frame)
{
    if (!writer->order.video.kind->frames)
        return frame_encode(writer, frame);
    return frame->written ? STATUS_OK : frame_file(writer, frame);
}

struct measuring { /* one frame, measured on a thread of its own */
    struct film_writer *writer;
    const struct film_frame *frame;
    enum status status;
    char why[STATUS_TEXT_BYTES];
};

static void measuring_run(void *context)
{
    struct measuring *measuring = context;
    measuring->status = measure(measuring->writer, measuring->frame);
    if (measuring->status != STATUS_OK)
        snprintf(measuring->why, sizeof measuring->why, "%s", status_text());
}

/* Measures and writes side by side, unless measuring dims what is written. */
static enum status frame_take(struct film_writer *writer, const struct film_frame *frame)
{
    struct measuring measuring = {.writer = writer, .frame = frame};
    if (writer->dim) {
        TRY(measure(writer, frame));
        TRY(frame_write(writer, frame));
    } else {
        uint64_t number = background_run(writer->measurer, measuring_run, &measuring);
        enum status status = frame_write(writer, frame);
        background_wait(writer->measurer, number);
        TRY(status);
        if (measuring.status != STATUS_OK)
            return status_fail(measuring.status, "%s", measuring.why);
    }
    if (writer->segment.last < writer->segment.first)
        writer->segment.first = frame->number;
    writer->segment.last = frame->number;
    return STATUS_OK;
}

static void temporary_forget(struct film_writer *writer)
{
    if (writer->claim >= 0)
        close(writer->claim);
    writer->claim = -1;
}

static void segment_forget(struct film_writer *writer)
{
    writer->segment = (struct film_segment){0, -1};
    writer->measured = 0;
}

static size_t frame_pixels(const struct film_writer *writer)
{
    const struct film_yuv *yuv = &writer->order.video.yuv;
    return (size_t)yuv->width * (size_t)yuv->height;
}

/* Removes the light of the segment before, which is not needed any more. */
static void light_supersede(struct film_writer *writer)
{
    if (writer->lit.last >= writer->lit.first)
        film_store_light_remove(writer->order.store, &writer->lit);
    if (writer->dim)
        writer->lit = writer->segment;
}

static enum status segment_end(struct film_writer *writer)
{
    bool frames = writer->order.video.kind->frames;
    if (writer->segment.last < writer->segment.first)
        return STATUS_OK;
    if (!frames)
        TRY(film_encoder_finish(&writer->encoder));
    if (writer->dim)
        TRY(film_store_light_write(writer->order.store, &writer->segment,
                                   (const float(*)[3])film_dim_shown(writer->dim),
                                   frame_pixels(writer)));
    TRY(film_store_commit(writer->order.store, &writer->segment,
                          writer->claim < 0 ? NULL : &writer->file, writer->measures));
    light_supersede(writer);
    temporary_forget(writer);
    segment_forget(writer);
    return STATUS_OK;
}

/* ---- the thread ------------------------------------------------------------------------------ */

void film_frame_destroy(struct film_frame *frame)
{
    free(frame->light);
    free(frame->text);
    view_destroy(&frame->view);
    frame->light = NULL;
    frame->text = NULL;
}

static void result_note(struct film_writer *writer, enum status status)
{
    if (status == STATUS_OK || writer->status != STATUS_OK)
        return;
    writer->status = status;
    memcpy(writer->why, status_text(), strlen(status_text()) + 1);
}

static void *write_all(void *context)
{
    struct film_writer *writer = context;
    for (bool quits = false; !quits;) {
        pthread_mutex_lock(&writer->mutex);
        while (!writer->count)
            pthread_cond_wait(&writer->changed, &writer->mutex);
        struct queued_frame *work = &writer->queue[writer->first];
        bool good = writer->status == STATUS_OK;
        pthread_mutex_unlock(&writer->mutex);
        double begin_s = clock_s();
        enum status status = STATUS_OK;
        if (good && work->errand == ERRAND_FRAME)
            status = frame_take(writer, &work->frame);
        if (good && work->errand == ERRAND_END)
            status = segment_end(writer);
        quits = work->errand == ERRAND_QUIT;
        film_frame_destroy(&work->frame);
        pthread_mutex_lock(&writer->mutex);
        result_note(writer, status);
        writer->times.busy_s += clock_s() - begin_s;
        writer->first = (writer->first + 1) % writer->order.under_way;
        writer->count--;
        pthread_cond_broadcast(&writer->changed);
        pthread_mutex_unlock(&writer->mutex);
    }
    view_thread_end();
    return NULL;
}

static enum status result(const struct film_writer *writer)
{
    return writer->status == STATUS_OK ? STATUS_OK
                                       : status_fail(writer->status, "%.1000s", writer->why);
}

static enum status hand_over(struct film_writer *writer, enum errand errand,
                             const struct film_frame *frame)
{
    double begin_s = clock_s();
    pthread_mutex_lock(&writer->mutex);
    while (writer->count == writer->order.under_way)
        pthread_cond_wait(&writer->changed, &writer->mutex);
    writer->times.waited_s += clock_s() - begin_s;
    struct queued_frame *entry =
        &writer->queue[(writer->first + writer->count) % writer->order.under_way];
    *entry = (struct queued_frame){.errand = errand};
    if (frame)
        entry->frame = *frame;
    writer->count++;
    pthread_cond_broadcast(&writer->changed);
    enum status status = result(writer);
    pthread_mutex_unlock(&writer->mutex);
    return status;
}

enum status film_writer_put(struct film_writer *writer, struct film_frame *frame)
{
    return hand_over(writer, ERRAND_FRAME, frame);
}

enum status film_writer_end(struct film_writer *writer)
{
    return hand_over(writer, ERRAND_END, NULL);
}

enum status film_writer_wait(struct film_writer *writer)
{
    pthread_mutex_lock(&writer->mutex);
    while (writer->count)
        pthread_cond_wait(&writer->changed, &writer->mutex);
    enum status status = result(writer);
    pthread_mutex_unlock(&writer->mutex);
    return status;
}

struct film_writer_times film_writer_times(struct film_writer *writer)
{
    pthread_mutex_lock(&writer->mutex);
    struct film_writer_times times = writer->times;
    pthread_mutex_unlock(&writer->mutex);
    if (writer->dim)
        times.dimmed = film_dim_count(writer->dim);
    return times;
}

int film_writer_threads(bool gpus)
{
    int cores = backend_cores_usable();
    return gpus && cores > 2 ? cores - 2 : (cores + 1) / 2;
}

enum status film_writer_open(struct film_writer **writer, const struct film_writer_order *order)
{
    const struct film_yuv *yuv = &order->video.yuv;
    struct film_writer *made = *writer = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write a film");
    made->order = *order;
    made->claim = -1;
    made->lit.last = -1;
    segment_forget(made);
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->changed, NULL);
    made->queue = calloc((size_t)order->under_way, sizeof *made->queue);
    if (!made->queue)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write a film");
    TRY(background_open(&made->measurer));
    TRY(film_change_open(&made->change, yuv->width, yuv->height));
    made->change.threads = order->threads;
    if (order->limits_flashes)
        TRY(film_dim_create(&made->dim, yuv->width, yuv->height,
                            film_rate_whole(order->video.rate)));
    if (pthread_create(&made->thread, NULL, write_all, made) != 0)
        return status_fail(STATUS_SYSTEM, "no thread to write a film");
    made->threaded = true;
    return STATUS_OK;
}

enum status film_writer_past(struct film_writer *writer)
{
    const struct film_store *store = writer->order.store;
    const struct film_segment *segment;
    struct film_measure *measures = calloc(FILM_SEGMENT_MOST, sizeof *measures);
    enum status status =
        measures ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for measures");
    for (int64_t n = 0; status == STATUS_OK && (segment = film_store_at(store, n));) {
        bool good = film_store_measures(store, segment, measures);
        for (; good && status == STATUS_OK && n <= segment->last; n++)
            status = film_dim_past(writer->dim, &measures[n - segment->first].flash, n);
        writer->lit = *segment;
        if (!good)
            status = status_fail(STATUS_BAD_DATA, "the measures in %s are damaged", store->folder);
    }
    free(measures);
    if (status == STATUS_OK && writer->lit.last >= writer->lit.first &&
        !film_store_light_read(store, &writer->lit, film_dim_shown(writer->dim),
                               frame_pixels(writer)))
        status = status_fail(STATUS_BAD_DATA, "the light in %s is damaged", store->folder);
    return status;
}

void film_writer_close(struct film_writer *writer)
{
    if (!writer)
        return;
    if (writer->threaded) {
        hand_over(writer, ERRAND_QUIT, NULL);
        pthread_join(writer->thread, NULL);
    }
    film_encoder_abandon(&writer->encoder);
    if (writer->claim >= 0)
        unlinkat(writer->file.folder, writer->file.name, 0);
    temporary_forget(writer);
    background_close(writer->measurer);
    film_change_close(&writer->change);
    film_dim_destroy(writer->dim);
    free(writer->measures);
    free(writer->queue);
    pthread_mutex_destroy(&writer->mutex);
    pthread_cond_destroy(&writer->changed);
    free(writer);
}
