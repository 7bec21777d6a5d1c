/* How long the frames of a scene take: some of them, evenly along it, are computed as those of the
 * film will be, and dropped. */
#ifndef RENDER_FILM_FILM_TIMING_H
#define RENDER_FILM_FILM_TIMING_H

#include "render/film/film.h"
#include "render/picture/estimate.h"

struct film_timing {
    int frames;     /* that were computed; 0: they are too dear for that, and no time is set */
    double begin_s; /* before the first: orbit, colours, devices */
    double frame_s; /* of each, with what makes it ready for the file beside the next ones */
    double error;   /* of that, relative: one standard deviation */
    bool over;      /* a picture of all ranks has failed: the others have left film_make */
};

/* Rank 0, of FILM_FRAMES; the others film_make. `sum` says whether the reference orbit was cut,
 * which is no failure either. */
enum status film_time(struct film_timing *timing, struct estimate *sum, struct renderer *renderer,
                      const struct film *film, double budget_s, const volatile int *stop);

#endif
