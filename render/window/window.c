#include "render/window/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/window/sdl.h"
#include "render/window/window_parts.h"

/* Outlives the window, because reports are printed after it. */
static char renderer_name[32];

bool window_built(void)
{
    return true;
}

/* ---- opening ---- */

/* Touches are fingers and no mouse, and the mouse is no finger; Ctrl-C is the program's. The
 * mouse's first click counts although the window was not active: there is nothing to hit by
 * mistake. */
static void hints_set(const struct window_options *options)
{
    sdl.SetHint(SDL_HINT_TOUCH_MOUSE_EVENTS, "0");
    sdl.SetHint(SDL_HINT_MOUSE_TOUCH_EVENTS, "0");
    sdl.SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    sdl.SetHint(SDL_HINT_POLL_SENTINEL, "0");
    sdl.SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    sdl.SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1");
    sdl.SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    sdl.SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    sdl.SetHint(SDL_HINT_APP_NAME, "deepfield");
    if (options->pads)
        sdl.SetHint(SDL_HINT_GAMECONTROLLERCONFIG_FILE, options->pads);
}

#define REMEDY                                                                          \
    "deepfield view needs a display: DISPLAY or WAYLAND_DISPLAY must name one; over a " \
    "network, ssh -X or ssh -Y brings one along; with --script FILE none is needed "    \
    "(SDL_VIDEODRIVER=dummy)"

/* SDL falls back to drivers that nobody would see, without a word. */
static enum status driver_check(struct window *window, enum window_user user)
{
    const char *driver = sdl.GetCurrentVideoDriver();
    window->alone = driver && strcmp(driver, "dummy") == 0;
    if (driver && strcmp(driver, "offscreen") == 0)
        return status_fail(STATUS_NO_DEVICE, "no display that anybody could see. " REMEDY);
    if (window->alone && user != WINDOW_SCRIPT)
        return status_fail(STATUS_NO_DEVICE,
                           "SDL_VIDEODRIVER is dummy, which shows nothing. " REMEDY);
    return STATUS_OK;
}

static bool on_x11(void)
{
    const char *driver = sdl.GetCurrentVideoDriver();
    return driver && strcmp(driver, "x11") == 0;
}

/* A script on a machine without a display gets SDL's dummy. */
static enum status sdl_start(struct window *window, const struct window_options *options)
{
    sdl.SetMainReady();
    hints_set(options);
    window_x11_guard(options->display_ended);
    int failed = sdl.InitSubSystem(SDL_INIT_VIDEO);
    const char *driver = failed ? NULL : sdl.GetCurrentVideoDriver();
    if (options->user == WINDOW_SCRIPT && (!driver || strcmp(driver, "offscreen") == 0)) {
        if (driver)
            sdl.QuitSubSystem(SDL_INIT_VIDEO);
        sdl.SetHint(SDL_HINT_VIDEODRIVER, "dummy");
        failed = sdl.InitSubSystem(SDL_INIT_VIDEO);
    }
    if (failed)
        return status_fail(STATUS_NO_DEVICE, "SDL finds no display (%s). " REMEDY, sdl.GetError());
    TRY(driver_check(window, options->user));
    sdl.InitSubSystem(SDL_INIT_GAMECONTROLLER); /* without it there are no pads, and that is all */
    return STATUS_OK;
}

static bool is_managed(void)
{
    return !on_x11() || window_x11_is_managed();
}

static enum status sdl_window_open(struct window *window, const struct window_options *options)
{
    Uint32 flags = SDL_WINDOW_ALLOW_HIGHDPI | SDL_WINDOW_RESIZABLE;
    if (options->screen == WINDOW_FULLSCREEN && is_managed())
        flags |= SDL_WINDOW_FULLSCREEN_DESKTOP;
    int width = options->width > 0 ? options->width : 1280;
    int height = options->height > 0 ? options->height : 720;
    window->sdl = sdl.CreateWindow(options->title, SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED,
                                   width, height, flags);
    if (!window->sdl)
        return status_fail(STATUS_SYSTEM, "no window of %d x %d: %s", width, height,
                           sdl.GetError());
    sdl.SetWindowMinimumSize(window->sdl, 160, 120);
    return STATUS_OK;
}

static void renderer_close(struct window *window)
{
    if (window->renderer)
        sdl.DestroyRenderer(window->renderer);
    if (window->sdl)
        sdl.DestroyWindow(window->sdl);
    window->renderer = NULL;
    window->sdl = NULL;
}

/* Is OpenGL played by Mesa on the processor? Then it takes threads from those that compute, and
 * shows 1920 x 1080 in 14 ms where SDL's own renderer takes 3 (Xvfb, two cores of an AMD EPYC). */
static bool gl_is_played(void)
{
    enum { GL_RENDERER_NAME = 0x1f01 };
    const unsigned char *(*get_string)(unsigned) = NULL;
    void *found = sdl.GL_GetCurrentContext() ? sdl.GL_GetProcAddress("glGetString") : NULL;
    memcpy(&get_string, &found, sizeof found); /* ISO C does not convert it */
    const char *name = found ? (const char *)get_string(GL_RENDERER_NAME) : NULL;
    return name && (strstr(name, "llvmpipe") || strstr(name, "softpipe"));
}

/* What SDL's own renderer would do in two copies of the frame, on one core. */
static bool pixels_open(struct window *window)
{
    snprintf(renderer_name, sizeof renderer_name, "software");
    return window_takes_pixels(window);
}

/* Window and renderer. A GPU that waits for the screen, else one that does not, else the processor,
 * for which the window must never have been OpenGL's; but SDL 2 shows nothing of its own on
 * Wayland, so last any OpenGL is taken. */
static enum status renderer_open(struct window *window, const struct window_options *options)
{
    enum { PIXELS = 2, SOFTWARE, TRIES = 5 };
    static const Uint32 flags[TRIES] = {
        SDL_RENDERER_ACCELERATED | SDL_RENDERER_PRESENTVSYNC,
        SDL_RENDERER_ACCELERATED, [SOFTWARE] = SDL_RENDERER_SOFTWARE, SDL_RENDERER_ACCELERATED};
    bool asked = sdl.GetHint(SDL_HINT_RENDER_DRIVER) != NULL; /* SDL_RENDER_DRIVER */
    int first = options->software || window->alone ? PIXELS : 0;
    for (int i = first; i < TRIES && !window->renderer; i++) {
        TRY(sdl_window_open(window, options));
        if (i == PIXELS && pixels_open(window))
            return STATUS_OK;
        if (i != PIXELS)
            window->renderer = sdl.CreateRenderer(window->sdl, -1, flags[i]);
        if (!window->renderer || (i < PIXELS && !asked && gl_is_played()))
            renderer_close(window);
    }
    SDL_RendererInfo info;
    if (!window->renderer || sdl.GetRendererInfo(window->renderer, &info) != 0)
        return status_fail(STATUS_SYSTEM, "SDL cannot draw into its window: %s", sdl.GetError());
    snprintf(renderer_name, sizeof renderer_name, "%s", info.name);
    return STATUS_OK;
}

static double clamped_scale(double scale)
{
    return scale > WINDOW_UI_SCALE_MIN ? scale < WINDOW_UI_SCALE_MAX ? scale : WINDOW_UI_SCALE_MAX
                                       : WINDOW_UI_SCALE_MIN;
}

/* 96 dots per inch are scale 1, in quarters; where SDL scales windows itself, that too. What a
 * screen says of its size is often wrong, so nothing below 1.25 is believed. */
static double guessed_scale(const struct window *window)
{
    float dpi = 0;
    int width = 0, ignored;
    sdl.GetWindowSize(window->sdl, &width, &ignored);
    double scaled = width > 0 ? (double)window->width / width : 1;
    int display = sdl.GetWindowDisplayIndex(window->sdl);
    if (display < 0 || sdl.GetDisplayDPI(display, NULL, &dpi, NULL) != 0)
        dpi = 0;
    return fmax(scaled, floor(dpi / 96 * 4) / 4);
}

static enum status open_all(struct window *window, const struct window_options *options)
{
    TRY(window_queue_open(window));
    TRY(sdl_load());
    TRY(sdl_start(window, options));
    TRY(paint_fonts_open(&window->fonts, options->font));
    TRY(renderer_open(window, options));
    if (on_x11())
        window_x11_watch(window->sdl);
    if (options->screen == WINDOW_FULLSCREEN && window_screen(window) != WINDOW_FULLSCREEN)
        window_set_screen(window, WINDOW_FULLSCREEN);
    TRY(window_fit(window));
    window_set_ui_scale(window, options->ui_scale > 0 ? options->ui_scale : guessed_scale(window));
    sdl.StopTextInput();
    sdl.EventState(SDL_DROPFILE, SDL_ENABLE);
    sdl.EventState(SDL_DROPTEXT, SDL_ENABLE);
    return STATUS_OK;
}

enum status window_open(struct window **window, const struct window_options *options)
{
    *window = calloc(1, sizeof **window);
    if (!*window)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a window");
    enum status status = open_all(*window, options);
    if (status != STATUS_OK) {
        window_close(*window);
        *window = NULL;
    }
    return status;
}

void window_close(struct window *window)
{
    if (!window)
        return;
    window_pads_close(window);
    if (window->texture)
        sdl.DestroyTexture(window->texture);
    renderer_close(window);
    paint_fonts_close(window->fonts);
    if (sdl.Quit)
        sdl.Quit();
    window_queue_close(window);
    free(window->pixels);
    free(window);
}

/* ---- asking and setting ---- */

enum status window_check(const struct window *window)
{
    (void)window;
    if (on_x11() && window_x11_is_destroyed())
        return status_fail(STATUS_SYSTEM, "the window is gone: another program destroyed it");
    return STATUS_OK;
}

const char *window_driver(const struct window *window)
{
    (void)window;
    const char *driver = sdl.GetCurrentVideoDriver();
    return driver ? driver : "none";
}

const char *window_renderer(const struct window *window)
{
    (void)window;
    return renderer_name;
}

void window_size(const struct window *window, int32_t *width, int32_t *height)
{
    *width = window->width;
    *height = window->height;
}

double window_ui_scale(const struct window *window)
{
    return window->ui_scale;
}

void window_set_ui_scale(struct window *window, double scale)
{
    window->ui_scale = clamped_scale(scale);
    window->paint.scale = window_scale_within(window);
}

/* Where nobody else manages windows. */
static void cover(struct window *window, enum window_screen screen)
{
    int *at = window->restored, display = sdl.GetWindowDisplayIndex(window->sdl);
    SDL_Rect all;
    if (window->covers == (screen == WINDOW_FULLSCREEN))
        return;
    if (!window->covers && (display < 0 || sdl.GetDisplayBounds(display, &all) != 0))
        return;
    if (!window->covers) {
        sdl.GetWindowPosition(window->sdl, &at[0], &at[1]);
        sdl.GetWindowSize(window->sdl, &at[2], &at[3]);
    } else
        all = (SDL_Rect){at[0], at[1], at[2], at[3]};
    sdl.SetWindowSize(window->sdl, all.w, all.h);
    sdl.SetWindowPosition(window->sdl, all.x, all.y);
    window->covers = !window->covers;
}

void window_set_screen(struct window *window, enum window_screen screen)
{
    if (window->covers || !is_managed()) {
        cover(window, screen);
        return;
    }
    sdl.SetWindowFullscreen(window->sdl,
                            screen == WINDOW_FULLSCREEN ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
}

enum window_screen window_screen(const struct window *window)
{
    bool full = window->covers || sdl.GetWindowFlags(window->sdl) & SDL_WINDOW_FULLSCREEN;
    return full ? WINDOW_FULLSCREEN : WINDOW_NORMAL;
}

void window_set_title(struct window *window, const char *title)
{
    sdl.SetWindowTitle(window->sdl, title);
}

void window_show_cursor(struct window *window, bool shown)
{
    (void)window;
    sdl.ShowCursor(shown ? SDL_ENABLE : SDL_DISABLE);
}

void window_set_typing(struct window *window, bool typing)
{
    (void)window;
    if (typing)
        sdl.StartTextInput();
    else
        sdl.StopTextInput();
}

char *window_clipboard(struct window *window)
{
    (void)window;
    char *text = sdl.HasClipboardText() ? sdl.GetClipboardText() : NULL;
    char *copy = text && text[0] ? strdup(text) : NULL;
    sdl.free(text);
    return copy;
}

enum status window_set_clipboard(struct window *window, const char *text)
{
    (void)window;
    if (sdl.SetClipboardText(text) != 0)
        return status_fail(STATUS_SYSTEM, "the clipboard takes no text: %s", sdl.GetError());
    return STATUS_OK;
}
