#include "render/live/live_request.h"

#include <string.h>

#include "decomposition/thread/clock.h"
#include "render/live/live_tell.h"

#define COLOURS_HOLD_S 0.1 /* holding time of colours, more than a window takes to copy */

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

unsigned live_planes_wanted(const struct live_request *request, bool deep)
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
    unsigned wanted = live_planes_wanted(next, work->deep);
    return wanted == work->planes || (work->deep && (wanted | PLANE_MASK_DISTANCE) == work->planes);
}

bool live_same_again(const struct live *live, const struct live_request *next)
{
    const struct live_request *now = &live->work.request;
    return view_same(&now->view, &next->view) && now->limit == next->limit &&
           now->limit_most == next->limit_most && now->bailout == next->bailout &&
           orbit_rule_same(now, next) && now->accuracy_px == next->accuracy_px &&
           formula_same(&now->formula, &next->formula) && planes_suffice(&live->work, next);
}

bool live_same_picture(const struct live *live, const struct live_request *next)
{
    return live->work.request.again == next->again && live_same_again(live, next);
}

bool live_same_look(const struct live_request *a, const struct live_request *b)
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

void live_look_take(struct live *live, const struct live_request *before)
{
    struct live_work *work = &live->work;
    bool another = !before || work->warned || strcmp(before->palette, work->request.palette);
    work->warned = false;
    if (another && palette_take(live, work->request.palette) != STATUS_OK) {
        if (work->palette)
            live_warn(live);
        else
            live_fail(live);
    }
    work->look = work->request.look;
    work->look.palette = work->palette;
}

double live_hold_left(const struct live *live)
{
    const struct live_work *work = &live->work;
    if (!live->asked_new || !work->begun || work->failed || work->stopped || work->pass_s == 0)
        return 0;
    bool same = live_same_picture(live, &live->asked);
    bool seen = same ? live->copied >= work->recoloured_version
                     : work->moments.covered > 0 && live->copied >= work->covered_version;
    double since_s = same ? work->recoloured_s : work->pass_s;
    double left = since_s + (same ? COLOURS_HOLD_S : live->hold_s) - clock_s();
    return !seen && left > 0 ? left : 0;
}

bool live_picture_wanted(void *context)
{
    struct live *live = context;
    pthread_mutex_lock(&live->mutex);
    bool another = live->work.begun && live->asked_new && live_hold_left(live) == 0 &&
                   !live_same_picture(live, &live->asked);
    pthread_mutex_unlock(&live->mutex);
    return !another;
}
