/* Which colour belongs to a position along a palette?
 *
 * A palette file is CSV: lines `position, red, green, blue`, positions rising in [0,1], colours in
 * sRGB 0 ... 1; `#` starts a comment. The first comment lines are `# title:`, `# source:`, `#
 * cvd-safe: yes|no` and `# cyclic: yes|no`. */
#ifndef RENDER_PALETTE_H
#define RENDER_PALETTE_H

#include <stddef.h>

#include "kernels/status.h"

struct palette; /* linear light, ready to sample; immutable, so any thread may sample */

/* Parses the text of a palette file. `name` is for messages. STATUS_BAD_DATA with the line number
 * and what would be right. The caller destroys *palette. */
enum status palette_parse(struct palette **palette, const char *text, size_t length,
                          const char *name);

/* Loads `name`: a path if it contains a slash or ends in .csv, else assets/palettes/NAME.csv below
 * `assets`. STATUS_NO_INPUT lists the palettes that there are and the nearest name. */
enum status palette_load(struct palette **palette, const char *assets, const char *name);

void palette_destroy(struct palette *palette); /* accepts NULL */

/* Linear-light colour at `position`; whole part ignored, so palettes repeat (a palette that is not
 * cyclic runs there and back). */
void palette_sample(const struct palette *palette, double position, float rgb[3]);

#endif
