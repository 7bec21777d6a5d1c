/* Measures what a film's colours follow from: small pictures along its path, computed on the cores
 * of this process, several at once, each by one of them. One alone would keep the others waiting
 * for its blocks and for its longest orbit; GPUs are opened meanwhile. */
#ifndef RENDER_FILM_FILM_COLOURS_MEASURE_H
#define RENDER_FILM_FILM_COLOURS_MEASURE_H

#include "render/film/film.h"
#include "render/film/film_colours.h"

struct film_colours_order {
    const struct film *film;           /* all borrowed */
    const struct picture_orbit *orbit; /* its orbit NULL: none is needed */
    int threads;                       /* at most; 0: a core each */
    const volatile int *stop;
    /* After each picture, one at a time, on any thread. */
    void (*measured)(void *context, const struct picture_report *report);
    void *context;
};

/* Fills in distributions and amplifications of `colours`, which film_colours_open has made. The
 * same for any number of threads. Fails as picture_render, with what has failed first. */
enum status film_colours_measure(const struct film_colours_order *order,
                                 struct film_colours *colours);

/* The colours of a frame at that time, by what was measured and settled: */
void film_look_parts(const struct film *film, const struct film_colours *colours, double time_s,
                     struct look_options *options, struct distribution *distribution);
void film_look(const struct film *film, const struct film_colours *colours, double time_s,
               struct look *look);

/* Light of a picture, [height][width], which the caller frees: the report's, which has none then,
 * or of the pixels' centres alone. */
enum status film_light(struct picture_report *report, const struct look *look,
                       const struct field *field, float (**light)[3]);

#endif
