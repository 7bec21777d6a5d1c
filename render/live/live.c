#include "render/live/live.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/thread/clock.h"
#include "decomposition/message/message.h"
#include "decomposition/pool/join.h"
#include "decomposition/pool/joined.h"
#include "decomposition/pool/pool.h"
#include "render/live/refinement.h"
#include "render/live/limit.h"
#include "render/live/losses.h"
#include "render/live/framebuffer.h"
#include "render/live/orbits.h"
#include "render/worker/rank_worker.h"
#include "render/motion/screen_threads.h"
#include "render/picture/picture.h"
#include "render/picture/picture_plan.h"
#include "render/plan/plan_samples.h"

enum {
    CELL_PX = 128,      /* cells for cores: a few milliseconds in most views */
    CELL_PX_MANY = 256, /* cells for a rank with more than MANY_THREADS */
    MANY_THREADS = 16,
    CELL_PX_WIDE = 512, /* cells for GPUs */
    CELL_PX_GPUS = 256, /* cells for more than MANY_GPUS GPUs */
    MANY_GPUS = 4,
    WAVE = 1 << 17, /* pixels that a GPU computes as fast as a few */
    /* Most pixels of a painter in a picture that is computed at once: 0.5 ms, with relief 1.3,
     * where no other thread wants the cores. A larger one is covered by squares of COVER_STRIDE
     * pixels first, in a quarter of that and less. */
    PAINT_AT_ONCE = 1 << 17,
    COVER_STRIDE = 4,
    BIG_SAMPLES = 1 << 15,
    BIG_ROWS = 8,     /* only every 8th row of a big piece is counted */
    PREVIEW_LAST = 2, /* the finest stride of previews that exact pixels are waiting for */
    TICK_US = 100000  /* interval at which figures are told while something computes */
};

#define SLICE_CORES_S 0.010 /* longest slice of work that cannot be cancelled */
#define SLICE_GPU_S 0.004
#define HOLD_CORES_S 0.030 /* holding time of a picture, less than a cancel may take */
#define HOLD_GPU_S 0.006
#define SPLIT_CORES_S 0.030 /* longest piece */
#define SPLIT_GPU_S 0.008
/* Longest row of cells that is one piece: dealing and painting a piece takes 0.06 ms. */
#define ROW_CORES_S 0.001
#define RATE_S 0.5         /* least time over which speeds are measured */
#define COLOURS_HOLD_S 0.1 /* holding time of colours, more than a window takes to copy */
#define BLOCKS_S 2.0       /* longest wait for blocks */
/* Time below which a picture is computed at once, not refined. On GPUs few samples take as long as
 * many, so that the expected time is too large. */
#define AT_ONCE_S 0.008
#define AT_ONCE_GPU_S 0.016

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
static double accuracy_px(const struct live *live)
{
    return live->work.request.accuracy_px > 0 ? live->work.request.accuracy_px : live->accuracy_px;
}

static double preview_px(const struct live *live)
{
    return fmax(accuracy_px(live), ACCURACY_DEFAULT_PX);
}

/* Forgets the tasks given out: a new context, or pool_cancel, has made them useless. */
static void slots_clear(struct live_work *work)
{
    for (int i = 0; i < work->slots; i++)
        work->slot[i].id = 0;
}

/* ---- workers of the pool, and those of other jobs behind them ---- */

static int workers_all(const struct live *live)
{
    return pool_workers(live->pool) + join_workers(live->join);
}

static const struct pool_worker *worker_of(const struct live *live, int w)
{
    int own = pool_workers(live->pool);
    return w < own ? pool_worker(live->pool, w) : join_worker(live->join, w - own);
}

static bool may_give(const struct live *live, int w)
{
    int own = pool_workers(live->pool);
    return w < own ? pool_may_give(live->pool, w) : join_may_give(live->join, w - own);
}

static enum status worker_give_task(struct live *live, int w, const struct pool_task *task)
{
    int own = pool_workers(live->pool);
    return w < own ? pool_give(live->pool, w, task) : join_give(live->join, w - own, task);
}

static bool result_take(struct live *live, struct pool_result *result)
{
    if (pool_take(live->pool, result))
        return true;
    if (!live->join || !join_take(live->join, result))
        return false;
    result->worker += pool_workers(live->pool);
    return true;
}

static void tasks_cancel(struct live *live)
{
    pool_cancel(live->pool);
    if (live->join)
        join_cancel(live->join);
}

/* ---- who computes ---- */

/* Workers that are alive, of those that the request wants or of all. */
static struct worker_set set_alive(const struct live *live, bool all)
{
    const struct live_request *request = &live->work.request;
    struct worker_set set = {0};
    int workers = workers_all(live);
    for (int w = 0; w < workers; w++) {
        bool wanted =
            (!request->workers || w < request->workers) && !worker_set_has(&request->without, w);
        if ((all || wanted) && worker_of(live, w)->alive)
            worker_set_add(&set, w);
    }
    return set;
}

/* Workers that compute: those that the request wants; all, if none of those is alive. */
static struct worker_set set_computing(const struct live *live)
{
    struct worker_set set = set_alive(live, false);
    return worker_set_count(&set) ? set : set_alive(live, true);
}

/* Notes who computes the picture from now on. */
static void set_note(struct live_work *work, const struct worker_set *set)
{
    work->set_changed |= !worker_set_same(&work->set, set);
    work->set = *set;
}

/* ---- what the window is told ---- */

/* Notes something new, with the mutex. Returns whether the window is to be woken. */
static bool news_note(struct live *live)
{
    bool first = !live->woken;
    __atomic_add_fetch(&live->version, 1, __ATOMIC_RELEASE);
    live->woken = true;
    return first;
}

/* Wakes the window, without the mutex: its thread may get this very core, and would wait for the
 * mutex. */
static void window_ring(struct live *live)
{
    pthread_mutex_lock(&live->wake_lock);
    if (live->wake)
        live->wake(live->wake_context);
    pthread_mutex_unlock(&live->wake_lock);
}

/* Samples of a pixel of the settled picture. */
static int samples_wanted(const struct live_work *work)
{
    if (work->request.samples != LIVE_SAMPLES_PLAN)
        return work->request.samples;
    return work->final_known ? plan_samples(&work->final, &work->known, work->limit) : 1;
}

/* Are samples missing in the mean of a settled picture? */
static bool samples_miss(const struct live_work *work)
{
    return work->settled && work->request.pace == LIVE_SETTLED &&
           work->samples_done < samples_wanted(work);
}

static enum live_stage stage_of(const struct live_work *work)
{
    if (work->failed)
        return LIVE_FAILED;
    if (!work->begun)
        return LIVE_NOTHING;
    if ((work->sample || samples_miss(work)) && !work->stopped)
        return LIVE_SAMPLES;
    if (work->settled || work->stopped)
        return LIVE_DONE;
    if (!work->context_up)
        return LIVE_ORBIT;
    if (!work->exact && !work->searching && refinement_done(&work->refinement))
        return work->request.pace == LIVE_MOVING ? LIVE_DONE : LIVE_FINE;
    int stride = work->restarts ? 1 : refinement_stride(&work->refinement);
    return stride == 0  ? LIVE_COARSE
           : stride > 4 ? LIVE_QUARTER
           : stride > 2 ? LIVE_HALF
                        : LIVE_FINE;
}

static void method_tell(const struct live_work *work, struct live_state *state)
{
    const struct plan *plan = work->exact && work->final_known ? &work->final : &work->preview;
    const struct orbit_made *orbit = work->orbits.own ? work->orbits.own : work->orbits.last;
    state->predicted_px = plan->error_px[plan->number];
    state->deep = plan->method == METHOD_PERTURBATION;
    if (!state->deep)
        snprintf(state->method, sizeof state->method, "direct, %s", plan_number_name(plan->number));
    else if (orbit)
        snprintf(state->method, sizeof state->method, "perturbation, %lld steps at %ld bits%s",
                 (long long)orbit->steps, orbit->bits, work->orbits.own ? "" : ", from nearby");
    else
        snprintf(state->method, sizeof state->method, "perturbation");
}

static void worker_tell(struct live_worker *to, const struct pool_worker *from)
{
    to->rank = from->rank;
    to->compute_s = from->busy_s / (from->threads > 0 ? from->threads : 1);
    to->transfer_s = from->transfer_s;
    memcpy(to->host, from->host, sizeof to->host);
    to->threads = from->threads;
    to->alive = from->alive;
    to->heard_s = from->heard_s;
    to->tiles = from->tiles;
    to->late = from->late;
    to->iterations = from->iterations;
    to->bytes = from->bytes;
    to->transport = from->transport;
}

/* Measures speeds since the last measurement, if that is long enough ago. */
static void rates_tell(struct live *live, struct live_state *state, double now)
{
    struct live_rate *rate = &live->work.rate;
    double seconds = now - rate->since_s;
    if (seconds < RATE_S)
        return;
    uint64_t iterations = 0;
    for (int w = 0; w < state->workers; w++) {
        const struct pool_worker *from = worker_of(live, w);
        double busy = (from->busy_s - rate->busy_s[w]) / seconds;
        busy /= from->threads > 0 ? from->threads : 1;
        state->worker[w].busy = busy < 0 ? 0 : busy > 1 ? 1 : busy;
        rate->busy_s[w] = from->busy_s;
        /* a job that has joined may have the number of one that has left, and counts from 0 */
        if (from->iterations > rate->iterations[w])
            iterations += from->iterations - rate->iterations[w];
        rate->iterations[w] = from->iterations;
    }
    state->iterations_per_s = (double)iterations / seconds;
    rate->since_s = now;
}

/* Tells of a worker that has joined by what it computes. */
static void joined_tell(const struct live *live, struct live_worker *to, int w)
{
    const struct backend_kind *kind;
    int own = pool_workers(live->pool);
    bool known =
        w >= own && backend_kind_find(&kind, join_backend(live->join, w - own)) == STATUS_OK;
    if (w < own)
        return;
    to->backend = known ? kind->name : "";
    to->gpu = known && kind->memory;
}

static void workers_tell(struct live *live, struct live_state *state, double now)
{
    int workers = workers_all(live), own = pool_workers(live->pool), threads = 0;
    struct worker_set set = set_computing(live);
    state->workers = workers < LIVE_WORKERS_MAX ? workers : LIVE_WORKERS_MAX;
    state->late = 0;
    for (int w = 0; w < workers; w++) {
        const struct pool_worker *worker = worker_of(live, w);
        threads += worker->alive && w < own ? worker->threads : 0;
        state->late += worker->late;
        if (w >= state->workers)
            continue;
        worker_tell(&state->worker[w], worker);
        joined_tell(live, &state->worker[w], w);
        state->worker[w].computes = worker_set_has(&set, w);
    }
    state->threads_lost = live->threads - threads;
    state->computing = worker_set_count(&set);
    state->picture_s = set_times_of(&live->work.times, &set);
    state->picture_one_s = set_times_one(&live->work.times);
    rates_tell(live, state, now);
}

/* Notes the time when all devices of this rank have left the picture before, and other ranks are
 * ready. */
static void cancelled_note(struct live *live, double now)
{
    struct live_work *work = &live->work;
    bool others = true;
    for (int w = 0; w < pool_workers(live->pool); w++) {
        const struct pool_worker *worker = pool_worker(live->pool, w);
        others &= worker->rank == 0 || !worker->alive || worker->ready || !work->context_up;
    }
    double idle = live->worker.device_set.threads ? rank_worker_idle_s(&live->worker) : now;
    const struct pool_worker *first = pool_worker(live->pool, 0);
    if (first->rank == 0 && first->outstanding && first->ready) /* working on the new picture */
        idle = now;
    if (idle > 0 && others && work->moments.asked > 0)
        work->moments.cancelled = idle > work->moments.asked ? idle : work->moments.asked;
}

static void progress_tell(struct live *live, struct live_state *state)
{
    struct live_work *work = &live->work;
    const struct refinement *refinement = &work->refinement;
    double done = refinement->samples_all > 0
                      ? (double)refinement->samples_done / (double)refinement->samples_all
                      : 0;
    state->done = work->settled ? 1 : work->context_up && !work->searching ? done : 0;
    state->sample_done = work->sample ? done : 0;
    state->samples = samples_wanted(work);
    state->samples_done = work->settled ? work->samples_done : 0;
    state->smooth = work->settled && work->sample == 0 && work->samples_done >= state->samples;
    struct orbit_progress orbit = orbit_maker_progress(work->orbits.maker);
    bool waits = work->orbits.asked && !work->orbits.own;
    state->orbit_s = waits ? orbit.seconds : 0;
    state->orbit_steps = waits ? orbit.steps : 0;
    state->orbit_most = waits ? orbit.most : 0;
}

/* Is anything at work whose result will arrive? */
static bool is_at_work(const struct live *live)
{
    const struct live_work *work = &live->work;
    if (!work->begun || work->failed || work->stopped)
        return false;
    return !work->context_up || !refinement_done(&work->refinement) ||
           (work->orbits.asked && !work->orbits.amplification_known);
}

/* Adds the time since the last call to that of work, if there was any. */
static void work_tell(struct live *live, struct live_state *state, double now)
{
    struct live_work *work = &live->work;
    if (work->worked)
        work->work_s += now - work->worked_s;
    work->worked = is_at_work(live);
    work->worked_s = now;
    state->work_s = work->work_s;
    state->compose_s = work->compose_s;
}

/* Brings the state up to date, and wakes the window. */
static void state_tell(struct live *live)
{
    struct live_work *work = &live->work;
    struct live_state *state = &live->state;
    double now = clock_s();
    if (work->moments.cancelled == 0)
        cancelled_note(live, now);
    pthread_mutex_lock(&live->mutex);
    if (work->begun && !work->recolour_due)
        state->serial = work->request.serial;
    state->stage = stage_of(work);
    state->stride = work->restarts || work->settled ? 1 : refinement_stride(&work->refinement);
    state->settled = work->settled;
    state->covered = work->moments.covered > 0;
    state->stopped = work->stopped;
    state->limit = work->limit;
    state->iterations = work->iterations;
    state->count_min = work->count_min;
    state->count_max = work->count_max;
    state->undecided = work->samples ? (double)work->undecided / (double)work->samples : 0;
    state->moments = work->moments;
    if (!work->failed && !work->warned)
        state->error[0] = '\0';
    progress_tell(live, state);
    live->passes += live->passes & 1 && !work->mixed;
    method_tell(work, state);
    workers_tell(live, state, now);
    work_tell(live, state, now);
    bool ring = news_note(live);
    if (work->recoloured_version == UINT64_MAX)
        work->recoloured_version = live->version;
    if (state->covered && work->covered_version == UINT64_MAX)
        work->covered_version = live->version;
    pthread_mutex_unlock(&live->mutex);
    if (ring)
        window_ring(live);
}

/* Measures the distribution of new pixels, coarse ones first. Returns whether there were any. */
static bool distribution_note(struct live *live)
{
    struct live_work *work = &live->work;
    int wanted = work->settled               ? MEASURED_SETTLED
                 : work->moments.covered > 0 ? MEASURED_COARSE
                                             : MEASURED_NOT;
    if ((int)work->measured >= wanted)
        return false;
    distribution_measure_coarse(&work->distribution, &live->framebuffer.field,
                                work->settled ? 1 : SUBGRID_STRIDE_MOST);
    survey_take(&work->survey, &live->framebuffer.field, work->settled ? 1 : SUBGRID_STRIDE_MOST);
    work->measured = work->settled ? MEASURED_SETTLED : MEASURED_COARSE;
    pthread_mutex_lock(&live->mutex);
    live->state.distribution = work->distribution;
    live->state.survey = work->survey;
    live->state.measured++;
    live->state.measured_picture = live->state.picture;
    pthread_mutex_unlock(&live->mutex);
    return true;
}

static void error_tell(struct live *live)
{
    pthread_mutex_lock(&live->mutex);
    snprintf(live->state.error, sizeof live->state.error, "%s", status_text());
    pthread_mutex_unlock(&live->mutex);
}

/* Reports another error: tells status_text until the next request. */
static void warn(struct live *live)
{
    live->work.warned = true;
    error_tell(live);
}

/* Fails this picture: tells status_text, and computes no more of it. */
static void fail(struct live *live)
{
    live->work.failed = true;
    tasks_cancel(live);
    slots_clear(&live->work);
    error_tell(live);
}

/* ---- losses ---- */

static void trouble_tell(void *context, const char *text)
{
    struct live *live = context;
    pthread_mutex_lock(&live->mutex);
    snprintf(live->state.trouble, sizeof live->state.trouble, "%s", text);
    live->state.troubles++;
    pthread_mutex_unlock(&live->mutex);
}

/* Fails the picture if there is nothing left to compute it with. */
static void left_check(struct live *live)
{
    if (!live->work.failed && losses_left(&live->losses) != STATUS_OK)
        fail(live);
}

enum status live_losses(const struct live *live)
{
    return losses_status(&live->losses);
}

/* ---- requests ---- */

static bool orbit_rule_same(const struct live_request *a, const struct live_request *b)
{
    return a->orbit.stripes == b->orbit.stripes && a->orbit.trap_re == b->orbit.trap_re &&
           a->orbit.trap_im == b->orbit.trap_im && a->orbit.trap_radius == b->orbit.trap_radius;
}

/* Planes to compute that direct iteration of z^2 + c alone finds. Julia sets have no distances
 * inside. */
static unsigned direct_planes_wanted(const struct live_request *request)
{
    if (!formula_quadratic(&request->formula))
        return 0;
    bool julia = request->formula.plane == DYNAMIC_PLANE;
    return request->planes &
           (unsigned)(PLANE_MASK_ORBIT | (julia ? PLANE_MASK_PERIOD : PLANE_MASK_ATTRACTOR));
}

/* Planes to compute. Distances are nearly free in perturbation, of a deep picture; direct iteration
 * takes twice as long with them. */
static unsigned planes_wanted(const struct live_request *request, bool deep)
{
    const struct formula *formula = &request->formula;
    bool wanted =
        formula_has_distances(formula) && (request->distances == LIVE_DISTANCES_ALL ||
                                           (request->distances == LIVE_DISTANCES_FREE && deep));
    return CONTEXT_PLANES | (wanted ? PLANE_MASK_DISTANCE : 0) |
           (formula_roots(formula) ? PLANE_MASK_PHASE : 0) | (request->planes & PLANE_MASK_PHASE) |
           (deep ? 0 : direct_planes_wanted(request));
}

/* Has the picture the planes of this request? Distances of a deep one stay, since they are nearly
 * free and change no colour without relief and lines. */
static bool planes_suffice(const struct live_work *work, const struct live_request *next)
{
    unsigned wanted = planes_wanted(next, work->deep);
    return wanted == work->planes || (work->deep && (wanted | PLANE_MASK_DISTANCE) == work->planes);
}

/* Is it the picture of the request in work, perhaps computed again? With the mutex, or by the
 * coordinator. */
static bool same_again(const struct live *live, const struct live_request *next)
{
    const struct live_request *now = &live->work.request;
    return view_same(&now->view, &next->view) && now->limit == next->limit &&
           now->limit_most == next->limit_most && now->bailout == next->bailout &&
           orbit_rule_same(now, next) && now->accuracy_px == next->accuracy_px &&
           formula_same(&now->formula, &next->formula) && planes_suffice(&live->work, next);
}

/* Is it that picture, and not to be computed again? */
static bool same_picture(const struct live *live, const struct live_request *next)
{
    return live->work.request.again == next->again && same_again(live, next);
}

static bool same_look(const struct live_request *a, const struct live_request *b)
{
    return !strcmp(a->palette, b->palette) && look_same(&a->look, &b->look);
}

/* Loads a palette; after a failure the one before stays, if there is one. */
static enum status palette_take(struct live *live, const char *name)
{
    struct live_work *work = &live->work;
    struct palette *palette;
    TRY(palette_load(&palette, live->assets, name));
    palette_destroy(work->palette);
    work->palette = palette;
    return STATUS_OK;
}

/* Takes the look of the request. `before`: the request until now, or NULL. */
static void look_take(struct live *live, const struct live_request *before)
{
    struct live_work *work = &live->work;
    bool another = !before || work->warned || strcmp(before->palette, work->request.palette);
    work->warned = false;
    if (another && palette_take(live, work->request.palette) != STATUS_OK) {
        if (work->palette)
            warn(live);
        else
            fail(live);
    }
    work->look = work->request.look;
    work->look.palette = work->palette;
}

/* Time that a request must wait, with the mutex, because nothing of this picture, or of its newest
 * colours, was shown yet: otherwise quick motions would never show a picture, and gliding colours
 * only half of theirs. 0: no wait. */
static double hold_left(const struct live *live)
{
    const struct live_work *work = &live->work;
    if (!live->asked_new || !work->begun || work->failed || work->stopped || work->pass_s == 0)
        return 0;
    bool same = same_picture(live, &live->asked);
    bool seen = same ? live->copied >= work->recoloured_version
                     : work->moments.covered > 0 && live->copied >= work->covered_version;
    double since_s = same ? work->recoloured_s : work->pass_s;
    double left = since_s + (same ? COLOURS_HOLD_S : live->hold_s) - clock_s();
    return !seen && left > 0 ? left : 0;
}

/* Is this still the requested picture? Another look must wait, or none would be shown while
 * colours change all the time. */
static bool picture_wanted(void *context)
{
    struct live *live = context;
    pthread_mutex_lock(&live->mutex);
    bool another = live->work.begun && live->asked_new && hold_left(live) == 0 &&
                   !same_picture(live, &live->asked);
    pthread_mutex_unlock(&live->mutex);
    return !another;
}

/* ---- tasks that are out ---- */

static struct live_slot *slot_free(struct live_work *work)
{
    for (int i = 0; i < work->slots; i++)
        if (!work->slot[i].id)
            return &work->slot[i];
    return NULL;
}

static struct live_slot *slot_of(struct live_work *work, uint64_t id)
{
    struct live_slot *slot = &work->slot[id % (uint64_t)work->slots];
    return slot->id == id ? slot : NULL;
}

/* Id of a slot: unique, and the slot follows from it. */
static uint64_t slot_id(struct live_work *work, const struct live_slot *slot)
{
    return ++work->ids_given * (uint64_t)work->slots + (uint64_t)(slot - work->slot);
}

/* ---- dealing ---- */

static void task_give(struct live *live, struct live_slot *slot, int worker)
{
    struct live_work *work = &live->work;
    struct pool_task task =
        work_piece_task(work->epoch, slot->id, &slot->deal.piece, live->framebuffer.field.planes,
                        live->framebuffer.field.count_bytes);
    if (worker_give_task(live, worker, &task) == STATUS_OK) {
        slot->copies++;
        slot->worker = worker;
        return;
    }
    if (slot->copies)
        return;
    /* the worker is dead, which the pool will report */
    refinement_back(&work->refinement, &slot->deal);
    slot->id = 0;
}

static bool deal_one(struct live *live, int worker)
{
    struct live_work *work = &live->work;
    struct live_slot *slot = slot_free(work);
    struct refinement_deal deal;
    if (!slot || !refinement_next(&work->refinement, &deal))
        return false;
    *slot = (struct live_slot){.id = slot_id(work, slot), .worker = worker, .deal = deal};
    task_give(live, slot, worker);
    return true;
}

static bool is_silent(const struct live *live, int worker)
{
    return worker_of(live, worker)->heard_s >= LOSSES_SILENT_S;
}

/* May one more worker get this task? Silent ranks of the job are two at most, jobs that have joined
 * may be any number. */
static bool is_stuck(const struct live *live, const struct live_slot *slot)
{
    if (!slot->id || slot->worker < 0)
        return slot->id != 0;
    bool joined = slot->worker >= pool_workers(live->pool);
    return (slot->copies < 2 || joined) && is_silent(live, slot->worker);
}

/* Deals to an idle worker, when nothing else is left, the task of a silent one. */
static void deal_again(struct live *live, int worker)
{
    struct live_work *work = &live->work;
    if (is_silent(live, worker))
        return;
    for (int i = 0; i < work->slots; i++) {
        struct live_slot *slot = &work->slot[i];
        if (slot->worker == worker || !is_stuck(live, slot))
            continue;
        task_give(live, slot, worker);
        return;
    }
}

/* Deals pieces to the workers that compute and can take some. */
static void deal(struct live *live)
{
    struct live_work *work = &live->work;
    struct worker_set set = set_computing(live);
    bool some = work->context_up && !work->stopped && !work->failed;
    set_note(work, &set);
    while (some) { /* one each, so that the first does not get all */
        some = false;
        for (int w = 0; w < workers_all(live); w++) {
            if (!worker_set_has(&set, w) || !may_give(live, w))
                continue;
            if (deal_one(live, w))
                some = true;
            else
                deal_again(live, w);
        }
    }
}

/* ---- results ---- */

static void counts_note(struct live_work *work, const struct field *from, int32_t row)
{
    for (int32_t x = 0; x < from->width; x++) {
        uint64_t count = field_count_at(from, (size_t)row * (size_t)from->width + (size_t)x);
        work->samples++;
        if (!count) {
            work->undecided++;
            continue;
        }
        if (!work->count_min || count < work->count_min)
            work->count_min = count;
        if (count > work->count_max)
            work->count_max = count;
    }
}

/* Counts for the limit the samples of the coarsest subgrid. */
static void limit_note(struct limit_counts *counts, const struct subgrid *subgrid,
                       const struct field *from)
{
    int32_t step = SUBGRID_STRIDE_MOST / subgrid->stride;
    if (subgrid->x % SUBGRID_STRIDE_MOST || subgrid->y % SUBGRID_STRIDE_MOST)
        return;
    for (int32_t row = 0; row < from->height; row += step)
        for (int32_t x = 0; x < from->width; x += step)
            limit_count(counts,
                        field_count_at(from, (size_t)row * (size_t)from->width + (size_t)x));
}

/* Notes counts of a piece's samples. */
static void piece_note(struct live *live, const struct work_piece *piece, const void *bytes)
{
    int count_bytes = live->framebuffer.field.count_bytes;
    unsigned planes = live->framebuffer.field.planes;
    struct subgrid subgrid[SUBGRIDS_MOST];
    int count = work_piece_subgrids(piece, subgrid);
    for (int i = 0; i < count; i++) {
        struct field from;
        field_over(&from, subgrid[i].width, subgrid[i].height, planes, count_bytes,
                   (void *)(uintptr_t)bytes); /* only read */
        int64_t samples = (int64_t)from.width * from.height;
        int32_t step = samples > BIG_SAMPLES ? BIG_ROWS : 1;
        for (int32_t row = 0; row < from.height; row += step)
            counts_note(&live->work, &from, row);
        if (live->work.searching)
            limit_note(&live->work.counts, &subgrid[i], &from);
        bytes = (const char *)bytes + subgrid_bytes(&subgrid[i], planes, count_bytes);
    }
}

/* Are the pixels of this pass painted? Samples are added to the mean when all have arrived, and
 * where finer pixels are shown a search of the limit only counts. */
static bool pass_paints(const struct live_work *work)
{
    return !work->sample && !(work->searching && work->restarts);
}

/* Paints a piece; false: another picture is wanted. */
static bool piece_paint(struct live *live, const struct work_piece *piece, const void *bytes)
{
    struct live_work *work = &live->work;
    if (work->sample)
        framebuffer_sample_put(&live->framebuffer, piece, bytes);
    return !pass_paints(work) ||
           framebuffer_put(&live->framebuffer, &work->look, piece, bytes, picture_wanted, live);
}

/* Notes that cells have reached a stride, where all their parts have arrived. */
static void cells_reach(struct live *live, const struct live_slot *slot, int rank)
{
    struct live_work *work = &live->work;
    for (int32_t i = slot->deal.cell; i < slot->deal.cell + slot->deal.cells; i++)
        if (!work->refinement.cell[i].to)
            framebuffer_reach(&live->framebuffer, &work->look, i, slot->deal.piece.to, rank);
}

/* Tells where a piece of a worker has arrived, with the mutex. */
static void arrival_tell(struct live_state *state, int worker, const struct work_piece *piece,
                         double now)
{
    state->arrival[++state->arrivals % LIVE_ARRIVALS] =
        (struct live_arrival){.worker = worker,
                              .x = piece->x,
                              .y = piece->y,
                              .width = piece->width,
                              .height = piece->height,
                              .at_s = now};
}

/* Takes a piece; false: it is not wanted any more, or to be dealt again. */
static bool piece_arrived(struct live *live, const struct live_slot *slot,
                          const struct pool_result *result)
{
    struct live_work *work = &live->work;
    double begun_s = clock_s();
    if (!piece_paint(live, &slot->deal.piece, result->bytes))
        return false;
    refinement_arrived(&work->refinement, &slot->deal, result->busy_s);
    work->iterations += result->iterations;
    if (!work->sample)
        piece_note(live, &slot->deal.piece, result->bytes);
    if (pass_paints(work))
        cells_reach(live, slot, worker_of(live, result->worker)->rank);
    double now_s = clock_s();
    work->compose_s += now_s - begun_s;
    pthread_mutex_lock(&live->mutex);
    arrival_tell(&live->state, result->worker, &slot->deal.piece, now_s);
    bool ring = news_note(live);
    pthread_mutex_unlock(&live->mutex);
    if (ring)
        window_ring(live);
    return true;
}

static void task_arrived(struct live *live, const struct pool_result *result)
{
    struct live_work *work = &live->work;
    struct live_slot *slot = slot_of(work, result->task.id);
    if (!slot)
        return;
    if (result->status == STATUS_OK && piece_arrived(live, slot, result))
        slot->id = 0;
    else if (result->status == STATUS_OK || --slot->copies == 0) {
        /* cancelled, or its worker is dead: to be dealt again */
        refinement_back(&work->refinement, &slot->deal);
        slot->id = 0;
    } else if (slot->worker == result->worker)
        slot->worker = -1;
}

/* Notes a worker that cannot take part; fails when none can. */
static void context_failed(struct live *live, const struct pool_result *result)
{
    char name[LOSSES_NAME_BYTES];
    int alive = 0, workers = pool_workers(live->pool);
    for (int w = 0; w < workers; w++)
        alive += pool_worker(live->pool, w)->alive;
    if (++live->work.context_failures < alive)
        return;
    status_fail(result->status, "%s: %.900s", losses_name(&live->losses, result->worker, name),
                result->text);
    fail(live);
}

/* Is the failure final? Any other than of a device would repeat. */
static bool is_final(enum status status)
{
    return status != STATUS_OK && status != STATUS_STOPPED && status != STATUS_DEVICE_LOST;
}

/* Has the picture a colour everywhere, which is not noted yet? */
static bool covered_now(const struct live_work *work)
{
    return work->moments.covered == 0 && work->context_up &&
           refinement_stride(&work->refinement) > 0;
}

/* Takes all results of the pool, or those until the picture is covered: where devices compute
 * faster than pixels are painted, there are always more. Returns whether its picture is still
 * wanted: if not, the other results are neither painted nor followed by new tasks, which the next
 * picture would wait for. */
static bool collect(struct live *live)
{
    struct pool_result result;
    while (picture_wanted(live)) {
        if (!result_take(live, &result))
            return true;
        bool own = result.worker < pool_workers(live->pool);
        if (own && result.status != STATUS_OK && losses_note(&live->losses, &result))
            left_check(live);
        if (!own && result.kind == POOL_WORKER)
            trouble_tell(live, result.text);
        if (result.kind == POOL_CONTEXT)
            context_failed(live, &result);
        if (result.kind != POOL_TASK)
            continue;
        task_arrived(live, &result);
        if (is_final(result.status) && worker_of(live, result.worker)->alive) {
            status_fail(result.status, "%s", result.text);
            fail(live);
        }
        deal(live); /* before painting, so that devices do not wait for it */
        if (covered_now(&live->work))
            return true;
    }
    return false;
}

static double at_once_s(const struct live *live)
{
    return live->wave > 0 ? AT_ONCE_GPU_S : AT_ONCE_S;
}

/* ---- plans ---- */

/* Is direct iteration impossible anyway? Where not even c fits into doubles no orbits need to be
 * computed to decide that. */
static bool plan_is_plain(struct live *live, double accuracy_px, struct plan *plan)
{
    struct live_work *work = &live->work;
    if (!formula_perturbed(&work->request.formula) ||
        plan_error_px(&work->numbers, &work->request.formula, NUMBER_FP64, 1) <= ERROR_MAX_PX)
        return false;
    *plan = (struct plan){.method = METHOD_PERTURBATION,
                          .number = NUMBER_FP64,
                          .accuracy_px = accuracy_px,
                          .error_px = {[NUMBER_FP64] = accuracy_px},
                          .count_bytes = work->limit <= (int64_t)UINT32_MAX ? 4 : 8};
    return true;
}

/* Planes that a plan goes by. Perturbation leaves those of direct iteration alone 0 here; of them
 * sums along orbits need doubles, as phases do. */
static unsigned planes_planned(unsigned planes)
{
    unsigned left = planes & ~(unsigned)(PLANE_MASK_ATTRACTOR | PLANE_MASK_ORBIT);
    return left | (planes & PLANE_MASK_ORBIT ? PLANE_MASK_PHASE : 0);
}

/* Makes a plan. Both plans of a picture use the facts about its view, which take nearly all of
 * their time. STATUS_STOPPED: to be made again. */
static enum status plan_make(struct live *live, double accuracy_px, struct plan *plan)
{
    struct live_work *work = &live->work;
    struct view_numbers numbers;
    struct plan made;
    struct picture picture = {.view = work->request.view,
                              .spec.limit = work->limit,
                              .spec.bailout = work->request.bailout,
                              .spec.formula = work->request.formula,
                              .spec.planes = planes_planned(work->planes),
                              .accuracy_px = accuracy_px,
                              .blocks = BLOCKS_QUARTIC,
                              .schedule = "auto",
                              .transport = "auto",
                              .known = &work->known};
    if (!(work->known.error_amplification.direct > 0))
        work->known = picture_know(&picture, NULL, &live->plan_stop);
    enum status status = picture_plan(&picture, &renderer_info(live->renderer)->facts,
                                      &live->plan_stop, &numbers, &made);
    if (status == STATUS_STOPPED)
        work->known = (struct picture_known){.nucleus = -1};
    TRY(status);
    work->numbers = numbers;
    *plan = made;
    return STATUS_OK;
}

/* Makes a plan where it is missing. Returns whether it exists now; not if another picture is
 * requested meanwhile. */
static bool plan_want(struct live *live, bool *known, double accuracy_px, struct plan *plan)
{
    enum status status = *known ? STATUS_OK : plan_make(live, accuracy_px, plan);
    *known = status == STATUS_OK;
    if (status != STATUS_OK && status != STATUS_STOPPED)
        fail(live);
    return *known;
}

static bool same_pixels(const struct plan *a, const struct plan *b)
{
    return a->method == METHOD_DIRECT && b->method == METHOD_DIRECT && a->number == b->number;
}

/* Makes the plans; that of the settled picture when it is needed first. */
static void plans_want(struct live *live)
{
    struct live_work *work = &live->work;
    if (!plan_want(live, &work->preview_known, preview_px(live), &work->preview))
        return;
    if (work->final_known || work->request.pace != LIVE_SETTLED)
        return;
    if (plan_want(live, &work->final_known, accuracy_px(live), &work->final) && work->context_up &&
        same_pixels(&work->preview, &work->final))
        work->exact = true;
}

/* Can the settled picture be computed now? */
static bool can_settle(const struct live_work *work)
{
    return work->request.pace == LIVE_SETTLED && work->final_known &&
           (work->final.method == METHOD_DIRECT ||
            (work->orbits.own && work->orbits.amplification_known));
}

/* ---- contexts and passes ---- */

static struct spec spec_of(const struct live_work *work, const struct plan *plan)
{
    return (struct spec){.limit = work->limit,
                         .bailout = work->request.bailout,
                         .orbit = work->request.orbit,
                         .planes = work->planes,
                         .count_bytes = plan->count_bytes,
                         .number = plan->number,
                         .shortcuts = SHORTCUTS_ON,
                         .formula = work->request.formula};
}

/* Does painting all pixels take so long that coarse ones should be shown before? */
static bool paints_long(int64_t pixels)
{
    return pixels / screen_painters(pixels) > PAINT_AT_ONCE;
}

/* Prepares the refinement. Where all pixels are computed at once the first limit is most likely
 * right, so there is no coarse pass. Later limits of the search are tried on few samples. */
static void refinement_ready(struct live *live, bool restarts)
{
    struct live_work *work = &live->work;
    struct refinement *refinement = &work->refinement;
    if (restarts && !work->restarts)
        work->preview_s = fmax(refinement_sample_s(refinement), 0);
    int64_t pixels = (int64_t)refinement->width * refinement->height;
    double predicted = work->sample_s * (double)pixels / live->devices;
    bool at_once = predicted > 0 && predicted < at_once_s(live);
    bool covers = at_once && !restarts && paints_long(pixels);
    refinement_begin(refinement, covers ? COVER_STRIDE : SUBGRID_STRIDE_MOST, 1);
    refinement_point(refinement, work->request.pointer_x, work->request.pointer_y);
    refinement->sample_s = work->sample_s;
    refinement->jump = restarts || (at_once && !covers);
    if (work->searching && (restarts || !refinement->jump)) {
        refinement->jump = false;
        refinement_extend(refinement, refinement->coarsest);
    }
    work->restarts = restarts;
    slots_clear(work);
}

/* Is the newest context building the blocks that this one needs? A new context would begin them
 * anew. */
static bool blocks_coming(const struct live *live, const struct picture_context *context)
{
    const struct live_work *work = &live->work;
    if (!context->blocks_key || context->blocks_key != work->told_key)
        return false;
    for (int w = 0; w < pool_workers(live->pool); w++)
        if (pool_worker(live->pool, w)->ready)
            return false;
    return clock_s() - work->told_s < BLOCKS_S;
}

/* Do all ranks have the blocks that this context needs? Then it needs no orbit. */
static bool blocks_there(const struct live *live, const struct picture_context *context)
{
    if (!context->blocks_key || context->blocks_key != live->work.told_key)
        return false;
    for (int w = 0; w < pool_workers(live->pool); w++) {
        const struct pool_worker *worker = pool_worker(live->pool, w);
        if (worker->alive && !worker->ready)
            return false;
    }
    return true;
}

/* Tells workers of other jobs the context, with its orbit for those without its blocks. */
static enum status joined_tell_context(struct live *live, const struct picture_context *context,
                                       const struct orbit_made *orbit)
{
    struct picture_context whole = *context;
    struct join_context told = {.epoch = live->work.epoch, .key = context->blocks_key};
    bool known = told.key && told.key == live->work.joined_key;
    void *head, *rest = NULL;
    whole.orbit = orbit ? orbit->number : 0;
    TRY(context_head_pack(&whole, NULL, &head, &told.head_length));
    enum status status = STATUS_OK;
    if (orbit && !known)
        status = context_orbit_pack(&orbit->shared->orbit, &rest, &told.rest_length);
    told.head = head;
    told.rest = rest;
    if (status == STATUS_OK)
        status = join_context(live->join, &told);
    live->work.joined_key = status == STATUS_OK ? told.key : 0;
    free(head);
    free(rest);
    return status;
}

/* Tells the ranks the context, and begins to refine. Leaves context_up false while an orbit or its
 * blocks are missing. */
static enum status pass_begin(struct live *live, bool exact, bool restarts)
{
    struct live_work *work = &live->work;
    const struct plan *plan = exact ? &work->final : &work->preview;
    struct picture_context context = {
        .view = work->numbers,
        .spec = spec_of(work, plan),
        .method = plan->method,
        .request = {.accuracy_px = plan->accuracy_px,
                    .blocks = BLOCKS_QUARTIC,
                    .amplification = exact ? work->orbits.amplification : 0},
    };
    const struct orbit_made *orbit = NULL;
    if (plan->method == METHOD_PERTURBATION &&
        !(orbit = orbits_for(&work->orbits, exact, &work->request.view, work->epoch + 1, &context)))
        return STATUS_OK;
    if (blocks_coming(live, &context))
        return STATUS_OK;
    void *bytes;
    size_t length;
    const struct orbit_made *whole = orbit;
    if (blocks_there(live, &context))
        orbit = NULL;
    context.orbit = orbit ? orbit->number : 0;
    if (orbit)
        rank_worker_offer(&live->worker, orbit->shared);
    TRY(context_pack(&context, orbit && world_size(live->world) > 1 ? &orbit->shared->orbit : NULL,
                     &bytes, &length));
    enum status status = pool_context(live->pool, ++work->epoch, bytes, length);
    free(bytes);
    if (status == STATUS_OK && live->join)
        status = joined_tell_context(live, &context, whole);
    TRY(status);
    work->context_up = true;
    work->context_failures = 0;
    work->told_key = context.blocks_key;
    work->told_s = clock_s();
    if (work->pass_s == 0)
        work->pass_s = work->moments.planned = work->told_s;
    work->exact = exact || (work->final_known && same_pixels(&work->preview, &work->final));
    refinement_ready(live, restarts);
    return STATUS_OK;
}

static void pass_start(struct live *live, bool exact, bool restarts)
{
    if (pass_begin(live, exact, restarts) != STATUS_OK)
        fail(live);
}

static int64_t bounded(const struct live_work *work, int64_t limit)
{
    int64_t most = work->request.limit_most;
    return most && limit > most ? most : limit;
}

/* Sets another limit, or that of another picture: plans, contexts and orbits begin anew. */
static void limit_set(struct live *live, int64_t limit)
{
    struct live_work *work = &live->work;
    work->limit = limit;
    work->final_known = work->context_up = work->exact = work->settled = false;
    work->counts = (struct limit_counts){.samples = 0};
    work->known = (struct picture_known){.nucleus = -1};
    orbits_retire(&work->orbits);
    work->preview_known = plan_is_plain(live, preview_px(live), &work->preview);
}

static enum status refinement_fit(struct live *live)
{
    struct refinement *refinement = &live->work.refinement;
    const struct view *view = &live->work.request.view;
    if (refinement->width == view->width && refinement->height == view->height)
        return STATUS_OK;
    refinement_close(refinement);
    TRY(refinement_open(refinement, view->width, view->height, live->cell_px));
    refinement->split_s = live->split_s;
    refinement->row_s = live->row_s;
    refinement->wave = live->wave;
    return STATUS_OK;
}

/* Sets the state of another picture until state_tell. */
static void state_begin(struct live *live)
{
    struct live_state *state = &live->state;
    state->serial = live->work.request.serial;
    state->picture++;
    state->width = live->framebuffer.width;
    state->height = live->framebuffer.height;
    state->planes = live->work.planes;
    state->stage = LIVE_ORBIT;
    state->settled = state->smooth = state->covered = state->stopped = false;
    state->stride = 0;
}

/* Fits the memory: allocated before, and freed after, the moment in which one picture replaces the
 * other. */
static enum status memory_fit(struct live *live)
{
    struct live_work *work = &live->work;
    int count_bytes = work->limit <= (int64_t)UINT32_MAX ? 4 : 8;
    struct framebuffer_memory memory = {.share = NULL};
    pthread_mutex_lock(&live->mutex);
    live->state.settled = false; /* from now on its field cannot be held */
    pthread_mutex_unlock(&live->mutex);
    enum status status = refinement_fit(live);
    if (status == STATUS_OK)
        status = framebuffer_prepare(&live->framebuffer, &work->refinement, work->planes,
                                     count_bytes, &memory);
    pthread_mutex_lock(&live->page);
    pthread_mutex_lock(&live->mutex);
    framebuffer_begin(&live->framebuffer, status == STATUS_OK ? &work->refinement : NULL,
                      work->planes, count_bytes, &memory);
    state_begin(live);
    pthread_mutex_unlock(&live->mutex);
    pthread_mutex_unlock(&live->page);
    framebuffer_memory_destroy(&memory);
    return status;
}

/* Sets the planes of a picture, whose numbers are known or not. */
static void planes_set(struct live *live, bool known)
{
    struct live_work *work = &live->work;
    const struct formula *formula = &work->request.formula;
    bool deep = known && formula_perturbed(formula) &&
                plan_error_px(&work->numbers, formula, NUMBER_FP64, 1) > accuracy_px(live);
    pthread_mutex_lock(&live->mutex);
    work->deep = deep;
    work->planes = known ? planes_wanted(&work->request, deep) : CONTEXT_PLANES;
    pthread_mutex_unlock(&live->mutex);
}

/* Begins another picture: cancels everything of the one before. */
static void picture_begin(struct live *live, double asked_s)
{
    struct live_work *work = &live->work;
    tasks_cancel(live);
    slots_clear(work);
    if (work->refinement.cells && !work->restarts)
        work->preview_s = fmax(refinement_sample_s(&work->refinement), 0);
    work->sample_s = work->preview_s;
    work->restarts = work->recolour_due = work->whole = false;
    work->begun = true;
    work->stopped = work->failed = work->settled = work->context_up = false;
    work->sample = 0;
    work->samples_done = 1;
    work->mixed = false;
    work->iterations = work->count_min = work->count_max = work->samples = work->undecided = 0;
    work->moments = (struct live_moments){.asked = asked_s, .begun = clock_s()};
    work->set = set_computing(live);
    work->set_changed = false;
    work->pass_s = 0;
    work->covered_version = UINT64_MAX;
    work->recoloured_version = 0;
    work->measured = MEASURED_NOT;
    work->automatic = work->searching = work->request.limit == 0;
    work->limit = work->request.limit;
    bool known = view_numbers(&work->request.view, &work->numbers) == STATUS_OK;
    planes_set(live, known);
    if (!known || memory_fit(live) != STATUS_OK) {
        fail(live);
        return;
    }
    work->log10_zoom = view_log10_zoom(&work->numbers);
    int64_t most = limit_most(work->log10_zoom);
    int64_t guess = work->limit_found ? work->limit_found : limit_guess(work->log10_zoom);
    guess = bounded(work, guess < most ? guess : most);
    limit_set(live, work->automatic ? guess : work->request.limit);
    left_check(live);
}

/* ---- what comes next ---- */

/* Continues the search of the limit after a coarse pass. */
static void search_go_on(struct live *live)
{
    struct live_work *work = &live->work;
    int64_t limit = bounded(work, limit_next(&work->counts, work->limit, work->log10_zoom));
    if (limit > work->limit) {
        limit_set(live, limit);
        return;
    }
    work->searching = false;
    work->limit_found = limit;
    if (limit < work->limit)
        limit_set(live, limit);
    else if (work->restarts)
        refinement_ready(live, true); /* its samples were only counted */
    else
        refinement_extend(&work->refinement, 1);
}

/* Continues previews; they end when exact pixels can begin. */
static void preview_go_on(struct live *live)
{
    struct live_work *work = &live->work;
    struct refinement *refinement = &work->refinement;
    bool settle = can_settle(work);
    int finest = settle ? PREVIEW_LAST : 1;
    if (refinement->finest != finest)
        refinement_extend(refinement, finest);
    if (settle && refinement_stride(refinement) == 0)
        pass_start(live, true, work->whole);
    else if (settle && refinement_done(refinement))
        pass_start(live, true, true);
}

/* Ends the smooth state: from now on the mean cannot be held. */
static void smooth_end(struct live *live)
{
    pthread_mutex_lock(&live->mutex);
    live->state.smooth = false;
    pthread_mutex_unlock(&live->mutex);
}

/* Leaves the picture with the samples that it has: there is no memory for more. */
static void samples_end(struct live_work *work)
{
    work->request.samples = work->samples_done;
}

static void sample_begin(struct live *live)
{
    struct live_work *work = &live->work;
    smooth_end(live);
    if (framebuffer_sample_begin(&live->framebuffer, work->samples_done) != STATUS_OK) {
        samples_end(work);
        return;
    }
    work->sample = work->samples_done;
    work->sample_s = fmax(refinement_sample_s(&work->refinement), 0);
    refinement_begin(&work->refinement, 1, 1);
    refinement_point(&work->refinement, work->request.pointer_x, work->request.pointer_y);
    work->refinement.sample = (int16_t)work->sample;
    slots_clear(work);
}

/* Last sample that the mean lacks and that is there; below samples_done: none. */
static int sample_there(const struct live *live)
{
    const struct live_work *work = &live->work;
    int last = kept_samples_last(&live->framebuffer.kept, work->samples_done);
    int wanted = samples_wanted(work) - 1;
    return last < wanted ? last : wanted;
}

/* Is this still the picture and the look that are requested? */
static bool mean_wanted(void *context)
{
    struct live *live = context;
    const struct live_request *now = &live->work.request;
    pthread_mutex_lock(&live->mutex);
    bool another =
        live->asked_new && !(same_picture(live, &live->asked) && same_look(now, &live->asked));
    bool wanted = !another && !live->quit;
    pthread_mutex_unlock(&live->mutex);
    return wanted;
}

/* Can samples that are there be added to the mean now? New colours are told before: those of the
 * centres, which are there sooner. */
static bool mean_is_due(struct live *live)
{
    const struct live_work *work = &live->work;
    return samples_miss(work) && !work->failed && !work->recolour_due &&
           work->recoloured_version != UINT64_MAX && sample_there(live) >= work->samples_done;
}

/* Adds the samples that are there to the mean, unless something else is requested meanwhile: then
 * it begins anew. Until state_tell pixels have more samples than the state says. */
static void mean_go_on(struct live *live)
{
    struct live_work *work = &live->work;
    int last = sample_there(live);
    if (!mean_is_due(live) || !mean_wanted(live))
        return;
    smooth_end(live);
    if (framebuffer_mean_begin(&live->framebuffer, work->samples_done) != STATUS_OK) {
        samples_end(work);
        return;
    }
    double begun_s = clock_s();
    pthread_mutex_lock(&live->mutex);
    live->passes |= 1;
    pthread_mutex_unlock(&live->mutex);
    bool added = framebuffer_samples_add(&live->framebuffer, &work->look, work->samples_done, last,
                                         mean_wanted, live);
    work->samples_done = added ? last + 1 : 1;
    work->mixed = !added;
    work->compose_s += clock_s() - begun_s;
}

/* Gives up the sample that is being computed. */
static void sample_drop(struct live *live)
{
    struct live_work *work = &live->work;
    if (work->sample) {
        tasks_cancel(live);
        slots_clear(work);
        refinement_finish(&work->refinement); /* its deals belong to no picture any more */
    }
    work->sample = 0;
}

/* Drops the mean of samples, which begins anew with those that are kept. One that is being computed
 * goes on if it will be kept. */
static void mean_drop(struct live *live)
{
    struct live_work *work = &live->work;
    bool kept = kept_samples_keeps(&live->framebuffer.kept, work->sample);
    smooth_end(live);
    if (!kept || work->sample >= samples_wanted(work) || work->stopped)
        sample_drop(live);
    work->samples_done = 1;
}

static void settled_go_on(struct live *live)
{
    struct live_work *work = &live->work;
    bool computed = refinement_done(&work->refinement);
    if (work->sample && computed) {
        framebuffer_sample_end(&live->framebuffer, work->sample);
        work->sample = 0;
    }
    mean_go_on(live);
    if (computed && samples_miss(work) && sample_there(live) < work->samples_done)
        sample_begin(live);
}

static void moments_note(struct live_work *work)
{
    double now = clock_s();
    int stride = refinement_stride(&work->refinement);
    if (work->moments.covered == 0 && stride > 0)
        work->moments.covered = now;
    if (work->moments.fine == 0 && stride == 1 && work->context_up && !work->searching)
        work->moments.fine = now;
}

static void jump_if_cheap(struct live *live)
{
    struct refinement *refinement = &live->work.refinement;
    double left = refinement_left_s(refinement) / live->devices;
    if (!refinement->jump && refinement_stride(refinement) > 0 && left >= 0 &&
        left < at_once_s(live))
        refinement->jump = true;
}

static void context_go_on(struct live *live)
{
    struct live_work *work = &live->work;
    bool done = refinement_done(&work->refinement);
    if (refinement_stride(&work->refinement) == 1)
        work->whole = true;
    if (work->searching && done)
        search_go_on(live);
    moments_note(work);
    if (!work->searching && work->sample == 0 && !work->settled)
        jump_if_cheap(live);
    if (!work->context_up || work->failed || work->searching)
        return;
    if (!work->exact)
        preview_go_on(live);
    else if (done && refinement_done(&work->refinement))
        work->settled = true;
    if (work->settled)
        settled_go_on(live);
}

/* Requests an orbit where one is missing. */
static void orbit_want(struct live *live)
{
    struct live_work *work = &live->work;
    bool deep = work->preview.method == METHOD_PERTURBATION;
    bool for_preview = !work->context_up && deep;
    bool for_final = !work->searching && work->final_known && !work->exact &&
                     work->final.method == METHOD_PERTURBATION;
    struct orbit_request request = {.view = work->request.view,
                                    .numbers = work->numbers,
                                    .spec = spec_of(work, &work->preview),
                                    .accuracy_px = accuracy_px(live)};
    if (orbits_want(&work->orbits, &request, for_preview, for_final) != STATUS_OK)
        fail(live);
}

/* Notes when the picture was settled, and how long that took the workers, if they were the same
 * ones all the time. */
static void settled_note(struct live_work *work)
{
    work->moments.settled = clock_s();
    if (!work->set_changed)
        set_times_note(&work->times, &work->set, work->moments.settled - work->moments.begun);
}

/* Begins the next stage, if the present one has ended or something has arrived. */
static void advance(struct live *live)
{
    struct live_work *work = &live->work;
    if (work->begun && work->stopped)
        mean_go_on(live); /* samples that are there are shown in other colours, too */
    if (!work->begun || work->stopped || work->failed)
        return;
    if (orbits_collect(&work->orbits) != STATUS_OK)
        fail(live);
    plans_want(live);
    if (work->context_up && !work->failed)
        context_go_on(live);
    if (!work->context_up && !work->failed)
        plans_want(live);
    if (!work->context_up && !work->failed && work->preview_known)
        pass_start(live, can_settle(work), work->whole);
    if (!work->failed && work->preview_known)
        orbit_want(live);
    if (work->settled && work->moments.settled == 0)
        settled_note(work);
    if (work->settled) /* a picture is at rest when its colours are known */
        distribution_note(live);
}

/* ---- the loop of the coordinator ---- */

static void recolours_set(struct live *live, bool recolours)
{
    pthread_mutex_lock(&live->page);
    live->recolours = recolours;
    pthread_mutex_unlock(&live->page);
}

static void recolour(struct live *live)
{
    struct live_work *work = &live->work;
    mean_drop(live);
    recolours_set(live, true);
    work->recolour_due =
        !framebuffer_recolour(&live->framebuffer, &work->look, picture_wanted, live);
    work->mixed = false;
    recolours_set(live, false);
    work->recoloured_version = UINT64_MAX; /* the next version told */
    work->recoloured_s = clock_s();
}

/* Is the plan that is being made, for up to 0.2 s, outdated? With the mutex. While the user moves
 * the view each plan is finished: nothing would be shown if every request cancelled the one
 * before. */
static bool plan_outdated(const struct live *live)
{
    const struct live_request *now = &live->work.request, *next = &live->asked;
    bool moves = now->pace == LIVE_MOVING && next->pace == LIVE_MOVING;
    return live->quit || live->stop || (live->asked_new && !moves && !same_picture(live, next));
}

/* Raises the stop flag of plans, with the mutex. A request taken back leaves it raised: a plan may
 * have polled it. */
static void plan_stop_raise(struct live *live)
{
    if (plan_outdated(live))
        __atomic_store_n(&live->plan_stop, 1, __ATOMIC_RELAXED);
}

static void request_take(struct live *live)
{
    struct live_work *work = &live->work;
    struct live_request fresh, old = work->request;
    pthread_mutex_lock(&live->mutex);
    bool same = false, repeats = false, stop = live->stop,
         is_new = live->asked_new && (stop || hold_left(live) == 0);
    double asked_s = live->asked_s;
    if (is_new) {
        fresh = live->asked;
        live->asked = (struct live_request){.serial = 0};
        same = same_picture(live, &fresh);
        repeats = same_again(live, &fresh);
        work->request = fresh; /* set here, as other threads compare it */
    }
    live->asked_new = live->asked_new && !is_new;
    live->stop = false;
    __atomic_store_n(&live->plan_stop, plan_outdated(live), __ATOMIC_RELAXED);
    pthread_mutex_unlock(&live->mutex);
    if (is_new) {
        bool had = work->begun;
        same = same && had && !work->failed;
        if (!repeats || !had)
            work->times.rows = 0;
        if (!same)
            picture_begin(live, asked_s);
        look_take(live, had ? &old : NULL);
        if (same && (work->recolour_due || work->mixed || !same_look(&old, &fresh)) &&
            work->palette)
            recolour(live);
        if (same)
            refinement_point(&work->refinement, fresh.pointer_x, fresh.pointer_y);
        if (same && samples_wanted(work) < (work->sample ? work->sample + 1 : work->samples_done))
            recolour(live); /* the mean begins anew */
        view_destroy(&old.view);
    }
    if (stop) {
        tasks_cancel(live);
        slots_clear(work);
        orbits_stop(&work->orbits);
        work->stopped = true;
    }
}

/* Time to wait for results, in microseconds; -1: without limit. */
static int64_t wait_us(struct live *live)
{
    if (mean_is_due(live) && mean_wanted(live))
        return 0;
    int64_t tick = is_at_work(live) || losses_awaited(&live->losses) ? TICK_US : -1;
    pthread_mutex_lock(&live->mutex);
    int64_t held = live->asked_new ? (int64_t)(hold_left(live) * 1e6) : -1;
    pthread_mutex_unlock(&live->mutex);
    return held < 0 || (tick >= 0 && tick < held) ? tick : held;
}

enum status live_run(struct live *live)
{
    for (;;) {
        pthread_mutex_lock(&live->mutex);
        bool quit = live->quit;
        pthread_mutex_unlock(&live->mutex);
        if (quit) {
            view_thread_end();
            return STATUS_OK;
        }
        request_take(live);
        if (!collect(live))
            continue;
        if (losses_watch(&live->losses))
            left_check(live);
        advance(live);
        deal(live);
        state_tell(live);
        if (distribution_note(live)) /* takes a millisecond, for which no first picture waits */
            state_tell(live);
        pool_wait(live->pool, wait_us(live));
    }
}

/* ---- the calls of any thread ---- */

/* Copies a request with its texts; `to` must be zeroed or valid. */
static enum status request_copy(struct live_request *to, const struct live_request *from)
{
    struct view mine = {0};
    TRY(view_copy(&mine, &from->view));
    view_destroy(&to->view);
    *to = *from;
    to->view = mine;
    to->palette[sizeof to->palette - 1] = '\0';
    if (from->samples != LIVE_SAMPLES_PLAN)
        to->samples = from->samples < 1 ? 1 : from->samples;
    to->samples = to->samples < SAMPLES_MOST ? to->samples : SAMPLES_MOST;
    return STATUS_OK;
}

enum status live_ask(struct live *live, const struct live_request *request)
{
    struct live_request mine = {.serial = 0};
    double now = clock_s();
    TRY(request_copy(&mine, request));
    pthread_mutex_lock(&live->mutex);
    struct view old = live->asked.view;
    live->asked = mine;
    live->asked_s = now;
    live->asked_new = true;
    live->stop = false; /* was for earlier requests */
    plan_stop_raise(live);
    pthread_mutex_unlock(&live->mutex);
    view_destroy(&old);
    pool_wake(live->pool);
    return STATUS_OK;
}

static void flag_raise(struct live *live, bool *flag)
{
    pthread_mutex_lock(&live->mutex);
    *flag = true;
    plan_stop_raise(live);
    pthread_mutex_unlock(&live->mutex);
    pool_wake(live->pool);
}

void live_quit(struct live *live)
{
    flag_raise(live, &live->quit);
}

void live_stop(struct live *live)
{
    flag_raise(live, &live->stop);
}

void live_wake_with(struct live *live, void (*wake)(void *context), void *context)
{
    pthread_mutex_lock(&live->wake_lock);
    live->wake = wake;
    live->wake_context = context;
    pthread_mutex_unlock(&live->wake_lock);
}

uint64_t live_version(struct live *live)
{
    return __atomic_load_n(&live->version, __ATOMIC_ACQUIRE);
}

/* ---- pixels ---- */

/* Copies pixels, with the page locked. */
static bool pixels_copy(struct live *live, uint64_t picture, struct live_pixels *into)
{
    struct framebuffer *framebuffer = &live->framebuffer;
    if (!framebuffer->columns || into->width != framebuffer->width ||
        into->height != framebuffer->height)
        return false;
    if (into->picture != picture)
        into->version = 0;
    into->picture = picture;
    return framebuffer_copy(framebuffer, &into->version, into->pixels, into->stride, into->changed);
}

bool live_poll(struct live *live, struct live_state *state, struct live_pixels *into)
{
    bool written = false, page = into != NULL;
    if (page)
        pthread_mutex_lock(&live->page);
    if (page && live->recolours)
        into = NULL; /* nothing is new before all are copied; the page stays locked until the state
                        is read, or that of the new colours would be told without them */
    pthread_mutex_lock(&live->mutex);
    live->state.version = live->version;
    *state = live->state;
    if (into)
        live->copied = live->version;
    live->woken = false;
    bool waited_for = into && live->asked_new; /* a request was held back for this copy */
    uint64_t passes = live->passes;
    pthread_mutex_unlock(&live->mutex);
    if (into) /* pixels may be newer than the state, but belong to the same picture */
        written = pixels_copy(live, state->picture, into);
    if (page)
        pthread_mutex_unlock(&live->page);
    if (into) {
        pthread_mutex_lock(&live->mutex);
        state->mixed = passes & 1 || passes != live->passes;
        pthread_mutex_unlock(&live->mutex);
    }
    if (waited_for)
        pool_wake(live->pool);
    return written;
}

enum status live_who(struct live *live, struct live_owners *owners)
{
    pthread_mutex_lock(&live->page);
    const struct framebuffer *framebuffer = &live->framebuffer;
    size_t cells = (size_t)framebuffer->columns * (size_t)framebuffer->rows;
    if (owners->bytes < cells) {
        free(owners->cell);
        owners->cell = malloc(cells);
        owners->bytes = owners->cell ? cells : 0;
    }
    bool fits = owners->bytes >= cells;
    owners->columns = fits ? framebuffer->columns : 0;
    owners->rows = fits ? framebuffer->rows : 0;
    owners->cell_px = framebuffer->cell_px;
    if (fits)
        framebuffer_owners(&live->framebuffer, owners->cell);
    pthread_mutex_unlock(&live->page);
    return fits ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu cells", cells);
}

enum status live_field_hold(struct live *live, uint64_t serial, struct live_field *field)
{
    *field = (struct live_field){.share = NULL};
    pthread_mutex_lock(&live->mutex); /* the coordinator takes `settled` back before the field */
    if (live->state.settled && live->state.serial == serial)
        *field = (struct live_field){.field = live->framebuffer.field,
                                     .limit = live->state.limit,
                                     .share = framebuffer_share_hold(live->framebuffer.share)};
    pthread_mutex_unlock(&live->mutex);
    return field->share ? STATUS_OK : status_fail(STATUS_NO_INPUT, "this picture is not settled");
}

void live_light_hold(struct live *live, uint64_t serial, struct live_field *field)
{
    pthread_mutex_lock(&live->mutex); /* the coordinator takes `smooth` back before the light */
    const struct live_state *state = &live->state;
    if (state->smooth && state->samples_done > 1 && state->serial == serial) {
        field->light_share = framebuffer_share_hold(live->framebuffer.light);
        field->light = (const float(*)[3])(void *)framebuffer_share_light(field->light_share);
        field->samples = state->samples_done;
    }
    pthread_mutex_unlock(&live->mutex);
}

void live_field_release(struct live_field *field)
{
    framebuffer_share_release(field->light_share);
    framebuffer_share_release(field->share);
    *field = (struct live_field){.share = NULL};
}

/* ---- opening and closing ---- */

static void orbit_arrived(void *context)
{
    struct live *live = context;
    pool_wake(live->pool);
}

struct worker_opening { /* opening of this rank's devices */
    struct rank_worker *worker;
    const struct device_set_options *options;
};

static enum status devices_open(void *context)
{
    const struct worker_opening *opening = context;
    return rank_worker_open(opening->worker, opening->options);
}

/* Opens the worker on a thread, since it may take long and rank 0 must hear from this rank
 * meanwhile. */
static enum status worker_open(struct live *live, bool computes)
{
    struct device_set_options options = renderer_info(live->renderer)->devices;
    if (!computes)
        return STATUS_OK;
    if (options.slice_s <= 0)
        options.slice_s = renderer_info(live->renderer)->facts.gpus ? SLICE_GPU_S : SLICE_CORES_S;
    struct worker_opening opening = {.worker = &live->worker, .options = &options};
    return world_work(live->world, devices_open, &opening);
}

static enum status workers_open(struct live *live)
{
    bool computes = renderer_info(live->renderer)->devices.computes;
    TRY(world_agree(live->world, worker_open(live, computes)));
    struct pool_options options = {.calls = rank_worker_calls(&live->worker),
                                   .threads = live->worker.device_set.threads,
                                   .credits = DEVICE_SET_CREDITS * live->worker.device_set.devices,
                                   .memory = computes ? &live->worker.memory : NULL};
    if (options.credits < options.threads)
        options.credits = options.threads;
    return pool_open(&live->pool, live->world, &options);
}

/* Notes by what a worker computes. */
static void backend_note(struct live *live, int w)
{
    const struct renderer_info *info = renderer_info(live->renderer);
    struct live_worker *worker = &live->state.worker[w];
    const struct backend_kind *kind;
    worker->backend = "";
    for (int i = 0; i < info->row_count; i++)
        if (info->rows[i].rank == pool_worker(live->pool, w)->rank)
            worker->backend = info->rows[i].backend;
    worker->gpu = backend_kind_find(&kind, worker->backend) == STATUS_OK && kind->memory;
}

static void joined_news(void *context)
{
    struct live *live = context;
    pool_wake(live->pool);
}

struct join *live_join(const struct live *live)
{
    return live->join;
}

enum status live_join_serve(struct live *live, const struct live_join *run,
                            const volatile int *stop, void (*joined)(void *context, int rank),
                            void *context)
{
    const struct joined_place place = {run->address, run->port, run->token};
    char identity[JOIN_IDENTITY_BYTES];
    int socket, rank;
    context_identity(identity, run->program);
    TRY(joined_connect(&socket, &rank, &place, identity, live->state.worker[0].backend, live->pool,
                       stop));
    if (joined)
        joined(context, rank);
    enum status status = joined_serve(socket, live->pool, stop);
    close(socket);
    return status;
}

/* Opens the parts that only rank 0 has. */
static enum status coordinator_open(struct live *live, const struct live_options *options)
{
    struct live_work *work = &live->work;
    const struct renderer_facts *facts = &renderer_info(live->renderer)->facts;
    bool gpus = facts->gpus > 0;
    int threads = renderer_info(live->renderer)->devices.threads;
    live->accuracy_px = options->accuracy_px > 0 ? options->accuracy_px : ACCURACY_DEFAULT_PX;
    live->cell_px = facts->gpus > MANY_GPUS  ? CELL_PX_GPUS
                    : gpus                   ? CELL_PX_WIDE
                    : threads > MANY_THREADS ? CELL_PX_MANY
                                             : CELL_PX;
    live->wave = options->wave ? options->wave : gpus ? WAVE : 0;
    live->split_s = gpus ? SPLIT_GPU_S : SPLIT_CORES_S;
    live->row_s = gpus ? SPLIT_GPU_S : ROW_CORES_S;
    live->hold_s = gpus ? HOLD_GPU_S : HOLD_CORES_S;
    live->assets = strdup(options->assets ? options->assets : "");
    live->orbit_cache = options->orbit_cache ? strdup(options->orbit_cache) : NULL;
    for (int w = 0; w < pool_workers(live->pool); w++) {
        work->slots += pool_worker(live->pool, w)->credits;
        live->threads += pool_worker(live->pool, w)->threads;
        if (w < LIVE_WORKERS_MAX)
            backend_note(live, w);
    }
    live->devices = work->slots / DEVICE_SET_CREDITS;
    work->slots += renderer_join(live->renderer) ? JOINED_MOST * JOINED_CREDITS_MOST : 0;
    work->slots *= 2; /* some tasks are given twice */
    work->slot = calloc((size_t)work->slots, sizeof *work->slot);
    if (!live->assets || !work->slot || (options->orbit_cache && !live->orbit_cache))
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the engine of the viewer");
    TRY(losses_open(&live->losses, live->world, live->pool, trouble_tell, live));
    if ((live->join = renderer_join(live->renderer)))
        join_wake_with(live->join, joined_news, live);
    return orbit_maker_open(&work->orbits.maker, live->world, live->orbit_cache,
                            renderer_orbit_device(live->renderer, NULL, 0), orbit_arrived, live);
}

const struct idle *live_idle(const struct live *live)
{
    return &renderer_info(live->renderer)->idle;
}

enum status live_open(struct live **out, struct world *world, const struct live_options *options)
{
    *out = NULL;
    struct live *live = calloc(1, sizeof *live);
    TRY(world_agree(world, live ? STATUS_OK
                                : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a viewer")));
    live->world = world;
    pthread_mutex_init(&live->mutex, NULL);
    pthread_mutex_init(&live->page, NULL);
    pthread_mutex_init(&live->wake_lock, NULL);
    framebuffer_open(&live->framebuffer);
    enum status status = renderer_open(&live->renderer, world, options ? &options->renderer : NULL);
    if (status == STATUS_OK)
        status = workers_open(live);
    if (status == STATUS_OK)
        status = world_agree(world, options ? coordinator_open(live, options) : STATUS_OK);
    if (status == STATUS_OK)
        *out = live;
    else
        live_close(live);
    return status;
}

enum status live_serve(struct live *live)
{
    return pool_serve(live->pool);
}

static void coordinator_close(struct live *live)
{
    struct live_work *work = &live->work;
    refinement_close(&work->refinement);
    palette_destroy(work->palette);
    view_destroy(&work->request.view);
    view_destroy(&live->asked.view);
    free(work->slot);
    losses_close(&live->losses);
    free(live->assets);
    free(live->orbit_cache);
}

enum status live_close(struct live *live)
{
    if (!live)
        return STATUS_OK;
    orbits_close(&live->work.orbits); /* first, since its thread wakes the pool */
    if (live->join)
        join_wake_with(live->join, NULL, NULL);
    live->join = NULL;
    TRY(pool_close(live->pool)); /* on failure threads still run in this memory */
    coordinator_close(live);
    rank_worker_close(&live->worker);
    renderer_close(live->renderer);
    framebuffer_close(&live->framebuffer);
    pthread_mutex_destroy(&live->wake_lock);
    pthread_mutex_destroy(&live->page);
    pthread_mutex_destroy(&live->mutex);
    free(live);
    return STATUS_OK;
}
