#include "app/serve/serve_session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/serve/session_engine.h"
#include "app/serve/session_json.h"
#include "app/serve/session_lead.h"
#include "app/serve/session_state.h"
#include "app/serve/session_wall.h"

enum { STAND_PIXELS_MOST = 3840 * 2160 };

#define KEEP_S 0.5 /* least time between two bookmarks that are added */

static enum status motion_take(struct serve_session *session, const struct page_message *message,
                               double now_s)
{
    const struct config_value *size = &session->exploration.config.value[OPTION_VIEW_SIZE];
    TRY(exploration_move(&session->exploration, &message->motion));
    session->motion = message->number;
    session->held = message->held;
    session->pointer_x = message->motion.to_x + (double)size->integer * 0.5;
    session->pointer_y = message->motion.to_y + (double)size->second * 0.5;
    session_view_changed(session, now_s);
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
        session_view_changed(session, now_s);
        session->throttle.changed_s = now_s - THROTTLE_REST_S; /* no hand moves it */
    }
    return status;
}

/* Changes the look by a step, which is no place of its own before the picture rests. */
static enum status look_change(struct serve_session *session, const struct page_message *message,
                               double now_s)
{
    const struct look_seen seen = session_look_seen(session);
    TRY(exploration_look_step(&session->exploration, action_named(message->key), &seen));
    session_view_changed(session, now_s);
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
    session_view_changed(session, now_s);
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
    page->tokens =
        fmin(SESSION_RATE_MOST, page->tokens + (now_s - page->tokens_s) * SESSION_RATE_MOST);
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
        lead_touch(session, page, now_s);
    if (message.word == PAGE_RESET || message.word == PAGE_END)
        status = window_tell(session, &message);
    else if (message.word == PAGE_SCREEN)
        session_wall_enter(session, page, &message);
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
