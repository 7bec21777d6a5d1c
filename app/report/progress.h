/* What a run says of itself while it works: the progress line on stderr, one that updates itself on
 * a terminal, otherwise a new one every ten seconds, so that the logs of batch systems stay short;
 * events for other programs, and a file for `deepfield status`. */
#ifndef APP_REPORT_PROGRESS_H
#define APP_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "app/report/event_log.h"
#include "app/settings/invocation.h"
#include "include/deepfield/deepfield.h"
#include "render/disk/run_status.h"

enum { PROGRESS_PATH_BYTES = 4096 };

enum progress_style { PROGRESS_NONE, PROGRESS_LINES, PROGRESS_LIVE };

struct progress {
    FILE *stream; /* borrowed */
    enum progress_style style;
    double shown_s; /* when a line was shown last, in seconds of the stage or of the job */
    bool live_line; /* an unfinished line stands on the terminal */
    char status_folder[PROGRESS_PATH_BYTES]; /* where run_status.h writes, once it exists; "":
                                                nowhere */
    uint64_t frame_pixels;                   /* pixels of a picture, or a frame */
    double status_s;                         /* when it did, on the clock */
    struct run_status said;                  /* the last that it wrote; owned */
    struct event_log *log;                   /* NULL: none; owned */
    struct event_result result;              /* for its end; whoever makes files sets it; owned */
    double logged_s;                         /* likewise */
};

struct progress_facts {        /* facts of a run that do not change */
    const char *command;       /* its name */
    const char *status_folder; /* NULL: none */
    int32_t width, height;
    int ranks;
    const char *takes_stdout; /* what goes there, beside --json; NULL: nothing */
};

/* Does --log-json have stdout? Then nothing else goes there; the last event names the files. */
bool progress_logs_to_stdout(const struct config *config);

/* Begins to watch a run: a line on stderr, the events of --log-json, and the file for `deepfield
 * status`. progress_close also after a failure: STATUS_USAGE, STATUS_CANNOT_CREATE. */
enum status progress_open(struct progress *progress, const struct invocation *invocation,
                          const struct progress_facts *facts);

/* Writes how the run has ended into the events, and into the file if this run has written it. */
void progress_close(struct progress *progress, enum status status);

/* Live when stderr is a terminal, and neither NO_COLOR nor TERM=dumb is set. */
enum progress_style progress_style_choose(bool quiet);

/* deepfield_progress_call of all calls but deepfield_find; `progress` is a struct progress. */
int progress_stage(void *progress, const deepfield_progress *now);

/* deepfield_progress_call of deepfield_find; `progress` is a struct progress. */
int progress_search(void *progress, const deepfield_progress *now);

/* A sentence on a line of its own; none where no progress is shown. */
void progress_notice(void *context, const char *text);

/* Clears the line of the terminal, where another run of this program may have a live one. */
void progress_line_clear(const struct progress *progress);

/* Takes the live line away, so that other messages can follow. */
void progress_end(struct progress *progress);

/* "42 %  1.25 G iterations/s  3 min 20 s left", by the part of the work that is done if that is
 * known, else by pixels. Pure. */
void progress_line(const deepfield_progress *now, char *text, size_t bytes);

/* "3 min". Pure. */
void progress_duration(double seconds, char *text, size_t bytes);
/* "orbit: 1200000 steps in 4 s, 0.3 M/s; at most 263010000" or "blocks: 42 %, 3 s left". An orbit
 * that meets a period, or escapes, ends long before its most: what that would take says nothing.
 * Pure. */
void progress_prepare_line(const deepfield_progress *now, char *text, size_t bytes);

#endif
