/* The kernels of sums along orbits, by perturbation (kernels/deep/deep_sums.h): of z^2 + c, and of
 * any list, whose operations are read one by one. */
#include "kernels/cuda/deep/cuda_deep_lanes.h"

enum { STEPS_AT_ONCE = 16 }; /* steps of a round */

static __device__ __forceinline__ int64_t count_at(const struct deep_piece &piece, int32_t at)
{
    return piece.count_bytes == 4 ? (int64_t)((const uint32_t *)piece.count)[at]
                                  : (int64_t)((const uint64_t *)piece.count)[at];
}

/* Writes sums of a pixel, 0 where it did not escape. */
static __device__ __forceinline__ void sums_store(const struct deep_piece &piece, int32_t at,
                                                  int64_t count, struct orbit_values values)
{
    for (int p = 0; p < ORBIT_PLANES; p++)
        if (piece.orbit[p])
            piece.orbit[p][at] = count ? values.of[p] : 0.0f;
}

template <bool WIDE> struct quadratic_sums {
    typedef struct deep_sums_lane lane;
    static constexpr int resident_warps = 16; /* 128 registers for a thread */

    static __device__ __forceinline__ void begin(const struct deep_piece &piece, lane &lane,
                                                 double re, double im)
    {
        lane.pixel = pixel_begin(&piece.common, re, im);
        lane.sums = orbit_sums_begin();
        lane.count = count_at(piece, lane.at);
    }
    static __device__ __forceinline__ int on(const struct deep_piece &piece, lane &lane)
    {
        return !lane.count || pixel_sums_on(&lane.pixel, &lane.sums, &piece.common, &piece.rule,
                                            WIDE, lane.count, STEPS_AT_ONCE);
    }
    static __device__ __forceinline__ void store(const struct deep_piece &piece, const lane &lane)
    {
        sums_store(piece, lane.at, lane.count,
                   pixel_sums_values(&lane.pixel, &lane.sums, piece.fraction_offset));
    }
};

template <bool WIDE> struct list_sums {
    typedef struct deep_formula_sums_lane lane;
    static constexpr int resident_warps = 16;

    static __device__ __forceinline__ void begin(const struct deep_piece &piece, lane &lane,
                                                 double re, double im)
    {
        lane.pixel = formula_begin(piece.formula, re, im);
        lane.sums = orbit_sums_begin();
        lane.count = count_at(piece, lane.at);
    }
    static __device__ __forceinline__ int on(const struct deep_piece &piece, lane &lane)
    {
        return !lane.count || formula_sums_on(&lane.pixel, &lane.sums, piece.formula, &piece.rule,
                                              WIDE, lane.count, STEPS_AT_ONCE);
    }
    static __device__ __forceinline__ void store(const struct deep_piece &piece, const lane &lane)
    {
        sums_store(piece, lane.at, lane.count,
                   formula_sums_values(&lane.pixel, &lane.sums, piece.formula));
    }
};

void launch_deep_sums(const struct deep_piece *piece, bool wide, unsigned threads,
                      cudaStream_t stream)
{
    if (piece->formula)
        (wide ? launch_lanes<list_sums<true>> : launch_lanes<list_sums<false>>)(piece, threads,
                                                                                stream);
    else
        (wide ? launch_lanes<quadratic_sums<true>>
              : launch_lanes<quadratic_sums<false>>)(piece, threads, stream);
}
