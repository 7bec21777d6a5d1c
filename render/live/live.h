/* The engine of the viewer, for interactive pictures: the newest request wins, a coarse picture
 * comes at once, and is refined until it is exactly the picture that render/picture/picture.h
 * makes.
 *
 * Three parties. The coordinator is the thread of rank 0 that opened the world: it runs live_run,
 * owns the pool of all ranks, and paints. Ranks > 0 run live_serve. The window is on any other
 * thread: it posts requests and copies pixels; its calls never wait for MPI, a device or a disk,
 * nor for a picture to be cleared, painted or freed, however large; only the first copy of a new
 * picture may wait for eight rows that are being painted.
 *
 * A picture goes through stages. ORBIT: a deep view without a reference yet; nothing is computed
 * and the old picture should stay. COARSE: every 8th pixel of both directions is being computed,
 * and fills the square to its right and below; then every 4th (QUARTER), every 2nd (HALF) and all
 * (FINE), at the accuracy of previews, and again at the full one where that differs. Then the
 * picture is settled: byte for byte that of picture_render and colour_row_8 for the same view,
 * limit and look. SAMPLES: the mean of one more sample of all pixels each time, byte for byte that
 * of picture_render with so many; the field stays. With another look first the colours of the field
 * are shown, then the mean of all samples that are kept (render/live/kept_samples.h).
 *
 * Requests for the same picture (view, limit, bailout, formula, planes that it gets) with another
 * look, pointer, pace, or number of samples or workers compute nothing anew. */
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
#include "render/live/distances.h"
#include "render/live/worker_set.h"
#include "render/motion/changed_blocks.h"
#include "render/motion/survey.h"
#include "render/view/view.h"

struct live;
struct framebuffer_share;

enum live_pace {
    LIVE_MOVING, /* the user still moves the view: previews only */
    LIVE_SETTLED /* full accuracy, then further samples */
};

enum {
    LIVE_PALETTE_BYTES = PALETTE_COLOURS_BYTES,
    LIVE_WORKERS_MAX = WORKER_SET_MOST,
    LIVE_ARRIVALS = 64 /* newest arrivals that are told */
};

enum { LIVE_SAMPLES_PLAN = -1 }; /* as many as `deepfield render` takes (plan_samples) */

struct live_request {
    uint64_t serial;    /* number of the request, given by the window, > 0, rising */
    struct view view;   /* view; its size is that of the picture */
    int64_t limit;      /* 0 = automatic, see limit.h */
    int64_t limit_most; /* largest automatic limit: 1000 2^k; 0: no bound */
    double bailout;
    struct orbit_rule orbit; /* for planes along orbits */
    double accuracy_px;      /* accuracy of the settled picture; 0: that of the options */
    struct formula formula;
    enum live_distances distances;
    unsigned planes;  /* further planes; those of PLANE_MASK_ATTRACTOR and PLANE_MASK_ORBIT are
                         computed where direct iteration is used */
    struct look look; /* look; its palette is not read */
    char palette[LIVE_PALETTE_BYTES]; /* palette, a name as palette_load takes it */
    double pointer_x, pointer_y;      /* position in px at which refinement begins */
    enum live_pace pace;
    uint64_t again; /* another number: the same picture is computed again */
    int workers;    /* number of workers that compute, the first ones; 0: all. Changes no pixel */
    /* Workers that are left out besides: they get no piece, but keep up with every picture and take
     * part again at once. Where nobody would be left, all compute. Changes no pixel. */
    struct worker_set without;
    int samples; /* samples of a pixel, averaged while idle, 1 ... SAMPLES_MOST, or
                    LIVE_SAMPLES_PLAN; 0: 1 */
};

/* A run that this job joins; borrowed. */
struct live_join {
    const char *address; /* its machine */
    int port;
    const char *token;
    const char *program; /* version of the program */
};

struct live_options {                 /* on rank 0; the others pass NULL */
    struct renderer_options renderer; /* devices; borrowed texts. slice_s 0: 10 ms */
    const char *assets;               /* folder that holds palettes/; borrowed */
    const char *orbit_cache;          /* folder that keeps reference orbits; NULL: none; borrowed */
    double accuracy_px;               /* accuracy of settled pictures; 0: ACCURACY_DEFAULT_PX */
    int64_t wave; /* least samples that a device should get at once; 0: by the kind of devices */
};

enum live_stage {
    LIVE_NOTHING, /* no request yet */
    LIVE_ORBIT,
    LIVE_COARSE,
    LIVE_QUARTER,
    LIVE_HALF,
    LIVE_FINE, /* all pixels are computed or being computed, as previews or already settled ones */
    LIVE_DONE, /* settled, or the finest preview of LIVE_MOVING: nothing computes */
    LIVE_SAMPLES, /* settled; another sample of all pixels is being computed */
    LIVE_FAILED   /* see `error`; another request may succeed */
};

struct live_worker {
    int rank;
    char host[64];
    int threads;
    bool alive;
    double busy;    /* share of the last second or so, 0 ... 1 */
    double heard_s; /* seconds since its last message */
    uint64_t tiles, late, iterations, bytes;
    const char *transport; /* "local", "message" */
    const char *backend;   /* name of the kind of its devices */
    bool gpu;              /* its devices are GPUs */
    bool computes;         /* it is not left out */
    /* Since the beginning: computing, mean of its threads; results on their way to rank 0. */
    double compute_s, transfer_s;
};

struct live_arrival {
    int worker;
    int32_t x, y, width, height; /* pixels of the picture */
    double at_s;                 /* by clock_s */
};

/* Times of the picture's events, by clock_s (decomposition/thread/clock.h); 0: not yet. */
struct live_moments {
    double asked;     /* time of live_ask with the first request for this picture */
    double begun;     /* the engine took that request */
    double planned;   /* its devices were told what to compute, for the first time */
    double cancelled; /* time when all devices were idle or working on it */
    double covered;   /* every pixel has a colour */
    double fine;      /* all pixels at least as previews */
    double settled;
};

struct live_state {
    uint64_t serial;  /* serial of the newest request that the picture fulfils; 0: none yet */
    uint64_t picture; /* number of the picture, rising: another one begins from nothing */
    uint64_t version; /* rises with every change of state or pixels */
    int32_t width, height;
    unsigned planes; /* planes of its field */
    enum live_stage stage;
    int stride;                /* largest distance of known pixels; 0: some cell has none */
    bool settled;              /* the field is final; stage LIVE_SAMPLES then too */
    bool covered;              /* every pixel has a colour */
    bool stopped;              /* live_stop ended computing; another picture is computed again */
    double done;               /* done part of the pixels of this accuracy, 0 ... 1 */
    double sample_done;        /* done part of the sample being computed, 0 ... 1 */
    int samples, samples_done; /* samples of a pixel: wanted, and in the mean that is shown */
    bool smooth;               /* settled, and the mean has all samples */
    bool mixed;     /* pixels that were copied with this state may have one more sample */
    double orbit_s; /* while an orbit is awaited: seconds that it has taken so far */
    int64_t orbit_steps, orbit_most; /* steps so far, and at most: it may end sooner */
    int64_t limit;                   /* iteration limit in use */
    bool deep;                       /* computed by perturbation */
    char method[96];                 /* "direct fp32", "perturbation, 12,345 steps at 320 bits" */
    double predicted_px;             /* backward error predicted by the plan */
    uint64_t iterations;             /* iterations of this picture */
    double iterations_per_s;
    uint64_t count_min, count_max; /* range of counts of the samples that escaped so far; 0: none */
    double undecided;              /* share of the samples that have not escaped */
    int workers;
    struct live_worker worker[LIVE_WORKERS_MAX];
    int computing;        /* workers that compute: alive, and not left out */
    double picture_s;     /* shortest time of this picture, from its request to settled, by just
                             these workers; 0: not measured */
    double picture_one_s; /* the same by a single worker */
    /* Since the beginning: seconds in which there was something to compute, and in which rank 0 put
     * results into pictures. */
    double work_s, compose_s;
    uint64_t arrivals; /* results that have arrived; number n is arrival[n % LIVE_ARRIVALS] */
    struct live_arrival arrival[LIVE_ARRIVALS];
    int threads_lost;
    int troubles; /* number of times that a device or a rank was lost, silent or back, or joined */
    char trouble[STATUS_TEXT_BYTES]; /* sentence about the newest of these */
    uint64_t late; /* number of late results of older pictures, which were dropped */
    /* Distribution of the picture: measured when it is covered, from its coarse pixels, and when it
     * is settled. `measured` rises with each; 0: not yet. Until then it is that of the picture
     * before: `measured_picture`. */
    struct distribution distribution;
    struct survey survey;
    uint64_t measured, measured_picture;
    struct live_moments moments;
    char error[STATUS_TEXT_BYTES]; /* error text; "": none */
};

/* Opens devices and the pool. Collective. */
enum status live_open(struct live **live, struct world *world, const struct live_options *options);

/* Serves, on ranks > 0, until rank 0 has closed, or is lost. */
enum status live_serve(struct live *live);

/* Runs the coordinator, on rank 0 in the thread that opened the world, until live_quit. */
enum status live_run(struct live *live);

/* Returns, on rank 0 after live_run, the first loss of a device or rank: STATUS_DEVICE_LOST, or the
 * status of the lost rank, with its sentence. */
enum status live_losses(const struct live *live);

/* Jobs that have joined, from live_open to live_close; rank 0. NULL: none may. */
struct join *live_join(const struct live *live);

/* Computes, in place of live_run on rank 0, for a run of another job: with all ranks of this
 * one, until that ends or *stop is not 0. `joined` is called when it takes part, with its
 * number there; may be NULL. STATUS_SYSTEM: nobody listens there, or this job is refused. */
enum status live_join_serve(struct live *live, const struct live_join *run,
                            const volatile int *stop, void (*joined)(void *context, int rank),
                            void *context);

/* Closes, after live_run or live_serve; accepts NULL. Fails as pool_close does: then something
 * still runs, and the program should end by world_abort. */
enum status live_close(struct live *live);

/* ---- rank 0, any thread, from live_open to live_close ---- */

/* Cores and GPUs of the job that do not compute; borrowed. */
const struct idle *live_idle(const struct live *live);

/* Posts a request, of which it takes a copy. An older one that was not begun is dropped.
 * STATUS_OUT_OF_MEMORY. */
enum status live_ask(struct live *live, const struct live_request *request);

/* Makes live_run return soon. */
void live_quit(struct live *live);

/* Stops computing until the next request for another picture; computed pixels stay. */
void live_stop(struct live *live);

/* Sets the function that is called, on any thread, when there is something newer than at the last
 * live_poll; it must return at once and call no function of this header. */
void live_wake_with(struct live *live, void (*wake)(void *context), void *context);

/* The picture as the caller has it: 0xAARRGGBB, [height][stride]. */
struct live_pixels {
    uint32_t *pixels;
    int32_t width, height, stride;
    uint64_t picture,
        version; /* picture and version of the pixels: 0, 0 at first; written by live_poll */
    uint8_t (*changed)[CHANGED_BLOCKS_MOST]; /* blocks, marked by live_poll where it wrote and
                                                cleared by the caller; NULL: not wanted */
};

/* Fills `state`, and brings `into` (NULL: state only) up to date if its size is the picture's:
 * pixels without a colour yet become 0, so that the layer below shows through. Only cells that have
 * changed since `into->version` are copied, all of them in another picture. Returns whether a pixel
 * was written. */
bool live_poll(struct live *live, struct live_state *state, struct live_pixels *into);

/* The newest version that there is. */
uint64_t live_version(struct live *live);

/* Workers that computed the cells: cell[rows][columns], 255: none yet, else the worker's number
 * modulo 255. Cells are cell_px wide and high. */
struct live_owners {
    int32_t columns, rows, cell_px;
    uint8_t *cell; /* owned by the struct; grown by live_who, freed by the caller */
    size_t bytes;
};
enum status live_who(struct live *live, struct live_owners *owners);

/* Settled field of a picture. It stays unchanged until it is released: nothing is copied, and the
 * engine uses other memory meanwhile. */
struct live_field {
    struct field field; /* field; read only */
    int64_t limit;      /* iteration limit of the field */
    struct framebuffer_share *share;
    const float (*light)[3]; /* mean that is shown, after live_light_hold; NULL: none */
    int samples;             /* samples in the mean */
    struct framebuffer_share *light_share;
};

/* Holds the field of the picture for this request. STATUS_NO_INPUT when another picture, or none,
 * is settled. */
enum status live_field_hold(struct live *live, uint64_t serial, struct live_field *field);

/* Holds the mean of the colours for this request too, when it is smooth; one sample has no mean. */
void live_light_hold(struct live *live, uint64_t serial, struct live_field *field);
void live_field_release(struct live_field *field); /* accepts a zeroed one; after live_close, too */

#endif
