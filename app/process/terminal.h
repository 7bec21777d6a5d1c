/* Colours of a terminal: how many it shows, and the sequences that set one. */
#ifndef APP_PROCESS_TERMINAL_H
#define APP_PROCESS_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

enum terminal_colours { TERMINAL_NONE, TERMINAL_256, TERMINAL_TRUE };

/* Colours by NO_COLOR (no-color.org: any value but an empty one), COLORTERM and TERM; each may be
 * NULL. */
enum terminal_colours terminal_colours_from(bool is_terminal, const char *no_colour,
                                            const char *colour_term, const char *term);

/* Colours that stdout can show, as the environment says. */
enum terminal_colours terminal_colours_of_stdout(void);

/* The nearest of the 6 x 6 x 6 cube and the 24 greys that every 256-colour terminal has: 16 ...
 * 255. Samples are sRGB, 0 ... 255. */
int terminal_index(const int rgb[3]);

/* A blank on a background of this colour; terminal_reset ends the background. */
void terminal_cell(FILE *stream, enum terminal_colours colours, const int rgb[3]);
void terminal_reset(FILE *stream);

/* A character whose upper and lower halves have these colours; only where terminal_utf8 says that
 * it can be written. */
void terminal_halves(FILE *stream, enum terminal_colours colours, const int upper[3],
                     const int lower[3]);

/* Is it UTF-8 by LC_ALL, LC_CTYPE and LANG, of which the first that is not empty counts? Each may
 * be NULL. */
bool terminal_utf8_from(const char *all, const char *ctype, const char *lang);
bool terminal_utf8(void);

#endif
