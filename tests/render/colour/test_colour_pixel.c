/* The plain functions of kernels/colour/, which devices run, against the lists of processors. */
#include "tests/support/check.h"

#include "render/colour/colour_kernels.h"
#include "tests/support/colour_cases.h"

static struct palette *palette_made(void)
{
    struct palette *palette;
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "meridian"), STATUS_OK);
    return palette;
}

static void fields_make(const struct colour_case *one, struct field *fields)
{
    for (int s = 0; s < COLOUR_CASE_SAMPLES; s++) {
        assert_int_equal(
            field_create(&fields[s], one->width, one->height, one->planes, one->count_bytes),
            STATUS_OK);
        colour_case_fill(one, s, &fields[s]);
    }
}

TEST(the_mean_of_samples_is_that_of_processors)
{
    struct palette *palette = palette_made();
    for (int number = 0; number < COLOUR_CASES; number++) {
        struct colour_case one = colour_case_at(number, palette);
        struct field fields[COLOUR_CASE_SAMPLES];
        struct sample_share shares[COLOUR_CASE_SAMPLES];
        struct light wanted, light;
        struct colour_look look = look_tables(&one.look);
        fields_make(&one, fields);
        assert_int_equal(light_create(&wanted, one.width, one.height), STATUS_OK);
        assert_int_equal(light_create(&light, one.width, one.height), STATUS_OK);
        for (int s = 0; s < COLOUR_CASE_SAMPLES; s++)
            shares[s] = sample_share(s);
        /* The first, then two at a time. */
        for (int s = 0; s < COLOUR_CASE_SAMPLES; s += s ? 2 : 1) {
            int samples = s ? 2 : 1;
            struct colour_mean mean = {.look = &look,
                                       .fields = fields + s,
                                       .shares = shares + s,
                                       .samples = samples,
                                       .width = one.width,
                                       .height = one.height,
                                       .mean = light.mean};
            light_add_all(&wanted, &one.look, fields + s, s, samples, 1);
            colour_mean_plain(&mean);
            for (size_t i = 0; i < (size_t)one.width * (size_t)one.height; i++)
                if (memcmp(light.mean[i], wanted.mean[i], sizeof *light.mean) != 0)
                    fail_msg("case %d, sample %d, pixel %zu: %a %a %a instead of %a %a %a", number,
                             s, i, light.mean[i][0], light.mean[i][1], light.mean[i][2],
                             wanted.mean[i][0], wanted.mean[i][1], wanted.mean[i][2]);
        }
        for (int s = 0; s < COLOUR_CASE_SAMPLES; s++)
            field_destroy(&fields[s]);
        light_destroy(&wanted);
        light_destroy(&light);
    }
    palette_destroy(palette);
}

/* ---- every list ------------------------------------------------------------------------------ */

struct pixels {
    uint32_t count[COLOUR_BLOCK];
    float fraction[COLOUR_BLOCK], dx[COLOUR_BLOCK], dy[COLOUR_BLOCK];
};

static void pixels_fill(struct pixels *pixels, uint32_t seed)
{
    for (int i = 0; i < COLOUR_BLOCK; i++) {
        pixels->count[i] = 1 + (uint32_t)exp2(31 * colour_share(&seed));
        pixels->fraction[i] = (float)colour_share(&seed);
        pixels->dx[i] = colour_distance(&seed);
        pixels->dy[i] = colour_distance(&seed);
    }
}

static void list_check(const struct colour_kernels *list, const struct colour_look *look,
                       const struct pixels *pixels)
{
    double nu[COLOUR_BLOCK], position[COLOUR_BLOCK];
    float light[COLOUR_BLOCK][4];
    const struct colour_planes planes = {pixels->count, pixels->fraction, pixels->dx, pixels->dy,
                                         NULL,          COLOUR_BLOCK,     4};
    list->continuous_32(pixels->count, pixels->fraction, COLOUR_BLOCK, nu);
    if (look->density > 0)
        list->law(look->density, look->offset, nu, COLOUR_BLOCK, position);
    else
        list->curve(&look->curve, look->offset, nu, COLOUR_BLOCK, position);
    list->light(look->table, position, COLOUR_BLOCK, light);
    list->shade(&look->shade, pixels->dx, pixels->dy, COLOUR_BLOCK, light);
    for (int i = 0; i < COLOUR_BLOCK; i++) {
        float plain[3];
        double place = colour_position(look, nu[i]);
        colour_pixel(look, &planes, i, 0, plain);
        assert_memory_equal(&place, &position[i], sizeof place);
        assert_memory_equal(plain, light[i], sizeof plain);
    }
}

TEST(every_list_has_the_same_bits)
{
    const struct colour_kernels *lists[] = {&colour_kernels_plain, NULL, NULL};
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        lists[1] = &colour_kernels_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        lists[2] = &colour_kernels_avx512;
#endif
    struct palette *palette = palette_made();
    for (int number = 0; number < COLOUR_CASES; number++) {
        struct colour_case one = colour_case_at(number, palette);
        struct colour_look look = look_tables(&one.look);
        struct pixels pixels;
        pixels_fill(&pixels, (uint32_t)number);
        for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
            if (lists[k])
                list_check(lists[k], &look, &pixels);
    }
    palette_destroy(palette);
}

static void average_check(const struct colour_kernels *list, int sample)
{
    enum { LENGTH = 30 };
    float own[LENGTH + 2][3], other[LENGTH + 2][3], mean[LENGTH][3], before[LENGTH][3];
    struct sample_share share = sample_share(sample);
    uint32_t state = (uint32_t)sample;
    for (int i = 0; i < LENGTH + 2; i++)
        for (int c = 0; c < 3; c++) {
            own[i][c] = (float)colour_share(&state);
            other[i][c] = (float)colour_share(&state);
            if (i < LENGTH)
                mean[i][c] = before[i][c] = (float)colour_share(&state);
        }
    const struct colour_lines lines = {own[1],     other[1], mean[0],   3 * (LENGTH + 2),
                                       3 * LENGTH, 1,        3 * LENGTH};
    list->average(&share, &lines);
    for (int i = 0; i < LENGTH; i++)
        for (int c = 0; c < 3; c++) {
            int beside = i + 1 + share.to_x;
            float plain = colour_average(&share, before[i][c], own[i + 1][c], other[i + 1][c],
                                         own[beside][c], other[beside][c]);
            assert_memory_equal(&plain, &mean[i][c], sizeof plain);
        }
}

TEST(every_list_averages_with_the_same_bits)
{
    for (int sample = 1; sample < 40; sample++) {
        average_check(&colour_kernels_plain, sample);
        average_check(colour_kernels_best(), sample);
    }
}
