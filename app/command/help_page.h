/* Pages of the guide (docs/guide), as `deepfield help NAME` prints them: plain text in lines of a
 * terminal. They are read from the program's data folder; an incomplete installation has none. */
#ifndef APP_COMMAND_HELP_PAGE_H
#define APP_COMMAND_HELP_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "kernels/status.h"

/* The names of all pages and what each is about, one a line. */
enum status help_pages_list(FILE *stream);

/* Offers the names of all pages, as spelling_offer does. */
struct spelling;
void help_pages_offer(struct spelling *spelling);

/* *there: is there such a page? Then it is printed. */
enum status help_page_print(const char *name, FILE *stream, bool *there);

#endif
