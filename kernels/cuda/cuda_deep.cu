#include "kernels/cuda/cuda_deep.h"

#include "kernels/escape/pixel.h"

#define EVERY_LANE 0xffffffffu

enum {
    WARP = 32,
    BLOCK_WIDTH = 8,  /* neighbours in a warp: 8 x 4 pixels, */
    BLOCK_HEIGHT = 4, /* whose walks begin alike */
    REFILL = 8,       /* lanes that are done before a warp takes new pixels */
    RUN_MOST = 64,    /* single steps in a run */
    DIRECT_MOST = 32, /* and without the reference */
    LEAP_WEIGHT = 1,  /* a warp does what lanes times weight are most for */
    RUN_WEIGHT = 1,
    DIRECT_WEIGHT = 1,
    LOOK = 256,          /* rounds between looks at the clock and the stop flag */
    RESIDENT_WARPS = 32, /* of a multiprocessor */
    POLICY = 2           /* 0: one step or leap of all; 1: both kinds in turn; 2: vote */
};

enum mode { MODE_IDLE, MODE_SEARCH, MODE_LEAP, MODE_RUN, MODE_DIRECT };

static __device__ __forceinline__ int64_t clock_ns(void)
{
    int64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

static __device__ __forceinline__ void pixel_store(const struct deep_piece &piece,
                                                   const struct deep_lane &lane)
{
    const struct walk &walk = lane.walk;
    if (piece.count_bytes == 4)
        ((uint32_t *)piece.count)[lane.at] = (uint32_t)walk.count;
    else
        ((uint64_t *)piece.count)[lane.at] = (uint64_t)walk.count;
    if (piece.fraction)
        piece.fraction[lane.at] =
            fraction_of(walk.count ? (float)walk.norm : 0.0f, piece.fraction_offset);
    if (piece.distance)
        piece.distance[lane.at] = walk_distance(&walk);
}

/* Gives pixels to idle lanes; says whether there may be more. */
static __device__ __forceinline__ bool lanes_fill(const struct deep_piece &piece,
                                                  const struct walk_scene &scene,
                                                  struct deep_lane &lane, unsigned idle)
{
    const struct grid &grid = piece.grid;
    uint32_t in_row = (uint32_t)(grid.width + BLOCK_WIDTH - 1) / BLOCK_WIDTH;
    uint32_t rows = (uint32_t)(grid.height + BLOCK_HEIGHT - 1) / BLOCK_HEIGHT;
    uint32_t base = 0, own = threadIdx.x % WARP;
    if (own == 0)
        base = atomicAdd(&piece.progress->next, (uint32_t)__popc(idle));
    base = __shfl_sync(EVERY_LANE, base, 0);
    if (idle >> own & 1) {
        uint32_t i = base + (uint32_t)__popc(idle & ((1u << own) - 1));
        uint32_t block = i / WARP, within = i % WARP;
        int32_t x = (int32_t)(block % in_row * BLOCK_WIDTH + within % BLOCK_WIDTH);
        int32_t y = (int32_t)(block / in_row * BLOCK_HEIGHT + within / BLOCK_WIDTH);
        if (x < grid.width && y < grid.height && block < in_row * rows) {
            double re, im;
            pixel_c(&grid, grid.x + x, pixel_row(&grid, y), &re, &im);
            lane.walk = walk_begin(&scene, re, im);
            lane.at = y * grid.width + x;
            lane.mode = MODE_SEARCH;
        }
    }
    return base < in_row * rows * WARP;
}

/* After a step: writes the pixel that is done. */
static __device__ __forceinline__ bool
lane_arrive(const struct deep_piece &piece, const struct walk_scene &scene, struct deep_lane &lane)
{
    lane.mode = MODE_SEARCH;
    if (!walk_arrive(&lane.walk, &scene))
        return false;
    pixel_store(piece, lane);
    lane.mode = MODE_IDLE;
    return true;
}

template <enum blocks BLOCKS, int SLOPES>
static __device__ __forceinline__ uint32_t lane_leap(const struct deep_piece &piece,
                                                     const struct walk_scene &scene,
                                                     struct deep_lane &lane)
{
    walk_leap(&lane.walk, &scene, BLOCKS, SLOPES, lane.walk.level);
    lane_arrive(piece, scene, lane);
    return 1;
}

/* Single steps to the next place where a block may begin, or where the reference can be left. */
template <enum blocks BLOCKS, int SLOPES>
static __device__ __forceinline__ uint32_t lane_run(const struct deep_piece &piece,
                                                    const struct walk_scene &scene,
                                                    struct deep_lane &lane)
{
    uint32_t taken = 0, most = POLICY ? RUN_MOST : 1;
    const int64_t within = ((int64_t)1 << scene.table.shortest) - 1;
    bool done;
    do {
        if (BLOCKS != BLOCKS_NONE) {
            if (walk_leave(&lane.walk, &scene)) {
                lane.mode = MODE_DIRECT;
                break;
            }
            lane.walk.level = 0;
        }
        walk_step(&lane.walk, &scene, SLOPES);
        taken++;
        done = lane_arrive(piece, scene, lane);
    } while (!done && taken < most && (lane.walk.m & within));
    return taken;
}

/* Steps without the reference. */
template <int SLOPES>
static __device__ __forceinline__ uint32_t lane_direct(const struct deep_piece &piece,
                                                       const struct walk_scene &scene,
                                                       struct deep_lane &lane)
{
    int64_t taken;
    bool done = walk_directly(&lane.walk, &scene, SLOPES, POLICY ? DIRECT_MOST : 1, &taken);
    if (done)
        pixel_store(piece, lane);
    lane.mode = done ? MODE_IDLE : lane.walk.slope > 0 ? MODE_DIRECT : MODE_SEARCH;
    return (uint32_t)taken;
}

static __device__ __forceinline__ int lanes_in(const struct deep_lane &lane, enum mode mode)
{
    return __popc(__ballot_sync(EVERY_LANE, lane.mode == mode));
}

/* One kind of step of the lanes that wait for it. */
template <enum blocks BLOCKS, int SLOPES>
static __device__ __forceinline__ uint32_t lanes_advance(const struct deep_piece &piece,
                                                         const struct walk_scene &scene,
                                                         struct deep_lane &lane)
{
    if (lane.mode == MODE_SEARCH) {
        int level = BLOCKS == BLOCKS_NONE ? -1 : walk_level(&lane.walk, &scene);
        lane.mode = level < 0 ? MODE_RUN : MODE_LEAP;
        if (level >= 0)
            lane.walk.level = level;
    }
    if (POLICY < 2) {
        if (lane.mode == MODE_LEAP)
            return lane_leap<BLOCKS, SLOPES>(piece, scene, lane);
        if (lane.mode == MODE_RUN)
            return lane_run<BLOCKS, SLOPES>(piece, scene, lane);
        if (lane.mode == MODE_DIRECT)
            return lane_direct<SLOPES>(piece, scene, lane);
        return 0;
    }
    int leap = lanes_in(lane, MODE_LEAP) * LEAP_WEIGHT;
    int run = lanes_in(lane, MODE_RUN) * RUN_WEIGHT;
    int direct = lanes_in(lane, MODE_DIRECT) * DIRECT_WEIGHT;
    if (leap >= run && leap >= direct)
        return lane.mode == MODE_LEAP ? lane_leap<BLOCKS, SLOPES>(piece, scene, lane) : 0;
    if (run >= direct)
        return lane.mode == MODE_RUN ? lane_run<BLOCKS, SLOPES>(piece, scene, lane) : 0;
    return lane.mode == MODE_DIRECT ? lane_direct<SLOPES>(piece, scene, lane) : 0;
}

/* Is the slice over, or does the host want an end? What it says reaches other launches through
 * device memory: its own is far away. */
static __device__ __forceinline__ bool is_over(const struct deep_piece &piece, int64_t end_ns)
{
    if (blockIdx.x + threadIdx.x == 0 && *piece.host_stop)
        *piece.stop = 1;
    return __any_sync(EVERY_LANE, *piece.stop || clock_ns() >= end_ns);
}

static __device__ __forceinline__ void scene_copy(struct walk_scene *to,
                                                  const struct walk_scene *from)
{
    for (unsigned i = threadIdx.x; i < sizeof *to / sizeof(uint64_t); i += blockDim.x)
        ((uint64_t *)to)[i] = ((const uint64_t *)from)[i];
    __syncthreads();
}

template <enum blocks BLOCKS, int SLOPES>
__global__ void __launch_bounds__(DEEP_THREADS, RESIDENT_WARPS *WARP / DEEP_THREADS)
    deep_walks(const __grid_constant__ struct deep_piece piece, int first)
{
    __shared__ struct walk_scene scene;
    scene_copy(&scene, &piece.scene);
    struct deep_lane *saved = &piece.lanes[blockIdx.x * DEEP_THREADS + threadIdx.x];
    struct deep_lane lane;
    lane.mode = first ? MODE_IDLE : saved->mode;
    if (lane.mode != MODE_IDLE)
        lane = *saved;
    bool more = true;
    uint32_t taken = 0;
    int64_t end_ns = clock_ns() + piece.slice_ns;
    for (uint32_t round = 0;; round++) {
        unsigned idle = __ballot_sync(EVERY_LANE, lane.mode == MODE_IDLE);
        if (round % LOOK == 0 && is_over(piece, end_ns))
            break;
        if (more && __popc(idle) >= REFILL)
            more = lanes_fill(piece, scene, lane, idle);
        else if (idle == EVERY_LANE)
            break;
        taken += lanes_advance<BLOCKS, SLOPES>(piece, scene, lane);
    }
    saved->mode = lane.mode;
    if (lane.mode != MODE_IDLE)
        *saved = lane;
    unsigned left = more + __popc(__ballot_sync(EVERY_LANE, lane.mode != MODE_IDLE));
    for (int d = WARP / 2; d; d /= 2)
        taken += __shfl_xor_sync(EVERY_LANE, taken, d);
    if (threadIdx.x % WARP == 0) {
        atomicAdd(&piece.progress->steps, (unsigned long long)taken);
        if (left)
            atomicAdd(&piece.progress->left, left);
    }
}

__global__ void deep_begin(struct deep_progress *progress, int first)
{
    progress->left = 0;
    if (first) {
        progress->next = 0;
        progress->steps = 0;
    }
}

/* No copy: a short one that waits for kernels would hold up the long ones of other streams. */
__global__ void deep_report(const struct deep_progress *progress, struct deep_progress *report)
{
    *report = *progress;
}

unsigned deep_threads(const struct deep_piece *piece, int units)
{
    uint64_t pixels = (uint64_t)piece->grid.width * (uint64_t)piece->grid.height;
    uint64_t most = (uint64_t)units * RESIDENT_WARPS * WARP;
    uint64_t threads = (pixels + DEEP_THREADS - 1) / DEEP_THREADS * DEEP_THREADS;
    return (unsigned)(threads < most ? threads : most);
}

typedef void deep_kernel(struct deep_piece piece, int first);

#define KERNELS(blocks)                              \
    {                                                \
        deep_walks<blocks, 0>, deep_walks<blocks, 1> \
    }
static deep_kernel *const kernels[BLOCKS_KINDS][2] = {KERNELS(BLOCKS_NONE), KERNELS(BLOCKS_LINEAR),
                                                      KERNELS(BLOCKS_QUADRATIC),
                                                      KERNELS(BLOCKS_QUARTIC)};

void launch_deep(const struct deep_piece *piece, unsigned threads, int first, cudaStream_t stream)
{
    deep_begin<<<1, 1, 0, stream>>>(piece->progress, first);
    kernels[piece->blocks]
           [piece->distance != NULL]<<<threads / DEEP_THREADS, DEEP_THREADS, 0, stream>>>(*piece,
                                                                                          first);
    deep_report<<<1, 1, 0, stream>>>(piece->progress, piece->report);
}
