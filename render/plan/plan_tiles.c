/* Tiles of a picture, or of a strip of it: their size, and whether a coarse pass cuts them. */
#include <math.h>

#include "decomposition/schedule/schedule.h"
#include "kernels/grid.h"
#include "render/plan/plan_question.h"

enum {
    TILE_PX_LARGEST = 256, /* a tile's setup is then under 1 % of the cheapest tile's time */
    TILE_PX_SMALLEST = 32,
    TILES_PER_DEVICE = 64, /* enough for the dearest tile to be a small part of a device's share */
    TILES_PER_WIDE_DEVICE = 4, /* a GPU wants large tiles and has two at a time */
    TILE_PX_WIDEST = 4096,     /* tile of a GPU that is alone, which cuts it into bands itself */
    TILE_PX_LIMIT = 8192,      /* a tile has 2 GiB at most, with all planes */
    COMB_PIXELS_MOST = 1 << 24,
    CELLS_OF_TILE = 12, /* cells of a processor's tile, in each direction */
    CELLS_OF_WIDE_TILE_LEAST = 50,
    /* CPU devices from which on a coarse pass wins more than it costs. It takes 3 % of a
     * picture of two seconds (one core, AVX-512); tiles of one size lose as much against it at 32
     * workers of one machine, and 9 % at 64 (tests/render/plan/test_many_workers.c). */
    FORECAST_DEVICES_LEAST = 48,
    JOINED_DEVICES = 6,     /* devices that jobs are expected to bring that join later */
    PREDICTED_TILE_PX = 128 /* side of the largest tiles of predicted cost, as a rule */
};

int32_t plan_tile_narrow(int32_t width, int32_t height, int devices)
{
    int32_t px = TILE_PX_LARGEST;
    uint64_t wanted = devices > 1 ? (uint64_t)TILES_PER_DEVICE * (uint64_t)devices : 1;
    while (px > TILE_PX_SMALLEST && tiles_number(width, height, px) < wanted)
        px /= 2;
    while (px < TILE_PX_LIMIT && tiles_number(width, height, px) > TILE_COUNT_MAX)
        px *= 2;
    return px;
}

/* Devices that share a picture, now or later. */
static int devices_shared(const struct renderer_facts *facts)
{
    return facts->devices + (facts->joins ? JOINED_DEVICES : 0);
}

/* GPUs of one kind: tiles that are alike balance. */
static bool devices_alike(const struct renderer_facts *facts)
{
    return !facts->mixed && facts->gpus == facts->devices;
}

/* For GPUs: a picture in one piece for one alone; large squares where devices differ. */
static int32_t tile_wide(const struct plan_question *question)
{
    int32_t width = question->view->width, height = question->view->height, px = TILE_PX_WIDEST;
    int devices = devices_shared(question->facts);
    uint64_t wanted = devices > 1 ? (uint64_t)TILES_PER_WIDE_DEVICE * (uint64_t)devices : 1;
    while (px > question->facts->tile_px && tiles_number(width, height, px) < wanted)
        px /= 2;
    return px > question->facts->tile_px ? px : question->facts->tile_px;
}

/* Several GPUs that are alike each take every n-th band of rows: their shares cost the same without
 * anybody knowing what pixels cost, and each is one large piece of work. Large pictures are cut
 * into more, so that progress shows and a loss is small. */
static uint32_t interleaved_choose(const struct plan_question *question)
{
    if (question->facts->tile_px <= 1 || !devices_alike(question->facts) ||
        question->facts->devices < 2 || question->picture->tile_px || question->facts->joins)
        return 0;
    uint64_t pixels = (uint64_t)question->view->width * (uint64_t)question->view->height;
    uint64_t devices = (uint64_t)question->facts->devices;
    uint64_t each = pixels / (devices * (COMB_PIXELS_MOST + 1)) + 1;
    uint64_t bands = (uint64_t)(question->view->height - 1) / GRID_BAND + 1, tiles = devices * each;
    return tiles <= bands ? (uint32_t)tiles : 0;
}

enum status plan_tiles_choose(struct plan *plan, const struct plan_question *question)
{
    int32_t width = question->view->width, height = question->view->height,
            px = question->picture->tile_px;
    plan->interleaved = interleaved_choose(question);
    if (plan->interleaved) {
        plan->tile_px = GRID_BAND;
        plan->tiles = plan->interleaved;
        return STATUS_OK;
    }
    if (px > TILE_PX_LIMIT)
        return status_fail(STATUS_CONFIG, "tiles of %d pixels are too large; the most is %d", px,
                           TILE_PX_LIMIT);
    if (px == 0 && question->facts->tile_px > 1)
        px = tile_wide(question);
    else if (px == 0)
        px = plan_tile_narrow(width, height, devices_shared(question->facts));
    uint64_t tiles = tiles_number(width, height, px);
    if (tiles > TILE_COUNT_MAX)
        return status_fail(STATUS_TOO_LARGE,
                           "%d x %d pixels in tiles of %d are %llu tiles; the most is %d", width,
                           height, px, (unsigned long long)tiles, TILE_COUNT_MAX);
    plan->tile_px = px;
    plan->tiles = (uint32_t)tiles;
    return STATUS_OK;
}

const char *plan_forecast_name(enum plan_forecast forecast)
{
    static const char *const names[FORECASTS] = {
        [FORECAST_AUTO] = "auto", [FORECAST_ON] = "on", [FORECAST_OFF] = "off"};
    return names[forecast];
}

void plan_forecast_choose(struct plan *plan, const struct plan_question *question)
{
    bool pays = question->facts->devices >= FORECAST_DEVICES_LEAST;
    plan->why.forecast = NULL;
    if (schedule_named(plan->schedule)->is_static)
        plan->why.forecast = "tiles that are dealt out in turn have no order";
    else if (question->picture->forecast == FORECAST_OFF)
        plan->why.forecast = "asked for";
    else if (question->facts->tile_px > 1)
        plan->why.forecast = "GPUs want large tiles";
    else if (question->picture->tile_px)
        plan->why.forecast = "a size of tiles was asked for";
    else if (question->picture->forecast == FORECAST_AUTO && !pays)
        plan->why.forecast = "so few devices share tiles of one size as well";
    plan->predicts_cost = !plan->why.forecast;
    if (!plan->predicts_cost)
        return;
    plan->why.forecast = pays ? "so many devices would wait for the dearest tiles" : "asked for";
    plan->tile_px = PREDICTED_TILE_PX;
    plan->tiles =
        (uint32_t)tiles_number(question->view->width, question->view->height, plan->tile_px);
}

/* Side of a GPU's tile of cells: of as many tiles as are enough for all GPUs; alone it cuts its
 * tile into bands itself. */
static int32_t wide_tile_cells(const struct plan_question *question)
{
    double pixels = (double)question->view->width * question->view->height;
    int devices = devices_shared(question->facts);
    double tiles = devices > 1 ? (double)devices * TILES_PER_WIDE_DEVICE : 1;
    double side =
        devices > 1 ? sqrt(pixels / tiles) / GRID_CELL : (double)TILE_PX_WIDEST / GRID_CELL;
    return side > CELLS_OF_WIDE_TILE_LEAST ? (int32_t)side : CELLS_OF_WIDE_TILE_LEAST;
}

int32_t plan_cells_px(const struct plan_question *question)
{
    bool wide = question->facts->tile_px > 1;
    return GRID_CELL * (wide ? wide_tile_cells(question) : CELLS_OF_TILE);
}
