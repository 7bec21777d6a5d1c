#include "app/serve/session_bookmarks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/serve/bookmark_picture.h"
#include "app/serve/session_json.h"
#include "app/viewer/files/bookmarks.h"
#include "app/viewer/files/io_thread.h"

struct waiting { /* answer in the list of those that nobody has taken yet */
    struct bookmark_answer answer;
    struct waiting *next;
};

struct session_bookmarks {
    struct io_thread *thread;
    char folder[4096];
    int jobs; /* number that wait or work */
    pthread_mutex_t mutex;
    struct waiting *first, **last; /* under the mutex, as is `jobs` */
};

struct bookmark_task {
    struct session_bookmarks *bookmarks;
    struct bookmark_request request; /* its texts and pixels are owned */
};

/* ---- requests ---- */

static const char *const verbs[BOOKMARK_VERBS] = {
    [BOOKMARK_LIST] = "list", [BOOKMARK_PICTURE] = "picture", [BOOKMARK_GO] = "go",
    [BOOKMARK_ADD] = "add",   [BOOKMARK_RENAME] = "rename",   [BOOKMARK_REMOVE] = "remove"};

/* Texts of ini files are printable ASCII without double quotes (OPTION_TEXT). */
static enum status title_check(const char *title)
{
    size_t length = strlen(title);
    for (const char *at = title; *at; at++)
        if (*at < ' ' || *at > '~' || *at == '"')
            length = BOOKMARK_TITLE_BYTES;
    return length < BOOKMARK_TITLE_BYTES
               ? STATUS_OK
               : status_fail(STATUS_BAD_DATA,
                             "a title has letters A to Z, digits and signs, no double quotes, and "
                             "at most %d characters",
                             BOOKMARK_TITLE_BYTES - 1);
}

/* Cuts the text at the first such character, and returns what is behind; NULL: there is none. */
static char *cut_at(char *text, char mark)
{
    char *found = text ? strchr(text, mark) : NULL;
    if (found)
        *found++ = '\0';
    return found;
}

enum status bookmark_request_read(struct bookmark_request *request, char *words)
{
    char *rest = cut_at(words, ' ');
    *request = (struct bookmark_request){.verb = BOOKMARK_VERBS};
    for (int i = 0; i < BOOKMARK_VERBS; i++)
        if (!strcmp(words, verbs[i]))
            request->verb = (enum bookmark_verb)i;
    bool add = request->verb == BOOKMARK_ADD, rename = request->verb == BOOKMARK_RENAME;
    bool named = request->verb != BOOKMARK_LIST && !add;
    request->title = add ? (rest ? rest : "") : rename ? cut_at(rest, '/') : NULL;
    request->name = named ? rest : NULL;
    bool whole = request->verb != BOOKMARK_VERBS && (named ? rest && *rest : add || !rest) &&
                 (!rename || request->title);
    if (!whole)
        return status_fail(STATUS_BAD_DATA, "a message that no page of this program sends");
    return request->title ? title_check(request->title) : STATUS_OK;
}

/* ---- on the thread ---- */

static enum status list_answer(const struct session_bookmarks *bookmarks, char **json)
{
    struct bookmarks all;
    TRY(bookmarks_load(&all, bookmarks->folder, BOOKMARK_TEXT_ONLY));
    enum status status = session_bookmarks_text(&all, BOOKMARKS_LISTED, json);
    bookmarks_destroy(&all);
    return status;
}

static enum status picture_answer(const struct bookmark *bookmark, char **json)
{
    char *url = NULL;
    if (bookmark->pixels)
        TRY(bookmark_picture(bookmark->pixels, bookmark->width, bookmark->height, &url));
    enum status status = session_bookmark_text(bookmark->name, url, json);
    free(url);
    return status;
}

static enum status one_answer(const struct bookmark_task *job, struct bookmark_answer *answer)
{
    struct bookmark one;
    bool picture = job->request.verb == BOOKMARK_PICTURE;
    enum status status = bookmark_get(&one, job->bookmarks->folder, job->request.name,
                                      picture ? BOOKMARK_WITH_PIXELS : BOOKMARK_TEXT_ONLY);
    if (status == STATUS_OK && picture)
        status = picture_answer(&one, &answer->json);
    if (status == STATUS_OK && !picture) {
        answer->place = one.text;
        one.text = NULL;
    }
    bookmark_destroy(&one);
    return status;
}

static enum status bookmark_change(const struct bookmark_task *job)
{
    const struct bookmark_request *request = &job->request;
    const char *folder = job->bookmarks->folder;
    switch (request->verb) {
    case BOOKMARK_ADD:
        return bookmarks_add(folder, request->place, request->title, &request->image,
                             (int64_t)time(NULL), NULL);
    case BOOKMARK_RENAME:
        return bookmarks_rename(folder, request->name, request->title);
    default:
        return bookmarks_remove(folder, request->name);
    }
}

/* A sentence that names no file; the own ones name its path. */
static const char *note_of(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return NULL;
    case STATUS_NO_INPUT:
        return "that bookmark is not there any more";
    case STATUS_BAD_DATA:
        return "that file is no bookmark";
    case STATUS_OUT_OF_MEMORY:
        return "no memory for the bookmarks";
    default:
        return "the folder of the bookmarks cannot be read or written";
    }
}

static void answer_put(struct session_bookmarks *bookmarks, const struct bookmark_answer *answer)
{
    struct waiting *waiting = malloc(sizeof *waiting);
    pthread_mutex_lock(&bookmarks->mutex);
    bookmarks->jobs--;
    if (waiting) {
        *waiting = (struct waiting){.answer = *answer};
        *bookmarks->last = waiting;
        bookmarks->last = &waiting->next;
    }
    pthread_mutex_unlock(&bookmarks->mutex);
    if (!waiting) {
        free(answer->json);
        free(answer->place);
    }
}

static enum status job_work(void *context, char text[IO_THREAD_TEXT_BYTES])
{
    const struct bookmark_task *job = context;
    struct bookmark_answer answer = {.page = job->request.page};
    enum bookmark_verb verb = job->request.verb;
    enum status status = STATUS_OK;
    *text = '\0';
    if (verb == BOOKMARK_PICTURE || verb == BOOKMARK_GO)
        status = one_answer(job, &answer);
    else if (verb != BOOKMARK_LIST)
        status = bookmark_change(job);
    answer.note = note_of(status);
    if (verb != BOOKMARK_PICTURE && verb != BOOKMARK_GO) { /* a list that was wrong is new, too */
        status = list_answer(job->bookmarks, &answer.json);
        answer.note = answer.note ? answer.note : note_of(status);
    }
    answer_put(job->bookmarks, &answer);
    return STATUS_OK;
}

/* ---- asking ---- */

static void job_destroy(void *context)
{
    struct bookmark_task *job = context;
    free((char *)job->request.name);
    free((char *)job->request.title);
    free((char *)job->request.place);
    free((uint32_t *)job->request.image.pixels);
    free(job);
}

/* NULL stays NULL. False: no memory. */
static bool text_copy(const char **copy, const char *text)
{
    *copy = text ? strdup(text) : NULL;
    return *copy || !text;
}

static bool image_copy(struct paint_image *copy, const struct paint_image *image)
{
    if (!image->pixels)
        return true;
    size_t row = (size_t)image->width * sizeof *image->pixels;
    uint32_t *pixels = malloc(row * (size_t)image->height);
    for (int32_t y = 0; pixels && y < image->height; y++)
        memcpy(pixels + (size_t)y * (size_t)image->width,
               image->pixels + (size_t)y * (size_t)image->stride, row);
    *copy = (struct paint_image){pixels, image->width, image->height, image->width};
    return pixels;
}

static struct bookmark_task *job_create(struct session_bookmarks *bookmarks,
                                        const struct bookmark_request *request)
{
    struct bookmark_task *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->bookmarks = bookmarks;
    job->request.page = request->page;
    job->request.verb = request->verb;
    if (text_copy(&job->request.name, request->name) &&
        text_copy(&job->request.title, request->title) &&
        text_copy(&job->request.place, request->place) &&
        image_copy(&job->request.image, &request->image))
        return job;
    job_destroy(job);
    return NULL;
}

static bool room_take(struct session_bookmarks *bookmarks)
{
    pthread_mutex_lock(&bookmarks->mutex);
    bool room = bookmarks->jobs < BOOKMARKS_WAITING;
    bookmarks->jobs += room;
    pthread_mutex_unlock(&bookmarks->mutex);
    return room;
}

static void room_give(struct session_bookmarks *bookmarks)
{
    pthread_mutex_lock(&bookmarks->mutex);
    bookmarks->jobs--;
    pthread_mutex_unlock(&bookmarks->mutex);
}

enum status session_bookmarks_ask(struct session_bookmarks *bookmarks,
                                  const struct bookmark_request *request)
{
    if (!room_take(bookmarks))
        return status_fail(STATUS_SYSTEM, "too many bookmarks at once: try again in a moment");
    struct bookmark_task *job = job_create(bookmarks, request);
    enum status status =
        job ? io_thread_give(bookmarks->thread, &(struct io_thread_job){job_work, job_destroy, job})
            : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a bookmark");
    if (status != STATUS_OK)
        room_give(bookmarks);
    return status;
}

bool session_bookmarks_busy(struct session_bookmarks *bookmarks)
{
    pthread_mutex_lock(&bookmarks->mutex);
    bool busy = bookmarks->jobs > 0 || bookmarks->first;
    pthread_mutex_unlock(&bookmarks->mutex);
    return busy;
}

bool session_bookmarks_answer(struct session_bookmarks *bookmarks, struct bookmark_answer *answer)
{
    pthread_mutex_lock(&bookmarks->mutex);
    struct waiting *first = bookmarks->first;
    if (first) {
        *answer = first->answer;
        bookmarks->first = first->next;
        if (!bookmarks->first)
            bookmarks->last = &bookmarks->first;
    }
    pthread_mutex_unlock(&bookmarks->mutex);
    free(first);
    return first;
}

/* ---- opening and closing ---- */

enum status session_bookmarks_open(struct session_bookmarks **bookmarks, const char *folder)
{
    struct session_bookmarks *made = *bookmarks = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the bookmarks");
    snprintf(made->folder, sizeof made->folder, "%s", folder);
    made->last = &made->first;
    pthread_mutex_init(&made->mutex, NULL);
    return io_thread_open(&made->thread, NULL, NULL);
}

void session_bookmarks_close(struct session_bookmarks *bookmarks)
{
    struct bookmark_answer answer;
    if (!bookmarks)
        return;
    io_thread_close(bookmarks->thread);
    while (session_bookmarks_answer(bookmarks, &answer)) {
        free(answer.json);
        free(answer.place);
    }
    pthread_mutex_destroy(&bookmarks->mutex);
    free(bookmarks);
}
