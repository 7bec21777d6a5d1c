/* Events of a run, for programs that watch it: `--log-json FILE`. One JSON object a line, each with
 * `time` (seconds since 1970) and `event`:
 *
 *     start      program, version, command, ranks, width, height
 *     progress   every ten seconds; the members of render/run_status.h
 *     frame      of a film, one that was computed: frame, zoom_log10, seconds (prepare, compute,
 *                waited), iterations
 *     notice     text: a rank does not answer, or answers again, ...
 *     restart    text, ranks: --ranks starts the job again
 *     end        code, and text if it is not 0 */
#ifndef APP_EVENT_LOG_H
#define APP_EVENT_LOG_H

#include "kernels/status.h"
#include "render/run_status.h"

struct event_log;
struct film_frame_report;

/* Lines are added to a file that exists, since a job may be started again; "-" is stdout. A path of
 * NULL is no log, which all calls accept. A pipe is waited for until `*stop`, which is borrowed; a
 * line that cannot be written is the last, and closing says so on stderr. STATUS_CANNOT_CREATE,
 * STATUS_OUT_OF_MEMORY, STATUS_STOPPED. */
enum status event_log_open(struct event_log **log, const char *path, const volatile int *stop);
void event_log_close(struct event_log *log);

void event_log_start(struct event_log *log, const char *command, int ranks, int32_t width,
                     int32_t height);
void event_log_progress(struct event_log *log, const struct run_status *status);
void event_log_frame(struct event_log *log, const struct film_frame_report *report);

/* number: `ranks` of a restart, `code` of an end; not written for others. */
void event_log_say(struct event_log *log, const char *event, long number, const char *text);

/* Seconds since 1970. */
double event_time(void);

#endif
