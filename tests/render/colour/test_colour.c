#include "tests/support/check.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/colour/colour.h"
#include "render/colour/colour_kernels.h"
#include "render/colour/palette_make.h"
#include "render/colour/srgb.h"
#include "tests/support/palette_sample.h"

static struct palette *parsed(const char *text)
{
    struct palette *palette;
    if (palette_parse(&palette, text, strlen(text), "test") != STATUS_OK)
        fail_msg("%s", status_text());
    return palette;
}

static struct palette *flat(double red, double green, double blue)
{
    char text[200];
    snprintf(text, sizeof text, "0,%.9f,%.9f,%.9f\n1,%.9f,%.9f,%.9f\n", red, green, blue, red,
             green, blue);
    return parsed(text);
}

/* A field whose counts are all `count`; 64 x 64 pixels. */
static struct field field_of(uint32_t count)
{
    struct field field;
    assert_int_equal(field_create(&field, 64, 64, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4),
                     STATUS_OK);
    for (int i = 0; i < 64 * 64; i++)
        ((uint32_t *)field.plane[PLANE_COUNT])[i] = count;
    return field;
}

TEST(transfer_is_that_of_the_standard)
{
    /* IEC 61966-2-1; 0.2140411404822325 = ((0.5 + 0.055) / 1.055)^2.4 */
    assert_true(srgb_decode(0) == 0 && srgb_decode(1) == 1 && srgb_encode(0) == 0);
    assert_true(fabs(srgb_decode(0.5) - 0.2140411404822325) < 1e-15);
    assert_true(fabs(srgb_encode(0.2140411404822325) - 0.5) < 1e-15);
    assert_true(fabs(srgb_encode(1) - 1) < 1e-15);
    assert_true(fabs(srgb_decode(0.04045) - 0.04045 / 12.92) < 1e-15);
    for (int i = 0; i <= 1000; i++) /* the two pieces of the standard meet within 2e-8 */
        assert_true(fabs(srgb_encode(srgb_decode(i / 1000.0)) - i / 1000.0) < 2e-8);
}

TEST(colours_parse)
{
    float rgb[3];
    assert_int_equal(colour_parse("#ff8000", rgb), STATUS_OK);
    assert_true(rgb[0] == 1 && fabs(rgb[1] - srgb_decode(128 / 255.0)) < 1e-7 && rgb[2] == 0);
    assert_int_equal(colour_parse("#AbCdEf", rgb), STATUS_OK);
    static const char *const bad[] = {"",         "#",       "black",   "ff8000",  "#ff800",
                                      "#ff80000", "#ff800g", "#-f8000", "# ff800", "#ff8000 "};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(colour_parse(bad[i], rgb), STATUS_CONFIG);
}

/* Every sRGB byte given as interior or as palette colour comes back as that byte. */
TEST(bytes_come_back)
{
    struct field inside = field_of(0), outside = field_of(7);
    for (int v = 0; v < 256; v++) {
        char text[8];
        snprintf(text, sizeof text, "#%02x%02x%02x", (uint8_t)v, (uint8_t)(255 - v), (uint8_t)v);
        struct look look = {.palette = flat(v / 255.0, v / 255.0, v / 255.0), .density = 1};
        assert_int_equal(colour_parse(text, look.interior), STATUS_OK);
        uint8_t row_8[64 * 3];
        uint16_t row_16[64 * 3];
        colour_row_8(&look, &inside, 5, row_8);
        colour_window_row_16(&look, &inside, 5, 5, row_16);
        for (int i = 0; i < 64 * 3; i++) {
            assert_int_equal(row_8[i], i % 3 == 1 ? 255 - v : v);
            assert_int_equal(row_16[i], 257 * (i % 3 == 1 ? 255 - v : v));
        }
        colour_window_row_16(&look, &outside, 5, 5, row_16);
        for (int i = 0; i < 64 * 3; i++) /* the digits of the OKLab matrices cost one step */
            assert_true(abs(row_16[i] - 257 * v) <= 1);
        palette_destroy((struct palette *)(uintptr_t)look.palette);
    }
    field_destroy(&inside);
    field_destroy(&outside);
}

/* 16-bit samples lie within 0.51 of the exact transfer, and rise with the light. */
TEST(table_follows_the_transfer)
{
    enum { N = 50000 };
    struct field field;
    assert_int_equal(field_create(&field, 64, 1, PLANE_MASK_COUNT, 4), STATUS_OK);
    struct palette *palette = parsed("0,0,0,0\n1,1,1,1\n");
    struct look look = {.palette = palette, .density = 1};
    uint16_t row[64 * 3], last = 0;
    for (int i = 0; i <= N; i++) {
        look.interior[0] =
            (float)pow((double)i / N, 3); /* dense near black, where the curve bends */
        colour_window_row_16(&look, &field, 0, 0, row);
        assert_true(fabs(row[0] - 65535 * srgb_encode(look.interior[0])) < 0.51);
        assert_true(row[0] >= last);
        last = row[0];
    }
    assert_int_equal(last, 65535);
    palette_destroy(palette);
    field_destroy(&field);
}

TEST(dither_keeps_the_mean_and_moves_by_less_than_one)
{
    struct field field = field_of(3);
    for (double value = 100; value < 101; value += 0.0625) {
        struct look look = {.palette = flat(value / 255, value / 255, value / 255), .density = 1};
        double sum[3] = {0};
        for (int y = 0; y < 64; y++) {
            uint8_t row[64 * 3];
            colour_row_8(&look, &field, y, row);
            for (int i = 0; i < 64 * 3; i++) {
                assert_true(row[i] > value - 1.001 && row[i] < value + 1.001);
                sum[i % 3] += row[i];
            }
        }
        for (int c = 0; c < 3; c++) /* 4096 low-discrepancy samples: a few thousandths */
            assert_true(fabs(sum[c] / 4096 - value) < 0.005);
        palette_destroy((struct palette *)(uintptr_t)look.palette);
    }
    field_destroy(&field);
}

/* 8-bit pictures go straight between sRGB values, not between lights: within a sample's width of a
 * palette the difference is not to be seen. */
TEST(values_follow_the_light)
{
    struct palette *palette = parsed("# cyclic: yes\n0,0,0,0\n.05,1,1,1\n.1,0,0,.5\n1,0,0,0\n");
    struct look look = {.palette = palette, .density = 1};
    uint64_t seed = 11;
    for (int i = 0; i < 200000; i++) {
        uint32_t root = 1u << (i / 2 % 8), count = root * root * root * root, colour;
        float rgb[3];
        look.offset = check_random_unit(&seed) * (i % 2 ? 0.1 : 1);
        struct colour_run run = {.count = &count, .count_bytes = 4, .length = 1, .x = i, .dx = 1};
        colour_run_8(&look, &run, &colour);
        palette_sample(palette, look.density * root + look.offset, rgb);
        for (int c = 0; c < 3; c++) {
            double exact = 255 * srgb_encode(rgb[c]);
            assert_true(fabs((double)(colour >> (16 - 8 * c) & 0xff) - exact) < 1.05);
        }
    }
    palette_destroy(palette);
}

/* 255 and a dither of all but 1 would be 256 in single precision: a dark spot in what is white. */
TEST(white_stays_white)
{
    enum { SIDE = 2048 };
    static uint32_t count[SIDE], out[SIDE], mean[SIDE];
    static float light[SIDE][3];
    struct look look = {.palette = flat(1, 1, 1), .density = 1};
    for (int x = 0; x < SIDE; x++) {
        count[x] = 7;
        light[x][0] = light[x][1] = light[x][2] = 1;
    }
    for (int y = 0; y < SIDE; y++) {
        struct colour_run run = {.count = count, .count_bytes = 4, .length = SIDE, .y = y, .dx = 1};
        colour_run_8(&look, &run, out);
        colour_light_8((const float(*)[3])light, 1, SIDE, 0, y, mean);
        for (int x = 0; x < SIDE; x++)
            assert_true(out[x] == 0xffffffffu && mean[x] == 0xffffffffu);
    }
    palette_destroy((struct palette *)(uintptr_t)look.palette);
}

/* Without fractions the same counts make bands; with them the colour moves on smoothly. */
TEST(fractions_smooth_the_bands)
{
    struct field smooth, bands;
    assert_int_equal(field_create(&smooth, 600, 1, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 8),
                     STATUS_OK);
    assert_int_equal(field_create(&bands, 600, 1, PLANE_MASK_COUNT, 4), STATUS_OK);
    for (int x = 0; x < 600; x++) {
        ((uint64_t *)smooth.plane[PLANE_COUNT])[x] = 10 + (uint64_t)(x / 100);
        ((uint32_t *)bands.plane[PLANE_COUNT])[x] = 10 + (uint32_t)(x / 100);
        ((float *)smooth.plane[PLANE_FRACTION])[x] = (float)(x % 100) / 100;
    }
    struct palette *palette = parsed("0,.2,.2,.2\n1,.9,.9,.9\n");
    struct look look = {.palette = palette, .density = 1, .offset = 0.23};
    uint16_t fine[600 * 3], coarse[600 * 3];
    colour_window_row_16(&look, &smooth, 0, 0, fine);
    colour_window_row_16(&look, &bands, 0, 0, coarse);
    int changes = 0;
    for (int x = 1; x < 600; x++) {
        assert_true(fine[3 * x] > fine[3 * x - 3] && fine[3 * x] - fine[3 * x - 3] < 300);
        changes += coarse[3 * x] != coarse[3 * x - 3];
        if (x % 100 == 0)
            assert_int_equal(fine[3 * x], coarse[3 * x]);
    }
    assert_int_equal(changes, 5);
    palette_destroy(palette);
    field_destroy(&smooth);
    field_destroy(&bands);
}

static uint64_t fnv(uint64_t hash, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * UINT64_C(1099511628211);
    return hash;
}

/* Golden: the same bytes on every machine and compiler, whatever their C library. */
TEST(pictures_are_the_same_everywhere)
{
    struct field field;
    assert_int_equal(field_create(&field, 1009, 3, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4),
                     STATUS_OK);
    uint32_t value = 1;
    for (int i = 0; i < 1009 * 3; i++) {
        value = value * 1664525u + 1013904223u;
        ((uint32_t *)field.plane[PLANE_COUNT])[i] = value >> (i % 32);
        ((float *)field.plane[PLANE_FRACTION])[i] = (float)(value >> 8) * 0x1p-24f;
    }
    struct palette *palette = parsed(
        "# cyclic: yes\n0,.02,.06,.23\n.3,.25,.56,.86\n.5,1,1,.96\n.8,.6,.27,.06\n1,.02,.06,.23\n");
    struct look look = {.palette = palette, .density = 1, .offset = 0.6, .interior = {0, 0.5f, 1}};
    uint8_t row_8[1009 * 3];
    uint16_t row_16[1009 * 3];
    uint64_t hash_8 = UINT64_C(14695981039346656037), hash_16 = hash_8;
    for (int y = 0; y < 3; y++) {
        colour_row_8(&look, &field, y, row_8);
        colour_window_row_16(&look, &field, y, y, row_16);
        hash_8 = fnv(hash_8, row_8, sizeof row_8);
        hash_16 = fnv(hash_16, row_16, sizeof row_16);
    }
    assert_true(hash_8 == UINT64_C(0xf2d98b8309774be3));
    assert_true(hash_16 == UINT64_C(0xd0f3c29f79101201));
    palette_destroy(palette);
    field_destroy(&field);
}

#ifdef __x86_64__
struct loops_results { /* of one list */
    uint32_t out[COLOUR_BLOCK], painted[COLOUR_BLOCK];
    float light[COLOUR_BLOCK][4], mean[3][COLOUR_BLOCK];
    double nu[COLOUR_BLOCK], position[COLOUR_BLOCK], curved[COLOUR_BLOCK];
};

struct loops_input {
    uint64_t count[COLOUR_BLOCK];
    uint32_t narrow[COLOUR_BLOCK];
    float fraction[COLOUR_BLOCK], distance[2][COLOUR_BLOCK], lines[4][COLOUR_BLOCK + 6];
    struct curve curve;
    int n;
};

static void input_make(struct loops_input *input, int round)
{
    uint64_t seed = (uint64_t)round + 7;
    struct distribution distribution = {.runs = 3};
    int n = input->n = 1 + (int)(check_random(&seed) % COLOUR_BLOCK);
    for (int i = 0; i < n; i++) {
        input->count[i] = check_random(&seed) >> (check_random(&seed) % 64);
        input->narrow[i] = check_random(&seed) % 4 ? (uint32_t)input->count[i] : 0;
        input->fraction[i] = (float)check_random_unit(&seed);
        for (int c = 0; c < 2; c++)
            input->distance[c][i] = (float)((check_random_unit(&seed) - 0.5) *
                                            pow(10, 60 * (check_random_unit(&seed) - 0.5)));
    }
    input->distance[round % 2][round % n] = round % 3 ? INFINITY : NAN;
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < COLOUR_BLOCK + 6; i++)
            input->lines[j][i] = (float)check_random_unit(&seed);
    for (int i = 0; i < DISTRIBUTION_LEVELS; i++) /* of some rounds fewer knots */
        distribution.level[i] = pow(1.5 + round % 7, i / (1 + round % 5));
    curve_make(&input->curve, &distribution, 2, 0.5);
}

static void loops_run(const struct colour_kernels *loops, const struct loops_input *input,
                      const struct transfer_point *transfer, const float (*table)[4], int round,
                      struct loops_results *to)
{
    struct shade shade = {.relief = 0.4f, .lines = 0.8f, .light = {-0.6f, -0.8f}, .per_px = 0.5f};
    struct dither_pixels pixels = {(uint32_t)round * 99, 8, (uint32_t)round};
    struct sample_share share = sample_share(1 + round % 50);
    int n = input->n;
    memset(to, 0, sizeof *to);
    if (round % 2)
        loops->continuous_32(input->narrow, input->fraction, n, to->nu);
    else
        loops->continuous_64(input->count, input->fraction, n, to->nu);
    loops->law(1.7, 0.2, to->nu, n, to->position);
    loops->curve(&input->curve, 0.2, to->nu, n, to->curved);
    loops->light(table, round % 3 ? to->curved : to->position, n, to->light);
    loops->shade(&shade, input->distance[0], input->distance[1], n, to->light);
    loops->encode(transfer, (const float(*)[4])to->light, n, &pixels, to->out);
    loops->colours(table, to->position, n, &pixels, to->painted);
    const struct colour_lines lines = {.own = input->lines[0] + 3,
                                       .other = input->lines[1] + 3,
                                       .mean = to->mean[0],
                                       .stride = COLOUR_BLOCK + 6,
                                       .mean_stride = COLOUR_BLOCK,
                                       .count = 3,
                                       .length = n};
    loops->average(&share, &lines);
}

static bool loops_agree(const struct loops_results *a, const struct loops_results *b, int n)
{
    size_t count = (size_t)n;
    return !memcmp(a->nu, b->nu, count * sizeof *a->nu) &&
           !memcmp(a->position, b->position, count * sizeof *a->position) &&
           !memcmp(a->curved, b->curved, count * sizeof *a->curved) &&
           !memcmp(a->light, b->light, count * sizeof *a->light) &&
           !memcmp(a->out, b->out, count * sizeof *a->out) &&
           !memcmp(a->painted, b->painted, count * sizeof *a->painted) &&
           !memcmp(a->mean, b->mean, sizeof a->mean);
}
#endif

/* Every list of loops gives the same bits, and none writes behind the mean's lines. */
TEST(instruction_sets_agree)
{
#ifdef __x86_64__
    static struct transfer_point transfer[TRANSFER_ENTRIES];
    static float table[PALETTE_SAMPLES + 1][4];
    static struct loops_input input;
    static struct loops_results results[3];
    uint64_t seed = 7;
    const struct colour_kernels *lists[] = {&colour_kernels_plain, &colour_kernels_avx2,
                                            &colour_kernels_avx512};
    bool has[] = {true, __builtin_cpu_supports("avx2"), __builtin_cpu_supports("avx512dq")};
    for (int i = 0; i < TRANSFER_ENTRIES; i++)
        transfer[i] = (struct transfer_point){(float)i / TRANSFER_ENTRIES, 1.0f / TRANSFER_ENTRIES};
    for (int i = 0; i <= PALETTE_SAMPLES; i++)
        for (int c = 0; c < 3; c++)
            table[i][c] = (float)pow(check_random_unit(&seed), 6);
    for (int round = 0; round < 2000; round++) {
        input_make(&input, round);
        for (int k = 0; k < 3; k++)
            if (has[k])
                loops_run(lists[k], &input, transfer, (const float(*)[4])table, round, &results[k]);
        for (int k = 1; k < 3; k++)
            if (has[k] && !loops_agree(&results[0], &results[k], input.n))
                fail_msg("list %d differs in round %d, %d pixels", k, round, input.n);
    }
#endif
}

/* Pixels that lie apart are coloured as those of rows are. */
TEST(runs_are_pixels_of_rows)
{
    enum { LENGTH = 700 };
    struct palette *palette = NULL;
    static const char text[] = "0, 0, 0, 0.1\n0.5, 1, 0.6, 0\n1, 0, 0, 0.1\n";
    assert_int_equal(palette_parse(&palette, text, sizeof text - 1, "test"), STATUS_OK);
    struct look look = {
        .palette = palette, .density = 1.3, .offset = 0.4, .interior = {0, 0.2f, 1}};
    struct field field;
    uint64_t seed = 3;
    uint8_t row[3 * LENGTH];
    for (int bytes = 4; bytes <= 8; bytes += 4) {
        assert_int_equal(
            field_create(&field, LENGTH, 2, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, bytes),
            STATUS_OK);
        float *fraction = field_row(&field, PLANE_FRACTION, 1);
        void *count = field_row(&field, PLANE_COUNT, 1);
        for (int x = 0; x < LENGTH; x++) {
            fraction[x] = (float)check_random_unit(&seed);
            if (bytes == 4)
                ((uint32_t *)count)[x] = (uint32_t)(check_random(&seed) % 5000);
            else
                ((uint64_t *)count)[x] = check_random(&seed) % 5000;
        }
        colour_row_8(&look, &field, 1, row);
        for (int32_t dx = 1; dx <= 8; dx *= 2)
            for (int32_t x = 3; x + dx < LENGTH; x += 191) {
                uint32_t colour;
                struct colour_run run = {.count = (const char *)count + x * bytes,
                                         .plane[PLANE_FRACTION] = fraction + x,
                                         .count_bytes = bytes,
                                         .length = 1,
                                         .x = x,
                                         .y = 1,
                                         .dx = dx};
                colour_run_8(&look, &run, &colour);
                assert_int_equal(colour, 0xff000000u | (uint32_t)row[3 * x] << 16 |
                                             (uint32_t)row[3 * x + 1] << 8 | row[3 * x + 2]);
            }
        field_destroy(&field);
    }
    palette_destroy(palette);
}

/* Darker towards the set, lit on the side of the light, and alike in a picture of twice the size.
 */
TEST(distances_shade)
{
    struct distribution none = {.runs = 0};
    struct look_options options = {.density = 1, .lines = 1, .light_deg = 180};
    struct look small, large;
    struct palette *palette = flat(0.5, 0.5, 0.5);
    look_make(&small, &options, &none, palette, 270);
    look_make(&large, &options, &none, palette, 540);
    enum { LENGTH = 9 };
    uint32_t count[LENGTH];
    float x[LENGTH], y[LENGTH] = {0}, twice[LENGTH], plain[LENGTH][3], lit[LENGTH][3];
    for (int i = 0; i < LENGTH; i++) {
        count[i] = 7;
        x[i] = (float)(i - 4);
        twice[i] = 2 * x[i];
    }
    struct colour_run run = {.count = count, .count_bytes = 4, .length = LENGTH, .dx = 1};
    run.plane[PLANE_DISTANCE_X] = x;
    run.plane[PLANE_DISTANCE_Y] = y;
    colour_run_light(&small, &run, plain);
    for (int i = 5; i < LENGTH; i++)
        assert_true(plain[i][0] > plain[i - 1][0] && plain[i][0] == plain[8 - i][0]);
    run.plane[PLANE_DISTANCE_X] = twice;
    colour_run_light(&large, &run, lit);
    assert_memory_equal(plain, lit, sizeof plain);
    options.relief = 0.5;
    look_make(&small, &options, &none, palette, 270);
    run.plane[PLANE_DISTANCE_X] = x;
    colour_run_light(&small, &run, lit);
    for (int i = 0; i < LENGTH; i++)
        assert_true(i < 4 ? lit[i][0] > plain[i][0] : lit[i][0] <= plain[i][0]);
    assert_true(lit[8][0] < plain[8][0]);
    run.plane[PLANE_DISTANCE_Y] = NULL; /* no distances, no shading */
    colour_run_light(&small, &run, lit);
    assert_true(lit[0][0] == lit[4][0] && lit[4][0] == lit[8][0]);
    palette_destroy(palette);
}

TEST(interiors_are_read_and_written)
{
    static const char *const texts[] = {"#000000",  "#102fff",        "period",
                                        "distance", "period,#0a0b0c", "distance,#ffffff"};
    static const char *const bad[] = {
        "", "black", "periods", "period,", "period,#12345", "distance #123456", "#123456,period"};
    enum interior_kind kind;
    float rgb[3];
    char text[INTERIOR_TEXT_BYTES];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(interior_parse(texts[i], &kind, rgb), STATUS_OK);
        interior_text(kind, rgb, text);
        assert_string_equal(text, texts[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(interior_parse(bad[i], &kind, rgb), STATUS_CONFIG);
}

TEST(periods_have_flat_colours_that_differ)
{
    enum { PERIODS = 13, EACH = 20 };
    struct palette *palette;
    static const char csv[] = "# cyclic: yes\n0,1,0,0\n0.3333,0,1,0\n0.6667,0,0,1\n1,1,0,0\n";
    assert_int_equal(palette_parse(&palette, csv, sizeof csv - 1, "test"), STATUS_OK);
    struct look look = {
        .palette = palette, .density = 1, .interior_kind = INTERIOR_PERIOD, .interior = {0, 0, 1}};
    uint32_t count[PERIODS * EACH] = {0}, out[PERIODS * EACH];
    float period[PERIODS * EACH];
    for (int i = 0; i < PERIODS * EACH; i++)
        period[i] = (float)(i / EACH); /* 0: unknown */
    struct colour_run run = {.count = count, .count_bytes = 4, .length = PERIODS * EACH, .dx = 1};
    colour_run_8(&look, &run, out);
    for (int i = 0; i < PERIODS * EACH; i++)
        assert_int_equal(out[i], 0xff0000ff); /* no plane, one colour */
    run.plane[PLANE_PERIOD] = period;
    colour_run_8(&look, &run, out);
    assert_int_equal(out[0], 0xff0000ff);
    for (int i = 0; i < PERIODS * EACH; i++) {
        assert_int_equal(out[i], out[i / EACH * EACH]);
        for (int k = 1; k < i / EACH; k++) {
            int apart = 0;
            for (int shift = 0; shift < 24; shift += 8)
                apart += abs((int)(out[i] >> shift & 255) - (int)(out[k * EACH] >> shift & 255));
            assert_true(apart > 60);
        }
    }
    palette_destroy(palette);
}

/* Root k of n lies k / n of the palette on; without phases all are alike. */
TEST(roots_have_colours_of_their_own)
{
    enum { ROOTS = 3 };
    struct palette *palette;
    static const char csv[] = "# cyclic: yes\n0,1,0,0\n0.3333,0,1,0\n0.6667,0,0,1\n1,1,0,0\n";
    assert_int_equal(palette_parse(&palette, csv, sizeof csv - 1, "test"), STATUS_OK);
    struct look look = {.palette = palette, .density = 1, .roots = ROOTS};
    uint32_t count[2 * ROOTS], out[2 * ROOTS], shifted[2 * ROOTS];
    float phase[2 * ROOTS];
    for (int i = 0; i < 2 * ROOTS; i++) {
        count[i] = 16; /* once round the palette, twice */
        double turns = i / 2 / (double)ROOTS + (i % 2 ? 0.001 : -0.001);
        phase[i] = (float)(turns - floor(turns));
    }
    struct colour_run run = {.count = count, .count_bytes = 4, .length = 2 * ROOTS, .dx = 0};
    colour_run_8(&look, &run, out);
    for (int i = 1; i < 2 * ROOTS; i++)
        assert_int_equal(out[i], out[0]);
    run.plane[PLANE_PHASE] = phase;
    colour_run_8(&look, &run, shifted);
    for (int i = 0; i < 2 * ROOTS; i++) {
        look.roots = 0;
        look.offset = i / 2 / (double)ROOTS;
        colour_run_8(&look, &run, out);
        assert_int_equal(shifted[i], out[i]);
    }
    palette_destroy(palette);
}

/* A plane moves positions by its runs, beside the count or without it; one that is missing is the
 * count. */
TEST(colours_go_by_planes)
{
    static const char csv[] = "# cyclic: yes\n0,1,0,0\n0.3333,0,1,0\n0.6667,0,0,1\n1,1,0,0\n";
    enum { LENGTH = 5 };
    static const float phase[LENGTH] = {0, 0.125f, 0.4999f, 0.5f, 0.875f};
    struct palette *palette = parsed(csv);
    uint32_t count[LENGTH], wanted[LENGTH], out[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        count[i] = 81 + (uint32_t)i;
    for (int number = 0; colour_source_name(number); number++) {
        struct look look = {
            .palette = palette, .density = 0.3, .source = colour_source_at(number, 0.5)};
        struct colour_run run = {.count = count, .count_bytes = 4, .length = LENGTH, .dx = 0};
        assert_int_equal(colour_source_number(&look.source), number);
        bool binary = look.source.input == INPUT_BINARY;
        if (number)
            run.plane[colour_input_plane(look.source.input)] = phase;
        colour_run_8(&look, &run, out);
        for (int i = 0; i < LENGTH; i++) {
            double value = binary ? (phase[i] >= 0.5f ? 0.5 : 0) : phase[i];
            value = look.source.input >= INPUT_TRAP_POINT ? sqrt(value) : value;
            struct look plain = {.palette = palette,
                                 .density = !look.source.alone ? 0.3 : 1e-300,
                                 .offset = number ? 0.5 * value : 0};
            colour_run_8(&plain, &run, wanted);
            assert_int_equal(out[i], wanted[i]);
        }
        memset(run.plane, 0, sizeof run.plane);
        colour_run_8(&look, &run, out);
        look.source = (struct colour_source){.input = INPUT_COUNT};
        colour_run_8(&look, &run, wanted);
        assert_memory_equal(out, wanted, sizeof out);
    }
    palette_destroy(palette);
}

/* Layers of one colour over one colour, with their formulas as blend.h has them. */
TEST(layers_are_blended)
{
    const double a[3] = {0.04, 0.5, 0.9}, b[3] = {0.3, 0.7, 0.01};
    double values[6];
    for (int c = 0; c < 3; c++) {
        values[c] = srgb_encode(a[c]);
        values[3 + c] = srgb_encode(b[c]);
    }
    struct palette *first = flat(values[0], values[1], values[2]),
                   *second = flat(values[3], values[4], values[5]), *pair;
    assert_int_equal(palette_pair(&pair, first, second), STATUS_OK);
    for (int blend = 0; blend < BLENDS; blend++)
        for (int k = 0; k <= 2; k++) {
            struct look look = {.palette = pair,
                                .density = 1,
                                .layer = {.blend = (enum colour_blend)blend, .opacity = k / 2.0}};
            uint32_t count[2] = {5, 0};
            float light[2][3];
            struct colour_run run = {.count = count, .count_bytes = 4, .length = 2, .dx = 1};
            colour_run_light(&look, &run, light);
            for (int c = 0; c < 3; c++) {
                double u = sqrt(a[c]), v = sqrt(b[c]);
                double over = u < 0.5 ? 2 * u * v : 1 - 2 * (1 - u) * (1 - v);
                const double wanted[BLENDS] = {a[c], a[c] * b[c], pow(u + v - u * v, 2),
                                               over * over, b[c]};
                double share = k / 2.0 * (wanted[blend] - a[c]);
                assert_true(fabs(light[0][c] - (a[c] + share)) < 1e-5); /* 24 bits, OKLab */
                assert_true(light[1][c] == 0); /* inside there is no layer */
            }
        }
    palette_destroy(first);
    palette_destroy(second);
    palette_destroy(pair);
}

/* A pair has the bytes of both, and another checksum than either. */
TEST(pairs_of_palettes_are_loaded)
{
    struct palette *pair, *ocean;
    size_t length;
    assert_int_equal(palette_load(&pair, DEEPFIELD_ASSETS, "meridian+ocean"), STATUS_OK);
    assert_int_equal(palette_load(&ocean, DEEPFIELD_ASSETS, "ocean"), STATUS_OK);
    const void *bytes = palette_bytes(pair, &length);
    assert_memory_equal(palette_table(palette_second(pair)), palette_table(ocean),
                        (PALETTE_SAMPLES + 1) * sizeof(float[4]));
    assert_ptr_equal(palette_second(ocean), ocean);
    assert_ptr_equal(palette_of_bytes(bytes, length), pair);
    assert_null(palette_of_bytes(bytes, length / 2));
    assert_true(palette_checksum(pair) != palette_checksum(ocean));
    palette_destroy(pair);
    palette_destroy(ocean);
    assert_int_equal(palette_load(&pair, DEEPFIELD_ASSETS, "meridian+nowhere"), STATUS_NO_INPUT);
    assert_null(pair);
}

/* From the interior colour at the boundary, without steps; alike in a picture of twice the size. */
TEST(distances_inside_shade)
{
    enum { LENGTH = 200 };
    struct distribution none = {.runs = 0};
    struct look_options options = {
        .density = 1, .interior_kind = INTERIOR_DISTANCE, .interior = {0.01f, 0.02f, 0}};
    struct look small, large;
    struct palette *palette = flat(0.5, 0.6, 0.7);
    uint32_t count[LENGTH] = {0};
    float inside[LENGTH], twice[LENGTH], light[LENGTH][3], of_large[LENGTH][3];
    look_make(&small, &options, &none, palette, 270);
    look_make(&large, &options, &none, palette, 540);
    for (int i = 0; i < LENGTH; i++) {
        inside[i] = (float)i * (float)i * 1e-3f;
        twice[i] = 2 * inside[i];
    }
    struct colour_run run = {.count = count, .count_bytes = 4, .length = LENGTH, .dx = 1};
    run.plane[PLANE_INSIDE] = inside;
    colour_run_light(&small, &run, light);
    run.plane[PLANE_INSIDE] = twice;
    colour_run_light(&large, &run, of_large);
    assert_memory_equal(light, of_large, sizeof light);
    assert_memory_equal(light[0], small.interior, sizeof light[0]);
    for (int i = 1; i < LENGTH; i++)
        for (int c = 0; c < 3; c++)
            assert_true(light[i][c] > light[i - 1][c] && light[i][c] < light[i - 1][c] + 0.01f);
    palette_destroy(palette);
}

/* A file may say any number, and a picture of one row makes it larger. */
TEST(largest_distance_inside_is_far_inside)
{
    struct distribution none = {.runs = 0};
    struct look_options options = {.density = 1, .interior_kind = INTERIOR_DISTANCE};
    struct look look;
    struct palette *palette = flat(0.5, 0.6, 0.7);
    uint32_t count = 0;
    float inside = FLT_MAX, light[1][3];
    look_make(&look, &options, &none, palette, 1);
    struct colour_run run = {.count = &count, .count_bytes = 4, .length = 1, .dx = 1};
    run.plane[PLANE_INSIDE] = &inside;
    colour_run_light(&look, &run, light);
    const float *rgb = palette_table(palette)[0];
    for (int c = 0; c < 3; c++)
        assert_true(fabsf(light[0][c] - rgb[c]) < 1e-5f);
    palette_destroy(palette);
}
