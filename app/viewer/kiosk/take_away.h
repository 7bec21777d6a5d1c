/* What visitors of a stand take away: a QR code of the place, or of an address, that a phone reads
 * from the screen. The text is in the code itself, so no network is needed. */
#ifndef APP_VIEWER_KIOSK_TAKE_AWAY_H
#define APP_VIEWER_KIOSK_TAKE_AWAY_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "library/settings/place_text.h"
#include "render/window/paint.h"

struct take_away {
    int side;         /* number of modules along a side; 0: there is no code */
    uint8_t *modules; /* [side][side], 1: dark; owned */
};

/* The shortest text of the place that `deepfield render` takes as a view: what differs from the
 * defaults, with the digits that a pixel of it needs. *text is freed by the caller. */
enum status take_away_text(const struct place *place, char **text);

/* Was the program built with libqrencode? */
bool take_away_possible(void);

/* Makes the code of a text, with as much correction of errors as there is room for; *code must be
 * zeroed or valid. STATUS_CONFIG: the text is longer than any code holds, 2,953 bytes;
 * STATUS_OUT_OF_MEMORY; STATUS_UNAVAILABLE: built without libqrencode. */
enum status take_away_make(struct take_away *code, const char *text);
void take_away_destroy(struct take_away *code); /* accepts a zeroed one */

/* Draws the code as large as the picture allows, each module of whole pixels, with the sentence
 * below it. */
void take_away_draw(struct paint *paint, const struct take_away *code, const char *sentence);

#endif
