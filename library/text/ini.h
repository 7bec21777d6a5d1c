/* Parser of ini texts: keys and values, whatever they mean.
 *
 * Sections and keys are lower case letters, digits, `_` and `-` (capitals are lowered). A key may
 * end in `.0`, `.1`, ...: the values of the parts are joined, so numbers of any length fit lines of
 * any limit. Values may stand in double quotes; without them `;` and `#` start a comment.
 *
 * iniparser does the reading of values, but sees only text that this module has looked through:
 * Debian's 4.1 loses whole files at a byte-order mark or a line over 1022 bytes, lets the last
 * of two equal keys win, and loads a folder as an empty file. */
#ifndef LIBRARY_TEXT_INI_H
#define LIBRARY_TEXT_INI_H

#include <stddef.h>

#include "kernels/status.h"

enum {
    INI_BYTES_MAX = 512 * 1024, /* a view of two numbers as long as they may be fits */
    INI_LINE_MAX = 1000,
    INI_KEYS_MAX = 2000,    /* iniparser's loading is quadratic in their number */
    INI_SECTIONS_MAX = 100, /* loading is quadratic in the [section] lines, too */
    INI_NAME_MAX = 40       /* bytes of the name of a section or a key */
};

struct ini_entry {
    char *section, *key, *value; /* owned */
    int line;                    /* line of the (first part of the) key, from 1 */
    int parts;                   /* 0: one plain key */
};

struct ini {
    struct ini_entry *entry; /* ordered as in the text */
    size_t count;
};

/* `name` is for messages: "name:line: ...". `blame` is the status of what is wrong in the text:
 * STATUS_BAD_DATA for views, STATUS_CONFIG for configuration. On failure *ini is empty. */
enum status ini_parse(struct ini *ini, const char *text, size_t length, const char *name,
                      enum status blame);

/* Adds an entry with copies of the texts. */
enum status ini_add(struct ini *ini, const char *section, const char *key, const char *value,
                    int line);

/* NULL if there is none. */
const struct ini_entry *ini_find(const struct ini *ini, const char *section, const char *key);

/* STATUS_BAD_DATA: where the value stands, what it is, and status_text(), which says what is wrong.
 */
enum status ini_value_wrong(const char *name, const struct ini_entry *entry);

void ini_destroy(struct ini *ini); /* accepts a zeroed one */

#endif
