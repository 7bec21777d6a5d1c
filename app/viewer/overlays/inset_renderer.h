/* Small pictures beside the large one: the minimap, and the Julia set of the point under the hand.
 *
 * A thread of its own renders them, on one processor thread and in a world of its own, at a lower
 * priority than the window's. Each slot has one picture; its newest request wins and cancels a
 * picture under way. */
#ifndef APP_VIEWER_OVERLAYS_INSET_RENDERER_H
#define APP_VIEWER_OVERLAYS_INSET_RENDERER_H

#include <stdbool.h>
#include <stdint.h>

#include "library/settings/place_text.h"

struct inset_renderer;

enum inset_slot { INSET_JULIA, INSET_MAP, INSET_SLOTS };

/* assets: folder that holds palettes/, in the folder of data. wake: called on any thread when there
 * is a new picture; may be NULL. */
enum status inset_renderer_open(struct inset_renderer **renderer, const char *assets,
                                void (*wake)(void *context), void *context);

/* Accepts NULL; waits for one slice of work at most. */
void inset_renderer_close(struct inset_renderer *renderer);

/* Requests the picture of a place, of the size of its view, with colours that fit it: the same
 * request again computes nothing. One that cannot be changes nothing. Thread: any; never waits for
 * a picture. */
void inset_renderer_ask(struct inset_renderer *renderer, enum inset_slot slot,
                        const struct place *place);

/* Copies the newest finished picture of a slot into pixels[height][width] (0xffRRGGBB) if it is
 * newer than *seen and of exactly this size; returns whether it did. */
bool inset_renderer_poll(struct inset_renderer *renderer, enum inset_slot slot, uint64_t *seen,
                         uint32_t *pixels, int32_t width, int32_t height);

#endif
