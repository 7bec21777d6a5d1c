/* Scripts for the viewer: what they say, and when it happens. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/play/play.h"
#include "app/viewer/play/play_random.h"
#include "tests/support/check.h"

static struct script parsed(const char *text)
{
    struct script script;
    enum status status = script_parse(&script, text, strlen(text), "tour.txt");
    if (status != STATUS_OK)
        fail_msg("%s", status_text());
    return script;
}

TEST(test_steps)
{
    struct script script = parsed("# a tour\n"
                                  "\n"
                                  "t=0.50 wheel 3 at 400 300\r\n"
                                  "   key ctrl+z\n"
                                  "text \"re = -1\\nim = \\\"0\\\"\"\n"
                                  "expect pixel 3 4 #ff8000\n"
                                  "expect zoom >= 1e3\n"
                                  "quit");
    assert_int_equal(script.count, 6);
    const struct script_step *step = script.steps;
    assert_int_equal(step->verb, SCRIPT_WHEEL);
    assert_int_equal(step->line, 3);
    assert_true(step->at_s == 0.5 && step->number[0] == 3 && step->number[2] == 300);
    assert_true((++step)->at_s < 0);
    assert_string_equal(step->word[0], "ctrl+z");
    assert_string_equal((++step)->word[0], "re = -1\nim = \"0\"");
    assert_int_equal((++step)->verb, SCRIPT_EXPECT_PIXEL);
    assert_string_equal(step->word[0], "#ff8000");
    assert_int_equal((++step)->verb, SCRIPT_EXPECT);
    assert_string_equal(step->word[1], ">=");
    assert_true(step->number[0] == 1000);
    assert_int_equal((++step)->verb, SCRIPT_QUIT);
    script_destroy(&script);
    script_destroy(&script);
}

static void assert_refused(const char *text, const char *why)
{
    struct script script;
    enum status status = script_parse(&script, text, strlen(text), "tour.txt");
    if (status == STATUS_OK) {
        status = play_check(&script);
        script_destroy(&script);
    }
    assert_int_equal(status, STATUS_BAD_DATA);
    if (!strstr(status_text(), why))
        fail_msg("'%s' is refused with: %s", text, status_text());
}

TEST(test_refusals)
{
    assert_refused("\nwheell 3 at 4 5", "tour.txt:2: no step is called 'wheell'; did you mean");
    assert_refused("move 1", "'move' is written as 'move # #'");
    assert_refused("move 1 2 3", "is written as");
    assert_refused("move 1 \"2\"", "is written as");
    assert_refused("move 1 nan", "is written as");
    assert_refused("t=3", "a time without a step");
    assert_refused("t=-1 quit", "tour.txt:1: ");
    assert_refused("t=x quit", "tour.txt:1: ");
    assert_refused("text \"never closed", "a quote is not closed");
    assert_refused("key ctl+z", "nothing is called 'ctl+z'");
    assert_refused("key ctrl+nothing", "nothing is called");
    assert_refused("click upper at 1 2", "nothing is called 'upper'");
    assert_refused("finger 1 sideways 0 0", "nothing is called 'sideways'");
    assert_refused("pad button south move", "nothing is called 'south move'");
    assert_refused("pad axis north 1", "nothing is called");
    assert_refused("drag 0 0 1 1 over 1 with hyper", "nothing is called 'hyper'");
    assert_refused("move 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", "is written as");
}

TEST(test_every_form_parses)
{
    for (int i = 0; i < script_forms_count; i++) {
        char text[256] = "";
        for (const char *at = script_forms[i].words; *at; at++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s",
                     *at == '#'   ? "1"
                     : *at == '$' ? "word"
                                  : (char[]){*at, '\0'});
        struct script script = parsed(text);
        assert_int_equal(script.count, 1);
        script_destroy(&script);
    }
}

/* Plays the script on a clock that moves to wherever the player wants to be woken. */
static int play_all(const struct script *script, double settle_s, struct input_event *events,
                    int most, double *end_s)
{
    struct play play = play_begin(script, 100);
    struct play_act act;
    double now_s = 100;
    int count = 0;
    for (int i = 0; i < 1000000; i++) {
        struct play_sight sight = {now_s >= settle_s, false, now_s >= settle_s, 800, 600};
        enum play_kind kind = play_next(&play, now_s, &sight, &act);
        *end_s = now_s;
        if (kind == PLAY_END)
            return count;
        if (kind == PLAY_LATE)
            return -act.step->line;
        if (kind == PLAY_WAIT) {
            assert_true(act.wake_s > now_s);
            now_s = now_s < settle_s && settle_s < act.wake_s ? settle_s : act.wake_s;
        }
        if (kind == PLAY_EVENT && count < most)
            events[count++] = act.event;
    }
    fail_msg("the script does not end");
    return 0;
}

TEST(test_times)
{
    struct input_event e[64];
    double end_s;
    struct script script = parsed("t=0.5 wheel 3 at 400 300\nkey shift+a\nwait 2\n"
                                  "drag 0 0 60 30 over 0.1\nt=0.1 finger 7 down 0.5 0.25");
    int count = play_all(&script, 0, e, 64, &end_s);
    assert_int_equal(count, 1 + 2 + 8 + 1);
    assert_true(e[0].kind == INPUT_WHEEL && e[0].time_s == 100.5 && e[0].wheel_y == 3);
    assert_true(e[1].kind == INPUT_KEY_DOWN && e[1].key == 'a' && e[1].modifiers == INPUT_SHIFT);
    assert_true(e[2].kind == INPUT_KEY_UP);
    assert_true(e[3].kind == INPUT_BUTTON_DOWN && fabs(e[3].time_s - 102.5) < 1e-9);
    assert_true(e[6].kind == INPUT_MOVE && e[6].buttons == 1u << INPUT_LEFT && e[6].x > 20);
    assert_true(e[10].kind == INPUT_BUTTON_UP && e[10].x == 60 && e[10].y == 30);
    /* Late, but stamped with when it was due. */
    assert_true(e[11].time_s == 100.1 && e[11].x == 400 && e[11].y == 150 && e[11].finger == 7);
    assert_true(fabs(end_s - 102.6) < 1e-9);
    script_destroy(&script);
}

TEST(test_settle)
{
    double end_s;
    struct script script = parsed("settle\nwait 1\n");
    assert_int_equal(play_all(&script, 107, NULL, 0, &end_s), 0);
    assert_true(end_s == 108);
    script_destroy(&script);
    script = parsed("\nsettle within 5");
    assert_int_equal(play_all(&script, 107, NULL, 0, &end_s), -2);
    assert_true(end_s == 105);
    const struct play_sight never = {.never = true};
    struct play play = play_begin(&script, 100);
    struct play_act act;
    assert_int_equal(play_next(&play, 100, &never, &act), PLAY_LATE); /* at once */
    assert_int_equal(play_next(&play, 100, &never, &act), PLAY_END);
    script_destroy(&script);
}

/* What held for another step before says nothing. */
TEST(test_wait_until)
{
    double end_s;
    struct script script = parsed("wait 1\nwait until samples >= 8\nwait 1\n");
    assert_int_equal(play_all(&script, 107, NULL, 0, &end_s), 0);
    assert_true(end_s >= 108 && end_s < 108.1);
    assert_int_equal(play_all(&script, 1000, NULL, 0, &end_s), -2);
    assert_true(fabs(end_s - (101 + 250)) < 1e-6);
    struct play play = play_begin(&script, 100);
    struct play_act act;
    const struct play_sight other = {.holds = true}, own = {.holds = false};
    assert_int_equal(play_next(&play, 100, &other, &act), PLAY_WAIT);
    assert_int_equal(play_next(&play, 101, &other, &act), PLAY_WAIT);
    assert_int_equal(play_step(&play)->verb, SCRIPT_WAIT_UNTIL);
    assert_int_equal(play_next(&play, 101, &own, &act), PLAY_WAIT);
    assert_int_equal(play_step(&play)->verb, SCRIPT_WAIT_UNTIL);
    script_destroy(&script);
}

TEST(test_text_pieces)
{
    struct input_event e[8];
    double end_s;
    char together[200] = "";
    const char *long_text = "0123456789012345678901234567890\xc3\xa4 and a good deal more of it";
    char line[200];
    snprintf(line, sizeof line, "text \"%s\"", long_text);
    struct script script = parsed(line);
    int count = play_all(&script, 0, e, 8, &end_s);
    for (int i = 0; i < count; i++)
        strncat(together, e[i].text, sizeof together - strlen(together) - 1);
    assert_string_equal(together, long_text);
    assert_true((unsigned char)e[1].text[0] == 0xc3); /* not cut within a character */
    script_destroy(&script);
}

TEST(test_random)
{
    static struct input_event e[6001], again[6001];
    double end_s;
    struct script script = parsed("random 100 60 7");
    assert_int_equal(play_all(&script, 0, e, 6001, &end_s), 6001);
    assert_true(fabs(end_s - 200) < 1e-9);
    play_all(&script, 0, again, 6001, &end_s);
    assert_memory_equal(e, again, sizeof e);
    assert_int_equal(e[6000].kind, INPUT_FOCUS_LOST);
    int kinds[INPUT_KINDS] = {0};
    for (int i = 0; i < 6000; i++) {
        kinds[e[i].kind]++;
        assert_true(e[i].kind != INPUT_KEY_DOWN || e[i].key != 'q');
    }
    static const enum input_kind wanted[] = {
        INPUT_KEY_DOWN,  INPUT_TEXT,     INPUT_MOVE,        INPUT_BUTTON_DOWN,
        INPUT_BUTTON_UP, INPUT_WHEEL,    INPUT_FINGER_DOWN, INPUT_FINGER_MOVE,
        INPUT_FINGER_UP, INPUT_PAD_DOWN, INPUT_PAD_AXIS,    INPUT_FOCUS_LOST};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (kinds[wanted[i]] < 20)
            fail_msg("only %d events of kind %d", kinds[wanted[i]], (int)wanted[i]);
    script_destroy(&script);
    script = parsed("changes 1000 10");
    assert_int_equal(play_all(&script, 0, e, 6001, &end_s), 1001);
    double notches = 0;
    for (int i = 0; i < 1000; i++)
        notches += e[i].wheel_y;
    assert_true(notches == 40 || notches == 0);
    assert_true(fabs(e[500].time_s - 105) < 1e-9);
    script_destroy(&script);
}
