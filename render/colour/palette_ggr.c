/* Gradients of GIMP (.ggr): a line for each segment, with the colours of its ends, where its middle
 * is, and how it runs from one to the other. Opacity is left out. The form and the functions:
 * developer.gimp.org, "GIMP gradient file format". */
#include "render/colour/palette_kinds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum blend {
    BLEND_LINEAR,
    BLEND_CURVED,
    BLEND_SINE,
    BLEND_SPHERE_UP,
    BLEND_SPHERE_DOWN,
    BLEND_STEP
};
enum colouring { COLOURING_RGB, COLOURING_HUE_UP, COLOURING_HUE_DOWN };

struct ggr_segment {
    double left, middle, right;
    double from[3], to[3];
    enum blend blend;
    enum colouring colouring;
};

struct ggr_gradient {
    struct palette_about about;
    int count;
    struct ggr_segment segments[PALETTE_STOPS_MAX];
};

/* ---- what the numbers mean ---- */

static double blended(const struct ggr_segment *segment, double position)
{
    static const double least = 1e-10, half_turn = 3.14159265358979323846;
    double width = segment->right - segment->left;
    double x = width > least ? fmin(fmax((position - segment->left) / width, 0), 1) : 0.5;
    double middle = width > least ? (segment->middle - segment->left) / width : 0.5;
    double line = x <= middle ? (middle > least ? x / middle / 2 : 0)
                              : (1 - middle > least ? 0.5 + (x - middle) / (1 - middle) / 2 : 1);
    switch (segment->blend) {
    case BLEND_CURVED:
        return pow(x, log(0.5) / log(fmin(fmax(middle, least), 1 - least)));
    case BLEND_SINE:
        return (1 - cos(half_turn * line)) / 2;
    case BLEND_SPHERE_UP:
        return sqrt(1 - (1 - line) * (1 - line));
    case BLEND_SPHERE_DOWN:
        return 1 - sqrt(1 - line * line);
    case BLEND_STEP:
        return x >= middle ? 1 : 0;
    default:
        return line;
    }
}

/* Hue and saturation 0 ... 1: Smith, Color gamut transform pairs, SIGGRAPH 1978. */
static void hsv_from_rgb(const double rgb[3], double hsv[3])
{
    int largest = rgb[1] > rgb[0] ? 1 : 0;
    largest = rgb[2] > rgb[largest] ? 2 : largest;
    double most = rgb[largest], least = fmin(rgb[0], fmin(rgb[1], rgb[2])), range = most - least;
    double hue = range > 0 ? (rgb[(largest + 1) % 3] - rgb[(largest + 2) % 3]) / range : 0;
    hsv[0] = range > 0 ? (2 * largest + hue) / 6 : 0;
    hsv[0] -= floor(hsv[0]);
    hsv[1] = most > 0 ? range / most : 0;
    hsv[2] = most;
}

static void rgb_from_hsv(const double hsv[3], double rgb[3])
{
    for (int c = 0; c < 3; c++) {
        /* 0 ... 6, from the start of this channel's fall */
        double k = fmod(6 * hsv[0] + 5 - 2 * c, 6);
        rgb[c] = hsv[2] * (1 - hsv[1] * fmax(0, fmin(1, fmin(k, 4 - k))));
    }
}

static double hue_between(double from, double to, double part, enum colouring colouring)
{
    double way = to - from;
    if (colouring == COLOURING_HUE_UP && way <= 0)
        way += 1;
    if (colouring == COLOURING_HUE_DOWN && way >= 0)
        way -= 1;
    double hue = from + part * way;
    return hue - floor(hue);
}

static void segment_values(const struct ggr_segment *segment, double position, double rgb[3])
{
    double part = blended(segment, position);
    if (segment->colouring == COLOURING_RGB) {
        for (int c = 0; c < 3; c++)
            rgb[c] = segment->from[c] + part * (segment->to[c] - segment->from[c]);
        return;
    }
    double from[3], to[3], hsv[3];
    hsv_from_rgb(segment->from, from);
    hsv_from_rgb(segment->to, to);
    hsv[0] = hue_between(from[0], to[0], part, segment->colouring);
    for (int c = 1; c < 3; c++)
        hsv[c] = from[c] + part * (to[c] - from[c]);
    rgb_from_hsv(hsv, rgb);
}

static void gradient_values(const void *context, double position, double rgb[3])
{
    const struct ggr_gradient *gradient = context;
    int low = 0, high = gradient->count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(gradient->segments[middle].left <= position ? &low : &high) = middle;
    }
    segment_values(&gradient->segments[low], position, rgb);
}

/* ---- reading ---- */

enum {
    FIELD_LEFT,
    FIELD_MIDDLE,
    FIELD_RIGHT,
    FIELD_FROM,
    FIELD_TO = FIELD_FROM + 4,
    FIELD_BLEND = FIELD_TO + 4,
    FIELD_COLOURING,
    FIELD_FROM_KIND,
    FIELD_TO_KIND,
    FIELDS
};

static enum status fields_read(const struct palette_text *text, struct text line,
                               double field[FIELDS])
{
    struct text word;
    int count = 0;
    field[FIELD_FROM_KIND] = field[FIELD_TO_KIND] = 0; /* files of old versions lack these fields */
    while (text_word_next(&line, &word)) {
        bool good = count < FIELDS && palette_number_take(&word, &field[count]);
        if (!good || word.begin != word.end)
            return palette_fail(text,
                                count < FIELDS ? "field %d is not a number"
                                               : "more than %d fields in a segment",
                                count < FIELDS ? count + 1 : FIELDS);
        count++;
    }
    if (count != FIELDS && count != FIELD_FROM_KIND)
        return palette_fail(text,
                            "%d fields; a segment has 13 or 15: left middle right, red green blue "
                            "alpha of both ends, blending, colouring, and the kinds of the ends",
                            count);
    return STATUS_OK;
}

static enum status choice_check(const struct palette_text *text, const double field[FIELDS],
                                int index, int most, const char *name)
{
    if (field[index] < 0 || field[index] > most || field[index] != floor(field[index]))
        return palette_fail(text, "%s %g; it must be 0 ... %d", name, field[index], most);
    return STATUS_OK;
}

/* Checks the positions. Files are written with six digits, so ends that meet may differ in the
 * last. */
static enum status positions_check(const struct ggr_gradient *gradient,
                                   const struct palette_text *text, const double field[FIELDS])
{
    static const double slack = 2e-6;
    double before = gradient->count ? gradient->segments[gradient->count - 1].right : 0;
    if (fabs(field[FIELD_LEFT] - before) > slack)
        return palette_fail(text,
                            "the segment begins at %g; it must be %g, where the one before "
                            "it ends",
                            field[FIELD_LEFT], before);
    if (!(field[FIELD_LEFT] <= field[FIELD_MIDDLE] + slack &&
          field[FIELD_MIDDLE] <= field[FIELD_RIGHT] + slack &&
          field[FIELD_LEFT] <= field[FIELD_RIGHT] && field[FIELD_RIGHT] <= 1 + slack))
        return palette_fail(text, "positions %g, %g, %g; they must rise, from 0 to 1 in all",
                            field[FIELD_LEFT], field[FIELD_MIDDLE], field[FIELD_RIGHT]);
    return STATUS_OK;
}

static enum status colours_check(const struct palette_text *text, const double field[FIELDS])
{
    for (int i = FIELD_FROM; i < FIELD_BLEND; i++)
        if (!(field[i] >= 0 && field[i] <= 1))
            return palette_fail(text, "field %d is %g; a colour is 0 ... 1", i + 1, field[i]);
    TRY(choice_check(text, field, FIELD_FROM_KIND, 4, "left kind"));
    TRY(choice_check(text, field, FIELD_TO_KIND, 4, "right kind"));
    if (field[FIELD_FROM_KIND] != 0 || field[FIELD_TO_KIND] != 0)
        return palette_fail(text, "an end takes the foreground or background colour of GIMP, which "
                                  "no file holds; put 0 into the last two fields for the colours "
                                  "that stand there");
    return STATUS_OK;
}

static enum status segment_read(struct ggr_gradient *gradient, const struct palette_text *text,
                                struct text line)
{
    double field[FIELDS];
    TRY(fields_read(text, line, field));
    TRY(positions_check(gradient, text, field));
    TRY(colours_check(text, field));
    TRY(choice_check(text, field, FIELD_BLEND, BLEND_STEP, "blending"));
    TRY(choice_check(text, field, FIELD_COLOURING, COLOURING_HUE_DOWN, "colouring"));
    struct ggr_segment *segment = &gradient->segments[gradient->count++];
    *segment = (struct ggr_segment){.left = field[FIELD_LEFT],
                                    .middle = field[FIELD_MIDDLE],
                                    .right = field[FIELD_RIGHT],
                                    .blend = (enum blend)field[FIELD_BLEND],
                                    .colouring = (enum colouring)field[FIELD_COLOURING]};
    memcpy(segment->from, &field[FIELD_FROM], sizeof segment->from);
    memcpy(segment->to, &field[FIELD_TO], sizeof segment->to);
    return STATUS_OK;
}

static enum status head_read(struct ggr_gradient *gradient, struct palette_text *text,
                             int *segments)
{
    static const char key[] = "Name:";
    struct text line = {NULL, NULL};
    if (!palette_line_next(text, &line) || !text_is(&line, "GIMP Gradient"))
        return palette_fail(text, "not a gradient of GIMP; the first line must be 'GIMP Gradient'");
    bool more = palette_line_next(text, &line);
    if (more && text_begins(&line, key)) {
        line.begin += strlen(key);
        text_blanks_skip(&line);
        palette_text_keep(&line, gradient->about.title, sizeof gradient->about.title);
        more = palette_line_next(text, &line);
    }
    if (!more || !palette_whole_take(&line, 1, PALETTE_STOPS_MAX, segments) ||
        line.begin != line.end)
        return palette_fail(text, "expected the number of segments, 1 ... %d", PALETTE_STOPS_MAX);
    return STATUS_OK;
}

/* Does the gradient end as it begins, to the eye? Then it is cyclic. */
static bool ends_meet(const struct ggr_gradient *gradient)
{
    bool meet = true;
    for (int c = 0; c < 3; c++)
        meet = meet && fabs(gradient->segments[gradient->count - 1].to[c] -
                            gradient->segments[0].from[c]) < 0.5 / 255;
    return meet;
}

static enum status gradient_read(struct ggr_gradient *gradient, struct palette_text *text)
{
    struct text line;
    int segments;
    TRY(head_read(gradient, text, &segments));
    while (palette_line_next(text, &line)) {
        if (gradient->count == segments)
            return palette_fail(text, "more than the %d segments that the file says it has",
                                segments);
        TRY(segment_read(gradient, text, line));
    }
    if (gradient->count < segments)
        return palette_fail(text, "the file ends after %d of %d segments", gradient->count,
                            segments);
    if (fabs(gradient->segments[segments - 1].right - 1) > 2e-6)
        return palette_fail(text, "the file ends at position %g; the last segment must end at 1",
                            gradient->segments[segments - 1].right);
    gradient->about.cyclic = ends_meet(gradient);
    return STATUS_OK;
}

static enum status ggr_read(struct palette **palette, struct palette_text *text, const char *wanted)
{
    (void)wanted;
    struct ggr_gradient *gradient = calloc(1, sizeof *gradient);
    if (!gradient)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a palette");
    enum status status = gradient_read(gradient, text);
    if (status == STATUS_OK)
        status = palette_from_values(palette, &gradient->about, gradient_values, gradient);
    free(gradient);
    return status;
}

/* ---- writing ---- */

static void segment_write(FILE *stream, const struct palette_stop *a, const struct palette_stop *b)
{
    fprintf(stream, "%.9f %.9f %.9f", a->position, (a->position + b->position) / 2, b->position);
    for (const struct palette_stop *end = a; end; end = end == a ? b : NULL)
        fprintf(stream, " %.6f %.6f %.6f 1.000000", end->rgb[0], end->rgb[1], end->rgb[2]);
    fputs(" 0 0 0 0\n", stream);
}

static void ggr_write(const struct palette_draft *draft, FILE *stream)
{
    fprintf(stream, "GIMP Gradient\nName: %s\n%d\n",
            *draft->about.title ? draft->about.title : "deepfield", draft->count - 1);
    for (int i = 1; i < draft->count; i++)
        segment_write(stream, &draft->stops[i - 1], &draft->stops[i]);
}

static bool line_is_ggr(const struct text *line)
{
    return text_is(line, "GIMP Gradient");
}

static bool is_ggr(struct text text)
{
    return text_first_line(text, line_is_ggr);
}

const struct palette_kind palette_ggr = {
    .suffix = ".ggr",
    .summary = "gradients of GIMP, Inkscape and Krita",
    .recognise = is_ggr,
    .read = ggr_read,
    .write = ggr_write,
    .course = PALETTE_STRAIGHT,
};
