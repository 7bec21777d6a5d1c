#include "kernels/orbit/ray.h"

#include <math.h>

enum { NEWTON_MOST = 24 };
#define RADIUS 65536.0
#define TURN 6.283185307179586
#define CLOSE 1e-14 /* last step of Newton's method, over |c| */

struct ray_value { /* z_n and dz_n/dc */
    double x, y, dx, dy;
};

static struct ray_value value_at(struct orbit_point c, int n)
{
    struct ray_value v = {c.x, c.y, 1, 0};
    for (int i = 1; i < n; i++) {
        double dx = 2 * (v.x * v.dx - v.y * v.dy) + 1, x = v.x * v.x - v.y * v.y + c.x;
        v.dy = 2 * (v.x * v.dy + v.y * v.dx);
        v.y = 2 * v.x * v.y + c.y;
        v.dx = dx;
        v.x = x;
    }
    return v;
}

/* Moves c to the near one with z_n(c) = t. */
static bool solve(struct orbit_point *c, int n, double tx, double ty)
{
    for (int i = 0; i < NEWTON_MOST; i++) {
        struct ray_value v = value_at(*c, n);
        double ex = v.x - tx, ey = v.y - ty, norm = v.dx * v.dx + v.dy * v.dy;
        double hx = (ex * v.dx + ey * v.dy) / norm, hy = (ey * v.dx - ex * v.dy) / norm;
        if (!isfinite(hx) || !isfinite(hy))
            return false;
        c->x -= hx;
        c->y -= hy;
        if (hypot(hx, hy) <= CLOSE * hypot(c->x, c->y))
            return true;
    }
    return true; /* as near as doubles come */
}

static bool point_add(struct ray *ray, struct orbit_point c)
{
    if (ray->count == RAY_POINTS_MOST)
        return false;
    ray->point[ray->count++] = c;
    return true;
}

void ray_inwards(struct ray *ray, int64_t numerator, int64_t denominator, double step)
{
    int64_t angle = numerator % denominator; /* angle of z_n, which doubles with each n */
    ray->count = 0;
    ray->turn = (double)angle / (double)denominator;
    struct orbit_point c = {RADIUS * cos(TURN * ray->turn), RADIUS * sin(TURN * ray->turn)};
    for (int n = 1; n <= RAY_DWELL_MOST; n++, angle = 2 * angle % denominator)
        for (int k = 1; k <= RAY_STEPS; k++) {
            double r = pow(RADIUS, exp2(-(double)k / RAY_STEPS));
            double turn = (double)angle / (double)denominator;
            struct orbit_point before = c;
            if (!solve(&c, n, r * cos(TURN * turn), r * sin(TURN * turn)) || !point_add(ray, c) ||
                (n > 8 && hypot(c.x - before.x, c.y - before.y) < step))
                return;
        }
}

static int dwell_of(struct orbit_point c)
{
    double x = c.x, y = c.y;
    for (int n = 1; n <= RAY_DWELL_MOST; n++) {
        if (x * x + y * y > RADIUS * RADIUS)
            return n;
        double next = x * x - y * y + c.x;
        y = 2 * x * y + c.y;
        x = next;
    }
    return 0;
}

static double turn_of(double x, double y)
{
    double turn = atan2(y, x) / TURN;
    return turn < 0 ? turn + 1 : turn;
}

bool ray_outwards(struct ray *ray, double x, double y)
{
    struct orbit_point c = {x, y};
    int n = dwell_of(c);
    ray->count = 0;
    ray->turn = 0;
    if (!n)
        return false;
    struct ray_value v = value_at(c, n);
    double angle = turn_of(v.x, v.y); /* angle of z_n, 2^(n-1) times the ray's own */
    double size = log2(hypot(v.x, v.y)), most = 2 * log2(RADIUS);
    point_add(ray, c);
    for (; n >= 1; n--) {
        double grown = pow(most / size, 1.0 / RAY_STEPS);
        for (int k = 1; k <= RAY_STEPS; k++) {
            double r = exp2(size * pow(grown, k));
            if (!solve(&c, n, r * cos(TURN * angle), r * sin(TURN * angle)) || !point_add(ray, c))
                return false;
        }
        if (n == 1)
            break;
        v = value_at(c, n - 1);
        /* The angle of z_(n-1) is half of that of z_n, or that and half a turn. */
        double half = angle / 2, near = turn_of(v.x, v.y);
        double apart = fabs(near - half);
        angle = apart > 0.25 && apart < 0.75 ? half + 0.5 : half;
        size = most / 2;
    }
    ray->turn = angle;
    return true;
}
