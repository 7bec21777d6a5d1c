/* What is said of samples is so for the pixels that were copied with it, or it is said that they
 * may have one more, and pixels are all of one look: whenever somebody looks. */
#include "tests/render/live/live_bench.h"

#include "render/live/framebuffer.h"

enum { WIDTH = 60, HEIGHT = 40, SAMPLES = 5 };

static struct live *looked_at; /* NULL: by nobody */
static struct live_pixels other;
static int looks;

bool __real_framebuffer_sample_add(struct framebuffer *framebuffer, const struct look *look,
                                   int sample, bool (*wanted)(void *context), void *context);
bool __wrap_framebuffer_sample_add(struct framebuffer *framebuffer, const struct look *look,
                                   int sample, bool (*wanted)(void *context), void *context);

/* Somebody looks just when a sample has come into the pixels and nobody has said so yet. */
bool __wrap_framebuffer_sample_add(struct framebuffer *framebuffer, const struct look *look,
                                   int sample, bool (*wanted)(void *context), void *context)
{
    bool added = __real_framebuffer_sample_add(framebuffer, look, sample, wanted, context);
    struct live_state state;
    if (!looked_at)
        return added;
    live_poll(looked_at, &state, &other);
    assert_true(added && state.settled && !state.smooth);
    assert_int_equal(state.samples_done, sample);
    assert_true(state.mixed);
    looks++;
    return added;
}

static bool is_smooth(const struct live_state *state)
{
    return state->smooth;
}

TEST(pixels_have_the_samples_that_are_said)
{
    struct bench bench;
    bench_open(&bench, "auto");
    uint32_t pixels[WIDTH * HEIGHT];
    other =
        (struct live_pixels){.pixels = pixels, .width = WIDTH, .height = HEIGHT, .stride = WIDTH};
    struct live_request request =
        bench_request(&bench, "-0.7436", "0.1318", "300", WIDTH, HEIGHT, 500);
    request.samples = SAMPLES;
    looked_at = bench.live;
    bench_ask(&bench, &request);
    bench_wait(&bench, "smooth", is_smooth);
    looked_at = NULL;
    assert_int_equal(looks, SAMPLES - 1);
    live_poll(bench.live, &bench.state, &bench.shown);
    assert_int_equal(bench.state.samples_done, SAMPLES);
    assert_false(bench.state.mixed);
    live_poll(bench.live, &bench.state, &other);
    assert_memory_equal(bench.shown.pixels, pixels, sizeof pixels);
    view_destroy(&request.view);
    bench_close(&bench);
}

bool __real_framebuffer_recolour(struct framebuffer *framebuffer, const struct look *look,
                                 bool (*wanted)(void *context), void *context);
bool __wrap_framebuffer_recolour(struct framebuffer *framebuffer, const struct look *look,
                                 bool (*wanted)(void *context), void *context);

static struct live *recoloured; /* NULL: nobody looks */

/* Somebody looks while cells have the colours of two looks. */
bool __wrap_framebuffer_recolour(struct framebuffer *framebuffer, const struct look *look,
                                 bool (*wanted)(void *context), void *context)
{
    struct live_state state;
    bool whole = __real_framebuffer_recolour(framebuffer, look, wanted, context);
    if (recoloured) {
        assert_false(live_poll(recoloured, &state, &other));
        looks++;
    }
    return whole;
}

TEST(pixels_have_one_look)
{
    struct bench bench;
    bench_open(&bench, "auto");
    uint32_t pixels[WIDTH * HEIGHT] = {0};
    struct live_request request =
        bench_request(&bench, "-0.7436", "0.1318", "300", WIDTH, HEIGHT, 500);
    bench_ask(&bench, &request);
    bench_wait(&bench, "settled", bench_settled);
    other =
        (struct live_pixels){.pixels = pixels, .width = WIDTH, .height = HEIGHT, .stride = WIDTH};
    looks = 0;
    recoloured = bench.live;
    for (int i = 0; i < 3; i++) {
        request.serial = ++bench.serial;
        request.look.offset = 0.25 * (i + 1);
        bench_ask(&bench, &request);
        bench_wait(&bench, "settled", bench_settled);
    }
    bench_compare(&bench, &request);
    assert_int_equal(looks, 3);
    live_poll(bench.live, &bench.state, &other);
    assert_memory_equal(bench.shown.pixels, pixels, sizeof pixels);
    recoloured = NULL;
    view_destroy(&request.view);
    bench_close(&bench);
}
