/* The thread that computes reference orbits while the picture goes on, one orbit at a time; the
 * newest request stops the one under way.
 *
 * What comes out first is the orbit (orbit_maker_take), then how the errors of blocks grow, which
 * settled pictures need (orbit_maker_amplification). Both are what picture_render would have made.
 */
#ifndef RENDER_LIVE_ORBIT_MAKER_H
#define RENDER_LIVE_ORBIT_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decomposition/world/world.h"
#include "kernels/spec.h"
#include "render/live/shared_orbit.h"
#include "render/reference/reference.h"
#include "render/view/view.h"

struct orbit_maker;

struct orbit_request {
    uint64_t number; /* the caller's, rising */
    struct view view;
    struct view_numbers numbers;
    struct spec spec;
    double accuracy_px; /* of the settled picture */
};

struct orbit_made {  /* the orbit of a centre */
    uint64_t number; /* of its request */
    struct view view;
    double log2_step; /* of the picture it was made for */
    int64_t limit;
    double bailout;
    struct formula formula;
    struct shared_orbit *shared; /* held */
    long bits;
    int64_t steps;
    bool ended; /* it holds for any limit */
};

void orbit_made_destroy(struct orbit_made *made); /* accepts NULL */

struct orbit_progress {
    int64_t steps, most; /* it may end long before */
    double seconds;
};

/* wake: called on the maker's thread when there is news. cache: folder or NULL; borrowed. */
enum status orbit_maker_open(struct orbit_maker **maker, const struct world *world,
                             const char *cache, void (*wake)(void *context), void *context);
void orbit_maker_close(struct orbit_maker *maker); /* accepts NULL; waits for the thread */

/* Begins with this; copies. */
enum status orbit_maker_ask(struct orbit_maker *maker, const struct orbit_request *request);

/* Gives up what it is at. */
void orbit_maker_stop(struct orbit_maker *maker);

struct orbit_progress orbit_maker_progress(struct orbit_maker *maker);

/* The orbit of request `number`, once, if it is made: the caller destroys it. *made stays NULL
 * until then. Returns why it could not be made, text as status_text. */
enum status orbit_maker_take(struct orbit_maker *maker, uint64_t number, struct orbit_made **made);

/* Is the amplification of request `number` known? */
bool orbit_maker_amplification(struct orbit_maker *maker, uint64_t number, double *amplification);

#endif
