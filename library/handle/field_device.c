#include "library/handle/field_device.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/backend_kind.h"

/* The only kind of device that the interface names. */
static const struct backend_kind *cuda_kind(void)
{
    return backend_kind_named("cuda");
}

bool field_is_device(const struct deepfield_field *field)
{
    bool is = field->device.all;
    for (int p = 0; p < PLANES; p++)
        is |= field->placed[p].given && field->placed[p].array.space == DEEPFIELD_CUDA;
    return is;
}

/* ---- what the caller says ---- */

enum status device_array_check(const char *plane, const deepfield_array *array)
{
    const struct backend_kind *kind = cuda_kind();
    char why[STATUS_TEXT_BYTES] = "this build has no CUDA";
    if (kind && kind->devices() == 0)
        kind->missing(why, sizeof why);
    else if (kind && kind->memory)
        return array->data && kind->memory->owner(array->data) < 0
                   ? status_fail(STATUS_USAGE,
                                 "plane %.60s: its memory is not that of a CUDA device", plane)
                   : STATUS_OK;
    return status_fail(STATUS_NO_DEVICE, "plane %.60s is wanted on a CUDA device, but %.800s",
                       plane, why);
}

/* Device of rank 0 that comes first; -1: none. */
static int device_first(const struct renderer *renderer)
{
    const struct device_set_options *devices = &renderer_info(renderer)->devices;
    const struct backend_kind *kind = NULL;
    bool found = devices->devices > 0 && backend_kind_find(&kind, devices->backend) == STATUS_OK;
    return found && kind == cuda_kind() ? devices->device[0] : -1;
}

int device_owner(const void *memory)
{
    return cuda_kind()->memory->owner(memory);
}

static enum status device_same(const char *plane, int device, int first)
{
    if (first < 0)
        return status_fail(STATUS_NO_DEVICE,
                           "plane %s: its memory is of a CUDA device, and the first device of the "
                           "renderer is none; compute.backend = cuda takes one",
                           plane);
    if (device >= 0 && device != first)
        return status_fail(STATUS_USAGE,
                           "plane %s: its memory is of CUDA device %d, and the first device of the "
                           "renderer is %d; deepfield_renderer_describe names it, and "
                           "compute.devices chooses another",
                           plane, device, first);
    return STATUS_OK;
}

enum status field_device_check(struct deepfield_field *field, const struct renderer *renderer)
{
    int first = device_first(renderer);
    if (field->device.all)
        TRY(device_same("(all)", field->device.number, first));
    for (int p = 0; p < PLANES; p++) {
        const deepfield_array *array = &field->placed[p].array;
        if (field->placed[p].given && array->space == DEEPFIELD_CUDA)
            TRY(device_same(plane_kinds[p].name,
                            array->data ? device_owner(array->data) : array->device, first));
    }
    field->device.first = first;
    return STATUS_OK;
}

/* ---- memory ---- */

/* Without gaps. */
static enum status own_create(struct deepfield_field *field, const struct field *shape, int plane)
{
    deepfield_array *array = &field->device.array[plane];
    *array = plane_array(shape, (enum plane)plane);
    array->space = DEEPFIELD_CUDA;
    array->device = field->device.first;
    array->row_bytes = (int64_t)shape->width * (int64_t)plane_pixel_bytes(shape, plane);
    TRY(cuda_kind()->memory->number_create(array->device,
                                           (size_t)array->row_bytes * (size_t)array->height,
                                           &field->device.own[plane]));
    array->data = field->device.own[plane];
    return STATUS_OK;
}

enum status plane_device_memory(struct deepfield_field *field, const struct field *shape, int plane)
{
    const struct placed *placed = &field->placed[plane];
    if (placed->given && placed->array.data) {
        field->device.array[plane] = placed->array;
        field->device.array[plane].device = field->device.first;
    } else {
        TRY(own_create(field, shape, plane));
    }
    field->device.planes |= 1u << plane;
    field->field.plane[plane] = field->device.array[plane].data; /* it has the plane */
    return STATUS_OK;
}

void field_device_forget(struct deepfield_field *field)
{
    for (int p = 0; p < PLANES; p++) {
        if (field->device.own[p])
            cuda_kind()->memory->number_destroy(field->device.first, field->device.own[p]);
        field->device.own[p] = NULL;
    }
    field->device.planes = 0;
}

/* ---- pixels ---- */

static struct backend_rows rows_of(const deepfield_array *array, int32_t y)
{
    return (struct backend_rows){.first = (char *)array->data + (int64_t)y * array->row_bytes,
                                 .step_bytes = array->row_bytes};
}

size_t array_row_bytes(const deepfield_array *array)
{
    static const size_t bytes[] = {[DEEPFIELD_U8] = 1,
                                   [DEEPFIELD_U16] = 2,
                                   [DEEPFIELD_U32] = 4,
                                   [DEEPFIELD_U64] = 8,
                                   [DEEPFIELD_F32] = 4};
    return (size_t)array->width * (size_t)array->channels * bytes[array->type];
}

/* A plane where it lies. */
static deepfield_array plane_where(const struct deepfield_field *field, int plane)
{
    return field->device.planes & 1u << plane ? field->device.array[plane]
                                              : plane_array(&field->field, (enum plane)plane);
}

enum status field_device_put(const struct deepfield_field *field, int32_t y,
                             const struct field *rows)
{
    for (int p = 0; p < PLANES; p++) {
        if (!field->field.plane[p])
            continue;
        const deepfield_array from = plane_array(rows, (enum plane)p), to = plane_where(field, p);
        const struct backend_rows there = rows_of(&to, y), here = rows_of(&from, 0);
        TRY(cuda_kind()->memory->number_copy(field->device.first, &there, &here,
                                             (size_t)rows->width * plane_pixel_bytes(rows, p),
                                             (size_t)rows->height));
    }
    return STATUS_OK;
}

static enum status planes_fetch(const struct deepfield_field *field, const struct field *host)
{
    for (int p = 0; p < PLANES; p++) {
        if (!field->field.plane[p])
            continue;
        const deepfield_array from = plane_where(field, p), to = plane_array(host, (enum plane)p);
        TRY(rows_between(&to, &from));
    }
    return STATUS_OK;
}

enum status field_host(const struct deepfield_field *field, struct field *host, void **memory)
{
    const struct field *shape = &field->field;
    size_t bytes;
    *memory = NULL;
    *host = *shape;
    if (!field->device.planes)
        return STATUS_OK;
    TRY(field_bytes(shape->width, shape->height, shape->planes, shape->count_bytes, &bytes));
    *memory = malloc(bytes);
    if (!*memory)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a copy of %d x %d pixels",
                           shape->width, shape->height);
    field_over(host, shape->width, shape->height, shape->planes, shape->count_bytes, *memory);
    return planes_fetch(field, host);
}

enum status rows_between(const deepfield_array *to, const deepfield_array *from)
{
    const struct backend_rows there = rows_of(to, 0), here = rows_of(from, 0);
    const deepfield_array *device = to->space == DEEPFIELD_CUDA ? to : from;
    size_t row = array_row_bytes(from);
    if (device->space == DEEPFIELD_CUDA)
        return cuda_kind()->memory->number_copy(device->device, &there, &here, row,
                                                (size_t)from->height);
    for (int32_t y = 0; y < from->height; y++)
        memcpy((char *)to->data + y * to->row_bytes, (char *)from->data + y * from->row_bytes, row);
    return STATUS_OK;
}
