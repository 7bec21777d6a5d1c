/* Bytes that a plan takes. */
#include "decomposition/transport/transport.h"
#include "kernels/field.h"
#include "render/colour/refine.h"
#include "render/plan/plan_question.h"

enum {
    STAGING_PIECE_PX = 1 << 19,
    STAGING_PIECES_MOST = 8, /* pieces of a tile; two tiles at a time */
    STAGING_PX = 2 << 20,    /* pixels that a block has room for */
    /* Pixels of a job of several samples: an H200 computes 8 million in 0.6 to 0.7 of the time of
     * four times 2 million. */
    JOB_PX = 1 << 24,
    PART_PIXEL_BYTES = 6,   /* 16 bit samples that no compression makes smaller */
    CPU_MAP_PIXEL_BYTES = 1 /* notes of processors about squares: 227 bytes for 256 pixels */
};

static const uint64_t pixels_counted = UINT64_C(1) << 48;

/* Pinned blocks through which a GPU copies into memory that is not: one for each piece of a tile
 * that is under way, 16 at most (kernels/cuda/cuda_pipeline.cu). */
static uint64_t staging_bytes(uint64_t tile_pixels, uint64_t pixel_bytes)
{
    uint64_t pieces = tile_pixels / STAGING_PIECE_PX + 1;
    pieces = pieces < STAGING_PIECES_MOST ? pieces : STAGING_PIECES_MOST;
    return 2 * pieces * STAGING_PX * pixel_bytes;
}

/* A writer has a frame of its own, and the bytes that it makes of it. */
static void writers_sum(struct plan *plan, const struct plan_question *question, uint64_t pixels)
{
    if (plan->writers == 0)
        return;
    uint64_t bytes = question->picture->part_pixel_bytes > PART_PIXEL_BYTES
                         ? (uint64_t)question->picture->part_pixel_bytes
                         : PART_PIXEL_BYTES;
    uint64_t more = plan->bytes.frame + plan->bytes.light + pixels * 2 * bytes; /* they grow */
    plan->bytes.worker += more;
    plan->bytes.away += plan->away_transport[0] ? more : 0;
}

/* Where pictures follow each other, a job has enough pixels to keep a GPU busy until its last ones
 * are done; the memory for that is pinned, which takes longer than it saves in one picture. */
static int samples_at_once(const struct plan *plan, const struct plan_question *question,
                           uint64_t pixels)
{
    uint64_t most = pixels ? JOB_PX / pixels : 1;
    int samples =
        question->picture->samples == SAMPLES_AUTO ? 1 : samples_most(question->picture->samples);
    if (!question->picture->of_many || question->facts->tile_px <= 1 || plan->halo_rows > 0 ||
        most < 1)
        return 1;
    samples = samples < SAMPLES_AT_ONCE ? samples : SAMPLES_AT_ONCE;
    return most < (uint64_t)samples ? (int)most : samples;
}

/* The centres stay. While a sample of GPUs is averaged by the processor, the next is computed, or
 * the next picture. */
static int fields_of(const struct plan *plan, const struct plan_question *question)
{
    if (samples_most(question->picture->samples) == 1)
        return plan->turns ? 2 : 1;
    if (question->facts->tile_px <= 1)
        return 2;
    return plan->turns ? 2 + 2 * plan->at_once : 3;
}

/* Bytes that a rank that computes takes with this transport. */
static uint64_t worker_sum(const struct plan *plan, const struct plan_question *question,
                           const char *name, const struct transport_load *load)
{
    const struct transport_kind *transport = transport_named(name);
    uint64_t pixel = planes_bytes(question->picture->spec.planes, plan->count_bytes);
    uint64_t tile_pixels = load->tile_bytes / pixel, bytes = transport->worker_bytes(load);
    if (transport->at_end && question->facts->tile_px > 1) /* its pieces go through pinned blocks */
        bytes += load->devices * staging_bytes(tile_pixels, pixel);
    return question->facts->tile_px > 1 ? bytes
                                        : bytes + load->devices * tile_pixels * CPU_MAP_PIXEL_BYTES;
}

void plan_memory_sum(struct plan *plan, const struct plan_question *question)
{
    uint64_t pixel = planes_bytes(question->picture->spec.planes, plan->count_bytes);
    uint64_t pixels = (uint64_t)question->view->width * (uint64_t)question->view->height;
    if (pixels > pixels_counted) /* no memory has more, and sums stay in 64 bits */
        pixels = pixels_counted;
    uint64_t side = (uint64_t)plan->tile_px, tile = side * side * pixel;
    if (plan->interleaved)
        tile = (pixels / plan->interleaved + (uint64_t)question->view->width * GRID_BAND) * pixel;
    if (tile > pixels * pixel)
        tile = pixels * pixel;
    uint64_t workers = (uint64_t)question->facts->computing_ranks;
    uint64_t of_worker = ((uint64_t)question->facts->devices + workers - 1) / workers;
    bool averages = samples_most(question->picture->samples) > 1 || plan->lights;
    bool wide = question->facts->tile_px > 1;
    plan->cells_px = plan_cells_px(question);
    plan->at_once = samples_at_once(plan, question, pixels);
    plan->turns = question->picture->of_many && wide && averages;
    plan->fields = fields_of(plan, question);
    plan->bytes.frame = pixels * pixel * (uint64_t)plan->fields;
    plan->bytes.light = averages ? pixels * LIGHT_PIXEL_BYTES : 0;
    if (question->picture->samples == SAMPLES_AUTO)
        plan->bytes.light += pixels * REFINE_PIXEL_BYTES;
    bool to_device = plan_asks_for_device(question) || plan->lights;
    plan->bytes.device = to_device ? plan->bytes.frame : 0;
    plan->bytes.device += plan->lights ? plan->bytes.light : 0;
    const struct transport_load load = {.tile_bytes = tile,
                                        .tiles = plan->tiles,
                                        .samples = (uint64_t)plan->at_once,
                                        .job_bytes = pixels * pixel * (uint64_t)plan->at_once,
                                        .workers = workers,
                                        .devices = of_worker};
    plan->bytes.transport = transport_named(plan->transport)->root_bytes(&load);
    plan->bytes.worker = worker_sum(plan, question, plan->transport, &load);
    plan->bytes.away = 0;
    if (plan->away_transport[0])
        plan->bytes.away = worker_sum(plan, question, plan->away_transport, &load);
    writers_sum(plan, question, pixels);
}

uint64_t plan_memory(const struct plan *plan)
{
    return plan->bytes.frame + plan->bytes.light + plan->bytes.transport +
           (uint64_t)(plan->facts.computing_ranks - plan->facts.away_ranks) * plan->bytes.worker;
}
