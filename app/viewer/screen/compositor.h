/* The compositor of the pixels that the user sees: the newest picture where it has pixels already,
 * and the one before it, carried along with the view, elsewhere.
 *
 * In a flight the picture before stays on top until the newest one is as fine, for as long as it is
 * no older than COMPOSITOR_STALE_S: so pixels do not become coarse again with each new picture.
 * What was seen of both is then the picture before the next, so that rims stay filled.
 *
 * The picture before is the last one that had a colour everywhere. Where even that is missing,
 * as after a long way out, there is WARP_NEUTRAL. One thread. */
#ifndef APP_VIEWER_SCREEN_COMPOSITOR_H
#define APP_VIEWER_SCREEN_COMPOSITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "include/deepfield/deepfield.h"
#include "kernels/formula.h"
#include "render/motion/changed_blocks.h"
#include "render/motion/warp.h"

enum { COMPOSITOR_ASKED = 64, COMPOSITOR_BOXES = 64 };

/* The image that has the pixels of the last composed picture. */
enum compositor_shown {
    COMPOSITOR_SHOWN_FRAME, /* none but the caller's frame */
    COMPOSITOR_SHOWN_BASE,
    COMPOSITOR_SHOWN_OLD,
    COMPOSITOR_SHOWN_OUTPUT
};

struct compositor_sight { /* subject of a picture */
    struct view view;
    struct formula formula;
    double asked_s; /* when it was requested */
    int stride;     /* finest pixel spacing known everywhere; 0: none */
};

/* Statistics of the pixels of the output. */
struct compositor_layers {
    double missing;            /* share of the pixels that no picture reaches */
    double stale;              /* share requested more than COMPOSITOR_STALE_S ago */
    double coarse_8, coarse_4; /* shares coarser than every 8th, 4th pixel of the output */
    double coarsest_px;        /* coarsest pixel spacing of a picture in the middle */
    double misplaced_px;       /* greatest error of a pixel's position by rounding */
};
#define COMPOSITOR_STALE_S 0.1

struct compositor {
    deepfield_live_pixels base;         /* the newest picture */
    struct compositor_sight base_sight; /* unknown while base.picture is 0 */
    bool covered;                       /* base has a colour everywhere */
    double done;                        /* finished share of base, 0 ... 1 */
    struct warp_image old;              /* the picture before; NULL pixels: none */
    struct compositor_sight old_sight;
    struct warp_image output; /* composed picture, where it is needed again */
    enum compositor_shown shown;
    struct warp_image half; /* the image at half the size, where there is no time for more */
    bool rough;             /* the output was made from `half` */
    struct placement at[2]; /* where old and base lie in the output; scale 0: not seen */
    bool old_above;         /* old lies over base, which is coarser still */
    double flight_s;        /* time of the flight now; 0: the view does not move steadily */
    bool joined;            /* the output was made of both during a flight */
    struct compositor_sight joined_sight; /* view of that output; age, stride of the top picture */
    bool output_holds_base;               /* base is shown, pixel for pixel, over old */
    bool carried;          /* the output is old, warped to carried_sight, under carried_base */
    uint64_t carried_base; /* number of the picture whose new pixels are laid on top */
    struct compositor_sight carried_sight;
    struct compositor_asked { /* requests whose pictures may arrive */
        uint64_t serial;
        struct compositor_sight sight;
    } asked[COMPOSITOR_ASKED];
    int asked_next;
};

/* Resizes picture and output; what was seen stays, as the picture before. */
enum status compositor_resize(struct compositor *compositor, int32_t width, int32_t height);
void compositor_destroy(struct compositor *compositor); /* accepts a zeroed one */

/* Notes a request that was posted. */
enum status compositor_asked(struct compositor *compositor, uint64_t serial,
                             const struct view *view, const struct formula *formula, double now_s);

/* FAST: a hand moves, and nothing may take time that the next frame does not show. */
enum compositor_care { COMPOSITOR_FINE, COMPOSITOR_FAST };

/* Fetches new pixels from the engine; *pixels: was there one? With COMPOSITOR_FAST those of a
 * picture that has no colour everywhere are left for COMPOSITOR_PARTIAL_S: the view has moved on
 * when they would be shown. */
enum status compositor_poll(struct compositor *compositor, deepfield_live *live,
                            deepfield_live_state *state, enum compositor_care care, bool *pixels);
#define COMPOSITOR_PARTIAL_S 0.1

/* Makes the picture as seen from a view, in a frame of the view's size, which may be the output.
 * Cost on one core for 1920 x 1080: 4 ms; rotated 6 ms, or 3 with COMPOSITOR_FAST, which shows
 * squares of two pixels where a picture is rotated or large for the cores that there are. For the
 * view of the last picture only new pixels are laid on top. */
enum status compositor_compose(struct compositor *compositor, const struct view *view,
                               const struct formula *formula, enum compositor_care care,
                               struct warp_image *frame);

/* Brings a frame up to date that still has the last composed picture, where only the newest picture
 * is seen of this same view: copies what is new of it. Returns the number of boxes that it has
 * written; -1: the picture must be composed. */
int compositor_update(struct compositor *compositor, const struct view *view,
                      const struct formula *formula, struct warp_image *frame,
                      struct changed_box boxes[COMPOSITOR_BOXES]);

/* The last composed picture, without overlays; valid until the next compositor_poll. False: only
 * the frame had it. */
bool compositor_image(const struct compositor *compositor, struct warp_image *image);

/* Statistics of the output now. Rotated pictures are counted as if they were not. */
struct compositor_layers compositor_layers(const struct compositor *compositor, double now_s);

#endif
