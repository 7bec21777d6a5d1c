/* Which worker of a session has which task, and is its result still wanted? Rank 0's account, with
 * no communication in it. Private to session*.c. */
#ifndef DECOMPOSITION_SESSION_LEDGER_H
#define DECOMPOSITION_SESSION_LEDGER_H

#include "decomposition/session.h"

struct ledger;

enum ledger_news {
    LEDGER_WANTED,
    LEDGER_TWICE,  /* another worker has brought the same task home */
    LEDGER_UNKNOWN /* forgotten, home already, or never given */
};

/* `credits` [workers]: tasks that each may have. */
enum status ledger_open(struct ledger **ledger, int workers, const int *credits);
void ledger_close(struct ledger *ledger); /* accepts NULL */

int ledger_out(const struct ledger *ledger, int worker);

/* The number under which the worker has it from now on. There must be room. */
uint32_t ledger_give(struct ledger *ledger, int worker, const struct session_task *task);

/* The worker does not have it any more. `task` is filled in unless the number is unknown. */
enum ledger_news ledger_home(struct ledger *ledger, int worker, uint32_t number,
                             struct session_task *task);

/* The result of `task` is there: what others still have of it will be LEDGER_TWICE. */
void ledger_settle(struct ledger *ledger, const struct session_task *task);

/* Nothing that this worker has is wanted any more. */
void ledger_forget(struct ledger *ledger, int worker);

/* Takes a wanted task back from a worker that will not bring it home; false: it has none. */
bool ledger_reclaim(struct ledger *ledger, int worker, struct session_task *task);

#endif
