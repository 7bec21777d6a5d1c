/* The inner loops of warp.c in vectors of AVX2, with the same bits. Each returns how many pixels it
 * has made, from the first on; the caller makes the rest. For warp*.c only. */
#ifndef RENDER_MOTION_WARP_AVX2_H
#define RENDER_MOTION_WARP_AVX2_H

#include <stdint.h>

/* Pixels between two rows: (upper (256 - weight) + lower weight) / 256, rounded. */
int64_t warp_rows_avx2(const uint32_t *upper, const uint32_t *lower, uint8_t weight, uint32_t *out,
                       int64_t count);

/* Pixels along a row, at u, u + ux, ... in 2^-32 pixels, each between its left and its right
 * neighbour. */
int32_t warp_along_avx2(const uint32_t *row, int64_t u, int64_t ux, uint32_t *out, int32_t count);

#endif
