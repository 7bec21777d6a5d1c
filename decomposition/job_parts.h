/* What do the two sides of a job have in common? Private to job*.c.
 *
 * The worker side is a rank's lanes and the sending end of its road; every computing rank has one,
 * rank 0 too (its road is then `local`). A rank > 0 without lanes has one as well, which only waits
 * for the end. The root side is rank 0's: it keeps the book of who has what. */
#ifndef DECOMPOSITION_JOB_PARTS_H
#define DECOMPOSITION_JOB_PARTS_H

#include "decomposition/inbox.h"
#include "decomposition/job.h"
#include "decomposition/lane.h"
#include "decomposition/message.h"
#include "decomposition/world_comm.h"

struct failure_note {   /* payload of MESSAGE_FAIL and MESSAGE_LOST */
    int32_t lanes_left; /* LOST: on that rank */
    char host[WORLD_HOST_BYTES];
    char text[STATUS_TEXT_BYTES];
};

struct root;

struct worker {
    struct world *world;
    const struct job *job;
    struct root *root;        /* on rank 0; else NULL */
    uint32_t number, workers; /* among the workers; not the rank */
    struct lanes *threads;    /* of the lanes; its own or job.threads */
    struct lanes *lanes;      /* in this job; NULL on a rank that does not compute */
    struct transport_site site;
    const struct transport_kind *road;
    void *end;       /* of the road; may be half open */
    uint32_t listed; /* static schedule: tiles of its own list that are begun */
    uint32_t *given; /* [credits]: tiles given by rank 0 and not begun, in order */
    uint32_t given_count;
    struct inbox *inbox; /* commands; NULL on rank 0 */
    struct job_rank tally;
    double start_s;
};

/* Opens lanes, road and (rank > 0) inbox of this rank. A worker that failed to open is to be closed
 * all the same. */
enum status worker_open(struct worker *worker);
void worker_close(struct worker *worker);

/* Gives it a tile. At most job.credits at a time. */
void worker_give(struct worker *worker, uint32_t tile);

/* Begins what can be begun and sends off what is finished. Does not wait. *moved is set to true if
 * anything happened. The first failure of compute, or of sending, is returned. */
enum status worker_step(struct worker *worker, bool *moved);

/* Nothing is wanted any more: tells compute, and forgets what has not begun. */
void worker_give_up(struct worker *worker);

/* Is nothing being computed? Takes finished tasks and throws them away. */
bool worker_idle(struct worker *worker);

/* Sleeps until a tile is finished, but at most so long; 0 lets others have the core. */
void worker_wait(struct worker *worker, unsigned microseconds);

/* The tally with its times filled in. */
struct job_rank worker_tally(const struct worker *worker);

/* Has somebody on this rank asked to stop? Then the status to fail with. */
enum status job_stopped(const struct job *job);

/* A rank > 0: works until rank 0 ends the job. Fails only when rank 0 cannot be told. */
enum status worker_run(struct worker *worker);

/* Rank 0: runs the job with the workers that world->record speaks of. `own` is its worker side or
 * NULL. */
enum status root_open(struct root **root, struct world *world, const struct job *job,
                      struct worker *own, struct job_report *report);
enum status root_run(struct root *root);
void root_close(struct root *root); /* accepts NULL and half open */

/* Is every tile done? Then no failure of another try at one matters, though pixels may wait for the
 * end. */
bool root_complete(const struct root *root);

/* Rank 0's own tiles arrive here (transport_site.home of its worker); context: struct root. */
enum status root_own_tile(void *context, const struct message *message);

/* And what its own lanes have lost. */
enum status root_own_loss(struct root *root, uint32_t tile, int lanes_left, const char *text);

#endif
