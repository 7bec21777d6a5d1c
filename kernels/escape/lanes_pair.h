/* Packs of two packs of doubles, so that one decision serves twice as many pixels, and neither half
 * waits for its own last step alone. The words are explained in kernels/escape/lanes.h. */
#ifndef KERNELS_ESCAPE_LANES_PAIR_H
#define KERNELS_ESCAPE_LANES_PAIR_H

#include <stdint.h>

#include "kernels/always_inline.h"

/* Exponents of doubles, by the bits of 2^52 + n, the last of which are n: lead(a) is floor(log2 a)
 * of a normal a > 0; power(e) is 2^e of a whole e, 0 below the normal doubles, and never infinite;
 * truncate(a) is a with 12 bits behind the leading one; middle(a, b) is the number halfway from a
 * to b, b >= a > 0, in the order of their bits. mm: _mm256 or _mm512; si: si256 or si512. */
#define LANES_EXPONENTS(prefix, pack, mm, si)                                                     \
    static ALWAYS_INLINE pack prefix##_lead(pack a)                                               \
    {                                                                                             \
        pack bits = mm##_cast##si##_pd(mm##_or_##si(mm##_srli_epi64(mm##_castpd_##si(a), 52),     \
                                                    mm##_castpd_##si(mm##_set1_pd(0x1p52))));     \
        return mm##_sub_pd(bits, mm##_set1_pd(0x1p52 + 1023));                                    \
    }                                                                                             \
    static ALWAYS_INLINE pack prefix##_power(pack e)                                              \
    {                                                                                             \
        e = mm##_max_pd(mm##_min_pd(e, mm##_set1_pd(1023)), mm##_set1_pd(-1023));                 \
        e = mm##_add_pd(e, mm##_set1_pd(0x1p52 + 1023));                                          \
        return mm##_cast##si##_pd(mm##_slli_epi64(mm##_castpd_##si(e), 52));                      \
    }                                                                                             \
    static ALWAYS_INLINE pack prefix##_truncate(pack a)                                           \
    {                                                                                             \
        return mm##_cast##si##_pd(mm##_slli_epi64(mm##_srli_epi64(mm##_castpd_##si(a), 40), 40)); \
    }                                                                                             \
    static ALWAYS_INLINE pack prefix##_middle(pack a, pack b)                                     \
    {                                                                                             \
        return mm##_cast##si##_pd(mm##_add_epi64(                                                 \
            mm##_castpd_##si(a),                                                                  \
            mm##_srli_epi64(mm##_sub_epi64(mm##_castpd_##si(b), mm##_castpd_##si(a)), 1)));       \
    }

#define PAIR_OF_ONE(prefix, half, word)                                      \
    static ALWAYS_INLINE struct prefix prefix##_##word(struct prefix a)      \
    {                                                                        \
        return (struct prefix){half##_##word(a.low), half##_##word(a.high)}; \
    }
#define PAIR_OF_TWO(prefix, half, word)                                                     \
    static ALWAYS_INLINE struct prefix prefix##_##word(struct prefix a, struct prefix b)    \
    {                                                                                       \
        return (struct prefix){half##_##word(a.low, b.low), half##_##word(a.high, b.high)}; \
    }
#define PAIR_OF_THREE(prefix, half, word)                                                \
    static ALWAYS_INLINE struct prefix prefix##_##word(struct prefix a, struct prefix b, \
                                                       struct prefix c)                  \
    {                                                                                    \
        return (struct prefix){half##_##word(a.low, b.low, c.low),                       \
                               half##_##word(a.high, b.high, c.high)};                   \
    }
#define PAIR_BITS(prefix, half, word, lanes)                                           \
    static ALWAYS_INLINE uint32_t prefix##_##word(struct prefix a, struct prefix b)    \
    {                                                                                  \
        return half##_##word(a.low, b.low) | half##_##word(a.high, b.high) << (lanes); \
    }

#define PAIR_BITS_OF_TWO(prefix, half, lanes)                                       \
    static ALWAYS_INLINE uint32_t prefix##_le_two(struct prefix a, struct prefix b, \
                                                  struct prefix c, struct prefix d) \
    {                                                                               \
        return half##_le_two(a.low, b.low, c.low, d.low) |                          \
               half##_le_two(a.high, b.high, c.high, d.high) << (lanes);            \
    }
#define PAIR_BITS_OF_THREE(prefix, half, lanes)                                            \
    static ALWAYS_INLINE uint32_t prefix##_le_three(struct prefix a, struct prefix b,      \
                                                    struct prefix c, struct prefix d,      \
                                                    struct prefix e, struct prefix f)      \
    {                                                                                      \
        return half##_le_three(a.low, b.low, c.low, d.low, e.low, f.low) |                 \
               half##_le_three(a.high, b.high, c.high, d.high, e.high, f.high) << (lanes); \
    }

/* half: prefix of the halves, of type `pack` with so many lanes. VALUES: without comparisons. */
#define LANES_PAIR_VALUES(prefix, half, pack, lanes)                                             \
    struct prefix {                                                                              \
        pack low, high;                                                                          \
    };                                                                                           \
    static ALWAYS_INLINE struct prefix prefix##_splat(double r)                                  \
    {                                                                                            \
        return (struct prefix){half##_splat(r), half##_splat(r)};                                \
    }                                                                                            \
    static ALWAYS_INLINE struct prefix prefix##_load(const double *p)                            \
    {                                                                                            \
        return (struct prefix){half##_load(p), half##_load(p + (lanes))};                        \
    }                                                                                            \
    static ALWAYS_INLINE void prefix##_store(double *p, struct prefix a)                         \
    {                                                                                            \
        half##_store(p, a.low);                                                                  \
        half##_store(p + (lanes), a.high);                                                       \
    }                                                                                            \
    static ALWAYS_INLINE struct prefix prefix##_where(uint32_t bits, struct prefix a,            \
                                                      struct prefix b)                           \
    {                                                                                            \
        return (struct prefix){half##_where(bits, a.low, b.low),                                 \
                               half##_where(bits >> (lanes), a.high, b.high)};                   \
    }                                                                                            \
    static ALWAYS_INLINE void prefix##_load_pairs(const double *const *p, int64_t i,             \
                                                  struct prefix *a, struct prefix *b)            \
    {                                                                                            \
        half##_load_pairs(p, i, &a->low, &b->low);                                               \
        half##_load_pairs(p + (lanes), i, &a->high, &b->high);                                   \
    }                                                                                            \
    static ALWAYS_INLINE void prefix##_store_pairs(double *const *p, int64_t i, struct prefix a, \
                                                   struct prefix b)                              \
    {                                                                                            \
        half##_store_pairs(p, i, a.low, b.low);                                                  \
        half##_store_pairs(p + (lanes), i, a.high, b.high);                                      \
    }                                                                                            \
    PAIR_OF_ONE(prefix, half, abs)                                                               \
    PAIR_OF_ONE(prefix, half, neg)                                                               \
    PAIR_OF_ONE(prefix, half, sqrt)                                                              \
    PAIR_OF_ONE(prefix, half, lead)                                                              \
    PAIR_OF_ONE(prefix, half, power)                                                             \
    PAIR_OF_ONE(prefix, half, truncate)                                                          \
    PAIR_OF_TWO(prefix, half, add)                                                               \
    PAIR_OF_TWO(prefix, half, sub)                                                               \
    PAIR_OF_TWO(prefix, half, mul)                                                               \
    PAIR_OF_TWO(prefix, half, div)                                                               \
    PAIR_OF_TWO(prefix, half, flip)                                                              \
    PAIR_OF_TWO(prefix, half, max)                                                               \
    PAIR_OF_TWO(prefix, half, min)                                                               \
    PAIR_OF_TWO(prefix, half, middle)                                                            \
    PAIR_OF_THREE(prefix, half, fma)                                                             \
    PAIR_OF_THREE(prefix, half, fnma)

#define LANES_PAIR(prefix, half, pack, lanes)    \
    LANES_PAIR_VALUES(prefix, half, pack, lanes) \
    PAIR_BITS(prefix, half, le, lanes)           \
    PAIR_BITS(prefix, half, eq, lanes)           \
    PAIR_BITS_OF_TWO(prefix, half, lanes)        \
    PAIR_BITS_OF_THREE(prefix, half, lanes)

#endif
