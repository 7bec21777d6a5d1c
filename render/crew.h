/* What does this rank compute with? Its opened devices, the threads that feed them, and the memory
 * that they reach fast.
 *
 * A lane is a thread that calls crew_compute; a device that overlaps copies with computing has
 * several. Lanes are dealt out device by device, so that the first tiles go to different ones. */
#ifndef RENDER_CREW_H
#define RENDER_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "render/view.h"

enum { CREW_CREDITS = 2 }; /* tiles per device: one that it computes, one that comes next */

struct crew_options {
    const char *backend;     /* a name or "auto" */
    int device[DEVICES_MAX]; /* numbers of the kind's devices */
    int devices;             /* in `device` */
    bool computes;  /* false: the devices are opened for their memory only; there are no lanes */
    int threads;    /* of a CPU; 0 = all */
    double slice_s; /* see backend_options */
    const volatile int *stop;
};

struct crew_block; /* memory that is kept between pictures */

struct crew {
    const struct backend_kind *kind;
    struct backend *backend[DEVICES_MAX];
    int devices, lanes;
    int active; /* devices that the lanes are dealt out over; the first ones */
    struct backend_deep deep[DEVICES_MAX]; /* of a picture by perturbation; else zeroed */
    struct crew_block *blocks;
};

/* Opens the devices of a zeroed crew (it may have given blocks already). Costs 0.2 s and more for
 * the first GPU of a process. On failure none is open, and it may be tried again. */
enum status crew_open(struct crew *crew, const struct crew_options *options);
void crew_close(struct crew *crew); /* accepts a zeroed one */

/* The device of a lane, 0 ... lanes - 1. */
struct backend *crew_device(const struct crew *crew, int lane);

/* Computes one tile on the device of a lane. Thread: one per lane. */
enum status crew_compute(struct crew *crew, int lane, const struct spec *spec,
                         const struct grid *grid, struct field *out, uint64_t *iterations);

/* A picture by perturbation: every device prepares for its pixels, all at the same time
 * (backend_deep_open). One that is lost is left out: its first tile says so. crew_deep_close also
 * after a failure. */
enum status crew_deep_open(struct crew *crew, const struct deep_options *options,
                           const struct orbit *orbit, const struct spec *spec,
                           const struct grid *whole);
void crew_deep_close(struct crew *crew); /* accepts a crew that has not opened one */

/* What the first device has for it, if that is a processor; else NULL. */
const struct deep *crew_deep(const struct crew *crew);

/* Bytes of the blocks of each device. */
size_t crew_deep_bytes(const struct crew *crew);

/* Computes one tile of it on the device of a lane. Thread: one per lane. */
enum status crew_deep_compute(struct crew *crew, int lane, const struct spec *spec,
                              const struct grid *grid, struct field *out, uint64_t *iterations);

/* Iterations per second of all devices together: from their properties, or, where these do not say,
 * from a run of 5 ms. */
double crew_speed(struct crew *crew, enum number number);

/* A block of at least `bytes`, aligned to 64 bytes: of host memory that the devices reach fast, or,
 * where there are none, ordinary memory; or of the first device's memory. NULL if there is none.
 * Blocks are kept: memory that was written once is fast. One thread. */
void *crew_block_take(struct crew *crew, enum memory_space space, size_t bytes);
void crew_block_give(struct crew *crew, void *block);

#endif
