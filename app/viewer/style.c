#include "app/viewer/style.h"

#include <math.h>
#include <stdio.h>

/* Hue 0 ... 1 -> one of R, G, B of a full colour, which are a third of the circle apart. */
static uint32_t channel(double hue)
{
    double place = fabs(fmod(hue, 1) * 6 - 3) - 1;
    return (uint32_t)lround(95 + 160 * fmin(fmax(place, 0), 1));
}

uint32_t style_worker(int rank)
{
    double hue = 0.55 + rank * 0.6180339887498949; /* golden section: never near the last ones */
    return UINT32_C(0xff000000) | channel(hue) << 16 | channel(hue + 2.0 / 3) << 8 |
           channel(hue + 1.0 / 3);
}

const char *style_number(double value, char text[STYLE_NUMBER_BYTES])
{
    static const char *const names[] = {"", " k", " M", " G", " T", " P", " E"};
    int name = 0;
    while (fabs(value) >= 999.5 && name < 6) {
        value /= 1000;
        name++;
    }
    int decimals = !name ? 0 : fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;
    snprintf(text, STYLE_NUMBER_BYTES, "%.*f%s", decimals, value, names[name]);
    return text;
}
