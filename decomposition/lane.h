/* How do some threads compute tiles while another talks to the ranks?
 *
 * Lanes are job.lanes threads over one queue. Each calls job.compute for the oldest task that
 * nobody has begun; tasks finish in any order. The queue holds job.credits tasks, so that the next
 * one is there when one ends. The thread that opened the lanes pushes, pops and closes; the lanes
 * never touch MPI. A lane that loses its device (STATUS_DEVICE_LOST) gets no more of that job; the
 * others go on.
 *
 * The threads, and the OpenMP team of each, live from job to job, because making them takes a tenth
 * of a GPU's frame (40 of 400 us). Between jobs, and where there is nothing to do, they look for
 * job.spin_us and then sleep. Signals are left to the other threads. Of this header the rest of the
 * program uses lanes_open and lanes_close; the verbs of a job are the job's. */
#ifndef DECOMPOSITION_LANE_H
#define DECOMPOSITION_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/job.h"
#include "kernels/field.h"
#include "kernels/status.h"

struct lanes;

struct lane_task {
    uint32_t tile;      /* index into job.tiles */
    struct field field; /* memory that the pusher owns and leaves alone until the pop */
    /* Filled by the lane: */
    enum status status;
    uint64_t iterations;
    double busy_s; /* wall seconds inside compute */
};

/* No threads yet: the first job that needs them makes them. */
enum status lanes_open(struct lanes **lanes);

/* Between jobs: ends the threads. Accepts NULL. */
void lanes_close(struct lanes *lanes);

/* Makes them the lanes of a job, all alive, with threads as it needs. `job` is borrowed until
 * lanes_end. */
enum status lanes_begin(struct lanes *lanes, const struct job *job);

/* Waits for the running tasks and drops the others. Accepts NULL. */
void lanes_end(struct lanes *lanes);

/* Tasks pushed and not yet popped: 0 ... job.credits. */
int lanes_load(const struct lanes *lanes);

/* Lanes that have not lost their device, as far as tasks have been popped: the one whose failure is
 * popped is not among them any more. */
int lanes_alive(const struct lanes *lanes);

/* Takes a task. There must be room. */
void lanes_push(struct lanes *lanes, const struct lane_task *task);

/* The task that finished first, if there is one. When it failed, `text` [STATUS_TEXT_BYTES]
 * receives its sentence. Costs nothing when there is none. */
bool lanes_pop(struct lanes *lanes, struct lane_task *task, char *text);

/* Takes back a task that has not begun, if there is one. */
bool lanes_take_back(struct lanes *lanes, struct lane_task *task);

/* Returns when a task is finished, or after `microseconds`. */
void lanes_wait(struct lanes *lanes, unsigned microseconds);

#endif
