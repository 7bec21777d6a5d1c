/* The lines of an OpenEXR file: their channels and bytes. Pure. */
#ifndef RENDER_FILE_EXR_LINE_H
#define RENDER_FILE_EXR_LINE_H

#include <stdint.h>

#include "kernels/field.h"
#include "render/file/exr_header.h"

struct exr_shape {
    int32_t width, height;
    unsigned planes;       /* planes of the field that are written; 0: colours only */
    int count_bytes;       /* bytes of a count; 8: N0 and N1 instead of N */
    enum exr_type colour;  /* EXR_HALF or EXR_FLOAT */
    int64_t limit;         /* attribute Iterations; 0: not written */
    uint64_t memory_bytes; /* memory for chunks in flight, at least one; 0: as much as is fast */
    double dpi;            /* resolution in print; 0: not written */
    const char *text[EXR_TEXTS]; /* attributes; NULL: not written; borrowed while opening */
};

/* Source of a channel: the colour `index` of the light (R, G, B), halves of the count, or the plane
 * `index` times a factor. Kalles Fraktaler and Fraktaler-3 read and write the same. */
struct exr_source {
    enum exr_source_kind { EXR_OF_LIGHT, EXR_OF_COUNT, EXR_OF_PLANE } kind;
    int index;
    float factor;
};
extern const struct exr_source exr_sources[EXR_CHANNELS];

/* Count of pixels that do not escape; N, N0 and N1 have as many of its bits as they hold. */
#define EXR_INTERIOR_COUNT UINT64_MAX

/* Mask of the channels, 1u << enum exr_channel. */
unsigned exr_line_channels(const struct exr_shape *shape);

enum exr_type exr_line_type(const struct exr_shape *shape, int channel);

uint64_t exr_line_bytes(const struct exr_shape *shape);

/* Writes row `row` of `rows`, whose colours are light[width], as a line: channel by channel in the
 * order of their names, little-endian; out[exr_line_bytes]. */
void exr_line_put(const struct exr_shape *shape, const struct field *rows, int32_t row,
                  const float (*light)[3], uint8_t *out);

/* Orders bytes as ZIP compression of OpenEXR deflates them: the even ones, then the odd ones, then
 * the difference of each to the one before it, plus 128. */
void exr_lines_order(const uint8_t *lines, size_t bytes, uint8_t *ordered);

#endif
