/* Which reference orbit? Settled pictures have their own; previews may use one from nearby. */
#include <math.h>
#include <stdlib.h>

#include "render/live/live_parts.h"

enum {
    DEEPER_LOG2 = 20, /* an orbit serves views so much deeper than the one it was made for, */
    AWAY = 8          /* and so many half diagonals away from it */
};

/* Does an orbit from before serve for previews of this picture? */
static bool serves(const struct live_work *work, const struct orbit_made *made, double *re,
                   double *im)
{
    if (!made || made->bailout < work->wish.bailout)
        return false;
    if (!made->ended && made->steps < work->limit)
        return false;
    if (work->numbers.log2_step < made->log2_step - DEEPER_LOG2)
        return false;
    view_apart(&work->wish.view, &made->view, work->numbers.exponent, re, im);
    double half = 0.5 * hypot(work->numbers.width, work->numbers.height) *
                  hypot(work->numbers.step_re, work->numbers.step_im);
    return hypot(*re, *im) <= AWAY * half;
}

struct spec live_spec(const struct live_work *work, const struct plan *plan)
{
    return (struct spec){.limit = work->limit,
                         .bailout = work->wish.bailout,
                         .planes = work->planes,
                         .count_bytes = plan->count_bytes,
                         .number = plan->number,
                         .shortcuts = SHORTCUTS_ON,
                         .formula = work->wish.formula};
}

/* What is being made will serve as an orbit from nearby: a hand that moves on does not begin anew
 * each time, or no orbit would ever be done. */
static void coming_note(struct live_work *work, const struct orbit_wish *wish)
{
    const struct view *view = &wish->view;
    orbit_made_destroy(work->coming);
    struct orbit_made *made = work->coming = calloc(1, sizeof *made);
    if (!made)
        return;
    made->log2_step = wish->numbers.log2_step;
    made->limit = made->steps = wish->spec.limit;
    made->bailout = wish->spec.bailout;
    if (view_set(&made->view, view->re, view->im, view->zoom, 0, 1, 1) != STATUS_OK) {
        orbit_made_destroy(made);
        work->coming = NULL;
    }
}

void live_orbit_want(struct live *live)
{
    struct live_work *work = &live->work;
    double re, im;
    bool for_preview = !work->scene_up && work->preview.method == METHOD_PERTURBATION &&
                       !serves(work, work->last, &re, &im);
    bool for_final = !work->searching && work->final_known && !work->exact &&
                     work->final.method == METHOD_PERTURBATION;
    if (work->own || work->orbit_asked || !(for_preview || for_final))
        return;
    if (!for_final && serves(work, work->coming, &re, &im))
        return;
    struct orbit_wish wish = {.number = ++work->orbit_number,
                              .view = work->wish.view,
                              .numbers = work->numbers,
                              .spec = live_spec(work, &work->preview),
                              .accuracy_px = live_accuracy_px(live)};
    work->orbit_asked = true;
    coming_note(work, &wish);
    if (orbit_maker_ask(live->maker, &wish) != STATUS_OK)
        live_fail(live);
}

void live_orbit_collect(struct live *live)
{
    struct live_work *work = &live->work;
    struct orbit_made *made = NULL;
    if (!work->orbit_asked && !work->coming)
        return;
    enum status status = orbit_maker_take(live->maker, work->orbit_number, &made);
    if (made || status != STATUS_OK) {
        orbit_made_destroy(work->coming);
        work->coming = NULL;
    }
    if (status != STATUS_OK && work->orbit_asked)
        live_fail(live);
    if (made && work->orbit_asked)
        work->own = made;
    else if (made) { /* of a picture that is gone */
        orbit_made_destroy(work->last);
        work->last = made;
    }
    if (work->own && !work->amplification_known)
        work->amplification_known =
            orbit_maker_amplification(live->maker, work->orbit_number, &work->amplification);
}

void live_orbit_retire(struct live_work *work)
{
    if (work->own) {
        orbit_made_destroy(work->last);
        work->last = work->own;
        work->own = NULL;
    }
    work->orbit_asked = work->amplification_known = false;
}

/* Half the diagonal of a view, in units of its exponent. */
static double reach(const struct view_numbers *view)
{
    return 0.5 * hypot(view->width, view->height) * hypot(view->step_re, view->step_im);
}

/* Do the blocks of an earlier preview hold for this one? Their errors are then at most twice as
 * many pixels. One of two opposite corners lies no nearer than sqrt(offset^2 + reach^2). */
static bool blocks_fit(const struct live_work *work, const struct orbit_made *orbit,
                       const struct scene *scene)
{
    const struct scene *made = &work->blocks;
    if (!made->blocks_key || work->blocks_orbit != orbit->number ||
        made->spec.limit != scene->spec.limit || made->spec.bailout != scene->spec.bailout ||
        made->blocks_view.exponent != scene->view.exponent)
        return false;
    double step = hypot(scene->view.step_re, scene->view.step_im);
    double before = hypot(made->blocks_view.step_re, made->blocks_view.step_im);
    double holds =
        hypot(hypot(made->wish.offset_re, made->wish.offset_im), reach(&made->blocks_view));
    return step >= 0.5 * before &&
           hypot(scene->offset_re, scene->offset_im) + reach(&scene->view) <= holds;
}

/* Blocks of previews are made for twice the view and kept while they hold: making them for each
 * view of a hand that moves would take longer than it stays. */
static void blocks_choose(struct live_work *work, const struct orbit_made *orbit,
                          struct scene *scene)
{
    if (blocks_fit(work, orbit, scene)) {
        scene->blocks_key = work->blocks.blocks_key;
        scene->blocks_view = work->blocks.blocks_view;
        scene->wish = work->blocks.wish;
        return;
    }
    scene->blocks_key = work->epoch + 1;
    scene->blocks_view.width *= 2;
    scene->blocks_view.height *= 2;
    work->blocks = *scene;
    work->blocks_orbit = orbit->number;
}

const struct orbit_made *live_orbit_for(struct live_work *work, bool exact, struct scene *scene)
{
    double re = 0, im = 0;
    const struct orbit_made *orbit = work->own;
    scene->blocks_view = scene->view;
    if (exact)
        return orbit;
    if (!orbit && serves(work, work->last, &re, &im))
        orbit = work->last;
    if (!orbit)
        return NULL;
    scene->offset_re = scene->wish.offset_re = re;
    scene->offset_im = scene->wish.offset_im = im;
    blocks_choose(work, orbit, scene);
    return orbit;
}
