#include <math.h>

#include "app/viewer/overlays/overlay.h"
#include "app/viewer/overlays/style.h"

#define TINT UINT32_C(0x70000000) /* alpha of the colour of a worker */
#define SMALL_PX 6.0              /* an outline below this is shown as a cross */

enum { OWNER_NONE = 255 };

void overlay_tiles(struct paint *paint, const struct overlay_owners *owners)
{
    for (int32_t row = 0; row < owners->rows; row++)
        for (int32_t column = 0; column < owners->columns; column++) {
            uint8_t owner = owners->worker[row][column];
            double side = paint_units(paint, owners->side);
            struct paint_area area = {column * side, row * side, side, side};
            if (owner == OWNER_NONE)
                continue;
            uint32_t colour = style_worker(owner) & UINT32_C(0xffffff);
            paint_rectangle(paint, area, colour | TINT);
            paint_border(paint, area, 1, colour | UINT32_C(0xc0000000));
        }
}

double overlay_sentence(struct paint *paint, const char *text)
{
    double width = paint_units(paint, paint->width), most = fmin(720, width - 4 * STYLE_GAP);
    int lines = paint_paragraph(paint, 0, 0, STYLE_LETTER, STYLE_LINE, most, 0, text);
    double wide = lines > 1 ? most : paint_text_width(paint, STYLE_LETTER, text);
    struct paint_area area = {.width = wide + 2 * STYLE_GAP, .height = lines * STYLE_LINE + 10};
    area.x = (width - area.width) / 2;
    area.y = (paint_units(paint, paint->height) - area.height) / 2;
    paint_rectangle(paint, area, STYLE_PAGE);
    paint_paragraph(paint, area.x + STYLE_GAP, area.y + 6, STYLE_LETTER, STYLE_LINE, most,
                    STYLE_TEXT, text);
    return area.y;
}

void overlay_box(struct paint *paint, double x0, double y0, double x1, double y1)
{
    struct paint_area area = {paint_units(paint, fmin(x0, x1)), paint_units(paint, fmin(y0, y1)),
                              paint_units(paint, fabs(x1 - x0)), paint_units(paint, fabs(y1 - y0))};
    paint_rectangle(paint, area, UINT32_C(0x30ffffff));
    paint_border(paint, area, 3, UINT32_C(0xa0000000));
    paint_border(paint, area, 1.5, STYLE_ACCENT);
}

static void cross(struct paint *paint, double x, double y, double arm)
{
    for (int i = 0; i < 2; i++) {
        double thickness = i ? 2 : 6, end = i ? arm : arm + 2, begin = i ? arm / 3 : arm / 3 - 2;
        uint32_t colour = i ? STYLE_ACCENT : UINT32_C(0xff000000); /* seen on any picture */
        paint_line(paint, x - end, y, x - begin, y, thickness, colour);
        paint_line(paint, x + begin, y, x + end, y, thickness, colour);
        paint_line(paint, x, y - end, x, y - begin, thickness, colour);
        paint_line(paint, x, y + begin, x, y + end, thickness, colour);
    }
}

void overlay_reticle(struct paint *paint, double x, double y)
{
    cross(paint, paint_units(paint, x), paint_units(paint, y), 18);
}

struct paint_area overlay_inset_area(const struct paint *paint, enum overlay_corner corner)
{
    double width = paint_units(paint, paint->width), height = paint_units(paint, paint->height);
    double room = fmin(width / 2 - 2 * STYLE_GAP, height * 2 / 3 - 2 * STYLE_LINE);
    double scale = fmin(1, room / OVERLAY_INSET_WIDTH);
    struct paint_area area = {STYLE_GAP, 0, OVERLAY_INSET_WIDTH * scale,
                              OVERLAY_INSET_HEIGHT * scale};
    area.y = height - 2 * STYLE_GAP - area.height;
    if (corner == OVERLAY_RIGHT)
        area.x = width - STYLE_GAP - area.width;
    return area;
}

struct paint_area overlay_inset_frame(const struct paint *paint, enum overlay_corner corner)
{
    struct paint_area area = overlay_inset_area(paint, corner);
    return (struct paint_area){area.x - 4, area.y - STYLE_LINE - 4, area.width + 8,
                               area.height + STYLE_LINE + 8};
}

void overlay_inset(struct paint *paint, enum overlay_corner corner, const struct paint_image *image,
                   const char *title)
{
    struct paint_area area = overlay_inset_area(paint, corner);
    struct paint_area frame = overlay_inset_frame(paint, corner);
    double letter = fmin(14, 14 * area.width / paint_text_width(paint, 14, title));
    while (letter > 4 && paint_text_width(paint, letter, title) > area.width)
        letter -= 0.5; /* widths of letters are whole pixels */
    paint_rectangle(paint, frame, STYLE_PANEL);
    paint_text(paint, area.x, frame.y + 3, letter, STYLE_TEXT, title);
    if (image->pixels)
        paint_image(paint, area, image, 255);
}

/* Position of a point of the plane on a map, which is not rotated, in units. */
static bool map_position(struct paint_area area, const struct view *map, double re, double im,
                         double position[2])
{
    double re0, im0, re1, im1;
    if (view_point(map, 0, 0, &re0, &im0) != STATUS_OK ||
        view_point(map, map->width, map->height, &re1, &im1) != STATUS_OK)
        return false;
    position[0] = area.x + (re - re0) / (re1 - re0) * area.width;
    position[1] = area.y + (im - im0) / (im1 - im0) * area.height;
    return true;
}

void overlay_here(struct paint *paint, enum overlay_corner corner, const struct view *map,
                  const struct view *view)
{
    struct paint_area area = overlay_inset_area(paint, corner);
    static const int right[4] = {0, 1, 1, 0}, down[4] = {0, 0, 1, 1};
    double at[4][2], re, im;
    for (int i = 0; i < 4; i++)
        if (view_point(view, right[i] * view->width, down[i] * view->height, &re, &im) !=
                STATUS_OK ||
            !map_position(area, map, re, im, at[i]))
            return;
    struct paint_box before = paint_clip(paint, area);
    if (fmax(hypot(at[2][0] - at[0][0], at[2][1] - at[0][1]),
             hypot(at[3][0] - at[1][0], at[3][1] - at[1][1])) < SMALL_PX)
        cross(paint, (at[0][0] + at[2][0]) / 2, (at[0][1] + at[2][1]) / 2, 9);
    else
        for (int i = 0; i < 8; i++) {
            const double *from = at[i % 4], *to = at[(i + 1) % 4];
            paint_line(paint, from[0], from[1], to[0], to[1], i < 4 ? 4 : 2,
                       i < 4 ? UINT32_C(0xff000000) : STYLE_ACCENT);
        }
    paint->clip = before;
}

void overlay_point(struct paint *paint, enum overlay_corner corner, const struct view *map,
                   double re, double im)
{
    struct paint_area area = overlay_inset_area(paint, corner);
    double at[2];
    if (!map_position(area, map, re, im, at))
        return;
    struct paint_box before = paint_clip(paint, area);
    cross(paint, fmin(fmax(at[0], area.x), area.x + area.width),
          fmin(fmax(at[1], area.y), area.y + area.height), 9); /* if it lies outside: on the edge */
    paint->clip = before;
}
