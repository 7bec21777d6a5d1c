/* The colours of a set of Fractint (colors=...), which are values of a 256-colour card. */
#ifndef APP_FRACTINT_COLOURS_H
#define APP_FRACTINT_COLOURS_H

#include <stddef.h>
#include <stdint.h>

enum { FRACTINT_COLOURS = 256 };

/* How many there are; 0 for the name of a file (@...) and for what is written in newer ways. */
size_t fractint_colours(const char *text, uint8_t rgb[FRACTINT_COLOURS][3]);

#endif
