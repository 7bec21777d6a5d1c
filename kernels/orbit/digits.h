/* Steps of fixed.h in digits of 52 bits, which AVX-512 multiplies eight at a time (IFMA).
 *
 * x is the integer X = x 2^(52 count - FIXED_INTEGER_BITS), modulo 2^(52 count), so a negative one
 * has its highest bit set. Its lowest spare_bits are 0, so that its last bit is that of fixed.h.
 *
 * Columns of a square are sums of halves of products of digits, 64 bits each; their carries wait
 * until all is added up. Those from `first` on are computed. What the others would add is less than
 * count units of the digit below the result's last one, so rounding to nearest is certain unless
 * that digit is next to a tie. */
#ifndef KERNELS_ORBIT_DIGITS_H
#define KERNELS_ORBIT_DIGITS_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

enum {
    DIGIT_BITS = 52,
    DIGIT_LANES = 8,
    DIGITS_MOST = 500, /* beyond, a column of 64 bits would overflow */
    DIGIT_NUMBERS = 3  /* x, y, x + y */
};
#define DIGIT_MASK (((uint64_t)1 << DIGIT_BITS) - 1)

struct digits {
    int count;      /* digits of a number */
    int spare_bits; /* lowest bits of a number, which are 0 */
    int first;      /* first column: even, count - 2 or count - 3 */
    int vectors;    /* vectors of columns from there, up to column 2 count - 1 at least */
    int parts;      /* 1, or 2 where a square is long enough for two threads */
    int split;      /* vectors of the first part, which are as much work as the others */
    int now;        /* the one of the two `number` that is z; a step writes the other */
    uint64_t *number[2][DIGIT_NUMBERS];  /* [count], with zeros on both sides */
    uint64_t *constant[2];               /* columns of c and of half a unit: [vectors][LANES] */
    uint64_t *column[DIGIT_NUMBERS];     /* columns of the squares: [vectors + 1][LANES] */
    uint64_t *keep_first, *keep_last;    /* masks of the first and the last vector of a result */
    bool (*step)(struct digits *digits); /* digits_small_step */
    void *block;                         /* owned: all of the above; NULL: not in use */
};

/* Can this processor take steps of so many limbs this way? Then no other way is faster. */
bool digits_serve(mp_size_t limbs);

/* cx, cy: [limbs], two's complement. */
enum status digits_create(struct digits *digits, mp_size_t limbs, const mp_limb_t *cx,
                          const mp_limb_t *cy);
void digits_destroy(struct digits *digits); /* accepts a zeroed one */

/* Take z from magnitudes of so many limbs, and return it. */
void digits_set(struct digits *digits, mp_size_t limbs, const mp_limb_t *x, bool x_negative,
                const mp_limb_t *y, bool y_negative);
bool digits_get(const struct digits *digits, int number, mp_size_t limbs, mp_limb_t *limb);

/* Only the highest three limbs, without the unit that two's complement adds below them; false: that
 * may matter, or one of the three is 0, so that all limbs are needed. */
bool digits_get_top(const struct digits *digits, int number, mp_size_t limbs, mp_limb_t *limb,
                    bool *negative);

/* One part of one of the squares, of x, y and x + y; all may be computed at the same time. */
void digits_square(struct digits *digits, int number, int part);

/* Makes the next z of them. False: rounding is uncertain, and z is as it was. */
bool digits_end(struct digits *digits);

/* Takes carries of the next z as far as they go: a small number that changes its sign has one
 * through all higher digits. */
void digits_carry(struct digits *digits);

/* The whole step of few digits, or NULL: each number of them has its own (digits_small_ifma.c). */
bool (*digits_small_step(int count))(struct digits *digits);

#endif
