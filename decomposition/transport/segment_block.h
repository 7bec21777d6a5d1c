/* The memory of a segment, from the operating system. Private to segment.c.
 *
 * A block of shared memory is a memfd: a file without a name in any file system, gone with its last
 * user. Its name under /proc carries the owner's process and 64 random bits, by which another
 * process knows that it opens the right one. */
#ifndef DECOMPOSITION_TRANSPORT_SEGMENT_BLOCK_H
#define DECOMPOSITION_TRANSPORT_SEGMENT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/status.h"

enum { SEGMENT_NAME_BYTES = 48, SEGMENT_WHY_BYTES = 512 };

struct segment_block {
    char *memory; /* NULL: none */
    size_t bytes; /* whole pages */
    int file;     /* -1: none, or closed; the memory stays */
};

/* Makes a name that no other process has. */
void segment_block_name(char name[SEGMENT_NAME_BYTES]);

/* Shared memory of that name, committed and mapped. STATUS_OUT_OF_MEMORY with figures when there is
 * too little; STATUS_OK without memory, and the reason in `why`, when this system gives none. */
enum status segment_block_create(struct segment_block *block, const char *name, size_t bytes,
                                 char why[SEGMENT_WHY_BYTES]);

/* Memory of this process alone, committed as it is touched. STATUS_OUT_OF_MEMORY with figures. */
enum status segment_block_private(struct segment_block *block, size_t bytes);

/* Maps the shared memory behind `file`, which must have `bytes` bytes, and closes `file`. */
bool segment_block_map(struct segment_block *block, int file, size_t bytes,
                       char why[SEGMENT_WHY_BYTES]);

void segment_block_close_file(struct segment_block *block);
void segment_block_close(struct segment_block *block);

#endif
