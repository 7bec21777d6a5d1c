/* All strips of a picture, each by one rank, which writes it (render/picture/writers.h). */
#ifndef RENDER_PICTURE_STRIP_WRITERS_H
#define RENDER_PICTURE_STRIP_WRITERS_H

#include <stdbool.h>

#include "render/picture/picture_job.h"

/* *wrote: they did. STATUS_OK without: the ranks cannot write, and rank 0 does, which the notice
 * of the hooks says. Collective; every rank returns the same status and *wrote. */
enum status strip_writers_run(struct picture_job *job, bool *wrote);

#endif
