/* The transforms, once for each instruction set: a file defines SPECTRUM_NAME and includes this. */
#ifndef SPECTRUM_NAME
#error "spectrum_body.h is the body of a file that defines SPECTRUM_NAME"
#endif

#include <string.h>

#include "kernels/always_inline.h"
#include "kernels/orbit/spectrum_kernels.h"

#define EACH_LANE for (int i = 0; i < SPECTRUM_LANES; i++)
#define INLINE static ALWAYS_INLINE

typedef struct spectrum_lanes lanes;
typedef struct spectrum_root root;

/* Four numbers at a distance of a quarter of their block: their sums with factors 1, -i, -1, i,
 * each times its root. */
INLINE void forth4(lanes *restrict a, lanes *restrict b, lanes *restrict c, lanes *restrict d,
                   root w1, root w2, root w3)
{
    EACH_LANE
    {
        double pr = a->re[i] + c->re[i], pi = a->im[i] + c->im[i];
        double mr = a->re[i] - c->re[i], mi = a->im[i] - c->im[i];
        double qr = b->re[i] + d->re[i], qi = b->im[i] + d->im[i];
        double nr = b->im[i] - d->im[i], ni = d->re[i] - b->re[i]; /* -i (b - d) */
        double br = mr + nr, bi = mi + ni, cr = pr - qr, ci = pi - qi, dr = mr - nr, di = mi - ni;
        a->re[i] = pr + qr;
        a->im[i] = pi + qi;
        b->re[i] = br * w1.re - bi * w1.im;
        b->im[i] = br * w1.im + bi * w1.re;
        c->re[i] = cr * w2.re - ci * w2.im;
        c->im[i] = cr * w2.im + ci * w2.re;
        d->re[i] = dr * w3.re - di * w3.im;
        d->im[i] = dr * w3.im + di * w3.re;
    }
}

/* Undoes forth4, but for a factor of 4. */
INLINE void back4(lanes *restrict a, lanes *restrict b, lanes *restrict c, lanes *restrict d,
                  root w1, root w2, root w3)
{
    EACH_LANE
    {
        double br = b->re[i] * w1.re + b->im[i] * w1.im, bi = b->im[i] * w1.re - b->re[i] * w1.im;
        double cr = c->re[i] * w2.re + c->im[i] * w2.im, ci = c->im[i] * w2.re - c->re[i] * w2.im;
        double dr = d->re[i] * w3.re + d->im[i] * w3.im, di = d->im[i] * w3.re - d->re[i] * w3.im;
        double pr = a->re[i] + cr, pi = a->im[i] + ci, mr = a->re[i] - cr, mi = a->im[i] - ci;
        double qr = br + dr, qi = bi + di, nr = di - bi, ni = br - dr; /* i (b - d) */
        a->re[i] = pr + qr;
        a->im[i] = pi + qi;
        b->re[i] = mr + nr;
        b->im[i] = mi + ni;
        c->re[i] = pr - qr;
        c->im[i] = pi - qi;
        d->re[i] = mr - nr;
        d->im[i] = mi - ni;
    }
}

INLINE void sum_and_difference(lanes *restrict a, lanes *restrict b)
{
    EACH_LANE
    {
        double re = a->re[i] - b->re[i], im = a->im[i] - b->im[i];
        a->re[i] += b->re[i];
        a->im[i] += b->im[i];
        b->re[i] = re;
        b->im[i] = im;
    }
}

/* Transforms of length n; `forth` leaves its results in the order that `back` wants. */
static void forth(lanes *x, int n, const root *w)
{
    int m = n;
    for (; m >= 4; m /= 4)
        for (int j = 0, quarter = m / 4, stride = n / m; j < quarter; j++)
            for (int k = j; k < n; k += m)
                forth4(x + k, x + k + quarter, x + k + 2 * quarter, x + k + 3 * quarter,
                       w[j * stride], w[2 * j * stride], w[3 * j * stride]);
    for (int k = 0; m == 2 && k < n; k += 2)
        sum_and_difference(x + k, x + k + 1);
}

static void back(lanes *x, int n, const root *w)
{
    int m = n;
    while (m >= 4)
        m /= 4;
    for (int k = 0; m == 2 && k < n; k += 2)
        sum_and_difference(x + k, x + k + 1);
    for (m *= 4; m <= n; m *= 4)
        for (int j = 0, quarter = m / 4, stride = n / m; j < quarter; j++)
            for (int k = j; k < n; k += m)
                back4(x + k, x + k + quarter, x + k + 2 * quarter, x + k + 3 * quarter,
                      w[j * stride], w[2 * j * stride], w[3 * j * stride]);
}

/* SPECTRUM_LANES digits from number `first` on; they are what the fields of `shifted` are above
 * half a digit. */
INLINE void digits_take(const struct spectrum *s, int part, int64_t first, double *digit)
{
    const mp_limb_t *limb = s->shifted[part];
    int bits = s->digit_bits;
    int64_t half = (int64_t)1 << (bits - 1);
    mp_limb_t mask = ((mp_limb_t)1 << bits) - 1;
    double sign = s->negative[part] ? -1 : 1;
    EACH_LANE
    {
        int64_t bit = (first + i) * bits;
        const mp_limb_t *at = limb + bit / 64;
        int shift = (int)(bit % 64);
        mp_limb_t field = (at[0] >> shift | at[1] << 1 << (63 - shift)) & mask;
        digit[i] = first + i < s->digits ? sign * (double)((int64_t)field - half) : 0;
    }
}

static void columns_forth(struct spectrum *s, int job, lanes *tile)
{
    int across = s->columns / SPECTRUM_LANES;
    for (int r = 0; r < s->rows; r++) {
        int64_t first = (int64_t)r * s->columns + (int64_t)job * SPECTRUM_LANES;
        if (first >= s->digits) {
            memset(tile + r, 0, (size_t)(s->rows - r) * sizeof *tile);
            break;
        }
        digits_take(s, 0, first, tile[r].re);
        digits_take(s, 1, first, tile[r].im);
    }
    forth(tile, s->rows, s->column_roots);
    for (int r = 0; r < s->rows; r++)
        s->matrix[(int64_t)r * across + job] = tile[r];
}

/* Squares SPECTRUM_LANES rows, transposed so that they lie side by side, with their twiddles. */
static void rows_square(struct spectrum *s, int job, lanes *tile)
{
    int across = s->columns / SPECTRUM_LANES;
    lanes *matrix = s->matrix + (int64_t)job * SPECTRUM_LANES * across;
    const root *twiddles = s->twiddles + (int64_t)job * SPECTRUM_LANES * s->columns;
    for (int k = 0; k < across; k++)
        for (int r = 0; r < SPECTRUM_LANES; r++) {
            const lanes *from = matrix + r * across + k;
            const root *w = twiddles + (int64_t)r * s->columns + k * SPECTRUM_LANES;
            lanes *to = tile + k * SPECTRUM_LANES;
            EACH_LANE
            {
                to[i].re[r] = from->re[i] * w[i].re - from->im[i] * w[i].im;
                to[i].im[r] = from->re[i] * w[i].im + from->im[i] * w[i].re;
            }
        }
    forth(tile, s->columns, s->row_roots);
    for (int k = 0; k < s->columns; k++)
        EACH_LANE
        {
            double re = tile[k].re[i], im = tile[k].im[i];
            tile[k].re[i] = re * re - im * im;
            tile[k].im[i] = 2 * (re * im);
        }
    back(tile, s->columns, s->row_roots);
    for (int k = 0; k < across; k++)
        for (int r = 0; r < SPECTRUM_LANES; r++) {
            lanes *to = matrix + r * across + k;
            const root *w = twiddles + (int64_t)r * s->columns + k * SPECTRUM_LANES;
            const lanes *from = tile + k * SPECTRUM_LANES;
            EACH_LANE
            {
                to->re[i] = from[i].re[r] * w[i].re + from[i].im[r] * w[i].im;
                to->im[i] = from[i].im[r] * w[i].re - from[i].re[r] * w[i].im;
            }
        }
}

/* The nearest integer of |value| < 2^51: what adding 3 2^51 leaves in the lower bits. */
INLINE int64_t nearest(double value)
{
    double sum = value + 0x1.8p52, zero = 0x1.8p52;
    int64_t bits, base;
    memcpy(&bits, &sum, sizeof bits);
    memcpy(&base, &zero, sizeof base);
    return bits - base;
}

static void columns_back(struct spectrum *s, int job, lanes *tile)
{
    int across = s->columns / SPECTRUM_LANES;
    double scale = 1.0 / ((double)s->rows * s->columns); /* a power of two: exact */
    for (int r = 0; r < s->rows; r++)
        tile[r] = s->matrix[(int64_t)r * across + job];
    back(tile, s->rows, s->column_roots);
    for (int r = 0; r < s->rows; r++) {
        int64_t first = (int64_t)r * s->columns + (int64_t)job * SPECTRUM_LANES;
        EACH_LANE
        {
            s->coefficient[0][first + i] = nearest(tile[r].re[i] * scale);
            s->coefficient[1][first + i] = nearest(tile[r].im[i] * scale);
        }
    }
}

const struct spectrum_kernels SPECTRUM_NAME = {.job = {[SPECTRUM_FORTH] = columns_forth,
                                                       [SPECTRUM_SQUARE] = rows_square,
                                                       [SPECTRUM_BACK] = columns_back}};
