/* Stops of a palette: whatever a hand does they rise, and their text is a palette. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/panels/palette_edit.h"
#include "library/config/options.h"
#include "tests/support/check.h"

static void check_rises(const struct palette_edit *edit)
{
    assert_in_range(edit->count, PALETTE_EDIT_LEAST, PALETTE_EDIT_MAX);
    assert_in_range(edit->selected, 0, edit->count - 1);
    assert_true(edit->position[0] >= 0 && edit->position[edit->count - 1] < 1);
    for (int i = 1; i < edit->count; i++)
        assert_true(edit->position[i] - edit->position[i - 1] >= PALETTE_EDIT_GAP - 1e-9);
}

/* The largest difference of two palettes, in steps of 8 bits. */
static double difference(const struct palette *a, const struct palette *b)
{
    double worst = 0;
    for (int i = 0; i < PALETTE_SAMPLES; i++)
        for (int k = 0; k < 3; k++)
            worst = fmax(worst,
                         fabs((double)palette_values(a)[i][k] - (double)palette_values(b)[i][k]));
    return worst;
}

/* Every palette of the program can be edited, and looks as before when nothing has been moved. */
TEST(palettes_become_stops)
{
    char names[4096], *rest = names, *name, text[OPTION_PALETTE_MAX + 1];
    palette_names(ASSETS, names, sizeof names);
    while ((name = strsep(&rest, ","))) {
        struct palette *palette = NULL, *again = NULL;
        struct palette_edit edit = {0}, back = {0};
        name += strspn(name, " ");
        assert_int_equal(palette_load(&palette, ASSETS, name), STATUS_OK);
        palette_edit_of(&edit, palette);
        check_rises(&edit);
        palette_edit_text(&edit, text, sizeof text);
        assert_true(strlen(text) < sizeof text - 1);
        assert_true(palette_edit_parse(&back, text));
        assert_int_equal(back.count, edit.count);
        if (palette_load(&again, ASSETS, text) != STATUS_OK)
            fail_msg("%s: %s", name, status_text());
        if (difference(palette, again) > 40)
            fail_msg("%s is another palette, by %g", name, difference(palette, again));
        palette_destroy(palette);
        palette_destroy(again);
    }
}

TEST(stops_stay_between_their_neighbours)
{
    struct palette_edit edit = {0};
    assert_true(palette_edit_parse(&edit, "#000000@0#ff0000@0.25#00ff00@0.5#0000ff@0.75"));
    edit.selected = 1;
    palette_edit_move(&edit, 0.9);
    assert_true(fabs(edit.position[1] - (0.5 - PALETTE_EDIT_GAP)) < 1e-12);
    palette_edit_move(&edit, -3);
    assert_true(fabs(edit.position[1] - PALETTE_EDIT_GAP) < 1e-12);
    edit.selected = 3;
    palette_edit_move(&edit, 7);
    check_rises(&edit);
    edit.selected = 0;
    palette_edit_move(&edit, NAN);
    check_rises(&edit);
}

/* A text may have stops nearer than a hand can put them: they stay where they are. */
TEST(stops_without_room_stay)
{
    struct palette_edit edit = {0};
    assert_true(palette_edit_parse(&edit, "#000000@0#ff0000@0.001#00ff00@0.002#0000ff@0.5"));
    for (edit.selected = 0; edit.selected < 2; edit.selected++) {
        palette_edit_move(&edit, 0.3);
        assert_true(edit.position[edit.selected] == 0.001 * edit.selected);
    }
}

TEST(stops_come_and_go)
{
    static const double white[3] = {1, 1, 1};
    struct palette_edit edit = {0};
    assert_true(palette_edit_parse(&edit, "#000000#ff0000"));
    assert_true(palette_edit_add(&edit, 0.3, white));
    assert_int_equal(edit.selected, 1);
    assert_false(palette_edit_add(&edit, 0.3, white)); /* there is one */
    assert_false(palette_edit_add(&edit, 1, white));
    assert_true(palette_edit_remove(&edit));
    assert_false(palette_edit_remove(&edit)); /* a ring needs two */
    check_rises(&edit);
}

/* A hand that does anything at all. */
TEST(random_hands_leave_a_palette)
{
    uint64_t seed = 20260817;
    struct palette_edit edit = {0};
    char text[OPTION_PALETTE_MAX + 1];
    assert_true(palette_edit_parse(&edit, "#000000#ff0000#00ff00"));
    for (int i = 0; i < 20000; i++) {
        double position = 1.4 * check_random_unit(&seed) - 0.2;
        double rgb[3] = {check_random_unit(&seed), check_random_unit(&seed), 1};
        switch (check_random(&seed) % 4) {
        case 0:
            palette_edit_add(&edit, position, rgb);
            break;
        case 1:
            palette_edit_remove(&edit);
            break;
        case 2:
            palette_edit_move(&edit, position);
            break;
        default:
            edit.selected = (int)(check_random(&seed) % (uint64_t)edit.count);
        }
        check_rises(&edit);
        palette_edit_text(&edit, text, sizeof text);
        struct palette_edit back = {0};
        if (!palette_edit_parse(&back, text))
            fail_msg("step %d: '%s': %s", i, text, status_text());
    }
}

TEST(texts_that_are_none_change_nothing)
{
    struct palette_edit edit = {.count = 2, .selected = 1, .position = {0, 0.5}};
    static const char *const texts[] = {"meridian",
                                        "#",
                                        "#12345",
                                        "#000000@0#ffffff",
                                        "#000000@0.5#ffffff@0.5",
                                        "#000000@0#ffffff@1",
                                        "#000000@-1#ffffff@0.5",
                                        "#000000@0.#ffffff@0.5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(palette_edit_parse(&edit, texts[i]));
    assert_int_equal(edit.count, 2);
    assert_int_equal(edit.selected, 1);
}
