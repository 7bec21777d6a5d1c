#include "render/colour/interior.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/field.h"
#include "render/colour/srgb.h"

static const struct {
    const char *name;
    unsigned planes;
} kinds[INTERIOR_KINDS] = {[INTERIOR_COLOUR] = {"", 0},
                           [INTERIOR_PERIOD] = {"period", PLANE_MASK_PERIOD},
                           [INTERIOR_DISTANCE] = {"distance", PLANE_MASK_INSIDE}};

enum status colour_parse(const char *text, float rgb[3])
{
    const char *end = text;
    uint8_t byte[3];
    if (!srgb_take(&end, byte) || *end)
        return status_fail(STATUS_CONFIG,
                           "'%.20s' is not a colour; expected '#rrggbb', as '#102040'", text);
    for (int i = 0; i < 3; i++)
        rgb[i] = (float)srgb_decode(byte[i] / 255.0);
    return STATUS_OK;
}

enum status interior_parse(const char *text, enum interior_kind *kind, float rgb[3])
{
    for (int k = INTERIOR_COLOUR + 1; k < INTERIOR_KINDS; k++) {
        size_t length = strlen(kinds[k].name);
        if (strncmp(text, kinds[k].name, length) != 0 || (text[length] && text[length] != ','))
            continue;
        *kind = (enum interior_kind)k;
        return colour_parse(text[length] ? text + length + 1 : "#000000", rgb);
    }
    *kind = INTERIOR_COLOUR;
    if (*text == '#')
        return colour_parse(text, rgb);
    return status_fail(STATUS_CONFIG,
                       "'%.20s' is no interior; expected '#rrggbb', as '#102040', period, "
                       "distance, or one of these and a colour, as 'distance,#102040'",
                       text);
}

void interior_text(enum interior_kind kind, const float rgb[3], char text[INTERIOR_TEXT_BYTES])
{
    int byte[3];
    for (int c = 0; c < 3; c++)
        byte[c] = (int)(srgb_encode(rgb[c]) * 255 + 0.5);
    bool black = !(byte[0] | byte[1] | byte[2]);
    if (kind != INTERIOR_COLOUR && black)
        snprintf(text, INTERIOR_TEXT_BYTES, "%s", kinds[kind].name);
    else
        snprintf(text, INTERIOR_TEXT_BYTES, "%s%s#%02x%02x%02x", kinds[kind].name,
                 kind == INTERIOR_COLOUR ? "" : ",", byte[0] & 255, byte[1] & 255, byte[2] & 255);
}

unsigned interior_planes(enum interior_kind kind)
{
    return kinds[kind].planes;
}

void interior_positions(enum interior_kind kind, const float *values, int n, double start,
                        float per_px, double *position, float *share)
{
    for (int i = 0; i < n; i++) {
        float u = (values[i] < DISTANCE_FAR ? values[i] : DISTANCE_FAR) * per_px / INTERIOR_DEPTH;
        float t = sqrtf(u / (u + 1));
        bool flat = kind == INTERIOR_PERIOD;
        position[i] = start + (flat ? (double)values[i] * INTERIOR_GOLDEN : 0.5 * (double)t - 0.5);
        share[i] = flat ? values[i] > 0 : t;
    }
}
