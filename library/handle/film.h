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
    bool ready;           /* the following are there */
    struct film_orbit orbit;
    struct film_colours colours;
};

/* A picture holds its film, until it is released. Release accepts NULL. */
struct deepfield_film *film_hold(struct deepfield_film *film);
void film_release(struct deepfield_film *film);

/* Makes the orbit and measures the colours that all frames share, if that is not done. */
enum status film_ready(struct deepfield_film *film, struct deepfield_renderer *renderer);

/* Puts the colours of a frame into its settings, where they are automatic. */
enum status film_colours_put(const struct deepfield_film *film, double time_s,
                             struct config *config);

#endif
