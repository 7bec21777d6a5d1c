/* Findings about the GPUs that a job is given: those that nobody can use, and how fast the host
 * reaches those that are used. */
#ifndef APP_DOCTOR_JOB_GPUS_H
#define APP_DOCTOR_JOB_GPUS_H

#include "app/doctor/diagnosis.h"

struct world;

/* Where there are GPUs the first rank of each machine opens them, one after the other, and copies
 * 64 MiB to and fro: 0.3 s each. Outside of a job two ranks prove whether MPI sends their memory:
 * 30 s at most. */
void job_gpus_examine(struct diagnoses *diagnoses, const struct world *world);

enum { GPU_COPIES_BYTES = 64, GPU_PEERS_BYTES = 96 };

/* Writes "device 0 54.9 to it, 55.3 from it" in GB/s. Pure. */
void gpu_copies_text(int device, double to_per_s, double from_per_s, char text[GPU_COPIES_BYTES]);

/* Writes how many of so many pairs of GPUs reach each other directly. Pure. */
void gpu_peers_text(int pairs, int direct, char text[GPU_PEERS_BYTES]);

#endif
