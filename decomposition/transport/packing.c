#include "decomposition/transport/packing.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

/* A packed block: "DFpk", bytes of an element, 3 zeros, and the length of each plane in 4 bytes;
 * then the planes. One as long as there are elements is not packed. */
enum { AT_ELEMENT = 4, AT_LENGTHS = 8, LEVEL = -1 };
static const unsigned char magic[4] = {'D', 'F', 'p', 'k'};

struct packing {
    ZSTD_CCtx *in;
    ZSTD_DCtx *out;
    unsigned char *planes; /* one plane after the other; grows */
    size_t room;
};

bool packing_is_built(void)
{
    return true;
}

void packing_destroy(struct packing *packing)
{
    if (!packing)
        return;
    ZSTD_freeCCtx(packing->in);
    ZSTD_freeDCtx(packing->out);
    free(packing->planes);
    free(packing);
}

struct packing *packing_create(void)
{
    struct packing *packing = calloc(1, sizeof *packing);
    if (!packing)
        return NULL;
    packing->in = ZSTD_createCCtx();
    packing->out = ZSTD_createDCtx();
    bool good = packing->in && packing->out &&
                !ZSTD_isError(ZSTD_CCtx_setParameter(packing->in, ZSTD_c_compressionLevel, LEVEL));
    if (good)
        return packing;
    packing_destroy(packing);
    return NULL;
}

static enum status room_make(struct packing *packing, size_t bytes)
{
    if (packing->room >= bytes)
        return STATUS_OK;
    free(packing->planes);
    packing->planes = malloc(bytes);
    packing->room = packing->planes ? bytes : 0;
    return packing->planes
               ? STATUS_OK
               : status_fail(STATUS_OUT_OF_MEMORY, "no memory to pack %zu bytes", bytes);
}

/* ---- differences and planes ---- */

static void split_4(const uint32_t *elements, size_t count, unsigned char *plane)
{
    uint32_t before = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t difference = elements[i] - before;
        before = elements[i];
        uint32_t zigzag = difference << 1 ^ (0 - (difference >> 31));
        plane[i] = (unsigned char)zigzag;
        plane[count + i] = (unsigned char)(zigzag >> 8);
        plane[2 * count + i] = (unsigned char)(zigzag >> 16);
        plane[3 * count + i] = (unsigned char)(zigzag >> 24);
    }
}

static void join_4(uint32_t *elements, size_t count, const unsigned char *plane)
{
    uint32_t before = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t zigzag = plane[i] | (uint32_t)plane[count + i] << 8 |
                          (uint32_t)plane[2 * count + i] << 16 |
                          (uint32_t)plane[3 * count + i] << 24;
        before += zigzag >> 1 ^ (0 - (zigzag & 1));
        elements[i] = before;
    }
}

static void split_8(const uint64_t *elements, size_t count, unsigned char *plane)
{
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t difference = elements[i] - before;
        before = elements[i];
        uint64_t zigzag = difference << 1 ^ (0 - (difference >> 63));
        for (size_t b = 0; b < 8; b++)
            plane[b * count + i] = (unsigned char)(zigzag >> 8 * b);
    }
}

static void join_8(uint64_t *elements, size_t count, const unsigned char *plane)
{
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t zigzag = 0;
        for (size_t b = 0; b < 8; b++)
            zigzag |= (uint64_t)plane[b * count + i] << 8 * b;
        before += zigzag >> 1 ^ (0 - (zigzag & 1));
        elements[i] = before;
    }
}

/* ---- blocks ---- */

static void length_put(unsigned char *header, size_t plane, size_t length)
{
    const uint32_t value = (uint32_t)length;
    memcpy(header + AT_LENGTHS + 4 * plane, &value, sizeof value);
}

static size_t length_get(const unsigned char *header, size_t plane)
{
    uint32_t value;
    memcpy(&value, header + AT_LENGTHS + 4 * plane, sizeof value);
    return value;
}

/* Packs a plane, or copies it where that is not shorter; returns its length. */
static size_t plane_pack(struct packing *packing, const unsigned char *plane, size_t count,
                         unsigned char *to)
{
    size_t length = ZSTD_compress2(packing->in, to, count, plane, count);
    if (!ZSTD_isError(length) && length < count)
        return length;
    memcpy(to, plane, count);
    return count;
}

enum status packing_pack(struct packing *packing, const void *elements, size_t bytes,
                         size_t element, void *packed, size_t *length)
{
    unsigned char *to = packed;
    size_t count = bytes / element, used = PACKING_HEADER;
    TRY(room_make(packing, bytes));
    if (element == 4)
        split_4(elements, count, packing->planes);
    else
        split_8(elements, count, packing->planes);
    memset(to, 0, PACKING_HEADER);
    memcpy(to, magic, sizeof magic);
    to[AT_ELEMENT] = (unsigned char)element;
    for (size_t plane = 0; plane < element; plane++) {
        size_t one = plane_pack(packing, packing->planes + plane * count, count, to + used);
        length_put(to, plane, one);
        used += one;
    }
    *length = used;
    return STATUS_OK;
}

static bool plane_unpack(struct packing *packing, const unsigned char *from, size_t length,
                         unsigned char *plane, size_t count)
{
    if (length < count)
        return ZSTD_decompressDCtx(packing->out, plane, count, from, length) == count;
    memcpy(plane, from, count);
    return true;
}

enum status packing_unpack(struct packing *packing, const void *packed, size_t length,
                           void *elements, size_t bytes, size_t element)
{
    const unsigned char *from = packed;
    size_t count = bytes / element, used = PACKING_HEADER;
    if (length < PACKING_HEADER || memcmp(from, magic, sizeof magic) != 0 ||
        from[AT_ELEMENT] != element)
        return STATUS_BAD_DATA;
    TRY(room_make(packing, bytes));
    for (size_t plane = 0; plane < element; plane++) {
        size_t one = length_get(from, plane);
        if (one > count || one > length - used ||
            !plane_unpack(packing, from + used, one, packing->planes + plane * count, count))
            return STATUS_BAD_DATA;
        used += one;
    }
    if (used != length)
        return STATUS_BAD_DATA;
    if (element == 4)
        join_4(elements, count, packing->planes);
    else
        join_8(elements, count, packing->planes);
    return STATUS_OK;
}
