/* A device that is played: the scalar backend, with memory of its own. Its pages are mapped twice.
 * One mapping can be written and is known here only; the other may not be touched, and its address
 * is the one that is given out. So whoever takes it for host memory crashes, as with a GPU's. */
#include "tests/render/device/mpi_renderer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/backend.h"
#include "tests/support/colour_cases.h"
#include "tests/support/wrap_compute.h"

static struct region { /* written while no thread runs */
    unsigned char *at, *behind;
    size_t bytes;
} regions[256];
static int region_count;

static struct region *region_of(const void *address)
{
    const unsigned char *byte = address;
    for (int i = 0; i < region_count; i++)
        if (regions[i].at && byte >= regions[i].at && byte < regions[i].at + regions[i].bytes)
            return &regions[i];
    return NULL;
}

static void *behind(void *address)
{
    struct region *region = region_of(address);
    return region ? region->behind + ((unsigned char *)address - region->at) : address;
}

int device_count(void)
{
    return 1;
}

const char *device_backend(void)
{
    return "scalar";
}

bool device_owns(const void *address)
{
    return region_of(address) != NULL;
}

bool device_copy(void *to, const void *from, size_t bytes)
{
    memcpy(behind(to), behind((void *)(uintptr_t)from), bytes);
    return true;
}

/* --- the verbs of its memory ------------------------------------------------------------------ */

static enum status host_create(struct backend *backend, size_t bytes, void **host)
{
    (void)backend;
    *host = aligned_alloc(64, (bytes + 63) / 64 * 64);
    return *host ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory");
}

static void host_destroy(struct backend *backend, void *host)
{
    (void)backend;
    free(host);
}

static enum status pin(struct backend *backend, void *host, size_t bytes)
{
    (void)backend, (void)host, (void)bytes;
    return STATUS_OK;
}

static void unpin(struct backend *backend, void *host)
{
    (void)backend, (void)host;
}

static bool full;

int device_lit;
int32_t device_tile_px = 1;

void device_room(bool room)
{
    full = !room;
}

static enum status create(struct backend *backend, size_t bytes, void **memory)
{
    (void)backend;
    if (full)
        return status_fail(STATUS_OUT_OF_MEMORY, "%.1f MiB are needed on the device",
                           (double)bytes / 0x1p20);
    int file = memfd_create("device", MFD_CLOEXEC);
    if (region_count == 256 || file < 0 || ftruncate(file, (off_t)bytes))
        return status_fail(STATUS_OUT_OF_MEMORY, "the device has no memory");
    *memory = mmap(NULL, bytes, PROT_NONE, MAP_SHARED, file, 0);
    void *writable = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (*memory == MAP_FAILED || writable == MAP_FAILED)
        return status_fail(STATUS_OUT_OF_MEMORY, "the device has no memory");
    regions[region_count++] = (struct region){.at = *memory, .behind = writable, .bytes = bytes};
    return STATUS_OK;
}

static void destroy(struct backend *backend, void *memory)
{
    (void)backend;
    struct region *region = region_of(memory);
    if (!region)
        return;
    munmap(region->at, region->bytes);
    munmap(region->behind, region->bytes);
    region->at = NULL;
}

static bool alone;

void device_shares(bool well)
{
    alone = !well;
}

static enum status share(struct backend *backend, void *memory, struct backend_handle *handle)
{
    (void)backend, (void)memory;
    if (alone)
        return status_fail(STATUS_SYSTEM, "this system shares no memory of devices");
    memset(handle, 0, sizeof *handle);
    return STATUS_OK;
}

static enum status attach(struct backend *backend, const struct backend_handle *handle,
                          void **memory)
{
    (void)backend, (void)handle, (void)memory;
    return status_fail(STATUS_NO_DEVICE, "this device cannot share its memory");
}

/* The field behind the one that was given out; fails when that says the wrong space. */
static enum status field_behind(struct field *seen, const struct field *given)
{
    *seen = *given;
    for (int p = 0; p < PLANES; p++)
        if (given->plane[p]) {
            if (device_owns(given->plane[p]) != (given->space == MEMORY_DEVICE))
                return status_fail(STATUS_INTERNAL, "a field lies in other memory than it says");
            seen->plane[p] = behind(given->plane[p]);
        }
    seen->base = given->base ? behind(given->base) : NULL;
    seen->space = MEMORY_HOST;
    return STATUS_OK;
}

static enum status copy(struct backend *backend, const struct field *to, const struct field *from)
{
    struct field there, here;
    (void)backend;
    TRY(field_behind(&there, to));
    TRY(field_behind(&here, from));
    field_copy(&there, &here);
    return STATUS_OK;
}

static bool lights_fail;

void device_lights(bool well)
{
    lights_fail = !well;
}

static enum status light(struct backend *backend, const struct colour_mean *mean)
{
    struct colour_mean seen = *mean;
    struct field fields[COLOUR_SAMPLES];
    (void)backend;
    if (lights_fail)
        return status_fail(STATUS_DEVICE_LOST, "the device that lights is lost");
    if (!device_owns(mean->mean) || device_owns(mean->out))
        return status_fail(STATUS_INTERNAL, "a mean lies in other memory than it says");
    for (int s = 0; s < (mean->sheet ? 1 : mean->samples); s++)
        TRY(field_behind(&fields[s], &mean->fields[s]));
    seen.fields = fields;
    seen.mean = behind(mean->mean);
    colour_mean_plain(&seen);
    device_lit++;
    return STATUS_OK;
}

static enum status compare(struct backend *backend, const struct colour_compare *compare)
{
    struct colour_compare seen = *compare;
    (void)backend;
    if (!device_owns(compare->mean) || !device_owns(compare->before) || device_owns(compare->sums))
        return status_fail(STATUS_INTERNAL, "values lie in other memory than they say");
    seen.mean = behind((void *)(uintptr_t)compare->mean);
    seen.before = behind(compare->before);
    colour_compare_plain(&seen);
    return STATUS_OK;
}

static const struct backend_memory memory = {.host_create = host_create,
                                             .host_destroy = host_destroy,
                                             .pin = pin,
                                             .unpin = unpin,
                                             .create = create,
                                             .destroy = destroy,
                                             .share = share,
                                             .attach = attach,
                                             .detach = destroy,
                                             .copy = copy,
                                             .mean_add = light,
                                             .compare = compare};

/* --- linked with --wrap ----------------------------------------------------------------------- */

static struct backend_kind played;

enum status __real_backend_kind_find(const struct backend_kind **kind, const char *name);
enum status __wrap_backend_kind_find(const struct backend_kind **kind, const char *name);
enum status __wrap_backend_kind_find(const struct backend_kind **kind, const char *name)
{
    TRY(__real_backend_kind_find(kind, name));
    if (played.name != (*kind)->name || played.tile_px != device_tile_px) { /* others read it */
        played = **kind;
        played.memory = &memory;
        played.tile_px = device_tile_px;
    }
    *kind = &played;
    return STATUS_OK;
}

enum status __wrap_backend_compute(struct backend *backend, const struct spec *spec,
                                   const struct grid *grid, struct field *out,
                                   struct backend_work *work)
{
    struct field seen;
    TRY(field_behind(&seen, out));
    return __real_backend_compute(backend, spec, grid, &seen, work);
}
