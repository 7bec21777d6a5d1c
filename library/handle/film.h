/* A film of the interface: the path, and what its pictures share. */
#ifndef LIBRARY_HANDLE_FILM_H
#define LIBRARY_HANDLE_FILM_H

#include "library/handle/handle.h"
#include "render/film/film.h"
#include "render/film/film_colours.h"
#include "render/film/film_orbit.h"

struct deepfield_film {
    struct deepfield_world *world;
    int holders;          /* the caller and pictures */
    struct config config; /* settings that all frames share */
    struct film film;     /* its path, and the picture that its frames are like */
    bool has_orbit;       /* the orbit was made, or none is needed */
    struct film_orbit orbit;
    struct film_colours colours; /* count 0: not measured */
};

/* A picture holds its film, until it is released. Release accepts NULL. */
struct deepfield_film *film_hold(struct deepfield_film *film);
void film_release(struct deepfield_film *film);

/* Makes the orbit that all frames share, if that is not done. */
enum status film_orbit_ready(struct deepfield_film *film, struct deepfield_renderer *renderer);

/* Puts the colours of a frame into its settings, where they are automatic; the first call measures
 * them along the path, by that orbit. */
enum status film_colours_put(struct deepfield_film *film, const struct deepfield_renderer *renderer,
                             double time_s, struct config *config);

#endif
