/* Links from other machines to rank 0: measured once, so that those that are slower than packing
 * carry packed pixels (packing.h).
 *
 * All ranks of other machines send to rank 0 at the same time, as they do with the tiles of a
 * picture, so that each finds its share of rank 0's link. Ranks of rank 0's machine never pack
 * unless they are asked to. The result is kept in the world: struct world, `packs`. */
#ifndef DECOMPOSITION_TRANSPORT_LINK_H
#define DECOMPOSITION_TRANSPORT_LINK_H

#include <stdbool.h>

#include "decomposition/world/world.h"
#include "kernels/status.h"

enum packing_wish { PACKING_AUTO, PACKING_ALWAYS, PACKING_NEVER };

struct link_speeds { /* bytes per second, of pixels */
    double link;     /* this rank's share while all others send, too */
    double pack;
    double unpack; /* this rank's share of what rank 0 unpacks */
};

/* Does packing shorten the way? Packs only where it clearly does: both ends have other things to
 * do. Pure. */
bool link_packs(const struct link_speeds *speeds);

struct link_facts {             /* the same on all ranks */
    int away;                   /* ranks on other machines than rank 0 */
    int packing;                /* ranks that pack */
    struct link_speeds slowest; /* speeds of the rank with the slowest link; 0: not measured */
};

/* Measures where it matters and somebody may choose, and sets world->packs. Collective; wish: the
 * same on all ranks. STATUS_CONFIG: packing is asked for, and this build cannot. */
enum status link_learn(struct world *world, enum packing_wish wish, struct link_facts *facts);

/* For benchmarks, whatever was measured: this rank packs from the next job on, if it is not rank 0,
 * or does not. */
void link_force(struct world *world, bool packs);

#endif
