/* The style of panels and letters. Colours are 0xAARRGGBB, lengths are units of
 * render/window/paint.h. Letters reach a contrast of 4.5 : 1 on a panel over any picture. */
#ifndef APP_VIEWER_OVERLAYS_STYLE_H
#define APP_VIEWER_OVERLAYS_STYLE_H

#include <stdbool.h>
#include <stdint.h>

#define STYLE_PANEL STYLE_EITHER(0xd8101216, 0xff000000)
#define STYLE_PAGE STYLE_EITHER(0xee101216, 0xff000000) /* a panel full of text */
#define STYLE_PANEL_LIGHT STYLE_EITHER(0xff2a2e36, 0xff303030)
#define STYLE_TEXT STYLE_EITHER(0xfff4f4f4, 0xffffffff)
#define STYLE_DIM STYLE_EITHER(0xffb8c0c8, 0xffffffff)
#define STYLE_ACCENT STYLE_EITHER(0xffffb454, 0xffffe000)
#define STYLE_ALARM STYLE_EITHER(0xffff8f80, 0xffffd0c8)
#define STYLE_BAR STYLE_EITHER(0xff5ec8e0, 0xff80e8ff)
#define STYLE_BAR_BACK STYLE_EITHER(0xff3a404a, 0xff404040)
#define STYLE_BORDER STYLE_EITHER(0xff3a404a, 0xffffffff)
#define STYLE_SELECTED STYLE_EITHER(0xff2f5f8f, 0xff0050a0) /* behind letters of a selection */

/* One of two colours: the usual one, and one of high contrast, where letters reach 7 : 1. */
#define STYLE_EITHER(usual, contrast) (style_contrast ? UINT32_C(contrast) : UINT32_C(usual))
extern bool style_contrast; /* set before the first frame */
#define STYLE_LARGE 1.5     /* factor of the scale for large text */

#define STYLE_LETTER 16.0 /* size of letters */
#define STYLE_LINE 22.0   /* height of a line */
#define STYLE_GAP 10.0    /* gap around and between panels */

/* A colour of its own for the worker of every rank; neighbours are far apart. Pure. */
uint32_t style_worker(int rank);

/* "1.23 G", "12.3 k", "999": three digits. */
enum { STYLE_NUMBER_BYTES = 24 };
const char *style_number(double value, char text[STYLE_NUMBER_BYTES]);

/* A checked number of any length and size, in five digits: "78643", "4e533". */
enum { STYLE_ZOOM_BYTES = 40 };
const char *style_zoom(const char *zoom, char text[STYLE_ZOOM_BYTES]);

#endif
