/* Undefines the macros of real_f64.h or real_f32.h. */
#undef T
#undef DEEP_REAL
#undef REAL_BITS
#undef REAL_PLACES
#undef REAL_BIAS
#undef REAL_FMA
#undef REAL_ABS
#undef REAL_SQRT
#undef COMPLEX
#undef REAL_POINT
#undef REAL_BORDER
#undef REAL_TINY
#undef REAL_SLOPE_MOST
#undef REAL_UNUSED
#undef REAL_LEAPS_ALIKE
