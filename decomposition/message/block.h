/* Memory for pixels that are on their way: memory that the devices reach fast if its owner has
 * some, else ordinary memory; or device memory, if MPI may send it. Private to decomposition/. */
#ifndef DECOMPOSITION_MESSAGE_BLOCK_H
#define DECOMPOSITION_MESSAGE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "decomposition/message/job_memory.h"

struct block {
    unsigned char *at; /* aligned to 64 bytes; NULL: none */
    size_t bytes;
    enum memory_space space;
    const struct job_memory *owner; /* NULL: ordinary memory */
    bool mapped;                    /* ordinary memory in pages of its own */
};

/* At least `bytes`; ordinary memory becomes real as it is written. `memory` may be NULL, and
 * outlives the block. */
enum status block_take(struct block *block, const struct job_memory *memory, size_t bytes);

/* Takes device memory that MPI may send, if the owner gives some; else false, and the block is
 * zeroed. */
bool block_try_device(struct block *block, const struct job_memory *memory, size_t bytes);

/* The same, or else block_take. */
enum status block_take_device(struct block *block, const struct job_memory *memory, size_t bytes);

/* Accepts a zeroed block; leaves one. */
void block_give(struct block *block);

#endif
