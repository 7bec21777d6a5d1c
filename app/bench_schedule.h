/* The suite `schedule` of deepfield bench: who computes which tile, played in virtual time. */
#ifndef APP_BENCH_SCHEDULE_H
#define APP_BENCH_SCHEDULE_H

#include "app/command.h"

/* On rank 0. Prints a table, or JSON. */
enum status bench_schedule_run(const struct invocation *invocation);

#endif
