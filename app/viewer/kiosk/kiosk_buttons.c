#include "app/viewer/kiosk/kiosk_buttons.h"

#include <math.h>
#include <stdio.h>

#include "app/viewer/kiosk/take_away.h"
#include "app/viewer/overlays/strings.h"
#include "app/viewer/overlays/style.h"

#define SIGN 36.0
#define SMALLEST 12.0 /* letters of a label that is long */
#define RING 60.0     /* radius */
#define PI 3.14159265358979323846
#define DIGIT 72.0
#define TEXT 24.0
#define LETTER 20.0 /* letters of a sentence */
#define LINE 27.0
#define SENTENCE 1000.0 /* longest line: a longer one would be hard to read */

enum { RING_PARTS = 90, DIGITS_WIDE = 3 };

static const struct {
    const char *sign;
    enum string label;
} faces[KIOSK_BUTTONS] = {
    [KIOSK_BUTTON_HOME] = {"\xe2\x8c\x82", STRING_STAND_HOME},         /* a house */
    [KIOSK_BUTTON_OUT] = {"\xe2\x88\x92", STRING_STAND_OUT},           /* minus */
    [KIOSK_BUTTON_PALETTE] = {"\xe2\x97\x90", STRING_STAND_PALETTE},   /* a circle, half black */
    [KIOSK_BUTTON_SURPRISE] = {"\xe2\x9a\x84", STRING_STAND_SURPRISE}, /* a die */
    [KIOSK_BUTTON_PLAY] = {"\xe2\x96\xb6", STRING_STAND_TOUR},         /* a triangle */
    [KIOSK_BUTTON_LANGUAGE] = {"", STRING_STAND_LANGUAGE},
    [KIOSK_BUTTON_MORE] = {"\xe2\x80\xa6", STRING_STAND_MORE},           /* three dots */
    [KIOSK_BUTTON_CHALLENGE] = {"\xe2\x9a\x91", STRING_CHALLENGE},       /* a flag */
    [KIOSK_BUTTON_RANKS] = {"\xe2\x89\xa1", STRING_STAND_RANKS},         /* three bars */
    [KIOSK_BUTTON_TAKE_AWAY] = {"\xe2\x96\xa6", STRING_STAND_TAKE_AWAY}, /* a square of squares */
};
static const char pause_sign[] = "\xe2\x80\x96";

/* ---- the row ---- */

bool kiosk_button_is_there(struct kiosk_rows rows, enum kiosk_button button)
{
    return (button != KIOSK_BUTTON_TAKE_AWAY || take_away_possible()) &&
           (button != KIOSK_BUTTON_RANKS || rows.ranks) && (rows.more || (int)button < KIOSK_ROW);
}

const char *kiosk_button_sign(enum kiosk_button button, bool plays)
{
    return button == KIOSK_BUTTON_PLAY && plays ? pause_sign : faces[button].sign;
}

enum string kiosk_button_label(enum kiosk_button button)
{
    return faces[button].label;
}

/* Number of the buttons from `first` on that are there, before `end`. */
static int buttons_between(struct kiosk_rows rows, int first, int end)
{
    int buttons = 0;
    for (int i = first; i < end; i++)
        buttons += kiosk_button_is_there(rows, (enum kiosk_button)i);
    return buttons;
}

struct paint_area kiosk_button_area(const struct paint *paint, struct kiosk_rows rows,
                                    enum kiosk_button button)
{
    double wide = paint_units(paint, paint->width), high = paint_units(paint, paint->height);
    bool second = (int)button >= KIOSK_ROW;
    int first = second ? KIOSK_ROW : 0;
    int buttons = buttons_between(rows, first, second ? (int)KIOSK_BUTTONS : (int)KIOSK_ROW);
    double pitch = fmin(KIOSK_BUTTON_WIDTH + STYLE_GAP, (wide - STYLE_GAP) / KIOSK_ROW);
    double left = (wide - pitch * buttons + STYLE_GAP) / 2;
    double height = fmin(KIOSK_BUTTON_HEIGHT, high / 4);
    return (struct paint_area){left + pitch * buttons_between(rows, first, (int)button),
                               high - (height + STYLE_GAP) * (second ? 2 : 1), pitch - STYLE_GAP,
                               height};
}

double kiosk_buttons_top(const struct paint *paint, struct kiosk_rows rows)
{
    return kiosk_button_area(paint, rows,
                             rows.more ? (enum kiosk_button)KIOSK_ROW : KIOSK_BUTTON_HOME)
        .y;
}

static bool is_inside(const struct paint_area *area, double x, double y)
{
    return x >= area->x && x < area->x + area->width && y >= area->y && y < area->y + area->height;
}

enum kiosk_button kiosk_button_at(const struct paint *paint, struct kiosk_rows rows, double x_px,
                                  double y_px)
{
    double x = paint_units(paint, x_px), y = paint_units(paint, y_px);
    int button = 0;
    for (; button < KIOSK_BUTTONS; button++) {
        struct paint_area area = kiosk_button_area(paint, rows, (enum kiosk_button)button);
        /* Hands hide what they point at: the gaps and the edge below belong to the buttons. */
        area.x -= STYLE_GAP / 2;
        area.width += STYLE_GAP;
        area.height += button < KIOSK_ROW ? STYLE_GAP : 0;
        if (kiosk_button_is_there(rows, (enum kiosk_button)button) && is_inside(&area, x, y))
            break;
    }
    return (enum kiosk_button)button;
}

static void centred(struct paint *paint, const struct paint_area *area, double y, double size,
                    uint32_t colour, const char *text)
{
    double width = paint_text_width(paint, size, text);
    if (width <= area->width - 4)
        paint_text(paint, area->x + (area->width - width) / 2, y, size, colour, text);
}

static void face_draw(struct paint *paint, const struct paint_area *area, const char *sign,
                      const char *label, bool lit)
{
    paint_rectangle(paint, *area, lit ? STYLE_PANEL_LIGHT : STYLE_PANEL);
    paint_border(paint, *area, 2, lit ? STYLE_ACCENT : STYLE_BORDER);
    double letters = paint_text_height(paint, STYLE_LETTER);
    double size = STYLE_LETTER * fmin(1, (area->width - 16) /
                                             fmax(paint_text_width(paint, STYLE_LETTER, label), 1));
    bool roomy = *label && area->height >= SIGN * 1.2 + letters && size >= SMALLEST;
    double top = area->y + (area->height - SIGN * 1.2 - (roomy ? letters : 0)) / 2;
    centred(paint, area, top, SIGN, lit ? STYLE_ACCENT : STYLE_TEXT, sign);
    if (roomy)
        centred(paint, area, top + SIGN * 1.2, size, STYLE_TEXT, label);
}

void kiosk_buttons_draw(struct paint *paint, struct kiosk_rows rows, enum kiosk_button pressed,
                        bool plays)
{
    for (int i = 0; i < KIOSK_BUTTONS; i++) {
        struct paint_area area = kiosk_button_area(paint, rows, (enum kiosk_button)i);
        if (!kiosk_button_is_there(rows, (enum kiosk_button)i))
            continue;
        bool on = (i == KIOSK_BUTTON_PLAY && plays) || (i == KIOSK_BUTTON_MORE && rows.more) ||
                  (i == KIOSK_BUTTON_RANKS && rows.ranks_shown);
        const char *sign = i == KIOSK_BUTTON_PLAY && on ? pause_sign
                           : i == KIOSK_BUTTON_LANGUAGE ? language_codes[language_used()]
                                                        : faces[i].sign;
        face_draw(paint, &area, sign, string_of(faces[i].label),
                  on || pressed == (enum kiosk_button)i);
    }
}

void kiosk_sentence_draw(struct paint *paint, double bottom, const char *text)
{
    double wide = paint_units(paint, paint->width), most = fmin(SENTENCE, wide - 4 * STYLE_GAP);
    int lines = paint_paragraph(paint, 0, 0, LETTER, LINE, most, 0, text);
    double width = lines > 1 ? most : paint_text_width(paint, LETTER, text);
    struct paint_area area = {.width = width + 2 * STYLE_GAP, .height = lines * LINE + STYLE_GAP};
    if (!*text)
        return;
    area.x = (wide - area.width) / 2;
    area.y = bottom - area.height - STYLE_GAP;
    paint_rectangle(paint, area, STYLE_PANEL);
    paint_paragraph(paint, area.x + STYLE_GAP, area.y + STYLE_GAP / 2, LETTER, LINE, most,
                    STYLE_TEXT, text);
}

/* ---- the digits ---- */

static struct paint_area digit_area(const struct paint *paint, int digit)
{
    double wide = paint_units(paint, paint->width), high = paint_units(paint, paint->height);
    double side = fmin(DIGIT, (high - 2 * STYLE_GAP) / 5), pitch = side + 6;
    int cell = digit ? digit - 1 : 10; /* 1 2 3 / 4 5 6 / 7 8 9 / 0 */
    double left = (wide - DIGITS_WIDE * pitch) / 2, top = (high - 4 * pitch) / 2;
    return (struct paint_area){left + cell % DIGITS_WIDE * pitch,
                               top + (double)(cell / DIGITS_WIDE) * pitch, side, side};
}

char kiosk_digit_at(const struct paint *paint, double x_px, double y_px)
{
    for (int i = 0; i < 10; i++) {
        struct paint_area area = digit_area(paint, i);
        if (is_inside(&area, paint_units(paint, x_px), paint_units(paint, y_px)))
            return (char)('0' + i);
    }
    return 0;
}

void kiosk_digits_draw(struct paint *paint, int typed)
{
    struct paint_area first = digit_area(paint, 1), last = digit_area(paint, 0);
    struct paint_area page = {first.x - STYLE_GAP, first.y - 40,
                              3 * (first.width + 6) + 2 * STYLE_GAP,
                              last.y + last.height - first.y + 40 + STYLE_GAP};
    paint_rectangle(paint, page, STYLE_PAGE);
    for (int i = 0; i < typed; i++)
        paint_rectangle(paint, (struct paint_area){page.x + 14 + 24 * i, page.y + 14, 12, 12},
                        STYLE_ACCENT);
    for (int i = 0; i < 10; i++) {
        struct paint_area area = digit_area(paint, i);
        char text[2] = {(char)('0' + i), '\0'};
        face_draw(paint, &area, text, "", false);
    }
}

/* ---- the ring ---- */

static void ring_part(struct paint *paint, double x, double y, int part, uint32_t colour)
{
    double from = 2 * PI * part / RING_PARTS, to = 2 * PI * (part + 1.2) / RING_PARTS;
    paint_line(paint, x + RING * sin(from), y - RING * cos(from), x + RING * sin(to),
               y - RING * cos(to), 10, colour);
}

void kiosk_countdown_draw(struct paint *paint, double left, int seconds)
{
    double wide = paint_units(paint, paint->width), high = paint_units(paint, paint->height);
    double x = wide / 2, y = high / 2;
    const char *stay = string_of(STRING_STAND_LEFT);
    double half = fmin(fmax(RING + 30, paint_text_width(paint, TEXT, stay) / 2 + 20), wide / 2);
    struct paint_area page = {x - half, y - RING - 30, 2 * half, 2 * RING + 100};
    char text[16];
    paint_rectangle(paint, page, STYLE_PAGE);
    for (int i = 0; i < RING_PARTS; i++)
        ring_part(paint, x, y, i, i < left * RING_PARTS ? STYLE_ACCENT : STYLE_BAR_BACK);
    snprintf(text, sizeof text, "%d", seconds);
    double height = paint_text_height(paint, 48);
    centred(paint, &page, y - height / 2, 48, STYLE_TEXT, text);
    centred(paint, &page, y + RING + 24, TEXT, STYLE_TEXT, stay);
}

void kiosk_trouble_draw(struct paint *paint)
{
    double wide = paint_units(paint, paint->width), x = wide - STYLE_GAP - 12, y = STYLE_GAP;
    paint_line(paint, x, y, x - 10, y + 18, 2, STYLE_ALARM);
    paint_line(paint, x - 10, y + 18, x + 10, y + 18, 2, STYLE_ALARM);
    paint_line(paint, x + 10, y + 18, x, y, 2, STYLE_ALARM);
    paint_line(paint, x, y + 6, x, y + 12, 2, STYLE_ALARM);
}
