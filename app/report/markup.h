/* Text that stands in HTML. */
#ifndef APP_REPORT_MARKUP_H
#define APP_REPORT_MARKUP_H

#include <stdio.h>

enum { MARKUP_LONGEST = 6 }; /* bytes that a byte may become */

/* Writes the text with entities for what HTML gives a meaning, also within quotes; returns its end.
 * `to` has room for MARKUP_LONGEST times its length, and a byte. */
char *markup_escape(char *to, const char *text);

void markup_write(FILE *stream, const char *text);

#endif
