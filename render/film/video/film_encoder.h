/* The kinds of films, by the suffix of the output, and the encoder of a segment of frames.
 *
 * .y4m is written by our own code, each frame at its offset (film_y4m.h). For the other videos the
 * same samples are piped to an ffmpeg process, with tags of their colour space. A segment begins
 * with a frame that needs no other and refers to none beyond its end, so segments are joined
 * without being encoded again. */
#ifndef RENDER_FILM_VIDEO_FILM_ENCODER_H
#define RENDER_FILM_VIDEO_FILM_ENCODER_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "render/film/video/film_process.h"
#include "render/film/video/film_y4m.h"
#include "render/film/video/film_yuv.h"

enum film_effort { FILM_FASTEST, FILM_NORMAL, FILM_BEST, FILM_EFFORTS };

enum { FILM_CODEC_WORDS = 16 };

struct film_kind {
    const char *suffix; /* ".mp4" */
    const char *summary;
    const char *container; /* ffmpeg's name of the container; NULL: not by ffmpeg */
    bool frames;           /* each frame has a file */
    bool numbers;          /* the files hold the field, too */
    /* Arguments of the codec, ending with NULL. */
    const char *codec[FILM_EFFORTS][FILM_CODEC_WORDS];
    const char *joining[4]; /* further arguments for joining */
};

extern const struct film_kind film_kinds[];
extern const int film_kinds_count;

/* Name of an effort: "fastest", "normal", "best". */
const char *film_effort_name(enum film_effort effort);

/* Finds the kind by suffix. STATUS_USAGE for an unknown one, or a pattern of frames without exactly
 * one %d as in %06d. */
enum status film_kind_for_path(const struct film_kind **kind, const char *path);

/* Path of a frame's file: its number replaces %06d. Cut at FILM_NAME_BYTES. */
enum { FILM_NAME_BYTES = 4096 };
void film_frame_path(const char *pattern, int64_t frame, char path[FILM_NAME_BYTES]);

struct film_video {
    const struct film_kind *kind;
    struct film_yuv yuv;
    struct film_rate rate;
    enum film_effort effort;
    const volatile int *stop; /* borrowed; may be NULL */
};

/* Checks, by encoding a frame, that the video can be encoded here. STATUS_CONFIG for a size that
 * the chroma cannot have, STATUS_NO_DEVICE without ffmpeg, with the remedy. Failures of ffmpeg as
 * in film_process.h. */
enum status film_video_check(const struct film_video *video);

/* Offsets of frames in a file of the whole film; frame_bytes 0: segments have files of their
 * own. */
struct film_offsets film_video_offsets(const struct film_video *video);

struct film_encoder {
    struct film_video video;
    struct film_process process;
    struct film_offsets offsets;
    int file;     /* descriptor of the file of the whole film; 0: not open */
    int64_t next; /* number of the next frame */
    uint8_t *frame;
    struct film_file of;
};

/* Opens an encoder of frames from `first` on to this file: that of a segment, which is replaced,
 * or, for .y4m, that of the whole film. film_encoder_abandon also after a failure. */
enum status film_encoder_open(struct film_encoder *encoder, const struct film_video *video,
                              const struct film_file *of, int64_t first);
enum status film_encoder_add(struct film_encoder *encoder, const float (*light)[3], int threads);

/* Finishes: the frames are in the file, which is synced. */
enum status film_encoder_finish(struct film_encoder *encoder);
void film_encoder_abandon(struct film_encoder *encoder); /* accepts a zeroed or finished one */

/* Joins segments with files of their own in one folder, in the order of `list`, count names, to one
 * file, which exists. */
enum status film_join(const struct film_video *video, const char *const *list,
                      const double *seconds, size_t count, const struct film_file *of);

#endif
