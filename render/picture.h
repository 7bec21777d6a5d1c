/* One picture: what is wanted of it, and the pipeline that makes it. picture.c reads like the data
 * flow of ARCHITECTURE.md. */
#ifndef RENDER_PICTURE_H
#define RENDER_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/job.h"
#include "decomposition/world.h"
#include "kernels/backend.h"
#include "kernels/field.h"
#include "render/plan.h"
#include "render/view.h"

struct picture { /* what is wanted; plain data, filled by the app */
    struct view view;
    int64_t limit;
    double bailout;
    unsigned planes;
    double accuracy_px;
    enum precision precision;
    int32_t tile_px;          /* 0 = the plan chooses */
    const char *schedule;     /* a name or "auto"; borrowed */
    const char *transport;    /* a name or "auto"; borrowed */
    const char *backend;      /* a name or "auto"; borrowed */
    int threads;              /* per computing rank; 0 = the machine's cores shared fairly */
    enum shortcuts shortcuts; /* on; off for tests and benchmarks */
};

struct picture_report { /* on rank 0 */
    struct plan plan;
    struct job_report job; /* freed by picture_report_destroy */
    char backend[16];      /* of the first computing rank */
    int threads;           /* of the first computing rank */
    double plan_s, compute_s;
    uint64_t iterations;
    uint64_t pixels, interior; /* interior: pixels with count 0 */
    uint64_t checksum[PLANES]; /* XXH3 of each plane, 0 if absent */
};

struct picture_hooks {
    void (*progress)(void *context, const struct job_progress *progress); /* may be NULL */
    void *context;
    const volatile int *stop; /* non-zero: give up with STATUS_STOPPED; may be NULL */
};

/* The plan for a picture in a world of `ranks`, without computing anything. */
enum status picture_plan(const struct picture *picture, int ranks, int computing_ranks,
                         struct plan_inputs *inputs, struct plan *plan);

/* Refuses (STATUS_TOO_LARGE, sums shown) what does not fit into the memory there is. */
enum status picture_admit(const struct plan *plan);

/* Computes the picture with all ranks. Collective: rank 0 passes `picture`, the others NULL.
 * On rank 0 `field` receives the whole image (freed with field_destroy) and `report` is filled;
 * elsewhere both may be NULL. Every rank returns the same status. */
enum status picture_render(struct world *world, const struct picture *picture,
                           const struct picture_hooks *hooks, struct field *field,
                           struct picture_report *report);

void picture_report_destroy(struct picture_report *report);

#endif
