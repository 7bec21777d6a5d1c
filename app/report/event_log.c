#include "app/report/event_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "library/settings/settings_json.h"
#include "render/disk/folder.h"
#include "render/disk/pipe.h"

struct event_log {
    char *path;
    int file;
    const volatile int *stop;
    int failure; /* errno of the line that could not be written; 0: none */
    char *text;  /* the line that is being written */
    size_t length;
};

double event_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum status open_failed(const char *path)
{
    if (errno == ECANCELED)
        return status_fail(STATUS_STOPPED,
                           "stopped on request while waiting for a reader of "
                           "--log-json %s",
                           path);
    const char *why = errno == ELOOP     ? "it is a link of another user"
                      : errno == ENOTDIR ? "a file stands where its folder would be"
                      : errno == EISDIR  ? "it is a folder"
                                         : folder_reason(errno);
    return status_fail(errno == ENOMEM ? STATUS_OUT_OF_MEMORY : STATUS_CANNOT_CREATE,
                       "--log-json %s: %s; %s", path, why,
                       errno == ENOENT ? "make its folder first" : "name another file, or -");
}

enum status event_log_open(struct event_log **out, const char *path, const volatile int *stop)
{
    *out = NULL;
    if (!path)
        return STATUS_OK;
    struct event_log *log = calloc(1, sizeof *log);
    if (log)
        log->path = strdup(path);
    if (!log || !log->path) {
        free(log);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for --log-json");
    }
    log->file = strcmp(path, "-") != 0 ? pipe_open(path, O_APPEND | O_CREAT, stop)
                                       : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (log->file < 0) {
        enum status status = open_failed(path);
        free(log->path);
        free(log);
        return status;
    }
    log->stop = stop;
    *out = log;
    return STATUS_OK;
}

void event_log_close(struct event_log *log)
{
    if (!log)
        return;
    if (close(log->file) != 0 && !log->failure)
        log->failure = errno;
    if (log->failure && log->failure != ECANCELED)
        fprintf(stderr, "deepfield: --log-json %s: %s; events are missing in it\n", log->path,
                strerror(log->failure));
    free(log->path);
    free(log);
}

/* Begins a line in memory, since the log gets whole lines. False: no event is to be written. */
static bool event_begin(struct event_log *log, struct json *json, const char *event)
{
    if (!log || log->failure)
        return false;
    *json = (struct json){.stream = open_memstream(&log->text, &log->length)};
    if (!json->stream) {
        log->failure = ENOMEM;
        return false;
    }
    json_begin(json, "event/1");
    json_real(json, "time", event_time());
    json_text(json, "event", event);
    return true;
}

static void event_end(struct event_log *log, struct json *json)
{
    bool good = json_end(json) == STATUS_OK;
    fputc('\n', json->stream);
    if (fclose(json->stream) != 0 || !good)
        log->failure = ENOMEM;
    fflush(stdout); /* whose lines come before this one */
    if (!log->failure && !pipe_write(log->file, log->text, log->length, log->stop))
        log->failure = errno;
    free(log->text);
}

void event_log_start(struct event_log *log, const char *command, int ranks, int32_t width,
                     int32_t height)
{
    struct json json;
    if (!event_begin(log, &json, "start"))
        return;
    program_json(&json);
    json_text(&json, "command", command);
    json_integer(&json, "ranks", ranks);
    json_integer(&json, "width", width);
    json_integer(&json, "height", height);
    event_end(log, &json);
}

void event_log_progress(struct event_log *log, const struct run_status *status)
{
    struct json json;
    if (!event_begin(log, &json, "progress"))
        return;
    run_status_json(&json, status);
    event_end(log, &json);
}

void event_log_frame(struct event_log *log, const deepfield_frame_work *work)
{
    struct json json;
    if (!event_begin(log, &json, "frame"))
        return;
    json_integer(&json, "frame", work->frame);
    json_real(&json, "log10_zoom", work->log10_zoom);
    json_open(&json, "seconds", '{');
    json_real(&json, "prepare", work->prepare_s);
    json_real(&json, "compute", work->compute_s);
    json_real(&json, "waited", work->waited_s);
    json_close(&json);
    json_count(&json, "iterations", work->iterations);
    event_end(log, &json);
}

void lines_json(struct json *json, const char *key, const char *lines)
{
    json_open(json, key, '[');
    for (const char *at = lines; *at; at += strspn(at, "\n")) {
        size_t length = strcspn(at, "\n");
        char *line = strndup(at, length);
        json->failed |= !line;
        json_text(json, NULL, line);
        free(line);
        at += length;
    }
    json_close(json);
}

void event_log_notice(struct event_log *log, const char *text)
{
    struct json json;
    if (!event_begin(log, &json, "notice"))
        return;
    json_text(&json, "text", text);
    event_end(log, &json);
}

void event_log_restart(struct event_log *log, long ranks, const char *text)
{
    struct json json;
    if (!event_begin(log, &json, "restart"))
        return;
    json_integer(&json, "ranks", ranks);
    json_text(&json, "text", text);
    event_end(log, &json);
}

static void result_json(struct json *json, const struct event_result *result)
{
    if (!result->files) {
        json_text(json, "files", NULL);
        json_text(json, "seconds", NULL);
        json_text(json, "checksums", NULL);
        return;
    }
    lines_json(json, "files", result->files);
    json_open(json, "seconds", '{');
    json_real(json, "total", result->total_s);
    json_close(json);
    if (result->planes)
        checksums_json(json, result->planes, result->checksum);
    else
        json_text(json, "checksums", NULL);
}

void event_log_end(struct event_log *log, enum status status, const struct event_result *result)
{
    struct json json;
    if (!event_begin(log, &json, "end"))
        return;
    json_integer(&json, "code", status_exit_code(status));
    json_text(&json, "text", status == STATUS_OK ? NULL : status_text());
    result_json(&json, result);
    event_end(log, &json);
}
