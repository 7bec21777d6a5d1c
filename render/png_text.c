/* PNG: W3C Recommendation, Portable Network Graphics (second edition), 2003, sections 5 and 11. */
#include "render/png_text.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { SIGNATURE_BYTES = 8, CHUNK_FRAME_BYTES = 12, HEADER_BYTES = 13 };

struct chunk {
    const uint8_t *type; /* 4 letters */
    const uint8_t *data;
    uint32_t length;
};

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           (uint32_t)bytes[3];
}

int png_text_is_png(const uint8_t *bytes, size_t length)
{
    return length >= SIGNATURE_BYTES && !memcmp(bytes, "\x89PNG\r\n\x1a\n", SIGNATURE_BYTES);
}

static int is_type(const struct chunk *chunk, const char *type)
{
    return !memcmp(chunk->type, type, 4);
}

/* The chunk at *offset, which is moved behind it. An IDAT is not read, only named. */
static enum status chunk_next(const uint8_t *bytes, size_t length, size_t *offset, const char *name,
                              struct chunk *chunk)
{
    size_t left = length - *offset;
    if (left < CHUNK_FRAME_BYTES)
        return status_fail(STATUS_BAD_DATA, "%s: damaged PNG: ends at byte %zu, before its pixels",
                           name, length);
    const uint8_t *at = bytes + *offset;
    *chunk = (struct chunk){.type = at + 4, .data = at + 8, .length = big_endian(at)};
    if (is_type(chunk, "IDAT"))
        return STATUS_OK;
    if (chunk->length > 0x7fffffff || chunk->length > left - CHUNK_FRAME_BYTES)
        return status_fail(
            STATUS_BAD_DATA,
            "%s: damaged PNG: the chunk at byte %zu claims %u bytes, the file has %zu", name,
            *offset, (unsigned)chunk->length, left - CHUNK_FRAME_BYTES);
    uint32_t sum = (uint32_t)crc32(0, chunk->type, chunk->length + 4);
    if (sum != big_endian(chunk->data + chunk->length))
        return status_fail(STATUS_BAD_DATA,
                           "%s: damaged PNG: wrong checksum of the chunk at byte %zu", name,
                           *offset);
    *offset += CHUNK_FRAME_BYTES + (size_t)chunk->length;
    return STATUS_OK;
}

static enum status header_read(const struct chunk *chunk, const char *name, struct png_facts *facts)
{
    if (!is_type(chunk, "IHDR") || chunk->length != HEADER_BYTES)
        return status_fail(STATUS_BAD_DATA, "%s: damaged PNG: does not begin with a header", name);
    uint32_t width = big_endian(chunk->data), height = big_endian(chunk->data + 4);
    int bits = chunk->data[8];
    if (width - 1 >= 0x7fffffff || height - 1 >= 0x7fffffff || bits > 16 || bits == 0 ||
        (bits & (bits - 1)) != 0)
        return status_fail(STATUS_BAD_DATA,
                           "%s: damaged PNG: the header says %u x %u pixels of %d bits", name,
                           (unsigned)width, (unsigned)height, bits);
    *facts = (struct png_facts){.width = width, .height = height, .bits = bits};
    return STATUS_OK;
}

/* The value of a tEXt chunk with our keyword; NULL for another one. */
static const uint8_t *value_of(const struct chunk *chunk, size_t *length)
{
    const size_t key = sizeof PNG_TEXT_KEY; /* with its NUL */
    if (!is_type(chunk, "tEXt") || chunk->length < key ||
        memcmp(chunk->data, PNG_TEXT_KEY, key) != 0)
        return NULL;
    *length = chunk->length - key;
    return chunk->data + key;
}

static enum status text_copy(const uint8_t *value, size_t length, const char *name, char **text)
{
    if (length > PNG_TEXT_BYTES_MAX || memchr(value, 0, length))
        return status_fail(STATUS_BAD_DATA, "%s: damaged PNG: a view of %zu bytes that %s", name,
                           length, length > PNG_TEXT_BYTES_MAX ? "is too long" : "is not text");
    *text = malloc(length + 1);
    if (!*text)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the view in %s", name);
    memcpy(*text, value, length);
    (*text)[length] = '\0';
    return STATUS_OK;
}

enum status png_text_find(const uint8_t *bytes, size_t length, const char *name, char **text,
                          struct png_facts *facts)
{
    *text = NULL;
    *facts = (struct png_facts){0};
    if (!png_text_is_png(bytes, length))
        return status_fail(STATUS_BAD_DATA, "%s: not a PNG", name);
    size_t offset = SIGNATURE_BYTES, value_length;
    struct chunk chunk = {0}; /* gcc cannot know that status_fail never says OK */
    TRY(chunk_next(bytes, length, &offset, name, &chunk));
    TRY(header_read(&chunk, name, facts));
    for (;;) {
        TRY(chunk_next(bytes, length, &offset, name, &chunk));
        if (is_type(&chunk, "IDAT") || is_type(&chunk, "IEND"))
            return status_fail(STATUS_BAD_DATA,
                               "%s: a PNG without a view: another program made or rewrote it",
                               name);
        const uint8_t *value = value_of(&chunk, &value_length);
        if (value)
            return text_copy(value, value_length, name, text);
    }
}
