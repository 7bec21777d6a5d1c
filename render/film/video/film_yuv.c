#include "render/film/video/film_yuv.h"

#include <stdbool.h>
#include <stdlib.h>

#include "render/colour/colour.h"

const char *film_chroma_name(enum film_chroma chroma)
{
    static const char *const names[FILM_CHROMAS] = {"420", "444"};
    return names[chroma];
}

static size_t sample_bytes(const struct film_yuv *yuv)
{
    return yuv->bits > 8 ? 2 : 1;
}

/* Width and height of a plane of Cb or Cr. */
static int32_t chroma_width(const struct film_yuv *yuv)
{
    return yuv->chroma == FILM_CHROMA_420 ? yuv->width / 2 : yuv->width;
}

static int32_t chroma_height(const struct film_yuv *yuv)
{
    return yuv->chroma == FILM_CHROMA_420 ? yuv->height / 2 : yuv->height;
}

size_t film_yuv_bytes(const struct film_yuv *yuv)
{
    size_t luma = (size_t)yuv->width * (size_t)yuv->height;
    size_t chroma = (size_t)chroma_width(yuv) * (size_t)chroma_height(yuv);
    return (luma + 2 * chroma) * sample_bytes(yuv);
}

static void sample_put(const struct film_yuv *yuv, uint8_t *plane, size_t at, float value)
{
    int sample = (int)(value + 0.5f);
    if (yuv->bits == 8) {
        plane[at] = (uint8_t)sample;
        return;
    }
    plane[2 * at] = (uint8_t)(sample & 0xff);
    plane[2 * at + 1] = (uint8_t)(sample >> 8);
}

struct planes {
    const struct film_yuv *yuv;
    uint8_t *luma, *cb, *cr;
    float scale; /* k */
};

/* Computes a row of luma, and its colour differences, blue[width] and red[width]. */
static void row_split(const struct planes *planes, const float (*light)[3], int32_t y,
                      uint16_t *samples, float *blue, float *red)
{
    const struct film_yuv *yuv = planes->yuv;
    size_t at = (size_t)y * (size_t)yuv->width;
    colour_light_row_16(light + at, yuv->width, samples);
    for (int32_t x = 0; x < yuv->width; x++) {
        const uint16_t *rgb = samples + 3 * (size_t)x;
        float r = (float)rgb[0] / 65535, g = (float)rgb[1] / 65535, b = (float)rgb[2] / 65535;
        float luma = 0.2126f * r + 0.7152f * g + 0.0722f * b;
        sample_put(yuv, planes->luma, at + (size_t)x, planes->scale * (16 + 219 * luma));
        blue[x] = (b - luma) / 1.8556f;
        red[x] = (r - luma) / 1.5748f;
    }
}

static void chroma_put(const struct planes *planes, size_t at, float blue, float red)
{
    sample_put(planes->yuv, planes->cb, at, planes->scale * (128 + 224 * blue));
    sample_put(planes->yuv, planes->cr, at, planes->scale * (128 + 224 * red));
}

/* Chroma at column x of two rows, with its neighbours. */
static float squared(const float *rows[2], int32_t x)
{
    int32_t left = x > 0 ? x - 1 : 0;
    float sum = 0;
    for (int i = 0; i < 2; i++)
        sum += 0.25f * rows[i][left] + 0.5f * rows[i][x] + 0.25f * rows[i][x + 1];
    return sum / 2;
}

/* Converts two rows from the even row y on. */
static void rows_make_420(const struct planes *planes, const float (*light)[3], int32_t y,
                          uint16_t *samples, float *room)
{
    int32_t width = planes->yuv->width;
    float *blue[2] = {room, room + width}, *red[2] = {room + 2 * width, room + 3 * width};
    for (int i = 0; i < 2; i++)
        row_split(planes, light, y + i, samples, blue[i], red[i]);
    size_t at = (size_t)(y / 2) * (size_t)(width / 2);
    for (int32_t x = 0; x < width; x += 2)
        chroma_put(planes, at++, squared((const float *[2]){blue[0], blue[1]}, x),
                   squared((const float *[2]){red[0], red[1]}, x));
}

static void rows_make_444(const struct planes *planes, const float (*light)[3], int32_t y,
                          uint16_t *samples, float *room)
{
    int32_t width = planes->yuv->width;
    for (int32_t row = y; row < y + 2 && row < planes->yuv->height; row++) {
        row_split(planes, light, row, samples, room, room + width);
        for (int32_t x = 0; x < width; x++)
            chroma_put(planes, (size_t)row * (size_t)width + (size_t)x, room[x], room[width + x]);
    }
}

enum status film_yuv_make(const struct film_yuv *yuv, const float (*light)[3], uint8_t *frame,
                          int threads)
{
    size_t bytes = sample_bytes(yuv), width = (size_t)yuv->width;
    size_t luma = width * (size_t)yuv->height * bytes;
    size_t chroma = (size_t)chroma_width(yuv) * (size_t)chroma_height(yuv) * bytes;
    struct planes planes = {yuv, frame, frame + luma, frame + luma + chroma,
                            yuv->bits > 8 ? 4.0f : 1.0f};
    bool good = true;
#pragma omp parallel num_threads(threads)
    {
        uint16_t *samples = malloc(3 * width * sizeof *samples);
        float *room = malloc(4 * width * sizeof *room);
        if (!samples || !room)
            __atomic_store_n(&good, false, __ATOMIC_RELAXED);
#pragma omp for schedule(dynamic, 4)
        for (int32_t y = 0; y < yuv->height; y += 2)
            if (samples && room)
                (yuv->chroma == FILM_CHROMA_420 ? rows_make_420 : rows_make_444)(&planes, light, y,
                                                                                 samples, room);
        free(samples);
        free(room);
    }
    return good ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a frame of video");
}
