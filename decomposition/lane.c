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
    char text[STATUS_TEXT_BYTES]; /* the sentence of its failure */
};

struct lane {
    struct lanes *all;
    int number;
    pthread_t thread;
    pthread_cond_t wake;                /* it is to be AWAKE */
    enum { AWAKE, LOOKING, ASLEEP } is; /* LOOKING: without the mutex, for tasks */
    bool lost;                          /* its device, in this job */
};

struct lanes {
    const struct job *job; /* NULL between jobs */
    int members;           /* lanes of the job, or of the last one: the first ones */
    int alive, load;       /* the opener's */
    struct lane **lane;    /* [threads] */
    int threads;
    pthread_mutex_t mutex; /* of everything below, and of the lanes */
    pthread_cond_t done;   /* for the opener: a task is finished */
    struct slot *slot;     /* [depth] */
    int depth;
    unsigned spin_us;
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
static void look_for_tasks(const struct lanes *lanes, unsigned spin_us)
{
    struct patience patience = {.spin_us = spin_us};
    while (count(&lanes->waiting) == 0 && patience_us(&patience, 1) == 0)
        patience_nap(0);
}

static bool works(const struct lane *lane)
{
    return lane->number < lane->all->members && !lane->lost;
}

/* The mutex is held by the callers of these two, and let go meanwhile. */
static void perform(struct lane *lane, struct slot *slot)
{
    struct lanes *lanes = lane->all;
    slot->state = RUNNING;
    add(&lanes->waiting, -1);
    pthread_mutex_unlock(&lanes->mutex);
    compute(lanes->job, lane->number, &slot->task, slot->text);
    pthread_mutex_lock(&lanes->mutex);
    lane->lost = slot->task.status == STATUS_DEVICE_LOST;
    slot->state = FINISHED;
    slot->turn = lanes->turn++;
    add(&lanes->finished, 1);
    pthread_cond_signal(&lanes->done);
}

/* Looks first, once; what came meanwhile is for the caller to see. */
static void rest(struct lane *lane, bool *looked)
{
    struct lanes *lanes = lane->all;
    if (works(lane) && !*looked) {
        unsigned spin_us = lanes->spin_us;
        lane->is = LOOKING;
        pthread_mutex_unlock(&lanes->mutex);
        look_for_tasks(lanes, spin_us);
        pthread_mutex_lock(&lanes->mutex);
        lane->is = AWAKE;
        *looked = true;
        return;
    }
    lane->is = ASLEEP;
    while (lane->is == ASLEEP)
        pthread_cond_wait(&lane->wake, &lanes->mutex);
    *looked = false;
}

static void *run(void *argument)
{
    struct lane *lane = argument;
    struct lanes *lanes = lane->all;
    char name[16]; /* as debuggers and `top -H` show it */
    snprintf(name, sizeof name, "lane %d", lane->number);
    pthread_setname_np(pthread_self(), name);
    bool looked = false;
    pthread_mutex_lock(&lanes->mutex);
    while (!lanes->quit) {
        struct slot *slot = works(lane) ? oldest(lanes, WAITING) : NULL;
        if (slot) {
            perform(lane, slot);
            looked = false;
        } else
            rest(lane, &looked);
    }
    pthread_mutex_unlock(&lanes->mutex);
    return NULL;
}

/* With the mutex. */
static void wake(struct lane *lane)
{
    if (lane->is != ASLEEP)
        return;
    lane->is = AWAKE;
    pthread_cond_signal(&lane->wake);
}

/* Wakes a lane if those that are looking are fewer than the tasks. One that looks cannot miss a
 * task: it sleeps only after a look with the mutex. */
static void wake_one(struct lanes *lanes)
{
    int looking = 0;
    struct lane *sleeper = NULL;
    for (int i = 0; i < lanes->members; i++) {
        struct lane *lane = lanes->lane[i];
        looking += lane->is == LOOKING && !lane->lost;
        if (!sleeper && lane->is == ASLEEP && !lane->lost)
            sleeper = lane;
    }
    if (sleeper && looking < lanes->waiting)
        wake(sleeper);
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

static enum status no_memory(void)
{
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for compute threads");
}

enum status lanes_open(struct lanes **out)
{
    struct lanes *lanes = *out = calloc(1, sizeof *lanes);
    if (!lanes)
        return no_memory();
    pthread_mutex_init(&lanes->mutex, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&lanes->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return STATUS_OK;
}

static enum status start_one(struct lanes *lanes)
{
    struct lane *lane = calloc(1, sizeof *lane);
    if (!lane)
        return no_memory();
    *lane = (struct lane){.all = lanes, .number = lanes->threads};
    pthread_cond_init(&lane->wake, NULL);
    int error = start_without_signals(lane);
    if (error) {
        pthread_cond_destroy(&lane->wake);
        free(lane);
        return status_fail(STATUS_SYSTEM, "cannot start a compute thread: %s", strerror(error));
    }
    lanes->lane[lanes->threads++] = lane;
    return STATUS_OK;
}

/* Threads are never fewer than in the job before: they sleep. */
static enum status start(struct lanes *lanes, int threads)
{
    if (threads <= lanes->threads)
        return STATUS_OK;
    struct lane **lane = realloc(lanes->lane, (size_t)threads * sizeof *lane);
    if (!lane)
        return no_memory();
    lanes->lane = lane;
    while (lanes->threads < threads)
        TRY(start_one(lanes));
    return STATUS_OK;
}

/* With the mutex. */
static enum status slots_make(struct lanes *lanes, int depth)
{
    struct slot *slot = realloc(lanes->slot, (size_t)depth * sizeof *slot);
    if (!slot)
        return no_memory();
    lanes->slot = slot;
    lanes->depth = depth;
    for (int i = 0; i < depth; i++) {
        slot[i].state = FREE;
        slot[i].turn = 0;
    }
    return STATUS_OK;
}

enum status lanes_begin(struct lanes *lanes, const struct job *job)
{
    assert(job->lanes >= 1 && job->credits >= job->lanes && !lanes->job);
    TRY(start(lanes, job->lanes));
    pthread_mutex_lock(&lanes->mutex);
    enum status status = slots_make(lanes, job->credits);
    if (status == STATUS_OK) {
        lanes->job = job;
        lanes->spin_us = job->spin_us;
        lanes->members = lanes->alive = job->lanes;
        for (int i = 0; i < lanes->members; i++)
            lanes->lane[i]->lost = false;
    }
    pthread_mutex_unlock(&lanes->mutex);
    return status;
}

void lanes_end(struct lanes *lanes)
{
    if (!lanes || !lanes->job)
        return;
    struct lane_task task;
    while (lanes_take_back(lanes, &task))
        continue;
    pthread_mutex_lock(&lanes->mutex);
    while (oldest(lanes, RUNNING))
        pthread_cond_wait(&lanes->done, &lanes->mutex);
    add(&lanes->finished, -lanes->finished);
    lanes->job = NULL;
    lanes->load = 0;
    pthread_mutex_unlock(&lanes->mutex);
}

void lanes_close(struct lanes *lanes)
{
    if (!lanes)
        return;
    assert(!lanes->job);
    pthread_mutex_lock(&lanes->mutex);
    lanes->quit = true;
    add(&lanes->waiting, 1); /* nothing waits, but nobody is to look for it either */
    for (int i = 0; i < lanes->threads; i++)
        wake(lanes->lane[i]);
    pthread_mutex_unlock(&lanes->mutex);
    for (int i = 0; i < lanes->threads; i++) {
        pthread_join(lanes->lane[i]->thread, NULL);
        pthread_cond_destroy(&lanes->lane[i]->wake);
        free(lanes->lane[i]);
    }
    pthread_cond_destroy(&lanes->done);
    pthread_mutex_destroy(&lanes->mutex);
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
    wake_one(lanes);
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
