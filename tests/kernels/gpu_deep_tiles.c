/* Perturbation on a GPU: tiles of any shape, two at a time, stops, and what a device may refuse. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "kernels/cuda/cuda_calls.h"
#include "tests/kernels/gpu_deep.h"

/* ---- tiles ---- */

TEST(tiles_windows_and_interleaved_tiles)
{
    struct backend *cpu = cpu_open(), *gpu = gpu_open(0, NULL);
    struct fixture_wanted wanted = wanted_place(1, 150, 101);
    struct fixture fixture = fixture_open(&wanted);
    struct deep_options options = options_of(&fixture, BLOCKS_QUARTIC);
    struct picture want = picture_on(cpu, &fixture, BLOCKS_QUARTIC);
    struct picture parts = picture_new(&fixture);
    struct backend_deep deep = deep_on(gpu, &fixture, &options);
    struct backend_work work = {0};
    for (int32_t y = 0; y < 101; y += 17)
        for (int32_t x = 0; x < 150; x += 71) {
            struct grid grid = fixture.grid;
            grid.x = x;
            grid.y = y;
            grid.width = 150 - x < 71 ? 150 - x : 71;
            grid.height = 101 - y < 17 ? 101 - y : 17;
            struct field window = field_window(&parts.field, x, y, grid.width, grid.height);
            assert_int_equal(backend_deep_compute(&deep, &fixture.spec, &grid, &window, &work),
                             STATUS_OK);
        }
    gpu_compare("tiles", &parts.field, &want.field);
    assert_int_equal(work.iterations, want.steps);
    memset(parts.field.base, 0xff, 150 * 101 * 8);
    for (int32_t y = 0; y < 2 * GRID_BAND; y += GRID_BAND) {
        struct grid grid = fixture.grid;
        grid.y = y;
        grid.band = GRID_BAND;
        grid.band_step = 2 * GRID_BAND;
        grid.height = y ? 48 : 53; /* bands 0, 2, 4 and five rows of 6; bands 1, 3, 5 */
        struct field window =
            field_interleaved(&parts.field, y, grid.height, GRID_BAND, 2 * GRID_BAND);
        assert_int_equal(backend_deep_compute(&deep, &fixture.spec, &grid, &window, &work),
                         STATUS_OK);
    }
    gpu_compare("interleaved", &parts.field, &want.field);
    backend_deep_close(&deep);
    field_destroy(&want.field);
    field_destroy(&parts.field);
    fixture_close(&fixture);
    backend_close(gpu);
    backend_close(cpu);
}

/* Cells of the whole picture in another order, for two tiles. */
TEST(cells_from_anywhere)
{
    enum { IN_ROW = 12, ROWS = 9, UPPER = 4 };
    struct backend *cpu = cpu_open(), *gpu = gpu_open(0, NULL);
    struct fixture_wanted wanted = wanted_place(1, IN_ROW * GRID_CELL, ROWS * GRID_CELL);
    struct fixture fixture = fixture_open(&wanted);
    struct deep_options options = options_of(&fixture, BLOCKS_QUARTIC);
    struct picture whole = picture_on(cpu, &fixture, BLOCKS_QUARTIC), want = picture_new(&fixture);
    struct picture got = picture_new(&fixture);
    struct backend_deep deep = deep_on(gpu, &fixture, &options);
    struct backend_work work = {0};
    struct grid_cell cells[IN_ROW * ROWS];
    for (int i = 0; i < IN_ROW * ROWS; i++) {
        int from = i * 53 % (IN_ROW * ROWS); /* every one once */
        int32_t x = from % IN_ROW * GRID_CELL, y = from / IN_ROW * GRID_CELL;
        struct field old = field_window(&whole.field, x, y, GRID_CELL, GRID_CELL);
        struct field new = field_window(&want.field, i % IN_ROW * GRID_CELL, i / IN_ROW * GRID_CELL,
                                        GRID_CELL, GRID_CELL);
        field_copy(&new, &old);
        cells[i] = (struct grid_cell){x, y};
    }
    for (int upper = 0; upper < 2; upper++) {
        struct grid grid = fixture.grid;
        int32_t y = upper ? 0 : UPPER * GRID_CELL;
        grid.cells = cells + (upper ? 0 : UPPER * IN_ROW);
        grid.cells_in_row = IN_ROW;
        grid.height = upper ? UPPER * GRID_CELL : (ROWS - UPPER) * GRID_CELL;
        struct field window = field_window(&got.field, 0, y, grid.width, grid.height);
        assert_int_equal(backend_deep_compute(&deep, &fixture.spec, &grid, &window, &work),
                         STATUS_OK);
    }
    gpu_compare("cells", &got.field, &want.field);
    backend_deep_close(&deep);
    field_destroy(&whole.field);
    field_destroy(&want.field);
    field_destroy(&got.field);
    fixture_close(&fixture);
    backend_close(gpu);
    backend_close(cpu);
}

struct tile_of_thread {
    const struct backend_deep *deep;
    const struct fixture *fixture;
    struct picture picture;
    enum status status;
};

static void *compute_often(void *context)
{
    struct tile_of_thread *tile = context;
    struct backend_work work = {0};
    for (int i = 0; i < 20 && tile->status == STATUS_OK; i++)
        tile->status = backend_deep_compute(tile->deep, &tile->fixture->spec, &tile->fixture->grid,
                                            &tile->picture.field, &work);
    return NULL;
}

TEST(two_tiles_at_once)
{
    struct backend *cpu = cpu_open(), *gpu = gpu_open(0, NULL);
    struct fixture_wanted wanted = wanted_place(1, 320, 180);
    struct fixture fixture = fixture_open(&wanted);
    struct deep_options options = options_of(&fixture, BLOCKS_QUARTIC);
    struct picture want = picture_on(cpu, &fixture, BLOCKS_QUARTIC);
    struct backend_deep deep = deep_on(gpu, &fixture, &options);
    struct tile_of_thread tiles[2];
    pthread_t threads[2];
    for (int t = 0; t < 2; t++) {
        tiles[t] = (struct tile_of_thread){&deep, &fixture, picture_new(&fixture), STATUS_OK};
        assert_int_equal(pthread_create(&threads[t], NULL, compute_often, &tiles[t]), 0);
    }
    for (int t = 0; t < 2; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_int_equal(tiles[t].status, STATUS_OK);
        gpu_compare("beside another", &tiles[t].picture.field, &want.field);
        field_destroy(&tiles[t].picture.field);
    }
    backend_deep_close(&deep);
    field_destroy(&want.field);
    fixture_close(&fixture);
    backend_close(gpu);
    backend_close(cpu);
}

/* ---- trouble ---- */

static volatile int stop;

static void *stop_soon(void *argument)
{
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    clock_gettime(CLOCK_MONOTONIC, argument);
    stop = 1;
    return NULL;
}

static const struct fixture_wanted inside =
    VIEW("-1.754877666246692760049508896358528691894606617772793143989", "0", "60", 1000);

/* The inside of a minibrot without blocks: 2^40 steps a pixel. A slice is 0.05 s at most; the rest
 * is for a busy machine. */
TEST(a_stop_ends_within_a_slice)
{
    struct fixture fixture = fixture_open(&inside);
    struct backend *gpu = gpu_open(0, &stop);
    struct deep_options options = options_of(&fixture, BLOCKS_NONE);
    struct backend_work work = {0};
    const struct fixture_wanted long_orbit = wanted_place(1, WIDTH, HEIGHT);
    struct timespec pressed, ended;
    pthread_t thread;
    fixture.spec.limit = INT64_C(1) << 40;
    fixture.spec.count_bytes = 8;
    stop = 0;
    struct picture out = picture_new(&fixture);
    struct backend_deep deep = deep_on(gpu, &fixture, &options);
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, &pressed), 0);
    assert_int_equal(backend_deep_compute(&deep, &fixture.spec, &fixture.grid, &out.field, &work),
                     STATUS_STOPPED);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    assert_int_equal(pthread_join(thread, NULL), 0);
    double late_s =
        (double)(ended.tv_sec - pressed.tv_sec) + 1e-9 * (double)(ended.tv_nsec - pressed.tv_nsec);
    printf("ended %.3f s after the request\n", late_s);
    assert_true(late_s < 0.25);
    backend_deep_close(&deep);
    field_destroy(&out.field);
    fixture_close(&fixture);
    stop = 1;
    fixture = fixture_open(&long_orbit);
    options = options_of(&fixture, BLOCKS_QUARTIC);
    options.stop = &stop;
    assert_int_equal(
        backend_deep_open(&deep, gpu, &options, &fixture.orbit, &fixture.spec, &fixture.grid),
        STATUS_STOPPED);
    backend_deep_close(&deep);
    stop = 0;
    fixture_close(&fixture);
    backend_close(gpu);
}

/* 2^37 points, none of which is ever touched but the last. */
TEST(an_orbit_without_room_is_refused_with_figures)
{
    const size_t points = (size_t)1 << 37;
    struct fixture fixture = fixture_open(&inside);
    struct backend *gpu = gpu_open(0, NULL);
    void *memory = mmap(NULL, points * sizeof(struct orbit_point), PROT_READ,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct deep_options options = options_of(&fixture, BLOCKS_QUARTIC);
    struct backend_deep deep;
    if (memory == MAP_FAILED)
        skip();
    options.bytes_max = 1 << 30;
    struct orbit orbit = {.z = memory, .length = (int64_t)points, .end = ORBIT_LIMIT};
    assert_int_equal(backend_deep_open(&deep, gpu, &options, &orbit, &fixture.spec, &fixture.grid),
                     STATUS_TOO_LARGE);
    assert_non_null(strstr(status_text(), "2097152.0")); /* MiB, of the orbit */
    assert_non_null(strstr(status_text(), "--backend cpu"));
    backend_deep_close(&deep);
    orbit.length = (INT64_C(1) << 31) + 1; /* on a GPU that has room for 32 GiB: too long */
    assert_int_equal(backend_deep_open(&deep, gpu, &options, &orbit, &fixture.spec, &fixture.grid),
                     STATUS_TOO_LARGE);
    backend_deep_close(&deep);
    munmap(memory, points * sizeof(struct orbit_point));
    fixture_close(&fixture);
    backend_close(gpu);
}

static int fault_after;

static cudaError_t inject(const char *call, cudaError_t result)
{
    (void)call;
    return fault_after-- == 0 ? cudaErrorIllegalAddress : result;
}

/* Whichever call fails, the device is lost, and says so for every further one. */
TEST_WITH(a_lost_device_stays_lost, NULL, gpu_no_more_faults)
{
    struct fixture_wanted wanted = wanted_place(2, WIDTH, HEIGHT);
    struct fixture fixture = fixture_open(&wanted);
    struct deep_options options = options_of(&fixture, BLOCKS_QUARTIC);
    struct picture out = picture_new(&fixture);
    int losses = 0;
    for (int after = 0; after < 50; after += 3) {
        struct backend *gpu = gpu_open(0, NULL);
        struct backend_work work = {0};
        struct backend_deep deep;
        fault_after = after;
        cuda_fault = inject;
        enum status status =
            backend_deep_open(&deep, gpu, &options, &fixture.orbit, &fixture.spec, &fixture.grid);
        if (status == STATUS_OK)
            status = backend_deep_compute(&deep, &fixture.spec, &fixture.grid, &out.field, &work);
        cuda_fault = NULL;
        if (status != STATUS_OK) { /* else it took fewer calls */
            losses++;
            assert_int_equal(status, STATUS_DEVICE_LOST);
            assert_int_equal(
                backend_deep_compute(&deep, &fixture.spec, &fixture.grid, &out.field, &work),
                STATUS_DEVICE_LOST);
        }
        backend_deep_close(&deep);
        backend_close(gpu);
    }
    assert_true(losses >= 5);
    field_destroy(&out.field);
    fixture_close(&fixture);
}
