/* One picture: what is wanted of it, and the pipeline that makes it. picture.c reads like the data
 * flow of ARCHITECTURE.md. */
#ifndef RENDER_PICTURE_H
#define RENDER_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/job.h"
#include "kernels/field.h"
#include "render/plan.h"
#include "render/reference.h"
#include "render/samples.h"
#include "render/renderer.h"
#include "render/view.h"

struct picture { /* what is wanted; plain data, filled by the app */
    struct view view;
    struct formula formula; /* zeroed: z^2 + c, the pixel is c */
    int64_t limit;
    double bailout;
    unsigned planes;
    int samples; /* a pixel; 1 or 0: its centre. SAMPLES_AUTO: see render/refine.h */
    double accuracy_px;
    enum precision precision;
    int32_t tile_px;      /* 0 = the plan chooses */
    const char *schedule; /* a name or "auto"; borrowed */
    enum plan_forecast forecast;
    const char *transport;    /* a name or "auto"; borrowed */
    const char *backend;      /* a name or "auto"; borrowed. Of verify; a renderer has its own */
    int threads;              /* likewise */
    enum shortcuts shortcuts; /* on; off for tests and benchmarks */
    enum blocks blocks;       /* of perturbation */
    bool survey;              /* of perturbation: count which blocks are used, for the report */
    const char *orbit_cache;  /* folder that keeps reference orbits; NULL: none; borrowed */
};

/* A reference orbit for many pictures near each other: that of the deepest serves them all. */
struct picture_orbit {
    const struct view *view;   /* whose centre it is of; borrowed */
    const struct orbit *orbit; /* borrowed */
    double amplification;      /* of the errors of blocks, as pictures nearby have found it (struct
                                  picture_reference); 0: each finds its own */
};

struct picture_reference { /* of a picture by perturbation; else all 0 */
    long bits;
    int64_t steps, period;             /* period: 0 if it did not end because it repeats */
    uint64_t orbit_bytes, table_bytes; /* table: the most that a rank has */
    double seconds;
    double amplification; /* of the errors of blocks */
    enum orbit_cache_use cache;
    char warning[STATUS_TEXT_BYTES]; /* what was wrong with the cache; "": nothing */
};

struct picture_report { /* on rank 0 */
    struct plan plan;
    struct picture_reference reference;
    struct block_usage survey;
    struct job_report job; /* freed by picture_report_destroy */
    /* plan: with the reference; compute: of all samples; centres: of the first */
    double plan_s, compute_s, centres_s;
    float (*light)[3];   /* [height][width]: mean of the samples; NULL: there is only the centre.
                            Freed by picture_report_destroy */
    double samples;      /* a pixel, on average */
    uint64_t iterations; /* of perturbation: blocks and single steps */
};

struct picture_sums {          /* of a finished picture */
    uint64_t pixels, interior; /* interior: pixels with count 0 */
    uint64_t checksum[PLANES]; /* XXH3 of each plane, 0 if absent */
};

struct picture_hooks {
    void (*progress)(void *context, const struct job_progress *progress); /* may be NULL */
    /* Before the tiles of perturbation; rank 0. May be NULL. */
    void (*prepare)(void *context, const struct reference_progress *progress);
    void *context;
    /* How samples are coloured, when the centres' field is there; rank 0. NULL: samples are refused
     * with STATUS_INTERNAL. The look is borrowed until picture_render returns. */
    enum status (*look)(void *look_context, const struct field *field, const struct look **look);
    void *look_context;
    /* A rank does not answer, or answers again, as a sentence; rank 0. May be NULL. */
    void (*notice)(void *context, const char *text);
    const volatile int *stop; /* non-zero: give up with STATUS_STOPPED; may be NULL */
    /* Becomes the reference of a picture by perturbation, the caller's to close; rank 0. NULL: it
     * ends with the picture. */
    struct kept_reference *kept;
    /* Taken instead of an own reference orbit where it is as exact, long enough and of a point
     * within 2^20 pixels of the centre; rank 0. NULL: none. */
    const struct picture_orbit *orbit;
};

/* The plan for a picture, without computing anything, for the devices that `facts` speaks of. */
enum status picture_plan(const struct picture *picture, const struct renderer_facts *facts,
                         struct plan_inputs *inputs, struct plan *plan);

/* Refuses (STATUS_TOO_LARGE, sums shown) what does not fit into the memory there is. */
enum status picture_admit(const struct plan *plan);

/* Computes the picture with the devices of all ranks. Collective: rank 0 passes `picture`, the
 * others NULL. On rank 0 `field` becomes the whole image in host memory, that of the pixels'
 * centres, borrowed until the next picture in this renderer, and `report` is filled, with the mean
 * of the colours of all samples; elsewhere both may be NULL. Every rank returns the same status,
 * unless rank 0 fails alone when all tiles are there. On rank 0 the picture may be whole although
 * the world is lost (world_lost). */
enum status picture_render(struct renderer *renderer, const struct picture *picture,
                           const struct picture_hooks *hooks, struct field *field,
                           struct picture_report *report);

/* Rank 0, instead: there is no picture, because of `status`, which all ranks return then, or for a
 * good reason: STATUS_OK. */
enum status picture_decline(struct renderer *renderer, enum status status);

void picture_report_destroy(struct picture_report *report);

/* Counts and sums a whole image in host memory; about 0.1 ms per MiB. */
struct picture_sums picture_sum(const struct field *field);

#endif
