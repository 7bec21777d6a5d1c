#include "kernels/backend.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/backend_device.h"
#include "kernels/cpu/cpu_backend.h"

/* Best first: "auto" takes the first that this machine can run. */
const struct backend_kind *const backend_kinds[] = {
#ifdef __x86_64__
    &backend_avx512,
    &backend_avx2,
#endif
    &backend_scalar,
};
const int backend_kinds_count = sizeof backend_kinds / sizeof backend_kinds[0];

static enum status kind_named(const struct backend_kind **kind, const char *name)
{
    bool any = !strcmp(name, "auto");
    for (int k = 0; k < backend_kinds_count; k++) {
        *kind = backend_kinds[k];
        if (any ? (*kind)->available() : !strcmp((*kind)->name, name))
            return STATUS_OK;
    }
    return status_fail(STATUS_CONFIG, "unknown backend '%s'; `deepfield devices` lists them", name);
}

enum status backend_open(struct backend **backend, const char *name,
                         const struct backend_options *options)
{
    const struct backend_kind *kind;
    *backend = NULL;
    TRY(kind_named(&kind, name));
    if (!kind->available())
        return status_fail(STATUS_NO_DEVICE,
                           "backend '%s' needs a %s; this machine has none. Try --backend auto",
                           name, kind->summary);
    struct backend *opened = calloc(1, sizeof *opened);
    if (!opened)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to open backend '%s'", name);
    opened->kind = kind;
    opened->threads = options->threads;
    opened->stop = options->stop;
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
    free(backend);
}

enum status backend_compute(struct backend *backend, const struct spec *spec,
                            const struct grid *grid, struct field *out, struct backend_work *work)
{
    assert(out->width == grid->width && out->height == grid->height);
    assert(out->planes == spec->planes && out->count_bytes == spec->count_bytes);
    assert(out->space == backend->kind->space);
    assert(spec->limit >= 1);
    assert(spec->bailout >= SPEC_BAILOUT_MIN && spec->bailout <= SPEC_BAILOUT_MAX);
    return backend->kind->compute(backend, spec, grid, out, work);
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
