#include "kernels/orbit/formula_nucleus.h"

#include <math.h>
#include <stdbool.h>

#include "kernels/orbit/formula_orbit.h"
#include "kernels/orbit/orbit.h"
#include "kernels/stop.h"

enum {
    TANGENTS_OF_C = 2, /* dz by c's real and imaginary part */
    TANGENTS = 4,      /* dz by those of c and of z_1 */
    NUMBERS_OF_TANGENT = 4,
    SEARCH_TANGENT_BITS = 64,
    PERIODS_TRIED = 200,  /* candidates that Newton's method refutes */
    STALLS_MOST = 6,      /* passes of Newton's method that lead nowhere */
    GAIN_LEAST = 8,       /* bits that a pass which converges gains */
    PROGRESS_STEPS = 1024 /* steps between two reports */
};
#define LOG2_ESCAPED 2.0 /* log2 |z|: the orbit of a nucleus stays below */
#define REST 0x1p-30     /* size of a step of Nova where steps become shorter */
#define LOG2_LOST 64.0   /* log2 |z|: beyond it Newton's method does not converge */
/* log2 |dz_p/dz_1|. The z_0 of a component reach to 2 |dz_p/dz_1|^(-1 / (d - 1)), which is within
 * the set's own; where an orbit has been at 0 before, it is as near to 0 as c is known. */
#define GROWTH_LEAST (-20.0)

struct tangent {
    mpfr_t x, y, kept_x, kept_y;
};

struct nucleus_walk {
    struct formula_numbers numbers;
    struct tangent tangent[TANGENTS];
    int tangents; /* TANGENTS_OF_C or all */
    mpfr_t x, y;  /* z less the critical point; of a magnet g, which is to be 0 */
    mpfr_t a, b, other;
    struct nova { /* f', and rho / z; of magnets dg/dz, and dg/dc */
        mpfr_t slope_x, slope_y, p_x, p_y;
    } nova;
    double last_x, last_y; /* z of the step before */
    int64_t n;
};

/* ---- z_n with its derivatives ---- */

static mpfr_ptr tangent_number(struct tangent *t, int number)
{
    mpfr_ptr const list[NUMBERS_OF_TANGENT] = {t->x, t->y, t->kept_x, t->kept_y};
    return list[number];
}

static bool is_nova(const struct nucleus_walk *w)
{
    return w->numbers.rational.roots;
}

static int magnet_of(const struct nucleus_walk *w)
{
    return w->numbers.rational.magnet;
}

static void walk_begin(struct nucleus_walk *w, const struct formula_nucleus *nucleus,
                       const struct formula *formula, long bits, long tangent_bits, int tangents)
{
    formula_numbers_open(&w->numbers, formula, 0, bits, -INFINITY);
    mpfr_set(w->numbers.cx, nucleus->cx, MPFR_RNDN);
    mpfr_set(w->numbers.cy, nucleus->cy, MPFR_RNDN);
    mpfr_set_si(w->numbers.x, is_nova(w) - (magnet_of(w) != 0), MPFR_RNDN);
    mpfr_inits2(bits, w->x, w->y, (mpfr_ptr)0);
    mpfr_set_zero(w->x, 1);
    mpfr_set_zero(w->y, 1);
    mpfr_inits2(tangent_bits, w->nova.slope_x, w->nova.slope_y, w->nova.p_x, w->nova.p_y,
                (mpfr_ptr)0);
    for (int t = 0; t < TANGENTS; t++)
        for (int i = 0; i < NUMBERS_OF_TANGENT; i++) {
            mpfr_init2(tangent_number(&w->tangent[t], i), tangent_bits);
            mpfr_set_zero(tangent_number(&w->tangent[t], i), 1);
        }
    mpfr_inits2(tangent_bits, w->a, w->b, w->other, (mpfr_ptr)0);
    w->n = 0;
    w->tangents = tangents;
}

static void walk_end(struct nucleus_walk *w)
{
    formula_numbers_close(&w->numbers);
    for (int t = 0; t < TANGENTS; t++)
        for (int i = 0; i < NUMBERS_OF_TANGENT; i++)
            mpfr_clear(tangent_number(&w->tangent[t], i));
    mpfr_clears(w->a, w->b, w->other, w->x, w->y, (mpfr_ptr)0);
    mpfr_clears(w->nova.slope_x, w->nova.slope_y, w->nova.p_x, w->nova.p_y, (mpfr_ptr)0);
}

/* (x, y) becomes (x + i y) (p + i q). */
static void times(struct nucleus_walk *w, mpfr_ptr x, mpfr_ptr y, mpfr_srcptr p, mpfr_srcptr q)
{
    mpfr_fmms(w->other, x, p, y, q, MPFR_RNDN);
    mpfr_fmma(y, x, q, y, p, MPFR_RNDN);
    mpfr_swap(x, w->other);
}

/* dz becomes k dz + z dk, k the value that was kept. */
static void tangent_multiply(struct nucleus_walk *w, struct tangent *t)
{
    const struct formula_numbers *n = &w->numbers;
    times(w, t->x, t->y, n->kept_x, n->kept_y);
    mpfr_set(w->a, t->kept_x, MPFR_RNDN);
    mpfr_set(w->b, t->kept_y, MPFR_RNDN);
    times(w, w->a, w->b, n->x, n->y);
    mpfr_add(t->x, t->x, w->a, MPFR_RNDN);
    mpfr_add(t->y, t->y, w->b, MPFR_RNDN);
}

/* Does the operation to a tangent, before it is done to z. */
static void tangent_operate(struct nucleus_walk *w, struct tangent *t,
                            enum formula_operation operation)
{
    const struct formula_numbers *n = &w->numbers;
    switch (operation) {
    case OPERATION_ABS_X:
        if (mpfr_sgn(n->x) < 0)
            mpfr_neg(t->x, t->x, MPFR_RNDN);
        break;
    case OPERATION_ABS_Y:
        if (mpfr_sgn(n->y) < 0)
            mpfr_neg(t->y, t->y, MPFR_RNDN);
        break;
    case OPERATION_NEG_X:
        mpfr_neg(t->x, t->x, MPFR_RNDN);
        break;
    case OPERATION_NEG_Y:
        mpfr_neg(t->y, t->y, MPFR_RNDN);
        break;
    case OPERATION_KEEP:
        mpfr_set(t->kept_x, t->x, MPFR_RNDN);
        mpfr_set(t->kept_y, t->y, MPFR_RNDN);
        break;
    case OPERATION_MUL:
        tangent_multiply(w, t);
        break;
    case OPERATION_SQR:
        times(w, t->x, t->y, n->x, n->y);
        mpfr_mul_2ui(t->x, t->x, 1, MPFR_RNDN);
        mpfr_mul_2ui(t->y, t->y, 1, MPFR_RNDN);
        break;
    case OPERATION_ADD:
        if (t == &w->tangent[0])
            mpfr_add_ui(t->x, t->x, 1, MPFR_RNDN);
        if (t == &w->tangent[1])
            mpfr_add_ui(t->y, t->y, 1, MPFR_RNDN);
        break;
    case OPERATION_SWAP:
        mpfr_swap(t->x, t->y);
        break;
    case OPERATION_SCALE:
        times(w, t->x, t->y, n->factor_x, n->factor_y);
        break;
    case OPERATION_SIGN_Y:
        if (!mpfr_signbit(n->y) != !mpfr_signbit(n->kept_y))
            mpfr_neg(t->y, t->y, MPFR_RNDN);
        break;
    case OPERATION_PLUS:
        break;
    case OPERATION_TIMES_C:
        times(w, t->x, t->y, n->cx, n->cy);
        if (t == &w->tangent[0]) {
            mpfr_add(t->x, t->x, n->x, MPFR_RNDN);
            mpfr_add(t->y, t->y, n->y, MPFR_RNDN);
        } else if (t == &w->tangent[1]) {
            mpfr_sub(t->x, t->x, n->y, MPFR_RNDN);
            mpfr_add(t->y, t->y, n->x, MPFR_RNDN);
        }
        break;
    }
}

static void before_operation(void *context, enum formula_operation operation)
{
    struct nucleus_walk *w = context;
    for (int t = 0; t < w->tangents; t++)
        tangent_operate(w, &w->tangent[t], operation);
}

static struct complex_scaled walk_z(const struct nucleus_walk *w)
{
    return scaled_set(w->x, w->y);
}

/* f'(z) = k s (1 + p + ... + p^k) / n, s = (z - rho) / z, p = 1 - s, rho the root next to z: no
 * digit is lost where s is small. */
static void nova_slope(struct nucleus_walk *w)
{
    struct rational_numbers *newton = &w->numbers.rational;
    struct nova *nova = &w->nova;
    mpfr_srcptr x = w->numbers.x, y = w->numbers.y;
    rational_numbers_off(newton, x, y);
    mpfr_fmma(w->other, x, x, y, y, MPFR_RNDN);
    mpfr_fmma(nova->slope_x, newton->sum_x, x, newton->sum_y, y, MPFR_RNDN);
    mpfr_fmms(nova->slope_y, newton->sum_y, x, newton->sum_x, y, MPFR_RNDN);
    mpfr_div(nova->slope_x, nova->slope_x, w->other, MPFR_RNDN);
    mpfr_div(nova->slope_y, nova->slope_y, w->other, MPFR_RNDN);
    mpfr_ui_sub(nova->p_x, 1, nova->slope_x, MPFR_RNDN);
    mpfr_neg(nova->p_y, nova->slope_y, MPFR_RNDN);
    mpfr_set_ui(w->a, 1, MPFR_RNDN);
    mpfr_set_zero(w->b, 1);
    for (int i = 1; i < newton->roots; i++) {
        times(w, w->a, w->b, nova->p_x, nova->p_y);
        mpfr_add_ui(w->a, w->a, 1, MPFR_RNDN);
    }
    times(w, nova->slope_x, nova->slope_y, w->a, w->b);
    for (int axis = 0; axis < 2; axis++) {
        mpfr_ptr slope = axis ? nova->slope_y : nova->slope_x;
        mpfr_mul_si(slope, slope, newton->roots - 1, MPFR_RNDN);
        mpfr_div_si(slope, slope, newton->roots, MPFR_RNDN);
    }
}

static void nova_tangents(struct nucleus_walk *w)
{
    nova_slope(w);
    for (int t = 0; t < w->tangents; t++)
        times(w, w->tangent[t].x, w->tangent[t].y, w->nova.slope_x, w->nova.slope_y);
    mpfr_add_ui(w->tangent[0].x, w->tangent[0].x, 1, MPFR_RNDN);
    mpfr_add_ui(w->tangent[1].y, w->tangent[1].y, 1, MPFR_RNDN);
}

/* (a, b) = 1 / S^2, with t = z - 1 and (p_x, p_y) = t + c. */
static void magnet_sum(struct nucleus_walk *w)
{
    struct nova *m = &w->nova;
    mpfr_srcptr x = w->numbers.x, y = w->numbers.y;
    mpfr_add(m->p_x, x, w->numbers.cx, MPFR_RNDN);
    mpfr_add(m->p_y, y, w->numbers.cy, MPFR_RNDN);
    mpfr_add(w->a, x, m->p_x, MPFR_RNDN);
    mpfr_add(w->b, y, m->p_y, MPFR_RNDN);
    if (magnet_of(w) == 3) { /* b (t + b) + t^2 */
        times(w, w->a, w->b, m->p_x, m->p_y);
        mpfr_fmms(w->other, x, x, y, y, MPFR_RNDN);
        mpfr_add(w->a, w->a, w->other, MPFR_RNDN);
        mpfr_mul(w->other, x, y, MPFR_RNDN);
        mpfr_mul_2ui(w->other, w->other, 1, MPFR_RNDN);
        mpfr_add(w->b, w->b, w->other, MPFR_RNDN);
    }
    mpfr_fmma(w->other, w->a, w->a, w->b, w->b, MPFR_RNDN);
    mpfr_div(w->a, w->a, w->other, MPFR_RNDN);
    mpfr_div(w->b, w->b, w->other, MPFR_RNDN);
    mpfr_neg(w->b, w->b, MPFR_RNDN);
    times(w, w->a, w->b, w->a, w->b);
}

/* (slope_x, slope_y) = k (t b)^(k - 1) / S^2 and (p_x, p_y) = t^k S_c / S^2, with b = t + c and
 * S_c = dS/dc = 1 or t + 2 b. */
static void magnet_slopes(struct nucleus_walk *w)
{
    struct nova *m = &w->nova;
    mpfr_srcptr x = w->numbers.x, y = w->numbers.y;
    const int k = magnet_of(w);
    magnet_sum(w);
    mpfr_set(m->slope_x, x, MPFR_RNDN);
    mpfr_set(m->slope_y, y, MPFR_RNDN);
    times(w, m->slope_x, m->slope_y, m->p_x, m->p_y);
    if (k == 3)
        times(w, m->slope_x, m->slope_y, m->slope_x, m->slope_y);
    times(w, m->slope_x, m->slope_y, w->a, w->b);
    mpfr_mul_si(m->slope_x, m->slope_x, k, MPFR_RNDN);
    mpfr_mul_si(m->slope_y, m->slope_y, k, MPFR_RNDN);
    mpfr_mul_2ui(m->p_x, m->p_x, 1, MPFR_RNDN);
    mpfr_mul_2ui(m->p_y, m->p_y, 1, MPFR_RNDN);
    mpfr_add(m->p_x, m->p_x, x, MPFR_RNDN);
    mpfr_add(m->p_y, m->p_y, y, MPFR_RNDN);
    if (k == 2) {
        mpfr_set_ui(m->p_x, 1, MPFR_RNDN);
        mpfr_set_zero(m->p_y, 1);
    }
    for (int i = 0; i < k; i++)
        times(w, m->p_x, m->p_y, x, y);
    times(w, m->p_x, m->p_y, w->a, w->b);
}

/* Tangents of g, from those of the last g: dz = 2 g dg. */
static void magnet_tangents(struct nucleus_walk *w)
{
    const struct nova *m = &w->nova;
    magnet_slopes(w);
    for (int t = 0; t < w->tangents; t++) {
        struct tangent *at = &w->tangent[t];
        if (w->n) {
            times(w, at->x, at->y, w->x, w->y);
            mpfr_mul_2ui(at->x, at->x, 1, MPFR_RNDN);
            mpfr_mul_2ui(at->y, at->y, 1, MPFR_RNDN);
        }
        times(w, at->x, at->y, m->slope_x, m->slope_y);
    }
    mpfr_sub(w->tangent[0].x, w->tangent[0].x, m->p_x, MPFR_RNDN);
    mpfr_sub(w->tangent[0].y, w->tangent[0].y, m->p_y, MPFR_RNDN);
    mpfr_add(w->tangent[1].x, w->tangent[1].x, m->p_y, MPFR_RNDN);
    mpfr_sub(w->tangent[1].y, w->tangent[1].y, m->p_x, MPFR_RNDN);
}

static void walk_step(struct nucleus_walk *w)
{
    struct formula_watch watch = {.before = before_operation, .context = w};
    if (w->n == !magnet_of(w)) { /* z_0 is no critical point of a magnet */
        mpfr_set_ui(w->tangent[2].x, 1, MPFR_RNDN);
        mpfr_set_ui(w->tangent[3].y, 1, MPFR_RNDN);
    }
    w->last_x = mpfr_get_d(w->numbers.x, MPFR_RNDN);
    w->last_y = mpfr_get_d(w->numbers.y, MPFR_RNDN);
    if (is_nova(w))
        nova_tangents(w);
    else if (magnet_of(w))
        magnet_tangents(w);
    formula_numbers_step(&w->numbers, &watch);
    const struct rational_numbers *rational = &w->numbers.rational;
    mpfr_sub_ui(w->x, magnet_of(w) ? rational->x[REGISTER_A] : w->numbers.x, is_nova(w), MPFR_RNDN);
    mpfr_set(w->y, magnet_of(w) ? rational->y[REGISTER_A] : w->numbers.y, MPFR_RNDN);
    w->n++;
}

/* ---- Newton's method ---- */

#define STRETCH_LEAST 1e-6 /* log2 of a stretch that rounding errors alone make */
#define TURN_MOST 0.5      /* tangent of the angle: islands that look upright have up to 0.27 */

struct matrix {                                   /* dz/dc */
    struct complex_scaled right, up, determinant; /* real */
};

static struct matrix walk_matrix(const struct nucleus_walk *w, int first)
{
    const struct tangent *r = &w->tangent[first], *u = &w->tangent[first + 1];
    struct matrix m = {.right = scaled_set(r->x, r->y), .up = scaled_set(u->x, u->y)};
    struct complex_scaled crossed = scaled_mul(scaled_conj(m.right), m.up);
    m.determinant = scaled_settle(crossed.y, 0, crossed.e);
    return m;
}

/* log2 of the larger singular value over the smaller one: twice the determinant over
 * |right|^2 + |up|^2 is sin 2t, where tan t is the smaller over the larger. */
static double stretch_of(const struct matrix *m)
{
    struct complex_scaled right = scaled_mul(m->right, scaled_conj(m->right));
    struct complex_scaled up = scaled_mul(m->up, scaled_conj(m->up));
    double sine = exp2(1 + scaled_log2(m->determinant) - scaled_log2(scaled_add(right, up)));
    return -log2(tan(asin(fmin(1, sine)) / 2));
}

/* (a, b) = -J^-1 z, at the tangents' precision. False where J is singular. */
static bool newton_step(struct nucleus_walk *w)
{
    const struct tangent *r = &w->tangent[0], *u = &w->tangent[1];
    mpfr_fmms(w->other, r->x, u->y, u->x, r->y, MPFR_RNDN);
    if (mpfr_zero_p(w->other))
        return false;
    mpfr_fmms(w->a, u->x, w->y, u->y, w->x, MPFR_RNDN);
    mpfr_fmms(w->b, r->y, w->x, r->x, w->y, MPFR_RNDN);
    mpfr_div(w->a, w->a, w->other, MPFR_RNDN);
    mpfr_div(w->b, w->b, w->other, MPFR_RNDN);
    return true;
}

/* log2 |J^-1 z|, in doubles. */
static double log2_newton_step(const struct nucleus_walk *w)
{
    struct matrix m = walk_matrix(w, 0);
    struct complex_scaled z = walk_z(w);
    if (scaled_is_zero(m.determinant))
        return INFINITY;
    /* |up x z|, |right x z| over the determinant */
    struct complex_scaled a = scaled_mul(scaled_conj(m.up), z);
    struct complex_scaled b = scaled_mul(scaled_conj(m.right), z);
    a = scaled_settle(a.y, 0, a.e);
    b = scaled_settle(0, b.y, b.e);
    return scaled_log2(scaled_add(a, b)) - scaled_log2(m.determinant);
}

static enum status stopped(int64_t n)
{
    return status_fail(STATUS_STOPPED, "stopped after %lld steps of a search", (long long)n);
}

/* Bits of an orbit whose c is to be exact to 2^log2_error. */
static enum status bits_for(double log2_error, int64_t period, long *bits)
{
    return orbit_bits(log2_error - ORBIT_FOLD_BITS, period, bits);
}

/* Is z_0 its own mirror image by either axis? */
static bool is_folded(const struct formula_phase *list)
{
    return list->operations > 2 && list->operation[0] == OPERATION_ABS_X &&
           list->operation[1] == OPERATION_ABS_Y;
}

/* Is dz_p/dz_1 near to a mirror, as that of islands is? That of discs turns. */
static bool is_mirror(const struct matrix *by_z)
{
    return fabs(by_z->right.y) < TURN_MOST * fabs(by_z->right.x) &&
           fabs(by_z->up.x) < TURN_MOST * fabs(by_z->up.y);
}

/* Axes of the component: J^-1 of the signs of L, in one unit. */
static void axes_take(struct formula_nucleus *nucleus, const struct matrix *by_c,
                      const struct matrix *by_z)
{
    double sign = by_c->determinant.x < 0 ? -1 : 1;
    double x = by_z->right.x < 0 ? -sign : sign, y = by_z->up.y < 0 ? -sign : sign;
    int64_t e = by_c->right.e > by_c->up.e ? by_c->right.e : by_c->up.e;
    double right = scaled_power(by_c->right.e - e), up = scaled_power(by_c->up.e - e);
    nucleus->right[0] = x * by_c->up.y * up;
    nucleus->right[1] = -x * by_c->right.y * right;
    nucleus->up[0] = -y * by_c->up.x * up;
    nucleus->up[1] = y * by_c->right.x * right;
}

static void size_take(struct formula_nucleus *nucleus, const struct nucleus_walk *w)
{
    struct matrix by_c = walk_matrix(w, 0), by_z = walk_matrix(w, TANGENTS_OF_C);
    double area = scaled_log2(by_c.determinant); /* J's */
    const struct formula_phase *first = &w->numbers.tapes[0].list;
    /* Near its critical point Nova is (n - 1) / 2 v^2, a magnet g^2. */
    double size = is_nova(w)     ? (w->numbers.rational.roots - 1) / 2.0
                  : magnet_of(w) ? 1
                                 : formula_numbers_size(&w->numbers, first);
    int degree = w->numbers.rational.open ? 2 : first->degree;
    bool no_growth = w->n == 1 && !magnet_of(w);
    nucleus->log2_growth = no_growth ? 0 : scaled_log2(by_z.determinant) / 2;
    nucleus->log2_size = -(nucleus->log2_growth + log2(size)) / (degree - 1) - area / 2;
    nucleus->log2_stretch = stretch_of(&by_c);
    nucleus->right[0] = nucleus->right[1] = nucleus->up[0] = nucleus->up[1] = 0;
    if (nucleus->log2_stretch > STRETCH_LEAST && is_folded(first) && is_mirror(&by_z))
        axes_take(nucleus, &by_c, &by_z);
}

/* Does the orbit not come back? Those of Nova do from anywhere but a pole; those of magnets from
 * all below LOG2_LOST. */
static bool is_beyond(const struct nucleus_walk *w, double log2_size)
{
    if (magnet_of(w))
        return !(scaled_log2(walk_z(w)) < LOG2_LOST);
    if (is_nova(w))
        return !mpfr_number_p(w->numbers.x) || !mpfr_number_p(w->numbers.y);
    return !(scaled_log2(walk_z(w)) < log2_size);
}

/* Is the orbit at rest, so that it never comes back? */
static bool is_at_rest(const struct nucleus_walk *w)
{
    double x = mpfr_get_d(w->numbers.x, MPFR_RNDN), y = mpfr_get_d(w->numbers.y, MPFR_RNDN);
    if (magnet_of(w))
        return hypot(x, y) < REST;
    return is_nova(w) && hypot(x - w->last_x, y - w->last_y) < REST &&
           scaled_log2(scaled_set(w->nova.slope_x, w->nova.slope_y)) < 0;
}

/* One pass from the current c; *log2_moved: size of its step; INFINITY: none, as from a c whose
 * orbit escapes. */
static enum status newton_pass(struct formula_nucleus *nucleus,
                               const struct formula_nucleus_options *o, int64_t period, long bits,
                               long tangent_bits, double *log2_moved)
{
    struct nucleus_walk w;
    *log2_moved = INFINITY;
    walk_begin(&w, nucleus, o->formula, bits, tangent_bits, TANGENTS);
    while (w.n < period && !is_beyond(&w, LOG2_LOST) && !stop_asked(o->stop))
        walk_step(&w);
    bool lost = is_beyond(&w, LOG2_LOST), done = lost || w.n == period;
    if (done && !lost && newton_step(&w)) {
        *log2_moved = scaled_log2(scaled_set(w.a, w.b));
        size_take(nucleus, &w);
        mpfr_add(nucleus->cx, nucleus->cx, w.a, MPFR_RNDN);
        mpfr_add(nucleus->cy, nucleus->cy, w.b, MPFR_RNDN);
        nucleus->passes++;
    }
    walk_end(&w);
    return done ? STATUS_OK : stopped(period);
}

/* log2 |c - (cx, cy)| */
static double log2_apart(const struct formula_nucleus *nucleus, mpfr_srcptr cx, mpfr_srcptr cy)
{
    mpfr_t x, y;
    mpfr_inits2(SEARCH_TANGENT_BITS, x, y, (mpfr_ptr)0);
    mpfr_sub(x, nucleus->cx, cx, MPFR_RNDN);
    mpfr_sub(y, nucleus->cy, cy, MPFR_RNDN);
    double apart = scaled_log2(scaled_set(x, y));
    mpfr_clears(x, y, (mpfr_ptr)0);
    return apart;
}

/* Goes from (cx, cy) to the root of this period, which becomes nucleus->period; that stays 0 where
 * the passes lead elsewhere. A pass gains as many bits as the one before, if the tangents have
 * them, and then twice as many. */
static enum status root_refine(struct formula_nucleus *nucleus,
                               const struct formula_nucleus_options *o, mpfr_srcptr cx,
                               mpfr_srcptr cy, int64_t period)
{
    double goal = o->log2_error, moved = o->log2_radius;
    long bits, tangent_bits = SEARCH_TANGENT_BITS;
    mpfr_set_prec(nucleus->cx, mpfr_get_prec(cx));
    mpfr_set_prec(nucleus->cy, mpfr_get_prec(cy));
    mpfr_set(nucleus->cx, cx, MPFR_RNDN);
    mpfr_set(nucleus->cy, cy, MPFR_RNDN);
    for (int stalls = 0; stalls < STALLS_MOST;) {
        double before = moved;
        TRY(bits_for(goal, period, &bits));
        mpfr_prec_round(nucleus->cx, bits, MPFR_RNDN);
        mpfr_prec_round(nucleus->cy, bits, MPFR_RNDN);
        TRY(newton_pass(nucleus, o, period, bits, tangent_bits, &moved));
        if (!(log2_apart(nucleus, cx, cy) <= o->log2_radius + 1))
            return STATUS_OK;
        double gain = moved == -INFINITY ? INFINITY : before - moved; /* from the root itself */
        if (!(gain > GAIN_LEAST)) {
            stalls++;
            continue;
        }
        double wanted = fmin(o->log2_error, nucleus->log2_size - o->bits_below_size);
        if (goal <= wanted && moved - fmin(gain, (double)tangent_bits - GAIN_LEAST) <= goal) {
            nucleus->log2_error = goal;
            /* Where J has no inverse, roots are lines without a component. */
            bool sized = nucleus->log2_growth > GROWTH_LEAST && isfinite(nucleus->log2_size);
            nucleus->period = sized ? period : 0;
            return STATUS_OK;
        }
        goal = fmin(goal, wanted);
        tangent_bits = tangent_bits < bits / 2 ? 2 * tangent_bits : bits;
    }
    return STATUS_OK;
}

/* Tries periods along the orbit, up to `limit` steps, until a root is found. */
static enum status period_search(struct formula_nucleus *nucleus,
                                 const struct formula_nucleus_options *o, mpfr_srcptr cx,
                                 mpfr_srcptr cy, struct nucleus_walk *w)
{
    for (int tried = 0; !nucleus->period && w->n < o->limit && tried < PERIODS_TRIED;) {
        walk_step(w);
        if (stop_asked(o->stop))
            return stopped(w->n);
        if (is_beyond(w, LOG2_ESCAPED))
            break;
        if (o->progress && w->n % PROGRESS_STEPS == 0)
            o->progress(o->context, (double)w->n / (double)o->limit);
        bool whole = w->n % formula_phases(o->formula) == 0;
        if (whole && log2_newton_step(w) <= o->log2_radius) {
            tried++;
            TRY(root_refine(nucleus, o, cx, cy, w->n));
            if (nucleus->period && o->wanted && !o->wanted(o->within, nucleus->cx, nucleus->cy))
                nucleus->period = 0;
        }
        if (is_at_rest(w))
            break;
    }
    return STATUS_OK;
}

void formula_nucleus_begin(struct formula_nucleus *nucleus, long bits)
{
    *nucleus = (struct formula_nucleus){.period = 0};
    mpfr_inits2(bits, nucleus->cx, nucleus->cy, (mpfr_ptr)0);
}

void formula_nucleus_end(struct formula_nucleus *nucleus)
{
    mpfr_clears(nucleus->cx, nucleus->cy, (mpfr_ptr)0);
}

enum status formula_nucleus_find(struct formula_nucleus *nucleus,
                                 const struct formula_nucleus_options *options)
{
    struct nucleus_walk w;
    mpfr_t cx, cy;
    long bits;
    nucleus->period = 0;
    nucleus->passes = 0;
    TRY(bits_for(options->log2_radius - SEARCH_TANGENT_BITS, options->limit, &bits));
    mpfr_inits2(mpfr_get_prec(nucleus->cx), cx, cy, (mpfr_ptr)0);
    mpfr_set(cx, nucleus->cx, MPFR_RNDN);
    mpfr_set(cy, nucleus->cy, MPFR_RNDN);
    walk_begin(&w, nucleus, options->formula, bits, SEARCH_TANGENT_BITS, TANGENTS_OF_C);
    enum status status = options->period ? root_refine(nucleus, options, cx, cy, options->period)
                                         : period_search(nucleus, options, cx, cy, &w);
    walk_end(&w);
    mpfr_clears(cx, cy, (mpfr_ptr)0);
    return status;
}
