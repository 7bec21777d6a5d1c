/* What do the tests of pools share? Rank 0 plays a test; the other ranks serve, and do what the
 * first bytes of a task or a context tell them. */
#ifndef TESTS_DECOMPOSITION_MPI_POOL_H
#define TESTS_DECOMPOSITION_MPI_POOL_H

#include "decomposition/pool/pool.h"
#include "decomposition/thread/clock.h"
#include "decomposition/world/world_comm.h"
#include "mpi_check.h"

enum deed {
    PLAIN,     /* for microseconds, or until it is given up */
    DEAF,      /* for microseconds, whatever is wanted */
    ENDLESS,   /* until it is given up */
    FAILING,   /* STATUS_IO */
    LOSING,    /* STATUS_DEVICE_LOST; with microseconds only when it is given up */
    SILENT,    /* as DEAF, and this rank's messages wait as long */
    MEASURING, /* contexts: note the looks for messages */
    WAKING     /* contexts: note how long after `microseconds`, of the clock, they are begun */
};

struct words { /* at the beginning of a task, and of a context */
    uint32_t deed, microseconds;
};

/* How the ranks open the pool of the next play. */
extern struct play {
    bool root_works;
    int threads, credits;
    double patience_s;
    bool apart;      /* rank 0 has no memory to share */
    bool last_idles; /* the last rank does not compute */
} play;

extern struct pool *pool;

enum { WAKINGS = 21 };

/* What this rank has seen since the pool was opened; of other ranks after the play, on rank 0.
 */
struct seen {
    int contexts; /* begun */
    int contexts_given_up;
    int computes;     /* begun */
    int wrong;        /* computes of another context than the prepared one, or beside a context */
    int most_at_once; /* computes */
    int looks;        /* for messages, since the last context that was MEASURING */
    int idle_looks;   /* between two such contexts */
    double idle_s;    /* the time between them */
    double deaf_until_s; /* when the last deaf task ended, on the clock */
    int wakings;
    double waking_s[WAKINGS];
};
extern struct seen seen[64];

/* Collective: opens, has rank 0 play, closes; the status is pool_close's. */
enum status perform(void (*scenario)(void));
extern double closed_s; /* when pool_close came back, on the clock */

/* --- for scenarios ---------------------------------------------------------------------------- */

extern uint64_t present; /* the context shown last */

/* The next context, of so many bytes, at least sizeof(struct words). */
void show(enum deed deed, uint32_t microseconds, size_t bytes);

void give(int worker, uint64_t id, size_t bytes, enum deed deed, uint32_t microseconds);

/* Takes news for at most so long; false: there was none. A result of a task that did not fail is
 * checked, whole, to be of the present context. */
bool next(struct pool_result *result, double within_s);

/* The same, but waits once at most, for whatever pool_wait ends by. */
bool step(struct pool_result *result, double within_s);

/* Waits until every live worker is ready; expects that there is no news meanwhile. */
void wait_until_ready(void);

/* Waits until there is word from this worker, which has been silent for some time before; expects
 * that there is no news meanwhile. */
bool heard_again(int worker, double within_s);

int contexts_begun(void); /* by rank 0 itself */
int worker_of_rank(int rank);
int last_worker(void);
void nap(double seconds);

/* --- damage ----------------------------------------------------------------------------------- */

/* Until settle(): messages of this kind (-1: none) get the byte at `damage_at` flipped, counted
 * from the header; or the bytes of contexts. */
extern int damage_kind;
extern size_t damage_at;
extern bool damage_context;

/* Until settle(): rank 1 has no memory for a context of more than a MiB; rank 0's MPI fails. */
extern bool scarce, broken;

#endif
