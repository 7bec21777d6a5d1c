/* The sentence for a picture in which there is nothing to see: why, and which key helps. Pure. */
#ifndef APP_VIEWER_OVERLAYS_BLANK_H
#define APP_VIEWER_OVERLAYS_BLANK_H

#include "library/settings/place_text.h"
#include "app/viewer/input/actions.h"
#include "include/deepfield/deepfield.h"

enum blank {
    BLANK_NOT,
    BLANK_FAILED,  /* there is no picture */
    BLANK_LIMIT,   /* nothing escapes within a limit that was set */
    BLANK_INSIDE,  /* nothing escapes within the limit that was found */
    BLANK_OUTSIDE, /* all points escape at nearly the same count */
    BLANK_COLOURS  /* the density gives nearly one colour to counts that differ */
};

/* Judges a picture that is settled or has failed; any other is BLANK_NOT. */
enum blank blank_of(const deepfield_live_state *state, const struct place *place);

/* Writes the sentence into `text`, "" for BLANK_NOT, and returns it. actions NULL: on a stand,
 * which flies back by itself, and whose visitors have no keys. */
enum { BLANK_BYTES = 448 };
const char *blank_text(enum blank blank, const deepfield_live_state *state,
                       const struct actions *actions, char text[BLANK_BYTES]);

#endif
