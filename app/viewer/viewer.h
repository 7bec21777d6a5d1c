/* The loop of the viewer: input becomes views, views become requests to the engine, and the screen
 * shows the best there is, all the time.
 *
 * It runs on a thread of its own, which makes all calls of render/window/. It waits for input, for
 * news of the engine and for nothing else: what takes long is done by the I/O thread, the inset
 * renderer and the engine. While nothing happens it sleeps. */
#ifndef APP_VIEWER_VIEWER_H
#define APP_VIEWER_VIEWER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/config.h"
#include "app/viewer/figures.h"
#include "app/viewer/place_text.h"
#include "app/viewer/script.h"
#include "decomposition/world.h"
#include "render/live/live.h"
#include "render/picture.h"
#include "render/window/window.h"

struct viewer_options { /* all borrowed, to the end of viewer_run */
    struct live *live;
    struct world *world;         /* for scripts that compare with a rendered picture */
    const struct config *config; /* the settings of everything that a place does not say */
    const char *assets;
    struct window_options window;
    struct picture picture;    /* short-cuts, for comparisons; the rest is not read */
    const struct place *place; /* where it begins */
    const struct place
        *unsaid;              /* what holds where a text says nothing: no view of it is looked at */
    const struct place *home; /* where Home leads, and what is shown there */
    int samples;
    bool reduced_motion;
    const struct script *script; /* NULL: a person */
    const volatile int *stop;    /* non-zero: end */
};

/* Until the user quits, the script ends, or something is wrong with the window. Fills `figures`.
 * STATUS_INTERNAL when an expectation of the script was not met, with the first one. */
enum status viewer_run(const struct viewer_options *options, struct figures *figures);

#endif
