/* Files of a picture, written from its rows as they come. A list of kinds, chosen by the suffix of
 * a file name.
 *
 *     sink_begin; sink_add for each block of rows, from the top; sink_end; sink_destroy.
 *
 * A kind keeps only some rows in memory, so a picture may be larger than memory; one that cannot
 * (sink_kind.whole) refuses it beforehand. A file appears whole or not at all
 * (render/disk/atomic_file.h). With a growing folder the written part stays after a kill, and
 * sink_resume continues after the last sink_checkpoint: the bytes of the finished file do not
 * depend on blocks of rows and checkpoints. A device or a pipe without a suffix, as /dev/full or
 * /dev/stdout, takes the first kind. */
#ifndef RENDER_FILE_SINK_H
#define RENDER_FILE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/field.h"
#include "render/colour/colour.h"
#include "render/disk/atomic_file_set.h"

enum { SINK_PATH_BYTES = 4096 }; /* PATH_MAX; longer paths are rejected */

struct picture;

enum sink_overviews {
    SINK_OVERVIEWS_AUTO /* large pictures have them */,
    SINK_OVERVIEWS_YES,
    SINK_OVERVIEWS_NO
};

struct sink_request {
    const char *path;
    const struct field *field; /* the whole picture; only sink_write reads its data, other functions
                                  its sizes and planes */
    int32_t x, y; /* first pixel's place in the image of which the picture is a region; else 0 */
    const struct picture *picture;  /* picture that was computed; NULL: unknown */
    const struct plan *plan;        /* plan by which it was computed; NULL: unknown */
    const char *version, *revision; /* version of the program that computed it; NULL: unknown */
    const struct look *look;
    /* [height][width], linear light; for sink_write only, which colours the field by the look where
     * it is NULL */
    const float (*light)[3];
    const char *view_text; /* ini text of the view; embedded where the format can; may be NULL */
    /* the view as .kfr text, for kinds that Kalles Fraktaler opens; may be NULL */
    const char *kfr_text;
    const char *title; /* may be NULL */
    int bits; /* bits of a sample, within the range of the kind; .exr: others than 32 are 16; .dzi:
                 always 8 */
    int quality;     /* quality of .jpg, .webp and JPEG tiles of .dzi, 1 ... 100; 0: .jpg 90, .webp
                        without losses, tiles are PNGs */
    int overviews;   /* enum sink_overviews, of kinds that have smaller copies of the picture */
    double dpi;      /* resolution in print, for kinds that note it; 0: none */
    unsigned planes; /* planes that kinds with numbers write; 0: all of the field */
    enum overwrite overwrite;
    /* existing folder in which files grow until they have their names, on the disk of the path,
     * best in its folder; requests that share it have paths with different last parts. NULL:
     * files grow without a name */
    const char *growing_folder;
    uint64_t other_files_bytes; /* bytes that other files of this run can take on the same disk */
    uint64_t memory_bytes;      /* memory for rows in flight, where a kind has a choice; 0: the kind
                                   chooses */
    uint64_t memory_most;     /* memory that rows may take where there is no choice; 0: not known */
    const volatile int *stop; /* non-zero: calls return STATUS_STOPPED; may be NULL */
};

/* Whole rows of the picture. */
struct sink_rows {
    int32_t y, height;
    struct field field;      /* window of these rows; its first row is row y of the picture */
    const float (*light)[3]; /* [height][width], linear light; NULL: the look colours the field */
};

/* Part: rows converted to bytes of the files, by any process. */
struct sink_part {
    void *made;      /* owned; sink_part_free */
    uint64_t length; /* bytes by which the file grows; 0: offsets do not depend on other rows */
    uint32_t sum;    /* checksum that is continued from part to part */
    int ranges;
    struct byte_range {
        int file;         /* index as in sink_kind.file */
        const char *side; /* suffix of a side file (sink_side_open) instead; else NULL */
        uint64_t offset;  /* offset; in a file that grows from the end of the rows before */
        const void *bytes;
        size_t length;
    } range[PLANES];
};

struct sink_kind {
    const char *name;
    const char *suffix;       /* ".png" */
    const char *other_suffix; /* synonym of the suffix; NULL: none */
    const char *summary;
    int bits_least, bits_most; /* range of bits of a sample of colour; 0: it has no colours */
    bool positions;            /* seeks in its file, which therefore cannot be a pipe */
    int folder;                /* index of the file that is a folder; 0: none */
    bool coloured;             /* has colours: reads SINK_COLOUR_PLANES and those of the look,
                                  whatever sink_request.planes says */
    bool quality;              /* reads sink_request.quality */
    bool overviews;            /* reads sink_request.overviews */
    bool whole;                /* keeps all rows until the last */
    bool partial;              /* holds a part of a picture: --part names it, -o does not */
    /* Path of the file number `index` (from 0) that the request writes, into path[SINK_PATH_BYTES];
     * false beyond the last. */
    bool (*file)(const struct sink_request *request, int index, char *path);
    /* Checks the shape: STATUS_TOO_LARGE if the kind cannot hold it, STATUS_CANNOT_CREATE for a
     * folder in the way; NULL: all shapes are valid. */
    enum status (*check)(const struct sink_request *request);
    /* Most bytes that writing the request can take on the disk; UINT64_MAX if more than that. */
    uint64_t (*bytes_max)(const struct sink_request *request);
    size_t state_bytes; /* bytes of the state that the functions below share; zeroed before begin */
    /* Opens the files. The request stays valid until close. */
    enum status (*begin)(void *state, const struct sink_request *request);
    /* Writes the next rows, valid during the call. */
    enum status (*rows)(void *state, const struct sink_rows *rows);
    /* After the last row: adds the finished files to the set. */
    enum status (*end)(void *state, struct atomic_file_set *set);
    size_t mark_bytes; /* bytes of the mark that the next two share; zeroed before the first */
    /* Between blocks of rows: syncs the files and writes to `mark`, which has no pointers, all that
     * resume needs. */
    enum status (*checkpoint)(void *state, void *mark);
    /* Resumes with row `y` instead of begin. The mark belongs to this request if its files do, but
     * its numbers may be any. STATUS_BAD_DATA. */
    enum status (*resume)(void *state, const struct sink_request *request, const void *mark,
                          int32_t y);
    /* Kinds whose rows can be converted independently, by any process; NULL: they cannot. Rows of
     * which a part has a multiple, or the last ones: */
    int32_t (*part_rows)(const struct sink_request *request);
    /* Converts rows; reads only the shape, bits, planes and the look of the request. The rows are
     * borrowed until sink_part_free. */
    enum status (*part_make)(const struct sink_request *request, const struct sink_rows *rows,
                             struct sink_part *part);
    /* Offset at which the file goes on, all before it is synced; and the call that the next rows,
     * of a part, are in the file. */
    enum status (*part_begin)(void *state, uint64_t *offset);
    enum status (*part_add)(void *state, int32_t rows, uint64_t length, uint32_t sum);
    /* Closes after begin or resume, also after a failure; removes files that are not in the set,
     * unless they grow. */
    void (*close)(void *state);
};

enum { SINK_COLOUR_PLANES = PLANE_MASK_COUNT | PLANE_MASK_FRACTION };

extern const struct sink_kind *const sink_kinds[];
extern const int sink_kinds_count;

/* Kind by suffix, case ignored. STATUS_USAGE for an unknown one, naming the known. */
enum status sink_for_path(const struct sink_kind **kind, const char *path);

/* Kind of a file that a command line names: as sink_for_path, but STATUS_USAGE for a partial one.
 */
enum status sink_for_output(const struct sink_kind **kind, const char *path);

/* Checks before anything is computed that the request can be written: folder exists and is writable
 * (STATUS_CANNOT_CREATE), file absent or overwritable (STATUS_CANNOT_CREATE, names --force), space
 * on the disk (STATUS_TOO_LARGE, with sums). request->field needs sizes and planes, not data. */
enum status sink_check(const struct sink_request *request);

/* Bytes that the request can take on the disk of `path`; 0 if it is on another disk. For the sum
 * other_files_bytes. */
uint64_t sink_bytes_on_disk(const struct sink_request *request, const char *path);

/* ---- rows as they come ---- */

struct sink;

/* Begins a file. Copies the request; the data it points to is borrowed until sink_destroy. *sink is
 * to be destroyed also after a failure. STATUS_CANNOT_CREATE, STATUS_TOO_LARGE,
 * STATUS_OUT_OF_MEMORY, STATUS_STOPPED. */
enum status sink_begin(struct sink **sink, const struct sink_request *request);

/* Adds the next rows, any number; borrowed during the call. More threads compress more rows at
 * once. STATUS_IO, STATUS_OUT_OF_MEMORY, STATUS_STOPPED. */
enum status sink_add(struct sink *sink, const struct sink_rows *rows);

/* After the last row: syncs the files and adds them to the set, which gives them their names. Fails
 * as sink_add. */
enum status sink_end(struct sink *sink, struct atomic_file_set *set);

/* Removes files that have not ended, unless they grow; the owner of a growing folder removes the
 * rest, with folder_remove (render/disk/folder.h), after the files have their names or are given
 * up. Accepts NULL. */
void sink_destroy(struct sink *sink);

/* ---- going on after a kill ---- */

/* Syncs, between blocks of rows of a request with a growing folder, all that was written so far;
 * *state [*bytes], to be freed by the caller, is all that sink_resume needs to continue after these
 * rows in another process. The files of the previous checkpoint stay; those of the one before do
 * not, so each state must be synced before the next checkpoint. STATUS_IO, STATUS_CANNOT_CREATE,
 * STATUS_OUT_OF_MEMORY, STATUS_STOPPED. */
enum status sink_checkpoint(struct sink *sink, void **state, size_t *bytes);

/* Resumes after the rows of a checkpoint, instead of sink_begin and sink_check; *next_row is the
 * next row to add. Bytes of later rows are cut off. Where the files have got their names already,
 * *next_row is the height, and sink_end adds nothing. STATUS_BAD_DATA if the state is damaged or
 * another request's, or a file is missing or shorter; else as sink_begin. *sink is to be destroyed
 * also after a failure. */
enum status sink_resume(struct sink **sink, const struct sink_request *request, const void *state,
                        size_t bytes, int32_t *next_row);

/* ---- rows from other processes ---- */

/* Rows of which parts are multiples; 0: the kind has no parts, or the file does not grow in a
 * folder. */
int32_t sink_part_rows(const struct sink_request *request);

/* Most bytes of a pixel in a part; 0 where parts are the field's own memory. */
int32_t sink_part_pixel_bytes(const struct sink_request *request);

/* Makes a part, in any process; *part is to be freed also after a failure. STATUS_OUT_OF_MEMORY,
 * STATUS_STOPPED. */
enum status sink_part_make(const struct sink_request *request, const struct sink_rows *rows,
                           struct sink_part *part);
void sink_part_free(struct sink_part *part); /* accepts a zeroed one */

/* Writes the byte ranges to the files in the growing folder, from `offset` on; `sync` syncs all
 * that this process has written there. Locks the bytes it writes, so that machines that share a
 * disk by NFS do not overwrite the others' bytes by their cached pages. STATUS_IO. */
enum status sink_part_put(const struct sink_request *request, const struct sink_part *part,
                          uint64_t offset, bool sync);

/* Returns the offset of the next part, before the first one; and adds the rows of a part that has
 * been put, instead of sink_add. Both fail as sink_add. */
enum status sink_part_begin(struct sink *sink, uint64_t *offset);
enum status sink_part_add(struct sink *sink, int32_t rows, uint64_t length, uint32_t sum);

/* ---- whole fields ---- */

/* Writes request->field by the functions above, and names the files. All files appear, or none. */
enum status sink_write(const struct sink_request *request);

/* Do two requests write the same file? Its path is written to path[SINK_PATH_BYTES]. */
bool sink_requests_meet(const struct sink_request *request, const struct sink_request *other,
                        char *path);

/* Name of a value of enum sink_overviews; NULL: not one. */
const char *sink_overviews_name(int overviews);

/* Sets the number of threads of sinks and field files (render/file/field_file.h) that this thread
 * opens from now on, and returns what it was. Default: one for each core. */
int sink_threads_use(int threads);

/* ---- for the kinds ---- */

/* Opens a file of the request, which grows if there is a growing folder. length: NULL, or length of
 * the file to resume. */
enum status sink_file_open(struct atomic_file *file, const struct sink_request *request,
                           const char *path, const uint64_t *length);

enum sink_side_use { SINK_SIDE_THERE, SINK_SIDE_ADD /* or new */, SINK_SIDE_NEW };

/* Opens a side file, in the growing folder and not part of the result, for reading and writing; its
 * name is that of the request's path with a suffix. -1 with errno. */
int sink_side_open(const struct sink_request *request, const char *suffix, enum sink_side_use use);

/* Makes a part of one file: the bytes that `make` writes to a stream. */
enum status sink_part_stream(const struct sink_request *request, const struct sink_rows *rows,
                             struct sink_part *part,
                             enum status (*make)(const struct sink_request *request,
                                                 const struct sink_rows *rows, FILE *stream,
                                                 uint32_t *sum));

/* Implements sink_kind.file for kinds that write one file. */
bool sink_file_alone(const struct sink_request *request, int index, char *path);

/* Returns STATUS_STOPPED after a stop request. To be called every few megabytes. */
enum status sink_stopped(const struct sink_request *request);

/* Converts row `row` of these rows to sRGB samples of request->bits: out[3 * width] of uint8_t or
 * uint16_t. Thread: any. */
void sink_colour_row(const struct sink_request *request, const struct sink_rows *rows, int32_t row,
                     void *out);

/* Lists the paths that the request would write (one for .png, one per plane for .npy: x.count.npy),
 * each as a line, in `text`; cut at `bytes`. Empty for a path that sink_for_path rejects. */
void sink_paths(const struct sink_request *request, char *text, size_t bytes);

#endif
