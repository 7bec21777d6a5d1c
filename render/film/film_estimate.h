/* What a film would take, from samples of some of its pictures. */
#ifndef RENDER_FILM_FILM_ESTIMATE_H
#define RENDER_FILM_FILM_ESTIMATE_H

#include "render/film/film.h"
#include "render/picture/estimate.h"

struct film_estimate {
    struct estimate sum; /* reference_s: what comes before the first frame; files_s: what is done
                            with a picture to give its frames, without the encoder's own work; 0
                            where whole frames are sampled, with that (windows: so many) */
    int64_t pictures;    /* to be computed: frames, or key pictures */
    int sampled;         /* of them; 0: the reference orbit was cut */
    bool over;           /* the other ranks have left film_make: no film_decline */
};

/* Rank 0, instead of film_make; film_decline is to follow, unless it is over. */
enum status film_estimate(struct film_estimate *estimate, struct renderer *renderer,
                          const struct film *film, double budget_s, const volatile int *stop);

#endif
