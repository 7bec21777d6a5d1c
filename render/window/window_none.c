/* The window of a build without SDL: window_open says so, and nobody gets to call the rest, which
 * is there for the linker, so that the viewer is the same code in every build. */
#include "render/window/window.h"

#include <stddef.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

static enum status none(void)
{
    return status_fail(STATUS_USAGE, "this build has no window; configured with "
                                     "-D DEEPFIELD_WINDOW=ON it has one, by SDL2 and SDL2_ttf");
}

enum status window_open(struct window **window, const struct window_options *options)
{
    *window = NULL;
    return none();
}

void window_close(struct window *window)
{
}

const char *window_driver(const struct window *window)
{
    return "none";
}

const char *window_renderer(const struct window *window)
{
    return "none";
}

bool window_wait(struct window *window, double timeout_s, struct input_event *event)
{
    return false;
}

enum status window_check(const struct window *window)
{
    return none();
}

void window_wake(struct window *window)
{
}

bool window_inject(struct window *window, const struct input_event *event)
{
    return false;
}

char *window_clipboard(struct window *window)
{
    return NULL;
}

enum status window_set_clipboard(struct window *window, const char *text)
{
    return none();
}

void window_size(const struct window *window, int32_t *width, int32_t *height)
{
    *width = *height = 0;
}

double window_ui_scale(const struct window *window)
{
    return 1;
}

void window_set_ui_scale(struct window *window, double scale)
{
}

void window_set_screen(struct window *window, enum window_screen screen)
{
}

enum window_screen window_screen(const struct window *window)
{
    return WINDOW_NORMAL;
}

void window_set_typing(struct window *window, bool typing)
{
}

struct paint *window_paint(struct window *window)
{
    return NULL;
}

enum status window_present(struct window *window, const struct paint_box *changed, int count)
{
    return none();
}

enum status window_read(struct window *window, uint32_t *pixels, int32_t stride)
{
    return none();
}

enum status window_capture(struct window *window, const char *path, enum overwrite overwrite)
{
    return none();
}

/* ---- text ---- */

enum status paint_fonts_open(struct paint_fonts **fonts, const char *path)
{
    *fonts = NULL;
    return none();
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

double paint_text_height(struct paint *paint, double size)
{
    return 0;
}

size_t paint_text_fit(struct paint *paint, double size, const char *text, double width)
{
    return 0;
}
