/* The style of panels and letters. Colours are 0xAARRGGBB, lengths are units of
 * render/window/paint.h. Letters reach a contrast of 4.5 : 1 on a panel over any picture. */
#ifndef APP_VIEWER_OVERLAYS_STYLE_H
#define APP_VIEWER_OVERLAYS_STYLE_H

#include <stdint.h>

#define STYLE_PANEL UINT32_C(0xd8101216)
#define STYLE_PAGE UINT32_C(0xee101216) /* a panel full of text */
#define STYLE_PANEL_LIGHT UINT32_C(0xff2a2e36)
#define STYLE_TEXT UINT32_C(0xfff4f4f4)
#define STYLE_DIM UINT32_C(0xffb8c0c8)
#define STYLE_ACCENT UINT32_C(0xffffb454)
#define STYLE_ALARM UINT32_C(0xffff8f80)
#define STYLE_BAR UINT32_C(0xff5ec8e0)
#define STYLE_BAR_BACK UINT32_C(0xff3a404a)
#define STYLE_SELECTED UINT32_C(0xff2f5f8f) /* behind the letters of a selection */

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
