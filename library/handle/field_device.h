/* Planes of a field in memory of a CUDA device. */
#ifndef LIBRARY_HANDLE_FIELD_DEVICE_H
#define LIBRARY_HANDLE_FIELD_DEVICE_H

#include "library/handle/field.h"

/* Do some of its planes lie on a device? */
bool field_is_device(const struct deepfield_field *field);

/* What the caller says of device memory: STATUS_NO_DEVICE, with the reason, where there is no CUDA
 * in this build or machine. */
enum status device_array_check(const char *plane, const deepfield_array *array);

/* Number of the device that memory lies on; -1: none. */
int device_owner(const void *memory);

/* Is what the caller has placed memory of the renderer's first device, which becomes that of the
 * field? */
enum status field_device_check(struct deepfield_field *field, const struct renderer *renderer);

/* Memory of a plane that is to lie on a device. A failure leaves what field_forget frees. */
enum status plane_device_memory(struct deepfield_field *field, const struct field *shape,
                                int plane);

/* Puts rows from row y on, in any memory, into all planes, wherever they lie. */
enum status field_device_put(const struct deepfield_field *field, int32_t y,
                             const struct field *rows);

void field_device_forget(struct deepfield_field *field);

/* Bytes of a row without what lies behind its pixels. */
size_t array_row_bytes(const deepfield_array *array);

/* Copies all pixels between arrays of one size and type, in any memory. */
enum status rows_between(const deepfield_array *to, const deepfield_array *from);

/* The field in host memory: its own, or, where planes lie on a device, a copy of all in *memory,
 * which the caller frees. */
enum status field_host(const struct deepfield_field *field, struct field *host, void **memory);

#endif
