/* One strip of a picture: its tiles, all samples of it, and its rows to who wants them. */
#ifndef RENDER_PICTURE_STRIP_H
#define RENDER_PICTURE_STRIP_H

#include "kernels/field.h"
#include "render/picture/picture_job.h"

/* How a picture in strips is coloured, which must be known before the first: of its subgrid, if
 * that is wanted. Collective; every rank returns the same status. */
enum status strip_look(struct picture_job *job);

/* Computes job->strip. On rank 0 `field` becomes its centres, and the rows go to the consumer of
 * the hooks; without one the mean of the samples is job->light. Collective; ranks may return
 * statuses of their own. */
enum status strip_run(struct picture_job *job, struct field *field);

#endif
