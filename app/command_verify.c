/* deepfield verify: are the counts of this view right? Sampled pixels against proven counts. */
#include <stdio.h>

#include "app/command.h"
#include "app/json.h"
#include "app/order.h"
#include "app/progress.h"
#include "app/stop.h"
#include "decomposition/clock.h"
#include "render/verify.h"

enum { MISMATCHES_SHOWN = 20 }; /* in the text; JSON has all */

static const char *const number_names[NUMBERS] = {[NUMBER_FP32] = "fp32", [NUMBER_FP64] = "fp64"};

struct watch {
    struct progress progress;
    double begin_s;
};

static void watch_show(void *context, int done, int samples)
{
    struct watch *watch = context;
    struct progress *progress = &watch->progress;
    double now_s = clock_s() - watch->begin_s;
    bool live = progress->style == PROGRESS_LIVE;
    if (progress->style == PROGRESS_NONE || now_s - progress->shown_s < (live ? 0.1 : 10.0))
        return;
    fprintf(progress->stream,
            live ? "\rproven: %d of %d pixels\033[K" : "proven: %d of %d pixels\n", done, samples);
    fflush(progress->stream);
    progress->shown_s = now_s;
    progress->live_line = live;
}

static void mismatches_print(const struct verify_report *report)
{
    int shown = 0;
    printf("\n%10s %10s %12s %12s %16s\n", "x", "y", "count", "true count", "px from the set");
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

static void report_print(const struct invocation *invocation, const struct picture *picture,
                         const struct verify_report *report)
{
    printf("view        %s, %d x %d pixels, limit %lld\n", invocation->view.stem,
           picture->view.width, picture->view.height, (long long)picture->limit);
    printf("computed    %d pixels by backend %s in %s: half spread evenly, half where counts "
           "change fast or end\n",
           report->samples, report->backend, number_names[report->number]);
    printf("proven      %d pixels, %d of them never escape; %d undecided\n", report->certified,
           report->inside, report->samples - report->certified);
    printf("matches     %d\n", report->matches);
    printf("mismatches  %d; rounding explains %.3g\n", report->mismatches, report->expected);
    printf(
        "    of these, at pixels more probably right than wrong: %d; rounding explains %.3g, and "
        "by chance at most %d\n",
        report->rare_mismatches, report->rare_expected, report->rare_most);
    printf("arithmetic  %d counts differ from the plain loop in the same arithmetic\n",
           report->astray);
    printf("moved       by rounding, pixels: predicted %.2g; median %.2g, 99 %% below %.2g, most "
           "%.2g\n",
           report->predicted_px, report->error_median_px, report->error_p99_px,
           report->error_max_px);
    printf("time        %.2f s for the counts, %.2f s for the proofs\n", report->kernel_s,
           report->truth_s);
    if (report->mismatches)
        mismatches_print(report);
    if (report->complaint[0])
        printf("\nNOT EXPLAINED: %s.\n", report->complaint);
    else
        printf("\nThe counts are right, as far as %s can place a pixel.\n",
               number_names[report->number]);
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
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void report_json(const struct invocation *invocation, const struct picture *picture,
                        const struct verify_report *report)
{
    struct json json = {.stream = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "view", invocation->view.stem);
    json_integer(&json, "width", picture->view.width);
    json_integer(&json, "height", picture->view.height);
    json_integer(&json, "limit", picture->limit);
    json_text(&json, "backend", report->backend);
    json_text(&json, "number", number_names[report->number]);
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
    json_real(&json, "mismatch_distance_px", report->mismatch_distance_px);
    json_open(&json, "error_px", '{');
    json_real(&json, "predicted", report->predicted_px);
    json_real(&json, "median", report->error_median_px);
    json_real(&json, "p99", report->error_p99_px);
    json_real(&json, "max", report->error_max_px);
    json_close(&json, '}');
    json_real(&json, "kernel_s", report->kernel_s);
    json_real(&json, "truth_s", report->truth_s);
    json_boolean(&json, "explained", !report->complaint[0]);
    json_text(&json, "complaint", report->complaint[0] ? report->complaint : NULL);
    mismatches_json(&json, report);
    json_close(&json, '}');
    putchar('\n');
}

static enum status picture_verify(const struct invocation *invocation,
                                  const struct picture *picture, struct verify_report *report)
{
    const struct config *config = &invocation->config;
    struct verify_options options = {.samples = (int)config_integer(config, OPTION_VERIFY_SAMPLES),
                                     .seed = (uint64_t)config_integer(config, OPTION_VERIFY_SEED)};
    struct watch watch = {
        .progress = {.stream = stderr,
                     .style = progress_style_choose(config_boolean(config, OPTION_OUTPUT_QUIET))},
        .begin_s = clock_s()};
    struct verify_hooks hooks = {
        .progress = watch_show, .context = &watch, .stop = &stop_requested};
    enum status status = verify_view(picture, &options, &hooks, report);
    progress_end(&watch.progress);
    return status;
}

enum status command_verify(struct invocation *invocation)
{
    struct picture picture;
    struct verify_report report = {0};
    TRY(order_picture(&invocation->config, &picture));
    enum status status = picture_verify(invocation, &picture, &report);
    bool judged = status == STATUS_OK || report.complaint[0];
    if (judged && arguments_has(&invocation->arguments, OPTION_JSON))
        report_json(invocation, &picture, &report);
    else if (judged)
        report_print(invocation, &picture, &report);
    verify_report_destroy(&report);
    view_destroy(&picture.view);
    return status;
}
