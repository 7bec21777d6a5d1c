/* Where does the memory of a segment come from? Private to segment.c.
 *
 * A block of shared memory is a memfd: a file without a name in any file system, gone with its last
 * user. Its name under /proc carries the owner's process and 64 random bits, by which another
 * process knows that it opens the right one. */
#ifndef DECOMPOSITION_SEGMENT_BLOCK_H
#define DECOMPOSITION_SEGMENT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/status.h"

enum { BLOCK_NAME_BYTES = 48, BLOCK_WHY_BYTES = 512 };

struct block {
    char *memory; /* NULL: none */
    size_t bytes; /* whole pages */
    int file;     /* -1: none, or closed; the memory stays */
};

/* A new name. */
void block_name(char name[BLOCK_NAME_BYTES]);

/* Shared memory of that name, committed and mapped. STATUS_OUT_OF_MEMORY with figures when there is
 * too little; STATUS_OK without memory, and the reason in `why`, when this system gives none. */
enum status block_create(struct block *block, const char *name, size_t bytes,
                         char why[BLOCK_WHY_BYTES]);

/* Memory of this process alone, committed as it is touched. STATUS_OUT_OF_MEMORY with figures. */
enum status block_private(struct block *block, size_t bytes);

/* Maps the shared memory behind `file`, which must have `bytes` bytes, and closes `file`. */
bool block_map(struct block *block, int file, size_t bytes, char why[BLOCK_WHY_BYTES]);

void block_close_file(struct block *block);
void block_close(struct block *block);

#endif
