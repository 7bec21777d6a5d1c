/* Does every tile get computed, by whom it should be, whatever happens to the workers? Whole jobs
 * are played in virtual time, over the real table and schedules. */
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "decomposition/schedule/task_table.h"

enum { WORKERS_MOST = 17, TILES_MOST = 4000, HELD_MOST = 8, SILENT_S = 10, WAITS_MOST = 1000 };

/* --- the play ------------------------------------------------------------------------------- */

struct player { /* a worker */
    int threads, credits;
    double speed;        /* iterations per second of all threads */
    double says_speed;   /* what it introduces itself with; 0: nothing */
    uint32_t dies_after; /* tiles until each of its threads dies; 0: never */
    uint32_t hangs_at;   /* its how-manieth tile, begun by any thread, never ends; 0: none */
    bool falls_silent; /* then, which is known SILENT_S later; else its thread that talks goes on */
    bool comes_back;   /* twice as late, and goes on */
    /* The state: */
    uint32_t queue[TILES_MOST]; /* its own list, then what it is given */
    uint32_t first, end, begun;
    double hung_s; /* since when; 0: not */
    bool silent;
    struct {
        bool busy, dead;
        uint32_t tile, computed;
        double until_s;
    } thread[HELD_MOST];
};

struct play {
    struct player player[WORKERS_MOST];
    uint32_t workers, tiles;
    double cost[TILES_MOST]; /* iterations */
    bool forecasts;
    float forecast[TILES_MOST];
    struct task_table *table;
    uint8_t arrived[TILES_MOST];
    uint32_t twice, unasked, waits;
    double now_s;
};

static void begin(struct play *play, struct player *player)
{
    for (int l = 0; l < player->threads; l++)
        if (!player->thread[l].busy && !player->thread[l].dead && player->first < player->end) {
            uint32_t tile = player->queue[player->first++];
            player->thread[l].busy = true;
            player->thread[l].tile = tile;
            bool hangs = ++player->begun == player->hangs_at;
            if (hangs)
                player->hung_s = play->now_s;
            player->thread[l].until_s =
                hangs ? INFINITY : play->now_s + play->cost[tile] * player->threads / player->speed;
        }
}

/* Time passes, and nothing else happens but that ranks fall silent and come back. */
static void wait(struct play *play)
{
    play->now_s += 1;
    for (uint32_t w = 0; w < play->workers; w++) {
        struct player *player = &play->player[w];
        double since_s = play->now_s - player->hung_s;
        if (player->begun < player->hangs_at || !player->falls_silent || since_s < SILENT_S)
            continue;
        if (!player->silent)
            table_silent(play->table, w);
        player->silent = true;
        if (!player->comes_back || since_s < 2 * SILENT_S)
            continue;
        table_answers(play->table, w);
        player->falls_silent = false;
        for (int l = 0; l < player->threads; l++)
            player->thread[l].until_s = play->now_s;
    }
}

static void feed(struct play *play)
{
    for (bool any = true; any;) {
        any = false;
        for (uint32_t w = 0; w < play->workers; w++) {
            uint32_t tile = table_next(play->table, w, play->now_s);
            if (tile == play->tiles)
                continue;
            any = true;
            play->player[w].queue[play->player[w].end++] = tile;
            begin(play, &play->player[w]);
        }
    }
}

static int alive(const struct player *player)
{
    int threads = 0;
    for (int l = 0; l < player->threads; l++)
        threads += !player->thread[l].dead;
    return threads;
}

static void finish(struct play *play, uint32_t w, int l)
{
    struct player *player = &play->player[w];
    uint32_t tile = player->thread[l].tile;
    player->thread[l].busy = false;
    if (player->dies_after && player->thread[l].computed >= player->dies_after) {
        player->thread[l].dead = true;
        int left = alive(player);
        if (left == 0)
            player->first = player->end;
        assert_true(table_lost(play->table, w, tile, left));
        return;
    }
    player->thread[l].computed++;
    enum table_outcome outcome = table_done(play->table, w, tile, (uint64_t)play->cost[tile],
                                            play->cost[tile] * player->threads / player->speed);
    play->twice += outcome == TABLE_AGAIN;
    play->unasked += outcome == TABLE_UNASKED;
    play->arrived[tile] += outcome == TABLE_FIRST;
}

/* Plays until the picture is complete or nobody has anything to do; how long it took, in seconds.
 */
static double run(struct play *play, const struct schedule_kind *schedule)
{
    struct table_worker introduced[WORKERS_MOST];
    for (uint32_t w = 0; w < play->workers; w++) {
        struct player *player = &play->player[w];
        introduced[w] = (struct table_worker){player->threads, player->credits, player->says_speed};
        uint32_t tile;
        for (uint32_t k = 0; schedule->is_static &&
                             (tile = schedule->at(k, w, play->workers, play->tiles)) != play->tiles;
             k++)
            player->queue[player->end++] = tile;
        begin(play, player);
    }
    assert_int_equal(table_open(&play->table, schedule, play->tiles, play->workers, introduced),
                     STATUS_OK);
    if (play->forecasts)
        table_forecast(play->table, play->forecast);
    while (table_undone(play->table) > 0) {
        feed(play);
        int worker = -1, thread = -1;
        for (uint32_t w = 0; w < play->workers; w++)
            for (int l = 0; l < play->player[w].threads; l++)
                if (play->player[w].thread[l].busy &&
                    (worker < 0 || play->player[w].thread[l].until_s <
                                       play->player[worker].thread[thread].until_s)) {
                    worker = (int)w;
                    thread = l;
                }
        double next_s = worker < 0 ? INFINITY : play->player[worker].thread[thread].until_s;
        if (isinf(next_s) && play->waits++ < WAITS_MOST) {
            wait(play);
            continue;
        }
        if (isinf(next_s))
            break;
        play->now_s = next_s;
        finish(play, (uint32_t)worker, thread);
        begin(play, &play->player[worker]);
    }
    table_close(play->table);
    return play->now_s;
}

static struct play *new_play(uint32_t workers, uint32_t tiles)
{
    struct play *play = calloc(1, sizeof *play);
    assert_non_null(play);
    play->workers = workers;
    play->tiles = tiles;
    for (uint32_t w = 0; w < workers; w++)
        play->player[w] =
            (struct player){.threads = 1, .credits = 2, .speed = 1000, .says_speed = 1000};
    for (uint32_t i = 0; i < tiles; i++)
        play->cost[i] = 100;
    return play;
}

static void expect_complete(const struct play *play)
{
    for (uint32_t i = 0; i < play->tiles; i++)
        assert_int_equal(play->arrived[i], 1);
    assert_int_equal(play->unasked, 0);
}

/* --- no trouble ------------------------------------------------------------------------------- */

TEST(every_tile_goes_to_exactly_one_worker)
{
    static const uint32_t tile_counts[] = {0, 1, 2, 3, 16, 17, 100, 1009};
    for (int s = 0; s < schedule_kinds_count; s++)
        for (uint32_t workers = 1; workers <= WORKERS_MOST; workers++)
            for (size_t c = 0; c < sizeof tile_counts / sizeof *tile_counts; c++) {
                struct play *play = new_play(workers, tile_counts[c]);
                uint64_t random = workers * 100 + c;
                for (uint32_t i = 0; i < play->tiles; i++)
                    play->cost[i] = 50 + 100 * check_random_unit(&random);
                for (uint32_t w = 0; w < workers; w++) {
                    play->player[w].threads = 1 + (int)(w % 3);
                    play->player[w].credits = play->player[w].threads + (int)(w % 2);
                    play->player[w].speed *= play->player[w].threads;
                    play->player[w].says_speed = w % 4 ? play->player[w].speed : 0;
                }
                run(play, schedule_kinds[s]);
                expect_complete(play);
                assert_int_equal(play->twice, 0);
                free(play);
            }
}

/* --- workers of different speed --------------------------------------------------------------- */

/* Most tiles cost little, a few 40 times as much: what the border of the set does. */
static void heavy_tail(struct play *play, uint64_t seed)
{
    for (uint32_t i = 0; i < play->tiles; i++) {
        double u = check_random_unit(&seed);
        play->cost[i] = u < 0.02 ? 4000 : u < 0.2 ? 1000 : 100;
    }
}

static void three_gpus(struct play *play, uint32_t from)
{
    for (uint32_t w = from; w < from + 3; w++)
        play->player[w] = (struct player){.threads = 2, .credits = 2, .speed = 1e6};
}

TEST(a_slow_worker_never_holds_the_tail)
{
    static const uint32_t tile_counts[] = {64, 300, 1000, 4000};
    for (int knows = 0; knows < 2; knows++)
        for (size_t c = 0; c < sizeof tile_counts / sizeof *tile_counts; c++)
            for (uint64_t seed = 1; seed <= 20; seed++) {
                struct play *alone = new_play(3, tile_counts[c]);
                struct play *mixed = new_play(4, tile_counts[c]);
                heavy_tail(alone, seed);
                heavy_tail(mixed, seed);
                three_gpus(alone, 0);
                three_gpus(mixed, 1);
                mixed->player[0] = (struct player){.threads = 1, .credits = 2, .speed = 1e6 / 230};
                for (uint32_t w = 0; knows && w < 4; w++) {
                    mixed->player[w].says_speed = mixed->player[w].speed;
                    alone->player[w].says_speed = alone->player[w].speed;
                }
                double without_s = run(alone, &schedule_dynamic);
                double with_s = run(mixed, &schedule_dynamic);
                expect_complete(mixed);
                /* Unknown speeds: the first tiles go to everybody, and may be dear ones. */
                double slack = knows ? 1.05 : tile_counts[c] < 300 ? 1.5 : 1.15;
                if (with_s > without_s * slack)
                    print_message("%u tiles, seed %u, speeds %s: %.4f s, alone %.4f\n",
                                  tile_counts[c], (unsigned)seed, knows ? "known" : "unknown",
                                  with_s, without_s);
                assert_true(with_s <= without_s * slack);
                free(alone);
                free(mixed);
            }
}

TEST(a_worker_that_is_half_as_fast_does_a_third)
{
    struct play *play = new_play(2, 3000);
    play->player[1].speed = play->player[1].says_speed = 500;
    double took_s = run(play, &schedule_dynamic);
    expect_complete(play);
    assert_true(took_s < 1.01 * 3000 * 100 / 1500);
    assert_in_range(play->player[1].thread[0].computed, 980, 1010);
    free(play);
}

/* Nobody knows that worker 1 will need an hour for its tile. */
TEST(what_a_slow_worker_sits_on_is_done_by_another)
{
    struct play *play = new_play(3, 100);
    for (uint32_t w = 0; w < 3; w++)
        play->player[w].says_speed = 0;
    play->player[1].speed = 100.0 / 3600;
    double took_s = run(play, &schedule_dynamic);
    expect_complete(play);
    assert_true(took_s < 1.1 * 100 * 100 / 2000);
    free(play);
}

TEST(the_second_of_two_is_said_to_be_so)
{
    struct task_table *table;
    struct table_worker two[] = {{1, 2, 0}, {1, 1, 0}};
    assert_int_equal(table_open(&table, &schedule_dynamic, 3, 2, two), STATUS_OK);
    assert_int_equal(table_next(table, 0, 0), 0);
    assert_int_equal(table_next(table, 1, 0), 1);
    assert_int_equal(table_done(table, 1, 0, 1, 1), TABLE_UNASKED); /* it has another one */
    assert_int_equal(table_done(table, 1, 1, 100, 1), TABLE_FIRST);
    assert_int_equal(table_done(table, 1, 1, 100, 1), TABLE_UNASKED); /* no longer */
    assert_int_equal(table_next(table, 1, 1), 2);
    assert_int_equal(table_done(table, 1, 2, 100, 1), TABLE_FIRST);
    assert_int_equal(table_next(table, 1, 1.5), 3); /* worker 0 has not been slow for long */
    assert_int_equal(table_next(table, 1, 20), 0);
    assert_int_equal(table_next(table, 1, 20), 3); /* one is enough */
    assert_int_equal(table_done(table, 1, 0, 100, 1), TABLE_FIRST);
    assert_int_equal(table_undone(table), 0);
    assert_true((table_held(table, 0) > 0));
    assert_int_equal(table_done(table, 0, 0, 100, 20), TABLE_AGAIN);
    assert_int_equal(table_done(table, 0, 0, 100, 20), TABLE_UNASKED);
    assert_false((table_held(table, 0) > 0));
    table_close(table);
    table_close(NULL);
}

/* --- with a forecast ----------------------------------------------------------------------------
 */

/* One worker is four times slower: it gets what takes it as long as the dearest takes the other. */
TEST(a_slow_worker_gets_a_part_of_the_dearest)
{
    static const float costs[] = {400, 380, 360, 200, 100, 90, 80, 20};
    struct table_worker two[] = {{1, 2, 400}, {1, 2, 100}};
    struct task_table *table;
    assert_int_equal(table_open(&table, &schedule_dynamic, 8, 2, two), STATUS_OK);
    table_forecast(table, costs);
    assert_int_equal(table_next(table, 1, 0), 4); /* 100 at 100 beside 400 at 400 */
    assert_int_equal(table_next(table, 0, 0), 0);
    assert_int_equal(table_next(table, 1, 0), 8); /* 90 more would be waited for */
    assert_int_equal(table_next(table, 0, 0), 1);
    assert_int_equal(table_done(table, 0, 0, 400, 1), TABLE_FIRST);
    assert_int_equal(table_next(table, 0, 1), 2);
    assert_int_equal(table_done(table, 1, 4, 100, 1), TABLE_FIRST);
    assert_int_equal(table_next(table, 1, 1), 7); /* 200, 90, 80, 20 are left: within a quarter */
    assert_int_equal(table_done(table, 0, 1, 380, 1), TABLE_FIRST);
    assert_int_equal(table_next(table, 0, 2), 3);
    assert_int_equal(table_next(table, 1, 2), 8);
    assert_true(table_lost(table, 1, 7, 0)); /* open again, behind all others */
    assert_int_equal(table_done(table, 0, 2, 360, 1), TABLE_FIRST);
    for (uint32_t tile = 3; tile < 8; tile++)
        if (tile != 4) {
            if (tile > 3)
                assert_int_equal(table_next(table, 0, tile), tile);
            assert_int_equal(table_done(table, 0, tile, 100, 1), TABLE_FIRST);
        }
    assert_int_equal(table_undone(table), 0);
    table_close(table);
}

/* 100 + 90 would take longer than an equal share of all four. */
TEST(nothing_waits_behind_a_dear_tile)
{
    static const float costs[] = {100, 90, 40, 30, 5};
    struct table_worker two[] = {{1, 2, 100}, {1, 2, 100}};
    struct task_table *table;
    assert_int_equal(table_open(&table, &schedule_dynamic, 5, 2, two), STATUS_OK);
    table_forecast(table, costs);
    assert_int_equal(table_next(table, 0, 0), 0);
    assert_int_equal(table_next(table, 0, 0), 5); /* 190 of 265 */
    assert_int_equal(table_next(table, 1, 0), 1);
    assert_int_equal(table_next(table, 0, 0), 5); /* 140 */
    assert_int_equal(table_next(table, 1, 0), 2); /* 130 is within 132.5 */
    table_close(table);
}

static int falling(const void *a, const void *b)
{
    return (*(const double *)a < *(const double *)b) - (*(const double *)a > *(const double *)b);
}

/* Sorted by what tiles cost, the worst end is that of the last, small tile. */
TEST(with_a_forecast_nobody_waits_for_a_dear_tile)
{
    static const uint32_t tile_counts[] = {64, 300, 1000, 4000};
    for (size_t c = 0; c < sizeof tile_counts / sizeof *tile_counts; c++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            struct play *play = new_play(WORKERS_MOST, tile_counts[c]);
            double total = 0, speed = 0;
            heavy_tail(play, seed);
            qsort(play->cost, play->tiles, sizeof *play->cost, falling);
            for (uint32_t i = 0; i < play->tiles; i++) {
                play->forecast[i] = (float)play->cost[i];
                total += play->cost[i];
            }
            for (uint32_t w = 0; w < play->workers; w++) {
                if (w % 4 == 3)
                    play->player[w].speed = play->player[w].says_speed = 125;
                speed += play->player[w].speed;
            }
            play->forecasts = true;
            double took_s = run(play, &schedule_dynamic);
            expect_complete(play);
            double dearest_s = play->cost[0] / 1000;
            /* Few tiles do not fit in; of many the last, small ones take 0.1 s. */
            double bound_s = dearest_s > total / speed ? dearest_s : total / speed;
            double slack_s = tile_counts[c] < 300 ? dearest_s : 0.05 * bound_s + 0.1;
            if (took_s > slack_s + bound_s)
                print_message("%u tiles, seed %u: %.3f s, at best %.3f\n", play->tiles,
                              (unsigned)seed, took_s, bound_s);
            assert_true(took_s <= slack_s + bound_s);
            free(play);
        }
}

/* --- workers that die ------------------------------------------------------------------------- */

TEST(the_tiles_of_the_dead_are_done_by_others)
{
    for (int s = 0; s < schedule_kinds_count; s++)
        for (uint32_t workers = 2; workers <= 9; workers++)
            for (uint32_t dead = 1; dead < workers; dead++)
                for (uint32_t after = 1; after < 4; after++) {
                    struct play *play = new_play(workers, 150);
                    heavy_tail(play, workers * 7 + dead);
                    for (uint32_t w = 0; w < workers; w++) {
                        play->player[w].threads = 1 + (int)(w % 3);
                        play->player[w].credits = play->player[w].threads + 1;
                        play->player[w].dies_after = w < dead ? after : 0;
                    }
                    run(play, schedule_kinds[s]);
                    expect_complete(play);
                    free(play);
                }
}

/* Pixels travel by themselves, so outcome of a death may overtake them. */
TEST(what_was_sent_before_a_death_counts)
{
    for (int s = 0; s < schedule_kinds_count; s++) {
        struct task_table *table;
        struct table_worker two[] = {{2, 3, 0}, {1, 2, 0}};
        assert_int_equal(table_open(&table, schedule_kinds[s], 9, 2, two), STATUS_OK);
        for (uint32_t i = 0; i < 4 && !schedule_kinds[s]->is_static; i++)
            assert_int_equal(table_next(table, i % 2, 0), i);
        assert_true(table_lost(table, 1, 3, 0));
        assert_int_equal(table_done(table, 1, 1, 1, 1), TABLE_FIRST);
        assert_int_equal(table_undone(table), 8);
        table_close(table);
    }
}

TEST(when_all_are_dead_nobody_has_work)
{
    for (int s = 0; s < schedule_kinds_count; s++) {
        struct task_table *table;
        struct table_worker two[] = {{2, 3, 0}, {1, 2, 0}};
        assert_int_equal(table_open(&table, schedule_kinds[s], 9, 2, two), STATUS_OK);
        bool is_static = schedule_kinds[s]->is_static;
        for (uint32_t i = 0; i < 4 && !is_static; i++)
            assert_int_equal(table_next(table, i % 2, 0), i);
        assert_int_equal(table_threads(table), 3);
        assert_true(is_static || !table_lost(table, 1, 0, 0)); /* the other's */
        assert_true(table_lost(table, 0, 0, 1));
        assert_false(table_lost(table, 0, 0, 1));
        assert_false(table_lost(table, 0, 2, 5)); /* more than there were */
        assert_true(table_lost(table, 0, 2, 0));
        assert_int_equal(table_next(table, 0, 1), 9);
        assert_true(table_lost(table, 1, 3, 0));
        assert_int_equal(table_next(table, 1, 1), 9);
        assert_int_equal(table_threads(table), 0);
        assert_int_equal(table_undone(table), 9);
        table_close(table);
    }
}

/* --- workers that hang ------------------------------------------------------------------------ */

/* Nobody says that worker 1 hangs. 20 times the 0.1 s of a tile, and at least a second. */
TEST(a_tile_far_beyond_its_time_is_done_by_another)
{
    for (int knows = 0; knows < 2; knows++)
        for (uint32_t at = 1; at < 40; at += 7) {
            struct play *play = new_play(3, 100);
            play->player[1].hangs_at = at;
            for (uint32_t w = 0; w < 3 && !knows; w++)
                play->player[w].says_speed = 0;
            double took_s = run(play, &schedule_dynamic);
            expect_complete(play);
            assert_true(took_s < 100 * 0.1 / 2 + 20 * 0.2 + 2);
            free(play);
        }
}

TEST(the_tiles_of_the_silent_are_done_by_others)
{
    for (int s = 0; s < schedule_kinds_count; s++)
        for (uint32_t workers = 2; workers <= 9; workers++)
            for (uint32_t silent = 1; silent < workers; silent++)
                for (int back = 0; back < 2; back++) {
                    struct play *play = new_play(workers, 150);
                    heavy_tail(play, workers * 7 + silent);
                    for (uint32_t w = 0; w < workers; w++) {
                        struct player *player = &play->player[w];
                        player->threads = 1 + (int)(w % 3);
                        player->credits = player->threads + 1;
                        player->falls_silent = w < silent;
                        player->hangs_at = w < silent ? 1 + w % 3 : 0;
                        player->comes_back = back;
                    }
                    run(play, schedule_kinds[s]);
                    expect_complete(play);
                    free(play);
                }
}

/* Whoever is first with a tile counts, also one that was silent. */
TEST(a_silent_worker_is_welcome_again)
{
    struct task_table *table;
    struct table_worker two[] = {{1, 2, 100}, {1, 2, 100}};
    assert_int_equal(table_open(&table, &schedule_dynamic, 5, 2, two), STATUS_OK);
    assert_int_equal(table_next(table, 0, 0), 0);
    assert_int_equal(table_next(table, 1, 0), 1);
    assert_int_equal(table_next(table, 0, 0), 2);
    table_silent(table, 0);
    assert_int_equal(table_threads(table), 1);
    assert_int_equal(table_silent_threads(table), 1);
    assert_int_equal(table_next(table, 0, 10), 5); /* nothing more */
    assert_int_equal(table_done(table, 1, 1, 100, 1), TABLE_FIRST);
    assert_int_equal(table_next(table, 1, 10), 0);
    assert_int_equal(table_done(table, 1, 0, 100, 1), TABLE_FIRST);
    table_answers(table, 0);
    assert_int_equal(table_threads(table), 2);
    assert_int_equal(table_next(table, 0, 20), 5); /* it has two, as rank 0 must not forget */
    assert_int_equal(table_done(table, 0, 0, 100, 20), TABLE_AGAIN);
    assert_int_equal(table_done(table, 0, 2, 100, 1),
                     TABLE_FIRST); /* which nobody else had begun */
    assert_int_equal(table_done(table, 0, 2, 100, 1), TABLE_UNASKED);
    assert_int_equal(table_next(table, 0, 21), 3);
    assert_int_equal(table_next(table, 1, 21), 4);
    table_silent(table, 0);
    assert_int_equal(table_done(table, 1, 4, 100, 1), TABLE_FIRST);
    assert_int_equal(table_next(table, 1, 31), 3);
    table_answers(table, 0);
    assert_true(table_lost(table, 0, 3, 0));       /* it comes back without its device, */
    assert_int_equal(table_next(table, 1, 32), 5); /* but the other has that tile already */
    assert_int_equal(table_done(table, 1, 3, 100, 1), TABLE_FIRST);
    assert_int_equal(table_undone(table), 0);
    table_close(table);
}

/* Its process has ended, and what it said of its threads before is heard after that. */
TEST(a_silent_worker_may_say_what_it_lost)
{
    struct task_table *table;
    struct table_worker two[] = {{2, 2, 200}, {1, 2, 100}};
    assert_int_equal(table_open(&table, &schedule_dynamic, 5, 2, two), STATUS_OK);
    assert_int_equal(table_next(table, 0, 0), 0);
    assert_int_equal(table_next(table, 0, 0), 1);
    table_silent(table, 0);
    assert_false(table_lost(table, 0, 0, 3)); /* more than it had */
    assert_true(table_lost(table, 0, 0, 1));
    assert_int_equal(table_threads(table), 1);
    assert_int_equal(table_silent_threads(table), 1);
    assert_true(table_lost(table, 0, 1, 0));
    assert_int_equal(table_silent_threads(table), 0);
    table_answers(table, 0);
    assert_int_equal(table_threads(table), 1);
    assert_int_equal(table_next(table, 1, 1), 0);
    table_close(table);
}

/* Jobs join and leave in the middle: their tiles are given back one by one. */
TEST(a_worker_that_comes_later_gets_tasks_and_leaves_them)
{
    static const struct schedule_kind *const kinds[] = {&schedule_dynamic, &schedule_cyclic};
    struct task_table *table;
    struct table_worker one = {1, 2, 0};
    for (int k = 0; k < 2; k++) {
        bool dealt = kinds[k]->is_static;
        assert_int_equal(table_open(&table, kinds[k], 5, 1, &one), STATUS_OK);
        assert_int_equal(table_extend(table, 3, 4), STATUS_OK);
        assert_int_equal(table_threads(table), 1);
        assert_int_equal(table_next(table, 2, 0), 5); /* it has not come */
        table_come(table, 2, 2, 4);
        assert_int_equal(table_threads(table), 3);
        assert_int_equal(table_next(table, 2, 0), dealt ? 5 : 0);
        assert_int_equal(table_next(table, 2, 0), dealt ? 5 : 1);
        table_leave(table, 2);
        assert_int_equal(table_threads(table), 1);
        assert_int_equal(table_next(table, 2, 0), 5);
        assert_int_equal(table_failed(table, 2, 0), dealt ? TABLE_UNASKED : TABLE_FIRST);
        assert_int_equal(table_failed(table, 2, 1), dealt ? TABLE_UNASKED : TABLE_FIRST);
        if (!dealt)
            assert_int_equal(table_next(table, 0, 0), 0);
        table_come(table, 2, 1, 1); /* another job in its place */
        assert_int_equal(table_next(table, 2, 0), dealt ? 5 : 1);
        if (!dealt)
            assert_int_equal(table_done(table, 2, 1, 100, 1), TABLE_FIRST);
        table_close(table);
    }
}

/* Neither hung job keeps what the other had, and the next one in its place is as any other. */
TEST(a_job_that_is_silent_leaves_and_another_comes)
{
    struct task_table *table;
    struct table_worker one = {1, 2, 100};
    assert_int_equal(table_open(&table, &schedule_dynamic, 3, 1, &one), STATUS_OK);
    assert_int_equal(table_extend(table, 2, 2), STATUS_OK);
    table_come(table, 1, 1, 2);
    table_come(table, 2, 1, 2);
    assert_int_equal(table_next(table, 1, 0), 0);
    assert_int_equal(table_done(table, 1, 0, 100, 0.001), TABLE_FIRST);
    assert_int_equal(table_next(table, 1, 0), 1);
    table_silent(table, 1);
    assert_int_equal(table_next(table, 2, 3), 1);
    table_silent(table, 2);
    assert_int_equal(table_next(table, 0, 6), 1);
    assert_int_equal(table_silent_threads(table), 2);
    table_leave(table, 1);
    table_leave(table, 2);
    assert_int_equal(table_failed(table, 1, 1), TABLE_FIRST);
    assert_int_equal(table_failed(table, 2, 1), TABLE_FIRST);
    assert_int_equal(table_silent_threads(table), 0);
    assert_int_equal(table_threads(table), 1);
    table_come(table, 1, 1, 2);
    table_answers(table, 1); /* it was never silent */
    assert_int_equal(table_threads(table), 2);
    assert_int_equal(table_next(table, 1, 7), 2);
    assert_int_equal(table_done(table, 0, 1, 100, 1), TABLE_FIRST);
    assert_int_equal(table_done(table, 1, 2, 100, 1), TABLE_FIRST);
    assert_int_equal(table_undone(table), 0);
    table_close(table);
}

/* Backups, too: threads are not credits. */
TEST(a_worker_has_no_more_tasks_than_credits)
{
    struct task_table *table;
    struct table_worker two[] = {{3, 3, 1}, {64, 2, 6400000}};
    assert_int_equal(table_open(&table, &schedule_dynamic, 4, 2, two), STATUS_OK);
    table_assign(table, 0, 0, 0);
    assert_int_equal(table_done(table, 0, 0, 100, 1), TABLE_FIRST);
    for (uint32_t task = 1; task < 4; task++)
        table_assign(table, 0, task, 0);
    assert_int_not_equal(table_next(table, 1, 1000), 4);
    assert_int_not_equal(table_next(table, 1, 1000), 4);
    assert_int_equal(table_next(table, 1, 1000), 4);
    assert_int_equal(table_held(table, 1), 2);
    table_close(table);
}

TEST(a_silent_worker_may_bring_what_is_in_its_list)
{
    struct task_table *table;
    struct table_worker two[] = {{1, 2, 100}, {1, 2, 100}};
    assert_int_equal(table_open(&table, &schedule_cyclic, 6, 2, two), STATUS_OK);
    table_silent(table, 0); /* 0, 2 and 4 */
    assert_int_equal(table_done(table, 1, 1, 100, 1), TABLE_FIRST);
    assert_int_equal(table_done(table, 1, 3, 100, 1), TABLE_FIRST);
    assert_int_equal(table_next(table, 1, 10), 0);
    table_answers(table, 0);
    assert_int_equal(table_done(table, 0, 0, 100, 1), TABLE_FIRST); /* it was sooner after all */
    assert_int_equal(table_done(table, 1, 0, 100, 1), TABLE_AGAIN);
    assert_int_equal(table_done(table, 1, 5, 100, 1), TABLE_FIRST);
    assert_int_equal(table_next(table, 1, 11), 2);
    assert_int_equal(table_done(table, 0, 4, 100, 1), TABLE_FIRST); /* nobody had it */
    assert_int_equal(table_done(table, 1, 2, 100, 1), TABLE_FIRST);
    assert_int_equal(table_done(table, 0, 2, 100, 1), TABLE_AGAIN);
    assert_int_equal(table_done(table, 0, 2, 100, 1), TABLE_UNASKED);
    assert_int_equal(table_undone(table), 0);
    table_close(table);
}
