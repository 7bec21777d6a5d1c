#include "render/worker/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/message/message.h"

enum { ALIGNED = 64 };

/* Most cells of a context: more than a picture of the largest side has in a row of sheets. */
#define CELLS_MOST (UINT64_C(1) << 32)

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static size_t cells_at(void)
{
    return aligned(sizeof(struct picture_context));
}

static size_t head_bytes(const struct picture_context *context)
{
    return cells_at() + aligned((size_t)context->cells * sizeof(struct grid_cell));
}

static enum status bytes_make(void **bytes, size_t length)
{
    *bytes = calloc(1, length);
    return *bytes
               ? STATUS_OK
               : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a context of %zu bytes", length);
}

enum status context_pack(const struct picture_context *context, const struct orbit *orbit,
                         void **bytes, size_t *length)
{
    *length = head_bytes(context) + (orbit ? reference_packed(orbit) : 0);
    TRY(bytes_make(bytes, *length));
    memcpy(*bytes, context, sizeof *context);
    if (orbit)
        reference_pack(orbit, (char *)*bytes + head_bytes(context));
    return STATUS_OK;
}

enum status context_head_pack(const struct picture_context *context, const struct grid_cell *cells,
                              void **bytes, size_t *length)
{
    TRY(context_pack(context, NULL, bytes, length));
    if (context->cells)
        memcpy((char *)*bytes + cells_at(), cells, (size_t)context->cells * sizeof *cells);
    return STATUS_OK;
}

enum status context_orbit_pack(const struct orbit *orbit, void **bytes, size_t *length)
{
    *length = reference_packed(orbit);
    TRY(bytes_make(bytes, *length));
    reference_pack(orbit, *bytes);
    return STATUS_OK;
}

enum status context_unpack(const void *bytes, size_t length, struct picture_context *context,
                           const struct grid_cell **cells, size_t *orbit_at)
{
    bool whole = length >= cells_at();
    if (whole) {
        memcpy(context, bytes, sizeof *context);
        whole = context->cells <= CELLS_MOST && length >= head_bytes(context);
    }
    if (!whole)
        return status_fail(STATUS_INTERNAL, "a context of %zu bytes is too short", length);
    *cells = context->cells ? (const void *)((const char *)bytes + cells_at()) : NULL;
    *orbit_at = head_bytes(context);
    return STATUS_OK;
}

void context_identity(char text[JOIN_IDENTITY_BYTES], const char *program)
{
    snprintf(text, JOIN_IDENTITY_BYTES,
             "deepfield %.40s, arithmetic %d, messages %d, %zu + %zu bytes", program,
             ARITHMETIC_VERSION, MESSAGE_VERSION, sizeof(struct picture_context),
             sizeof(struct pool_task));
}
