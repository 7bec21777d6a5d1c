/* OpenEXR files: what is written is what the library reads and what we read, bit for bit; those of
 * other programs are fields, too; damaged ones are refused with a sentence. */
#include "tests/support/check.h"
#include <fcntl.h>
#include <math.h>

#include "render/colour/distribution.h"
#include "render/file/exr_read.h"
#include "render/file/exr_write.h"
#include "render/file/field_file.h"
#include "tests/render/disk/folder.h"
#include "tests/render/file/exr_foreign.h"

enum { ALL_PLANES = (1u << PLANES) - 1 };

static const char view_text[] = "[view]\nre = -0.75\nim = 0.1\nzoom = 4\n";
static const char kfr_text[] = "Re: -0.75\r\nIm: 0.1\r\nZoom: 2\r\n";

/* ---- fields ---- */

/* Every kind of pixel, and counts up to the largest. */
static struct field field_make(int32_t width, int32_t height, unsigned planes, int count_bytes)
{
    struct field field;
    uint64_t seed = (uint64_t)width * 1000 + (uint64_t)height;
    assert_int_equal(field_create(&field, width, height, planes, count_bytes), STATUS_OK);
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++) {
        uint64_t value = check_random(&seed), count = value % 5 == 0 ? 0 : 1 + (value >> 40);
        if (count_bytes == 8)
            ((uint64_t *)field.plane[PLANE_COUNT])[i] = count && i % 3 ? count << 32 : count;
        else
            ((uint32_t *)field.plane[PLANE_COUNT])[i] = i == 1 ? UINT32_MAX - 1 : (uint32_t)count;
        for (int p = PLANE_FRACTION; p < PLANES; p++)
            if (field.plane[p])
                ((float *)field.plane[p])[i] =
                    p >= PLANE_PERIOD ? field_count_at(&field, i) ? 0 : (float)(value & 0xffff)
                    : field_count_at(&field, i) == 0          ? 0
                    : p >= PLANE_STRIPE                       ? (float)(value & 0xffff)
                    : p == PLANE_FRACTION || p == PLANE_PHASE ? (float)(value & 0xffffff) * 0x1p-24f
                                                              : (float)(value & 0xffff) - 0x8000;
    }
    return field;
}

static float (*light_make(const struct field *field))[3]
{
    size_t pixels = (size_t)field->width * (size_t)field->height;
    float(*light)[3] = malloc(pixels * sizeof *light);
    uint64_t seed = 7;
    for (size_t i = 0; i < pixels; i++)
        for (int c = 0; c < 3; c++)
            light[i][c] = (float)check_random_unit(&seed);
    return light;
}

static struct exr_shape shape_of(const struct field *field, enum exr_type colour)
{
    return (struct exr_shape){.width = field->width,
                              .height = field->height,
                              .planes = field->planes,
                              .count_bytes = field->count_bytes,
                              .colour = colour,
                              .limit = 5000,
                              .text = {[EXR_TEXT_INI] = view_text, [EXR_TEXT_KFR] = kfr_text}};
}

/* Writes the field in blocks of `block` rows. */
static void field_write(const char *path, const struct exr_shape *shape, const struct field *field,
                        const float (*light)[3], int32_t block)
{
    struct exr_writer *writer;
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(exr_writer_open(&writer, shape, file, path), STATUS_OK);
    for (int32_t y = 0; y < field->height; y += block) {
        int32_t height = field->height - y < block ? field->height - y : block;
        struct field rows = field_window(field, 0, y, field->width, height);
        assert_int_equal(exr_writer_rows(writer, &rows, light + (size_t)y * (size_t)field->width),
                         STATUS_OK);
    }
    assert_int_equal(exr_writer_finish(writer), STATUS_OK);
    exr_writer_destroy(writer);
    struct bytes bytes = bytes_of_file(path);
    assert_true(bytes.length <= exr_bytes_max(shape));
    free(bytes.at);
    close(file);
}

/* Reads it whole; `block` chunks at once. */
static enum status field_read(const char *path, int32_t block, struct field *field)
{
    struct exr_reader *reader;
    int file = open(path, O_RDONLY);
    *field = (struct field){0};
    enum status status = exr_reader_open(&reader, file, path);
    if (status == STATUS_OK) {
        struct exr_field_facts facts = exr_reader_facts(reader);
        int32_t step = block * facts.chunk_rows;
        status = field_create(field, facts.width, facts.height, facts.planes, facts.count_bytes);
        for (int32_t y = 0; y < facts.height && status == STATUS_OK; y += step) {
            int32_t height = facts.height - y < step ? facts.height - y : step;
            struct field rows = field_window(field, 0, y, facts.width, height);
            status = exr_reader_rows(reader, y, &rows);
        }
    } else
        assert_null(reader);
    exr_reader_close(reader);
    close(file);
    return status;
}

static void fields_equal(const struct field *a, const struct field *b)
{
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->planes, b->planes);
    assert_int_equal(a->count_bytes, b->count_bytes);
    for (int p = 0; p < PLANES; p++)
        if (a->plane[p])
            assert_memory_equal(a->plane[p], b->plane[p],
                                (size_t)a->width * (size_t)a->height *
                                    element_bytes(plane_element((enum plane)p, a->count_bytes)));
}

/* ---- what the library sees ---- */

static void error_ignore(exr_const_context_t context, exr_result_t code, const char *message)
{
    (void)context;
    (void)code;
    (void)message;
}

static exr_context_t library_open(const char *path)
{
    exr_context_t context;
    exr_context_initializer_t setup = EXR_DEFAULT_CONTEXT_INITIALIZER;
    setup.error_handler_fn = error_ignore;
    EXR(exr_start_read(&context, path, &setup));
    return context;
}

/* A channel of the whole picture, as it lies in the file: 32-bit samples, or halves. */
static void *library_channel(exr_context_t context, const char *name, int bytes)
{
    exr_attr_box2i_t window;
    int32_t lines;
    EXR(exr_get_data_window(context, 0, &window));
    EXR(exr_get_scanlines_per_chunk(context, 0, &lines));
    size_t width = (size_t)(window.max.x - window.min.x + 1),
           height = (size_t)(window.max.y - window.min.y + 1);
    uint8_t *data = calloc(width * height, (size_t)bytes);
    exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
    for (int32_t y = window.min.y; y <= window.max.y; y += lines) {
        exr_chunk_info_t chunk;
        EXR(exr_read_scanline_chunk_info(context, 0, y, &chunk));
        if (y == window.min.y)
            EXR(exr_decoding_initialize(context, 0, &chunk, &pipeline));
        else
            EXR(exr_decoding_update(context, 0, &chunk, &pipeline));
        for (int c = 0; c < pipeline.channel_count; c++) {
            exr_coding_channel_info_t *info = &pipeline.channels[c];
            bool wanted = !strcmp(info->channel_name, name);
            info->decode_to_ptr =
                wanted ? data + (size_t)(y - window.min.y) * width * (size_t)bytes : NULL;
            info->user_pixel_stride = bytes;
            info->user_line_stride = (int32_t)width * bytes;
        }
        EXR(exr_decoding_choose_default_routines(context, 0, &pipeline));
        EXR(exr_decoding_run(context, 0, &pipeline));
    }
    EXR(exr_decoding_destroy(context, &pipeline));
    return data;
}

static void attribute_is(exr_context_t context, const char *name, const char *value)
{
    const char *text;
    int32_t length;
    EXR(exr_attr_get_string(context, 0, name, &length, &text));
    assert_int_equal(length, strlen(value));
    assert_memory_equal(text, value, strlen(value));
}

IN_FOLDER(the_library_reads_what_is_written)
{
    const char *path = in_folder(state, "x.exr");
    struct field field = field_make(33, 35, ALL_PLANES, 4);
    float(*light)[3] = light_make(&field);
    struct exr_shape shape = shape_of(&field, EXR_FLOAT);
    field_write(path, &shape, &field, (const float(*)[3])light, 35);
    exr_context_t context = library_open(path);
    size_t pixels = 33 * 35;
    uint32_t *n = library_channel(context, "N", 4);
    float *nf = library_channel(context, "NF", 4), *t = library_channel(context, "T", 4);
    float *dex = library_channel(context, "DEX", 4), *dey = library_channel(context, "DEY", 4);
    float *green = library_channel(context, "G", 4);
    float *period = library_channel(context, "PERIOD", 4);
    float *inside = library_channel(context, "INSIDE", 4);
    for (size_t i = 0; i < pixels; i++) {
        uint32_t count = ((const uint32_t *)field.plane[PLANE_COUNT])[i];
        assert_int_equal(n[i], count ? count : UINT32_MAX);
        assert_true(2 * dex[i] == ((const float *)field.plane[PLANE_DISTANCE_X])[i]);
        assert_true(-2 * dey[i] == ((const float *)field.plane[PLANE_DISTANCE_Y])[i]);
        assert_true(green[i] == light[i][1]);
    }
    assert_memory_equal(nf, field.plane[PLANE_FRACTION], pixels * sizeof *nf);
    assert_memory_equal(t, field.plane[PLANE_PHASE], pixels * sizeof *t);
    assert_memory_equal(period, field.plane[PLANE_PERIOD], pixels * sizeof *period);
    assert_memory_equal(inside, field.plane[PLANE_INSIDE], pixels * sizeof *inside);
    free(period);
    free(inside);
    int32_t number;
    EXR(exr_attr_get_int(context, 0, "Iterations", &number));
    assert_int_equal(number, 5000);
    EXR(exr_attr_get_int(context, 0, "IterationsBias", &number));
    assert_int_equal(number, 0);
    exr_attr_chromaticities_t colours;
    EXR(exr_attr_get_chromaticities(context, 0, "chromaticities", &colours));
    assert_true(colours.red_x == 0.64f && colours.white_y == 0.3290f);
    attribute_is(context, "deepfield", view_text);
    attribute_is(context, "KallesFraktaler2+", kfr_text);
    EXR(exr_finish(&context));
    free(n);
    free(nf);
    free(t);
    free(dex);
    free(dey);
    free(green);
    free(light);
    field_destroy(&field);
}

IN_FOLDER(counts_beyond_32_bits_are_two_channels)
{
    const char *path = in_folder(state, "x.exr");
    struct field field = field_make(20, 20, PLANE_MASK_COUNT, 8);
    float(*light)[3] = light_make(&field);
    struct exr_shape shape = shape_of(&field, EXR_HALF);
    shape.limit = INT64_C(9000000000000000000);
    field_write(path, &shape, &field, (const float(*)[3])light, 3);
    exr_context_t context = library_open(path);
    uint32_t *low = library_channel(context, "N0", 4), *high = library_channel(context, "N1", 4);
    for (size_t i = 0; i < 400; i++) {
        uint64_t count = field_count_at(&field, i);
        assert_true(((uint64_t)high[i] << 32 | low[i]) == (count ? count : UINT64_MAX));
    }
    attribute_is(context, "Iterations", "9000000000000000000");
    EXR(exr_finish(&context));
    free(low);
    free(high);
    free(light);
    field_destroy(&field);
}

/* Independent of how the conversion is done: the nearest half, the even one of two. */
static double half_value(uint16_t half)
{
    int exponent = half >> 10;
    return exponent ? ldexp(1024 + (half & 1023), exponent - 25) : ldexp(half, -24);
}

IN_FOLDER(light_is_rounded_to_the_nearest_half)
{
    enum { WIDTH = 4096 };
    const char *path = in_folder(state, "x.exr");
    struct field field = field_make(WIDTH, 1, PLANE_MASK_COUNT, 4);
    float(*light)[3] = light_make(&field);
    uint64_t seed = 3;
    for (size_t i = 0; i < WIDTH; i++) {
        double low = half_value((uint16_t)(i * 0x7bff / WIDTH)),
               high = half_value((uint16_t)(i * 0x7bff / WIDTH + 1));
        light[i][0] = (float)low;
        light[i][1] = (float)((low + high) / 2);
        light[i][2] = (float)(low + (high - low) * check_random_unit(&seed));
    }
    light[0][2] = 1e9f;
    struct exr_shape shape = shape_of(&field, EXR_HALF);
    field_write(path, &shape, &field, (const float(*)[3])light, 1);
    exr_context_t context = library_open(path);
    uint16_t *red = library_channel(context, "R", 2), *green = library_channel(context, "G", 2),
             *blue = library_channel(context, "B", 2);
    assert_int_equal(blue[0], 0x7bff);
    for (size_t i = 1; i < WIDTH; i++) {
        uint16_t low = (uint16_t)(i * 0x7bff / WIDTH);
        double below = half_value(low), above = half_value((uint16_t)(low + 1));
        assert_int_equal(red[i], low);
        assert_int_equal(green[i], low + (low & 1));
        double value = light[i][2];
        if (value - below != above - value)
            assert_int_equal(blue[i], value - below < above - value ? low : low + 1);
    }
    EXR(exr_finish(&context));
    free(red);
    free(green);
    free(blue);
    free(light);
    field_destroy(&field);
}

/* ---- our own reader ---- */

IN_FOLDER(every_size_comes_back_however_its_rows_are_cut)
{
    static const int32_t widths[] = {1, 3, 1000}, heights[] = {1, 15, 16, 17, 50};
    static const int32_t blocks[] = {1000, 1, 7, 33};
    const char *path = in_folder(state, "x.exr");
    for (int i = 0; i < 15; i++) {
        int count_bytes = i % 2 ? 4 : 8;
        unsigned planes = i % 3 ? ALL_PLANES : PLANE_MASK_COUNT | PLANE_MASK_FRACTION;
        struct field back, field = field_make(widths[i % 3], heights[i / 3], planes, count_bytes);
        float(*light)[3] = light_make(&field);
        struct exr_shape shape = shape_of(&field, i % 4 ? EXR_HALF : EXR_FLOAT);
        struct bytes first = {0};
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
            field_write(path, &shape, &field, (const float(*)[3])light, blocks[b]);
            struct bytes bytes = bytes_of_file(path);
            if (first.at) {
                assert_true(bytes_equal(first, bytes));
                free(bytes.at);
            } else
                first = bytes;
        }
        assert_int_equal(field_read(path, 1 + i % 3, &back), STATUS_OK);
        fields_equal(&field, &back);
        free(first.at);
        free(light);
        field_destroy(&field);
        field_destroy(&back);
    }
}

/* As Kalles Fraktaler and Fraktaler-3 write: biased counts, fractions up to 1, no data as NaN. */
struct made {
    uint32_t n[50 * 40];
    float nf[50 * 40], t[50 * 40], dex[50 * 40], dey[50 * 40], red[50 * 40];
};

static struct foreign foreign_make(struct made *made)
{
    for (int i = 0; i < 50 * 40; i++) {
        made->n[i] = (uint32_t)(1024 + i);
        made->nf[i] = (float)(i % 64 + 1) / 64;
        made->t[i] = (float)(i % 32) / 32;
        made->dex[i] = (float)(i % 100);
        made->dey[i] = -3;
        made->red[i] = 0.5f;
    }
    made->n[0] = UINT32_MAX;
    made->n[1] = 0;
    made->n[2] = 1;
    made->dex[3] = NAN;
    made->nf[4] = INFINITY;
    made->t[5] = -1;
    return (struct foreign){.x = -7,
                            .y = 5,
                            .width = 50,
                            .height = 40,
                            .compression = EXR_COMPRESSION_ZIP,
                            .bias = "1024",
                            .kfr = kfr_text,
                            .channel = {{"N", EXR_PIXEL_UINT, made->n},
                                        {"NF", EXR_PIXEL_FLOAT, made->nf},
                                        {"T", EXR_PIXEL_FLOAT, made->t},
                                        {"DEX", EXR_PIXEL_FLOAT, made->dex},
                                        {"DEY", EXR_PIXEL_FLOAT, made->dey},
                                        {"R", EXR_PIXEL_HALF, made->red}}};
}

static void foreign_is_understood(const char *path, const struct made *made)
{
    struct field field;
    enum status status = field_read(path, 1, &field);
    if (status != STATUS_OK)
        fail_msg("%s", status_text());
    const uint32_t *count = field.plane[PLANE_COUNT];
    const float *fraction = field.plane[PLANE_FRACTION], *phase = field.plane[PLANE_PHASE];
    const float *dx = field.plane[PLANE_DISTANCE_X], *dy = field.plane[PLANE_DISTANCE_Y];
    assert_int_equal(count[0], 0); /* not escaped */
    assert_int_equal(count[1], 0); /* not computed */
    assert_int_equal(count[2], 1); /* fewer than none */
    assert_true(fraction[0] == 0 && dx[0] == 0 && dy[0] == 0 && phase[0] == 0);
    assert_true(dx[3] == 0 && dy[3] == 0);
    assert_true(fraction[4] == 0 && phase[5] == 0);
    for (int i = 6; i < 50 * 40; i++) {
        assert_int_equal(count[i], i);
        assert_true(made->nf[i] < 1 ? fraction[i] == made->nf[i]
                                    : fraction[i] < 1 && fraction[i] > 0.999f);
        assert_true(phase[i] == made->t[i]);
        assert_true(dx[i] == 2 * made->dex[i] && dy[i] == 6);
    }
    field_destroy(&field);
}

IN_FOLDER(files_of_other_programs_are_fields)
{
    static const exr_compression_t ways[] = {EXR_COMPRESSION_NONE, EXR_COMPRESSION_RLE,
                                             EXR_COMPRESSION_ZIPS, EXR_COMPRESSION_ZIP,
                                             EXR_COMPRESSION_PIZ,  EXR_COMPRESSION_PXR24};
    const char *path = in_folder(state, "x.exr");
    struct made *made = malloc(sizeof *made);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct foreign foreign = foreign_make(made);
        foreign.compression = ways[i];
        foreign_write(&foreign, path);
        foreign_is_understood(path, made);
    }
    struct foreign halves = foreign_make(made); /* exact in halves */
    halves.bias = "\"1024";
    for (int c = 1; c < 5; c++)
        halves.channel[c].type = EXR_PIXEL_HALF;
    foreign_write(&halves, path);
    foreign_is_understood(path, made);
    free(made);
}

IN_FOLDER(a_negative_bias_needs_wider_counts)
{
    const char *path = in_folder(state, "x.exr");
    struct made *made = malloc(sizeof *made);
    struct foreign foreign = foreign_make(made);
    struct field field;
    foreign.bias = "\"-10000000000";
    foreign_write(&foreign, path);
    assert_int_equal(field_read(path, 1, &field), STATUS_OK);
    assert_int_equal(field.count_bytes, 8);
    assert_true(field_count_at(&field, 0) == 0);
    assert_true(field_count_at(&field, 9) == 10000000000 + 1024 + 9);
    field_destroy(&field);
    free(made);
}

/* A half of a 64-bit count beside N says nothing. */
IN_FOLDER(a_half_of_a_count_is_passed_over)
{
    static const char *const halves[] = {"N0", "N1"};
    const char *path = in_folder(state, "x.exr");
    struct made *made = malloc(sizeof *made);
    for (int i = 0; i < 2; i++) {
        struct foreign foreign = foreign_make(made);
        foreign.channel[6] = (struct foreign_channel){halves[i], EXR_PIXEL_UINT, made->n};
        foreign_write(&foreign, path);
        foreign_is_understood(path, made);
    }
    free(made);
}

/* A picture that is not in memory is measured as one that is. */
IN_FOLDER(the_subgrid_is_read_alone)
{
    static const int32_t sizes[][2] = {{200, 150}, {1, 1}, {70, 30}};
    const char *path = in_folder(state, "x.exr");
    for (int i = 0; i < 3; i++) {
        struct field subgrid, field = field_make(sizes[i][0], sizes[i][1], ALL_PLANES, 4);
        struct exr_shape shape = shape_of(&field, EXR_HALF);
        float(*light)[3] = light_make(&field);
        int32_t x[SUBGRID_WIDTH], y[SUBGRID_HEIGHT];
        struct distribution whole, alone;
        struct field_file *file;
        field_write(path, &shape, &field, (const float(*)[3])light, field.height);
        assert_int_equal(field_file_open(&file, path), STATUS_OK);
        distribution_subgrid(field.width, field.height, x, y);
        assert_int_equal(field_file_pixels(file, x, SUBGRID_WIDTH, y, SUBGRID_HEIGHT, &subgrid),
                         STATUS_OK);
        distribution_measure(&whole, &field);
        distribution_measure_subgrid(&alone, &subgrid, field.height);
        assert_true(distribution_same(&whole, &alone));
        field_file_close(file);
        free(light);
        field_destroy(&subgrid);
        field_destroy(&field);
    }
}

/* ---- the header ---- */

IN_FOLDER(the_header_is_read_without_pixels)
{
    const char *path = in_folder(state, "x.exr");
    struct field field = field_make(40, 30, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4);
    float(*light)[3] = light_make(&field);
    struct exr_shape shape = shape_of(&field, EXR_HALF);
    struct exr_header header;
    field_write(path, &shape, &field, (const float(*)[3])light, 30);
    struct bytes bytes = bytes_of_file(path);
    size_t needed = 0;
    while (exr_header_read(bytes.at, needed, "x.exr", &header) != STATUS_OK) {
        for (int i = 0; i < EXR_TEXTS; i++)
            assert_null(header.text[i]);
        assert_true(++needed < bytes.length);
        assert_non_null(strstr(status_text(), "x.exr: "));
    }
    assert_true(needed < 1000);
    assert_int_equal(header.width, 40);
    assert_int_equal(header.height, 30);
    assert_int_equal(header.limit, 5000);
    assert_int_equal(header.channels,
                     1u << EXR_R | 1u << EXR_G | 1u << EXR_B | 1u << EXR_N | 1u << EXR_NF);
    assert_string_equal(header.text[EXR_TEXT_INI], view_text);
    assert_string_equal(header.text[EXR_TEXT_KFR], kfr_text);
    assert_null(header.text[EXR_TEXT_TOML]);
    assert_null(header.unreadable);
    exr_header_destroy(&header);
    free(bytes.at);
    free(light);
    field_destroy(&field);
}

/* ---- damage ---- */

static void bytes_write(const char *path, const uint8_t *bytes, size_t length)
{
    FILE *stream = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    fclose(stream);
}

static struct bytes sound_file(void **state)
{
    const char *path = in_folder(state, "sound.exr");
    struct field field = field_make(23, 40, ALL_PLANES, 4);
    float(*light)[3] = light_make(&field);
    struct exr_shape shape = shape_of(&field, EXR_HALF);
    field_write(path, &shape, &field, (const float(*)[3])light, 40);
    struct bytes bytes = bytes_of_file(path);
    free(light);
    field_destroy(&field);
    return bytes;
}

IN_FOLDER(a_file_cut_anywhere_is_refused)
{
    const char *path = in_folder(state, "cut.exr");
    struct bytes bytes = sound_file(state);
    for (size_t length = 1; length < bytes.length; length += 1 + length / 12) {
        struct field field;
        bytes_write(path, bytes.at, length);
        assert_int_equal(field_read(path, 1, &field), STATUS_BAD_DATA);
        assert_non_null(strstr(status_text(), "cut.exr: "));
        field_destroy(&field);
    }
    free(bytes.at);
}

/* Refused, or read as some field: never a crash, a hang, or values that colours cannot take. */
IN_FOLDER(a_changed_file_is_refused_or_is_a_field)
{
    const char *path = in_folder(state, "changed.exr");
    struct bytes bytes = sound_file(state);
    uint64_t seed = 11;
    int rounds = check_long() ? 20000 : 100;
    for (int round = 0; round < rounds; round++) {
        uint8_t *copy = malloc(bytes.length);
        memcpy(copy, bytes.at, bytes.length);
        for (int i = 0; i < 1 + round % 4; i++)
            copy[check_random(&seed) % (round % 2 ? 800 : bytes.length)] =
                (uint8_t)check_random(&seed);
        bytes_write(path, copy, bytes.length);
        free(copy);
        struct field field;
        if (field_read(path, 1, &field) == STATUS_OK && field.plane[PLANE_FRACTION])
            for (int i = 0; i < field.width * field.height; i++) {
                float fraction = ((const float *)field.plane[PLANE_FRACTION])[i];
                assert_true(fraction >= 0 && fraction < 1);
            }
        field_destroy(&field);
    }
    free(bytes.at);
}

/* The first place of `what` in the file. */
static uint8_t *place_of(struct bytes bytes, const char *what, size_t length)
{
    uint8_t *place = memmem(bytes.at, bytes.length, what, length);
    assert_non_null(place);
    return place;
}

static void refused(void **state, struct bytes bytes, const char *sentence)
{
    const char *path = in_folder(state, "bad.exr");
    struct field field;
    bytes_write(path, bytes.at, bytes.length);
    assert_int_equal(field_read(path, 1, &field), STATUS_BAD_DATA);
    if (!strstr(status_text(), sentence))
        fail_msg("'%s' does not say '%s'", status_text(), sentence);
    field_destroy(&field);
    free(bytes.at);
}

static struct bytes with_flags(void **state, uint8_t flags)
{
    struct bytes bytes = sound_file(state);
    bytes.at[5] = flags;
    return bytes;
}

static struct bytes with(void **state, const char *what, size_t length, size_t skip,
                         const char *instead, size_t instead_length)
{
    struct bytes bytes = sound_file(state);
    memcpy(place_of(bytes, what, length) + skip, instead, instead_length);
    return bytes;
}

#define WITH(what, skip, instead) \
    with(state, what, sizeof what - 1, skip, instead, sizeof instead - 1)

IN_FOLDER(files_without_a_field_are_refused_with_the_reason)
{
    refused(state, with_flags(state, 0x02), "is tiled");
    refused(state, with_flags(state, 0x08), "is deep");
    refused(state, with_flags(state, 0x10), "has several parts");
    refused(state, with_flags(state, 0x40), "version 2 with flags 0x4000");
    refused(state, WITH("\x76\x2f\x31\x01", 4, "\x03"), "version 3");
    refused(state, WITH("\x76\x2f\x31\x01", 0, "\x76\x2f\x31\x02"), "not an EXR");
    refused(state, WITH("\0N\0", 1, "M"), "no channel N");
    refused(state, WITH("\0N\0", 3, "\2"), "N is not of type UINT");
    refused(state, WITH("\0N\0", 3, "\7"), "is of type 7");
    refused(state, WITH("\0NF\0", 4, "\0"), "NF is of type UINT");
    refused(state, WITH("\0NF\0", 12, "\2"), "fewer samples than pixels");
    refused(state, WITH("\0NF\0", 12, "\0"), "sampled every 0 x 1");
    refused(state, WITH("\0DEY\0", 1, "DEX"), "DEX is there twice");
    refused(state, WITH("dataWindow\0box2i\0", 17, "\x0f\0\0\0"), "'dataWindow' of type box2i");
    refused(state, WITH("dataWindow\0box2i\0\x10\0\0\0", 29, "\xff\xff\xff\x7f"),
            "2147483648 x 40 pixels");
    refused(state, WITH("dataWindow\0box2i\0\x10\0\0\0", 29, "\xff\xff\xff\x01"),
            "33554432 x 40 pixels, but has only");
    refused(state, WITH("dataWindow\0box2i\0\x10\0\0\0", 33, "\xff\xff\xff\x01"),
            "23 x 33554432 pixels, but has only");
    refused(state, WITH("dataWindow\0box2i\0\x10\0\0\0", 33, "\xff\xff\xff\xff"), "23 x 0 pixels");
    refused(state, WITH("dataWindow\0", 0, "bataWindow"), "no dataWindow");
    refused(state, WITH("channels\0", 0, "khannels"), "no channels");
    refused(state, WITH("compression\0compression\0\1\0\0\0", 28, "\x08"), "method 8");
    refused(state, WITH("compression\0compression\0\1\0\0\0", 28, "\xff"), "method 255");
    refused(state, WITH("deepfield\0string\0", 17, "\xff\xff\xff\xff"), "claims -1 bytes");
    refused(state, WITH("deepfield\0string\0", 17, "\xff\xff\xff\x7f"), "ends within its header");
    refused(state, WITH("[view]", 2, "\0"), "is not text");
    refused(state, WITH("IterationsBias\0int\0", 15, "in\0"), "damaged EXR");
}

IN_FOLDER(a_picture_too_wide_is_refused)
{
    struct exr_writer *writer;
    struct exr_shape shape = {.width = 100000000,
                              .height = 10,
                              .planes = ALL_PLANES,
                              .count_bytes = 4,
                              .colour = EXR_HALF};
    assert_int_equal(exr_writer_open(&writer, &shape, -1, "x.exr"), STATUS_TOO_LARGE);
    assert_null(writer);
}

IN_FOLDER(a_full_disk_is_told)
{
    struct field field = field_make(23, 40, ALL_PLANES, 4);
    float(*light)[3] = light_make(&field);
    struct exr_shape shape = shape_of(&field, EXR_HALF);
    struct exr_writer *writer;
    int full = open("/dev/full", O_RDWR);
    assert_int_equal(exr_writer_open(&writer, &shape, full, "x.exr"), STATUS_IO);
    assert_non_null(strstr(status_text(), "cannot write x.exr: No space left on device"));
    close(full);
    free(light);
    field_destroy(&field);
}
