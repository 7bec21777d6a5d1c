/* How do some threads compute tiles while another talks to the ranks?
 *
 * Lanes are job.lanes threads over one queue. Each calls job.compute for the oldest task that
 * nobody has begun; tasks finish in any order. The queue holds job.credits tasks, so that the next
 * one is there when one ends. The thread that opened the lanes pushes, pops and closes; the lanes
 * never touch MPI. A lane that loses its device (STATUS_DEVICE_LOST) ends; the others go on. The
 * OpenMP team of a lane lives as long as the lane. Signals are left to the other threads. Private
 * to decomposition/. */
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

enum status lanes_open(struct lanes **lanes, const struct job *job);

/* Waits for the running tasks, drops the others, ends the threads. Accepts NULL. */
void lanes_close(struct lanes *lanes);

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
