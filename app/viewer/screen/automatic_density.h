/* Automatic density in the window. While a hand moves the colours stay as they are: each view's own
 * would flicker; in a flight, which lasts, they drift after those of the pictures. When its picture
 * has settled they glide to those that the picture has in a file. Pure. */
#ifndef APP_VIEWER_SCREEN_AUTOMATIC_DENSITY_H
#define APP_VIEWER_SCREEN_AUTOMATIC_DENSITY_H

#include <stdbool.h>
#include <stdint.h>

#include "include/deepfield/deepfield.h"
#include "library/settings/place_text.h"
#include "render/colour/distribution.h"

struct automatic_density {
    uint64_t seen; /* deepfield_live_state.measured of the measurement that the place's distribution
                      is, or glides to; DENSITY_UNSEEN: none */
    uint64_t
        drifted; /* deepfield_live_state.measured of the last one that a flight drifted towards */
    bool soon;   /* another place is shown: colours change at once, from the coarse pixels */
    bool glides;
    struct distribution from, to;
    double begun_s, stepped_s;
    double log2_zoom;         /* zoom of the view in a flight; set by the caller */
    double drifted_log2_zoom; /* log2_zoom at the last drift of this flight; NAN: none yet */
};

#define DENSITY_UNSEEN UINT64_MAX

enum automatic_density_sight {
    DENSITY_MOVES,  /* a hand moves the view, or another view has not been requested yet */
    DENSITY_FLIES,  /* the view moves steadily, for long */
    DENSITY_OTHER,  /* the state is that of another picture than the one wanted */
    DENSITY_WANTED, /* the state is that of the picture wanted */
    DENSITY_AT_ONCE /* DENSITY_WANTED with reduced motion: nothing glides */
};

/* Notes that the distribution of the place was replaced, and is none that was measured for the
 * picture, not even if the picture stays the same. at_once: another place is shown. */
void automatic_density_renew(struct automatic_density *density, bool at_once);

/* Moves the distribution of the place towards the measured one of the picture, measurement
 * `measured` of the state. Returns whether it
 * has changed; *wake_s becomes earlier where there is more to do. */
bool automatic_density_step(struct automatic_density *density, struct place *place,
                            const deepfield_live_state *state, const struct distribution *measured,
                            enum automatic_density_sight sight, double now_s, double *wake_s);

#endif
