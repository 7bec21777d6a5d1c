/* Files of the page, which are part of the program, and the rows of the table of texts that they
 * name. cmake/embed_files.cmake makes both: each word of capitals and underscores in quotes is a
 * row of strings.inc, or ACTION_ and the name of an action. One that there is not does not compile.
 */
#ifndef APP_SERVE_SERVED_FILES_H
#define APP_SERVE_SERVED_FILES_H

#include <stddef.h>

#include "app/viewer/overlays/strings.h"

struct served_file {
    const char *name, *type; /* media type */
    const unsigned char *bytes;
    size_t length;
};

extern const struct served_file served_files[];
extern const int served_files_count;

struct served_string {
    const char *name;
    enum string string; /* STRINGS: what `action` does */
    enum action action;
};

extern const struct served_string served_strings[];
extern const int served_strings_count;

#endif
