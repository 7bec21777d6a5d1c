/* A step of z^2 + c by one Fourier transform over 16 blocks of threads: its arithmetic, for C and
 * CUDA. kernels/cuda/orbit/ has the blocks, a test plays them on a processor.
 *
 * z = sum of z_n 2^(16 n), n = c M + j, of D = chunks M complex digits, both parts within 2^15 + 3
 * of 0. With N = 16 M, w = e^(-2 pi i / N) and k = q + 16 p the transform forth is
 *     Z_k = sum over j of w^(16 j p) w^(j q) (sum over c of z_n w^(M c q)).
 * A lane makes the inner sums of a column j and hands the q-th to block q, which transforms the M
 * that it gets, squares, and transforms back; then the lane makes the column's coefficients of z^2.
 * Digit (c, j) of the next z is that of coefficient (chunks + c, j): the same column, so the end of
 * a step and the beginning of the next are one pass, in registers.
 *
 * Fixed point has FIXED_INTEGER_BITS bits before the point, so coefficients count 2^5 times. A
 * coefficient, with the digit of c, gives its neighbour what lies beyond 16 balanced bits, three
 * times: then it is within 2^15 + 3 of 0, and no carry goes on. So lanes need three columns below
 * their own, and what lies below a digit is worth less than 0.51 of its unit.
 *
 * Errors: as in spectrum.h, with L = log2 N stages of sums and P of products forth and as
 * many back,
 *     error <= |digits|^2 (3 (L + (sqrt 5 + 3/4) P) + sqrt 5) 2^-53 (1 + 2^-30),
 *     |digits|^2 <= 2 D (2^15 + 3)^2:
 * 0.43 for M = 2048 and 8 chunks, 0.19 for M = 1024, less for all others (a test has the sums). So
 * the nearest integers are the coefficients, whatever the order of operations. */
#ifndef KERNELS_ORBIT_DEVICE_DIGIT_TRANSFORM_H
#define KERNELS_ORBIT_DEVICE_DIGIT_TRANSFORM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/always_inline.h"

#ifdef __CUDACC__
#define TRANSFORM_FN static __device__ __forceinline__
#define TRANSFORM_CONSTANT_FN static constexpr __host__ __device__
#define TRANSFORM_UNROLL _Pragma("unroll")
#else
#define TRANSFORM_CONSTANT_FN static inline
#define TRANSFORM_FN static ALWAYS_INLINE
#define TRANSFORM_UNROLL
#endif

enum {
    TRANSFORM_BLOCKS = 16,
    TRANSFORM_LANES = 32,
    TRANSFORM_BELOW = 3, /* lanes of a group whose columns lie below its own */
    TRANSFORM_LENGTH_LEAST = 256,
    TRANSFORM_LENGTH_MOST = 2048,
    TRANSFORM_CHUNKS_LEAST = 5,
    TRANSFORM_CHUNKS_MOST = 8,   /* the square has twice as many */
    TRANSFORM_TOP_MOST = 3 << 11 /* a highest digit of part 3: |z|^2 > 8 */
};

struct transform_value {
    double x, y;
} __attribute__((aligned(16)));

/* ---- shapes ---- */

struct transform_shape {
    int length, chunks; /* M, D / M; 0: there is none */
};

/* The shape of numbers of so many limbs, with a digit of 0 below. 7 chunks take as long as 8, and
 * fewer of the least length would be for numbers that processors are as fast with. */
TRANSFORM_CONSTANT_FN struct transform_shape transform_shape(int64_t limbs)
{
    struct transform_shape shape = {0, 0};
    for (int length = TRANSFORM_LENGTH_LEAST; length <= TRANSFORM_LENGTH_MOST; length *= 2)
        for (int chunks = TRANSFORM_CHUNKS_LEAST; chunks <= TRANSFORM_CHUNKS_MOST; chunks++) {
            if (shape.length || chunks == 7 ||
                (length == TRANSFORM_LENGTH_LEAST && chunks < TRANSFORM_CHUNKS_MOST) ||
                4 * limbs + 1 > (int64_t)length * chunks)
                continue;
            shape.length = length;
            shape.chunks = chunks;
        }
    return shape;
}

/* Columns of a block, and the groups of lanes that take them: all but the last have as many. */
TRANSFORM_CONSTANT_FN int transform_own(int length)
{
    return length / TRANSFORM_BLOCKS;
}
TRANSFORM_CONSTANT_FN int transform_groups(int length)
{
    const int most = TRANSFORM_LANES - TRANSFORM_BELOW;
    return (transform_own(length) + most - 1) / most;
}
TRANSFORM_CONSTANT_FN int transform_group(int length)
{
    return (transform_own(length) + transform_groups(length) - 1) / transform_groups(length);
}

/* ---- complex numbers ---- */

TRANSFORM_FN struct transform_value value_of(double x, double y)
{
    struct transform_value value;
    value.x = x;
    value.y = y;
    return value;
}

TRANSFORM_FN struct transform_value value_sum(struct transform_value a, struct transform_value b)
{
    return value_of(a.x + b.x, a.y + b.y);
}

TRANSFORM_FN struct transform_value value_difference(struct transform_value a,
                                                     struct transform_value b)
{
    return value_of(a.x - b.x, a.y - b.y);
}

TRANSFORM_FN struct transform_value value_product(struct transform_value a,
                                                  struct transform_value b)
{
    return value_of(fma(a.x, b.x, -a.y * b.y), fma(a.x, b.y, a.y * b.x));
}

/* a times b, or its conjugate where the transform goes back. */
TRANSFORM_FN struct transform_value value_root(struct transform_value a, struct transform_value b,
                                               bool back)
{
    return value_product(a, value_of(b.x, back ? -b.y : b.y));
}

/* -i a, going back i a */
TRANSFORM_FN struct transform_value value_turn(struct transform_value a, bool back)
{
    return back ? value_of(-a.y, a.x) : value_of(a.y, -a.x);
}

TRANSFORM_FN struct transform_value root_read(const struct transform_value *root, int index)
{
#ifdef __CUDA_ARCH__
    const double2 value = __ldg((const double2 *)root + index);
    return value_of(value.x, value.y);
#else
    return root[index];
#endif
}

TRANSFORM_FN struct transform_value value_read(const struct transform_value *at)
{
#ifdef __CUDA_ARCH__
    const double2 value = *(const double2 *)at;
    return value_of(value.x, value.y);
#else
    return *at;
#endif
}

TRANSFORM_FN void value_write(struct transform_value *at, struct transform_value value)
{
#ifdef __CUDA_ARCH__
    *(double2 *)at = make_double2(value.x, value.y);
#else
    *at = value;
#endif
}

/* ---- transforms of a few values ---- */

TRANSFORM_FN void transform_four(struct transform_value *a, struct transform_value *b,
                                 struct transform_value *c, struct transform_value *d, bool back)
{
    const struct transform_value p = value_sum(*a, *c), m = value_difference(*a, *c);
    const struct transform_value q = value_sum(*b, *d);
    const struct transform_value n = value_turn(value_difference(*b, *d), back);
    *a = value_sum(p, q);
    *b = value_sum(m, n);
    *c = value_difference(p, q);
    *d = value_difference(m, n);
}

/* v[q] = sum of v[c] e^(-+2 pi i c q / 16) */
TRANSFORM_FN void transform_sixteen(struct transform_value v[TRANSFORM_BLOCKS], bool back)
{
    const double r = 0.70710678118654752440, x1 = 0.92387953251128675613;
    const double y1 = 0.38268343236508977173;
    const double root[10][2] = {{1, 0},     {x1, -y1}, {r, -r},    {y1, -x1}, {0, -1},
                                {-y1, -x1}, {-r, -r},  {-x1, -y1}, {-1, 0},   {-x1, y1}};
    struct transform_value out[TRANSFORM_BLOCKS];
    TRANSFORM_UNROLL
    for (int b = 0; b < 4; b++)
        transform_four(&v[b], &v[4 + b], &v[8 + b], &v[12 + b], back);
    TRANSFORM_UNROLL
    for (int p = 1; p < 4; p++) {
        TRANSFORM_UNROLL
        for (int b = 1; b < 4; b++)
            v[4 * p + b] = p * b == 4 ? value_turn(v[4 * p + b], back)
                                      : value_root(v[4 * p + b],
                                                   value_of(root[p * b][0], root[p * b][1]), back);
    }
    TRANSFORM_UNROLL
    for (int p = 0; p < 4; p++) {
        transform_four(&v[4 * p], &v[4 * p + 1], &v[4 * p + 2], &v[4 * p + 3], back);
        TRANSFORM_UNROLL
        for (int k = 0; k < 4; k++)
            out[p + 4 * k] = v[4 * p + k];
    }
    TRANSFORM_UNROLL
    for (int i = 0; i < TRANSFORM_BLOCKS; i++)
        v[i] = out[i];
}

/* ---- columns ---- */

/* Makes coefficients (c, column) of z^2 from what the blocks have of a column. root[i] = w^i. */
TRANSFORM_FN void column_join(struct transform_value v[TRANSFORM_BLOCKS],
                              const struct transform_value *root, int column)
{
    TRANSFORM_UNROLL
    for (int q = 1; q < TRANSFORM_BLOCKS; q++)
        v[q] = value_root(v[q], root_read(root, column * q), true);
    transform_sixteen(v, true);
}

/* Makes what the blocks get from the digits (c, column) of z. */
TRANSFORM_FN void column_part(struct transform_value v[TRANSFORM_BLOCKS],
                              const struct transform_value *root, int column)
{
    transform_sixteen(v, false);
    TRANSFORM_UNROLL
    for (int q = 1; q < TRANSFORM_BLOCKS; q++)
        v[q] = value_root(v[q], root_read(root, column * q), false);
}

/* The column of a lane of a group. Below column 0 lie the last ones, of the chunk before. */
struct transform_lane {
    int column;
    bool below, wraps, own;
};

TRANSFORM_FN struct transform_lane transform_lane(int length, int block, int group, int lane)
{
    const int size = transform_group(length), left = transform_own(length) - group * size;
    const int column = block * transform_own(length) + group * size + lane - TRANSFORM_BELOW;
    struct transform_lane of;
    of.below = lane < TRANSFORM_BELOW;
    of.own = !of.below && lane - TRANSFORM_BELOW < (left < size ? left : size);
    of.wraps = column < 0;
    of.column = of.wraps ? column + length : column < length ? column : length - 1;
    return of;
}

/* Number of a lane's digit in this chunk; -1: it needs no digit of c. */
TRANSFORM_FN int digit_index(struct transform_lane lane, int length, int chunk)
{
    return lane.own || lane.below ? (chunk - (lane.wraps ? 1 : 0)) * length + lane.column : -1;
}

/* ---- digits ---- */

/* A coefficient that counts 2^5 times, with a digit of c. */
TRANSFORM_FN int64_t digit_begin(double coefficient, int32_t c)
{
    return (int64_t)rint(coefficient) * 32 + c;
}

/* What a digit gives its upper neighbour, and keeps. */
TRANSFORM_FN int64_t digit_carry(int64_t digit)
{
    return (digit + 32768) >> 16;
}

/* Does dropping this digit, and what is below it, round to nearest? It is within 2^15 - 1 + 0.51.
 */
TRANSFORM_FN bool digit_decides(int64_t digit)
{
    return digit > -32768 && digit < 32768;
}

/* ---- the transform of a block ---- */

/* Value i of length / 4 of a stage of radix 4, in groups of `span`. */
TRANSFORM_FN void stage_four(struct transform_value *a, const struct transform_value *root,
                             int length, int span, bool back, int i)
{
    const int quarter = span / 4, position = i & (quarter - 1);
    const int first = (i - position) * 4 + position;
    const int turn = TRANSFORM_BLOCKS * length / span * position;
    const struct transform_value w1 = root_read(root, turn), w2 = root_read(root, 2 * turn);
    const struct transform_value w3 = root_read(root, 3 * turn);
    struct transform_value v0 = value_read(&a[first]), v1 = value_read(&a[first + quarter]);
    struct transform_value v2 = value_read(&a[first + 2 * quarter]);
    struct transform_value v3 = value_read(&a[first + 3 * quarter]);
    if (back) {
        v1 = value_root(v1, w1, true);
        v2 = value_root(v2, w2, true);
        v3 = value_root(v3, w3, true);
    }
    transform_four(&v0, &v1, &v2, &v3, back);
    if (!back) {
        v1 = value_root(v1, w1, false);
        v2 = value_root(v2, w2, false);
        v3 = value_root(v3, w3, false);
    }
    value_write(&a[first], v0);
    value_write(&a[first + quarter], v1);
    value_write(&a[first + 2 * quarter], v2);
    value_write(&a[first + 3 * quarter], v3);
}

/* Value i of length / 2 of the stage of radix 2. */
TRANSFORM_FN void stage_two(struct transform_value *a, const struct transform_value *root,
                            int length, bool back, int i)
{
    const struct transform_value w = root_read(root, TRANSFORM_BLOCKS * i);
    struct transform_value u = value_read(&a[i]), v = value_read(&a[i + length / 2]);
    if (back)
        v = value_root(v, w, true);
    const struct transform_value sum = value_sum(u, v), difference = value_difference(u, v);
    value_write(&a[i], sum);
    value_write(&a[i + length / 2], back ? difference : value_root(difference, w, false));
}

/* The last stage forth, the squares, over N, and the first stage back, of values 4 i to 4 i + 3. */
TRANSFORM_FN void stage_square(struct transform_value *a, int length, int i)
{
    const double scale = 1.0 / (TRANSFORM_BLOCKS * length);
    struct transform_value v[4];
    TRANSFORM_UNROLL
    for (int k = 0; k < 4; k++)
        v[k] = value_read(&a[4 * i + k]);
    transform_four(&v[0], &v[1], &v[2], &v[3], false);
    TRANSFORM_UNROLL
    for (int k = 0; k < 4; k++)
        v[k] =
            value_of(scale * fma(v[k].x, v[k].x, -v[k].y * v[k].y), scale * (2 * v[k].x * v[k].y));
    transform_four(&v[0], &v[1], &v[2], &v[3], true);
    TRANSFORM_UNROLL
    for (int k = 0; k < 4; k++)
        value_write(&a[4 * i + k], v[k]);
}

/* Is the first stage of radix 2? (The length is an odd power of two.) */
TRANSFORM_CONSTANT_FN bool transform_odd(int length)
{
    return length == 512 || length == 2048;
}

#endif
