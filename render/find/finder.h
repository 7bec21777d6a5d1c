/* The finder: which nucleus or Misiurewicz point lies in a part of a view, to how many places it is
 * known, and the view that shows it well.
 *
 * Three stages: the reference orbit of the view's centre, a search of the box along it in doubles,
 * and Newton's method at the precision that the point needs. All are kernels/orbit/. Of another
 * formula than z^2 + c, whose nuclei alone are found, the last two are one
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
    double part;    /* of the stage, 0 ... 1; an orbit may end sooner */
    double seconds; /* since the search began */
};

struct finder_request {
    const struct view *view; /* of the parameter plane; borrowed */
    struct formula formula;  /* zeroed: z^2 + c */
    double x0, y0, x1, y1;   /* the box in its pixels, x0 < x1, y0 < y1 */
    enum search_kind kind;
    int64_t limit;             /* of the period, and of preperiod and period together */
    int64_t period, preperiod; /* to be taken as given, from the middle of the box; 0: searched */
    int threads;               /* 0: all */
    const volatile int *stop;  /* may be NULL */
    void (*progress)(void *context, const struct finder_progress *progress); /* may be NULL */
    void *context;
};

enum { FINDING_EMBEDDED_MOST = 5 };

struct finding {
    enum search_kind kind;
    int64_t period, preperiod;
    char *re, *im;     /* all places of them are right; owned */
    long places;       /* behind the point */
    long bits;         /* of the longest orbit */
    int passes;        /* of Newton's method */
    bool proven;       /* that there is one root here, and of no smaller period */
    double log10_disc; /* of the radius of the disc that this is proven for */
    /* Of a nucleus: */
    enum component_kind component;
    double log10_size, turn_deg; /* of the component; the turn that brings it upright, of
                                    other formulas that of the view where none is known */
    double log10_stretch;        /* its longer side by the shorter one, where a formula folds: */
    struct view_shape shape;     /* then of the view, turned by turn_deg, in which it is upright */
    int embedded;                /* views of embedded Julia sets, from outside */
    double embedded_log10[FINDING_EMBEDDED_MOST]; /* log10 of their radii */
    /* Of a Misiurewicz point: the picture repeats itself at so many times the zoom, turned. */
    double log10_multiplier, multiplier_deg;
    double log10_zoom; /* of the view that it was searched in */
};

/* STATUS_BAD_DATA where nothing is found, with a sentence that says how to go on; STATUS_STOPPED;
 * STATUS_TOO_LARGE; STATUS_OUT_OF_MEMORY. Blocks. finding_destroy also after a failure. */
enum status finder_run(const struct finder_request *request, struct finding *finding);
void finding_destroy(struct finding *finding); /* accepts a zeroed one */

/* The view that frames it: all of a component, upright; with embedded = 1 ... finding->embedded an
 * embedded Julia set about it; a Misiurewicz point at the zoom that it was searched at. *view as
 * for view_set. */
enum status finding_view(const struct finding *finding, int embedded, int32_t width, int32_t height,
                         struct view *view);

/* Iterations for that view: `limit`, or more where the period wants more. */
int64_t finding_limit(const struct finding *finding, int64_t limit);

#endif
