/* deepfield info: the view in a file, and the plan to compute it. With -o the location is written
 * into files of any place format instead. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/command/command.h"
#include "app/report/document.h"
#include "app/settings/engine.h"
#include "app/settings/place_files.h"
#include "include/deepfield/deepfield.h"
#include "kernels/formula_text.h"
#include "library/config/config_view.h"
#include "library/settings/settings_description.h"
#include "library/settings/view_file.h"
#include "render/disk/json.h"
#include "render/view/view.h"

enum { NUMBER_SHOWN = 40 }; /* digits of a long number that are printed */

/* ---- for people ---- */

static long long whole(struct json_object *facts, const char *key)
{
    return (long long)json_integer_of(facts, key);
}

static void number_line(const char *name, const char *text)
{
    size_t length = strlen(text);
    if (length <= NUMBER_SHOWN)
        printf("%-10s %s\n", name, text);
    else
        printf("%-10s %.*s... (%zu digits)\n", name, NUMBER_SHOWN, text, number_digits(text));
}

static void text_line(const struct config *config, const char *name, enum option_key option)
{
    const char *text = config_text(config, option);
    if (text && *text)
        printf("%-10s %s\n", name, text);
}

static void depth_print(struct json_object *facts, const struct formula *formula)
{
    printf("%-10s 1e%.2f; a pixel is 2^%.1f of %s\n", "depth", json_real_of(facts, "log10_zoom"),
           json_real_of(facts, "log2_step"), formula->plane == DYNAMIC_PLANE ? "z" : "c");
    printf("%-10s %lld of re and %lld of im are given; %lld decide which pixel is meant\n",
           "places", whole(facts, "places_re"), whole(facts, "places_im"),
           whole(facts, "places_needed"));
}

/* "1.25 GiB" */
static void size_text(double bytes, char *text, size_t length)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = 0;
    for (; bytes >= 1024 && unit < 6; unit++)
        bytes /= 1024;
    snprintf(text, length, "%.4g %s", bytes, units[unit]);
}

/* Reports the cost of perturbation, used or not. */
static void orbit_print(struct json_object *facts)
{
    struct json_object *orbit = json_member(facts, "orbit");
    char bytes[32], blocks[32];
    if (!orbit)
        return;
    size_text(json_real_of(orbit, "bytes_most"), bytes, sizeof bytes);
    size_text(json_real_of(orbit, "blocks_bytes_most"), blocks, sizeof blocks);
    if (json_member(orbit, "bits"))
        printf("%-10s a reference orbit takes %.0f bits, and up to %s as doubles\n", "orbit",
               json_real_of(orbit, "bits"), bytes);
    else
        printf("%-10s a reference orbit would take more than %lld bits\n", "orbit",
               whole(facts, "orbit_bits_most"));
    printf("%-10s %s, up to %s on every rank that computes\n", "blocks",
           json_text_of(orbit, "blocks"), blocks);
}

/* NAN, null in JSON: not known; errors end at 1e300. */
static void error_print(const char *name, const char *number, double error_px)
{
    char error[32] = "not known";
    if (error_px > 1e300)
        snprintf(error, sizeof error, "more than 1e300 px");
    else if (!isnan(error_px))
        snprintf(error, sizeof error, "%.1e px", error_px);
    printf("%-10s predicted backward error in %s: %s\n", name, number, error);
}

static void plan_print(struct json_object *facts)
{
    struct json_object *plan = json_member(facts, "plan");
    if (plan)
        printf("%-10s %s in %s, target %g px, %lld tiles of %lld px, frame of %.1f MiB\n", "plan",
               strcmp(json_text_of(plan, "method"), "direct") ? "perturbation" : "direct iteration",
               json_text_of(plan, "number"), json_real_of(plan, "accuracy_px"),
               whole(plan, "tiles"), whole(plan, "tile_px"),
               json_real_of(plan, "frame_bytes") / 0x1p20);
    else
        printf("%-10s none: %s\n", "plan", json_text_of(facts, "refused"));
}

static void formula_print(const struct formula *formula)
{
    char says[FORMULA_TEXT_BYTES];
    printf("%-10s %s: %s\n", "formula", formula_name(formula), formula_says(formula, says));
    if (formula_julia(formula))
        printf("%-10s %.17g %+.17g i\n", "c", formula->c_re, formula->c_im);
}

/* Lists colours, of many only the first few. */
static void palette_line(const char *text)
{
    enum { SHOWN = 12 * 7 };
    size_t colours = 0;
    for (const char *at = text; *at; at++)
        colours += *at == '#';
    if (strlen(text) <= SHOWN)
        printf("%-10s %s\n", "palette", text);
    else
        printf("%-10s %.*s..., %zu colours\n", "palette", SHOWN, text, colours);
}

static void file_print(const struct view_file *file)
{
    printf("%-10s %s\n%-10s %s\n", "file", file->path, "kind", file->format->name);
    if (file->format == &place_picture)
        printf("%-10s %u x %u, %d bits per sample\n", "image", file->facts.width,
               file->facts.height, file->facts.bits);
}

static void view_print(const struct config *config, struct json_object *facts,
                       const struct formula *formula)
{
    text_line(config, "title", OPTION_VIEW_TITLE);
    text_line(config, "credit", OPTION_VIEW_CREDIT);
    number_line("re", json_text_of(facts, "re"));
    number_line("im", json_text_of(facts, "im"));
    number_line("zoom", json_text_of(facts, "zoom"));
    depth_print(facts, formula);
    if (json_real_of(facts, "rotation_deg") != 0)
        printf("%-10s %g degrees\n", "rotation", json_real_of(facts, "rotation_deg"));
    if (json_boolean_of(facts, "mirrored"))
        printf("%-10s top to bottom\n", "mirrored");
    text_line(config, "stretch", OPTION_VIEW_STRETCH);
    printf("%-10s %lld x %lld pixels\n%-10s %lld iterations\n", "size", whole(facts, "width"),
           whole(facts, "height"), "limit", whole(facts, "limit"));
    palette_line(config_text(config, OPTION_LOOK_PALETTE));
    formula_print(formula);
}

static enum status facts_print(const struct invocation *invocation, struct json_object *facts)
{
    struct json_object *errors = json_member(facts, "errors_px");
    struct formula formula;
    TRY(config_formula(&invocation->config, &formula));
    file_print(&invocation->view);
    view_print(&invocation->config, facts, &formula);
    orbit_print(facts);
    error_print("errors", "fp32", json_real_of(errors, "fp32"));
    error_print("", "fp64", json_real_of(errors, "fp64"));
    plan_print(facts);
    return STATUS_OK;
}

/* ---- for programs ---- */

static enum status facts_json(const struct view_file *file, struct json_object *facts)
{
    static const char *const but[] = {"orbit_bits_most", NULL};
    struct json json = {.stream = stdout};
    json_begin(&json, "info/1");
    json_text(&json, "file", file->path);
    json_text(&json, "kind", file->format->name);
    if (file->format == &place_picture) {
        json_open(&json, "image", '{');
        json_count(&json, "width", file->facts.width);
        json_count(&json, "height", file->facts.height);
        json_integer(&json, "bits", file->facts.bits);
        json_close(&json);
    } else {
        json_text(&json, "image", NULL);
    }
    json_add_members(&json, facts, but);
    return document_end(&json);
}

/* ---- the command ---- */

static enum status facts_read(struct json_object **facts, deepfield_picture *picture)
{
    char *text;
    TRY(status_take(deepfield_picture_info(picture, &text)));
    *facts = json_read(text);
    deepfield_free(text);
    return *facts ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

static enum status view_tell(struct invocation *invocation, struct deepfield_world *world)
{
    struct deepfield_picture *picture;
    struct json_object *facts = NULL;
    TRY(program_picture(&picture, world, &invocation->config));
    enum status status = facts_read(&facts, picture);
    if (status == STATUS_OK)
        status = arguments_has(&invocation->arguments, OPTION_JSON)
                     ? facts_json(&invocation->view, facts)
                     : facts_print(invocation, facts);
    json_free(facts);
    deepfield_picture_destroy(picture);
    return status;
}

enum status command_info(struct invocation *invocation)
{
    if (!arguments_has(&invocation->arguments, OPTION_OUTPUT))
        return engine_run_alone(invocation, view_tell);
    TRY(settings_picture_check(&invocation->config));
    TRY(arguments_json_alone(&invocation->arguments));
    TRY(place_files_write(invocation));
    place_files_print(invocation);
    return STATUS_OK;
}
