#include "app/viewer/overlays/style.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "kernels/number_text.h"

bool style_contrast;

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

/* Mantissa of a number, 1 ... 10, from its first digits, and its power of ten; 0 for zero. */
static double mantissa_of(const char *zoom, long *power)
{
    char digits[24] = "";
    int used = 0;
    bool point = false;
    for (*power = -1; *zoom && *zoom != 'e' && *zoom != 'E'; zoom++) {
        if (*zoom == '.')
            point = true;
        if (!isdigit((unsigned char)*zoom))
            continue;
        bool leads = !used && *zoom == '0';
        *power += point ? -(leads ? 1 : 0) : !leads;
        if (!leads && used < 18) {
            digits[used++] = *zoom;
            if (used == 1)
                digits[used++] = '.';
        }
    }
    if (*zoom)
        *power += number_whole(zoom + 1);
    return number_real(digits);
}

const char *style_zoom(const char *zoom, char text[STYLE_ZOOM_BYTES])
{
    long power;
    double mantissa = round(1e4 * mantissa_of(zoom, &power)) / 1e4;
    if (mantissa >= 10) {
        mantissa /= 10;
        power++;
    }
    if (mantissa == 0 || (power >= -3 && power < 5))
        snprintf(text, STYLE_ZOOM_BYTES, "%.5g", mantissa * pow(10, (double)power));
    else
        snprintf(text, STYLE_ZOOM_BYTES, "%.5ge%ld", mantissa, power);
    return text;
}
