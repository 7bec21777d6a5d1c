/* Is the picture whole although devices die and ranks are slow? */
#include "tests/support/check.h"

#include <string.h>

#include "mpi_test.h"

static void lose(struct synthetic *s, int rank, int thread, uint32_t after)
{
    s->loss[s->losses++] = (struct synthetic_loss){.rank = rank, .thread = thread, .after = after};
}

/* --- devices that die ----------------------------------------------------------------------- */

/* At least this many threads must have been lost, by this rank first. A thread that never got so
 * far as to die does not count. */
static void expect_whole(struct synthetic *s, const struct job_report *report, int first_rank,
                         int least, int most)
{
    if (world_rank(world) != 0)
        return;
    EXPECT(synthetic_whole(s));
    EXPECT((int)report->threads_lost >= least && (int)report->threads_lost <= most);
    int sum = 0;
    for (int rank = 0; rank < world_size(world); rank++)
        sum += report->rank[rank].threads_lost;
    EXPECT(sum == (int)report->threads_lost);
    if (report->threads_lost > 0 && first_rank >= 0) {
        char sentence[64];
        snprintf(sentence, sizeof sentence, "of rank %d fell off the bus", first_rank);
        /* On a busy machine others may have done a tile by the time that its thread dies. */
        EXPECT(report->lost_rank == first_rank && (strstr(report->lost_text, sentence) ||
                                                   strstr(report->lost_text, "arrived already")));
    }
}

/* Long enough that nobody can compute the whole picture before the others have begun. */
static unsigned some_cost_us(const struct tile *tile, const struct synthetic *s)
{
    (void)tile;
    (void)s;
    return 300;
}

static struct synthetic picture_with_losses(void)
{
    struct synthetic s = picture(130, 70, 10);
    s.cost_us = some_cost_us;
    return s;
}

/* One thread of the last rank, at its first tile and later. */
static void one_thread(const struct schedule_kind *schedule, const struct transport_kind *transport)
{
    int last = world_size(world) - 1;
    if (all_threads() < 2)
        return;
    static uint32_t turn; /* the same on all ranks */
    turn++;
    for (uint32_t after = 0; after < 3; after += 2) {
        if (!check_long() && after != turn % 2 * 2)
            continue;
        struct synthetic s = picture_with_losses();
        lose(&s, last, 0, after);
        struct job_report report;
        EXPECT(run_job(&s, schedule, transport, &report) == STATUS_OK);
        /* On a busy machine others may compute what it has before it gets a core at all. */
        bool must = after == 0 && threads_of(last) == 1 && schedule->is_static;
        expect_whole(&s, &report, last, must, 1);
        end_job(&s, &report);
    }
}

TEST(lost_threads_leave_a_whole_picture)
{
    for_every_pair(one_thread);
    settle();
}

/* Every thread of a rank, of each rank in turn; then of all ranks but one, at different times. */
static void whole_ranks(const struct schedule_kind *schedule,
                        const struct transport_kind *transport)
{
    static int turn; /* the same on all ranks */
    turn++;
    for (int rank = 0; rank < world_size(world); rank++) {
        if (threads_of(rank) == 0 || computing_ranks() < 2)
            continue;
        if (!check_long() && (rank + turn) % 3)
            continue;
        struct synthetic s = picture_with_losses();
        lose(&s, rank, -1, (uint32_t)rank % 2);
        struct job_report report;
        EXPECT(run_job(&s, schedule, transport, &report) == STATUS_OK);
        expect_whole(&s, &report, rank, 0, threads_of(rank));
        end_job(&s, &report);
    }
    struct synthetic s = picture_with_losses();
    int survivor = computing_ranks() == world_size(world) ? 0 : 1;
    for (int rank = survivor + 1; rank < world_size(world); rank++)
        lose(&s, rank, -1, (uint32_t)rank % 3);
    struct job_report report;
    EXPECT(run_job(&s, schedule, transport, &report) == STATUS_OK);
    expect_whole(&s, &report, -1, 0, all_threads() - threads_of(survivor));
    end_job(&s, &report);
}

TEST(a_rank_without_devices_leaves_a_whole_picture)
{
    for_every_pair(whole_ranks);
    settle();
}

static void everything(const struct schedule_kind *schedule, const struct transport_kind *transport)
{
    struct synthetic s = picture_with_losses();
    for (int rank = 0; rank < world_size(world); rank++)
        lose(&s, rank, -1, (uint32_t)rank % 2);
    struct job_report report;
    EXPECT(run_job(&s, schedule, transport, &report) == STATUS_DEVICE_LOST);
    EXPECT(!strncmp(status_text(), "every device failed; the first, on rank ", 40));
    EXPECT(strstr(status_text(), "fell off the bus"));
    if (world_rank(world) == 0) {
        EXPECT((int)report.threads_lost == all_threads());
        EXPECT(s.delivered < s.tile_count);
    }
    end_job(&s, &report);
}

TEST(the_loss_of_everything_is_an_error)
{
    for_every_pair(everything);
    settle();
}

/* --- ranks that are slow -------------------------------------------------------------------- */

static bool slow_rank_is_known;

static unsigned slow_cost_us(const struct tile *tile, const struct synthetic *s)
{
    (void)tile;
    return s->rank == world_size(world) - 1 ? 20000000 : 500;
}

/* The last rank would need 20 s for each of its tiles. */
static void slow_rank(const struct schedule_kind *schedule, const struct transport_kind *transport)
{
    if (schedule->is_static || computing_ranks() < 2)
        return;
    struct synthetic s = picture(100, 50, 10);
    s.cost_us = slow_cost_us;
    if (slow_rank_is_known)
        s.speed = s.rank == world_size(world) - 1 ? 5 : 200000;
    struct job_report report;
    EXPECT(run_job(&s, schedule, transport, &report) == STATUS_OK);
    if (world_rank(world) == 0) {
        EXPECT(synthetic_whole(&s));
        EXPECT(report.seconds < 20);
        EXPECT(report.rank[world_size(world) - 1].tiles == 0);
    }
    end_job(&s, &report);
}

TEST(nobody_waits_for_a_slow_rank)
{
    slow_rank_is_known = false;
    for_every_pair(slow_rank);
    slow_rank_is_known = true;
    for_every_pair(slow_rank);
    settle();
}

/* Rank 1 holds the job for 400 ms with tile 0; in the meantime it computes all else with its other
 * thread, also what the last rank has had since the beginning and is done with after 150. Both are
 * longer by this factor where others want the cores. */
static unsigned late_factor;

static unsigned cost_of_a_late_tile_us(const struct tile *tile, const struct synthetic *s)
{
    if (s->rank == world_size(world) - 1)
        return late_factor * 150000;
    return tile->x == 0 && tile->y == 0 ? late_factor * 400000 : 1000;
}

/* Tiles that came twice; the same on every rank. */
static uint64_t tiles_twice(const struct schedule_kind *schedule,
                            const struct transport_kind *transport)
{
    struct synthetic s = picture(50, 50, 10);
    s.threads = s.rank == 0 ? 0 : s.rank == 1 ? 2 : 1;
    s.credits = s.rank == 0 ? 0 : s.rank == 1 ? 3 : 2;
    s.cost_us = cost_of_a_late_tile_us;
    struct job_report report;
    EXPECT(run_job(&s, schedule, transport, &report) == STATUS_OK);
    if (world_rank(world) == 0) {
        EXPECT(synthetic_whole(&s));
        EXPECT(report.rank[1].tiles + report.rank[2].tiles == s.tile_count + report.twice);
    }
    uint64_t twice = world_rank(world) == 0 ? report.twice : 0;
    EXPECT(world_tell(world, STATUS_OK, &twice, sizeof twice) == STATUS_OK);
    end_job(&s, &report);
    return twice;
}

static void second_of_two(const struct schedule_kind *schedule,
                          const struct transport_kind *transport)
{
    if (schedule->is_static || world_size(world) != 3)
        return;
    uint64_t twice = 0;
    for (late_factor = 1; (twice == 0 || twice > 2) && late_factor <= 64; late_factor *= 4)
        twice = tiles_twice(schedule, transport); /* busy cores make other tiles late as well */
    EXPECT(twice >= 1 && twice <= 2);
}

TEST(the_second_of_two_is_dropped_and_counted)
{
    if (check_long())
        for_every_pair(second_of_two);
    else
        for_every_transport(second_of_two);
    settle();
}

/* --- ranks that do not answer --------------------------------------------------------------- */

/* What rank 0 has said of the last rank, in memory that all ranks see. */
static volatile struct told {
    int silent, answers;
} * told;
static int has_begun; /* this rank: its first tile */

static void wait_until(const volatile int *set)
{
    for (int i = 0; i < 20000 && !__atomic_load_n(set, __ATOMIC_ACQUIRE); i++)
        patience_nap(1000);
}

/* The thread that talks hangs until somebody has noticed. */
static void hang(void)
{
    if (world_rank(world) == world_size(world) - 1 && __atomic_load_n(&has_begun, __ATOMIC_ACQUIRE))
        wait_until(&told->silent);
}

/* Rank 1 does not end the job before. */
static unsigned cost_beside_a_hang_us(const struct tile *tile, const struct synthetic *s)
{
    (void)tile;
    (void)s;
    __atomic_store_n(&has_begun, 1, __ATOMIC_RELEASE);
    if (world_rank(world) == 1) {
        wait_until(&told->silent);
        wait_until(&told->answers);
    }
    return 1000;
}

/* From now on nobody is silent so soon: this machine may be busy. */
static void note_of_the_last_rank(void *context, const char *text)
{
    (void)context;
    char name[32];
    snprintf(name, sizeof name, "rank %d on ", world_size(world) - 1);
    if (strncmp(text, name, strlen(name)) != 0)
        return;
    bool answers = strstr(text, "answers again") != NULL;
    EXPECT(answers || strstr(text, "has not answered for 0.3 s; others compute what it has"));
    __atomic_store_n(answers ? &told->answers : &told->silent, 1, __ATOMIC_RELEASE);
    if (answers)
        world->silent_s = 10;
}

static void silent_rank(const struct schedule_kind *schedule,
                        const struct transport_kind *transport)
{
    struct synthetic s = picture(100, 70, 10);
    int last = world_size(world) - 1;
    told = (struct told *)((char *)s.segment + (32 << 20));
    EXPECT(world_agree(world, STATUS_OK) == STATUS_OK); /* nobody looks at it any more */
    *told = (struct told){0};
    EXPECT(world_agree(world, STATUS_OK) == STATUS_OK);
    has_begun = 0;
    s.cost_us = cost_beside_a_hang_us;
    s.notice = note_of_the_last_rank;
    world->silent_s = 0.3;
    before_beat = hang;
    struct job_report report;
    EXPECT(run_job(&s, schedule, transport, &report) == STATUS_OK);
    EXPECT(world_lost(world) == STATUS_OK);
    before_beat = NULL;
    if (world_rank(world) == 0) {
        EXPECT(synthetic_whole(&s));
        EXPECT(told->silent && told->answers);
        EXPECT(report.rank[last].silences >= 1 && !report.rank[last].missing);
    }
    end_job(&s, &report);
}

TEST(a_silent_rank_is_named_and_welcome_again)
{
    double usual_s = world->silent_s;
    if (world_size(world) == 3) {
        world->silent_s = 0.3;
        patience_nap((unsigned)(1e6 * usual_s / 18)); /* for the heartbeats to become as frequent */
        EXPECT(world_agree(world, STATUS_OK) == STATUS_OK);
        silent_rank(&schedule_dynamic, &transport_staged);
        silent_rank(&schedule_cyclic, &transport_gatherv);
        silent_rank(&schedule_cyclic, &transport_shared);
        world->silent_s = usual_s;
    }
    settle();
}
