/* Pixels of small PNGs: what libpng wrote, by every filter; and nothing of what is damaged. */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/file/png_pixels.h"
#include "tests/support/check.h"

struct memory {
    uint8_t bytes[1 << 18];
    size_t length;
};

static void memory_write(png_structp png, png_bytep data, size_t length)
{
    struct memory *memory = png_get_io_ptr(png);
    assert_true(memory->length + length <= sizeof memory->bytes);
    memcpy(memory->bytes + memory->length, data, length);
    memory->length += length;
}

static void memory_flush(png_structp png)
{
    (void)png;
}

struct kind {
    uint32_t width, height;
    int bits, colour, interlace, filters;
    size_t idat_bytes;
};

static void write_by_libpng(struct memory *memory, const struct kind *kind, uint8_t *samples)
{
    memory->length = 0;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(png, memory, memory_write, memory_flush);
    png_set_IHDR(png, info, kind->width, kind->height, kind->bits, kind->colour, kind->interlace,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, kind->filters);
    png_set_compression_buffer_size(png, kind->idat_bytes);
    png_write_info(png, info);
    for (int pass = png_set_interlace_handling(png); pass > 0; pass--)
        for (uint32_t y = 0; y < kind->height; y++)
            png_write_row(png, samples + (size_t)y * kind->width * 6);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
}

/* Six bytes a pixel: enough for every kind that is written here. */
static uint8_t *samples_any(uint32_t width, uint32_t height, uint64_t seed)
{
    size_t length = (size_t)width * height * 6;
    uint8_t *samples = malloc(length);
    assert_non_null(samples);
    for (size_t i = 0; i < length; i++)
        samples[i] = (uint8_t)(i / 7 + check_random(&seed) % 5);
    return samples;
}

/* From a block of exactly that length, so that sanitizers see reads beyond it. */
static enum status read_exact(const uint8_t *bytes, size_t length, uint32_t most, uint32_t **pixels,
                              uint32_t *width, uint32_t *height)
{
    uint8_t *exact = malloc(length ? length : 1);
    memcpy(exact, bytes, length);
    enum status status = png_pixels_read(exact, length, "test", most, pixels, width, height);
    free(exact);
    return status;
}

TEST(test_every_filter)
{
    static const int filters[] = {PNG_FILTER_NONE, PNG_FILTER_SUB,   PNG_FILTER_UP,
                                  PNG_FILTER_AVG,  PNG_FILTER_PAETH, PNG_ALL_FILTERS};
    static struct memory memory;
    for (size_t f = 0; f < 6; f++)
        for (uint32_t size = 1; size <= 256; size = 3 * size + 1) {
            struct kind kind = {size,
                                2 * size > 256 ? 256 : 2 * size,
                                8,
                                PNG_COLOR_TYPE_RGB,
                                PNG_INTERLACE_NONE,
                                filters[f],
                                f % 2 ? 64 : 8192};
            uint32_t *pixels, width, height;
            uint8_t *samples = samples_any(kind.width, kind.height, size);
            write_by_libpng(&memory, &kind, samples);
            assert_int_equal(read_exact(memory.bytes, memory.length, 256, &pixels, &width, &height),
                             STATUS_OK);
            assert_int_equal(width, kind.width);
            assert_int_equal(height, kind.height);
            for (uint32_t y = 0; y < height; y++)
                for (uint32_t x = 0; x < width; x++) {
                    const uint8_t *s = samples + (size_t)y * width * 6 + 3 * x;
                    assert_int_equal(pixels[y * width + x], 0xff000000u | (uint32_t)s[0] << 16 |
                                                                (uint32_t)s[1] << 8 | s[2]);
                }
            free(pixels);
            free(samples);
        }
}

TEST(test_other_kinds_are_not_shown)
{
    static struct memory memory;
    static const struct kind kinds[] = {
        {257, 3, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_FILTER_SUB, 8192},
        {3, 257, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_FILTER_SUB, 8192},
        {9, 9, 16, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_FILTER_SUB, 8192},
        {9, 9, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_FILTER_SUB, 8192},
        {9, 9, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_ADAM7, PNG_FILTER_SUB, 8192}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint32_t *pixels, width, height;
        uint8_t *samples = samples_any(kinds[i].width, kinds[i].height, i);
        write_by_libpng(&memory, &kinds[i], samples);
        assert_int_equal(read_exact(memory.bytes, memory.length, 256, &pixels, &width, &height),
                         STATUS_TOO_LARGE);
        assert_null(pixels);
        free(samples);
    }
}

/* Cut anywhere and any byte changed: refused, for every byte is under a checksum. */
TEST(test_damage_is_refused)
{
    static struct memory memory;
    struct kind kind = {20, 12, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_FILTER_PAETH, 100};
    uint32_t *pixels, width, height;
    uint8_t *samples = samples_any(20, 12, 1);
    write_by_libpng(&memory, &kind, samples);
    free(samples);
    for (size_t i = 0; i < memory.length; i++) {
        assert_int_not_equal(read_exact(memory.bytes, i, 256, &pixels, &width, &height), STATUS_OK);
        assert_null(pixels);
        memory.bytes[i] ^= 1;
        assert_int_not_equal(read_exact(memory.bytes, memory.length, 256, &pixels, &width, &height),
                             STATUS_OK);
        memory.bytes[i] ^= 1;
    }
    memcpy(memory.bytes + memory.length, "more", 4); /* what follows the end is nobody's */
    assert_int_equal(read_exact(memory.bytes, memory.length + 4, 256, &pixels, &width, &height),
                     STATUS_OK);
    free(pixels);
}
