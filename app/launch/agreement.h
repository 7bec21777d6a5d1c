/* What the ranks of a job say to each other first: are they the same program, and were they given
 * the same? Rank 0 alone reads files and settings, so what another one was given would be dropped
 * without a word. */
#ifndef APP_LAUNCH_AGREEMENT_H
#define APP_LAUNCH_AGREEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "decomposition/world/world.h"
#include "kernels/status.h"

enum agreement {
    AGREEMENT_WORK, /* all together */
    AGREEMENT_SHOW, /* rank 0 prints what it was asked to, and nothing else is done */
    AGREEMENT_ALONE /* each by itself: they were given different things, of which each is the work
                       of one process */
};

struct agreement_mine {
    enum status status; /* so far; its sentence is status_text() */
    char *const *words; /* command line without the program; ended by NULL */
    bool one_process;   /* the command is the work of one */
    bool shows;         /* on rank 0 */
};

/* The lowest rank's failure on all. STATUS_USAGE when they were given different words, variables of
 * settings, folders or files on stdin, and *agreement is not AGREEMENT_ALONE. One collective, and
 * two more where something differs. Collective. */
enum status agreement_reach(struct world *world, const struct agreement_mine *mine,
                            enum agreement *agreement);

/* Input of a rank, as items that end with a NUL: 'w' and a word, 'v' and "NAME=value", 'i' and a
 * text about the file on stdin. Freed by the caller; NULL without memory. */
char *agreement_items(char *const *words, size_t *bytes);

/* STATUS_USAGE with a sentence about the first item that differs from rank 0's, of which `first`
 * has the first bytes; items that are cut off there count as the same. Pure. */
enum status agreement_compare(const char *mine, size_t bytes, const char *first,
                              size_t first_bytes);

#endif
