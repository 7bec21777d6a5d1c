#include "app/report/estimate_report.h"

void estimate_devices(const struct renderer *renderer, char *text, size_t bytes)
{
    const struct renderer_facts *facts = &renderer_info(renderer)->facts;
    int gpus = facts->gpus,
        threads = facts->computing_ranks * renderer_info(renderer)->devices.threads;
    if (gpus > 0)
        snprintf(text, bytes, "%d GPU%s", gpus, gpus == 1 ? "" : "s");
    else
        snprintf(text, bytes, "%d CPU core%s", threads, threads == 1 ? "" : "s");
}

int decimals_of(double value)
{
    return value < 0.1 ? 3 : value < 1 ? 2 : value < 10 ? 1 : 0;
}

void estimate_print(const struct estimate *estimate, const struct renderer *renderer, FILE *stream)
{
    char range[64], devices[64];
    double least_s, most_s;
    estimate_range(estimate, &least_s, &most_s);
    estimate_text(least_s, most_s, range, sizeof range);
    estimate_devices(renderer, devices, sizeof devices);
    if (estimate->cut) {
        fprintf(stream,
                "time        %s for the reference orbit alone; no pixel was sampled in %.2g s\n",
                range, estimate->reference_s);
        return;
    }
    fprintf(stream, "time        %s on %s: ", range, devices);
    if (estimate->reference_s >= 0.1)
        fprintf(stream, "reference %.*f s, ", decimals_of(estimate->reference_s),
                estimate->reference_s);
    fprintf(stream, "pixels %.*f s by %d windows of %d x %d, files %.*f s for %.*f MB\n",
            decimals_of(estimate->compute_s), estimate->compute_s, estimate->windows,
            estimate->side, estimate->side, decimals_of(estimate->files_s), estimate->files_s,
            decimals_of(estimate->file_bytes * 1e-6), estimate->file_bytes * 1e-6);
}
