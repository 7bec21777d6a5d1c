/* Rows of a picture by any formula, the same bits by every instruction set. */
#ifndef TESTS_KERNELS_TEST_DEEP_ROWS_H
#define TESTS_KERNELS_TEST_DEEP_ROWS_H

#include "tests/kernels/test_deep_fixture.h"

/* Two, with all planes or those that need no tangents, and how many steps they took. */
static inline struct field rows_counted(const struct fixture *fixture,
                                        const struct deep_kernels *kernels, int slopes,
                                        uint64_t *steps)
{
    struct spec spec = fixture->spec;
    struct deep_options options = {
        .blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-30, .kernels = kernels};
    struct grid grid = fixture->grid;
    struct deep_work work = {0};
    struct field rows;
    struct deep deep;
    spec.planes |= PLANE_MASK_PHASE | (slopes ? PLANE_MASK_DISTANCE : 0);
    if (slopes && !formula_rational(&spec.formula))
        spec.planes |= PLANE_MASK_ORBIT;
    grid.y = 100;
    grid.width = 150;
    grid.height = 2;
    assert_int_equal(field_create(&rows, grid.width, grid.height, spec.planes, 4), STATUS_OK);
    assert_int_equal(deep_open(&deep, &options, &fixture->orbit, &spec, &fixture->grid), STATUS_OK);
    assert_int_equal(deep_compute(&deep, &spec, &grid, &rows, &work), STATUS_OK);
    deep_close(&deep);
    *steps = work.steps;
    return rows;
}

static inline struct field rows_of(const struct fixture *fixture,
                                   const struct deep_kernels *kernels)
{
    uint64_t steps;
    return rows_counted(fixture, kernels, 1, &steps);
}

static inline void assert_same_rows(const struct field *a, const struct field *b)
{
    for (int p = 0; p < PLANES; p++)
        for (int32_t y = 0; a->plane[p] && y < a->height; y++)
            assert_memory_equal(field_row(a, (enum plane)p, y), field_row(b, (enum plane)p, y),
                                (size_t)a->width * 4);
}

/* With tangents and without, which change no count; in as many steps, too: those of a pixel do not
 * hang on the pixels beside it. */
static inline void assert_sets_agree(const struct fixture *fixture)
{
    for (int slopes = 1; slopes >= 0; slopes--) {
        uint64_t steps, others;
        struct field scalar = rows_counted(fixture, instruction_set(0), slopes, &steps);
        for (int set = 1; set < INSTRUCTION_SETS; set++) {
            if (!instruction_set(set))
                continue;
            struct field rows = rows_counted(fixture, instruction_set(set), slopes, &others);
            assert_same_rows(&scalar, &rows);
            assert_int_equal(steps, others);
            field_destroy(&rows);
        }
        field_destroy(&scalar);
    }
}

#endif
