/* The lines of a text of unknown origin: a view of bytes that somebody else owns. */
#ifndef RENDER_DISK_TEXT_LINES_H
#define RENDER_DISK_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/status.h"

struct text { /* not ended by a NUL */
    const char *begin, *end;
};

/* `wrong` where there is a NUL in the text; `name` is for the message. */
enum status text_check(const char *bytes, size_t length, const char *name, enum status wrong);

/* Without a byte-order mark, up to the byte 0x1a by which DOS ends a text. */
struct text text_lines_of(const char *bytes, size_t length);

/* Takes blanks off its beginning, or off both ends. */
void text_blanks_skip(struct text *text);
void text_trim(struct text *text);

/* The line that *rest begins with, which is taken off; false: no more. */
bool text_line_take(struct text *rest, struct text *line);

/* The next line that is neither empty nor a comment (# or ;), without blanks around it; false: no
 * more. *rest is the text before, and what follows the line after. */
bool text_line_next(struct text *rest, struct text *line);

/* Takes the next word off *rest, up to a blank; false: no more. */
bool text_word_next(struct text *rest, struct text *word);

/* Letters of either case. */
bool text_begins(const struct text *text, const char *with);
bool text_is(const struct text *text, const char *word);

/* Is `test` true of any line, of the first line? */
bool text_any_line(struct text text, bool (*test)(const struct text *line));
bool text_first_line(struct text text, bool (*test)(const struct text *line));

#endif
