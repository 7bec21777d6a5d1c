/* The curves of a film's colours: the distributions of counts (render/colour/distribution.h)
 * measured along its path, smoothed, and interpolated, so that colours drift and do not flicker. */
#ifndef RENDER_FILM_FILM_COLOURS_H
#define RENDER_FILM_FILM_COLOURS_H

#include <stddef.h>

#include "render/colour/distribution.h"
#include "render/film/film_path.h"

struct film_colours {
    size_t count;
    double *time_s, *way;              /* of each, rising; owned */
    struct distribution *distribution; /* owned */
    double *amplification;             /* of the errors of blocks; 0: direct iteration; owned */
};

/* Where to measure: at both ends and, as far apart as each other, at least wherever the zoom has
 * doubled or halved, or a second has gone by in which the centre may have moved. Distributions are
 * to be filled in, and then settled. */
enum status film_colours_open(struct film_colours *colours, const struct film_path *path);
void film_colours_close(struct film_colours *colours); /* accepts a zeroed one */

/* Leaves of the places to measure at most so many, 2 and more, as far apart: of an estimate. */
void film_colours_thin(struct film_colours *colours, size_t most);

/* What was not measured is as its neighbours are, and each becomes its mean with them. */
void film_colours_settle(struct film_colours *colours);

/* The greater of the two about a time; 0 where one is not known. */
double film_colours_amplification(const struct film_colours *colours, double time_s);

struct distribution film_colours_at(const struct film_colours *colours,
                                    const struct film_path *path, double time_s);

#endif
