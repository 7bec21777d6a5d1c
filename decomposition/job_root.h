/* What does rank 0 know in the middle of a job? Private to job_root.c (the course of a job) and
 * job_deal.c (tiles that go out and come home, lanes that are lost). */
#ifndef DECOMPOSITION_JOB_ROOT_H
#define DECOMPOSITION_JOB_ROOT_H

#include "decomposition/book.h"
#include "decomposition/job_parts.h"
#include "decomposition/pixels.h"
#include "decomposition/presence.h"

struct root {
    struct world *world;
    const struct job *job;
    struct worker *own;    /* this rank as a worker; NULL if it does not compute */
    struct inbox *inbox;   /* NULL in a world of one rank, as the next */
    struct pixels *pixels; /* those of the other ranks */
    uint64_t left;         /* pieces of them that are announced and not here */
    uint32_t kept;         /* tiles that are done and not here */
    struct book *book;     /* who has what; NULL until the workers are known */
    uint32_t workers;
    int *rank_of;       /* [workers] */
    int32_t *worker_of; /* [world size]; -1: does not compute */
    bool *gone;         /* [world size]: has said BYE */
    bool *silent;       /* [world size]: does not answer, and the book knows */
    bool ended;         /* they have been told */
    bool broken;        /* MPI itself failed: nobody can be waited for */
    enum status verdict;
    char text[STATUS_TEXT_BYTES];
    struct job_progress progress;
    double start_s, next_progress_s, next_feed_s;
    double end_s; /* of the job, or when something last came after it */
    struct patience patience;
    struct job_report *report;
    char lost_host[WORLD_HOST_BYTES]; /* of the first lane lost */
};

/* Gives every worker what it is to be given now. */
enum status root_give_all(struct root *root);

/* The same, but not more often than is of use: who was refused a tile may be given one later,
 * because others turn out to be slow. */
enum status root_give_again(struct root *root);

/* Has this rank fallen silent, or does it answer again? Then the book is told, and the caller. */
enum status root_judge(struct root *root, int rank);

/* A tile was announced. */
enum status root_take_tile(struct root *root, const struct arrival *arrival);

/* A rank > 0 has lost a lane. */
enum status root_take_loss(struct root *root, const struct arrival *arrival);

/* pixels_arrived; context: struct root. */
enum status root_take_pixels(void *context, int rank, const struct message *message, bool wanted,
                             const struct field *apart);

#endif
