#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/handle/handle.h"
#include "library/handle/sentence.h"
#include "library/place/data.h"
#include "library/config/revision.h"
#include "render/film/film.h"
#include "render/live/live.h"
#include "render/truth/verify.h"
#include "render/view/view.h"

#define SAME(name) _Static_assert((int)DEEPFIELD_##name == (int)STATUS_##name, #name)
SAME(OK);
SAME(USAGE);
SAME(BAD_DATA);
SAME(NO_INPUT);
SAME(NO_DEVICE);
SAME(INTERNAL);
SAME(SYSTEM);
SAME(OUT_OF_MEMORY);
SAME(CANNOT_CREATE);
SAME(IO);
SAME(STOPPED);
SAME(UNREACHABLE);
SAME(DEVICE_LOST);
SAME(TOO_LARGE);
SAME(CONFIG);
_Static_assert((int)DEEPFIELD_CONFIG + 1 == (int)STATUS_KINDS, "a status without a name outside");

deepfield_status status_give(enum status status)
{
    char sentence[STATUS_TEXT_BYTES];
    if (status != STATUS_OK) {
        sentence_by_keys(sentence, sizeof sentence, status_text());
        status_fail(status, "%s", sentence);
    }
    return (deepfield_status)status;
}

const char *deepfield_error(void)
{
    return status_text();
}

const char *deepfield_version(void)
{
    return DEEPFIELD_VERSION;
}

void deepfield_free(char *text)
{
    free(text);
}

/* ---- opening and closing ---- */

static enum status world_make(struct deepfield_world *made, const deepfield_world_options *options)
{
    made->log = options->log;
    made->user = options->user;
    const struct data_source said = {options->data, "deepfield_world_options.data"};
    char folder[WORLD_DATA_BYTES];
    TRY(data_folder(&said, folder, sizeof folder));
    made->data.folder = strdup(folder);
    if (!made->data.folder)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a world");
    return options->communicator ? world_adopt(&made->world, options->communicator)
                                 : world_alone(&made->world);
}

deepfield_status deepfield_world_open(deepfield_world **world,
                                      const deepfield_world_options *options)
{
    deepfield_world_options wanted = {.size = sizeof wanted};
    NEED(world);
    *world = NULL;
    if (options && options->size < sizeof wanted.size)
        return status_give(status_fail(STATUS_USAGE, "deepfield_world_options.size is %zu, not %zu",
                                       options->size, sizeof wanted));
    if (options)
        memcpy(&wanted, options, options->size < sizeof wanted ? options->size : sizeof wanted);
    struct deepfield_world *made = calloc(1, sizeof *made);
    if (!made)
        return status_give(status_fail(STATUS_OUT_OF_MEMORY, "no memory for a world"));
    enum status status = world_make(made, &wanted);
    if (status != STATUS_OK) {
        free((char *)made->data.folder);
        free(made);
        return status_give(status);
    }
    *world = made;
    return DEEPFIELD_OK;
}

void deepfield_world_close(deepfield_world *world)
{
    if (!world)
        return;
    if (world_rank(world->world) == 0)
        (void)order_send_last(world, ORDER_END);
    if (!world->has_borrowed_world)
        world_close(world->world);
    if (!world->has_borrowed_data)
        free((char *)world->data.folder);
    free(world);
    view_thread_end(); /* the caller's thread may end without us */
}

int deepfield_world_rank(const deepfield_world *world, int *size)
{
    if (size)
        *size = world ? world_size(world->world) : 0;
    return world ? world_rank(world->world) : -1;
}

void world_notice(void *context, const char *sentence)
{
    struct deepfield_world *world = context;
    if (world->log)
        world->log(world->user, sentence);
}

enum status world_data(const struct deepfield_world *world, char folder[WORLD_DATA_BYTES])
{
    return data_folder(&world->data, folder, WORLD_DATA_BYTES);
}

/* ---- ranks other than 0 ---- */

enum status order_send(struct deepfield_world *world, enum order order)
{
    int32_t word = order;
    if (world_size(world->world) == 1)
        return STATUS_OK;
    TRY(world_lost(world->world));
    return world_tell(world->world, STATUS_OK, &word, sizeof word);
}

enum status order_send_last(struct deepfield_world *world, enum order order)
{
    char why[STATUS_TEXT_BYTES];
    snprintf(why, sizeof why, "%s", status_text());
    enum status status = order_send(world, order);
    return status == STATUS_OK ? status : status_fail(status, "%s", why);
}

static enum status live_obey(struct world *world)
{
    struct live *live;
    if (live_open(&live, world, NULL) != STATUS_OK)
        return world_lost(world); /* rank 0 tells it, and may make other calls */
    enum status status = live_serve(live), closed = live_close(live);
    return status == STATUS_OK ? closed : status;
}

/* A picture that fails is rank 0's to tell; a rank that is lost ends the service. */
static enum status order_obey(const struct deepfield_world *world, enum order order,
                              struct renderer **renderer)
{
    const struct picture_hooks hooks = {.stop = world->stop};
    const struct film_hooks of_films = {.stop = world->stop};
    const struct verify_hooks of_proofs = {.stop = world->stop};
    switch (order) {
    case ORDER_RENDERER_OPEN:
        if (renderer_open(renderer, world->world, NULL) != STATUS_OK)
            *renderer = NULL;
        break;
    case ORDER_RENDERER_CLOSE:
        renderer_close(*renderer);
        *renderer = NULL;
        break;
    case ORDER_PICTURE:
        (void)picture_render(*renderer, NULL, &hooks, NULL, NULL);
        break;
    case ORDER_RELEASE:
        renderer_memory_release(*renderer);
        break;
    case ORDER_FILM:
        (void)film_make(*renderer, NULL, &of_films, NULL);
        break;
    case ORDER_PROOF:
        (void)verify_view(*renderer, NULL, NULL, &of_proofs, NULL);
        break;
    case ORDER_LINKS:
        (void)renderer_links_find(*renderer);
        break;
    case ORDER_LIVE:
        return live_obey(world->world);
    case ORDER_END:
        break;
    }
    return world_lost(world->world);
}

deepfield_status deepfield_serve(deepfield_world *world)
{
    NEED(world);
    struct renderer *renderer = NULL;
    enum status status = STATUS_OK;
    int32_t order = ORDER_RENDERER_OPEN;
    if (world_rank(world->world) == 0)
        return status_give(status_fail(STATUS_USAGE, "deepfield_serve is for ranks other than 0"));
    while (status == STATUS_OK && order != ORDER_END) {
        order = ORDER_END;
        status = world_tell(world->world, STATUS_OK, &order, sizeof order);
        if (status == STATUS_OK)
            status = order_obey(world, (enum order)order, &renderer);
    }
    renderer_close(renderer);
    return status_give(status);
}
