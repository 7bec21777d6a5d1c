/* The opened devices of this rank, the threads that feed them, and the memory that they reach fast.
 *
 * Threads call device_set_compute; a device that overlaps copies with computing has several. They
 * are dealt out device by device, so that the first tiles go to different ones. */
#ifndef RENDER_DEVICE_DEVICE_SET_H
#define RENDER_DEVICE_DEVICE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "render/view/view.h"

enum { DEVICE_SET_CREDITS = 2 }; /* tiles per device: one that it computes, one that comes next */

struct device_set_options {
    const char *backend;     /* a name or "auto" */
    int device[DEVICES_MAX]; /* numbers of the kind's devices */
    int devices;             /* entries of `device` */
    bool computes;  /* false: the devices are opened for their memory only; there are no threads */
    int threads;    /* threads of a CPU; 0 = all */
    double slice_s; /* see backend_options */
    const volatile int *stop;
};

struct device_set_block; /* memory that is kept between pictures */

struct device_set {
    const struct backend_kind *kind;
    struct backend *backend[DEVICES_MAX];
    int devices, threads;
    int active; /* devices that the threads are dealt out over; the first ones */
    struct backend_deep deep[DEVICES_MAX]; /* tables of a picture by perturbation; else zeroed */
    struct device_set_block *blocks;
};

/* Opens the devices of a zeroed device set (it may have given blocks already). Costs 0.2 s and more
 * for the first GPU of a process. On failure none is open, and it may be tried again. */
enum status device_set_open(struct device_set *device_set,
                            const struct device_set_options *options);
void device_set_close(struct device_set *device_set); /* accepts a zeroed one */

/* The device of a thread, 0 ... threads - 1. */
struct backend *device_set_device(const struct device_set *device_set, int thread);

/* Computes one tile on the device of a thread. One call per thread at a time. */
enum status device_set_compute(struct device_set *device_set, int thread, const struct spec *spec,
                               const struct grid *grid, struct field *out, uint64_t *iterations);

/* A picture by perturbation: every device prepares for its pixels, all at the same time
 * (backend_deep_open). One that is lost is left out: its first tile says so. device_set_deep_close
 * also after a failure. */
enum status device_set_deep_open(struct device_set *device_set, const struct deep_options *options,
                                 const struct orbit *orbit, const struct spec *spec,
                                 const struct grid *whole);
void device_set_deep_close(
    struct device_set *device_set); /* accepts a device set that has not opened one */

/* Tables of the first device for perturbation, if that is a processor; else NULL. */
const struct deep *device_set_deep(const struct device_set *device_set);

/* Bytes of the blocks of each device. */
size_t device_set_deep_bytes(const struct device_set *device_set);

/* Computes one tile by perturbation on the device of a thread. One call per thread at a time. */
enum status device_set_deep_compute(struct device_set *device_set, int thread,
                                    const struct spec *spec, const struct grid *grid,
                                    struct field *out, uint64_t *iterations);

/* Iterations per second of all devices together: from their properties, or, where these do not say,
 * from a run of 5 ms. */
double device_set_speed(struct device_set *device_set, enum number number);

/* A block of at least `bytes`, aligned to 64 bytes: of host memory that the devices reach fast, or,
 * where there are none, ordinary memory; or of the first device's memory. NULL if there is none.
 * Blocks are kept: memory that was written once is fast; there are never more than were taken at a
 * time. One thread. */
void *device_set_block_take(struct device_set *device_set, enum memory_space space, size_t bytes);
void device_set_block_give(struct device_set *device_set, void *block);

#endif
