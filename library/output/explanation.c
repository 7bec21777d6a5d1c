#include "library/output/explanation.h"

#include <math.h>

#include "kernels/orbit/fixed.h"
#include "render/picture/cores_choice.h"

static void mpi_device_explain(const struct renderer *renderer, FILE *stream)
{
    const struct renderer_mpi_device *mpi = &renderer_info(renderer)->mpi_device;
    bool used = renderer_info(renderer)->facts.sends_device;
    if (mpi->asked)
        fprintf(stream, "mpi gpu     %s: %s\n", used ? "used" : "not used",
                mpi->proven && !used ? "no rank but 0 has a device whose memory MPI would send"
                                     : mpi->why);
}

/* Says where the reference orbit is computed, and how long a step takes: of z^2 + c on a device, if
 * it is long enough. */
static void orbit_explain(const struct picture_settings *settings, const struct renderer *renderer,
                          FILE *stream)
{
    const struct plan *plan = &settings->plan;
    const struct spec *spec = &settings->picture.spec;
    char why[128];
    if (plan->method != METHOD_PERTURBATION)
        return;
    const struct orbit_device device = renderer_orbit_device(renderer, why, sizeof why);
    mp_size_t limbs = fixed_limbs(plan->orbit_bits);
    bool squares = formula_mandelbrot(&spec->formula), is_long = squares && spectrum_pays(limbs);
    double step_s = spectrum_step_s(limbs), limit = (double)spec->limit;
    if (is_long && device.kind && device.kind->digits(limbs)) {
        double device_s = device.kind->step_s(device.number, limbs);
        fprintf(stream,
                "orbit       by rank 0's GPU, about %.3g us a step (an H200's, by clock and fp64 "
                "rate), %.3g s to the limit; a thread of a processor takes about %.3g us\n",
                1e6 * device_s, device_s * limit, 1e6 * step_s);
        return;
    }
    fputs("orbit       by the processor", stream);
    if (is_long)
        fprintf(stream, ", about %.3g us a step on one thread, %.3g s to the limit: %s",
                1e6 * step_s, step_s * limit,
                device.kind ? "a GPU takes no numbers of so many digits" : why);
    fputc('\n', stream);
}

static void link_explain(const struct renderer *renderer, FILE *stream)
{
    const struct link_facts *link = &renderer_info(renderer)->link;
    if (!link->away && !link->packing)
        return;
    fprintf(stream, "packing     by %d ranks, of %d on other machines than rank 0", link->packing,
            link->away);
    if (link->slowest.link > 0)
        fprintf(stream, "; the slowest link has %.0f MB/s, packing %.0f, unpacking %.0f",
                1e-6 * link->slowest.link, 1e-6 * link->slowest.pack, 1e-6 * link->slowest.unpack);
    fputc('\n', stream);
}

static void choice_explain(const struct cores_choice *choice, const struct renderer *renderer,
                           FILE *stream)
{
    if (!choice || !choice->tried)
        return;
    fprintf(stream, "backend     %s: the cores take ", renderer_backend(renderer));
    if (isfinite(choice->picture_s))
        fprintf(stream, "about %.2g s", choice->picture_s);
    else
        fputs("longer", stream);
    fprintf(stream, ", a GPU at least %g s\n", CORES_CHOICE_GPU_S);
}

/* Says which colours there are, and who chose them. */
static void palette_explain(const struct picture_settings *settings, FILE *stream)
{
    const struct config_value *palette = &settings->config->value[OPTION_LOOK_PALETTE];
    if (settings->coloured)
        fprintf(stream, "palette     %.60s from %s on (%s)\n", palette->text,
                config_text(settings->config, OPTION_LOOK_OFFSET), palette->origin);
}

static void devices_explain(const struct renderer_info *info, FILE *stream)
{
    for (int i = 0; i < info->row_count; i++) {
        const struct device_row *row = &info->rows[i];
        if (!*row->facts.bus)
            continue; /* a CPU */
        fprintf(stream, "%-11s rank %d on %s: %s %d, %s, %s", i ? "" : "devices", row->rank,
                row->host, row->backend, row->device, row->facts.name, row->facts.bus);
        if (row->shared_with)
            fprintf(stream, ", shared with %d other rank%s", row->shared_with,
                    row->shared_with > 1 ? "s" : "");
        fputc('\n', stream);
    }
    if (info->spared)
        fprintf(stream,
                "            %d more would take longer to open than they save; --devices names "
                "those to take\n",
                info->spared);
}

void output_explain(const struct picture_settings *settings, const struct renderer *renderer,
                    const struct cores_choice *choice, FILE *stream)
{
    plan_explain(&settings->plan, &settings->picture, &settings->numbers, stream);
    orbit_explain(settings, renderer, stream);
    palette_explain(settings, stream);
    if (settings_interior_refusal(settings))
        fprintf(stream, "interior    %s\n", settings_interior_refusal(settings));
    choice_explain(choice, renderer, stream);
    mpi_device_explain(renderer, stream);
    link_explain(renderer, stream);
    devices_explain(renderer_info(renderer), stream);
}

uint64_t output_disk_most(const struct picture_settings *settings)
{
    const struct field shape = settings_shape(settings);
    uint64_t bytes = 0;
    for (size_t i = 0; i < settings->path_count; i++) {
        const struct sink_request request = settings_sink(settings, i, &shape);
        uint64_t more = sink_bytes_on_disk(&request, settings->paths[0]);
        if (__builtin_add_overflow(bytes, more, &bytes))
            return UINT64_MAX;
    }
    return bytes;
}
