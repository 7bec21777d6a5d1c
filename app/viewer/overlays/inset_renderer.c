#include "app/viewer/overlays/inset_renderer.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "include/deepfield/deepfield.h"

enum { NICE = 5 }; /* levels of priority below the window's */

struct shelf {  /* request and picture of a slot */
    char *text; /* place that is wanted, or shown; NULL: nothing was asked for; owned */
    int32_t wanted_width, wanted_height;
    bool waiting;    /* the request has not been begun */
    uint64_t serial; /* serial of the finished picture; 0: none */
    uint32_t *pixels;
    int32_t width, height;
};

struct inset_renderer {
    char data[4096]; /* folder that holds assets/ */
    void (*wake)(void *context);
    void *context;
    deepfield_world *world; /* world of the thread; the next two are made from it */
    deepfield_renderer *renderer;
    deepfield_field *field;
    pthread_t thread;
    pthread_mutex_t mutex; /* protects all below */
    pthread_cond_t asked;
    enum inset_slot at; /* slot being computed, if busy */
    bool busy, quit;
    uint64_t serial; /* serial of the newest picture */
    struct shelf shelf[INSET_SLOTS];
};

/* ---- the thread ------------------------------------------------------------------------------ */

static bool engine_open(struct inset_renderer *renderer)
{
    const deepfield_world_options options = {.size = sizeof options, .data = renderer->data};
    return deepfield_world_open(&renderer->world, &options) == DEEPFIELD_OK &&
           deepfield_renderer_create(&renderer->renderer, renderer->world) == DEEPFIELD_OK &&
           deepfield_renderer_set(renderer->renderer, "compute.backend", "cpu") == DEEPFIELD_OK &&
           deepfield_renderer_set(renderer->renderer, "compute.threads", "1") == DEEPFIELD_OK &&
           deepfield_field_create(&renderer->field) == DEEPFIELD_OK;
}

static void engine_close(struct inset_renderer *renderer)
{
    deepfield_field_destroy(renderer->field);
    deepfield_renderer_destroy(renderer->renderer);
    deepfield_world_close(renderer->world);
}

/* R, G, B, A in memory become 0xAARRGGBB in place. */
static void pixels_turn(uint32_t *pixels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *byte = (const uint8_t *)&pixels[i];
        pixels[i] =
            (uint32_t)byte[3] << 24 | (uint32_t)byte[0] << 16 | (uint32_t)byte[1] << 8 | byte[2];
    }
}

static deepfield_status picture_make(struct inset_renderer *renderer, const char *text,
                                     uint32_t *pixels, int32_t width, int32_t height)
{
    deepfield_picture *picture = NULL;
    const deepfield_array into = {.size = sizeof into,
                                  .data = pixels,
                                  .type = DEEPFIELD_U8,
                                  .width = width,
                                  .height = height,
                                  .channels = 4,
                                  .row_bytes = 4 * (int64_t)width};
    deepfield_status status = deepfield_picture_open(&picture, renderer->world, text);
    if (status == DEEPFIELD_OK)
        status = deepfield_picture_set(picture, "look.samples", "1");
    if (status == DEEPFIELD_OK)
        status = deepfield_render(renderer->renderer, picture, DEEPFIELD_COLOURS, renderer->field);
    if (status == DEEPFIELD_OK)
        status = deepfield_field_colour(renderer->field, picture, &into);
    deepfield_picture_destroy(picture);
    if (status == DEEPFIELD_OK)
        pixels_turn(pixels, (size_t)width * (size_t)height);
    return status;
}

/* Computes the picture of a slot, with the mutex, which is released meanwhile. */
static void shelf_fill(struct inset_renderer *renderer, enum inset_slot slot)
{
    struct shelf *shelf = &renderer->shelf[slot];
    int32_t width = shelf->wanted_width, height = shelf->wanted_height;
    char *text = strdup(shelf->text);
    shelf->waiting = false;
    renderer->busy = true;
    renderer->at = slot;
    pthread_mutex_unlock(&renderer->mutex);
    uint32_t *pixels = malloc((size_t)width * (size_t)height * sizeof *pixels);
    deepfield_status status = text && pixels ? picture_make(renderer, text, pixels, width, height)
                                             : DEEPFIELD_OUT_OF_MEMORY;
    free(text);
    pthread_mutex_lock(&renderer->mutex);
    renderer->busy = false;
    if (status != DEEPFIELD_OK) { /* overtaken, or an impossible request: the one before stays */
        shelf->waiting |= status == DEEPFIELD_STOPPED; /* the cancel may have been another's */
        free(pixels);
        return;
    }
    free(shelf->pixels);
    shelf->pixels = pixels;
    shelf->width = width;
    shelf->height = height;
    shelf->serial = ++renderer->serial;
    if (renderer->wake)
        renderer->wake(renderer->context);
}

static void *renderer_run(void *context)
{
    struct inset_renderer *renderer = context;
    id_t thread = (id_t)syscall(SYS_gettid); /* threads that it starts have its priority */
    setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + NICE);
    bool opened = engine_open(renderer);
    pthread_mutex_lock(&renderer->mutex);
    while (opened && !renderer->quit) {
        bool any = false;
        for (int slot = 0; slot < INSET_SLOTS && !renderer->quit; slot++)
            if (renderer->shelf[slot].waiting) {
                shelf_fill(renderer, (enum inset_slot)slot);
                any = true;
            }
        if (!any && !renderer->quit)
            pthread_cond_wait(&renderer->asked, &renderer->mutex);
    }
    pthread_mutex_unlock(&renderer->mutex);
    engine_close(renderer);
    view_thread_end();
    return NULL;
}

/* ---- the others ------------------------------------------------------------------------------ */

/* Signals are for other threads. */
static int thread_begin(struct inset_renderer *renderer)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&renderer->thread, NULL, renderer_run, renderer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

enum status inset_renderer_open(struct inset_renderer **out, const char *assets,
                                void (*wake)(void *context), void *context)
{
    struct inset_renderer *renderer = *out = calloc(1, sizeof *renderer);
    if (!renderer)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the insets");
    snprintf(renderer->data, sizeof renderer->data, "%s/..", assets);
    renderer->wake = wake;
    renderer->context = context;
    pthread_mutex_init(&renderer->mutex, NULL);
    pthread_cond_init(&renderer->asked, NULL);
    if (thread_begin(renderer) == 0)
        return STATUS_OK;
    free(renderer);
    *out = NULL;
    return status_fail(STATUS_SYSTEM, "no thread for the insets");
}

void inset_renderer_close(struct inset_renderer *renderer)
{
    if (!renderer)
        return;
    pthread_mutex_lock(&renderer->mutex);
    renderer->quit = true;
    if (renderer->busy)
        deepfield_renderer_cancel(renderer->renderer);
    pthread_cond_signal(&renderer->asked);
    pthread_mutex_unlock(&renderer->mutex);
    pthread_join(renderer->thread, NULL);
    for (int slot = 0; slot < INSET_SLOTS; slot++) {
        free(renderer->shelf[slot].pixels);
        free(renderer->shelf[slot].text);
    }
    pthread_cond_destroy(&renderer->asked);
    pthread_mutex_destroy(&renderer->mutex);
    free(renderer);
}

void inset_renderer_ask(struct inset_renderer *renderer, enum inset_slot slot,
                        const struct place *place)
{
    char *text;
    if (place->view.width < 1 || place->view.height < 1 ||
        place_text_write(place, &text) != STATUS_OK)
        return;
    pthread_mutex_lock(&renderer->mutex);
    struct shelf *shelf = &renderer->shelf[slot];
    if (shelf->text && !strcmp(shelf->text, text)) {
        free(text);
    } else {
        free(shelf->text);
        shelf->text = text;
        shelf->wanted_width = place->view.width;
        shelf->wanted_height = place->view.height;
        shelf->waiting = true;
        if (renderer->busy && renderer->at == slot)
            deepfield_renderer_cancel(renderer->renderer);
        pthread_cond_signal(&renderer->asked);
    }
    pthread_mutex_unlock(&renderer->mutex);
}

bool inset_renderer_poll(struct inset_renderer *renderer, enum inset_slot slot, uint64_t *seen,
                         uint32_t *pixels, int32_t width, int32_t height)
{
    pthread_mutex_lock(&renderer->mutex);
    const struct shelf *shelf = &renderer->shelf[slot];
    bool newer = shelf->serial > *seen && shelf->width == width && shelf->height == height;
    if (newer) {
        memcpy(pixels, shelf->pixels, (size_t)width * (size_t)height * sizeof *pixels);
        *seen = shelf->serial;
    }
    pthread_mutex_unlock(&renderer->mutex);
    return newer;
}
