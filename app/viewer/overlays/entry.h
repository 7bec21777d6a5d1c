/* A text of one or more lines that is being typed, with its cursor, a selection, and undo. */
#ifndef APP_VIEWER_OVERLAYS_ENTRY_H
#define APP_VIEWER_OVERLAYS_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "render/window/event.h"
#include "render/window/paint.h"

enum { ENTRY_BYTES_MAX = 1 << 19 }; /* a place of 160,000 digits fits */
enum { ENTRY_STEPS = 16 };          /* changes that can be undone */

struct entry {
    char *text; /* NUL-ended UTF-8; owned; NULL: none */
    size_t length, cursor, room;
    size_t anchor; /* other end of the selection; the cursor: nothing is selected */
    size_t first;  /* first byte of the line that is seen */
    struct entry_step {
        char *text; /* text before a change; owned */
        size_t cursor;
    } step[ENTRY_STEPS]; /* changes to be undone, the newest last */
    int steps;
    bool types; /* the newest step goes on as long as characters are typed */
};

/* ENTRY_FULL: the event's text was too long, and was left out. ENTRY_MOVED: the cursor or the
 * selection has changed, the text has not. */
enum entry_answer { ENTRY_OPEN, ENTRY_CHANGED, ENTRY_MOVED, ENTRY_ACCEPTED, ENTRY_FULL };

/* Begins anew with a text. */
void entry_open(struct entry *entry, const char *text);
void entry_close(struct entry *entry); /* accepts a closed one */

/* Types a text in place of the selection; control characters other than newlines are left out.
 * Nothing happens when the entry would become longer than ENTRY_BYTES_MAX, or without memory; false
 * then. */
bool entry_type(struct entry *entry, const char *text);

/* A key or a text of the user; Enter accepts. Ctrl+C, X and V are the caller's. */
enum entry_answer entry_take(struct entry *entry, const struct input_event *event);

/* Copies the selected text, or all of it where nothing is selected; freed by the caller; NULL
 * without memory. */
char *entry_selected(const struct entry *entry);
void entry_erase(struct entry *entry); /* erases the selection; a step to undo */

/* The part of the line with the cursor that is seen in `width` units: its text, and how far right
 * of its beginning cursor and selection are. */
struct entry_sight {
    double cursor, from, to; /* from = to: nothing is selected */
};
struct entry_sight entry_line(struct entry *entry, struct paint *paint, double width, char *line,
                              size_t bytes);

/* Puts the cursor where a mouse pressed, `x` units right of the beginning of the line that is seen;
 * clicks: 2 selects a word, 3 all; a drag selects from where it began. */
enum entry_press { ENTRY_PRESS, ENTRY_DRAG };
void entry_point(struct entry *entry, struct paint *paint, double x, enum entry_press press,
                 int clicks);

int entry_lines(const struct entry *entry); /* how many there are; 1 for no text */

#endif
