/* Does device memory go through MPI from one renderer to another? Most MPI libraries cannot, so the
 * calls that would get device addresses are played here over those that get host memory, and MPI
 * claims what they do. The addresses are a GPU's, or of pages that nobody may touch: whoever else
 * looks at one crashes. Three ranks or more, which may share a device; the last one believes that
 * it is on another machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "decomposition/transport/mpi_device.h"
#include "render/colour/palette_colours.h"
#include "render/picture/picture.h"
#include "render/picture/picture_sums.h"
#include "tests/render/device/mpi_renderer.h"
#include "tests/support/world_end.h"

enum { SKIPPED = 77, RECEIVES_MOST = 64 };

static struct world *world;
static int device_messages; /* sent or received from an address of a device */

/* --- an MPI that knows devices ---------------------------------------------------------------- */

static void copy(void *to, const void *from, size_t bytes)
{
    if (!device_copy(to, from, bytes))
        world_end(world, STATUS_DEVICE_LOST);
}

static size_t bytes_of(int count, MPI_Datatype type)
{
    int each = 0;
    MPI_Type_size(type, &each);
    return (size_t)count * (size_t)each;
}

/* Host memory that stands for the device's until the program ends. */
static void *stand_in(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        world_end(world, STATUS_OUT_OF_MEMORY);
    device_messages++;
    return memory;
}

static const void *readable(const void *bytes, size_t length)
{
    if (!device_owns(bytes))
        return bytes;
    void *host = stand_in(length);
    copy(host, bytes, length);
    return host;
}

static struct receive {
    MPI_Request request;
    void *host, *device;
    size_t bytes;
} receives[RECEIVES_MOST];
static int receives_open;

int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    return PMPI_Isend(readable(bytes, bytes_of(count, type)), count, type, to, tag, comm, request);
}

int MPI_Irecv(void *bytes, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (!device_owns(bytes) || receives_open == RECEIVES_MOST)
        return PMPI_Irecv(bytes, count, type, from, tag, comm, request);
    struct receive *receive = &receives[receives_open++];
    *receive = (struct receive){.device = bytes, .bytes = bytes_of(count, type)};
    receive->host = stand_in(receive->bytes);
    int result = PMPI_Irecv(receive->host, count, type, from, tag, comm, request);
    receive->request = *request;
    return result;
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    MPI_Request tested = *request;
    int result = PMPI_Test(request, done, status);
    for (int i = 0; i < receives_open && *done; i++)
        if (receives[i].request == tested) {
            copy(receives[i].device, receives[i].host, receives[i].bytes);
            receives[i] = receives[--receives_open];
            break;
        }
    return result;
}

/* Linked with --wrap. */
enum mpi_device __wrap_mpi_device_claim(char *why, size_t bytes);
enum mpi_device __wrap_mpi_device_claim(char *why, size_t bytes)
{
    snprintf(why, bytes, "this test plays it");
    return MPI_DEVICE_CLAIMED;
}

bool __real_world_beside_root(const struct world *of);
bool __wrap_world_beside_root(const struct world *of);
bool __wrap_world_beside_root(const struct world *of)
{
    return __real_world_beside_root(of) && world_rank(of) != world_size(of) - 1;
}

static int fetches_left = -1; /* from the device; then it is lost. -1: it never is */

enum status __real_renderer_fetch(struct renderer *renderer, const struct field *shape,
                                  const char *transport, int32_t y, int32_t height,
                                  struct field *field);
enum status __wrap_renderer_fetch(struct renderer *renderer, const struct field *shape,
                                  const char *transport, int32_t y, int32_t height,
                                  struct field *field);
enum status __wrap_renderer_fetch(struct renderer *renderer, const struct field *shape,
                                  const char *transport, int32_t y, int32_t height,
                                  struct field *field)
{
    if (fetches_left == 0)
        return status_fail(STATUS_DEVICE_LOST, "the device is lost");
    fetches_left -= fetches_left > 0;
    return __real_renderer_fetch(renderer, shape, transport, y, height, field);
}

/* --- pictures --------------------------------------------------------------------------------- */

static void must(enum status status)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "rank %d: %s\n", world_rank(world), status_text());
    world_end(world, status);
}

static void expect(bool good, const char *what, const char *transport)
{
    if (!good)
        must(status_fail(STATUS_INTERNAL, "transport %s: %s", transport, what));
}

/* What rank 0 got; zeroed on the others. */
static struct picture_sums rendered(struct renderer *renderer, const char *transport,
                                    const char *schedule)
{
    struct picture picture = {.spec.limit = 2000,
                              .spec.bailout = 1024,
                              .spec.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                              .accuracy_px = ACCURACY_EXACT_PX,
                              .tile_px = 32,
                              .schedule = schedule,
                              .transport = transport,
                              .backend = device_backend()};
    struct picture_sums sums = {.pixels = 0};
    struct picture_report report = {.iterations = 0};
    struct field field;
    must(view_set(&picture.view, "-0.7453", "0.1127", "400", 20, 171, 107));
    must(picture_render(renderer, &picture, NULL, &field, &report));
    if (world_rank(world) == 0)
        sums = picture_sum(&field);
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    return sums;
}

static enum status look_have(void *context, const struct field *field, const struct look **look)
{
    (void)field;
    *look = context;
    return STATUS_OK;
}

/* Only rank 0 fetches samples from the device; all ranks must learn that it could not, or they
 * would wait for each other in different calls. */
static void device_lost(int fetches)
{
    struct renderer_options options = {.backend = device_backend(), .mpi_device = {.asked = true}};
    struct picture picture = {.spec.limit = 100,
                              .spec.bailout = 1024,
                              .spec.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                              .samples = 4,
                              .accuracy_px = ACCURACY_EXACT_PX,
                              .tile_px = 32,
                              .schedule = "dynamic",
                              .transport = "device",
                              .backend = device_backend()};
    struct look look = {.density = 1};
    struct picture_hooks hooks = {.look = look_have, .look_context = &look};
    struct picture_report report = {.iterations = 0};
    struct palette *palette;
    struct renderer *renderer;
    struct field field;
    must(palette_of_colours(&palette, "#000000#ffffff"));
    look.palette = palette;
    must(view_set(&picture.view, "-0.7453", "0.1127", "400", 20, 67, 41));
    must(renderer_open(&renderer, world, world_rank(world) == 0 ? &options : NULL));
    fetches_left = fetches;
    expect(picture_render(renderer, &picture, &hooks, &field, &report) == STATUS_DEVICE_LOST,
           "nobody noticed that a sample could not be fetched", "device");
    fetches_left = -1;
    picture_report_destroy(&report);
    renderer_close(renderer);
    view_destroy(&picture.view);
    palette_destroy(palette);
}

/* With proof or without: the same picture, and device addresses in MPI only with it. */
static void transports_run(bool proven, struct picture_sums *first)
{
    static const struct {
        const char *transport, *schedule;
        const struct transport_kind *last_transport,
            *last_transport_unproven; /* of the last rank */
    } rows[] = {
        {"staged", "dynamic", &transport_staged, &transport_staged},
        {"sent", "dynamic", &transport_sent, &transport_staged},
        {"sent", "cyclic", &transport_sent, &transport_staged},
        {"device", "dynamic", &transport_sent, &transport_staged},
        {"gatherv", "cyclic", &transport_gatherv, &transport_gatherv},
        {"gatherv", "dynamic", &transport_gatherv, &transport_gatherv},
    };
    struct renderer_options options = {.backend = device_backend(),
                                       .mpi_device = {.asked = true, .proven = proven}};
    struct renderer *renderer;
    must(renderer_open(&renderer, world, world_rank(world) == 0 ? &options : NULL));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int before = device_messages, last = world_size(world) - 1;
        struct picture_sums sums = rendered(renderer, rows[i].transport, rows[i].schedule);
        if (first->pixels == 0)
            *first = sums;
        expect(!memcmp(first, &sums, sizeof sums), "another picture", rows[i].transport);
        expect(renderer_transport(renderer, last) ==
                   (proven ? rows[i].last_transport : rows[i].last_transport_unproven),
               "the last rank took another transport", rows[i].transport);
        bool uses = proven && renderer_transport(renderer, last) == &transport_sent;
        /* A rank that gets no core in time has no tile of a dynamic schedule. */
        bool used = device_messages > before, may_have_none = !strcmp(rows[i].schedule, "dynamic");
        if (world_rank(world) == last)
            expect(used == uses || (uses && may_have_none), "device memory, or none",
                   rows[i].transport);
    }
    renderer_close(renderer);
}

/* A GPU that is full: the picture is the same, by another transport, and that is said. */
static void full_device(const struct picture_sums *first)
{
    struct renderer_options options = {.backend = device_backend(), .mpi_device = {.asked = true}};
    struct renderer *renderer;
    must(renderer_open(&renderer, world, world_rank(world) == 0 ? &options : NULL));
    device_room(false);
    for (int picture = 0; picture < 2; picture++) {
        struct picture_sums sums = rendered(renderer, "device", "dynamic");
        expect(!memcmp(first, &sums, sizeof sums), "another picture", "device, full");
        expect(renderer_transport(renderer, 1) == &transport_shared, "not beside rank 0",
               "device, full");
        expect(renderer_refusal(renderer) &&
                   strstr(renderer_refusal(renderer), " MiB are needed on "),
               "no figures", "device, full");
    }
    device_room(true);
    rendered(renderer, "staged", "dynamic");
    expect(!renderer_refusal(renderer), "an old refusal", "staged");
    struct picture_sums sums = rendered(renderer, "device", "dynamic");
    expect(!renderer_refusal(renderer), "is still refused", "device");
    expect(!memcmp(first, &sums, sizeof sums), "another picture", "device");
    renderer_close(renderer);
}

int main(void)
{
    if (device_count() == 0) {
        printf("skipped: no GPU\n");
        return SKIPPED;
    }
    must(world_open(&world, NULL));
    struct picture_sums first = {.pixels = 0};
    transports_run(false, &first);
    transports_run(true, &first);
    full_device(&first);
    device_lost(0);
    device_lost(2);
    world_close(world);
    return 0;
}
