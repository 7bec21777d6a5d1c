#include "render/disk/run_status.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render/disk/folder.h"

enum { TEXT_BYTES_MOST = 64 << 20, PATH_BYTES = 4096, EXIT_CODE_MOST = 255 };
#define SECONDS_MOST 1e11 /* 3000 years: also since 1970 */
#define LEFT_MOST 1e300   /* largest forecast that is valid */

/* ---- writing ---- */

static void rank_json(struct json *json, const struct run_rank *rank, int number)
{
    json_open(json, NULL, '{');
    json_integer(json, "rank", number);
    json_text(json, "host", *rank->host ? rank->host : NULL);
    json_boolean(json, "computes", rank->computes);
    json_count(json, "tiles", rank->tiles);
    json_count(json, "iterations", rank->iterations);
    json_real(json, "busy_s", rank->busy_s);
    json_real(json, "unheard_s", rank->unheard_s);
    json_close(json);
}

void run_status_json(struct json *json, const struct run_status *status)
{
    json_text(json, "host", status->host);
    json_integer(json, "process", status->process);
    json_real(json, "written_s", status->written_s);
    json_count(json, "pixels_done", status->pixels_done);
    json_count(json, "pixels", status->pixels);
    json_count(json, "iterations", status->iterations);
    json_real(json, "share", status->share);
    json_real(json, "elapsed_s", status->seconds);
    json_real(json, "left_s", status->left_s < 0 ? NAN : status->left_s);
    json_open(json, "ranks", '[');
    for (int i = 0; i < status->ranks; i++)
        rank_json(json, &status->rank[i], i);
    json_close(json);
}

void run_status_end_json(struct json *json, const struct run_status *status)
{
    if (status->code == RUN_UNDER_WAY)
        json_text(json, "code", NULL);
    else
        json_integer(json, "code", status->code);
    json_text(json, "text", *status->text ? status->text : NULL);
}

/* Writes without a sync: after a power loss the progress is of no use. */
bool run_status_write(const struct run_status *status, const char *folder)
{
    char *text = NULL;
    struct folder_bytes content = {.length = 0};
    struct json json = {.stream = open_memstream(&text, &content.length)};
    if (!json.stream)
        return false;
    json_open(&json, NULL, '{');
    run_status_json(&json, status);
    run_status_end_json(&json, status);
    bool good = json_end(&json) == STATUS_OK;
    fputc('\n', json.stream);
    good = fclose(json.stream) == 0 && good;
    int own = good ? folder_open_own(folder) : -1;
    content.bytes = text;
    good = own >= 0 && folder_file_put(own, RUN_STATUS_FILE, &content, 1, FOLDER_UNSYNCED);
    int reason = errno;
    if (own >= 0)
        close(own);
    free(text);
    errno = reason;
    return good;
}

/* ---- reading ---- */

static const struct json_object *member_of(const struct json_object *object, const char *key,
                                           json_type type)
{
    struct json_object *found = NULL;
    if (!json_object_object_get_ex(object, key, &found) || !json_object_is_type(found, type))
        return NULL;
    return found;
}

static bool text_get(const struct json_object *object, const char *key, char *text, size_t bytes)
{
    const struct json_object *found = member_of(object, key, json_type_string);
    if (!found)
        return false;
    const char *value = json_object_get_string((struct json_object *)(uintptr_t)found);
    snprintf(text, bytes, "%s", value);
    for (; *text; text++) /* printable ASCII: the text is written to a terminal, and names of hosts
                             are ASCII */
        if (*text < ' ' || *text > '~')
            *text = '?';
    return true;
}

static bool count_get(const struct json_object *object, const char *key, uint64_t *value)
{
    const struct json_object *found = member_of(object, key, json_type_int);
    if (!found || json_object_get_int64(found) < 0)
        return false;
    *value = json_object_get_uint64(found);
    return true;
}

/* Reads a number from `least` to `most`. */
static bool real_get(const struct json_object *object, const char *key, double least, double most,
                     double *value)
{
    struct json_object *found = NULL;
    if (!json_object_object_get_ex(object, key, &found) ||
        (!json_object_is_type(found, json_type_double) &&
         !json_object_is_type(found, json_type_int)))
        return false;
    *value = json_object_get_double(found);
    return *value >= least && *value <= most; /* false for NaN */
}

static bool rank_get(const struct json_object *object, struct run_rank *rank)
{
    const struct json_object *computes = member_of(object, "computes", json_type_boolean);
    rank->computes = computes && json_object_get_boolean(computes);
    struct json_object *host = NULL; /* null: not known yet */
    bool named = json_object_object_get_ex(object, "host", &host) &&
                 (!host || text_get(object, "host", rank->host, sizeof rank->host));
    return computes && named && count_get(object, "tiles", &rank->tiles) &&
           count_get(object, "iterations", &rank->iterations) &&
           real_get(object, "busy_s", 0, SECONDS_MOST, &rank->busy_s) &&
           real_get(object, "unheard_s", 0, SECONDS_MOST, &rank->unheard_s);
}

static enum status ranks_get(const struct json_object *object, struct run_status *status,
                             bool *good)
{
    const struct json_object *ranks = member_of(object, "ranks", json_type_array);
    size_t count = ranks ? json_object_array_length(ranks) : 0;
    *good = ranks && count <= RUN_RANKS_MOST;
    if (!*good || count == 0)
        return STATUS_OK;
    status->rank = calloc(count, sizeof *status->rank);
    if (!status->rank)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %zu ranks", count);
    status->ranks = (int)count;
    for (size_t i = 0; *good && i < count; i++)
        *good = rank_get(json_object_array_get_idx(ranks, i), &status->rank[i]);
    return STATUS_OK;
}

/* Reads the forecast; null: not known. */
static bool left_get(const struct json_object *object, double *left_s)
{
    struct json_object *value = NULL;
    *left_s = -1;
    return json_object_object_get_ex(object, "left_s", &value) &&
           (!value || real_get(object, "left_s", 0, LEFT_MOST, left_s));
}

static bool figures_get(const struct json_object *object, struct run_status *status)
{
    uint64_t process = 0;
    bool good = text_get(object, "host", status->host, sizeof status->host) &&
                count_get(object, "process", &process) && process <= INT_MAX &&
                real_get(object, "written_s", 0, SECONDS_MOST, &status->written_s) &&
                count_get(object, "pixels_done", &status->pixels_done) &&
                count_get(object, "pixels", &status->pixels) &&
                count_get(object, "iterations", &status->iterations) &&
                real_get(object, "share", 0, 1, &status->share) &&
                real_get(object, "elapsed_s", 0, SECONDS_MOST, &status->seconds) &&
                left_get(object, &status->left_s);
    status->process = (int64_t)process;
    return good;
}

/* Reads how the run has ended; under way without these members, or with null. */
static bool end_get(const struct json_object *object, struct run_status *status)
{
    struct json_object *code = NULL;
    status->code = RUN_UNDER_WAY;
    if (!json_object_object_get_ex(object, "code", &code) || !code)
        return true;
    if (!json_object_is_type(code, json_type_int) || json_object_get_int64(code) < 0 ||
        json_object_get_int64(code) > EXIT_CODE_MOST)
        return false;
    status->code = json_object_get_int(code);
    (void)text_get(object, "text", status->text, sizeof status->text);
    return true;
}

enum status run_status_parse(struct run_status *status, const char *text, size_t bytes,
                             const char *path)
{
    *status = (struct run_status){.ranks = 0};
    struct json_tokener *tokener = json_tokener_new();
    struct json_object *object = tokener && bytes <= TEXT_BYTES_MOST
                                     ? json_tokener_parse_ex(tokener, text, (int)bytes)
                                     : NULL;
    bool good = json_object_is_type(object, json_type_object) && figures_get(object, status) &&
                end_get(object, status);
    enum status result = good ? ranks_get(object, status, &good) : STATUS_OK;
    json_object_put(object);
    if (tokener)
        json_tokener_free(tokener);
    if (result == STATUS_OK && !good)
        result = status_fail(STATUS_BAD_DATA, "%s is no status of a run of deepfield", path);
    if (result != STATUS_OK)
        run_status_destroy(status);
    return result;
}

/* Accepts files of other users, since reading does no harm. */
enum status run_status_read(struct run_status *status, const char *folder)
{
    char path[PATH_BYTES];
    size_t length = 0;
    snprintf(path, sizeof path, "%s/%s", folder, RUN_STATUS_FILE);
    int opened = folder_open(folder);
    char *text =
        opened >= 0 ? folder_file_read(opened, RUN_STATUS_FILE, TEXT_BYTES_MOST, &length) : NULL;
    int reason = errno;
    if (opened >= 0)
        close(opened);
    if (!text && reason == ENOENT)
        return status_fail(STATUS_NO_INPUT,
                           "%s: no run has said here how far it is; a run does so with its "
                           "tiles or frames, and deepfield resume goes on with what is there",
                           folder);
    if (!text)
        return status_fail(STATUS_NO_INPUT, "%s: %s", path, folder_reason(reason));
    enum status result = length > 0 ? run_status_parse(status, text, length, path)
                                    : status_fail(STATUS_BAD_DATA, "%s is empty", path);
    free(text);
    return result;
}

void run_status_destroy(struct run_status *status)
{
    free(status->rank);
    *status = (struct run_status){.ranks = 0};
}

/* May the process be alive? False only where its end can be seen. */
static bool may_live(const struct run_status *status)
{
    char host[RUN_HOST_BYTES] = "";
    gethostname(host, sizeof host - 1);
    if (strcmp(host, status->host) != 0)
        return true;
    return status->process > 0 && (kill((pid_t)status->process, 0) == 0 || errno == EPERM);
}

enum run_state run_status_state(const struct run_status *status, double now_s)
{
    if (status->code != RUN_UNDER_WAY)
        return RUN_ENDED;
    if (!may_live(status))
        return RUN_GONE;
    return now_s - status->written_s > RUN_SILENT_S ? RUN_SILENT : RUN_RUNNING;
}

const char *run_state_name(enum run_state state)
{
    static const char *const names[] = {[RUN_RUNNING] = "running",
                                        [RUN_SILENT] = "silent",
                                        [RUN_GONE] = "gone",
                                        [RUN_ENDED] = "ended"};
    return names[state];
}

bool run_folder_is_of_film(int folder)
{
    return faccessat(folder, RUN_FILM_FILE, R_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
           faccessat(folder, RUN_LOCK_FILE, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

enum status run_film_folder(char folder[RUN_PATH_BYTES], const char *path, bool frames)
{
    const char *slash = strrchr(path, '/');
    int length = frames ? snprintf(folder, RUN_PATH_BYTES, "%.*sfilm" RUN_STATUS_SUFFIX,
                                   slash ? (int)(slash - path) + 1 : 0, path)
                        : snprintf(folder, RUN_PATH_BYTES, "%s" RUN_STATUS_SUFFIX, path);
    if (length < RUN_PATH_BYTES - 300)
        return STATUS_OK;
    return status_fail(STATUS_CANNOT_CREATE, "-o %.60s...: the path is too long", path);
}
