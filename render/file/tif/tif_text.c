#include "render/file/tif/tif_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 8, BIG_HEADER_BYTES = 16 };

size_t tif_text_mark(char mark[TIF_MARK_BYTES], const struct png_facts *facts, size_t length)
{
    return (size_t)snprintf(mark, TIF_MARK_BYTES,
                            "deepfield view of %" PRIu32 " x %" PRIu32
                            " pixels, %d bit, %zu bytes\n",
                            facts->width, facts->height, facts->bits, length);
}

/* Bytes of the header; 0: not a TIFF. */
static size_t header_bytes(const uint8_t *bytes, size_t length)
{
    if (length < HEADER_BYTES)
        return 0;
    if (!memcmp(bytes, "II*\0", 4) || !memcmp(bytes, "MM\0*", 4))
        return HEADER_BYTES;
    return !memcmp(bytes, "II+\0", 4) || !memcmp(bytes, "MM\0+", 4) ? BIG_HEADER_BYTES : 0;
}

bool tif_text_is_tif(const uint8_t *bytes, size_t length)
{
    return header_bytes(bytes, length) > 0;
}

/* Reads the line at `at`; it is ours if the values read give the same line again. */
static bool mark_read(const uint8_t *at, size_t left, struct png_facts *facts, size_t *mark_length,
                      size_t *text_length)
{
    char line[TIF_MARK_BYTES] = "", again[TIF_MARK_BYTES];
    memcpy(line, at, left < sizeof line ? left : sizeof line - 1);
    if (sscanf(line, "deepfield view of %10" SCNu32 " x %10" SCNu32 " pixels, %2d bit, %9zu bytes",
               &facts->width, &facts->height, &facts->bits, text_length) != 4)
        return false;
    *mark_length = tif_text_mark(again, facts, *text_length);
    return *mark_length <= left && !memcmp(at, again, *mark_length) && facts->width > 0 &&
           facts->height > 0 && facts->bits > 0;
}

enum status tif_text_find(const uint8_t *bytes, size_t length, const char *name, char **text,
                          struct png_facts *facts)
{
    size_t at = header_bytes(bytes, length), mark, wanted;
    *text = NULL;
    *facts = (struct png_facts){0};
    if (at == 0)
        return status_fail(STATUS_BAD_DATA, "%s: not a TIFF", name);
    if (at > length || !mark_read(bytes + at, length - at, facts, &mark, &wanted)) {
        *facts = (struct png_facts){0};
        return status_fail(STATUS_BAD_DATA,
                           "%s: a TIFF without a view: another program made or rewrote it", name);
    }
    at += mark;
    if (wanted > PNG_TEXT_BYTES_MAX || wanted > length - at || memchr(bytes + at, 0, wanted))
        return status_fail(STATUS_BAD_DATA, "%s: damaged TIFF: a view of %zu bytes that %s", name,
                           wanted,
                           wanted > PNG_TEXT_BYTES_MAX ? "is too long"
                           : wanted > length - at      ? "is cut"
                                                       : "is not text");
    *text = malloc(wanted + 1);
    if (!*text)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the view in %s", name);
    memcpy(*text, bytes + at, wanted);
    (*text)[wanted] = '\0';
    return STATUS_OK;
}
