#include "render/file/tif/tif_overviews.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "render/colour/srgb.h"
#include "render/disk/file_bytes.h"

enum { DIRECTORY_BYTES = 512, TILE_OVERHEAD_BYTES = 32 };

/* ---- shapes ---- */

static int32_t halved(int32_t length)
{
    return length / 2 + length % 2;
}

static bool shape_halve(struct tif_shape *shape)
{
    if (shape->width <= TIF_TILE_PX && shape->height <= TIF_TILE_PX)
        return false;
    shape->width = halved(shape->width);
    shape->height = halved(shape->height);
    return true;
}

static bool are_wanted(const struct sink_request *request)
{
    int32_t width = request->field->width, height = request->field->height;
    if (request->overviews != SINK_OVERVIEWS_AUTO)
        return request->overviews == SINK_OVERVIEWS_YES;
    return width > TIF_OVERVIEWS_SIDE || height > TIF_OVERVIEWS_SIDE;
}

int tif_overviews_count(const struct sink_request *request, int32_t tile_rows)
{
    struct tif_shape shape = {request->field->width, request->field->height, tile_rows, 8};
    int count = 0;
    while (are_wanted(request) && shape_halve(&shape))
        count++;
    return count;
}

uint64_t tif_overviews_bytes_most(const struct sink_request *request, const struct tif_shape *shape)
{
    struct tif_shape at = *shape;
    uint64_t bytes = 0, each = tif_tile_most(shape) + TILE_OVERHEAD_BYTES, more;
    while (are_wanted(request) && shape_halve(&at)) {
        uint64_t tiles = (uint64_t)tif_tiles_across(&at) * tif_tiles_down(&at);
        if (__builtin_mul_overflow(tiles, each, &more) ||
            __builtin_add_overflow(bytes, more + DIRECTORY_BYTES, &bytes))
            return UINT64_MAX;
    }
    return bytes;
}

/* ---- tiles of the image before ---- */

struct image { /* image whose tiles are in the file */
    struct tif_shape shape;
    uint64_t *offset, *length; /* [tiles], owned */
};

static bool image_take(struct image *image, TIFF *tiff, const struct tif_shape *shape)
{
    size_t bytes = (size_t)tif_tiles_across(shape) * tif_tiles_down(shape) * sizeof(uint64_t);
    uint64_t *offset, *length;
    *image = (struct image){.shape = *shape, .offset = malloc(bytes), .length = malloc(bytes)};
    if (!image->offset || !image->length) {
        errno = ENOMEM;
        return false;
    }
    if (!TIFFGetField(tiff, TIFFTAG_TILEOFFSETS, &offset) ||
        !TIFFGetField(tiff, TIFFTAG_TILEBYTECOUNTS, &length))
        return false;
    memcpy(image->offset, offset, bytes);
    memcpy(image->length, length, bytes);
    return true;
}

static void image_drop(struct image *image)
{
    free(image->offset);
    free(image->length);
    *image = (struct image){0};
}

/* ---- a tile ---- */

struct scratch { /* buffers of a thread */
    uint8_t *packed, *samples, *out;
    float (*light)[3]; /* two rows of a tile, and one that is half as long */
};

struct making {
    const struct tif_overviews *overviews;
    const struct image *from;
    struct tif_shape shape;  /* shape of the copy that is made */
    const float *light;      /* [1 << bits], linear light of each sample */
    struct scratch *scratch; /* [threads] */
    int failed;              /* errno of a thread that failed */
};

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static bool tile_read(const struct making *making, uint32_t number, const struct scratch *scratch)
{
    const struct image *from = making->from;
    size_t length = (size_t)from->length[number];
    errno = EIO;
    return length <= tif_tile_most(&from->shape) &&
           file_bytes_get(fileno(making->overviews->stream), scratch->packed, length,
                          (off_t)from->offset[number]) &&
           tif_tile_unpack(&from->shape, scratch->packed, length, scratch->samples);
}

static void row_light(const struct making *making, const uint8_t *samples, int32_t width,
                      float (*light)[3])
{
    const uint16_t *wide = (const uint16_t *)(const void *)samples;
    float *out = &light[0][0];
    for (int32_t i = 0; i < 3 * width; i++)
        out[i] = making->light[making->shape.bits == 8 ? samples[i] : wide[i]];
}

/* Makes the quarter of a tile that one tile of the image before covers, of width x height pixels;
 * x, y: its first pixel in the copy, which the rounding of 8 bits goes by. */
static void quarter_make(const struct making *making, const struct scratch *scratch, int32_t width,
                         int32_t height, int32_t x, int32_t y, uint8_t *out)
{
    size_t across = TIF_TILE_PX * tif_pixel_bytes(making->shape.bits);
    float(*above)[3] = scratch->light, (*below)[3] = above + TIF_TILE_PX;
    float(*mean)[3] = below + TIF_TILE_PX;
    for (int32_t row = 0; row < halved(height); row++) {
        const uint8_t *samples = scratch->samples + (size_t)row * 2 * across;
        bool last = 2 * row + 1 == height;
        row_light(making, samples, width, above);
        if (!last)
            row_light(making, samples + across, width, below);
        colour_row_halve((const float(*)[3])above, last ? NULL : (const float(*)[3])below, width,
                         mean);
        uint8_t *at = out + (size_t)row * across;
        if (making->shape.bits == 8)
            colour_light_row_8((const float(*)[3])mean, halved(width), x, y + row, at);
        else
            colour_light_row_16((const float(*)[3])mean, halved(width), (uint16_t *)(void *)at);
    }
}

/* Makes a tile of up to four of the image before, to scratch->out. */
static bool tile_make(const struct making *making, uint32_t column, uint32_t row,
                      const struct scratch *scratch)
{
    const struct tif_shape *from = &making->from->shape;
    int32_t rows = making->shape.tile_rows;
    size_t pixel = tif_pixel_bytes(making->shape.bits);
    for (uint32_t quarter = 0; quarter < 4; quarter++) {
        uint32_t right = quarter % 2, below = quarter / 2;
        uint32_t x = 2 * column + right, y = 2 * row + below;
        if (x >= tif_tiles_across(from) || y >= tif_tiles_down(from))
            continue;
        if (!tile_read(making, y * tif_tiles_across(from) + x, scratch))
            return false;
        int32_t width = least(TIF_TILE_PX, from->width - (int32_t)x * TIF_TILE_PX);
        int32_t height = least(rows, from->height - (int32_t)y * rows);
        size_t at = ((size_t)below * (size_t)rows / 2 * TIF_TILE_PX + right * TIF_TILE_PX / 2);
        quarter_make(making, scratch, width, height, (int32_t)x * TIF_TILE_PX / 2,
                     (int32_t)y * (rows / 2), scratch->out + at * pixel);
    }
    return true;
}

static size_t tile_pack(const struct making *making, uint32_t column, uint32_t row,
                        const struct scratch *scratch, const struct packer *packer)
{
    const struct tif_shape *shape = &making->shape;
    size_t pixel = tif_pixel_bytes(shape->bits);
    int32_t width = least(TIF_TILE_PX, shape->width - (int32_t)column * TIF_TILE_PX);
    int32_t height = least(shape->tile_rows, shape->height - (int32_t)row * shape->tile_rows);
    return tif_tile_pack(packer, shape, scratch->out, TIF_TILE_PX * pixel, (size_t)width * pixel,
                         height);
}

/* ---- a copy ---- */

static void failed_note(struct making *making, int reason)
{
    int none = 0;
    __atomic_compare_exchange_n(&making->failed, &none, reason ? reason : -1, false,
                                __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static bool has_failed(const struct making *making)
{
    return __atomic_load_n(&making->failed, __ATOMIC_RELAXED) != 0;
}

static void tiles_make(struct making *making)
{
    const struct tif_overviews *overviews = making->overviews;
    uint32_t across = tif_tiles_across(&making->shape);
    uint32_t count = across * tif_tiles_down(&making->shape);
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(overviews->threads)
    for (uint32_t tile = 0; tile < count; tile++) {
        const struct scratch *scratch = &making->scratch[omp_get_thread_num()];
        const struct packer *packer = &overviews->packer[omp_get_thread_num()];
        uint32_t column = tile % across, row = tile / across;
        size_t length = 0;
        if (!has_failed(making) && sink_stopped(overviews->request) != STATUS_OK)
            failed_note(making, ECANCELED);
        if (!has_failed(making) && !tile_make(making, column, row, scratch))
            failed_note(making, errno);
        if (!has_failed(making))
            length = tile_pack(making, column, row, scratch, packer);
#pragma omp ordered
        {
            errno = 0;
            if (!has_failed(making) &&
                TIFFWriteRawTile(overviews->tiff, tile, packer->out, (tmsize_t)length) < 0)
                failed_note(making, errno);
        }
    }
}

/* Writes a copy of the image, which becomes that copy. */
static bool copy_write(struct making *making, struct image *image)
{
    TIFF *tiff = making->overviews->tiff;
    struct image copy = {0};
    making->from = image;
    making->shape = image->shape;
    (void)shape_halve(&making->shape);
    errno = 0;
    if (fflush(making->overviews->stream) != 0 ||
        !TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE) ||
        !tif_shape_set(tiff, &making->shape))
        return false;
    tiles_make(making);
    errno = making->failed > 0 ? making->failed : 0;
    bool good = !making->failed && image_take(&copy, tiff, &making->shape);
    if (good) {
        errno = 0;
        good = TIFFWriteDirectory(tiff) != 0;
    }
    int reason = errno;
    image_drop(image);
    *image = copy;
    errno = reason;
    return good;
}

/* ---- all ---- */

static void making_end(struct making *making)
{
    for (int i = 0; making->scratch && i < making->overviews->threads; i++) {
        free(making->scratch[i].packed);
        free(making->scratch[i].samples);
        free(making->scratch[i].out);
        free(making->scratch[i].light);
    }
    free(making->scratch);
    free((void *)(uintptr_t)making->light);
}

static bool making_begin(struct making *making, const struct tif_overviews *overviews)
{
    const struct tif_shape *shape = &overviews->shape;
    int32_t values = 1 << shape->bits;
    float *light = malloc((size_t)values * sizeof *light);
    *making =
        (struct making){.overviews = overviews,
                        .light = light,
                        .scratch = calloc((size_t)overviews->threads, sizeof *making->scratch)};
    bool good = light && making->scratch;
    for (int i = 0; good && i < overviews->threads; i++) {
        struct scratch *scratch = &making->scratch[i];
        scratch->packed = malloc(tif_tile_most(shape));
        scratch->samples = malloc(tif_tile_bytes(shape));
        scratch->out = calloc(1, tif_tile_bytes(shape));
        scratch->light = malloc((size_t)3 * TIF_TILE_PX * sizeof *scratch->light);
        good = scratch->packed && scratch->samples && scratch->out && scratch->light;
    }
    for (int32_t value = 0; good && value < values; value++)
        light[value] = (float)srgb_decode((double)value / (values - 1));
    if (!good)
        errno = ENOMEM;
    return good;
}

bool tif_overviews_write(const struct tif_overviews *overviews)
{
    int count = tif_overviews_count(overviews->request, overviews->shape.tile_rows);
    struct making making = {.overviews = overviews};
    struct image image = {0};
    bool good = count == 0 || (making_begin(&making, overviews) &&
                               image_take(&image, overviews->tiff, &overviews->shape));
    if (good) {
        errno = 0;
        good = TIFFWriteDirectory(overviews->tiff) != 0;
    }
    for (int i = 0; good && i < count; i++)
        good = copy_write(&making, &image);
    int reason = errno;
    image_drop(&image);
    making_end(&making);
    errno = reason;
    return good;
}
