#include "app/progress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_EVERY_S 10.0
#define LIVE_EVERY_S 0.1

enum progress_style progress_style_choose(bool quiet)
{
    const char *terminal = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    bool plain = (no_colour && *no_colour) || !terminal || !strcmp(terminal, "dumb");
    if (quiet)
        return PROGRESS_NONE;
    return !plain && isatty(STDERR_FILENO) ? PROGRESS_LIVE : PROGRESS_LINES;
}

static void duration(double seconds, char *text, size_t bytes)
{
    if (seconds < 100)
        snprintf(text, bytes, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, bytes, "%.0f min", seconds / 60);
    else if (seconds < 3.6e6)
        snprintf(text, bytes, "%.1f h", seconds / 3600);
    else
        snprintf(text, bytes, "%.3g days", seconds / 86400);
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

void progress_film_line(const struct film_progress *film, char *text, size_t bytes)
{
    double done = (double)film->done, all = (double)film->frames;
    double rate = film->seconds > 0 ? done / film->seconds : 0;
    char left[32] = "?";
    if (rate > 0)
        duration((all - done) / rate, left, sizeof left);
    snprintf(text, bytes, "%3.0f %%  frame %lld of %lld  %.3g frames/s  %s left",
             all > 0 ? 100 * done / all : 100, (long long)film->done, (long long)film->frames, rate,
             left);
}

void progress_prepare_line(const struct reference_progress *reference, char *text, size_t bytes)
{
    double done = (double)reference->done, most = (double)reference->most;
    double rate = reference->seconds > 0 ? done / reference->seconds : 0;
    char left[32] = "?", since[32];
    if (rate > 0)
        duration((most - done) / rate, left, sizeof left);
    duration(reference->seconds, since, sizeof since);
    if (reference->stage == REFERENCE_ORBIT) /* when it will end nobody knows: no time is left */
        snprintf(text, bytes, "orbit: %lld steps in %s, %.3g M/s; at most %lld",
                 (long long)reference->done, since, rate * 1e-6, (long long)reference->most);
    else
        snprintf(text, bytes, "blocks: %.0f %%, %s left", most > 0 ? 100 * done / most : 0, left);
}

/* Is it time for another line? A stage that follows another one begins at 0 s again. */
static bool due(struct progress *progress, double seconds)
{
    double every = progress->style == PROGRESS_LIVE ? LIVE_EVERY_S : LINE_EVERY_S;
    if (seconds < progress->shown_s)
        progress->shown_s = 0;
    if (progress->style == PROGRESS_NONE || seconds - progress->shown_s < every)
        return false;
    progress->shown_s = seconds;
    return true;
}

static void line_show(struct progress *progress, const char *line)
{
    bool live = progress->style == PROGRESS_LIVE;
    /* ESC [ K clears what a longer line left behind. */
    fprintf(progress->stream, live ? "\r%s\033[K" : "%s\n", line);
    fflush(progress->stream);
    progress->live_line = live;
}

void progress_prepare(void *context, const struct reference_progress *reference)
{
    char line[160];
    if (!due(context, reference->seconds))
        return;
    progress_prepare_line(reference, line, sizeof line);
    line_show(context, line);
}

void progress_show(void *context, const struct job_progress *job)
{
    char line[128];
    if (!due(context, job->seconds))
        return;
    progress_line(job, line, sizeof line);
    line_show(context, line);
}

void progress_film(void *context, const struct film_progress *film)
{
    char line[128];
    if (!due(context, film->seconds))
        return;
    progress_film_line(film, line, sizeof line);
    line_show(context, line);
}

void progress_end(struct progress *progress)
{
    if (!progress->live_line)
        return;
    fputs("\r\033[K", progress->stream);
    fflush(progress->stream);
    progress->live_line = false;
}

void progress_notice(void *context, const char *text)
{
    struct progress *progress = context;
    if (progress->style == PROGRESS_NONE)
        return;
    progress_end(progress);
    fprintf(progress->stream, "deepfield: %s\n", text);
}
