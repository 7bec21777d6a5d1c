/* Do all ranks together make the picture, whatever the schedule, the transport and the trouble?
 *
 * One program, many promises, because starting MPI costs half a second. Every test ends in
 * settle(): the ranks agree whether it passed everywhere, so that one that failed does not leave
 * the others waiting. The MPI_ functions defined here stand before the library's and damage what
 * passes when asked to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "decomposition/job.h"
#include "decomposition/message.h"
#include "decomposition/outbox.h"
#include "decomposition/world_comm.h"
#include "synthetic.h"

static struct world *world;
static uint64_t epoch = 100;

/* --- damage on the way ------------------------------------------------------------------------ */

static int damage_kind = -1; /* messages of this kind ... */
static size_t damage_at;     /* ... get this byte flipped, counted from the header */
static bool damage_gather;   /* the collective's bytes instead */

int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (tag == damage_kind && comm == world->tiles)
        ((unsigned char *)(uintptr_t)bytes)[damage_at] ^= 0x10;
    return PMPI_Isend(bytes, count, type, to, tag, comm, request);
}

int MPI_Send(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    if (tag == damage_kind && comm == world->tiles)
        ((unsigned char *)(uintptr_t)bytes)[damage_at] ^= 0x10;
    return PMPI_Send(bytes, count, type, to, tag, comm);
}

int MPI_Gatherv(const void *bytes, int count, MPI_Datatype type, void *out, const int counts[],
                const int at[], MPI_Datatype out_type, int root, MPI_Comm comm)
{
    if (damage_gather && count > 0)
        *(unsigned char *)(uintptr_t)bytes ^= 0x10;
    return PMPI_Gatherv(bytes, count, type, out, counts, at, out_type, root, comm);
}

/* --- frame of a test -------------------------------------------------------------------------- */

static char wrong[1024]; /* the first expectation that failed on this rank */

#define EXPECT(condition)                                                                        \
    do {                                                                                         \
        if (!(condition) && !wrong[0])                                                           \
            snprintf(wrong, sizeof wrong, "%s:%d: %s (status text: %.500s)", __FILE__, __LINE__, \
                     #condition, status_text());                                                 \
    } while (0)

static void settle(void)
{
    damage_kind = -1;
    damage_gather = false;
    enum status mine = STATUS_OK;
    if (wrong[0])
        mine = status_fail(STATUS_INTERNAL, "%s", wrong);
    enum status all = world_agree(world, mine);
    wrong[0] = '\0';
    if (all != STATUS_OK && world_rank(world) == 0)
        print_error("%s\n", status_text());
    assert_int_equal(all, STATUS_OK);
}

static struct synthetic picture(int32_t width, int32_t height, int32_t tile_px)
{
    return (struct synthetic){.width = width,
                              .height = height,
                              .tile_px = tile_px,
                              .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                              .count_bytes = 4,
                              .rank = world_rank(world),
                              .epoch = ++epoch,
                              .stop_rank = -1};
}

static enum status run(struct synthetic *s, const struct schedule_kind *schedule,
                       const struct transport_kind *transport, struct job_report *report)
{
    struct job job;
    synthetic_create(s);
    synthetic_job(s, schedule, transport, &job);
    *report = (struct job_report){0};
    return job_run(world, &job, report);
}

static void end(struct synthetic *s, struct job_report *report)
{
    synthetic_destroy(s);
    free(report->rank);
}

typedef void pair_test(const struct schedule_kind *schedule,
                       const struct transport_kind *transport);

static void pretend_root_is_alone(bool alone)
{
    static int root_node_size;
    if (root_node_size == 0)
        root_node_size = world->root_node_size;
    world->root_node_size = alone ? 1 : root_node_size;
}

static void for_every_pair_here(pair_test *test)
{
    for (int s = 0; s < schedule_kinds_count; s++)
        for (int t = 0; t < transport_kinds_count; t++)
            if (!transport_kinds[t]->needs_one_rank || world_size(world) == 1)
                test(schedule_kinds[s], transport_kinds[t]);
}

/* Calls `test` for every pair that can work in this world: with rank 0 as coordinator only, and as
 * if it were alone on its machine, when it computes too. */
static void for_every_pair(pair_test *test)
{
    for_every_pair_here(test);
    if (world_size(world) > 1) {
        pretend_root_is_alone(true);
        for_every_pair_here(test);
        pretend_root_is_alone(false);
    }
}

static int computing_ranks(void)
{
    return world_size(world) - !job_root_computes(world);
}

/* --- the picture comes home ------------------------------------------------------------------- */

static void check_report(const struct synthetic *s, const struct job_report *report)
{
    uint32_t tiles = 0;
    uint64_t iterations = 0;
    int computing = 0;
    for (int i = 0; i < world_size(world); i++) {
        const struct job_rank *rank = &report->rank[i];
        tiles += rank->tiles;
        iterations += rank->iterations;
        computing += rank->computes;
        EXPECT(rank->host[0] != '\0');
        EXPECT(rank->busy_s >= 0 && rank->wait_s >= 0);
    }
    EXPECT(tiles == s->tile_count);
    EXPECT(iterations == (uint64_t)s->width * (uint64_t)s->height);
    EXPECT(computing == computing_ranks());
    EXPECT(report->late_dropped == 0);
    EXPECT(report->seconds > 0);
}

static void whole_picture(const struct schedule_kind *schedule,
                          const struct transport_kind *transport)
{
    static const struct {
        int32_t width, height, tile_px;
        unsigned planes;
        int count_bytes;
    } cases[] = {
        {1, 1, 64, 1, 4},        /* one pixel, fewer tiles than ranks */
        {2, 1, 1, 3, 8},         /* two tiles */
        {509, 300, 64, 3, 4},    /* a prime, tiles cut off at the edges */
        {509, 300, 37, 1, 8},    /* tiles whose bytes are no multiple of anything */
        {1, 4096, 64, 3, 4},     /* a column */
        {32768, 3, 32768, 3, 8}, /* one long row of 1.1 MB */
        {131, 127, 2, 3, 4},     /* 4,224 tiles of 32 bytes */
        {700, 700, 512, 3, 8},   /* 3 MB in a message */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct synthetic s = picture(cases[i].width, cases[i].height, cases[i].tile_px);
        s.planes = cases[i].planes;
        s.count_bytes = cases[i].count_bytes;
        struct job_report report;
        EXPECT(run(&s, schedule, transport, &report) == STATUS_OK);
        if (world_rank(world) == 0 && !wrong[0]) {
            EXPECT(synthetic_whole(&s));
            EXPECT(s.progress_calls >= 1);
            check_report(&s, &report);
        }
        end(&s, &report);
    }
}

static void every_pair_brings_every_pixel_home_once(void **state)
{
    (void)state;
    for_every_pair(whole_picture);
    settle();
}

static void local_is_refused_with_several_ranks(void **state)
{
    (void)state;
    if (world_size(world) > 1) {
        struct synthetic s = picture(10, 10, 5);
        struct job_report report;
        EXPECT(run(&s, &schedule_cyclic, &transport_local, &report) == STATUS_CONFIG);
        EXPECT(strstr(status_text(), "one rank"));
        end(&s, &report);
    }
    settle();
}

/* --- failures --------------------------------------------------------------------------------- */

static void failing_tile(const struct schedule_kind *schedule,
                         const struct transport_kind *transport)
{
    struct synthetic s = picture(300, 200, 50);
    s.fail_with = STATUS_NO_DEVICE;
    s.fail_tile = 17;
    struct job_report report;
    EXPECT(run(&s, schedule, transport, &report) == STATUS_NO_DEVICE);
    EXPECT(strstr(status_text(), "tile 17 cannot be computed"));
    if (world_size(world) > 1 && !job_root_computes(world))
        EXPECT(!strncmp(status_text(), "rank ", 5));
    EXPECT(s.delivered < s.tile_count);
    end(&s, &report);
}

static void failure_of_one_rank_ends_all(void **state)
{
    (void)state;
    for_every_pair(failing_tile);
    settle();
}

/* The other ranks would compute for ever if they were not told to give up. With one worker tile 0
 * itself fails. */
static void failing_tile_while_others_compute(const struct schedule_kind *schedule,
                                              const struct transport_kind *transport)
{
    struct synthetic s = picture(300, 200, 50);
    s.fail_with = STATUS_BAD_DATA;
    s.fail_tile = computing_ranks() > 1 ? 1 : 0;
    s.others_wait = true;
    struct job_report report;
    EXPECT(run(&s, schedule, transport, &report) == STATUS_BAD_DATA);
    end(&s, &report);
}

static void a_running_compute_is_told_to_give_up(void **state)
{
    (void)state;
    for_every_pair(failing_tile_while_others_compute);
    settle();
}

static void failing_deliver(const struct schedule_kind *schedule,
                            const struct transport_kind *transport)
{
    struct synthetic s = picture(300, 200, 50);
    s.deliver_fails = STATUS_IO;
    struct job_report report;
    EXPECT(run(&s, schedule, transport, &report) == STATUS_IO);
    EXPECT(!strcmp(status_text(), "the disk is full of tile 1"));
    end(&s, &report);
}

static void failure_to_deliver_ends_all(void **state)
{
    (void)state;
    for_every_pair(failing_deliver);
    settle();
}

static int stopping_rank;

static void stop_in_the_middle(const struct schedule_kind *schedule,
                               const struct transport_kind *transport)
{
    struct synthetic s = picture(300, 200, 10);
    s.stop_rank = stopping_rank;
    s.stop_tile = 20;
    s.others_wait = stopping_rank != 0 || job_root_computes(world);
    if (stopping_rank == 0 && !s.others_wait && transport == &transport_gatherv)
        s.stop = 1; /* rank 0 sees no tile before the end */
    struct job_report report;
    if (s.others_wait)
        s.stop_tile = 0;
    EXPECT(run(&s, schedule, transport, &report) == STATUS_STOPPED);
    EXPECT(!strcmp(status_text(), "stopped on request"));
    end(&s, &report);
}

static void a_stop_on_any_rank_ends_all(void **state)
{
    (void)state;
    for (stopping_rank = 0; stopping_rank < world_size(world); stopping_rank++)
        for_every_pair(stop_in_the_middle);
    settle();
}

/* --- damaged and late messages ---------------------------------------------------------------- */

static bool has_remote_worker(void)
{
    return world_size(world) > 1;
}

static void damaged_job(const struct schedule_kind *schedule,
                        const struct transport_kind *transport, const char *sentence)
{
    struct synthetic s = picture(300, 200, 50);
    struct job_report report;
    EXPECT(run(&s, schedule, transport, &report) == STATUS_INTERNAL);
    EXPECT(strstr(status_text(), sentence));
    damage_kind = -1;
    damage_gather = false;
    end(&s, &report);
}

static void damaged_pixels_are_noticed(void **state)
{
    (void)state;
    for (int s = 0; s < schedule_kinds_count && has_remote_worker(); s++) {
        damage_kind = MESSAGE_TILE;
        damage_at = MESSAGE_BYTES + 4711;
        damaged_job(schedule_kinds[s], &transport_staged, "arrived damaged");
        damage_gather = true;
        damaged_job(schedule_kinds[s], &transport_gatherv, "arrived damaged");
    }
    settle();
}

static void damaged_headers_hang_nobody(void **state)
{
    (void)state;
    static const struct {
        int kind;
        bool dynamic_only;
    } cases[] = {{MESSAGE_TILE, false}, {MESSAGE_BYE, false}, {MESSAGE_TAKE, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases && has_remote_worker(); i++)
        for (int s = 0; s < schedule_kinds_count; s++) {
            if (cases[i].dynamic_only && schedule_kinds[s]->is_static)
                continue;
            damage_kind = cases[i].kind;
            damage_at = 20;
            damaged_job(schedule_kinds[s], &transport_staged, "arrived damaged");
        }
    settle();
}

/* Messages of the last picture that come when the next is being made. */
static void send_late_messages(uint64_t old_epoch)
{
    if (world_rank(world) > 0) {
        static unsigned char pixels[1500];
        struct message late = {.kind = MESSAGE_TILE, .epoch = old_epoch, .tile = 3};
        EXPECT(outbox_post(world, 0, &late, pixels, sizeof pixels) == STATUS_OK);
        late = (struct message){.kind = MESSAGE_FAIL, .epoch = old_epoch, .status = STATUS_IO};
        EXPECT(outbox_post(world, 0, &late, pixels, 10) == STATUS_OK);
        return;
    }
    for (int rank = 1; rank < world_size(world); rank++) {
        struct message late = {.kind = MESSAGE_TAKE, .epoch = old_epoch, .tile = 2};
        EXPECT(outbox_post(world, rank, &late, NULL, 0) == STATUS_OK);
        late = (struct message){.kind = MESSAGE_END, .epoch = old_epoch};
        EXPECT(outbox_post(world, rank, &late, NULL, 0) == STATUS_OK);
        EXPECT(MPI_Send(&old_epoch, 1, MPI_UINT64_T, rank, 0, world->cancel) == MPI_SUCCESS);
    }
}

static void late_messages(const struct schedule_kind *schedule,
                          const struct transport_kind *transport)
{
    if (!has_remote_worker())
        return;
    struct synthetic s = picture(300, 200, 50);
    send_late_messages(s.epoch - 1);
    struct job_report report;
    EXPECT(run(&s, schedule, transport, &report) == STATUS_OK);
    if (world_rank(world) == 0) {
        EXPECT(report.late_dropped == 2 * (uint64_t)(world_size(world) - 1));
        EXPECT(synthetic_whole(&s));
    }
    end(&s, &report);
}

static void late_messages_are_dropped_and_counted(void **state)
{
    (void)state;
    for_every_pair(late_messages);
    settle();
}

/* A tile that nobody asked for is a fault of ours, not pixels. */
static void impossible_tiles_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t tile;
        size_t length;
    } cases[] = {{999, 8}, {0, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases && has_remote_worker(); i++) {
        struct synthetic s = picture(300, 200, 50);
        s.others_wait = true;
        if (world_rank(world) == world_size(world) - 1) {
            struct message bad = {.kind = MESSAGE_TILE, .epoch = s.epoch, .tile = cases[i].tile};
            EXPECT(outbox_post(world, 0, &bad, "abcdefgh", cases[i].length) == STATUS_OK);
        }
        struct job_report report;
        EXPECT(run(&s, &schedule_cyclic, &transport_staged, &report) == STATUS_INTERNAL);
        EXPECT(strstr(status_text(), "announced tile"));
        end(&s, &report);
    }
    settle();
}

/* --- balance and rest ------------------------------------------------------------------------- */

/* One tile in sixteen costs 8 times as much; dealt out in turn to a number of workers that divides
 * sixteen, they would all be one worker's. */
static unsigned uneven_cost_us(const struct tile *tile, const struct synthetic *s)
{
    (void)s;
    return tile->x / 8 % 16 == 0 ? 4000 : 500;
}

static double measure_balance(void)
{
    struct synthetic s = picture(512, 64, 8);
    s.cost_us = uneven_cost_us;
    struct job_report report;
    EXPECT(run(&s, &schedule_dynamic, &transport_staged, &report) == STATUS_OK);
    double most = 0, sum = 0;
    for (int i = 0; report.rank && i < world_size(world); i++) {
        sum += report.rank[i].busy_s;
        most = report.rank[i].busy_s > most ? report.rank[i].busy_s : most;
    }
    double balance = most > 0 ? sum / computing_ranks() / most : 0;
    if (world_rank(world) == 0)
        print_message("balance of %d workers: %.3f, %.3f s\n", computing_ranks(), balance,
                      report.seconds);
    end(&s, &report);
    return balance;
}

/* Other programs on this machine can take the core from a worker for longer than a tile costs, so
 * one good run of several is what can be promised. */
static void dynamic_balances_an_uneven_picture(void **state)
{
    (void)state;
    double best = 0;
    for (int attempt = 0; attempt < 6 && best < 0.95; attempt++) {
        double balance = measure_balance();
        size_t length = sizeof balance;
        void *shared = &balance;
        EXPECT(world_share(world, &shared, &length) == STATUS_OK);
        best = *(double *)shared > best ? *(double *)shared : best;
        if (shared != &balance)
            free(shared);
    }
    EXPECT(best >= 0.95);
    settle();
}

static double cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static unsigned long_cost_us(const struct tile *tile, const struct synthetic *s)
{
    (void)tile;
    (void)s;
    return 100000;
}

/* MPI's blocking calls spin. On a machine whose cores compute, waiting must cost next to nothing:
 * here nobody computes, so all processor time is waiting. */
static void waiting_costs_little(void **state)
{
    (void)state;
    struct synthetic s = picture(8 * 3 * world_size(world), 8, 8);
    s.cost_us = long_cost_us;
    struct job_report report;
    struct timespec from, to;
    double cpu = cpu_s();
    clock_gettime(CLOCK_MONOTONIC, &from);
    EXPECT(run(&s, &schedule_dynamic, &transport_staged, &report) == STATUS_OK);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double wall = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    double part[2] = {cpu_s() - cpu, wall}, all[2 * 64] = {0};
    EXPECT(world_gather(world, part, sizeof part, all) == STATUS_OK);
    for (int i = 0; i < world_size(world) && world_rank(world) == 0; i++) {
        print_message("rank %d: %.1f %% of a core while waiting\n", i,
                      100 * all[2 * i] / all[2 * i + 1]);
        EXPECT(all[2 * i] < 0.3 * all[2 * i + 1]); /* measured: 3-8 %; spinning is 100 % */
    }
    end(&s, &report);
    settle();
}

/* --- the world -------------------------------------------------------------------------------- */

static void agreement_names_the_lowest_failing_rank(void **state)
{
    (void)state;
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
    EXPECT(world_share(world, &shared, &got) == STATUS_OK);
    EXPECT(got == length && shared != NULL);
    for (size_t i = 0; i < got && shared; i++)
        if (((unsigned char *)shared)[i] != (unsigned char)(i * 31 + i / 251)) {
            EXPECT(!"shared bytes differ");
            break;
        }
    free(shared);
}

static void shared_bytes_arrive_in_any_number_of_chunks(void **state)
{
    (void)state;
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

static void records_are_gathered_in_rank_order(void **state)
{
    (void)state;
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

static void the_machine_is_known(void **state)
{
    (void)state;
    int started = 0;
    MPI_Initialized(&started);
    EXPECT(started == world_launched()); /* alone, nobody pays for MPI_Init */
    EXPECT(world_node_size(world) >= 1 && world_node_size(world) <= world_size(world));
    EXPECT(world_node_rank(world) >= 0 && world_node_rank(world) < world_node_size(world));
    EXPECT(world_root_node_size(world) >= 1);
    EXPECT(strlen(world_library()) > 3);
    settle();
}

static void mpi_errors_become_a_status(void **state)
{
    (void)state;
    if (world->mpi) {
        int nowhere = world_size(world) + 7;
        EXPECT(world_check(PMPI_Send(&nowhere, 1, MPI_INT, nowhere, 0, world->tiles),
                           "MPI_Send(x)") == STATUS_SYSTEM);
        EXPECT(!strncmp(status_text(), "MPI_Send failed: ", 17));
    }
    settle();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_machine_is_known),
        cmocka_unit_test(agreement_names_the_lowest_failing_rank),
        cmocka_unit_test(shared_bytes_arrive_in_any_number_of_chunks),
        cmocka_unit_test(records_are_gathered_in_rank_order),
        cmocka_unit_test(mpi_errors_become_a_status),
        cmocka_unit_test(every_pair_brings_every_pixel_home_once),
        cmocka_unit_test(local_is_refused_with_several_ranks),
        cmocka_unit_test(failure_of_one_rank_ends_all),
        cmocka_unit_test(a_running_compute_is_told_to_give_up),
        cmocka_unit_test(failure_to_deliver_ends_all),
        cmocka_unit_test(a_stop_on_any_rank_ends_all),
        cmocka_unit_test(damaged_pixels_are_noticed),
        cmocka_unit_test(damaged_headers_hang_nobody),
        cmocka_unit_test(late_messages_are_dropped_and_counted),
        cmocka_unit_test(impossible_tiles_are_refused),
        cmocka_unit_test(dynamic_balances_an_uneven_picture),
        cmocka_unit_test(waiting_costs_little),
    };
    if (world_open(&world) != STATUS_OK) {
        fprintf(stderr, "%s\n", status_text());
        return 1;
    }
    if (world_rank(world) != 0 && !freopen("/dev/null", "w", stdout)) /* one voice is enough */
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    world_close(world);
    return failed != 0;
}
