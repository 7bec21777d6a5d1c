/* Colours in sRGB: its transfer function, IEC 61966-2-1:1999, and their texts. */
#ifndef RENDER_COLOUR_SRGB_H
#define RENDER_COLOUR_SRGB_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* sRGB value 0 ... 1 -> linear light 0 ... 1. */
static inline double srgb_decode(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* Linear light 0 ... 1 -> sRGB value 0 ... 1. */
static inline double srgb_encode(double light)
{
    return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055;
}

/* Reads the "#rrggbb" that *text begins with, in digits of either case, and moves *text behind it.
 * False if there is none; then both stay as they are. Threads: any. */
bool srgb_take(const char **text, uint8_t rgb[3]);

#endif
