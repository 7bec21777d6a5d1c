/* Fields: computed rectangles of pixels.
 *
 * A field is a set of planes of one size. All planes lie in one buffer, back to back in the order
 * of enum plane, so that a field travels as one message. Each plane is [height][width], row-major,
 * y down.
 *
 * A window is a rectangle of a field: its rows lie `stride` pixels apart in the planes of the
 * other, and it has no buffer of its own. An interleaved window has every n-th band of rows.
 * Whoever fills a window writes every pixel's final value and nothing else, so that two may fill
 * the same one with the same values at the same time. */
#ifndef KERNELS_FIELD_H
#define KERNELS_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

/* count: smallest n >= 1 with |z_n| > R; 0 = not escaped within the limit.
 * fraction: in [0,1), count + fraction is the continuous count; 0 where count is 0.
 * distance_x, distance_y: the vector 2 ln|z_n| z_n / (dz_n/dpixel), n the count, in pixels of the
 * image, x right, y down: it points away from the set, which is at least a quarter and at most
 * about the whole of its length away; (0, 0) where count is 0 (kernels/escape/distance.h).
 * phase: arg(z_n) / 2 pi in [0,1); 0 where count is 0 (kernels/escape/phase.h).
 * stripe, triangle: averages along the orbit, in [0, 1]; trap_point, trap_cross, trap_circle: least
 * distances of it from a trap; 0 where count is 0 (kernels/escape/orbit_sums.h).
 * period: that of the attracting cycle of the orbit of 0, a whole number; 0 where the orbit
 * escapes or the period was not found (kernels/escape/attractor.h).
 * inside: estimated distance to the boundary of the component, in pixels: the boundary is at least
 * a quarter and at most the whole of it away; 0 where period is 0, and in Julia sets. */
enum plane {
    PLANE_COUNT,
    PLANE_FRACTION,
    PLANE_DISTANCE_X,
    PLANE_DISTANCE_Y,
    PLANE_PHASE,
    PLANE_STRIPE,
    PLANE_TRIANGLE,
    PLANE_TRAP_POINT,
    PLANE_TRAP_CROSS,
    PLANE_TRAP_CIRCLE,
    PLANE_PERIOD,
    PLANE_INSIDE,
    PLANES
};

enum element { ELEMENT_U32, ELEMENT_U64, ELEMENT_F32 };

enum memory_space { MEMORY_HOST, MEMORY_DEVICE };

/* Masks of planes. Every field has a count. */
enum {
    PLANE_MASK_COUNT = 1u << PLANE_COUNT,
    PLANE_MASK_FRACTION = 1u << PLANE_FRACTION,
    PLANE_MASK_DISTANCE = 1u << PLANE_DISTANCE_X | 1u << PLANE_DISTANCE_Y, /* both or none */
    PLANE_MASK_PHASE = 1u << PLANE_PHASE,
    PLANE_MASK_END = PLANE_MASK_DISTANCE | PLANE_MASK_PHASE, /* what z_n and dz_n say */
    PLANE_MASK_STRIPE = 1u << PLANE_STRIPE,
    PLANE_MASK_TRIANGLE = 1u << PLANE_TRIANGLE,
    PLANE_MASK_CIRCLE = 1u << PLANE_TRAP_CIRCLE,
    PLANE_MASK_TRAPS = 1u << PLANE_TRAP_POINT | 1u << PLANE_TRAP_CROSS | PLANE_MASK_CIRCLE,
    /* what all z_k say; not of formulas that divide or converge */
    PLANE_MASK_ORBIT = PLANE_MASK_STRIPE | PLANE_MASK_TRIANGLE | PLANE_MASK_TRAPS,
    PLANE_MASK_PERIOD = 1u << PLANE_PERIOD,
    PLANE_MASK_INSIDE = 1u << PLANE_INSIDE,
    PLANE_MASK_ATTRACTOR = PLANE_MASK_PERIOD | PLANE_MASK_INSIDE /* by direct iteration alone */
};

struct plane_kind {
    const char *name; /* as in file names */
    const char *word; /* as in --planes, where one may mean several */
    const char *unit;
    const char *summary; /* one line for help texts */
};
extern const struct plane_kind plane_kinds[PLANES];

struct field {
    int32_t width, height;   /* pixels, both >= 1 */
    int32_t stride;          /* pixels from the start of a row to that of the next; >= width */
    int32_t band;            /* interleaved: rows of a band; 0: all rows lie `stride` apart */
    int64_t band_stride;     /* pixels from the start of a band to that of the next */
    unsigned planes;         /* mask, 1u << plane */
    int count_bytes;         /* 4, or 8 when the iteration limit needs it */
    enum memory_space space; /* where base and plane[] lie */
    void *base;              /* start of the block; NULL for a window */
    void *plane[PLANES];     /* first pixel of each plane; NULL for a plane not in the mask */
};

/* Type of the elements of a plane. */
enum element plane_element(enum plane plane, int count_bytes);

size_t element_bytes(enum element element);

/* Bytes per pixel over all planes of the mask. */
size_t planes_bytes(unsigned planes, int count_bytes);

/* Bytes of the whole block. Fails with STATUS_TOO_LARGE when the product does not fit in size_t. */
enum status field_bytes(int32_t width, int32_t height, unsigned planes, int count_bytes,
                        size_t *bytes);

/* Sets up `field` over memory that the caller owns (base: at least field_bytes, aligned for
 * uint64_t). Never fails for sizes that field_bytes accepts. */
void field_over(struct field *field, int32_t width, int32_t height, unsigned planes,
                int count_bytes, void *base);

/* The window of `whole` whose first pixel is (x, y); it must lie inside. If that is interleaved it
 * can only begin where a band does. Computes addresses alone: any memory space. */
struct field field_window(const struct field *whole, int32_t x, int32_t y, int32_t width,
                          int32_t height);

/* The interleaved window of `whole` that begins in row y: `height` rows, in bands of `band` rows
 * whose first rows lie `step` apart; the last band may have fewer. */
struct field field_interleaved(const struct field *whole, int32_t y, int32_t height, int32_t band,
                               int32_t step);

/* First pixel of a row, in a plane of any memory space. */
void *field_row(const struct field *field, enum plane plane, int32_t row);

/* Copies all pixels; both have the same size, planes and count_bytes and lie in host memory. */
void field_copy(struct field *to, const struct field *from);

/* Allocates a host field, zeroed. field_destroy accepts a zeroed struct. */
enum status field_create(struct field *field, int32_t width, int32_t height, unsigned planes,
                         int count_bytes);
void field_destroy(struct field *field);

/* Count of a pixel whatever the element type; `index` = y * stride + x. Host only. */
uint64_t field_count_at(const struct field *field, size_t index);

/* "count,distance" -> mask. STATUS_CONFIG on an unknown word. The count plane is always added. */
enum status planes_parse(const char *text, unsigned *planes);

enum { PLANE_WORDS_BYTES = 160 };

/* Writes all words: "count, fraction, distance, phase, stripe, ..., inside". */
void plane_words(char *text, size_t bytes);

#endif
