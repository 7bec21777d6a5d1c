/* What do the tests of jobs share? All are one program, because starting MPI costs half a second.
 */
#ifndef TESTS_DECOMPOSITION_MPI_TEST_H
#define TESTS_DECOMPOSITION_MPI_TEST_H

#include "decomposition/job.h"
#include "decomposition/world_comm.h"
#include "mpi_check.h"
#include "synthetic.h"

/* A picture to make, of the next epoch. */
struct synthetic picture(int32_t width, int32_t height, int32_t tile_px);

/* Runs the job over it; then end_job() frees it and the report. */
enum status run_job(struct synthetic *s, const struct schedule_kind *schedule,
                    const struct transport_kind *transport, struct job_report *report);
void end_job(struct synthetic *s, struct job_report *report);

/* Transports that are in no list. Two mixed ones: rank 1 computes into the picture, rank 2 sends
 * its tiles, rank 3 keeps them to the end, rank 4 sends its device's memory, and so on. And two of
 * the list, with the picture in device memory. */
extern const struct transport_kind mixed_on_host, mixed_on_device, sent_on_device,
    gatherv_on_device;

/* Calls `test` for every pair that can work in this world: with rank 0 as coordinator only and one
 * thread a rank; with all ranks computing in 1 to 3 threads, whose threads are kept; and so that
 * some ranks or all lend memory of their devices, which MPI may send. */
typedef void pair_test(const struct schedule_kind *schedule,
                       const struct transport_kind *transport);
void for_every_pair(pair_test *test);
void for_every_transport(pair_test *test); /* the first of the three only */

enum lending { LENDS_NOTHING, LENDS_EVERYWHERE, LENDS_ON_ODD_RANKS };
extern enum lending lending; /* outside for_every_pair: LENDS_NOTHING */
extern bool root_works;      /* outside for_every_pair: false */
int computing_ranks(void);
int threads_of(int rank);
int all_threads(void);

/* Damage on the way, until settle(): messages of this kind (-1: none) get the byte at `damage_at`
 * flipped, counted from the header; or the pixels that follow an announcement. */
extern int damage_kind;
extern size_t damage_at;
extern bool damage_pixels;

/* Until settle(): every rank > 0 says, when its job is over, that a tile has failed. */
extern bool fail_late;

/* Until settle(): this rank has no memory for longer blocks. */
extern size_t block_most;

/* Until settle(): called before this rank sends a heartbeat. */
extern void (*before_beat)(void);

/* How often this rank has looked whether there is a message. */
extern int message_looks;

/* The tests; cmocka calls them. */
void every_pair_brings_every_pixel_once(void **state);
void transports_that_cannot_work_are_refused(void **state);
void no_threads_is_no_job(void **state);
void a_rank_keeps_no_memory_for_the_tiles_of_others(void **state);
void failure_of_one_rank_ends_all(void **state);
void a_running_compute_is_told_to_give_up(void **state);
void failure_to_take_a_tile_ends_all(void **state);
void a_failure_after_the_last_tile_is_none(void **state);
void memory_that_runs_out_hangs_nobody(void **state);
void a_stop_on_any_rank_ends_all(void **state);
void damaged_pixels_are_noticed(void **state);
void damaged_headers_hang_nobody(void **state);
void device_memory_is_for_devices(void **state);
void late_messages_are_dropped_and_counted(void **state);
void impossible_tiles_are_refused(void **state);
void lost_threads_leave_a_whole_picture(void **state);
void a_rank_without_devices_leaves_a_whole_picture(void **state);
void the_loss_of_everything_is_an_error(void **state);
void nobody_waits_for_a_slow_rank(void **state);
void the_second_of_two_is_dropped_and_counted(void **state);
void a_silent_rank_is_named_and_welcome_again(void **state);
void dynamic_balances_an_uneven_picture(void **state);
void waiting_costs_little(void **state);
void agreement_names_the_lowest_failing_rank(void **state);
void shared_bytes_arrive_in_any_number_of_chunks(void **state);
void a_record_is_told_to_every_rank(void **state);
void records_are_gathered_in_rank_order(void **state);
void records_are_exchanged_unless_somebody_fails(void **state);
void the_machine_is_known(void **state);
void mpi_errors_become_a_status(void **state);
void patience_ends_in_naps(void **state);
void mpi_yields_only_where_it_blocks(void **state);

#endif
