/* The finder: the nucleus or Misiurewicz point in a box of a view, to the places that are known,
 * and the view that shows it well.
 *
 * Three stages: the reference orbit of the view's centre, a search of the box along it in doubles,
 * and Newton's method at the precision that the point needs. All are in kernels/orbit/. For
 * formulas other than z^2 + c only nuclei are found, and the last two stages are one
 * (kernels/orbit/formula_nucleus.h), which proves nothing. */
#ifndef RENDER_FIND_FINDER_H
#define RENDER_FIND_FINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/formula.h"
#include "kernels/orbit/component.h"
#include "kernels/orbit/search.h"
#include "kernels/status.h"
#include "render/view/view.h"

enum finder_stage { FINDER_ORBIT, FINDER_SEARCH, FINDER_NEWTON };

struct finder_progress {
    enum finder_stage stage;
    double part;    /* done part of the stage, 0 ... 1; an orbit may end sooner */
    double seconds; /* seconds since the search began */
};

struct finder_request {
    const struct view *view; /* view of the parameter plane; borrowed */
    struct formula formula;  /* zeroed: z^2 + c */
    double x0, y0, x1, y1;   /* box in the pixels of the view, x0 < x1, y0 < y1 */
    enum search_kind kind;
    int64_t limit; /* limit of the period, and of preperiod and period together */
    int64_t period,
        preperiod; /* given by the caller, search from the middle of the box; 0: searched */
    int threads;   /* 0: all */
    const volatile int *stop;                                                /* may be NULL */
    void (*progress)(void *context, const struct finder_progress *progress); /* may be NULL */
    void *context;
};

enum { FINDING_EMBEDDED_MOST = 5 };

struct finding {
    enum search_kind kind;
    int64_t period, preperiod;
    char *re, *im;     /* the point, all places exact; owned */
    long places;       /* places behind the point */
    long bits;         /* bits of the longest orbit */
    int passes;        /* passes of Newton's method */
    bool proven;       /* proven that one root is here, and of no smaller period */
    double log10_disc; /* log10 of the radius of the disc that this is proven for */
    /* Nucleus: */
    enum component_kind component;
    double log10_size, turn_deg; /* size of the component; rotation that brings it upright; for
                                    other formulas that of the view where it is unknown */
    double log10_stretch;        /* longer side over the shorter one, where a formula folds */
    struct view_shape shape;     /* shape of the view, rotated by turn_deg, in which it is upright,
                                    where a formula folds */
    int embedded;                /* number of views of embedded Julia sets, from outside */
    double embedded_log10[FINDING_EMBEDDED_MOST]; /* log10 of their radii */
    /* Misiurewicz point: the picture repeats itself at so many times the zoom, turned. */
    double log10_multiplier, multiplier_deg;
    double log10_zoom; /* zoom of the view that was searched */
};

/* Searches. STATUS_BAD_DATA where nothing is found, with a sentence that gives the remedy;
 * STATUS_STOPPED; STATUS_TOO_LARGE; STATUS_OUT_OF_MEMORY. Blocks. finding_destroy also after a
 * failure. */
enum status finder_run(const struct finder_request *request, struct finding *finding);
void finding_destroy(struct finding *finding); /* accepts a zeroed one */

/* Sets the view that frames the point: all of a component, upright; with embedded = 1 ...
 * finding->embedded an embedded Julia set about it; a Misiurewicz point at the zoom of the searched
 * view. *view as for view_set. */
enum status finding_view(const struct finding *finding, int embedded, int32_t width, int32_t height,
                         struct view *view);

/* Iteration limit of that view: `limit`, or more where the period needs more. */
int64_t finding_limit(const struct finding *finding, int64_t limit);

#endif
