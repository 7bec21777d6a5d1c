/* A step of the difference between a pixel and the reference.
 *
 * z_n = Z_m + delta, where Z is the reference orbit of C and the pixel is C + c:
 *     delta' = (2 Z + delta) delta + c.
 * Z_0 = 0, so z_n = 0 + z_n too: "rebasing" puts delta = z_n, m = 0, and is exact but for one
 * rounding. Done wherever |z| < |delta|, it keeps every step's error as small as a move of the
 * pixel by a few 2^-53 of its distance to the reference (Zhuoran, fractalforums 2021, gave the
 * idea): no pixel needs a reference of its own.
 *
 * Everything in kernels/deep/ that computes a pixel is written with fma() and in the common subset
 * of C17 and CUDA C++17, for the same bits everywhere. */
#ifndef KERNELS_DEEP_DELTA_H
#define KERNELS_DEEP_DELTA_H

#include "kernels/always_inline.h"
#include "kernels/escape/shared.h"

/* Inlined always: gcc stops at some size of a kernel; complex numbers then go through memory. */
#ifdef __CUDACC__
#define DEEP_FN ESCAPE_FN
#else
#define DEEP_FN static ALWAYS_INLINE
#endif

#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/number/complex_body.h"
#include "kernels/deep/number/real_end.h"
#include "kernels/deep/number/real_f32.h"
#include "kernels/deep/number/complex_body.h"
#include "kernels/deep/number/real_end.h"

#endif
