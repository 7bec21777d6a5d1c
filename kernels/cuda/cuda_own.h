/* Kernels of one own formula, compiled while the program runs.
 *
 * NVRTC, NVIDIA's compiler as a library, is loaded if this machine has it; nothing is linked
 * against it. It compiles kernels/cuda/cuda_formula_kernel.h, from texts inside the program, with
 * the steps of rows in the order of the formula's operations; it sees no text of the user.
 * Contraction is off, as everywhere, so the bits are those of the interpreter. */
#ifndef KERNELS_CUDA_CUDA_OWN_H
#define KERNELS_CUDA_CUDA_OWN_H

#include <cuda_runtime.h>

#include "kernels/cuda/cuda_formulas.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cuda_own {
    struct formula_program program;
    cudaLibrary_t library;
    cudaKernel_t kernel[2]; /* enum formula_pass; take struct formula_piece and `first` */
};

/* Kernels of a program for the current device; NULL, from then on always, without NVRTC or where it
 * fails. Kept until the process ends, OWN_KERNELS_MAX of them; then NULL. Blocks while it compiles,
 * about half a second, and while another thread does. Any thread. */
const struct cuda_own *cuda_own_kernels(const struct formula_program *program);

/* Describes the formula, a row or an own one, in *work. */
void cuda_own_describe(struct formula_piece *work, const struct spec *spec);

/* The program of any formula of lists, for kernels that interpret it, with the scales of its
 * fractions. */
struct formula_program cuda_program(const struct spec *spec,
                                    struct fraction_scale scale[FORMULA_PHASES_MAX]);

/* Writes the source that would be compiled. Returns its length; `text` may be too short for it. */
size_t cuda_own_source(const struct formula_program *program, char *text, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
