/* Parser of texts of lines like `key = value`, whatever they mean. Lines of any length; `#` or `;`
 * begin a comment line; blanks around keys and values, a byte-order mark and carriage returns are
 * skipped. */
#ifndef LIBRARY_TEXT_KEY_LINES_H
#define LIBRARY_TEXT_KEY_LINES_H

#include <stddef.h>

#include "kernels/status.h"

struct key_line {
    const char *name;  /* name of the file, for messages */
    int number;        /* line number, from 1 */
    const char *key;   /* NULL: a comment, or the [name] of a section */
    const char *value; /* the whole line where key is NULL */
};

/* Calls `take` for each line until one fails; its texts live until it returns. STATUS_BAD_DATA with
 * "name:line: ..." for a line without the separator, and for a text with a NUL. */
enum status key_lines_each(const char *text, size_t length, char separator, const char *name,
                           enum status (*take)(void *context, const struct key_line *line),
                           void *context);

#endif
