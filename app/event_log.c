#include "app/event_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "render/film/film.h"
#include "render/pipe.h"

struct event_log {
    char *path;
    int file;
    const volatile int *stop;
    int failure; /* errno of the line that could not be written; 0: none */
    char *text;  /* of the line that is being written */
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
    return status_fail(errno == ENOMEM ? STATUS_OUT_OF_MEMORY : STATUS_CANNOT_CREATE,
                       "--log-json %s: %s", path, strerror(errno));
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

/* In memory first: the log gets whole lines. False: no event is to be written. */
static bool event_begin(struct event_log *log, struct json *json, const char *event)
{
    if (!log || log->failure)
        return false;
    *json = (struct json){.stream = open_memstream(&log->text, &log->length)};
    if (!json->stream) {
        log->failure = ENOMEM;
        return false;
    }
    json_open(json, NULL, '{');
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
    json_text(&json, "program", "deepfield");
    json_text(&json, "version", DEEPFIELD_VERSION);
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

void event_log_frame(struct event_log *log, const struct film_frame_report *report)
{
    struct json json;
    if (!event_begin(log, &json, "frame"))
        return;
    json_integer(&json, "frame", report->frame);
    json_real(&json, "zoom_log10", report->log10_zoom);
    json_open(&json, "seconds", '{');
    json_real(&json, "prepare", report->prepare_s);
    json_real(&json, "compute", report->compute_s);
    json_real(&json, "waited", report->waited_s);
    json_close(&json);
    json_count(&json, "iterations", report->iterations);
    event_end(log, &json);
}

void event_log_say(struct event_log *log, const char *event, long number, const char *text)
{
    struct json json;
    if (!event_begin(log, &json, event))
        return;
    if (!strcmp(event, "end"))
        json_integer(&json, "code", number);
    else if (!strcmp(event, "restart"))
        json_integer(&json, "ranks", number);
    if (*text)
        json_text(&json, "text", text);
    event_end(log, &json);
}
