#include "app/viewer/viewer_draw.h"

#include <math.h>

#include "app/viewer/core/viewer_find.h"
#include "app/viewer/core/viewer_make.h"
#include "app/viewer/core/viewer_ranks.h"
#include "app/viewer/core/viewer_tour.h"
#include "app/viewer/overlays/style.h"
#include "app/viewer/panels/viewer_pages.h"
#include "app/viewer/viewer_kiosk.h"
#include "app/viewer/viewer_remote.h"
#include "decomposition/thread/clock.h"

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

/* Boxes of the frame that are to be presented; count 0: all of it. */
struct frame_changes {
    struct paint_box box[COMPOSITOR_BOXES + 1];
    int count;
};

static enum status frame_compose(struct viewer *viewer, struct warp_image *frame)
{
    enum compositor_care care =
        viewer_moves(viewer) || viewer->stamps ? COMPOSITOR_FAST : COMPOSITOR_FINE;
    return compositor_compose(&viewer->compositor, &viewer->place.view, &viewer->place.formula,
                              care, frame);
}

/* Brings the picture in the frame up to date, and removes overlays: only where they are and where
 * pixels are new, if the rest is still right. */
static enum status picture_draw(struct viewer *viewer, struct paint *paint,
                                struct frame_changes *changes)
{
    struct warp_image image, frame = {paint->pixels, paint->width, paint->height, paint->stride};
    struct changed_box boxes[COMPOSITOR_BOXES];
    const struct paint_box *drawn = &viewer->drawn;
    bool whole = viewer->picture_stale || !compositor_image(&viewer->compositor, &image);
    changes->count = 0;
    if (!whole && viewer->pixels_new)
        changes->count = compositor_update(&viewer->compositor, &viewer->place.view,
                                           &viewer->place.formula, &frame, boxes);
    if (whole || changes->count < 0) {
        changes->count = 0;
        return frame_compose(viewer, &frame);
    }
    for (int i = 0; i < changes->count; i++)
        changes->box[i] =
            (struct paint_box){boxes[i].left, boxes[i].top, boxes[i].right, boxes[i].bottom};
    if (!is_empty(drawn))
        warp_copy(&image, &frame, drawn->left, drawn->top, drawn->right, drawn->bottom);
    changes->count++; /* the last is that of the overlays */
    return STATUS_OK;
}

/* Down to the lower edge, or to where insets begin. */
static double hud_room(const struct insets_shown *insets, const struct paint *paint)
{
    if (insets->map || insets->julia || insets->seed)
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
    blank_text(blank, &viewer->state, viewer->kiosk ? NULL : &viewer->actions, text);
    return overlay_sentence(paint, text) - STYLE_GAP;
}

/* What was computed, where it belongs to what is seen. Returns the room that is left above it. */
static double orbit_draw(const struct viewer *viewer, struct paint *paint, double bottom)
{
    const struct orbit_watch *watch = &viewer->orbit_watch;
    bool rays = viewer->place.formula.plane == PARAMETER_PLANE &&
                watch->rays_made == viewer->shown.ray_period && !watch->busy;
    struct overlay_orbit shown = {.view = &viewer->place.view,
                                  .orbit = watch->orbit,
                                  .count = viewer->orbit_count,
                                  .period = viewer->shown.ray_period,
                                  .rays = watch->rays,
                                  .bottom = bottom,
                                  .rays_count = rays ? (1 << viewer->shown.ray_period) - 1 : 0};
    if (!viewer->shown.orbit || !watch->there || viewer->place.formula.step != STEP_mandelbrot)
        return INFINITY;
    return overlay_orbit(paint, &shown);
}

/* Shows the hint while its corner is free, and there is no other text to read, as of a tour. */
static void hint_show(struct viewer *viewer, const struct insets_shown *insets, struct paint *paint)
{
    char text[HINT_BYTES];
    double now_s = clock_s();
    hint_text(&viewer->hints, &viewer->actions, now_s, text);
    if (*text && viewer->panel == PANEL_NONE && !insets->map && viewer->shown.hud != HUD_NOTHING &&
        !notices_any(&viewer->notices) && !viewer_tour_plays(viewer))
        hint_draw(paint, text);
}

static void overlays_draw(struct viewer *viewer, struct paint *paint)
{
    struct gesture_marks marks;
    char search[HUD_LINE_BYTES];
    struct hud hud = {.level = viewer->shown.hud,
                      .state = &viewer->state,
                      .view = &viewer->place.view,
                      .formula = &viewer->place.formula,
                      .limit_automatic = !viewer->place.limit,
                      .cycling = viewer->shown.cycling,
                      .reduced_motion = viewer->options->reduced_motion,
                      .palette = viewer->place.palette};
    if (viewer_find_line(viewer, search) || viewer_make_line(viewer, search))
        hud.search = search;
    gesture_marks(viewer->gesture, &marks);
    if (viewer->shown.tiles && !viewer->shown.hidden)
        overlay_tiles(paint, &viewer->owners);
    if (marks.box)
        overlay_box(paint, marks.box_x[0], marks.box_y[0], marks.box_x[1], marks.box_y[1]);
    struct paint *screen = paint, above = *paint;
    above.height = viewer_kiosk_height(viewer, paint);
    paint = &above;
    viewer_ranks_draw(viewer, paint);
    above.height = (int32_t)(viewer_ranks_room(viewer, paint) * above.scale);
    struct paint_area uncovered = viewer_pages_free(viewer, paint);
    struct paint *panels = paint, beside = above; /* a page: nothing is hidden below it */
    beside.width = (int32_t)(uncovered.width * above.scale);
    beside.height = (int32_t)(uncovered.height * above.scale);
    if (!viewer->shown.hidden && viewer->panel != PANEL_HELP) {
        paint = &beside;
        if (marks.reticle)
            overlay_reticle(paint, marks.reticle_x, marks.reticle_y);
        struct insets_shown insets = viewer_insets(viewer);
        double room = hud_room(&insets, paint), orbit = orbit_draw(viewer, paint, room);
        insets_draw(&viewer->insets, &insets, paint);
        double caption = viewer_tour_draw(viewer, paint);
        room = fmin(fmin(blank_draw(viewer, paint), fmin(room, orbit)), caption);
        hud_draw(&hud, paint, room);
        hint_show(viewer, &insets, paint);
        paint = panels;
        paint->touched = beside.touched;
    }
    if (viewer->panel == PANEL_HELP)
        viewer->help = overlay_help(paint, &viewer->actions, viewer->help.first);
    viewer_pages_draw(viewer, paint);
    if (!viewer->shown.hidden) {
        beside.touched = paint->touched;
        notices_draw(&viewer->notices, &beside, uncovered.width,
                     viewer->panel == PANEL_NONE ? NOTICES : 1);
        paint->touched = beside.touched;
    }
    screen->touched = above.touched;
    if (viewer->kiosk)
        viewer_kiosk_draw(viewer, screen);
}

/* Adds the parts of the time from the input to this first picture of its view. */
static void coarse_measure(struct viewer *viewer, double now_s)
{
    const deepfield_live_moments *moments = &viewer->state.moments;
    struct coarse_figures *parts = &viewer->figures->coarse_parts;
    double input_s = viewer->wait.input_s;
    measure_add(&viewer->figures->coarse, now_s - input_s);
    if (!(moments->planned > 0)) /* the picture failed before devices were told */
        return;
    measure_add(&parts->request, moments->asked - input_s);
    measure_add(&parts->begin, moments->begun - moments->asked);
    measure_add(&parts->plan, moments->planned - moments->begun);
    measure_add(&parts->compute, moments->covered - moments->planned);
    measure_add(&parts->show, now_s - moments->covered);
}

static void viewer_presented(struct viewer *viewer, double now_s)
{
    struct viewer_wait *wait = &viewer->wait;
    bool shown =
        viewer->compositor.base.picture && viewer->compositor.base.picture == wait->picture;
    if (shown && !wait->coarse && viewer->compositor.covered) {
        wait->coarse = true;
        coarse_measure(viewer, now_s);
    }
    if (shown && !wait->settled && viewer->state.settled && viewer_settled(viewer)) {
        wait->settled = true;
        measure_add(&viewer->figures->settled, now_s - wait->input_s);
        viewer->figures->settled_pictures++;
    }
    figures_poll(viewer->figures, now_s);
}

/* Adds this frame to the statistics of a flight. */
static void flight_measure(struct viewer *viewer, double now_s)
{
    struct flight_figures *flight = &viewer->figures->flight;
    if (!viewer_flies(viewer)) {
        viewer->flown_s = 0;
        return;
    }
    struct compositor_layers layers = compositor_layers(&viewer->compositor, now_s);
    if (viewer->flown_s > 0)
        measure_add(&flight->interval, now_s - viewer->flown_s);
    viewer->flown_s = now_s;
    flight->frames++;
    flight->missing += layers.missing;
    flight->stale += layers.stale;
    flight->coarse_8 += layers.coarse_8;
    flight->coarse_4 += layers.coarse_4;
    flight->coarsest_px = fmax(flight->coarsest_px, layers.coarsest_px);
    flight->misplaced_px = fmax(flight->misplaced_px, layers.misplaced_px);
}

/* Adds the parts of a frame whose picture changed. */
static void parts_measure(struct viewer *viewer, double begin_s, double composed_s,
                          double painted_s, double now_s)
{
    struct frame_figures *parts = &viewer->figures->parts;
    double upload_s = window_upload_s(viewer->window);
    measure_add(&parts->compose, composed_s - begin_s);
    measure_add(&parts->paint, painted_s - composed_s);
    measure_add(&parts->upload, upload_s);
    measure_add(&parts->present, now_s - painted_s - upload_s);
}

static void stamps_measure(struct viewer *viewer, double now_s)
{
    for (int i = 0; i < viewer->stamps; i++)
        measure_add(&viewer->figures->reaction, now_s - viewer->stamp[i < VIEWER_STAMPS ? i : 0]);
    viewer->stamps = 0;
    if (!viewer->throttle.view_is_new) /* it was answered; what is computed next is of another */
        viewer->input_s = 0;
}

/* Shows the boxes, the last of which becomes that of the overlays before and now. */
static enum status frame_present(struct viewer *viewer, struct frame_changes *changes,
                                 const struct paint_box *touched)
{
    if (changes->count) {
        struct paint_box overlays = both(&viewer->drawn, touched);
        changes->box[changes->count - 1] = overlays;
        changes->count -= is_empty(&overlays);
        if (!changes->count)
            return STATUS_OK;
    }
    return window_present(viewer->window, changes->box, changes->count);
}

enum status viewer_draw(struct viewer *viewer)
{
    struct paint *paint = window_paint(viewer->window);
    struct frame_changes changes;
    double begin_s = clock_s();
    bool picture = viewer->picture_stale || viewer->pixels_new;
    if (paint->width != viewer->compositor.output.width ||
        paint->height != viewer->compositor.output.height)
        return STATUS_OK; /* the resize is on its way */
    viewer->compositor.flight_s = viewer_flies(viewer) ? begin_s : 0;
    TRY(picture_draw(viewer, paint, &changes));
    const bool hidden = viewer_is_hidden(viewer);
    if (!hidden && changes.count != 1) /* not where overlays alone are new */
        viewer_remote_show(viewer, paint, changes.box, changes.count ? changes.count - 1 : 0);
    double composed_s = clock_s();
    paint->touched = (struct paint_box){0};
    if (!hidden)
        overlays_draw(viewer, paint);
    bool limited = viewer_kiosk_guard(viewer, paint, clock_s());
    if (limited)
        changes.count = 0;
    viewer->remote.limited = limited && !hidden;
    if (hidden && changes.count != 1) /* what pages get is guarded, too */
        viewer_remote_show(viewer, paint, changes.box, changes.count ? changes.count - 1 : 0);
    picture |= limited;
    viewer->picture_stale = viewer->pixels_new = viewer->overlay_stale = viewer->state_new = false;
    double painted_s = clock_s();
    TRY(frame_present(viewer, &changes, &paint->touched));
    viewer->drawn = paint->touched;
    viewer->picture_stale |= limited; /* the next goes on to what was wanted */
    double now_s = clock_s();
    viewer->presented_s = now_s;
    viewer_kiosk_presented(viewer, now_s);
    if (picture)
        viewer->frame_s = now_s - begin_s;
    viewer->figures->frames++;
    measure_add(&viewer->figures->frame, now_s - begin_s);
    stamps_measure(viewer, now_s);
    if (picture) {
        parts_measure(viewer, begin_s, composed_s, painted_s, now_s);
        flight_measure(viewer, now_s);
    }
    viewer_presented(viewer, now_s);
    return STATUS_OK;
}
