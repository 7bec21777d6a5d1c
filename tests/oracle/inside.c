/* Are periods and distances inside those of multiprecision arithmetic? Shares nothing with the
 * product.
 *
 *     inside RE IM ZOOM ROTATION_DEG PERIOD.npy INSIDE.npy POINTS
 *
 * Of at least POINTS pixels with a period, evenly spread over those that have one: 40,000 steps
 * from 0 and Newton's method find w = f^p(w) at BITS bits. |lambda| < 1, lambda = (f^p)'(w), proves
 * the cycle, because a quadratic polynomial has one attracting cycle at most; that no w_k of a
 * divisor of p is w proves the period. The distance is (1 - |lambda|^2) / |d lambda / dc|, where
 * the derivative is a difference of lambda at two points: no formula for it is used.
 *
 * Prints the greatest difference, and fails above TOLERANCE of the distance: the plane's float has
 * 6e-8, and 1 - |lambda|^2 of doubles less the nearer |lambda| is to 1, so each pixel's difference
 * is taken times that. MOVED is allowed besides: the product's c is a double, and the distance
 * changes by at most as much as twice what c is moved by. */
#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 320, STEPS = 40000, TRIPS = 60 };
#define TOLERANCE 1e-6
#define MOVED 0x1p-50 /* of c, |c| < 2: two roundings, twice */

struct number {
    mpfr_t re, im;
};

static struct number z, dz, best, c, lambda[3], spare, step;
static mpfr_t a, b;

static void make(struct number *x)
{
    mpfr_inits2(BITS, x->re, x->im, (mpfr_ptr)0);
    mpfr_set_zero(x->re, 1);
    mpfr_set_zero(x->im, 1);
}

static void set(struct number *to, const struct number *from)
{
    mpfr_set(to->re, from->re, MPFR_RNDN);
    mpfr_set(to->im, from->im, MPFR_RNDN);
}

static void multiply(struct number *to, const struct number *x, const struct number *y)
{
    mpfr_fmms(a, x->re, y->re, x->im, y->im, MPFR_RNDN);
    mpfr_fmma(b, x->re, y->im, x->im, y->re, MPFR_RNDN);
    mpfr_set(to->re, a, MPFR_RNDN);
    mpfr_set(to->im, b, MPFR_RNDN);
}

static void divide(struct number *to, const struct number *by)
{
    struct number conjugate = *by;
    mpfr_t norm;
    mpfr_init2(norm, BITS);
    mpfr_fmma(norm, by->re, by->re, by->im, by->im, MPFR_RNDN);
    mpfr_fmma(a, to->re, conjugate.re, to->im, conjugate.im, MPFR_RNDN);
    mpfr_fmms(b, to->im, conjugate.re, to->re, conjugate.im, MPFR_RNDN);
    mpfr_div(to->re, a, norm, MPFR_RNDN);
    mpfr_div(to->im, b, norm, MPFR_RNDN);
    mpfr_clear(norm);
}

static void advance(struct number *at)
{
    multiply(at, at, at);
    mpfr_add(at->re, at->re, c.re, MPFR_RNDN);
    mpfr_add(at->im, at->im, c.im, MPFR_RNDN);
}

/* z = f^p(w), dz = its derivative */
static void around(const struct number *w, int period)
{
    set(&z, w);
    mpfr_set_ui(dz.re, 1, MPFR_RNDN);
    mpfr_set_zero(dz.im, 1);
    for (int k = 0; k < period; k++) {
        multiply(&dz, &dz, &z);
        mpfr_mul_2ui(dz.re, dz.re, 1, MPFR_RNDN);
        mpfr_mul_2ui(dz.im, dz.im, 1, MPFR_RNDN);
        advance(&z);
    }
}

/* w becomes the nearest point with f^p(w) = w. */
static void settle(struct number *w, int period)
{
    for (int trip = 0; trip < TRIPS; trip++) {
        around(w, period);
        mpfr_sub(step.re, z.re, w->re, MPFR_RNDN);
        mpfr_sub(step.im, z.im, w->im, MPFR_RNDN);
        mpfr_ui_sub(spare.re, 1, dz.re, MPFR_RNDN);
        mpfr_neg(spare.im, dz.im, MPFR_RNDN);
        divide(&step, &spare);
        mpfr_add(w->re, w->re, step.re, MPFR_RNDN);
        mpfr_add(w->im, w->im, step.im, MPFR_RNDN);
    }
}

static double size_of(const struct number *x)
{
    return hypot(mpfr_get_d(x->re, MPFR_RNDN), mpfr_get_d(x->im, MPFR_RNDN));
}

/* Does the cycle of w come back after fewer than `period` steps? */
static int returns_before(const struct number *w, int period)
{
    set(&z, w);
    for (int k = 1; k < period; k++) {
        advance(&z);
        mpfr_sub(spare.re, z.re, w->re, MPFR_RNDN);
        mpfr_sub(spare.im, z.im, w->im, MPFR_RNDN);
        if (period % k == 0 && size_of(&spare) < 0x1p-100)
            return k;
    }
    return 0;
}

/* The distance in units of c; `slack` becomes 1 - |lambda|^2. NAN: no attracting cycle. */
static double distance_of(int period, double *slack)
{
    mpfr_t h;
    mpfr_init2(h, BITS);
    mpfr_set_ui_2exp(h, 1, -100, MPFR_RNDN);
    set(&z, &c);
    for (int n = 0; n < STEPS; n++) {
        advance(&z);
        mpfr_prec_round(z.re, n + 1 < STEPS ? 96 : BITS,
                        MPFR_RNDN); /* Newton's method does the rest */
        mpfr_prec_round(z.im, n + 1 < STEPS ? 96 : BITS, MPFR_RNDN);
    }
    set(&best, &z);
    for (int side = 0; side < 3; side++) { /* c + h, c - h, c */
        if (side == 0)
            mpfr_add(c.re, c.re, h, MPFR_RNDN);
        else
            mpfr_sub(c.re, c.re, h, MPFR_RNDN);
        if (side == 1)
            mpfr_sub(c.re, c.re, h, MPFR_RNDN);
        if (side == 2) {
            mpfr_add(c.re, c.re, h, MPFR_RNDN);
            mpfr_add(c.re, c.re, h, MPFR_RNDN);
        }
        settle(&best, period);
        around(&best, period);
        set(&lambda[side], &dz);
    }
    mpfr_sub(spare.re, lambda[0].re, lambda[1].re, MPFR_RNDN);
    mpfr_sub(spare.im, lambda[0].im, lambda[1].im, MPFR_RNDN);
    double slope = size_of(&spare) / (2 * mpfr_get_d(h, MPFR_RNDN));
    mpfr_fmma(a, lambda[2].re, lambda[2].re, lambda[2].im, lambda[2].im, MPFR_RNDN);
    mpfr_ui_sub(a, 1, a, MPFR_RNDN);
    *slack = mpfr_get_d(a, MPFR_RNDN);
    mpfr_clear(h);
    return *slack > 0 ? *slack / slope : NAN;
}

static float *plane_in(FILE *file, long *width, long *height)
{
    static char header[65536];
    unsigned char begin[10];
    if (fread(begin, 1, 10, file) != 10)
        return NULL;
    size_t length = begin[8] + 256u * begin[9];
    if (fread(header, 1, length, file) != length)
        return NULL;
    const char *shape = strstr(header, "'shape': (");
    if (!shape || sscanf(shape, "'shape': (%ld, %ld)", height, width) != 2)
        return NULL;
    size_t pixels = (size_t)(*width * *height);
    float *plane = malloc(pixels * sizeof *plane);
    if (plane && fread(plane, sizeof *plane, pixels, file) == pixels)
        return plane;
    free(plane);
    return NULL;
}

static float *plane_read(const char *path, long *width, long *height)
{
    FILE *file = fopen(path, "rb");
    float *plane = file ? plane_in(file, width, height) : NULL;
    if (file)
        fclose(file);
    return plane;
}

/* 0: at least the wanted number of points agree. */
static int planes_compare(char **argv, const float *period, const float *inside, long width,
                          long height)
{
    long checked = 0, with_period = 0;
    double zoom = strtod(argv[3], NULL), turn = strtod(argv[4], NULL) * acos(-1) / 180;
    double pixel = 4 / (zoom * (double)height), worst = 0;
    for (long i = 0; i < width * height; i++)
        with_period += period[i] > 0;
    long apart = with_period / strtol(argv[7], NULL, 10), seen = 0;
    for (long i = 0; i < width * height; i++) {
        if (!(period[i] > 0) || seen++ % (apart ? apart : 1))
            continue;
        double x = (double)(i % width) + 0.5 - 0.5 * (double)width;
        double y = (double)(i / width) + 0.5 - 0.5 * (double)height, slack;
        mpfr_set_str(c.re, argv[1], 10, MPFR_RNDN);
        mpfr_set_str(c.im, argv[2], 10, MPFR_RNDN);
        mpfr_add_d(c.re, c.re, (x * cos(turn) + y * sin(turn)) * pixel, MPFR_RNDN);
        mpfr_add_d(c.im, c.im, (x * sin(turn) - y * cos(turn)) * pixel, MPFR_RNDN);
        double distance = distance_of((int)period[i], &slack) / pixel;
        double off = (fabs((double)inside[i] - distance) - MOVED / pixel) / distance * slack;
        int shorter = returns_before(&best, (int)period[i]);
        if (!(off <= TOLERANCE) || shorter) {
            printf(
                "pixel %ld,%ld: period %g, distance %.9g px; not %.9g px, 1 - |lambda|^2 = %.3g, "
                "back after %d\n",
                i % width, i / width, (double)period[i], (double)inside[i], distance, slack,
                shorter);
            return 1;
        }
        worst = off > worst ? off : worst;
        checked++;
    }
    printf("%ld pixels, greatest relative difference: %.2g\n", checked, worst);
    return checked < strtol(argv[7], NULL, 10);
}

int main(int argc, char **argv)
{
    long width = 0, height = 0, inside_width = 0, inside_height = 0;
    if (argc != 8)
        return 64;
    float *period = plane_read(argv[5], &width, &height);
    float *inside = plane_read(argv[6], &inside_width, &inside_height);
    int code = 66;
    struct number *all[] = {&z, &dz, &best, &c, &spare, &step, &lambda[0], &lambda[1], &lambda[2]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        make(all[i]);
    mpfr_inits2(BITS, a, b, (mpfr_ptr)0);
    if (period && inside && width == inside_width && height == inside_height)
        code = planes_compare(argv, period, inside, width, height);
    else
        fprintf(stderr, "inside: %s and %s are no planes of one size\n", argv[5], argv[6]);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mpfr_clears(all[i]->re, all[i]->im, (mpfr_ptr)0);
    mpfr_clears(a, b, (mpfr_ptr)0);
    free(period);
    free(inside);
    return code;
}
