#include "render/file/webp_text.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 12, CHUNK_HEAD_BYTES = 8, SHAPE_BYTES = 10 };

static const char packet_begin[] =
    "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
    "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
    "<rdf:Description rdf:about=\"\" xmlns:deepfield=\"urn:deepfield:picture\" "
    "xmlns:tiff=\"http://ns.adobe.com/tiff/1.0/\">";
static const char property_begin[] = "<deepfield:view>", property_end[] = "</deepfield:view>";
static const char packet_end[] = "</rdf:Description></rdf:RDF></x:xmpmeta>";

/* Characters that XML gives a meaning, or changes. */
static const struct entity {
    char c;
    const char *name;
} entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'\r', "&#13;"}};

enum { ENTITIES = sizeof entities / sizeof *entities };

bool webp_text_is_webp(const uint8_t *bytes, size_t length)
{
    return length >= HEAD_BYTES && !memcmp(bytes, "RIFF", 4) && !memcmp(bytes + 8, "WEBP", 4);
}

/* ---- writing ---- */

bool webp_chunk_write(FILE *stream, const char name[4], const void *bytes, size_t length)
{
    const uint8_t size[4] = {(uint8_t)length, (uint8_t)(length >> 8), (uint8_t)(length >> 16),
                             (uint8_t)(length >> 24)};
    return fwrite(name, 1, 4, stream) == 4 && fwrite(size, 1, 4, stream) == 4 &&
           fwrite(bytes, 1, length, stream) == length && (length % 2 == 0 || putc(0, stream) == 0);
}

static void escaped_write(FILE *stream, const char *text)
{
    for (const char *c = text; *c; c++) {
        int i = 0;
        while (i < ENTITIES && entities[i].c != *c)
            i++;
        if (i < ENTITIES)
            fputs(entities[i].name, stream);
        else
            putc(*c, stream);
    }
}

/* Resolution as XMP has it: fractions, of an inch. */
static void resolution_write(FILE *stream, double dpi)
{
    fprintf(stream,
            "<tiff:XResolution>%.0f/1000</tiff:XResolution>"
            "<tiff:YResolution>%.0f/1000</tiff:YResolution>"
            "<tiff:ResolutionUnit>2</tiff:ResolutionUnit>",
            dpi * 1000, dpi * 1000);
}

char *webp_text_packet(const char *text, double dpi, size_t *length)
{
    char *packet = NULL;
    FILE *stream = open_memstream(&packet, length);
    if (!stream)
        return NULL;
    fputs(packet_begin, stream);
    if (dpi > 0)
        resolution_write(stream, dpi);
    fputs(property_begin, stream);
    escaped_write(stream, text);
    fputs(property_end, stream);
    fputs(packet_end, stream);
    bool good = !ferror(stream);
    if (fclose(stream) == 0 && good)
        return packet;
    free(packet);
    return NULL;
}

/* ---- reading ---- */

struct webp_chunk {
    const uint8_t *name, *data;
    size_t length;
};

/* Takes the chunk at *offset, which is moved behind it. False where no whole one is. */
static bool chunk_next(const uint8_t *bytes, size_t length, size_t *offset,
                       struct webp_chunk *chunk)
{
    if (*offset > length || length - *offset < CHUNK_HEAD_BYTES)
        return false;
    const uint8_t *at = bytes + *offset;
    size_t size = (size_t)at[4] | (size_t)at[5] << 8 | (size_t)at[6] << 16 | (size_t)at[7] << 24;
    if (size > length - *offset - CHUNK_HEAD_BYTES)
        return false;
    *chunk = (struct webp_chunk){.name = at, .data = at + CHUNK_HEAD_BYTES, .length = size};
    *offset += CHUNK_HEAD_BYTES + size + size % 2;
    return true;
}

static bool is_named(const struct webp_chunk *chunk, const char *name)
{
    return !memcmp(chunk->name, name, 4);
}

/* Size of the canvas of the extended format. */
static void shape_read(const struct webp_chunk *chunk, struct png_facts *facts)
{
    const uint8_t *at = chunk->data;
    if (!is_named(chunk, "VP8X") || chunk->length < SHAPE_BYTES)
        return;
    *facts = (struct png_facts){.bits = 8};
    facts->width = 1 + ((uint32_t)at[4] | (uint32_t)at[5] << 8 | (uint32_t)at[6] << 16);
    facts->height = 1 + ((uint32_t)at[7] | (uint32_t)at[8] << 8 | (uint32_t)at[9] << 16);
}

/* Replaces entities by their characters, in place. False for bytes that are not written here. */
static bool unescape(char *text)
{
    char *out = text;
    for (const char *c = text; *c; out++) {
        int i = 0;
        while (i < ENTITIES && strncmp(c, entities[i].name, strlen(entities[i].name)) != 0)
            i++;
        if (*c == '<' || (*c == '&' && i == ENTITIES))
            return false;
        *out = i < ENTITIES ? entities[i].c : *c;
        c += i < ENTITIES ? strlen(entities[i].name) : 1;
    }
    *out = '\0';
    return true;
}

static enum status property_take(const struct webp_chunk *chunk, const char *name, char **text)
{
    size_t marked = sizeof property_begin - 1;
    const char *packet = (const char *)chunk->data, *end = packet + chunk->length;
    const char *from = memmem(packet, chunk->length, property_begin, marked);
    if (!from)
        return STATUS_OK; /* packet of another program */
    from += marked;
    const char *to = memmem(from, (size_t)(end - from), property_end, sizeof property_end - 1);
    size_t length = to ? (size_t)(to - from) : 0;
    if (length == 0 || length > PNG_TEXT_BYTES_MAX || memchr(from, 0, length))
        return status_fail(STATUS_BAD_DATA, "%s: damaged WebP: its view is cut, or no text", name);
    *text = strndup(from, length);
    if (!*text)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the view in %s", name);
    if (unescape(*text))
        return STATUS_OK;
    return status_fail(STATUS_BAD_DATA, "%s: damaged WebP: its view is no text of XML", name);
}

static enum status chunks_walk(const uint8_t *bytes, size_t length, const char *name, char **text,
                               struct png_facts *facts)
{
    struct webp_chunk chunk;
    size_t offset = HEAD_BYTES;
    if (!webp_text_is_webp(bytes, length))
        return status_fail(STATUS_BAD_DATA, "%s: not a WebP", name);
    while (!*text && chunk_next(bytes, length, &offset, &chunk)) {
        shape_read(&chunk, facts);
        if (is_named(&chunk, "XMP "))
            TRY(property_take(&chunk, name, text));
    }
    if (!*text)
        return status_fail(STATUS_BAD_DATA,
                           "%s: a WebP without a view: another program made or rewrote it", name);
    if (facts->width == 0 || facts->height == 0)
        return status_fail(STATUS_BAD_DATA, "%s: damaged WebP: the size is missing", name);
    return STATUS_OK;
}

enum status webp_text_find(const uint8_t *bytes, size_t length, const char *name, char **text,
                           struct png_facts *facts)
{
    *text = NULL;
    *facts = (struct png_facts){0};
    enum status status = chunks_walk(bytes, length, name, text, facts);
    if (status == STATUS_OK)
        return STATUS_OK;
    free(*text);
    *text = NULL;
    *facts = (struct png_facts){0};
    return status;
}
