/* Measurement for a film's colours: small pictures along its path, several at once, each computed
 * by one core of this process. All cores on one picture would wait for its blocks and its longest
 * orbit; GPUs are opened meanwhile. */
#ifndef RENDER_FILM_FILM_COLOURS_MEASURE_H
#define RENDER_FILM_FILM_COLOURS_MEASURE_H

#include "render/film/film.h"
#include "render/film/film_colours.h"

struct film_colours_order {
    const struct film *film;           /* all borrowed */
    const struct picture_orbit *orbit; /* orbit member NULL: none is needed */
    int threads;                       /* most threads; 0: one per core */
    const volatile int *stop;
    /* Called after each picture, one call at a time, on any thread. */
    void (*measured)(void *context, const struct picture_report *report);
    void *context;
};

/* Fills in distributions and amplifications of `colours`, which film_colours_open has made. The
 * result does not depend on the number of threads. Fails as picture_render, with the first
 * failure. */
enum status film_colours_measure(const struct film_colours_order *order,
                                 struct film_colours *colours);

/* Colours of a frame at that time, from the settled measurements: */
void film_look_parts(const struct film *film, const struct film_colours *colours, double time_s,
                     struct look_options *options, struct distribution *distribution);
void film_look(const struct film *film, const struct film_colours *colours, double time_s,
               struct look *look);

/* Light of a picture, [height][width], which the caller frees: taken from the report, or computed
 * from the pixels' centres. */
enum status film_light(struct picture_report *report, const struct look *look,
                       const struct field *field, float (**light)[3]);

#endif
