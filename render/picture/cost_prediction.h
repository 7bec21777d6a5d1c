/* Cost prediction: tiles of equal cost, the dearest first, from a coarse pass over the picture.
 * All ranks compute a coarse pass over the picture, a part each; rank 0 makes a forecast of it,
 * cuts the picture and tells the others. */
#ifndef RENDER_PICTURE_COST_PREDICTION_H
#define RENDER_PICTURE_COST_PREDICTION_H

#include "decomposition/schedule/tile.h"
#include "decomposition/world/world.h"
#include "render/device/cost_map.h"

struct cost_prediction {
    struct world *world;
    struct cost_device device; /* device of this rank */
    int part, parts;           /* part of the pass that this rank computes; < 0: none */
    struct grid whole;         /* grid of the picture */
    bool away;                 /* a rank computes on another machine than rank 0's */
};

/* The tiles, on every rank, and on rank 0 what they will cost, both freed by the caller; NULL after
 * a failure. Collective; every rank returns the same status. */
enum status cost_prediction_tiles(const struct cost_prediction *prediction, struct tile **tiles,
                                  float **costs, uint32_t *count);

#endif
