#include "kernels/orbit/device/orbit_digits.h"

enum { SHORT_BITS = 16, SHORT_HALF = 1 << (SHORT_BITS - 1), SHORT_MASK = (1 << SHORT_BITS) - 1 };

static int32_t *part_of(struct orbit_digit *digit, int part)
{
    return part ? &digit->y : &digit->x;
}

/* The highest digit stays as it is: it holds the number's. */
static void part_set(struct orbit_digit *digit, int part, const struct fixed_real *real,
                     mp_size_t limbs)
{
    int64_t count = (int64_t)limbs * LIMB_DIGITS;
    int32_t carry = 0;
    for (int64_t k = 0; k < count; k++) {
        mp_limb_t limb = real->limb[k / LIMB_DIGITS];
        int32_t value = (int32_t)(limb >> SHORT_BITS * (k % LIMB_DIGITS) & SHORT_MASK) + carry;
        carry = value >= SHORT_HALF && k < count - 1;
        value -= carry << SHORT_BITS;
        *part_of(&digit[k], part) = real->negative ? -value : value;
    }
}

void orbit_digits_set(struct orbit_digit *digit, int digits, const struct fixed_real *x,
                      const struct fixed_real *y, mp_size_t limbs)
{
    int zeros = digits - (int)limbs * LIMB_DIGITS;
    for (int k = 0; k < zeros; k++)
        digit[k] = (struct orbit_digit){0, 0};
    part_set(digit + zeros, 0, x, limbs);
    part_set(digit + zeros, 1, y, limbs);
}

static void part_get(const struct orbit_digit *digit, int part, struct fixed_real *real,
                     mp_size_t limbs)
{
    int64_t carry = 0;
    for (mp_size_t i = 0; i < limbs; i++) {
        mp_limb_t limb = 0;
        for (int k = 0; k < LIMB_DIGITS; k++, digit++) {
            carry += part ? digit->y : digit->x;
            limb |= (mp_limb_t)(carry & SHORT_MASK) << SHORT_BITS * k;
            carry >>= SHORT_BITS;
        }
        real->limb[i] = limb;
    }
    real->negative = carry < 0;
    if (real->negative)
        mpn_neg(real->limb, real->limb, limbs);
}

void orbit_digits_get(const struct orbit_digit *digit, int digits, struct fixed_real *x,
                      struct fixed_real *y, mp_size_t limbs)
{
    digit += digits - (int)limbs * LIMB_DIGITS;
    part_get(digit, 0, x, limbs);
    part_get(digit, 1, y, limbs);
}

/* Digits from the highest one that is not 0 on that are taken for a double. */
enum { DOUBLE_DIGITS = 7 };

/* What lies below is worth less than one unit of the lowest digit: where the numbers a unit to
 * either side have the same nearest double, it is that of all between. */
bool orbit_step_double(const struct orbit_step *step, int digits, int part, double *value)
{
    __extension__ typedef __int128 wide;
    uint32_t lead = part ? step->lead_y : step->lead_x;
    int first = digits - 1 - (int)(lead / 2);
    wide whole = 0;
    *value = lead == 0 || lead % 2 ? 0.0 : -0.0;
    if (lead == 0 || first > ORBIT_TOP_DIGITS - DOUBLE_DIGITS)
        return true;
    for (int k = first; k < first + DOUBLE_DIGITS; k++)
        whole = whole * (SHORT_MASK + 1) + (part ? step->top[k].y : step->top[k].x);
    double nearest = (double)(whole - 1);
    *value = ldexp(nearest, FIXED_INTEGER_BITS - SHORT_BITS * (first + DOUBLE_DIGITS));
    return nearest == (double)(whole + 1);
}

mp_limb_t orbit_step_low(const struct orbit_step *step, int part)
{
    mp_limb_t limb = 0;
    for (int k = ORBIT_LOW_DIGITS - 1; k >= 0; k--)
        limb = (limb << SHORT_BITS) + (mp_limb_t)(part ? step->low[k].y : step->low[k].x);
    return limb;
}
