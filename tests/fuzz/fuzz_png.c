/* Any bytes as a PNG: refused with a sentence, or a text that lies in the bytes, and as many pixels
 * as were asked for at most. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "render/file/png_pixels.h"
#include "render/file/png_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void find(const uint8_t *data, size_t size)
{
    char *text;
    struct png_facts facts;
    if (png_text_find(data, size, "fuzz", &text, &facts) != STATUS_OK) {
        if (text || !status_text()[0])
            __builtin_trap();
        return;
    }
    size_t length = strlen(text);
    if (length >= size || !memmem(data, size, text, length) || facts.width == 0)
        __builtin_trap();
    free(text);
}

static void pixels_read(const uint8_t *data, size_t size)
{
    uint32_t *pixels, width, height, sum = 0;
    if (png_pixels_read(data, size, "fuzz", 64, &pixels, &width, &height) != STATUS_OK) {
        if (pixels || !status_text()[0])
            __builtin_trap();
        return;
    }
    if (width - 1 >= 64 || height - 1 >= 64)
        __builtin_trap();
    for (uint32_t i = 0; i < width * height; i++)
        sum |= ~pixels[i];
    if (sum >> 24)
        __builtin_trap();
    free(pixels);
}

/* Makes every checksum right, for a fuzzer cannot guess one and would never get behind it. */
static void checksums_mend(uint8_t *data, size_t size)
{
    size_t at = 8;
    while (at < size && size - at >= 12) {
        size_t length = (size_t)data[at] << 24 | (size_t)data[at + 1] << 16 |
                        (size_t)data[at + 2] << 8 | data[at + 3];
        if (length > size - at - 12)
            return;
        uint32_t sum = (uint32_t)crc32(0, data + at + 4, (uInt)length + 4);
        for (int i = 0; i < 4; i++)
            data[at + 8 + length + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
        at += length + 12;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    find(data, size);
    pixels_read(data, size);
    uint8_t *mended = malloc(size ? size : 1);
    if (!mended)
        return 0;
    memcpy(mended, data, size);
    checksums_mend(mended, size);
    find(mended, size);
    pixels_read(mended, size);
    free(mended);
    return 0;
}
