#include "decomposition/transport/parcels.h"

#include <assert.h>
#include <stdlib.h>

#include "decomposition/schedule/tile.h"

static enum status parcel_fit(const struct parcels *parcels, struct parcel *parcel, size_t bytes)
{
    const struct job_memory *memory = parcels->site->memory;
    if (parcel->block.at && parcel->block.bytes >= bytes)
        return STATUS_OK;
    block_give(&parcel->block);
    return parcels->of_device ? block_take_device(&parcel->block, memory, bytes)
                              : block_take(&parcel->block, memory, bytes);
}

enum status parcels_open(struct parcels *parcels, const struct transport_site *site, int count,
                         size_t bytes, bool of_device)
{
    *parcels = (struct parcels){.site = site, .of_device = of_device};
    parcels->parcel = calloc((size_t)count, sizeof *parcels->parcel);
    if (!parcels->parcel)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d results", count);
    for (; parcels->count < count; parcels->count++)
        if (bytes)
            TRY(parcel_fit(parcels, &parcels->parcel[parcels->count], bytes));
    return STATUS_OK;
}

void parcels_close(struct parcels *parcels)
{
    for (int i = 0; i < parcels->count; i++)
        block_give(&parcels->parcel[i].block);
    free(parcels->parcel);
}

struct parcel *parcels_take(struct parcels *parcels, size_t bytes)
{
    int i = 0;
    while (i < parcels->count && parcels->parcel[i].taken)
        i++;
    if (i == parcels->count || parcel_fit(parcels, &parcels->parcel[i], bytes) != STATUS_OK)
        return NULL;
    parcels->parcel[i].taken = true;
    return &parcels->parcel[i];
}

struct parcel *parcels_at(const struct parcels *parcels, const void *base)
{
    int i = 0;
    while (i < parcels->count && parcels->parcel[i].block.at != (const unsigned char *)base)
        i++;
    assert(i < parcels->count && parcels->parcel[i].taken);
    return &parcels->parcel[i];
}

bool parcels_place(void *end, const struct tile *tile, size_t bytes, struct field *out)
{
    struct parcels *parcels = end;
    const struct transport_site *site = parcels->site;
    const struct parcel *parcel = parcels_take(parcels, bytes);
    if (!parcel)
        return false;
    field_over(out, tile->width, tile->height, site->planes, site->count_bytes, parcel->block.at);
    out->space = parcel->block.space;
    return true;
}

void parcels_forget(void *end, const struct field *out)
{
    parcels_at(end, out->base)->taken = false;
}
