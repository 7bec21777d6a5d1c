#include "kernels/deep/deep_probe.h"

#include "kernels/deep/walk_wide.h"
#include "kernels/escape/pixel.h"

/* Blocks and steps between looks at the stop flag. */
enum { STEPS_BETWEEN_STOPS = 1 << 16 };

/* The counts of kernels made for one case are those of one that looks it up. */
static int walk_some(struct walk *walk, const struct walk_scene *scene, enum blocks blocks)
{
    return walk_on(walk, scene, blocks, 0, scene->exponent != 0, STEPS_BETWEEN_STOPS);
}

static struct walk walk_all(const struct deep *deep, const struct walk_scene *scene,
                            struct complex_f64 c)
{
    const volatile int *stop = deep->options.stop;
    struct walk walk = walk_begin(scene, c.x, c.y);
    while (!walk_some(&walk, scene, deep->options.blocks))
        if (stop && __atomic_load_n(stop, __ATOMIC_RELAXED))
            break;
    return walk;
}

struct deep_probe deep_probe(const struct deep *deep, const struct grid *grid, int32_t x, int32_t y,
                             int64_t at)
{
    struct walk_scene scene = deep->scene;
    struct complex_f64 c;
    pixel_c(grid, x, y, &c.x, &c.y);
    struct walk walk = walk_all(deep, &scene, c);
    int64_t count = walk.count;
    if (at > 0 && walk.n != at) {
        scene.limit = at; /* no block goes beyond it, so z_at is met */
        scene.bailout_squared = scene.direct.bailout_squared = INFINITY;
        walk = walk_all(deep, &scene, c);
    }
    struct complex_f64 z = walk_reference(&scene, walk.m);
    z = complex_add(z, wide_power(walk.e), walk.delta);
    return (struct deep_probe){count, z.x, z.y};
}
