/* The depth of a view in words: how small the picture would be if the whole set had the size of
 * something that everybody knows. Pure. */
#ifndef APP_VIEWER_OVERLAYS_DEPTH_WORDS_H
#define APP_VIEWER_OVERLAYS_DEPTH_WORDS_H

#include <stdbool.h>

#include "app/viewer/overlays/strings.h"

#define DEPTH_LEAST 1.0 /* log10 of the magnification below which there is nothing to say */

struct depth_thing {
    enum string name;
    double size_m; /* length, or diameter */
};

enum depth_size {
    DEPTH_AS_LARGE, /* within a factor of 3 of the thing */
    DEPTH_SMALLER,  /* smaller than it, and larger than the next smaller one of the table */
    DEPTH_ZEROS     /* smaller than the smallest of the table, by 10^zeros within a factor of 3.2 */
};

struct depth_words {
    const struct depth_thing *whole, *picture;
    enum depth_size size;
    int zeros;
};

/* Compares a picture with the whole set, which is 10^log10_magnification times as large; false
 * below DEPTH_LEAST. */
bool depth_compare(double log10_magnification, struct depth_words *words);

/* The sentence in the language that is used; "" where there is nothing to say. */
enum { DEPTH_BYTES = 320 };
const char *depth_sentence(double log10_magnification, char text[DEPTH_BYTES]);

#endif
