/* deepfield verify: sampled pixels of a view against proven counts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/command/command.h"
#include "app/process/gpu_queues.h"
#include "app/report/document.h"
#include "app/report/progress.h"
#include "app/settings/engine.h"
#include "app/settings/idle_flags.h"
#include "include/deepfield/deepfield.h"
#include "library/config/config.h"
#include "library/handle/program.h"
#include "render/disk/json.h"

enum { MISMATCHES_SHOWN = 20 }; /* most lines of text; JSON has all */

struct watch { /* the picture and the proofs each have a line of progress */
    struct progress picture, proofs;
};

static int stage_show(void *context, const deepfield_progress *now)
{
    struct watch *watch = context;
    if (strcmp(now->stage, "proof") != 0)
        return progress_stage(&watch->picture, now);
    progress_end(&watch->picture);
    return progress_stage(&watch->proofs, now);
}

/* ---- for people ---- */

static int whole(struct json_object *report, const char *key)
{
    return (int)json_integer_of(report, key);
}

/* JSON has no infinity. */
static double real(struct json_object *report, const char *key)
{
    double value = json_real_of(report, key);
    return isnan(value) ? INFINITY : value;
}

static bool has_plane(struct json_object *report, const char *name)
{
    struct json_object *planes = json_member(report, "planes");
    for (int i = 0; i < json_length(planes); i++)
        if (!strncmp(json_element_text(planes, i), name, strlen(name)))
            return true;
    return false;
}

static void way_print(struct json_object *report)
{
    printf("computed    by backend %s in %s, ", json_text_of(report, "backend"),
           json_text_of(report, "number"));
    if (!strcmp(json_text_of(report, "method"), "direct"))
        printf("iterating directly\n");
    else
        printf("by perturbation along an orbit of %d bits\n", whole(report, "orbit_bits"));
}

static void planes_print(struct json_object *report)
{
    printf("planes      %d fractions are wrong", whole(report, "wrong_fractions"));
    if (has_plane(report, "distance"))
        printf(", %d components of distances", whole(report, "wrong_distances"));
    if (has_plane(report, "phase"))
        printf(", %d phases", whole(report, "wrong_phases"));
    if (has_plane(report, "stripe") || has_plane(report, "triangle") || has_plane(report, "trap"))
        printf(", %d averages and traps (%d of them known to a tenth and better)",
               whole(report, "wrong_sums"), whole(report, "proven_sums"));
    if (has_plane(report, "period"))
        printf(", %d of %d periods that are proven (%d were not found)",
               whole(report, "wrong_periods"), whole(report, "proven_periods"),
               whole(report, "missing_periods"));
    putchar('\n');
}

static void mismatches_print(struct json_object *report)
{
    struct json_object *list = json_member(report, "list");
    const int all = json_length(list), shown = all < MISMATCHES_SHOWN ? all : MISMATCHES_SHOWN;
    printf("\n%10s %10s %12s %12s %16s\n", "x", "y", "count", "true count", "px to a change");
    for (int i = 0; i < shown; i++) {
        struct json_object *pixel = json_element(list, i);
        printf("%10d %10d %12lld %12lld %16.2g\n", whole(pixel, "x"), whole(pixel, "y"),
               (long long)json_integer_of(pixel, "count"),
               (long long)json_integer_of(pixel, "true_count"), real(pixel, "distance_px"));
    }
    if (all > shown)
        printf("%10s and %d more (--json lists all)\n", "...", all - shown);
}

/* Claims no more than was proven. */
static void verdict_print(struct json_object *report)
{
    const char *verdict = json_text_of(report, "verdict"), *number = json_text_of(report, "number");
    int proven = whole(report, "certified"), differ = whole(report, "mismatches");
    if (!strcmp(verdict, "right"))
        printf("\nThe %d counts that were proven are right.\n", proven);
    else if (!strcmp(verdict, "rounded"))
        printf("\n%d of %d counts are right; the other %d are of pixels so near to where the count "
               "changes that rounding in %s decides it.\n",
               whole(report, "matches"), proven, differ, number);
    else if (!strcmp(verdict, "noise"))
        printf(
            "\nThe counts are noise here: %d of %d are not the true ones, as rounding in %s moves "
            "pixels by more than the way to where the count changes. No fault of the program was "
            "found.\n",
            differ, proven, number);
    else
        printf("\nNOT EXPLAINED: %s.\n", json_text_of(report, "complaint"));
}

static void report_print(const struct invocation *invocation, struct json_object *report)
{
    struct json_object *moved = json_member(report, "moved_px");
    struct json_object *seconds = json_member(report, "seconds");
    int samples = whole(report, "samples"), proven = whole(report, "certified");
    printf("view        %s, %d x %d pixels, limit %lld\n", invocation->view.stem,
           whole(report, "width"), whole(report, "height"),
           (long long)json_integer_of(report, "limit"));
    way_print(report);
    printf("sampled     %d pixels: half spread evenly, half where counts change fast or end\n",
           samples);
    printf("proven      %d pixels, %d of them do not escape; %d could not be proven\n", proven,
           whole(report, "never_escape"), samples - proven);
    printf("matches     %d\n", whole(report, "matches"));
    printf("mismatches  %d; rounding explains %.3g\n", whole(report, "mismatches"),
           real(report, "mismatches_expected"));
    printf(
        "    of these, at pixels more probably right than wrong: %d; rounding explains %.3g, and "
        "by chance at most %d\n",
        whole(report, "rare_mismatches"), real(report, "rare_mismatches_expected"),
        whole(report, "rare_mismatches_most"));
    printf("again       %d counts differ from those of the same pixels computed alone\n",
           whole(report, "arithmetic_mismatches"));
    planes_print(report);
    printf("moved       by rounding, pixels: predicted %.2g; median %.2g, 99 %% below %.2g, most "
           "%.2g\n",
           real(moved, "predicted"), real(moved, "median"), real(moved, "p99"), real(moved, "max"));
    printf("time        %.2f s for the picture, %.2f s for the proofs\n", real(seconds, "picture"),
           real(seconds, "proofs"));
    if (whole(report, "mismatches"))
        mismatches_print(report);
    verdict_print(report);
}

/* ---- for programs ---- */

/* What others than this command take from the report of the library. */
static const char *const others[] = {"planes", "pixels", "proven", "predicted", "inside", NULL};

static enum status report_show(const struct invocation *invocation, const char *text)
{
    struct json json = {.stream = stdout};
    struct json_object *report = json_read(text);
    enum status status = STATUS_OK;
    if (!report)
        return STATUS_OUT_OF_MEMORY;
    if (arguments_has(&invocation->arguments, OPTION_JSON)) {
        json_begin(&json, "verify/1");
        json_text(&json, "view", invocation->view.stem);
        json_add_members(&json, report, others);
        status = document_end(&json);
    } else {
        report_print(invocation, report);
    }
    json_free(report);
    return status;
}

/* ---- the command ---- */

static enum status flags_check(const struct invocation *invocation)
{
    const struct config *config = &invocation->config;
    TRY(settings_forecast_flag(config, &invocation->arguments));
    return settings_orbit_flags((unsigned)config_integer(config, OPTION_OUTPUT_PLANES),
                                &invocation->arguments);
}

/* Iterations of the picture, at most. */
static double iterations_of(const struct config *config)
{
    const struct config_value *size = &config->value[OPTION_VIEW_SIZE];
    return (double)size->integer * (double)size->second *
           (double)config_integer(config, OPTION_VIEW_LIMIT);
}

static enum status picture_verify(const struct invocation *invocation,
                                  struct deepfield_renderer *renderer,
                                  struct deepfield_picture *picture)
{
    const struct config *config = &invocation->config;
    struct progress line = {.stream = stderr,
                            .style =
                                progress_style_choose(config_boolean(config, OPTION_OUTPUT_QUIET))};
    struct watch watch = {line, line};
    char *report, why[STATUS_TEXT_BYTES];
    deepfield_renderer_progress(renderer, stage_show, &watch);
    enum status status = status_take(deepfield_verify(
        renderer, picture, (int)config_integer(config, OPTION_VERIFY_PIXELS), &report));
    snprintf(why, sizeof why, "%s", status_text());
    progress_end(&watch.picture);
    progress_end(&watch.proofs);
    enum status shown = report ? report_show(invocation, report) : STATUS_OK;
    deepfield_free(report);
    return status == STATUS_OK ? shown : status_fail(status, "%s", why);
}

static enum status view_verify(struct invocation *invocation, struct deepfield_world *world)
{
    struct deepfield_picture *picture;
    struct deepfield_renderer *renderer = NULL;
    TRY(flags_check(invocation));
    TRY(program_picture(&picture, world, &invocation->config));
    gpu_queues_few();
    enum status status =
        engine_renderer(&renderer, world, invocation, iterations_of(&invocation->config), true);
    if (status == STATUS_OK)
        status = picture_verify(invocation, renderer, picture);
    deepfield_renderer_destroy(renderer);
    deepfield_picture_destroy(picture);
    return status;
}

enum status command_verify(struct invocation *invocation)
{
    return engine_run(invocation, view_verify);
}
