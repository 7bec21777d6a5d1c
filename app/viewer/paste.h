/* Which place does a text mean, and which text means a place?
 *
 * A place is all that undo brings back: where one looks, how far is iterated, what is iterated and
 * the colours. Texts are hostile: our own ini text, a plain location file, a .kfr file, or
 * `re im zoom` with blanks, commas or new lines between them. */
#ifndef APP_VIEWER_PASTE_H
#define APP_VIEWER_PASTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/options.h"
#include "kernels/status.h"
#include "render/view.h"

struct place {
    struct view view; /* owned */
    int64_t limit;    /* 0: automatic */
    double bailout;
    char palette[OPTION_TEXT_MAX + 1];
    double density, offset;
    char interior[8];                /* "#rrggbb" */
    char title[OPTION_TEXT_MAX + 1]; /* "": none */
};

void place_destroy(struct place *place); /* accepts a zeroed one */

/* Frees what *copy had. */
enum status place_copy(struct place *copy, const struct place *place);

/* The place of a text. What the text does not say stays as it is in *place: the size of the view
 * always, the colours where the text has none; without a limit it is automatic, and without a
 * rotation upright. `name` is for messages. STATUS_BAD_DATA leaves *place as it was. */
enum status paste_read(struct place *place, const char *text, size_t length, const char *name);

/* The ini text of a place, which `deepfield render` takes as a view; without a limit if that is
 * automatic. *text is freed by the caller. */
enum status paste_write(const struct place *place, char **text);

#endif
