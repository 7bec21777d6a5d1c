/* A PNG, written from rows of samples as they come: 8 or 16 bit RGB, sRGB.
 *
 * Rows are made, filtered and compressed in stripes, each by one thread while it is in the cache,
 * and all stripes are one zlib stream. The bytes do not depend on the number of threads, nor on how
 * many rows come at once. Memory: a few stripes of 256 KiB, or of one row, per thread.
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
    int bits;   /* bits of a sample: 8 or 16 */
    double dpi; /* resolution in print; 0: none */
};

struct png_note {
    const char *key, *text; /* key: 1 ... 79 letters; text NULL or "": the note is left out */
};

/* Rows to write, made by calls of `row` for 0, 1, ... on any thread: samples[3 * width] of uint8_t
 * or, for 16 bits, uint16_t. */
struct png_rows {
    void (*row)(const void *context, int32_t row, void *samples);
    const void *context;
    int32_t count;
};

struct png_writer;

/* Most bytes of such a file, with notes of `note_bytes`; UINT64_MAX if more than that. */
uint64_t png_bytes_most(const struct png_shape *shape, uint64_t note_bytes);

/* Creates a writer and writes the head of the file, which is borrowed until png_writer_destroy; its
 * stop flag is polled. Notes end with one whose key is NULL. *writer is to be destroyed also after
 * a failure. STATUS_IO, STATUS_OUT_OF_MEMORY, STATUS_STOPPED. */
enum status png_writer_create(struct png_writer **writer, struct atomic_file *file,
                              const struct png_shape *shape, const struct png_note *notes);

/* Writes the next rows, from the top; after the last one the file is complete. Fails as create. */
enum status png_writer_add(struct png_writer *writer, const struct png_rows *rows);

/* Position of a writer: all rows above `first` are chunks. */
struct png_position {
    int32_t first;
    uint32_t adler;
};

struct png_pending { /* rows from the position on; they lie in the writer */
    void *at;
    size_t row_bytes;
    int32_t count;
};

/* Writes the complete stripes; the bytes of the file do not depend on calls. Fails as create. */
enum status png_writer_flush(struct png_writer *writer, struct png_position *position,
                             struct png_pending *pending);

/* Creates a writer at that position, for a file that has all before it; the next row is `y`, and
 * the caller fills in the pending rows. STATUS_BAD_DATA for an impossible position. */
enum status png_writer_resume(struct png_writer **writer, struct atomic_file *file,
                              const struct png_shape *shape, const struct png_position *position,
                              int32_t y, struct png_pending *pending);

/* ---- rows apart ---- */

/* Stripes are independent, so whole stripes can be made by any process and concatenated. */

/* Rows of a stripe; the last may be shorter. */
int32_t png_part_rows(const struct png_shape *shape);

/* Writes the chunks of rows from `first` on, which are whole stripes, to a stream; `name` is for
 * messages. *adler: their checksum. Fails as create. */
enum status png_part_make(const struct png_shape *shape, const char *name, int32_t first,
                          const struct png_rows *rows, FILE *stream, uint32_t *adler);

/* Is the writer at the end of a stripe, with everything written? */
bool png_writer_is_between(const struct png_writer *writer);

/* Skips the next rows, which are in the file already, `bytes` of it, with this checksum; between
 * whole stripes. Fails as create. */
enum status png_writer_skip(struct png_writer *writer, int32_t rows, uint64_t bytes,
                            uint32_t adler);

void png_writer_destroy(struct png_writer *writer); /* accepts NULL */

#endif
