/* Do all ranks together make the picture, whatever the schedule and the transport? And what does
 * waiting cost? */
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decomposition/transport/packing.h"
#include "mpi_test.h"

/* --- the picture arrives ----------------------------------------------------------------- */

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
        EXPECT(rank->threads == threads_of(i) && rank->threads_lost == 0);
        EXPECT(rank->busy_s >= 0 && rank->wait_s >= 0);
        EXPECT((rank->bytes_sent > 0) == (i > 0 && !s->transports[i]->in_place && rank->tiles > 0));
    }
    /* On a crowded machine a rank can seem slow, and another does its last tiles as well. */
    EXPECT(tiles == s->tile_count + report->twice);
    EXPECT(report->twice > 0 || iterations == (uint64_t)s->width * (uint64_t)s->height);
    EXPECT(computing == computing_ranks());
    EXPECT(report->late_dropped == 0 && report->threads_lost == 0);
    EXPECT(report->seconds > 0);
}

static void whole_picture(const struct schedule_kind *schedule,
                          const struct transport_kind *transport)
{
    static const struct {
        int32_t width, height, tile_px;
        unsigned planes;
        int count_bytes;
        uint32_t interleaved;
    } cases[] = {
        {1, 1, 64, 1, 4, 0},        /* one pixel, fewer tiles than ranks */
        {2, 1, 1, 3, 8, 0},         /* two tiles */
        {509, 300, 64, 3, 4, 0},    /* a prime, tiles cut off at the edges */
        {509, 300, 37, 1, 8, 0},    /* tiles whose bytes are no multiple of anything */
        {1, 4096, 64, 3, 4, 0},     /* a column */
        {32768, 3, 32768, 3, 8, 0}, /* one long row of 1.1 MB */
        {131, 127, 2, 3, 4, 0},     /* 4,224 tiles of 32 bytes */
        {700, 700, 512, 3, 8, 0},   /* 3 MB in a message */
        {509, 300, 16, 3, 4, 5},    /* interleaved bands, the last one cut off */
        {131, 77, 16, 1, 8, 3},     /* the same, counts of 8 bytes */
        {40, 50, 16, 3, 8, 9},      /* fewer bands than tiles */
    };
    static size_t turn; /* the same on all ranks */
    turn++;
    /* Each pair meets one case of so many, and other cases with other numbers of ranks. */
    const size_t apart = world_size(world) > 3 ? 11 : 6, ranks = (size_t)world_size(world);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!check_long() && (turn + ranks + i) % apart)
            continue;
        struct synthetic s = picture(cases[i].width, cases[i].height, cases[i].tile_px);
        s.interleaved = cases[i].interleaved;
        s.planes = cases[i].planes;
        s.count_bytes = cases[i].count_bytes;
        struct job_report report;
        EXPECT(run_job(&s, schedule, transport, &report) == STATUS_OK);
        if (world_rank(world) == 0 && !wrong[0]) {
            EXPECT(synthetic_whole(&s));
            EXPECT(s.progress_calls >= 1);
            check_report(&s, &report);
        }
        end_job(&s, &report);
    }
}

TEST(every_pair_brings_every_pixel_once)
{
    for_every_pair(whole_picture);
    settle();
}

/* More than are under way, or with the thread that takes them, at a time: whole rows of the picture
 * and parts of rows. */
TEST(tiles_of_many_pieces_arrive_whole)
{
    static const struct transport_kind *const kinds[] = {&transport_staged, &transport_gatherv};
    for (int i = 0; i < 4 && world_size(world) > 1; i++) {
        struct synthetic s = picture(i < 2 ? 2048 : 2060, 1300, 2048);
        struct job_report report;
        s.planes = 3;
        s.count_bytes = 8; /* 32 MB */
        EXPECT(run_job(&s, &schedule_cyclic, kinds[i % 2], &report) == STATUS_OK);
        if (world_rank(world) == 0 && !wrong[0])
            EXPECT(synthetic_whole(&s));
        end_job(&s, &report);
    }
    settle();
}

/* The same pixels travel packed: over slow links, and here because they are told to. */
TEST(packed_tiles_arrive_whole)
{
    static const struct transport_kind *const kinds[] = {&transport_staged, &mixed_on_host,
                                                         &mixed_on_device};
    world->packs = world_rank(world) > 0 && packing_is_built();
    for (size_t t = 0; t < sizeof kinds / sizeof *kinds && world_size(world) > 1; t++)
        for (int s = 0; s < schedule_kinds_count; s++)
            whole_picture(schedule_kinds[s], kinds[t]);
    for (int i = 0; i < 2 && world_size(world) > 1; i++) {
        struct synthetic s = picture(i ? 2048 : 2060, 1300, 2048);
        struct job_report report;
        s.planes = 3;
        s.count_bytes = 8; /* 32 MB, of many pieces */
        EXPECT(run_job(&s, &schedule_cyclic, &transport_staged, &report) == STATUS_OK);
        if (world_rank(world) == 0 && !wrong[0])
            EXPECT(synthetic_whole(&s));
        end_job(&s, &report);
    }
    world->packs = false;
    settle();
}

TEST(transports_that_cannot_work_are_refused)
{
    if (world_size(world) > 1) {
        struct synthetic s = picture(10, 10, 5);
        struct job_report report;
        EXPECT(run_job(&s, &schedule_cyclic, &transport_local, &report) == STATUS_CONFIG);
        EXPECT(strstr(status_text(), "local is for rank 0"));
        end_job(&s, &report);
        s = picture(10, 10, 5);
        s.segment = world_rank(world) ? NULL : s.segment;
        EXPECT(run_job(&s, &schedule_cyclic, &transport_shared, &report) == STATUS_CONFIG);
        EXPECT(strstr(status_text(), "in reach"));
        end_job(&s, &report);
    }
    settle();
}

/* What devices reach fast is pinned, and so taken from everybody. */
TEST(tiles_are_kept_in_ordinary_memory)
{
    for (int i = 0; i < schedule_kinds_count && world_size(world) > 1; i++) {
        struct synthetic s = picture(400, 300, 10);
        struct job_report report;
        EXPECT(run_job(&s, schedule_kinds[i], &transport_gatherv, &report) == STATUS_OK);
        EXPECT(s.borrowed == 0);
        end_job(&s, &report);
    }
    settle();
}

TEST(no_threads_is_no_job)
{
    struct synthetic s = picture(10, 10, 5);
    s.threads = s.credits = 0;
    struct job_report report;
    EXPECT(run_job(&s, &schedule_cyclic, &transport_staged, &report) == STATUS_NO_DEVICE);
    EXPECT(strstr(status_text(), "nothing") || strstr(status_text(), "no rank"));
    end_job(&s, &report);
    settle();
}

/* --- balance and rest ----------------------------------------------------------------------- */

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
    EXPECT(run_job(&s, &schedule_dynamic, &transport_staged, &report) == STATUS_OK);
    double most = 0, sum = 0;
    for (int i = 0; report.rank && i < world_size(world); i++) {
        sum += report.rank[i].busy_s;
        most = report.rank[i].busy_s > most ? report.rank[i].busy_s : most;
    }
    double balance = most > 0 ? sum / computing_ranks() / most : 0;
    if (world_rank(world) == 0)
        print_message("balance of %d workers: %.3f, %.3f s\n", computing_ranks(), balance,
                      report.seconds);
    end_job(&s, &report);
    return balance;
}

/* Other programs on this machine can take the core from a worker for longer than a tile costs, so
 * one good run of several is what can be promised. */
TEST(dynamic_balances_an_uneven_picture)
{
    double best = check_long() ? 0 : 1; /* of time; test_book plays it in virtual time */
    for (int attempt = 0; attempt < 20 && best < 0.95; attempt++) {
        double balance = measure_balance();
        size_t length = sizeof balance;
        void *shared = &balance;
        EXPECT(world_share(world, STATUS_OK, &shared, &length) == STATUS_OK);
        best = *(double *)shared > best ? *(double *)shared : best;
        if (shared != &balance)
            free(shared);
    }
    EXPECT(best >= 0.95);
    settle();
}

static unsigned long_cost_us(const struct tile *tile, const struct synthetic *s)
{
    (void)tile;
    (void)s;
    return 100000;
}

/* MPI's blocking calls spin. On a machine whose cores compute, waiting must cost next to nothing:
 * after some looks in vain there is a nap behind each, of 0.2 ms and more. */
TEST(waiting_costs_little)
{
    struct synthetic s = picture(8 * 3 * world_size(world), 8, 8);
    s.cost_us = long_cost_us;
    struct job_report report;
    struct timespec from, to;
    message_looks = 0;
    clock_gettime(CLOCK_MONOTONIC, &from);
    EXPECT(run_job(&s, &schedule_dynamic, &transport_staged, &report) == STATUS_OK);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double wall = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    double part[2] = {message_looks, wall}, all[2 * 64] = {0};
    EXPECT(world_gather(world, part, sizeof part, all) == STATUS_OK);
    for (int i = 0; i < world_size(world) && world_rank(world) == 0; i++) {
        print_message("rank %d: %.0f looks in %.3f s of waiting\n", i, all[2 * i], all[2 * i + 1]);
        EXPECT(all[2 * i] < 2000 + 15000 * all[2 * i + 1]);
    }
    end_job(&s, &report);
    settle();
}
