/* The text of a palette file: its lines, the numbers in them, and sentences that name the line. */
#ifndef RENDER_PALETTE_TEXT_H
#define RENDER_PALETTE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/status.h"

struct palette_text {
    const char *name;     /* of the file, for messages */
    const char *at, *end; /* what is left of it */
    int line;             /* the number of the line before `at`, from 1; 0: none yet */
};

struct palette_span { /* a piece of the text */
    const char *at, *end;
};

/* Begins with the first line; a byte-order mark is nobody's. STATUS_BAD_DATA for more than
 * PALETTE_BYTES_MAX bytes and for control characters, NUL among them. */
enum status palette_text_open(struct palette_text *text, const char *bytes, size_t length,
                              const char *name);

/* The next line that is not empty, without blanks around it; false: there is none. */
bool palette_line_next(struct palette_text *text, struct palette_span *line);

/* STATUS_BAD_DATA with "palette NAME, line N: " before the sentence. */
__attribute__((format(printf, 2, 3))) enum status palette_fail(const struct palette_text *text,
                                                               const char *format, ...);

void palette_blanks_skip(struct palette_span *span);

/* The word before the next blank, or before the end, which it takes from the span; false: none. */
bool palette_word_next(struct palette_span *span, struct palette_span *word);

/* Takes a number in plain decimals from the span, with a sign and an exponent of two digits or
 * without. Own code, because strtod follows the locale and takes hex, inf and nan. Digits beyond
 * the 17th change nothing; more than that before the point are no number. */
bool palette_number_take(struct palette_span *span, double *number);

/* Takes a whole number low ... high, its sign as well. */
bool palette_whole_take(struct palette_span *span, int low, int high, int *number);

/* Does the span begin with these letters, case ignored? */
bool palette_span_begins(const struct palette_span *span, const char *with);
bool palette_span_is(const struct palette_span *span, const char *word);

/* As printable ASCII without double quotes, cut at `bytes`: names can be typed, and a title says
 * nothing to a terminal. Other bytes become question marks. */
void palette_span_keep(const struct palette_span *span, char *to, size_t bytes);

#endif
