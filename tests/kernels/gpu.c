/* The CUDA backend on a GPU: faults, stopping, two tiles at a time, and what gpu_memory.c and
 * gpu_deep.c test.
 * usage: test_gpu        the tests
 *        test_gpu tour   every kernel once, in a few seconds
 * Ends with 77, which CTest takes as "skipped", where there is no GPU. */
#include "tests/kernels/gpu.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/cuda_calls.h"

enum { SKIPPED = 77, STOPS = 100 };

struct gpu_place gpu_place_at(double re, double im, double height, int32_t width, int32_t height_px,
                              int64_t limit)
{
    return (struct gpu_place){
        .spec = {.limit = limit,
                 .bailout = 1024,
                 .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                 .count_bytes = 4,
                 .number = NUMBER_FP64},
        .grid = {.centre_re = re,
                 .centre_im = im,
                 .step_re = height / height_px,
                 .down_y = 1,
                 .half_width = width / 2.0,
                 .half_height = height_px / 2.0,
                 .width = width,
                 .height = height_px},
    };
}

struct gpu_place gpu_place_seahorse(void)
{
    return gpu_place_at(-0.743643887037151, 0.131825904205330, 6e-7, GPU_WIDTH, GPU_HEIGHT, 3000);
}

struct backend *gpu_open(int device, const volatile int *stop)
{
    struct backend *backend;
    if (backend_open(&backend, "cuda", &(struct backend_options){.device = device, .stop = stop}))
        fail_msg("%s", status_text());
    return backend;
}

struct field gpu_expected(const struct gpu_place *place)
{
    struct field field;
    struct backend *backend;
    struct backend_work work = {0};
    assert_int_equal(field_create(&field, place->grid.width, place->grid.height, place->spec.planes,
                                  place->spec.count_bytes),
                     STATUS_OK);
    assert_int_equal(backend_open(&backend, "scalar", &(struct backend_options){0}), STATUS_OK);
    assert_int_equal(backend_compute(backend, &place->spec, &place->grid, &field, &work),
                     STATUS_OK);
    backend_close(backend);
    return field;
}

void gpu_compare(const char *label, const struct field *got, const struct field *want)
{
    for (int p = 0; p < PLANES; p++) {
        size_t bytes = element_bytes(plane_element((enum plane)p, got->count_bytes));
        for (int32_t y = 0; got->plane[p] && y < got->height; y++)
            for (int32_t x = 0; x < got->width; x++) {
                size_t a = (size_t)y * (size_t)got->stride + (size_t)x;
                size_t b = (size_t)y * (size_t)want->stride + (size_t)x;
                if (memcmp((const char *)got->plane[p] + a * bytes,
                           (const char *)want->plane[p] + b * bytes, bytes))
                    fail_msg("%s: plane %d differs at %d %d: count %llu, expected %llu", label, p,
                             x, y, (unsigned long long)field_count_at(got, a),
                             (unsigned long long)field_count_at(want, b));
            }
    }
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- facts ---- */

TEST(facts_are_plausible)
{
    const struct backend_kind *kind;
    assert_int_equal(backend_kind_find(&kind, "cuda"), STATUS_OK);
    for (int d = 0; d < kind->devices(); d++) {
        struct device_facts facts;
        unsigned domain, bus, device;
        assert_int_equal(kind->facts(d, &facts), STATUS_OK);
        assert_true(*facts.name && facts.units > 0);
        assert_int_equal(sscanf(facts.bus, "%4x:%2x:%2x.0", &domain, &bus, &device), 3);
        assert_true(facts.memory_bytes > 0);
        assert_false(facts.peers >> d & 1);
    }
    struct device_facts none;
    assert_int_equal(kind->facts(kind->devices(), &none), STATUS_NO_DEVICE);
    struct backend *backend;
    assert_int_equal(
        backend_open(&backend, "cuda", &(struct backend_options){.device = kind->devices()}),
        STATUS_NO_DEVICE);
}

/* The limit comes from properties, the ceiling from a clock: the second confirms the first. */
TEST(no_kernel_is_faster_than_the_limit)
{
    static const char *const names[NUMBERS] = {"fp32", "fp64", "ds"};
    struct device_facts facts;
    struct backend *backend = gpu_open(0, NULL);
    assert_int_equal(backend_kind_of(backend)->facts(0, &facts), STATUS_OK);
    for (int n = 0; n < NUMBERS; n++) {
        double ceiling = backend_ceiling(backend, (enum number)n, 0.1);
        printf("%s: ceiling %.3f T/s, limit %.3f T/s\n", names[n], 1e-12 * ceiling,
               1e-12 * facts.limit[n]);
        assert_true(ceiling > 0);
        if (facts.limit[n] > 0)
            assert_true(ceiling > 0.5 * facts.limit[n] && ceiling < 1.02 * facts.limit[n]);
    }
    backend_close(backend);
}

/* ---- two tiles at a time ---- */

struct tile_of_thread {
    struct backend *backend;
    struct gpu_place place;
    struct field out;
    enum status status;
};

static void *compute_often(void *context)
{
    struct tile_of_thread *tile = context;
    struct backend_work work = {0};
    for (int i = 0; i < 20 && tile->status == STATUS_OK; i++)
        tile->status =
            backend_compute(tile->backend, &tile->place.spec, &tile->place.grid, &tile->out, &work);
    return NULL;
}

TEST(two_threads_compute_at_once)
{
    struct backend *backend = gpu_open(0, NULL);
    struct tile_of_thread tiles[2];
    pthread_t threads[2];
    assert_int_equal(backend_kind_of(backend)->tiles_at_once, 2);
    for (int t = 0; t < 2; t++) {
        tiles[t] = (struct tile_of_thread){.backend = backend};
        tiles[t].place = t ? gpu_place_at(-0.75, 0, 2.5, 640, 480, 1000) : gpu_place_seahorse();
        if (t) /* pieces of another formula beside those of this */
            tiles[t].place.spec.formula =
                (struct formula){.plane = DYNAMIC_PLANE, .c_re = -0.8, .c_im = 0.156};
        assert_int_equal(field_create(&tiles[t].out, tiles[t].place.grid.width,
                                      tiles[t].place.grid.height, tiles[t].place.spec.planes, 4),
                         STATUS_OK);
        assert_int_equal(pthread_create(&threads[t], NULL, compute_often, &tiles[t]), 0);
    }
    for (int t = 0; t < 2; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_int_equal(tiles[t].status, STATUS_OK);
        struct field want = gpu_expected(&tiles[t].place);
        gpu_compare(t ? "second thread" : "first thread", &tiles[t].out, &want);
        field_destroy(&want);
        field_destroy(&tiles[t].out);
    }
    backend_close(backend);
}

/* ---- stopping ---- */

static volatile int stop;

struct press {
    long after_ns; /* of the call's start */
    double s;      /* when it happened */
};

static void *stop_soon(void *argument)
{
    struct press *press = argument;
    nanosleep(&(struct timespec){.tv_nsec = press->after_ns}, NULL);
    press->s = now_s();
    stop = 1;
    return NULL;
}

/* Seconds from the request to the end. */
static double stop_late_s(struct backend *backend, const struct gpu_place *place, struct field *out,
                          long after_ns)
{
    struct backend_work work = {0};
    struct press press = {.after_ns = after_ns};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, &press), 0);
    assert_int_equal(backend_compute(backend, &place->spec, &place->grid, out, &work),
                     STATUS_STOPPED);
    double late_s = now_s() - press.s;
    assert_int_equal(pthread_join(thread, NULL), 0);
    stop = 0;
    return late_s;
}

/* Without short-cuts the inside costs 2^40 iterations a pixel: nothing but the stop ends it. It may
 * come at any time of a launch, so there are many. A slice is 0.05 s at most; the rest is for a
 * busy machine. */
TEST(a_stop_ends_within_a_slice)
{
    struct gpu_place place = gpu_place_at(-0.1, 0, 0.1, 2000, 1000, INT64_C(1) << 40);
    struct backend_work work = {0};
    struct field out;
    double worst_s = 0;
    place.spec.shortcuts = SHORTCUTS_OFF;
    place.spec.count_bytes = 8;
    stop = 0;
    struct backend *backend = gpu_open(0, &stop);
    assert_int_equal(field_create(&out, 2000, 1000, place.spec.planes, 8), STATUS_OK);
    for (int i = 0; i < STOPS; i++) {
        double late_s = stop_late_s(backend, &place, &out, 1000 * 1000 + i * 390 * 1000L);
        worst_s = late_s > worst_s ? late_s : worst_s;
    }
    printf("%d stops; the latest ended %.3f s after the request\n", STOPS, worst_s);
    assert_true(worst_s < 0.25);
    field_destroy(&out);
    /* the device goes on working */
    place = gpu_place_at(-0.75, 0, 2.5, 640, 480, 300);
    place.spec.count_bytes = 8;
    assert_int_equal(field_create(&out, 640, 480, place.spec.planes, 8), STATUS_OK);
    assert_int_equal(backend_compute(backend, &place.spec, &place.grid, &out, &work), STATUS_OK);
    struct field want = gpu_expected(&place);
    gpu_compare("after a stop", &out, &want);
    field_destroy(&want);
    field_destroy(&out);
    backend_close(backend);
}

/* Seconds of a picture's counts, and of all its planes. */
struct passes {
    double counts_s, all_s;
};

static double picture_s(struct backend *backend, const struct gpu_place *place, struct field *out)
{
    struct backend_work work = {0};
    double begin_s = now_s();
    assert_int_equal(backend_compute(backend, &place->spec, &place->grid, out, &work), STATUS_OK);
    return now_s() - begin_s;
}

/* At 0.25 + e, beside the cusp, orbits escape after pi / sqrt(e) steps, as far from the axis as
 * about e^1.5, where the set begins: goes there until the picture takes some time, on any device.
 * The first pictures load kernels. */
static struct passes cusp_approach(struct backend *backend, struct gpu_place *place,
                                   struct field *out)
{
    struct passes passes = {0, 0};
    struct field counts;
    int32_t width = out->width, height = out->height;
    for (int depth = 20; depth <= 36 && passes.all_s < 0.3; depth += 2) {
        double above = ldexp(1, -depth), across = ldexp(1, -depth / 2 * 3 - 4);
        *place = gpu_place_at(0.25 + above, 0, across, width, height, INT64_C(1) << 30);
        place->spec.planes = out->planes;
        passes.all_s = picture_s(backend, place, out);
    }
    struct gpu_place first = *place;
    first.spec.planes &= ~(unsigned)PLANE_MASK_END;
    assert_int_equal(field_create(&counts, width, height, first.spec.planes, 4), STATUS_OK);
    passes.counts_s = picture_s(backend, &first, &counts);
    field_destroy(&counts);
    return passes;
}

/* The stops come while the second pass runs. */
TEST(a_stop_ends_the_slopes_within_a_slice)
{
    const unsigned planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION | PLANE_MASK_END;
    struct gpu_place place;
    struct backend_work work = {0};
    struct field out;
    int stopped = 0;
    stop = 0;
    struct backend *backend = gpu_open(0, &stop);
    assert_int_equal(field_create(&out, 2000, 1000, planes, 4), STATUS_OK);
    struct passes passes = cusp_approach(backend, &place, &out);
    double slopes_s = fmax(passes.all_s - passes.counts_s, 0);
    for (int i = 0; i < 10; i++) {
        double after_s = fmin(passes.counts_s + slopes_s * (0.1 + 0.08 * i), 0.99);
        struct press press = {.after_ns = (long)(after_s * 1e9)};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, stop_soon, &press), 0);
        enum status status = backend_compute(backend, &place.spec, &place.grid, &out, &work);
        double end_s = now_s();
        assert_int_equal(pthread_join(thread, NULL), 0);
        stop = 0;
        stopped += status == STATUS_STOPPED;
        assert_true(status == STATUS_OK || (status == STATUS_STOPPED && end_s - press.s < 0.25));
    }
    printf("%d of 10 stopped, of %.2f s, %.2f s of them for counts\n", stopped, passes.all_s,
           passes.counts_s);
    assert_true(stopped > 0);
    field_destroy(&out);
    backend_close(backend);
}

/* ---- faults ---- */

static cudaError_t fault_error;
static const char *fault_call; /* first letters of the calls that fail */
static int fault_after;        /* calls that still succeed */
static int fault_times;        /* calls that fail then */

static cudaError_t inject(const char *call, cudaError_t result)
{
    if (strncmp(call, fault_call, strlen(fault_call)) || fault_after-- > 0 || fault_times-- <= 0)
        return result;
    return fault_error;
}

static void inject_from_now(cudaError_t error, const char *call, int after, int times)
{
    fault_error = error;
    fault_call = call;
    fault_after = after;
    fault_times = times;
    cuda_fault = inject;
}

int gpu_no_more_faults(void **state)
{
    (void)state;
    cuda_fault = NULL;
    return 0;
}

TEST_WITH(little_memory_is_enough, NULL, gpu_no_more_faults)
{
    struct gpu_place place = gpu_place_seahorse();
    struct backend_work work = {0};
    struct field out, want = gpu_expected(&place);
    assert_int_equal(field_create(&out, GPU_WIDTH, GPU_HEIGHT, place.spec.planes, 4), STATUS_OK);
    inject_from_now(cudaErrorMemoryAllocation, "cudaMalloc", 0, 2);
    struct backend *backend = gpu_open(0, NULL);
    cuda_fault = NULL;
    assert_int_equal(backend_compute(backend, &place.spec, &place.grid, &out, &work), STATUS_OK);
    gpu_compare("with smaller buffers", &out, &want);
    backend_close(backend);
    field_destroy(&out);
    field_destroy(&want);
}

TEST_WITH(no_memory_is_said_with_figures, NULL, gpu_no_more_faults)
{
    struct backend *backend;
    inject_from_now(cudaErrorMemoryAllocation, "cudaMalloc", 0, 1 << 30);
    assert_int_equal(backend_open(&backend, "cuda", &(struct backend_options){0}),
                     STATUS_OUT_OF_MEMORY);
    assert_null(backend);
    assert_non_null(strpbrk(status_text(), "0123456789"));
    cuda_fault = NULL;
    backend_close(gpu_open(0, NULL));
}

/* Another process may have the GPU for itself. */
TEST_WITH(a_gpu_that_cannot_be_opened_is_none, NULL, gpu_no_more_faults)
{
    struct backend *backend;
    inject_from_now(cudaErrorDevicesUnavailable, "cudaSetDevice", 0, 1);
    assert_int_equal(backend_open(&backend, "cuda", &(struct backend_options){0}),
                     STATUS_NO_DEVICE);
    assert_null(backend);
    assert_non_null(strstr(status_text(), "nvidia-smi"));
}

/* Whichever call of a compute fails, the device is lost, and stays so. */
TEST_WITH(a_lost_device_stays_lost, NULL, gpu_no_more_faults)
{
    struct gpu_place place = gpu_place_seahorse();
    struct backend_work work = {0};
    struct field out;
    void *memory;
    int losses = 0;
    assert_int_equal(field_create(&out, GPU_WIDTH, GPU_HEIGHT, place.spec.planes, 4), STATUS_OK);
    for (int after = 0; after < 40; after += 3) {
        struct backend *backend = gpu_open(0, NULL);
        inject_from_now(cudaErrorIllegalAddress, "", after, 1);
        enum status status = backend_compute(backend, &place.spec, &place.grid, &out, &work);
        cuda_fault = NULL;
        if (status != STATUS_OK) { /* else it took fewer calls */
            losses++;
            assert_int_equal(status, STATUS_DEVICE_LOST);
            assert_non_null(strstr(status_text(), "CUDA"));
            for (int again = 0; again < 2; again++)
                assert_int_equal(backend_compute(backend, &place.spec, &place.grid, &out, &work),
                                 STATUS_DEVICE_LOST);
            assert_int_equal(backend_kind_of(backend)->memory->create(backend, 64, &memory),
                             STATUS_DEVICE_LOST);
        }
        backend_close(backend);
    }
    assert_true(losses >= 2);
    field_destroy(&out);
}

/* ---- the program ---- */

/* How many GPUs? Asked in a forked child: nothing may have called CUDA before, or it could not. */
static int devices_in_child(void)
{
    pid_t child = fork();
    int result = 0;
    if (child == 0) {
        const struct backend_kind *kind;
        int found = backend_kind_find(&kind, "cuda") == STATUS_OK ? kind->devices() : 0;
        struct backend *backend = NULL;
        if (found && backend_open(&backend, "cuda", &(struct backend_options){0}) != STATUS_OK)
            found = 255;
        backend_close(backend);
        _exit(found);
    }
    waitpid(child, &result, 0);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 255;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "ipc-child"))
        return gpu_ipc_child();
    if (!strcmp(what, "tour")) /* no fork: compute-sanitizer watches this process */
        return backend_cuda.devices() ? gpu_tour() : SKIPPED;
    int devices = devices_in_child();
    if (devices == 0) {
        printf("skipped: no GPU\n");
        return SKIPPED;
    }
    if (devices == 255) {
        printf("a forked child cannot open the GPU\n");
        return 1;
    }
    return check_run(NULL, NULL);
}
