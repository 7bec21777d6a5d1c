/* Conversion of texts to values. Strict: all of the text must be the value, in the C locale.
 *
 * Failures are STATUS_CONFIG with a sentence that says what is wrong with the text; the caller
 * knows where it came from and says that before. */
#ifndef LIBRARY_TEXT_CONVERT_H
#define LIBRARY_TEXT_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

/* A copy of `text` without the underscores that group digits, as in 10_000, and with plain minuses;
 * other underscores stay, for the conversions to refuse. Freed by the caller;
 * STATUS_OUT_OF_MEMORY. */
enum status convert_ungrouped(const char *text, char **plain);

/* Any decimal number whose value is whole: 1000000, 1e6, 1.5e3. */
enum status convert_integer(const char *text, int64_t least, int64_t most, int64_t *value);
enum status convert_real(const char *text, double low, double high, double *value);

/* "RE,IM": two of them. */
enum status convert_point(const char *text, double low, double high, double *re, double *im);

/* Exactly true, false, yes, no, on, off, 1 or 0. */
enum status convert_boolean(const char *text, bool *value);

/* Printable ASCII without double quotes, at most so many bytes. */
enum status convert_text(const char *text, size_t most);

/* The number of `text` among choice(0), choice(1), ...; the sentence names the nearest. */
/* "a, b, c", or the first few of many. */
void convert_choices(const char *(*choice)(int), char *text, size_t bytes);
enum status convert_choice(const char *text, const char *(*choice)(int), int64_t *number);

/* A name among choice(0), choice(1), ..., operations, or the name of a file of operations if
 * `files`; *kept is what formula_text makes of it, freed by the caller. STATUS_NO_INPUT and
 * STATUS_BAD_DATA name the file. */
enum status convert_formula(const char *text, const char *(*choice)(int), bool files, char **kept);

/* U+2212 becomes a minus, in place. Returns the new length. */
#define TEXT_MINUS "\xe2\x88\x92"
size_t text_minus_plain(char *text, size_t length);

/* Cuts and cleans a text of unknown origin for a message: at most 40 characters, ASCII without
 * control characters, others by their numbers: <U+2013>. Returns `shown`. */
enum { SHOWN_BYTES = 48 };
const char *text_shown(const char *text, char shown[SHOWN_BYTES]);
const char *text_shown_until(const char *text, const char *end, char shown[SHOWN_BYTES]);

#endif
