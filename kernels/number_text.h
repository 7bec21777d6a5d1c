/* Numbers in texts: the only code that converts them, in the C locale whatever the program's.
 *
 * Decimal numbers alone: no blanks before them, no hexadecimal ones, no "inf", no "nan". A whole
 * number is [+-] digits; a real one [+-] digits [. digits] [e [+-] digits], where there are digits
 * before or behind the point. What users type is checked first, with messages (render/view/view.h,
 * library/text/convert.h). Threads: any. */
#ifndef KERNELS_NUMBER_TEXT_H
#define KERNELS_NUMBER_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the number that *text begins with and moves *text behind it. False if there is none; then
 * both stay as they are. A real number beyond the doubles is infinite or 0, a whole one beyond
 * int64_t is the last on its side. */
bool number_real_take(const char **text, double *number);
bool number_whole_take(const char **text, int64_t *number);

/* Return the number that the text begins with; 0 if there is none. */
double number_real(const char *text);
int64_t number_whole(const char *text);

/* Writes the number with as few digits as read back as it, and at least so many (1 ... 17): 0.6,
 * not 0.59999999999999998. Returns the text. */
enum { NUMBER_TEXT_BYTES = 32 };
const char *number_shortest(double number, int digits, char text[NUMBER_TEXT_BYTES]);

#endif
