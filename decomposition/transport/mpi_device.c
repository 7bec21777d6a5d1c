#include "decomposition/transport/mpi_device.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "decomposition/world/world_comm.h"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

const char *mpi_device_name(enum mpi_device level)
{
    static const char *const names[] = {"no", "claimed", "proven", "faster"};
    return names[level];
}

/* --- MPI's own claim ------------------------------------------------------------------------- */

/* Open MPI has the extension, and the macro of its name, even where it is built without CUDA; then
 * MPIX_CUDA_AWARE_SUPPORT is 0. MPICH declares the query in mpi.h from 4.0 on. */
#if defined(OMPI_HAVE_MPI_EXT_CUDA) && OMPI_HAVE_MPI_EXT_CUDA
static const bool compiled = MPIX_CUDA_AWARE_SUPPORT;
static const char query[] = "MPIX_Query_cuda_support()";

static bool library_says(void)
{
    return MPIX_Query_cuda_support() == 1;
}
#elif defined(MPIX_GPU_SUPPORT_CUDA)
static const bool compiled = true;
static const char query[] = "MPIX_GPU_query_support()";

static bool library_says(void)
{
    int yes = 0;
    return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &yes) == MPI_SUCCESS && yes;
}
#else
static const bool compiled = false;
static const char query[] = "";

static bool library_says(void)
{
    return false;
}
#endif

enum mpi_device mpi_device_claim(char *why, size_t bytes)
{
    int started = 0;
    MPI_Initialized(&started);
    bool yes = compiled && (!started || library_says());
    if (!compiled)
        snprintf(why, bytes, "the headers of this MPI say that it was built without CUDA");
    else if (!started)
        snprintf(why, bytes, "the headers of this MPI say that it was built with CUDA");
    else
        snprintf(why, bytes, "%s says %s", query, yes ? "yes" : "no");
    return yes ? MPI_DEVICE_CLAIMED : MPI_DEVICE_NO;
}

/* --- results of an earlier trial ------------------------------------------------------------- */

/* What a testimony begins with; NULL: a level that proves nothing. */
static const char *const testimonies[] = {
    [MPI_DEVICE_PROVEN] = "proven with ", [MPI_DEVICE_FASTER] = "faster with "};

void mpi_device_testify(enum mpi_device level, const char *why, const char *library, char *text,
                        size_t bytes)
{
    if (testimonies[level])
        snprintf(text, bytes, "%s%s", testimonies[level], library);
    else
        snprintf(text, bytes, "not proven: %s", why);
}

enum mpi_device mpi_device_believe(enum mpi_device claim, const char *testimony,
                                   const char *library, char *why, size_t bytes)
{
    if (claim == MPI_DEVICE_NO)
        return claim;
    bool proven = false;
    for (enum mpi_device level = MPI_DEVICE_PROVEN; level <= MPI_DEVICE_FASTER; level++) {
        size_t length = strlen(testimonies[level]);
        bool this_level = testimony && !strncmp(testimony, testimonies[level], length);
        proven |= this_level;
        if (!this_level || strcmp(testimony + length, library) != 0)
            continue;
        snprintf(why, bytes, "MPI sends device memory%s: two ranks have tried it before this job",
                 level == MPI_DEVICE_FASTER ? ", faster than the host's" : "");
        return level;
    }
    if (!testimony)
        snprintf(why, bytes,
                 "not proven: inside a job nothing is tried; deepfield --ranks N tries first, and "
                 "'devices --prove' in a job of two ranks");
    else if (proven)
        snprintf(why, bytes, "not proven: it was with another MPI than this one");
    else
        snprintf(why, bytes, "%s", testimony);
    return MPI_DEVICE_CLAIMED;
}

/* --- the trip, in ranks that may die ---------------------------------------------------------- */

/* Chunks under way at once, from device memory of rank 1 to rank 0, as in pixels.c. */
enum { TRIP_BYTES_MAX = 4 << 20, TRIP_CHUNK = 1 << 20, TRIP_CHUNKS = TRIP_BYTES_MAX / TRIP_CHUNK };
enum way { TO_DEVICE = 1, TO_HOST };
#define FASTER_MOST 0.9 /* less would be noise */
static const size_t trips[] = {4096, TRIP_BYTES_MAX};

struct trip {
    struct world *world;
    const struct mpi_device_memory *memory;
    unsigned char *device, *host, *wanted; /* TRIP_BYTES_MAX each; `device` is not ours to read */
};

static void pattern(unsigned char *bytes, size_t length, enum way way)
{
    for (size_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)(i * 31 + i / 251 + (size_t)way * 101);
}

static enum status device_fill(const struct trip *trip, size_t length)
{
    if (trip->memory->fill(trip->memory->context, trip->device, trip->host, length))
        return STATUS_OK;
    return status_fail(STATUS_NO_DEVICE, "device memory of %zu bytes cannot be filled", length);
}

/* Sends from rank 1 to rank 0. */
static enum status pass(const struct trip *trip, unsigned char *at, size_t length)
{
    MPI_Comm comm = trip->world->pixels;
    MPI_Request request[TRIP_CHUNKS];
    int posted = 0;
    for (size_t done = 0; done < length; done += TRIP_CHUNK) {
        int bytes = (int)(length - done < TRIP_CHUNK ? length - done : TRIP_CHUNK);
        if (trip->world->rank == 1)
            TRY_MPI(MPI_Isend(at + done, bytes, MPI_BYTE, 0, 0, comm, &request[posted++]));
        else
            TRY_MPI(MPI_Irecv(at + done, bytes, MPI_BYTE, 1, 0, comm, &request[posted++]));
    }
    for (int i = 0; i < posted; i++)
        TRY(world_wait(trip->world, &request[i]));
    return STATUS_OK;
}

static enum status device_send(const struct trip *trip, size_t length, enum way way)
{
    pattern(trip->host, length, way);
    TRY(device_fill(trip, length));
    return pass(trip, trip->device, length);
}

/* Fills the memory with other bytes before, so that no old ones can pass for received ones. */
static enum status receive(const struct trip *trip, size_t length, enum way way)
{
    memset(trip->host, 0xee, length);
    if (way == TO_DEVICE)
        TRY(device_fill(trip, length));
    TRY(pass(trip, way == TO_DEVICE ? trip->device : trip->host, length));
    if (way == TO_DEVICE &&
        !trip->memory->fetch(trip->memory->context, trip->host, trip->device, length))
        return status_fail(STATUS_NO_DEVICE, "device memory of %zu bytes cannot be read", length);
    pattern(trip->wanted, length, way);
    if (memcmp(trip->host, trip->wanted, length) != 0)
        return status_fail(STATUS_BAD_DATA, "%zu bytes of device memory arrived changed", length);
    return STATUS_OK;
}

/* The ranks agree after each way: one that failed must not leave the other waiting. */
static enum status trip_make(const struct trip *trip, size_t length)
{
    for (enum way way = TO_DEVICE; way <= TO_HOST; way++)
        TRY(world_agree(trip->world,
                        (trip->world->rank == 1 ? device_send : receive)(trip, length, way)));
    return STATUS_OK;
}

/* Brings 4 MiB from the device of rank 1 to host memory of rank 0: from device to device and to the
 * host there, or to the host first. *seconds: the shortest of some rounds. */
static enum status way_measure(const struct trip *trip, bool by_host, double *seconds)
{
    enum { ROUNDS = 7 };
    const struct mpi_device_memory *memory = trip->memory;
    bool fetches = (trip->world->rank == 1) == by_host, fetched = true;
    *seconds = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        TRY(world_agree(trip->world, STATUS_OK));
        double begin = clock_s();
        if (fetches && by_host)
            fetched &= memory->fetch(memory->context, trip->host, trip->device, TRIP_BYTES_MAX);
        TRY(pass(trip, by_host ? trip->host : trip->device, TRIP_BYTES_MAX));
        if (fetches && !by_host)
            fetched &= memory->fetch(memory->context, trip->host, trip->device, TRIP_BYTES_MAX);
        *seconds = fmin(*seconds, clock_s() - begin);
    }
    return fetched ? STATUS_OK : status_fail(STATUS_NO_DEVICE, "device memory cannot be read");
}

/* Rank 0 decides, and both end with the same code: mpirun passes on that of either. */
static enum status ways_compare(const struct trip *trip, bool *faster)
{
    double direct_s, by_host_s;
    TRY(world_agree(trip->world, way_measure(trip, false, &direct_s)));
    TRY(world_agree(trip->world, way_measure(trip, true, &by_host_s)));
    *faster = direct_s <= FASTER_MOST * by_host_s;
    TRY(world_exchange(trip->world, STATUS_OK, faster, sizeof *faster));
    memcpy(faster, world_said(trip->world, 0), sizeof *faster);
    return STATUS_OK;
}

enum status mpi_device_trip(struct world *world, const struct mpi_device_memory *memory,
                            bool *faster)
{
    *faster = false;
    if (world_size(world) != 2)
        return status_fail(STATUS_USAGE, "the trial takes 2 ranks, not %d", world_size(world));
    struct trip trip = {.world = world,
                        .memory = memory,
                        .device = memory->allocate(memory->context, TRIP_BYTES_MAX),
                        .host = malloc(TRIP_BYTES_MAX),
                        .wanted = malloc(TRIP_BYTES_MAX)};
    enum status status = STATUS_OK;
    if (!trip.device || !trip.host || !trip.wanted)
        status = status_fail(STATUS_NO_DEVICE, "no device memory of %d bytes", TRIP_BYTES_MAX);
    status = world_agree(world, status);
    for (size_t i = 0; status == STATUS_OK && i < sizeof trips / sizeof *trips; i++)
        status = trip_make(&trip, trips[i]);
    if (status == STATUS_OK)
        status = ways_compare(&trip, faster);
    if (trip.device)
        memory->release(memory->context, trip.device);
    free(trip.host);
    free(trip.wanted);
    return status;
}
