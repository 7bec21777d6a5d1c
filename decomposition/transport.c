#include "decomposition/transport.h"

#include <string.h>

const struct transport_kind *const transport_kinds[] = {&transport_local, &transport_gatherv,
                                                        &transport_staged};
const int transport_kinds_count = sizeof transport_kinds / sizeof *transport_kinds;

const struct transport_kind *transport_named(const char *name)
{
    for (int i = 0; i < transport_kinds_count; i++)
        if (!strcmp(transport_kinds[i]->name, name))
            return transport_kinds[i];
    return NULL;
}

/* One collective per pass is what suits a static schedule and a slow network stack. On one machine
 * of two cores, under load, it was the dearer road for large tiles: 134 MB in tiles of 256 pixels
 * took 60-140 ms by gatherv and 25-80 ms by staged, because the pixels lie in fresh memory twice
 * and do not travel while others are computed. In tiles of 2 KB each costs 8-20 us per tile. */
const struct transport_kind *transport_choose(int world_size, bool schedule_is_static,
                                              const char **reason)
{
    if (world_size == 1) {
        *reason = "one rank: tiles are home when they are computed";
        return &transport_local;
    }
    if (schedule_is_static) {
        *reason = "static schedule: all pixels in one collective at the end";
        return &transport_gatherv;
    }
    *reason = "dynamic schedule: each tile travels while the next is computed";
    return &transport_staged;
}
