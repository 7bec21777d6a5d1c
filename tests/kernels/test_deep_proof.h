/* Are the counts of perturbation the true ones? Every sampled pixel is certified in MPFR with a
 * running error ball (render/truth/truth.h), which shares no arithmetic with the kernels.
 *
 * Rounding moves a pixel by E, its backward error. Lines between counts lie 0.35 distance
 * estimates apart, so a count differs with a probability of about 1.8 E / distance. More mismatches
 * than that, or one far from the set, are a bug. */
#ifndef TESTS_KERNELS_TEST_DEEP_PROOF_H
#define TESTS_KERNELS_TEST_DEEP_PROOF_H

#include <stdlib.h>

#include "render/plan/plan.h"
#include "tests/kernels/test_deep_fixture.h"

enum { SAMPLES_MOST = 128, WAYS = 4 };

/* Without blocks and with; epsilon 0: as the accuracy wants it. */
static const struct {
    struct deep_options options;
    double accuracy_px;
} ways[WAYS] = {
    {{.blocks = BLOCKS_NONE}, ACCURACY_EXACT_PX},
    {{.blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-53}, ACCURACY_EXACT_PX},
    {{.blocks = BLOCKS_QUARTIC}, ACCURACY_EXACT_PX},
    {{.blocks = BLOCKS_QUARTIC}, ACCURACY_DEFAULT_PX},
};

struct sample {
    int32_t x, y;
    struct truth truth;
    struct pixel_state pixel[WAYS];
    double error_px[WAYS]; /* 0: did not escape, or with another count */
};

static inline void sample_compute(const struct fixture *fixture, const struct deep deeps[WAYS],
                                  struct sample *sample)
{
    if (truth_pixel(&fixture->view, &fixture->spec.formula, sample->x, sample->y,
                    fixture->spec.limit, fixture->spec.bailout, NULL, &sample->truth) != STATUS_OK)
        sample->truth.certified = 0;
    for (int way = 0; way < WAYS; way++) {
        sample->pixel[way] = fixture_pixel(fixture, &deeps[way], sample->x, sample->y);
        bool same = sample->truth.count && sample->pixel[way].count == sample->truth.count;
        sample->error_px[way] =
            same ? fixture_error_px(fixture, &deeps[way], &sample->pixel[way], &sample->truth) : 0;
    }
}

struct spread {
    double median, p99;
};

static inline struct spread errors_spread(const struct sample *samples, int count, int way)
{
    double errors[SAMPLES_MOST];
    int known = 0;
    for (int i = 0; i < count; i++)
        if (samples[i].error_px[way] > 0)
            errors[known++] = samples[i].error_px[way];
    if (!known)
        return (struct spread){0, 0};
    qsort(errors, (size_t)known, sizeof *errors, compare_doubles);
    return (struct spread){errors[known / 2], errors[known * 99 / 100]};
}

/* The chance of so many or more events where `expected` are. */
static inline double poisson_tail(int events, double expected)
{
    double below = 0, term = exp(-expected);
    for (int k = 0; k < events; k++, term *= expected / k)
        below += term;
    return events == 0 ? 1 : 1 - below;
}

static inline void mismatches_judge(const char *name, const struct sample *samples, int count,
                                    int way, double median)
{
    int observed = 0;
    double expected = 0, far_px = fmax(0.01, 10 * ways[way].accuracy_px);
    for (int i = 0; i < count; i++) {
        const struct truth *truth = &samples[i].truth;
        if (truth->count)
            expected += fmin(1, 1.8 * median / truth->distance_px);
        if (samples[i].pixel[way].count == truth->count)
            continue;
        observed++;
        if (truth->count == 0 || truth->distance_px > far_px)
            fail_msg("%s, way %d: pixel (%d, %d) has count %lld instead of %lld, distance %g px",
                     name, way, samples[i].x, samples[i].y, (long long)samples[i].pixel[way].count,
                     (long long)truth->count, truth->distance_px);
    }
    printf("%s, way %d: %d of %d differ, %.3g expected; error median %.3g px\n", name, way,
           observed, count, expected, median);
    if (poisson_tail(observed, expected) < 1e-6)
        fail_msg("%s, way %d: %d mismatches, %g expected", name, way, observed, expected);
}

/* Distance, phase and fraction hold what the truth says, to what the backward error allows. */
static inline void planes_judge(const char *name, const struct pixel_common *common,
                                const struct sample *sample, int way)
{
    const struct truth *truth = &sample->truth;
    const struct pixel_state *pixel = &sample->pixel[way];
    double slack = 1e-6 + 100 * sample->error_px[way] / truth->distance_px;
    if (sample->error_px[way] == 0 || slack > 0.1)
        return;
    struct distance distance = pixel_distance(pixel, common);
    double z_rad = atan2(truth->z_im, truth->z_re);
    double angle = z_rad - truth->dz_rad - atan2(common->step.y, common->step.x);
    double x = distance.x / truth->distance_px, y = distance.y / truth->distance_px;
    if (!(hypot(x - cos(angle), y + sin(angle)) <= slack))
        fail_msg("%s, way %d: pixel (%d, %d) has distance (%.9g, %.9g) instead of (%.9g, %.9g), "
                 "+-%.2g, in units of %.9g px",
                 name, way, sample->x, sample->y, x, y, cos(angle), -sin(angle), slack,
                 truth->distance_px);
    double turned = pixel_phase(pixel, common) - z_rad / (2 * M_PI);
    if (!(fabs(turned - round(turned)) <= slack))
        fail_msg("%s, way %d: pixel (%d, %d) has phase %.9g instead of %.9g, +-%.2g", name, way,
                 sample->x, sample->y, pixel_phase(pixel, common), z_rad / (2 * M_PI), slack);
    /* nu = n + 1 - log2(ln|z| / ln R) */
    double fraction = fraction_of((float)pixel->norm, fraction_offset(1024));
    double wanted = 1 - log2(log(hypot(truth->z_re, truth->z_im)) / log(1024));
    if (!(fabs(fraction - wanted) <= 1e-6 + slack))
        fail_msg("%s, way %d: pixel (%d, %d) has fraction %.9g instead of %.9g", name, way,
                 sample->x, sample->y, fraction, wanted);
}

/* Of so many pixels, and at least of two: one in eight unless there is time. */
static inline void place_prove(const char *name, const struct fixture_wanted *wanted, int most)
{
    int count = check_long() ? most : 2 + most / 8;
    struct fixture fixture = fixture_open(wanted);
    struct deep deeps[WAYS];
    struct sample *samples = calloc((size_t)count, sizeof *samples);
    uint64_t seed = 20;
    for (int way = 0; way < WAYS; way++) {
        struct deep_options options = ways[way].options;
        if (options.epsilon == 0)
            options.epsilon = deep_epsilon(ways[way].accuracy_px, &fixture.grid);
        deeps[way] = fixture_deep(&fixture, &options);
    }
    for (int i = 0; i < count; i++) {
        samples[i].x = (int32_t)(check_random(&seed) % (uint64_t)wanted->width);
        samples[i].y = (int32_t)(check_random(&seed) % (uint64_t)wanted->height);
    }
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < count; i++)
        sample_compute(&fixture, deeps, &samples[i]);
    for (int i = 0; i < count; i++)
        if (!samples[i].truth.certified)
            fail_msg("%s: pixel (%d, %d) has no certified count", name, samples[i].x, samples[i].y);
    for (int way = 0; way < WAYS; way++) {
        struct spread spread = errors_spread(samples, count, way);
        mismatches_judge(name, samples, count, way, spread.median);
        for (int i = 0; i < count; i++)
            planes_judge(name, &deeps[way].common, &samples[i], way);
        if (spread.p99 > ways[way].accuracy_px)
            fail_msg("%s, way %d: backward error %g px (99 of 100 pixels)", name, way, spread.p99);
        deep_close(&deeps[way]);
    }
    free(samples);
    fixture_close(&fixture);
}

/* A place, at another zoom and limit if wanted. */
static inline void place_at(int place, const char *zoom, int64_t limit, int count)
{
    struct fixture_wanted wanted = wanted_place(place, 512, 288);
    wanted.zoom = zoom ? zoom : wanted.zoom;
    wanted.limit = limit ? limit : wanted.limit;
    wanted.rotation_deg = zoom ? 30 : 0;
    place_prove(wanted.zoom, &wanted, count);
}

#endif
