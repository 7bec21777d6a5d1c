#include "decomposition/pool/pool.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/message/job_memory.h"
#include "decomposition/pool/server.h"
#include "decomposition/pool/worker.h"
#include "decomposition/schedule/task_table.h"
#include "decomposition/thread/clock.h"
#include "decomposition/transport/gather.h"
#include "decomposition/transport/pixels.h"
#include "decomposition/transport/segment.h"
#include "decomposition/world/inbox.h"
#include "decomposition/world/outbox.h"
#include "decomposition/world/presence.h"
#include "decomposition/world/world_comm.h"

enum {
    RESULT_SLOTS = 4,      /* receives open at a time */
    LISTEN_MOST = 64,      /* messages taken in a step: about 0.5 ms */
    WORD_BYTES = 64,       /* to wake a rank: one to a cache line */
    IDLE_NAP_US = 900,     /* a context is being prepared somewhere */
    MOVING_NAP_US = 20,    /* large messages go on only when MPI is called, piece by piece */
    WATCH_NAP_US = 500000, /* nothing is owed, but a process may have ended */
    ALONE_NAP_US = 20000   /* one rank and its tiles: only the caller's own business waits */
};
static const double patience_unless_said_s = 5;
static const double give_interval_s = 0.0005; /* see give_again */

_Static_assert(sizeof(struct pool_note) <= OUTBOX_POST_BYTES, "a note fits a short message");
_Static_assert(sizeof(struct pool_task) <= OUTBOX_POST_BYTES, "so does a task");

struct member { /* what rank 0 knows of a worker */
    struct pool_worker shown;
    bool context_failed;         /* has been reported */
    struct worker_tally dropped; /* as last heard */
    double busy_s;               /* of what has arrived */
    uint64_t late;               /* results of older contexts, cancelled or second ones */
    /* Of other ranks: */
    uint32_t turn;       /* of the newest instruction that concerns it */
    uint32_t instructed; /* of the last one that was sent; it waits for GOT: */
    bool waits;
    struct context *sending; /* held until MPI lets go of its bytes */
    MPI_Request request;     /* MPI_REQUEST_NULL: not sending */
    bool owed;               /* an answer, when what it had was forgotten last */
};

struct introduction { /* how a rank introduces itself */
    int32_t threads, credits;
    double speed;
};

struct rank {    /* what rank 0 knows of any rank */
    int worker;  /* -1: it does not compute */
    bool gone;   /* it has said BYE, or cannot be spoken to */
    bool silent; /* it does not answer, and the table knows */
    bool kept;   /* it has said what it keeps */
    struct pool_rank shown;
};

struct news { /* what the caller has not taken yet */
    struct news *next;
    struct pool_result result;
    char *text;        /* NULL: none */
    bool arrived, own; /* what the bytes are borrowed from: */
    struct arrival arrival;
    struct field out;
};

struct pool {
    struct world *world;
    struct pool_options options;
    const struct pool_tiles *tiles; /* NULL: a viewer */
    struct event event;
    struct segment *words; /* to wake the ranks of this machine; NULL of tiles */
    struct worker *worker; /* NULL: this rank does not compute */
    struct server *server; /* ranks > 0 */
    /* Rank 0: */
    int workers;
    struct member *member; /* [workers] */
    struct rank *rank;     /* [world size] */
    struct task_table *table;
    struct pool_task *task; /* [task_room]: of a viewer, by their numbers */
    uint32_t task_room;
    struct context *context; /* the newest; NULL at first */
    uint32_t turn;           /* rises with every context and cancel */
    struct inbox *inbox;     /* NULL in a world of one, as the next */
    struct pixels *pixels;   /* of tiles */
    struct gather *gather;   /* of those that ranks keep to the end; NULL: none so far */
    uint64_t left;           /* pieces of them that are announced and not here */
    uint32_t kept;           /* tiles that are done and not here */
    struct news *first, **last, *taken;
    bool own_waits; /* a result of rank 0's own is among them */
    struct patience patience;
    struct pool_done done;
    bool ended;                   /* nothing is given any more, */
    bool told;                    /* as all have been told, */
    double end_s;                 /* when something last happened; on the clock */
    bool broken;                  /* MPI itself failed: nobody can be waited for */
    enum status verdict;          /* the first failure, */
    char text[STATUS_TEXT_BYTES]; /* with this sentence */
    double next_give_s;           /* on the clock */
    int threads_lost;             /* in all; the first: */
    char lost_text[STATUS_TEXT_BYTES];
};

/* --- failures --------------------------------------------------------------------------------- */

/* The first failure decides; what follows from it is noise. */
void pool_fail(struct pool *pool, enum status status)
{
    if (status == STATUS_OK || pool->verdict != STATUS_OK)
        return;
    pool->verdict = status;
    snprintf(pool->text, sizeof pool->text, "%s", status_text());
}

enum status pool_verdict(const struct pool *pool)
{
    return pool->verdict == STATUS_OK ? STATUS_OK : status_fail(pool->verdict, "%s", pool->text);
}

static struct news *news_add(struct pool *pool, enum pool_news what, int worker, enum status status,
                             const char *text)
{
    struct news *news = calloc(1, sizeof *news);
    if (!news) {
        pool_fail(pool, status_fail(STATUS_OUT_OF_MEMORY, "no memory for a result"));
        return NULL;
    }
    news->text = *text ? strdup(text) : NULL;
    news->result = (struct pool_result){
        .news = what, .worker = worker, .status = status, .text = news->text ? news->text : ""};
    *pool->last = news;
    pool->last = &news->next;
    event_set(&pool->event);
    return news;
}

static void news_drop(struct pool *pool, struct news *news)
{
    if (news && news->arrived)
        inbox_release(pool->inbox, &news->arrival);
    if (news && news->own)
        worker_forget(pool->worker, &news->out);
    if (news)
        free(news->text);
    free(news);
}

/* --- opening ---------------------------------------------------------------------------------- */

static void give_tiles(struct pool *pool);
static enum status own_arrived(void *context, const struct message *message,
                               const struct field *out);
static enum status tile_arrived(void *context, int rank, const struct message *message, bool wanted,
                                const struct field *apart);

static enum status check(const struct pool_options *options, const struct world *world)
{
    if (options->threads > 0 && options->credits < options->threads)
        return status_fail(STATUS_CONFIG, "%d threads cannot do with %d tasks at a time",
                           options->threads, options->credits);
    if (options->tiles && world->rank == 0 && !options->tiles->frame.plane[PLANE_COUNT])
        return status_fail(STATUS_CONFIG, "rank 0 needs the picture in its reach");
    return STATUS_OK;
}

static enum status root_open(struct pool *pool)
{
    struct world *world = pool->world;
    size_t ranks = (size_t)world->size;
    pool->member = calloc(ranks, sizeof *pool->member);
    pool->rank = calloc(ranks, sizeof *pool->rank);
    if (!pool->member || !pool->rank)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %zu ranks", ranks);
    pool->rank[0].gone = true;
    for (size_t i = 0; i < ranks; i++)
        pool->member[i].request = MPI_REQUEST_NULL;
    if (world->size == 1)
        return STATUS_OK;
    if (pool->tiles)
        TRY(pixels_open(&pool->pixels, &(struct pixels_use){.world = world,
                                                            .memory = pool->options.memory,
                                                            .arrived = tile_arrived,
                                                            .context = pool,
                                                            .event = &pool->event,
                                                            .spin_us = pool->options.spin_us}));
    return inbox_open(&pool->inbox, world, pool->tiles ? pool->tiles->epoch : 0, RESULT_SLOTS,
                      sizeof(struct pool_note), NULL);
}

static enum status open_here(struct pool *pool)
{
    const struct pool_options *options = &pool->options;
    struct world *world = pool->world;
    TRY(check(options, world));
    if (options->threads > 0)
        TRY(worker_open(&pool->worker, world, options, &pool->event, own_arrived, pool));
    return world->rank > 0 ? server_open(&pool->server, world, options, pool->worker, &pool->event)
                           : root_open(pool);
}

/* Rank 0: the workers, in the order of their ranks. */
static enum status enlist(struct pool *pool)
{
    const struct world *world = pool->world;
    const struct pool_tiles *tiles = pool->tiles;
    struct table_worker *introduced = calloc((size_t)world->size, sizeof *introduced);
    if (!introduced)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %d ranks", world->size);
    for (int rank = 0; rank < world->size; rank++) {
        const struct introduction *record = world_said(world, rank);
        pool->rank[rank].worker = record->threads > 0 ? pool->workers : -1;
        if (record->threads == 0)
            continue;
        const char *transport = rank == 0 ? "local" : "message";
        introduced[pool->workers] = (struct table_worker){
            .threads = record->threads, .credits = record->credits, .speed = record->speed};
        struct pool_worker *shown = &pool->member[pool->workers++].shown;
        *shown = (struct pool_worker){.rank = rank,
                                      .threads = record->threads,
                                      .credits = record->credits,
                                      .alive = true,
                                      .ready = tiles != NULL,
                                      .transport = tiles && rank > 0 ? tiles->transports[rank]->name
                                                                     : transport};
        snprintf(shown->host, sizeof shown->host, "%s", presence_host(world, rank));
    }
    enum status status = table_open(&pool->table, tiles ? tiles->schedule : NULL,
                                    tiles ? tiles->count : 0, (uint32_t)pool->workers, introduced);
    free(introduced);
    if (status == STATUS_OK && tiles && tiles->costs)
        table_forecast(pool->table, tiles->costs);
    return status;
}

/* Every rank knows of all now. */
static enum status meet(struct pool *pool)
{
    struct world *world = pool->world;
    uint32_t workers = 0, before = 0;
    for (int rank = 0; rank < world->size; rank++) {
        const struct introduction *record = world_said(world, rank);
        before += rank < world->rank && record->threads > 0;
        workers += record->threads > 0;
    }
    if (workers == 0)
        return status_fail(STATUS_NO_DEVICE, "no rank has anything to compute with");
    if (pool->worker)
        worker_enlist(pool->worker, before, workers);
    enum status status = world->rank == 0 ? enlist(pool) : STATUS_OK;
    if (!pool->tiles)
        return world_agree(world, status);
    pool_fail(pool, status); /* the others hear of it when the pool ends, which it does at once */
    return STATUS_OK;
}

static uint32_t *word_of(const struct pool *pool, int rank)
{
    char *words = segment_memory(pool->words);
    return (uint32_t *)(void *)(words + (size_t)rank * WORD_BYTES);
}

static bool can_wake(const struct pool *pool, int rank)
{
    return pool->words && segment_reaches(pool->words, rank);
}

/* MPI cannot wake a process that sleeps: a word for each rank, in memory that those of a machine
 * share, is what its event is made of. */
static enum status words_open(struct pool *pool)
{
    struct world *world = pool->world;
    if (world->size == 1 || pool->tiles)
        return STATUS_OK;
    TRY(segment_open(&pool->words, world, STATUS_OK, (size_t)world->size * WORD_BYTES));
    if (world->rank > 0 && can_wake(pool, world->rank))
        event_share(&pool->event, word_of(pool, world->rank));
    return STATUS_OK;
}

static void wake_rank(const struct pool *pool, int rank)
{
    if (can_wake(pool, rank))
        event_set_word(word_of(pool, rank));
}

static void destroy(struct pool *pool)
{
    for (struct news *next, *news = pool->first; news; news = next) {
        next = news->next;
        news_drop(pool, news);
    }
    news_drop(pool, pool->taken);
    worker_close(pool->worker);
    server_close(pool->server);
    for (int i = 0; i < pool->workers; i++)
        if (pool->member[i].request == MPI_REQUEST_NULL) /* else MPI may still read it */
            context_drop(pool->member[i].sending);
    inbox_close(pool->inbox);
    pixels_close(pool->pixels);
    gather_close(pool->gather);
    table_close(pool->table);
    context_drop(pool->context);
    segment_close(pool->words);
    free(pool->member);
    free(pool->rank);
    free(pool->task);
    free(pool);
}

enum status pool_open(struct pool **out, struct world *world, const struct pool_options *options)
{
    *out = NULL;
    struct pool *pool = calloc(1, sizeof *pool);
    struct introduction own = {.threads = options->threads,
                               .credits = options->credits,
                               .speed = options->speed > 0 ? options->speed : 0};
    enum status status = STATUS_OK;
    world->spin_us = options->spin_us;
    if (pool) {
        *pool = (struct pool){.world = world,
                              .options = *options,
                              .tiles = options->tiles,
                              .patience = {.spin_us = options->spin_us}};
        pool->last = &pool->first;
        if (options->patience_s <= 0)
            pool->options.patience_s = patience_unless_said_s;
        event_open(&pool->event);
        status = open_here(pool);
    } else
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for a pool");
    status = world_exchange(world, status, &own, sizeof own);
    if (status == STATUS_OK)
        status = meet(pool);
    if (status == STATUS_OK)
        status = words_open(pool);
    if (status != STATUS_OK) {
        if (pool)
            destroy(pool);
        return status;
    }
    *out = pool;
    if (pool->tiles && world->rank == 0)
        give_tiles(pool);
    return STATUS_OK;
}

enum status pool_serve(struct pool *pool)
{
    return pool->server ? server_run(pool->server, can_wake(pool, pool->world->rank)) : STATUS_OK;
}

/* --- to the workers --------------------------------------------------------------------------- */

static bool is_remote(const struct member *member)
{
    return member->shown.rank > 0 && member->shown.alive;
}

/* Does this worker owe an answer? Then rank 0 has to look for it. */
static bool owes(const struct pool *pool, int worker)
{
    const struct member *member = &pool->member[worker];
    if (!is_remote(member) || (!pool->tiles && !pool->context))
        return false;
    return member->waits || member->instructed < member->turn ||
           (!member->shown.ready && !member->context_failed) ||
           table_held(pool->table, (uint32_t)worker) > 0;
}

static struct message header(const struct pool *pool, enum message_kind kind, uint32_t turn)
{
    return (struct message){
        .kind = kind, .epoch = pool->tiles ? pool->tiles->epoch : 0, .turn = turn};
}

/* This worker is not alive any more. What it had comes back, in a viewer as failed results. */
static void bury(struct pool *pool, int worker, enum status status)
{
    struct member *member = &pool->member[worker];
    char text[STATUS_TEXT_BYTES];
    uint32_t task;
    if (!member->shown.alive)
        return;
    snprintf(text, sizeof text, "%s", status_text());
    member->shown.alive = member->shown.ready = false;
    news_add(pool, POOL_WORKER, worker, status, text);
    while (table_take_back(pool->table, (uint32_t)worker, &task)) {
        struct news *news = news_add(pool, POOL_TASK, worker, status, text);
        if (news)
            news->result.task = pool->task[task];
    }
}

/* A rank does not do what it is to do: of tiles that is the end of all. */
static void blame(struct pool *pool, int rank, enum status status)
{
    int worker = pool->rank[rank].worker;
    if (pool->tiles)
        pool_fail(pool, status);
    else if (worker >= 0)
        bury(pool, worker, status);
}

static enum status send_bytes(struct pool *pool, struct member *member)
{
    struct context *context = pool->context;
    if (context->length == 0)
        return STATUS_OK;
    member->sending = context_hold(context);
    int units = (int)(message_padded(context->length) / MESSAGE_UNIT);
    TRY_MPI(MPI_Isend(context->bytes, units, pool->world->unit, member->shown.rank, 0,
                      pool->world->pixels, &member->request));
    return STATUS_OK;
}

static enum status send_instruction(struct pool *pool, struct member *member)
{
    struct context *context = pool->context;
    bool has_it = member->instructed >= context->turn;
    struct message message = header(pool, has_it ? MESSAGE_CANCEL : MESSAGE_CONTEXT, member->turn);
    member->instructed = member->turn;
    member->waits = true;
    if (has_it)
        return outbox_post(pool->world, member->shown.rank, &message, NULL, 0);
    message.offset = context->epoch;
    message.length = context->length;
    message.checksum = context->checksum;
    TRY(outbox_announce(pool->world, member->shown.rank, &message));
    return send_bytes(pool, member);
}

/* The newest instruction, if the worker has taken the one before. */
static void say(struct pool *pool, int worker)
{
    struct member *member = &pool->member[worker];
    if (!is_remote(member) || member->waits || member->request != MPI_REQUEST_NULL)
        return;
    enum status status = send_instruction(pool, member);
    wake_rank(pool, member->shown.rank);
    if (status != STATUS_OK)
        bury(pool, worker, status);
}

static void instruct(struct pool *pool, int worker)
{
    struct member *member = &pool->member[worker];
    if (!member->owed)
        presence_heard(pool->world, member->shown.rank);
    member->turn = pool->turn;
    member->shown.ready = false;
    say(pool, worker);
}

/* What was held back, because the worker had not taken the last instruction yet. */
static bool send_rest(struct pool *pool)
{
    bool moved = false;
    for (int i = 0; i < pool->workers; i++) {
        struct member *member = &pool->member[i];
        int done = 0;
        if (member->request != MPI_REQUEST_NULL &&
            MPI_Test(&member->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done) {
            context_drop(member->sending);
            member->sending = NULL;
            moved = true;
        }
        if (member->instructed < member->turn)
            say(pool, i);
    }
    return moved;
}

/* The table has noted it already. `task` NULL: a tile. */
static enum status give(struct pool *pool, int worker, uint32_t number,
                        const struct pool_task *task)
{
    struct member *member = &pool->member[worker];
    static const struct pool_task tile;
    if (member->shown.rank == 0) {
        worker_give(pool->worker, number, task ? task : &tile);
        return STATUS_OK;
    }
    struct message message = header(pool, MESSAGE_TASK, member->turn);
    message.task = number;
    enum status status =
        outbox_post(pool->world, member->shown.rank, &message, task, task ? sizeof *task : 0);
    wake_rank(pool, member->shown.rank);
    pool->patience.idle = 0;
    return status;
}

/* --- tiles go out ----------------------------------------------------------------------------- */

/* Whether there was one for this worker. */
static bool give_tile(struct pool *pool, int worker)
{
    if (pool->ended || pool->verdict != STATUS_OK)
        return false;
    uint32_t tile = table_next(pool->table, (uint32_t)worker, clock_s());
    if (tile == pool->tiles->count)
        return false;
    pool_fail(pool, give(pool, worker, tile, NULL));
    return true;
}

/* One each before anybody gets a second. */
static void give_tiles(struct pool *pool)
{
    for (bool any = true; any;) {
        any = false;
        for (int worker = 0; worker < pool->workers; worker++)
            any |= give_tile(pool, worker);
    }
}

/* Not more often than is of use: who was refused a tile may be given one later, because others turn
 * out to be slow. */
static void give_again(struct pool *pool)
{
    double now_s = clock_s();
    if (!pool->tiles || pool->ended || now_s < pool->next_give_s)
        return;
    pool->next_give_s = now_s + give_interval_s;
    give_tiles(pool);
}

/* --- results arrive ------------------------------------------------------------------------ */

/* A word of a viewer's worker about itself. */
static void hear(struct member *member, const struct message *message)
{
    if (message->kind != MESSAGE_DONE && message->kind != MESSAGE_BYE)
        member->dropped = (struct worker_tally){
            .late = message->offset, .iterations = message->iterations, .busy_s = message->busy_s};
}

static void count_tile(struct pool *pool, const struct message *message)
{
    const struct tile *tile = &pool->tiles->tile[message->task];
    pool->done.tasks++;
    pool->done.pixels += (uint64_t)tile->width * (uint64_t)tile->height;
    pool->done.iterations += message->iterations;
    pool->done.costs += pool->tiles->costs ? pool->tiles->costs[message->task] : 0;
}

/* A worker says that a task is done. *first: nobody had it sooner, and it is still wanted. */
static enum status take_done(struct pool *pool, int rank, const struct message *message,
                             bool *first)
{
    int worker = pool->rank[rank].worker;
    struct member *member = worker >= 0 ? &pool->member[worker] : NULL;
    enum table_news news = TABLE_UNASKED;
    *first = false;
    if (member && message->turn == member->turn)
        news = table_done(pool->table, (uint32_t)worker, message->task, message->iterations,
                          message->busy_s);
    *first = news == TABLE_FIRST;
    if (news == TABLE_UNASKED && pool->tiles)
        return status_fail(STATUS_INTERNAL,
                           "rank %d announced tile %u, which it was not to compute", rank,
                           message->task);
    member->busy_s += message->busy_s;
    member->shown.tiles += *first;
    member->shown.twice += news == TABLE_AGAIN;
    member->late += !*first;
    member->shown.iterations += news == TABLE_UNASKED ? 0 : message->iterations;
    bool in_place = rank == 0 || (pool->tiles && pool->tiles->transports[rank]->in_place);
    member->shown.bytes += news == TABLE_UNASKED || in_place ? 0 : message->length;
    if (*first && pool->tiles)
        count_tile(pool, message);
    while (pool->tiles && give_tile(pool, worker))
        continue;
    return STATUS_OK;
}

/* Tells the caller of a result that was the first of its task; of tiles it is in the frame. */
static struct news *task_arrived(struct pool *pool, int rank, const struct message *message)
{
    struct news *news = NULL;
    if (!pool->tiles || pool->verdict == STATUS_OK)
        news = news_add(pool, POOL_TASK, pool->rank[rank].worker, STATUS_OK, "");
    if (!news)
        return NULL;
    news->result.iterations = message->iterations;
    news->result.busy_s = message->busy_s;
    news->result.task = pool->tiles ? (struct pool_task){.epoch = message->epoch,
                                                         .id = message->task,
                                                         .result_bytes = message->length}
                                    : pool->task[message->task];
    return news;
}

/* A task has failed. A thread is lost by it if its status says so. */
static void task_failed(struct pool *pool, int worker, const struct message *message,
                        int threads_left, enum status status)
{
    struct member *member = &pool->member[worker];
    char text[STATUS_TEXT_BYTES];
    snprintf(text, sizeof text, "%s", status_text());
    if (message->turn == member->turn &&
        table_failed(pool->table, (uint32_t)worker, message->task) == TABLE_FIRST) {
        struct news *news = news_add(pool, POOL_TASK, worker, status, text);
        if (news)
            news->result.task = pool->task[message->task];
    }
    if (status != STATUS_DEVICE_LOST)
        return;
    member->shown.threads_lost += member->shown.threads - threads_left;
    member->shown.threads = threads_left;
    if (threads_left == 0)
        bury(pool, worker, status_fail(status, "%s", text));
}

/* The same of a tile: others compute it, unless there is nobody. */
static enum status tile_lost(struct pool *pool, int worker, uint32_t tile, int threads_left)
{
    struct member *member = &pool->member[worker];
    int rank = member->shown.rank;
    if (pool->threads_lost++ == 0)
        snprintf(pool->lost_text, sizeof pool->lost_text, "rank %d on %s: %s", rank,
                 member->shown.host, status_text());
    member->shown.threads_lost++;
    member->shown.threads = threads_left;
    struct news *news = news_add(pool, POOL_TASK, worker, STATUS_DEVICE_LOST, status_text());
    if (news)
        news->result.task.id = tile;
    if (pool->ended || pool->verdict != STATUS_OK)
        return STATUS_OK;
    if (tile >= pool->tiles->count ||
        !table_lost(pool->table, (uint32_t)worker, tile, threads_left))
        return status_fail(STATUS_INTERNAL, "rank %d lost tile %u, which it did not have", rank,
                           tile);
    if (table_threads(pool->table) + table_silent_threads(pool->table) == 0 &&
        table_undone(pool->table) > 0)
        return status_fail(STATUS_DEVICE_LOST, "every device failed; the first, on %s",
                           pool->lost_text);
    give_tiles(pool);
    return STATUS_OK;
}

/* Failing for good; of a picture that is complete, somebody else was sooner with that tile. */
static void tile_failed(struct pool *pool, int rank, enum status status)
{
    if (pool->verdict != STATUS_OK || table_undone(pool->table) == 0)
        return;
    if (rank > 0 && status != STATUS_STOPPED) /* a request, not a fault of that rank */
        status_fail(status, "rank %d on %s: %s", rank, presence_host(pool->world, rank),
                    status_text());
    pool_fail(pool, status);
}

static void failed(struct pool *pool, int worker, const struct message *message, int threads_left,
                   enum status status)
{
    pool->member[worker].busy_s += message->busy_s;
    if (!pool->tiles)
        task_failed(pool, worker, message, threads_left, status);
    else if (status == STATUS_DEVICE_LOST)
        pool_fail(pool, tile_lost(pool, worker, message->task, threads_left));
    else
        tile_failed(pool, pool->member[worker].shown.rank, status);
}

/* --- rank 0's own worker, which is number 0 --------------------------------------------------- */

static enum status own_arrived(void *context, const struct message *message,
                               const struct field *out)
{
    struct pool *pool = context;
    bool first;
    TRY(take_done(pool, 0, message, &first));
    struct news *news = first ? task_arrived(pool, 0, message) : NULL;
    if (pool->tiles)
        return STATUS_OK;
    if (!news) {
        worker_forget(pool->worker, out);
        return STATUS_OK;
    }
    news->own = pool->own_waits = true;
    news->out = *out;
    news->result.bytes = out->base;
    return STATUS_OK;
}

/* What the worker says of itself becomes its row. The last thread may be lost over useless work. */
static void own_state(struct pool *pool)
{
    struct member *own = pool->member;
    enum worker_state state = worker_state(pool->worker);
    own->dropped = worker_dropped(pool->worker);
    own->shown.threads = worker_threads(pool->worker);
    own->shown.threads_lost = pool->options.threads - own->shown.threads;
    if (pool->tiles)
        return;
    if (state == WORKER_GONE && own->shown.alive)
        bury(pool, 0, worker_failure(pool->worker));
    bool failed = state == WORKER_FAILED && !own->context_failed;
    own->context_failed = state == WORKER_FAILED;
    if (state == WORKER_READY && !own->shown.ready)
        event_set(&pool->event); /* whoever asked for tasks before should ask again */
    own->shown.ready = state == WORKER_READY;
    if (failed) {
        enum status status = worker_failure(pool->worker);
        news_add(pool, POOL_CONTEXT, 0, status, status_text());
    }
}

/* Of a viewer one result at a time, so that there is memory for the next. True: something ended. */
static bool own_step(struct pool *pool)
{
    struct worker_done done;
    bool moved = false;
    if (!pool->worker)
        return false;
    while (!pool->own_waits && worker_take(pool->worker, &done)) {
        struct message message = header(pool, MESSAGE_DONE, pool->member->turn);
        moved = true;
        if (done.status == STATUS_OK) {
            pool_fail(pool, worker_send(pool->worker, &message, &done));
            continue;
        }
        message.task = done.number;
        message.busy_s = done.busy_s;
        failed(pool, 0, &message, worker_threads(pool->worker),
               status_fail(done.status, "%s", done.text));
    }
    own_state(pool);
    return moved;
}

/* --- from the other workers ------------------------------------------------------------------- */

static const struct pool_note *note_of(const struct arrival *arrival)
{
    struct pool_note *note = arrival->payload;
    if (arrival->message.length != sizeof *note)
        return NULL;
    note->text[sizeof note->text - 1] = '\0';
    return note;
}

static enum status why(const struct arrival *arrival)
{
    const struct pool_note *note = note_of(arrival);
    enum status status = arrival->message.status;
    if (!note || status == STATUS_OK)
        return status_fail(STATUS_INTERNAL, "rank %d failed without saying why", arrival->rank);
    return status_fail(status, "%s", note->text);
}

/* Threads may be lost over useless work. */
static void count_threads(struct pool_worker *shown, const struct pool_note *note)
{
    if (!note || note->threads_left < 0 || note->threads_left > shown->threads)
        return;
    shown->threads_lost += shown->threads - note->threads_left;
    shown->threads = note->threads_left;
}

static void take_ready(struct pool *pool, int worker, const struct arrival *arrival)
{
    struct member *member = &pool->member[worker];
    count_threads(&member->shown, note_of(arrival));
    if (member->shown.threads == 0)
        bury(pool, worker, why(arrival));
    if (!member->shown.alive || arrival->message.turn != member->turn)
        return;
    member->shown.ready = arrival->message.status == STATUS_OK;
    member->context_failed = !member->shown.ready;
    if (!member->context_failed) {
        event_set(&pool->event);
        return;
    }
    enum status status = why(arrival);
    news_add(pool, POOL_CONTEXT, worker, status, status_text());
}

/* Is this a tile of the picture, and of the right size? */
static enum status check_announced(const struct pool *pool, int rank, const struct message *message)
{
    const struct pool_tiles *tiles = pool->tiles;
    if (message->task >= tiles->count)
        return status_fail(STATUS_INTERNAL, "rank %d announced tile %u of %u", rank, message->task,
                           tiles->count);
    const struct tile *tile = &tiles->tile[message->task];
    size_t bytes;
    TRY(field_bytes(tile->width, tile->height, tiles->planes, tiles->count_bytes, &bytes));
    if (message->length != bytes)
        return status_fail(STATUS_INTERNAL, "rank %d announced tile %u with %llu bytes, not %zu",
                           rank, message->task, (unsigned long long)message->length, bytes);
    return STATUS_OK;
}

/* Its pixels come when all tiles are done. */
static enum status keep_tile(struct pool *pool, int rank, const struct message *message, bool first)
{
    const struct gather_use use = {.world = pool->world,
                                   .tiles = pool->tiles->tile,
                                   .tile_count = pool->tiles->count,
                                   .frame = &pool->tiles->frame,
                                   .memory = pool->options.memory,
                                   .arrived = tile_arrived,
                                   .context = pool,
                                   .event = &pool->event};
    if (!pool->gather)
        TRY(gather_open(&pool->gather, &use));
    if (first)
        gather_expect(pool->gather, rank, message);
    pool->kept += first;
    return STATUS_OK;
}

static enum status take_tile(struct pool *pool, const struct arrival *arrival)
{
    const struct message *message = &arrival->message;
    const struct pool_tiles *tiles = pool->tiles;
    int rank = arrival->rank;
    bool first = true;
    if (pool->verdict != STATUS_OK)
        return STATUS_OK; /* finished before its rank heard of the end */
    if (!tiles || pool->rank[rank].worker < 0 ||
        (int)message->kind != tiles->transports[rank]->announces)
        return status_fail(STATUS_INTERNAL, "rank %d uses another transport", rank);
    const struct transport_kind *transport = tiles->transports[rank];
    TRY(check_announced(pool, rank, message));
    if (transport->in_place || transport->at_end)
        TRY(take_done(pool, rank, message, &first));
    if (transport->in_place) {
        if (first)
            task_arrived(pool, rank, message);
        return STATUS_OK;
    }
    if (transport->at_end)
        return keep_tile(pool, rank, message, first);
    return pixels_expect(pool->pixels, rank, message, first, &tiles->tile[message->task],
                         &tiles->frame);
}

/* pixels_arrived. */
static enum status tile_arrived(void *context, int rank, const struct message *message, bool wanted,
                                const struct field *apart)
{
    struct pool *pool = context;
    const struct pool_tiles *tiles = pool->tiles;
    const struct job_memory *memory = pool->options.memory;
    if (tiles->transports[rank]->at_end)
        pool->kept -= wanted;
    else
        TRY(take_done(pool, rank, message, &wanted));
    if (!wanted)
        return STATUS_OK;
    if (apart) {
        struct field to = tile_window(&tiles->tile[message->task], &tiles->frame);
        TRY(memory->copy(memory->context, &to, apart));
    }
    task_arrived(pool, rank, message);
    return STATUS_OK;
}

/* True: the arrival is kept. */
static bool take_result(struct pool *pool, int worker, const struct arrival *arrival)
{
    const struct message *message = &arrival->message;
    struct member *member = &pool->member[worker];
    const struct pool_note *note = note_of(arrival);
    if (message->status != STATUS_OK) {
        int threads = note && note->threads_left >= 0 && note->threads_left <= member->shown.threads
                          ? note->threads_left
                          : 0;
        failed(pool, worker, message, threads, why(arrival));
        return false;
    }
    enum status status = STATUS_OK;
    const struct pool_task *task = NULL;
    bool first = false;
    if (pool->tiles)
        status = status_fail(STATUS_INTERNAL, "rank %d uses another transport", arrival->rank);
    else if (message->turn == member->turn && message->task < pool->task_room)
        task = &pool->task[message->task];
    if (task && message->length != task->result_bytes)
        status =
            status_fail(STATUS_INTERNAL, "rank %d sent %llu bytes for a result of %zu",
                        arrival->rank, (unsigned long long)message->length, task->result_bytes);
    else if (task)
        status = message_verify(message, arrival->payload);
    if (status != STATUS_OK) {
        failed(pool, worker, message, member->shown.threads, status);
        return false;
    }
    take_done(pool, arrival->rank, message, &first);
    struct news *news = first ? task_arrived(pool, arrival->rank, message) : NULL;
    if (!news)
        return false;
    news->arrived = true;
    news->arrival = *arrival;
    news->result.bytes = arrival->payload;
    return true;
}

static void take_bye(struct pool *pool, const struct arrival *arrival)
{
    const struct message *message = &arrival->message;
    const struct pool_note *note = note_of(arrival);
    int rank = arrival->rank, worker = pool->rank[rank].worker;
    pool->rank[rank].gone = true;
    if (pool->pixels)
        pixels_total(pool->pixels, rank, message->offset);
    if (message->status != STATUS_OK && !pool->tiles)
        pool_fail(pool, why(arrival));
    if (!note || worker < 0)
        return;
    pool->member[worker].dropped.busy_s = message->busy_s;
    count_threads(&pool->member[worker].shown, note);
}

/* True: the arrival is kept. */
static bool take_message(struct pool *pool, const struct arrival *arrival)
{
    int worker = pool->rank[arrival->rank].worker;
    const struct message *message = &arrival->message;
    if (message->kind == MESSAGE_BYE)
        take_bye(pool, arrival);
    if (message->kind == MESSAGE_GOT && pool->gather && !pool->rank[arrival->rank].kept) {
        pool->rank[arrival->rank].kept = true;
        pool_fail(pool, gather_share(pool->gather, arrival->rank, message->offset));
    }
    if (message->kind == MESSAGE_BYE || worker < 0 || !is_remote(&pool->member[worker])) {
        if (message->kind == MESSAGE_FAIL && pool->tiles) /* one that does not compute */
            tile_failed(pool, arrival->rank, why(arrival));
        else if (message->kind == MESSAGE_FAIL && worker < 0)
            pool_fail(pool, why(arrival));
        return false;
    }
    struct member *member = &pool->member[worker];
    if (!pool->tiles)
        hear(member, message);
    switch (message->kind) {
    case MESSAGE_GOT:
        member->waits = member->waits && message->turn != member->instructed;
        return false;
    case MESSAGE_READY:
        take_ready(pool, worker, arrival);
        return false;
    case MESSAGE_TILE:
    case MESSAGE_KEPT:
    case MESSAGE_IN_PLACE: {
        enum status status = take_tile(pool, arrival);
        if (status != STATUS_OK)
            blame(pool, arrival->rank, status);
        return false;
    }
    case MESSAGE_DONE:
        return take_result(pool, worker, arrival);
    case MESSAGE_FAIL: {
        enum status status = why(arrival);
        if (pool->tiles) {
            tile_failed(pool, arrival->rank, status);
            return false;
        }
        bury(pool, worker,
             status_fail(status, "rank %d on %s: %s", arrival->rank, member->shown.host,
                         status_text()));
        return false;
    }
    default:
        blame(pool, arrival->rank,
              status_fail(STATUS_INTERNAL, "rank %d sent a message of kind %d", arrival->rank,
                          message->kind));
        return false;
    }
}

/* A message that cannot be read: what else comes from there cannot be trusted. MPI itself failed if
 * not even the sender is known. */
static void distrust(struct pool *pool, const struct arrival *arrival, bool known,
                     enum status status)
{
    if (!known) {
        pool->broken = true;
        pool_fail(pool, status);
    }
    for (int rank = 1; rank < pool->world->size; rank++)
        if (!known || rank == arrival->rank)
            blame(pool, rank, status);
    if (known && arrival->message.kind == MESSAGE_BYE)
        pool->rank[arrival->rank].gone = true;
}

static void judge(struct pool *pool, int rank);

/* No more at a time than leaves rank 0 to its own worker and its caller. */
static bool listen(struct pool *pool)
{
    bool moved = false;
    for (int i = 0; i < LISTEN_MOST; i++) {
        struct arrival arrival = {0};
        bool any = false;
        enum status status = inbox_poll(pool->inbox, &arrival, &any);
        if (status != STATUS_OK)
            distrust(pool, &arrival, any, status);
        if (status != STATUS_OK || !any)
            return moved;
        moved = true;
        presence_heard(pool->world, arrival.rank);
        if (pool->tiles)
            judge(pool, arrival.rank);
        if (!take_message(pool, &arrival))
            inbox_release(pool->inbox, &arrival);
    }
    return moved;
}

/* Takes in the pixels that follow announcements. */
static bool receive(struct pool *pool)
{
    uint64_t before = pool->left, gathered = 0;
    if (!pool->pixels)
        return false;
    if (pool->verdict != STATUS_OK)
        pixels_refuse(pool->pixels);
    pool_fail(pool, pixels_progress(pool->pixels, &pool->left));
    if (gather_runs(pool->gather))
        pool_fail(pool, gather_progress(pool->gather, &gathered));
    pool->left += gathered;
    return pool->left < before;
}

/* --- ranks that do not answer ----------------------------------------------------------------- */

static void tell_of_silence(struct pool *pool, int rank, bool silent)
{
    const struct world *world = pool->world;
    char text[STATUS_TEXT_BYTES], what[64] = "answers again";
    if (silent && presence_lost(world, rank))
        snprintf(what, sizeof what, "has ended");
    else if (silent)
        snprintf(what, sizeof what, "has not answered for %.3g s", world->silent_s);
    snprintf(text, sizeof text, "rank %d on %s %s%s", rank, presence_host(world, rank), what,
             !silent || pool->ended ? "" : "; others compute what it has");
    news_add(pool, POOL_SILENT, pool->rank[rank].worker, STATUS_OK, text);
}

/* Of a viewer: its last messages have been read. MPI says nothing of it, and mpirun ends the job
 * only if it was not told otherwise. */
static void process_ended(struct pool *pool, int rank)
{
    int worker = pool->rank[rank].worker;
    enum status status = status_fail(
        STATUS_SYSTEM,
        "rank %d on %s has ended: it crashed, was killed, or memory ran out (dmesg says whether)",
        rank, presence_host(pool->world, rank));
    pool_fail(pool, status);
    inbox_give_up(pool->inbox, rank);
    pool->rank[rank].gone = true;
    if (worker >= 0)
        bury(pool, worker, status);
}

/* Has this rank fallen silent, ended, or does it answer again? */
static void judge(struct pool *pool, int rank)
{
    bool silent = !presence_answers(pool->world, rank);
    int worker = pool->rank[rank].worker;
    if (pool->rank[rank].gone)
        return;
    if (!pool->tiles) {
        if (presence_ended(pool->world, rank))
            process_ended(pool, rank);
        return;
    }
    if (silent == pool->rank[rank].silent)
        return;
    pool->rank[rank].silent = silent;
    pool->rank[rank].shown.silences += silent;
    tell_of_silence(pool, rank, silent);
    if (silent)
        pool_fail(pool, inbox_widen(pool->inbox, rank));
    if (worker < 0 || pool->verdict != STATUS_OK) /* then there may be no table */
        return;
    (silent ? table_silent : table_answers)(pool->table, (uint32_t)worker);
    give_tiles(pool);
}

/* Of tiles: when all that could compute are silent it waits until the last of them is lost. */
static void despair(struct pool *pool)
{
    int lost = 0;
    bool hope = false;
    for (int rank = 1; rank < pool->world->size; rank++) {
        bool missed = pool->rank[rank].silent && pool->rank[rank].worker >= 0;
        hope |= missed && !presence_lost(pool->world, rank);
        if (missed && lost == 0)
            lost = rank;
    }
    if (lost && !hope && !pool->ended && table_threads(pool->table) == 0)
        pool_fail(pool, presence_give_up(pool->world, lost));
}

/* Judges the ranks now and then. */
static void watch(struct pool *pool)
{
    if (!pool->inbox || !presence_look(pool->world))
        return;
    for (int rank = 1; rank < pool->world->size; rank++)
        judge(pool, rank);
    if (pool->tiles)
        despair(pool);
}

static bool anybody_watched(const struct pool *pool)
{
    for (int rank = 1; rank < pool->world->size; rank++)
        if (presence_watched(pool->world, rank) && !pool->rank[rank].gone)
            return true;
    return false;
}

/* --- the course of it ------------------------------------------------------------------------- */

/* Goes on with everything, without waiting. Did anything happen? */
static bool step(struct pool *pool)
{
    bool moved = false;
    if (pool->inbox)
        moved = listen(pool);
    moved |= receive(pool);
    moved |= own_step(pool);
    if (pool->inbox)
        moved |= send_rest(pool);
    if (moved) {
        pool->patience.idle = 0;
        pool->end_s = clock_s();
    } else {
        watch(pool);
        give_again(pool);
    }
    return moved;
}

bool pool_take(struct pool *pool, struct pool_result *result)
{
    news_drop(pool, pool->taken);
    pool->taken = NULL;
    if (!pool->tiles) /* else pool_wait has just looked */
        step(pool);
    struct news *news = pool->taken = pool->first;
    if (!news)
        return false;
    pool->first = news->next;
    if (!pool->first)
        pool->last = &pool->first;
    pool->own_waits = pool->own_waits && !news->own;
    *result = news->result;
    return true;
}

/* How long rank 0 may sleep before it looks again, microseconds; < 0: nobody owes it anything. */
static int64_t nap_us(struct pool *pool)
{
    bool owed = false, moves = pool->inbox && !inbox_quiet(pool->inbox);
    unsigned most_us = IDLE_NAP_US;
    if (gather_runs(pool->gather))
        return patience_us(&pool->patience, MOVING_NAP_US);
    if (pool->tiles)
        return patience_us(&pool->patience, pool->inbox ? NAP_MOST_US : ALONE_NAP_US);
    for (int i = 0; i < pool->workers; i++) {
        const struct member *member = &pool->member[i];
        moves |= member->request != MPI_REQUEST_NULL;
        owed |= owes(pool, i);
        if (is_remote(member) && table_held(pool->table, (uint32_t)i) > 0)
            most_us = NAP_MOST_US;
    }
    if (!owed && !moves)
        return anybody_watched(pool) ? WATCH_NAP_US : -1;
    unsigned nap_us = patience_us(&pool->patience, moves ? MOVING_NAP_US : most_us);
    return nap_us ? nap_us : 1;
}

/* Of two times, negative ones being without end. */
static int64_t sooner(int64_t a, int64_t b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

static bool has_news(const struct pool *pool)
{
    return pool->first || (pool->worker && worker_has_ended(pool->worker));
}

void pool_wait(struct pool *pool, int64_t microseconds)
{
    double end_s = clock_s() + 1e-6 * (double)microseconds;
    for (int64_t left = microseconds;;) {
        if (step(pool) || has_news(pool))
            return;
        if (event_wait(&pool->event, sooner(left, nap_us(pool))) || left == 0)
            return;
        if (left > 0)
            left = (int64_t)(1e6 * (end_s - clock_s()));
        if (left < 0 && microseconds >= 0)
            left = 0;
    }
}

void pool_wake(struct pool *pool)
{
    event_set(&pool->event);
}

/* --- a viewer: what is wanted ----------------------------------------------------------------- */

/* Drops results, and failures of contexts, that are not wanted any more. */
static void news_forget(struct pool *pool)
{
    struct news **at = &pool->first;
    while (*at) {
        struct news *news = *at;
        struct member *member = &pool->member[news->result.worker];
        if (news->result.news == POOL_WORKER ||
            (news->result.news == POOL_CONTEXT && member->context_failed)) {
            at = &news->next;
            continue;
        }
        if (news->result.news == POOL_TASK && news->result.status == STATUS_OK) {
            member->late++;
            member->shown.tiles--;
        }
        *at = news->next;
        news_drop(pool, news);
    }
    pool->own_waits = false;
    pool->last = at;
}

static void note_owed(struct pool *pool)
{
    for (int i = 0; i < pool->workers; i++)
        pool->member[i].owed = owes(pool, i);
}

static void forget_tasks(struct pool *pool)
{
    pool->turn++;
    news_forget(pool);
    table_forget(pool->table);
}

enum status pool_context(struct pool *pool, uint64_t epoch, const void *bytes, size_t length)
{
    assert(!pool->context || epoch > pool->context->epoch);
    struct context *context;
    TRY(context_make(&context, epoch, length));
    if (length)
        memcpy(context->bytes, bytes, length);
    note_owed(pool);
    for (int i = 0; i < pool->workers; i++)
        pool->member[i].context_failed = false;
    forget_tasks(pool); /* those of the context before */
    context_drop(pool->context);
    pool->context = context;
    context->turn = pool->turn;
    if (pool->inbox)
        context->checksum = message_checksum(context->bytes, length);
    for (int i = 0; i < pool->workers; i++) {
        if (pool->member[i].shown.rank > 0) {
            instruct(pool, i);
            continue;
        }
        pool->member[i].turn = pool->turn;
        worker_context(pool->worker, context);
        own_step(pool);
    }
    return STATUS_OK;
}

/* A worker that has no tasks need not hear of it. */
void pool_cancel(struct pool *pool)
{
    for (int i = 0; i < pool->workers; i++)
        pool_worker(pool, i); /* what it has now */
    note_owed(pool);
    forget_tasks(pool);
    for (int i = 0; i < pool->workers; i++) {
        const struct pool_worker *shown = &pool->member[i].shown;
        if (shown->outstanding > 0 && shown->rank > 0)
            instruct(pool, i);
        else if (shown->outstanding > 0)
            worker_cancel(pool->worker);
    }
    if (pool->worker)
        own_step(pool);
}

bool pool_may_give(const struct pool *pool, int worker)
{
    const struct pool_worker *shown = &pool->member[worker].shown;
    return shown->alive && shown->ready &&
           table_held(pool->table, (uint32_t)worker) < (uint32_t)shown->credits;
}

/* Room for one more description of a task. */
static enum status task_add(struct pool *pool, const struct pool_task *task, uint32_t *number)
{
    TRY(table_add(pool->table, number));
    if (*number >= pool->task_room) {
        uint32_t room = pool->task_room ? 2 * pool->task_room : 64;
        struct pool_task *tasks = realloc(pool->task, (size_t)room * sizeof *tasks);
        if (!tasks)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %u tasks", room);
        pool->task = tasks;
        pool->task_room = room;
    }
    pool->task[*number] = *task;
    return STATUS_OK;
}

/* The number of a task: the one it has, if somebody is at it. */
static enum status number_of(struct pool *pool, const struct pool_task *task, uint32_t *number)
{
    for (int i = 0; i < pool->workers; i++) {
        uint32_t held = table_held(pool->table, (uint32_t)i);
        for (uint32_t k = 0; k < held; k++) {
            *number = table_held_task(pool->table, (uint32_t)i, k);
            if (pool->task[*number].id == task->id && !table_is_done(pool->table, *number))
                return STATUS_OK;
        }
    }
    return task_add(pool, task, number);
}

enum status pool_give(struct pool *pool, int worker, const struct pool_task *task)
{
    uint32_t number;
    assert(pool_may_give(pool, worker));
    if (task->epoch != pool->context->epoch)
        return status_fail(STATUS_INTERNAL, "a task of context %llu, and the present one is %llu",
                           (unsigned long long)task->epoch,
                           (unsigned long long)pool->context->epoch);
    TRY(number_of(pool, task, &number));
    if (!owes(pool, worker))
        presence_heard(pool->world, pool->member[worker].shown.rank);
    table_assign(pool->table, (uint32_t)worker, number, clock_s());
    enum status status = give(pool, worker, number, task);
    if (status != STATUS_OK)
        bury(pool, worker, status);
    return status;
}

/* --- questions -------------------------------------------------------------------------------- */

int pool_workers(const struct pool *pool)
{
    return pool->workers;
}

const struct pool_worker *pool_worker(const struct pool *pool, int worker)
{
    struct member *member = &pool->member[worker];
    struct pool_worker *shown = &member->shown;
    shown->outstanding = (int)table_held(pool->table, (uint32_t)worker);
    shown->late = member->late + member->dropped.late;
    shown->heard_s = owes(pool, worker) ? presence_unheard_s(pool->world, shown->rank) : 0;
    shown->busy_s = member->busy_s + member->dropped.busy_s;
    return shown;
}

const struct pool_rank *pool_rank(const struct pool *pool, int rank)
{
    return &pool->rank[rank].shown;
}

struct pool_done pool_done(const struct pool *pool)
{
    return pool->done;
}

uint64_t pool_late_messages(const struct pool *pool)
{
    return pool->inbox ? inbox_late(pool->inbox) : 0;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Is there no good end without every rank? */
static bool needs_all(const struct pool *pool)
{
    return pool->verdict == STATUS_OK && pool->kept > 0;
}

/* To all ranks, with what the pool has come to. */
static void tell_all(struct pool *pool, enum message_kind kind)
{
    const enum status verdict = pool->tiles ? pool->verdict : STATUS_OK; /* the same to all */
    for (int rank = 1; rank < pool->world->size; rank++) {
        struct message message = header(pool, kind, 0);
        message.status = verdict;
        enum status status = outbox_post(pool->world, rank, &message, NULL, 0);
        wake_rank(pool, rank);
        if (status == STATUS_OK)
            continue;
        pool->rank[rank].gone |= !pool->tiles;
        if (pool->tiles)
            pool_fail(pool, status);
    }
}

static void tell_end(struct pool *pool)
{
    pool->told = true;
    tell_all(pool, MESSAGE_END);
}

void pool_end(struct pool *pool)
{
    pool->ended = true;
    pool->end_s = clock_s();
    pool->patience.idle = 0;
    if (pool->worker)
        worker_end(pool->worker);
    for (int i = 0; i < pool->workers; i++)
        pool->member[i].turn = pool->member[i].instructed; /* no instruction follows */
    if (needs_all(pool))
        tell_all(pool, MESSAGE_CANCEL); /* END follows the answers of all */
    else
        tell_end(pool);
}

/* Has it said goodbye, and is all here that it sent before? */
static bool rank_ended(const struct pool *pool, int rank)
{
    int worker = pool->rank[rank].worker;
    if (worker >= 0 && pool->member[worker].request != MPI_REQUEST_NULL &&
        pool->member[worker].shown.alive)
        return false;
    return pool->rank[rank].gone && (!pool->pixels || pixels_quiet(pool->pixels, rank));
}

static bool is_overdue(const struct pool *pool)
{
    return clock_s() > pool->end_s + 2 * pool->world->lost_s;
}

/* The first rank that is lost; 0: none. */
static int lost_rank(const struct pool *pool)
{
    int rank = 1;
    while (rank < pool->world->size && !presence_lost(pool->world, rank))
        rank++;
    return rank < pool->world->size ? rank : 0;
}

/* Of tiles: is nobody left to wait for, or have those who are been waited for long enough? */
static bool abandoned(const struct pool *pool)
{
    const struct world *world = pool->world;
    bool patient = needs_all(pool), overdue = is_overdue(pool);
    bool quiet = !pool->inbox || inbox_quiet(pool->inbox), any = false;
    if (gather_runs(pool->gather))
        return overdue || lost_rank(pool);
    for (int rank = 1; rank < world->size; rank++) {
        bool waits = !rank_ended(pool, rank);
        if (waits && !overdue &&
            (patient ? !presence_lost(world, rank) : presence_answers(world, rank)))
            return false;
        any |= waits;
    }
    return any || quiet || overdue;
}

/* The picture cannot be completed without this rank. */
static void lose_picture(struct pool *pool, int rank)
{
    enum status status = presence_give_up(pool->world, rank);
    if (!needs_all(pool))
        return;
    pool_fail(pool, status);
    snprintf(pool->text + strlen(pool->text), sizeof pool->text - strlen(pool->text),
             "; the picture is lost, since its transport needs every rank in the end (staged and "
             "shared do not)");
}

/* Nobody waits any longer for those who have not finished. */
static void give_up_missing(struct pool *pool)
{
    int first = 0;
    bool gathers = gather_runs(pool->gather);
    for (int rank = pool->world->size - 1; rank > 0; rank--)
        if (gathers || !rank_ended(pool, rank)) {
            bool missing = !gathers || presence_lost(pool->world, rank) || is_overdue(pool);
            pool->rank[rank].shown.missing = missing;
            inbox_give_up(pool->inbox, rank);
            pixels_give_up(pool->pixels, rank);
            first = missing ? rank : first;
        }
    if (gathers)
        gather_give_up(pool->gather);
    if (first)
        lose_picture(pool, first);
}

/* May the ranks be told of the end? Where they keep pixels, when each has said that it keeps no
 * more, as the collective needs them all; it is not begun without one. */
static bool may_tell(struct pool *pool)
{
    int lost = lost_rank(pool);
    if (lost || is_overdue(pool))
        lose_picture(pool, lost ? lost : 1);
    for (int rank = 1; pool->verdict == STATUS_OK && rank < pool->world->size; rank++)
        if (!pool->rank[rank].kept)
            return false;
    if (pool->verdict == STATUS_OK)
        pool_fail(pool, gather_begin(pool->gather));
    if (pool->verdict == STATUS_OK)
        tell_all(pool, MESSAGE_GATHER);
    return true;
}

bool pool_ended(struct pool *pool)
{
    if (!pool->told && may_tell(pool))
        tell_end(pool);
    if (!pool->told || (pool->worker && worker_runs(pool->worker)) ||
        !(pool->broken || abandoned(pool)))
        return false;
    if (!pool->broken)
        give_up_missing(pool);
    return true;
}

static bool is_quiet(struct pool *pool)
{
    bool quiet = !pool->worker || !worker_runs(pool->worker);
    for (int rank = 1; quiet && pool->world->rank == 0 && rank < pool->world->size; rank++)
        quiet = rank_ended(pool, rank);
    return quiet && (!pool->inbox || inbox_quiet(pool->inbox));
}

static enum status stuck(const struct pool *pool)
{
    const struct world *world = pool->world;
    int rank = world->rank;
    bool here = pool->worker && worker_runs(pool->worker);
    for (int next = 1; !here && next < world->size && (rank == 0 || pool->rank[rank].gone); next++)
        rank = next;
    return status_fail(STATUS_SYSTEM,
                       "rank %d on %s has not ended %.1f s after it was told to give up", rank,
                       presence_host(world, rank), pool->options.patience_s);
}

/* Of a viewer. Rank 0 is more patient than the others, so that they can say themselves what is the
 * matter. */
static enum status wait_for_all(struct pool *pool)
{
    double until_s = clock_s() + pool->options.patience_s + (pool->inbox ? 1 : 0);
    struct patience patience = {.spin_us = 0};
    struct pool_result result;
    for (;;) {
        while (pool_take(pool, &result))
            continue;
        if (is_quiet(pool))
            return STATUS_OK;
        if (pool->broken && !(pool->worker && worker_runs(pool->worker)))
            return pool_verdict(pool);
        if (clock_s() > until_s)
            return stuck(pool);
        event_wait(&pool->event, patience_us(&patience, pool->inbox ? NAP_MOST_US : 10000));
    }
}

enum status pool_close(struct pool *pool)
{
    if (!pool)
        return STATUS_OK;
    enum status status = STATUS_OK;
    if (pool->world->rank > 0 && !pool->tiles && pool->worker && worker_runs(pool->worker))
        return stuck(pool); /* as server_run has said */
    if (pool->world->rank == 0 && !pool->tiles) {
        forget_tasks(pool);
        pool_end(pool);
        TRY(wait_for_all(pool));
        status = pool_verdict(pool);
    }
    destroy(pool);
    return status;
}
