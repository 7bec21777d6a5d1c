/* Every kernel once on small tiles, compared with the CPU: the program that compute-sanitizer runs.
 * Small, because its tools make a GPU some hundred times slower. */
#include "tests/kernels/gpu.h"

#include <stdio.h>
#include <string.h>

struct stop_of_tour {
    const char *name;
    double re, im, height;
    int32_t width, height_px;
    int64_t limit;
    struct formula formula;
};

static const struct stop_of_tour stops[] = {
    {"whole set", -0.75, 0, 2.5, 160, 120, 300, {0}},
    {"seahorse valley", -0.743643887037151, 0.131825904205330, 6e-7, 96, 64, 3000, {0}},
    {"rim of the period-3 bulb", -0.0370, 0.7789, 4e-3, 96, 64, 12000, {0}},
    {"inside the period-3 bulb", -0.1226, 0.7449, 0.005, 64, 64, 5000, {0}},
    {"minibrot of period 39", -0.7436423016578459, 0.1318265198125947, 2.2e-6, 64, 48, 12000, {0}},
    {"odd sizes", -0.75, 0.1, 0.5, 37, 23, 500, {0}},
    {"one pixel", -1.1, 0.3, 1, 1, 1, 500, {0}},
    {"Julia set, rabbit",
     0,
     0,
     2.6,
     96,
     64,
     12000,
     {.plane = DYNAMIC_PLANE, .c_re = -0.123, .c_im = 0.745}},
    {"Julia set, dust", 0, 0, 3, 37, 23, 500, {.plane = DYNAMIC_PLANE, .c_re = 0.4, .c_im = 0.6}},
};

/* The tile as a window of pageable memory, whose pixels go through the backend's own buffers. */
static void visit(struct backend *backend, const struct stop_of_tour *at, enum number number,
                  enum shortcuts shortcuts, int count_bytes)
{
    struct gpu_place place =
        gpu_place_at(at->re, at->im, at->height, at->width, at->height_px, at->limit);
    struct field whole;
    struct backend_work work = {0};
    place.spec.formula = at->formula;
    place.spec.number = number;
    if (number == NUMBER_FP64)
        place.spec.planes |= PLANE_MASK_END;
    place.spec.planes |= PLANE_MASK_ATTRACTOR;
    place.spec.shortcuts = shortcuts;
    place.spec.count_bytes = count_bytes;
    struct field want = gpu_expected(&place);
    assert_int_equal(
        field_create(&whole, at->width + 3, at->height_px + 1, place.spec.planes, count_bytes),
        STATUS_OK);
    struct field window = field_window(&whole, 2, 1, at->width, at->height_px);
    if (backend_compute(backend, &place.spec, &place.grid, &window, &work) != STATUS_OK)
        fail_msg("%s: %s", at->name, status_text());
    gpu_compare(at->name, &window, &want);
    field_destroy(&whole);
    field_destroy(&want);
}

static void all_stops(void **state)
{
    (void)state;
    struct backend *backend = gpu_open(0, NULL);
    for (size_t s = 0; s < sizeof stops / sizeof stops[0]; s++)
        for (int number = 0; number < NUMBERS; number++) {
            visit(backend, &stops[s], (enum number)number, SHORTCUTS_ON, s % 2 ? 8 : 4);
            if (stops[s].limit <= 500)
                visit(backend, &stops[s], (enum number)number, SHORTCUTS_OFF, s % 2 ? 4 : 8);
        }
    assert_true(backend_ceiling(backend, NUMBER_FP32, 1e-3) > 0);
    assert_true(backend_ceiling(backend, NUMBER_FP64, 1e-3) > 0);
    gpu_deep_tour(backend);
    gpu_deep_formulas_tour(backend);
    gpu_orbit_tour();
    backend_close(backend);
}

int gpu_tour(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_stops)};
    return cmocka_run_group_tests_name("tour", tests, NULL, NULL);
}
