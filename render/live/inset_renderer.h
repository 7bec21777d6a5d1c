/* Small pictures beside the large one: the minimap, and the Julia set of the point under the hand.
 *
 * A thread of its own computes them directly, with one processor thread and no pool, at a lower
 * priority than the window's. Each slot has one picture; its newest request wins and cancels a
 * picture under way. Views too deep for direct iteration come out flat: insets are for shallow
 * ones. */
#ifndef RENDER_LIVE_INSET_RENDERER_H
#define RENDER_LIVE_INSET_RENDERER_H

#include <stdbool.h>
#include <stdint.h>

#include "render/live/live.h"

struct inset_renderer;

enum inset_slot { INSET_JULIA, INSET_MAP, INSET_SLOTS };

struct inset_request { /* compared as a whole: the same request again computes nothing */
    double centre_re, centre_im, zoom;
    int64_t mirrored; /* mirror of a view, 0 or 1; 64 bits, so that the struct has no padding */
    int32_t width, height;
    int64_t limit; /* >= 1 */
    double bailout;
    struct formula formula;
    struct look_options look;         /* look with the inset's own distribution */
    char palette[LIVE_PALETTE_BYTES]; /* name of the palette */
};

/* assets: as in live_options; borrowed. wake: as live_wake_with; may be NULL. */
enum status inset_renderer_open(struct inset_renderer **renderer, const char *assets,
                                void (*wake)(void *context), void *context);
void inset_renderer_close(
    struct inset_renderer *renderer); /* accepts NULL; waits for one slice of work at most */

/* Requests a picture. Thread: any; never waits for a picture. */
void inset_renderer_ask(struct inset_renderer *renderer, enum inset_slot slot,
                        const struct inset_request *request);

/* Copies the newest finished picture of a slot into pixels[height][stride] (0xffRRGGBB) if it is
 * newer than *seen and of exactly this size; returns whether it did. */
bool inset_renderer_poll(struct inset_renderer *renderer, enum inset_slot slot, uint64_t *seen,
                         uint32_t *pixels, int32_t width, int32_t height, int32_t stride);

#endif
