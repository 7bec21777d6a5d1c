/* A wall: its screens show the same frame or the one before, whatever each of them does, and their
 * parts are all of the picture. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/serve/wall.h"
#include "tests/support/check.h"

TEST(sizes_of_walls)
{
    struct wall wall;
    assert_int_equal(wall_of_text(&wall, "3x2"), STATUS_OK);
    assert_int_equal(wall.columns, 3);
    assert_int_equal(wall.rows, 2);
    static const char *const wrong[] = {"",    "2",    "2x",   "x2",    "0x2", "1x1",  "9x1",
                                        "2x9", "2x2x", "2 x2", "-1x-2", "2X2", "1e1x1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(wall_of_text(&wall, wrong[i]), STATUS_CONFIG);
}

TEST(parts_cover_the_picture_once)
{
    uint64_t seed = 3;
    for (int round = 0; round < 200; round++) {
        struct wall wall = {.columns = 1 + (int)(check_random(&seed) % WALL_SIDE_MOST),
                            .rows = 1 + (int)(check_random(&seed) % WALL_SIDE_MOST)};
        int32_t width = 16 + (int32_t)(check_random(&seed) % 5000);
        int32_t height = 16 + (int32_t)(check_random(&seed) % 3000), y = 0;
        for (int row = 0; row < wall.rows; row++) {
            int32_t x = 0, high = 0;
            for (int column = 0; column < wall.columns; column++) {
                const struct wall_screen *screen = &wall.screen[row * wall.columns + column];
                struct cell_rect part = wall_part(&wall, screen, width, height);
                assert_int_equal(part.x, x);
                assert_int_equal(part.y, y);
                x += part.width;
                high = part.height;
            }
            assert_int_equal(x, width);
            y += high;
        }
        assert_int_equal(y, height);
    }
}

TEST(a_place_has_one_page_and_a_page_one_place)
{
    struct wall wall = {.columns = 2, .rows = 2};
    int one = 1, other = 2;
    assert_false(wall_enter(&wall, &one, 2, 0));
    assert_false(wall_enter(&wall, &one, 0, -1));
    assert_true(wall_enter(&wall, &one, 1, 0));
    assert_true(wall_enter(&wall, &one, 0, 1));
    assert_null(wall.screen[1].page);
    assert_true(wall_enter(&wall, &other, 0, 1));
    assert_null(wall_screen_of(&wall, &one));
    assert_ptr_equal(wall_screen_of(&wall, &other), &wall.screen[2]);
    wall_leave(&wall, &other);
    wall_leave(&wall, &one);
    assert_null(wall_screen_of(&wall, &other));
}

/* Screens of a model: each takes its time for what it was told, and some answer late or never. */
enum { SCREENS = 6 };

struct model {
    struct wall wall;
    /* Frame that it decodes, and that it was told to present; 0: none. When it answers. */
    uint32_t told[SCREENS][WALL_ANSWERS], shown[SCREENS];
    double due_s[SCREENS][WALL_ANSWERS];
    int pages[SCREENS];
    bool lost[SCREENS]; /* was left behind, and has shown no frame since */
};

static void screen_step(struct model *model, int i, double now_s)
{
    struct wall_screen *screen = wall_screen_of(&model->wall, &model->pages[i]);
    for (int answer = 0; answer < WALL_ANSWERS; answer++) {
        uint32_t frame = model->told[i][answer];
        if (!frame || now_s < model->due_s[i][answer])
            continue;
        model->told[i][answer] = 0;
        if (answer == WALL_READY) {
            wall_ready(&model->wall, screen->page, frame);
            continue;
        }
        model->shown[i] = frame;
        model->lost[i] = screen->late;
        wall_shown(&model->wall, screen->page, frame);
    }
}

/* Tells the screens that owe this answer of the frame. */
static void tell(struct model *model, enum wall_answer answer, uint32_t frame, uint64_t *seed,
                 double now_s)
{
    for (int i = 0; i < SCREENS; i++) {
        struct wall_screen *screen = wall_screen_of(&model->wall, &model->pages[i]);
        if (screen->owed[answer] != frame)
            continue;
        assert_int_equal(model->told[i][answer], 0);
        model->told[i][answer] = frame;
        double hangs = check_random_unit(seed) < 0.01 ? 3 : 0; /* longer than it is waited for */
        model->due_s[i][answer] = now_s + hangs + 0.05 * check_random_unit(seed);
    }
}

/* Frames of screens that are not lost. */
static void frames_check(struct model *model)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (int i = 0; i < SCREENS; i++) {
        struct wall_screen *screen = wall_screen_of(&model->wall, &model->pages[i]);
        model->lost[i] |= screen->late;
        if (model->lost[i] || !model->shown[i])
            continue;
        least = model->shown[i] < least ? model->shown[i] : least;
        most = model->shown[i] > most ? model->shown[i] : most;
    }
    assert_true(most == 0 || most - least <= 1);
}

TEST(frames_are_one_apart_at_most_and_late_screens_come_back)
{
    struct model model = {.wall = {.columns = 3, .rows = 2}};
    uint64_t seed = 7;
    int begun = 0;
    for (int i = 0; i < SCREENS; i++)
        assert_true(wall_enter(&model.wall, &model.pages[i], i % 3, i / 3));
    for (double now_s = 0; now_s < 200; now_s += 0.004) {
        double until_s = INFINITY;
        for (int i = 0; i < SCREENS; i++)
            screen_step(&model, i, now_s);
        if (wall_step(&model.wall, now_s, &until_s))
            tell(&model, WALL_SHOWN, model.wall.presented, &seed, now_s);
        if (wall_may_begin(&model.wall)) {
            wall_begin(&model.wall, now_s);
            tell(&model, WALL_READY, model.wall.frame, &seed, now_s);
            begun++;
        }
        frames_check(&model);
    }
    assert_in_range(begun, 100, 100000);
    for (int i = 0; i < SCREENS; i++) /* each was late several times, and none stayed behind */
        assert_in_range(model.wall.frame - model.shown[i], 0, 200);
}

/* A wall of two screens, side by side. */
static struct wall wall_of(int *left, int *right)
{
    struct wall wall = {.columns = 2, .rows = 1};
    assert_true(wall_enter(&wall, left, 0, 0));
    assert_true(wall_enter(&wall, right, 1, 0));
    return wall;
}

/* Both screens have the frame, which is presented. */
static void frame_present(struct wall *wall, int *left, int *right, uint32_t frame, double now_s)
{
    double until_s = INFINITY;
    wall_ready(wall, left, frame);
    wall_ready(wall, right, frame);
    assert_true(wall_step(wall, now_s, &until_s));
}

TEST(a_screen_that_was_late_gets_another_frame)
{
    int one = 0, other = 0;
    struct wall wall = wall_of(&one, &other);
    double until_s = INFINITY;
    uint32_t frame = wall_begin(&wall, 0);
    wall_ready(&wall, &one, frame);
    assert_false(wall_step(&wall, 0.5, &until_s));
    assert_true(wall_step(&wall, WALL_LATE_S, &until_s)); /* without the other */
    wall_shown(&wall, &one, frame);
    assert_false(wall_step(&wall, WALL_LATE_S, &until_s));
    assert_false(wall_wants_frame(&wall));
    wall_ready(&wall, &other, frame); /* decoded, but never presented */
    assert_true(wall_may_begin(&wall) && wall_wants_frame(&wall));
    frame = wall_begin(&wall, 2);
    assert_false(wall_wants_frame(&wall));
    frame_present(&wall, &one, &other, frame, 2);
    assert_int_equal(wall.screen[1].owed[WALL_SHOWN], frame);
}

/* The next frame travels while one is presented, and is presented only when that is shown. */
TEST(one_frame_is_ahead)
{
    int one = 0, other = 0;
    struct wall wall = wall_of(&one, &other);
    double until_s = INFINITY;
    uint32_t frame = wall_begin(&wall, 0);
    assert_false(wall_may_begin(&wall));
    frame_present(&wall, &one, &other, frame, 0);
    assert_true(wall_may_begin(&wall));
    uint32_t ahead = wall_begin(&wall, 0.1);
    wall_ready(&wall, &one, ahead);
    wall_ready(&wall, &other, ahead);
    wall_shown(&wall, &one, frame);
    assert_false(wall_step(&wall, 0.2, &until_s));
    assert_int_equal(wall.presented, frame);
    assert_false(wall_may_begin(&wall));
    wall_shown(&wall, &other, ahead); /* it was not told to */
    assert_false(wall_step(&wall, 0.2, &until_s));
    wall_shown(&wall, &other, frame);
    assert_true(wall_step(&wall, 0.2, &until_s));
    assert_int_equal(wall.presented, ahead);
}

/* A screen that answers of the next frame, but not that it shows this one, holds nobody up, and is
 * back when it owes nothing. */
TEST(a_screen_that_does_not_show_is_late)
{
    int one = 0, other = 0;
    struct wall wall = wall_of(&one, &other);
    double until_s = INFINITY;
    uint32_t frame = wall_begin(&wall, 0);
    frame_present(&wall, &one, &other, frame, 0);
    wall_shown(&wall, &one, frame);
    uint32_t ahead = wall_begin(&wall, 0.5);
    wall_ready(&wall, &one, ahead);
    assert_false(wall_step(&wall, 0.6, &until_s));
    assert_true(until_s <= WALL_LATE_S);
    assert_true(wall_step(&wall, WALL_LATE_S, &until_s)); /* without the other */
    assert_int_equal(wall.screen[0].owed[WALL_SHOWN], ahead);
    assert_int_equal(wall.screen[1].owed[WALL_SHOWN], frame);
    wall_ready(&wall, &other, ahead);
    assert_int_equal(wall_late(&wall), 1);
    wall_shown(&wall, &other, frame);
    assert_int_equal(wall_late(&wall), 0);
    assert_true(wall_wants_frame(&wall));
    wall_shown(&wall, &one, ahead);
    frame = wall_begin(&wall, 2);
    frame_present(&wall, &one, &other, frame, 2);
    assert_int_equal(wall.screen[1].owed[WALL_SHOWN], frame);
}

TEST(a_late_screen_comes_back_by_the_answer_that_it_owes)
{
    int one = 0, other = 0;
    struct wall wall = wall_of(&one, &other);
    double until_s = INFINITY;
    uint32_t frame = wall_begin(&wall, 0);
    wall_ready(&wall, &one, frame);
    assert_true(wall_step(&wall, WALL_LATE_S, &until_s)); /* without the other */
    wall_shown(&wall, &one, frame);
    assert_false(wall_step(&wall, WALL_LATE_S, &until_s));
    uint32_t next = wall_begin(&wall, 2); /* not given to the other */
    wall_ready(&wall, &other, next);
    wall_ready(&wall, &other, frame - 1);
    wall_shown(&wall, &other, frame);
    assert_int_equal(wall_late(&wall), 1);
    wall_ready(&wall, &other, frame);
    assert_int_equal(wall_late(&wall), 0);
    wall_ready(&wall, &one, next);
    assert_true(wall_step(&wall, 2, &until_s)); /* with one: the other was not given it */
    assert_false(wall_step(&wall, 2 + WALL_LATE_S, &until_s));
    assert_int_equal(wall_late(&wall), 1);
    wall_ready(&wall, &one, next); /* a second time, and yet not shown */
    assert_int_equal(wall_late(&wall), 1);
    wall_shown(&wall, &one, next);
    assert_int_equal(wall_late(&wall), 0);
}

TEST(an_empty_wall_and_one_that_is_left_go_on)
{
    struct wall wall = {.columns = 2, .rows = 1};
    double until_s = INFINITY;
    int page = 0;
    wall_begin(&wall, 0);
    assert_true(wall_step(&wall, 0, &until_s));
    assert_false(wall_step(&wall, 0, &until_s));
    assert_true(wall_may_begin(&wall));
    assert_true(wall_enter(&wall, &page, 0, 0));
    wall_begin(&wall, 1);
    assert_false(wall_step(&wall, 1, &until_s));
    assert_true(until_s <= 1 + WALL_LATE_S);
    wall_leave(&wall, &page);
    assert_true(wall_step(&wall, 1.1, &until_s));
}
