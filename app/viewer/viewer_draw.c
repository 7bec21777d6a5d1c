/* From the state of the viewer to pixels on the screen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/style.h"
#include "app/viewer/viewer_parts.h"
#include "decomposition/clock.h"

static bool is_empty(const struct paint_box *box)
{
    return box->right <= box->left || box->bottom <= box->top;
}

static struct paint_box both(const struct paint_box *a, const struct paint_box *b)
{
    if (is_empty(a) || is_empty(b))
        return is_empty(a) ? *b : *a;
    return (struct paint_box){
        a->left < b->left ? a->left : b->left, a->top < b->top ? a->top : b->top,
        a->right > b->right ? a->right : b->right, a->bottom > b->bottom ? a->bottom : b->bottom};
}

/* The picture, in the box, onto the frame: over what overlays had drawn there. */
static void restore(const struct compositor *compositor, struct paint *paint,
                    const struct paint_box *box)
{
    struct warp_image frame = {paint->pixels, paint->width, paint->height, paint->stride};
    if (!is_empty(box))
        warp_copy(&compositor->output, &frame, box->left, box->top, box->right, box->bottom);
}

/* ---- insets ---- */

static void inset_ask(struct viewer *viewer, enum inset_slot slot,
                      const struct inset_request *request)
{
    struct inset *inset = &viewer->inset[slot];
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
    inset->there = inset->there && inset->kind == request->formula.kind;
    inset->kind = request->formula.kind;
    inset_renderer_ask(viewer->insets, slot, request);
}

static struct inset_request inset_request(const struct viewer *viewer, enum overlay_corner corner)
{
    struct paint *paint = window_paint(viewer->window);
    struct paint_box box = paint_pixels(paint, overlay_inset_area(paint, corner));
    struct inset_request request = {.zoom = 1.3,
                                    .width = box.right - box.left,
                                    .height = box.bottom - box.top,
                                    .limit = 500,
                                    .bailout = viewer->place.bailout,
                                    .look = viewer->place.look};
    if (request.width > VIEWER_INSET_PX)
        request.width = VIEWER_INSET_PX;
    if (request.height > VIEWER_INSET_PX)
        request.height = VIEWER_INSET_PX;
    snprintf(request.palette, sizeof request.palette, "%s", viewer->place.palette);
    return request;
}

/* All of the set of a formula. */
static void whole_ask(struct viewer *viewer, enum inset_slot slot, enum overlay_corner corner,
                      const struct formula *formula, const struct steer_range *range)
{
    struct inset_request request = inset_request(viewer, corner);
    struct view *map = &viewer->inset[slot].map;
    if (request.width < 1 || request.height < 1 ||
        steer_home(map, range, request.width, request.height) != STATUS_OK)
        return;
    map->width = request.width;
    map->height = request.height;
    request.formula = *formula;
    request.centre_re = strtod(map->re, NULL);
    request.centre_im = strtod(map->im, NULL);
    request.zoom = strtod(map->zoom, NULL);
    inset_ask(viewer, slot, &request);
}

static bool julia_is_shown(const struct viewer *viewer)
{
    struct gesture_marks marks;
    gesture_marks(viewer->gesture, &marks);
    return viewer->place.formula.kind == FORMULA_MANDELBROT && !viewer->hidden &&
           (viewer->julia_inset || marks.hold == ACTION_JULIA_PEEK);
}

/* The other way round: whose Julia set is this? */
static bool seed_is_shown(const struct viewer *viewer)
{
    return viewer->place.formula.kind == FORMULA_JULIA && !viewer->hidden &&
           (viewer->minimap || viewer->julia_inset);
}

static bool map_is_shown(const struct viewer *viewer)
{
    return viewer->minimap && !viewer->hidden;
}

void viewer_insets_ask(struct viewer *viewer)
{
    if (julia_is_shown(viewer)) {
        struct inset_request request = inset_request(viewer, OVERLAY_RIGHT);
        request.formula.kind = FORMULA_JULIA;
        if (steer_point(&viewer->place.view, viewer->pointer_x, viewer->pointer_y,
                        &request.formula.c_re, &request.formula.c_im) == STATUS_OK &&
            formula_check(&request.formula, request.bailout) == STATUS_OK && request.width > 0 &&
            request.height > 0)
            inset_ask(viewer, INSET_JULIA, &request);
    }
    const struct formula mandelbrot = {.kind = FORMULA_MANDELBROT};
    if (seed_is_shown(viewer))
        whole_ask(viewer, INSET_JULIA, OVERLAY_RIGHT, &mandelbrot, &steer_mandelbrot);
    if (map_is_shown(viewer))
        whole_ask(viewer, INSET_MAP, OVERLAY_LEFT, &viewer->place.formula, viewer_range(viewer));
}

bool viewer_insets_look(struct viewer *viewer)
{
    bool any = false;
    for (int i = 0; i < INSET_SLOTS; i++) {
        struct inset *inset = &viewer->inset[i];
        if (inset->pixels &&
            inset_renderer_look(viewer->insets, (enum inset_slot)i, &inset->seen, inset->pixels,
                                inset->width, inset->height, inset->width))
            any = inset->there = true;
    }
    return any;
}

static void insets_draw(struct viewer *viewer, struct paint *paint)
{
    const struct inset *julia = &viewer->inset[INSET_JULIA], *map = &viewer->inset[INSET_MAP];
    char title[96];
    double re, im;
    if (julia_is_shown(viewer) && julia->there &&
        steer_point(&viewer->place.view, viewer->pointer_x, viewer->pointer_y, &re, &im) ==
            STATUS_OK) {
        struct paint_image image = {julia->pixels, julia->width, julia->height, julia->width};
        snprintf(title, sizeof title, "Julia set of %.4f %+.4f i", re, im);
        overlay_inset(paint, OVERLAY_RIGHT, &image, title);
    }
    if (seed_is_shown(viewer) && julia->there) {
        const struct formula *formula = &viewer->place.formula;
        struct paint_image image = {julia->pixels, julia->width, julia->height, julia->width};
        snprintf(title, sizeof title, "its c: %.4f %+.4f i", formula->c_re, formula->c_im);
        overlay_inset(paint, OVERLAY_RIGHT, &image, title);
        overlay_point(paint, OVERLAY_RIGHT, &julia->map, formula->c_re, formula->c_im);
    }
    if (map_is_shown(viewer) && map->there) {
        struct paint_image image = {map->pixels, map->width, map->height, map->width};
        bool of_julia = viewer->place.formula.kind == FORMULA_JULIA;
        overlay_inset(paint, OVERLAY_LEFT, &image,
                      of_julia ? "where this is in its Julia set" : "where this is");
        overlay_here(paint, OVERLAY_LEFT, &map->map, &viewer->place.view);
    }
}

/* ---- all of it ---- */

/* Down to the lower edge, or to where insets begin. */
static double hud_room(const struct viewer *viewer, const struct paint *paint)
{
    if (map_is_shown(viewer) || julia_is_shown(viewer) || seed_is_shown(viewer))
        return overlay_inset_frame(paint, OVERLAY_LEFT).y;
    return paint_units(paint, paint->height) - STYLE_GAP;
}

/* Nobody is left with a black window: not while a sentence can say what it is. Returns the room
 * that is left above it. */
static double blank_draw(const struct viewer *viewer, struct paint *paint)
{
    char text[BLANK_BYTES];
    enum blank blank = viewer_blank(viewer);
    if (blank == BLANK_NOT || viewer->panel != PANEL_NONE)
        return INFINITY;
    blank_text(blank, &viewer->state, &viewer->actions, text);
    return overlay_sentence(paint, text) - STYLE_GAP;
}

static void overlays_draw(struct viewer *viewer, struct paint *paint)
{
    struct gesture_marks marks;
    struct hud hud = {.level = viewer->hud,
                      .state = &viewer->state,
                      .view = &viewer->place.view,
                      .formula = &viewer->place.formula,
                      .limit_automatic = !viewer->place.limit,
                      .cycling = viewer->cycling,
                      .reduced_motion = viewer->options->reduced_motion,
                      .palette = viewer->place.palette};
    gesture_marks(viewer->gesture, &marks);
    if (viewer->tiles && !viewer->hidden)
        overlay_tiles(paint, &viewer->owners);
    if (marks.box)
        overlay_box(paint, marks.box_x[0], marks.box_y[0], marks.box_x[1], marks.box_y[1]);
    bool page = viewer->panel == PANEL_HELP || viewer->panel == PANEL_BOOKMARKS;
    if (!viewer->hidden && !page) {
        if (marks.reticle)
            overlay_reticle(paint, marks.reticle_x, marks.reticle_y);
        insets_draw(viewer, paint);
        double room = fmin(blank_draw(viewer, paint), hud_room(viewer, paint));
        hud_draw(&hud, paint, room);
    }
    if (viewer->panel == PANEL_HELP)
        viewer->help = overlay_help(paint, &viewer->actions, viewer->help.first);
    if (viewer->panel == PANEL_BOOKMARKS)
        overlay_bookmarks(paint, &viewer->bookmarks, viewer->bookmark);
    if (viewer->panel == PANEL_ENTRY)
        entry_draw(&viewer->entry, paint);
    if (!viewer->hidden)
        notices_draw(&viewer->notices, paint, viewer->panel == PANEL_NONE ? NOTICES : 1);
}

static void stamps_measure(struct viewer *viewer, double now_s)
{
    for (int i = 0; i < viewer->stamps; i++)
        measure_add(&viewer->figures->reaction, now_s - viewer->stamp[i < VIEWER_STAMPS ? i : 0]);
    viewer->stamps = 0;
}

enum status viewer_draw(struct viewer *viewer)
{
    struct paint *paint = window_paint(viewer->window);
    double begin_s = clock_s();
    bool whole = viewer->picture_stale || viewer->pixels_new;
    if (paint->width != viewer->compositor.output.width ||
        paint->height != viewer->compositor.output.height)
        return STATUS_OK; /* the resize is on its way */
    if (whole)
        TRY(compositor_compose(&viewer->compositor, &viewer->place.view, &viewer->place.formula,
                               viewer_moves(viewer) || viewer->stamps ? COMPOSITOR_FAST
                                                                      : COMPOSITOR_FINE));
    struct paint_box all = {0, 0, paint->width, paint->height};
    restore(&viewer->compositor, paint, whole ? &all : &viewer->drawn);
    paint->touched = (struct paint_box){0};
    overlays_draw(viewer, paint);
    struct paint_box changed = both(&viewer->drawn, &paint->touched);
    viewer->drawn = paint->touched;
    viewer->picture_stale = viewer->pixels_new = viewer->overlay_stale = viewer->state_new = false;
    if (whole || !is_empty(&changed))
        TRY(window_present(viewer->window, &changed, whole ? 0 : 1));
    double now_s = clock_s();
    viewer->presented_s = now_s;
    if (whole)
        viewer->frame_s = now_s - begin_s;
    viewer->figures->frames++;
    measure_add(&viewer->figures->frame, now_s - begin_s);
    stamps_measure(viewer, now_s);
    viewer_presented(viewer, now_s);
    return STATUS_OK;
}
