/* Memory that this rank's devices reach fast, lent to whoever moves pixels. */
#ifndef DECOMPOSITION_MESSAGE_JOB_MEMORY_H
#define DECOMPOSITION_MESSAGE_JOB_MEMORY_H

#include <stddef.h>

#include "kernels/field.h"

/* Its owner keeps it from job to job. Called on the thread that opened the world. */
struct job_memory {
    void *context;
    /* At least `bytes` of host memory, pinned, aligned to 64; NULL: none, then the job takes
     * ordinary memory. */
    void *(*take)(void *context, size_t bytes);
    void (*give)(void *context, void *memory); /* what take gave, once */
    /* Device memory, in the same way. Both NULL unless MPI is proven to send and receive it:
     * transports that would use it then do with host memory. */
    void *(*device_take)(void *context, size_t bytes);
    void (*device_give)(void *context, void *memory);
    /* Copies all pixels of a packed field, in host memory or from device_take, into a window of the
     * frame; one of them is device memory. Blocks. Rank 0; NULL where neither can be. */
    enum status (*copy)(void *context, const struct field *to, const struct field *from);
};

#endif
