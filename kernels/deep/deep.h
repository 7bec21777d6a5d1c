/* Tiles by perturbation along one reference orbit, on the threads of a processor.
 *
 * The grid of a deep tile has its centre relative to the reference: 0 where that is the view's
 * centre. So pixel_c (kernels/escape/pixel.h) gives the c that is added to the reference's, from
 * the very definition that direct iteration has.
 *
 * Depth: where the grid has no exponent, c and delta are plain doubles, whose smallest parts are
 * 2^-1074. Each step may round by that; with 2^GRID_PLAIN_LEAST for a pixel it is less than 2^-90
 * pixels. That is a zoom of 4e292 for an image 1024 high. Where it has one, c, delta and blocks
 * have exponents of their own as long as they are small (pixel_wide.h), down to 2^DEEP_STEP_LEAST
 * for a pixel: a zoom of 1e150000. */
#ifndef KERNELS_DEEP_DEEP_H
#define KERNELS_DEEP_DEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/deep/number/late.h"
#include "kernels/deep/table.h"
#include "kernels/field.h"
#include "kernels/grid.h"
#include "kernels/spec.h"

enum {
    DEEP_STEP_LEAST = -500000, /* log2 of the smallest pixel */
    DEEP_TABLES = 9 /* tables of blocks: of the critical orbits of all phases, and of one more */
};

struct deep_options {
    enum blocks blocks;
    double epsilon;   /* what a block may leave out, relative; 2^-53 ... 2^-10 */
    int shortest;     /* log2 of the steps of the shortest block, 1 ... 16; or 0 for the default */
    size_t bytes_max; /* bound of the table; shorter blocks are left out until it fits; 0: none */
    int threads;      /* 0: all */
    const struct deep_kernels *kernels; /* kernels of a backend; NULL: the processor's best */
    /* Number of the orbit: the same number, the same orbit; devices keep it for the next picture.
     * 0: it is for one picture. */
    uint64_t orbit;
    /* An open one of the same orbit, spec and grid, or NULL: its blocks are borrowed if these
     * options ask for the same blocks, else blocks are built. */
    const struct deep *ready;
    const volatile int *stop; /* non-zero: give up within 50 ms with STATUS_STOPPED; may be NULL */
    /* Reports deep_open's progress, on the thread that calls it, some thousand times a second. May
     * be NULL. */
    void (*progress)(void *context, int64_t done, int64_t all);
    void *context;
};

/* Formulas that share their perturbation code; modules have a function for each family. */
enum deep_family {
    DEEP_QUADRATIC, /* z^2 + c in its parameter plane */
    DEEP_LISTS,     /* operations, in any plane */
    DEEP_NEWTON,    /* Newton's method */
    DEEP_REBASING,  /* others that divide: Nova and magnets */
    DEEP_HENON,
    DEEP_FAMILIES
};
enum deep_family deep_family(const struct formula *formula);

struct deep_chunk; /* kernels/deep/deep_kernels.h */
typedef uint64_t deep_chunk_function(const struct deep_chunk *chunk);

struct formula_common;
struct formula_common_f32;
struct newton_common;
struct henon_common;
struct deep { /* read only */
    struct deep_options options;
    enum deep_family family;
    deep_chunk_function *const *run; /* computes a chunk. [1]: with distances */
    struct pixel_common common;
    struct pixel_common_f32 late;   /* what pixels share in fp32; z NULL: they are in fp64 */
    struct formula_common *formula; /* replaces `common` for DEEP_LISTS; else NULL */
    struct formula_common_f32 *formula_f32; /* the same in fp32; NULL: pixels are in fp64 */
    struct newton_common *newton;           /* for DEEP_NEWTON and DEEP_REBASING; else NULL */
    struct henon_common *henon;             /* for DEEP_HENON; else NULL */
    size_t table_bytes;
    void *memory[DEEP_TABLES];
    struct complex_f32 *points_f32; /* orbits in fp32 if they are owned */
};

struct deep_work {
    uint64_t steps; /* blocks and single steps of all pixels */
};

/* The largest |c| of a picture, from the grid of all of it and in its units. */
double deep_c_max(const struct grid *whole);

/* The epsilon with which 99 of 100 pixels of a picture lie within accuracy_px of where they should.
 * In units of epsilon times the largest distance to the reference a pixel moves by up to 0.6
 * (measured; tests/kernels/test_deep.c holds it), but for places where many blocks count: see
 * error_amplification.h. Not below 2^-53: then doubles are the limit. */
double deep_epsilon(double accuracy_px, const struct grid *whole);

/* Fills what the pixels of a picture share, without the table, and the source of that table: for
 * devices that build their own. Fails as deep_open does. */
enum status deep_common(struct pixel_common *common, struct table_source *source,
                        const struct deep_options *options, const struct orbit *orbit,
                        const struct spec *spec, const struct grid *whole);

/* Are pixels computed in fp32 (late.h)? Where the spec says so; the plan decides. */
bool deep_is_late(const struct deep_options *options, const struct spec *spec);

/* Limits within which pixels need no reference, which deep_common leaves out. radius: the key of
 * the shortest block from Z_0 on; WIDE_KEY_NONE: there is none. */
struct direct_limits deep_direct(const struct orbit *orbit, const struct spec *spec,
                                 const struct deep_options *options, int32_t radius);

/* Prepares the pixels of a picture: `whole` is the grid of all of it, however it will be cut.
 * Borrows the orbit, which must go to the limit, or have ended by itself beyond twice the bailout
 * radius, in a cycle or at a nucleus. STATUS_UNREACHABLE beyond the depth; STATUS_TOO_LARGE,
 * STATUS_OUT_OF_MEMORY with figures. deep_close also after a failure. */
enum status deep_open(struct deep *deep, const struct deep_options *options,
                      const struct orbit *orbit, const struct spec *spec, const struct grid *whole);

/* Fills all planes of `out`, in host memory, for a tile. Without distances it is faster. */
enum status deep_compute(const struct deep *deep, const struct spec *spec, const struct grid *grid,
                         struct field *out, struct deep_work *work);

/* Bytes of the table for an orbit of so many steps, with the default shortest blocks. */
size_t deep_table_bytes(const struct formula *formula, int64_t steps, size_t bytes_max);

void deep_close(struct deep *deep); /* accepts a zeroed one */

#endif
