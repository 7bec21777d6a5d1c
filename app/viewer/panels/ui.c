#include "app/viewer/panels/ui.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/overlays/style.h"

#define NK_PRIVATE
#define NK_INCLUDE_FIXED_TYPES
#define NK_INCLUDE_DEFAULT_ALLOCATOR
#define NK_INCLUDE_STANDARD_BOOL
#define NK_IMPLEMENTATION
#include <nuklear.h>

#define ROW 30.0f /* height of a target for a finger, with the gap around it */
#define PAD 8.0f
#define SLIP 12.0 /* distance that a tap may move */
#define WHEEL_STEP 60.0f
#define ROW_IMAGE 96.0f
#define CARD 62.0f
#define LINE_BYTES 512
#define KNOB 20.0f
#define FINE 5 /* a hand sets fifths of what a key does */
#define TAB_ICON 20.0f
#define TAB_GAPS 15.0            /* width of a tab beside its icon and name */
#define TABS_NAMED_HEIGHT 400.0  /* least height of a panel whose tabs have names */
#define MARK_LEFT "\xe2\x97\x80" /* triangles */
#define MARK_RIGHT "\xe2\x96\xb6"
#define MARK_CLOSE "\xe2\x9c\x95" /* a cross */
#define CUT "\xe2\x80\xa6"

enum { SCREEN_KEYS = 50, SCREEN_KEYS_ROW = 10 };

enum trait {
    TRAIT_DRAG = 1,   /* a finger that goes down here does not scroll */
    TRAIT_ADJUST = 2, /* the keys left and right are its own */
    TRAIT_TEXT = 4,   /* all keys that type are its own */
    TRAIT_HEAD = 8    /* part of the head, which does not scroll */
};

struct target {
    struct nk_rect rect; /* as it lies on the screen; may be scrolled away */
    unsigned traits;
};

struct ui {
    struct nk_context nk;
    struct nk_user_font font;
    struct paint *paint; /* borrowed during a pass */

    struct target *target, *before; /* targets of this pass and of the one before; owned */
    int targets, targets_room, befores;
    int focus;       /* number of a target; -1: the first behind the head */
    bool focus_seen; /* keys or a gamepad have been used last */
    bool focus_moved;
    bool screen_keys; /* the text has keys below it */

    /* What the event of this pass is to the target with the focus, or that was tapped. */
    const struct input_event *event;
    bool draws, enters, removes;
    int adjusts;
    int tapped; /* number of a target; -1: none */
    struct nk_vec2 tap;

    struct nk_rect content; /* area of the widgets that scroll */
    bool scrolls;           /* the area has room */
    bool seeks;             /* the next widget is to be scrolled to: ui_seek */
    bool focuses;           /* the next widget is to have the focus: ui_focus */
    const char *prompt;     /* text of the next entry while it is empty; borrowed */
    int sought;             /* number of that target in a first pass; -1: none */
    bool fresh;             /* no pass has ended since ui_reset */
    nk_uint scroll_x, scroll_y;
    int held;    /* the target that mouse or finger drag; -1: none */
    bool finger; /* a finger is down that began in the panel */
    bool slips;  /* the finger scrolls */
    int64_t finger_id;
    double finger_x, finger_y;
    bool mouse; /* a button is down that went down in the panel */
    double clicked_s;
};

/* ---- fonts and colours ---- */

static const char *ended(const char *text, int length, char line[LINE_BYTES])
{
    size_t bytes = length < 0 ? 0 : length < LINE_BYTES ? (size_t)length : LINE_BYTES - 1;
    memcpy(line, text, bytes);
    line[bytes] = '\0';
    return line;
}

static float text_width(nk_handle handle, float height, const char *text, int length)
{
    struct ui *ui = handle.ptr;
    char line[LINE_BYTES];
    (void)height;
    return (float)paint_text_width(ui->paint, STYLE_LETTER, ended(text, length, line));
}

static struct nk_color colour_of(uint32_t argb)
{
    return nk_rgba((int)(argb >> 16 & 255), (int)(argb >> 8 & 255), (int)(argb & 255),
                   (int)(argb >> 24));
}

static uint32_t argb_of(struct nk_color c)
{
    return (uint32_t)c.a << 24 | (uint32_t)c.r << 16 | (uint32_t)c.g << 8 | c.b;
}

static void style_set(struct ui *ui)
{
    const struct {
        enum nk_style_colors which;
        uint32_t colour;
    } rows[] = {{NK_COLOR_TEXT, STYLE_TEXT},
                {NK_COLOR_BORDER, STYLE_BAR_BACK},
                {NK_COLOR_BUTTON, STYLE_PANEL_LIGHT},
                {NK_COLOR_BUTTON_HOVER, STYLE_BAR_BACK},
                {NK_COLOR_BUTTON_ACTIVE, STYLE_BAR_BACK},
                {NK_COLOR_SCROLLBAR, 0},
                {NK_COLOR_SCROLLBAR_CURSOR, STYLE_BAR_BACK},
                {NK_COLOR_SCROLLBAR_CURSOR_HOVER, STYLE_DIM},
                {NK_COLOR_SCROLLBAR_CURSOR_ACTIVE, STYLE_ACCENT}};
    struct nk_color table[NK_COLOR_COUNT] = {{0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        table[rows[i].which] = colour_of(rows[i].colour);
    nk_style_from_table(&ui->nk, table);
    struct nk_style *style = &ui->nk.style;
    style->window.padding = style->window.group_padding = nk_vec2(PAD, PAD);
    style->window.spacing = nk_vec2(6, 6);
    style->window.scrollbar_size = nk_vec2(12, 0); /* a height would be left free below */
    style->window.border = style->window.group_border = 0;
    style->button.rounding = style->scrollv.rounding = style->scrollv.rounding_cursor = 0;
}

enum status ui_create(struct ui **ui)
{
    *ui = calloc(1, sizeof **ui);
    if (!*ui)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for panels");
    (*ui)->font.userdata.ptr = *ui;
    (*ui)->font.width = text_width;
    (*ui)->font.height = (float)STYLE_LINE - 3;
    if (!nk_init_default(&(*ui)->nk, &(*ui)->font)) {
        free(*ui);
        *ui = NULL;
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for panels");
    }
    style_set(*ui);
    ui_reset(*ui);
    return STATUS_OK;
}

void ui_destroy(struct ui *ui)
{
    if (!ui)
        return;
    nk_free(&ui->nk);
    free(ui->target);
    free(ui->before);
    free(ui);
}

static void let_go(struct ui *ui)
{
    ui->held = -1;
    ui->finger = ui->slips = ui->mouse = false;
    nk_input_begin(&ui->nk);
    nk_input_button(&ui->nk, NK_BUTTON_LEFT, -1, -1, false);
    nk_input_end(&ui->nk);
}

void ui_reset(struct ui *ui)
{
    let_go(ui);
    ui->focus = ui->tapped = ui->sought = -1;
    ui->focus_moved = ui->fresh = true;
    ui->seeks = false;
    ui->scroll_x = ui->scroll_y = 0;
    ui->befores = 0;
    ui->screen_keys = false;
}

struct paint_area ui_area(const struct paint *paint)
{
    double width = paint_units(paint, paint->width), height = paint_units(paint, paint->height);
    double wide = fmin(UI_SHARE * width, UI_WIDTH), high = UI_SHARE_BELOW * height;
    return wide >= UI_WIDTH_LEAST ? (struct paint_area){width - wide, 0, wide, height}
                                  : (struct paint_area){0, height - high, width, high};
}

/* ---- input ---- */

static bool inside(const struct paint *paint, double x_px, double y_px)
{
    struct paint_area area = ui_area(paint);
    return paint_units(paint, x_px) >= area.x && x_px < paint->width &&
           paint_units(paint, y_px) >= area.y && y_px < paint->height && x_px >= 0;
}

static bool has_trait(const struct ui *ui, unsigned trait)
{
    return ui->focus >= 0 && ui->focus < ui->befores && ui->before[ui->focus].traits & trait;
}

/* Does the key edit a text, together with Ctrl? */
static bool key_edits(int32_t key)
{
    static const int32_t keys[] = {'a',
                                   'c',
                                   'v',
                                   'x',
                                   'z',
                                   INPUT_KEY_BACKSPACE,
                                   INPUT_KEY_DELETE,
                                   INPUT_KEY_HOME,
                                   INPUT_KEY_END,
                                   INPUT_KEY_ARROW_LEFT,
                                   INPUT_KEY_ARROW_RIGHT};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (key == keys[i])
            return true;
    return false;
}

static bool key_is_ours(const struct ui *ui, const struct input_event *event)
{
    unsigned bare = event->modifiers & ~(unsigned)INPUT_SHIFT;
    if (event->key == INPUT_KEY_ESCAPE)
        return false;
    if (has_trait(ui, TRAIT_TEXT) && (!bare || bare == INPUT_CTRL))
        return bare ? key_edits(event->key) : event->key < INPUT_KEY_F1;
    if (bare)
        return false;
    switch (event->key) {
    case INPUT_KEY_TAB:
    case INPUT_KEY_ENTER:
    case INPUT_KEY_SPACE:
    case INPUT_KEY_DELETE:
    case INPUT_KEY_HOME:
    case INPUT_KEY_END:
    case INPUT_KEY_PAGE_UP:
    case INPUT_KEY_PAGE_DOWN:
    case INPUT_KEY_ARROW_UP:
    case INPUT_KEY_ARROW_DOWN:
    case INPUT_KEY_ARROW_LEFT:
    case INPUT_KEY_ARROW_RIGHT:
        return true;
    default:
        return false;
    }
}

static bool button_is_ours(int button)
{
    return (button >= INPUT_PAD_ARROW_UP && button <= INPUT_PAD_ARROW_RIGHT) ||
           button == INPUT_PAD_SOUTH || button == INPUT_PAD_SHOULDER_LEFT ||
           button == INPUT_PAD_SHOULDER_RIGHT;
}

bool ui_wants(const struct ui *ui, const struct paint *paint, const struct input_event *event)
{
    switch (event->kind) {
    case INPUT_MOVE:
        return ui->mouse || (!event->buttons && inside(paint, event->x, event->y));
    case INPUT_BUTTON_DOWN:
    case INPUT_WHEEL:
        return inside(paint, event->x, event->y);
    case INPUT_BUTTON_UP:
        return ui->mouse;
    case INPUT_FINGER_DOWN:
        return ui->finger || inside(paint, event->x, event->y);
    case INPUT_FINGER_MOVE:
    case INPUT_FINGER_UP:
        return ui->finger;
    case INPUT_KEY_DOWN:
        return key_is_ours(ui, event);
    case INPUT_TEXT:
        return has_trait(ui, TRAIT_TEXT);
    case INPUT_PAD_DOWN:
        return button_is_ours(event->pad_button);
    default:
        return false;
    }
}

static bool is_at(const struct nk_rect *rect, double x, double y)
{
    return x >= rect->x && x < rect->x + rect->w && y >= rect->y && y < rect->y + rect->h;
}

/* The target that is seen at a position; -1: none. */
static int target_at(const struct ui *ui, double x, double y)
{
    for (int i = 0; i < ui->befores; i++)
        if (is_at(&ui->before[i].rect, x, y) &&
            (ui->before[i].traits & TRAIT_HEAD || is_at(&ui->content, x, y)))
            return i;
    return -1;
}

/* Nuklear drops what leaves a widget: a drag stays within the one it began on. */
static void pointer_to(struct ui *ui, double x, double y)
{
    if (ui->held >= 0 && ui->held < ui->befores) {
        const struct nk_rect *rect = &ui->before[ui->held].rect;
        x = fmin(fmax(x, rect->x + 1), rect->x + rect->w - 2);
        y = fmin(fmax(y, rect->y + 1), rect->y + rect->h - 2);
    }
    nk_input_motion(&ui->nk, (int)x, (int)y);
    ui->nk.input.mouse.pos = nk_vec2((float)x, (float)y);
}

static void press(struct ui *ui, double x, double y, bool down)
{
    if (down) {
        ui->held = target_at(ui, x, y);
        if (ui->held >= 0 && !(ui->before[ui->held].traits & (TRAIT_DRAG | TRAIT_TEXT)))
            ui->held = -1;
        if (target_at(ui, x, y) >= 0)
            ui->focus = target_at(ui, x, y);
        ui->focus_seen = false;
    }
    pointer_to(ui, x, y);
    nk_input_button(&ui->nk, NK_BUTTON_LEFT, (int)ui->nk.input.mouse.pos.x,
                    (int)ui->nk.input.mouse.pos.y, down);
    if (!down)
        ui->held = -1;
}

static void scroll_by(struct ui *ui, double units)
{
    double to = fmax((double)ui->scroll_y + units, 0); /* Nuklear knows the other end */
    ui->scroll_y = (nk_uint)to;
}

static void finger_take(struct ui *ui, const struct input_event *event, double x, double y)
{
    if (event->kind == INPUT_FINGER_DOWN && !ui->finger) {
        int at = target_at(ui, x, y);
        ui->finger = true;
        ui->finger_id = event->finger;
        ui->finger_x = x;
        ui->finger_y = y;
        ui->slips = false;
        if (at >= 0 && ui->before[at].traits & TRAIT_DRAG)
            press(ui, x, y, true);
        return;
    }
    if (!ui->finger || event->finger != ui->finger_id)
        return;
    if (event->kind == INPUT_FINGER_MOVE) {
        if (ui->held >= 0)
            pointer_to(ui, x, y);
        else if (ui->slips || hypot(x - ui->finger_x, y - ui->finger_y) > SLIP) {
            scroll_by(ui, ui->finger_y - y);
            ui->finger_y = y;
            ui->slips = true;
        }
        return;
    }
    ui->finger = false;
    if (ui->held >= 0)
        press(ui, x, y, false);
    else if (!ui->slips) {
        ui->tapped = target_at(ui, x, y);
        ui->tap = nk_vec2((float)x, (float)y);
        ui->focus = ui->tapped >= 0 ? ui->tapped : ui->focus;
        ui->focus_seen = false;
    }
}

/* Area of a target without scrolling, below the head. */
static struct nk_rect unscrolled(const struct ui *ui, int target)
{
    struct nk_rect rect = ui->before[target].rect;
    if (!(ui->before[target].traits & TRAIT_HEAD))
        rect.y += (float)ui->scroll_y;
    return rect;
}

/* Moves the focus to the nearest target that way, by dx and dy of -1, 0 or 1, if there is one. */
static void focus_step(struct ui *ui, int dx, int dy)
{
    if (ui->focus < 0 || ui->focus >= ui->befores)
        return;
    struct nk_rect from = unscrolled(ui, ui->focus);
    double best = INFINITY;
    int to = ui->focus;
    for (int i = 0; i < ui->befores; i++) {
        struct nk_rect rect = unscrolled(ui, i);
        double x = rect.x + rect.w / 2 - from.x - from.w / 2;
        double y = rect.y + rect.h / 2 - from.y - from.h / 2;
        double along = dx ? dx * x : dy * y, across = fabs(dx ? y : x);
        bool row = dx && across > from.h / 2;
        bool there = dx       ? along > 1
                     : dy > 0 ? rect.y >= from.y + from.h - 1
                              : rect.y + rect.h <= from.y + 1;
        double cost = dx ? along : 100 * along + across;
        if (there && !row && i != ui->focus && cost < best) {
            best = cost;
            to = i;
        }
    }
    ui->focus_moved |= to != ui->focus;
    ui->focus = to;
}

static void focus_next(struct ui *ui, int step)
{
    if (ui->befores)
        ui->focus = (ui->focus + step + ui->befores) % ui->befores;
    ui->focus_moved = true;
}

static void arrow(struct ui *ui, int dx, int dy)
{
    if (dx && has_trait(ui, TRAIT_ADJUST))
        ui->adjusts = dx;
    else
        focus_step(ui, dx, dy);
}

static void key_take(struct ui *ui, const struct input_event *event)
{
    bool types = has_trait(ui, TRAIT_TEXT);
    ui->focus_seen = true;
    switch (event->key) {
    case INPUT_KEY_TAB:
        focus_next(ui, event->modifiers & INPUT_SHIFT ? -1 : 1);
        return;
    case INPUT_KEY_ARROW_UP:
    case INPUT_KEY_ARROW_DOWN:
        arrow(ui, 0, event->key == INPUT_KEY_ARROW_DOWN ? 1 : -1);
        return;
    case INPUT_KEY_PAGE_UP:
    case INPUT_KEY_PAGE_DOWN:
        for (int i = 0; i < 5; i++)
            focus_step(ui, 0, event->key == INPUT_KEY_PAGE_DOWN ? 1 : -1);
        return;
    default:
        break;
    }
    if (types)
        return; /* ui_entry has it */
    switch (event->key) {
    case INPUT_KEY_ARROW_LEFT:
    case INPUT_KEY_ARROW_RIGHT:
        arrow(ui, event->key == INPUT_KEY_ARROW_RIGHT ? 1 : -1, 0);
        if (event->modifiers & INPUT_SHIFT)
            ui->adjusts *= 10;
        return;
    case INPUT_KEY_HOME:
    case INPUT_KEY_END:
        ui->focus = event->key == INPUT_KEY_END ? ui->befores - 1 : -1;
        ui->focus_moved = true;
        return;
    case INPUT_KEY_DELETE:
        ui->removes = true;
        return;
    default:
        ui->enters = true;
    }
}

static void pad_take(struct ui *ui, int button)
{
    ui->focus_seen = true;
    switch (button) {
    case INPUT_PAD_ARROW_UP:
    case INPUT_PAD_ARROW_DOWN:
        arrow(ui, 0, button == INPUT_PAD_ARROW_DOWN ? 1 : -1);
        return;
    case INPUT_PAD_ARROW_LEFT:
    case INPUT_PAD_ARROW_RIGHT:
        arrow(ui, button == INPUT_PAD_ARROW_RIGHT ? 1 : -1, 0);
        return;
    case INPUT_PAD_SOUTH:
        ui->enters = true;
        return;
    default:
        return; /* the head has it */
    }
}

static void event_take(struct ui *ui, const struct input_event *event)
{
    double x = paint_units(ui->paint, event->x), y = paint_units(ui->paint, event->y);
    switch (event->kind) {
    case INPUT_MOVE:
        pointer_to(ui, x, y);
        break;
    case INPUT_BUTTON_DOWN:
    case INPUT_BUTTON_UP:
        if (event->button != INPUT_LEFT)
            break;
        ui->mouse = event->kind == INPUT_BUTTON_DOWN;
        press(ui, x, y, ui->mouse);
        break;
    case INPUT_WHEEL:
        scroll_by(ui, -WHEEL_STEP * event->wheel_y);
        break;
    case INPUT_FINGER_DOWN:
    case INPUT_FINGER_MOVE:
    case INPUT_FINGER_UP:
        finger_take(ui, event, x, y);
        break;
    case INPUT_KEY_DOWN:
        key_take(ui, event);
        break;
    case INPUT_PAD_DOWN:
        pad_take(ui, event->pad_button);
        break;
    default:
        break;
    }
}

/* ---- targets ---- */

/* Adds the next widget and returns its number; -1 without memory: keys cannot reach it. */
static int target_add(struct ui *ui, struct nk_rect rect, unsigned traits)
{
    if (ui->targets == ui->targets_room) {
        int room = 2 * ui->targets_room + 64;
        struct target *target = realloc(ui->target, (size_t)room * sizeof *target);
        ui->target = target ? target : ui->target;
        struct target *before = target ? realloc(ui->before, (size_t)room * sizeof *before) : NULL;
        ui->before = before ? before : ui->before;
        if (!target || !before)
            return -1;
        ui->targets_room = room;
    }
    ui->target[ui->targets] = (struct target){rect, traits};
    if (ui->focus < 0 && !(traits & TRAIT_HEAD))
        ui->focus = ui->targets;
    if (ui->seeks)
        ui->sought = ui->targets;
    if (ui->focuses)
        ui->focus = ui->targets;
    ui->seeks = ui->focuses = false;
    return ui->targets++;
}

static int target_next(struct ui *ui, unsigned traits)
{
    return target_add(ui, nk_widget_bounds(&ui->nk), traits);
}

static bool is_entered(const struct ui *ui, int target)
{
    return target >= 0 && ((ui->enters && target == ui->focus) || target == ui->tapped);
}

static void focus_draw(struct ui *ui, int target)
{
    if (!ui->draws || !ui->focus_seen || target < 0 || target != ui->focus)
        return;
    struct nk_rect rect = ui->target[target].rect;
    nk_stroke_rect(nk_window_get_canvas(&ui->nk),
                   nk_rect(rect.x - 1, rect.y - 1, rect.w + 2, rect.h + 2), 0, 2,
                   colour_of(STYLE_ACCENT));
}

static bool button(struct ui *ui, const char *label, unsigned traits)
{
    int target = target_next(ui, traits);
    bool pressed = nk_button_label(&ui->nk, label) && !ui->draws;
    focus_draw(ui, target);
    return pressed || is_entered(ui, target);
}

/* ---- drawing ---- */

static void text_draw(struct ui *ui, const struct nk_command_text *text)
{
    char line[LINE_BYTES];
    paint_text(ui->paint, text->x, text->y, STYLE_LETTER, argb_of(text->foreground),
               ended(text->string, text->length, line));
}

static struct paint_area area_of(short x, short y, unsigned short w, unsigned short h)
{
    return (struct paint_area){x, y, w, h};
}

static void scissor(struct ui *ui, const struct nk_command_scissor *part)
{
    struct paint *paint = ui->paint;
    paint->clip = (struct paint_box){0, 0, paint->width, paint->height};
    paint_clip(paint, area_of(part->x, part->y, part->w, part->h));
}

/* Draws a command of Nuklear, of the kinds that the widgets above make. */
static void command_draw(struct ui *ui, const struct nk_command *command)
{
    struct paint *paint = ui->paint;
    switch (command->type) {
    case NK_COMMAND_SCISSOR:
        scissor(ui, (const struct nk_command_scissor *)command);
        break;
    case NK_COMMAND_LINE: {
        const struct nk_command_line *line = (const struct nk_command_line *)command;
        paint_line(paint, line->begin.x, line->begin.y, line->end.x, line->end.y,
                   line->line_thickness, argb_of(line->color));
        break;
    }
    case NK_COMMAND_RECT: {
        const struct nk_command_rect *rect = (const struct nk_command_rect *)command;
        paint_border(paint, area_of(rect->x, rect->y, rect->w, rect->h), rect->line_thickness,
                     argb_of(rect->color));
        break;
    }
    case NK_COMMAND_RECT_FILLED: {
        const struct nk_command_rect_filled *rect = (const struct nk_command_rect_filled *)command;
        paint_rectangle(paint, area_of(rect->x, rect->y, rect->w, rect->h), argb_of(rect->color));
        break;
    }
    case NK_COMMAND_RECT_MULTI_COLOR: {
        const struct nk_command_rect_multi_color *rect =
            (const struct nk_command_rect_multi_color *)command;
        const uint32_t corners[4] = {argb_of(rect->left), argb_of(rect->top), argb_of(rect->bottom),
                                     argb_of(rect->right)};
        paint_gradient(paint, area_of(rect->x, rect->y, rect->w, rect->h), corners);
        break;
    }
    case NK_COMMAND_CIRCLE_FILLED: {
        const struct nk_command_circle_filled *disc =
            (const struct nk_command_circle_filled *)command;
        paint_disc(paint, area_of(disc->x, disc->y, disc->w, disc->h), argb_of(disc->color));
        break;
    }
    case NK_COMMAND_TRIANGLE_FILLED: {
        const struct nk_command_triangle_filled *part =
            (const struct nk_command_triangle_filled *)command;
        const double corners[6] = {part->a.x, part->a.y, part->b.x,
                                   part->b.y, part->c.x, part->c.y};
        paint_triangle(paint, corners, argb_of(part->color));
        break;
    }
    case NK_COMMAND_TEXT:
        text_draw(ui, (const struct nk_command_text *)command);
        break;
    case NK_COMMAND_IMAGE: {
        const struct nk_command_image *image = (const struct nk_command_image *)command;
        paint_image(paint, area_of(image->x, image->y, image->w, image->h), image->img.handle.ptr,
                    255);
        break;
    }
    default:
        break;
    }
}

/* A text of one line that ends in dots where it has no room. */
static void text_put(struct ui *ui, struct nk_rect rect, const char *text, uint32_t colour)
{
    char line[LINE_BYTES];
    size_t fit = paint_text_fit(ui->paint, STYLE_LETTER, text, rect.w);
    if (text[fit])
        fit = paint_text_fit(ui->paint, STYLE_LETTER, text,
                             rect.w - paint_text_width(ui->paint, STYLE_LETTER, CUT));
    snprintf(line, sizeof line, "%.*s%s", (int)(fit < LINE_BYTES - 8 ? fit : LINE_BYTES - 8), text,
             text[fit] ? CUT : "");
    nk_draw_text(nk_window_get_canvas(&ui->nk), rect, line, (int)strlen(line), &ui->font,
                 colour_of(0), colour_of(colour));
}

/* ---- a pass ---- */

static void event_note(struct ui *ui, const struct input_event *event)
{
    ui->event = event;
    ui->draws = !event;
    ui->enters = ui->removes = false;
    ui->adjusts = 0;
    ui->tapped = -1;
    nk_input_begin(&ui->nk);
    if (event)
        event_take(ui, event);
    nk_input_end(&ui->nk);
}

static void settings_icon(struct nk_command_buffer *canvas, float x, float y, struct nk_color text)
{
    static const float knobs[3] = {2, 10, 5};
    for (int i = 0; i < 3; i++) {
        float line = y + 2 + 7 * (float)i;
        nk_fill_rect(canvas, nk_rect(x, line, TAB_ICON, 2), 0, text);
        nk_fill_circle(canvas, nk_rect(x + knobs[i], line - 2, 6, 6), text);
    }
}

static void place_icon(struct nk_command_buffer *canvas, float x, float y, struct nk_color text)
{
    nk_fill_circle(canvas, nk_rect(x + 4, y, 12, 12), text);
    nk_fill_triangle(canvas, x + 5, y + 9, x + 10, y + 19, x + 15, y + 9, text);
    nk_fill_circle(canvas, nk_rect(x + 8, y + 4, 4, 4), colour_of(STYLE_PANEL_LIGHT));
}

static void palettes_icon(struct nk_command_buffer *canvas, float x, float y)
{
    const uint32_t colours[4] = {STYLE_ACCENT, STYLE_ALARM, STYLE_BAR, STYLE_TEXT};
    for (int i = 0; i < 4; i++)
        nk_fill_rect(canvas, nk_rect(x + 5 * (float)i, y + 1, 5, 17), 0, colour_of(colours[i]));
}

static void editor_icon(struct nk_command_buffer *canvas, float x, float y, struct nk_color text)
{
    nk_fill_rect(canvas, nk_rect(x, y + 1, 10, 9), 0, colour_of(STYLE_BAR));
    nk_fill_rect(canvas, nk_rect(x + 10, y + 1, 10, 9), 0, colour_of(STYLE_ACCENT));
    nk_fill_triangle(canvas, x + 10, y + 8, x + 4, y + 18, x + 16, y + 18, text);
}

static void film_icon(struct nk_command_buffer *canvas, float x, float y, struct nk_color text)
{
    struct nk_color back = colour_of(STYLE_PANEL_LIGHT);
    nk_fill_rect(canvas, nk_rect(x, y + 1, 20, 17), 0, text);
    nk_fill_rect(canvas, nk_rect(x + 2, y + 6, 16, 7), 0, back);
    for (int i = 0; i < 4; i++)
        for (int row = 0; row < 2; row++)
            nk_fill_rect(canvas, nk_rect(x + 2 + 5 * (float)i, y + (row ? 14 : 3), 2, 2), 0, back);
}

static void icon_draw(struct ui *ui, enum ui_icon icon, float x, float y, struct nk_color text)
{
    struct nk_command_buffer *canvas = nk_window_get_canvas(&ui->nk);
    const char *letters = icon == UI_ICON_FORMULAS ? "z\xc2\xb2" : "\xe2\x98\x85"; /* a star */
    switch (icon) {
    case UI_ICON_SETTINGS:
        settings_icon(canvas, x, y, text);
        break;
    case UI_ICON_PLACES:
        place_icon(canvas, x, y, text);
        break;
    case UI_ICON_TOURS:
        nk_fill_triangle(canvas, x + 3, y + 1, x + 3, y + 19, x + 18, y + 10, text);
        break;
    case UI_ICON_PALETTES:
        palettes_icon(canvas, x, y);
        break;
    case UI_ICON_COLOURS:
        editor_icon(canvas, x, y, text);
        break;
    case UI_ICON_FILM:
        film_icon(canvas, x, y, text);
        break;
    default:
        nk_draw_text(canvas, nk_rect(x + 2, y, TAB_ICON, TAB_ICON), letters, (int)strlen(letters),
                     &ui->font, colour_of(0), text);
    }
}

static bool tab_build(struct ui *ui, const struct ui_tab *tab, bool chosen, bool named)
{
    struct nk_rect rect = nk_widget_bounds(&ui->nk);
    bool pressed = button(ui, "", TRAIT_HEAD);
    float left = named ? rect.x + 5 : rect.x + (rect.w - TAB_ICON) / 2;
    icon_draw(ui, tab->icon, left, rect.y + (rect.h - TAB_ICON) / 2,
              colour_of(chosen ? STYLE_ACCENT : STYLE_TEXT));
    if (named)
        text_put(ui, nk_rect(left + TAB_ICON + 4, rect.y + 5, rect.w - TAB_ICON - 9, rect.h - 6),
                 tab->name, chosen ? STYLE_ACCENT : STYLE_TEXT);
    if (chosen)
        nk_fill_rect(nk_window_get_canvas(&ui->nk), nk_rect(rect.x, rect.y + rect.h - 3, rect.w, 3),
                     0, colour_of(STYLE_ACCENT));
    return pressed;
}

/* Number of tabs, with the button that closes behind them, that stand in a row. */
static int tab_columns(struct ui *ui, const struct ui_tabs *tabs, float width, bool named)
{
    double widest = 0;
    for (int i = 0; named && i < tabs->count; i++)
        widest = fmax(widest, paint_text_width(ui->paint, STYLE_LETTER, tabs->tab[i].name));
    int columns = named ? (int)((width + 4) / (widest + TAB_ICON + TAB_GAPS)) : tabs->count + 1;
    return columns > tabs->count ? tabs->count + 1 : columns > 1 ? columns : 1;
}

/* Builds the head; *rows: how many rows of tabs it has. */
static int head(struct ui *ui, const struct ui_tabs *tabs, float width, bool named, int *rows)
{
    const struct input_event *event = ui->event;
    int answer = UI_STAYS, step = 0, columns = tab_columns(ui, tabs, width, named);
    *rows = (tabs->count + columns) / columns;
    ui->nk.style.window.spacing.x = 4;
    nk_layout_row_dynamic(&ui->nk, ROW, columns);
    for (int i = 0; i < tabs->count; i++)
        if (tab_build(ui, &tabs->tab[i], i == tabs->chosen, named))
            answer = i;
    if (button(ui, MARK_CLOSE, TRAIT_HEAD))
        answer = UI_CLOSES;
    ui->nk.style.window.spacing.x = 6;
    if (event && event->kind == INPUT_PAD_DOWN)
        step = (event->pad_button == INPUT_PAD_SHOULDER_RIGHT) -
               (event->pad_button == INPUT_PAD_SHOULDER_LEFT);
    int from = tabs->chosen < 0 && step < 0 ? 0 : tabs->chosen;
    return step ? (from + step + tabs->count) % tabs->count : answer;
}

int ui_begin(struct ui *ui, struct paint *paint, const struct input_event *event,
             const struct ui_tabs *tabs, const char *title)
{
    struct nk_context *nk = &ui->nk;
    struct paint_area area = ui_area(paint);
    bool named = area.height >= TABS_NAMED_HEIGHT;
    int rows;
    ui->paint = paint;
    event_note(ui, event);
    ui->targets = 0;
    struct nk_rect rect =
        nk_rect((float)area.x, (float)area.y, (float)area.width, (float)area.height);
    nk_begin(nk, "panel", rect, NK_WINDOW_NO_SCROLLBAR);
    nk_window_set_bounds(nk, "panel", rect);
    int answer = head(ui, tabs, rect.w - 2 * PAD, named, &rows);
    nk_layout_row_dynamic(nk, rect.h - (ROW + 6) * (float)rows - 2 * PAD - 2, 1);
    ui->content = nk_widget_bounds(nk);
    ui->scrolls = nk_group_scrolled_offset_begin(nk, &ui->scroll_x, &ui->scroll_y, "content", 0);
    if (named == (tabs->chosen < 0)) /* a low panel has no room to say it twice */
        ui_heading(ui, title);
    return answer;
}

void ui_seek(struct ui *ui)
{
    ui->seeks = ui->fresh;
}

void ui_focus(struct ui *ui)
{
    ui->focuses = ui->fresh;
}

void ui_prompt(struct ui *ui, const char *text)
{
    ui->prompt = text;
}

/* Scrolls so that the widget with the focus is seen, or in a first pass the one that was sought. */
static void scroll_to_focus(struct ui *ui)
{
    if (ui->sought >= 0 && ui->sought < ui->targets) {
        const struct nk_rect *sought = &ui->target[ui->sought].rect;
        scroll_by(ui, sought->y + sought->h / 2 - ui->content.y - ui->content.h / 2);
        ui->focus_moved = false;
    }
    ui->sought = -1;
    ui->fresh = false;
    if (!ui->focus_moved || ui->focus < 0 || ui->focus >= ui->targets)
        return;
    ui->focus_moved = false;
    if (ui->target[ui->focus].traits & TRAIT_HEAD)
        return;
    const struct nk_rect *rect = &ui->target[ui->focus].rect, *content = &ui->content;
    double above = content->y + STYLE_LINE - rect->y;
    double below = rect->y + rect->h + PAD - content->y - content->h;
    if (above > 0)
        scroll_by(ui, -above);
    else if (below > 0)
        scroll_by(ui, fmin(below, -above));
}

void ui_end(struct ui *ui)
{
    struct paint *paint = ui->paint;
    struct paint_box clip = paint->clip;
    const struct nk_command *command;
    nk_layout_row_dynamic(&ui->nk, PAD, 1); /* so that the last widget can be scrolled to */
    nk_spacer(&ui->nk);
    if (ui->scrolls)
        nk_group_scrolled_end(&ui->nk);
    nk_end(&ui->nk);
    if (ui->draws) {
        paint_rectangle(paint, ui_area(paint), STYLE_PAGE);
        nk_foreach(command, &ui->nk) command_draw(ui, command);
    }
    paint->clip = clip;
    nk_clear(&ui->nk);
    if (ui->focus >= ui->targets)
        ui->focus = ui->targets - 1;
    for (int i = 0; ui->focus < 0 && i < ui->targets; i++) /* ui_reset came in between */
        if (!(ui->target[i].traits & TRAIT_HEAD))
            ui->focus = i;
    scroll_to_focus(ui);
    struct target *swap = ui->before;
    ui->before = ui->target;
    ui->target = swap;
    ui->befores = ui->targets;
}

bool ui_types(const struct ui *ui)
{
    return has_trait(ui, TRAIT_TEXT);
}

/* ---- texts ---- */

void ui_line(struct ui *ui, const char *left, const char *right)
{
    float wide = (float)paint_text_width(ui->paint, STYLE_LETTER, right) + 4;
    nk_layout_row_template_begin(&ui->nk, (float)STYLE_LINE);
    nk_layout_row_template_push_dynamic(&ui->nk);
    nk_layout_row_template_push_static(&ui->nk, wide);
    nk_layout_row_template_end(&ui->nk);
    nk_label(&ui->nk, left, NK_TEXT_LEFT);
    nk_label_colored(&ui->nk, right, NK_TEXT_RIGHT, colour_of(STYLE_BAR));
}

void ui_heading(struct ui *ui, const char *text)
{
    nk_layout_row_dynamic(&ui->nk, (float)STYLE_LINE + 6, 1);
    nk_label_colored(&ui->nk, text, NK_TEXT_ALIGN_LEFT | NK_TEXT_ALIGN_BOTTOM,
                     colour_of(STYLE_ACCENT));
}

void ui_paragraph(struct ui *ui, const char *text)
{
    char line[LINE_BYTES];
    double width = ui->content.w - 2 * PAD - 14;
    ui->nk.style.window.spacing.y = 0; /* between lines */
    while (*text) {
        size_t end = paint_text_fit(ui->paint, STYLE_LETTER, text, width), space = end;
        while (text[end] && space && text[space] != ' ')
            space--;
        end = text[end] && space ? space : end;
        nk_layout_row_dynamic(&ui->nk, (float)STYLE_LINE - 3, 1);
        nk_label_colored(&ui->nk, ended(text, (int)end, line), NK_TEXT_LEFT, colour_of(STYLE_DIM));
        if (!end)
            break;
        text += end + strspn(text + end, " ");
    }
    ui->nk.style.window.spacing.y = 6;
    nk_layout_row_dynamic(&ui->nk, 1, 1); /* the gap below the last line */
    nk_spacer(&ui->nk);
}

/* ---- buttons, switches, choices ---- */

int ui_buttons(struct ui *ui, const char *const *labels, int count)
{
    double room = (double)ui->content.w - 2 * PAD - 14, widest = 0;
    int pressed = -1;
    for (int i = 0; i < count; i++)
        widest = fmax(widest, paint_text_width(ui->paint, STYLE_LETTER, labels[i]) + 20);
    int columns = (int)fmin(fmax(floor((room + 6) / (widest + 6)), 1), count);
    int rows = (count + columns - 1) / columns;
    columns = (count + rows - 1) / rows; /* no row has one button where others have many */
    nk_layout_row_dynamic(&ui->nk, ROW, columns);
    for (int i = 0; i < count; i++)
        if (button(ui, labels[i], 0))
            pressed = i;
    return pressed;
}

bool ui_switch(struct ui *ui, const char *name, bool on)
{
    nk_layout_row_dynamic(&ui->nk, ROW, 1);
    struct nk_rect rect = nk_widget_bounds(&ui->nk);
    bool pressed = button(ui, "", 0);
    struct nk_command_buffer *canvas = nk_window_get_canvas(&ui->nk);
    struct nk_rect box = nk_rect(rect.x + 8, rect.y + 7, 16, 16);
    nk_stroke_rect(canvas, box, 0, 2, colour_of(STYLE_DIM));
    if (on)
        nk_fill_rect(canvas, nk_rect(box.x + 4, box.y + 4, 8, 8), 0, colour_of(STYLE_ACCENT));
    nk_draw_text(canvas, nk_rect(rect.x + 34, rect.y + 5, rect.w - 38, rect.h - 6), name,
                 (int)strlen(name), &ui->font, colour_of(0), colour_of(STYLE_TEXT));
    return pressed;
}

int ui_choice(struct ui *ui, const char *name, const char *words)
{
    ui_line(ui, name, "");
    nk_layout_row_dynamic(&ui->nk, ROW, 1);
    int target = target_next(ui, TRAIT_ADJUST), step = 0;
    struct nk_rect rect = nk_widget_bounds(&ui->nk);
    bool left = ui->nk.input.mouse.pos.x < rect.x + rect.w / 2;
    if (nk_button_label(&ui->nk, words) && !ui->draws)
        step = left ? -1 : 1;
    if (target >= 0 && target == ui->tapped)
        step = ui->tap.x < rect.x + rect.w / 2 ? -1 : 1;
    else if (is_entered(ui, target))
        step = 1;
    else if (target >= 0 && target == ui->focus && ui->adjusts)
        step = ui->adjusts < 0 ? -1 : 1;
    struct nk_command_buffer *canvas = nk_window_get_canvas(&ui->nk);
    nk_draw_text(canvas, nk_rect(rect.x + 8, rect.y + 6, 24, rect.h - 6), MARK_LEFT, 3, &ui->font,
                 colour_of(0), colour_of(STYLE_DIM));
    nk_draw_text(canvas, nk_rect(rect.x + rect.w - 24, rect.y + 6, 24, rect.h - 6), MARK_RIGHT, 3,
                 &ui->font, colour_of(0), colour_of(STYLE_DIM));
    focus_draw(ui, target);
    return step;
}

/* ---- sliders and colours ---- */

static void slider_draw(struct ui *ui, struct nk_rect rect, double share, bool held)
{
    struct nk_command_buffer *canvas = nk_window_get_canvas(&ui->nk);
    float x = rect.x + KNOB / 2 + (float)share * (rect.w - KNOB), y = rect.y + rect.h / 2;
    struct nk_color colour = colour_of(held ? STYLE_ACCENT : STYLE_BAR);
    nk_fill_rect(canvas, nk_rect(rect.x, y - 3, rect.w, 6), 0, colour_of(STYLE_BAR_BACK));
    nk_fill_rect(canvas, nk_rect(rect.x, y - 3, x - rect.x, 6), 0, colour);
    nk_fill_circle(canvas, nk_rect(x - KNOB / 2, y - KNOB / 2, KNOB, KNOB), colour);
}

/* Written here, since Nuklear's slider moves only by its knob: a finger wants to press anywhere. */
bool ui_slider(struct ui *ui, const char *name, const char *words, double *value, double least,
               double most, double step)
{
    struct nk_rect rect;
    ui_line(ui, name, words);
    nk_layout_row_dynamic(&ui->nk, ROW, 1);
    int target = target_next(ui, TRAIT_DRAG | TRAIT_ADJUST);
    if (nk_widget(&rect, &ui->nk) == NK_WIDGET_INVALID)
        return false;
    bool held = target >= 0 && target == ui->held;
    double wanted = *value, x = ui->nk.input.mouse.pos.x;
    slider_draw(ui, rect, (*value - least) / (most - least), held);
    focus_draw(ui, target);
    if (held && !ui->draws) {
        double share = (x - rect.x - KNOB / 2) / (rect.w - KNOB);
        wanted = least + round(share * (most - least) / step * FINE) * step / FINE;
    }
    if (target >= 0 && target == ui->focus && ui->adjusts)
        wanted += ui->adjusts * step;
    wanted = fmin(fmax(wanted, least), most);
    if (wanted == *value)
        return false;
    *value = wanted;
    return true;
}

bool ui_colour(struct ui *ui, double rgb[3], const char *const names[3])
{
    static const double steps[3] = {1.0 / 72, 0.02, 0.02};
    struct nk_colorf now = {(float)rgb[0], (float)rgb[1], (float)rgb[2], 1}, was = now;
    nk_layout_row_dynamic(&ui->nk, 130, 1);
    int target = target_next(ui, TRAIT_DRAG);
    nk_color_pick(&ui->nk, &now, NK_RGB);
    focus_draw(ui, target);
    bool changed = !ui->draws && (now.r != was.r || now.g != was.g || now.b != was.b);
    float hsv[4];
    nk_colorf_hsva_fv(hsv, now);
    for (int i = 0; i < 3; i++) {
        double value = hsv[i];
        if (ui_slider(ui, names[i], "", &value, 0, i ? 1 : 0.999, steps[i]) && !ui->draws) {
            hsv[i] = (float)value;
            now = nk_hsva_colorf(hsv[0], hsv[1], hsv[2], 1);
            changed = true;
        }
    }
    if (changed) {
        rgb[0] = now.r;
        rgb[1] = now.g;
        rgb[2] = now.b;
    }
    return changed;
}

/* ---- lists and grids ---- */

static void image_draw(struct ui *ui, const struct paint_image *image, struct nk_rect rect)
{
    struct nk_image handle = nk_image_ptr((void *)(uintptr_t)image);
    nk_draw_image(nk_window_get_canvas(&ui->nk), rect, &handle, nk_rgb(255, 255, 255));
}

/* Draws an image in the middle of a rectangle, as large as there is room. */
static void image_fit(struct ui *ui, const struct paint_image *image, struct nk_rect rect)
{
    if (!image || !image->pixels || image->width < 1 || image->height < 1)
        return;
    float scale = fminf(rect.w / (float)image->width, rect.h / (float)image->height);
    float w = (float)image->width * scale, h = (float)image->height * scale;
    image_draw(ui, image, nk_rect(rect.x + (rect.w - w) / 2, rect.y + (rect.h - h) / 2, w, h));
}

static enum ui_answer item(struct ui *ui, struct nk_rect *rect)
{
    int target = target_next(ui, 0);
    *rect = nk_widget_bounds(&ui->nk);
    bool pressed = nk_button_label(&ui->nk, "") && !ui->draws;
    focus_draw(ui, target);
    if (pressed || is_entered(ui, target))
        return UI_CHOSEN;
    return target >= 0 && target == ui->focus && ui->removes ? UI_REMOVED : UI_NOTHING;
}

enum ui_answer ui_row(struct ui *ui, const struct paint_image *image, const char *text, bool marked)
{
    struct nk_rect rect;
    nk_layout_row_dynamic(&ui->nk, ROW, 1);
    enum ui_answer answer = item(ui, &rect);
    float left = rect.x + 8;
    if (image) {
        image_draw(ui, image, nk_rect(rect.x + 4, rect.y + 4, ROW_IMAGE, rect.h - 8));
        left += ROW_IMAGE;
    }
    text_put(ui, nk_rect(left, rect.y + 5, rect.x + rect.w - left - 6, rect.h - 6), text,
             marked ? STYLE_ACCENT : STYLE_TEXT);
    return answer;
}

enum ui_answer ui_card(struct ui *ui, const struct paint_image *image, const char *title,
                       const char *note, bool marked)
{
    struct nk_rect rect;
    nk_layout_row_dynamic(&ui->nk, CARD, 1);
    enum ui_answer answer = item(ui, &rect);
    image_fit(ui, image, nk_rect(rect.x + 4, rect.y + 4, ROW_IMAGE, rect.h - 8));
    float left = rect.x + 12 + ROW_IMAGE, width = rect.x + rect.w - left - 6;
    text_put(ui, nk_rect(left, rect.y + 8, width, (float)STYLE_LINE), title,
             marked ? STYLE_ACCENT : STYLE_TEXT);
    text_put(ui, nk_rect(left, rect.y + 32, width, (float)STYLE_LINE), note, STYLE_DIM);
    return answer;
}

void ui_grid(struct ui *ui, int width, int height)
{
    int columns = (int)((ui->content.w - 2 * PAD - 14) / (float)width);
    nk_layout_row_dynamic(&ui->nk, (float)height, columns > 1 ? columns : 1);
}

enum ui_answer ui_cell(struct ui *ui, const struct paint_image *image, const char *text)
{
    struct nk_rect rect;
    enum ui_answer answer = item(ui, &rect);
    float line = (float)STYLE_LINE;
    image_fit(ui, image, nk_rect(rect.x + 2, rect.y + 2, rect.w - 4, rect.h - line - 6));
    text_put(ui, nk_rect(rect.x + 4, rect.y + rect.h - line - 1, rect.w - 8, line), text,
             STYLE_TEXT);
    return answer;
}

/* ---- texts to type ---- */

static enum entry_answer clipboard_copy(struct entry *entry, const struct ui_clipboard *clipboard,
                                        bool cuts)
{
    char *text = entry_selected(entry);
    if (text)
        clipboard->copy(clipboard->context, text);
    free(text);
    if (!cuts)
        return ENTRY_OPEN;
    entry_erase(entry);
    return ENTRY_CHANGED;
}

static enum entry_answer entry_event(struct ui *ui, struct entry *entry,
                                     const struct ui_clipboard *clipboard)
{
    const struct input_event *event = ui->event;
    bool ctrl = event->kind == INPUT_KEY_DOWN && event->modifiers == INPUT_CTRL;
    if (ctrl && (event->key == 'c' || event->key == 'x'))
        return clipboard_copy(entry, clipboard, event->key == 'x');
    if (ctrl && event->key == 'v') {
        char *text = clipboard->paste(clipboard->context);
        bool taken = text && entry_type(entry, text);
        free(text);
        return taken ? ENTRY_CHANGED : ENTRY_FULL;
    }
    return entry_take(entry, event);
}

/* A mouse that presses or drags in the text at `x` units from its left edge. */
static void entry_mouse(struct ui *ui, struct entry *entry, double x)
{
    const struct input_event *event = ui->event;
    if (event->kind == INPUT_BUTTON_DOWN)
        entry_point(entry, ui->paint, x, event->modifiers & INPUT_SHIFT ? ENTRY_DRAG : ENTRY_PRESS,
                    event->clicks);
    else if (event->kind == INPUT_MOVE)
        entry_point(entry, ui->paint, x, ENTRY_DRAG, 1);
}

/* Keys on the screen, with the characters of places, formulas and names of files. */
static enum entry_answer screen_keys(struct ui *ui, struct entry *entry)
{
    static const char *const letters[] = {
        "1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "q", "w", "e", "r", "t",
        "y", "u", "i", "o", "p", "a", "s", "d", "f", "g", "h", "j", "k", "l", "-",
        "z", "x", "c", "v", "b", "n", "m", ".", ",", "/", "=", "_", ";", "(", ")"};
    static const struct {
        const char *label, *text;
        int32_t key; /* 0: types the text */
    } others[] = {{"\xe2\x90\xa3", " ", 0},
                  {MARK_LEFT, "", INPUT_KEY_ARROW_LEFT},
                  {MARK_RIGHT, "", INPUT_KEY_ARROW_RIGHT},
                  {"\xe2\x8c\xab", "", INPUT_KEY_BACKSPACE},
                  {"\xe2\x86\xb5", "", INPUT_KEY_ENTER}};
    enum { LETTERS = SCREEN_KEYS - sizeof others / sizeof *others };
    struct input_event event = {.kind = INPUT_WAKE};
    nk_layout_row_dynamic(&ui->nk, ROW, SCREEN_KEYS_ROW);
    for (int i = 0; i < SCREEN_KEYS; i++) {
        if (!button(ui, i < LETTERS ? letters[i] : others[i - LETTERS].label, 0))
            continue;
        event.key = i < LETTERS ? 0 : others[i - LETTERS].key;
        event.kind = event.key ? INPUT_KEY_DOWN : INPUT_TEXT;
        snprintf(event.text, sizeof event.text, "%s",
                 i < LETTERS ? letters[i] : others[i - LETTERS].text);
    }
    return entry_take(entry, &event);
}

static void entry_draw(struct ui *ui, struct entry *entry, struct nk_rect rect, bool focused)
{
    char line[LINE_BYTES];
    struct entry_sight sight = entry_line(entry, ui->paint, rect.w - 20, line, sizeof line);
    struct nk_command_buffer *canvas = nk_window_get_canvas(&ui->nk);
    nk_fill_rect(canvas, rect, 0, colour_of(STYLE_PANEL_LIGHT));
    if (ui->prompt && !entry->length)
        text_put(ui, nk_rect(rect.x + 12, rect.y + 7, rect.w - 14, rect.h - 8), ui->prompt,
                 STYLE_DIM);
    ui->prompt = NULL;
    if (focused && sight.to > sight.from)
        nk_fill_rect(canvas,
                     nk_rect(rect.x + 8 + (float)sight.from, rect.y + 5,
                             (float)(sight.to - sight.from), rect.h - 10),
                     0, colour_of(STYLE_SELECTED));
    nk_draw_text(canvas, nk_rect(rect.x + 8, rect.y + 7, rect.w - 10, rect.h - 8), line,
                 (int)strlen(line), &ui->font, colour_of(0), colour_of(STYLE_TEXT));
    if (focused)
        nk_fill_rect(canvas, nk_rect(rect.x + 8 + (float)sight.cursor, rect.y + 5, 2, rect.h - 10),
                     0, colour_of(STYLE_ACCENT));
}

enum entry_answer ui_entry(struct ui *ui, struct entry *entry, const struct ui_clipboard *clipboard)
{
    nk_layout_row_dynamic(&ui->nk, ROW + 4, 1);
    int target = target_next(ui, TRAIT_TEXT);
    struct nk_rect rect;
    enum entry_answer answer = ENTRY_OPEN;
    if (nk_widget(&rect, &ui->nk) == NK_WIDGET_INVALID)
        return answer;
    if (ui->event && target >= 0 && target == ui->held)
        entry_mouse(ui, entry, ui->nk.input.mouse.pos.x - rect.x - 8);
    if (ui->event && target >= 0 && target == ui->focus)
        answer = entry_event(ui, entry, clipboard);
    ui->screen_keys ^= is_entered(ui, target); /* by a finger or a gamepad */
    ui->screen_keys &= answer == ENTRY_OPEN || answer == ENTRY_MOVED;
    entry_draw(ui, entry, rect, target == ui->focus);
    focus_draw(ui, target);
    enum entry_answer typed = ui->screen_keys ? screen_keys(ui, entry) : ENTRY_OPEN;
    return typed != ENTRY_OPEN ? typed : answer;
}

/* ---- a strip with handles ---- */

#define HANDLE 9.0f

static int handle_near(struct nk_rect rect, const double *positions, int count, float x)
{
    int near = -1;
    float best = 22; /* a finger is no finer */
    for (int i = 0; i < count; i++) {
        float away = fabsf(rect.x + (float)positions[i] * rect.w - x);
        if (away < best) {
            best = away;
            near = i;
        }
    }
    return near;
}

static void handle_draw(struct ui *ui, struct nk_rect rect, double position, bool selected)
{
    struct nk_command_buffer *canvas = nk_window_get_canvas(&ui->nk);
    float x = rect.x + (float)position * rect.w, y = rect.y + rect.h;
    struct nk_color colour = colour_of(selected ? STYLE_ACCENT : STYLE_TEXT);
    nk_fill_rect(canvas, nk_rect(x - 1, rect.y, 2, rect.h), 0, colour);
    nk_fill_triangle(canvas, x, y - 22, x - HANDLE - 2, y, x + HANDLE + 2, y,
                     colour_of(STYLE_PAGE));
    nk_fill_triangle(canvas, x, y - 19, x - HANDLE, y, x + HANDLE, y, colour);
}

int ui_strip(struct ui *ui, const struct paint_image *image, const double *positions, int count,
             int selected, double *position)
{
    nk_layout_row_dynamic(&ui->nk, 74, 1);
    int target = target_next(ui, TRAIT_DRAG | TRAIT_ADJUST), answer = -1;
    struct nk_rect rect;
    *position = -1;
    if (nk_widget(&rect, &ui->nk) == NK_WIDGET_INVALID)
        return -1;
    rect = nk_rect(rect.x + HANDLE, rect.y, rect.w - 2 * HANDLE, rect.h);
    image_draw(ui, image, nk_rect(rect.x, rect.y, rect.w, rect.h - 18));
    for (int i = 0; i < count; i++)
        handle_draw(ui, rect, positions[i], false);
    if (selected >= 0 && selected < count)
        handle_draw(ui, rect, positions[selected], true);
    focus_draw(ui, target);
    float x = ui->nk.input.mouse.pos.x;
    double at = fmin(fmax((x - rect.x) / rect.w, 0), 1);
    const struct input_event *event = ui->event;
    bool goes_down =
        event && (event->kind == INPUT_BUTTON_DOWN || event->kind == INPUT_FINGER_DOWN);
    if (ui->draws || target < 0)
        return -1;
    if (target == ui->held && goes_down) {
        answer = handle_near(rect, positions, count, x);
        bool twice = event->kind == INPUT_BUTTON_DOWN ? event->clicks == 2
                                                      : event->time_s - ui->clicked_s < 0.4;
        ui->clicked_s = event->time_s;
        if (answer < 0 && twice) {
            *position = at;
            answer = count;
        }
    } else if (target == ui->held && selected >= 0 && event && event->kind != INPUT_KEY_DOWN) {
        answer = selected;
        *position = at;
    } else if (target == ui->focus && ui->adjusts && selected >= 0) {
        answer = selected;
        *position = fmin(fmax(positions[selected] + 0.005 * ui->adjusts, 0), 1);
    }
    return answer;
}
