/* The suite `orbit` of deepfield bench: reference orbits beside MPFR's plain loop. */
#ifndef APP_BENCH_ORBIT_H
#define APP_BENCH_ORBIT_H

#include "app/command.h"

/* On rank 0. Prints a table, or JSON. */
enum status bench_orbit_run(const struct invocation *invocation);

#endif
