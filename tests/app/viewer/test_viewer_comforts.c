/* Hints and favourites: what is kept for the next time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/files/favourites.h"
#include "app/viewer/files/user_data.h"
#include "app/viewer/overlays/hints.h"
#include "app/viewer/overlays/strings.h"
#include "tests/app/scratch.h"
#include "tests/support/check.h"

/* ---- hints ---- */

static struct actions actions;

static const char *line(const struct hints *hints, double now_s)
{
    static char text[HINT_BYTES];
    return hint_text(hints, &actions, now_s, text);
}

/* Each goes when it has been used, whatever the order, and the next comes after a rest. */
TEST(hints_teach_one_after_the_other)
{
    struct hints hints = {0};
    double wake_s = INFINITY;
    assert_int_equal(actions_create(&actions, NULL), STATUS_OK);
    hints_begin(&hints, 10);
    assert_string_equal(line(&hints, 10), "");
    assert_false(hints_due(&hints, 10, &wake_s));
    assert_true(wake_s == 10 + HINT_REST_S);
    assert_true(hints_due(&hints, 12, &wake_s));
    assert_false(hints_due(&hints, 13, &wake_s));
    assert_non_null(strstr(line(&hints, 12), "F2"));
    assert_true(hints_event(&hints, &(struct input_event){.kind = INPUT_WHEEL, .time_s = 20}));
    assert_false(hints_event(&hints, &(struct input_event){.kind = INPUT_WHEEL, .time_s = 21}));
    assert_string_equal(line(&hints, 21), "");
    assert_non_null(strstr(line(&hints, 22), "F2"));
    assert_true(hints_action(&hints, ACTION_SETTINGS, 24));
    assert_string_equal(line(&hints, 26), string_of(STRING_HINT_DRAG));
    struct input_event move = {.kind = INPUT_MOVE, .time_s = 30};
    assert_false(hints_event(&hints, &move));
    move.buttons = 1u << INPUT_LEFT;
    assert_true(hints_event(&hints, &move));
    assert_string_equal(line(&hints, 40), string_of(STRING_HINT_HOLD));
    assert_true(hints_flight(&hints, 35));
    assert_true(strstr(line(&hints, 40), "J shows") == line(&hints, 40));
    assert_false(hints_action(&hints, ACTION_HUD, 40));
    assert_true(hints_action(&hints, ACTION_JULIA, 40));
    assert_true(hints_action(&hints, ACTION_HELP, 50));
    assert_non_null(strstr(line(&hints, 60), "Space"));
    assert_true(hints_action(&hints, ACTION_PLAY, 55));
    assert_string_equal(line(&hints, 1e9), "");
}

/* A window that is left alone shows each line for its time, then none; the next run teaches them
 * again. */
TEST(hints_pass_by_time)
{
    struct hints hints = {0};
    char learnt[HINTS_TEXT_BYTES];
    double now_s = 0, wake_s;
    int lines = 0;
    assert_int_equal(actions_create(&actions, NULL), STATUS_OK);
    hints_begin(&hints, 0);
    for (int i = 0; i < 100; i++, now_s = wake_s) {
        wake_s = INFINITY;
        lines += hints_due(&hints, now_s, &wake_s) && *line(&hints, now_s);
        hints_due(&hints, now_s, &wake_s);
        if (isinf(wake_s))
            break;
    }
    assert_int_equal(lines, 7);
    assert_string_equal(line(&hints, now_s), "");
    assert_true(now_s == 7 * (HINT_REST_S + HINT_SHOWN_S) + HINT_REST_S);
    hints_write(&hints, learnt);
    assert_string_equal(learnt, "");
}

TEST(what_is_learnt_is_kept)
{
    struct hints hints = {0}, later = {0};
    char text[HINTS_TEXT_BYTES];
    hints_action(&hints, ACTION_JULIA, 0);
    hints_event(&hints, &(struct input_event){.kind = INPUT_FINGER_MOVE});
    hints_write(&hints, text);
    assert_string_equal(text, "drag\njulia\n");
    hints_read(&later, "what\n\n\r\njulia\r\ndrag");
    assert_int_equal(later.learnt, hints.learnt);
    hints_read(&later, "julia wheel");
    assert_int_equal(later.learnt, hints.learnt);
}

/* ---- favourites ---- */

TEST(favourites_bring_back_colours_alone)
{
    char folder[SCRATCH_BYTES], path[USER_DATA_PATH_BYTES], *text = NULL;
    struct favourites favourites = {0}, later = {0};
    struct place place = {0}, other = {0};
    scratch_make(folder);
    assert_int_equal(place_create(&place, 64, 36), STATUS_OK);
    snprintf(place.palette, sizeof place.palette, "#102030@0#ffeedd@0.25");
    place.look.relief = 0.7;
    place.look.relief_auto = false;
    assert_int_equal(place_text_write_step(&place, &text), STATUS_OK);
    assert_int_equal(favourite_keep(&favourites, 4, text), STATUS_OK);
    assert_int_equal(user_data_path(path, folder, "favourites"), STATUS_OK);
    assert_int_equal(user_data_write(path, "5.ini", text), STATUS_OK);
    assert_int_equal(user_data_write(path, "5.ini", text), STATUS_OK); /* again */
    assert_int_equal(user_data_write(path, "6.ini", "what?"), STATUS_OK);
    favourites_load(&later, path);
    assert_true(favourite_is(&later, 4) && !favourite_is(&later, 3));
    assert_int_equal(place_create(&other, 64, 36), STATUS_OK);
    assert_int_equal(view_set(&other.view, "-1", "0.25", "1e20", 10, 64, 36), STATUS_OK);
    other.limit = 777;
    assert_int_equal(favourite_recall(&later, 4, &other), STATUS_OK);
    assert_string_equal(other.palette, place.palette);
    assert_true(other.look.relief == 0.7);
    assert_string_equal(other.view.zoom, "1e20");
    assert_int_equal(other.limit, 777);
    assert_int_equal(favourite_recall(&later, 5, &other), STATUS_BAD_DATA);
    assert_string_equal(other.palette, place.palette);
    free(text);
    place_destroy(&place);
    place_destroy(&other);
    favourites_destroy(&favourites);
    favourites_destroy(&later);
    scratch_remove(folder);
}
