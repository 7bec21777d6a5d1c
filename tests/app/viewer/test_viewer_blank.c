/* Why is there nothing to see? Of literal figures, and in words that name the keys in use. */
#include <string.h>

#include "app/viewer/overlays/blank.h"
#include "tests/support/check.h"

static const struct {
    uint64_t least, most;
    double undecided;
    int64_t limit; /* asked for; 0: automatic */
    double density;
    enum blank blank;
    const char *says;
} cases[] = {
    {0, 0, 1, 500, 1, BLANK_LIMIT, "within 500 iterations, which were set; Ctrl+I lets"},
    {400, 500, 0.999, 500, 1, BLANK_LIMIT, "Ctrl+I"},
    {0, 0, 1, 0, 1, BLANK_INSIDE, "Only the inside of the set here, up to 500 iterations"},
    {5, 6, 0, 0, 1, BLANK_OUTSIDE, "all points escape after 5 to 6 iterations; Minus zooms out"},
    {7, 7, 0, 900, 1, BLANK_OUTSIDE, "all points escape after 7 iterations"},
    {2, 3000, 0, 0, 0.01, BLANK_COLOURS, "too far apart for this place; Period brings them"},
    {2, 3000, 0, 0, 1, BLANK_NOT, ""},
    {2, 3000, 0.5, 0, 0.01, BLANK_NOT, ""}, /* the set is seen at least */
    {5, 6, 0.5, 0, 1, BLANK_NOT, ""},
};

TEST(test_every_reason)
{
    struct actions actions;
    char text[BLANK_BYTES];
    assert_int_equal(actions_create(&actions, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static deepfield_live_state live;
        live = (deepfield_live_state){.stage = DEEPFIELD_LIVE_DONE,
                                      .settled = true,
                                      .limit = 500,
                                      .count_min = cases[i].least,
                                      .count_max = cases[i].most,
                                      .undecided = cases[i].undecided};
        const struct place place = {.limit = cases[i].limit, .look.density = cases[i].density};
        assert_int_equal(blank_of(&live, &place), cases[i].blank);
        blank_text(cases[i].blank, &live, &actions, text);
        if (!strstr(text, cases[i].says) ||
            (cases[i].blank != BLANK_NOT && !strstr(text, "; Home shows the whole set")))
            fail_msg("'%s' does not say '%s'", text, cases[i].says);
        live.settled = false;
        assert_int_equal(blank_of(&live, &place), BLANK_NOT);
    }
}

TEST(test_failures_and_keys_that_are_off)
{
    static deepfield_live_state live = {.stage = DEEPFIELD_LIVE_FAILED,
                                        .sentence = "it is too deep"};
    const struct place place = {.look.density = 1};
    struct actions actions;
    struct ini keys = {0};
    char text[BLANK_BYTES];
    assert_int_equal(ini_add(&keys, "keys", "undo", "none", 1), STATUS_OK);
    assert_int_equal(ini_add(&keys, "keys", "home", "y", 1), STATUS_OK);
    assert_int_equal(actions_create(&actions, &keys), STATUS_OK);
    ini_destroy(&keys);
    assert_int_equal(blank_of(&live, &place), BLANK_FAILED);
    assert_string_equal(blank_text(BLANK_FAILED, &live, &actions, text),
                        "No picture: it is too deep; Y shows the whole set");
}
