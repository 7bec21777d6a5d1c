#include "render/motion/warp_avx2.h"

#include <immintrin.h>

enum { AT_ONCE = 4 };

/* (a (256 - weight) + b weight) / 256, rounded; modulo 2^16 on the way. */
static inline __m256i between(__m256i a, __m256i b, __m256i weight)
{
    __m256i rise = _mm256_mullo_epi16(_mm256_sub_epi16(b, a), weight);
    __m256i sum = _mm256_add_epi16(_mm256_slli_epi16(a, 8), rise);
    return _mm256_srli_epi16(_mm256_add_epi16(sum, _mm256_set1_epi16(128)), 8);
}

static inline void words_store(uint32_t *out, __m256i words)
{
    __m256i bytes = _mm256_packus_epi16(words, words); /* two pixels in each half, twice */
    bytes = _mm256_permute4x64_epi64(bytes, 0x08);
    _mm_storeu_si128((__m128i *)(void *)out, _mm256_castsi256_si128(bytes));
}

static inline __m256i words_load(const uint32_t *from)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)from));
}

int64_t warp_rows_avx2(const uint32_t *upper, const uint32_t *lower, uint8_t weight, uint32_t *out,
                       int64_t count)
{
    __m256i weights = _mm256_set1_epi16(weight);
    int64_t i = 0;
    for (; i + AT_ONCE <= count; i += AT_ONCE)
        words_store(out + i, between(words_load(upper + i), words_load(lower + i), weights));
    return i;
}

/* Two pairs of neighbours. */
static inline __m128i pairs_load(const uint32_t *row, int64_t u, int64_t ux)
{
    __m128i first = _mm_loadl_epi64((const __m128i *)(const void *)(row + (u >> 32)));
    __m128i second = _mm_loadl_epi64((const __m128i *)(const void *)(row + ((u + ux) >> 32)));
    return _mm_unpacklo_epi64(first, second);
}

int32_t warp_along_avx2(const uint32_t *row, int64_t u, int64_t ux, uint32_t *out, int32_t count)
{
    /* Bytes of the left pixels, of the right ones, and bits 24 to 31 of u, as words. */
    const __m256i left = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, -1, 1, -1, 2, -1, 3, -1, 8, -1, 9, -1, 10, -1, 11, -1));
    const __m256i right = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(4, -1, 5, -1, 6, -1, 7, -1, 12, -1, 13, -1, 14, -1, 15, -1));
    const __m256i part = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(3, -1, 3, -1, 3, -1, 3, -1, 11, -1, 11, -1, 11, -1, 11, -1));
    const __m256i step = _mm256_set1_epi64x(AT_ONCE * ux);
    __m256i places = _mm256_setr_epi64x(u, u + ux, u + 2 * ux, u + 3 * ux);
    int32_t i = 0;
    for (; i + AT_ONCE <= count; i += AT_ONCE, u += AT_ONCE * ux) {
        __m256i pairs = _mm256_set_m128i(pairs_load(row, u + 2 * ux, ux), pairs_load(row, u, ux));
        words_store(out + i,
                    between(_mm256_shuffle_epi8(pairs, left), _mm256_shuffle_epi8(pairs, right),
                            _mm256_shuffle_epi8(places, part)));
        places = _mm256_add_epi64(places, step);
    }
    return i;
}
