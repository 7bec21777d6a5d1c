/* Films of tours: a scene for each stop, flown to as the viewer does, and its texts as subtitles.
 *
 * What the viewer shows beside the picture, the ranks at work (`tiles`, `workers`, `repeat`), is
 * not in a film. */
#ifndef LIBRARY_FILM_FILM_TOUR_H
#define LIBRARY_FILM_FILM_TOUR_H

#include <stdio.h>

#include "library/settings/tour.h"
#include "render/film/film.h"

/* Fills scene[0] ... scene[stops - 1]; scene[0] holds what all have in common. A stop without a
 * limit has the limit 0 (render/film/film_limit.h). Palettes are still to be set. Paths are the
 * caller's to destroy, also after a failure. STATUS_TOO_LARGE. */
enum status film_tour_scenes(const struct tour *tour, struct film *scene);

/* Writes all that decides the pictures of a tour; nothing for one without stops. False: no memory.
 */
bool film_tour_write(const struct tour *tour, FILE *stream);

/* The file of subtitles (.srt) that belongs to a video; freed by the caller. NULL: no memory. */
char *film_subtitles_path(const char *video);

/* The texts in a language, each from where its flight begins to where the stop ends. Replaces the
 * file. STATUS_CANNOT_CREATE, STATUS_IO. */
enum status film_tour_subtitles(const struct tour *tour, const struct film *scene,
                                const char *language, const char *path);

#endif
