/* Small pictures beside the large one: the minimap, and the Julia set of the point under the hand.
 *
 * A thread of its own computes them directly, with one processor thread and no session, at a lower
 * priority than the window's. Each slot has one picture; its newest wish wins, and a picture under
 * way is given up for it. Views too deep for direct iteration come out flat: they are for shallow
 * ones. */
#ifndef RENDER_LIVE_ASIDE_H
#define RENDER_LIVE_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "render/live/live.h"

struct aside;

enum aside_slot { ASIDE_JULIA, ASIDE_MAP, ASIDE_SLOTS };

struct aside_wish { /* compared as a whole: the same wish again computes nothing */
    double centre_re, centre_im, zoom;
    int32_t width, height;
    int64_t limit; /* >= 1 */
    double bailout;
    struct formula formula;
    struct look_wish look;            /* by its own distribution */
    char palette[LIVE_PALETTE_BYTES]; /* a name */
};

/* assets: as in live_options; borrowed. wake: as live_wake_with; may be NULL. */
enum status aside_open(struct aside **aside, const char *assets, void (*wake)(void *context),
                       void *context);
void aside_close(struct aside *aside); /* accepts NULL; waits for a slice at most */

/* Any thread; never waits for a picture. */
void aside_ask(struct aside *aside, enum aside_slot slot, const struct aside_wish *wish);

/* Copies the newest finished picture of a slot into pixels[height][stride] (0xffRRGGBB) if it is
 * newer than *seen and of exactly this size; returns whether it did. */
bool aside_look(struct aside *aside, enum aside_slot slot, uint64_t *seen, uint32_t *pixels,
                int32_t width, int32_t height, int32_t stride);

#endif
