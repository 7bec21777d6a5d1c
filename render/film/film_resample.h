/* A frame of a film from a picture that was computed for many frames: from finer pixels, each of
 * which is coloured as the frame is, in linear light.
 *
 * Between its pixels the picture is taken to be linear, and that is filtered as samples are
 * (render/colour/samples.h). So the weight of a pixel that lies (x, y) pixels of the frame beside
 * the place is f(x) f(y), f the tent of 1 px convolved with the tent of a pixel of the picture.
 * With the tent of 1 px alone noise of fine structure is 1 dB stronger (BENCHMARKS.md). In a
 * picture that is turned against the frame, x and y are along the axes of that picture. */
#ifndef RENDER_FILM_FILM_RESAMPLE_H
#define RENDER_FILM_FILM_RESAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/schedule/tile.h"
#include "kernels/field.h"
#include "render/colour/colour.h"

#define FILM_FILTER_PX 2.0   /* its reach, at most */
#define FILM_FINEST_PX 0.247 /* below it places of the filter would be left out */

/* The picture, and where it lies in the frame: both have the same centre. Its pixel (u, v) from its
 * middle is seen at scale (u cos - v sin, u sin + v cos) from the frame's, y down. */
struct film_source {
    const struct field *field;
    double scale; /* of its pixels, in those of the frame: FILM_FINEST_PX ... 1 */
    double cosine, sine;
    bool inner; /* takes only the pixels of the frame whose filter lies within the picture; the
                   others keep what they had. Else: all */
    struct tile hole;  /* of the picture, is not read; width 0: none */
    float (*light)[3]; /* [height][width], and one more: room for its colours */
};

/* light: [height][width]. Beyond the picture its edge goes on. STATUS_OUT_OF_MEMORY. */
enum status film_resample(const struct film_source *source, const struct look *look, int32_t width,
                          int32_t height, float (*light)[3], int threads);

#endif
