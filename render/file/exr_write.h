/* An OpenEXR file of a field and its colours, written row by row: scan lines in chunks of 16 lines
 * with ZIP compression, compressed by all threads and written in order by one. Memory: some chunks
 * per thread.
 *
 * Scan lines, not tiles, whatever the size: those other programs read scan lines only, and a chunk
 * of 16 lines is written and resumed as a row of tiles would be.
 *
 * Channels and attributes have the names and types of Kalles Fraktaler, Fraktaler-3 and zoomasm
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

/* Opens a writer. `file` is a descriptor that can be written to at any offset, and stays the
 * caller's; `name` is for messages, borrowed. STATUS_TOO_LARGE, STATUS_OUT_OF_MEMORY, STATUS_IO;
 * then *writer is NULL. */
enum status exr_writer_open(struct exr_writer **writer, const struct exr_shape *shape, int file,
                            const char *name);

/* Rows that all threads compress within some milliseconds. */
int32_t exr_rows_at_once(void);

/* Writes the next rows, as many as `rows` is high. `rows` has the planes of the shape; its data may
 * be NULL when there are none. light[row * width + x], linear. Uses as many threads as OpenMP may.
 * STATUS_IO. */
enum status exr_writer_rows(struct exr_writer *writer, const struct field *rows,
                            const float (*light)[3]);

/* Writes what can only be written after the last row. STATUS_IO. */
enum status exr_writer_finish(struct exr_writer *writer);

/* Position of a writer: the file has `length` bytes, all chunks above its row. */
struct exr_position {
    uint64_t chunks_from, length; /* chunks_from: 0 before the first chunk */
};

struct exr_pending { /* lines of the chunk that has begun; they lie in the writer */
    void *at;
    size_t line_bytes;
    int32_t count;
};

void exr_writer_position(const struct exr_writer *writer, struct exr_position *position,
                         struct exr_pending *pending);

/* Opens a writer at that position, the next row `y`, for a file that has all before it and can be
 * read; the caller fills in the pending lines. STATUS_BAD_DATA if chunks do not follow one another
 * up to there. */
enum status exr_writer_resume(struct exr_writer **writer, const struct exr_shape *shape, int file,
                              const char *name, const struct exr_position *position, int32_t y,
                              struct exr_pending *pending);

/* Opens a writer of chunks only, from the one that begins in row `y`, one behind the other as in
 * the file, to a stream that stays the caller's. STATUS_OUT_OF_MEMORY. */
enum status exr_writer_open_part(struct exr_writer **writer, const struct exr_shape *shape,
                                 const char *name, int32_t y, FILE *stream);

/* Offset at which the file goes on; STATUS_CANNOT_CREATE within a chunk. */
enum status exr_writer_end(const struct exr_writer *writer, uint64_t *end);

/* Skips the next `rows`, whose chunks are in the file, which can be read, `length` bytes from its
 * end on. STATUS_BAD_DATA if they do not follow one another. */
enum status exr_writer_skip(struct exr_writer *writer, int32_t rows, uint64_t length);

void exr_writer_destroy(struct exr_writer *writer); /* accepts NULL */

#endif
