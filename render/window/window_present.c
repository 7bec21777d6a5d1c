/* From the frame to the screen: one streaming texture of the output's size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/window/shot.h"
#include "render/window/sdl.h"
#include "render/window/window_parts.h"

enum { FRAME_ALIGNMENT = 64 };

static enum status texture_make(struct window *window)
{
    if (window->texture)
        sdl.DestroyTexture(window->texture);
    window->texture = sdl.CreateTexture(window->renderer, SDL_PIXELFORMAT_ARGB8888,
                                        SDL_TEXTUREACCESS_STREAMING, window->width, window->height);
    if (!window->texture)
        return status_fail(STATUS_SYSTEM, "no picture of %d x %d on the screen: %s", window->width,
                           window->height, sdl.GetError());
    sdl.SetTextureBlendMode(window->texture, SDL_BLENDMODE_NONE);
    sdl.SetTextureScaleMode(window->texture, SDL_ScaleModeNearest);
    return STATUS_OK;
}

double window_scale_within(const struct window *window)
{
    double most =
        fmin((double)window->width / WINDOW_UNITS_WIDE, (double)window->height / WINDOW_UNITS_HIGH);
    return fmin(window->ui_scale, most);
}

enum status window_fit(struct window *window)
{
    int width = 0, height = 0;
    if (sdl.GetRendererOutputSize(window->renderer, &width, &height) != 0 || width < 1 ||
        height < 1)
        return status_fail(STATUS_SYSTEM, "the window has no size: %s", sdl.GetError());
    if (window->pixels && width == window->width && height == window->height)
        return STATUS_OK;
    size_t bytes = (size_t)width * (size_t)height * sizeof *window->pixels;
    uint32_t *pixels = aligned_alloc(FRAME_ALIGNMENT, (bytes + FRAME_ALIGNMENT - 1) /
                                                          FRAME_ALIGNMENT * FRAME_ALIGNMENT);
    if (!pixels)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a window of %d x %d", width,
                           height);
    memset(pixels, 0, bytes);
    free(window->pixels);
    window->pixels = pixels;
    window->width = width, window->height = height;
    window->paint =
        paint_on(pixels, width, height, width, window_scale_within(window), window->fonts);
    return texture_make(window);
}

struct paint *window_paint(struct window *window)
{
    return &window->paint;
}

/* ---- presenting ---- */

static int upload(struct window *window, struct paint_box box)
{
    box.left = box.left > 0 ? box.left : 0;
    box.top = box.top > 0 ? box.top : 0;
    box.right = box.right < window->width ? box.right : window->width;
    box.bottom = box.bottom < window->height ? box.bottom : window->height;
    if (box.right <= box.left || box.bottom <= box.top)
        return 0;
    SDL_Rect rect = {box.left, box.top, box.right - box.left, box.bottom - box.top};
    const uint32_t *from = window->pixels + (int64_t)box.top * window->width + box.left;
    return sdl.UpdateTexture(window->texture, &rect, from, window->width * (int)sizeof *from);
}

/* The texture is the frame; what the renderer shows now is the texture. */
static int show(struct window *window)
{
    int failed = sdl.RenderCopy(window->renderer, window->texture, NULL, NULL);
    if (!failed)
        sdl.RenderPresent(window->renderer);
    return failed;
}

/* After a device was lost the texture is new and empty: all of the frame goes up again. */
static enum status show_whole(struct window *window)
{
    struct paint_box all = {0, 0, window->width, window->height};
    if (!window->texture)
        TRY(texture_make(window));
    if (upload(window, all) != 0 || show(window) != 0)
        return status_fail(STATUS_SYSTEM, "SDL cannot show the picture: %s", sdl.GetError());
    return STATUS_OK;
}

enum status window_present(struct window *window, const struct paint_box *changed, int count)
{
    int failed = 0;
    for (int i = 0; i < count && window->texture && !failed; i++)
        failed = upload(window, changed[i]);
    if (count > 0 && window->texture && !failed && show(window) == 0)
        return STATUS_OK;
    if (failed)
        window_texture_lost(window);
    return show_whole(window);
}

void window_show_again(struct window *window)
{
    if (window->texture)
        show(window);
    else
        show_whole(window); /* if that fails, so will the next window_present */
}

void window_texture_lost(struct window *window)
{
    if (window->texture)
        sdl.DestroyTexture(window->texture);
    window->texture = NULL;
}

/* ---- reading back ---- */

/* The renderer draws the texture once more: what it shows after presenting is undefined. */
enum status window_read(struct window *window, uint32_t *pixels, int32_t stride)
{
    SDL_Rect all = {0, 0, window->width, window->height};
    if (!window->texture || sdl.RenderCopy(window->renderer, window->texture, NULL, NULL) != 0 ||
        sdl.RenderReadPixels(window->renderer, &all, SDL_PIXELFORMAT_ARGB8888, pixels,
                             stride * (int)sizeof *pixels) != 0)
        return status_fail(STATUS_SYSTEM, "cannot read the window: %s", sdl.GetError());
    for (int32_t y = 0; y < window->height; y++)
        for (int32_t x = 0; x < window->width; x++)
            pixels[(int64_t)y * stride + x] |= 0xff000000u;
    return STATUS_OK;
}

enum status window_shot(struct window *window, const char *path, enum overwrite overwrite)
{
    size_t count = (size_t)window->width * (size_t)window->height;
    uint32_t *pixels = malloc(count * sizeof *pixels);
    if (!pixels)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %s", path);
    struct paint_image image = {pixels, window->width, window->height, window->width};
    enum status status = window_read(window, pixels, window->width);
    if (status == STATUS_OK)
        status = shot_write(&image, NULL, path, overwrite);
    free(pixels);
    return status;
}
