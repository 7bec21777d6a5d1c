#include "app/viewer/core/viewer_thumbnails.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/core/viewer_files.h"
#include "kernels/formula_text.h"

#define LOAD_S 2.0 /* time between two loads while pictures are being made */
#define THUMBNAIL_SIZE "160x90"
#define THUMBNAIL_SAMPLES "4"

enum list { LIST_PLACES, LIST_FORMULAS, LIST_TOURS };

/* Folder of the pictures: a version of its own for each look of the program. */
static bool folder_find(char folder[USER_DATA_PATH_BYTES])
{
    char cache[USER_DATA_PATH_BYTES];
    return user_cache_folder(cache) == STATUS_OK &&
           user_data_path(folder, cache, "thumbnails-1") == STATUS_OK;
}

/* ---- making ---- */

/* A list of views for deepfield render --list, and the views that are files of their own. */
struct thumbnail_job {
    struct viewer_inbox *inbox;
    enum list number;
    char folder[USER_DATA_PATH_BYTES];
    char *list; /* owned */
    size_t list_bytes;
    FILE *stream; /* writes the list */
    struct thumbnail_view {
        char name[DATA_NAME_BYTES + 16];
        char *text; /* owned */
    } * view;       /* owned */
    size_t views;
    void (*wake)(void *context);
    void *context;
};

static void job_destroy(void *context)
{
    struct thumbnail_job *job = context;
    if (job->stream)
        fclose(job->stream);
    for (size_t i = 0; i < job->views; i++)
        free(job->view[i].text);
    free(job->view);
    free(job->list);
    free(job);
}

static void wake(void *context)
{
    window_wake(context);
}

static struct thumbnail_job *job_create(struct viewer *viewer, enum list number, size_t views)
{
    struct thumbnail_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->number = number;
    job->inbox = &viewer->inbox;
    job->wake = wake;
    job->context = viewer->window;
    job->view = calloc(views + 1, sizeof *job->view);
    job->stream = open_memstream(&job->list, &job->list_bytes);
    if (job->view && job->stream && folder_find(job->folder))
        return job;
    job_destroy(job);
    return NULL;
}

/* Adds a view with a text of its own, which is taken. */
static void view_add(struct thumbnail_job *job, const char *kind, const char *name, char *text)
{
    struct thumbnail_view *view = &job->view[job->views];
    if (!text)
        return;
    snprintf(view->name, sizeof view->name, "%s-%s.ini", kind, name);
    view->text = text;
    job->views++;
    fprintf(job->stream, "%s/views/%s\n", job->folder, view->name);
}

static enum status views_write(const struct thumbnail_job *job)
{
    char views[USER_DATA_PATH_BYTES];
    TRY(user_data_make(job->folder));
    TRY(user_data_path(views, job->folder, "views"));
    for (size_t i = 0; i < job->views; i++)
        TRY(user_data_write(views, job->view[i].name, job->view[i].text));
    return STATUS_OK;
}

static enum status run_start(const struct thumbnail_job *job, struct child_process **child)
{
    char out[USER_DATA_PATH_BYTES + 16];
    TRY(views_write(job));
    snprintf(out, sizeof out, "%s/{name}.png", job->folder);
    const char *words[] = {"render",
                           "--list",
                           "-",
                           "--size",
                           THUMBNAIL_SIZE,
                           "--samples",
                           THUMBNAIL_SAMPLES,
                           "--ranks",
                           "1",
                           "--quiet",
                           "-o",
                           out,
                           NULL};
    const struct child_order order = {.words = words, .input = job->list};
    return child_process_start(child, &order, job->wake, job->context);
}

/* Starts the run that makes what is missing; it passes over what is there. Pictures are a comfort:
 * without a folder for them the lists have none. */
static enum status make_work(void *context, char *text)
{
    struct thumbnail_job *job = context;
    struct child_process *child = NULL;
    (void)text;
    bool failed = run_start(job, &child) != STATUS_OK;
    pthread_mutex_lock(&job->inbox->mutex);
    job->inbox->thumbnails_made[job->number] = child;
    job->inbox->thumbnails_failed |= (unsigned)failed << job->number;
    pthread_mutex_unlock(&job->inbox->mutex);
    return STATUS_OK;
}

/* Is a list wanted for the first time? */
static bool list_begins(struct viewer *viewer, enum list list)
{
    bool fresh = !(viewer->thumbnails.lists >> list & 1);
    viewer->thumbnails.lists |= 1u << list;
    return fresh && !viewer->kiosk;
}

static void job_give(struct viewer *viewer, struct thumbnail_job *job)
{
    fclose(job->stream);
    job->stream = NULL;
    viewer->thumbnails.load_s = 0;
    unsigned bit = 1u << job->number;
    if (viewer_give(viewer, make_work, job_destroy, job))
        viewer->thumbnails.begun |= bit;
}

void viewer_thumbnails_places(struct viewer *viewer, const struct data_names *names)
{
    if (!list_begins(viewer, LIST_PLACES))
        return;
    struct thumbnail_job *job = job_create(viewer, LIST_PLACES, 0);
    for (size_t i = 0; job && i < names->count; i++)
        fprintf(job->stream, "%s\n", names->name[i]);
    if (job)
        job_give(viewer, job);
}

void viewer_thumbnails_formulas(struct viewer *viewer)
{
    if (!list_begins(viewer, LIST_FORMULAS))
        return;
    struct thumbnail_job *job = job_create(viewer, LIST_FORMULAS, FORMULA_ROWS);
    for (int step = 0; job && step < FORMULA_ROWS; step++) {
        struct formula formula = formula_of_step((enum formula_step)step);
        char *text;
        if (asprintf(&text, "[view]\nformula = %s\n", formula_name(&formula)) > 0)
            view_add(job, "formula", formula_name(&formula), text);
    }
    if (job)
        job_give(viewer, job);
}

void viewer_thumbnails_tours(struct viewer *viewer, const struct data_names *names,
                             const struct tour *tours)
{
    if (!list_begins(viewer, LIST_TOURS))
        return;
    struct thumbnail_job *job = job_create(viewer, LIST_TOURS, names->count);
    for (size_t i = 0; job && i < names->count; i++) {
        const struct tour *tour = &tours[i];
        char *text = NULL; /* view of the second stop: the first is all of a set as a rule */
        if (tour->stops && place_text_write(&tour->stop[tour->stops > 1].place, &text) == STATUS_OK)
            view_add(job, "tour", names->name[i], text);
    }
    if (job)
        job_give(viewer, job);
}

/* ---- loading ---- */

struct load_job {
    struct viewer_inbox *inbox;
    char folder[USER_DATA_PATH_BYTES];
};

static enum status load_work(void *context, char *text)
{
    struct load_job *job = context;
    struct bookmarks images = {0};
    (void)text;
    TRY(bookmarks_load(&images, job->folder, BOOKMARK_WITH_PIXELS));
    pthread_mutex_lock(&job->inbox->mutex);
    bookmarks_destroy(&job->inbox->thumbnails);
    job->inbox->thumbnails = images;
    job->inbox->has_thumbnails = true;
    pthread_mutex_unlock(&job->inbox->mutex);
    return STATUS_OK;
}

static void load(struct viewer *viewer)
{
    struct load_job *job = calloc(1, sizeof *job);
    if (!job || !folder_find(job->folder)) {
        free(job);
        return;
    }
    job->inbox = &viewer->inbox;
    viewer_give(viewer, load_work, free, job);
}

static void inbox_take(struct viewer *viewer)
{
    struct viewer_inbox *inbox = &viewer->inbox;
    struct viewer_thumbnails *thumbnails = &viewer->thumbnails;
    pthread_mutex_lock(&inbox->mutex);
    if (inbox->has_thumbnails) {
        bookmarks_destroy(&thumbnails->images);
        thumbnails->images = inbox->thumbnails;
        inbox->thumbnails = (struct bookmarks){0};
        inbox->has_thumbnails = false;
        viewer->overlay_stale = true;
    }
    pthread_mutex_unlock(&inbox->mutex);
}

/* Bits of the lists whose run has ended; its failures only mean that a picture is missing. */
static unsigned runs_ended(struct viewer *viewer)
{
    struct viewer_inbox *inbox = &viewer->inbox;
    struct child_process *closed[THUMBNAIL_LISTS] = {NULL};
    pthread_mutex_lock(&inbox->mutex);
    unsigned ended = inbox->thumbnails_failed;
    inbox->thumbnails_failed = 0;
    for (int i = 0; i < THUMBNAIL_LISTS; i++) {
        struct child_process **child = &inbox->thumbnails_made[i];
        if (!*child || !child_process_state(*child).ended)
            continue;
        closed[i] = *child;
        *child = NULL;
        ended |= 1u << i;
    }
    pthread_mutex_unlock(&inbox->mutex);
    for (int i = 0; i < THUMBNAIL_LISTS; i++)
        child_process_close(closed[i]);
    return ended;
}

void viewer_thumbnails_poll(struct viewer *viewer, double now_s)
{
    struct viewer_thumbnails *thumbnails = &viewer->thumbnails;
    inbox_take(viewer);
    if (!thumbnails->begun)
        return;
    unsigned ended = runs_ended(viewer);
    thumbnails->begun &= ~ended;
    if (ended || now_s >= thumbnails->load_s) {
        load(viewer);
        thumbnails->load_s = now_s + LOAD_S;
    }
    viewer->wake_s = fmin(viewer->wake_s, thumbnails->load_s);
}

bool viewer_thumbnail(const struct viewer *viewer, const char *name, struct paint_image *image)
{
    const struct bookmarks *images = &viewer->thumbnails.images;
    char file[DATA_NAME_BYTES + 24];
    snprintf(file, sizeof file, "%s.png", name);
    for (char *colon = file; (colon = strchr(colon, ':'));)
        *colon = '-'; /* as {name} writes FILE:PLACE */
    for (size_t i = 0; i < images->count; i++) {
        const struct bookmark *one = &images->bookmark[i];
        if (strcmp(one->name, file) != 0 || !one->pixels)
            continue;
        *image = (struct paint_image){one->pixels, (int32_t)one->width, (int32_t)one->height,
                                      (int32_t)one->width};
        return true;
    }
    return false;
}

void viewer_thumbnails_close(struct viewer *viewer)
{
    for (int i = 0; i < THUMBNAIL_LISTS; i++)
        child_process_stop(viewer->inbox.thumbnails_made[i]);
    for (int i = 0; i < THUMBNAIL_LISTS; i++)
        child_process_close(viewer->inbox.thumbnails_made[i]);
    bookmarks_destroy(&viewer->inbox.thumbnails);
    bookmarks_destroy(&viewer->thumbnails.images);
}
