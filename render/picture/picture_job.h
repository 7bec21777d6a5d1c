/* One rank's state of the picture that is being computed: its frame, the strip of it, and the batch
 * of samples of that. */
#ifndef RENDER_PICTURE_PICTURE_JOB_H
#define RENDER_PICTURE_PICTURE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decomposition/pool/job.h"
#include "decomposition/pool/pool.h"
#include "decomposition/schedule/tile.h"
#include "kernels/field.h"
#include "render/colour/colour.h"
#include "render/device/renderer.h"
#include "render/picture/late_centres.h"
#include "render/picture/picture.h"
#include "render/picture/picture_message.h"
#include "render/picture/root_only.h"
#include "render/picture/sampling.h"
#include "render/reference/reference.h"

/* The memory that a picture is computed in. */
struct picture_frame {
    struct field shape;    /* without memory: `fields` strips, one below the other: the centres, and
                              samples in turn */
    int32_t rows;          /* most rows of a strip */
    int32_t centres_above; /* the centres of the strip lie so many rows below the first */
};

/* The strip that is computed now. */
struct picture_strip {
    int32_t y, height;   /* rows of the picture that samples reach */
    int32_t above, rows; /* rows of these above the wanted ones; wanted rows */
    int32_t x, width;    /* all columns, but for windows */
};

/* Tiles of the strip. */
struct strip_tiles {
    struct tile *tile;
    uint32_t count; /* tiles of one sample */
    int32_t rows;   /* height of the grid that they were cut of */
    float *costs;   /* rank 0, with a forecast; else NULL */
};

/* The samples of the strip that are computed now. */
struct strip_batch {
    const struct tile_batch *tiles;
    uint64_t number;    /* number of the job among those of the strip */
    int32_t above;      /* rows of the frame above those that it computes */
    struct field frame; /* memory of the samples */
};

struct reference_cost {
    double seconds; /* time of rank 0 for the orbit */
    uint64_t table_bytes;
};

/* Sums over all strips so far. */
struct picture_totals {
    double begin_s;             /* clock_s of the first strip */
    uint64_t jobs;              /* jobs that were begun */
    struct job_progress before; /* pixels and iterations of the jobs before */
    uint64_t pixels;            /* pixels of all samples of the strips before */
    double samples_sum;         /* sum of the samples of all pixels of the strips before */
    double centres_s;           /* time of first jobs */
    struct job_report report;   /* rank 0: sum of all jobs */
};

/* What jobs that have joined know. */
struct joined_state {
    struct pool_joined calls;
    bool told, cells; /* a context of this picture; it was one of cells */
};

struct picture_job {
    struct renderer *renderer;
    const struct picture_hooks *hooks; /* never NULL */
    struct picture_message message;
    struct reference reference; /* reference of perturbation */
    struct reference_cost reference_cost;
    struct picture_frame frame;
    struct picture_strip strip;
    struct strip_tiles tiles;
    struct strip_batch batch;
    struct sampling sampling;
    struct late_centres centres; /* rank 0, where samples lie on its device */
    bool measures;               /* the subgrid is being computed */
    const struct look *look;     /* rank 0; NULL: not settled */
    float (*light)[3];           /* rank 0, without a consumer: the mean of the samples */
    struct picture_totals totals;
    struct root_only root_only; /* rank 0, when the world is lost */
    struct joined_state joined; /* rank 0 */
};

/* Bytes of the mean on rank 0's device; 0: it is not made there. */
size_t picture_job_light_bytes(const struct picture_job *job);

/* The rows of the frame that the batch computes. */
struct field picture_job_window(const struct picture_job *job, const struct field *frame);

/* One tile, between the host and rank 0's device. */
enum status picture_job_tile_move(const struct picture_job *job, const struct tile *tile,
                                  const struct field *to, const struct field *from);

/* Rank 0: a row of the report for all ranks, also where nothing was left to compute, or nothing by
 * the others. STATUS_OUT_OF_MEMORY. */
enum status picture_job_report_open(struct picture_job *job);

/* Rank 0 goes on in a world of its own, *world, when the others are lost; context: the job. The
 * statuses of root_only_open. */
enum status picture_job_alone(void *context, struct world **world);

/* Frees all but what the report has. `renderer`: the caller's, as the job may have another. */
void picture_job_close(struct picture_job *job, struct renderer *renderer);

#endif
