/* Between the hand and the engine: when a request is posted, what came of it, and how long it took.
 */
#include <math.h>
#include <string.h>

#include "app/viewer/viewer_parts.h"
#include "decomposition/clock.h"

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
void viewer_history_look(struct viewer *viewer, double now_s)
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

enum status viewer_request(struct viewer *viewer, double now_s)
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

static enum status picture_look(struct viewer *viewer)
{
    viewer_picture_look(viewer);
    const struct live_state *state = &viewer->state;
    bool settled = viewer_settled(viewer);
    bool never = state->stage == LIVE_FAILED && state->serial == viewer->serial && !settled;
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

enum status viewer_look(struct viewer *viewer)
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

void viewer_density(struct viewer *viewer, double now_s)
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

void viewer_presented(struct viewer *viewer, double now_s)
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
