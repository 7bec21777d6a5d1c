#include "decomposition/schedule.h"

#include <stddef.h>

/* The list is taken from the front by whoever is free; a caller that sorts it by predicted cost
 * gets longest-first. Near the end, when fewer tiles are left than there are workers, nobody is
 * given a second one: it would lie in a queue while another worker has nothing to do. */
static uint32_t dynamic_next(struct schedule *schedule, uint32_t worker, uint32_t outstanding)
{
    (void)worker;
    uint32_t left = schedule->tile_count - schedule->taken;
    if (left == 0 || outstanding >= SCHEDULE_CREDITS)
        return schedule->tile_count;
    if (outstanding > 0 && left <= schedule->workers)
        return schedule->tile_count;
    return schedule->taken++;
}

const struct schedule_kind schedule_dynamic = {
    .name = "dynamic",
    .summary = "on demand: each worker is given the next tile as it finishes one",
    .is_static = false,
    .next = dynamic_next,
};
