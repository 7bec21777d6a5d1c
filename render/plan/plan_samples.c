#include "render/plan/plan_samples.h"

#include <math.h>

/* Iterations of a pixel that two cores take for all of 1920x1080 in 3 s: 3.5e9/s in fp64, between
 * the rates of AVX2 and AVX-512; twice as many in fp32. Steps of perturbation: 1.2e9/s. */
#define ITERATIONS_DIRECT 5000.0
#define STEPS_DEEP 1800.0
/* Steps of a pixel that blocks leave: 60 + sqrt(limit). At 34 published places it is between 0.4
 * and 4 times what was counted, at one 11 times. */
#define STEPS_LEAST 60.0

static int samples_within(double budget, double cost, int most)
{
    double samples = fmax(1 + floor(budget / fmax(cost, 1)), PLAN_SAMPLES_LEAST);
    return samples < most ? (int)samples : most;
}

int plan_samples(const struct plan *plan, const struct picture_known *known, int64_t limit)
{
    double faster = plan->number == NUMBER_FP32 ? 2 : 1;
    if (plan->method == METHOD_PERTURBATION)
        return samples_within(STEPS_DEEP, STEPS_LEAST + sqrt((double)limit), PLAN_SAMPLES_DEEP);
    return samples_within(ITERATIONS_DIRECT * faster, known->error_amplification.steps,
                          PLAN_SAMPLES_DIRECT);
}
