/* Actions of the viewer, other than steps of the view. */
#ifndef APP_VIEWER_CORE_VIEWER_ACTION_H
#define APP_VIEWER_CORE_VIEWER_ACTION_H

#include "app/viewer/core/viewer_state.h"

/* Does the action; x, y: the pointer, pixels. */
enum status viewer_action(struct viewer *viewer, enum action action, double x, double y);

/* Moves colours that flow on. */
void viewer_cycle(struct viewer *viewer, double now_s);

/* Changes to another formula, at the whole of its set, with a bailout radius that is valid for it;
 * a step to undo. STATUS_CONFIG: none is. */
enum status viewer_formula_use(struct viewer *viewer, const struct formula *formula);

#endif
