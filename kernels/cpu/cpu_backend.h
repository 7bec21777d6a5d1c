/* The CPU rows of the list of backends. */
#ifndef KERNELS_CPU_CPU_BACKEND_H
#define KERNELS_CPU_CPU_BACKEND_H

#include "kernels/backend.h"

/* All are in the list on every processor; those of another kind have no devices. */
extern const struct backend_kind backend_scalar;
extern const struct backend_kind backend_avx2, backend_avx512; /* x86-64 */
extern const struct backend_kind backend_neon;                 /* 64-bit ARM */

/* Cores that this process may run on, which mpirun and batch systems cut down. */
int cpu_threads_usable(void);

#endif
