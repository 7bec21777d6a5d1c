/* Conformance of every row of the list of schedules, and their decisions with literals. test_book.c
 * plays whole jobs with them. */
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/schedule/schedule.h"

enum { WORKERS_MOST = 17 };
static const uint32_t tile_counts[] = {0, 1, 2, 3, 16, 17, 100, 1009};

TEST(rows_are_complete_and_found_by_name)
{
    for (int i = 0; i < schedule_kinds_count; i++) {
        const struct schedule_kind *kind = schedule_kinds[i];
        assert_ptr_equal(schedule_named(kind->name), kind);
        assert_true(strlen(kind->summary) > 10 && strlen(kind->summary) < 90);
        assert_true(kind->is_static == (kind->at != NULL));
        assert_true(kind->is_static == (kind->gives == NULL));
        assert_true(kind->is_static == (kind->portion == NULL));
        assert_true(kind->is_static == (kind->backs_up == NULL));
    }
    assert_null(schedule_named("auto"));
    assert_null(schedule_named(""));
}

TEST(every_tile_is_in_exactly_one_list)
{
    for (int i = 0; i < schedule_kinds_count; i++)
        for (uint32_t workers = 1; workers <= WORKERS_MOST && schedule_kinds[i]->at; workers++)
            for (size_t c = 0; c < sizeof tile_counts / sizeof *tile_counts; c++) {
                uint8_t dealt[2000] = {0};
                uint32_t tiles = tile_counts[c], tile;
                for (uint32_t worker = 0; worker < workers; worker++)
                    for (uint32_t k = 0;
                         (tile = schedule_kinds[i]->at(k, worker, workers, tiles)) != tiles; k++) {
                        assert_true(tile < tiles);
                        dealt[tile]++;
                    }
                for (tile = 0; tile < tiles; tile++)
                    assert_int_equal(dealt[tile], 1);
            }
}

TEST(cyclic_deals_in_turn)
{
    static const uint32_t expected[] = {2, 5, 8, 10, 10};
    for (uint32_t k = 0; k < 5; k++)
        assert_int_equal(schedule_cyclic.at(k, 2, 3, 10), expected[k]);
    assert_int_equal(schedule_cyclic.at(UINT32_MAX, 2, 3, 10), 10); /* no overflow */
}

static struct schedule schedule_of(const struct schedule_worker *worker, uint32_t workers,
                                   uint32_t left)
{
    struct schedule schedule = {
        .workers = workers, .left = left, .tile_iterations = 1000, .worker = worker};
    for (uint32_t w = 0; w < workers; w++)
        schedule.threads += (uint64_t)worker[w].threads;
    return schedule;
}

/* Equal workers: as long as there is enough, one to compute and one that waits; near the end nobody
 * is given one that waits. */
TEST(dynamic_gives_no_second_tile_near_the_end)
{
    static const struct {
        uint32_t outstanding, left;
        bool gives;
    } rows[] = {{0, 8, true},  {1, 5, true}, {2, 5, false}, {1, 4, true},
                {1, 3, false}, {0, 3, true}, {0, 1, true},  {0, 0, false}};
    for (int known = 0; known < 2; known++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            double speed = known ? 1e9 : 0;
            const struct schedule_worker workers[] = {
                {1, 2, rows[i].outstanding, speed}, {1, 2, 1, speed}, {1, 2, 1, 0.7 * speed}};
            struct schedule schedule = schedule_of(workers, 3, rows[i].left);
            assert_int_equal(schedule_dynamic.gives(&schedule, 0), rows[i].gives);
        }
}

TEST(dynamic_gives_each_thread_its_tile)
{
    static const bool gives[] = {true, true, true,
                                 false}; /* 2 are left; 4 threads could want them */
    for (uint32_t outstanding = 0; outstanding < 4; outstanding++) {
        const struct schedule_worker workers[] = {{3, 6, outstanding, 0}, {1, 2, 1, 0}};
        struct schedule schedule = schedule_of(workers, 2, 2);
        assert_int_equal(schedule_dynamic.gives(&schedule, 0), gives[outstanding]);
    }
    const struct schedule_worker dead[] = {{0, 6, 0, 0}, {1, 2, 1, 0}};
    struct schedule schedule = schedule_of(dead, 2, 100);
    assert_false(schedule_dynamic.gives(&schedule, 0));
}

/* A tile takes worker 0 as long as 230 take each of the others. It may cost double; then three
 * others are through with 3 * 460 less those 3 they have. */
TEST(dynamic_keeps_the_tail_from_a_slow_worker)
{
    const struct schedule_worker workers[] = {
        {1, 2, 0, 1}, {1, 2, 1, 230}, {1, 2, 1, 230}, {1, 2, 1, 230}};
    struct schedule schedule = schedule_of(workers, 4, 1378);
    assert_true(schedule_dynamic.gives(&schedule, 0));
    schedule.left = 1377;
    assert_false(schedule_dynamic.gives(&schedule, 0));
    assert_true(schedule_dynamic.gives(&schedule, 1));
    schedule.left = 1;
    assert_false(schedule_dynamic.gives(&schedule, 0));
    assert_false(schedule_dynamic.gives(&schedule, 1)); /* it would wait there */
}

TEST(dynamic_backs_up_only_what_will_be_sooner)
{
    static const struct {
        struct schedule_worker idle, holder;
        double held_s;
        bool backs_up;
    } rows[] = {
        {{1, 2, 0, 1000}, {1, 2, 1, 10}, 0, true},     /* 1 s against 100 */
        {{1, 2, 0, 1000}, {1, 2, 1, 10}, 98.5, true},  /* against 1.5 */
        {{1, 2, 0, 1000}, {1, 2, 1, 10}, 99.5, false}, /* against 0.5 */
        {{1, 2, 0, 1000}, {1, 2, 1, 10}, 200, true},   /* dear: 2 s against another 200 */
        {{1, 2, 0, 1000}, {1, 2, 1, 600}, 0, false},   /* not much slower */
        {{1, 2, 0, 1000}, {1, 2, 1, 600}, 30, false},  /* a dear tile is dear for both */
        {{1, 2, 0, 1000}, {1, 2, 1, 600}, 34, true},   /* 20 times 1.67 s: it may hang */
        {{1, 2, 0, 1e6}, {1, 2, 1, 1e6}, 0.9, false},  /* 900 times, but a delay is not a hang */
        {{1, 2, 0, 1e6}, {1, 2, 1, 1e6}, 1.1, true},
        {{1, 2, 1, 1000}, {1, 2, 1, 10}, 0, false},  /* has something to do */
        {{2, 2, 1, 1000}, {1, 2, 1, 10}, 0, true},   /* its other thread has not */
        {{1, 2, 0, 0}, {1, 2, 1, 10}, 0, false},     /* who knows */
        {{1, 2, 0, 1000}, {1, 2, 1, 0}, 1.5, false}, /* nothing known but that it takes 1.5 s */
        {{1, 2, 0, 1000}, {1, 2, 1, 0}, 2.5, true},  /* 2.5 s is much slower */
        {{1, 2, 0, 1000}, {4, 8, 4, 1000}, 0, true}, /* a thread of four that share the speed */
        {{0, 2, 0, 1000}, {1, 2, 1, 10}, 0, false},  /* dead */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct schedule_worker workers[] = {rows[i].idle, rows[i].holder};
        struct schedule schedule = schedule_of(workers, 2, 0);
        assert_int_equal(schedule_dynamic.backs_up(&schedule, 0, 1, rows[i].held_s),
                         rows[i].backs_up);
    }
}
