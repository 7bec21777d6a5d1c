#include "app/viewer/compositor.h"

#include <stdlib.h>
#include <string.h>

#include "render/screen_threads.h"

#define WORTH_KEEPING \
    0.02 /* of a picture: less is not worth another interpolation of the old one */

enum { PIXELS_FAST = 3 << 20 }; /* that a thread carries along while a hand moves: 6 ms */

static enum status sight_set(struct compositor_sight *sight, const struct view *view,
                             const struct formula *formula)
{
    sight->formula = *formula;
    return view_copy(&sight->view, view);
}

static enum status image_make(struct warp_image *image, int32_t width, int32_t height)
{
    free(image->pixels);
    *image = (struct warp_image){.width = width, .height = height, .stride = width};
    image->pixels = calloc((size_t)width * (size_t)height, sizeof *image->pixels);
    return image->pixels ? STATUS_OK
                         : status_fail(STATUS_OUT_OF_MEMORY,
                                       "no memory for a picture of %d x %d pixels", width, height);
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
    return sight_set(&compositor->old_sight, &compositor->base_sight.view,
                     &compositor->base_sight.formula);
}

/* Before the newest picture gives way to another. */
static enum status base_retire(struct compositor *compositor)
{
    const struct live_pixels *base = &compositor->base;
    if (!base->picture || !compositor->base_sight.view.re)
        return STATUS_OK;
    if (compositor->covered)
        TRY(old_replace(compositor, &compositor->base.pixels, base->width, base->height));
    else if (compositor->output_holds_base && compositor->done > WORTH_KEEPING)
        TRY(old_replace(compositor, &compositor->output.pixels, base->width, base->height));
    compositor->base.picture = compositor->base.version = 0;
    compositor->covered = compositor->output_holds_base = false;
    return STATUS_OK;
}

enum status compositor_resize(struct compositor *compositor, int32_t width, int32_t height)
{
    if (compositor->base.width == width && compositor->base.height == height)
        return STATUS_OK;
    TRY(base_retire(compositor));
    compositor->carried = false;
    struct warp_image base = {.pixels = compositor->base.pixels};
    compositor->base = (struct live_pixels){0};
    TRY(image_make(&base, width, height));
    compositor->base = (struct live_pixels){
        .pixels = base.pixels, .width = width, .height = height, .stride = width};
    return image_make(&compositor->output, width, height);
}

void compositor_destroy(struct compositor *compositor)
{
    for (int i = 0; i < COMPOSITOR_ASKED; i++)
        view_destroy(&compositor->asked[i].sight.view);
    view_destroy(&compositor->base_sight.view);
    view_destroy(&compositor->old_sight.view);
    view_destroy(&compositor->carried_sight.view);
    free(compositor->base.pixels);
    free(compositor->old.pixels);
    free(compositor->output.pixels);
    free(compositor->half.pixels);
    *compositor = (struct compositor){0};
}

enum status compositor_asked(struct compositor *compositor, const struct live_request *request)
{
    struct compositor_asked *asked = &compositor->asked[compositor->asked_next];
    compositor->asked_next = (compositor->asked_next + 1) % COMPOSITOR_ASKED;
    asked->serial = request->serial;
    return sight_set(&asked->sight, &request->view, &request->formula);
}

static const struct compositor_sight *sight_of(const struct compositor *compositor, uint64_t serial)
{
    for (int i = 0; i < COMPOSITOR_ASKED; i++)
        if (serial && compositor->asked[i].serial == serial)
            return &compositor->asked[i].sight;
    return NULL;
}

enum status compositor_look(struct compositor *compositor, struct live *live,
                            struct live_state *state, bool *pixels)
{
    *pixels = false;
    live_look(live, state, NULL);
    if (state->picture != compositor->base.picture)
        TRY(base_retire(compositor));
    const struct compositor_sight *sight = sight_of(compositor, state->serial);
    if (!sight || state->width != compositor->base.width ||
        state->height != compositor->base.height)
        return STATUS_OK; /* of a size that is gone, or for a file */
    *pixels = live_look(live, state, &compositor->base);
    sight = sight_of(compositor, state->serial);
    if (!sight) { /* of before 64 requests: cannot be placed */
        compositor->base.picture = compositor->base.version = 0;
        return STATUS_OK;
    }
    compositor->covered = compositor->base.picture && state->covered;
    compositor->done = state->done;
    return sight_set(&compositor->base_sight, &sight->view, &sight->formula);
}

static void output_clear(struct compositor *compositor)
{
    size_t count = (size_t)compositor->output.stride * (size_t)compositor->output.height;
    for (size_t i = 0; i < count; i++)
        compositor->output.pixels[i] = WARP_NEUTRAL;
}

/* Each pixel of the half picture becomes four. */
static void half_double(const struct warp_image *half, struct warp_image *output)
{
    for (int32_t y = 0; y < output->height; y++) {
        const uint32_t *from = half->pixels + (size_t)(y / 2) * (size_t)half->stride;
        uint32_t *to = output->pixels + (size_t)y * (size_t)output->stride;
        if (y % 2)
            memcpy(to, to - output->stride, (size_t)output->width * sizeof *to);
        else
            for (int32_t x = 0; x < output->width; x++)
                to[x] = from[x / 2];
    }
}

/* Every other pixel, each of which becomes four. */
static enum status half_warp(struct compositor *compositor, const struct warp_image *image,
                             const struct placement *placement)
{
    struct warp_image *output = &compositor->output, *half = &compositor->half;
    int32_t width = (output->width + 1) / 2, height = (output->height + 1) / 2;
    if (half->width != width || half->height != height)
        TRY(image_make(half, width, height));
    struct placement at = *placement; /* places from the middle, which moves where sizes are odd */
    at.scale /= 2;
    at.dx_px = at.dx_px / 2 + (output->width / 2.0 - width) / 2;
    at.dy_px = at.dy_px / 2 + (output->height / 2.0 - height) / 2;
    warp_picture(image, &at, half);
    half_double(half, output);
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

static enum status output_warp(struct compositor *compositor, const struct warp_image *image,
                               const struct compositor_sight *sight, const struct view *view,
                               const struct formula *formula, enum compositor_care care)
{
    struct placement placement;
    compositor->rough = compositor->carried = false;
    if (!image->pixels || !sight->view.re || !formula_same(&sight->formula, formula)) {
        output_clear(compositor);
        return STATUS_OK;
    }
    TRY(view_placement(&sight->view, view, &placement));
    if (care == COMPOSITOR_FAST && takes_long(&compositor->output, &placement))
        return half_warp(compositor, image, &placement);
    warp_picture(image, &placement, &compositor->output);
    return STATUS_OK;
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
    TRY(output_warp(compositor, &compositor->old, &compositor->old_sight, view, formula, care));
    TRY(sight_set(&compositor->carried_sight, view, formula));
    compositor->carried_base = compositor->base.picture;
    compositor->carried = true;
    return STATUS_OK;
}

enum status compositor_compose(struct compositor *compositor, const struct view *view,
                               const struct formula *formula, enum compositor_care care)
{
    struct warp_image base = {compositor->base.pixels, compositor->base.width,
                              compositor->base.height, compositor->base.stride};
    bool known = compositor->base.picture && compositor->base_sight.view.re;
    compositor->output_holds_base = known && view_same(&compositor->base_sight.view, view) &&
                                    formula_same(&compositor->base_sight.formula, formula);
    if (compositor->output_holds_base && compositor->covered) {
        compositor->rough = compositor->carried = false;
        warp_copy(&base, &compositor->output, 0, 0, base.width, base.height);
        return STATUS_OK;
    }
    if (known && compositor->covered)
        return output_warp(compositor, &base, &compositor->base_sight, view, formula, care);
    TRY(old_carry(compositor, view, formula, care));
    if (compositor->output_holds_base)
        warp_over(&base, &compositor->output);
    return STATUS_OK;
}
