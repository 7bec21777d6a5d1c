/* The format of a text that is to be a place, told by its content: the same for a file, for the
 * standard input and for what is pasted or typed into the viewer. */
#ifndef APP_PLACE_FORMAT_H
#define APP_PLACE_FORMAT_H

#include <stddef.h>

enum view_kind {
    VIEW_INI,
    VIEW_LOCATION,
    VIEW_NUMBERS,
    VIEW_KFR,
    VIEW_PICTURE,
    VIEW_OPTIONS, /* no text: options say where to look */
    VIEW_FOREIGN
};

/* For messages: the formats that can be read. */
#define PLACE_FORMATS                                                                             \
    "ini text ([view]), lines re = ..., three numbers re im zoom, .kfr files and PNGs and TIFFs " \
    "of deepfield"

/* VIEW_FOREIGN: it cannot be read as a place; *what then says why: "a web address, not a place",
 * NULL: there is nothing but comments in it. A text with NULs, or
 * one that is longer than any place, is still told by how it begins. */
enum view_kind place_format(const char *bytes, size_t length, const char **what);

/* "view file", "location file", "re im zoom text", "kfr file", "picture", "options". */
const char *view_kind_name(enum view_kind kind);

#endif
