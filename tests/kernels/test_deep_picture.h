/* Small pictures of published places, for the tests of blocks and of bits. */
#ifndef TESTS_KERNELS_TEST_DEEP_PICTURE_H
#define TESTS_KERNELS_TEST_DEEP_PICTURE_H

#include <stdlib.h>
#include <string.h>

#include "kernels/deep/deep_kernels.h"
#include "tests/kernels/test_deep_fixture.h"

enum { WIDTH = 90, HEIGHT = 50 };

static inline struct fixture place_open(int place, int64_t limit)
{
    struct fixture_wanted wanted = wanted_place(place, WIDTH, HEIGHT);
    wanted.limit = limit ? limit : wanted.limit;
    return fixture_open(&wanted);
}

struct picture { /* of WIDTH x HEIGHT */
    struct field field;
    const float *distance_x, *distance_y; /* of the field */
    uint64_t steps;
};

static inline struct picture picture_compute(const struct fixture *fixture,
                                             const struct deep_options *options)
{
    struct picture picture = {.steps = 0};
    struct deep deep = fixture_deep(fixture, options);
    struct deep_work work = {0};
    assert_int_equal(field_create(&picture.field, WIDTH, HEIGHT,
                                  fixture->spec.planes | PLANE_MASK_DISTANCE | PLANE_MASK_PHASE, 4),
                     STATUS_OK);
    picture.distance_x = picture.field.plane[PLANE_DISTANCE_X];
    picture.distance_y = picture.field.plane[PLANE_DISTANCE_Y];
    assert_int_equal(deep_compute(&deep, &fixture->spec, &fixture->grid, &picture.field, &work),
                     STATUS_OK);
    picture.steps = work.steps;
    deep_close(&deep);
    return picture;
}

static inline void picture_free(struct picture *picture)
{
    field_destroy(&picture->field);
}

static inline size_t picture_bytes(const struct picture *picture)
{
    size_t bytes;
    assert_int_equal(field_bytes(WIDTH, HEIGHT, picture->field.planes, 4, &bytes), STATUS_OK);
    return bytes;
}

#endif
