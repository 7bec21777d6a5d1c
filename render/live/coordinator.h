/* The coordinator of the viewer's engine, as its own files see it: its state, and what protects it.
 *
 * Its files in the order in which they call each other: live.c (the loop, requests that come,
 * opening and closing), live_steps.c, live_picture.c, live_pass.c, live_plans.c, live_tasks.c,
 * live_request.c, live_tell.c, live_workers.c. */
#ifndef RENDER_LIVE_COORDINATOR_H
#define RENDER_LIVE_COORDINATOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "decomposition/pool/join.h"
#include "decomposition/pool/pool.h"
#include "render/live/framebuffer.h"
#include "render/live/limit.h"
#include "render/live/live.h"
#include "render/live/losses.h"
#include "render/live/orbits.h"
#include "render/live/refinement.h"
#include "render/picture/picture.h"
#include "render/worker/rank_worker.h"

struct live_slot { /* task that was given to a worker */
    uint64_t id;   /* 0: free */
    int worker;    /* worker of the newest copy; -1: that copy has failed */
    int copies;    /* 2: given to a second worker as well, because the first is silent */
    struct refinement_deal deal;
};

struct live_rate { /* iterations and work of the last second or so */
    double since_s;
    uint64_t iterations[LIVE_WORKERS_MAX];
    double busy_s[LIVE_WORKERS_MAX];
};

/* State of the coordinator; no other thread reads it. */
struct live_work {
    struct live_request request;
    bool begun;   /* a request has come */
    bool stopped; /* computing was stopped by live_stop */
    bool failed;
    bool warned; /* the told error does not concern the picture */
    struct palette *palette;
    struct look look; /* look of the request, with the palette */

    struct view_numbers numbers;
    unsigned planes; /* planes of the picture; written with the mutex, as is `deep` */
    bool deep;       /* perturbation computes it */
    double log10_zoom;
    int64_t limit;
    int64_t limit_found; /* limit of the last view whose limit was found, tried first; 0: none */
    bool automatic;      /* the limit is automatic */
    bool searching;      /* the limit is being searched, by coarse passes */
    struct limit_counts counts;
    struct picture_known known; /* facts about the view and the limit; zeroed: none yet */
    struct plan preview, final;
    bool preview_known, final_known;

    struct orbits orbits; /* orbits of perturbation */

    uint64_t epoch; /* epoch of the newest context */
    double pass_s;  /* time when this picture's first pass began; 0: not yet */
    uint64_t covered_version;
    uint64_t told_key;   /* key of its blocks */
    double told_s;       /* time when it was told */
    uint64_t joined_key; /* key of the blocks whose orbit joined jobs were told last */
    bool context_up;     /* the newest context is that of this picture */
    bool exact;          /* the present pass computes the settled pixels */
    bool restarts;       /* this pass replaces pixels that are shown by better ones */
    bool whole;          /* all pixels are shown, by this limit or by one tried before */
    bool settled;
    bool recolour_due; /* colours are not those of the request, because recolouring was given up */
    uint64_t recoloured_version; /* version that has all of the newest colours */
    double recoloured_s;         /* time since it has them */
    int context_failures;
    int sample;       /* number of the sample being computed, 1 ... request.samples - 1; 0: none */
    int samples_done; /* samples in the mean that is shown, the settled picture included */
    bool mixed;       /* pixels have different numbers of samples: adding them was given up */
    struct refinement refinement;
    struct live_slot *slot;
    int slots;
    uint64_t ids_given; /* number of ids given */
    double sample_s;    /* time of a sample in the pass before, as a guess; 0: none */
    double preview_s;   /* time of a sample of previews: exact ones may take much longer */
    struct distribution distribution;
    struct survey survey;
    enum { MEASURED_NOT, MEASURED_COARSE, MEASURED_SETTLED } measured;
    struct live_rate rate;
    struct live_moments moments;
    uint64_t iterations;
    uint64_t count_min, count_max, samples, undecided;
    struct worker_set set;  /* workers that computed the picture so far */
    bool set_changed;       /* other workers computed a part of it */
    struct set_times times; /* times of this picture, computed again and again */
    double worked_s;        /* when work_s was told last; on the clock */
    bool worked;            /* something was at work then */
    double work_s, compose_s;
};

struct live {
    struct world *world;
    struct renderer *renderer;
    struct pool *pool;
    struct join
        *join; /* workers of other jobs, numbered behind those of the pool; NULL: none may */
    struct rank_worker worker;
    int32_t cell_px;
    int64_t wave; /* wave of GPUs, see refinement.h; else 0 */
    int threads;  /* threads of all ranks at the beginning */
    int devices;  /* devices of all ranks; a thread of a processor is one */
    double accuracy_px, split_s, row_s;
    double hold_s;              /* time for which a picture of which nothing was shown yet stays */
    char *assets, *orbit_cache; /* orbit_cache: NULL: none */
    struct live_work work;
    struct losses losses;

    /* The window must not wait for work, however large the picture is. So nothing is allocated,
     * freed, painted or copied while `mutex` is held, and nothing but a few pointers is set while
     * the coordinator has `page`: it keeps the picture from being replaced while the window copies
     * it. The framebuffer has locks of its own for that. Locking order: page, mutex. */
    pthread_mutex_t page;
    bool recolours; /* protected by `page`: cells have two looks, and none is copied */
    struct framebuffer framebuffer;

    pthread_mutex_t wake_lock; /* protects these two */
    void (*wake)(void *context);
    void *wake_context;

    pthread_mutex_t mutex;     /* protects all below */
    struct live_request asked; /* valid if asked_new */
    double asked_s;
    bool asked_new, stop, quit;
    int plan_stop;    /* polled by plans; lowered by the coordinator only */
    bool woken;       /* the window was woken and has not copied since */
    uint64_t passes;  /* number of begun and ended additions of samples to the pixels shown: odd
                         while one is under way, until told */
    uint64_t version; /* rises with every change of state or pixels; read as an atomic without */
    uint64_t copied;  /* version whose pixels were copied last */
    struct live_state state;
};

/* Accuracy of the settled picture of the request. */
double live_accuracy_px(const struct live *live);

/* Accuracy of previews. */
double live_preview_px(const struct live *live);

/* Forgets the tasks given out: a new context, or pool_cancel, has made them useless. */
void live_slots_clear(struct live_work *work);

#endif
