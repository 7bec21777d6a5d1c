/* Does one process compute whatever is asked for next, and nothing that was asked for before? What
 * holds for any number of ranks is in mpi_pool.c. */
#include "tests/support/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "decomposition/message/message.h"
#include "decomposition/pool/joined.h"
#include "decomposition/pool/pool.h"
#include "decomposition/thread/clock.h"

enum { THREADS = 2, CREDITS = 4, ENDLESS = 1, FAILING = 2, DEAF = 3 };

/* The caller's side of the calls. A task's first byte says what it does, a context's too. */
static struct bench {
    volatile int give_up;
    int in_compute, in_context; /* atomic, as all below */
    int together;               /* times that a context was prepared while something ran */
    int contexts, computes, given_up;
    int deaf; /* as long as this is set, DEAF tasks go on */
    uint64_t epoch;
} bench;

static struct world *world;
static struct pool *pool;

static int get(const volatile int *number)
{
    return __atomic_load_n(number, __ATOMIC_ACQUIRE);
}

static void add(int *number, int change)
{
    __atomic_add_fetch(number, change, __ATOMIC_ACQ_REL);
}

static void nap(long microseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

static enum status wait_for_give_up(void)
{
    while (!get(&bench.give_up))
        nap(100);
    add(&bench.given_up, 1);
    return status_fail(STATUS_STOPPED, "given up");
}

static enum status prepare(void *context, uint64_t epoch, const void *bytes, size_t length)
{
    assert_ptr_equal(context, &bench);
    add(&bench.together, get(&bench.in_compute) > 0 || get(&bench.in_context) > 0);
    add(&bench.in_context, 1);
    bench.epoch = epoch;
    enum status status = STATUS_OK;
    int what = length ? *(const unsigned char *)bytes : 0;
    if (what == ENDLESS)
        status = wait_for_give_up();
    if (what == FAILING)
        status = status_fail(STATUS_DEVICE_LOST, "no room for context %d", (int)epoch);
    add(&bench.contexts, 1);
    add(&bench.in_context, -1);
    return status;
}

static enum status compute(void *context, int thread, const struct pool_task *task,
                           struct field *out, uint64_t *iterations)
{
    (void)context;
    (void)thread;
    add(&bench.in_compute, 1);
    add(&bench.together, get(&bench.in_context) > 0 || task->epoch != bench.epoch);
    memset(out->base, (int)(task->id + task->epoch), task->result_bytes);
    *iterations += task->id;
    enum status status = STATUS_OK;
    if (task->words[0] == ENDLESS)
        status = wait_for_give_up();
    while (task->words[0] == DEAF && get(&bench.deaf))
        nap(100);
    add(&bench.computes, 1);
    add(&bench.in_compute, -1);
    return status;
}

static struct pool_options options(void)
{
    return (struct pool_options){.calls = {.context = &bench,
                                           .prepare = prepare,
                                           .compute = compute,
                                           .give_up = &bench.give_up},
                                 .threads = THREADS,
                                 .credits = CREDITS,
                                 .patience_s = 10};
}

static void begin(void)
{
    bench = (struct bench){.give_up = 0};
    struct pool_options o = options();
    assert_int_equal(pool_open(&pool, world, &o), STATUS_OK);
    assert_int_equal(pool_workers(pool), 1);
}

static void end(void)
{
    assert_int_equal(pool_close(pool), STATUS_OK);
    assert_int_equal(bench.together, 0);
    assert_int_equal(bench.in_compute + bench.in_context, 0);
}

static void show(uint64_t epoch, unsigned char what)
{
    assert_int_equal(pool_context(pool, epoch, &what, 1), STATUS_OK);
}

static struct pool_result next(void)
{
    struct pool_result result;
    double until_s = clock_s() + 120;
    while (!pool_take(pool, &result)) {
        assert_true(clock_s() < until_s);
        pool_wait(pool, 1000000);
    }
    return result;
}

static void expect_nothing(void)
{
    struct pool_result result;
    assert_false(pool_take(pool, &result));
}

static void wait_until_ready(void)
{
    double until_s = clock_s() + 120;
    while (!pool_may_give(pool, 0)) {
        expect_nothing();
        assert_true(clock_s() < until_s);
        pool_wait(pool, 1000000);
    }
}

static void give(uint64_t epoch, uint64_t id, size_t bytes, unsigned char what)
{
    struct pool_task task = {.epoch = epoch, .id = id, .result_bytes = bytes, .words = {what}};
    assert_true(pool_may_give(pool, 0));
    assert_int_equal(pool_give(pool, 0, &task), STATUS_OK);
}

static void expect_good(const struct pool_result *result, uint64_t epoch)
{
    assert_int_equal(result->kind, POOL_TASK);
    assert_int_equal(result->status, STATUS_OK);
    assert_string_equal(result->text, "");
    assert_true(result->task.epoch == epoch);
    assert_int_equal((uintptr_t)result->bytes % 64, 0);
    const unsigned char *bytes = result->bytes;
    for (size_t i = 0; i < result->task.result_bytes; i++)
        assert_int_equal(bytes[i], (result->task.id + epoch) & 255);
    assert_true(result->iterations == result->task.id && result->busy_s >= 0);
}

static void wait_for(const int *number, int value)
{
    for (double until_s = clock_s() + 120; get(number) < value; nap(100))
        assert_true(clock_s() < until_s);
}

/* --- tasks ------------------------------------------------------------------------------------ */

TEST(tasks_arrive_once)
{
    enum { TASKS = 300 };
    begin();
    assert_false(pool_may_give(pool, 0)); /* for what context? */
    show(7, 0);
    wait_until_ready();
    int seen[TASKS] = {0}, arrived = 0;
    for (uint64_t given = 0; arrived < TASKS;) {
        while (given < TASKS && pool_may_give(pool, 0)) {
            give(7, given, given % 3 ? given * 37 : 0, 0);
            given++;
        }
        assert_true(pool_worker(pool, 0)->outstanding <= CREDITS);
        struct pool_result result = next();
        expect_good(&result, 7);
        assert_int_equal(seen[result.task.id]++, 0);
        arrived++;
    }
    const struct pool_worker *worker = pool_worker(pool, 0);
    assert_int_equal(worker->tiles, TASKS);
    assert_int_equal(worker->iterations, TASKS * (TASKS - 1) / 2);
    assert_int_equal(worker->outstanding + (int)worker->late, 0);
    assert_int_equal(bench.contexts, 1);
    expect_nothing();
    end();
}

TEST(no_more_than_the_credits)
{
    begin();
    show(1, 0);
    wait_until_ready();
    for (uint64_t id = 0; id < CREDITS; id++)
        give(1, id, 8, ENDLESS);
    assert_false(pool_may_give(pool, 0));
    assert_int_equal(pool_worker(pool, 0)->outstanding, CREDITS);
    wait_for(&bench.in_compute, THREADS);
    end(); /* which gives up what is endless */
    assert_int_equal(bench.given_up, THREADS);
}

TEST(a_result_is_borrowed_while_others_are_computed)
{
    begin();
    show(1, 0);
    wait_until_ready();
    give(1, 100, 100000, 0);
    struct pool_result kept = next();
    for (uint64_t id = 0; id < CREDITS; id++)
        give(1, id, 100000, 0);
    wait_for(&bench.computes, CREDITS + 1);
    expect_good(&kept, 1);
    for (int i = 0; i < CREDITS; i++) {
        struct pool_result result = next();
        expect_good(&result, 1);
    }
    end();
}

TEST(a_task_of_another_context_is_refused)
{
    begin();
    show(3, 0);
    wait_until_ready();
    struct pool_task task = {.epoch = 2};
    assert_int_equal(pool_give(pool, 0, &task), STATUS_INTERNAL);
    assert_string_equal(status_text(), "a task of context 2, and the present one is 3");
    end();
}

/* --- what has become useless ------------------------------------------------------------------ */

TEST(a_newer_context_stops_what_runs)
{
    begin();
    double start_s = clock_s();
    for (uint64_t epoch = 1; epoch <= 50; epoch++) {
        show(epoch, 0);
        wait_until_ready();
        give(epoch, 1, 100, 0);
        struct pool_result result = next();
        expect_good(&result, epoch);
        for (uint64_t id = 0; id < CREDITS; id++)
            give(epoch, id, 8, ENDLESS);
        wait_for(&bench.in_compute, THREADS);
    }
    show(51, 0);
    wait_until_ready();
    assert_int_equal(get(&bench.give_up), 0);
    assert_int_equal(bench.given_up, 50 * THREADS);
    assert_int_equal(pool_worker(pool, 0)->late, 0); /* none of them has finished */
    assert_true(pool_worker(pool, 0)->busy_s > 0);
    assert_true(clock_s() - start_s < 45); /* a wait that nobody ends takes a second */
    end();
}

TEST(a_context_gives_way_to_a_newer_one)
{
    begin();
    show(1, ENDLESS);
    wait_for(&bench.in_context, 1);
    assert_false(pool_may_give(pool, 0));
    show(2, ENDLESS); /* never begun: 3 is newer */
    show(3, 0);
    wait_until_ready();
    assert_int_equal(bench.contexts, 2);
    assert_int_equal(bench.given_up, 1);
    assert_true(bench.epoch == 3);
    for (uint64_t epoch = 4; epoch < 2000; epoch++)
        show(epoch, 0); /* most of them before the one before has begun */
    wait_until_ready();
    assert_true(bench.epoch == 1999);
    end();
}

TEST(a_cancel_leaves_the_context)
{
    begin();
    pool_cancel(pool); /* of nothing */
    show(1, 0);
    pool_cancel(pool); /* while it is being prepared */
    wait_until_ready();
    for (int round = 0; round < 50; round++) {
        for (uint64_t id = 0; id < CREDITS; id++)
            give(1, id, 8, round % 2 ? ENDLESS : 0);
        pool_cancel(pool);
        if (round % 5 == 0)
            pool_cancel(pool);
        wait_until_ready();
        expect_nothing();
    }
    give(1, 5, 8, 0);
    struct pool_result result = next();
    expect_good(&result, 1);
    assert_int_equal(bench.contexts, 1);
    end();
}

/* --- failures --------------------------------------------------------------------------------- */

TEST(a_context_that_fails_is_news)
{
    begin();
    show(4, FAILING);
    struct pool_result result = next();
    assert_int_equal(result.kind, POOL_CONTEXT);
    assert_int_equal(result.status, STATUS_DEVICE_LOST);
    assert_string_equal(result.text, "no room for context 4");
    expect_nothing();
    assert_false(pool_may_give(pool, 0));
    assert_true(pool_worker(pool, 0)->alive);
    show(5, 0); /* and no thread was lost by it */
    wait_until_ready();
    assert_int_equal(pool_worker(pool, 0)->threads, THREADS);
    end();
}

/* A cancel leaves the context, and so what is to be said of it. */
TEST(a_context_that_failed_is_news_after_a_cancel)
{
    begin();
    show(4, FAILING);
    wait_for(&bench.contexts, 1);
    pool_wait(pool, -1);
    pool_cancel(pool);
    struct pool_result result = next();
    assert_int_equal(result.kind, POOL_CONTEXT);
    show(5, FAILING);
    wait_for(&bench.contexts, 2);
    pool_wait(pool, -1);
    show(6, 0); /* does not */
    wait_until_ready();
    end();
}

TEST(what_cannot_work_is_refused)
{
    struct pool *none;
    struct pool_options o = options();
    o.credits = THREADS - 1;
    assert_int_equal(pool_open(&none, world, &o), STATUS_CONFIG);
    assert_null(none);
    o = options();
    o.threads = 0;
    assert_int_equal(pool_open(&none, world, &o), STATUS_NO_DEVICE);
    assert_null(none);
    assert_int_equal(pool_close(NULL), STATUS_OK);
}

TEST(closing_does_not_wait_for_ever)
{
    bench = (struct bench){.deaf = 1};
    struct pool_options o = options();
    o.patience_s = 0.2;
    assert_int_equal(pool_open(&pool, world, &o), STATUS_OK);
    show(1, 0);
    wait_until_ready();
    give(1, 1, 8, DEAF);
    wait_for(&bench.in_compute, 1);
    assert_int_equal(pool_close(pool), STATUS_SYSTEM);
    assert_non_null(strstr(status_text(), "rank 0 on "));
    assert_non_null(strstr(status_text(), " has not ended 0.2 s after it was told to give up"));
    add(&bench.deaf, -1); /* it may be closed again, once it has heard */
    assert_int_equal(pool_close(pool), STATUS_OK);
}

/* --- waiting ---------------------------------------------------------------------------------- */

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *wake_later(void *unused)
{
    nap(300000);
    pool_wake(pool);
    return unused;
}

TEST(waiting_costs_nothing)
{
    begin();
    show(1, 0);
    wait_until_ready();
    give(1, 1, 8, 0);
    next();
    expect_nothing();
    pool_wait(pool, 0); /* it may have been woken for what has arrived already */
    pthread_t waker;
    double cpu_before_s = cpu_s(), start_s = clock_s();
    assert_int_equal(pthread_create(&waker, NULL, wake_later, NULL), 0);
    pool_wait(pool, -1);
    double waited_s = clock_s() - start_s, used_s = cpu_s() - cpu_before_s;
    pthread_join(waker, NULL);
    assert_true(waited_s > 0.25);
    assert_true(used_s < 0.2 * waited_s); /* two threads that sleep: some tens of microseconds */
    pool_wake(pool);
    pool_wait(pool, -1); /* was woken before */
    start_s = clock_s();
    pool_wait(pool, 20000);
    assert_true(clock_s() - start_s > 0.019);
    end();
}

/* --- a pool that computes for another job ----------------------------------------------------- */

static struct { /* that job, which stands still while a result comes */
    int socket;
    volatile int stop;
} run;

static void run_says(struct message message, const void *payload)
{
    unsigned char header[MESSAGE_BYTES];
    message.checksum = message.length ? message_checksum(payload, message.length) : 0;
    message_encode(&message, header);
    assert_int_equal(join_send(run.socket, header, sizeof header), STATUS_OK);
    assert_int_equal(join_send(run.socket, payload, message.length), STATUS_OK);
}

static void *run_stands_still(void *unused)
{
    static const struct pool_task task = {.result_bytes = 1 << 24};
    struct message message = {.kind = MESSAGE_GOT};
    unsigned char header[MESSAGE_BYTES];
    run_says((struct message){.kind = MESSAGE_CONTEXT, .sequence = 1, .length = 1}, "");
    run_says((struct message){.kind = MESSAGE_TASK, .sequence = 1, .length = sizeof task}, &task);
    while (message.kind != MESSAGE_DONE) {
        assert_int_equal(join_receive(run.socket, header, sizeof header), STATUS_OK);
        assert_int_equal(message_decode(&message, header, sizeof header), STATUS_OK);
    }
    __atomic_store_n(&run.stop, 1, __ATOMIC_RELAXED);
    return unused;
}

/* Not when the run has been silent for 15 s, which is a failure. */
TEST(a_job_whose_run_reads_nothing_ends_when_it_is_told)
{
    int ends[2];
    pthread_t other;
    begin();
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    run.socket = ends[1];
    run.stop = 0;
    assert_int_equal(pthread_create(&other, NULL, run_stands_still, NULL), 0);
    assert_int_equal(joined_serve(ends[0], pool, &run.stop), STATUS_OK);
    pthread_join(other, NULL);
    close(ends[0]);
    close(ends[1]);
    end();
}

int main(void)
{
    if (world_open(&world, NULL) != STATUS_OK)
        return 1;
    int failed = check_run(NULL, NULL);
    world_close(world);
    return failed != 0;
}
