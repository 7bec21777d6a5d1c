/* Ranks that compute the picture that is shown, others that are left out, and the chart of their
 * times. */
#ifndef APP_VIEWER_CORE_VIEWER_RANKS_H
#define APP_VIEWER_CORE_VIEWER_RANKS_H

#include "app/viewer/core/viewer_state.h"

/* One rank more or fewer computes, the last ones first; at least one. */
void viewer_ranks_step(struct viewer *viewer, int by);

/* So many compute, the first ones; 0: all. */
void viewer_ranks_set(struct viewer *viewer, int count);

/* Leaves a worker out, or takes it back. */
void viewer_ranks_toggle(struct viewer *viewer, int worker);

/* Leaves out cores, then GPUs, then neither. */
void viewer_ranks_devices(struct viewer *viewer);

/* Takes all back, without a word. */
void viewer_ranks_reset(struct viewer *viewer);

/* Notes in the chart what the engine tells. */
void viewer_ranks_tell(struct viewer *viewer);

/* While the chart is shown the finished picture is computed again and again. */
void viewer_ranks_turn(struct viewer *viewer, double now_s);

/* Draws the chart, if it is shown. */
void viewer_ranks_draw(struct viewer *viewer, struct paint *paint);

/* Units that are left above the chart. */
double viewer_ranks_room(const struct viewer *viewer, const struct paint *paint);

/* Obeys a press on the chart; `paint`: as it was drawn on. False: it is beside the chart. */
bool viewer_ranks_press(struct viewer *viewer, const struct paint *paint, double x, double y);

int viewer_ranks_out(const struct viewer *viewer); /* workers that are left out */

#endif
