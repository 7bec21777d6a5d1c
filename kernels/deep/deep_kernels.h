/* The functions of one instruction set for deep tiles; deep_body.h fills them in. */
#ifndef KERNELS_DEEP_DEEP_KERNELS_H
#define KERNELS_DEEP_DEEP_KERNELS_H

#include "kernels/deep/deep.h"
#include "kernels/deep/formula_pixel.h"
#include "kernels/deep/table.h"

enum { DEEP_CHUNK = 64 }; /* pixels of a row that a thread takes at a time */

struct deep_chunk {
    const struct pixel_common *common;
    const struct grid *grid;
    struct field *out;
    double fraction_offset;
    const volatile int *stop;
    int32_t x, row, length; /* first pixel in the tile */
    /* Of the squares of the tile, row by row: not 0 where all pixels are inside. NULL: not known.
     */
    const uint8_t *inside;
    int32_t squares_in_row;
    /* Of any formula but z^2 + c in its parameter plane, in the place of common and the squares. */
    const struct formula_common *formula;
    const struct newton_common *newton; /* of Newton's method and Nova, in the place of all of these
                                         */
    const struct henon_common *henon;   /* of a Hénon map, in the same way */
    enum blocks blocks;
};

/* Is a square of the tile, whose first pixel is (x, y), inside as a whole? */
typedef int deep_inside_function(const struct pixel_common *common, enum blocks blocks,
                                 const struct grid *grid, int32_t x, int32_t y);

struct deep_kernels {
    const char *name;
    /* Compute the pixels of a chunk and return the blocks and steps. [][1]: of a wide picture;
     * [][][1]: with distances. */
    deep_chunk_function *run[BLOCKS_KINDS][2][2];
    table_fill_function *fill;
    deep_inside_function *inside;
    /* Of any formula: see formula_body.h. */
    deep_chunk_function *formula_run[2][2]; /* [1]: of a wide picture; [][1]: with distances */
    const struct formula_row *rows;         /* by enum formula_step */
    /* Of Newton's method, of those for own formulas. [1]: with distances. */
    deep_chunk_function *newton_run[2];
    /* Without lanes: blocks of any formula; of those for own formulas also Newton's method, Nova
     * and magnets, and Hénon maps. */
    table_fill_function *formula_fill, *newton_fill, *henon_fill;
    deep_chunk_function *rebasing_run[2], *henon_run[2];
    /* Which have these instead, so that they are compiled once; NULL: they are here. */
    const struct deep_kernels *without_lanes;
    /* The same of own formulas, and rows with their operations; NULL: these are they. */
    const struct deep_kernels *own;
};

extern const struct deep_kernels deep_kernels_scalar, deep_own_kernels_scalar;
#ifdef __x86_64__
extern const struct deep_kernels deep_kernels_avx2, deep_kernels_avx512;
extern const struct deep_kernels deep_own_kernels_avx2, deep_own_kernels_avx512;
#endif

#endif
