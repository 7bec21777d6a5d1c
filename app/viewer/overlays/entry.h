/* A text of one or more lines that is being typed, with its cursor. */
#ifndef APP_VIEWER_OVERLAYS_ENTRY_H
#define APP_VIEWER_OVERLAYS_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "render/window/event.h"
#include "render/window/paint.h"

enum { ENTRY_BYTES_MAX = 1 << 19 }; /* a place of 160,000 digits fits */

struct entry {
    char *text; /* NUL-ended UTF-8; owned; NULL: none */
    size_t length, cursor, room;
};

/* ENTRY_FULL: the event's text was too long, and was left out. */
enum entry_answer { ENTRY_OPEN, ENTRY_CHANGED, ENTRY_ACCEPTED, ENTRY_FULL };

/* Begins anew with a text. */
void entry_open(struct entry *entry, const char *text);
void entry_close(struct entry *entry); /* accepts a closed one */

/* Types a text at the cursor; control characters other than newlines are left out. Nothing happens
 * when the entry would become longer than ENTRY_BYTES_MAX, or without memory; false then. */
bool entry_type(struct entry *entry, const char *text);

/* A key or a text of the user; Enter accepts. Ctrl+V is the caller's. */
enum entry_answer entry_take(struct entry *entry, const struct input_event *event);

/* The part of the line with the cursor that is seen in `width` units, and how far right of its
 * beginning the cursor is. */
void entry_line(const struct entry *entry, struct paint *paint, double width, char *line,
                size_t bytes, double *cursor);

int entry_lines(const struct entry *entry); /* how many there are; 1 for no text */

#endif
