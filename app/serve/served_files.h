/* Files of the page, which are part of the program. */
#ifndef APP_SERVE_SERVED_FILES_H
#define APP_SERVE_SERVED_FILES_H

#include <stddef.h>

struct served_file {
    const char *name, *type; /* media type */
    const unsigned char *bytes;
    size_t length;
};

extern const struct served_file served_files[];
extern const int served_files_count;

#endif
