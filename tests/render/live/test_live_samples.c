/* What is said of samples is so for the pixels that were copied with it, or it is said that they
 * may have one more, and pixels are all of one look: whenever somebody looks. */
#include "tests/render/live/live_bench.h"

#include "render/live/framebuffer.h"

enum { WIDTH = 60, HEIGHT = 40, SAMPLES = 5 };

static struct live *looked_at; /* NULL: by nobody */
static struct live *asked;     /* whose next addition of samples is interrupted; NULL: none */
static struct live_request interrupting[2];
static struct live_pixels other;
static int looks;

bool __real_framebuffer_samples_add(struct framebuffer *framebuffer, const struct look *look,
                                    int first, int last, bool (*wanted)(void *context),
                                    void *context);
bool __wrap_framebuffer_samples_add(struct framebuffer *framebuffer, const struct look *look,
                                    int first, int last, bool (*wanted)(void *context),
                                    void *context);

/* Requests other colours, and before they are taken the old ones again. */
static void interrupt(struct live *live)
{
    for (int i = 0; i < 2; i++)
        assert_int_equal(live_ask(live, &interrupting[i]), STATUS_OK);
}

static bool wanted_never(void *context)
{
    interrupt(context);
    return false;
}

/* Somebody looks just when samples have come into the pixels and nobody has said so yet. */
bool __wrap_framebuffer_samples_add(struct framebuffer *framebuffer, const struct look *look,
                                    int first, int last, bool (*wanted)(void *context),
                                    void *context)
{
    if (asked) {
        wanted = wanted_never;
        context = asked;
        asked = NULL;
    }
    bool added = __real_framebuffer_samples_add(framebuffer, look, first, last, wanted, context);
    struct live_state state;
    if (!looked_at)
        return added;
    live_poll(looked_at, &state, &other);
    assert_true(added && state.settled && !state.smooth);
    assert_int_equal(state.samples_done, first);
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

/* The mean is given up for a request that is taken back at once, by one with a single sample. */
TEST(samples_given_up_are_shown_no_more)
{
    struct bench bench;
    bench_open(&bench, "auto");
    struct live_request request =
        bench_request(&bench, "-0.7436", "0.1318", "300", WIDTH, HEIGHT, 500);
    request.samples = 2;
    interrupting[0] = interrupting[1] = request;
    interrupting[0].look.offset = 0.5;
    interrupting[1].samples = 1;
    interrupting[0].serial = ++bench.serial;
    interrupting[1].serial = ++bench.serial;
    asked = bench.live;
    bench_ask(&bench, &request);
    bench_wait(&bench, "smooth", is_smooth);
    assert_int_equal(bench.state.samples_done, 1);
    assert_false(bench.state.mixed);
    view_destroy(&request.view);
    bench_close(&bench);
}

bool __real_framebuffer_recolour(struct framebuffer *framebuffer, const struct look *look,
                                 bool (*wanted)(void *context), void *context);
bool __wrap_framebuffer_recolour(struct framebuffer *framebuffer, const struct look *look,
                                 bool (*wanted)(void *context), void *context);

static struct live *recoloured; /* NULL: nobody looks */

static struct live *slow;          /* whose recolouring lasts until somebody looks; NULL: none */
static bool recolours, look_begun; /* atomic */

static void flag_wait(const bool *flag)
{
    double end_s = clock_s() + BENCH_PATIENCE_S;
    while (clock_s() < end_s && !__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        usleep(1000);
}

/* Somebody looks while cells have the colours of two looks. */
bool __wrap_framebuffer_recolour(struct framebuffer *framebuffer, const struct look *look,
                                 bool (*wanted)(void *context), void *context)
{
    struct live_state state;
    bool whole = __real_framebuffer_recolour(framebuffer, look, wanted, context);
    if (slow) {
        __atomic_store_n(&recolours, true, __ATOMIC_RELEASE);
        flag_wait(&look_begun);
    }
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

int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);

static _Thread_local struct live *interrupted; /* its next lock waits for what comes next */
static _Thread_local uint64_t interrupted_version;

/* Interrupts a look that began during recolouring, until its end was told or 0.1 s long. */
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    int status = __real_pthread_mutex_unlock(mutex);
    struct live *live = interrupted;
    if (!live)
        return status;
    interrupted = NULL;
    __atomic_store_n(&look_begun, true, __ATOMIC_RELEASE);
    for (int ms = 0; ms < 100 && live_version(live) <= interrupted_version; ms++)
        usleep(1000);
    return status;
}

/* A look that meets the end of recolouring has the new colours, or something newer follows it. */
TEST(colours_that_are_told_are_copied)
{
    struct bench bench;
    bench_open(&bench, "auto");
    struct live_request request =
        bench_request(&bench, "-0.7436", "0.1318", "300", WIDTH, HEIGHT, 500);
    bench_ask(&bench, &request);
    bench_wait(&bench, "smooth", is_smooth);
    slow = bench.live;
    request.serial = ++bench.serial;
    request.look.offset = 0.5;
    bench_ask(&bench, &request);
    flag_wait(&recolours);
    interrupted_version = bench.state.version;
    interrupted = bench.live;
    live_poll(bench.live, &bench.state, &bench.shown);
    slow = NULL;
    for (double end_s = clock_s() + BENCH_PATIENCE_S; clock_s() < end_s; usleep(1000))
        if (live_version(bench.live) > bench.state.version)
            live_poll(bench.live, &bench.state, &bench.shown);
        else if (bench.state.serial == request.serial)
            break;
    bench_compare(&bench, &request);
    view_destroy(&request.view);
    bench_close(&bench);
}

/* Memory that is said to be available; 0: what is. */
static uint64_t available;

uint64_t __real_memory_available(void);
uint64_t __wrap_memory_available(void);

uint64_t __wrap_memory_available(void)
{
    return available ? available : __real_memory_available();
}

static uint64_t tiles_computed(const struct live_state *state)
{
    uint64_t tiles = 0;
    for (int w = 0; w < state->workers; w++)
        tiles += state->worker[w].tiles;
    return tiles;
}

static void ask_smooth(struct bench *bench, struct live_request *request)
{
    request->serial = ++bench->serial;
    bench_ask(bench, request);
    bench_wait(bench, "smooth", is_smooth);
    assert_int_equal(bench->state.samples_done, SAMPLES);
}

/* Other colours of a smooth picture: those of a picture that is computed with them. Returns the
 * number of tiles that were computed for them. */
static uint64_t tiles_of_other_colours(uint64_t memory)
{
    struct bench bench;
    bench_open(&bench, "auto");
    uint32_t pixels[WIDTH * HEIGHT];
    struct live_request request =
        bench_request(&bench, "-0.7436", "0.1318", "300", WIDTH, HEIGHT, 500);
    request.samples = SAMPLES;
    available = memory;
    ask_smooth(&bench, &request);
    uint64_t iterations = bench.state.iterations, tiles = tiles_computed(&bench.state);
    snprintf(request.palette, sizeof request.palette, "ember");
    for (int i = 0; i < 2; i++) {
        request.look.offset = 0.3 * i;
        ask_smooth(&bench, &request);
    }
    uint64_t again = tiles_computed(&bench.state) - tiles;
    assert_int_equal(again == 0, bench.state.iterations == iterations);
    memcpy(pixels, bench.shown.pixels, sizeof pixels);
    request.bailout += 1e-9; /* another picture with the same pixels */
    ask_smooth(&bench, &request);
    assert_memory_equal(bench.shown.pixels, pixels, sizeof pixels);
    available = 0;
    view_destroy(&request.view);
    bench_close(&bench);
    return again;
}

TEST(other_colours_compute_nothing)
{
    assert_int_equal(tiles_of_other_colours(0), 0);
}

/* Of four further samples those that fit are kept; of the others the last one. */
TEST(samples_that_do_not_fit_are_computed_again)
{
    const uint64_t field = UINT64_C(8) * WIDTH * HEIGHT;
    assert_true(tiles_of_other_colours(KEPT_SHARE * 2 * field) > 0);
    assert_int_equal(tiles_of_other_colours(KEPT_SHARE * 3 * field), 0);
    assert_int_equal(kept_samples_most(KEPT_SHARE * 2 * field, 0, field), 2);
    assert_int_equal(kept_samples_most(KEPT_SHARE * field, KEPT_SHARE * field, field), 2);
    assert_int_equal(kept_samples_most(0, 0, field), 0);
    assert_int_equal(kept_samples_most(UINT64_MAX, 1, 1), SAMPLES_MOST - 1);
    assert_int_equal(kept_samples_most(UINT64_MAX, 0, KEPT_BYTES_MOST / 3), 3);
}

/* Colours that change while samples are computed and added: the picture at rest is the same. */
TEST(colours_change_at_any_time)
{
    struct bench bench;
    uint64_t seed = 53;
    uint32_t pixels[WIDTH * HEIGHT];
    bench_open(&bench, "auto");
    struct live_request request =
        bench_request(&bench, "-0.7436", "0.1318", "300", WIDTH, HEIGHT, 500);
    request.samples = SAMPLES;
    for (int round = 0; round < 40; round++) {
        request.look.offset = check_random_unit(&seed);
        request.bailout += check_random(&seed) % 4 ? 0 : 1e-9;
        request.serial = ++bench.serial;
        bench_ask(&bench, &request);
        usleep((useconds_t)(check_random(&seed) % 3000));
        live_poll(bench.live, &bench.state, &bench.shown);
    }
    ask_smooth(&bench, &request);
    memcpy(pixels, bench.shown.pixels, sizeof pixels);
    request.bailout += 1e-9;
    ask_smooth(&bench, &request);
    assert_memory_equal(bench.shown.pixels, pixels, sizeof pixels);
    view_destroy(&request.view);
    bench_close(&bench);
}

/* Distances that a picture has anyway, or would not get, are no reason to compute it again. */
TEST(relief_with_the_same_planes_computes_nothing)
{
    static const struct {
        const char *re, *im, *zoom;
        enum live_distances before, after;
    } cases[] = {
        {"-0.7436", "0.1318", "300", LIVE_DISTANCES_NONE, LIVE_DISTANCES_FREE},
        {"-1.76858983134469512574", "-0.00113195507766281", "1e16", LIVE_DISTANCES_FREE,
         LIVE_DISTANCES_ALL},
        {"-1.76858983134469512574", "-0.00113195507766281", "1e16", LIVE_DISTANCES_FREE,
         LIVE_DISTANCES_NONE},
    };
    for (int i = 0; i < 3; i++) {
        struct bench bench;
        bench_open(&bench, "auto");
        struct live_request request =
            bench_request(&bench, cases[i].re, cases[i].im, cases[i].zoom, WIDTH, HEIGHT, 2000);
        request.samples = SAMPLES;
        request.distances = cases[i].before;
        ask_smooth(&bench, &request);
        uint64_t picture = bench.state.picture, tiles = tiles_computed(&bench.state);
        assert_int_equal((bench.state.planes & PLANE_MASK_DISTANCE) != 0, i > 0);
        request.distances = cases[i].after;
        request.look.shade = (struct shade){.relief = 0.5f, .per_px = 1, .light = {0, 1}};
        ask_smooth(&bench, &request);
        assert_int_equal(bench.state.picture, picture);
        assert_int_equal(tiles_computed(&bench.state), tiles);
        view_destroy(&request.view);
        bench_close(&bench);
    }
}
