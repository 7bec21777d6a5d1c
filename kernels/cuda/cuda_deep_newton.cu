/* The kernels of Newton's method and of Nova, by perturbation, with the pixels of
 * kernels/deep/newton_pixel.h and nova_pixel.h. */
#include "kernels/cuda/cuda_deep_lanes.h"

enum { STEPS_AT_ONCE = 16 }; /* blocks and steps between looks at other lanes */

template <bool SLOPES> struct newton_engine {
    typedef struct deep_newton_lane lane;
    static constexpr int resident_warps = 32; /* 64 registers for a thread */

    static __device__ __forceinline__ void begin(const struct deep_piece &piece, lane &lane,
                                                 double re, double im)
    {
        lane.pixel = newton_begin(piece.newton, re, im);
    }
    static __device__ __forceinline__ int on(const struct deep_piece &piece, lane &lane)
    {
        return newton_on(&lane.pixel, piece.newton, piece.blocks, SLOPES, STEPS_AT_ONCE);
    }
    static __device__ __forceinline__ struct rational_values values(const struct deep_piece &piece,
                                                                    const lane &lane)
    {
        return newton_values(&lane.pixel, piece.newton);
    }
};

struct nova_engine : newton_engine<false> {
    static __device__ __forceinline__ void begin(const struct deep_piece &piece, lane &lane,
                                                 double re, double im)
    {
        lane.pixel = nova_begin(piece.newton, re, im);
        lane.kept.m = -1;
        lane.kept.due = 0;
    }
    static __device__ __forceinline__ int on(const struct deep_piece &piece, lane &lane)
    {
        return nova_on(&lane.pixel, piece.newton, piece.blocks, 0, STEPS_AT_ONCE, &lane.kept);
    }
};

void launch_deep_newton(const struct deep_piece *piece, bool slopes, unsigned threads,
                        cudaStream_t stream)
{
    (piece->nova ? launch_lanes<nova_engine>
     : slopes    ? launch_lanes<newton_engine<true>>
                 : launch_lanes<newton_engine<false>>)(piece, threads, stream);
}
