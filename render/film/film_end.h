/* The end of a film, of which all frames may be there: what was measured of them, one file of all
 * stretches, and its name. */
#ifndef RENDER_FILM_FILM_END_H
#define RENDER_FILM_FILM_END_H

#include "render/film/film.h"

/* What all stretches say of the film: changes and flashes. STATUS_OUT_OF_MEMORY. */
enum status film_measures_report(const struct film *film, const struct film_store *store,
                                 struct film_report *report);

/* The stretches, from the first frame to the last without a gap, become the file `whole`. */
enum status film_stretches_join(const struct film *film, const struct film_store *store,
                                const struct film_file *whole);

/* The finished film gets its name. While it has both, a run after a kill knows that it is whole. */
enum status film_place(const struct film *film, const struct film_file *whole);

#endif
