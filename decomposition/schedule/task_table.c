#include "decomposition/schedule/task_table.h"

#include <stdlib.h>
#include <string.h>

enum task_state { OPEN, LISTED, GIVEN, DOUBLED, DONE };

struct held { /* a task given to a worker */
    uint32_t task;
    bool freed; /* for others: the worker was silent */
    double since_s;
};

struct account { /* what rank 0 knows of a worker */
    double speed_at_first;
    uint64_t iterations;
    double busy_s;
    struct held *held; /* [held_most] */
    uint32_t held_count, held_most;
    uint32_t listed; /* tasks of its own list that are not done */
    bool freed;      /* its list is for others, since it was silent */
    /* While it is silent; else 0: */
    int silent_threads;
    double silent_speed;
};

struct task_table {
    const struct schedule_kind *schedule;
    uint32_t task_count, done, room;
    uint32_t lists;     /* workers that a static schedule deals to: the first ones */
    uint32_t cursor;    /* no task before it is open */
    uint32_t end;       /* none from it on is */
    const float *costs; /* [task_count] iterations, falling; NULL: no forecast */
    uint64_t iterations;
    uint8_t *state;                 /* [room] enum task_state */
    struct account *account;        /* [workers] */
    struct schedule_worker *worker; /* [workers]; what the schedule sees */
    struct schedule view;
};

/* --- opening and closing ---------------------------------------------------------------------- */

static void list_tasks(struct task_table *table)
{
    uint32_t workers = table->lists, task;
    for (uint32_t w = 0; w < workers; w++)
        for (uint32_t k = 0;
             (task = table->schedule->at(k, w, workers, table->task_count)) != table->task_count;
             k++) {
            table->state[task] = LISTED;
            table->account[w].listed++;
            table->worker[w].outstanding++;
            table->view.left--;
        }
}

enum status table_open(struct task_table **out, const struct schedule_kind *schedule,
                       uint32_t task_count, uint32_t workers, const struct table_worker *introduced)
{
    struct task_table *table = calloc(1, sizeof *table);
    size_t n = workers ? workers : 1;
    bool complete = table != NULL;
    if (complete) {
        table->room = task_count ? task_count : 64;
        table->state = calloc(table->room, 1);
        table->account = calloc(n, sizeof *table->account);
        table->worker = calloc(n, sizeof *table->worker);
        complete = table->state && table->account && table->worker;
    }
    for (uint32_t w = 0; complete && w < workers; w++) {
        const struct table_worker *in = &introduced[w];
        table->view.workers = w + 1;
        table->view.threads += (uint64_t)in->threads;
        table->worker[w] = (struct schedule_worker){
            .threads = in->threads, .credits = in->credits, .speed = in->speed};
        table->account[w] =
            (struct account){.speed_at_first = in->speed,
                             .held_most = (uint32_t)in->credits,
                             .held = calloc((size_t)in->credits, sizeof *table->account[w].held)};
        complete = table->account[w].held != NULL;
    }
    *out = complete ? table : NULL;
    if (!complete) {
        table_close(table);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to keep track of %u tasks", task_count);
    }
    table->schedule = schedule;
    table->lists = workers;
    table->task_count = task_count;
    table->end = table->view.left = task_count;
    table->view.worker = table->worker;
    if (schedule && schedule->is_static)
        list_tasks(table);
    return STATUS_OK;
}

void table_close(struct task_table *table)
{
    if (!table)
        return;
    for (uint32_t w = 0; w < table->view.workers && table->account; w++)
        free(table->account[w].held);
    free(table->state);
    free(table->account);
    free(table->worker);
    free(table);
}

/* --- workers that come and leave -------------------------------------------------------------- */

enum status table_extend(struct task_table *table, uint32_t more, int credits)
{
    uint32_t before = table->view.workers, all = before + more;
    struct account *account = realloc(table->account, all * sizeof *account);
    table->account = account ? account : table->account;
    struct schedule_worker *worker = account ? realloc(table->worker, all * sizeof *worker) : NULL;
    table->view.worker = table->worker = worker ? worker : table->worker;
    for (uint32_t w = before; worker && w < all; w++) {
        worker[w] = (struct schedule_worker){.threads = 0};
        account[w] = (struct account){.held = calloc((size_t)credits, sizeof *account[w].held),
                                      .held_most = (uint32_t)credits};
        if (!account[w].held)
            break;
        table->view.workers = w + 1;
    }
    return table->view.workers == all
               ? STATUS_OK
               : status_fail(STATUS_OUT_OF_MEMORY, "no memory for %u workers", all);
}

void table_come(struct task_table *table, uint32_t worker, int threads, int credits)
{
    struct schedule_worker *seen = &table->worker[worker];
    struct account *account = &table->account[worker];
    account->iterations = 0;
    account->busy_s = 0;
    account->freed = false;
    seen->threads = threads;
    seen->credits = credits;
    seen->speed = 0;
    table->view.threads += (uint64_t)threads;
}

void table_leave(struct task_table *table, uint32_t worker)
{
    struct schedule_worker *seen = &table->worker[worker];
    struct account *account = &table->account[worker];
    table->view.threads -= (uint64_t)seen->threads;
    seen->threads = account->silent_threads = 0;
    seen->speed = account->silent_speed = 0;
}

/* --- giving ----------------------------------------------------------------------------------- */

void table_forecast(struct task_table *table, const float *costs)
{
    table->costs = costs;
    for (uint32_t i = 0; i < table->task_count; i++)
        if (table->state[i] == OPEN)
            table->view.left_iterations += costs[i];
    table->view.undone_iterations = table->view.left_iterations;
}

static void table_give(struct task_table *table, uint32_t worker, uint32_t task, double now_s)
{
    struct account *account = &table->account[worker];
    account->held[account->held_count++] = (struct held){.task = task, .since_s = now_s};
    table->worker[worker].outstanding++;
}

/* The first task that costs no more than `most`, open or not. */
static uint32_t first_within(const struct task_table *table, double most)
{
    uint32_t low = table->cursor, high = table->end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (table->costs[middle] > most)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The open task that is to be `worker`'s; there is one. With a forecast the dearest that it may
 * have, or the cheapest of all. */
static uint32_t next_open(struct task_table *table, uint32_t worker)
{
    while (table->state[table->cursor] != OPEN)
        table->cursor++;
    while (table->state[table->end - 1] != OPEN)
        table->end--;
    double portion = table->costs ? schedule_dynamic.portion(&table->view, worker) : 1;
    if (portion >= 1)
        return table->cursor;
    uint32_t task = first_within(table, portion * table->costs[table->cursor]);
    while (task < table->end && table->state[task] != OPEN)
        task++;
    return task < table->end ? task : table->end - 1;
}

/* What the schedule is to know when `worker` and a task are in question. */
static struct schedule view_of(const struct task_table *table, uint32_t worker, uint32_t task)
{
    struct schedule view = table->view;
    const struct account *account = &table->account[worker];
    if (!table->costs)
        return view;
    view.tile_iterations = table->costs[task];
    for (uint32_t i = 0; i < account->held_count; i++)
        view.held_iterations += table->costs[account->held[i].task];
    return view;
}

static void open_or_not(struct task_table *table, uint32_t task, bool open)
{
    double cost = table->costs ? table->costs[task] : 0;
    table->state[task] = open ? OPEN : GIVEN;
    table->view.left += open ? 1 : UINT32_MAX;
    table->view.left_iterations += open ? cost : -cost;
    if (open && task < table->cursor)
        table->cursor = task;
    if (open && task >= table->end)
        table->end = task + 1;
}

/* The task that has been waited for longest among those that are worth computing again. */
static uint32_t next_backup(const struct task_table *table, uint32_t worker, double now_s)
{
    uint32_t best = table->task_count;
    double best_s = 0;
    for (uint32_t holder = 0; holder < table->view.workers; holder++) {
        const struct account *account = &table->account[holder];
        for (uint32_t i = 0; i < account->held_count && holder != worker; i++) {
            const struct held *held = &account->held[i];
            struct schedule view = view_of(table, holder, held->task);
            if (table->state[held->task] == GIVEN && !held->freed &&
                (best == table->task_count || held->since_s < best_s) &&
                table->schedule->backs_up(&view, worker, holder, now_s - held->since_s)) {
                best = held->task;
                best_s = held->since_s;
            }
        }
    }
    return best;
}

uint32_t table_next(struct task_table *table, uint32_t worker, double now_s)
{
    uint32_t task = table->task_count;
    if (table->account[worker].held_count == table->account[worker].held_most)
        return task; /* it has more threads than credits */
    if (table->view.left > 0) {
        uint32_t open = next_open(table, worker);
        struct schedule view = view_of(table, worker, open);
        if (!schedule_dynamic.gives(&view, worker))
            return task;
        task = open;
        open_or_not(table, task, false);
    } else if (table->schedule->backs_up) {
        task = next_backup(table, worker, now_s);
        if (task == table->task_count)
            return task;
        table->state[task] = DOUBLED;
    }
    if (task != table->task_count)
        table_give(table, worker, task, now_s);
    return task;
}

enum status table_add(struct task_table *table, uint32_t *task)
{
    if (table->task_count == table->room) {
        uint8_t *state = realloc(table->state, 2 * (size_t)table->room);
        if (!state)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory to keep track of %u tasks",
                               2 * table->room);
        table->state = state;
        table->room *= 2;
    }
    *task = table->task_count++;
    table->state[*task] = OPEN;
    table->end = table->task_count;
    table->view.left++;
    return STATUS_OK;
}

void table_assign(struct task_table *table, uint32_t worker, uint32_t task, double now_s)
{
    if (table->state[task] == OPEN)
        open_or_not(table, task, false);
    else
        table->state[task] = DOUBLED;
    table_give(table, worker, task, now_s);
}

void table_forget(struct task_table *table)
{
    table->task_count = table->done = table->cursor = table->end = table->view.left = 0;
    for (uint32_t w = 0; w < table->view.workers; w++)
        table->account[w].held_count = table->worker[w].outstanding = 0;
}

/* --- taking back ------------------------------------------------------------------------------ */

enum had { HAD_NOT, HAD, HAD_FREED }; /* FREED: it is for others, too */

/* Strikes a task off what a worker has. Of a list that was freed nobody keeps what is left. */
static enum had strike(struct task_table *table, uint32_t worker, uint32_t task)
{
    struct account *account = &table->account[worker];
    uint32_t i = 0;
    while (i < account->held_count && account->held[i].task != task)
        i++;
    bool freed = i < account->held_count ? account->held[i].freed : account->freed;
    if (i < account->held_count) {
        account->held_count--;
        memmove(account->held + i, account->held + i + 1,
                (account->held_count - i) * sizeof *account->held);
    } else {
        if (account->listed == 0 || (table->state[task] != LISTED && !freed))
            return HAD_NOT;
        account->listed--;
    }
    table->worker[worker].outstanding--;
    return freed ? HAD_FREED : HAD;
}

/* A worker that said nothing of its speed is judged by what it has done. */
static void measure(struct task_table *table, uint32_t worker, uint64_t iterations, double busy_s)
{
    struct account *account = &table->account[worker];
    account->iterations += iterations;
    account->busy_s += busy_s;
    if (account->speed_at_first <= 0 && account->busy_s > 0)
        table->worker[worker].speed =
            (double)account->iterations / account->busy_s * table->worker[worker].threads;
}

enum table_outcome table_done(struct task_table *table, uint32_t worker, uint32_t task,
                              uint64_t iterations, double busy_s)
{
    if (strike(table, worker, task) == HAD_NOT)
        return TABLE_UNASKED;
    measure(table, worker, iterations, busy_s);
    if (table->state[task] == DONE)
        return TABLE_AGAIN;
    if (table->state[task] == OPEN) /* it was freed, and nobody has taken it */
        open_or_not(table, task, false);
    table->state[task] = DONE;
    table->done++;
    table->iterations += iterations;
    table->view.undone_iterations -= table->costs ? table->costs[task] : 0;
    table->view.tile_iterations = (double)table->iterations / table->done;
    return TABLE_FIRST;
}

static void reopen(struct task_table *table, uint32_t task)
{
    switch ((enum task_state)table->state[task]) {
    case DOUBLED:
        table->state[task] = GIVEN;
        return;
    case LISTED:
    case GIVEN:
        open_or_not(table, task, true);
        return;
    case OPEN:
    case DONE:
        return;
    }
}

enum table_outcome table_failed(struct task_table *table, uint32_t worker, uint32_t task)
{
    enum had had = strike(table, worker, task);
    if (had == HAD_NOT)
        return TABLE_UNASKED;
    if (table->state[task] == DONE)
        return TABLE_AGAIN;
    if (had == HAD)
        reopen(table, task);
    return TABLE_FIRST;
}

bool table_take_back(struct task_table *table, uint32_t worker, uint32_t *task)
{
    const struct account *account = table ? &table->account[worker] : NULL;
    while (account && account->held_count > 0) {
        *task = account->held[0].task;
        if (table_failed(table, worker, *task) == TABLE_FIRST)
            return true;
    }
    return false;
}

/* All that a worker has is open for others. */
static void free_all(struct task_table *table, uint32_t worker)
{
    struct account *account = &table->account[worker];
    for (uint32_t i = 0; i < account->held_count; i++) {
        if (!account->held[i].freed)
            reopen(table, account->held[i].task);
        account->held[i].freed = true;
    }
    uint32_t task;
    for (uint32_t k = 0; account->listed &&
                         (task = table->schedule->at(k, worker, table->lists, table->task_count)) !=
                             table->task_count;
         k++)
        if (table->state[task] == LISTED)
            reopen(table, task);
    account->freed = true;
}

bool table_lost(struct task_table *table, uint32_t worker, uint32_t task, int threads_left)
{
    struct schedule_worker *seen = &table->worker[worker];
    struct account *account = &table->account[worker];
    bool silent = account->silent_threads > 0;
    int *threads = silent ? &account->silent_threads : &seen->threads;
    double *speed = silent ? &account->silent_speed : &seen->speed;
    if (threads_left < 0 || threads_left > *threads)
        return false;
    enum had had = strike(table, worker, task);
    if (had == HAD_NOT)
        return false;
    if (had == HAD)
        reopen(table, task);
    *speed = *threads ? *speed * threads_left / *threads : 0;
    if (!silent) /* else they were taken off when it fell silent */
        table->view.threads -= (uint64_t)(*threads - threads_left);
    *threads = threads_left;
    if (threads_left == 0)
        free_all(table, worker);
    return true;
}

void table_silent(struct task_table *table, uint32_t worker)
{
    struct schedule_worker *seen = &table->worker[worker];
    struct account *account = &table->account[worker];
    free_all(table, worker);
    account->silent_threads = seen->threads;
    account->silent_speed = seen->speed;
    table->view.threads -= (uint64_t)seen->threads;
    seen->threads = 0;
    seen->speed = 0;
}

void table_answers(struct task_table *table, uint32_t worker)
{
    struct schedule_worker *seen = &table->worker[worker];
    struct account *account = &table->account[worker];
    seen->threads += account->silent_threads;
    seen->speed += account->silent_speed;
    table->view.threads += (uint64_t)account->silent_threads;
    account->silent_threads = 0;
    account->silent_speed = 0;
}

/* --- questions -------------------------------------------------------------------------------- */

uint32_t table_undone(const struct task_table *table)
{
    return table->task_count - table->done;
}

uint32_t table_held(const struct task_table *table, uint32_t worker)
{
    return table ? table->worker[worker].outstanding : 0;
}

uint32_t table_held_task(const struct task_table *table, uint32_t worker, uint32_t k)
{
    return table->account[worker].held[k].task;
}

bool table_is_done(const struct task_table *table, uint32_t task)
{
    return table->state[task] == DONE;
}

uint64_t table_threads(const struct task_table *table)
{
    return table ? table->view.threads : 0;
}

uint64_t table_silent_threads(const struct task_table *table)
{
    uint64_t threads = 0;
    for (uint32_t w = 0; w < table->view.workers; w++)
        threads += (uint64_t)table->account[w].silent_threads;
    return threads;
}
