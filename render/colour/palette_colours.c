#include "render/colour/palette_colours.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/colour/palette_make.h"
#include "render/colour/srgb.h"

enum { NUMBER_BYTES = 24, LINE_BYTES = 4 * NUMBER_BYTES, MILLION = 1000000 };
#define POSITION_GAP 0.001 /* least distance of positions: several rows of a palette's table */

bool palette_is_colours(const char *name)
{
    return *name == '#';
}

static bool separates(char c)
{
    return c == ' ' || c == ',';
}

/* Takes "@0.25", in any locale; false if it is no position. */
static bool position_take(const char **at, double *position)
{
    double unit = 1;
    const char *digit = *at + 1;
    if (**at != '@' || *digit++ != '0')
        return false;
    *position = 0;
    if (*digit == '.') {
        for (digit++; isdigit((unsigned char)*digit); digit++)
            *position += (*digit - '0') * (unit /= 10);
        if (digit[-1] == '.')
            return false;
    }
    *at = digit;
    return true;
}

static enum status position_check(const struct palette_ring *ring)
{
    int last = ring->count;
    double least = last ? ring->position[last - 1] + POSITION_GAP : 0;
    if (ring->position[last] >= least && ring->position[last] < 1)
        return STATUS_OK;
    return status_fail(
        STATUS_BAD_DATA,
        "colour %d of the palette is at %g; places are less than 1 and rise by %g or "
        "more",
        last + 1, ring->position[last], POSITION_GAP);
}

static enum status ring_colour_take(struct palette_ring *ring, const char **at)
{
    const char *from = *at;
    if (ring->count == PALETTE_COLOURS_MAX)
        return status_fail(STATUS_BAD_DATA, "a palette of more than %d colours",
                           PALETTE_COLOURS_MAX);
    bool good = srgb_take(at, ring->rgb[ring->count]), placed = **at == '@';
    if (ring->count == 0)
        ring->placed = placed;
    if (!good || placed != ring->placed ||
        (placed && !position_take(at, &ring->position[ring->count])))
        return status_fail(STATUS_BAD_DATA,
                           "colour %d of the palette is '%.14s'; it must be #rrggbb, or for all of "
                           "them #rrggbb@0.25",
                           ring->count + 1, from);
    if (placed)
        TRY(position_check(ring));
    while (separates(**at))
        (*at)++;
    ring->count++;
    return STATUS_OK;
}

enum status palette_ring_parse(struct palette_ring *ring, const char *text)
{
    ring->count = 0;
    while (*text)
        TRY(ring_colour_take(ring, &text));
    if (ring->count < 2)
        return status_fail(STATUS_BAD_DATA, "a palette of one colour; it must be two or more");
    for (int i = 0; i < ring->count && !ring->placed; i++)
        ring->position[i] = (double)i / ring->count;
    return STATUS_OK;
}

/* Writes a decimal by whole numbers: printf would follow the locale. */
static size_t decimal_put(char text[NUMBER_BYTES], int part, int whole)
{
    int millionths = (int)((long)part * MILLION / whole);
    return (size_t)snprintf(text, NUMBER_BYTES, "%d.%06d", millionths / MILLION,
                            millionths % MILLION);
}

/* Writes even colours as the rows of a palette file. */
static size_t even_write(char *text, const struct palette_ring *ring)
{
    static const char head[] = "# cyclic: yes\n";
    char *at = text + sizeof head - 1;
    memcpy(text, head, sizeof head - 1);
    for (int i = 0; i <= ring->count; i++) {
        at += decimal_put(at, i, ring->count);
        for (int channel = 0; channel < 3; channel++) {
            *at++ = ',';
            at += decimal_put(at, ring->rgb[i % ring->count][channel], 255);
        }
        *at++ = '\n';
    }
    return (size_t)(at - text);
}

static enum status palette_of_even(struct palette **palette, const struct palette_ring *ring)
{
    char *text = malloc(((size_t)ring->count + 2) * LINE_BYTES);
    if (!text)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a palette");
    enum status status = palette_parse(palette, text, even_write(text, ring), "colours");
    free(text);
    return status;
}

/* Makes a palette of placed colours. Positions count from the first on, by which the ring is
 * shifted. */
static enum status palette_of_placed(struct palette **palette, const struct palette_ring *ring)
{
    struct palette_draft *draft = calloc(1, sizeof *draft);
    if (!draft)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a palette");
    draft->about.cyclic = true;
    draft->course = PALETTE_CURVE;
    draft->shift = ring->position[0];
    draft->count = ring->count + 1;
    for (int i = 0; i <= ring->count; i++) {
        struct palette_stop *stop = &draft->stops[i];
        stop->position = i < ring->count ? ring->position[i] - ring->position[0] : 1;
        for (int channel = 0; channel < 3; channel++)
            stop->rgb[channel] = ring->rgb[i % ring->count][channel] / 255.0;
    }
    enum status status = palette_from_stops(palette, draft);
    free(draft);
    return status;
}

enum status palette_of_colours(struct palette **palette, const char *colours)
{
    struct palette_ring ring;
    *palette = NULL;
    TRY(palette_ring_parse(&ring, colours));
    return ring.placed ? palette_of_placed(palette, &ring) : palette_of_even(palette, &ring);
}

void palette_colours_text(char text[PALETTE_COLOURS_BYTES], const uint8_t (*rgb)[3], size_t count)
{
    for (size_t i = 0; i < (count < 2 ? 2 : count); i++, text += 7) {
        const uint8_t *colour = rgb[i % count];
        snprintf(text, 8, "#%02x%02x%02x", colour[0], colour[1], colour[2]);
    }
}
