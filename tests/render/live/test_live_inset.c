/* Small pictures beside the large one: right, the newest, and no work for a request that is known.
 */
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/thread/clock.h"
#include "kernels/backend.h"
#include "render/live/inset_renderer.h"
#include "render/view/view.h"

enum { WIDTH = 120, HEIGHT = 90 };

static void woken(void *context)
{
    __atomic_add_fetch((int *)context, 1, __ATOMIC_RELAXED);
}

static struct inset_request request_of(enum formula_plane plane, double zoom)
{
    return (struct inset_request){.centre_re = plane == PARAMETER_PLANE ? -0.6 : 0,
                                  .zoom = zoom,
                                  .width = WIDTH,
                                  .height = HEIGHT,
                                  .limit = 500,
                                  .bailout = 1024,
                                  .formula = {.plane = plane, .c_re = -0.8, .c_im = 0.156},
                                  .look = {.contrast = 0.8},
                                  .palette = "aurora"};
}

static void wait_for(struct inset_renderer *aside, enum inset_slot slot, uint64_t *seen,
                     uint32_t *pixels)
{
    double begin = clock_s();
    while (!inset_renderer_poll(aside, slot, seen, pixels, WIDTH, HEIGHT, WIDTH)) {
        if (clock_s() - begin > 240)
            fail_msg("no picture");
        usleep(1000);
    }
}

/* By the plain backend, and rows of the renderer. */
static bool is_right(const struct inset_request *request, const uint32_t *pixels)
{
    struct backend *backend;
    struct backend_options options = {.threads = 1};
    struct backend_work work = {0};
    struct field field;
    struct view view = {0};
    struct view_numbers numbers;
    struct palette *palette;
    uint8_t row[3 * WIDTH];
    assert_int_equal(view_set(&view, request->centre_re < 0 ? "-0.6" : "0", "0",
                              request->zoom > 1 ? "3" : "0.5", 0, WIDTH, HEIGHT),
                     STATUS_OK);
    assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
    assert_int_equal(backend_open(&backend, "scalar", &options), STATUS_OK);
    struct spec spec = {.limit = request->limit,
                        .bailout = request->bailout,
                        .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                        .count_bytes = 4,
                        .number = NUMBER_FP64,
                        .formula = request->formula};
    assert_int_equal(field_create(&field, WIDTH, HEIGHT, spec.planes, 4), STATUS_OK);
    struct grid grid = view_grid(&numbers, 0, 0, WIDTH, HEIGHT);
    assert_int_equal(backend_compute(backend, &spec, &grid, &field, &work), STATUS_OK);
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, request->palette), STATUS_OK);
    struct look look;
    struct distribution distribution;
    distribution_measure(&distribution, &field);
    look_make(&look, &request->look, &distribution, palette, HEIGHT);
    bool right = true;
    for (int32_t y = 0; y < HEIGHT; y++) {
        colour_row_8(&look, &field, y, row);
        for (int32_t x = 0; x < WIDTH; x++)
            right &= pixels[y * WIDTH + x] == (0xff000000u | (uint32_t)row[3 * x] << 16 |
                                               (uint32_t)row[3 * x + 1] << 8 | row[3 * x + 2]);
    }
    palette_destroy(palette);
    field_destroy(&field);
    backend_close(backend);
    view_destroy(&view);
    return right;
}

TEST(the_newest_request_is_shown)
{
    struct inset_renderer *aside;
    int wakes = 0;
    uint64_t seen[INSET_SLOTS] = {0};
    uint32_t *pixels = malloc(sizeof *pixels * WIDTH * HEIGHT);
    assert_int_equal(inset_renderer_open(&aside, DEEPFIELD_ASSETS, woken, &wakes), STATUS_OK);
    struct inset_request map = request_of(PARAMETER_PLANE, 0.5);
    inset_renderer_ask(aside, INSET_MAP, &map);
    for (int i = 1; i <= 50; i++) { /* as a hand moves */
        struct inset_request request = request_of(DYNAMIC_PLANE, 3);
        request.formula.c_re -= 0.001 * (50 - i);
        request.limit = 2000000 / i;
        inset_renderer_ask(aside, INSET_JULIA, &request);
    }
    struct inset_request julia = request_of(DYNAMIC_PLANE, 3);
    inset_renderer_ask(aside, INSET_JULIA, &julia);
    wait_for(aside, INSET_MAP, &seen[INSET_MAP], pixels);
    assert_true(is_right(&map, pixels));
    do /* it may show some of the older ones before */
        wait_for(aside, INSET_JULIA, &seen[INSET_JULIA], pixels);
    while (!is_right(&julia, pixels));
    int before = __atomic_load_n(&wakes, __ATOMIC_RELAXED);
    inset_renderer_ask(aside, INSET_JULIA, &julia);
    inset_renderer_ask(aside, INSET_MAP, &map);
    usleep(100000);
    assert_int_equal(__atomic_load_n(&wakes, __ATOMIC_RELAXED), before);
    inset_renderer_close(aside);
    free(pixels);
}

TEST(requests_that_cannot_be_change_nothing)
{
    struct inset_renderer *aside;
    uint64_t seen = 0;
    uint32_t *pixels = malloc(sizeof *pixels * WIDTH * HEIGHT);
    assert_int_equal(inset_renderer_open(&aside, DEEPFIELD_ASSETS, NULL, NULL), STATUS_OK);
    struct inset_request request = request_of(DYNAMIC_PLANE, 3);
    request.formula.c_re = INFINITY;
    inset_renderer_ask(aside, INSET_JULIA, &request);
    request = request_of(DYNAMIC_PLANE, -3);
    inset_renderer_ask(aside, INSET_JULIA, &request);
    request = request_of(DYNAMIC_PLANE, 3);
    request.centre_im = NAN;
    inset_renderer_ask(aside, INSET_JULIA, &request);
    request = request_of(DYNAMIC_PLANE, 3);
    request.palette[0] = '?';
    inset_renderer_ask(aside, INSET_JULIA, &request);
    usleep(50000);
    assert_false(inset_renderer_poll(aside, INSET_JULIA, &seen, pixels, WIDTH, HEIGHT, WIDTH));
    request = request_of(DYNAMIC_PLANE, 3);
    inset_renderer_ask(aside, INSET_JULIA, &request);
    wait_for(aside, INSET_JULIA, &seen, pixels);
    inset_renderer_close(aside);
    free(pixels);
}
