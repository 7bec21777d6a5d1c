#include "kernels/deep/rational/deep_henon.h"

#include <math.h>
#include <stdlib.h>

/* |z|^2 and what is added to it are a few units where orbits stay. */
enum { HENON_SIZE = 8 };

struct henon_common henon_common_of(const struct pixel_common *shared, const struct orbit *orbit,
                                    const struct spec *spec, double epsilon)
{
    return (struct henon_common){.shared = *shared,
                                 .ends = rational_kind(&spec->formula)->rule,
                                 .by_last = rational_by_last(&spec->formula),
                                 .centre = {orbit->c.x, orbit->c.y},
                                 .direct_least =
                                     fmin(1, HENON_SIZE * DIRECT_ROUNDINGS * 0x1p-53 / epsilon),
                                 .dynamic = spec->formula.plane == DYNAMIC_PLANE};
}

struct henon_size *henon_sizes(const struct henon_common *common)
{
    int64_t end = common->shared.end;
    struct henon_size *size = malloc((size_t)(end + 1) * sizeof *size);
    struct henon_pair t = {{0, 0}, {0, 0}};
    int32_t e = 0;
    t.now.x = common->dynamic;
    for (int64_t m = 0; size && m <= end; m++) {
        struct complex_f64 now = t.now;
        size[m] = (struct henon_size){pair_max(&t), e};
        if (m == end)
            break;
        struct complex_f64 one = {common->dynamic ? 0 : wide_power(-e), 0};
        t.now = complex_fma(complex_scale(2, henon_point(common, m)), now,
                            complex_add(one, common->by_last, t.last));
        t.last = now;
        t = pair_settle(&t, &e);
        e = e == WIDE_ZERO ? 0 : e;
    }
    return size;
}
