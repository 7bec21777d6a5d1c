/* Pixels packed without loss, for links that are slower than packing.
 *
 * Elements of 4 or 8 bytes are replaced by their difference from the one before (zigzag: small ones
 * of either sign have zeros above), and split into planes of one byte each, of which zstd packs
 * those that become smaller. Neighbouring counts differ in their lowest bytes alone; of fractions
 * the upper half of the bits is predictable, the lower is noise and stays as it is. Two rows of
 * zstd and lz4 on 512 KB of counts and fractions (seahorse and elephant, 1080p): 0.11 to 0.15 and
 * 0.71 to 0.76 of the bytes by zstd -1, 0.13 to 0.18 and 0.74 to 0.79 by lz4.
 *
 * What comes from the network is checked: lengths, planes, and what zstd finds. */
#ifndef DECOMPOSITION_TRANSPORT_PACKING_H
#define DECOMPOSITION_TRANSPORT_PACKING_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/status.h"

enum { PACKING_HEADER = 40, PACKING_ELEMENT_MOST = 8 };

struct packing; /* memory for one call at a time */

/* Is zstd in this build? */
bool packing_is_built(void);

struct packing *packing_create(void); /* NULL: no memory, or not built */
void packing_destroy(struct packing *packing);

/* Most bytes of so many when they are packed: noise becomes longer by the header. */
static inline size_t packing_room(size_t bytes)
{
    return bytes + PACKING_HEADER;
}

/* Results of any form are packed as words of 4 bytes, the last one filled up: their blocks are
 * longer than that (message_padded). */
enum { PACKING_WORD = 4 };
static inline size_t packing_whole(size_t bytes)
{
    return (bytes + PACKING_WORD - 1) / PACKING_WORD * PACKING_WORD;
}

/* Packs `bytes`, whole elements of 4 or 8, into memory of packing_room(bytes). *length: of the
 * result. STATUS_OUT_OF_MEMORY. */
enum status packing_pack(struct packing *packing, const void *elements, size_t bytes,
                         size_t element, void *packed, size_t *length);

/* Unpacks into exactly `bytes`. STATUS_BAD_DATA, without a sentence, where these are no such packed
 * elements: `elements` may be anything then. STATUS_OUT_OF_MEMORY. */
enum status packing_unpack(struct packing *packing, const void *packed, size_t length,
                           void *elements, size_t bytes, size_t element);

#endif
