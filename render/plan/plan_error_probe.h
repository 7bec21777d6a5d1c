/* Probes: orbits of single pixels, for the estimates of roundings (plan_error.c). */
#ifndef RENDER_PLAN_PLAN_ERROR_PROBE_H
#define RENDER_PLAN_PLAN_ERROR_PROBE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/formula.h"

/* Where derivatives are no longer followed; what is known then holds on. */
#define PROBE_HUGE_SQUARE 1e200

struct probe {
    double re, im, centre_re, centre_im; /* the pixel's place, and the view's */
    double least;                        /* an invisibly short length in the plane */
    int64_t limit;            /* limit of the picture: a count beyond it cannot be wrong */
    int64_t most;             /* steps that may be taken, more or fewer than the limit */
    const volatile int *stop; /* ends the probe, whose error is then not known; may be NULL */
};

/* How far roundings move the probe, in units of u and of the place: by direct iteration, and by
 * perturbation along the orbit of the view's centre, where that is followed. 0: its count cannot
 * be wrong. INFINITY: not known. */
struct probe_error {
    double direct, perturbed;
    int64_t steps; /* steps that were taken */
};

/* Motion of a probe, with the rounding of a point at `size` from 0. */
static inline double probe_moved(double size, double moved)
{
    return isnan(moved) ? INFINITY : hypot(size, moved);
}

/* Beyond the limit, so far an orbit may go to show that it is attracted, if it has contracted so
 * far. One for which that does not do has not contracted by more than e^9. */
enum { PROBE_LIMITS = 4 };

static inline int64_t probe_end(const struct probe *probe)
{
    int64_t far =
        probe->limit < INT64_MAX / PROBE_LIMITS ? PROBE_LIMITS * probe->limit : probe->limit;
    return far < probe->most ? far : probe->most;
}

/* Is there more to be learned of an orbit that is bounded at step k? Not in the parameter plane,
 * where roundings are as another c. */
static inline bool probe_goes_on(const struct probe *probe, const struct formula *formula,
                                 int64_t k, double slope_square)
{
    return k != probe->limit || (formula->plane == DYNAMIC_PLANE && slope_square < 1);
}

/* Where the pixel's place moves z most of all so far. */
struct slope_watch {
    double most;         /* largest square of the slope */
    double moved_square; /* motion of the place by the errors until then */
};

static inline void slope_keep(struct slope_watch *watch, double slope_square, double errors_square)
{
    if (slope_square > watch->most)
        *watch = (struct slope_watch){slope_square, errors_square / slope_square};
}

/* Share of the limit by which an orbit that passes a parabolic point may come late without harm.
 * The delay, in steps, is errors over the slope, as its motion contracts as the slope does. */
#define LATE_LEAST 1e-3

/* Error of an orbit that is bounded at the limit. In the parameter plane slopes come to
 * rest, and may be 0 at every second step. In the dynamic one, where it contracts, its place counts
 * up to where that began; after that roundings may slow it down, or set it free. */
static inline double probe_bounded(const struct probe *probe, const struct formula *formula,
                                   const struct slope_watch *watch, double slope_square,
                                   double errors_square)
{
    double moved = sqrt(errors_square / slope_square);
    if (formula->plane == PARAMETER_PLANE)
        return sqrt(errors_square / watch->most);
    if (slope_square >= 1)
        return moved;
    double late = moved / (LATE_LEAST * (double)probe->limit);
    return isnan(late) ? INFINITY : fmax(sqrt(watch->moved_square), probe->least * late);
}

/* The orbit stayed bounded: `error` is what it had come to at the limit. It has no count; but
 * roundings may have kept it there, or may drive it out in another number type. */
static inline struct probe_error probe_known(const struct probe *probe, struct probe_error error)
{
    bool known = probe->most >= probe->limit;
    return known ? error : (struct probe_error){INFINITY, INFINITY, error.steps};
}

/* ---- errors that add up ---------------------------------------------------------------------- */

/* What errors of z^2 + c have come to, in z. Those of steps that do not know each other add up by
 * their squares. But along an orbit that hardly moves, beside a parabolic point, each step errs in
 * the same direction. */
struct rounding_sum {
    double squares, right, up;
};

/* z_k = (x, y) of square `norm` makes of them what it does, and errs by `error`. */
static inline void rounding_add(struct rounding_sum *sum, double x, double y, double norm,
                                double error)
{
    double right = 2 * (x * sum->right - y * sum->up) + error;
    sum->up = 2 * (x * sum->up + y * sum->right);
    sum->right = right;
    sum->squares = 4 * norm * sum->squares + error * error;
}

static inline double rounding_square(const struct rounding_sum *sum)
{
    return sum->squares + sum->right * sum->right + sum->up * sum->up;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/* Brent: a state is kept at each power of two. */
struct cycle_watch {
    double x, y, last_x, last_y;
    double slope_square; /* square of the derivative by the pixel */
    int64_t at;
};

/* Has the orbit come back to the state that was kept, bit for bit? */
static inline bool cycle_closed(const struct cycle_watch *watch, int64_t k, double x, double y,
                                int phases)
{
    return watch->at > 0 && x == watch->x && y == watch->y && (k - watch->at) % phases == 0;
}

static inline void cycle_keep(struct cycle_watch *watch, int64_t k, double x, double y,
                              double slope_square)
{
    if (!(k & (k - 1)))
        *watch = (struct cycle_watch){.x = x, .y = y, .slope_square = slope_square, .at = k};
}

/* The margin that a cycle's attraction needs over roundings. */
#define ATTRACTION_MARGIN 100.0

/* Error of an orbit in a cycle. The pixel's own c decides in the parameter plane. In the dynamic
 * one all pixels share c, and a cycle of multiplier lambda attracts as far as 1 - |lambda| about
 * it; an error of each step comes to 1 / (1 - |lambda|) times that. So roundings may free what it
 * holds when their square root is near 1 - |lambda|. INFINITY: it does not attract. */
static inline double cycle_error(const struct probe *probe, const struct formula *formula,
                                 const struct cycle_watch *watch, double slope_square)
{
    if (formula->plane == PARAMETER_PLANE || !(slope_square > 0))
        return 0;
    double apart = 1 - sqrt(slope_square / watch->slope_square);
    return apart > 0 ? probe->least * ATTRACTION_MARGIN / (apart * apart) : INFINITY;
}

#endif
