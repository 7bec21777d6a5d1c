#include "decomposition/message/block.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "decomposition/message/message.h"

enum { MAPPED_BYTES = 4 << 20 }; /* from here on huge pages are worth the call */

static bool borrow(struct block *block, const struct job_memory *memory, size_t bytes)
{
    *block = (struct block){.bytes = bytes ? bytes : 1};
    block->at = memory ? memory->take(memory->context, block->bytes) : NULL;
    block->owner = block->at ? memory : NULL;
    return block->at != NULL;
}

static enum status none(size_t bytes)
{
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu bytes of pixels", bytes);
}

/* Small pages cost more than the pixels: filling 134 MB took 72 ms, in huge pages 13 ms. A kernel
 * without them loses only that. */
static void *pages_take(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    madvise(pages, bytes, MADV_HUGEPAGE);
    return pages;
}

enum status block_take(struct block *block, const struct job_memory *memory, size_t bytes)
{
    if (borrow(block, memory, bytes))
        return STATUS_OK;
    block->mapped = block->bytes >= MAPPED_BYTES;
    block->at = block->mapped ? pages_take(block->bytes)
                              : aligned_alloc(MESSAGE_UNIT, message_padded(block->bytes));
    return block->at ? STATUS_OK : none(bytes);
}

bool block_try_device(struct block *block, const struct job_memory *memory, size_t bytes)
{
    *block = (struct block){.bytes = bytes ? bytes : 1, .space = MEMORY_DEVICE, .owner = memory};
    if (memory && memory->device_take)
        block->at = memory->device_take(memory->context, block->bytes);
    if (!block->at)
        *block = (struct block){0};
    return block->at != NULL;
}

enum status block_take_device(struct block *block, const struct job_memory *memory, size_t bytes)
{
    return block_try_device(block, memory, bytes) ? STATUS_OK : block_take(block, memory, bytes);
}

void block_give(struct block *block)
{
    if (block->owner && block->space != MEMORY_HOST)
        block->owner->device_give(block->owner->context, block->at);
    else if (block->owner)
        block->owner->give(block->owner->context, block->at);
    else if (block->mapped)
        munmap(block->at, block->bytes);
    else
        free(block->at);
    *block = (struct block){0};
}
