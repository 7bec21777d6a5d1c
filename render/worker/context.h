/* Contexts: all that the pieces of a picture have in common, as the bytes that ranks and joined
 * jobs get before the pieces. The picture_context comes first, then cells, then the packed
 * reference orbit, each from a multiple of 64 bytes on. */
#ifndef RENDER_WORKER_CONTEXT_H
#define RENDER_WORKER_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "decomposition/pool/join.h"
#include "kernels/field.h"
#include "kernels/grid.h"
#include "kernels/orbit/orbit.h"
#include "kernels/spec.h"
#include "render/plan/plan.h"
#include "render/reference/reference.h"
#include "render/view/view.h"

struct picture_context { /* plain data */
    struct view_numbers view;
    struct spec spec;
    enum method method;
    /* Perturbation: offset of the view's centre from the reference, in units of the view's
     * exponent. */
    double offset_re, offset_im;
    /* View of the blocks, with the offset in `request`; with a key that is not 0 they are kept for
     * the next context with the same key. The packed orbit follows in the bytes for other ranks,
     * unless all are known to have the blocks, or the orbit of that number from a context before.
     */
    uint64_t blocks_key;
    struct view_numbers blocks_view;
    struct reference_request request;
    uint64_t orbit; /* number of the shared orbit for the blocks; 0: the ranks have them */
    /* Cells that follow, and how many of them lie side by side; 0: none */
    uint64_t cells;
    int32_t cells_in_row;
};

enum { CONTEXT_PLANES = PLANE_MASK_COUNT | PLANE_MASK_FRACTION }; /* least planes of a context */

/* Packs context and orbit into one block of bytes, freed by the caller. orbit NULL: none. */
enum status context_pack(const struct picture_context *context, const struct orbit *orbit,
                         void **bytes, size_t *length);

/* Packs a context and its cells, without an orbit. */
enum status context_head_pack(const struct picture_context *context, const struct grid_cell *cells,
                              void **bytes, size_t *length);

/* Packs an orbit alone, as it follows. */
enum status context_orbit_pack(const struct orbit *orbit, void **bytes, size_t *length);

/* Reads a context from its bytes. *cells: in them; *orbit_at: offset of the orbit, `length` where
 * there is none. STATUS_INTERNAL where they are too short. */
enum status context_unpack(const void *bytes, size_t length, struct picture_context *context,
                           const struct grid_cell **cells, size_t *orbit_at);

/* Writes what programs have to have in common that send each other contexts and results: structs
 * as they are in memory. program: its version. */
void context_identity(char text[JOIN_IDENTITY_BYTES], const char *program);

#endif
