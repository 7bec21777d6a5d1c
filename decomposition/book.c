#include "decomposition/book.h"

#include <stdlib.h>
#include <string.h>

enum tile_state { TILE_OPEN, TILE_LISTED, TILE_GIVEN, TILE_DOUBLED, TILE_DONE };

struct held { /* a tile given to a worker */
    uint32_t tile;
    bool freed; /* for others: the worker was silent */
    double since_s;
};

struct account { /* of a worker */
    int lanes_at_first;
    double speed_at_first;
    uint64_t iterations;
    double busy_s;
    struct held *held; /* [credits] */
    uint32_t held_count;
    uint32_t listed; /* tiles of its own list that are not done, */
    bool freed;      /* but for others, since it was silent */
    /* While it is silent; else 0: */
    int silent_lanes;
    double silent_speed;
};

struct book {
    const struct schedule_kind *schedule;
    uint32_t tile_count, done;
    uint32_t cursor;    /* no tile before it is open */
    uint32_t end;       /* none from it on is */
    const float *costs; /* [tile_count] iterations, falling; NULL: no forecast */
    uint64_t iterations;
    uint8_t *state;                 /* [tile_count] enum tile_state */
    struct account *account;        /* [workers] */
    struct schedule_worker *worker; /* [workers]; what the schedule sees */
    struct schedule view;
};

/* --- opening and closing ---------------------------------------------------------------------- */

static void list_tiles(struct book *book)
{
    uint32_t workers = book->view.workers, tile;
    for (uint32_t w = 0; w < workers; w++)
        for (uint32_t k = 0;
             (tile = book->schedule->at(k, w, workers, book->tile_count)) != book->tile_count;
             k++) {
            book->state[tile] = TILE_LISTED;
            book->account[w].listed++;
            book->worker[w].outstanding++;
            book->view.left--;
        }
}

enum status book_open(struct book **out, const struct schedule_kind *schedule, uint32_t tile_count,
                      uint32_t workers, const struct book_worker *introduced)
{
    struct book *book = *out = calloc(1, sizeof *book);
    size_t n = workers ? workers : 1;
    bool complete = book != NULL;
    if (complete) {
        book->state = calloc(tile_count ? tile_count : 1, 1);
        book->account = calloc(n, sizeof *book->account);
        book->worker = calloc(n, sizeof *book->worker);
        complete = book->state && book->account && book->worker;
    }
    for (uint32_t w = 0; complete && w < workers; w++) {
        const struct book_worker *in = &introduced[w];
        book->view.workers = w + 1;
        book->view.lanes += (uint64_t)in->lanes;
        book->worker[w] = (struct schedule_worker){
            .lanes = in->lanes, .credits = in->credits, .speed = in->speed};
        book->account[w] =
            (struct account){.lanes_at_first = in->lanes,
                             .speed_at_first = in->speed,
                             .held = calloc((size_t)in->credits, sizeof *book->account[w].held)};
        complete = book->account[w].held != NULL;
    }
    if (!complete)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to keep track of %u tiles", tile_count);
    book->schedule = schedule;
    book->tile_count = tile_count;
    book->end = book->view.left = tile_count;
    book->view.worker = book->worker;
    if (schedule->is_static)
        list_tiles(book);
    return STATUS_OK;
}

void book_close(struct book *book)
{
    if (!book)
        return;
    for (uint32_t w = 0; w < book->view.workers && book->account; w++)
        free(book->account[w].held);
    free(book->state);
    free(book->account);
    free(book->worker);
    free(book);
}

/* --- giving ----------------------------------------------------------------------------------- */

void book_forecast(struct book *book, const float *costs)
{
    book->costs = costs;
    for (uint32_t i = 0; i < book->tile_count; i++)
        if (book->state[i] == TILE_OPEN)
            book->view.left_iterations += costs[i];
    book->view.undone_iterations = book->view.left_iterations;
}

static void give(struct book *book, uint32_t worker, uint32_t tile, double now_s)
{
    struct account *account = &book->account[worker];
    account->held[account->held_count++] = (struct held){.tile = tile, .since_s = now_s};
    book->worker[worker].outstanding++;
}

/* The first tile that costs no more than `most`, open or not. */
static uint32_t first_within(const struct book *book, double most)
{
    uint32_t low = book->cursor, high = book->end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (book->costs[middle] > most)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The open tile that is to be `worker`'s; there is one. With a forecast the dearest that it may
 * have, or the cheapest of all. */
static uint32_t next_open(struct book *book, uint32_t worker)
{
    while (book->state[book->cursor] != TILE_OPEN)
        book->cursor++;
    while (book->state[book->end - 1] != TILE_OPEN)
        book->end--;
    double portion = book->costs ? schedule_dynamic.portion(&book->view, worker) : 1;
    if (portion >= 1)
        return book->cursor;
    uint32_t tile = first_within(book, portion * book->costs[book->cursor]);
    while (tile < book->end && book->state[tile] != TILE_OPEN)
        tile++;
    return tile < book->end ? tile : book->end - 1;
}

/* What the schedule is to know when `worker` and a tile are in question. */
static struct schedule view_of(const struct book *book, uint32_t worker, uint32_t tile)
{
    struct schedule view = book->view;
    const struct account *account = &book->account[worker];
    if (!book->costs)
        return view;
    view.tile_iterations = book->costs[tile];
    for (uint32_t i = 0; i < account->held_count; i++)
        view.held_iterations += book->costs[account->held[i].tile];
    return view;
}

static void open_or_not(struct book *book, uint32_t tile, bool open)
{
    double cost = book->costs ? book->costs[tile] : 0;
    book->state[tile] = open ? TILE_OPEN : TILE_GIVEN;
    book->view.left += open ? 1 : UINT32_MAX;
    book->view.left_iterations += open ? cost : -cost;
    if (open && tile < book->cursor)
        book->cursor = tile;
    if (open && tile >= book->end)
        book->end = tile + 1;
}

/* The tile that has been waited for longest among those that are worth computing again. */
static uint32_t next_backup(const struct book *book, uint32_t worker, double now_s)
{
    uint32_t best = book->tile_count;
    double best_s = 0;
    for (uint32_t holder = 0; holder < book->view.workers; holder++) {
        const struct account *account = &book->account[holder];
        for (uint32_t i = 0; i < account->held_count && holder != worker; i++) {
            const struct held *held = &account->held[i];
            struct schedule view = view_of(book, holder, held->tile);
            if (book->state[held->tile] == TILE_GIVEN && !held->freed &&
                (best == book->tile_count || held->since_s < best_s) &&
                book->schedule->backs_up(&view, worker, holder, now_s - held->since_s)) {
                best = held->tile;
                best_s = held->since_s;
            }
        }
    }
    return best;
}

uint32_t book_next(struct book *book, uint32_t worker, double now_s)
{
    uint32_t tile = book->tile_count;
    if (book->view.left > 0) {
        uint32_t open = next_open(book, worker);
        struct schedule view = view_of(book, worker, open);
        if (!schedule_dynamic.gives(&view, worker))
            return tile;
        tile = open;
        open_or_not(book, tile, false);
    } else if (book->schedule->backs_up) {
        tile = next_backup(book, worker, now_s);
        if (tile == book->tile_count)
            return tile;
        book->state[tile] = TILE_DOUBLED;
    }
    if (tile != book->tile_count)
        give(book, worker, tile, now_s);
    return tile;
}

/* --- taking back ------------------------------------------------------------------------------ */

enum had { HAD_NOT, HAD, HAD_FREED }; /* FREED: it is for others, too */

/* Strikes a tile off what a worker has. Of a list that was freed nobody keeps what is left. */
static enum had strike(struct book *book, uint32_t worker, uint32_t tile)
{
    struct account *account = &book->account[worker];
    uint32_t i = 0;
    while (i < account->held_count && account->held[i].tile != tile)
        i++;
    bool freed = i < account->held_count ? account->held[i].freed : account->freed;
    if (i < account->held_count) {
        account->held_count--;
        memmove(account->held + i, account->held + i + 1,
                (account->held_count - i) * sizeof *account->held);
    } else {
        if (account->listed == 0 || (book->state[tile] != TILE_LISTED && !freed))
            return HAD_NOT;
        account->listed--;
    }
    book->worker[worker].outstanding--;
    return freed ? HAD_FREED : HAD;
}

/* A worker that said nothing of its speed is judged by what it has done. */
static void measure(struct book *book, uint32_t worker, uint64_t iterations, double busy_s)
{
    struct account *account = &book->account[worker];
    account->iterations += iterations;
    account->busy_s += busy_s;
    if (account->speed_at_first <= 0 && account->busy_s > 0)
        book->worker[worker].speed =
            (double)account->iterations / account->busy_s * book->worker[worker].lanes;
}

enum book_news book_done(struct book *book, uint32_t worker, uint32_t tile, uint64_t iterations,
                         double busy_s)
{
    if (strike(book, worker, tile) == HAD_NOT)
        return BOOK_UNASKED;
    measure(book, worker, iterations, busy_s);
    if (book->state[tile] == TILE_DONE)
        return BOOK_AGAIN;
    if (book->state[tile] == TILE_OPEN) /* it was freed, and nobody has taken it */
        open_or_not(book, tile, false);
    book->state[tile] = TILE_DONE;
    book->done++;
    book->iterations += iterations;
    book->view.undone_iterations -= book->costs ? book->costs[tile] : 0;
    book->view.tile_iterations = (double)book->iterations / book->done;
    return BOOK_FIRST;
}

static void reopen(struct book *book, uint32_t tile)
{
    switch ((enum tile_state)book->state[tile]) {
    case TILE_DOUBLED:
        book->state[tile] = TILE_GIVEN;
        return;
    case TILE_LISTED:
    case TILE_GIVEN:
        open_or_not(book, tile, true);
        return;
    case TILE_OPEN:
    case TILE_DONE:
        return;
    }
}

/* All that a worker has is open for others. */
static void free_all(struct book *book, uint32_t worker)
{
    struct account *account = &book->account[worker];
    for (uint32_t i = 0; i < account->held_count; i++) {
        if (!account->held[i].freed)
            reopen(book, account->held[i].tile);
        account->held[i].freed = true;
    }
    uint32_t tile;
    for (uint32_t k = 0;
         account->listed && (tile = book->schedule->at(k, worker, book->view.workers,
                                                       book->tile_count)) != book->tile_count;
         k++)
        if (book->state[tile] == TILE_LISTED)
            reopen(book, tile);
    account->freed = true;
}

bool book_lost(struct book *book, uint32_t worker, uint32_t tile, int lanes_left)
{
    struct schedule_worker *seen = &book->worker[worker];
    struct account *account = &book->account[worker];
    bool silent = account->silent_lanes > 0;
    int *lanes = silent ? &account->silent_lanes : &seen->lanes;
    double *speed = silent ? &account->silent_speed : &seen->speed;
    if (lanes_left < 0 || lanes_left > *lanes)
        return false;
    enum had had = strike(book, worker, tile);
    if (had == HAD_NOT)
        return false;
    if (had == HAD)
        reopen(book, tile);
    *speed = *lanes ? *speed * lanes_left / *lanes : 0;
    if (!silent) /* else they were taken off when it fell silent */
        book->view.lanes -= (uint64_t)(*lanes - lanes_left);
    *lanes = lanes_left;
    if (lanes_left == 0)
        free_all(book, worker);
    return true;
}

void book_silent(struct book *book, uint32_t worker)
{
    struct schedule_worker *seen = &book->worker[worker];
    struct account *account = &book->account[worker];
    free_all(book, worker);
    account->silent_lanes = seen->lanes;
    account->silent_speed = seen->speed;
    book->view.lanes -= (uint64_t)seen->lanes;
    seen->lanes = 0;
    seen->speed = 0;
}

void book_answers(struct book *book, uint32_t worker)
{
    struct schedule_worker *seen = &book->worker[worker];
    struct account *account = &book->account[worker];
    seen->lanes += account->silent_lanes;
    seen->speed += account->silent_speed;
    book->view.lanes += (uint64_t)account->silent_lanes;
    account->silent_lanes = 0;
    account->silent_speed = 0;
}

/* --- questions -------------------------------------------------------------------------------- */

uint32_t book_undone(const struct book *book)
{
    return book->tile_count - book->done;
}

bool book_has_work(const struct book *book, uint32_t worker)
{
    return book->worker[worker].outstanding > 0;
}

uint64_t book_lanes(const struct book *book)
{
    return book->view.lanes;
}

uint64_t book_silent_lanes(const struct book *book)
{
    uint64_t lanes = 0;
    for (uint32_t w = 0; w < book->view.workers; w++)
        lanes += (uint64_t)book->account[w].silent_lanes;
    return lanes;
}
