#include "decomposition/session_ledger.h"

#include <assert.h>
#include <stdlib.h>

struct entry {
    enum { FREE, OUT, SETTLED } is; /* SETTLED: on its way, but home already by another */
    uint32_t number;
    struct session_task task;
};

struct ledger {
    int workers;
    uint32_t next;
    int *first; /* [workers + 1]: of a worker's entries */
    struct entry *entry;
};

enum status ledger_open(struct ledger **out, int workers, const int *credits)
{
    struct ledger *ledger = *out = calloc(1, sizeof *ledger);
    if (ledger)
        ledger->first = calloc((size_t)workers + 1, sizeof *ledger->first);
    if (!ledger || !ledger->first)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %d workers", workers);
    ledger->workers = workers;
    for (int i = 0; i < workers; i++)
        ledger->first[i + 1] = ledger->first[i] + credits[i];
    ledger->entry = calloc((size_t)ledger->first[workers] + 1, sizeof *ledger->entry);
    if (!ledger->entry)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %d tasks",
                           ledger->first[workers]);
    return STATUS_OK;
}

void ledger_close(struct ledger *ledger)
{
    if (!ledger)
        return;
    free(ledger->entry);
    free(ledger->first);
    free(ledger);
}

static struct entry *begin(const struct ledger *ledger, int worker)
{
    return &ledger->entry[ledger->first[worker]];
}

static struct entry *end(const struct ledger *ledger, int worker)
{
    return &ledger->entry[ledger->first[worker + 1]];
}

int ledger_out(const struct ledger *ledger, int worker)
{
    int out = 0;
    for (const struct entry *e = begin(ledger, worker); e < end(ledger, worker); e++)
        out += e->is != FREE;
    return out;
}

uint32_t ledger_give(struct ledger *ledger, int worker, const struct session_task *task)
{
    struct entry *e = begin(ledger, worker);
    while (e < end(ledger, worker) && e->is != FREE)
        e++;
    assert(e < end(ledger, worker));
    *e = (struct entry){.is = OUT, .number = ledger->next++, .task = *task};
    return e->number;
}

enum ledger_news ledger_home(struct ledger *ledger, int worker, uint32_t number,
                             struct session_task *task)
{
    for (struct entry *e = begin(ledger, worker); e < end(ledger, worker); e++) {
        if (e->is == FREE || e->number != number)
            continue;
        enum ledger_news news = e->is == OUT ? LEDGER_WANTED : LEDGER_TWICE;
        *task = e->task;
        e->is = FREE;
        return news;
    }
    return LEDGER_UNKNOWN;
}

void ledger_settle(struct ledger *ledger, const struct session_task *task)
{
    for (struct entry *e = ledger->entry; e < end(ledger, ledger->workers - 1); e++)
        if (e->is == OUT && e->task.epoch == task->epoch && e->task.id == task->id)
            e->is = SETTLED;
}

void ledger_forget(struct ledger *ledger, int worker)
{
    for (struct entry *e = begin(ledger, worker); e < end(ledger, worker); e++)
        e->is = FREE;
}

bool ledger_reclaim(struct ledger *ledger, int worker, struct session_task *task)
{
    for (struct entry *e = begin(ledger, worker); e < end(ledger, worker); e++) {
        bool wanted = e->is == OUT;
        e->is = FREE;
        *task = e->task;
        if (wanted)
            return true;
    }
    return false;
}
