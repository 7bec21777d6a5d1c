/* The widgets of panels: whatever the mouse reaches, fingers, keys and gamepads reach too, and
 * texts have room in every language. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/overlays/strings.h"
#include "app/viewer/overlays/style.h"
#include "app/viewer/panels/ui.h"
#include "tests/support/check.h"

enum { WIDTH = 1040, HEIGHT = 480, LEFT = WIDTH - UI_WIDTH };

static uint32_t pixels[WIDTH * HEIGHT];
static struct paint_fonts *fonts;
static struct paint paint;
static struct ui *ui;

/* A panel with one of each, long enough to scroll. */
static struct {
    int button, choice, row, removed, strip;
    bool on, typed;
    double value, place, rgb[3];
    int head;
    struct entry entry;
    const char *pasted;
    char copied[64];
} panel;

static char *paste(void *context)
{
    (void)context;
    return panel.pasted ? strdup(panel.pasted) : NULL;
}

static void copy(void *context, const char *text)
{
    (void)context;
    snprintf(panel.copied, sizeof panel.copied, "%s", text);
}

static void build(const struct input_event *event)
{
    static const char *const labels[] = {"first", "second"}, *const names[3] = {"h", "s", "v"};
    static uint32_t strip[4] = {0xff0000ff, 0xff00ff00, 0xffff0000, 0xffffffff};
    static const struct paint_image image = {strip, 4, 1, 4};
    const struct ui_clipboard clipboard = {paste, copy, NULL};
    double stops[2] = {0.25, 0.75}, place;
    static const struct ui_tab tab[3] = {
        {"one", UI_ICON_SETTINGS}, {"two", UI_ICON_BOOKMARKS}, {"three", UI_ICON_FILM}};
    const struct ui_tabs tabs = {tab, 3, 1};
    panel.head = ui_begin(ui, &paint, event, &tabs, "title");
    int button = ui_buttons(ui, labels, 2);
    panel.button = button >= 0 ? button : panel.button;
    panel.choice += ui_choice(ui, "choice", "word");
    panel.on ^= ui_switch(ui, "switch", panel.on);
    ui_slider(ui, "slider", "0.5", &panel.value, 0, 1, 0.1);
    panel.typed |= ui_entry(ui, &panel.entry, &clipboard) == ENTRY_ACCEPTED;
    int at = ui_strip(ui, &image, stops, 2, panel.strip, &place);
    if (at >= 0) {
        panel.strip = at;
        panel.place = place;
    }
    ui_colour(ui, panel.rgb, names);
    for (int i = 0; i < 8; i++) {
        enum ui_answer answer = ui_row(ui, i % 2 ? &image : NULL, "row", i == 3);
        panel.row = answer == UI_CHOSEN ? i : panel.row;
        panel.removed = answer == UI_REMOVED ? i : panel.removed;
    }
    ui_end(ui);
}

static int setup(void **state)
{
    (void)state;
    paint = paint_on(pixels, WIDTH, HEIGHT, WIDTH, 1, fonts);
    entry_close(&panel.entry);
    memset(&panel, 0, sizeof panel);
    panel.button = panel.row = panel.removed = panel.strip = -1;
    panel.value = 0.5;
    if (ui_create(&ui) != STATUS_OK)
        return -1;
    entry_open(&panel.entry, "");
    build(&(struct input_event){.kind = INPUT_WAKE});
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ui_destroy(ui);
    entry_close(&panel.entry);
    return 0;
}

static void give(struct input_event event)
{
    assert_true(ui_wants(ui, &paint, &event));
    build(&event);
    build(NULL);
}

static void key(int32_t key)
{
    give((struct input_event){.kind = INPUT_KEY_DOWN, .key = key});
}

static void mouse(enum input_kind kind, double x, double y)
{
    give((struct input_event){.kind = kind, .button = INPUT_LEFT, .clicks = 1, .x = x, .y = y});
}

static void finger(enum input_kind kind, double x, double y)
{
    give((struct input_event){.kind = kind, .finger = 7, .x = x, .y = y});
}

#define UI_TEST(name) TEST_WITH(name, setup, teardown)

/* ---- keys ---- */

/* Positions of the first button, the slider and the text, as the panel is laid out at the scale 1.
 */
#define BUTTON_X (LEFT + 90.0)
#define BUTTON_Y 66.0
#define SLIDER_Y 231.0
#define ENTRY_Y 270.0

UI_TEST(tab_reaches_every_widget)
{
    /* The tabs and the cross of the head; then as they stand. */
    key(INPUT_KEY_ENTER);
    assert_int_equal(panel.button, 0); /* the focus is on the first behind the head */
    key(INPUT_KEY_TAB);
    key(INPUT_KEY_SPACE);
    assert_int_equal(panel.button, 1);
    key(INPUT_KEY_TAB);
    key(INPUT_KEY_ARROW_RIGHT);
    key(INPUT_KEY_ARROW_RIGHT);
    key(INPUT_KEY_ARROW_LEFT);
    assert_int_equal(panel.choice, 1);
    key(INPUT_KEY_TAB);
    key(INPUT_KEY_ENTER);
    assert_true(panel.on);
    key(INPUT_KEY_TAB);
    key(INPUT_KEY_ARROW_RIGHT);
    assert_true(fabs(panel.value - 0.6) < 1e-6);
    key(INPUT_KEY_TAB);
    give((struct input_event){.kind = INPUT_TEXT, .text = "a\xc5\x82"});
    assert_string_equal(panel.entry.text, "a\xc5\x82");
    key(INPUT_KEY_ENTER);
    assert_true(panel.typed);
    key(INPUT_KEY_TAB); /* the strip */
    key(INPUT_KEY_TAB); /* the square */
    for (int i = 0; i < 3; i++) {
        double before[3];
        memcpy(before, panel.rgb, sizeof before);
        key(INPUT_KEY_TAB);
        key(INPUT_KEY_ARROW_RIGHT);
        assert_true(i < 2 || memcmp(before, panel.rgb, sizeof before) != 0);
    }
    for (int i = 0; i < 8; i++) {
        key(INPUT_KEY_TAB);
        key(INPUT_KEY_ENTER);
        assert_int_equal(panel.row, i);
    }
    key(INPUT_KEY_DELETE);
    assert_int_equal(panel.removed, 7);
    key(INPUT_KEY_TAB);
    key(INPUT_KEY_ENTER);
    assert_int_equal(panel.head, UI_STAYS); /* drawn since: an answer is given once */
}

UI_TEST(the_head_is_reached_by_keys)
{
    struct input_event enter = {.kind = INPUT_KEY_DOWN, .key = INPUT_KEY_ENTER};
    static const int wanted[] = {UI_CLOSES, 2, 1, 0};
    for (int i = 0; i < 4; i++) {
        give((struct input_event){
            .kind = INPUT_KEY_DOWN, .key = INPUT_KEY_TAB, .modifiers = INPUT_SHIFT});
        build(&enter);
        assert_int_equal(panel.head, wanted[i]);
    }
}

/* A line of the frame about the focus, from `top` on; HEIGHT: none. */
static int focus_line(int top)
{
    for (int y = top; y < HEIGHT; y++) {
        int run = 0;
        for (int x = 0; x < WIDTH; x++)
            run += pixels[y * WIDTH + x] == STYLE_ACCENT;
        if (run > UI_WIDTH / 2)
            return y;
    }
    return HEIGHT;
}

UI_TEST(the_last_widget_is_seen_whole)
{
    key(INPUT_KEY_END);
    memset(pixels, 0, sizeof pixels);
    build(NULL);
    int top = focus_line(0), bottom = focus_line(top + 4);
    assert_in_range(top, HEIGHT / 2, HEIGHT - 1);
    assert_in_range(bottom, top + 20, HEIGHT - 1);
}

/* As window managers make them, and drivers without a screen. */
UI_TEST(windows_of_any_shape_have_panels)
{
    static const struct {
        int32_t width, height;
    } shapes[] = {{1, 1}, {7000, 1}, {2, 3000}, {4000, 20}, {320, 41}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int32_t width = shapes[i].width, height = shapes[i].height;
        double scale = fmin(1, fmin(width / 320.0, height / 200.0));
        for (int scaled = 0; scaled < 2; scaled++) {
            paint = paint_on(pixels, width, height, width, scaled ? scale : 1, fonts);
            build(NULL);
            key(INPUT_KEY_END);
            for (int kind = INPUT_FINGER_DOWN; kind <= INPUT_FINGER_UP; kind++)
                build(&(struct input_event){
                    .kind = (enum input_kind)kind, .x = 0.9 * width, .y = 0.5 * height});
        }
    }
}

UI_TEST(a_gamepad_is_enough)
{
    static const int way[] = {INPUT_PAD_ARROW_DOWN, INPUT_PAD_ARROW_DOWN, INPUT_PAD_ARROW_DOWN};
    for (int i = 0; i < 3; i++)
        give((struct input_event){.kind = INPUT_PAD_DOWN, .pad_button = way[i]});
    give((struct input_event){.kind = INPUT_PAD_DOWN, .pad_button = INPUT_PAD_ARROW_LEFT});
    assert_true(fabs(panel.value - 0.4) < 1e-6);
    give((struct input_event){.kind = INPUT_PAD_DOWN, .pad_button = INPUT_PAD_ARROW_UP});
    give((struct input_event){.kind = INPUT_PAD_DOWN, .pad_button = INPUT_PAD_SOUTH});
    assert_true(panel.on);
    struct input_event next = {.kind = INPUT_PAD_DOWN, .pad_button = INPUT_PAD_SHOULDER_RIGHT};
    build(&next);
    assert_int_equal(panel.head, 2);
}

static void pad(int button)
{
    give((struct input_event){.kind = INPUT_PAD_DOWN, .pad_button = button});
}

/* Down to the text, its first key, the one beside it, the last row: erased and accepted. */
UI_TEST(a_gamepad_types)
{
    for (int i = 0; i < 4; i++)
        pad(INPUT_PAD_ARROW_DOWN);
    pad(INPUT_PAD_SOUTH);
    pad(INPUT_PAD_ARROW_DOWN);
    for (int i = 0; i < 5; i++)
        pad(INPUT_PAD_ARROW_LEFT);
    pad(INPUT_PAD_SOUTH);
    assert_string_equal(panel.entry.text, "1");
    pad(INPUT_PAD_ARROW_RIGHT);
    pad(INPUT_PAD_SOUTH);
    pad(INPUT_PAD_ARROW_DOWN);
    pad(INPUT_PAD_SOUTH);
    assert_string_equal(panel.entry.text, "12w");
    for (int i = 0; i < 3; i++)
        pad(INPUT_PAD_ARROW_DOWN);
    for (int i = 0; i < 9; i++)
        pad(INPUT_PAD_ARROW_RIGHT);
    pad(INPUT_PAD_ARROW_LEFT);
    pad(INPUT_PAD_SOUTH);
    assert_string_equal(panel.entry.text, "12");
    assert_false(panel.typed);
    pad(INPUT_PAD_ARROW_RIGHT);
    pad(INPUT_PAD_SOUTH);
    assert_true(panel.typed);
    pad(INPUT_PAD_ARROW_DOWN); /* on, to what is below */
    pad(INPUT_PAD_ARROW_DOWN);
    assert_string_equal(panel.entry.text, "12");
}

/* A keyboard types into the text as before, and the keys go. */
UI_TEST(keys_on_the_screen_go_when_there_are_others)
{
    for (int i = 0; i < 4; i++)
        pad(INPUT_PAD_ARROW_DOWN);
    pad(INPUT_PAD_SOUTH);
    give((struct input_event){.kind = INPUT_TEXT, .text = "z"});
    assert_string_equal(panel.entry.text, "z");
    key(INPUT_KEY_TAB); /* the strip, and no key */
    key(INPUT_KEY_TAB);
    key(INPUT_KEY_ENTER);
    assert_string_equal(panel.entry.text, "z");
}

/* What is none of the panel's stays the picture's. */
UI_TEST(other_input_is_not_wanted)
{
    static const struct input_event others[] = {
        {.kind = INPUT_KEY_DOWN, .key = 'p'},
        {.kind = INPUT_KEY_DOWN, .key = INPUT_KEY_ESCAPE},
        {.kind = INPUT_KEY_DOWN, .key = 'z', .modifiers = INPUT_CTRL},
        {.kind = INPUT_BUTTON_DOWN, .button = INPUT_LEFT, .x = 10, .y = 10},
        {.kind = INPUT_WHEEL, .wheel_y = 1, .x = 10, .y = 10},
        {.kind = INPUT_FINGER_DOWN, .x = 10, .y = 10},
        {.kind = INPUT_FINGER_UP, .x = 930, .y = 10},
        {.kind = INPUT_BUTTON_UP, .button = INPUT_LEFT, .x = 930, .y = 10},
        {.kind = INPUT_PAD_DOWN, .pad_button = INPUT_PAD_EAST}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(ui_wants(ui, &paint, &others[i]));
}

UI_TEST(texts_are_copied_and_pasted)
{
    for (int i = 0; i < 5; i++)
        key(INPUT_KEY_TAB);
    panel.pasted = "one\ntwo";
    give((struct input_event){.kind = INPUT_KEY_DOWN, .key = 'v', .modifiers = INPUT_CTRL});
    assert_string_equal(panel.entry.text, "one\ntwo");
    give((struct input_event){.kind = INPUT_KEY_DOWN, .key = 'c', .modifiers = INPUT_CTRL});
    assert_string_equal(panel.copied, "one\ntwo");
    panel.pasted = NULL;
    give((struct input_event){.kind = INPUT_KEY_DOWN, .key = 'v', .modifiers = INPUT_CTRL});
    key('p'); /* a letter, not the next palette */
    key(INPUT_KEY_BACKSPACE);
    assert_string_equal(panel.entry.text, "one\ntw");
}

/* Cut takes what is selected, undo brings it back; a text that was not changed is not lost. */
UI_TEST(selections_are_cut_and_undone)
{
    for (int i = 0; i < 5; i++)
        key(INPUT_KEY_TAB);
    panel.pasted = "1.5 -0.25";
    give((struct input_event){.kind = INPUT_KEY_DOWN, .key = 'v', .modifiers = INPUT_CTRL});
    give((struct input_event){.kind = INPUT_BUTTON_DOWN,
                              .button = INPUT_LEFT,
                              .clicks = 2,
                              .x = LEFT + 34,
                              .y = ENTRY_Y});
    mouse(INPUT_BUTTON_UP, LEFT + 34, ENTRY_Y);
    give((struct input_event){.kind = INPUT_KEY_DOWN, .key = 'x', .modifiers = INPUT_CTRL});
    assert_string_equal(panel.copied, "1.5");
    assert_string_equal(panel.entry.text, " -0.25");
    give((struct input_event){.kind = INPUT_KEY_DOWN, .key = 'z', .modifiers = INPUT_CTRL});
    mouse(INPUT_MOVE, LEFT + 300, ENTRY_Y);
    mouse(INPUT_BUTTON_DOWN, LEFT + 300, ENTRY_Y); /* behind the text: its end */
    mouse(INPUT_MOVE, LEFT - 300, ENTRY_Y);
    mouse(INPUT_BUTTON_UP, LEFT - 300, ENTRY_Y);
    give((struct input_event){.kind = INPUT_TEXT, .text = "7"});
    assert_string_equal(panel.entry.text, "7");
}

/* ---- the mouse and fingers ---- */

/* A panel shows what is in use, and leaves the focus where typing begins. */
UI_TEST(the_row_in_use_is_scrolled_to)
{
    for (int pass = 0; pass < 2; pass++) {
        if (!pass)
            ui_reset(ui);
        const struct ui_tabs tabs = {.chosen = -1};
        ui_begin(ui, &paint, &(struct input_event){.kind = INPUT_WAKE}, &tabs, "title");
        for (int i = 0; i < 100; i++) {
            if (i == 60)
                ui_seek(ui);
            ui_row(ui, NULL, "row", i == 60);
        }
        ui_end(ui);
    }
    const struct ui_tabs tabs = {.chosen = -1};
    memset(pixels, 0, sizeof pixels);
    ui_begin(ui, &paint, NULL, &tabs, "title");
    for (int i = 0; i < 100; i++)
        ui_row(ui, NULL, i == 60 ? "\xe2\x96\x88\xe2\x96\x88" : "", i == 60);
    ui_end(ui);
    int seen = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        seen += pixels[i] == STYLE_ACCENT;
    assert_in_range(seen, 50, 2000);
}

/* The middle of the picture stays free, whatever the window. */
TEST(the_middle_stays_free)
{
    static const struct {
        int32_t width, height;
        double scale;
    } windows[] = {{800, 600, 2}, {800, 600, 1}, {1280, 720, 1}, {3840, 2160, 2},
                   {400, 800, 1}, {320, 200, 1}, {640, 480, 1},  {1100, 700, 1}};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct paint one = {
            .width = windows[i].width, .height = windows[i].height, .scale = windows[i].scale};
        struct paint_area area = ui_area(&one);
        double width = paint_units(&one, one.width), height = paint_units(&one, one.height);
        assert_true(area.x > 0.55 * width || area.y > 0.52 * height);
        assert_true(area.width >= UI_WIDTH_LEAST && area.height >= 90);
        assert_true(area.x + area.width <= width && area.y + area.height <= height);
    }
}

UI_TEST(the_mouse_presses_and_drags)
{
    mouse(INPUT_MOVE, BUTTON_X, BUTTON_Y);
    mouse(INPUT_BUTTON_DOWN, BUTTON_X, BUTTON_Y);
    mouse(INPUT_BUTTON_UP, BUTTON_X, BUTTON_Y);
    assert_int_equal(panel.button, 0);
    mouse(INPUT_MOVE, LEFT + 60, SLIDER_Y);
    mouse(INPUT_BUTTON_DOWN, LEFT + 60, SLIDER_Y);
    mouse(INPUT_MOVE, LEFT + 260, SLIDER_Y + 100); /* a drag stays with what it began on */
    assert_true(panel.value > 0.6 && panel.value < 0.8);
    mouse(INPUT_MOVE, LEFT - 100, SLIDER_Y);
    mouse(INPUT_BUTTON_UP, LEFT - 100, SLIDER_Y);
    assert_true(panel.value < 0.05);
    assert_int_equal(panel.button, 0);
}

UI_TEST(a_finger_taps_drags_and_scrolls)
{
    finger(INPUT_FINGER_DOWN, BUTTON_X, BUTTON_Y);
    finger(INPUT_FINGER_UP, BUTTON_X, BUTTON_Y);
    assert_int_equal(panel.button, 0);
    finger(INPUT_FINGER_DOWN, LEFT + 60, SLIDER_Y);
    finger(INPUT_FINGER_MOVE, LEFT + 380, SLIDER_Y);
    finger(INPUT_FINGER_UP, LEFT + 380, SLIDER_Y);
    assert_true(panel.value > 0.95);
    panel.button = -1;
    finger(INPUT_FINGER_DOWN, BUTTON_X, BUTTON_Y); /* scrolls: nothing is pressed */
    finger(INPUT_FINGER_MOVE, BUTTON_X, BUTTON_Y - 20);
    finger(INPUT_FINGER_UP, BUTTON_X, BUTTON_Y - 20);
    assert_int_equal(panel.button, -1);
    finger(INPUT_FINGER_DOWN, LEFT + 60, SLIDER_Y - 20); /* where the slider is now */
    finger(INPUT_FINGER_UP, LEFT + 60, SLIDER_Y - 20);
    assert_true(panel.value < 0.2);
}

UI_TEST(handles_are_dragged)
{
    double x = LEFT + 16 + 8 + 9 + 0.25 * (UI_WIDTH - 16 - 16 - 16 - 12 - 18), y = 336;
    mouse(INPUT_MOVE, x, y);
    mouse(INPUT_BUTTON_DOWN, x, y);
    assert_int_equal(panel.strip, 0);
    assert_true(panel.place < 0); /* only selected */
    mouse(INPUT_MOVE, x + 40, y);
    assert_int_equal(panel.strip, 0);
    assert_true(panel.place > 0.3 && panel.place < 0.45);
    mouse(INPUT_BUTTON_UP, x + 40, y);
}

/* ---- texts ---- */

/* Every text of the panel has room in one line of the narrowest window, in every language. */
TEST(texts_have_room)
{
    struct paint narrow = paint_on(pixels, 320, 200, 320, 1, fonts);
    for (int language = 0; language < LANGUAGES; language++)
        for (int i = STRING_PAGE_SETTINGS; i <= STRING_PALETTE_SAVE; i++) {
            const char *text = string_in((enum string)i, (enum language)language);
            double width = paint_text_width(&narrow, STYLE_LETTER, text);
            if (width > UI_TEXT_WIDTH)
                fail_msg("'%s' is %.0f wide; there is room for %d", text, width, UI_TEXT_WIDTH);
        }
    assert_true(STYLE_LETTER >= 16);
    for (int language = 0; language < LANGUAGES; language++)
        for (int i = STRING_PAGE_SETTINGS; i <= STRING_PAGE_FILM; i++) {
            const char *name = string_in((enum string)i, (enum language)language);
            double width = paint_text_width(&narrow, STYLE_LETTER, name);
            if (width > 98.3) /* three tabs stand in a row */
                fail_msg("'%s' is %.1f wide; a tab has room for 98", name, width);
        }
}

/* sRGB -> relative luminance (WCAG 2.2). */
static double luminance(uint32_t colour)
{
    static const double weight[3] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double v = (colour >> (16 - 8 * k) & 255) / 255.0;
        sum += weight[k] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static void check_contrast(double least)
{
    const uint32_t texts[] = {STYLE_TEXT, STYLE_DIM, STYLE_ACCENT, STYLE_BAR, STYLE_ALARM};
    const uint32_t backs[] = {STYLE_PAGE, STYLE_PANEL_LIGHT, STYLE_BAR_BACK};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t j = 0; j < sizeof backs / sizeof *backs; j++) {
            struct paint one = paint_on(pixels, 8, 8, 8, 1, fonts);
            pixels[0] = 0xffffffff;
            paint_rectangle(&one, (struct paint_area){0, 0, 8, 8}, backs[j]);
            double ratio = (luminance(texts[i]) + 0.05) / (luminance(pixels[0]) + 0.05);
            if (ratio < least)
                fail_msg("%08x on %08x: %.2f", texts[i], backs[j], ratio);
        }
}

/* 4.5 : 1 at least, over a white picture too; 7 : 1 with high contrast. */
TEST(texts_have_contrast)
{
    check_contrast(4.5);
    style_contrast = true;
    check_contrast(7);
    style_contrast = false;
}

static int fonts_open(void **state)
{
    (void)state;
    return paint_fonts_open(&fonts, DEEPFIELD_ASSETS "/fonts/DejaVuSans.ttf") != STATUS_OK;
}

static int fonts_close(void **state)
{
    (void)state;
    paint_fonts_close(fonts);
    return 0;
}

int main(void)
{
    return check_run(fonts_open, fonts_close);
}
