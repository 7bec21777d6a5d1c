/* Periods and distances inside, by a GPU, for pixels of a piece that do not escape; its counts are
 * computed before. A thread takes a pixel through kernels/escape/attractor.h, so the bits are those
 * of processors. */
#ifndef KERNELS_CUDA_CUDA_ATTRACTORS_H
#define KERNELS_CUDA_CUDA_ATTRACTORS_H

#include "kernels/cuda/cuda_kernels.h"

struct attractor_piece {
    struct piece piece;     /* its counts are only read */
    float *period, *inside; /* planes, packed; each may be NULL */
    int32_t julia;          /* period of all pixels inside a Julia set; -1: not a Julia set */
};

/* Enqueues all launches for a piece. A launch has as many pixels as the device works on at a time,
 * so a stop is seen after the longest search, milliseconds. */
void launch_attractors(const struct piece *piece, float *period, float *inside, int units,
                       cudaStream_t stream);

#endif
