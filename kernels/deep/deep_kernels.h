/* Functions of one instruction set for deep tiles; deep_body.h has them. */
#ifndef KERNELS_DEEP_DEEP_KERNELS_H
#define KERNELS_DEEP_DEEP_KERNELS_H

#include "kernels/deep/deep.h"
#include "kernels/deep/deep_sums.h"
#include "kernels/deep/table.h"

/* Pixels that a thread takes at a time: a square, because those of a row lie farther apart and go
 * together along the reference for less long; in a tile of fewer rows a wider rectangle. */
enum { DEEP_CHUNK_PX = 8, DEEP_CHUNK = DEEP_CHUNK_PX * DEEP_CHUNK_PX };

struct deep_chunk {
    const struct pixel_common *common;
    const struct pixel_common_f32 *late; /* for pixels in fp32 (number/late.h), or NULL */
    const struct grid *grid;
    struct field *out;
    double fraction_offset;
    const volatile int *stop;
    int32_t x, row, width, height; /* first pixel in the tile, and size */
    const uint8_t *inside;  /* squares of the tile, row by row, not 0 where all pixels are inside */
    int32_t squares_in_row; /* squares: for DEEP_QUADRATIC, as `common`; inside NULL: not proven */
    const struct formula_common *formula;         /* for DEEP_LISTS */
    const struct formula_common_f32 *formula_f32; /* for pixels of these in fp32, or NULL */
    const struct newton_common *newton;           /* for DEEP_NEWTON and DEEP_REBASING */
    const struct henon_common *henon;             /* for DEEP_HENON */
    enum blocks blocks;
    struct f64x1_orbit_rule rule; /* for sums along orbits */
};

/* Is the square of a tile whose first pixel is (x, y) inside as a whole? */
typedef int deep_inside_function(const struct pixel_common *common, enum blocks blocks,
                                 const struct grid *grid, int32_t x, int32_t y);

/* Takes a block or a step of a pixel of Nova, and more without a reference where a kept state has
 * none, too. */
struct newton_pixel;
typedef void nova_alone_function(struct newton_pixel *pixel, const struct newton_common *common,
                                 enum blocks blocks, struct pixel_kept *kept);

/* Goes along the reference by up to `most` blocks and steps; 1: the count is known. */
struct formula_pixel;
struct formula_pixel_f32;
struct pixel_kept_f32;
typedef int formula_along_function(struct formula_pixel *pixel, const struct formula_common *common,
                                   enum blocks blocks, int64_t most, int64_t *taken,
                                   struct pixel_kept *kept);
typedef int formula_along_function_f32(struct formula_pixel_f32 *pixel,
                                       const struct formula_common_f32 *common, enum blocks blocks,
                                       int64_t most, int64_t *taken, struct pixel_kept_f32 *kept);

struct deep_kernels {
    const char *name;
    /* Compute the pixels of a chunk and return the blocks and steps. [][1]: of a wide picture;
     * [][][1]: with distances. BLOCKS_NONE is without lanes. */
    deep_chunk_function *run[BLOCKS_KINDS][2][2];
    table_fill_function *fill;
    deep_inside_function *inside;
    /* Computes sums along the orbits of a chunk whose counts are known. [1]: of a wide picture. */
    deep_chunk_function *sums[2];
    deep_chunk_function *formula_run[2][2]; /* any list; [1]: wide picture; [][1]: distances */
    const struct formula_row *rows;         /* [enum formula_step] */
    const struct formula_row_f32 *rows_f32; /* the same of floats */
    /* Kernels for own formulas only; [1]: with distances, which Nova has none of. */
    deep_chunk_function *newton_run[2], *nova_run[2];
    /* Functions without lanes: sums along the orbits of lists, blocks of any formula; in kernels
     * for own formulas also magnets and Hénon maps. */
    deep_chunk_function *formula_sums[2];
    table_fill_function *formula_fill, *newton_fill, *henon_fill;
    deep_chunk_function *magnet_run[2], *henon_run[2];
    nova_alone_function *nova_alone;
    /* Functions of pixels one by one; [1]: with distances; [][1]: of a wide picture. */
    formula_along_function *const (*formula_alongs)[2];
    formula_along_function_f32 *const (*formula_alongs_f32)[2];
    /* Kernels with the functions without lanes, which are compiled once; NULL: these. */
    const struct deep_kernels *without_lanes;
    /* Kernels for own formulas, and rows with their operations; NULL: these. */
    const struct deep_kernels *own;
};

extern const struct deep_kernels deep_kernels_scalar, deep_own_kernels_scalar;
#ifdef __x86_64__
extern const struct deep_kernels deep_kernels_avx2, deep_kernels_avx512;
extern const struct deep_kernels deep_own_kernels_avx2, deep_own_kernels_avx512;
#elif defined __aarch64__
extern const struct deep_kernels deep_kernels_neon, deep_own_kernels_neon;
#endif

#endif
