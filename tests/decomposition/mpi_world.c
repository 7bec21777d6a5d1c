/* Do the ranks agree, share and gather? */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi_test.h"
#include "tests/support/check.h"

TEST(agreement_names_the_lowest_failing_rank)
{
    EXPECT(world_agree(world, STATUS_OK) == STATUS_OK);
    int size = world_size(world), rank = world_rank(world);
    for (int failing = 0; failing < size; failing++) {
        enum status mine = STATUS_OK;
        if (rank >= failing)
            mine = status_fail(rank == failing ? STATUS_NO_INPUT : STATUS_IO, "no file %d", rank);
        EXPECT(world_agree(world, mine) == STATUS_NO_INPUT);
        char sentence[128];
        snprintf(sentence, sizeof sentence, "no file %d", failing);
        EXPECT(strstr(status_text(), sentence));
        EXPECT((failing > 0) == !strncmp(status_text(), "rank ", 5));
    }
    settle();
}

static void share(size_t length)
{
    unsigned char *bytes = NULL;
    size_t got = 0;
    if (world_rank(world) == 0) {
        got = length;
        bytes = malloc(length ? length : 1);
        for (size_t i = 0; i < length; i++)
            bytes[i] = (unsigned char)(i * 31 + i / 251);
    }
    void *shared = bytes;
    EXPECT(world_share(world, STATUS_OK, &shared, &got) == STATUS_OK);
    EXPECT(got == length && shared != NULL);
    for (size_t i = 0; i < got && shared; i++)
        if (((unsigned char *)shared)[i] != (unsigned char)(i * 31 + i / 251)) {
            EXPECT(!"shared bytes differ");
            break;
        }
    free(shared);
}

TEST(shared_bytes_arrive_in_any_number_of_chunks)
{
    share(0);
    share(1);
    share(1000000);
    size_t chunk = world->share_chunk;
    world->share_chunk = 1000; /* stands for 1 GiB */
    share(999);
    share(1000);
    share(1001);
    share(123456);
    world->share_chunk = chunk;
    settle();
}

/* A rank of another program expects a record of another length: it says so and keeps its own. */
TEST(a_record_is_told_to_every_rank)
{
    int rank = world_rank(world);
    double record = rank == 0 ? 2.5 : 0;
    EXPECT(world_tell(world, STATUS_OK, &record, sizeof record) == STATUS_OK);
    EXPECT(record == 2.5);
    struct {
        uint64_t one, two;
    } other = {7, 7};
    size_t length = rank == 0 ? sizeof other : sizeof other.one;
    EXPECT(world_tell(world, STATUS_OK, &other, length) == (rank ? STATUS_INTERNAL : STATUS_OK));
    EXPECT(other.one == 7 && other.two == 7);
    settle();
}

TEST(records_are_gathered_in_rank_order)
{
    struct record {
        int rank;
        char text[12];
    } mine = {.rank = world_rank(world)}, *all = NULL;
    snprintf(mine.text, sizeof mine.text, "r%d", mine.rank);
    if (world_rank(world) == 0)
        all = calloc((size_t)world_size(world), sizeof *all);
    EXPECT(world_gather(world, &mine, sizeof mine, all) == STATUS_OK);
    for (int i = 0; all && i < world_size(world); i++)
        EXPECT(all[i].rank == i && all[i].text[0] == 'r' && atoi(all[i].text + 1) == i);
    free(all);
    settle();
}

/* And of those that fail the lowest, with its sentence; so rank 0 when it shares or tells. */
TEST(records_are_exchanged_unless_somebody_fails)
{
    int size = world_size(world), rank = world_rank(world);
    struct {
        int rank;
        char text[WORLD_RECORD_BYTES - sizeof(int)];
    } mine = {.rank = rank};
    memset(mine.text, 'a' + rank, sizeof mine.text);
    EXPECT(world_exchange(world, STATUS_OK, &mine, sizeof mine) == STATUS_OK);
    for (int i = 0; i < size; i++) {
        memcpy(&mine, world_said(world, i), sizeof mine);
        EXPECT(mine.rank == i && mine.text[0] == 'a' + i &&
               mine.text[sizeof mine.text - 1] == 'a' + i);
    }
    enum status status = rank == size - 1 ? status_fail(STATUS_IO, "no file") : STATUS_OK;
    EXPECT(world_exchange(world, status, &mine, sizeof mine) == STATUS_IO);
    EXPECT(strstr(status_text(), "no file"));
    status = rank == 0 ? status_fail(STATUS_CONFIG, "no view") : STATUS_OK;
    EXPECT(world_tell(world, status, &mine, sizeof mine) == STATUS_CONFIG);
    EXPECT(!strcmp(status_text(), "no view"));
    settle();
}

TEST(the_machine_is_known)
{
    int started = 0;
    MPI_Initialized(&started);
    EXPECT(started == world_launched()); /* alone, nobody pays for MPI_Init */
    EXPECT(world_node_size(world) >= 1 && world_node_size(world) <= world_size(world));
    EXPECT(world_node_rank(world) >= 0 && world_node_rank(world) < world_node_size(world));
    EXPECT(world_root_node_size(world) >= 1);
    EXPECT(strlen(world_library()) > 3);
    settle();
}

TEST(mpi_errors_become_a_status)
{
    if (world->mpi) {
        int nowhere = world_size(world) + 7;
        EXPECT(world_check(PMPI_Send(&nowhere, 1, MPI_INT, nowhere, 0, world->tiles),
                           "MPI_Send(x)") == STATUS_SYSTEM);
        EXPECT(!strncmp(status_text(), "MPI_Send failed: ", 17));
    }
    settle();
}

TEST(patience_ends_in_naps)
{
    struct patience patience = {0};
    static const unsigned naps_us[] = {5, 10, 20, 40, 80, 160, 200, 200};
    for (int again = 0; again < 2; again++) {
        patience.idle = 0; /* something happened */
        for (int look = 0; look < 16; look++)
            EXPECT(patience_us(&patience, 200) == 0);
        for (size_t i = 0; i < sizeof naps_us / sizeof *naps_us; i++)
            EXPECT(patience_us(&patience, 200) == naps_us[i]);
    }
    patience = (struct patience){.spin_us = 1000};
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    long long looks = 0;
    while (patience_us(&patience, 200) == 0)
        looks++;
    clock_gettime(CLOCK_MONOTONIC, &to);
    double spun_s = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    EXPECT(looks >= 16); /* fewer than the time allows if somebody takes the core meanwhile, ... */
    EXPECT(looks < 1000 || spun_s >= 1e-4);
    EXPECT(patience_us(&patience, 200) > 0); /* ... but then it is over */
    /* Late by a time slice: the core is wanted. */
    patience.idle = 0;
    EXPECT(patience_us(&patience, 200) == 0);
    nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
    looks = 0;
    while (patience_us(&patience, 200) == 0)
        looks++;
    EXPECT(looks <= 16);
    settle();
}

/* A look in vain costs a time slice where MPI yields and somebody computes. */
TEST(mpi_yields_only_where_it_blocks)
{
    bool (*yields)(bool);
    void *found = dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle");
    memcpy(&yields, &found, sizeof yields);
    const char *option = getenv("OMPI_MCA_mpi_yield_when_idle");
    if (found && world->mpi && option && !strcmp(option, "true")) {
        EXPECT(!yields(false));
        world_block_begin(world);
        EXPECT(yields(true));
        world_block_end(world);
        EXPECT(!yields(false));
    }
    settle();
}
