/* Progressive refinement: a picture is cut into cells, and each cell is computed from coarse to
 * fine.
 *
 * Pure: nothing here knows of time, ranks or pixels' values. Who deals says how long pieces took,
 * and is told the next piece: the coarsest cell first; among those equally coarse the ring nearest
 * to the pointer; in a ring the dearest first, so that nothing dear is left for the end. A cell's
 * next stride is dealt only when the one before has arrived: then its cost is known from the
 * samples it has, and a cell that is expected to take longer than split_s is dealt in several
 * parts. */
#ifndef RENDER_LIVE_REFINEMENT_H
#define RENDER_LIVE_REFINEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "render/live/subgrid.h"

enum { REFINEMENT_CELLS_MOST = 4096, REFINEMENT_PARTS_MOST = 64 };

struct refinement_cell {
    int32_t x, y, width, height;
    int32_t ring;                    /* from the pointer */
    int8_t known;                    /* stride that is known; 0: none */
    int8_t to;                       /* stride being computed; 0: none is */
    int32_t part_width, part_height; /* of that */
    uint64_t open, out;              /* masks of parts: to be dealt; dealt and not yet arrived */
    int64_t samples;                 /* that it has */
    double busy_s;                   /* what they took, */
    double weight;                   /* for so many */
};

struct refinement {
    int32_t width, height, cell_px, columns, rows;
    int32_t cells;
    int8_t coarsest, finest; /* strides */
    bool jump;               /* from what they have to the finest at once */
    int16_t sample;          /* of the pixels */
    double split_s;          /* parts take about so long at most; 0: no cell is split */
    /* Rows of cells that stand alike and are expected to take no longer than row_s are one piece;
     * 0: none are. GPUs want many samples at once: fewer than `wave` take as long as so many, and
     * where such a row jumps from the coarsest stride it is computed as a whole, that 64th again:
     * one subgrid instead of nine. 0: cores, for which a row must be known to be cheap. */
    double row_s;
    int64_t wave;
    double sample_s; /* expected cost of a sample where a cell has none; 0: not known */
    int64_t samples_done, samples_all; /* of this pass */
    struct refinement_cell *cell;      /* [rows][columns] */
};

/* A piece that was dealt. */
struct refinement_deal {
    struct piece piece;
    int32_t cell, cells; /* the first, and how many: 1, or a row */
    int8_t part;
};

/* Cells of a picture; cell_px, a power of two >= 8, is doubled until they are few enough. */
enum status refinement_open(struct refinement *refinement, int32_t width, int32_t height,
                            int32_t cell_px);
void refinement_close(struct refinement *refinement); /* accepts a zeroed one */

/* Begins a pass from nothing. Deals of an older pass must not arrive. */
void refinement_begin(struct refinement *refinement, int coarsest, int finest);

/* Nothing more is wanted of this pass: all cells have arrived, whatever was dealt. */
void refinement_finish(struct refinement *refinement);

/* Goes on beyond the finest stride so far. */
void refinement_extend(struct refinement *refinement, int finest);

/* Where refinement begins, in pixels. */
void refinement_point(struct refinement *refinement, double x, double y);

/* Deals the next piece, if there is one that may be dealt now. Cost: all cells are looked at. */
bool refinement_next(struct refinement *refinement, struct refinement_deal *deal);

/* A deal has arrived. */
void refinement_arrived(struct refinement *refinement, const struct refinement_deal *deal,
                        double busy_s);

/* A deal is lost: it will be dealt again. */
void refinement_back(struct refinement *refinement, const struct refinement_deal *deal);

/* The coarsest stride among all cells; 0: some cell has none. */
int refinement_stride(const struct refinement *refinement);

/* Nothing left to deal, and nothing out. */
bool refinement_done(const struct refinement *refinement);

/* Expected seconds of a device for what has not arrived; < 0: not known. */
double refinement_left_s(const struct refinement *refinement);

/* What a sample of this picture takes; < 0: not known. */
double refinement_sample_s(const struct refinement *refinement);

#endif
