/* How does a pixel walk where c has left the exponents of doubles?
 *
 * As walk.h does it, with delta 2^e. Such a pixel begins with a delta like c, and long blocks soon
 * make it large: from 2^WIDE_BORDER on e is 0, and it takes the plain formulas, in which c may
 * underflow, for it is less than 2^-100 of what it would be added to. When their result would be
 * below the border again, as near a small Z or from Z_0 on, it is done in full instead. */
#ifndef KERNELS_DEEP_WALK_WIDE_H
#define KERNELS_DEEP_WALK_WIDE_H

#include "kernels/deep/walk.h"

DEEP_FN int wide_is_plain(struct complex_f64 delta)
{
    return complex_max(delta) >= wide_power(WIDE_BORDER);
}

DEEP_FN void wide_put(struct walk *walk, struct complex_wide delta)
{
    int plain = delta.e >= WIDE_BORDER;
    walk->delta = plain ? complex_scale(wide_power(delta.e), delta.x) : delta.x;
    walk->e = plain ? 0 : delta.e;
}

DEEP_FN void wide_put_slope(struct walk *walk, struct complex_wide dz)
{
    walk->dz = dz.x;
    walk->dz_e = dz.e;
}

/* delta', of a settled delta. As a double w may be 0: the term of a has its own exponent, and those
 * that w multiplies once more do not count beside it then. */
DEEP_FN struct complex_wide wide_apply(const struct block *k, struct complex_wide delta,
                                       struct complex_f64 v)
{
    int32_t e = delta.e - k->in;
    struct complex_f64 w = complex_scale(wide_power(e), delta.x);
    struct complex_f64 d = complex_fma(complex_fma(k->h, w, k->g), w, k->d);
    struct complex_f64 of_w = complex_fma(d, w, complex_fma(k->e, v, k->a));
    struct complex_f64 of_v = complex_fma(k->f, v, k->b);
    struct complex_wide sum = wide_add(wide_settle(complex_mul(of_w, delta.x), e),
                                       wide_settle(complex_mul(of_v, v), k->of_c));
    sum.e += k->out;
    return sum;
}

/* dz' = d delta' / d delta dz + d delta' / d c dc, likewise. */
DEEP_FN struct complex_wide wide_slope(const struct block *k, struct complex_wide delta,
                                       struct complex_f64 v, struct complex_wide dz,
                                       struct complex_f64 dv)
{
    int32_t e = delta.e - k->in;
    struct complex_f64 w = complex_scale(wide_power(e), delta.x), d = complex_scale(2, k->d);
    d = complex_fma(complex_fma(complex_scale(4, k->h), w, complex_scale(3, k->g)), w, d);
    struct complex_f64 by_w = complex_fma(d, w, complex_fma(k->e, v, k->a));
    struct complex_f64 by_v = complex_fma(complex_scale(2, k->f), v, k->b);
    struct complex_wide sum = wide_add(wide_settle(complex_mul(by_w, dz.x), dz.e - k->in),
                                       wide_settle(complex_mul(by_v, dv), k->of_c));
    sum = wide_add(sum, wide_settle(complex_mul(complex_mul(k->e, delta.x), dv), e));
    sum.e += k->out;
    return sum;
}

/* By plain arithmetic; 0: its result would be too small for that. Terms of c that doubles do not
 * hold (of_c) do not count. */
DEEP_FN int wide_leap_plainly(struct walk *walk, const struct walk_scene *scene,
                              const struct block *block, int slopes, struct complex_f64 v)
{
    struct complex_f64 from = walk->delta, dz = walk->dz;
    double unit = block->of_c ? 0 : wide_power(-walk->dz_e);
    if (walk->m == 0) {
        from = complex_mul(from, from);
        dz = complex_mul(complex_scale(2, walk->delta), dz);
    }
    if ((walk->m == 0 && !wide_is_plain(from)) || (slopes && walk->dz_e < -1000))
        return 0;
    double counts = block->of_c ? 0 : 1;
    struct block k = *block;
    k.b = complex_scale(counts, k.b);
    k.f = complex_scale(counts, k.f);
    struct complex_f64 next = block_apply(&k, from, v);
    if (!wide_is_plain(next))
        return 0;
    if (slopes)
        wide_put_slope(walk,
                       wide_settle(block_slope(&k, from, v, dz, complex_scale(unit, scene->step_v)),
                                   walk->dz_e));
    walk->delta = next;
    return 1;
}

DEEP_FN void wide_leap_fully(struct walk *walk, const struct walk_scene *scene,
                             const struct block *block, int slopes, struct complex_f64 v)
{
    struct complex_wide delta = wide_settle(walk->delta, walk->e);
    struct complex_wide dz = wide_settle(walk->dz, walk->dz_e);
    if (walk->m == 0) {
        dz = wide_mul(wide_settle(complex_scale(2, delta.x), delta.e), dz);
        delta = wide_mul(delta, delta);
    }
    if (slopes)
        wide_put_slope(walk, wide_slope(block, delta, v, dz, scene->step_v));
    wide_put(walk, wide_apply(block, delta, v));
}

DEEP_FN void wide_leap(struct walk *walk, const struct walk_scene *scene, int slopes, int level)
{
    int shift = scene->table.shortest + level;
    const struct block block = escape_load(&scene->table.record[level][walk->m >> shift]);
    struct complex_f64 v = complex_scale(scene->per_unit, walk->c);
    int plain = walk->e == 0 && block.out == 0;
    if (!plain || !wide_leap_plainly(walk, scene, &block, slopes, v))
        wide_leap_fully(walk, scene, &block, slopes, v);
    walk->m += (int64_t)1 << shift;
    walk->n += (int64_t)1 << shift;
}

DEEP_FN struct complex_wide wide_reference(const struct walk_scene *scene, int64_t m)
{
    struct complex_wide z = wide_point(scene->z, scene->tiny, scene->tiny_count, m);
    return wide_settle(z.x, z.e); /* Z_0 = 0 */
}

DEEP_FN void wide_step_fully(struct walk *walk, const struct walk_scene *scene, int slopes)
{
    struct complex_wide delta = wide_settle(walk->delta, walk->e);
    struct complex_wide z = wide_reference(scene, walk->m);
    if (slopes) {
        struct complex_wide own = wide_mul(wide_add(z, delta), wide_settle(walk->dz, walk->dz_e));
        own.e++;
        wide_put_slope(walk, wide_add(own, wide_settle(scene->step, scene->exponent)));
    }
    z.e++;
    z = wide_mul(wide_add(z, delta), delta);
    wide_put(walk, wide_add(z, wide_settle(walk->c, scene->exponent)));
}

DEEP_FN void wide_step(struct walk *walk, const struct walk_scene *scene, int slopes)
{
    struct complex_f64 z = walk_reference(scene, walk->m), next = {0, 0};
    if (walk->e == 0)
        next = delta_step(z, walk->delta, complex_scale(wide_power(scene->exponent), walk->c));
    if (!wide_is_plain(next))
        wide_step_fully(walk, scene, slopes);
    else {
        struct complex_f64 dc =
            complex_scale(wide_power(scene->exponent - walk->dz_e), scene->step);
        if (slopes)
            wide_put_slope(
                walk,
                wide_settle(delta_slope(complex_add(walk->delta, 1, z), walk->dz, dc), walk->dz_e));
        walk->delta = next;
    }
    walk->m++;
    walk->n++;
}

/* z is Z to the last bit, as long as that is not tiny too. */
DEEP_FN int wide_arrive(struct walk *walk, const struct walk_scene *scene)
{
    if (walk->e == 0) {
        int done = walk_arrive(walk, scene);
        if (walk->m == 0)
            wide_put(walk, wide_settle(walk->delta, 0));
        return done;
    }
    if (walk->m == scene->end)
        walk->m -= scene->period;
    struct complex_f64 z = walk_reference(scene, walk->m);
    if (walk_ends(walk, scene, z))
        return 1;
    if (complex_max(z) < ORBIT_TINY || walk->m == scene->end) {
        struct complex_wide delta = wide_settle(walk->delta, walk->e);
        struct complex_wide own = wide_add(wide_reference(scene, walk->m), delta);
        if (wide_less(own, delta) || walk->m == scene->end) {
            wide_put(walk, own);
            walk->m = 0;
            walk->level = scene->table.levels - 1;
        }
    }
    return 0;
}

/* Up to `most` steps without the reference; 1: the count is known. */
DEEP_FN int walk_away(struct walk *walk, const struct walk_scene *scene, int slopes, int wide,
                      int64_t most, int64_t *taken)
{
    int done = walk_directly(walk, scene, slopes, most, taken);
    if (wide && slopes)
        wide_put_slope(walk, wide_settle(walk->dz, walk->dz_e));
    if (wide && !done && !walk->direct)
        wide_put(walk, wide_settle(walk->delta, 0));
    return done;
}

/* One block or step along the reference, in a plain scene or a wide one; 1: the count is known. */
DEEP_FN int walk_advance(struct walk *walk, const struct walk_scene *scene, int slopes, int wide,
                         int level)
{
    walk->steps++;
    if (wide) {
        if (level >= 0)
            wide_leap(walk, scene, slopes, level);
        else
            wide_step(walk, scene, slopes);
        return wide_arrive(walk, scene);
    }
    if (level >= 0)
        walk_leap(walk, scene, slopes, level);
    else
        walk_step(walk, scene, slopes);
    return walk_arrive(walk, scene);
}

/* Where a walk was some time ago: Brent's search for cycles. A walk that comes to the same place
 * with the same delta, bit for bit, goes round for ever, so its pixel does not escape; all of the
 * inside does so in the end. A GPU looks less often (kernels/cuda/cuda_walk.h), to the same
 * counts. */
struct walk_kept {
    struct complex_f64 delta;
    int64_t m;
    int32_t e;
    int level;
    uint64_t due; /* in steps, when it is kept next */
};

DEEP_FN int walk_repeats(const struct walk *walk, struct walk_kept *kept)
{
    if (walk->m == kept->m && walk->delta.x == kept->delta.x && walk->delta.y == kept->delta.y &&
        walk->e == kept->e && walk->level == kept->level)
        return 1;
    if (walk->steps >= kept->due) {
        struct walk_kept now = {walk->delta, walk->m, walk->e, walk->level, 2 * walk->steps + 256};
        *kept = now;
    }
    return 0;
}

/* Up to `most` blocks and steps along the reference, until the walk leaves it or the count is
 * known: then 1. kept: zeroed at the walk's beginning, with m < 0; or NULL. */
DEEP_FN int walk_along(struct walk *walk, const struct walk_scene *scene, enum blocks blocks,
                       int slopes, int wide, int64_t most, int64_t *taken, struct walk_kept *kept)
{
    int done = 0;
    int64_t i = 0;
    while (i < most && !done) {
        int level = -1;
        if (blocks != BLOCKS_NONE) {
            level = walk_level(walk, scene, walk_reach(walk, wide ? walk->e : 0));
            if (level < 0 && !(wide && walk->e) && walk_leave(walk, scene))
                break;
            walk->level = level < 0 ? 0 : level;
        }
        i++;
        done = walk_advance(walk, scene, slopes, wide, level);
        if (kept && !done && walk_repeats(walk, kept)) {
            walk->n = scene->limit;
            done = 1;
        }
    }
    *taken = i;
    return done;
}

/* Goes on for `most` steps and blocks, or until the count is known: then 1. `blocks`, `slopes` and
 * `wide`, whether the scene is, are constants, which make this several kernels. kept: see above. */
DEEP_FN int walk_on_kept(struct walk *state, const struct walk_scene *scene, enum blocks blocks,
                         int slopes, int wide, int64_t most, struct walk_kept *kept)
{
    struct walk walk = *state;
    int done = 0;
    for (int64_t i = 0, taken; i < most && !done; i += taken)
        done = walk.direct ? walk_away(&walk, scene, slopes, wide, most - i, &taken)
                           : walk_along(&walk, scene, blocks, slopes, wide, most - i, &taken, kept);
    *state = walk;
    return done;
}

DEEP_FN int walk_on(struct walk *state, const struct walk_scene *scene, enum blocks blocks,
                    int slopes, int wide, int64_t most)
{
    return walk_on_kept(state, scene, blocks, slopes, wide, most, NULL);
}

#endif
