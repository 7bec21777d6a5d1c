/* The end of a test's ranks. */
#ifndef TESTS_SUPPORT_WORLD_END_H
#define TESTS_SUPPORT_WORLD_END_H

#include <stdlib.h>

#include "decomposition/world/world.h"

/* Ends all ranks, and this process where there is no MPI. */
_Noreturn static inline void world_end(struct world *ranks, enum status status)
{
    world_abort(ranks, status);
    exit(status_exit_code(status));
}

#endif
