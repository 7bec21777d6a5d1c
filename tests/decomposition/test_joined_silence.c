/* Is a joined job told once that it is silent, and once that it answers again? */
#include "tests/support/check.h"

#include "decomposition/pool/joined_silence.h"

enum { STEPS = 4 };

struct step {
    double quiet_s, heard_s; /* what is seen; < 0: a result comes */
    const char *told;        /* "": nothing is */
};

#define RESULT .quiet_s = -1
static const char mute[] = "does not answer", again[] = "answers again";

static const struct {
    double tile_s; /* that a tile takes the ranks */
    struct step step[STEPS];
} rows[] = {
    {0, {{1, 2, ""}, {RESULT, .told = ""}}},
    {0, {{4, 0, mute}, {5, 0, ""}, {0.5, 0, again}, {0.5, 0, ""}}},
    /* what comes first after the silence is a result, before the next look */
    {0, {{4, 4, mute}, {RESULT, .told = again}, {0, 0, ""}, {4, 4, mute}}},
    {0, {{1, 4, "has brought no result for 4 s"}, {1, 5, ""}, {RESULT, .told = again}, {1, 6, ""}}},
    /* one that says that it is there again, and brings nothing */
    {0, {{4, 4, mute}, {0, 5, ""}, {0, 6, ""}, {RESULT, .told = again}}},
    {0, {{0, 4, "has brought no result for 4 s"}, {4, 8, ""}, {0, 9, ""}, {RESULT, .told = again}}},
    /* a slow one is waited for as long as four tiles take the ranks */
    {10, {{0, 39, ""}, {0, 41, "has brought no result for 41 s"}, {RESULT, .told = again}}},
};

TEST(words_of_every_row)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct joined_silence silence;
        joined_silence_begin(&silence);
        for (int s = 0; s < STEPS && rows[r].step[s].told; s++) {
            const struct step *step = &rows[r].step[s];
            char text[64] = "";
            bool tells = step->quiet_s < 0 ? joined_silence_result(&silence)
                                           : joined_silence_watch(&silence, step->quiet_s,
                                                                  step->heard_s, rows[r].tile_s);
            if (tells)
                joined_silence_text(&silence, text, sizeof text);
            assert_string_equal(text, step->told);
        }
    }
}

TEST(one_that_answered_after_all_is_waited_for_longer_but_no_more_than_a_minute)
{
    struct joined_silence silence;
    joined_silence_begin(&silence);
    assert_true(joined_silence_watch(&silence, 0, 50, 0));
    assert_true(joined_silence_result(&silence));
    assert_false(joined_silence_watch(&silence, 0, 59, 0));
    assert_true(joined_silence_watch(&silence, 0, 61, 0));
}
