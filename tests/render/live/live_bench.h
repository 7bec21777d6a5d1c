/* An engine of the viewer that runs, and the headless pictures that it is held against. */
#ifndef TESTS_RENDER_LIVE_LIVE_BENCH_H
#define TESTS_RENDER_LIVE_LIVE_BENCH_H

#include "tests/support/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/thread/clock.h"
#include "render/live/live.h"
#include "render/picture/picture.h"

#define BENCH_PATIENCE_S 240.0 /* far beyond what any of it takes, on a loaded machine */

struct bench {
    struct world *world;
    struct live *live;
    struct renderer *headless;
    struct palette *palette;
    pthread_t runner;
    enum status ran;
    struct live_state state;
    struct live_pixels shown;
    uint64_t serial;
};

static inline void *bench_run(void *context)
{
    struct bench *bench = context;
    bench->ran = live_run(bench->live);
    return NULL;
}

/* One rank; the thread that runs the engine takes the place of the one that opened the world. wave:
 * > 0: pieces are dealt as they are to GPUs. */
static inline void bench_open_as(struct bench *bench, const char *backend, int64_t wave)
{
    *bench = (struct bench){.serial = 0};
    struct live_options options = {
        .renderer = {.backend = backend, .threads = 2},
        .assets = DEEPFIELD_ASSETS,
        .accuracy_px = ACCURACY_EXACT_PX,
        .wave = wave,
    };
    assert_int_equal(world_open(&bench->world, NULL), STATUS_OK);
    if (live_open(&bench->live, bench->world, &options) != STATUS_OK)
        fail_msg("not opened: %s", status_text());
    struct renderer_options headless = {.backend = backend, .threads = 2};
    assert_int_equal(renderer_open(&bench->headless, bench->world, &headless), STATUS_OK);
    assert_int_equal(palette_load(&bench->palette, DEEPFIELD_ASSETS, "aurora"), STATUS_OK);
    assert_int_equal(pthread_create(&bench->runner, NULL, bench_run, bench), 0);
}

static inline void bench_open(struct bench *bench, const char *backend)
{
    bench_open_as(bench, backend, 0);
}

static inline void bench_close(struct bench *bench)
{
    live_quit(bench->live);
    pthread_join(bench->runner, NULL);
    assert_int_equal(bench->ran, STATUS_OK);
    live_close(bench->live);
    renderer_close(bench->headless);
    palette_destroy(bench->palette);
    world_close(bench->world);
    free(bench->shown.pixels);
}

static inline struct live_request bench_request(struct bench *bench, const char *re, const char *im,
                                                const char *zoom, int32_t width, int32_t height,
                                                int64_t limit)
{
    struct live_request request = {.serial = ++bench->serial,
                                   .limit = limit,
                                   .bailout = 1024,
                                   .look = {.density = 1, .interior = {0, 0, 0.1f}},
                                   .palette = "aurora",
                                   .pointer_x = width / 3.0,
                                   .pointer_y = height / 2.0,
                                   .pace = LIVE_SETTLED};
    assert_int_equal(view_set(&request.view, re, im, zoom, 10, width, height), STATUS_OK);
    return request;
}

static inline void bench_ask(struct bench *bench, const struct live_request *request)
{
    if (live_ask(bench->live, request) != STATUS_OK)
        fail_msg("not asked: %s", status_text());
    if (bench->shown.width != request->view.width || bench->shown.height != request->view.height) {
        free(bench->shown.pixels);
        bench->shown = (struct live_pixels){.width = request->view.width,
                                            .height = request->view.height,
                                            .stride = request->view.width};
        size_t pixels = (size_t)request->view.width * (size_t)request->view.height;
        bench->shown.pixels = calloc(pixels, sizeof *bench->shown.pixels);
        assert_non_null(bench->shown.pixels);
    }
}

/* Looks every millisecond until `there` says so. */
static inline void bench_wait(struct bench *bench, const char *what,
                              bool (*there)(const struct live_state *))
{
    double begin = clock_s();
    for (;; usleep(1000)) {
        live_poll(bench->live, &bench->state, &bench->shown);
        if (bench->state.serial == bench->serial && there(&bench->state))
            return;
        if (bench->state.serial == bench->serial && bench->state.stage == LIVE_FAILED)
            fail_msg("failed: %s", bench->state.error);
        if (clock_s() - begin > BENCH_PATIENCE_S)
            fail_msg("never %s: stage %d, %.3f done, %s", what, bench->state.stage,
                     bench->state.done, bench->state.method);
    }
}

static inline bool bench_settled(const struct live_state *state)
{
    return state->settled;
}

/* The settled picture against the headless one, fields and colours, byte for byte. */
static inline void bench_compare(struct bench *bench, const struct live_request *request)
{
    struct field field;
    struct live_field settled;
    if (live_field_hold(bench->live, bench->serial, &settled) != STATUS_OK)
        fail_msg("no field: %s", status_text());
    struct picture picture = {.view = request->view,
                              .spec.limit = settled.limit,
                              .spec.bailout = request->bailout,
                              .spec.formula = request->formula,
                              .spec.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                              .accuracy_px = ACCURACY_EXACT_PX,
                              .blocks = BLOCKS_QUARTIC,
                              .schedule = "auto",
                              .transport = "auto"};
    struct picture_report report;
    if (picture_render(bench->headless, &picture, NULL, &field, &report) != STATUS_OK)
        fail_msg("not rendered: %s", status_text());
    picture_report_destroy(&report);
    size_t pixels = (size_t)field.width * (size_t)field.height;
    for (size_t i = 0; i < pixels; i++)
        if (field_count_at(&settled.field, i) != field_count_at(&field, i))
            fail_msg("pixel %zu, %zu of %s: count %llu, headless %llu (%s)",
                     i % (size_t)field.width, i / (size_t)field.width, request->view.zoom,
                     (unsigned long long)field_count_at(&settled.field, i),
                     (unsigned long long)field_count_at(&field, i), bench->state.method);
    assert_memory_equal(settled.field.plane[PLANE_FRACTION], field.plane[PLANE_FRACTION],
                        pixels * sizeof(float));
    struct look look = request->look;
    look.palette = bench->palette;
    uint8_t *row = malloc((size_t)field.width * 3);
    for (int32_t y = 0; y < field.height; y++) {
        colour_row_8(&look, &field, y, row);
        const uint32_t *shown = bench->shown.pixels + (size_t)y * (size_t)field.width;
        for (int32_t x = 0; x < field.width; x++) {
            uint32_t wanted = 0xff000000u | (uint32_t)row[3 * x] << 16 |
                              (uint32_t)row[3 * x + 1] << 8 | row[3 * x + 2];
            if (shown[x] != wanted)
                fail_msg("pixel %d, %d of %s: %08x instead of %08x", x, y, request->view.zoom,
                         shown[x], wanted);
        }
    }
    free(row);
    live_field_release(&settled);
}

#endif
