#include <math.h>
#include <stdio.h>

#include "app/viewer/overlays/overlay.h"
#include "app/viewer/overlays/strings.h"
#include "app/viewer/overlays/style.h"
#include "kernels/number_text.h"

enum { CYCLE_MOST = 64, FRAME_LINES = 5 };
#define FRAME 300.0  /* side of the frame, units */
#define BESIDE 760.0 /* the width of a window in which the figures leave room beside them */
#define BELOW 80.0   /* else: of the upper edge, which is theirs */
#define FRAME_LEAST 80.0
#define LETTER 14.0
#define LINE 18.0
#define FRAME_REACH 2.1 /* |re| and |im| that it shows */
#define ON_PICTURE 32.0 /* a zoom up to which the orbit lies in the picture itself */
#define LINE_COLOUR UINT32_C(0xc0ffffff)
#define DOT_COLOUR STYLE_ACCENT
#define CYCLE_COLOUR UINT32_C(0xff5ec8e0)
#define RAY_COLOUR UINT32_C(0xd0ffffff)
#define SHADE UINT32_C(0x80000000)

/* Map from the plane to units. */
struct map {
    double x, y;   /* position of 0 */
    double xx, xy; /* units to the right for a step of 1 along the real axis, the imaginary */
    double yx, yy; /* units down for these steps */
};

static void at(const struct map *map, const double z[2], double *x, double *y)
{
    *x = map->x + map->xx * z[0] + map->xy * z[1];
    *y = map->y + map->yx * z[0] + map->yy * z[1];
}

/* A view's pixels: z = (u - i v) step, u = x + down_x y, v = down_y y, solved for x and y. */
static bool map_of_view(const struct paint *paint, const struct view *view, struct map *map)
{
    struct view_numbers numbers;
    if (view_numbers(view, &numbers) != STATUS_OK || !(numbers.step > 1e-10))
        return false;
    double re = numbers.step_re, im = numbers.step_im;
    double unit = paint_units(paint, 1) / (re * re + im * im),
           tilt = numbers.down_x / numbers.down_y;
    map->yx = unit * im / numbers.down_y;
    map->yy = -unit * re / numbers.down_y;
    map->xx = unit * (re - tilt * im);
    map->xy = unit * (im + tilt * re);
    const double middle[2] = {-numbers.centre_re, -numbers.centre_im};
    map->x = map->y = 0;
    double x, y;
    at(map, middle, &x, &y);
    map->x = x + paint_units(paint, view->width) / 2;
    map->y = y + paint_units(paint, view->height) / 2;
    return true;
}

static bool far(const struct paint *paint, double x, double y)
{
    double width = paint_units(paint, paint->width), height = paint_units(paint, paint->height);
    return !(fabs(x) < 20 * width && fabs(y) < 20 * height);
}

static void path_draw(struct paint *paint, const struct map *map, const double (*z)[2], int count,
                      double thickness, uint32_t colour)
{
    for (int i = 1; i < count; i++) {
        double x0, y0, x1, y1;
        at(map, z[i - 1], &x0, &y0);
        at(map, z[i], &x1, &y1);
        if (!far(paint, x0, y0) && !far(paint, x1, y1))
            paint_line(paint, x0, y0, x1, y1, thickness, colour);
    }
}

static void dot_draw(struct paint *paint, const struct map *map, const double z[2], double side,
                     uint32_t colour)
{
    double x, y;
    at(map, z, &x, &y);
    if (!far(paint, x, y))
        paint_rectangle(paint, (struct paint_area){x - side / 2, y - side / 2, side, side}, colour);
}

static void points_draw(struct paint *paint, const struct map *map,
                        const struct overlay_path *orbit, int count)
{
    bool many = count > 400;
    if (!many)
        path_draw(paint, map, orbit->point, count, 3, SHADE);
    path_draw(paint, map, orbit->point, count, 1, many ? UINT32_C(0x30ffffff) : LINE_COLOUR);
    for (int i = 0; i < count; i++)
        dot_draw(paint, map, orbit->point[i], many ? 2 : 5, DOT_COLOUR);
    const deepfield_orbit *facts = &orbit->facts;
    int cycle = facts->period < CYCLE_MOST ? facts->period : CYCLE_MOST;
    for (int k = 0; k < cycle; k++)
        dot_draw(paint, map, orbit->point[facts->count - 1 - k], 9, CYCLE_COLOUR);
}

/* The frame of its own: circle of radius 2, axes, and the orbit. */
static void frame_draw(struct paint *paint, struct paint_area area,
                       const struct overlay_orbit *shown, int count)
{
    double side = fmin(area.width, area.height);
    double unit = side / 2 / FRAME_REACH;
    struct map map = {area.x + side / 2,
                      area.y + side / 2,
                      unit,
                      0,
                      0,
                      shown->view->shape.mirrored ? unit : -unit};
    struct paint_box before = paint_clip(paint, area);
    paint_line(paint, area.x, map.y, area.x + side, map.y, 1, STYLE_PANEL_LIGHT);
    paint_line(paint, map.x, area.y, map.x, area.y + side, 1, STYLE_PANEL_LIGHT);
    double circle[97][2];
    for (int i = 0; i < 97; i++) {
        circle[i][0] = 2 * cos(i * acos(-1) / 48);
        circle[i][1] = 2 * sin(i * acos(-1) / 48);
    }
    path_draw(paint, &map, (const double(*)[2])circle, 97, 1, STYLE_DIM);
    points_draw(paint, &map, shown->orbit, count);
    paint->clip = before;
}

/* ---- words ---- */

static void power_text(double log2_value, char *text, size_t bytes)
{
    double log10_value = log2_value * log10(2), whole = floor(log10_value);
    if (whole > -4)
        snprintf(text, bytes, "%.4g", pow(10, log10_value));
    else
        snprintf(text, bytes, "%.2fe%.0f", pow(10, log10_value - whole), whole);
}

static int words(const struct overlay_orbit *shown, char text[FRAME_LINES][160])
{
    const deepfield_orbit *orbit = &shown->orbit->facts;
    char a[32], b[32];
    int lines = 0;
    int count = shown->count < orbit->count ? shown->count : orbit->count;
    snprintf(a, sizeof a, "%d", count);
    string_fill(text[lines++], 160, STRING_ORBIT_POINTS, a);
    if (orbit->escape) {
        snprintf(a, sizeof a, "%lld", (long long)orbit->escape);
        power_text(orbit->log2_potential, b, sizeof b);
        string_fill(text[lines++], 160, STRING_ORBIT_ESCAPES, a, b);
    } else if (orbit->period) {
        snprintf(a, sizeof a, "%d", orbit->period);
        snprintf(b, sizeof b, "%.4g", orbit->multiplier);
        string_fill(text[lines++], 160, STRING_ORBIT_CYCLE, a, b);
    } else {
        snprintf(a, sizeof a, "%d", orbit->count - 1);
        string_fill(text[lines++], 160, STRING_ORBIT_NEITHER, a);
    }
    if (orbit->ray_count) {
        snprintf(a, sizeof a, "%.10f", orbit->ray_turn);
        string_fill(text[lines++], 160, STRING_ORBIT_ANGLE, a);
    }
    if (shown->period) {
        snprintf(a, sizeof a, "%d", shown->period);
        snprintf(b, sizeof b, "%d", (1 << shown->period) - 1);
        string_fill(text[lines++], 160, STRING_ORBIT_RAYS, a, b);
    }
    return lines;
}

static void rays_draw(struct paint *paint, const struct map *map, const struct overlay_orbit *shown)
{
    if (shown->orbit && shown->orbit->facts.ray_count)
        path_draw(paint, map, shown->orbit->ray, shown->orbit->facts.ray_count, 1.5, DOT_COLOUR);
    for (int k = 0; k < shown->rays_count; k++) {
        const struct overlay_ray *ray = &shown->rays[k];
        path_draw(paint, map, ray->point, ray->count, 3, SHADE);
        path_draw(paint, map, ray->point, ray->count, 1.2, RAY_COLOUR);
    }
}

/* The rows of the first lines; of so many that they have room. */
static int rows_of(struct paint *paint, double wide, double room, int *lines,
                   char text[FRAME_LINES][160])
{
    int rows = 0;
    for (int i = 0; i < *lines; i++) {
        int more = paint_paragraph(paint, 0, 0, LETTER, LINE, wide - STYLE_GAP, 0, text[i]);
        if ((rows + more) * LINE > room)
            *lines = i;
        else
            rows += more;
    }
    return rows;
}

static void panel_draw(struct paint *paint, const struct overlay_orbit *shown, int count, bool here)
{
    char text[FRAME_LINES][160];
    double width = paint_units(paint, paint->width);
    bool beside = width >= BESIDE;
    double wide = beside ? FRAME : width - 2 * STYLE_GAP, top = beside ? STYLE_GAP : BELOW;
    double room = shown->bottom - top - STYLE_GAP;
    int lines = words(shown, text);
    int rows = rows_of(paint, wide, room, &lines, text);
    double side = here ? 0 : fmin(FRAME, room - rows * LINE);
    if (side < FRAME_LEAST)
        side = 0;
    if (!lines)
        return;
    struct paint_area panel = {width - wide - STYLE_GAP, top, wide, side + rows * LINE + STYLE_GAP};
    paint_rectangle(paint, panel, STYLE_PANEL);
    if (side > 0)
        frame_draw(paint, (struct paint_area){panel.x + (wide - side) / 2, panel.y, side, side},
                   shown, count);
    double y = panel.y + side + 4;
    for (int i = 0; i < lines; i++)
        y += LINE * paint_paragraph(paint, panel.x + STYLE_GAP / 2, y, LETTER, LINE,
                                    wide - STYLE_GAP, i ? STYLE_DIM : STYLE_TEXT, text[i]);
}

double overlay_orbit(struct paint *paint, const struct overlay_orbit *shown)
{
    struct map map;
    bool mapped = map_of_view(paint, shown->view, &map);
    bool here = mapped && number_real(shown->view->zoom) < ON_PICTURE;
    int count = shown->count < shown->orbit->facts.count ? shown->count : shown->orbit->facts.count;
    if (mapped)
        rays_draw(paint, &map, shown);
    if (here)
        points_draw(paint, &map, shown->orbit, count);
    panel_draw(paint, shown, count, here);
    return paint_units(paint, paint->width) < BESIDE ? BELOW : INFINITY;
}
