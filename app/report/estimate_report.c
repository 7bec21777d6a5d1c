#include "app/report/estimate_report.h"

#include <math.h>

#include "app/report/estimate_text.h"

/* JSON has no infinity. */
static double seconds(const struct json_object *estimate, const char *key)
{
    double value = json_real_of(estimate, key);
    return isnan(value) ? INFINITY : value;
}

void estimate_print(const struct json_object *report, FILE *stream)
{
    const struct json_object *estimate = json_member(report, "estimate");
    double reference_s = seconds(estimate, "reference"), compute_s = seconds(estimate, "compute");
    double files_s = seconds(estimate, "write"), megabytes = seconds(estimate, "file_bytes") * 1e-6;
    int side = (int)json_integer_of(estimate, "window_px");
    char range[64], devices[64];
    estimate_text(seconds(estimate, "seconds_least"), seconds(estimate, "seconds_most"), range,
                  sizeof range);
    estimate_devices_text((int)json_integer_of(report, "gpus"),
                          (int)json_integer_of(report, "cores"), devices, sizeof devices);
    if (json_boolean_of(estimate, "reference_cut")) {
        fprintf(stream,
                "time        %s for the reference orbit alone; no pixel was sampled in %.2g s\n",
                range, reference_s);
        return;
    }
    fprintf(stream, "time        %s on %s: ", range, devices);
    if (reference_s >= 0.1)
        fprintf(stream, "reference %.*f s, ", decimals_of(reference_s), reference_s);
    fprintf(stream, "pixels %.*f s by %d windows of %d x %d, files %.*f s for %.*f MB\n",
            decimals_of(compute_s), compute_s, (int)json_integer_of(estimate, "windows"), side,
            side, decimals_of(files_s), files_s, decimals_of(megabytes), megabytes);
}
