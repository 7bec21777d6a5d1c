/* deepfield find: the nucleus or Misiurewicz point in a view, and the view that shows it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command/command.h"
#include "app/process/stop.h"
#include "app/report/document.h"
#include "app/report/progress.h"
#include "app/settings/place_files.h"
#include "decomposition/thread/clock.h"
#include "library/config/config_view.h"
#include "library/settings/settings_description.h"
#include "library/settings/settings_finder.h"
#include "render/disk/json.h"

enum { NUMBER_SHOWN = 60 }; /* digits of a coordinate that are printed */
#define ORIGIN "found"      /* origin that settings name */

struct found {
    struct finding finding;
    struct view view; /* shows the finding */
    int64_t limit;    /* iteration limit of the view */
    double seconds;
};

/* ---- words ---- */

static void power_text(double log10_value, char *text, size_t bytes)
{
    double whole = floor(log10_value), mantissa = pow(10, log10_value - whole);
    if (whole > -4 && whole < 6)
        snprintf(text, bytes, "%.4g", pow(10, log10_value));
    else
        snprintf(text, bytes, "%.3fe%.0f", mantissa, whole);
}

static void number_line(const char *name, const char *text)
{
    size_t length = strlen(text);
    if (length <= NUMBER_SHOWN)
        printf("%-11s %s\n", name, text);
    else
        printf("%-11s %.*s... (%zu digits; -o FILE.ini or --json has all)\n", name, NUMBER_SHOWN,
               text, number_digits(text));
}

static const char *const component_text[] = {
    [COMPONENT_CARDIOID] = "a cardioid, the middle of an island: a small copy of the whole set",
    [COMPONENT_DISC] = "a disc, which grows on another component"};
static const char *const component_name[] = {
    [COMPONENT_CARDIOID] = "cardioid", [COMPONENT_DISC] = "disc", [COMPONENT_ANY] = "any"};

static void nucleus_print(const struct finding *finding)
{
    char size[40], zoom[40];
    power_text(finding->log10_size, size, sizeof size);
    printf("%-11s nucleus of period %lld\n", "found", (long long)finding->period);
    if (finding->component == COMPONENT_ANY) {
        printf("%-11s %s, %.3g times as long as wide\n", "size", size,
               pow(10, finding->log10_stretch));
        return;
    }
    printf("%-11s %s\n", "component", component_text[finding->component]);
    printf("%-11s %s, turned by %.2f degrees against the whole set\n", "size", size,
           finding->turn_deg);
    for (int i = 0; i < finding->embedded; i++) {
        power_text(-finding->embedded_log10[i], zoom, sizeof zoom);
        printf("%-11s %d-fold Julia set about it at zoom %s (--embedded %d)\n", i ? "" : "embedded",
               2 << i, zoom, i + 1);
    }
}

static void misiurewicz_print(const struct finding *finding)
{
    char factor[40];
    power_text(finding->log10_multiplier, factor, sizeof factor);
    printf("%-11s Misiurewicz point of preperiod %lld and period %lld\n", "found",
           (long long)finding->preperiod, (long long)finding->period);
    printf("%-11s the picture repeats itself at %s times the zoom, turned by %.2f degrees\n",
           "multiplier", factor, finding->multiplier_deg);
}

static void proof_print(const struct finding *finding)
{
    char disc[40];
    power_text(finding->log10_disc, disc, sizeof disc);
    if (finding->proven)
        printf("%-11s exactly one such point lies within %s of this one, and %s\n", "proven", disc,
               "its period is no smaller");
    else if (finding->component == COMPONENT_ANY && finding->kind == SEARCH_NUCLEUS)
        printf("%-11s nothing: proofs are those of z^2 + c\n", "proven");
    else
        printf("%-11s nothing: its period may be a divisor of this one\n", "proven");
}

static void found_print(const struct found *found)
{
    const struct finding *finding = &found->finding;
    if (finding->kind == SEARCH_NUCLEUS)
        nucleus_print(finding);
    else
        misiurewicz_print(finding);
    number_line("re", finding->re);
    number_line("im", finding->im);
    printf("%-11s %ld, by %d pass%s of Newton's method along orbits of up to %ld bits\n", "places",
           finding->places, finding->passes, finding->passes == 1 ? "" : "es", finding->bits);
    proof_print(finding);
    printf("%-11s zoom %s, rotation %.2f degrees, limit %lld\n", "view", found->view.zoom,
           found->view.rotation_deg, (long long)found->limit);
    printf("%-11s %.2f s\n", "time", found->seconds);
}

/* ---- JSON ---- */

/* NULL: the point is no nucleus. */
static void nucleus_json(struct json *json, const struct finding *finding)
{
    static const char *const keys[] = {"component", "log10_size", "turn_deg", "log10_stretch",
                                       "embedded"};
    for (size_t i = 0; !finding && i < sizeof keys / sizeof *keys; i++)
        json_text(json, keys[i], NULL);
    if (!finding)
        return;
    json_text(json, "component", component_name[finding->component]);
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

static void view_json(struct json *json, const struct found *found)
{
    json_open(json, "view", '{');
    json_text(json, "re", found->view.re);
    json_text(json, "im", found->view.im);
    json_text(json, "zoom", found->view.zoom);
    json_real(json, "rotation_deg", found->view.rotation_deg);
    json_boolean(json, "mirrored", found->view.shape.mirrored);
    json_real(json, "stretch", view_stretch(&found->view.shape));
    json_real(json, "stretch_deg", found->view.shape.stretch_deg);
    json_integer(json, "width", found->view.width);
    json_integer(json, "height", found->view.height);
    json_integer(json, "limit", found->limit);
    json_close(json);
}

static enum status found_json(const struct found *found)
{
    const struct finding *finding = &found->finding;
    bool nucleus = finding->kind == SEARCH_NUCLEUS;
    struct json json = {.stream = stdout};
    json_begin(&json, "find/1");
    json_text(&json, "kind", nucleus ? "nucleus" : "misiurewicz");
    json_integer(&json, "period", finding->period);
    if (nucleus)
        json_text(&json, "preperiod", NULL);
    else
        json_integer(&json, "preperiod", finding->preperiod);
    json_text(&json, "re", finding->re);
    json_text(&json, "im", finding->im);
    json_integer(&json, "places", finding->places);
    json_boolean(&json, "proven", finding->proven);
    json_real(&json, "log10_disc", finding->log10_disc);
    nucleus_json(&json, nucleus ? finding : NULL);
    json_real(&json, "log10_multiplier", nucleus ? NAN : finding->log10_multiplier);
    json_real(&json, "multiplier_deg", nucleus ? NAN : finding->multiplier_deg);
    json_integer(&json, "passes", finding->passes);
    json_integer(&json, "bits", finding->bits);
    json_open(&json, "seconds", '{');
    json_real(&json, "total", found->seconds);
    json_close(&json);
    view_json(&json, found);
    return document_end(&json);
}

/* ---- the view as a file ---- */

/* Replaces the settings by those of the view that shows the finding. */
static enum status config_take(struct config *config, const struct found *found)
{
    const struct finding *finding = &found->finding;
    char title[100], limit[32], rotation[32], stretch[VIEW_STRETCH_BYTES];
    if (finding->kind == SEARCH_NUCLEUS)
        snprintf(title, sizeof title, "nucleus of period %lld", (long long)finding->period);
    else
        snprintf(title, sizeof title, "Misiurewicz point of preperiod %lld and period %lld",
                 (long long)finding->preperiod, (long long)finding->period);
    snprintf(limit, sizeof limit, "%lld", (long long)found->limit);
    snprintf(rotation, sizeof rotation, "%.6g", found->view.rotation_deg);
    view_stretch_text(&found->view.shape, stretch);
    const struct {
        enum option_key option;
        const char *text;
    } value[] = {{OPTION_VIEW_RE, found->view.re},
                 {OPTION_VIEW_IM, found->view.im},
                 {OPTION_VIEW_ZOOM, found->view.zoom},
                 {OPTION_VIEW_ROTATION, rotation},
                 {OPTION_VIEW_STRETCH, stretch},
                 {OPTION_VIEW_MIRROR, found->view.shape.mirrored ? "true" : "false"},
                 {OPTION_VIEW_LIMIT, limit}};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        TRY(config_set(config, value[i].option, value[i].text, ORIGIN, STATUS_INTERNAL));
    config_settle(config);
    return config_set(config, OPTION_VIEW_TITLE, title, ORIGIN, STATUS_INTERNAL);
}

static enum status found_tell(struct invocation *invocation, struct found *found)
{
    int embedded = (int)config_integer(&invocation->config, OPTION_FIND_EMBEDDED);
    const struct config_value *size = &invocation->config.value[OPTION_VIEW_SIZE];
    if (embedded > found->finding.embedded)
        return status_fail(STATUS_CONFIG,
                           "--embedded %d: there are %d embedded Julia sets about it", embedded,
                           found->finding.embedded);
    TRY(config_view_shape(&invocation->config, &found->view.shape));
    TRY(finding_view(&found->finding, embedded, (int32_t)size->integer, (int32_t)size->second,
                     &found->view));
    found->limit =
        finding_limit(&found->finding, config_integer(&invocation->config, OPTION_VIEW_LIMIT));
    TRY(config_take(&invocation->config, found));
    if (arguments_has(&invocation->arguments, OPTION_OUTPUT))
        TRY(place_files_write(invocation));
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        return found_json(found);
    found_print(found);
    place_files_print(invocation);
    return STATUS_OK;
}

static enum status point_find(const struct invocation *invocation, const struct picture *picture,
                              struct found *found)
{
    struct finder_request request;
    struct progress progress;
    struct progress_facts facts = {.command = invocation->command->name,
                                   .width = picture->view.width,
                                   .height = picture->view.height};
    double begin = clock_s();
    TRY(settings_finder(&invocation->config, picture, &request));
    request.stop = &stop_requested;
    const struct idle_flag flag = {OPTION_FIND_EMBEDDED, request.kind == SEARCH_MISIUREWICZ,
                                   "no Julia set is about a Misiurewicz point"};
    TRY(arguments_none_idle(&invocation->arguments, &flag, 1));
    enum status status = progress_open(&progress, invocation, &facts);
    request.progress = progress_finder;
    request.context = &progress;
    if (status == STATUS_OK)
        status = finder_run(&request, &found->finding);
    progress_close(&progress, status);
    found->seconds = clock_s() - begin;
    return status;
}

enum status command_find(struct invocation *invocation)
{
    struct found found = {.seconds = 0};
    struct picture picture;
    TRY(settings_picture(&invocation->config, &picture));
    enum status status = point_find(invocation, &picture, &found);
    if (status == STATUS_OK)
        status = found_tell(invocation, &found);
    view_destroy(&picture.view);
    view_destroy(&found.view);
    finding_destroy(&found.finding);
    return status;
}
