/* A frame of a film resampled from a picture that was computed for many frames: from finer pixels,
 * each coloured as the frame is, in linear light.
 *
 * The picture is interpolated linearly between its pixels and then filtered as samples are
 * (render/colour/samples.h). So the weight of a pixel at the offset (x, y), in pixels of the frame,
 * is f(x) f(y), f the tent of 1 px convolved with the tent of a pixel of the picture. With the tent
 * of 1 px alone noise of fine structure is 1 dB stronger (docs/decisions/0009-films.md). In a
 * picture that is rotated against the frame, x and y are along the axes of that picture. */
#ifndef RENDER_FILM_FILM_RESAMPLE_H
#define RENDER_FILM_FILM_RESAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/schedule/tile.h"
#include "kernels/field.h"
#include "render/colour/colour.h"

#define FILM_FILTER_PX 2.0   /* largest reach of the filter */
#define FILM_FINEST_PX 0.247 /* finest pixels; finer ones would exceed TAPS_MOST */

/* The picture, and its placement in the frame: both have the same centre. Its pixel (u, v) from its
 * middle is at scale (u cos - v sin, u sin + v cos) from the frame's, y down. */
struct film_source {
    const struct field *field;
    double scale; /* size of its pixels in those of the frame: FILM_FINEST_PX ... 1 */
    double cosine, sine;
    bool inner; /* only pixels of the frame whose filter lies within the picture are resampled; the
                   others keep their values. Else: all */
    struct tile hole;  /* rectangle of the picture that is not read; width 0: none */
    float (*light)[3]; /* [height][width], and one more: buffer for its colours */
};

/* Resamples; light: [height][width]. Beyond the picture its edge is repeated.
 * STATUS_OUT_OF_MEMORY. */
enum status film_resample(const struct film_source *source, const struct look *look, int32_t width,
                          int32_t height, float (*light)[3], int threads);

#endif
