#include "kernels/formula.h"

#include <assert.h>
#include <math.h>

#include "kernels/escape/fraction.h"
#include "kernels/formula/program.h"
#include "kernels/formula/rational.h"
#include "kernels/formula_text.h"
#include "kernels/spec.h"

#define PREFIX f64x1
#define PACK double
#define STEP_FN static inline
#include "kernels/formula/steps.h"

/* The operations of a row; those that are fused count as two. */
#define OPERATIONS_abs_x OPERATION_ABS_X,
#define OPERATIONS_abs_y OPERATION_ABS_Y,
#define OPERATIONS_neg_x OPERATION_NEG_X,
#define OPERATIONS_neg_y OPERATION_NEG_Y,
#define OPERATIONS_keep OPERATION_KEEP,
#define OPERATIONS_mul OPERATION_MUL,
#define OPERATIONS_sqr OPERATION_SQR,
#define OPERATIONS_add OPERATION_ADD,
#define OPERATIONS_swap OPERATION_SWAP,
#define OPERATIONS_sign_y OPERATION_SIGN_Y,
#define OPERATIONS_sqr_add OPERATION_SQR, OPERATION_ADD,
#define OPERATIONS_mul_add OPERATION_MUL, OPERATION_ADD,

#define FORMULA(name, ...)                                                                     \
    static void plain_step_##name(double *x, double *y, double cx, double cy)                  \
    {                                                                                          \
        step_##name##_f64x1(x, y, cx, cy);                                                     \
    }                                                                                          \
    static void plain_slope_##name(struct formula_slope *s, double cx, double cy, double by_c) \
    {                                                                                          \
        struct f64x1_tangent a = {.x = s->x_right, .y = s->y_right, .cx = by_c};               \
        struct f64x1_tangent b = {.x = s->x_up, .y = s->y_up, .cy = by_c};                     \
        slope_##name##_f64x1(&s->x, &s->y, cx, cy, &a, &b);                                    \
        s->x_right = a.x;                                                                      \
        s->y_right = a.y;                                                                      \
        s->x_up = FORMULA_HOLOMORPHIC_##name ? -a.y : b.x;                                     \
        s->y_up = FORMULA_HOLOMORPHIC_##name ? a.x : b.y;                                      \
    }
#include "kernels/formula/formulas.inc"

#define OP(operation) OPERATIONS_##operation
#define FORMULA(text, power, number, home, says, list)                                   \
    [STEP_##text] = {.name = #text,                                                      \
                     .summary = says,                                                    \
                     .degree = power,                                                    \
                     .holomorphic = FORMULA_HOLOMORPHIC_##text,                          \
                     .kalles_fraktaler = number,                                         \
                     .operations = sizeof(enum formula_operation[]){list} / sizeof(int), \
                     .operation = {list},                                                \
                     .step = plain_step_##text,                                          \
                     .slope = plain_slope_##text},
const struct formula_kind formula_kinds[FORMULA_STEPS] = {
#include "kernels/formula/formulas.inc"
};

/* Is the sign of what operation i keeps used? */
static bool gives_sign(const struct formula_phase *phase, int i)
{
    for (i++; i < phase->operations && phase->operation[i] != OPERATION_KEEP; i++)
        if (phase->operation[i] == OPERATION_SIGN_Y)
            return true;
    return false;
}

int formula_tape(const struct formula_phase *phase, int before[FORMULA_OPERATIONS_MAX])
{
    int count = 0;
    bool changed = false;
    for (int i = 0; i < phase->operations; i++)
        switch (phase->operation[i]) {
        case OPERATION_KEEP:
            if (!gives_sign(phase, i))
                break;
            /* fall through */
        case OPERATION_ABS_X:
        case OPERATION_ABS_Y:
        case OPERATION_SIGN_Y:
            if (changed)
                before[count++] = i;
            changed = false;
            break;
        case OPERATION_NEG_X:
        case OPERATION_NEG_Y:
        case OPERATION_SWAP:
            break;
        case OPERATION_SCALE:
        case OPERATION_MUL:
        case OPERATION_SQR:
        case OPERATION_ADD:
        case OPERATION_PLUS:
        case OPERATION_TIMES_C:
            changed = true;
            break;
        }
    return count;
}

const char *formula_name_at(int number, struct formula *formula)
{
    int step = number < 2 ? 0 : number - 1;
    *formula = (struct formula){.plane = number == 1 ? DYNAMIC_PLANE : PARAMETER_PLANE};
    if (number < 0 || step >= FORMULA_ROWS)
        return NULL;
    *formula = formula_of_step((enum formula_step)step);
    if (number == 1)
        formula->plane = DYNAMIC_PLANE;
    return formula_name(formula);
}

struct formula formula_of_step(enum formula_step step)
{
    struct formula formula = {.step = step};
    formula.plane = formula_has_c(&formula) ? PARAMETER_PLANE : DYNAMIC_PLANE;
    return formula;
}

bool formula_has_nuclei(const struct formula *formula)
{
    bool divides = formula_has_c(formula) && rational_divides(formula);
    return formula_perturbed(formula) &&
           (!formula_rational(formula) || rational_kind(formula)->perturbed || divides);
}

double formula_begins(const struct formula *formula)
{
    return formula_rational(formula) && rational_kind(formula)->perturbed
               ? rational_kind(formula)->begins
               : 0;
}

int formula_critical_orbits(const struct formula *formula)
{
    int roots = rational_newton(formula);
    if (rational_by_last(formula) != 0)
        return formula->plane == PARAMETER_PLANE;
    if (rational_magnet(formula))
        return 2; /* from 0 and from 1 - c */
    return !roots ? formula_phases(formula) : formula_has_c(formula) ? roots : 0;
}

bool formula_has_c(const struct formula *formula)
{
    return !formula_rational(formula) || rational_kind(formula)->has_c;
}

int formula_roots(const struct formula *formula)
{
    return formula_rational(formula) ? rational_kind(formula)->roots : 0;
}

bool formula_has_distances(const struct formula *formula)
{
    return !formula_rational(formula) || rational_kind(formula)->rule.order != 1;
}

const struct formula_kind *formula_kind(const struct formula *formula)
{
    assert(formula->step < FORMULA_STEPS);
    return &formula_kinds[formula->step];
}

const char *formula_summary(const struct formula *formula)
{
    if (formula->step == STEP_OWN)
        return "";
    return formula_rational(formula) ? rational_kind(formula)->summary
                                     : formula_kind(formula)->summary;
}

const char *formula_name(const struct formula *formula)
{
    if (formula->step == STEP_OWN)
        return "own";
    if (formula_rational(formula))
        return rational_kind(formula)->name;
    bool is_julia = formula_quadratic(formula) && formula->plane == DYNAMIC_PLANE;
    return is_julia ? "julia" : formula_kind(formula)->name;
}

static bool lists_same(const struct formula_lists *a, const struct formula_lists *b)
{
    if (a->phases != b->phases)
        return false;
    for (int p = 0; p < a->phases; p++)
        if (a->end[p] != b->end[p])
            return false;
    for (int i = 0; a->phases && i < a->end[a->phases - 1]; i++)
        if (a->operation[i] != b->operation[i])
            return false;
    for (int f = 0; f < FORMULA_FACTORS_MAX; f++)
        if (a->factor[f][0] != b->factor[f][0] || a->factor[f][1] != b->factor[f][1])
            return false;
    return true;
}

bool formula_same(const struct formula *a, const struct formula *b)
{
    return formula_same_step(a, b) && a->plane == b->plane &&
           (a->plane == PARAMETER_PLANE || (a->c_re == b->c_re && a->c_im == b->c_im));
}

bool formula_same_step(const struct formula *a, const struct formula *b)
{
    return a->step == b->step && (a->step != STEP_OWN || lists_same(&a->own, &b->own));
}

/* ---- own formulas ---- */

/* |z'| of a list is size |z|^degree far outside; the same of what is kept. */
struct power {
    int degree;
    double size;
};

static double factor_size(const double factor[2])
{
    return sqrt(fma(factor[0], factor[0], factor[1] * factor[1]));
}

/* Degrees that are refused all the same stay numbers. */
static int degree_sum(int a, int b)
{
    return a + b < 1 << 20 ? a + b : 1 << 20;
}

static struct power power_of(const struct formula_phase *phase)
{
    struct power z = {1, 1}, kept = z;
    int factors = 0;
    for (int i = 0; i < phase->operations; i++)
        switch (phase->operation[i]) {
        case OPERATION_KEEP:
            kept = z;
            break;
        case OPERATION_MUL:
            z.degree = degree_sum(z.degree, kept.degree);
            z.size *= kept.size;
            break;
        case OPERATION_SQR:
            z.degree = degree_sum(z.degree, z.degree);
            z.size *= z.size;
            break;
        case OPERATION_SCALE:
            z.size *= factor_size(phase->factor[factors++]);
            break;
        default:
            break;
        }
    return z;
}

struct formula_phase formula_phase(const struct formula *formula, int phase)
{
    assert(phase >= 0 && phase < formula_phases(formula));
    if (formula_rational(formula))
        return rational_phase(formula);
    if (formula->step != STEP_OWN) {
        const struct formula_kind *kind = formula_kind(formula);
        return (struct formula_phase){kind->operation, NULL, kind->operations, kind->degree, 1};
    }
    const struct formula_lists *own = &formula->own;
    int from = phase ? own->end[phase - 1] : 0, factors = 0;
    for (int i = 0; i < from; i++)
        factors += own->operation[i] == OPERATION_SCALE;
    struct formula_phase list = {own->operation + from, own->factor + factors,
                                 own->end[phase] - from, 1, 1};
    struct power power = power_of(&list);
    list.degree = power.degree;
    list.size = power.size;
    return list;
}

int formula_degree(const struct formula *formula)
{
    int most = 0;
    if (formula_rational(formula))
        return rational_kind(formula)->rule.far.degree;
    for (int p = 0; p < formula_phases(formula); p++) {
        int degree = formula_phase(formula, p).degree;
        most = degree > most ? degree : most;
    }
    return most;
}

bool formula_holomorphic(const struct formula *formula)
{
    static const bool holomorphic[] = {
        [OPERATION_KEEP] = true,   [OPERATION_MUL] = true,   [OPERATION_SQR] = true,
        [OPERATION_ADD] = true,    [OPERATION_SWAP] = false, [OPERATION_SCALE] = true,
        [OPERATION_SIGN_Y] = false};
    if (formula_rational(formula))
        return true;
    if (formula->step != STEP_OWN)
        return formula_kind(formula)->holomorphic;
    for (int i = 0; i < formula->own.end[formula->own.phases - 1]; i++)
        if (!holomorphic[formula->own.operation[i]])
            return false;
    return true;
}

/* Is a value multiplied, or given a sign, after c was added to it? */
static bool takes_c(const struct formula_phase *phase)
{
    bool added = false;
    for (int i = 0; i < phase->operations; i++) {
        enum formula_operation operation = phase->operation[i];
        if (added && (operation == OPERATION_MUL || operation == OPERATION_SQR ||
                      operation == OPERATION_SIGN_Y))
            return true;
        added = added || operation == OPERATION_ADD;
    }
    return false;
}

bool formula_perturbed(const struct formula *formula)
{
    if (formula_rational(formula))
        return true;
    if (formula_phases(formula) > FORMULA_PERTURBED_PHASES_MAX)
        return false;
    for (int p = 0; p < formula_phases(formula); p++) {
        struct formula_phase phase = formula_phase(formula, p);
        if (takes_c(&phase))
            return false;
    }
    return true;
}

/* The operations of the list that takes z_n, on x_ and y_, fused as in formula_program. */
#define LIST_RUN(lists, n, each)                                                               \
    {                                                                                          \
        int phase_ = (int)((n) % (lists)->phases), i_ = phase_ ? (lists)->end[phase_ - 1] : 0; \
        double kept_x = x_, kept_y = y_;                                                       \
        const double(*factor_)[2] = (lists)->factor;                                           \
        for (int f_ = 0; f_ < i_; f_++)                                                        \
            factor_ += (lists)->operation[f_] == OPERATION_SCALE;                              \
        for (; i_ < (lists)->end[phase_]; i_++) {                                              \
            enum formula_fused fused_ = formula_fused(lists, phase_, &i_);                     \
            const double *now_ = fused_ == FUSED_scale ? *factor_++ : (lists)->factor[0];      \
            double factor_x = now_[0], factor_y = now_[1];                                     \
            switch (fused_) {                                                                  \
                FORMULA_FUSED(each)                                                            \
            default:                                                                           \
                break;                                                                         \
            }                                                                                  \
        }                                                                                      \
    }

#define S(word) f64x1_##word
void formula_iterate(const struct formula *formula, int64_t n, double *x, double *y, double cx,
                     double cy)
{
    if (formula->step != STEP_OWN) {
        formula_kind(formula)->step(x, y, cx, cy);
        return;
    }
    double x_ = *x, y_ = *y;
#define EACH(name)     \
    case FUSED_##name: \
        STEP_##name break;
    LIST_RUN(&formula->own, n, EACH)
#undef EACH
    *x = x_;
    *y = y_;
}

void formula_iterate_slope(const struct formula *formula, int64_t n, struct formula_slope *slope,
                           double cx, double cy, double by_c)
{
    if (formula->step != STEP_OWN) {
        formula_kind(formula)->slope(slope, cx, cy, by_c);
        return;
    }
    struct f64x1_tangent a = {slope->x_right, slope->y_right, by_c, 0, 0, 0};
    struct f64x1_tangent b = {slope->x_up, slope->y_up, 0, by_c, 0, 0};
    double x_ = slope->x, y_ = slope->y;
#define EACH(name)     \
    case FUSED_##name: \
        SLOPE_##name(a) SLOPE_##name(b) STEP_##name break;
    LIST_RUN(&formula->own, n, EACH)
#undef EACH
    *slope = (struct formula_slope){x_, y_, a.x, a.y, b.x, b.y};
}
#undef S

double formula_fraction_base(const struct formula *formula, int64_t count, double bailout)
{
    struct formula_phase phase =
        formula_phase(formula, (int)((count - 1) % formula_phases(formula)));
    return phase.degree + fraction_log2(phase.size) / fraction_log2(bailout);
}

/* a b, or -1 where it is too small for a double: a z of 0 is one to which nothing was added. */
static double size_product(double a, double b)
{
    if (a == 0 || b == 0)
        return 0;
    return a * b > 0 ? a * b : -1;
}

/* Lower bound of |z'| after a list, from |z| = r, with |c| = c; -1: there is none. z is 0 as long
 * as nothing was added to 0. */
static double size_after(const struct formula_phase *phase, double r, double c)
{
    double z = r, kept = r;
    int factors = 0;
    for (int i = 0; i < phase->operations && z >= 0; i++)
        switch (phase->operation[i]) {
        case OPERATION_KEEP:
            kept = z;
            break;
        case OPERATION_MUL:
            z = size_product(z, kept);
            break;
        case OPERATION_SQR:
            z = size_product(z, z);
            break;
        case OPERATION_SCALE:
            z = size_product(z, factor_size(phase->factor[factors++]));
            break;
        case OPERATION_ADD:
            if (z > 0 && z <= c)
                return -1;
            z = z > 0 ? z - c : c;
            break;
        default:
            break;
        }
    return z;
}

/* Does every orbit that is beyond R, and beyond |c|, grow in every phase?
 *
 * Let l(r, s) be what size_after gives for |z| = r, |c| = s, and h(s) the same from z = 0. Each
 * operation keeps l(q s, s) / s, l(r, s) / r and h(s) / s from falling as r and s grow, as long as
 * no sum is negative, which it then never becomes. Let q = min(1, h(R) / R) over the phases where h
 * is not 0. If l(q R, R) >= q R in every phase, then an orbit that begins at 0 is at 0, or where
 * |c| >= R at q |c| at least; and from |z| >= q max(R, |c|) on |z'| >= |z|. */
static bool grows(const struct formula *formula, double radius)
{
    double q = 1;
    for (int p = 0; p < formula_phases(formula); p++) {
        struct formula_phase phase = formula_phase(formula, p);
        double first = size_after(&phase, 0, radius);
        if (first < 0 || phase.degree < 2)
            return false;
        if (first > 0)
            q = fmin(q, first / radius);
    }
    for (int p = 0; p < formula_phases(formula); p++) {
        struct formula_phase phase = formula_phase(formula, p);
        if (!(size_after(&phase, q * radius, radius) >= q * radius))
            return false;
    }
    return true;
}

/* Why no radius is found, and what to do. */
static enum status growth_fail(const struct formula *formula)
{
    for (int p = 0; p < formula_phases(formula); p++)
        if (formula_phase(formula, p).degree < 2)
            return status_fail(STATUS_CONFIG,
                               "list %d has no power of z, so orbits need not grow in it; put sqr, "
                               "keep and mul, or pow into every list",
                               p + 1);
    return status_fail(STATUS_CONFIG,
                       "no radius up to %g is proven beyond which orbits only grow; take scale by "
                       "larger numbers, and add c last",
                       SPEC_BAILOUT_MAX);
}

/* The largest radius whose powers squared are doubles, a whole number. Of a row that converges with
 * order p, |w| may come down to 1/R^p: it must stay so far above the last digits of z that
 * fractions are good to some 1e-6. */
static double bailout_most(const struct formula *formula)
{
    enum { REST_BITS = 33 }; /* by which |w| may lie below z, so that it has 20 of its own */
    double log2_most = 500;
    if (formula_rational(formula))
        return floor(exp2((double)REST_BITS / fmax(rational_kind(formula)->rule.order, 1)));
    for (int p = 0; p < formula_phases(formula); p++) {
        struct formula_phase phase = formula_phase(formula, p);
        log2_most = fmin(log2_most, (500 - fmax(log2(phase.size), 0)) / phase.degree);
    }
    return floor(exp2(log2_most));
}

/* The least radius, some millionths larger. */
static double bailout_least(const struct formula *formula)
{
    double below = log2(SPEC_BAILOUT_MIN), above = log2(SPEC_BAILOUT_MAX);
    if (grows(formula, SPEC_BAILOUT_MIN))
        return SPEC_BAILOUT_MIN;
    for (int i = 0; i < 40; i++) {
        double middle = 0.5 * (below + above);
        if (grows(formula, exp2(middle)))
            above = middle;
        else
            below = middle;
    }
    return fmin(exp2(above) * (1 + 1e-6), SPEC_BAILOUT_MAX);
}

enum status formula_least_bailout(const struct formula *formula, double *bailout)
{
    *bailout = SPEC_BAILOUT_MIN;
    if (formula->step != STEP_OWN)
        return STATUS_OK;
    if (!grows(formula, SPEC_BAILOUT_MAX))
        return growth_fail(formula);
    *bailout = bailout_least(formula);
    double most = bailout_most(formula);
    if (ceil(*bailout) > most)
        return status_fail(STATUS_CONFIG,
                           "orbits grow beyond a radius of %.4g, and powers overflow beyond one of "
                           "%g; take scale by numbers nearer to 1, or smaller powers",
                           *bailout, most);
    return STATUS_OK;
}

enum status formula_bailout_near(const struct formula *formula, double wanted, double *bailout)
{
    double least;
    *bailout = wanted;
    TRY(formula_least_bailout(formula, &least));
    *bailout = fmin(fmax(wanted, ceil(least)), bailout_most(formula));
    return STATUS_OK;
}

static enum status bailout_check(const struct formula *formula, double bailout)
{
    double least, most = bailout_most(formula);
    if (formula->step == STEP_OWN && !grows(formula, bailout)) {
        TRY(formula_least_bailout(formula, &least));
        return status_fail(STATUS_CONFIG,
                           "a bailout radius of %g is too small for this formula: orbits come back "
                           "from beyond it; use --bailout %.0f",
                           bailout, ceil(least));
    }
    if (bailout > most)
        return status_fail(STATUS_CONFIG,
                           "a bailout radius of %g is too large for %s of this formula; use "
                           "--bailout %.0f at most",
                           bailout, formula_rational(formula) ? "the convergence" : "powers", most);
    return STATUS_OK;
}

enum status formula_check(const struct formula *formula, double bailout)
{
    TRY(bailout_check(formula, bailout));
    if (formula->plane == PARAMETER_PLANE)
        return formula_has_c(formula)
                   ? STATUS_OK
                   : status_fail(STATUS_CONFIG, "%s has no c, so there is no plane of it",
                                 formula_name(formula));
    double re = formula->c_re, im = formula->c_im, size = hypot(re, im);
    if (!(fabs(re) <= FORMULA_C_MAX && fabs(im) <= FORMULA_C_MAX))
        return status_fail(STATUS_CONFIG,
                           "c = %g %+g i of the Julia set lies beyond +-%g; connected ones "
                           "have c within 2",
                           re, im, FORMULA_C_MAX);
    if (size > bailout && !formula_rational(formula)) /* every step of rational rows is tested */
        return status_fail(STATUS_CONFIG,
                           "a bailout radius of %g is smaller than |c| = %g of the Julia set, so "
                           "orbits come back from beyond it; use --bailout %g",
                           bailout, size, ceil(size));
    return STATUS_OK;
}
