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
#include "decomposition/world_comm.h"

enum state { FREE, WAITING, RUNNING, FINISHED };

struct slot {
    enum state state;
    uint64_t turn; /* when it was pushed, then when it finished; the oldest is taken first */
    struct lane_task task;
    char *text; /* [STATUS_TEXT_BYTES], the sentence of its failure */
};

struct lane {
    struct lanes *all;
    int number;
    pthread_t thread;
};

struct lanes {
    const struct job *job;
    int lanes, started, alive, depth, load; /* alive, load: the opener's */
    struct lane *lane;                      /* [lanes] */
    pthread_mutex_t mutex;                  /* of everything below */
    pthread_cond_t wake;                    /* for the lanes: there is a task, or quit */
    pthread_cond_t done;                    /* for the opener: a task is finished */
    struct slot *slot;                      /* [depth] */
    char *texts;
    uint64_t turn;
    int waiting, finished; /* slots; also looked at without the mutex, atomically */
    bool quit;
};

static int count(const int *number)
{
    return __atomic_load_n(number, __ATOMIC_ACQUIRE);
}

static void add(int *number, int change)
{
    __atomic_store_n(number, *number + change, __ATOMIC_RELEASE);
}

/* The oldest slot in `state`, or NULL. With the mutex. */
static struct slot *oldest(struct lanes *lanes, enum state state)
{
    struct slot *found = NULL;
    for (int i = 0; i < lanes->depth; i++) {
        struct slot *slot = &lanes->slot[i];
        if (slot->state == state && (!found || slot->turn < found->turn))
            found = slot;
    }
    return found;
}

/* --- the threads ------------------------------------------------------------------------------ */

static void compute(const struct job *job, int lane, struct lane_task *task, char *text)
{
    task->iterations = 0;
    double start = clock_s();
    task->status =
        job->compute(job->context, lane, &job->tiles[task->tile], &task->field, &task->iterations);
    task->busy_s = clock_s() - start;
    if (task->status != STATUS_OK)
        snprintf(text, STATUS_TEXT_BYTES, "%s", status_text());
}

/* A tile of a fast device takes less than it takes to wake a thread, so a lane looks for a while
 * before it sleeps, where cores are idle. */
static void look_for_tasks(struct lanes *lanes)
{
    struct patience patience = {.spin_us = lanes->job->spin_us};
    while (count(&lanes->waiting) == 0 && patience_us(&patience, 1) == 0)
        patience_nap(0);
}

static void *run(void *argument)
{
    struct lane *lane = argument;
    struct lanes *lanes = lane->all;
    bool lost = false;
    pthread_mutex_lock(&lanes->mutex);
    while (!lost) {
        if (lanes->waiting == 0 && !lanes->quit) {
            pthread_mutex_unlock(&lanes->mutex);
            look_for_tasks(lanes);
            pthread_mutex_lock(&lanes->mutex);
        }
        while (lanes->waiting == 0 && !lanes->quit)
            pthread_cond_wait(&lanes->wake, &lanes->mutex);
        if (lanes->quit)
            break;
        struct slot *slot = oldest(lanes, WAITING);
        slot->state = RUNNING;
        add(&lanes->waiting, -1);
        pthread_mutex_unlock(&lanes->mutex);

        compute(lanes->job, lane->number, &slot->task, slot->text);
        lost = slot->task.status == STATUS_DEVICE_LOST;

        pthread_mutex_lock(&lanes->mutex);
        slot->state = FINISHED;
        slot->turn = lanes->turn++;
        add(&lanes->finished, 1);
        pthread_cond_signal(&lanes->done);
    }
    pthread_mutex_unlock(&lanes->mutex);
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

/* --- opening and closing ---------------------------------------------------------------------- */

static void prepare(struct lanes *lanes)
{
    pthread_mutex_init(&lanes->mutex, NULL);
    pthread_cond_init(&lanes->wake, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&lanes->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static enum status start(struct lanes *lanes)
{
    size_t depth = (size_t)lanes->depth;
    lanes->lane = calloc((size_t)lanes->lanes, sizeof *lanes->lane);
    lanes->slot = calloc(depth, sizeof *lanes->slot);
    lanes->texts = calloc(depth, STATUS_TEXT_BYTES);
    if (!lanes->lane || !lanes->slot || !lanes->texts)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d compute threads", lanes->lanes);
    for (size_t i = 0; i < depth; i++)
        lanes->slot[i].text = lanes->texts + i * STATUS_TEXT_BYTES;
    for (; lanes->started < lanes->lanes; lanes->started++) {
        struct lane *lane = &lanes->lane[lanes->started];
        *lane = (struct lane){.all = lanes, .number = lanes->started};
        int error = start_without_signals(lane);
        if (error)
            return status_fail(STATUS_SYSTEM, "cannot start a compute thread: %s", strerror(error));
    }
    return STATUS_OK;
}

enum status lanes_open(struct lanes **out, const struct job *job)
{
    *out = NULL;
    assert(job->lanes >= 1 && job->credits >= job->lanes);
    struct lanes *lanes = calloc(1, sizeof *lanes);
    if (!lanes)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for compute threads");
    lanes->job = job;
    lanes->lanes = lanes->alive = job->lanes;
    lanes->depth = job->credits;
    prepare(lanes);
    enum status status = start(lanes);
    if (status != STATUS_OK)
        lanes_close(lanes);
    else
        *out = lanes;
    return status;
}

void lanes_close(struct lanes *lanes)
{
    if (!lanes)
        return;
    pthread_mutex_lock(&lanes->mutex);
    lanes->quit = true;
    add(&lanes->waiting, 1); /* nothing waits, but nobody is to look for it either */
    pthread_cond_broadcast(&lanes->wake);
    pthread_mutex_unlock(&lanes->mutex);
    for (int i = 0; i < lanes->started; i++)
        pthread_join(lanes->lane[i].thread, NULL);
    pthread_cond_destroy(&lanes->done);
    pthread_cond_destroy(&lanes->wake);
    pthread_mutex_destroy(&lanes->mutex);
    free(lanes->texts);
    free(lanes->slot);
    free(lanes->lane);
    free(lanes);
}

/* --- the opener's side ------------------------------------------------------------------------ */

int lanes_load(const struct lanes *lanes)
{
    return lanes->load;
}

int lanes_alive(const struct lanes *lanes)
{
    return lanes->alive;
}

void lanes_push(struct lanes *lanes, const struct lane_task *task)
{
    pthread_mutex_lock(&lanes->mutex);
    struct slot *slot = oldest(lanes, FREE);
    assert(slot);
    slot->task = *task;
    slot->state = WAITING;
    slot->turn = lanes->turn++;
    add(&lanes->waiting, 1);
    pthread_cond_signal(&lanes->wake);
    pthread_mutex_unlock(&lanes->mutex);
    lanes->load++;
}

bool lanes_pop(struct lanes *lanes, struct lane_task *task, char *text)
{
    if (count(&lanes->finished) == 0)
        return false;
    pthread_mutex_lock(&lanes->mutex);
    struct slot *slot = oldest(lanes, FINISHED);
    *task = slot->task;
    if (task->status != STATUS_OK)
        memcpy(text, slot->text, STATUS_TEXT_BYTES);
    slot->state = FREE;
    add(&lanes->finished, -1);
    pthread_mutex_unlock(&lanes->mutex);
    lanes->load--;
    lanes->alive -= task->status == STATUS_DEVICE_LOST;
    return true;
}

bool lanes_take_back(struct lanes *lanes, struct lane_task *task)
{
    pthread_mutex_lock(&lanes->mutex);
    struct slot *slot = oldest(lanes, WAITING);
    if (slot) {
        *task = slot->task;
        slot->state = FREE;
        add(&lanes->waiting, -1);
        lanes->load--;
    }
    pthread_mutex_unlock(&lanes->mutex);
    return slot != NULL;
}

void lanes_wait(struct lanes *lanes, unsigned microseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)microseconds * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lanes->mutex);
    while (lanes->finished == 0)
        if (pthread_cond_timedwait(&lanes->done, &lanes->mutex, &until) == ETIMEDOUT)
            break;
    pthread_mutex_unlock(&lanes->mutex);
}
