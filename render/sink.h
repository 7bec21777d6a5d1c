/* Files of a picture, written from its rows as they come. A list of kinds, chosen by the suffix of
 * a file name.
 *
 *     sink_begin; sink_add for each block of rows, from the top; sink_end; sink_destroy.
 *
 * A kind keeps only rows in flight, so a picture may be larger than memory. A file appears whole or
 * not at all (render/atomic_file.h). A device or a pipe without a suffix, as /dev/full or
 * /dev/stdout, takes the first kind. */
#ifndef RENDER_SINK_H
#define RENDER_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/field.h"
#include "render/colour.h"
#include "render/atomic_file_set.h"

enum { SINK_PATH_BYTES = 4096 }; /* as PATH_MAX; longer paths are refused */

struct picture;

struct sink_request {
    const char *path;
    const struct field *field; /* the whole picture; its data are read by sink_write alone, the rest
                                  reads sizes and planes */
    const struct picture *picture; /* what was computed; NULL: unknown */
    const struct look *look;
    const float (*light)[3]; /* [height][width], linear light; read by sink_write alone, which
                                colours the field by the look where it is NULL */
    const char *view_text; /* ini text that brings the view back; embedded where the format can; may
                              be NULL */
    const char *kfr_text; /* the same as a .kfr file, for kinds that other programs open as one; may
                             be NULL */
    const char *title;    /* may be NULL */
    int bits;             /* of a sample, as the kind has them; .exr: others than 32 are 16 */
    unsigned planes;      /* that kinds of numbers write; 0: all that the field has */
    enum overwrite overwrite;
    uint64_t beside_bytes;    /* that other files of this run can take on the same disk */
    const volatile int *stop; /* non-zero: give up with STATUS_STOPPED; may be NULL */
};

/* Whole rows of the picture. */
struct sink_rows {
    int32_t y, height;
    struct field field; /* a window of these rows, its first row is row y of the picture */
    const float (
        *light)[3]; /* [height][width], linear light; NULL: as the look colours the field */
};

struct sink_kind {
    const char *name;
    const char *suffix;       /* ".png" */
    const char *other_suffix; /* that means the same; NULL: none */
    const char *summary;
    int bits_least, bits_most; /* of a sample of colour; 0: it has none */
    bool positions;            /* goes back in its file, so that it cannot be a pipe */
    unsigned needs;            /* planes that it reads, whatever sink_request.planes says */
    /* Path of the file number `index` (from 0) that the request writes, into path[SINK_PATH_BYTES];
     * false beyond the last. */
    bool (*file)(const struct sink_request *request, int index, char *path);
    /* STATUS_TOO_LARGE for a shape that the kind cannot hold; NULL: it holds every one. */
    enum status (*check)(const struct sink_request *request);
    /* Most bytes that writing the request can take on the disk; UINT64_MAX if more than that. */
    uint64_t (*bytes_max)(const struct sink_request *request);
    size_t state_bytes; /* of what the verbs below share; zeroed before begin */
    /* Opens the files. The request stays where it is until close. */
    enum status (*begin)(void *state, const struct sink_request *request);
    /* The next rows, valid during the call. */
    enum status (*rows)(void *state, const struct sink_rows *rows);
    /* After the last row: adds the finished files to the set. */
    enum status (*end)(void *state, struct atomic_file_set *set);
    /* After begin, whatever that and the others said; removes files that are not in the set. */
    void (*close)(void *state);
};

extern const struct sink_kind *const sink_kinds[];
extern const int sink_kinds_count;

/* By suffix, case ignored. STATUS_USAGE for an unknown one, naming the known. */
enum status sink_for_path(const struct sink_kind **kind, const char *path);

/* Could the request be written? Before anything is computed: folder there and writable
 * (STATUS_CANNOT_CREATE), file absent or overwritable (STATUS_CANNOT_CREATE, says --force), space
 * on the disk (STATUS_TOO_LARGE, sums shown). request->field needs sizes and planes, not data. */
enum status sink_check(const struct sink_request *request);

/* Bytes that the request can take on the disk that `path` is on; 0 if it goes to another. For
 * summing up beside_bytes. */
uint64_t sink_bytes_beside(const struct sink_request *request, const char *path);

/* ---- rows as they come ---- */

struct sink;

/* Copies the request; what that points to is borrowed until sink_destroy. *sink is to be destroyed
 * also after a failure. STATUS_CANNOT_CREATE, STATUS_TOO_LARGE, STATUS_OUT_OF_MEMORY,
 * STATUS_STOPPED. */
enum status sink_begin(struct sink **sink, const struct sink_request *request);

/* The rows below those before, any number; borrowed during the call. The more at once, the more
 * threads compress them. STATUS_IO, STATUS_OUT_OF_MEMORY, STATUS_STOPPED. */
enum status sink_add(struct sink *sink, const struct sink_rows *rows);

/* After the last row: brings the files to the disk and adds them to the set, which gives them their
 * names. Fails as sink_add. */
enum status sink_end(struct sink *sink, struct atomic_file_set *set);

/* Removes what has not ended. Accepts NULL. */
void sink_destroy(struct sink *sink);

/* ---- whole fields ---- */

/* The verbs above for request->field. */
enum status sink_write_to(const struct sink_request *request, struct atomic_file_set *set);

/* The same for one request alone, names too. All files appear, or none. */
enum status sink_write(const struct sink_request *request);

/* Do two requests write the same file? Its path to path[SINK_PATH_BYTES]. */
bool sink_requests_meet(const struct sink_request *request, const struct sink_request *other,
                        char *path);

/* Sinks and field files (render/field_file.h) that this thread opens from now on use as many
 * threads. Otherwise it is one for each core. */
void sink_threads_use(int threads);

/* ---- for the kinds ---- */

/* Of kinds that write one file: sink_kind.file. */
bool sink_file_alone(const struct sink_request *request, int index, char *path);

/* Has somebody asked to stop? To be asked every few megabytes. */
enum status sink_stopped(const struct sink_request *request);

/* Row `row` of these rows as sRGB samples of request->bits: out[3 * width] of uint8_t or uint16_t.
 * Thread: any. */
void sink_colour_row(const struct sink_request *request, const struct sink_rows *rows, int32_t row,
                     void *out);

/* Paths that the request would write (one for .png, one per plane for .npy: x.count.npy), each as a
 * line, into `text`; cut at `bytes`. Empty for a path that sink_for_path refuses. */
void sink_paths(const struct sink_request *request, char *text, size_t bytes);

#endif
