/* Threads that run tasks.
 *
 * A task is a function and its argument. An executor runs the oldest task that has not begun on
 * any of its threads; tasks end in any order. It knows neither tiles nor ranks. The thread that
 * opened it pushes, pops and closes; the executor's threads never make MPI calls. A thread whose
 * task returns STATUS_DEVICE_LOST runs no more until the next executor_begin; the others go on.
 *
 * The threads, and the OpenMP team of each, live from one use to the next, because making them
 * takes a tenth of a GPU's frame (40 of 400 us). Without tasks they poll for spin_us and then
 * sleep. They block all signals. Of this header the rest of the program uses executor_open and
 * executor_close; the other verbs are worker.c's. */
#ifndef DECOMPOSITION_THREAD_EXECUTOR_H
#define DECOMPOSITION_THREAD_EXECUTOR_H

#include <pthread.h>
#include <stdbool.h>

#include "decomposition/thread/event.h"
#include "kernels/status.h"

struct executor;

struct executor_task {
    /* On a thread of the executor, `thread` = 0 ... threads - 1 says on which. */
    enum status (*function)(void *argument, int thread);
    void *argument; /* borrowed until the pop */
    /* Filled in by the thread: */
    enum status status;
    double busy_s; /* wall seconds inside the function */
};

struct executor_use {
    int threads;         /* >= 1 */
    int depth;           /* tasks at a time, those that wait included; >= threads */
    unsigned spin_us;    /* see above */
    struct event *event; /* set when a task has ended */
};

/* pthread_create of a thread that takes no signals: one must interrupt the thread that looks at the
 * stop flag, not a computing one. OpenMP's threads inherit the mask. */
int thread_start_without_signals(pthread_t *thread, void *(*work)(void *context), void *context);

/* Lowers the priority of this thread, and of those that it creates: it shares the cores with a
 * window that must stay smooth. */
void thread_priority_lower(void);

/* No threads yet: the first use that needs them makes them. */
enum status executor_open(struct executor **executor);

/* Between two uses: ends the threads. Accepts NULL. */
void executor_close(struct executor *executor);

/* Begins a use, with as many threads as it needs, all alive. */
enum status executor_begin(struct executor *executor, const struct executor_use *use);

/* Waits for the running tasks and drops the others. Accepts NULL. */
void executor_end(struct executor *executor);

/* Tasks pushed and not yet popped: 0 ... depth. */
int executor_load(const struct executor *executor);

/* Threads that have not lost their device, as far as tasks have been popped: the one whose failure
 * is popped is not among them any more. */
int executor_alive(const struct executor *executor);

/* There must be room. */
void executor_push(struct executor *executor, const struct executor_task *task);

/* The task that ended first, if there is one. When it failed, `text` [STATUS_TEXT_BYTES] receives
 * its sentence. Costs nothing when there is none. */
bool executor_pop(struct executor *executor, struct executor_task *task, char *text);

/* Has a task ended that was not popped? Costs nothing. */
bool executor_has_ended(const struct executor *executor);

/* Takes back a task that has not begun, if there is one. */
bool executor_take_back(struct executor *executor, struct executor_task *task);

#endif
