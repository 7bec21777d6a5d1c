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

/* ---- tiles ----------------------------------------------------------------------------------- */

/* Squares from (x, y) to before (end_x, end_y). */
struct range {
    int32_t x, y, end_x, end_y;
};

struct cover {
    const struct refine *refine;
    int64_t overhead_px;
    struct tile *tiles; /* NULL: they are only counted */
    uint32_t count;
};

/* The part of a range that has all of its squares that take part; empty if none does. */
static struct range range_fit(const struct refine *refine, struct range range)
{
    struct range fit = {range.end_x, range.end_y, range.x, range.y};
    for (int32_t y = range.y; y < range.end_y; y++)
        for (int32_t x = range.x; x < range.end_x; x++)
            if (refine->active[(size_t)y * (size_t)refine->columns + (size_t)x]) {
                fit.x = least(fit.x, x);
                fit.y = least(fit.y, y);
                fit.end_x = x + 1 > fit.end_x ? x + 1 : fit.end_x;
                fit.end_y = y + 1 > fit.end_y ? y + 1 : fit.end_y;
            }
    return fit;
}

/* With a pixel around it, within the picture. */
static struct tile range_tile(const struct refine *refine, const struct range *range)
{
    int32_t x = range->x ? range->x * REFINE_SQUARE_PX - 1 : 0;
    int32_t y = range->y ? range->y * REFINE_SQUARE_PX - 1 : 0;
    int32_t end_x = least(refine->width, range->end_x * REFINE_SQUARE_PX + 1);
    int32_t end_y = least(refine->height, range->end_y * REFINE_SQUARE_PX + 1);
    return (struct tile){.x = x, .y = y, .width = end_x - x, .height = end_y - y};
}

static int quarters(const struct range *range, struct range quarter[4])
{
    int32_t x = (range->x + range->end_x + 1) / 2, y = (range->y + range->end_y + 1) / 2;
    int count = 0;
    quarter[count++] = (struct range){range->x, range->y, x, y};
    if (x < range->end_x)
        quarter[count++] = (struct range){x, range->y, range->end_x, y};
    if (y < range->end_y)
        quarter[count++] = (struct range){range->x, y, x, range->end_y};
    if (x < range->end_x && y < range->end_y)
        quarter[count++] = (struct range){x, y, range->end_x, range->end_y};
    return count;
}

/* Pixels that one tile costs, overhead included; 0 for none. */
static int64_t whole_cost(const struct cover *cover, const struct range *fit)
{
    if (fit->x >= fit->end_x)
        return 0;
    struct tile tile = range_tile(cover->refine, fit);
    return (int64_t)tile.width * tile.height + cover->overhead_px;
}

static int64_t cost_of(const struct cover *cover, struct range range);

static int64_t quarters_cost(const struct cover *cover, const struct range *fit)
{
    struct range quarter[4];
    int64_t cost = 0;
    int count = quarters(fit, quarter);
    if (count == 1)
        return INT64_MAX;
    for (int i = 0; i < count; i++)
        cost += cost_of(cover, quarter[i]);
    return cost;
}

static int64_t cost_of(const struct cover *cover, struct range range)
{
    struct range fit = range_fit(cover->refine, range);
    int64_t whole = whole_cost(cover, &fit);
    int64_t split = whole ? quarters_cost(cover, &fit) : 0;
    return whole < split ? whole : split;
}

static void range_cover(struct cover *cover, struct range range)
{
    struct range fit = range_fit(cover->refine, range), quarter[4];
    int64_t whole = whole_cost(cover, &fit);
    if (!whole)
        return;
    if (whole <= quarters_cost(cover, &fit)) {
        if (cover->tiles)
            cover->tiles[cover->count] = range_tile(cover->refine, &fit);
        cover->count++;
        return;
    }
    for (int i = 0, count = quarters(&fit, quarter); i < count; i++)
        range_cover(cover, quarter[i]);
}

static void squares_cover(struct cover *cover, int32_t tile_px)
{
    const struct refine *refine = cover->refine;
    int32_t side = tile_px / REFINE_SQUARE_PX > 1 ? tile_px / REFINE_SQUARE_PX : 1;
    cover->count = 0;
    for (int32_t y = 0; y < refine->rows; y += side)
        for (int32_t x = 0; x < refine->columns; x += side)
            range_cover(cover, (struct range){x, y, least(x + side, refine->columns),
                                              least(y + side, refine->rows)});
}

enum status refine_tiles(const struct refine *refine, int32_t tile_px, int64_t overhead_px,
                         struct tile **tiles, uint32_t *count)
{
    struct cover cover = {.refine = refine, .overhead_px = overhead_px};
    squares_cover(&cover, tile_px);
    *count = cover.count;
    *tiles = cover.tiles = malloc((cover.count ? cover.count : 1) * sizeof **tiles);
    if (!*tiles)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %u tiles", cover.count);
    squares_cover(&cover, tile_px);
    return STATUS_OK;
}
