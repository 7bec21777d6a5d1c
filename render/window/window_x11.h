/* Facts about an X display that SDL does not provide: window managers, and the end of the display
 * or window. */
#ifndef RENDER_WINDOW_WINDOW_X11_H
#define RENDER_WINDOW_WINDOW_X11_H

#include <stdbool.h>

struct SDL_Window;

/* Is a window manager running? */
bool window_x11_is_managed(void);

/* Sets the function that is called when the display ends; other errors of X11 no longer end the
 * program. To be called before SDL starts, which puts its handler before ours and removes it before
 * the last errors come. */
void window_x11_guard(void (*display_ended)(void));

/* Watches a window, and tells whether another program has destroyed the one watched last. */
void window_x11_watch(struct SDL_Window *window);
bool window_x11_is_destroyed(void);

#endif
