/* Periods and distances inside, by a GPU: of the pixels of a piece whose counts are known, those
 * that do not escape. A thread takes a pixel through kernels/escape/attractor.h, so the bits are
 * those of processors. */
#ifndef KERNELS_CUDA_CUDA_ATTRACTORS_H
#define KERNELS_CUDA_CUDA_ATTRACTORS_H

#include "kernels/cuda/cuda_kernels.h"

struct attractor_piece {
    struct piece piece;     /* with its counts, which are only read */
    float *period, *inside; /* planes, packed; or NULL, each */
    int32_t julia;          /* the period of all pixels inside a Julia set; -1: of none */
};

/* Enqueues all launches for a piece. A launch is as many pixels as the device works on at a time,
 * so a stop is seen after the longest search, milliseconds. */
void launch_attractors(const struct piece *piece, float *period, float *inside, int units,
                       cudaStream_t stream);

#endif
