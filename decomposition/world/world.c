#include "decomposition/world/world_comm.h"

#include <assert.h>
#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/message/message.h"
#include "decomposition/thread/clock.h"
#include "decomposition/thread/executor.h"
#include "decomposition/world/presence.h"
#include "decomposition/world/root_watch.h"
#include "kernels/number_text.h"

bool world_launched(void)
{
    /* Open MPI's mpirun; PMIx (srun --mpi=pmix, Open MPI 5); PMI (MPICH's mpiexec, srun pmi2).
     * SLURM_PROCID alone is no sign: sbatch sets it for a plain script too. */
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
                                        "MV2_COMM_WORLD_RANK"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (getenv(signs[i]))
            return true;
    return false;
}

/* The value of the first of the variables that is there and a number; else -1. */
static int first_number(const char *const names[], size_t count, const char **variable)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = getenv(names[i]);
        int64_t number;
        if (text && number_whole_take(&text, &number) && number >= 0 && number <= INT_MAX) {
            *variable = names[i];
            return (int)number;
        }
    }
    return -1;
}

/* The nearest launcher first: a batch system may have started a node's mpirun as a step. Outside of
 * a step Slurm sets SLURM_NTASKS, and a plain script of sbatch runs once, so that says nothing. */
int world_promised(const char **variable)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                        "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"};
    *variable = "";
    int size = first_number(sizes, sizeof sizes / sizeof *sizes, variable);
    return size > 0 ? size : 0;
}

int world_rank_promised(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",        "PMIX_RANK",
                                        "MV2_COMM_WORLD_RANK",  "MPI_LOCALRANKID", "SLURM_PROCID"};
    const char *variable;
    int rank = first_number(ranks, sizeof ranks / sizeof *ranks, &variable);
    return rank > 0 ? rank : 0;
}

enum status world_check(int mpi_result, const char *call)
{
    if (mpi_result == MPI_SUCCESS)
        return STATUS_OK;
    char reason[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(mpi_result, reason, &length);
    return status_fail(STATUS_SYSTEM, "%.*s failed: %s", (int)strcspn(call, "("), call, reason);
}

bool world_says_ended(int mpi_result)
{
#if defined(MPI_ERR_PROC_FAILED)
    enum { ENDED = MPI_ERR_PROC_FAILED };
#elif defined(MPIX_ERR_PROC_FAILED)
    enum { ENDED = MPIX_ERR_PROC_FAILED };
#else
    enum { ENDED = MPI_SUCCESS };
#endif
    int class = MPI_SUCCESS;
    MPI_Error_class(mpi_result, &class);
    return class != MPI_SUCCESS && class == ENDED;
}

/* Is MPI to give the core away after a look in vain? What was so before. A function of Open MPI 2
 * to 5; its option mpi_yield_when_idle is the value at first. */
static bool yields_set(bool yields)
{
    bool (*set)(bool);
    void *found = dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle");
    memcpy(&set, &found, sizeof set);
    return found && set(yields);
}

void world_block_begin(const struct world *world)
{
    if (world->yielded)
        yields_set(true);
}

void world_block_end(const struct world *world)
{
    if (world->yielded)
        yields_set(false);
}

/* A collective that fails because a rank has ended does not say which: rank 0 waits until it knows,
 * and fails with its name. The others wait for that: rank 0 would take one that ends for the rank
 * that has failed. */
static enum status lost_await(struct world *world)
{
    struct patience patience = {.spin_us = 0};
    const double begin_s = clock_s();
    while (clock_s() - begin_s < 2 * world->lost_s) {
        TRY(presence_wait(world));
        patience_nap(patience_us(&patience, NAP_MOST_US));
    }
    return STATUS_OK;
}

enum status world_wait(struct world *world, MPI_Request *request)
{
    struct patience patience = {.spin_us = world->spin_us};
    for (int done = 0;;) {
        const int result = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (world_says_ended(result))
            TRY(lost_await(world));
        TRY(world_check(result, "MPI_Test"));
        if (done)
            return STATUS_OK;
        TRY(presence_wait(world));
        patience_nap(patience_us(&patience, NAP_MOST_US));
    }
}

/* --- opening and closing ---------------------------------------------------------------------- */

static enum status start_mpi(struct world *world)
{
    int provided = 0, started = 0;
    MPI_Initialized(&started);
    if (started)
        return status_fail(STATUS_CONFIG, "this process has started MPI already, and it can be "
                                          "started only once; give its communicator");
    TRY_MPI(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided));
    world->started = true;
    if (provided < MPI_THREAD_FUNNELED)
        return status_fail(STATUS_SYSTEM, "this MPI cannot run beside threads (level %d, need %d)",
                           provided, MPI_THREAD_FUNNELED);
    TRY_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    return STATUS_OK;
}

static enum status duplicate(MPI_Comm of, MPI_Comm *copy)
{
    TRY_MPI(MPI_Comm_dup(of, copy));
    TRY_MPI(MPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN));
    return STATUS_OK;
}

/* The lowest rank of this machine. */
static enum status node_first(const struct world *world, MPI_Comm node, int *first)
{
    MPI_Group here = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
    const int zero = 0; /* node ranks are in the order of ranks */
    TRY_MPI(MPI_Comm_group(node, &here));
    TRY_MPI(MPI_Comm_group(world->together, &all));
    TRY_MPI(MPI_Group_translate_ranks(here, 1, &zero, all, first));
    TRY_MPI(MPI_Group_free(&here));
    TRY_MPI(MPI_Group_free(&all));
    return STATUS_OK;
}

static enum status find_node(struct world *world)
{
    MPI_Comm node = MPI_COMM_NULL;
    int first = 0;
    TRY_MPI(MPI_Comm_split_type(world->together, MPI_COMM_TYPE_SHARED, world->rank, MPI_INFO_NULL,
                                &node));
    TRY_MPI(MPI_Comm_rank(node, &world->node_rank));
    TRY_MPI(MPI_Comm_size(node, &world->node_size));
    TRY(node_first(world, node, &first));
    world->beside_root = first == 0;
    TRY_MPI(MPI_Comm_free(&node));
    return STATUS_OK;
}

struct failure { /* as it travels from the failing rank to all */
    int32_t status;
    char host[WORLD_HOST_BYTES];
    char text[STATUS_TEXT_BYTES];
};

/* How rank 0 begins to share: what went wrong, or how much comes; short bytes are in it. */
struct share {
    struct failure failure;
    uint64_t length;
    unsigned char bytes[WORLD_TELL_BYTES];
};

enum { LETTER_BYTES = sizeof(struct share) };

/* Room for what each rank says. */
static enum status records_make(struct world *world)
{
    size_t ranks = (size_t)world->size;
    free(world->record);
    world->record = calloc(ranks, sizeof *world->record);
    world->packed = calloc(ranks, sizeof *world->record);
    world->spare = malloc(WORLD_TELL_BYTES + 1);
    world->letter = malloc(LETTER_BYTES);
    return world->record && world->packed && world->spare && world->letter
               ? STATUS_OK
               : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %d ranks", world->size);
}

/* The ranks say where they are, and begin to watch each other. */
static enum status ranks_meet(struct world *world)
{
    struct whereabouts own;
    enum status status = presence_open(world, &own);
    TRY(world_exchange(world, status, &own, sizeof own));
    presence_meet(world);
    return STATUS_OK;
}

static enum status join(struct world *world, MPI_Comm ranks)
{
    world->mpi = true;
    TRY(duplicate(ranks, &world->together));
    TRY_MPI(MPI_Comm_rank(world->together, &world->rank));
    TRY_MPI(MPI_Comm_size(world->together, &world->size));
    TRY(duplicate(world->together, &world->tiles));
    TRY(duplicate(world->together, &world->pixels));
    TRY(duplicate(world->together, &world->beats));
    TRY_MPI(MPI_Type_contiguous(MESSAGE_UNIT, MPI_BYTE, &world->unit));
    TRY_MPI(MPI_Type_commit(&world->unit));
    TRY(find_node(world));
    world->yielded = yields_set(false);
    TRY(records_make(world));
    return ranks_meet(world);
}

static void mpi_blocks(const struct world *world, unsigned seconds)
{
    if (world->hooks.mpi_blocks)
        world->hooks.mpi_blocks(seconds);
}

enum status world_open(struct world **out, const struct world_hooks *hooks)
{
    struct world *world;
    *out = NULL;
    TRY(world_alone(&world));
    if (hooks)
        world->hooks = *hooks;
    enum status status = STATUS_OK;
    if (world_launched()) {
        mpi_blocks(world, FUSE_START_S);
        status = start_mpi(world);
        if (status == STATUS_OK)
            status = join(world, MPI_COMM_WORLD);
        mpi_blocks(world, 0);
    }
    if (status != STATUS_OK) {
        world_close(world);
        return status;
    }
    *out = world;
    return STATUS_OK;
}

/* What a guest needs of the MPI that runs. */
static enum status host_check(void)
{
    int started = 0, ended = 0, level = MPI_THREAD_SINGLE, is_main = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (!started || ended)
        return status_fail(STATUS_CONFIG, "MPI %s in this process, so it has no communicator",
                           ended ? "has ended" : "has not been started");
    TRY_MPI(MPI_Query_thread(&level));
    TRY_MPI(MPI_Is_thread_main(&is_main));
    if (level < MPI_THREAD_FUNNELED)
        return status_fail(STATUS_CONFIG,
                           "MPI was started for a process of one thread, as MPI_Init does, but "
                           "other threads compute while one calls MPI: start it by "
                           "MPI_Init_thread with MPI_THREAD_FUNNELED or more");
    if (level == MPI_THREAD_FUNNELED && !is_main)
        return status_fail(STATUS_CONFIG,
                           "MPI was started with MPI_THREAD_FUNNELED, so the thread that started "
                           "it alone may call it, and this is another: MPI_THREAD_SERIALIZED or "
                           "more is needed");
    return STATUS_OK;
}

static enum status communicator_check(MPI_Comm ranks)
{
    int connects = 0;
    if (ranks == MPI_COMM_NULL)
        return status_fail(STATUS_CONFIG, "this process is not in the communicator, which is null");
    TRY_MPI(MPI_Comm_test_inter(ranks, &connects));
    if (connects)
        return status_fail(STATUS_CONFIG, "the communicator connects two groups of ranks; one of "
                                          "one group is needed (MPI_Intercomm_merge)");
    return STATUS_OK;
}

enum status world_adopt(struct world **out, const void *communicator)
{
    struct world *world;
    MPI_Comm ranks = MPI_COMM_NULL;
    *out = NULL;
    if (communicator)
        memcpy(&ranks, communicator, sizeof ranks);
    TRY(host_check());
    TRY(communicator_check(ranks));
    TRY(world_alone(&world));
    enum status status = join(world, ranks);
    if (status != STATUS_OK) {
        world_close(world);
        return status;
    }
    *out = world;
    return STATUS_OK;
}

static void communicators_free(struct world *world)
{
    MPI_Comm *const comms[] = {&world->beats, &world->pixels, &world->tiles, &world->together};
    for (size_t i = 0; i < sizeof comms / sizeof *comms; i++)
        if (*comms[i] != MPI_COMM_NULL)
            MPI_Comm_free(comms[i]);
    if (world->unit != MPI_DATATYPE_NULL)
        MPI_Type_free(&world->unit);
}

static void mpi_leave(struct world *world)
{
    int ended = 0;
    MPI_Finalized(&ended); /* by a caller who closes too late */
    if (ended)
        return;
    world_block_begin(world);
    presence_close(world);
    if (world->lost) /* else its launcher ends the others when this process ends */
        return;
    mpi_blocks(world, world->rank == 0 ? FUSE_END_S : 2 * FUSE_END_S); /* one sentence is enough */
    communicators_free(world);
    if (world->started)
        MPI_Finalize();
    mpi_blocks(world, 0);
}

void world_close(struct world *world)
{
    if (!world)
        return;
    if (world->started || world->mpi)
        mpi_leave(world);
    root_watch_close(world->root_watch); /* the last: others may still have waited for MPI */
    executor_close(world->taker);
    if (world->lost) /* MPI may still write to the operands of what it was given */
        return;
    free(world->record);
    free(world->packed);
    free(world->spare);
    free(world->letter);
    free(world);
}

/* --- questions -------------------------------------------------------------------------------- */

int world_rank(const struct world *world)
{
    return world->rank;
}

int world_size(const struct world *world)
{
    return world->size;
}

int world_node_rank(const struct world *world)
{
    return world->node_rank;
}

int world_node_size(const struct world *world)
{
    return world->node_size;
}

bool world_beside_root(const struct world *world)
{
    return world->beside_root;
}

int world_root_node_size(const struct world *world)
{
    return world->root_node_size;
}

const char *world_library(void)
{
    static _Thread_local char line[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (MPI_Get_library_version(line, &length) != MPI_SUCCESS)
        return "unknown MPI";
    line[strcspn(line, ",\r\n")] = '\0';               /* "Open MPI v4.1.4, package: ..." */
    for (char *tab = line; (tab = strchr(tab, '\t'));) /* "MPICH Version:\t4.0.2" */
        *tab = ' ';
    return line;
}

/* --- collectives ------------------------------------------------------------------------------ */

static enum status spread(struct world *world, void *bytes, int length, int from)
{
    MPI_Request request = MPI_REQUEST_NULL;
    TRY(world_lost(world));
    TRY_MPI(MPI_Ibcast(bytes, length, MPI_BYTE, from, world->together, &request));
    return world_wait(world, &request);
}

/* The same of at most LETTER_BYTES, in memory of the world: a collective that is given up because a
 * rank is lost may still write, when the caller's is no more. */
static enum status letter_spread(struct world *world, void *bytes, size_t length, int from)
{
    memcpy(world->letter, bytes, length);
    TRY(spread(world, world->letter, (int)length, from));
    memcpy(bytes, world->letter, length);
    return STATUS_OK;
}

/* All ranks know that `first` is the lowest that failed, and `mine` is this one's status. */
static enum status spread_failure(struct world *world, int first, enum status mine)
{
    struct failure failure = {.status = (int32_t)mine};
    memcpy(failure.host, world->host, sizeof failure.host);
    snprintf(failure.text, sizeof failure.text, "%s", status_text());
    TRY(letter_spread(world, &failure, sizeof failure, first));
    failure.host[sizeof failure.host - 1] = failure.text[sizeof failure.text - 1] = '\0';
    if (first == 0)
        return status_fail((enum status)failure.status, "%s", failure.text);
    return status_fail((enum status)failure.status, "rank %d on %s: %s", first, failure.host,
                       failure.text);
}

enum status world_agree(struct world *world, enum status mine)
{
    if (world->size == 1 || world->lost)
        return mine;
    int *failing = &world->agreed[0], *least = &world->agreed[1];
    MPI_Request request = MPI_REQUEST_NULL;
    *failing = mine == STATUS_OK ? world->size : world->rank;
    TRY_MPI(MPI_Iallreduce(failing, least, 1, MPI_INT, MPI_MIN, world->together, &request));
    TRY(world_wait(world, &request));
    presence_met(world);
    int first = *least;
    return first == world->size ? STATUS_OK : spread_failure(world, first, mine);
}

enum status world_exchange(struct world *world, enum status mine, const void *record, size_t length)
{
    struct world_record *own = &world->record[world->rank];
    assert(length <= WORLD_RECORD_BYTES);
    own->fine = mine == STATUS_OK;
    memcpy(own->bytes, record, length);
    if (world->size == 1)
        return mine;
    TRY(world_lost(world));
    int bytes = (int)(offsetof(struct world_record, bytes) + length);
    MPI_Request request = MPI_REQUEST_NULL;
    TRY_MPI(MPI_Iallgather(own, bytes, MPI_BYTE, world->packed, bytes, MPI_BYTE, world->together,
                           &request));
    TRY(world_wait(world, &request));
    presence_met(world);
    for (int rank = 0; rank < world->size; rank++)
        memcpy(&world->record[rank], world->packed + (size_t)rank * (size_t)bytes, (size_t)bytes);
    for (int rank = 0; rank < world->size; rank++)
        if (!world->record[rank].fine)
            return spread_failure(world, rank, mine);
    return STATUS_OK;
}

const void *world_said(const struct world *world, int rank)
{
    return world->record[rank].bytes;
}

/* Room for rank 0's bytes on the other ranks; all ranks learn whether all have it. */
static enum status share_room(struct world *world, void **bytes, size_t length)
{
    if (world->rank == 0)
        return world_agree(world, STATUS_OK);
    *bytes = malloc(length ? length : 1);
    enum status status = STATUS_OK;
    if (!*bytes)
        status =
            status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu bytes shared by rank 0", length);
    return world_agree(world, status);
}

static enum status share_chunks(struct world *world, char *bytes, size_t length)
{
    size_t chunk = world->share_chunk;
    for (size_t at = 0; at < length; at += chunk)
        TRY(spread(world, bytes + at, (int)(length - at < chunk ? length - at : chunk), 0));
    return STATUS_OK;
}

static enum status share_head(struct world *world, enum status mine, const void *bytes,
                              size_t length, struct share *share)
{
    *share = (struct share){.failure = {.status = (int32_t)mine}, .length = length};
    if (world->rank == 0 && mine != STATUS_OK)
        snprintf(share->failure.text, sizeof share->failure.text, "%s", status_text());
    else if (world->rank == 0 && length <= sizeof share->bytes)
        memcpy(share->bytes, bytes, length);
    TRY(letter_spread(world, share, sizeof *share, 0));
    share->failure.text[sizeof share->failure.text - 1] = '\0';
    return share->failure.status == STATUS_OK
               ? STATUS_OK
               : status_fail((enum status)share->failure.status, "%s", share->failure.text);
}

/* A rank without memory must not be alone in failing, since nobody agrees behind short bytes: it
 * gets the spare ones, and fails where all take part. */
static void *short_room(struct world *world)
{
    void *room = malloc(WORLD_TELL_BYTES + 1);
    if (!room) {
        room = world->spare;
        world->spare = NULL;
    }
    return room;
}

enum status world_share(struct world *world, enum status mine, void **bytes, size_t *length)
{
    struct share share;
    bool root = world->rank == 0;
    if (world->size == 1)
        return mine;
    if (!root)
        *bytes = NULL;
    TRY(share_head(world, mine, *bytes, *length, &share));
    *length = share.length;
    bool is_short = share.length <= sizeof share.bytes;
    if (!root && is_short) {
        *bytes = short_room(world);
        if (!*bytes)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu bytes", *length);
        memcpy(*bytes, share.bytes, share.length);
    }
    if (is_short)
        return STATUS_OK;
    enum status status = share_room(world, bytes, *length);
    if (status == STATUS_OK)
        status = share_chunks(world, *bytes, *length);
    if (status != STATUS_OK && !root) {
        if (!world->lost) /* else MPI may still write there */
            free(*bytes);
        *bytes = NULL;
    }
    return status;
}

enum status world_tell(struct world *world, enum status mine, void *record, size_t length)
{
    struct share share;
    assert(length <= sizeof share.bytes);
    if (world->size == 1)
        return mine;
    TRY(share_head(world, mine, record, length, &share));
    if (share.length != length)
        return status_fail(STATUS_INTERNAL,
                           "a record of %llu bytes came, %zu were expected: are all ranks running "
                           "the same program?",
                           (unsigned long long)share.length, length);
    memcpy(record, share.bytes, length);
    return STATUS_OK;
}

enum status world_gather(struct world *world, const void *mine, size_t length, void *all)
{
    if (world->size == 1) {
        memcpy(all, mine, length);
        return STATUS_OK;
    }
    if (length > INT_MAX)
        return status_fail(STATUS_TOO_LARGE, "records of %zu bytes are too long to gather", length);
    TRY(world_lost(world));
    /* The caller's memory, where there is no other, may be written to after a loss. */
    void *room = world->rank == 0 ? malloc((size_t)world->size * length) : NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    TRY_MPI(MPI_Igather(mine, (int)length, MPI_BYTE, room ? room : all, (int)length, MPI_BYTE, 0,
                        world->together, &request));
    TRY(world_wait(world, &request));
    if (room)
        memcpy(all, room, (size_t)world->size * length);
    free(room);
    return STATUS_OK;
}

void world_abort(struct world *world, enum status status)
{
    if (world && world->started)
        MPI_Abort(MPI_COMM_WORLD, status_exit_code(status));
}
