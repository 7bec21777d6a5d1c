/* The reference of a picture by perturbation: the reference orbit of its centre, computed on rank 0
 * and sent to all ranks, and the blocks that each rank builds from it. */
#ifndef RENDER_REFERENCE_REFERENCE_H
#define RENDER_REFERENCE_REFERENCE_H

#include <stdbool.h>

#include "decomposition/world/world.h"
#include "kernels/deep/deep.h"
#include "kernels/deep/block_usage.h"
#include "kernels/orbit/orbit.h"
#include "kernels/orbit/device/orbit_device.h"
#include "render/device/device_set.h"
#include "render/reference/orbit_cache.h"
#include "render/view/view.h"

struct reference {
    struct orbit orbit;  /* complete on rank 0; elsewhere the parts needed there, in `bytes` */
    void *bytes;         /* message of rank 0; owned */
    uint64_t number;     /* number of the orbit, set by reference_make; unique in a process */
    struct deep settled; /* blocks of the picture, built by reference_settle; or zeroed */
    enum orbit_cache_use cache;
    char warning[STATUS_TEXT_BYTES];     /* warning of the cache; "": none */
    char device_lost[STATUS_TEXT_BYTES]; /* why a device left the orbit to the processor; or "" */
};

enum reference_stage { REFERENCE_ORBIT, REFERENCE_BLOCKS };

struct reference_progress {
    enum reference_stage stage;
    int64_t done, most; /* steps of the orbit, which may end sooner; or merged blocks */
    double seconds;     /* seconds since the stage began */
};

struct reference_request {
    double accuracy_px;
    enum blocks blocks;
    /* amplification of the errors of blocks, found by reference_settle; or 0 */
    double amplification;
    double roundings_px; /* pixels by which roundings alone move a pixel, found by reference_settle
                            where that may be much (error_of_doubles); else 0 */
    uint64_t orbit;      /* number of an orbit that serves many pictures; 0: it serves one */
    /* Offset of the view's centre from the reference, in units of the grid's exponent: 0 for
     * pictures, whose reference is the centre; previews may have one nearby. */
    double offset_re, offset_im;
    int threads; /* threads of rank 0 for reference_settle and for surveys; 0: all */
    /* Kernels of a backend, for reference_deep; NULL: the best of this processor. */
    const struct deep_kernels *kernels;
};

/* A reference that outlives its picture, to compute some of its pixels again. */
struct kept_reference {
    struct reference reference;
    struct reference_request request;
};

struct reference_hooks {
    void (*progress)(void *context, const struct reference_progress *progress); /* may be NULL */
    void *context;
    const volatile int *stop;   /* non-zero: calls return STATUS_STOPPED; may be NULL */
    struct orbit_device device; /* takes the orbit's steps where it serves */
    bool keeps_stopped; /* the cache gets an orbit that was stopped, too, so that the next run
                           continues it */
    bool keeps_settled; /* the blocks of this processor are kept, though devices have their own */
};

/* Most bytes that the orbits for `limit` steps, and blocks for them, can take on a rank. Doubles,
 * as the limit may be 2^63. */
double reference_orbit_most(const struct formula *formula, int64_t limit);
double reference_blocks_most(const struct formula *formula, int64_t limit, enum blocks blocks);

/* Grid of the offsets of pixels from the reference's c, at any depth. */
struct grid reference_grid(const struct view_numbers *numbers, int32_t x, int32_t y, int32_t width,
                           int32_t height);

/* Factor by which blocks must be more exact than the picture. */
double reference_exactness(const struct formula *formula);

/* Rank 0: computes the orbit of the view's centre, with the help of a folder that keeps orbits (may
 * be NULL), which changes no number. STATUS_STOPPED; STATUS_TOO_LARGE, with figures, when it takes
 * more than this rank's share of a quarter of the free memory. */
enum status reference_make(struct reference *reference, const struct view *view,
                           const struct view_numbers *numbers, const struct spec *spec,
                           const struct world *world, const char *cache,
                           const struct reference_hooks *hooks);

/* Rank 0, or a process that computes the same picture alone: finds how the errors of blocks and of
 * doubles grow, which decides how much blocks may leave out, and whether doubles suffice: else
 * STATUS_UNREACHABLE. Builds blocks for that, and keeps them if they are those of the picture, so
 * that processors need not build them again. */
enum status reference_settle(struct reference *reference, const struct view_numbers *numbers,
                             const struct spec *spec, struct reference_request *request,
                             const struct reference_hooks *hooks);

/* Packs all that other ranks need of an orbit into one block of so many bytes. */
size_t reference_packed(const struct orbit *orbit);
void reference_pack(const struct orbit *orbit, void *bytes);

/* Reads the orbit from such a block at reference->bytes, aligned to 16, which it borrows. */
void reference_unpack(struct reference *reference);

/* Sends the orbit to every rank. Collective: every rank returns the same status. */
enum status reference_share(struct reference *reference, struct world *world);

/* Builds the blocks on every device of the device set. Short blocks of a long orbit are left out
 * until the rest fits into 1 GiB. The limit does not depend on the free memory, because pixels
 * would then have other last bits on other ranks. The device set borrows the orbit until
 * device_set_deep_close. */
enum status reference_open(struct reference *reference, struct device_set *device_set,
                           const struct view_numbers *numbers, const struct spec *spec,
                           const struct reference_request *request,
                           const struct reference_hooks *hooks);

/* Builds the same blocks on this processor alone, whatever the devices are; deep_close also after a
 * failure. */
enum status reference_deep(const struct reference *reference, struct deep *deep,
                           const struct view_numbers *numbers, const struct spec *spec,
                           const struct reference_request *request,
                           const struct reference_hooks *hooks);

/* Most bytes that the blocks of a rank take. world_agree(mine) in the same collective. */
enum status reference_table_bytes(const struct device_set *device_set, struct world *world,
                                  enum status mine, uint64_t *most);

/* Counts which blocks the pixels use: those of the device set or, if it has none on a processor,
 * blocks built for the count. */
enum status reference_block_usage(const struct reference *reference,
                                  const struct device_set *device_set,
                                  const struct view_numbers *numbers, const struct spec *spec,
                                  const struct reference_request *request,
                                  const struct reference_hooks *hooks, struct block_usage *survey);

void reference_close(struct reference *reference); /* accepts a zeroed one */

#endif
