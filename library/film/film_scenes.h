/* The scenes of a film, as settings describe them: the path of each, and what its frames share.
 *
 *     film_scenes_create, or film_scenes_between; film_scenes_find; film_scenes_destroy
 *
 * A path leads from one zoom to another, through a file of keyframes (film.path), where the
 * autopilot flies (film.autopilot), from one picture to another, or to each stop of a tour
 * (film.tour), which is a scene. */
#ifndef LIBRARY_FILM_FILM_SCENES_H
#define LIBRARY_FILM_FILM_SCENES_H

#include <stdbool.h>
#include <stddef.h>

#include "library/config/config.h"
#include "library/settings/tour.h"
#include "render/film/film.h"

struct film_scenes {    /* owned; zeroed: none */
    struct film *scene; /* [count], each with the next; file, colours and method: film_target.h */
    size_t count;
    struct tour tour;   /* its stops; none of other films */
    size_t stops_left;  /* stops of the tour that show ranks at work, and are left out */
    bool limit_follows; /* the autopilot may raise the limit; set by the caller */
    bool found;         /* nothing is left to film_scenes_find */
};

/* Scenes of the settings alone. film_scenes_destroy also after a failure. STATUS_CONFIG for keys
 * that say two paths; fails as settings_picture, path_file_read and tour_load. */
enum status film_scenes_create(struct film_scenes *scenes, const struct config *config);

/* The scene between two pictures; all but its first view are settings of `to`. */
enum status film_scenes_between(struct film_scenes *scenes, const struct config *from,
                                const struct config *to);

/* Finds what small pictures decide: the autopilot's path, and limits of stops that have none. On
 * rank 0, while the others are in film_make; *over: as in film_explore. */
enum status film_scenes_find(struct film_scenes *scenes, const struct config *config,
                             struct renderer *renderer, const volatile int *stop, bool *over);

void film_scenes_destroy(struct film_scenes *scenes);

#endif
