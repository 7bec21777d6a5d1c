/* A plane in a NumPy file: one array of two dimensions, rows from the top, as
 * render/file/sink_npy.c and numpy.save write it. Hostile input is normal.
 *
 * NPY format 1.0 to 3.0, numpy/lib/format.py. */
#ifndef RENDER_FILE_NPY_READ_H
#define RENDER_FILE_NPY_READ_H

#include "kernels/field.h"

struct npy_plane {
    int file;     /* descriptor, owned; -1: not there */
    int64_t data; /* offset of the numbers */
    enum element element;
    int32_t width, height;
};

/* Opens a plane. STATUS_NO_INPUT when there is no such file; STATUS_BAD_DATA for a file that is no
 * such array, or whose length does not fit its shape; STATUS_IO. Then plane->file is -1. */
enum status npy_plane_open(struct npy_plane *plane, const char *path);

/* Reads the rows y ... y + height - 1, back to back. STATUS_IO; STATUS_BAD_DATA if the file has
 * become shorter. Thread: any, at the same time. */
enum status npy_plane_rows(const struct npy_plane *plane, const char *path, int32_t y,
                           int32_t height, void *out);

void npy_plane_close(struct npy_plane *plane);

#endif
