/* How does one thread compute tiles while another talks to the ranks?
 *
 * A lane is a thread that calls job.compute for the tasks pushed into it, in order. It holds at
 * most LANE_DEPTH tasks at a time, so that the next one is there when one ends. The thread that
 * opened the lane pushes, pops and closes; the lane's thread never touches MPI. Its OpenMP team
 * lives as long as the lane. Signals are left to the other threads. Private to decomposition/. */
#ifndef DECOMPOSITION_LANE_H
#define DECOMPOSITION_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/job.h"
#include "kernels/field.h"
#include "kernels/status.h"

enum { LANE_DEPTH = 2 };

struct lane;

struct lane_task {
    uint32_t tile;      /* index into job.tiles */
    struct field field; /* memory that the pusher owns and leaves alone until the pop */
    /* Filled by the lane: */
    enum status status;
    uint64_t iterations;
    double busy_s; /* wall seconds inside compute */
};

enum status lane_open(struct lane **lane, const struct job *job);

/* Waits for the running task, drops the others, ends the thread. Accepts NULL. */
void lane_close(struct lane *lane);

/* Tasks pushed and not yet popped: 0 ... LANE_DEPTH. */
int lane_load(const struct lane *lane);

/* Takes a task. There must be room. */
void lane_push(struct lane *lane, const struct lane_task *task);

/* The oldest finished task, if there is one. When it failed, `text` [STATUS_TEXT_BYTES] receives
 * its sentence. */
bool lane_pop(struct lane *lane, struct lane_task *task, char *text);

/* Takes back the tasks that have not begun. */
void lane_drop(struct lane *lane);

/* Returns when a task is finished, or after `microseconds`. */
void lane_wait(struct lane *lane, unsigned microseconds);

#endif
