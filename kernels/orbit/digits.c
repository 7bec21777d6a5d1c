#include "kernels/orbit/digits.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/orbit/fixed.h"

enum {
    LIMB_BITS = 64,
    VECTORS_OF_PARTS = 24, /* a square takes half a microsecond */
    ZEROS_BELOW = 24,      /* around a number: as far as the loops of a square read */
    ZEROS_ABOVE = 48
};

bool digits_serve(mp_size_t limbs)
{
#if defined(__x86_64__)
    return limbs > FIXED_FEW && (LIMB_BITS * limbs + DIGIT_BITS - 1) / DIGIT_BITS <= DIGITS_MOST &&
           __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512ifma");
#else
    (void)limbs;
    return false;
#endif
}

/* 64 bits from bit `at` on, of a number of limbs; below the lowest limb are zeros. */
static uint64_t limbs_bits(const mp_limb_t *limb, mp_size_t limbs, long at)
{
    uint64_t bits = 0;
    for (int b = 0; b < 2; b++) {
        long i = at / LIMB_BITS + b, shift = at % LIMB_BITS;
        if (at < 0) { /* below the lowest limb */
            i = b - 1;
            shift = at + LIMB_BITS;
        }
        uint64_t part = i >= 0 && i < limbs ? limb[i] : 0;
        if (b == 0)
            bits = part >> shift;
        else if (shift)
            bits |= part << (LIMB_BITS - shift);
    }
    return bits;
}

/* A number of limbs as digits, two's complement or a magnitude. */
static void digits_of(uint64_t *digit, int count, int spare, const mp_limb_t *limb, mp_size_t limbs)
{
    for (int i = 0; i < count; i++)
        digit[i] = limbs_bits(limb, limbs, (long)i * DIGIT_BITS - spare) & DIGIT_MASK;
}

/* Vector v of columns takes about count / 2 - 4 v products: 0.29 of them are half of the work. */
static void parts_choose(struct digits *d)
{
    d->parts = d->vectors >= VECTORS_OF_PARTS ? 2 : 1;
    d->split = d->parts == 1 ? d->vectors : (int)(0.29 * d->vectors + 2) / 4 * 4;
}

enum status digits_create(struct digits *d, mp_size_t limbs, const mp_limb_t *cx,
                          const mp_limb_t *cy)
{
    int count = (int)((LIMB_BITS * limbs + DIGIT_BITS - 1) / DIGIT_BITS);
    *d = (struct digits){.count = count,
                         .spare_bits = (int)(DIGIT_BITS * count - LIMB_BITS * limbs),
                         .first = (count - 2) / 2 * 2,
                         .step = digits_small_step(count)};
    d->vectors = (2 * count - d->first + DIGIT_LANES - 1) / DIGIT_LANES;
    parts_choose(d);
    size_t number = (size_t)(count + ZEROS_BELOW + ZEROS_ABOVE + 7) / 8 * 8;
    size_t columns = (size_t)(d->vectors * DIGIT_LANES);
    size_t words = 2 * DIGIT_NUMBERS * number + (DIGIT_NUMBERS + 2) * columns +
                   (2 + DIGIT_NUMBERS) * DIGIT_LANES;
    d->block = aligned_alloc(64, words * sizeof(uint64_t));
    if (!d->block)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for numbers of %d digits (%zu bytes)",
                           count, words * sizeof(uint64_t));
    memset(d->block, 0, words * sizeof(uint64_t));
    uint64_t *at = d->block;
    for (int i = 0; i < 2 * DIGIT_NUMBERS; i++, at += number)
        d->number[i / DIGIT_NUMBERS][i % DIGIT_NUMBERS] =
            at + ZEROS_BELOW + (count - d->first); /* results are stored in whole cache lines */
    for (int i = 0; i < DIGIT_NUMBERS; i++, at += columns + DIGIT_LANES)
        d->column[i] = at;
    for (int i = 0; i < 2; i++, at += columns)
        d->constant[i] = at;
    d->keep_first = at;
    d->keep_last = at + DIGIT_LANES;
    int low = count - d->first, high = 2 * count - d->first - (d->vectors - 1) * DIGIT_LANES;
    for (int i = 0; i < DIGIT_LANES; i++) {
        d->keep_first[i] = i < low ? 0 : ~(uint64_t)0;
        d->keep_last[i] = i < high ? ~(uint64_t)0 : 0;
    }
    d->keep_first[low] = ~(uint64_t)0 << d->spare_bits;
    digits_of(d->constant[0] + low, count, d->spare_bits, cx, limbs);
    digits_of(d->constant[1] + low, count, d->spare_bits, cy, limbs);
    for (int i = 0; i < 2; i++)
        if (d->spare_bits)
            d->constant[i][low] |= (uint64_t)1 << (d->spare_bits - 1);
        else
            d->constant[i][low - 1] = (uint64_t)1 << (DIGIT_BITS - 1);
    return STATUS_OK;
}

void digits_destroy(struct digits *digits)
{
    free(digits->block);
    *digits = (struct digits){0};
}

static void number_set(const struct digits *d, int number, mp_size_t limbs, const mp_limb_t *limb,
                       bool negative)
{
    uint64_t *digit = d->number[d->now][number], carry = (uint64_t)1 << d->spare_bits;
    digits_of(digit, d->count, d->spare_bits, limb, limbs);
    for (int i = 0; negative && i < d->count; i++) {
        uint64_t opposite = i ? ~digit[i] & DIGIT_MASK : ~digit[i] & DIGIT_MASK & ~(carry - 1);
        opposite += carry;
        digit[i] = opposite & DIGIT_MASK;
        carry = opposite >> DIGIT_BITS;
    }
}

/* x + y, or x alone where y is NULL, with all carries; what leaves the highest digit is dropped. */
static void number_carry(uint64_t *digit, const uint64_t *x, const uint64_t *y, int count)
{
    int64_t carry = 0;
    for (int i = 0; i < count; i++) {
        carry += (int64_t)x[i] + (y ? (int64_t)y[i] : 0);
        digit[i] = (uint64_t)carry & DIGIT_MASK;
        carry >>= DIGIT_BITS;
    }
}

void digits_carry(struct digits *d)
{
    uint64_t *const *next = d->number[!d->now];
    number_carry(next[0], next[0], NULL, d->count);
    number_carry(next[1], next[1], NULL, d->count);
    number_carry(next[2], next[0], next[1], d->count);
}

void digits_set(struct digits *d, mp_size_t limbs, const mp_limb_t *x, bool x_negative,
                const mp_limb_t *y, bool y_negative)
{
    uint64_t *const *number = d->number[d->now];
    number_set(d, 0, limbs, x, x_negative);
    number_set(d, 1, limbs, y, y_negative);
    number_carry(number[2], number[0], number[1], d->count);
}

bool digits_get(const struct digits *d, int number, mp_size_t limbs, mp_limb_t *limb)
{
    const uint64_t *digit = d->number[d->now][number];
    uint64_t bits = digit[0] >> d->spare_bits;
    int have = DIGIT_BITS - d->spare_bits; /* bits of the next limb that are there */
    mp_size_t at = 0;
    for (int i = 1; i < d->count; i++, have += DIGIT_BITS) {
        bits |= digit[i] << have;
        if (have + DIGIT_BITS < LIMB_BITS)
            continue;
        limb[at++] = bits;
        bits = digit[i] >> (LIMB_BITS - have);
        have -= LIMB_BITS;
    }
    if (at < limbs)
        limb[at] = bits;
    bool negative = digit[d->count - 1] >> (DIGIT_BITS - 1);
    if (negative)
        mpn_neg(limb, limb, limbs);
    return negative;
}

bool digits_get_top(const struct digits *d, int number, mp_size_t limbs, mp_limb_t *limb,
                    bool *negative)
{
    const uint64_t *digit = d->number[d->now][number] + d->count - 4;
    uint64_t opposite = digit[3] >> (DIGIT_BITS - 1) ? DIGIT_MASK : 0;
    uint64_t first = digit[3] ^ opposite, second = digit[2] ^ opposite;
    uint64_t third = digit[1] ^ opposite, fourth = digit[0] ^ opposite;
    mp_limb_t *top = limb + limbs - 3;
    *negative = opposite;
    top[2] = first << 12 | second >> 40;
    top[1] = second << 24 | third >> 28;
    top[0] = third << 36 | fourth >> 16;
    /* The unit that ~X lacks to -X goes no further than into limbs below. */
    return top[0] + 1 > 1 && top[1] && top[2];
}

#if !defined(__x86_64__) /* digits_serve is false there */
void digits_square(struct digits *digits, int number, int part)
{
    (void)digits, (void)number, (void)part;
}

bool digits_end(struct digits *digits)
{
    (void)digits;
    return false;
}

bool (*digits_small_step(int count))(struct digits *)
{
    (void)count;
    return NULL;
}
#endif
