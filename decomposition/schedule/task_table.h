/* The tasks of a pool, and who has which of them. Rank 0's.
 *
 * A task is a number; what it stands for is the caller's to know. It is open (nobody has it),
 * listed (in the list of a worker under a static schedule), given to one worker or to two, or done.
 * Tasks that are given back become open again and are given out by schedule `dynamic`, whatever the
 * schedule was. Without a schedule the caller adds tasks as they come to its mind and says who gets
 * which.
 *
 * Pure: no communication, no clock (the caller says what time it is), so that tests can play whole
 * pictures in virtual time. Private to decomposition/. */
#ifndef DECOMPOSITION_SCHEDULE_TASK_TABLE_H
#define DECOMPOSITION_SCHEDULE_TASK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/schedule/schedule.h"

struct task_table;

struct table_worker { /* as a worker introduces itself */
    int threads;      /* tasks at a time; >= 1 */
    int credits;      /* >= threads */
    double speed;     /* iterations per second; 0 = not known: then what it has shown so far */
};

/* `schedule` NULL: the caller assigns, and there are no tasks at first. */
enum status table_open(struct task_table **table, const struct schedule_kind *schedule,
                       uint32_t task_count, uint32_t workers,
                       const struct table_worker *introduced); /* NULL unless STATUS_OK */
void table_close(struct task_table *table);                    /* accepts NULL */

/* Adds `more` workers that have no threads yet, and come and leave later: none of them has a list.
 * Before the first table_next. STATUS_OUT_OF_MEMORY; the table is as it was then. */
enum status table_extend(struct task_table *table, uint32_t more, int credits);

/* One of those has come: so many threads, of unknown speed. */
void table_come(struct task_table *table, uint32_t worker, int threads, int credits);

/* It has left, and gets nothing more. What it had is given back by table_failed. */
void table_leave(struct task_table *table, uint32_t worker);

/* What every task will cost, iterations, falling: the list is longest-first. Borrowed until the
 * table is closed; before the first table_next. A much slower worker then gets a task that takes it
 * as long as the dearest one left takes the fastest. */
void table_forecast(struct task_table *table, const float *costs);

/* The task that `worker` is to be given now by the schedule, or task_count: none now. */
uint32_t table_next(struct task_table *table, uint32_t worker, double now_s);

/* Without a schedule: one more task; its number. Numbers begin with 0. */
enum status table_add(struct task_table *table, uint32_t *task);

/* Without a schedule: `worker`, which has fewer than its credits, gets this task, which is not
 * done. */
void table_assign(struct task_table *table, uint32_t worker, uint32_t task, double now_s);

/* Without a schedule: there are no tasks any more. */
void table_forget(struct task_table *table);

/* A worker says that a task is done. TABLE_AGAIN: another was sooner. TABLE_UNASKED: it did not
 * have it. */
enum table_outcome { TABLE_FIRST, TABLE_AGAIN, TABLE_UNASKED };
enum table_outcome table_done(struct task_table *table, uint32_t worker, uint32_t task,
                              uint64_t iterations, double busy_s);

/* A worker gives a task back undone. TABLE_AGAIN: somebody else has done it. */
enum table_outcome table_failed(struct task_table *table, uint32_t worker, uint32_t task);

/* A thread of a worker died over a task: it is open again. With threads_left = 0 so is everything
 * else that the worker had, though what it has sent may still arrive. False: it did not have that
 * task. */
bool table_lost(struct task_table *table, uint32_t worker, uint32_t task, int threads_left);

/* A worker does not answer: what it has is open for others, and it gets nothing more. It may still
 * bring what it had. */
void table_silent(struct task_table *table, uint32_t worker);

/* It answers again. */
void table_answers(struct task_table *table, uint32_t worker);

/* Without a schedule: takes back from a worker that is gone, one by one, the tasks that nobody has
 * done; false: it has none. This and the next questions accept NULL, of which nobody has any. */
bool table_take_back(struct task_table *table, uint32_t worker, uint32_t *task);
uint32_t table_held(const struct task_table *table, uint32_t worker); /* tasks that it has */
/* Threads that are alive, of workers that answer. */
uint64_t table_threads(const struct task_table *table);

uint32_t table_undone(const struct task_table *table);
uint32_t table_held_task(const struct task_table *table, uint32_t worker, uint32_t k); /* k-th */
bool table_is_done(const struct task_table *table, uint32_t task);
/* Threads that are alive, of workers that do not answer. */
uint64_t table_silent_threads(const struct task_table *table);

#endif
