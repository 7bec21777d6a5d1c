#include "render/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decomposition/schedule/schedule.h"
#include "decomposition/transport/transport.h"
#include "kernels/deep/deep.h"
#include "kernels/field.h"
#include "kernels/grid.h"
#include "kernels/orbit/orbit.h"
#include "kernels/stop.h"
#include "render/colour/refine.h"
#include "render/reference/reference.h"

enum {
    TILE_PX_LARGEST = 256, /* a tile's setup is then under 1 % of the cheapest tile's time */
    TILE_PX_SMALLEST = 32,
    TILES_PER_DEVICE = 64, /* enough for the dearest tile to be a small part of a device's share */
    TILES_PER_WIDE_DEVICE = 4, /* a GPU wants large tiles and has two at a time */
    TILE_PX_WIDEST = 4096,     /* of a GPU that is alone: it cuts its tile into bands itself */
    COMB_PIXELS_MOST = 1 << 24,
    STAGING_PIECE_PX = 1 << 19,
    STAGING_PIECES_MOST = 8, /* of a tile; two tiles at a time */
    STAGING_PX = 2 << 20,    /* that a block has room for */
    /* CPU devices from which on a coarse pass wins more than it costs. It takes 3 % of a
     * picture of two seconds (one core, AVX-512); tiles of one size lose as much against it at 32
     * workers of one machine, and 9 % at 64 (tests/render/plan/test_many_workers.c). */
    FORECAST_DEVICES_LEAST = 48,
    PREDICTED_TILE_PX = 128, /* side of the largest tiles of predicted cost, as a rule */
    CELLS_OF_TILE = 12,      /* of a processor, in each direction */
    CELLS_OF_WIDE_TILE_LEAST = 50,
    TILE_PX_LIMIT = 8192, /* a tile has 2 GiB at most, with all planes */
    /* Of a strip: whole squares of adaptive samples, and bands of interleaved tiles for 4 GPUs. */
    STRIP_ROWS_UNIT = 64,
    STRIP_ROWS_LEAST = 16, /* whole squares, and a row of cells (render/colour/cells.h) */
    /* Of a writer: pixels of a strip, which others wait for and a stop does; and at how many rank 0
     * begins to be what the others wait for. */
    WRITER_STRIP_PX = 1 << 25,
    WRITERS_PX_LEAST = 1 << 28,
    /* Of a job of several samples: an H200 computes 8 million in 0.6 to 0.7 of the time of four
     * times 2 million. */
    JOB_PX = 1 << 24,
    /* Where numbers are wanted, too: those of the centres are fetched when all of them are there,
     * and not while they are computed. */
    LIGHTS_SAMPLES_LEAST = 3,
    PERTURBATION_GAIN = 1000, /* times as exact as fp64, where it misses the target, too */
    PART_PIXEL_BYTES = 6,     /* of 16 bit samples that nothing makes smaller */
    CPU_MAP_PIXEL_BYTES = 1   /* what processors note of squares: 227 bytes for 256 pixels */
};

/* What a plan is made of: the picture, of which a strip may be laid out, and what computes it. */
struct plan_question {
    const struct picture *picture;
    const struct view_numbers *view; /* of the picture, or of a strip of it */
    const struct renderer_facts *facts;
    const volatile int *stop;
};

static const uint64_t pixels_counted = UINT64_C(1) << 48;

const char *plan_method_name(enum method method)
{
    return method == METHOD_DIRECT ? "direct" : "perturbation";
}

const char *plan_number_name(enum number number)
{
    return number == NUMBER_FP32 ? "fp32" : "fp64";
}

const char *plan_blocks_name(enum blocks blocks)
{
    static const char *const names[BLOCKS_KINDS] = {
        [BLOCKS_NONE] = "none", [BLOCKS_QUARTIC] = "quartic"};
    return names[blocks];
}

/* error = amplification u |c| zoom H / 4, solved for the zoom. */
static double log10_zoom_end(const struct plan_question *question, double amplification,
                             double error_px)
{
    const struct view_numbers *view = question->view;
    double per_zoom = amplification * plan_unit_roundoff[NUMBER_FP64] *
                      plan_largest_point(view, &question->picture->formula) * view->height / 4 *
                      exp2(view->log2_stretch);
    return log10(error_px / per_zoom);
}

/* What perturbation in doubles comes to at best: of the longest offset in the shortest pixels. */
static double roundings_px(const struct view_numbers *view)
{
    return 0.5 * hypot(view->width, view->height) * plan_unit_roundoff[NUMBER_FP64] *
           exp2(2 * view->log2_stretch);
}

enum status plan_reach(const struct view_numbers *view)
{
    if (view->log2_step - view->log2_stretch >= DEEP_STEP_LEAST)
        return STATUS_OK;
    return status_fail(STATUS_UNREACHABLE,
                       "this view (zoom 1e%.1f) is too deep: perturbation ends at zoom 1e%.1f for "
                       "pictures %d pixels high",
                       view_log10_zoom(view),
                       log10(4.0 / view->height) - DEEP_STEP_LEAST * log10(2.0), view->height);
}

/* Blocks leave out what moves 99 of 100 pixels by less than the accuracy asked for, and doubles
 * round by so much (kernels/deep/deep.h). */
static enum status perturbation_choose(struct plan *plan, const struct plan_question *question,
                                       double amplification)
{
    const struct view_numbers *view = question->view;
    if (question->picture->precision == PRECISION_FP32)
        return status_fail(STATUS_UNREACHABLE,
                           "this view (zoom 1e%.1f) needs perturbation, which is computed in fp64; "
                           "use --precision fp64",
                           view_log10_zoom(view));
    TRY(plan_reach(view));
    if (question->picture->planes & PLANE_MASK_ATTRACTOR)
        return status_fail(STATUS_CONFIG,
                           "periods and distances inside are found by direct iteration, which is "
                           "not exact enough here; leave them out of --planes");
    plan->method = METHOD_PERTURBATION;
    plan->number = NUMBER_FP64;
    TRY(orbit_bits(view->log2_step - view->log2_stretch, question->picture->limit,
                   &plan->orbit_bits));
    double least_px = fmax(question->picture->accuracy_px, roundings_px(view));
    double error_px = plan_error_px(view, &question->picture->formula, NUMBER_FP64, amplification);
    plan->error_px[NUMBER_FP64] = fmax(least_px, error_px);
    plan->falls_short = error_px > least_px;
    return STATUS_OK;
}

void plan_reached(struct plan *plan, double roundings_px)
{
    plan->error_px[plan->number] = fmax(plan->error_px[plan->number], roundings_px);
    plan->falls_short |= roundings_px > plan->accuracy_px;
}

static const char *formula_said(const struct formula *formula)
{
    return formula->step == STEP_OWN ? "this formula" : formula_name(formula);
}

/* Without perturbation pixels are computed directly, as exactly as doubles can, and only not where
 * that would be visible, or might be. */
static enum status direct_check(struct plan *plan, const struct plan_question *question,
                                double amplification)
{
    double error_px = plan->error_px[NUMBER_FP64];
    plan->log10_zoom_end = log10_zoom_end(question, amplification, PLAN_ERROR_MAX_PX);
    if (error_px <= PLAN_ERROR_MAX_PX)
        return STATUS_OK;
    if (isfinite(error_px))
        return status_fail(
            STATUS_UNREACHABLE,
            "this view (zoom 1e%.1f) of %s would be wrong by %.2g pixels: without perturbation, "
            "fp64 ends at zoom 1e%.1f for pictures %d pixels high",
            view_log10_zoom(question->view), formula_said(&question->picture->formula), error_px,
            plan->log10_zoom_end, question->view->height);
    if (question->picture->precision == PRECISION_FP64)
        return STATUS_OK;
    return status_fail(
        STATUS_UNREACHABLE,
        "how wrong fp64 would be in this view of %s is not known: orbits stay bounded "
        "for millions of steps; use a lower --limit, or --precision fp64 to take it "
        "all the same",
        formula_said(&question->picture->formula));
}

/* What z^2 + c has and other formulas have not. */
static enum status formula_limits(const struct plan_question *question)
{
    if (formula_quadratic(&question->picture->formula))
        return STATUS_OK;
    if (question->picture->precision == PRECISION_FP32)
        return status_fail(STATUS_CONFIG, "%s is computed in fp64; use --precision fp64",
                           formula_said(&question->picture->formula));
    if (question->picture->planes & PLANE_MASK_DISTANCE &&
        !formula_has_distances(&question->picture->formula))
        return status_fail(STATUS_CONFIG,
                           "%s has no distances: its orbits converge linearly, which bounds none; "
                           "leave 'distance' out of --planes",
                           formula_said(&question->picture->formula));
    if (question->picture->planes & PLANE_MASK_ATTRACTOR)
        return status_fail(STATUS_CONFIG,
                           "periods and distances inside are those of z^2 + c; leave 'period' and "
                           "'inside' out of --planes for %s",
                           formula_said(&question->picture->formula));
    return STATUS_OK;
}

/* Is perturbation worth its time where fp64 misses the target? In a whole Julia set beside a
 * parabolic point orbits are far from any reference: there its errors are nearly those of fp64, at
 * 300 times the time (z^2 - 0.75 + 0.0001 i at zoom 5). */
static bool perturbation_gains(const struct plan *plan, const struct plan_question *question,
                               double target, double amplification)
{
    double direct_px = plan->error_px[NUMBER_FP64];
    double perturbed_px =
        plan_error_px(question->view, &question->picture->formula, NUMBER_FP64, amplification);
    return direct_px > PLAN_ERROR_MAX_PX || perturbed_px <= target ||
           PERTURBATION_GAIN * perturbed_px <= direct_px;
}

const char *plan_short_reason(const struct plan *plan, const struct formula *formula)
{
    if (!formula_perturbed(formula))
        return "there is no perturbation of this formula here, and fp64 comes no nearer";
    if (plan->method == METHOD_PERTURBATION && !formula_quadratic(formula))
        return "orbits here come near to what contracts them, and lose digits there, and fp64 "
               "comes no nearer";
    return plan->method == METHOD_PERTURBATION
               ? "roundings add up along these orbits, in perturbation too"
               : "roundings add up along these orbits, and perturbation does not come so much "
                 "nearer that it is worth its time";
}

/* The cheapest that is accurate enough: fp32 takes half the time of fp64, and perturbation, at the
 * 13 views of configs/views for which both can be had, 1 to 9 times that of fp64, 3 in the median
 * (960 x 540, AVX-512). */
static enum status number_choose(struct plan *plan, const struct plan_question *question)
{
    double target =
        fmin(fmax(question->picture->accuracy_px, roundings_px(question->view)), PLAN_ERROR_MAX_PX);
    const struct picture_known *known = question->picture->known;
    struct plan_amplification amplification =
        known ? known->error_amplification : (struct plan_amplification){.direct = 0};
    if (question->picture->of_many &&
        !plan_error_matters(question->view, &question->picture->formula))
        amplification = (struct plan_amplification){.direct = 1};
    else if (!(amplification.direct > 0)) /* some milliseconds */
        amplification = plan_error_amplification(question->view, &question->picture->formula,
                                                 question->picture->limit, question->stop);
    if (stop_asked(question->stop))
        return status_fail(STATUS_STOPPED, "stopped on request while a plan was made");
    for (int n = 0; n < NUMBERS; n++)
        plan->error_px[n] = plan_error_px(question->view, &question->picture->formula,
                                          (enum number)n, amplification.direct);
    plan->accuracy_px = question->picture->accuracy_px;
    plan->log10_zoom_end = log10_zoom_end(question, amplification.direct, target);
    double most = question->picture->precision == PRECISION_FP32 ? PLAN_ERROR_MAX_PX : target;
    bool direct = plan->error_px[NUMBER_FP64] <= most;
    if (!formula_perturbed(&question->picture->formula))
        TRY(direct_check(plan, question, amplification.direct));
    else if (!direct && perturbation_gains(plan, question, target, amplification.perturbed))
        return perturbation_choose(plan, question, amplification.perturbed);
    TRY(formula_limits(question));
    if (question->picture->formula.plane == DYNAMIC_PLANE &&
        question->picture->planes & PLANE_MASK_INSIDE)
        return status_fail(STATUS_CONFIG, "distances inside are those of the Mandelbrot set; leave "
                                          "'inside' out of --planes for a Julia set");
    bool slopes = question->picture->planes & PLANE_MASK_END;
    if (slopes && question->picture->precision == PRECISION_FP32)
        return status_fail(STATUS_CONFIG, "distances and phases are computed in fp64; use "
                                          "--precision fp64, or leave them out of --planes");
    bool exact_enough_32 = plan->error_px[NUMBER_FP32] <= target;
    plan->number = question->picture->precision == PRECISION_FP32 ? NUMBER_FP32
                   : question->picture->precision == PRECISION_AUTO && exact_enough_32 && !slopes &&
                           formula_quadratic(&question->picture->formula)
                       ? NUMBER_FP32
                       : NUMBER_FP64;
    plan->falls_short = plan->number == NUMBER_FP64 && !direct;
    double error_px = plan->error_px[plan->number];
    if (error_px <= PLAN_ERROR_MAX_PX)
        return STATUS_OK;
    return status_fail(STATUS_UNREACHABLE,
                       "in fp32 this view (zoom 1e%.1f) would be wrong by %.2g pixels; "
                       "use --precision fp64",
                       view_log10_zoom(question->view), error_px);
}

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

/* GPUs of one kind: tiles that are alike balance. */
static bool devices_alike(const struct renderer_facts *facts)
{
    return !facts->mixed && facts->gpus == facts->devices;
}

/* For GPUs: a picture in one piece for one alone; large squares where devices differ. */
static int32_t tile_wide(const struct plan_question *question)
{
    int32_t width = question->view->width, height = question->view->height, px = TILE_PX_WIDEST;
    uint64_t wanted = question->facts->devices > 1
                          ? (uint64_t)TILES_PER_WIDE_DEVICE * (uint64_t)question->facts->devices
                          : 1;
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
        question->facts->devices < 2 || question->picture->tile_px)
        return 0;
    uint64_t pixels = (uint64_t)question->view->width * (uint64_t)question->view->height;
    uint64_t devices = (uint64_t)question->facts->devices;
    uint64_t each = pixels / (devices * (COMB_PIXELS_MOST + 1)) + 1;
    uint64_t bands = (uint64_t)(question->view->height - 1) / GRID_BAND + 1, tiles = devices * each;
    return tiles <= bands ? (uint32_t)tiles : 0;
}

static enum status tiles_choose(struct plan *plan, const struct plan_question *question)
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
        px = plan_tile_narrow(width, height, question->facts->devices);
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

/* After the schedule is known. */
static void forecast_choose(struct plan *plan, const struct plan_question *question)
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

static enum status unknown(const char *what, const char *name, const char *known)
{
    return status_fail(STATUS_CONFIG, "unknown %s '%s'; known: auto, %s", what, name, known);
}

static bool asks_for_device(const struct plan_question *question)
{
    const struct transport_kind *transport = transport_named(question->picture->transport);
    return transport && transport->frame == TRANSPORT_FRAME_DEVICE;
}

/* A processor takes longer for the colours of a picture's samples than a GPU to compute them. */
static void lights_choose(struct plan *plan, const struct plan_question *question)
{
    plan->why.lights = NULL;
    if (!question->facts->lights)
        plan->why.lights = "rank 0 has no GPU";
    else if (formula_roots(&question->picture->formula))
        plan->why.lights = "a GPU does not tell roots apart";
    else if (!question->picture->light_alone &&
             samples_most(question->picture->samples) < LIGHTS_SAMPLES_LEAST)
        plan->why.lights = "so few cost less than to fetch the numbers that are wanted, too";
    else if (transport_named(question->picture->transport) && !asks_for_device(question))
        plan->why.lights = "the transport asked for brings it there";
    else if (!question->picture->light_alone && question->facts->ranks > 1)
        plan->why.lights = "rank 0 would open a GPU for one picture";
    else if (question->picture->samples == SAMPLES_AUTO && question->facts->ranks > 1)
        plan->why.lights = "it chooses for several ranks where more samples are needed";
    plan->lights = !plan->why.lights;
    if (plan->lights)
        plan->why.lights = "where they are computed";
}

static enum status transports_choose(struct plan *plan, const struct plan_question *question)
{
    const struct transport_kind *asked = transport_named(question->picture->transport);
    const char *wanted = question->picture->schedule;
    if (!strcmp(wanted, "auto"))
        wanted = question->facts->computing_ranks > 1 && !(asked && asked->at_end) ? "dynamic"
                                                                                   : "cyclic";
    const struct schedule_kind *schedule = schedule_named(wanted);
    if (!schedule)
        return unknown("schedule", wanted, "cyclic, dynamic");
    int beside = question->facts->computing_ranks - question->facts->away_ranks;
    bool to_device = asks_for_device(question) || plan->lights;
    struct transport_question worker = {
        .name = question->picture->transport,
        .ranks = question->facts->ranks,
        .rank = question->facts->ranks > 1 && beside > 0,
        /* As a rule; the report says what each rank really took. */
        .reaches_segment = beside > 0 && !plan->lights,
        .reaches_device = beside > 0 && to_device,
        .others_reach = beside > 0 || (to_device && question->facts->host_will_do),
        .sends_device = question->facts->sends_device};
    const struct transport_kind *transport;
    TRY(transport_choose(&worker, &transport, &plan->why.transport));
    snprintf(plan->transport, sizeof plan->transport, "%s", transport->name);
    if (question->facts->away_ranks > 0) {
        worker.rank = 1;
        worker.reaches_segment = worker.reaches_device = false;
        TRY(transport_choose(&worker, &transport, &plan->why.away));
        snprintf(plan->away_transport, sizeof plan->away_transport, "%s", transport->name);
    }
    snprintf(plan->schedule, sizeof plan->schedule, "%s", schedule->name);
    plan->order = schedule->is_static ? TILE_ORDER_MORTON : TILE_ORDER_SPIRAL;
    return STATUS_OK;
}

/* Pinned blocks through which a GPU copies into memory that is not: one for each piece of a tile
 * that is under way, 16 at most (kernels/cuda/cuda_pipeline.cu). */
static uint64_t staging_bytes(uint64_t tile_pixels, uint64_t pixel_bytes)
{
    uint64_t pieces = tile_pixels / STAGING_PIECE_PX + 1;
    pieces = pieces < STAGING_PIECES_MOST ? pieces : STAGING_PIECES_MOST;
    return 2 * pieces * STAGING_PX * pixel_bytes;
}

/* Side of a GPU's tile of cells: of as many tiles as are enough for all GPUs; alone it cuts its
 * tile into bands itself. */
static int32_t wide_tile_cells(const struct plan_question *question)
{
    double pixels = (double)question->view->width * question->view->height;
    double tiles =
        question->facts->devices > 1 ? (double)question->facts->devices * TILES_PER_WIDE_DEVICE : 1;
    double side = question->facts->devices > 1 ? sqrt(pixels / tiles) / GRID_CELL
                                               : (double)TILE_PX_WIDEST / GRID_CELL;
    return side > CELLS_OF_WIDE_TILE_LEAST ? (int32_t)side : CELLS_OF_WIDE_TILE_LEAST;
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

/* What a rank that computes takes with this transport. */
static uint64_t worker_sum(const struct plan *plan, const struct plan_question *question,
                           const char *name, const struct transport_load *load)
{
    const struct transport_kind *transport = transport_named(name);
    uint64_t pixel = planes_bytes(question->picture->planes, plan->count_bytes);
    uint64_t tile_pixels = load->tile_bytes / pixel, bytes = transport->worker_bytes(load);
    bool to_device = asks_for_device(question) || plan->lights;
    bool pageable = transport->in_place ? question->facts->pageable && !to_device
                                        : transport->at_end && question->facts->tile_px > 1;
    if (pageable)
        bytes += load->devices * staging_bytes(tile_pixels, pixel);
    return question->facts->tile_px > 1 ? bytes
                                        : bytes + load->devices * tile_pixels * CPU_MAP_PIXEL_BYTES;
}

static void memory_sum(struct plan *plan, const struct plan_question *question)
{
    uint64_t pixel = planes_bytes(question->picture->planes, plan->count_bytes);
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
    plan->cells_px = GRID_CELL * (wide ? wide_tile_cells(question) : CELLS_OF_TILE);
    plan->at_once = samples_at_once(plan, question, pixels);
    plan->turns = question->picture->of_many && wide && averages;
    plan->fields = fields_of(plan, question);
    plan->bytes.frame = pixels * pixel * (uint64_t)plan->fields;
    plan->bytes.light = averages ? pixels * LIGHT_PIXEL_BYTES : 0;
    if (question->picture->samples == SAMPLES_AUTO)
        plan->bytes.light += pixels * REFINE_PIXEL_BYTES;
    bool to_device = asks_for_device(question) || plan->lights;
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

/* With strips of `rows` rows. */
static enum status strips_layout(struct plan *plan, const struct plan_question *question,
                                 int32_t rows)
{
    struct view_numbers view = *question->view;
    struct plan_question strip = *question;
    int32_t height = question->view->height;
    strip.view = &view;
    plan->strip_rows = rows;
    if (plan->lights && (rows < height || plan->writers > 0)) {
        plan->lights = false;
        plan->why.lights = "it takes strip by strip";
    }
    plan->halo_rows =
        rows < height && samples_most(question->picture->samples) > 1 ? REFINE_SQUARE_PX : 0;
    if (rows < height)
        view.height = rows + 2 * plan->halo_rows;
    TRY(tiles_choose(plan, &strip));
    forecast_choose(plan, &strip);
    memory_sum(plan, &strip);
    return STATUS_OK;
}

static int32_t strip_half(int32_t rows)
{
    int32_t half = rows / 2, unit = half > STRIP_ROWS_UNIT ? STRIP_ROWS_UNIT : STRIP_ROWS_LEAST;
    half -= half % unit;
    return half > STRIP_ROWS_LEAST ? half : STRIP_ROWS_LEAST;
}

/* With the fewest rows. */
static enum status strips_admit(const struct plan *plan, const struct plan_question *question)
{
    uint64_t frame = plan->bytes.frame + plan->bytes.light;
    if (frame <= question->picture->memory_bytes)
        return STATUS_OK;
    return status_fail(
        STATUS_TOO_LARGE,
        "%d rows of %d pixels take %.2f GiB, and %.2f may be taken for them%s; choose "
        "a smaller --size, or more --memory",
        plan->strip_rows, question->view->width, (double)frame / 0x1p30,
        (double)question->picture->memory_bytes / 0x1p30,
        question->view->width < GRID_CELL
            ? ", as a picture narrower than 9 pixels is not cut into strips"
            : "");
}

const char *plan_writers_name(int writers)
{
    static const char *const names[] = {
        [WRITERS_AUTO] = "auto", [WRITERS_ONE] = "one", [WRITERS_ALL] = "all"};
    return writers >= 0 && writers <= WRITERS_ALL ? names[writers] : NULL;
}

/* Whole stripes of the files, and whole squares. */
static int64_t writer_unit(const struct picture *picture)
{
    int64_t unit = picture->part_rows;
    while (unit % STRIP_ROWS_LEAST != 0)
        unit += picture->part_rows;
    return unit;
}

/* Rows of a writer's strip; 0: it would have none. */
static int32_t writer_rows(const struct plan_question *question)
{
    int64_t unit = writer_unit(question->picture),
            share = question->view->height / question->facts->computing_ranks;
    int64_t most = WRITER_STRIP_PX / question->view->width, rows = most < share ? most : share;
    rows = rows > unit ? rows - rows % unit : unit;
    if (question->picture->strip_rows > 0) /* of an interrupted run */
        rows = question->picture->strip_rows % unit == 0 ? question->picture->strip_rows : 0;
    return rows < question->view->height ? (int32_t)rows : 0;
}

/* Rank 0 takes longer to compress and write 8 bits a sample than GPUs of two machines to compute
 * them; processors that compute have no time to spare, and of one machine they are the same. */
static bool writers_pay(const struct plan_question *question)
{
    double pixels = (double)question->view->width * question->view->height;
    return question->facts->tile_px > 1 && question->facts->away_ranks > 0 &&
           pixels >= WRITERS_PX_LEAST;
}

static int32_t writers_choose(struct plan *plan, const struct plan_question *question)
{
    bool can = question->facts->computing_ranks > 1 && question->picture->part_rows > 0;
    bool wanted = question->picture->writers == WRITERS_ALL ||
                  (question->picture->writers == WRITERS_AUTO && can && writers_pay(question));
    int32_t rows = can && wanted ? writer_rows(question) : 0;
    plan->writers = rows > 0 ? question->facts->computing_ranks : 0;
    return rows;
}

bool plan_writers_refusal(const struct plan *plan, const struct picture *picture,
                          const struct view_numbers *view, char *text, size_t bytes)
{
    int unit = (int)writer_unit(picture);
    if (picture->writers != WRITERS_ALL || plan->writers > 0)
        return false;
    if (plan->facts.computing_ranks < 2)
        snprintf(text, bytes, "rank 0 writes alone: no other rank computes");
    else if (picture->strip_rows > 0)
        snprintf(text, bytes,
                 "rank 0 writes alone: the interrupted run has strips of %d rows, and other ranks "
                 "write multiples of %d",
                 picture->strip_rows, unit);
    else
        snprintf(text, bytes,
                 "rank 0 writes alone: other ranks write multiples of %d rows, and the picture has "
                 "%d",
                 unit, view->height);
    return true;
}

/* As many rows at a time as the memory bears. */
static enum status strips_choose(struct plan *plan, const struct plan_question *question)
{
    int32_t rows = question->view->height;
    if (question->picture->strip_rows > 0)
        return strips_layout(plan, question,
                             question->picture->strip_rows < rows ? question->picture->strip_rows
                                                                  : rows);
    for (;;) {
        enum status status = strips_layout(plan, question, rows);
        bool fits = status == STATUS_OK && plan_memory(plan) <= question->picture->memory_bytes;
        bool least = rows <= STRIP_ROWS_LEAST || question->view->width < GRID_CELL;
        if (status != STATUS_OK && (status != STATUS_TOO_LARGE || least))
            return status;
        if (!question->picture->memory_bytes || fits)
            return status;
        if (least)
            return strips_admit(plan, question);
        rows = strip_half(rows);
    }
}

/* Fewer rows where the memory asks for it. */
static enum status writers_layout(struct plan *plan, const struct plan_question *question,
                                  int32_t rows)
{
    int32_t unit = (int32_t)writer_unit(question->picture);
    TRY(strips_layout(plan, question, rows));
    while (question->picture->memory_bytes && plan_memory(plan) > question->picture->memory_bytes &&
           question->picture->strip_rows == 0 && rows / 2 >= unit) {
        rows = rows / 2 - rows / 2 % unit;
        TRY(strips_layout(plan, question, rows));
    }
    return STATUS_OK;
}

enum status plan_choose(struct plan *plan, const struct picture *picture,
                        const struct view_numbers *view, const struct renderer_facts *facts,
                        const volatile int *stop)
{
    const struct plan_question question = {picture, view, facts, stop};
    *plan = (struct plan){.facts = *facts};
    TRY(number_choose(plan, &question));
    lights_choose(plan, &question);
    TRY(transports_choose(plan, &question));
    /* All bits set mean "not escaped" in .exr files, whose readers take two channels from here. */
    plan->count_bytes = picture->limit < (int64_t)UINT32_MAX ? 4 : 8;
    int32_t rows = writers_choose(plan, &question);
    return rows > 0 ? writers_layout(plan, &question, rows) : strips_choose(plan, &question);
}
