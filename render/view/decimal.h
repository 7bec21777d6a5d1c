/* Sums of decimal numbers of up to 100,000 digits, computed in decimal, from the right, which takes
 * as long as copying them. In binary each step would have to convert all digits there and back,
 * which is a thousand times the work.
 *
 * Sums are exact to the last place; a centre that is cut to fewer places is rounded, to 1e-20 of a
 * pixel. */
#ifndef RENDER_VIEW_DECIMAL_H
#define RENDER_VIEW_DECIMAL_H

#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>

enum { DECIMAL_WHOLE = 32 /* digits before the point */ };

struct decimal {
    char *digit; /* '0' ... '9', DECIMAL_WHOLE before the point and then the places; owned */
    long places; /* number of digits behind the point, >= 0 */
    bool minus;  /* sign, of 0 too */
};

/* Reads a checked number (view.h) below 1e30, rounded to `places`, half away from 0. False without
 * memory; decimal_close may be called then, too. */
bool decimal_open(struct decimal *decimal, const char *text, long places);
void decimal_close(struct decimal *decimal);

/* Number of places of a checked number. */
long decimal_places(const char *text);

/* Rounds to fewer places; does nothing if they are not fewer. */
void decimal_round(struct decimal *decimal, long places);

/* Adds the first 60 digits of a number; digits beyond the places are cut off. The sum must be below
 * 1e30, too. */
void decimal_add(struct decimal *decimal, mpfr_srcptr number);

/* Subtracts a decimal of as many places. */
void decimal_subtract(struct decimal *decimal, const struct decimal *other);

/* Sets `number` to the first 70 digits, rounded to its precision. */
void decimal_get(mpfr_ptr number, const struct decimal *decimal);

/* Shortest text of the decimal, with an exponent below 1e-5. Freed by the caller; NULL without
 * memory. */
char *decimal_text(const struct decimal *decimal);

/* Shortest text of 0 . d1 d2 ... times 10^exponent. */
char *decimal_layout(const char *digits, size_t count, long exponent, bool minus);

#endif
