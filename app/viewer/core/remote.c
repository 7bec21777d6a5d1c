#include "app/viewer/core/remote.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = CHANGED_BLOCK_PX };

struct remote {
    pthread_mutex_t picture_mutex; /* pixels and facts */
    uint32_t *pixels;              /* [height][width]; owned */
    int32_t width, height;
    uint64_t picture; /* rises with the size */
    uint8_t changed[CHANGED_BLOCKS_MOST][CHANGED_BLOCKS_MOST];
    struct remote_facts facts;
    pthread_mutex_t queue_mutex; /* what follows */
    struct remote_command command[REMOTE_COMMANDS];
    int first, count;
    void (*viewer_wake)(void *context), (*server_wake)(void *context);
    void *viewer_context, *server_context;
    uint64_t version; /* atomic, as what follows */
    int watchers, all;
    int page_leads, lead_taken, asked;
};

enum status remote_create(struct remote **remote)
{
    *remote = calloc(1, sizeof **remote);
    if (!*remote)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for pages beside the window");
    pthread_mutex_init(&(*remote)->picture_mutex, NULL);
    pthread_mutex_init(&(*remote)->queue_mutex, NULL);
    return STATUS_OK;
}

void remote_facts_free(struct remote_facts *facts)
{
    place_destroy(&facts->place);
    free(facts->text);
    facts->text = NULL;
}

void remote_destroy(struct remote *remote)
{
    struct remote_command command;
    if (!remote)
        return;
    while (remote_command_next(remote, &command))
        free(command.text);
    remote_facts_free(&remote->facts);
    free(remote->pixels);
    pthread_mutex_destroy(&remote->picture_mutex);
    pthread_mutex_destroy(&remote->queue_mutex);
    free(remote);
}

/* ---- waking ---- */

void remote_viewer_wake(struct remote *remote, void (*wake)(void *context), void *context)
{
    pthread_mutex_lock(&remote->queue_mutex);
    remote->viewer_wake = wake;
    remote->viewer_context = context;
    pthread_mutex_unlock(&remote->queue_mutex);
}

void remote_server_wake(struct remote *remote, void (*wake)(void *context), void *context)
{
    pthread_mutex_lock(&remote->queue_mutex);
    remote->server_wake = wake;
    remote->server_context = context;
    pthread_mutex_unlock(&remote->queue_mutex);
}

static void viewer_call(struct remote *remote)
{
    pthread_mutex_lock(&remote->queue_mutex); /* so that a window that closes is not called later */
    if (remote->viewer_wake)
        remote->viewer_wake(remote->viewer_context);
    pthread_mutex_unlock(&remote->queue_mutex);
}

static void server_call(struct remote *remote)
{
    pthread_mutex_lock(&remote->queue_mutex);
    if (remote->server_wake)
        remote->server_wake(remote->server_context);
    pthread_mutex_unlock(&remote->queue_mutex);
}

static int value_of(const int *of)
{
    return __atomic_load_n(of, __ATOMIC_ACQUIRE);
}

static void value_set(int *of, int value)
{
    __atomic_store_n(of, value, __ATOMIC_RELEASE);
}

/* ---- pictures ---- */

bool remote_is_watched(const struct remote *remote)
{
    return value_of(&remote->watchers) > 0;
}

bool remote_wants_all(struct remote *remote)
{
    return __atomic_exchange_n(&remote->all, 0, __ATOMIC_ACQ_REL);
}

static bool size_fits(struct remote *remote, int32_t width, int32_t height)
{
    size_t bytes = (size_t)width * (size_t)height * sizeof *remote->pixels;
    if (remote->width == width && remote->height == height)
        return true;
    free(remote->pixels);
    remote->pixels = calloc(1, bytes);
    remote->width = remote->pixels ? width : 0;
    remote->height = remote->pixels ? height : 0;
    remote->picture++;
    memset(remote->changed, 1, sizeof remote->changed);
    return remote->pixels;
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Copies the part of a row of blocks that lies in a box, and marks blocks whose pixels differ. */
static void blocks_put(struct remote *remote, const struct warp_image *image,
                       const struct paint_box *box, int32_t y)
{
    for (int32_t x = box->left; x < box->right;) {
        int32_t right = least((x / BLOCK + 1) * BLOCK, box->right);
        const uint32_t *from = image->pixels + (size_t)y * (size_t)image->stride + x;
        uint32_t *to = remote->pixels + (size_t)y * (size_t)remote->width + x;
        size_t bytes = (size_t)(right - x) * sizeof *to;
        if (memcmp(to, from, bytes) != 0) {
            memcpy(to, from, bytes);
            remote->changed[y / BLOCK][x / BLOCK] = 1;
        }
        x = right;
    }
}

bool remote_picture_put(struct remote *remote, const struct warp_image *image,
                        const struct paint_box *box, int count)
{
    const struct paint_box all = {0, 0, image->width, image->height};
    if (pthread_mutex_trylock(&remote->picture_mutex) != 0)
        return false;
    bool fits = size_fits(remote, image->width, image->height);
    for (int i = 0; fits && i < (count ? count : 1); i++) {
        const struct paint_box *one = count ? &box[i] : &all;
        for (int32_t y = one->top; y < one->bottom; y++)
            blocks_put(remote, image, one, y);
    }
    remote->facts.final = false;
    pthread_mutex_unlock(&remote->picture_mutex);
    return true;
}

/* ---- facts ---- */

static void workers_copy(struct remote_facts *to, const deepfield_live_state *from)
{
    int workers = from->workers < REMOTE_WORKERS ? from->workers : REMOTE_WORKERS;
    to->state.workers = workers;
    if (workers > 0) {
        memcpy(to->worker, from->worker, (size_t)workers * sizeof *to->worker);
        memcpy(to->load, from->load, (size_t)workers * sizeof *to->load);
    }
}

/* Copies all but the text. */
static void facts_copy(struct remote_facts *to, const struct remote_facts *from)
{
    if (place_copy(&to->place, &from->place) != STATUS_OK)
        return; /* there is no memory: the facts before stay */
    to->state = from->state;
    to->state.trouble = to->state.sentence = "";
    to->state.arrival = NULL;
    to->state.worker = to->worker;
    to->state.load = to->load;
    workers_copy(to, &from->state);
    to->motion = from->motion;
    to->back = from->back;
    to->forward = from->forward;
    to->final = from->final;
    to->slow = from->slow;
    to->touched_s = from->touched_s;
    to->stand = from->stand;
}

bool remote_facts_put(struct remote *remote, const struct remote_facts *facts)
{
    if (pthread_mutex_trylock(&remote->picture_mutex) != 0)
        return false;
    facts_copy(&remote->facts, facts);
    free(remote->facts.text);
    remote->facts.text = facts->text;
    __atomic_add_fetch(&remote->version, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&remote->picture_mutex);
    server_call(remote);
    return true;
}

uint64_t remote_version(const struct remote *remote)
{
    return __atomic_load_n(&remote->version, __ATOMIC_ACQUIRE);
}

static void block_copy(const struct remote *remote, struct deepfield_live_pixels *to, int row,
                       int column)
{
    int32_t x = column * BLOCK, y = row * BLOCK;
    int32_t right = least(x + BLOCK, remote->width), bottom = least(y + BLOCK, remote->height);
    for (; y < bottom; y++)
        memcpy(to->pixels + (size_t)y * (size_t)to->stride + x,
               remote->pixels + (size_t)y * (size_t)remote->width + x,
               (size_t)(right - x) * sizeof *to->pixels);
    to->changed[row][column] = 1;
}

static void blocks_take(struct remote *remote, struct deepfield_live_pixels *to)
{
    int rows = (remote->height + BLOCK - 1) / BLOCK, columns = (remote->width + BLOCK - 1) / BLOCK;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            if (remote->changed[row][column] || to->picture != remote->picture) {
                block_copy(remote, to, row, column);
                remote->changed[row][column] = 0;
            }
    to->picture = remote->picture;
}

bool remote_take(struct remote *remote, struct remote_facts *facts,
                 struct deepfield_live_pixels *pixels, int32_t *width, int32_t *height)
{
    pthread_mutex_lock(&remote->picture_mutex);
    *width = remote->width;
    *height = remote->height;
    bool fits = pixels->width == *width && pixels->height == *height && remote->pixels;
    if (fits) {
        blocks_take(remote, pixels);
        facts_copy(facts, &remote->facts);
        free(facts->text);
        facts->text = remote->facts.text ? strdup(remote->facts.text) : NULL;
    }
    pthread_mutex_unlock(&remote->picture_mutex);
    return fits;
}

/* ---- commands ---- */

/* Room for one more: the newest motion that waits makes room for none, but what else is dropped
 * would be missed. */
static bool room_for(const struct remote *remote, enum remote_word word)
{
    return remote->count < (word == REMOTE_MOVE ? REMOTE_COMMANDS - 16 : REMOTE_COMMANDS);
}

void remote_command_give(struct remote *remote, const struct remote_command *command)
{
    pthread_mutex_lock(&remote->queue_mutex);
    if (room_for(remote, command->word))
        remote->command[(remote->first + remote->count++) % REMOTE_COMMANDS] = *command;
    else
        free(command->text);
    pthread_mutex_unlock(&remote->queue_mutex);
    viewer_call(remote);
}

bool remote_command_next(struct remote *remote, struct remote_command *command)
{
    pthread_mutex_lock(&remote->queue_mutex);
    bool there = remote->count > 0;
    if (there) {
        *command = remote->command[remote->first];
        remote->first = (remote->first + 1) % REMOTE_COMMANDS;
        remote->count--;
    }
    pthread_mutex_unlock(&remote->queue_mutex);
    return there;
}

/* ---- the lead ---- */

bool remote_page_leads(const struct remote *remote)
{
    return value_of(&remote->page_leads) && !value_of(&remote->lead_taken);
}

void remote_lead_take(struct remote *remote)
{
    value_set(&remote->lead_taken, 1);
    server_call(remote);
}

int remote_asked(const struct remote *remote)
{
    return value_of(&remote->asked);
}

void remote_watchers_set(struct remote *remote, int watchers, bool all)
{
    value_set(&remote->watchers, watchers);
    if (all)
        value_set(&remote->all, 1);
    viewer_call(remote);
}

void remote_lead_set(struct remote *remote, bool page_leads, int asked)
{
    value_set(&remote->page_leads, page_leads);
    value_set(&remote->asked, asked);
    viewer_call(remote);
}

bool remote_lead_taken(struct remote *remote)
{
    return __atomic_exchange_n(&remote->lead_taken, 0, __ATOMIC_ACQ_REL);
}
