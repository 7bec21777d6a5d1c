#include "render/truth/verify.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "kernels/escape/pixel.h"
#include "kernels/field.h"
#include "kernels/formula/rational_end.h"
#include "kernels/stop.h"
#include "render/growing/recompute.h"
#include "render/picture/picture_plan.h"
#include "render/truth/truth_sums.h"

/* ---- the choice of the pixels that are proven ---- */

enum { CANDIDATES = 8 /* candidates for every sample that is not evenly placed */ };

struct pixel_choice {
    const struct field *picture;
    uint64_t random;
};

struct pixel {
    int32_t x, y;
};

/* Next number of SplitMix64 (Steele, Lea, Flood 2014): any seed will do, and it is the same
 * everywhere. */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Random number 0 ... below - 1. */
static int32_t random_below(uint64_t *state, int32_t below)
{
    return (int32_t)((random_next(state) >> 32) * (uint64_t)below >> 32);
}

static struct pixel pixel_anywhere(struct pixel_choice *choice)
{
    int32_t x = random_below(&choice->random, choice->picture->width);
    return (struct pixel){x, random_below(&choice->random, choice->picture->height)};
}

static size_t pixel_index(const struct field *picture, int32_t x, int32_t y)
{
    return (size_t)y * (size_t)picture->width + (size_t)x;
}

static uint64_t pixel_count(const struct field *picture, struct pixel pixel)
{
    return field_count_at(picture, pixel_index(picture, pixel.x, pixel.y));
}

static float plane_at(const struct field *picture, enum plane plane, size_t index)
{
    return picture->plane[plane] ? ((const float *)picture->plane[plane])[index] : 0;
}

/* Draws one pixel in each of `count` cells of a grid over the picture. */
static void pixels_even(struct pixel_choice *choice, struct verify_sample *sample, int count)
{
    int32_t width = choice->picture->width, height = choice->picture->height;
    int columns = (int)ceil(sqrt((double)count * width / height));
    columns = columns < 1 ? 1 : columns > count ? count : columns;
    int rows = (count + columns - 1) / columns;
    for (int i = 0; i < count; i++) {
        int64_t cell = (int64_t)i * columns * rows / count; /* covers all edges of the picture */
        int64_t column = cell % columns, row = cell / columns;
        int32_t left = (int32_t)(column * width / columns);
        int32_t right = (int32_t)((column + 1) * width / columns);
        int32_t top = (int32_t)(row * height / rows);
        int32_t bottom = (int32_t)((row + 1) * height / rows);
        sample[i].x = left + random_below(&choice->random, right > left ? right - left : 1);
        sample[i].y = top + random_below(&choice->random, bottom > top ? bottom - top : 1);
    }
}

/* Continuous count; larger than any other for a pixel that did not escape. */
static double pixel_nu(const struct field *picture, int32_t x, int32_t y)
{
    size_t index = pixel_index(picture, x, y);
    uint64_t count = field_count_at(picture, index);
    return count ? (double)count + (double)plane_at(picture, PLANE_FRACTION, index) : 0x1p70;
}

/* Change of the count from this pixel to the next; -1 for a pixel that did not escape. The gradient
 * of the continuous count is 2 / (ln 2 d), so where it is steep the set is near. */
static double pixel_steepness(const struct field *picture, struct pixel pixel)
{
    int32_t right = pixel.x + 1 < picture->width ? pixel.x + 1 : pixel.x;
    int32_t below = pixel.y + 1 < picture->height ? pixel.y + 1 : pixel.y;
    double here = pixel_nu(picture, pixel.x, pixel.y);
    if (here >= 0x1p69)
        return -1;
    return fmax(fabs(pixel_nu(picture, right, pixel.y) - here),
                fabs(pixel_nu(picture, pixel.x, below) - here));
}

/* Draws the steepest of a few random pixels. */
static struct pixel pixel_steep(struct pixel_choice *choice)
{
    struct pixel best = {0, 0};
    double steepest = -2;
    for (int k = 0; k < CANDIDATES; k++) {
        struct pixel pixel = pixel_anywhere(choice);
        double steepness = pixel_steepness(choice->picture, pixel);
        if (steepness <= steepest)
            continue;
        steepest = steepness;
        best = pixel;
    }
    return best;
}

/* Draws a random pixel that escapes and one that does not; false if a few draws gave only one
 * kind. */
static bool ends_draw(struct pixel_choice *choice, struct pixel end[2])
{
    bool seen[2] = {false, false};
    for (int k = 0; k < CANDIDATES && !(seen[0] && seen[1]); k++) {
        struct pixel pixel = pixel_anywhere(choice);
        bool escapes = pixel_count(choice->picture, pixel) > 0;
        end[escapes] = pixel;
        seen[escapes] = true;
    }
    return seen[0] && seen[1];
}

/* Draws one of two neighbours of which one escapes: halves the way between such a pair until they
 * touch. A faulty interior test is found here or nowhere. */
static struct pixel pixel_border(struct pixel_choice *choice)
{
    struct pixel end[2];
    if (!ends_draw(choice, end))
        return pixel_steep(choice);
    while (abs(end[0].x - end[1].x) > 1 || abs(end[0].y - end[1].y) > 1) {
        struct pixel middle = {(end[0].x + end[1].x) / 2, (end[0].y + end[1].y) / 2};
        end[pixel_count(choice->picture, middle) > 0] = middle;
    }
    return end[random_next(&choice->random) >> 63];
}

/* Sets x, y and what the picture has there for `count` samples: half of them evenly over the
 * picture, a quarter where counts change fastest and a quarter on the border of what does not
 * escape, or of the former kind where nothing is. `picture` has counts and fractions, in host
 * memory. The same seed takes the same pixels of the same picture. */
static void verify_pixels(const struct field *picture, uint64_t seed, struct verify_sample *sample,
                          int count)
{
    struct pixel_choice choice = {picture, seed};
    int even = (count + 1) / 2, steep = (count - even) / 2;
    pixels_even(&choice, sample, even);
    for (int i = even; i < count; i++) {
        struct pixel pixel = i < even + steep ? pixel_steep(&choice) : pixel_border(&choice);
        sample[i].x = pixel.x;
        sample[i].y = pixel.y;
    }
    for (int i = 0; i < count; i++) {
        size_t index = pixel_index(picture, sample[i].x, sample[i].y);
        sample[i].got = (int64_t)field_count_at(picture, index);
        for (int p = PLANE_FRACTION; p < PLANES; p++)
            sample[i].plane[p] = plane_at(picture, (enum plane)p, index);
    }
}

struct session { /* state of a verification on rank 0 */
    const struct picture *picture;
    const struct verify_hooks *hooks;
    struct kept_reference kept; /* reference of a picture by perturbation */
    struct recompute again;     /* computes its pixels again with that reference */
    enum method method;
    struct truth_sums_rule sums; /* for sums along orbits */
    bool with_sums;              /* the picture has some */
};

/* ---- one sample ----------------------------------------------------------------------------- */

/* Compares w = z_n with the true one, n the true count: w, and ln|w| times |w|. To first order
 * the second is part of the first; but an orbit that should have escaped and is still small differs
 * by |z_n| at most, which is worth 1/14 of the distance to the set, while its logarithm differs by
 * half of that distance. Beyond it dz/dc says nothing (the computed orbit may have left for
 * infinity); then that is the error. What rounding z_n itself to doubles is worth, 2^-53 |z| in
 * either, is none: where the set is 1e17 pixels away, z_n changes too little from pixel to pixel
 * for a double to show. The same holds for the roundings of the last steps, 2^-STEPS_BITS |z|,
 * where perturbation takes these without the reference, and near an attracting point, where a step
 * forgets its pixel: dw is a thousandth of what it was and less. */
enum { STEPS_BITS = 46 };

/* Error by the step before the last, for an orbit that converges: the last step makes of it a part
 * of itself, so that its rounding, which may be large where c is small, moves nothing. */
static double last_error_px(const struct session *s, const struct truth *truth,
                            const struct recomputed *again)
{
    double moved = hypot(again->last_re - truth->last_re, again->last_im - truth->last_im);
    double error_px = exp2(log2(moved) - truth->log2_last_dz - s->again.numbers.log2_step);
    return truth->near && !isnan(error_px) ? error_px : INFINITY;
}

static void sample_measure(const struct session *s, const struct recomputed *again,
                           struct verify_sample *sample)
{
    const struct truth *truth = &sample->truth;
    if (!truth->certified || !truth->count)
        return;
    struct rational_state z = {again->z_re, again->z_im, again->last_re, again->last_im};
    double re = z.x, im = z.y;
    if (truth->near)
        rational_rest(&rational_kind(&s->picture->spec.formula)->rule, &z, &re, &im);
    double w_abs = hypot(truth->w_re, truth->w_im);
    double moved = hypot(re - truth->w_re, im - truth->w_im);
    moved = fmax(moved, fabs(log(hypot(re, im) / w_abs)) * w_abs);
    /* log2 of the change of w per pixel */
    double pixel_log2 = truth->log2_dz + s->again.numbers.log2_step;
    int spared_bits = truth->near || s->method == METHOD_PERTURBATION ? STEPS_BITS : 52;
    double rounding_px = exp2(log2(hypot(truth->z_re, truth->z_im)) - spared_bits - pixel_log2);
    /* fmin returns the number where one is NaN */
    double error_px = fmin(exp2(log2(moved) - pixel_log2), truth->distance_px);
    error_px = truth_bent(error_px, truth->bend);
    double more_px = fmax(0, error_px - rounding_px);
    sample->end_px = truth->near && s->method == METHOD_DIRECT ? error_px : more_px;
    sample->error_px = fmin(more_px, last_error_px(s, truth, again));
}

/* 1 - log_base(size), size 1 where the count ends. */
static double fraction_by(double size, double base)
{
    return 1 - log(size) / log(base);
}

/* Fraction of a formula that divides or converges (docs/formulas.md, section 3), without the
 * arithmetic of the kernels, which is what is to be proven. */
static double fraction_rational(const struct rational_rule *rule, const struct truth *truth,
                                double c_abs, double bailout)
{
    double log_bailout = log(bailout), size = hypot(truth->w_re, truth->w_im);
    double ends = fabs(log(fmax(size, sqrt(RATIONAL_LEAST)))) / log_bailout;
    /* size of the step before, of an orbit that converges */
    double before = -log(truth->before) / log_bailout;
    if (truth->near && rule->order == 1)
        return truth->before < INFINITY ? (1 - before) / (ends - before) : 0;
    if (truth->near && rule->ends == ENDS_AT_ONE)
        return before < 1 ? fraction_by(ends, rule->order * (1 - before) + ends) : 0;
    const struct rational_size *law = truth->near ? &rule->near : &rule->far;
    double more = log(law->size * pow(c_abs, law->power)) / log_bailout;
    double base = truth->near ? rule->order - more : law->degree + more;
    return fraction_by(ends, fmin(fmax(base, RATIONAL_BASE_LEAST), RATIONAL_BASE_MOST));
}

/* Fraction nu - n of the true w. For z^2 + c and its like nu = n + 1 - log_d(ln|z_n| / ln R), which
 * leaves [0, 1) where |z_n| is above R^d. */
static double fraction_true(const struct session *s, const struct verify_sample *sample)
{
    const struct spec *spec = &s->again.spec;
    const struct truth *truth = &sample->truth;
    double re, im;
    if (!formula_rational(&spec->formula))
        return fraction_by(log(hypot(truth->w_re, truth->w_im)) / log(spec->bailout),
                           formula_fraction_base(&spec->formula, truth->count, spec->bailout));
    struct grid grid = view_grid(&s->again.numbers, sample->x, sample->y, 1, 1);
    pixel_c(&grid, sample->x, sample->y, &re, &im);
    struct rational_begin begin = rational_begin(&spec->formula, re, im);
    return fraction_rational(&rational_kind(&spec->formula)->rule, truth, hypot(begin.cx, begin.cy),
                             spec->bailout);
}

static enum status sample_prove(const struct session *s, struct verify_sample *sample)
{
    const struct spec *spec = &s->again.spec;
    const volatile int *stop = s->hooks->stop;
    TRY(truth_pixel_sums(&s->picture->view, &spec->formula, sample->x, sample->y, spec->limit,
                         spec->bailout, s->with_sums ? &s->sums : NULL, stop, &sample->truth));
    struct recomputed again = recompute_pixel(&s->again, sample->x, sample->y, sample->truth.count);
    if (stop_asked(stop))
        return status_fail(STATUS_STOPPED, "stopped on request while verifying");
    sample->recomputed = again.count;
    if (sample->truth.count)
        sample->fraction = fraction_true(s, sample);
    sample_measure(s, &again, sample);
    return STATUS_OK;
}

/* ---- all of them ---------------------------------------------------------------------------- */

struct proof_order { /* position of a sample in the order of the proofs */
    int sample;
    double steps; /* estimated steps of its proof */
};

/* First failure: texts of errors belong to threads, so it is copied to the caller's. */
struct proof_failure {
    enum status status;
    char text[STATUS_TEXT_BYTES];
};

struct proofs {
    const struct session *session;
    struct verify_report *report;
    struct proof_order *order;
    double steps, steps_done, begin_s;
    int done;
    struct proof_failure failure;
};

static int proofs_compare(const void *a, const void *b)
{
    double x = ((const struct proof_order *)a)->steps, y = ((const struct proof_order *)b)->steps;
    return (x < y) - (x > y);
}

/* Orders the samples, longest first, so that no thread begins a long one when the others are done.
 * What does not escape is soon known to be in a cycle, or goes to the limit. */
static void proofs_order(struct proofs *proofs)
{
    const struct verify_report *report = proofs->report;
    double limit = (double)proofs->session->again.spec.limit, longest = 1;
    for (int i = 0; i < report->samples; i++)
        longest = fmax(longest, (double)report->sample[i].got);
    for (int i = 0; i < report->samples; i++) {
        int64_t got = report->sample[i].got;
        double steps = got ? (double)got : fmin(limit, 2 * longest);
        proofs->order[i] = (struct proof_order){i, steps};
        proofs->steps += steps;
    }
    qsort(proofs->order, (size_t)report->samples, sizeof *proofs->order, proofs_compare);
}

static void sample_done(struct proofs *proofs, const struct proof_order *order, enum status status)
{
    const struct verify_hooks *hooks = proofs->session->hooks;
    if (status != STATUS_OK && proofs->failure.status == STATUS_OK) {
        proofs->failure.status = status;
        snprintf(proofs->failure.text, sizeof proofs->failure.text, "%s", status_text());
    }
    proofs->done++;
    proofs->steps_done += order->steps;
    struct verify_progress progress = {.done = proofs->done,
                                       .samples = proofs->report->samples,
                                       .part = proofs->steps_done / proofs->steps,
                                       .seconds = clock_s() - proofs->begin_s};
    if (hooks->proofs)
        hooks->proofs(hooks->context, &progress);
}

static enum status samples_prove(const struct session *s, struct verify_report *report)
{
    struct proofs proofs = {.session = s,
                            .report = report,
                            .order = calloc((size_t)report->samples, sizeof *proofs.order),
                            .begin_s = clock_s(),
                            .failure.status = STATUS_OK};
    if (!proofs.order)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d samples", report->samples);
    int threads = s->picture->threads > 0 ? s->picture->threads : omp_get_max_threads();
    proofs_order(&proofs);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int i = 0; i < report->samples; i++) {
        const struct proof_order *order = &proofs.order[i];
        enum status status = sample_prove(s, &report->sample[order->sample]);
#pragma omp critical(verify_progress)
        sample_done(&proofs, order, status);
    }
    free(proofs.order);
    report->truth_s = clock_s() - proofs.begin_s;
    return proofs.failure.status == STATUS_OK
               ? STATUS_OK
               : status_fail(proofs.failure.status, "%s", proofs.failure.text);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static enum status report_begin(struct verify_report *report, const struct plan *plan,
                                const struct renderer *renderer, const struct field *field,
                                const struct verify_options *options)
{
    int64_t pixels = (int64_t)field->width * field->height;
    int samples = (int)(options->samples < pixels ? options->samples : pixels);
    report->method = plan->method;
    report->number = plan->number;
    report->orbit_bits = plan->orbit_bits;
    report->planes = field->planes;
    report->predicted_px = plan->error_px[plan->number];
    report->roundings_px = plan->roundings_px;
    snprintf(report->backend, sizeof report->backend, "%s", renderer_backend(renderer));
    report->sample = calloc((size_t)samples, sizeof *report->sample);
    if (!report->sample)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d samples", samples);
    report->samples = samples;
    verify_pixels(field, options->seed, report->sample, samples);
    return STATUS_OK;
}

/* Movement of pixels that explains errors of sums along orbits. Their pass has no blocks, so that
 * the accuracy of the picture moves nothing there. */
static double sums_moved_px(const struct plan *plan)
{
    double px = plan->error_px[plan->number];
    return VERIFY_ERROR_FACTOR * (plan->method == METHOD_PERTURBATION && px <= plan->accuracy_px
                                      ? fmin(px, ACCURACY_EXACT_PX)
                                      : px);
}

/* Rank 0, with the picture in `field`: does all that needs no other rank. */
static enum status picture_prove(struct session *s, const struct renderer *renderer,
                                 const struct plan *plan, const struct field *field,
                                 const struct verify_options *options, struct verify_report *report)
{
    const struct picture *picture = s->picture;
    struct spec spec = picture_spec(picture, plan);
    TRY(report_begin(report, plan, renderer, field, options));
    s->method = plan->method;
    s->with_sums = spec.planes & PLANE_MASK_ORBIT;
    s->sums = (struct truth_sums_rule){spec.orbit, sums_moved_px(plan)};
    enum status status =
        recompute_open(&s->again, &picture->view, &spec, plan->method, &s->kept, s->hooks->stop);
    report->log2_step = s->again.numbers.log2_step;
    report->shape = picture->view.shape;
    report->rotation_deg = picture->view.rotation_deg;
    if (status == STATUS_OK)
        status = samples_prove(s, report);
    recompute_close(&s->again);
    TRY(status);
    verify_judge(report);
    if (report->complaint[0])
        return status_fail(STATUS_INTERNAL, "%s", report->complaint);
    return STATUS_OK;
}

static enum status root_verify(struct renderer *renderer, const struct picture *wanted,
                               const struct verify_options *options,
                               const struct verify_hooks *hooks, struct verify_report *report)
{
    struct picture picture = *wanted;
    picture.spec.planes |= PLANE_MASK_COUNT | PLANE_MASK_FRACTION; /* for the steepness */
    struct session session = {.picture = &picture, .hooks = hooks};
    struct picture_hooks of_picture = {.progress = hooks->picture,
                                       .context = hooks->context,
                                       .stop = hooks->stop,
                                       .kept = &session.kept};
    struct picture_report made = {.iterations = 0};
    struct field field;
    double begin_s = clock_s();
    memset(report, 0, sizeof *report);
    enum status status = picture_render(renderer, &picture, &of_picture, &field, &made);
    report->picture_s = clock_s() - begin_s;
    if (status == STATUS_OK)
        status = picture_prove(&session, renderer, &made.plan, &field, options, report);
    picture_report_destroy(&made);
    reference_close(&session.kept.reference);
    return status;
}

enum status verify_view(struct renderer *renderer, const struct picture *picture,
                        const struct verify_options *options, const struct verify_hooks *hooks,
                        struct verify_report *report)
{
    static const struct verify_hooks no_hooks;
    if (!hooks)
        hooks = &no_hooks;
    struct picture_hooks of_worker = {.stop = hooks->stop};
    enum status status = world_rank(renderer_world(renderer)) == 0
                             ? root_verify(renderer, picture, options, hooks, report)
                             : picture_render(renderer, NULL, &of_worker, NULL, NULL);
    return world_agree(renderer_world(renderer), status);
}

void verify_report_destroy(struct verify_report *report)
{
    free(report->sample);
    report->sample = NULL;
    report->samples = 0;
}
