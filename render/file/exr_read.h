/* The field in an OpenEXR file: ours, or one of Kalles Fraktaler or Fraktaler-3 (single-part scan
 * lines). Rows are decoded on request, by all threads. Hostile input is normal: what the header
 * claims is checked before OpenEXRCore sees the file, and values that no field can have are
 * replaced.
 *
 * Colours are not read. */
#ifndef RENDER_FILE_EXR_READ_H
#define RENDER_FILE_EXR_READ_H

#include "kernels/field.h"
#include "render/file/exr_header.h"

struct exr_reader;

struct exr_field_facts {
    int32_t width, height;
    unsigned planes;
    int count_bytes;
    int32_t chunk_rows; /* rows of a chunk, which are decoded together */
};

/* Opens a reader. `file` is a descriptor of a regular file, and stays the caller's; `name` is for
 * messages, borrowed. STATUS_BAD_DATA when it is damaged or holds no field, STATUS_TOO_LARGE,
 * STATUS_OUT_OF_MEMORY, STATUS_IO; then *reader is NULL. */
enum status exr_reader_open(struct exr_reader **reader, int file, const char *name);

const struct exr_header *exr_reader_header(const struct exr_reader *reader);
struct exr_field_facts exr_reader_facts(const struct exr_reader *reader);

/* Reads rows from y on, as many as `rows` is high: y is a multiple of chunk_rows, and so is the
 * height unless the last row is among them. `rows` has the planes of the facts, without gaps
 * between rows. STATUS_BAD_DATA, STATUS_OUT_OF_MEMORY. */
enum status exr_reader_rows(struct exr_reader *reader, int32_t y, struct field *rows);

void exr_reader_close(struct exr_reader *reader); /* accepts NULL */

#endif
