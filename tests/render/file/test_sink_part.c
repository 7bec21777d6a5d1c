/* Rows that are made into bytes apart, in any order, and put into the files give those that one
 * sink writes; also at the border of what a picture can be. */
#include "tests/support/check.h"
#include <sys/stat.h>

#include "render/file/sink.h"
#include "tests/render/disk/tree.h"

enum { WIDTH = 300, HEIGHT = 1000 };

static struct palette *palette;

static int group_setup(void **state)
{
    (void)state;
    static const char text[] = "# cyclic: yes\n0,0,.1,.3\n.4,.9,1,1\n1,0,.1,.3\n";
    return palette_parse(&palette, text, sizeof text - 1, "test") == STATUS_OK ? 0 : -1;
}

static int group_teardown(void **state)
{
    (void)state;
    palette_destroy(palette);
    return 0;
}

static void field_fill(struct field *field, int32_t width, int32_t height)
{
    assert_int_equal(field_create(field, width, height, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4),
                     STATUS_OK);
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++) {
        ((uint32_t *)field->plane[PLANE_COUNT])[i] = (uint32_t)(i * i / 977 % 300);
        ((float *)field->plane[PLANE_FRACTION])[i] = (float)(i % 64) / 64;
    }
}

/* The strips from the last to the first, then what stands around them in their order. */
static void parts_write(struct sink_request *request, const struct field *field, int32_t rows)
{
    enum { PARTS_MOST = 20 };
    struct sink_part part[PARTS_MOST] = {{.ranges = 0}};
    struct atomic_file_set set = {.count = 0};
    uint64_t begin, place[PARTS_MOST + 1];
    struct sink *sink;
    int parts = (field->height - 1) / rows + 1;
    assert_in_range(parts, 2, PARTS_MOST);
    assert_int_equal(sink_begin(&sink, request), STATUS_OK);
    assert_int_equal(sink_part_begin(sink, &begin), STATUS_OK);
    place[0] = begin;
    for (int i = 0; i < parts; i++) {
        int32_t y = i * rows, left = field->height - y, height = left < rows ? left : rows;
        struct sink_rows of = {y, height, field_window(field, 0, y, field->width, height), NULL};
        assert_int_equal(sink_part_make(request, &of, &part[i]), STATUS_OK);
        place[i + 1] = place[i] + part[i].length;
    }
    for (int i = parts - 1; i >= 0; i--)
        assert_int_equal(sink_part_put(request, &part[i], place[i], i == 0), STATUS_OK);
    for (int i = 0; i < parts; i++) {
        int32_t left = field->height - i * rows;
        assert_int_equal(
            sink_part_add(sink, left < rows ? left : rows, part[i].length, part[i].sum), STATUS_OK);
        sink_part_free(&part[i]);
    }
    assert_int_equal(sink_end(sink, &set), STATUS_OK);
    assert_int_equal(atomic_file_set_commit(&set), STATUS_OK);
    sink_destroy(sink);
}

IN_FOLDER(test_parts_are_what_one_sink_writes)
{
    static const struct {
        const char *name, *file;
        int bits;
    } kinds[] = {{"x.png", "x.png", 8},  {"x.png", "x.png", 16}, {"x.npy", "x.count.npy", 8},
                 {"x.exr", "x.exr", 16}, {"x.exr", "x.exr", 32}, {"x.tif", "x.tif", 8},
                 {"x.tif", "x.tif", 16}, {"x.jpg", "x.jpg", 8}};
    struct field field;
    const struct look look = {.palette = palette, .density = 1};
    field_fill(&field, WIDTH, HEIGHT);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char path[700], growing[700], one[700];
        struct sink_request request = {.path = path,
                                       .field = &field,
                                       .look = &look,
                                       .bits = kinds[i].bits,
                                       .overviews = SINK_OVERVIEWS_YES,
                                       .overwrite = OVERWRITE_YES};
        snprintf(path, sizeof path, "%s", in_folder(state, kinds[i].name));
        snprintf(one, sizeof one, "%s", in_folder(state, kinds[i].file));
        assert_int_equal(sink_write(&request), STATUS_OK);
        struct bytes bytes = bytes_of_file(one);
        snprintf(growing, sizeof growing, "%s", in_folder(state, "growing"));
        mkdir(growing, 0777);
        request.growing_folder = growing;
        int32_t rows = sink_part_rows(&request);
        parts_write(&request, &field, rows < 100 ? 9 * 16 : rows);
        struct bytes other = bytes_of_file(one);
        assert_int_equal(bytes.length, other.length);
        assert_memory_equal(bytes.at, other.at, other.length);
        free(bytes.at);
        free(other.at);
    }
    field_destroy(&field);
}

/* Its last rows, whose number is the last that there can be. */
TEST(test_parts_reach_the_last_row)
{
    enum { LAST_ROWS = 5 };
    struct field rows, shape = {.width = 40000,
                                .height = INT32_MAX,
                                .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                                .count_bytes = 4};
    const struct look look = {.palette = palette, .density = 1};
    field_fill(&rows, shape.width, LAST_ROWS);
    struct sink_request request = {.path = "x.png", .field = &shape, .look = &look, .bits = 8};
    int32_t unit = sink_part_rows(&request), y = INT32_MAX / unit * unit;
    y = y == INT32_MAX ? y - unit : y;
    int32_t height = INT32_MAX - y;
    assert_in_range(height, 1, LAST_ROWS);
    struct sink_rows last = {y, height, field_window(&rows, 0, 0, shape.width, height), NULL};
    struct sink_part part;
    assert_int_equal(sink_part_make(&request, &last, &part), STATUS_OK);
    assert_true(part.length > 0 && part.sum != 1);
    sink_part_free(&part);
    request.path = "x.npy";
    assert_int_equal(sink_part_make(&request, &last, &part), STATUS_OK);
    assert_true(part.range[0].offset == 128 + (uint64_t)y * (uint64_t)shape.width * 4);
    sink_part_free(&part);
    field_destroy(&rows);
}

int main(void)
{
    return check_run(group_setup, group_teardown);
}
