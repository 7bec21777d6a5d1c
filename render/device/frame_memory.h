/* The memory that the picture lies in, as this rank reaches it.
 *
 * It is host memory that all ranks of rank 0's machine share, or the memory of rank 0's first GPU,
 * which ranks of the same machine may open. A rank that does not reach it sends its tiles another
 * way. The memory is kept from picture to picture. */
#ifndef RENDER_DEVICE_FRAME_MEMORY_H
#define RENDER_DEVICE_FRAME_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "decomposition/transport/segment.h"
#include "decomposition/world/world.h"
#include "kernels/field.h"
#include "render/device/device_set.h"

struct frame_memory {
    struct segment *segment; /* host memory that ranks of rank 0's machine share */
    void *host;              /* the segment's, or rank 0's own; NULL where it is not reached */
    bool own;                /* host is rank 0's own: nobody else reaches it */
    bool tried;              /* sharing of host memory was tried */
    size_t bytes;            /* size of the host memory; the same on every rank */
    void *device;            /* device memory, as this rank reaches it; NULL if it does not */
    size_t device_bytes;
    bool shown;          /* device memory of rank 0 has been offered; the same on every rank */
    bool pinned;         /* this rank's devices write into the segment at full speed */
    char why[256];       /* why this rank does not reach it; "" if it does */
    char no_device[256]; /* why rank 0's GPU has no room for the picture; "" if it has, or need not;
                            the same on every rank */
};

enum frame_memory_place {
    FRAME_MEMORY_PRIVATE, /* host memory of rank 0 */
    FRAME_MEMORY_SHARED,  /* host memory that the ranks of rank 0's machine share */
    FRAME_MEMORY_DEVICE   /* memory of rank 0's first GPU; the host memory is there, too */
};

/* Rank 0, alone in its world: makes room in host memory and touches every page, while its devices
 * open (one core takes 24 ms for 128 MiB of huge pages, which frame_memory_fit then pins in 3).
 * What fails here is tried again there. */
void frame_memory_touch(struct frame_memory *frame_memory, struct world *world,
                        struct device_set *device_set, size_t bytes);

/* Makes room for a picture of `bytes`; what is there is kept if it is large enough. beside: so many
 * bytes more of rank 0's GPU, behind the picture, where what is wanted of it is made of that (host
 * memory is then rank 0's alone, and not pinned). Collective, with the same arguments on every rank
 * but `mine`, its status so far. Fails with that, or if rank 0 has no memory, or no GPU for
 * FRAME_MEMORY_DEVICE; a GPU without room is no failure, but said in no_device. A failure may be
 * this rank's alone: the ranks have to agree behind it, and release the frame_memory if they fail.
 */
enum status frame_memory_fit(struct frame_memory *frame_memory, struct world *world,
                             struct device_set *device_set, enum status mine, size_t bytes,
                             size_t beside, enum frame_memory_place place);

/* Gives the host memory back. */
void frame_memory_release(struct frame_memory *frame_memory, struct device_set *device_set);

/* Collective, before the device set is closed. Accepts a zeroed one. */
void frame_memory_close(struct frame_memory *frame_memory, struct world *world,
                        struct device_set *device_set);

/* Does this rank reach the picture in that place (in host memory: whichever it is)? */
bool frame_memory_reached(const struct frame_memory *frame_memory, enum frame_memory_place place);

/* The picture as this rank reaches it, for a shape that was fitted; base and planes are NULL if it
 * does not. */
struct field frame_memory_field(const struct frame_memory *frame_memory,
                                enum frame_memory_place place, const struct field *shape);

/* Memory behind a picture of `bytes` on the GPU. */
void *frame_memory_beside(const struct frame_memory *frame_memory, size_t bytes);

#endif
