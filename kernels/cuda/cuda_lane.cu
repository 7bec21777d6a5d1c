#include "kernels/cuda/cuda_lane.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/cuda_attractors.h"
#include "kernels/cuda/cuda_calls.h"
#include "kernels/cuda/cuda_copy.h"
#include "kernels/deep/inside.h"
#include "kernels/escape/fraction.h"
#include "kernels/escape/interior.h"
#include "kernels/escape/pixel.h"
#include "kernels/escape/trap.h"

enum {
    SQUARE_STEPS = 4096, /* of a square's orbit, for a proof, */
    SOON_STEPS = 1024,   /* which for five of six squares is this short */
    PROOF_LIMIT = 256    /* below this limit proofs cost more than they save */
};

static_assert(sizeof(struct deep_progress) <= sizeof(struct batch),
              "one lies in the other's place");
static_assert((int)SQUARE_PX == (int)INSIDE_PX, "both kinds of pictures cut pieces alike");
static_assert((int)SOON_STEPS >= (int)FIRST_STEPS,
              "late proofs are waited for at the first sort, so there is one");

/* Places in a lane's memory, each aligned for the device. */
struct layout {
    size_t queue[2][4];
    size_t count, fraction, period, late, inside, batch, end;
};

static size_t take(size_t *end, size_t bytes)
{
    size_t at = *end;
    *end += (bytes + 255) / 256 * 256;
    return at;
}

static struct layout layout_of(size_t pixels)
{
    struct layout l;
    l.end = 0;
    for (int q = 0; q < 2; q++)
        for (int part = 0; part < 4; part++)
            l.queue[q][part] = take(&l.end, pixels * (part < 2 ? 8 : 4));
    l.count = take(&l.end, pixels * sizeof(uint64_t));
    l.fraction = take(&l.end, pixels * sizeof(float));
    /* one for a square, and pieces may be one pixel wide */
    l.period = take(&l.end, pixels * sizeof(uint16_t));
    l.late = take(&l.end, pixels * sizeof(uint16_t));
    l.inside = take(&l.end, pixels);
    l.batch = take(&l.end, sizeof(struct batch));
    return l;
}

size_t lane_bytes(size_t pixels)
{
    return layout_of(pixels).end;
}

static void queue_place(struct queue *queue, char *memory, const size_t part[4])
{
    queue->x = memory + part[0];
    queue->y = memory + part[1];
    queue->at = (uint32_t *)(memory + part[2]);
    queue->left = (int32_t *)(memory + part[3]);
}

enum status lane_open(struct lane *lane, size_t pixels, int units, int priority, volatile int *lost)
{
    int lowest = 0, highest = 0; /* a higher priority is a smaller number */
    lane->lost = lost;
    lane->pixels = pixels;
    lane->launcher.units = units;
    struct layout l = layout_of(pixels);
    TRY_CUDA(lost, cudaMalloc(&lane->memory, l.end));
    TRY_CUDA(lost, cudaMallocHost((void **)&lane->report, sizeof *lane->report));
    TRY_CUDA(lost, cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    TRY_CUDA(lost,
             cudaStreamCreateWithPriority(&lane->launcher.stream, cudaStreamNonBlocking, priority));
    TRY_CUDA(lost, cudaStreamCreateWithPriority(&lane->side, cudaStreamNonBlocking, highest));
    TRY_CUDA(lost, cudaEventCreateWithFlags(&lane->late, cudaEventDisableTiming));
    TRY_CUDA(lost, cudaEventCreate(&lane->computed));
    TRY_CUDA(lost, cudaEventCreateWithFlags(&lane->copied, cudaEventDisableTiming));
    char *memory = (char *)lane->memory;
    for (int q = 0; q < 2; q++)
        queue_place(&lane->piece.queue[q], memory, l.queue[q]);
    lane->piece.period = (uint16_t *)(memory + l.period);
    lane->piece.batch = (struct batch *)(memory + l.batch);
    return STATUS_OK;
}

void lane_close(struct lane *lane)
{
    cudaFree(lane->memory);
    cudaFreeHost(lane->report);
    cudaFreeHost(lane->staging);
    if (lane->computed)
        cudaEventDestroy(lane->computed);
    if (lane->copied)
        cudaEventDestroy(lane->copied);
    if (lane->late)
        cudaEventDestroy(lane->late);
    if (lane->launcher.stream)
        cudaStreamDestroy(lane->launcher.stream);
    if (lane->side)
        cudaStreamDestroy(lane->side);
    memset(lane, 0, sizeof *lane);
}

/* Enqueues rounds until no pixel can be left, or as many as a batch holds. */
static enum status rounds_enqueue(struct lane *lane, int64_t age)
{
    struct piece *piece = &lane->piece;
    const struct launcher *launcher = &lane->launcher;
    uint32_t pixels = (uint32_t)(lane->place.width * lane->place.height);
    int stage = 0;
    for (; stage < STAGES && age < piece->limit; stage++) {
        launch_round(launcher, piece, stage);
        if (stage == 0 && piece->late != piece->period)
            TRY_CUDA(lane->lost, cudaStreamWaitEvent(launcher->stream, lane->late, 0));
        launch_sort(launcher, piece, stage);
        age = round_end(piece, age, pixels);
    }
    lane->stages = stage;
    launch_report(launcher, piece);
    TRY_CUDA(lane->lost, cudaGetLastError());
    TRY_CUDA(lane->lost, cudaEventRecord(lane->computed, launcher->stream));
    lane->state = LANE_COMPUTING;
    return STATUS_OK;
}

/* What a piece's kernels need to know. */
static void piece_describe(struct piece *piece, const struct tile_job *job,
                           const struct rectangle *place, const struct field *device)
{
    const struct spec *spec = job->spec;
    int fp64 = spec->number == NUMBER_FP64;
    piece->grid = *job->grid;
    piece->grid.x += place->x;
    piece->grid.y = pixel_row(job->grid, place->y); /* where a band begins */
    piece->grid.width = place->width;
    piece->grid.height = place->height;
    piece->limit = spec->limit;
    piece->budget = job->budget;
    piece->steps_max = job->steps_max;
    piece->bailout = spec->bailout;
    piece->rounding = fp64 ? (float)TRAP_ROUNDING_FP64 : (float)TRAP_ROUNDING_FP32;
    piece->margin = fp64 ? INTERIOR_MARGIN_FP64 : INTERIOR_MARGIN_FP32;
    piece->fraction_offset = fraction_offset(spec->bailout);
    piece->shortcuts = spec->shortcuts == SHORTCUTS_ON;
    piece->count_bytes = spec->count_bytes;
    piece->squares_in_row = (place->width + SQUARE_PX - 1) / SQUARE_PX;
    piece->square_rows = (place->height + SQUARE_PX - 1) / SQUARE_PX;
    piece->square_steps = piece->soon_steps = 0;
    piece->formula = spec->formula;
    if (piece->shortcuts && spec->formula.plane == PARAMETER_PLANE &&
        spec->limit >= PROOF_LIMIT) { /* proofs are about squares of c */
        int64_t affordable = job->budget / (8 * piece->squares_in_row * piece->square_rows);
        int64_t steps = SQUARE_STEPS;
        steps = steps < spec->limit ? steps : spec->limit;
        piece->square_steps = (int)(steps < affordable ? steps : affordable);
        piece->soon_steps = piece->square_steps < SOON_STEPS ? piece->square_steps : SOON_STEPS;
    }
    piece->count = device->plane[PLANE_COUNT];
    piece->fraction = (float *)device->plane[PLANE_FRACTION];
}

/* Enqueues what comes before the first steps. Those wait for the proofs that are quick; the long
 * ones go on beside them. */
static enum status squares_enqueue(struct lane *lane, uint16_t *late, cudaEvent_t begin, int hurry)
{
    struct piece *piece = &lane->piece;
    struct launcher side = lane->launcher;
    side.stream = lane->side;
    if (!hurry)
        piece->soon_steps = piece->square_steps;
    piece->late = piece->soon_steps < piece->square_steps ? late : piece->period;
    if (piece->late == late) {
        TRY_CUDA(lane->lost, cudaStreamWaitEvent(side.stream, begin, 0));
        launch_squares_late(&side, piece);
        TRY_CUDA(lane->lost, cudaEventRecord(lane->late, side.stream));
    }
    const struct stage first = {FIRST_STEPS, 1, 0, 0};
    launch_batch(&lane->launcher, piece, first);
    if (piece->square_steps)
        launch_squares_soon(&lane->launcher, piece);
    TRY_CUDA(lane->lost, cudaGetLastError());
    lane->state = LANE_BEGUN;
    return STATUS_OK;
}

static enum status deep_enqueue(struct lane *lane, int first)
{
    launch_deep(&lane->deep, lane->deep_threads, first, lane->launcher.stream);
    TRY_CUDA(lane->lost, cudaGetLastError());
    TRY_CUDA(lane->lost, cudaEventRecord(lane->computed, lane->launcher.stream));
    lane->state = LANE_COMPUTING;
    return STATUS_OK;
}

/* Perturbation has walks in the place of the queues. */
static enum status deep_begin(struct lane *lane, const struct tile_job *job,
                              const struct layout *layout)
{
    struct deep_piece *deep = &lane->deep;
    char *memory = (char *)lane->memory;
    size_t walks = (layout->count - layout->queue[0][0]) / sizeof *deep->lanes;
    deep->scene = job->scene->scene;
    deep->blocks = job->scene->blocks;
    deep->grid = lane->piece.grid;
    deep->inside = deep->scene.inside ? (uint8_t *)memory + layout->inside : NULL;
    deep->squares_in_row = lane->piece.squares_in_row;
    deep->squares = lane->piece.squares_in_row * lane->piece.square_rows;
    deep->fraction_offset = lane->piece.fraction_offset;
    deep->count_bytes = lane->piece.count_bytes;
    deep->count = lane->piece.count;
    deep->fraction = lane->piece.fraction;
    deep->distance_x = (float *)lane->device.plane[PLANE_DISTANCE_X];
    deep->distance_y = (float *)lane->device.plane[PLANE_DISTANCE_Y];
    deep->phase = (float *)lane->device.plane[PLANE_PHASE];
    deep->lanes = (struct deep_lane *)(memory + layout->queue[0][0]);
    deep->progress = (struct deep_progress *)lane->piece.batch;
    deep->report = (struct deep_progress *)lane->report;
    deep->slice_ns = job->slice_ns;
    deep->stop = lane->piece.stop;
    deep->host_stop = lane->piece.host_stop;
    unsigned threads = deep_threads(deep, lane->launcher.units), most = (unsigned)(walks / 2);
    lane->deep_threads = threads < most ? threads : most / DEEP_THREADS * DEEP_THREADS;
    deep->queue = deep->lanes + lane->deep_threads;
    deep->queue_room = (uint32_t)walks - lane->deep_threads;
    return deep_enqueue(lane, 1);
}

/* The piece's pixels in the device's memory. Perturbation, whose pieces leave three eighths of a
 * lane's pixels, has all planes where others have two of them and the squares; direct iteration has
 * those that come last where the queues were. */
static struct field device_field(const struct lane *lane, const struct tile_job *job,
                                 const struct layout *layout)
{
    struct field field;
    memset(&field, 0, sizeof field);
    field.width = field.stride = lane->place.width;
    field.height = lane->place.height;
    field.planes = job->out->planes;
    field.count_bytes = job->out->count_bytes;
    size_t pixels = (size_t)field.width * (size_t)field.height, end = layout->count;
    for (int p = 0; p < PLANES; p++) {
        if (p == PLANE_DISTANCE_X && !job->scene)
            end = layout->queue[0][0];
        if (field.planes & 1u << p) {
            size_t bytes = element_bytes(plane_element((enum plane)p, field.count_bytes));
            field.plane[p] = (char *)lane->memory + take(&end, pixels * bytes);
        }
    }
    return field;
}

enum status lane_begin(struct lane *lane, struct tile_job *job, const struct rectangle *place,
                       const struct lane_stop *stop, int hurry)
{
    const struct layout l = layout_of(lane->pixels);
    lane->place = *place;
    lane->device = device_field(lane, job, &l);
    lane->slope_threads = 0;
    lane->piece.stop = stop->device;
    lane->piece.host_stop = stop->host;
    lane->piece.report = lane->report;
    lane->launcher.number = job->spec->number;
    piece_describe(&lane->piece, job, place, &lane->device);
    if (job->scene)
        return deep_begin(lane, job, &l);
    return squares_enqueue(lane, (uint16_t *)((char *)lane->memory + l.late), job->begin, hurry);
}

/* The piece's pixels in its pinned block, and at home. */
static struct field staging_field(const struct lane *lane, const struct tile_job *job)
{
    struct field field;
    field_over(&field, lane->place.width, lane->place.height, job->out->planes,
               job->out->count_bytes, lane->staging);
    return field;
}

static struct field home_field(const struct lane *lane, const struct tile_job *job)
{
    const struct rectangle *place = &lane->place;
    return field_window(job->out, place->x, place->y, place->width, place->height);
}

/* A pinned block for a piece with the planes of this job, as large as the lane takes pieces. */
static enum status staging_fit(struct lane *lane, const struct field *out)
{
    size_t bytes = lane->pixels * planes_bytes(out->planes, out->count_bytes);
    if (lane->staging_bytes >= bytes)
        return STATUS_OK;
    if (lane->staging)
        TRY_CUDA(lane->lost, cudaFreeHost(lane->staging));
    lane->staging = NULL;
    lane->staging_bytes = 0;
    TRY_CUDA(lane->lost, cudaMallocHost(&lane->staging, bytes));
    lane->staging_bytes = bytes;
    return STATUS_OK;
}

/* The copy home, and before it what only needs to know which pixels do not escape. */
static enum status copy_enqueue(struct lane *lane, const struct tile_job *job)
{
    if (job->spec->planes & PLANE_MASK_ATTRACTOR)
        launch_attractors(&lane->piece, (float *)lane->device.plane[PLANE_PERIOD],
                          (float *)lane->device.plane[PLANE_INSIDE], lane->launcher.units,
                          lane->launcher.stream);
    TRY_CUDA(lane->lost, cudaGetLastError());
    if (job->pageable)
        TRY(staging_fit(lane, job->out));
    struct field to = job->pageable ? staging_field(lane, job) : home_field(lane, job);
    for (int p = 0; p < PLANES; p++)
        if (to.plane[p])
            TRY_CUDA(lane->lost,
                     cuda_plane_copy(&to, &lane->device, (enum plane)p, lane->launcher.stream));
    TRY_CUDA(lane->lost, cudaEventRecord(lane->copied, lane->launcher.stream));
    lane->state = LANE_COPYING;
    return STATUS_OK;
}

/* From the pinned block to the pageable field. */
static void unstage(const struct lane *lane, const struct tile_job *job)
{
    struct field to = home_field(lane, job), from = staging_field(lane, job);
    field_copy(&to, &from);
}

/* Has the event come? */
static enum status reached(struct lane *lane, cudaEvent_t event, int *yes)
{
    cudaError_t answer = cudaEventQuery(event);
    *yes = answer != cudaErrorNotReady;
    return *yes ? cuda_check(lane->lost, answer, "cudaEventQuery") : STATUS_OK;
}

/* A slice has ended: another one, or the copy. */
static enum status slice_finish(struct lane *lane, struct tile_job *job)
{
    const struct deep_progress *report = lane->deep.report;
    if (report->left)
        return deep_enqueue(lane, 0);
    job->iterations += report->steps;
    return copy_enqueue(lane, job);
}

/* A launch for the slopes of a piece whose counts are known; the first describes it. Orbits lie in
 * the place of the queues, behind the planes. */
static enum status slopes_enqueue(struct lane *lane, const struct tile_job *job)
{
    const struct layout l = layout_of(lane->pixels);
    struct slope_piece *slope = &lane->slope;
    int first = !lane->slope_threads;
    if (first) {
        size_t pixels = (size_t)lane->place.width * (size_t)lane->place.height;
        size_t end = l.queue[0][0];
        for (int p = PLANE_DISTANCE_X; p < PLANES; p++)
            take(&end, lane->device.plane[p] ? pixels * sizeof(float) : 0);
        slope->piece = lane->piece;
        slope->distance_x = (float *)lane->device.plane[PLANE_DISTANCE_X];
        slope->distance_y = (float *)lane->device.plane[PLANE_DISTANCE_Y];
        slope->phase = (float *)lane->device.plane[PLANE_PHASE];
        slope->lanes = (struct slope_lane *)((char *)lane->memory + end);
        slope->progress = (struct slope_progress *)lane->piece.batch;
        slope->report = (struct slope_progress *)lane->report;
        slope->slice_ns = job->slice_ns;
        unsigned threads = slope_threads(slope, lane->launcher.units);
        unsigned most = (unsigned)((l.count - end) / sizeof *slope->lanes);
        lane->slope_threads = threads < most ? threads : most / SLOPE_THREADS * SLOPE_THREADS;
    }
    launch_slopes(slope, lane->slope_threads, first, lane->launcher.stream);
    TRY_CUDA(lane->lost, cudaGetLastError());
    TRY_CUDA(lane->lost, cudaEventRecord(lane->computed, lane->launcher.stream));
    lane->state = LANE_COMPUTING;
    return STATUS_OK;
}

/* A batch has ended: another one, the slopes, or the copy. */
static enum status batch_finish(struct lane *lane, struct tile_job *job)
{
    float ms = 0;
    TRY_CUDA(lane->lost, cudaEventElapsedTime(&ms, job->begin, lane->computed));
    job->kernel_s = ms * 1e-3 > job->kernel_s ? ms * 1e-3 : job->kernel_s;
    if (job->scene)
        return slice_finish(lane, job);
    if (lane->slope_threads)
        return lane->slope.report->left ? slopes_enqueue(lane, job) : copy_enqueue(lane, job);
    struct stage rest = lane->report->stage[lane->stages];
    job->iterations += lane->report->iterations;
    if (!rest.count)
        return job->spec->planes & PLANE_MASK_END ? slopes_enqueue(lane, job)
                                                  : copy_enqueue(lane, job);
    rest.taken = 0;
    launch_batch(&lane->launcher, &lane->piece, rest);
    return rounds_enqueue(lane, rest.age);
}

enum status lane_advance(struct lane *lane, struct tile_job *job, int *moved)
{
    int yes = 0;
    if (lane->state == LANE_BEGUN) {
        launch_first(&lane->launcher, &lane->piece);
        TRY(rounds_enqueue(lane, FIRST_STEPS));
        yes = 1;
    } else if (lane->state == LANE_COMPUTING) {
        TRY(reached(lane, lane->computed, &yes));
        if (yes)
            TRY(batch_finish(lane, job));
    } else if (lane->state == LANE_COPYING) {
        TRY(reached(lane, lane->copied, &yes));
        if (yes && job->pageable)
            unstage(lane, job);
        if (yes)
            lane->state = LANE_IDLE;
    }
    *moved |= yes;
    return STATUS_OK;
}

void lane_wait(struct lane *lane)
{
    cudaStreamSynchronize(lane->launcher.stream);
    cudaStreamSynchronize(lane->side);
}
