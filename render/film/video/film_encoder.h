/* The kinds of films, by the suffix of what is written, and the encoder of a stretch of frames.
 *
 * .y4m is written by ourselves, each frame to its place (film_y4m.h). The other videos are the same
 * samples piped to an ffmpeg process, tagged as what they are. A stretch begins with a frame that
 * needs no other and refers to none beyond its end, so stretches are joined without being encoded
 * again. */
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
    const char *container; /* as ffmpeg calls it; NULL: not by ffmpeg */
    bool frames;           /* a file for each */
    bool numbers;          /* they hold the field, too */
    /* Of the codec, ending with NULL. */
    const char *codec[FILM_EFFORTS][FILM_CODEC_WORDS];
    const char *joining[4]; /* more words for joining */
};

extern const struct film_kind film_kinds[];
extern const int film_kinds_count;

/* "fastest", "normal", "best" */
const char *film_effort_name(enum film_effort effort);

/* STATUS_USAGE for an unknown suffix, or a pattern of frames that has not one %d as in %06d. */
enum status film_kind_for_path(const struct film_kind **kind, const char *path);

/* The file of a frame: its number in the place of %06d. Cut at FILM_NAME_BYTES. */
enum { FILM_NAME_BYTES = 4096 };
void film_frame_path(const char *pattern, int64_t frame, char path[FILM_NAME_BYTES]);

struct film_video {
    const struct film_kind *kind;
    struct film_yuv yuv;
    struct film_rate rate;
    enum film_effort effort;
    const volatile int *stop; /* borrowed; may be NULL */
};

/* Can it be encoded here? Encodes a frame. STATUS_CONFIG for a size that the chroma cannot have,
 * STATUS_NO_DEVICE without ffmpeg, with the remedy. What ffmpeg does follows film_process.h. */
enum status film_video_check(const struct film_video *video);

/* Where frames lie in a file that has all of them; frame_bytes 0: stretches have files of their
 * own. */
struct film_places film_video_places(const struct film_video *video);

struct film_encoder {
    struct film_video video;
    struct film_process process;
    struct film_places places;
    int file;     /* of frames in their places; 0: not open */
    int64_t next; /* frame */
    uint8_t *frame;
    struct film_file of;
};

/* Frames from `first` on, to this file: of a stretch alone, which is replaced, or, where
 * frames have places, of all. film_encoder_abandon also after a failure. */
enum status film_encoder_open(struct film_encoder *encoder, const struct film_video *video,
                              const struct film_file *of, int64_t first);
enum status film_encoder_add(struct film_encoder *encoder, const float (*light)[3], int threads);

/* The frames are in the file and on the disk. */
enum status film_encoder_finish(struct film_encoder *encoder);
void film_encoder_abandon(struct film_encoder *encoder); /* accepts a zeroed or finished one */

/* One file, which is there, from stretches with files of their own in its folder, in the order of
 * `list`, count names. */
enum status film_join(const struct film_video *video, const char *const *list,
                      const double *seconds, size_t count, const struct film_file *of);

#endif
