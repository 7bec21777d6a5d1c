#include "app/report/estimate_report.h"

#include "app/report/estimate_text.h"

void estimate_devices(const struct renderer *renderer, char *text, size_t bytes)
{
    const struct renderer_info *info = renderer_info(renderer);
    estimate_devices_text(info->facts.gpus, info->facts.computing_ranks * info->devices.threads,
                          text, bytes);
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
