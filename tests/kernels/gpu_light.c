/* The mean of samples in a GPU's memory: the bits of processors, and errors of CUDA on the way. */
#include "tests/kernels/gpu.h"

#include "kernels/cuda/cuda_calls.h"
#include "render/colour/palette_colours.h"
#include "render/colour/refine.h"
#include "tests/support/colour_cases.h"

static const struct backend_memory *memory_of(const struct backend *backend)
{
    return backend_kind_of(backend)->memory;
}

/* One sample below the other, in windows of a field, as in a frame. */
struct samples {
    struct field host, device;
    struct field host_sample[COLOUR_CASE_SAMPLES], device_sample[COLOUR_CASE_SAMPLES];
    struct sample_share shares[COLOUR_CASE_SAMPLES];
    void *frame, *mean;
};

static void samples_open(struct samples *samples, struct backend *backend,
                         const struct colour_case *one)
{
    int32_t height = one->height * COLOUR_CASE_SAMPLES;
    size_t bytes;
    assert_int_equal(
        field_create(&samples->host, one->width, height, one->planes, one->count_bytes), STATUS_OK);
    assert_int_equal(field_bytes(one->width, height, one->planes, one->count_bytes, &bytes),
                     STATUS_OK);
    assert_int_equal(memory_of(backend)->create(backend, bytes, &samples->frame), STATUS_OK);
    assert_int_equal(
        memory_of(backend)->create(
            backend, (size_t)one->width * (size_t)one->height * LIGHT_PIXEL_BYTES, &samples->mean),
        STATUS_OK);
    field_over(&samples->device, one->width, height, one->planes, one->count_bytes, samples->frame);
    samples->device.space = MEMORY_DEVICE;
    for (int s = 0; s < COLOUR_CASE_SAMPLES; s++) {
        int32_t y = s * one->height;
        samples->host_sample[s] = field_window(&samples->host, 0, y, one->width, one->height);
        samples->device_sample[s] = field_window(&samples->device, 0, y, one->width, one->height);
        samples->shares[s] = sample_share(s);
        colour_case_fill(one, s, &samples->host_sample[s]);
    }
    assert_int_equal(memory_of(backend)->copy(backend, &samples->device, &samples->host),
                     STATUS_OK);
}

static void samples_close(struct samples *samples, struct backend *backend)
{
    memory_of(backend)->destroy(backend, samples->frame);
    memory_of(backend)->destroy(backend, samples->mean);
    field_destroy(&samples->host);
}

/* `count` of them from `first` on. */
static struct colour_mean mean_of(const struct samples *samples, const struct colour_case *one,
                                  const struct colour_look *look, int first, int count,
                                  float (*out)[3])
{
    return (struct colour_mean){.look = look,
                                .fields = samples->device_sample + first,
                                .shares = samples->shares + first,
                                .samples = count,
                                .width = one->width,
                                .height = one->height,
                                .mean = samples->mean,
                                .out = out};
}

static void check_case(struct backend *backend, const struct colour_case *one, int number)
{
    struct samples samples;
    struct light wanted, light;
    struct colour_look look = look_tables(&one->look);
    size_t pixels = (size_t)one->width * (size_t)one->height;
    samples_open(&samples, backend, one);
    assert_int_equal(light_create(&wanted, one->width, one->height), STATUS_OK);
    assert_int_equal(light_create(&light, one->width, one->height), STATUS_OK);
    for (int split = 0; split <= COLOUR_CASE_SAMPLES; split++) { /* in two calls, or in one */
        struct colour_mean first = mean_of(&samples, one, &look, 0, split, NULL);
        struct colour_mean rest =
            mean_of(&samples, one, &look, split, COLOUR_CASE_SAMPLES - split, light.mean);
        memset(light.mean, 0, pixels * sizeof *light.mean);
        if (split > 0)
            assert_int_equal(memory_of(backend)->mean_add(backend, &first), STATUS_OK);
        assert_int_equal(memory_of(backend)->mean_add(backend, &rest), STATUS_OK);
        light_add_all(&wanted, &one->look, samples.host_sample, 0, COLOUR_CASE_SAMPLES, 1);
        for (size_t i = 0; i < pixels; i++)
            if (memcmp(light.mean[i], wanted.mean[i], sizeof *light.mean) != 0)
                fail_msg("case %d, %d samples first, pixel %zu: %a %a %a instead of %a %a %a",
                         number, split, i, light.mean[i][0], light.mean[i][1], light.mean[i][2],
                         wanted.mean[i][0], wanted.mean[i][1], wanted.mean[i][2]);
    }
    light_destroy(&wanted);
    light_destroy(&light);
    samples_close(&samples, backend);
}

static struct palette *palette_made(void)
{
    struct palette *palette;
    assert_int_equal(palette_of_colours(&palette, "#102040#ffcc00#ffffff#803010"), STATUS_OK);
    return palette;
}

TEST(light_has_the_bits_of_processors)
{
    struct backend *backend = gpu_open(0, NULL);
    struct palette *palette = palette_made();
    for (int number = 0; number < COLOUR_CASES; number++) {
        struct colour_case one = colour_case_at(number, palette);
        check_case(backend, &one, number);
    }
    palette_destroy(palette);
    backend_close(backend);
}

/* ---- squares ---- */

/* A mean, and what it is compared with, on a device and beside it. */
struct pair {
    const struct colour_case *one;
    struct samples samples;
    struct colour_look look;
    struct light wanted, got;
    int16_t (*before)[3];
    size_t pixels;
};

static void pair_open(struct pair *pair, struct backend *backend, const struct colour_case *one)
{
    *pair = (struct pair){.one = one, .pixels = (size_t)one->width * (size_t)one->height};
    samples_open(&pair->samples, backend, one);
    memory_of(backend)->destroy(backend, pair->samples.mean);
    assert_int_equal(
        memory_of(backend)->create(backend, pair->pixels * (LIGHT_PIXEL_BYTES + REFINE_PIXEL_BYTES),
                                   &pair->samples.mean),
        STATUS_OK);
    pair->look = look_tables(&one->look);
    assert_int_equal(light_create(&pair->wanted, one->width, one->height), STATUS_OK);
    assert_int_equal(light_create(&pair->got, one->width, one->height), STATUS_OK);
    pair->before = calloc(pair->pixels, sizeof *pair->before);
    assert_non_null(pair->before);
}

static void pair_close(struct pair *pair, struct backend *backend)
{
    free(pair->before);
    light_destroy(&pair->wanted);
    light_destroy(&pair->got);
    samples_close(&pair->samples, backend);
}

/* Adds to both means, and compares them. `mean` lacks what differs. */
static void pair_add(struct pair *pair, struct backend *backend, struct colour_mean mean, int first)
{
    mean.look = &pair->look;
    mean.width = pair->one->width;
    mean.height = pair->one->height;
    mean.shares = pair->samples.shares + first;
    struct colour_mean plain = mean;
    mean.fields = pair->samples.device_sample + first;
    mean.mean = pair->samples.mean;
    mean.out = pair->got.mean;
    plain.fields = pair->samples.host_sample + first;
    plain.mean = pair->wanted.mean;
    colour_mean_plain(&plain);
    assert_int_equal(memory_of(backend)->mean_add(backend, &mean), STATUS_OK);
    assert_memory_equal(pair->got.mean, pair->wanted.mean, pair->pixels * sizeof *pair->got.mean);
}

static void pair_compare(struct pair *pair, struct backend *backend, const uint32_t *squares,
                         uint32_t count)
{
    struct colour_sums *wanted = calloc(count + 1, sizeof *wanted);
    struct colour_sums *got = calloc(count + 1, sizeof *got);
    float(*mean)[3] = pair->samples.mean;
    struct colour_compare compare = {.mean = (const float(*)[3])mean,
                                     .before = (int16_t(*)[3])(mean + pair->pixels),
                                     .width = pair->one->width,
                                     .height = pair->one->height,
                                     .squares = squares,
                                     .square_count = count,
                                     .sums = got};
    struct colour_compare plain = compare;
    plain.mean = (const float(*)[3])pair->wanted.mean;
    plain.before = pair->before;
    plain.sums = wanted;
    assert_true(wanted && got);
    colour_compare_plain(&plain);
    assert_int_equal(memory_of(backend)->compare(backend, &compare), STATUS_OK);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(wanted[i].differences == got[i].differences);
        assert_true(wanted[i].squares == got[i].squares);
        for (int c = 0; c < 3; c++)
            assert_int_equal(wanted[i].value[c], got[i].value[c]);
    }
    free(wanted);
    free(got);
}

/* Every number of `every`, in a picture of so many. */
static uint32_t squares_list(uint32_t *squares, uint32_t all, uint32_t every)
{
    uint32_t count = 0;
    for (uint32_t i = every / 2; i < all; i += every)
        squares[count++] = i;
    return count;
}

static void check_squares(struct backend *backend, const struct colour_case *one)
{
    struct pair pair;
    uint32_t squares[512], all = 1, count;
    int32_t across = (one->width - 1) / COLOUR_SQUARE_PX + 1;
    all = (uint32_t)(across * ((one->height - 1) / COLOUR_SQUARE_PX + 1));
    assert_true(all <= 512);
    pair_open(&pair, backend, one);
    pair_add(&pair, backend, (struct colour_mean){.samples = 2}, 0);
    count = squares_list(squares, all, 1);
    struct colour_compare remember = {
        .mean = (const float(*)[3])pair.samples.mean,
        .before = (int16_t(*)[3])((float(*)[3])pair.samples.mean + pair.pixels),
        .width = one->width,
        .height = one->height,
        .squares = squares,
        .square_count = count};
    struct colour_compare plain = remember;
    plain.mean = (const float(*)[3])pair.wanted.mean;
    plain.before = pair.before;
    colour_compare_plain(&plain);
    assert_int_equal(memory_of(backend)->compare(backend, &remember), STATUS_OK);
    count = squares_list(squares, all, 2);
    struct colour_mean mean = {.samples = 2, .squares = squares, .square_count = count};
    pair_add(&pair, backend, mean, 2);
    pair_compare(&pair, backend, squares, count);
    /* Noise for cells: a sheet that begins and ends within squares, and one of all that fit. */
    int32_t in_row = one->width / GRID_CELL, most = in_row * (one->height / GRID_CELL);
    for (uint64_t first = 0; most > 0 && first < 4; first += 3) {
        uint32_t left = 2 * count - (uint32_t)first, fits = (uint32_t)most;
        struct colour_sheet sheet = {first, left < fits ? left : fits, in_row};
        mean.sheet = &sheet;
        pair_add(&pair, backend, mean, 3);
        pair_compare(&pair, backend, squares, count);
    }
    pair_close(&pair, backend);
}

/* Against plain functions, which a test without a GPU holds against processors. */
TEST(squares_have_the_bits_of_processors)
{
    struct backend *backend = gpu_open(0, NULL);
    struct palette *palette = palette_made();
    for (int number = 0; number < COLOUR_CASES; number++) {
        struct colour_case one = colour_case_at(number, palette);
        check_squares(backend, &one);
    }
    palette_destroy(palette);
    backend_close(backend);
}

static int calls_left;

static cudaError_t fail_later(const char *call, cudaError_t result)
{
    (void)call;
    return calls_left-- > 0 ? result : cudaErrorIllegalAddress;
}

/* Whichever call fails, it is said, and the GPU is not used again. */
TEST(light_says_that_the_gpu_is_lost)
{
    struct palette *palette = palette_made();
    struct colour_case one = colour_case_at(2, palette);
    struct colour_look look = look_tables(&one.look);
    int losses = 0;
    for (int after = 0; after < 20; after++) {
        struct backend *backend = gpu_open(0, NULL);
        struct samples samples;
        float(*out)[3] = calloc((size_t)one.width * (size_t)one.height, sizeof *out);
        assert_non_null(out);
        samples_open(&samples, backend, &one);
        struct colour_mean mean = mean_of(&samples, &one, &look, 0, COLOUR_CASE_SAMPLES, out);
        calls_left = after;
        cuda_fault = fail_later;
        enum status status = memory_of(backend)->mean_add(backend, &mean);
        cuda_fault = NULL;
        if (status != STATUS_OK) { /* else it took fewer calls */
            losses++;
            assert_int_equal(status, STATUS_DEVICE_LOST);
            assert_int_equal(memory_of(backend)->mean_add(backend, &mean), STATUS_DEVICE_LOST);
        }
        free(out);
        samples_close(&samples, backend);
        backend_close(backend);
    }
    assert_in_range(losses, 10, 19);
    palette_destroy(palette);
}
