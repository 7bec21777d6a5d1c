/* The renderer: what is kept between pictures must not be seen in them. One rank; with several, the
 * program tests walk every transport. */
#include "tests/support/check.h"

#include <string.h>

#include "kernels/backend.h"
#include "render/disk/memory.h"
#include "render/picture/picture.h"
#include "render/picture/picture_sums.h"

static struct picture picture_of(int32_t width, int32_t height, const char *transport)
{
    struct picture picture = {.spec.limit = 500,
                              .spec.bailout = 1024,
                              .spec.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                              .accuracy_px = ACCURACY_EXACT_PX,
                              .schedule = "auto",
                              .transport = transport,
                              .backend = "auto"};
    assert_int_equal(view_set(&picture.view, "-0.7453", "0.1127", "400", 20, width, height),
                     STATUS_OK);
    return picture;
}

static struct renderer *opened(struct world *world, const char *backend)
{
    struct renderer *renderer;
    struct renderer_options options = {.backend = backend, .threads = 2};
    if (renderer_open(&renderer, world, &options) != STATUS_OK)
        fail_msg("refused: %s", status_text());
    return renderer;
}

static struct picture_sums rendered(struct renderer *renderer, int32_t width, int32_t height,
                                    const char *transport)
{
    struct picture picture = picture_of(width, height, transport);
    struct picture_report report;
    struct field field;
    if (picture_render(renderer, &picture, NULL, &field, &report) != STATUS_OK)
        fail_msg("failed: %s", status_text());
    assert_int_equal(field.width, width);
    assert_int_equal(field.height, height);
    assert_int_equal(report.job.threads_lost, 0);
    assert_true(report.iterations > 0);
    struct picture_sums sums = picture_sum(&field);
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    return sums;
}

static void assert_same(const struct picture_sums *a, const struct picture_sums *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

TEST(pictures_do_not_see_what_was_before_them)
{
    struct world *world;
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    struct renderer *fresh = opened(world, "scalar");
    struct picture_sums small = rendered(fresh, 61, 40, "auto");
    renderer_close(fresh);
    struct renderer *renderer = opened(world, "auto");
    struct picture_sums first = rendered(renderer, 61, 40, "auto");
    struct picture_sums large = rendered(renderer, 700, 301, "auto");
    struct picture_sums again = rendered(renderer, 61, 40, "auto");
    struct picture_sums staged = rendered(renderer, 61, 40, "staged");
    assert_true(large.pixels == 700 * 301 && large.checksum[PLANE_COUNT]);
    assert_same(&first, &small);
    assert_same(&again, &small);
    assert_same(&staged, &small);
    renderer_close(renderer);
    world_close(world);
}

/* What told the devices to give up the last picture does not reach the reference of the next. */
TEST(a_stopped_picture_leaves_a_renderer_that_perturbs)
{
    struct world *world;
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    struct renderer *renderer = opened(world, "cpu");
    volatile int stop = 1;
    struct picture_hooks hooks = {.stop = &stop};
    struct picture picture = picture_of(61, 40, "auto");
    struct picture_report report;
    struct field field;
    assert_int_equal(picture_render(renderer, &picture, &hooks, &field, &report), STATUS_STOPPED);
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    stop = 0;
    assert_int_equal(view_set(&picture.view, "-1.9", "0", "1e20", 0, 61, 40), STATUS_OK);
    if (picture_render(renderer, &picture, &hooks, &field, &report) != STATUS_OK)
        fail_msg("failed: %s", status_text());
    assert_int_equal(report.plan.method, METHOD_PERTURBATION);
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    renderer_close(renderer);
    world_close(world);
}

/* Memory that could not be had for one picture is not taken to be there by the next. */
TEST(a_picture_too_large_leaves_a_renderer_that_works)
{
    struct world *world;
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    struct renderer *renderer = opened(world, "scalar");
    struct picture_sums before = rendered(renderer, 61, 40, "auto");
    struct field huge = {
        .width = 1 << 30, .height = 1 << 20, .planes = PLANE_MASK_COUNT, .count_bytes = 8};
    assert_int_equal(renderer_prepare(renderer, STATUS_OK, &huge, "auto", 0), STATUS_OUT_OF_MEMORY);
    struct picture_sums after = rendered(renderer, 61, 40, "auto");
    assert_same(&before, &after);
    renderer_close(renderer);
    world_close(world);
}

TEST(what_cannot_be_opened_says_why)
{
    struct world *world;
    struct renderer *renderer;
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    struct renderer_options options = {.backend = "abacus"};
    assert_int_equal(renderer_open(&renderer, world, &options), STATUS_CONFIG);
    assert_null(renderer);
    renderer_close(NULL);
    struct renderer *scalar = opened(world, "scalar");
    struct picture picture = picture_of(20, 20, "device");
    struct picture_report report;
    struct field field;
    assert_int_equal(picture_render(scalar, &picture, NULL, &field, &report), STATUS_NO_DEVICE);
    assert_non_null(strstr(status_text(), "GPU"));
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    renderer_close(scalar);
    world_close(world);
}

TEST(memory_is_known)
{
    uint64_t there = memory_available();
    assert_true(there > 1 << 20 && there < UINT64_MAX);
}
