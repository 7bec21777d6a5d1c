#include "kernels/orbit/spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/orbit/spectrum_kernels.h"

enum { DIGIT_BITS_MOST = 20, DIGIT_BITS_LEAST = 8, LOG2_LENGTH_LEAST = 8, LOG2_LENGTH_MOST = 24 };
#define ERROR_MOST 0.49 /* error of a coefficient, before it is rounded to the nearest integer */

struct shape {
    int log2_length, digit_bits; /* 0: none fits */
};

/* Radix 4 has a stage of products for two stages of sums; the four-step scheme has one more. */
static double error_bound(int log2_length, int digit_bits, double digits)
{
    int log2_rows = log2_length / 2, log2_columns = log2_length - log2_rows;
    double products = (log2_rows + 1) / 2 + (log2_columns + 1) / 2 + 1;
    double norm = digits * ldexp(1, 2 * digit_bits - 1);
    return norm * (3 * (log2_length + (2.2361 + 0.75) * products) + 2.2361) * 0x1p-53 *
           (1 + 0x1p-30);
}

/* Digits of so many limbs, with room for the sign of the highest one. */
static int64_t digits_for(mp_size_t limbs, int digit_bits)
{
    return (64 * (int64_t)limbs + digit_bits) / digit_bits;
}

/* The shortest transform, with the longest digits. */
static struct shape shape_for(mp_size_t limbs)
{
    for (int k = LOG2_LENGTH_LEAST; k <= LOG2_LENGTH_MOST; k++)
        for (int bits = DIGIT_BITS_MOST; bits >= DIGIT_BITS_LEAST; bits--) {
            int64_t digits = digits_for(limbs, bits);
            if (2 * digits <= (int64_t)1 << k && error_bound(k, bits, (double)digits) < ERROR_MOST)
                return (struct shape){k, bits};
        }
    return (struct shape){0, 0};
}

bool spectrum_serves(mp_size_t limbs)
{
    return shape_for(limbs).log2_length > 0;
}

/* Measured on Zen 4 with AVX2: a step takes 0.62 ns L log2(L) this way, and 5.3 ns n^1.5 by short
 * squares of n limbs. It begins to pay at 215 limbs (13,700 bits); at 65,536 bits it takes 70 us
 * instead of 175. */
double spectrum_step_s(mp_size_t limbs)
{
    int k = shape_for(limbs).log2_length;
    return k > 0 ? 0.62e-9 * ldexp(k, k) : INFINITY;
}

bool spectrum_pays(mp_size_t limbs)
{
    double n = (double)limbs;
    return spectrum_step_s(limbs) < 5.3e-9 * n * sqrt(n);
}

static void roots_fill(struct spectrum_root *root, int n)
{
    for (int j = 0; j < n; j++) {
        long double angle = -6.283185307179586476925286766559L * j / n;
        root[j] = (struct spectrum_root){(double)cosl(angle), (double)sinl(angle)};
    }
}

/* The frequency that the transform of length n leaves at each index. */
static void order_fill(int *order, int n, int first, int factor)
{
    int radix = n >= 4 ? 4 : n, length = n / radix;
    if (n == 1)
        order[0] = first;
    for (int s = 0; n > 1 && s < radix; s++)
        order_fill(order + s * length, length, first + s * factor, factor * radix);
}

static enum status twiddles_fill(struct spectrum *s)
{
    int64_t length = (int64_t)s->rows * s->columns;
    int *order = malloc((size_t)s->rows * sizeof *order);
    if (!order)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the order of a transform");
    order_fill(order, s->rows, 0, 1);
    for (int r = 0; r < s->rows; r++)
        for (int c = 0; c < s->columns; c++) {
            long double turn = (long double)((int64_t)order[r] * c % length) / (long double)length;
            long double angle = -6.283185307179586476925286766559L * turn;
            s->twiddles[(int64_t)r * s->columns + c] =
                (struct spectrum_root){(double)cosl(angle), (double)sinl(angle)};
        }
    free(order);
    return STATUS_OK;
}

/* Takes `bytes` of the block, in whole cache lines. Without a block it only counts. */
static void *bytes_take(char **at, size_t *total, size_t bytes)
{
    size_t whole = (bytes + 63) / 64 * 64;
    void *here = *at;
    *total += whole;
    if (*at)
        *at += whole;
    return here;
}

/* Divides the block into arrays, and returns its size. */
static size_t arrays_take(struct spectrum *s, char *at)
{
    size_t total = 0, rows = (size_t)s->rows, columns = (size_t)s->columns;
    size_t length = rows * columns, tile = (rows > columns ? rows : columns);
    s->row_roots = bytes_take(&at, &total, columns * sizeof *s->row_roots);
    s->column_roots = bytes_take(&at, &total, rows * sizeof *s->column_roots);
    s->twiddles = bytes_take(&at, &total, length * sizeof *s->twiddles);
    s->matrix = bytes_take(&at, &total, length / SPECTRUM_LANES * sizeof *s->matrix);
    for (int t = 0; t < SPECTRUM_THREADS_MOST; t++)
        s->tile[t] = bytes_take(&at, &total, tile * sizeof **s->tile);
    /* Whole lanes of fields are read, up to LANES - 1 digits of 20 bits beyond the last. */
    size_t limbs = (size_t)s->limbs + 8;
    s->balance = bytes_take(&at, &total, limbs * sizeof *s->balance);
    for (int part = 0; part < 2; part++) {
        s->shifted[part] = bytes_take(&at, &total, limbs * sizeof *s->balance);
        s->coefficient[part] = bytes_take(&at, &total, length * sizeof **s->coefficient);
    }
    return total;
}

enum status spectrum_create(struct spectrum *s, mp_size_t limbs)
{
    struct shape shape = shape_for(limbs);
    *s = (struct spectrum){.limbs = limbs,
                           .rows = 1 << shape.log2_length / 2,
                           .columns = 1 << (shape.log2_length - shape.log2_length / 2),
                           .digit_bits = shape.digit_bits,
                           .digits = digits_for(limbs, shape.digit_bits)};
    size_t bytes = arrays_take(s, NULL);
    s->block = aligned_alloc(64, bytes);
    if (!s->block)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for squares of %ld limbs (%zu bytes)",
                           (long)limbs, bytes);
    memset(s->block, 0, bytes);
    arrays_take(s, s->block);
    roots_fill(s->row_roots, s->columns);
    roots_fill(s->column_roots, s->rows);
    for (int64_t j = 0; j < s->digits; j++) {
        int64_t bit = j * s->digit_bits + s->digit_bits - 1;
        s->balance[bit / 64] |= (mp_limb_t)1 << bit % 64;
    }
    return twiddles_fill(s);
}

void spectrum_destroy(struct spectrum *s)
{
    free(s->block);
    *s = (struct spectrum){0};
}

void spectrum_begin(struct spectrum *s, const mp_limb_t *x, bool x_negative, const mp_limb_t *y,
                    bool y_negative)
{
    mp_size_t n = s->limbs;
    mpn_add(s->shifted[0], s->balance, n + 1, x, n);
    mpn_add(s->shifted[1], s->balance, n + 1, y, n);
    s->negative[0] = x_negative;
    s->negative[1] = y_negative;
}

int spectrum_jobs(const struct spectrum *s, int phase)
{
    return (phase == SPECTRUM_SQUARE ? s->rows : s->columns) / SPECTRUM_LANES;
}

static const struct spectrum_kernels *kernels(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return &spectrum_avx2;
#endif
    return &spectrum_plain;
}

void spectrum_job(struct spectrum *s, int phase, int job, int thread)
{
    kernels()->job[phase](s, job, s->tile[thread]);
}

/* Begins at limb n - 2: the coefficients are below 2^46, so all that lie below would add less than
 * 2^-17 of limb n - 1. */
void spectrum_end(const struct spectrum *s, int part, mp_limb_t *result)
{
    __extension__ typedef __int128 wide;
    mp_size_t n = s->limbs, first = n > 1 ? n - 2 : 0;
    int64_t base = 64 * (int64_t)first, bits = s->digit_bits;
    int64_t j = (base + bits - 1) / bits, shift = j * bits - base;
    wide sum = 0;
    for (mp_size_t i = first; i < 2 * n; i++) { /* limb i */
        for (; shift < 64 && j < 2 * s->digits; j++, shift += bits)
            sum += (wide)s->coefficient[part][j] * ((wide)1 << shift);
        if (i >= n - 1)
            result[i - (n - 1)] = (mp_limb_t)sum;
        sum >>= 64;
        shift -= 64;
    }
}
