/* Estimate of the time of a film, from samples of some of its pictures. */
#ifndef RENDER_FILM_FILM_ESTIMATE_H
#define RENDER_FILM_FILM_ESTIMATE_H

#include "render/film/film.h"
#include "render/picture/estimate.h"

struct film_estimate {
    struct estimate sum; /* reference_s: time before the first frame; files_s: time from a picture
                            to its frames, without the encoder's own work; 0 where whole frames are
                            sampled (windows: their number), which include it */
    int64_t pictures;    /* pictures to be computed: frames, or key pictures */
    int sampled;         /* sampled pictures; 0: the reference orbit was cut */
    bool over;           /* the other ranks have returned from film_make: no film_decline */
};

/* Estimates, on rank 0 instead of film_make; the caller calls film_decline then, unless `over`. */
enum status film_estimate(struct film_estimate *estimate, struct renderer *renderer,
                          const struct film *film, double budget_s, const volatile int *stop);

#endif
