#include "kernels/orbit/fixed_small.h"

#include <stddef.h>

#include "kernels/always_inline.h"
#include "kernels/unroll.h"

/* Each number of limbs has a step of its own, in which every loop is unrolled: with gcc 12 on Zen 4
 * it takes half the time of the same step in calls of GMP at 5 limbs, 0.8 of it at 17. A product of
 * x and y is faster here than a third square, because nothing has to wait for |x| + |y|. No branch
 * depends on a sign, which nothing can predict. */

#define INLINE static ALWAYS_INLINE

__extension__ typedef unsigned __int128 wide;
typedef mp_limb_t limb;

enum { LIMB_BITS = 64 };

struct column { /* a sum of products, three limbs */
    wide lower;
    limb upper;
};

INLINE void column_add(struct column *sum, wide lower, limb upper)
{
    sum->upper += upper + __builtin_add_overflow(sum->lower, lower, &sum->lower);
}

/* Limbs of a product below the upper n that are made: 1 where it is to be rounded. */
INLINE int guard_of(int n)
{
    return n > FIXED_FEW;
}

/* Limbs n - guard .. 2n - 1 of a^2, to which `half` units of limb n - 1 are added, by columns,
 * without products of limbs i + j < n - 1 - guard: too small by less than n units, as in
 * short_product.h. */
INLINE void limbs_square(limb *r, const limb *a, limb half, int n)
{
    int first = n - guard_of(n);
    struct column all = {guard_of(n) ? (wide)half << LIMB_BITS : 0, 0};
    UNROLL for (int k = first - 1; k < 2 * n - 1; k++)
    {
        struct column twice = {0, 0};
        UNROLL for (int i = k < n ? 0 : k - n + 1; 2 * i < k; i++)
            column_add(&twice, (wide)a[i] * a[k - i], 0);
        twice.upper = twice.upper << 1 | (limb)(twice.lower >> (2 * LIMB_BITS - 1));
        twice.lower <<= 1;
        if (k % 2 == 0)
            column_add(&twice, (wide)a[k / 2] * a[k / 2], 0);
        column_add(&all, twice.lower, twice.upper);
        if (k >= first)
            r[k - first] = (limb)all.lower;
        all.lower = all.lower >> LIMB_BITS | (wide)all.upper << LIMB_BITS;
        all.upper = 0;
    }
    r[2 * n - 1 - first] = (limb)all.lower;
}

/* The same limbs of a b. */
INLINE void limbs_multiply(limb *r, const limb *a, const limb *b, limb half, int n)
{
    int first = n - guard_of(n);
    struct column all = {guard_of(n) ? (wide)half << LIMB_BITS : 0, 0};
    UNROLL for (int k = first - 1; k < 2 * n - 1; k++)
    {
        UNROLL for (int i = k < n ? 0 : k - n + 1; i <= k && i < n; i++)
            column_add(&all, (wide)a[i] * b[k - i], 0);
        if (k >= first)
            r[k - first] = (limb)all.lower;
        all.lower = all.lower >> LIMB_BITS | (wide)all.upper << LIMB_BITS;
        all.upper = 0;
    }
    r[2 * n - 1 - first] = (limb)all.lower;
}

INLINE limb limb_add(limb a, limb b, limb *carry)
{
    wide sum = (wide)a + b + *carry;
    *carry = (limb)(sum >> LIMB_BITS);
    return (limb)sum;
}

INLINE limb limb_subtract(limb a, limb b, limb *borrow)
{
    wide difference = (wide)a - b - *borrow;
    *borrow = (limb)(difference >> LIMB_BITS) & 1;
    return (limb)difference;
}

INLINE void magnitude_take(struct fixed_real *real, int n)
{
    limb mask = -(real->limb[n - 1] >> (LIMB_BITS - 1)), carry = mask & 1;
    real->negative = carry;
    UNROLL for (int i = 0; i < n; i++) real->limb[i] = limb_add(real->limb[i] ^ mask, 0, &carry);
}

INLINE void small_step(struct fixed *f, int n)
{
    limb *x = f->x.limb, *y = f->y.limb;
    limb *xx = f->square[SQUARE_X], *yy = f->square[SQUARE_Y], *xy = f->square[SQUARE_SUM];
    const limb *cx = f->cx, *cy = f->cy;
    limb carry = 0, borrow = 0, below = 0, product = 0, error = 2 * (limb)n + 2;
    int guard = guard_of(n);
    limb opposite = -(limb)(f->x.negative != f->y.negative);
    limbs_square(xx, x, ROUNDING_HALF, n);
    limbs_square(yy, y, 0, n);
    limbs_multiply(xy, x, y, ROUNDING_HALF / 2, n);
    if (guard) {
        below = limb_subtract(xx[0], yy[0], &borrow);
        product = xy[0];
        if (rounding_uncertain(below, error) || rounding_uncertain(product << 1, error)) {
            fixed_step_exact(f);
            return;
        }
    }
    UNROLL for (int i = 0; i < n; i++)
    { /* x' = x^2 - y^2 + cx */
        limb difference = limb_subtract(xx[i + guard], yy[i + guard], &borrow);
        limb shifted = difference << FIXED_INTEGER_BITS | below >> (LIMB_BITS - FIXED_INTEGER_BITS);
        x[i] = limb_add(shifted, cx[i], &carry);
        below = difference;
    }
    carry = opposite & 1;
    UNROLL for (int i = 0; i < n; i++)
    { /* y' = +-2 |x| |y| + cy */
        limb shifted = xy[i + guard] << (FIXED_INTEGER_BITS + 1) |
                       product >> (LIMB_BITS - (FIXED_INTEGER_BITS + 1));
        y[i] = limb_add(shifted ^ opposite, cy[i], &carry);
        product = xy[i + guard];
    }
    magnitude_take(&f->x, n);
    magnitude_take(&f->y, n);
}

/* clang-format off */
#define SIZES(ROW)                                                      \
    ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7) ROW(8) ROW(9)      \
    ROW(10) ROW(11) ROW(12) ROW(13) ROW(14) ROW(15) ROW(16) ROW(17)
/* clang-format on */

#define STEP(n)                           \
    static void step_##n(struct fixed *f) \
    {                                     \
        small_step(f, n);                 \
    }
SIZES(STEP)

#define NAME(n) [n] = step_##n,
static void (*const steps[])(struct fixed *) = {SIZES(NAME)};

void (*fixed_small_step(mp_size_t n))(struct fixed *fixed)
{
    return n < (mp_size_t)(sizeof steps / sizeof *steps) ? steps[n] : NULL;
}
