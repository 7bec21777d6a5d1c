/* The suites of deepfield bench that run on all ranks: scaling and transport. */
#ifndef APP_BENCH_STUDIO_H
#define APP_BENCH_STUDIO_H

#include "app/command.h"

enum bench_suite {
    BENCH_DIRECT,
    BENCH_ORBIT,
    BENCH_DEEP,
    BENCH_TRANSPORT,
    BENCH_SCALING,
    BENCH_SCHEDULE,
    BENCH_SUITES
};

/* Runs the suite in a studio of its own and prints it. Collective; only rank 0 reads `invocation`
 * beyond its world. */
enum status bench_studio_run(struct invocation *invocation, enum bench_suite suite);

#endif
