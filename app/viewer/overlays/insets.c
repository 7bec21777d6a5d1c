#include "app/viewer/overlays/insets.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/viewer/overlays/overlay.h"
#include "app/viewer/overlays/strings.h"

enum { INSET_PX = 1024, INSET_LIMIT = 500 }; /* most of a side; iteration limit */
#define JULIA_ZOOM "1.3"

enum status insets_open(struct insets *insets, const char *assets, void (*wake)(void *context),
                        void *context)
{
    return inset_renderer_open(&insets->renderer, assets, wake, context);
}

void insets_close(struct insets *insets)
{
    inset_renderer_close(insets->renderer);
    for (int i = 0; i < INSET_SLOTS; i++) {
        free(insets->inset[i].pixels);
        view_destroy(&insets->inset[i].map);
    }
}

static void inset_ask(struct insets *insets, enum inset_slot slot, const struct place *place)
{
    struct inset *inset = &insets->inset[slot];
    int32_t width = place->view.width, height = place->view.height;
    if (inset->width != width || inset->height != height) {
        free(inset->pixels);
        *inset = (struct inset){.map = inset->map};
        inset->pixels = calloc((size_t)width * (size_t)height, sizeof *inset->pixels);
        if (!inset->pixels)
            return;
        inset->width = width;
        inset->height = height;
    }
    inset->there = inset->there && inset->kind == place->formula.plane;
    inset->kind = place->formula.plane;
    inset_renderer_ask(insets->renderer, slot, place);
}

/* Width and height of an inset, in pixels; 0: there is no room for it. */
struct inset_size {
    int32_t width, height;
};

static struct inset_size size_of(const struct paint *paint, enum overlay_corner corner)
{
    struct paint_box box = paint_pixels(paint, overlay_inset_area(paint, corner));
    int32_t width = box.right - box.left, height = box.bottom - box.top;
    if (width < 1 || height < 1)
        return (struct inset_size){0, 0};
    return (struct inset_size){width < INSET_PX ? width : INSET_PX,
                               height < INSET_PX ? height : INSET_PX};
}

/* A view of a formula in the colours of a place, but for what needs distances. The view is
 * borrowed. */
static struct place place_like(const struct place *of, const struct formula *formula,
                               const struct view *view)
{
    struct place place = {.view = *view,
                          .limit = INSET_LIMIT,
                          .bailout = of->bailout,
                          .accuracy_px = of->accuracy_px,
                          .orbit = of->orbit,
                          .formula = *formula,
                          .look = of->look};
    snprintf(place.palette, sizeof place.palette, "%s", of->palette);
    place.view.shape.mirrored = of->view.shape.mirrored;
    place.look.relief = place.look.lines = 0;
    place.look.relief_auto = place.look.lines_auto = false;
    return place;
}

/* Requests all of the set of a formula. */
static void whole_ask(struct insets *insets, enum inset_slot slot, const struct place *of,
                      const struct formula *formula, struct inset_size size)
{
    struct view *map = &insets->inset[slot].map;
    if (!size.width || view_home(map, view_range_of(formula), size.width, size.height) != STATUS_OK)
        return;
    map->width = size.width;
    map->height = size.height;
    map->shape.mirrored = of->view.shape.mirrored;
    const struct place place = place_like(of, formula, map);
    inset_ask(insets, slot, &place);
}

static void julia_ask(struct insets *insets, const struct insets_shown *shown,
                      struct inset_size size)
{
    const struct place *of = shown->place;
    struct view view = {.re = NULL};
    struct formula julia = formula_in(&of->formula, DYNAMIC_PLANE);
    if (size.width &&
        view_point(&of->view, shown->pointer_x, shown->pointer_y, &julia.c_re, &julia.c_im) ==
            STATUS_OK &&
        formula_check(&julia, of->bailout) == STATUS_OK &&
        view_set(&view, "0", "0", JULIA_ZOOM, 0, size.width, size.height) == STATUS_OK) {
        const struct place place = place_like(of, &julia, &view);
        inset_ask(insets, INSET_JULIA, &place);
    }
    view_destroy(&view);
}

void insets_ask(struct insets *insets, const struct insets_shown *shown, const struct paint *paint)
{
    const struct place *place = shown->place;
    const struct inset_size right = size_of(paint, OVERLAY_RIGHT);
    if (shown->julia)
        julia_ask(insets, shown, right);
    const struct formula of_c = formula_in(&place->formula, PARAMETER_PLANE);
    if (shown->seed)
        whole_ask(insets, INSET_JULIA, place, &of_c, right);
    if (shown->map)
        whole_ask(insets, INSET_MAP, place, &place->formula, size_of(paint, OVERLAY_LEFT));
}

bool insets_poll(struct insets *insets)
{
    bool any = false;
    for (int i = 0; i < INSET_SLOTS; i++) {
        struct inset *inset = &insets->inset[i];
        if (inset->pixels && inset_renderer_poll(insets->renderer, (enum inset_slot)i, &inset->seen,
                                                 inset->pixels, inset->width, inset->height))
            any = inset->there = true;
    }
    return any;
}

void insets_draw(const struct insets *insets, const struct insets_shown *shown, struct paint *paint)
{
    const struct place *place = shown->place;
    const struct inset *julia = &insets->inset[INSET_JULIA], *map = &insets->inset[INSET_MAP];
    char title[96], point[64];
    double re, im;
    if (shown->julia && julia->there &&
        view_point(&place->view, shown->pointer_x, shown->pointer_y, &re, &im) == STATUS_OK) {
        struct paint_image image = {julia->pixels, julia->width, julia->height, julia->width};
        snprintf(point, sizeof point, "%.4f %+.4f", re, im);
        string_fill(title, sizeof title, STRING_HUD_JULIA, point);
        overlay_inset(paint, OVERLAY_RIGHT, &image, title);
    }
    if (shown->seed && julia->there) {
        const struct formula *formula = &place->formula;
        struct paint_image image = {julia->pixels, julia->width, julia->height, julia->width};
        snprintf(point, sizeof point, "%.4f %+.4f", formula->c_re, formula->c_im);
        string_fill(title, sizeof title, STRING_INSET_SEED, point);
        overlay_inset(paint, OVERLAY_RIGHT, &image, title);
        overlay_point(paint, OVERLAY_RIGHT, &julia->map, formula->c_re, formula->c_im);
    }
    if (shown->map && map->there) {
        struct paint_image image = {map->pixels, map->width, map->height, map->width};
        bool of_julia = formula_julia(&place->formula);
        overlay_inset(paint, OVERLAY_LEFT, &image,
                      string_of(of_julia ? STRING_INSET_MAP_JULIA : STRING_INSET_MAP));
        overlay_here(paint, OVERLAY_LEFT, &map->map, &place->view);
    }
}
