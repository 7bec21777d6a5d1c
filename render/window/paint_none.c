/* Text of a build without SDL: none is drawn. */
#include "render/window/paint.h"

#include <stddef.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

enum status paint_fonts_open(struct paint_fonts **fonts, const char *path)
{
    *fonts = NULL;
    return status_fail(STATUS_USAGE, "this build has no window; configured with "
                                     "-D DEEPFIELD_WINDOW=ON it has one, by SDL2 and SDL2_ttf");
}

void paint_fonts_close(struct paint_fonts *fonts)
{
}

double paint_text(struct paint *paint, double x, double y, double size, uint32_t colour,
                  const char *text)
{
    return 0;
}

double paint_text_width(struct paint *paint, double size, const char *text)
{
    return 0;
}

size_t paint_text_fit(struct paint *paint, double size, const char *text, double width)
{
    return 0;
}

double paint_text_height(struct paint *paint, double size)
{
    return 0;
}
