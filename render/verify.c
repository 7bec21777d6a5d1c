#include "render/verify.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "kernels/backend.h"
#include "kernels/escape/mandelbrot.h"
#include "kernels/escape/pixel.h"

enum { CANDIDATES = 8 /* looked at for every sample that is not just anywhere */ };

struct session {
    const struct picture *picture;
    const struct verify_hooks *hooks;
    struct view_numbers numbers;
    struct plan plan;
    struct spec spec; /* count and fraction */
    struct backend *backend;
    uint64_t random;
};

/* ---- which pixels? -------------------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea, Flood 2014): any seed will do, and it is the same everywhere. */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 ... below - 1 */
static int32_t random_below(uint64_t *state, int32_t below)
{
    return (int32_t)((random_next(state) >> 32) * (uint64_t)below >> 32);
}

/* One pixel in each of `count` cells of a grid over the picture. */
static void pixels_even(struct session *s, struct verify_sample *sample, int count)
{
    int32_t width = s->numbers.width, height = s->numbers.height;
    int columns = (int)ceil(sqrt((double)count * width / height));
    columns = columns < 1 ? 1 : columns > count ? count : columns;
    int rows = (count + columns - 1) / columns;
    for (int i = 0; i < count; i++) {
        int64_t cell = (int64_t)i * columns * rows / count; /* leaves no edge of the picture out */
        int64_t column = cell % columns, row = cell / columns;
        int32_t left = (int32_t)(column * width / columns);
        int32_t right = (int32_t)((column + 1) * width / columns);
        int32_t top = (int32_t)(row * height / rows);
        int32_t bottom = (int32_t)((row + 1) * height / rows);
        sample[i].x = left + random_below(&s->random, right > left ? right - left : 1);
        sample[i].y = top + random_below(&s->random, bottom > top ? bottom - top : 1);
    }
}

/* The kernel's field of a small rectangle of the picture. */
static enum status kernel_tile(struct session *s, int32_t x, int32_t y, int32_t width,
                               int32_t height, struct field *field)
{
    struct grid grid = view_grid(&s->numbers, x, y, width, height);
    struct backend_work work = {0};
    TRY(field_create(field, width, height, s->spec.planes, s->spec.count_bytes));
    enum status status = backend_compute(s->backend, &s->spec, &grid, field, &work);
    if (status != STATUS_OK)
        field_destroy(field);
    return status;
}

/* The continuous count; past every other for a pixel that did not escape. */
static double field_nu(const struct field *field, int32_t x, int32_t y)
{
    size_t index = (size_t)y * (size_t)field->width + (size_t)x;
    uint64_t count = field_count_at(field, index);
    return count ? (double)count + (double)((const float *)field->plane[PLANE_FRACTION])[index]
                 : 0x1p70;
}

/* How much the count changes from this pixel to the next; -1 for a pixel that did not escape. The
 * gradient of the continuous count is 2 / (ln 2 d), so where it is steep the set is near. */
static enum status pixel_steepness(struct session *s, int32_t x, int32_t y, double *steepness)
{
    int32_t width = x + 1 < s->numbers.width ? 2 : 1;
    int32_t height = y + 1 < s->numbers.height ? 2 : 1;
    struct field field;
    TRY(kernel_tile(s, x, y, width, height, &field));
    double here = field_nu(&field, 0, 0);
    double right = fabs(field_nu(&field, width - 1, 0) - here);
    double below = fabs(field_nu(&field, 0, height - 1) - here);
    *steepness = here < 0x1p69 ? fmax(right, below) : -1;
    field_destroy(&field);
    return STATUS_OK;
}

/* `count` times the steepest of a few pixels anywhere. */
static enum status pixels_steep(struct session *s, struct verify_sample *sample, int count)
{
    for (int i = 0; i < count; i++) {
        double steepest = -2;
        for (int k = 0; k < CANDIDATES; k++) {
            int32_t x = random_below(&s->random, s->numbers.width);
            int32_t y = random_below(&s->random, s->numbers.height);
            double steepness;
            TRY(pixel_steepness(s, x, y, &steepness));
            if (steepness <= steepest)
                continue;
            steepest = steepness;
            sample[i].x = x;
            sample[i].y = y;
        }
    }
    return STATUS_OK;
}

/* The kernel's count of one pixel. */
static enum status pixel_count(struct session *s, int32_t x, int32_t y, int64_t *count)
{
    struct field field;
    TRY(kernel_tile(s, x, y, 1, 1, &field));
    *count = (int64_t)field_count_at(&field, 0);
    field_destroy(&field);
    return STATUS_OK;
}

struct pixel {
    int32_t x, y;
};

/* A random pixel that escapes and one that does not; *found 0 if a few draws had not both. */
static enum status ends_draw(struct session *s, struct pixel end[2], int *found)
{
    int seen[2] = {0, 0};
    for (int k = 0; k < CANDIDATES && !(seen[0] && seen[1]); k++) {
        struct pixel pixel = {random_below(&s->random, s->numbers.width),
                              random_below(&s->random, s->numbers.height)};
        int64_t count;
        TRY(pixel_count(s, pixel.x, pixel.y, &count));
        end[count > 0] = pixel;
        seen[count > 0] = 1;
    }
    *found = seen[0] && seen[1];
    return STATUS_OK;
}

/* One of two neighbours of which the kernel lets one escape: halves the way between such a pair
 * until they touch. A faulty interior test is found here or nowhere. */
static enum status pixel_border(struct session *s, struct verify_sample *sample, int *found)
{
    struct pixel end[2];
    TRY(ends_draw(s, end, found));
    while (*found && (abs(end[0].x - end[1].x) > 1 || abs(end[0].y - end[1].y) > 1)) {
        struct pixel middle = {(end[0].x + end[1].x) / 2, (end[0].y + end[1].y) / 2};
        int64_t count;
        TRY(pixel_count(s, middle.x, middle.y, &count));
        end[count > 0] = middle;
    }
    if (*found) {
        struct pixel one = end[random_next(&s->random) >> 63];
        sample->x = one.x;
        sample->y = one.y;
    }
    return STATUS_OK;
}

/* Pixels on the border of what does not escape, or steep ones where there is none. */
static enum status pixels_border(struct session *s, struct verify_sample *sample, int count)
{
    for (int i = 0; i < count; i++) {
        int found;
        TRY(pixel_border(s, &sample[i], &found));
        if (!found)
            TRY(pixels_steep(s, &sample[i], 1));
    }
    return STATUS_OK;
}

/* ---- what do the kernels say? --------------------------------------------------------------- */

static enum status pixels_compute(struct session *s, struct verify_report *report)
{
    for (int i = 0; i < report->samples; i++) {
        struct verify_sample *sample = &report->sample[i];
        TRY(pixel_count(s, sample->x, sample->y, &sample->got));
    }
    return STATUS_OK;
}

struct replay {
    int64_t count;
    double z_re, z_im; /* z after `at` steps */
};

/* The kernels' arithmetic in a plain loop: the count, and z_at whether or not that is past the
 * escape. A state that comes back bit for bit never escapes (Brent's method finds it). */
#define REPLAY(p, real)                                                                        \
    static struct replay replay_##p(real cx, real cy, int64_t limit, real bailout, int64_t at) \
    {                                                                                          \
        struct replay replay = {0, 0, 0};                                                      \
        real x = 0, y = 0, kept_x = 0, kept_y = 0;                                             \
        int64_t keep_at = 64, most = limit;                                                    \
        for (int64_t n = 1; n <= most; n++) {                                                  \
            MANDELBROT_STEP(p, x, y, cx, cy);                                                  \
            if (n == at) {                                                                     \
                replay.z_re = (double)x;                                                       \
                replay.z_im = (double)y;                                                       \
            }                                                                                  \
            if (!replay.count && !(MANDELBROT_NORM(p, x, y) <= bailout * bailout)) {           \
                replay.count = n;                                                              \
                most = at;                                                                     \
            }                                                                                  \
            if (n > at && x == kept_x && y == kept_y)                                          \
                break;                                                                         \
            if (n == keep_at) {                                                                \
                kept_x = x;                                                                    \
                kept_y = y;                                                                    \
                keep_at *= 2;                                                                  \
            }                                                                                  \
        }                                                                                      \
        return replay;                                                                         \
    }

REPLAY(f64x1, double)
REPLAY(f32x1, float)

/* Replays the sample and compares z_n with the true one, n the true count. Beyond the distance to
 * the set dz/dc says nothing (the computed orbit may have left for infinity); then that is the
 * error. */
static void sample_replay(const struct session *s, struct verify_sample *sample)
{
    struct grid grid = view_grid(&s->numbers, sample->x, sample->y, 1, 1);
    const struct truth *truth = &sample->truth;
    double re, im;
    pixel_c(&grid, sample->x, sample->y, &re, &im);
    struct replay replay = s->spec.number == NUMBER_FP64
                               ? replay_f64x1(re, im, s->spec.limit, s->spec.bailout, truth->count)
                               : replay_f32x1((float)re, (float)im, s->spec.limit,
                                              (float)s->spec.bailout, truth->count);
    sample->replayed = replay.count;
    sample->error_px = 0;
    if (!truth->certified || !truth->count)
        return;
    double moved = hypot(replay.z_re - truth->z_re, replay.z_im - truth->z_im);
    double error_px = exp2(log2(moved) - truth->log2_dz - s->numbers.log2_step);
    sample->error_px = fmin(error_px, truth->distance_px); /* of NaN and a number: the number */
}

/* ---- what is true? -------------------------------------------------------------------------- */

/* Sentences belong to threads; this carries the first one over. */
struct failure {
    enum status status;
    char text[STATUS_TEXT_BYTES];
};

static void failure_note(struct failure *failure, enum status status)
{
    if (status == STATUS_OK || failure->status != STATUS_OK)
        return;
    failure->status = status;
    snprintf(failure->text, sizeof failure->text, "%s", status_text());
}

static int stop_asked(const struct session *s)
{
    return s->hooks->stop && __atomic_load_n(s->hooks->stop, __ATOMIC_RELAXED);
}

static enum status sample_prove(const struct session *s, struct verify_sample *sample)
{
    if (stop_asked(s))
        return status_fail(STATUS_STOPPED, "stopped on request while verifying");
    TRY(truth_pixel(&s->picture->view, sample->x, sample->y, s->spec.limit, s->spec.bailout,
                    &sample->truth));
    sample_replay(s, sample);
    return STATUS_OK;
}

static enum status pixels_prove(const struct session *s, struct verify_report *report)
{
    struct failure failure = {.status = STATUS_OK};
    int threads = s->picture->threads > 0 ? s->picture->threads : omp_get_max_threads();
    int done = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int i = 0; i < report->samples; i++) {
        enum status status = sample_prove(s, &report->sample[i]);
#pragma omp critical(verify_progress)
        {
            failure_note(&failure, status);
            done++;
            if (s->hooks->progress)
                s->hooks->progress(s->hooks->context, done, report->samples);
        }
    }
    return failure.status == STATUS_OK ? STATUS_OK
                                       : status_fail(failure.status, "%s", failure.text);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static enum status session_open(struct session *s, const struct picture *picture,
                                const struct verify_hooks *hooks, uint64_t seed)
{
    struct plan_inputs inputs;
    *s = (struct session){.picture = picture, .hooks = hooks, .random = seed};
    struct studio_facts facts = studio_facts_alone(picture->backend);
    TRY(picture_plan(picture, &facts, &inputs, &s->plan));
    if (s->plan.method != METHOD_DIRECT)
        return status_fail(
            STATUS_UNREACHABLE,
            "this view needs perturbation, and verify proves direct iteration, which "
            "ends at zoom 1e%.1f for pictures of this height",
            s->plan.log10_zoom_end);
    s->numbers = inputs.view;
    s->spec = (struct spec){.limit = picture->limit,
                            .bailout = picture->bailout,
                            .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                            .count_bytes = s->plan.count_bytes,
                            .number = s->plan.number,
                            .shortcuts = picture->shortcuts};
    /* The tiles are of one to four pixels: nothing to share, and threads would only wait. */
    struct backend_options options = {.threads = 1, .stop = hooks->stop};
    return backend_open(&s->backend, picture->backend, &options);
}

static enum status samples_take(struct session *s, struct verify_report *report)
{
    double begin = clock_s();
    int even = (report->samples + 1) / 2, steep = (report->samples - even) / 2;
    pixels_even(s, report->sample, even);
    TRY(pixels_steep(s, report->sample + even, steep));
    TRY(pixels_border(s, report->sample + even + steep, report->samples - even - steep));
    TRY(pixels_compute(s, report));
    report->kernel_s = clock_s() - begin;

    begin = clock_s();
    TRY(pixels_prove(s, report));
    report->truth_s = clock_s() - begin;
    return STATUS_OK;
}

static enum status report_begin(struct verify_report *report, const struct session *s,
                                const struct verify_options *options)
{
    int64_t pixels = (int64_t)s->numbers.width * s->numbers.height;
    report->samples = (int)(options->samples < pixels ? options->samples : pixels);
    report->number = s->plan.number;
    report->predicted_px = s->plan.error_px[s->plan.number];
    snprintf(report->backend, sizeof report->backend, "%s", backend_kind_of(s->backend)->name);
    report->sample = calloc((size_t)report->samples, sizeof *report->sample);
    return report->sample
               ? STATUS_OK
               : status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d samples", report->samples);
}

enum status verify_view(const struct picture *picture, const struct verify_options *options,
                        const struct verify_hooks *hooks, struct verify_report *report)
{
    static const struct verify_hooks no_hooks;
    struct session session;
    memset(report, 0, sizeof *report);
    enum status status = session_open(&session, picture, hooks ? hooks : &no_hooks, options->seed);
    if (status == STATUS_OK)
        status = report_begin(report, &session, options);
    if (status == STATUS_OK)
        status = samples_take(&session, report);
    backend_close(session.backend);
    TRY(status);
    verify_judge(report);
    if (report->complaint[0])
        return status_fail(STATUS_INTERNAL, "%s", report->complaint);
    return STATUS_OK;
}

void verify_report_destroy(struct verify_report *report)
{
    free(report->sample);
    report->sample = NULL;
    report->samples = 0;
}
