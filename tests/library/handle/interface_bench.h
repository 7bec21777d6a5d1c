/* One of each object of the C interface, for its tests. */
#ifndef TESTS_LIBRARY_HANDLE_INTERFACE_BENCH_H
#define TESTS_LIBRARY_HANDLE_INTERFACE_BENCH_H

#include "include/deepfield/deepfield.h"
#include "tests/support/check.h"

struct bench {
    deepfield_world *world;
    deepfield_renderer *renderer;
    deepfield_picture *picture;
    deepfield_field *field; /* without pixels */
};

static inline void must(deepfield_status status)
{
    if (status != DEEPFIELD_OK)
        print_error("%s\n", deepfield_error());
    assert_int_equal(status, DEEPFIELD_OK);
}

/* Pixels of U8 without gaps. */
static inline deepfield_array bytes_over(void *data, int32_t width, int32_t height,
                                         int32_t channels)
{
    return (deepfield_array){.size = sizeof(deepfield_array),
                             .data = data,
                             .type = DEEPFIELD_U8,
                             .width = width,
                             .height = height,
                             .channels = channels,
                             .row_bytes = (int64_t)width * channels};
}

static inline void bench_open(struct bench *bench, const char *backend, const char *place,
                              const char *size)
{
    must(deepfield_world_open(&bench->world, NULL));
    must(deepfield_renderer_create(&bench->renderer, bench->world));
    must(deepfield_renderer_set(bench->renderer, "compute.backend", backend));
    must(deepfield_picture_open(&bench->picture, bench->world, place));
    must(deepfield_picture_set(bench->picture, "view.size", size));
    must(deepfield_field_create(&bench->field));
}

static inline void bench_close(struct bench *bench)
{
    deepfield_field_destroy(bench->field);
    deepfield_picture_destroy(bench->picture);
    deepfield_renderer_destroy(bench->renderer);
    deepfield_world_close(bench->world);
}

#endif
