/* Progressive refinement: a picture is cut into cells, and each cell is computed from coarse to
 * fine.
 *
 * Pure: no time, ranks or pixel values. The caller reports how long pieces took, and gets the next
 * piece: the coarsest cell first; among those equally coarse the ring nearest to the pointer; in a
 * ring the most expensive first, so that no expensive one is left for the end. A cell's next stride
 * is dealt only when the one before has arrived: then its cost is known from its samples, and a
 * cell that is expected to take longer than split_s is dealt in several parts. */
#ifndef RENDER_LIVE_REFINEMENT_H
#define RENDER_LIVE_REFINEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "render/worker/subgrid.h"

enum { REFINEMENT_CELLS_MOST = 4096, REFINEMENT_PARTS_MOST = 64 };

struct refinement_cell {
    int32_t x, y, width, height;
    int32_t ring;                    /* distance from the pointer, in cells */
    int8_t known;                    /* stride that is known; 0: none */
    int8_t to;                       /* stride being computed; 0: none is */
    int32_t part_width, part_height; /* size of its parts */
    uint64_t open, out; /* masks of parts: open: to be dealt; out: dealt and not yet arrived */
    int64_t samples;    /* samples that have arrived */
    double busy_s;      /* time that they took */
    double weight;      /* weight of these samples */
};

struct refinement {
    int32_t width, height, cell_px, columns, rows;
    int32_t cells;
    int8_t coarsest, finest; /* strides */
    bool jump;               /* cells go from their present stride to the finest at once */
    int16_t sample;          /* number of the sample of the pixels */
    double split_s;          /* expected time of a part, at most; 0: no cell is split */
    /* row_s: rows of cells of equal state that are expected to take no longer are one piece; 0:
     * none are. wave: GPUs need many samples at once, fewer than `wave` take as long; a row that
     * jumps from the coarsest stride is then computed whole, with the known 64th again: one subgrid
     * instead of nine. 0: cores, for which a row must be known to be cheap. */
    double row_s;
    int64_t wave;
    double sample_s; /* expected cost of a sample in a cell without samples; 0: not known */
    int64_t samples_done, samples_all; /* samples of this pass, done and all */
    struct refinement_cell *cell;      /* [rows][columns] */
};

/* Deal: a piece that was given out. */
struct refinement_deal {
    struct work_piece piece;
    int32_t cell, cells; /* first cell, and number of cells: 1, or a row */
    int8_t part;
};

/* Cuts a picture into cells; cell_px, a power of two >= 8, is doubled until they are few enough. */
enum status refinement_open(struct refinement *refinement, int32_t width, int32_t height,
                            int32_t cell_px);
void refinement_close(struct refinement *refinement); /* accepts a zeroed one */

/* Begins a pass from nothing. Deals of an older pass must not arrive. */
void refinement_begin(struct refinement *refinement, int coarsest, int finest);

/* Ends the pass: all cells count as arrived, whatever was dealt. */
void refinement_finish(struct refinement *refinement);

/* Extends the pass to a finer stride. */
void refinement_extend(struct refinement *refinement, int finest);

/* Sets the point at which refinement begins, in pixels. */
void refinement_point(struct refinement *refinement, double x, double y);

/* Deals the next piece, if one can be dealt now. Cost: reads all cells. */
bool refinement_next(struct refinement *refinement, struct refinement_deal *deal);

/* Notes that a deal has arrived. */
void refinement_arrived(struct refinement *refinement, const struct refinement_deal *deal,
                        double busy_s);

/* Takes a lost deal back, which will be dealt again. */
void refinement_back(struct refinement *refinement, const struct refinement_deal *deal);

/* Coarsest stride of all cells; 0: some cell has none. */
int refinement_stride(const struct refinement *refinement);

/* Is nothing left to deal, and nothing out? */
bool refinement_done(const struct refinement *refinement);

/* Expected device seconds of the samples that have not arrived; < 0: not known. */
double refinement_left_s(const struct refinement *refinement);

/* Seconds of a sample of this picture; < 0: not known. */
double refinement_sample_s(const struct refinement *refinement);

#endif
