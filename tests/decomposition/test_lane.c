/* Do lanes compute what they are given, at the same time, report failures of their threads, and end
 * when told? */
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
    assert_int_equal(lanes_open(&lane, of), STATUS_OK);
    return lane;
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
    lanes_close(lane);
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
    lanes_close(lane);
    lanes_close(NULL);
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
    lanes_close(lane);
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

static enum status compute_together(void *context, int lane, const struct tile *tile,
                                    struct field *out, uint64_t *iterations)
{
    (void)context, (void)out;
    uint32_t index = (uint32_t)(tile - tiles);
    if (index < TOGETHER) {
        __atomic_add_fetch(&arrived, 1, __ATOMIC_RELAXED);
        while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < TOGETHER)
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
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
    lanes_close(lanes);
}

static enum status compute_long(void *context, int lane, const struct tile *tile, struct field *out,
                                uint64_t *iterations)
{
    (void)context, (void)lane, (void)out, (void)iterations;
    nanosleep(&(struct timespec){.tv_nsec = tile == tiles ? 300000000 : 1000000}, NULL);
    return STATUS_OK;
}

static void a_short_task_overtakes_a_long_one(void **state)
{
    (void)state;
    struct job two = job;
    two.lanes = two.credits = 2;
    two.compute = compute_long;
    struct lanes *lanes = open_lane(&two);
    char text[STATUS_TEXT_BYTES];
    lanes_push(lanes, &(struct lane_task){.tile = 0});
    lanes_push(lanes, &(struct lane_task){.tile = 1});
    struct lane_task task;
    while (!lanes_pop(lanes, &task, text))
        lanes_wait(lanes, 100000);
    assert_int_equal(task.tile, 1);
    assert_int_equal(lanes_load(lanes), 1);
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
        cmocka_unit_test(openmp_works_inside_compute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
