/* Small pictures beside the large one: right, the newest, and no work for a request that is known.
 */
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/viewer/overlays/inset_renderer.h"
#include "decomposition/thread/clock.h"
#include "include/deepfield/deepfield.h"

enum { WIDTH = 120, HEIGHT = 90 };

static void woken(void *context)
{
    __atomic_add_fetch((int *)context, 1, __ATOMIC_RELAXED);
}

/* Owned by the caller. */
static struct place place_of(enum formula_plane plane, const char *zoom)
{
    struct place place;
    assert_int_equal(place_create(&place, WIDTH, HEIGHT), STATUS_OK);
    view_destroy(&place.view);
    assert_int_equal(
        view_set(&place.view, plane == PARAMETER_PLANE ? "-0.6" : "0", "0", zoom, 0, WIDTH, HEIGHT),
        STATUS_OK);
    place.limit = 500;
    place.formula.plane = plane;
    place.formula.c_re = -0.8;
    place.formula.c_im = 0.156;
    snprintf(place.palette, sizeof place.palette, "aurora");
    return place;
}

static void wait_for(struct inset_renderer *aside, enum inset_slot slot, uint64_t *seen,
                     uint32_t *pixels)
{
    double begin = clock_s();
    while (!inset_renderer_poll(aside, slot, seen, pixels, WIDTH, HEIGHT)) {
        if (clock_s() - begin > 240)
            fail_msg("no picture");
        usleep(1000);
    }
}

/* The pixels of the interface, on the plain backend. */
static bool is_right(const struct place *place, const uint32_t *pixels)
{
    static uint8_t rgb[HEIGHT][WIDTH][3];
    deepfield_world *world;
    deepfield_renderer *renderer;
    deepfield_picture *picture;
    deepfield_field *field;
    char *text;
    const deepfield_array into = {.size = sizeof into,
                                  .data = rgb,
                                  .type = DEEPFIELD_U8,
                                  .width = WIDTH,
                                  .height = HEIGHT,
                                  .channels = 3,
                                  .row_bytes = sizeof rgb[0]};
    assert_int_equal(place_text_write(place, &text), STATUS_OK);
    assert_int_equal(deepfield_world_open(&world, NULL), DEEPFIELD_OK);
    assert_int_equal(deepfield_renderer_create(&renderer, world), DEEPFIELD_OK);
    assert_int_equal(deepfield_renderer_set(renderer, "compute.backend", "scalar"), DEEPFIELD_OK);
    assert_int_equal(deepfield_picture_open(&picture, world, text), DEEPFIELD_OK);
    assert_int_equal(deepfield_picture_set(picture, "look.samples", "1"), DEEPFIELD_OK);
    assert_int_equal(deepfield_field_create(&field), DEEPFIELD_OK);
    assert_int_equal(deepfield_render(renderer, picture, DEEPFIELD_COLOURS, field), DEEPFIELD_OK);
    assert_int_equal(deepfield_field_colour(field, picture, &into), DEEPFIELD_OK);
    bool right = true;
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++)
            right &= pixels[y * WIDTH + x] == (0xff000000u | (uint32_t)rgb[y][x][0] << 16 |
                                               (uint32_t)rgb[y][x][1] << 8 | rgb[y][x][2]);
    deepfield_field_destroy(field);
    deepfield_picture_destroy(picture);
    deepfield_renderer_destroy(renderer);
    deepfield_world_close(world);
    free(text);
    return right;
}

TEST(the_newest_request_is_shown)
{
    struct inset_renderer *aside;
    int wakes = 0;
    uint64_t seen[INSET_SLOTS] = {0};
    uint32_t *pixels = malloc(sizeof *pixels * WIDTH * HEIGHT);
    struct place map = place_of(PARAMETER_PLANE, "0.5"), julia = place_of(DYNAMIC_PLANE, "3");
    assert_int_equal(inset_renderer_open(&aside, DEEPFIELD_ASSETS, woken, &wakes), STATUS_OK);
    inset_renderer_ask(aside, INSET_MAP, &map);
    for (int i = 1; i <= 50; i++) { /* as a hand moves */
        struct place place = julia; /* borrows the view */
        place.formula.c_re -= 0.001 * (50 - i);
        place.limit = 2000000 / i;
        inset_renderer_ask(aside, INSET_JULIA, &place);
    }
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
    place_destroy(&map);
    place_destroy(&julia);
    free(pixels);
}

TEST(requests_that_cannot_be_change_nothing)
{
    struct inset_renderer *aside;
    uint64_t seen = 0;
    uint32_t *pixels = malloc(sizeof *pixels * WIDTH * HEIGHT);
    struct place place = place_of(DYNAMIC_PLANE, "3");
    assert_int_equal(inset_renderer_open(&aside, DEEPFIELD_ASSETS, NULL, NULL), STATUS_OK);
    place.formula.c_re = INFINITY;
    inset_renderer_ask(aside, INSET_JULIA, &place);
    place.formula.c_re = -0.8;
    place.view.width = 0;
    inset_renderer_ask(aside, INSET_JULIA, &place);
    place.view.width = WIDTH;
    place.palette[0] = '?';
    inset_renderer_ask(aside, INSET_JULIA, &place);
    usleep(50000);
    assert_false(inset_renderer_poll(aside, INSET_JULIA, &seen, pixels, WIDTH, HEIGHT));
    place.palette[0] = 'a';
    inset_renderer_ask(aside, INSET_JULIA, &place);
    wait_for(aside, INSET_JULIA, &seen, pixels);
    inset_renderer_close(aside);
    place_destroy(&place);
    free(pixels);
}

int main(void)
{
    return check_run(NULL, NULL);
}
