#include "app/event_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "render/film/film.h"

struct event_log {
    FILE *stream;
    bool ours; /* to be closed */
};

double event_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum status event_log_open(struct event_log **out, const char *path)
{
    *out = NULL;
    if (!path)
        return STATUS_OK;
    bool ours = strcmp(path, "-") != 0;
    FILE *stream = ours ? fopen(path, "ae") : stdout;
    if (!stream)
        return status_fail(STATUS_CANNOT_CREATE, "--log-json %s: %s", path, strerror(errno));
    struct event_log *log = calloc(1, sizeof *log);
    if (!log) {
        if (ours)
            fclose(stream);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for --log-json");
    }
    *log = (struct event_log){stream, ours};
    *out = log;
    return STATUS_OK;
}

void event_log_close(struct event_log *log)
{
    if (log && log->ours)
        fclose(log->stream);
    free(log);
}

static struct json event_begin(const struct event_log *log, const char *event)
{
    struct json json = {.stream = log->stream};
    json_open(&json, NULL, '{');
    json_real(&json, "time", event_time());
    json_text(&json, "event", event);
    return json;
}

static void event_end(const struct event_log *log, struct json *json)
{
    if (json_end(json) == STATUS_OK)
        fputc('\n', log->stream);
    fflush(log->stream);
}

void event_log_start(struct event_log *log, const char *command, int ranks, int32_t width,
                     int32_t height)
{
    if (!log)
        return;
    struct json json = event_begin(log, "start");
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
    if (!log)
        return;
    struct json json = event_begin(log, "progress");
    run_status_json(&json, status);
    event_end(log, &json);
}

void event_log_frame(struct event_log *log, const struct film_frame_report *report)
{
    if (!log)
        return;
    struct json json = event_begin(log, "frame");
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
    if (!log)
        return;
    struct json json = event_begin(log, event);
    if (!strcmp(event, "end"))
        json_integer(&json, "code", number);
    else if (!strcmp(event, "restart"))
        json_integer(&json, "ranks", number);
    if (*text)
        json_text(&json, "text", text);
    event_end(log, &json);
}
