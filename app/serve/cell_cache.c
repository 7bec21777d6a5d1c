#include "app/serve/cell_cache.h"

#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>
#include <webp/encode.h>

#include "app/serve/pace.h"
#include "decomposition/thread/clock.h"

_Static_assert((int)CELL_EXACT == (int)PACE_LEVELS, "a level of JPEG for each of the pace");

/* Quality, and pixels of the cell in each direction for one of the file. */
static const struct jpeg_level {
    int quality, subsampling, shrink;
} jpeg_levels[PACE_LEVELS] = {{85, TJSAMP_444, 1}, {75, TJSAMP_420, 1}, {60, TJSAMP_420, 1},
                              {40, TJSAMP_420, 1}, {55, TJSAMP_420, 2}, {30, TJSAMP_420, 2}};

struct encoded {
    uint8_t *bytes; /* owned; of turbojpeg or libwebp, whichever made it */
    size_t length;
    uint32_t version;
};

struct cell_cache {
    struct deepfield_live_pixels pixels;
    uint32_t version[CELLS_MOST];
    struct encoded encoded[CELLS_MOST][CELL_LEVELS];
    uint32_t half[CELL_WIDTH / 2 * CELL_HEIGHT / 2];
    int columns, rows;
    tjhandle jpeg;
    struct cell_cache_cost cost;
};

enum status cell_cache_create(struct cell_cache **cells)
{
    struct cell_cache *made = *cells = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the served picture");
    made->pixels.size = sizeof made->pixels;
    made->jpeg = tjInitCompress();
    return made->jpeg ? STATUS_OK
                      : status_fail(STATUS_OUT_OF_MEMORY, "no JPEG encoder: %s", tjGetErrorStr());
}

static void encoded_drop(struct encoded *encoded, int level)
{
    if (level == CELL_EXACT)
        WebPFree(encoded->bytes);
    else
        tjFree(encoded->bytes);
    *encoded = (struct encoded){.bytes = NULL};
}

static void all_drop(struct cell_cache *cells)
{
    for (int i = 0; i < CELLS_MOST; i++)
        for (int level = 0; level < CELL_LEVELS; level++)
            if (cells->encoded[i][level].bytes)
                encoded_drop(&cells->encoded[i][level], level);
}

void cell_cache_destroy(struct cell_cache *cells)
{
    if (!cells)
        return;
    all_drop(cells);
    if (cells->jpeg)
        tjDestroy(cells->jpeg);
    free(cells->pixels.pixels);
    free(cells);
}

enum status cell_cache_resize(struct cell_cache *cells, int32_t width, int32_t height)
{
    if (cells->pixels.width == width && cells->pixels.height == height)
        return STATUS_OK;
    uint32_t *pixels = calloc((size_t)width * (size_t)height, sizeof *pixels);
    if (!pixels)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d x %d pixels", width, height);
    free(cells->pixels.pixels);
    all_drop(cells);
    cells->pixels = (struct deepfield_live_pixels){.size = sizeof cells->pixels,
                                                   .pixels = pixels,
                                                   .width = width,
                                                   .height = height,
                                                   .stride = width};
    cells->columns = (width + CELL_WIDTH - 1) / CELL_WIDTH;
    cells->rows = (height + CELL_HEIGHT - 1) / CELL_HEIGHT;
    for (int i = 0; i < cells->columns * cells->rows; i++)
        cells->version[i]++;
    return STATUS_OK;
}

struct deepfield_live_pixels *cell_cache_pixels(struct cell_cache *cells)
{
    return &cells->pixels;
}

void cell_cache_changed(struct cell_cache *cells)
{
    for (int row = 0; row < cells->rows; row++)
        for (int column = 0; column < cells->columns; column++) {
            uint8_t *changed = &cells->pixels.changed[row][column * CELL_BLOCKS];
            static const uint8_t none[CELL_BLOCKS];
            if (!memcmp(changed, none, CELL_BLOCKS))
                continue;
            cells->version[row * cells->columns + column]++;
            memset(changed, 0, CELL_BLOCKS);
        }
}

int cell_cache_count(const struct cell_cache *cells)
{
    return cells->columns * cells->rows;
}

struct cell_rect cell_cache_box(const struct cell_cache *cells, int cell)
{
    int32_t x = cell % cells->columns * CELL_WIDTH, y = cell / cells->columns * CELL_HEIGHT;
    int32_t right = cells->pixels.width - x, below = cells->pixels.height - y;
    return (struct cell_rect){x, y, right < CELL_WIDTH ? right : CELL_WIDTH,
                              below < CELL_HEIGHT ? below : CELL_HEIGHT};
}

uint32_t cell_cache_version(const struct cell_cache *cells, int cell)
{
    return cells->version[cell];
}

/* Means of 2 x 2 pixels, a byte at a time: each sum of four bytes has 16 bits of its own. */
static void cell_halve(uint32_t *to, const uint32_t *from, int32_t stride, int32_t width,
                       int32_t height)
{
    for (int32_t y = 0; y < height; y++, from += 2 * (ptrdiff_t)stride)
        for (int32_t x = 0; x < width; x++) {
            const uint32_t four[] = {from[2 * x], from[2 * x + 1], from[2 * x + stride],
                                     from[2 * x + 1 + stride]};
            uint32_t even = 0x00020002, odd = 0x00020002;
            for (int i = 0; i < 4; i++) {
                even += four[i] & 0x00ff00ff;
                odd += four[i] >> 8 & 0x00ff00ff;
            }
            *to++ = (even >> 2 & 0x00ff00ff) | (odd << 6 & 0xff00ff00);
        }
}

static enum status jpeg_encode(struct cell_cache *cells, const struct cell_rect *box, int level,
                               struct encoded *encoded)
{
    const struct jpeg_level *way = &jpeg_levels[level];
    const uint32_t *pixels =
        cells->pixels.pixels + (ptrdiff_t)box->y * cells->pixels.stride + box->x;
    int32_t width = box->width / way->shrink, height = box->height / way->shrink;
    int32_t stride = cells->pixels.stride;
    if (way->shrink == 2 && width && height) {
        cell_halve(cells->half, pixels, stride, width, height);
        pixels = cells->half;
        stride = width;
    } else {
        width = box->width;
        height = box->height;
    }
    unsigned long length = 0;
    if (tjCompress2(cells->jpeg, (const unsigned char *)pixels, width, stride * 4, height,
                    TJPF_BGRX, &encoded->bytes, &length, way->subsampling, way->quality,
                    TJFLAG_FASTDCT) != 0)
        return status_fail(STATUS_OUT_OF_MEMORY, "a cell as JPEG: %s", tjGetErrorStr2(cells->jpeg));
    encoded->length = length;
    return STATUS_OK;
}

static enum status webp_encode(const struct cell_cache *cells, const struct cell_rect *box,
                               struct encoded *encoded)
{
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter writer;
    if (!WebPConfigInit(&config) || !WebPConfigLosslessPreset(&config, 0) ||
        !WebPPictureInit(&picture))
        return status_fail(STATUS_INTERNAL, "another version of libwebp than that of its headers");
    WebPMemoryWriterInit(&writer);
    picture.use_argb = 1;
    picture.width = box->width;
    picture.height = box->height;
    picture.argb = cells->pixels.pixels + (ptrdiff_t)box->y * cells->pixels.stride + box->x;
    picture.argb_stride = cells->pixels.stride;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    bool good = WebPEncode(&config, &picture);
    int error = (int)picture.error_code;
    WebPPictureFree(&picture); /* its pixels are ours */
    if (!good) {
        WebPMemoryWriterClear(&writer);
        return status_fail(STATUS_OUT_OF_MEMORY, "a cell as WebP: error %d", error);
    }
    encoded->bytes = writer.mem;
    encoded->length = writer.size;
    return STATUS_OK;
}

enum status cell_cache_encode(struct cell_cache *cells, int cell, int level, const uint8_t **bytes,
                              size_t *length)
{
    struct encoded *encoded = &cells->encoded[cell][level];
    if (!encoded->bytes || encoded->version != cells->version[cell]) {
        const struct cell_rect box = cell_cache_box(cells, cell);
        double begun_s = clock_s();
        if (encoded->bytes)
            encoded_drop(encoded, level);
        TRY(level == CELL_EXACT ? webp_encode(cells, &box, encoded)
                                : jpeg_encode(cells, &box, level, encoded));
        encoded->version = cells->version[cell];
        cells->cost.encoded[level]++;
        cells->cost.seconds += clock_s() - begun_s;
    }
    *bytes = encoded->bytes;
    *length = encoded->length;
    return STATUS_OK;
}

struct cell_cache_cost cell_cache_cost(const struct cell_cache *cells)
{
    return cells->cost;
}
