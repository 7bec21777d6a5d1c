#include "app/viewer/screen/compositor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "render/motion/screen_threads.h"

#define WORTH_KEEPING 0.02 /* share of a picture worth another interpolation of the old one */

enum { PIXELS_FAST = 3 << 20 }; /* most pixels of a thread while a hand moves: 6 ms */

static enum status sight_set(struct compositor_sight *sight, const struct view *view,
                             const struct formula *formula)
{
    sight->formula = *formula;
    return view_copy(&sight->view, view);
}

static enum status sight_copy(struct compositor_sight *to, const struct compositor_sight *from)
{
    to->asked_s = from->asked_s;
    to->stride = from->stride;
    return sight_set(to, &from->view, &from->formula);
}

static enum status image_make(struct warp_image *image, int32_t width, int32_t height)
{
    free(image->pixels);
    *image = (struct warp_image){.width = width, .height = height, .stride = width};
    image->pixels = calloc((size_t)width * (size_t)height, sizeof *image->pixels);
    if (image->pixels)
        return STATUS_OK;
    *image = (struct warp_image){.pixels = NULL}; /* not of a size that it does not have */
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture of %d x %d pixels", width,
                       height);
}

/* The pixels of an image become the picture before. */
static enum status old_replace(struct compositor *compositor, uint32_t **pixels, int32_t width,
                               int32_t height)
{
    compositor->carried = false;
    if (compositor->old.width != width || compositor->old.height != height)
        TRY(image_make(&compositor->old, width, height));
    uint32_t *spare = compositor->old.pixels;
    compositor->old.pixels = *pixels;
    *pixels = spare;
    return sight_copy(&compositor->old_sight, &compositor->base_sight);
}

/* Makes the pixels that are seen the picture before. */
static enum status old_join(struct compositor *compositor)
{
    const struct warp_image *output = &compositor->output;
    struct warp_image *old = &compositor->old;
    compositor->carried = false;
    if (old->width != output->width || old->height != output->height)
        TRY(image_make(old, output->width, output->height));
    warp_copy(output, old, 0, 0, output->width, output->height);
    return sight_copy(&compositor->old_sight, &compositor->joined_sight);
}

/* Keeps the newest picture as the one before, since another arrives. Without memory for two there
 * is none before. */
static void base_retire(struct compositor *compositor)
{
    const deepfield_live_pixels *base = &compositor->base;
    enum compositor_shown shown = compositor->shown, kept = COMPOSITOR_SHOWN_FRAME;
    enum status status = STATUS_OK;
    if (!base->picture || !compositor->base_sight.view.re)
        return;
    if (compositor->covered && compositor->joined)
        status = old_join(compositor);
    else if (compositor->covered) {
        status = old_replace(compositor, &compositor->base.pixels, base->width, base->height);
        kept = COMPOSITOR_SHOWN_BASE;
    } else if (shown == COMPOSITOR_SHOWN_OUTPUT && compositor->output_holds_base &&
               compositor->done > WORTH_KEEPING) {
        status = old_replace(compositor, &compositor->output.pixels, base->width, base->height);
        kept = COMPOSITOR_SHOWN_OUTPUT;
    }
    if (shown == COMPOSITOR_SHOWN_OLD || shown == COMPOSITOR_SHOWN_BASE)
        compositor->shown = COMPOSITOR_SHOWN_FRAME; /* other pixels are there now */
    if (kept == shown && kept != COMPOSITOR_SHOWN_FRAME && status == STATUS_OK)
        compositor->shown = COMPOSITOR_SHOWN_OLD;
    if (status != STATUS_OK) {
        free(compositor->old.pixels);
        compositor->old = (struct warp_image){.pixels = NULL};
    }
    compositor->base.picture = compositor->base.version = 0;
    compositor->covered = compositor->output_holds_base = compositor->joined = false;
}

enum status compositor_resize(struct compositor *compositor, int32_t width, int32_t height)
{
    if (compositor->base.width == width && compositor->base.height == height)
        return STATUS_OK;
    base_retire(compositor);
    compositor->carried = compositor->joined = false;
    compositor->shown = COMPOSITOR_SHOWN_FRAME;
    struct warp_image base = {.pixels = compositor->base.pixels};
    compositor->base = (deepfield_live_pixels){.width = 0};
    TRY(image_make(&base, width, height));
    compositor->base = (deepfield_live_pixels){.size = sizeof compositor->base,
                                               .pixels = base.pixels,
                                               .width = width,
                                               .height = height,
                                               .stride = width};
    return image_make(&compositor->output, width, height);
}

void compositor_destroy(struct compositor *compositor)
{
    for (int i = 0; i < COMPOSITOR_ASKED; i++)
        view_destroy(&compositor->asked[i].sight.view);
    view_destroy(&compositor->base_sight.view);
    view_destroy(&compositor->old_sight.view);
    view_destroy(&compositor->carried_sight.view);
    view_destroy(&compositor->joined_sight.view);
    free(compositor->base.pixels);
    free(compositor->old.pixels);
    free(compositor->output.pixels);
    free(compositor->half.pixels);
    *compositor = (struct compositor){0};
}

enum status compositor_asked(struct compositor *compositor, uint64_t serial,
                             const struct view *view, const struct formula *formula, double now_s)
{
    struct compositor_asked *asked = &compositor->asked[compositor->asked_next];
    compositor->asked_next = (compositor->asked_next + 1) % COMPOSITOR_ASKED;
    asked->serial = serial;
    asked->sight.asked_s = now_s;
    return sight_set(&asked->sight, view, formula);
}

static const struct compositor_sight *sight_of(const struct compositor *compositor, uint64_t serial)
{
    for (int i = 0; i < COMPOSITOR_ASKED; i++)
        if (serial && compositor->asked[i].serial == serial)
            return &compositor->asked[i].sight;
    return NULL;
}

enum status compositor_poll(struct compositor *compositor, deepfield_live *live,
                            deepfield_live_state *state, enum compositor_care care, bool *pixels)
{
    *pixels = false;
    TRY((enum status)deepfield_live_update(live, state, NULL));
    if (state->picture != compositor->base.picture)
        base_retire(compositor);
    const struct compositor_sight *sight = sight_of(compositor, state->serial);
    if (!sight || state->width != compositor->base.width ||
        state->height != compositor->base.height)
        return STATUS_OK; /* the picture has an old size, or is for a file */
    if (care == COMPOSITOR_FAST && !state->covered &&
        clock_s() < sight->asked_s + COMPOSITOR_PARTIAL_S)
        return STATUS_OK;
    TRY((enum status)deepfield_live_update(live, state, &compositor->base));
    *pixels = compositor->base.written;
    sight = sight_of(compositor, state->serial);
    if (!sight) { /* older than COMPOSITOR_ASKED requests: cannot be placed */
        compositor->base.picture = compositor->base.version = 0;
        return STATUS_OK;
    }
    compositor->covered = compositor->base.picture && state->covered;
    compositor->done = state->done;
    TRY(sight_copy(&compositor->base_sight, sight));
    compositor->base_sight.stride = state->stride;
    return STATUS_OK;
}

/* A picture, and where it lies in the output. */
struct layer {
    const struct warp_image *image;
    struct placement at;
};

/* The first, and over it the second, where it reaches. */
static void layers_warp(const struct layer *layer, int count, struct warp_image *to)
{
    if (count == 2)
        warp_pictures(layer[1].image, &layer[1].at, layer[0].image, &layer[0].at, to);
    else if (count == 1)
        warp_picture(layer[0].image, &layer[0].at, to);
}

/* Every other pixel, each of which becomes four. */
static enum status half_warp(struct compositor *compositor, struct layer *layer, int count,
                             struct warp_image *output)
{
    struct warp_image *half = &compositor->half;
    int32_t width = (output->width + 1) / 2, height = (output->height + 1) / 2;
    if (half->width != width || half->height != height)
        TRY(image_make(half, width, height));
    for (int i = 0; i < count; i++) { /* places from the middle, which moves where sizes are odd */
        struct placement *at = &layer[i].at;
        at->scale /= 2;
        at->dx_px = at->dx_px / 2 + (output->width / 2.0 - width) / 2;
        at->dy_px = at->dy_px / 2 + (output->height / 2.0 - height) / 2;
    }
    layers_warp(layer, count, half);
    warp_double(half, output);
    compositor->rough = true;
    return STATUS_OK;
}

/* Lines through a turned picture miss the caches; a pan only copies. */
static bool takes_long(const struct warp_image *output, const struct placement *placement)
{
    int64_t pixels = (int64_t)output->width * output->height;
    bool large = pixels / screen_copiers(pixels) > PIXELS_FAST;
    return placement->angle_rad != 0 || (large && placement->scale != 1);
}

/* Is the output wholly within the picture, which is not turned? */
static bool reaches(const struct layer *layer, const struct warp_image *output)
{
    double x = layer->image->width * layer->at.scale - output->width;
    double y = layer->image->height * layer->at.scale - output->height;
    return layer->at.angle_rad == 0 && x / 2 >= fabs(layer->at.dx_px) &&
           y / 2 >= fabs(layer->at.dy_px);
}

/* The side of a square of one colour, in pixels of the output. */
static double coarse_px(const struct compositor_sight *sight, const struct placement *at)
{
    return sight->stride * at->scale;
}

/* Is the picture before finer still than the newest, and not too old? */
static bool old_is_better(const struct compositor *compositor)
{
    const struct compositor_sight *old = &compositor->old_sight;
    return compositor->flight_s - old->asked_s < COMPOSITOR_STALE_S && compositor->flight_s > 0 &&
           coarse_px(old, &compositor->at[0]) <
               coarse_px(&compositor->base_sight, &compositor->at[1]);
}

/* Adds what can be seen of a picture. */
static enum status layer_add(struct layer layer[2], int *count, const struct warp_image *image,
                             const struct compositor_sight *sight, const struct view *view,
                             const struct formula *formula, struct placement *at)
{
    *at = (struct placement){.scale = 0};
    if (!image->pixels || !sight->view.re || !formula_same(&sight->formula, formula))
        return STATUS_OK;
    TRY(view_placement(&sight->view, view, at));
    layer[(*count)++] = (struct layer){image, *at};
    return STATUS_OK;
}

/* Notes that the output shows both pictures, with old_above. */
static enum status joined_note(struct compositor *compositor, const struct view *view,
                               const struct formula *formula)
{
    const struct compositor_sight *top =
        compositor->old_above ? &compositor->old_sight : &compositor->base_sight;
    double coarse = coarse_px(top, &compositor->at[!compositor->old_above]);
    TRY(sight_set(&compositor->joined_sight, view, formula));
    compositor->joined_sight.asked_s = top->asked_s;
    compositor->joined_sight.stride = (int)fmax(ceil(coarse - WARP_ROUNDED_PX), 1);
    compositor->joined = true;
    return STATUS_OK;
}

/* The picture before, and over it the newest one (NULL: not that), in `to`, or in the output where
 * it is needed later. */
static enum status picture_compose(struct compositor *compositor, const struct warp_image *base,
                                   const struct view *view, const struct formula *formula,
                                   enum compositor_care care, struct warp_image *to)
{
    struct layer layer[2], *first = layer;
    int count = 0;
    compositor->rough = compositor->carried = compositor->joined = false;
    TRY(layer_add(layer, &count, &compositor->old, &compositor->old_sight, view, formula,
                  &compositor->at[0]));
    compositor->at[1].scale = 0;
    if (base)
        TRY(layer_add(layer, &count, base, &compositor->base_sight, view, formula,
                      &compositor->at[1]));
    compositor->old_above = count == 2 && old_is_better(compositor);
    if (compositor->old_above) {
        struct layer old = layer[0];
        layer[0] = layer[1];
        layer[1] = old;
    }
    if (count == 2 && reaches(&layer[1], &compositor->output)) {
        compositor->at[compositor->old_above].scale = 0;
        first++;
        count--;
    }
    bool half = count && care == COMPOSITOR_FAST && takes_long(to, &first[count - 1].at);
    bool joins = count == 2 && compositor->flight_s > 0 && !half;
    to = joins ? &compositor->output : to;
    compositor->shown =
        to == &compositor->output ? COMPOSITOR_SHOWN_OUTPUT : COMPOSITOR_SHOWN_FRAME;
    if (half)
        return half_warp(compositor, first, count, to);
    if (count == 0) /* nothing is seen: neutral everywhere */
        warp_picture(&compositor->old, &(struct placement){.scale = 0}, to);
    layers_warp(first, count, to);
    return joins ? joined_note(compositor, view, formula) : STATUS_OK;
}

/* The picture before, as this view has it: there already, or made. */
static enum status old_carry(struct compositor *compositor, const struct view *view,
                             const struct formula *formula, enum compositor_care care)
{
    if (compositor->carried && compositor->carried_base == compositor->base.picture &&
        !(compositor->rough && care == COMPOSITOR_FINE) &&
        view_same(&compositor->carried_sight.view, view) &&
        formula_same(&compositor->carried_sight.formula, formula))
        return STATUS_OK;
    TRY(picture_compose(compositor, NULL, view, formula, care, &compositor->output));
    TRY(sight_set(&compositor->carried_sight, view, formula));
    compositor->carried_base = compositor->base.picture;
    compositor->carried = true;
    return STATUS_OK;
}

/* Is the newest picture that of this view and formula? */
static bool base_is_of(const struct compositor *compositor, const struct view *view,
                       const struct formula *formula)
{
    return compositor->base.picture && compositor->base_sight.view.re &&
           view_same(&compositor->base_sight.view, view) &&
           formula_same(&compositor->base_sight.formula, formula);
}

static struct warp_image base_image(const struct compositor *compositor)
{
    const deepfield_live_pixels *base = &compositor->base;
    return (struct warp_image){base->pixels, base->width, base->height, base->stride};
}

/* Shows the newest picture, which has all pixels of this very view. */
static void base_show(struct compositor *compositor, struct warp_image *to)
{
    struct warp_image base = base_image(compositor);
    compositor->rough = compositor->carried = false;
    compositor->old_above = compositor->joined = false;
    compositor->at[0].scale = 0;
    compositor->at[1] = (struct placement){.scale = 1};
    compositor->shown = COMPOSITOR_SHOWN_BASE;
    warp_copy(&base, to, 0, 0, base.width, base.height);
}

enum status compositor_compose(struct compositor *compositor, const struct view *view,
                               const struct formula *formula, enum compositor_care care,
                               struct warp_image *frame)
{
    struct warp_image base = base_image(compositor);
    bool known = compositor->base.picture && compositor->base_sight.view.re;
    struct warp_image *output = &compositor->output;
    memset(compositor->base.changed, 0, sizeof compositor->base.changed);
    compositor->output_holds_base = base_is_of(compositor, view, formula);
    if (compositor->output_holds_base && compositor->covered) {
        base_show(compositor, frame);
        return STATUS_OK;
    }
    if (known && compositor->covered)
        TRY(picture_compose(compositor, &base, view, formula, care, frame));
    else if (!compositor->output_holds_base)
        TRY(picture_compose(compositor, NULL, view, formula, care, frame));
    else {
        TRY(old_carry(compositor, view, formula, care));
        warp_over(&base, output);
        compositor->shown = COMPOSITOR_SHOWN_OUTPUT;
    }
    if (compositor->shown == COMPOSITOR_SHOWN_OUTPUT && frame != output)
        warp_copy(output, frame, 0, 0, output->width, output->height);
    return STATUS_OK;
}

int compositor_update(struct compositor *compositor, const struct view *view,
                      const struct formula *formula, struct warp_image *frame,
                      struct changed_box boxes[COMPOSITOR_BOXES])
{
    struct warp_image base = base_image(compositor);
    if (compositor->shown != COMPOSITOR_SHOWN_BASE || !compositor->covered ||
        !base_is_of(compositor, view, formula))
        return -1;
    int count = changed_blocks_boxes(compositor->base.changed, base.width, base.height, boxes,
                                     COMPOSITOR_BOXES);
    for (int i = 0; i < count; i++)
        warp_copy(&base, frame, boxes[i].left, boxes[i].top, boxes[i].right, boxes[i].bottom);
    memset(compositor->base.changed, 0, sizeof compositor->base.changed);
    return count;
}

bool compositor_image(const struct compositor *compositor, struct warp_image *image)
{
    *image = compositor->shown == COMPOSITOR_SHOWN_BASE  ? base_image(compositor)
             : compositor->shown == COMPOSITOR_SHOWN_OLD ? compositor->old
                                                         : compositor->output;
    return compositor->shown != COMPOSITOR_SHOWN_FRAME;
}

/* ---- figures ---- */

/* Share of the output that a picture reaches. */
static double share_reached(const struct compositor *compositor, const struct placement *at)
{
    const struct warp_image *output = &compositor->output;
    double x = output->width / 2.0, y = output->height / 2.0; /* pictures have its size, or had */
    double wide = fmin(x, at->dx_px + x * at->scale) - fmax(-x, at->dx_px - x * at->scale);
    double high = fmin(y, at->dy_px + y * at->scale) - fmax(-y, at->dy_px - y * at->scale);
    return at->scale > 0 ? fmax(wide, 0) * fmax(high, 0) / (4 * x * y) : 0;
}

struct compositor_layers compositor_layers(const struct compositor *compositor, double now_s)
{
    const struct compositor_sight *sight[2] = {&compositor->old_sight, &compositor->base_sight};
    struct compositor_layers layers = {.missing = 1};
    for (int i = 1; i >= 0; i--) { /* what lies below is seen where the upper one does not reach */
        int which = compositor->old_above ? 1 - i : i;
        const struct placement *at = &compositor->at[which];
        double reached = share_reached(compositor, at);
        double seen = fmin(fmax(reached - (1 - layers.missing), 0), layers.missing);
        double coarse = coarse_px(sight[which], at);
        layers.missing -= seen;
        layers.stale += now_s - sight[which]->asked_s > COMPOSITOR_STALE_S ? seen : 0;
        layers.coarse_8 += coarse > 8 ? seen : 0;
        layers.coarse_4 += coarse > 4 ? seen : 0;
        if (reached > 0 && !(layers.coarsest_px > 0))
            layers.coarsest_px = coarse;
    }
    layers.misplaced_px = compositor->rough ? M_SQRT1_2 : WARP_ROUNDED_PX;
    return layers;
}
