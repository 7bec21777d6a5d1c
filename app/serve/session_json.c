#include "app/serve/session_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/serve/session_stand.h"
#include "kernels/formula_text.h"
#include "library/config/config_view.h"
#include "library/handle/program.h"
#include "library/place/place_format.h"
#include "render/disk/json.h"

enum { SHOWN_DIGITS = 80 };

struct reply { /* JSON that is written to memory */
    struct json json;
    char *bytes;
    size_t length;
};

static enum status reply_begin(struct reply *reply, const char *kind)
{
    *reply = (struct reply){.bytes = NULL};
    reply->json.stream = open_memstream(&reply->bytes, &reply->length);
    if (!reply->json.stream)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a text");
    json_open(&reply->json, NULL, '{');
    json_text(&reply->json, "kind", kind);
    return STATUS_OK;
}

static enum status reply_end(struct reply *reply, char **given)
{
    enum status status = json_end(&reply->json);
    bool bad = ferror(reply->json.stream);
    bad = fclose(reply->json.stream) != 0 || bad;
    if (status == STATUS_OK && bad)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for a text");
    *given = reply->bytes;
    if (status != STATUS_OK) {
        free(reply->bytes);
        *given = NULL;
    }
    return status;
}

/* ---- lists ---- */

/* Has the formula a view of all of its set? A Julia set needs a c, which a name does not say. */
static bool formula_has_home(const char *name)
{
    struct formula formula = {.plane = PARAMETER_PLANE};
    return formula_of_text(&formula, name, strlen(name)) == STATUS_OK && !formula_julia(&formula);
}

static enum status list_add(struct json *json, struct deepfield_world *world, const char *kind)
{
    char *list;
    TRY(status_take(deepfield_list(world, kind, &list)));
    struct json_object *rows = json_read(list);
    deepfield_free(list);
    if (!rows)
        return STATUS_OUT_OF_MEMORY;
    json_open(json, kind, '[');
    for (int i = 0; i < json_length(rows); i++) {
        struct json_object *row = json_element(rows, i);
        const char *name = json_text_of(row, "name");
        if (!name || (!strcmp(kind, "formulas") && !formula_has_home(name)))
            continue;
        json_open(json, NULL, '{');
        json_text(json, "name", name);
        json_text(json, "summary", json_text_of(row, "summary"));
        json_close(json);
    }
    json_close(json);
    json_free(rows);
    return STATUS_OK;
}

enum status session_lists_text(struct deepfield_world *world, char **given)
{
    static const char *const kinds[] = {"views", "palettes", "formulas"};
    struct reply reply;
    enum status status = reply_begin(&reply, "lists");
    TRY(status);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && status == STATUS_OK; i++)
        status = list_add(&reply.json, world, kinds[i]);
    if (status == STATUS_OK)
        return reply_end(&reply, given);
    json_drop(&reply.json);
    fclose(reply.json.stream);
    free(reply.bytes);
    return status;
}

/* ---- facts ---- */

static void number_cut(struct json *json, const char *key, const char *number)
{
    char shown[SHOWN_DIGITS + 8];
    if (!number)
        return;
    snprintf(shown, sizeof shown, "%.*s%s", SHOWN_DIGITS, number,
             strlen(number) > SHOWN_DIGITS ? "..." : "");
    json_text(json, key, shown);
}

static void place_facts_add(struct json *json, const struct config *config)
{
    number_cut(json, "re", config_text(config, OPTION_VIEW_RE));
    number_cut(json, "im", config_text(config, OPTION_VIEW_IM));
    number_cut(json, "zoom", config_text(config, OPTION_VIEW_ZOOM));
    json_text(json, "rotation", config_text(config, OPTION_VIEW_ROTATION));
    json_boolean(json, "mirror", config_boolean(config, OPTION_VIEW_MIRROR));
    json_text(json, "title", config_text(config, OPTION_VIEW_TITLE));
    json_text(json, "formula", config_text(config, OPTION_VIEW_FORMULA));
    json_text(json, "julia", config_text(config, OPTION_VIEW_JULIA));
    const char *palette = config_text(config, OPTION_LOOK_PALETTE);
    json_text(json, "palette", palette && strchr(palette, '/') ? "" : palette); /* the owner's */
    json_boolean(json, "limit_set", config_was_set(config, OPTION_VIEW_LIMIT));
}

/* Values at which the next steps begin. */
static void look_add(struct json *json, const struct exploration *exploration,
                     const struct look_seen *seen)
{
    static const char *const kinds[INTERIOR_KINDS] = {[INTERIOR_COLOUR] = "colour",
                                                      [INTERIOR_PERIOD] = "period",
                                                      [INTERIOR_DISTANCE] = "distance"};
    struct look_options look;
    if (exploration_look(exploration, &look) != STATUS_OK)
        return;
    json_open(json, "look", '{');
    json_real(json, "density", look_density(&look, seen));
    json_boolean(json, "density_auto", !(look.density > 0) && !(look.runs > 0));
    json_real(json, "offset", look.offset);
    json_real(json, "contrast", look.contrast);
    json_real(json, "relief", look_relief(&look, seen));
    json_text(json, "interior", kinds[look.interior_kind]);
    json_close(json);
}

static void workers_add(struct json *json, const deepfield_live_state *state)
{
    json_open(json, "workers", '[');
    for (int i = 0; i < state->workers; i++) {
        const deepfield_live_worker *worker = &state->worker[i];
        json_open(json, NULL, '{');
        json_integer(json, "rank", worker->rank);
        json_text(json, "host", worker->host);
        json_integer(json, "threads", worker->threads);
        json_boolean(json, "alive", worker->alive);
        json_real(json, "busy", worker->busy);
        json_count(json, "tiles", worker->tiles);
        json_boolean(json, "computes", state->load[i].computes);
        json_real(json, "compute_s", state->load[i].compute_s);
        json_real(json, "transfer_s", state->load[i].transfer_s);
        json_close(json);
    }
    json_close(json);
}

static const char *stage_name(int stage)
{
    static const char *const names[] = {
        [DEEPFIELD_LIVE_NOTHING] = "nothing", [DEEPFIELD_LIVE_ORBIT] = "orbit",
        [DEEPFIELD_LIVE_COARSE] = "coarse",   [DEEPFIELD_LIVE_QUARTER] = "quarter",
        [DEEPFIELD_LIVE_HALF] = "half",       [DEEPFIELD_LIVE_FINE] = "fine",
        [DEEPFIELD_LIVE_DONE] = "done",       [DEEPFIELD_LIVE_SAMPLES] = "samples",
        [DEEPFIELD_LIVE_FAILED] = "failed"};
    return stage >= 0 && stage <= DEEPFIELD_LIVE_FAILED ? names[stage] : "nothing";
}

enum status session_facts_text(const struct exploration *exploration,
                               const struct session_steps *steps, const struct look_seen *seen,
                               const deepfield_live_state *state, char **given)
{
    struct reply reply;
    TRY(reply_begin(&reply, "facts"));
    struct json *json = &reply.json;
    json_text(json, "stage", stage_name(state->stage));
    json_real(json, "done", state->done);
    json_boolean(json, "settled", state->settled);
    json_boolean(json, "smooth", state->smooth);
    json_integer(json, "samples", state->samples);
    json_integer(json, "samples_wanted", state->samples_wanted);
    json_integer(json, "limit", state->limit);
    json_text(json, "method", state->method);
    json_real(json, "predicted_px", state->predicted_px);
    json_real(json, "iterations_per_s", state->iterations_per_s);
    json_real(json, "undecided", state->undecided);
    json_integer(json, "orbit_steps", state->orbit_s > 0 ? state->orbit_steps : 0);
    const bool failed = state->stage == DEEPFIELD_LIVE_FAILED;
    const bool path = failed && strchr(state->error, '/'); /* a file of this machine */
    json_text(json, "error", path ? "the picture cannot be computed" : failed ? state->error : "");
    json_boolean(json, "back", steps->back);
    json_boolean(json, "forward", steps->forward);
    place_facts_add(json, &exploration->config);
    look_add(json, exploration, seen);
    json_integer(json, "computing", state->computing);
    json_real(json, "picture_s", state->picture_s);
    json_real(json, "picture_one_s", state->picture_one_s);
    json_real(json, "work_s", state->work_s);
    json_real(json, "compose_s", state->compose_s);
    workers_add(json, state);
    return reply_end(&reply, given);
}

static void wall_add(struct json *json, const struct wall *wall, int place)
{
    json_open(json, "wall", '{');
    json_integer(json, "columns", wall->columns);
    json_integer(json, "rows", wall->rows);
    json_integer(json, "place", place);
    json_open(json, "taken", '[');
    for (int i = 0; i < wall->columns * wall->rows; i++)
        json_boolean(json, NULL, wall->screen[i].page != NULL);
    json_close(json);
    json_close(json);
}

enum status session_role_text(const struct session_role *role, const char *facts, char **given)
{
    struct reply reply;
    TRY(reply_begin(&reply, "facts"));
    struct json *json = &reply.json;
    struct json_object *object = json_read(facts);
    json_boolean(json, "leads", role->leads);
    json_boolean(json, "may_lead", role->may_lead);
    json_boolean(json, "waits", role->waits);
    json_boolean(json, "bookmarks", role->bookmarks);
    json_boolean(json, "window", role->window);
    json_integer(json, "pages", role->pages);
    json_integer(json, "asked", role->asked);
    json_count(json, "motion", role->motion);
    json_count(json, "exact", role->exact);
    if (object)
        json_add(json, "picture", object);
    json_free(object);
    if (role->wall)
        wall_add(json, role->wall, role->place);
    if (role->stand)
        session_stand_add(json, role->stand, role->staff);
    return reply_end(&reply, given);
}

/* ---- the place ---- */

enum status session_place_ini(const struct exploration *exploration,
                              const deepfield_live_state *state, const char *title, char **ini)
{
    struct config config = {0};
    char limit[24];
    snprintf(limit, sizeof limit, "%lld", (long long)state->limit);
    const struct look_seen seen = {.shaded = state->planes & PLANE_MASK_DISTANCE};
    TRY(config_copy(&config, &exploration->config));
    enum status status = look_shading_settings(&config, &seen, "page");
    if (status == STATUS_OK && state->limit > 0)
        status = config_set(&config, OPTION_VIEW_LIMIT, limit, "page", STATUS_CONFIG);
    if (status == STATUS_OK && *title)
        status = config_set(&config, OPTION_VIEW_TITLE, title, "page", STATUS_BAD_DATA);
    if (status == STATUS_OK)
        status = config_complete(&config);
    if (status == STATUS_OK)
        status = place_to_text(ini, &place_view, &config);
    config_destroy(&config);
    return status;
}

/* Leaves the names of palette files without their folders, of both of two ("a/x.map+b/y.map"). */
static void palette_cut(char *ini)
{
    static const char key[] = "\npalette = ";
    char *to = strstr(ini, key);
    if (!to)
        return;
    to += sizeof key - 1;
    const char *from = to;
    for (char *part = to; *from && *from != '\n'; from++) {
        if (*from == '/') {
            to = part;
            continue;
        }
        *to++ = *from;
        if (*from == '"' || *from == '+')
            part = to;
    }
    memmove(to, from, strlen(from) + 1);
}

enum status session_ini_text(const char *ini, char **given)
{
    struct reply reply;
    *given = NULL;
    char *shown = strdup(ini);
    if (!shown)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a text");
    palette_cut(shown);
    enum status status = reply_begin(&reply, "place");
    if (status == STATUS_OK) {
        json_text(&reply.json, "ini", shown);
        status = reply_end(&reply, given);
    }
    free(shown);
    return status;
}

enum status session_place_text(const struct exploration *exploration,
                               const deepfield_live_state *state, char **given)
{
    char *ini;
    *given = NULL;
    TRY(session_place_ini(exploration, state, "", &ini));
    enum status status = session_ini_text(ini, given);
    free(ini);
    return status;
}

/* ---- bookmarks ---- */

enum status session_bookmarks_text(const struct bookmarks *bookmarks, size_t most, char **given)
{
    struct reply reply;
    TRY(reply_begin(&reply, "bookmarks"));
    struct json *json = &reply.json;
    json_integer(json, "count", (int64_t)bookmarks->count);
    json_open(json, "all", '[');
    for (size_t i = bookmarks->count; i > 0 && bookmarks->count - i < most; i--) {
        json_open(json, NULL, '{');
        json_text(json, "name", bookmarks->bookmark[i - 1].name);
        json_text(json, "title", bookmarks->bookmark[i - 1].title);
        json_close(json);
    }
    json_close(json);
    return reply_end(&reply, given);
}

enum status session_bookmark_text(const char *name, const char *picture, char **given)
{
    struct reply reply;
    TRY(reply_begin(&reply, "bookmark"));
    json_text(&reply.json, "name", name);
    json_text(&reply.json, "picture", picture);
    return reply_end(&reply, given);
}

/* ---- notes ---- */

void session_note(char note[static 512], const char *sentence, const char *folder)
{
    bool private = strstr(sentence, folder) != NULL || strstr(sentence, "/") != NULL;
    snprintf(note, 512, "%s", private ? "there is no such place, or it is not a place" : sentence);
}

enum status session_present_text(uint32_t frame, int late, char **given)
{
    struct reply reply;
    TRY(reply_begin(&reply, "present"));
    json_count(&reply.json, "frame", frame);
    json_integer(&reply.json, "late", late);
    return reply_end(&reply, given);
}

enum status session_note_text(const char *note, char **given)
{
    struct reply reply;
    TRY(reply_begin(&reply, "note"));
    json_text(&reply.json, "text", note);
    return reply_end(&reply, given);
}
