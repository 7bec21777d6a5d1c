/* The end of a cpu_*.c file, after the bodies: defines the table of kernels `KERNELS`. It refers to
 * FORMULA_KERNELS, the table of all formulas, and to RATIONAL_KERNELS, that of formulas that divide
 * or converge. */
#ifndef KERNELS
#error "cpu_kernels.h: define KERNELS and FORMULA_KERNELS first"
#endif

static void fractions(float *norms, size_t count, double bailout)
{
    double offset = fraction_offset(bailout);
    for (size_t i = 0; i < count; i++)
        norms[i] = fraction_of(norms[i], offset);
}

const struct cpu_kernels KERNELS = {
    .memory_bytes = sizeof(union {
        struct worker_fp32 a;
        struct worker_fp64 b;
        struct worker_ds c;
        struct slope_worker d;
    }),
    .work = {[NUMBER_FP32] = work_fp32, [NUMBER_FP64] = work_fp64, [NUMBER_DS] = work_ds},
    .prove = {[NUMBER_FP32] = prove_fp32, [NUMBER_FP64] = prove_fp64, [NUMBER_DS] = prove_ds},
    .slopes = slopes,
    .sums = sums,
    .attractors = attractors,
    .fractions = fractions,
    .formulas = &FORMULA_KERNELS,
    .rational = &RATIONAL_KERNELS,
    .ceiling =
        {[NUMBER_FP32] = ceiling_fp32, [NUMBER_FP64] = ceiling_fp64, [NUMBER_DS] = ceiling_ds},
};
