#include "decomposition/lane.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decomposition/clock.h"

/* The tasks lie in a ring in the order of their pushes: finished, running, waiting. */
struct lane {
    const struct job *job;
    pthread_t thread;
    pthread_mutex_t mutex; /* of everything below but `held` */
    pthread_cond_t wake;   /* for the lane: there is a task, or quit */
    pthread_cond_t done;   /* for the opener: a task is finished */
    struct lane_task ring[LANE_DEPTH];
    unsigned pushed, begun, finished, popped; /* running counts; popped <= finished <= ... */
    bool quit;
    char text[STATUS_TEXT_BYTES]; /* sentence of the last failure */
};

static void compute(const struct job *job, struct lane_task *task, char *text)
{
    task->iterations = 0;
    double start = clock_s();
    task->status =
        job->compute(job->context, &job->tiles[task->tile], &task->field, &task->iterations);
    task->busy_s = clock_s() - start;
    if (task->status != STATUS_OK)
        snprintf(text, STATUS_TEXT_BYTES, "%s", status_text());
}

static void *run(void *argument)
{
    struct lane *lane = argument;
    char text[STATUS_TEXT_BYTES] = "";
    pthread_mutex_lock(&lane->mutex);
    for (;;) {
        while (lane->begun == lane->pushed && !lane->quit)
            pthread_cond_wait(&lane->wake, &lane->mutex);
        if (lane->quit)
            break;
        struct lane_task *slot = &lane->ring[lane->begun++ % LANE_DEPTH];
        struct lane_task task = *slot;
        pthread_mutex_unlock(&lane->mutex);

        compute(lane->job, &task, text);

        pthread_mutex_lock(&lane->mutex);
        *slot = task;
        if (task.status != STATUS_OK)
            memcpy(lane->text, text, sizeof text);
        lane->finished++;
        pthread_cond_signal(&lane->done);
    }
    pthread_mutex_unlock(&lane->mutex);
    return NULL;
}

/* A signal must interrupt the thread that looks at the stop flag, not a computing one. OpenMP's
 * threads inherit the mask. */
static int start_without_signals(struct lane *lane)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&lane->thread, NULL, run, lane);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

enum status lane_open(struct lane **out, const struct job *job)
{
    *out = NULL;
    struct lane *lane = calloc(1, sizeof *lane);
    if (!lane)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a compute thread");
    lane->job = job;
    pthread_mutex_init(&lane->mutex, NULL);
    pthread_cond_init(&lane->wake, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&lane->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    int error = start_without_signals(lane);
    if (error) {
        free(lane);
        return status_fail(STATUS_SYSTEM, "cannot start a compute thread: %s", strerror(error));
    }
    *out = lane;
    return STATUS_OK;
}

void lane_close(struct lane *lane)
{
    if (!lane)
        return;
    pthread_mutex_lock(&lane->mutex);
    lane->quit = true;
    pthread_cond_signal(&lane->wake);
    pthread_mutex_unlock(&lane->mutex);
    pthread_join(lane->thread, NULL);
    pthread_cond_destroy(&lane->done);
    pthread_cond_destroy(&lane->wake);
    pthread_mutex_destroy(&lane->mutex);
    free(lane);
}

int lane_load(const struct lane *lane)
{
    /* Both are written by the calling thread only. */
    return (int)(lane->pushed - lane->popped);
}

void lane_push(struct lane *lane, const struct lane_task *task)
{
    pthread_mutex_lock(&lane->mutex);
    assert(lane->pushed - lane->popped < LANE_DEPTH);
    lane->ring[lane->pushed++ % LANE_DEPTH] = *task;
    pthread_cond_signal(&lane->wake);
    pthread_mutex_unlock(&lane->mutex);
}

bool lane_pop(struct lane *lane, struct lane_task *task, char *text)
{
    pthread_mutex_lock(&lane->mutex);
    bool any = lane->popped != lane->finished;
    if (any) {
        *task = lane->ring[lane->popped++ % LANE_DEPTH];
        if (task->status != STATUS_OK)
            memcpy(text, lane->text, sizeof lane->text);
    }
    pthread_mutex_unlock(&lane->mutex);
    return any;
}

void lane_drop(struct lane *lane)
{
    pthread_mutex_lock(&lane->mutex);
    lane->pushed = lane->begun;
    pthread_mutex_unlock(&lane->mutex);
}

void lane_wait(struct lane *lane, unsigned microseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)microseconds * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lane->mutex);
    while (lane->popped == lane->finished)
        if (pthread_cond_timedwait(&lane->done, &lane->mutex, &until) == ETIMEDOUT)
            break;
    pthread_mutex_unlock(&lane->mutex);
}
