/* A TIFF has smaller copies of its picture where they are wanted, as programs look for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/support/check.h"
#include <math.h>
#include <omp.h>
#include <tiffio.h>

#include "render/colour/srgb.h"
#include "render/file/sink.h"
#include "tests/render/disk/folder.h"

static struct palette *palette;

static int group_setup(void **state)
{
    (void)state;
    static const char text[] = "0,0,.1,.3\n.4,.9,1,1\n1,.9,.6,.1\n";
    return palette_parse(&palette, text, sizeof text - 1, "test") == STATUS_OK ? 0 : -1;
}

static int group_teardown(void **state)
{
    (void)state;
    palette_destroy(palette);
    return 0;
}

/* Light with edges, slopes and noise. */
static void tif_write(const char *path, int32_t width, int32_t height, int bits, int overviews)
{
    struct field field;
    const struct look look = {.palette = palette, .density = 1};
    float(*light)[3] = malloc((size_t)width * (size_t)height * sizeof *light);
    uint32_t value = 7;
    assert_non_null(light);
    assert_int_equal(field_create(&field, width, height, PLANE_MASK_COUNT, 4), STATUS_OK);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            float *at = light[(size_t)y * (size_t)width + (size_t)x];
            value = value * 1664525u + 1013904223u;
            at[0] = (float)x / (float)width;
            at[1] = (x / 7 + y / 5) % 2 ? 1 : 0;
            at[2] = (float)(value >> 8) * 0x1p-24f;
        }
    const struct sink_request request = {.path = path,
                                         .field = &field,
                                         .look = &look,
                                         .light = (const float(*)[3])light,
                                         .view_text = "[view]\nre = -0.5\n",
                                         .bits = bits,
                                         .overviews = overviews,
                                         .overwrite = OVERWRITE_YES};
    assert_int_equal(sink_write(&request), STATUS_OK);
    field_destroy(&field);
    free(light);
}

struct image {
    uint32_t width, height;
    int bits;
    double (*rgb)[3]; /* sRGB values 0 ... 1 */
};

/* Reads the image of the directory that is set, tile by tile. */
static struct image image_read(TIFF *tiff)
{
    struct image image = {0};
    uint16_t bits = 0;
    uint32_t side = 0, rows = 0;
    assert_true(TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &image.width));
    assert_true(TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &image.height));
    assert_true(TIFFGetField(tiff, TIFFTAG_BITSPERSAMPLE, &bits));
    assert_true(TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &side) && side == 256);
    assert_true(TIFFGetField(tiff, TIFFTAG_TILELENGTH, &rows));
    image.bits = bits;
    image.rgb = malloc((size_t)image.width * image.height * sizeof *image.rgb);
    uint8_t *tile = malloc((size_t)TIFFTileSize(tiff));
    assert_true(image.rgb && tile);
    for (uint32_t y = 0; y < image.height; y += rows)
        for (uint32_t x = 0; x < image.width; x += side) {
            assert_true(TIFFReadTile(tiff, tile, x, y, 0, 0) == TIFFTileSize(tiff));
            for (size_t i = 0; i < (size_t)rows * side; i++) {
                uint32_t at_x = x + (uint32_t)(i % side), at_y = y + (uint32_t)(i / side);
                for (size_t c = 0; at_x < image.width && at_y < image.height && c < 3; c++)
                    image.rgb[(size_t)at_y * image.width + at_x][c] =
                        bits == 8 ? tile[3 * i + c] / 255.0
                                  : ((uint16_t *)(void *)tile)[3 * i + c] / 65535.0;
            }
        }
    free(tile);
    return image;
}

/* Mean in linear light of the pixels of `from` that a pixel of half the size covers. */
static double mean_of(const struct image *from, uint32_t x, uint32_t y, int c)
{
    double sum = 0;
    int count = 0;
    for (uint32_t i = 0; i < 4; i++)
        if (2 * x + i % 2 < from->width && 2 * y + i / 2 < from->height) {
            size_t at = (size_t)(2 * y + i / 2) * from->width + 2 * x + i % 2;
            sum += srgb_decode(from->rgb[at][c]);
            count++;
        }
    return srgb_encode(sum / count);
}

/* Half as large, and its pixels means: 8 bits are rounded up or down by their place, so they may be
 * off by one; floats of the light cost 16 bits as much. */
static void assert_half(const struct image *from, const struct image *half)
{
    double step = 1.001 / (half->bits == 8 ? 255 : 65535);
    assert_int_equal(half->width, from->width / 2 + from->width % 2);
    assert_int_equal(half->height, from->height / 2 + from->height % 2);
    assert_int_equal(half->bits, from->bits);
    for (uint32_t y = 0; y < half->height; y++)
        for (uint32_t x = 0; x < half->width; x++)
            for (int c = 0; c < 3; c++) {
                double value = half->rgb[(size_t)y * half->width + x][c];
                if (fabs(value - mean_of(from, x, y, c)) > step)
                    fail_msg("%u x %u, pixel %u %u: %g, not %g", half->width, half->height, x, y,
                             value, mean_of(from, x, y, c));
            }
}

static void assert_copies(const char *path, int count)
{
    TIFF *tiff = TIFFOpen(path, "r");
    assert_non_null(tiff);
    assert_int_equal(TIFFNumberOfDirectories(tiff), 1 + count);
    struct image image = image_read(tiff);
    uint32_t kind;
    assert_false(TIFFGetField(tiff, TIFFTAG_SUBFILETYPE, &kind));
    for (int i = 1; i <= count; i++) {
        assert_true(TIFFReadDirectory(tiff));
        assert_true(TIFFGetField(tiff, TIFFTAG_SUBFILETYPE, &kind));
        assert_int_equal(kind, FILETYPE_REDUCEDIMAGE);
        struct image half = image_read(tiff);
        assert_half(&image, &half);
        free(image.rgb);
        image = half;
    }
    assert_true(count == 0 || (image.width <= 256 && image.height <= 256));
    free(image.rgb);
    TIFFClose(tiff);
}

IN_FOLDER(copies_are_half_as_large_until_one_is_a_tile)
{
    static const struct {
        int32_t width, height;
        int copies;
    } sizes[] = {{256, 256, 0}, {257, 1, 1}, {515, 256, 2}, {1023, 1281, 3}};
    const char *path = in_folder(state, "x.tif");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int bits = 8; bits <= 16; bits += 8) {
            tif_write(path, sizes[i].width, sizes[i].height, bits, SINK_OVERVIEWS_YES);
            assert_copies(path, sizes[i].copies);
        }
}

IN_FOLDER(large_pictures_have_copies_unless_they_are_refused)
{
    const char *path = in_folder(state, "x.tif");
    tif_write(path, 4096, 3, 8, SINK_OVERVIEWS_AUTO);
    assert_copies(path, 0);
    tif_write(path, 3, 4097, 8, SINK_OVERVIEWS_AUTO);
    assert_copies(path, 5);
    tif_write(path, 4097, 3, 8, SINK_OVERVIEWS_NO);
    assert_copies(path, 0);
}

/* A row of tiles of a picture this wide is 16 rows high. */
IN_FOLDER(copies_of_wide_pictures_have_low_tiles)
{
    const char *path = in_folder(state, "x.tif");
    if (!check_long())
        skip();
    tif_write(path, 1500000, 3, 16, SINK_OVERVIEWS_YES);
    assert_copies(path, 13);
}

IN_FOLDER(copies_do_not_depend_on_threads)
{
    const char *path = in_folder(state, "x.tif");
    tif_write(path, 1400, 700, 8, SINK_OVERVIEWS_YES);
    struct bytes one = bytes_of_file(path);
    omp_set_num_threads(5);
    tif_write(path, 1400, 700, 8, SINK_OVERVIEWS_YES);
    struct bytes five = bytes_of_file(path);
    assert_true(bytes_equal(one, five));
    free(one.at);
    free(five.at);
}

int main(void)
{
    return check_run(group_setup, group_teardown);
}
