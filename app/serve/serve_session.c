#include "app/serve/serve_session.h"

#include <math.h>
#include <stdlib.h>

#include "app/serve/session_engine.h"
#include "app/serve/session_json.h"
#include "app/serve/session_lead.h"
#include "app/serve/session_state.h"
#include "app/serve/session_wall.h"
#include "decomposition/thread/clock.h"

enum { SCREEN_WIDTH = 1280, SCREEN_HEIGHT = 720 };

#define HELD_S 1.0  /* a hand that says nothing for so long does not move the picture */
#define TURN_S 0.25 /* longest rest of the session */
#define SOON_S 0.01 /* rest while a page waits for its next frame */

/* ---- opening and closing ---- */

/* A wall has the size of the settings, or SCREEN_WIDTH x SCREEN_HEIGHT for each screen. */
static enum status wall_prepare(struct serve_session *session,
                                const struct serve_session_options *options)
{
    TRY(wall_of_text(&session->wall, options->wall));
    if (config_was_set(options->config, OPTION_VIEW_SIZE))
        return STATUS_OK;
    return exploration_size(&session->exploration, SCREEN_WIDTH * session->wall.columns,
                            SCREEN_HEIGHT * session->wall.rows);
}

enum status serve_session_create(struct serve_session **session,
                                 const struct serve_session_options *options)
{
    struct serve_session *made = *session = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the served picture");
    made->live = options->live;
    made->window.remote = options->window;
    made->windowed = options->window && !options->hidden;
    made->stand = options->stand;
    made->state.size = sizeof made->state;
    made->pointer_x = made->pointer_y = NAN;
    made->status.server = options->status;
    made->status.begun_s = clock_s();
    TRY(exploration_create(&made->exploration, options->world, options->config, options->data));
    TRY(cell_cache_create(&made->cells));
    if (options->wall)
        TRY(wall_prepare(made, options));
    TRY(session_lists_text(options->world, &made->lists));
    if (options->bookmarks)
        TRY(session_bookmarks_open(&made->bookmarks, options->bookmarks));
    throttle_view_changed(&made->throttle, 0);
    return STATUS_OK;
}

static void visitor_free(struct visitor *page)
{
    if (!page)
        return;
    free(page->reply);
    free(page->bookmarks);
    free(page->held.bytes);
    free(page);
}

void serve_session_destroy(struct serve_session *session)
{
    if (!session)
        return;
    session_bookmarks_close(session->bookmarks);
    for (int i = 0; i < SESSION_PAGES; i++)
        visitor_free(session->page[i]);
    remote_source_close(&session->window);
    exploration_destroy(&session->exploration);
    cell_cache_destroy(session->cells);
    free(session->facts_text);
    free(session->lists);
    free(session);
}

/* ---- turns ---- */

/* Is there a page that will get a frame as soon as its pace allows, or an answer? */
static bool page_waits(const struct serve_session *session, double now_s)
{
    if (session->bookmarks && session_bookmarks_busy(session->bookmarks))
        return true;
    for (int i = 0; i < SESSION_PAGES; i++)
        if (session->page[i] && !session->page[i]->chooses &&
            page_frame_due(&session->page[i]->view, session->cells, &session->frame,
                           now_s + TURN_S))
            return true;
    return false;
}

/* A turn beside a window, which asks the engine itself. */
static enum status window_turn(struct serve_session *session, double now_s, double *until_s)
{
    bool is_new;
    TRY(remote_source_take(&session->window, session->cells, &session->frame, &is_new));
    if (is_new) {
        session->state = session->window.facts.state;
        session_facts_renew(session);
    }
    if (remote_lead_taken(session->window.remote))
        lead_give(session, NULL);
    lead_pass(session, now_s);
    *until_s = now_s + (page_waits(session, now_s) ? SOON_S : TURN_S);
    return STATUS_OK;
}

static enum status engine_turn(struct serve_session *session, double now_s, double *until_s)
{
    TRY(session_state_take(session));
    lead_pass(session, now_s);
    session->held = session->held && now_s - session->moved_s < HELD_S;
    if (session->held)
        session->throttle.changed_s = now_s;
    enum throttle_kind kind = throttle_decide(&session->throttle, now_s, until_s);
    if (kind != THROTTLE_WAIT) {
        enum status status = session_picture_ask(session, kind == THROTTLE_ASK_MOVING);
        throttle_asked(&session->throttle, kind, now_s);
        if (status == STATUS_OUT_OF_MEMORY)
            return status;
        if (status != STATUS_OK && session->leader) /* the place cannot be computed */
            session_note(session->leader->note, status_text(), session->exploration.data);
        *until_s = now_s;
    }
    *until_s = fmin(*until_s, now_s + (page_waits(session, now_s) ? SOON_S : TURN_S));
    return session_status_tell(&session->status, session->live, &session->state, &session->sums,
                               session->moved_s, now_s, until_s);
}

enum status serve_session_turn(struct serve_session *session, double now_s, double *until_s)
{
    TRY(session->window.remote ? window_turn(session, now_s, until_s)
                               : engine_turn(session, now_s, until_s));
    return session->wall.columns ? session_wall_turn(session, now_s, until_s) : STATUS_OK;
}

/* ---- pages ---- */

/* Tells the window how many look; is_new: one has no picture yet. */
static void watchers_tell(const struct serve_session *session, bool is_new)
{
    int count = 0;
    for (int i = 0; i < SESSION_PAGES; i++)
        count += session->page[i] != NULL;
    if (session->window.remote)
        remote_watchers_set(session->window.remote, count, is_new && count == 1);
}

struct visitor *serve_session_join(struct serve_session *session, enum access_right right,
                                   double now_s)
{
    for (int i = 0; i < SESSION_PAGES; i++) {
        if (session->page[i])
            continue;
        struct visitor *page = session->page[i] = calloc(1, sizeof *page);
        if (!page)
            return NULL;
        page->number = ++session->sums.visitors;
        page->right = right;
        page->tokens = SESSION_RATE_MOST;
        page->tokens_s = now_s;
        if (right >= ACCESS_LEAD && !session->leader && !session->windowed)
            lead_give(session, page);
        session->facts++;
        watchers_tell(session, true);
        return page;
    }
    return NULL;
}

void serve_session_leave(struct serve_session *session, struct visitor *page, double now_s)
{
    for (int i = 0; i < SESSION_PAGES; i++)
        if (session->page[i] == page)
            session->page[i] = NULL;
    if (session->leader == page) {
        session->moved_s = now_s;
        lead_give(session, session->windowed ? NULL : lead_heir(session));
    }
    wall_leave(&session->wall, page);
    visitor_free(page);
    session->facts++;
    lead_tell(session);
    watchers_tell(session, false);
}

bool visitor_is_dead(const struct visitor *page, double now_s)
{
    return pace_is_dead(&page->view.pace, now_s);
}

struct serve_session_sums serve_session_sums(const struct serve_session *session)
{
    struct serve_session_sums sums = session->sums;
    sums.encode_s = cell_cache_cost(session->cells).seconds;
    return sums;
}
