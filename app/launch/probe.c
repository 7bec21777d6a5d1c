#include "app/launch/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "app/launch/device_trial.h"
#include "app/launch/mpirun.h"
#include "app/launch/program_world.h"
#include "app/launch/trial.h"
#include "app/process/probe_result.h"
#include "decomposition/thread/clock.h"
#include "kernels/backend.h"

enum { PROBE_RANK_S = 20, PROBE_S = 25 };

/* ---- device memory, by the verbs of its backend ---- */

static struct field row_over(void *memory, size_t bytes, enum memory_space space)
{
    struct field row;
    field_over(&row, (int32_t)(bytes / 4), 1, PLANE_MASK_COUNT, 4, memory);
    row.space = space;
    return row;
}

static const struct backend_memory *verbs_of(struct backend *backend)
{
    return backend_kind_of(backend)->memory;
}

static void *device_allocate(void *context, size_t bytes)
{
    void *memory = NULL;
    return verbs_of(context)->create(context, bytes, &memory) == STATUS_OK ? memory : NULL;
}

static bool device_copy(struct backend *backend, const struct field *to, const struct field *from)
{
    return verbs_of(backend)->copy(backend, to, from) == STATUS_OK;
}

static bool device_fill(void *context, void *device, const void *host, size_t bytes)
{
    struct field to = row_over(device, bytes, MEMORY_DEVICE);
    struct field from = row_over((void *)(uintptr_t)host, bytes, MEMORY_HOST);
    return device_copy(context, &to, &from);
}

static bool device_fetch(void *context, void *host, const void *device, size_t bytes)
{
    struct field to = row_over(host, bytes, MEMORY_HOST);
    struct field from = row_over((void *)(uintptr_t)device, bytes, MEMORY_DEVICE);
    return device_copy(context, &to, &from);
}

static void device_release(void *context, void *device)
{
    verbs_of(context)->destroy(context, device);
}

/* ---- the two ranks ---- */

/* Rank 1 takes another device than rank 0 where there is one: between two, MPI has more ways to be
 * wrong. */
static enum status device_open(struct backend **backend, const struct world *world)
{
    for (int i = 0; i < backend_kinds_count; i++) {
        const struct backend_kind *kind = backend_kinds[i];
        int devices = kind->memory ? kind->devices() : 0;
        if (devices) {
            struct backend_options options = {.device = world_rank(world) % devices};
            return backend_open(backend, kind->name, &options);
        }
    }
    return status_fail(STATUS_NO_DEVICE, "no device with memory of its own");
}

enum status probe_trip(struct world *world, bool *faster)
{
    char why[256];
    struct backend *backend = NULL;
    enum status status = STATUS_OK;
    *faster = false;
    if (mpi_device_claim(why, sizeof why) == MPI_DEVICE_NO)
        status = status_fail(STATUS_NO_DEVICE, "%s", why);
    else
        status = device_open(&backend, world);
    status = world_agree(world, status);
    struct mpi_device_memory memory = {.context = backend,
                                       .allocate = device_allocate,
                                       .fill = device_fill,
                                       .fetch = device_fetch,
                                       .release = device_release};
    if (status == STATUS_OK)
        status = device_trial_trip(world, &memory, PROBE_RANK_S, faster);
    backend_close(backend);
    return status;
}

int probe_rank_run(void)
{
    struct world *world = NULL;
    enum status status = program_world_open(&world);
    bool faster = false;
    if (status == STATUS_OK)
        status = probe_trip(world, &faster);
    world_close(world);
    return device_trial_exit_code(status, faster);
}

/* ---- who asks ---- */

void probe_tell(bool wanted)
{
    char why[256], text[512];
    unsetenv(PROBE_RESULT_VARIABLE); /* what others were told is not for these ranks */
    if (!wanted)
        return;
    enum mpi_device level = probe_mpi_device(why, sizeof why);
    mpi_device_testify(level, why, world_library(), text, sizeof text);
    setenv(PROBE_RESULT_VARIABLE, text, 1);
}

enum mpi_device probe_mpi_device(char *why, size_t bytes)
{
    enum mpi_device level = mpi_device_claim(why, bytes);
    if (level == MPI_DEVICE_NO)
        return level;
    if (world_launched())
        return probe_result_read(why, bytes);
    char word[] = PROBE_WORD;
    char **arguments = mpirun_arguments(2, word, NULL);
    if (!arguments) {
        snprintf(why, bytes, "not tried: the program's own file is not known");
        return level;
    }
    mpirun_variables_set(true);
    level = device_trial_make(arguments, PROBE_S, why, bytes);
    free(arguments);
    return level;
}

/* ---- the answer ---- */

static enum status trial_make(struct world *world, struct probe_answer *answer)
{
    char text[256];
    bool faster;
    enum status status = probe_trip(world, &faster);
    if (status == STATUS_OUT_OF_MEMORY || status == STATUS_SYSTEM)
        return status;
    answer->level = status == STATUS_NO_DEVICE ? MPI_DEVICE_NO
                    : status != STATUS_OK      ? MPI_DEVICE_CLAIMED
                    : faster                   ? MPI_DEVICE_FASTER
                                               : MPI_DEVICE_PROVEN;
    snprintf(answer->why, sizeof answer->why, "%s",
             status == STATUS_OK ? "tried between the two ranks of this job" : status_text());
    if (status != STATUS_OK)
        return STATUS_OK;
    mpi_device_testify(answer->level, "", world_library(), text, sizeof text);
    snprintf(answer->setting, sizeof answer->setting, PROBE_RESULT_VARIABLE "='%s'", text);
    return STATUS_OK;
}

enum status probe_answer_find(struct world *world, enum status mine, bool prove, bool asked,
                              struct probe_answer *answer)
{
    bool here = prove && !getenv(PROBE_RESULT_VARIABLE) && world_size(world) == 2;
    *answer = (struct probe_answer){.level = MPI_DEVICE_NO};
    TRY(world_exchange(world, mine, &here, sizeof here));
    if (*(const bool *)world_said(world, 0)) {
        TRY(trial_make(world, answer));
        answer->name = mpi_device_name(answer->level);
        return STATUS_OK;
    }
    enum mpi_device (*ask)(char *, size_t) = mpi_device_claim;
    if (prove)
        ask = probe_mpi_device;
    else if (asked && world_launched())
        ask = probe_result_read;
    if (world_rank(world) == 0)
        answer->level = ask(answer->why, sizeof answer->why);
    answer->name = mpi_device_name(answer->level);
    return STATUS_OK;
}

/* ---- ranks that find each other ---- */

int probe_ranks_run(void)
{
    struct world *world = NULL;
    enum status status = program_world_open(&world);
    if (status == STATUS_OK && world_size(world) != 2) /* launched by another MPI */
        status = status_fail(STATUS_CONFIG, "%d ranks", world_size(world));
    if (status == STATUS_OK)
        status = world_agree(world, STATUS_OK);
    world_close(world);
    return status_exit_code(status);
}

bool probe_ranks(double *seconds, char *why, size_t bytes)
{
    int result = 0;
    char word[] = PROBE_RANKS_WORD;
    char **arguments = mpirun_arguments(2, word, NULL);
    double begin_s = clock_s();
    if (!arguments) {
        snprintf(why, bytes, "the program's own file is not known");
        return false;
    }
    mpirun_variables_set(true);
    enum trial trial = trial_run(arguments, PROBE_S, &result);
    *seconds = clock_s() - begin_s;
    int code = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    if (trial == TRIAL_LATE)
        snprintf(why, bytes, "two ranks do not find each other within %d s", PROBE_S);
    else if (trial == TRIAL_NOT_BEGUN)
        snprintf(why, bytes, "%s cannot be started: %s", arguments[0], strerror(errno));
    else if (code == status_exit_code(STATUS_CONFIG))
        snprintf(why, bytes, "%s starts ranks that are alone: it is of another MPI than %s",
                 arguments[0], world_library());
    else if (code != 0)
        snprintf(why, bytes, "%s -n 2 ends with code %d", arguments[0], code);
    free(arguments);
    return trial == TRIAL_ENDED && code == 0;
}
