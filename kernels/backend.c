#include "kernels/backend.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/backend_device.h"
#include "kernels/backend_kind.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cuda/cuda_backend.h"

/* Best first: "auto" takes the first that this machine can run. */
const struct backend_kind *const backend_kinds[] = {
    &backend_cuda, &backend_avx512, &backend_avx2, &backend_neon, &backend_scalar,
};
const int backend_kinds_count = sizeof backend_kinds / sizeof backend_kinds[0];

#define SLICE_S 0.05

static const struct backend_kind *first_with_devices(void)
{
    for (int k = 0; k < backend_kinds_count; k++)
        if (backend_kinds[k]->devices() > 0)
            return backend_kinds[k];
    return NULL; /* does not happen: scalar runs anywhere */
}

const struct backend_kind *backend_kind_named(const char *name)
{
    for (int k = 0; k < backend_kinds_count; k++)
        if (!strcmp(backend_kinds[k]->name, name))
            return backend_kinds[k];
    return NULL;
}

bool backend_kind_is_gpu(const struct backend_kind *kind)
{
    return kind == &backend_cuda;
}

enum status backend_kind_find(const struct backend_kind **kind, const char *name)
{
    *kind = NULL;
    if (!strcmp(name, "auto"))
        *kind = first_with_devices();
    for (int k = 0; !strcmp(name, "cpu") && k < backend_kinds_count && !*kind; k++)
        if (!backend_kinds[k]->memory && backend_kinds[k]->devices() > 0)
            *kind = backend_kinds[k];
    if (!*kind)
        *kind = backend_kind_named(name);
    if (!*kind)
        return status_fail(STATUS_CONFIG, "unknown backend '%s'; `deepfield devices` lists them",
                           name);
    if ((*kind)->devices() > 0)
        return STATUS_OK;
    char why[256];
    (*kind)->missing(why, sizeof why);
    return status_fail(STATUS_NO_DEVICE, "backend '%s' cannot run here: %s", name, why);
}

enum status backend_open(struct backend **backend, const char *name,
                         const struct backend_options *options)
{
    const struct backend_kind *kind;
    *backend = NULL;
    TRY(backend_kind_find(&kind, name));
    if (options->device < 0 || options->device >= kind->devices())
        return status_fail(STATUS_NO_DEVICE,
                           "backend '%s' has no device %d; this machine has %d, from 0 on",
                           kind->name, options->device, kind->devices());
    struct backend *opened = calloc(1, sizeof *opened);
    if (!opened)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to open backend '%s'", name);
    *opened = (struct backend){.kind = kind,
                               .number = options->device,
                               .threads = options->threads,
                               .slice_s = options->slice_s > 0 ? options->slice_s : SLICE_S,
                               .stop = options->stop};
    enum status status = kind->open(opened);
    if (status == STATUS_OK)
        *backend = opened;
    else
        backend_close(opened);
    return status;
}

void backend_close(struct backend *backend)
{
    if (!backend)
        return;
    backend->kind->close(backend);
    free(backend->scratch);
    free(backend);
}

/* A packed field of the size of `out`, in memory that the backend keeps. */
static enum status scratch_field(struct backend *backend, const struct field *out,
                                 struct field *scratch)
{
    size_t bytes;
    TRY(field_bytes(out->width, out->height, out->planes, out->count_bytes, &bytes));
    if (backend->scratch_bytes < bytes) {
        free(backend->scratch);
        bytes = (bytes + 63) / 64 * 64;
        backend->scratch = aligned_alloc(64, bytes);
        backend->scratch_bytes = backend->scratch ? bytes : 0;
    }
    if (!backend->scratch)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a tile of %d x %d pixels",
                           out->width, out->height);
    field_over(scratch, out->width, out->height, out->planes, out->count_bytes, backend->scratch);
    return STATUS_OK;
}

enum status backend_compute(struct backend *backend, const struct spec *spec,
                            const struct grid *grid, struct field *out, struct backend_work *work)
{
    const struct backend_kind *kind = backend->kind;
    assert(out->width == grid->width && out->height == grid->height);
    assert(out->planes == spec->planes && out->count_bytes == spec->count_bytes);
    assert(out->space == MEMORY_HOST || kind->memory);
    assert(spec->limit >= 1);
    assert(!(spec->planes & (PLANE_MASK_END | PLANE_MASK_ORBIT)) || spec->number == NUMBER_FP64);
    assert(spec->bailout >= SPEC_BAILOUT_MIN && spec->bailout <= SPEC_BAILOUT_MAX);
    TRY(formula_check(&spec->formula, spec->bailout));
    assert(formula_quadratic(&spec->formula) ||
           (spec->number == NUMBER_FP64 && !(spec->planes & PLANE_MASK_ATTRACTOR)));
    assert(!(spec->planes & PLANE_MASK_ORBIT) || !formula_rational(&spec->formula));
    if (kind->memory || out->base)
        return kind->compute(backend, spec, grid, out, work);
    /* On their way CPU kernels clear their planes and keep norms in them. */
    struct field scratch;
    TRY(scratch_field(backend, out, &scratch));
    TRY(kind->compute(backend, spec, grid, &scratch, work));
    field_copy(out, &scratch);
    return STATUS_OK;
}

enum status backend_deep_open(struct backend_deep *deep, struct backend *backend,
                              const struct deep_options *options, const struct orbit *orbit,
                              const struct spec *spec, const struct grid *whole)
{
    assert(formula_perturbed(&spec->formula));
    *deep = (struct backend_deep){.backend = backend};
    return backend->kind->deep_open(deep, options, orbit, spec, whole);
}

enum status backend_deep_compute(const struct backend_deep *deep, const struct spec *spec,
                                 const struct grid *grid, struct field *out,
                                 struct backend_work *work)
{
    const struct backend_kind *kind = deep->backend->kind;
    assert(out->width == grid->width && out->height == grid->height);
    assert(out->planes == spec->planes && out->count_bytes == spec->count_bytes);
    assert(!(spec->planes & PLANE_MASK_ATTRACTOR));
    assert(!(spec->planes & PLANE_MASK_ORBIT) || !formula_rational(&spec->formula));
    assert(out->space == MEMORY_HOST || kind->memory);
    return kind->deep_compute(deep, spec, grid, out, work);
}

void backend_deep_close(struct backend_deep *deep)
{
    if (deep->backend)
        deep->backend->kind->deep_close(deep);
    *deep = (struct backend_deep){.reference = NULL};
}

double backend_ceiling(struct backend *backend, enum number number, double seconds)
{
    return backend->kind->ceiling(backend, number, seconds);
}

int backend_cores_usable(void)
{
    return cpu_threads_usable();
}

const struct backend_kind *backend_kind_of(const struct backend *backend)
{
    return backend->kind;
}

int backend_threads(const struct backend *backend)
{
    return backend->threads;
}

int backend_device(const struct backend *backend)
{
    return backend->number;
}
