/* Is a coarse pass made of pixels of the picture, does it come together from any number of parts,
 * and does a sample cost what the device says? */
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>

#include "decomposition/schedule/forecast.h"
#include "kernels/backend.h"
#include "render/device/cost_map.h"
#include "render/view/view.h"

enum { WIDTH = 203, HEIGHT = 117 }; /* no multiple of anything */

static const struct spec spec = {.limit = 1000,
                                 .bailout = 1024,
                                 .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                                 .count_bytes = 4,
                                 .number = NUMBER_FP64};

static struct grid grid_of_view(void)
{
    struct view view = {0};
    struct view_numbers numbers;
    assert_int_equal(view_set(&view, "-0.7436", "0.1318", "1200", 30, WIDTH, HEIGHT), STATUS_OK);
    assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
    view_destroy(&view);
    return view_grid(&numbers, 0, 0, WIDTH, HEIGHT);
}

static struct backend *open_scalar(void)
{
    struct backend *backend;
    struct backend_options options = {.threads = 1};
    assert_int_equal(backend_open(&backend, "scalar", &options), STATUS_OK);
    return backend;
}

static enum status backend_iterate(void *backend, const struct grid *grid, struct field *out,
                                   uint64_t *iterations)
{
    struct backend_work work = {0};
    TRY(backend_compute(backend, &spec, grid, out, &work));
    *iterations += work.iterations;
    return STATUS_OK;
}

/* A sample that escaped costs the count that its pixel has in the picture. */
TEST(samples_are_pixels_of_the_picture)
{
    struct backend *backend = open_scalar();
    struct cost_device device = {&spec, backend, backend_iterate};
    struct grid whole = grid_of_view();
    struct field picture;
    uint64_t all = 0, took = 0;
    assert_int_equal(field_create(&picture, WIDTH, HEIGHT, spec.planes, 4), STATUS_OK);
    assert_int_equal(backend_iterate(backend, &whole, &picture, &all), STATUS_OK);
    int32_t columns = forecast_samples(WIDTH, COST_SAMPLE_PX), escaped = 0;
    int32_t rows = forecast_samples(HEIGHT, COST_SAMPLE_PX);
    float *samples = calloc(2 * cost_part(&whole, 1), sizeof *samples);
    float *cost = samples + cost_part(&whole, 1);
    assert_int_equal(cost_samples(&device, &whole, 0, 1, samples, &took), STATUS_OK);
    cost_join(&whole, 1, samples, 0, cost);
    double sum = 0;
    for (int32_t j = 0; j < rows; j++)
        for (int32_t i = 0; i < columns; i++) {
            int32_t x = COST_SAMPLE_PX / 2 + i * COST_SAMPLE_PX;
            int32_t y = COST_SAMPLE_PX / 2 + j * COST_SAMPLE_PX;
            sum += cost[j * columns + i];
            if (x >= WIDTH || y >= HEIGHT) /* within half a square of the border */
                continue;
            uint64_t count = field_count_at(&picture, (size_t)y * WIDTH + (size_t)x);
            escaped += count > 0;
            if (count)
                assert_int_equal((uint64_t)cost[j * columns + i], count);
        }
    assert_true(escaped > columns * rows / 2);
    assert_true(fabs(sum / (double)took - 1) < 1e-5); /* costs are floats */
    free(samples);
    field_destroy(&picture);
    backend_close(backend);
}

/* What a pixel costs is told by its place. */
static enum status place_compute(void *context, const struct grid *grid, struct field *out,
                                 uint64_t *iterations)
{
    ++*(int *)context;
    for (int32_t y = 0; y < grid->height; y++)
        for (int32_t x = 0; x < grid->width; x++) {
            uint32_t count = (uint32_t)(1 + (grid->y + y) * 100 + grid->x + x);
            ((uint32_t *)out->plane[PLANE_COUNT])[y * out->stride + x] = count;
            *iterations += count;
        }
    return STATUS_OK;
}

TEST(parts_make_one_pass)
{
    int calls = 0, parts_of[] = {1, 2, 3, 7, 28, 500}; /* 26 x 15 samples are 28 blocks */
    struct cost_device device = {&spec, &calls, place_compute};
    struct grid whole = {.width = WIDTH, .height = HEIGHT};
    for (size_t n = 0; n < sizeof parts_of / sizeof *parts_of; n++) {
        int parts = parts_of[n];
        size_t each = cost_part(&whole, parts);
        float *samples = calloc(each * (size_t)parts, sizeof *samples), cost[26 * 15];
        assert_non_null(samples);
        calls = 0;
        for (int part = 0; part < parts; part++) {
            uint64_t took = 0;
            assert_int_equal(
                cost_samples(&device, &whole, part, parts, samples + (size_t)part * each, &took),
                STATUS_OK);
        }
        assert_int_equal(calls, 28);
        cost_join(&whole, parts, samples, each * sizeof *samples, cost);
        for (int j = 0; j < 15; j++)
            for (int i = 0; i < 26; i++)
                assert_true((int)cost[j * 26 + i] == 1 + j * 100 + i);
        free(samples);
    }
}
