/* deepfield film: the frames of a path become a video, or numbered pictures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command/command.h"
#include "app/command/resume.h"
#include "app/launch/rank.h"
#include "app/process/environment.h"
#include "app/report/film_report.h"
#include "app/report/progress.h"
#include "app/settings/engine.h"
#include "app/settings/idle_flags.h"
#include "include/deepfield/deepfield.h"
#include "library/config/config_view.h"
#include "library/handle/program.h"
#include "library/place/data.h"
#include "library/settings/settings_description.h"
#include "library/settings/settings_look.h"
#include "library/settings/tour.h"
#include "render/disk/json.h"

struct film_call { /* rank 0; all owned */
    const struct invocation *invocation;
    const char *tour; /* --tour; NULL: none; borrowed */
    struct deepfield_renderer *renderer;
    struct deepfield_film *film;
    const char *path; /* path of the film; borrowed */
    char *named;      /* path without -o */
    bool replaces;
    struct json_object *plan;
    struct progress progress;
};

/* ---- words that do not go together ----------------------------------------------------------- */

/* The tour says what each stop looks like. */
static enum status tour_alone(const struct arguments *arguments)
{
    static const enum option_key others[] = {OPTION_FILM_FROM, OPTION_FILM_TO, OPTION_FILM_SECONDS,
                                             OPTION_FILM_PATH, OPTION_FILM_AUTOPILOT};
    if (arguments->operand)
        return status_fail(STATUS_USAGE, "--tour has the places of its stops; leave VIEW out");
    for (size_t i = 0; i < arguments->count; i++) {
        enum option_key option = arguments->given[i].option;
        const char *section = option_rows[option].section;
        bool of_stops = section && (!strcmp(section, "view") || !strcmp(section, "look")) &&
                        option != OPTION_VIEW_SIZE && option != OPTION_LOOK_SAMPLES;
        for (size_t j = 0; j < sizeof others / sizeof *others; j++)
            of_stops = of_stops || option == others[j];
        if (of_stops)
            return status_fail(STATUS_USAGE,
                               "the stops of --tour say what --%s would say; leave it out",
                               option_rows[option].flag);
    }
    return STATUS_OK;
}

static enum status look_flags_check(const struct film_call *call)
{
    const struct arguments *arguments = &call->invocation->arguments;
    const struct config *config = &call->invocation->config;
    struct look_options look;
    struct formula formula;
    if (call->tour)
        return STATUS_OK;
    TRY(settings_look_options(config, &look));
    TRY(config_formula(config, &formula));
    return settings_look_flags(&look, &formula, arguments);
}

/* Flags without effect, now that it is known what the film is. */
static enum status flags_check(const struct film_call *call)
{
    const struct arguments *arguments = &call->invocation->arguments;
    const struct config *config = &call->invocation->config;
    const bool numbered = json_boolean_of(call->plan, "numbered");
    const char *path = config_text(config, OPTION_FILM_PATH);
    const char *why = json_text_of(call->plan, "interior_missing");
    const bool flies = config_was_set(config, OPTION_FILM_AUTOPILOT);
    const bool ends = flies ? config_was_set(config, OPTION_FILM_FROM)
                            : config_text(config, OPTION_FILM_TO) || (path && *path);
    const struct idle_flag flags[] = {
        {OPTION_VIEW_ZOOM, ends && arguments->operand,
         "--path, --to, or --from of --autopilot, say the zoom"},
        {OPTION_OUTPUT_LOG_JSON, arguments_has(arguments, OPTION_DRY_RUN),
         "a dry run has no events"},
        {OPTION_FILM_CHROMA, numbered, "frames have all of their colours"},
        {OPTION_FILM_EFFORT, !json_boolean_of(call->plan, "encoder"),
         "it is for .mp4, .webm and .mkv"},
        {OPTION_OUTPUT_PLANES, !json_boolean_of(call->plan, "numbers"), "it is for frames in .exr"},
        {OPTION_VIEWER_LANGUAGE, !call->tour || numbered,
         "it is for the texts beside the video of a --tour"},
    };
    const struct idle_flag interior = {OPTION_LOOK_INTERIOR, why != NULL, why};
    TRY(arguments_none_idle(arguments, flags, sizeof flags / sizeof *flags));
    TRY(settings_forecast_flag(config, arguments));
    TRY(settings_join_flags(config, arguments));
    TRY(look_flags_check(call));
    TRY(arguments_none_idle(arguments, &interior, 1));
    return settings_light_flag(json_boolean_of(call->plan, "relief"), arguments);
}

/* ---- the film -------------------------------------------------------------------------------- */

/* The path of -o; without, that of a video named as the view or the tour. */
static enum status path_take(struct film_call *call)
{
    const struct arguments *arguments = &call->invocation->arguments;
    char stem[DATA_NAME_BYTES];
    for (size_t i = 0; i < arguments->count; i++) {
        if (arguments->given[i].option != OPTION_OUTPUT)
            continue;
        if (call->path)
            return status_fail(STATUS_USAGE, "a film has one -o: %.200s and %.200s were given",
                               call->path, arguments->given[i].text);
        call->path = arguments->given[i].text;
    }
    call->replaces = arguments_has(arguments, OPTION_FORCE);
    if (call->path)
        return STATUS_OK;
    if (call->tour)
        tour_stem(call->tour, stem, sizeof stem);
    if (asprintf(&call->named, "%s.mp4", call->tour ? stem : call->invocation->view.stem) < 0) {
        call->named = NULL;
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of the film");
    }
    call->path = call->named;
    return STATUS_OK;
}

/* Settings of the film: those of the invocation, the tour, and the language of its texts. */
static enum status settings_take(const struct film_call *call, struct config *config)
{
    TRY(config_copy(config, &call->invocation->config));
    enum language language = settings_language(config, environment_language());
    TRY(config_set(config, OPTION_VIEWER_LANGUAGE, language_codes[language], "environment",
                   STATUS_INTERNAL));
    return call->tour ? config_set(config, OPTION_FILM_TOUR, call->tour, "--tour", STATUS_USAGE)
                      : STATUS_OK;
}

static enum status call_open(struct film_call *call, struct deepfield_world *world)
{
    struct config config = {0};
    struct deepfield_picture *picture = NULL;
    enum status status = settings_take(call, &config);
    if (status == STATUS_OK)
        status = program_picture(&picture, world, &config);
    config_destroy(&config);
    if (status == STATUS_OK)
        status = status_take(deepfield_film_open(&call->film, NULL, picture));
    deepfield_picture_destroy(picture);
    return status;
}

enum wanted { FILM_ITSELF, FILM_PLAN, FILM_TIME };

/* Calls deepfield_film_save. *said: what it says, or NULL; freed by the caller. */
static enum status call_save(const struct film_call *call, enum wanted wanted,
                             struct json_object **said)
{
    char *text, why[STATUS_TEXT_BYTES];
    const deepfield_film_options options = {.size = sizeof options,
                                            .replace = call->replaces,
                                            .plan = wanted == FILM_PLAN,
                                            .dry_run = wanted == FILM_TIME};
    enum status status =
        status_take(deepfield_film_save(call->renderer, call->film, call->path, &options, &text));
    snprintf(why, sizeof why, "%s", status_text());
    *said = text ? json_read(text) : NULL;
    deepfield_free(text);
    if (text && !*said)
        return STATUS_OUT_OF_MEMORY;
    return status == STATUS_OK ? status : status_fail(status, "%s", why);
}

/* ---- before ---------------------------------------------------------------------------------- */

/* Plans the film, and says how it would be made where that is wanted. */
static enum status call_plan(struct film_call *call)
{
    const struct arguments *arguments = &call->invocation->arguments;
    char why[STATUS_TEXT_BYTES];
    enum status status = call_save(call, FILM_PLAN, &call->plan);
    snprintf(why, sizeof why, "%s", status_text());
    if (!call->plan)
        return status;
    TRY(flags_check(call));
    if (arguments_has(arguments, OPTION_DRY_RUN) || arguments_has(arguments, OPTION_EXPLAIN))
        film_explain(call->plan, call->path,
                     arguments_has(arguments, OPTION_JSON) ? stderr : stdout);
    return status == STATUS_OK ? status : status_fail(status, "%s", why);
}

/* Estimates how long the film would take. */
static enum status call_estimate(const struct film_call *call)
{
    const struct invocation *invocation = call->invocation;
    struct json_object *said;
    if (config_boolean(&invocation->config, OPTION_OUTPUT_QUIET))
        return STATUS_OK;
    TRY(call_save(call, FILM_TIME, &said));
    enum status status = STATUS_OK;
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        status = film_document_print("film-estimate/1", said);
    else
        film_estimate_print(call->plan, said);
    json_free(said);
    return status;
}

/* ---- making it ------------------------------------------------------------------------------- */

static void final_say(void *context)
{
    (void)context;
    rank_say(RANK_FINAL, 0); /* a second run would find the film of the first */
}

static enum status progress_begin(struct film_call *call)
{
    char folder[PROGRESS_PATH_BYTES];
    const struct progress_facts facts = {.command = call->invocation->command->name,
                                         .status_folder = folder,
                                         .ranks = call->invocation->ranks,
                                         .width = (int32_t)json_integer_of(call->plan, "width"),
                                         .height = (int32_t)json_integer_of(call->plan, "height")};
    TRY(program_film_folder(call->film, folder, sizeof folder));
    return progress_open(&call->progress, call->invocation, &facts);
}

/* Says what came of the film, and keeps it for the end of the events. */
static enum status report_show(struct film_call *call, struct json_object *report)
{
    const struct invocation *invocation = call->invocation;
    struct event_result *result = &call->progress.result;
    const bool complete = json_boolean_of(report, "complete");
    result->files = complete ? strdup(call->path) : NULL;
    if (complete && !result->files)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of the film");
    result->total_s = json_real_of(json_member(report, "seconds"), "total");
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        return film_document_print("film/1", report);
    film_report_print(call->plan, report, call->path,
                      config_boolean(&invocation->config, OPTION_OUTPUT_QUIET));
    return STATUS_OK;
}

static enum status call_make(struct film_call *call)
{
    struct json_object *report;
    char why[STATUS_TEXT_BYTES];
    TRY(progress_begin(call));
    deepfield_renderer_progress(call->renderer, progress_stage, &call->progress);
    enum status status = call_save(call, FILM_ITSELF, &report), shown = STATUS_OK;
    snprintf(why, sizeof why, "%s", status_text());
    progress_end(&call->progress);
    if (report)
        shown = report_show(call, report);
    json_free(report);
    return shown != STATUS_OK || status == STATUS_OK ? shown : status_fail(status, "%s", why);
}

/* ---- the command ----------------------------------------------------------------------------- */

static enum status call_run(struct film_call *call, struct deepfield_world *world)
{
    const struct arguments *arguments = &call->invocation->arguments;
    struct program_film parts = {
        .notice = progress_notice, .final = final_say, .context = &call->progress};
    if (call->tour)
        TRY(tour_alone(arguments));
    TRY(call_open(call, world));
    TRY(path_take(call));
    TRY(engine_renderer(&call->renderer, world, call->invocation, 0, true));
    char *command = resume_command(call->invocation, &parts.command_bytes);
    if (!command)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the identity of the film");
    parts.command = command;
    program_film(call->film, &parts);
    enum status status = call_plan(call);
    if (status == STATUS_OK)
        status = arguments_has(arguments, OPTION_DRY_RUN) ? call_estimate(call) : call_make(call);
    free(command);
    return status;
}

static enum status film_work(struct invocation *invocation, struct deepfield_world *world)
{
    struct film_call call = {.invocation = invocation,
                             .tour = arguments_last(&invocation->arguments, OPTION_TOUR)};
    enum status status = call_run(&call, world);
    deepfield_renderer_destroy(call.renderer);
    progress_close(&call.progress, status);
    deepfield_film_destroy(call.film);
    json_free(call.plan);
    free(call.named);
    return status;
}

enum status command_film(struct invocation *invocation)
{
    return engine_run(invocation, film_work);
}
