/* What is drawn over the picture: nothing is cut, nothing lies over anything else or leaves the
 * window, in any window and at any size of text. All text goes through paint_text, which is
 * listened to. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/overlays/action_words.h"
#include "app/viewer/overlays/hints.h"
#include "app/viewer/overlays/hud.h"
#include "app/viewer/overlays/notice.h"
#include "app/viewer/overlays/overlay.h"
#include "app/viewer/overlays/strings.h"
#include "app/viewer/overlays/style.h"
#include "render/window/window.h"
#include "tests/support/check.h"

enum { SAID_MAX = 2048, SAID_BYTES = 160 };

static struct said {
    double x, y, width, height;
    char text[SAID_BYTES];
} said[SAID_MAX];
static int says;

double __real_paint_text(struct paint *paint, double x, double y, double size, uint32_t colour,
                         const char *text);
double __wrap_paint_text(struct paint *paint, double x, double y, double size, uint32_t colour,
                         const char *text);

static double window_scale; /* what is said is noted in these units, however small its letters */

double __wrap_paint_text(struct paint *paint, double x, double y, double size, uint32_t colour,
                         const char *text)
{
    double units = paint->scale / window_scale;
    struct said *one = &said[says++];
    assert_true(says < SAID_MAX && strlen(text) < SAID_BYTES);
    *one = (struct said){x * units, y * units, 0, units * paint_text_height(paint, size), ""};
    snprintf(one->text, sizeof one->text, "%s", text);
    double width = __real_paint_text(paint, x, y, size, colour, text);
    one->width = units * width;
    return width;
}

/* ---- windows ---- */

static struct paint_fonts *fonts;

static int fonts_open(void **state)
{
    (void)state;
    return paint_fonts_open(&fonts, DEEPFIELD_ASSETS "/fonts/DejaVuSans.ttf") != STATUS_OK;
}

static int fonts_close(void **state)
{
    (void)state;
    paint_fonts_close(fonts);
    return 0;
}

static const struct {
    int32_t width, height;
} sizes[] = {{160, 120},  {320, 200},   {640, 480},  {800, 600},
             {1280, 720}, {1920, 1080}, {3840, 2160}};
enum { SIZES = sizeof sizes / sizeof *sizes };
static const double scales[] = {1, 1.25, 2, 3, 4};
enum { SCALES = sizeof scales / sizeof *scales };

static struct paint window_of(int i)
{
    int32_t width = sizes[i / SCALES].width, height = sizes[i / SCALES].height;
    uint32_t *pixels = calloc((size_t)width * (size_t)height, sizeof *pixels);
    assert_non_null(pixels);
    says = 0;
    double most = fmin((double)width / WINDOW_UNITS_WIDE, (double)height / WINDOW_UNITS_HIGH);
    window_scale = fmin(scales[i % SCALES], most);
    return paint_on(pixels, width, height, width, window_scale, fonts);
}

static void check_said(const struct paint *paint)
{
    double width = paint_units(paint, paint->width), height = paint_units(paint, paint->height);
    for (int i = 0; i < says; i++) {
        const struct said *a = &said[i];
        if (a->x < 0 || a->y < 0 || a->x + a->width > width + 0.01 ||
            a->y + a->height > height + 0.01)
            fail_msg("'%s' leaves %d x %d at %g", a->text, paint->width, paint->height,
                     paint->scale);
        for (int j = 0; j < i; j++) {
            const struct said *b = &said[j];
            double line = 0.75 * fmin(a->height, b->height); /* tails reach into the next line */
            if (a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + line &&
                b->y < a->y + line)
                fail_msg("'%s' lies over '%s' in %d x %d at %g", a->text, b->text, paint->width,
                         paint->height, paint->scale);
        }
    }
}

/* ---- help ---- */

/* Are all words of the text among what was said since `from`, one after the other? */
static bool says_words(int from, const char *text)
{
    char all[1024] = "";
    size_t length = strlen(text), used = 0;
    for (int i = from; i < says && used < length; i++)
        used +=
            (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? " " : "", said[i].text);
    return strncmp(all, text, length) == 0;
}

static void check_words(int from, const char *text)
{
    if (!says_words(from, text))
        fail_msg("'%s' ... instead of '%s'", said[from].text, text);
}

static int said_find(const char *text)
{
    for (int i = 0; i < says; i++)
        if (*said[i].text && !strncmp(said[i].text, text, strlen(said[i].text)))
            return i;
    return -1;
}

static bool said_so(const char *text)
{
    for (int i = 0; i < says; i++)
        if (!strcmp(said[i].text, text))
            return true;
    return false;
}

/* The keys of an action, and then what it does, whole. */
static bool is_shown(const struct actions *actions, enum action action)
{
    char keys[256];
    actions_words(actions, action, keys, sizeof keys);
    for (int i = 0; i < says; i++) {
        size_t used = strlen(said[i].text);
        if (strncmp(said[i].text, keys, used) != 0 || (keys[used] && keys[used] != ' '))
            continue;
        int next = i + 1;
        while (keys[used] && next < says) {
            used += 1 + strlen(said[next++].text);
            if (used > strlen(keys))
                break;
        }
        if (used != strlen(keys) || next >= says || !says_words(i, keys))
            continue; /* what another action does may end with a word of these keys */
        if (!strncmp(said[next].text, string_action(action), strlen(said[next].text))) {
            check_words(next, string_action(action));
            return true;
        }
    }
    return false;
}

/* By pages every action is seen, with all its keys, in every language. */
TEST(help_shows_all)
{
    struct actions actions;
    assert_int_equal(actions_create(&actions, NULL), STATUS_OK);
    for (int i = 0; i < SIZES * SCALES; i++) {
        language_use((enum language)(i % LANGUAGES));
        struct paint paint = window_of(i);
        bool seen[ACTIONS] = {false};
        int pages = 0, first = 0, shown = 0;
        do {
            says = 0;
            struct overlay_help help = overlay_help(&paint, &actions, first);
            check_said(&paint);
            assert_true(help.shown > 0 && help.first <= first);
            for (int action = ACTION_NONE + 1; action < ACTIONS; action++)
                seen[action] |= is_shown(&actions, (enum action)action);
            shown = help.first + help.shown - first;
            first += shown;
            assert_true(++pages < ACTIONS);
        } while (shown > 0 && said_find(string_of(STRING_HELP_REST)) >= 0);
        for (int action = ACTION_NONE + 1; action < ACTIONS; action++)
            if (!seen[action])
                fail_msg("%s is not shown in %d x %d at %g", action_rows[action].name, paint.width,
                         paint.height, paint.scale);
        int last = overlay_help(&paint, &actions, 1 << 20).first;
        assert_int_equal(overlay_help(&paint, &actions, last + 1).first, last);
        assert_int_equal(overlay_help(&paint, &actions, -7).first, 0);
        free(paint.pixels);
    }
    language_use(LANGUAGE_EN);
}

/* What is bound to nothing is not shown, but counted; and people know the words. */
TEST(help_speaks_to_people)
{
    static const char *const wanted[] = {"=, +, A (gamepad)",    "wheel up",     "Page Up", "F1, ?",
                                         "Shift+P, X (gamepad)", "Left arrow, A"};
    struct actions actions;
    struct ini keys = {0};
    assert_int_equal(ini_add(&keys, "keys", "tiles", "none", 1), STATUS_OK);
    assert_int_equal(actions_create(&actions, &keys), STATUS_OK);
    ini_destroy(&keys);
    struct paint paint = window_of(5 * SCALES);
    overlay_help(&paint, &actions, 0);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!said_so(wanted[i]))
            fail_msg("'%s' is not in the help", wanted[i]);
    for (int i = 0; i < says; i++)
        if (strstr(said[i].text, "pad-") || strstr(said[i].text, "notch") ||
            !strcmp(said[i].text, "-") || strstr(said[i].text, action_rows[ACTION_TILES].help))
            fail_msg("'%s' is for the author", said[i].text);
    assert_true(said_so("1 more without a key: see configs/KEYS.md"));
    free(paint.pixels);
}

/* ---- maps ---- */

/* A point is where a very deep view of it is. */
TEST(points_lie_where_views_do)
{
    struct view map = {0}, deep = {0};
    assert_int_equal(view_home(&map, &range_parameter_plane, 260, 195), STATUS_OK);
    assert_int_equal(view_set(&deep, "-0.75", "0.125", "1e9", 0, 260, 195), STATUS_OK);
    for (int i = 0; i < SIZES * SCALES; i++) {
        struct paint one = window_of(i), other = window_of(i);
        overlay_here(&one, OVERLAY_RIGHT, &map, &deep);
        overlay_point(&other, OVERLAY_RIGHT, &map, -0.75, 0.125);
        assert_true(one.touched.right > one.touched.left);
        assert_in_range(one.touched.left - other.touched.left + 1, 0, 2);
        assert_in_range(one.touched.top - other.touched.top + 1, 0, 2);
        free(one.pixels);
        free(other.pixels);
    }
    view_destroy(&map);
    view_destroy(&deep);
}

/* The middle of the map, seen mirrored, turned and stretched, keeps its corners on it. */
TEST(a_stretched_view_has_its_frame_on_the_map)
{
    struct view map = {0}, view = {.shape = {.stretch = 4}};
    assert_int_equal(view_home(&map, &range_parameter_plane, 260, 195), STATUS_OK);
    assert_int_equal(view_set(&view, map.re, map.im, "14", 0, 200, 200), STATUS_OK);
    struct paint paint = window_of(0);
    overlay_here(&paint, OVERLAY_RIGHT, &map, &view);
    struct paint_area area = overlay_inset_area(&paint, OVERLAY_RIGHT);
    double side = paint.scale * area.height / 10; /* of it without a stretch */
    assert_true(fabs(paint.touched.right - paint.touched.left - side / 2) < 6);
    assert_true(fabs(paint.touched.bottom - paint.touched.top - side * 2) < 6);
    free(paint.pixels);
    view_destroy(&map);
    view_destroy(&view);
}

/* ---- the rest ---- */

static void check_whole(const char *text)
{
    int first = said_find(text);
    for (; first >= 0 && first < says && strncmp(said[first].text, text, strlen(said[first].text));)
        first++;
    assert_true(first >= 0);
    check_words(first, text);
}

/* Figures and both insets, with as much to tell as there can be. */
TEST(figures_and_insets_are_side_by_side)
{
    static deepfield_live_worker worker[40];
    static deepfield_live_state live = {.worker = worker};
    struct view view = {0};
    const struct formula julia = {
        .plane = DYNAMIC_PLANE, .c_re = -0.123456789, .c_im = 0.987654321};
    const char *title = "Julia set of -0.1235 +0.9877 i";
    struct paint_image image = {.pixels = NULL};
    assert_int_equal(view_set(&view, "0", "0", "1.23456789e1234", 123.4, 8, 8), STATUS_OK);
    live.stage = DEEPFIELD_LIVE_ORBIT;
    live.orbit_steps = 123456789;
    live.orbit_most = 987654321012;
    live.orbit_s = 1234.5;
    live.limit = live.orbit_most;
    live.count_min = 123456;
    live.count_max = 987654321;
    snprintf(live.method, sizeof live.method, "perturbation, 123,456,789 steps at 123,456 bits");
    live.workers = 40;
    for (int i = 0; i < live.workers; i++) {
        deepfield_live_worker *one = &worker[i];
        one->rank = 1000 + i;
        one->alive = i % 3 != 0;
        one->transport = "message";
        one->heard_s = 3;
        snprintf(one->host, sizeof one->host, "a-long-name-of-a-host");
    }
    for (int i = 0; i < SIZES * SCALES; i++)
        for (int insets = 0; insets < 2; insets++)
            for (enum hud_level level = HUD_SHORT; level < HUD_LEVELS; level++) {
                struct paint paint = window_of(i);
                struct hud hud = {level, &live, &view, &julia, .limit_automatic = true};
                double room = paint_units(&paint, paint.height);
                if (insets) {
                    overlay_inset(&paint, OVERLAY_LEFT, &image, "where this is in its Julia set");
                    overlay_inset(&paint, OVERLAY_RIGHT, &image, title);
                    check_whole(title);
                    room = overlay_inset_frame(&paint, OVERLAY_LEFT).y;
                }
                hud_draw(&hud, &paint, room);
                for (int j = 2 * insets; j < says; j++)
                    assert_true(said[j].y + said[j].height <= room);
                check_said(&paint);
                check_whole("zoom 1.2346e1234, turned by 123.4\xc2\xb0");
                free(paint.pixels);
            }
    view_destroy(&view);
}

/* Figures, insets and the words about an orbit, however narrow the window and large the letters. */
TEST(orbits_leave_room_for_figures)
{
    static deepfield_live_worker worker[1];
    static deepfield_live_state live = {
        .stage = DEEPFIELD_LIVE_DONE, .settled = true, .workers = 1, .worker = worker};
    static struct overlay_path orbit = {
        .facts = {.count = 39, .escape = 38, .log2_potential = -36.012, .ray_count = 1}};
    static const char *const zooms[] = {"2.8", "1e50"};
    struct paint_image image = {.pixels = NULL};
    const struct formula formula = {.plane = PARAMETER_PLANE};
    struct view view = {0};
    worker[0] = (deepfield_live_worker){.alive = true, .transport = "local"};
    for (int i = 0; i < 5 * SCALES * 4; i++) { /* up to 1280 x 720 */
        struct paint paint = window_of(i / 4);
        double room = paint_units(&paint, paint.height) - STYLE_GAP;
        assert_int_equal(view_set(&view, "-0.9", "0.3", zooms[i % 2], 0, paint.width, paint.height),
                         STATUS_OK);
        if (i & 2) {
            overlay_inset(&paint, OVERLAY_LEFT, &image, "where this is");
            overlay_inset(&paint, OVERLAY_RIGHT, &image, "Julia set of -0.1235 +0.9877 i");
            room = overlay_inset_frame(&paint, OVERLAY_LEFT).y;
        }
        struct overlay_orbit shown = {
            .view = &view, .orbit = &orbit, .count = 39, .period = 3, .bottom = room};
        struct hud hud = {HUD_FULL, &live, &view, &formula, .palette = "meridian"};
        int before = says;
        double left = overlay_orbit(&paint, &shown);
        bool said_any = says > before && !strncmp(said[before].text, "orbit of this point", 19);
        assert_true(said_any || room < 140); /* the smallest windows with all that there is */
        hud_draw(&hud, &paint, fmin(room, left));
        check_said(&paint);
        free(paint.pixels);
    }
    view_destroy(&view);
}

/* However large letters were asked for: where they have room at a smaller size, all is told. */
TEST(figures_are_all_there_in_large_letters)
{
    static deepfield_live_worker worker[40];
    static deepfield_live_state live = {.worker = worker};
    struct view view = {0};
    const struct formula formula = {.plane = PARAMETER_PLANE};
    assert_int_equal(view_set(&view, "0", "0", "1.5", 0, 8, 8), STATUS_OK);
    live.stage = DEEPFIELD_LIVE_DONE;
    live.settled = true;
    live.count_min = live.count_max = 7;
    snprintf(live.method, sizeof live.method, "fp64");
    for (live.workers = 1; live.workers <= 40; live.workers += 39)
        for (int i = 2 * SCALES; i < SIZES * SCALES; i++) { /* from 640 x 480 on */
            struct paint paint = window_of(i);
            struct hud hud = {HUD_FULL, &live, &view, &formula, .palette = "x"};
            for (int k = 0; k < live.workers; k++)
                worker[k] =
                    (deepfield_live_worker){.rank = k, .alive = true, .transport = "message"};
            hud_draw(&hud, &paint, paint_units(&paint, paint.height) - 10);
            check_said(&paint);
            check_whole("zoom 1.5");
            check_whole("finished");
            check_whole("limit 0");
            check_whole("iterations 7 ... 7; 0.0 % do not escape");
            check_whole("fp64");
            check_whole("palette x");
            assert_true(said_find("rank 0 ") >= 0);
            assert_true(live.workers == 1 || said_find("rank 39 ") >= 0 ||
                        !strncmp(said[says - 1].text, "and ", 4));
            if (i == 4 * SCALES + 3) /* no smaller than need be: 1280 x 720 at 3 */
                assert_true(said[0].height * window_scale > 1.5 * paint_text_height(&paint, 16));
            free(paint.pixels);
        }
    view_destroy(&view);
}

/* The legend: the square of a rank has the colour of its tiles, also where rank 0 computes nothing
 * and the first worker is another. */
TEST(squares_have_the_colours_of_tiles)
{
    static deepfield_live_worker worker[40];
    static deepfield_live_state live = {.worker = worker};
    struct view view = {0};
    const struct formula formula = {.plane = PARAMETER_PLANE};
    assert_int_equal(view_set(&view, "0", "0", "1", 0, 8, 8), STATUS_OK);
    live.stage = DEEPFIELD_LIVE_DONE;
    live.workers = 1;
    worker[0] = (deepfield_live_worker){.rank = 3, .alive = true, .transport = "message"};
    struct hud hud = {HUD_FULL, &live, &view, &formula, .palette = "x"};
    struct paint paint = window_of(5 * SCALES);
    hud_draw(&hud, &paint, 1000);
    int line = said_find("rank 3 ");
    assert_true(line >= 0);
    int32_t x = (int32_t)said[line].x - 8, y = (int32_t)said[line].y + 8;
    uint32_t square = paint.pixels[y * paint.stride + x] & 0xffffff;
    assert_int_equal(square, style_worker(3) & 0xffffff);
    view_destroy(&view);
    free(paint.pixels);
}

/* The line of an orbit moves, unless nothing may. */
TEST(nothing_moves_if_asked_not_to)
{
    static deepfield_live_state live;
    struct view view = {0};
    const struct formula formula = {.plane = PARAMETER_PLANE};
    assert_int_equal(view_set(&view, "0", "0", "1", 0, 8, 8), STATUS_OK);
    live.stage = DEEPFIELD_LIVE_ORBIT;
    for (int still = 0; still < 2; still++) {
        struct paint first = window_of(5 * SCALES), later = window_of(5 * SCALES);
        struct hud hud = {HUD_SHORT, &live, &view, &formula, .reduced_motion = still};
        live.orbit_s = 1;
        hud_draw(&hud, &first, 1000);
        live.orbit_s = 2;
        hud_draw(&hud, &later, 1000);
        size_t row = (size_t)(first.height - 1) * (size_t)first.stride;
        bool same = !memcmp(first.pixels + row, later.pixels + row,
                            (size_t)first.width * sizeof *first.pixels);
        assert_int_equal(same, still);
        free(first.pixels);
        free(later.pixels);
    }
    view_destroy(&view);
}

TEST(sentences_are_whole)
{
    const char *alarm = "7680 x 4320 would take 123.4 GiB, and 12.3 are there; deepfield render "
                        "takes less, or so it is said by those who have tried it, again and again";
    for (int i = 0; i < SIZES * SCALES; i++) {
        struct paint paint = window_of(i);
        struct notices notices = {0};
        for (int j = 0; j < NOTICES; j++) {
            char text[NOTICE_BYTES];
            snprintf(text, sizeof text, "%d: %s", j, alarm);
            notice_say(&notices, NOTICE_ALARM, 10, NULL, text);
        }
        notices_draw(&notices, &paint, paint_units(&paint, paint.width), NOTICES);
        check_said(&paint);
        says = 0;
        hint_draw(&paint, alarm);
        check_said(&paint);
        check_whole(alarm);
        says = 0;
        assert_true(overlay_sentence(&paint, alarm) >= 0);
        check_said(&paint);
        check_whole(alarm);
        free(paint.pixels);
    }
}

/* ---- times of ranks ---- */

enum { CHART_WORKERS = 40 };

struct chart {
    deepfield_live_worker worker[CHART_WORKERS];
    deepfield_live_load load[CHART_WORKERS];
    deepfield_live_arrival arrival[DEEPFIELD_LIVE_ARRIVALS];
    deepfield_live_state state;
    struct rank_times times;
};

static void chart_begin(struct chart *chart, int workers, int first_rank)
{
    memset(chart, 0, sizeof *chart);
    chart->state = (deepfield_live_state){.workers = workers,
                                          .computing = workers,
                                          .worker = chart->worker,
                                          .load = chart->load,
                                          .arrival = chart->arrival};
    for (int w = 0; w < workers; w++) {
        chart->worker[w].rank = first_rank + w;
        chart->load[w].computes = 1;
    }
    rank_times_add(&chart->times, &chart->state, 100);
}

TEST(times_of_ranks_fill_the_columns_that_they_were_spent_in)
{
    static struct chart chart;
    double share[RANK_TIMES];
    chart_begin(&chart, 3, 1);
    assert_int_equal(chart.times.rows, 4); /* rank 0 composes */
    chart.load[0].compute_s = 0.25;        /* told at once, when it has come */
    chart.load[1].transfer_s = 0.05;
    chart.load[2].computes = 0;
    chart.state.work_s = 0.3;
    chart.state.compose_s = 0.02;
    rank_times_add(&chart.times, &chart.state, 100.3999);
    assert_true(rank_times_shares(&chart.times, 1, 0, share));
    assert_float_equal(share[RANK_COMPUTES], 1, 0.01);
    assert_float_equal(share[RANK_WAITS], 0, 0.01);
    rank_times_shares(&chart.times, 1, 2, share);
    assert_float_equal(share[RANK_COMPUTES], 0.5, 0.01);
    assert_float_equal(share[RANK_WAITS], 0.5, 0.01);
    rank_times_shares(&chart.times, 1, 3, share);
    assert_float_equal(share[RANK_COMPUTES] + share[RANK_WAITS], 0, 0.01);
    rank_times_shares(&chart.times, 2, 0, share);
    assert_float_equal(share[RANK_TRANSFERS], 0.5, 0.01);
    assert_float_equal(share[RANK_WAITS], 0.5, 0.01);
    assert_false(rank_times_shares(&chart.times, 3, 0, share)); /* left out: it does not wait */
    assert_float_equal(share[RANK_WAITS], 0, 0.01);
    rank_times_shares(&chart.times, 0, 0, share);
    assert_float_equal(share[RANK_COMPOSES], 0.2, 0.01);
    rank_times_add(&chart.times, &chart.state, 111);
    for (int age = 0; age < RANK_TIMES_COLUMNS; age++) {
        rank_times_shares(&chart.times, 1, age, share);
        assert_true(share[RANK_COMPUTES] + share[RANK_WAITS] == 0); /* long ago */
    }
}

TEST(many_ranks_share_rows)
{
    static struct chart chart;
    int first, end, before = 0;
    for (int workers = 1; workers <= CHART_WORKERS; workers++)
        for (int rank = 0; rank < 2; rank++) {
            chart_begin(&chart, workers, rank);
            assert_true(chart.times.rows <= RANK_TIMES_ROWS);
            for (int row = before = 0; row < chart.times.rows; row++, before = end) {
                rank_times_workers(&chart.times, row, &first, &end);
                assert_true(first == before && (end > first || (row == 0 && rank > 0)));
            }
            assert_int_equal(before, workers);
        }
}

/* A factor of speed is measured, or not shown. */
TEST(a_factor_needs_both_times)
{
    deepfield_live_state told = {.computing = 3, .picture_s = 0.5};
    assert_true(overlay_times_factor(&told) == 0);
    told.picture_one_s = 1.25;
    assert_true(overlay_times_factor(&told) == 2.5);
    told.picture_s = 0;
    assert_true(overlay_times_factor(&told) == 0);
    told.picture_s = 1.25;
    told.computing = 1;
    assert_true(overlay_times_factor(&told) == 0);
}

/* The chart has its words, buttons and rows within every window that has room for them. */
TEST(the_chart_of_ranks_fits_the_window)
{
    static struct chart chart;
    for (int i = 0; i < SIZES * SCALES; i++)
        for (int workers = 1; workers <= CHART_WORKERS; workers += 13) {
            struct paint paint = window_of(i);
            chart_begin(&chart, workers, 1);
            chart.state.picture_s = 123.4;
            chart.state.picture_one_s = 1234.5;
            chart.state.arrivals = 3; /* one is of a worker that is no longer there */
            chart.arrival[2] = (deepfield_live_arrival){workers, 0, 0, 128, 128, 99.9};
            chart.arrival[3] = (deepfield_live_arrival){workers - 1, 128, 0, 128, 128, 99.9};
            struct overlay_times shown = {&chart.times, &chart.state, 100, .sparks = true};
            overlay_times(&paint, &shown);
            for (int k = 0; k < says; k++)
                assert_true(said[k].x >= 0 &&
                            said[k].x + said[k].width <= paint_units(&paint, paint.width) + 1);
            bool seen[RANK_TIMES_ROWS] = {false};
            for (int y = 0; y < paint.height; y++) {
                int row = overlay_times_at(&paint, &chart.times, paint.width / 3.0, y);
                if (row >= 0)
                    seen[row] = true;
            }
            for (int row = 0; row < chart.times.rows; row++)
                assert_true(seen[row] || paint_units(&paint, paint.height) < 400);
            free(paint.pixels);
        }
}

int main(void)
{
    return check_run(fonts_open, fonts_close);
}
