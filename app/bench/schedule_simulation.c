#include "app/bench/schedule_simulation.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "decomposition/schedule/task_table.h"

enum { CREDITS = 2 };

/* Rank 0 asks again whom it has refused, as the pool does. */
static const double feed_interval_s = 0.0005;

enum event_kind {
    EVENT_TAKE, /* a tile reaches its worker */
    EVENT_DONE, /* a worker has computed one */
    EVENT_TILE, /* rank 0 is told */
    EVENT_FEED  /* rank 0 looks who could be given something now */
};

struct event {
    double at_s;
    uint64_t number; /* of two at the same time the earlier one made */
    enum event_kind kind;
    uint32_t worker, tile;
};

struct player {
    uint32_t waits[CREDITS]; /* tiles given and not begun */
    int waiting;
    bool busy, began;
    double free_s;   /* since when it has nothing to do */
    uint32_t listed; /* static schedule: tiles of its own list that are begun */
};

struct play {
    const struct simulated_job *job;
    struct task_table *table;
    struct player *player; /* [workers] */
    struct event *event;   /* a heap, the next on top; [room] */
    size_t events, room;
    uint64_t numbers;
    double root_free_s;
    struct simulation_report *report;
};

/* --- events ------------------------------------------------------------------------------------
 */

static bool sooner(const struct event *a, const struct event *b)
{
    if (a->at_s < b->at_s || a->at_s > b->at_s)
        return a->at_s < b->at_s;
    return a->number < b->number;
}

/* Each tile is under way at most twice, and there is one feed: there is always room. */
static void post(struct play *play, double at_s, enum event_kind kind, uint32_t worker,
                 uint32_t tile)
{
    struct event event = {at_s, play->numbers++, kind, worker, tile};
    size_t at = play->events++;
    for (; at > 0 && sooner(&event, &play->event[(at - 1) / 2]); at = (at - 1) / 2)
        play->event[at] = play->event[(at - 1) / 2];
    play->event[at] = event;
}

static struct event take(struct play *play)
{
    struct event top = play->event[0], last = play->event[--play->events];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < play->events; at = child) {
        if (child + 1 < play->events && sooner(&play->event[child + 1], &play->event[child]))
            child++;
        if (!sooner(&play->event[child], &last))
            break;
        play->event[at] = play->event[child];
    }
    play->event[at] = last;
    return top;
}

/* --- the two sides -----------------------------------------------------------------------------
 */

static double compute_s(const struct simulated_job *job, uint32_t worker, uint32_t tile)
{
    return job->cost[tile] / job->speed[worker];
}

static void begin(struct play *play, uint32_t worker, uint32_t tile, double now_s)
{
    double takes_s = compute_s(play->job, worker, tile);
    struct player *player = &play->player[worker];
    if (player->began)
        play->report->starved_s += (now_s - player->free_s) / play->job->workers;
    player->busy = player->began = true;
    play->report->dearest_s = fmax(play->report->dearest_s, takes_s);
    play->report->overhead_s += play->job->overhead.tile_s / play->job->workers;
    post(play, now_s + play->job->overhead.tile_s + takes_s, EVENT_DONE, worker, tile);
}

/* Rank 0 is at it for root_s, when it has time. */
static double root_works(struct play *play, double now_s)
{
    play->root_free_s = fmax(play->root_free_s, now_s) + play->job->overhead.root_s;
    play->report->root_s += play->job->overhead.root_s;
    return play->root_free_s;
}

static bool give(struct play *play, uint32_t worker, double now_s)
{
    uint32_t left = table_undone(play->table);
    uint32_t tile = left ? table_next(play->table, worker, now_s) : play->job->tiles;
    if (tile == play->job->tiles)
        return false;
    double sent_s = root_works(play, now_s);
    post(play, sent_s + play->job->overhead.round_trip_s / 2, EVENT_TAKE, worker, tile);
    return true;
}

static void give_all(struct play *play, double now_s)
{
    for (bool any = true; any;) {
        any = false;
        for (uint32_t worker = 0; worker < play->job->workers; worker++)
            any |= give(play, worker, now_s);
    }
}

static void hear(struct play *play, const struct event *event)
{
    double heard_s = root_works(play, event->at_s);
    double busy_s = compute_s(play->job, event->worker, event->tile);
    uint64_t iterations = (uint64_t)play->job->cost[event->tile];
    if (table_done(play->table, event->worker, event->tile, iterations, busy_s) == TABLE_AGAIN)
        play->report->twice++;
    play->report->seconds = heard_s;
    while (!play->job->schedule->is_static && give(play, event->worker, heard_s))
        continue;
}

/* The next tile of a worker without a word from rank 0; the number of tiles: none. */
static uint32_t next_tile(struct play *play, uint32_t worker)
{
    const struct simulated_job *job = play->job;
    struct player *player = &play->player[worker];
    if (job->schedule->is_static)
        return job->schedule->at(player->listed++, worker, job->workers, job->tiles);
    if (player->waiting == 0)
        return job->tiles;
    uint32_t tile = player->waits[0];
    player->waits[0] = player->waits[--player->waiting];
    return tile;
}

static void go_on(struct play *play, uint32_t worker, double now_s)
{
    uint32_t tile = play->player[worker].busy ? play->job->tiles : next_tile(play, worker);
    if (tile != play->job->tiles)
        begin(play, worker, tile, now_s);
}

static void happen(struct play *play, const struct event *event)
{
    struct player *player = &play->player[event->worker];
    switch (event->kind) {
    case EVENT_TAKE:
        player->waits[player->waiting++] = event->tile;
        go_on(play, event->worker, event->at_s);
        return;
    case EVENT_DONE:
        player->busy = false;
        player->free_s = event->at_s;
        post(play, event->at_s + play->job->overhead.round_trip_s / 2, EVENT_TILE, event->worker,
             event->tile);
        go_on(play, event->worker, event->at_s);
        return;
    case EVENT_TILE:
        hear(play, event);
        return;
    case EVENT_FEED:
        give_all(play, event->at_s);
        post(play, event->at_s + feed_interval_s, EVENT_FEED, 0, 0);
        return;
    }
}

/* --- the whole ---------------------------------------------------------------------------------
 */

static enum status play_open(struct play *play)
{
    const struct simulated_job *job = play->job;
    size_t n = job->workers;
    struct table_worker *introduced = calloc(n, sizeof *introduced);
    play->room = n * (CREDITS + 1) + job->tiles + 1; /* a static list may be all on its way */
    play->player = calloc(n, sizeof *play->player);
    play->event = calloc(play->room, sizeof *play->event);
    enum status status = STATUS_OK;
    if (!introduced || !play->player || !play->event)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu workers", n);
    for (size_t w = 0; status == STATUS_OK && w < n; w++)
        introduced[w] = (struct table_worker){1, CREDITS, job->speed[w]};
    if (status == STATUS_OK)
        status = table_open(&play->table, job->schedule, job->tiles, job->workers, introduced);
    if (status == STATUS_OK && job->forecast)
        table_forecast(play->table, job->forecast);
    free(introduced);
    return status;
}

/* Between workers of one speed nobody is refused what he could be given later. */
static bool mixed(const struct simulated_job *job)
{
    bool differ = false;
    for (uint32_t w = 1; w < job->workers; w++)
        differ |= fabs(job->speed[w] - job->speed[0]) > 0;
    return differ;
}

static void play_run(struct play *play)
{
    const struct simulated_job *job = play->job;
    if (job->schedule->is_static)
        for (uint32_t worker = 0; worker < job->workers; worker++)
            go_on(play, worker, 0);
    else
        give_all(play, 0);
    if (!job->schedule->is_static && mixed(job))
        post(play, feed_interval_s, EVENT_FEED, 0, 0);
    while (play->events && table_undone(play->table) > 0) {
        struct event event = take(play);
        happen(play, &event);
    }
}

enum status schedule_simulate(const struct simulated_job *job, struct simulation_report *report)
{
    struct play play = {.job = job, .report = report};
    double cost = 0, speed = 0;
    for (uint32_t i = 0; i < job->tiles; i++)
        cost += job->cost[i];
    for (uint32_t w = 0; w < job->workers; w++)
        speed += job->speed[w];
    *report = (struct simulation_report){.ideal_s = cost / speed};
    enum status status = play_open(&play);
    if (status == STATUS_OK)
        play_run(&play);
    if (status == STATUS_OK && table_undone(play.table) > 0)
        status =
            status_fail(STATUS_INTERNAL, "%u tiles were never given out", table_undone(play.table));
    table_close(play.table);
    free(play.player);
    free(play.event);
    return status;
}
