/* Cost prediction: what a rectangle of the picture will cost, and the tiles that follow. Pure.
 *
 * A forecast is made from samples: one pixel of every square of sample_px x sample_px has been
 * computed, and what it cost stands for its square. From that follow tiles that balance: cut where
 * the picture is dear, dearest first. */
#ifndef DECOMPOSITION_SCHEDULE_FORECAST_H
#define DECOMPOSITION_SCHEDULE_FORECAST_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/schedule/tile.h"
#include "kernels/field.h"
#include "kernels/status.h"

struct forecast {
    int32_t width, height; /* size of the image, pixels */
    int32_t sample_px;
    int32_t columns, rows; /* samples: ceil(width / sample_px), ceil(height / sample_px) */
    double *sum;           /* [rows + 1][columns + 1] of the samples above and to the left of it */
};

/* Samples along a side of so many pixels. */
int32_t forecast_samples(int32_t length, int32_t sample_px);

/* What each sample of a computed field (a block of them, in host memory) cost, from its counts and
 * the iterations that a device took for all: a pixel that escaped cost its count, those that did
 * not share the rest, which is little where short-cuts know the interior. `cost` [height][stride]
 * in iterations. */
void forecast_costs(const struct field *samples, uint64_t iterations, float *cost, int32_t stride);

/* Samples miss what lies between them, and a dear tile that seemed cheap comes last and is waited
 * for. So a careful forecast takes each sample for three tenths of the dearest of it and its eight
 * neighbours more. Both [rows][columns], not the same memory. */
void forecast_careful(const float *cost, int32_t columns, int32_t rows, float *careful);

/* `cost` [rows][columns], iterations of each sample; copied. forecast_close accepts a zeroed one.
 */
enum status forecast_open(struct forecast *forecast, int32_t width, int32_t height,
                          int32_t sample_px, const float *cost);
void forecast_close(struct forecast *forecast);

/* Iterations of a rectangle of the image; squares that it cuts count by area. At least one for a
 * pixel. Four look-ups, whatever its size. */
double forecast_of(const struct forecast *forecast, int32_t x, int32_t y, int32_t width,
                   int32_t height);

/* --- tiles that balance ----------------------------------------------------------------------- */

/* Halves a rectangle across its longer side, at a multiple of least_px in the image. False: both
 * sides are at most least_px. */
bool forecast_split(const struct tile *tile, int32_t least_px, struct tile half[2]);

struct forecast_limits {
    uint32_t threads;   /* computing threads of all workers together */
    double least;       /* iterations: a tile is not split for less, its overhead would be felt */
    double root;        /* iterations that a thread does while rank 0 is at a tile's messages */
    int32_t largest_px; /* side of a tile, however little it seems to cost; doubled until tiles
                           are worth it in the mean */
    int32_t least_px;   /* side below which no tile is split */
};

struct forecast_overhead { /* what a tile costs beside its pixels, seconds; 0: nothing */
    double tile_s;         /* its worker */
    double root_s;         /* rank 0, for a message; a tile is two */
    double round_trip_s;   /* from a worker to rank 0 and back */
};

/* For tiles of 16 to 128 pixels. `speed` is of a thread, iterations per second; 0: not known, then
 * tiles get as small as balance wants. None is cut for less than ten times tile_s, or so small that
 * its worker would be through with it before it has the next. */
struct forecast_limits forecast_limits(uint32_t threads, double speed,
                                       const struct forecast_overhead *overhead);

/* Cuts the image into tiles, dearest first: a tile costs no more than a third of a thread's share
 * of what is left when its turn comes, so tiles become smaller towards the end and errors of the
 * forecast are made up for. Every pixel lies in exactly one tile. The caller frees *tiles and
 * *costs [*count], iterations, falling. */
enum status forecast_cut(const struct forecast *forecast, const struct forecast_limits *limits,
                         struct tile **tiles, float **costs, uint32_t *count);

#endif
