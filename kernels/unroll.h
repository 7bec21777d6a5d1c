/* UNROLL: before a loop whose bounds are constants, that all of it be unrolled. */
#ifndef KERNELS_UNROLL_H
#define KERNELS_UNROLL_H

#if defined(__clang__) && defined(DEEPFIELD_SANITIZED)
#define UNROLL _Pragma("clang loop unroll(disable)") /* it would compile for minutes */
#elif defined(__clang__)
#define UNROLL _Pragma("unroll")
#elif defined(DEEPFIELD_SANITIZED)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

#endif
