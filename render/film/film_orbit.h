/* The reference orbit of a film's scene: that of its deepest picture, which serves all. */
#ifndef RENDER_FILM_FILM_ORBIT_H
#define RENDER_FILM_FILM_ORBIT_H

#include "render/film/film.h"
#include "render/reference/reference.h"

struct film_orbit { /* zeroed: no orbit */
    struct view deepest;
    struct reference reference;
    struct picture_orbit orbit; /* orbit member NULL: none is needed */
};

/* Makes the orbit. keys: read for FILM_KEYFRAMES only. Fails as picture_plan and reference_make;
 * film_orbit_close also after a failure. */
enum status film_orbit_make(struct film_orbit *orbit, const struct film *film,
                            const struct film_keys *keys, const struct renderer *renderer,
                            const struct reference_hooks *hooks);
void film_orbit_close(struct film_orbit *orbit);

#endif
