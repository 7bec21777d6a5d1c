/* The reference of a picture by perturbation: found on rank 0, shared, and made ready on all ranks.
 * All do nothing for a picture by direct iteration. */
#ifndef RENDER_PICTURE_JOB_REFERENCE_H
#define RENDER_PICTURE_JOB_REFERENCE_H

#include "render/picture/picture_job.h"

/* Rank 0: the orbit of the hooks, or one of the picture's own; completes the request of the
 * message. STATUS_STOPPED and what reference_make returns. */
enum status job_reference_find(struct picture_job *job, const struct picture *picture);

/* The orbit that rank 0 has found, and what each computing rank makes of it. Collective; every rank
 * returns the same status. */
enum status job_reference_begin(struct picture_job *job);

/* Prepares the devices of this rank for the orbit; context: the struct picture_job. */
enum status job_reference_blocks(void *context);

/* Describes the reference for the report. */
struct picture_reference job_reference_report(const struct picture_job *job);

/* Rank 0: which blocks are taken. */
enum status job_reference_usage(struct picture_job *job, struct renderer *renderer,
                                struct block_usage *usage);

#endif
