#include "kernels/orbit/rational_numbers.h"

typedef void number_verb(mpfr_ptr number, mpfr_prec_t bits);

static void number_begin(mpfr_ptr number, mpfr_prec_t bits)
{
    mpfr_init2(number, bits);
    mpfr_set_zero(number, 1);
}

static void number_end(mpfr_ptr number, mpfr_prec_t bits)
{
    (void)bits;
    mpfr_clear(number);
}

static void each_number(struct rational_numbers *numbers, number_verb *call, mpfr_prec_t bits)
{
    for (int i = 0; i < RATIONAL_REGISTERS; i++) {
        call(numbers->x[i], bits);
        call(numbers->y[i], bits);
    }
    call(numbers->sum_x, bits);
    call(numbers->sum_y, bits);
    call(numbers->norm, bits);
}

/* e^(2 pi i k / roots) */
static void roots_begin(struct rational_numbers *numbers, mpfr_prec_t bits)
{
    for (int k = 0; k < numbers->roots; k++) {
        rational_root(numbers->roots, k, numbers->root[k]);
        mpfr_init2(numbers->root_x[k], bits);
        mpfr_init2(numbers->root_y[k], bits);
        mpfr_const_pi(numbers->norm, MPFR_RNDN);
        mpfr_mul_ui(numbers->norm, numbers->norm, 2 * (unsigned)k, MPFR_RNDN);
        mpfr_div_ui(numbers->norm, numbers->norm, (unsigned)numbers->roots, MPFR_RNDN);
        mpfr_sin_cos(numbers->root_y[k], numbers->root_x[k], numbers->norm, MPFR_RNDN);
        for (int exact = 0; exact < 2; exact++) { /* 0 and 1, where pi is rounded */
            double part = numbers->root[k][exact];
            if (part == 0 || part == 0.5 || part == 1 || part == -0.5 || part == -1)
                mpfr_set_d((exact ? numbers->root_y : numbers->root_x)[k], part, MPFR_RNDN);
        }
    }
}

void rational_numbers_open(struct rational_numbers *numbers, const struct formula *formula,
                           mpfr_prec_t bits)
{
    numbers->open = true;
    numbers->kind = rational_kind(formula);
    numbers->roots = formula_has_c(formula) ? rational_newton(formula) : 0;
    numbers->magnet = rational_magnet(formula);
    each_number(numbers, number_begin, bits);
    roots_begin(numbers, bits);
}

void rational_numbers_close(struct rational_numbers *numbers)
{
    if (numbers->open)
        each_number(numbers, number_end, 0);
    for (int k = 0; numbers->open && k < numbers->roots; k++)
        mpfr_clears(numbers->root_x[k], numbers->root_y[k], (mpfr_ptr)0);
    numbers->open = false;
}

/* The sum becomes (u, v) / (x, y). */
static void divide(struct rational_numbers *r, mpfr_srcptr u, mpfr_srcptr v, mpfr_srcptr x,
                   mpfr_srcptr y)
{
    mpfr_fmma(r->norm, x, x, y, y, MPFR_RNDN);
    mpfr_fmma(r->sum_x, u, x, v, y, MPFR_RNDN);
    mpfr_fmms(r->sum_y, v, x, u, y, MPFR_RNDN);
    mpfr_div(r->sum_x, r->sum_x, r->norm, MPFR_RNDN);
    mpfr_div(r->sum_y, r->sum_y, r->norm, MPFR_RNDN);
}

static void by_number(struct rational_numbers *r, const struct rational_operation *operation)
{
    mpfr_mul_si(r->sum_x, r->sum_x, operation->n, MPFR_RNDN);
    mpfr_mul_si(r->sum_y, r->sum_y, operation->n, MPFR_RNDN);
    mpfr_div_si(r->sum_x, r->sum_x, operation->d, MPFR_RNDN);
    mpfr_div_si(r->sum_y, r->sum_y, operation->d, MPFR_RNDN);
}

/* conj(a) / |a|^2 */
static void invert(struct rational_numbers *r, mpfr_srcptr x, mpfr_srcptr y)
{
    mpfr_fmma(r->norm, x, x, y, y, MPFR_RNDN);
    mpfr_div(r->sum_x, x, r->norm, MPFR_RNDN);
    mpfr_div(r->sum_y, y, r->norm, MPFR_RNDN);
    mpfr_neg(r->sum_y, r->sum_y, MPFR_RNDN);
}

static void operate(struct rational_numbers *r, const struct rational_operation *operation)
{
    mpfr_srcptr ax = r->x[operation->a], ay = r->y[operation->a];
    mpfr_srcptr bx = r->x[operation->b], by = r->y[operation->b];
    switch (operation->does) {
    case RATIONAL_sqr:
    case RATIONAL_mul:
        bx = operation->does == RATIONAL_sqr ? ax : bx;
        by = operation->does == RATIONAL_sqr ? ay : by;
        mpfr_fmms(r->sum_x, ax, bx, ay, by, MPFR_RNDN);
        mpfr_fmma(r->sum_y, ax, by, ay, bx, MPFR_RNDN);
        break;
    case RATIONAL_div:
        divide(r, ax, ay, bx, by);
        break;
    case RATIONAL_add:
        mpfr_add(r->sum_x, ax, bx, MPFR_RNDN);
        mpfr_add(r->sum_y, ay, by, MPFR_RNDN);
        break;
    case RATIONAL_sub:
        mpfr_sub(r->sum_x, ax, bx, MPFR_RNDN);
        mpfr_sub(r->sum_y, ay, by, MPFR_RNDN);
        break;
    case RATIONAL_scale:
        mpfr_set(r->sum_x, ax, MPFR_RNDN);
        mpfr_set(r->sum_y, ay, MPFR_RNDN);
        by_number(r, operation);
        break;
    case RATIONAL_invert:
        invert(r, ax, ay);
        by_number(r, operation);
        break;
    case RATIONAL_plus:
        mpfr_set_si(r->norm, operation->n, MPFR_RNDN);
        mpfr_div_si(r->norm, r->norm, operation->d, MPFR_RNDN);
        mpfr_add(r->sum_x, ax, r->norm, MPFR_RNDN);
        mpfr_set(r->sum_y, ay, MPFR_RNDN);
        break;
    }
    mpfr_swap(r->x[operation->to], r->sum_x);
    mpfr_swap(r->y[operation->to], r->sum_y);
}

void rational_numbers_off(struct rational_numbers *r, mpfr_srcptr x, mpfr_srcptr y)
{
    int near = rational_root_near((const double(*)[2])r->root, r->roots, mpfr_get_d(x, MPFR_RNDN),
                                  mpfr_get_d(y, MPFR_RNDN));
    mpfr_sub(r->sum_x, x, r->root_x[near], MPFR_RNDN);
    mpfr_sub(r->sum_y, y, r->root_y[near], MPFR_RNDN);
}

/* Sets z and g at a pole, where g is larger than any view's pixel makes it. */
static void pole_set(struct rational_numbers *r)
{
    mpfr_set_ui_2exp(r->x[REGISTER_A], 1, RATIONAL_POLE, MPFR_RNDN);
    mpfr_set_ui_2exp(r->x[REGISTER_Z], 1, 2 * RATIONAL_POLE, MPFR_RNDN);
    mpfr_set_zero(r->y[REGISTER_A], 1);
    mpfr_set_zero(r->y[REGISTER_Z], 1);
}

void rational_numbers_step(struct rational_numbers *r, mpfr_t x, mpfr_t y, mpfr_srcptr cx,
                           mpfr_srcptr cy)
{
    mpfr_add_ui(r->x[REGISTER_Z], x, r->magnet != 0, MPFR_RNDN);
    mpfr_set(r->y[REGISTER_Z], y, MPFR_RNDN);
    mpfr_set(r->x[REGISTER_C], cx, MPFR_RNDN);
    mpfr_set(r->y[REGISTER_C], cy, MPFR_RNDN);
    for (int i = 0; i < r->kind->operations; i++)
        operate(r, &r->kind->operation[i]);
    if (r->magnet && !(mpfr_number_p(r->x[REGISTER_Z]) && mpfr_number_p(r->y[REGISTER_Z])))
        pole_set(r);
    mpfr_swap(r->x[REGISTER_P], x); /* what operate does not change but by way of Z */
    mpfr_swap(r->y[REGISTER_P], y);
    mpfr_sub_ui(x, r->x[REGISTER_Z], r->magnet != 0, MPFR_RNDN);
    mpfr_set(y, r->y[REGISTER_Z], MPFR_RNDN);
}
