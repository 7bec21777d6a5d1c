/* From the frame to the screen: one streaming texture of the output's size, or where the processor
 * draws the memory that the window has of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/warp.h"
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

/* The window's own memory, if it holds pixels as the frame does. It is another one after the window
 * has changed its size. */
static SDL_Surface *window_memory(struct window *window)
{
    SDL_Surface *surface = sdl.GetWindowSurface(window->sdl);
    if (!surface || SDL_MUSTLOCK(surface))
        return NULL;
    const SDL_PixelFormat *format = surface->format;
    bool same = format->BytesPerPixel == 4 && format->Rmask == 0xff0000 &&
                format->Gmask == 0xff00 && format->Bmask == 0xff;
    return same ? surface : NULL;
}

bool window_takes_pixels(struct window *window)
{
    return window_memory(window) != NULL;
}

static bool output_size(struct window *window, int *width, int *height)
{
    if (window->renderer)
        return sdl.GetRendererOutputSize(window->renderer, width, height) == 0;
    SDL_Surface *memory = window_memory(window);
    *width = memory ? memory->w : 0;
    *height = memory ? memory->h : 0;
    return memory;
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
    if (!output_size(window, &width, &height) || width < 1 || height < 1)
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
    return window->renderer ? texture_make(window) : STATUS_OK;
}

struct paint *window_paint(struct window *window)
{
    return &window->paint;
}

/* ---- presenting ---- */

/* Cut to the frame; false: nothing is left. */
static bool box_cut(const struct window *window, struct paint_box *box)
{
    box->left = box->left > 0 ? box->left : 0;
    box->top = box->top > 0 ? box->top : 0;
    box->right = box->right < window->width ? box->right : window->width;
    box->bottom = box->bottom < window->height ? box->bottom : window->height;
    return box->right > box->left && box->bottom > box->top;
}

static SDL_Rect rect_of(const struct paint_box *box)
{
    return (SDL_Rect){box->left, box->top, box->right - box->left, box->bottom - box->top};
}

static int upload(struct window *window, struct paint_box box)
{
    if (!box_cut(window, &box))
        return 0;
    SDL_Rect rect = rect_of(&box);
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

/* While the window changes its size there is nothing to copy into: the resize is on its way. */
static enum status copy_in(struct window *window, const struct paint_box *changed, int count)
{
    struct paint_box all = {0, 0, window->width, window->height};
    struct warp_image frame = {window->pixels, window->width, window->height, window->width};
    for (int i = 0; i < (count > 0 ? count : 1); i++) {
        struct paint_box box = count > 0 ? changed[i] : all;
        SDL_Surface *memory = window_memory(window);
        if (!memory || memory->w != window->width || memory->h != window->height)
            return STATUS_OK;
        if (!box_cut(window, &box))
            continue;
        struct warp_image to = {memory->pixels, memory->w, memory->h, memory->pitch / 4};
        SDL_Rect rect = rect_of(&box);
        warp_copy(&frame, &to, box.left, box.top, box.right, box.bottom);
        if (sdl.UpdateWindowSurfaceRects(window->sdl, &rect, 1) != 0)
            return status_fail(STATUS_SYSTEM, "SDL cannot show the picture: %s", sdl.GetError());
    }
    return STATUS_OK;
}

enum status window_present(struct window *window, const struct paint_box *changed, int count)
{
    if (!window->renderer)
        return copy_in(window, changed, count);
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
    if (!window->renderer)
        copy_in(window, NULL, 0);
    else if (window->texture)
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

static bool memory_read(struct window *window, uint32_t *pixels, int32_t stride)
{
    SDL_Surface *memory = window_memory(window);
    if (!memory || memory->w != window->width || memory->h != window->height)
        return false;
    struct warp_image from = {memory->pixels, memory->w, memory->h, memory->pitch / 4};
    struct warp_image to = {pixels, window->width, window->height, stride};
    warp_copy(&from, &to, 0, 0, window->width, window->height);
    return true;
}

/* The renderer draws the texture once more: what it shows after presenting is undefined. */
static bool renderer_read(struct window *window, uint32_t *pixels, int32_t stride)
{
    SDL_Rect all = {0, 0, window->width, window->height};
    return window->texture && sdl.RenderCopy(window->renderer, window->texture, NULL, NULL) == 0 &&
           sdl.RenderReadPixels(window->renderer, &all, SDL_PIXELFORMAT_ARGB8888, pixels,
                                stride * (int)sizeof *pixels) == 0;
}

enum status window_read(struct window *window, uint32_t *pixels, int32_t stride)
{
    if (window->renderer ? !renderer_read(window, pixels, stride)
                         : !memory_read(window, pixels, stride))
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
