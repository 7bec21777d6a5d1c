/* The rules of a public stand, K1 to K8: what is allowed, when it resets, the way out for staff,
 * what pictures may cost, where journeys go. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/settings/tour.h"
#include "app/viewer/kiosk/kiosk.h"
#include "app/viewer/kiosk/kiosk_bound.h"
#include "app/viewer/kiosk/kiosk_buttons.h"
#include "app/viewer/kiosk/kiosk_guide.h"
#include "app/viewer/kiosk/kiosk_journey.h"
#include "app/viewer/kiosk/take_away.h"
#include "app/viewer/kiosk/visit_log.h"
#include "app/viewer/overlays/action_words.h"
#include "app/viewer/overlays/blank.h"
#include "tests/support/check.h"

/* ---- what is allowed ---- */

TEST(test_nothing_ends_writes_or_shows_a_path)
{
    static const enum action never[] = {
        ACTION_NONE,         ACTION_GO_TO,         ACTION_COPY,          ACTION_PASTE,
        ACTION_BOOKMARK_ADD, ACTION_BOOKMARK_LIST, ACTION_BOOKMARK_NEXT, ACTION_BOOKMARK_PREVIOUS,
        ACTION_LIMIT_MORE,   ACTION_LIMIT_LESS,    ACTION_LIMIT_AUTO,    ACTION_RENDER_AGAIN,
        ACTION_PICTURE,      ACTION_PRINT,         ACTION_HIDE,          ACTION_HELP,
        ACTION_FULLSCREEN,   ACTION_LARGER,        ACTION_SMALLER,       ACTION_SAVE,
        ACTION_OPEN,         ACTION_ESCAPE,        ACTION_QUIT,          ACTIONS};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (kiosk_allows(never[i]))
            fail_msg("a visitor may %s", action_rows[never[i]].name);
    assert_true(kiosk_allows(ACTION_HOME));
    assert_true(kiosk_allows(ACTION_PINCH));
    assert_true(kiosk_allows(ACTION_PALETTE_NEXT));
    assert_true(kiosk_allows(ACTION_UNDO));
}

/* ---- what visitors read ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c & 0x80;
}

static bool has_word(const char *text, const char *word)
{
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || !is_letter(at[-1])) && !is_letter(at[strlen(word)]))
            return true;
    return false;
}

/* Fails on a text that names a key, as a page of help in this language would. Keys of one letter
 * are not looked for: "I" is a word as well. */
static void check_keyless(const char *text, enum language language)
{
    static struct actions actions;
    char words[BINDING_BYTES];
    if (!actions.binding[ACTION_HOME][0].kind)
        assert_int_equal(actions_create(&actions, NULL), STATUS_OK);
    language_use(language);
    for (int i = 0; i < ACTIONS * BINDINGS_EACH; i++) {
        struct binding key = actions.binding[i / BINDINGS_EACH][i % BINDINGS_EACH];
        if (key.kind != BINDING_KEY || key.code == '.') /* in German it is a point, too */
            continue;
        for (int held = 0; held < 2; held++) {
            key.modifiers = held ? key.modifiers : 0;
            binding_words(&key, words);
            if (strlen(words) > 1 && has_word(text, words))
                fail_msg("'%s' names the key %s", text, words);
        }
    }
    language_use(LANGUAGE_EN);
}

/* The button of this name is there. */
static bool is_button(enum string string)
{
    return string >= STRING_STAND_HOME && string <= STRING_STAND_LANGUAGE;
}

TEST(test_no_text_of_a_stand_names_a_key)
{
    static const char *const paths[] = {TOURS};
    assert_true(has_word("Press Home or Minus", "Home") && !has_word("Homer", "Home"));
    for (int language = 0; language < LANGUAGES; language++)
        for (int i = 0; i < STRINGS; i++)
            if (kiosk_shows((enum string)i) && !is_button((enum string)i))
                check_keyless(string_in((enum string)i, (enum language)language),
                              (enum language)language);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct tour tour;
        assert_int_equal(tour_read(&tour, paths[i]), STATUS_OK);
        for (size_t stop = 0; stop < tour.stops; stop++)
            for (int language = 0; language < LANGUAGES; language++)
                check_keyless(tour_text(tour.stop[stop].text, language_codes[language]),
                              (enum language)language);
        tour_destroy(&tour);
    }
}

/* Pictures with nothing to see have sentences of the stand, and no other row of the table is shown.
 */
TEST(test_only_texts_of_a_stand_are_shown)
{
    static const enum string others[] = {STRING_BLANK_INSIDE, STRING_HELP_CLOSES,
                                         STRING_SAY_NO_UNDO, STRING_HINT_HOLD};
    char text[BLANK_BYTES];
    deepfield_live_state *shown = calloc(1, sizeof *shown);
    assert_non_null(shown);
    shown->sentence = "";
    strings_limit(kiosk_shows);
    for (int blank = BLANK_FAILED; blank <= BLANK_COLOURS; blank++) {
        blank_text((enum blank)blank, shown, NULL, text);
        assert_true(*text);
        check_keyless(text, LANGUAGE_EN);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_string_equal(string_of(others[i]), "");
    strings_limit(NULL);
    assert_true(*string_of(STRING_SAY_NO_UNDO));
    free(shown);
}

/* ---- the way around what is black ---- */

/* All of it is black but for the columns from `from` on. */
static struct survey survey_of(int from)
{
    struct survey survey = {.columns = 32, .rows = 18, .width = 1600, .height = 900};
    for (int i = 0; i < 32 * 18; i++)
        survey.level[i] = i % 32 >= from ? 5 : SURVEY_INSIDE;
    return survey;
}

TEST(test_flights_turn_away_from_black)
{
    struct survey half = survey_of(20), none = survey_of(32), unknown = {.columns = 0};
    double x = 1300, y = 450;
    assert_int_equal(kiosk_guide(&half, 180, &x, &y), KIOSK_AHEAD_CLEAR);
    assert_true(x == 1300 && y == 450);
    x = 300;
    assert_int_equal(kiosk_guide(&half, 180, &x, &y), KIOSK_AHEAD_BLACK);
    assert_true(x > 1000 && x < 1100 && fabs(y - 450) <= 50);
    assert_int_equal(kiosk_guide(&none, 180, &x, &y), KIOSK_AHEAD_CLOSED);
    assert_int_equal(kiosk_guide(&unknown, 180, &x, &y), KIOSK_AHEAD_CLEAR);
    assert_true(kiosk_guide_ease(0.1) == 1 && kiosk_guide_ease(0.4) == 0.5);
    assert_true(kiosk_guide_ease(1e9) == KIOSK_GUIDE_SLOWEST && kiosk_guide_ease(0) == 1);
    assert_false(kiosk_guide_best(&none, &x, &y));
    half.level[6 * 32 + 24] = 9; /* something stands out */
    assert_true(kiosk_guide_best(&half, &x, &y));
    assert_true(x > 900 && x < 1280 && y > 180 && y < 540);
}

/* ---- is somebody there? ---- */

TEST(test_idle)
{
    struct kiosk_idle idle = {.idle_s = 45, .countdown_s = 10, .stage = KIOSK_ATTRACT};
    assert_int_equal(kiosk_step(&idle, 1000), KIOSK_NOTHING);
    assert_true(isinf(kiosk_next_s(&idle)));
    assert_int_equal(kiosk_touched(&idle, 1000), KIOSK_ARRIVED);
    assert_int_equal(kiosk_touched(&idle, 1001), KIOSK_NOTHING);
    assert_int_equal(kiosk_step(&idle, 1045.9), KIOSK_NOTHING);
    assert_int_equal(idle.stage, KIOSK_VISITOR);
    assert_true(fabs(kiosk_next_s(&idle) - 1046) < 1e-9);
    assert_int_equal(kiosk_step(&idle, 1046), KIOSK_NOTHING);
    assert_int_equal(idle.stage, KIOSK_COUNTDOWN);
    assert_true(fabs(kiosk_left(&idle, 1051) - 0.5) < 1e-9);
    /* Who touches it stays. */
    assert_int_equal(kiosk_touched(&idle, 1055.9), KIOSK_NOTHING);
    assert_int_equal(idle.stage, KIOSK_VISITOR);
    assert_true(kiosk_left(&idle, 1056) == 0);
    /* After a machine slept both are over at once. */
    assert_int_equal(kiosk_step(&idle, 5000), KIOSK_LEFT);
    assert_int_equal(idle.stage, KIOSK_ATTRACT);
    assert_int_equal(kiosk_step(&idle, 5001), KIOSK_NOTHING);
}

TEST(test_signs_of_a_visitor)
{
    struct kiosk_idle idle = {.pointer_x = 100, .pointer_y = 100};
    struct input_event key = {.kind = INPUT_KEY_DOWN, .key = 'a'}, held = key;
    held.repeat = true;
    assert_true(kiosk_is_sign(&idle, &key, 1));
    assert_false(kiosk_is_sign(&idle, &held, 1)); /* something lies on the keyboard */
    struct input_event move = {.kind = INPUT_MOVE, .x = 103, .y = 98};
    for (int i = 0; i < 100; i++)
        assert_false(kiosk_is_sign(&idle, &move, 1));
    move.x = 120;
    assert_true(kiosk_is_sign(&idle, &move, 1));
    assert_false(kiosk_is_sign(&idle, &move, 1));
    struct input_event stick = {.kind = INPUT_PAD_AXIS, .value = 0.1};
    assert_false(kiosk_is_sign(&idle, &stick, 1));
    stick.value = NAN;
    assert_false(kiosk_is_sign(&idle, &stick, 1));
    stick.value = -0.9;
    assert_true(kiosk_is_sign(&idle, &stick, 1));
    assert_true(kiosk_is_sign(&idle, &(struct input_event){.kind = INPUT_FINGER_DOWN}, 1));
    assert_false(kiosk_is_sign(&idle, &(struct input_event){.kind = INPUT_RESIZE}, 1));
    assert_false(kiosk_is_sign(&idle, &(struct input_event){.kind = INPUT_FOCUS_LOST}, 1));
    assert_false(kiosk_is_sign(&idle, &(struct input_event){.kind = INPUT_PAD_ADDED}, 1));
}

/* ---- the log of visits ---- */

static void check_log(const char *before, const char *date, double seconds, const char *after)
{
    struct visit visit = {.seconds = seconds, .places = 3};
    char *text;
    snprintf(visit.date, sizeof visit.date, "%s", date);
    assert_int_equal(visit_log_add(before, &visit, &text), STATUS_OK);
    assert_string_equal(text, after);
    free(text);
}

#define LOG "date,visits,seconds,places\n"

TEST(test_the_log_has_a_line_for_each_day)
{
    struct visit visit = {.date = "2026-11-28"};
    char *text;
    check_log("", "2026-11-28", 59.6, LOG "2026-11-28,1,60,3\n");
    check_log(LOG "2026-11-28,1,60,3\n", "2026-11-28", 10, LOG "2026-11-28,2,70,6\n");
    check_log(LOG "2026-11-28,2,70,6", "2026-11-29", 0,
              LOG "2026-11-28,2,70,6\n2026-11-29,1,0,3\n");
    check_log(LOG "2026-11-28,2,70,6\n2026-11-29,1,0,3\n", "2026-11-28", 1, /* the clock was set */
              LOG "2026-11-28,3,71,9\n2026-11-29,1,0,3\n");
    assert_int_equal(visit_log_add("name,phone\n", &visit, &text), STATUS_BAD_DATA);
    assert_int_equal(visit_log_add(LOG "2026-11-28,many\n", &visit, &text), STATUS_BAD_DATA);
}

TEST(test_a_visit_is_counted_from_a_touch)
{
    assert_true(kiosk_is_touch(&(struct input_event){.kind = INPUT_FINGER_DOWN}));
    assert_true(kiosk_is_touch(&(struct input_event){.kind = INPUT_WHEEL}));
    assert_false(kiosk_is_touch(&(struct input_event){.kind = INPUT_MOVE}));
    assert_false(kiosk_is_touch(&(struct input_event){.kind = INPUT_KEY_DOWN, .repeat = true}));
}

/* ---- the way out ---- */

static void finger(struct kiosk_exit *staff, enum input_kind kind, int64_t number, double x,
                   double time_s)
{
    struct input_event event = {.kind = kind, .finger = number, .x = x, .y = 20, .time_s = time_s};
    kiosk_exit_finger(staff, &event, 1920, 90);
}

static bool typed(struct kiosk_exit *staff, const char *digits, double now_s)
{
    bool right = false;
    for (; *digits; digits++)
        right = kiosk_exit_digit(staff, *digits, now_s);
    return right;
}

TEST(test_staff_gets_out)
{
    struct kiosk_exit staff = {.pin = "13579"};
    finger(&staff, INPUT_FINGER_DOWN, 1, 10, 100);
    finger(&staff, INPUT_FINGER_DOWN, 2, 1900, 101);
    finger(&staff, INPUT_FINGER_MOVE, 2, 1880, 103);
    assert_false(kiosk_exit_step(&staff, 105.9));
    assert_true(kiosk_exit_step(&staff, 106));
    assert_true(staff.asks);
    assert_true(typed(&staff, "13579", 107));
    /* A wrong one ends it, and so does time. */
    staff = (struct kiosk_exit){.pin = "13579", .asks = true, .asked_s = 100};
    assert_false(typed(&staff, "13578", 101));
    assert_false(staff.asks);
    assert_false(typed(&staff, "13579", 101));
    staff = (struct kiosk_exit){.pin = "13579", .asks = true, .asked_s = 100};
    assert_false(kiosk_exit_step(&staff, 114));
    assert_true(kiosk_exit_step(&staff, 115));
    assert_false(staff.asks);
}

TEST(test_visitors_do_not)
{
    struct kiosk_exit staff = {.pin = "1234"};
    /* One hand goes, or moves away, before the time. */
    finger(&staff, INPUT_FINGER_DOWN, 1, 10, 100);
    finger(&staff, INPUT_FINGER_DOWN, 2, 1900, 100);
    finger(&staff, INPUT_FINGER_UP, 1, 10, 104);
    assert_false(kiosk_exit_step(&staff, 200));
    finger(&staff, INPUT_FINGER_DOWN, 1, 10, 201);
    finger(&staff, INPUT_FINGER_MOVE, 1, 300, 203);
    assert_false(kiosk_exit_step(&staff, 300));
    /* One corner with two fingers. */
    finger(&staff, INPUT_FINGER_DOWN, 3, 20, 301);
    finger(&staff, INPUT_FINGER_UP, 2, 1900, 301);
    assert_false(kiosk_exit_step(&staff, 400));
    /* Without a PIN there is no way. */
    staff = (struct kiosk_exit){.pin = NULL};
    finger(&staff, INPUT_FINGER_DOWN, 1, 10, 100);
    finger(&staff, INPUT_FINGER_DOWN, 2, 1900, 100);
    assert_false(kiosk_exit_step(&staff, 200));
    assert_false(typed(&staff, "0000000000", 200));
    assert_true(kiosk_pin_is_valid("0123"));
    assert_false(kiosk_pin_is_valid("123"));
    assert_false(kiosk_pin_is_valid("123456789"));
    assert_false(kiosk_pin_is_valid("12a4"));
}

/* ---- buttons ---- */

/* Seven in a row at most, 15 mm at least, at the lower edge of every window that has room for
 * them; those of the second row are there when it is open. */
TEST(test_buttons_are_for_hands)
{
    static const struct {
        int32_t width, height;
        double scale;
    } windows[] = {{1920, 1080, 1}, {3840, 2160, 2}, {1024, 768, 1}, {1280, 720, 1.5}};
    const struct kiosk_rows all = {.more = true, .ranks = true}, first = {.ranks = true};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct paint paint = paint_on(NULL, windows[i].width, windows[i].height, windows[i].width,
                                      windows[i].scale, NULL);
        assert_true(KIOSK_ROW <= 7 && KIOSK_BUTTONS - KIOSK_ROW <= 7);
        for (int k = 0; k < KIOSK_BUTTONS; k++) {
            struct paint_area area = kiosk_button_area(&paint, all, (enum kiosk_button)k);
            double x = (area.x + area.width / 2) * paint.scale;
            double y = (area.y + area.height / 2) * paint.scale;
            assert_true(area.width >= KIOSK_BUTTON_LEAST && area.height >= KIOSK_BUTTON_LEAST);
            assert_true(area.x >= 0 && (area.x + area.width) * paint.scale <= paint.width);
            if (k == KIOSK_BUTTON_TAKE_AWAY && !take_away_possible())
                continue;
            assert_true(y > (k < KIOSK_ROW ? 0.75 : 0.6) * paint.height);
            assert_int_equal(kiosk_button_at(&paint, all, x, y), k);
            assert_int_equal(kiosk_button_at(&paint, first, x, y),
                             k < KIOSK_ROW ? k : (int)KIOSK_BUTTONS);
            if (k < KIOSK_ROW)
                assert_int_equal(kiosk_button_at(&paint, all, x, paint.height - 1), k);
            assert_int_equal(kiosk_button_at(&paint, all, x, paint.height / 2.0), KIOSK_BUTTONS);
        }
        for (char digit = '0'; digit <= '9'; digit++) {
            int found = 0;
            for (double y = 0; y < paint.height; y += 10)
                for (double x = 0; x < paint.width; x += 10)
                    found += kiosk_digit_at(&paint, x, y) == digit;
            assert_true(found > 20);
        }
        assert_int_equal(kiosk_digit_at(&paint, -5, NAN), 0);
        assert_int_equal(kiosk_button_at(&paint, all, NAN, NAN), KIOSK_BUTTONS);
    }
}

/* ---- what pictures may cost ---- */

/* A machine of so many iterations a second, and pictures that are black: each of 30,000 samples
 * takes all of the limit. */
static double coarse_s(double per_s, int64_t limit)
{
    return 30000.0 * (double)limit / per_s;
}

TEST(test_bound_follows_the_machine)
{
    for (double per_s = 1e8; per_s < 1e13; per_s *= 3) {
        struct kiosk_bound bound = kiosk_bound_first();
        struct kiosk_cost cost = {.covered = true};
        for (int i = 0; i < 60; i++) {
            cost.limit = bound.limit_most;
            cost.seconds = coarse_s(per_s, cost.limit);
            kiosk_bound_learn(&bound, &cost);
        }
        double took_s = coarse_s(per_s, bound.limit_most);
        assert_true(took_s < 1 || bound.limit_most == KIOSK_LIMIT_LEAST);
        assert_true(took_s > KIOSK_COARSE_S / 16 || bound.limit_most == 8388608000);
    }
}

TEST(test_bound_after_half_a_machine_is_lost)
{
    struct kiosk_bound bound = {.limit_most = 64000, .log2_zoom_most = 200};
    /* A picture is on its way for too long: what is there already does not matter. */
    struct kiosk_cost cost = {.seconds = 0.8, .limit = 64000, .log2_zoom = 20};
    assert_true(kiosk_bound_learn(&bound, &cost));
    assert_int_equal(bound.limit_most, 32000);
    assert_true(bound.log2_zoom_most == 200);
    cost.limit = 32000;
    cost.seconds = 30;
    assert_true(kiosk_bound_learn(&bound, &cost));
    assert_int_equal(bound.limit_most, KIOSK_LIMIT_LEAST);
    assert_false(kiosk_bound_learn(&bound, &cost)); /* it cannot be less */
    cost.seconds = NAN;
    assert_false(kiosk_bound_learn(&bound, &cost));
}

TEST(test_bound_of_depth)
{
    struct kiosk_bound bound = kiosk_bound_first();
    struct kiosk_cost cost = {.seconds = 0.6, .orbit_s = 0.5, .limit = 8000, .log2_zoom = 180};
    kiosk_bound_learn(&bound, &cost);
    assert_true(bound.log2_zoom_most == 0.8 * 180);
    for (int i = 0; i < 100; i++)
        kiosk_bound_learn(&bound, &cost);
    cost.log2_zoom = 10;
    kiosk_bound_learn(&bound, &cost);
    assert_true(bound.log2_zoom_most >= KIOSK_LOG2_LEAST);
    for (int i = 0; i < 100; i++) {
        cost = (struct kiosk_cost){
            .covered = true, .seconds = 0.01, .limit = 1000, .log2_zoom = bound.log2_zoom_most};
        kiosk_bound_learn(&bound, &cost);
    }
    assert_true(bound.log2_zoom_most == KIOSK_LOG2_MOST);
}

/* ---- journeys ---- */

static struct view view_of(const char *re, const char *im, const char *zoom)
{
    struct view view = {.width = 0};
    assert_int_equal(view_set(&view, re, im, zoom, 0, 640, 360), STATUS_OK);
    return view;
}

static double zoom_after(struct kiosk_journey *journey, struct view *view, double seconds,
                         double ease)
{
    for (double s = 0; s < seconds && journey->on; s += 0.05)
        assert_int_equal(kiosk_journey_step(journey, journey->moved_s + 0.05, ease, view),
                         STATUS_OK);
    return strtod(view->zoom, NULL);
}

TEST(test_journey)
{
    struct view home = view_of("-0.5", "0", "1"), at = view_of("0.3", "0.01", "1e6");
    struct view to = view_of("-0.745", "0.11", "1e4"), now = view_of("0.3", "0.01", "1e6");
    struct kiosk_journey journey = {.on = false};
    assert_int_equal(kiosk_journey_begin(&journey, &at, &home, &to, 2, KIOSK_ONE_WAY, 50),
                     STATUS_OK);
    assert_true(zoom_after(&journey, &now, 12.7, 1) < 10); /* by way of home */
    zoom_after(&journey, &now, 60, 1);
    assert_false(journey.on);
    assert_true(fabs(strtod(now.zoom, NULL) - 1e4) < 1 && !strncmp(now.re, "-0.745", 6));
    /* From home and back; nothing moves where nothing may. */
    assert_int_equal(kiosk_journey_begin(&journey, &home, &home, &to, 2, KIOSK_AND_BACK, 50),
                     STATUS_OK);
    assert_true(zoom_after(&journey, &now, 5, 0) == 1);
    assert_true(zoom_after(&journey, &now, 9, 1) > 1000);
    zoom_after(&journey, &now, 60, 1);
    assert_true(fabs(strtod(now.zoom, NULL) - 1) < 1e-6);
    assert_false(journey.on);
    /* A machine that slept goes on from where it was. */
    kiosk_journey_begin(&journey, &home, &home, &to, 2, KIOSK_AND_BACK, 50);
    kiosk_journey_step(&journey, 5000, 1, &now);
    assert_true(journey.on && strtod(now.zoom, NULL) < 2);
    /* At once: there from the first step on, and as long as it rests. */
    kiosk_journey_begin(&journey, &at, &home, &to, 2, KIOSK_AT_ONCE, 50);
    assert_int_equal(kiosk_journey_step(&journey, 50.01, 1, &now), STATUS_OK);
    assert_true(journey.on && fabs(strtod(now.zoom, NULL) - 1e4) < 1);
    assert_true(fabs(zoom_after(&journey, &now, 1.5, 1) - 1e4) < 1 && journey.on);
    zoom_after(&journey, &now, 1, 1);
    assert_false(journey.on);
    /* It begins as it is turned, and comes to what the place is. */
    at.rotation_deg = 30;
    to.rotation_deg = 90;
    kiosk_journey_begin(&journey, &at, &home, &to, 2, KIOSK_ONE_WAY, 50);
    assert_int_equal(kiosk_journey_step(&journey, 50, 1, &now), STATUS_OK);
    assert_true(now.rotation_deg == 30);
    zoom_after(&journey, &now, 60, 1);
    assert_true(now.rotation_deg == 90);
    kiosk_journey_end(&journey);
    view_destroy(&home);
    view_destroy(&at);
    view_destroy(&to);
    view_destroy(&now);
}
