#include "render/reference/point_orbit.h"

#include <math.h>
#include <mpfr.h>

#include "kernels/orbit/scaled.h"
#include "kernels/orbit/tapered_orbit.h"

enum {
    PERIOD_MOST = 2048,
    LOOKED_BACK = 32,  /* points of a cycle that are compared */
    ESCAPE_STEPS = 64, /* most steps from an escape on to FAR */
    STEADY_BITS = 10   /* bits of dz/dc that must be equal one round later */
};
#define SAME 1e-8     /* distance within which the rounds of a cycle must agree */
#define FAR 1e10      /* |z| from which on the potential is known to 1e-10 */
#define SHALLOW 1e-10 /* pixels larger than this are computed in doubles */
#define ESCAPED_NORM 8.0

/* Computes z_0, ... in doubles, which is all that a Julia set has. */
static void points_direct(struct point_orbit *orbit, double x, double y, double cx, double cy)
{
    while (orbit->count <= POINT_ORBIT_MOST) {
        orbit->z[orbit->count++] = (struct orbit_point){x, y};
        if (x * x + y * y > ESCAPED_NORM)
            return;
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
    }
}

static enum status points_deep(const struct point_orbit_request *request,
                               const struct view_numbers *numbers, struct point_orbit *orbit,
                               struct complex_scaled h)
{
    struct orbit_options options = {.log2_disc = -INFINITY, .threads = 1, .stop = request->stop};
    struct tapered_orbit tapered = {.point = NULL};
    mpfr_t cx, cy, x, y;
    TRY(orbit_bits(numbers->log2_step, POINT_ORBIT_MOST, &options.bits));
    mpfr_inits2(options.bits + 64, cx, cy, x, y, (mpfr_ptr)0);
    mpfr_set_str(cx, request->view->re, 10, MPFR_RNDN);
    mpfr_set_str(cy, request->view->im, 10, MPFR_RNDN);
    scaled_get(h, x, y);
    mpfr_add(cx, cx, x, MPFR_RNDN);
    mpfr_add(cy, cy, y, MPFR_RNDN);
    enum status status = tapered_orbit_make(&tapered, cx, cy, &options, POINT_ORBIT_MOST);
    for (int64_t i = 0; status == STATUS_OK && i < tapered.orbit.length; i++)
        orbit->z[orbit->count++] = tapered.orbit.z[i];
    tapered_orbit_free(&tapered);
    mpfr_clears(cx, cy, x, y, (mpfr_ptr)0);
    return status;
}

static bool repeats(const struct point_orbit *orbit, int period)
{
    const struct orbit_point *end = orbit->z + orbit->count - 1;
    for (int k = 0; k < LOOKED_BACK; k++)
        if (hypot(end[-k].x - end[-k - period].x, end[-k].y - end[-k - period].y) > SAME)
            return false;
    return true;
}

/* Is the orbit attracted: is dz/dc the same one round later? The derivative of an attracted orbit
 * comes to a cycle, too; that of an orbit that only passes near a cycle, in deep views for
 * thousands of rounds, grows. */
static bool attracted(const struct point_orbit *orbit, int period)
{
    struct complex_scaled d = scaled_of(0, 0), before = d, one = scaled_of(1, 0);
    for (int i = 0; i < orbit->count - 1; i++) {
        if (i == orbit->count - 1 - period)
            before = d;
        struct complex_scaled z = scaled_of(orbit->z[i].x, orbit->z[i].y);
        d = scaled_add(scaled_mul(scaled_times(z, 2), d), one);
    }
    struct complex_scaled change = scaled_add(d, scaled_times(before, -1));
    return scaled_log2(change) < scaled_log2(d) - STEADY_BITS;
}

/* Finds the cycle of the last points. */
static void cycle_find(struct point_orbit *orbit)
{
    int most = orbit->count / 2 < PERIOD_MOST ? orbit->count / 2 : PERIOD_MOST;
    for (int period = 1; period <= most - LOOKED_BACK && !orbit->period; period++)
        if (repeats(orbit, period)) {
            if (!attracted(orbit, period))
                break;
            orbit->period = period;
        }
    orbit->multiplier = 1;
    for (int k = 0; k < orbit->period; k++) {
        struct orbit_point z = orbit->z[orbit->count - 1 - k];
        orbit->multiplier *= 2 * hypot(z.x, z.y);
    }
}

/* Potential of a point that escapes: log2 of lim 2^-k ln |z_n|, from the last point on; k counts
 * from z_0 of a Julia set, where that is the point, and from z_1 = c. */
static double potential_log2(const struct point_orbit *orbit, bool julia, double cx, double cy)
{
    int n = orbit->count - 1;
    double x = orbit->z[n].x, y = orbit->z[n].y;
    /* far points of some Julia sets never leave */
    for (int most = n + ESCAPE_STEPS; hypot(x, y) < FAR && n < most; n++) {
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
    }
    return log2(log(hypot(x, y))) - (julia ? n : n - 1);
}

enum status point_orbit_make(const struct point_orbit_request *request, struct point_orbit *orbit)
{
    struct view_numbers numbers;
    const struct formula *formula = &request->formula;
    orbit->count = orbit->period = 0;
    orbit->escape = 0;
    orbit->has_angle = false;
    TRY(view_numbers(request->view, &numbers));
    double below = request->y - numbers.height / 2.0;
    struct complex_scaled step = scaled_settle(numbers.step_re, numbers.step_im, numbers.exponent);
    struct complex_scaled h =
        scaled_mul(step, scaled_of(request->x - numbers.width / 2.0 + numbers.down_x * below,
                                   -numbers.down_y * below));
    double x = numbers.centre_re + scaled_x(h), y = numbers.centre_im + scaled_y(h);
    bool julia = formula->plane == DYNAMIC_PLANE;
    bool shallow = numbers.step > SHALLOW;
    if (julia)
        points_direct(orbit, x, y, formula->c_re, formula->c_im);
    else if (x * x + y * y > ESCAPED_NORM)
        points_direct(orbit, 0, 0, x, y);
    else
        TRY(points_deep(request, &numbers, orbit, h));
    struct orbit_point last = orbit->z[orbit->count - 1];
    if (last.x * last.x + last.y * last.y > ESCAPED_NORM) {
        orbit->escape = orbit->count - 1;
        orbit->log2_potential =
            potential_log2(orbit, julia, julia ? formula->c_re : x, julia ? formula->c_im : y);
        orbit->has_angle = !julia && shallow && ray_outwards(&orbit->ray, x, y);
    } else
        cycle_find(orbit);
    return STATUS_OK;
}
