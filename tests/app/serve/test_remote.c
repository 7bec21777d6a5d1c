/* The hand-over between a window and its pages: pictures arrive whole and exact, commands in their
 * order, and neither side fills the memory or makes the other wait. */
#include <stdlib.h>
#include <string.h>

#include "app/viewer/core/remote.h"
#include "tests/support/check.h"

enum { WIDTH = 300, HEIGHT = 200 };

struct sides {
    struct remote *remote;
    uint32_t window[HEIGHT][WIDTH], page[HEIGHT][WIDTH];
    struct deepfield_live_pixels pixels;
    struct remote_facts put, taken;
};

static struct sides *sides_open(void)
{
    struct sides *sides = calloc(1, sizeof *sides);
    assert_non_null(sides);
    assert_int_equal(remote_create(&sides->remote), STATUS_OK);
    assert_int_equal(place_create(&sides->put.place, WIDTH, HEIGHT), STATUS_OK);
    sides->pixels = (struct deepfield_live_pixels){
        .pixels = sides->page[0], .width = WIDTH, .height = HEIGHT, .stride = WIDTH};
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            sides->window[y][x] = (uint32_t)(1000 * y + x);
    return sides;
}

static void sides_close(struct sides *sides)
{
    remote_destroy(sides->remote);
    remote_facts_free(&sides->put);
    remote_facts_free(&sides->taken);
    free(sides);
}

static void picture_put(struct sides *sides, const struct paint_box *box, int count)
{
    const struct warp_image image = {sides->window[0], WIDTH, HEIGHT, WIDTH};
    assert_true(remote_picture_put(sides->remote, &image, box, count));
    assert_true(remote_facts_put(sides->remote, &sides->put));
}

static bool take(struct sides *sides)
{
    int32_t width, height;
    memset(sides->pixels.changed, 0, sizeof sides->pixels.changed);
    bool fits = remote_take(sides->remote, &sides->taken, &sides->pixels, &width, &height);
    assert_int_equal(width, WIDTH);
    assert_int_equal(height, HEIGHT);
    return fits;
}

static int changed(const struct sides *sides)
{
    int count = 0;
    for (int row = 0; row < DEEPFIELD_LIVE_BLOCKS; row++)
        for (int column = 0; column < DEEPFIELD_LIVE_BLOCKS; column++)
            count += sides->pixels.changed[row][column];
    return count;
}

TEST(a_page_gets_what_has_changed_and_nothing_else)
{
    struct sides *sides = sides_open();
    picture_put(sides, NULL, 0);
    assert_true(take(sides));
    assert_int_equal(changed(sides), 6); /* 3 x 2 blocks of 128 pixels */
    assert_memory_equal(sides->page, sides->window, sizeof sides->page);
    picture_put(sides, NULL, 0);
    assert_true(take(sides));
    assert_int_equal(changed(sides), 0);
    sides->window[130][299] = 7; /* in a box and changed; the other box has not */
    const struct paint_box boxes[] = {{0, 0, 50, 50}, {290, 129, 300, 140}};
    picture_put(sides, boxes, 2);
    assert_true(take(sides));
    assert_int_equal(changed(sides), 1);
    assert_memory_equal(sides->page, sides->window, sizeof sides->page);
    sides_close(sides);
}

TEST(a_page_of_another_size_is_told_the_right_one)
{
    struct sides *sides = sides_open();
    picture_put(sides, NULL, 0);
    sides->pixels.width = WIDTH - 1;
    assert_false(take(sides));
    sides->pixels.width = WIDTH;
    assert_true(take(sides));
    sides_close(sides);
}

TEST(new_pixels_are_not_final_until_it_is_said)
{
    struct sides *sides = sides_open();
    const struct warp_image image = {sides->window[0], WIDTH, HEIGHT, WIDTH};
    sides->put.final = true;
    picture_put(sides, NULL, 0);
    assert_true(take(sides));
    assert_true(sides->taken.final);
    assert_true(remote_picture_put(sides->remote, &image, NULL, 0));
    assert_true(take(sides));
    assert_false(sides->taken.final);
    sides_close(sides);
}

TEST(commands_keep_their_order_and_motions_leave_room_for_the_rest)
{
    struct sides *sides = sides_open();
    struct remote_command command = {.word = REMOTE_MOVE};
    for (uint32_t i = 0; i < 2 * REMOTE_COMMANDS; i++) {
        command.number = i;
        remote_command_give(sides->remote, &command);
    }
    command = (struct remote_command){.word = REMOTE_SHOW, .text = strdup("a place")};
    remote_command_give(sides->remote, &command);
    uint32_t count = 0;
    while (remote_command_next(sides->remote, &command) && command.word == REMOTE_MOVE)
        assert_int_equal(command.number, count++);
    assert_in_range(count, REMOTE_COMMANDS / 2, REMOTE_COMMANDS);
    assert_int_equal(command.word, REMOTE_SHOW);
    assert_string_equal(command.text, "a place");
    free(command.text);
    assert_false(remote_command_next(sides->remote, &command));
    sides_close(sides);
}

TEST(texts_that_nobody_takes_are_freed)
{
    struct sides *sides = sides_open();
    for (int i = 0; i < REMOTE_COMMANDS + 10; i++) {
        const struct remote_command command = {.word = REMOTE_SHOW, .text = strdup("a place")};
        remote_command_give(sides->remote, &command);
    }
    sides_close(sides);
}

TEST(the_window_takes_the_lead_back_at_once)
{
    struct sides *sides = sides_open();
    assert_false(remote_page_leads(sides->remote));
    remote_lead_set(sides->remote, true, 0);
    assert_true(remote_page_leads(sides->remote));
    remote_lead_take(sides->remote);
    assert_false(remote_page_leads(sides->remote)); /* before the server knows */
    assert_true(remote_lead_taken(sides->remote));
    remote_lead_set(sides->remote, false, 0);
    assert_false(remote_page_leads(sides->remote));
    sides_close(sides);
}
