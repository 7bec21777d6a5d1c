/* The suites of deepfield bench.
 *
 * A suite measures and prints, row by row, on rank 0: a table, or JSON (app/bench/bench_table.h).
 * Every timing stands beside what it is compared with, taken in the same seconds, so that another
 * load on the machine moves both. */
#ifndef APP_BENCH_BENCH_H
#define APP_BENCH_BENCH_H

#include "app/settings/invocation.h"
#include "render/disk/atomic_file.h"

/* The command: collective; the suite that its operand names. */
enum status command_bench(struct invocation *invocation);

/* NULL behind the last. */
const char *bench_suite_name(int number);

/* What --force says. */
enum overwrite bench_overwrite(const struct arguments *arguments);

enum { BENCH_REPEATS = 11 }; /* odd, so that the median is a measurement */

/* Whole pictures by direct iteration into host memory, beside the ceiling: the plain unchecked loop
 * on the same device. Planes count and fraction on a CPU, the count alone on a GPU; rows that say
 * so with all planes. */
enum status bench_direct(const struct invocation *invocation);

/* Every row of the list of formulas: beside the ceiling, own formulas of the same operations and
 * steps of z^2 + c by perturbation. */
enum status bench_formula(const struct invocation *invocation);

/* Reference orbits, beside the plain loop in MPFR. */
enum status bench_orbit(const struct invocation *invocation);

/* The reference, the table of blocks and the pixels at six published places. With several devices
 * each of them also takes its share of the picture, every n-th band of rows. */
enum status bench_deep(const struct invocation *invocation);

/* Forecast for GPUs that nobody has measured (app/bench/forecast_model.h), beside the H200, and
 * what the GPU of this machine takes, if there is one. */
enum status bench_deep_forecast(const struct invocation *invocation);

/* What more devices gain, also as a page (app/bench/scaling_report.h), and what every transport
 * reaches. Collective; devices stay open and the
 * picture's memory stays where it is, as in a viewer or a film. */
enum status bench_scaling(const struct invocation *invocation);
enum status bench_transport(const struct invocation *invocation);

#endif
