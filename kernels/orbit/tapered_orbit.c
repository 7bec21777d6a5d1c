#include "kernels/orbit/tapered_orbit.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "kernels/orbit/nucleus.h"
#include "kernels/orbit/scaled.h"
#include "kernels/orbit/taper.h"
#include "kernels/stop.h"

enum {
    POINTS_FIRST = 1024,
    STEPS_PER_POLL = 8, /* between two polls of the clock */
    STEP_GUARD_BITS = 4,
    BITS_LEAST = 64 /* least bits of a point */
};
#define BATCH_S 0.004

static enum status array_grow(void **array, int64_t *capacity, size_t bytes, uint64_t bytes_max)
{
    int64_t more = *capacity ? 2 * *capacity : POINTS_FIRST;
    if (bytes_max && (uint64_t)more * bytes > bytes_max)
        return status_fail(STATUS_TOO_LARGE,
                           "an orbit of more than %lld steps would take more than %llu bytes",
                           (long long)*capacity, (unsigned long long)bytes_max);
    void *grown = realloc(*array, (size_t)more * bytes);
    if (!grown)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for an orbit of %lld steps",
                           (long long)more);
    *array = grown;
    *capacity = more;
    return STATUS_OK;
}

static enum status tiny_add(struct tapered_orbit *t, struct complex_scaled z)
{
    int more;
    if (t->orbit.tiny_count == t->tiny_capacity) {
        void *array = t->tiny;
        enum status status = array_grow(&array, &t->tiny_capacity, sizeof *t->tiny, 0);
        t->orbit.tiny = t->tiny = array;
        TRY(status);
    }
    frexp(fmax(fabs(z.x), fabs(z.y)), &more);
    bool zero = scaled_is_zero(z);
    t->tiny[t->orbit.tiny_count++] = (struct orbit_tiny){.index = t->orbit.length,
                                                         .exponent = zero ? 0 : z.e + more,
                                                         .x = zero ? 0 : ldexp(z.x, -more),
                                                         .y = zero ? 0 : ldexp(z.y, -more)};
    return STATUS_OK;
}

static enum status point_add(struct tapered_orbit *t, struct complex_scaled z, uint64_t bytes_max)
{
    struct orbit_point point = {scaled_x(z), scaled_y(z)};
    if (t->orbit.length == t->capacity) {
        void *array = t->point;
        enum status status = array_grow(&array, &t->capacity, sizeof *t->point, bytes_max);
        t->orbit.z = t->point = array;
        TRY(status);
    }
    if (t->orbit.length && fabs(point.x) < ORBIT_TINY && fabs(point.y) < ORBIT_TINY)
        TRY(tiny_add(t, z));
    t->point[t->orbit.length++] = point;
    return STATUS_OK;
}

struct tapered_walk {
    struct taper taper;
    struct nucleus disc;
    struct complex_scaled z, d; /* the last point, dz/dc */
    struct tapered_orbit *to;
    const struct orbit_options *options;
    int64_t limit;
};

/* Takes z_i to the next one. */
static enum status walk_step(struct tapered_walk *walk)
{
    walk->d = scaled_add(scaled_mul(scaled_times(walk->z, 2), walk->d), scaled_of(1, 0));
    TRY(taper_fit(&walk->taper, walk->d, BITS_LEAST));
    nucleus_error(&walk->disc, walk->taper.bits);
    nucleus_step_at(&walk->disc, walk->z);
    taper_step(&walk->taper);
    walk->z = taper_point(&walk->taper);
    return point_add(walk->to, walk->z, walk->options->bytes_max);
}

static enum orbit_end walk_end(const struct tapered_walk *walk)
{
    struct complex_scaled z = walk->z;
    if (nucleus_proven_at(&walk->disc, z))
        return ORBIT_NUCLEUS;
    bool escaped = z.e == 0 && z.x * z.x + z.y * z.y > FIXED_NORM_MAX;
    return escaped ? ORBIT_ESCAPED : ORBIT_LIMIT;
}

/* Takes steps for a few milliseconds. */
static enum status walk_batch(void *argument, struct team *team)
{
    struct tapered_walk *walk = argument;
    struct orbit *orbit = &walk->to->orbit;
    walk->taper.team = team;
    double until = omp_get_wtime() + BATCH_S;
    for (int i = 1; orbit->end == ORBIT_LIMIT && orbit->length - 1 < walk->limit &&
                    !stop_asked(walk->options->stop);
         i++) {
        TRY(walk_step(walk));
        orbit->end = walk_end(walk);
        if (i % STEPS_PER_POLL == 0 && omp_get_wtime() > until)
            break;
    }
    return STATUS_OK;
}

static enum status walk_on(struct tapered_walk *walk)
{
    struct orbit *orbit = &walk->to->orbit;
    const struct orbit_options *options = walk->options;
    int threads = options->threads > 0 ? options->threads : omp_get_max_threads();
    TRY(point_add(walk->to, walk->z, options->bytes_max));
    while (orbit->end == ORBIT_LIMIT && orbit->length - 1 < walk->limit) {
        if (stop_asked(options->stop))
            return status_fail(STATUS_STOPPED, "stopped after %lld of up to %lld steps of an orbit",
                               (long long)orbit->length - 1, (long long)walk->limit);
        TRY(taper_batch(&walk->taper, threads, walk_batch, walk));
        if (options->progress)
            options->progress(options->context, orbit->length - 1, walk->limit);
    }
    orbit->period = orbit->end == ORBIT_NUCLEUS ? orbit->length - 1 : 0;
    return STATUS_OK;
}

enum status tapered_orbit_make(struct tapered_orbit *tapered, mpfr_srcptr cx, mpfr_srcptr cy,
                               const struct orbit_options *options, int64_t limit)
{
    struct tapered_walk walk = {.z = scaled_of(0, 0),
                                .d = scaled_of(0, 0),
                                .to = tapered,
                                .options = options,
                                .limit = limit};
    double x = mpfr_get_d(cx, MPFR_RNDA), y = mpfr_get_d(cy, MPFR_RNDA);
    *tapered = (struct tapered_orbit){.orbit = {.bits = options->bits, .threads = 1}};
    if (!(x * x + y * y <= FIXED_NORM_MAX))
        return status_fail(STATUS_BAD_DATA, "the middle of the view is outside of |c| = 2.8, where "
                                            "every orbit escapes; move the set into the middle");
    long bits = options->bits + (long)log2((double)limit) + STEP_GUARD_BITS;
    enum status status = taper_create(&walk.taper, cx, cy, bits);
    nucleus_begin(&walk.disc, options->log2_disc, bits);
    if (status == STATUS_OK)
        status = walk_on(&walk);
    taper_destroy(&walk.taper);
    return status;
}

void tapered_orbit_free(struct tapered_orbit *tapered)
{
    free(tapered->point);
    free(tapered->tiny);
    *tapered = (struct tapered_orbit){.point = NULL};
}
