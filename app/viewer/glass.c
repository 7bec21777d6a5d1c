#include "app/viewer/glass.h"

#include <stdlib.h>
#include <string.h>

#include "render/screen_threads.h"

#define WORTH_KEEPING \
    0.02 /* of a picture: less is not worth another interpolation of the old one */

enum { PIXELS_FAST = 3 << 20 }; /* that a thread carries along while a hand moves: 6 ms */

static enum status sight_set(struct glass_sight *sight, const struct view *view,
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
static enum status old_replace(struct glass *glass, uint32_t **pixels, int32_t width,
                               int32_t height)
{
    glass->carried = false;
    if (glass->old.width != width || glass->old.height != height)
        TRY(image_make(&glass->old, width, height));
    uint32_t *spare = glass->old.pixels;
    glass->old.pixels = *pixels;
    *pixels = spare;
    return sight_set(&glass->old_sight, &glass->base_sight.view, &glass->base_sight.formula);
}

/* Before the newest picture gives way to another. */
static enum status base_retire(struct glass *glass)
{
    const struct live_pixels *base = &glass->base;
    if (!base->picture || !glass->base_sight.view.re)
        return STATUS_OK;
    if (glass->covered)
        TRY(old_replace(glass, &glass->base.pixels, base->width, base->height));
    else if (glass->scene_holds_base && glass->done > WORTH_KEEPING)
        TRY(old_replace(glass, &glass->scene.pixels, base->width, base->height));
    glass->base.picture = glass->base.version = 0;
    glass->covered = glass->scene_holds_base = false;
    return STATUS_OK;
}

enum status glass_resize(struct glass *glass, int32_t width, int32_t height)
{
    if (glass->base.width == width && glass->base.height == height)
        return STATUS_OK;
    TRY(base_retire(glass));
    glass->carried = false;
    struct warp_image base = {.pixels = glass->base.pixels};
    glass->base = (struct live_pixels){0};
    TRY(image_make(&base, width, height));
    glass->base = (struct live_pixels){
        .pixels = base.pixels, .width = width, .height = height, .stride = width};
    return image_make(&glass->scene, width, height);
}

void glass_destroy(struct glass *glass)
{
    for (int i = 0; i < GLASS_ASKED; i++)
        view_destroy(&glass->asked[i].sight.view);
    view_destroy(&glass->base_sight.view);
    view_destroy(&glass->old_sight.view);
    view_destroy(&glass->carried_sight.view);
    free(glass->base.pixels);
    free(glass->old.pixels);
    free(glass->scene.pixels);
    free(glass->half.pixels);
    *glass = (struct glass){0};
}

enum status glass_asked(struct glass *glass, const struct live_wish *wish)
{
    struct glass_asked *asked = &glass->asked[glass->asked_next];
    glass->asked_next = (glass->asked_next + 1) % GLASS_ASKED;
    asked->serial = wish->serial;
    return sight_set(&asked->sight, &wish->view, &wish->formula);
}

static const struct glass_sight *sight_of(const struct glass *glass, uint64_t serial)
{
    for (int i = 0; i < GLASS_ASKED; i++)
        if (serial && glass->asked[i].serial == serial)
            return &glass->asked[i].sight;
    return NULL;
}

enum status glass_look(struct glass *glass, struct live *live, struct live_state *state,
                       bool *pixels)
{
    *pixels = false;
    live_look(live, state, NULL);
    if (state->picture != glass->base.picture)
        TRY(base_retire(glass));
    const struct glass_sight *sight = sight_of(glass, state->serial);
    if (!sight || state->width != glass->base.width || state->height != glass->base.height)
        return STATUS_OK; /* of a size that is gone, or for a file */
    *pixels = live_look(live, state, &glass->base);
    sight = sight_of(glass, state->serial);
    if (!sight) { /* of before 64 wishes: cannot be placed */
        glass->base.picture = glass->base.version = 0;
        return STATUS_OK;
    }
    glass->covered = glass->base.picture && state->covered;
    glass->done = state->done;
    return sight_set(&glass->base_sight, &sight->view, &sight->formula);
}

static void scene_clear(struct glass *glass)
{
    size_t count = (size_t)glass->scene.stride * (size_t)glass->scene.height;
    for (size_t i = 0; i < count; i++)
        glass->scene.pixels[i] = WARP_NEUTRAL;
}

/* Each pixel of the half picture becomes four. */
static void half_double(const struct warp_image *half, struct warp_image *scene)
{
    for (int32_t y = 0; y < scene->height; y++) {
        const uint32_t *from = half->pixels + (size_t)(y / 2) * (size_t)half->stride;
        uint32_t *to = scene->pixels + (size_t)y * (size_t)scene->stride;
        if (y % 2)
            memcpy(to, to - scene->stride, (size_t)scene->width * sizeof *to);
        else
            for (int32_t x = 0; x < scene->width; x++)
                to[x] = from[x / 2];
    }
}

/* Every other pixel, each of which becomes four. */
static enum status half_warp(struct glass *glass, const struct warp_image *image,
                             const struct placement *placement)
{
    struct warp_image *scene = &glass->scene, *half = &glass->half;
    int32_t width = (scene->width + 1) / 2, height = (scene->height + 1) / 2;
    if (half->width != width || half->height != height)
        TRY(image_make(half, width, height));
    struct placement at = *placement; /* places from the middle, which moves where sizes are odd */
    at.scale /= 2;
    at.dx_px = at.dx_px / 2 + (scene->width / 2.0 - width) / 2;
    at.dy_px = at.dy_px / 2 + (scene->height / 2.0 - height) / 2;
    warp_picture(image, &at, half);
    half_double(half, scene);
    glass->rough = true;
    return STATUS_OK;
}

/* Lines through a turned picture miss the caches; a pan only copies. */
static bool takes_long(const struct warp_image *scene, const struct placement *placement)
{
    int64_t pixels = (int64_t)scene->width * scene->height;
    bool large = pixels / screen_copiers(pixels) > PIXELS_FAST;
    return placement->angle_rad != 0 || (large && placement->scale != 1);
}

static enum status scene_warp(struct glass *glass, const struct warp_image *image,
                              const struct glass_sight *sight, const struct view *view,
                              const struct formula *formula, enum glass_care care)
{
    struct placement placement;
    glass->rough = glass->carried = false;
    if (!image->pixels || !sight->view.re || !formula_same(&sight->formula, formula)) {
        scene_clear(glass);
        return STATUS_OK;
    }
    TRY(view_placement(&sight->view, view, &placement));
    if (care == GLASS_FAST && takes_long(&glass->scene, &placement))
        return half_warp(glass, image, &placement);
    warp_picture(image, &placement, &glass->scene);
    return STATUS_OK;
}

/* The picture before, as this view has it: there already, or made. */
static enum status old_carry(struct glass *glass, const struct view *view,
                             const struct formula *formula, enum glass_care care)
{
    if (glass->carried && glass->carried_base == glass->base.picture &&
        !(glass->rough && care == GLASS_FINE) && view_same(&glass->carried_sight.view, view) &&
        formula_same(&glass->carried_sight.formula, formula))
        return STATUS_OK;
    TRY(scene_warp(glass, &glass->old, &glass->old_sight, view, formula, care));
    TRY(sight_set(&glass->carried_sight, view, formula));
    glass->carried_base = glass->base.picture;
    glass->carried = true;
    return STATUS_OK;
}

enum status glass_compose(struct glass *glass, const struct view *view,
                          const struct formula *formula, enum glass_care care)
{
    struct warp_image base = {glass->base.pixels, glass->base.width, glass->base.height,
                              glass->base.stride};
    bool known = glass->base.picture && glass->base_sight.view.re;
    glass->scene_holds_base = known && view_same(&glass->base_sight.view, view) &&
                              formula_same(&glass->base_sight.formula, formula);
    if (glass->scene_holds_base && glass->covered) {
        glass->rough = glass->carried = false;
        warp_copy(&base, &glass->scene, 0, 0, base.width, base.height);
        return STATUS_OK;
    }
    if (known && glass->covered)
        return scene_warp(glass, &base, &glass->base_sight, view, formula, care);
    TRY(old_carry(glass, view, formula, care));
    if (glass->scene_holds_base)
        warp_over(&base, &glass->scene);
    return STATUS_OK;
}

bool glass_is_exact(const struct glass *glass)
{
    return glass->scene_holds_base && glass->covered;
}
