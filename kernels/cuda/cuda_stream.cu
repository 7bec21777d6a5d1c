#include "kernels/cuda/cuda_stream.h"

#include <string.h>

#include "kernels/cuda/cuda_attractors.h"
#include "kernels/cuda/cuda_calls.h"
#include "kernels/cuda/cuda_copy.h"
#include "kernels/cuda/cuda_own.h"
#include "kernels/deep/inside.h"
#include "kernels/escape/fraction.h"
#include "kernels/escape/interior.h"
#include "kernels/escape/pixel.h"
#include "kernels/escape/return_map.h"
#include "kernels/escape/trap.h"

enum {
    SQUARE_STEPS = 4096, /* steps of a square's orbit, for a proof */
    SOON_STEPS = 1024,   /* steps that are enough for five of six squares */
    PROOF_LIMIT = 256,   /* below this limit proofs cost more than they save */
    RETURN_LIMIT = 65536 /* below this limit proofs of return_map.h cost more than they save */
};

static_assert(sizeof(struct deep_progress) <= sizeof(struct batch), "they share memory");
static_assert(sizeof(struct formula_progress) <= sizeof(struct batch), "they share memory");
static_assert((int)SQUARE_PX == (int)INSIDE_PX, "both kinds of pictures cut pieces alike");
static_assert((int)SOON_STEPS >= (int)FIRST_STEPS,
              "late proofs are waited for at the first sort, so there is one");

/* Offsets in a stream's memory, each aligned for the device. */
struct stream_layout {
    size_t queue[2][4];
    size_t count, fraction, period, late, inside, batch, end;
};

static struct stream_layout layout_of(size_t pixels)
{
    struct stream_layout l;
    l.end = 0;
    for (int q = 0; q < 2; q++)
        for (int array = 0; array < 4; array++)
            l.queue[q][array] = cuda_memory_take(&l.end, pixels * (array < 2 ? 8 : 4));
    l.count = cuda_memory_take(&l.end, pixels * sizeof(uint64_t));
    l.fraction = cuda_memory_take(&l.end, pixels * sizeof(float));
    /* One for a square; pieces may be one pixel wide. */
    l.period = cuda_memory_take(&l.end, pixels * sizeof(uint16_t));
    l.late = cuda_memory_take(&l.end, pixels * sizeof(uint16_t));
    l.inside = cuda_memory_take(&l.end, pixels);
    l.batch = cuda_memory_take(&l.end, sizeof(struct batch));
    return l;
}

size_t stream_bytes(size_t pixels)
{
    return layout_of(pixels).end;
}

static void queue_lay_out(struct pixel_queue *queue, char *memory, const size_t offset[4])
{
    queue->x = memory + offset[0];
    queue->y = memory + offset[1];
    queue->at = (uint32_t *)(memory + offset[2]);
    queue->left = (int32_t *)(memory + offset[3]);
}

enum status stream_open(struct stream *stream, size_t pixels, int units, int priority,
                        volatile int *lost)
{
    int lowest = 0, highest = 0; /* a higher priority is a smaller number */
    stream->lost = lost;
    stream->pixels = pixels;
    stream->launcher.units = units;
    struct stream_layout l = layout_of(pixels);
    TRY_CUDA(lost, cudaMalloc(&stream->memory, l.end));
    TRY_CUDA(lost, cudaMallocHost((void **)&stream->report, sizeof *stream->report));
    TRY_CUDA(lost, cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    TRY_CUDA(lost, cudaStreamCreateWithPriority(&stream->launcher.stream, cudaStreamNonBlocking,
                                                priority));
    TRY_CUDA(lost, cudaStreamCreateWithPriority(&stream->side, cudaStreamNonBlocking, highest));
    TRY_CUDA(lost, cudaEventCreateWithFlags(&stream->late, cudaEventDisableTiming));
    TRY_CUDA(lost, cudaEventCreate(&stream->computed));
    TRY_CUDA(lost, cudaEventCreateWithFlags(&stream->copied, cudaEventDisableTiming));
    char *memory = (char *)stream->memory;
    for (int q = 0; q < 2; q++)
        queue_lay_out(&stream->piece.queue[q], memory, l.queue[q]);
    stream->piece.period = (uint16_t *)(memory + l.period);
    stream->piece.batch = (struct batch *)(memory + l.batch);
    return STATUS_OK;
}

void stream_close(struct stream *stream)
{
    cudaFree(stream->memory);
    cudaFreeHost(stream->report);
    cudaFreeHost(stream->staging);
    if (stream->computed)
        cudaEventDestroy(stream->computed);
    if (stream->copied)
        cudaEventDestroy(stream->copied);
    if (stream->late)
        cudaEventDestroy(stream->late);
    if (stream->launcher.stream)
        cudaStreamDestroy(stream->launcher.stream);
    if (stream->side)
        cudaStreamDestroy(stream->side);
    memset(stream, 0, sizeof *stream);
}

/* Called after a launch has been enqueued. */
static enum status launch_finish(struct stream *stream)
{
    TRY_CUDA(stream->lost, cudaGetLastError());
    TRY_CUDA(stream->lost, cudaEventRecord(stream->computed, stream->launcher.stream));
    stream->state = STREAM_COMPUTING;
    return STATUS_OK;
}

/* Enqueues rounds until no pixel can be left, or as many as a batch holds. */
static enum status rounds_enqueue(struct stream *stream, int64_t age)
{
    struct piece *piece = &stream->piece;
    const struct launcher *launcher = &stream->launcher;
    uint32_t pixels = (uint32_t)(stream->area.width * stream->area.height);
    int stage = 0;
    for (; stage < STAGES && age < piece->limit; stage++) {
        launch_round(launcher, piece, stage);
        if (stage == 0 && piece->late != piece->period)
            TRY_CUDA(stream->lost, cudaStreamWaitEvent(launcher->stream, stream->late, 0));
        if (age == FIRST_STEPS && piece->maps)
            launch_returns(launcher, piece, stage);
        launch_sort(launcher, piece, stage);
        age = round_end(piece, age, pixels);
    }
    stream->stages = stage;
    launch_report(launcher, piece);
    return launch_finish(stream);
}

static void piece_describe(struct piece *piece, const struct tile_job *job,
                           const struct rectangle *area, const struct field *device)
{
    const struct spec *spec = job->spec;
    static const double rounding[NUMBERS] = {TRAP_ROUNDING_FP32, TRAP_ROUNDING_FP64,
                                             TRAP_ROUNDING_DS}; /* by enum number */
    static const double margin[NUMBERS] = {INTERIOR_MARGIN_FP32, INTERIOR_MARGIN_FP64,
                                           INTERIOR_MARGIN_DS};
    piece->grid = *job->grid;
    piece->grid.x += area->x;
    piece->grid.y = pixel_row(job->grid, area->y); /* the beginning of a band */
    piece->grid.width = area->width;
    piece->grid.height = area->height;
    piece->limit = spec->limit;
    piece->budget = job->budget;
    piece->steps_max = job->steps_max;
    piece->bailout = spec->bailout;
    piece->rounding = (float)rounding[spec->number];
    piece->margin = margin[spec->number];
    piece->fraction_offset = fraction_offset(spec->bailout);
    piece->shortcuts = spec->shortcuts == SHORTCUTS_ON;
    piece->count_bytes = spec->count_bytes;
    piece->squares_in_row = (area->width + SQUARE_PX - 1) / SQUARE_PX;
    piece->square_rows = (area->height + SQUARE_PX - 1) / SQUARE_PX;
    piece->square_steps = piece->soon_steps = 0;
    piece->formula = spec->formula;
    if (piece->shortcuts && formula_mandelbrot(&spec->formula) &&
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

/* Room for maps of returns, where they pay: not for squares of few pixels. */
static struct return_map *maps_room(const struct stream *stream, const struct tile_job *job,
                                    const struct stream_layout *layout)
{
    const struct piece *piece = &stream->piece;
    size_t squares = (size_t)piece->squares_in_row * (size_t)piece->square_rows;
    int pays = piece->square_steps && job->spec->number == NUMBER_FP64 &&
               piece->limit >= RETURN_LIMIT && !job->grid->cells;
    if (!pays || squares * sizeof *piece->maps > stream->pixels)
        return NULL;
    return (struct return_map *)((char *)stream->memory + layout->inside);
}

/* Enqueues the proofs of squares. The first steps wait for quick ones; the long ones go on beside
 * them. */
static enum status squares_enqueue(struct stream *stream, uint16_t *late, cudaEvent_t begin,
                                   int hurry)
{
    struct piece *piece = &stream->piece;
    struct launcher side = stream->launcher;
    side.stream = stream->side;
    if (!hurry)
        piece->soon_steps = piece->square_steps;
    piece->late = piece->soon_steps < piece->square_steps ? late : piece->period;
    if (piece->late == late) {
        TRY_CUDA(stream->lost, cudaStreamWaitEvent(side.stream, begin, 0));
        launch_squares_late(&side, piece);
        TRY_CUDA(stream->lost, cudaEventRecord(stream->late, side.stream));
    }
    const struct stage first = {FIRST_STEPS, 1, 0, 0};
    launch_batch(&stream->launcher, piece, first);
    if (piece->square_steps)
        launch_squares_soon(&stream->launcher, piece);
    TRY_CUDA(stream->lost, cudaGetLastError());
    stream->state = STREAM_BEGUN;
    return STATUS_OK;
}

static enum status deep_enqueue(struct stream *stream, int first)
{
    launch_deep(&stream->deep, stream->deep_threads, first, stream->launcher.stream);
    return launch_finish(stream);
}

/* Begins a piece by perturbation, whose pixels lie in the memory of the queues. */
static enum status deep_begin(struct stream *stream, const struct tile_job *job,
                              const struct stream_layout *layout)
{
    struct deep_piece *deep = &stream->deep;
    char *memory = (char *)stream->memory;
    deep->common = job->reference->common;
    deep->common_f32 = job->reference->common_f32;
    deep->formula = job->reference->formula_on_device;
    deep->formula_f32 = job->reference->formula_f32_on_device;
    deep->newton = job->reference->newton_on_device;
    deep->henon = job->reference->henon_on_device;
    deep->kind = job->reference->kind;
    deep->blocks = job->reference->blocks;
    deep->grid = stream->piece.grid;
    deep->inside =
        deep->common.inside && !deep->formula ? (uint8_t *)memory + layout->inside : NULL;
    deep->squares_in_row = stream->piece.squares_in_row;
    deep->squares = stream->piece.squares_in_row * stream->piece.square_rows;
    deep->fraction_offset = stream->piece.fraction_offset;
    deep->is_own = job->reference->is_own;
    if (deep->formula) {
        const struct formula_common *formula = job->reference->formula;
        deep->fraction_scale = formula->constants[0].fraction;
        deep->folds = deep_folds(&formula->program, formula->constants);
    }
    deep->count_bytes = stream->piece.count_bytes;
    deep->count = stream->piece.count;
    deep->fraction = stream->piece.fraction;
    deep->distance_x = (float *)stream->device.plane[PLANE_DISTANCE_X];
    deep->distance_y = (float *)stream->device.plane[PLANE_DISTANCE_Y];
    deep->phase = (float *)stream->device.plane[PLANE_PHASE];
    deep->lanes = memory + layout->queue[0][0];
    deep->progress = (struct deep_progress *)stream->piece.batch;
    deep->report = (struct deep_progress *)stream->report;
    deep->slice_ns = job->slice_ns;
    deep->stop = stream->piece.stop;
    deep->host_stop = stream->piece.host_stop;
    deep->sums = 0;
    deep->rule = f64x1_orbit_rule_of(job->spec);
    for (int p = 0; p < ORBIT_PLANES; p++)
        deep->orbit[p] = (float *)stream->device.plane[PLANE_STRIPE + p];
    size_t lane_bytes = deep_lane_bytes(deep);
    size_t pixels = (layout->count - layout->queue[0][0]) / lane_bytes;
    unsigned threads = deep_threads(deep, stream->launcher.units), most = (unsigned)(pixels / 2);
    stream->deep_threads = threads < most ? threads : most / DEEP_THREADS * DEEP_THREADS;
    deep->queue = memory + layout->queue[0][0] + stream->deep_threads * lane_bytes;
    deep->queue_room = (uint32_t)pixels - stream->deep_threads;
    return deep_enqueue(stream, 1);
}

/* Room for orbits: the memory of the queues, behind the planes. Returns its bytes. */
static size_t orbits_room(const struct stream *stream, void **memory)
{
    const struct stream_layout l = layout_of(stream->pixels);
    size_t pixels = (size_t)stream->area.width * (size_t)stream->area.height;
    size_t end = l.queue[0][0];
    for (int p = PLANE_DISTANCE_X; p < PLANES; p++)
        cuda_memory_take(&end, stream->device.plane[p] ? pixels * sizeof(float) : 0);
    *memory = (char *)stream->memory + end;
    return l.count - end;
}

/* Threads that the piece wants, as far as there is room for their orbits. */
static unsigned orbits_threads(const struct stream *stream, size_t room, size_t lane_bytes)
{
    unsigned threads = formula_threads(&stream->piece, stream->launcher.units);
    unsigned most = (unsigned)(room / lane_bytes);
    return threads < most ? threads : most / FORMULA_THREADS * FORMULA_THREADS;
}

/* Enqueues a launch of a formula that divides or converges, which has one pass. */
static enum status rational_enqueue(struct stream *stream, const struct tile_job *job, int first)
{
    struct rational_piece *work = &stream->rational;
    if (first) {
        const struct rational_kind *kind = rational_kind(&job->spec->formula);
        void *memory;
        size_t room = orbits_room(stream, &memory);
        work->piece = stream->piece;
        work->rule = kind->rule;
        work->begins = kind->begins;
        work->distance_x = (float *)stream->device.plane[PLANE_DISTANCE_X];
        work->distance_y = (float *)stream->device.plane[PLANE_DISTANCE_Y];
        work->phase = (float *)stream->device.plane[PLANE_PHASE];
        work->lanes = (struct rational_lane *)memory;
        work->progress = (struct formula_progress *)stream->piece.batch;
        work->report = (struct formula_progress *)stream->report;
        work->slice_ns = job->slice_ns;
        stream->formula_threads = orbits_threads(stream, room, sizeof *work->lanes);
    }
    launch_rational(work, stream->formula_threads, first, stream->launcher.stream);
    return launch_finish(stream);
}

/* Enqueues a launch of a pass of any formula but z^2 + c; the first describes it. */
static enum status formula_enqueue(struct stream *stream, const struct tile_job *job,
                                   enum formula_pass pass, int first)
{
    struct formula_piece *work = &stream->formula;
    stream->pass = pass;
    if (first) {
        void *memory;
        size_t room = orbits_room(stream, &memory);
        work->piece = stream->piece;
        cuda_own_describe(work, job->spec);
        work->distance_x = (float *)stream->device.plane[PLANE_DISTANCE_X];
        work->distance_y = (float *)stream->device.plane[PLANE_DISTANCE_Y];
        work->phase = (float *)stream->device.plane[PLANE_PHASE];
        work->lanes = (struct formula_lane *)memory;
        work->progress = (struct formula_progress *)stream->piece.batch;
        work->report = (struct formula_progress *)stream->report;
        work->slice_ns = job->slice_ns;
        stream->formula_threads = orbits_threads(stream, room, sizeof *work->lanes);
    }
    launch_formula(work, pass, stream->formula_threads, first, stream->launcher.stream);
    return launch_finish(stream);
}

/* The piece's pixels in the device's memory. Perturbation, whose pieces leave three eighths of a
 * stream's pixels, and more with sums along orbits, has all planes where others have two of them
 * and the squares; direct iteration has the last planes in the memory of the queues. */
static struct field device_field(const struct stream *stream, const struct tile_job *job,
                                 const struct stream_layout *layout)
{
    struct field field;
    memset(&field, 0, sizeof field);
    field.width = field.stride = stream->area.width;
    field.height = stream->area.height;
    field.planes = job->out->planes;
    field.count_bytes = job->out->count_bytes;
    size_t pixels = (size_t)field.width * (size_t)field.height, end = layout->count;
    for (int p = 0; p < PLANES; p++) {
        if (p == PLANE_DISTANCE_X && !job->reference)
            end = layout->queue[0][0];
        if (field.planes & 1u << p) {
            size_t bytes = element_bytes(plane_element((enum plane)p, field.count_bytes));
            field.plane[p] = (char *)stream->memory + cuda_memory_take(&end, pixels * bytes);
        }
    }
    return field;
}

enum status stream_begin(struct stream *stream, struct tile_job *job, const struct rectangle *area,
                         const struct stream_stop *stop, int hurry)
{
    const struct stream_layout l = layout_of(stream->pixels);
    stream->area = *area;
    stream->device = device_field(stream, job, &l);
    stream->slope_threads = stream->sums_threads = 0;
    stream->piece.stop = stop->device;
    stream->piece.host_stop = stop->host;
    stream->piece.report = stream->report;
    stream->launcher.number = job->spec->number;
    piece_describe(&stream->piece, job, area, &stream->device);
    stream->piece.maps = maps_room(stream, job, &l);
    if (job->reference)
        return deep_begin(stream, job, &l);
    if (formula_rational(&job->spec->formula))
        return rational_enqueue(stream, job, 1);
    if (!formula_quadratic(&job->spec->formula))
        return formula_enqueue(stream, job, FORMULA_COUNTS, 1);
    return squares_enqueue(stream, (uint16_t *)((char *)stream->memory + l.late), job->begin,
                           hurry);
}

static struct field staging_field(const struct stream *stream, const struct tile_job *job)
{
    struct field field;
    field_over(&field, stream->area.width, stream->area.height, job->out->planes,
               job->out->count_bytes, stream->staging);
    return field;
}

static struct field host_field(const struct stream *stream, const struct tile_job *job)
{
    const struct rectangle *area = &stream->area;
    return field_window(job->out, area->x, area->y, area->width, area->height);
}

/* Makes a pinned buffer for the largest piece with the planes of this job. */
static enum status staging_fit(struct stream *stream, const struct field *out)
{
    size_t bytes = stream->pixels * planes_bytes(out->planes, out->count_bytes);
    if (stream->staging_bytes >= bytes)
        return STATUS_OK;
    if (stream->staging)
        TRY_CUDA(stream->lost, cudaFreeHost(stream->staging));
    stream->staging = NULL;
    stream->staging_bytes = 0;
    TRY_CUDA(stream->lost, cudaMallocHost(&stream->staging, bytes));
    stream->staging_bytes = bytes;
    return STATUS_OK;
}

/* Enqueues the copy to the host, and before it attractors, which need only the counts. */
static enum status copy_enqueue(struct stream *stream, const struct tile_job *job)
{
    if (job->spec->planes & PLANE_MASK_ATTRACTOR)
        launch_attractors(&stream->piece, (float *)stream->device.plane[PLANE_PERIOD],
                          (float *)stream->device.plane[PLANE_INSIDE], stream->launcher.units,
                          stream->launcher.stream);
    TRY_CUDA(stream->lost, cudaGetLastError());
    if (job->pageable)
        TRY(staging_fit(stream, job->out));
    struct field to = job->pageable ? staging_field(stream, job) : host_field(stream, job);
    for (int p = 0; p < PLANES; p++)
        if (to.plane[p])
            TRY_CUDA(stream->lost,
                     cuda_plane_copy(&to, &stream->device, (enum plane)p, stream->launcher.stream));
    TRY_CUDA(stream->lost, cudaEventRecord(stream->copied, stream->launcher.stream));
    stream->state = STREAM_COPYING;
    return STATUS_OK;
}

static enum status reached(struct stream *stream, cudaEvent_t event, int *yes)
{
    cudaError_t answer = cudaEventQuery(event);
    *yes = answer != cudaErrorNotReady;
    return *yes ? cuda_check(stream->lost, answer, "cudaEventQuery") : STATUS_OK;
}

/* Called when a slice has ended: enqueues another one, sums along orbits, or the copy. */
static enum status slice_finish(struct stream *stream, struct tile_job *job)
{
    const struct deep_progress *report = stream->deep.report;
    if (report->left)
        return deep_enqueue(stream, 0);
    job->iterations += report->steps;
    if (!(job->spec->planes & PLANE_MASK_ORBIT) || stream->deep.sums)
        return copy_enqueue(stream, job);
    stream->deep.sums = 1;
    return deep_enqueue(stream, 1);
}

/* Describes what passes over sorted pixels have in common. *lanes: memory for orbits; returns how
 * many threads there may be. */
static unsigned sorted_describe(const struct stream *stream, const struct tile_job *job,
                                struct slope_piece *slope, size_t lane_bytes, void **lanes)
{
    void *memory;
    size_t pixels = (size_t)stream->area.width * (size_t)stream->area.height;
    size_t room = orbits_room(stream, &memory), end = 0;
    slope->sorted =
        (uint32_t *)((char *)memory + cuda_memory_take(&end, pixels * sizeof(uint32_t)));
    slope->bucket =
        (uint32_t *)((char *)memory + cuda_memory_take(&end, SLOPE_BUCKETS * sizeof(uint32_t)));
    slope->piece = stream->piece;
    slope->progress = (struct slope_progress *)stream->piece.batch;
    slope->report = (struct slope_progress *)stream->report;
    slope->slice_ns = job->slice_ns;
    *lanes = (char *)memory + end;
    unsigned threads = slope_threads(slope, stream->launcher.units);
    unsigned most = (unsigned)((room - end) / lane_bytes);
    return threads < most ? threads : most / SLOPE_THREADS * SLOPE_THREADS;
}

/* Enqueues a launch for sums along the orbits of a piece; the first describes it. */
static enum status sums_enqueue(struct stream *stream, const struct tile_job *job)
{
    struct sums_piece *sums = &stream->sums;
    int first = !stream->sums_threads;
    if (first) {
        void *lanes;
        void *const *plane = stream->device.plane;
        memset(&sums->sorted, 0, sizeof sums->sorted);
        stream->sums_threads =
            sorted_describe(stream, job, &sums->sorted, sizeof *sums->lanes, &lanes);
        sums->lanes = (struct sums_lane *)lanes;
        sums->rule = f64x1_orbit_rule_of(job->spec);
        sums->program.phases = 0;
        if (!formula_quadratic(&job->spec->formula))
            sums->program = cuda_program(job->spec, sums->scale);
        for (int p = 0; p < ORBIT_PLANES; p++)
            sums->orbit[p] = (float *)plane[PLANE_STRIPE + p];
    }
    launch_sums(sums, stream->sums_threads, first, stream->launcher.stream);
    return launch_finish(stream);
}

/* Enqueues a launch for the slopes of a piece; the first describes it. */
static enum status slopes_enqueue(struct stream *stream, const struct tile_job *job)
{
    struct slope_piece *slope = &stream->slope;
    int first = !stream->slope_threads;
    if (first) {
        void *lanes;
        stream->slope_threads = sorted_describe(stream, job, slope, sizeof *slope->lanes, &lanes);
        slope->lanes = (struct slope_lane *)lanes;
        slope->distance_x = (float *)stream->device.plane[PLANE_DISTANCE_X];
        slope->distance_y = (float *)stream->device.plane[PLANE_DISTANCE_Y];
        slope->phase = (float *)stream->device.plane[PLANE_PHASE];
    }
    launch_slopes(slope, stream->slope_threads, first, stream->launcher.stream);
    return launch_finish(stream);
}

/* Called when there are slopes, or none are wanted: enqueues sums along orbits, or the copy. */
static enum status slopes_finish(struct stream *stream, const struct tile_job *job)
{
    return job->spec->planes & PLANE_MASK_ORBIT ? sums_enqueue(stream, job)
                                                : copy_enqueue(stream, job);
}

/* Called when a slice of a pass has ended: enqueues another one, the other pass, or the copy. */
static enum status formula_finish(struct stream *stream, struct tile_job *job)
{
    const struct formula_progress *report = stream->formula.report;
    job->iterations += report->iterations;
    if (report->left)
        return formula_enqueue(stream, job, stream->pass, 0);
    if (stream->pass == FORMULA_COUNTS && job->spec->planes & PLANE_MASK_END)
        return formula_enqueue(stream, job, FORMULA_SLOPES, 1);
    return slopes_finish(stream, job);
}

static enum status rational_finish(struct stream *stream, struct tile_job *job)
{
    const struct formula_progress *report = stream->rational.report;
    job->iterations += report->iterations;
    return report->left ? rational_enqueue(stream, job, 0) : copy_enqueue(stream, job);
}

/* Called when a batch has ended: enqueues another one, the slopes, or the copy. */
static enum status batch_finish(struct stream *stream, struct tile_job *job)
{
    float ms = 0;
    TRY_CUDA(stream->lost, cudaEventElapsedTime(&ms, job->begin, stream->computed));
    job->kernel_s = ms * 1e-3 > job->kernel_s ? ms * 1e-3 : job->kernel_s;
    if (job->reference)
        return slice_finish(stream, job);
    if (formula_rational(&job->spec->formula))
        return rational_finish(stream, job);
    if (stream->sums_threads)
        return stream->sums.sorted.report->left ? sums_enqueue(stream, job)
                                                : copy_enqueue(stream, job);
    if (!formula_quadratic(&job->spec->formula))
        return formula_finish(stream, job);
    if (stream->slope_threads && stream->slope.report->left)
        return slopes_enqueue(stream, job);
    if (stream->slope_threads)
        return slopes_finish(stream, job);
    struct stage rest = stream->report->stage[stream->stages];
    job->iterations += stream->report->iterations;
    if (!rest.count)
        return job->spec->planes & PLANE_MASK_END ? slopes_enqueue(stream, job)
                                                  : slopes_finish(stream, job);
    rest.taken = 0;
    launch_batch(&stream->launcher, &stream->piece, rest);
    return rounds_enqueue(stream, rest.age);
}

enum status stream_advance(struct stream *stream, struct tile_job *job, int *moved)
{
    int yes = 0;
    if (stream->state == STREAM_BEGUN) {
        launch_first(&stream->launcher, &stream->piece);
        TRY(rounds_enqueue(stream, FIRST_STEPS));
        yes = 1;
    } else if (stream->state == STREAM_COMPUTING) {
        TRY(reached(stream, stream->computed, &yes));
        if (yes)
            TRY(batch_finish(stream, job));
    } else if (stream->state == STREAM_COPYING) {
        TRY(reached(stream, stream->copied, &yes));
        if (yes && job->pageable) {
            struct field to = host_field(stream, job), from = staging_field(stream, job);
            field_copy(&to, &from);
        }
        if (yes)
            stream->state = STREAM_IDLE;
    }
    *moved |= yes;
    return STATUS_OK;
}

void stream_wait(struct stream *stream)
{
    cudaStreamSynchronize(stream->launcher.stream);
    cudaStreamSynchronize(stream->side);
}
