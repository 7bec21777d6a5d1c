#include "kernels/orbit/formula_orbit.h"

enum { NUMBERS = 16, FACTOR_BITS = 64 };

static mpfr_ptr number_at(struct formula_numbers *n, int number)
{
    mpfr_ptr const list[NUMBERS] = {n->x,      n->y,      n->cx,          n->cy,
                                    n->kept_x, n->kept_y, n->seen_x,      n->seen_y,
                                    n->last_x, n->last_y, n->seen_last_x, n->seen_last_y,
                                    n->sum,    n->other,  n->factor_x,    n->factor_y};
    return list[number];
}

static void tapes_set(struct formula_numbers *numbers)
{
    for (int p = 0; p < formula_phases(&numbers->formula); p++) {
        struct list_tape *tape = &numbers->tapes[p];
        tape->list = formula_phase(&numbers->formula, p);
        tape->slots = formula_tape(&tape->list, tape->before);
        if (tape->slots > numbers->tape_width)
            numbers->tape_width = tape->slots;
    }
}

void formula_numbers_open(struct formula_numbers *numbers, const struct formula *formula, int phase,
                          long bits, double log2_step)
{
    *numbers = (struct formula_numbers){
        .open = true, .formula = *formula, .phase = phase, .log2_need = -INFINITY};
    tapes_set(numbers);
    numbers->by_last = rational_by_last(formula);
    if (rational_divides(formula))
        rational_numbers_open(&numbers->rational, formula, bits);
    if (numbers->rational.roots || numbers->rational.magnet)
        numbers->tape_width = numbers->rational.roots ? 1 : MAGNET_TAPE;
    for (int i = 0; i < NUMBERS; i++) {
        mpfr_init2(number_at(numbers, i), bits);
        mpfr_set_zero(number_at(numbers, i), 1);
    }
    mpfr_set_prec(numbers->factor_x, FACTOR_BITS);
    mpfr_set_prec(numbers->factor_y, FACTOR_BITS);
    if (isfinite(log2_step)) {
        double whole = floor(log2_step);
        numbers->pixel = scaled_settle(exp2(log2_step - whole), 0, (int64_t)whole);
        numbers->error = scaled_of(1, 0);
        numbers->log2_need = -log2_step;
    }
}

void formula_numbers_close(struct formula_numbers *numbers)
{
    for (int i = 0; numbers->open && i < NUMBERS; i++)
        mpfr_clear(number_at(numbers, i));
    rational_numbers_close(&numbers->rational);
    *numbers = (struct formula_numbers){0};
}

/* ---- the operations ---- */

/* (x + y) (x - y), 2 x y */
static void square(struct formula_numbers *n)
{
    mpfr_add(n->sum, n->x, n->y, MPFR_RNDN);
    mpfr_sub(n->other, n->x, n->y, MPFR_RNDN);
    mpfr_mul(n->y, n->x, n->y, MPFR_RNDN);
    mpfr_mul_2ui(n->y, n->y, 1, MPFR_RNDN);
    mpfr_mul(n->x, n->sum, n->other, MPFR_RNDN);
}

static void multiply(struct formula_numbers *n, mpfr_srcptr x, mpfr_srcptr y)
{
    mpfr_fmms(n->other, n->x, x, n->y, y, MPFR_RNDN);
    mpfr_fmma(n->y, n->x, y, n->y, x, MPFR_RNDN);
    mpfr_swap(n->x, n->other);
}

static void operate(struct formula_numbers *n, enum formula_operation operation)
{
    switch (operation) {
    case OPERATION_ABS_X:
        mpfr_abs(n->x, n->x, MPFR_RNDN);
        break;
    case OPERATION_ABS_Y:
        mpfr_abs(n->y, n->y, MPFR_RNDN);
        break;
    case OPERATION_NEG_X:
        mpfr_neg(n->x, n->x, MPFR_RNDN);
        break;
    case OPERATION_NEG_Y:
        mpfr_neg(n->y, n->y, MPFR_RNDN);
        break;
    case OPERATION_KEEP:
        mpfr_set(n->kept_x, n->x, MPFR_RNDN);
        mpfr_set(n->kept_y, n->y, MPFR_RNDN);
        break;
    case OPERATION_MUL:
        multiply(n, n->kept_x, n->kept_y);
        break;
    case OPERATION_SQR:
        square(n);
        break;
    case OPERATION_ADD:
        mpfr_add(n->x, n->x, n->cx, MPFR_RNDN);
        mpfr_add(n->y, n->y, n->cy, MPFR_RNDN);
        break;
    case OPERATION_SWAP:
        mpfr_swap(n->x, n->y);
        break;
    case OPERATION_SCALE:
        multiply(n, n->factor_x, n->factor_y);
        break;
    case OPERATION_SIGN_Y:
        mpfr_copysign(n->y, n->y, n->kept_y, MPFR_RNDN);
        break;
    case OPERATION_PLUS:
        mpfr_add(n->x, n->x, n->factor_x, MPFR_RNDN);
        mpfr_add(n->y, n->y, n->factor_y, MPFR_RNDN);
        break;
    case OPERATION_TIMES_C:
        multiply(n, n->cx, n->cy);
        break;
    }
}

/* ---- errors ---- */

/* |a|, as a real number. */
static struct complex_scaled size_of(struct complex_scaled a)
{
    return scaled_settle(hypot(a.x, a.y), 0, a.e);
}

static struct complex_scaled power_of(struct complex_scaled a, int power)
{
    struct complex_scaled result = scaled_of(1, 0);
    while (power-- > 0)
        result = scaled_mul(result, a);
    return result;
}

/* Keeps powers of what goes to 0 or infinity within the range of exponents; they say no more long
 * before its end. */
static struct complex_scaled bounded(struct complex_scaled a)
{
    const int64_t most = (int64_t)1 << 40;
    if (!scaled_is_zero(a))
        a.e = a.e < -most ? -most : a.e > most ? most : a.e;
    return a;
}

double formula_numbers_size(const struct formula_numbers *n, const struct formula_phase *list)
{
    double size = list->size;
    for (int i = 0; i < list->operations; i++)
        if (list->operation[i] == OPERATION_TIMES_C)
            size *= hypot(mpfr_get_d(n->cx, MPFR_RNDN), mpfr_get_d(n->cy, MPFR_RNDN));
    return size;
}

/* Follows the pixel's size, s' = k (d |z|^(d - 1) s + s^d), and the error's, with that of the step.
 */
static void errors_step(struct formula_numbers *n, const struct formula_phase *list,
                        struct complex_scaled z)
{
    int degree = list->degree;
    double k = formula_numbers_size(n, list);
    struct complex_scaled size = bounded(size_of(z));
    struct complex_scaled slope = scaled_times(power_of(size, degree - 1), k * degree);
    struct complex_scaled largest = scaled_times(power_of(size, degree), k);
    struct complex_scaled power = scaled_times(power_of(n->pixel, degree), k);
    n->pixel = bounded(scaled_add(scaled_mul(slope, n->pixel), power));
    n->error = scaled_add(
        scaled_mul(slope, n->error),
        scaled_times(scaled_add(largest, scaled_of(1 + k, 0)), 1 << FORMULA_ROUNDING_LOG2));
    double need = scaled_log2(n->error) - scaled_log2(n->pixel);
    n->log2_need = fmax(n->log2_need, need);
}

/* errors_step of Nova, whose f' is k (1 - z^-n) / n: about (n - 1) v at v from a root, where f is
 * v^2 (n - 1) / 2. */
static void nova_errors_step(struct formula_numbers *n, struct complex_scaled z,
                             struct complex_scaled off)
{
    const double k = n->rational.roots - 1, near = -20;
    struct complex_scaled slope = scaled_times(size_of(off), k);
    struct complex_scaled pixel = scaled_mul(slope, n->pixel), one = scaled_of(1, 0);
    if (scaled_log2(off) < near)
        pixel = scaled_add(pixel, scaled_times(power_of(n->pixel, 2), k / 2));
    else if (!scaled_is_zero(z)) {
        struct complex_scaled power = scaled_div(one, power_of(bounded(z), n->rational.roots));
        slope = scaled_times(size_of(scaled_add(one, scaled_times(power, -1))), k / (k + 1));
        pixel = scaled_mul(slope, n->pixel);
    }
    struct complex_scaled step = scaled_add(scaled_mul(slope, size_of(bounded(z))), one);
    n->pixel = bounded(pixel);
    n->error = bounded(
        scaled_add(scaled_mul(slope, n->error), scaled_times(step, 1 << FORMULA_ROUNDING_LOG2)));
    n->log2_need = fmax(n->log2_need, scaled_log2(n->error) - scaled_log2(n->pixel));
}

/* errors_step of a magnet, z' = g^2, g = 1 + t^k / S, with t = z - 1 and b = t + c:
 * dg/dz = k (t b)^(k - 1) / S^2. Near t = 0, b = 0 and g = 0 squares count. */
static void magnet_errors_step(struct formula_numbers *n, struct complex_scaled t,
                               struct complex_scaled b, struct complex_scaled g)
{
    const int k = n->rational.magnet, near = -20;
    struct complex_scaled s = scaled_add(t, b), one = scaled_of(1, 0);
    if (k == 3)
        s = scaled_add(scaled_mul(t, t), scaled_mul(b, s));
    if (scaled_is_zero(s))
        return;
    s = size_of(s), t = size_of(t), b = size_of(b), g = size_of(g);
    struct complex_scaled over = scaled_div(one, s), twice = scaled_times(g, 2);
    struct complex_scaled stretch =
        scaled_mul(scaled_times(power_of(scaled_mul(t, b), k - 1), k), scaled_mul(over, over));
    struct complex_scaled pixel = scaled_mul(stretch, n->pixel);
    if (scaled_log2(t) < near || scaled_log2(b) < near)
        pixel = scaled_add(pixel, scaled_mul(power_of(n->pixel, k), over));
    struct complex_scaled terms = scaled_mul(
        power_of(scaled_add(scaled_times(one, 4), scaled_add(scaled_times(t, 2), b)), k), over);
    struct complex_scaled rounds =
        scaled_times(scaled_mul(terms, scaled_add(one, g)), 1 << FORMULA_ROUNDING_LOG2);
    struct complex_scaled error = scaled_add(scaled_mul(stretch, n->error), rounds);
    n->log2_need = fmax(n->log2_need, scaled_log2(error) - scaled_log2(pixel));
    struct complex_scaled square = power_of(pixel, 2);
    pixel = scaled_mul(twice, pixel);
    n->pixel = bounded(scaled_log2(g) < near ? scaled_add(pixel, square) : pixel);
    n->error =
        bounded(scaled_add(scaled_mul(twice, error), scaled_times(scaled_add(one, scaled_mul(g, g)),
                                                                  1 << FORMULA_ROUNDING_LOG2)));
    n->log2_need = fmax(n->log2_need, scaled_log2(n->error) - scaled_log2(n->pixel));
}

void formula_numbers_follow(struct formula_numbers *n, int phase,
                            const struct formula_values *values)
{
    if (!isfinite(n->log2_need))
        return;
    if (n->rational.magnet)
        magnet_errors_step(n, values->z, values->tape[MAGNET_B], values->tape[MAGNET_G]);
    else if (n->rational.roots)
        nova_errors_step(n, values->z, values->tape[0]);
    else
        errors_step(n, &n->tapes[phase].list, values->z);
}

/* ---- steps ---- */

static void henon_step(struct formula_numbers *n)
{
    mpfr_set(n->kept_x, n->x, MPFR_RNDN);
    mpfr_set(n->kept_y, n->y, MPFR_RNDN);
    square(n);
    operate(n, OPERATION_ADD);
    mpfr_mul_d(n->last_x, n->last_x, n->by_last, MPFR_RNDN);
    mpfr_mul_d(n->last_y, n->last_y, n->by_last, MPFR_RNDN);
    mpfr_add(n->x, n->x, n->last_x, MPFR_RNDN);
    mpfr_add(n->y, n->y, n->last_y, MPFR_RNDN);
    mpfr_swap(n->last_x, n->kept_x);
    mpfr_swap(n->last_y, n->kept_y);
}

/* Takes a magnet's step, whose tape is B and, behind the step, G. */
static void magnet_step(struct formula_numbers *n, const struct formula_watch *watch)
{
    struct rational_numbers *magnet = &n->rational;
    const bool follows = isfinite(n->log2_need);
    struct formula_values values;
    if (follows)
        values.z = scaled_set(n->x, n->y);
    mpfr_add(magnet->sum_x, n->x, n->cx, MPFR_RNDN);
    mpfr_add(magnet->sum_y, n->y, n->cy, MPFR_RNDN);
    if (follows)
        values.tape[MAGNET_B] = scaled_set(magnet->sum_x, magnet->sum_y);
    if (watch->folds)
        watch->folds(watch->context, MAGNET_B, magnet->sum_x, magnet->sum_y);
    rational_numbers_step(magnet, n->x, n->y, n->cx, n->cy);
    if (watch->folds)
        watch->folds(watch->context, MAGNET_G, magnet->x[REGISTER_A], magnet->y[REGISTER_A]);
    if (!follows)
        return;
    values.tape[MAGNET_G] = scaled_set(magnet->x[REGISTER_A], magnet->y[REGISTER_A]);
    formula_numbers_follow(n, 0, &values);
}

static void rational_step(struct formula_numbers *n, const struct formula_watch *watch)
{
    struct rational_numbers *newton = &n->rational;
    if (newton->magnet) {
        magnet_step(n, watch);
        return;
    }
    if (newton->roots) {
        rational_numbers_off(newton, n->x, n->y);
        if (isfinite(n->log2_need))
            nova_errors_step(n, scaled_set(n->x, n->y), scaled_set(newton->sum_x, newton->sum_y));
        if (watch->folds)
            watch->folds(watch->context, 0, newton->sum_x, newton->sum_y);
    }
    rational_numbers_step(newton, n->x, n->y, n->cx, n->cy);
}

void formula_numbers_step(struct formula_numbers *n, const struct formula_watch *watch)
{
    const struct list_tape *tape = &n->tapes[n->phase];
    const struct formula_phase *list = &tape->list;
    if (n->rational.open) {
        rational_step(n, watch);
        return;
    }
    if (n->by_last != 0) {
        henon_step(n);
        return;
    }
    if (isfinite(n->log2_need))
        errors_step(n, list, scaled_set(n->x, n->y));
    for (int i = 0, slot = 0, factor = 0; i < list->operations; i++) {
        if (watch->folds && slot < tape->slots && tape->before[slot] == i)
            watch->folds(watch->context, slot++, n->x, n->y);
        if (formula_has_factor(list->operation[i])) {
            mpfr_set_d(n->factor_x, list->factor[factor][0], MPFR_RNDN);
            mpfr_set_d(n->factor_y, list->factor[factor++][1], MPFR_RNDN);
        }
        if (watch->before)
            watch->before(watch->context, list->operation[i]);
        operate(n, list->operation[i]);
    }
    n->phase = n->phase + 1 == formula_phases(&n->formula) ? 0 : n->phase + 1;
}

void formula_numbers_remember(struct formula_numbers *numbers)
{
    mpfr_set(numbers->seen_x, numbers->x, MPFR_RNDN);
    mpfr_set(numbers->seen_y, numbers->y, MPFR_RNDN);
    mpfr_set(numbers->seen_last_x, numbers->last_x, MPFR_RNDN);
    mpfr_set(numbers->seen_last_y, numbers->last_y, MPFR_RNDN);
    numbers->seen_phase = numbers->phase;
}

bool formula_numbers_seen(const struct formula_numbers *numbers)
{
    return numbers->phase == numbers->seen_phase && mpfr_equal_p(numbers->x, numbers->seen_x) &&
           mpfr_equal_p(numbers->y, numbers->seen_y) &&
           mpfr_equal_p(numbers->last_x, numbers->seen_last_x) &&
           mpfr_equal_p(numbers->last_y, numbers->seen_last_y);
}
