/* An OpenEXR file of a field and its colours, written row by row: scan lines, ZIP compression of 16
 * lines, which all threads do and one writes in order. In memory are some chunks a thread.
 *
 * Scan lines, not tiles, whatever the size: that is what those other programs read, and a chunk of
 * 16 lines is written and gone on with as a row of tiles would be.
 *
 * Channels and attributes are named and typed as Kalles Fraktaler, Fraktaler-3 and zoomasm do it
 * (render/file/exr_header.h). */
#ifndef RENDER_FILE_EXR_WRITE_H
#define RENDER_FILE_EXR_WRITE_H

#include <stdint.h>
#include <stdio.h>

#include "render/file/exr_line.h"

enum { EXR_CHUNK_ROWS = 16 };

struct exr_writer;

/* Most bytes that the file can take; UINT64_MAX if more than that. */
uint64_t exr_bytes_max(const struct exr_shape *shape);

/* Bytes of memory that writing it takes, at least. */
uint64_t exr_memory_least(const struct exr_shape *shape);

/* STATUS_TOO_LARGE where rows are longer than the format's chunks hold. */
enum status exr_shape_check(const struct exr_shape *shape, const char *name);

/* `file` is a descriptor that can be written to at any place, and stays the caller's; `name` is for
 * messages, borrowed. STATUS_TOO_LARGE, STATUS_OUT_OF_MEMORY, STATUS_IO; then *writer is NULL. */
enum status exr_writer_open(struct exr_writer **writer, const struct exr_shape *shape, int file,
                            const char *name);

/* The next rows: as many as `rows` is high. It has the planes of the shape; its data may be NULL
 * when they are none. light[row * width + x], linear. Uses as many threads as OpenMP may.
 * STATUS_IO. */
enum status exr_writer_rows(struct exr_writer *writer, const struct field *rows,
                            const float (*light)[3]);

/* After the last row: what can only be written then. STATUS_IO. */
enum status exr_writer_finish(struct exr_writer *writer);

/* Where a writer has come to: the file has `length` bytes, all chunks above its row. */
struct exr_position {
    uint64_t chunks_from, length; /* chunks_from: 0 where there is none yet */
};

struct exr_pending { /* the lines of the chunk that has begun, in the writer */
    void *at;
    size_t line_bytes;
    int32_t count;
};

void exr_writer_position(const struct exr_writer *writer, struct exr_position *place,
                         struct exr_pending *pending);

/* Instead of open: a writer at that place, the next row `y`, for a file that has all before it and
 * can be read; the pending lines are to be filled in. STATUS_BAD_DATA if chunks do not follow one
 * another up to there. */
enum status exr_writer_resume(struct exr_writer **writer, const struct exr_shape *shape, int file,
                              const char *name, const struct exr_position *place, int32_t y,
                              struct exr_pending *pending);

/* Instead of open: what writes chunks alone, from the one that begins in row `y`, one behind the
 * other as in the file, to a stream that stays the caller's. STATUS_OUT_OF_MEMORY. */
enum status exr_writer_open_part(struct exr_writer **writer, const struct exr_shape *shape,
                                 const char *name, int32_t y, FILE *stream);

/* Where the file goes on; STATUS_CANNOT_CREATE within a chunk. */
enum status exr_writer_end(const struct exr_writer *writer, uint64_t *end);

/* Instead of rows: chunks of the next `rows` are in the file, which can be read, `length` bytes
 * from its end on. STATUS_BAD_DATA if they do not follow one another. */
enum status exr_writer_skip(struct exr_writer *writer, int32_t rows, uint64_t length);

void exr_writer_destroy(struct exr_writer *writer); /* accepts NULL */

#endif
