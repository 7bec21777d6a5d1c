/* Rank 0's own worker: no message, results stay where they were computed. */
#include "decomposition/session_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum status own_open(struct session *session)
{
    int rooms = 2 * session->options.credits + 1; /* a place each in the shop, and one borrowed */
    session->room = calloc((size_t)rooms, sizeof *session->room);
    if (!session->room)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d results", rooms);
    session->rooms = rooms;
    return STATUS_OK;
}

void own_close(struct session *session)
{
    for (int i = 0; i < session->rooms; i++)
        block_give(&session->room[i].block);
    free(session->room);
}

static enum status find_room(struct session *session, size_t bytes, struct room **out)
{
    struct room *room = session->room;
    while (room->taken)
        room++;
    assert(room < session->room + session->rooms);
    if (!room->block.at || room->block.bytes < bytes) {
        block_give(&room->block);
        TRY(block_take(&room->block, session->options.memory, bytes));
    }
    room->taken = true;
    *out = room;
    return STATUS_OK;
}

static struct room *room_of(const struct session *session, const void *bytes)
{
    struct room *room = session->room;
    while (room->block.at != (const unsigned char *)bytes)
        room++;
    return room;
}

enum status own_give(struct session *session, const struct session_task *task)
{
    struct room *room;
    TRY(find_room(session, task->result_bytes, &room));
    uint32_t number = ledger_give(session->ledger, 0, task);
    shop_give(session->shop, number, task, room->block.at);
    return STATUS_OK;
}

/* What the shop says of itself becomes the worker's row. */
static void look_at_shop(struct session *session)
{
    struct staff *own = session->staff;
    enum shop_state state = shop_state(session->shop);
    own->shown.lanes = shop_lanes(session->shop);
    own->dropped = shop_dropped(session->shop);
    bool failed = state == SHOP_FAILED && !own->scene_failed;
    own->scene_failed = state == SHOP_FAILED;
    if (state == SHOP_READY && !own->shown.ready)
        bell_ring(&session->bell); /* whoever asked for tasks before should ask again */
    own->shown.ready = state == SHOP_READY;
    if (failed)
        staff_report(own, SESSION_SCENE, shop_failure(session->shop));
    if (state == SHOP_GONE && own->shown.alive)
        staff_report(own, SESSION_WORKER, shop_failure(session->shop));
}

/* Everything in the shop has just become useless. */
void own_drain(struct session *session)
{
    struct shop_done done;
    while (shop_take(session->shop, &done))
        room_of(session, done.room)->taken = false;
    look_at_shop(session);
}

void own_scene(struct session *session)
{
    shop_scene(session->shop, session->scene);
    own_drain(session);
}

void own_cancel(struct session *session)
{
    shop_cancel(session->shop);
    own_drain(session);
}

static void fill(struct session_result *result, const struct shop_done *done)
{
    bool good = done->status == STATUS_OK;
    *result = (struct session_result){.news = SESSION_TASK,
                                      .status = done->status,
                                      .text = good ? "" : done->text,
                                      .task = result->task,
                                      .bytes = good ? done->room : NULL,
                                      .iterations = done->iterations,
                                      .busy_s = done->busy_s};
}

bool own_take(struct session *session, struct session_result *result)
{
    struct shop_done done;
    while (shop_take(session->shop, &done)) {
        struct room *room = room_of(session, done.room);
        enum ledger_news news = LEDGER_UNKNOWN;
        if (done.wanted)
            news = ledger_home(session->ledger, 0, done.number, &result->task);
        look_at_shop(session);
        if (news == LEDGER_WANTED) {
            session->borrowed = room;
            fill(result, &done);
            return true;
        }
        room->taken = false;
        session->staff->late += done.wanted && done.status == STATUS_OK;
    }
    look_at_shop(session);
    return false;
}

void own_release(struct session *session)
{
    if (session->borrowed)
        session->borrowed->taken = false;
    session->borrowed = NULL;
}
