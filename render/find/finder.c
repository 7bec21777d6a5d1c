#include "render/find/finder.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "kernels/orbit/formula_nucleus.h"
#include "kernels/orbit/orbit.h"
#include "kernels/orbit/tapered_orbit.h"
#include "kernels/spec.h"
#include "render/disk/memory.h"
#include "render/view/decimal.h"

enum {
    BITS_BESIDE = 40, /* bits of the orbit beyond those of a picture: for Newton's method */
    /* bits of the point below the pixel of the view that is searched; 1e-20 px and more */
    BITS_BELOW_PIXEL = 80,
    BITS_BELOW_SIZE = 92, /* bits of the point below the size of its component, which is some
                             thousand pixels high */
    BITS_LEAST = 200,     /* least bits of a Misiurewicz point: 60 places */
    PERIODS_SEEN = 300    /* periods of an island that the limit of its view allows */
};
#define EMBEDDED_PART 0.5 /* part of the picture's height between |z_2p| = 1 on both sides */
#define LOG10_2 0.30102999566398119521

/* ---- the orbit ---- */

struct finder_search {
    double begun_s;
    mpfr_t cx, cy; /* centre of the view */
    struct tapered_orbit orbit;
};

struct finder_watch {
    const struct finder_request *request;
    enum finder_stage stage;
    double begun_s;
};

static void watch_part(void *context, double part)
{
    const struct finder_watch *watch = context;
    struct finder_progress progress = {watch->stage, part, clock_s() - watch->begun_s};
    if (watch->request->progress)
        watch->request->progress(watch->request->context, &progress);
}

static void watch_steps(void *context, int64_t done, int64_t limit)
{
    watch_part(context, (double)done / (double)limit);
}

static enum status centre_read(mpfr_ptr number, const char *text, const char *what)
{
    if (mpfr_set_str(number, text, 10, MPFR_RNDN))
        return status_fail(STATUS_BAD_DATA, "%s of the view is no number", what);
    return STATUS_OK;
}

/* Makes the orbit up to the period of the view, where that is proven, else to the limit. */
static enum status orbit_make(const struct finder_request *request,
                              const struct view_numbers *numbers, struct finder_search *search)
{
    struct finder_watch watch = {request, FINDER_ORBIT, search->begun_s};
    double half_diagonal = 0.5 * hypot(numbers->width, numbers->height);
    struct orbit_options options = {.log2_disc = numbers->log2_step + numbers->log2_stretch +
                                                 log2(half_diagonal),
                                    .threads = request->threads,
                                    .bytes_max = memory_available() / 4,
                                    .stop = request->stop,
                                    .progress = watch_steps,
                                    .context = &watch};
    TRY(orbit_bits(numbers->log2_step - BITS_BESIDE, request->limit, &options.bits));
    mpfr_set_prec(search->cx, options.bits + 64);
    mpfr_set_prec(search->cy, options.bits + 64);
    TRY(centre_read(search->cx, request->view->re, "re"));
    TRY(centre_read(search->cy, request->view->im, "im"));
    return tapered_orbit_make(&search->orbit, search->cx, search->cy, &options, request->limit);
}

/* ---- the box ---- */

static struct search_box box_of(const struct finder_request *request,
                                const struct view_numbers *numbers)
{
    struct complex_scaled step =
        scaled_settle(numbers->step_re, numbers->step_im, numbers->exponent);
    double across = (request->x1 - request->x0) / 2, down = (request->y1 - request->y0) / 2;
    double right = (request->x0 + request->x1 - numbers->width) / 2;
    double below = (request->y0 + request->y1 - numbers->height) / 2;
    struct complex_scaled of_down = scaled_mul(step, scaled_of(numbers->down_x, -numbers->down_y));
    return (struct search_box){
        .middle = scaled_add(scaled_times(step, right), scaled_times(of_down, below)),
        .right = scaled_times(step, across),
        .up = scaled_times(of_down, -down)};
}

static enum status box_search(const struct finder_request *request,
                              const struct finder_search *search, const struct search_box *box,
                              struct search_root *root)
{
    const struct orbit *orbit = &search->orbit.orbit;
    struct finder_watch watch = {request, FINDER_SEARCH, search->begun_s};
    struct search_options options = {.kind = request->kind,
                                     .limit = request->limit,
                                     .threads = request->threads,
                                     .stop = request->stop,
                                     .progress = watch_part,
                                     .context = &watch};
    bool pair = request->kind == SEARCH_MISIUREWICZ;
    int64_t m = pair ? request->preperiod - 1 : 0;
    struct newton_equation equation = {m + request->period, m};
    if (request->period)
        TRY(search_newton(orbit, box, equation, request->stop, root));
    else
        TRY(search_box(orbit, box, &options, root));
    if (root->found)
        return STATUS_OK;
    if (request->period && pair)
        return status_fail(STATUS_BAD_DATA,
                           "Newton's method comes from here to no Misiurewicz point of preperiod "
                           "%lld and period %lld",
                           (long long)request->preperiod, (long long)request->period);
    if (request->period)
        return status_fail(STATUS_BAD_DATA,
                           "Newton's method comes from here to no nucleus of period %lld",
                           (long long)request->period);
    return status_fail(STATUS_BAD_DATA,
                       pair ? "no Misiurewicz point whose preperiod and period are at most %lld "
                              "together was found here; raise the limit, or look at another part"
                            : "no nucleus of a period of at most %lld was found here; raise the "
                              "limit, or look at another part",
                       (long long)request->limit);
}

/* ---- the point ---- */

static void newton_from(const struct finder_search *search, const struct search_root *root,
                        struct newton *newton)
{
    mpfr_t x, y;
    mpfr_inits2(mpfr_get_prec(search->cx), x, y, (mpfr_ptr)0);
    scaled_get(root->h, x, y);
    mpfr_add(x, x, search->cx, MPFR_RNDN);
    mpfr_add(y, y, search->cy, MPFR_RNDN);
    newton_begin(newton, x, y, root->start);
    mpfr_clears(x, y, (mpfr_ptr)0);
}

static struct newton_goal goal_of(const struct finder_request *request,
                                  const struct view_numbers *numbers)
{
    double pixel = numbers->log2_step;
    if (request->kind == SEARCH_NUCLEUS)
        return (struct newton_goal){pixel - BITS_BELOW_PIXEL, BITS_BELOW_SIZE};
    return (struct newton_goal){fmin(2 * pixel - BITS_BELOW_PIXEL, -BITS_LEAST), INFINITY};
}

/* Text of the number with so many places behind the point. */
static char *number_text(mpfr_srcptr number, long places)
{
    mpfr_exp_t exponent = 0;
    if (mpfr_zero_p(number))
        return strdup("0");
    char *rough = mpfr_get_str(NULL, &exponent, 10, 2, number, MPFR_RNDN);
    mpfr_free_str(rough);
    long digits = places + (long)exponent;
    if (digits < 2)
        return strdup("0");
    char *made = mpfr_get_str(NULL, &exponent, 10, (size_t)digits, number, MPFR_RNDN);
    bool minus = made && made[0] == '-';
    char *text = made ? decimal_layout(made + minus, strlen(made + minus), exponent, minus) : NULL;
    mpfr_free_str(made);
    return text;
}

static double degrees(struct complex_scaled a)
{
    return atan2(a.y, a.x) * (180 / acos(-1));
}

static void component_take(const struct newton *newton, struct finding *finding)
{
    struct component component = component_of(newton);
    finding->component = component.kind;
    finding->log10_size = scaled_log2(component.size) * LOG10_2;
    finding->turn_deg = degrees(component.size);
    for (int fold = 1; fold <= FINDING_EMBEDDED_MOST && component.kind == COMPONENT_CARDIOID;
         fold++) {
        double radius = component_embedded_log2(newton, fold) * LOG10_2;
        if (radius < finding->log10_size + 1.5)
            break;
        finding->embedded_log10[finding->embedded++] = radius;
    }
}

static enum status finding_take(const struct newton *newton, struct newton_equation equation,
                                struct finding *finding)
{
    finding->period = equation.n - equation.m;
    finding->preperiod = finding->kind == SEARCH_MISIUREWICZ ? equation.m + 1 : 0;
    finding->places = (long)floor(-newton->estimate.error * LOG10_2);
    finding->bits = (long)ceil(-newton->estimate.error);
    finding->passes = newton->passes;
    finding->proven = newton->proven;
    finding->log10_disc = newton->log2_disc * LOG10_2;
    finding->re = number_text(newton->cx, finding->places);
    finding->im = number_text(newton->cy, finding->places);
    if (!finding->re || !finding->im)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a point of %ld places",
                           finding->places);
    if (finding->kind == SEARCH_NUCLEUS)
        component_take(newton, finding);
    else {
        finding->log10_multiplier = scaled_log2(newton->multiplier) * LOG10_2;
        finding->multiplier_deg = degrees(newton->multiplier);
    }
    return STATUS_OK;
}

/* log2 of the distance of two points. */
static double log2_apart(const struct newton *a, const struct newton *b)
{
    mpfr_t x, y;
    mpfr_inits2(64, x, y, (mpfr_ptr)0);
    mpfr_sub(x, a->cx, b->cx, MPFR_RNDN);
    mpfr_sub(y, a->cy, b->cy, MPFR_RNDN);
    double apart = scaled_log2(scaled_set(x, y));
    mpfr_clears(x, y, (mpfr_ptr)0);
    return apart;
}

/* Replaces a root of a divisor of the period, to which the box search may lead and where nothing of
 * the component is known, by the same point with its own period. */
static enum status divisor_take(struct newton *newton, struct newton_equation *equation,
                                const struct newton_goal *goal,
                                const struct newton_options *options)
{
    const struct newton_start start = {newton->estimate.error, NAN, NAN};
    for (int64_t period = 1; period <= equation->n / 2; period++) {
        struct newton lesser;
        if (equation->n % period)
            continue;
        newton_begin(&lesser, newton->cx, newton->cy, start);
        enum status status =
            newton_refine(&lesser, (struct newton_equation){period, 0}, goal, options);
        if (status == STATUS_OK && log2_apart(&lesser, newton) <= newton->estimate.error + 1) {
            newton_end(newton);
            *newton = lesser;
            equation->n = period;
            return STATUS_OK;
        }
        newton_end(&lesser);
        if (status == STATUS_STOPPED || status == STATUS_OUT_OF_MEMORY)
            return status;
    }
    return isfinite(newton->estimate.size)
               ? STATUS_OK
               : status_fail(STATUS_BAD_DATA, "a root of period %lld was found that has no size",
                             (long long)equation->n);
}

static enum status find_along(const struct finder_request *request,
                              const struct view_numbers *numbers,
                              const struct finder_search *search, struct finding *finding)
{
    struct search_box box = box_of(request, numbers);
    struct search_root root;
    struct newton newton;
    struct finder_watch watch = {request, FINDER_NEWTON, search->begun_s};
    struct newton_options options = {.threads = request->threads,
                                     .stop = request->stop,
                                     .progress = watch_part,
                                     .context = &watch};
    struct newton_goal goal = goal_of(request, numbers);
    TRY(box_search(request, search, &box, &root));
    newton_from(search, &root, &newton);
    enum status status = newton_refine(&newton, root.equation, &goal, &options);
    if (status == STATUS_OK && request->period && !newton.proven)
        status = status_fail(STATUS_BAD_DATA,
                             "Newton's method comes from here to a point of a smaller period than "
                             "%lld",
                             (long long)request->period);
    if (status == STATUS_OK && request->kind == SEARCH_NUCLEUS && !newton.proven)
        status = divisor_take(&newton, &root.equation, &goal, &options);
    if (status == STATUS_OK)
        status = finding_take(&newton, root.equation, finding);
    newton_end(&newton);
    return status;
}

/* ---- any other formula ---- */

/* halvings of the box: 64 discs; more for a long box */
enum { HALVINGS_MOST = 3, LONGER_MOST = 8 };

/* Cells: parts of the box that are nearly squares, so many in its rows and columns. */
struct search_cells {
    int across, down;
    struct search_box cell; /* centre: that of the box */
};

static struct search_cells cells_of(const struct search_box *box, int halvings)
{
    double longer = scaled_log2(box->right) - scaled_log2(box->up);
    int parts = (int)fmin(exp2(fabs(longer)), LONGER_MOST) << halvings, fewer = 1 << halvings;
    struct search_cells cells = {.across = longer > 0 ? parts : fewer,
                                 .down = longer > 0 ? fewer : parts};
    cells.cell = (struct search_box){.middle = box->middle,
                                     .right = scaled_times(box->right, 1.0 / cells.across),
                                     .up = scaled_times(box->up, 1.0 / cells.down)};
    return cells;
}

static enum status cell_begin(const struct finder_request *request,
                              const struct search_cells *cells, int number,
                              struct formula_nucleus *nucleus)
{
    double s = 2 * (number % cells->across) + 1 - cells->across;
    double t = 2 * (number / cells->across) + 1 - cells->down;
    struct complex_scaled h =
        scaled_add(cells->cell.middle,
                   scaled_add(scaled_times(cells->cell.right, s), scaled_times(cells->cell.up, t)));
    mpfr_t x, y;
    TRY(centre_read(nucleus->cx, request->view->re, "re"));
    TRY(centre_read(nucleus->cy, request->view->im, "im"));
    mpfr_inits2(64, x, y, (mpfr_ptr)0);
    scaled_get(h, x, y);
    mpfr_add(nucleus->cx, nucleus->cx, x, MPFR_RNDN);
    mpfr_add(nucleus->cy, nucleus->cy, y, MPFR_RNDN);
    mpfr_clears(x, y, (mpfr_ptr)0);
    return STATUS_OK;
}

struct box_region { /* neighbourhood of the box, since discs of cells reach beyond it */
    const struct search_box *box;
    mpfr_t cx, cy; /* centre of the view */
};

static bool is_inside(const void *context, mpfr_srcptr cx, mpfr_srcptr cy)
{
    const struct box_region *region = context;
    double from_middle;
    mpfr_t x, y;
    mpfr_inits2(64, x, y, (mpfr_ptr)0);
    mpfr_sub(x, cx, region->cx, MPFR_RNDN);
    mpfr_sub(y, cy, region->cy, MPFR_RNDN);
    bool inside = search_box_has(region->box, scaled_set(x, y), &from_middle);
    mpfr_clears(x, y, (mpfr_ptr)0);
    return inside;
}

/* Makes the view in which the component lies as the whole set does in this one without rotation. A
 * component that is stretched more than views may be keeps its shape. */
static void axes_view(const struct formula_nucleus *nucleus, const struct view *view,
                      struct finding *finding)
{
    double way = view->shape.mirrored ? 1 : -1, turn_deg, scale;
    const double down[2] = {way * nucleus->up[0], way * nucleus->up[1]};
    struct view_shape shape;
    finding->shape = view->shape;
    if (view_shape_of_axes(nucleus->right, down, &shape, &turn_deg, &scale) != STATUS_OK)
        return;
    finding->shape = shape;
    finding->turn_deg = turn_deg;
}

static enum status any_take(const struct formula_nucleus *nucleus,
                            const struct finder_request *request, struct finding *finding)
{
    finding->turn_deg = request->view->rotation_deg;
    finding->period = nucleus->period;
    finding->places = (long)floor(-nucleus->log2_error * LOG10_2);
    finding->bits = (long)mpfr_get_prec(nucleus->cx);
    finding->passes = nucleus->passes;
    finding->component = COMPONENT_ANY;
    finding->log10_size = nucleus->log2_size * LOG10_2;
    finding->log10_stretch = nucleus->log2_stretch * LOG10_2;
    axes_view(nucleus, request->view, finding);
    finding->re = number_text(nucleus->cx, finding->places);
    finding->im = number_text(nucleus->cy, finding->places);
    return finding->re && finding->im
               ? STATUS_OK
               : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a point of %ld places",
                             finding->places);
}

/* Finds the lowest period that cells of one size lead to, into *best, whose period stays 0 if none
 * does. */
static enum status cells_search(const struct finder_request *request,
                                struct formula_nucleus_options *options,
                                const struct search_cells *cells, struct formula_nucleus *best)
{
    enum status status = STATUS_OK;
    options->log2_radius = search_log2_radius(&cells->cell);
    for (int cell = 0; cell < cells->across * cells->down && status == STATUS_OK; cell++) {
        struct formula_nucleus nucleus;
        formula_nucleus_begin(&nucleus, mpfr_get_prec(best->cx));
        status = cell_begin(request, cells, cell, &nucleus);
        if (status == STATUS_OK)
            status = formula_nucleus_find(&nucleus, options);
        if (status == STATUS_OK && nucleus.period) {
            struct formula_nucleus before = *best;
            *best = nucleus;
            nucleus = before;
            options->limit = best->period - 1;
        }
        formula_nucleus_end(&nucleus);
    }
    return status;
}

static enum status any_missed(const struct finder_request *request)
{
    if (request->period)
        return status_fail(STATUS_BAD_DATA,
                           "Newton's method comes from here to no nucleus of period %lld",
                           (long long)request->period);
    return status_fail(STATUS_BAD_DATA,
                       "no nucleus of a period of at most %lld was found here; raise the limit, or "
                       "look at another part",
                       (long long)request->limit);
}

static enum status any_find(const struct finder_request *request,
                            const struct view_numbers *numbers, double begun_s,
                            struct finding *finding)
{
    struct search_box box = box_of(request, numbers);
    struct finder_watch watch = {request, FINDER_SEARCH, begun_s};
    struct box_region region = {.box = &box};
    struct formula_nucleus best;
    struct formula_nucleus_options options = {.formula = &request->formula,
                                              .log2_error = numbers->log2_step - BITS_BELOW_PIXEL,
                                              .bits_below_size = BITS_BELOW_SIZE,
                                              .period = request->period,
                                              .limit = request->limit,
                                              .stop = request->stop,
                                              .progress = watch_part,
                                              .context = &watch,
                                              .wanted = is_inside,
                                              .within = &region};
    long bits;
    if (request->kind != SEARCH_NUCLEUS || request->formula.plane != PARAMETER_PLANE)
        return status_fail(STATUS_CONFIG, "of %s the finder finds nuclei in the plane of c alone",
                           formula_name(&request->formula));
    TRY(orbit_bits(numbers->log2_step - BITS_BELOW_PIXEL, request->limit, &bits));
    formula_nucleus_begin(&best, bits);
    mpfr_inits2(bits, region.cx, region.cy, (mpfr_ptr)0);
    enum status status = centre_read(region.cx, request->view->re, "re");
    if (status == STATUS_OK)
        status = centre_read(region.cy, request->view->im, "im");
    for (int halvings = 0; halvings <= HALVINGS_MOST && !best.period && status == STATUS_OK;
         halvings++) {
        struct search_cells cells = cells_of(&box, halvings);
        status = cells_search(request, &options, &cells, &best);
    }
    if (status == STATUS_OK)
        status = best.period ? any_take(&best, request, finding) : any_missed(request);
    mpfr_clears(region.cx, region.cy, (mpfr_ptr)0);
    formula_nucleus_end(&best);
    return status;
}

enum status finder_run(const struct finder_request *request, struct finding *finding)
{
    struct view_numbers numbers;
    struct finder_search search = {.begun_s = clock_s()};
    *finding = (struct finding){.kind = request->kind};
    TRY(view_numbers(request->view, &numbers));
    finding->log10_zoom = view_log10_zoom(&numbers);
    if (!formula_mandelbrot(&request->formula))
        return any_find(request, &numbers, search.begun_s, finding);
    mpfr_inits2(64, search.cx, search.cy, (mpfr_ptr)0);
    enum status status = orbit_make(request, &numbers, &search);
    if (status == STATUS_OK)
        status = find_along(request, &numbers, &search, finding);
    tapered_orbit_free(&search.orbit);
    mpfr_clears(search.cx, search.cy, (mpfr_ptr)0);
    return status;
}

void finding_destroy(struct finding *finding)
{
    free(finding->re);
    free(finding->im);
    finding->re = finding->im = NULL;
}

/* ---- the view ---- */

/* Height of a component at its nucleus, of size 1: the set reaches from -2 to 0.5, and 1.2 up and
 * down. A disc has the radius 1/2, and 1 with its decorations. */
static double height_of(const struct finding *finding, double aspect)
{
    double reach = finding->component == COMPONENT_DISC ? 1.0 : 2.2;
    double rise = finding->component == COMPONENT_DISC ? 1.0 : 1.3;
    return fmax(2 * rise, 2 * reach / aspect);
}

enum status finding_view(const struct finding *finding, int embedded, int32_t width, int32_t height,
                         struct view *view)
{
    double aspect = (double)width / height, log10_zoom = finding->log10_zoom, turn = 0;
    char zoom[64];
    if (finding->kind == SEARCH_NUCLEUS && embedded >= 1 && embedded <= finding->embedded)
        log10_zoom = log10(EMBEDDED_PART * fmin(aspect, 1)) - finding->embedded_log10[embedded - 1];
    else if (finding->kind == SEARCH_NUCLEUS) {
        log10_zoom = log10(4 / height_of(finding, aspect)) - finding->log10_size;
        turn = finding->turn_deg;
        if (finding->log10_stretch > 0)
            view->shape = finding->shape;
    }
    double whole = floor(log10_zoom);
    snprintf(zoom, sizeof zoom, "%.4fe%.0f", pow(10, log10_zoom - whole), whole);
    return view_set(view, finding->re, finding->im, zoom, turn, width, height);
}

int64_t finding_limit(const struct finding *finding, int64_t limit)
{
    if (finding->kind != SEARCH_NUCLEUS || finding->period > SPEC_LIMIT_MAX / PERIODS_SEEN)
        return limit;
    int64_t wanted = finding->period * PERIODS_SEEN;
    return wanted > limit ? wanted : limit;
}
