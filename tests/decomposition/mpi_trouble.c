/* Does every failure, stop, damaged or late message end as promised, on all ranks, with nobody left
 * waiting? */
#include <string.h>

#include "decomposition/message/message.h"
#include "decomposition/transport/packing.h"
#include "decomposition/world/outbox.h"
#include "mpi_test.h"
#include "tests/support/check.h"

/* --- failures ------------------------------------------------------------------------------- */

static void failing_tile(const struct schedule_kind *schedule,
                         const struct transport_kind *transport)
{
    struct synthetic s = picture(300, 200, 50);
    s.fail_with = STATUS_NO_DEVICE;
    s.fail_tile = 17;
    struct job_report report;
    EXPECT(run_job(&s, schedule, transport, &report) == STATUS_NO_DEVICE);
    EXPECT(strstr(status_text(), "tile 17 cannot be computed"));
    if (world_size(world) > 1 && threads_of(0) == 0)
        EXPECT(!strncmp(status_text(), "rank ", 5));
    EXPECT(s.delivered < s.tile_count);
    end_job(&s, &report);
}

TEST(failure_of_one_rank_ends_all)
{
    for_every_second_pair(failing_tile);
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
    EXPECT(run_job(&s, schedule, transport, &report) == STATUS_BAD_DATA);
    end_job(&s, &report);
}

TEST(a_running_compute_is_told_to_give_up)
{
    for_every_second_pair(failing_tile_while_others_compute);
    settle();
}

static void failing_arrival(const struct schedule_kind *schedule,
                            const struct transport_kind *transport)
{
    struct synthetic s = picture(300, 200, 50);
    s.arrival_fails = STATUS_IO;
    struct job_report report;
    EXPECT(run_job(&s, schedule, transport, &report) == STATUS_IO);
    EXPECT(!strcmp(status_text(), "the disk is full of tile 1"));
    end_job(&s, &report);
}

TEST(failure_to_take_a_tile_ends_all)
{
    for_every_second_pair(failing_arrival);
    settle();
}

/* Somebody else was sooner with the tile that failed: the picture is complete. */
static void late_failure(const struct schedule_kind *schedule,
                         const struct transport_kind *transport)
{
    struct synthetic s = picture(300, 200, 50);
    struct job_report report;
    fail_late = true;
    EXPECT(run_job(&s, schedule, transport, &report) == STATUS_OK);
    fail_late = false;
    EXPECT(world_rank(world) != 0 || synthetic_whole(&s));
    end_job(&s, &report);
}

TEST(a_failure_after_the_last_tile_is_none)
{
    for_every_second_pair(late_failure);
    settle();
}

/* The world goes on, so nobody was waited for in vain. */
TEST(memory_that_runs_out_hangs_nobody)
{
    for (int i = 0; i < schedule_kinds_count && world_size(world) > 1; i++) {
        struct synthetic s = picture(300, 200, 50);
        struct job_report report;
        s.others_wait = true;
        block_most = world_rank(world) == world_size(world) - 1 ? 10000 : SIZE_MAX;
        EXPECT(run_job(&s, schedule_kinds[i], &transport_gatherv, &report) == STATUS_OUT_OF_MEMORY);
        EXPECT(strstr(status_text(), "bytes of pixels"));
        EXPECT(!world->lost);
        end_job(&s, &report);
    }
    settle();
}

static int stopping_rank;

static void stop_in_the_middle(const struct schedule_kind *schedule,
                               const struct transport_kind *transport)
{
    struct synthetic s = picture(300, 200, 10);
    s.stop_rank = stopping_rank;
    s.stop_tile = 20;
    s.others_wait = stopping_rank != 0 || threads_of(0) > 0;
    if (stopping_rank == 0 && !s.others_wait && transport->announces != MESSAGE_TILE &&
        transport->announces != MESSAGE_IN_PLACE)
        s.stop = 1; /* rank 0 sees no tile before the end */
    struct job_report report;
    if (s.others_wait)
        s.stop_tile = 0;
    EXPECT(run_job(&s, schedule, transport, &report) == STATUS_STOPPED);
    EXPECT(!strcmp(status_text(), "stopped on request"));
    end_job(&s, &report);
}

TEST(a_stop_on_any_rank_ends_all)
{
    const int last = world_size(world) - 1; /* of those between each is like the other */
    for (stopping_rank = 0; stopping_rank <= last; stopping_rank++)
        if (check_long() || stopping_rank <= 1 || stopping_rank == last)
            for_every_second_pair(stop_in_the_middle);
    settle();
}

/* --- damaged and late messages -------------------------------------------------------------- */

static bool has_remote_worker(void)
{
    return world_size(world) > 1;
}

static void damaged_job(const struct schedule_kind *schedule,
                        const struct transport_kind *transport, const char *sentence)
{
    struct synthetic s = picture(300, 200, 50);
    struct job_report report;
    EXPECT(run_job(&s, schedule, transport, &report) == STATUS_INTERNAL);
    EXPECT(strstr(status_text(), sentence));
    damage_kind = -1;
    damage_pixels = false;
    end_job(&s, &report);
}

TEST(damaged_pixels_are_noticed)
{
    for (int s = 0; s < schedule_kinds_count && has_remote_worker(); s++) {
        const struct transport_kind *const transports[] = {&transport_staged, &transport_gatherv,
                                                           &transport_sent, &sent_on_device};
        for (size_t i = 0; i < sizeof transports / sizeof *transports; i++) {
            damage_pixels = true;
            damaged_job(schedule_kinds[s], transports[i], "arrived damaged");
        }
    }
    settle();
}

/* Only a device could sum its pixels, and none does: damage to them is not noticed, and the
 * transport says so by sending no sum. */
TEST(device_memory_is_for_devices)
{
    lending = LENDS_EVERYWHERE;
    for (int s = 0; s < schedule_kinds_count && has_remote_worker(); s++) {
        struct synthetic pixels = picture(30, 20, 50); /* one tile: none of it in host memory */
        struct job_report report;
        damage_pixels = true;
        EXPECT(run_job(&pixels, schedule_kinds[s], &sent_on_device, &report) == STATUS_OK);
        EXPECT(pixels.borrowed + pixels.lent > 0);
        if (world_rank(world) == 0)
            EXPECT(pixels.lent > 0 && pixels.copied == 1);
        damage_pixels = false;
        end_job(&pixels, &report);
    }
    lending = LENDS_NOTHING;
    settle();
}

TEST(damaged_headers_hang_nobody)
{
    static const struct {
        int kind;
        const struct transport_kind *transport;
        bool dynamic_only;
    } cases[] = {{MESSAGE_TILE, &transport_staged, false},
                 {MESSAGE_BYE, &transport_staged, false},
                 {MESSAGE_TASK, &transport_staged, true},
                 {MESSAGE_KEPT, &transport_gatherv, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases && has_remote_worker(); i++)
        for (int s = 0; s < schedule_kinds_count; s++) {
            if (cases[i].dynamic_only && schedule_kinds[s]->is_static)
                continue;
            damage_kind = cases[i].kind;
            damage_at = 20;
            damaged_job(schedule_kinds[s], cases[i].transport, "arrived damaged");
        }
    settle();
}

/* The first byte of each packed chunk is flipped: it is refused. */
TEST(damaged_packed_pixels_hang_nobody)
{
    for (int s = 0; s < schedule_kinds_count && has_remote_worker() && packing_is_built(); s++) {
        world->packs = world_rank(world) > 0;
        damage_pixels = true;
        damaged_job(schedule_kinds[s], &transport_staged, "cannot be unpacked");
        world->packs = false;
    }
    settle();
}

/* Messages of the last picture that come when the next is being made. */
static void send_late_messages(uint64_t old_epoch)
{
    if (world_rank(world) > 0) {
        static unsigned char pixels[1500];
        struct message late = {.kind = MESSAGE_TILE, .epoch = old_epoch, .task = 3};
        EXPECT(outbox_post(world, 0, &late, pixels, sizeof pixels) == STATUS_OK);
        late = (struct message){.kind = MESSAGE_FAIL, .epoch = old_epoch, .status = STATUS_IO};
        EXPECT(outbox_post(world, 0, &late, pixels, 10) == STATUS_OK);
        return;
    }
    for (int rank = 1; rank < world_size(world); rank++) {
        struct message late = {.kind = MESSAGE_TASK, .epoch = old_epoch, .task = 2};
        EXPECT(outbox_post(world, rank, &late, NULL, 0) == STATUS_OK);
        late = (struct message){.kind = MESSAGE_END, .epoch = old_epoch};
        EXPECT(outbox_post(world, rank, &late, NULL, 0) == STATUS_OK);
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
    EXPECT(run_job(&s, schedule, transport, &report) == STATUS_OK);
    if (world_rank(world) == 0) {
        EXPECT(report.late_dropped == 2 * (uint64_t)(world_size(world) - 1));
        EXPECT(synthetic_whole(&s));
    }
    end_job(&s, &report);
}

TEST(late_messages_are_dropped_and_counted)
{
    for_every_second_pair(late_messages);
    settle();
}

/* A tile that nobody asked for is a fault of ours, not pixels. */
TEST(impossible_tiles_are_refused)
{
    static const struct {
        uint32_t tile;
        size_t length;
    } cases[] = {{999, 8}, {0, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases && has_remote_worker(); i++) {
        struct synthetic s = picture(300, 200, 50);
        s.others_wait = true;
        if (world_rank(world) == world_size(world) - 1) {
            struct message bad = {.kind = MESSAGE_TILE, .epoch = s.epoch, .task = cases[i].tile};
            EXPECT(outbox_post(world, 0, &bad, "abcdefgh", cases[i].length) == STATUS_OK);
        }
        struct job_report report;
        EXPECT(run_job(&s, &schedule_cyclic, &transport_staged, &report) == STATUS_INTERNAL);
        EXPECT(strstr(status_text(), "announced tile"));
        end_job(&s, &report);
    }
    settle();
}
