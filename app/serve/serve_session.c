#include "app/serve/serve_session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/serve/exploration.h"
#include "app/serve/session_bookmarks.h"
#include "app/serve/session_json.h"
#include "app/serve/session_status.h"
#include "app/serve/wall.h"
#include "app/serve/remote_source.h"
#include "app/viewer/core/rank_set.h"
#include "app/viewer/input/throttle.h"
#include "app/viewer/kiosk/kiosk.h"
#include "decomposition/thread/clock.h"
#include "library/handle/program.h"
#include "library/handle/program_live.h"

enum { SCREEN_WIDTH = 1280, SCREEN_HEIGHT = 720 };
enum { SERIALS = 256, RATE_MOST = 400, STAND_PIXELS_MOST = 3840 * 2160 };

#define FACTS_S 0.2 /* least time between two texts of facts to a page */
#define HELD_S 1.0  /* a hand that says nothing for so long does not move the picture */
#define TURN_S 0.25 /* longest rest of the session */
#define SOON_S 0.01 /* rest while a page waits for its next frame */
#define KEEP_S 0.5  /* least time between two bookmarks that are added */

struct visitor {
    struct page_view view;
    enum access_right right;
    bool wants_lead, greeted;
    uint64_t number; /* counts all visitors */
    uint64_t facts;  /* number of the facts that it has */
    uint32_t exact;  /* number of the exact picture that they speak of; 0: of none */
    double facts_s, tokens_s;
    double tokens;           /* messages that it may send at once */
    char *reply;             /* text for it alone; owned; NULL: none */
    char *bookmarks;         /* the same, about bookmarks */
    bool chooses;            /* it chooses its place of a wall, and needs no picture */
    struct frame_bytes held; /* frame of a wall that is to be sent; length 0: none; owned */
    uint32_t present;        /* frame of a wall that it is to present; 0: none */
    char note[SESSION_TEXT_BYTES];
};

struct serve_session {
    deepfield_live *live;
    struct exploration exploration;
    struct throttle throttle;
    struct cell_cache *cells;
    deepfield_live_state state;
    struct frame_facts frame;
    uint64_t asked, version; /* serial of the newest request; version that was taken */
    bool asked_settled, entered;
    uint32_t motion; /* newest motion of the leader */
    struct {
        uint64_t serial;
        uint32_t motion;
    } motions[SERIALS];
    double pointer_x, pointer_y, moved_s;
    bool held;
    struct rank_set ranks;
    uint64_t again;
    bool repeats; /* other ranks compute: once it is finished the picture is computed again */
    struct visitor *page[SESSION_PAGES], *leader;
    uint64_t facts; /* rises when what pages are told has changed */
    char *facts_text, *lists;
    struct serve_session_sums sums;
    struct session_status status;
    struct remote_source window;
    struct wall wall; /* 0 columns: none */
    bool windowed;    /* the window can lead, and has its size */
    bool stand;
    struct session_bookmarks *bookmarks; /* NULL: there are none */
    double kept_s;                       /* time at which one was added last */
};

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

/* ---- the engine ---- */

static enum status picture_ask(struct serve_session *session, bool moving)
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
    session->motions[session->asked % SERIALS].serial = session->asked;
    session->motions[session->asked % SERIALS].motion = session->motion;
    session->asked_settled = !moving;
    return status;
}

/* The newest motion in the picture of a request. */
static uint32_t motion_of(const struct serve_session *session, uint64_t serial)
{
    return session->motions[serial % SERIALS].serial == serial
               ? session->motions[serial % SERIALS].motion
               : session->frame.motion;
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
    bool newest = state->serial == session->asked && session->asked_settled;
    const bool final = newest && state->smooth && !state->mixed;
    frame->number += final && !frame->final;
    frame->final = final;
    frame->slow = newest && state->settled && !frame->final;
}

static void facts_renew(struct serve_session *session)
{
    session->facts++;
    free(session->facts_text);
    session->facts_text = NULL;
}

/* Copies new pixels and facts. */
static enum status state_take(struct serve_session *session)
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
    facts_renew(session);
    const deepfield_live_state *state = &session->state;
    throttle_covered(&session->throttle, state->serial >= session->asked && state->covered,
                     state->serial >= session->asked && state->stride == 1);
    bool rests = state->settled && state->serial == session->asked && session->asked_settled;
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

static void view_changed(struct serve_session *session, double now_s)
{
    throttle_view_changed(&session->throttle, now_s);
    session->entered = false;
    session->frame.final = false; /* the pixels are of the place before */
    facts_renew(session);
}

/* Does the page get frames of its own? Not a screen of a wall, which gets those of the wall. */
static bool is_alone(const struct serve_session *session, const struct visitor *page)
{
    return !page->chooses && !wall_screen_of((struct wall *)&session->wall, page);
}

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

/* ---- the lead ---- */

/* The next leader: one that has asked, else any that may. */
static struct visitor *heir(const struct serve_session *session)
{
    struct visitor *found = NULL;
    for (int i = 0; i < SESSION_PAGES; i++) {
        struct visitor *page = session->page[i];
        if (page && page->right >= ACCESS_LEAD &&
            (!found || (page->wants_lead && !found->wants_lead)))
            found = page;
    }
    return found;
}

/* Tells the window who leads, and who asks. */
static void lead_tell(const struct serve_session *session)
{
    int asked = 0;
    for (int i = 0; i < SESSION_PAGES; i++)
        asked += session->page[i] && session->page[i]->wants_lead;
    if (session->window.remote)
        remote_lead_set(session->window.remote, session->leader, asked);
}

static void lead_give(struct serve_session *session, struct visitor *page)
{
    session->leader = page;
    session->held = false;
    if (page)
        page->wants_lead = false;
    session->facts++;
    lead_tell(session);
}

/* When the one that leads has moved the picture last. */
static double moved_s(const struct serve_session *session)
{
    return session->windowed && !session->leader ? session->window.facts.touched_s
                                                 : session->moved_s;
}

/* Gives the lead to a page that waits for it once the leader has done nothing for a while. */
static void lead_pass(struct serve_session *session, double now_s)
{
    struct visitor *next = heir(session);
    if ((!session->leader && !session->windowed) || !next || !next->wants_lead ||
        next == session->leader || now_s - moved_s(session) <= SESSION_IDLE_S)
        return;
    session->moved_s = now_s;
    lead_give(session, next);
}

/* ---- the wall ---- */

static struct visitor *screen_page(const struct serve_session *session, int screen)
{
    for (int i = 0; i < SESSION_PAGES; i++)
        if (session->page[i] && session->page[i] == session->wall.screen[screen].page)
            return session->page[i];
    return NULL;
}

/* Is there something new for a screen that is not late? */
static bool wall_is_due(const struct serve_session *session, double now_s)
{
    if (wall_wants_frame(&session->wall))
        return session->frame.picture != 0;
    for (int i = 0; i < session->wall.columns * session->wall.rows; i++) {
        const struct visitor *page = screen_page(session, i);
        if (page && !session->wall.screen[i].late &&
            page_frame_due(&page->view, session->cells, &session->frame, now_s))
            return true;
    }
    return false;
}

/* Makes the next frame for all screens at the same time, so that it is one picture. */
static enum status wall_frame_put(struct serve_session *session, double now_s)
{
    struct wall *wall = &session->wall;
    uint32_t number = wall_begin(wall, now_s);
    for (int i = 0; i < wall->columns * wall->rows; i++) {
        struct visitor *page = screen_page(session, i);
        if (!page || wall->screen[i].stage != SCREEN_DECODES || wall->screen[i].late)
            continue;
        page->view.part =
            wall_part(wall, &wall->screen[i], session->frame.width, session->frame.height);
        TRY(page_frame_held(&page->view, session->cells, &session->frame, number, now_s,
                            &page->held));
        session->sums.frames++;
    }
    return STATUS_OK;
}

static enum status wall_turn(struct serve_session *session, double now_s, double *until_s)
{
    struct wall *wall = &session->wall;
    if (wall_step(wall, now_s, until_s))
        for (int i = 0; i < wall->columns * wall->rows; i++) {
            struct visitor *page = screen_page(session, i);
            if (page && wall->screen[i].stage == SCREEN_PRESENTS)
                page->present = wall->frame;
        }
    return wall_may_begin(wall) && wall_is_due(session, now_s) ? wall_frame_put(session, now_s)
                                                               : STATUS_OK;
}

/* Removes what a page has and waits for of a wall's picture. */
static void screen_clear(struct visitor *page)
{
    page->view = (struct page_view){.width = 0};
    page->held.length = 0;
    page->present = 0;
    page->chooses = true;
}

/* Puts a page at a place of the wall; it has nothing of the picture then. A page that was there
 * chooses again: it may be what is left of a screen whose connection was lost. */
static void screen_take(struct serve_session *session, struct visitor *page,
                        const struct page_message *message)
{
    struct wall *wall = &session->wall;
    if (!wall->columns)
        return;
    wall_leave(wall, page);
    screen_clear(page);
    if (page->right != ACCESS_WATCH && wall_has(wall, message->column, message->row)) {
        struct visitor *before =
            screen_page(session, message->row * wall->columns + message->column);
        if (before)
            screen_clear(before);
        page->chooses = !wall_enter(wall, page, message->column, message->row);
    }
    session->facts++;
}

/* ---- turns ---- */

/* A turn beside a window, which asks the engine itself. */
static enum status window_turn(struct serve_session *session, double now_s, double *until_s)
{
    bool is_new;
    TRY(remote_source_take(&session->window, session->cells, &session->frame, &is_new));
    if (is_new) {
        session->state = session->window.facts.state;
        facts_renew(session);
    }
    if (remote_lead_taken(session->window.remote))
        lead_give(session, NULL);
    lead_pass(session, now_s);
    *until_s = now_s + (page_waits(session, now_s) ? SOON_S : TURN_S);
    return STATUS_OK;
}

static enum status engine_turn(struct serve_session *session, double now_s, double *until_s)
{
    TRY(state_take(session));
    lead_pass(session, now_s);
    session->held = session->held && now_s - session->moved_s < HELD_S;
    if (session->held)
        session->throttle.changed_s = now_s;
    enum throttle_kind kind = throttle_decide(&session->throttle, now_s, until_s);
    if (kind != THROTTLE_WAIT) {
        enum status status = picture_ask(session, kind == THROTTLE_ASK_MOVING);
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
    return session->wall.columns ? wall_turn(session, now_s, until_s) : STATUS_OK;
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
        page->tokens = RATE_MOST;
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
        lead_give(session, session->windowed ? NULL : heir(session));
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

/* ---- messages ---- */

static enum status motion_take(struct serve_session *session, const struct page_message *message,
                               double now_s)
{
    const struct config_value *size = &session->exploration.config.value[OPTION_VIEW_SIZE];
    TRY(exploration_move(&session->exploration, &message->motion));
    session->motion = message->number;
    session->held = message->held;
    session->pointer_x = message->motion.to_x + (double)size->integer * 0.5;
    session->pointer_y = message->motion.to_y + (double)size->second * 0.5;
    view_changed(session, now_s);
    return STATUS_OK;
}

static enum status place_change(struct serve_session *session, const struct page_message *message,
                                double now_s)
{
    bool moved = true;
    enum status status = STATUS_OK;
    struct exploration *exploration = &session->exploration;
    if (message->word != PAGE_BACK && message->word != PAGE_FORWARD)
        TRY(exploration_rested(exploration));
    switch (message->word) {
    case PAGE_HOME:
        status = exploration_home(exploration);
        break;
    case PAGE_BACK:
    case PAGE_FORWARD:
        status = exploration_step(exploration, message->word == PAGE_BACK ? -1 : 1, &moved);
        break;
    case PAGE_JULIA:
        status = exploration_julia(exploration, message->motion.from_x, message->motion.from_y);
        break;
    case PAGE_GO:
        status = exploration_go(exploration, message->text);
        break;
    default:
        status = exploration_set(exploration, message->key, message->text);
    }
    if (status == STATUS_OK && moved) {
        session->pointer_x = session->pointer_y = NAN;
        view_changed(session, now_s);
        session->throttle.changed_s = now_s - THROTTLE_REST_S; /* no hand moves it */
    }
    return status;
}

/* What the picture shows where the look is automatic. */
static struct look_seen look_seen_of(const struct serve_session *session)
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

/* Changes the look by a step, which is no place of its own before the picture rests. */
static enum status look_change(struct serve_session *session, const struct page_message *message,
                               double now_s)
{
    const struct look_seen seen = look_seen_of(session);
    TRY(exploration_look_step(&session->exploration, action_named(message->key), &seen));
    view_changed(session, now_s);
    session->throttle.changed_s = now_s - THROTTLE_REST_S; /* no hand moves it */
    return STATUS_OK;
}

/* Takes a rank out of the picture or back, but the last one out; by which no pixel changes. */
static void rank_take(struct serve_session *session, const struct page_message *message)
{
    if ((int)message->number >= session->state.workers)
        return;
    if (!message->in && session->state.load[message->number].computes &&
        session->state.computing <= 1)
        return;
    rank_set_put(&session->ranks, (int)message->number, !message->in);
    session->throttle.look_is_new = session->repeats = true;
}

static void lead_ask(struct serve_session *session, struct visitor *page, double now_s)
{
    if (page->right < ACCESS_LEAD)
        return;
    if (page != session->leader) {
        bool free_now = page->right == ACCESS_STAFF || (!session->leader && !session->windowed);
        page->wants_lead = true;
        if (free_now || now_s - moved_s(session) > SESSION_IDLE_S)
            lead_give(session, page);
    } else {
        for (int i = 0; i < SESSION_PAGES; i++)
            if (session->page[i] && session->page[i]->wants_lead) {
                lead_give(session, session->page[i]);
                break;
            }
    }
    session->facts++;
    lead_tell(session);
}

static enum status place_reply(struct serve_session *session, struct visitor *page)
{
    char *ini;
    free(page->reply);
    page->reply = NULL;
    if (!session->window.remote)
        return session_place_text(&session->exploration, &session->state, &page->reply);
    TRY(remote_source_text(&session->window, &ini));
    enum status status = session_ini_text(ini, &page->reply);
    free(ini);
    return status;
}

static enum status size_take(struct serve_session *session, const struct page_message *message,
                             double now_s)
{
    const struct config_value *size = &session->exploration.config.value[OPTION_VIEW_SIZE];
    if (size->integer == message->width && size->second == message->height)
        return STATUS_OK; /* a page that is back after a lost connection */
    TRY(exploration_size(&session->exploration, message->width, message->height));
    view_changed(session, now_s);
    return STATUS_OK;
}

/* Hands a message to the window, which obeys it; other places are made of its own first. */
static enum status window_tell(struct serve_session *session, const struct page_message *message)
{
    struct exploration *exploration = &session->exploration;
    enum status status = STATUS_OK;
    if (message->word == PAGE_MOVE)
        session->motion = message->number;
    if (message->word != PAGE_JULIA && message->word != PAGE_GO && message->word != PAGE_SET)
        return remote_source_send(&session->window, exploration, message);
    TRY(remote_source_follow(&session->window, exploration));
    if (message->word == PAGE_JULIA)
        status = exploration_julia(exploration, message->motion.from_x, message->motion.from_y);
    else if (message->word == PAGE_GO)
        status = exploration_go(exploration, message->text);
    else
        status = exploration_set(exploration, message->key, message->text);
    TRY(status);
    return remote_source_send(&session->window, exploration, message);
}

/* Text and pixels of the place that is shown, of which there have to be some. */
static enum status bookmark_add(struct serve_session *session, struct bookmark_request *request,
                                double now_s)
{
    const struct deepfield_live_pixels *pixels = cell_cache_pixels(session->cells);
    char *ini, *marked;
    if (!session->frame.picture || now_s - session->kept_s < KEEP_S)
        return status_fail(STATUS_SYSTEM, "there is no picture of the place yet: try again");
    session->kept_s = now_s;
    if (session->window.remote)
        TRY(remote_source_follow(&session->window, &session->exploration));
    TRY(session_place_ini(&session->exploration, &session->state, request->title, &ini));
    int length = asprintf(&marked, "%s%s", ini, session->frame.final ? "" : BOOKMARK_UNFINISHED);
    free(ini);
    if (length < 0)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a bookmark");
    request->place = marked;
    request->image =
        (struct paint_image){pixels->pixels, pixels->width, pixels->height, pixels->stride};
    enum status status = session_bookmarks_ask(session->bookmarks, request);
    free(marked);
    return status;
}

/* Obeys the leader. */
static enum status bookmark_ask(struct serve_session *session, const char *text, double now_s)
{
    struct bookmark_request request;
    char words[PAGE_MESSAGE_BOOKMARK + 1];
    snprintf(words, sizeof words, "%s", text);
    TRY(bookmark_request_read(&request, words));
    if (!session->bookmarks)
        return status_fail(STATUS_BAD_DATA, "there are no bookmarks here");
    request.page = session->leader->number;
    return request.verb == BOOKMARK_ADD ? bookmark_add(session, &request, now_s)
                                        : session_bookmarks_ask(session->bookmarks, &request);
}

/* Messages of the one that leads. */
static enum status lead_take(struct serve_session *session, const struct page_message *message,
                             double now_s)
{
    session->moved_s = now_s;
    if (message->word == PAGE_STEP && !exploration_is_look(action_named(message->key)))
        return status_fail(STATUS_BAD_DATA, "a page cannot do this");
    if (message->word == PAGE_BOOKMARK)
        return bookmark_ask(session, message->text, now_s);
    if (session->window.remote)
        return window_tell(session, message);
    switch (message->word) {
    case PAGE_MOVE:
        return motion_take(session, message, now_s);
    case PAGE_REST:
        session->held = false;
        return STATUS_OK;
    case PAGE_SIZE:
        return size_take(session, message, now_s);
    case PAGE_RANK:
        rank_take(session, message);
        return STATUS_OK;
    case PAGE_STEP:
        return look_change(session, message, now_s);
    default:
        return place_change(session, message, now_s);
    }
}

/* Takes a touch of a stand that plays for itself: whoever touches it first leads. */
static void stand_touch(struct serve_session *session, struct visitor *page, double now_s)
{
    if (page == session->leader || page->right < ACCESS_LEAD ||
        session->window.facts.stand.stage != KIOSK_ATTRACT)
        return;
    session->moved_s = now_s;
    lead_give(session, page);
}

/* Do the rules allow it? Those of a stand leave its public no text, no key and no place, and give
 * staff alone its end; the viewer has those of its hands (viewer_kiosk_obey). */
static bool rules_allow(const struct serve_session *session, const struct visitor *page,
                        const struct page_message *message)
{
    switch (message->word) {
    case PAGE_GO:
    case PAGE_SET:
    case PAGE_STEP:
    case PAGE_JULIA:
    case PAGE_BOOKMARK:
        return !session->stand;
    case PAGE_PLACE:
        return !session->stand || page->right == ACCESS_STAFF;
    case PAGE_TOUCH:
    case PAGE_PRESS:
        return session->stand;
    case PAGE_RESET:
    case PAGE_END:
        return session->stand && page->right == ACCESS_STAFF;
    case PAGE_SIZE:
        if (session->wall.columns)
            return false;
        return !session->stand || (int64_t)message->width * message->height <= STAND_PIXELS_MOST;
    default:
        return true;
    }
}

/* Bounds the messages of a page. */
static bool rate_take(struct visitor *page, double now_s)
{
    page->tokens = fmin(RATE_MOST, page->tokens + (now_s - page->tokens_s) * RATE_MOST);
    page->tokens_s = now_s;
    page->tokens -= 1;
    return page->tokens >= 0;
}

enum status serve_session_take(struct serve_session *session, struct visitor *page,
                               const char *bytes, size_t length, double now_s)
{
    struct page_message message;
    if (!rate_take(page, now_s))
        return status_fail(STATUS_BAD_DATA, "a page sends too many messages");
    TRY(page_message_read(&message, bytes, length));
    session->sums.messages++;
    enum status status = STATUS_OK;
    if (!rules_allow(session, page, &message))
        return STATUS_OK;
    if (message.word == PAGE_TOUCH || message.word == PAGE_PRESS)
        stand_touch(session, page, now_s);
    if (message.word == PAGE_RESET || message.word == PAGE_END)
        status = window_tell(session, &message);
    else if (message.word == PAGE_SCREEN)
        screen_take(session, page, &message);
    else if (message.word == PAGE_READY) {
        (void)pace_shown(&page->view.pace, message.number, now_s);
        if (!page->held.length) /* else the frame has not left yet */
            wall_ready(&session->wall, page, message.number);
    } else if (message.word == PAGE_SHOWN && wall_screen_of(&session->wall, page)) {
        if (!page->present)
            wall_shown(&session->wall, page, message.number);
    } else if (message.word == PAGE_SHOWN)
        (void)pace_shown(&page->view.pace, message.number, now_s);
    else if (message.word == PAGE_LEAD)
        lead_ask(session, page, now_s);
    else if (message.word == PAGE_PLACE)
        status = place_reply(session, page);
    else if (page == session->leader)
        status = lead_take(session, &message, now_s);
    if (status == STATUS_OUT_OF_MEMORY)
        return status;
    if (status != STATUS_OK)
        session_note(page->note, status_text(), session->exploration.data);
    return STATUS_OK;
}

/* Gives an answer to the leader, if it is still the one that has asked, and takes its texts. */
static enum status answer_tell(struct serve_session *session, struct bookmark_answer *answer,
                               double now_s)
{
    struct visitor *page = session->leader;
    const struct page_message go = {.word = PAGE_GO, .text = answer->place};
    enum status status = STATUS_OK;
    if (page && page->number == answer->page) {
        if (answer->place)
            status = lead_take(session, &go, now_s);
        if (status != STATUS_OK)
            session_note(page->note, status_text(), session->exploration.data);
        else if (answer->note)
            session_note(page->note, answer->note, session->exploration.data);
        page->bookmarks = answer->json;
        answer->json = NULL;
    }
    free(answer->json);
    free(answer->place);
    return status == STATUS_OUT_OF_MEMORY ? status : STATUS_OK;
}

enum status serve_session_answers(struct serve_session *session, double now_s)
{
    struct bookmark_answer answer;
    while (session->bookmarks && !(session->leader && session->leader->bookmarks) &&
           session_bookmarks_answer(session->bookmarks, &answer))
        TRY(answer_tell(session, &answer, now_s));
    return STATUS_OK;
}

/* ---- texts and frames for a page ---- */

/* Number of the picture that is exact now; 0: it is not. */
static uint32_t exact_of(const struct serve_session *session)
{
    return session->frame.picture && session->frame.final ? session->frame.number : 0;
}

static bool facts_due(const struct serve_session *session, const struct visitor *page, double now_s)
{
    const uint32_t exact = exact_of(session);
    return page->facts != session->facts &&
           ((exact && exact != page->exact) || now_s - page->facts_s >= FACTS_S);
}

bool visitor_due(const struct serve_session *session, const struct visitor *page, double now_s)
{
    return !page->greeted || page->reply || page->bookmarks || *page->note ||
           facts_due(session, page, now_s) || page->held.length || page->present ||
           (is_alone(session, page) &&
            page_frame_due(&page->view, session->cells, &session->frame, now_s));
}

static enum status bytes_put(struct frame_bytes *message, const void *from, size_t length)
{
    size_t needed = message->before + length;
    if (needed > message->capacity) {
        uint8_t *bytes = realloc(message->bytes, needed);
        if (!bytes)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a message");
        message->bytes = bytes;
        message->capacity = needed;
    }
    memcpy(message->bytes + message->before, from, length);
    message->length = length;
    return STATUS_OK;
}

static enum status text_put(struct frame_bytes *message, const char *text)
{
    return bytes_put(message, text, strlen(text));
}

static enum status facts_make(struct serve_session *session)
{
    const struct exploration *exploration = &session->exploration;
    struct session_steps steps = {.back = exploration->at > 0,
                                  .forward = exploration->at + 1 < exploration->steps};
    if (session->window.remote) {
        if (remote_source_follow(&session->window, &session->exploration) == STATUS_OUT_OF_MEMORY)
            return STATUS_OUT_OF_MEMORY; /* else the place before stays */
        steps = (struct session_steps){session->window.facts.back, session->window.facts.forward};
    }
    const struct look_seen seen = look_seen_of(session);
    return session_facts_text(exploration, &steps, &seen, &session->state, &session->facts_text);
}

static enum status facts_put(struct serve_session *session, struct visitor *page, double now_s,
                             struct frame_bytes *message)
{
    const struct wall_screen *screen = wall_screen_of(&session->wall, page);
    struct session_role role = {.leads = page == session->leader,
                                .may_lead = page->right >= ACCESS_LEAD,
                                .waits = page->wants_lead,
                                .bookmarks = session->bookmarks && !session->stand,
                                .window = session->windowed || session->wall.columns,
                                .wall = session->wall.columns ? &session->wall : NULL,
                                .place = screen ? (int)(screen - session->wall.screen) : -1,
                                .stand = session->stand ? &session->window.facts.stand : NULL,
                                .staff = page->right == ACCESS_STAFF,
                                .motion = session->motion,
                                .exact = exact_of(session)};
    for (int i = 0; i < SESSION_PAGES; i++) {
        role.pages += session->page[i] != NULL;
        role.asked += session->page[i] && session->page[i]->wants_lead;
    }
    char *text;
    if (!session->facts_text)
        TRY(facts_make(session));
    TRY(session_role_text(&role, session->facts_text, &text));
    enum status status = text_put(message, text);
    free(text);
    page->facts = session->facts;
    page->exact = role.exact;
    page->facts_s = now_s;
    return status;
}

static enum status present_put(const struct serve_session *session, struct visitor *page,
                               struct frame_bytes *message)
{
    char *text;
    TRY(session_present_text(page->present, wall_late(&session->wall), &text));
    enum status status = text_put(message, text);
    page->present = 0;
    free(text);
    return status;
}

/* Hands over the frame of a wall that waits. */
static enum status held_put(struct visitor *page, struct frame_bytes *message)
{
    TRY(bytes_put(message, page->held.bytes + page->held.before, page->held.length));
    page->held.length = 0;
    return STATUS_OK;
}

static enum status text_give(struct serve_session *session, struct visitor *page, double now_s,
                             struct frame_bytes *message)
{
    if (!page->greeted) {
        page->greeted = true;
        return text_put(message, session->lists);
    }
    if (*page->note) {
        char *text;
        TRY(session_note_text(page->note, &text));
        enum status status = text_put(message, text);
        *page->note = '\0';
        free(text);
        return status;
    }
    char **reply = page->reply ? &page->reply : &page->bookmarks;
    if (*reply) {
        enum status status = text_put(message, *reply);
        free(*reply);
        *reply = NULL;
        return status;
    }
    if (page->present)
        return present_put(session, page, message);
    return facts_due(session, page, now_s) ? facts_put(session, page, now_s, message) : STATUS_OK;
}

enum status serve_session_give(struct serve_session *session, struct visitor *page, double now_s,
                               struct frame_bytes *message, bool *is_text)
{
    message->length = 0;
    *is_text = true;
    TRY(text_give(session, page, now_s, message));
    if (!message->length) {
        *is_text = false;
        if (page->held.length)
            TRY(held_put(page, message));
        else if (is_alone(session, page)) {
            TRY(page_frame_make(&page->view, session->cells, &session->frame, now_s, message));
            session->sums.frames += message->length > 0;
        }
    }
    session->sums.bytes += message->length;
    return STATUS_OK;
}
