/* The CPU rows of the list of backends. */
#ifndef KERNELS_CPU_CPU_BACKEND_H
#define KERNELS_CPU_CPU_BACKEND_H

#include "kernels/backend.h"

extern const struct backend_kind backend_scalar;
#ifdef __x86_64__
extern const struct backend_kind backend_avx2;
extern const struct backend_kind backend_avx512;
#endif

/* Cores that this process may run on, which mpirun and batch systems cut down. */
int cpu_threads_usable(void);

#endif
