/* The report of suite scaling: one page of HTML that needs nothing else, with plots of speed-up,
 * efficiency and where the time goes, the forecast from one device, and all numbers as tables. */
#ifndef APP_BENCH_SCALING_REPORT_H
#define APP_BENCH_SCALING_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/status.h"
#include "render/disk/atomic_file.h"

struct scaling_row { /* a view on so many devices: the median of some pictures, on rank 0 */
    const char *view;
    int32_t width, height;
    int64_t limit;
    int devices;
    double seconds;   /* until the counts are in rank 0's host memory */
    double idle;      /* part of the time that threads had nothing to compute */
    double compute_s; /* what the busiest device's threads spent in compute */
    double mean_s;    /* what all devices' threads spent there, on average */
    uint64_t iterations, bytes;
    uint32_t tiles;
};

struct scaling_facts {
    const char *program;       /* version and revision */
    const char *command;       /* words that were given */
    const char *const *device; /* lines about the devices; [devices] */
    int devices;
    const char *ranks, *library, *date; /* ranks of the job; MPI; time of the measurement */
    int repeats;
};

/* Parts of the time of a row; their sum is 1. */
struct scaling_parts {
    double compute; /* devices compute, on average */
    double slowest; /* they wait for the one that has most to compute */
    double rest;    /* messages, begin and end: nobody computes */
};

/* Pure. */
struct scaling_parts scaling_parts_of(const struct scaling_row *row);

/* Seconds of so many devices by the row of one: what it computed is shared, the rest is not. Pure.
 */
double scaling_forecast_s(const struct scaling_row *one, int devices);

/* Writes the page; rows of a view follow one another, that of one device first. */
void scaling_page_write(FILE *stream, const struct scaling_facts *facts,
                        const struct scaling_row *row, size_t count);

/* Could the report be written there? STATUS_USAGE for another suffix than .html or .htm; fails as
 * atomic_file_check. */
enum status scaling_report_check(const char *path, enum overwrite overwrite);

/* Writes it as a file. Fails as atomic_file_open and atomic_file_commit. */
enum status scaling_report_save(const char *path, enum overwrite overwrite,
                                const volatile int *stop, const struct scaling_facts *facts,
                                const struct scaling_row *row, size_t count);

#endif
