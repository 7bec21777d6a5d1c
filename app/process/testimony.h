/* What a rank was told before it was started: whether MPI has proven that it can send this
 * machine's device memory (app/launch/probe.h tries it). */
#ifndef APP_PROCESS_TESTIMONY_H
#define APP_PROCESS_TESTIMONY_H

#include <stddef.h>

#include "decomposition/transport/mpi_device.h"

/* The variable in which launched ranks find what was proven before they were. */
#define TESTIMONY_VARIABLE "DEEPFIELD_MPI_DEVICE_TESTIMONY"

/* The level and the reason, a sentence: what the variable says, if MPI still claims it. Tries
 * nothing. */
enum mpi_device testimony_read(char *why, size_t bytes);

#endif
