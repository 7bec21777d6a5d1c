#include "kernels/deep/rational/henon_attraction.h"

#include <math.h>

/* CONTRACTS bounds the factor by which some steps of an attracted orbit shrink a difference,
 * CONTRACTS_AGAIN that of as many more steps, and of their way over that of the first. Within
 * STEPS, 1 - |lambda| of a step is above 1e-5, whose square is a million times as much as roundings
 * do. Beside a parabolic point motion slows down as n^-2 or less, so that from a power of two to
 * the next it contracts to 1 / 4. */
enum { STEPS = 1 << 18 };
#define CONTRACTS 0.125
#define CONTRACTS_AGAIN 0.16
#define NEAR 0x1p-10 /* a cycle is closed so near to the state that was kept */
#define REST 0x1p-30 /* roundings move an attracted orbit by less */

/* (z_n, z_(n-1)), and its derivatives by both parts of an earlier state. */
struct henon_orbit {
    struct henon_pair z, by_now, by_last;
};

static struct henon_orbit orbit_from(const struct henon_pair *z)
{
    return (struct henon_orbit){*z, {{1, 0}, {0, 0}}, {{0, 0}, {1, 0}}};
}

static void orbit_follow(struct henon_orbit *orbit, struct complex_f64 c, double k, int64_t steps)
{
    struct henon_orbit at = *orbit;
    struct henon_pair *by[] = {&at.by_now, &at.by_last};
    for (int64_t i = 0; i < steps; i++) {
        struct complex_f64 z = at.z.now;
        for (int j = 0; j < 2; j++)
            *by[j] = (struct henon_pair){
                complex_fma(complex_scale(2, z), by[j]->now, complex_scale(k, by[j]->last)),
                by[j]->now};
        at.z = (struct henon_pair){complex_fma(z, z, complex_add(c, k, at.z.last)), z};
    }
    *orbit = at;
}

static double orbit_stretch(const struct henon_orbit *orbit)
{
    return pair_max(&orbit->by_now) + pair_max(&orbit->by_last);
}

static double pair_distance(const struct henon_pair *a, const struct henon_pair *b)
{
    struct henon_pair way = {complex_add(a->now, -1, b->now), complex_add(a->last, -1, b->last)};
    return pair_max(&way);
}

/* Do `steps` more steps from `at` contract, too? As many before them moved the orbit by `way`. */
static int contracts_again(const struct henon_pair *at, double way, struct complex_f64 c, double k,
                           int64_t steps)
{
    struct henon_orbit next = orbit_from(at);
    orbit_follow(&next, c, k, steps);
    return orbit_stretch(&next) < CONTRACTS_AGAIN &&
           pair_distance(&next.z, at) <= fmax(CONTRACTS_AGAIN * way, REST);
}

int henon_attracted(const struct henon_pixel *pixel, const struct henon_common *common)
{
    struct henon_pixel begin = *pixel;
    if (!begin.direct)
        henon_leave(&begin, common);
    const double k = common->by_last, unit = wide_power(common->shared.exponent);
    const struct complex_f64 c = complex_add(common->centre, unit, begin.c);
    struct henon_pair kept = begin.v; /* Brent: at each power of two */
    struct henon_orbit orbit = orbit_from(&kept);
    int64_t kept_at = 0;
    for (int64_t i = 1, left = STEPS; left > 0; i++, left--) {
        orbit_follow(&orbit, c, k, 1);
        if (!(pair_max(&orbit.z) <= common->shared.bailout))
            return 0;
        double way = pair_distance(&orbit.z, &kept);
        if (way < NEAR && orbit_stretch(&orbit) < CONTRACTS) {
            if (contracts_again(&orbit.z, way, c, k, i - kept_at))
                return 1;
            left -= i - kept_at;
        }
        if (i & (i - 1))
            continue;
        kept = orbit.z;
        orbit = orbit_from(&kept);
        kept_at = i;
    }
    return 0;
}
