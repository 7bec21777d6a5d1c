/* The thread that computes reference orbits while the picture goes on, one orbit at a time; the
 * newest request stops the one under way.
 *
 * The first result is the orbit (orbit_maker_take), then the amplification of the errors of blocks,
 * which settled pictures need (orbit_maker_amplification). Both are the same as in
 * picture_render. */
#ifndef RENDER_LIVE_ORBIT_MAKER_H
#define RENDER_LIVE_ORBIT_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decomposition/world/world.h"
#include "kernels/spec.h"
#include "render/worker/shared_orbit.h"
#include "render/reference/reference.h"
#include "render/view/view.h"

struct orbit_maker;

struct orbit_request {
    uint64_t number; /* number given by the caller, rising */
    struct view view;
    struct view_numbers numbers;
    struct spec spec;
    double accuracy_px; /* accuracy of the settled picture */
};

struct orbit_made {  /* orbit of a centre */
    uint64_t number; /* number of its request */
    struct view view;
    double log2_step; /* log2 of the step of its picture */
    int64_t limit;
    double bailout;
    struct formula formula;
    struct shared_orbit *shared; /* orbit, held */
    long bits;
    int64_t steps;
    bool ended; /* the orbit has ended, and holds for any limit */
};

void orbit_made_destroy(struct orbit_made *made); /* accepts NULL */

struct orbit_progress {
    int64_t steps, most; /* steps so far and at most; it may end long before */
    double seconds;
};

/* Opens. wake: called on the maker's thread when there is a result or progress. cache: folder or
 * NULL; borrowed. */
enum status orbit_maker_open(struct orbit_maker **maker, const struct world *world,
                             const char *cache, struct orbit_device device,
                             void (*wake)(void *context), void *context);
void orbit_maker_close(struct orbit_maker *maker); /* accepts NULL; waits for the thread */

/* Begins a request, which it copies. */
enum status orbit_maker_ask(struct orbit_maker *maker, const struct orbit_request *request);

/* Stops the request under way. */
void orbit_maker_stop(struct orbit_maker *maker);

struct orbit_progress orbit_maker_progress(struct orbit_maker *maker);

/* Takes the orbit of request `number`, once, when it is made: the caller destroys it. *made stays
 * NULL until then. Returns the failure if it could not be made, with its status_text. */
enum status orbit_maker_take(struct orbit_maker *maker, uint64_t number, struct orbit_made **made);

/* Is the amplification of request `number` known? Sets it then. */
bool orbit_maker_amplification(struct orbit_maker *maker, uint64_t number, double *amplification);

#endif
