/* Result buffers: memory that results are computed into and sent from, used again and again.
 * Private to decomposition/. */
#ifndef DECOMPOSITION_TRANSPORT_RESULT_BUFFERS_H
#define DECOMPOSITION_TRANSPORT_RESULT_BUFFERS_H

#include "decomposition/message/block.h"
#include "decomposition/transport/transport.h"

struct result_buffer {
    struct block block;
    bool taken; /* cleared by pixels.c where MPI has to let go of the block first */
};

struct result_buffers { /* the first member of the end of a transport */
    const struct transport_site *site;
    bool of_device; /* block_take_device, else block_take */
    int count;
    struct result_buffer *buffer; /* [count] */
};

/* Opens `count` buffers of `bytes` each; 0: they get memory when they are taken. */
enum status result_buffers_open(struct result_buffers *buffers, const struct transport_site *site,
                                int count, size_t bytes, bool of_device);
void result_buffers_close(struct result_buffers *buffers); /* accepts zeroed ones */

/* Takes a buffer of at least `bytes`; NULL: all are taken, or there is no memory for longer ones.
 */
struct result_buffer *result_buffers_take(struct result_buffers *buffers, size_t bytes);

/* The taken buffer whose block begins at `base`. */
struct result_buffer *result_buffers_at(const struct result_buffers *buffers, const void *base);

/* Verbs of a transport that computes tiles into such buffers. */
bool result_buffers_reserve(void *end, const struct tile *tile, size_t bytes, struct field *out);
void result_buffers_forget(void *end, const struct field *out);

#endif
