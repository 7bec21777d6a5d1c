/* A build without zstd: nothing is packed. */
#include "decomposition/transport/packing.h"

bool packing_is_built(void)
{
    return false;
}

struct packing *packing_create(void)
{
    return NULL;
}

void packing_destroy(struct packing *packing)
{
    (void)packing;
}

enum status packing_pack(struct packing *packing, const void *elements, size_t bytes,
                         size_t element, void *packed, size_t *length)
{
    (void)packing;
    (void)elements;
    (void)bytes;
    (void)element;
    (void)packed;
    *length = 0;
    return status_fail(STATUS_INTERNAL, "this program cannot pack pixels");
}

enum status packing_unpack(struct packing *packing, const void *packed, size_t length,
                           void *elements, size_t bytes, size_t element)
{
    (void)packing;
    (void)packed;
    (void)length;
    (void)elements;
    (void)bytes;
    (void)element;
    return STATUS_BAD_DATA;
}
