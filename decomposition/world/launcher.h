/* The launcher's variables in the environment of this process: whose they are, and what they give.
 *
 * mpirun and srun tell their ranks by variables who they are, and whatever a rank starts inherits
 * them: a program that an MPI program calls would take itself for that rank, and MPI_Init fails or
 * hangs where a rank calls it a second time. */
#ifndef DECOMPOSITION_WORLD_LAUNCHER_H
#define DECOMPOSITION_WORLD_LAUNCHER_H

#include <stdbool.h>

/* Do the variables belong to another process? It is the rank that they name, and has started this
 * one; or their launcher is not the one that has started this process, or has ended. False without
 * a proof: a script between mpirun and this process is no sign. Linux only, reads /proc. */
bool launcher_inherited(void);

/* What its launcher or batch system gives this process on its host: cores that the launcher itself
 * may use, though it binds its ranks to some of them (0: no launcher is known), and GPUs, by
 * CUDA_VISIBLE_DEVICES, Slurm or the device files of the driver. */
int launcher_cores(void);
int launcher_gpus(void);

/* How its launcher starts ranks with so many cores each, as the end of a sentence. */
enum { LAUNCHER_REMEDY_BYTES = 64 };
void launcher_unbound_text(int cores, char text[LAUNCHER_REMEDY_BYTES]);

#endif
