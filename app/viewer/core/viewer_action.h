/* What a key asks for, other than a step of the view. */
#ifndef APP_VIEWER_CORE_VIEWER_ACTION_H
#define APP_VIEWER_CORE_VIEWER_ACTION_H

#include "app/viewer/core/viewer_state.h"

/* x, y in pixels, where the pointer is. */
enum status viewer_action(struct viewer *viewer, enum action action, double x, double y);

/* Colours that flow. */
void viewer_cycle(struct viewer *viewer, double now_s);

/* Another formula, at the whole of its set, with a bailout radius that it bears; a step to undo.
 * STATUS_CONFIG: it bears none. */
enum status viewer_formula_use(struct viewer *viewer, const struct formula *formula);

#endif
