/* The program that runs on all ranks: what its tests share, and main. The MPI_ functions defined
 * here stand before the library's and damage what passes when asked to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "mpi_test.h"

struct world *world;
char wrong[1024];
static uint64_t epoch = 100;

/* --- damage on the way ---------------------------------------------------------------------- */

int damage_kind = -1;
size_t damage_at;
bool damage_gather;

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

/* --- frame of a test ------------------------------------------------------------------------ */

void settle(void)
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

struct synthetic picture(int32_t width, int32_t height, int32_t tile_px)
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

enum status run_job(struct synthetic *s, const struct schedule_kind *schedule,
                    const struct transport_kind *transport, struct job_report *report)
{
    struct job job;
    synthetic_create(s);
    synthetic_job(s, schedule, transport, &job);
    *report = (struct job_report){0};
    return job_run(world, &job, report);
}

void end_job(struct synthetic *s, struct job_report *report)
{
    synthetic_destroy(s);
    free(report->rank);
}

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

void for_every_pair(pair_test *test)
{
    for_every_pair_here(test);
    if (world_size(world) > 1) {
        pretend_root_is_alone(true);
        for_every_pair_here(test);
        pretend_root_is_alone(false);
    }
}

int computing_ranks(void)
{
    return world_size(world) - !job_root_computes(world);
}

/* --- main ----------------------------------------------------------------------------------- */

int main(int argc, char **argv)
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
    /* `abort`: does one rank's exit code reach mpirun, whatever the others do? */
    if (argc > 1 && !strcmp(argv[1], "abort")) {
        if (world_rank(world) == world_size(world) - 1)
            world_abort(world, STATUS_CONFIG);
        for (;;)
            patience_nap(NAP_MOST_US);
    }
    if (world_rank(world) != 0 && !freopen("/dev/null", "w", stdout)) /* one voice is enough */
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    world_close(world);
    return failed != 0;
}
