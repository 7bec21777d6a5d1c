/* Conformance of every row of the list of schedules: each tile goes to exactly one worker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "decomposition/schedule.h"

enum { WORKERS_MOST = 17 };
static const uint32_t tile_counts[] = {0, 1, 2, 3, 16, 17, 100, 1009};

static void rows_are_complete_and_found_by_name(void **state)
{
    (void)state;
    for (int i = 0; i < schedule_kinds_count; i++) {
        const struct schedule_kind *kind = schedule_kinds[i];
        assert_ptr_equal(schedule_named(kind->name), kind);
        assert_true(strlen(kind->summary) > 10 && strlen(kind->summary) < 90);
        assert_true(kind->is_static == (kind->at != NULL));
        assert_true(kind->is_static == (kind->next == NULL));
    }
    assert_null(schedule_named("auto"));
    assert_null(schedule_named(""));
}

static void deal_static(const struct schedule_kind *kind, uint32_t workers, uint32_t tiles,
                        uint8_t *dealt)
{
    for (uint32_t worker = 0; worker < workers; worker++)
        for (uint32_t k = 0;; k++) {
            uint32_t tile = kind->at(k, worker, workers, tiles);
            if (tile == tiles)
                break;
            assert_true(tile < tiles);
            dealt[tile]++;
        }
}

/* Workers finish in an order of no pattern; the seed is fixed, the promise holds for any. */
static void deal_dynamic(const struct schedule_kind *kind, uint32_t workers, uint32_t tiles,
                         uint8_t *dealt)
{
    struct schedule schedule = {.workers = workers, .tile_count = tiles};
    uint32_t outstanding[WORKERS_MOST] = {0}, busy = 0;
    uint32_t random = 12345;
    for (uint32_t step = 0; step < workers * SCHEDULE_CREDITS || busy > 0; step++) {
        random = random * 1664525u + 1013904223u;
        uint32_t worker =
            step < workers * SCHEDULE_CREDITS ? step % workers : (random >> 8) % workers;
        if (step >= workers * SCHEDULE_CREDITS) {
            if (outstanding[worker] == 0)
                continue;
            outstanding[worker]--;
            busy--;
        }
        uint32_t tile = kind->next(&schedule, worker, outstanding[worker]);
        if (tile == tiles)
            continue;
        assert_true(tile < tiles);
        dealt[tile]++;
        outstanding[worker]++;
        busy++;
        assert_true(outstanding[worker] <= SCHEDULE_CREDITS);
    }
}

static void every_tile_goes_to_exactly_one_worker(void **state)
{
    (void)state;
    for (int i = 0; i < schedule_kinds_count; i++)
        for (uint32_t workers = 1; workers <= WORKERS_MOST; workers++)
            for (size_t c = 0; c < sizeof tile_counts / sizeof *tile_counts; c++) {
                uint8_t dealt[2000] = {0};
                const struct schedule_kind *kind = schedule_kinds[i];
                (kind->is_static ? deal_static : deal_dynamic)(kind, workers, tile_counts[c],
                                                               dealt);
                for (uint32_t tile = 0; tile < tile_counts[c]; tile++)
                    assert_int_equal(dealt[tile], 1);
            }
}

static void cyclic_deals_in_turn(void **state)
{
    (void)state;
    static const uint32_t expected[] = {2, 5, 8, 10, 10};
    for (uint32_t k = 0; k < 5; k++)
        assert_int_equal(schedule_cyclic.at(k, 2, 3, 10), expected[k]);
    assert_int_equal(schedule_cyclic.at(UINT32_MAX, 2, 3, 10), 10); /* no overflow */
}

static void dynamic_gives_no_second_tile_near_the_end(void **state)
{
    (void)state;
    struct schedule schedule = {.workers = 3, .tile_count = 8};
    assert_int_equal(schedule_dynamic.next(&schedule, 0, 0), 0);
    assert_int_equal(schedule_dynamic.next(&schedule, 1, 0), 1);
    assert_int_equal(schedule_dynamic.next(&schedule, 2, 0), 2);
    assert_int_equal(schedule_dynamic.next(&schedule, 0, 1), 3); /* 5 left, 3 workers */
    assert_int_equal(schedule_dynamic.next(&schedule, 0, 2), 8); /* no credit */
    assert_int_equal(schedule_dynamic.next(&schedule, 1, 1), 4);
    assert_int_equal(schedule_dynamic.next(&schedule, 2, 1), 8); /* 3 left: one for each */
    assert_int_equal(schedule_dynamic.next(&schedule, 2, 0), 5);
    assert_int_equal(schedule_dynamic.next(&schedule, 2, 0), 6);
    assert_int_equal(schedule_dynamic.next(&schedule, 2, 0), 7);
    assert_int_equal(schedule_dynamic.next(&schedule, 2, 0), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_complete_and_found_by_name),
        cmocka_unit_test(every_tile_goes_to_exactly_one_worker),
        cmocka_unit_test(cyclic_deals_in_turn),
        cmocka_unit_test(dynamic_gives_no_second_tile_near_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
