#include "app/viewer/overlays/blank.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/overlays/action_words.h"
#include "app/viewer/overlays/strings.h"
#include "app/viewer/overlays/style.h"

#define NEARLY_ALL 0.99
/* Share of the palette over which no shape stands out: counts of 4 to 6, as in the blue around the
 * whole set, take 0.15 of it. */
#define ONE_COLOUR 0.16

enum blank blank_of(const deepfield_live_state *state, const struct place *place)
{
    if (state->stage == DEEPFIELD_LIVE_FAILED)
        return BLANK_FAILED;
    if (!state->settled)
        return BLANK_NOT;
    if (!state->count_max || state->undecided >= NEARLY_ALL)
        return place->limit ? BLANK_LIMIT : BLANK_INSIDE;
    /* As colours follow the count: render/colour/colour.h. */
    double runs = pow((double)state->count_max, 0.25) - pow((double)state->count_min, 0.25);
    bool automatic = !(place->look.density > 0) && runs > 0;
    if (state->undecided > 1 - NEARLY_ALL || automatic || runs * place->look.density >= ONE_COLOUR)
        return BLANK_NOT;
    return runs >= ONE_COLOUR ? BLANK_COLOURS : BLANK_OUTSIDE;
}

/* "; KEY what it does", if there is a key. */
static void key_add(char text[BLANK_BYTES], const struct actions *actions, enum action action,
                    enum string what)
{
    char key[BINDING_BYTES];
    size_t used = strlen(text);
    if (!actions->binding[action][0].kind)
        return;
    binding_words(&actions->binding[action][0], key);
    string_fill(text + used, BLANK_BYTES - used, STRING_BLANK_KEY, key, string_of(what));
}

static enum string stand_sentence(enum blank blank)
{
    return blank == BLANK_FAILED                           ? STRING_STAND_WAIT
           : blank == BLANK_LIMIT || blank == BLANK_INSIDE ? STRING_STAND_BLACK
                                                           : STRING_STAND_PLAIN;
}

const char *blank_text(enum blank blank, const deepfield_live_state *state,
                       const struct actions *actions, char text[BLANK_BYTES])
{
    char error[256], limit[STYLE_NUMBER_BYTES], least[STYLE_NUMBER_BYTES], most[STYLE_NUMBER_BYTES];
    style_number((double)state->limit, limit);
    style_number((double)state->count_min, least);
    style_number((double)state->count_max, most);
    *text = '\0';
    if (!actions && blank != BLANK_NOT) {
        snprintf(text, BLANK_BYTES, "%s", string_of(stand_sentence(blank)));
        return text;
    }
    switch (blank) {
    case BLANK_NOT:
        return text;
    case BLANK_FAILED:
        snprintf(error, sizeof error, "%.200s", state->sentence);
        string_fill(text, BLANK_BYTES, STRING_BLANK_FAILED, error);
        break;
    case BLANK_LIMIT:
        string_fill(text, BLANK_BYTES, STRING_BLANK_LIMIT, limit);
        key_add(text, actions, ACTION_LIMIT_AUTO, STRING_BLANK_AUTO);
        break;
    case BLANK_INSIDE:
        string_fill(text, BLANK_BYTES, STRING_BLANK_INSIDE, limit);
        key_add(text, actions, ACTION_LIMIT_MORE, STRING_BLANK_MORE);
        break;
    case BLANK_OUTSIDE:
        string_fill(text, BLANK_BYTES,
                    state->count_min < state->count_max ? STRING_BLANK_OUTSIDE
                                                        : STRING_BLANK_OUTSIDE_ONE,
                    least, most);
        key_add(text, actions, ACTION_ZOOM_OUT, STRING_BLANK_ZOOM_OUT);
        break;
    case BLANK_COLOURS:
        snprintf(text, BLANK_BYTES, "%s", string_of(STRING_BLANK_COLOURS));
        key_add(text, actions, ACTION_DENSITY_MORE, STRING_BLANK_CLOSER);
    }
    key_add(text, actions, ACTION_UNDO, STRING_BLANK_BACK);
    key_add(text, actions, ACTION_HOME, STRING_BLANK_HOME);
    return text;
}
