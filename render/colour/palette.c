#include "render/colour/palette.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "render/colour/palette_make.h"
#include "render/colour/srgb.h"

struct palette {
    int count; /* 2: the other of a pair lies behind it */
    struct palette_about about;
    double lightest; /* position of the lightest colour */
    /* One run in linear light, and in sRGB values; the last row repeats the first; [3] is
     * padding. */
    float rgb[PALETTE_SAMPLES + 1][4], values[PALETTE_SAMPLES + 1][4];
};

struct knot { /* knot of the cubic */
    double position;
    double lab[3];
    double slope[3]; /* d lab / d position */
};

/* ---- OKLab: Ottosson, A perceptual color space for image processing, 2020 ---- */

static void lab_from_linear(const double rgb[3], double lab[3])
{
    double l = cbrt(0.4122214708 * rgb[0] + 0.5363325363 * rgb[1] + 0.0514459929 * rgb[2]);
    double m = cbrt(0.2119034982 * rgb[0] + 0.6806995451 * rgb[1] + 0.1073969566 * rgb[2]);
    double s = cbrt(0.0883024619 * rgb[0] + 0.2817188376 * rgb[1] + 0.6299787005 * rgb[2]);
    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

static double clamped(double light)
{
    return fmin(fmax(light, 0), 1);
}

static void linear_from_lab(const double lab[3], double rgb[3])
{
    double l = lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2];
    double m = lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2];
    double s = lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2];
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    rgb[0] = clamped(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
    rgb[1] = clamped(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
    rgb[2] = clamped(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}

/* ---- the cubic ---- */

static double secant(const struct knot *a, const struct knot *b, int channel)
{
    return (b->lab[channel] - a->lab[channel]) / (b->position - a->position);
}

/* Weighted harmonic mean of the neighbouring secants, 0 at an extremum: Fritsch and Butland, SIAM
 * J. Sci. Stat. Comput. 5 (1984), the rule that PCHIP made common. */
static double slope_between(double h0, double d0, double h1, double d1)
{
    if (d0 * d1 <= 0)
        return 0;
    double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

/* Slopes at the knots. At the ends of a palette that runs there and back the slope is 0; a cyclic
 * one goes on. */
static void knots_slope(struct knot *knots, int count, bool cyclic)
{
    int last = count - 1;
    for (int k = 0; k < count; k++) {
        bool end = k == 0 || k == last;
        const struct knot *before = &knots[k == 0 ? last - 1 : k - 1];
        const struct knot *here_in = &knots[k == 0 ? last : k];
        const struct knot *here_out = &knots[k == last ? 0 : k];
        const struct knot *after = &knots[k == last ? 1 : k + 1];
        for (int channel = 0; channel < 3; channel++)
            knots[k].slope[channel] = end && !cyclic
                                          ? 0
                                          : slope_between(here_in->position - before->position,
                                                          secant(before, here_in, channel),
                                                          after->position - here_out->position,
                                                          secant(here_out, after, channel));
    }
}

static void segment_evaluate(const struct knot *a, const struct knot *b, double position,
                             double lab[3])
{
    double h = b->position - a->position, t = (position - a->position) / h, u = 1 - t;
    for (int c = 0; c < 3; c++) /* cubic Hermite form */
        lab[c] = u * u * (1 + 2 * t) * a->lab[c] + t * t * (1 + 2 * u) * b->lab[c] +
                 h * t * u * (u * a->slope[c] - t * b->slope[c]);
}

/* ---- between stops ---- */

struct palette_curve {
    const struct palette_draft *draft;
    struct knot *knots; /* knots of a curve */
};

/* Index of the stop at or before a position. */
static int stop_before(const struct palette_draft *draft, double position)
{
    int low = 0, high = draft->count - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(draft->stops[middle].position <= position ? &low : &high) = middle;
    }
    return low;
}

static double turned(const struct palette_draft *draft, double position)
{
    double back = position - draft->shift;
    return draft->shift > 0 ? back - floor(back) : position;
}

static void curve_light(const struct palette_curve *curve, double position, double light[3])
{
    double at = turned(curve->draft, position), lab[3];
    const struct knot *knot = &curve->knots[stop_before(curve->draft, at)];
    segment_evaluate(knot, knot + 1, at, lab);
    linear_from_lab(lab, light);
}

static void straight_values(const void *context, double position, double rgb[3])
{
    const struct palette_draft *draft = context;
    double at = turned(draft, position);
    const struct palette_stop *a = &draft->stops[stop_before(draft, at)], *b = a + 1;
    double t = (at - a->position) / (b->position - a->position);
    for (int c = 0; c < 3; c++)
        rgb[c] = a->rgb[c] + t * (b->rgb[c] - a->rgb[c]);
}

/* ---- the table ---- */

/* Value of linear light; exact at white, which the matrices above leave at 254.99996, so that a
 * dither would make it 254 here and there. */
static float sample_value(float light)
{
    double value = 255 * srgb_encode(light);
    return (float)(fabs(value - round(value)) < 0.001 ? round(value) : value);
}

static void row_set(struct palette *palette, int row, const double light[3])
{
    for (int c = 0; c < 3; c++) {
        palette->rgb[row][c] = (float)clamped(light[c]);
        palette->values[row][c] = sample_value(palette->rgb[row][c]);
    }
    palette->rgb[row][3] = palette->values[row][3] = 0;
}

/* Position in the palette of a row of its table. A palette that is not cyclic runs there and
 * back. */
static double row_position(const struct palette_about *about, int row)
{
    double t = (double)row / PALETTE_SAMPLES;
    return about->cyclic ? t : 1 - fabs(2 * t - 1);
}

static enum status palette_create(struct palette **palette, const struct palette_about *about)
{
    *palette = malloc(sizeof **palette);
    if (!*palette)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a palette");
    (*palette)->count = 1;
    (*palette)->about = *about;
    return STATUS_OK;
}

static void table_close(struct palette *palette)
{
    memcpy(palette->rgb[PALETTE_SAMPLES], palette->rgb[0], sizeof palette->rgb[0]);
    memcpy(palette->values[PALETTE_SAMPLES], palette->values[0], sizeof palette->values[0]);
    int most = -1;
    for (int row = 0; row < PALETTE_SAMPLES; row++) {
        const float *rgb = palette->rgb[row];
        int luminance = (int)(1000 * (0.2126f * rgb[0] + 0.7152f * rgb[1] + 0.0722f * rgb[2]));
        if (luminance > most) {
            most = luminance;
            palette->lightest = (double)row / PALETTE_SAMPLES;
        }
    }
}

enum status palette_from_values(struct palette **palette, const struct palette_about *about,
                                palette_values_at *values, const void *context)
{
    TRY(palette_create(palette, about));
    for (int row = 0; row < PALETTE_SAMPLES; row++) {
        double rgb[3], light[3];
        values(context, row_position(about, row), rgb);
        for (int c = 0; c < 3; c++)
            light[c] = srgb_decode(clamped(rgb[c]));
        row_set(*palette, row, light);
    }
    table_close(*palette);
    return STATUS_OK;
}

void palette_reverse(struct palette *palette)
{
    const struct palette old = *palette; /* 128 KiB */
    for (int row = 0; row < PALETTE_SAMPLES; row++) {
        int from = palette->about.cyclic ? PALETTE_SAMPLES - row : row + PALETTE_SAMPLES / 2;
        from %= PALETTE_SAMPLES;
        memcpy(palette->rgb[row], old.rgb[from], sizeof old.rgb[from]);
        memcpy(palette->values[row], old.values[from], sizeof old.values[from]);
    }
    table_close(palette);
}

static struct knot *knots_create(const struct palette_draft *draft)
{
    struct knot *knots = malloc((size_t)draft->count * sizeof *knots);
    for (int k = 0; knots && k < draft->count; k++) {
        double light[3];
        for (int c = 0; c < 3; c++)
            light[c] = srgb_decode(draft->stops[k].rgb[c]);
        knots[k].position = draft->stops[k].position;
        lab_from_linear(light, knots[k].lab);
    }
    if (knots)
        knots_slope(knots, draft->count, draft->about.cyclic);
    return knots;
}

enum status palette_from_stops(struct palette **palette, const struct palette_draft *draft)
{
    *palette = NULL;
    if (draft->course == PALETTE_STRAIGHT)
        return palette_from_values(palette, &draft->about, straight_values, draft);
    struct palette_curve curve = {.draft = draft, .knots = knots_create(draft)};
    if (!curve.knots)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a palette");
    enum status status = palette_create(palette, &draft->about);
    for (int row = 0; status == STATUS_OK && row < PALETTE_SAMPLES; row++) {
        double light[3];
        curve_light(&curve, row_position(&draft->about, row), light);
        row_set(*palette, row, light);
    }
    if (status == STATUS_OK)
        table_close(*palette);
    free(curve.knots);
    return status;
}

/* ---- fewer stops ---- */

static const float outline_most = 1.0f / 12; /* largest error of an outline, in 8-bit steps / 255 */

static void stop_of_row(const struct palette *palette, int row, int rows, struct palette_stop *stop)
{
    stop->position = (double)row / rows;
    for (int c = 0; c < 3; c++)
        stop->rgb[c] = palette->values[row][c] / 255.0;
}

/* Marks the worst row between each two marked rows whose error is above the limit; false: none
 * is. */
static bool outline_refine(const struct palette *palette, const struct palette *trial, bool *marked,
                           int rows)
{
    bool refined = false;
    int worst = 0;
    float most = outline_most;
    for (int row = 1; row <= rows; row++) {
        if (marked[row]) {
            if (worst)
                refined = marked[worst] = true;
            worst = 0;
            most = outline_most;
            continue;
        }
        for (int c = 0; c < 3; c++) {
            float off = fabsf(palette->values[row][c] - trial->values[row][c]);
            if (off > most) {
                most = off;
                worst = row;
            }
        }
    }
    return refined;
}

/* Do the ends of a palette that runs there and back meet in one colour? Some kinds of files can
 * express that only as a cyclic palette. */
static bool ends_meet(const struct palette *palette)
{
    bool meet = true;
    for (int c = 0; c < 3; c++)
        meet =
            meet && fabsf(palette->values[0][c] - palette->values[PALETTE_SAMPLES / 2][c]) < 0.5f;
    return meet;
}

enum status palette_outline(const struct palette *palette, enum palette_course course,
                            struct palette_draft *draft)
{
    bool marked[PALETTE_SAMPLES + 1] = {true}, refined = true;
    struct palette_about about = palette->about;
    about.cyclic = about.cyclic || ends_meet(palette);
    int rows = about.cyclic ? PALETTE_SAMPLES : PALETTE_SAMPLES / 2;
    marked[rows] = marked[rows / 2] = true;
    while (refined) {
        struct palette *trial;
        *draft = (struct palette_draft){.about = about, .course = course};
        for (int row = 0; row <= rows; row++)
            if (marked[row])
                stop_of_row(palette, row, rows, &draft->stops[draft->count++]);
        TRY(palette_from_stops(&trial, draft));
        refined = outline_refine(palette, trial, marked, rows);
        palette_destroy(trial);
    }
    return STATUS_OK;
}

struct palette *palette_copy(const struct palette *palette)
{
    size_t bytes = (size_t)palette->count * sizeof *palette;
    struct palette *copy = malloc(bytes);
    if (copy)
        memcpy(copy, palette, bytes);
    return copy;
}

void palette_destroy(struct palette *palette)
{
    free(palette);
}

const struct palette_about *palette_about(const struct palette *palette)
{
    return &palette->about;
}

/* ---- sampling ---- */

uint64_t palette_checksum(const struct palette *palette)
{
    const size_t bytes = (PALETTE_SAMPLES + 1) * sizeof(float[4]);
    uint64_t first = XXH3_64bits(palette_table(palette), bytes);
    return palette->count == 1 ? first : XXH3_64bits_withSeed(palette[1].rgb, bytes, first);
}

enum status palette_pair(struct palette **palette, const struct palette *first,
                         const struct palette *second)
{
    *palette = malloc(2 * sizeof **palette);
    if (!*palette)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a pair of palettes");
    (*palette)[0] = *first;
    (*palette)[1] = *second;
    (*palette)[0].count = 2;
    (*palette)[1].count = 1;
    return STATUS_OK;
}

const struct palette *palette_second(const struct palette *palette)
{
    return palette + (palette->count - 1);
}

double palette_lightest(const struct palette *palette)
{
    return palette->lightest;
}

const float (*palette_table(const struct palette *palette))[4]
{
    return palette->rgb;
}

const float (*palette_values(const struct palette *palette))[4]
{
    return palette->values;
}

const void *palette_bytes(const struct palette *palette, size_t *length)
{
    *length = (size_t)palette->count * sizeof *palette;
    return palette;
}

const struct palette *palette_of_bytes(const void *bytes, size_t length)
{
    const struct palette *palette = bytes;
    bool fits = length >= sizeof *palette && (palette->count == 1 || palette->count == 2) &&
                length == (size_t)palette->count * sizeof *palette;
    return fits ? palette : NULL;
}
