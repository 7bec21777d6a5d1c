/* Are pictures the same bits however they come about? */
#include "tests/kernels/test_deep_picture.h"

static void assert_same_bits(const struct picture *a, const struct picture *b)
{
    assert_memory_equal(a->field.base, b->field.base, picture_bytes(a));
    assert_int_equal(a->steps, b->steps);
}

/* In a plain fixture and a wide one. */
TEST(test_threads_change_no_bit)
{
    for (int place = 0; place <= 4; place += 4) {
        struct fixture fixture = place_open(place, 0);
        for (int blocks = place ? BLOCKS_QUARTIC : BLOCKS_NONE; blocks < BLOCKS_KINDS; blocks++) {
            struct deep_options options = {
                .blocks = (enum blocks)blocks, .epsilon = 0x1p-40, .threads = 1};
            struct picture one = picture_compute(&fixture, &options);
            for (options.threads = 2; options.threads <= 5; options.threads += 3) {
                struct picture many = picture_compute(&fixture, &options);
                assert_same_bits(&one, &many);
                picture_free(&many);
            }
            picture_free(&one);
        }
        fixture_close(&fixture);
    }
}

/* Blocks that are there are taken if they are those that would be built. */
TEST(test_borrowed_blocks_change_no_bit)
{
    struct fixture fixture = place_open(1, 0);
    struct deep_options options = {.blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-40};
    struct deep own = fixture_deep(&fixture, &options);
    options.ready = &own;
    struct deep same = fixture_deep(&fixture, &options);
    assert_true(!same.memory[0] && same.common.table.record[0] == own.common.table.record[0]);
    assert_int_equal(same.table_bytes, own.table_bytes);
    options.ready = NULL;
    struct picture want = picture_compute(&fixture, &options);
    options.ready = &own;
    struct picture got = picture_compute(&fixture, &options);
    assert_same_bits(&want, &got);
    options.epsilon = 0x1p-41;
    struct deep other = fixture_deep(&fixture, &options);
    assert_non_null(other.memory[0]);
    deep_close(&other);
    deep_close(&same);
    deep_close(&own);
    picture_free(&want);
    picture_free(&got);
    fixture_close(&fixture);
}

/* Tiles of odd sizes, interleaved ones, without distances: all the pixels of the one picture. */
TEST(test_tiles_change_no_bit)
{
    struct fixture fixture = place_open(0, 0);
    struct deep_options options = {.blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-40};
    struct picture whole = picture_compute(&fixture, &options),
                   parts = picture_compute(&fixture, &options);
    struct deep deep = fixture_deep(&fixture, &options);
    struct deep_work work = {0};
    memset(parts.field.base, 0xff, picture_bytes(&parts));
    for (int32_t y = 0; y < HEIGHT; y += 17)
        for (int32_t x = 0; x < WIDTH; x += 71) {
            struct grid grid = fixture.grid;
            grid.x = x;
            grid.y = y;
            grid.width = WIDTH - x < 71 ? WIDTH - x : 71;
            grid.height = HEIGHT - y < 17 ? HEIGHT - y : 17;
            struct field window = field_window(&parts.field, x, y, grid.width, grid.height);
            assert_int_equal(deep_compute(&deep, &fixture.spec, &grid, &window, &work), STATUS_OK);
        }
    assert_memory_equal(whole.field.base, parts.field.base, picture_bytes(&whole));
    assert_int_equal(work.steps, whole.steps);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
        assert_int_equal(whole.distance_x[i] != 0 || whole.distance_y[i] != 0,
                         field_count_at(&whole.field, i) > 0);
    struct field plain; /* its planes are the first of the others' */
    assert_int_equal(field_create(&plain, WIDTH, HEIGHT, fixture.spec.planes, 4), STATUS_OK);
    for (int32_t y = 0; y < 2 * GRID_BAND; y += GRID_BAND) { /* bands 0, 2 and 1, 3 */
        struct grid grid = fixture.grid;
        int32_t tail = HEIGHT - y - 2 * GRID_BAND;
        grid.y = y;
        grid.band = GRID_BAND;
        grid.band_step = 2 * GRID_BAND;
        grid.height = GRID_BAND + (tail < GRID_BAND ? tail : GRID_BAND);
        struct field window = field_interleaved(&plain, y, grid.height, GRID_BAND, 2 * GRID_BAND);
        assert_int_equal(deep_compute(&deep, &fixture.spec, &grid, &window, &work), STATUS_OK);
    }
    assert_memory_equal(whole.field.base, plain.base, (size_t)8 * WIDTH * HEIGHT);
    field_destroy(&plain);
    deep_close(&deep);
    picture_free(&whole);
    picture_free(&parts);
    fixture_close(&fixture);
}

/* Cells from anywhere in the picture, in another order: the pixels that are there, inside too. */
TEST(test_cells_change_no_bit)
{
    enum { IN_ROW = 4, ROWS = 3 };
    struct fixture fixture = place_open(0, 0);
    struct deep_options options = {.blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-40};
    struct picture whole = picture_compute(&fixture, &options);
    struct deep deep = fixture_deep(&fixture, &options);
    struct deep_work work = {0};
    struct grid_cell cells[IN_ROW * ROWS];
    struct grid grid = fixture.grid;
    struct field got;
    for (int i = 0; i < IN_ROW * ROWS; i++)
        cells[i] = (struct grid_cell){i * 29 % (WIDTH - GRID_CELL), i * 17 % (HEIGHT - GRID_CELL)};
    grid.cells = cells;
    grid.cells_in_row = IN_ROW;
    grid.width = IN_ROW * GRID_CELL;
    grid.height = ROWS * GRID_CELL;
    assert_int_equal(field_create(&got, grid.width, grid.height, whole.field.planes, 4), STATUS_OK);
    assert_int_equal(deep_compute(&deep, &fixture.spec, &grid, &got, &work), STATUS_OK);
    for (int p = 0; p < PLANES; p++)
        for (int32_t y = 0; got.plane[p] && y < got.height; y++)
            for (int c = 0; c < IN_ROW; c++) {
                const struct grid_cell *at = &cells[y / GRID_CELL * IN_ROW + c];
                const float *want =
                    field_row(&whole.field, (enum plane)p, (int32_t)at->y + y % GRID_CELL);
                const float *have = field_row(&got, (enum plane)p, y);
                assert_memory_equal(want + (int32_t)at->x, have + c * GRID_CELL,
                                    GRID_CELL * sizeof *want);
            }
    field_destroy(&got);
    deep_close(&deep);
    picture_free(&whole);
    fixture_close(&fixture);
}

enum { SET_ROWS = 8, SET_WIDTH = 60 };

struct by_set { /* [SET_ROWS][SET_WIDTH] */
    struct field out;
    uint64_t steps;
};

static void rows_compute(const struct fixture *fixture, const struct deep *deep, int set,
                         int slopes, struct by_set *by)
{
    struct grid grid = fixture->grid;
    grid.width = SET_WIDTH;
    const struct deep_kernels *kernels = instruction_set(set);
    if (deep->options.blocks == BLOCKS_NONE && kernels->without_lanes)
        kernels = kernels->without_lanes;
    *by = (struct by_set){.steps = 0};
    unsigned planes = fixture->spec.planes | PLANE_MASK_PHASE | (slopes ? PLANE_MASK_DISTANCE : 0);
    assert_int_equal(field_create(&by->out, SET_WIDTH, SET_ROWS, planes, 4), STATUS_OK);
    for (int row = 0; row < SET_ROWS; row++) {
        struct deep_chunk chunk = {.common = &deep->common,
                                   .grid = &grid,
                                   .out = &by->out,
                                   .fraction_offset = fraction_offset(1024),
                                   .row = row,
                                   .width = SET_WIDTH,
                                   .height = 1};
        by->steps += kernels->run[deep->options.blocks][deep->common.exponent != 0][slopes](&chunk);
    }
}

TEST(test_instruction_sets_change_no_bit)
{
    static struct by_set by[2];
    for (int place = 0; place < 5; place++) {
        struct fixture fixture = place_open(place, 0);
        for (int blocks = BLOCKS_NONE; blocks < BLOCKS_KINDS; blocks++) {
            if (blocks == BLOCKS_NONE && place != 2)
                continue; /* millions of steps a pixel */
            struct deep_options options = {.blocks = (enum blocks)blocks, .epsilon = 0x1p-40};
            struct deep deep = fixture_deep(&fixture, &options);
            rows_compute(&fixture, &deep, 0, 1, &by[0]);
            for (int set = 0; set < INSTRUCTION_SETS; set++)
                for (int slopes = 0; slopes < 2 && instruction_set(set); slopes++) {
                    rows_compute(&fixture, &deep, set, slopes, &by[1]);
                    assert_memory_equal(by[0].out.base, by[1].out.base,
                                        sizeof(uint32_t) * 2 * SET_ROWS * SET_WIDTH);
                    for (int p = slopes ? PLANE_DISTANCE_X : PLANE_PHASE; p <= PLANE_PHASE; p++)
                        assert_memory_equal(by[0].out.plane[p], by[1].out.plane[p],
                                            sizeof(float) * SET_ROWS * SET_WIDTH);
                    assert_int_equal(by[0].steps, by[1].steps);
                    field_destroy(&by[1].out);
                }
            field_destroy(&by[0].out);
            deep_close(&deep);
        }
        fixture_close(&fixture);
    }
}

/* Tables of one fixture: by scalar code, and by the lanes of `set`. */
static void tables_compare(const struct fixture *fixture, double epsilon, int shortest,
                           const struct deep_kernels *set)
{
    const struct deep_kernels *kernels[] = {&deep_kernels_scalar, set};
    struct deep deep[2];
    for (int i = 0; i < 2; i++) {
        struct deep_options options = {.blocks = BLOCKS_QUARTIC,
                                       .epsilon = epsilon,
                                       .shortest = shortest,
                                       .kernels = kernels[i],
                                       .threads = 1 + i};
        deep[i] = fixture_deep(fixture, &options);
    }
    const struct block_table *table[] = {&deep[0].common.table, &deep[1].common.table};
    assert_int_equal(table[0]->levels, table[1]->levels);
    assert_int_equal(deep[0].table_bytes, deep[1].table_bytes);
    for (int level = 0; level < table[0]->levels; level++) {
        size_t count = (size_t)(deep[0].common.end >> (table[0]->shortest + level));
        assert_memory_equal(table[0]->record[level], table[1]->record[level],
                            count * sizeof(struct quadratic_block));
        assert_memory_equal(table[0]->radius[level], table[1]->radius[level],
                            count * sizeof(int32_t));
    }
    deep_close(&deep[0]);
    deep_close(&deep[1]);
}

/* At places without and with exponents, about c = i, and along a cycle through 0, whose blocks have
 * no radius; that of the last place also where points are far below the doubles. */
TEST(test_instruction_sets_build_the_same_tables)
{
    static const struct fixture_wanted cycles[] = {
        {.re = "0", .im = "1", .zoom = "1e400", .limit = 4000, .width = 33, .height = 21},
        {.re = "-1",
         .im = "1e-170",
         .zoom = "1e200",
         .limit = 4000,
         .width = 33,
         .height = 21,
         .no_nucleus = true}};
    static const double epsilon[INSTRUCTION_SETS] = {0, 0x1p-13, 0x1p-45};
    if (!instruction_set(1))
        skip();
    for (int i = 0; i < 6; i++) {
        static const int places[] = {0, 1, 2, 4};
        struct fixture fixture = i < 4 ? place_open(places[i], 0) : fixture_open(&cycles[i - 4]);
        for (int shortest = 1; shortest <= 3; shortest += 2)
            for (int set = 1; set < INSTRUCTION_SETS; set++)
                if (instruction_set(set))
                    tables_compare(&fixture, epsilon[set], shortest, instruction_set(set));
        fixture_close(&fixture);
    }
}

int main(void)
{
    return check_run(NULL, NULL);
}
