/* Do lanes compute what they are given, at the same time, report failures of their threads, sleep
 * between jobs, and end when told? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "decomposition/lane.h"

static struct tile tiles[100];
static pthread_t opener;
static int threads_seen;

static enum status compute(void *context, int lane, const struct tile *tile, struct field *out,
                           uint64_t *iterations)
{
    (void)context, (void)lane, (void)out;
    if (pthread_equal(pthread_self(), opener))
        return status_fail(STATUS_INTERNAL, "computed on the opener's thread");
    uint32_t index = (uint32_t)(tile - tiles);
    if (index == 13)
        return status_fail(STATUS_IO, "tile thirteen");
    *iterations += index;
    return STATUS_OK;
}

static const struct job job = {
    .tiles = tiles, .tile_count = 100, .lanes = 1, .credits = 2, .compute = compute};

static struct lanes *open_lane(const struct job *of)
{
    struct lanes *lane;
    opener = pthread_self();
    assert_int_equal(lanes_open(&lane), STATUS_OK);
    assert_int_equal(lanes_begin(lane, of), STATUS_OK);
    return lane;
}

static void close_lanes(struct lanes *lanes)
{
    lanes_end(lanes);
    lanes_close(lanes);
}

static void tasks_come_back_in_order(void **state)
{
    (void)state;
    struct lanes *lane = open_lane(&job);
    uint32_t pushed = 0, popped = 0;
    char text[STATUS_TEXT_BYTES];
    while (popped < 100) {
        while (pushed < 100 && lanes_load(lane) < job.credits)
            lanes_push(lane, &(struct lane_task){.tile = pushed++});
        lanes_wait(lane, 100000);
        struct lane_task task;
        while (lanes_pop(lane, &task, text)) {
            assert_int_equal(task.tile, popped);
            assert_int_equal(task.status, popped == 13 ? STATUS_IO : STATUS_OK);
            assert_true(task.iterations == (popped == 13 ? 0 : popped));
            assert_true(task.busy_s >= 0);
            if (popped == 13)
                assert_string_equal(text, "tile thirteen");
            popped++;
        }
    }
    assert_int_equal(lanes_load(lane), 0);
    close_lanes(lane);
}

static enum status compute_slowly(void *context, int lane, const struct tile *tile,
                                  struct field *out, uint64_t *iterations)
{
    (void)context, (void)lane, (void)tile, (void)out, (void)iterations;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return STATUS_OK;
}

static void dropped_and_closed_with_work_in_it(void **state)
{
    (void)state;
    struct job slow = job;
    slow.compute = compute_slowly;
    struct lanes *lane = open_lane(&slow);
    lanes_push(lane, &(struct lane_task){.tile = 1});
    lanes_push(lane, &(struct lane_task){.tile = 2});
    lanes_wait(lane, 1000); /* comes back though nothing is finished */
    struct lane_task task;
    while (lanes_take_back(lane, &task))
        assert_in_range(task.tile, 1, 2);
    assert_in_range(lanes_load(lane), 0, 1); /* what has begun goes on */
    lanes_push(lane, &(struct lane_task){.tile = 3});
    close_lanes(lane);
    close_lanes(NULL);
}

/* The end of a job must not depend on which thread the kernel gives Ctrl-C to. */
static enum status compute_mask(void *context, int lane, const struct tile *tile, struct field *out,
                                uint64_t *iterations)
{
    (void)context, (void)lane, (void)tile, (void)out;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    *iterations = (uint64_t)sigismember(&mask, SIGINT) * 10 + (uint64_t)sigismember(&mask, SIGTERM);
    return STATUS_OK;
}

static struct lane_task compute_one(const struct job *of)
{
    struct lanes *lane = open_lane(of);
    struct lane_task task = {.tile = 0};
    char text[STATUS_TEXT_BYTES];
    lanes_push(lane, &task);
    while (!lanes_pop(lane, &task, text))
        lanes_wait(lane, 100000);
    close_lanes(lane);
    return task;
}

static void signals_are_left_to_the_other_threads(void **state)
{
    (void)state;
    struct job masked = job;
    masked.compute = compute_mask;
    assert_int_equal(compute_one(&masked).iterations, 11);
}

static enum status compute_in_parallel(void *context, int lane, const struct tile *tile,
                                       struct field *out, uint64_t *iterations)
{
    (void)context, (void)lane, (void)tile, (void)out;
    uint64_t sum = 0;
    threads_seen = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
#pragma omp atomic
        threads_seen++;
#pragma omp for schedule(dynamic)
        for (int i = 1; i <= 1000; i++)
            sum += (uint64_t)i;
    }
    *iterations += sum;
    return STATUS_OK;
}

static void openmp_works_inside_compute(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* libgomp's barriers are not known to the sanitizer */
#endif
    struct job parallel = job;
    parallel.compute = compute_in_parallel;
    assert_int_equal(compute_one(&parallel).iterations, 500500);
    assert_int_equal(threads_seen, 3);
}

/* Three lanes are in compute at once, or this would never end; then all but one lose their device.
 */
enum { TOGETHER = 3 };
static int arrived;

static void meet(void)
{
    __atomic_add_fetch(&arrived, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < TOGETHER)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static enum status compute_together(void *context, int lane, const struct tile *tile,
                                    struct field *out, uint64_t *iterations)
{
    (void)context, (void)out;
    uint32_t index = (uint32_t)(tile - tiles);
    if (index < TOGETHER)
        meet();
    *iterations = (uint64_t)lane;
    if (index < 2)
        return status_fail(STATUS_DEVICE_LOST, "device under tile %u", index);
    return STATUS_OK;
}

static void lanes_work_together_and_outlive_each_other(void **state)
{
    (void)state;
    struct job three = job;
    three.lanes = TOGETHER;
    three.credits = 5;
    three.compute = compute_together;
    struct lanes *lanes = open_lane(&three);
    char text[STATUS_TEXT_BYTES], expected[32];
    int seen[100] = {0}, survivor = -1;
    uint32_t pushed = 0, popped = 0;
    arrived = 0;
    while (popped < 100) {
        while (pushed < 100 && lanes_load(lanes) < three.credits)
            lanes_push(lanes, &(struct lane_task){.tile = pushed++});
        lanes_wait(lanes, 100000);
        struct lane_task task;
        while (lanes_pop(lanes, &task, text)) {
            assert_int_equal(seen[task.tile]++, 0);
            assert_int_equal(task.status, task.tile < 2 ? STATUS_DEVICE_LOST : STATUS_OK);
            snprintf(expected, sizeof expected, "device under tile %u", task.tile);
            if (task.tile < 2)
                assert_string_equal(text, expected);
            if (task.tile == 2)
                survivor = (int)task.iterations;
            if (task.tile > 2) /* the others are gone */
                assert_int_equal(task.iterations, survivor);
            popped++;
        }
    }
    assert_int_equal(lanes_alive(lanes), 1);
    close_lanes(lanes);
}

static enum status compute_long(void *context, int lane, const struct tile *tile, struct field *out,
                                uint64_t *iterations)
{
    (void)lane, (void)out, (void)iterations;
    while (tile == tiles && !__atomic_load_n((int *)context, __ATOMIC_ACQUIRE))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return STATUS_OK;
}

static void a_short_task_overtakes_a_long_one(void **state)
{
    (void)state;
    struct job two = job;
    two.lanes = two.credits = 2;
    int overtaken = 0;
    two.compute = compute_long;
    two.context = &overtaken;
    struct lanes *lanes = open_lane(&two);
    char text[STATUS_TEXT_BYTES];
    lanes_push(lanes, &(struct lane_task){.tile = 0});
    lanes_push(lanes, &(struct lane_task){.tile = 1});
    struct lane_task task;
    while (!lanes_pop(lanes, &task, text))
        lanes_wait(lanes, 100000);
    assert_int_equal(task.tile, 1);
    assert_int_equal(lanes_load(lanes), 1);
    __atomic_store_n(&overtaken, 1, __ATOMIC_RELEASE);
    close_lanes(lanes);
}

/* --- from job to job -------------------------------------------------------------------------- */

enum { CREW = TOGETHER };
static pthread_t thread_of[CREW];
static char name_of[CREW][16];
static int computed[CREW];

struct job_plan {
    int members;
    bool lose; /* lane 1, with its first tile */
};

static enum status compute_and_tell(void *context, int lane, const struct tile *tile,
                                    struct field *out, uint64_t *iterations)
{
    (void)out, (void)iterations;
    const struct job_plan *plan = context;
    if (computed[lane]++ == 0) {
        thread_of[lane] = pthread_self();
        pthread_getname_np(pthread_self(), name_of[lane], sizeof name_of[lane]);
    }
    if (!pthread_equal(thread_of[lane], pthread_self()))
        return status_fail(STATUS_INTERNAL, "lane %d is another thread now", lane);
    if (plan->members == CREW && tile - tiles < CREW)
        meet(); /* so that each gets one, however busy the machine is */
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL); /* in which others might, wrongly */
    if (plan->lose && lane == 1)
        return status_fail(STATUS_DEVICE_LOST, "lane 1 fell off the bus");
    return STATUS_OK;
}

/* All tiles, in one job over lanes that are there already. */
static void do_a_job(struct lanes *lanes, int members, int credits, unsigned spin_us, bool lose)
{
    struct job of = job;
    struct job_plan plan = {members, lose};
    of.lanes = members;
    of.credits = credits;
    of.spin_us = spin_us;
    of.compute = compute_and_tell;
    of.context = &plan;
    arrived = 0;
    assert_int_equal(lanes_begin(lanes, &of), STATUS_OK);
    assert_int_equal(lanes_alive(lanes), members);
    uint32_t pushed = 0, popped = 0;
    char text[STATUS_TEXT_BYTES];
    struct lane_task task;
    while (popped < 100) {
        while (pushed < 100 && lanes_load(lanes) < credits)
            lanes_push(lanes, &(struct lane_task){.tile = pushed++});
        lanes_wait(lanes, 100000);
        for (; lanes_pop(lanes, &task, text); popped++)
            if (task.status != STATUS_OK && task.status != STATUS_DEVICE_LOST)
                fail_msg("%s", text);
    }
    assert_int_equal(lanes_alive(lanes), members - lose);
    lanes_end(lanes);
}

/* Jobs of more lanes and fewer, one after the other at once and after a sleep; a lane whose device
 * was lost in one job is there again in the next, since only the device knows whether it is. */
static void threads_are_kept_from_job_to_job(void **state)
{
    (void)state;
    struct lanes *lanes;
    assert_int_equal(lanes_open(&lanes), STATUS_OK);
    memset(computed, 0, sizeof computed);
    for (int round = 0; round < 4; round++) {
        unsigned spin_us = round % 2 ? 1000 : 0;
        int before[CREW];
        do_a_job(lanes, 2, 3, spin_us, false);
        do_a_job(lanes, CREW, 2 * CREW, spin_us, false);
        do_a_job(lanes, CREW, CREW, spin_us, true);
        memcpy(before, computed, sizeof before);
        do_a_job(lanes, 1, 4, spin_us, false); /* the others must leave its tasks alone */
        assert_int_equal(computed[0], before[0] + 100);
        assert_int_equal(computed[1], before[1]);
        assert_int_equal(computed[2], before[2]);
        nanosleep(&(struct timespec){.tv_nsec = round < 2 ? 0 : 5000000}, NULL);
    }
    for (int i = 0; i < CREW; i++) {
        char name[16];
        snprintf(name, sizeof name, "lane %d", i);
        assert_true(computed[i] > 0);
        assert_string_equal(name_of[i], name);
    }
    lanes_close(lanes);
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Three lanes that were told to look for a millisecond. */
static void lanes_sleep_between_jobs(void **state)
{
    (void)state;
    struct lanes *lanes;
    assert_int_equal(lanes_open(&lanes), STATUS_OK);
    memset(computed, 0, sizeof computed);
    do_a_job(lanes, CREW, CREW, 1000, false);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    double before_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    assert_true(seconds_of(CLOCK_PROCESS_CPUTIME_ID) - before_s < 0.05);
    lanes_close(lanes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_come_back_in_order),
        cmocka_unit_test(lanes_work_together_and_outlive_each_other),
        cmocka_unit_test(a_short_task_overtakes_a_long_one),
        cmocka_unit_test(dropped_and_closed_with_work_in_it),
        cmocka_unit_test(signals_are_left_to_the_other_threads),
        cmocka_unit_test(threads_are_kept_from_job_to_job),
        cmocka_unit_test(lanes_sleep_between_jobs),
        cmocka_unit_test(openmp_works_inside_compute), /* whose threads may look on afterwards */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
