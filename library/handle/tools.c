/* The finder and the proofs of the interface. */
#include <math.h>
#include <stdlib.h>

#include "decomposition/thread/clock.h"
#include "library/handle/handle.h"
#include "library/settings/settings_finder.h"
#include "library/settings/settings_json.h"
#include "render/find/finder.h"
#include "render/truth/verify.h"

/* ---- find ---- */

struct point_search {
    struct picture picture; /* searched; owned view */
    struct finding finding;
    struct view view; /* shows the finding */
    int64_t limit;    /* iteration limit of the view */
    double seconds;
};

static void search_tell(void *renderer, const struct finder_progress *progress)
{
    static const char *const stages[] = {
        [FINDER_ORBIT] = "orbit", [FINDER_SEARCH] = "search", [FINDER_NEWTON] = "newton"};
    renderer_tell(renderer, (deepfield_progress){.done = fmin(progress->part, 1),
                                                 .stage = stages[progress->stage],
                                                 .stage_seconds = progress->seconds});
}

/* The view that shows the finding, or a Julia set about it. */
static enum status found_show(struct point_search *found, const struct config *config)
{
    const struct finding *finding = &found->finding;
    const struct view *searched = &found->picture.view;
    const int embedded = (int)config_integer(config, OPTION_FIND_EMBEDDED);
    if (embedded > finding->embedded)
        return status_fail(STATUS_CONFIG,
                           "--embedded %d: there are %d embedded Julia sets about it", embedded,
                           finding->embedded);
    found->view.shape = searched->shape;
    found->limit = finding_limit(finding, found->picture.spec.limit);
    return finding_view(finding, embedded, searched->width, searched->height, &found->view);
}

static enum status found_search(struct point_search *found, const struct config *config,
                                struct deepfield_renderer *renderer)
{
    struct finder_request request;
    const double begin_s = clock_s();
    TRY(settings_picture(config, &found->picture));
    TRY(settings_finder(config, &found->picture, &request));
    request.stop = renderer->stop;
    request.progress = search_tell;
    request.context = renderer;
    TRY(finder_run(&request, &found->finding));
    found->seconds = clock_s() - begin_s;
    return found_show(found, config);
}

/* NULL: the point is no nucleus. */
static void nucleus_json(struct json *json, const struct finding *finding)
{
    static const char *const components[] = {
        [COMPONENT_CARDIOID] = "cardioid", [COMPONENT_DISC] = "disc", [COMPONENT_ANY] = "any"};
    static const char *const keys[] = {"component", "log10_size", "turn_deg", "log10_stretch",
                                       "embedded"};
    for (size_t i = 0; !finding && i < sizeof keys / sizeof *keys; i++)
        json_text(json, keys[i], NULL);
    if (!finding)
        return;
    json_text(json, "component", components[finding->component]);
    json_real(json, "log10_size", finding->log10_size);
    json_real(json, "turn_deg", finding->turn_deg);
    json_real(json, "log10_stretch", finding->log10_stretch);
    json_open(json, "embedded", '[');
    for (int i = 0; i < finding->embedded; i++) {
        json_open(json, NULL, '{');
        json_integer(json, "symmetry", 2 << i);
        json_real(json, "log10_zoom", -finding->embedded_log10[i]);
        json_close(json);
    }
    json_close(json);
}

static void found_point_json(struct json *json, const struct finding *finding)
{
    bool nucleus = finding->kind == SEARCH_NUCLEUS;
    json_text(json, "kind", nucleus ? "nucleus" : "misiurewicz");
    json_integer(json, "period", finding->period);
    if (nucleus)
        json_text(json, "preperiod", NULL);
    else
        json_integer(json, "preperiod", finding->preperiod);
    json_text(json, "re", finding->re);
    json_text(json, "im", finding->im);
    json_integer(json, "places", finding->places);
    json_boolean(json, "proven", finding->proven);
    json_real(json, "log10_disc", finding->log10_disc);
    nucleus_json(json, nucleus ? finding : NULL);
    json_real(json, "log10_multiplier", nucleus ? NAN : finding->log10_multiplier);
    json_real(json, "multiplier_deg", nucleus ? NAN : finding->multiplier_deg);
    json_integer(json, "passes", finding->passes);
    json_integer(json, "bits", finding->bits);
}

/* The view in numbers. */
static void shown_json(struct json *json, const struct point_search *found)
{
    json_open(json, "shown", '{');
    view_json(json, &found->view);
    json_integer(json, "limit", found->limit);
    json_close(json);
}

/* The keys that make a picture of the view, which differ from those of the picture searched. */
static void view_keys_json(struct json *json, const struct point_search *found)
{
    const struct finding *finding = &found->finding;
    const struct view *view = &found->view;
    char title[100], stretch[VIEW_STRETCH_BYTES];
    if (finding->kind == SEARCH_NUCLEUS)
        snprintf(title, sizeof title, "nucleus of period %lld", (long long)finding->period);
    else
        snprintf(title, sizeof title, "Misiurewicz point of preperiod %lld and period %lld",
                 (long long)finding->preperiod, (long long)finding->period);
    view_stretch_text(&view->shape, stretch);
    json_open(json, "view", '{');
    json_text(json, "view.re", view->re);
    json_text(json, "view.im", view->im);
    json_text(json, "view.zoom", view->zoom);
    json_real(json, "view.rotation", view->rotation_deg);
    json_text(json, "view.stretch", stretch);
    json_boolean(json, "view.mirror", view->shape.mirrored);
    json_integer(json, "view.limit", found->limit);
    json_text(json, "view.title", title);
    json_close(json);
}

static void found_json(struct json *json, const struct point_search *found)
{
    found_point_json(json, &found->finding);
    json_open(json, "seconds", '{');
    json_real(json, "total", found->seconds);
    json_close(json);
    shown_json(json, found);
    view_keys_json(json, found);
}

deepfield_status deepfield_find(deepfield_renderer *renderer, deepfield_picture *picture,
                                char **json)
{
    struct config config = {0};
    struct point_search found = {.seconds = 0};
    struct text_json text;
    NEED(json);
    *json = NULL;
    NEED(renderer);
    NEED(picture);
    TRY_GIVE(renderer_call_begin(renderer));
    enum status status = picture_config(picture, &config);
    if (status == STATUS_OK)
        status = found_search(&found, &config, renderer);
    renderer_call_end(renderer);
    if (status == STATUS_OK)
        status = text_json_open(&text, '{');
    if (status == STATUS_OK) {
        found_json(&text.json, &found);
        status = text_json_end(&text, STATUS_OK, json);
    }
    finding_destroy(&found.finding);
    view_destroy(&found.view);
    view_destroy(&found.picture.view);
    config_destroy(&config);
    return status_give(status);
}

/* ---- verify ---- */

struct proof {              /* report of a picture */
    struct picture picture; /* owned view */
    struct verify_report report;
};

static void proof_tell(void *renderer, const struct verify_progress *progress)
{
    renderer_tell(renderer, (deepfield_progress){.done = progress->part,
                                                 .stage = "proof",
                                                 .count = (uint64_t)progress->done,
                                                 .of = (uint64_t)progress->samples,
                                                 .stage_seconds = progress->seconds});
}

static enum status proof_run(struct deepfield_renderer *renderer,
                             const struct deepfield_picture *picture, int pixels,
                             struct proof *proof)
{
    struct config config = {0};
    struct verify_options options = {.samples = pixels};
    const struct verify_hooks hooks = {.picture = renderer_progress,
                                       .proofs = proof_tell,
                                       .context = renderer,
                                       .stop = renderer->stop};
    enum status status = picture_config(picture, &config);
    if (status == STATUS_OK)
        status = settings_picture(&config, &proof->picture);
    if (status == STATUS_OK)
        status = renderer_ready(renderer);
    if (status == STATUS_OK)
        status = order_send(renderer->world, ORDER_PROOF);
    if (status == STATUS_OK) {
        options.seed = (uint64_t)config_integer(&config, OPTION_VERIFY_SEED);
        status = verify_view(renderer->renderer, &proof->picture, &options, &hooks, &proof->report);
    }
    config_destroy(&config);
    return status;
}

static void judged_json(struct json *json, const struct verify_report *report)
{
    json_integer(json, "samples", report->samples);
    json_integer(json, "certified", report->certified);
    json_integer(json, "never_escape", report->inside);
    json_integer(json, "matches", report->matches);
    json_integer(json, "mismatches", report->mismatches);
    json_real(json, "mismatches_expected", report->expected);
    json_integer(json, "rare_mismatches", report->rare_mismatches);
    json_real(json, "rare_mismatches_expected", report->rare_expected);
    json_integer(json, "rare_mismatches_most", report->rare_most);
    json_integer(json, "arithmetic_mismatches", report->astray);
    json_integer(json, "wrong_fractions", report->wrong[PLANE_FRACTION]);
    json_integer(json, "wrong_distances", verify_wrong_distances(report));
    json_integer(json, "wrong_phases", report->wrong[PLANE_PHASE]);
    json_integer(json, "proven_sums", report->sums_judged);
    json_integer(json, "wrong_sums", verify_wrong_sums(report));
    json_integer(json, "proven_periods", report->periods);
    json_integer(json, "missing_periods", report->periods_missing);
    json_integer(json, "wrong_periods", report->wrong[PLANE_PERIOD]);
    json_real(json, "mismatch_distance_px", report->mismatch_distance_px);
}

static void measured_json(struct json *json, const struct verify_report *report)
{
    json_open(json, "moved_px", '{');
    json_real(json, "predicted", report->predicted_px);
    json_real(json, "roundings", report->roundings_px);
    json_real(json, "median", report->error_median_px);
    json_real(json, "p99", report->error_p99_px);
    json_real(json, "max", report->error_max_px);
    json_close(json);
    json_open(json, "seconds", '{');
    json_real(json, "picture", report->picture_s);
    json_real(json, "proofs", report->truth_s);
    json_close(json);
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

static void proof_json(struct json *json, const struct proof *proof)
{
    const struct verify_report *report = &proof->report;
    const char *complaint = *report->complaint ? report->complaint : NULL;
    picture_json(json, &proof->picture);
    json_real(json, "accuracy_px", proof->picture.accuracy_px);
    json_text(json, "backend", report->backend);
    json_text(json, "method", plan_method_name(report->method));
    json_text(json, "number", plan_number_name(report->number));
    json_integer(json, "orbit_bits", report->orbit_bits);
    judged_json(json, report);
    measured_json(json, report);
    json_text(json, "verdict", verify_verdict_name(report->verdict));
    json_boolean(json, "explained", !complaint);
    json_text(json, "complaint", complaint);
    mismatches_json(json, report);
    json_open(json, "planes", '[');
    for (int p = 0; p < PLANES; p++)
        if (report->planes & 1u << p)
            json_text(json, NULL, plane_kinds[p].name);
    json_close(json);
    json_integer(json, "pixels", report->samples);
    json_integer(json, "proven", report->certified);
    json_real(json, "predicted", report->expected);
    json_integer(json, "inside", report->inside);
}

deepfield_status deepfield_verify(deepfield_renderer *renderer, deepfield_picture *picture,
                                  int pixels, char **json)
{
    struct proof proof = {.report = {.samples = 0}};
    struct text_json text;
    char why[STATUS_TEXT_BYTES];
    NEED(json);
    *json = NULL;
    NEED(renderer);
    NEED(picture);
    if (pixels < 1)
        return status_give(status_fail(STATUS_USAGE, "%d pixels: at least 1 is proven", pixels));
    TRY_GIVE(renderer_call_begin(renderer));
    enum status status = proof_run(renderer, picture, pixels, &proof), told = STATUS_OK;
    renderer_call_end(renderer);
    snprintf(why, sizeof why, "%s", status_text());
    const bool judged = status == STATUS_OK || *proof.report.complaint;
    if (judged)
        told = text_json_open(&text, '{');
    if (judged && told == STATUS_OK) {
        proof_json(&text.json, &proof);
        told = text_json_end(&text, STATUS_OK, json);
    }
    verify_report_destroy(&proof.report);
    view_destroy(&proof.picture.view);
    return status_give(status == STATUS_OK ? told : status_fail(status, "%s", why));
}
