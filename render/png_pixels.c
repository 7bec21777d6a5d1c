/* PNG: W3C Recommendation, Portable Network Graphics (second edition), 2003, sections 9 to 11. */
#include "render/png_pixels.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "render/png_chunk.h"
#include "render/png_text.h"

enum { HEADER_BYTES = 13, PIXEL_BYTES = 3 };

struct raw { /* rows with their filters, as they were packed */
    uint8_t *bytes;
    size_t length;
    uint32_t width, height;
};

static enum status header_read(const struct png_chunk *chunk, const char *name, uint32_t most_px,
                               struct raw *raw)
{
    static const uint8_t kind[] = {8, 2, 0, 0, 0}; /* bits, RGB, deflate, filters, no interlace */
    if (!png_chunk_is(chunk, "IHDR") || chunk->length != HEADER_BYTES)
        return status_fail(STATUS_BAD_DATA, "%s: damaged PNG: does not begin with a header", name);
    raw->width = png_big_endian(chunk->data);
    raw->height = png_big_endian(chunk->data + 4);
    if (raw->width < 1 || raw->height < 1)
        return status_fail(STATUS_BAD_DATA, "%s: damaged PNG: no pixels", name);
    if (raw->width > most_px || raw->height > most_px || memcmp(chunk->data + 8, kind, 5) != 0)
        return status_fail(STATUS_TOO_LARGE,
                           "%s: %u x %u pixels; only RGB of 8 bits and at most %u a side is shown "
                           "small",
                           name, (unsigned)raw->width, (unsigned)raw->height, (unsigned)most_px);
    raw->length = ((size_t)raw->width * PIXEL_BYTES + 1) * raw->height;
    return STATUS_OK;
}

/* Unpacks the IDAT chunks, which stand one behind the other, and looks at all chunks to the end. */
static enum status unpack(const uint8_t *bytes, size_t length, size_t offset, const char *name,
                          z_stream *stream)
{
    struct png_chunk chunk = {0};
    int result = Z_OK;
    do {
        TRY(png_chunk_next(bytes, length, &offset, name, &chunk));
        if (!png_chunk_is(&chunk, "IDAT"))
            continue;
        stream->next_in = (uint8_t *)(uintptr_t)chunk.data; /* zlib does not write there */
        stream->avail_in = chunk.length;
        if (result == Z_OK && chunk.length)
            result = inflate(stream, Z_NO_FLUSH);
        if ((result != Z_OK && result != Z_STREAM_END) || stream->avail_in)
            return status_fail(STATUS_BAD_DATA, "%s: damaged PNG: its pixels cannot be unpacked",
                               name);
    } while (!png_chunk_is(&chunk, "IEND"));
    if (result != Z_STREAM_END || stream->avail_out)
        return status_fail(STATUS_BAD_DATA, "%s: damaged PNG: it has not as many pixels as it says",
                           name);
    return STATUS_OK;
}

static int paeth(int left, int up, int corner)
{
    int guess = left + up - corner;
    int to_left = abs(guess - left), to_up = abs(guess - up), to_corner = abs(guess - corner);
    if (to_left <= to_up && to_left <= to_corner)
        return left;
    return to_up <= to_corner ? up : corner;
}

/* In place: what a byte's neighbours foretold of it is added. */
static void row_restore(uint8_t *row, const uint8_t *above, size_t length, int filter)
{
    for (size_t i = 0; i < length; i++) {
        int left = i >= PIXEL_BYTES ? row[i - PIXEL_BYTES] : 0, up = above ? above[i] : 0;
        int corner = above && i >= PIXEL_BYTES ? above[i - PIXEL_BYTES] : 0;
        const int foretold[] = {0, left, up, (left + up) / 2, paeth(left, up, corner)};
        row[i] = (uint8_t)(row[i] + foretold[filter]);
    }
}

static enum status rows_restore(const struct raw *raw, const char *name, uint32_t *pixels)
{
    size_t row_bytes = (size_t)raw->width * PIXEL_BYTES;
    uint8_t *above = NULL;
    for (uint32_t y = 0; y < raw->height; y++) {
        uint8_t *row = raw->bytes + y * (row_bytes + 1) + 1;
        if (row[-1] > 4)
            return status_fail(STATUS_BAD_DATA, "%s: damaged PNG: row %u has filter %d", name,
                               (unsigned)y, row[-1]);
        row_restore(row, above, row_bytes, row[-1]);
        for (uint32_t x = 0; x < raw->width; x++)
            pixels[(size_t)y * raw->width + x] = 0xff000000u | (uint32_t)row[3 * x] << 16 |
                                                 (uint32_t)row[3 * x + 1] << 8 | row[3 * x + 2];
        above = row;
    }
    return STATUS_OK;
}

static enum status pixels_make(const uint8_t *bytes, size_t length, size_t offset, const char *name,
                               struct raw *raw, uint32_t **pixels)
{
    z_stream stream = {0};
    raw->bytes = malloc(raw->length);
    *pixels = malloc((size_t)raw->width * raw->height * sizeof **pixels);
    if (!raw->bytes || !*pixels || inflateInit(&stream) != Z_OK)
        return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for its pixels", name);
    stream.next_out = raw->bytes;
    stream.avail_out = (uInt)raw->length;
    enum status status = unpack(bytes, length, offset, name, &stream);
    inflateEnd(&stream);
    return status == STATUS_OK ? rows_restore(raw, name, *pixels) : status;
}

enum status png_pixels_read(const uint8_t *bytes, size_t length, const char *name, uint32_t most_px,
                            uint32_t **pixels, uint32_t *width, uint32_t *height)
{
    struct raw raw = {0};
    struct png_chunk chunk = {0};
    size_t offset = PNG_SIGNATURE_BYTES;
    *pixels = NULL;
    *width = *height = 0;
    if (!png_text_is_png(bytes, length))
        return status_fail(STATUS_BAD_DATA, "%s: not a PNG", name);
    TRY(png_chunk_next(bytes, length, &offset, name, &chunk));
    TRY(header_read(&chunk, name, most_px < 16384 ? most_px : 16384, &raw));
    enum status status = pixels_make(bytes, length, offset, name, &raw, pixels);
    free(raw.bytes);
    if (status == STATUS_OK) {
        *width = raw.width;
        *height = raw.height;
    } else {
        free(*pixels);
        *pixels = NULL;
    }
    return status;
}
