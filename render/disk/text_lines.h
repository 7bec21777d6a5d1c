/* The lines of a text of unknown origin: a view of bytes that the caller owns. */
#ifndef RENDER_DISK_TEXT_LINES_H
#define RENDER_DISK_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/status.h"

struct text { /* not ended by a NUL */
    const char *begin, *end;
};

/* Returns `wrong` where there is a NUL in the text; `name` is for the message. */
enum status text_check(const char *bytes, size_t length, const char *name, enum status wrong);

/* Makes a text of bytes, without a byte-order mark, up to the byte 0x1a by which DOS ends a
 * text. */
struct text text_lines_of(const char *bytes, size_t length);

/* Removes blanks from the beginning, or from both ends. */
void text_blanks_skip(struct text *text);
void text_trim(struct text *text);

/* Removes the first line of *rest and returns it in *line; false: no more. */
bool text_line_take(struct text *rest, struct text *line);

/* Removes lines of *rest up to the first that is neither empty nor a comment (# or ;) and returns
 * that in *line, without blanks around it; false: no more. */
bool text_line_next(struct text *rest, struct text *line);

/* Removes the first word of *rest, up to a blank, and returns it in *word; false: no more. */
bool text_word_next(struct text *rest, struct text *word);

/* Compare letters of either case as equal. */
bool text_begins(const struct text *text, const char *with);
bool text_is(const struct text *text, const char *word);

/* Is `test` true of any line, of the first line? */
bool text_any_line(struct text text, bool (*test)(const struct text *line));
bool text_first_line(struct text text, bool (*test)(const struct text *line));

#endif
