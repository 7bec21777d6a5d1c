#include "render/film/film_resample.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* most pixels within the filter: 2 (1 + FILM_FINEST_PX) / FILM_FINEST_PX + 1, and one */
enum { TAPS_MOST = 12 };

/* ---- the filter ------------------------------------------------------------------------------ */

struct taps {
    int32_t first;
    int32_t count;
    float weight[TAPS_MOST]; /* the sum is 1 */
};

/* Filter f, up to a factor: a tent is the second difference of |t| / 2, so the convolution of two
 * is the fourth of |t|^3 / 12. */
static double filter_at(double t, double scale)
{
    static const double share[] = {1, -2, 1};
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double beside = fabs(t + (i - 1) + (j - 1) * scale);
            sum += share[i] * share[j] * beside * beside * beside;
        }
    return fmax(sum, 0);
}

/* Computes the taps of a position: pixels from 0 to `most` within its filter, counted from the
 * middle of the first one. */
static void taps_make(struct taps *taps, double position, double scale, int32_t most)
{
    double radius = (1 + scale) / scale;
    position = fmin(fmax(position, 0), most);
    int32_t first = (int32_t)ceil(position - radius), last = (int32_t)floor(position + radius);
    first = first < 0 ? 0 : first;
    last = last > most ? most : last;
    last = last - first < TAPS_MOST ? last : first + TAPS_MOST - 1;
    float sum = 0;
    taps->first = first;
    taps->count = last - first + 1;
    for (int i = 0; i < taps->count; i++)
        sum += taps->weight[i] = (float)filter_at((first + i - position) * scale, scale);
    for (int i = 0; i < taps->count; i++)
        taps->weight[i] /= sum;
}

struct resampling {
    const struct film_source *source;
    int32_t width, height;
    float (*light)[3];
    struct taps *across; /* taps of each column, where the picture is not rotated */
    int32_t left;        /* columns of the frame that are not resampled, on both sides */
    int32_t first, last; /* columns of the picture that are read */
};

/* Does the filter of a position, `at` pixels of the picture from its middle, lie within its
 * side? */
static bool is_within(const struct film_source *source, double at, int32_t side)
{
    return fabs(at) + (1 + source->scale) / source->scale <= side / 2.0 - 0.5;
}

/* ---- turned ---------------------------------------------------------------------------------- */

static void pixel_gather(const struct film_source *source, const struct taps *across,
                         const struct taps *down, float out[3])
{
    float sum[4] = {0};
    size_t width = (size_t)source->field->width;
    for (int j = 0; j < down->count; j++) {
        const float *pixel =
            source->light[(size_t)(down->first + j) * width + (size_t)across->first];
        float row[4] = {0};
        for (int i = 0; i < across->count; i++, pixel += 3)
            for (int c = 0; c < 4; c++) /* the fourth is the next pixel's first, and is not used */
                row[c] += across->weight[i] * pixel[c];
        for (int c = 0; c < 4; c++)
            sum[c] += down->weight[j] * row[c];
    }
    for (int c = 0; c < 3; c++)
        out[c] = sum[c];
}

static void row_turned(const struct resampling *all, int32_t row)
{
    const struct film_source *source = all->source;
    const struct field *field = source->field;
    struct taps across, down;
    double y = row + 0.5 - all->height / 2.0;
    for (int32_t i = 0; i < all->width; i++) {
        double x = i + 0.5 - all->width / 2.0;
        double u = (x * source->cosine + y * source->sine) / source->scale;
        double v = (y * source->cosine - x * source->sine) / source->scale;
        if (source->inner &&
            !(is_within(source, u, field->width) && is_within(source, v, field->height)))
            continue;
        taps_make(&across, u + field->width / 2.0 - 0.5, source->scale, field->width - 1);
        taps_make(&down, v + field->height / 2.0 - 0.5, source->scale, field->height - 1);
        pixel_gather(source, &across, &down, all->light[(size_t)row * (size_t)all->width + i]);
    }
}

/* ---- upright: rows first, then columns ------------------------------------------------------- */

static void row_upright(const struct resampling *all, int32_t row, float (*sum)[3])
{
    const struct film_source *source = all->source;
    const struct field *field = source->field;
    struct taps down;
    double y = (row + 0.5 - all->height / 2.0) / source->scale;
    size_t length = 3 * (size_t)(all->last - all->first + 1);
    float *to = sum[all->first];
    if (source->inner && !is_within(source, y, field->height))
        return;
    taps_make(&down, y + field->height / 2.0 - 0.5, source->scale, field->height - 1);
    for (int j = 0; j < down.count; j++) {
        float weight = down.weight[j];
        const float *from =
            source->light[(size_t)(down.first + j) * (size_t)field->width + (size_t)all->first];
        for (size_t i = 0; i < length; i++)
            to[i] = (j ? to[i] : 0) + weight * from[i];
    }
    for (int32_t x = all->left; x < all->width - all->left; x++) {
        const struct taps *across = &all->across[x];
        const float *pixel = sum[across->first];
        float all_of[4] = {0};
        for (int i = 0; i < across->count; i++, pixel += 3)
            for (int c = 0; c < 4; c++)
                all_of[c] += across->weight[i] * pixel[c];
        for (int c = 0; c < 3; c++)
            all->light[(size_t)row * (size_t)all->width + (size_t)x][c] = all_of[c];
    }
}

static enum status upright_open(struct resampling *all)
{
    const struct film_source *source = all->source;
    int32_t most = source->field->width - 1;
    all->across = malloc((size_t)all->width * sizeof *all->across);
    if (!all->across)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to resample a frame");
    for (int32_t i = 0; i < all->width; i++) {
        double x = (i + 0.5 - all->width / 2.0) / source->scale;
        taps_make(&all->across[i], x + source->field->width / 2.0 - 0.5, source->scale, most);
        if (source->inner && x < 0 && !is_within(source, x, source->field->width))
            all->left = i + 1;
    }
    if (2 * all->left >= all->width)
        return STATUS_OK; /* nothing is resampled */
    const struct taps *end = &all->across[all->width - 1 - all->left];
    all->first = all->across[all->left].first;
    all->last = end->first + end->count - 1;
    return STATUS_OK;
}

/* ---- the colours of what is needed ----------------------------------------------------------- */

/* Look of the picture, whose distances are in its own pixels and along its own axes. */
static struct look look_of(const struct film_source *source, const struct look *look)
{
    struct look own = *look;
    const float *light = look->shade.light;
    float c = (float)source->cosine, s = (float)source->sine;
    own.shade.per_px *= (float)source->scale;
    own.shade.light[0] = light[0] * c + light[1] * s;
    own.shade.light[1] = light[1] * c - light[0] * s;
    return own;
}

/* Colours columns from `first` to before `last`, except those of the hole. */
static void row_colour(const struct film_source *source, const struct look *look, int32_t row,
                       int32_t first, int32_t last)
{
    const struct field *field = source->field;
    const struct tile *hole = &source->hole;
    float(*light)[3] = source->light + (size_t)row * (size_t)field->width;
    bool crosses = hole->width > 0 && row >= hole->y && row < hole->y + hole->height;
    int32_t left = crosses && hole->x < last ? hole->x : last;
    int32_t right = crosses ? hole->x + hole->width : last;
    if (first < left)
        colour_span_light(look, field, first, row, left - first, light + first);
    if (right < first)
        right = first;
    if (crosses && right < last)
        colour_span_light(look, field, right, row, last - right, light + right);
}

/* Colours the box around the middle that the frame's corners reach. */
static void picture_colour(const struct resampling *all, const struct look *look, int threads)
{
    const struct film_source *source = all->source;
    const struct field *field = source->field;
    struct look own = look_of(source, look);
    double x = all->width / 2.0 + FILM_FILTER_PX, y = all->height / 2.0 + FILM_FILTER_PX;
    double c = fabs(source->cosine), s = fabs(source->sine);
    double u = (x * c + y * s) / source->scale + 1, v = (x * s + y * c) / source->scale + 1;
    int32_t first = (int32_t)fmax(floor(field->width / 2.0 - u), 0);
    int32_t last = (int32_t)fmin(ceil(field->width / 2.0 + u), field->width);
    int32_t top = (int32_t)fmax(floor(field->height / 2.0 - v), 0);
    int32_t bottom = (int32_t)fmin(ceil(field->height / 2.0 + v), field->height);
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
    for (int32_t row = top; row < bottom; row++)
        row_colour(source, &own, row, first, last);
}

enum status film_resample(const struct film_source *source, const struct look *look, int32_t width,
                          int32_t height, float (*light)[3], int threads)
{
    struct resampling all = {.source = source, .width = width, .height = height, .light = light};
    bool upright = source->sine == 0 && source->cosine == 1, good = true;
    if (upright)
        TRY(upright_open(&all));
    picture_colour(&all, look, threads);
#pragma omp parallel num_threads(threads)
    {
        float(*sum)[3] = upright ? malloc(((size_t)source->field->width + 1) * sizeof *sum) : NULL;
#pragma omp for schedule(dynamic, 8)
        for (int32_t row = 0; row < height; row++) {
            if (!upright)
                row_turned(&all, row);
            else if (sum)
                row_upright(&all, row, sum);
            else
                __atomic_store_n(&good, false, __ATOMIC_RELAXED);
        }
        free(sum);
    }
    free(all.across);
    return good ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory to resample a frame");
}
