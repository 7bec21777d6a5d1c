/* Frames on their way to files, on a thread of their own: measured, converted, encoded, while the
 * next ones are computed. A few are under way; who brings more waits. */
#ifndef RENDER_FILM_VIDEO_FILM_WRITER_H
#define RENDER_FILM_VIDEO_FILM_WRITER_H

#include <stdbool.h>

#include "render/film/film_change.h"
#include "render/film/film_store.h"
#include "render/film/video/film_encoder.h"

struct film_writer;

struct film_writer_order {
    struct film_video video;
    const char *path;               /* of frames: the pattern; borrowed */
    const struct film_store *store; /* borrowed; not scanned while there is work */
    int threads;                    /* that it may take */
    int under_way;                  /* frames, beside the one that is made: 1 and more */
    bool limits_flashes;
    int bits; /* of .png: 8 or 16 */
};

struct film_frame {
    float (*light)[3]; /* [height][width]; the writer's to free; NULL: its file is there */
    struct view view;  /* likewise, to destroy */
    char *text;        /* that its file has inside, or NULL; the writer's to free */
    int64_t number;
    bool written; /* it has its file, and is only measured */
};

void film_frame_destroy(struct film_frame *frame); /* accepts a zeroed one */

/* So many of this machine's cores, of which devices need some: fewer beside GPUs. */
int film_writer_threads(bool gpus);

enum status film_writer_open(struct film_writer **writer, const struct film_writer_order *order);

/* Before the first frame: with limits_flashes light follows from those before, the first stretches
 * of the store. STATUS_BAD_DATA if film_store_past does not know them. */
enum status film_writer_past(struct film_writer *writer);

/* Frames of a stretch, one after the other. Takes the frame, also after a failure, which may be
 * that of one before. */
enum status film_writer_put(struct film_writer *writer, struct film_frame *frame);

/* The stretch of the frames since the last one gets its name. Without frames nothing happens. */
enum status film_writer_end(struct film_writer *writer);

/* Waits until all is done. */
enum status film_writer_wait(struct film_writer *writer);

struct film_writer_times {
    double busy_s;   /* of its thread: measuring, converting, encoding */
    double waited_s; /* of those who brought frames, for room */
    int64_t dimmed;  /* frames that limits_flashes has changed */
};
struct film_writer_times film_writer_times(struct film_writer *writer);

/* Gives up what is not done. Accepts NULL. */
void film_writer_close(struct film_writer *writer);

#endif
