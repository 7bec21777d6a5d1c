/* The plan in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/field.h"
#include "kernels/formula/rational.h"
#include "kernels/formula_text.h"
#include "render/plan.h"
#include "render/reference.h"
#include "render/samples.h"

static const char *const number_names[NUMBERS] = {[NUMBER_FP32] = "fp32", [NUMBER_FP64] = "fp64"};

static double mib(uint64_t bytes)
{
    return (double)bytes / (1024.0 * 1024.0);
}

static const char *why_number(const struct plan *plan, const struct plan_inputs *inputs)
{
    if (plan->method == METHOD_PERTURBATION)
        return "what perturbation is computed in";
    if (plan->falls_short)
        return "the most exact there is without perturbation; the accuracy asked for is out of "
               "reach";
    if (!formula_quadratic(&inputs->formula))
        return "what this formula is computed in";
    if (inputs->precision != PRECISION_AUTO)
        return "asked for";
    if (plan->number == NUMBER_FP32)
        return "the cheapest that reaches the accuracy asked for";
    if (inputs->planes & PLANE_MASK_END)
        return "what distances and phases are computed in";
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

static void samples_text(const struct plan *plan, int samples, char *text, size_t bytes)
{
    const char *where = plan->lights ? "rank 0's GPU" : "the processor";
    if (samples == SAMPLES_AUTO)
        snprintf(text, bytes,
                 "%d a pixel, and up to %d where their colours differ; averaged in linear light "
                 "by %s: %s",
                 SAMPLES_AUTO_LEAST, SAMPLES_AUTO_MOST, where, plan->lights_reason);
    else if (samples_most(samples) > 1)
        snprintf(text, bytes, "%d a pixel, averaged in linear light by %s: %s", samples, where,
                 plan->lights_reason);
    else
        snprintf(text, bytes, "1 a pixel, its centre");
}

/* What ends an orbit, where that is not |z_n| > R alone. */
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

static void formula_line(const struct formula *formula, char *text, size_t bytes)
{
    char says[FORMULA_TEXT_BYTES];
    int length = snprintf(text, bytes, "formula     ");
    if (!formula_quadratic(formula))
        length += snprintf(text + length, bytes - (size_t)length, "%s: %s%s%s",
                           formula_name(formula), formula_says(formula, says), ends_text(formula),
                           formula_julia(formula) ? "; " : "\n");
    if (formula_julia(formula))
        snprintf(text + length, bytes - (size_t)length, "Julia set of c = %.10g %+.10g i\n",
                 formula->c_re, formula->c_im);
}

/* Of a formula without perturbation. */
static const char *why_direct(const struct formula *formula)
{
    if (formula_rational(formula))
        return rational_why_direct(formula);
    return formula_phases(formula) > FORMULA_PERTURBED_PHASES_MAX
               ? ", of so many lists"
               : ", which multiplies what was added to";
}

void plan_explain(const struct plan *plan, const struct plan_inputs *inputs, char *text,
                  size_t bytes)
{
    const struct view_numbers *view = &inputs->view;
    char away[256] = "", away_memory[48] = "", tiles[96], gpu[64] = "", method[160],
         reference[128] = "";
    char step[32], fp32[32] = "", julia[FORMULA_TEXT_BYTES + 160] = "", samples[192],
                   light[64] = "", strips[160] = "";
    const struct formula *formula = &inputs->formula;
    const bool is_julia = formula->plane == DYNAMIC_PLANE;
    const char *again = inputs->planes & PLANE_MASK_END && plan->method == METHOD_DIRECT &&
                                !formula_rational(formula)
                            ? "; distances and phases by a second pass over what escapes"
                            : "";
    const char *inside = inputs->planes & PLANE_MASK_ATTRACTOR
                             ? "; periods by a further pass over what does not"
                             : "";
    step_text(view, step, sizeof step);
    if (plan->method == METHOD_PERTURBATION)
        snprintf(method, sizeof method,
                 "perturbation along an orbit of %ld bits or more, %s%s; direct iteration ends "
                 "at zoom 1e%.1f for this accuracy",
                 plan->orbit_bits, inputs->blocks ? "blocks: " : "step by step",
                 inputs->blocks ? plan_blocks_name(inputs->blocks) : "", plan->log10_zoom_end);
    else if (!formula_perturbed(formula))
        snprintf(method, sizeof method,
                 "direct iteration, the only one for this formula%s; for this height it ends at "
                 "zoom 1e%.1f",
                 why_direct(formula), plan->log10_zoom_end);
    else
        snprintf(method, sizeof method,
                 "direct iteration; for this height and accuracy it ends at zoom 1e%.1f",
                 plan->log10_zoom_end);
    if (plan->method == METHOD_PERTURBATION)
        snprintf(reference, sizeof reference,
                 "reference   up to %.4g MiB of orbit and %.4g MiB of blocks on every rank\n",
                 reference_orbit_most(&inputs->formula, inputs->limit) / 0x1p20,
                 reference_blocks_most(&inputs->formula, inputs->limit, inputs->blocks) / 0x1p20);
    else
        snprintf(fp32, sizeof fp32, "fp32 %.1e px, fp64 ", plan->error_px[NUMBER_FP32]);
    if (is_julia || !formula_quadratic(formula))
        formula_line(formula, julia, sizeof julia);
    samples_text(plan, inputs->samples, samples, sizeof samples);
    if (plan->strip_rows < view->height)
        snprintf(strips, sizeof strips,
                 "strips      %lld of %d rows at a time, written as they come%s\n",
                 (long long)((view->height - 1) / plan->strip_rows) + 1, plan->strip_rows,
                 plan->writers ? ", each by a rank that computes it" : "");
    if (plan->light_bytes)
        snprintf(light, sizeof light, ", mean of the samples %.1f MiB", mib(plan->light_bytes));
    if (plan->device_bytes)
        snprintf(gpu, sizeof gpu, ", rank 0's GPU %.1f MiB", mib(plan->device_bytes));
    if (plan->interleaved)
        snprintf(tiles, sizeof tiles, "%u interleaved, each of every %u-th band of %d rows",
                 plan->interleaved, plan->interleaved, plan->tile_px);
    else if (plan->predicts_cost)
        snprintf(tiles, sizeof tiles,
                 "of up to about %d x %d pixels, cut and sorted by a coarse pass", plan->tile_px,
                 plan->tile_px);
    else
        snprintf(tiles, sizeof tiles, "%u of %d x %d pixels, in %s order", plan->tiles,
                 plan->tile_px, plan->tile_px,
                 plan->order == TILE_ORDER_MORTON ? "Morton" : "spiral");
    if (plan->away_bytes)
        snprintf(away_memory, sizeof away_memory, ", on other machines %.1f MiB",
                 mib(plan->away_bytes));
    if (plan->away_transport)
        snprintf(away, sizeof away, "            from other machines %s: %s\n",
                 plan->away_transport, plan->away_reason);
    snprintf(
        text, bytes,
        "view        %d x %d pixels, %s of %s per pixel, zoom 1e%.2f, limit %lld\n%s"
        "method      %s\n"
        "numbers     %s: %s\n"
        "accuracy    %g px asked for; predicted backward error: %s%.1e px\n"
        "planes      %zu bytes per pixel, counts of %d bits%s%s\n"
        "%stiles       %s\n"
        "schedule    %s over %d device%s of %d computing rank%s of %d\n"
        "forecast    %s: %s\n"
        "transport   %s: %s\n%s"
        "samples     %s\n"
        "memory      frame %.1f MiB, transport %.1f MiB, each computing rank %.1f MiB%s%s%s\n%s",
        view->width, view->height, step, is_julia ? "z" : "c", view_log10_zoom(view),
        (long long)inputs->limit, julia, method, number_names[plan->number],
        why_number(plan, inputs), plan->accuracy_px, fp32, plan->error_px[NUMBER_FP64],
        planes_bytes(inputs->planes, plan->count_bytes), 8 * plan->count_bytes, again, inside,
        strips, tiles, plan->schedule, plan->devices, plan->devices == 1 ? "" : "s",
        plan->computing_ranks, plan->computing_ranks == 1 ? "" : "s", plan->ranks,
        plan->predicts_cost ? "on" : "off", plan->forecast_reason, plan->transport,
        plan->transport_reason, away, samples, mib(plan->frame_bytes), mib(plan->transport_bytes),
        mib(plan->worker_bytes), away_memory, light, gpu, reference);
}
