#include "render/file/tif/tif_image.h"

#include <string.h>
#include <zlib.h>

size_t tif_pixel_bytes(int bits)
{
    return (size_t)3 * (size_t)bits / 8;
}

static uint32_t over(int32_t length, int32_t part)
{
    return ((uint32_t)length + (uint32_t)part - 1) / (uint32_t)part;
}

uint32_t tif_tiles_across(const struct tif_shape *shape)
{
    return over(shape->width, TIF_TILE_PX);
}

uint32_t tif_tiles_down(const struct tif_shape *shape)
{
    return over(shape->height, shape->tile_rows);
}

size_t tif_tile_bytes(const struct tif_shape *shape)
{
    return (size_t)TIF_TILE_PX * (size_t)shape->tile_rows * tif_pixel_bytes(shape->bits);
}

size_t tif_tile_most(const struct tif_shape *shape)
{
    return deflate_most(tif_tile_bytes(shape)) + ZLIB_HEADER_BYTES + ZLIB_SUM_BYTES;
}

bool tif_shape_set(TIFF *tiff, const struct tif_shape *shape)
{
    return TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)shape->width) &&
           TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)shape->height) &&
           TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, shape->bits) &&
           TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3) &&
           TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB) &&
           TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
           TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT) &&
           TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE) &&
           TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL) &&
           TIFFSetField(tiff, TIFFTAG_TILEWIDTH, TIF_TILE_PX) &&
           TIFFSetField(tiff, TIFFTAG_TILELENGTH, shape->tile_rows);
}

static void row_difference_8(const uint8_t *samples, size_t length, uint8_t *out)
{
    memcpy(out, samples, length < 3 ? length : 3);
    for (size_t i = 3; i < length; i++)
        out[i] = (uint8_t)(samples[i] - samples[i - 3]);
}

static void row_difference_16(const uint16_t *samples, size_t length, uint16_t *out)
{
    memcpy(out, samples, (length < 3 ? length : 3) * sizeof *out);
    for (size_t i = 3; i < length; i++)
        out[i] = (uint16_t)(samples[i] - samples[i - 3]);
}

size_t tif_tile_pack(const struct packer *packer, const struct tif_shape *shape,
                     const uint8_t *rows, size_t stride, size_t length, int32_t count)
{
    size_t across = TIF_TILE_PX * tif_pixel_bytes(shape->bits), bytes = tif_tile_bytes(shape);
    for (int32_t row = 0; row < shape->tile_rows; row++) {
        uint8_t *out = packer->in + (size_t)row * across;
        const uint8_t *samples = rows + (size_t)row * stride;
        size_t used = row < count ? length : 0;
        memset(out + used, 0, across - used);
        if (shape->bits == 8)
            row_difference_8(samples, used, out);
        else
            row_difference_16((const uint16_t *)(const void *)samples, used / 2,
                              (uint16_t *)(void *)out);
    }
    zlib_header(packer->out);
    size_t packed = packer_piece(packer, shape->bits, packer->in, bytes, DEFLATE_LAST,
                                 packer->out + ZLIB_HEADER_BYTES) +
                    ZLIB_HEADER_BYTES;
    bytes_set_big_endian(packer->out + packed, deflate_adler(1, packer->in, bytes));
    return packed + ZLIB_SUM_BYTES;
}

bool tif_tile_unpack(const struct tif_shape *shape, const uint8_t *bytes, size_t length,
                     uint8_t *samples)
{
    size_t across = TIF_TILE_PX * tif_pixel_bytes(shape->bits);
    uLongf whole = tif_tile_bytes(shape);
    if (uncompress(samples, &whole, bytes, length) != Z_OK || whole != tif_tile_bytes(shape))
        return false;
    for (int32_t row = 0; row < shape->tile_rows; row++) {
        uint8_t *at = samples + (size_t)row * across;
        uint16_t *wide = (uint16_t *)(void *)at;
        for (size_t i = 3; shape->bits == 8 && i < across; i++)
            at[i] = (uint8_t)(at[i] + at[i - 3]);
        for (size_t i = 3; shape->bits == 16 && i < across / 2; i++)
            wide[i] = (uint16_t)(wide[i] + wide[i - 3]);
    }
    return true;
}
