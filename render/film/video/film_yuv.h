/* Frames as Y'CbCr samples for video: of sRGB colours, by the matrix of ITU-R BT.709, in the
 * limited range.
 *
 * With R', G', B' the sRGB values 0 ... 1 (IEC 61966-2-1) of the linear light, and k = 1 for 8 bits
 * of a sample, 4 for 10:
 *     Y' = 0.2126 R' + 0.7152 G' + 0.0722 B'
 *     luma = round(k (16 + 219 Y'))
 *     Cb = round(k (128 + 224 (B' - Y') / 1.8556)),  Cr = round(k (128 + 224 (R' - Y') / 1.5748)).
 * With 4:2:0 a sample of Cb or Cr is that of two rows and three columns about the even one, the
 * columns with weights 1/4, 1/2, 1/4: it lies at the left of its square, as in MPEG-2 and H.264.
 * There is no dithering, which would cost the encoder half its bits.
 *
 * Tags: primaries bt709, transfer iec61966-2-1, matrix bt709, range tv, chroma left. */
#ifndef RENDER_FILM_VIDEO_FILM_YUV_H
#define RENDER_FILM_VIDEO_FILM_YUV_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

enum film_chroma { FILM_CHROMA_420, FILM_CHROMA_444, FILM_CHROMAS };

struct film_yuv {
    int32_t width, height; /* even for 4:2:0 */
    int bits;              /* 8, or 10: then a sample has 2 bytes, the lower first */
    enum film_chroma chroma;
};

/* Name of a chroma format: "420", "444". */
const char *film_chroma_name(enum film_chroma chroma);

/* Bytes of a frame: the planes Y', Cb, Cr one after the other. */
size_t film_yuv_bytes(const struct film_yuv *yuv);

/* Converts a frame from linear light, by so many threads. STATUS_OUT_OF_MEMORY. */
enum status film_yuv_make(const struct film_yuv *yuv, const float (*light)[3], uint8_t *frame,
                          int threads);

#endif
