/* The kernels of Hénon maps, by perturbation, with the pixels of
 * kernels/deep/rational/henon_pixel.h. */
#include "kernels/cuda/deep/cuda_deep_lanes.h"

enum { STEPS_AT_ONCE = 4 }; /* blocks and runs of steps of a round */

template <bool SLOPES> struct henon_engine {
    typedef struct deep_henon_lane lane;
    static constexpr int resident_warps = 16; /* 128 registers for a thread */

    static __device__ __forceinline__ void begin(const struct deep_piece &piece, lane &lane,
                                                 double re, double im)
    {
        lane.pixel = henon_begin(piece.henon, re, im);
    }
    static __device__ __forceinline__ int on(const struct deep_piece &piece, lane &lane)
    {
        return henon_on(&lane.pixel, piece.henon, piece.blocks, SLOPES, STEPS_AT_ONCE);
    }
    static __device__ __forceinline__ struct rational_values values(const struct deep_piece &piece,
                                                                    const lane &lane)
    {
        return henon_values(&lane.pixel, piece.henon, piece.distance_x || piece.phase);
    }
    static __device__ __forceinline__ void store(const struct deep_piece &piece, const lane &lane)
    {
        lane_store<henon_engine>(piece, lane);
    }
};

void launch_deep_henon(const struct deep_piece *piece, bool slopes, unsigned threads,
                       cudaStream_t stream)
{
    (slopes ? launch_lanes<henon_engine<true>> : launch_lanes<henon_engine<false>>)(piece, threads,
                                                                                    stream);
}
