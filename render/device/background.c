#include "render/device/background.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "decomposition/thread/executor.h"
#include "render/view/view.h"

struct background {
    pthread_t thread;
    bool threaded, low; /* low: of lower priority */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    /* Under the mutex: */
    void (*function)(void *argument); /* function that was begun and has not ended; or NULL */
    void *argument;
    uint64_t begun, ended;
    bool quits;
};

static void *background_thread(void *context)
{
    struct background *background = context;
    if (background->low)
        thread_priority_lower();
    pthread_mutex_lock(&background->mutex);
    while (!background->quits || background->function) {
        if (!background->function) {
            pthread_cond_wait(&background->changed, &background->mutex);
            continue;
        }
        pthread_mutex_unlock(&background->mutex);
        background->function(background->argument);
        pthread_mutex_lock(&background->mutex);
        background->function = NULL;
        background->ended = background->begun;
        pthread_cond_broadcast(&background->changed);
    }
    pthread_mutex_unlock(&background->mutex);
    view_thread_end();
    return NULL;
}

enum status background_open(struct background **background)
{
    struct background *made = *background = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a thread in the background");
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->changed, NULL);
    return STATUS_OK;
}

enum status background_open_low(struct background **background)
{
    TRY(background_open(background));
    (*background)->low = true;
    return STATUS_OK;
}

uint64_t background_run(struct background *background, void (*function)(void *argument),
                        void *argument)
{
    background_rest(background);
    if (!background->threaded)
        background->threaded =
            thread_start_without_signals(&background->thread, background_thread, background) == 0;
    if (!background->threaded) {
        function(argument);
        return background->ended = ++background->begun;
    }
    pthread_mutex_lock(&background->mutex);
    background->function = function;
    background->argument = argument;
    uint64_t number = ++background->begun;
    pthread_cond_broadcast(&background->changed);
    pthread_mutex_unlock(&background->mutex);
    return number;
}

void background_wait(struct background *background, uint64_t number)
{
    if (!background || !number)
        return;
    pthread_mutex_lock(&background->mutex);
    while (background->ended < number)
        pthread_cond_wait(&background->changed, &background->mutex);
    pthread_mutex_unlock(&background->mutex);
}

void background_rest(struct background *background)
{
    background_wait(background, background ? background->begun : 0);
}

void background_close(struct background *background)
{
    if (!background)
        return;
    pthread_mutex_lock(&background->mutex);
    background->quits = true;
    pthread_cond_broadcast(&background->changed);
    pthread_mutex_unlock(&background->mutex);
    if (background->threaded)
        pthread_join(background->thread, NULL);
    pthread_cond_destroy(&background->changed);
    pthread_mutex_destroy(&background->mutex);
    free(background);
}
