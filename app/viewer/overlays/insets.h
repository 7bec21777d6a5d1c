/* The insets over the picture: a map of where this is, and the Julia set of the point under the
 * pointer, or the point in the Mandelbrot set that a Julia set belongs to. Their pixels are
 * computed by inset_renderer.h. */
#ifndef APP_VIEWER_OVERLAYS_INSETS_H
#define APP_VIEWER_OVERLAYS_INSETS_H

#include <stdbool.h>

#include "app/viewer/overlays/inset_renderer.h"
#include "render/view/view_motion.h"
#include "render/window/paint.h"

struct insets {
    struct inset_renderer *renderer;
    struct inset {
        uint32_t *pixels;
        int32_t width, height;
        uint64_t seen;
        bool there;
        enum formula_plane kind; /* plane that it shows */
        struct view map;         /* view that it shows, if that is all of a set */
    } inset[INSET_SLOTS];
};

struct insets_shown {
    const struct place *place; /* place of the picture */
    double pointer_x, pointer_y;
    bool map;   /* shows where the picture is in its set */
    bool julia; /* shows the Julia set under the pointer */
    bool seed;  /* shows where the c of this Julia set is */
};

enum status insets_open(struct insets *insets, const char *assets, void (*wake)(void *context),
                        void *context);
void insets_close(struct insets *insets); /* accepts a zeroed one */

/* Requests the insets that are shown. */
void insets_ask(struct insets *insets, const struct insets_shown *shown, const struct paint *paint);

/* Receives insets that have been computed; returns whether there is a new one. */
bool insets_poll(struct insets *insets);

void insets_draw(const struct insets *insets, const struct insets_shown *shown,
                 struct paint *paint);

#endif
