/* Actions of the viewer, other than steps of the view. */
#ifndef APP_VIEWER_CORE_VIEWER_ACTION_H
#define APP_VIEWER_CORE_VIEWER_ACTION_H

#include "app/viewer/core/viewer_state.h"

/* Does the action; x, y: the pointer, pixels. */
enum status viewer_action(struct viewer *viewer, enum action action, double x, double y);

/* The palette of the place, or of its layer: the one behind the plus; "": the layer has the first.
 * The other one stays. */
enum palette_of { PALETTE_OF_COUNTS, PALETTE_OF_LAYER };
void viewer_palette_set(struct viewer *viewer, enum palette_of which, const char *name);

void viewer_palette_first(const struct viewer *viewer, char name[OPTION_PALETTE_MAX + 1]);
bool viewer_palette_is(const struct viewer *viewer, const char *name); /* forwards or reversed? */

/* What colours go by, in the user's language. */
enum string viewer_input_name(const struct colour_source *source);

/* Moves colours that flow on. */
void viewer_cycle(struct viewer *viewer, double now_s);

/* Changes to another formula, at the whole of its set, with a bailout radius that is valid for it;
 * a step to undo. STATUS_CONFIG: none is. */
enum status viewer_formula_use(struct viewer *viewer, const struct formula *formula);

#endif
