/* From the colours that a file holds to a palette: what readers and writers of files share. */
#ifndef RENDER_COLOUR_PALETTE_MAKE_H
#define RENDER_COLOUR_PALETTE_MAKE_H

#include "render/colour/palette.h"

struct palette_text;

struct palette_stop {
    double position; /* 0 ... 1 */
    double rgb[3];   /* sRGB values, 0 ... 1 */
};

enum palette_course { PALETTE_CURVE, PALETTE_STRAIGHT }; /* between stops: in OKLab; in sRGB */

/* Stops rise from position 0 to 1; of a cyclic draft the last has the colour of the first. */
struct palette_draft {
    struct palette_about about;
    enum palette_course course;
    double turn; /* of a cyclic one: all positions are moved up by this */
    int count;
    struct palette_stop stops[PALETTE_STOPS_MAX];
};

/* A draft with nothing in it; freed by the caller. NULL: no memory, and the status says so. */
struct palette_draft *palette_draft_create(void);

/* Adds a colour of 0 ... 255 a channel. STATUS_BAD_DATA beyond PALETTE_STOPS_MAX - 1, which leaves
 * room for the one that closes a ring. */
enum status palette_draft_add(struct palette_draft *draft, const struct palette_text *text,
                              const int rgb[3]);

/* STATUS_OUT_OF_MEMORY. */
enum status palette_from_stops(struct palette **palette, const struct palette_draft *draft);

/* The sRGB values, 0 ... 1, at a position 0 ... 1 of once through the palette. */
typedef void palette_values_at(const void *context, double position, double rgb[3]);

/* STATUS_OUT_OF_MEMORY. */
enum status palette_from_values(struct palette **palette, const struct palette_about *about,
                                palette_values_at *values, const void *context);

/* Once through the palette as few rows of its table, so that a curve, or straight lines, through
 * them stay within a twelfth of an 8-bit step of the table, 0.001 of light. The draft's stops are
 * at positions row / (rows of once through); `course` and `about` are set. All rows are enough, so
 * there always is an answer. STATUS_OUT_OF_MEMORY. */
enum status palette_outline(const struct palette *palette, enum palette_course course,
                            struct palette_draft *draft);

#endif
