/* A film of the interface: its scenes, and what the pictures of each share. */
#ifndef LIBRARY_HANDLE_FILM_H
#define LIBRARY_HANDLE_FILM_H

#include "library/film/film_scenes.h"
#include "library/film/film_target.h"
#include "library/handle/handle.h"
#include "library/handle/program.h"
#include "render/film/film.h"
#include "render/film/film_colours.h"
#include "render/film/film_orbit.h"

struct film_shared { /* what the frames of a scene share */
    bool has_orbit;  /* the orbit was made, or none is needed */
    struct film_orbit orbit;
    struct film_colours colours; /* count 0: not measured */
};

struct deepfield_film {
    struct deepfield_world *world;
    int holders;          /* the caller and pictures */
    struct config config; /* settings that all frames share */
    struct film_scenes scenes;
    struct film_shared *shared;  /* [scenes.count] */
    struct film_target target;   /* what a call of deepfield_film_save has only planned */
    struct film_memory memory;   /* likewise */
    uint64_t planner;            /* number of the renderer that it was planned for */
    struct program_film program; /* what a program has given; zeroed: nothing */
};

/* A picture holds its film, until it is released. Release accepts NULL. */
struct deepfield_film *film_hold(struct deepfield_film *film);
void film_release(struct deepfield_film *film);

/* Begins a call of the other ranks, which are in film_make then. */
enum status film_ranks_begin(struct deepfield_renderer *renderer);

/* Finds what is open in the scenes (film_scenes_find), in such a call. */
enum status film_find(struct deepfield_film *film, struct deepfield_renderer *renderer, bool *over);

/* Makes the orbit that all frames of a scene share, if that is not done. *orbit NULL: none is
 * needed. */
enum status film_orbit_ready(struct deepfield_film *film, size_t scene,
                             struct deepfield_renderer *renderer,
                             const struct picture_orbit **orbit);

/* Puts the colours of a frame into its settings, where they are automatic; the first call measures
 * them along the path, by that orbit. */
enum status film_colours_put(struct deepfield_film *film, size_t scene,
                             const struct deepfield_renderer *renderer, double time_s,
                             struct config *config);

#endif
