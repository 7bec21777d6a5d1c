/* The memory that this process may take, and large memory. */
#ifndef RENDER_DISK_MEMORY_H
#define RENDER_DISK_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct memory_away { /* where a rank has least, among machines other than rank 0's that compute */
    char host[64];
    int ranks;      /* that compute there; 0: there is no such machine */
    uint64_t bytes; /* that all of them may take together */
};

/* Bytes: the least of what the system says is available and what is left of the limits of this
 * process's control group and of every group around it (batch systems and containers set them), of
 * version 1 or 2. UINT64_MAX when nothing can be read. */
uint64_t memory_available(void);

/* What of that is left, at least half, beside `bytes` that are not taken yet. */
uint64_t memory_beside(uint64_t bytes);

/* The same with /proc and /sys of another root folder: "" is the real one. */
uint64_t memory_available_in(const char *root);

/* As malloc, for free; large memory in huge pages, of which the first touch takes a fifth of the
 * time. NULL without memory. */
void *memory_large(size_t bytes);

#endif
