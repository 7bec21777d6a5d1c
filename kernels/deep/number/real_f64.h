/* Macros of the bodies that are written once for a type of reals (complex_body.h and so on): here
 * double. real_end.h undefines them; real_f32.h has those of float, and the same comments hold.
 *
 *     T(word)          name of a function or struct of the type: word, and word_f32 of floats
 *     DEEP_REAL REAL_BITS   the type, and an integer of its size
 *     REAL_COPYSIGN and so on   functions of it
 *     REAL_PLACES      bits behind the leading one
 *     REAL_BIAS        of its exponents, the largest of which it is
 *     COMPLEX          struct of two
 *     REAL_POINT       point of a reference orbit
 *     REAL_BORDER REAL_TINY   WIDE_BORDER; size of a Z beside which a delta below it is nothing
 *     REAL_PART_TINY   parts of the reference below it are looked up with their exponents
 *     REAL_NARROW      defined: those are cut off from doubles
 *     REAL_SCALED      defined: steps of a delta with an exponent go over a power of two
 *     REAL_SLOPE_MOST  the square of a slope is held at it; undefined where exponents suffice
 *     REAL_LEAPS_ALIKE   defined: blocks have one way, whether delta has an exponent or not
 *     REAL_UNUSED      integers that fill a block up to a multiple of 16 bytes */
#define T(word) word
#define DEEP_REAL double
#define REAL_BITS uint64_t
#define REAL_PLACES 52
#define REAL_BIAS 1023
#define REAL_FMA fma
#define REAL_ABS fabs
#define REAL_SQRT sqrt
#define REAL_COPYSIGN copysign
#define COMPLEX complex_f64
#define REAL_POINT struct orbit_point
#define REAL_BORDER WIDE_BORDER
#define REAL_TINY ORBIT_TINY
#define REAL_PART_TINY ORBIT_TINY
#define REAL_UNUSED 1
