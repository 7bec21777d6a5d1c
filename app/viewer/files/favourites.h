/* Nine palettes with their looks, for shows: kept and recalled by one key each.
 *
 * Each is the text of a place in favourites/N.ini in the user's folder, which any command takes as
 * a view; only its colours are recalled. */
#ifndef APP_VIEWER_FILES_FAVOURITES_H
#define APP_VIEWER_FILES_FAVOURITES_H

#include <stdbool.h>

#include "library/settings/place_text.h"

enum { FAVOURITES = 9, FAVOURITE_BYTES_MAX = 1 << 20 };

struct favourites {         /* zeroed: none */
    char *text[FAVOURITES]; /* owned; NULL: not kept */
};

void favourites_destroy(struct favourites *favourites);

/* Reads those that there are in a folder; what cannot be read is none. */
void favourites_load(struct favourites *favourites, const char *folder);

bool favourite_is(const struct favourites *favourites, int number); /* from 0 */

/* The text of a place becomes favourite `number`; STATUS_OUT_OF_MEMORY. */
enum status favourite_keep(struct favourites *favourites, int number, const char *text);

/* The colours of the favourite for a place, which keeps all else. STATUS_BAD_DATA. */
enum status favourite_recall(const struct favourites *favourites, int number, struct place *place);

#endif
