/* deepfield verify: sampled pixels of a view against proven counts. */
#include <stdio.h>
#include <string.h>

#include "app/command/command.h"
#include "app/process/gpu_queues.h"
#include "app/process/stop.h"
#include "app/report/document.h"
#include "app/report/idle_report.h"
#include "app/report/progress.h"
#include "app/report/report.h"
#include "app/settings/idle_flags.h"
#include "app/settings/renderer_probed.h"
#include "library/settings/settings_description.h"
#include "library/settings/settings_json.h"
#include "render/disk/json.h"
#include "render/truth/verify.h"

enum { MISMATCHES_SHOWN = 20 }; /* most lines of text; JSON has all */

struct watch { /* the picture and the proofs each have a line of progress */
    struct progress picture, proofs;
};

static void picture_show(void *context, const struct job_progress *job)
{
    struct watch *watch = context;
    progress_show(&watch->picture, job);
}

static void proofs_show(void *context, const struct verify_progress *proofs)
{
    struct watch *watch = context;
    struct progress *progress = &watch->proofs;
    progress_end(&watch->picture);
    bool live = progress->style == PROGRESS_LIVE;
    if (progress->style == PROGRESS_NONE ||
        proofs->seconds - progress->shown_s < (live ? 0.1 : 10.0))
        return;
    double left_s = proofs->seconds * (1 - proofs->part) / proofs->part;
    fprintf(progress->stream,
            live ? "\rproven: %d of %d pixels, %.0f s left\033[K"
                 : "proven: %d of %d pixels, %.0f s left\n",
            proofs->done, proofs->samples, left_s);
    fflush(progress->stream);
    progress->shown_s = proofs->seconds;
    progress->live_line = live;
}

static void way_print(const struct verify_report *report)
{
    printf("computed    by backend %s in %s, ", report->backend, plan_number_name(report->number));
    if (report->method == METHOD_DIRECT)
        printf("iterating directly\n");
    else
        printf("by perturbation along an orbit of %ld bits\n", report->orbit_bits);
}

static void mismatches_print(const struct verify_report *report)
{
    int shown = 0;
    printf("\n%10s %10s %12s %12s %16s\n", "x", "y", "count", "true count", "px to a change");
    for (int i = 0; i < report->samples && shown < MISMATCHES_SHOWN; i++) {
        const struct verify_sample *sample = &report->sample[i];
        if (!verify_sample_mismatches(sample))
            continue;
        printf("%10d %10d %12lld %12lld %16.2g\n", sample->x, sample->y, (long long)sample->got,
               (long long)sample->truth.count, sample->truth.distance_px);
        shown++;
    }
    if (report->mismatches > shown)
        printf("%10s and %d more (--json lists all)\n", "...", report->mismatches - shown);
}

/* Claims no more than was proven. */
static void verdict_print(const struct verify_report *report)
{
    int proven = report->certified, differ = report->mismatches;
    switch (report->verdict) {
    case VERIFY_RIGHT:
        printf("\nThe %d counts that were proven are right.\n", proven);
        break;
    case VERIFY_ROUNDED:
        printf("\n%d of %d counts are right; the other %d are of pixels so near to where the count "
               "changes that rounding in %s decides it.\n",
               report->matches, proven, differ, plan_number_name(report->number));
        break;
    case VERIFY_NOISE:
        printf(
            "\nThe counts are noise here: %d of %d are not the true ones, as rounding in %s moves "
            "pixels by more than the way to where the count changes. No fault of the program was "
            "found.\n",
            differ, proven, plan_number_name(report->number));
        break;
    case VERIFY_WRONG:
        printf("\nNOT EXPLAINED: %s.\n", report->complaint);
        break;
    }
}

static void report_print(const struct invocation *invocation, const struct picture *picture,
                         const struct verify_report *report)
{
    printf("view        %s, %d x %d pixels, limit %lld\n", invocation->view.stem,
           picture->view.width, picture->view.height, (long long)picture->spec.limit);
    way_print(report);
    printf("sampled     %d pixels: half spread evenly, half where counts change fast or end\n",
           report->samples);
    printf("proven      %d pixels, %d of them do not escape; %d could not be proven\n",
           report->certified, report->inside, report->samples - report->certified);
    printf("matches     %d\n", report->matches);
    printf("mismatches  %d; rounding explains %.3g\n", report->mismatches, report->expected);
    printf(
        "    of these, at pixels more probably right than wrong: %d; rounding explains %.3g, and "
        "by chance at most %d\n",
        report->rare_mismatches, report->rare_expected, report->rare_most);
    printf("again       %d counts differ from those of the same pixels computed alone\n",
           report->astray);
    printf("planes      %d fractions are wrong", report->wrong[PLANE_FRACTION]);
    if (report->planes & PLANE_MASK_DISTANCE)
        printf(", %d components of distances", verify_wrong_distances(report));
    if (report->planes & PLANE_MASK_PHASE)
        printf(", %d phases", report->wrong[PLANE_PHASE]);
    if (report->planes & PLANE_MASK_ORBIT)
        printf(", %d averages and traps (%d of them known to a tenth and better)",
               verify_wrong_sums(report), report->sums_judged);
    if (report->planes & PLANE_MASK_PERIOD)
        printf(", %d of %d periods that are proven (%d were not found)",
               report->wrong[PLANE_PERIOD], report->periods, report->periods_missing);
    putchar('\n');
    printf("moved       by rounding, pixels: predicted %.2g; median %.2g, 99 %% below %.2g, most "
           "%.2g\n",
           report->predicted_px, report->error_median_px, report->error_p99_px,
           report->error_max_px);
    printf("time        %.2f s for the picture, %.2f s for the proofs\n", report->picture_s,
           report->truth_s);
    if (report->mismatches)
        mismatches_print(report);
    verdict_print(report);
}

static void mismatches_json(struct json *json, const struct verify_report *report)
{
    json_open(json, "list", '[');
    for (int i = 0; i < report->samples; i++) {
        const struct verify_sample *sample = &report->sample[i];
        if (!verify_sample_mismatches(sample))
            continue;
        json_open(json, NULL, '{');
        json_integer(json, "x", sample->x);
        json_integer(json, "y", sample->y);
        json_integer(json, "count", sample->got);
        json_integer(json, "true_count", sample->truth.count);
        json_real(json, "distance_px", sample->truth.distance_px);
        json_real(json, "error_px", sample->error_px);
        json_close(json);
    }
    json_close(json);
}

static enum status proof_json(const struct invocation *invocation, const struct picture *picture,
                              const struct verify_report *report)
{
    struct json json = {.stream = stdout};
    json_begin(&json, "verify/1");
    json_text(&json, "view", invocation->view.stem);
    picture_json(&json, picture);
    json_real(&json, "accuracy_px", picture->accuracy_px);
    json_text(&json, "backend", report->backend);
    json_text(&json, "method", plan_method_name(report->method));
    json_text(&json, "number", plan_number_name(report->number));
    json_integer(&json, "orbit_bits", report->orbit_bits);
    json_integer(&json, "samples", report->samples);
    json_integer(&json, "certified", report->certified);
    json_integer(&json, "never_escape", report->inside);
    json_integer(&json, "matches", report->matches);
    json_integer(&json, "mismatches", report->mismatches);
    json_real(&json, "mismatches_expected", report->expected);
    json_integer(&json, "rare_mismatches", report->rare_mismatches);
    json_real(&json, "rare_mismatches_expected", report->rare_expected);
    json_integer(&json, "rare_mismatches_most", report->rare_most);
    json_integer(&json, "arithmetic_mismatches", report->astray);
    json_integer(&json, "wrong_fractions", report->wrong[PLANE_FRACTION]);
    json_integer(&json, "wrong_distances", verify_wrong_distances(report));
    json_integer(&json, "wrong_phases", report->wrong[PLANE_PHASE]);
    json_integer(&json, "proven_sums", report->sums_judged);
    json_integer(&json, "wrong_sums", verify_wrong_sums(report));
    json_integer(&json, "proven_periods", report->periods);
    json_integer(&json, "missing_periods", report->periods_missing);
    json_integer(&json, "wrong_periods", report->wrong[PLANE_PERIOD]);
    json_real(&json, "mismatch_distance_px", report->mismatch_distance_px);
    json_open(&json, "moved_px", '{');
    json_real(&json, "predicted", report->predicted_px);
    json_real(&json, "median", report->error_median_px);
    json_real(&json, "p99", report->error_p99_px);
    json_real(&json, "max", report->error_max_px);
    json_close(&json);
    json_open(&json, "seconds", '{');
    json_real(&json, "picture", report->picture_s);
    json_real(&json, "proofs", report->truth_s);
    json_close(&json);
    json_text(&json, "verdict", verify_verdict_name(report->verdict));
    json_boolean(&json, "explained", !report->complaint[0]);
    json_text(&json, "complaint", report->complaint[0] ? report->complaint : NULL);
    mismatches_json(&json, report);
    return document_end(&json);
}

static struct renderer_options renderer_for(const struct config *config,
                                            const struct picture *picture)
{
    struct renderer_options options = renderer_probed(config);
    gpu_queues_few();
    options.iterations =
        (double)picture->view.width * (double)picture->view.height * (double)picture->spec.limit;
    return options;
}

/* Collective; rank 0 passes the picture and gets the report. */
static enum status picture_verify(const struct invocation *invocation, struct renderer *renderer,
                                  const struct picture *picture, struct verify_report *report)
{
    struct verify_hooks hooks = {.stop = &stop_requested};
    if (!picture)
        return verify_view(renderer, NULL, NULL, &hooks, NULL);
    const struct config *config = &invocation->config;
    struct verify_options options = {.samples = (int)config_integer(config, OPTION_VERIFY_PIXELS),
                                     .seed = (uint64_t)config_integer(config, OPTION_VERIFY_SEED)};
    struct progress line = {.stream = stderr,
                            .style =
                                progress_style_choose(config_boolean(config, OPTION_OUTPUT_QUIET))};
    struct watch watch = {line, line};
    hooks.picture = picture_show;
    hooks.proofs = proofs_show;
    hooks.context = &watch;
    enum status status = verify_view(renderer, picture, &options, &hooks, report);
    progress_end(&watch.picture);
    progress_end(&watch.proofs);
    return status;
}

static enum status report_show(const struct invocation *invocation, const struct picture *picture,
                               const struct verify_report *report)
{
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        return proof_json(invocation, picture, report);
    report_print(invocation, picture, report);
    return STATUS_OK;
}

enum status command_verify(struct invocation *invocation)
{
    struct world *world = invocation->world;
    bool root = world_rank(world) == 0;
    struct picture picture = {.spec.limit = 0};
    struct renderer_options options = {0};
    struct renderer *renderer = NULL;
    struct verify_report report = {0};
    enum status mine = root ? settings_picture(&invocation->config, &picture) : STATUS_OK;
    if (root && mine == STATUS_OK)
        mine = settings_forecast_flag(&picture, &invocation->arguments);
    if (root && mine == STATUS_OK)
        mine = settings_orbit_flags(picture.spec.planes, &invocation->arguments);
    TRY(world_agree(world, mine));
    if (root)
        options = renderer_for(&invocation->config, &picture);
    enum status status = renderer_open(&renderer, world, root ? &options : NULL);
    if (root && status == STATUS_OK)
        idle_report(invocation, &renderer_info(renderer)->idle);
    if (status == STATUS_OK)
        status = picture_verify(invocation, renderer, root ? &picture : NULL, &report);
    if (root && (status == STATUS_OK || report.complaint[0])) {
        enum status shown = report_show(invocation, &picture, &report);
        status = status == STATUS_OK ? shown : status;
    }
    renderer_close(renderer);
    verify_report_destroy(&report);
    view_destroy(&picture.view);
    return status;
}
