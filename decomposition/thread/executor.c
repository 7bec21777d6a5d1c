#include "decomposition/thread/executor.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "decomposition/thread/clock.h"
#include "decomposition/thread/patience.h"

enum { NICE = 5 }; /* nice value of threads that leave the cores to the window's */

enum state { FREE, WAITING, RUNNING, FINISHED };

struct task_slot {
    enum state state;
    uint64_t sequence; /* when it was pushed, then when it finished; the oldest is taken first */
    struct executor_task task;
    char text[STATUS_TEXT_BYTES]; /* the sentence of its failure */
};

struct thread {
    struct executor *executor;
    int number;
    pthread_t id;
    pthread_cond_t wake;                /* it is to be AWAKE */
    enum { AWAKE, LOOKING, ASLEEP } is; /* LOOKING: without the mutex, for tasks */
    bool lost;                          /* its device, in this use */
};

struct executor {
    bool in_use;
    int members;            /* threads of this use, or of the last one: the first ones */
    int alive, load;        /* the opener's */
    struct thread **thread; /* [threads] */
    int threads;
    pthread_mutex_t mutex;  /* guards everything below, and the threads */
    pthread_cond_t done;    /* for executor_end: a task has ended */
    struct event *event;    /* event of this use */
    struct task_slot *slot; /* [depth] */
    int depth;
    unsigned spin_us;
    uint64_t sequence;
    int waiting, finished; /* slots; also looked at without the mutex, atomically */
    bool quit;
};

static int count(const int *number)
{
    return __atomic_load_n(number, __ATOMIC_ACQUIRE);
}

static void count_add(int *number, int change)
{
    __atomic_store_n(number, *number + change, __ATOMIC_RELEASE);
}

/* The oldest slot in `state`, or NULL. With the mutex. */
static struct task_slot *oldest(struct executor *executor, enum state state)
{
    struct task_slot *found = NULL;
    for (int i = 0; i < executor->depth; i++) {
        struct task_slot *slot = &executor->slot[i];
        if (slot->state == state && (!found || slot->sequence < found->sequence))
            found = slot;
    }
    return found;
}

/* --- the threads ------------------------------------------------------------------------------ */

static void run_task(struct executor_task *task, int thread, char *text)
{
    double start_s = clock_s();
    task->status = task->function(task->argument, thread);
    task->busy_s = clock_s() - start_s;
    if (task->status != STATUS_OK)
        snprintf(text, STATUS_TEXT_BYTES, "%s", status_text());
}

/* A tile of a fast device takes less than it takes to wake a thread, so a thread looks for a while
 * before it sleeps, where cores are idle. */
static void look_for_tasks(const struct executor *executor, unsigned spin_us)
{
    struct patience patience = {.spin_us = spin_us};
    while (count(&executor->waiting) == 0 && patience_us(&patience, 1) == 0)
        patience_nap(0);
}

static bool works(const struct thread *thread)
{
    return thread->number < thread->executor->members && !thread->lost;
}

/* The mutex is held by the callers of these two, and let go meanwhile. */
static void perform(struct thread *thread, struct task_slot *slot)
{
    struct executor *executor = thread->executor;
    slot->state = RUNNING;
    count_add(&executor->waiting, -1);
    pthread_mutex_unlock(&executor->mutex);
    run_task(&slot->task, thread->number, slot->text);
    pthread_mutex_lock(&executor->mutex);
    thread->lost = slot->task.status == STATUS_DEVICE_LOST;
    slot->state = FINISHED;
    slot->sequence = executor->sequence++;
    count_add(&executor->finished, 1);
    pthread_cond_signal(&executor->done);
    event_set(executor->event); /* with the mutex: it may be gone after executor_end */
}

/* Looks first, once; what came meanwhile is for the caller to see. */
static void rest(struct thread *thread, bool *looked)
{
    struct executor *executor = thread->executor;
    if (works(thread) && !*looked) {
        unsigned spin_us = executor->spin_us;
        thread->is = LOOKING;
        pthread_mutex_unlock(&executor->mutex);
        look_for_tasks(executor, spin_us);
        pthread_mutex_lock(&executor->mutex);
        thread->is = AWAKE;
        *looked = true;
        return;
    }
    thread->is = ASLEEP;
    while (thread->is == ASLEEP)
        pthread_cond_wait(&thread->wake, &executor->mutex);
    *looked = false;
}

static void *thread_run(void *argument)
{
    struct thread *thread = argument;
    struct executor *executor = thread->executor;
    char name[16]; /* as debuggers and `top -H` show it */
    snprintf(name, sizeof name, "compute %d", thread->number);
    pthread_setname_np(pthread_self(), name);
    bool looked = false;
    pthread_mutex_lock(&executor->mutex);
    while (!executor->quit) {
        struct task_slot *slot = works(thread) ? oldest(executor, WAITING) : NULL;
        if (slot) {
            perform(thread, slot);
            looked = false;
        } else
            rest(thread, &looked);
    }
    pthread_mutex_unlock(&executor->mutex);
    return NULL;
}

/* With the mutex. */
static void wake(struct thread *thread)
{
    if (thread->is != ASLEEP)
        return;
    thread->is = AWAKE;
    pthread_cond_signal(&thread->wake);
}

/* Wakes a thread if those that are looking are fewer than the tasks. One that looks cannot miss a
 * task: it sleeps only after a look with the mutex. */
static void wake_one(struct executor *executor)
{
    int looking = 0;
    struct thread *sleeper = NULL;
    for (int i = 0; i < executor->members; i++) {
        struct thread *thread = executor->thread[i];
        looking += thread->is == LOOKING && !thread->lost;
        if (!sleeper && thread->is == ASLEEP && !thread->lost)
            sleeper = thread;
    }
    if (sleeper && looking < executor->waiting)
        wake(sleeper);
}

int thread_start_without_signals(pthread_t *thread, void *(*work)(void *context), void *context)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(thread, NULL, work, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

void thread_priority_lower(void)
{
    id_t thread = (id_t)syscall(SYS_gettid);
    setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + NICE);
}

/* --- opening and closing ---------------------------------------------------------------------- */

static enum status no_memory(void)
{
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for compute threads");
}

enum status executor_open(struct executor **out)
{
    struct executor *executor = *out = calloc(1, sizeof *executor);
    if (!executor)
        return no_memory();
    pthread_mutex_init(&executor->mutex, NULL);
    pthread_cond_init(&executor->done, NULL);
    return STATUS_OK;
}

static enum status start_one(struct executor *executor)
{
    struct thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return no_memory();
    *thread = (struct thread){.executor = executor, .number = executor->threads};
    pthread_cond_init(&thread->wake, NULL);
    int error = thread_start_without_signals(&thread->id, thread_run, thread);
    if (error) {
        pthread_cond_destroy(&thread->wake);
        free(thread);
        return status_fail(STATUS_SYSTEM, "cannot start a compute thread: %s", strerror(error));
    }
    executor->thread[executor->threads++] = thread;
    return STATUS_OK;
}

/* Threads are never fewer than in the use before: they sleep. */
static enum status start(struct executor *executor, int threads)
{
    if (threads <= executor->threads)
        return STATUS_OK;
    struct thread **thread = realloc(executor->thread, (size_t)threads * sizeof *thread);
    if (!thread)
        return no_memory();
    executor->thread = thread;
    while (executor->threads < threads)
        TRY(start_one(executor));
    return STATUS_OK;
}

/* With the mutex. */
static enum status slots_make(struct executor *executor, int depth)
{
    struct task_slot *slot = realloc(executor->slot, (size_t)depth * sizeof *slot);
    if (!slot)
        return no_memory();
    executor->slot = slot;
    executor->depth = depth;
    for (int i = 0; i < depth; i++) {
        slot[i].state = FREE;
        slot[i].sequence = 0;
    }
    return STATUS_OK;
}

enum status executor_begin(struct executor *executor, const struct executor_use *use)
{
    assert(use->threads >= 1 && use->depth >= use->threads && !executor->in_use);
    TRY(start(executor, use->threads));
    pthread_mutex_lock(&executor->mutex);
    enum status status = slots_make(executor, use->depth);
    if (status == STATUS_OK) {
        executor->in_use = true;
        executor->event = use->event;
        executor->spin_us = use->spin_us;
        executor->members = executor->alive = use->threads;
        for (int i = 0; i < executor->members; i++)
            executor->thread[i]->lost = false;
    }
    pthread_mutex_unlock(&executor->mutex);
    return status;
}

void executor_end(struct executor *executor)
{
    if (!executor || !executor->in_use)
        return;
    struct executor_task task;
    while (executor_take_back(executor, &task))
        continue;
    pthread_mutex_lock(&executor->mutex);
    while (oldest(executor, RUNNING))
        pthread_cond_wait(&executor->done, &executor->mutex);
    count_add(&executor->finished, -executor->finished);
    executor->in_use = false;
    executor->load = 0;
    pthread_mutex_unlock(&executor->mutex);
}

void executor_close(struct executor *executor)
{
    if (!executor)
        return;
    assert(!executor->in_use);
    pthread_mutex_lock(&executor->mutex);
    executor->quit = true;
    count_add(&executor->waiting, 1); /* nothing waits, but nobody is to look for it either */
    for (int i = 0; i < executor->threads; i++)
        wake(executor->thread[i]);
    pthread_mutex_unlock(&executor->mutex);
    for (int i = 0; i < executor->threads; i++) {
        pthread_join(executor->thread[i]->id, NULL);
        pthread_cond_destroy(&executor->thread[i]->wake);
        free(executor->thread[i]);
    }
    pthread_cond_destroy(&executor->done);
    pthread_mutex_destroy(&executor->mutex);
    free(executor->slot);
    free(executor->thread);
    free(executor);
}

/* --- the opener's side ------------------------------------------------------------------------ */

int executor_load(const struct executor *executor)
{
    return executor->load;
}

int executor_alive(const struct executor *executor)
{
    return executor->alive;
}

void executor_push(struct executor *executor, const struct executor_task *task)
{
    pthread_mutex_lock(&executor->mutex);
    struct task_slot *slot = oldest(executor, FREE);
    assert(slot);
    slot->task = *task;
    slot->state = WAITING;
    slot->sequence = executor->sequence++;
    count_add(&executor->waiting, 1);
    wake_one(executor);
    pthread_mutex_unlock(&executor->mutex);
    executor->load++;
}

bool executor_pop(struct executor *executor, struct executor_task *task, char *text)
{
    if (count(&executor->finished) == 0)
        return false;
    pthread_mutex_lock(&executor->mutex);
    struct task_slot *slot = oldest(executor, FINISHED);
    *task = slot->task;
    if (task->status != STATUS_OK)
        memcpy(text, slot->text, STATUS_TEXT_BYTES);
    slot->state = FREE;
    count_add(&executor->finished, -1);
    pthread_mutex_unlock(&executor->mutex);
    executor->load--;
    executor->alive -= task->status == STATUS_DEVICE_LOST;
    return true;
}

bool executor_has_ended(const struct executor *executor)
{
    return count(&executor->finished) > 0;
}

bool executor_take_back(struct executor *executor, struct executor_task *task)
{
    pthread_mutex_lock(&executor->mutex);
    struct task_slot *slot = oldest(executor, WAITING);
    if (slot) {
        *task = slot->task;
        slot->state = FREE;
        count_add(&executor->waiting, -1);
        executor->load--;
    }
    pthread_mutex_unlock(&executor->mutex);
    return slot != NULL;
}
