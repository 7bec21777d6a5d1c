/* A Deep Zoom pyramid is what its format says, of the pixels that the picture has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/support/check.h"
#include <math.h>
#include <png.h>
#include <turbojpeg.h>

#include "render/file/pyramid.h"
#include "render/file/sink.h"
#include "tests/render/disk/folder.h"

enum { TILE = 510, OVERLAP = 1 };

struct picture_of {
    struct field field;
    float (*light)[3];
    struct look look;
    struct sink_request request;
    char path[600];
};

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

/* Light with edges and slopes. */
static void picture_make(struct picture_of *picture, void **state, int32_t width, int32_t height)
{
    *picture = (struct picture_of){.look = {.palette = palette, .density = 1}};
    snprintf(picture->path, sizeof picture->path, "%s", in_folder(state, "x.dzi"));
    assert_int_equal(field_create(&picture->field, width, height, PLANE_MASK_COUNT, 4), STATUS_OK);
    picture->light = malloc((size_t)width * (size_t)height * sizeof *picture->light);
    assert_non_null(picture->light);
    uint32_t value = 7;
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            float *light = picture->light[(size_t)y * (size_t)width + (size_t)x];
            value = value * 1664525u + 1013904223u;
            light[0] = (float)x / (float)width;
            light[1] = (x / 7 + y / 5) % 2 ? 1 : 0;
            light[2] = (float)(value >> 8) * 0x1p-24f;
        }
    picture->request = (struct sink_request){.path = picture->path,
                                             .field = &picture->field,
                                             .look = &picture->look,
                                             .light = (const float(*)[3])picture->light,
                                             .title = "</script><b>\"A\"",
                                             .view_text = "[view]\nre = <!-- 1\n",
                                             .bits = 8};
    assert_int_equal(sink_write(&picture->request), STATUS_OK);
}

static void picture_drop(struct picture_of *picture)
{
    field_destroy(&picture->field);
    free(picture->light);
}

/* ---- by hand ---- */

struct plane_of {
    int32_t width, height;
    double (*light)[3];
};

static struct plane_of halved(const struct plane_of *from)
{
    struct plane_of half = {(from->width + 1) / 2, (from->height + 1) / 2, NULL};
    half.light = calloc((size_t)half.width * (size_t)half.height, sizeof *half.light);
    assert_non_null(half.light);
    for (int32_t y = 0; y < half.height; y++)
        for (int32_t x = 0; x < half.width; x++)
            for (int c = 0; c < 3; c++) {
                double sum = 0;
                int count = 0;
                for (int32_t v = 2 * y; v <= 2 * y + 1 && v < from->height; v++)
                    for (int32_t u = 2 * x; u <= 2 * x + 1 && u < from->width; u++, count++)
                        sum += from->light[(size_t)v * (size_t)from->width + (size_t)u][c];
                half.light[(size_t)y * (size_t)half.width + (size_t)x][c] = sum / count;
            }
    return half;
}

static uint8_t *encoded(const struct plane_of *plane)
{
    size_t width = (size_t)plane->width;
    uint8_t *samples = malloc(width * (size_t)plane->height * 3);
    float(*row)[3] = malloc(width * sizeof *row);
    assert_true(samples && row);
    for (int32_t y = 0; y < plane->height; y++) {
        for (size_t x = 0; x < width; x++)
            for (int c = 0; c < 3; c++)
                row[x][c] = (float)plane->light[(size_t)y * width + x][c];
        colour_light_row_8((const float(*)[3])row, plane->width, 0, y,
                           samples + (size_t)y * width * 3);
    }
    free(row);
    return samples;
}

/* ---- tiles ---- */

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Samples that differ at all; none by more than one, which is what the order of a sum can do. */
static long tile_differs(void **state, int level, int column, int row, const uint8_t *samples,
                         const struct plane_of *plane)
{
    char name[64];
    png_image image = {.version = PNG_IMAGE_VERSION};
    int32_t x = column ? column * TILE - OVERLAP : 0, y = row ? row * TILE - OVERLAP : 0;
    snprintf(name, sizeof name, "x_files/%d/%d_%d.png", level, column, row);
    assert_true(png_image_begin_read_from_file(&image, in_folder(state, name)));
    image.format = PNG_FORMAT_RGB;
    assert_int_equal(image.width, least((column + 1) * TILE + OVERLAP, plane->width) - x);
    assert_int_equal(image.height, least((row + 1) * TILE + OVERLAP, plane->height) - y);
    uint8_t *tile = malloc(PNG_IMAGE_SIZE(image));
    assert_true(tile && png_image_finish_read(&image, NULL, tile, 0, NULL));
    long differ = 0;
    for (int32_t v = 0; v < (int32_t)image.height; v++)
        for (int32_t u = 0; u < (int32_t)image.width * 3; u++) {
            int is = tile[(size_t)v * image.width * 3 + (size_t)u];
            int wanted =
                samples[((size_t)(y + v) * (size_t)plane->width + (size_t)x) * 3 + (size_t)u];
            assert_in_range(is - wanted + 1, 0, 2);
            differ += is != wanted;
        }
    free(tile);
    return differ;
}

static void level_check(void **state, int level, const struct plane_of *plane, bool exact)
{
    uint8_t *samples = encoded(plane);
    long differ = 0;
    int columns = (plane->width - 1) / TILE + 1, rows = (plane->height - 1) / TILE + 1;
    char name[64];
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            differ += tile_differs(state, level, column, row, samples, plane);
    assert_true(differ <= (exact ? 0 : 1 + (long)plane->width * plane->height / 1000));
    snprintf(name, sizeof name, "x_files/%d", level);
    struct folder folder;
    void *at = &folder;
    snprintf(folder.path, sizeof folder.path, "%.250s", in_folder(state, name));
    assert_int_equal(folder_count(&at, ".png", 0), columns * rows);
    free(samples);
}

IN_FOLDER(levels_are_means_in_linear_light)
{
    static const int32_t size[][2] = {{1, 1}, {3, 1}, {1021, 511}, {510, 512}, {701, 1531}};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        struct picture_of picture;
        picture_make(&picture, state, size[i][0], size[i][1]);
        struct plane_of plane = {size[i][0], size[i][1], NULL};
        size_t pixels = (size_t)plane.width * (size_t)plane.height;
        plane.light = malloc(pixels * sizeof *plane.light);
        assert_non_null(plane.light);
        for (size_t p = 0; p < pixels; p++)
            for (int c = 0; c < 3; c++)
                plane.light[p][c] = (double)picture.light[p][c];
        int level = pyramid_levels(plane.width, plane.height) - 1;
        for (bool exact = true; level >= 0; level--, exact = false) {
            level_check(state, level, &plane, exact);
            struct plane_of half = halved(&plane);
            free(plane.light);
            plane = half;
        }
        assert_int_equal(plane.width * plane.height, 1);
        free(plane.light);
        picture_drop(&picture);
        folder_count(state, "", 1);
    }
}

TEST(levels_are_counted_as_deep_zoom_does)
{
    assert_int_equal(pyramid_levels(1, 1), 1);
    assert_int_equal(pyramid_levels(2, 1), 2);
    assert_int_equal(pyramid_levels(1024, 3), 11);
    assert_int_equal(pyramid_levels(3, 1025), 12);
    assert_int_equal(pyramid_levels(INT32_MAX, INT32_MAX), PYRAMID_LEVELS_MOST);
    assert_true(pyramid_bytes_most(1, 1) < 16384);
    assert_true(pyramid_bytes_most(100000, 100000) > 40000000000);
    assert_true(pyramid_bytes_most(INT32_MAX, INT32_MAX) > UINT64_MAX / 4);
}

/* ---- the files around the tiles ---- */

IN_FOLDER(files_say_what_there_is)
{
    struct picture_of picture;
    picture_make(&picture, state, 1021, 511);
    struct bytes dzi = bytes_of_file(picture.path),
                 page = bytes_of_file(in_folder(state, "x.html"));
    dzi.at = realloc(dzi.at, dzi.length + 1);
    page.at = realloc(page.at, page.length + 1);
    dzi.at[dzi.length] = page.at[page.length] = '\0';
    const char *text = (const char *)dzi.at, *shown = (const char *)page.at;
    assert_non_null(strstr(text, "xmlns=\"http://schemas.microsoft.com/deepzoom/2008\""));
    assert_non_null(strstr(text, "Format=\"png\" Overlap=\"1\" TileSize=\"510\""));
    assert_non_null(strstr(text, "<Size Width=\"1021\" Height=\"511\"/>"));
    assert_non_null(strstr(shown, "\"levels\":11"));
    assert_non_null(strstr(shown, "\"tiles\":\"x_files\""));
    assert_null(strstr(shown, "</script><b>")); /* text of the user does not end the script */
    assert_null(strstr(shown, "re = <!--"));
    assert_null(strstr(shown, "src=\"http"));
    free(dzi.at);
    free(page.at);
    picture_drop(&picture);
}

/* ---- JPEG ---- */

static void tile_is_near(void **state, const char *jpeg_name, const char *png_name)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
    struct bytes jpeg = bytes_of_file(in_folder(state, jpeg_name));
    tjhandle decoder = tjInitDecompress();
    int width = 0, height = 0, subsampling = -1, space;
    assert_int_equal(
        tjDecompressHeader3(decoder, jpeg.at, jpeg.length, &width, &height, &subsampling, &space),
        0);
    assert_int_equal(subsampling, TJSAMP_444);
    assert_true(png_image_begin_read_from_file(&image, in_folder(state, png_name)));
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    image.format = PNG_FORMAT_RGB;
    size_t bytes = PNG_IMAGE_SIZE(image);
    uint8_t *is = malloc(bytes), *wanted = malloc(bytes);
    assert_true(is && wanted && png_image_finish_read(&image, NULL, wanted, 0, NULL));
    assert_int_equal(tjDecompress2(decoder, jpeg.at, jpeg.length, is, width, 0, height, TJPF_RGB,
                                   TJFLAG_ACCURATEDCT),
                     0);
    double sum = 0;
    for (size_t i = 0; i < bytes; i++)
        sum += abs(is[i] - wanted[i]);
    assert_true(sum / (double)bytes < 6); /* noise at quality 95; another tile is 60 away */
    tjDestroy(decoder);
    free(jpeg.at);
    free(is);
    free(wanted);
}

IN_FOLDER(tiles_can_be_jpegs)
{
    struct picture_of picture;
    picture_make(&picture, state, 1021, 511);
    char path[600];
    snprintf(path, sizeof path, "%s", in_folder(state, "y.dzi"));
    picture.request.path = path;
    picture.request.quality = 95;
    assert_int_equal(sink_write(&picture.request), STATUS_OK);
    tile_is_near(state, "y_files/10/0_0.jpg", "x_files/10/0_0.png");
    tile_is_near(state, "y_files/10/2_1.jpg", "x_files/10/2_1.png");
    tile_is_near(state, "y_files/9/1_0.jpg", "x_files/9/1_0.png");
    struct bytes dzi = bytes_of_file(path);
    assert_non_null(memmem(dzi.at, dzi.length, "Format=\"jpg\"", 12));
    free(dzi.at);
    picture_drop(&picture);
}

/* ---- folders in the way ---- */

IN_FOLDER(a_folder_that_is_no_pyramid_stays)
{
    struct picture_of picture;
    picture_make(&picture, state, 20, 10);
    picture.request.overwrite = OVERWRITE_YES;
    file_fill(in_folder(state, "x_files/mine.txt"), "mine");
    assert_int_equal(sink_check(&picture.request), STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "x_files has more in it than tiles"));
    assert_int_equal(sink_write(&picture.request), STATUS_CANNOT_CREATE);
    assert_int_equal(access(in_folder(state, "x_files/mine.txt"), F_OK), 0);
    assert_int_equal(folder_count(state, "", 0), 3);
    tree_remove(in_folder(state, "x_files"));
    file_fill(in_folder(state, "x_files"), "mine");
    assert_int_equal(sink_check(&picture.request), STATUS_CANNOT_CREATE);
    assert_int_equal(sink_write(&picture.request), STATUS_CANNOT_CREATE);
    picture.request.overwrite = OVERWRITE_NO;
    folder_count(state, "", 1);
    assert_int_equal(mkdir(in_folder(state, "x_files"), 0777), 0);
    assert_int_equal(sink_check(&picture.request), STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "--force"));
    assert_int_equal(sink_write(&picture.request), STATUS_CANNOT_CREATE);
    assert_int_equal(folder_count(state, "", 1), 1);
    picture_drop(&picture);
}

int main(void)
{
    return check_run(group_setup, group_teardown);
}
