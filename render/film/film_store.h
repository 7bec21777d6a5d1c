/* The finished part of a film: a folder beside it, with its segments until they are joined, so that
 * an interrupted film is resumed with the missing frames, and several runs can make parts of one
 * film.
 *
 *     lock                        every run has it, shared; who begins the film has it alone
 *     film.txt                    the identity of the film: what decides its frames, a line each
 *     command                     the words of the command line, for `deepfield resume`
 *     000120-000239.mp4           a segment: frames 120 to 239
 *     000120-000239.measures      what was measured of them
 *     000120-000239.light         its last frame, as it was shown: of films without flashes
 *     film.mp4                    all of it, joined, until the film has its own name
 *     film.y4m                    instead of both: segments are frames at their offsets in it
 *     status.json                 how far a run has come (render/disk/run_status.h)
 *     .NAME.HOST.PID.TIME.part    being written
 *
 * A segment is valid when both files exist; it gets its name when it is complete and synced. For
 * films of frames, each its own file, the folder has neither segments nor film. */
#ifndef RENDER_FILM_FILM_STORE_H
#define RENDER_FILM_FILM_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"
#include "render/disk/atomic_file.h"
#include "render/motion/film_flash.h"
#include "render/film/video/film_y4m.h"

enum {
    FILM_PATH_BYTES = 4096,
    FILM_FRAMES_MOST = 1000000,
    FILM_SEGMENT_MOST = 120 /* most frames of a segment */
};

struct film_measure { /* measures of a frame */
    float change;     /* result of film_change_add; NAN: unknown */
    struct flash_frame flash;
};

struct film_segment {
    int64_t first, last;
};

struct film_store {
    char folder[FILM_PATH_BYTES];
    char suffix[8];               /* suffix of segments; "": frames have their own files */
    struct film_offsets offsets;  /* offsets of frames in the whole film */
    int64_t frames;               /* frames of the whole film */
    int descriptor, lock;         /* descriptors; -1: not open */
    bool alone;                   /* no other run has the folder */
    bool fresh;                   /* the film was begun by this run */
    struct film_segment *segment; /* segments by their first frame, then by length; owned */
    size_t count;
};

struct film_store_order { /* borrowed */
    const char *folder, *suffix, *identity;
    struct film_offsets offsets; /* frame_bytes 0: segments have files of their own */
    int64_t frames;              /* frames of the film */
    const char *command;         /* words of the command line, each with a final 0 */
    size_t command_bytes;        /* bytes of all words; 0: none are kept */
    enum overwrite overwrite;
    const volatile int *stop; /* may be NULL */
};

/* Opens the folder: makes it, or reads the finished part of the same film. The files of another
 * film are removed if they may be replaced and no other run has the folder; else
 * STATUS_CANNOT_CREATE with the first line that differs. film_store_close also after a failure. */
enum status film_store_open(struct film_store *store, const struct film_store_order *order);

/* Empties the folder; the film is fresh then. STATUS_CANNOT_CREATE while other runs have it. */
enum status film_store_empty(struct film_store *store);

/* Writes the identity, and lets other runs share the folder. A fresh film must have no frame
 * before. */
enum status film_store_begin(struct film_store *store, const struct film_store_order *order);
void film_store_close(struct film_store *store); /* accepts a zeroed one */

/* Reads the list of segments again: at most FILM_SEGMENT_MOST frames each, all within the film. */
enum status film_store_scan(struct film_store *store);

/* Longest segment that begins with the frame; NULL: none. */
const struct film_segment *film_store_at(const struct film_store *store, int64_t frame);

/* File of a segment. */
struct film_file film_store_file(const struct film_store *store, const struct film_segment *segment,
                                 const char *suffix);

/* Creates an empty file for a segment being written. As long as *claim, a descriptor, is open no
 * run takes the file for one of a dead run. */
enum status film_store_temporary(const struct film_store *store, struct film_file *file,
                                 int *claim);

/* Writes the measures of the segment, then gives its file (`temporary`; NULL: it has none of its
 * own) its name. The next scan finds it; another thread may use the list meanwhile. */
enum status film_store_commit(const struct film_store *store, const struct film_segment *segment,
                              const struct film_file *temporary,
                              const struct film_measure *measures);

/* Reads the measures of a segment's frames; false if they cannot be read. */
bool film_store_measures(const struct film_store *store, const struct film_segment *segment,
                         struct film_measure *measures);

/* Writes the light of the last frame of a segment, before it is committed; removes older ones. */
enum status film_store_light_write(const struct film_store *store,
                                   const struct film_segment *segment, const float (*light)[3],
                                   size_t pixels);

/* Reads it; false if it is missing, damaged or of another size. light NULL: only checks. */
bool film_store_light_read(const struct film_store *store, const struct film_segment *segment,
                           float (*light)[3], size_t pixels);
void film_store_light_remove(const struct film_store *store, const struct film_segment *segment);

/* Are the segments the first of the film, without a gap, with all measures, and the light of the
 * last? `pixels`: of a frame. */
bool film_store_past(const struct film_store *store, size_t pixels);

/* File of the whole film until it has its name. */
struct film_file film_store_whole(const struct film_store *store);

/* Has the film that was joined in this folder got its name, `path`? */
bool film_store_is_placed(const char *folder, const char *suffix, const char *path);

/* Removes the folder with all files of ours. */
void film_store_remove(struct film_store *store);

#endif
