/* What the disk is needed for: jobs for the I/O thread, and what comes back from them. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/text_file.h"
#include "app/viewer/viewer_parts.h"
#include "render/palette.h"
#include "render/png_text.h"

enum {
    PLACE_BYTES_MAX = 2 * PNG_TEXT_BYTES_MAX,
    SAME_SECOND_MAX = 100 /* files that are named by one second */
};

void viewer_give(struct viewer *viewer, enum status (*work)(void *, char *),
                 void (*destroy)(void *), void *context)
{
    struct io_thread_job job = {work, destroy, context};
    if (io_thread_give(viewer->io_thread, &job) != STATUS_OK)
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
}

/* "deepfield-20260102-101500.png" */
static void path_now(char *path, size_t bytes, const char *suffix)
{
    time_t now = time(NULL);
    struct tm parts;
    char stamp[32] = "";
    if (localtime_r(&now, &parts))
        strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &parts);
    snprintf(path, bytes, "deepfield-%s%s", stamp, suffix);
}

/* Writes a job under the first of x.png, x-2.png, ... that is free; `path` becomes that. */
static enum status free_write(void *job, char path[SINK_PATH_BYTES],
                              enum status (*write)(const void *job))
{
    char first[SINK_PATH_BYTES];
    snprintf(first, sizeof first, "%s", path);
    const char *suffix = strrchr(first, '.');
    for (int number = 2;; number++) {
        bool taken = access(path, F_OK) == 0;
        enum status status = taken ? STATUS_CANNOT_CREATE : write(job);
        if (status != STATUS_CANNOT_CREATE || (!taken && access(path, F_OK) != 0))
            return status; /* not because another program was faster */
        if (number > SAME_SECOND_MAX)
            return status_fail(STATUS_CANNOT_CREATE, "%s is there already, %d times", first,
                               SAME_SECOND_MAX);
        snprintf(path, SINK_PATH_BYTES, "%.*s-%d%s", (int)(suffix - first), first, number, suffix);
    }
}

/* ---- history ---- */

struct history_job {
    char path[USER_DATA_PATH_BYTES];
    char *bytes;
    size_t length;
    bool whole;
};

static enum status history_work(void *context, char *text)
{
    const struct history_job *job = context;
    (void)text;
    return history_save(job->path, job->bytes, job->length, job->whole);
}

static void history_job_destroy(void *context)
{
    struct history_job *job = context;
    free(job->bytes);
    free(job);
}

/* The place that is seen becomes a step, if it is another one than before. */
void viewer_history_keep(struct viewer *viewer)
{
    char *text = NULL;
    if (place_text_write_step(&viewer->place, &text) != STATUS_OK ||
        history_add(viewer->history, text) != STATUS_OK)
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
    free(text);
    struct history_job *job = calloc(1, sizeof *job);
    if (!job || !*viewer->history_path ||
        history_changes(viewer->history, &job->bytes, &job->length, &job->whole) != STATUS_OK ||
        !job->bytes) {
        free(job);
        return;
    }
    snprintf(job->path, sizeof job->path, "%s", viewer->history_path);
    viewer_give(viewer, history_work, history_job_destroy, job);
}

/* ---- places as files ---- */

struct file_job {
    struct inbox *inbox;
    char path[SINK_PATH_BYTES];
    char *text;
};

static void file_job_destroy(void *context)
{
    struct file_job *job = context;
    free(job->text);
    free(job);
}

static enum status place_write(const void *context)
{
    const struct file_job *job = context;
    struct whole_file file;
    TRY(whole_file_open(&file, job->path, OVERWRITE_NO, NULL));
    fputs(job->text, file.stream);
    enum status status = whole_file_commit(&file);
    whole_file_abandon(&file);
    return status;
}

static enum status place_save_work(void *context, char *text)
{
    struct file_job *job = context;
    TRY(free_write(job, job->path, place_write));
    snprintf(text, IO_THREAD_TEXT_BYTES, "the place is in %.400s", job->path);
    return STATUS_OK;
}

void viewer_place_save(struct viewer *viewer)
{
    struct file_job *job = calloc(1, sizeof *job);
    if (!job || viewer_place_text(viewer, &job->text) != STATUS_OK) {
        free(job);
        viewer_say(viewer, NOTICE_ALARM, "no memory for the text of the place");
        return;
    }
    path_now(job->path, sizeof job->path, ".ini");
    viewer_give(viewer, place_save_work, file_job_destroy, job);
}

/* A place stands at the head of pictures, too. */
static enum status file_open_work(void *context, char *text)
{
    struct file_job *job = context;
    size_t length = 0;
    char *found = NULL;
    (void)text;
    TRY(text_file_head(job->path, PLACE_BYTES_MAX, &found, &length));
    pthread_mutex_lock(&job->inbox->mutex);
    free(job->inbox->text);
    job->inbox->text = found;
    job->inbox->length = length;
    pthread_mutex_unlock(&job->inbox->mutex);
    return STATUS_OK;
}

void viewer_file_open(struct viewer *viewer, const char *path)
{
    struct file_job *job = calloc(1, sizeof *job);
    if (!job)
        return;
    job->inbox = &viewer->inbox;
    snprintf(job->path, sizeof job->path, "%s", path);
    viewer_give(viewer, file_open_work, file_job_destroy, job);
}

/* ---- pictures ---- */

struct picture_job {
    struct live_field field;
    struct look look;
    const char *assets;
    char palette[OPTION_PALETTE_MAX + 1], path[SINK_PATH_BYTES], title[OPTION_TEXT_MAX + 1];
    bool named; /* by a script: replaces what is there, as its shots do */
    struct place place;
    uint64_t serial; /* of its request */
    char *text;
};

static void picture_job_destroy(void *context)
{
    struct picture_job *job = context;
    live_field_release(&job->field);
    place_destroy(&job->place);
    free(job->text);
    free(job);
}

static enum status picture_write(const void *context)
{
    const struct picture_job *job = context;
    struct sink_order order = {.path = job->path,
                               .field = &job->field.field,
                               .look = &job->look,
                               .light = job->field.light,
                               .view_text = job->text,
                               .title = *job->title ? job->title : NULL,
                               .bits = 8,
                               .overwrite = job->named ? OVERWRITE_YES : OVERWRITE_NO};
    return sink_write(&order);
}

static enum status picture_work(void *context, char *text)
{
    struct picture_job *job = context;
    struct palette *palette = NULL;
    TRY(palette_load(&palette, job->assets, job->palette));
    job->look.palette = palette;
    enum status status =
        job->named ? picture_write(job) : free_write(job, job->path, picture_write);
    palette_destroy(palette);
    TRY(status);
    snprintf(text, IO_THREAD_TEXT_BYTES, "the picture is in %.400s", job->path);
    return STATUS_OK;
}

/* The settled field, and all that is said of it. */
static enum status picture_hold(struct viewer *viewer, struct picture_job *job, uint64_t serial,
                                const struct view *view, const char *path)
{
    TRY(place_copy(&job->place, &viewer->place));
    TRY(live_field_hold(viewer->live, serial, &job->field));
    job->serial = serial;
    job->place.limit = job->field.limit;
    job->place.view.width = view->width;
    job->place.view.height = view->height;
    look_resolve(&job->place.look, &job->field.field);
    job->assets = viewer->options->assets;
    job->look = place_look(&viewer->place, view->height);
    snprintf(job->palette, sizeof job->palette, "%s", viewer->place.palette);
    snprintf(job->title, sizeof job->title, "%s", viewer->place.title);
    job->named = path && *path;
    if (job->named)
        snprintf(job->path, sizeof job->path, "%s", path);
    else
        path_now(job->path, sizeof job->path, ".png");
    return STATUS_OK;
}

/* With the samples that it has. */
static void picture_give(struct viewer *viewer)
{
    struct picture_job *job = viewer->picture;
    viewer->picture = NULL;
    job->place.samples = job->field.light ? job->field.samples : 1;
    if (place_text_write(&job->place, &job->text) == STATUS_OK) {
        viewer_give(viewer, picture_work, picture_job_destroy, job);
        return;
    }
    viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
    picture_job_destroy(job);
}

void viewer_picture_look(struct viewer *viewer)
{
    struct picture_job *job = viewer->picture;
    if (!job)
        return;
    bool moved = job->serial != viewer->serial;
    live_light_hold(viewer->live, job->serial, &job->field);
    if (job->field.light || moved || (viewer->state.smooth && viewer->state.serial == job->serial))
        picture_give(viewer);
}

void viewer_picture_close(struct viewer *viewer)
{
    if (viewer->picture)
        picture_give(viewer);
}

enum status viewer_picture_write(struct viewer *viewer, uint64_t serial, const struct view *view,
                                 const char *path)
{
    viewer_picture_close(viewer);
    struct picture_job *job = calloc(1, sizeof *job);
    if (!job)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture");
    enum status status = picture_hold(viewer, job, serial, view, path);
    if (status != STATUS_OK) {
        picture_job_destroy(job);
        return status;
    }
    viewer->picture = job;
    viewer_picture_look(viewer);
    if (viewer->picture)
        viewer_say(viewer, NOTICE_NEWS, "the picture is written when it is smooth");
    return STATUS_OK;
}

/* ---- what comes back ---- */

void viewer_inbox(struct viewer *viewer)
{
    struct io_thread_report report;
    struct inbox *inbox = &viewer->inbox;
    while (io_thread_report(viewer->io_thread, &report))
        viewer_say(viewer, report.status == STATUS_OK ? NOTICE_NEWS : NOTICE_ALARM, "%s",
                   report.text);
    pthread_mutex_lock(&inbox->mutex);
    char *text = inbox->text;
    size_t length = inbox->length;
    inbox->text = NULL;
    bool bookmarks = viewer_bookmarks_take(viewer);
    pthread_mutex_unlock(&inbox->mutex);
    if (text)
        viewer_set_place(viewer, text, length, "the file", PLACE_GIVEN);
    free(text);
    if (bookmarks)
        viewer_bookmarks_arrive(viewer);
}
