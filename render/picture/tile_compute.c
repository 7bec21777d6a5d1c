#include "render/picture/tile_compute.h"

#include "kernels/stop.h"

static enum status compute_grid(struct picture_job *job, int thread, const struct grid *grid,
                                struct field *out, uint64_t *iterations)
{
    bool deep = job->message.plan.method == METHOD_PERTURBATION;
    return (deep ? device_set_deep_compute : device_set_compute)(
        renderer_device_set(job->renderer), thread, &job->message.spec, grid, out, iterations);
}

struct grid tile_grid(const struct picture_job *job, int32_t x, int32_t y, int32_t width,
                      int32_t height)
{
    const struct picture_message *message = &job->message;
    x += job->strip.x;
    y += job->strip.y;
    if (message->plan.method != METHOD_PERTURBATION)
        return view_grid(&message->view, x, y, width, height);
    struct grid grid = reference_grid(&message->view, x, y, width, height);
    grid.centre_re = message->request.offset_re;
    grid.centre_im = message->request.offset_im;
    return grid;
}

struct tile_place tile_place(const struct picture_job *job, const struct tile *tile)
{
    const struct tile_batch *batch = job->batch.tiles;
    struct tile_place place = {.y = tile->y - job->batch.above, .sample = batch->sample};
    if (!batch->cells) {
        place.sample += place.y / job->frame.rows;
        place.y %= job->frame.rows;
    }
    return place;
}

enum status tile_compute(void *context, int thread, const struct tile *tile, struct field *out,
                         uint64_t *iterations)
{
    struct picture_job *job = context;
    const struct tile_batch *batch = job->batch.tiles;
    struct tile_place place = tile_place(job, tile);
    struct grid grid = tile_grid(job, tile->x, place.y, tile->width, tile->height);
    if (batch->cells) { /* from the first row of the tile on: its own are copied to devices */
        grid.x = tile->x;
        grid.y = place.y % GRID_CELL;
        grid.cells = batch->cells + (size_t)(place.y / GRID_CELL) * (size_t)batch->cells_in_row;
        grid.cells_in_row = batch->cells_in_row;
    } else {
        sample_move(&grid, place.sample);
    }
    grid.band = tile->band;
    grid.band_step = tile->band_step;
    return compute_grid(job, thread, &grid, out, iterations);
}

enum status tile_compute_coarse(void *context, const struct grid *grid, struct field *out,
                                uint64_t *iterations)
{
    struct picture_job *job = context;
    if (stop_asked(job->hooks->stop))
        return status_fail(STATUS_STOPPED, "stopped during the coarse pass");
    return compute_grid(job, 0, grid, out, iterations);
}
