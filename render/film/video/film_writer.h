/* Writer of frames, on a thread of its own: measures, converts and encodes them, while the next
 * ones are computed. A few are in flight; callers that add more wait. */
#ifndef RENDER_FILM_VIDEO_FILM_WRITER_H
#define RENDER_FILM_VIDEO_FILM_WRITER_H

#include <stdbool.h>

#include "render/film/film_change.h"
#include "render/film/film_store.h"
#include "render/film/video/film_encoder.h"

struct film_writer;

struct film_writer_order {
    struct film_video video;
    const char *path;               /* path; for films of frames their pattern; borrowed */
    const struct film_store *store; /* borrowed; not scanned while there is work */
    int threads;                    /* threads that it may use */
    int under_way; /* frames in flight, beside the one that is computed: 1 and more */
    bool limits_flashes;
    int bits; /* bits of .png: 8 or 16 */
};

struct film_frame {
    float (*light)[3]; /* [height][width]; freed by the writer; NULL: its file exists */
    struct view view;  /* view, destroyed by the writer */
    char *text;        /* text that its file contains, or NULL; freed by the writer */
    int64_t number;
    bool written; /* the frame has its file, and is only measured */
};

void film_frame_destroy(struct film_frame *frame); /* accepts a zeroed one */

/* Threads of this machine's cores for the writer, of which devices need some: fewer beside GPUs. */
int film_writer_threads(bool gpus);

enum status film_writer_open(struct film_writer **writer, const struct film_writer_order *order);

/* Adds, before the first frame, those that an earlier run made, the first segments of the store,
 * which limits_flashes needs. STATUS_BAD_DATA if film_store_past is false. */
enum status film_writer_past(struct film_writer *writer);

/* Adds a frame of a segment, in order. Takes the frame, also after a failure, which may be that of
 * an earlier one. */
enum status film_writer_put(struct film_writer *writer, struct film_frame *frame);

/* Ends the segment of the frames since the last one, which gets its name. Without frames does
 * nothing. */
enum status film_writer_end(struct film_writer *writer);

/* Waits until all frames are written. */
enum status film_writer_wait(struct film_writer *writer);

struct film_writer_times {
    double busy_s;   /* time of its thread: measuring, converting, encoding */
    double waited_s; /* time that callers waited for a free slot */
    int64_t dimmed;  /* number of frames that limits_flashes has changed */
};
struct film_writer_times film_writer_times(struct film_writer *writer);

/* Closes; drops frames that are not written. Accepts NULL. */
void film_writer_close(struct film_writer *writer);

#endif
