/* Orbits of points, and external rays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library/handle/handle.h"
#include "render/reference/point_orbit.h"

#define RAY_STEP 1e-7 /* distance in c between the last points of a ray */

_Static_assert((int)DEEPFIELD_ORBIT_POINTS == (int)POINT_ORBIT_MOST + 1 &&
                   (int)DEEPFIELD_RAY_POINTS == (int)RAY_POINTS_MOST,
               "memory for all points");
_Static_assert(sizeof(struct orbit_point) == sizeof(double[2]), "a point is two doubles");

static void points_give(double (*to)[2], int32_t most, const struct orbit_point *from, int count)
{
    if (to && most > 0)
        memcpy(to, from, (size_t)(count < most ? count : most) * sizeof *from);
}

static void orbit_give(deepfield_orbit *given, const struct point_orbit *orbit)
{
    const struct ray *ray = &orbit->ray;
    given->count = orbit->count;
    given->escape = orbit->escape;
    given->period = orbit->period;
    given->multiplier = orbit->period ? orbit->multiplier : 0;
    given->log2_potential = orbit->escape ? orbit->log2_potential : 0;
    given->ray_count = orbit->has_angle ? ray->count : 0;
    given->ray_turn = orbit->has_angle ? ray->turn : 0;
    points_give(given->points, given->points_most, orbit->z, orbit->count);
    points_give(given->ray, given->ray_most, ray->point, given->ray_count);
}

static enum status orbit_make(const struct deepfield_picture *picture, double x, double y,
                              struct point_orbit *orbit)
{
    struct config config = {0};
    struct picture described = {.view = {.re = NULL}};
    enum status status = picture_config(picture, &config);
    if (status == STATUS_OK)
        status = settings_picture(&config, &described);
    if (status == STATUS_OK && described.spec.formula.step != STEP_mandelbrot)
        status = status_fail(STATUS_CONFIG, "orbits of points are those of z^2 + c");
    const struct point_orbit_request request = {.view = &described.view,
                                                .formula = described.spec.formula,
                                                .x = x,
                                                .y = y,
                                                .stop = picture->world->stop};
    if (status == STATUS_OK)
        status = point_orbit_make(&request, orbit);
    view_destroy(&described.view);
    config_destroy(&config);
    return status;
}

deepfield_status deepfield_picture_orbit(const deepfield_picture *picture, double x, double y,
                                         deepfield_orbit *orbit)
{
    NEED(picture);
    NEED(orbit);
    if (orbit->size < sizeof *orbit)
        return status_give(status_fail(STATUS_USAGE, "deepfield_orbit.size is %zu, not %zu",
                                       orbit->size, sizeof *orbit));
    if (!isfinite(x) || !isfinite(y))
        return status_give(status_fail(STATUS_USAGE, "position %g, %g: not finite", x, y));
    struct point_orbit *made = malloc(sizeof *made);
    if (!made)
        return status_give(status_fail(STATUS_OUT_OF_MEMORY, "no memory for an orbit"));
    enum status status = orbit_make(picture, x, y, made);
    if (status == STATUS_OK)
        orbit_give(orbit, made);
    free(made);
    return status_give(status);
}

deepfield_status deepfield_ray(int64_t numerator, int64_t denominator, double (*points)[2],
                               int32_t most, int32_t *count)
{
    NEED(points);
    NEED(count);
    *count = 0;
    if (denominator < 1 || numerator < 0 || numerator >= denominator || most < 1)
        return status_give(status_fail(STATUS_USAGE,
                                       "%lld/%lld is no part of a turn, or there is no memory for "
                                       "its ray",
                                       (long long)numerator, (long long)denominator));
    struct ray *ray = malloc(sizeof *ray);
    if (!ray)
        return status_give(status_fail(STATUS_OUT_OF_MEMORY, "no memory for a ray"));
    ray_inwards(ray, numerator, denominator, RAY_STEP);
    *count = ray->count < most ? ray->count : most;
    points_give(points, most, ray->point, ray->count);
    free(ray);
    return DEEPFIELD_OK;
}
