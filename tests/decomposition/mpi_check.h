/* The frame of a test that runs on all ranks.
 *
 * Every test ends in settle(): the ranks agree whether it passed everywhere, so that one that
 * failed does not leave the others waiting. */
#ifndef TESTS_DECOMPOSITION_MPI_CHECK_H
#define TESTS_DECOMPOSITION_MPI_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "decomposition/world/world.h"

extern struct world *world;
extern char wrong[1024]; /* the first expectation that failed on this rank */

#define EXPECT(condition)                                                                        \
    do {                                                                                         \
        if (!(condition) && !wrong[0])                                                           \
            snprintf(wrong, sizeof wrong, "%s:%d: %s (status text: %.500s)", __FILE__, __LINE__, \
                     #condition, status_text());                                                 \
    } while (0)

/* Opens the world; ranks > 0 are silent on stdout from now on. False, having said why, when that
 * fails. */
bool check_begin(void);

/* Fails the test on all ranks if it failed on one. Calls check_undo before. */
void settle(void);

/* Ends the trouble that a test has made; the program defines it. */
void check_undo(void);

#endif
