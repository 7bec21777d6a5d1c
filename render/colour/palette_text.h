/* The text of a palette file: its lines, the numbers in them, and sentences that name the line. */
#ifndef RENDER_COLOUR_PALETTE_TEXT_H
#define RENDER_COLOUR_PALETTE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/status.h"
#include "render/disk/text_lines.h"

struct palette_text {
    const char *name;     /* name of the file, for messages */
    const char *at, *end; /* rest of the text */
    int line;             /* number of the line before `at`, from 1; 0: none yet */
};

/* Begins with the first line of text_lines_of. STATUS_BAD_DATA for more than
 * PALETTE_BYTES_MAX bytes and for control characters, NUL among them. */
enum status palette_text_open(struct palette_text *text, const char *bytes, size_t length,
                              const char *name);

/* Takes the next line that is not empty, without blanks around it; false: none is left. */
bool palette_line_next(struct palette_text *text, struct text *line);

/* Reports STATUS_BAD_DATA with "palette NAME, line N: " before the sentence. */
__attribute__((format(printf, 2, 3))) enum status palette_fail(const struct palette_text *text,
                                                               const char *format, ...);

/* Takes a number in plain decimals from the span, with an optional sign and exponent of two digits.
 * Own code, because a span has no NUL at its end. Digits beyond the 17th change nothing; more than
 * that before the point are no number. */
bool palette_number_take(struct text *span, double *number);

/* Takes a whole number low ... high, with an optional sign. */
bool palette_whole_take(struct text *span, int low, int high, int *number);

/* Copies text as printable ASCII without double quotes, cut at `bytes`: names can be typed, and a
 * title cannot control a terminal. Other bytes become question marks. */
void palette_text_keep(const struct text *span, char *to, size_t bytes);

#endif
