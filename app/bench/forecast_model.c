#include "app/bench/forecast_model.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { LANES = 32, SCHEDULERS = 4, PIXEL_BYTES = 8 };

/* Multiprocessors, boost clocks and rates, by whom (read in November 2026):
 * H200: glennklockwood.com/garden/processors/h100: 132 at 1.98 GHz, 66.9 and 33.5 TFLOPS, 33.5 of
 *     32-bit integers; 4.8 TB/s: aiminingco.com/gpu/h200/specs.
 * RTX 3060: askgeek.io/ru/gpus/NVIDIA/GeForce-RTX-3060-GA104: 3,584 cores at 1.777 GHz, 360 GB/s,
 * fp64 0.199 TFLOPS; 28 multiprocessors, 64 lanes of integers: cholla.mmto.org/nvidia/my3060.html;
 *     12.74 TFLOPS: cputronic.com/en/gpu/nvidia-geforce-rtx-3060-8-gb.
 * RTX 4090: waredb.com/processor/nvidia-geforce-rtx-4090: 16,384 cores at 2.52 GHz, 82.58 and 1.29
 *     TFLOPS, 41.3 of integers, 1,008 GB/s.
 * RTX 5090: 170 at 2.407 GHz, 1,792 GB/s: "Nvidia GeForce RTX 5090", Linux Format, May 2025. 104.8
 *     TFLOPS are its cores by the clock, and fp64 a 64th of it, as in the generation before; lanes
 *     of integers as the B300's.
 * B300: glennklockwood.com/garden/processors/B300: 75 and 1.25 TFLOPS; 8 TB/s:
 *     datacrunch.io/blog/nvidia-b300-vs-b200-complete-gpu-comparison-to-date. Multiprocessors,
 * clock and as many lanes of integers as of fp32 of the B200, whose fp32 rate is the same:
 *     hmc-tech.com/gpus/nvidia-b200-vs-nvidia-b100. */
const struct forecast_gpu forecast_gpus[FORECAST_GPUS] = {
    [FORECAST_H200] = {"H200", 90, 132, 1.98e9, 64, 64, 4.8e12, 66.9e12, 33.5e12},
    {"RTX 3060", 86, 28, 1.777e9, 2, 64, 360e9, 12.74e12, 0.199e12},
    {"RTX 4090", 89, 128, 2.52e9, 2, 64, 1008e9, 82.58e12, 1.29e12},
    {"RTX 5090", 120, 170, 2.407e9, 2, 128, 1792e9, 104.8e12, 1.64e12},
    {"B300", 103, 148, 1.98e9, 2, 128, 8e12, 75e12, 1.25e12},
};

static const struct cost {
    int architecture;
    enum forecast_kind kind;
    enum number number;
    int fp64, fp32, integer, other;
} costs[] = {
#define COST(architecture, kind, number, fp64, fp32, integer, other) \
    {architecture, FORECAST_##kind, NUMBER_##number, fp64, fp32, integer, other},
#include "app/bench/forecast_costs.inc"
#undef COST
};

double forecast_bound_s(const struct forecast_gpu *gpu, const struct forecast_steps *steps,
                        double pixels)
{
    double issued = 0, fp64 = 0, integer = 0;
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        const struct cost *cost = &costs[i];
        if (cost->architecture != gpu->architecture)
            continue;
        double taken = steps->px[cost->number][cost->kind];
        issued += taken * (cost->fp64 + cost->fp32 + cost->integer + cost->other);
        fp64 += taken * cost->fp64;
        integer += taken * cost->integer;
    }
    double clocks =
        fmax(issued / (SCHEDULERS * LANES), fmax(fp64 / gpu->fp64, integer / gpu->integer));
    return fmax(pixels * clocks / gpu->units / gpu->clock_hz,
                pixels * PIXEL_BYTES / gpu->bytes_per_s);
}

static bool is_counted(enum forecast_kind kind, enum number number)
{
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (costs[i].kind == kind && costs[i].number == number)
            return true;
    return false;
}

double forecast_iterations_per_s(const struct forecast_gpu *gpu, enum number number)
{
    const double iterations = 1e6; /* so many that the time to store the pixel is less */
    struct forecast_steps steps = {{{0}}};
    if (!is_counted(FORECAST_ITERATION, number))
        return 0;
    steps.px[number][FORECAST_ITERATION] = iterations;
    return iterations / forecast_bound_s(gpu, &steps, 1);
}
