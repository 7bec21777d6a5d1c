/* Conformance of every row of the list of transports, as far as one process can see; mpi_job.c
 * walks the same list with several ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/transport.h"
#include "decomposition/world_comm.h"

static void rows_are_complete_and_found_by_name(void **state)
{
    (void)state;
    for (int i = 0; i < transport_kinds_count; i++) {
        const struct transport_kind *kind = transport_kinds[i];
        assert_ptr_equal(transport_named(kind->name), kind);
        assert_true(strlen(kind->summary) > 10 && strlen(kind->summary) < 90);
        assert_non_null(kind->open);
        assert_non_null(kind->close);
        assert_non_null(kind->place);
        assert_non_null(kind->send);
        assert_non_null(kind->progress);
        assert_non_null(kind->accept);
        assert_non_null(kind->collect);
        kind->close(NULL);
    }
    assert_null(transport_named("auto"));
    assert_null(transport_named("Local"));
}

static void auto_takes_the_cheapest_road_that_works(void **state)
{
    (void)state;
    const char *reason = NULL;
    assert_ptr_equal(transport_choose(1, true, &reason), &transport_local);
    assert_ptr_equal(transport_choose(1, false, &reason), &transport_local);
    assert_non_null(strstr(reason, "one rank"));
    assert_ptr_equal(transport_choose(2, true, &reason), &transport_gatherv);
    assert_non_null(strstr(reason, "collective"));
    assert_ptr_equal(transport_choose(2, false, &reason), &transport_staged);
    assert_ptr_equal(transport_choose(1000, false, &reason), &transport_staged);
    assert_non_null(strstr(reason, "dynamic"));
}

/* The sending ends live on ranks > 0; opening one needs no message. */
static void memory_of_a_sending_end_is_aligned_and_limited(void **state)
{
    (void)state;
    for (int i = 0; i < transport_kinds_count; i++) {
        const struct transport_kind *kind = transport_kinds[i];
        struct world world = {.rank = kind->needs_one_rank ? 0 : 1, .size = 2};
        struct transport_site site = {.world = &world,
                                      .tile_count = 100,
                                      .tile_bytes_max = 1000,
                                      .all_bytes = 100 * 1024,
                                      .own_bytes = 100 * 1024};
        void *end = NULL, *first, *last = NULL;
        assert_int_equal(kind->open(&end, &site), STATUS_OK);
        first = kind->place(end, 1000);
        assert_non_null(first);
        int placed = 1;
        for (void *field; placed < 50 && (field = kind->place(end, 1000)); placed++) {
            assert_int_equal((uintptr_t)field % 64, 0);
            assert_ptr_not_equal(field, first);
            memset(field, 7, 1000);
            last = field;
        }
        assert_in_range(placed, 2, 4); /* the lane can be full, and memory is bounded */
        assert_non_null(last);
        kind->close(end);
    }
}

static void gatherv_says_when_int_counts_do_not_suffice(void **state)
{
    (void)state;
    struct world world = {.rank = 1, .size = 2};
    struct transport_site site = {.world = &world, .all_bytes = 64 * ((uint64_t)INT_MAX + 1)};
    void *end = NULL;
    assert_int_equal(transport_gatherv.open(&end, &site), STATUS_TOO_LARGE);
    assert_non_null(strstr(status_text(), "staged"));
    transport_gatherv.close(end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_complete_and_found_by_name),
        cmocka_unit_test(auto_takes_the_cheapest_road_that_works),
        cmocka_unit_test(memory_of_a_sending_end_is_aligned_and_limited),
        cmocka_unit_test(gatherv_says_when_int_counts_do_not_suffice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
