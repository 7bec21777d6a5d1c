#include "render/colour/icc_srgb.h"

#include <math.h>
#include <string.h>

#include "render/colour/srgb.h"

/* White of the space in which profiles say colours: D50, as ICC rounds it. */
static const double white_of_icc[3] = {0xf6d6 / 65536.0, 1, 0xd32d / 65536.0};

/* ---- colours ---- */

static double determinant(double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Solves m x = right by Cramer's rule. */
static void solve(double m[3][3], const double right[3], double x[3])
{
    for (int column = 0; column < 3; column++) {
        double replaced[3][3];
        memcpy(replaced, m, sizeof replaced);
        for (int row = 0; row < 3; row++)
            replaced[row][column] = right[row];
        x[column] = determinant(replaced) / determinant(m);
    }
}

static void multiply(double m[3][3], const double x[3], double out[3])
{
    for (int row = 0; row < 3; row++)
        out[row] = m[row][0] * x[0] + m[row][1] * x[1] + m[row][2] * x[2];
}

/* XYZ of luminance 1 from chromaticities x, y. */
static void xyz_of(const double xy[2], double xyz[3])
{
    xyz[0] = xy[0] / xy[1];
    xyz[1] = 1;
    xyz[2] = (1 - xy[0] - xy[1]) / xy[1];
}

/* Adapts a colour seen under `white` to the white of ICC: in the responses of Bradford's cones each
 * is scaled by the ratio of the whites' responses. */
static void adapt(const double white[3], const double xyz[3], double adapted[3])
{
    double bradford[3][3] = {
        {0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}};
    double from[3], to[3], cone[3];
    multiply(bradford, white, from);
    multiply(bradford, white_of_icc, to);
    multiply(bradford, xyz, cone);
    for (int i = 0; i < 3; i++)
        cone[i] *= to[i] / from[i];
    solve(bradford, cone, adapted);
}

/* Adapted XYZ of red, green and blue; they add up to the white. */
static void primaries_of(double xyz[3][3])
{
    static const double white_xy[2] = {0.3127, 0.3290};
    static const double xy[3][2] = {{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}};
    double white[3], columns[3][3], luminance[3];
    xyz_of(white_xy, white);
    for (int i = 0; i < 3; i++) {
        double colour[3];
        xyz_of(xy[i], colour);
        for (int row = 0; row < 3; row++)
            columns[row][i] = colour[row];
    }
    solve(columns, white, luminance);
    for (int i = 0; i < 3; i++) {
        const double colour[3] = {columns[0][i] * luminance[i], columns[1][i] * luminance[i],
                                  columns[2][i] * luminance[i]};
        adapt(white, colour, xyz[i]);
    }
}

/* ---- bytes ---- */

static void number_put(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void xyz_put(uint8_t *out, const double xyz[3])
{
    memcpy(out, "XYZ ", 4);
    for (int i = 0; i < 3; i++) /* s15Fixed16Number */
        number_put(out + 8 + 4 * i, (uint32_t)lround(xyz[i] * 65536));
}

static void curve_put(uint8_t *out)
{
    memcpy(out, "curv", 4);
    number_put(out + 8, ICC_CURVE_SAMPLES);
    for (int i = 0; i < ICC_CURVE_SAMPLES; i++) {
        long light = lround(srgb_decode(i / (ICC_CURVE_SAMPLES - 1.0)) * 65535);
        out[12 + 2 * i] = (uint8_t)(light >> 8);
        out[13 + 2 * i] = (uint8_t)light;
    }
}

static void header_put(uint8_t *out)
{
    number_put(out, ICC_SRGB_BYTES);
    number_put(out + 8, 0x02400000); /* version 2.4 */
    memcpy(out + 12, "mntrRGB XYZ ", 12);
    const uint8_t date[12] = {2026 >> 8, 2026 & 255, 0, 1, 0, 1};
    memcpy(out + 24, date, sizeof date);
    memcpy(out + 36, "acsp", 4);
    for (int i = 0; i < 3; i++) /* illuminant */
        number_put(out + 68 + 4 * i, (uint32_t)lround(white_of_icc[i] * 65536));
}

static void tags_put(uint8_t *out)
{
    static const struct {
        const char *name;
        uint32_t offset, bytes;
    } tags[ICC_TAGS] = {
        {"desc", ICC_DESCRIPTION_AT, 95},
        {"cprt", ICC_COPYRIGHT_AT, 21},
        {"wtpt", ICC_WHITE_AT, 20},
        {"rXYZ", ICC_PRIMARIES_AT, 20},
        {"gXYZ", ICC_PRIMARIES_AT + 20, 20},
        {"bXYZ", ICC_PRIMARIES_AT + 40, 20},
        {"rTRC", ICC_CURVE_AT, 12 + 2 * ICC_CURVE_SAMPLES},
        {"gTRC", ICC_CURVE_AT, 12 + 2 * ICC_CURVE_SAMPLES},
        {"bTRC", ICC_CURVE_AT, 12 + 2 * ICC_CURVE_SAMPLES},
    };
    number_put(out + 128, ICC_TAGS);
    for (int i = 0; i < ICC_TAGS; i++) {
        uint8_t *entry = out + 132 + 12 * i;
        memcpy(entry, tags[i].name, 4);
        number_put(entry + 4, tags[i].offset);
        number_put(entry + 8, tags[i].bytes);
    }
}

void icc_srgb_make(uint8_t profile[ICC_SRGB_BYTES])
{
    double primaries[3][3];
    memset(profile, 0, ICC_SRGB_BYTES);
    header_put(profile);
    tags_put(profile);
    memcpy(profile + ICC_DESCRIPTION_AT, "desc", 4);
    number_put(profile + ICC_DESCRIPTION_AT + 8, sizeof "sRGB");
    memcpy(profile + ICC_DESCRIPTION_AT + 12, "sRGB", sizeof "sRGB");
    memcpy(profile + ICC_COPYRIGHT_AT, "text\0\0\0\0No copyright", 21);
    xyz_put(profile + ICC_WHITE_AT, white_of_icc);
    primaries_of(primaries);
    for (int i = 0; i < 3; i++)
        xyz_put(profile + ICC_PRIMARIES_AT + 20 * i, primaries[i]);
    curve_put(profile + ICC_CURVE_AT);
}
