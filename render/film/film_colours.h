/* The curves of a film's colours: the distributions of counts (render/colour/distribution.h)
 * measured along its path, smoothed, and interpolated, so that colours drift and do not flicker. */
#ifndef RENDER_FILM_FILM_COLOURS_H
#define RENDER_FILM_FILM_COLOURS_H

#include <stddef.h>

#include "render/colour/distribution.h"
#include "render/motion/film_path.h"

struct film_colours {
    size_t count;
    double *time_s, *way;              /* time and way of each measurement, rising; owned */
    struct distribution *distribution; /* owned */
    double *amplification; /* amplification of the errors of blocks; 0: direct iteration; owned */
};

/* Chooses times to measure: both ends and, at equal distances, at least one per doubling or halving
 * of the zoom or second in which the centre may move. The caller fills in distributions, then calls
 * film_colours_settle. */
enum status film_colours_open(struct film_colours *colours, const struct film_path *path);
void film_colours_close(struct film_colours *colours); /* accepts a zeroed one */

/* Reduces the times to at most `most`, 2 and more, at equal distances, for an estimate. */
void film_colours_thin(struct film_colours *colours, size_t most);

/* Fills missing measurements from their neighbours, and smooths: each becomes its mean with its
 * neighbours. */
void film_colours_settle(struct film_colours *colours);

/* Larger amplification of the two measurements around a time; 0 where one is unknown. */
double film_colours_amplification(const struct film_colours *colours, double time_s);

struct distribution film_colours_at(const struct film_colours *colours,
                                    const struct film_path *path, double time_s);

#endif
