#include "app/viewer/core/viewer_files.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/process/message.h"
#include "app/viewer/overlays/style.h"
#include "decomposition/thread/clock.h"
#include "library/settings/thumbnail.h"
#include "library/text/text_file.h"
#include "render/colour/palette.h"
#include "render/disk/memory.h"

#define PRINT_PIXEL_BYTES 20 /* field and colours, and what a file takes */

enum {
    PLACE_BYTES_MAX = 2 * THUMBNAIL_TEXT_BYTES,
    SAME_SECOND_MAX = 100 /* files that are named by one second */
};

bool viewer_give(struct viewer *viewer, enum status (*work)(void *, char *),
                 void (*destroy)(void *), void *context)
{
    struct io_thread_job job = {work, destroy, context};
    if (viewer->kiosk) { /* a stand reads and writes nothing */
        destroy(context);
        return true;
    }
    if (io_thread_give(viewer->io_thread, &job) == STATUS_OK)
        return true;
    viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
    return false;
}

void path_whole(char *path, size_t bytes, const char *name)
{
    char folder[USER_DATA_PATH_BYTES];
    if (*name != '/' && getcwd(folder, sizeof folder))
        snprintf(path, bytes, "%s/%s", folder, name);
    else
        snprintf(path, bytes, "%s", name);
}

/* "/home/me/deepfield-20260102-101500.png" */
static void path_now(char *path, size_t bytes, const char *suffix)
{
    time_t now = time(NULL);
    struct tm parts;
    char stamp[32] = "", name[64];
    if (localtime_r(&now, &parts))
        strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &parts);
    snprintf(name, sizeof name, "deepfield-%s%s", stamp, suffix);
    path_whole(path, bytes, name);
}

/* Writes a job under the first of x.png, x-2.png, ... that is free; `path` becomes that. */
static enum status free_write(void *job, char path[PICTURE_PATH_BYTES],
                              enum status (*write)(const void *job))
{
    char first[PICTURE_PATH_BYTES];
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
        snprintf(path, PICTURE_PATH_BYTES, "%.*s-%d%s", (int)(suffix - first), first, number,
                 suffix);
    }
}

struct file_job {
    struct viewer_inbox *inbox;
    char path[PICTURE_PATH_BYTES],
        name[64];   /* path: the file, or the folder in which it is `name` */
    char *text;     /* owned */
    char said[128]; /* sentence for the user when it is written; "": none */
    size_t length;
    bool whole; /* see history_save */
};

static void file_job_destroy(void *context)
{
    struct file_job *job = context;
    free(job->text);
    free(job);
}

/* ---- history ---- */

static bool history_has_gap(struct viewer_inbox *inbox)
{
    pthread_mutex_lock(&inbox->mutex);
    bool gap = inbox->history_gap;
    pthread_mutex_unlock(&inbox->mutex);
    return gap;
}

/* Adds no changes behind a gap: the window's thread sees the gap, and its next job is the whole. */
static enum status history_work(void *context, char *text)
{
    const struct file_job *job = context;
    (void)text;
    if (!job->whole && history_has_gap(job->inbox))
        return STATUS_OK;
    enum status status = history_save(job->path, job->text, job->length, job->whole);
    pthread_mutex_lock(&job->inbox->mutex);
    job->inbox->history_gap = status != STATUS_OK;
    pthread_mutex_unlock(&job->inbox->mutex);
    return status;
}

/* Has the changes of the history saved, or all of it where the file lacks some. */
static void changes_save(struct viewer *viewer)
{
    struct file_job *job = calloc(1, sizeof *job);
    if (history_has_gap(&viewer->inbox))
        history_unsaved(viewer->history);
    if (!job || !*viewer->history_path ||
        history_changes(viewer->history, &job->text, &job->length, &job->whole) != STATUS_OK ||
        !job->text) {
        free(job);
        return;
    }
    job->inbox = &viewer->inbox;
    snprintf(job->path, sizeof job->path, "%s", viewer->history_path);
    if (!viewer_give(viewer, history_work, file_job_destroy, job))
        history_unsaved(viewer->history);
}

void viewer_history_keep(struct viewer *viewer)
{
    char *text = NULL;
    if (place_text_write_step(&viewer->place, &text) != STATUS_OK ||
        history_add(viewer->history, text) != STATUS_OK)
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
    free(text);
    changes_save(viewer);
}

/* ---- places as files ---- */

static enum status place_write(const void *context)
{
    const struct file_job *job = context;
    struct atomic_file file;
    TRY(atomic_file_open(&file, job->path, OVERWRITE_NO, NULL));
    fputs(job->text, file.stream);
    enum status status = atomic_file_commit(&file);
    atomic_file_abandon(&file);
    return status;
}

static enum status place_save_work(void *context, char *text)
{
    struct file_job *job = context;
    TRY(free_write(job, job->path, place_write));
    string_fill(text, IO_THREAD_TEXT_BYTES, STRING_SAY_PLACE_SAVED, job->path);
    return STATUS_OK;
}

/* Saves the place under a name, or one made from the time. */
static void place_save(struct viewer *viewer, enum status (*work)(void *, char *), const char *path)
{
    struct file_job *job = calloc(1, sizeof *job);
    if (!job || viewer_place_text(viewer, &job->text) != STATUS_OK) {
        free(job);
        viewer_tell(viewer, NOTICE_ALARM, STRING_SAY_PLACE_NO_MEMORY);
        return;
    }
    path_now(job->path, sizeof job->path, ".ini");
    if (path)
        snprintf(job->path, sizeof job->path, "%s%s", path, strstr(path, ".ini") ? "" : ".ini");
    viewer_give(viewer, work, file_job_destroy, job);
}

void viewer_place_save(struct viewer *viewer)
{
    place_save(viewer, place_save_work, NULL);
}

static enum status place_save_as_work(void *context, char *text)
{
    struct file_job *job = context;
    if (access(job->path, F_OK) == 0)
        return status_fail(STATUS_CANNOT_CREATE, "%s is there already; choose another name",
                           job->path);
    TRY(place_write(job));
    string_fill(text, IO_THREAD_TEXT_BYTES, STRING_SAY_PLACE_SAVED, job->path);
    return STATUS_OK;
}

void viewer_place_save_as(struct viewer *viewer, const char *path)
{
    place_save(viewer, place_save_as_work, path);
}

/* Reads the head of a file, since places stand at the head of pictures, too. */
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

/* ---- small texts in the user's folder ---- */

static enum status text_work(void *context, char *text)
{
    const struct file_job *job = context;
    TRY(user_data_write(job->path, job->name, job->text));
    snprintf(text, IO_THREAD_TEXT_BYTES, "%s", job->said);
    return STATUS_OK;
}

void viewer_text_keep(struct viewer *viewer, const char *below, const char *name, const char *text,
                      const char *said)
{
    struct file_job *job = calloc(1, sizeof *job);
    char folder[USER_DATA_PATH_BYTES];
    enum status status = job ? user_data_folder(folder)
                             : status_fail(STATUS_OUT_OF_MEMORY, "no memory for %s", name);
    if (status == STATUS_OK)
        status = user_data_path(job->path, folder, below);
    if (status == STATUS_OK && !(job->text = strdup(text)))
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for %s", name);
    if (status != STATUS_OK) {
        if (*said) /* else a comfort: the viewer goes on without it */
            viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
        free(job);
        return;
    }
    snprintf(job->name, sizeof job->name, "%s", name);
    snprintf(job->said, sizeof job->said, "%s", said);
    viewer_give(viewer, text_work, file_job_destroy, job);
}

void viewer_hints_keep(struct viewer *viewer)
{
    char text[HINTS_TEXT_BYTES];
    hints_write(&viewer->hints, text);
    viewer_text_keep(viewer, "", "learnt", text, "");
    viewer->overlay_stale = true;
}

/* ---- favourites ---- */

void viewer_favourite_keep(struct viewer *viewer, int number)
{
    char *text = NULL, name[24], digit[16], said[128];
    enum status status = place_text_write_step(&viewer->place, &text);
    if (status == STATUS_OK)
        status = favourite_keep(&viewer->favourites, number, text);
    snprintf(name, sizeof name, "%d.ini", number + 1);
    snprintf(digit, sizeof digit, "%d", number + 1);
    string_fill(said, sizeof said, STRING_FAVOURITE_KEPT, digit);
    if (status == STATUS_OK)
        viewer_text_keep(viewer, "favourites", name, text, said);
    else
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
    free(text);
}

void viewer_favourite_recall(struct viewer *viewer, int number)
{
    char digit[16];
    enum live_distances before = place_distances(&viewer->place);
    enum interior_kind inside = viewer->place.look.interior_kind;
    snprintf(digit, sizeof digit, "%d", number + 1);
    if (!favourite_is(&viewer->favourites, number)) {
        viewer_tell_of(viewer, NOTICE_INFO, STRING_FAVOURITE_NONE, digit);
        return;
    }
    if (favourite_recall(&viewer->favourites, number, &viewer->place) != STATUS_OK) {
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
        return;
    }
    if (place_distances(&viewer->place) != before ||
        viewer->place.look.interior_kind != inside) /* else no pixel is computed anew */
        viewer_view_changed(viewer, clock_s());
    viewer_look_changed(viewer);
    viewer->unkept_s = clock_s();
    viewer_insets_ask(viewer);
    viewer_tell_of(viewer, NOTICE_INFO, STRING_FAVOURITE_SEEN, digit);
}

/* ---- pictures ---- */

struct picture_saving {
    deepfield_field *field; /* owned */
    bool smooth;            /* it has the mean of all samples */
    struct look look;
    const char *assets;
    char path[PICTURE_PATH_BYTES];
    bool named; /* a script has named it: it replaces a file, as captures do */
    struct place place;
    uint64_t serial; /* serial of its request */
    char *text;
};

static void picture_saving_destroy(void *context)
{
    struct picture_saving *job = context;
    deepfield_field_destroy(job->field);
    place_destroy(&job->place);
    free(job->text);
    free(job);
}

static enum status picture_write(const void *context)
{
    const struct picture_saving *job = context;
    const struct program_field_file file = {.path = job->path,
                                            .look = job->look,
                                            .assets = job->assets,
                                            .palette = job->place.palette,
                                            .text = job->text,
                                            .title = job->place.title,
                                            .dpi = job->place.dpi,
                                            .replace = job->named};
    return program_field_write(job->field, &file);
}

static enum status picture_work(void *context, char *text)
{
    struct picture_saving *job = context;
    TRY(job->named ? picture_write(job) : free_write(job, job->path, picture_write));
    string_fill(text, IO_THREAD_TEXT_BYTES, STRING_SAY_PICTURE_SAVED, job->path);
    return STATUS_OK;
}

static bool has_mean(const deepfield_field *field)
{
    deepfield_array light = {.size = sizeof light};
    return deepfield_field_get(field, "light", &light) == DEEPFIELD_OK;
}

/* Fills the job with the settled field, its look and its place. */
static enum status picture_hold(struct viewer *viewer, struct picture_saving *job, uint64_t serial,
                                const struct image_size *size, const char *path)
{
    TRY(place_copy(&job->place, &viewer->place));
    TRY((enum status)deepfield_live_field(viewer->live, serial, &job->field));
    job->smooth = has_mean(job->field);
    job->serial = serial;
    job->place.view.width = size->width;
    job->place.view.height = size->height;
    job->place.dpi = size->dpi;
    job->assets = viewer->options->assets;
    job->look = place_look(&viewer->place, size->height);
    job->named = path && *path;
    if (job->named)
        snprintf(job->path, sizeof job->path, "%s", path);
    else
        path_now(job->path, sizeof job->path, ".png");
    return STATUS_OK;
}

/* Gives the picture to the I/O thread, with the samples that it has. */
static void picture_give(struct viewer *viewer)
{
    struct picture_saving *job = viewer->picture;
    viewer->picture = NULL;
    program_field_place(job->field, &job->place);
    if (place_text_write(&job->place, &job->text) == STATUS_OK) {
        viewer_give(viewer, picture_work, picture_saving_destroy, job);
        return;
    }
    viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
    picture_saving_destroy(job);
}

/* Holds the field again, now with the mean of all samples. */
static void job_smooth(struct viewer *viewer, struct picture_saving *job)
{
    deepfield_field *field;
    if (deepfield_live_field(viewer->live, job->serial, &field) != DEEPFIELD_OK)
        return;
    deepfield_field_destroy(job->field);
    job->field = field;
    job->smooth = has_mean(field);
}

static void job_poll(struct viewer *viewer)
{
    struct picture_saving *job = viewer->picture;
    if (!job)
        return;
    bool moved = job->serial != viewer->serial;
    bool smooth = viewer->state.smooth && viewer->state.serial == job->serial;
    if (!job->smooth && (moved || smooth))
        job_smooth(viewer, job);
    if (job->smooth || moved || smooth)
        picture_give(viewer);
}

static void picture_close(struct viewer *viewer)
{
    if (viewer->picture)
        picture_give(viewer);
}

/* Keeps the settled picture of the request `serial`. It is given to the I/O thread at once if it
 * has all samples, else when job_poll finds that it has them, or that it will not get them because
 * something else is requested. */
static enum status picture_keep(struct viewer *viewer, uint64_t serial,
                                const struct image_size *size, const char *path)
{
    picture_close(viewer);
    struct picture_saving *job = calloc(1, sizeof *job);
    if (!job)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture");
    enum status status = picture_hold(viewer, job, serial, size, path);
    if (status != STATUS_OK) {
        picture_saving_destroy(job);
        return status;
    }
    viewer->picture = job;
    job_poll(viewer);
    if (viewer->picture)
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_PICTURE_SMOOTH);
    return STATUS_OK;
}

/* ---- requested pictures ---- */

static enum status print_poll(struct viewer *viewer)
{
    const deepfield_live_state *state = &viewer->state;
    if (!viewer->print_serial || state->serial != viewer->print_serial)
        return STATUS_OK;
    if (state->stage == DEEPFIELD_LIVE_FAILED)
        viewer_tell_of(viewer, NOTICE_ALARM, STRING_SAY_NO_PICTURE, state->sentence);
    else if (!state->smooth)
        return STATUS_OK;
    else {
        const struct image_size size = {viewer->print_width, viewer->print_height,
                                        viewer->print_dpi};
        TRY(viewer_forgive(viewer,
                           picture_keep(viewer, viewer->print_serial, &size, viewer->print_path)));
    }
    viewer->print_width = viewer->print_height = 0;
    viewer->print_serial = 0;
    viewer_view_changed(viewer, clock_s() - THROTTLE_REST_S); /* back to what the window shows */
    return STATUS_OK;
}

void viewer_print(struct viewer *viewer, const struct image_size *wished, const char *path)
{
    double bytes = (double)wished->width * wished->height * PRINT_PIXEL_BYTES;
    double there = (double)memory_available();
    char size[32], instead[32], wanted[16], free_gib[16];
    snprintf(size, sizeof size, "%d x %d", wished->width, wished->height);
    if (bytes > there / 2) {
        snprintf(wanted, sizeof wanted, "%.1f", bytes / 0x1p30);
        snprintf(free_gib, sizeof free_gib, "%.1f", there / 0x1p30);
        viewer_tell_of(viewer, NOTICE_ALARM, STRING_SAY_PRINT_MEMORY, size, wanted, free_gib);
        return;
    }
    snprintf(instead, sizeof instead, "%d x %d", viewer->print_width, viewer->print_height);
    bool again = viewer->print_width > 0;
    viewer->print_width = wished->width;
    viewer->print_height = wished->height;
    viewer->print_dpi = wished->dpi;
    viewer->print_serial = 0;
    snprintf(viewer->print_path, sizeof viewer->print_path, "%s", path);
    viewer_tell_of(viewer, NOTICE_INFO, again ? STRING_SAY_PRINT_INSTEAD : STRING_SAY_PRINT, size,
                   instead);
}

static enum status picture_poll(struct viewer *viewer)
{
    job_poll(viewer);
    const deepfield_live_state *state = &viewer->state;
    bool settled = viewer_settled(viewer), never = viewer_never(viewer);
    if (!viewer->picture_wanted || (!settled && !never))
        return STATUS_OK;
    viewer->picture_wanted = false;
    if (never) {
        viewer_tell_of(viewer, NOTICE_ALARM, STRING_SAY_NO_PICTURE, state->sentence);
        return STATUS_OK;
    }
    const struct image_size size = {viewer->place.view.width, viewer->place.view.height, 0};
    return viewer_forgive(viewer,
                          picture_keep(viewer, viewer->serial, &size, viewer->picture_path));
}

enum status viewer_pictures_poll(struct viewer *viewer)
{
    TRY(print_poll(viewer));
    return picture_poll(viewer);
}

void viewer_picture(struct viewer *viewer, const char *path)
{
    viewer->picture_wanted = true;
    snprintf(viewer->picture_path, sizeof viewer->picture_path, "%s", path);
    if (!viewer_settled(viewer))
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_PICTURE_FINISHED);
    else if (picture_poll(viewer) != STATUS_OK) /* now: the hand may move on */
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
}

/* ---- bookmarks, and thumbnails of finished pictures ---- */

struct bookmark_job {
    struct viewer_inbox *inbox;
    char folder[USER_DATA_PATH_BYTES];
    char *text, *name; /* name: of the bookmark to remove, rename, or take a thumbnail of again */
    char *step;        /* step of the history, if the thumbnail is to be taken again */
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
        viewer_tell(viewer, NOTICE_ALARM, STRING_BOOKMARKS_NO_FOLDER);
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

/* Has the thumbnail of a new bookmark taken again when the picture of its place is finished. */
static void retake_post(struct bookmark_job *job, const char *name)
{
    struct viewer_inbox *inbox = job->inbox;
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
    snprintf(text, IO_THREAD_TEXT_BYTES, "%s", string_of(STRING_BOOKMARK_KEPT));
    return STATUS_OK;
}

/* Title of a bookmark; a place without one is called by its zoom. */
static void title_make(const struct place *place, char *title, size_t bytes)
{
    char zoom[STYLE_ZOOM_BYTES];
    if (*place->title)
        snprintf(title, bytes, "%s", place->title);
    else
        snprintf(title, bytes, "zoom %s", style_zoom(place->view.zoom, zoom));
}

/* Is the finished picture of the place on the screen? */
static bool is_finished(const struct viewer *viewer)
{
    return viewer_settled(viewer) && !viewer->picture_stale && !viewer->pixels_new;
}

/* Finds the pixels that are seen, without overlays; composes them anew where only the frame has
 * them, with overlays. */
static enum status picture_find(struct viewer *viewer, struct warp_image *image)
{
    struct compositor *compositor = &viewer->compositor;
    if (compositor_image(compositor, image))
        return STATUS_OK;
    viewer->picture_stale = true; /* the frame has other pixels now than the compositor */
    TRY(compositor_compose(compositor, &viewer->place.view, &viewer->place.formula, COMPOSITOR_FINE,
                           &compositor->output));
    *image = compositor->output;
    return STATUS_OK;
}

/* Copies the pixels that are seen and the text of their place into the job. */
static bool output_copy(struct viewer *viewer, struct bookmark_job *job)
{
    struct warp_image image;
    if (picture_find(viewer, &image) != STATUS_OK)
        return false;
    size_t bytes = (size_t)image.stride * (size_t)image.height * sizeof *job->pixels;
    job->pixels = malloc(bytes);
    if (!job->pixels || viewer_place_text(viewer, &job->text) != STATUS_OK)
        return false;
    memcpy(job->pixels, image.pixels, bytes);
    job->width = image.width;
    job->height = image.height;
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
        viewer_tell(viewer, NOTICE_ALARM, STRING_BOOKMARK_NO_MEMORY);
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

void viewer_thumbnail_poll(struct viewer *viewer)
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
    char count[24];
    TRY(bookmarks_load(&bookmarks, job->folder, BOOKMARK_WITH_PIXELS));
    snprintf(count, sizeof count, "%zu", bookmarks.passed_over);
    if (*bookmarks.warning)
        string_fill(text, IO_THREAD_TEXT_BYTES, STRING_BOOKMARKS_PASSED_OVER, count,
                    bookmarks.warning);
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
    snprintf(text, IO_THREAD_TEXT_BYTES, "%s", string_of(STRING_BOOKMARK_REMOVED));
    return STATUS_OK;
}

static enum status rename_work(void *context, char *text)
{
    const struct bookmark_job *job = context;
    (void)text;
    return bookmarks_rename(job->folder, job->name, job->title);
}

/* Lets the thread work on a bookmark of the list, and load the list anew. */
static void listed_give(struct viewer *viewer, int number, const char *title,
                        enum status (*work)(void *, char *))
{
    if (number < 0 || number >= (int)viewer->bookmarks.count)
        return;
    struct bookmark_job *job = job_create(viewer);
    if (!job)
        return;
    job->name = strdup(viewer->bookmarks.bookmark[number].name);
    snprintf(job->title, sizeof job->title, "%s", title);
    if (!job->name) {
        job_destroy(job);
        viewer_tell(viewer, NOTICE_ALARM, STRING_BOOKMARK_NO_MEMORY);
        return;
    }
    viewer_give(viewer, work, job_destroy, job);
    viewer_bookmarks_load(viewer);
}

void viewer_bookmark_remove(struct viewer *viewer, int number)
{
    listed_give(viewer, number, "", remove_work);
}

void viewer_bookmark_rename(struct viewer *viewer, int number, const char *title)
{
    listed_give(viewer, number, title, rename_work);
}

/* Receives bookmarks; called under the inbox's mutex. True: the list came. */
static bool bookmarks_take(struct viewer *viewer)
{
    struct viewer_inbox *inbox = &viewer->inbox;
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

void viewer_bookmark_go(struct viewer *viewer, int step)
{
    int count = (int)viewer->bookmarks.count;
    if (!count) {
        viewer->bookmark_step = step;
        viewer_bookmarks_load(viewer);
        return;
    }
    viewer->bookmark = (viewer->bookmark + step + count) % count;
    viewer_bookmark_open(viewer, viewer->bookmark);
}

static void bookmarks_arrive(struct viewer *viewer)
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
        viewer_tell(viewer, NOTICE_INFO, STRING_BOOKMARKS_NONE_YET);
    viewer->overlay_stale = true;
}

/* ---- results of jobs ---- */

void viewer_inbox(struct viewer *viewer)
{
    struct io_thread_report report;
    struct viewer_inbox *inbox = &viewer->inbox;
    while (io_thread_report(viewer->io_thread, &report))
        viewer_say(viewer, report.status == STATUS_OK ? NOTICE_INFO : NOTICE_ALARM, "%s",
                   report.text);
    pthread_mutex_lock(&inbox->mutex);
    char *text = inbox->text;
    size_t length = inbox->length;
    inbox->text = NULL;
    bool bookmarks = bookmarks_take(viewer);
    pthread_mutex_unlock(&inbox->mutex);
    if (text)
        viewer_set_place(viewer, text, length, "the file", PLACE_GIVEN);
    free(text);
    if (bookmarks)
        bookmarks_arrive(viewer);
}

void viewer_files_close(struct viewer *viewer)
{
    struct io_thread_report report;
    if (!viewer->io_thread)
        return;
    picture_close(viewer);
    if (viewer->history && history_has_gap(&viewer->inbox))
        changes_save(viewer);
    io_thread_finish(viewer->io_thread);
    while (io_thread_report(viewer->io_thread, &report))
        if (report.status != STATUS_OK)
            message_print(report.text);
    io_thread_close(viewer->io_thread);
    viewer->io_thread = NULL;
}
