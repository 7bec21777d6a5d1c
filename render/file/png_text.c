/* PNG: W3C Recommendation, Portable Network Graphics (second edition), 2003, sections 5 and 11. */
#include "render/file/png_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "render/file/png_chunk.h"

enum { HEADER_BYTES = 13 };

int png_text_is_png(const uint8_t *bytes, size_t length)
{
    return length >= PNG_SIGNATURE_BYTES &&
           !memcmp(bytes, "\x89PNG\r\n\x1a\n", PNG_SIGNATURE_BYTES);
}

/* Takes the next chunk; of an IDAT only the type, since the bytes behind the text may be
 * missing. */
static enum status chunk_next(const uint8_t *bytes, size_t length, size_t *offset, const char *name,
                              struct png_chunk *chunk)
{
    if (png_chunk_peek(bytes, length, *offset, chunk) && png_chunk_is(chunk, "IDAT"))
        return STATUS_OK;
    return png_chunk_next(bytes, length, offset, name, chunk);
}

static enum status header_read(const struct png_chunk *chunk, const char *name,
                               struct png_facts *facts)
{
    if (!png_chunk_is(chunk, "IHDR") || chunk->length != HEADER_BYTES)
        return status_fail(STATUS_BAD_DATA, "%s: damaged PNG: does not begin with a header", name);
    uint32_t width = png_big_endian(chunk->data), height = png_big_endian(chunk->data + 4);
    int bits = chunk->data[8];
    if (width - 1 >= 0x7fffffff || height - 1 >= 0x7fffffff || bits > 16 || bits == 0 ||
        (bits & (bits - 1)) != 0)
        return status_fail(STATUS_BAD_DATA,
                           "%s: damaged PNG: the header says %u x %u pixels of %d bits", name,
                           (unsigned)width, (unsigned)height, bits);
    *facts = (struct png_facts){.width = width, .height = height, .bits = bits};
    return STATUS_OK;
}

/* Value of a tEXt chunk with this keyword; NULL for another one. */
static const uint8_t *value_of(const struct png_chunk *chunk, const char *key, size_t *length)
{
    const size_t bytes = strlen(key) + 1; /* length with the NUL */
    if (!png_chunk_is(chunk, "tEXt") || chunk->length < bytes ||
        memcmp(chunk->data, key, bytes) != 0)
        return NULL;
    *length = chunk->length - bytes;
    return chunk->data + bytes;
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
    size_t offset = PNG_SIGNATURE_BYTES, value_length, comment_length = 0;
    const uint8_t *comment = NULL;
    struct png_chunk chunk = {0}; /* gcc cannot know that status_fail never says OK */
    TRY(chunk_next(bytes, length, &offset, name, &chunk));
    TRY(header_read(&chunk, name, facts));
    for (;;) {
        TRY(chunk_next(bytes, length, &offset, name, &chunk));
        bool last = png_chunk_is(&chunk, "IDAT") || png_chunk_is(&chunk, "IEND");
        if (last && comment)
            return text_copy(comment, comment_length, name, text);
        if (last)
            return status_fail(STATUS_BAD_DATA,
                               "%s: a PNG without a view: another program made or rewrote it",
                               name);
        const uint8_t *value = value_of(&chunk, PNG_TEXT_KEY, &value_length);
        if (value)
            return text_copy(value, value_length, name, text);
        if (!comment)
            comment = value_of(&chunk, PNG_COMMENT_KEY, &comment_length);
    }
}
