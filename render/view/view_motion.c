#include "render/view/view_motion.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/deep/deep.h"
#include "render/view/view_map.h"

#define FACTOR_MOST 1e9 /* largest factor of one motion, and farthest position in pixels */
#define DOUBLE_MOST 1e300
/* Units of a rotation: one this near to a whole number of units is rounded to it. Rounding all
 * rotations would add up errors along a glide. */
#define TURN_UNITS 1e6 /* units per degree */
#define TURN_NEARLY_DEG 1e-10

/* Places beyond those of the text, for sums that are rounded to it. */
enum { SPARE_PLACES = 10 };

/* A digit is worth 3.32 bits. */
_Static_assert(CENTRE_PLACES_MOST * 332LL > (-DEEP_STEP_LEAST + VIEW_GUARD_DIGITS * 4) * 100LL,
               "the digits of a centre end before perturbation does");

/* Zooms are fractions of the set's size: the whole of it fills a picture that is 4 / 1.4 high. */
const struct view_range range_parameter_plane = {.home_re = "-0.7",
                                                 .home_im = "0",
                                                 .home_zoom = 1.4,
                                                 .zoom_least = 0.25,
                                                 .centre_most = 4,
                                                 .log2_step_least = DEEP_STEP_LEAST};

const struct view_range range_dynamic_plane = {.home_re = "0",
                                               .home_im = "0",
                                               .home_zoom = 1.2,
                                               .zoom_least = 0.25,
                                               .centre_most = 4,
                                               .log2_step_least = DEEP_STEP_LEAST};

/* Limit of formulas without perturbation. c is of size 1, so fp64 rounds it by 2^-53: a step of
 * 2^-46 is wrong by less than 0.01 px before the formula enlarges that. */
#define DIRECT_STEP_LEAST (-46)
static const struct view_range range_direct = {.home_re = "0",
                                               .home_im = "0",
                                               .home_zoom = 1.2,
                                               .zoom_least = 0.25,
                                               .centre_most = 4,
                                               .log2_step_least = DIRECT_STEP_LEAST};

/* Ranges of the plane of c of each row, or of the only plane that it has. */
#define HOME(re, im, zoom) .home_re = #re, .home_im = #im, .home_zoom = (zoom)
#define HOME_DOWN(re, im, zoom) HOME(re, im, zoom), .home_mirrored = true
#define FORMULA(name, degree, number, home, ...) \
    {home, .zoom_least = 0.25, .centre_most = 4, .log2_step_least = DEEP_STEP_LEAST},
#define RATIONAL RATIONAL_RANGE
#define RATIONAL_RANGE(name, home, begins, has_c, escapes, ends, order, roots, summary, sizes, \
                       operations, perturbed)                                                  \
    {home, .zoom_least = 0.0625, .centre_most = 16, .log2_step_least = DEEP_STEP_LEAST},
static const struct view_range ranges[FORMULA_ROWS] = {
#include "kernels/formula/formulas.inc"
#define HOME(re, im, zoom) .home_re = #re, .home_im = #im, .home_zoom = (zoom)
#include "kernels/formula/rational.inc"
};

/* Ranges of the Julia sets of rational rows. */
#define HOME(re, im, zoom) .home_re = #re, .home_im = #im, .home_zoom = (zoom)
#define HOMES(parameter, dynamic) dynamic
#define RATIONAL RATIONAL_RANGE
static const struct view_range rational_ranges[FORMULA_ROWS - FORMULA_STEPS] = {
#include "kernels/formula/rational.inc"
};

const struct view_range *view_range_of(const struct formula *formula)
{
    bool is_row = formula->step != STEP_OWN;
    if (is_row && (formula->plane == PARAMETER_PLANE || !formula_has_c(formula)))
        return &ranges[formula->step];
    if (formula_rational(formula))
        return &rational_ranges[formula->step - FORMULA_STEPS];
    return formula_perturbed(formula) ? &range_dynamic_plane : &range_direct;
}

/* ---- steps ---- */

struct view_motion motion_pan(double right_px, double down_px)
{
    return (struct view_motion){.to_x = right_px, .to_y = down_px, .factor = 1};
}

struct view_motion motion_zoom(double factor, double x, double y)
{
    return (struct view_motion){.from_x = x, .from_y = y, .to_x = x, .to_y = y, .factor = factor};
}

struct view_motion motion_turn(double turn_deg, double x, double y)
{
    return (struct view_motion){
        .from_x = x, .from_y = y, .to_x = x, .to_y = y, .factor = 1, .turn_deg = turn_deg};
}

struct view_motion motion_fingers(const double from[2][2], const double to[2][2])
{
    struct view_motion step = {.from_x = (from[0][0] + from[1][0]) / 2,
                               .from_y = (from[0][1] + from[1][1]) / 2,
                               .to_x = (to[0][0] + to[1][0]) / 2,
                               .to_y = (to[0][1] + to[1][1]) / 2,
                               .factor = 1};
    double before_x = from[1][0] - from[0][0], before_y = from[1][1] - from[0][1];
    double after_x = to[1][0] - to[0][0], after_y = to[1][1] - to[0][1];
    double before = hypot(before_x, before_y), after = hypot(after_x, after_y);
    if (before < MOTION_FINGERS_PX || after < MOTION_FINGERS_PX)
        return step;
    step.factor = after / before;
    step.turn_deg =
        atan2(before_x * after_y - before_y * after_x, before_x * after_x + before_y * after_y) *
        (180 / M_PI);
    return step;
}

struct view_motion motion_box(double width, double height, double x0, double y0, double x1,
                              double y1)
{
    double box_width = fmax(fabs(x1 - x0), 1), box_height = fmax(fabs(y1 - y0), 1);
    return (struct view_motion){.from_x = (x0 + x1) / 2,
                                .from_y = (y0 + y1) / 2,
                                .to_x = width / 2,
                                .to_y = height / 2,
                                .factor = fmin(width / box_width, height / box_height)};
}

static struct view_motion step_checked(const struct view_motion *step)
{
    bool near = fabs(step->from_x) <= FACTOR_MOST && fabs(step->from_y) <= FACTOR_MOST &&
                fabs(step->to_x) <= FACTOR_MOST && fabs(step->to_y) <= FACTOR_MOST;
    if (!near || !(step->factor > 0) || !isfinite(step->turn_deg))
        return (struct view_motion){.factor = 1};
    struct view_motion checked = *step;
    checked.factor = fmin(fmax(step->factor, 1 / FACTOR_MOST), FACTOR_MOST);
    return checked;
}

/* ---- moving ---- */

/* Largest zoom: 4 / (zoom H) >= 2^least, half a bit inside of it since the text is rounded; or the
 * zoom at which pixels are as small as they were. */
static void zoom_most(mpfr_t most, const struct view *view, const struct view_range *range,
                      int32_t height_before)
{
    mpfr_t before;
    mpfr_init2(before, LENS_BITS);
    mpfr_set_str(before, view->zoom, 10, MPFR_RNDN);
    mpfr_set_d(most, 1.5 - range->log2_step_least, MPFR_RNDN);
    mpfr_exp2(most, most, MPFR_RNDN);
    mpfr_div_si(most, most, view->height, MPFR_RNDN);
    if (height_before != view->height) {
        mpfr_mul_si(before, before, height_before, MPFR_RNDN);
        mpfr_div_si(before, before, view->height, MPFR_RNDN);
    }
    mpfr_max(most, most, before, MPFR_RNDN);
    mpfr_clear(before);
}

/* Zoom after the motion, within the range, as it will be written. */
static char *zoom_after(const struct view *view, const struct view_range *range,
                        int32_t height_before, double factor, unsigned *met)
{
    mpfr_t old, wanted, most;
    mpfr_inits2(LENS_BITS, old, wanted, most, (mpfr_ptr)0);
    mpfr_set_str(old, view->zoom, 10, MPFR_RNDN);
    mpfr_mul_d(wanted, old, factor, MPFR_RNDN);
    zoom_most(most, view, range, height_before);
    bool small = mpfr_cmp_d(wanted, range->zoom_least) < 0, same = factor == 1;
    if (mpfr_cmp(wanted, most) > 0) {
        *met |= VIEW_STOP_IN;
        mpfr_set(wanted, most, MPFR_RNDN);
        same = mpfr_equal_p(old, most);
    } else if (small && factor < 1) {
        *met |= VIEW_STOP_OUT;
        same = mpfr_cmp_d(old, range->zoom_least) <= 0;
        mpfr_set_d(wanted, range->zoom_least, MPFR_RNDN);
    }
    char *text = same ? strdup(view->zoom) : zoom_text(wanted);
    mpfr_clears(old, wanted, most, (mpfr_ptr)0);
    return text;
}

/* Moves the centre so that the point at `from` by one map lies at `to` by the other. */
static void centre_shift(struct centre *centre, const struct view_map *before,
                         const struct view_map *after, const struct view_motion *step)
{
    struct plane_point from, to;
    plane_point_init(&from);
    plane_point_init(&to);
    view_map_offset(before, step->from_x, step->from_y, &from);
    view_map_offset(after, step->to_x, step->to_y, &to);
    mpfr_sub(from.re, from.re, to.re, MPFR_RNDN);
    mpfr_sub(from.im, from.im, to.im, MPFR_RNDN);
    centre_add(centre, &from);
    plane_point_clear(&from);
    plane_point_clear(&to);
}

static double centre_distance(const struct centre *centre)
{
    struct plane_point point;
    plane_point_init(&point);
    centre_get(centre, &point);
    double distance = hypot(mpfr_get_d(point.re, MPFR_RNDN), mpfr_get_d(point.im, MPFR_RNDN));
    plane_point_clear(&point);
    return distance;
}

static void centre_hold(struct centre *centre, double most, unsigned *met)
{
    double distance = centre_distance(centre);
    if (distance <= most)
        return;
    *met |= VIEW_STOP_EDGE;
    struct plane_point outside, back;
    plane_point_init(&outside);
    plane_point_init(&back);
    centre_get(centre, &outside);
    mpfr_mul_d(back.re, outside.re, most / distance * (1 - 0x1p-50), MPFR_RNDN);
    mpfr_mul_d(back.im, outside.im, most / distance * (1 - 0x1p-50), MPFR_RNDN);
    mpfr_sub(back.re, back.re, outside.re, MPFR_RNDN);
    mpfr_sub(back.im, back.im, outside.im, MPFR_RNDN);
    centre_add(centre, &back);
    plane_point_clear(&outside);
    plane_point_clear(&back);
}

/* Writes the view; takes `zoom`. */
static enum status view_write(struct view *view, struct centre *centre, double log2_step,
                              char *zoom, double rotation_deg)
{
    decimal_round(&centre->re, centre_places(log2_step));
    decimal_round(&centre->im, centre_places(log2_step));
    struct view fresh = {.re = decimal_text(&centre->re),
                         .im = decimal_text(&centre->im),
                         .zoom = zoom,
                         .rotation_deg = rotation_deg,
                         .shape = view->shape,
                         .width = view->width,
                         .height = view->height};
    if (!fresh.re || !fresh.im) {
        view_destroy(&fresh);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the digits of a view");
    }
    view_destroy(view);
    *view = fresh;
    return STATUS_OK;
}

static double rotation_after(double rotation_deg, double turn_deg)
{
    if (turn_deg == 0)
        return rotation_deg;
    double sum_deg = remainder(rotation_deg + remainder(turn_deg, 360), 360);
    double round_deg = round(sum_deg * TURN_UNITS) / TURN_UNITS + 0.0; /* + 0: not -0 */
    return fabs(sum_deg - round_deg) <= TURN_NEARLY_DEG ? round_deg : sum_deg;
}

static enum status motion_apply(struct view *view, const struct view_range *range,
                                int32_t height_before, const struct view_motion *step,
                                unsigned *stops)
{
    unsigned met = 0;
    struct view_motion wanted = step_checked(step);
    char *zoom = zoom_after(view, range, height_before, wanted.factor, &met);
    if (!zoom)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the zoom of a view");
    double rotation_deg = rotation_after(view->rotation_deg,
                                         view->shape.mirrored ? -wanted.turn_deg : wanted.turn_deg);
    struct view_map before, after;
    struct centre centre;
    view_map_open_view(&before, view);
    view_map_open(&after, view, zoom, rotation_deg);
    long places = centre_places(fmin(before.log2_step, after.log2_step)) + SPARE_PLACES;
    enum status status = centre_open(&centre, view, places);
    if (status == STATUS_OK) {
        double most = fmax(range->centre_most, centre_distance(&centre));
        centre_shift(&centre, &before, &after, &wanted);
        centre_hold(&centre, most, &met);
        status = view_write(view, &centre, after.log2_step, zoom, rotation_deg);
    } else
        free(zoom);
    centre_close(&centre);
    view_map_close(&before);
    view_map_close(&after);
    if (stops)
        *stops = met;
    return status;
}

enum status view_move(struct view *view, const struct view_range *range,
                      const struct view_motion *step, unsigned *stops)
{
    return motion_apply(view, range, view->height, step, stops);
}

enum status view_home(struct view *view, const struct view_range *range, int32_t width,
                      int32_t height)
{
    if (view->width > 0 && view->height > 0) {
        width = view->width;
        height = view->height;
    }
    double zoom = range->home_zoom;
    if (width < height)
        zoom = fmax(zoom * width / height, range->zoom_least);
    mpfr_t number;
    mpfr_init2(number, LENS_BITS);
    mpfr_set_d(number, zoom, MPFR_RNDN);
    char *text = zoom_text(number);
    mpfr_clear(number);
    if (!text)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the zoom of a view");
    view->shape = (struct view_shape){.mirrored = range->home_mirrored};
    enum status status = view_set(view, range->home_re, range->home_im, text, 0, width, height);
    free(text);
    return status;
}

enum status view_resize(struct view *view, const struct view_range *range, int32_t width,
                        int32_t height)
{
    int32_t height_before = view->height;
    TRY(view_set(view, view->re, view->im, view->zoom, view->rotation_deg, width, height));
    struct view_motion none = motion_pan(0, 0);
    return motion_apply(view, range, height_before, &none, NULL);
}

/* ---- asking ---- */

enum status view_point(const struct view *view, double x, double y, double *re, double *im)
{
    if (!view->re || !view->im || !view->zoom)
        return status_fail(STATUS_INTERNAL, "a view was used before it was set");
    struct view_map map;
    struct centre centre;
    struct plane_point offset, point;
    view_map_open_view(&map, view);
    plane_point_init(&offset);
    plane_point_init(&point);
    enum status status = centre_open(&centre, view, centre_places(map.log2_step));
    if (status == STATUS_OK) {
        view_map_offset(&map, x, y, &offset);
        centre_get(&centre, &point);
        mpfr_add(point.re, point.re, offset.re, MPFR_RNDN);
        mpfr_add(point.im, point.im, offset.im, MPFR_RNDN);
        *re = mpfr_get_d(point.re, MPFR_RNDN);
        *im = mpfr_get_d(point.im, MPFR_RNDN);
    }
    centre_close(&centre);
    plane_point_clear(&offset);
    plane_point_clear(&point);
    view_map_close(&map);
    return status;
}

enum status view_point_text(const struct view *view, double x, double y, char **re, char **im)
{
    if (!view->re || !view->im || !view->zoom)
        return status_fail(STATUS_INTERNAL, "a view was used before it was set");
    struct view_map map;
    struct centre centre;
    struct plane_point offset;
    *re = *im = NULL;
    view_map_open_view(&map, view);
    plane_point_init(&offset);
    enum status status = centre_open(&centre, view, centre_places(map.log2_step));
    if (status == STATUS_OK) {
        view_map_offset(&map, x, y, &offset);
        centre_add(&centre, &offset);
        *re = decimal_text(&centre.re);
        *im = decimal_text(&centre.im);
        if (!*re || !*im) {
            free(*re);
            free(*im);
            *re = *im = NULL;
            status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for the digits of a point");
        }
    }
    centre_close(&centre);
    plane_point_clear(&offset);
    view_map_close(&map);
    return status;
}

static double bounded(mpfr_srcptr number)
{
    return fmin(fmax(mpfr_get_d(number, MPFR_RNDN), -DOUBLE_MOST), DOUBLE_MOST);
}

/* Position of `shift` in pixels from the middle: x right + y down is shift / step. */
static void placement_shift(const struct view_map *map, struct plane_point *shift,
                            struct placement *placement)
{
    const struct view_axes *axes = &map->axes;
    mpfr_t sum;
    mpfr_init2(sum, LENS_BITS);
    mpfr_div(shift->re, shift->re, map->step, MPFR_RNDN);
    mpfr_div(shift->im, shift->im, map->step, MPFR_RNDN);
    mpfr_fmms(sum, shift->im, axes->down_re, shift->re, axes->down_im, MPFR_RNDN);
    placement->dx_px = map->area * bounded(sum);
    mpfr_fmms(sum, shift->re, axes->right_im, shift->im, axes->right_re, MPFR_RNDN);
    placement->dy_px = map->area * bounded(sum);
    mpfr_clear(sum);
}

/* Difference of the two centres. */
static enum status centres_apart(const struct view *from, const struct view *to, long places,
                                 struct plane_point *shift)
{
    struct centre first, second = {.re = {.digit = NULL}};
    enum status status = centre_open(&first, from, places + SPARE_PLACES);
    if (status == STATUS_OK)
        status = centre_open(&second, to, places + SPARE_PLACES);
    if (status == STATUS_OK) {
        decimal_subtract(&first.re, &second.re);
        decimal_subtract(&first.im, &second.im);
        centre_get(&first, shift);
    }
    centre_close(&first);
    centre_close(&second);
    return status;
}

enum status view_placement(const struct view *from, const struct view *to,
                           struct placement *placement)
{
    if (!from->re || !from->im || !from->zoom || !to->re || !to->im || !to->zoom)
        return status_fail(STATUS_INTERNAL, "a view was used before it was set");
    struct view_map before, after;
    struct plane_point shift;
    view_map_open_view(&before, from);
    view_map_open_view(&after, to);
    plane_point_init(&shift);
    enum status status =
        centres_apart(from, to, centre_places(fmin(before.log2_step, after.log2_step)), &shift);
    double angle_deg = remainder(to->rotation_deg - from->rotation_deg, 360);
    *placement = (struct placement){.angle_rad = after.area * angle_deg * (M_PI / 180)};
    placement_shift(&after, &shift, placement);
    mpfr_div(before.step, before.step, after.step, MPFR_RNDN);
    placement->scale = view_shape_same(&from->shape, &to->shape) ? bounded(before.step) : 0;
    plane_point_clear(&shift);
    view_map_close(&before);
    view_map_close(&after);
    return status;
}
