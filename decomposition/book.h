/* Who has which tile? Rank 0's account of one job.
 *
 * Pure: no communication, no clock (the caller says what time it is), so that tests can play whole
 * jobs in virtual time. A tile is open (nobody has it), listed (in the list of a worker under a
 * static schedule), given to one worker or to two, or done. Tiles that are given back become open
 * again and are dealt out by schedule `dynamic`, whatever the schedule was. Private to
 * decomposition/, but for `deepfield bench schedule`, which plays jobs over it too. */
#ifndef DECOMPOSITION_BOOK_H
#define DECOMPOSITION_BOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/schedule.h"

struct book;

struct book_worker { /* as a worker introduces itself */
    int lanes;       /* >= 1 */
    int credits;     /* >= lanes */
    double speed;    /* iterations per second; 0 = not known: then what it has shown so far */
};

enum status book_open(struct book **book, const struct schedule_kind *schedule, uint32_t tile_count,
                      uint32_t workers, const struct book_worker *introduced);
void book_close(struct book *book); /* accepts NULL */

/* What every tile will cost, iterations, falling: the list is longest-first. Borrowed until the
 * book is closed; before the first book_next. A much slower worker then gets a tile that takes it
 * as long as the dearest one left takes the fastest. */
void book_forecast(struct book *book, const float *costs);

/* The tile that `worker` is to be given now, or tile_count: none now. */
uint32_t book_next(struct book *book, uint32_t worker, double now_s);

/* A worker says that a tile is done. BOOK_UNASKED: it did not have it. */
enum book_news { BOOK_FIRST, BOOK_AGAIN, BOOK_UNASKED };
enum book_news book_done(struct book *book, uint32_t worker, uint32_t tile, uint64_t iterations,
                         double busy_s);

/* A lane of a worker died over a tile: it is open again. With lanes_left = 0 so is everything else
 * that the worker had, though what it has sent may still arrive. False: it did not have that tile.
 */
bool book_lost(struct book *book, uint32_t worker, uint32_t tile, int lanes_left);

/* A worker does not answer: what it has is open for others, and it gets nothing more. It may still
 * bring what it had. */
void book_silent(struct book *book, uint32_t worker);

/* It answers again. */
void book_answers(struct book *book, uint32_t worker);

uint32_t book_undone(const struct book *book);
bool book_has_work(const struct book *book, uint32_t worker); /* is anything outstanding there? */
uint64_t book_lanes(const struct book *book);        /* alive, of the workers that answer, */
uint64_t book_silent_lanes(const struct book *book); /* and of those that do not */

#endif
