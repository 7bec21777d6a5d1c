#include "render/verify.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "render/recompute.h"
#include "render/verify_pixels.h"

struct session { /* rank 0 */
    const struct picture *picture;
    const struct verify_hooks *hooks;
    struct kept_reference kept; /* of a picture by perturbation, */
    struct recompute again;     /* with which its pixels are made again */
};

/* ---- one sample ----------------------------------------------------------------------------- */

/* Compares z_n with the true one, n the true count: z_n, and ln|z_n| times |z_n|. To first order
 * the second is part of the first; but an orbit that should have escaped and is still small differs
 * by |z_n| at most, which is worth 1/14 of the distance to the set, while its logarithm differs by
 * half of that distance. Beyond it dz/dc says nothing (the computed orbit may have left for
 * infinity); then that is the error. What rounding z_n itself to doubles is worth, 2^-53 |z| in
 * either, is none: where the set is 1e17 pixels away, z_n changes too little from pixel to pixel
 * for a double to show. */
static double sample_error_px(const struct session *s, const struct truth *truth,
                              const struct recomputed *again)
{
    if (!truth->certified || !truth->count)
        return 0;
    double z_abs = hypot(truth->z_re, truth->z_im);
    double moved = hypot(again->z_re - truth->z_re, again->z_im - truth->z_im);
    moved = fmax(moved, fabs(log(hypot(again->z_re, again->z_im) / z_abs)) * z_abs);
    double pixel_log2 = truth->log2_dz + s->again.numbers.log2_step; /* of z */
    double rounding_px = exp2(log2(z_abs) - 52 - pixel_log2);
    double error_px = fmin(exp2(log2(moved) - pixel_log2), /* of NaN and a number: the number */
                           truth->distance_px);
    return fmax(0, error_px - rounding_px);
}

static enum status sample_prove(const struct session *s, struct verify_sample *sample)
{
    const struct spec *spec = &s->again.spec;
    const volatile int *stop = s->hooks->stop;
    TRY(truth_pixel(&s->picture->view, &spec->formula, sample->x, sample->y, spec->limit,
                    spec->bailout, stop, &sample->truth));
    struct recomputed again = recompute_pixel(&s->again, sample->x, sample->y, sample->truth.count);
    if (stop && __atomic_load_n(stop, __ATOMIC_RELAXED))
        return status_fail(STATUS_STOPPED, "stopped on request while verifying");
    sample->recomputed = again.count;
    sample->error_px = sample_error_px(s, &sample->truth, &again);
    return STATUS_OK;
}

/* ---- all of them ---------------------------------------------------------------------------- */

struct turn { /* when a sample is proven */
    int sample;
    double steps; /* that its proof is likely to take */
};

/* Sentences belong to threads; this carries the first one over. */
struct failure {
    enum status status;
    char text[STATUS_TEXT_BYTES];
};

struct proofs {
    const struct session *session;
    struct verify_report *report;
    struct turn *turn;
    double steps, steps_done, begin_s;
    int done;
    struct failure failure;
};

static int compare_turns(const void *a, const void *b)
{
    double x = ((const struct turn *)a)->steps, y = ((const struct turn *)b)->steps;
    return (x < y) - (x > y);
}

/* The longest first, so that no thread begins one when the others are done. What does not escape is
 * soon known to be in a cycle, or goes to the limit. */
static void turns_take(struct proofs *proofs)
{
    const struct verify_report *report = proofs->report;
    double limit = (double)proofs->session->again.spec.limit, longest = 1;
    for (int i = 0; i < report->samples; i++)
        longest = fmax(longest, (double)report->sample[i].got);
    for (int i = 0; i < report->samples; i++) {
        int64_t got = report->sample[i].got;
        double steps = got ? (double)got : fmin(limit, 2 * longest);
        proofs->turn[i] = (struct turn){i, steps};
        proofs->steps += steps;
    }
    qsort(proofs->turn, (size_t)report->samples, sizeof *proofs->turn, compare_turns);
}

static void sample_done(struct proofs *proofs, const struct turn *turn, enum status status)
{
    const struct verify_hooks *hooks = proofs->session->hooks;
    if (status != STATUS_OK && proofs->failure.status == STATUS_OK) {
        proofs->failure.status = status;
        snprintf(proofs->failure.text, sizeof proofs->failure.text, "%s", status_text());
    }
    proofs->done++;
    proofs->steps_done += turn->steps;
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
                            .turn = calloc((size_t)report->samples, sizeof *proofs.turn),
                            .begin_s = clock_s(),
                            .failure.status = STATUS_OK};
    if (!proofs.turn)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d samples", report->samples);
    int threads = s->picture->threads > 0 ? s->picture->threads : omp_get_max_threads();
    turns_take(&proofs);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int i = 0; i < report->samples; i++) {
        const struct turn *turn = &proofs.turn[i];
        enum status status = sample_prove(s, &report->sample[turn->sample]);
#pragma omp critical(verify_progress)
        sample_done(&proofs, turn, status);
    }
    free(proofs.turn);
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
    snprintf(report->backend, sizeof report->backend, "%s", renderer_backend(renderer));
    report->sample = calloc((size_t)samples, sizeof *report->sample);
    if (!report->sample)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d samples", samples);
    report->samples = samples;
    verify_pixels(field, options->seed, report->sample, samples);
    return STATUS_OK;
}

/* Rank 0, with the picture in `field`: all that needs no other rank. */
static enum status picture_prove(struct session *s, const struct renderer *renderer,
                                 const struct plan *plan, const struct field *field,
                                 const struct verify_options *options, struct verify_report *report)
{
    const struct picture *picture = s->picture;
    struct spec spec = {.limit = picture->limit,
                        .bailout = picture->bailout,
                        .planes = picture->planes,
                        .count_bytes = plan->count_bytes,
                        .number = plan->number,
                        .shortcuts = picture->shortcuts,
                        .formula = picture->formula};
    TRY(report_begin(report, plan, renderer, field, options));
    report->bailout = picture->bailout;
    enum status status =
        recompute_open(&s->again, &picture->view, &spec, plan->method, &s->kept, s->hooks->stop);
    report->log2_step = s->again.numbers.log2_step;
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
    picture.planes |= PLANE_MASK_COUNT | PLANE_MASK_FRACTION; /* where is it steep? */
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
    enum status status = world_rank(renderer->world) == 0
                             ? root_verify(renderer, picture, options, hooks, report)
                             : picture_render(renderer, NULL, &of_worker, NULL, NULL);
    return world_agree(renderer->world, status);
}

void verify_report_destroy(struct verify_report *report)
{
    free(report->sample);
    report->sample = NULL;
    report->samples = 0;
}
