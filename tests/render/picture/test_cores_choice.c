/* When the cores are taken although a GPU may be there: small pictures of little work. The times
 * that decide are apart by much more than machines are. */
#include "tests/support/check.h"

#include <math.h>

#include "decomposition/world/world.h"
#include "render/picture/cores_choice.h"
#include "render/picture/picture.h"

static struct picture picture_of(int32_t width, int32_t height, const char *zoom)
{
    struct picture picture = {.spec = {.limit = 1000,
                                       .bailout = 1024,
                                       .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                                       .shortcuts = SHORTCUTS_ON},
                              .accuracy_px = ACCURACY_DEFAULT_PX,
                              .schedule = "auto",
                              .transport = "auto"};
    assert_int_equal(view_set(&picture.view, "-0.5", "0", zoom, 0, width, height), STATUS_OK);
    return picture;
}

static struct cores_choice chosen(const struct picture *picture, enum status want,
                                  const volatile int *stop)
{
    struct renderer_options options = {.backend = "auto", .threads = 2};
    struct cores_choice choice;
    struct world *world;
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    assert_int_equal(cores_choose(&choice, world, &options, picture, stop), want);
    world_close(world);
    return choice;
}

TEST(a_small_picture_is_made_by_the_cores)
{
    struct picture picture = picture_of(64, 36, "1");
    picture.samples = 4; /* counted, though the trial has no colours */
    struct cores_choice choice = chosen(&picture, STATUS_OK, NULL);
    assert_true(choice.tried);
    assert_true(choice.picture_s > 0 && isfinite(choice.picture_s));
    view_destroy(&picture.view);
}

/* 8 million pixels inside, of which no proof spares a step: minutes on two threads. */
TEST(much_work_is_left_to_a_gpu)
{
    struct picture picture = picture_of(3840, 2160, "100");
    picture.spec.limit = 100000;
    picture.spec.shortcuts = SHORTCUTS_OFF;
    struct cores_choice choice = chosen(&picture, STATUS_OK, NULL);
    assert_true(choice.tried && !choice.cores && choice.picture_s > 10 * CORES_CHOICE_GPU_S);
    view_destroy(&picture.view);
}

TEST(a_request_to_stop_ends_the_trial)
{
    const volatile int stop = 1;
    struct picture picture = picture_of(64, 36, "1");
    struct cores_choice choice = chosen(&picture, STATUS_STOPPED, &stop);
    assert_true(!choice.tried && !choice.cores);
    view_destroy(&picture.view);
}

TEST(a_choice_of_the_user_is_not_tried)
{
    struct picture picture = picture_of(64, 36, "1");
    struct world *world;
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    struct renderer_options options[] = {{.backend = "cuda"},
                                         {.backend = "auto", .devices.chosen = 1},
                                         {.backend = "auto", .devices.per_rank = 1}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        assert_false(cores_choice_due(&options[i], world, &picture));
    picture.transport = "device";
    assert_false(cores_choice_due(&(struct renderer_options){.backend = "auto"}, world, &picture));
    world_close(world);
    view_destroy(&picture.view);
}

TEST(samples_make_a_picture_large)
{
    struct picture picture = picture_of(3840, 2160, "1");
    picture.samples = 4;
    assert_true(cores_choice_small(&picture));
    picture.samples = 16;
    assert_false(cores_choice_small(&picture));
    view_destroy(&picture.view);
}

int main(void)
{
    return check_run(NULL, NULL);
}
