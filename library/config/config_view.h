/* What settings say of a view in parts that only together have a meaning: its formula, its shape.
 */
#ifndef LIBRARY_CONFIG_CONFIG_VIEW_H
#define LIBRARY_CONFIG_CONFIG_VIEW_H

#include "kernels/formula.h"
#include "library/config/config.h"
#include "render/view/view_shape.h"

/* The one that is named, or z^2 + c; a c makes it a Julia set. STATUS_CONFIG for a formula without
 * c. */
enum status config_formula(const struct config *config, struct formula *formula);

/* Sets the view of all of its set where a formula or a Julia set is named and no view. The view's
 * origin is that of the formula. STATUS_CONFIG as config_formula; STATUS_OUT_OF_MEMORY. */
enum status config_home(struct config *config);

/* The first of re, im and zoom that is not set; NULL: there is a whole place. *there: how many are
 * set. */
const char *config_place_missing(const struct config *config, int *there);

/* Ends the setting of values for a picture: settles contradictions (config_settle), gives a formula
 * without a place all of its set, and chooses automatic colours. Later values may contradict what
 * was chosen, so who goes on setting completes a copy. STATUS_CONFIG, also for half a place. */
enum status config_complete(struct config *config);

/* Sets the palette and the offset that are automatic: chosen by the centre, or by that of all of
 * the set where there is none. STATUS_CONFIG as config_formula; STATUS_OUT_OF_MEMORY. */
enum status config_colours(struct config *config);

/* Are the palette, or the first of two, and the offset to be chosen by the place? */
bool config_colours_chosen(const char *palette);

/* Mirror and stretch. */
enum status config_view_shape(const struct config *config, struct view_shape *shape);

#endif
