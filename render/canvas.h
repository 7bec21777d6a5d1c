/* Where does the picture lie, and does this rank reach it?
 *
 * In host memory that all ranks of rank 0's machine share, or in the memory of rank 0's first GPU,
 * which ranks of the same machine may open. A rank that does not reach it sends its tiles another
 * way. The memory is kept from picture to picture. */
#ifndef RENDER_CANVAS_H
#define RENDER_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

#include "decomposition/segment.h"
#include "decomposition/world.h"
#include "kernels/field.h"
#include "render/crew.h"

struct canvas {
    struct segment *segment; /* host memory that ranks of rank 0's machine share */
    void *host;              /* the segment's, or rank 0's own; NULL where it is not reached */
    bool own;                /* host is rank 0's own: nobody else reaches it */
    bool tried;              /* to share it */
    size_t bytes;            /* of the host memory; the same on every rank */
    void *device;            /* device memory, as this rank reaches it; NULL if it does not */
    size_t device_bytes;
    bool shown;          /* device memory of rank 0 has been offered; the same on every rank */
    bool pinned;         /* this rank's devices write into the segment at full speed */
    char why[256];       /* why this rank does not reach it; "" if it does */
    char no_device[256]; /* why rank 0's GPU has no room for the picture; "" if it has, or need not;
                            the same on every rank */
};

enum canvas_place {
    CANVAS_PRIVATE, /* host memory of rank 0 */
    CANVAS_SHARED,  /* host memory that the ranks of rank 0's machine share */
    CANVAS_DEVICE   /* memory of rank 0's first GPU; the host memory is there, too */
};
/* Pinning costs every rank 0.3 ms per MiB of small pages, 0.02 of huge ones, and saves 0.1 ms per
 * MiB of every picture: for one picture only memory is pinned that lies in huge pages. */
enum canvas_use { CANVAS_ONCE, CANVAS_MANY };

/* Makes room for a picture of `bytes`; what is there is kept if it is large enough. Collective,
 * with the same arguments on every rank but `mine`, its status so far. Fails with that, or if rank
 * 0 has no memory, or no GPU for CANVAS_DEVICE; a GPU without room is no failure, but said in
 * no_device. A failure may be this rank's alone: the ranks have to agree behind it, and release the
 * canvas if they fail. */
enum status canvas_fit(struct canvas *canvas, struct world *world, struct crew *crew,
                       enum status mine, size_t bytes, enum canvas_place place,
                       enum canvas_use use);

/* Gives the host memory back. */
void canvas_release(struct canvas *canvas, struct crew *crew);

/* Collective, before the crew is closed. Accepts a zeroed one. */
void canvas_close(struct canvas *canvas, struct world *world, struct crew *crew);

/* Does this rank reach the picture in that place (in host memory: whichever it is)? */
bool canvas_reached(const struct canvas *canvas, enum canvas_place place);

/* The picture as this rank reaches it, for a shape that was fitted; base and planes are NULL if it
 * does not. */
struct field canvas_field(const struct canvas *canvas, enum canvas_place place,
                          const struct field *shape);

#endif
