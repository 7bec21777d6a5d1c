#include "app/serve/session_wall.h"

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
        if (!page || wall->screen[i].owed[WALL_READY] != number)
            continue;
        page->view.part =
            wall_part(wall, &wall->screen[i], session->frame.width, session->frame.height);
        TRY(page_frame_held(&page->view, session->cells, &session->frame, number, now_s,
                            &page->held));
        session->sums.frames++;
    }
    return STATUS_OK;
}

enum status session_wall_turn(struct serve_session *session, double now_s, double *until_s)
{
    struct wall *wall = &session->wall;
    if (wall_step(wall, now_s, until_s))
        for (int i = 0; i < wall->columns * wall->rows; i++) {
            struct visitor *page = screen_page(session, i);
            if (page && wall->screen[i].owed[WALL_SHOWN] == wall->presented)
                page->present = wall->presented;
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

/* A page that was there chooses again: it may be what is left of a lost connection. */
void session_wall_enter(struct serve_session *session, struct visitor *page,
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
