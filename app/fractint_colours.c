#include "app/fractint_colours.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 64 };

/* 0 ... 9, A ... Z, _ ... z: 64 levels; -1 for another character. */
static int level_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'Z' ? c - 'A' + 10
           : c >= '_' && c <= 'z' ? c - '_' + 36
                                  : -1;
}

/* As many colours between the last one and this as there is room for. */
static void colour_add(uint8_t colour[FRACTINT_COLOURS][3], size_t *count, const int rgb[3],
                       size_t between)
{
    size_t last = *count - 1;
    for (size_t i = 1; i <= between + 1 && *count < FRACTINT_COLOURS; i++, (*count)++)
        for (int channel = 0; channel < 3; channel++) {
            double before = between ? colour[last][channel] : 0;
            double part = (double)i / (double)(between + 1);
            colour[*count][channel] =
                (uint8_t)lround(before + (rgb[channel] * 255.0 / (LEVELS - 1) - before) * part);
        }
}

static bool levels_take(const char **at, int rgb[3])
{
    for (int channel = 0; channel < 3; channel++) {
        rgb[channel] = level_of(**at);
        if (rgb[channel] < 0)
            return false;
        (*at)++;
    }
    return true;
}

/* Three levels a colour, and <n> for n colours between two. */
size_t fractint_colours(const char *text, uint8_t rgb[FRACTINT_COLOURS][3])
{
    size_t count = 0, between = 0;
    int levels[3];
    for (const char *at = text; *at && count < FRACTINT_COLOURS;) {
        size_t digits = *at == '<' ? strspn(at + 1, "0123456789") : 0;
        if (digits >= 1 && digits <= 3 && at[1 + digits] == '>' && count) {
            between = strtoul(at + 1, NULL, 10);
            at += digits + 2;
        } else if (levels_take(&at, levels)) {
            colour_add(rgb, &count, levels, between);
            between = 0;
        } else
            return 0;
    }
    return count;
}
