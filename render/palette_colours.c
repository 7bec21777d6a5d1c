#include "render/palette_colours.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 24, LINE_BYTES = 4 * NUMBER_BYTES, MILLION = 1000000 };

bool palette_is_colours(const char *name)
{
    return *name == '#';
}

static bool separates(char c)
{
    return c == ' ' || c == ',';
}

/* #rrggbb, and what separates it from the next. */
static bool colour_take(const char **at, int rgb[3])
{
    char digits[7] = "";
    if (**at != '#')
        return false;
    for (int i = 0; i < 6; i++) {
        digits[i] = (*at)[1 + i];
        if (!isxdigit((unsigned char)digits[i]))
            return false;
    }
    long value = strtol(digits, NULL, 16);
    for (int i = 0; i < 3; i++)
        rgb[i] = (int)(value >> (16 - 8 * i) & 255);
    for (*at += 7; separates(**at);)
        (*at)++;
    return true;
}

static enum status colours_take(const char *text, int (*rgb)[3], int *count)
{
    const char *at = text;
    for (*count = 0; *at; (*count)++) {
        if (*count == PALETTE_COLOURS_MAX)
            return status_fail(STATUS_BAD_DATA, "a palette of more than %d colours",
                               PALETTE_COLOURS_MAX);
        if (!colour_take(&at, rgb[*count]))
            return status_fail(STATUS_BAD_DATA,
                               "colour %d of the palette is '%.8s'; it must be #rrggbb", *count + 1,
                               at);
    }
    if (*count < 2)
        return status_fail(STATUS_BAD_DATA, "a palette of one colour; it must be two or more");
    return STATUS_OK;
}

/* Decimals by whole numbers: printf would follow the locale. */
static size_t decimal_put(char text[NUMBER_BYTES], int part, int whole)
{
    int millionths = (int)((long)part * MILLION / whole);
    return (size_t)snprintf(text, NUMBER_BYTES, "%d.%06d", millionths / MILLION,
                            millionths % MILLION);
}

/* Its rows are those of a file of ours. */
enum status palette_of_colours(struct palette **palette, const char *colours)
{
    static const char head[] = "# cyclic: yes\n";
    int rgb[PALETTE_COLOURS_MAX + 1][3], count;
    char text[sizeof head + (PALETTE_COLOURS_MAX + 1) * LINE_BYTES], *at = text;
    *palette = NULL;
    TRY(colours_take(colours, rgb, &count));
    memcpy(rgb[count], rgb[0], sizeof rgb[0]);
    memcpy(at, head, sizeof head - 1);
    at += sizeof head - 1;
    for (int i = 0; i <= count; i++) {
        at += decimal_put(at, i, count);
        for (int channel = 0; channel < 3; channel++) {
            *at++ = ',';
            at += decimal_put(at, rgb[i][channel], 255);
        }
        *at++ = '\n';
    }
    return palette_parse(palette, text, (size_t)(at - text), "colours");
}

void palette_colours_text(char text[PALETTE_COLOURS_BYTES], const uint8_t (*rgb)[3], size_t count)
{
    size_t wanted = count < 2 ? 2 : count < PALETTE_COLOURS_MAX ? count : PALETTE_COLOURS_MAX;
    for (size_t i = 0; i < wanted; i++, text += 7) {
        size_t first = i * count / wanted, part = i * count % wanted;
        int mixed[3];
        for (int channel = 0; channel < 3; channel++)
            mixed[channel] = (int)((rgb[first][channel] * (wanted - part) +
                                    rgb[(first + 1) % count][channel] * part + wanted / 2) /
                                   wanted);
        snprintf(text, 8, "#%02x%02x%02x", (unsigned)mixed[0] & 255, (unsigned)mixed[1] & 255,
                 (unsigned)mixed[2] & 255);
    }
}
