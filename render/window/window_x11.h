/* An X display beyond what SDL knows of it: window managers, and the end of the display or window.
 */
#ifndef RENDER_WINDOW_WINDOW_X11_H
#define RENDER_WINDOW_WINDOW_X11_H

#include <stdbool.h>

struct SDL_Window;

/* Does a window manager run? */
bool window_x11_is_managed(void);

/* From now on this is called when the display ends, and other errors of X11 end nothing. Before SDL
 * starts: it puts a handler before ours, and takes it away again before the last errors come. */
void window_x11_guard(void (*display_ended)(void));

/* Has somebody destroyed the window that was watched last? */
void window_x11_watch(struct SDL_Window *window);
bool window_x11_is_destroyed(void);

#endif
