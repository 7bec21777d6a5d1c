/* Events of a run, for programs that watch it: `--log-json FILE`. One JSON object a line, each with
 * `time` (seconds since 1970) and `event`:
 *
 *     start      program, version, revision, command, ranks, width, height
 *     progress   every ten seconds; the members of render/disk/run_status.h
 *     frame      of a film, one that was computed: frame, log10_zoom, seconds (prepare, compute,
 *                waited), iterations
 *     notice     text: a rank does not answer, or answers again, ...
 *     restart    text, ranks: --ranks starts the job again
 *     end        code; text, null where that is 0; files, seconds (total) and checksums of what was
 *                made, null where nothing was
 *
 * configs/deepfield.schema.json defines them (`event/1`). */
#ifndef APP_REPORT_EVENT_LOG_H
#define APP_REPORT_EVENT_LOG_H

#include "include/deepfield/deepfield.h"
#include "kernels/status.h"
#include "render/disk/json.h"
#include "render/disk/run_status.h"

struct event_log;

/* Lines are added to a file that exists, since a job may be started again; "-" is stdout. A path of
 * NULL is no log, which all calls accept. A pipe is waited for until `*stop`, which is borrowed; a
 * line that cannot be written is the last, and closing says so on stderr. STATUS_CANNOT_CREATE,
 * STATUS_OUT_OF_MEMORY, STATUS_STOPPED. */
enum status event_log_open(struct event_log **log, const char *path, const volatile int *stop);
void event_log_close(struct event_log *log);

void event_log_start(struct event_log *log, const char *command, int ranks, int32_t width,
                     int32_t height);
void event_log_progress(struct event_log *log, const struct run_status *status);
void event_log_frame(struct event_log *log, const deepfield_frame_work *work);

struct event_result { /* what a run has made */
    char *files;      /* a path a line; owned; NULL: nothing was made */
    double total_s;
    unsigned planes;    /* planes computed for a picture; 0: a film */
    uint64_t *checksum; /* [PLANES] of a picture, 0: not known; owned */
};

void event_log_notice(struct event_log *log, const char *text);
void event_log_restart(struct event_log *log, long ranks, const char *text);
void event_log_end(struct event_log *log, enum status status, const struct event_result *result);

/* Member of an open object: the lines of a text. */
void lines_json(struct json *json, const char *key, const char *lines);

/* Seconds since 1970. */
double event_time(void);

#endif
