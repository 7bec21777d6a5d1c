/* Does a pool go on although ranks are slow, silent, damaged or dead, and does it end? */
#include "tests/support/check.h"

#include <string.h>

#include "decomposition/message/message.h"
#include "decomposition/world/outbox.h"
#include "mpi_pool.h"

/* Rank 0 works too, so that there is somebody else even with two ranks. */
static enum status perform_with(int threads, void (*scenario)(void))
{
    play = (struct play){.root_works = true, .threads = threads, .credits = threads + 1};
    return perform(scenario);
}

static bool alone(void)
{
    return world_size(world) == 1;
}

/* What lasts for seconds by its nature is done among three ranks, with DEEPFIELD_LONG=1 among any
 * number of them. */
static bool has_time(void)
{
    return check_long() || world_size(world) == 3;
}

/* --- slow ------------------------------------------------------------------------------------- */

/* The last worker takes two seconds for its first task, and does not hear that it is not wanted. */
static void slow(void)
{
    struct pool_result result;
    show(PLAIN, 0, 100);
    wait_until_ready();
    int last = last_worker(), credits = pool_worker(pool, last)->credits;
    for (int i = 0; i < credits; i++)
        give(last, (uint64_t)i, 1000, DEAF, i == 0 ? 2000000 : 0);
    double start_s = clock_s();
    for (uint64_t id = 100; id < 130; id++) {
        give(0, id, 1000, PLAIN, 100);
        EXPECT(next(&result, 20) && result.task.id == id && result.worker == 0);
    }
    for (int i = 0; i < credits; i++) { /* what the slow one has is given to another */
        give(0, (uint64_t)i, 1000, PLAIN, 0);
        EXPECT(next(&result, 20) && result.status == STATUS_OK && result.worker == 0);
    }
    EXPECT(pool_worker(pool, last)->outstanding == credits);
    int beats = 0; /* two in a second */
    while (pool_worker(pool, last)->outstanding > 0 && clock_s() < start_s + 20) {
        double heard_s = pool_worker(pool, last)->heard_s;
        EXPECT(!step(&result, 0.05));
        beats += pool_worker(pool, last)->heard_s < heard_s;
    }
    EXPECT(beats > 0);
    EXPECT(pool_worker(pool, last)->late == (uint64_t)credits);
    EXPECT(pool_worker(pool, last)->tiles == 0);
}

TEST(a_slow_rank_holds_nobody_up)
{
    if (!alone() && has_time())
        EXPECT(perform_with(1, slow) == STATUS_OK);
    settle();
}

static void twice(void)
{
    struct pool_result result;
    show(PLAIN, 0, 100);
    wait_until_ready();
    int workers = pool_workers(pool);
    for (uint64_t id = 0; id < 200; id++) {
        for (int w = 0; w < workers; w++)
            while (!pool_may_give(pool, w))
                EXPECT(!step(&result, 0.01));
        for (int w = 0; w < workers; w++)
            give(w, id, 1000, PLAIN, 20);
        EXPECT(next(&result, 20) && result.status == STATUS_OK && result.task.id == id);
    }
    EXPECT(!next(&result, 0.2));
    uint64_t late = 0, tiles = 0;
    for (int w = 0; w < workers; w++) {
        late += pool_worker(pool, w)->late;
        tiles += pool_worker(pool, w)->tiles;
    }
    EXPECT(tiles == 200 && late == 200 * (uint64_t)(workers - 1));
}

TEST(a_task_given_twice_is_delivered_once)
{
    EXPECT(perform_with(1, twice) == STATUS_OK);
    settle();
}

/* --- silent ----------------------------------------------------------------------------------- */

enum { SCENES = 300 };

/* The last rank looks at no message for three seconds. Meanwhile the others are asked for much. */
static void silent(void)
{
    struct pool_result result;
    show(PLAIN, 0, 100);
    for (int w = 0; w < pool_workers(pool); w++)
        EXPECT(pool_worker(pool, w)->heard_s < 60); /* nothing was asked of it before */
    wait_until_ready();
    int last = last_worker();
    double start_s = clock_s();
    give(last, 1, 1000, SILENT, 3000000);
    EXPECT(!next(&result, 0.5));
    show(PLAIN, 0, 100); /* by which it is not heard of */
    EXPECT(pool_worker(pool, last)->heard_s > 0.4);
    for (int i = 0; i < SCENES && clock_s() < start_s + 1; i++) {
        show(PLAIN, 0, 200000);
        EXPECT(!next(&result, 0.001));
    }
    while (!pool_may_give(pool, 0))
        EXPECT(!step(&result, 1));
    give(0, 2, 1000, PLAIN, 0);
    EXPECT(next(&result, 20) && result.worker == 0 && result.task.id == 2);
    EXPECT(clock_s() < start_s + 3); /* nobody has waited for it */
    while (clock_s() < start_s + 1.6)
        EXPECT(!next(&result, 0.1));
    EXPECT(pool_worker(pool, last)->heard_s > 1 && !pool_worker(pool, last)->ready);
    EXPECT(pool_worker(pool, last)->alive);
    wait_until_ready();
    EXPECT(clock_s() - start_s >= 2.9);
    give(last, 3, 1000, PLAIN, 0);
    EXPECT(next(&result, 20) && result.worker == last && result.task.id == 3);
    EXPECT(pool_worker(pool, last)->heard_s == 0);
    EXPECT(pool_worker(pool, last)->late == 1);
}

TEST(a_silent_rank_is_seen_and_nothing_piles_up)
{
    if (!alone() && has_time())
        EXPECT(perform_with(1, silent) == STATUS_OK);
    /* It got the context under way when it fell silent, and the newest. */
    if (!alone() && has_time() && world_rank(world) == 0)
        EXPECT(seen[world_size(world) - 1].contexts <= 3);
    settle();
}

/* --- dead ------------------------------------------------------------------------------------- */

/* Both threads of the last worker, one after the other; the second with tasks behind it. */
static void lost(void)
{
    struct pool_result result;
    show(PLAIN, 0, 100);
    wait_until_ready();
    int last = last_worker();
    give(last, 1, 1000, LOSING, 0);
    EXPECT(next(&result, 20) && result.kind == POOL_TASK);
    EXPECT(result.status == STATUS_DEVICE_LOST && strstr(result.text, "device of rank "));
    next(&result, 0.1); /* of the thread is told in a message of its own */
    EXPECT(pool_worker(pool, last)->threads == 1 && pool_worker(pool, last)->alive);
    for (uint64_t id = 2; id < 5; id++)
        give(last, id, 1000, LOSING, 0);
    uint64_t ids = 0;
    int told = 0;
    for (int i = 0; i < 4 && next(&result, 20); i++) {
        EXPECT(result.status == STATUS_DEVICE_LOST && result.worker == last && !result.bytes);
        told += result.kind == POOL_WORKER;
        ids += result.kind == POOL_TASK ? result.task.id : 0;
    }
    EXPECT(told == 1 && ids == 2 + 3 + 4 && !next(&result, 0.05));
    EXPECT(!pool_worker(pool, last)->alive && !pool_may_give(pool, last));
    for (uint64_t id = 2; id < 5 && last > 0; id++) {
        give(0, id, 1000, PLAIN, 0);
        EXPECT(next(&result, 20) && result.status == STATUS_OK && result.task.id == id);
    }
    show(PLAIN, 0, 100);
    wait_until_ready();
    EXPECT(!pool_worker(pool, last)->ready && pool_worker(pool, last)->heard_s == 0);
}

/* The same two threads, over what nobody wants any more. */
static void lost_over_nothing(void)
{
    struct pool_result result;
    int last = last_worker();
    show(PLAIN, 0, 100);
    wait_until_ready();
    /* Nothing tells rank 0 that a task has begun; one that has not is dropped, and loses nobody. */
    for (uint64_t id = 1; id < 100 && pool_worker(pool, last)->threads == 2; id++) {
        give(last, id, 1000, LOSING, 1);
        EXPECT(!next(&result, 0.05));
        pool_cancel(pool);
        wait_until_ready();
    }
    EXPECT(pool_worker(pool, last)->threads == 1 && pool_worker(pool, last)->threads_lost == 1);
    bool told = false;
    for (uint64_t id = 100; id < 200 && !told; id++) {
        give(last, id, 1000, LOSING, 1);
        EXPECT(!next(&result, 0.05));
        show(PLAIN, 0, 100);
        while (!told && !pool_may_give(pool, last))
            told = next(&result, 0.05);
    }
    EXPECT(told && result.kind == POOL_WORKER && result.worker == last);
    EXPECT(result.status == STATUS_DEVICE_LOST && strstr(result.text, "device of rank "));
    EXPECT(!pool_worker(pool, last)->alive && pool_worker(pool, last)->threads_lost == 2);
    EXPECT(!next(&result, 0.05) && pool_worker(pool, last)->heard_s == 0);
}

TEST(lost_threads_and_ranks_leave_their_tasks)
{
    EXPECT(perform_with(2, lost) == STATUS_OK);
    EXPECT(perform_with(2, lost_over_nothing) == STATUS_OK);
    settle();
}

static void failing(void)
{
    struct pool_result result;
    show(FAILING, 0, 100);
    for (int w = 0; w < pool_workers(pool); w++) {
        EXPECT(next(&result, 20) && result.kind == POOL_CONTEXT && result.status == STATUS_IO);
        EXPECT(!strcmp(result.text, "failing on purpose"));
        EXPECT(pool_worker(pool, result.worker)->alive);
        EXPECT(!pool_may_give(pool, result.worker));
    }
    EXPECT(!next(&result, 0.5));
    show(PLAIN, 0, 100);
    for (int w = 0; w < pool_workers(pool); w++)
        EXPECT(pool_worker(pool, w)->heard_s < 0.2); /* nothing was asked of it before */
    wait_until_ready();
    for (int w = 0; w < pool_workers(pool); w++) {
        give(w, 7, 1000, FAILING, 0);
        EXPECT(next(&result, 20) && result.kind == POOL_TASK && result.worker == w);
        EXPECT(result.status == STATUS_IO && result.task.id == 7 && !result.bytes);
        EXPECT(!strcmp(result.text, "failing on purpose"));
    }
}

TEST(failures_are_news)
{
    EXPECT(perform_with(1, failing) == STATUS_OK);
    settle();
}

/* --- damaged ---------------------------------------------------------------------------------- */

static void damaged_result(void)
{
    struct pool_result result;
    show(PLAIN, 0, 100);
    wait_until_ready();
    for (int w = 1; w < pool_workers(pool); w++) {
        give(w, 7, 1000, PLAIN, 0);
        EXPECT(next(&result, 20) && result.kind == POOL_TASK && result.task.id == 7);
        EXPECT(result.status == STATUS_INTERNAL && strstr(result.text, "arrived damaged"));
        EXPECT(pool_worker(pool, w)->alive && pool_may_give(pool, w));
    }
}

static void damaged_header(void)
{
    struct pool_result result;
    show(PLAIN, 0, 100);
    wait_until_ready();
    for (int w = 1; w < pool_workers(pool); w++) {
        give(w, 7, 1000, PLAIN, 0);
        give(w, 8, 1000, ENDLESS, 0);
        EXPECT(next(&result, 20) && result.kind == POOL_WORKER && result.worker == w);
        EXPECT(result.status == STATUS_INTERNAL && strstr(result.text, "damaged"));
        for (uint64_t id = 7; id < 9; id++)
            EXPECT(next(&result, 20) && result.task.id == id && result.status == STATUS_INTERNAL);
        EXPECT(!pool_worker(pool, w)->alive);
    }
    give(0, 7, 1000, PLAIN, 0);
    EXPECT(next(&result, 20) && result.status == STATUS_OK);
}

static void damaged_context(void)
{
    struct pool_result result;
    show(PLAIN, 0, 5000000);
    EXPECT(next(&result, 20) && result.kind == POOL_CONTEXT && result.worker == 1);
    EXPECT(result.status == STATUS_INTERNAL);
    EXPECT(!strcmp(result.text, "a context of 5000000 bytes arrived damaged"));
    damage_context = false;
    show(PLAIN, 0, 5000000);
    wait_until_ready();
}

TEST(damage_is_noticed)
{
    if (!alone()) {
        damage_kind = MESSAGE_DONE;
        damage_at = MESSAGE_BYTES + 500;
        EXPECT(perform_with(2, damaged_result) == STATUS_OK);
        damage_at = 20;
        EXPECT(perform_with(2, damaged_header) == STATUS_OK);
        damage_kind = -1;
        damage_context = true;
        damage_at = 4000000;
        EXPECT(perform_with(1, damaged_context) == STATUS_OK);
    }
    settle();
}

/* --- without memory --------------------------------------------------------------------------- */

static void without_memory(void)
{
    struct pool_result result;
    show(PLAIN, 0, 5000000);
    EXPECT(next(&result, 20) && result.kind == POOL_CONTEXT && result.worker == 1);
    EXPECT(result.status == STATUS_OUT_OF_MEMORY);
    EXPECT(!strcmp(result.text, "no memory for a context of 5000000 bytes"));
    show(PLAIN, 0, 100); /* which goes out when MPI has let go of the other */
    wait_until_ready();
    EXPECT(pool_worker(pool, 1)->alive && pool_worker(pool, 1)->ready);
}

TEST(a_rank_without_memory_for_a_context_goes_on)
{
    scarce = true;
    if (!alone())
        EXPECT(perform_with(1, without_memory) == STATUS_OK);
    settle();
}

/* --- the end ---------------------------------------------------------------------------------- */

static void nothing(void)
{
}

/* Of the end, in a message that arrives damaged. */
TEST(failures_of_idle_ranks_are_told_at_the_end)
{
    damage_kind = MESSAGE_END;
    damage_at = 20;
    play = (struct play){.root_works = true, .threads = 1, .credits = 2, .last_idles = true};
    if (!alone()) {
        enum status status = perform(nothing);
        EXPECT(world_rank(world) > 0 || status == STATUS_INTERNAL);
    }
    settle();
}

static void in_the_middle_of_tasks(void)
{
    show(PLAIN, 0, 100);
    wait_until_ready();
    for (int w = 0; w < pool_workers(pool); w++)
        while (pool_may_give(pool, w))
            give(w, 1, 100000, w % 2 ? ENDLESS : PLAIN, 1000);
}

static void in_the_middle_of_a_context(void)
{
    show(ENDLESS, 0, 100);
    show(ENDLESS, 0, 20000000);
    show(ENDLESS, 0, 30000000);
}

TEST(a_pool_ends_at_any_time)
{
    EXPECT(perform_with(2, in_the_middle_of_tasks) == STATUS_OK);
    EXPECT(perform_with(2, in_the_middle_of_a_context) == STATUS_OK);
    EXPECT(perform_with(2, nothing) == STATUS_OK);
    settle();
}

static void mpi_fails(void)
{
    show(PLAIN, 0, 100);
    wait_until_ready();
    broken = true;
}

/* What rank 0 has not heard is not for the next pool. */
static void messages_drop(void)
{
    static unsigned char bytes[MESSAGE_BYTES + OUTBOX_POST_BYTES];
    MPI_Status status = {.MPI_TAG = -1};
    for (int rank = 1; rank < world_size(world); rank++)
        do
            MPI_Recv(bytes, sizeof bytes, MPI_BYTE, rank, MPI_ANY_TAG, world->tiles, &status);
        while (status.MPI_TAG != MESSAGE_BYE);
}

TEST(closing_waits_for_nobody_when_mpi_fails)
{
    play = (struct play){.root_works = true, .threads = 1, .credits = 2, .patience_s = 100};
    if (!alone()) {
        double start_s = clock_s();
        enum status status = perform(mpi_fails);
        EXPECT(world_rank(world) > 0 || (status == STATUS_SYSTEM && closed_s < start_s + 50));
        if (world_rank(world) == 0)
            messages_drop();
    }
    settle();
}

static enum deed ending; /* of the last worker's last task */

static void does_not_end(void)
{
    struct pool_result result;
    show(PLAIN, 0, 100);
    wait_until_ready();
    give(last_worker(), 1, 100, ending, 2000000);
    EXPECT(!next(&result, 0.3));
}

/* The last test: nothing is clean after it. */
TEST(closing_names_the_rank_that_does_not_end)
{
    /* One rank has nobody to be silent to. */
    enum deed worst = !alone() && has_time() ? SILENT : DEAF;
    for (ending = DEAF; ending <= worst; ending += SILENT - DEAF) {
        play = (struct play){.root_works = true, .threads = 1, .credits = 2, .patience_s = 0.3};
        enum status status = perform(does_not_end);
        char sentence[32];
        snprintf(sentence, sizeof sentence, "rank %d on ", world_size(world) - 1);
        if (world_rank(world) == 0 ||
            (ending == DEAF && world_rank(world) == world_size(world) - 1))
            EXPECT(status == STATUS_SYSTEM && strstr(status_text(), sentence));
        if (world_rank(world) == 0) {
            EXPECT(strstr(status_text(), "has not ended 0.3 s after it was told to give up"));
            EXPECT(closed_s < seen[world_size(world) - 1].deaf_until_s);
        }
    }
    settle();
}
