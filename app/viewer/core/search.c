#include "app/viewer/core/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/process/environment.h"
#include "library/handle/program.h"
#include "render/disk/json.h"

enum { MILLE = 1000 };

enum status search_open(struct search *search, void (*wake)(void *context), void *context)
{
    const struct program_parts parts = {.data = environment_data(), .stop = &search->stop};
    search->wake = wake;
    search->context = context;
    TRY(program_world(&search->world, &parts));
    return background_open_low(&search->thread);
}

void search_close(struct search *search)
{
    search_stop(search);
    background_close(search->thread);
    deepfield_world_close(search->world);
    view_destroy(&search->found.view);
    place_destroy(&search->place);
}

static int progress_take(void *context, const deepfield_progress *progress)
{
    struct search *search = context;
    enum search_stage stage = !strcmp(progress->stage, "orbit")    ? SEARCH_AT_ORBIT
                              : !strcmp(progress->stage, "newton") ? SEARCH_AT_NEWTON
                                                                   : SEARCH_AT_POINT;
    int mille = (int)(MILLE * progress->done);
    atomic_store(&search->progress, MILLE * (int)stage + (mille < MILLE ? mille : MILLE - 1));
    return 0;
}

/* ---- the result ---- */

static enum status shown_take(const struct json_object *shown, struct view *view)
{
    const char *re = json_text_of(shown, "re"), *im = json_text_of(shown, "im");
    const char *zoom = json_text_of(shown, "zoom");
    if (!re || !im || !zoom)
        return status_fail(STATUS_INTERNAL, "a point was found without a view that shows it");
    view->shape = (struct view_shape){.stretch = json_real_of(shown, "stretch"),
                                      .stretch_deg = json_real_of(shown, "stretch_deg"),
                                      .mirrored = json_boolean_of(shown, "mirrored")};
    return view_set(view, re, im, zoom, json_real_of(shown, "rotation_deg"),
                    (int32_t)json_integer_of(shown, "width"),
                    (int32_t)json_integer_of(shown, "height"));
}

static enum status found_take(struct search *search, const char *text)
{
    struct search_found *found = &search->found;
    struct json_object *json = json_read(text);
    if (!json)
        return STATUS_BAD_DATA;
    const char *component = json_text_of(json, "component");
    found->period = json_integer_of(json, "period");
    found->preperiod = json_integer_of(json, "preperiod");
    found->disc = component && !strcmp(component, "disc");
    found->log10_size = json_real_of(json, "log10_size");
    found->log10_multiplier = json_real_of(json, "log10_multiplier");
    enum status status = shown_take(json_member(json, "shown"), &found->view);
    json_free(json);
    return status;
}

/* ---- the thread ---- */

static enum status keys_set(const struct search *search, deepfield_picture *picture)
{
    TRY(status_take(deepfield_picture_set(picture, "find.box", search->box)));
    if (search->misiurewicz)
        TRY(status_take(deepfield_picture_set(picture, "find.misiurewicz", "true")));
    return search->embedded ? status_take(deepfield_picture_set(picture, "find.embedded", "1"))
                            : STATUS_OK;
}

static enum status point_find(struct search *search, deepfield_renderer *renderer)
{
    deepfield_picture *picture = NULL;
    char *text = NULL, *json = NULL;
    TRY(place_text_write(&search->place, &text));
    enum status status = status_take(deepfield_picture_open(&picture, search->world, text));
    if (status == STATUS_OK)
        status = keys_set(search, picture);
    if (status == STATUS_OK)
        status = status_take(deepfield_find(renderer, picture, &json));
    if (status == STATUS_OK)
        status = found_take(search, json);
    deepfield_picture_destroy(picture);
    deepfield_free(json);
    free(text);
    return status;
}

static void search_run(void *argument)
{
    struct search *search = argument;
    deepfield_renderer *renderer;
    search->status = status_take(deepfield_renderer_create(&renderer, search->world));
    if (search->status == STATUS_OK) {
        deepfield_renderer_progress(renderer, progress_take, search);
        search->status = point_find(search, renderer);
    }
    snprintf(search->text, sizeof search->text, "%s",
             search->status == STATUS_OK ? "" : status_text());
    deepfield_renderer_destroy(renderer);
    view_thread_end();
    atomic_store(&search->done, true);
    search->wake(search->context);
}

enum status search_begin(struct search *search, const struct search_request *request)
{
    TRY(place_copy(&search->place, request->place));
    snprintf(search->box, sizeof search->box, "%.17g,%.17g,%.17gx%.17g", request->x0, request->y0,
             request->x1 - request->x0, request->y1 - request->y0);
    search->misiurewicz = request->misiurewicz;
    search->embedded = request->embedded;
    search->stop = 0;
    search->busy = true;
    atomic_store(&search->done, false);
    atomic_store(&search->progress, 0);
    background_run(search->thread, search_run, search);
    return STATUS_OK;
}

void search_stop(struct search *search)
{
    __atomic_store_n(&search->stop, 1, __ATOMIC_RELAXED);
}

bool search_take(struct search *search)
{
    if (!search->busy || !atomic_load(&search->done))
        return false;
    search->busy = false;
    return true;
}

struct search_progress search_progress(struct search *search)
{
    int progress = atomic_load(&search->progress);
    return (struct search_progress){(enum search_stage)(progress / MILLE),
                                    (double)(progress % MILLE) / MILLE};
}
