#include "render/film/film_resample.h"

#include <math.h>
#include <stdbool.h>

enum { TAPS_MOST = 16 };

/* ---- where a pixel of the frame lies in a layer ---------------------------------------------- */

struct place {
    double u, v; /* in pixels of the layer, from the middle of its first one */
};

static struct place place_in(const struct film_layer *layer, double x, double y)
{
    const struct field *field = layer->field;
    return (struct place){
        (x * layer->cosine + y * layer->sine) / layer->scale + field->width / 2.0 - 0.5,
        (y * layer->cosine - x * layer->sine) / layer->scale + field->height / 2.0 - 0.5};
}

static bool has(const struct film_layer *layer, struct place place)
{
    double radius = FILM_FILTER_PX / layer->scale;
    return place.u >= radius && place.v >= radius && place.u + radius <= layer->field->width - 1 &&
           place.v + radius <= layer->field->height - 1;
}

struct taps {
    int32_t first;
    int count;
    float weight[TAPS_MOST]; /* the sum is 1 */
};

/* Pixels within the filter of a place, of those from 0 to `most`. */
static void taps_make(struct taps *taps, double place, double scale, int32_t most)
{
    double radius = FILM_FILTER_PX / scale;
    int32_t first = (int32_t)ceil(place - radius), last = (int32_t)floor(place + radius);
    first = first < 0 ? 0 : first > most ? most : first;
    last = last > most ? most : last < first ? first : last;
    last = last - first < TAPS_MOST ? last : first + TAPS_MOST - 1;
    float sum = 0;
    taps->first = first;
    taps->count = last - first + 1;
    for (int i = 0; i < taps->count; i++) {
        double t = (first + i - place) / radius;
        double rest = fmax(1 - t * t, 0), square = rest * rest;
        sum += taps->weight[i] = (float)(square * square * rest);
    }
    if (!(sum > 0)) /* beyond the picture */
        sum = taps->weight[0] = 1;
    for (int i = 0; i < taps->count; i++)
        taps->weight[i] /= sum;
}

static void pixel_gather(const struct film_layer *layer, const struct taps *across,
                         const struct taps *down, float out[3])
{
    float sum[4] = {0};
    size_t width = (size_t)layer->field->width;
    for (int j = 0; j < down->count; j++) {
        const float *pixel =
            layer->light[(size_t)(down->first + j) * width + (size_t)across->first];
        float row[4] = {0};
        for (int i = 0; i < across->count; i++, pixel += 3)
            for (int c = 0; c < 4; c++) /* the fourth is the next pixel's first: no matter */
                row[c] += across->weight[i] * pixel[c];
        for (int c = 0; c < 4; c++)
            sum[c] += down->weight[j] * row[c];
    }
    for (int c = 0; c < 3; c++)
        out[c] = sum[c];
}

/* ---- the colours of what is needed of a layer ------------------------------------------------ */

/* Half the sides of the box about a layer's middle that the frame's corners reach, or of that
 * within which a finer layer serves; in pixels of the layer. */
struct box {
    double u, v;
};

static struct box box_needed(const struct film_layer *layer, int32_t width, int32_t height)
{
    double x = width / 2.0 + FILM_FILTER_PX, y = height / 2.0 + FILM_FILTER_PX;
    double c = fabs(layer->cosine), s = fabs(layer->sine);
    return (struct box){(x * c + y * s) / layer->scale + 1, (x * s + y * c) / layer->scale + 1};
}

/* What no pixel needs of the layer below a finer one; both are turned alike. */
static struct box box_hidden(const struct film_layer *layer, const struct film_layer *finer)
{
    double ratio = finer->scale / layer->scale;
    double margin = 2 * FILM_FILTER_PX / layer->scale + 2;
    return (struct box){fmax((finer->field->width / 2.0 - 1) * ratio - margin, 0),
                        fmax((finer->field->height / 2.0 - 1) * ratio - margin, 0)};
}

static void span_colour(const struct film_layer *layer, const struct look *look, int32_t y,
                        double from, double to)
{
    const struct field *field = layer->field;
    double half = field->width / 2.0;
    int32_t first = (int32_t)fmax(floor(half + from), 0);
    int32_t last = (int32_t)fmin(ceil(half + to), field->width);
    if (first < last)
        colour_span_light(look, field, first, y, last - first,
                          layer->light + (size_t)y * (size_t)field->width + (size_t)first);
}

static void row_colour(const struct film_layer *layer, const struct look *look, int32_t y,
                       struct box needed, struct box hidden)
{
    double v = fabs(y + 0.5 - layer->field->height / 2.0);
    if (v > needed.v)
        return;
    if (v >= hidden.v) {
        span_colour(layer, look, y, -needed.u, needed.u);
        return;
    }
    span_colour(layer, look, y, -needed.u, -hidden.u);
    span_colour(layer, look, y, hidden.u, needed.u);
}

/* Distances of a layer are in its own pixels and along its own axes. */
static struct look look_of(const struct film_layer *layer, const struct look *look)
{
    struct look own = *look;
    const float *light = look->shade.light;
    float c = (float)layer->cosine, s = (float)layer->sine;
    own.shade.per_px *= (float)layer->scale;
    own.shade.light[0] = light[0] * c + light[1] * s;
    own.shade.light[1] = light[1] * c - light[0] * s;
    return own;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void row_resample(const struct film_layer *layers, int count, int32_t width, double y,
                         float (*light)[3])
{
    struct taps across, down;
    for (int32_t x = 0; x < width; x++) {
        int n = count - 1;
        double from_middle = x + 0.5 - width / 2.0;
        struct place place = place_in(&layers[n], from_middle, y);
        while (n > 0 && !has(&layers[n], place))
            place = place_in(&layers[--n], from_middle, y);
        const struct film_layer *layer = &layers[n];
        taps_make(&across, place.u, layer->scale, layer->field->width - 1);
        taps_make(&down, place.v, layer->scale, layer->field->height - 1);
        pixel_gather(layer, &across, &down, light[x]);
    }
}

void film_resample(const struct film_layer *layers, int count, const struct look *look,
                   int32_t width, int32_t height, float (*light)[3], int threads)
{
    for (int n = 0; n < count; n++) {
        struct look own = look_of(&layers[n], look);
        struct box needed = box_needed(&layers[n], width, height), hidden = {0, 0};
        if (n + 1 < count)
            hidden = box_hidden(&layers[n], &layers[n + 1]);
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
        for (int32_t y = 0; y < layers[n].field->height; y++)
            row_colour(&layers[n], &own, y, needed, hidden);
    }
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
    for (int32_t y = 0; y < height; y++)
        row_resample(layers, count, width, y + 0.5 - height / 2.0,
                     light + (size_t)y * (size_t)width);
}
