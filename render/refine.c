#include "render/refine.h"

#include <stdlib.h>
#include <string.h>

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t parts_of(int32_t length, int32_t part)
{
    return (length + part - 1) / part;
}

enum status refine_create(struct refine *refine, int32_t width, int32_t height)
{
    size_t pixels = (size_t)width * (size_t)height;
    *refine = (struct refine){.width = width,
                              .height = height,
                              .columns = parts_of(width, REFINE_SQUARE_PX),
                              .rows = parts_of(height, REFINE_SQUARE_PX)};
    size_t squares = (size_t)refine->columns * (size_t)refine->rows;
    refine->active = malloc(squares * sizeof *refine->active);
    refine->before = malloc(pixels * sizeof *refine->before);
    if (!refine->active || !refine->before) {
        refine_destroy(refine);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to compare samples of %d x %d pixels",
                           width, height);
    }
    memset(refine->active, true, squares * sizeof *refine->active);
    return STATUS_OK;
}

void refine_destroy(struct refine *refine)
{
    free(refine->active);
    free(refine->before);
    *refine = (struct refine){0};
}

static struct rectangle square_of(const struct refine *refine, int32_t square)
{
    int32_t x = square % refine->columns * REFINE_SQUARE_PX;
    int32_t y = square / refine->columns * REFINE_SQUARE_PX;
    return (struct rectangle){x, y, least(REFINE_SQUARE_PX, refine->width - x),
                              least(REFINE_SQUARE_PX, refine->height - y)};
}

/* ---- comparing ------------------------------------------------------------------------------- */

static double squared(int32_t difference)
{
    return (double)difference * difference;
}

/* The most that is not seen, squared, where values have this variance; in 16 bits. */
static double error_squared(double variance)
{
    double error = REFINE_ERROR * 65535, contrast = REFINE_CONTRAST * 65535;
    return error * error * (1 + (variance > 0 ? variance : 0) / (contrast * contrast));
}

/* Does a square differ from what it was? Remembers it. */
static bool square_compare(struct refine *refine, const struct light *light, int32_t square)
{
    struct rectangle at = square_of(refine, square);
    double differences = 0, value[3] = {0}, squares = 0;
    for (int32_t y = 0; y < at.height; y++) {
        size_t first = (size_t)(at.y + y) * (size_t)refine->width + (size_t)at.x;
        uint16_t now[REFINE_SQUARE_PX][3];
        colour_light_row_16((const float(*)[3])light->mean + first, at.width, now[0]);
        for (int32_t x = 0; x < at.width; x++)
            for (int c = 0; c < 3; c++) {
                differences += squared((int32_t)now[x][c] - refine->before[first + (size_t)x][c]);
                value[c] += now[x][c];
                squares += squared(now[x][c]);
            }
        memcpy(refine->before + first, now, (size_t)at.width * sizeof now[0]);
    }
    double pixels = (double)at.width * at.height;
    double means = value[0] * value[0] + value[1] * value[1] + value[2] * value[2];
    return differences > 3 * pixels * error_squared((squares - means / pixels) / (3 * pixels));
}

void refine_remember(struct refine *refine, const struct light *light, int threads)
{
    int32_t rows = refine->height;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int32_t y = 0; y < rows; y++) {
        size_t first = (size_t)y * (size_t)refine->width;
        colour_light_row_16((const float(*)[3])light->mean + first, refine->width,
                            refine->before[first]);
    }
}

bool refine_compare(struct refine *refine, const struct light *light, int threads)
{
    int32_t squares = refine->columns * refine->rows;
    bool any = false;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64) reduction(|| : any)
    for (int32_t i = 0; i < squares; i++) {
        refine->active[i] = refine->active[i] && square_compare(refine, light, i);
        any = any || refine->active[i];
    }
    return any;
}

/* ---- samples --------------------------------------------------------------------------------- */

void refine_add(const struct refine *refine, struct light *light, const struct look *look,
                const struct field *field, int sample, int threads)
{
    struct sample_share share = sample_share(sample);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int32_t row = 0; row < refine->rows; row++) {
        const bool *active = refine->active + (size_t)row * (size_t)refine->columns;
        for (int32_t first = 0, end; first < refine->columns; first = end + 1) {
            for (end = first; end < refine->columns && active[end];)
                end++;
            if (end == first)
                continue;
            struct rectangle run = square_of(refine, row * refine->columns + first);
            run.width = least(refine->width, end * REFINE_SQUARE_PX) - run.x;
            light_add(light, look, field, &share, run);
        }
    }
}

uint64_t refine_pixels(const struct refine *refine)
{
    uint64_t pixels = 0;
    for (int32_t i = 0; i < refine->columns * refine->rows; i++) {
        struct rectangle at = square_of(refine, i);
        pixels += refine->active[i] ? (uint64_t)at.width * (uint64_t)at.height : 0;
    }
    return pixels;
}

/* ---- squares --------------------------------------------------------------------------------- */

enum status refine_squares(const struct refine *refine, uint32_t **squares, uint32_t *count)
{
    int32_t all = refine->columns * refine->rows;
    *count = 0;
    for (int32_t i = 0; i < all; i++)
        *count += refine->active[i];
    uint32_t *list = *squares = malloc((*count ? *count : 1) * sizeof *list);
    if (!list)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %u squares", *count);
    for (int32_t i = 0; i < all; i++)
        if (refine->active[i])
            *list++ = (uint32_t)i;
    return STATUS_OK;
}
