/* Macros of the bodies that are written once for a type of reals, as real_f64.h explains them: here
 * float. */
#define T(word) word##_f32
#define DEEP_REAL float
#define REAL_BITS uint32_t
#define REAL_PLACES 23
#define REAL_BIAS 127
#define REAL_FMA fmaf
#define REAL_ABS fabsf
#define REAL_SQRT sqrtf
#define REAL_COPYSIGN copysignf
#define COMPLEX complex_f32
#define REAL_POINT struct complex_f32
#define REAL_BORDER WIDE_BORDER_F32
#define REAL_TINY 0x1p-30f
#define REAL_PART_TINY 0x1p-100f
#define REAL_NARROW
#define REAL_SCALED
#define REAL_SLOPE_MOST 0x1p100f
#define REAL_UNUSED 3
#define REAL_LEAPS_ALIKE
