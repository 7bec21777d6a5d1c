/* Measurement of the time of a scene's frames: some of them, evenly along it, are computed as those
 * of the film will be, and dropped. */
#ifndef RENDER_FILM_FILM_TIMING_H
#define RENDER_FILM_FILM_TIMING_H

#include "render/film/film.h"
#include "render/picture/estimate.h"

struct film_timing {
    int frames;     /* frames computed; 0: they take too long, and no time is set */
    double begin_s; /* time before the first frame: orbit, colours, devices */
    double frame_s; /* time per frame, with its conversion for the file beside the next ones */
    double error;   /* relative error of frame_s: one standard deviation */
    bool over;      /* a picture of all ranks has failed: the others have returned from film_make */
};

/* Measures on rank 0 a film of FILM_FRAMES, while the others are in film_make. `sum` tells whether
 * the reference orbit was cut, which is no failure. */
enum status film_time(struct film_timing *timing, struct estimate *sum, struct renderer *renderer,
                      const struct film *film, double budget_s, const volatile int *stop);

#endif
