/* Does a lane compute in order, report failures of its thread, and end when told? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "decomposition/lane.h"

static struct tile tiles[100];
static pthread_t opener;
static int threads_seen;

static enum status compute(void *context, const struct tile *tile, struct field *out,
                           uint64_t *iterations)
{
    (void)context;
    (void)out;
    if (pthread_equal(pthread_self(), opener))
        return status_fail(STATUS_INTERNAL, "computed on the opener's thread");
    uint32_t index = (uint32_t)(tile - tiles);
    if (index == 13)
        return status_fail(STATUS_IO, "tile thirteen");
    *iterations += index;
    return STATUS_OK;
}

static const struct job job = {.tiles = tiles, .tile_count = 100, .compute = compute};

static struct lane *open_lane(const struct job *of)
{
    struct lane *lane;
    opener = pthread_self();
    assert_int_equal(lane_open(&lane, of), STATUS_OK);
    return lane;
}

static void tasks_come_back_in_order(void **state)
{
    (void)state;
    struct lane *lane = open_lane(&job);
    uint32_t pushed = 0, popped = 0;
    char text[STATUS_TEXT_BYTES];
    while (popped < 100) {
        while (pushed < 100 && lane_load(lane) < LANE_DEPTH)
            lane_push(lane, &(struct lane_task){.tile = pushed++});
        lane_wait(lane, 100000);
        struct lane_task task;
        while (lane_pop(lane, &task, text)) {
            assert_int_equal(task.tile, popped);
            assert_int_equal(task.status, popped == 13 ? STATUS_IO : STATUS_OK);
            assert_true(task.iterations == (popped == 13 ? 0 : popped));
            assert_true(task.busy_s >= 0);
            if (popped == 13)
                assert_string_equal(text, "tile thirteen");
            popped++;
        }
    }
    assert_int_equal(lane_load(lane), 0);
    lane_close(lane);
}

static enum status compute_slowly(void *context, const struct tile *tile, struct field *out,
                                  uint64_t *iterations)
{
    (void)context, (void)tile, (void)out, (void)iterations;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return STATUS_OK;
}

static void dropped_and_closed_with_work_in_it(void **state)
{
    (void)state;
    struct job slow = job;
    slow.compute = compute_slowly;
    struct lane *lane = open_lane(&slow);
    lane_push(lane, &(struct lane_task){.tile = 1});
    lane_push(lane, &(struct lane_task){.tile = 2});
    lane_wait(lane, 1000); /* comes back though nothing is finished */
    lane_drop(lane);
    assert_in_range(lane_load(lane), 0, 1); /* what has begun goes on */
    lane_push(lane, &(struct lane_task){.tile = 3});
    lane_close(lane);
    lane_close(NULL);
}

/* The end of a job must not depend on which thread the kernel gives Ctrl-C to. */
static enum status compute_mask(void *context, const struct tile *tile, struct field *out,
                                uint64_t *iterations)
{
    (void)context, (void)tile, (void)out;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    *iterations = (uint64_t)sigismember(&mask, SIGINT) * 10 + (uint64_t)sigismember(&mask, SIGTERM);
    return STATUS_OK;
}

static struct lane_task compute_one(const struct job *of)
{
    struct lane *lane = open_lane(of);
    struct lane_task task = {.tile = 0};
    char text[STATUS_TEXT_BYTES];
    lane_push(lane, &task);
    while (!lane_pop(lane, &task, text))
        lane_wait(lane, 100000);
    lane_close(lane);
    return task;
}

static void signals_are_left_to_the_other_threads(void **state)
{
    (void)state;
    struct job masked = job;
    masked.compute = compute_mask;
    assert_int_equal(compute_one(&masked).iterations, 11);
}

static enum status compute_in_parallel(void *context, const struct tile *tile, struct field *out,
                                       uint64_t *iterations)
{
    (void)context, (void)tile, (void)out;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_come_back_in_order),
        cmocka_unit_test(dropped_and_closed_with_work_in_it),
        cmocka_unit_test(signals_are_left_to_the_other_threads),
        cmocka_unit_test(openmp_works_inside_compute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
