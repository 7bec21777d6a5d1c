#include "kernels/cuda/orbit/cuda_orbit.h"

#include <cooperative_groups.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/cuda_calls.h"
#include "kernels/orbit/device/digit_transform.h"

namespace cg = cooperative_groups;

struct orbit_launch { /* arguments of a launch; all pointers are of device memory */
    const struct transform_value *root;
    const struct orbit_digit *c, *z;
    struct orbit_digit *history; /* digits of the z after each step */
    struct orbit_step *step;     /* zeroed */
    int *done;
    int steps, zeros; /* zeros: digits of 0 below the number */
};

/* ---- the kernel ---- */

enum { UNDECIDED, FAR, ENDS }; /* why a step is the last */

/* A round of carries between the digits of a warp. The highest digit keeps what is beyond it. */
__device__ __forceinline__ int64_t carry_round(int64_t digit, bool is_top)
{
    const int64_t carry = digit_carry(digit), from = __shfl_up_sync(~0u, carry, 1);
    return (is_top ? digit : digit - carry * 65536) + from;
}

__device__ __forceinline__ void digit_write(struct orbit_digit *at, int64_t x, int64_t y)
{
    *(int2 *)at = make_int2((int)x, (int)y);
}

__device__ __forceinline__ int2 digit_read(const struct orbit_digit *at)
{
    return __ldg((const int2 *)at);
}

template <int LENGTH, int CHUNKS> struct orbit_block {
    static constexpr int GROUPS = transform_groups(LENGTH), BELOW = TRANSFORM_BELOW;
    static constexpr int TOP = CHUNKS * LENGTH - 1;
    const orbit_launch &it;
    cg::cluster_group cluster;
    struct transform_value *a;     /* the values of this block */
    struct transform_value *below; /* three columns of them for each group of all blocks */
    int *ends;

    __device__ __forceinline__ void end_all(int why) const
    {
        for (int q = 0; q < TRANSFORM_BLOCKS; q++)
            *cluster.map_shared_rank(&ends[why], q) = 1;
    }

    /* Notes what the host and the other blocks want of a digit that is complete. */
    __device__ __forceinline__ void digit_tell(int index, int64_t x, int64_t y, int s) const
    {
        struct orbit_step *step = &it.step[s - 1];
        const int low = index - it.zeros;
        if (low == -1 && !(digit_decides(x) && digit_decides(y)))
            end_all(UNDECIDED);
        if (low >= 0 && low < ORBIT_LOW_DIGITS)
            digit_write(&step->low[low], x, y);
        if (index > TOP - ORBIT_TOP_DIGITS)
            digit_write(&step->top[TOP - index], x, y);
        if (index == TOP && (llabs(x) > TRANSFORM_TOP_MOST || llabs(y) > TRANSFORM_TOP_MOST))
            end_all(FAR);
    }

    /* Makes digit `chunk` of a lane's column from its coefficient. */
    __device__ __forceinline__ struct transform_value digit_make(const struct transform_lane &of,
                                                                 struct transform_value z,
                                                                 int chunk, int s,
                                                                 uint2 *lead) const
    {
        const int index = digit_index(of, LENGTH, chunk);
        const int2 c = index >= 0 ? digit_read(it.c + index) : make_int2(0, 0);
        int64_t x = digit_begin(z.x, c.x), y = digit_begin(z.y, c.y);
        TRANSFORM_UNROLL
        for (int round = 0; round < BELOW; round++) {
            x = carry_round(x, index == TOP);
            y = carry_round(y, index == TOP);
        }
        if (of.own)
            digit_tell(index, x, y, s);
        if (index < it.zeros)
            x = y = 0;
        if (of.own) {
            const unsigned place = 2 * (unsigned)index;
            lead->x = x ? place + (x > 0) : lead->x;
            lead->y = y ? place + (y > 0) : lead->y;
            digit_write(&it.history[(s - 1) * (TOP + 1) + index], x, y);
        }
        return value_of((double)x, (double)y);
    }

    /* Notes the highest digits of a group that are not 0. */
    __device__ __forceinline__ void lead_tell(uint2 lead, int s) const
    {
        const unsigned x = __reduce_max_sync(~0u, lead.x), y = __reduce_max_sync(~0u, lead.y);
        if (threadIdx.x % TRANSFORM_LANES == 0 && x)
            atomicMax(&it.step[s - 1].lead_x, x);
        if (threadIdx.x % TRANSFORM_LANES == 1 && y)
            atomicMax(&it.step[s - 1].lead_y, y);
    }

    /* Digits of a column: of z_s from the coefficients, or of the first z. */
    __device__ __forceinline__ void column_digits(const struct transform_lane &of, int at, int s,
                                                  struct transform_value *d) const
    {
        if (s == 0) {
            TRANSFORM_UNROLL
            for (int chunk = 0; chunk < CHUNKS; chunk++) {
                const int2 z =
                    of.own ? digit_read(it.z + digit_index(of, LENGTH, chunk)) : make_int2(0, 0);
                d[chunk] = value_of(z.x, z.y);
            }
            return;
        }
        struct transform_value v[TRANSFORM_BLOCKS];
        TRANSFORM_UNROLL
        for (int q = 0; q < TRANSFORM_BLOCKS; q++)
            v[q] = value_read(cluster.map_shared_rank(of.own ? &a[of.column] : &below[at], q));
        column_join(v, it.root, of.column);
        uint2 lead = make_uint2(0, 0);
        TRANSFORM_UNROLL
        for (int chunk = 0; chunk < CHUNKS; chunk++)
            d[chunk] = digit_make(of, of.wraps ? v[chunk + CHUNKS - 1] : v[chunk + CHUNKS], chunk,
                                  s, &lead);
        lead_tell(lead, s);
    }

    /* The columns of a group of lanes: z_s, and the beginning of its transform. */
    __device__ __forceinline__ void group_take(int group, int s) const
    {
        const int block = (int)cluster.block_rank(), lane = threadIdx.x % TRANSFORM_LANES;
        const struct transform_lane of = transform_lane(LENGTH, block, group, lane);
        struct transform_value d[TRANSFORM_BLOCKS];
        TRANSFORM_UNROLL
        for (int chunk = CHUNKS; chunk < TRANSFORM_BLOCKS; chunk++)
            d[chunk] = value_of(0, 0);
        /* Idle lanes read a value that nobody writes meanwhile. */
        column_digits(of, BELOW * (block * GROUPS + group) + (of.below ? lane : 0), s, d);
        column_part(d, it.root, of.column);
        if (of.own) {
            TRANSFORM_UNROLL
            for (int q = 0; q < TRANSFORM_BLOCKS; q++)
                value_write(cluster.map_shared_rank(&a[of.column], q), d[q]);
        }
    }

    /* Transforms the block's values, squares them, and transforms them back. */
    template <int THREADS> __device__ __forceinline__ void square() const
    {
        constexpr bool ODD = transform_odd(LENGTH);
        const int thread = threadIdx.x;
        for (int i = thread; ODD && i < LENGTH / 2; i += THREADS)
            stage_two(a, it.root, LENGTH, false, i);
        if (ODD)
            __syncthreads();
        for (int span = ODD ? LENGTH / 2 : LENGTH; span > 4; span /= 4) {
            for (int i = thread; i < LENGTH / 4; i += THREADS)
                stage_four(a, it.root, LENGTH, span, false, i);
            __syncthreads();
        }
        for (int i = thread; i < LENGTH / 4; i += THREADS)
            stage_square(a, LENGTH, i);
        __syncthreads();
        for (int span = 16; span <= (ODD ? LENGTH / 2 : LENGTH); span *= 4) {
            for (int i = thread; i < LENGTH / 4; i += THREADS)
                stage_four(a, it.root, LENGTH, span, true, i);
            __syncthreads();
        }
        for (int i = thread; ODD && i < LENGTH / 2; i += THREADS)
            stage_two(a, it.root, LENGTH, true, i);
        if (ODD)
            __syncthreads();
    }

    /* Copies the columns that lie below the groups', before those overwrite them. */
    template <int THREADS> __device__ __forceinline__ void below_copy() const
    {
        for (int i = threadIdx.x; i < BELOW * TRANSFORM_BLOCKS * GROUPS; i += THREADS) {
            const int group = i / BELOW;
            const struct transform_lane of =
                transform_lane(LENGTH, group / GROUPS, group % GROUPS, i % BELOW);
            value_write(&below[i], value_read(&a[of.column]));
        }
    }
};

/* Takes steps until all are taken or one ends them, as one cluster of 16 thread blocks. */
template <int LENGTH, int CHUNKS, int THREADS>
__global__ void __launch_bounds__(THREADS, 1) orbit_steps(const __grid_constant__ orbit_launch it)
{
    extern __shared__ struct transform_value values[];
    __shared__ int ends[ENDS];
    const orbit_block<LENGTH, CHUNKS> own = {it, cg::this_cluster(), values, values + LENGTH, ends};
    if (threadIdx.x < ENDS)
        ends[threadIdx.x] = 0;
    own.cluster.sync();
    int s = 0;
    for (;; s++) {
        for (int group = threadIdx.x / TRANSFORM_LANES; group < own.GROUPS;
             group += THREADS / TRANSFORM_LANES)
            own.group_take(group, s);
        own.cluster.sync();
        if (s == it.steps || ends[UNDECIDED] || ends[FAR])
            break;
        own.template square<THREADS>();
        own.template below_copy<THREADS>();
        own.cluster.sync();
    }
    if (own.cluster.block_rank() == 0 && threadIdx.x == 0)
        *it.done = s - ends[UNDECIDED];
}

/* ---- kernels and devices ---- */

struct orbit_kernel {
    int length, chunks, threads;
    const void *steps;
    double step_s; /* figures of an H200: MEASURED_DEEP.md */
};

#define KERNEL(length, chunks, threads, step_us)                                     \
    {                                                                                \
        length, chunks, threads, (const void *)orbit_steps<length, chunks, threads>, \
            1e-6 * (step_us)                                                         \
    }
static const struct orbit_kernel kernels[] = {
    KERNEL(256, 8, 64, 8.4),    KERNEL(512, 5, 128, 9.2),   KERNEL(512, 6, 128, 9.2),
    KERNEL(512, 8, 128, 11.5),  KERNEL(1024, 5, 256, 11.5), KERNEL(1024, 6, 256, 12.1),
    KERNEL(1024, 8, 256, 13.4), KERNEL(2048, 5, 256, 19.8), KERNEL(2048, 6, 256, 20.5),
    KERNEL(2048, 8, 256, 21.7),
};

static const struct orbit_kernel *kernel_for(int64_t limbs)
{
    const struct transform_shape shape = transform_shape(limbs);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i].length == shape.length && kernels[i].chunks == shape.chunks)
            return &kernels[i];
    return NULL;
}

/* Below, processors with AVX-512 IFMA are as fast (kernels/orbit/digits.h, DIGITS_MOST). */
enum { LIMBS_LEAST = 407 };

static int orbit_digits(int64_t limbs)
{
    const struct orbit_kernel *kernel = limbs < LIMBS_LEAST ? NULL : kernel_for(limbs);
    return kernel ? kernel->length * kernel->chunks : 0;
}

static int attribute(int device, enum cudaDeviceAttr which)
{
    int value = 0;
    if (cuda_result(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute") ==
        cudaSuccess)
        return value;
    cudaGetLastError();
    return 0;
}

/* Rates that the figures of an H200 are scaled from: its boost clock, and operations in fp32 in the
 * time of one in fp64. */
#define MEASURED_HZ 1.98e9
enum { MEASURED_FP32_PER_FP64 = 2 };

/* By the clock and the fp64 rate of a multiprocessor: a cluster has 16 of them on every GPU. A step
 * waits for its stages, too, which scale by the clock alone, so this is too much where fp64 is
 * slower. */
static double orbit_step_s(int device, int64_t limbs)
{
    const struct orbit_kernel *kernel = kernel_for(limbs);
    const double clock_hz = 1e3 * attribute(device, cudaDevAttrClockRate);
    const double ratio = attribute(device, cudaDevAttrSingleToDoublePrecisionPerfRatio);
    const double scale =
        clock_hz > 0 && ratio > 0 ? MEASURED_HZ / clock_hz * ratio / MEASURED_FP32_PER_FP64 : 1;
    return kernel ? kernel->step_s * scale : INFINITY;
}

/* Most operations in fp32 that a GPU may do in the time of one in fp64. */
enum { FP32_PER_FP64_MOST = 4 };

static bool orbit_serves(int device, char *why, size_t bytes)
{
    *why = '\0';
    if (attribute(device, cudaDevAttrComputeCapabilityMajor) < 9 ||
        !attribute(device, cudaDevAttrClusterLaunch))
        snprintf(why, bytes, "GPU %d has no clusters of 16 thread blocks (9.0 has)", device);
    else if (attribute(device, cudaDevAttrSingleToDoublePrecisionPerfRatio) > FP32_PER_FP64_MOST)
        snprintf(why, bytes, "GPU %d is slow in fp64", device);
    return !*why;
}

/* ---- an orbit ---- */

enum { FETCHED_MOST = 16 }; /* numbers that are fetched at once, where one after the other is */

struct orbit_state {
    const struct orbit_kernel *kernel;
    struct orbit_launch launch;
    int device, digits;
    size_t shared_bytes;
    void *memory;               /* device memory that `launch` points to */
    void *host;                 /* pinned memory of the three below */
    struct orbit_digit *number; /* [FETCHED_MOST][digits] */
    struct orbit_step *step;    /* [ORBIT_DEVICE_STEPS] */
    int *done;
    int64_t fetched, fetched_end; /* steps that `number` holds: from, and behind the last */
    cudaStream_t stream;
};

static size_t digits_bytes(int64_t digits)
{
    return (size_t)digits * sizeof(struct orbit_digit);
}

static size_t steps_bytes(int64_t steps)
{
    return (size_t)steps * sizeof(struct orbit_step);
}

static void kernel_prepare(const struct orbit_state *state, cudaLaunchConfig_t *config,
                           cudaLaunchAttribute *cluster)
{
    const struct orbit_kernel *kernel = state->kernel;
    cluster->id = cudaLaunchAttributeClusterDimension;
    cluster->val.clusterDim.x = TRANSFORM_BLOCKS;
    cluster->val.clusterDim.y = cluster->val.clusterDim.z = 1;
    *config = cudaLaunchConfig_t();
    config->gridDim = dim3(TRANSFORM_BLOCKS);
    config->blockDim = dim3((unsigned)kernel->threads);
    config->dynamicSmemBytes = state->shared_bytes;
    config->stream = state->stream;
    config->attrs = cluster;
    config->numAttrs = 1;
}

/* Is there room for a cluster on this GPU, or on this part of one? */
static enum status room_check(struct orbit_state *state)
{
    cudaLaunchConfig_t config;
    cudaLaunchAttribute cluster;
    int clusters = 0;
    const void *steps = state->kernel->steps;
    TRY_CUDA(NULL, cudaFuncSetAttribute(steps, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)state->shared_bytes));
    TRY_CUDA(NULL, cudaFuncSetAttribute(steps, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    kernel_prepare(state, &config, &cluster);
    TRY_CUDA(NULL, cudaOccupancyMaxActiveClusters(&clusters, steps, &config));
    return clusters > 0
               ? STATUS_OK
               : status_fail(STATUS_NO_DEVICE, "GPU %d has no 16 multiprocessors for one cluster",
                             state->device);
}

static void roots_fill(struct transform_value *root, int count)
{
    for (int i = 0; i < count; i++) {
        const long double angle = -6.283185307179586476925286766559L * i / count;
        root[i].x = (double)cosl(angle);
        root[i].y = (double)sinl(angle);
    }
}

static enum status upload(struct orbit_state *state, const void *to, const void *from, size_t bytes)
{
    TRY_CUDA(NULL, cudaMemcpyAsync((void *)to, from, bytes, cudaMemcpyHostToDevice, state->stream));
    return STATUS_OK;
}

/* Takes `bytes` of a block, of which offsets are multiples of 256. */
static void *block_take(char **at, size_t bytes)
{
    void *here = *at;
    *at += (bytes + 255) / 256 * 256;
    return here;
}

/* Divides the blocks, at NULL to learn their sizes. */
static size_t device_divide(struct orbit_state *state, char *memory)
{
    struct orbit_launch *launch = &state->launch;
    char *at = memory;
    const int64_t roots = TRANSFORM_BLOCKS * (int64_t)state->kernel->length;
    launch->root =
        (struct transform_value *)block_take(&at, (size_t)roots * sizeof(struct transform_value));
    launch->c = (struct orbit_digit *)block_take(&at, digits_bytes(state->digits));
    launch->z = (struct orbit_digit *)block_take(&at, digits_bytes(state->digits));
    launch->done = (int *)block_take(&at, sizeof(int));
    launch->step = (struct orbit_step *)block_take(&at, steps_bytes(ORBIT_DEVICE_STEPS));
    launch->history =
        (struct orbit_digit *)block_take(&at, ORBIT_DEVICE_STEPS * digits_bytes(state->digits));
    return (size_t)(at - memory);
}

static size_t host_divide(struct orbit_state *state, char *host)
{
    char *at = host;
    state->number =
        (struct orbit_digit *)block_take(&at, FETCHED_MOST * digits_bytes(state->digits));
    state->step = (struct orbit_step *)block_take(&at, steps_bytes(ORBIT_DEVICE_STEPS));
    state->done = (int *)block_take(&at, sizeof(int));
    return (size_t)(at - host);
}

static enum status memory_open(struct orbit_state *state)
{
    TRY_CUDA(NULL, cudaMalloc(&state->memory, device_divide(state, NULL)));
    TRY_CUDA(NULL, cudaMallocHost(&state->host, host_divide(state, NULL)));
    device_divide(state, (char *)state->memory);
    host_divide(state, (char *)state->host);
    return STATUS_OK;
}

/* Uploads what stays. */
static enum status constants_upload(struct orbit_state *state, const struct orbit_digit *c)
{
    const int roots = TRANSFORM_BLOCKS * state->kernel->length;
    const size_t bytes = (size_t)roots * sizeof(struct transform_value);
    struct transform_value *root = (struct transform_value *)malloc(bytes);
    if (!root)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d roots of unity", roots);
    roots_fill(root, roots);
    enum status status = upload(state, state->launch.root, root, bytes);
    if (status == STATUS_OK)
        status = upload(state, state->launch.c, c, digits_bytes(state->digits));
    if (status == STATUS_OK)
        status = cuda_check(NULL, cudaStreamSynchronize(state->stream), "cudaStreamSynchronize");
    free(root);
    return status;
}

static enum status orbit_open(void **out, int device, int64_t limbs, const struct orbit_digit *c)
{
    struct orbit_state *state = (struct orbit_state *)calloc(1, sizeof *state);
    *out = state;
    if (!state)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for an orbit on GPU %d", device);
    const struct orbit_kernel *kernel = state->kernel = kernel_for(limbs);
    state->device = device;
    state->digits = kernel->length * kernel->chunks;
    state->launch.zeros = state->digits - 4 * (int)limbs;
    state->shared_bytes = sizeof(struct transform_value) *
                          (size_t)(kernel->length + TRANSFORM_BELOW * TRANSFORM_BLOCKS *
                                                        transform_groups(kernel->length));
    TRY_CUDA(NULL, cudaSetDevice(device));
    TRY(room_check(state));
    TRY_CUDA(NULL, cudaStreamCreateWithFlags(&state->stream, cudaStreamNonBlocking));
    TRY(memory_open(state));
    return constants_upload(state, c);
}

static void orbit_close(void *opened)
{
    struct orbit_state *state = (struct orbit_state *)opened;
    if (!state)
        return;
    if (cudaSetDevice(state->device) == cudaSuccess) {
        cudaFree(state->memory);
        cudaFreeHost(state->host);
        if (state->stream)
            cudaStreamDestroy(state->stream);
    }
    cudaGetLastError();
    free(state);
}

/* Enqueues the steps and copies what they say, and waits. */
static enum status steps_run(struct orbit_state *state, int64_t count)
{
    struct orbit_launch *launch = &state->launch;
    const size_t bytes = steps_bytes(count);
    cudaLaunchConfig_t config;
    cudaLaunchAttribute cluster;
    void *arguments[] = {launch};
    launch->steps = (int)count;
    kernel_prepare(state, &config, &cluster);
    TRY(upload(state, launch->z, state->number, digits_bytes(state->digits)));
    TRY_CUDA(NULL, cudaMemsetAsync(launch->step, 0, bytes, state->stream));
    TRY_CUDA(NULL, cudaLaunchKernelExC(&config, state->kernel->steps, arguments));
    TRY_CUDA(NULL, cudaMemcpyAsync(state->step, launch->step, bytes, cudaMemcpyDeviceToHost,
                                   state->stream));
    TRY_CUDA(NULL, cudaMemcpyAsync(state->done, launch->done, sizeof(int), cudaMemcpyDeviceToHost,
                                   state->stream));
    TRY_CUDA(NULL, cudaStreamSynchronize(state->stream));
    return STATUS_OK;
}

static enum status orbit_steps_take(void *opened, const struct orbit_digit *z, int64_t count,
                                    struct orbit_step *step, int64_t *done)
{
    struct orbit_state *state = (struct orbit_state *)opened;
    *done = 0;
    state->fetched = state->fetched_end = 0;
    memcpy(state->number, z, digits_bytes(state->digits));
    TRY_CUDA(NULL, cudaSetDevice(state->device));
    TRY(steps_run(state, count));
    *done = *state->done;
    memcpy(step, state->step, steps_bytes(*done));
    return STATUS_OK;
}

/* Fetches the numbers from that step on: more than one where the one before was the last wanted. */
static enum status numbers_fetch(struct orbit_state *state, int64_t steps)
{
    const int64_t left = *state->done - steps + 1;
    int64_t count = steps == state->fetched_end && steps > 1 ? FETCHED_MOST : 1;
    count = count < left ? count : left;
    state->fetched = state->fetched_end = 0;
    TRY_CUDA(NULL, cudaSetDevice(state->device));
    TRY_CUDA(NULL, cudaMemcpyAsync(
                       state->number, state->launch.history + (steps - 1) * state->digits,
                       digits_bytes(count * state->digits), cudaMemcpyDeviceToHost, state->stream));
    TRY_CUDA(NULL, cudaStreamSynchronize(state->stream));
    state->fetched = steps;
    state->fetched_end = steps + count;
    return STATUS_OK;
}

static enum status orbit_fetch(void *opened, int64_t steps, struct orbit_digit *z)
{
    struct orbit_state *state = (struct orbit_state *)opened;
    if (steps < state->fetched || steps >= state->fetched_end)
        TRY(numbers_fetch(state, steps));
    memcpy(z, state->number + (steps - state->fetched) * state->digits,
           digits_bytes(state->digits));
    return STATUS_OK;
}

const struct orbit_device_kind cuda_orbit = {
    "cuda",     orbit_digits,     orbit_step_s, orbit_serves,
    orbit_open, orbit_steps_take, orbit_fetch,  orbit_close,
};
