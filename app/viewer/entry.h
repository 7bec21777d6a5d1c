/* The text box: a text of one or more lines with a place to type at. */
#ifndef APP_VIEWER_ENTRY_H
#define APP_VIEWER_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "render/window/event.h"
#include "render/window/paint.h"

enum { ENTRY_BYTES_MAX = 1 << 19 }; /* a place of 160,000 digits fits */

struct entry {
    const char *title; /* borrowed; NULL: closed */
    char *text;        /* NUL-ended UTF-8; owned */
    size_t length, cursor, room;
};

enum entry_answer { ENTRY_OPEN, ENTRY_CHANGED, ENTRY_ACCEPTED };

/* Opens it, with a text or NULL. */
void entry_open(struct entry *entry, const char *title, const char *text);
void entry_close(struct entry *entry); /* accepts a closed one */

/* Types a text at the cursor; control characters other than newlines are left out. Nothing happens
 * when the entry would become longer than ENTRY_BYTES_MAX, or without memory; false then. */
bool entry_type(struct entry *entry, const char *text);

/* A key or a text of the user; Enter accepts. Ctrl+V is the caller's. */
enum entry_answer entry_take(struct entry *entry, const struct input_event *event);

void entry_draw(const struct entry *entry, struct paint *paint);

#endif
