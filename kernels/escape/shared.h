/* Macros and functions of all headers of kernels/escape/, for C and CUDA.
 *
 * The arithmetic in this folder is compiled by gcc, clang and nvcc and must give the same bits.
 * So: contraction is off everywhere, a fused multiply-add is written fma(), and nothing is used
 * that only one of the languages has. */
#ifndef KERNELS_ESCAPE_SHARED_H
#define KERNELS_ESCAPE_SHARED_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define ESCAPE_FN static inline __host__ __device__
#else
#define ESCAPE_FN static inline
#endif

/* Loads a record that is not written meanwhile; on a GPU by its widest loads, where the size is a
 * multiple of 16 and the address, too. */
#ifdef __CUDA_ARCH__
extern "C++" /* some include this among declarations for C */
    template <class Record>
    __device__ __forceinline__ Record escape_load(const Record *at)
{
    if constexpr (sizeof(Record) % sizeof(double2) == 0) {
        double2 word[sizeof(Record) / sizeof(double2)];
        for (size_t i = 0; i < sizeof word / sizeof *word; i++)
            word[i] = __ldg((const double2 *)at + i);
        Record record;
        memcpy(&record, word, sizeof record);
        return record;
    } else {
        return *at;
    }
}
#else
#define escape_load(at) (*(at))
#endif

/* floor(log2(positive)) */
ESCAPE_FN int escape_log2(int64_t positive)
{
#ifdef __CUDA_ARCH__
    return 63 - __clzll(positive);
#else
    return 63 - __builtin_clzll((unsigned long long)positive);
#endif
}

#endif
