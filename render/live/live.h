/* The engine of the viewer, for a picture that follows a hand: the newest request wins, a coarse
 * picture comes at once, and it becomes finer until it is the very picture that
 * render/picture/picture.h makes.
 *
 * Three parties. The coordinator is the thread of rank 0 that opened the world: it runs live_run,
 * owns the pool of all ranks, and paints. Ranks > 0 run live_serve. Whoever shows the picture
 * (the window) is on any other thread: it posts requests and copies what is ready; its calls never
 * wait for MPI, a device or a disk, nor for a picture to be cleared, painted or freed, however
 * large; only the first copy of a new picture may wait for eight rows that are being painted.
 *
 * A picture goes through stages. ORBIT: a deep view without a reference yet; nothing is computed
 * and the old picture is best left standing. COARSE: every 8th pixel of both directions is coming,
 * and fills the square to its right and below; then every 4th (QUARTER), every 2nd (HALF) and all
 * (FINE), at the accuracy of previews, and again at the full one where that differs. Then the
 * picture is settled: byte for byte that of picture_render and colour_row_8 for the same view,
 * limit and look. SAMPLES: the mean of one more sample of all pixels each time, byte for byte that
 * of picture_render with so many; the field stays.
 *
 * Requests for the same picture (view, limit, bailout, formula, planes) with another look,
 * pointer, pace, or number of samples or workers compute nothing anew. */
#ifndef RENDER_LIVE_LIVE_H
#define RENDER_LIVE_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/world/world.h"
#include "kernels/field.h"
#include "kernels/spec.h"
#include "render/colour/colour.h"
#include "render/colour/palette_colours.h"
#include "render/device/renderer.h"
#include "render/motion/survey.h"
#include "render/view/view.h"

struct live;
struct framebuffer_share;

enum live_pace {
    LIVE_MOVING, /* the hand still moves: previews only */
    LIVE_SETTLED /* the full accuracy, then further samples */
};

/* Are distances computed, for relief and lines? */
enum live_distances {
    LIVE_DISTANCES_NONE,
    LIVE_DISTANCES_FREE, /* where the picture is computed by perturbation, which has derivatives */
    LIVE_DISTANCES_ALL
};

enum { LIVE_PALETTE_BYTES = PALETTE_COLOURS_BYTES, LIVE_WORKERS_MAX = 256 };

struct live_request {
    uint64_t serial;    /* the window's number of it, > 0, rising */
    struct view view;   /* its size is that of the picture */
    int64_t limit;      /* 0 = automatic, see limit.h */
    int64_t limit_most; /* of an automatic one: 1000 2^k; 0: no bound */
    double bailout;
    double accuracy_px; /* of the settled picture; 0: that of the options */
    struct formula formula;
    enum live_distances distances;
    unsigned planes;  /* more, of PLANE_MASK_ATTRACTOR: computed where direct iteration serves */
    struct look look; /* its palette is not looked at; */
    char palette[LIVE_PALETTE_BYTES]; /* a name as palette_load takes it */
    double pointer_x, pointer_y;      /* px: refinement begins here */
    enum live_pace pace;
    uint64_t again; /* another number: computed anew, though it is the same picture */
    int workers;    /* only the first so many compute; 0: all. Changes no pixel */
    int samples;    /* of a pixel, averaged while idle, 1 ... SAMPLES_MOST; less: 1 */
};

struct live_options {                 /* on rank 0; the others pass NULL */
    struct renderer_options renderer; /* devices; borrowed texts. slice_s 0: 10 ms */
    const char *assets;               /* the folder that holds palettes/; borrowed */
    const char *orbit_cache;          /* folder that keeps reference orbits; NULL: none; borrowed */
    double accuracy_px;               /* of settled pictures; 0: PLAN_ACCURACY_DEFAULT_PX */
    int64_t wave; /* samples that a device wants at once; 0: as the devices are */
};

enum live_stage {
    LIVE_NOTHING, /* no request yet */
    LIVE_ORBIT,
    LIVE_COARSE,
    LIVE_QUARTER,
    LIVE_HALF,
    LIVE_FINE,    /* all pixels are there or coming, as previews or already settled ones */
    LIVE_DONE,    /* settled, or the finest preview of a hand that moves: nothing computes */
    LIVE_SAMPLES, /* settled; another sample of all pixels is being computed */
    LIVE_FAILED   /* see error; another request may do */
};

struct live_worker {
    int rank;
    char host[64];
    int threads;
    bool alive;
    double busy;    /* share of the last second or so, 0 ... 1 */
    double heard_s; /* since it was heard of last */
    uint64_t tiles, late, iterations, bytes;
    const char *transport; /* "local", "message" */
};

/* Moments of the picture's life, as clock_s (decomposition/thread/clock.h) tells them; 0: not yet.
 */
struct live_moments {
    double asked;     /* live_ask of the first request for this picture */
    double cancelled; /* all devices idle or on its work */
    double covered;   /* every place has a colour */
    double fine;      /* all pixels at least as previews */
    double settled;
};

struct live_state {
    uint64_t serial;  /* the newest request that the picture is for; 0: none yet */
    uint64_t picture; /* number of the picture, rising: another one begins from nothing */
    uint64_t version; /* rises with every change of state or pixels */
    int32_t width, height;
    unsigned planes; /* of its field */
    enum live_stage stage;
    int stride;                /* every so many pixels are known everywhere, at least; 0: not */
    bool settled;              /* the field is final; stage LIVE_SAMPLES then too */
    bool covered;              /* every place has a colour */
    double done;               /* of the pixels wanted at this accuracy, 0 ... 1 */
    double sample_done;        /* of the sample being computed, 0 ... 1 */
    int samples, samples_done; /* of a pixel: requested, and in the mean that is shown */
    bool smooth;               /* settled, and the mean has all samples */
    bool mixed;     /* pixels that were copied with this may have one sample more than that */
    double orbit_s; /* while there is an orbit to wait for: seconds that it has taken so far, */
    int64_t orbit_steps, orbit_most; /* steps, and the most that it can have: it may end sooner */
    int64_t limit;                   /* in use */
    bool deep;                       /* by perturbation */
    char method[96];                 /* "direct fp32", "perturbation, 12,345 steps at 320 bits" */
    double predicted_px;             /* backward error as the plan predicts it */
    uint64_t iterations;             /* of this picture */
    double iterations_per_s;
    uint64_t count_min, count_max; /* of the samples so far that escaped; 0: none */
    double undecided;              /* share of the samples that did not */
    int workers;
    struct live_worker worker[LIVE_WORKERS_MAX];
    int threads_lost;
    int troubles;                    /* so often a device or a rank was lost, silent or back; */
    char trouble[STATUS_TEXT_BYTES]; /* the newest of it, a sentence */
    uint64_t late;                   /* results of older pictures that came late and were dropped */
    /* Of the picture, as far as it is there: measured when it is covered, from its coarse pixels,
     * and when it is settled. `measured` rises with each; 0: not yet. */
    struct distribution distribution;
    struct survey survey;
    uint64_t measured;
    struct live_moments moments;
    char error[STATUS_TEXT_BYTES]; /* "": none */
};

/* Opens devices and the pool. Collective. */
enum status live_open(struct live **live, struct world *world, const struct live_options *options);

/* Ranks > 0: until rank 0 has closed, or is gone. */
enum status live_serve(struct live *live);

/* Rank 0, the thread that opened the world: until live_quit. */
enum status live_run(struct live *live);

/* Rank 0, after live_run: were devices or ranks lost meanwhile? STATUS_DEVICE_LOST, or what became
 * of the rank, with the sentence of the first. */
enum status live_losses(const struct live *live);

/* After live_run or live_serve; accepts NULL. Fails as pool_close does: then something still
 * runs, and the program should end by world_abort. */
enum status live_close(struct live *live);

/* ---- rank 0, any thread, from live_open to live_close ---- */

/* What the job has and does not compute with; borrowed. */
const struct idle *live_idle(const struct live *live);

/* Takes a copy. An older request that was not looked at yet is forgotten. STATUS_OUT_OF_MEMORY. */
enum status live_ask(struct live *live, const struct live_request *request);

/* live_run returns soon. */
void live_quit(struct live *live);

/* Gives up what is being computed until the next request for another picture; what is there stays.
 */
void live_stop(struct live *live);

/* Called, on any thread, when there is something newer than the last live_look has seen; must
 * return at once and call nothing of this header. */
void live_wake_with(struct live *live, void (*wake)(void *context), void *context);

/* The picture as the caller has it: 0xAARRGGBB, [height][stride]. */
struct live_pixels {
    uint32_t *pixels;
    int32_t width, height, stride;
    uint64_t picture, version; /* what is in them: 0, 0 at first; written by live_look */
};

/* Fills `state`, and brings `into` (NULL: state only) up to date if its size is the picture's:
 * places without a colour yet become 0, so that what lies below shows through. Only what has
 * changed since `into->version` is copied, all of it when the picture is another one. Returns
 * whether a pixel was written. */
bool live_look(struct live *live, struct live_state *state, struct live_pixels *into);

/* Is there anything newer than a version? */
bool live_news(struct live *live, uint64_t version);

/* Which worker computed which cell: cell[rows][columns], 255: none yet, else the worker's number
 * modulo 255. Cells are cell_px wide and high. */
struct live_owners {
    int32_t columns, rows, cell_px;
    uint8_t *cell; /* owned by the struct; grown by live_who, freed by the caller */
    size_t bytes;
};
enum status live_who(struct live *live, struct live_owners *owners);

/* The settled field of a picture. It stays as it is, whatever the engine does next, until it is
 * released: nothing is copied, and the engine goes on with other memory. */
struct live_field {
    struct field field; /* to be read only */
    int64_t limit;      /* that it was made with */
    struct framebuffer_share *share;
    const float (*light)[3]; /* with live_light_hold: the mean that is shown; NULL: none */
    int samples;             /* that are in it */
    struct framebuffer_share *light_share;
};

/* Takes hold of that of the picture for this request. STATUS_NO_INPUT when that is not what is
 * settled. */
enum status live_field_hold(struct live *live, uint64_t serial, struct live_field *field);

/* The mean of the colours for this request too, when it is smooth; of one sample there is none. */
void live_light_hold(struct live *live, uint64_t serial, struct live_field *field);
void live_field_release(struct live_field *field); /* accepts a zeroed one; after live_close, too */

#endif
