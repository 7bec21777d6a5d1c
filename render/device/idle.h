/* Resources that a job has and does not compute with: cores, because its launcher has bound the
 * ranks to a few, and GPUs, because no rank drives any. */
#ifndef RENDER_DEVICE_IDLE_H
#define RENDER_DEVICE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

enum { IDLE_HOST_BYTES = 64 };

struct idle_rank { /* resources of one rank; plain data */
    char host[IDLE_HOST_BYTES];
    bool computes;
    int32_t driven; /* GPUs that it drives */
    int32_t bound;  /* cores that it may use */
    int32_t cores;  /* cores that its launcher may use there; 0: not known */
    int32_t gpus;   /* GPUs that are given to it, whether this program can use them or not */
};

struct idle {
    char core_host[IDLE_HOST_BYTES]; /* machine with the most idle cores, at least half of them */
    int ranks, bound, cores; /* ranks that compute on core_host, their cores, all cores; 0: none */
    char gpu_host[IDLE_HOST_BYTES];
    int gpus; /* GPUs of gpu_host, when no rank of the job drives one; 0: none */
};

struct idle_rank idle_rank_make(bool computes, int gpus, const char *host);

/* Pure. */
void idle_find(struct idle *idle, const struct idle_rank *rank, int ranks);

/* Sentences that say what is idle and why, on rank 0; false: nothing of the kind is. */
enum { IDLE_TEXT_BYTES = 768 };
bool idle_cores_text(const struct idle *idle, char text[IDLE_TEXT_BYTES]);
bool idle_gpus_text(const struct idle *idle, char text[IDLE_TEXT_BYTES]);

#endif
