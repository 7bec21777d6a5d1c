/* deepfield find: the nucleus or Misiurewicz point in a view, and the view that shows it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/command/command.h"
#include "app/report/document.h"
#include "app/report/progress.h"
#include "app/settings/engine.h"
#include "app/settings/place_files.h"
#include "include/deepfield/deepfield.h"
#include "library/config/config.h"
#include "library/handle/program.h"
#include "library/settings/settings_finder.h"
#include "render/disk/json.h"
#include "render/view/view.h"

enum { NUMBER_SHOWN = 60 }; /* digits of a coordinate that are printed */
#define ORIGIN "found"      /* origin that settings name */

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

static long long whole(struct json_object *found, const char *key)
{
    return (long long)json_integer_of(found, key);
}

static bool is_nucleus(struct json_object *found)
{
    return !strcmp(json_text_of(found, "kind"), "nucleus");
}

/* Nuclei of z^2 + c alone are of a known kind. */
static bool is_of_any_component(struct json_object *found)
{
    return is_nucleus(found) && !strcmp(json_text_of(found, "component"), "any");
}

static void embedded_print(struct json_object *embedded)
{
    char zoom[40];
    for (int i = 0; i < json_length(embedded); i++) {
        struct json_object *julia = json_element(embedded, i);
        power_text(json_real_of(julia, "log10_zoom"), zoom, sizeof zoom);
        printf("%-11s %lld-fold Julia set about it at zoom %s (--embedded %d)\n",
               i ? "" : "embedded", whole(julia, "symmetry"), zoom, i + 1);
    }
}

static void nucleus_print(struct json_object *found)
{
    const bool disc = !strcmp(json_text_of(found, "component"), "disc");
    char size[40];
    power_text(json_real_of(found, "log10_size"), size, sizeof size);
    printf("%-11s nucleus of period %lld\n", "found", whole(found, "period"));
    if (is_of_any_component(found)) {
        printf("%-11s %s, %.3g times as long as wide\n", "size", size,
               pow(10, json_real_of(found, "log10_stretch")));
        return;
    }
    printf("%-11s %s\n", "component",
           disc ? "a disc, which grows on another component"
                : "a cardioid, the middle of an island: a small copy of the whole set");
    printf("%-11s %s, turned by %.2f degrees against the whole set\n", "size", size,
           json_real_of(found, "turn_deg"));
    embedded_print(json_member(found, "embedded"));
}

static void misiurewicz_print(struct json_object *found)
{
    char factor[40];
    power_text(json_real_of(found, "log10_multiplier"), factor, sizeof factor);
    printf("%-11s Misiurewicz point of preperiod %lld and period %lld\n", "found",
           whole(found, "preperiod"), whole(found, "period"));
    printf("%-11s the picture repeats itself at %s times the zoom, turned by %.2f degrees\n",
           "multiplier", factor, json_real_of(found, "multiplier_deg"));
}

static void proof_print(struct json_object *found)
{
    char disc[40];
    power_text(json_real_of(found, "log10_disc"), disc, sizeof disc);
    if (json_boolean_of(found, "proven"))
        printf("%-11s exactly one such point lies within %s of this one, and %s\n", "proven", disc,
               "its period is no smaller");
    else if (is_of_any_component(found))
        printf("%-11s nothing: proofs are those of z^2 + c\n", "proven");
    else
        printf("%-11s nothing: its period may be a divisor of this one\n", "proven");
}

static void found_print(struct json_object *found)
{
    struct json_object *shown = json_member(found, "shown");
    const long long passes = whole(found, "passes");
    if (is_nucleus(found))
        nucleus_print(found);
    else
        misiurewicz_print(found);
    number_line("re", json_text_of(found, "re"));
    number_line("im", json_text_of(found, "im"));
    printf("%-11s %lld, by %lld pass%s of Newton's method along orbits of up to %lld bits\n",
           "places", whole(found, "places"), passes, passes == 1 ? "" : "es", whole(found, "bits"));
    proof_print(found);
    printf("%-11s zoom %s, rotation %.2f degrees, limit %lld\n", "view",
           json_text_of(shown, "zoom"), json_real_of(shown, "rotation_deg"), whole(shown, "limit"));
    printf("%-11s %.2f s\n", "time", json_real_of(json_member(found, "seconds"), "total"));
}

/* What others than this command take of the keys of a picture is left out. */
static enum status found_json(struct json_object *found)
{
    static const char *const but[] = {"shown", "view", NULL};
    struct json json = {.stream = stdout};
    json_begin(&json, "find/1");
    json_add_members(&json, found, but);
    json_add(&json, "view", json_member(found, "shown"));
    return document_end(&json);
}

/* ---- the view as a file ---- */

/* Replaces the settings by those of the view that shows the finding. */
static enum status config_take(struct config *config, struct json_object *view)
{
    char limit[32], rotation[32];
    snprintf(limit, sizeof limit, "%lld", whole(view, "view.limit"));
    snprintf(rotation, sizeof rotation, "%.6g", json_real_of(view, "view.rotation"));
    const struct {
        enum option_key option;
        const char *text;
    } value[] = {{OPTION_VIEW_RE, json_text_of(view, "view.re")},
                 {OPTION_VIEW_IM, json_text_of(view, "view.im")},
                 {OPTION_VIEW_ZOOM, json_text_of(view, "view.zoom")},
                 {OPTION_VIEW_ROTATION, rotation},
                 {OPTION_VIEW_STRETCH, json_text_of(view, "view.stretch")},
                 {OPTION_VIEW_MIRROR, json_boolean_of(view, "view.mirror") ? "true" : "false"},
                 {OPTION_VIEW_LIMIT, limit}};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        TRY(config_set(config, value[i].option, value[i].text, ORIGIN, STATUS_INTERNAL));
    config_settle(config);
    return config_set(config, OPTION_VIEW_TITLE, json_text_of(view, "view.title"), ORIGIN,
                      STATUS_INTERNAL);
}

/* ---- the command ---- */

static enum status found_tell(struct invocation *invocation, struct json_object *found)
{
    TRY(config_take(&invocation->config, json_member(found, "view")));
    if (arguments_has(&invocation->arguments, OPTION_OUTPUT))
        TRY(place_files_write(invocation));
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        return found_json(found);
    found_print(found);
    place_files_print(invocation);
    return STATUS_OK;
}

static enum status point_find(const struct invocation *invocation,
                              struct deepfield_renderer *renderer,
                              struct deepfield_picture *picture, char **found)
{
    const struct config_value *size = &invocation->config.value[OPTION_VIEW_SIZE];
    const struct progress_facts facts = {.command = invocation->command->name,
                                         .width = (int32_t)size->integer,
                                         .height = (int32_t)size->second};
    struct progress progress;
    *found = NULL;
    enum status status = progress_open(&progress, invocation, &facts);
    deepfield_renderer_progress(renderer, progress_search, &progress);
    if (status == STATUS_OK)
        status = status_take(deepfield_find(renderer, picture, found));
    progress_close(&progress, status);
    return status;
}

static enum status view_find(struct invocation *invocation, struct deepfield_world *world)
{
    const struct config *config = &invocation->config;
    struct deepfield_picture *picture = NULL;
    struct deepfield_renderer *renderer = NULL;
    struct json_object *found = NULL;
    char *text = NULL;
    const struct idle_flag flag = {OPTION_FIND_EMBEDDED,
                                   config_boolean(config, OPTION_FIND_MISIUREWICZ),
                                   "no Julia set is about a Misiurewicz point"};
    TRY(settings_finder_check(config));
    TRY(arguments_none_idle(&invocation->arguments, &flag, 1));
    enum status status = program_picture(&picture, world, config);
    if (status == STATUS_OK)
        status = engine_renderer(&renderer, world, invocation, 0, true);
    if (status == STATUS_OK)
        status = point_find(invocation, renderer, picture, &text);
    if (status == STATUS_OK && !(found = json_read(text)))
        status = STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK)
        status = found_tell(invocation, found);
    json_free(found);
    deepfield_free(text);
    deepfield_renderer_destroy(renderer);
    deepfield_picture_destroy(picture);
    return status;
}

enum status command_find(struct invocation *invocation)
{
    return engine_run_alone(invocation, view_find);
}
