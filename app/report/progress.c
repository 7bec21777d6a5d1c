#include "app/report/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/process/stop.h"
#include "decomposition/thread/clock.h"

#define LINE_EVERY_S 10.0
#define LIVE_EVERY_S 0.1
#define STATUS_EVERY_S 2.0

enum progress_style progress_style_choose(bool quiet)
{
    const char *terminal = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    bool plain = (no_colour && *no_colour) || !terminal || !strcmp(terminal, "dumb");
    if (quiet)
        return PROGRESS_NONE;
    return !plain && isatty(STDERR_FILENO) ? PROGRESS_LIVE : PROGRESS_LINES;
}

bool progress_logs_to_stdout(const struct config *config)
{
    const char *log = config_text(config, OPTION_OUTPUT_LOG_JSON);
    return log && !strcmp(log, "-");
}

enum status progress_open(struct progress *progress, const struct invocation *invocation,
                          const struct progress_facts *facts)
{
    const struct config *config = &invocation->config;
    const char *log = config_text(config, OPTION_OUTPUT_LOG_JSON);
    bool json = arguments_has(&invocation->arguments, OPTION_JSON);
    *progress = (struct progress){
        .stream = stderr,
        .style = progress_style_choose(config_boolean(config, OPTION_OUTPUT_QUIET))};
    snprintf(progress->status_folder, sizeof progress->status_folder, "%s",
             facts->status_folder ? facts->status_folder : "");
    progress->frame_pixels = (uint64_t)facts->width * (uint64_t)facts->height;
    if (progress_logs_to_stdout(config) && (facts->takes_stdout || json))
        return status_fail(STATUS_USAGE,
                           "standard output cannot take --log-json - and %s; name a "
                           "file for it",
                           facts->takes_stdout ? facts->takes_stdout : "--json");
    TRY(event_log_open(&progress->log, log, &stop_requested));
    event_log_start(progress->log, facts->command, facts->ranks, facts->width, facts->height);
    return STATUS_OK;
}

void progress_duration(double seconds, char *text, size_t bytes)
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

static double share_done(const deepfield_progress *now)
{
    double share = now->of ? (double)now->count / (double)now->of : 0;
    return fmin(now->done > 0 ? now->done : share, 1); /* sums of costs are rounded */
}

/* -1: not known. */
static double seconds_left(const deepfield_progress *now)
{
    double done = share_done(now), left_s = done > 0 ? now->stage_seconds * (1 - done) / done : -1;
    return left_s >= 0 && isfinite(left_s) ? left_s : -1;
}

/* "16 samples  " */
static const char *samples_text(int samples, char text[32])
{
    *text = '\0';
    if (samples < 0)
        snprintf(text, 32, "up to %d samples  ", -samples);
    else if (samples)
        snprintf(text, 32, samples > 1 ? "%d samples  " : "%d sample  ", samples);
    return text;
}

void progress_line(const deepfield_progress *now, char *text, size_t bytes)
{
    double rate = now->stage_seconds > 0 ? (double)now->iterations / now->stage_seconds : 0;
    char left[32] = "?", samples[32];
    if (seconds_left(now) >= 0)
        progress_duration(seconds_left(now), left, sizeof left);
    snprintf(text, bytes, "%3.0f %%  %s%.2f G iterations/s  %s left", share_done(now) * 100,
             samples_text(now->samples, samples), rate * 1e-9, left);
}

/* "42 %  frame 252 of 600  31.2 frames/s  11 s left" */
static void film_line(const deepfield_progress *film, char *text, size_t bytes)
{
    double done = (double)film->count, all = (double)film->of;
    double rate = film->stage_seconds > 0 ? done / film->stage_seconds : 0;
    char left[32] = "?";
    if (rate > 0)
        progress_duration((all - done) / rate, left, sizeof left);
    snprintf(text, bytes, "%3.0f %%  frame %lld of %lld  %.3g frames/s  %s left",
             all > 0 ? 100 * done / all : 100, (long long)film->count, (long long)film->of, rate,
             left);
}

void progress_prepare_line(const deepfield_progress *now, char *text, size_t bytes)
{
    double done = (double)now->count, most = (double)now->of;
    double rate = now->stage_seconds > 0 ? done / now->stage_seconds : 0;
    char left[32] = "?", since[32];
    if (rate > 0)
        progress_duration((most - done) / rate, left, sizeof left);
    progress_duration(now->stage_seconds, since, sizeof since);
    if (!strcmp(now->stage, "orbit")) /* its length is not known, so no time left is shown */
        snprintf(text, bytes, "orbit: %lld steps in %s, %.3g M/s; at most %lld",
                 (long long)now->count, since, rate * 1e-6, (long long)now->of);
    else
        snprintf(text, bytes, "blocks: %.0f %%, %s left", most > 0 ? 100 * done / most : 0, left);
}

/* "orbit: 42 % of the most it may take, 3 s" */
static void search_line(const deepfield_progress *search, char *text, size_t bytes)
{
    const bool newton = !strcmp(search->stage, "newton");
    char since[32];
    progress_duration(search->stage_seconds, since, sizeof since);
    snprintf(text, bytes, "%s: %.0f %%%s, %s", newton ? "Newton's method" : search->stage,
             search->done * 100, newton ? "" : " of the most it may take", since);
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

/* ---- for other programs ---- */

static void rank_fill(struct run_rank *to, const deepfield_rank_work *work)
{
    *to = (struct run_rank){.computes = work->computes != 0,
                            .tiles = work->tiles,
                            .iterations = work->iterations,
                            .busy_s = work->busy_s,
                            .unheard_s = work->unheard_s};
    snprintf(to->host, sizeof to->host, "%s", work->host);
}

/* Status of the run, of whose units each is so many pixels; the caller frees its rows. */
static struct run_status status_of(const deepfield_progress *now, uint64_t unit_pixels)
{
    struct run_status status = {.process = getpid(),
                                .code = RUN_UNDER_WAY,
                                .written_s = event_time(),
                                .pixels_done = now->count * unit_pixels,
                                .pixels = now->of * unit_pixels,
                                .iterations = now->iterations,
                                .share = share_done(now),
                                .seconds = now->stage_seconds,
                                .left_s = seconds_left(now)};
    gethostname(status.host, sizeof status.host - 1);
    if (now->ranks > 0)
        status.rank = calloc((size_t)now->ranks, sizeof *status.rank);
    status.ranks = status.rank ? now->ranks : 0;
    for (int i = 0; i < status.ranks; i++)
        rank_fill(&status.rank[i], &now->rank[i]);
    return status;
}

static bool is_time(double *last_s, double every_s)
{
    double now_s = clock_s();
    if (now_s - *last_s < every_s)
        return false;
    *last_s = now_s;
    return true;
}

/* A sign of life where there are no new figures. Only of a run that has written some: until then
 * the folder may be another's. */
static void status_repeat(struct progress *progress)
{
    if (progress->said.process == 0 || !is_time(&progress->status_s, STATUS_EVERY_S))
        return;
    progress->said.written_s = event_time();
    run_status_write(&progress->said, progress->status_folder);
}

static void status_end(struct progress *progress, enum status status)
{
    struct run_status *said = &progress->said;
    if (said->process == 0)
        return;
    said->written_s = event_time();
    said->code = status_exit_code(status);
    snprintf(said->text, sizeof said->text, "%s", status == STATUS_OK ? "" : status_text());
    run_status_write(said, progress->status_folder);
    run_status_destroy(said);
}

void progress_close(struct progress *progress, enum status status)
{
    status_end(progress, status);
    event_log_end(progress->log, status, &progress->result);
    free(progress->result.files);
    free(progress->result.checksum);
    progress->result = (struct event_result){.files = NULL};
    event_log_close(progress->log);
    progress->log = NULL;
}

static void others_tell(struct progress *progress, const deepfield_progress *now,
                        uint64_t unit_pixels)
{
    bool writes = *progress->status_folder && is_time(&progress->status_s, STATUS_EVERY_S);
    bool logs = progress->log && is_time(&progress->logged_s, LINE_EVERY_S);
    if (!writes && !logs)
        return;
    struct run_status status = status_of(now, unit_pixels);
    if (logs)
        event_log_progress(progress->log, &status);
    if (writes && run_status_write(&status, progress->status_folder)) { /* else the older stays */
        run_status_destroy(&progress->said);
        progress->said = status;
    } else
        run_status_destroy(&status);
}

/* ---- on the terminal ---- */

/* "proven: 12 of 256 pixels, 3 s left" */
static void proof_line(const deepfield_progress *proofs, char *text, size_t bytes)
{
    double left_s = proofs->stage_seconds * (1 - proofs->done) / proofs->done;
    snprintf(text, bytes, "proven: %llu of %llu pixels, %.0f s left",
             (unsigned long long)proofs->count, (unsigned long long)proofs->of, left_s);
}

/* What a stage needs besides its line. */
static void stage_note(struct progress *progress, const deepfield_progress *now)
{
    if (!strcmp(now->stage, "orbit") || !strcmp(now->stage, "blocks"))
        status_repeat(progress);
    else
        others_tell(progress, now, !strcmp(now->stage, "frames") ? progress->frame_pixels : 1);
}

int progress_stage(void *context, const deepfield_progress *now)
{
    static const struct {
        const char *stage;
        void (*line)(const deepfield_progress *now, char *text, size_t bytes);
    } stages[] = {{"orbit", progress_prepare_line},
                  {"blocks", progress_prepare_line},
                  {"frames", film_line},
                  {"proof", proof_line},
                  {"pixels", progress_line}};
    struct progress *progress = context;
    char line[160];
    if (now->frame) {
        event_log_frame(progress->log, now->frame);
        return 0;
    }
    stage_note(progress, now);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (!strcmp(now->stage, stages[i].stage) && due(progress, now->stage_seconds)) {
            stages[i].line(now, line, sizeof line);
            line_show(progress, line);
        }
    return 0;
}

int progress_search(void *context, const deepfield_progress *now)
{
    char line[128];
    if (!due(context, now->stage_seconds))
        return 0;
    search_line(now, line, sizeof line);
    line_show(context, line);
    return 0;
}

void progress_line_clear(const struct progress *progress)
{
    if (progress->style == PROGRESS_LIVE)
        fputs("\r\033[K", progress->stream);
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
    event_log_notice(progress->log, text);
    if (progress->style == PROGRESS_NONE)
        return;
    progress_end(progress);
    fprintf(progress->stream, "deepfield: %s\n", text);
}
