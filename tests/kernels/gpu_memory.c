/* The memory of the CUDA backend: every kind of destination, windows, pinning, two processes. */
#include "tests/kernels/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, UNTOUCHED = 0xa5 };

static const struct backend_memory *memory_of(const struct backend *backend)
{
    return backend_kind_of(backend)->memory;
}

/* ---- destinations ---- */

/* A field over `base` that is 7 pixels wider and 5 higher than the place, filled with UNTOUCHED
 * through host memory. */
struct canvas {
    struct field whole, copy; /* copy: in pageable host memory */
};

enum { LEFT = 3, TOP = 2, MORE_WIDTH = 7, MORE_HEIGHT = 5 };

static size_t canvas_bytes(const struct gpu_place *place)
{
    size_t bytes;
    assert_int_equal(field_bytes(place->grid.width + MORE_WIDTH, place->grid.height + MORE_HEIGHT,
                                 place->spec.planes, place->spec.count_bytes, &bytes),
                     STATUS_OK);
    return bytes;
}

static void canvas_over(struct canvas *canvas, struct backend *backend,
                        const struct gpu_place *place, void *base, enum memory_space space)
{
    int32_t width = place->grid.width + MORE_WIDTH, height = place->grid.height + MORE_HEIGHT;
    field_over(&canvas->whole, width, height, place->spec.planes, place->spec.count_bytes, base);
    canvas->whole.space = space;
    assert_int_equal(
        field_create(&canvas->copy, width, height, place->spec.planes, place->spec.count_bytes),
        STATUS_OK);
    memset(canvas->copy.base, UNTOUCHED, canvas_bytes(place));
    assert_int_equal(memory_of(backend)->copy(backend, &canvas->whole, &canvas->copy), STATUS_OK);
    memset(canvas->copy.base, 0, canvas_bytes(place));
}

static void check_untouched(const char *label, const struct field *whole, int32_t width,
                            int32_t height)
{
    for (int p = 0; p < PLANES; p++) {
        size_t bytes = element_bytes(plane_element((enum plane)p, whole->count_bytes));
        const unsigned char *plane = whole->plane[p];
        for (int32_t y = 0; plane && y < whole->height; y++)
            for (size_t i = 0; i < (size_t)whole->width * bytes; i++) {
                int32_t x = (int32_t)(i / bytes);
                int inside = x >= LEFT && x < LEFT + width && y >= TOP && y < TOP + height;
                if (!inside && plane[(size_t)y * (size_t)whole->stride * bytes + i] != UNTOUCHED)
                    fail_msg("%s: plane %d: something was written beside the window at %d %d",
                             label, p, x, y);
            }
    }
}

/* A window of whatever memory `base` is gets the right values, and nothing beside it changes. */
static void check_window(const char *label, struct backend *backend, const struct gpu_place *place,
                         const struct field *want, void *base, enum memory_space space)
{
    struct canvas canvas;
    struct backend_work work = {0};
    int32_t width = place->grid.width, height = place->grid.height;
    canvas_over(&canvas, backend, place, base, space);
    struct field window = field_window(&canvas.whole, LEFT, TOP, width, height);
    assert_int_equal(backend_compute(backend, &place->spec, &place->grid, &window, &work),
                     STATUS_OK);
    assert_int_equal(memory_of(backend)->copy(backend, &canvas.copy, &canvas.whole), STATUS_OK);
    struct field seen = field_window(&canvas.copy, LEFT, TOP, width, height);
    gpu_compare(label, &seen, want);
    check_untouched(label, &canvas.copy, width, height);
    assert_true(work.kernel_s > 0 && work.busy_s > 0 && work.iterations > 0);
    field_destroy(&canvas.copy);
}

static void check_destinations(struct backend *backend, const struct gpu_place *place)
{
    const struct backend_memory *memory = memory_of(backend);
    struct field want = gpu_expected(place);
    size_t bytes = canvas_bytes(place), pages = (bytes + PAGE - 1) / PAGE * PAGE;
    void *base = aligned_alloc(PAGE, pages);
    assert_non_null(base);
    check_window("pageable", backend, place, &want, base, MEMORY_HOST);
    assert_int_equal(memory->pin(backend, base, pages), STATUS_OK);
    check_window("pinned", backend, place, &want, base, MEMORY_HOST);
    memory->unpin(backend, base);
    free(base);
    assert_int_equal(memory->host_create(backend, bytes, &base), STATUS_OK);
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(((unsigned char *)base)[i], 0);
    check_window("of host_create", backend, place, &want, base, MEMORY_HOST);
    memory->host_destroy(backend, base);
    assert_int_equal(memory->create(backend, bytes, &base), STATUS_OK);
    check_window("of the GPU", backend, place, &want, base, MEMORY_DEVICE);
    memory->destroy(backend, base);
    field_destroy(&want);
}

TEST(every_destination_gets_the_same)
{
    struct backend *backend = gpu_open(0, NULL);
    struct gpu_place place = gpu_place_seahorse();
    check_destinations(backend, &place);
    place.spec.number = NUMBER_FP32;
    place.grid.step_re = 1e-4;
    place.spec.planes = PLANE_MASK_COUNT;
    check_destinations(backend, &place);
    place = gpu_place_at(-0.75, 0, 2.5, 33, 1, 500);
    place.spec.count_bytes = 8;
    check_destinations(backend, &place);
    backend_close(backend);
}

/* A GPU writes into the memory of another, as the transport `device` does. */
TEST(another_gpu_is_a_destination)
{
    struct backend *backend = gpu_open(0, NULL), *other = NULL;
    if (backend_kind_of(backend)->devices() < 2) {
        backend_close(backend);
        skip();
    }
    other = gpu_open(1, NULL);
    struct gpu_place place = gpu_place_seahorse();
    struct field want = gpu_expected(&place);
    void *base;
    assert_int_equal(memory_of(other)->create(other, canvas_bytes(&place), &base), STATUS_OK);
    check_window("of another GPU", backend, &place, &want, base, MEMORY_DEVICE);
    memory_of(other)->destroy(other, base);
    field_destroy(&want);
    backend_close(other);
    backend_close(backend);
}

/* ---- pinning ---- */

TEST(pinning_twice_is_pinning)
{
    struct backend *backend = gpu_open(0, NULL);
    void *host = aligned_alloc(PAGE, 16 * PAGE);
    assert_non_null(host);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(memory_of(backend)->pin(backend, host, 16 * PAGE), STATUS_OK);
        assert_int_equal(memory_of(backend)->pin(backend, host, 16 * PAGE), STATUS_OK);
        memory_of(backend)->unpin(backend, host);
        memory_of(backend)->unpin(backend, host);
    }
    free(host);
    /* Neither the refusals above nor this one may show up in a later call. */
    assert_int_not_equal(memory_of(backend)->pin(backend, NULL, PAGE), STATUS_OK);
    void *memory;
    assert_int_equal(memory_of(backend)->create(backend, 64, &memory), STATUS_OK);
    memory_of(backend)->destroy(backend, memory);
    memory_of(backend)->destroy(backend, NULL);
    memory_of(backend)->host_destroy(backend, NULL);
    backend_close(backend);
}

TEST(too_much_memory_is_refused_and_forgotten)
{
    struct backend *backend = gpu_open(0, NULL);
    void *memory;
    assert_int_equal(memory_of(backend)->create(backend, (size_t)1 << 50, &memory),
                     STATUS_OUT_OF_MEMORY);
    assert_null(memory);
    assert_int_equal(memory_of(backend)->create(backend, 1 << 20, &memory), STATUS_OK);
    memory_of(backend)->destroy(backend, memory);
    backend_close(backend);
}

/* ---- two processes ---- */

enum { IPC_SIDE = 64, PARENT_SAYS = 1000, CHILD_SAYS = 5000 };

static void ipc_fill(struct backend *backend, void *memory, uint32_t from)
{
    struct field host, device;
    assert_int_equal(field_create(&host, IPC_SIDE, IPC_SIDE, PLANE_MASK_COUNT, 4), STATUS_OK);
    field_over(&device, IPC_SIDE, IPC_SIDE, PLANE_MASK_COUNT, 4, memory);
    device.space = MEMORY_DEVICE;
    for (uint32_t i = 0; i < IPC_SIDE * IPC_SIDE; i++)
        ((uint32_t *)host.base)[i] = from + i;
    assert_int_equal(memory_of(backend)->copy(backend, &device, &host), STATUS_OK);
    field_destroy(&host);
}

/* How many pixels are not what ipc_fill(from) wrote? */
static int ipc_differences(struct backend *backend, void *memory, uint32_t from)
{
    struct field host, device;
    int differences = 0;
    assert_int_equal(field_create(&host, IPC_SIDE, IPC_SIDE, PLANE_MASK_COUNT, 4), STATUS_OK);
    field_over(&device, IPC_SIDE, IPC_SIDE, PLANE_MASK_COUNT, 4, memory);
    device.space = MEMORY_DEVICE;
    assert_int_equal(memory_of(backend)->copy(backend, &host, &device), STATUS_OK);
    for (uint32_t i = 0; i < IPC_SIDE * IPC_SIDE; i++)
        differences += ((uint32_t *)host.base)[i] != from + i;
    field_destroy(&host);
    return differences;
}

/* On another GPU than the parent's where there is one. */
int gpu_ipc_child(void)
{
    struct backend_handle handle;
    struct backend *backend;
    const struct backend_kind *kind;
    void *memory;
    if (fread(&handle, sizeof handle, 1, stdin) != 1 ||
        backend_kind_find(&kind, "cuda") != STATUS_OK)
        return 2;
    struct backend_options options = {.device = kind->devices() - 1};
    if (backend_open(&backend, "cuda", &options) != STATUS_OK ||
        kind->memory->attach(backend, &handle, &memory) != STATUS_OK) {
        fprintf(stderr, "the other process: %s\n", status_text());
        return 3;
    }
    int differences = ipc_differences(backend, memory, PARENT_SAYS);
    ipc_fill(backend, memory, CHILD_SAYS);
    kind->memory->detach(backend, memory);
    backend_close(backend);
    return differences ? 4 : 0;
}

/* Runs this program as "ipc-child" with the handle on its stdin. */
static int ipc_other_process(const struct backend_handle *handle)
{
    int ends[2], result = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/proc/self/exe", "test_gpu", "ipc-child", (char *)NULL);
        _exit(99);
    }
    close(ends[0]);
    assert_int_equal(write(ends[1], handle, sizeof *handle), sizeof *handle);
    close(ends[1]);
    assert_int_equal(waitpid(child, &result, 0), child);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
}

TEST(another_process_reaches_the_memory)
{
    struct backend *backend = gpu_open(0, NULL);
    struct backend_handle handle;
    void *memory;
    assert_int_equal(memory_of(backend)->create(backend, IPC_SIDE * IPC_SIDE * 4, &memory),
                     STATUS_OK);
    ipc_fill(backend, memory, PARENT_SAYS);
    assert_int_equal(memory_of(backend)->share(backend, memory, &handle), STATUS_OK);
    assert_int_equal(ipc_other_process(&handle), 0);
    assert_int_equal(ipc_differences(backend, memory, CHILD_SAYS), 0);
    memory_of(backend)->destroy(backend, memory);
    memset(&handle, 0x5a, sizeof handle); /* what nobody shared is refused, and nothing is lost */
    assert_int_equal(memory_of(backend)->attach(backend, &handle, &memory), STATUS_SYSTEM);
    assert_int_equal(memory_of(backend)->create(backend, 64, &memory), STATUS_OK);
    memory_of(backend)->destroy(backend, memory);
    backend_close(backend);
}
