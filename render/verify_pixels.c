#include "render/verify_pixels.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { CANDIDATES = 8 /* looked at for every sample that is not just anywhere */ };

struct choice {
    const struct field *picture;
    uint64_t random;
};

struct pixel {
    int32_t x, y;
};

/* SplitMix64 (Steele, Lea, Flood 2014): any seed will do, and it is the same everywhere. */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 ... below - 1 */
static int32_t random_below(uint64_t *state, int32_t below)
{
    return (int32_t)((random_next(state) >> 32) * (uint64_t)below >> 32);
}

static struct pixel pixel_anywhere(struct choice *choice)
{
    int32_t x = random_below(&choice->random, choice->picture->width);
    return (struct pixel){x, random_below(&choice->random, choice->picture->height)};
}

static size_t pixel_index(const struct field *picture, int32_t x, int32_t y)
{
    return (size_t)y * (size_t)picture->width + (size_t)x;
}

static uint64_t pixel_count(const struct field *picture, struct pixel pixel)
{
    return field_count_at(picture, pixel_index(picture, pixel.x, pixel.y));
}

static float plane_at(const struct field *picture, enum plane plane, size_t index)
{
    return picture->plane[plane] ? ((const float *)picture->plane[plane])[index] : 0;
}

/* One pixel in each of `count` cells of a grid over the picture. */
static void pixels_even(struct choice *choice, struct verify_sample *sample, int count)
{
    int32_t width = choice->picture->width, height = choice->picture->height;
    int columns = (int)ceil(sqrt((double)count * width / height));
    columns = columns < 1 ? 1 : columns > count ? count : columns;
    int rows = (count + columns - 1) / columns;
    for (int i = 0; i < count; i++) {
        int64_t cell = (int64_t)i * columns * rows / count; /* leaves no edge of the picture out */
        int64_t column = cell % columns, row = cell / columns;
        int32_t left = (int32_t)(column * width / columns);
        int32_t right = (int32_t)((column + 1) * width / columns);
        int32_t top = (int32_t)(row * height / rows);
        int32_t bottom = (int32_t)((row + 1) * height / rows);
        sample[i].x = left + random_below(&choice->random, right > left ? right - left : 1);
        sample[i].y = top + random_below(&choice->random, bottom > top ? bottom - top : 1);
    }
}

/* The continuous count; past every other for a pixel that did not escape. */
static double pixel_nu(const struct field *picture, int32_t x, int32_t y)
{
    size_t index = pixel_index(picture, x, y);
    uint64_t count = field_count_at(picture, index);
    return count ? (double)count + (double)plane_at(picture, PLANE_FRACTION, index) : 0x1p70;
}

/* How much the count changes from this pixel to the next; -1 for a pixel that did not escape. The
 * gradient of the continuous count is 2 / (ln 2 d), so where it is steep the set is near. */
static double pixel_steepness(const struct field *picture, struct pixel pixel)
{
    int32_t right = pixel.x + 1 < picture->width ? pixel.x + 1 : pixel.x;
    int32_t below = pixel.y + 1 < picture->height ? pixel.y + 1 : pixel.y;
    double here = pixel_nu(picture, pixel.x, pixel.y);
    if (here >= 0x1p69)
        return -1;
    return fmax(fabs(pixel_nu(picture, right, pixel.y) - here),
                fabs(pixel_nu(picture, pixel.x, below) - here));
}

/* The steepest of a few pixels anywhere. */
static struct pixel pixel_steep(struct choice *choice)
{
    struct pixel best = {0, 0};
    double steepest = -2;
    for (int k = 0; k < CANDIDATES; k++) {
        struct pixel pixel = pixel_anywhere(choice);
        double steepness = pixel_steepness(choice->picture, pixel);
        if (steepness <= steepest)
            continue;
        steepest = steepness;
        best = pixel;
    }
    return best;
}

/* A random pixel that escapes and one that does not; false if a few draws had not both. */
static bool ends_draw(struct choice *choice, struct pixel end[2])
{
    bool seen[2] = {false, false};
    for (int k = 0; k < CANDIDATES && !(seen[0] && seen[1]); k++) {
        struct pixel pixel = pixel_anywhere(choice);
        bool escapes = pixel_count(choice->picture, pixel) > 0;
        end[escapes] = pixel;
        seen[escapes] = true;
    }
    return seen[0] && seen[1];
}

/* One of two neighbours of which one escapes: halves the way between such a pair until they touch.
 * A faulty interior test is found here or nowhere. */
static struct pixel pixel_border(struct choice *choice)
{
    struct pixel end[2];
    if (!ends_draw(choice, end))
        return pixel_steep(choice);
    while (abs(end[0].x - end[1].x) > 1 || abs(end[0].y - end[1].y) > 1) {
        struct pixel middle = {(end[0].x + end[1].x) / 2, (end[0].y + end[1].y) / 2};
        end[pixel_count(choice->picture, middle) > 0] = middle;
    }
    return end[random_next(&choice->random) >> 63];
}

void verify_pixels(const struct field *picture, uint64_t seed, struct verify_sample *sample,
                   int count)
{
    struct choice choice = {picture, seed};
    int even = (count + 1) / 2, steep = (count - even) / 2;
    pixels_even(&choice, sample, even);
    for (int i = even; i < count; i++) {
        struct pixel pixel = i < even + steep ? pixel_steep(&choice) : pixel_border(&choice);
        sample[i].x = pixel.x;
        sample[i].y = pixel.y;
    }
    for (int i = 0; i < count; i++) {
        size_t index = pixel_index(picture, sample[i].x, sample[i].y);
        sample[i].got = (int64_t)field_count_at(picture, index);
        for (int p = PLANE_FRACTION; p < PLANES; p++)
            sample[i].plane[p] = plane_at(picture, (enum plane)p, index);
    }
}
