/* Parser of TOML texts: keys and values. (TOML 1.0, Preston-Werner and Gedam 2021.)
 *
 * A key comes with the tables that it stands in: `location.real`. In an array of tables, or of
 * inline tables, all of them have one name: `formula[].power`, and each of them is an entry
 * `formula[]` without a value, before its own; other values in arrays are checked and passed over.
 * Strings become what they say, all other values stay as they are written. */
#ifndef LIBRARY_TEXT_TOML_H
#define LIBRARY_TEXT_TOML_H

#include "kernels/status.h"
#include "library/text/ini.h"

enum { TOML_NAME_MAX = 200, TOML_KEYS_MAX = 2000, TOML_DEPTH_MAX = 16, TOML_VALUES_MAX = 100000 };

/* Adds entries without a section to a zeroed *ini, which is the caller's after a failure, too.
 * STATUS_BAD_DATA with "name:line: ..."; also for a key that is given twice outside of arrays. */
enum status toml_parse(struct ini *ini, const char *text, size_t length, const char *name);

#endif
