#include "render/view/view_shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/number_text.h"

#define DEGREES (180 / M_PI)
#define STRETCH_NEARLY 0x1p-36 /* a factor this near to 1 is left by rounding */

double view_stretch(const struct view_shape *shape)
{
    return shape->stretch == 0 ? 1 : shape->stretch;
}

bool view_shape_same(const struct view_shape *a, const struct view_shape *b)
{
    return a->mirrored == b->mirrored && view_stretch(a) == view_stretch(b) &&
           (view_stretch(a) == 1 || a->stretch_deg == b->stretch_deg);
}

enum status view_shape_check(const struct view_shape *shape)
{
    double factor = view_stretch(shape);
    if (!(factor >= 1 / VIEW_STRETCH_MAX && factor <= VIEW_STRETCH_MAX))
        return status_fail(STATUS_BAD_DATA, "a stretch of %g is outside %g ... %g", factor,
                           1 / VIEW_STRETCH_MAX, VIEW_STRETCH_MAX);
    if (!(fabs(shape->stretch_deg) <= VIEW_ROTATION_MAX_DEG))
        return status_fail(STATUS_BAD_DATA, "a stretch along %g is outside -360 ... 360 degrees",
                           shape->stretch_deg);
    return STATUS_OK;
}

enum status view_stretch_read(const char *text, struct view_shape *shape)
{
    struct view_shape read = {.mirrored = shape->mirrored};
    const char *at = text;
    bool good = !*text || (number_real_take(&at, &read.stretch) && read.stretch > 0);
    if (good && *at == '@') {
        at++;
        good = number_real_take(&at, &read.stretch_deg);
    }
    if (!good || *at)
        return status_fail(STATUS_BAD_DATA,
                           "'%.40s' is no stretch; it is FACTOR or FACTOR@ANGLE, as 3 or 2.5@-30",
                           text);
    TRY(view_shape_check(&read));
    *shape = read;
    return STATUS_OK;
}

void view_stretch_text(const struct view_shape *shape, char text[VIEW_STRETCH_BYTES])
{
    char factor[NUMBER_TEXT_BYTES], angle[NUMBER_TEXT_BYTES];
    *text = '\0';
    if (view_stretch(shape) == 1)
        return;
    number_shortest(shape->stretch, 6, factor);
    number_shortest(shape->stretch_deg + 0.0, 6, angle);
    snprintf(text, VIEW_STRETCH_BYTES, shape->stretch_deg == 0 ? "%s" : "%s@%s", factor, angle);
}

/* Rounds to units far below a pixel, so that 90 stays 90 after arithmetic in doubles. */
static double rounded_deg(double degrees)
{
    return rint(degrees * 1e12) / 1e12 + 0.0;
}

enum status view_shape_of_axes(const double right[2], const double down[2],
                               struct view_shape *shape, double *rotation_deg, double *scale)
{
    /* Split into a similarity and the mirror image of one: with columns as complex numbers and up
     * the opposite of down, p = (right - i up) / 2 and q = (right + i up) / 2 turn by the rotation
     * and by twice the angle of the longer axis less the rotation. */
    double area = right[1] * down[0] - right[0] * down[1];
    double up[2] = {area < 0 ? down[0] : -down[0], area < 0 ? down[1] : -down[1]};
    double p[2] = {(right[0] + up[1]) / 2, (right[1] - up[0]) / 2};
    double q[2] = {(right[0] - up[1]) / 2, (right[1] + up[0]) / 2};
    double alike = hypot(p[0], p[1]), unlike = hypot(q[0], q[1]);
    *shape = (struct view_shape){.mirrored = area < 0};
    *scale = sqrt(fabs(area));
    if (!(*scale > 0) || !isfinite(alike) || !isfinite(unlike) || !(alike > unlike))
        return status_fail(STATUS_BAD_DATA, "it spans no area");
    *rotation_deg = rounded_deg(atan2(p[1], p[0]) * DEGREES);
    if (!(unlike > 0x1p-50 * alike))
        return STATUS_OK;
    shape->stretch = (alike + unlike) / (alike - unlike);
    double longer = (atan2(p[1], p[0]) + atan2(q[1], q[0])) / 2 * DEGREES;
    /* the longer step is seen shorter */
    shape->stretch_deg = rounded_deg(remainder(longer + 90, 180));
    return view_shape_check(shape);
}

/* Logarithm of S^-1, symmetric without a trace: (x, y; y, -x), of the length log F / 2. */
static void stretch_log(const struct view_shape *shape, double log[2])
{
    double length = log2(view_stretch(shape)), angle = 2 * shape->stretch_deg / DEGREES;
    log[0] = length * cos(angle);
    log[1] = length * sin(angle);
}

struct view_shape view_shape_between(const struct view_shape *from, const struct view_shape *to,
                                     double part)
{
    double first[2], last[2];
    if (part <= 0 || view_shape_same(from, to))
        return *from;
    if (part >= 1)
        return *to;
    stretch_log(from, first);
    stretch_log(to, last);
    double x = first[0] + part * (last[0] - first[0]), y = first[1] + part * (last[1] - first[1]);
    return (struct view_shape){.stretch = fmin(exp2(hypot(x, y)), VIEW_STRETCH_MAX),
                               .stretch_deg = rounded_deg(atan2(y, x) / 2 * DEGREES),
                               .mirrored = from->mirrored};
}

/* Offset S e^(i rotation) (x, y), as in view_axes.c, in doubles. */
static void offset_of(const struct view_shape *shape, double rotation_deg, double x, double y,
                      double offset[2])
{
    double root = sqrt(view_stretch(shape)), angle = shape->stretch_deg / DEGREES;
    double turn = rotation_deg / DEGREES - angle;
    double along = (x * cos(turn) - y * sin(turn)) / root;
    double across = (x * sin(turn) + y * cos(turn)) * root;
    offset[0] = along * cos(angle) - across * sin(angle);
    offset[1] = along * sin(angle) + across * cos(angle);
}

enum status view_shape_widen(struct view_shape *shape, double *rotation_deg, double factor)
{
    struct view_shape wide;
    double right[2], down[2], root = sqrt(factor), rotation, scale;
    offset_of(shape, *rotation_deg, 1 / root, 0, right);
    offset_of(shape, *rotation_deg, 0, shape->mirrored ? root : -root, down);
    TRY(view_shape_of_axes(right, down, &wide, &rotation, &scale));
    if (fabs(view_stretch(&wide) - 1) < STRETCH_NEARLY)
        wide.stretch = wide.stretch_deg = 0;
    *shape = wide;
    *rotation_deg = rotation;
    return STATUS_OK;
}
