#include "render/live/orbits.h"

#include <math.h>
#include <stdlib.h>

enum {
    DEEPER_LOG2 = 20, /* an orbit serves views deeper by at most this */
    AWAY = 8          /* largest distance in half diagonals */
};

/* Reach: half the diagonal of a view, in units of its exponent. */
static double reach(const struct view_numbers *view)
{
    double across = fma(fabs(view->down_x), view->height, view->width);
    return 0.5 * hypot(across, view->down_y * view->height) * hypot(view->step_re, view->step_im);
}

/* Does an earlier orbit serve for previews of this picture? */
static bool serves(const struct orbit_made *made, const struct view *view,
                   const struct view_numbers *numbers, const struct spec *spec, double *re,
                   double *im)
{
    if (!made || made->bailout < spec->bailout || !formula_same(&made->formula, &spec->formula))
        return false;
    if (!made->ended && made->steps < spec->limit)
        return false;
    if (numbers->log2_step < made->log2_step - DEEPER_LOG2)
        return false;
    view_apart(view, &made->view, numbers->exponent, re, im);
    return hypot(*re, *im) <= AWAY * reach(numbers);
}

/* Notes that the orbit under way will serve as one from nearby: if each motion began another, none
 * would ever be finished. */
static void coming_note(struct orbits *orbits, const struct orbit_request *request)
{
    const struct view *view = &request->view;
    orbit_made_destroy(orbits->coming);
    struct orbit_made *made = orbits->coming = calloc(1, sizeof *made);
    if (!made)
        return;
    made->log2_step = request->numbers.log2_step;
    made->limit = made->steps = request->spec.limit;
    made->bailout = request->spec.bailout;
    made->formula = request->spec.formula;
    if (view_set(&made->view, view->re, view->im, view->zoom, 0, 1, 1) != STATUS_OK) {
        orbit_made_destroy(made);
        orbits->coming = NULL;
    }
}

enum status orbits_want(struct orbits *orbits, struct orbit_request *request, bool for_preview,
                        bool for_final)
{
    double re, im;
    for_preview = for_preview && !serves(orbits->last, &request->view, &request->numbers,
                                         &request->spec, &re, &im);
    if (orbits->own || orbits->asked || !(for_preview || for_final))
        return STATUS_OK;
    if (!for_final &&
        serves(orbits->coming, &request->view, &request->numbers, &request->spec, &re, &im))
        return STATUS_OK;
    request->number = ++orbits->number;
    orbits->asked = true;
    coming_note(orbits, request);
    return orbit_maker_ask(orbits->maker, request);
}

static void coming_forget(struct orbits *orbits)
{
    orbit_made_destroy(orbits->coming);
    orbits->coming = NULL;
}

static void last_set(struct orbits *orbits, struct orbit_made *made)
{
    orbit_made_destroy(orbits->last);
    orbits->last = made;
}

enum status orbits_collect(struct orbits *orbits)
{
    struct orbit_made *made = NULL;
    if (!orbits->asked && !orbits->coming)
        return STATUS_OK;
    enum status status = orbit_maker_take(orbits->maker, orbits->number, &made);
    if (made || status != STATUS_OK)
        coming_forget(orbits);
    if (made && orbits->asked)
        orbits->own = made;
    else if (made) /* an orbit of an earlier picture */
        last_set(orbits, made);
    if (orbits->own && !orbits->amplification_known)
        orbits->amplification_known =
            orbit_maker_amplification(orbits->maker, orbits->number, &orbits->amplification);
    return orbits->asked ? status : STATUS_OK;
}

void orbits_retire(struct orbits *orbits)
{
    if (orbits->own)
        last_set(orbits, orbits->own);
    orbits->own = NULL;
    orbits->asked = orbits->amplification_known = false;
}

void orbits_stop(struct orbits *orbits)
{
    orbit_maker_stop(orbits->maker);
    coming_forget(orbits);
}

void orbits_close(struct orbits *orbits)
{
    orbit_maker_close(orbits->maker);
    orbit_made_destroy(orbits->own);
    last_set(orbits, NULL);
    coming_forget(orbits);
}

/* Do the blocks of an earlier preview hold for this one? Their errors are then at most four times
 * as many pixels, 0.04 by default: a flight builds them anew every other octave, without pixels
 * meanwhile. One of two opposite corners lies no nearer than sqrt(offset^2 + reach^2). */
static bool blocks_fit(const struct orbits *orbits, const struct orbit_made *orbit,
                       const struct picture_context *context)
{
    const struct picture_context *made = &orbits->blocks;
    if (!made->blocks_key || orbits->blocks_orbit != orbit->number ||
        made->spec.limit != context->spec.limit || made->spec.bailout != context->spec.bailout ||
        made->blocks_view.exponent != context->view.exponent ||
        made->blocks_view.log2_stretch != context->view.log2_stretch)
        return false;
    double step = hypot(context->view.step_re, context->view.step_im);
    double before = hypot(made->blocks_view.step_re, made->blocks_view.step_im);
    double holds =
        hypot(hypot(made->request.offset_re, made->request.offset_im), reach(&made->blocks_view));
    return step >= 0.25 * before &&
           hypot(context->offset_re, context->offset_im) + reach(&context->view) <= holds;
}

/* Chooses the blocks of a preview. They are built for twice the view and kept while they hold:
 * building them for each view of a motion would take longer than it is shown. */
static void blocks_choose(struct orbits *orbits, const struct orbit_made *orbit, uint64_t epoch,
                          struct picture_context *context)
{
    if (blocks_fit(orbits, orbit, context)) {
        context->blocks_key = orbits->blocks.blocks_key;
        context->blocks_view = orbits->blocks.blocks_view;
        context->request = orbits->blocks.request;
        return;
    }
    context->blocks_key = epoch;
    context->blocks_view.width *= 2;
    context->blocks_view.height *= 2;
    orbits->blocks = *context;
    orbits->blocks_orbit = orbit->number;
}

const struct orbit_made *orbits_for(struct orbits *orbits, bool exact, const struct view *view,
                                    uint64_t epoch, struct picture_context *context)
{
    double re = 0, im = 0;
    const struct orbit_made *orbit = orbits->own;
    context->blocks_view = context->view;
    if (exact)
        return orbit;
    if (!orbit && serves(orbits->last, view, &context->view, &context->spec, &re, &im))
        orbit = orbits->last;
    if (!orbit)
        return NULL;
    context->offset_re = context->request.offset_re = re;
    context->offset_im = context->request.offset_im = im;
    blocks_choose(orbits, orbit, epoch, context);
    return orbit;
}
