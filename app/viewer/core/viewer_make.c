#include "app/viewer/core/viewer_make.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "app/process/message.h"
#include "app/viewer/core/viewer_files.h"
#include "library/place/place_format.h"

/* ---- orders ---- */

void make_order_destroy(void *context)
{
    struct make_order *order = context;
    if (!order)
        return;
    for (int i = 0; i < order->words; i++)
        free(order->word[i]);
    for (int i = 0; i < MAKE_FILES_MOST; i++)
        free(order->file[i].text);
    free(order->input);
    free(order);
}

void make_word(struct make_order *order, const char *format, ...)
{
    va_list values;
    if (order->words == MAKE_WORDS_MOST - 1)
        return;
    va_start(values, format);
    int length = vasprintf(&order->word[order->words], format, values);
    va_end(values);
    if (length < 0)
        order->word[order->words] = NULL;
    order->words++;
}

static bool is_whole(const struct make_order *order)
{
    for (int i = 0; i < order->words; i++)
        if (!order->word[i])
            return false;
    return order->words < MAKE_WORDS_MOST - 1;
}

/* ---- the run ---- */

/* A run that the I/O thread has started, on its way to the window. */
struct make_job {
    struct viewer_inbox *inbox;
    struct make_order *order;
    void (*wake)(void *context);
    void *context;
};

static void job_destroy(void *context)
{
    struct make_job *job = context;
    make_order_destroy(job->order);
    free(job);
}

/* Writes the files that the run reads, and starts it: neither is for the window's thread. */
static enum status job_work(void *context, char *text)
{
    struct make_job *job = context;
    const struct make_order *order = job->order;
    const struct child_order child_order = {
        .words = (const char *const *)order->word, .input = order->input, .watched = order->path};
    struct child_process *child = NULL;
    enum status status = STATUS_OK;
    (void)text;
    for (int i = 0; i < MAKE_FILES_MOST && status == STATUS_OK; i++)
        if (order->file[i].text)
            status = user_data_replace(order->file[i].path, order->file[i].text,
                                       strlen(order->file[i].text));
    if (status == STATUS_OK)
        status = child_process_start(&child, &child_order, job->wake, job->context);
    pthread_mutex_lock(&job->inbox->mutex);
    job->inbox->made = child;
    job->inbox->made_failed = status != STATUS_OK;
    pthread_mutex_unlock(&job->inbox->mutex);
    return status;
}

static void wake(void *context)
{
    window_wake(context);
}

bool viewer_makes(const struct viewer *viewer)
{
    return viewer->make.begun;
}

void viewer_make(struct viewer *viewer, struct make_order *order)
{
    struct make_job *job = calloc(1, sizeof *job);
    if (!job || !is_whole(order) || viewer->kiosk || viewer_makes(viewer)) {
        if (viewer_makes(viewer))
            viewer_tell_of(viewer, NOTICE_ALARM, STRING_MAKE_BUSY, viewer->make.path);
        make_order_destroy(order);
        free(job);
        return;
    }
    snprintf(viewer->make.path, sizeof viewer->make.path, "%s", order->path);
    viewer->make.said = order->said;
    viewer->make.state = (struct child_state){.share = -1, .left_s = -1};
    *job = (struct make_job){&viewer->inbox, order, wake, viewer->window};
    viewer->make.begun = viewer_give(viewer, job_work, job_destroy, job);
    viewer->make.stopped = false;
    viewer->overlay_stale = true;
}

bool viewer_make_stop(struct viewer *viewer)
{
    if (!viewer_makes(viewer))
        return false;
    viewer->make.stopped = true;
    if (viewer->make.child)
        child_process_stop(viewer->make.child);
    return true;
}

/* Can deepfield resume continue it? A film that was begun can be, since its place and its keyframes
 * are in files; a picture, whose place is in none, keeps nothing. */
static bool goes_on(const struct viewer_making *make)
{
    char folder[PICTURE_PATH_BYTES + 16];
    snprintf(folder, sizeof folder, "%s.deepfield", make->path);
    return access(folder, F_OK) == 0;
}

static void end_tell(struct viewer *viewer)
{
    const struct child_state *state = &viewer->make.state;
    if (state->code == 0)
        viewer_tell_of(viewer, NOTICE_INFO, viewer->make.said, viewer->make.path);
    else if (viewer->make.stopped)
        viewer_tell_of(viewer, NOTICE_INFO,
                       goes_on(&viewer->make) ? STRING_MAKE_STOPPED : STRING_MAKE_GIVEN_UP,
                       viewer->make.path);
    else
        viewer_tell_of(viewer, NOTICE_ALARM, STRING_MAKE_FAILED, viewer->make.path, state->text);
}

void viewer_make_poll(struct viewer *viewer)
{
    struct viewer_inbox *inbox = &viewer->inbox;
    if (!viewer->make.begun)
        return;
    pthread_mutex_lock(&inbox->mutex);
    struct child_process *fresh = inbox->made;
    bool failed = inbox->made_failed; /* the I/O thread has said why */
    inbox->made = NULL;
    inbox->made_failed = false;
    pthread_mutex_unlock(&inbox->mutex);
    if (fresh) {
        viewer->make.child = fresh;
        if (viewer->make.stopped)
            child_process_stop(fresh);
    }
    viewer->make.begun = !failed;
    if (!viewer->make.child)
        return;
    struct child_state state = child_process_state(viewer->make.child);
    viewer->overlay_stale |= state.share != viewer->make.state.share || state.ended;
    viewer->make.state = state;
    if (!state.ended)
        return;
    end_tell(viewer);
    child_process_close(viewer->make.child);
    viewer->make.child = NULL;
    viewer->make.begun = false;
}

bool viewer_make_line(const struct viewer *viewer, char text[MAKE_LINE_BYTES])
{
    const struct child_state *state = &viewer->make.state;
    char share[16] = "0", left[24];
    const char *slash = strrchr(viewer->make.path, '/'), *name = slash ? slash + 1 : "";
    if (!viewer_makes(viewer))
        return false;
    if (state->share > 0)
        snprintf(share, sizeof share, "%.0f", 100 * state->share);
    snprintf(left, sizeof left, "%.0f", state->left_s);
    if (state->left_s >= 0)
        strings_fill(text, MAKE_LINE_BYTES, string_of(STRING_MAKE_LEFT),
                     (const char *const[]){name, share, left, NULL});
    else
        strings_fill(text, MAKE_LINE_BYTES, string_of(STRING_MAKE_SHARE),
                     (const char *const[]){name, share, NULL});
    return true;
}

void viewer_make_close(struct viewer *viewer)
{
    struct child_process *fresh = viewer->inbox.made;
    if (viewer->make.child || fresh) {
        char text[PICTURE_PATH_BYTES + 80];
        child_process_close(viewer->make.child);
        child_process_close(fresh);
        snprintf(text, sizeof text, "%s is not finished%s", viewer->make.path,
                 goes_on(&viewer->make) ? "; deepfield resume continues it" : "");
        message_print(text);
    }
}

/* ---- saving under a name ---- */

/* The kind of a name's ending among places that are written. */
static bool is_place(const char *path)
{
    const struct place_format *format;
    return place_format_named(&format, path) == STATUS_OK && format->write;
}

void viewer_save_as(struct viewer *viewer, const char *path, const struct make_picture *picture)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    bool place = !dot || is_place(path);
    if (!dot || !strcasecmp(dot, ".ini")) {
        viewer_place_save_as(viewer, path);
        return;
    }
    if (!place && picture_path_check(path) != STATUS_OK) {
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
        return;
    }
    if (access(path, F_OK) == 0) {
        viewer_say(viewer, NOTICE_ALARM, "%s is there already; choose another name", path);
        return;
    }
    struct make_order *order = calloc(1, sizeof *order);
    if (!order || viewer_place_text(viewer, &order->input) != STATUS_OK) {
        free(order);
        viewer_tell(viewer, NOTICE_ALARM, STRING_SAY_PLACE_NO_MEMORY);
        return;
    }
    path_whole(order->path, sizeof order->path, path);
    order->said = place ? STRING_SAY_PLACE_SAVED : STRING_SAY_PICTURE_SAVED;
    make_word(order, place ? "info" : "render");
    make_word(order, "-");
    make_word(order, "-o");
    make_word(order, "%s", order->path);
    if (!place) {
        make_word(order, "--ranks");
        make_word(order, "1");
        make_word(order, "--quiet");
        make_word(order, "--set");
        make_word(order, "output.journal=0");
        make_word(order, "--size");
        if (picture->size)
            make_word(order, "%s", picture->size);
        else
            make_word(order, "%dx%d", picture->width, picture->height);
        make_word(order, "--samples");
        make_word(order, "%d", picture->samples);
    }
    viewer_make(viewer, order);
}
