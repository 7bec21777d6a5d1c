#include "kernels/orbit/newton.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "kernels/orbit/nucleus.h"
#include "kernels/orbit/orbit.h"
#include "kernels/orbit/taper.h"
#include "kernels/stop.h"

enum {
    DOUBLE_BITS = 44,   /* exact bits of a derivative in doubles, after any number of steps */
    STEPS_PER_POLL = 8, /* between two polls of the clock */
    GUARD_BITS = 16,    /* added to log2 of an orbit's steps */
    PARALLEL_RATIO = 6, /* bits of an orbit with a team over those of derivatives, from which on
                           these are too little work for a thread */
    PASSES_MOST = 60,
    PASSES_UNSETTLED = 8, /* passes that may diverge */
    PASSES_FOR_PROOF = 3, /* passes made for a proof, which a disc too near to another root lacks */
    QUEUE_MOST = 4096,    /* steps that the orbit is ahead of the derivatives */
    QUEUE_BITS = 1 << 25  /* bits of the numbers in a queue */
};
#define BATCH_S 0.004

/* ---- the exact derivatives ---- */

struct slopes { /* dz/dc to `bits`, and half of d2z/dc2 to bend_bits, one step at a time */
    long bits, bend_bits;
    mpfr_t dx, dy, ex, ey;               /* derivatives of z_i */
    mpfr_t mdx, mdy, mex, mey;           /* derivatives of z_m */
    mpfr_t a, b, zx, zy, fx, fy, fa, fb; /* scratch, the latter for the second one */
};

static void slopes_begin(struct slopes *s, long bits, long bend_bits)
{
    s->bits = bits;
    s->bend_bits = bend_bits;
    mpfr_inits2(bits, s->dx, s->dy, s->mdx, s->mdy, s->a, s->b, (mpfr_ptr)0);
    mpfr_inits2(bend_bits, s->ex, s->ey, s->mex, s->mey, s->zx, s->zy, (mpfr_ptr)0);
    mpfr_inits2(bend_bits, s->fx, s->fy, s->fa, s->fb, (mpfr_ptr)0);
    mpfr_ptr const zero[] = {s->dx, s->dy, s->ex, s->ey, s->mdx, s->mdy, s->mex, s->mey};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        mpfr_set_zero(zero[i], 1);
}

static void slopes_end(struct slopes *s)
{
    mpfr_clears(s->dx, s->dy, s->ex, s->ey, s->mdx, s->mdy, s->mex, s->mey, (mpfr_ptr)0);
    mpfr_clears(s->a, s->b, s->zx, s->zy, s->fx, s->fy, s->fa, s->fb, (mpfr_ptr)0);
}

/* (x + i y) becomes (x + i y) (zx + i zy), by two scratch numbers. */
static void product(mpfr_ptr x, mpfr_ptr y, mpfr_srcptr zx, mpfr_srcptr zy, mpfr_ptr a, mpfr_ptr b)
{
    mpfr_mul(a, x, zy, MPFR_RNDN);
    mpfr_mul(b, y, zy, MPFR_RNDN);
    mpfr_mul(x, x, zx, MPFR_RNDN);
    mpfr_sub(x, x, b, MPFR_RNDN);
    mpfr_mul(b, y, zx, MPFR_RNDN);
    mpfr_add(y, a, b, MPFR_RNDN);
}

/* E' = 2 z E + D^2, D' = 2 z D + 1, with E half of the second derivative. */
static void slopes_step(struct slopes *s, mpfr_srcptr x, mpfr_srcptr y)
{
    if (s->bend_bits > MPFR_PREC_MIN) {
        mpfr_set(s->fx, s->dx, MPFR_RNDN);
        mpfr_set(s->fy, s->dy, MPFR_RNDN);
        mpfr_mul_2ui(s->zx, x, 1, MPFR_RNDN);
        mpfr_mul_2ui(s->zy, y, 1, MPFR_RNDN);
        product(s->ex, s->ey, s->zx, s->zy, s->fa, s->fb);
        mpfr_add(s->fa, s->fx, s->fy, MPFR_RNDN); /* D^2 = (Dx + Dy) (Dx - Dy) + 2 i Dx Dy */
        mpfr_sub(s->fb, s->fx, s->fy, MPFR_RNDN);
        mpfr_mul(s->fa, s->fa, s->fb, MPFR_RNDN);
        mpfr_add(s->ex, s->ex, s->fa, MPFR_RNDN);
        mpfr_mul(s->fa, s->fx, s->fy, MPFR_RNDN);
        mpfr_mul_2ui(s->fa, s->fa, 1, MPFR_RNDN);
        mpfr_add(s->ey, s->ey, s->fa, MPFR_RNDN);
    }
    product(s->dx, s->dy, x, y, s->a, s->b);
    mpfr_mul_2ui(s->dx, s->dx, 1, MPFR_RNDN);
    mpfr_mul_2ui(s->dy, s->dy, 1, MPFR_RNDN);
    mpfr_add_ui(s->dx, s->dx, 1, MPFR_RNDN);
}

static void slopes_remember(struct slopes *s)
{
    mpfr_set(s->mdx, s->dx, MPFR_RNDN);
    mpfr_set(s->mdy, s->dy, MPFR_RNDN);
    mpfr_set(s->mex, s->ex, MPFR_RNDN);
    mpfr_set(s->mey, s->ey, MPFR_RNDN);
}

/* ---- a pass ---- */

struct queue_point { /* as doubles; the step from there is good to 2^-bits */
    struct complex_scaled z;
    long bits;
};

struct point_queue { /* z_first and on; where there are slopes beyond doubles also to their bits */
    struct queue_point *point;
    mpfr_t *number;
    int64_t first, count;
};

struct pass {
    struct newton_equation equation;
    long bits; /* c is good to 2^-bits in every z */
    double log2_disc;
    bool exact; /* are there slopes beyond doubles? */
    struct taper taper;
    struct slopes slopes;
    struct point_queue queue[2]; /* the one being filled, and the one being followed */
    int filling;
    int64_t capacity;
    int64_t i;                   /* z_i is in the taper */
    struct complex_scaled ahead; /* dz_i/dc; the members below are a batch behind */
    struct complex_scaled d, half, growth, growth_dc, multiplier; /* half of d2z/dc2 */
    struct complex_scaled d_m, half_m;
    struct nucleus disc, disc_m;
    bool clean; /* no root of a smaller n so far */
    bool proven;
    mpfr_t mx, my;       /* z_m */
    mpfr_t gx, gy;       /* z_n + z_m */
    double z_m_x, z_m_y; /* z_m as doubles */
    const volatile int *stop;
};

static enum status queues_make(struct pass *pass)
{
    int64_t most = QUEUE_BITS / (2 * pass->slopes.bits);
    if (pass->exact)
        pass->capacity = most < 16 ? 16 : most > QUEUE_MOST ? QUEUE_MOST : most;
    for (int q = 0; q < 2; q++) {
        struct point_queue *queue = &pass->queue[q];
        size_t count = (size_t)pass->capacity;
        queue->point = malloc(count * sizeof *queue->point);
        queue->number = pass->exact ? malloc(count * 2 * sizeof(mpfr_t)) : NULL;
        if (!queue->point || (pass->exact && !queue->number))
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for derivatives of %ld bits",
                               pass->slopes.bits);
        for (int64_t i = 0; pass->exact && i < 2 * pass->capacity; i++)
            mpfr_init2(queue->number[i], pass->slopes.bits);
    }
    return STATUS_OK;
}

static void queues_free(struct pass *pass)
{
    for (int q = 0; q < 2; q++) {
        for (int64_t i = 0; pass->queue[q].number && i < 2 * pass->capacity; i++)
            mpfr_clear(pass->queue[q].number[i]);
        free(pass->queue[q].number);
        free(pass->queue[q].point);
    }
}

static enum status pass_open(struct pass *pass, const struct newton *newton,
                             struct newton_equation equation, long bits, long slope_bits,
                             long bend_bits, double log2_disc)
{
    struct complex_scaled zero = scaled_of(0, 0), one = scaled_of(1, 0);
    *pass = (struct pass){.equation = equation,
                          .bits = bits,
                          .log2_disc = log2_disc,
                          .exact = slope_bits > DOUBLE_BITS,
                          .ahead = zero,
                          .d = zero,
                          .half = zero,
                          .d_m = zero,
                          .half_m = zero,
                          .growth = one,
                          .growth_dc = zero,
                          .multiplier = one,
                          .capacity = QUEUE_MOST,
                          .clean = true};
    long most = bits + GUARD_BITS + (long)log2((double)equation.n) + 2;
    mpfr_inits2(most + 64, pass->mx, pass->my, pass->gx, pass->gy, (mpfr_ptr)0);
    mpfr_set_zero(pass->mx, 1);
    mpfr_set_zero(pass->my, 1);
    slopes_begin(&pass->slopes, pass->exact ? slope_bits : MPFR_PREC_MIN,
                 pass->exact && bend_bits > DOUBLE_BITS ? bend_bits : MPFR_PREC_MIN);
    nucleus_begin(&pass->disc, log2_disc, most);
    TRY(queues_make(pass));
    return taper_create(&pass->taper, newton->cx, newton->cy, most);
}

static void pass_close(struct pass *pass)
{
    queues_free(pass);
    slopes_end(&pass->slopes);
    taper_destroy(&pass->taper);
    mpfr_clears(pass->mx, pass->my, pass->gx, pass->gy, (mpfr_ptr)0);
}

/* |z| > |D| + |q|: no c of the disc has z = 0. */
static bool disc_excludes(const struct nucleus *disc, struct complex_scaled z, double error)
{
    double d = (hypot(disc->dx, disc->dy) + disc->q) * (1 + 0x1p-40);
    struct complex_scaled most = scaled_settle(d, 0, disc->exponent);
    if (error > 0)
        most = scaled_add(most, scaled_of(error, 0));
    return disc->alive && scaled_less(most, scaled_times(z, 1 - 0x1p-40));
}

/* Could the root be one of a smaller n of the same kind? Those are n' = m + p' for divisors p' of
 * the period. And of a Misiurewicz point z_m is not 0. */
static void pass_check(struct pass *pass, int64_t i, struct complex_scaled z)
{
    int64_t m = pass->equation.m, period = pass->equation.n - m;
    if (m && i == m)
        pass->clean = pass->clean && disc_excludes(&pass->disc, z, 0);
    if (i <= m || i >= pass->equation.n || period % (i - m))
        return;
    if (!m) {
        pass->clean = pass->clean && disc_excludes(&pass->disc, z, 0);
        return;
    }
    struct complex_scaled sum = scaled_of(scaled_x(z) + pass->z_m_x, scaled_y(z) + pass->z_m_y);
    struct complex_scaled of_m =
        scaled_settle((hypot(pass->disc_m.dx, pass->disc_m.dy) + pass->disc_m.q) * (1 + 0x1p-40), 0,
                      pass->disc_m.exponent);
    pass->clean = pass->clean && disc_excludes(&pass->disc, sum, scaled_x(of_m) + 0x1p-48);
}

/* Takes the derivatives of z_i to those of z_(i+1). */
static void doubles_step(struct pass *pass, int64_t i, struct complex_scaled z)
{
    struct complex_scaled twice = scaled_times(z, 2), one = scaled_of(1, 0);
    pass->half = scaled_add(scaled_mul(twice, pass->half), scaled_mul(pass->d, pass->d));
    if (i >= 1 && !pass->equation.m) {
        pass->growth_dc = scaled_add(scaled_mul(twice, pass->growth_dc),
                                     scaled_times(scaled_mul(pass->d, pass->growth), 2));
        pass->growth = scaled_mul(twice, pass->growth);
    } else if (pass->equation.m && i > pass->equation.m)
        pass->multiplier = scaled_mul(twice, pass->multiplier);
    pass->d = scaled_add(scaled_mul(twice, pass->d), one);
}

static void z_m_remember(struct pass *pass, struct complex_scaled z)
{
    fixed_get(pass->taper.now, &pass->taper.now->x, pass->mx);
    fixed_get(pass->taper.now, &pass->taper.now->y, pass->my);
    pass->z_m_x = scaled_x(z);
    pass->z_m_y = scaled_y(z);
}

static void number_put(struct pass *pass, struct point_queue *queue)
{
    struct fixed *fixed = pass->taper.now;
    fixed_get(fixed, &fixed->x, queue->number[2 * queue->count]);
    fixed_get(fixed, &fixed->y, queue->number[2 * queue->count + 1]);
}

/* Takes z_i to z_(i+1). STATUS_BAD_DATA: it escapes. */
static enum status orbit_step(struct pass *pass, struct point_queue *queue)
{
    struct complex_scaled z = taper_point(&pass->taper);
    if (z.e == 0 && z.x * z.x + z.y * z.y > FIXED_NORM_MAX)
        return status_fail(STATUS_BAD_DATA, "the orbit of c escapes after %lld of %lld steps",
                           (long long)pass->i, (long long)pass->equation.n);
    if (pass->equation.m && pass->i == pass->equation.m)
        z_m_remember(pass, z);
    if (pass->exact)
        number_put(pass, queue);
    pass->ahead = scaled_add(scaled_mul(scaled_times(z, 2), pass->ahead), scaled_of(1, 0));
    TRY(taper_fit(&pass->taper, pass->ahead, 8));
    queue->point[queue->count++] = (struct queue_point){z, pass->taper.bits};
    taper_step(&pass->taper);
    pass->i++;
    return STATUS_OK;
}

/* Takes as many steps as a queue holds, or as take a few milliseconds. */
static enum status orbit_batch(void *argument, struct team *team)
{
    struct pass *pass = argument;
    struct point_queue *queue = &pass->queue[pass->filling];
    pass->taper.team = team;
    double until = omp_get_wtime() + BATCH_S;
    queue->first = pass->i;
    queue->count = 0;
    for (int64_t k = 1;
         k <= pass->capacity && pass->i < pass->equation.n && !stop_asked(pass->stop); k++) {
        TRY(orbit_step(pass, queue));
        if (k % STEPS_PER_POLL == 0 && omp_get_wtime() > until)
            break;
    }
    return STATUS_OK;
}

/* Takes all that is followed in doubles from z_i to z_(i+1). */
static void point_follow(struct pass *pass, int64_t i, const struct queue_point *point)
{
    if (pass->equation.m && i == pass->equation.m) {
        pass->d_m = pass->d;
        pass->half_m = pass->half;
        pass->disc_m = pass->disc;
    }
    if (isfinite(pass->log2_disc) && i)
        pass_check(pass, i, point->z);
    doubles_step(pass, i, point->z);
    nucleus_error(&pass->disc, point->bits);
    nucleus_step_at(&pass->disc, point->z);
}

static void batch_follow(struct pass *pass, const struct point_queue *queue)
{
    for (int64_t k = 0; k < queue->count && !stop_asked(pass->stop); k++) {
        point_follow(pass, queue->first + k, &queue->point[k]);
        if (!pass->exact)
            continue;
        if (queue->first + k == pass->equation.m)
            slopes_remember(&pass->slopes);
        slopes_step(&pass->slopes, queue->number[2 * k], queue->number[2 * k + 1]);
    }
}

static void *follow_before(void *argument)
{
    struct pass *pass = argument;
    batch_follow(pass, &pass->queue[!pass->filling]);
    return NULL;
}

/* Computes the next batch of the orbit while the one before is followed; or, where that is little
 * work and the orbit's numbers are long, one after the other, with threads for the orbit's
 * products. Starting a thread takes a hundredth of a batch; one of OpenMP would spin where another
 * program has its core. */
static enum status pass_batch(struct pass *pass, int threads)
{
    pthread_t follower;
    bool little = !pass->exact || pass->bits > PARALLEL_RATIO * pass->slopes.bits;
    if (threads < 2 || (little && taper_is_long(&pass->taper)) ||
        pthread_create(&follower, NULL, follow_before, pass) != 0) {
        follow_before(pass);
        return taper_batch(&pass->taper, threads, orbit_batch, pass);
    }
    enum status status = orbit_batch(pass, NULL);
    pthread_join(follower, NULL);
    return status;
}

/* |z_n + z_m| + |q| < |D|: exactly one root in the disc. */
static bool disc_holds_root(const struct pass *pass)
{
    const struct nucleus *disc = &pass->disc, *of_m = &pass->disc_m;
    if (!disc->alive || !pass->clean || scaled_is_zero(pass->d))
        return false;
    struct complex_scaled d = scaled_settle(disc->dx, disc->dy, disc->exponent);
    struct complex_scaled rest = scaled_settle(disc->q, 0, disc->exponent);
    if (pass->equation.m) {
        d = scaled_add(d, scaled_settle(of_m->dx, of_m->dy, of_m->exponent));
        rest = scaled_add(rest, scaled_settle(of_m->q, 0, of_m->exponent));
    }
    struct complex_scaled value = scaled_set(pass->gx, pass->gy);
    rest = scaled_add(rest, scaled_settle(hypot(value.x, value.y), 0, value.e));
    return scaled_less(scaled_times(rest, 1 + 0x1p-30), d);
}

static void pass_finish(struct pass *pass)
{
    struct fixed *fixed = pass->taper.now;
    fixed_get(fixed, &fixed->x, pass->gx);
    fixed_get(fixed, &fixed->y, pass->gy);
    if (pass->equation.m)
        pass->multiplier = scaled_mul(scaled_times(taper_point(&pass->taper), 2), pass->multiplier);
    mpfr_add(pass->gx, pass->gx, pass->mx, MPFR_RNDN);
    mpfr_add(pass->gy, pass->gy, pass->my, MPFR_RNDN);
    pass->d = scaled_add(pass->d, pass->d_m);
    pass->half = scaled_add(pass->half, pass->half_m);
    if (isfinite(pass->log2_disc))
        pass->proven = disc_holds_root(pass);
    struct slopes *s = &pass->slopes;
    mpfr_add(s->dx, s->dx, s->mdx, MPFR_RNDN);
    mpfr_add(s->dy, s->dy, s->mdy, MPFR_RNDN);
    mpfr_add(s->ex, s->ex, s->mex, MPFR_RNDN);
    mpfr_add(s->ey, s->ey, s->mey, MPFR_RNDN);
}

struct pass_share { /* a pass's share in all passes, for progress */
    double begin, end;
};

/* STATUS_STOPPED for a pass that may have left out steps. */
static enum status pass_stopped(const struct pass *pass)
{
    if (stop_asked(pass->stop))
        return status_fail(STATUS_STOPPED, "stopped after %lld of %lld steps along the orbit",
                           (long long)pass->i, (long long)pass->equation.n);
    return STATUS_OK;
}

static enum status pass_run(struct pass *pass, const struct newton_options *options,
                            struct pass_share share)
{
    int threads = options->threads > 0 ? options->threads : omp_get_max_threads();
    while (pass->i < pass->equation.n) {
        TRY(pass_stopped(pass));
        TRY(pass_batch(pass, threads));
        pass->filling = !pass->filling;
        if (options->progress)
            options->progress(options->context, share.begin + (share.end - share.begin) *
                                                                  (double)pass->i /
                                                                  (double)pass->equation.n);
    }
    batch_follow(pass, &pass->queue[!pass->filling]);
    TRY(pass_stopped(pass));
    pass_finish(pass);
    return STATUS_OK;
}

/* ---- Newton's step ---- */

/* (x + i y) becomes (x + i y) / (dx + i dy). */
static void quotient(mpfr_ptr x, mpfr_ptr y, mpfr_srcptr dx, mpfr_srcptr dy)
{
    mpfr_t norm, other;
    mpfr_inits2(mpfr_get_prec(x), norm, other, (mpfr_ptr)0);
    mpfr_fmma(norm, dx, dx, dy, dy, MPFR_RNDN);
    mpfr_fmma(other, x, dx, y, dy, MPFR_RNDN);
    mpfr_fmms(y, y, dx, x, dy, MPFR_RNDN);
    mpfr_div(x, other, norm, MPFR_RNDN);
    mpfr_div(y, y, norm, MPFR_RNDN);
    mpfr_clears(norm, other, (mpfr_ptr)0);
}

/* The root of g + d h + e h^2 near 0, to third order in g: h0 = -g/d, h = h0 - (e/d) h0^2. */
static void parabola_root(mpfr_ptr hx, mpfr_ptr hy, const struct pass *pass, long bits)
{
    mpfr_t dx, dy, ex, ey, a, b;
    mpfr_inits2(bits, dx, dy, ex, ey, a, b, (mpfr_ptr)0);
    const struct slopes *s = &pass->slopes;
    scaled_get(pass->d, dx, dy);
    scaled_get(pass->half, ex, ey);
    if (pass->exact) {
        mpfr_set(dx, s->dx, MPFR_RNDN);
        mpfr_set(dy, s->dy, MPFR_RNDN);
    }
    if (pass->exact && s->bend_bits > MPFR_PREC_MIN) {
        mpfr_set(ex, s->ex, MPFR_RNDN);
        mpfr_set(ey, s->ey, MPFR_RNDN);
    }
    mpfr_neg(hx, pass->gx, MPFR_RNDN);
    mpfr_neg(hy, pass->gy, MPFR_RNDN);
    quotient(hx, hy, dx, dy);
    quotient(ex, ey, dx, dy);
    product(ex, ey, hx, hy, a, b);
    product(ex, ey, hx, hy, a, b);
    mpfr_sub(hx, hx, ex, MPFR_RNDN);
    mpfr_sub(hy, hy, ey, MPFR_RNDN);
    mpfr_clears(dx, dy, ex, ey, a, b, (mpfr_ptr)0);
}

/* ---- how many bits ---- */

struct pass_bits {
    double reach; /* log2 of the error that the pass leaves */
    long bits, slope_bits, bend_bits;
};

/* log2 of the error after a pass. error: log2 of c's now; curve: log2 of the equation's bend over
 * its slope: where their product is small, a pass leaves curve^2 error^3. */
static double error_after(double error, double curve)
{
    double gain = -(error + curve);
    return gain < 2 ? error : error - 2 * gain + 4;
}

static struct pass_bits pass_bits_of(double error, double curve, double goal)
{
    double gain = -(error + curve);
    if (gain < 2)
        gain = 2;
    struct pass_bits s = {.reach = fmax(error - 2 * gain + 4, goal)};
    double wanted = error - s.reach;
    s.bits = (long)ceil(-s.reach) + 4;
    s.slope_bits = (long)ceil(wanted) + 6;
    s.bend_bits = (long)ceil(wanted - gain) + 6;
    return s;
}

static double pass_cost(const struct pass_bits *s)
{
    return pow((double)s->bits, 1.4);
}

static double passes_cost(double error, double curve, double goal)
{
    double cost = 0;
    for (int i = 0; i < PASSES_MOST && error > goal; i++) {
        struct pass_bits s = pass_bits_of(error, curve, goal);
        cost += pass_cost(&s);
        error = s.reach;
    }
    return cost;
}

/* ---- refining ---- */

void newton_begin(struct newton *newton, mpfr_srcptr cx, mpfr_srcptr cy, struct newton_start start)
{
    *newton = (struct newton){.estimate = start, .log2_disc = INFINITY};
    mpfr_init2(newton->cx, mpfr_get_prec(cx));
    mpfr_init2(newton->cy, mpfr_get_prec(cy));
    mpfr_set(newton->cx, cx, MPFR_RNDN);
    mpfr_set(newton->cy, cy, MPFR_RNDN);
}

void newton_end(struct newton *newton)
{
    mpfr_clears(newton->cx, newton->cy, (mpfr_ptr)0);
}

static void results_take(struct newton *newton, const struct pass *pass)
{
    newton->slope = pass->d;
    newton->bend = pass->half;
    newton->growth = pass->growth;
    newton->growth_dc = pass->growth_dc;
    newton->multiplier = pass->multiplier;
    newton->proven = pass->proven;
    newton->log2_disc = pass->proven ? pass->log2_disc : INFINITY;
    newton->passes++;
}

/* Adds the step to c. Returns log2 of its size. */
static double step_add(struct newton *newton, const struct pass *pass, const struct pass_bits *s)
{
    mpfr_t hx, hy;
    long bits = s->slope_bits + 16 > 80 ? s->slope_bits + 16 : 80;
    mpfr_inits2(bits, hx, hy, (mpfr_ptr)0);
    parabola_root(hx, hy, pass, bits);
    mpfr_prec_t held = s->bits + 32;
    if (mpfr_get_prec(newton->cx) < held) {
        mpfr_prec_round(newton->cx, held, MPFR_RNDN);
        mpfr_prec_round(newton->cy, held, MPFR_RNDN);
    }
    mpfr_add(newton->cx, newton->cx, hx, MPFR_RNDN);
    mpfr_add(newton->cy, newton->cy, hy, MPFR_RNDN);
    double size = scaled_log2(scaled_set(hx, hy));
    mpfr_clears(hx, hy, (mpfr_ptr)0);
    return size;
}

static double goal_of(const struct newton *newton, const struct newton_goal *goal,
                      const struct newton_equation *equation)
{
    bool below = !equation->m && isfinite(goal->bits_below_size) && !isnan(newton->estimate.size);
    return below ? fmin(goal->log2_error, newton->estimate.size - goal->bits_below_size)
                 : goal->log2_error;
}

static enum status refine_once(struct newton *newton, struct newton_equation equation,
                               const struct pass_bits *s, const struct newton_options *options,
                               struct pass_share share, double *step)
{
    struct pass pass;
    if (s->bits > ORBIT_BITS_MOST - 128)
        return status_fail(STATUS_TOO_LARGE, "the point needs %ld bits; the most are %d", s->bits,
                           ORBIT_BITS_MOST);
    enum status status = pass_open(&pass, newton, equation, s->bits, s->slope_bits, s->bend_bits,
                                   newton->estimate.error + 3);
    pass.stop = options->stop;
    if (status == STATUS_OK)
        status = pass_run(&pass, options, share);
    if (status == STATUS_OK && scaled_is_zero(pass.d))
        status = status_fail(STATUS_BAD_DATA, "the point has no simple root of this period");
    if (status == STATUS_OK) {
        results_take(newton, &pass);
        *step = step_add(newton, &pass, s);
    }
    pass_close(&pass);
    return status;
}

/* Takes estimates from a pass. step: log2 of its step's size, which was the error before it. */
static void estimate_update(struct newton *newton, double step, double reach)
{
    struct newton_start *estimate = &newton->estimate;
    estimate->curve = scaled_log2(newton->bend) - scaled_log2(newton->slope);
    estimate->size = -scaled_log2(newton->slope) - scaled_log2(newton->growth);
    estimate->error = fmax(error_after(step, estimate->curve), reach);
}

enum status newton_refine(struct newton *newton, struct newton_equation equation,
                          const struct newton_goal *goal, const struct newton_options *options)
{
    struct newton_start *estimate = &newton->estimate;
    double done = 0;
    if (isnan(estimate->curve))
        estimate->curve = -estimate->error - DOUBLE_BITS / 2;
    for (int i = 0; i < PASSES_MOST; i++) {
        double target = goal_of(newton, goal, &equation), step;
        struct pass_bits s = pass_bits_of(estimate->error, estimate->curve, target);
        double left = passes_cost(estimate->error, estimate->curve, target), cost = pass_cost(&s);
        struct pass_share share = {done, done + (1 - done) * (left > cost ? cost / left : 1)};
        TRY(refine_once(newton, equation, &s, options, share, &step));
        done = share.end;
        estimate_update(newton, step, s.reach);
        target = goal_of(newton, goal, &equation);
        bool settled = estimate->error <= target;
        if (settled && (newton->proven || i >= PASSES_FOR_PROOF))
            return STATUS_OK;
        if (!settled && i >= PASSES_UNSETTLED && step + estimate->curve > -1)
            break;
    }
    return status_fail(STATUS_BAD_DATA, "Newton's method does not converge from here");
}
