#include "app/viewer/screen/measure.h"

#include <math.h>

enum { CLASSES = MEASURE_PER_OCTAVE * MEASURE_OCTAVES };

void measure_add(struct measure *measure, double seconds)
{
    if (!(seconds >= 0) || isinf(seconds))
        return;
    double octaves = log2(fmax(seconds, MEASURE_LEAST_S) / MEASURE_LEAST_S);
    int class = (int)fmin(octaves * MEASURE_PER_OCTAVE, CLASSES - 1);
    measure->counts[class]++;
    measure->count++;
    measure->max_s = fmax(measure->max_s, seconds);
}

double measure_quantile(const struct measure *measure, double share)
{
    uint64_t wanted = (uint64_t)ceil(share * (double)measure->count), seen = 0;
    if (!measure->count)
        return 0;
    for (int i = 0; i < CLASSES; i++) {
        seen += measure->counts[i];
        if (seen >= wanted && seen)
            return fmin(MEASURE_LEAST_S * exp2((i + 1.0) / MEASURE_PER_OCTAVE), measure->max_s);
    }
    return measure->max_s;
}
