/* What do the tests of jobs share? All are one program, because starting MPI costs half a second.
 */
#ifndef TESTS_DECOMPOSITION_MPI_TEST_H
#define TESTS_DECOMPOSITION_MPI_TEST_H

#include "decomposition/pool/job.h"
#include "decomposition/world/world_comm.h"
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
void for_every_second_pair(pair_test *test); /* with DEEPFIELD_LONG=1 every pair */
void for_every_transport(pair_test *test);   /* the first of the three only */

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

#endif
