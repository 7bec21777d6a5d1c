#include "decomposition/schedule/schedule.h"

#include <stddef.h>

/* Tile i belongs to worker i mod workers. Neighbouring tiles cost about the same, so dealing them
 * out in turn balances well as long as there are many tiles per worker. */
static uint32_t cyclic_at(uint32_t k, uint32_t worker, uint32_t workers, uint32_t tile_count)
{
    uint64_t tile = (uint64_t)k * workers + worker;
    return tile < tile_count ? (uint32_t)tile : tile_count;
}

const struct schedule_kind schedule_cyclic = {
    .name = "cyclic",
    .summary = "fixed: tiles dealt out in turn; nothing is sent to share the work",
    .is_static = true,
    .at = cyclic_at,
};
