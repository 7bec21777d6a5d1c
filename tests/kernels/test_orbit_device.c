/* Orbits whose steps a device takes: the same bits as those of the processor alone. The device is
 * played here (played_orbit.h); a GPU does the same in gpu_orbit.c. */
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

#include "kernels/orbit/device/digit_transform.h"
#include "kernels/orbit/device/orbit_digits.h"
#include "tests/kernels/device_orbits.h"
#include "tests/kernels/played_orbit.h"
#include "tests/support/check.h"

static const struct orbit_device device = {&played_orbit_kind, 0};

static int play_begin(void **state)
{
    (void)state;
    memset(&played_orbit, 0, sizeof played_orbit);
    return 0;
}

/* ---- digits ---- */

static void limbs_fill(struct fixed_real *real, mp_size_t limbs, int pattern, uint64_t *seed)
{
    for (mp_size_t i = 0; i < limbs; i++)
        real->limb[i] = pattern == 0   ? check_random(seed)
                        : pattern == 1 ? 0
                        : pattern == 2 ? UINT64_MAX
                                       : UINT64_C(0x8000800080008000) - (pattern == 3);
    real->limb[limbs - 1] >>= 1;
    real->negative = pattern != 1 && check_random(seed) % 2;
}

TEST(limbs_become_digits_and_limbs_again)
{
    enum { LIMBS = 37, DIGITS = 160 };
    mp_limb_t limb[4][LIMBS];
    struct fixed_real from[2] = {{limb[0], 0}, {limb[1], 0}}, to[2] = {{limb[2], 0}, {limb[3], 0}};
    struct orbit_digit digit[DIGITS];
    uint64_t seed = 1;
    for (int i = 0; i < 100; i++) {
        for (int part = 0; part < 2; part++)
            limbs_fill(&from[part], LIMBS, (i + 3 * part) % 5, &seed);
        orbit_digits_set(digit, DIGITS, &from[0], &from[1], LIMBS);
        for (int k = 0; k < DIGITS - 1; k++)
            assert_true(abs(digit[k].x) <= 1 << 15 && abs(digit[k].y) <= 1 << 15);
        orbit_digits_get(digit, DIGITS, &to[0], &to[1], LIMBS);
        for (int part = 0; part < 2; part++) {
            assert_memory_equal(to[part].limb, from[part].limb, sizeof limb[0]);
            assert_int_equal(to[part].negative, from[part].negative);
        }
    }
}

/* What a device says of a z with these digits. */
static struct orbit_step step_of(const struct orbit_digit *digit, int digits, int zeros)
{
    struct orbit_step step = {.lead_x = 0};
    for (int k = 0; k < ORBIT_TOP_DIGITS; k++)
        step.top[k] = digit[digits - 1 - k];
    for (int k = 0; k < ORBIT_LOW_DIGITS; k++)
        step.low[k] = digit[zeros + k];
    for (int k = 0; k < digits; k++) {
        if (digit[k].x)
            step.lead_x = 2 * (uint32_t)k + (digit[k].x > 0);
        if (digit[k].y)
            step.lead_y = 2 * (uint32_t)k + (digit[k].y > 0);
    }
    return step;
}

/* Upper digits say the nearest double, with the sign of what is 0 as a double, or that they do not
 * know it; lower ones the lowest limb. */
TEST(digits_describe_a_number)
{
    enum { LIMBS = 30, DIGITS = 128, ZEROS = 8, TRIALS = 4000 };
    mp_limb_t limb[2][LIMBS];
    struct fixed fixed = {.limbs = LIMBS, .fraction_bits = 64 * LIMBS - FIXED_INTEGER_BITS};
    struct fixed_real real[2] = {{limb[0], 0}, {limb[1], 0}};
    struct orbit_digit digit[DIGITS];
    uint64_t seed = 2;
    int decided[2] = {0, 0};
    for (int i = 0; i < TRIALS; i++) {
        int high = i % 1900; /* bits of 0 at the head of the first part */
        limbs_fill(&real[0], LIMBS, 0, &seed);
        limbs_fill(&real[1], LIMBS, i % 5, &seed);
        limb[1][LIMBS - 1] >>= 1; /* |z| < 11 */
        for (int k = 0; k < high / 64; k++)
            limb[0][LIMBS - 1 - k] = 0;
        limb[0][LIMBS - 1 - high / 64] >>= high % 64 ? high % 64 : 1;
        orbit_digits_set(digit, DIGITS, &real[0], &real[1], LIMBS);
        struct orbit_step step = step_of(digit, DIGITS, ZEROS);
        for (int part = 0; part < 2; part++) {
            double value, expected = fixed_double(&fixed, &real[part]);
            mp_limb_t low = real[part].negative ? -limb[part][0] : limb[part][0];
            assert_int_equal(orbit_step_low(&step, part), low);
            if (!orbit_step_double(&step, DIGITS, part, &value))
                continue;
            decided[part]++;
            assert_memory_equal(&value, &expected, sizeof value);
        }
    }
    printf("%d and %d of %d decided\n", decided[0], decided[1], TRIALS);
    assert_true(decided[0] > TRIALS - 10 && decided[1] == TRIALS);
}

/* ---- orbits ---- */

/* Every shape has enough digits, and the next smaller one has not. */
TEST(shapes_have_a_digit_below_the_number)
{
    int before = 0;
    for (int64_t limbs = 1; limbs < 4200; limbs++) {
        struct transform_shape shape = transform_shape(limbs);
        int digits = shape.length * shape.chunks;
        assert_true(digits ? digits > 4 * limbs : 4 * limbs >= 8 * TRANSFORM_LENGTH_MOST);
        assert_true(digits == before || !digits || 4 * limbs >= before);
        before = digits;
    }
}

/* The bound of digit_transform.h. Radix 16 has a stage of products within and one behind it, radix
 * 2 and all of radix 4 but the last have one. */
TEST(coefficients_are_proven)
{
    double worst = 0;
    for (int length = TRANSFORM_LENGTH_LEAST; length <= TRANSFORM_LENGTH_MOST; length *= 2) {
        int log2_length = 4 + (int)lround(log2(length)), stages = (log2_length - 4) / 2;
        double products = 2 + transform_odd(length) + stages - 1;
        double digits = 2.0 * TRANSFORM_CHUNKS_MOST * length * (32768 + 3) * (32768 + 3.0);
        double error = digits * (3 * (log2_length + (sqrt(5) + 0.75) * products) + sqrt(5)) *
                       0x1p-53 * (1 + 0x1p-30);
        printf("length %d: error at most %.3f\n", length, error);
        worst = fmax(worst, error);
    }
    assert_true(worst < 0.5);
}

/* Of each length, with all digits of its shape or many of 0 below. */
TEST_WITH(steps_are_the_processors, play_begin, NULL)
{
    static const long bits[] = {500, 20000, 32000, 40000, 60000, 100000, 131000};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        int64_t steps = bits[i] < 1000 ? 400 : bits[i] < 70000 || check_long() ? 40 : 6;
        assert_int_equal(device_orbit_compare(&device_goes_on, bits[i], &device, steps), steps);
    }
    printf("%lld calls; farthest from an integer %.3g, largest digit %d\n",
           (long long)played_orbit.calls, played_orbit.farthest, played_orbit.largest);
    assert_true(played_orbit.farthest < 0.1 && played_orbit.largest <= 32768 + 3);
}

TEST_WITH(ends_are_the_processors, play_begin, NULL)
{
    for (int i = 0; i < DEVICE_ENDS; i++)
        device_orbit_compare(&device_ends[i], 600, &device, 700);
}

/* A step that a device leaves to the processor, at all places of a batch. */
TEST_WITH(undecided_steps_are_the_processors, play_begin, NULL)
{
    played_orbit.stops_at = 7;
    device_orbit_compare(&device_goes_on, 500, &device, 300);
    assert_true(played_orbit.undecided > 20);
    for (int i = 0; i < DEVICE_ENDS; i++)
        device_orbit_compare(&device_ends[i], 600, &device, 700);
}

/* Near -2 an orbit stays beside 2 for long, where doubles do not tell its points apart, and beside
 * the axis, where they are 0: the device says enough of most. (Multiplied by 4 again and again, the
 * lowest limb settles for a while.) */
TEST_WITH(few_numbers_are_fetched, play_begin, NULL)
{
    char re[512], im[512];
    snprintf(re, sizeof re, "-1.%0*d", 400, 0);
    memset(re + 3, '9', 400);
    snprintf(im, sizeof im, "0.%0*d1", 420, 0);
    struct device_place place = {"is near -2", re, im, -INFINITY, ORBIT_LIMIT};
    device_orbit_compare(&place, 2000, &device, 640);
    int64_t batches = played_orbit.calls - played_orbit.fetches;
    printf("%lld batches, %lld numbers fetched\n", (long long)batches,
           (long long)played_orbit.fetches);
    assert_true(played_orbit.fetches < batches + 640 / 4); /* each batch ends with one */
}

/* The square of 2^-a is half a unit of the last place. */
TEST_WITH(a_tie_is_undecided, play_begin, NULL)
{
    mpfr_t c;
    char *text;
    mpfr_init2(c, 64);
    mpfr_set_ui_2exp(c, 1, -(long)(fixed_bits(500) + 12 - FIXED_INTEGER_BITS + 1) / 2, MPFR_RNDN);
    assert_true(mpfr_asprintf(&text, "%.400Rf", c) > 0);
    struct device_place place = {"is a tie", text, "0.5", -INFINITY, ORBIT_LIMIT};
    device_orbit_compare(&place, 500, &device, 40);
    assert_true(played_orbit.undecided > 0);
    mpfr_free_str(text);
    mpfr_clear(c);
}

TEST_WITH(a_saved_orbit_goes_on, play_begin, NULL)
{
    device_orbit_resume(&device_goes_on, 500, &device, 150, 300);
}

/* An orbit that has come to its limit gives the device's memory back, and takes it again. */
TEST_WITH(an_orbit_leaves_its_device, play_begin, NULL)
{
    struct orbit_options options = {.bits = 500, .radius = 1e5, .log2_disc = -INFINITY};
    struct orbit orbit;
    assert_int_equal(orbit_create(&orbit, &options, device_goes_on.re, device_goes_on.im),
                     STATUS_OK);
    orbit_device_set(&orbit, device);
    for (int64_t limit = 100; limit <= 300; limit += 100) {
        assert_int_equal(orbit_extend(&orbit, limit), STATUS_OK);
        assert_int_equal(played_orbit.open, 1);
        assert_int_equal(orbit_device_steps(&orbit), limit);
        orbit_device_leave(&orbit);
        assert_int_equal(played_orbit.open, 0);
    }
    orbit_destroy(&orbit);
    assert_int_equal(played_orbit.open, 0);
}

/* It fails at its first call, within an orbit, and in a batch that is taken again. */
TEST_WITH(a_lost_device_leaves_the_steps_to_the_processor, play_begin, NULL)
{
    for (int64_t fails_at = 1; fails_at <= 12; fails_at++) {
        played_orbit = (struct played_orbit){.fails_at = fails_at, .stops_at = 11};
        device_orbit_compare(&device_ends[1], 600, &device, 100);
        device_orbit_compare(&device_goes_on, 500, &device, 90);
    }
}
