#include "render/colour/srgb.h"

#include <string.h>

static const char digits[] = "0123456789abcdefABCDEF";

static int digit_of(char c)
{
    int at = (int)(strchr(digits, c) - digits);
    return at < 16 ? at : at - 6;
}

bool srgb_take(const char **text, uint8_t rgb[3])
{
    const char *digit = *text + 1;
    if (**text != '#' || strspn(digit, digits) < 6)
        return false;
    for (int channel = 0; channel < 3; channel++, digit += 2)
        rgb[channel] = (uint8_t)(16 * digit_of(digit[0]) + digit_of(digit[1]));
    *text = digit;
    return true;
}
