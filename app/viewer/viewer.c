#include "app/viewer/viewer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/style.h"
#include "app/viewer/viewer_parts.h"
#include "decomposition/clock.h"
#include "render/palette.h"

/* ---- between the hand and the engine ---- */

bool viewer_moves(const struct viewer *viewer)
{
    struct gesture_marks marks;
    gesture_marks(viewer->gesture, &marks);
    return marks.held || marks.moving;
}

void viewer_view_changed(struct viewer *viewer, double now_s)
{
    throttle_view_changed(&viewer->throttle, now_s);
    viewer->picture_stale = true;
    viewer->unkept_s = now_s;
}

void viewer_look_changed(struct viewer *viewer)
{
    viewer->throttle.look_is_new = true;
    viewer->overlay_stale = true;
}

static struct live_request request_make(const struct viewer *viewer, enum live_pace pace)
{
    const struct place *place = &viewer->place;
    struct live_request request = {
        .view = place->view,
        .limit = place->limit,
        .bailout = place->bailout,
        .accuracy_px = place->accuracy_px,
        .formula = place->formula,
        .distances = place_distances(place),
        .planes = interior_planes(place->look.interior_kind),
        .look = place_look(place, place->view.height),
        .pointer_x = viewer->pointer_x,
        .pointer_y = viewer->pointer_y,
        .pace = pace,
        .samples = viewer->options->samples,
        .again = viewer->again,
    };
    snprintf(request.palette, sizeof request.palette, "%s", place->palette);
    return request;
}

static enum status request_post(struct viewer *viewer, struct live_request *request)
{
    request->serial = ++viewer->serial;
    viewer->figures->requests++;
    TRY(compositor_asked(&viewer->compositor, request));
    return live_ask(viewer->live, request);
}

/* Where the hand came to rest is a step of the history. */
static void viewer_history_look(struct viewer *viewer, double now_s)
{
    double due_s = viewer->unkept_s + THROTTLE_REST_S;
    if (!(viewer->unkept_s > 0) || viewer_moves(viewer))
        return;
    if (now_s < due_s) {
        viewer->wake_s = fmin(viewer->wake_s, due_s);
        return;
    }
    viewer_history_keep(viewer);
    viewer->unkept_s = 0;
}

/* A picture for a file, of another size than the window, while the hand rests. */
static enum status print_post(struct viewer *viewer)
{
    struct live_request request = request_make(viewer, LIVE_SETTLED);
    request.view.width = viewer->print_width;
    request.view.height = viewer->print_height;
    request.look = place_look(&viewer->place, request.view.height);
    TRY(request_post(viewer, &request));
    viewer->print_serial = request.serial;
    return STATUS_OK;
}

static enum status viewer_request(struct viewer *viewer, double now_s)
{
    struct throttle *throttle = &viewer->throttle;
    double until_s;
    bool moves = viewer_moves(viewer);
    if (moves)
        throttle->changed_s = now_s; /* a hand that only pauses has not come to rest */
    viewer_history_look(viewer, now_s);
    enum throttle_kind kind = throttle_decide(throttle, now_s, &until_s);
    viewer->wake_s = fmin(viewer->wake_s, until_s);
    if (kind == THROTTLE_WAIT) {
        if (viewer->print_width && !viewer->print_serial && viewer_settled(viewer))
            return print_post(viewer);
        return STATUS_OK;
    }
    bool fresh = throttle->view_is_new;
    struct live_request request =
        request_make(viewer, kind == THROTTLE_ASK_MOVING ? LIVE_MOVING : LIVE_SETTLED);
    throttle_asked(throttle, kind, now_s);
    TRY(request_post(viewer, &request));
    viewer->print_serial = 0; /* a print that was under way begins again when this is settled */
    if (fresh) {
        viewer->view_serial = request.serial;
        viewer->asked_input_s = viewer->input_s > 0 ? viewer->input_s : now_s;
        viewer->input_s = 0;
    }
    double again_s;
    throttle_decide(throttle, now_s, &again_s);
    viewer->wake_s = fmin(viewer->wake_s, again_s);
    return STATUS_OK;
}

/* ---- what came of it ---- */

static void picture_begins(struct viewer *viewer)
{
    viewer->wait =
        (struct viewer_wait){.picture = viewer->state.picture, .input_s = viewer->asked_input_s};
    viewer->figures->pictures++;
}

static void moments_measure(struct viewer *viewer)
{
    const struct live_moments *moments = &viewer->state.moments;
    struct viewer_wait *wait = &viewer->wait;
    if (!wait->cancelled && moments->asked > 0 && moments->cancelled > 0) {
        wait->cancelled = true;
        measure_add(&viewer->figures->cancel, moments->cancelled - moments->asked);
    }
    if (!wait->fine && moments->asked > 0 && moments->fine > 0) {
        wait->fine = true;
        measure_add(&viewer->figures->fine, moments->fine - moments->asked);
    }
    viewer->figures->late = viewer->state.late;
}

/* The picture of another size is there, or never will be. */
static enum status print_look(struct viewer *viewer)
{
    const struct live_state *state = &viewer->state;
    if (!viewer->print_serial || state->serial != viewer->print_serial)
        return STATUS_OK;
    if (state->stage == LIVE_FAILED)
        viewer_say(viewer, NOTICE_ALARM, "no picture: %s", state->error);
    else if (!state->smooth)
        return STATUS_OK;
    else {
        struct view view = viewer->place.view;
        view.width = viewer->print_width;
        view.height = viewer->print_height;
        TRY(viewer_forgive(
            viewer, viewer_picture_write(viewer, viewer->print_serial, &view, viewer->print_path)));
    }
    viewer->print_width = viewer->print_height = 0;
    viewer->print_serial = 0;
    viewer_view_changed(viewer, clock_s() - THROTTLE_REST_S); /* back to what the window shows */
    return STATUS_OK;
}

bool viewer_never(const struct viewer *viewer)
{
    const struct live_state *state = &viewer->state;
    return state->stage == LIVE_FAILED && state->serial == viewer->serial &&
           !viewer_settled(viewer);
}

static enum status picture_look(struct viewer *viewer)
{
    viewer_picture_look(viewer);
    const struct live_state *state = &viewer->state;
    bool settled = viewer_settled(viewer), never = viewer_never(viewer);
    if (!viewer->picture_wanted || (!settled && !never))
        return STATUS_OK;
    viewer->picture_wanted = false;
    if (never) {
        viewer_say(viewer, NOTICE_ALARM, "no picture: %s", state->error);
        return STATUS_OK;
    }
    return viewer_forgive(viewer, viewer_picture_write(viewer, viewer->serial, &viewer->place.view,
                                                       viewer->picture_path));
}

void viewer_picture(struct viewer *viewer, const char *path)
{
    viewer->picture_wanted = true;
    snprintf(viewer->picture_path, sizeof viewer->picture_path, "%s", path);
    if (!viewer_settled(viewer))
        viewer_say(viewer, NOTICE_NEWS, "the picture is written when it is finished");
    else if (picture_look(viewer) != STATUS_OK) /* now: the hand may move on */
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
}

static enum status viewer_look(struct viewer *viewer)
{
    struct live_state *state = &viewer->state;
    bool pixels = false;
    double now_s = clock_s(), due_s = viewer->looked_s + fmax(VIEWER_LOOK_S, viewer->look_s);
    if (now_s < due_s) /* pieces come by the hundred: many are fetched at once */
        viewer->wake_s = fmin(viewer->wake_s, due_s);
    else if (live_news(viewer->live, state->version)) {
        char error[STATUS_TEXT_BYTES];
        int troubles = state->troubles;
        uint64_t serial = state->serial;
        memcpy(error, state->error, sizeof error);
        TRY(compositor_look(&viewer->compositor, viewer->live, state, &pixels));
        viewer->looked_s = clock_s();
        viewer->look_s = viewer->looked_s - now_s;
        viewer->state_new = true;
        viewer->pixels_new |= pixels;
        if (state->picture != viewer->wait.picture && state->serial >= viewer->view_serial)
            picture_begins(viewer);
        if (state->serial >= viewer->view_serial && !viewer->print_serial)
            throttle_covered(&viewer->throttle, viewer->compositor.covered);
        moments_measure(viewer);
        if (state->troubles > troubles)
            viewer_say(viewer, NOTICE_ALARM, "%s", state->trouble);
        bool again = state->stage == LIVE_FAILED && state->serial != serial;
        if (*state->error && (again || strcmp(error, state->error) != 0))
            viewer_say(viewer, NOTICE_ALARM, "%s", state->error);
        if (viewer->tiles)
            TRY(live_who(viewer->live, &viewer->owners));
    }
    TRY(print_look(viewer));
    return picture_look(viewer);
}

static void viewer_density(struct viewer *viewer, double now_s)
{
    bool fresh = viewer->throttle.view_is_new;
    bool wanted = viewer->state.serial >= viewer->view_serial && !viewer->print_serial;
    enum automatic_density_sight sight = viewer_moves(viewer) || fresh     ? DENSITY_MOVES
                                         : !wanted                         ? DENSITY_OTHER
                                         : viewer->options->reduced_motion ? DENSITY_AT_ONCE
                                                                           : DENSITY_WANTED;
    if (automatic_density_step(&viewer->density, &viewer->place, &viewer->state, sight, now_s,
                               &viewer->wake_s))
        viewer_look_changed(viewer);
}

static void viewer_presented(struct viewer *viewer, double now_s)
{
    struct viewer_wait *wait = &viewer->wait;
    bool shown =
        viewer->compositor.base.picture && viewer->compositor.base.picture == wait->picture;
    if (shown && !wait->coarse && viewer->compositor.covered) {
        wait->coarse = true;
        measure_add(&viewer->figures->coarse, now_s - wait->input_s);
    }
    if (shown && !wait->settled && viewer->state.settled && viewer_settled(viewer)) {
        wait->settled = true;
        measure_add(&viewer->figures->settled, now_s - wait->input_s);
        viewer->figures->settled_pictures++;
        figures_look(viewer->figures);
    }
}

/* Is the picture of what is wanted finished, and in our hands? */
bool viewer_settled(const struct viewer *viewer)
{
    const struct live_state *state = &viewer->state;
    return throttle_at_rest(&viewer->throttle) && !viewer_moves(viewer) &&
           !viewer->density.glides && viewer->density.seen == state->measured &&
           state->serial == viewer->serial && state->settled && viewer->compositor.covered &&
           viewer->compositor.base.picture == state->picture;
}

enum blank viewer_blank(const struct viewer *viewer)
{
    const struct live_state *state = &viewer->state;
    bool failed = state->stage == LIVE_FAILED && state->serial == viewer->serial;
    return failed || viewer_settled(viewer) ? blank_of(state, &viewer->place) : BLANK_NOT;
}

/* ---- input becomes views and actions ---- */

const struct view_range *viewer_range(const struct viewer *viewer)
{
    return viewer->place.formula.plane == DYNAMIC_PLANE ? &range_dynamic_plane
                                                        : &range_parameter_plane;
}

struct gesture_settings viewer_gesture_settings(const struct viewer *viewer)
{
    return (struct gesture_settings){.actions = &viewer->actions,
                                     .width = viewer->place.view.width,
                                     .height = viewer->place.view.height,
                                     .scale = window_ui_scale(viewer->window),
                                     .reduced_motion = viewer->options->reduced_motion};
}

static enum status viewer_fit(struct viewer *viewer)
{
    int32_t width, height;
    window_size(viewer->window, &width, &height);
    TRY(view_resize(&viewer->place.view, viewer_range(viewer), width, height));
    TRY(compositor_resize(&viewer->compositor, width, height));
    viewer->figures->width = width;
    viewer->figures->height = height;
    viewer->drawn = (struct paint_box){0, 0, width, height};
    viewer->pointer_x = width / 2.0;
    viewer->pointer_y = height / 2.0;
    viewer_view_changed(viewer, clock_s());
    return STATUS_OK;
}

/* An input that something on the screen may answer. */
static void stamp(struct viewer *viewer, const struct input_event *event)
{
    if (viewer->stamps < VIEWER_STAMPS)
        viewer->stamp[viewer->stamps] = event->time_s;
    viewer->stamps++;
    if (!(viewer->input_s > 0))
        viewer->input_s = event->time_s;
}

static bool is_of_hand(const struct input_event *event)
{
    switch (event->kind) {
    case INPUT_WAKE:
    case INPUT_QUIT:
    case INPUT_FOCUS_GAINED:
    case INPUT_PAD_ADDED:
    case INPUT_PAD_REMOVED:
        return false;
    default:
        return true;
    }
}

/* What a file or a text that was dropped into the window says. */
static void drop(struct viewer *viewer, const struct input_event *event)
{
    if (!event->dropped)
        return;
    if (event->kind == INPUT_DROP_FILE)
        viewer_file_open(viewer, event->dropped);
    else
        viewer_set_place(viewer, event->dropped, strlen(event->dropped), "the dropped text",
                         PLACE_GIVEN);
}

/* Where the loop stalled, as behind a slow disk, input of seconds waits: what was before a pause of
 * the hand is a place of its own, and not to be undone together with what came after. */
static enum status catch_up(struct viewer *viewer, double time_s)
{
    if (time_s < viewer->stepped_s + VIEWER_STALL_S)
        return STATUS_OK;
    TRY(viewer_steps(viewer, time_s));
    viewer->unkept_s = fmin(viewer->unkept_s, time_s); /* not when the loop came to it */
    viewer_history_look(viewer, time_s);
    return STATUS_OK;
}

enum status viewer_take(struct viewer *viewer, const struct input_event *event)
{
    if (is_of_hand(event)) {
        TRY(catch_up(viewer, event->time_s));
        viewer->figures->events++;
        stamp(viewer, event);
    }
    if (event->kind == INPUT_MOVE || event->kind == INPUT_WHEEL ||
        event->kind == INPUT_BUTTON_DOWN) {
        viewer->pointer_x = event->x;
        viewer->pointer_y = event->y;
        viewer_insets_ask(viewer);
    }
    switch (event->kind) {
    case INPUT_QUIT:
        viewer->ends = true;
        return STATUS_OK;
    case INPUT_RESIZE:
        gesture_take(viewer->gesture, event);
        return viewer_fit(viewer);
    case INPUT_DROP_FILE:
    case INPUT_DROP_TEXT:
        drop(viewer, event);
        return STATUS_OK;
    case INPUT_WAKE:
        return STATUS_OK;
    default:
        if (!viewer_panel_take(viewer, event))
            gesture_take(viewer->gesture, event);
        return STATUS_OK;
    }
}

static void stops_tell(struct viewer *viewer, unsigned stops)
{
    if (stops & VIEW_STOP_IN)
        viewer_say(viewer, NOTICE_NEWS, "the deepest zoom that can be computed");
    if (stops & VIEW_STOP_OUT)
        viewer_say(viewer, NOTICE_NEWS, "there is nothing farther out");
}

enum status viewer_steps(struct viewer *viewer, double now_s)
{
    struct gesture_result result;
    struct gesture_marks before, marks;
    viewer->stepped_s = now_s;
    gesture_marks(viewer->gesture, &before);
    while (gesture_next(viewer->gesture, now_s, &result)) {
        if (result.kind == GESTURE_ACTION) {
            TRY(viewer_action(viewer, result.action, result.x, result.y));
            continue;
        }
        unsigned stops = 0;
        TRY(view_move(&viewer->place.view, viewer_range(viewer), &result.step, &stops));
        *viewer->place.title = '\0'; /* it was the name of where we come from */
        stops_tell(viewer, stops);
        if (viewer->place.limit_ends && result.step.factor > 1)
            viewer->place.limit = 0; /* it was enough for where we come from */
        viewer_view_changed(viewer, now_s);
    }
    gesture_marks(viewer->gesture, &marks);
    if (marks.box || marks.reticle || before.box || before.reticle || before.hold != marks.hold)
        viewer->overlay_stale = true;
    if (viewer->compositor.rough && !marks.held && !marks.moving && !viewer->stamps)
        viewer->picture_stale = true; /* now there is time for all pixels of it */
    double wait_s = gesture_wait_s(viewer->gesture, now_s);
    viewer->wake_s = fmin(viewer->wake_s, now_s + fmax(wait_s, VIEWER_GLIDE_S));
    if (!viewer->picture_stale && !viewer->overlay_stale && wait_s > 0) {
        viewer->stamps = 0; /* nothing on the screen answers */
        viewer->input_s = viewer->throttle.view_is_new ? viewer->input_s : 0;
    }
    return STATUS_OK;
}

/* ---- from the state of the viewer to pixels on the screen ---- */

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

static struct insets_shown insets_now(const struct viewer *viewer)
{
    struct gesture_marks marks;
    bool of_julia = viewer->place.formula.plane == DYNAMIC_PLANE;
    gesture_marks(viewer->gesture, &marks);
    return (struct insets_shown){.place = &viewer->place,
                                 .range = viewer_range(viewer),
                                 .pointer_x = viewer->pointer_x,
                                 .pointer_y = viewer->pointer_y,
                                 .map = viewer->minimap && !viewer->hidden,
                                 .julia = !of_julia && !viewer->hidden &&
                                          (viewer->julia_inset || marks.hold == ACTION_JULIA_PEEK),
                                 .seed = of_julia && !viewer->hidden &&
                                         (viewer->minimap || viewer->julia_inset)};
}

void viewer_insets_ask(struct viewer *viewer)
{
    struct insets_shown shown = insets_now(viewer);
    insets_ask(&viewer->insets, &shown, window_paint(viewer->window));
}

/* ---- all of it ---- */

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
        struct insets_shown insets = insets_now(viewer);
        insets_draw(&viewer->insets, &insets, paint);
        double room = fmin(blank_draw(viewer, paint), hud_room(&insets, paint));
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

/* ---- the loop ---- */

enum { EVENTS_A_TURN = 512 }; /* a flood of input may not keep the screen from being drawn */

static void wake(void *context)
{
    window_wake(context);
}

/* Bookmarks and the history are a comfort: the viewer goes on without them. */
static enum status memories_open(struct viewer *viewer)
{
    char folder[USER_DATA_PATH_BYTES], warning[STATUS_TEXT_BYTES] = "";
    TRY(history_create(&viewer->history));
    enum status status = user_data_folder(folder);
    if (status == STATUS_OK)
        status = user_data_path(viewer->bookmarks_path, folder, "bookmarks");
    if (status == STATUS_OK)
        status = user_data_path(viewer->history_path, folder, "history.log");
    if (status == STATUS_OK)
        status = history_load(viewer->history, viewer->history_path, warning);
    if (*warning)
        viewer_say(viewer, NOTICE_ALARM, "history: %s", warning);
    return viewer_forgive(viewer, status);
}

static void hint(struct viewer *viewer)
{
    char keys[128];
    actions_words(&viewer->actions, ACTION_HELP, keys, sizeof keys);
    keys[strcspn(keys, ",")] = '\0';
    if (*keys)
        viewer_say(viewer, NOTICE_NEWS, "%s shows all keys", keys);
}

static enum status viewer_open(struct viewer *viewer)
{
    const struct viewer_options *options = viewer->options;
    TRY(window_open(&viewer->window, &options->window));
    live_wake_with(viewer->live, wake, viewer->window);
    TRY(io_thread_open(&viewer->io_thread, wake, viewer->window));
    TRY(insets_open(&viewer->insets, options->assets, wake, viewer->window));
    TRY(actions_create(&viewer->actions, &options->config->keys));
    TRY(place_copy(&viewer->place, options->place));
    palette_names(options->assets, viewer->palettes, sizeof viewer->palettes);
    viewer->hud = HUD_SHORT;
    viewer->figures->driver = window_driver(viewer->window);
    viewer->figures->renderer = window_renderer(viewer->window);
    TRY(viewer_fit(viewer));
    struct gesture_settings settings = viewer_gesture_settings(viewer);
    TRY(gesture_create(&viewer->gesture, &settings));
    TRY(memories_open(viewer));
    viewer_history_keep(viewer);
    viewer->throttle.changed_s = -THROTTLE_REST_S; /* the first picture is wanted whole at once */
    if (!options->script)
        hint(viewer);
    else {
        viewer->plays = true;
        viewer->play = play_begin(options->script, clock_s());
    }
    return STATUS_OK;
}

static void viewer_close(struct viewer *viewer)
{
    live_wake_with(viewer->live, NULL, NULL); /* the window goes first */
    viewer_picture_close(viewer);
    io_thread_close(viewer->io_thread);
    insets_close(&viewer->insets);
    gesture_destroy(viewer->gesture);
    history_destroy(viewer->history);
    window_close(viewer->window);
    viewer_bookmarks_close(viewer);
    free(viewer->inbox.text);
    pthread_mutex_destroy(&viewer->inbox.mutex);
    free(viewer->owners.cell);
    entry_close(&viewer->entry);
    compositor_destroy(&viewer->compositor);
    place_destroy(&viewer->place);
}

/* Input first, then refinements, then figures. */
static bool draw_is_due(struct viewer *viewer, double now_s)
{
    double since_s = now_s - viewer->presented_s;
    bool finished = viewer->state.settled && !viewer->wait.settled && viewer->state_new;
    bool covered = viewer->compositor.covered && !viewer->wait.coarse && viewer->pixels_new;
    if (covered && viewer_moves(viewer)) { /* its next frame shows it, where frames take long */
        double due_s = viewer->presented_s + VIEWER_COVERED_FRAMES * viewer->frame_s;
        viewer->wake_s = fmin(viewer->wake_s, due_s);
        covered = now_s >= due_s;
    }
    if (finished || covered || (viewer->stamps && (viewer->picture_stale || viewer->overlay_stale)))
        return true;
    if (viewer->picture_stale || viewer->overlay_stale) { /* what moves by itself */
        viewer->wake_s = fmin(viewer->wake_s, viewer->presented_s + VIEWER_GLIDE_S);
        return since_s >= VIEWER_GLIDE_S;
    }
    double due_s = viewer->pixels_new ? VIEWER_REFRESH_S : VIEWER_FIGURES_S;
    if (!viewer->pixels_new && (!viewer->state_new || viewer->hud == HUD_NOTHING))
        return false;
    if (since_s >= due_s)
        return true;
    viewer->wake_s = fmin(viewer->wake_s, viewer->presented_s + due_s);
    return false;
}

static enum status input_take(struct viewer *viewer, double timeout_s)
{
    struct input_event event;
    bool there = window_wait(viewer->window, timeout_s, &event);
    for (int i = 0; there && i < EVENTS_A_TURN; i++) {
        TRY(viewer_take(viewer, &event));
        there = window_wait(viewer->window, 0, &event);
    }
    return STATUS_OK;
}

/* Waits until there is something to do, and does it. */
static enum status viewer_turn(struct viewer *viewer)
{
    double timeout_s = fmin(fmax(viewer->wake_s - clock_s(), 0), VIEWER_LOOK_AROUND_S);
    TRY(input_take(viewer, timeout_s));
    TRY(window_check(viewer->window));
    viewer->wake_s = INFINITY;
    TRY(viewer_script(viewer));
    double now_s = clock_s();
    TRY(viewer_steps(viewer, now_s));
    viewer_cycle(viewer, now_s);
    viewer_inbox(viewer);
    TRY(viewer_look(viewer));
    viewer_density(viewer, now_s);
    TRY(viewer_request(viewer, now_s));
    viewer->overlay_stale |= insets_look(&viewer->insets);
    viewer->overlay_stale |= notices_expire(&viewer->notices, now_s);
    viewer->wake_s = fmin(viewer->wake_s, notices_next_s(&viewer->notices));
    if (draw_is_due(viewer, clock_s())) {
        TRY(viewer_draw(viewer));
        if (viewer->compositor.rough)
            viewer->wake_s = fmin(viewer->wake_s, viewer->presented_s + VIEWER_GLIDE_S);
        if (viewer->plays)
            viewer->wake_s = 0; /* the script may have waited for this frame */
    }
    viewer_thumbnail_look(viewer);
    viewer->ends |= *viewer->options->stop != 0;
    return STATUS_OK;
}

enum status viewer_run(const struct viewer_options *options, struct figures *figures)
{
    struct viewer *viewer = calloc(1, sizeof *viewer);
    if (!viewer)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the viewer");
    viewer->options = options;
    viewer->live = options->live;
    viewer->figures = figures;
    pthread_mutex_init(&viewer->inbox.mutex, NULL);
    figures->begun_s = clock_s();
    enum status status = viewer_open(viewer);
    while (status == STATUS_OK && !viewer->ends)
        status = viewer_turn(viewer);
    figures->ended_s = clock_s();
    figures_look(figures);
    if (status == STATUS_OK && *viewer->failure)
        status = status_fail(STATUS_INTERNAL, "%s", viewer->failure);
    bool cut = viewer->plays && viewer->play.next < options->script->count;
    if (status == STATUS_OK && cut && *options->stop)
        status = status_fail(STATUS_STOPPED, "stopped in line %d of the script",
                             options->script->steps[viewer->play.next].line);
    if (viewer->print_width || viewer->picture_wanted)
        fprintf(stderr, "deepfield: a picture that was asked for was not finished in time\n");
    viewer_close(viewer);
    free(viewer);
    return status;
}
