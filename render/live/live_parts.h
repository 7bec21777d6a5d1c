/* The inside of the engine: what the coordinator keeps, and what it shares with the window. For the
 * files of live*.c only.
 *
 * live.c: opening and closing. live_ask.c: the calls of any thread. live_run.c: the coordinator's
 * loop. live_next.c: which climb comes next. live_orbit.c: which reference orbit.
 * live_climb.c: pieces dealt and taken home.
 * live_loss.c: devices and ranks that fail or fall silent. live_state.c: what is told. */
#ifndef RENDER_LIVE_LIVE_PARTS_H
#define RENDER_LIVE_LIVE_PARTS_H

#include <math.h>
#include <pthread.h>

#include "decomposition/pool.h"
#include "render/live/ladder.h"
#include "render/live/limit.h"
#include "render/live/live.h"
#include "render/live/mosaic.h"
#include "render/live/orbit_maker.h"
#include "render/live/scene.h"
#include "render/picture.h"

struct live_slot { /* a task that is out */
    uint64_t id;   /* 0: free */
    int worker;
    int copies; /* 2: given to another as well, because the first is silent */
    struct ladder_deal deal;
};

struct live_staff { /* what the user has been told of a worker */
    int lanes;      /* at the beginning */
    int lanes_lost; /* and was told */
    bool silent;    /* and was told */
};

struct live_rate { /* iterations and work of the last second or so */
    double since_s;
    uint64_t iterations;
    double busy_s[LIVE_WORKERS_MAX];
};

/* The coordinator's alone. */
struct live_work {
    struct live_wish wish;
    bool begun;   /* there is a wish */
    bool stopped; /* by live_stop */
    bool failed;
    bool warned; /* the error told is not the picture's */
    struct palette *palette;
    struct look look; /* the wish's, with the palette */

    struct view_numbers numbers;
    unsigned planes; /* of the picture */
    double log10_zoom;
    int64_t limit;
    int64_t limit_found; /* of the last view whose limit was found: tried first; 0: none */
    bool automatic;      /* the limit; */
    bool searching;      /* it is being looked for, by coarse passes */
    struct limit_counts counts;
    struct plan preview, final;
    bool final_known;

    /* Perturbation: the orbit of this picture's centre, or one from before for previews. */
    struct orbit_made *own, *last;
    struct orbit_made *coming; /* what the maker is at, without its points; NULL: nothing */
    uint64_t orbit_number;
    struct scene blocks;   /* the preview whose blocks are the newest, */
    uint64_t blocks_orbit; /* and the number of its orbit */
    bool orbit_asked;      /* of the maker, for this picture and limit */
    double amplification;
    bool amplification_known;

    uint64_t epoch; /* of the newest scene */
    double climb_s; /* when this picture's first climb began; 0: not yet */
    uint64_t covered_version;
    uint64_t told_key; /* of its blocks, */
    double told_s;     /* and when it was told */
    bool scene_up;     /* it is that of this picture */
    bool exact;        /* its pixels are the settled ones */
    bool restarts;     /* this climb replaces pixels that are shown by better ones */
    bool whole;        /* all pixels are shown, by this limit or by one tried before */
    bool settled;
    bool recolour_due; /* its colours are not those of the wish: it was given up for another */
    int scene_failures;
    int sample;       /* of the pixels, being computed, 1 ... wish.samples - 1; 0: none */
    int samples_done; /* in the mean that is shown, the settled picture included */
    struct ladder ladder;
    struct live_slot *slot;
    int slots;
    uint64_t turn;    /* ids given */
    double sample_s;  /* of the climb before, as a guess; 0: none */
    double preview_s; /* of the previews before: exact samples may take much longer */
    struct distribution distribution;
    enum { MEASURED_NOT, MEASURED_COARSE, MEASURED_SETTLED } measured;
    struct live_rate rate;
    struct live_moments moments;
    uint64_t iterations;
    uint64_t count_min, count_max, samples, undecided;
};

struct live_loss { /* the first */
    enum status status;
    char text[STATUS_TEXT_BYTES];
};

struct live {
    struct world *world;
    struct studio *studio;
    struct pool *pool;
    struct scene_room room;
    int32_t cell_px;
    int64_t wave; /* of GPUs: see ladder.h; else 0 */
    int lanes;    /* of all ranks, at the beginning */
    int devices;  /* of all ranks; of processors: threads */
    double accuracy_px, split_s, row_s;
    double hold_s; /* a picture that nobody has seen anything of yet stays for so long */
    char *assets, *orbit_cache; /* orbit_cache: NULL: none */
    struct orbit_maker *maker;
    struct live_work work;
    struct live_loss loss;
    struct live_staff *staff; /* [pool_workers] */

    /* The window must not wait for work, however large the picture is. So nothing is allocated,
     * freed, painted or copied while somebody has `mutex`, and nothing but a few pointers is set
     * while the coordinator has `page`: it keeps the picture from being replaced while the window
     * copies it. The mosaic has locks of its own for that. Order: page, mutex. */
    pthread_mutex_t page;
    struct mosaic mosaic;

    pthread_mutex_t bell; /* of these two */
    void (*wake)(void *context);
    void *wake_context;

    pthread_mutex_t mutex;  /* of all below */
    struct live_wish asked; /* valid if asked_new */
    double asked_s;
    bool asked_new, stop, quit;
    bool woken;       /* nobody has looked since */
    uint64_t passes;  /* of samples into the pixels that is shown: odd while one is, until told */
    uint64_t version; /* rises with every change of state or pixels; read as an atomic without */
    uint64_t looked;  /* the version whose pixels were copied last */
    struct live_state state;
};

/* live_next.c */

/* Another picture is wished for: everything of the one before is given up. */
void live_picture_begin(struct live *live, double asked_s);

/* Begins whatever comes next, if what there is has come to its end or something has arrived. */
void live_advance(struct live *live);

/* The mean of samples is to begin anew. */
void live_samples_drop(struct live *live);

/* live_run.c */

/* Is nothing else wished for than this picture? */
bool live_colours_wanted(void *live);

/* live_orbit.c */
struct spec live_spec(const struct live_work *work, const struct plan *plan);

/* Asks for an orbit where one is missing. */
void live_orbit_want(struct live *live);

/* Takes what the maker has. */
void live_orbit_collect(struct live *live);

/* The orbit of this picture is from now on one from before. */
void live_orbit_retire(struct live_work *work);

/* The orbit that there is for a scene, whose offset from it is noted there; NULL: none yet. */
const struct orbit_made *live_orbit_for(struct live_work *work, bool exact, struct scene *scene);

/* live_climb.c */

/* Forgets what is out: a new scene, or pool_cancel, has made it useless. */
void live_slots_clear(struct live_work *work);

/* Gives pieces to whoever may have some. */
void live_deal(struct live *live);

/* Takes home what there is. */
void live_collect(struct live *live);

/* live_loss.c */

#define LIVE_SILENT_S 3.0 /* a worker that is not heard of for so long: others get what it has */

/* News of a task, a scene or a worker that failed: is told, where it is a loss. */
void live_loss_note(struct live *live, const struct pool_result *result);

/* Whose devices were lost in silence, who does not answer, who does again? */
void live_loss_watch(struct live *live);

/* May there be something to watch although nothing computes? */
bool live_loss_awaited(const struct live *live);

/* Fails the picture if there is nothing left to compute it with. */
void live_loss_check(struct live *live);

/* How the user knows a worker: "rank 2 on node7". */
enum { LIVE_NAME_BYTES = 96 };
const char *live_name(const struct live *live, int worker, char name[LIVE_NAME_BYTES]);

/* live_state.c */

/* Brings the state up to date, and wakes the window. */
void live_tell(struct live *live);

/* Measures the distribution of what is newly there, coarse pixels first. */
void live_distribution_note(struct live *live);

/* Something else has gone wrong: tells status_text until the next wish. */
void live_warn(struct live *live);

/* Something has gone wrong with this picture: tells status_text, and computes no more of it. */
void live_fail(struct live *live);

/* Copies with texts of its own; `to` must be zeroed or valid. */
/* Of the settled picture of the wish, and of its previews. */
static inline double live_accuracy_px(const struct live *live)
{
    return live->work.wish.accuracy_px > 0 ? live->work.wish.accuracy_px : live->accuracy_px;
}

static inline double live_preview_px(const struct live *live)
{
    return fmax(live_accuracy_px(live), PLAN_ACCURACY_DEFAULT_PX);
}

enum status live_wish_copy(struct live_wish *to, const struct live_wish *from);

/* With the mutex: there is something new. Returns whether somebody is to be told. */
bool live_news_note(struct live *live);

/* Tells. Without the mutex: whoever is woken may get this very core, and would wait for it. */
void live_ring(struct live *live);

#endif
