/* The program of the user, with a rank that stops (SIGSTOP to itself) and is silent from then on.
 *
 * HANG_RANK says which rank, HANG_AT where: "tile N" in its N-th tile, "call N" before its N-th
 * call of a function of world.h in which the ranks meet, "piece N" before it sends the N-th piece
 * of pixels, "gather N" before it joins in the N-th collective of pixels, "bye" when it has said
 * goodbye and its pixels are lost on the way, "end" before it ends MPI, "init" before it starts
 * MPI. HANG_SIGNAL: another signal than SIGSTOP. HANG_FILE: the file is made just before, and if it
 * is there already nothing happens: once is enough. Instead of a signal: "damage N" changes a bit
 * of the N-th piece of pixels, "epoch N" sets the epoch of the N-th announcement of a tile back by
 * one, or by HANG_EPOCH, "slow US" makes every tile take that many microseconds longer. Ranks are
 * silent sooner than usual: after HANG_SILENT_S seconds, and lost after HANG_LOST_S. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command/program.h"
#include "decomposition/message/message.h"
#include "decomposition/world/world_comm.h"
#include "kernels/backend.h"
#include "tests/support/wrap_compute.h"

static int left = -1; /* until it hangs; < 0: never */
static char place[8];
static MPI_Comm pixels = MPI_COMM_NULL, tiles = MPI_COMM_NULL;

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text && *text ? (int)strtol(text, NULL, 10) : otherwise;
}

/* Is it here and now? The file says who it is. */
static bool is_due(const char *here)
{
    if (strcmp(place, here) != 0 || __atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED) != 0)
        return false;
    const char *file = getenv("HANG_FILE");
    int made = file ? open(file, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) : -1;
    if (made >= 0) {
        dprintf(made, "%d\n", (int)getpid());
        close(made);
    }
    return !file || made >= 0;
}

static void pass(const char *here)
{
    if (is_due(here))
        raise(number("HANG_SIGNAL", SIGSTOP));
}

static void slow_down(void)
{
    if (strcmp(place, "slow") == 0)
        usleep((useconds_t)left);
}

/* A tile's announcement becomes that of an older picture, and believable. */
static void epoch_change(void *bytes)
{
    struct message message;
    if (message_decode(&message, bytes, MESSAGE_BYTES) != STATUS_OK || !is_due("epoch"))
        return;
    message.epoch += (uint64_t)(int64_t)number("HANG_EPOCH", -1);
    message_encode(&message, bytes);
}

/* --- linked with --wrap ----------------------------------------------------------------------- */

enum status __real_world_open(struct world **world, const struct world_hooks *hooks);
enum status __wrap_world_open(struct world **world, const struct world_hooks *hooks);
enum status __wrap_world_open(struct world **world, const struct world_hooks *hooks)
{
    enum status status = __real_world_open(world, hooks);
    if (status == STATUS_OK) {
        (*world)->silent_s = number("HANG_SILENT_S", 2);
        (*world)->lost_s = number("HANG_LOST_S", 4);
        pixels = (*world)->pixels;
        tiles = (*world)->tiles;
    }
    return status;
}

enum status __real_world_agree(struct world *world, enum status mine);
enum status __wrap_world_agree(struct world *world, enum status mine);
enum status __wrap_world_agree(struct world *world, enum status mine)
{
    pass("call");
    return __real_world_agree(world, mine);
}

enum status __real_world_share(struct world *world, enum status mine, void **bytes, size_t *length);
enum status __wrap_world_share(struct world *world, enum status mine, void **bytes, size_t *length);
enum status __wrap_world_share(struct world *world, enum status mine, void **bytes, size_t *length)
{
    pass("call");
    return __real_world_share(world, mine, bytes, length);
}

enum status __real_world_tell(struct world *world, enum status mine, void *record, size_t length);
enum status __wrap_world_tell(struct world *world, enum status mine, void *record, size_t length);
enum status __wrap_world_tell(struct world *world, enum status mine, void *record, size_t length)
{
    pass("call");
    return __real_world_tell(world, mine, record, length);
}

enum status __real_world_gather(struct world *world, const void *mine, size_t length, void *all);
enum status __wrap_world_gather(struct world *world, const void *mine, size_t length, void *all);
enum status __wrap_world_gather(struct world *world, const void *mine, size_t length, void *all)
{
    pass("call");
    return __real_world_gather(world, mine, length, all);
}

enum status __real_world_exchange(struct world *world, enum status mine, const void *record,
                                  size_t length);
enum status __wrap_world_exchange(struct world *world, enum status mine, const void *record,
                                  size_t length);
enum status __wrap_world_exchange(struct world *world, enum status mine, const void *record,
                                  size_t length)
{
    pass("call");
    return __real_world_exchange(world, mine, record, length);
}

enum status __wrap_backend_compute(struct backend *backend, const struct spec *spec,
                                   const struct grid *grid, struct field *out,
                                   struct backend_work *work)
{
    pass("tile");
    slow_down();
    return __real_backend_compute(backend, spec, grid, out, work);
}

/* --- MPI's, before the library's -------------------------------------------------------------- */

int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (comm == pixels && pixels != MPI_COMM_NULL) {
        pass("piece");
        if (strcmp(place, "bye") == 0) {
            *request = MPI_REQUEST_NULL;
            return MPI_SUCCESS;
        }
        if (is_due("damage"))
            *(char *)(uintptr_t)bytes ^= 1;
    }
    if (comm == tiles && tiles != MPI_COMM_NULL && tag >= MESSAGE_TILE && tag <= MESSAGE_IN_PLACE)
        epoch_change((void *)(uintptr_t)bytes);
    return PMPI_Isend(bytes, count, type, to, tag, comm, request);
}

int MPI_Igatherv(const void *bytes, int count, MPI_Datatype type, void *all, const int counts[],
                 const int first[], MPI_Datatype all_type, int root, MPI_Comm comm,
                 MPI_Request *request)
{
    pass("gather");
    *request = MPI_REQUEST_NULL;
    if (strcmp(place, "bye") == 0)
        return MPI_SUCCESS;
    return PMPI_Igatherv(bytes, count, type, all, counts, first, all_type, root, comm, request);
}

int MPI_Send(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    if (comm == tiles && tiles != MPI_COMM_NULL && tag >= MESSAGE_TILE && tag <= MESSAGE_IN_PLACE)
        epoch_change((void *)(uintptr_t)bytes);
    int result = PMPI_Send(bytes, count, type, to, tag, comm);
    if (comm == tiles && tag == MESSAGE_BYE)
        pass("bye");
    return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    pass("init");
    return PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Finalize(void)
{
    pass("end");
    return PMPI_Finalize();
}

int main(int argc, char **argv)
{
    const char *at = getenv("HANG_AT");
    int rank = number("OMPI_COMM_WORLD_RANK", number("PMIX_RANK", number("PMI_RANK", 0)));
    if (number("HANG_RANK", -1) == rank && at) {
        left = 1;
        sscanf(at, "%7s %d", place, &left);
    }
    return program_run(argc, argv);
}
