/* The kernels of Newton's method, of Nova and of magnets, by perturbation, with the pixels of
 * kernels/deep/rational/newton_kinds.h. */
#include "kernels/cuda/deep/cuda_deep_lanes.h"

enum { STEPS_AT_ONCE = 16 }; /* blocks and steps of a round */

template <enum newton_kind KIND, bool SLOPES> struct newton_engine {
    typedef struct deep_newton_lane lane;
    static constexpr int resident_warps = 32; /* 64 registers for a thread */

    static __device__ __forceinline__ void begin(const struct deep_piece &piece, lane &lane,
                                                 double re, double im)
    {
        lane.pixel = newton_kind_begin(piece.newton, re, im, KIND);
        lane.kept.m = -1;
        lane.kept.due = 0;
    }
    static __device__ __forceinline__ int on(const struct deep_piece &piece, lane &lane)
    {
        return newton_kind_on(&lane.pixel, piece.newton, piece.blocks, SLOPES, STEPS_AT_ONCE,
                              &lane.kept, KIND);
    }
    static __device__ __forceinline__ struct rational_values values(const struct deep_piece &piece,
                                                                    const lane &lane)
    {
        return newton_kind_values(&lane.pixel, piece.newton, piece.distance_x || piece.phase, KIND);
    }
    static __device__ __forceinline__ void store(const struct deep_piece &piece, const lane &lane)
    {
        lane_store<newton_engine>(piece, lane);
    }
};

void launch_deep_newton(const struct deep_piece *piece, bool slopes, unsigned threads,
                        cudaStream_t stream)
{
    (piece->kind == KIND_NOVA     ? launch_lanes<newton_engine<KIND_NOVA, false>>
     : piece->kind == KIND_MAGNET ? slopes ? launch_lanes<newton_engine<KIND_MAGNET, true>>
                                           : launch_lanes<newton_engine<KIND_MAGNET, false>>
     : slopes ? launch_lanes<newton_engine<KIND_NEWTON, true>>
              : launch_lanes<newton_engine<KIND_NEWTON, false>>)(piece, threads, stream);
}
