/* Which colours a terminal is asked for. */
#include "app/process/terminal.h"
#include "tests/support/check.h"

TEST(test_who_gets_colours)
{
    static const struct {
        bool is_terminal;
        const char *no_colour, *colour_term, *term;
        enum terminal_colours colours;
    } cases[] = {
        {true, NULL, "truecolor", "xterm-256color", TERMINAL_TRUE},
        {true, NULL, "24bit", "xterm", TERMINAL_TRUE},
        {true, NULL, NULL, "xterm-direct", TERMINAL_TRUE},
        {true, "", "truecolor", "xterm", TERMINAL_TRUE}, /* empty forbids nothing */
        {true, NULL, NULL, "xterm-256color", TERMINAL_256},
        {true, NULL, "yes", "rxvt", TERMINAL_256},
        {true, NULL, NULL, "xterm", TERMINAL_NONE},
        {true, NULL, NULL, "linux", TERMINAL_NONE},
        {true, NULL, "truecolor", "dumb", TERMINAL_NONE},
        {true, NULL, "truecolor", NULL, TERMINAL_NONE},
        {true, "1", "truecolor", "xterm-256color", TERMINAL_NONE},
        {false, NULL, "truecolor", "xterm-256color", TERMINAL_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (terminal_colours_from(cases[i].is_terminal, cases[i].no_colour, cases[i].colour_term,
                                  cases[i].term) != cases[i].colours)
            fail_msg("case %zu", i);
}

TEST(test_who_gets_pictures)
{
    assert_true(terminal_utf8_from(NULL, NULL, "en_GB.UTF-8"));
    assert_true(terminal_utf8_from("", "C.utf8", "C"));
    assert_true(terminal_utf8_from("C.UTF-8", "C", "C"));
    assert_false(terminal_utf8_from("C", "en_GB.UTF-8", "en_GB.UTF-8"));
    assert_false(terminal_utf8_from(NULL, NULL, "POSIX"));
    assert_false(terminal_utf8_from(NULL, NULL, NULL));
}

/* No other of the colours is nearer: the six levels are 0, 95, 135, ... 255, the greys 8, 18, ...
 */
TEST(test_the_nearest_of_256)
{
    static const int levels[6] = {0, 95, 135, 175, 215, 255};
    uint64_t seed = 7;
    for (int n = 0; n < 2000; n++) {
        int rgb[3], best = -1, least = 0, distance[256] = {0};
        for (int c = 0; c < 3; c++)
            rgb[c] = (int)(check_random(&seed) % 256);
        if (n < 256)
            rgb[0] = rgb[1] = rgb[2] = n;
        for (int i = 16; i < 256; i++) {
            int shade = 8 + 10 * (i - 232), cube = i - 16;
            int at[3] = {shade, shade, shade};
            if (i < 232) {
                at[0] = levels[cube / 36];
                at[1] = levels[cube / 6 % 6];
                at[2] = levels[cube % 6];
            }
            for (int c = 0; c < 3; c++)
                distance[i] += (rgb[c] - at[c]) * (rgb[c] - at[c]);
            if (best < 0 || distance[i] < least) {
                best = i;
                least = distance[i];
            }
        }
        int index = terminal_index(rgb);
        assert_in_range(index, 16, 255);
        if (distance[index] > least)
            fail_msg("%d, %d, %d became %d, not %d", rgb[0], rgb[1], rgb[2], index, best);
    }
}
