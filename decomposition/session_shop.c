#include "decomposition/session_shop.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "decomposition/lane.h"
#include "decomposition/message.h"

struct place { /* where a task is, from shop_give to shop_take */
    enum { FREE, OUT, BACK } is;
    uint64_t turn; /* of the shop, when it was given */
    uint32_t number;
    struct session_task task;
    void *room;
    enum status status;
    uint64_t iterations;
    double busy_s;
    char text[STATUS_TEXT_BYTES];
};

struct shop {
    struct session_calls calls;
    struct bell *bell;
    struct lanes *lanes;
    struct job job;      /* for the lanes: its tiles are the places, and one more for the scene */
    struct tile *tiles;  /* [places + 1]; only their addresses matter */
    struct place *place; /* [places] */
    int places;          /* for as many as its credits, and those that were cancelled before */
    enum shop_state state, settled; /* where CLEARING leads to if there is no next scene */
    uint64_t turn;                  /* what was given in an older one is not wanted any more */
    struct scene *scene, *next;     /* held: being prepared, and to be prepared then */
    enum status
        failure; /* of the scene, written by the lane that prepares it; or of the last lane */
    char failure_text[STATUS_TEXT_BYTES];
    int returned; /* callbacks that have come to their end; atomic */
    int popped;   /* of those, taken from the lanes */
    struct shop_tally dropped;
};

/* --- scenes ----------------------------------------------------------------------------------- */

enum status scene_make(struct scene **out, uint64_t epoch, size_t length)
{
    struct scene *scene = *out = calloc(1, sizeof *scene);
    if (scene && length < SIZE_MAX - MESSAGE_UNIT)
        scene->bytes = aligned_alloc(MESSAGE_UNIT, message_padded(length + 1));
    if (!scene || !scene->bytes) {
        free(scene);
        *out = NULL;
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a scene of %zu bytes", length);
    }
    scene->holders = 1;
    scene->epoch = epoch;
    scene->length = length;
    return STATUS_OK;
}

struct scene *scene_hold(struct scene *scene)
{
    scene->holders++;
    return scene;
}

void scene_drop(struct scene *scene)
{
    if (!scene || --scene->holders > 0)
        return;
    free(scene->bytes);
    free(scene);
}

/* --- on the lanes ----------------------------------------------------------------------------- */

/* What a scene returns is kept beside: even a lost device is no reason to end the very lane that
 * happened to prepare it. */
static void prepare(struct shop *shop)
{
    const struct scene *scene = shop->scene;
    shop->failure = STATUS_OK;
    if (shop->calls.scene)
        shop->failure =
            shop->calls.scene(shop->calls.context, scene->epoch, scene->bytes, scene->length);
    if (shop->failure != STATUS_OK)
        snprintf(shop->failure_text, sizeof shop->failure_text, "%s", status_text());
}

static enum status perform(void *context, int lane, const struct tile *tile, struct field *out,
                           uint64_t *iterations)
{
    (void)out;
    struct shop *shop = context;
    const struct place *place = &shop->place[tile - shop->tiles];
    enum status status = STATUS_OK;
    if (tile == &shop->tiles[shop->places])
        prepare(shop);
    else
        status =
            shop->calls.compute(shop->calls.context, lane, &place->task, place->room, iterations);
    __atomic_add_fetch(&shop->returned, 1, __ATOMIC_RELEASE);
    bell_ring(shop->bell);
    return status;
}

/* --- opening and closing ---------------------------------------------------------------------- */

static void say_give_up(const struct shop *shop, int give_up)
{
    if (shop->calls.give_up)
        __atomic_store_n(shop->calls.give_up, give_up, __ATOMIC_RELAXED);
}

enum status shop_open(struct shop **out, const struct session_options *options, struct bell *bell)
{
    struct shop *shop = *out = calloc(1, sizeof *shop);
    if (!shop)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for lanes");
    *shop = (struct shop){.calls = options->calls, .bell = bell, .places = 2 * options->credits};
    shop->tiles = calloc((size_t)shop->places + 1, sizeof *shop->tiles);
    shop->place = calloc((size_t)shop->places, sizeof *shop->place);
    if (!shop->tiles || !shop->place)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d tasks", options->credits);
    shop->job = (struct job){.tiles = shop->tiles,
                             .tile_count = (uint32_t)shop->places + 1,
                             .lanes = options->lanes,
                             .credits = options->credits,
                             .context = shop,
                             .compute = perform};
    say_give_up(shop, 0);
    TRY(lanes_open(&shop->lanes));
    return lanes_begin(shop->lanes, &shop->job);
}

void shop_close(struct shop *shop)
{
    if (!shop)
        return;
    lanes_end(shop->lanes);
    lanes_close(shop->lanes);
    scene_drop(shop->scene);
    scene_drop(shop->next);
    free(shop->tiles);
    free(shop->place);
    free(shop);
}

/* --- what is wanted --------------------------------------------------------------------------- */

/* Tasks that have not begun come back unbegun; a scene that has not begun is forgotten. */
static void retire_waiting(struct shop *shop, enum status status, const char *text)
{
    struct lane_task task;
    while (lanes_take_back(shop->lanes, &task)) {
        if (task.tile == (uint32_t)shop->places)
            continue;
        struct place *place = &shop->place[task.tile];
        place->is = BACK;
        place->status = status;
        snprintf(place->text, sizeof place->text, "%s", text);
    }
}

static void clear(struct shop *shop)
{
    retire_waiting(shop, STATUS_STOPPED, "cancelled");
    shop->state = SHOP_CLEARING;
    if (lanes_load(shop->lanes) > 0)
        say_give_up(shop, 1);
}

static void go_on(struct shop *shop)
{
    if (shop->state != SHOP_CLEARING || lanes_load(shop->lanes) > 0)
        return;
    say_give_up(shop, 0);
    shop->state = shop->settled;
    if (!shop->next)
        return;
    scene_drop(shop->scene);
    shop->scene = shop->next;
    shop->next = NULL;
    shop->state = SHOP_PREPARING;
    lanes_push(shop->lanes, &(struct lane_task){.tile = (uint32_t)shop->places});
}

void shop_scene(struct shop *shop, struct scene *scene)
{
    shop->turn++;
    if (shop->state == SHOP_GONE)
        return;
    scene_drop(shop->next);
    shop->next = scene_hold(scene);
    clear(shop);
    go_on(shop);
}

void shop_cancel(struct shop *shop)
{
    shop->turn++;
    if (shop->state != SHOP_READY)
        return;
    shop->settled = SHOP_READY;
    clear(shop);
    go_on(shop);
}

void shop_end(struct shop *shop)
{
    shop->turn++;
    scene_drop(shop->next);
    shop->next = NULL;
    shop->settled = SHOP_EMPTY;
    if (shop->state == SHOP_GONE)
        return;
    clear(shop);
    go_on(shop);
}

void shop_give(struct shop *shop, uint32_t number, const struct session_task *task, void *room)
{
    assert(shop->state == SHOP_READY);
    int i = 0;
    while (shop->place[i].is != FREE)
        i++;
    assert(i < shop->places);
    shop->place[i] = (struct place){
        .is = OUT, .turn = shop->turn, .number = number, .task = *task, .room = room};
    lanes_push(shop->lanes, &(struct lane_task){.tile = (uint32_t)i});
}

/* --- what is done ----------------------------------------------------------------------------- */

static void scene_ended(struct shop *shop)
{
    if (shop->state != SHOP_PREPARING)
        return; /* overtaken */
    shop->state = shop->failure == STATUS_OK ? SHOP_READY : SHOP_FAILED;
    scene_drop(shop->scene);
    shop->scene = NULL;
}

static void task_ended(struct shop *shop, const struct lane_task *task, const char *text)
{
    struct place *place = &shop->place[task->tile];
    place->is = BACK;
    place->status = task->status;
    place->iterations = task->iterations;
    place->busy_s = task->busy_s;
    if (task->status != STATUS_OK)
        snprintf(place->text, sizeof place->text, "%s", text);
    if (lanes_alive(shop->lanes) > 0)
        return;
    retire_waiting(shop, STATUS_DEVICE_LOST, text);
    scene_drop(shop->next);
    shop->next = NULL;
    shop->failure = task->status;
    snprintf(shop->failure_text, sizeof shop->failure_text, "%s", text);
    shop->state = SHOP_GONE;
}

/* A callback counts itself before its lane has put the task away, which takes microseconds. */
static void collect(struct shop *shop)
{
    struct lane_task task;
    char text[STATUS_TEXT_BYTES] = "";
    while (__atomic_load_n(&shop->returned, __ATOMIC_ACQUIRE) != shop->popped) {
        while (!lanes_pop(shop->lanes, &task, text))
            lanes_wait(shop->lanes, 1000);
        shop->popped++;
        if (task.tile == (uint32_t)shop->places)
            scene_ended(shop);
        else
            task_ended(shop, &task, text);
    }
}

static void drop(struct shop *shop, const struct place *place)
{
    shop->dropped.late += place->status == STATUS_OK;
    shop->dropped.iterations += place->iterations;
    shop->dropped.busy_s += place->busy_s;
}

bool shop_take(struct shop *shop, struct shop_done *done)
{
    collect(shop);
    go_on(shop);
    for (int i = 0; i < shop->places; i++) {
        struct place *place = &shop->place[i];
        if (place->is != BACK)
            continue;
        *done = (struct shop_done){.number = place->number,
                                   .wanted = place->turn == shop->turn,
                                   .room = place->room,
                                   .length = place->task.result_bytes,
                                   .status = place->status,
                                   .text = place->text,
                                   .iterations = place->iterations,
                                   .busy_s = place->busy_s};
        if (!done->wanted)
            drop(shop, place);
        place->is = FREE;
        return true;
    }
    return false;
}

/* --- questions -------------------------------------------------------------------------------- */

enum shop_state shop_state(const struct shop *shop)
{
    return shop->state;
}

enum status shop_failure(const struct shop *shop)
{
    return status_fail(shop->failure, "%s", shop->failure_text);
}

int shop_lanes(const struct shop *shop)
{
    return lanes_alive(shop->lanes);
}

bool shop_has_done(const struct shop *shop)
{
    for (int i = 0; i < shop->places; i++)
        if (shop->place[i].is == BACK)
            return true;
    return __atomic_load_n(&shop->returned, __ATOMIC_ACQUIRE) != shop->popped;
}

bool shop_runs(const struct shop *shop)
{
    return lanes_load(shop->lanes) > 0;
}

struct shop_tally shop_dropped(const struct shop *shop)
{
    return shop->dropped;
}
