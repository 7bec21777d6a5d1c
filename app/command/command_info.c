/* deepfield info: the view in a file, and the plan to compute it. With -o the location is written
 * into files of any place format instead. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/command/command.h"
#include "app/process/stop.h"
#include "app/report/document.h"
#include "app/report/report.h"
#include "app/settings/place_files.h"
#include "kernels/formula_text.h"
#include "kernels/number_text.h"
#include "kernels/orbit/orbit.h"
#include "library/settings/settings_description.h"
#include "library/settings/settings_json.h"
#include "library/settings/view_file.h"
#include "render/disk/json.h"
#include "render/picture/picture_plan.h"

enum { NUMBER_SHOWN = 40 }; /* digits of a long number that are printed */

struct facts { /* properties of the view in the file */
    const struct invocation *invocation;
    struct picture picture;
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

static void number_line(const char *name, const char *text)
{
    size_t length = strlen(text);
    if (length <= NUMBER_SHOWN)
        printf("%-10s %s\n", name, text);
    else
        printf("%-10s %.*s... (%zu digits)\n", name, NUMBER_SHOWN, text, number_digits(text));
}

static void text_line(const struct facts *facts, const char *name, enum option_key option)
{
    const char *text = config_text(&facts->invocation->config, option);
    if (text && *text)
        printf("%-10s %s\n", name, text);
}

static void depth_print(const struct facts *facts)
{
    const struct view *view = &facts->picture.view;
    printf("%-10s 1e%.2f; a pixel is 2^%.1f of %s\n", "depth", log10_zoom(&facts->numbers),
           facts->numbers.log2_step,
           facts->picture.spec.formula.plane == DYNAMIC_PLANE ? "z" : "c");
    printf("%-10s %lld of re and %lld of im are given; %lld decide which pixel is meant\n",
           "places", (long long)places_given(view->re), (long long)places_given(view->im),
           (long long)places_needed(&facts->numbers));
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
static void orbit_print(const struct facts *facts)
{
    const struct picture *picture = &facts->picture;
    char orbit[32], blocks[32];
    size_text(reference_orbit_most(&picture->spec.formula, picture->spec.limit), orbit,
              sizeof orbit);
    size_text(reference_blocks_most(&picture->spec.formula, picture->spec.limit, picture->blocks),
              blocks, sizeof blocks);
    if (facts->orbit_bits)
        printf("%-10s a reference orbit takes %ld bits, and up to %s as doubles\n", "orbit",
               facts->orbit_bits, orbit);
    else
        printf("%-10s a reference orbit would take more than %d bits\n", "orbit", ORBIT_BITS_MOST);
    printf("%-10s %s, up to %s on every rank that computes\n", "blocks",
           plan_blocks_name(picture->blocks), blocks);
}

static double error_px(const struct facts *facts, enum number number)
{
    return plan_error_px(&facts->numbers, &facts->picture.spec.formula, number,
                         facts->amplification.direct);
}

static void errors_print(const struct facts *facts)
{
    for (int n = 0; n < NUMBERS; n++) {
        char error[PLAN_ERROR_TEXT_BYTES];
        plan_error_text(error_px(facts, (enum number)n), error);
        printf("%-10s predicted backward error in %s: %s\n", n ? "" : "errors",
               plan_number_name((enum number)n), error);
    }
}

static void plan_print(const struct facts *facts)
{
    const struct plan *plan = &facts->plan;
    if (facts->plan_status == STATUS_OK)
        printf("%-10s %s in %s, target %g px, %u tiles of %d px, frame of %.1f MiB\n", "plan",
               plan->method == METHOD_DIRECT ? "direct iteration" : "perturbation",
               plan_number_name(plan->number), plan->accuracy_px, plan->tiles, plan->tile_px,
               (double)plan->bytes.frame / 0x1p20);
    else
        printf("%-10s none: %s\n", "plan", facts->plan_text);
}

static void formula_print(const struct formula *formula)
{
    char says[FORMULA_TEXT_BYTES];
    printf("%-10s %s: %s\n", "formula", formula_name(formula), formula_says(formula, says));
    if (formula_julia(formula))
        printf("%-10s %.17g %+.17g i\n", "c", formula->c_re, formula->c_im);
}

/* Lists colours, of many only the first few. */
static void palette_line(const struct facts *facts)
{
    enum { SHOWN = 12 * 7 };
    const char *text = config_text(&facts->invocation->config, OPTION_LOOK_PALETTE);
    size_t colours = 0;
    for (const char *at = text; *at; at++)
        colours += *at == '#';
    if (strlen(text) <= SHOWN)
        printf("%-10s %s\n", "palette", text);
    else
        printf("%-10s %.*s..., %zu colours\n", "palette", SHOWN, text, colours);
}

static void facts_print(const struct facts *facts)
{
    const struct view_file *file = &facts->invocation->view;
    const struct picture *picture = &facts->picture;
    printf("%-10s %s\n%-10s %s\n", "file", file->path, "kind", file->format->name);
    if (file->format == &place_picture)
        printf("%-10s %u x %u, %d bits per sample\n", "image", file->facts.width,
               file->facts.height, file->facts.bits);
    text_line(facts, "title", OPTION_VIEW_TITLE);
    text_line(facts, "credit", OPTION_VIEW_CREDIT);
    number_line("re", picture->view.re);
    number_line("im", picture->view.im);
    number_line("zoom", picture->view.zoom);
    depth_print(facts);
    if (picture->view.rotation_deg != 0)
        printf("%-10s %g degrees\n", "rotation", picture->view.rotation_deg);
    if (picture->view.shape.mirrored)
        printf("%-10s top to bottom\n", "mirrored");
    text_line(facts, "stretch", OPTION_VIEW_STRETCH);
    printf("%-10s %d x %d pixels\n%-10s %lld iterations\n", "size", picture->view.width,
           picture->view.height, "limit", (long long)picture->spec.limit);
    palette_line(facts);
    formula_print(&picture->spec.formula);
    if (formula_mandelbrot(&picture->spec.formula))
        orbit_print(facts);
    errors_print(facts);
    plan_print(facts);
}

static void view_json(struct json *json, const struct facts *facts)
{
    const struct config *config = &facts->invocation->config;
    const struct view *view = &facts->picture.view;
    json_text(json, "title", config_text(config, OPTION_VIEW_TITLE));
    json_text(json, "credit", config_text(config, OPTION_VIEW_CREDIT));
    picture_json(json, &facts->picture);
    look_json(json, config);
    json_real(json, "log10_zoom", log10_zoom(&facts->numbers));
    json_count(json, "digits_re", number_digits(view->re));
    json_count(json, "digits_im", number_digits(view->im));
    json_integer(json, "places_re", places_given(view->re));
    json_integer(json, "places_im", places_given(view->im));
    json_integer(json, "places_needed", places_needed(&facts->numbers));
    json_real(json, "log2_step", facts->numbers.log2_step);
}

static void orbit_json(struct json *json, const struct facts *facts)
{
    json_open(json, "orbit", '{');
    json_real(json, "bits", facts->orbit_bits ? (double)facts->orbit_bits : NAN);
    json_real(json, "bytes_most",
              reference_orbit_most(&facts->picture.spec.formula, facts->picture.spec.limit));
    json_text(json, "blocks", plan_blocks_name(facts->picture.blocks));
    json_real(json, "blocks_bytes_most",
              reference_blocks_most(&facts->picture.spec.formula, facts->picture.spec.limit,
                                    facts->picture.blocks));
    json_close(json);
}

static enum status facts_json(const struct facts *facts)
{
    const struct view_file *file = &facts->invocation->view;
    struct json json = {.stream = stdout};
    bool planned = facts->plan_status == STATUS_OK;
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
    view_json(&json, facts);
    if (formula_mandelbrot(&facts->picture.spec.formula))
        orbit_json(&json, facts);
    else
        json_text(&json, "orbit", NULL);
    json_open(&json, "errors_px", '{');
    json_real(&json, "fp32", error_px(facts, NUMBER_FP32));
    json_real(&json, "fp64", error_px(facts, NUMBER_FP64));
    json_close(&json);
    if (planned)
        plan_json(&json, &facts->plan);
    else
        json_text(&json, "plan", NULL);
    json_text(&json, "refused", planned ? NULL : facts->plan_text);
    return document_end(&json);
}

enum status command_info(struct invocation *invocation)
{
    struct facts facts = {.invocation = invocation};
    TRY(settings_picture(&invocation->config, &facts.picture));
    if (arguments_has(&invocation->arguments, OPTION_OUTPUT)) {
        view_destroy(&facts.picture.view);
        TRY(arguments_json_alone(&invocation->arguments));
        TRY(place_files_write(invocation));
        place_files_print(invocation);
        return STATUS_OK;
    }
    enum status status = view_numbers(&facts.picture.view, &facts.numbers);
    if (status == STATUS_OK)
        facts.amplification = plan_error_amplification(&facts.numbers, &facts.picture.spec.formula,
                                                       facts.picture.spec.limit, &stop_requested);
    if (status == STATUS_OK)
        orbit_bits(facts.numbers.log2_step, facts.picture.spec.limit, &facts.orbit_bits);
    if (status == STATUS_OK) {
        /* A view too deep for direct iteration, or for any orbit, is a fact about it and no failure
         * of info. */
        struct renderer_facts alone = renderer_facts_alone(facts.picture.backend);
        const struct picture_known known = {.error_amplification = facts.amplification,
                                            .nucleus = -1};
        facts.picture.known = &known;
        facts.plan_status =
            picture_plan(&facts.picture, &alone, &stop_requested, NULL, &facts.plan);
        snprintf(facts.plan_text, sizeof facts.plan_text, "%s", status_text());
        if (facts.plan_status == STATUS_STOPPED)
            status = STATUS_STOPPED;
        else if (arguments_has(&invocation->arguments, OPTION_JSON))
            status = facts_json(&facts);
        else
            facts_print(&facts);
    }
    view_destroy(&facts.picture.view);
    return status;
}
