/* What a picture would take, from samples: windows of it are computed as the picture would be, by
 * all ranks, at the places of an even sequence, until they have taken their time or a small part of
 * what the picture will. Their files are made in memory, of the same pixels. */
#ifndef RENDER_PICTURE_ESTIMATE_H
#define RENDER_PICTURE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/status.h"
#include "render/picture/estimate_windows.h"
#include "render/reference/reference.h"

struct picture;
struct picture_consumer;
struct picture_hooks;
struct plan;
struct renderer;
struct sink_request;

/* Watch of a reference orbit that an estimate waits for, given up when it takes too long. */
struct estimate_watch {
    const volatile int *asked; /* the caller's request to stop; may be NULL */
    double budget_s;
    volatile int stop;              /* for reference_hooks, whose progress is estimate_watch */
    struct reference_progress last; /* last progress; zeroed at first */
};
void estimate_watch(void *context, const struct reference_progress *progress);

/* Returns whether the orbit was given up, which it notes in the estimate. */
bool estimate_is_cut(struct estimate *estimate, const struct estimate_watch *watch);

#define ESTIMATE_BUDGET_S 1. /* for the reference orbit of a dry run, and as much for pixels */

/* Estimates. Rank 0 calls it, the others picture_render without a picture. The look and the stop of
 * `hooks` are taken. A view whose reference takes too long is no failure. */
enum status estimate_make(struct estimate *estimate, struct renderer *renderer,
                          const struct picture *picture, const struct picture_hooks *hooks,
                          const struct plan *plan);

/* How long these files of the picture take, made of the windows; after estimate_make. `writers`:
 * ranks that write, 0 for rank 0 alone. STATUS_OUT_OF_MEMORY. */
enum status estimate_files(struct estimate *estimate, const struct sink_request *requests,
                           size_t count, int writers);

void estimate_close(struct estimate *estimate);

/* The least and the most seconds that are likely, of all together. */
void estimate_range(const struct estimate *estimate, double *least_s, double *most_s);

#endif
