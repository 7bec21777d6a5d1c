/* Which pixels does the user see? The newest picture where it is there already, and the one before
 * it, carried along with the view, where it is not.
 *
 * The picture before is the last one that had a colour everywhere. Where even that is missing,
 * as after a long way out, there is WARP_NEUTRAL. One thread. */
#ifndef APP_VIEWER_GLASS_H
#define APP_VIEWER_GLASS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/formula.h"
#include "render/live/live.h"
#include "render/warp.h"

enum { GLASS_ASKED = 64 };

struct glass_sight { /* what a picture is of */
    struct view view;
    struct formula formula;
};

struct glass {
    struct live_pixels base;       /* the newest picture */
    struct glass_sight base_sight; /* unknown while base.picture is 0 */
    bool covered;                  /* base has a colour everywhere */
    double done;                   /* of base */
    struct warp_image old;         /* the picture before; NULL pixels: none */
    struct glass_sight old_sight;
    struct warp_image scene; /* what is seen */
    struct warp_image half;  /* the same, of half the size both ways, where there is no time */
    bool rough;              /* the scene was made of it */
    bool scene_holds_base;   /* it is base, pixel for pixel, over old */
    bool carried;            /* it is old, carried along to carried_sight, and the pixels that */
    uint64_t carried_base;   /* this picture had over it: what comes goes on top of that */
    struct glass_sight carried_sight;
    struct glass_asked { /* the wishes that pictures may come for */
        uint64_t serial;
        struct glass_sight sight;
    } asked[GLASS_ASKED];
    int asked_next;
};

/* A picture and a scene of this size; what was seen stays, as the picture before. */
enum status glass_resize(struct glass *glass, int32_t width, int32_t height);
void glass_destroy(struct glass *glass); /* accepts a zeroed one */

/* A wish is about to be posted. */
enum status glass_asked(struct glass *glass, const struct live_wish *wish);

/* Fetches what is new from the engine; *pixels: was there a new pixel? */
enum status glass_look(struct glass *glass, struct live *live, struct live_state *state,
                       bool *pixels);

/* Makes the scene as seen from a view of the scene's size. Cost on one core for 1920 x 1080: 4 ms;
 * turned 6 ms, or 3 with GLASS_FAST, which shows squares of two pixels where a picture is turned or
 * large for the cores that there are. Of a view seen before only new pixels are laid on top. */
enum glass_care { GLASS_FINE, GLASS_FAST };
enum status glass_compose(struct glass *glass, const struct view *view,
                          const struct formula *formula, enum glass_care care);

/* Do the scene's pixels stand for this very view, all of them from the newest picture? */
bool glass_is_exact(const struct glass *glass);

#endif
