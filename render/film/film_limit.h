/* The iteration limit of a film's scene without a given one: chosen from small pictures, by the
 * rule of the viewer (render/live/limit.h). */
#ifndef RENDER_FILM_FILM_LIMIT_H
#define RENDER_FILM_FILM_LIMIT_H

#include <stdbool.h>

#include "render/film/film.h"

/* Raises *limit, 0 or a previous result, to the limit that one small picture needs, `most` at most;
 * the picture's own limit becomes the last that was tried. On rank 0, while the others are in
 * film_make. */
enum status film_limit_raise(struct renderer *renderer, struct picture *picture,
                             const volatile int *stop, int64_t most, int64_t *limit, bool *over);

/* Sets the limit of the scene's pictures: the largest that the beginning, the middle and the end of
 * its path need. On rank 0, while the others are in film_make; *over: as in film_explore. The
 * result is the same on any number of ranks and on all devices, as counts are. */
enum status film_limit(struct renderer *renderer, struct film *film, const struct film_hooks *hooks,
                       bool *over);

#endif
