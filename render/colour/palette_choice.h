/* Palette of a place that brings none: chosen by what is iterated and by the leading digits of the
 * centre, so that places differ in colour, and a zoom into a place, its film and another size of
 * its picture keep theirs. Pictures hold the name of the palette, not that it was chosen: the list
 * may change. */
#ifndef RENDER_COLOUR_PALETTE_CHOICE_H
#define RENDER_COLOUR_PALETTE_CHOICE_H

#include <stdbool.h>

enum {
    PALETTE_CHOICE_BYTES = 40,     /* name of a palette that is chosen, with PALETTE_REVERSED */
    PALETTE_CHOICE_NUMBERS = 4,    /* centre, and the c of a Julia set */
    PALETTE_CHOICE_SCALE = 1000000 /* leading digits: whole millionths; others are cut off */
};

/* Palettes that are chosen from. */
enum palette_set {
    PALETTES_CURATED, /* cyclic ones of few bands */
    PALETTES_SAFE     /* palettes whose colours colour-blind viewers can tell apart */
};

struct palette_choice {
    char name[PALETTE_CHOICE_BYTES];
    double offset; /* position at which its colours begin */
};

/* Offset of palettes that were not chosen. */
#define PALETTE_OFFSET 0.6

/* Chooses for a formula, by its name or text ("": z^2 + c), and `count` numbers, real and imaginary
 * parts in turn, each at most 1e12. The sign of imaginary parts does not count, so that the mirror
 * image of a place has its colours. The whole set, at (-0.7, 0), has "meridian" at
 * PALETTE_OFFSET. */
struct palette_choice palette_choose(enum palette_set set, const char *formula,
                                     const double *numbers, int count);

#endif
