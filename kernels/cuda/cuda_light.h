/* The mean of the colours of samples that lie in a GPU's memory, on a stream of its own: the next
 * picture is computed meanwhile. */
#ifndef KERNELS_CUDA_CUDA_LIGHT_H
#define KERNELS_CUDA_CUDA_LIGHT_H

#include <cuda_runtime.h>

#include "kernels/colour/look.h"
#include "kernels/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cuda_light { /* zeroed: not open */
    cudaStream_t stream;
    float (*table)[4];        /* device: table of the look's palette */
    char *pinned;             /* two chunks on their way to the host, alternating */
    cudaEvent_t here[2];      /* each chunk has arrived */
    uint32_t *squares;        /* device: [room] numbers of squares */
    struct colour_sums *sums; /* device: [room] */
    uint32_t room;
};

/* The verb `mean_add` of struct backend_memory, on the calling thread's current GPU. Fails as
 * cuda_check does. */
enum status cuda_light_add(struct cuda_light *light, const struct colour_mean *mean,
                           volatile int *lost);

/* The verb `compare`, likewise. */
enum status cuda_light_compare(struct cuda_light *light, const struct colour_compare *compare,
                               volatile int *lost);

void cuda_light_close(struct cuda_light *light, int device); /* accepts a zeroed one */

#ifdef __cplusplus
}
#endif

#endif
