/* The old picture in a new view: against the definition, pixel by pixel in doubles. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decomposition/thread/clock.h"
#include "render/motion/warp.h"
#include "render/motion/warp_avx2.h"
#include "tests/support/check.h"

static struct warp_image image_new(int32_t width, int32_t height, int32_t stride, uint64_t seed)
{
    struct warp_image image = {malloc((size_t)stride * (size_t)height * 4), width, height, stride};
    assert_non_null(image.pixels);
    for (int64_t i = 0; i < (int64_t)stride * height; i++)
        image.pixels[i] = (uint32_t)check_random(&seed);
    return image;
}

/* Neighbours differ little, so that an error of place shows as an error of value in proportion. */
static struct warp_image image_smooth(int32_t width, int32_t height)
{
    struct warp_image image = image_new(width, height, width + 3, 1);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            image.pixels[y * image.stride + x] =
                0xff000000u | (uint32_t)(x * 255 / width) << 16 | (uint32_t)(y * 255 / height) << 8;
    return image;
}

static double clamped(double value, double most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* Sample `shift` of the old picture at (u, v), four pixels weighted in doubles. */
static double sample(const struct warp_image *from, double u, double v, int shift)
{
    u = clamped(u, from->width - 1), v = clamped(v, from->height - 1);
    int32_t i = (int32_t)u, j = (int32_t)v;
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        int32_t x = i + k % 2, y = j + k / 2;
        double weight = (k % 2 ? u - i : 1 - (u - i)) * (k / 2 ? v - j : 1 - (v - j));
        if (weight > 0)
            sum += weight * (double)(from->pixels[(int64_t)y * from->stride + x] >> shift & 255);
    }
    return sum;
}

/* The definition of struct placement (render/view/view_motion.h), inverted. */
static void place_in_old(const struct warp_image *from, const struct placement *p,
                         const struct warp_image *to, int32_t x, int32_t y, double *u, double *v)
{
    double px = (x + 0.5 - 0.5 * to->width - p->dx_px) / p->scale;
    double py = (y + 0.5 - 0.5 * to->height - p->dy_px) / p->scale;
    *u = px * cos(p->angle_rad) + py * sin(p->angle_rad) + 0.5 * from->width - 0.5;
    *v = py * cos(p->angle_rad) - px * sin(p->angle_rad) + 0.5 * from->height - 0.5;
}

/* Every pixel is what it should be within `most` of a sample; pixels whose place is within a
 * thousandth of the old picture's edge may be either. */
static void check_warp(const struct warp_image *from, const struct placement *p, double most)
{
    struct warp_image to = image_new(101, 67, 105, 7);
    warp_picture(from, p, &to);
    for (int32_t y = 0; y < to.height; y++)
        for (int32_t x = 0; x < to.width; x++) {
            double u, v, near = 1e-3;
            place_in_old(from, p, &to, x, y, &u, &v);
            double in_x = fmin(u + 0.5, from->width - 0.5 - u);
            double in_y = fmin(v + 0.5, from->height - 0.5 - v);
            uint32_t pixel = to.pixels[y * to.stride + x];
            if (fmin(in_x, in_y) < -near) {
                assert_int_equal(pixel, WARP_NEUTRAL);
            } else if (fmin(in_x, in_y) > near) {
                for (int shift = 0; shift < 32; shift += 8) {
                    double wrong = fabs((pixel >> shift & 255) - sample(from, u, v, shift));
                    if (wrong > most)
                        fail_msg("scale %g angle %g shift %g %g: pixel %d %d is %.2f wrong",
                                 p->scale, p->angle_rad, p->dx_px, p->dy_px, x, y, wrong);
                }
            }
        }
    free(to.pixels);
}

/* Two roundings of 1/2 each, a weight that is cut by up to 1/256 in either direction: of a smooth
 * picture, whose neighbours differ by at most 255 / 31 = 8.3, that is 1 + 2 * 8.3 / 256 < 1.1; of
 * noise 1 + 2 * 255 / 256 < 3. */
TEST(any_similarity)
{
    struct warp_image smooth = image_smooth(53, 31), noise = image_new(53, 31, 60, 2);
    uint64_t seed = 20;
    for (int i = 0; i < 300; i++) {
        struct placement p = {.scale = exp2(6 * check_random_unit(&seed) - 2),
                              .angle_rad = i % 3 ? 7 * check_random_unit(&seed) - 3.5 : 0,
                              .dx_px = 120 * check_random_unit(&seed) - 60,
                              .dy_px = 90 * check_random_unit(&seed) - 45};
        check_warp(&smooth, &p, 1.1);
        check_warp(&noise, &p, 3);
    }
    free(smooth.pixels);
    free(noise.pixels);
}

/* What is not quite a whole number of pixels, as arithmetic makes it, is one. */
TEST(whole_pans_copy)
{
    struct warp_image from = image_new(64, 48, 64, 3), to = image_new(64, 48, 70, 4);
    const int32_t pans[][2] = {{0, 0}, {5, -3}, {-63, 47}, {64, 0}, {0, -48}, {1000000, 2}};
    for (size_t i = 0; i < sizeof pans / sizeof pans[0]; i++) {
        struct placement p = {1 + 1e-9, 1e-9, pans[i][0] + 1e-3, pans[i][1] - 1e-3};
        warp_picture(&from, &p, &to);
        for (int32_t y = 0; y < 48; y++)
            for (int32_t x = 0; x < 64; x++) {
                int32_t u = x - pans[i][0], v = y - pans[i][1];
                bool in = u >= 0 && u < 64 && v >= 0 && v < 48;
                assert_int_equal(to.pixels[y * 70 + x],
                                 in ? from.pixels[v * 64 + u] : WARP_NEUTRAL);
            }
    }
    free(from.pixels);
    free(to.pixels);
}

/* Quarter turns of a square move pixels and change none. */
TEST(quarter_turns_are_exact)
{
    struct warp_image from = image_new(33, 33, 33, 5), to = image_new(33, 33, 33, 6);
    struct placement p = {1, acos(-1) / 2, 0, 0};
    warp_picture(&from, &p, &to);
    int32_t wrong = 0;
    for (int32_t y = 0; y < 33; y++)
        for (int32_t x = 0; x < 33; x++) /* clockwise: the upper left goes to the upper right */
            wrong += to.pixels[y * 33 + x] != from.pixels[(32 - x) * 33 + y];
    assert_int_equal(wrong, 0);
    free(from.pixels);
    free(to.pixels);
}

/* Whatever the numbers, nothing outside of the pictures is touched: the sanitizers look on, and the
 * pixels between the rows keep their values. */
TEST(wild_placements)
{
    const double wild[] = {0, -1, 1e-300, 1e300, INFINITY, -INFINITY, NAN, 1, 1e9, -1e9, 4.9e-324};
    enum { WILD = sizeof wild / sizeof wild[0] };
    struct warp_image from = image_new(9, 7, 9, 8), one = image_new(1, 1, 1, 10);
    struct warp_image to = image_new(16, 12, 20, 9);
    for (int i = 0; i < WILD * WILD * WILD * WILD; i++) {
        struct placement p = {wild[i % WILD], wild[i / WILD % WILD], wild[i / WILD / WILD % WILD],
                              wild[i / WILD / WILD / WILD]};
        for (int y = 0; y < 12; y++)
            memset(to.pixels + y * 20 + 16, 0x55, 16);
        warp_picture(i % 2 ? &from : &one, &p, &to);
        for (int y = 0; y < 12; y++)
            for (int x = 16; x < 20; x++)
                assert_int_equal(to.pixels[y * 20 + x], 0x55555555);
    }
    struct placement nothing = {0, 0, 0, 0};
    warp_picture(&from, &nothing, &to);
    assert_int_equal(to.pixels[0], WARP_NEUTRAL);
    assert_int_equal(to.pixels[11 * 20 + 15], WARP_NEUTRAL);
    free(from.pixels);
    free(one.pixels);
    free(to.pixels);
}

/* A page that nobody may read lies right before and right behind the picture. */
static struct warp_image image_fenced(int32_t width, int32_t height, char **fence, size_t *bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pixels = (size_t)width * (size_t)height * 4;
    assert_int_equal(pixels % page, 0);
    *bytes = pixels + 2 * page;
    *fence = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(*fence != MAP_FAILED);
    assert_int_equal(mprotect(*fence, page, PROT_NONE), 0);
    assert_int_equal(mprotect(*fence + page + pixels, page, PROT_NONE), 0);
    return (struct warp_image){(uint32_t *)(void *)(*fence + page), width, height, width};
}

/* However small or far away the old picture is, only its own pixels are read. */
TEST(nothing_else_is_read)
{
    char *fence;
    size_t bytes;
    struct warp_image old = image_fenced(128, 96, &fence, &bytes),
                      seen = image_new(101, 121, 101, 5);
    uint64_t seed = 3;
    for (int i = 0; i < 4000; i++) {
        struct placement at = {.scale = pow(10, -20 + 22 * check_random_unit(&seed)),
                               .angle_rad = i % 3 ? 6 * check_random_unit(&seed) - 3 : 0};
        if (i % 2) { /* the middle of a pixel is right over it */
            double spread = 128 * at.scale;
            at.dx_px =
                (int)(check_random_unit(&seed) * 80) - 40 + check_random_unit(&seed) * spread;
            at.dy_px =
                (int)(check_random_unit(&seed) * 80) - 40 + check_random_unit(&seed) * spread;
        }
        warp_picture(&old, &at, &seen);
    }
    free(seen.pixels);
    munmap(fence, bytes);
}

/* Of two pictures the upper one is what it is alone, where it reaches, and the lower one elsewhere,
 * to the last bit of a sample: it is interpolated from the first pixel that is seen. */
TEST(pictures_lie_over_each_other)
{
    enum { WIDTH = 301, HEIGHT = 203 };
    static const struct placement places[][2] = {{{1, 0, 40, -30}, {1.7, 0, 3.5, 2}},
                                                 {{0.6, 0, 5.5, -3.25}, {1.2, 0.3, 0, 0}},
                                                 {{0.5, 0.7, 10, 10}, {0.8, -0.2, 0, 0}},
                                                 {{1, 0, 4 * WIDTH, 0}, {1, 0, -7, 9}}};
    struct warp_image top = image_smooth(WIDTH, HEIGHT), under = image_smooth(WIDTH, HEIGHT);
    struct warp_image both = image_new(WIDTH, HEIGHT, WIDTH, 31);
    struct warp_image one = image_new(WIDTH, HEIGHT, WIDTH, 32);
    struct warp_image two = image_new(WIDTH, HEIGHT, WIDTH, 33);
    for (int64_t i = 0; i < (int64_t)top.stride * HEIGHT; i++)
        top.pixels[i] |= 0xff;
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        warp_pictures(&top, &places[p][0], &under, &places[p][1], &both);
        warp_picture(&top, &places[p][0], &one);
        warp_picture(&under, &places[p][1], &two);
        for (int32_t i = 0; i < WIDTH * HEIGHT; i++) {
            uint32_t wanted = one.pixels[i] == WARP_NEUTRAL ? two.pixels[i] : one.pixels[i];
            for (int shift = 0; shift < 32; shift += 8)
                assert_true(
                    abs((int)(both.pixels[i] >> shift & 255) - (int)(wanted >> shift & 255)) <= 1);
        }
    }
    free(top.pixels);
    free(under.pixels);
    free(both.pixels);
    free(one.pixels);
    free(two.pixels);
}

/* Wide vectors make the bits of the definition, and say how far they have come. */
TEST(wide_vectors_interpolate_exactly)
{
    enum { COUNT = 67 };
#ifdef __x86_64__
    uint32_t upper[COUNT], lower[COUNT], out[COUNT];
    uint64_t seed = 51;
    for (int round = 0; round < 300 && __builtin_cpu_supports("avx2"); round++) {
        for (int i = 0; i < COUNT; i++) {
            upper[i] = (uint32_t)check_random(&seed);
            lower[i] = (uint32_t)check_random(&seed);
        }
        uint8_t weight = (uint8_t)check_random(&seed);
        int64_t u = (int64_t)(check_random(&seed) & UINT32_MAX);
        int64_t ux = (int64_t)(check_random(&seed) & UINT32_MAX) / 4 * 3 + 1000;
        int32_t count = (int32_t)(check_random(&seed) % 60);
        assert_int_equal(warp_rows_avx2(upper, lower, weight, out, count), count / 4 * 4);
        for (int32_t i = 0; i < 4 * (count / 4 * 4); i++) {
            unsigned a = ((uint8_t *)upper)[i], b = ((uint8_t *)lower)[i];
            assert_int_equal(((uint8_t *)out)[i], (a * (256 - weight) + b * weight + 128) >> 8);
        }
        assert_int_equal(warp_along_avx2(upper, u, ux, out, count), count / 4 * 4);
        for (int32_t i = 0; i < count / 4 * 4; i++)
            for (int shift = 0; shift < 32; shift += 8) {
                int64_t at = (u + i * ux) >> 32;
                unsigned part = (u + i * ux) >> 24 & 255;
                unsigned a = upper[at] >> shift & 255, b = upper[at + 1] >> shift & 255;
                assert_int_equal(out[i] >> shift & 255, (a * (256 - part) + b * part + 128) >> 8);
            }
    }
#endif
}

TEST(over_lets_through)
{
    uint32_t top[4] = {0xff010203, 0x00ffffff, 0x01000000, 0}, out[4] = {1, 2, 3, 4};
    struct warp_image a = {top, 2, 2, 2}, b = {out, 2, 2, 2};
    warp_over(&a, &b);
    assert_int_equal(out[0], 0xff010203);
    assert_int_equal(out[1], 2);
    assert_int_equal(out[2], 0x01000000);
    assert_int_equal(out[3], 4);
}

/* Linked with --wrap: of two cores there would be no team. */
static int copiers = 1;
int __wrap_screen_copiers(int64_t pixels);
int __wrap_screen_copiers(int64_t pixels)
{
    (void)pixels;
    return copiers;
}

/* Each pixel becomes four, also in odd sizes, and in sizes for which several threads work. */
TEST(doubles_are_squares)
{
    static const int32_t sizes[][2] = {{8, 6}, {7, 5}, {1, 1}, {901, 701}};
    for (int s = 0; s < 4; s++) {
        int32_t width = sizes[s][0], height = sizes[s][1];
        struct warp_image half = image_new((width + 1) / 2, (height + 1) / 2, width + 4, 3);
        struct warp_image to = image_new(width, height, width + 2, 4);
        uint32_t beside = to.pixels[width];
        warp_double(&half, &to);
        for (int32_t y = 0; y < height; y++)
            for (int32_t x = 0; x < width; x++)
                assert_int_equal(to.pixels[y * to.stride + x],
                                 half.pixels[y / 2 * half.stride + x / 2]);
        assert_int_equal(to.pixels[width], beside);
        free(half.pixels);
        free(to.pixels);
    }
}

TEST(teams_do_what_one_does)
{
    enum { WIDTH = 801, HEIGHT = 403, PIXELS = WIDTH * HEIGHT };
    struct warp_image from = image_new(WIDTH, HEIGHT, WIDTH, 21);
    struct warp_image team = image_new(WIDTH, HEIGHT, WIDTH, 22);
    struct warp_image one = image_new(WIDTH, HEIGHT, WIDTH, 23);
    struct placement p = {1.3, 0.2, 7.5, -3.25};
    warp_picture(&from, &p, &one);
    copiers = 3;
    warp_picture(&from, &p, &team);
    assert_memory_equal(team.pixels, one.pixels, PIXELS * sizeof *one.pixels);
    warp_copy(&from, &team, 10, 20, 700, 400);
    for (int32_t i = 0; i < PIXELS; i++) {
        bool copied = i % WIDTH >= 10 && i % WIDTH < 700 && i / WIDTH >= 20 && i / WIDTH < 400;
        assert_int_equal(team.pixels[i], copied ? from.pixels[i] : one.pixels[i]);
    }
    warp_copy(&one, &team, 5, 5, 5, 9); /* nothing */
    copiers = 1;
    assert_int_equal(team.pixels[20 * WIDTH + 10], from.pixels[20 * WIDTH + 10]);
    free(from.pixels);
    free(team.pixels);
    free(one.pixels);
}

/* Printed for who works on it. */
TEST(a_screen_is_fast)
{
    struct warp_image from = image_new(1920, 1080, 1920, 14), to = image_new(1920, 1080, 1920, 15);
    const struct placement cases[] = {
        {1, 0, 12, -7}, {1, 0, 0.5, 0.25}, {1.19, 0, 3, 4}, {0.5, 0, 0, 0}, {1.2, 0.3, 5, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double best = 1e9;
        for (int round = 0; round < 4; round++) {
            double began = clock_s();
            warp_picture(&from, &cases[i], &to);
            best = fmin(best, clock_s() - began);
        }
        print_message("scale %g, angle %g: %.2f ms\n", cases[i].scale, cases[i].angle_rad,
                      best * 1e3);
        if (check_long()) /* what has become many times slower */
            assert_true(best < 1);
    }
    free(from.pixels);
    free(to.pixels);
}
