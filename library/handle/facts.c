/* What pictures and fields say of themselves, as JSON. */
#include "kernels/formula_text.h"
#include "library/handle/field.h"
#include "library/settings/settings_json.h"

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
