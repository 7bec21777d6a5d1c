/* Does an executor run what it is given, at the same time, report failures of their threads, sleep
 * between jobs, and end when told? */
#include "tests/support/check.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "decomposition/thread/executor.h"
#include "kernels/field.h"

/* What the executor is used for: tasks with numbers, all of which do the same. */
struct use {
    int threads, depth;
    unsigned spin_us;
    void *context;
    enum status (*compute)(void *context, int thread, uint32_t number, uint64_t *iterations);
};

static struct work {
    const struct use *use;
    uint32_t number;
    uint64_t iterations;
} work[100];

static struct event event;
static pthread_t opener;
static int threads_seen;

static enum status compute(void *context, int thread, uint32_t number, uint64_t *iterations)
{
    (void)context, (void)thread;
    if (pthread_equal(pthread_self(), opener))
        return status_fail(STATUS_INTERNAL, "computed on the opener's thread");
    uint32_t index = number;
    if (index == 13)
        return status_fail(STATUS_IO, "task thirteen");
    *iterations += index;
    return STATUS_OK;
}

static const struct use plain = {.threads = 1, .depth = 2, .compute = compute};

static enum status perform(void *argument, int thread)
{
    struct work *of = argument;
    return of->use->compute(of->use->context, thread, of->number, &of->iterations);
}

static enum status begin(struct executor *executor, const struct use *use)
{
    event_open(&event);
    for (uint32_t i = 0; i < 100; i++)
        work[i] = (struct work){.use = use, .number = i};
    return executor_begin(executor, &(struct executor_use){.threads = use->threads,
                                                           .depth = use->depth,
                                                           .spin_us = use->spin_us,
                                                           .event = &event});
}

static void push(struct executor *executor, uint32_t number)
{
    executor_push(executor,
                  &(struct executor_task){.function = perform, .argument = &work[number]});
}

static const struct work *work_of(const struct executor_task *task)
{
    return task->argument;
}

static struct executor *open_executor(const struct use *of)
{
    struct executor *executor;
    opener = pthread_self();
    assert_int_equal(executor_open(&executor), STATUS_OK);
    assert_int_equal(begin(executor, of), STATUS_OK);
    return executor;
}

static void shut(struct executor *executor)
{
    executor_end(executor);
    executor_close(executor);
}

TEST(tasks_come_back_in_order)
{
    struct executor *executor = open_executor(&plain);
    uint32_t pushed = 0, popped = 0;
    char text[STATUS_TEXT_BYTES];
    while (popped < 100) {
        while (pushed < 100 && executor_load(executor) < plain.depth)
            push(executor, pushed++);
        event_wait(&event, 100000);
        struct executor_task task;
        while (executor_pop(executor, &task, text)) {
            assert_int_equal(work_of(&task)->number, popped);
            assert_int_equal(task.status, popped == 13 ? STATUS_IO : STATUS_OK);
            assert_true(work_of(&task)->iterations == (popped == 13 ? 0 : popped));
            assert_true(task.busy_s >= 0);
            if (popped == 13)
                assert_string_equal(text, "task thirteen");
            popped++;
        }
    }
    assert_int_equal(executor_load(executor), 0);
    shut(executor);
}

static enum status compute_slowly(void *context, int thread, uint32_t number, uint64_t *iterations)
{
    (void)context, (void)thread, (void)number, (void)iterations;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return STATUS_OK;
}

TEST(dropped_and_closed_with_work_in_it)
{
    struct use slow = plain;
    slow.compute = compute_slowly;
    struct executor *executor = open_executor(&slow);
    push(executor, 1);
    push(executor, 2);
    event_wait(&event, 1000); /* comes back though nothing is finished */
    struct executor_task task;
    while (executor_take_back(executor, &task))
        assert_in_range(work_of(&task)->number, 1, 2);
    assert_in_range(executor_load(executor), 0, 1); /* what has begun goes on */
    push(executor, 3);
    shut(executor);
    shut(NULL);
}

/* The end of a job must not depend on which thread the kernel gives Ctrl-C to. */
static enum status compute_mask(void *context, int thread, uint32_t number, uint64_t *iterations)
{
    (void)context, (void)thread, (void)number;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    *iterations = (uint64_t)sigismember(&mask, SIGINT) * 10 + (uint64_t)sigismember(&mask, SIGTERM);
    return STATUS_OK;
}

static uint64_t compute_one(const struct use *of)
{
    struct executor *executor = open_executor(of);
    struct executor_task task;
    char text[STATUS_TEXT_BYTES];
    push(executor, 0);
    while (!executor_pop(executor, &task, text))
        event_wait(&event, 100000);
    shut(executor);
    return work_of(&task)->iterations;
}

TEST(signals_are_left_to_the_other_threads)
{
    struct use masked = plain;
    masked.compute = compute_mask;
    assert_int_equal(compute_one(&masked), 11);
}

static enum status compute_in_parallel(void *context, int thread, uint32_t number,
                                       uint64_t *iterations)
{
    (void)context, (void)thread, (void)number;
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

TEST(openmp_works_inside_compute)
{
#ifdef __SANITIZE_THREAD__
    skip(); /* libgomp's barriers are not known to the sanitizer */
#endif
    struct use parallel = plain;
    parallel.compute = compute_in_parallel;
    assert_int_equal(compute_one(&parallel), 500500);
    assert_int_equal(threads_seen, 3);
}

/* Three threads are in compute at once, or this would never end; then all but one lose their
 * device.
 */
enum { TOGETHER = 3 };
static int arrived;

static void meet(void)
{
    __atomic_add_fetch(&arrived, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < TOGETHER)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static enum status compute_together(void *context, int thread, uint32_t number,
                                    uint64_t *iterations)
{
    (void)context;
    uint32_t index = number;
    if (index < TOGETHER)
        meet();
    *iterations = (uint64_t)thread;
    if (index < 2)
        return status_fail(STATUS_DEVICE_LOST, "device under task %u", index);
    return STATUS_OK;
}

TEST(executor_work_together_and_outlive_each_other)
{
    struct use three = plain;
    three.threads = TOGETHER;
    three.depth = 5;
    three.compute = compute_together;
    struct executor *executor = open_executor(&three);
    char text[STATUS_TEXT_BYTES], expected[32];
    int seen[100] = {0}, survivor = -1;
    uint32_t pushed = 0, popped = 0;
    arrived = 0;
    while (popped < 100) {
        while (pushed < 100 && executor_load(executor) < three.depth)
            push(executor, pushed++);
        event_wait(&event, 100000);
        struct executor_task task;
        while (executor_pop(executor, &task, text)) {
            assert_int_equal(seen[work_of(&task)->number]++, 0);
            assert_int_equal(task.status,
                             work_of(&task)->number < 2 ? STATUS_DEVICE_LOST : STATUS_OK);
            snprintf(expected, sizeof expected, "device under task %u", work_of(&task)->number);
            if (work_of(&task)->number < 2)
                assert_string_equal(text, expected);
            if (work_of(&task)->number == 2)
                survivor = (int)work_of(&task)->iterations;
            if (work_of(&task)->number > 2) /* the others are gone */
                assert_int_equal(work_of(&task)->iterations, survivor);
            popped++;
        }
    }
    assert_int_equal(executor_alive(executor), 1);
    shut(executor);
}

static enum status compute_long(void *context, int thread, uint32_t number, uint64_t *iterations)
{
    (void)thread, (void)iterations;
    while (number == 0 && !__atomic_load_n((int *)context, __ATOMIC_ACQUIRE))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return STATUS_OK;
}

TEST(a_short_task_overtakes_a_long_one)
{
    struct use two = plain;
    two.threads = two.depth = 2;
    int overtaken = 0;
    two.compute = compute_long;
    two.context = &overtaken;
    struct executor *executor = open_executor(&two);
    char text[STATUS_TEXT_BYTES];
    push(executor, 0);
    push(executor, 1);
    struct executor_task task;
    while (!executor_pop(executor, &task, text))
        event_wait(&event, 100000);
    assert_int_equal(work_of(&task)->number, 1);
    assert_int_equal(executor_load(executor), 1);
    __atomic_store_n(&overtaken, 1, __ATOMIC_RELEASE);
    shut(executor);
}

/* --- from use to use -------------------------------------------------------------------------- */

enum { MEMBERS = TOGETHER };
static pthread_t thread_of[MEMBERS];
static char name_of[MEMBERS][16];
static int computed[MEMBERS];

struct plan {
    int members;
    bool lose; /* thread 1, with its first task */
};

static enum status compute_and_tell(void *context, int thread, uint32_t number,
                                    uint64_t *iterations)
{
    (void)iterations;
    const struct plan *plan = context;
    if (computed[thread]++ == 0) {
        thread_of[thread] = pthread_self();
        pthread_getname_np(pthread_self(), name_of[thread], sizeof name_of[thread]);
    }
    if (!pthread_equal(thread_of[thread], pthread_self()))
        return status_fail(STATUS_INTERNAL, "thread %d is another one now", thread);
    if (plan->members == MEMBERS && number < MEMBERS)
        meet(); /* so that each gets one, however busy the machine is */
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL); /* in which others might, wrongly */
    if (plan->lose && thread == 1)
        return status_fail(STATUS_DEVICE_LOST, "thread 1 fell off the bus");
    return STATUS_OK;
}

/* All tasks, in one use of threads that are there already. */
static void use_once(struct executor *executor, int members, int credits, unsigned spin_us,
                     bool lose)
{
    struct use of = plain;
    struct plan plan = {members, lose};
    of.threads = members;
    of.depth = credits;
    of.spin_us = spin_us;
    of.compute = compute_and_tell;
    of.context = &plan;
    arrived = 0;
    assert_int_equal(begin(executor, &of), STATUS_OK);
    assert_int_equal(executor_alive(executor), members);
    uint32_t pushed = 0, popped = 0;
    char text[STATUS_TEXT_BYTES];
    struct executor_task task;
    while (popped < 100) {
        while (pushed < 100 && executor_load(executor) < credits)
            push(executor, pushed++);
        event_wait(&event, 100000);
        for (; executor_pop(executor, &task, text); popped++)
            if (task.status != STATUS_OK && task.status != STATUS_DEVICE_LOST)
                fail_msg("%s", text);
    }
    assert_int_equal(executor_alive(executor), members - lose);
    executor_end(executor);
}

/* Uses of more threads and fewer, one after the other at once and after a sleep; a thread whose
 * device was lost in one job is there again in the next, since only the device knows whether it is.
 */
TEST(threads_are_kept_from_use_to_use)
{
    struct executor *executor;
    assert_int_equal(executor_open(&executor), STATUS_OK);
    memset(computed, 0, sizeof computed);
    for (int round = 0; round < 4; round++) {
        unsigned spin_us = round % 2 ? 1000 : 0;
        int before[MEMBERS];
        use_once(executor, 2, 3, spin_us, false);
        use_once(executor, MEMBERS, 2 * MEMBERS, spin_us, false);
        use_once(executor, MEMBERS, MEMBERS, spin_us, true);
        memcpy(before, computed, sizeof before);
        use_once(executor, 1, 4, spin_us, false); /* the others must leave its tasks alone */
        assert_int_equal(computed[0], before[0] + 100);
        assert_int_equal(computed[1], before[1]);
        assert_int_equal(computed[2], before[2]);
        nanosleep(&(struct timespec){.tv_nsec = round < 2 ? 0 : 5000000}, NULL);
    }
    for (int i = 0; i < MEMBERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "compute %d", i);
        assert_true(computed[i] > 0);
        assert_string_equal(name_of[i], name);
    }
    executor_close(executor);
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Three threads that were told to look for a millisecond. */
TEST(executor_sleep_between_jobs)
{
    struct executor *executor;
    assert_int_equal(executor_open(&executor), STATUS_OK);
    memset(computed, 0, sizeof computed);
    use_once(executor, MEMBERS, MEMBERS, 1000, false);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    double before_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    assert_true(seconds_of(CLOCK_PROCESS_CPUTIME_ID) - before_s < 0.05);
    executor_close(executor);
}
