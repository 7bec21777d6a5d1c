/* Lines on stderr about cores and GPUs that a job has and does not compute with. */
#ifndef APP_BENCH_IDLE_REPORT_H
#define APP_BENCH_IDLE_REPORT_H

#include "app/settings/invocation.h"
#include "render/device/idle.h"

/* Rank 0, when the renderer is open: a line for cores and one for GPUs, each with the remedy; none
 * when nothing is idle, with --quiet, or, of GPUs, when the backend was set. */
void idle_report(const struct invocation *invocation, const struct idle *idle);

#endif
