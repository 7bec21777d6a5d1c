/* The reference of a picture by perturbation: the reference orbit of its centre, made on rank 0
 * and sent to all, and the blocks that each rank builds from it. */
#ifndef RENDER_REFERENCE_REFERENCE_H
#define RENDER_REFERENCE_REFERENCE_H

#include <stdbool.h>

#include "decomposition/world/world.h"
#include "kernels/deep/deep.h"
#include "kernels/deep/block_usage.h"
#include "kernels/orbit/orbit.h"
#include "render/device/device_set.h"
#include "render/reference/orbit_cache.h"
#include "render/view/view.h"

struct reference {
    struct orbit orbit;  /* on rank 0; elsewhere what is needed of it, in `bytes` */
    void *bytes;         /* as it came from rank 0; owned */
    uint64_t number;     /* of the orbit, by reference_make: no two in a process have the same */
    struct deep settled; /* by reference_settle, with the blocks of the picture; or zeroed */
    enum orbit_cache_use cache;
    char warning[STATUS_TEXT_BYTES]; /* of the cache; "": none */
};

enum reference_stage { REFERENCE_ORBIT, REFERENCE_BLOCKS };

struct reference_progress {
    enum reference_stage stage;
    int64_t done, most; /* steps of the orbit, which may end sooner; or an amount of merging */
    double seconds;     /* since the stage began */
};

struct reference_request {
    double accuracy_px;
    enum blocks blocks;
    double amplification; /* of the errors of blocks, as reference_settle has found it; or 0 */
    double roundings_px;  /* by how much roundings alone move a pixel, likewise, where that may be
                             much (error_of_doubles); else 0 */
    uint64_t orbit;       /* its number, where it serves many pictures; 0: it does not */
    /* Of the view's centre from the reference, in units of the grid's exponent: 0 for pictures, as
     * their reference is the centre; previews may have one nearby. */
    double offset_re, offset_im;
    int threads; /* of rank 0 for that, and for surveys; 0: all */
    /* Of a backend, for reference_deep; NULL: the best of this processor. */
    const struct deep_kernels *kernels;
};

/* A reference beyond its picture, for making some of its pixels again. */
struct kept_reference {
    struct reference reference;
    struct reference_request request;
};

struct reference_hooks {
    void (*progress)(void *context, const struct reference_progress *progress); /* may be NULL */
    void *context;
    const volatile int *stop; /* non-zero: give up with STATUS_STOPPED; may be NULL */
    bool keeps_stopped; /* the cache gets an orbit that was stopped, too, to go on from there */
    bool keeps_settled; /* the blocks of this processor stay, though devices have their own */
};

/* The most that the orbits for `limit` steps, and blocks for them, can take on a rank. As doubles:
 * the limit may be 2^63. */
double reference_orbit_most(const struct formula *formula, int64_t limit);
double reference_blocks_most(const struct formula *formula, int64_t limit, enum blocks blocks);

/* What a pixel of the picture adds to the reference's c, at any depth. */
struct grid reference_grid(const struct view_numbers *numbers, int32_t x, int32_t y, int32_t width,
                           int32_t height);

/* How many times as exact as the picture its blocks have to be. */
double reference_exactness(const struct formula *formula);

/* Rank 0: the orbit of the view's centre, with the help of a folder that keeps orbits (may be
 * NULL), which changes no number. STATUS_STOPPED; STATUS_TOO_LARGE, figures shown, when it takes
 * more than this rank's share of a quarter of the memory that is free. */
enum status reference_make(struct reference *reference, const struct view *view,
                           const struct view_numbers *numbers, const struct spec *spec,
                           const struct world *world, const char *cache,
                           const struct reference_hooks *hooks);

/* Rank 0, or who makes the same picture alone: how the errors of blocks and of doubles grow, which
 * decides how much blocks may leave out, and whether doubles will do: else STATUS_UNREACHABLE.
 * Builds blocks for that, and keeps them if they are those of the picture: then processors need not
 * build them again. */
enum status reference_settle(struct reference *reference, const struct view_numbers *numbers,
                             const struct spec *spec, struct reference_request *request,
                             const struct reference_hooks *hooks);

/* All that other ranks need of an orbit, as one block of so many bytes. */
size_t reference_packed(const struct orbit *orbit);
void reference_pack(const struct orbit *orbit, void *bytes);

/* The orbit from such a block at reference->bytes, aligned to 16, which it borrows. */
void reference_unpack(struct reference *reference);

/* The orbit to every rank. Collective, in which every rank returns the same status. */
enum status reference_share(struct reference *reference, struct world *world);

/* The blocks, on every device of the device set. Of a long orbit short ones are left out until they
 * fit into 1 GiB. It is not the free memory that decides, because pixels would then have other last
 * bits on other ranks. The device set borrows the orbit until device_set_deep_close. */
enum status reference_open(struct reference *reference, struct device_set *device_set,
                           const struct view_numbers *numbers, const struct spec *spec,
                           const struct reference_request *request,
                           const struct reference_hooks *hooks);

/* The same blocks on this processor alone, whatever the devices are; deep_close also after a
 * failure. */
enum status reference_deep(const struct reference *reference, struct deep *deep,
                           const struct view_numbers *numbers, const struct spec *spec,
                           const struct reference_request *request,
                           const struct reference_hooks *hooks);

/* The most bytes that the blocks of a rank take. world_agree(mine) in the same collective. */
enum status reference_table_bytes(const struct device_set *device_set, struct world *world,
                                  enum status mine, uint64_t *most);

/* Which blocks the pixels use: those of the device set or, if it has none on a processor, built for
 * it.
 */
enum status reference_block_usage(const struct reference *reference,
                                  const struct device_set *device_set,
                                  const struct view_numbers *numbers, const struct spec *spec,
                                  const struct reference_request *request,
                                  const struct reference_hooks *hooks, struct block_usage *survey);

void reference_close(struct reference *reference); /* accepts a zeroed one */

#endif
