#include "app/viewer/overlays/insets.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/viewer/overlays/overlay.h"
#include "app/viewer/overlays/strings.h"
#include "kernels/number_text.h"

enum { INSET_PX = 1024 }; /* most of a side */

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

static void inset_ask(struct insets *insets, enum inset_slot slot,
                      const struct inset_request *request)
{
    struct inset *inset = &insets->inset[slot];
    if (inset->width != request->width || inset->height != request->height) {
        free(inset->pixels);
        *inset = (struct inset){.map = inset->map};
        inset->pixels =
            calloc((size_t)request->width * (size_t)request->height, sizeof *inset->pixels);
        if (!inset->pixels)
            return;
        inset->width = request->width;
        inset->height = request->height;
    }
    inset->there = inset->there && inset->kind == request->formula.plane;
    inset->kind = request->formula.plane;
    inset_renderer_ask(insets->renderer, slot, request);
}

static struct inset_request inset_request(const struct place *place, const struct paint *paint,
                                          enum overlay_corner corner)
{
    struct paint_box box = paint_pixels(paint, overlay_inset_area(paint, corner));
    struct inset_request request = {.zoom = 1.3,
                                    .mirrored = place->view.shape.mirrored,
                                    .width = box.right - box.left,
                                    .height = box.bottom - box.top,
                                    .limit = 500,
                                    .bailout = place->bailout,
                                    .look = place->look};
    if (request.width > INSET_PX)
        request.width = INSET_PX;
    if (request.height > INSET_PX)
        request.height = INSET_PX;
    snprintf(request.palette, sizeof request.palette, "%s", place->palette);
    return request;
}

/* Requests all of the set of a formula. */
static void whole_ask(struct insets *insets, enum inset_slot slot, struct inset_request request,
                      const struct formula *formula)
{
    struct view *map = &insets->inset[slot].map;
    if (request.width < 1 || request.height < 1 ||
        view_home(map, view_range_of(formula), request.width, request.height) != STATUS_OK)
        return;
    map->width = request.width;
    map->height = request.height;
    map->shape.mirrored = request.mirrored;
    request.formula = *formula;
    request.centre_re = number_real(map->re);
    request.centre_im = number_real(map->im);
    request.zoom = number_real(map->zoom);
    inset_ask(insets, slot, &request);
}

void insets_ask(struct insets *insets, const struct insets_shown *shown, const struct paint *paint)
{
    const struct place *place = shown->place;
    struct inset_request right = inset_request(place, paint, OVERLAY_RIGHT);
    if (shown->julia) {
        struct inset_request request = right;
        request.formula = formula_in(&place->formula, DYNAMIC_PLANE);
        if (view_point(&place->view, shown->pointer_x, shown->pointer_y, &request.formula.c_re,
                       &request.formula.c_im) == STATUS_OK &&
            formula_check(&request.formula, request.bailout) == STATUS_OK && request.width > 0 &&
            request.height > 0)
            inset_ask(insets, INSET_JULIA, &request);
    }
    const struct formula of_c = formula_in(&place->formula, PARAMETER_PLANE);
    if (shown->seed)
        whole_ask(insets, INSET_JULIA, right, &of_c);
    if (shown->map)
        whole_ask(insets, INSET_MAP, inset_request(place, paint, OVERLAY_LEFT), &place->formula);
}

bool insets_poll(struct insets *insets)
{
    bool any = false;
    for (int i = 0; i < INSET_SLOTS; i++) {
        struct inset *inset = &insets->inset[i];
        if (inset->pixels &&
            inset_renderer_poll(insets->renderer, (enum inset_slot)i, &inset->seen, inset->pixels,
                                inset->width, inset->height, inset->width))
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
        string_fill(title, sizeof title, STRING_INSET_JULIA, point);
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
