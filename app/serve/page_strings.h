/* Rows of the table of texts that the files of the page name (served_files.h), as a script. */
#ifndef APP_SERVE_PAGE_STRINGS_H
#define APP_SERVE_PAGE_STRINGS_H

#include <stddef.h>

#include "kernels/status.h"

/* The script, which the caller frees: `var deepfield_strings = {languages, rows}`; rows by name, an
 * array of texts in the order of the languages. */
enum status page_strings_make(char **script, size_t *length);

#endif
