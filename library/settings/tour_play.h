/* Playback of a tour: where it looks, on a clock that the caller reads. Pure.
 *
 * A flight goes straight to its stop where that is in sight, else out until both places are, and in
 * again (render/motion/film_path.h), steadily but for its ends. To another formula there is no way:
 * it begins above the stop and flies in. */
#ifndef LIBRARY_SETTINGS_TOUR_PLAY_H
#define LIBRARY_SETTINGS_TOUR_PLAY_H

#include <stdbool.h>

#include "library/settings/tour.h"
#include "render/motion/film_path.h"

enum tour_phase { TOUR_FLIES, TOUR_DWELLS, TOUR_ENDED };

struct tour_play {           /* zeroed: none */
    const struct tour *tour; /* borrowed; NULL: none */
    size_t stop;             /* index of the stop it flies to, or is at */
    enum tour_phase phase;
    double phase_s; /* since it began */
    bool paused;
    bool is_new; /* a flight has begun, and its first step is still to come */
    struct film_path path;
};

/* Begins the flight from what is seen to the first stop. */
enum status tour_begin(struct tour_play *play, const struct tour *tour, const struct place *from);

/* Begins the flight from what is seen to another stop: -1, 1, or 0 for the same again. Beyond the
 * last the tour ends, before the first is the first. */
enum status tour_go(struct tour_play *play, int by, const struct place *from);

/* Advances the clock; *place becomes what is to be seen, of the size that its view has. Returns
 * through *moved whether it is another view. After a delay a caller should not pass more than
 * TOUR_STEP_MOST_S, or it skips a flight. */
#define TOUR_STEP_MOST_S 0.25
enum status tour_step(struct tour_play *play, double elapsed_s, struct place *place, bool *moved);

const struct tour_stop *tour_at(const struct tour_play *play); /* NULL: none is played */
bool tour_is_at_end(const struct tour_play *play);             /* also when there is none */
void tour_end(struct tour_play *play);                         /* accepts a zeroed one */

#endif
