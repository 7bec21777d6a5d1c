/* What pictures and fields say of themselves, as JSON. */
#include <math.h>
#include <string.h>

#include "kernels/formula_text.h"
#include "kernels/number_text.h"
#include "kernels/orbit/orbit.h"
#include "library/handle/field.h"
#include "library/settings/settings_json.h"
#include "render/picture/picture_plan.h"

/* ---- plans ---- */

static enum status plan_make(struct deepfield_picture *picture, struct deepfield_renderer *renderer,
                             struct picture_settings *settings, struct config *config)
{
    const struct settings_request request = {.coloured = true, .stop = renderer->stop};
    TRY(renderer_ready(renderer));
    TRY(picture_config(picture, config));
    TRY(settings_create(settings, config, &request));
    return settings_plan_choose(settings, config, &renderer_info(renderer->renderer)->facts);
}

deepfield_status deepfield_picture_plan(deepfield_picture *picture, deepfield_renderer *renderer,
                                        char **json)
{
    struct picture_settings settings = {.path_count = 0};
    struct config config = {0};
    struct text_json text;
    NEED(json);
    *json = NULL;
    NEED(picture);
    NEED(renderer);
    TRY_GIVE(renderer_call_begin(renderer));
    enum status status = plan_make(picture, renderer, &settings, &config);
    renderer_call_end(renderer);
    if (status == STATUS_OK)
        status = text_json_open(&text, '{');
    if (status == STATUS_OK) {
        picture_json(&text.json, &settings.picture);
        plan_json(&text.json, &settings.plan);
        json_integer(&text.json, "samples", settings.picture.samples);
        status = text_json_end(&text, STATUS_OK, json);
    }
    settings_destroy(&settings);
    config_destroy(&config);
    return status_give(status);
}

/* ---- pictures ---- */

struct picture_facts { /* facts of a picture that is not computed */
    struct config config;
    struct picture picture; /* owned view */
    struct view_numbers numbers;
    struct plan_amplification amplification;
    long orbit_bits; /* precision of a reference orbit; 0: more than there can be */
    struct plan plan;
    enum status plan_status; /* why there is no plan, and the sentence of it */
    char plan_text[STATUS_TEXT_BYTES];
};

static double log10_zoom(const struct view_numbers *numbers)
{
    /* step = 4 / (zoom H) */
    return (2 - numbers->log2_step - log2(numbers->height)) * log10(2);
}

/* Decimal places of a coordinate that decide which pixel is meant: down to a hundredth of the step.
 */
static int64_t places_needed(const struct view_numbers *numbers)
{
    double places = ceil(-numbers->log2_step * log10(2)) + 2;
    return places < 1 ? 1 : (int64_t)places;
}

/* Decimal places that a checked number gives; all that follow are zeros. */
static int64_t places_given(const char *text)
{
    const char *exponent = strpbrk(text, "eE"), *point = strchr(text, '.');
    int64_t places = point ? (int64_t)strspn(point + 1, "0123456789") : 0;
    places -= exponent ? number_whole(exponent + 1) : 0;
    return places > 0 ? places : 0;
}

/* A view too deep for direct iteration, or for any orbit, is a fact about it and no failure. */
static enum status facts_plan(struct picture_facts *facts, const volatile int *stop)
{
    const struct renderer_facts alone = renderer_facts_alone(facts->picture.backend);
    const struct picture_known known = {.error_amplification = facts->amplification, .nucleus = -1};
    facts->picture.known = &known;
    facts->plan_status = picture_plan(&facts->picture, &alone, stop, NULL, &facts->plan);
    facts->picture.known = NULL;
    snprintf(facts->plan_text, sizeof facts->plan_text, "%s", status_text());
    return facts->plan_status == STATUS_STOPPED ? STATUS_STOPPED : STATUS_OK;
}

static enum status facts_find(struct picture_facts *facts, const struct deepfield_picture *picture)
{
    const volatile int *stop = picture->world->stop;
    TRY(picture_config(picture, &facts->config));
    TRY(settings_picture(&facts->config, &facts->picture));
    TRY(view_numbers(&facts->picture.view, &facts->numbers));
    facts->amplification = plan_error_amplification(&facts->numbers, &facts->picture.spec.formula,
                                                    facts->picture.spec.limit, stop);
    orbit_bits(facts->numbers.log2_step, facts->picture.spec.limit, &facts->orbit_bits);
    return facts_plan(facts, stop);
}

static void depth_json(struct json *json, const struct picture_facts *facts)
{
    const struct view *view = &facts->picture.view;
    json_real(json, "log10_zoom", log10_zoom(&facts->numbers));
    json_count(json, "digits_re", number_digits(view->re));
    json_count(json, "digits_im", number_digits(view->im));
    json_integer(json, "places_re", places_given(view->re));
    json_integer(json, "places_im", places_given(view->im));
    json_integer(json, "places_needed", places_needed(&facts->numbers));
    json_real(json, "log2_step", facts->numbers.log2_step);
}

/* The cost of perturbation, used or not. */
static void orbit_json(struct json *json, const struct picture_facts *facts)
{
    const struct picture *picture = &facts->picture;
    const struct spec *spec = &picture->spec;
    json_open(json, "orbit", '{');
    json_real(json, "bits", facts->orbit_bits ? (double)facts->orbit_bits : NAN);
    json_real(json, "bytes_most", reference_orbit_most(&spec->formula, spec->limit));
    json_text(json, "blocks", plan_blocks_name(picture->blocks));
    json_real(json, "blocks_bytes_most",
              reference_blocks_most(&spec->formula, spec->limit, picture->blocks));
    json_close(json);
}

static double error_px(const struct picture_facts *facts, enum number number)
{
    return plan_error_px(&facts->numbers, &facts->picture.spec.formula, number,
                         facts->amplification.direct);
}

static void facts_json(struct json *json, const struct picture_facts *facts)
{
    const bool planned = facts->plan_status == STATUS_OK;
    json_text(json, "title", config_text(&facts->config, OPTION_VIEW_TITLE));
    json_text(json, "credit", config_text(&facts->config, OPTION_VIEW_CREDIT));
    picture_json(json, &facts->picture);
    look_json(json, &facts->config);
    depth_json(json, facts);
    if (formula_mandelbrot(&facts->picture.spec.formula))
        orbit_json(json, facts);
    else
        json_text(json, "orbit", NULL);
    json_open(json, "errors_px", '{');
    json_real(json, "fp32", error_px(facts, NUMBER_FP32));
    json_real(json, "fp64", error_px(facts, NUMBER_FP64));
    json_close(json);
    if (planned)
        plan_json(json, &facts->plan);
    else
        json_text(json, "plan", NULL);
    json_text(json, "refused", planned ? NULL : facts->plan_text);
    json_integer(json, "orbit_bits_most", ORBIT_BITS_MOST);
}

deepfield_status deepfield_picture_info(deepfield_picture *picture, char **json)
{
    struct picture_facts facts = {.orbit_bits = 0};
    struct text_json text;
    NEED(json);
    *json = NULL;
    NEED(picture);
    enum status status = facts_find(&facts, picture);
    if (status == STATUS_OK)
        status = text_json_open(&text, '{');
    if (status == STATUS_OK) {
        facts_json(&text.json, &facts);
        status = text_json_end(&text, STATUS_OK, json);
    }
    view_destroy(&facts.picture.view);
    config_destroy(&facts.config);
    return status_give(status);
}

/* ---- fields ---- */

static void planes_json(struct json *json, const struct field *field)
{
    json_open(json, "planes", '[');
    for (int p = 0; p < PLANES; p++) {
        if (!field->plane[p])
            continue;
        json_open(json, NULL, '{');
        json_text(json, "name", plane_kinds[p].name);
        json_text(json, "unit", plane_kinds[p].unit);
        json_text(json, "summary", plane_kinds[p].summary);
        json_close(json);
    }
    json_close(json);
}

static void region_json(struct json *json, const struct deepfield_field *field)
{
    json_open(json, "region", '[');
    json_integer(json, NULL, field->picture.region.x);
    json_integer(json, NULL, field->picture.region.y);
    json_integer(json, NULL, field->field.width);
    json_integer(json, NULL, field->field.height);
    json_close(json);
}

deepfield_status deepfield_field_facts(const deepfield_field *field, char **json)
{
    struct text_json text;
    NEED(json);
    *json = NULL;
    NEED(field);
    if (!field->planned && !field->filled)
        return status_give(status_fail(STATUS_USAGE, "the field has no pixels yet"));
    TRY_GIVE(text_json_open(&text, '{'));
    program_json(&text.json);
    json_text(&text.json, "title", config_text(&field->config, OPTION_VIEW_TITLE));
    picture_json(&text.json, &field->picture);
    region_json(&text.json, field);
    planes_json(&text.json, &field->field);
    look_json(&text.json, &field->config);
    if (field->planned) {
        plan_json(&text.json, &field->plan);
        json_real(&text.json, "samples", field->samples);
        json_real(&text.json, "seconds", field->seconds);
        json_count(&text.json, "iterations", field->iterations);
    }
    return status_give(text_json_end(&text, STATUS_OK, json));
}
