#include "decomposition/schedule/forecast.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* A tile may cost 1 / (shares x threads) of what is left. At 32 workers 2 loses up to 0.1 where
 * messages cost nothing, 4 up to 0.05 where they cost something
 * (tests/render/plan/test_many_workers.c). */
static const double shares = 3;

/* --- predictions ------------------------------------------------------------------------------ */

int32_t forecast_samples(int32_t length, int32_t sample_px)
{
    return (int32_t)(((int64_t)length + sample_px - 1) / sample_px);
}

void forecast_costs(const struct field *samples, uint64_t iterations, float *cost, int32_t stride)
{
    uint64_t escaped = 0, inside = 0;
    for (int32_t y = 0; y < samples->height; y++)
        for (int32_t x = 0; x < samples->width; x++) {
            uint64_t count =
                field_count_at(samples, (size_t)y * (size_t)samples->stride + (size_t)x);
            escaped += count;
            inside += count == 0;
            cost[(size_t)y * (size_t)stride + (size_t)x] = (float)count;
        }
    float each = iterations > escaped && inside
                     ? (float)((double)(iterations - escaped) / (double)inside)
                     : 0;
    for (int32_t y = 0; y < samples->height; y++)
        for (int32_t x = 0; x < samples->width; x++) {
            float *of = &cost[(size_t)y * (size_t)stride + (size_t)x];
            *of = *of > 0 ? *of : each;
        }
}

static float dearest_about(const float *cost, int32_t columns, int32_t rows, int32_t x, int32_t y)
{
    float dearest = 0;
    for (int32_t j = y > 0 ? y - 1 : 0; j <= y + 1 && j < rows; j++)
        for (int32_t i = x > 0 ? x - 1 : 0; i <= x + 1 && i < columns; i++)
            dearest = fmaxf(dearest, cost[(size_t)j * (size_t)columns + (size_t)i]);
    return dearest;
}

void forecast_careful(const float *cost, int32_t columns, int32_t rows, float *careful)
{
    const float *own = cost;
    for (int32_t y = 0; y < rows; y++)
        for (int32_t x = 0; x < columns; x++)
            *careful++ = *own++ + 0.3f * dearest_about(cost, columns, rows, x, y);
}

enum status forecast_open(struct forecast *forecast, int32_t width, int32_t height,
                          int32_t sample_px, const float *cost)
{
    assert(width >= 1 && height >= 1 && sample_px >= 1);
    int32_t columns = forecast_samples(width, sample_px),
            rows = forecast_samples(height, sample_px);
    size_t stride = (size_t)columns + 1;
    *forecast = (struct forecast){.width = width,
                                  .height = height,
                                  .sample_px = sample_px,
                                  .columns = columns,
                                  .rows = rows,
                                  .sum = calloc(stride * ((size_t)rows + 1), sizeof(double))};
    if (!forecast->sum)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a forecast of %d x %d samples",
                           columns, rows);
    for (size_t y = 0; y < (size_t)rows; y++) {
        const double *above = forecast->sum + y * stride;
        double *sum = forecast->sum + (y + 1) * stride, row = 0;
        for (size_t x = 0; x < (size_t)columns; x++) {
            row += fmax(cost[y * (size_t)columns + x], 1);
            sum[x + 1] = above[x + 1] + row;
        }
    }
    return STATUS_OK;
}

void forecast_close(struct forecast *forecast)
{
    free(forecast->sum);
    forecast->sum = NULL;
}

/* Samples in [0, x) x [0, y), in pixels of the image: between the corners of the squares the sum is
 * bilinear, because a square's cost is spread evenly over it. */
static double sum_to(const struct forecast *forecast, int32_t x, int32_t y)
{
    size_t stride = (size_t)forecast->columns + 1;
    int32_t column = x / forecast->sample_px, row = y / forecast->sample_px;
    double u = (double)(x % forecast->sample_px) / forecast->sample_px;
    double v = (double)(y % forecast->sample_px) / forecast->sample_px;
    const double *at = forecast->sum + (size_t)row * stride + (size_t)column;
    size_t right = u > 0, down = v > 0 ? stride : 0;
    double top = at[0] + u * (at[right] - at[0]);
    double bottom = at[down] + u * (at[down + right] - at[down]);
    return top + v * (bottom - top);
}

double forecast_of(const struct forecast *forecast, int32_t x, int32_t y, int32_t width,
                   int32_t height)
{
    double samples = sum_to(forecast, x + width, y + height) - sum_to(forecast, x, y + height) -
                     sum_to(forecast, x + width, y) + sum_to(forecast, x, y);
    double square = (double)forecast->sample_px * forecast->sample_px;
    return fmax(samples * square, (double)width * height);
}

/* --- tiles that balance ----------------------------------------------------------------------- */

bool forecast_split(const struct tile *tile, int32_t least_px, struct tile half[2])
{
    bool across = tile->width >= tile->height;
    int32_t from = across ? tile->x : tile->y, length = across ? tile->width : tile->height;
    if (length <= least_px)
        return false;
    int32_t cut = (from + length / 2 + least_px / 2) / least_px * least_px;
    if (cut <= from)
        cut += least_px;
    if (cut >= from + length)
        cut = (from + length - 1) / least_px * least_px;
    half[0] = half[1] = *tile;
    if (across) {
        half[0].width = cut - from;
        half[1].x = cut;
        half[1].width = from + length - cut;
    } else {
        half[0].height = cut - from;
        half[1].y = cut;
        half[1].height = from + length - cut;
    }
    return half[0].width > 0 && half[0].height > 0;
}

struct forecast_limits forecast_limits(uint32_t threads, double speed,
                                       const struct forecast_overhead *overhead)
{
    double least_s = fmax(10 * overhead->tile_s, overhead->round_trip_s);
    return (struct forecast_limits){.threads = threads,
                                    .least = speed * least_s,
                                    .root = speed * 2 * overhead->root_s,
                                    .largest_px = 128,
                                    .least_px = 16};
}

struct heap_entry {
    struct tile tile;
    double cost;
};

/* A heap of the tiles that are not settled, the dearest on top. */
struct heap {
    struct heap_entry *entry;
    size_t count, room;
};

/* Prefers the upper left of equal ones, so that the order does not hang on the heap. */
static bool before(const struct heap_entry *a, const struct heap_entry *b)
{
    if (a->cost < b->cost || a->cost > b->cost)
        return a->cost > b->cost;
    return a->tile.y != b->tile.y ? a->tile.y < b->tile.y : a->tile.x < b->tile.x;
}

static bool heap_push(struct heap *heap, const struct forecast *forecast, const struct tile *tile)
{
    if (heap->count == heap->room) {
        size_t room = heap->room ? 2 * heap->room : 256;
        struct heap_entry *more = realloc(heap->entry, room * sizeof *more);
        if (!more)
            return false;
        heap->entry = more;
        heap->room = room;
    }
    struct heap_entry in = {*tile,
                            forecast_of(forecast, tile->x, tile->y, tile->width, tile->height)};
    size_t at = heap->count++;
    for (; at > 0 && before(&in, &heap->entry[(at - 1) / 2]); at = (at - 1) / 2)
        heap->entry[at] = heap->entry[(at - 1) / 2];
    heap->entry[at] = in;
    return true;
}

static struct heap_entry heap_pop(struct heap *heap)
{
    struct heap_entry top = heap->entry[0], last = heap->entry[--heap->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && before(&heap->entry[child + 1], &heap->entry[child]))
            child++;
        if (!before(&heap->entry[child], &last))
            break;
        heap->entry[at] = heap->entry[child];
    }
    heap->entry[at] = last;
    return top;
}

/* For less no tile is split. Rank 0 keeps up with all threads when a tile takes each as long as
 * rank 0 is at the messages of one for all; but with so many threads that one tile is then more
 * than a thread's share, it is best when the last tile is given out while the dearest is computed.
 */
static double least_of(const struct forecast_limits *limits, double total)
{
    return fmax(limits->least, fmin(limits->root * limits->threads, sqrt(total * limits->root)));
}

/* Side of the squares that the cutting begins with. */
static int32_t first_px(const struct forecast *forecast, const struct forecast_limits *limits)
{
    int32_t px = limits->largest_px;
    double cost = forecast_of(forecast, 0, 0, forecast->width, forecast->height);
    double least = least_of(limits, cost);
    while ((px < forecast->width || px < forecast->height) &&
           cost < least * (double)tiles_number(forecast->width, forecast->height, px))
        px *= 2;
    return px;
}

static bool heap_fill(struct heap *heap, const struct forecast *forecast, int32_t px)
{
    for (int32_t y = 0; y < forecast->height; y += px)
        for (int32_t x = 0; x < forecast->width; x += px) {
            int32_t right = forecast->width - x, down = forecast->height - y;
            struct tile tile = {
                .x = x, .y = y, .width = right < px ? right : px, .height = down < px ? down : px};
            if (!heap_push(heap, forecast, &tile))
                return false;
        }
    return true;
}

/* Settles tiles until none is left; false: no memory. `tiles` and `costs` have room for the pixels
 * in squares of least_px. */
static bool settle(struct heap *heap, const struct forecast *forecast,
                   const struct forecast_limits *limits, struct tile *tiles, float *costs,
                   uint32_t *count)
{
    double left = forecast_of(forecast, 0, 0, forecast->width, forecast->height);
    double least = least_of(limits, left);
    while (heap->count) {
        struct heap_entry entry = heap_pop(heap);
        struct tile half[2];
        double most = fmax(left / (shares * limits->threads), least);
        if (entry.cost > most && forecast_split(&entry.tile, limits->least_px, half)) {
            if (!heap_push(heap, forecast, &half[0]) || !heap_push(heap, forecast, &half[1]))
                return false;
            continue;
        }
        tiles[*count] = entry.tile;
        costs[*count] = (float)entry.cost;
        ++*count;
        left -= entry.cost;
    }
    return true;
}

enum status forecast_cut(const struct forecast *forecast, const struct forecast_limits *limits,
                         struct tile **tiles, float **costs, uint32_t *count)
{
    assert(limits->threads >= 1 && limits->least_px >= 1);
    assert(limits->largest_px % limits->least_px == 0);
    *count = 0;
    *tiles = NULL;
    *costs = NULL;
    uint64_t most = tiles_number(forecast->width, forecast->height, limits->least_px);
    if (most > TILE_COUNT_MAX)
        return status_fail(STATUS_TOO_LARGE,
                           "%d x %d pixels may make %llu tiles of %d pixels, more than %d",
                           forecast->width, forecast->height, (unsigned long long)most,
                           limits->least_px, TILE_COUNT_MAX);
    struct heap heap = {.count = 0};
    *tiles = calloc(most, sizeof **tiles);
    *costs = calloc(most, sizeof **costs);
    bool complete = *tiles && *costs && heap_fill(&heap, forecast, first_px(forecast, limits)) &&
                    settle(&heap, forecast, limits, *tiles, *costs, count);
    free(heap.entry);
    if (complete)
        return STATUS_OK;
    free(*tiles);
    free(*costs);
    *tiles = NULL;
    *costs = NULL;
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %llu tiles", (unsigned long long)most);
}
