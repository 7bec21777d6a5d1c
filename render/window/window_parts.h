/* What the files of the window share. Forward declarations keep SDL's headers out of here. */
#ifndef RENDER_WINDOW_WINDOW_PARTS_H
#define RENDER_WINDOW_WINDOW_PARTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "render/window/window.h"

enum {
    WINDOW_PADS_MAX = 16,
    WINDOW_QUEUE_MAX = 1 << 16 /* injected events that nobody has taken yet */
};

struct SDL_Window;
struct SDL_Renderer;
struct SDL_Texture;

struct window_pad {
    void *controller; /* SDL_GameController; NULL: free */
    int32_t instance; /* SDL's number of it */
    int number;       /* ours */
};

/* Events that did not come from SDL, in a ring. */
struct window_queue {
    pthread_mutex_t lock;
    pthread_cond_t filled; /* for who waits without a screen; on the monotonic clock */
    struct input_event *events;
    int capacity, first, count;
    bool wake; /* window_wake since the last event was taken */
};

struct window {
    struct SDL_Window *sdl;
    struct SDL_Renderer *renderer; /* NULL: the processor copies the frame into the window */
    struct SDL_Texture *texture;   /* of the frame; NULL while lost */
    bool alone;                    /* no screen: SDL has no events of its own, and sleeps badly */

    uint32_t *pixels; /* the frame, [height][width] */
    int32_t width, height;
    struct paint paint;
    struct paint_fonts *fonts;
    double ui_scale;

    bool covers;     /* it fills the screen without a window manager's help */
    int restored[4]; /* x, y, width, height before that; in units */

    struct window_queue queue;
    char *dropped; /* what the last event's `dropped` points to */
    struct window_pad pads[WINDOW_PADS_MAX];
    int pads_seen;
};

/* window_queue.c */
enum status window_queue_open(struct window *window);
void window_queue_close(struct window *window);
/* The next injected event; its text becomes the window's. False: none. */
bool window_queue_take(struct window *window, struct input_event *event);
/* Has window_wake been called since it was asked last? */
bool window_wake_take(struct window *window);
/* Until something may have come, or the time is over. */
void window_sleep(struct window *window, double until_s);

/* window_x11.c */
bool window_x11_is_managed(void);
/* From now on this is called when the display ends, and other errors of X11 end nothing. Before SDL
 * starts: it puts a handler before ours, and takes it away again before the last errors come. */
void window_x11_guard(void (*display_ended)(void));
/* Has somebody destroyed the window that was watched last? */
void window_x11_watch(struct SDL_Window *window);
bool window_x11_is_destroyed(void);

/* window_events.c */
void window_pads_close(struct window *window);

/* window_present.c */

/* Can the frame be copied into the window as it is? */
bool window_takes_pixels(struct window *window);
/* Makes frame and texture of the size that the output has now. */
enum status window_fit(struct window *window);
/* Pixels per unit that there is room for. */
double window_scale_within(const struct window *window);
/* The frame again, after the screen or the renderer forgot it. */
void window_show_again(struct window *window);
void window_texture_lost(struct window *window);

#endif
