#include "library/handle/field.h"
#include "library/handle/field_device.h"

#include <stdlib.h>
#include <string.h>

#include "render/disk/memory.h"
#include "render/view/view.h"

enum plane plane_named(const char *name)
{
    int plane = 0;
    while (plane < PLANES && strcmp(plane_kinds[plane].name, name) != 0)
        plane++;
    return (enum plane)plane;
}

static deepfield_type type_of(enum element element)
{
    return element == ELEMENT_U64   ? DEEPFIELD_U64
           : element == ELEMENT_U32 ? DEEPFIELD_U32
                                    : DEEPFIELD_F32;
}

size_t plane_pixel_bytes(const struct field *field, int plane)
{
    return element_bytes(plane_element((enum plane)plane, field->count_bytes));
}

deepfield_array plane_array(const struct field *planes, enum plane plane)
{
    return (deepfield_array){.size = sizeof(deepfield_array),
                             .data = planes->plane[plane],
                             .type = type_of(plane_element(plane, planes->count_bytes)),
                             .space = DEEPFIELD_HOST,
                             .width = planes->width,
                             .height = planes->height,
                             .channels = 1,
                             .row_bytes = (int64_t)planes->stride *
                                          (int64_t)plane_pixel_bytes(planes, plane)};
}

deepfield_array light_array(const float (*light)[3], int32_t width, int32_t height)
{
    return (deepfield_array){.size = sizeof(deepfield_array),
                             .data = (void *)(uintptr_t)light,
                             .type = DEEPFIELD_F32,
                             .width = width,
                             .height = height,
                             .channels = 3,
                             .row_bytes = (int64_t)width * (int64_t)sizeof *light};
}

/* ---- what the caller says ---- */

deepfield_status deepfield_field_create(deepfield_field **field)
{
    NEED(field);
    *field = calloc(1, sizeof **field);
    return *field ? DEEPFIELD_OK
                  : status_give(status_fail(STATUS_OUT_OF_MEMORY, "no memory for a field"));
}

void deepfield_field_destroy(deepfield_field *field)
{
    if (!field)
        return;
    field_forget(field);
    free(field);
}

/* Does an array of the caller say memory, and memory that there may be? */
static enum status placed_check(const char *plane, const deepfield_array *array)
{
    bool of_field = !array->data && array->space == DEEPFIELD_CUDA;
    if (!plane && !of_field)
        return status_fail(STATUS_USAGE, "without the name of a plane an array says a device, and "
                                         "no memory");
    plane = plane ? plane : "(all)";
    if (array->size < sizeof *array || (!array->data && !of_field))
        return status_fail(STATUS_USAGE, "plane %s: an array without memory or size", plane);
    if (array->space == DEEPFIELD_CUDA)
        return device_array_check(plane, array);
    return array->space == DEEPFIELD_HOST
               ? STATUS_OK
               : status_fail(STATUS_USAGE, "plane %s: no memory of that kind", plane);
}

enum status field_idle(const struct deepfield_field *field)
{
    return field->rendered ? status_fail(STATUS_USAGE, "the field is being rendered into")
                           : STATUS_OK;
}

deepfield_status deepfield_field_place(deepfield_field *field, const char *plane,
                                       const deepfield_array *array)
{
    NEED(field);
    enum plane number = plane ? plane_named(plane) : PLANES;
    if (plane && number == PLANES)
        return status_give(status_fail(STATUS_USAGE, "%.60s is no plane", plane));
    TRY_GIVE(field_idle(field));
    if (array)
        TRY_GIVE(placed_check(plane, array));
    field_forget(field);
    if (!plane) {
        field->device.all = array != NULL;
        field->device.number = array ? array->device : -1;
        return DEEPFIELD_OK;
    }
    field->placed[number] = (struct placed){.given = array != NULL};
    if (array)
        field->placed[number].array = *array;
    return DEEPFIELD_OK;
}

void deepfield_field_receive(deepfield_field *field, deepfield_pieces pieces,
                             deepfield_receive_call *call, void *user)
{
    if (!field)
        return;
    field->receive = call;
    field->pieces = pieces;
    field->user = user;
}

/* ---- memory ---- */

void field_forget(struct deepfield_field *field)
{
    for (int p = 0; p < PLANES; p++) {
        free(field->own[p]);
        field->own[p] = NULL;
    }
    field_device_forget(field);
    if (!field->held.share)
        free(field->light);
    live_field_release(&field->held);
    field->light = NULL;
    config_destroy(&field->made_of);
    config_destroy(&field->config);
    view_destroy(&field->picture.view);
    field->field = (struct field){0};
    field->picture = (struct picture){.samples = 0};
    field->filled = field->planned = false;
}

static const char *type_name(deepfield_type type)
{
    static const char *const names[] = {"8-bit integers", "16-bit integers", "32-bit integers",
                                        "64-bit integers", "32-bit floats"};
    return names[type];
}

/* Has an array of the caller the type and the size of one of ours? */
static enum status plane_check(const char *plane, const deepfield_array *wanted,
                               const deepfield_array *array)
{
    int64_t least = wanted->row_bytes;
    if (array->type != wanted->type || array->channels != wanted->channels)
        return status_fail(STATUS_USAGE, "plane %s: the memory is not of %s", plane,
                           type_name(wanted->type));
    if (array->width != wanted->width || array->height != wanted->height)
        return status_fail(STATUS_USAGE,
                           "plane %s: the memory is of %d x %d pixels, not of %d x %d", plane,
                           array->width, array->height, wanted->width, wanted->height);
    if (array->row_bytes < least)
        return status_fail(STATUS_USAGE, "plane %s: rows of %lld bytes lie %lld bytes apart", plane,
                           (long long)least, (long long)array->row_bytes);
    return STATUS_OK;
}

/* A plane of this shape, without gaps and memory. */
static deepfield_array plane_wanted(const struct field *shape, int plane)
{
    struct field tight = *shape;
    tight.stride = shape->width;
    return plane_array(&tight, (enum plane)plane);
}

/* Do two planes of the picture have memory in common? */
static bool is_shared(const struct field *shape, const struct placed *one,
                      const struct placed *other)
{
    const char *a = one->array.data, *b = other->array.data;
    return one->given && other->given && a && b && a < b + other->array.row_bytes * shape->height &&
           b < a + one->array.row_bytes * shape->height;
}

static enum status placed_apart(const struct deepfield_field *field, const struct field *shape)
{
    for (int p = 0; p < PLANES; p++)
        for (int q = 0; q < p; q++)
            if (is_shared(shape, &field->placed[p], &field->placed[q]))
                return status_fail(STATUS_USAGE, "planes %s and %s: their memory overlaps",
                                   plane_kinds[q].name, plane_kinds[p].name);
    return STATUS_OK;
}

/* Is the memory of the caller as a plane of its own would be? */
static bool is_used(const struct field *shape, int plane, const struct placed *placed)
{
    return placed->given && placed->array.space == DEEPFIELD_HOST &&
           (uintptr_t)placed->array.data % plane_pixel_bytes(shape, plane) == 0 &&
           placed->array.row_bytes ==
               (int64_t)shape->width * (int64_t)plane_pixel_bytes(shape, plane);
}

static bool is_on_device(const struct deepfield_field *field, int plane)
{
    const struct placed *placed = &field->placed[plane];
    return placed->given ? placed->array.space == DEEPFIELD_CUDA : field->device.all;
}

/* The system gives more memory than there is, and ends the process that writes to it. */
static enum status memory_admit(const struct deepfield_field *field, const struct field *shape,
                                bool light, uint64_t beside)
{
    uint64_t pixels = (uint64_t)shape->width * (uint64_t)shape->height;
    uint64_t own = light ? pixels * sizeof *field->light : 0, there = memory_available();
    for (int p = 0; p < PLANES; p++)
        if (shape->planes & 1u << p && !is_on_device(field, p) &&
            !is_used(shape, p, &field->placed[p]))
            own += pixels * plane_pixel_bytes(shape, p);
    if (own + beside <= there / 10 * 8)
        return STATUS_OK;
    return status_fail(STATUS_TOO_LARGE,
                       "the field takes %.1f GiB and its computation %.1f, but of the %.1f GiB "
                       "free on this machine only 80 %% may be used; choose a smaller view.size, "
                       "or receive rows",
                       (double)own / 0x1p30, (double)beside / 0x1p30, (double)there / 0x1p30);
}

static enum status plane_memory(struct deepfield_field *field, const struct field *shape, int plane)
{
    const struct placed *placed = &field->placed[plane];
    size_t pixels = (size_t)shape->width * (size_t)shape->height;
    const deepfield_array wanted = plane_wanted(shape, plane);
    if (placed->given && placed->array.data)
        TRY(plane_check(plane_kinds[plane].name, &wanted, &placed->array));
    if (is_on_device(field, plane))
        return plane_device_memory(field, shape, plane);
    if (is_used(shape, plane, placed)) {
        field->field.plane[plane] = placed->array.data;
        return STATUS_OK;
    }
    field->own[plane] = memory_large(pixels * plane_pixel_bytes(shape, plane));
    field->field.plane[plane] = field->own[plane];
    return field->own[plane]
               ? STATUS_OK
               : status_fail(STATUS_OUT_OF_MEMORY, "no memory for plane %s of %d x %d",
                             plane_kinds[plane].name, shape->width, shape->height);
}

enum status field_memory(struct deepfield_field *field, const struct field *shape, bool light,
                         uint64_t beside)
{
    TRY(memory_admit(field, shape, light, beside));
    field->field = *shape;
    field->field.stride = shape->width;
    for (int p = 0; p < PLANES; p++) {
        field->field.plane[p] = NULL;
        if (field->placed[p].given && !(shape->planes & 1u << p))
            return status_fail(STATUS_USAGE,
                               "the picture has no plane %s, which has memory; "
                               "output.planes says which it has",
                               plane_kinds[p].name);
        if (shape->planes & 1u << p)
            TRY(plane_memory(field, shape, p));
    }
    TRY(placed_apart(field, shape));
    if (!light)
        return STATUS_OK;
    field->light = malloc((size_t)shape->width * (size_t)shape->height * sizeof *field->light);
    return field->light ? STATUS_OK
                        : status_fail(STATUS_OUT_OF_MEMORY, "no memory for the mean of samples");
}

/* ---- pixels ---- */

/* One core copies slower than memory takes in. */
static void rows_copy(void *to, size_t to_bytes, const void *from, size_t from_bytes, size_t bytes,
                      int32_t rows)
{
#pragma omp parallel for schedule(static)
    for (int32_t y = 0; y < rows; y++)
        memcpy((char *)to + (size_t)y * to_bytes, (const char *)from + (size_t)y * from_bytes,
               bytes);
}

void field_rows_put(struct deepfield_field *field, int32_t y, const struct field *rows,
                    const float (*light)[3])
{
    for (int p = 0; p < PLANES; p++) {
        size_t bytes = plane_pixel_bytes(rows, p), row = (size_t)rows->width * bytes;
        if (field->field.plane[p])
            rows_copy(field_row(&field->field, (enum plane)p, y), row, rows->plane[p],
                      (size_t)rows->stride * bytes, row, rows->height);
    }
    size_t row = (size_t)rows->width * sizeof *light;
    if (field->light && light)
        rows_copy((char *)field->light + (size_t)y * row, row, light, row, row, rows->height);
}

void field_placed_fill(struct deepfield_field *field)
{
    for (int p = 0; p < PLANES; p++) {
        const struct placed *placed = &field->placed[p];
        size_t row = (size_t)field->field.width * plane_pixel_bytes(&field->field, p);
        if (placed->given && field->own[p])
            rows_copy(placed->array.data, (size_t)placed->array.row_bytes, field->own[p], row, row,
                      field->field.height);
    }
}

/* ---- what the caller asks ---- */

deepfield_status deepfield_field_get(const deepfield_field *field, const char *plane,
                                     deepfield_array *array)
{
    NEED(field);
    NEED(plane);
    NEED(array);
    enum plane number = plane_named(plane);
    if (array->size < sizeof *array)
        return status_give(status_fail(STATUS_USAGE, "deepfield_array.size is %zu, not %zu",
                                       array->size, sizeof *array));
    if (!field->filled)
        return status_give(status_fail(STATUS_USAGE, "the field has no pixels yet"));
    if (!strcmp(plane, "light") && field->light) {
        *array =
            light_array((const float(*)[3])field->light, field->field.width, field->field.height);
        return DEEPFIELD_OK;
    }
    if (number == PLANES || !field->field.plane[number])
        return status_give(status_fail(STATUS_USAGE, "the field has no plane %.60s", plane));
    *array = field->device.planes & 1u << number ? field->device.array[number]
                                                 : plane_array(&field->field, number);
    return DEEPFIELD_OK;
}

deepfield_status deepfield_field_copy(const deepfield_field *field, const char *plane,
                                      const deepfield_array *into)
{
    deepfield_array from = {.size = sizeof from};
    NEED(into);
    deepfield_status status = deepfield_field_get(field, plane, &from);
    if (status != DEEPFIELD_OK)
        return status;
    if (into->size < sizeof *into || !into->data)
        return status_give(
            status_fail(STATUS_USAGE, "plane %s: an array without memory or size", plane));
    deepfield_array to = *into, wanted = from;
    wanted.row_bytes = (int64_t)array_row_bytes(&from);
    TRY_GIVE(plane_check(plane, &wanted, &to));
    if (to.space == DEEPFIELD_CUDA) {
        TRY_GIVE(device_array_check(plane, &to));
        to.device = device_owner(to.data);
    }
    return status_give(rows_between(&to, &from));
}
