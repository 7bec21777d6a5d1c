/* Tours: files of stops, and where they look. */
#include <math.h>
#include <string.h>

#include "library/settings/tour_play.h"
#include "tests/support/check.h"

static const char two[] = "[tour]\n"
                          "title-en = Two places\n"
                          "[far]\n"
                          "re = -1.75\n"
                          "im = 0.01\n"
                          "zoom = 2000\n"
                          "flight = 4\n"
                          "dwell = 3\n"
                          "palette = fire\n"
                          "text-en = Far away\n"
                          "text-de = Weit weg\n"
                          "[near]\n"
                          "re = -1.7501\n"
                          "im = 0.01\n"
                          "zoom = 4000\n"
                          "limit = 5000\n"
                          "flight = 2\n"
                          "dwell = 1\n"
                          "tiles = yes\n"
                          "workers = 1\n"
                          "repeat = yes\n";

static struct tour tour_of(const char *text)
{
    struct tour tour;
    if (tour_parse(&tour, text, strlen(text), "tour") != STATUS_OK)
        fail_msg("%s", status_text());
    return tour;
}

TEST(test_a_tour_is_read)
{
    struct tour tour = tour_of(two);
    assert_int_equal(tour.stops, 2);
    assert_string_equal(tour_text(tour.title, "de"), "Two places");
    const struct tour_stop *far = &tour.stop[0], *near = &tour.stop[1];
    assert_string_equal(far->name, "far");
    assert_string_equal(tour_text(far->text, "de"), "Weit weg");
    assert_string_equal(tour_text(far->text, "pl"), "Far away");
    assert_string_equal(tour_text(near->text, "en"), "");
    assert_string_equal(far->place.view.re, "-1.75");
    assert_string_equal(far->place.palette, "fire");
    assert_true(far->flight_s == 4 && far->dwell_s == 3);
    assert_true(far->place.limit == 0 && near->place.limit == 5000);
    assert_true(!far->tiles && near->tiles && near->repeats && near->workers == 1);
    tour_destroy(&tour);
    tour_destroy(&tour);
}

/* One sentence with the line, and nothing is left of the tour. */
TEST(test_what_is_no_tour_is_refused)
{
    static const char place[] = "[a]\nre = 0\nim = 0\nzoom = 1\n";
    static const struct {
        const char *more, *says;
    } rows[] = {
        {"dwel = 3\n", "t:5: unknown key 'dwel'; did you mean 'dwell'"},
        {"dwell = -1\n", "t:5: dwell = -1: "},
        {"dwell = 1e9\n", "t:5: dwell = 1e9: "},
        {"tiles = maybe\n", "t:5: tiles = maybe: it must be yes or no"},
        {"workers = 1.5\n", "t:5: workers = 1.5: "},
        {"text-xx = Hello\n", "t:5: 'xx' is no language"},
        {"palette = \n", ""}, /* the default */
        {"limit = 0\n", "t:5"},
        {"size = 10x10\n", "t:5: unknown key 'size'"},
        {"julia = 1\n", "t:5"},
        {"zoom = 1e999999\n", "t:5"},
        {"[b]\nre = 0\n", "t:6: [b] has no im"},
        {"[tour]\nname = x\n", "t:6: unknown key 'name'; [tour] has title-en"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        struct tour tour;
        snprintf(text, sizeof text, "%s%s", place, rows[i].more);
        enum status status = tour_parse(&tour, text, strlen(text), "t");
        if (*rows[i].says && (status != STATUS_BAD_DATA || !strstr(status_text(), rows[i].says)))
            fail_msg("%s: %s", rows[i].more, status == STATUS_OK ? "is read" : status_text());
        assert_true(status == STATUS_OK || (!tour.stop && tour.stops == 0));
        tour_destroy(&tour);
    }
    struct tour tour;
    assert_int_equal(tour_parse(&tour, "[tour]\n", 7, "t"), STATUS_BAD_DATA);
    assert_int_equal(tour_read(&tour, "/nowhere/tour.ini"), STATUS_NO_INPUT);
    char longest[1000];
    int head = snprintf(longest, sizeof longest, "%stext-en = ", place);
    memset(longest + head, 'x', TOUR_TEXT_MOST + 1);
    assert_int_equal(tour_parse(&tour, longest, (size_t)head + TOUR_TEXT_MOST + 1, "t"),
                     STATUS_BAD_DATA);
    assert_int_equal(tour_parse(&tour, longest, (size_t)head + TOUR_TEXT_MOST, "t"), STATUS_OK);
    tour_destroy(&tour);
}

struct walk { /* a tour, step by step */
    struct place place;
    struct tour_play play;
    double seconds;
    double log2_least; /* of the zoom on the way */
    double jump_most;  /* of a step, in pictures */
};

static double log2_zoom(const struct view *view)
{
    return log2(strtod(view->zoom, NULL));
}

static void walk_step(struct walk *walk, double step_s)
{
    struct view before = {.re = NULL};
    struct placement at;
    bool moved;
    assert_int_equal(view_copy(&before, &walk->place.view), STATUS_OK);
    assert_int_equal(tour_step(&walk->play, step_s, &walk->place, &moved), STATUS_OK);
    assert_int_equal(view_placement(&before, &walk->place.view, &at), STATUS_OK);
    assert_int_equal(walk->place.view.width, 160);
    walk->jump_most = fmax(walk->jump_most, hypot(at.dx_px, at.dy_px) / 90);
    walk->jump_most = fmax(walk->jump_most, fabs(log2(at.scale)));
    walk->log2_least = fmin(walk->log2_least, log2_zoom(&walk->place.view));
    walk->seconds += step_s;
    assert_true(moved || view_same(&before, &walk->place.view));
    view_destroy(&before);
}

static struct walk walk_begin(const struct tour *tour)
{
    struct walk walk = {.log2_least = INFINITY};
    assert_int_equal(place_create(&walk.place, 160, 90), STATUS_OK);
    assert_true(tour_is_at_end(&walk.play));
    assert_int_equal(tour_begin(&walk.play, tour, &walk.place), STATUS_OK);
    return walk;
}

static void walk_end(struct walk *walk)
{
    tour_end(&walk->play);
    place_destroy(&walk->place);
}

TEST(test_a_tour_is_flown_stop_by_stop)
{
    struct tour tour = tour_of(two);
    struct walk walk = walk_begin(&tour);
    while (walk.play.phase == TOUR_FLIES) {
        walk_step(&walk, 1.0 / 60);
        assert_int_equal(walk.place.limit, 0);
    }
    assert_true(fabs(walk.seconds - 4) < 0.05);
    assert_string_equal(walk.place.palette, "fire");
    assert_string_equal(walk.place.view.re, "-1.75");
    assert_true(walk.jump_most < 0.2);
    while (walk.play.stop == 0)
        walk_step(&walk, 1.0 / 60);
    assert_true(fabs(walk.seconds - 7) < 0.1);
    /* The next is in sight: it is flown to straight. */
    walk.log2_least = INFINITY;
    while (walk.play.phase == TOUR_FLIES) {
        walk_step(&walk, 1.0 / 60);
        assert_int_equal(walk.place.limit, 5000); /* it is deep from the begin on */
    }
    assert_true(walk.log2_least > log2(1999));
    assert_string_equal(walk.place.view.zoom, "4000");
    assert_true(walk.place.limit == 5000 && walk.place.limit_ends);
    while (!tour_is_at_end(&walk.play))
        walk_step(&walk, 1.0 / 60);
    assert_true(fabs(walk.seconds - 10) < 0.15 && walk.jump_most < 0.2);
    walk_step(&walk, 1);
    assert_true(tour_is_at_end(&walk.play));
    walk_end(&walk);
    tour_destroy(&tour);
}

/* Far places are flown to over a view of both. */
TEST(test_a_flight_goes_out_and_in_again)
{
    struct tour tour = tour_of("[a]\nre = -1.75\nim = 0\nzoom = 1e6\nflight = 0\ndwell = 1\n"
                               "[b]\nre = 0.25\nim = 0.5\nzoom = 1e5\nflight = 5\ndwell = 1\n");
    struct walk walk = walk_begin(&tour);
    walk_step(&walk, 0.01);
    assert_string_equal(walk.place.view.zoom, "1e6"); /* no flight: at once */
    walk.jump_most = 0;
    walk.log2_least = INFINITY;
    while (walk.play.stop == 0 || walk.play.phase == TOUR_FLIES)
        walk_step(&walk, 1.0 / 60);
    assert_true(walk.log2_least < 0.5 && walk.log2_least > -2);
    assert_true(walk.jump_most < 0.5);
    assert_string_equal(walk.place.view.re, "0.25");
    walk_end(&walk);
    tour_destroy(&tour);
}

TEST(test_a_tour_goes_to_other_formulas_and_depths)
{
    struct tour tour =
        tour_of("[a]\nre = -0.1\nim = 0.1\nzoom = 20\njulia = -0.8,0.156\nflight = 3\ndwell = 0\n"
                "[b]\nre.0 = -1.7685736563152709932817429153295447129341200534055\n"
                "im = -0.00009642968535\nzoom = 1e40\nflight = 3\ndwell = 0\n");
    struct walk walk = walk_begin(&tour);
    walk_step(&walk, 0.01);
    assert_int_equal(walk.place.formula.plane, DYNAMIC_PLANE);
    assert_true(log2_zoom(&walk.place.view) < log2(20) - 2);
    while (walk.play.stop == 0)
        walk_step(&walk, 1.0 / 60);
    walk_step(&walk, 1.0 / 60);
    assert_int_equal(walk.place.formula.plane, PARAMETER_PLANE);
    while (!tour_is_at_end(&walk.play))
        walk_step(&walk, 1.0 / 60);
    assert_true(fabs(log2_zoom(&walk.place.view) - 40 * log2(10)) < 1e-6);
    walk_end(&walk);
    tour_destroy(&tour);
}

TEST(test_a_tour_pauses_and_skips)
{
    struct tour tour = tour_of(two);
    struct walk walk = walk_begin(&tour);
    walk_step(&walk, 1);
    walk.play.paused = true;
    walk_step(&walk, 100);
    assert_true(walk.play.phase_s < 1.1);
    assert_int_equal(tour_go(&walk.play, 1, &walk.place), STATUS_OK);
    assert_true(!walk.play.paused && walk.play.stop == 1 && walk.play.phase == TOUR_FLIES);
    walk.jump_most = 0;
    walk_step(&walk, 1e-3); /* from where it was, without a jump */
    assert_true(walk.jump_most < 0.05);
    assert_int_equal(tour_go(&walk.play, -1, &walk.place), STATUS_OK);
    assert_int_equal(tour_go(&walk.play, -1, &walk.place), STATUS_OK);
    assert_int_equal(walk.play.stop, 0);
    assert_int_equal(tour_go(&walk.play, 1, &walk.place), STATUS_OK);
    assert_int_equal(tour_go(&walk.play, 1, &walk.place), STATUS_OK);
    assert_true(tour_is_at_end(&walk.play));
    walk_end(&walk);
    tour_destroy(&tour);
}

/* Texts of tours are subtitles of films as well, which nobody can touch. */
static void check_untouched(const char *text)
{
    static const char *const words[] = {"ouch", "erühr", "Toque", "Toca", "otknij"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            fail_msg("'%s' says '%s'", text, words[i]);
}

/* Those that come with the program: every stop has a text in every language, and all of it lasts a
 * few minutes. */
TEST(test_the_tours_that_come_with_it)
{
    static const char *const names[] = {TOURS};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct tour tour;
        double seconds = 0;
        if (tour_read(&tour, names[i]) != STATUS_OK)
            fail_msg("%s", status_text());
        for (size_t j = 0; j < tour.stops; j++) {
            const struct tour_stop *stop = &tour.stop[j];
            seconds += stop->flight_s + stop->dwell_s;
            for (int k = 0; k < LANGUAGES; k++)
                if (!stop->text[k] || !tour.title[k])
                    fail_msg("%s: [%s] has no text-%s", names[i], stop->name, language_codes[k]);
                else
                    check_untouched(stop->text[k]);
        }
        if (tour.stops < 4 || seconds > 400)
            fail_msg("%s: %zu stops, %g s", names[i], tour.stops, seconds);
        tour_destroy(&tour);
    }
}
