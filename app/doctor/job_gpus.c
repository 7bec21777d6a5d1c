#include "app/doctor/job_gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/launch/probe.h"
#include "decomposition/thread/clock.h"
#include "decomposition/world/launcher.h"
#include "decomposition/world/world.h"
#include "kernels/backend.h"
#include "kernels/number_text.h"

/* Kinds stand in the order of their speed: the first is that of GPUs, built in or not. */
static const struct backend_kind *gpu_kind(void)
{
    return backend_kinds[0];
}

/* ---- given, but not used ---- */

static void unusable_tell(struct diagnoses *diagnoses, int given)
{
    char why[256] = "";
    gpu_kind()->missing(why, sizeof why);
    diagnosis_add(
        diagnoses, VERDICT_WRONG, "GPUs given",
        "make them usable, or ask for none: they are kept from others and compute nothing",
        "%d given to this job, and none can be used: %s", given, why);
}

/* Ranks that see fewer GPUs together than the node was given leave some idle. */
static void unseen_tell(struct diagnoses *diagnoses, const struct world *world, int seen)
{
    const char *node = getenv("SLURM_GPUS_ON_NODE"), *numbers = getenv("SLURM_JOB_GPUS");
    const int64_t given = node ? number_whole(node) : 0;
    if (world_node_rank(world) == 0 && given > seen * world_node_size(world))
        diagnosis_add(diagnoses, VERDICT_WRONG, "GPUs given",
                      "--gpus-per-node alone, or a rank for each: srun --gpus-per-task=1",
                      "%lld given on this machine%s%s, and its ranks see %d in all",
                      (long long)given, numbers ? ", numbers " : "", numbers ? numbers : "",
                      seen * world_node_size(world));
}

/* ---- copies ---- */

enum { TRIAL_BYTES = 64 << 20, TRIALS = 4 };
#define NARROW_BYTES_PER_S 6e9 /* less is a slot of few lanes, or memory of the other socket */

/* Bytes per second of the best of some copies; 0: they fail. */
static double copies_measure(const struct backend_kind *kind, int device, void *to, void *from)
{
    const struct backend_rows target = {to, TRIAL_BYTES}, source = {from, TRIAL_BYTES};
    double best_s = 0;
    for (int i = 0; i < TRIALS; i++) {
        const double begin_s = clock_s();
        if (kind->memory->number_copy(device, &target, &source, TRIAL_BYTES, 1) != STATUS_OK)
            return 0;
        const double took_s = clock_s() - begin_s;
        best_s = i == 0 || took_s < best_s ? took_s : best_s;
    }
    return best_s > 0 ? TRIAL_BYTES / best_s : 0;
}

void gpu_copies_text(int device, double to_per_s, double from_per_s, char text[GPU_COPIES_BYTES])
{
    snprintf(text, GPU_COPIES_BYTES, "device %d %.1f to it, %.1f from it", device, 1e-9 * to_per_s,
             1e-9 * from_per_s);
}

/* Adds what one device reaches to the text; false: nothing could be measured. */
static bool device_measure(const struct backend_kind *kind, int device, char text[GPU_COPIES_BYTES],
                           bool *narrow)
{
    const struct backend_options options = {.device = device};
    struct backend *backend = NULL;
    void *host = NULL, *memory = NULL;
    double to = 0, from = 0;
    if (backend_open(&backend, kind->name, &options) == STATUS_OK &&
        kind->memory->host_create(backend, TRIAL_BYTES, &host) == STATUS_OK &&
        kind->memory->create(backend, TRIAL_BYTES, &memory) == STATUS_OK) {
        to = copies_measure(kind, device, memory, host);
        from = copies_measure(kind, device, host, memory);
    }
    if (backend) {
        kind->memory->destroy(backend, memory);
        kind->memory->host_destroy(backend, host);
    }
    backend_close(backend);
    gpu_copies_text(device, to, from, text);
    *narrow = to < NARROW_BYTES_PER_S || from < NARROW_BYTES_PER_S;
    return to > 0 && from > 0;
}

static void copies_tell(struct diagnoses *diagnoses, const struct backend_kind *kind, int devices)
{
    char all[320] = "", one[GPU_COPIES_BYTES];
    size_t length = 0;
    bool any_narrow = false, narrow;
    for (int device = 0; device < devices && length < sizeof all; device++)
        if (device_measure(kind, device, one, &narrow)) {
            length += (size_t)snprintf(all + length, sizeof all - length, "%s%s",
                                       length ? "; " : "", one);
            any_narrow |= narrow;
        }
    if (length)
        diagnosis_add(diagnoses, any_narrow ? VERDICT_NOTE : VERDICT_FINE, "GPU copies",
                      any_narrow ? "nvidia-smi -q -d PCIE; numactl or srun --cpu-bind for the "
                                   "socket of the card"
                                 : NULL,
                      "pinned memory, GB/s: %s", all);
}

/* ---- between GPUs ---- */

void gpu_peers_text(int pairs, int direct, char text[GPU_PEERS_BYTES])
{
    if (direct == pairs)
        snprintf(text, GPU_PEERS_BYTES, "all reach each other's memory");
    else
        snprintf(text, GPU_PEERS_BYTES,
                 "%d of %d pairs reach each other's memory; the others copy by way of the host",
                 direct, pairs);
}

static void peers_tell(struct diagnoses *diagnoses, const struct backend_kind *kind, int devices)
{
    char text[GPU_PEERS_BYTES];
    int direct = 0;
    for (int device = 0; device < devices; device++) {
        struct device_facts facts;
        if (kind->facts(device, &facts) != STATUS_OK)
            return;
        direct += __builtin_popcountll(facts.peers >> device); /* each pair once */
    }
    gpu_peers_text(devices * (devices - 1) / 2, direct, text);
    diagnosis_add(diagnoses, VERDICT_FINE, "GPU peers", NULL, "%s", text);
}

/* Outside of a job two ranks try it, which may die of it; within one it is what the job was told.
 */
static void device_memory_tell(struct diagnoses *diagnoses, bool provable)
{
    static const char *const texts[] = {[MPI_DEVICE_NO] = "MPI does not send that of GPUs",
                                        [MPI_DEVICE_CLAIMED] =
                                            "MPI says that it sends that of GPUs; not proven",
                                        [MPI_DEVICE_PROVEN] = "MPI sends that of GPUs",
                                        [MPI_DEVICE_FASTER] = "MPI sends that of GPUs"};
    char why[256] = "";
    const enum mpi_device level =
        provable ? probe_mpi_device(why, sizeof why) : mpi_device_claim(why, sizeof why);
    diagnosis_add(diagnoses, level == MPI_DEVICE_CLAIMED ? VERDICT_NOTE : VERDICT_FINE,
                  "device memory", NULL, "%s: %s", texts[level], why);
}

void job_gpus_examine(struct diagnoses *diagnoses, const struct world *world)
{
    const struct backend_kind *kind = gpu_kind();
    const int devices = kind->memory ? kind->devices() : 0;
    const bool told = getenv("CUDA_VISIBLE_DEVICES") || getenv("SLURM_GPUS_ON_NODE");
    const int given = told ? launcher_gpus() : 0;
    if (given > 0 && devices == 0)
        unusable_tell(diagnoses, given);
    else if (given > 0)
        unseen_tell(diagnoses, world, devices);
    if (world_node_rank(world) > 0)
        return;
    if (devices > 0)
        copies_tell(diagnoses, kind, devices);
    if (devices > 1)
        peers_tell(diagnoses, kind, devices);
    device_memory_tell(diagnoses, devices > 0);
}
