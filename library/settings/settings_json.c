#include "library/settings/settings_json.h"

#include <math.h>
#include <string.h>

#include "kernels/formula_text.h"
#include "kernels/number_text.h"
#include "library/config/revision.h"

static void formula_json(struct json *json, const struct formula *formula)
{
    char text[FORMULA_TEXT_BYTES];
    bool julia = formula_julia(formula);
    json_text(json, "formula", formula_text(formula, text));
    json_real(json, "c_re", julia ? formula->c_re : NAN);
    json_real(json, "c_im", julia ? formula->c_im : NAN);
}

void view_json(struct json *json, const struct view *view)
{
    json_text(json, "re", view->re);
    json_text(json, "im", view->im);
    json_text(json, "zoom", view->zoom);
    json_real(json, "rotation_deg", view->rotation_deg);
    json_boolean(json, "mirrored", view->shape.mirrored);
    json_real(json, "stretch", view_stretch(&view->shape));
    json_real(json, "stretch_deg", view->shape.stretch_deg);
    json_integer(json, "width", view->width);
    json_integer(json, "height", view->height);
}

void picture_json(struct json *json, const struct picture *picture)
{
    view_json(json, &picture->view);
    json_integer(json, "limit", picture->spec.limit);
    json_real(json, "bailout", picture->spec.bailout);
    formula_json(json, &picture->spec.formula);
}

void setting_json(struct json *json, const char *key, const struct config *config,
                  enum option_key option)
{
    const char *text = config_text(config, option);
    bool automatic = !text || !strcmp(text, "auto");
    json_real(json, key, automatic ? NAN : number_real(text));
}

/* A list of numbers with commas, which was checked; NULL: none. */
static void distribution_json(struct json *json, const char *text)
{
    if (!text) {
        json_text(json, "distribution", NULL);
        return;
    }
    json_open(json, "distribution", '[');
    for (double number; number_real_take(&text, &number); text += strspn(text, ", "))
        json_real(json, NULL, number);
    json_close(json);
}

void look_json(struct json *json, const struct config *config)
{
    const char *distribution = config_text(config, OPTION_LOOK_DISTRIBUTION);
    bool measured = distribution && strcmp(distribution, "auto") != 0;
    json_text(json, "palette", config_text(config, OPTION_LOOK_PALETTE));
    setting_json(json, "density", config, OPTION_LOOK_DENSITY);
    setting_json(json, "runs", config, OPTION_LOOK_RUNS);
    setting_json(json, "contrast", config, OPTION_LOOK_CONTRAST);
    setting_json(json, "relief", config, OPTION_LOOK_RELIEF);
    setting_json(json, "light_deg", config, OPTION_LOOK_LIGHT);
    setting_json(json, "lines", config, OPTION_LOOK_LINES);
    setting_json(json, "offset", config, OPTION_LOOK_OFFSET);
    json_text(json, "interior", config_text(config, OPTION_LOOK_INTERIOR));
    json_text(json, "by", config_text(config, OPTION_LOOK_BY));
    setting_json(json, "by_runs", config, OPTION_LOOK_BY_RUNS);
    json_text(json, "layer", config_text(config, OPTION_LOOK_LAYER));
    json_text(json, "layer_by", config_text(config, OPTION_LOOK_LAYER_BY));
    setting_json(json, "layer_runs", config, OPTION_LOOK_LAYER_RUNS);
    setting_json(json, "layer_offset", config, OPTION_LOOK_LAYER_OFFSET);
    setting_json(json, "layer_opacity", config, OPTION_LOOK_LAYER_OPACITY);
    distribution_json(json, measured ? distribution : NULL);
}

void plan_json(struct json *json, const struct plan *plan)
{
    json_open(json, "plan", '{');
    json_text(json, "method", plan_method_name(plan->method));
    json_text(json, "number", plan_number_name(plan->number));
    json_real(json, "error_px", plan->error_px[plan->number]);
    json_real(json, "accuracy_px", plan->accuracy_px);
    json_boolean(json, "falls_short", plan->falls_short);
    json_integer(json, "orbit_bits", plan->orbit_bits);
    json_integer(json, "tile_px", plan->tile_px);
    json_count(json, "combs", plan->interleaved);
    json_count(json, "tiles", plan->tiles);
    json_integer(json, "count_bytes", plan->count_bytes);
    json_text(json, "schedule", plan->schedule);
    json_text(json, "forecast", plan->predicts_cost ? "on" : "off");
    json_text(json, "transport", plan->transport);
    json_text(json, "away_transport", plan->away_transport[0] ? plan->away_transport : NULL);
    json_integer(json, "ranks", plan->facts.ranks);
    json_integer(json, "computing_ranks", plan->facts.computing_ranks);
    json_count(json, "frame_bytes", plan->bytes.frame);
    json_count(json, "light_bytes", plan->bytes.light);
    json_count(json, "transport_bytes", plan->bytes.transport);
    json_count(json, "worker_bytes", plan->bytes.worker);
    json_count(json, "away_bytes", plan->bytes.away);
    json_count(json, "device_bytes", plan->bytes.device);
    json_close(json);
}

void program_json(struct json *json)
{
    json_text(json, "program", "deepfield");
    json_text(json, "version", DEEPFIELD_VERSION);
    json_text(json, "revision", deepfield_revision);
}

void checksums_json(struct json *json, unsigned planes, const uint64_t checksum[PLANES])
{
    json_open(json, "checksums", '{');
    for (int p = 0; p < PLANES; p++)
        if (planes & 1u << p && checksum[p])
            json_hex(json, plane_kinds[p].name, checksum[p]);
        else
            json_text(json, plane_kinds[p].name, NULL);
    json_close(json);
}

void estimate_json(struct json *json, const struct estimate *estimate)
{
    double least_s, most_s;
    estimate_range(estimate, &least_s, &most_s);
    json_open(json, "estimate", '{');
    json_real(json, "seconds_least", least_s);
    json_real(json, "seconds_most", most_s); /* null: not known */
    json_real(json, "reference", estimate->reference_s);
    json_boolean(json, "reference_cut", estimate->cut);
    json_real(json, "compute", estimate->compute_s);
    json_real(json, "write", estimate->files_s);
    json_real(json, "file_bytes", estimate->file_bytes);
    json_integer(json, "windows", estimate->windows);
    json_integer(json, "window_px", estimate->side);
    json_close(json);
}
