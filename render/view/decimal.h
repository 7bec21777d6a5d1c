/* Sums of decimal numbers of up to 100,000 digits, as they are written: in decimal, from the
 * right, which takes as long as copying them does. In binary each step would have to read all
 * digits and write them again, which is a thousand times the work.
 *
 * Sums are exact to the last place; where a centre is given fewer places it is rounded, to 1e-20 of
 * a pixel. */
#ifndef RENDER_VIEW_DECIMAL_H
#define RENDER_VIEW_DECIMAL_H

#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>

enum { DECIMAL_WHOLE = 32 /* digits before the point */ };

struct decimal {
    char *digit; /* '0' ... '9', DECIMAL_WHOLE of them and then the places; owned */
    long places; /* behind the point, >= 0 */
    bool minus;  /* of 0 too */
};

/* Of a checked number (view.h) below 1e30, rounded to so many places, half away from 0. False
 * without memory; decimal_close is right then, too. */
bool decimal_open(struct decimal *decimal, const char *text, long places);
void decimal_close(struct decimal *decimal);

/* How many places a checked number has. */
long decimal_places(const char *text);

/* To fewer places; no step if they are not fewer. */
void decimal_round(struct decimal *decimal, long places);

/* Adds the first 60 digits of a number; what is beyond the places is cut off. The sum is below
 * 1e30, too. */
void decimal_add(struct decimal *decimal, mpfr_srcptr number);

/* Takes away another one of as many places. */
void decimal_subtract(struct decimal *decimal, const struct decimal *other);

/* The first 70 digits, rounded to the precision of `number`. */
void decimal_get(mpfr_ptr number, const struct decimal *decimal);

/* As short as it can be said, with an exponent below 1e-5. Freed by the caller; NULL without
 * memory. */
char *decimal_text(const struct decimal *decimal);

/* The same for 0 . d1 d2 ... times 10^exponent. */
char *decimal_layout(const char *digits, size_t count, long exponent, bool minus);

#endif
