/* Pictures by perturbation on a backend, for the tests on a GPU. */
#ifndef TESTS_KERNELS_GPU_DEEP_H
#define TESTS_KERNELS_GPU_DEEP_H

#include "tests/kernels/gpu.h"
#include "tests/kernels/test_deep_fixture.h"

enum { WIDTH = 61, HEIGHT = 37 };
enum { SUMS_LIMIT = 50000 }; /* sums take every step: a second each beyond it */

#define VIEW(re_, im_, zoom_, limit_)                                                 \
    {                                                                                 \
        .re = (re_), .im = (im_), .zoom = (zoom_), .limit = (limit_), .width = WIDTH, \
        .height = HEIGHT                                                              \
    }

static inline struct deep_options options_of(const struct fixture *fixture, enum blocks blocks)
{
    double accuracy_px = fixture->spec.number == NUMBER_FP32 ? 0.001 : 1e-9;
    return (struct deep_options){
        .blocks = blocks,
        .epsilon = blocks == BLOCKS_NONE ? 0x1p-40 : deep_epsilon(accuracy_px, &fixture->grid)};
}

static inline struct backend_deep deep_on(struct backend *backend, const struct fixture *fixture,
                                          const struct deep_options *options)
{
    struct backend_deep deep;
    if (backend_deep_open(&deep, backend, options, &fixture->orbit, &fixture->spec, &fixture->grid))
        fail_msg("%s", status_text());
    return deep;
}

struct picture {
    struct field field;
    uint64_t steps;
};

static inline struct picture picture_new(const struct fixture *fixture)
{
    struct picture picture = {.steps = 0};
    const struct grid *grid = &fixture->grid;
    assert_int_equal(field_create(&picture.field, grid->width, grid->height, fixture->spec.planes,
                                  fixture->spec.count_bytes),
                     STATUS_OK);
    return picture;
}

static inline struct picture picture_on(struct backend *backend, const struct fixture *fixture,
                                        enum blocks blocks)
{
    struct picture picture = picture_new(fixture);
    struct deep_options options = options_of(fixture, blocks);
    struct backend_deep deep = deep_on(backend, fixture, &options);
    struct backend_work work = {0};
    if (backend_deep_compute(&deep, &fixture->spec, &fixture->grid, &picture.field, &work))
        fail_msg("%s", status_text());
    picture.steps = work.iterations;
    backend_deep_close(&deep);
    return picture;
}

static inline bool some_inside(const struct field *field)
{
    for (size_t i = 0; i < (size_t)field->width * (size_t)field->height; i++)
        if (field_count_at(field, i) == 0)
            return true;
    return false;
}

static inline void compare(const char *name, struct backend *gpu, struct backend *cpu,
                           const struct fixture *fixture, enum blocks blocks, bool distance)
{
    struct fixture with = *fixture;
    if (distance)
        with.spec.planes |= PLANE_MASK_DISTANCE | PLANE_MASK_PHASE;
    if (distance && with.spec.limit <= SUMS_LIMIT && !formula_rational(&with.spec.formula))
        with.spec.planes |= PLANE_MASK_ORBIT;
    struct picture got = picture_on(gpu, &with, blocks), want = picture_on(cpu, &with, blocks);
    gpu_compare(name, &got.field, &want.field);
    /* Pixels inside end where their pixels are seen to repeat themselves, which is looked for at
     * other places. */
    if (got.steps != want.steps && !some_inside(&want.field))
        fail_msg("%s: %llu steps, expected %llu", name, (unsigned long long)got.steps,
                 (unsigned long long)want.steps);
    field_destroy(&got.field);
    field_destroy(&want.field);
}

static inline struct backend *cpu_open(void)
{
    struct backend *cpu;
    assert_int_equal(backend_open(&cpu, "cpu", &(struct backend_options){0}), STATUS_OK);
    return cpu;
}

#endif
