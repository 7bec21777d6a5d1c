#include "decomposition/world/presence.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "decomposition/thread/clock.h"

enum { WORK_NAP_US = 1000 };
enum { BEAT, BEAT_LAST, BEAT_GIVEN_UP }; /* tags; the last is of rank 0 */
static const double beats = 20, polls = 100, counted = 10, graces = 2; /* times in silent_s */

struct member { /* a rank, as rank 0 sees it */
    char host[WORLD_HOST_BYTES];
    int process;      /* a file descriptor that tells when it ends; -1: it cannot be watched */
    double unheard_s; /* polled in vain */
    bool ended;
};

struct presence {
    struct member *member; /* [world size]; NULL on ranks > 0 */
    double polled_s;       /* on the clock */
    double next_beat_s;
    MPI_Request beat;             /* MPI_REQUEST_NULL: the last one has left */
    char lost[STATUS_TEXT_BYTES]; /* why the world is */
    char root_host[WORLD_HOST_BYTES];
    bool met;           /* the ranks have said where they are */
    double root_gone_s; /* when its process was missed first; 0: it is there */
};

/* --- processes of this machine ---------------------------------------------------------------- */

static uint64_t numbers_here(void)
{
    struct stat space;
    return stat("/proc/self/ns/pid", &space) == 0 ? (uint64_t)space.st_ino : 0;
}

static struct whereabouts whereabouts_own(const struct world *world)
{
    struct whereabouts own = {.process = getpid(),
                              .numbers = numbers_here(),
                              .beside_root = world->beside_root,
                              .node_size = world->node_size};
    snprintf(own.host, sizeof own.host, "%s", world->host);
    return own;
}

static int process_watch(const struct whereabouts *at)
{
    if (!at->beside_root || !at->numbers || at->numbers != numbers_here())
        return -1;
    return (int)syscall(SYS_pidfd_open, (pid_t)at->process, 0); /* Linux 5.3; else -1 */
}

static bool process_ended(int process)
{
    struct pollfd file = {.fd = process, .events = POLLIN};
    return process >= 0 && poll(&file, 1, 0) > 0;
}

/* --- opening and closing ---------------------------------------------------------------------- */

static enum status members_open(struct world *world)
{
    struct presence *presence = world->presence;
    presence->polled_s = clock_s();
    presence->member = calloc((size_t)world->size, sizeof *presence->member);
    if (!presence->member)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %d ranks", world->size);
    for (int rank = 0; rank < world->size; rank++)
        presence->member[rank].process = -1;
    return STATUS_OK;
}

static const struct whereabouts *said_by(const struct world *world, int rank)
{
    return (const void *)world->record[rank].bytes;
}

/* Rank 0 needs no file to know of itself. */
static void members_fill(struct world *world)
{
    for (int rank = 0; rank < world->size; rank++) {
        struct member *member = &world->presence->member[rank];
        const struct whereabouts *at = said_by(world, rank);
        snprintf(member->host, sizeof member->host, "%s", at->host);
        member->process = rank > 0 ? process_watch(at) : -1;
    }
}

enum status presence_open(struct world *world, struct whereabouts *own)
{
    world->presence = calloc(1, sizeof *world->presence);
    enum status status = STATUS_OK;
    *own = whereabouts_own(world);
    if (!world->presence)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for the list of ranks");
    else
        world->presence->beat = MPI_REQUEST_NULL;
    if (status == STATUS_OK && world->rank == 0)
        status = members_open(world);
    if (status == STATUS_OK && world->rank == 0 && !world->hooks.root_watched)
        world->root_watch = root_watch_listen(world->size - 1, &own->listens);
    return status;
}

void presence_meet(struct world *world)
{
    const struct whereabouts *root = said_by(world, 0);
    world->root_node_size = root->node_size;
    world->presence->met = true;
    if (world->rank == 0) {
        members_fill(world);
        return;
    }
    snprintf(world->presence->root_host, WORLD_HOST_BYTES, "%s", root->host);
    world->root_watch = root_watch_call(&root->listens);
}

static void beats_take(const struct world *world)
{
    for (int flag = 1; flag;) {
        MPI_Status from;
        if (MPI_Iprobe(MPI_ANY_SOURCE, BEAT, world->beats, &flag, &from) != MPI_SUCCESS || !flag ||
            MPI_Recv(NULL, 0, MPI_BYTE, from.MPI_SOURCE, BEAT, world->beats, MPI_STATUS_IGNORE) !=
                MPI_SUCCESS)
            return;
        presence_heard(world, from.MPI_SOURCE);
    }
}

/* --- heartbeats ------------------------------------------------------------------------------- */

/* Has it ended some seconds ago? By then mpirun has ended the others. */
static bool root_is_gone(struct world *world)
{
    struct presence *presence = world->presence;
    if (root_watch_poll(world->root_watch))
        return false;
    if (presence->root_gone_s == 0)
        presence->root_gone_s = clock_s();
    return clock_s() >= presence->root_gone_s + world->silent_s / graces;
}

static bool root_gives_up(const struct world *world)
{
    int flag = 0;
    return !world->started &&
           MPI_Iprobe(0, BEAT_GIVEN_UP, world->beats, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
           flag;
}

/* One of the ranks of a machine says why. */
static void root_end(struct world *world)
{
    char text[STATUS_TEXT_BYTES + 2 * WORLD_HOST_BYTES];
    if (!world->hooks.root_ended)
        return;
    snprintf(text, sizeof text, "%s; so rank %d on %s ends, too", world->presence->lost,
             world->rank, world->host);
    world->hooks.root_ended(world->node_rank == (world->beside_root ? 1 : 0) ? text : NULL);
}

static void root_poll(struct world *world)
{
    struct presence *presence = world->presence;
    const char *why = NULL;
    if (world->lost)
        return;
    if (root_gives_up(world))
        why = "has given up this world, because it has lost another rank, or this one for a while";
    else if (root_is_gone(world))
        why = "has ended without a word: it crashed, was killed, or memory ran out (dmesg says "
              "whether)";
    if (!why)
        return;
    snprintf(presence->lost, sizeof presence->lost, "rank 0 on %s %s", presence->root_host, why);
    root_end(world);
    world->lost = true;
}

/* Another rank: is it time for what it does 20 times in silent_s? */
static bool is_due(const struct world *world)
{
    struct presence *presence = world->presence;
    if (!presence || presence->member || clock_s() < presence->next_beat_s)
        return false;
    presence->next_beat_s = clock_s() + world->silent_s / beats;
    return true;
}

void presence_root(struct world *world)
{
    if (is_due(world))
        root_poll(world);
}

/* One at a time: what rank 0 does not take while it computes does not pile up. That of a guest may
 * do something else for hours, so there a heartbeat has left when it has arrived; where MPI ends
 * with the world, it must not wait for one that rank 0 has never taken. */
static void beat_send(struct world *world, MPI_Request *request)
{
    if (world->started)
        MPI_Isend(NULL, 0, MPI_BYTE, 0, BEAT, world->beats, request);
    else
        MPI_Issend(NULL, 0, MPI_BYTE, 0, BEAT, world->beats, request);
}

void presence_beat(struct world *world)
{
    struct presence *presence = world->presence;
    if (!is_due(world))
        return;
    root_poll(world);
    if (world->lost)
        return;
    int done = 1;
    if (presence->beat != MPI_REQUEST_NULL)
        MPI_Test(&presence->beat, &done, MPI_STATUS_IGNORE);
    if (done)
        beat_send(world, &presence->beat);
}

void presence_met(struct world *world)
{
    struct presence *presence = world->presence;
    for (int rank = 1; presence && presence->member && rank < world->size; rank++)
        presence->member[rank].unheard_s = 0;
}

void presence_heard(const struct world *world, int rank)
{
    if (world->presence)
        world->presence->member[rank].unheard_s = 0;
}

bool presence_poll(const struct world *world)
{
    struct presence *presence = world->presence;
    double now_s = clock_s();
    if (!presence || !presence->member || now_s < presence->polled_s + world->silent_s / polls)
        return false;
    double most_s = world->silent_s / counted, since_s = now_s - presence->polled_s;
    presence->polled_s = now_s;
    for (int rank = 1; rank < world->size; rank++) {
        struct member *member = &presence->member[rank];
        member->unheard_s += since_s < most_s ? since_s : most_s;
        member->ended = member->ended || process_ended(member->process);
    }
    beats_take(world);
    root_watch_admit(world->root_watch);
    return true;
}

/* --- questions -------------------------------------------------------------------------------- */

const char *presence_host(const struct world *world, int rank)
{
    const struct member *member = world->presence ? world->presence->member : NULL;
    return member ? member[rank].host : world->host;
}

double presence_unheard_s(const struct world *world, int rank)
{
    return world->presence ? world->presence->member[rank].unheard_s : 0;
}

bool presence_watched(const struct world *world, int rank)
{
    return world->presence && world->presence->member[rank].process >= 0;
}

bool presence_ended(const struct world *world, int rank)
{
    return world->presence && process_ended(world->presence->member[rank].process);
}

bool presence_answers(const struct world *world, int rank)
{
    const struct member *member = world->presence ? &world->presence->member[rank] : NULL;
    return !member || (!member->ended && member->unheard_s < world->silent_s);
}

bool presence_lost(const struct world *world, int rank)
{
    const struct member *member = world->presence ? &world->presence->member[rank] : NULL;
    return member && (member->ended || member->unheard_s >= world->lost_s);
}

/* --- the end of patience ---------------------------------------------------------------------- */

/* Tells the other ranks that rank 0 waits for nobody here any more: its process goes on, so they
 * would wait for ever. */
static void losses_tell(const struct world *world)
{
    for (int rank = 1; rank < world->size; rank++) {
        MPI_Request told = MPI_REQUEST_NULL;
        if (!world->presence->member[rank].ended &&
            MPI_Isend(NULL, 0, MPI_BYTE, rank, BEAT_GIVEN_UP, world->beats, &told) == MPI_SUCCESS)
            MPI_Request_free(&told);
    }
}

enum status presence_give_up(struct world *world, int rank)
{
    struct presence *presence = world->presence;
    const struct member *member = &presence->member[rank];
    const char *why = "still computes what nobody needs, although it was told to give up";
    char silence[96];
    if (member->ended) {
        why = "has ended: it crashed, was killed, or memory ran out (dmesg says whether)";
    } else if (member->unheard_s >= world->silent_s) {
        snprintf(silence, sizeof silence, "has not answered for %.0f s: it is stopped, or hangs",
                 member->unheard_s);
        why = silence;
    }
    if (!world->started && !world->lost)
        losses_tell(world);
    world->lost = true;
    snprintf(presence->lost, sizeof presence->lost, "rank %d%s%s %s", rank,
             *member->host ? " on " : "", member->host, why);
    return world_lost(world);
}

enum status world_lost(const struct world *world)
{
    return world->lost ? status_fail(STATUS_SYSTEM, "%s", world->presence->lost) : STATUS_OK;
}

/* Is a rank lost that is to take part in a collective? That of a guest may come late. */
static bool is_missed(const struct world *world, int rank)
{
    return world->started ? presence_lost(world, rank) : world->presence->member[rank].ended;
}

enum status presence_wait(struct world *world)
{
    presence_beat(world);
    if (world->rank > 0)
        return world_lost(world);
    if (!presence_poll(world))
        return STATUS_OK;
    for (int rank = 1; rank < world->size; rank++)
        if (is_missed(world, rank))
            return presence_give_up(world, rank);
    return STATUS_OK;
}

/* --- closing ---------------------------------------------------------------------------------- */

static void beats_of_all_take(struct world *world)
{
    struct patience patience = {.spin_us = 0};
    for (int left = world->size - 1; left > 0 && presence_wait(world) == STATUS_OK;) {
        int flag = 0;
        MPI_Status from;
        if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world->beats, &flag, &from) != MPI_SUCCESS)
            return;
        if (!flag) {
            patience_nap(patience_us(&patience, NAP_MOST_US));
            continue;
        }
        if (MPI_Recv(NULL, 0, MPI_BYTE, from.MPI_SOURCE, from.MPI_TAG, world->beats,
                     MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return;
        left -= from.MPI_TAG == BEAT_LAST;
    }
}

/* Fetches every heartbeat before the communicator is freed, in a process that goes on with MPI: one
 * that came later would be taken for a message of the next communicator that gets the number of
 * this one (Open MPI keeps messages for which it finds no communicator). */
static void beats_end(struct world *world)
{
    MPI_Request last = MPI_REQUEST_NULL;
    if (world->rank == 0) {
        beats_of_all_take(world);
        return;
    }
    if (world->presence->beat != MPI_REQUEST_NULL)
        world_wait(world, &world->presence->beat);
    if (MPI_Isend(NULL, 0, MPI_BYTE, 0, BEAT_LAST, world->beats, &last) == MPI_SUCCESS)
        world_wait(world, &last);
}

void presence_close(struct world *world)
{
    struct presence *presence = world->presence;
    if (!presence)
        return;
    if (presence->met && !world->started && !world->lost)
        beats_end(world);
    else if (presence->member)
        beats_take(world);
    if (presence->beat != MPI_REQUEST_NULL)
        MPI_Request_free(&presence->beat);
    for (int rank = 0; presence->member && rank < world->size; rank++)
        if (presence->member[rank].process >= 0)
            close(presence->member[rank].process);
    free(presence->member);
    free(presence);
    world->presence = NULL;
}

/* --- long calls ------------------------------------------------------------------------------- */

struct work {
    enum status (*call)(void *context);
    void *context;
    enum status status;
    char text[STATUS_TEXT_BYTES]; /* sentences belong to threads */
    int done;
};

static void *work_run(void *argument)
{
    struct work *work = argument;
    work->status = work->call(work->context);
    if (work->status != STATUS_OK)
        snprintf(work->text, sizeof work->text, "%s", status_text());
    __atomic_store_n(&work->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

enum status world_work(struct world *world, enum status (*call)(void *context), void *context)
{
    struct work work = {.call = call, .context = context};
    struct patience patience = {.spin_us = 0};
    pthread_t thread;
    if (world->size == 1 || world->rank == 0 || pthread_create(&thread, NULL, work_run, &work) != 0)
        return call(context);
    while (!__atomic_load_n(&work.done, __ATOMIC_ACQUIRE)) {
        presence_beat(world);
        patience_nap(patience_us(&patience, WORK_NAP_US));
    }
    pthread_join(thread, NULL);
    return work.status == STATUS_OK ? STATUS_OK : status_fail(work.status, "%s", work.text);
}
