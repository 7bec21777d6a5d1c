/* Bookmarks: jobs for the I/O thread, and thumbnails of finished pictures. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/viewer/style.h"
#include "app/viewer/viewer_parts.h"

struct bookmark_job {
    struct inbox *inbox;
    char folder[USER_DATA_PATH_BYTES];
    char *text, *name; /* name: to remove, or to take again */
    char *step;        /* of the history, if the thumbnail is to be taken again */
    char title[OPTION_TEXT_MAX + 1];
    uint32_t *pixels;
    int32_t width, height;
};

static void job_destroy(void *context)
{
    struct bookmark_job *job = context;
    free(job->text);
    free(job->name);
    free(job->step);
    free(job->pixels);
    free(job);
}

static struct bookmark_job *job_create(struct viewer *viewer)
{
    struct bookmark_job *job = *viewer->bookmarks_path ? calloc(1, sizeof *job) : NULL;
    if (!job) {
        viewer_say(viewer, NOTICE_ALARM, "there is no folder for bookmarks");
        return NULL;
    }
    job->inbox = &viewer->inbox;
    snprintf(job->folder, sizeof job->folder, "%s", viewer->bookmarks_path);
    return job;
}

static void retake_destroy(struct retake *retake)
{
    free(retake->step);
    *retake = (struct retake){.step = NULL};
}

void viewer_bookmarks_close(struct viewer *viewer)
{
    bookmarks_destroy(&viewer->bookmarks);
    bookmarks_destroy(&viewer->inbox.bookmarks);
    retake_destroy(&viewer->retake);
    retake_destroy(&viewer->inbox.retake);
}

/* ---- adding ---- */

/* A bookmark is kept at once, with what there is to be seen; when the picture of its place is
 * finished its thumbnail is taken again. */
static void retake_post(struct bookmark_job *job, const char *name)
{
    struct inbox *inbox = job->inbox;
    pthread_mutex_lock(&inbox->mutex);
    retake_destroy(&inbox->retake);
    inbox->retake.step = job->step;
    snprintf(inbox->retake.name, sizeof inbox->retake.name, "%s", name);
    pthread_mutex_unlock(&inbox->mutex);
    job->step = NULL;
}

static enum status add_work(void *context, char *text)
{
    struct bookmark_job *job = context;
    const struct paint_image image = {job->pixels, job->width, job->height, job->width};
    char name[BOOKMARK_NAME_BYTES];
    TRY(bookmarks_add(job->folder, job->text, job->title, &image, (int64_t)time(NULL), name));
    if (job->step)
        retake_post(job, name);
    snprintf(text, IO_THREAD_TEXT_BYTES, "kept as a bookmark");
    return STATUS_OK;
}

/* A place without a name is called by its zoom. */
static void title_make(const struct place *place, char *title, size_t bytes)
{
    char zoom[STYLE_ZOOM_BYTES];
    if (*place->title)
        snprintf(title, bytes, "%s", place->title);
    else
        snprintf(title, bytes, "zoom %s", style_zoom(place->view.zoom, zoom));
}

/* Is what is seen the finished picture of the place? */
static bool is_finished(const struct viewer *viewer)
{
    return viewer_settled(viewer) && !viewer->picture_stale && !viewer->pixels_new;
}

/* The job's copy of what is seen and of the text of its place. */
static bool output_copy(struct viewer *viewer, struct bookmark_job *job)
{
    const struct warp_image *output = &viewer->compositor.output;
    size_t bytes = (size_t)output->stride * (size_t)output->height * sizeof *job->pixels;
    job->pixels = malloc(bytes);
    if (!job->pixels || viewer_place_text(viewer, &job->text) != STATUS_OK)
        return false;
    memcpy(job->pixels, output->pixels, bytes);
    job->width = output->width;
    job->height = output->height;
    return true;
}

static bool unfinished_mark(const struct viewer *viewer, struct bookmark_job *job)
{
    size_t length = strlen(job->text);
    char *marked = realloc(job->text, length + sizeof BOOKMARK_UNFINISHED);
    if (!marked)
        return false;
    job->text = marked;
    memcpy(marked + length, BOOKMARK_UNFINISHED, sizeof BOOKMARK_UNFINISHED);
    return place_text_write_step(&viewer->place, &job->step) == STATUS_OK;
}

void viewer_bookmark_add(struct viewer *viewer)
{
    struct bookmark_job *job = job_create(viewer);
    if (!job)
        return;
    if (!output_copy(viewer, job) || (!is_finished(viewer) && !unfinished_mark(viewer, job))) {
        job_destroy(job);
        viewer_say(viewer, NOTICE_ALARM, "no memory for a bookmark");
        return;
    }
    title_make(&viewer->place, job->title, sizeof job->title);
    bookmarks_destroy(&viewer->bookmarks); /* to be loaded anew */
    viewer_give(viewer, add_work, job_destroy, job);
}

/* ---- thumbnails that are taken again ---- */

static enum status retake_work(void *context, char *text)
{
    const struct bookmark_job *job = context;
    const struct paint_image image = {job->pixels, job->width, job->height, job->width};
    (void)text;
    enum status status = bookmarks_retake(job->folder, job->name, job->text, &image);
    return status == STATUS_NO_INPUT ? STATUS_OK : status; /* it has been removed */
}

bool viewer_thumbnail_due(const struct viewer *viewer)
{
    return viewer->retake.step && viewer->retake.serial != viewer->serial;
}

void viewer_thumbnail_look(struct viewer *viewer)
{
    struct retake *retake = &viewer->retake;
    char *step = NULL;
    if (!viewer_thumbnail_due(viewer) || !is_finished(viewer))
        return;
    retake->serial = viewer->serial;
    bool here =
        place_text_write_step(&viewer->place, &step) == STATUS_OK && !strcmp(step, retake->step);
    free(step);
    struct bookmark_job *job = here ? job_create(viewer) : NULL;
    if (!job)
        return;
    job->name = strdup(retake->name);
    retake_destroy(retake);
    if (!job->name || !output_copy(viewer, job)) {
        job_destroy(job); /* it stays unfinished */
        return;
    }
    viewer_give(viewer, retake_work, job_destroy, job);
    if (viewer->panel == PANEL_BOOKMARKS)
        viewer_bookmarks_load(viewer);
    else
        bookmarks_destroy(&viewer->bookmarks);
}

void viewer_bookmark_open(struct viewer *viewer, int number)
{
    if (number < 0 || number >= (int)viewer->bookmarks.count)
        return;
    const struct bookmark *bookmark = &viewer->bookmarks.bookmark[number];
    viewer_panel_close(viewer);
    bool there = viewer_set_place(viewer, bookmark->text, strlen(bookmark->text), bookmark->name,
                                  PLACE_GIVEN);
    retake_destroy(&viewer->retake);
    if (there && bookmark->unfinished &&
        place_text_write_step(&viewer->place, &viewer->retake.step) == STATUS_OK)
        snprintf(viewer->retake.name, sizeof viewer->retake.name, "%s", bookmark->name);
}

/* ---- the list ---- */

static enum status load_work(void *context, char *text)
{
    struct bookmark_job *job = context;
    struct bookmarks bookmarks = {0};
    TRY(bookmarks_load(&bookmarks, job->folder, BOOKMARK_WITH_PIXELS));
    if (*bookmarks.warning)
        snprintf(text, IO_THREAD_TEXT_BYTES, "%zu file%s passed over: %.300s",
                 bookmarks.passed_over, bookmarks.passed_over == 1 ? "" : "s", bookmarks.warning);
    pthread_mutex_lock(&job->inbox->mutex);
    bookmarks_destroy(&job->inbox->bookmarks);
    job->inbox->bookmarks = bookmarks;
    job->inbox->has_bookmarks = true;
    pthread_mutex_unlock(&job->inbox->mutex);
    return STATUS_OK;
}

void viewer_bookmarks_load(struct viewer *viewer)
{
    struct bookmark_job *job = job_create(viewer);
    if (job)
        viewer_give(viewer, load_work, job_destroy, job);
}

static enum status remove_work(void *context, char *text)
{
    const struct bookmark_job *job = context;
    TRY(bookmarks_remove(job->folder, job->name));
    snprintf(text, IO_THREAD_TEXT_BYTES, "bookmark removed");
    return STATUS_OK;
}

void viewer_bookmark_remove(struct viewer *viewer, int number)
{
    if (number < 0 || number >= (int)viewer->bookmarks.count)
        return;
    struct bookmark_job *job = job_create(viewer);
    if (!job || !(job->name = strdup(viewer->bookmarks.bookmark[number].name))) {
        free(job);
        return;
    }
    viewer_give(viewer, remove_work, job_destroy, job);
    viewer_bookmarks_load(viewer);
}

bool viewer_bookmarks_take(struct viewer *viewer)
{
    struct inbox *inbox = &viewer->inbox;
    bool fresh = inbox->has_bookmarks;
    inbox->has_bookmarks = false;
    if (fresh) {
        bookmarks_destroy(&viewer->bookmarks);
        viewer->bookmarks = inbox->bookmarks;
        inbox->bookmarks = (struct bookmarks){0};
    }
    if (inbox->retake.step) {
        retake_destroy(&viewer->retake);
        viewer->retake = inbox->retake;
        inbox->retake = (struct retake){.step = NULL};
    }
    return fresh;
}

void viewer_bookmarks_arrive(struct viewer *viewer)
{
    int count = (int)viewer->bookmarks.count, step = viewer->bookmark_step;
    viewer->bookmark_step = 0;
    if (viewer->bookmark >= count)
        viewer->bookmark = count ? count - 1 : 0;
    if (!step) {
        viewer_panel_close(viewer);
        viewer->panel = PANEL_BOOKMARKS;
        gesture_cancel(viewer->gesture);
    } else if (count)
        viewer_bookmark_go(viewer, step);
    else
        viewer_say(viewer, NOTICE_NEWS, "no bookmarks yet");
    viewer->overlay_stale = true;
}
