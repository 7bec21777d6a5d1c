/* One window, by SDL2: output of pixels, and input of the user.
 *
 * All calls are made by one thread, which need not be the main one; the exceptions say so. The
 * window owns a frame of the output's size: the caller draws into it (render/window/paint.h) and
 * presents it. After the window was obscured or a device lost, the window shows that frame again by
 * itself. */
#ifndef RENDER_WINDOW_WINDOW_H
#define RENDER_WINDOW_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "render/disk/atomic_file.h"
#include "render/window/event.h"
#include "render/window/paint.h"

struct window;

enum window_screen { WINDOW_NORMAL, WINDOW_FULLSCREEN };
enum window_user {
    WINDOW_PERSON,
    WINDOW_SCRIPT, /* may run without a screen */
    WINDOW_NOBODY  /* has none, whatever there is: others are shown the frame */
};

struct window_options {
    const char *title;
    int32_t width, height; /* size of the window, in the desktop's units; 0: 1280 x 720 */
    enum window_screen screen;
    enum window_user user;
    int display;      /* number of the screen, from 1; 0: where the desktop puts the window */
    bool kiosk;       /* grabs the keyboard and stays on top: the user cannot leave it */
    bool software;    /* draw without a GPU even where there is one */
    double ui_scale;  /* 1 ... 4; 0: guessed from the screen */
    const char *font; /* path of the TrueType font of all text */
    /* Called when the X display has ended, or has closed the connection of the window. On any
     * thread, inside of libX11, which calls exit() if this returns, while other threads run: it
     * should end the program by _exit(). NULL: libX11 prints a line, and exits. */
    void (*display_ended)(void);
    const char *pads; /* path of a gamecontrollerdb.txt; NULL or absent: SDL's own list */
};

enum { WINDOW_SIDE_MAX = 16384 }; /* largest width and height; SDL opens no larger window */
enum { WINDOW_UI_SCALE_MIN = 1, WINDOW_UI_SCALE_MAX = 4 };

/* Least size of a window in units: in a window that is too small the text is smaller. */
enum { WINDOW_UNITS_WIDE = 320, WINDOW_UNITS_HIGH = 200 };

/* Opens a window. STATUS_NO_DEVICE with the remedy: no display, an invisible one (SDL's
 * "offscreen"; "dummy", unless the user is a script), or no screen of that number. STATUS_NO_INPUT:
 * no font. On failure *window is NULL. SDL handles no signals. One window at a time. */
enum status window_open(struct window **window, const struct window_options *options);
void window_close(struct window *window); /* accepts NULL */

/* Names of driver and renderer for the report: "x11", "wayland", "dummy"; "opengl", "software".
 * Valid until the next window_open. */
const char *window_driver(const struct window *window);
const char *window_renderer(const struct window *window);

/* ---- input ---- */

/* Waits for the next event, at most timeout_s seconds; < 0: without limit, 0: not at all. False:
 * none came. Uses no processor while it sleeps. */
bool window_wait(struct window *window, double timeout_s, struct input_event *event);

/* Checks the window: STATUS_SYSTEM if another program destroyed it. When the whole X display ends,
 * no call returns (display_ended). */
enum status window_check(const struct window *window);

/* Makes window_wait return soon with INPUT_WAKE, once for all calls before that. Any thread, from
 * window_open to window_close. Never blocks. */
void window_wake(struct window *window);

/* Puts an event, copied with the text of `dropped`, behind those in the queue. kind, positions and
 * the rest as for a user's input; time_s 0 becomes now. INPUT_RESIZE asks for a window of that many
 * output pixels. Any thread. False: the queue is full or there is no memory. */
bool window_inject(struct window *window, const struct input_event *event);

/* Text of the clipboard, freed by the caller; NULL: none. Under WINDOW_SCRIPT without a screen the
 * clipboard is the program's own. */
char *window_clipboard(struct window *window);
enum status window_set_clipboard(struct window *window, const char *text);

/* ---- the window ---- */

/* Size of the frame in pixels. Changes only within window_wait, which then returns INPUT_RESIZE. */
void window_size(const struct window *window, int32_t *width, int32_t *height);

double window_ui_scale(const struct window *window);           /* as requested */
void window_set_ui_scale(struct window *window, double scale); /* clamped */
void window_set_screen(struct window *window, enum window_screen screen);
enum window_screen window_screen(const struct window *window);

/* Shows or hides the cursor over the window; shown at first. */
void window_set_cursor(struct window *window, bool shown);

/* Sets whether keys are typed into a text box: then input methods may take them, as for Chinese, a
 * keyboard may appear on the screen, and INPUT_TEXT comes; else, as at first, every key is a
 * command. */
void window_set_typing(struct window *window, bool typing);

/* ---- output ---- */

/* Painter of the frame, with its size and scale. Borrowed until the next call of window_wait;
 * pixels are 0xAARRGGBB and keep their values from present to present, except after INPUT_RESIZE;
 * alpha is ignored. */
struct paint *window_paint(struct window *window);

enum { WINDOW_BOXES = 128 };

/* Shows the frame, of which only these boxes have changed since the last time; count 0, or more
 * than WINDOW_BOXES: all of it.
 * Waits for the screen where the renderer can. STATUS_SYSTEM if the renderer is lost for good. */
enum status window_present(struct window *window, const struct paint_box *changed, int count);

/* Seconds of the last window_present in which it copied pixels to the texture or window. */
double window_upload_s(const struct window *window);

/* Reads back the last presented frame, [height][stride], 0xffRRGGBB: from the renderer or the
 * window's memory, so that a test sees what a user sees. Without a GPU the bits are those of the
 * frame. */
enum status window_read(struct window *window, uint32_t *pixels, int32_t stride);

/* Writes the last presented frame as a PNG. STATUS_CANNOT_CREATE, STATUS_IO. */
enum status window_capture(struct window *window, const char *path, enum overwrite overwrite);

#endif
