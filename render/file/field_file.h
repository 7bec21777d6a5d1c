/* A field in files: an .exr, or .npy planes of one base name (x.count.npy, x.fraction.npy, ...,
 * with the view in x.planes.json). Rows are read on request, so the field may be larger than
 * memory. Hostile input is normal; values that colours could not take are replaced. */
#ifndef RENDER_FILE_FIELD_FILE_H
#define RENDER_FILE_FIELD_FILE_H

#include "kernels/field.h"
#include "render/file/exr_header.h"

struct field_file;

struct field_file_facts {
    int32_t width, height;
    unsigned planes;
    int count_bytes;
    int32_t rows;                /* rows that are read together: y is a multiple of it */
    const char *text[EXR_TEXTS]; /* locations in the files; NULL: none; borrowed */
};

/* Opens an .exr, known by its content; else the .npy planes of the base name: "x.npy",
 * "x.count.npy" and "x.png" are the same. STATUS_NO_INPUT, STATUS_BAD_DATA, STATUS_TOO_LARGE,
 * STATUS_OUT_OF_MEMORY, STATUS_IO; then *field is NULL. */
enum status field_file_open(struct field_file **field, const char *path);

struct field_file_facts field_file_facts(const struct field_file *field);

/* Base name of the files without folder and suffix, "folder/x.count.npy" -> "x"; freed by the
 * caller, NULL without memory. */
char *field_file_stem(const char *path);

/* Reads rows from y on, as many as `rows` is high: y is a multiple of facts.rows, and so is the
 * height unless the last row is among them. `rows` has the planes of the facts and no gaps between
 * rows. STATUS_BAD_DATA, STATUS_OUT_OF_MEMORY, STATUS_IO. */
enum status field_file_rows(struct field_file *field, int32_t y, struct field *rows);

/* Reads the pixels (x[i], y[j]) as a field of `columns` x `lines`, allocated; x and y rise. Reads
 * only the rows of these pixels. Fails as field_file_rows, or STATUS_OUT_OF_MEMORY. */
enum status field_file_pixels(struct field_file *field, const int32_t *x, int32_t columns,
                              const int32_t *y, int32_t lines, struct field *pixels);

void field_file_close(struct field_file *field); /* accepts NULL */

#endif
