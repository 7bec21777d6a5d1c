/* Choice of method and number type: the cheapest that is accurate enough. */
#include <math.h>

#include "kernels/deep/deep.h"
#include "kernels/field.h"
#include "kernels/orbit/orbit.h"
#include "kernels/stop.h"
#include "render/plan/plan_question.h"

enum {
    PERTURBATION_GAIN = 1000, /* times as exact as fp64, where it misses the target, too */
    FLOATS_LEAST = 16         /* roundings of the longest offset that perturbation in fp32 makes */
};

/* error = amplification u |c| zoom H / 4, solved for the zoom. */
static double log10_zoom_end(const struct plan_question *question, double amplification,
                             double error_px)
{
    const struct view_numbers *view = question->view;
    double per_zoom = amplification * plan_unit_roundoff[NUMBER_FP64] *
                      plan_largest_point(view, &question->picture->spec.formula) * view->height /
                      4 * exp2(view->log2_stretch);
    return log10(error_px / per_zoom);
}

/* What perturbation in doubles comes to at best: of the longest offset in the shortest pixels. */
static double roundings_px(const struct view_numbers *view)
{
    return 0.5 * hypot(view->width, view->height) * plan_unit_roundoff[NUMBER_FP64] *
           exp2(2 * view->log2_stretch);
}

enum status plan_reach(const struct view_numbers *view)
{
    if (view->log2_step - view->log2_stretch >= DEEP_STEP_LEAST)
        return STATUS_OK;
    return status_fail(STATUS_UNREACHABLE,
                       "this view (zoom 1e%.1f) is too deep: perturbation ends at zoom 1e%.1f for "
                       "pictures %d pixels high",
                       view_log10_zoom(view),
                       log10(4.0 / view->height) - DEEP_STEP_LEAST * log10(2.0), view->height);
}

double plan_floats_least_px(const struct view_numbers *view)
{
    return FLOATS_LEAST * plan_unit_roundoff[NUMBER_FP32] * 0.5 * hypot(view->width, view->height) *
           exp2(2 * view->log2_stretch);
}

bool plan_floats_formula(const struct formula *formula)
{
    const enum deep_family family = deep_family(formula);
    return family == DEEP_QUADRATIC || family == DEEP_LISTS;
}

/* Largest bailout radius R with which floats hold all that a list comes to: a reference may come to
 * 2 R, and an operation later to size (2 R)^degree. */
static double floats_bailout_most(const struct formula_phase *list, double bailout)
{
    enum { LOG2_MOST = 125 }; /* exponent of floats, less sums of four such numbers */
    struct {
        int degree;
        double log2_size;
    } z = {1, 0}, kept = z;
    double most = SPEC_BAILOUT_MAX;
    for (int i = 0, factors = 0; i < list->operations; i++) {
        const enum formula_operation operation = list->operation[i];
        const double *factor = formula_has_factor(operation) ? list->factor[factors++] : NULL;
        if (operation == OPERATION_KEEP)
            kept = z;
        else if (operation == OPERATION_MUL) {
            z.degree += kept.degree;
            z.log2_size += kept.log2_size;
        } else if (operation == OPERATION_SQR) {
            z.degree *= 2;
            z.log2_size *= 2;
        } else if (operation == OPERATION_SCALE)
            z.log2_size += log2(hypot(factor[0], factor[1]));
        else if (operation == OPERATION_TIMES_C)
            z.log2_size += log2(2 * bailout);
        most = fmin(most, exp2((LOG2_MOST - fmax(z.log2_size, 0)) / z.degree - 1));
    }
    return most;
}

/* Refuses radii whose powers floats do not hold, and names the largest that they do hold if orbits
 * of the formula grow beyond it. */
static enum status floats_bailout_check(const struct spec *spec)
{
    double most = SPEC_BAILOUT_MAX, least;
    for (int p = 0; p < formula_phases(&spec->formula); p++) {
        const struct formula_phase list = formula_phase(&spec->formula, p);
        most = fmin(most, floats_bailout_most(&list, spec->bailout));
    }
    if (spec->bailout <= most)
        return STATUS_OK;
    TRY(formula_least_bailout(&spec->formula, &least));
    if (floor(most) < ceil(least))
        return status_fail(STATUS_UNREACHABLE,
                           "fp32 does not hold the powers of this formula at any bailout radius; "
                           "use --precision fp64");
    return status_fail(STATUS_UNREACHABLE,
                       "fp32 does not hold the powers of a bailout radius of %g; use --bailout "
                       "%.0f or less, or --precision fp64",
                       spec->bailout, floor(most));
}

/* Refuses lists that multiply by so much that floats overflow where a slope is followed: its square
 * is held at 2^100 (kernels/deep/number/real_f32.h), and a step multiplies it by the square of size
 * and degree before it multiplies by powers of |z|, which may be small. */
static enum status floats_stretch_check(const struct plan_question *question)
{
    static const double LOG2_MOST = 13.5; /* 100 + 2 LOG2_MOST: half of what floats hold */
    const struct formula *formula = &question->picture->spec.formula;
    const struct view_numbers *view = question->view;
    const double c = formula->plane == DYNAMIC_PLANE ? hypot(formula->c_re, formula->c_im)
                                                     : hypot(view->centre_re, view->centre_im);
    for (int p = 0; p < formula_phases(formula); p++) {
        const struct formula_phase list = formula_phase(formula, p);
        double stretch = list.size * list.degree;
        for (int i = 0; i < list.operations; i++)
            stretch *= list.operation[i] == OPERATION_TIMES_C ? c : 1;
        if (!(stretch < exp2(LOG2_MOST)))
            return status_fail(STATUS_UNREACHABLE,
                               "list %d of this formula stretches by %.6g (factors times degree), "
                               "and perturbation in fp32 holds %.0f at most; use --precision fp64",
                               p + 1, stretch, floor(exp2(LOG2_MOST)));
    }
    return STATUS_OK;
}

/* Refuses pictures whose pixels cannot be computed in fp32 (kernels/deep/number/late.h). */
static enum status floats_check(const struct plan_question *question)
{
    const struct picture *picture = question->picture;
    const struct view_numbers *view = question->view;
    if (!plan_floats_formula(&picture->spec.formula))
        return status_fail(STATUS_UNREACHABLE,
                           "this view (zoom 1e%.1f) needs perturbation, which computes formulas "
                           "that divide and Hénon maps in fp64 alone; use --precision fp64",
                           view_log10_zoom(view));
    TRY(floats_stretch_check(question));
    TRY(floats_bailout_check(&picture->spec));
    if (picture->blocks == BLOCKS_NONE)
        return status_fail(STATUS_UNREACHABLE,
                           "this view (zoom 1e%.1f) needs perturbation, which takes blocks in "
                           "fp32; leave out --blocks none, or use --precision fp64",
                           view_log10_zoom(view));
    if (picture->spec.planes & (PLANE_MASK_END | PLANE_MASK_ORBIT))
        return status_fail(STATUS_CONFIG,
                           "distances, phases, averages and traps are computed in fp64; use "
                           "--precision fp64, or leave them out of --planes");
    double least_px = plan_floats_least_px(view);
    if (picture->accuracy_px >= least_px)
        return STATUS_OK;
    return status_fail(STATUS_UNREACHABLE,
                       "perturbation in fp32 comes within %.2g pixels in a picture of this size, "
                       "and %g are asked for; use --precision fp64 or --accuracy %.2g",
                       least_px, picture->accuracy_px, least_px);
}

/* Blocks leave out what moves 99 of 100 pixels by less than the accuracy asked for, and doubles
 * round by so much (kernels/deep/deep.h). */
static enum status perturbation_choose(struct plan *plan, const struct plan_question *question,
                                       double amplification)
{
    const struct view_numbers *view = question->view;
    bool floats = question->picture->precision == PRECISION_FP32;
    if (floats)
        TRY(floats_check(question));
    TRY(plan_reach(view));
    if (question->picture->spec.planes & PLANE_MASK_ATTRACTOR)
        return status_fail(STATUS_CONFIG,
                           "periods and distances inside are found by direct iteration, which is "
                           "not exact enough here; leave them out of --planes");
    plan->method = METHOD_PERTURBATION;
    plan->number = floats ? NUMBER_FP32 : NUMBER_FP64;
    TRY(orbit_bits(view->log2_step - view->log2_stretch, question->picture->spec.limit,
                   &plan->orbit_bits));
    double least_px = fmax(question->picture->accuracy_px, roundings_px(view));
    double error_px =
        plan_error_px(view, &question->picture->spec.formula, NUMBER_FP64, amplification);
    plan->error_px[plan->number] = fmax(least_px, error_px);
    plan->falls_short = error_px > least_px;
    return STATUS_OK;
}

void plan_reached(struct plan *plan, double roundings_px)
{
    plan->roundings_px = roundings_px;
    plan->error_px[plan->number] = fmax(plan->error_px[plan->number], roundings_px);
    plan->falls_short |= roundings_px > plan->accuracy_px;
}

static const char *formula_said(const struct formula *formula)
{
    return formula->step == STEP_OWN ? "this formula" : formula_name(formula);
}

/* Without perturbation pixels are computed directly, as exactly as doubles can, and only not where
 * that would be visible, or might be. */
static enum status direct_check(struct plan *plan, const struct plan_question *question,
                                double amplification)
{
    double error_px = plan->error_px[NUMBER_FP64];
    plan->log10_zoom_end = log10_zoom_end(question, amplification, ERROR_MAX_PX);
    if (error_px <= ERROR_MAX_PX)
        return STATUS_OK;
    if (isfinite(error_px))
        return status_fail(
            STATUS_UNREACHABLE,
            "this view (zoom 1e%.1f) of %s would be wrong by %.2g pixels: without perturbation, "
            "fp64 ends at zoom 1e%.1f for pictures %d pixels high",
            view_log10_zoom(question->view), formula_said(&question->picture->spec.formula),
            error_px, plan->log10_zoom_end, question->view->height);
    if (question->picture->precision == PRECISION_FP64)
        return STATUS_OK;
    return status_fail(
        STATUS_UNREACHABLE,
        "how wrong fp64 would be in this view of %s is not known: orbits stay bounded "
        "for millions of steps; use a lower --limit, or --precision fp64 to take it "
        "all the same",
        formula_said(&question->picture->spec.formula));
}

static bool takes_floats(const struct picture *picture)
{
    return picture->precision == PRECISION_FP32 || picture->precision == PRECISION_DS;
}

/* Refuses features that z^2 + c has and other formulas have not. */
static enum status formula_limits(const struct plan_question *question)
{
    if (formula_quadratic(&question->picture->spec.formula))
        return STATUS_OK;
    if (takes_floats(question->picture))
        return status_fail(STATUS_CONFIG,
                           "%s is computed in fp64 where pixels need no perturbation; use "
                           "--precision fp64",
                           formula_said(&question->picture->spec.formula));
    if (question->picture->spec.planes & PLANE_MASK_DISTANCE &&
        !formula_has_distances(&question->picture->spec.formula))
        return status_fail(STATUS_CONFIG,
                           "%s has no distances: its orbits converge linearly, which bounds none; "
                           "leave 'distance' out of --planes",
                           formula_said(&question->picture->spec.formula));
    if (question->picture->spec.planes & PLANE_MASK_ATTRACTOR)
        return status_fail(STATUS_CONFIG,
                           "periods and distances inside are those of z^2 + c; leave 'period' and "
                           "'inside' out of --planes for %s",
                           formula_said(&question->picture->spec.formula));
    return STATUS_OK;
}

/* Does every list add c last, and nowhere else? */
static bool formula_adds_last(const struct formula *formula)
{
    for (int p = 0; p < formula_phases(formula); p++) {
        const struct formula_phase phase = formula_phase(formula, p);
        for (int i = 0; i < phase.operations; i++)
            if ((phase.operation[i] == OPERATION_ADD) != (i == phase.operations - 1))
                return false;
    }
    return true;
}

/* Refuses averages and traps along orbits where they are not defined. */
static enum status orbit_planes_check(const struct picture *picture)
{
    const struct formula *formula = &picture->spec.formula;
    if (picture->spec.planes & PLANE_MASK_ORBIT && formula_rational(formula))
        return status_fail(STATUS_CONFIG,
                           "averages and traps along orbits are of formulas that neither divide "
                           "nor converge; leave them out of --planes, --by and --layer-by for %s",
                           formula_said(formula));
    if (picture->spec.planes & PLANE_MASK_TRIANGLE && !formula_adds_last(formula))
        return status_fail(STATUS_CONFIG,
                           "'triangle' compares a step with the c that it adds last, which %s does "
                           "not; leave it out of --planes, --by and --layer-by",
                           formula_said(formula));
    return STATUS_OK;
}

/* Is perturbation worth its time where fp64 misses the target? In a whole Julia set beside a
 * parabolic point orbits are far from any reference: there its errors are nearly those of fp64, at
 * 300 times the time (z^2 - 0.75 + 0.0001 i at zoom 5). */
static bool perturbation_gains(const struct plan *plan, const struct plan_question *question,
                               double target, double amplification)
{
    double direct_px = plan->error_px[NUMBER_FP64];
    double perturbed_px =
        plan_error_px(question->view, &question->picture->spec.formula, NUMBER_FP64, amplification);
    return direct_px > ERROR_MAX_PX || perturbed_px <= target ||
           PERTURBATION_GAIN * perturbed_px <= direct_px;
}

const char *plan_short_reason(const struct plan *plan, const struct formula *formula)
{
    if (!formula_perturbed(formula))
        return "there is no perturbation of this formula here, and fp64 comes no nearer";
    if (plan->method == METHOD_PERTURBATION && !formula_quadratic(formula))
        return "orbits here come near to what contracts them, and lose digits there, and fp64 "
               "comes no nearer";
    return plan->method == METHOD_PERTURBATION
               ? "roundings add up along these orbits, in perturbation too"
               : "roundings add up along these orbits, and perturbation does not come so much "
                 "nearer that it is worth its time";
}

/* Refuses what direct iteration does not compute, or not in this number type. */
static enum status direct_limits(const struct plan_question *question)
{
    const struct picture *picture = question->picture;
    TRY(formula_limits(question));
    if (picture->spec.formula.plane == DYNAMIC_PLANE && picture->spec.planes & PLANE_MASK_INSIDE)
        return status_fail(STATUS_CONFIG, "distances inside are those of the Mandelbrot set; leave "
                                          "'inside' out of --planes for a Julia set");
    if (picture->spec.planes & (PLANE_MASK_END | PLANE_MASK_ORBIT) && takes_floats(picture))
        return status_fail(STATUS_CONFIG,
                           "distances, phases, averages and traps are computed in fp64; use "
                           "--precision fp64, or leave them out of --planes");
    return STATUS_OK;
}

/* Takes double-single, which is never chosen: counts are the same bits on all devices of a job, and
 * where doubles are fast it is slower. */
static enum status ds_choose(struct plan *plan, const struct plan_question *question, double target)
{
    double error_px = plan->error_px[NUMBER_DS], zoom = view_log10_zoom(question->view);
    TRY(direct_limits(question));
    plan->method = METHOD_DIRECT;
    plan->number = NUMBER_DS;
    if (error_px <= target)
        return STATUS_OK;
    if (error_px <= ERROR_MAX_PX)
        return status_fail(STATUS_UNREACHABLE,
                           "in double-single this view (zoom 1e%.1f) would be wrong by %.2g "
                           "pixels, and %g are asked for; use --precision fp64 or --accuracy %.2g",
                           zoom, error_px, plan->accuracy_px, fmin(1.05 * error_px, ERROR_MAX_PX));
    if (isfinite(error_px))
        return status_fail(STATUS_UNREACHABLE,
                           "in double-single this view (zoom 1e%.1f) would be wrong by %.2g "
                           "pixels; use --precision fp64",
                           zoom, error_px);
    return status_fail(STATUS_UNREACHABLE,
                       "how wrong double-single would be in this view is not known: orbits stay "
                       "bounded for millions of steps; use a lower --limit, or --precision fp64");
}

enum status plan_number_choose(struct plan *plan, const struct plan_question *question)
{
    double target =
        fmin(fmax(question->picture->accuracy_px, roundings_px(question->view)), ERROR_MAX_PX);
    TRY(orbit_planes_check(question->picture));
    const struct picture_known *known = question->picture->known;
    struct plan_amplification amplification =
        known ? known->error_amplification : (struct plan_amplification){.direct = 0};
    if (question->picture->of_many &&
        !plan_error_matters(question->view, &question->picture->spec.formula))
        amplification = (struct plan_amplification){.direct = 1};
    else if (!(amplification.direct > 0)) /* some milliseconds */
        amplification = plan_error_amplification(question->view, &question->picture->spec.formula,
                                                 question->picture->spec.limit, question->stop);
    if (stop_asked(question->stop))
        return status_fail(STATUS_STOPPED, "stopped on request while a plan was made");
    for (int n = 0; n < NUMBERS; n++)
        plan->error_px[n] = plan_error_px(question->view, &question->picture->spec.formula,
                                          (enum number)n, amplification.direct);
    plan->accuracy_px = question->picture->accuracy_px;
    plan->log10_zoom_end = log10_zoom_end(question, amplification.direct, target);
    if (question->picture->precision == PRECISION_DS)
        return ds_choose(plan, question, target);
    bool floats = question->picture->precision == PRECISION_FP32;
    /* Direct iteration in fp32, which z^2 + c alone has, ends before that in fp64, and perturbation
     * goes on in fp32. */
    bool goes_on = floats && formula_quadratic(&question->picture->spec.formula);
    double most = goes_on ? ERROR_MAX_PX : target;
    bool direct = plan->error_px[goes_on ? NUMBER_FP32 : NUMBER_FP64] <= most;
    if (!formula_perturbed(&question->picture->spec.formula))
        TRY(direct_check(plan, question, amplification.direct));
    else if (!direct && perturbation_gains(plan, question, target, amplification.perturbed))
        return perturbation_choose(plan, question, amplification.perturbed);
    TRY(direct_limits(question));
    bool again = question->picture->spec.planes & (PLANE_MASK_END | PLANE_MASK_ORBIT);
    bool exact_enough_32 = plan->error_px[NUMBER_FP32] <= target;
    plan->number = question->picture->precision == PRECISION_FP32 ? NUMBER_FP32
                   : question->picture->precision == PRECISION_AUTO && exact_enough_32 && !again &&
                           formula_quadratic(&question->picture->spec.formula)
                       ? NUMBER_FP32
                       : NUMBER_FP64;
    plan->falls_short = plan->number == NUMBER_FP64 && !direct;
    double error_px = plan->error_px[plan->number];
    if (error_px <= ERROR_MAX_PX)
        return STATUS_OK;
    return status_fail(STATUS_UNREACHABLE,
                       "in fp32 this view (zoom 1e%.1f) would be wrong by %.2g pixels; "
                       "use --precision fp64",
                       view_log10_zoom(question->view), error_px);
}
