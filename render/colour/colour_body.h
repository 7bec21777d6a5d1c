/* The loops of colour_kernels.h in plain C that compilers turn into vectors: a file defines
 * COLOUR_KERNELS, the name of its list, and includes this. No multiply-adds are fused, and all else
 * is exact or rounded once, so every list gives the same bits. */
#ifndef COLOUR_KERNELS
#error "define COLOUR_KERNELS before this body"
#endif

#ifdef __AVX2__
#include <immintrin.h>
#endif
#include <math.h>
#include <string.h>

#include "render/colour/colour_kernels.h"
#include "render/colour/palette.h"
#include "render/colour/r2.h"

typedef float four __attribute__((vector_size(16))); /* a colour */
typedef int32_t four_int __attribute__((vector_size(16)));
typedef uint32_t four_phase __attribute__((vector_size(16)));

/* Vectors of as many pixels as the widest registers take. */
#ifdef __AVX512F__
enum { AT_ONCE = 4 };
#elif defined __AVX2__
enum { AT_ONCE = 2 };
#else
enum { AT_ONCE = 1 };
#endif
enum { DOUBLES = 2 * AT_ONCE };
typedef float colours __attribute__((vector_size(16 * AT_ONCE)));
typedef int32_t colours_int __attribute__((vector_size(16 * AT_ONCE)));
typedef double doubles __attribute__((vector_size(16 * AT_ONCE)));
typedef int64_t indices __attribute__((vector_size(16 * AT_ONCE)));

/* Spreads a value of each pixel to all channels of its colour. */
static inline colours to_colours(const float *value)
{
#ifdef __AVX512F__
    __m512i pixel = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    return (colours)_mm512_permutexvar_ps(pixel, _mm512_castps128_ps512(_mm_loadu_ps(value)));
#elif defined __AVX2__
    __m256i pixel = _mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0);
    double both; /* bits of the compared values */
    memcpy(&both, value, sizeof both);
    return (colours)_mm256_permutevar8x32_ps((__m256)_mm256_set1_pd(both), pixel);
#else
    return (colours){value[0], value[0], value[0], value[0]};
#endif
}

static inline colours least(colours a, float most)
{
#ifdef __AVX512F__
    return (colours)_mm512_min_ps(_mm512_set1_ps(most), (__m512)a);
#elif defined __AVX2__
    return (colours)_mm256_min_ps(_mm256_set1_ps(most), (__m256)a);
#else
    colours limit = (colours){0} + most;
    colours_int over = a > limit;
    return (colours)(((colours_int)a & ~over) | ((colours_int)limit & over));
#endif
}

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

static void law_of(double density, double offset, const double *restrict nu, int n,
                   double *restrict position)
{
    for (int i = 0; i < n; i++)
        position[i] = density * sqrt(sqrt(nu[i])) + offset;
}

/* Entries k of a table of CURVE_SEGMENTS. */
static inline doubles entries(const double *table, const indices *k)
{
#ifdef __AVX512F__ /* the table lies in four registers; gathers are slower */
    __m512i at = (__m512i)*k;
    __m512d low = _mm512_permutex2var_pd(_mm512_loadu_pd(table), at, _mm512_loadu_pd(table + 8));
    __m512d high =
        _mm512_permutex2var_pd(_mm512_loadu_pd(table + 16), at, _mm512_loadu_pd(table + 24));
    __mmask8 upper = _mm512_test_epi64_mask(at, _mm512_set1_epi64(CURVE_SEGMENTS / 2));
    return (doubles)_mm512_mask_blend_pd(upper, low, high);
#elif defined __AVX2__
    return (doubles){table[(*k)[0]], table[(*k)[1]], table[(*k)[2]], table[(*k)[3]]};
#else
    return (doubles){table[(*k)[0]], table[(*k)[1]]};
#endif
}

/* Segments of the curve that contain the values. */
static inline indices segments(const struct curve *curve, doubles s)
{
#ifdef __AVX512F__
    __m512d upper = _mm512_loadu_pd(curve->tree), next = _mm512_loadu_pd(curve->tree + 8);
    __m512d last[2] = {_mm512_loadu_pd(curve->tree + 16), _mm512_loadu_pd(curve->tree + 24)};
    __m512i k = _mm512_set1_epi64(1), one = k;
    for (int level = 0; level < 5; level++) {
        __m512d node = level < 3    ? _mm512_permutexvar_pd(k, upper)
                       : level == 3 ? _mm512_permutexvar_pd(k, next)
                                    : _mm512_permutex2var_pd(last[0], k, last[1]);
        __mmask8 behind = _mm512_cmp_pd_mask((__m512d)s, node, _CMP_GE_OQ);
        k = _mm512_add_epi64(k, k);
        k = _mm512_mask_add_epi64(k, behind, k, one);
    }
    return (indices)_mm512_sub_epi64(k, _mm512_set1_epi64(CURVE_SEGMENTS));
#else
    indices k = {0};
    for (int j = 0; j < curve->knots; j++)
        k -= s >= curve->knot[j]; /* true is -1 in vectors */
    return k;
#endif
}

/* Evaluates the curve without branches that depend on the data: noisy pictures mispredict them. */
static void curve_of(const struct curve *restrict curve, double offset, const double *restrict nu,
                     int n, double *restrict position)
{
    for (int i = 0; i < n; i++)
        position[i] = sqrt(sqrt(nu[i]));
    for (int i = 0; i < n; i += DOUBLES) {
        doubles s;
        memcpy(&s, position + i, sizeof s);
        indices k = segments(curve, s);
        doubles t = s - entries(curve->origin, &k), sum = entries(curve->c[3], &k);
        for (int c = 2; c >= 0; c--)
            sum = entries(curve->c[c], &k) + t * sum;
        sum += offset;
        memcpy(position + i, &sum, sizeof sum);
    }
}

/* Palette samples of the positions: sample index[i], and part[i] of the way to the next. Two loops,
 * and selects of one condition each, because with && and with the integers among them compilers
 * leave it scalar. */
static inline void palette_samples(const double *restrict position, int n, int32_t *restrict index,
                                   float *restrict part)
{
    double sample[COLOUR_BLOCK];
    for (int i = 0; i < n; i++) {
        double fraction = position[i] - floor(position[i]);
        fraction = fraction >= 0 ? fraction : 0; /* not a number */
        fraction = fraction < 1 ? fraction : 0;  /* rounded up */
        sample[i] = fraction * PALETTE_SAMPLES;
    }
    for (int i = 0; i < n; i++) {
        index[i] = (int32_t)sample[i];
        part[i] = (float)(sample[i] - index[i]);
    }
}

static inline four colour_at(const float (*restrict table)[4], int32_t index, float part)
{
    four a = row_of(table[index]), b = row_of(table[index + 1]);
    return a + part * (b - a);
}

static void light_of(const float (*restrict table)[4], const double *restrict position, int n,
                     float (*restrict light)[4])
{
    int32_t index[COLOUR_BLOCK];
    float part[COLOUR_BLOCK];
    palette_samples(position, n, index, part);
    for (int i = 0; i < n; i++) {
        four colour = colour_at(table, index[i], part[i]);
        memcpy(light[i], &colour, sizeof colour);
    }
}

static inline float distance_cut(float distance)
{
    distance = distance > -DISTANCE_FAR ? distance : -DISTANCE_FAR; /* not a number: too */
    return distance < DISTANCE_FAR ? distance : DISTANCE_FAR;
}

static void shade_by(const struct shade *restrict shade, const float *restrict dx,
                     const float *restrict dy, int n, float (*restrict light)[4])
{
    float gain[COLOUR_BLOCK], white[COLOUR_BLOCK];
    float across = shade->light[0], down = shade->light[1], per_px = shade->per_px;
    float relief = shade->relief, lines = shade->lines;
    for (int i = 0; i < n; i++) {
        float x = distance_cut(dx[i]) * per_px, y = distance_cut(dy[i]) * per_px;
        float square = x * x + y * y, steep = 1 / sqrtf(square + 1);
        float slope = (x * across + y * down) * steep * relief;
        float lit = slope > 0 ? slope : 0, dim = slope < 0 ? 1 + slope : 1;
        float left = 1 - lines * (1 - sqrtf(square) * steep);
        gain[i] = left * dim * (1 + SHADE_GAIN * lit);
        white[i] = left * SHADE_WHITE * lit;
    }
    for (int i = 0; i < n; i += AT_ONCE) {
        colours colour;
        memcpy(&colour, light[i], sizeof colour);
        colour = least(colour * to_colours(gain + i) + to_colours(white + i), 1);
        memcpy(light[i], &colour, sizeof colour);
    }
}

/* Dither that is added before rounding down, in (0,1): R2, whose noise is blue-ish. The three
 * channels are a third of a period apart, so that their errors nearly cancel in brightness. */
#define PHASE_CHANNEL 1431655765u

static inline float dither(uint32_t phase)
{
    return (float)(int32_t)(phase >> 9) * 0x1p-23f + 0x1p-24f;
}

/* Largest sample: 255.99 plus dither can be rounded to 256, which is no sample. */
enum { SAMPLE_MOST = 255 };

static void pack(const int32_t *restrict sample, int n, uint32_t *restrict out)
{
    for (int i = 0; i < n; i++)
        out[i] = 0xff000000u | (uint32_t)sample[4 * i] << 16 | (uint32_t)sample[4 * i + 1] << 8 |
                 (uint32_t)sample[4 * i + 2];
}

static void colours_of(const float (*restrict table)[4], const double *restrict position, int n,
                       const struct dither_pixels *restrict pixels, uint32_t *restrict out)
{
    int32_t index[COLOUR_BLOCK], sample[4 * COLOUR_BLOCK];
    float part[COLOUR_BLOCK];
    uint32_t first = pixels->x * R2_X + pixels->y * R2_Y;
    four_phase phase = {first, first + PHASE_CHANNEL, first + 2 * PHASE_CHANNEL, first};
    palette_samples(position, n, index, part);
    for (int i = 0; i < n; i++, phase += pixels->dx * R2_X) {
        four between = __builtin_convertvector((four_int)(phase >> 9), four) * 0x1p-23f + 0x1p-24f;
        four value = colour_at(table, index[i], part[i]) + between;
        four_int whole = __builtin_convertvector(value, four_int);
        whole += whole > SAMPLE_MOST; /* true is -1 in vectors */
        memcpy(sample + 4 * i, &whole, sizeof whole);
    }
    pack(sample, n, out);
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
                   int n, const struct dither_pixels *restrict pixels, uint32_t *restrict out)
{
    const float *restrict flat = light[0];
    int32_t sample[4 * COLOUR_BLOCK];
    uint32_t first = pixels->x * R2_X + pixels->y * R2_Y, step = pixels->dx * R2_X;
    for (int k = 0; k < 4 * n; k++) {
        uint32_t phase = first + ((uint32_t)k >> 2) * step + ((uint32_t)k & 3) * PHASE_CHANNEL;
        int32_t whole = (int32_t)(encoded(transfer, flat[k]) * 255 + dither(phase));
        sample[k] = whole < SAMPLE_MOST ? whole : SAMPLE_MOST;
    }
    pack(sample, n, out);
}

/* Averages by differences, so that equal values stay equal. */
static void line_average(const struct sample_share *restrict share, const float *restrict own,
                         const float *restrict other, int32_t n, float *restrict mean)
{
    float x = share->x, y = share->y, of_mean = share->of_mean;
    const float *own_beside = own + 3 * share->to_x, *other_beside = other + 3 * share->to_x;
    for (int32_t k = 0; k < n; k++) {
        float here = own[k] + (other[k] - own[k]) * y;
        float beside = own_beside[k] + (other_beside[k] - own_beside[k]) * y;
        mean[k] += (here + (beside - here) * x - mean[k]) * of_mean;
    }
}

static void average(const struct sample_share *share, const struct colour_lines *lines)
{
    for (int32_t j = 0; j < lines->count; j++)
        line_average(share, lines->own + j * lines->stride, lines->other + j * lines->stride,
                     lines->length, lines->mean + j * lines->mean_stride);
}

const struct colour_kernels COLOUR_KERNELS = {
    .continuous_32 = continuous_32,
    .continuous_64 = continuous_64,
    .law = law_of,
    .curve = curve_of,
    .light = light_of,
    .colours = colours_of,
    .shade = shade_by,
    .encode = encode,
    .average = average,
};
