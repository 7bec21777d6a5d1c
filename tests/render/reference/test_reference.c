/* What perturbation needs before the tiles can be stopped, and says how far it is. */
#include "render/reference/reference.h"

#include <math.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "kernels/formula_text.h"
#include "tests/render/disk/folder.h"
#include "tests/support/check.h"
#include "tests/support/same_orbit.h"

static volatile int stop;

struct seen {
    enum reference_stage stop_at;
    int64_t calls[2], done[2], most[2];
    double stopped_s; /* when */
};

static void see(void *context, const struct reference_progress *progress)
{
    struct seen *seen = context;
    int stage = (int)progress->stage;
    assert_true(progress->done >= 0 && progress->done <= progress->most);
    assert_true(progress->seconds >= 0);
    seen->calls[stage]++;
    seen->done[stage] = progress->done > seen->done[stage] ? progress->done : seen->done[stage];
    seen->most[stage] = progress->most;
    if (progress->stage == seen->stop_at && !stop) {
        seen->stopped_s = clock_s();
        stop = 1;
    }
}

/* Orbit and blocks of a view that goes on for `limit` steps. */
static enum status made(struct seen *seen, int64_t limit)
{
    struct view view = {.re = NULL};
    struct view_numbers numbers;
    struct world *world;
    struct reference reference = {.bytes = NULL};
    struct spec spec = {.limit = limit, .bailout = 1024, .count_bytes = 4};
    struct reference_hooks hooks = {.progress = see, .context = seen, .stop = &stop};
    struct reference_request request = {.accuracy_px = 1e-9, .blocks = BLOCKS_QUARTIC};
    struct device_set device_set = {.devices = 0};
    const struct device_set_options opening = {
        .backend = "cpu", .devices = 1, .computes = true, .threads = 2};
    stop = 0;
    assert_int_equal(device_set_open(&device_set, &opening), STATUS_OK);
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    assert_int_equal(view_set(&view, "-0.75", "0", "1e30", 0, 64, 64), STATUS_OK);
    assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
    enum status status = reference_make(&reference, &view, &numbers, &spec, world, NULL, &hooks);
    if (status == STATUS_OK)
        status = reference_open(&reference, &device_set, &numbers, &spec, &request, &hooks);
    /* Promised are 50 ms; a busy machine may take longer. */
    if (seen->stopped_s > 0 && clock_s() - seen->stopped_s > (check_long() ? 1 : 60))
        fail_msg("stopped after %g s", clock_s() - seen->stopped_s);
    device_set_close(&device_set);
    reference_close(&reference);
    view_destroy(&view);
    world_close(world);
    return status;
}

TEST(test_stops_in_either_stage)
{
    struct seen in_orbit = {.stop_at = REFERENCE_ORBIT};
    assert_int_equal(made(&in_orbit, INT64_MAX / 2), STATUS_STOPPED);
    assert_true(in_orbit.calls[REFERENCE_ORBIT] > 0 && !in_orbit.calls[REFERENCE_BLOCKS]);
    struct seen in_blocks = {.stop_at = REFERENCE_BLOCKS};
    assert_int_equal(made(&in_blocks, 2000000), STATUS_STOPPED);
    assert_int_equal(in_blocks.done[REFERENCE_ORBIT], 2000000);
    assert_true(in_blocks.done[REFERENCE_BLOCKS] < in_blocks.most[REFERENCE_BLOCKS]);
}

TEST(test_says_how_far_it_is)
{
    struct seen seen = {.stop_at = (enum reference_stage) - 1};
    assert_int_equal(made(&seen, 1000000), STATUS_OK);
    assert_int_equal(seen.done[REFERENCE_ORBIT], 1000000);
    assert_int_equal(seen.most[REFERENCE_ORBIT], 1000000);
    assert_true(seen.calls[REFERENCE_ORBIT] > 5 && seen.calls[REFERENCE_BLOCKS] > 50);
    /* Levels on which nothing holds are not built. */
    assert_true(seen.done[REFERENCE_BLOCKS] > seen.most[REFERENCE_BLOCKS] / 2);
}

/* ---- a device that fails ---- */

static int some_digits(int64_t limbs)
{
    return 4 * (int)limbs + 1;
}

static enum status fails_to_open(void **state, int device, int64_t limbs,
                                 const struct orbit_digit *c)
{
    (void)device, (void)limbs, (void)c;
    *state = NULL;
    return status_fail(STATUS_DEVICE_LOST, "the device of the test fails");
}

static void close_none(void *state)
{
    assert_null(state);
}

/* The processor computes the orbit, and the reference says why. */
TEST(test_a_device_that_fails_is_named)
{
    static const struct orbit_device_kind failing = {
        .name = "failing", .digits = some_digits, .open = fails_to_open, .close = close_none};
    struct view view = {.re = NULL};
    struct view_numbers numbers;
    struct world *world;
    struct reference reference = {.bytes = NULL};
    const struct spec spec = {.limit = 1000, .bailout = 1024, .count_bytes = 4};
    const struct reference_hooks hooks = {.device = {&failing, 0}};
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    assert_int_equal(view_set(&view, "-0.75", "0", "1e30", 0, 64, 64), STATUS_OK);
    assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
    assert_int_equal(reference_make(&reference, &view, &numbers, &spec, world, NULL, &hooks),
                     STATUS_OK);
    assert_int_equal(reference.orbit.length, 1001);
    assert_int_equal(orbit_device_steps(&reference.orbit), 0);
    assert_string_equal(reference.device_lost, "the device of the test fails");
    reference_close(&reference);
    view_destroy(&view);
    world_close(world);
}

/* ---- an orbit that was stopped ---- */

enum { STOP_STEPS = 1000, GOES_ON = 20000 };

static void stop_at_steps(void *context, const struct reference_progress *progress)
{
    int64_t *done = context;
    *done = progress->done;
    if (progress->done >= STOP_STEPS)
        stop = 1;
}

static enum status orbit_made(struct reference *reference, int64_t limit, const char *folder,
                              void (*progress)(void *, const struct reference_progress *),
                              int64_t *done)
{
    struct view view = {.re = NULL};
    struct view_numbers numbers;
    struct world *world;
    struct spec spec = {.limit = limit, .bailout = 1024, .count_bytes = 4};
    struct reference_hooks hooks = {
        .progress = progress, .context = done, .stop = &stop, .keeps_stopped = folder};
    stop = 0;
    *reference = (struct reference){.bytes = NULL};
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    assert_int_equal(view_set(&view, "-0.75", "1e-2000", "1e1900", 0, 64, 64), STATUS_OK);
    assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
    enum status status = reference_make(reference, &view, &numbers, &spec, world, folder, &hooks);
    view_destroy(&view);
    world_close(world);
    return status;
}

/* The cache keeps what there is of it, and the next run goes on from there. */
IN_FOLDER(test_a_stopped_orbit_goes_on)
{
    const char *folder = ((struct folder *)*state)->path;
    struct reference stopped, longer, fresh;
    int64_t done;
    assert_int_equal(orbit_made(&stopped, GOES_ON, folder, stop_at_steps, &done), STATUS_STOPPED);
    assert_true(done >= STOP_STEPS && done < GOES_ON);
    assert_non_null(strstr(status_text(), "the next run goes on from there"));
    assert_int_equal(stopped.cache, ORBIT_CACHE_NEW);
    assert_int_equal(folder_count(state, ".orbit", 0), 1);
    assert_int_equal(orbit_made(&longer, GOES_ON, folder, NULL, NULL), STATUS_OK);
    assert_int_equal(longer.cache, ORBIT_CACHE_LONGER);
    assert_int_equal(orbit_made(&fresh, GOES_ON, NULL, NULL, NULL), STATUS_OK);
    assert_int_equal(longer.orbit.length, fresh.orbit.length);
    assert_memory_equal(longer.orbit.z, fresh.orbit.z,
                        (size_t)fresh.orbit.length * sizeof *fresh.orbit.z);
    reference_close(&stopped);
    reference_close(&longer);
    reference_close(&fresh);
}

/* A ship's mast, a Celtic tape, and a Julia set with the orbit of 0 besides; of lists that take
 * turns one orbit each. */
TEST(orbits_of_any_formula_reach_other_ranks_whole)
{
    static const char hybrid[] =
        "pow 3, absy, add c; swap, sqr, scale 0.5 1, add c; absx, sqr, add c";
    static const int criticals[] = {0, 0, 1, 2, 3};
    struct formula formulas[] = {
        {.step = STEP_burning_ship},
        {.step = STEP_celtic},
        {.plane = DYNAMIC_PLANE, .c_re = -0.5, .c_im = 0.25, .step = STEP_perpendicular_buffalo},
        {.step = STEP_OWN},
        {.step = STEP_OWN}};
    assert_int_equal(formula_of_text(&formulas[3], hybrid, strlen(hybrid)), STATUS_OK);
    formulas[4] = formulas[3];
    formulas[4].plane = DYNAMIC_PLANE;
    formulas[4].c_re = -0.5;
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        struct view view = {.re = NULL};
        struct view_numbers numbers;
        struct world *world;
        struct reference here = {.bytes = NULL}, there = {.bytes = NULL};
        struct spec spec = {
            .limit = 3000, .bailout = 1024, .count_bytes = 4, .formula = formulas[i]};
        struct reference_hooks hooks = {.stop = NULL};
        assert_int_equal(world_open(&world, NULL), STATUS_OK);
        assert_int_equal(view_set(&view, "-1.31e-200", "-1e-400", "1e410", 0, 64, 64), STATUS_OK);
        assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
        assert_int_equal(reference_make(&here, &view, &numbers, &spec, world, NULL, &hooks),
                         STATUS_OK);
        assert_true(here.orbit.small_count > 0);
        assert_true(here.orbit.bits > 410 * log2(10) + ORBIT_GUARD_BITS + ORBIT_FOLD_BITS);
        there.bytes = malloc(reference_packed(&here.orbit));
        reference_pack(&here.orbit, there.bytes);
        reference_unpack(&there);
        assert_true(same_orbits(&here.orbit, &there.orbit));
        int others = -1;
        for (const struct orbit *came = &there.orbit; came; came = came->critical)
            others++;
        assert_int_equal(others, criticals[i]);
        reference_close(&here);
        reference_close(&there);
        view_destroy(&view);
        world_close(world);
    }
}
