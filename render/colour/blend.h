/* Planes that colours come from, beside the count, and a second layer of colours over the first.
 *
 * A pixel's position in the palette is that of its count (colour.h), or the offset alone, plus
 * `runs` times the value of a plane:
 *     phase        arg(z_n) / 2 pi, the angle decomposition
 *     binary       1/2 where the phase is 1/2 and more (z_n in the lower half plane), else 0
 *     stripe, triangle      averages along the orbit (kernels/escape/orbit_sums.h)
 *     trap_point, trap_cross, trap_circle    roots of the least distances from a trap
 * Where a plane is missing, its place is taken by the count.
 *
 * A layer has positions of its own: its offset, and its plane or the same curve of counts. With the
 * light a of the first colours, b of the layer's, and v = sqrt(light), which is near sRGB, the
 * light of a channel is a + opacity (f - a): multiply     f = a b screen       f = v^2, v = v_a +
 * v_b - v_a v_b overlay      f = v^2, v = 2 v_a v_b if v_a < 1/2, else 1 - 2 (1 - v_a) (1 - v_b)
 *     alpha        f = b
 * Relief and lines shade what comes of it; pixels inside have no layer. Basic operations and square
 * roots only, none fused, so the bytes are the same on every machine. */
#ifndef RENDER_COLOUR_BLEND_H
#define RENDER_COLOUR_BLEND_H

#include <stdbool.h>

#include "kernels/field.h"

enum colour_input {
    INPUT_COUNT,
    INPUT_PHASE,
    INPUT_BINARY,
    INPUT_STRIPE,
    INPUT_TRIANGLE,
    INPUT_TRAP_POINT,
    INPUT_TRAP_CROSS,
    INPUT_TRAP_CIRCLE,
    INPUTS
};

/* What positions in a palette come from; zeroed: counts. */
struct colour_source {
    enum colour_input input;
    bool alone;  /* the position of the count is left out; false for INPUT_COUNT */
    double runs; /* palette lengths for a value of 1; not used by INPUT_COUNT */
};

enum colour_blend { BLEND_NONE, BLEND_MULTIPLY, BLEND_SCREEN, BLEND_OVERLAY, BLEND_ALPHA, BLENDS };

struct colour_layer {
    enum colour_blend blend; /* BLEND_NONE: there is no layer */
    struct colour_source source;
    double offset;  /* position in its palette that is added, 0 ... 1 */
    double opacity; /* 0 ... 1 */
};

/* Names of sources: "count", "phase", "count+phase", ...; NULL beyond the last. */
const char *colour_source_name(int number);
int colour_source_number(const struct colour_source *source);
struct colour_source colour_source_at(int number, double runs);

/* Goes on by so many inputs, round in a circle; what is not the count is added to it at first. */
void colour_source_step(struct colour_source *source, int step);

const char *colour_blend_name(int number); /* NULL beyond the last */

/* Plane that an input is read from; PLANE_COUNT for INPUT_COUNT. */
enum plane colour_input_plane(enum colour_input input);

/* Planes of both sources, without the count. */
unsigned colour_source_planes(const struct colour_source *source);

bool colour_source_same(const struct colour_source *a, const struct colour_source *b);
bool colour_layer_same(const struct colour_layer *a, const struct colour_layer *b);

/* Adds what the input of n pixels adds to their positions. `values`: its plane. */
void colour_source_add(const struct colour_source *source, const float *values, int n,
                       double *position);

/* Blends the light of n pixels with that of a layer. */
void colour_layer_blend(const struct colour_layer *layer, const float (*over)[4], int n,
                        float (*light)[4]);

#endif
