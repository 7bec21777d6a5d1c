#include "app/serve/session_lead.h"

#include "app/viewer/kiosk/kiosk.h"

struct visitor *lead_heir(const struct serve_session *session)
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

void lead_tell(const struct serve_session *session)
{
    int asked = 0;
    for (int i = 0; i < SESSION_PAGES; i++)
        asked += session->page[i] && session->page[i]->wants_lead;
    if (session->window.remote)
        remote_lead_set(session->window.remote, session->leader, asked);
}

void lead_give(struct serve_session *session, struct visitor *page)
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

void lead_pass(struct serve_session *session, double now_s)
{
    struct visitor *next = lead_heir(session);
    if ((!session->leader && !session->windowed) || !next || !next->wants_lead ||
        next == session->leader || now_s - moved_s(session) <= SESSION_IDLE_S)
        return;
    session->moved_s = now_s;
    lead_give(session, next);
}

void lead_ask(struct serve_session *session, struct visitor *page, double now_s)
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

void lead_touch(struct serve_session *session, struct visitor *page, double now_s)
{
    if (page == session->leader || page->right < ACCESS_LEAD ||
        session->window.facts.stand.stage != KIOSK_ATTRACT)
        return;
    session->moved_s = now_s;
    lead_give(session, page);
}
