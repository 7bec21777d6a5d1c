/* Orbits of points, the cycles that they come to, and external rays. */
#include <math.h>

#include "app/bench/deep_places.h"
#include "render/reference/point_orbit.h"
#include "tests/support/check.h"

static struct point_orbit orbit;

static void make(const char *re, const char *im, const char *zoom)
{
    struct view view = {0};
    assert_int_equal(view_set(&view, re, im, zoom, 0, 64, 36), STATUS_OK);
    struct point_orbit_request request = {.view = &view, .x = 32, .y = 18};
    assert_int_equal(point_orbit_make(&request, &orbit), STATUS_OK);
    view_destroy(&view);
}

TEST(cycles_have_their_period_and_multiplier)
{
    make("-1.1", "0", "1");
    assert_int_equal(orbit.escape, 0);
    assert_int_equal(orbit.period, 2);
    assert_true(fabs(orbit.multiplier - 0.4) < 1e-9); /* 4 |c + 1| */
    make("-0.12", "0.74", "1e6");
    assert_int_equal(orbit.period, 3);
    assert_true(orbit.multiplier < 1);
    make("-0.4", "0", "1");
    assert_int_equal(orbit.period, 1);
    assert_true(fabs(orbit.multiplier - (sqrt(2.6) - 1)) < 1e-9); /* |1 - sqrt(1 - 4 c)| */
}

/* For c outside, G(c) = ln |c| + ln |1 + 1/c| / 2 + ...; on the real axis the angle is 0 or 1/2. */
TEST(points_outside_have_potential_and_angle)
{
    make("100", "0", "1");
    assert_true(fabs(exp2(orbit.log2_potential) - (log(100) + 0.5 * log1p(0.01))) < 1e-4);
    make("-2.5", "0", "1");
    assert_true(orbit.has_angle);
    assert_true(fabs(orbit.ray.turn - 0.5) < 1e-9);
    make("0.3", "0", "1");
    assert_true(orbit.has_angle);
    assert_true(orbit.ray.turn < 1e-9 || orbit.ray.turn > 1 - 1e-9);
}

/* Known landing points: 0 at 1/4, 1/3 and 2/3 at -3/4, 1/7 and 2/7 at the root of the rabbit, 1/2
 * at -2, 1/4 at -0.2281 + 1.1151 i, 1/6 at i. */
TEST(rays_land_where_they_must)
{
    static const struct {
        int64_t numerator, denominator;
        double x, y, near;
    } known[] = {{0, 1, 0.25, 0, 2e-3},
                 {1, 3, -0.75, 0, 0.05},
                 {2, 3, -0.75, 0, 0.05},
                 {1, 7, -0.125, 0.649519, 0.05},
                 {2, 7, -0.125, 0.649519, 0.05},
                 {1, 2, -2, 0, 1e-6},
                 {1, 4, -0.228155, 1.115143, 1e-5},
                 {1, 6, 0, 1, 1e-5}};
    static struct ray ray;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ray_inwards(&ray, known[i].numerator, known[i].denominator, 1e-9);
        struct orbit_point end = ray.point[ray.count - 1];
        assert_true(ray.count > 10);
        assert_true(hypot(end.x - known[i].x, end.y - known[i].y) < known[i].near);
    }
}

/* A point of a ray traced inwards finds that ray outwards. */
TEST(a_ray_is_found_from_its_points)
{
    static struct ray in, out;
    ray_inwards(&in, 3, 31, 1e-9);
    for (int i = 12; i < 90; i += 7) {
        assert_true(ray_outwards(&out, in.point[i].x, in.point[i].y));
        assert_true(fabs(out.turn - 3.0 / 31) < 1e-6);
    }
}

TEST(points_of_mirrored_views_are_below)
{
    for (int i = 0; i < 2; i++) {
        struct view view = {.shape.mirrored = i};
        assert_int_equal(view_set(&view, "-0.5", "0.25", "1", 0, 64, 36), STATUS_OK);
        struct point_orbit_request request = {.view = &view, .x = 32, .y = i ? 27 : 9};
        assert_int_equal(point_orbit_make(&request, &orbit), STATUS_OK);
        assert_true(orbit.z[1].x == -0.5 && orbit.z[1].y == 1.25);
        view_destroy(&view);
    }
}

/* In a deep view doubles alone would leave the orbit after some hundred steps. */
TEST(a_deep_orbit_is_followed)
{
    const struct deep_place *deep = &deep_places[2];
    make(deep->re, deep->im, deep->zoom);
    assert_int_equal(orbit.escape, 0);
    assert_int_equal(orbit.count, POINT_ORBIT_MOST + 1);
}
