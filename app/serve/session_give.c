#include "app/serve/serve_session.h"

#include <stdlib.h>
#include <string.h>

#include "app/serve/session_engine.h"
#include "app/serve/session_json.h"
#include "app/serve/session_state.h"

#define FACTS_S 0.2 /* least time between two texts of facts to a page */

/* Does the page get frames of its own? Not a screen of a wall, which gets those of the wall. */
static bool is_alone(const struct serve_session *session, const struct visitor *page)
{
    return !page->chooses && !wall_screen_of((struct wall *)&session->wall, page);
}

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
    const struct look_seen seen = session_look_seen(session);
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
