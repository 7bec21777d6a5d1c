/* The identity of a film, by which its folder is known: all that decides its frames, a line each.
 */
#ifndef LIBRARY_FILM_FILM_IDENTITY_H
#define LIBRARY_FILM_FILM_IDENTITY_H

#include "library/config/config.h"
#include "library/settings/tour.h"
#include "render/film/film.h"

/* Freed by the caller; NULL without memory. */
char *film_identity(const struct config *config, const struct film *film, const struct tour *tour);

#endif
