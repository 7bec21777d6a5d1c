#include "app/progress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/launch.h"

#define LINE_EVERY_S 10.0
#define LIVE_EVERY_S 0.1

enum progress_style progress_style_choose(bool quiet)
{
    const char *terminal = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    bool plain = (no_colour && *no_colour) || !terminal || !strcmp(terminal, "dumb");
    if (quiet)
        return PROGRESS_NONE;
    return !plain && (isatty(STDERR_FILENO) || getenv(LAUNCH_TERMINAL)) ? PROGRESS_LIVE
                                                                        : PROGRESS_LINES;
}

static void duration(double seconds, char *text, size_t bytes)
{
    if (seconds < 100)
        snprintf(text, bytes, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, bytes, "%.0f min", seconds / 60);
    else
        snprintf(text, bytes, "%.1f h", seconds / 3600);
}

void progress_line(const struct job_progress *job, char *text, size_t bytes)
{
    double done = job->pixels ? (double)job->pixels_done / (double)job->pixels : 0;
    double rate = job->seconds > 0 ? (double)job->iterations / job->seconds : 0;
    char left[32] = "?";
    if (done > 0)
        duration(job->seconds * (1 - done) / done, left, sizeof left);
    snprintf(text, bytes, "%3.0f %%  %.2f G iterations/s  %s left", done * 100, rate * 1e-9, left);
}

void progress_show(void *context, const struct job_progress *job)
{
    struct progress *progress = context;
    bool live = progress->style == PROGRESS_LIVE;
    double every = live ? LIVE_EVERY_S : LINE_EVERY_S;
    if (progress->style == PROGRESS_NONE || job->seconds - progress->shown_s < every)
        return;
    char line[128];
    progress_line(job, line, sizeof line);
    /* ESC [ K clears what a longer line left behind. */
    fprintf(progress->stream, live ? "\r%s\033[K" : "%s\n", line);
    fflush(progress->stream);
    progress->shown_s = job->seconds;
    progress->live_line = live;
}

void progress_end(struct progress *progress)
{
    if (!progress->live_line)
        return;
    fputs("\r\033[K", progress->stream);
    fflush(progress->stream);
    progress->live_line = false;
}
