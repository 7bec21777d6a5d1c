/* Steps without the reference (direct.h).
 *
 * A body, between real_f64.h or real_f32.h and real_end.h. */
#ifndef DEEP_REAL
#error "direct_body.h: include a real_*.h before it"
#endif

struct T(direct_limits) {
    struct COMPLEX centre; /* C, rounded */
    DEEP_REAL bailout_squared;
    DEEP_REAL norm_least;               /* |z|^2 from which on no block from z_0 on holds */
    DEEP_REAL slope_least;              /* theta^2 */
    uint32_t inside_first, inside_size; /* upper bits of |z|^2 that are surely between both */
};

struct T(direct) {
    struct COMPLEX z, dz; /* dz: per pixel, with slopes */
    DEEP_REAL norm;       /* |z|^2 */
    DEEP_REAL slope;      /* s^2, or less */
};

DEEP_FN uint32_t T(direct_upper)(DEEP_REAL x)
{
    REAL_BITS bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint32_t)(bits >> (8 * sizeof bits - 32));
}

/* s^2 after a step from z: s^2 |2 z|^2. A product, and no sum of cheaper logarithms: their errors
 * add up beside parabolic points, where |z| stays the same for thousands of steps. */
DEEP_FN DEEP_REAL T(direct_next)(DEEP_REAL slope, DEEP_REAL norm)
{
    DEEP_REAL next = 4 * norm * slope;
#ifdef REAL_SLOPE_MOST
    next = next < REAL_SLOPE_MOST ? next : REAL_SLOPE_MOST;
#endif
    return next;
}

DEEP_FN enum direct_end T(direct_end)(DEEP_REAL norm, DEEP_REAL next,
                                      const struct T(direct_limits) * limits)
{
    return norm > limits->bailout_squared                              ? DIRECT_ESCAPED
           : norm >= limits->norm_least && next >= limits->slope_least ? DIRECT_GOES_ON
                                                                       : DIRECT_ENDS;
}

/* May a pixel leave its reference with this slope, |delta|^2 at least? */
DEEP_FN int T(direct_may)(DEEP_REAL norm, DEEP_REAL slope, const struct T(direct_limits) * limits)
{
    return T(direct_end)(norm, T(direct_next)(slope, norm), limits) == DIRECT_GOES_ON;
}

/* Takes up to `most` >= 1 steps, their number in *taken, until z escapes or the next step would
 * lose too much. `step`: dc of one pixel; slopes: a constant, whether dz is computed. */
DEEP_FN enum direct_end T(direct_on)(struct T(direct) * state, struct COMPLEX c,
                                     struct COMPLEX step, const struct T(direct_limits) * limits,
                                     int slopes, int64_t most, int64_t *taken)
{
    struct T(direct) at = *state;
    enum direct_end end = DIRECT_GOES_ON;
    DEEP_REAL next = T(direct_next)(at.slope, at.norm);
    int32_t i = 0;
    const int32_t last = most < DIRECT_MOST ? (int32_t)most : DIRECT_MOST;
#ifdef __CUDA_ARCH__
#pragma unroll 2 /* else registers are copied after each step */
#endif
    do {
        if (slopes)
            at.dz = T(delta_slope)(at.z, at.dz, step);
        DEEP_REAL x = REAL_FMA(at.z.x, at.z.x, REAL_FMA(-at.z.y, at.z.y, c.x));
        at.z.y = REAL_FMA(at.z.x + at.z.x, at.z.y, c.y);
        at.z.x = x;
        at.norm = REAL_FMA(at.z.x, at.z.x, at.z.y * at.z.y);
        at.slope = next;
        next = T(direct_next)(next, at.norm);
        i++;
        if (!(next >= limits->slope_least) ||
            T(direct_upper)(at.norm) - limits->inside_first >= limits->inside_size)
            end = T(direct_end)(at.norm, next, limits);
    } while (end == DIRECT_GOES_ON && i < last);
    *taken = i;
    *state = at;
    return end;
}
