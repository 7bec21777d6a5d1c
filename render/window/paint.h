/* Painting of text, lines and images into pixels in memory, without a window.
 *
 * Positions and lengths are in units of `scale` pixels of the output, so that a layout grows with
 * --ui-scale. Edges of rectangles are rounded to whole pixels, so that areas that touch in units
 * touch in pixels. Colours are 0xAARRGGBB in sRGB, not multiplied by their alpha; blending is in
 * sRGB values, as is usual for panels. All drawing is clipped; positions may lie anywhere. The same
 * calls make the same bits on every machine with the same font library. */
#ifndef RENDER_WINDOW_PAINT_H
#define RENDER_WINDOW_PAINT_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

struct paint_fonts; /* cache of glyphs of all used sizes */

struct paint_box { /* pixels; empty if right <= left or bottom <= top */
    int32_t left, top, right, bottom;
};

struct paint_area { /* units */
    double x, y, width, height;
};

struct paint {
    uint32_t *pixels; /* [height][stride] */
    int32_t width, height, stride;
    double scale;              /* pixels per unit */
    struct paint_fonts *fonts; /* borrowed */
    struct paint_box clip;     /* limit of drawing; never exceeds the picture */
    struct paint_box touched;  /* box of all drawing since the owner emptied it */
};

struct paint_image {
    const uint32_t *pixels; /* 0xAARRGGBB, [height][stride] */
    int32_t width, height, stride;
};

/* Opens one TrueType font for all text. STATUS_NO_INPUT, STATUS_OUT_OF_MEMORY. One thread at a
 * time. */
enum status paint_fonts_open(struct paint_fonts **fonts, const char *path);
void paint_fonts_close(struct paint_fonts *fonts); /* accepts NULL */

/* Painter of these pixels, not clipped, nothing touched. */
struct paint paint_on(uint32_t *pixels, int32_t width, int32_t height, int32_t stride, double scale,
                      struct paint_fonts *fonts);

/* Conversion of pixels to units and back, and pixels of an area. */
double paint_units(const struct paint *paint, double px);
struct paint_box paint_pixels(const struct paint *paint, struct paint_area area);

/* Limits drawing to the area, within the present clip; returns the present clip, which the caller
 * restores by paint->clip = old. */
struct paint_box paint_clip(struct paint *paint, struct paint_area area);

void paint_rectangle(struct paint *paint, struct paint_area area, uint32_t colour);
/* Draws the border of an area, `thickness` units inside its edges, at least a pixel. */
void paint_border(struct paint *paint, struct paint_area area, double thickness, uint32_t colour);
/* Draws a line with soft edges and square ends, at least a pixel wide. */
void paint_line(struct paint *paint, double x0, double y0, double x1, double y1, double thickness,
                uint32_t colour);
/* Draws a disc that fills the area, with a soft edge. */
void paint_disc(struct paint *paint, struct paint_area area, uint32_t colour);
/* Draws a triangle with soft edges: x, y of its corners, in any order. */
void paint_triangle(struct paint *paint, const double corners[6], uint32_t colour);
/* Fills with colours interpolated between the corners: upper left, upper right, lower left, lower
 * right; alpha too. */
void paint_gradient(struct paint *paint, struct paint_area area, const uint32_t corners[4]);
/* Fills from left to right up to `share`, 0 ... 1, the rest in `back`. */
void paint_bar(struct paint *paint, struct paint_area area, double share, uint32_t colour,
               uint32_t back);
/* Blends a colour with the `coverage`, [height][width] of the box in pixels, 0 ... 255. */
void paint_coverage(struct paint *paint, struct paint_box box, const uint8_t *coverage,
                    uint32_t colour);
/* Draws the whole image in the area, blended by its own alpha times `opacity`, 0 ... 255. Copied if
 * it has the size of the area, else averaged or interpolated. */
void paint_image(struct paint *paint, struct paint_area area, const struct paint_image *image,
                 int opacity);

/* Draws one line of UTF-8, `size` units high, with lines about 1.2 of that apart; (x, y) is the
 * upper left corner of the line. Invalid UTF-8 and characters missing in the font show as a box;
 * control characters are spaces. Returns the width in units. */
double paint_text(struct paint *paint, double x, double y, double size, uint32_t colour,
                  const char *text);
double paint_text_width(struct paint *paint, double size, const char *text);
double paint_text_height(struct paint *paint, double size); /* height of a line */

/* Number of bytes of the text that fit into `width` units, cut between characters. */
size_t paint_text_fit(struct paint *paint, double size, const char *text, double width);

/* Draws text in lines, cut between words and, within a word that is wider than `width` units,
 * between characters; `line` units from one to the next. Colour 0 draws nothing. Returns the number
 * of lines, 0 for no text. */
int paint_paragraph(struct paint *paint, double x, double y, double size, double line, double width,
                    uint32_t colour, const char *text);

#endif
