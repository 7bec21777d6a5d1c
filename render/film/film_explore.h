/* The path of a film that the autopilot flies, steered by small pictures along the way. */
#ifndef RENDER_FILM_FILM_EXPLORE_H
#define RENDER_FILM_FILM_EXPLORE_H

#include <stdbool.h>

#include "render/film/film.h"

struct film_exploration {
    uint64_t seed;
    double seconds;
    const struct view *begin;   /* view where it begins; its size is that of frames */
    const char *zoom_most;      /* zoom at which it reverses */
    bool limit_follows;         /* the film's limit is raised to that of pictures on the way */
    struct film_keyframe shade; /* offset, relief and the like of all keyframes */
};

/* Adds keyframes to the film's path, which is empty, from the rest of the film. On rank 0, while
 * the others are in film_make; *over: they have returned from it, so neither film_make nor
 * film_decline may be called. The result is the same on any number of ranks and on all devices, as
 * counts are. */
enum status film_explore(struct renderer *renderer, struct film *film,
                         const struct film_exploration *exploration, const struct film_hooks *hooks,
                         bool *over);

#endif
