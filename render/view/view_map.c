#include "render/view/view_map.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define LOG2_OF_10 3.3219280948873623
#define ZOOM_NEARLY 1e-10

enum { ZOOM_DIGITS = 17, ZOOM_DIGITS_ROUND = 6 };

/* ---- numbers and their text ---- */

void plane_point_init(struct plane_point *point)
{
    mpfr_inits2(LENS_BITS, point->re, point->im, (mpfr_ptr)0);
}

void plane_point_clear(struct plane_point *point)
{
    mpfr_clears(point->re, point->im, (mpfr_ptr)0);
}

long centre_places(double log2_step)
{
    long places = (long)ceil(-log2_step / LOG2_OF_10) + VIEW_GUARD_DIGITS;
    return places < CENTRE_PLACES_MOST ? places : CENTRE_PLACES_MOST;
}

enum status centre_open(struct centre *centre, const struct view *view, long places)
{
    *centre = (struct centre){.re = {.digit = NULL}};
    if (!decimal_open(&centre->re, view->re, places) ||
        !decimal_open(&centre->im, view->im, places))
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the digits of a view");
    return STATUS_OK;
}

void centre_close(struct centre *centre)
{
    decimal_close(&centre->re);
    decimal_close(&centre->im);
}

void centre_add(struct centre *centre, const struct plane_point *offset)
{
    decimal_add(&centre->re, offset->re);
    decimal_add(&centre->im, offset->im);
}

void centre_get(const struct centre *centre, struct plane_point *point)
{
    decimal_get(point->re, &centre->re);
    decimal_get(point->im, &centre->im);
}

/* Text of a number with so many digits. NULL without memory. */
static char *number_text(mpfr_srcptr number, size_t digits)
{
    mpfr_exp_t exponent;
    char raw[ZOOM_DIGITS + 8];
    mpfr_get_str(raw, &exponent, 10, digits, number, MPFR_RNDN);
    return decimal_layout(raw, digits, (long)exponent, false); /* a zoom is > 0 */
}

/* Four notches of 2^(1/4) are to be 2, not 1.9999999999999998: a zoom within ZOOM_NEARLY of one
 * with few digits is written with these. */
char *zoom_text(mpfr_srcptr zoom)
{
    char *text = number_text(zoom, ZOOM_DIGITS_ROUND);
    mpfr_t error;
    mpfr_init2(error, LENS_BITS);
    mpfr_set_str(error, text ? text : "0", 10, MPFR_RNDN);
    mpfr_reldiff(error, zoom, error, MPFR_RNDN);
    mpfr_abs(error, error, MPFR_RNDN);
    bool round = mpfr_cmp_d(error, ZOOM_NEARLY) <= 0;
    mpfr_clear(error);
    if (round)
        return text;
    free(text);
    return number_text(zoom, ZOOM_DIGITS);
}

/* ---- how a view maps places to points ---- */

void view_map_open(struct view_map *map, const struct view *view, const char *zoom,
                   double rotation_deg)
{
    mpfr_init2(map->step, LENS_BITS);
    view_axes_init(&map->axes, &view->shape, rotation_deg, LENS_BITS);
    mpfr_set_str(map->step, zoom, 10, MPFR_RNDN);
    mpfr_mul_si(map->step, map->step, view->height, MPFR_RNDN);
    mpfr_ui_div(map->step, 4, map->step, MPFR_RNDN);
    long exponent;
    double mantissa = mpfr_get_d_2exp(&exponent, map->step, MPFR_RNDN);
    map->log2_step = log2(mantissa) + (double)exponent;
    map->half_width = view->width / 2.0;
    map->half_height = view->height / 2.0;
    map->area = view->shape.mirrored ? -1 : 1;
}

void view_map_open_view(struct view_map *map, const struct view *view)
{
    view_map_open(map, view, view->zoom, view->rotation_deg);
}

void view_map_close(struct view_map *map)
{
    mpfr_clear(map->step);
    view_axes_clear(&map->axes);
}

/* offset = ((x - W/2) right + (y - H/2) down) step */
void view_map_offset(const struct view_map *map, double x, double y, struct plane_point *offset)
{
    const struct view_axes *axes = &map->axes;
    mpfr_t u, v;
    mpfr_inits2(LENS_BITS, u, v, (mpfr_ptr)0);
    mpfr_set_d(u, x, MPFR_RNDN);
    mpfr_sub_d(u, u, map->half_width, MPFR_RNDN);
    mpfr_set_d(v, y, MPFR_RNDN);
    mpfr_sub_d(v, v, map->half_height, MPFR_RNDN);
    mpfr_fmma(offset->re, u, axes->right_re, v, axes->down_re, MPFR_RNDN);
    mpfr_fmma(offset->im, u, axes->right_im, v, axes->down_im, MPFR_RNDN);
    mpfr_mul(offset->re, offset->re, map->step, MPFR_RNDN);
    mpfr_mul(offset->im, offset->im, map->step, MPFR_RNDN);
    mpfr_clears(u, v, (mpfr_ptr)0);
}
