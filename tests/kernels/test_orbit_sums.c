/* Averages and traps along orbits: every row gives the plain loop's, bit for bit, and what MPFR
 * says of the same definitions, to within the roundings along the orbit. */
#include "tests/kernels/backend_rows.h"

#include <mpfr.h>

#include "kernels/formula_text.h"

struct set {
    const char *name;
    enum formula_plane plane;
    double c_re, c_im;
    struct place place;
    struct orbit_rule orbit;
};

static const struct set sets[] = {
    {"whole set", PARAMETER_PLANE, 0, 0, {"w", -0.7, 0, 3, 0, 61, 40, 300, 1024}, {5, 0, 0, 0.5}},
    {"seahorse valley",
     PARAMETER_PLANE,
     0,
     0,
     {"s", -0.7436, 0.1318, 1e-3, 0.3, 33, 21, 2000, 1024},
     {1, -0.25, 0.5, 0.75}},
    {"R = 2", PARAMETER_PLANE, 0, 0, {"r", -0.1, 0.9, 0.5, 0, 40, 30, 500, 2}, {64, 0.1, 0, 0}},
    {"limit 1", PARAMETER_PLANE, 0, 0, {"l", 0, 0, 9, 0, 30, 30, 1, 2}, {2, 0, 0, 1}},
    {"rabbit", DYNAMIC_PLANE, -0.123, 0.745, {"j", 0, 0, 2.6, 0, 45, 31, 1000, 1024}, {3, 1, 1, 1}},
    {"dust", DYNAMIC_PLANE, 0.4, 0.6, {"d", 0, 0, 3, 0, 71, 30, 1000, 1e9}, {7, 0, -0.5, 0.25}},
    {"z = 0", DYNAMIC_PLANE, 1, 0, {"0", 0, 0, 3, 0, 31, 31, 100, 1024}, {4, 0, 0, 0.5}},
    {"c = 0", DYNAMIC_PLANE, 0, 0, {"o", 0, 0, 3, 0, 31, 31, 100, 1024}, {4, 0, 0, 0.5}},
    {"longer than a chunk",
     DYNAMIC_PLANE,
     -0.8,
     0.156,
     {"c", 0, 0, 0.001, 0, 2100, 1, 500, 1024},
     {5, 0, 0, 0.5}},
};

enum { SETS = sizeof sets / sizeof *sets, BITS = 1200, STEPS_MOST = 1000 };

static struct spec spec_of(const struct set *set, unsigned planes)
{
    return (struct spec){.limit = set->place.limit,
                         .bailout = set->place.bailout,
                         .planes = PLANE_MASK_COUNT | planes,
                         .count_bytes = 4,
                         .number = NUMBER_FP64,
                         .orbit = set->orbit,
                         .formula = {.plane = set->plane, .c_re = set->c_re, .c_im = set->c_im}};
}

/* All planes at once, beside slopes and periods, and each alone. */
TEST(every_row_gives_the_plain_sums)
{
    EACH_AVAILABLE_ROW(row)
    printf("row %s\n", row);
    for (int i = 0; i < SETS; i++) {
        struct spec spec = spec_of(&sets[i], ((1u << PLANES) - 1) & ~(unsigned)PLANE_MASK_COUNT);
        spec.count_bytes = i % 2 ? 4 : 8;
        run_rows(&sets[i].place, &spec, 1 + i % 3, true);
        for (int p = PLANE_STRIPE; p <= PLANE_TRAP_CIRCLE; p++) {
            spec = spec_of(&sets[i], 1u << p);
            run_rows(&sets[i].place, &spec, 2, false);
        }
    }
}

/* Rows, and lists that alternate, in both planes. */
TEST(every_row_gives_the_plain_sums_of_lists)
{
    static const char *const formulas[] = {"burning_ship", "multibrot_7", "mothbrot_3x1",
                                           "cubic_quasi_perpendicular_burning_ship",
                                           "absx,sqr,add;keep,sqr,scale 0.9 0.1,mul,add;sqr,add"};
    const struct place place = {"l", -0.2, 0.1, 4, 0.3, 45, 31, 200, 1024};
    for (size_t i = 0; i < 2 * sizeof formulas / sizeof *formulas; i++) {
        const char *text = formulas[i / 2];
        const struct set set = {.place = place, .orbit = {5, 0.1, 0, 0.5}};
        struct spec spec = spec_of(&set, PLANE_MASK_ORBIT | (i % 2 ? PLANE_MASK_PHASE : 0));
        assert_int_equal(formula_of_text(&spec.formula, text, strlen(text)), STATUS_OK);
        if (i % 2)
            spec.formula.plane = DYNAMIC_PLANE, spec.formula.c_re = -0.6, spec.formula.c_im = 0.3;
        run_rows(&place, &spec, 2, true);
    }
}

/* ---- the definitions, by MPFR ---- */

struct truth_orbit { /* of a pixel that escapes at n */
    int64_t n;
    long double fraction;
    long double sine[STEPS_MOST + 1], triangle[STEPS_MOST + 1];
    long double trap[3][STEPS_MOST + 1]; /* distances from point, cross and circle */
    long double moved[STEPS_MOST + 1];   /* about how far rounding has moved z_k */
    long double size[STEPS_MOST + 1];    /* |z_k| */
};

static long double number_of(const mpfr_t x)
{
    return mpfr_get_ld(x, MPFR_RNDN);
}

/* (|z| - m) / (M - m) of z = w + c; 0 where the bounds are equal. */
static long double triangle_of(mpfr_t x, mpfr_t y, mpfr_t w_abs, mpfr_t c_abs, mpfr_t a, mpfr_t b)
{
    mpfr_hypot(a, x, y, MPFR_RNDN);
    mpfr_sub(b, w_abs, c_abs, MPFR_RNDN);
    mpfr_abs(b, b, MPFR_RNDN);
    mpfr_sub(a, a, b, MPFR_RNDN);
    mpfr_min(b, w_abs, c_abs, MPFR_RNDN);
    mpfr_mul_2ui(b, b, 1, MPFR_RNDN);
    if (mpfr_zero_p(b))
        return 0;
    mpfr_div(a, a, b, MPFR_RNDN);
    return number_of(a);
}

static void truth_step(struct truth_orbit *truth, const struct spec *spec, int64_t k, mpfr_t *v)
{
    enum { X, Y, CX, CY, C_ABS, W_ABS, A, B };
    const struct orbit_rule *rule = &spec->orbit;
    mpfr_fmma(v[W_ABS], v[X], v[X], v[Y], v[Y], MPFR_RNDN);
    mpfr_fmms(v[A], v[X], v[X], v[Y], v[Y], MPFR_RNDN);
    mpfr_mul(v[B], v[X], v[Y], MPFR_RNDN);
    mpfr_mul_2ui(v[B], v[B], 1, MPFR_RNDN);
    mpfr_add(v[X], v[A], v[CX], MPFR_RNDN);
    mpfr_add(v[Y], v[B], v[CY], MPFR_RNDN);
    long double x = number_of(v[X]), y = number_of(v[Y]), size = hypotl(x, y);
    truth->size[k] = size;
    truth->sine[k] = size > 0 ? sinl(rule->stripes * atan2l(y, x)) : 0;
    truth->triangle[k] = triangle_of(v[X], v[Y], v[W_ABS], v[C_ABS], v[A], v[B]);
    long double dx = x - rule->trap_re, dy = y - rule->trap_im;
    truth->trap[0][k] = hypotl(dx, dy);
    truth->trap[1][k] = fminl(fabsl(dx), fabsl(dy));
    truth->trap[2][k] = fabsl(hypotl(dx, dy) - rule->trap_radius);
}

static void truth_follow(struct truth_orbit *truth, const struct spec *spec, double re, double im)
{
    bool julia = spec->formula.plane == DYNAMIC_PLANE;
    mpfr_t v[8];
    for (int i = 0; i < 8; i++) {
        mpfr_init2(v[i], BITS);
        mpfr_set_zero(v[i], 1);
    }
    if (julia) {
        mpfr_set_d(v[0], re, MPFR_RNDN);
        mpfr_set_d(v[1], im, MPFR_RNDN);
    }
    mpfr_set_d(v[2], julia ? spec->formula.c_re : re, MPFR_RNDN);
    mpfr_set_d(v[3], julia ? spec->formula.c_im : im, MPFR_RNDN);
    mpfr_hypot(v[4], v[2], v[3], MPFR_RNDN);
    long double before = hypotl(julia ? re : 0, julia ? im : 0), moved = 0;
    truth->n = 0;
    for (int64_t k = 1; k <= spec->limit && k <= STEPS_MOST && !truth->n; k++) {
        truth_step(truth, spec, k, v);
        /* a step rounds by a few units of what it adds up, and spreads what was there */
        moved =
            2 * before * moved + 8 * 0x1p-53L *
                                     (before * before + (long double)hypot(re, im) +
                                      (long double)hypot(spec->formula.c_re, spec->formula.c_im));
        before = truth->size[k];
        truth->moved[k] = moved;
        if (before > spec->bailout)
            truth->n = k;
    }
    if (truth->n)
        truth->fraction = fminl(fmaxl(1 - log2l(logl(before) / logl(spec->bailout)), 0), 1);
    for (int i = 0; i < 8; i++)
        mpfr_clear(v[i]);
}

static long double mean_of(const long double *terms, int64_t first, int64_t last)
{
    long double sum = 0;
    for (int64_t k = first; k <= last; k++)
        sum += terms[k];
    return last < first ? 0 : sum / (long double)(last - first + 1);
}

/* Mean over k = first ... n, joined by the fraction, and about how far it may be off: a term is off
 * by `slope` moved / |z|, and none by more than 2. */
static long double average_of(const struct truth_orbit *truth, const long double *terms,
                              int64_t first, long double slope, long double *slack)
{
    int64_t n = truth->n;
    long double all = mean_of(terms, first, n), off = 0;
    long double before = n > first ? mean_of(terms, first, n - 1) : all;
    for (int64_t k = first; k <= n; k++)
        off += fminl(slope * truth->moved[k] / truth->size[k], 2);
    *slack = 0x1p-22L + (n >= first ? off / (long double)(n - first + 1) : 0);
    return before + truth->fraction * (all - before);
}

/* Least distance, and by how much the points that may be the nearest have moved. */
static long double least_of(const struct truth_orbit *truth, const long double *distance,
                            long double *slack)
{
    long double least = INFINITY, moved = 0;
    for (int64_t k = 1; k <= truth->n; k++)
        least = fminl(least, distance[k]);
    for (int64_t k = 1; k <= truth->n; k++)
        if (distance[k] - truth->moved[k] <= least)
            moved = fmaxl(moved, truth->moved[k]);
    *slack = moved + 0x1p-23L * (least + moved);
    return least;
}

struct proof {
    int pixels, chaotic; /* compared; of them those where rounding may change all */
    long double worst;   /* largest error over its slack */
};

static void pixel_prove(const struct set *set, const struct truth_orbit *truth,
                        const struct field *field, size_t i, struct proof *proof)
{
    long double slack[PLANES], wanted[PLANES];
    int64_t first = set->plane == PARAMETER_PLANE ? 2 : 1;
    wanted[PLANE_STRIPE] =
        0.5L +
        average_of(truth, truth->sine, 1, 2.0L * set->orbit.stripes, &slack[PLANE_STRIPE]) / 2;
    wanted[PLANE_TRIANGLE] = average_of(truth, truth->triangle, first, 8, &slack[PLANE_TRIANGLE]);
    for (int p = PLANE_TRAP_POINT; p <= PLANE_TRAP_CIRCLE; p++)
        wanted[p] = least_of(truth, truth->trap[p - PLANE_TRAP_POINT], &slack[p]);
    proof->pixels++;
    proof->chaotic += slack[PLANE_STRIPE] > 0.01L;
    for (int p = PLANE_STRIPE; p <= PLANE_TRAP_CIRCLE; p++) {
        float is = ((const float *)field->plane[p])[i];
        long double off = fabsl(is - wanted[p]) / slack[p];
        proof->worst = fmaxl(proof->worst, off);
        if (!(off <= 1))
            fail_msg("%s, pixel %zu, n = %lld: %s %.9g, MPFR %.9Lg, slack %.3Lg", set->name, i,
                     (long long)truth->n, plane_kinds[p].name, (double)is, wanted[p], slack[p]);
    }
}

TEST(sums_are_those_of_mpfr)
{
    static struct truth_orbit truth;
    for (int s = 0; s < SETS; s++) {
        const struct set *set = &sets[s];
        struct spec spec = spec_of(set, PLANE_MASK_ORBIT);
        struct grid grid = grid_of(&set->place);
        struct backend *backend;
        struct backend_work work = {0};
        struct field field;
        struct proof proof = {0};
        grid.width = grid.width < 80 ? grid.width : 80;
        assert_int_equal(
            backend_open(&backend, first_row(), &(struct backend_options){.threads = 2}),
            STATUS_OK);
        assert_int_equal(field_create(&field, grid.width, grid.height, spec.planes, 4), STATUS_OK);
        assert_int_equal(backend_compute(backend, &spec, &grid, &field, &work), STATUS_OK);
        for (int32_t y = 0; y < grid.height; y++)
            for (int32_t x = 0; x < grid.width; x++) {
                size_t i = (size_t)y * (size_t)grid.width + (size_t)x;
                int64_t n = (int64_t)field_count_at(&field, i);
                double re, im;
                pixel_c(&grid, x, y, &re, &im);
                if (!n || n > STEPS_MOST || (x + 2 * y) % 3)
                    continue;
                truth_follow(&truth, &spec, re, im);
                if (truth.n == n)
                    pixel_prove(set, &truth, &field, i, &proof);
            }
        printf("%s: %d pixels, %d of them chaotic, largest error %.2Lf of its slack\n", set->name,
               proof.pixels, proof.chaotic, proof.worst);
        assert_true(proof.pixels > 0 && 2 * proof.chaotic < proof.pixels);
        field_destroy(&field);
        backend_close(backend);
    }
    mpfr_free_cache();
}

/* usage: test_orbit_sums [gpu] */
int main(int argc, char **argv)
{
    return rows_choose(argc, argv) ? check_run(NULL, NULL) : SKIPPED;
}
