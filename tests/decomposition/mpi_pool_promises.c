/* Do several ranks compute whatever rank 0 asks for next, and nothing that it asked for before? */
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/transport/packing.h"
#include "mpi_pool.h"

/* Both kinds of world: rank 0 only coordinates, or computes too. */
static void play_both(void (*scenario)(void))
{
    for (int works = 0; works < 2; works++) {
        play = (struct play){.root_works = works, .threads = 1 + works, .credits = 2 + works};
        EXPECT(perform(scenario) == STATUS_OK);
    }
    settle();
}

static void give_all(uint64_t *given, uint64_t tasks)
{
    for (int i = 0; i < pool_workers(pool); i++)
        while (*given < tasks && pool_may_give(pool, i)) {
            give(i, *given, *given % 7 * 10007, PLAIN, 300);
            ++*given;
        }
}

static void four_hundred_tasks(void)
{
    enum { TASKS = 400 };
    int arrived[TASKS] = {0}, back = 0;
    uint64_t given = 0, bytes = 0, tiles = 0;
    show(PLAIN, 0, 3000);
    wait_until_ready();
    struct pool_result result;
    for (give_all(&given, TASKS); back < TASKS && next(&result, 20); back++) {
        EXPECT(result.kind == POOL_TASK && result.status == STATUS_OK);
        EXPECT(arrived[result.task.id]++ == 0);
        give_all(&given, TASKS);
    }
    EXPECT(back == TASKS && !pool_take(pool, &result));
    for (int i = 0; i < pool_workers(pool); i++) {
        const struct pool_worker *worker = pool_worker(pool, i);
        EXPECT(worker->tiles > 0 && worker->iterations == 10 * worker->tiles);
        EXPECT(worker->busy_s >= 300e-6 * (double)worker->tiles);
        EXPECT(worker->outstanding == 0 && worker->late == 0 && worker->heard_s == 0);
        EXPECT((worker->rank == 0) == !strcmp(worker->transport, "local"));
        EXPECT(worker->host[0] && worker->threads == play.threads);
        bytes += worker->bytes;
        tiles += worker->rank > 0 ? worker->tiles : 0;
    }
    EXPECT(tiles == 0 || bytes > 0);
}

TEST(tasks_arrive_from_every_rank)
{
    play_both(four_hundred_tasks);
}

/* Scenes of all sizes, as fast as a hand cannot ask for them, with tasks under way at every change;
 * then the last one is finished whole. */
static void many_contexts(void)
{
    int contexts = check_long() ? 1000 : 120;
    uint64_t seed = 5, id = 0, delivered = 0, late = 0, given = 0;
    struct pool_result result;
    for (int i = 0; i < contexts; i++) {
        size_t bytes = 8 + check_random(&seed) % (i % 50 ? 20000 : 3000000);
        show(PLAIN, check_random(&seed) % 4 ? 0 : 500, bytes);
        bool patient = i % 50 == 1; /* until a result is there, however busy the machine is */
        bool seen_one = false;
        double until_s = clock_s() + (patient ? 20 : 0.004 * check_random_unit(&seed));
        for (double left_s; (left_s = until_s - clock_s()) > 0 && !(patient && seen_one);) {
            for (int w = 0; w < pool_workers(pool); w++)
                while (pool_may_give(pool, w))
                    give(w, id++, 5000, patient || check_random(&seed) % 5 ? PLAIN : ENDLESS, 100);
            seen_one = step(&result, left_s);
            delivered += seen_one;
        }
        if (i % 7 == 0)
            pool_cancel(pool);
    }
    show(PLAIN, 0, 1000);
    wait_until_ready();
    int back = 0;
    for (give_all(&given, 50); back < 50 && next(&result, 20); back++)
        give_all(&given, 50);
    EXPECT(back == 50 && !pool_take(pool, &result));
    for (int w = 0; w < pool_workers(pool); w++)
        late += pool_worker(pool, w)->late;
    EXPECT(delivered >= (uint64_t)contexts / 50);
    print_message("%d ranks, %d contexts: %llu tasks, %llu delivered, %llu late\n",
                  world_size(world), contexts, (unsigned long long)id,
                  (unsigned long long)delivered, (unsigned long long)late);
}

/* Over slow links; here because they are told to. */
TEST(packed_results_arrive_whole)
{
    world->packs = world_rank(world) > 0 && packing_is_built();
    play_both(four_hundred_tasks);
    world->packs = false;
}

TEST(every_result_is_of_the_present_context)
{
    play_both(many_contexts);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From a context to the first result of every worker, all of which were at work for ever. */
static void many_cancels(void)
{
    enum { ROUNDS = 50 };
    double took_s[ROUNDS];
    int rounds = check_long() ? ROUNDS : 15;
    struct pool_result result;
    int workers = pool_workers(pool);
    for (int round = 0; round < rounds; round++) {
        double start_s = clock_s();
        show(PLAIN, 0, 100000);
        int given = 0, arrived = 0;
        bool has[64] = {false};
        while (arrived < workers && clock_s() < start_s + 60) {
            for (int w = 0; w < workers; w++)
                if (!has[w] && pool_may_give(pool, w)) {
                    give(w, (uint64_t)given++, 1000, PLAIN, 0);
                    has[w] = true;
                }
            arrived += step(&result, 0.5);
        }
        EXPECT(arrived == workers);
        took_s[round] = clock_s() - start_s;
        for (int w = 0; w < workers; w++)
            while (pool_may_give(pool, w))
                give(w, (uint64_t)given++, 1000, ENDLESS, 0);
        EXPECT(!next(&result, 0.01));
    }
    qsort(took_s, (size_t)rounds, sizeof *took_s, by_value);
    print_message("%d ranks: from a new context to new results of all: p50 %.1f, most %.1f ms\n",
                  world_size(world), 1e3 * took_s[rounds / 2], 1e3 * took_s[rounds - 1]);
    if (check_long())
        EXPECT(took_s[rounds / 2] < 0.2); /* the machine may be busy with other things */
}

TEST(cancels_are_quick)
{
    play_both(many_cancels);
}

/* They have arrived, or lie in the threads, when a newer context comes. */
static void too_late(void)
{
    struct pool_result result;
    show(PLAIN, 0, 100);
    wait_until_ready();
    int given = 0;
    for (int w = 0; w < pool_workers(pool); w++)
        while (pool_may_give(pool, w))
            give(w, (uint64_t)given++, 1000, PLAIN, 0);
    nap(0.6); /* what is not done by then is given up, and no late result */
    show(PLAIN, 0, 100);
    wait_until_ready();
    uint64_t late = 0;
    double until_s = clock_s() + 60; /* on a busy machine they take their time */
    while (late < (uint64_t)given && clock_s() < until_s) {
        EXPECT(!next(&result, 0.05));
        late = 0;
        for (int w = 0; w < pool_workers(pool); w++) {
            EXPECT(pool_worker(pool, w)->tiles == 0);
            late += pool_worker(pool, w)->late;
        }
    }
    EXPECT(late == (uint64_t)given);
}

TEST(late_results_are_dropped_and_counted)
{
    play_both(too_late);
}

/* Meanwhile every rank is heard of. */
static void long_contexts(void)
{
    struct pool_result result;
    show(ENDLESS, 0, 100);
    while (contexts_begun() == 0)
        EXPECT(!next(&result, 0.01));
    for (int w = 0; w < pool_workers(pool); w++)
        EXPECT((pool_worker(pool, w)->rank == 0 || heard_again(w, 60)) &&
               !pool_worker(pool, w)->ready);
    show(PLAIN, 0, 100);
    wait_until_ready();
}

TEST(a_context_that_takes_long_gives_way)
{
    play = (struct play){.root_works = true, .threads = 1, .credits = 2};
    EXPECT(perform(long_contexts) == STATUS_OK);
    for (int rank = 0; world_rank(world) == 0 && rank < world_size(world); rank++)
        EXPECT(seen[rank].contexts == 2 && seen[rank].contexts_given_up == 1);
    settle();
}

static void idle(void)
{
    struct pool_result result;
    show(MEASURING, 0, 100);
    wait_until_ready();
    EXPECT(!next(&result, check_long() ? 2 : 0.5));
    show(MEASURING, 0, 100);
    wait_until_ready();
    for (int i = 0; i < WAKINGS; i++) {
        EXPECT(!next(&result, check_long() ? 0.1 : 0.03));
        show(WAKING, 0, 100);
        wait_until_ready();
    }
}

enum { LOOKS_AWAKE = 200 }; /* of what has just been awake, and of the two contexts */

static double median_s(struct seen *one)
{
    qsort(one->waking_s, WAKINGS, sizeof *one->waking_s, by_value);
    return one->waking_s[WAKINGS / 2];
}

/* Who is awake for nothing looks some 1,000,000 times in a second. */
static void expect_sleepers(double looks_per_s)
{
    for (int rank = 1; world_rank(world) == 0 && rank < world_size(world); rank++) {
        double waking_s = median_s(&seen[rank]);
        print_message(
            "rank %d, idle: %d looks in %.2f s; from a context to its call: p50 %.2f ms\n", rank,
            seen[rank].idle_looks, seen[rank].idle_s, 1e3 * waking_s);
        EXPECT(seen[rank].idle_looks < LOOKS_AWAKE + looks_per_s * seen[rank].idle_s);
        EXPECT(seen[rank].wakings == WAKINGS);
        if (check_long())
            EXPECT(waking_s < 0.05); /* the machine may be busy */
    }
}

/* Rank 0 wakes those of its own machine, which sleep. */
TEST(idle_ranks_cost_nothing)
{
    play_both(idle);
    expect_sleepers(20);
    settle();
}

/* The others look for messages every 0.9 ms. */
TEST(idle_ranks_without_shared_memory_cost_little)
{
    play = (struct play){.threads = 1, .credits = 2, .apart = true};
    EXPECT(perform(idle) == STATUS_OK);
    expect_sleepers(1200);
    settle();
}
