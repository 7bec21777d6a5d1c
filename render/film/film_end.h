/* The end of a film whose frames are made: the report of measurements, the joining of all segments,
 * and the name. */
#ifndef RENDER_FILM_FILM_END_H
#define RENDER_FILM_FILM_END_H

#include "render/film/film.h"

/* Reports changes and flashes from the measures of all segments. STATUS_OUT_OF_MEMORY. */
enum status film_measures_report(const struct film *film, const struct film_store *store,
                                 struct film_report *report);

/* Joins the segments, from the first frame to the last without a gap, to the file `whole`. */
enum status film_segments_join(const struct film *film, const struct film_store *store,
                               const struct film_file *whole);

/* Gives the finished film its name. While it has both names, a run after a kill knows that it is
 * complete. */
enum status film_place(const struct film *film, const struct film_file *whole);

#endif
