/* The table of actions and of the keys, buttons, wheels, fingers and sticks that ask for them. It
 * drives the dispatch of input, the help overlay and a section of configs/KEYS.md.
 *
 * A binding is written as `plus`, `ctrl+shift+z`, `shift+left-drag`, `wheel-up`, `two-finger-tap`,
 * `pad-south`; an action may have several, with blanks between them. In an ini file
 *     [keys]
 *     zoom-in = plus
 * replaces all bindings of that action, and `none` takes them away. */
#ifndef APP_VIEWER_INPUT_ACTIONS_H
#define APP_VIEWER_INPUT_ACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/status.h"
#include "library/text/ini.h"

/* The order is that of the help overlay. */
enum action {
    ACTION_NONE,
    /* Steps of the view, which app/viewer/input/gesture.h makes; but UPRIGHT is a request. */
    ACTION_ZOOM_IN,
    ACTION_ZOOM_OUT,
    ACTION_ZOOM_IN_FAR,
    ACTION_ZOOM_OUT_FAR,
    ACTION_WHEEL_IN,
    ACTION_WHEEL_OUT,
    ACTION_WHEEL_IN_FAR,
    ACTION_WHEEL_OUT_FAR,
    ACTION_JUMP_IN,
    ACTION_JUMP_OUT,
    ACTION_BOX,
    ACTION_PAN,
    ACTION_PAN_LEFT,
    ACTION_PAN_RIGHT,
    ACTION_PAN_UP,
    ACTION_PAN_DOWN,
    ACTION_PAN_LEFT_FAR,
    ACTION_PAN_RIGHT_FAR,
    ACTION_PAN_UP_FAR,
    ACTION_PAN_DOWN_FAR,
    ACTION_CENTRE,
    ACTION_TURN,
    ACTION_TURN_LEFT,
    ACTION_TURN_RIGHT,
    ACTION_UPRIGHT,
    ACTION_MIRROR,
    ACTION_STRETCH_WIDER,
    ACTION_STRETCH_HIGHER,
    ACTION_UNSTRETCH,
    ACTION_STRETCH_AUTO,
    ACTION_PINCH,
    ACTION_FLY_IN,
    ACTION_FLY_OUT,
    ACTION_PAD_PAN,
    ACTION_PAD_AIM,
    ACTION_PAD_IN,
    ACTION_PAD_OUT,
    /* Requests, which the viewer fulfils. */
    ACTION_HOME,
    ACTION_UNDO,
    ACTION_REDO,
    ACTION_GO_TO,
    ACTION_COPY,
    ACTION_PASTE,
    ACTION_BOOKMARK_ADD,
    ACTION_BOOKMARK_LIST,
    ACTION_BOOKMARK_NEXT,
    ACTION_BOOKMARK_PREVIOUS,
    ACTION_FIND,
    ACTION_FIND_IN_VIEW,
    ACTION_FIND_MISIUREWICZ,
    ACTION_FIND_EMBEDDED,
    ACTION_PLAY,
    ACTION_TOUR_NEXT,
    ACTION_TOUR_PREVIOUS,
    ACTION_PALETTE_NEXT,
    ACTION_PALETTE_PREVIOUS,
    ACTION_FAVOURITE, /* x: which one, from 1 */
    ACTION_FAVOURITE_KEEP,
    ACTION_DENSITY_MORE,
    ACTION_DENSITY_LESS,
    ACTION_OFFSET_MORE,
    ACTION_OFFSET_LESS,
    ACTION_CONTRAST_MORE,
    ACTION_CONTRAST_LESS,
    ACTION_RELIEF_MORE,
    ACTION_RELIEF_LESS,
    ACTION_INTERIOR,
    ACTION_INPUT_NEXT,
    ACTION_CYCLE,
    ACTION_LIMIT_MORE,
    ACTION_LIMIT_LESS,
    ACTION_LIMIT_AUTO,
    ACTION_RENDER_AGAIN,
    ACTION_JULIA,
    ACTION_JULIA_PEEK, /* for as long as it is held: the Julia set of the point under the pointer */
    ACTION_JULIA_INSET,
    ACTION_FORMULA_NEXT, /* order of kernels/formula/formulas.inc */
    ACTION_FORMULA_PREVIOUS,
    ACTION_PICTURE,
    ACTION_PRINT,
    ACTION_ORBIT,
    ACTION_ORBIT_MORE,
    ACTION_ORBIT_LESS,
    ACTION_RAYS,
    ACTION_MINIMAP,
    ACTION_HUD,
    ACTION_TILES,
    ACTION_RANK_TIMES,
    ACTION_RANKS_MORE,
    ACTION_RANKS_LESS,
    ACTION_RANKS_DEVICES,
    ACTION_HIDE,
    ACTION_HELP,
    ACTION_INFO, /* facts of the point under the pointer or the finger */
    ACTION_SETTINGS,
    ACTION_PLACES,
    ACTION_PALETTES,
    ACTION_COLOURS,
    ACTION_FULLSCREEN,
    ACTION_LARGER,
    ACTION_SMALLER,
    ACTION_SAVE,
    ACTION_SAVE_AS,
    ACTION_OPEN,
    ACTION_ESCAPE,
    ACTION_QUIT,
    ACTIONS
};

/* What the hand can do to a device. */
enum binding_kind {
    BINDING_NONE,
    BINDING_KEY,          /* code: as in struct input_event */
    BINDING_CLICK,        /* code: enum input_button; pressed and released in one place */
    BINDING_DOUBLE_CLICK, /* the same */
    BINDING_DRAG,         /* the same */
    BINDING_HOLD,         /* the same; pressed and held in one place */
    BINDING_MOVE,         /* the mouse, without buttons */
    BINDING_WHEEL,        /* code: enum wheel_way */
    BINDING_DIGIT,        /* a key from 1 to 9 that nothing else is bound to */
    BINDING_TOUCH,        /* code: enum touch */
    BINDING_PAD_BUTTON,   /* code: enum input_pad_button */
    BINDING_STICK,        /* code: 0 left, 1 right */
    BINDING_TRIGGER,      /* the same */
    BINDING_KINDS
};

enum wheel_way { WHEEL_UP, WHEEL_DOWN, WHEEL_LEFT, WHEEL_RIGHT, WHEEL_WAYS };
enum touch {
    TOUCH_ONE_FINGER,  /* drag */
    TOUCH_TWO_FINGERS, /* pan, zoom and turn at once */
    TOUCH_DOUBLE_TAP,
    TOUCH_TWO_FINGER_TAP,
    TOUCH_LONG_PRESS,
    TOUCH_TWO_FINGER_HOLD,
    TOUCHES
};

struct binding {
    enum binding_kind kind;
    unsigned modifiers; /* bits of enum input_modifier; exactly these are held */
    int32_t code;
};

enum action_sort {
    ACTION_PRESS,   /* happens once: keys, clicks, notches, taps, buttons */
    ACTION_REPEAT,  /* happens once, and again while the key is held */
    ACTION_NUMBER,  /* happens once, by a digit, which is its argument */
    ACTION_DRAG,    /* a drag of a button, or one finger */
    ACTION_TWO,     /* two fingers */
    ACTION_FLY,     /* a button or one or two fingers, held without moving */
    ACTION_HOLD,    /* moving the mouse with a modifier held */
    ACTION_STICK,   /* stick of a gamepad */
    ACTION_TRIGGER, /* trigger of a gamepad */
    ACTION_SORTS
};

/* Groups of the help, under headings of strings.h. */
enum action_group {
    GROUP_PLACES,
    GROUP_MOVING,
    GROUP_COLOURS,
    GROUP_PICTURE,
    GROUP_SHOWN,
    GROUP_PROGRAM
};

struct action_row {
    const char *name; /* key in [keys] */
    int group;        /* enum action_group */
    const char *keys; /* default bindings */
    enum action_sort sort;
    const char *help; /* English text; in other languages: ACTION rows of strings.inc */
};

extern const struct action_row action_rows[ACTIONS];

/* Does the action change the view or the formula? */
bool action_moves(enum action action);

/* The action of this name; ACTION_NONE if there is none. */
enum action action_named(const char *name);

enum { BINDINGS_EACH = 6, BINDING_BYTES = 64 };

/* All bindings in use; plain data. */
struct actions {
    struct binding binding[ACTIONS][BINDINGS_EACH]; /* BINDING_NONE after the last */
};

/* Reads a binding; STATUS_CONFIG with what would be right. */
enum status binding_parse(struct binding *binding, const char *text);

/* Writes a binding as in settings. */
void binding_text(const struct binding *binding, char text[BINDING_BYTES]);

/* Checks that the action exists and can have these bindings. STATUS_CONFIG. */
enum status action_check(const char *name, const char *keys);

/* The default bindings, replaced by those of the entries `keys` (whose section and lines are not
 * read), which may be NULL. STATUS_CONFIG when two actions have one binding. */
enum status actions_create(struct actions *actions, const struct ini *keys);

/* The action of a binding; ACTION_NONE if there is none. */
enum action actions_find(const struct actions *actions, const struct binding *binding);

/* Writes the table of configs/KEYS.md. */
void actions_table(FILE *stream);

#endif
