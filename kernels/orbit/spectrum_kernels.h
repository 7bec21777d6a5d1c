/* The arithmetic of spectrum.h for each instruction set; all give the same coefficients. */
#ifndef KERNELS_ORBIT_SPECTRUM_KERNELS_H
#define KERNELS_ORBIT_SPECTRUM_KERNELS_H

#include "kernels/orbit/spectrum.h"

struct spectrum_kernels {
    /* Phases FORTH, SQUARE and BACK. */
    void (*job[SPECTRUM_PHASES])(struct spectrum *spectrum, int job, struct spectrum_lanes *tile);
};

extern const struct spectrum_kernels spectrum_plain;
#if defined(__x86_64__)
extern const struct spectrum_kernels spectrum_avx2;
#endif

#endif
