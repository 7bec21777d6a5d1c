/* The trial whether MPI sends device memory, in ranks that may die: mpi_device_trip, and the
 * process that starts two ranks for it and judges how they end. */
#ifndef APP_LAUNCH_DEVICE_TRIAL_H
#define APP_LAUNCH_DEVICE_TRIAL_H

#include "decomposition/transport/mpi_device.h"

/* mpi_device_trip; a process that hangs in it ends itself after `timeout_s`. Collective. */
enum status device_trial_trip(struct world *world, const struct mpi_device_memory *memory,
                              unsigned timeout_s, bool *faster);

/* The exit code of a rank of such a trip. */
int device_trial_exit_code(enum status status, bool faster);

/* Makes the trial, in the parent of those ranks: starts `command` (mpirun with 2 ranks that make
 * the trip and exit with its code), without its output and without the variables by which a rank
 * knows that it is one. PROVEN or FASTER after a good end, NO after STATUS_NO_DEVICE, else CLAIMED
 * and the reason. To be called before MPI is started in this process. Blocks for
 * `timeout_s` at most, and a little. */
enum mpi_device device_trial_make(char *const command[], unsigned timeout_s, char *why,
                                  size_t bytes);

#endif
