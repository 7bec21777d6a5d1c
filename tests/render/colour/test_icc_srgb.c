/* The profile of sRGB: its tags lie in it, its colours are those that are published for sRGB under
 * D50, and its curve is that of sRGB. */
#include "tests/support/check.h"
#include <math.h>
#include <string.h>

#include "render/colour/srgb.h"
#include "render/colour/icc_srgb.h"
#include "render/file/png_chunk.h"

static const uint8_t *tag_find(const uint8_t *profile, const char *name, uint32_t *length)
{
    for (uint32_t i = 0; i < png_big_endian(profile + 128); i++) {
        const uint8_t *entry = profile + 132 + (size_t)12 * i;
        uint32_t offset = png_big_endian(entry + 4);
        *length = png_big_endian(entry + 8);
        if (memcmp(entry, name, 4) != 0)
            continue;
        assert_true(offset % 4 == 0 && offset <= ICC_SRGB_BYTES &&
                    *length <= ICC_SRGB_BYTES - offset);
        return profile + offset;
    }
    fail_msg("no tag %s", name);
    return NULL;
}

TEST(the_profile_holds_the_colours_of_srgb)
{
    /* B. Lindbloom, RGB/XYZ matrices: sRGB, adapted to D50 */
    static const struct {
        const char *name;
        double xyz[3];
    } primaries[] = {{"rXYZ", {0.43607, 0.22249, 0.01392}},
                     {"gXYZ", {0.38515, 0.71688, 0.09709}},
                     {"bXYZ", {0.14307, 0.06061, 0.71410}},
                     {"wtpt", {0.96420, 1.00000, 0.82491}}};
    uint8_t profile[ICC_SRGB_BYTES];
    double sum[3] = {0};
    uint32_t length;
    icc_srgb_make(profile);
    assert_int_equal(png_big_endian(profile), ICC_SRGB_BYTES);
    assert_memory_equal(profile + 36, "acsp", 4);
    for (size_t i = 0; i < sizeof primaries / sizeof *primaries; i++) {
        const uint8_t *tag = tag_find(profile, primaries[i].name, &length);
        assert_int_equal(length, 20);
        for (int k = 0; k < 3; k++) {
            double value = png_big_endian(tag + 8 + 4 * k) / 65536.0;
            /* whites of four digits */
            assert_true(fabs(value - primaries[i].xyz[k]) < 2e-4);
            sum[k] += i < 3 ? value : -value;
        }
    }
    for (int k = 0; k < 3; k++) /* greys are grey: each of the three is rounded */
        assert_true(fabs(sum[k]) <= 2 / 65536.0);
}

TEST(the_profile_holds_the_curve_of_srgb)
{
    uint8_t profile[ICC_SRGB_BYTES];
    uint32_t length;
    icc_srgb_make(profile);
    const uint8_t *curve = tag_find(profile, "gTRC", &length);
    assert_int_equal(length, 12 + 2 * png_big_endian(curve + 8));
    for (uint32_t i = 0; i < ICC_CURVE_SAMPLES; i++) {
        double light = (curve[12 + 2 * i] << 8 | curve[13 + 2 * i]) / 65535.0;
        assert_true(fabs(light - srgb_decode(i / (ICC_CURVE_SAMPLES - 1.0))) <= 0.5001 / 65535);
    }
}
