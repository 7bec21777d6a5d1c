#include "kernels/orbit/short_product.h"

/* Measured on Zen 4 with GMP 6.2: below and above, the full square is as fast. */
enum { SQUARE_LEAST = 10, SQUARE_MOST = 4096, ROWS_MOST = 40 };

/* Limbs of the upper part that is multiplied in full: 5n/8. More than n/2, so that it reaches
 * limb n - 1 of the product. */
static mp_size_t upper_limbs(mp_size_t n)
{
    return n < SQUARE_LEAST || n > SQUARE_MOST ? n : n - 3 * n / 8;
}

mp_size_t short_cross_limbs(mp_size_t n)
{
    return 4 * (n - upper_limbs(n)) + 16; /* a product of 3n/8 limbs, and those below it */
}

/* Limbs n - 1 .. 2n - 1 of a b, row by row, or by shorter products that need `spare` limbs. */
static void upper_multiply(mp_limb_t *r, const mp_limb_t *a, const mp_limb_t *b, mp_size_t n,
                           mp_limb_t *spare)
{
    if (n <= ROWS_MOST) {
        r[n] = mpn_mul_1(r + n - 1, a + n - 1, 1, b[0]);
        for (mp_size_t i = 1; i < n; i++)
            r[n + i] = mpn_addmul_1(r + n - 1, a + n - 1 - i, i + 1, b[i]);
        return;
    }
    mp_size_t lower = 3 * n / 8, upper = n - lower;
    mpn_mul_n(r + 2 * lower, a + lower, b + lower, upper);
    mp_limb_t *product = spare + lower - 1, carry;
    upper_multiply(spare, a + upper, b, lower, spare + 2 * lower);
    carry = mpn_add_n(r + n - 1, r + n - 1, product, lower + 1);
    upper_multiply(spare, b + upper, a, lower, spare + 2 * lower);
    carry += mpn_add_n(r + n - 1, r + n - 1, product, lower + 1);
    mpn_add_1(r + n + lower, r + n + lower, upper, carry);
}

void short_square_upper(mp_limb_t *r, const mp_limb_t *a, mp_size_t n)
{
    mp_size_t upper = upper_limbs(n), lower = n - upper;
    mpn_sqr(r + 2 * lower, a + lower, upper);
}

void short_square_cross(mp_limb_t *cross, const mp_limb_t *a, mp_size_t n)
{
    mp_size_t upper = upper_limbs(n), lower = n - upper;
    if (lower)
        upper_multiply(cross, a + upper, a, lower, cross + 2 * lower);
}

void short_square_join(mp_limb_t *r, mp_limb_t *cross, mp_size_t n)
{
    mp_size_t upper = upper_limbs(n), lower = n - upper;
    if (!lower)
        return;
    /* Twice the cross product; its own top bit is the third limb's carry. */
    mp_limb_t *product = cross + lower - 1;
    mp_limb_t carry = mpn_lshift(product, product, lower + 1, 1);
    carry += mpn_add_n(r + n - 1, r + n - 1, product, lower + 1);
    mpn_add_1(r + n + lower, r + n + lower, upper, carry);
}
