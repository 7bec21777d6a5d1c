/* The memory that this process may take, and large memory. */
#ifndef RENDER_DISK_MEMORY_H
#define RENDER_DISK_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct memory_remote { /* machine, other than rank 0's, whose ranks that compute have least memory
                        each */
    char host[64];
    int ranks;      /* ranks that compute there; 0: there is no such machine */
    uint64_t bytes; /* memory that all of them may take together */
};

/* Bytes available: the least of what the system reports and what is left of the limits of this
 * process's control group and of every group around it (batch systems and containers set them), of
 * version 1 or 2. UINT64_MAX when nothing can be read. An answer holds for 0.1 s, or until
 * memory_changed. */
uint64_t memory_available(void);

/* Much memory was taken or given back by this process: what was available is not any more. */
void memory_changed(void);

/* Bytes available less `bytes` that are not taken yet, but at least half of those available. */
uint64_t memory_available_less(uint64_t bytes);

/* Bytes available as read from /proc and /sys of another root folder: "" is the real one. */
uint64_t memory_available_in(const char *root);

/* Allocates like malloc, for free(); large memory comes in huge pages, whose first touch takes a
 * fifth of the time. NULL without memory. */
void *memory_large(size_t bytes);

/* Lets so many threads touch each page of much memory, which keeps what is in it: the first touch
 * by the one that writes there takes as long as its writing. Nothing for less than 256 MiB. */
void memory_touch(void *memory, size_t bytes, int threads);

#endif
