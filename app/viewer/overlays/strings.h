/* The table of texts on the viewer's screen and in served pages, in five languages.
 *
 * A row of strings.inc is a text in all languages; to add one is all it takes. Failures of the
 * engine and of files (status_text()) are English in every language, as in the terminal. */
#ifndef APP_VIEWER_OVERLAYS_STRINGS_H
#define APP_VIEWER_OVERLAYS_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "app/viewer/input/actions.h"
#include "library/config/language.h"

enum string {
#define STRING(name, en, de, fr, es, pl) STRING_##name,
#define ACTION(name, de, fr, es, pl)
#include "app/viewer/overlays/strings.inc"
    STRINGS
};

/* Sets the language of all texts; English at first. Called on the window's thread; others may read
 * meanwhile. */
void language_use(enum language language);
enum language language_used(void);

/* Limits the texts, as a stand does, to rows that `shows` accepts: others are "". NULL: no limit.
 */
void strings_limit(bool (*shows)(enum string string));

/* The text of a row, with its marks if it has any. */
const char *string_of(enum string string);
const char *string_in(enum string string, enum language language);

/* The sentence of help that says what an action does. */
const char *string_action(enum action action);
const char *string_action_in(enum action action, enum language language); /* NULL: no row */

/* The text with its marks %1 ... %9 replaced by texts, as many as it has marks. Cut at `bytes`
 * between characters. */
#define string_fill(text, bytes, string, ...) \
    strings_fill(text, bytes, string_of(string), (const char *const[]){__VA_ARGS__, NULL})
void strings_fill(char *text, size_t bytes, const char *form, const char *const *values);

#endif
