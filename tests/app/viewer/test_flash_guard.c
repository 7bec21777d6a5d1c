/* The guard against flashes: whatever a stand wants to show, no second of what it shows has more
 * than three flashes; what is harmless is shown as it is. Judged by a meter of its own that sees
 * every pixel (render/motion/film_flash.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/screen/flash_guard.h"
#include "render/colour/palette.h"
#include "render/colour/srgb.h"
#include "render/motion/film_flash.h"
#include "tests/support/check.h"

enum { WIDTH = 144, HEIGHT = 96, PIXELS = WIDTH * HEIGHT };

struct screen {
    uint32_t pixels[PIXELS];
    struct warp_image image;
    struct flash_guard *guard;
    struct flash_state *meter; /* of 60 frames a second */
    int worst, worst_wanted;
    struct flash_state *wanted;
};

static void screen_open(struct screen *screen)
{
    memset(screen, 0, sizeof *screen);
    screen->image = (struct warp_image){screen->pixels, WIDTH, HEIGHT, WIDTH};
    assert_int_equal(flash_guard_create(&screen->guard), STATUS_OK);
    assert_int_equal(flash_create(&screen->meter, 60), STATUS_OK);
    assert_int_equal(flash_create(&screen->wanted, 60), STATUS_OK);
}

static void screen_close(struct screen *screen)
{
    flash_guard_destroy(screen->guard);
    flash_destroy(screen->meter);
    flash_destroy(screen->wanted);
}

static int metered(struct flash_state *meter, const uint32_t *pixels, int worst)
{
    static float light[PIXELS][3], of_byte[256];
    struct flash_frame frame;
    for (int i = 0; i < 256 && !(of_byte[255] > 0); i++)
        of_byte[i] = (float)srgb_decode(i / 255.0);
    for (int i = 0; i < PIXELS; i++)
        for (int c = 0; c < 3; c++)
            light[i][c] = of_byte[pixels[i] >> (16 - 8 * c) & 255];
    flash_frame_make(&frame, (const float(*)[3])light, WIDTH, HEIGHT, 1);
    int halves = flash_add(meter, &frame);
    return halves > worst ? halves : worst;
}

/* Shows what is in the pixels as frame number i of 60 a second. */
static bool show(struct screen *screen, int i)
{
    screen->worst_wanted = metered(screen->wanted, screen->pixels, screen->worst_wanted);
    bool limited = flash_guard_show(screen->guard, &screen->image, 100 + i / 60.0);
    screen->worst = metered(screen->meter, screen->pixels, screen->worst);
    return limited;
}

static void fill(struct screen *screen, uint32_t colour)
{
    for (int i = 0; i < PIXELS; i++)
        screen->pixels[i] = UINT32_C(0xff000000) | colour;
}

TEST(test_strobe_is_made_harmless)
{
    static const uint32_t lights[][2] = {
        {0, 0xffffff}, {0x000000, 0xff0000}, {0x202020, 0xb0b0b0}, {0x0000ff, 0xff2000}};
    for (int period = 2; period <= 20; period += 9)
        for (int pair = 0; pair < 4; pair++) {
            struct screen screen;
            screen_open(&screen);
            for (int i = 0; i < 120; i++) {
                fill(&screen, lights[pair][i / period % 2]);
                show(&screen, i);
            }
            if (screen.worst > 2 * FLASH_MOST)
                fail_msg("a strobe of %d frames, colours %d: %d halves", period, pair,
                         screen.worst);
            assert_true(period > 8 || screen.worst_wanted > 2 * FLASH_MOST);
            screen_close(&screen);
        }
}

/* Every palette, run through ten times a second over the whole picture and 2 times in squares: as
 * bad as a hand can make it. */
TEST(test_worst_palettes)
{
    char names[4096], *rest = names, *name;
    int bad = 0;
    palette_names(DEEPFIELD_ASSETS, names, sizeof names);
    while ((name = strsep(&rest, ","))) {
        struct palette *palette;
        struct screen screen;
        name += strspn(name, " ");
        assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, name), STATUS_OK);
        screen_open(&screen);
        for (int i = 0; i < (check_long() ? 240 : 36); i++) {
            for (int at = 0; at < PIXELS; at++) {
                double place = i / 6.0 + (at % WIDTH / 36 + at / WIDTH / 24) * 0.1;
                const float *value =
                    palette_values(palette)[(int)(PALETTE_SAMPLES * (place - floor(place)))];
                screen.pixels[at] = UINT32_C(0xff000000) | (uint32_t)lrintf(value[0]) << 16 |
                                    (uint32_t)lrintf(value[1]) << 8 | (uint32_t)lrintf(value[2]);
            }
            show(&screen, i);
        }
        bad += screen.worst_wanted > 2 * FLASH_MOST;
        if (screen.worst > 2 * FLASH_MOST)
            fail_msg("palette %s: %d halves", name, screen.worst);
        screen_close(&screen);
        palette_destroy(palette);
    }
    assert_true(bad > 5);
}

TEST(test_harmless_pictures_stay)
{
    struct screen screen;
    screen_open(&screen);
    for (int i = 0; i < 240; i++) {
        int grey = 128 + (int)lrint(100 * sin(i * 2 * 3.14159265 / 60)); /* one flash a second */
        fill(&screen, (uint32_t)grey * 0x10101);
        assert_false(show(&screen, i));
        assert_int_equal(screen.pixels[77] & 255, grey);
    }
    const struct flash_report *report = flash_guard_report(screen.guard);
    assert_true(report->flashes >= 0.5 && report->flashes <= FLASH_MOST);
    assert_int_equal(report->limited, 0);
    assert_int_equal(report->pictures, 240);
    assert_true(report->flat_s > 3); /* it had one colour all the time */
    screen_close(&screen);
}

/* What was wanted is reached when the storm is over. */
TEST(test_storm_ends)
{
    struct screen screen;
    int i = 0;
    screen_open(&screen);
    for (; i < 60; i++) {
        fill(&screen, i / 2 % 2 ? 0xffffff : 0);
        show(&screen, i);
    }
    assert_true(flash_guard_ease(screen.guard, 100 + i / 60.0) < 0.3);
    for (int last = i + 90; i < last; i++) {
        fill(&screen, 0x40c080);
        show(&screen, i);
    }
    assert_int_equal(screen.pixels[5] & 0xffffff, 0x40c080);
    assert_true(flash_guard_ease(screen.guard, 110) == 1);
    assert_true(screen.worst <= 2 * FLASH_MOST);
    screen_close(&screen);
}

/* Pictures that come at no even rate, and windows that change their size. */
TEST(test_uneven_times_and_sizes)
{
    struct screen screen;
    struct flash_state *second;
    screen_open(&screen);
    flash_create(&second, 240);
    double now_s = 7;
    for (int i = 0; i < 400; i++) {
        struct warp_image image = screen.image;
        image.width = i % 100 == 99 ? 7 : WIDTH;
        image.height = i % 150 == 149 ? 3 : HEIGHT;
        fill(&screen, i % 2 ? 0xffffff : 0);
        now_s += i % 7 == 3 ? 0.2 : 0.001;
        flash_guard_show(screen.guard, &image, now_s);
        now_s -= i % 50 == 7 ? 0.01 : 0; /* clocks of two threads */
    }
    assert_true(flash_guard_report(screen.guard)->limited > 100);
    assert_true(flash_guard_report(screen.guard)->flashes <= FLASH_MOST);
    flash_destroy(second);
    screen_close(&screen);
}

/* Fine patterns have other means in another size: a picture that stays is no change all the same.
 */
TEST(test_patterns_in_many_sizes)
{
    struct screen screen;
    uint32_t seed = 1;
    double now_s = 7;
    screen_open(&screen);
    for (int i = 0; i < 300; i++) {
        struct warp_image image = screen.image;
        image.width = image.stride = WIDTH - i / 7 % 5 * 23;
        image.height = HEIGHT - i / 5 % 4 * 11;
        for (int at = 0; at < PIXELS; at++) {
            seed = seed * 1664525 + 1013904223;
            uint32_t grey = (i / 3 % 2 ? 40 : 150) + (seed >> 24) % 100;
            screen.pixels[at] = UINT32_C(0xff000000) | grey * 0x10101;
        }
        now_s += 0.02;
        flash_guard_show(screen.guard, &image, now_s);
    }
    assert_true(flash_guard_report(screen.guard)->limited > 100);
    assert_true(flash_guard_report(screen.guard)->flashes <= FLASH_MOST);
    screen_close(&screen);
}
