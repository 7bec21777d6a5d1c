/* Several ranks that write one picture: each computes strips of its own, from the first sample to
 * the bytes of the files, and puts them where they belong.
 *
 * The ranks that compute take the next strips in turn. What a strip becomes is the same anywhere
 * (sink_part_make), so the files are byte for byte those that rank 0 writes alone. In every round
 * the ranks tell one another how long their parts are, and so know where to put them; rank 0 does
 * what stands around the rows, keeps the journal, and computes only if it does anyway. No pixel
 * goes through rank 0's link or its processor.
 *
 * The files grow in the journal's folder, which all ranks must see. A failure anywhere, a full disk
 * or a lost rank, ends the picture; the journal is that of a run in which rank 0 wrote alone, so
 * any number of ranks may go on with it. It has rows of whole rounds, and no tiles of a strip. */
#ifndef RENDER_PICTURE_WRITERS_H
#define RENDER_PICTURE_WRITERS_H

#include "render/colour/colour.h"
#include "render/picture/picture.h"

enum { WRITERS_FILES_MOST = 8 };

struct writers_done { /* report of one rank about one strip */
    struct job_rank rank;
    uint64_t pixels; /* pixels of all samples */
    uint64_t interior;
    double samples; /* samples of a pixel, times the rows */
    int32_t rows;   /* rows of the strip; 0: it had none */
    int32_t threads_lost;
    char lost[160]; /* reason why the first thread was lost */
};

struct writers { /* first members: the same on all ranks */
    struct world *world;
    struct field shape; /* shape of the picture, without memory */
    int32_t strip_rows, rows_before;
    int count; /* ranks that write, in the order of the ranks */
    /* Members of each rank: */
    int number;               /* number among the ranks that write; -1: it does not */
    int threads;              /* threads that make bytes */
    const volatile int *stop; /* may be NULL */
    void *context;
    /* Computes the strip that begins in row y in a world of this process, and hands it to the
     * consumer; makes no call of MPI. */
    enum status (*strip)(void *context, int32_t y, const struct look *look,
                         const struct picture_consumer *consumer, struct writers_done *done);
    /* Members of rank 0: */
    const struct look *look;
    const struct picture_consumer *consumer; /* receiver, whose parts are used */
    /* A rank has done a strip; the picture has rows up to `y`. */
    void *told_context;
    void (*told)(void *told_context, int rank, const struct writers_done *done, int32_t y);
};

struct writing;

/* Opens the files, and finds out whether all ranks that write see them; STATUS_CANNOT_CREATE with
 * the rank that does not. Collective; every rank returns the same status. *writing is to be closed
 * also after a failure; what it points to is borrowed. */
enum status writers_open(struct writing **writing, const struct writers *writers);

/* All rows. Collective; every rank returns the same status, but for rank 0 when the world is lost.
 */
enum status writers_run(struct writing *writing);

void writers_close(struct writing *writing); /* accepts NULL */

#endif
