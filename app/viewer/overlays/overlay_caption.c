#include <math.h>

#include "app/viewer/overlays/overlay.h"
#include "app/viewer/overlays/style.h"

#define LETTER 20.0
#define LINE 27.0
#define WIDE 900.0 /* no line is longer: it would be hard to read */

double overlay_caption(struct paint *paint, const char *text, const char *where)
{
    double width = paint_units(paint, paint->width), most = fmin(WIDE, width - 4 * STYLE_GAP);
    int lines = paint_paragraph(paint, 0, 0, LETTER, LINE, most, 0, text);
    struct paint_area area = {.width = most + 2 * STYLE_GAP,
                              .height = lines * LINE + STYLE_LINE + STYLE_GAP};
    area.x = (width - area.width) / 2;
    area.y = paint_units(paint, paint->height) - area.height - STYLE_GAP;
    paint_rectangle(paint, area, STYLE_PAGE);
    paint_text(paint,
               area.x + area.width - STYLE_GAP - paint_text_width(paint, STYLE_LETTER, where),
               area.y + 4, STYLE_LETTER, STYLE_DIM, where);
    paint_paragraph(paint, area.x + STYLE_GAP, area.y + STYLE_LINE, LETTER, LINE, most, STYLE_TEXT,
                    text);
    return area.y;
}
