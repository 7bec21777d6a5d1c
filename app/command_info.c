/* deepfield info: which view is in this file, and how would it be computed? */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "app/json.h"
#include "app/order.h"

enum { NUMBER_SHOWN = 40 }; /* digits of a long number that are printed */

struct facts { /* about the view in the file */
    const struct invocation *invocation;
    struct picture picture;
    struct view_numbers numbers;
    double growth; /* plan_error_growth */
    struct plan_inputs inputs;
    struct plan plan;
    enum status plan_status; /* why there is no plan, and the sentence of it */
    char plan_text[STATUS_TEXT_BYTES];
};

static double log10_zoom(const struct view_numbers *numbers)
{
    /* step = 4 / (zoom H) */
    return (2 - numbers->log2_step - log2(numbers->height)) * log10(2);
}

/* Decimal digits of a coordinate that decide which pixel is meant: those down to a hundredth of
 * the step. */
static int digits_needed(const struct view_numbers *numbers)
{
    double digits = ceil(-numbers->log2_step * log10(2)) + 2;
    return digits < 1 ? 1 : (int)digits;
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

static void plan_print(const struct facts *facts)
{
    const struct plan *plan = &facts->plan;
    for (int n = 0; n < NUMBERS; n++)
        printf("%-10s predicted backward error %.3g px in %s\n", n ? "" : "errors",
               plan_error_px(&facts->numbers, (enum number)n, facts->growth),
               n == NUMBER_FP32 ? "fp32" : "fp64");
    if (facts->plan_status == STATUS_OK)
        printf("%-10s %s, target %g px, %u tiles of %d px, frame of %llu bytes\n", "plan",
               plan->number == NUMBER_FP32 ? "fp32" : "fp64", plan->accuracy_px, plan->tiles,
               plan->tile_px, (unsigned long long)plan->frame_bytes);
    else
        printf("%-10s none: %s\n", "plan", facts->plan_text);
}

static void facts_print(const struct facts *facts)
{
    const struct view_file *file = &facts->invocation->view;
    const struct picture *picture = &facts->picture;
    printf("%-10s %s\n%-10s %s\n", "file", file->path, "kind", view_kind_name(file->kind));
    if (file->kind == VIEW_PICTURE)
        printf("%-10s %u x %u, %d bits per sample\n", "image", file->facts.width,
               file->facts.height, file->facts.bits);
    text_line(facts, "title", OPTION_VIEW_TITLE);
    text_line(facts, "credit", OPTION_VIEW_CREDIT);
    number_line("re", picture->view.re);
    number_line("im", picture->view.im);
    number_line("zoom", picture->view.zoom);
    printf("%-10s 1e%.2f; %d digits of the centre matter at this size\n", "depth",
           log10_zoom(&facts->numbers), digits_needed(&facts->numbers));
    if (picture->view.rotation_deg != 0)
        printf("%-10s %g degrees\n", "rotation", picture->view.rotation_deg);
    printf("%-10s %d x %d pixels\n%-10s %lld iterations\n", "size", picture->view.width,
           picture->view.height, "limit", (long long)picture->limit);
    text_line(facts, "palette", OPTION_LOOK_PALETTE);
    plan_print(facts);
}

static void view_json(struct json *json, const struct facts *facts)
{
    const struct config *config = &facts->invocation->config;
    const struct view *view = &facts->picture.view;
    json_text(json, "title", config_text(config, OPTION_VIEW_TITLE));
    json_text(json, "credit", config_text(config, OPTION_VIEW_CREDIT));
    json_text(json, "re", view->re);
    json_text(json, "im", view->im);
    json_text(json, "zoom", view->zoom);
    json_real(json, "log10_zoom", log10_zoom(&facts->numbers));
    json_count(json, "digits_re", number_digits(view->re));
    json_count(json, "digits_im", number_digits(view->im));
    json_integer(json, "digits_needed", digits_needed(&facts->numbers));
    json_real(json, "rotation_deg", view->rotation_deg);
    json_integer(json, "width", view->width);
    json_integer(json, "height", view->height);
    json_integer(json, "limit", facts->picture.limit);
    json_real(json, "bailout", facts->picture.bailout);
    json_text(json, "palette", config_text(config, OPTION_LOOK_PALETTE));
}

static void facts_json(const struct facts *facts)
{
    const struct view_file *file = &facts->invocation->view;
    struct json json = {.stream = stdout};
    bool planned = facts->plan_status == STATUS_OK;
    json_open(&json, NULL, '{');
    json_text(&json, "file", file->path);
    json_text(&json, "kind", view_kind_name(file->kind));
    if (file->kind == VIEW_PICTURE) {
        json_open(&json, "image", '{');
        json_count(&json, "width", file->facts.width);
        json_count(&json, "height", file->facts.height);
        json_integer(&json, "bits", file->facts.bits);
        json_close(&json, '}');
    }
    view_json(&json, facts);
    json_open(&json, "error_px", '{');
    json_real(&json, "fp32", plan_error_px(&facts->numbers, NUMBER_FP32, facts->growth));
    json_real(&json, "fp64", plan_error_px(&facts->numbers, NUMBER_FP64, facts->growth));
    json_close(&json, '}');
    json_text(&json, "number",
              !planned                            ? NULL
              : facts->plan.number == NUMBER_FP32 ? "fp32"
                                                  : "fp64");
    json_text(&json, "refused", planned ? NULL : facts->plan_text);
    json_close(&json, '}');
    putchar('\n');
}

enum status command_info(struct invocation *invocation)
{
    struct facts facts = {.invocation = invocation};
    TRY(order_picture(&invocation->config, &facts.picture));
    enum status status = view_numbers(&facts.picture.view, &facts.numbers);
    if (status == STATUS_OK)
        facts.growth = plan_error_growth(&facts.numbers, facts.picture.limit);
    if (status == STATUS_OK) {
        /* A view too deep for direct iteration is a fact about it, not a failure of info. */
        struct studio_facts alone = studio_facts_alone(facts.picture.backend);
        facts.plan_status = picture_plan(&facts.picture, &alone, &facts.inputs, &facts.plan);
        snprintf(facts.plan_text, sizeof facts.plan_text, "%s", status_text());
        if (arguments_has(&invocation->arguments, OPTION_JSON))
            facts_json(&facts);
        else
            facts_print(&facts);
    }
    view_destroy(&facts.picture.view);
    return status;
}
