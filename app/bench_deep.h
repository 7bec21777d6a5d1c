/* The suite `deep` of deepfield bench: perturbation at six published places. */
#ifndef APP_BENCH_DEEP_H
#define APP_BENCH_DEEP_H

#include "app/command.h"

/* On rank 0. Prints a table, or JSON. */
enum status bench_deep_run(const struct invocation *invocation);

#endif
