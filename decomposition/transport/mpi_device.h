/* Device memory through MPI: whether this MPI can send it.
 *
 * Levels, each worth less than the next: the headers and the library may say so; only a trial
 * shows it, because a library that says yes can still read the pointer with the processor.
 * That is a SIGSEGV, so it is made by two ranks that are started for it and may die. Their memory
 * comes from verbs of the caller: this folder knows no device. */
#ifndef DECOMPOSITION_TRANSPORT_MPI_DEVICE_H
#define DECOMPOSITION_TRANSPORT_MPI_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "decomposition/world/world.h"
#include "kernels/status.h"

enum mpi_device {
    MPI_DEVICE_NO,
    MPI_DEVICE_CLAIMED,
    MPI_DEVICE_PROVEN,
    MPI_DEVICE_FASTER /* proven, and faster than by way of the hosts' memory */
};

/* "no", "claimed", "proven", "faster". */
const char *mpi_device_name(enum mpi_device level);

/* MPI's own claim, NO or CLAIMED; `why` receives whether headers or library say so. Touches no
 * device. Before MPI is started only its headers are read: the library of Open MPI 5 does not know
 * yet. */
enum mpi_device mpi_device_claim(char *why, size_t bytes);

struct mpi_device_memory {
    void *context;                                  /* passed to each verb */
    void *(*allocate)(void *context, size_t bytes); /* NULL on failure */
    bool (*fill)(void *context, void *device, const void *host, size_t bytes);
    bool (*fetch)(void *context, void *host, const void *device, size_t bytes);
    void (*release)(void *context, void *device);
};

/* Sends as the transports do, in the ranks that may die: 4 KiB (one message) and 4 MiB (in chunks,
 * or by one rank reaching into the other's memory) from rank 1 to memory of rank 0's device and to
 * its host memory: a library may do the one and not the other. Collective, 2 ranks.
 * STATUS_BAD_DATA when other bytes arrive. Then it measures: *faster, the same on both, says that 4
 * MiB from device to device to host memory take at most 0.9 times what they take from device to
 * host to host memory. May hang. */
enum status mpi_device_trip(struct world *world, const struct mpi_device_memory *memory,
                            bool *faster);

/* Writes the result of the trial for the ranks that are started after it: a text, made from the
 * level and the reason, that is bound to the MPI library of this name. */
void mpi_device_testify(enum mpi_device level, const char *why, const char *library, char *text,
                        size_t bytes);

/* The level that a rank may rely on: PROVEN or FASTER if MPI claims it here (`claim`) and
 * `testimony` says that it was proven with the same library. `testimony` may be NULL, and may say
 * anything. `why` receives the reason unless `claim` is NO, which has one. Pure. */
enum mpi_device mpi_device_believe(enum mpi_device claim, const char *testimony,
                                   const char *library, char *why, size_t bytes);

#endif
