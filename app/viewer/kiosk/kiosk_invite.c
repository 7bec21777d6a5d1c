#include "app/viewer/kiosk/kiosk_invite.h"

#include <math.h>
#include <stdio.h>

#include "app/viewer/overlays/strings.h"
#include "app/viewer/overlays/style.h"

#define TITLE 40.0
#define OTHERS 20.0
#define LABEL 24.0
#define RING 46.0    /* greatest radius of the ring around the finger */
#define LIFT 26.0    /* way of the hand down to the picture */
#define PRESSED 0.25 /* part of the period after which the finger is down */
#define RELEASED 0.9 /* part after which it is lifted */
#define SKIN UINT32_C(0xfff4f4f4)
#define OUTLINE UINT32_C(0xff101216)

enum { OTHERS_BYTES = 512, RING_PARTS = 48 };

/* The title in all languages but one, with dots between. */
static void others_join(enum language but, char text[OTHERS_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < LANGUAGES; i++)
        if (i != (int)but)
            used += (size_t)snprintf(text + used, OTHERS_BYTES - used, "%s%s",
                                     used ? "  \xc2\xb7  " : "",
                                     string_in(STRING_STAND_TITLE, (enum language)i));
}

static void line_draw(struct paint *paint, double y, double size, double room, uint32_t colour,
                      const char *text)
{
    double width = paint_text_width(paint, size, text);
    size *= fmin(1, room / fmax(width, 1));
    width = paint_text_width(paint, size, text);
    paint_text(paint, (paint_units(paint, paint->width) - width) / 2, y, size, colour, text);
}

void kiosk_title_draw(struct paint *paint)
{
    char others[OTHERS_BYTES];
    const char *title = string_of(STRING_STAND_TITLE);
    others_join(language_used(), others);
    double whole = paint_units(paint, paint->width), room = whole - 6 * STYLE_GAP;
    double widest =
        fmax(paint_text_width(paint, TITLE, title), paint_text_width(paint, OTHERS, others));
    struct paint_area area = {.y = 2 * STYLE_GAP,
                              .width = fmin(widest, room) + 4 * STYLE_GAP,
                              .height = 1.3 * (TITLE + OTHERS) + STYLE_GAP};
    area.x = (whole - area.width) / 2;
    paint_rectangle(paint, area, STYLE_PANEL);
    line_draw(paint, area.y + 4, TITLE, room, STYLE_TEXT, title);
    line_draw(paint, area.y + 4 + 1.25 * TITLE, OTHERS, room, STYLE_DIM, others);
}

/* ---- the hand ---- */

static void disc_draw(struct paint *paint, double x, double y, double radius, uint32_t colour)
{
    paint_disc(paint, (struct paint_area){x - radius, y - radius, 2 * radius, 2 * radius}, colour);
}

/* Draws a finger or a part of the palm as a thick line with round ends. */
static void limb_draw(struct paint *paint, const double ends[4], double thick, uint32_t colour)
{
    paint_line(paint, ends[0], ends[1], ends[2], ends[3], thick, colour);
    disc_draw(paint, ends[0], ends[1], thick / 2, colour);
    disc_draw(paint, ends[2], ends[3], thick / 2, colour);
}

/* Draws the hand with the tip of its finger at (x, y), twice: a dark one that is a little larger is
 * its outline on any picture. */
static void hand_draw(struct paint *paint, double x, double y)
{
    static const struct {
        double ends[4], thick; /* from the tip */
    } limbs[] = {{{0, 8, 0, 52}, 15},    {{15, 40, 15, 58}, 14}, {{28, 43, 28, 60}, 13},
                 {{40, 48, 40, 62}, 12}, {{-14, 58, 2, 76}, 14}, {{10, 62, 30, 62}, 34},
                 {{14, 78, 28, 78}, 34}};
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < sizeof limbs / sizeof *limbs; i++) {
            const double *from = limbs[i].ends;
            const double ends[4] = {x + from[0], y + from[1], x + from[2], y + from[3]};
            limb_draw(paint, ends, limbs[i].thick + (pass ? 0 : 5), pass ? SKIN : OUTLINE);
        }
}

static void ring_draw(struct paint *paint, double x, double y, double radius, uint32_t colour)
{
    double step = 2 * M_PI / RING_PARTS;
    for (int i = 0; i < RING_PARTS; i++)
        paint_line(paint, x + radius * sin(i * step), y - radius * cos(i * step),
                   x + radius * sin((i + 1) * step), y - radius * cos((i + 1) * step), 4, colour);
}

void kiosk_hand_draw(struct paint *paint, double x_px, double y_px, double at_s)
{
    double x = paint_units(paint, x_px), y = paint_units(paint, y_px);
    double part = at_s < 0 ? RELEASED : fmod(at_s, KIOSK_HAND_PERIOD_S) / KIOSK_HAND_PERIOD_S;
    double down = fmin(part / PRESSED, 1), up = fmax((part - RELEASED) / (1 - RELEASED), 0);
    double lift = LIFT * (1 - down + up), held = (part - PRESSED) / (RELEASED - PRESSED);
    for (int i = 1; i <= 3 && held > 0; i++)
        if (held >= i / 4.0 || at_s < 0)
            ring_draw(paint, x, y, RING * i / 3, STYLE_ACCENT);
    hand_draw(paint, x + lift / 3, y + lift);
    const char *label = string_of(STRING_STAND_HOLD);
    double width = paint_text_width(paint, LABEL, label), whole = paint_units(paint, paint->width);
    struct paint_area area = {.y = fmax(y - RING - LABEL - 3 * STYLE_GAP, STYLE_GAP),
                              .width = width + 2 * STYLE_GAP,
                              .height = 1.5 * LABEL};
    area.x = fmin(fmax(x - area.width / 2, STYLE_GAP), whole - area.width - STYLE_GAP);
    paint_rectangle(paint, area, STYLE_PANEL);
    paint_text(paint, area.x + STYLE_GAP, area.y + 4, LABEL, STYLE_TEXT, label);
}
