/* Planes in files: which values they have there. Together with plane_kinds (kernels/field.h) and
 * exr_sources (render/file/exr_line.h) the one table that documents are made from. */
#ifndef RENDER_FILE_PLANE_FILES_H
#define RENDER_FILE_PLANE_FILES_H

#include "kernels/field.h"

struct plane_values {     /* a few words each; of .npy files, and of .exr before the factor */
    const char *outside;  /* of pixels that escape: range and sign */
    const char *interior; /* of those that do not, within the limit */
};
extern const struct plane_values plane_values[PLANES];

#endif
