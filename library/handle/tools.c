/* The finder and the proofs of the interface. */
#include <math.h>
#include <stdlib.h>

#include "library/handle/handle.h"
#include "library/settings/settings_finder.h"
#include "render/find/finder.h"
#include "render/truth/verify.h"

/* ---- find ---- */

struct point_search {
    struct picture picture; /* searched; owned view */
    struct finding finding;
    struct view view; /* shows the finding */
};

static void search_tell(void *renderer, const struct finder_progress *progress)
{
    renderer_tell(renderer, progress->stage == FINDER_ORBIT ? "orbit" : "search", progress->part,
                  0);
}

static enum status found_search(struct point_search *found, const struct config *config,
                                struct deepfield_renderer *renderer)
{
    struct finder_request request;
    TRY(settings_picture(config, &found->picture));
    TRY(settings_finder(config, &found->picture, &request));
    request.stop = &renderer->stop;
    request.progress = search_tell;
    request.context = renderer;
    TRY(finder_run(&request, &found->finding));
    return finding_view(&found->finding, (int)config_integer(config, OPTION_FIND_EMBEDDED),
                        found->picture.view.width, found->picture.view.height, &found->view);
}

static void found_json(struct json *json, const struct point_search *found)
{
    const struct finding *finding = &found->finding;
    bool nucleus = finding->kind == SEARCH_NUCLEUS;
    json_text(json, "kind", nucleus ? "nucleus" : "misiurewicz");
    json_integer(json, "period", finding->period);
    json_integer(json, "preperiod", finding->preperiod);
    json_text(json, "re", finding->re);
    json_text(json, "im", finding->im);
    json_integer(json, "places", finding->places);
    json_boolean(json, "proven", finding->proven);
    json_real(json, "log10_size", nucleus ? finding->log10_size : NAN);
    json_real(json, "turn_deg", nucleus ? finding->turn_deg : NAN);
    json_real(json, "log10_multiplier", nucleus ? NAN : finding->log10_multiplier);
    json_open(json, "view", '{');
    json_text(json, "view.re", found->view.re);
    json_text(json, "view.im", found->view.im);
    json_text(json, "view.zoom", found->view.zoom);
    json_real(json, "view.rotation", found->view.rotation_deg);
    json_integer(json, "view.limit", finding_limit(finding, found->picture.spec.limit));
    json_close(json);
}

deepfield_status deepfield_find(deepfield_renderer *renderer, deepfield_picture *picture,
                                char **json)
{
    struct config config = {0};
    struct point_search found = {.view = {.re = NULL}};
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

static void proof_tell(void *renderer, const struct verify_progress *progress)
{
    renderer_tell(renderer, "proof", progress->part, 0);
}

static void report_json(struct json *json, const struct verify_report *report)
{
    json_text(json, "verdict", verify_verdict_name(report->verdict));
    json_integer(json, "pixels", report->samples);
    json_integer(json, "proven", report->certified);
    json_integer(json, "matches", report->matches);
    json_integer(json, "mismatches", report->mismatches);
    json_real(json, "predicted", report->expected);
    json_integer(json, "inside", report->inside);
    json_text(json, "complaint", *report->complaint ? report->complaint : NULL);
}

static enum status proof_run(struct deepfield_renderer *renderer,
                             const struct deepfield_picture *picture, int pixels,
                             struct verify_report *report)
{
    struct config config = {0};
    struct picture described = {.view = {.re = NULL}};
    const struct verify_options options = {.samples = pixels, .seed = 1};
    const struct verify_hooks hooks = {.picture = renderer_progress,
                                       .proofs = proof_tell,
                                       .context = renderer,
                                       .stop = &renderer->stop};
    enum status status = picture_config(picture, &config);
    if (status == STATUS_OK)
        status = settings_picture(&config, &described);
    if (status == STATUS_OK)
        status = renderer_ready(renderer);
    if (status == STATUS_OK)
        status = order_send(renderer->world, ORDER_PROOF);
    if (status == STATUS_OK)
        status = verify_view(renderer->renderer, &described, &options, &hooks, report);
    view_destroy(&described.view);
    config_destroy(&config);
    return status;
}

deepfield_status deepfield_verify(deepfield_renderer *renderer, deepfield_picture *picture,
                                  int pixels, char **json)
{
    struct verify_report report = {.samples = 0};
    struct text_json text;
    char why[STATUS_TEXT_BYTES];
    NEED(json);
    *json = NULL;
    NEED(renderer);
    NEED(picture);
    if (pixels < 1)
        return status_give(status_fail(STATUS_USAGE, "%d pixels: at least 1 is proven", pixels));
    TRY_GIVE(renderer_call_begin(renderer));
    enum status status = proof_run(renderer, picture, pixels, &report), told = STATUS_OK;
    renderer_call_end(renderer);
    snprintf(why, sizeof why, "%s", status_text());
    if (report.samples)
        told = text_json_open(&text, '{');
    if (report.samples && told == STATUS_OK) {
        report_json(&text.json, &report);
        told = text_json_end(&text, STATUS_OK, json);
    }
    verify_report_destroy(&report);
    return status_give(status == STATUS_OK ? told : status_fail(status, "%s", why));
}
