/* Planes in files: their values there. With plane_kinds (kernels/field.h) and exr_sources
 * (render/file/exr_line.h) the table that documents are generated from. */
#ifndef RENDER_FILE_PLANE_FILES_H
#define RENDER_FILE_PLANE_FILES_H

#include "kernels/field.h"

struct plane_values {     /* values in .npy files, and in .exr before the factor, in a few words */
    const char *outside;  /* values of pixels that escape: range and sign */
    const char *interior; /* values of pixels that do not escape within the limit */
};
extern const struct plane_values plane_values[PLANES];

#endif
