/* Macros for code that is compiled for several pack types: the operations of
 * kernels/escape/lanes.h and the steps written with them, without the type's prefix.
 *
 * They mean what PREFIX, LANES, PACKS and BODY are where they stand:
 *
 *     PREFIX   prefix of the pack's operations: f64x8
 *     PACK     its type
 *     LANES    lanes of a pack
 *     PACKS    packs at a time; hides the latency of the multiply-adds
 *     BODY     suffix of NAME(...) */
#ifndef KERNELS_ESCAPE_PACKS_H
#define KERNELS_ESCAPE_PACKS_H

#include "kernels/escape/attractor.h"
#include "kernels/escape/quadratic.h"

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define NAME(word) PASTE(word, BODY)
#define P(word) PASTE(PREFIX, word)

#define WITH_PREFIX_(macro, prefix, ...) macro(prefix, __VA_ARGS__)
#define WITH_PREFIX(macro, ...) WITH_PREFIX_(macro, PREFIX, __VA_ARGS__)
#define STEP(...) WITH_PREFIX(QUADRATIC_STEP, __VA_ARGS__)
#define SLOPE(...) WITH_PREFIX(QUADRATIC_SLOPE, __VA_ARGS__)
#define NORM(...) WITH_PREFIX(QUADRATIC_NORM, __VA_ARGS__)
#define TRIP_STEP(...) WITH_PREFIX(ATTRACTOR_TRIP_STEP, __VA_ARGS__)
#define SLOPES_STEP(...) WITH_PREFIX(ATTRACTOR_SLOPES_STEP, __VA_ARGS__)

#define SLOTS (LANES * PACKS) /* pixels at a time */
/* The lanes below n, for any n. */
#define LANES_BELOW(n) ((n) <= 0 ? 0u : 0xffffffffu >> (32 - ((n) < LANES ? (n) : LANES)))
#define UNROLL_PACKS _Pragma("GCC unroll 16") for (int v = 0; v < PACKS; v++)
#define ALIGNED _Alignas(64)

#endif
