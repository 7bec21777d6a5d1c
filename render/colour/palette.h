/* Palettes: the colour that belongs to a position.
 *
 * Files of other programs are read too (palette_kinds.h); our own kind, below the assets, is CSV:
 * lines `position, red, green, blue`, colours in sRGB 0 ... 1, positions rising from 0 to 1; `#`
 * starts a comment line. Comment lines with a meaning are `# title:`, `# source:`, `# licence:`, `#
 * cvd-safe: yes|no` and `# cyclic: yes|no` (both `no` if absent). A cyclic palette ends with the
 * colour it starts with.
 *
 * Between the lines runs a monotone cubic (Fritsch and Butland 1984: no overshoot, no kinks) in
 * OKLab (Ottosson 2020), where equal steps look equal and blue does not turn purple on its way to
 * white. The result is tabulated once, in linear light. */
#ifndef RENDER_COLOUR_PALETTE_H
#define RENDER_COLOUR_PALETTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/colour/look.h"
#include "kernels/status.h"

enum {
    PALETTE_STOPS_MAX = 4097,    /* rows of the table: every palette can be written */
    PALETTE_BYTES_MAX = 4 << 20, /* largest file */
    PALETTE_NAME_BYTES = 64,     /* name of a gradient of a file of several; longer ones are cut */
};

/* Ends the name of a palette that runs backwards. */
#define PALETTE_REVERSED ":reversed"

struct palette; /* linear light, ready to sample; immutable, so any thread may sample */

struct palette_about { /* texts of the comments; longer ones are cut */
    char title[80];
    char source[160];
    char licence[80];
    bool cvd_safe; /* colour-blind viewers can tell its colours apart */
    bool cyclic;
};

/* Parses the text of a palette file, of the kind that the suffix of `name` names, CSV if it names
 * none. `name` is for messages too. STATUS_BAD_DATA with the line number and the remedy. The caller
 * destroys *palette. */
enum status palette_parse(struct palette **palette, const char *text, size_t length,
                          const char *name);

/* Loads `name`: colours (palette_colours.h) if it begins with #; a path if it contains a slash,
 * ends in a suffix of a known kind, or has another suffix and exists; else assets/palettes/NAME.csv
 * below `assets`, so `assets` is the folder that holds palettes/. FILE:NAME selects one of several
 * gradients of a file; a colon counts only behind the suffix of such a kind, and not where a file
 * has the whole name. PALETTE_REVERSED behind any of them is the palette backwards.
 * STATUS_NO_INPUT lists the palettes and the nearest name; STATUS_BAD_DATA for
 * a file with another suffix says that its kind is not read. */
enum status palette_load(struct palette **palette, const char *assets, const char *name);

/* Is `name` the path of a file, or FILE:NAME, and neither colours nor one of the assets? */
bool palette_is_path(const char *name);

/* Names of the palettes in `assets`, sorted, "aurora, copper, ..."; cut at `bytes`. */
void palette_names(const char *assets, char *text, size_t bytes);

/* NAME+NAME, where no file has the whole name, is a pair: a palette and that of the layer over it
 * (blend.h). All functions but palette_second, palette_checksum and those of bytes are about the
 * first. The second; the palette itself if it is no pair. */
const struct palette *palette_second(const struct palette *palette);

/* The caller destroys it; NULL without memory. */
struct palette *palette_copy(const struct palette *palette);

void palette_destroy(struct palette *palette); /* accepts NULL */

/* The plus between two names; NULL: there is one palette. */
const char *palette_plus(const char *name);

/* Bytes of a name without PALETTE_REVERSED. */
size_t palette_name_length(const char *name);

/* Facts about the palette; borrowed from it. */
const struct palette_about *palette_about(const struct palette *palette);

/* One run of the palette as PALETTE_SAMPLES + 1 colours, the last of which is the first, and a 0
 * behind each, to be interpolated linearly; whole parts of positions are ignored, so palettes
 * repeat, and one that is not cyclic runs there and back within one. A linear piece of 1/4096 run
 * is off the cubic by less than 1e-4 of full light where stops lie 0.02 apart, and the table (64
 * KiB) stays in the second-level cache. Borrowed. */
const float (*palette_table(const struct palette *palette))[4];

/* Checksum of all that its colours follow from. */
uint64_t palette_checksum(const struct palette *palette);

/* Palette as bytes, for another process of the same program, and back: both borrowed; NULL if the
 * bytes are no palette. */
const void *palette_bytes(const struct palette *palette, size_t *length);
const struct palette *palette_of_bytes(const void *bytes, size_t length);

/* Position of the lightest colour, the first if there are several. */
double palette_lightest(const struct palette *palette);

/* One run as sRGB values, 0 ... 255, which 8-bit pictures interpolate: that saves the transfer
 * function of every pixel. */
const float (*palette_values(const struct palette *palette))[4];

#endif
