/* Result of the launcher's probe, as a rank reads it: has MPI proven that it can send this
 * machine's device memory? app/launch/probe.h tries it once and passes the result on in a variable.
 */
#ifndef APP_PROCESS_PROBE_RESULT_H
#define APP_PROCESS_PROBE_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "decomposition/transport/mpi_device.h"

/* The variable in which launched ranks find what was proven before they were. */
#define PROBE_RESULT_VARIABLE "DEEPFIELD_MPI_DEVICE_TESTIMONY"

/* The level and the reason, a sentence: what the variable says, if MPI still claims it. Tries
 * nothing. */
enum mpi_device probe_result_read(char *why, size_t bytes);

/* The same for a renderer of this process, whether a launcher has started it or not. */
void probe_result_of_rank(bool *proven, bool *faster, char *why, size_t bytes);

#endif
