/* Memory for results that are computed or on their way, used again and again. Private to
 * decomposition/. */
#ifndef DECOMPOSITION_TRANSPORT_PARCELS_H
#define DECOMPOSITION_TRANSPORT_PARCELS_H

#include "decomposition/message/block.h"
#include "decomposition/transport/transport.h"

struct parcel {
    struct block block;
    bool taken; /* until it is cleared, by pixels.c where MPI has to let go of it first */
};

struct parcels { /* the first member of the end of a transport */
    const struct transport_site *site;
    bool of_device; /* block_take_device, else block_take */
    int count;
    struct parcel *parcel; /* [count] */
};

/* Each of `bytes`; 0: of none yet. */
enum status parcels_open(struct parcels *parcels, const struct transport_site *site, int count,
                         size_t bytes, bool of_device);
void parcels_close(struct parcels *parcels); /* accepts zeroed ones */

/* At least `bytes`; NULL: all are taken, or there is no memory for longer ones. */
struct parcel *parcels_take(struct parcels *parcels, size_t bytes);

/* The taken one whose block begins there. */
struct parcel *parcels_at(const struct parcels *parcels, const void *base);

/* Verbs of a transport that computes tiles into them. */
bool parcels_place(void *end, const struct tile *tile, size_t bytes, struct field *out);
void parcels_forget(void *end, const struct field *out);

#endif
