#include "app/viewer/input/actions.h"

#include <string.h>
#include <strings.h>

#include "library/text/convert.h"
#include "library/text/spelling.h"
#include "render/window/event.h"

enum {
    places = GROUP_PLACES,
    moving = GROUP_MOVING,
    colours = GROUP_COLOURS,
    picture = GROUP_PICTURE,
    overlays = GROUP_SHOWN,
    program = GROUP_PROGRAM
};

/* clang-format off */
const struct action_row action_rows[ACTIONS] = {
[ACTION_NONE] = {"none", program, "", ACTION_PRESS, "nothing"},
[ACTION_ZOOM_IN] = {"zoom-in", moving, "equals shift+equals plus pad-south", ACTION_REPEAT, "zoom in to twice the size"},
[ACTION_ZOOM_OUT] = {"zoom-out", moving, "minus", ACTION_REPEAT, "zoom out to half the size"},
[ACTION_ZOOM_IN_FAR] = {"zoom-in-far", moving, "page-up", ACTION_REPEAT, "zoom in 8 times"},
[ACTION_ZOOM_OUT_FAR] = {"zoom-out-far", moving, "page-down", ACTION_REPEAT, "zoom out 8 times"},
[ACTION_WHEEL_IN] = {"wheel-in", moving, "wheel-up", ACTION_PRESS, "zoom in at the pointer"},
[ACTION_WHEEL_OUT] = {"wheel-out", moving, "wheel-down", ACTION_PRESS, "zoom out at the pointer"},
[ACTION_WHEEL_IN_FAR] = {"wheel-in-far", moving, "ctrl+wheel-up", ACTION_PRESS, "zoom in at the pointer, faster"},
[ACTION_WHEEL_OUT_FAR] = {"wheel-out-far", moving, "ctrl+wheel-down", ACTION_PRESS, "zoom out at the pointer, faster"},
[ACTION_JUMP_IN] = {"jump-in", moving, "left-double-click double-tap", ACTION_PRESS, "zoom in 4 times at that point"},
[ACTION_JUMP_OUT] = {"jump-out", moving, "right-click two-finger-tap", ACTION_PRESS, "zoom out 2 times at that point"},
[ACTION_BOX] = {"box", moving, "shift+left-drag", ACTION_DRAG, "draw a box and zoom to it"},
[ACTION_PAN] = {"pan", moving, "left-drag one-finger", ACTION_DRAG, "move the picture"},
[ACTION_PAN_LEFT] = {"pan-left", moving, "left a", ACTION_REPEAT, "move left by a tenth of the picture"},
[ACTION_PAN_RIGHT] = {"pan-right", moving, "right d", ACTION_REPEAT, "move right by a tenth of the picture"},
[ACTION_PAN_UP] = {"pan-up", moving, "up w", ACTION_REPEAT, "move up by a tenth of the picture"},
[ACTION_PAN_DOWN] = {"pan-down", moving, "down s", ACTION_REPEAT, "move down by a tenth of the picture"},
[ACTION_PAN_LEFT_FAR] = {"pan-left-far", moving, "shift+left shift+a", ACTION_REPEAT, "move left by half a picture"},
[ACTION_PAN_RIGHT_FAR] = {"pan-right-far", moving, "shift+right shift+d", ACTION_REPEAT, "move right by half a picture"},
[ACTION_PAN_UP_FAR] = {"pan-up-far", moving, "shift+up shift+w", ACTION_REPEAT, "move up by half a picture"},
[ACTION_PAN_DOWN_FAR] = {"pan-down-far", moving, "shift+down shift+s", ACTION_REPEAT, "move down by half a picture"},
[ACTION_CENTRE] = {"centre", moving, "middle-click", ACTION_PRESS, "bring that point to the middle"},
[ACTION_TURN] = {"turn", moving, "ctrl+left-drag", ACTION_DRAG, "turn the picture"},
[ACTION_TURN_LEFT] = {"turn-left", moving, "q", ACTION_REPEAT, "turn left by 15 degrees"},
[ACTION_TURN_RIGHT] = {"turn-right", moving, "e", ACTION_REPEAT, "turn right by 15 degrees"},
[ACTION_UPRIGHT] = {"upright", moving, "n", ACTION_PRESS, "turn upright again"},
[ACTION_MIRROR] = {"mirror", moving, "shift+n", ACTION_PRESS, "turn top to bottom, as in a mirror"},
[ACTION_STRETCH_WIDER] = {"stretch-wider", moving, "shift+e", ACTION_REPEAT, "stretch the picture sideways by a tenth"},
[ACTION_STRETCH_HIGHER] = {"stretch-higher", moving, "shift+q", ACTION_REPEAT, "stretch the picture upwards by a tenth"},
[ACTION_UNSTRETCH] = {"unstretch", moving, "ctrl+n", ACTION_PRESS, "take the stretch away"},
[ACTION_STRETCH_AUTO] = {"stretch-auto", moving, "alt+n", ACTION_PRESS, "stretch and turn until the island here has its own shape"},
[ACTION_PINCH] = {"pinch", moving, "two-fingers", ACTION_TWO, "move, zoom and turn the picture"},
[ACTION_FLY_IN] = {"fly-in", moving, "left-hold long-press", ACTION_FLY, "fly in towards it, faster the longer; up, down, wheel: speed"},
[ACTION_FLY_OUT] = {"fly-out", moving, "right-hold two-finger-hold", ACTION_FLY, "fly out in the same way"},
[ACTION_PAD_PAN] = {"pad-pan", moving, "pad-left-stick", ACTION_STICK, "move the picture"},
[ACTION_PAD_AIM] = {"pad-aim", moving, "pad-right-stick", ACTION_STICK, "move the cross where it zooms"},
[ACTION_PAD_IN] = {"pad-in", moving, "pad-right-trigger", ACTION_TRIGGER, "zoom in at the cross"},
[ACTION_PAD_OUT] = {"pad-out", moving, "pad-left-trigger", ACTION_TRIGGER, "zoom out at the cross"},

[ACTION_HOME] = {"home", places, "home 0 pad-select", ACTION_PRESS, "start again: the whole set, first colours, no overlays"},
[ACTION_UNDO] = {"undo", places, "backspace ctrl+z back-click pad-east", ACTION_REPEAT, "undo: back to the place or the colours before"},
[ACTION_REDO] = {"redo", places, "ctrl+y ctrl+shift+z forward-click", ACTION_REPEAT, "redo what was undone"},
[ACTION_GO_TO] = {"go-to", places, "g", ACTION_PRESS, "go to a place: type or paste it"},
[ACTION_COPY] = {"copy", places, "ctrl+c", ACTION_PRESS, "copy the place as text"},
[ACTION_PASTE] = {"paste", places, "ctrl+v", ACTION_PRESS, "paste a place as text; `re im zoom` will do"},
[ACTION_BOOKMARK_ADD] = {"bookmark-add", places, "b", ACTION_PRESS, "keep the place as a bookmark"},
[ACTION_BOOKMARK_LIST] = {"bookmark-list", places, "ctrl+b", ACTION_PRESS, "show the bookmarks"},
[ACTION_BOOKMARK_NEXT] = {"bookmark-next", places, "pad-shoulder-right", ACTION_PRESS, "next bookmark"},
[ACTION_BOOKMARK_PREVIOUS] = {"bookmark-previous", places, "pad-shoulder-left", ACTION_PRESS, "previous bookmark"},
[ACTION_FIND] = {"find", places, "l", ACTION_PRESS, "zoom to the island at the pointer (its nucleus)"},
[ACTION_FIND_IN_VIEW] = {"find-in-view", places, "ctrl+f", ACTION_PRESS, "zoom to the largest island in the picture"},
[ACTION_FIND_MISIUREWICZ] = {"find-misiurewicz", places, "shift+l", ACTION_PRESS, "bring the spiral's middle at the pointer to the middle"},
[ACTION_FIND_EMBEDDED] = {"find-embedded", places, "alt+l", ACTION_PRESS, "zoom to the Julia set about the island at the pointer"},
[ACTION_PLAY] = {"play", places, "space pad-stick-left", ACTION_PRESS, "autopilot: fly by itself, or rest; pause the tour, or go on"},
[ACTION_TOUR_NEXT] = {"tour-next", places, "ctrl+right", ACTION_PRESS, "next stop of the tour"},
[ACTION_TOUR_PREVIOUS] = {"tour-previous", places, "ctrl+left", ACTION_PRESS, "previous stop of the tour"},

[ACTION_PALETTE_NEXT] = {"palette-next", colours, "p pad-north", ACTION_REPEAT, "next palette"},
[ACTION_PALETTE_PREVIOUS] = {"palette-previous", colours, "shift+p pad-west", ACTION_REPEAT, "previous palette"},
[ACTION_FAVOURITE] = {"favourite", colours, "digit", ACTION_NUMBER, "the colours that were kept under that digit"},
[ACTION_FAVOURITE_KEEP] = {"favourite-keep", colours, "ctrl+digit", ACTION_NUMBER, "keep the colours under that digit"},
[ACTION_DENSITY_MORE] = {"density-more", colours, "period", ACTION_REPEAT, "bands of colour closer together"},
[ACTION_DENSITY_LESS] = {"density-less", colours, "comma", ACTION_REPEAT, "bands of colour farther apart"},
[ACTION_OFFSET_MORE] = {"offset-more", colours, "]", ACTION_REPEAT, "shift the colours"},
[ACTION_OFFSET_LESS] = {"offset-less", colours, "[", ACTION_REPEAT, "shift the colours back"},
[ACTION_CONTRAST_MORE] = {"contrast-more", colours, "v", ACTION_REPEAT, "more contrast: all colours on equal areas"},
[ACTION_CONTRAST_LESS] = {"contrast-less", colours, "shift+v", ACTION_REPEAT, "less contrast: colours follow the counts"},
[ACTION_RELIEF_MORE] = {"relief-more", colours, "x", ACTION_REPEAT, "stronger relief, lit from the side"},
[ACTION_RELIEF_LESS] = {"relief-less", colours, "shift+x", ACTION_REPEAT, "weaker relief, or none"},
[ACTION_INTERIOR] = {"interior", colours, "k", ACTION_PRESS, "inside: one colour, by period, by distance"},
[ACTION_INPUT_NEXT] = {"input-next", colours, "shift+k", ACTION_PRESS, "colours by iterations, angle, averages, traps"},
[ACTION_CYCLE] = {"cycle", colours, "c", ACTION_PRESS, "let the colours flow, or stop them"},

[ACTION_LIMIT_MORE] = {"limit-more", picture, "i", ACTION_PRESS, "twice as many iterations: less black, slower"},
[ACTION_LIMIT_LESS] = {"limit-less", picture, "shift+i", ACTION_PRESS, "half as many iterations"},
[ACTION_LIMIT_AUTO] = {"limit-auto", picture, "ctrl+i", ACTION_PRESS, "choose the iterations automatically"},
[ACTION_RENDER_AGAIN] = {"render-again", picture, "r", ACTION_PRESS, "compute the picture again"},
[ACTION_JULIA] = {"julia", picture, "j pad-stick-right", ACTION_PRESS, "Julia set of the point at the pointer, and back"},
[ACTION_JULIA_PEEK] = {"julia-peek", picture, "alt+move", ACTION_HOLD, "while held: Julia set of the point, in a corner"},
[ACTION_JULIA_INSET] = {"julia-inset", picture, "shift+j", ACTION_PRESS, "keep that Julia set in the corner, or remove it"},
[ACTION_FORMULA_NEXT] = {"formula-next", picture, "f", ACTION_REPEAT, "next formula: all of its set"},
[ACTION_FORMULA_PREVIOUS] = {"formula-previous", picture, "shift+f", ACTION_REPEAT, "the formula before"},
[ACTION_PICTURE] = {"picture", picture, "f12", ACTION_PRESS, "save the picture as PNG, with its place inside"},
[ACTION_PRINT] = {"print", picture, "shift+f12", ACTION_PRESS, "save it as PNG in another size"},

[ACTION_ORBIT] = {"orbit", overlays, "o", ACTION_PRESS, "orbit of the point at the pointer, its cycle and angle"},
[ACTION_ORBIT_MORE] = {"orbit-more", overlays, "alt+period alt+wheel-up", ACTION_REPEAT, "twice as many points of the orbit"},
[ACTION_ORBIT_LESS] = {"orbit-less", overlays, "alt+comma alt+wheel-down", ACTION_REPEAT, "half as many points of the orbit"},
[ACTION_RAYS] = {"rays", overlays, "shift+o", ACTION_PRESS, "external rays of period 1, 2, ... 5, or none"},
[ACTION_MINIMAP] = {"minimap", overlays, "m", ACTION_PRESS, "map of the whole set: where is this?"},
[ACTION_HUD] = {"hud", overlays, "h", ACTION_PRESS, "more or fewer figures"},
[ACTION_TILES] = {"tiles", overlays, "t", ACTION_PRESS, "colour the tiles by the rank that computes them"},
[ACTION_RANK_TIMES] = {"rank-times", overlays, "shift+t pad-right", ACTION_PRESS, "where the time of each rank goes; computes again and again"},
[ACTION_RANKS_MORE] = {"ranks-more", overlays, "shift+z pad-up", ACTION_REPEAT, "one rank more computes"},
[ACTION_RANKS_LESS] = {"ranks-less", overlays, "z pad-down", ACTION_REPEAT, "one rank fewer computes, by which no pixel changes"},
[ACTION_RANKS_DEVICES] = {"ranks-devices", overlays, "alt+z pad-left", ACTION_PRESS, "ranks with GPUs alone, those with cores alone, or all"},
[ACTION_HIDE] = {"hide", overlays, "f10 tab", ACTION_PRESS, "hide all but the picture, or show it again"},
[ACTION_HELP] = {"help", overlays, "f1 shift+/", ACTION_PRESS, "this help"},
[ACTION_INFO] = {"info", overlays, "ctrl+h", ACTION_PRESS, "tell the coordinates of that point"},
[ACTION_SETTINGS] = {"settings", overlays, "f2 menu pad-start", ACTION_PRESS, "settings, and buttons for the rest"},
[ACTION_PLACES] = {"places", overlays, "f3", ACTION_PRESS, "places worth seeing"},
[ACTION_PALETTES] = {"palettes", overlays, "f4", ACTION_PRESS, "all palettes"},
[ACTION_COLOURS] = {"colours", overlays, "f6", ACTION_PRESS, "the palette editor"},
[ACTION_FULLSCREEN] = {"fullscreen", overlays, "f11", ACTION_PRESS, "full screen, or a window again"},
[ACTION_LARGER] = {"larger", overlays, "ctrl+equals ctrl+shift+equals ctrl+plus", ACTION_REPEAT, "larger text"},
[ACTION_SMALLER] = {"smaller", overlays, "ctrl+minus", ACTION_REPEAT, "smaller text"},

[ACTION_SAVE] = {"save", program, "ctrl+s", ACTION_PRESS, "save the place as a text file (.ini)"},
[ACTION_SAVE_AS] = {"save-as", program, "ctrl+shift+s", ACTION_PRESS, "save it under a name"},
[ACTION_OPEN] = {"open", program, "ctrl+o", ACTION_PRESS, "open a place or a picture from a file"},
[ACTION_ESCAPE] = {"escape", program, "escape", ACTION_PRESS, "close what is open, or stop computing"},
[ACTION_QUIT] = {"quit", program, "ctrl+q", ACTION_PRESS, "leave the program"},
};
/* clang-format on */

bool action_moves(enum action action)
{
    bool is_places = action >= ACTION_HOME && action <= ACTION_FIND_EMBEDDED &&
                     action != ACTION_COPY && action != ACTION_BOOKMARK_ADD;
    return (action > ACTION_NONE && action < ACTION_HOME) || is_places || action == ACTION_JULIA ||
           action == ACTION_FORMULA_NEXT || action == ACTION_FORMULA_PREVIOUS;
}

enum action action_named(const char *name)
{
    for (int i = ACTION_NONE + 1; i < ACTIONS; i++)
        if (!strcmp(action_rows[i].name, name))
            return (enum action)i;
    return ACTION_NONE;
}

/* ---- one binding ---- */

static const struct {
    const char *name;
    unsigned bit;
} modifiers[] = {
    {"ctrl+", INPUT_CTRL}, {"shift+", INPUT_SHIFT}, {"alt+", INPUT_ALT}, {"meta+", INPUT_META}};

enum { MODIFIERS = sizeof modifiers / sizeof *modifiers };

/* All that is no key and no button of a gamepad. */
static const struct {
    const char *name;
    enum binding_kind kind;
    int32_t code;
} doings[] = {{"left-click", BINDING_CLICK, INPUT_LEFT},
              {"middle-click", BINDING_CLICK, INPUT_MIDDLE},
              {"right-click", BINDING_CLICK, INPUT_RIGHT},
              {"back-click", BINDING_CLICK, INPUT_BACK},
              {"forward-click", BINDING_CLICK, INPUT_FORWARD},
              {"left-double-click", BINDING_DOUBLE_CLICK, INPUT_LEFT},
              {"middle-double-click", BINDING_DOUBLE_CLICK, INPUT_MIDDLE},
              {"right-double-click", BINDING_DOUBLE_CLICK, INPUT_RIGHT},
              {"left-drag", BINDING_DRAG, INPUT_LEFT},
              {"middle-drag", BINDING_DRAG, INPUT_MIDDLE},
              {"right-drag", BINDING_DRAG, INPUT_RIGHT},
              {"left-hold", BINDING_HOLD, INPUT_LEFT},
              {"middle-hold", BINDING_HOLD, INPUT_MIDDLE},
              {"right-hold", BINDING_HOLD, INPUT_RIGHT},
              {"move", BINDING_MOVE, 0},
              {"wheel-up", BINDING_WHEEL, WHEEL_UP},
              {"wheel-down", BINDING_WHEEL, WHEEL_DOWN},
              {"wheel-left", BINDING_WHEEL, WHEEL_LEFT},
              {"wheel-right", BINDING_WHEEL, WHEEL_RIGHT},
              {"digit", BINDING_DIGIT, 0},
              {"one-finger", BINDING_TOUCH, TOUCH_ONE_FINGER},
              {"two-fingers", BINDING_TOUCH, TOUCH_TWO_FINGERS},
              {"double-tap", BINDING_TOUCH, TOUCH_DOUBLE_TAP},
              {"two-finger-tap", BINDING_TOUCH, TOUCH_TWO_FINGER_TAP},
              {"long-press", BINDING_TOUCH, TOUCH_LONG_PRESS},
              {"two-finger-hold", BINDING_TOUCH, TOUCH_TWO_FINGER_HOLD},
              {"pad-left-stick", BINDING_STICK, 0},
              {"pad-right-stick", BINDING_STICK, 1},
              {"pad-left-trigger", BINDING_TRIGGER, 0},
              {"pad-right-trigger", BINDING_TRIGGER, 1}};

enum { DOINGS = sizeof doings / sizeof *doings };

static const char pad_mark[] = "pad-";
enum { PAD_MARK = sizeof pad_mark - 1 };

static const char *modifiers_parse(const char *text, unsigned *held)
{
    *held = 0;
    for (int i = 0; i < MODIFIERS; i++) {
        size_t length = strlen(modifiers[i].name);
        if (!strncasecmp(text, modifiers[i].name, length) && text[length]) {
            *held |= modifiers[i].bit;
            text += length;
            i = -1; /* modifiers may stand in any order */
        }
    }
    return text;
}

static bool doing_parse(struct binding *binding, const char *name)
{
    for (int i = 0; i < DOINGS; i++)
        if (!strcasecmp(doings[i].name, name)) {
            binding->kind = doings[i].kind;
            binding->code = doings[i].code;
            return true;
        }
    if (strncasecmp(name, pad_mark, PAD_MARK) != 0)
        return false;
    for (int i = 0; input_pad_button_name(i); i++)
        if (!strcasecmp(input_pad_button_name(i), name + PAD_MARK)) {
            binding->kind = BINDING_PAD_BUTTON;
            binding->code = i;
            return true;
        }
    return false;
}

static enum status binding_unknown(const char *text, const char *name)
{
    char shown[SHOWN_BYTES], hint[96];
    struct spelling spelling = spelling_of(name);
    for (int i = 0; i < DOINGS; i++)
        spelling_offer(&spelling, doings[i].name);
    for (int32_t key = INPUT_KEY_FIRST; key <= INPUT_KEY_LAST; key++)
        spelling_offer(&spelling, input_key_name(key));
    spelling_hint(&spelling, hint, sizeof hint);
    return status_fail(STATUS_CONFIG,
                       "'%s' is no key, button, wheel, touch or stick; see configs/KEYS.md%s",
                       text_shown(text, shown), hint);
}

enum status binding_parse(struct binding *binding, const char *text)
{
    struct binding parsed = {0};
    const char *name = modifiers_parse(text, &parsed.modifiers);
    if (!doing_parse(&parsed, name)) {
        parsed.kind = BINDING_KEY;
        parsed.code = input_key_find(name);
        if (parsed.code == INPUT_KEY_NONE)
            return binding_unknown(text, name);
    }
    bool bare = parsed.kind >= BINDING_TOUCH;
    if (bare && parsed.modifiers)
        return status_fail(STATUS_CONFIG, "'%s': '%s' goes without ctrl, shift, alt and meta", text,
                           name);
    *binding = parsed;
    return STATUS_OK;
}

void binding_text(const struct binding *binding, char text[BINDING_BYTES])
{
    size_t used = 0;
    const char *name = "none", *mark = "";
    for (int i = 0; i < MODIFIERS; i++)
        if (binding->modifiers & modifiers[i].bit)
            used += (size_t)snprintf(text + used, BINDING_BYTES - used, "%s", modifiers[i].name);
    for (int i = 0; i < DOINGS; i++)
        if (doings[i].kind == binding->kind && doings[i].code == binding->code)
            name = doings[i].name;
    if (binding->kind == BINDING_KEY)
        name = input_key_name(binding->code);
    if (binding->kind == BINDING_PAD_BUTTON && input_pad_button_name(binding->code)) {
        name = input_pad_button_name(binding->code);
        mark = pad_mark;
    }
    snprintf(text + used, BINDING_BYTES - used, "%s%s", mark, name);
}

static bool binding_equals(const struct binding *a, const struct binding *b)
{
    return a->kind == b->kind && a->modifiers == b->modifiers && a->code == b->code;
}

/* ---- all bindings of an action ---- */

/* What an action of this sort can be bound to, as bits of enum binding_kind. */
static unsigned kinds_taken(enum action_sort sort, const struct binding *binding)
{
    static const unsigned press = 1u << BINDING_KEY | 1u << BINDING_CLICK |
                                  1u << BINDING_DOUBLE_CLICK | 1u << BINDING_WHEEL |
                                  1u << BINDING_PAD_BUTTON;
    static const unsigned digit = 1u << BINDING_DIGIT;
    unsigned touch = 1u << BINDING_TOUCH;
    int32_t code = binding->kind == BINDING_TOUCH ? binding->code : TOUCHES;
    switch (sort) {
    case ACTION_DRAG:
        return 1u << BINDING_DRAG | (code == TOUCH_ONE_FINGER ? touch : 0);
    case ACTION_TWO:
        return code == TOUCH_TWO_FINGERS ? touch : 0;
    case ACTION_FLY:
        return 1u << BINDING_HOLD | (code >= TOUCH_LONG_PRESS && code < TOUCHES ? touch : 0);
    case ACTION_HOLD:
        return 1u << BINDING_MOVE;
    case ACTION_STICK:
        return 1u << BINDING_STICK;
    case ACTION_TRIGGER:
        return 1u << BINDING_TRIGGER;
    case ACTION_NUMBER:
        return digit;
    default:
        return press | (code >= TOUCH_DOUBLE_TAP && code <= TOUCH_LONG_PRESS ? touch : 0);
    }
}

static const char *sort_wants(enum action_sort sort)
{
    static const char *const wants[ACTION_SORTS] = {
        [ACTION_PRESS] = "a key, a click, a notch of the wheel, a tap or a button",
        [ACTION_REPEAT] = "a key, a click, a notch of the wheel, a tap or a button",
        [ACTION_NUMBER] = "digit, with or without ctrl, shift, alt or meta",
        [ACTION_DRAG] = "a drag or one-finger",
        [ACTION_TWO] = "two-fingers",
        [ACTION_FLY] = "left-hold, middle-hold, right-hold, long-press or two-finger-hold",
        [ACTION_HOLD] = "move with ctrl, shift, alt or meta",
        [ACTION_STICK] = "pad-left-stick or pad-right-stick",
        [ACTION_TRIGGER] = "pad-left-trigger or pad-right-trigger"};
    return wants[sort];
}

/* Reads the bindings between blanks. */
static enum status keys_parse(enum action action, const char *keys,
                              struct binding binding[BINDINGS_EACH])
{
    const struct action_row *row = &action_rows[action];
    const char *at = keys + strspn(keys, " \t");
    int count = 0;
    memset(binding, 0, BINDINGS_EACH * sizeof *binding);
    if (strchr(keys, '"')) /* it would end the value in an ini file */
        return status_fail(STATUS_CONFIG, "the key '\"' is written double-quote");
    for (size_t length; *at; at += length, at += strspn(at, " \t")) {
        char word[BINDING_BYTES];
        length = strcspn(at, " \t");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1),
                 at);
        if (!strcmp(word, "none"))
            continue;
        if (count == BINDINGS_EACH)
            return status_fail(STATUS_CONFIG, "more than %d bindings", BINDINGS_EACH);
        TRY(binding_parse(&binding[count], word));
        if (!(kinds_taken(row->sort, &binding[count]) >> binding[count].kind & 1))
            return status_fail(STATUS_CONFIG, "'%s' cannot be bound to %s; it takes %s", row->name,
                               word, sort_wants(row->sort));
        count++;
    }
    return STATUS_OK;
}

static enum status action_unknown(const char *name)
{
    char shown[SHOWN_BYTES], hint[96];
    struct spelling spelling = spelling_of(name);
    for (int i = ACTION_NONE + 1; i < ACTIONS; i++)
        spelling_offer(&spelling, action_rows[i].name);
    spelling_hint(&spelling, hint, sizeof hint);
    return status_fail(STATUS_CONFIG, "there is no action '%s'%s; configs/KEYS.md lists them",
                       text_shown(name, shown), hint);
}

enum status action_check(const char *name, const char *keys)
{
    struct binding binding[BINDINGS_EACH];
    enum action action = action_named(name);
    return action == ACTION_NONE ? action_unknown(name) : keys_parse(action, keys, binding);
}

/* ---- all ---- */

/* Bindings of an action, "plus, equals", cut at `bytes`; "" if it has none. */
static void actions_keys(const struct actions *actions, enum action action, char *text,
                         size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < BINDINGS_EACH && actions->binding[action][i].kind && used < bytes; i++) {
        char one[BINDING_BYTES];
        binding_text(&actions->binding[action][i], one);
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? ", " : "", one);
    }
}

static enum status conflict(const struct actions *actions, enum action first, enum action second,
                            const struct binding *binding)
{
    char text[BINDING_BYTES], keys[256];
    binding_text(binding, text);
    actions_keys(actions, first, keys, sizeof keys);
    return status_fail(
        STATUS_CONFIG,
        "[keys] '%s' is bound to both %s and %s; give one of them another key, as in "
        "'%s = none' (now: %s)",
        text, action_rows[first].name, action_rows[second].name, action_rows[first].name, keys);
}

static enum status conflicts_check(const struct actions *actions)
{
    for (int action = ACTION_NONE + 1; action < ACTIONS; action++)
        for (int i = 0; i < BINDINGS_EACH; i++) {
            const struct binding *binding = &actions->binding[action][i];
            enum action other = actions_find(actions, binding);
            if (binding->kind && other != (enum action)action)
                return conflict(actions, other, (enum action)action, binding);
        }
    return STATUS_OK;
}

enum status actions_create(struct actions *actions, const struct ini *keys)
{
    for (int i = 0; i < ACTIONS; i++)
        TRY(keys_parse((enum action)i, action_rows[i].keys, actions->binding[i]));
    for (size_t i = 0; keys && i < keys->count; i++) {
        enum action action = action_named(keys->entry[i].key);
        if (action == ACTION_NONE)
            return action_unknown(keys->entry[i].key);
        TRY(keys_parse(action, keys->entry[i].value, actions->binding[action]));
    }
    return conflicts_check(actions);
}

enum action actions_find(const struct actions *actions, const struct binding *binding)
{
    for (int action = ACTION_NONE + 1; action < ACTIONS && binding->kind; action++)
        for (int i = 0; i < BINDINGS_EACH; i++)
            if (binding_equals(&actions->binding[action][i], binding))
                return (enum action)action;
    return ACTION_NONE;
}

void actions_table(FILE *stream)
{
    struct actions actions;
    if (actions_create(&actions, NULL) != STATUS_OK)
        return; /* a test holds that the defaults are sound */
    fputs("| action | bindings | what it does |\n|---|---|---|\n", stream);
    for (int i = ACTION_NONE + 1; i < ACTIONS; i++) {
        char keys[256];
        actions_keys(&actions, (enum action)i, keys, sizeof keys);
        fprintf(stream, "| `keys.%s` | %s | %s |\n", action_rows[i].name, keys,
                action_rows[i].help);
    }
}
