/* The conformance suite of the list of backends: every row gives the plain kernel's counts,
 * fractions, distances and phases, bit for bit, for every number type, limit, tile and number of
 * threads. */
#include "kernels/backend_kind.h"
#include "tests/kernels/backend_rows.h"

/* Limits around the length of a block; sizes around that of a chunk and of a pack. */
static const struct place places[] = {
    {"whole set", -0.75, 0, 2.5, 0, 97, 61, 1000, 1024},
    {"rotated", -0.75, 0, 2.5, 0.7, 64, 64, 300, 1024},
    {"far outside: the first step escapes", 5, 5, 4, 0, 40, 30, 100, 2},
    {"limit 1", -0.75, 0, 4, 0, 33, 33, 1, 2},
    {"limit 31", -0.75, 0, 2.5, 0, 50, 50, 31, 1024},
    {"limit 32", -0.75, 0, 2.5, 0, 50, 50, 32, 1024},
    {"limit 33", -0.75, 0, 2.5, 0, 50, 50, 33, 1024},
    {"limit 63", -0.75, 0, 2.5, 0, 50, 50, 63, 1024},
    {"limit 64", -0.75, 0, 2.5, 0, 50, 50, 64, 1024},
    {"limit 65", -0.75, 0, 2.5, 0, 50, 50, 65, 1024},
    {"limit 127", -0.75, 0.1, 0.5, 0, 50, 50, 127, 1e9},
    {"limit 513", -0.75, 0.1, 0.1, 0, 50, 50, 513, 2},
    /* A GPU's first steps are 1,024, its first round ends after 3,072; the counts are about that.
     */
    {"limit 1023", -0.75, 0.00307, 2e-5, 0, 30, 30, 1023, 2},
    {"limit 1024", -0.75, 0.00307, 2e-5, 0, 30, 30, 1024, 2},
    {"limit 1025", -0.75, 0.00307, 2e-5, 0, 30, 30, 1025, 2},
    {"limit 3072", -0.75, 0.001024, 2e-6, 0, 30, 30, 3072, 1024},
    {"limit 3073", -0.75, 0.001024, 2e-6, 0, 30, 30, 3073, 1024},
    {"seahorse valley", -0.743643887037151, 0.131825904205330, 1e-6, 0, 60, 40, 3000, 1024},
    {"period 3, slow convergence", -0.037025667466868806, 0.7788796699113392, 1e-4, 0, 20, 20, 5000,
     1024},
    {"minibrot", -0.7436423016578459, 0.1318265198125947, 2e-6, 0, 24, 24, 20000, 1024},
    {"cusp", 0.25, 0, 1e-3, 0, 30, 30, 4000, 1024},
    {"needle", -1.99999, 0, 1e-4, 0, 40, 20, 2000, 4},
    {"one pixel", -1.1, 0.3, 1, 0, 1, 1, 500, 1024},
    {"one column", -0.5, 0, 3, 0, 1, 301, 500, 1024},
    {"one row, longer than a chunk", -0.5, 0.5, 0.001, 0, 2100, 1, 200, 1024},
    {"nothing but interior", -0.1, 0, 0.01, 0, 20, 6, 100000, 1024},
};

TEST(every_row_gives_the_plain_counts)
{
    unsigned every = (1u << PLANES) - 1;
    unsigned in_fp32 = every & ~(unsigned)(PLANE_MASK_END | PLANE_MASK_ORBIT);
    EACH_AVAILABLE_ROW(row)
    printf("row %s\n", row);
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
        for (int number = 0; number < NUMBERS; number++)
            run_place(&places[p], (enum number)number, 1 + (int)p % 3, SHORTCUTS_ON,
                      number == NUMBER_FP64 ? every : in_fp32, 4);
}

TEST(short_cuts_change_no_count)
{
    for (size_t p = 0; p < 15; p++)
        run_place(&places[p], NUMBER_FP64, 2, SHORTCUTS_OFF, PLANE_MASK_COUNT, 4);
}

TEST(counts_of_64_bits_are_the_same)
{
    unsigned every = (1u << PLANES) - 1;
    for (size_t p = 0; p < 5; p++)
        run_place(&places[p], NUMBER_FP64, 1, SHORTCUTS_ON, every, 8);
}

/* Components and their edges, where squares of pixels are half inside: what is proven as a whole
 * must be what every pixel's own iteration says. */
static const struct place edges[] = {
    {"edge of the period-3 bulb", -0.0370, 0.7789, 4e-3, 0, 96, 64, 20000, 1024},
    {"period 3, rotated", -0.1226, 0.7449, 0.3, 0.4, 99, 67, 20000, 2},
    {"minibrot of the needle", -1.7548, 0, 0.04, 0, 96, 64, 20000, 1024},
    {"minibrot of period 39", -0.7436423016578459, 0.1318265198125947, 2.2e-6, 0, 96, 64, 20000,
     1024},
    {"cusp of the cardioid", 0.2502, 0, 1e-3, 0, 64, 48, 20000, 1024},
    {"Feigenbaum", -1.4011551890920506, 0, 1e-3, 0, 96, 48, 20000, 1024},
    {"bulbs on the cardioid", 0.28, 0.53, 0.02, 0, 96, 64, 20000, 1024},
    {"period 112 beside a parabolic point", -0.0494700290631040937 + 1.3e-11,
     -0.6747875758446753640, 2.6e-11, 0, 130, 99, 20000, 1024},
    {"the same, a limit for which returns are followed", -0.0494700290631040937 + 1.3e-11,
     -0.6747875758446753640, 2.6e-11, 0, 33, 35, 70000, 1024},
};

/* A quarter of most limits in double-single, which takes ten times as long. */
static uint64_t computed(struct field *field, const char *row, const struct place *place,
                         enum number number, enum shortcuts shortcuts)
{
    bool less = number == NUMBER_DS && place->limit <= 20000 && !check_long();
    struct spec spec = {.limit = less ? place->limit / 4 : place->limit,
                        .bailout = place->bailout,
                        .planes = PLANE_MASK_COUNT,
                        .count_bytes = 4,
                        .number = number,
                        .shortcuts = shortcuts};
    struct grid grid = grid_of(place);
    struct backend *backend;
    struct backend_work work = {0};
    assert_int_equal(backend_open(&backend, row, &(struct backend_options){.threads = 2}),
                     STATUS_OK);
    assert_int_equal(field_create(field, grid.width, grid.height, PLANE_MASK_COUNT, 4), STATUS_OK);
    assert_int_equal(backend_compute(backend, &spec, &grid, field, &work), STATUS_OK);
    backend_close(backend);
    return work.iterations;
}

TEST(proofs_for_squares_change_no_count)
{
    for (size_t p = 0; p < sizeof edges / sizeof edges[0]; p++)
        for (int number = 0; number < NUMBERS; number++) {
            struct field without;
            computed(&without, first_row(), &edges[p], (enum number)number, SHORTCUTS_OFF);
            EACH_AVAILABLE_ROW(row)
            {
                struct field with;
                computed(&with, row, &edges[p], (enum number)number, SHORTCUTS_ON);
                size_t pixels = (size_t)with.width * (size_t)with.height;
                for (size_t i = 0; i < pixels; i++)
                    if (field_count_at(&with, i) != field_count_at(&without, i))
                        fail_msg("%s, %s, number %d, pixel %zu: %llu, without short-cuts %llu", row,
                                 edges[p].name, number, i,
                                 (unsigned long long)field_count_at(&with, i),
                                 (unsigned long long)field_count_at(&without, i));
                field_destroy(&with);
            }
            field_destroy(&without);
        }
}

/* The tests above would pass without a single proof. */
TEST(the_inside_of_a_component_is_not_iterated)
{
    const struct place inside = {"period 3", -0.1226, 0.7449, 0.005, 0, 64, 64, 100000, 1024};
    EACH_AVAILABLE_ROW(row)
    for (int number = 0; number < NUMBERS; number++) {
        struct field field;
        assert_int_equal(computed(&field, row, &inside, (enum number)number, SHORTCUTS_ON), 0);
        for (size_t i = 0; i < 64 * 64; i++)
            assert_int_equal(field_count_at(&field, i), 0);
        field_destroy(&field);
    }
}

/* Too near to the edge for a proof, |lambda| 0.99 to 0.996: until the state of an orbit repeats
 * itself it takes more than 200,000 steps, until it is in a trap a tenth of that. */
TEST(orbits_beside_a_parabolic_point_end_in_traps)
{
    const struct place place = {"edge",
                                -0.0494700290631040937 - 1.73e-11,
                                -0.6747875758446753640 + 2.81e-11,
                                2.56e-12,
                                0,
                                48,
                                32,
                                200000,
                                1024};
    EACH_AVAILABLE_ROW(row)
    {
        struct field field;
        uint64_t iterations = computed(&field, row, &place, NUMBER_FP64, SHORTCUTS_ON);
        for (size_t i = 0; i < 48 * 32; i++)
            assert_int_equal(field_count_at(&field, i), 0);
        assert_in_range(iterations, 1, (uint64_t)48 * 32 * 60000);
        field_destroy(&field);
    }
}

/* Interior short-cuts must end what no loop could: 2^62 iterations. */
TEST(limits_beyond_32_bits_end)
{
    EACH_AVAILABLE_ROW(row)
    {
        struct spec spec = {.limit = (int64_t)1 << 62,
                            .bailout = 1024,
                            .planes = PLANE_MASK_COUNT,
                            .count_bytes = 8,
                            .number = NUMBER_FP64};
        struct place place = {"period 3", -0.1225, 0.7448, 0.02, 0, 16, 16, spec.limit, 1024};
        struct grid grid = grid_of(&place);
        struct backend *backend;
        struct field field;
        struct backend_work work = {0};
        assert_int_equal(backend_open(&backend, row, &(struct backend_options){.threads = 1}),
                         STATUS_OK);
        assert_int_equal(field_create(&field, 16, 16, PLANE_MASK_COUNT, 8), STATUS_OK);
        assert_int_equal(backend_compute(backend, &spec, &grid, &field, &work), STATUS_OK);
        for (size_t i = 0; i < 256; i++)
            assert_int_equal(field_count_at(&field, i), 0);
        field_destroy(&field);
        backend_close(backend);
    }
}

/* Without short-cuts the clock of a slot runs towards the limit, and must not run past 2^63. */
TEST(the_largest_limit_is_a_limit)
{
    struct place place = {"right of the cusp", 0.2512, 0, 1e-5, 0, 40, 40, SPEC_LIMIT_MAX, 1024};
    for (int number = 0; number < NUMBERS; number++)
        run_place(&place, (enum number)number, 1, SHORTCUTS_OFF, PLANE_MASK_COUNT, 8);
}

/* Interleaved tiles, written through a window into the whole picture: what the whole gives. */
TEST(interleaved_tiles_give_what_the_whole_gives)
{
    const struct place place = {"s", -0.7436,           0.1318, 1e-3, 0.3,
                                131, 5 * GRID_BAND + 7, 2000,   1024};
    struct spec spec = {.limit = place.limit,
                        .bailout = 1024,
                        .planes = (1u << PLANES) - 1,
                        .count_bytes = 4,
                        .number = NUMBER_FP64};
    EACH_AVAILABLE_ROW(row)
    {
        compare_interleaved(row, &place, &spec, 3); /* bands 0 3, 1 4, 2 5 */
    }
}

TEST(tiles_give_what_the_whole_gives)
{
    const struct place place = {"s", -0.7436, 0.1318, 1e-3, 0.3, 131, 77, 2000, 1024};
    struct spec spec = {.limit = place.limit,
                        .bailout = 1024,
                        .planes = (1u << PLANES) - 1,
                        .count_bytes = 4,
                        .number = NUMBER_FP64};
    EACH_AVAILABLE_ROW(row)
    {
        struct backend *backend;
        struct backend_work work = {0};
        struct grid grid = grid_of(&place);
        assert_int_equal(backend_open(&backend, row, &(struct backend_options){.threads = 2}),
                         STATUS_OK);
        for (int32_t y = 0; y < grid.height; y += 19)
            for (int32_t x = 0; x < grid.width; x += 53) {
                struct grid tile = grid;
                tile.x = x;
                tile.y = y;
                tile.width = 131 - x < 53 ? 131 - x : 53;
                tile.height = 77 - y < 19 ? 77 - y : 19;
                struct field field;
                assert_int_equal(field_create(&field, tile.width, tile.height, spec.planes, 4),
                                 STATUS_OK);
                assert_int_equal(backend_compute(backend, &spec, &tile, &field, &work), STATUS_OK);
                compare_with_plain(row, &place, &spec, &tile, &field);
                field_destroy(&field);
            }
        backend_close(backend);
    }
}

/* Pixels from anywhere, also beyond the image and beside its pixels: each cell is what a tile of
 * its own gives. Tiles of cells may begin anywhere. */
TEST(cells_are_tiles_from_anywhere)
{
    enum { IN_ROW = 5, ROWS = 3, CELL = GRID_CELL, SKIPPED_PX = 7 };
    const struct place in_parts[] = {
        {"s", -0.7436, 0.1318, 1e-3, 0.3, 131, 77, 2000, 1024},
        {"period 3, rotated", -0.1226, 0.7449, 0.3, 0.4, 99, 67, 20000, 2}};
    EACH_AVAILABLE_ROW(row)
    for (int p = 0; p < 2 * NUMBERS; p++) {
        const struct place *part = &in_parts[p / NUMBERS];
        enum number number = (enum number)(p % NUMBERS);
        struct spec spec = {.limit = part->limit,
                            .bailout = part->bailout,
                            .planes = number == NUMBER_FP64 ? (1u << PLANES) - 1 : PLANE_MASK_COUNT,
                            .count_bytes = 4,
                            .number = number};
        struct grid grid = grid_of(part);
        struct grid_cell cells[IN_ROW * ROWS];
        struct backend *backend;
        struct backend_work work = {0};
        struct field want, got;
        uint64_t seed = 11;
        assert_int_equal(backend_open(&backend, row, &(struct backend_options){.threads = 2}),
                         STATUS_OK);
        assert_int_equal(field_create(&want, IN_ROW * CELL, ROWS * CELL, spec.planes, 4),
                         STATUS_OK);
        assert_int_equal(
            field_create(&got, IN_ROW * CELL - SKIPPED_PX, ROWS * CELL, spec.planes, 4), STATUS_OK);
        for (int i = 0; i < IN_ROW * ROWS; i++) {
            struct grid tile = grid;
            double beside_x = (double)(check_random(&seed) % 4096) / 4096 - 0.5;
            double beside_y = (double)(check_random(&seed) % 4096) / 4096 - 0.5;
            tile.x = (int32_t)(check_random(&seed) % 131) - 1;
            tile.y = (int32_t)(check_random(&seed) % 77) - 1;
            tile.width = tile.height = CELL;
            tile.half_width -= beside_x;
            tile.half_height -= beside_y;
            cells[i] = (struct grid_cell){tile.x + beside_x, tile.y + beside_y};
            struct field one,
                to = field_window(&want, i % IN_ROW * CELL, i / IN_ROW * CELL, CELL, CELL);
            assert_int_equal(field_create(&one, CELL, CELL, spec.planes, 4), STATUS_OK);
            assert_int_equal(backend_compute(backend, &spec, &tile, &one, &work), STATUS_OK);
            field_copy(&to, &one);
            field_destroy(&one);
        }
        grid.cells = cells;
        grid.cells_in_row = IN_ROW;
        grid.x = SKIPPED_PX;
        grid.width = got.width;
        grid.height = got.height;
        assert_int_equal(backend_compute(backend, &spec, &grid, &got, &work), STATUS_OK);
        for (int plane = 0; plane < PLANES; plane++)
            for (int32_t y = 0; got.plane[plane] && y < got.height; y++)
                if (memcmp(field_row(&got, (enum plane)plane, y),
                           (const float *)field_row(&want, (enum plane)plane, y) + SKIPPED_PX,
                           sizeof(float) * (size_t)got.width))
                    fail_msg("%s, %s, plane %d, row %d differs", row, part->name, plane, y);
        field_destroy(&want);
        field_destroy(&got);
        backend_close(backend);
    }
}

TEST(a_stop_ends_the_work)
{
    volatile int stop = 1;
    EACH_AVAILABLE_ROW(row)
    {
        struct spec spec = {.limit = INT64_MAX,
                            .bailout = 1024,
                            .planes = PLANE_MASK_COUNT,
                            .count_bytes = 8,
                            .number = NUMBER_FP64,
                            .shortcuts = SHORTCUTS_OFF};
        struct grid grid = grid_of(&places[0]);
        struct backend *backend;
        struct field field;
        struct backend_work work = {0};
        assert_int_equal(
            backend_open(&backend, row, &(struct backend_options){.threads = 2, .stop = &stop}),
            STATUS_OK);
        assert_int_equal(field_create(&field, grid.width, grid.height, PLANE_MASK_COUNT, 8),
                         STATUS_OK);
        assert_int_equal(backend_compute(backend, &spec, &grid, &field, &work), STATUS_STOPPED);
        field_destroy(&field);
        backend_close(backend);
    }
}

/* Just beside the real axis orbits are chaotic for a thousand steps, and dz overflows: the set is
 * nearer than floats tell. At z_0 = 0 of a Julia set dz is 0: as far away as they tell. */
TEST(derivatives_beyond_the_doubles_have_distances)
{
    EACH_AVAILABLE_ROW(row)
    {
        struct spec spec = {.limit = 5000,
                            .bailout = 1024,
                            .planes = (1u << PLANES) - 1,
                            .count_bytes = 4,
                            .number = NUMBER_FP64};
        const struct place place = {.name = "beside the axis"};
        struct grid grid = {.centre_re = -1.9,
                            .centre_im = 1e-310,
                            .step_re = 1e-4,
                            .down_y = 1,
                            .half_width = 20,
                            .half_height = 0.5,
                            .width = 40,
                            .height = 1};
        struct backend *backend;
        struct backend_work work = {0};
        struct field field;
        int beyond = 0;
        assert_int_equal(backend_open(&backend, row, &(struct backend_options){.threads = 1}),
                         STATUS_OK);
        assert_int_equal(field_create(&field, 40, 1, spec.planes, 4), STATUS_OK);
        const float *x = field.plane[PLANE_DISTANCE_X], *y = field.plane[PLANE_DISTANCE_Y];
        assert_int_equal(backend_compute(backend, &spec, &grid, &field, &work), STATUS_OK);
        compare_with_plain(row, &place, &spec, &grid, &field);
        for (size_t i = 0; i < 40; i++) {
            beyond += field_count_at(&field, i) > 1200;
            assert_true(x[i] == 0 && y[i] == 0);
        }
        assert_true(beyond > 10);
        spec.formula = (struct formula){.plane = DYNAMIC_PLANE, .c_re = 0.4, .c_im = 0.6};
        grid.centre_re = 0.5e-4; /* pixel 19 */
        grid.centre_im = 0;
        assert_int_equal(backend_compute(backend, &spec, &grid, &field, &work), STATUS_OK);
        compare_with_plain(row, &place, &spec, &grid, &field);
        assert_true(x[19] == 0x1p126f && y[19] == 0);
        assert_true(hypotf(x[18], y[18]) > 100 && hypotf(x[18], y[18]) < 1e9f);
        field_destroy(&field);
        backend_close(backend);
    }
}

/* Perturbation about the Misiurewicz point i, a pixel 2^-200 of c: what kernels/deep/ itself says.
 */
TEST(every_row_perturbs_alike)
{
    const struct orbit_options how = {.bits = 260, .radius = 102400, .log2_disc = -INFINITY};
    const struct grid grid = {.step_re = 0x1p-200,
                              .down_y = 1,
                              .half_width = 20,
                              .half_height = 12,
                              .width = 40,
                              .height = 24};
    const struct spec spec = {.limit = 3000,
                              .bailout = 1024,
                              .planes = ((1u << PLANES) - 1) &
                                        ~(unsigned)(PLANE_MASK_ORBIT | PLANE_MASK_ATTRACTOR),
                              .count_bytes = 4,
                              .number = NUMBER_FP64};
    const struct deep_options options = {
        .blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-40, .threads = 1};
    struct orbit orbit;
    struct deep deep;
    struct deep_work steps = {0};
    struct field want, got;
    size_t bytes;
    assert_int_equal(orbit_create(&orbit, &how, "0", "1"), STATUS_OK);
    assert_int_equal(orbit_extend(&orbit, spec.limit), STATUS_OK);
    assert_int_equal(field_create(&want, 40, 24, spec.planes, 4), STATUS_OK);
    assert_int_equal(field_create(&got, 40, 24, spec.planes, 4), STATUS_OK);
    assert_int_equal(field_bytes(40, 24, spec.planes, 4, &bytes), STATUS_OK);
    assert_int_equal(deep_open(&deep, &options, &orbit, &spec, &grid), STATUS_OK);
    assert_int_equal(deep_compute(&deep, &spec, &grid, &want, &steps), STATUS_OK);
    assert_true(field_count_at(&want, 0) > 0);
    EACH_AVAILABLE_ROW(row)
    {
        struct backend *backend;
        struct backend_deep of_row;
        struct backend_work work = {0};
        assert_int_equal(backend_open(&backend, row, &(struct backend_options){0}), STATUS_OK);
        assert_int_equal(backend_deep_open(&of_row, backend, &options, &orbit, &spec, &grid),
                         STATUS_OK);
        if (of_row.on_host)
            assert_ptr_equal(of_row.on_host->options.kernels,
                             backend_kind_of(backend)->deep_kernels);
        assert_int_equal(backend_deep_compute(&of_row, &spec, &grid, &got, &work), STATUS_OK);
        assert_memory_equal(got.base, want.base, bytes);
        assert_int_equal(work.iterations, steps.steps);
        backend_deep_close(&of_row);
        backend_close(backend);
    }
    deep_close(&deep);
    orbit_destroy(&orbit);
    field_destroy(&want);
    field_destroy(&got);
}

TEST(names_are_found_or_refused)
{
    struct backend *backend;
    struct backend_options options = {.threads = 1};
    assert_int_equal(backend_open(&backend, "auto", &options), STATUS_OK);
    assert_true(backend_kind_of(backend)->devices());
    assert_true(backend_ceiling(backend, NUMBER_FP64, 1e-4) > 1e6);
    backend_close(backend);
    assert_int_equal(backend_open(&backend, "abacus", &options), STATUS_CONFIG);
    assert_null(backend);
    backend_close(NULL);
    for (int k = 0; k < backend_kinds_count; k++)
        if (!backend_kinds[k]->devices())
            assert_int_equal(backend_open(&backend, backend_kinds[k]->name, &options),
                             STATUS_NO_DEVICE);
}

/* Other ranks may have devices that this machine lacks: rank 0 is to know what they are. */
TEST(kinds_are_known_where_there_is_no_device)
{
    for (int k = 0; k < backend_kinds_count; k++) {
        const struct backend_kind *kind = backend_kinds[k];
        assert_ptr_equal(backend_kind_named(kind->name), kind);
        assert_int_equal(backend_kind_is_gpu(kind), !strcmp(kind->name, "cuda"));
        if (kind->devices()) /* GPUs are those with memory of their own */
            assert_int_equal(backend_kind_is_gpu(kind), kind->memory != NULL);
    }
    assert_null(backend_kind_named("abacus"));
    assert_null(backend_kind_named("auto"));
    assert_false(backend_kind_is_gpu(NULL));
}

/* usage: test_backend [gpu] */
int main(int argc, char **argv)
{
    if (!rows_choose(argc, argv))
        return SKIPPED;
    return check_run(NULL, NULL);
}
