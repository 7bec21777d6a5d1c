/* What is the true count of a pixel? A slow program that shares nothing with the product.
 *
 *     oracle [--formula WORDS | --rational STEP ENDS BEGIN] RE IM ZOOM WIDTH HEIGHT LIMIT BAILOUT
 * [ROTATION_DEG [C_RE C_IM]] < pixels
 *
 * With C_RE and C_IM, which mean the doubles next to them, the pixel is z_0; else it is c and z_0
 * is 0. The count is the smallest n >= 1 with |z_n| > BAILOUT, z_(n+1) = z_n^2 + c, or what is done
 * to z_n by the letters of WORDS: x and y fold the real and imaginary part, X and Y change their
 * signs, w swaps the parts, k keeps z, m multiplies by what was kept, f(RE,IM) by a constant, g
 * gives the imaginary part the sign of the kept one, s squares, c adds c. "xysc" is the Burning
 * Ship. Lists with / between take turns, one each n.
 *
 * STEP is z_(n+1) in reverse Polish notation, words with spaces between: z and p (z_n and z_(n-1),
 * 0 at first), c, whole numbers, + - * / and s, which squares. z_0 = BEGIN if the pixel is c. ENDS
 * has the letters of what ends an orbit, at the smallest n >= 1: f, |z_n| > BAILOUT; r, |z_n -
 * z_(n-1)| <= 1 / BAILOUT; o, |z_n - 1| <= 1 / BAILOUT.
 *
 * Each input line `x y` gives an output line `x y count bits`: count 0 is "proven not to escape
 * within the limit", count -1 "not decided with BITS_MAX bits". Exit status 0; 1 for bad input.
 *
 * The method is interval arithmetic: c and z are rectangles whose ends are rounded outwards, so
 * that the true values lie inside whatever the precision. A count is proven when every comparison
 * with the bailout radius comes out the same for the whole rectangle; otherwise the bits double. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

enum { BITS_FIRST = 128, BITS_MAX = 1 << 16 };

struct interval {
    mpfr_t lo, hi;
};

struct request {
    const char *re, *im, *zoom;
    long width, height;
    int64_t limit;
    const char *bailout, *rotation_deg;
    const char *julia_re, *julia_im; /* NULL: the pixel is c */
    const char *words;               /* of the formula; NULL: z^2 + c */
    const char *rational;            /* its step; NULL: it is not one */
    const char *ends;
    double begin;
};

/* Everything that one pixel needs, at one precision. */
struct workspace {
    struct interval c_re, c_im, z_re, z_im, re2, im2, cross, norm, bailout2, step, other;
    struct interval kept_re, kept_im;
    mpfr_t product; /* one corner of a product */
};

static void interval_create(struct interval *x, mpfr_prec_t bits)
{
    mpfr_init2(x->lo, bits);
    mpfr_init2(x->hi, bits);
}

static void interval_destroy(struct interval *x)
{
    mpfr_clear(x->lo);
    mpfr_clear(x->hi);
}

static void interval_copy(struct interval *x, const struct interval *y)
{
    mpfr_set(x->lo, y->lo, MPFR_RNDD);
    mpfr_set(x->hi, y->hi, MPFR_RNDU);
}

static int interval_read(struct interval *x, const char *text)
{
    return mpfr_set_str(x->lo, text, 10, MPFR_RNDD) == 0 &&
           mpfr_set_str(x->hi, text, 10, MPFR_RNDU) == 0;
}

static void interval_add(struct interval *sum, const struct interval *x, const struct interval *y)
{
    mpfr_add(sum->lo, x->lo, y->lo, MPFR_RNDD);
    mpfr_add(sum->hi, x->hi, y->hi, MPFR_RNDU);
}

/* difference may be x, not y */
static void interval_sub(struct interval *difference, const struct interval *x,
                         const struct interval *y)
{
    mpfr_sub(difference->lo, x->lo, y->hi, MPFR_RNDD);
    mpfr_sub(difference->hi, x->hi, y->lo, MPFR_RNDU);
}

/* product is neither x nor y: the smallest and the largest of the four corners */
static void interval_mul(struct interval *product, const struct interval *x,
                         const struct interval *y, mpfr_t corner)
{
    mpfr_srcptr xs[] = {x->lo, x->lo, x->hi, x->hi};
    mpfr_srcptr ys[] = {y->lo, y->hi, y->lo, y->hi};
    for (int i = 0; i < 4; i++) {
        mpfr_mul(corner, xs[i], ys[i], MPFR_RNDD);
        if (i == 0 || mpfr_less_p(corner, product->lo))
            mpfr_set(product->lo, corner, MPFR_RNDD);
        mpfr_mul(corner, xs[i], ys[i], MPFR_RNDU);
        if (i == 0 || mpfr_greater_p(corner, product->hi))
            mpfr_set(product->hi, corner, MPFR_RNDU);
    }
}

/* square is not x. Tighter than x * x where x contains 0. */
static void interval_sqr(struct interval *square, const struct interval *x)
{
    int lo_is_nearer = mpfr_cmpabs(x->lo, x->hi) < 0;
    mpfr_srcptr near = lo_is_nearer ? x->lo : x->hi;
    mpfr_srcptr far = lo_is_nearer ? x->hi : x->lo;
    mpfr_sqr(square->hi, far, MPFR_RNDU);
    if (mpfr_sgn(x->lo) <= 0 && mpfr_sgn(x->hi) >= 0)
        mpfr_set_zero(square->lo, 1);
    else
        mpfr_sqr(square->lo, near, MPFR_RNDD);
}

static void interval_negate(struct interval *x)
{
    mpfr_swap(x->lo, x->hi);
    mpfr_neg(x->lo, x->lo, MPFR_RNDD);
    mpfr_neg(x->hi, x->hi, MPFR_RNDU);
}

static void interval_fold(struct interval *x)
{
    if (mpfr_sgn(x->hi) <= 0)
        interval_negate(x);
    if (mpfr_sgn(x->lo) >= 0)
        return;
    if (mpfr_cmpabs(x->lo, x->hi) > 0)
        mpfr_neg(x->hi, x->lo, MPFR_RNDU);
    mpfr_set_zero(x->lo, 1);
}

/* x * k, in place; k may be negative */
static void interval_scale(struct interval *x, long k)
{
    if (k < 0)
        mpfr_swap(x->lo, x->hi);
    mpfr_mul_si(x->lo, x->lo, k, MPFR_RNDD);
    mpfr_mul_si(x->hi, x->hi, k, MPFR_RNDU);
}

/* cosine or sine of an interval: its value at the lower end, widened by the length, because neither
 * function changes faster than its argument */
static void interval_trig(struct interval *value, const struct interval *angle,
                          int (*function)(mpfr_t, mpfr_srcptr, mpfr_rnd_t), mpfr_t length)
{
    mpfr_sub(length, angle->hi, angle->lo, MPFR_RNDU);
    function(value->lo, angle->lo, MPFR_RNDD);
    function(value->hi, angle->lo, MPFR_RNDU);
    mpfr_sub(value->lo, value->lo, length, MPFR_RNDD);
    mpfr_add(value->hi, value->hi, length, MPFR_RNDU);
}

/* (z_re, z_im) turned counter-clockwise by the rotation, left in (z_re, z_im). */
static int offset_rotate(struct workspace *w, const char *rotation_deg)
{
    /* other = rotation * pi / 180 */
    if (!interval_read(&w->norm, rotation_deg))
        return 0;
    mpfr_const_pi(w->step.lo, MPFR_RNDD);
    mpfr_const_pi(w->step.hi, MPFR_RNDU);
    interval_mul(&w->other, &w->norm, &w->step, w->product);
    mpfr_div_ui(w->other.lo, w->other.lo, 180, MPFR_RNDD);
    mpfr_div_ui(w->other.hi, w->other.hi, 180, MPFR_RNDU);
    interval_trig(&w->re2, &w->other, mpfr_cos, w->product);
    interval_trig(&w->im2, &w->other, mpfr_sin, w->product);
    /* re' = re cos - im sin, im' = re sin + im cos */
    interval_mul(&w->norm, &w->z_re, &w->re2, w->product);
    interval_mul(&w->cross, &w->z_im, &w->im2, w->product);
    interval_sub(&w->norm, &w->norm, &w->cross);
    interval_mul(&w->cross, &w->z_re, &w->im2, w->product);
    interval_mul(&w->other, &w->z_im, &w->re2, w->product);
    interval_add(&w->z_im, &w->cross, &w->other);
    interval_copy(&w->z_re, &w->norm);
    return 1;
}

/* c = centre + ((x + 1/2 - W/2) - i (y + 1/2 - H/2)) * step * e^(i rotation), step = 4 / (zoom H)
 */
static int pixel_place(struct workspace *w, const struct request *request, long x, long y)
{
    if (!interval_read(&w->norm, request->zoom) || mpfr_sgn(w->norm.lo) <= 0 ||
        !interval_read(&w->c_re, request->re) || !interval_read(&w->c_im, request->im) ||
        !interval_read(&w->other, request->bailout))
        return 0;
    interval_sqr(&w->bailout2, &w->other);
    /* half a step: 2 / (zoom H) */
    interval_scale(&w->norm, request->height);
    mpfr_ui_div(w->step.lo, 2, w->norm.hi, MPFR_RNDD);
    mpfr_ui_div(w->step.hi, 2, w->norm.lo, MPFR_RNDU);
    interval_copy(&w->z_re, &w->step);
    interval_copy(&w->z_im, &w->step);
    interval_scale(&w->z_re, 2 * x + 1 - request->width);
    interval_scale(&w->z_im, request->height - 2 * y - 1);
    if (!offset_rotate(w, request->rotation_deg))
        return 0;
    interval_add(&w->c_re, &w->c_re, &w->z_re);
    interval_add(&w->c_im, &w->c_im, &w->z_im);
    return 1;
}

/* From the pixel's place to z_0 = place and the given c; 0 if that is no number. */
static int julia_begin(struct workspace *w, const struct request *request)
{
    char *end_re, *end_im;
    double re = strtod(request->julia_re, &end_re), im = strtod(request->julia_im, &end_im);
    interval_copy(&w->z_re, &w->c_re);
    interval_copy(&w->z_im, &w->c_im);
    mpfr_set_d(w->c_re.lo, re, MPFR_RNDD);
    mpfr_set_d(w->c_re.hi, re, MPFR_RNDU);
    mpfr_set_d(w->c_im.lo, im, MPFR_RNDD);
    mpfr_set_d(w->c_im.hi, im, MPFR_RNDU);
    return end_re > request->julia_re && !*end_re && end_im > request->julia_im && !*end_im;
}

/* z_1 = c, where z_0 = 0. */
static void mandelbrot_begin(struct workspace *w)
{
    interval_copy(&w->z_re, &w->c_re);
    interval_copy(&w->z_im, &w->c_im);
}

/* The proven count, or -1, from z_first on; z_0 is not compared. */
static int64_t orbit_count(struct workspace *w, int64_t first, int64_t limit)
{
    for (int64_t n = first;; n++) {
        interval_sqr(&w->re2, &w->z_re);
        interval_sqr(&w->im2, &w->z_im);
        interval_add(&w->norm, &w->re2, &w->im2);
        if (n && mpfr_greater_p(w->norm.lo, w->bailout2.hi))
            return n;
        if (n && !mpfr_lessequal_p(w->norm.hi, w->bailout2.lo))
            return -1;
        if (n == limit)
            return 0;
        /* re' = re^2 - im^2 + c_re, im' = 2 re im + c_im */
        interval_mul(&w->cross, &w->z_re, &w->z_im, w->product);
        interval_scale(&w->cross, 2);
        interval_sub(&w->z_re, &w->re2, &w->im2);
        interval_add(&w->z_re, &w->z_re, &w->c_re);
        interval_add(&w->z_im, &w->cross, &w->c_im);
    }
}

/* (z_re, z_im) times (kept_re, kept_im), left in the first. */
static void kept_multiply(struct workspace *w)
{
    interval_mul(&w->re2, &w->z_re, &w->kept_re, w->product);
    interval_mul(&w->im2, &w->z_im, &w->kept_im, w->product);
    interval_mul(&w->cross, &w->z_re, &w->kept_im, w->product);
    interval_mul(&w->other, &w->z_im, &w->kept_re, w->product);
    interval_sub(&w->z_re, &w->re2, &w->im2);
    interval_add(&w->z_im, &w->cross, &w->other);
}

static void part_set(struct interval *part, double value)
{
    mpfr_set_d(part->lo, value, MPFR_RNDD);
    mpfr_set_d(part->hi, value, MPFR_RNDU);
}

/* "(RE,IM)", the doubles next to them, from *word on, which becomes its end. */
static int factor_multiply(struct workspace *w, const char **word)
{
    char *comma = NULL, *end = NULL;
    double re = **word == '(' ? strtod(*word + 1, &comma) : 0;
    double im = comma && *comma == ',' ? strtod(comma + 1, &end) : 0;
    if (!end || *end != ')')
        return 0;
    *word = end + 1;
    part_set(&w->kept_re, re);
    part_set(&w->kept_im, im);
    kept_multiply(w);
    return 1;
}

/* Both signs, where that of the kept part is not known. */
static void sign_restore(struct workspace *w)
{
    interval_fold(&w->z_im);
    if (mpfr_sgn(w->kept_im.lo) >= 0)
        return;
    if (mpfr_sgn(w->kept_im.hi) > 0)
        mpfr_neg(w->z_im.lo, w->z_im.hi, MPFR_RNDD);
    else
        interval_negate(&w->z_im);
}

/* The letter at *word, which becomes the next. Returns 0 for another. */
static int word_do(struct workspace *w, const char **word)
{
    switch (*(*word)++) {
    case 'f':
        return factor_multiply(w, word);
    case 'w':
        interval_copy(&w->other, &w->z_re);
        interval_copy(&w->z_re, &w->z_im);
        interval_copy(&w->z_im, &w->other);
        return 1;
    case 'x':
        interval_fold(&w->z_re);
        return 1;
    case 'y':
        interval_fold(&w->z_im);
        return 1;
    case 'X':
        interval_negate(&w->z_re);
        return 1;
    case 'Y':
        interval_negate(&w->z_im);
        return 1;
    case 'g':
        sign_restore(w);
        return 1;
    case 'm':
        kept_multiply(w);
        return 1;
    case 'k':
        interval_copy(&w->kept_re, &w->z_re);
        interval_copy(&w->kept_im, &w->z_im);
        return 1;
    case 's':
        interval_sqr(&w->re2, &w->z_re);
        interval_sqr(&w->im2, &w->z_im);
        interval_mul(&w->cross, &w->z_re, &w->z_im, w->product);
        interval_scale(&w->cross, 2);
        interval_sub(&w->z_re, &w->re2, &w->im2);
        interval_copy(&w->z_im, &w->cross);
        return 1;
    case 'c':
        interval_add(&w->z_re, &w->z_re, &w->c_re);
        interval_add(&w->z_im, &w->z_im, &w->c_im);
        return 1;
    }
    return 0;
}

/* The proven count from z_0 on, or -1, as orbit_count. */
static int64_t formula_count(struct workspace *w, const char *words, int64_t limit)
{
    const char *word = words;
    for (int64_t n = 1; n <= limit; n++) {
        while (*word && *word != '/')
            if (!word_do(w, &word))
                return -1;
        word = *word ? word + 1 : words;
        interval_sqr(&w->re2, &w->z_re);
        interval_sqr(&w->im2, &w->z_im);
        interval_add(&w->norm, &w->re2, &w->im2);
        if (mpfr_greater_p(w->norm.lo, w->bailout2.hi))
            return n;
        if (!mpfr_lessequal_p(w->norm.hi, w->bailout2.lo))
            return -1;
    }
    return 0;
}

/* ---- formulas that divide or converge ------------------------------------------------------- */

enum { STACK = 8 };

struct rectangle {
    struct interval re, im;
};

struct machine {
    struct rectangle z, last, c, other, stack[STACK];
    struct interval norm, square;
    int depth;
};

static void machine_each(struct machine *m, mpfr_prec_t bits, int create)
{
    struct rectangle *all = &m->z;
    struct interval *more[] = {&m->norm, &m->square};
    for (int i = 0; i < 4 + STACK + 1; i++) {
        struct interval *parts[] = {i < 4 + STACK ? &all[i].re : more[0],
                                    i < 4 + STACK ? &all[i].im : more[1]};
        for (int k = 0; k < 2; k++) {
            if (create)
                interval_create(parts[k], bits);
            else
                interval_destroy(parts[k]);
        }
    }
}

static void rectangle_copy(struct rectangle *a, const struct rectangle *b)
{
    interval_copy(&a->re, &b->re);
    interval_copy(&a->im, &b->im);
}

/* a *= b; a may be b */
static void rectangle_multiply(struct machine *m, struct rectangle *a, const struct rectangle *b,
                               mpfr_t corner)
{
    struct rectangle *to = &m->other;
    interval_mul(&to->re, &a->re, &b->re, corner);
    interval_mul(&m->square, &a->im, &b->im, corner);
    interval_sub(&to->re, &to->re, &m->square);
    interval_mul(&to->im, &a->re, &b->im, corner);
    interval_mul(&m->square, &a->im, &b->re, corner);
    interval_add(&to->im, &to->im, &m->square);
    rectangle_copy(a, to);
}

static void norm_take(struct machine *m, const struct rectangle *a)
{
    interval_sqr(&m->norm, &a->re);
    interval_sqr(&m->square, &a->im);
    interval_add(&m->norm, &m->norm, &m->square);
}

/* x / norm, which is positive */
static void norm_divide(struct machine *m, struct interval *x)
{
    mpfr_div(x->lo, x->lo, mpfr_sgn(x->lo) >= 0 ? m->norm.hi : m->norm.lo, MPFR_RNDD);
    mpfr_div(x->hi, x->hi, mpfr_sgn(x->hi) >= 0 ? m->norm.lo : m->norm.hi, MPFR_RNDU);
}

/* a /= b; 0 where b may be 0 */
static int rectangle_divide(struct machine *m, struct rectangle *a, struct rectangle *b,
                            mpfr_t corner)
{
    interval_negate(&b->im);
    rectangle_multiply(m, a, b, corner);
    norm_take(m, b);
    if (mpfr_sgn(m->norm.lo) <= 0)
        return 0;
    norm_divide(m, &a->re);
    norm_divide(m, &a->im);
    return 1;
}

static void rectangle_number(struct rectangle *a, double number)
{
    part_set(&a->re, number);
    part_set(&a->im, 0);
}

/* A word that works on what lies on top; 0 where it cannot. */
static int machine_operate(struct machine *m, char word, mpfr_t corner)
{
    struct rectangle *top = &m->stack[m->depth - 1];
    if (m->depth < 1 + (word != 's'))
        return 0;
    if (word == 's') {
        rectangle_multiply(m, top, top, corner);
        return 1;
    }
    m->depth--;
    switch (word) {
    case '+':
        interval_add(&top[-1].re, &top[-1].re, &top->re);
        interval_add(&top[-1].im, &top[-1].im, &top->im);
        return 1;
    case '-':
        interval_sub(&top[-1].re, &top[-1].re, &top->re);
        interval_sub(&top[-1].im, &top[-1].im, &top->im);
        return 1;
    case '*':
        rectangle_multiply(m, top - 1, top, corner);
        return 1;
    case '/':
        return rectangle_divide(m, top - 1, top, corner);
    }
    return 0;
}

/* z_(n+1); 0 where it is not known. */
static int machine_step(struct machine *m, const char *step, mpfr_t corner)
{
    m->depth = 0;
    for (const char *word = step; *word;) {
        char *end = (char *)word + 1;
        if (*word == 'z' || *word == 'p' || *word == 'c' || (*word >= '0' && *word <= '9')) {
            if (m->depth == STACK)
                return 0;
            struct rectangle *top = &m->stack[m->depth++];
            if (*word == 'z' || *word == 'p' || *word == 'c')
                rectangle_copy(top, *word == 'z' ? &m->z : *word == 'p' ? &m->last : &m->c);
            else
                rectangle_number(top, (double)strtol(word, &end, 10));
        } else if (*word != ' ' && !machine_operate(m, *word, corner)) {
            return 0;
        }
        word = end;
    }
    rectangle_copy(&m->last, &m->z);
    rectangle_copy(&m->z, &m->stack[0]);
    return m->depth == 1;
}

/* Is |a| R <= 1? -1: not known. */
static int machine_rests(struct machine *m, const struct rectangle *a, const struct workspace *w)
{
    norm_take(m, a);
    mpfr_mul(m->norm.lo, m->norm.lo, w->bailout2.lo, MPFR_RNDD);
    mpfr_mul(m->norm.hi, m->norm.hi, w->bailout2.hi, MPFR_RNDU);
    if (mpfr_cmp_ui(m->norm.hi, 1) <= 0)
        return 1;
    return mpfr_cmp_ui(m->norm.lo, 1) > 0 ? 0 : -1;
}

/* Is the orbit over? -1: not known. */
static int machine_over(struct machine *m, const char *ends, const struct workspace *w)
{
    if (strchr(ends, 'f')) {
        norm_take(m, &m->z);
        if (mpfr_greater_p(m->norm.lo, w->bailout2.hi))
            return 1;
        if (!mpfr_lessequal_p(m->norm.hi, w->bailout2.lo))
            return -1;
    }
    if (!strchr(ends, 'r') && !strchr(ends, 'o'))
        return 0;
    rectangle_number(&m->stack[0], 1);
    rectangle_copy(&m->stack[1], &m->z);
    const struct rectangle *from = strchr(ends, 'o') ? &m->stack[0] : &m->last;
    interval_sub(&m->stack[1].re, &m->stack[1].re, &from->re);
    interval_sub(&m->stack[1].im, &m->stack[1].im, &from->im);
    return machine_rests(m, &m->stack[1], w);
}

/* The proven count from z_0 on, or -1. The pixel is in c, or in z and then c is given. */
static int64_t rational_count(struct workspace *w, const struct request *request, mpfr_prec_t bits)
{
    struct machine m;
    int64_t count = 0;
    machine_each(&m, bits, 1);
    rectangle_number(&m.z, request->begin);
    rectangle_number(&m.last, 0);
    interval_copy(&m.c.re, &w->c_re);
    interval_copy(&m.c.im, &w->c_im);
    if (request->julia_re) {
        interval_copy(&m.z.re, &w->z_re);
        interval_copy(&m.z.im, &w->z_im);
    }
    for (int64_t n = 1; n <= request->limit && count == 0; n++) {
        int over = machine_step(&m, request->rational, w->product)
                       ? machine_over(&m, request->ends, w)
                       : -1;
        count = over > 0 ? n : over;
    }
    machine_each(&m, bits, 0);
    return count;
}

/* One pixel at one precision. Returns 0 for bad input. */
static int pixel_try(const struct request *request, long x, long y, mpfr_prec_t bits,
                     int64_t *count)
{
    struct workspace w;
    struct interval *all[] = {&w.c_re,  &w.c_im,    &w.z_re,   &w.z_im,     &w.re2,
                              &w.im2,   &w.cross,   &w.norm,   &w.bailout2, &w.step,
                              &w.other, &w.kept_re, &w.kept_im};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        interval_create(all[i], bits);
    mpfr_init2(w.product, bits);
    int ok = pixel_place(&w, request, x, y);
    int64_t first = request->julia_re ? 0 : 1;
    if (ok && request->julia_re)
        ok = julia_begin(&w, request);
    else if (ok && !request->words)
        mandelbrot_begin(&w);
    else if (ok) {
        mpfr_set_zero(w.z_re.lo, 1), mpfr_set_zero(w.z_re.hi, 1);
        mpfr_set_zero(w.z_im.lo, 1), mpfr_set_zero(w.z_im.hi, 1);
    }
    if (ok && request->rational)
        *count = rational_count(&w, request, bits);
    else if (ok && request->words)
        *count = formula_count(&w, request->words, request->limit);
    else if (ok)
        *count = orbit_count(&w, first, request->limit);
    mpfr_clear(w.product);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        interval_destroy(all[i]);
    return ok;
}

static int pixels_answer(const struct request *request)
{
    long x, y;
    int items;
    while ((items = scanf("%ld %ld", &x, &y)) == 2) {
        int64_t count = -1;
        long bits = BITS_FIRST;
        for (;; bits *= 2) {
            if (!pixel_try(request, x, y, bits, &count)) {
                fprintf(stderr, "oracle: a coordinate, the zoom or the bailout is not a number\n");
                return 0;
            }
            if (count >= 0 || bits >= BITS_MAX)
                break;
        }
        printf("%ld %ld %lld %ld\n", x, y, (long long)count, bits);
    }
    if (items != EOF)
        fprintf(stderr, "oracle: an input line is not `x y`\n");
    return items == EOF;
}

int main(int argc, char **argv)
{
    const char *words = NULL, *rational = NULL, *ends = NULL;
    double begin = 0;
    if (argc > 4 && !strcmp(argv[1], "--rational")) {
        rational = argv[2];
        ends = argv[3];
        begin = strtod(argv[4], NULL);
        argc -= 4;
        argv += 4;
    } else if (argc > 2 && !strcmp(argv[1], "--formula")) {
        words = argv[2];
        argc -= 2;
        argv += 2;
    }
    if ((argc != 8 && argc != 9 && argc != 11) ||
        (words && words[strspn(words, "xyXYwgkmscf(),/.-+e0123456789")] != '\0')) {
        fprintf(stderr, "usage: oracle [--formula LETTERS OF xyXYwgkmsc, f(RE,IM) AND / | "
                        "--rational STEP ENDS BEGIN] RE IM ZOOM "
                        "WIDTH HEIGHT "
                        "LIMIT BAILOUT [ROTATION_DEG "
                        "[C_RE C_IM]] < lines of `x y`\n");
        return 1;
    }
    struct request request = {
        .re = argv[1],
        .im = argv[2],
        .zoom = argv[3],
        .width = strtol(argv[4], NULL, 10),
        .height = strtol(argv[5], NULL, 10),
        .limit = strtoll(argv[6], NULL, 10),
        .bailout = argv[7],
        .rotation_deg = argc > 8 ? argv[8] : "0",
        .julia_re = argc == 11 ? argv[9] : NULL,
        .julia_im = argc == 11 ? argv[10] : NULL,
        .words = words,
        .rational = rational,
        .ends = ends,
        .begin = begin,
    };
    if (request.width < 1 || request.height < 1 || request.limit < 1) {
        fprintf(stderr, "oracle: width, height and limit are whole numbers from 1\n");
        return 1;
    }
    int ok = pixels_answer(&request);
    mpfr_free_cache();
    return ok ? 0 : 1;
}
