/* Numbers and lines of the viewer, as they are read on the screen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/overlays/hud.h"
#include "app/viewer/overlays/style.h"
#include "app/viewer/screen/figures.h"
#include "tests/support/check.h"

TEST(test_numbers)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},           {7, "7"},         {999, "999"},     {1000, "1.00 k"},
                 {9994, "9.99 k"},   {9996, "10.0 k"}, {99960, "100 k"}, {999600, "1.00 M"},
                 {1.5e12, "1.50 T"}, {2e21, "2000 E"}};
    char text[STYLE_NUMBER_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(style_number(cases[i].value, text), cases[i].text);
    for (int i = 1; i < 16; i++)
        assert_int_not_equal(style_worker(i), style_worker(i - 1));
}

TEST(test_zooms)
{
    const struct {
        const char *zoom, *text;
    } cases[] = {{"1.4", "1.4"},
                 {"1", "1"},
                 {"+100", "100"},
                 {"78643.2", "78643"},
                 {"78643.00000000", "78643"},
                 {"99999.6", "1e5"},
                 {"0.04", "0.04"},
                 {"0.000123456", "1.2346e-4"},
                 {"4.0000E533", "4e533"},
                 {"1.23456789e1234", "1.2346e1234"},
                 {"0012345678901234", "1.2346e13"},
                 {"9.999999e99999", "1e100000"},
                 {"123.4e+3", "1.234e5"},
                 {"1234.5678e-2", "12.346"},
                 {"0", "0"}};
    char text[STYLE_ZOOM_BYTES], large[1201];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(style_zoom(cases[i].zoom, text), cases[i].text);
    memset(large, '7', 1200);
    large[1200] = '\0';
    assert_string_equal(style_zoom(large, text), "7.7778e1199");
}

TEST(test_hud_lines)
{
    static deepfield_live_state live;
    struct view view = {0};
    assert_int_equal(view_set(&view, "0", "0", "1.23456789e1234", 30, 8, 8), STATUS_OK);
    struct formula julia = {.plane = DYNAMIC_PLANE, .c_re = -0.75, .c_im = 0.125};
    struct hud hud = {HUD_FULL, &live, &view, &julia, .limit_automatic = true};
    char text[HUD_LINE_BYTES];
    live.stage = DEEPFIELD_LIVE_FINE;
    live.done = 0.5;
    live.iterations_per_s = 2.5e9;
    live.limit = 4000;
    live.count_min = 12;
    live.count_max = 34567;
    live.undecided = 0.031;
    static const char *const wanted[] = {"zoom 1.2346e1234, turned by 30\xc2\xb0",
                                         "all pixels, 50 %, 2.50 G iterations/s",
                                         "limit 4.00 k, automatic",
                                         "iterations 12 ... 34.6 k; 3.1 % do not escape",
                                         "",
                                         "Julia set of -0.75 +0.125 i"};
    for (int i = 0; i < 6; i++) {
        assert_true(hud_line(&hud, i, text));
        assert_string_equal(text, wanted[i]);
    }
    assert_false(hud_line(&hud, 6, text));
    view.shape = (struct view_shape){2.123456, -30.001, 0};
    hud_line(&hud, 0, text);
    assert_string_equal(text, "zoom 1.2346e1234, turned by 30\xc2\xb0, "
                              "stretched 2.123\xc3\x97 along -30\xc2\xb0");
    view.shape = (struct view_shape){1, 20, 0};
    view.rotation_deg = 1.4e-15;
    hud_line(&hud, 0, text);
    assert_string_equal(text, "zoom 1.2346e1234");
    live.stage = DEEPFIELD_LIVE_DONE; /* nothing computes: there is no speed */
    live.settled = true;
    hud_line(&hud, 1, text);
    assert_string_equal(text, "finished");
    live.stage = DEEPFIELD_LIVE_ORBIT;
    hud_line(&hud, 1, text);
    assert_string_equal(text, "reference orbit");
    live.orbit_steps = 12345678;
    live.orbit_most = 263010000;
    live.orbit_s = 3.21;
    hud_line(&hud, 1, text);
    assert_string_equal(text, "reference orbit: 12.3 M steps in 3.2 s, at most 263 M");
    hud.level = HUD_SHORT;
    assert_false(hud_line(&hud, 2, text));
    hud.level = HUD_NOTHING;
    assert_false(hud_line(&hud, 0, text));
    assert_int_equal(view_set(&view, "0", "0", "12345678901234", 30, 8, 8), STATUS_OK);
    hud.level = HUD_SHORT;
    hud_line(&hud, 0, text);
    assert_string_equal(text, "zoom 1.2346e13, turned by 30\xc2\xb0");
    assert_int_equal(view_set(&view, "0", "0", "3.733333333333333", 0, 8, 8), STATUS_OK);
    hud_line(&hud, 0, text);
    assert_string_equal(text, "zoom 3.7333");
    view_destroy(&view);
}

/* The report says what frames and first pictures are made of. */
TEST(test_report_has_the_parts_of_frames)
{
    static const char *const members[] = {
        "\"fetch\":{\"count\":1,\"p50_ms\":1",   "\"compose\":{\"count\":1,\"p50_ms\":2",
        "\"paint\":{\"count\":1,\"p50_ms\":3",   "\"upload\":{\"count\":1,\"p50_ms\":4",
        "\"present\":{\"count\":1,\"p50_ms\":5", "\"request\":{\"count\":1,\"p50_ms\":6",
        "\"begin\":{\"count\":1,\"p50_ms\":7",   "\"plan\":{\"count\":1,\"p50_ms\":8",
        "\"compute\":{\"count\":1,\"p50_ms\":9", "\"show\":{\"count\":1,\"p50_ms\":10"};
    static struct figures figures;
    struct measure *parts[] = {&figures.fetch,
                               &figures.parts.compose,
                               &figures.parts.paint,
                               &figures.parts.upload,
                               &figures.parts.present,
                               &figures.coarse_parts.request,
                               &figures.coarse_parts.begin,
                               &figures.coarse_parts.plan,
                               &figures.coarse_parts.compute,
                               &figures.coarse_parts.show};
    char *text = NULL;
    size_t length;
    for (int i = 0; i < 10; i++)
        measure_add(parts[i], (i + 1) * 1e-3);
    FILE *stream = open_memstream(&text, &length);
    assert_int_equal(figures_json(&figures, stream), STATUS_OK);
    fclose(stream);
    for (int i = 0; i < 10; i++)
        assert_non_null(strstr(text, members[i]));
    free(text);
}

/* What comes and goes is no growth: the line through the least of each window counts, of those
 * after the warming, be they of busy or quiet minutes. */
TEST(test_growth_is_the_slope_of_the_least_of_windows)
{
    static struct figures figures;
    char *text = NULL;
    size_t length;
    figures.begun_s = 100;
    for (double t = 0; t <= 7 * FIGURES_STEADY_S; t += 10) {
        bool peak = (int)t % 20 == 0 || t >= 7 * FIGURES_STEADY_S - 30;
        uint64_t busy = (uint64_t)((int)(t / 130) % 2) * 400000;
        uint64_t base = 1000000 + busy + (uint64_t)(t / 3600 * 5e6);
        figures_level(&figures, 100 + t, base + (peak ? 900000 : 0));
    }
    FILE *stream = open_memstream(&text, &length);
    figures_json(&figures, stream);
    fclose(stream);
    const char *growth = strstr(text, "\"growth_bytes_per_hour\":");
    assert_non_null(growth);
    double found = strtod(growth + strlen("\"growth_bytes_per_hour\":"), NULL);
    assert_true(found > 4.8e6 && found < 5.2e6);
    free(text);
}
