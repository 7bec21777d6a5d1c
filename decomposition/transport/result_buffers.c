#include "decomposition/transport/result_buffers.h"

#include <assert.h>
#include <stdlib.h>

#include "decomposition/schedule/tile.h"

static enum status buffer_fit(const struct result_buffers *buffers, struct result_buffer *buffer,
                              size_t bytes)
{
    const struct job_memory *memory = buffers->site->memory;
    if (buffer->block.at && buffer->block.bytes >= bytes)
        return STATUS_OK;
    block_give(&buffer->block);
    return buffers->of_device ? block_take_device(&buffer->block, memory, bytes)
                              : block_take(&buffer->block, memory, bytes);
}

enum status result_buffers_open(struct result_buffers *buffers, const struct transport_site *site,
                                int count, size_t bytes, bool of_device)
{
    *buffers = (struct result_buffers){.site = site, .of_device = of_device};
    buffers->buffer = calloc((size_t)count, sizeof *buffers->buffer);
    if (!buffers->buffer)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d results", count);
    for (; buffers->count < count; buffers->count++)
        if (bytes)
            TRY(buffer_fit(buffers, &buffers->buffer[buffers->count], bytes));
    return STATUS_OK;
}

void result_buffers_close(struct result_buffers *buffers)
{
    for (int i = 0; i < buffers->count; i++)
        block_give(&buffers->buffer[i].block);
    free(buffers->buffer);
}

struct result_buffer *result_buffers_take(struct result_buffers *buffers, size_t bytes)
{
    int i = 0;
    while (i < buffers->count && buffers->buffer[i].taken)
        i++;
    if (i == buffers->count || buffer_fit(buffers, &buffers->buffer[i], bytes) != STATUS_OK)
        return NULL;
    buffers->buffer[i].taken = true;
    return &buffers->buffer[i];
}

struct result_buffer *result_buffers_at(const struct result_buffers *buffers, const void *base)
{
    int i = 0;
    while (i < buffers->count && buffers->buffer[i].block.at != (const unsigned char *)base)
        i++;
    assert(i < buffers->count && buffers->buffer[i].taken);
    return &buffers->buffer[i];
}

bool result_buffers_reserve(void *end, const struct tile *tile, size_t bytes, struct field *out)
{
    struct result_buffers *buffers = end;
    const struct transport_site *site = buffers->site;
    const struct result_buffer *buffer = result_buffers_take(buffers, bytes);
    if (!buffer)
        return false;
    field_over(out, tile->width, tile->height, site->planes, site->count_bytes, buffer->block.at);
    out->space = buffer->block.space;
    return true;
}

void result_buffers_forget(void *end, const struct field *out)
{
    result_buffers_at(end, out->base)->taken = false;
}
