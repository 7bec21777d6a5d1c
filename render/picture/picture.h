/* One picture: its hooks and consumer while it is computed, and its report in the end.
 * picture.c is its story, from the message to the ranks to the last row. */
#ifndef RENDER_PICTURE_PICTURE_H
#define RENDER_PICTURE_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/pool/job.h"
#include "kernels/field.h"
#include "render/view/description.h"
#include "render/plan/plan.h"
#include "render/reference/picture_orbit.h"
#include "render/reference/reference.h"
#include "render/colour/samples.h"
#include "render/picture/sampling.h"
#include "render/device/renderer.h"
#include "render/view/view.h"

struct estimate;

struct picture_reference { /* reference of a picture by perturbation; else all 0 */
    long bits;
    int64_t steps, period;             /* period: 0 if it did not end because it repeats */
    int64_t device_steps;              /* steps that a device took */
    uint64_t orbit_bytes, table_bytes; /* table: the most that a rank has */
    double seconds;
    double amplification; /* amplification of the errors of blocks */
    enum orbit_cache_use cache;
    char warning[STATUS_TEXT_BYTES];     /* what was wrong with the cache; "": nothing */
    char device_lost[STATUS_TEXT_BYTES]; /* why a device left the orbit to the processor; or "" */
};

struct picture_report { /* on rank 0 */
    struct plan plan;
    struct picture_reference reference;
    struct block_usage survey;
    struct job_report job; /* freed by picture_report_destroy */
    /* plan: with the reference; compute: of all samples; centres: of the first */
    double plan_s, compute_s, centres_s;
    float (*light)[3]; /* [height][width]: mean of the samples; NULL: there is only the centre.
                          Freed by picture_report_destroy */
    struct average *late_light; /* replaces `light` where hooks want that; freed likewise */
    double samples;             /* samples of a pixel, on average */
    uint64_t iterations;        /* iterations of perturbation: blocks and single steps */
};

struct sink_request;

/* The files of a consumer, where other ranks may write their rows (render/picture/writers.h). Rank
 * 0. */
struct picture_parts {
    /* Returns the files, and the offset at which each goes on, before the first row, when the look
     * is settled. Requests are borrowed as long as the consumer is there. */
    enum status (*begin)(void *context, const struct sink_request **requests, uint64_t *places);
    size_t count; /* number of files */
    /* Returns whether rows that are put now should be brought to the disk. */
    bool (*due)(void *context);
    /* Adds the next rows, which are in the files, by the length and sum of each file's part. */
    enum status (*add)(void *context, int32_t rows, const uint64_t *length, const uint32_t *sum,
                       uint64_t interior);
    enum status (*keep)(void *context); /* notes that all added rows are on the disk */
};

/* Receiver of a picture as it is computed: strip by strip, from the top. Rank 0, on the thread of
 * picture_render. A failure ends the picture. */
struct picture_consumer {
    void *context;
    /* Rows of a picture with one sample stay where they are, maybe in memory of rank 0's first
     * device, and there is no look. */
    bool takes_device;
    /* Rows from `y` on, all samples, in host memory; borrowed during the call. light: the mean of
     * the samples, [height][width]; NULL: there is only the centre. */
    enum status (*strip)(void *context, int32_t y, const struct field *field,
                         const float (*light)[3]);
    /* Members before the whole strip; each may be NULL: */
    /* Rows that `strip` gets next, with their light, which is still being made. */
    enum status (*numbers)(void *context, int32_t y, const struct field *field);
    /* A tile of job number `job` of the strip that begins in row y is in `field`, the whole frame
     * of that job; a job computes a sample of the strip, or parts of it. While others compute. */
    enum status (*tile)(void *context, int32_t y, uint64_t job, const struct tile *tile,
                        const struct field *field);
    /* Returns whether a tile is wanted now. Called where one lies on a device, and would have to be
     * fetched. NULL: always. */
    bool (*tile_due)(void *context);
    /* Rows that an interrupted run of the same picture has left. */
    int32_t rows_before;
    /* Writes tiles of the strip after these rows into `field`, the whole frame of the job, and sets
     * known[i] for those of the `count` that need not be computed. NULL: there are none. */
    enum status (*restore)(void *context, uint64_t job, const struct tile *tiles, uint32_t count,
                           struct field *field, bool *known);
    const struct picture_parts *parts; /* NULL: rank 0 writes alone */
};

struct picture_hooks {
    void (*progress)(void *context, const struct job_progress *progress); /* may be NULL */
    /* Reports progress before the tiles of perturbation; rank 0. May be NULL. */
    void (*prepare)(void *context, const struct reference_progress *progress);
    void *context;
    /* How the picture is coloured, which follows from its centres; rank 0, before a consumer gets
     * rows. `field`: all of them, or, while they are on their
     * way from a device, those that a distribution is measured by. Of a picture in strips, those of
     * the subgrid of a distribution (distribution_subgrid) if that is wanted, else NULL. Of one of
     * which light alone is wanted they may lie on a device. `look` NULL: samples are refused with
     * STATUS_INTERNAL. The look is borrowed until picture_render returns, or the light has ended.
     */
    enum status (*look)(void *look_context, const struct field *field, const struct look **look);
    void *look_context;
    bool wants_subgrid;
    /* Without a consumer: the last samples may be added while the next picture of this renderer is
     * computed. The report has late_light then, which average_end makes light. */
    bool late_light;
    const struct picture_consumer *consumer; /* rank 0; NULL: the caller takes the whole picture */
    /* A rank does not answer, or answers again, as a sentence; rank 0. May be NULL. */
    void (*notice)(void *context, const char *text);
    const volatile int *stop; /* non-zero: give up with STATUS_STOPPED; may be NULL */
    /* Reference that reference_make has made for this picture before, which takes it; rank 0. NULL,
     * or without an orbit: the picture makes its own. */
    struct reference *reference;
    /* Request that such a reference served in another picture of this view, spec and accuracy: what
     * its errors are is known then. NULL: it is found. */
    const struct reference_request *request;
    /* Becomes the reference of a picture by perturbation, the caller's to close; rank 0. NULL: it
     * ends with the picture. */
    struct kept_reference *kept;
    /* The picture is not computed, but windows of it, which go to the consumer; rank 0. Its side is
     * set. NULL: it is. */
    struct estimate *estimate;
    /* Taken instead of an own reference orbit where it is as exact, long enough and of a point
     * within 2^20 pixels of the centre; rank 0. NULL: none. */
    const struct picture_orbit *orbit;
};

/* Computes the picture with the devices of all ranks. Collective: rank 0 passes `picture`, the
 * others NULL. On rank 0 `report` is filled and, without a consumer and picture->light_alone,
 * `field` becomes the whole image in host memory, that of the pixels' centres, borrowed until the
 * next picture in this renderer, and report->light the mean of the colours of all samples;
 * elsewhere both may be NULL. Without a consumer picture->memory_bytes must be 0. Every rank
 * returns the same status, unless rank 0 fails alone when all tiles are there. On rank 0 the
 * picture may be whole although the world is lost (world_lost). */
enum status picture_render(struct renderer *renderer, const struct picture *picture,
                           const struct picture_hooks *hooks, struct field *field,
                           struct picture_report *report);

/* Rank 0, instead: there is no picture, because of `status`, which all ranks return then, or for a
 * good reason: STATUS_OK. */
enum status picture_decline(struct renderer *renderer, enum status status);

void picture_report_destroy(struct picture_report *report);

#endif
