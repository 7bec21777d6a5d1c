#include "kernels/orbit/fixed.h"
#include "kernels/orbit/nucleus.h"
#include "kernels/orbit/orbit.h"

int64_t orbit_nucleus(const struct orbit *orbit, double log2_disc)
{
    struct nucleus nucleus;
    if (!formula_quadratic(&orbit->formula) || orbit->formula.plane != PARAMETER_PLANE)
        return 0;
    const struct orbit_tiny *tiny = orbit->tiny, *tiny_end = tiny + orbit->tiny_count;
    nucleus_begin(&nucleus, log2_disc, orbit->bits);
    nucleus_step(&nucleus, 0, 0, 0); /* D_1 = r */
    int64_t length = orbit->shortest ? orbit->closed : orbit->length;
    for (int64_t n = 1; n < length && nucleus.alive; n++) {
        double x = orbit->z[n].x, y = orbit->z[n].y;
        int64_t exponent = 0;
        if (x * x + y * y > FIXED_NORM_MAX) /* as orbit_extend, which seeks no nucleus there */
            return 0;
        while (tiny < tiny_end && tiny->index < n)
            tiny++;
        if (tiny < tiny_end && tiny->index == n) {
            x = tiny->x;
            y = tiny->y;
            exponent = tiny->exponent;
        }
        if (nucleus_proven(&nucleus, x, y, exponent))
            return n;
        nucleus_step(&nucleus, x, y, exponent);
    }
    return 0;
}
