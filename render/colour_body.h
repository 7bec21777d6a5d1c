/* The loops of colour_kernels.h in plain C that compilers turn into vectors: a file defines
 * COLOUR_KERNELS, the name of its list, and includes this. No multiply-adds are fused, and all else
 * is exact or rounded once, so every list gives the same bits. */
#ifndef COLOUR_KERNELS
#error "define COLOUR_KERNELS before this body"
#endif

#include <math.h>
#include <string.h>

#include "render/colour_kernels.h"
#include "render/palette.h"

typedef float four __attribute__((vector_size(16))); /* a colour */

static void continuous_32(const uint32_t *restrict count, const float *restrict fraction, int n,
                          double *restrict nu)
{
    for (int i = 0; i < n; i++) {
        double continuous = (double)count[i] + (double)fraction[i];
        nu[i] = count[i] == 0 ? 1 : continuous;
    }
}

static void continuous_64(const uint64_t *restrict count, const float *restrict fraction, int n,
                          double *restrict nu)
{
    for (int i = 0; i < n; i++) {
        double continuous = (double)count[i] + (double)fraction[i];
        nu[i] = count[i] == 0 ? 1 : continuous;
    }
}

static inline four row_of(const float *row)
{
    four colour;
    memcpy(&colour, row, sizeof colour);
    return colour;
}

static void light_of(const float (*restrict table)[4], double density, double offset,
                     const double *restrict nu, int n, float (*restrict light)[4])
{
    int32_t index[COLOUR_BLOCK];
    float part[COLOUR_BLOCK];
    for (int i = 0; i < n; i++) {
        double position = density * sqrt(sqrt(nu[i])) + offset;
        double turn = position - floor(position);
        turn = turn >= 0 && turn < 1 ? turn : 0; /* not a number, or rounded up to 1 */
        double place = turn * PALETTE_SAMPLES;
        index[i] = (int32_t)place;
        part[i] = (float)(place - index[i]);
    }
    for (int i = 0; i < n; i++) {
        four a = row_of(table[index[i]]), b = row_of(table[index[i] + 1]);
        four colour = a + part[i] * (b - a);
        memcpy(light[i], &colour, sizeof colour);
    }
}

/* What is added before rounding down, in (0,1): the additive recurrence of Roberts, The
 * unreasonable effectiveness of quasirandom sequences (2018), whose noise is blue-ish. The three
 * channels are a third of a turn apart, so that their errors nearly cancel in brightness. 32-bit
 * wrap-around makes it exact at any coordinate. */
static inline float dither(uint32_t turn)
{
    return (float)(int32_t)(turn >> 9) * 0x1p-23f + 0x1p-24f;
}

static inline float encoded(const struct transfer_point *transfer, float light)
{
    int32_t bits;
    memcpy(&bits, &light, sizeof bits);
    int32_t offset = bits < TRANSFER_FIRST ? 0 : bits - TRANSFER_FIRST;
    int32_t index = offset >> TRANSFER_SHIFT;
    float part = (float)(offset & ((1 << TRANSFER_SHIFT) - 1)) * (1.0f / (1 << TRANSFER_SHIFT));
    float curve = transfer[index].value + part * transfer[index].rise;
    return bits < TRANSFER_FIRST ? light * TRANSFER_BELOW : curve;
}

static void encode(const struct transfer_point *restrict transfer, const float (*restrict light)[4],
                   int n, const struct colour_place *restrict place, uint32_t *restrict out)
{
    const float *restrict flat = light[0];
    int32_t sample[4 * COLOUR_BLOCK];
    uint32_t first = place->x * 3242174889u + place->y * 2447445414u;
    uint32_t step = place->dx * 3242174889u;
    for (int k = 0; k < 4 * n; k++) {
        uint32_t turn = first + ((uint32_t)k >> 2) * step + ((uint32_t)k & 3) * 1431655765u;
        sample[k] = (int32_t)(encoded(transfer, flat[k]) * 255 + dither(turn));
    }
    for (int i = 0; i < n; i++)
        out[i] = 0xff000000u | (uint32_t)sample[4 * i] << 16 | (uint32_t)sample[4 * i + 1] << 8 |
                 (uint32_t)sample[4 * i + 2];
}

const struct colour_kernels COLOUR_KERNELS = {
    .continuous_32 = continuous_32,
    .continuous_64 = continuous_64,
    .light = light_of,
    .encode = encode,
};
