/* Making of palettes from the colours of a file, for readers and writers of all kinds. */
#ifndef RENDER_COLOUR_PALETTE_MAKE_H
#define RENDER_COLOUR_PALETTE_MAKE_H

#include "render/colour/palette.h"

struct palette_text;

struct palette_stop {
    double position; /* 0 ... 1 */
    double rgb[3];   /* sRGB values, 0 ... 1 */
};

/* Course between stops: a cubic in OKLab, or straight lines in sRGB. */
enum palette_course { PALETTE_CURVE, PALETTE_STRAIGHT };

/* Draft of a palette. Stops rise from position 0 to 1; in a cyclic draft the last has the colour of
 * the first. */
struct palette_draft {
    struct palette_about about;
    enum palette_course course;
    double shift; /* shift of all positions of a cyclic draft */
    int count;
    struct palette_stop stops[PALETTE_STOPS_MAX];
};

/* Creates an empty draft; freed by the caller. NULL: STATUS_OUT_OF_MEMORY was reported. */
struct palette_draft *palette_draft_create(void);

/* Adds a colour of 0 ... 255 a channel. STATUS_BAD_DATA beyond PALETTE_STOPS_MAX - 1, which leaves
 * room for the stop that closes a ring. */
enum status palette_draft_add(struct palette_draft *draft, const struct palette_text *text,
                              const int rgb[3]);

/* Makes a pair of two palettes, which stay. STATUS_OUT_OF_MEMORY. */
enum status palette_pair(struct palette **palette, const struct palette *first,
                         const struct palette *second);

/* STATUS_OUT_OF_MEMORY. */
enum status palette_from_stops(struct palette **palette, const struct palette_draft *draft);

/* Sets the sRGB values, 0 ... 1, at a position 0 ... 1 of one pass through the palette. */
typedef void palette_values_at(const void *context, double position, double rgb[3]);

/* STATUS_OUT_OF_MEMORY. */
enum status palette_from_values(struct palette **palette, const struct palette_about *about,
                                palette_values_at *values, const void *context);

/* Lets the palette run backwards; one that runs there and back begins at its other end. */
void palette_reverse(struct palette *palette);

/* Draft of few rows of the palette's table, once through it, so that a curve, or straight lines,
 * through them stay within a twelfth of an 8-bit step of the table, 0.001 of light. The draft's
 * stops are at positions row / (rows of once through); `course` and `about` are set. With all rows
 * the limit holds, so an outline always exists. STATUS_OUT_OF_MEMORY. */
enum status palette_outline(const struct palette *palette, enum palette_course course,
                            struct palette_draft *draft);

#endif
