/* Files of a picture, written from its rows as they come. A list of kinds, chosen by the suffix of
 * a file name.
 *
 *     sink_begin; sink_add for each block of rows, from the top; sink_end; sink_destroy.
 *
 * A kind keeps only rows in flight, so a picture may be larger than memory. A file appears whole or
 * not at all (render/disk/atomic_file.h). With a folder to grow in, what has been written stays
 * after a kill, and sink_resume goes on after the last sink_checkpoint: the finished file is the
 * same bytes, wherever blocks of rows and checkpoints fell. A device or a pipe without a suffix, as
 * /dev/full or /dev/stdout, takes the first kind. */
#ifndef RENDER_FILE_SINK_H
#define RENDER_FILE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/field.h"
#include "render/colour/colour.h"
#include "render/disk/atomic_file_set.h"

enum { SINK_PATH_BYTES = 4096 }; /* as PATH_MAX; longer paths are refused */

struct picture;

struct sink_request {
    const char *path;
    const struct field *field; /* the whole picture; its data are read by sink_write alone, the rest
                                  reads sizes and planes */
    const struct picture *picture;  /* what was computed; NULL: unknown */
    const struct plan *plan;        /* how it was; NULL: unknown */
    const char *version, *revision; /* of the program that computed it; NULL: unknown */
    const struct look *look;
    const float (*light)[3]; /* [height][width], linear light; read by sink_write alone, which
                                colours the field by the look where it is NULL */
    const char *view_text; /* ini text that brings the view back; embedded where the format can; may
                              be NULL */
    const char *kfr_text; /* the same as a .kfr file, for kinds that other programs open as one; may
                             be NULL */
    const char *title;    /* may be NULL */
    int bits;             /* of a sample, as the kind has them; .exr: others than 32 are 16; .dzi:
                             always 8 */
    int jpeg;             /* .dzi: quality of tiles, 1 ... 100; 0: they are PNGs */
    unsigned planes;      /* that kinds of numbers write; 0: all that the field has */
    enum overwrite overwrite;
    const char *growing_folder; /* files grow there until they have their names: it is there, on the
                                   disk of the path, best in its folder; requests that share it have
                                   paths with different last parts. NULL: without a name */
    uint64_t beside_bytes;      /* that other files of this run can take on the same disk */
    uint64_t memory_bytes;    /* for rows on their way, where a kind has a choice; 0: as it likes */
    uint64_t memory_most;     /* what rows may take where there is no choice; 0: not known */
    const volatile int *stop; /* non-zero: give up with STATUS_STOPPED; may be NULL */
};

/* Whole rows of the picture. */
struct sink_rows {
    int32_t y, height;
    struct field field; /* a window of these rows, its first row is row y of the picture */
    const float (
        *light)[3]; /* [height][width], linear light; NULL: as the look colours the field */
};

/* Rows that have become bytes of the files, anywhere. */
struct sink_part {
    void *made;      /* owned; sink_part_free */
    uint64_t length; /* by which the file grows; 0: the places do not depend on other rows */
    uint32_t sum;    /* what goes on from part to part */
    int pieces;
    struct sink_piece {
        int file;         /* as in sink_kind.file, ... */
        const char *side; /* ... or the suffix of a file beside it (sink_side_open); else NULL */
        uint64_t place;   /* of a file that grows: behind where the rows before end */
        const void *bytes;
        size_t length;
    } piece[PLANES];
};

struct sink_kind {
    const char *name;
    const char *suffix;       /* ".png" */
    const char *other_suffix; /* that means the same; NULL: none */
    const char *summary;
    int bits_least, bits_most; /* of a sample of colour; 0: it has none */
    bool positions;            /* goes back in its file, so that it cannot be a pipe */
    int folder;                /* number of the file that is a folder; 0: none */
    bool coloured;             /* has colours: reads SINK_COLOUR_PLANES and those of the look,
                                  whatever sink_request.planes says */
    bool quality;              /* reads sink_request.jpeg */
    /* Path of the file number `index` (from 0) that the request writes, into path[SINK_PATH_BYTES];
     * false beyond the last. */
    bool (*file)(const struct sink_request *request, int index, char *path);
    /* STATUS_TOO_LARGE for a shape that the kind cannot hold, STATUS_CANNOT_CREATE for a folder in
     * the way; NULL: it holds every one. */
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
    size_t mark_bytes; /* of what the next two share; zeroed before the first */
    /* Between blocks of rows: brings what was written to the disk; all that resume needs to mark,
     * which has no pointers. */
    enum status (*checkpoint)(void *state, void *mark);
    /* Instead of begin: goes on with row `y`. The mark is one of this request if its files are;
     * still its numbers may be any. STATUS_BAD_DATA. */
    enum status (*resume)(void *state, const struct sink_request *request, const void *mark,
                          int32_t y);
    /* Kinds whose rows can be made into bytes apart from the others, by any process; NULL: they
     * cannot. A part has a multiple of so many rows, or the last ones: */
    int32_t (*part_rows)(const struct sink_request *request);
    /* Needs of the request the shape, bits, planes and the look alone. The rows are borrowed until
     * sink_part_free. */
    enum status (*part_make)(const struct sink_request *request, const struct sink_rows *rows,
                             struct sink_part *part);
    /* Where the file goes on, all before it is on the disk; and: the next rows, of a part, are
     * there. */
    enum status (*part_begin)(void *state, uint64_t *place);
    enum status (*part_add)(void *state, int32_t rows, uint64_t length, uint32_t sum);
    /* After begin or resume, whatever that and the others said; removes files that are not in the
     * set, unless they grow. */
    void (*close)(void *state);
};

enum { SINK_COLOUR_PLANES = PLANE_MASK_COUNT | PLANE_MASK_FRACTION };

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

/* Removes what has not ended, unless it grows; what is left in a growing folder is for its owner to
 * remove, with folder_remove (render/disk/folder.h), after the files have their names or are given
 * up. Accepts NULL. */
void sink_destroy(struct sink *sink);

/* ---- going on after a kill ---- */

/* Between blocks of rows, of a request with a growing folder: all that was written so far is on the
 * disk, and *state [*bytes], to be freed by the caller, is all that sink_resume needs to go on
 * after these rows in another process. What the checkpoint before needs stays too; the one before
 * that is given up, so each has to be on the disk itself before the next. STATUS_IO,
 * STATUS_CANNOT_CREATE, STATUS_OUT_OF_MEMORY, STATUS_STOPPED. */
enum status sink_checkpoint(struct sink *sink, void **state, size_t *bytes);

/* Instead of sink_begin, and of sink_check: goes on after the rows of a checkpoint; *next_row is
 * the next to be added. What files hold beyond it is cut off. Where the files had got their names
 * already, *next_row is the height, and sink_end adds nothing. STATUS_BAD_DATA if the state is
 * damaged or another request's, or a file is missing or shorter; else as sink_begin. *sink is to be
 * destroyed also after a failure. */
enum status sink_resume(struct sink **sink, const struct sink_request *request, const void *state,
                        size_t bytes, int32_t *next_row);

/* ---- rows from other processes ---- */

/* Rows of which parts are multiples; 0: the kind has none, or the file no place to go to. */
int32_t sink_part_rows(const struct sink_request *request);

/* Bytes that a pixel is in a part, at most; 0 where parts are the field's own memory. */
int32_t sink_part_pixel_bytes(const struct sink_request *request);

/* In any process; *part is to be freed also after a failure. STATUS_OUT_OF_MEMORY, STATUS_STOPPED.
 */
enum status sink_part_make(const struct sink_request *request, const struct sink_rows *rows,
                           struct sink_part *part);
void sink_part_free(struct sink_part *part); /* accepts a zeroed one */

/* Puts the pieces into the files in the growing folder, from `place` on; with `sync` all that this
 * process has put there is on the disk then. Holds locks on what it writes, so that machines that
 * share a disk by NFS do not write the others' bytes, which they have in their pages. STATUS_IO. */
enum status sink_part_put(const struct sink_request *request, const struct sink_part *part,
                          uint64_t place, bool sync);

/* Before the first: where the pieces go on. Then instead of sink_add, for a part that is put. They
 * fail as sink_add. */
enum status sink_part_begin(struct sink *sink, uint64_t *place);
enum status sink_part_add(struct sink *sink, int32_t rows, uint64_t length, uint32_t sum);

/* ---- whole fields ---- */

/* The verbs above for request->field, names too. All files appear, or none. */
enum status sink_write(const struct sink_request *request);

/* Do two requests write the same file? Its path to path[SINK_PATH_BYTES]. */
bool sink_requests_meet(const struct sink_request *request, const struct sink_request *other,
                        char *path);

/* Sinks and field files (render/file/field_file.h) that this thread opens from now on use as many
 * threads. Otherwise it is one for each core. */
void sink_threads_use(int threads);

/* ---- for the kinds ---- */

/* Opens a file of the request, which grows if there is a folder for that. length: NULL, or what it
 * has of the file to go on with. */
enum status sink_file_open(struct atomic_file *file, const struct sink_request *request,
                           const char *path, const uint64_t *length);

enum sink_side_use { SINK_SIDE_THERE, SINK_SIDE_ADD /* or new */, SINK_SIDE_NEW };

/* Opens a file in the growing folder that is not part of the result, for reading and writing: the
 * name of the request's path and a suffix. -1 with errno. */
int sink_side_open(const struct sink_request *request, const char *suffix, enum sink_side_use use);

/* A part of one file: the bytes that `make` writes, one behind the other. */
enum status sink_part_stream(const struct sink_request *request, const struct sink_rows *rows,
                             struct sink_part *part,
                             enum status (*make)(const struct sink_request *request,
                                                 const struct sink_rows *rows, FILE *stream,
                                                 uint32_t *sum));

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
