/* Text, lines and pictures over the field: drawn into pixels in memory, without a window.
 *
 * Places and lengths are in units: `scale` pixels of the output each, so that a layout is written
 * once and grows with --ui-scale. Edges of rectangles are rounded to whole pixels, so that areas
 * that touch in units touch in pixels. Colours are 0xAARRGGBB in sRGB, not multiplied by their
 * alpha; blending is in sRGB values, as everybody does it for panels. All of it is clipped; places
 * may lie anywhere. The same calls make the same bits on every machine with the same font library.
 */
#ifndef RENDER_WINDOW_PAINT_H
#define RENDER_WINDOW_PAINT_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

struct paint_fonts; /* glyphs of all sizes that were used, kept */

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
    struct paint_box clip;     /* nothing is drawn outside; never exceeds the picture */
    struct paint_box touched;  /* where something was drawn since the owner emptied it */
};

struct paint_image {
    const uint32_t *pixels; /* 0xAARRGGBB, [height][stride] */
    int32_t width, height, stride;
};

/* One TrueType font for all. STATUS_NO_INPUT, STATUS_OUT_OF_MEMORY. One thread at a time. */
enum status paint_fonts_open(struct paint_fonts **fonts, const char *path);
void paint_fonts_close(struct paint_fonts *fonts); /* accepts NULL */

/* A painter of these pixels, not clipped, nothing touched. */
struct paint paint_on(uint32_t *pixels, int32_t width, int32_t height, int32_t stride, double scale,
                      struct paint_fonts *fonts);

/* Pixels <-> units, and the pixels of an area. */
double paint_units(const struct paint *paint, double px);
struct paint_box paint_pixels(const struct paint *paint, struct paint_area area);

/* Draws within the area only, and within what was set before; what was set before is returned, to
 * be put back by paint->clip = old. */
struct paint_box paint_clip(struct paint *paint, struct paint_area area);

void paint_rectangle(struct paint *paint, struct paint_area area, uint32_t colour);
/* Its border, `thickness` units inside its edges, at least a pixel. */
void paint_border(struct paint *paint, struct paint_area area, double thickness, uint32_t colour);
/* A line with soft edges and square ends, at least a pixel wide. */
void paint_line(struct paint *paint, double x0, double y0, double x1, double y1, double thickness,
                uint32_t colour);
/* A disc that fills the area, with a soft edge. */
void paint_disc(struct paint *paint, struct paint_area area, uint32_t colour);
/* A triangle with soft edges: x, y of its corners, in any order. */
void paint_triangle(struct paint *paint, const double corners[6], uint32_t colour);
/* Colours that go straight from corner to corner: upper left, upper right, lower left, lower right;
 * alpha too. */
void paint_gradient(struct paint *paint, struct paint_area area, const uint32_t corners[4]);
/* From left to right filled up to `share`, 0 ... 1, the rest in `back`. */
void paint_bar(struct paint *paint, struct paint_area area, double share, uint32_t colour,
               uint32_t back);
/* A colour where `coverage`, [height][width] of the box in pixels, says how much of it, 0 ... 255.
 */
void paint_coverage(struct paint *paint, struct paint_box box, const uint8_t *coverage,
                    uint32_t colour);
/* The whole image in the area, blended by its own alpha times `opacity`, 0 ... 255. Copied where it
 * has as many pixels as the area, else averaged or interpolated. */
void paint_image(struct paint *paint, struct paint_area area, const struct paint_image *image,
                 int opacity);

/* One line of UTF-8, `size` units high from line to line about 1.2 of that; (x, y) is the upper
 * left corner of the line. What is no UTF-8 and what the font lacks shows as a box; control
 * characters are spaces. Returns the units that it is wide. */
double paint_text(struct paint *paint, double x, double y, double size, uint32_t colour,
                  const char *text);
double paint_text_width(struct paint *paint, double size, const char *text);
double paint_text_height(struct paint *paint, double size); /* of a line */

/* How many bytes of the text fit into `width` units, cut between characters? */
size_t paint_text_fit(struct paint *paint, double size, const char *text, double width);

/* Text in as many lines as it takes, cut between words and, within a word that is wider than
 * `width` units, between characters; `line` units from one to the next. Colour 0 draws nothing.
 * Returns how many lines there are, 0 for no text. */
int paint_paragraph(struct paint *paint, double x, double y, double size, double line, double width,
                    uint32_t colour, const char *text);

#endif
