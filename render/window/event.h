/* Input events: one plain record for mouse, keys, fingers, gamepads and the window itself.
 *
 * No header of a window library is needed to read, make or test one. Positions are in pixels of the
 * output (render/window/window.h: window_size), x right, y down, from the window's upper left
 * corner; they may lie outside of it while a button or a finger is held. */
#ifndef RENDER_WINDOW_EVENT_H
#define RENDER_WINDOW_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum input_kind {
    INPUT_WAKE,       /* window_wake was called, or the picture must be drawn again: no input */
    INPUT_QUIT,       /* the window's close button, or the session ends */
    INPUT_RESIZE,     /* width, height: the new size of the output */
    INPUT_FOCUS_LOST, /* no key, button or finger is held any more: cancel their actions */
    INPUT_FOCUS_GAINED,
    INPUT_KEY_DOWN,    /* key, repeat, modifiers */
    INPUT_KEY_UP,      /* key, modifiers */
    INPUT_TEXT,        /* text: typed characters, after their key-down */
    INPUT_MOVE,        /* x, y: the mouse; held buttons in `buttons` */
    INPUT_LEAVE,       /* the mouse left the window */
    INPUT_BUTTON_DOWN, /* button, clicks, x, y, modifiers */
    INPUT_BUTTON_UP,   /* the same */
    INPUT_WHEEL,       /* wheel_x, wheel_y, x, y, modifiers */
    INPUT_FINGER_DOWN, /* finger, x, y */
    INPUT_FINGER_MOVE, /* the same */
    INPUT_FINGER_UP,   /* the same */
    INPUT_PAD_ADDED,   /* pad */
    INPUT_PAD_REMOVED, /* pad: none of its buttons is held any more */
    INPUT_PAD_DOWN,    /* pad, pad_button */
    INPUT_PAD_UP,      /* the same */
    INPUT_PAD_AXIS,    /* pad, axis, value */
    INPUT_DROP_FILE,   /* dropped: the path of a file that was dragged into the window */
    INPUT_DROP_TEXT,   /* dropped: a text that was dragged into the window */
    INPUT_KINDS
};

enum input_modifier { /* bits; left and right keys count as one */
                      INPUT_SHIFT = 1,
                      INPUT_CTRL = 2,
                      INPUT_ALT = 4,
                      INPUT_META = 8 /* the key with the logo */
};

enum input_button { INPUT_LEFT = 1, INPUT_MIDDLE, INPUT_RIGHT, INPUT_BACK, INPUT_FORWARD };

/* Keys. A key that types a character is that character as its cap shows it without Shift, letters
 * in lower case: 'a', '=', '/'. Keys of the number pad are '0' ... '9', '+', '-', '*', '/', '.'.
 * The others are above all characters: */
enum input_key {
    INPUT_KEY_NONE = 0,
    INPUT_KEY_SPACE = ' ',
    INPUT_KEY_FIRST = 0x110000,
    INPUT_KEY_ENTER = INPUT_KEY_FIRST,
    INPUT_KEY_ESCAPE,
    INPUT_KEY_TAB,
    INPUT_KEY_BACKSPACE,
    INPUT_KEY_INSERT,
    INPUT_KEY_DELETE,
    INPUT_KEY_HOME,
    INPUT_KEY_END,
    INPUT_KEY_PAGE_UP,
    INPUT_KEY_PAGE_DOWN,
    INPUT_KEY_ARROW_LEFT,
    INPUT_KEY_ARROW_RIGHT,
    INPUT_KEY_ARROW_UP,
    INPUT_KEY_ARROW_DOWN,
    INPUT_KEY_F1,
    INPUT_KEY_F12 = INPUT_KEY_F1 + 11,
    INPUT_KEY_PRINT,
    INPUT_KEY_PAUSE,
    INPUT_KEY_MENU,
    INPUT_KEY_SHIFT, /* the modifiers themselves, so that their key-up is an event */
    INPUT_KEY_CTRL,
    INPUT_KEY_ALT,
    INPUT_KEY_META,
    INPUT_KEY_LAST = INPUT_KEY_META
};

enum input_pad_button { /* the four buttons of the right hand by position, not by label */
                        INPUT_PAD_SOUTH,
                        INPUT_PAD_EAST,
                        INPUT_PAD_WEST,
                        INPUT_PAD_NORTH,
                        INPUT_PAD_SELECT,
                        INPUT_PAD_START,
                        INPUT_PAD_GUIDE,
                        INPUT_PAD_STICK_LEFT,
                        INPUT_PAD_STICK_RIGHT,
                        INPUT_PAD_SHOULDER_LEFT,
                        INPUT_PAD_SHOULDER_RIGHT,
                        INPUT_PAD_ARROW_UP,
                        INPUT_PAD_ARROW_DOWN,
                        INPUT_PAD_ARROW_LEFT,
                        INPUT_PAD_ARROW_RIGHT,
                        INPUT_PAD_BUTTONS
};

enum input_axis {
    INPUT_AXIS_LEFT_X, /* -1 ... 1, right and down are positive */
    INPUT_AXIS_LEFT_Y,
    INPUT_AXIS_RIGHT_X,
    INPUT_AXIS_RIGHT_Y,
    INPUT_AXIS_TRIGGER_LEFT, /* 0 ... 1 */
    INPUT_AXIS_TRIGGER_RIGHT,
    INPUT_AXES
};

enum { INPUT_TEXT_BYTES = 32 };

struct input_event {
    enum input_kind kind;
    double time_s;           /* time of the event, by clock_s of decomposition/thread/clock.h */
    double x, y;             /* output pixels */
    double wheel_x, wheel_y; /* notches or fractions of them; y > 0: away from the user */
    unsigned modifiers;      /* bits of enum input_modifier that are held */
    unsigned buttons;        /* bits 1 << enum input_button that are held */
    int button;              /* enum input_button, or a higher number */
    int clicks;              /* 1, 2 for the second of a double click, ... */
    int32_t key;             /* a character or enum input_key */
    bool repeat;             /* the key is being held */
    /* number of the finger, the same from down to up, unique among all touch screens */
    int64_t finger;
    int pad;                     /* 0, 1, ...: numbers of removed pads are not used again */
    int pad_button;              /* enum input_pad_button */
    int axis;                    /* enum input_axis */
    double value;                /* value of the axis */
    int32_t width, height;       /* pixels */
    char text[INPUT_TEXT_BYTES]; /* UTF-8, NUL-ended */
    const char *dropped;         /* borrowed until the next window_wait */
};

/* Name of a key for settings and help texts: "a", "plus", "page-up", "f1", "escape"; characters
 * that would be hard to read in a settings file have words. "" for a number that is no key. UTF-8,
 * borrowed until the thread's next call. */
const char *input_key_name(int32_t key);

/* Key of a name; INPUT_KEY_NONE for an unknown one. The inverse of input_key_name; ASCII letters in
 * either case, and every single character is its own name. */
int32_t input_key_find(const char *name);

/* Names of buttons and axes: "south", "shoulder-left", ...; "left-x", ...; NULL beyond the
 * lists. */
const char *input_pad_button_name(int pad_button);
const char *input_axis_name(int axis);

#endif
