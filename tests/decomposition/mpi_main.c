/* The program that runs on all ranks: what its tests share, and main. The MPI_ functions defined
 * here stand before the library's and damage what passes when asked to. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decomposition/message/block.h"
#include "decomposition/pool/server.h"
#include "decomposition/thread/executor.h"
#include "decomposition/world/outbox.h"
#include "mpi_test.h"
#include "tests/support/check.h"
#include "tests/support/world_end.h"

static uint64_t epoch = 100;

/* --- damage on the way ---------------------------------------------------------------------- */

int damage_kind = -1;
size_t damage_at;
bool damage_pixels, fail_late;
void (*before_beat)(void);

static void fail_before_bye(int kind)
{
    static const struct pool_note note = {.text = "the tile of a slow rank has failed"};
    struct message message = {.kind = MESSAGE_FAIL, .epoch = epoch, .status = STATUS_IO};
    if (fail_late && kind == MESSAGE_BYE)
        EXPECT(outbox_post(world, 0, &message, &note, sizeof note) == STATUS_OK);
}

int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (tag == damage_kind && comm == world->tiles)
        ((unsigned char *)(uintptr_t)bytes)[damage_at] ^= 0x10;
    if (damage_pixels && comm == world->pixels)
        *(unsigned char *)(uintptr_t)bytes ^= 0x10;
    if (before_beat && comm == world->beats)
        before_beat();
    return PMPI_Isend(bytes, count, type, to, tag, comm, request);
}

/* What passes when a rank joins in the collective of gatherv. */
int MPI_Igatherv(const void *bytes, int count, MPI_Datatype type, void *all, const int counts[],
                 const int first[], MPI_Datatype all_type, int root, MPI_Comm comm,
                 MPI_Request *request)
{
    if (damage_pixels && count > 0)
        *(unsigned char *)(uintptr_t)bytes ^= 0x10;
    return PMPI_Igatherv(bytes, count, type, all, counts, first, all_type, root, comm, request);
}

int MPI_Send(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    fail_before_bye(comm == world->tiles ? tag : -1);
    if (tag == damage_kind && comm == world->tiles)
        ((unsigned char *)(uintptr_t)bytes)[damage_at] ^= 0x10;
    return PMPI_Send(bytes, count, type, to, tag, comm);
}

/* --- who looks for messages ------------------------------------------------------------------ */

int message_looks;

int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    message_looks++;
    return PMPI_Improbe(from, tag, comm, flag, message, status);
}

/* --- who reads device memory ---------------------------------------------------------------- */

/* Linked with --wrap: what the processor does with pixels. On a real device it would be a crash. */
static struct synthetic *running; /* NULL between jobs */

static void expect_host_memory(const void *pixels)
{
    EXPECT(!running || running->copying || !synthetic_lent(running, pixels));
}

uint64_t __real_message_checksum(const void *payload, size_t length);
uint64_t __wrap_message_checksum(const void *payload, size_t length);
uint64_t __wrap_message_checksum(const void *payload, size_t length)
{
    expect_host_memory(payload);
    return __real_message_checksum(payload, length);
}

void __real_message_sum_add(struct message_sum *sum, const void *bytes, size_t length);
void __wrap_message_sum_add(struct message_sum *sum, const void *bytes, size_t length);
void __wrap_message_sum_add(struct message_sum *sum, const void *bytes, size_t length)
{
    expect_host_memory(bytes);
    __real_message_sum_add(sum, bytes, length);
}

void __real_field_copy(struct field *to, const struct field *from);
void __wrap_field_copy(struct field *to, const struct field *from);
void __wrap_field_copy(struct field *to, const struct field *from)
{
    expect_host_memory(from->plane[PLANE_COUNT]);
    __real_field_copy(to, from);
}

/* --- memory that runs out --------------------------------------------------------------------- */

size_t block_most = SIZE_MAX;

enum status __real_block_take(struct block *block, const struct job_memory *memory, size_t bytes);
enum status __wrap_block_take(struct block *block, const struct job_memory *memory, size_t bytes);
enum status __wrap_block_take(struct block *block, const struct job_memory *memory, size_t bytes)
{
    if (bytes > block_most)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu bytes of pixels", bytes);
    return __real_block_take(block, memory, bytes);
}

void check_undo(void)
{
    block_most = SIZE_MAX;
    damage_kind = -1;
    damage_pixels = fail_late = false;
    before_beat = NULL;
}

/* --- pictures ------------------------------------------------------------------------------- */

bool root_works;
enum lending lending;
static unsigned char *segment;
enum { SEGMENT_BYTES = 64 << 20 };

/* Memory that all ranks see; they are on one machine here. */
static void map_segment(void)
{
    char name[64] = "";
    size_t length = sizeof name;
    void *bytes = name;
    int file = -1;
    if (world_rank(world) == 0) {
        snprintf(name, sizeof name, "/deepfield-test-%ld", (long)getpid());
        file = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
        if (file < 0 || ftruncate(file, SEGMENT_BYTES))
            world_end(world, STATUS_SYSTEM);
    }
    if (world_share(world, STATUS_OK, &bytes, &length) != STATUS_OK)
        world_end(world, STATUS_SYSTEM);
    if (world_rank(world) > 0)
        file = shm_open(bytes, O_RDWR, 0600);
    segment = mmap(NULL, SEGMENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    enum status status =
        segment == MAP_FAILED ? status_fail(STATUS_SYSTEM, "no shared memory") : STATUS_OK;
    if (world_agree(world, status) != STATUS_OK)
        world_end(world, STATUS_SYSTEM);
    close(file);
    if (world_rank(world) == 0)
        shm_unlink(name);
    else
        free(bytes);
}

/* Threads of the ranks: 0: one each, of threads for every job; else 1 to 3 with threads kept. */
static int varied;
static struct executor *kept;

int threads_of(int rank)
{
    if (rank == 0 && !root_works && world_size(world) > 1)
        return 0;
    return varied ? 1 + (rank + 1) % 3 : 1;
}

struct synthetic picture(int32_t width, int32_t height, int32_t tile_px)
{
    int rank = world_rank(world), threads = threads_of(rank);
    return (struct synthetic){.width = width,
                              .height = height,
                              .tile_px = tile_px,
                              .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                              .count_bytes = 4,
                              .rank = rank,
                              .threads = threads,
                              .credits = threads ? threads + 1 : 0,
                              .spin_us = varied ? 1000 : 0,
                              .executor = varied ? kept : NULL,
                              .segment = segment,
                              .lends = lending == LENDS_EVERYWHERE ||
                                       (lending == LENDS_ON_ODD_RANKS && rank % 2),
                              .epoch = ++epoch,
                              .stop_rank = -1};
}

/* Not rows of the list: the ranks take different transports. */
const struct transport_kind mixed_on_host = {.name = "mixed, picture on the host"};
const struct transport_kind mixed_on_device = {.name = "mixed, picture on the device"};
const struct transport_kind sent_on_device = {.name = "sent, picture on the device"};
const struct transport_kind gatherv_on_device = {.name = "gatherv, picture on the device"};

static const struct transport_kind *transport_of(int rank, const struct transport_kind *transport)
{
    if (transport == &sent_on_device)
        return &transport_sent;
    if (transport == &gatherv_on_device)
        return &transport_gatherv;
    if (transport != &mixed_on_host && transport != &mixed_on_device)
        return transport;
    const struct transport_kind *const transports[] = {
        &transport_sent, transport == &mixed_on_host ? &transport_shared : &transport_device,
        &transport_staged, &transport_gatherv};
    return transports[rank % 4];
}

enum status run_job(struct synthetic *s, const struct schedule_kind *schedule,
                    const struct transport_kind *transport, struct job_report *report)
{
    struct job job;
    for (int rank = 0; rank < world_size(world); rank++)
        s->transports[rank] = transport_of(rank, transport);
    s->on_device = transport == &transport_device || transport == &mixed_on_device ||
                   transport == &sent_on_device || transport == &gatherv_on_device;
    running = s;
    synthetic_create(s);
    synthetic_job(s, schedule, &job);
    *report = (struct job_report){0};
    enum status status = job_run(world, &job, report);
    running = NULL;
    EXPECT(s->given_back == s->borrowed - (s->borrowed >= 2)); /* one wish was not granted */
    EXPECT(s->lent_back == s->lent - (s->lent >= 2) && (s->lends || s->lent == 0));
    EXPECT(!s->called_after_loss);
    EXPECT(s->in_compute == 0 && s->in_compute_most <= s->threads);
    return status;
}

void end_job(struct synthetic *s, struct job_report *report)
{
    synthetic_destroy(s);
    free(report->rank);
}

/* As the squares of one colour; the others are met with the next number of ranks. */
static bool every_second;

static void pair_run(pair_test *test, int s, int t, const struct transport_kind *transport)
{
    int size = world_size(world), colour = (size + 1) / 2;
    if (!every_second || size == 1 || (s + t + colour) % 2)
        test(schedule_kinds[s], transport);
}

static void for_every_pair_here(pair_test *test)
{
    bool alone = world_size(world) == 1;
    for (int s = 0; s < schedule_kinds_count; s++) {
        int t = 0;
        for (; t < transport_kinds_count; t++)
            if (transport_kinds[t] != &transport_local || alone)
                pair_run(test, s, t, transport_kinds[t]);
        if (!alone)
            pair_run(test, s, t, &mixed_on_host);
        if (!alone)
            pair_run(test, s, t + 1, &mixed_on_device);
    }
}

/* The transports that can use what a device lends. */
static void for_every_lending_pair(pair_test *test)
{
    static const struct transport_kind *const kinds[] = {
        &transport_sent, &transport_gatherv, &sent_on_device, &gatherv_on_device, &mixed_on_device};
    for (int s = 0; s < schedule_kinds_count && world_size(world) > 1; s++)
        for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); k++)
            pair_run(test, s, k, kinds[k]);
}

void for_every_transport(pair_test *test)
{
    for_every_pair_here(test);
}

void for_every_pair(pair_test *test)
{
    for_every_pair_here(test);
    root_works = true;
    varied = 1;
    for_every_pair_here(test);
    lending = LENDS_ON_ODD_RANKS;
    for_every_lending_pair(test);
    root_works = false;
    varied = 0;
    lending = LENDS_EVERYWHERE;
    for_every_lending_pair(test);
    lending = LENDS_NOTHING;
}

void for_every_second_pair(pair_test *test)
{
    every_second = !check_long();
    for_every_pair(test);
    every_second = false;
}

int computing_ranks(void)
{
    return world_size(world) - (threads_of(0) == 0);
}

int all_threads(void)
{
    int threads = 0;
    for (int rank = 0; rank < world_size(world); rank++)
        threads += threads_of(rank);
    return threads;
}

/* --- main ----------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    if (!check_begin())
        return 1;
    map_segment();
    if (executor_open(&kept) != STATUS_OK)
        return 1;
    /* `abort`: does one rank's exit code reach mpirun, whatever the others do? */
    if (argc > 1 && !strcmp(argv[1], "abort")) {
        if (world_rank(world) == world_size(world) - 1)
            world_end(world, STATUS_CONFIG);
        for (;;)
            patience_nap(NAP_MOST_US);
    }
    int failed = check_run(NULL, NULL);
    executor_close(kept);
    world_close(world);
    return failed != 0;
}
