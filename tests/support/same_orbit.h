/* Are two reference orbits the same, bit for bit, with those that belong to them? */
#ifndef TESTS_SUPPORT_SAME_ORBIT_H
#define TESTS_SUPPORT_SAME_ORBIT_H

#include <stdbool.h>
#include <string.h>

#include "kernels/orbit/orbit.h"

static inline bool same_array(const void *a, const void *b, int64_t count, size_t bytes)
{
    return !count || memcmp(a, b, (size_t)count * bytes) == 0;
}

static inline bool same_orbits(const struct orbit *a, const struct orbit *b)
{
    for (; a && b; a = a->critical, b = b->critical) {
        int64_t steps = a->length - (a->end != ORBIT_CYCLE);
        if (a->length != b->length || a->tiny_count != b->tiny_count ||
            a->small_count != b->small_count || a->tape_width != b->tape_width ||
            a->end != b->end || a->period != b->period || a->bits != b->bits ||
            a->phase != b->phase || a->c.x != b->c.x || a->c.y != b->c.y ||
            !formula_same(&a->formula, &b->formula) ||
            !same_array(a->z, b->z, a->length, sizeof *a->z) ||
            !same_array(a->tape, b->tape, steps * a->tape_width, sizeof *a->tape) ||
            !same_array(a->tiny, b->tiny, a->tiny_count, sizeof *a->tiny) ||
            !same_array(a->small, b->small, a->small_count, sizeof *a->small))
            return false;
    }
    return a == b;
}

#endif
