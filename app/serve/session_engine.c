#include "app/serve/session_engine.h"

#include <stdlib.h>
#include <string.h>

#include "library/handle/program.h"
#include "library/handle/program_live.h"

enum status session_picture_ask(struct serve_session *session, bool moving)
{
    const struct config_value *size = &session->exploration.config.value[OPTION_VIEW_SIZE];
    struct deepfield_picture *picture;
    deepfield_live_request request = {.size = sizeof request,
                                      .pace = moving ? DEEPFIELD_LIVE_MOVE : DEEPFIELD_LIVE_SETTLE,
                                      .pointer_x = session->pointer_x,
                                      .pointer_y = session->pointer_y,
                                      .again = session->again,
                                      .automatic_limit = 1};
    memcpy(request.without, session->ranks.out, sizeof request.without);
    TRY(cell_cache_resize(session->cells, (int32_t)size->integer, (int32_t)size->second));
    if (session->frame.width != (int32_t)size->integer ||
        session->frame.height != (int32_t)size->second)
        session->frame.picture = 0; /* its pixels are gone */
    TRY(exploration_picture(&session->exploration, &picture));
    enum status status =
        status_take(deepfield_live_ask_with(session->live, picture, &request, &session->asked));
    deepfield_picture_destroy(picture);
    session->motions[session->asked % SESSION_SERIALS].serial = session->asked;
    session->motions[session->asked % SESSION_SERIALS].motion = session->motion;
    session->asked_settled = !moving;
    session->changed = session->changed && status != STATUS_OK;
    return status;
}

/* The newest motion in the picture of a request. */
static uint32_t motion_of(const struct serve_session *session, uint64_t serial)
{
    return session->motions[serial % SESSION_SERIALS].serial == serial
               ? session->motions[serial % SESSION_SERIALS].motion
               : session->frame.motion;
}

/* Is the state of the newest request, at full accuracy, and is nothing else wanted since? */
static bool is_newest(const struct serve_session *session)
{
    return session->state.serial == session->asked && session->asked_settled && !session->changed;
}

static void frame_judge(struct serve_session *session)
{
    const deepfield_live_state *state = &session->state;
    const struct deepfield_live_pixels *pixels = cell_cache_pixels(session->cells);
    struct frame_facts *frame = &session->frame;
    bool shown = state->covered && state->serial && pixels->picture == state->picture &&
                 state->width == pixels->width && state->height == pixels->height;
    frame->picture = shown ? state->picture : 0;
    if (!shown) {
        frame->final = false;
        return;
    }
    frame->motion = motion_of(session, state->serial);
    frame->width = pixels->width;
    frame->height = pixels->height;
    const bool newest = is_newest(session);
    const bool final = newest && state->smooth && !state->mixed;
    frame->number += final && !frame->final;
    frame->final = final;
    frame->slow = newest && state->settled && !frame->final;
}

void session_facts_renew(struct serve_session *session)
{
    session->facts++;
    free(session->facts_text);
    session->facts_text = NULL;
}

enum status session_state_take(struct serve_session *session)
{
    uint64_t version = deepfield_live_version(session->live);
    /* A request for what is there already gets a number, and no new version. */
    if (version == session->version && session->frame.final)
        return STATUS_OK;
    session->version = version;
    struct deepfield_live_pixels *pixels = cell_cache_pixels(session->cells);
    TRY(status_take(
        deepfield_live_update(session->live, &session->state, pixels->pixels ? pixels : NULL)));
    cell_cache_changed(session->cells);
    if (rank_set_arrivals(&session->ranks, &session->state, NULL, NULL))
        session->throttle.look_is_new = true;
    frame_judge(session);
    session_facts_renew(session);
    const deepfield_live_state *state = &session->state;
    throttle_covered(&session->throttle, state->serial >= session->asked && state->covered,
                     state->serial >= session->asked && state->stride == 1);
    bool rests = state->settled && is_newest(session);
    if (rests && session->repeats) {
        session->repeats = false;
        session->again++;
        session->throttle.look_is_new = true;
    }
    if (rests && !session->entered) {
        session->entered = true;
        return exploration_rested(&session->exploration);
    }
    return STATUS_OK;
}

void session_view_changed(struct serve_session *session, double now_s)
{
    throttle_view_changed(&session->throttle, now_s);
    session->entered = false;
    session->changed = true;
    session->frame.final = false; /* the pixels are of the place before */
    session_facts_renew(session);
}

struct look_seen session_look_seen(const struct serve_session *session)
{
    struct program_live_measured measured;
    struct look_seen seen = {.runs = session->window.facts.place.distribution.runs,
                             .shaded = session->state.planes & PLANE_MASK_DISTANCE};
    if (!session->window.remote && session->state.measured) {
        program_live_measured(session->live, &measured);
        seen.runs = measured.distribution.runs;
    }
    return seen;
}
