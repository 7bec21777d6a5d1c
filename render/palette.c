#include "render/palette.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "render/srgb.h"

struct palette {
    struct palette_about about;
    /* One period in light, and in sRGB values; the last row repeats the first; [3] is padding. */
    float rgb[PALETTE_SAMPLES + 1][4], values[PALETTE_SAMPLES + 1][4];
};

struct stop {
    double position;
    double lab[3];
    double slope[3]; /* d lab / d position */
};

struct reader {
    const char *name;
    int line;
    struct palette_about about;
    double first_rgb[3], last_rgb[3];
    int count;
    struct stop stops[PALETTE_STOPS_MAX];
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

static float clamped(double light)
{
    return (float)fmin(fmax(light, 0), 1);
}

static void linear_from_lab(const double lab[3], float rgb[4])
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
    rgb[3] = 0;
}

/* ---- the cubic ---- */

static double secant(const struct stop *a, const struct stop *b, int channel)
{
    return (b->lab[channel] - a->lab[channel]) / (b->position - a->position);
}

/* Weighted harmonic mean of the neighbouring secants, 0 at a turn: Fritsch and Butland, SIAM J.
 * Sci. Stat. Comput. 5 (1984), the rule that PCHIP made common. */
static double slope_between(double h0, double d0, double h1, double d1)
{
    if (d0 * d1 <= 0)
        return 0;
    double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

/* At its ends a palette that runs there and back turns, so the slope is 0; a cyclic one goes on. */
static void stops_slope(struct stop *stops, int count, bool cyclic)
{
    int last = count - 1;
    for (int k = 0; k < count; k++) {
        bool end = k == 0 || k == last;
        const struct stop *before = &stops[k == 0 ? last - 1 : k - 1];
        const struct stop *here_in = &stops[k == 0 ? last : k];
        const struct stop *here_out = &stops[k == last ? 0 : k];
        const struct stop *after = &stops[k == last ? 1 : k + 1];
        for (int channel = 0; channel < 3; channel++)
            stops[k].slope[channel] = end && !cyclic
                                          ? 0
                                          : slope_between(here_in->position - before->position,
                                                          secant(before, here_in, channel),
                                                          after->position - here_out->position,
                                                          secant(here_out, after, channel));
    }
}

static void segment_evaluate(const struct stop *a, const struct stop *b, double position,
                             double lab[3])
{
    double h = b->position - a->position, t = (position - a->position) / h, u = 1 - t;
    for (int c = 0; c < 3; c++) /* cubic Hermite form */
        lab[c] = u * u * (1 + 2 * t) * a->lab[c] + t * t * (1 + 2 * u) * b->lab[c] +
                 h * t * u * (u * a->slope[c] - t * b->slope[c]);
}

/* The digits of the matrices above leave white at 254.99996, which a dither would make 254 here and
 * there. */
static float sample_value(float light)
{
    double value = 255 * srgb_encode(light);
    return (float)(fabs(value - round(value)) < 0.001 ? round(value) : value);
}

static void table_fill(struct palette *palette, const struct stop *stops, int count)
{
    for (int i = 0; i < PALETTE_SAMPLES; i++) {
        double t = (double)i / PALETTE_SAMPLES;
        if (!palette->about.cyclic)
            t = 1 - fabs(2 * t - 1); /* there and back */
        int low = 0, high = count - 1;
        while (high - low > 1) {
            int middle = (low + high) / 2;
            *(stops[middle].position <= t ? &low : &high) = middle;
        }
        double lab[3];
        segment_evaluate(&stops[low], &stops[high], t, lab);
        linear_from_lab(lab, palette->rgb[i]);
        for (int c = 0; c < 3; c++)
            palette->values[i][c] = sample_value(palette->rgb[i][c]);
        palette->values[i][3] = 0;
    }
    memcpy(palette->rgb[PALETTE_SAMPLES], palette->rgb[0], sizeof palette->rgb[0]);
    memcpy(palette->values[PALETTE_SAMPLES], palette->values[0], sizeof palette->values[0]);
}

/* ---- reading ---- */

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *blanks_skip(const char *at, const char *end)
{
    while (at < end && blank(*at))
        at++;
    return at;
}

/* A number 0 ... 1 in plain decimals; returns what follows it, or NULL. Own code, because strtod
 * follows the locale and takes hex, inf and nan. Digits beyond the 17th change nothing. */
static const char *unit_number_read(const char *at, const char *end, double *value)
{
    double mantissa = 0, scale = 1;
    int digits = 0;
    bool point = false;
    for (; at < end; at++) {
        if (*at == '.' && !point) {
            point = true;
        } else if (*at >= '0' && *at <= '9') {
            if (++digits <= 17) {
                mantissa = mantissa * 10 + (*at - '0');
                scale *= point ? 10 : 1;
            } else if (!point) {
                return NULL; /* 18 digits before the point are no number below 1 worth reading */
            }
        } else {
            break;
        }
    }
    *value = mantissa / scale;
    return digits > 0 && *value <= 1 ? at : NULL;
}

static enum status stop_read(struct reader *reader, const char *at, const char *end)
{
    static const char *const columns[4] = {"position", "red", "green", "blue"};
    double number[4];
    for (int i = 0; i < 4; i++) {
        at = unit_number_read(blanks_skip(at, end), end, &number[i]);
        if (!at)
            return status_fail(STATUS_BAD_DATA,
                               "palette %s, line %d: the %s is not a number from 0 to 1; expected "
                               "'position, red, green, blue' such as '0.25, 1, 0.5, 0'",
                               reader->name, reader->line, columns[i]);
        at = blanks_skip(at, end);
        bool good = i < 3 ? at < end && *at++ == ',' : at == end;
        if (!good)
            return status_fail(STATUS_BAD_DATA,
                               "palette %s, line %d: expected %s after the %s; a line is "
                               "'position, red, green, blue'",
                               reader->name, reader->line, i < 3 ? "a comma" : "nothing",
                               columns[i]);
    }
    if (reader->count == PALETTE_STOPS_MAX)
        return status_fail(STATUS_BAD_DATA, "palette %s, line %d: more than %d colours",
                           reader->name, reader->line, PALETTE_STOPS_MAX);
    if (reader->count == 0 ? number[0] != 0
                           : number[0] - reader->stops[reader->count - 1].position < 1e-6)
        return status_fail(STATUS_BAD_DATA,
                           "palette %s, line %d: position %g; the first must be 0 and every other "
                           "one greater than the one before it (by 0.000001 or more)",
                           reader->name, reader->line, number[0]);
    struct stop *stop = &reader->stops[reader->count];
    double *rgb = reader->count++ == 0 ? reader->first_rgb : reader->last_rgb;
    memcpy(rgb, &number[1], sizeof reader->last_rgb);
    double linear[3] = {srgb_decode(rgb[0]), srgb_decode(rgb[1]), srgb_decode(rgb[2])};
    stop->position = number[0];
    lab_from_linear(linear, stop->lab);
    return STATUS_OK;
}

static void text_keep(char *to, size_t bytes, const char *from, size_t length)
{
    size_t kept = length < bytes - 1 ? length : bytes - 1;
    memcpy(to, from, kept);
    to[kept] = '\0';
}

static enum status answer_read(const struct reader *reader, const char *key, const char *value,
                               size_t length, bool *answer)
{
    bool yes = length == 3 && !memcmp(value, "yes", 3);
    if (!yes && !(length == 2 && !memcmp(value, "no", 2)))
        return status_fail(STATUS_BAD_DATA, "palette %s, line %d: %s must be yes or no",
                           reader->name, reader->line, key);
    *answer = yes;
    return STATUS_OK;
}

static enum status comment_read(struct reader *reader, const char *at, const char *end)
{
    struct palette_about *about = &reader->about;
    at = blanks_skip(at, end);
    const char *colon = memchr(at, ':', (size_t)(end - at));
    if (!colon)
        return STATUS_OK;
    const char *value = blanks_skip(colon + 1, end);
    size_t key_length = (size_t)(colon - at), length = (size_t)(end - value);
#define KEY_IS(word) (key_length == sizeof word - 1 && !memcmp(at, word, sizeof word - 1))
    if (KEY_IS("title"))
        text_keep(about->title, sizeof about->title, value, length);
    else if (KEY_IS("source"))
        text_keep(about->source, sizeof about->source, value, length);
    else if (KEY_IS("licence"))
        text_keep(about->licence, sizeof about->licence, value, length);
    else if (KEY_IS("cvd-safe"))
        return answer_read(reader, "cvd-safe", value, length, &about->cvd_safe);
    else if (KEY_IS("cyclic"))
        return answer_read(reader, "cyclic", value, length, &about->cyclic);
#undef KEY_IS
    return STATUS_OK;
}

static enum status lines_read(struct reader *reader, const char *text, size_t length)
{
    const char *limit = text + length;
    for (const char *next, *at = text; at < limit; at = next) {
        const char *end = memchr(at, '\n', (size_t)(limit - at));
        end = end ? end : limit;
        next = end + (end < limit);
        reader->line++;
        at = blanks_skip(at, end);
        while (end > at && blank(end[-1]))
            end--;
        for (const char *c = at; c < end; c++)
            if ((unsigned char)*c < ' ' && *c != '\t')
                return status_fail(STATUS_BAD_DATA,
                                   "palette %s, line %d: control character 0x%02x; a palette is "
                                   "plain text",
                                   reader->name, reader->line, (unsigned)*c);
        if (at < end)
            TRY(*at == '#' ? comment_read(reader, at + 1, end) : stop_read(reader, at, end));
    }
    return STATUS_OK;
}

static enum status reader_finish(const struct reader *reader)
{
    int count = reader->count;
    if (count < 2)
        return status_fail(STATUS_BAD_DATA,
                           "palette %s, line %d: the file ends after %d colour%s; two or more are "
                           "needed",
                           reader->name, reader->line, count, count == 1 ? "" : "s");
    if (reader->stops[count - 1].position != 1)
        return status_fail(STATUS_BAD_DATA,
                           "palette %s, line %d: the file ends at position %g; the last must be 1",
                           reader->name, reader->line, reader->stops[count - 1].position);
    if (reader->about.cyclic &&
        memcmp(reader->first_rgb, reader->last_rgb, sizeof reader->last_rgb) != 0)
        return status_fail(STATUS_BAD_DATA,
                           "palette %s, line %d: cyclic, so the last colour must be the first one",
                           reader->name, reader->line);
    return STATUS_OK;
}

enum status palette_parse(struct palette **palette, const char *text, size_t length,
                          const char *name)
{
    *palette = NULL;
    if (length > PALETTE_BYTES_MAX)
        return status_fail(STATUS_BAD_DATA, "palette %s: %zu bytes; at most %d are read", name,
                           length, PALETTE_BYTES_MAX);
    struct reader *reader = calloc(1, sizeof *reader);
    struct palette *made = malloc(sizeof *made);
    enum status status =
        reader && made ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a palette");
    if (status == STATUS_OK) {
        reader->name = name;
        status = lines_read(reader, text, length);
    }
    if (status == STATUS_OK)
        status = reader_finish(reader);
    if (status == STATUS_OK) {
        made->about = reader->about;
        stops_slope(reader->stops, reader->count, made->about.cyclic);
        table_fill(made, reader->stops, reader->count);
        *palette = made;
        made = NULL;
    }
    free(made);
    free(reader);
    return status;
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

const float (*palette_table(const struct palette *palette))[4]
{
    return palette->rgb;
}

const float (*palette_values(const struct palette *palette))[4]
{
    return palette->values;
}

void palette_sample(const struct palette *palette, double position, float rgb[3])
{
    double turn = position - floor(position);
    if (!(turn >= 0 && turn < 1)) /* not a number, or the difference rounded up to 1 */
        turn = 0;
    double place = turn * PALETTE_SAMPLES;
    int index = (int)place;
    float part = (float)(place - index);
    const float *a = palette->rgb[index], *b = palette->rgb[index + 1];
    for (int channel = 0; channel < 3; channel++)
        rgb[channel] = a[channel] + part * (b[channel] - a[channel]);
}
