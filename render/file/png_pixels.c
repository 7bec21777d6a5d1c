/* PNG: W3C Recommendation, Portable Network Graphics (second edition), 2003, section 5. */
#include "render/file/png_pixels.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "render/file/png_chunk.h"
#include "render/file/png_text.h"

enum { HEADER_BYTES = 13 };

static enum status header_check(const struct png_chunk *chunk, const char *name, uint32_t most_px)
{
    static const uint8_t kind[] = {8, 2, 0, 0, 0}; /* bits, RGB, deflate, filters, no interlace */
    if (!png_chunk_is(chunk, "IHDR") || chunk->length != HEADER_BYTES)
        return status_fail(STATUS_BAD_DATA, "%s: damaged PNG: does not begin with a header", name);
    uint32_t width = png_big_endian(chunk->data), height = png_big_endian(chunk->data + 4);
    if (width < 1 || height < 1)
        return status_fail(STATUS_BAD_DATA, "%s: damaged PNG: no pixels", name);
    if (width > most_px || height > most_px || memcmp(chunk->data + 8, kind, 5) != 0)
        return status_fail(STATUS_TOO_LARGE,
                           "%s: %u x %u pixels; only RGB of 8 bits and at most %u a side is shown "
                           "small",
                           name, (unsigned)width, (unsigned)height, (unsigned)most_px);
    return STATUS_OK;
}

/* Checks all chunks: libpng would ignore a wrong checksum of an ancillary one. */
static enum status chunks_check(const uint8_t *bytes, size_t length, const char *name,
                                uint32_t most_px)
{
    size_t offset = PNG_SIGNATURE_BYTES;
    struct png_chunk chunk = {0};
    TRY(png_chunk_next(bytes, length, &offset, name, &chunk));
    TRY(header_check(&chunk, name, most_px));
    while (!png_chunk_is(&chunk, "IEND"))
        TRY(png_chunk_next(bytes, length, &offset, name, &chunk));
    return STATUS_OK;
}

enum status png_pixels_read(const uint8_t *bytes, size_t length, const char *name, uint32_t most_px,
                            uint32_t **pixels, uint32_t *width, uint32_t *height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    *pixels = NULL;
    *width = *height = 0;
    if (!png_text_is_png(bytes, length))
        return status_fail(STATUS_BAD_DATA, "%s: not a PNG", name);
    TRY(chunks_check(bytes, length, name, most_px < 16384 ? most_px : 16384));
    if (!png_image_begin_read_from_memory(&image, bytes, length))
        return status_fail(STATUS_BAD_DATA, "%s: damaged PNG: %s", name, image.message);
    image.format = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? PNG_FORMAT_ARGB : PNG_FORMAT_BGRA;
    uint32_t *read = malloc(PNG_IMAGE_SIZE(image));
    if (!read) {
        png_image_free(&image);
        return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for its pixels", name);
    }
    if (!png_image_finish_read(&image, NULL, read, 0, NULL)) {
        free(read);
        return status_fail(STATUS_BAD_DATA, "%s: damaged PNG: %s", name, image.message);
    }
    *pixels = read;
    *width = image.width;
    *height = image.height;
    return STATUS_OK;
}
