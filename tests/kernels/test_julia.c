/* The conformance suite of the list of backends, for Julia sets: every row gives the plain kernel's
 * counts and fractions, bit for bit, and no short-cut that is true of c is taken for z_0. */
#include "tests/kernels/backend_rows.h"

struct set {
    const char *name;
    double c_re, c_im;
    struct place place;
};

/* Limits around the length of a block and a GPU's first steps, as in test_backend. */
static const struct set sets[] = {
    {"rabbit", -0.123, 0.745, {"whole", 0, 0, 2.6, 0, 97, 61, 1000, 1024}},
    {"rabbit, turned", -0.123, 0.745, {"turned", 0.1, 0.2, 1, 0.7, 64, 64, 300, 1024}},
    {"disc", 0, 0, {"circle", 0, 0, 2.5, 0, 50, 50, 500, 2}},
    {"segment", -2, 0, {"end at 2", 0, 0, 4.2, 0, 50, 50, 500, 2}},
    {"dendrite", 0, 1, {"tip", 0, 0, 0.01, 0, 60, 40, 3000, 1024}},
    {"basilica", -1, 0, {"whole", 0, 0, 3, 0, 33, 33, 5000, 2}},
    {"cauliflower, slow convergence", 0.25, 0, {"fixed point", 0.5, 0, 0.1, 0, 24, 24, 4000, 1024}},
    {"Siegel disc: to the limit", -0.39054, -0.58679, {"w", 0, 0, 2, 0, 24, 24, 4000, 1024}},
    {"dust", 0.4, 0.6, {"whole", 0, 0, 3, 0, 70, 30, 1000, 1e9}},
    {"c far outside", 900, -300, {"its square root", 4.9, -30.4, 1, 0, 40, 30, 100, 1024}},
    {"z_0 far outside", -0.8, 0.156, {"wide", 0, 0, 4e6, 0, 40, 30, 100, 1024}},
    {"limit 1", -0.8, 0.156, {"whole", 0, 0, 4, 0, 33, 33, 1, 2}},
    {"limit 31", -0.8, 0.156, {"whole", 0, 0, 2.5, 0, 50, 50, 31, 1024}},
    {"limit 32", -0.8, 0.156, {"whole", 0, 0, 2.5, 0, 50, 50, 32, 1024}},
    {"limit 33", -0.8, 0.156, {"whole", 0, 0, 2.5, 0, 50, 50, 33, 1024}},
    {"limit 65", -0.8, 0.156, {"whole", 0, 0, 2.5, 0, 50, 50, 65, 1024}},
    /* c beside the parabolic -3/4: z_0 = 0 takes 1,024 and 3,072 steps, its neighbours about that.
     */
    {"limit 1024", -0.75, 0.00307, {"middle", 0, 0, 0.2, 0, 31, 31, 1024, 2}},
    {"limit 1025", -0.75, 0.00307, {"middle", 0, 0, 0.2, 0, 31, 31, 1025, 2}},
    {"limit 3072", -0.75, 0.001024, {"middle", 0, 0, 0.2, 0, 31, 31, 3072, 1024}},
    {"limit 3073", -0.75, 0.001024, {"middle", 0, 0, 0.2, 0, 31, 31, 3073, 1024}},
    {"one pixel", -0.123, 0.745, {"p", 1.1, 0.3, 1, 0, 1, 1, 500, 1024}},
    {"one row, longer than a chunk", -0.8, 0.156, {"r", 0, 0, 0.001, 0, 2100, 1, 500, 1024}},
};

enum { SETS = sizeof sets / sizeof *sets };

static struct spec spec_of(const struct set *set, enum number number, int count_bytes)
{
    return (struct spec){.limit = set->place.limit,
                         .bailout = set->place.bailout,
                         .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION | PLANE_MASK_ATTRACTOR |
                                   (number == NUMBER_FP64 ? PLANE_MASK_END : 0),
                         .count_bytes = count_bytes,
                         .number = number,
                         .formula = {.plane = DYNAMIC_PLANE, .c_re = set->c_re, .c_im = set->c_im}};
}

TEST(every_row_gives_the_plain_counts)
{
    EACH_AVAILABLE_ROW(row)
    printf("row %s\n", row);
    for (int i = 0; i < SETS; i++)
        for (int number = 0; number < NUMBERS; number++) {
            struct place place = sets[i].place;
            struct spec spec = spec_of(&sets[i], (enum number)number, i % 2 ? 4 : 8);
            place.name = sets[i].name;
            assert_int_equal(formula_check(&spec.formula, spec.bailout), STATUS_OK);
            run_rows(&place, &spec, 1 + i % 3, true);
        }
}

/* z_0 in the main cardioid, c outside of the set: every pixel escapes. A c of the set's inside, z_0
 * outside of it: the same picture that a short-cut for c would have left black. */
TEST(what_is_true_of_c_is_not_taken_for_z)
{
    const struct set outside = {"c = 1", 1, 0, {"cardioid", -0.1, 0, 0.2, 0, 64, 64, 100000, 1024}};
    EACH_AVAILABLE_ROW(row)
    for (int number = 0; number < NUMBERS; number++) {
        struct spec spec = spec_of(&outside, (enum number)number, 4);
        struct grid grid = grid_of(&outside.place);
        struct backend *backend;
        struct field field;
        struct backend_work work = {0};
        assert_int_equal(backend_open(&backend, row, &(struct backend_options){.threads = 1}),
                         STATUS_OK);
        assert_int_equal(field_create(&field, 64, 64, spec.planes, 4), STATUS_OK);
        assert_int_equal(backend_compute(backend, &spec, &grid, &field, &work), STATUS_OK);
        for (size_t i = 0; i < 64 * 64; i++)
            assert_in_range(field_count_at(&field, i), 1, 20);
        field_destroy(&field);
        backend_close(backend);
    }
}

/* Brent's search is about states, so it ends what no loop could: 2^62 iterations. */
TEST(the_inside_of_a_julia_set_ends)
{
    const struct set rabbit = {
        "rabbit", -0.123, 0.745, {"inside", 0, 0, 0.02, 0, 48, 32, (int64_t)1 << 62, 1024}};
    EACH_AVAILABLE_ROW(row)
    for (int number = 0; number < NUMBERS; number++) {
        struct spec spec = spec_of(&rabbit, (enum number)number, 8);
        struct grid grid = grid_of(&rabbit.place);
        struct backend *backend;
        struct field field;
        struct backend_work work = {0};
        assert_int_equal(backend_open(&backend, row, &(struct backend_options){.threads = 1}),
                         STATUS_OK);
        assert_int_equal(field_create(&field, 48, 32, spec.planes, 8), STATUS_OK);
        assert_int_equal(backend_compute(backend, &spec, &grid, &field, &work), STATUS_OK);
        for (size_t i = 0; i < 48 * 32; i++)
            assert_int_equal(field_count_at(&field, i), 0);
        field_destroy(&field);
        backend_close(backend);
    }
}

TEST(tiles_and_combs_give_what_the_whole_gives)
{
    const struct set set = {
        "s", -0.8, 0.156, {"s", 0, 0, 2.5, 0.3, 131, 5 * GRID_BAND + 7, 2000, 1024}};
    struct spec spec = spec_of(&set, NUMBER_FP64, 4);
    EACH_AVAILABLE_ROW(row)
    {
        struct backend *backend;
        struct backend_work work = {0};
        struct grid grid = grid_of(&set.place);
        compare_interleaved(row, &set.place, &spec, 2); /* bands 0 2 4 and 1 3 5 */
        assert_int_equal(backend_open(&backend, row, &(struct backend_options){.threads = 2}),
                         STATUS_OK);
        struct grid tile = grid;
        tile.x = 37;
        tile.y = 21;
        tile.width = 70;
        tile.height = 19;
        struct field field;
        assert_int_equal(field_create(&field, tile.width, tile.height, spec.planes, 4), STATUS_OK);
        assert_int_equal(backend_compute(backend, &spec, &tile, &field, &work), STATUS_OK);
        compare_with_plain(row, &set.place, &spec, &tile, &field);
        field_destroy(&field);
        backend_close(backend);
    }
}

/* What blocks of unchecked steps rest on: beyond R the orbit only grows. */
TEST(what_no_kernel_could_count_is_refused)
{
    const struct formula far = {.plane = DYNAMIC_PLANE, .c_re = 3, .c_im = 4},
                         none = {.plane = PARAMETER_PLANE, .c_re = NAN, .c_im = 1e300};
    assert_int_equal(formula_check(&far, 5), STATUS_OK);
    assert_int_equal(formula_check(&far, 4.99), STATUS_CONFIG);
    assert_int_equal(formula_check(&none, 2), STATUS_OK); /* c is not read */
    const double bad[] = {NAN, INFINITY, -INFINITY, 1.0001e6, -1e300};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(
            formula_check(&(struct formula){.plane = DYNAMIC_PLANE, .c_re = bad[i], .c_im = 0},
                          1e9),
            STATUS_CONFIG);
        assert_int_equal(
            formula_check(&(struct formula){.plane = DYNAMIC_PLANE, .c_re = 0, .c_im = bad[i]},
                          1e9),
            STATUS_CONFIG);
    }
    assert_int_equal(
        formula_check(&(struct formula){.plane = DYNAMIC_PLANE, .c_re = 1e6, .c_im = -1e6}, 1e9),
        STATUS_OK);
    EACH_AVAILABLE_ROW(row)
    {
        struct spec spec = spec_of(&sets[0], NUMBER_FP64, 4);
        struct grid grid = grid_of(&sets[0].place);
        struct backend *backend;
        struct field field;
        struct backend_work work = {0};
        spec.formula.c_re = NAN;
        assert_int_equal(backend_open(&backend, row, &(struct backend_options){.threads = 1}),
                         STATUS_OK);
        assert_int_equal(field_create(&field, grid.width, grid.height, spec.planes, 4), STATUS_OK);
        assert_int_equal(backend_compute(backend, &spec, &grid, &field, &work), STATUS_CONFIG);
        field_destroy(&field);
        backend_close(backend);
    }
}

/* usage: test_julia [gpu] */
int main(int argc, char **argv)
{
    if (!rows_choose(argc, argv))
        return SKIPPED;
    return check_run(NULL, NULL);
}
