/* A PNG, written from rows of samples as they come: 8 or 16 bit RGB, sRGB.
 *
 * Rows are made, filtered and compressed in stripes, each by one thread while it is in the cache,
 * and all stripes are one zlib stream. The bytes do not depend on the number of threads, nor on how
 * many rows come at once. Memory: a few stripes of 256 KiB, or of one row, for each thread.
 *
 * PNG: W3C Recommendation, Portable Network Graphics (second edition), 2003. */
#ifndef RENDER_FILE_PNG_WRITER_H
#define RENDER_FILE_PNG_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "render/disk/atomic_file.h"

struct png_shape {
    int32_t width, height;
    int bits; /* of a sample: 8 or 16 */
};

struct png_note {
    const char *key, *text; /* key: 1 ... 79 letters; text NULL or "": left out */
};

/* Rows are made by calls of `row` for 0, 1, ... on any thread: samples[3 * width] of uint8_t or, of
 * 16 bit, uint16_t. */
struct png_rows {
    void (*row)(const void *context, int32_t row, void *samples);
    const void *context;
    int32_t count;
};

struct png_writer;

/* Most bytes of such a file, with notes of `note_bytes`; UINT64_MAX if more than that. */
uint64_t png_bytes_most(const struct png_shape *shape, uint64_t note_bytes);

/* Writes what stands before the pixels to the file, which is borrowed until png_writer_destroy; its
 * stop flag is obeyed. Notes end with one whose key is NULL. *writer is to be destroyed also after
 * a failure. STATUS_IO, STATUS_OUT_OF_MEMORY, STATUS_STOPPED. */
enum status png_writer_create(struct png_writer **writer, struct atomic_file *file,
                              const struct png_shape *shape, const struct png_note *notes);

/* The next rows, from the top; behind the last one the file is complete. Fails as create. */
enum status png_writer_add(struct png_writer *writer, const struct png_rows *rows);

/* Where a writer has come to: all rows above `first` are chunks. */
struct png_position {
    int32_t first;
    uint32_t adler;
};

struct png_pending { /* the rows from there on, in the writer */
    void *at;
    size_t row_bytes;
    int32_t count;
};

/* Writes what rows are complete enough; the bytes of the file do not depend on it. Fails as create.
 */
enum status png_writer_flush(struct png_writer *writer, struct png_position *place,
                             struct png_pending *pending);

/* Instead of create: a writer at that place, for a file that has all before it; the next row is
 * `y`, and the pending rows are to be filled in. STATUS_BAD_DATA for a place that none comes to. */
enum status png_writer_resume(struct png_writer **writer, struct atomic_file *file,
                              const struct png_shape *shape, const struct png_position *place,
                              int32_t y, struct png_pending *pending);

/* ---- rows apart ---- */

/* Stripes know nothing of each other, so those of any rows can be made anywhere, whole ones, and
 * put one behind the other. */

/* Of such a stripe; the last may be shorter. */
int32_t png_part_rows(const struct png_shape *shape);

/* The chunks of rows from `first` on, which are whole stripes, to a stream; `name` is for messages.
 * *adler: their sum. Fails as create. */
enum status png_part_make(const struct png_shape *shape, const char *name, int32_t first,
                          const struct png_rows *rows, FILE *stream, uint32_t *adler);

/* Has it come to the end of a stripe, and written all? */
bool png_writer_is_between(const struct png_writer *writer);

/* The next rows are in the file already, `bytes` of it, with this sum; between whole stripes. Fails
 * as create. */
enum status png_writer_skip(struct png_writer *writer, int32_t rows, uint64_t bytes,
                            uint32_t adler);

void png_writer_destroy(struct png_writer *writer); /* accepts NULL */

#endif
