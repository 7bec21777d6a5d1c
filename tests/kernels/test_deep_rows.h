/* Rows of a picture by any formula, the same bits by every instruction set. */
#ifndef TESTS_KERNELS_TEST_DEEP_ROWS_H
#define TESTS_KERNELS_TEST_DEEP_ROWS_H

#include "tests/kernels/test_deep_fixture.h"

/* Two, with all planes. */
static inline struct field rows_of(const struct fixture *fixture,
                                   const struct deep_kernels *kernels)
{
    struct spec spec = fixture->spec;
    struct deep_options options = {
        .blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-30, .kernels = kernels};
    struct grid grid = fixture->grid;
    struct deep_work work = {0};
    struct field rows;
    struct deep deep;
    spec.planes |= PLANE_MASK_DISTANCE | PLANE_MASK_PHASE;
    grid.y = 100;
    grid.width = 150;
    grid.height = 2;
    assert_int_equal(field_create(&rows, grid.width, grid.height, spec.planes, 4), STATUS_OK);
    assert_int_equal(deep_open(&deep, &options, &fixture->orbit, &spec, &fixture->grid), STATUS_OK);
    assert_int_equal(deep_compute(&deep, &spec, &grid, &rows, &work), STATUS_OK);
    deep_close(&deep);
    return rows;
}

static inline void assert_same_rows(const struct field *a, const struct field *b)
{
    for (int p = 0; p < PLANES; p++)
        for (int32_t y = 0; a->plane[p] && y < a->height; y++)
            assert_memory_equal(field_row(a, (enum plane)p, y), field_row(b, (enum plane)p, y),
                                (size_t)a->width * 4);
}

static inline void assert_sets_agree(const struct fixture *fixture)
{
    struct field scalar = rows_of(fixture, instruction_set(0));
    for (int set = 1; set < INSTRUCTION_SETS; set++) {
        if (!instruction_set(set))
            continue;
        struct field rows = rows_of(fixture, instruction_set(set));
        assert_same_rows(&scalar, &rows);
        field_destroy(&rows);
    }
    field_destroy(&scalar);
}

#endif
