/* What visitors take away: short texts that lead back to the same pixels, and codes of whole pixels
 * that a reader finds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/kiosk/take_away.h"
#include "render/view/view_motion.h"
#include "tests/support/check.h"

enum { WIDTH = 1280, HEIGHT = 720 };

static void place_read(struct place *place, const char *text)
{
    assert_int_equal(place_create(place, WIDTH, HEIGHT), STATUS_OK);
    assert_int_equal(place_text_read(place, text, strlen(text), "test"), STATUS_OK);
}

TEST(texts_lead_back_to_the_same_pixels)
{
    static const char *const texts[] = {
        "[view]\nre = -0.823924999947255468255986\nim = 0.209086086859997610170019\n"
        "zoom = 31.084729366711471\n",
        "[view]\nre = -1.7499993424389471928374659283746592837465\n"
        "im = 1.2345678901234567890123456789012345e-31\nzoom = 3.123456e30\nrotation = 12.5\n",
        "[view]\nre = 0.25\nim = 0\nzoom = 2.718281828459e4\nformula = burning_ship\n"
        "[look]\npalette = ember\n",
        "[view]\nre = -0.7\nim = 0\nzoom = 1.4\n",
        "[view]\nre = 0\nim = 0\nzoom = 1.5\njulia = -0.8,0.156\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct place place, back;
        struct placement at;
        char *text = NULL;
        place_read(&place, texts[i]);
        assert_int_equal(take_away_text(&place, &text), STATUS_OK);
        assert_true(strlen(text) < strlen(texts[i]) + 20 && strlen(text) < 200);
        place_read(&back, text);
        assert_int_equal(view_placement(&place.view, &back.view, &at), STATUS_OK);
        assert_true(hypot(at.dx_px, at.dy_px) < 0.1 && fabs(at.scale - 1) < 1e-4);
        assert_true(fabs(at.angle_rad) < 1e-9 && formula_same(&place.formula, &back.formula));
        assert_string_equal(place.palette, back.palette);
        free(text);
        place_destroy(&place);
        place_destroy(&back);
    }
}

TEST(codes_are_squares_with_three_corners)
{
    struct take_away code = {0};
    if (!take_away_possible()) {
        assert_int_equal(take_away_make(&code, "text"), STATUS_CONFIG);
        return;
    }
    for (size_t length = 1; length <= 2000; length += 333) {
        char text[2001];
        memset(text, 'a', length);
        text[length] = '\0';
        assert_int_equal(take_away_make(&code, text), STATUS_OK);
        assert_true(code.side >= 21 && code.side <= 177 && code.side % 4 == 1);
        for (int corner = 0; corner < 3; corner++) { /* the ring of a finder pattern */
            int x = corner == 1 ? code.side - 7 : 0, y = corner == 2 ? code.side - 7 : 0;
            for (int j = 0; j < 7; j++)
                assert_true(code.modules[y * code.side + x + j] &&
                            code.modules[(y + 6) * code.side + x + j]);
        }
    }
    char *large = calloc(1, 4001);
    memset(large, 'a', 4000);
    assert_int_equal(take_away_make(&code, large), STATUS_TOO_LARGE);
    assert_true(code.side == 0 && !code.modules);
    free(large);
}

/* Each module has the same number of pixels, black or white, in windows of any size. */
TEST(modules_are_whole_pixels)
{
    static const struct {
        int32_t width, height;
        double scale;
    } windows[] = {{1280, 720, 1}, {1280, 720, 1.5}, {3840, 2160, 2}, {800, 600, 1.25}};
    struct take_away code = {0};
    struct paint_fonts *fonts;
    if (!take_away_possible())
        return;
    assert_int_equal(paint_fonts_open(&fonts, DEEPFIELD_ASSETS "/fonts/DejaVuSans.ttf"), STATUS_OK);
    assert_int_equal(take_away_make(&code, "[view]\nre = -0.814901\nim = 0.181636\n"), STATUS_OK);
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        int32_t width = windows[i].width, height = windows[i].height, left = width, top = height;
        uint32_t *pixels = calloc((size_t)width * (size_t)height, sizeof *pixels);
        assert_non_null(pixels);
        struct paint paint = paint_on(pixels, width, height, width, windows[i].scale, fonts);
        take_away_draw(&paint, &code, "");
        for (int32_t y = height - 1; y >= 0; y--)
            for (int32_t x = width - 1; x >= 0; x--)
                if (pixels[y * width + x] == UINT32_C(0xffffffff)) {
                    left = x < left ? x : left;
                    top = y;
                }
        int side = 0;
        while (pixels[top * width + left + side] == UINT32_C(0xffffffff))
            side++;
        assert_int_equal(side % (code.side + 8), 0);
        int module = side / (code.side + 8);
        assert_true(module * code.side > 0.4 * height);
        for (int32_t y = 0; y < module * code.side; y++)
            for (int32_t x = 0; x < module * code.side; x++) {
                uint32_t is = pixels[(top + 4 * module + y) * width + left + 4 * module + x];
                bool dark = code.modules[y / module * code.side + x / module];
                assert_int_equal(is, dark ? UINT32_C(0xff000000) : UINT32_C(0xffffffff));
            }
        free(pixels);
    }
    take_away_destroy(&code);
    paint_fonts_close(fonts);
}

int main(void)
{
    return check_run(NULL, NULL);
}
