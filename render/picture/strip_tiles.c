#include "render/picture/strip_tiles.h"

#include <stdlib.h>

#include "render/picture/cost_prediction.h"
#include "render/picture/tile_compute.h"

struct picture_strip strip_at(const struct picture_message *message, int32_t y)
{
    int32_t left = message->view.height - y;
    int32_t rows = message->plan.strip_rows < left ? message->plan.strip_rows : left;
    int32_t above = y > 0 ? message->plan.halo_rows : 0;
    int32_t below = left - rows < message->plan.halo_rows ? left - rows : message->plan.halo_rows;
    return (struct picture_strip){y - above, above + rows + below, above, rows,
                                  0,         message->view.width};
}

struct picture_strip strip_window_at(const struct picture_message *message,
                                     const struct estimate_window *window)
{
    int32_t right = message->view.width - window->x, below = message->view.height - window->y;
    int32_t width = window->side < right ? window->side : right;
    int32_t height = window->side < below ? window->side : below;
    return (struct picture_strip){window->y, height, 0, height, window->x, width};
}

struct tile strip_wanted(const struct picture_job *job)
{
    const struct picture_strip *strip = &job->strip;
    const struct tile *crop = &job->message.scope.crop;
    int32_t from = strip->y + strip->above, to = from + strip->rows;
    struct tile wanted = {.y = from, .width = strip->width, .height = strip->rows};
    if (job->message.scope.window_px) /* estimates take whole windows */
        return wanted;
    int32_t end = crop->y + crop->height;
    wanted = *crop;
    wanted.y = from > crop->y ? from : crop->y;
    wanted.height = (to < end ? to : end) - wanted.y;
    return wanted;
}

int32_t strip_consumer_row(const struct picture_job *job)
{
    int32_t above = job->message.scope.window_px ? 0 : job->message.scope.crop.y;
    return strip_wanted(job).y - above;
}

/* Appends the tiles of further samples, each field below the one before. */
static enum status tiles_stack(struct picture_job *job)
{
    size_t count = job->tiles.count, all = count * (size_t)job->message.plan.at_once;
    struct tile *tiles = realloc(job->tiles.tile, all * sizeof *tiles);
    if (!tiles)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %zu tiles", all);
    job->tiles.tile = tiles;
    for (size_t i = count; i < all; i++) {
        tiles[i] = tiles[i - count];
        tiles[i].y += job->frame.rows;
    }
    return STATUS_OK;
}

enum status strip_tiles_cut(struct picture_job *job)
{
    const struct picture_message *message = &job->message;
    int32_t width = job->strip.width, height = job->strip.height;
    int32_t tile_px = message->scope.window_px
                          ? plan_tile_narrow(width, height, message->plan.facts.devices)
                          : message->plan.tile_px;
    if (message->plan.interleaved)
        TRY(tiles_interleaved(&job->tiles.tile, &job->tiles.count, width, height,
                              message->plan.tile_px, message->plan.interleaved));
    else
        TRY(tiles_cut(&job->tiles.tile, &job->tiles.count, width, height, tile_px,
                      message->plan.order));
    if (message->scope.hole.width > 0 && !message->plan.interleaved)
        TRY(tiles_without(&job->tiles.tile, &job->tiles.count, &message->scope.hole));
    return tiles_stack(job);
}

enum status strip_tiles_predict(struct picture_job *job)
{
    const struct picture_message *message = &job->message;
    struct renderer *renderer = job->renderer;
    struct cost_prediction prediction = {
        .world = renderer_world(renderer),
        .device = {&message->spec, job, tile_compute_coarse},
        .whole = tile_grid(job, 0, 0, message->view.width, job->strip.height),
        .away = message->plan.facts.away_ranks > 0};
    prediction.part = renderer_computing(renderer, &prediction.parts);
    renderer_devices_all(renderer);
    return cost_prediction_tiles(&prediction, &job->tiles.tile, &job->tiles.costs,
                                 &job->tiles.count);
}

enum status strip_tiles_renew(struct picture_job *job)
{
    const struct picture_message *message = &job->message;
    if (!message->plan.predicts_cost && job->tiles.rows == job->strip.height)
        return STATUS_OK;
    job->tiles.rows = job->strip.height;
    free(job->tiles.tile);
    free(job->tiles.costs);
    job->tiles.tile = NULL;
    job->tiles.costs = NULL;
    return message->plan.predicts_cost
               ? strip_tiles_predict(job)
               : world_agree(renderer_world(job->renderer), strip_tiles_cut(job));
}
