/* Which view is in this plain location file? Lines `re = ...`, `im = ...`, `zoom = ...`,
 * `iterations = ...`; `#` or `;` comments. Numbers of any length on one line, kept to the last
 * digit. */
#ifndef APP_LOCATION_H
#define APP_LOCATION_H

#include <stdbool.h>
#include <stddef.h>

#include "app/ini.h"
#include "app/key_lines.h"

enum { LOCATION_BYTES_MAX = 4 * 1024 * 1024 };

/* Gives the same entries as an ini file would: view.re, view.im, view.zoom, view.limit, and
 * view.credit from a comment `# credit: ...` that can be one. STATUS_BAD_DATA with "name:line:
 * ...". */
enum status location_parse(struct ini *ini, const char *text, size_t length, const char *name);

/* Three numbers `re im zoom` with blanks, commas, semicolons or new lines between them, and nothing
 * else but lines that begin with `#`? */
bool location_is_numbers(const char *text, size_t length);

/* The entries view.re, view.im and view.zoom of such a text. STATUS_BAD_DATA if it has not three.
 */
enum status location_numbers_parse(struct ini *ini, const char *text, size_t length,
                                   const char *name);

/* Adds the value of a line as view.`key`; STATUS_BAD_DATA if it is there already. */
enum status location_add(struct ini *ini, const struct key_line *line, const char *key);

#endif
