/* Glyphs are drawn once by SDL_ttf and kept as coverage, so that a line of text costs some blending
 * and no call of the font library. */
#include "render/window/paint.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "render/window/sdl.h"
#include "render/window/utf8.h"

enum {
    /* size of the table; when it is half full all glyphs are dropped and drawn anew */
    GLYPHS_MAX = 1 << 14,
    SIZE_PX_MAX = 512
};

struct glyph {
    uint32_t key;      /* size_px << 21 | character; 0: free */
    int32_t left, top; /* position of the coverage, from the pen and from the line's upper edge */
    int32_t width, height, advance;
    uint8_t *coverage; /* [height][width]; NULL for a blank */
};

struct paint_fonts {
    TTF_Font *font;
    int size_px; /* size that the font is set to */
    int used;
    struct glyph glyphs[GLYPHS_MAX];
    int16_t heights[SIZE_PX_MAX + 1]; /* heights of a line; 0: not measured yet */
};

enum status paint_fonts_open(struct paint_fonts **fonts, const char *path)
{
    *fonts = NULL;
    TRY(sdl_load());
    *fonts = calloc(1, sizeof **fonts);
    if (!*fonts)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the glyphs of %s", path);
    enum status status = STATUS_OK;
    if (ttf.Init() != 0) {
        free(*fonts);
        *fonts = NULL;
        return status_fail(STATUS_SYSTEM, "SDL_ttf does not start: %s", sdl.GetError());
    }
    (*fonts)->size_px = 16;
    (*fonts)->font = ttf.OpenFont(path, (*fonts)->size_px);
    if (!(*fonts)->font) {
        status = status_fail(STATUS_NO_INPUT, "cannot use the font %s: %s", path, sdl.GetError());
        paint_fonts_close(*fonts);
        *fonts = NULL;
    } else {
        ttf.SetFontHinting((*fonts)->font, TTF_HINTING_LIGHT);
    }
    return status;
}

static void glyphs_forget(struct paint_fonts *fonts)
{
    for (int i = 0; i < GLYPHS_MAX; i++)
        free(fonts->glyphs[i].coverage);
    memset(fonts->glyphs, 0, sizeof fonts->glyphs);
    fonts->used = 0;
}

void paint_fonts_close(struct paint_fonts *fonts)
{
    if (!fonts)
        return;
    glyphs_forget(fonts);
    if (fonts->font)
        ttf.CloseFont(fonts->font);
    ttf.Quit();
    free(fonts);
}

/* ---- glyphs ---- */

static void size_set(struct paint_fonts *fonts, int size_px)
{
    if (fonts->size_px != size_px)
        ttf.SetFontSize(fonts->font, size_px);
    fonts->size_px = size_px;
}

/* Keeps the alpha of the surface, within the box where it is not 0. */
static void coverage_take(struct glyph *glyph, SDL_Surface *surface)
{
    struct paint_box box = {surface->w, surface->h, 0, 0};
    const uint8_t *bytes = surface->pixels;
    for (int y = 0; y < surface->h; y++)
        for (int x = 0; x < surface->w; x++) {
            uint32_t pixel;
            memcpy(&pixel, bytes + (size_t)y * (size_t)surface->pitch + 4 * (size_t)x, 4);
            if (pixel >> 24) {
                box.left = x < box.left ? x : box.left;
                box.right = x + 1 > box.right ? x + 1 : box.right;
                box.top = y < box.top ? y : box.top;
                box.bottom = y + 1;
            }
        }
    int32_t width = box.right - box.left, height = box.bottom - box.top;
    if (width <= 0 || height <= 0)
        return;
    glyph->coverage = malloc((size_t)width * (size_t)height);
    if (!glyph->coverage)
        return;
    glyph->left += box.left, glyph->top = box.top;
    glyph->width = width, glyph->height = height;
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            uint32_t pixel;
            memcpy(&pixel,
                   bytes + (size_t)(y + box.top) * (size_t)surface->pitch +
                       4 * (size_t)(x + box.left),
                   4);
            glyph->coverage[(size_t)y * (size_t)width + (size_t)x] = (uint8_t)(pixel >> 24);
        }
}

/* SDL_ttf draws a glyph that reaches left of the pen with its left end at the surface's edge. */
static void glyph_draw(struct paint_fonts *fonts, struct glyph *glyph, int size_px, uint32_t c)
{
    int left = 0, advance = 0;
    size_set(fonts, size_px);
    if (ttf.GlyphMetrics32(fonts->font, c, &left, NULL, NULL, NULL, &advance) != 0)
        return;
    glyph->advance = advance;
    glyph->left = left < 0 ? left : 0;
    SDL_Surface *surface =
        ttf.RenderGlyph32_Blended(fonts->font, c, (SDL_Color){255, 255, 255, 255});
    if (surface)
        coverage_take(glyph, surface);
    sdl.FreeSurface(surface);
}

static const struct glyph *glyph_of(struct paint_fonts *fonts, int size_px, int32_t c)
{
    uint32_t key = (uint32_t)size_px << 21 | (uint32_t)(c < ' ' || c == 127 ? ' ' : c);
    uint32_t at = key * 2654435769u >> 18; /* Fibonacci hashing (Knuth, TAOCP 3, 6.4) */
    while (fonts->glyphs[at].key && fonts->glyphs[at].key != key)
        at = (at + 1) % GLYPHS_MAX;
    if (fonts->glyphs[at].key == key)
        return &fonts->glyphs[at];
    if (fonts->used >= GLYPHS_MAX / 2) {
        glyphs_forget(fonts);
        at = key * 2654435769u >> 18;
    }
    fonts->used++;
    fonts->glyphs[at].key = key;
    glyph_draw(fonts, &fonts->glyphs[at], size_px, key & 0x1fffff);
    return &fonts->glyphs[at];
}

/* ---- lines ---- */

static int size_px_of(const struct paint *paint, double size)
{
    double px = floor(size * paint->scale + 0.5);
    return px >= 1 ? px <= SIZE_PX_MAX ? (int)px : SIZE_PX_MAX : 1;
}

static struct paint_box glyph_box(const struct glyph *glyph, int32_t x, int32_t y)
{
    int32_t left = x + glyph->left, top = y + glyph->top;
    return (struct paint_box){left, top, left + glyph->width, top + glyph->height};
}

double paint_text(struct paint *paint, double x, double y, double size, uint32_t colour,
                  const char *text)
{
    int size_px = size_px_of(paint, size);
    struct paint_box at = paint_pixels(paint, (struct paint_area){x, y, 0, 0});
    int64_t pen = at.left;
    for (int32_t c; (c = utf8_next(&text));) {
        const struct glyph *glyph = glyph_of(paint->fonts, size_px, c);
        if (glyph->coverage && pen < 1 << 30)
            paint_coverage(paint, glyph_box(glyph, (int32_t)pen, at.top), glyph->coverage, colour);
        pen += glyph->advance;
    }
    return paint_units(paint, (double)(pen - at.left));
}

double paint_text_width(struct paint *paint, double size, const char *text)
{
    int size_px = size_px_of(paint, size);
    int64_t pen = 0;
    for (int32_t c; (c = utf8_next(&text));)
        pen += glyph_of(paint->fonts, size_px, c)->advance;
    return paint_units(paint, (double)pen);
}

double paint_text_height(struct paint *paint, double size)
{
    struct paint_fonts *fonts = paint->fonts;
    int size_px = size_px_of(paint, size);
    if (!fonts->heights[size_px]) {
        size_set(fonts, size_px);
        fonts->heights[size_px] = (int16_t)ttf.FontLineSkip(fonts->font);
    }
    return paint_units(paint, fonts->heights[size_px]);
}

size_t paint_text_fit(struct paint *paint, double size, const char *text, double width)
{
    int size_px = size_px_of(paint, size);
    double most = width * paint->scale + 0.5, pen = 0;
    const char *at = text, *fits = text;
    for (int32_t c; (c = utf8_next(&at));) {
        pen += glyph_of(paint->fonts, size_px, c)->advance;
        if (pen > most)
            break;
        fits = at;
    }
    return (size_t)(fits - text);
}
