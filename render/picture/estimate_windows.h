/* The windows of a picture by which it is estimated (estimate.h): which is next, and how long they
 * take. Pure. */
#ifndef RENDER_PICTURE_ESTIMATE_WINDOWS_H
#define RENDER_PICTURE_ESTIMATE_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/field.h"

struct estimate_window { /* plain data, the same on all ranks; side 0: there is none */
    int32_t side, x, y;
};

enum { ESTIMATE_MOSAIC = 16 }; /* windows that files are made of */

struct estimate {
    double orbit_s, budget_s; /* for the reference orbit, and for windows; the caller's */
    double enough_s;          /* only whether the picture takes longer than that is asked; 0: how
                                 long it takes; the caller's */
    int32_t width, height;    /* size of the picture */
    /* Results of the windows so far: */
    int32_t side;  /* side of the last window */
    int windows;   /* windows of this side that count */
    uint32_t next; /* number of the next one in the sequence */
    bool warm;     /* a window of this side was computed */
    double begin_s, sum_s, squares;
    struct field mosaic; /* the last windows side by side */
    float (*light)[3];   /* light of the mosaic; NULL: there are only centres */
    /* The result, in seconds of the whole picture: */
    double reference_s, prepare_s, compute_s, files_s; /* prepare: blocks from the reference */
    double error; /* relative error of compute_s: one standard deviation */
    double file_bytes;
    bool cut; /* the reference orbit takes longer than that: reference_s is the least and the most
                 is reference_most_s; nothing else is known */
    double reference_most_s;
};

/* Side of the first windows: something to do for so many devices or threads, each of which wants
 * `tile_px`. */
int32_t estimate_side(int devices, int32_t tile_px);

/* Rank 0, of picture_render: which window is next, and how long it took. */
struct estimate_window estimate_next(struct estimate *estimate, double now_s);
void estimate_note(struct estimate *estimate, double seconds);

/* Results of the windows so far: seconds of one, its relative error (one standard deviation of the
 * mean; 1: not known), and the seconds of the whole picture by them. */
double estimate_window_s(const struct estimate *estimate);
double estimate_error(const struct estimate *estimate);
double estimate_picture_s(const struct estimate *estimate);

/* Pixels of a window of this side. */
double estimate_window_pixels(const struct estimate *estimate);

#endif
