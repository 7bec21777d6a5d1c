/* The mean of samples in a GPU's memory: the bits of processors, and errors of CUDA on the way. */
#include "tests/kernels/gpu.h"

#include "kernels/cuda/cuda_calls.h"
#include "render/palette_colours.h"
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
            assert_int_equal(memory_of(backend)->light(backend, &first), STATUS_OK);
        assert_int_equal(memory_of(backend)->light(backend, &rest), STATUS_OK);
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
        enum status status = memory_of(backend)->light(backend, &mean);
        cuda_fault = NULL;
        if (status != STATUS_OK) { /* else it took fewer calls */
            losses++;
            assert_int_equal(status, STATUS_DEVICE_LOST);
            assert_int_equal(memory_of(backend)->light(backend, &mean), STATUS_DEVICE_LOST);
        }
        free(out);
        samples_close(&samples, backend);
        backend_close(backend);
    }
    assert_in_range(losses, 10, 19);
    palette_destroy(palette);
}
