/* The plan in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decomposition/transport/transport.h"
#include "kernels/field.h"
#include "kernels/formula/rational.h"
#include "kernels/formula_text.h"
#include "render/colour/samples.h"
#include "render/plan/plan_question.h"
#include "render/reference/reference.h"

static double mib(uint64_t bytes)
{
    return (double)bytes / (1024.0 * 1024.0);
}

static const char *why_number(const struct plan *plan, const struct picture *picture)
{
    if (plan->falls_short)
        return formula_perturbed(&picture->spec.formula)
                   ? "nothing here is so much more exact that it is worth its time; the accuracy "
                     "asked for is out of reach"
                   : "the most exact there is without perturbation; the accuracy asked for is out "
                     "of reach";
    if (plan->method == METHOD_PERTURBATION && plan->number == NUMBER_FP32)
        return "asked for; c alone is computed in fp64";
    if (plan->method == METHOD_PERTURBATION)
        return "what perturbation is computed in";
    if (!formula_quadratic(&picture->spec.formula))
        return "what this formula is computed in";
    if (picture->precision != PRECISION_AUTO)
        return "asked for";
    if (plan->number == NUMBER_FP32)
        return "the cheapest that reaches the accuracy asked for";
    if (picture->spec.planes & PLANE_MASK_END)
        return "what distances and phases are computed in";
    if (picture->spec.planes & PLANE_MASK_ORBIT)
        return "what averages and traps are computed in";
    return "fp32 would not reach the accuracy asked for";
}

/* To three digits, of a step that doubles may not hold. */
static void step_text(const struct view_numbers *view, char *text, size_t bytes)
{
    double log10_step = view->log2_step * log10(2.0);
    if (view->exponent)
        snprintf(text, bytes, "%.2fe%.0f", pow(10, log10_step - floor(log10_step)),
                 floor(log10_step));
    else
        snprintf(text, bytes, "%.3g", view->step);
}

static void view_line(const struct picture *picture, const struct view_numbers *view, FILE *stream)
{
    char step[32];
    step_text(view, step, sizeof step);
    char stretched[48] = "";
    if (view->log2_stretch != 0)
        snprintf(stretched, sizeof stretched, ", stretched by %.4g", exp2(2 * view->log2_stretch));
    fprintf(stream, "view        %d x %d pixels, %s of %s per pixel, zoom 1e%.2f%s%s, limit %lld\n",
            view->image_width, view->image_height, step,
            picture->spec.formula.plane == DYNAMIC_PLANE ? "z" : "c", view_log10_zoom(view),
            view->down_y < 0 ? ", mirrored" : "", stretched, (long long)picture->spec.limit);
    const struct tile *region = &picture->region;
    if (region->width)
        fprintf(stream, "region      %d x %d of them, from (%d, %d)\n", region->width,
                region->height, region->x, region->y);
}

/* Condition that ends an orbit, where that is not |z_n| > R alone. */
static const char *ends_text(const struct formula *formula)
{
    if (!formula_rational(formula))
        return "";
    switch (rational_kind(formula)->rule.ends) {
    case ENDS_AT_REST:
        return ", until |z_n - z_(n-1)| <= 1/R";
    case ENDS_AT_ONE:
        return ", until |z_n| > R or |z_n - 1| <= 1/R";
    case ENDS_NEVER:
        break;
    }
    return "";
}

static void formula_line(const struct formula *formula, FILE *stream)
{
    char says[FORMULA_TEXT_BYTES];
    bool julia = formula_julia(formula);
    if (formula_mandelbrot(formula))
        return;
    fputs("formula     ", stream);
    if (!formula_quadratic(formula))
        fprintf(stream, "%s: %s%s%s", formula_name(formula), formula_says(formula, says),
                ends_text(formula), julia ? "; " : "\n");
    if (julia)
        fprintf(stream, "Julia set of c = %.10g %+.10g i\n", formula->c_re, formula->c_im);
}

/* Reason why a formula is without perturbation. */
static const char *why_direct(const struct formula *formula)
{
    return formula_phases(formula) > FORMULA_PERTURBED_PHASES_MAX
               ? ", of so many lists"
               : ", which multiplies what was added to";
}

/* Name of the blocks, which for Hénon maps are of second order, in two numbers. */
static const char *blocks_name(const struct picture *picture)
{
    bool henon = picture->blocks == BLOCKS_QUARTIC && rational_by_last(&picture->spec.formula) != 0;
    return henon ? "quadratic" : plan_blocks_name(picture->blocks);
}

static void method_line(const struct plan *plan, const struct picture *picture, FILE *stream)
{
    double ends = plan->log10_zoom_end;
    if (plan->method == METHOD_PERTURBATION) {
        fprintf(stream, "method      perturbation along an orbit of %ld bits or more, %s%s; ",
                plan->orbit_bits, picture->blocks ? "blocks: " : "step by step",
                picture->blocks ? blocks_name(picture) : "");
        if (isfinite(ends))
            fprintf(stream, "direct iteration ends at zoom 1e%.1f for this accuracy\n", ends);
        else
            fputs("how exact direct iteration is is not known\n", stream);
    } else if (!isfinite(ends))
        fputs("method      direct iteration\n", stream);
    else if (!formula_perturbed(&picture->spec.formula))
        fprintf(stream,
                "method      direct iteration, the only one for this formula%s; for this height it "
                "ends at zoom 1e%.1f\n",
                why_direct(&picture->spec.formula), ends);
    else
        fprintf(stream,
                "method      direct iteration; for this height and accuracy it ends at zoom "
                "1e%.1f\n",
                ends);
}

void plan_error_text(double error_px, char text[PLAN_ERROR_TEXT_BYTES])
{
    if (!isfinite(error_px))
        snprintf(text, PLAN_ERROR_TEXT_BYTES, "not known");
    else if (error_px > 1e300) /* what plan_error_px ends at */
        snprintf(text, PLAN_ERROR_TEXT_BYTES, "more than 1e300 px");
    else
        snprintf(text, PLAN_ERROR_TEXT_BYTES, "%.1e px", error_px);
}

/* Would double-single serve where the plan takes doubles and a GPU is slow in them? */
static bool ds_serves(const struct plan *plan, const struct picture *picture)
{
    return plan->facts.slow_doubles && plan->method == METHOD_DIRECT &&
           plan->number == NUMBER_FP64 && plan->error_px[NUMBER_DS] <= plan->accuracy_px &&
           formula_quadratic(&picture->spec.formula) &&
           !(picture->spec.planes & (PLANE_MASK_END | PLANE_MASK_ORBIT));
}

static void accuracy_lines(const struct plan *plan, const struct picture *picture, FILE *stream)
{
    char error[NUMBERS][PLAN_ERROR_TEXT_BYTES];
    for (int n = 0; n < NUMBERS; n++)
        plan_error_text(plan->error_px[n], error[n]);
    fprintf(stream, "numbers     %s: %s\naccuracy    %g px asked for; predicted backward error: ",
            plan_number_name(plan->number), why_number(plan, picture), plan->accuracy_px);
    if (plan->method != METHOD_DIRECT)
        fprintf(stream, "%s\n", error[plan->number]);
    else if (plan->number == NUMBER_DS)
        fprintf(stream, "fp32 %s, ds %s, fp64 %s\n", error[NUMBER_FP32], error[NUMBER_DS],
                error[NUMBER_FP64]);
    else
        fprintf(stream, "fp32 %s, fp64 %s\n", error[NUMBER_FP32], error[NUMBER_FP64]);
    if (ds_serves(plan, picture))
        fprintf(stream,
                "            a GPU here computes fp64 at less than 1/8 of fp32: --precision ds "
                "takes two floats for a double, within %s\n",
                error[NUMBER_DS]);
}

/* Could pixels be in fp32 instead, if that were asked for? */
static bool floats_could(const struct plan *plan, const struct picture *picture,
                         const struct view_numbers *view)
{
    return plan->method == METHOD_PERTURBATION && plan->number == NUMBER_FP64 &&
           plan_floats_formula(&picture->spec.formula) && picture->blocks != BLOCKS_NONE &&
           !(picture->spec.planes & (PLANE_MASK_END | PLANE_MASK_ORBIT)) &&
           picture->accuracy_px >= plan_floats_least_px(view);
}

static void floats_line(const struct plan *plan, const struct picture *picture,
                        const struct view_numbers *view, FILE *stream)
{
    if (plan->facts.slow_doubles && floats_could(plan, picture, view))
        fprintf(
            stream,
            "            the GPU is slow in fp64: --precision fp32 may be faster; its roundings "
            "come to some %.1e px\n",
            plan_floats_least_px(view));
}

/* How averages and traps along orbits are computed. */
static const char *orbit_pass(const struct plan *plan, const struct picture *picture)
{
    if (!(picture->spec.planes & PLANE_MASK_ORBIT))
        return "";
    return plan->method == METHOD_PERTURBATION && picture->blocks != BLOCKS_NONE
               ? "; averages and traps by a further pass over it, step by step and without blocks, "
                 "which may take many times as long as the counts"
               : "; averages and traps by a further pass over it, step by step";
}

static void planes_line(const struct plan *plan, const struct picture *picture, FILE *stream)
{
    bool again = picture->spec.planes & PLANE_MASK_END && plan->method == METHOD_DIRECT &&
                 !formula_rational(&picture->spec.formula);
    fprintf(stream, "planes      %zu bytes per pixel, counts of %d bits%s%s%s\n",
            planes_bytes(picture->spec.planes, plan->count_bytes), 8 * plan->count_bytes,
            again ? "; distances and phases by a second pass over what escapes" : "",
            orbit_pass(plan, picture),
            picture->spec.planes & PLANE_MASK_ATTRACTOR
                ? "; periods by a further pass over what does not"
                : "");
}

static void tiles_lines(const struct plan *plan, int32_t height, FILE *stream)
{
    if (plan->strip_rows < height)
        fprintf(stream, "strips      %lld of %d rows at a time, written as they come%s\n",
                (long long)((height - 1) / plan->strip_rows) + 1, plan->strip_rows,
                plan->writers ? ", each by a rank that computes it" : "");
    fputs("tiles       ", stream);
    if (plan->interleaved)
        fprintf(stream, "%u interleaved, each of every %u-th band of %d rows\n", plan->interleaved,
                plan->interleaved, plan->tile_px);
    else if (plan->predicts_cost)
        fprintf(stream, "of up to about %d x %d pixels, cut and sorted by a coarse pass\n",
                plan->tile_px, plan->tile_px);
    else
        fprintf(stream, "%u of %d x %d pixels, in %s order\n", plan->tiles, plan->tile_px,
                plan->tile_px, plan->order == TILE_ORDER_MORTON ? "Morton" : "spiral");
}

static void ranks_lines(const struct plan *plan, FILE *stream)
{
    fprintf(stream, "schedule    %s over %d device%s of %d computing rank%s of %d\n",
            plan->schedule, plan->facts.devices, plan->facts.devices == 1 ? "" : "s",
            plan->facts.computing_ranks, plan->facts.computing_ranks == 1 ? "" : "s",
            plan->facts.ranks);
    fprintf(stream, "forecast    %s: %s\n", plan->predicts_cost ? "on" : "off", plan->why.forecast);
    fprintf(stream, "transport   %s: %s\n", plan->transport, plan->why.transport);
    if (plan->away_transport[0])
        fprintf(stream, "            from other machines %s: %s\n", plan->away_transport,
                plan->why.away);
    if (transport_named(plan->transport)->at_end ||
        (plan->away_transport[0] && transport_named(plan->away_transport)->at_end))
        fputs("            rank 0 takes memory for a second picture, and needs every rank at the "
              "end\n",
              stream);
}

static void samples_line(const struct plan *plan, int samples, FILE *stream)
{
    const char *where = plan->lights ? "rank 0's GPU" : "the processor";
    if (samples == SAMPLES_AUTO)
        fprintf(stream,
                "samples     %d a pixel, and up to %d where their colours differ; averaged in "
                "linear light by %s: %s\n",
                SAMPLES_AUTO_LEAST, SAMPLES_AUTO_MOST, where, plan->why.lights);
    else if (samples_most(samples) > 1)
        fprintf(stream, "samples     %d a pixel, averaged in linear light by %s: %s\n", samples,
                where, plan->why.lights);
    else
        fputs("samples     1 a pixel, its centre\n", stream);
}

static void memory_lines(const struct plan *plan, const struct picture *picture, FILE *stream)
{
    fprintf(stream, "memory      frame %.1f MiB, transport %.1f MiB, each computing rank %.1f MiB",
            mib(plan->bytes.frame), mib(plan->bytes.transport), mib(plan->bytes.worker));
    if (plan->bytes.away)
        fprintf(stream, ", on other machines %.1f MiB", mib(plan->bytes.away));
    if (plan->bytes.light)
        fprintf(stream, ", mean of the samples %.1f MiB", mib(plan->bytes.light));
    if (plan->bytes.device)
        fprintf(stream, ", rank 0's GPU %.1f MiB", mib(plan->bytes.device));
    fputc('\n', stream);
    if (plan->method == METHOD_PERTURBATION)
        fprintf(
            stream, "reference   up to %.4g MiB of orbit and %.4g MiB of blocks on every rank\n",
            reference_orbit_most(&picture->spec.formula, picture->spec.limit) / 0x1p20,
            reference_blocks_most(&picture->spec.formula, picture->spec.limit, picture->blocks) /
                0x1p20);
}

void plan_explain(const struct plan *plan, const struct picture *picture,
                  const struct view_numbers *view, FILE *stream)
{
    view_line(picture, view, stream);
    formula_line(&picture->spec.formula, stream);
    method_line(plan, picture, stream);
    accuracy_lines(plan, picture, stream);
    floats_line(plan, picture, view, stream);
    planes_line(plan, picture, stream);
    tiles_lines(plan, view->height, stream);
    ranks_lines(plan, stream);
    samples_line(plan, picture->samples, stream);
    memory_lines(plan, picture, stream);
}
