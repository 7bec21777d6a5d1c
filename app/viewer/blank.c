#include "app/viewer/blank.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/style.h"

#define NEARLY_ALL 0.99
/* Share of the palette over which no shape stands out: counts of 4 to 6, as in the blue around the
 * whole set, take 0.15 of it. */
#define ONE_COLOUR 0.16

enum blank blank_of(const struct live_state *state, const struct place *place)
{
    if (state->stage == LIVE_FAILED)
        return BLANK_FAILED;
    if (!state->settled)
        return BLANK_NOT;
    if (!state->count_max || state->undecided >= NEARLY_ALL)
        return place->limit ? BLANK_LIMIT : BLANK_INSIDE;
    /* As colours follow the count: render/colour.h. */
    double runs = pow((double)state->count_max, 0.25) - pow((double)state->count_min, 0.25);
    bool automatic = !(place->look.density > 0) && runs > 0;
    if (state->undecided > 1 - NEARLY_ALL || automatic || runs * place->look.density >= ONE_COLOUR)
        return BLANK_NOT;
    return runs >= ONE_COLOUR ? BLANK_COLOURS : BLANK_OUTSIDE;
}

/* "; KEY what it does", if there is a key. */
static void key_add(char text[BLANK_BYTES], const struct actions *actions, enum action action,
                    const char *what)
{
    char key[BINDING_BYTES];
    size_t used = strlen(text);
    if (!actions->binding[action][0].kind)
        return;
    binding_words(&actions->binding[action][0], key);
    snprintf(text + used, BLANK_BYTES - used, "; %s %s", key, what);
}

const char *blank_text(enum blank blank, const struct live_state *state,
                       const struct actions *actions, char text[BLANK_BYTES])
{
    char limit[STYLE_NUMBER_BYTES], least[STYLE_NUMBER_BYTES], most[STYLE_NUMBER_BYTES];
    style_number((double)state->limit, limit);
    style_number((double)state->count_min, least);
    style_number((double)state->count_max, most);
    *text = '\0';
    switch (blank) {
    case BLANK_NOT:
        return text;
    case BLANK_FAILED:
        snprintf(text, BLANK_BYTES, "No picture: %.200s", state->error);
        break;
    case BLANK_LIMIT:
        snprintf(text, BLANK_BYTES, "No point here escapes within %s iterations, which were set",
                 limit);
        key_add(text, actions, ACTION_LIMIT_AUTO, "lets the viewer choose how many");
        break;
    case BLANK_INSIDE:
        snprintf(text, BLANK_BYTES, "This is inside the set: no point escapes within %s iterations",
                 limit);
        key_add(text, actions, ACTION_LIMIT_MORE, "tries twice as many");
        break;
    case BLANK_OUTSIDE:
        snprintf(text, BLANK_BYTES,
                 "This is outside the set: all points escape after %s%s%s iterations", least,
                 state->count_min < state->count_max ? " to " : "",
                 state->count_min < state->count_max ? most : "");
        key_add(text, actions, ACTION_ZOOM_OUT, "zooms out");
        break;
    case BLANK_COLOURS:
        snprintf(text, BLANK_BYTES, "The bands of colour are too far apart for this place");
        key_add(text, actions, ACTION_DENSITY_MORE, "brings them closer");
    }
    key_add(text, actions, ACTION_UNDO, "goes back");
    key_add(text, actions, ACTION_HOME, "shows the whole set");
    return text;
}
