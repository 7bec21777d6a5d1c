#include "app/viewer/panels/viewer_pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/core/viewer_files.h"
#include "app/viewer/overlays/style.h"
#include "app/viewer/panels/pages.h"
#include "decomposition/thread/clock.h"

#define MENU_SIDE 52.0 /* units */
#define MENU_SECONDS 3.0
#define MENU_FADE_S 0.5 /* end of that time, in which it fades */
#define MENU_FADE_STEP_S 0.05

static const struct page {
    enum string title;
    void (*build)(struct viewer *viewer); /* NULL: no page */
} pages[PANELS] = {[PANEL_SETTINGS] = {STRING_PAGE_SETTINGS, page_settings},
                   [PANEL_PLACES] = {STRING_PAGE_PLACES, page_places},
                   [PANEL_TOURS] = {STRING_PAGE_TOURS, page_tours},
                   [PANEL_FORMULAS] = {STRING_PAGE_FORMULAS, page_formulas},
                   [PANEL_BOOKMARKS] = {STRING_PAGE_BOOKMARKS, page_bookmarks},
                   [PANEL_PALETTES] = {STRING_PAGE_PALETTES, page_palettes},
                   [PANEL_COLOURS] = {STRING_PAGE_COLOURS, page_colours},
                   [PANEL_FILM] = {STRING_PAGE_FILM, page_film},
                   [PANEL_FILES] = {STRING_PAGE_FILES, page_files},
                   [PANEL_ENTRY] = {STRING_DO_GO_TO, page_entry}};

/* Pages that have tabs, in their order. */
static const struct {
    enum panel panel;
    enum ui_icon icon;
} tabs[] = {{PANEL_SETTINGS, UI_ICON_SETTINGS},   {PANEL_PLACES, UI_ICON_PLACES},
            {PANEL_TOURS, UI_ICON_TOURS},         {PANEL_FORMULAS, UI_ICON_FORMULAS},
            {PANEL_BOOKMARKS, UI_ICON_BOOKMARKS}, {PANEL_PALETTES, UI_ICON_PALETTES},
            {PANEL_COLOURS, UI_ICON_COLOURS},     {PANEL_FILM, UI_ICON_FILM}};
enum { TABS = sizeof tabs / sizeof *tabs };

/* Is it a page, and not help or nothing? */
static bool page_is(enum panel panel)
{
    return pages[panel].build != NULL;
}

/* ---- life ---- */

static char *clipboard_paste(void *context)
{
    return window_clipboard(context);
}

static void clipboard_copy(void *context, const char *text)
{
    enum status ignored = window_set_clipboard(context, text);
    (void)ignored;
}

enum status viewer_pages_open(struct viewer *viewer)
{
    struct pages *state = calloc(1, sizeof *state);
    if (!state)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for panels");
    viewer->pages = state;
    state->clipboard = (struct ui_clipboard){clipboard_paste, clipboard_copy, viewer->window};
    state->palettes_stale = true;
    return ui_create(&state->ui);
}

void viewer_pages_close(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    if (!state)
        return;
    ui_destroy(state->ui);
    free(state->place);
    for (size_t i = 0; state->tour && i < state->tours.count; i++)
        tour_destroy(&state->tour[i]);
    free(state->tour);
    data_names_destroy(&state->tours);
    entry_close(&state->name);
    entry_close(&state->formula);
    entry_close(&state->hex);
    entry_close(&state->bookmark_name);
    entry_close(&state->search);
    free(state->palette);
    free(state->file);
    free(state->bookmark_images);
    free(state);
}

/* ---- one page ---- */

static int page_build(struct viewer *viewer, struct paint *paint, const struct input_event *event)
{
    const struct page *page = &pages[viewer->panel];
    struct ui *ui = viewer->pages->ui;
    struct ui_tab shown[TABS];
    struct ui_tabs head = {shown, TABS, -1};
    bool print = viewer->panel == PANEL_ENTRY && viewer->entry_for == ENTRY_PRINT;
    for (int i = 0; i < TABS; i++) {
        shown[i] = (struct ui_tab){string_of(pages[tabs[i].panel].title), tabs[i].icon};
        if (tabs[i].panel == viewer->panel)
            head.chosen = i;
    }
    int answer =
        ui_begin(ui, paint, event, &head, string_of(print ? STRING_DO_PICTURE : page->title));
    viewer->pages->cards = 0;
    page->build(viewer);
    ui_end(ui);
    window_set_typing(viewer->window, page_is(viewer->panel) && ui_types(ui));
    return answer;
}

/* Resets the state for a page that has just been opened. A first pass without input finds the
 * targets of keys and fingers. */
static void page_fresh(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    if (state->shown == viewer->panel)
        return;
    state->shown = viewer->panel;
    ui_reset(state->ui);
    state->removes = state->renames = false;
    if (viewer->panel == PANEL_PALETTES)
        palettes_list(viewer);
    if (viewer->panel == PANEL_FILES)
        files_list(viewer);
    page_build(viewer, window_paint(viewer->window), &(struct input_event){.kind = INPUT_WAKE});
}

static void page_open(struct viewer *viewer, enum panel panel)
{
    viewer_panel_close(viewer);
    viewer->panel = panel;
    if (panel == PANEL_BOOKMARKS)
        viewer_bookmarks_load(viewer);
}

static bool page_take(struct viewer *viewer, const struct input_event *event)
{
    struct paint *paint = window_paint(viewer->window);
    page_fresh(viewer);
    if (event->kind == INPUT_PAD_DOWN && event->pad_button == INPUT_PAD_EAST)
        return viewer_panel_close(viewer); /* back, as in every game */
    if (!ui_wants(viewer->pages->ui, paint, event))
        return false;
    enum panel was = viewer->panel;
    int answer = page_build(viewer, paint, event);
    viewer->overlay_stale = true;
    if (viewer->panel != was)
        return true; /* it has opened another one, or closed itself */
    if (answer == UI_CLOSES)
        viewer_panel_close(viewer);
    else if (answer != UI_STAYS)
        page_open(viewer, tabs[answer].panel);
    return true;
}

/* ---- the button that opens pages without keys ---- */

static struct paint_area menu_area(const struct paint *paint)
{
    return (struct paint_area){paint_units(paint, paint->width) - MENU_SIDE - STYLE_GAP, STYLE_GAP,
                               MENU_SIDE, MENU_SIDE};
}

static bool is_in_menu(const struct paint *paint, const struct input_event *event)
{
    struct paint_area area = menu_area(paint);
    double x = paint_units(paint, event->x), y = paint_units(paint, event->y);
    return x >= area.x && y <= area.y + area.height;
}

/* Opacity of the button: 1, less while it fades, 0 when it is not seen. */
static double menu_opacity(const struct viewer *viewer)
{
    const struct pages *state = viewer->pages;
    double left_s = state->menu_until_s - clock_s();
    if (viewer->shown.hidden || viewer->panel != PANEL_NONE || viewer->kiosk)
        return 0;
    if (state->menu_pointed || (left_s > 0 && viewer->options->reduced_motion))
        return 1;
    return fmin(fmax(left_s / MENU_FADE_S, 0), 1);
}

bool viewer_menu_seen(const struct viewer *viewer)
{
    return menu_opacity(viewer) > 0;
}

bool viewer_menu_due(struct viewer *viewer, double now_s)
{
    struct pages *state = viewer->pages;
    bool fades = !viewer->options->reduced_motion, due = false;
    if (!(state->menu_until_s > 0) || state->menu_pointed)
        return false;
    double next_s = state->menu_until_s;
    if (now_s >= state->menu_until_s) {
        state->menu_until_s = 0;
        return true;
    }
    if (fades && now_s >= state->menu_until_s - MENU_FADE_S) {
        due = now_s >= state->menu_faded_s + MENU_FADE_STEP_S;
        state->menu_faded_s = due ? now_s : state->menu_faded_s;
        next_s = fmin(next_s, state->menu_faded_s + MENU_FADE_STEP_S);
    } else if (fades)
        next_s -= MENU_FADE_S;
    viewer->wake_s = fmin(viewer->wake_s, next_s);
    return due;
}

static uint32_t faded(uint32_t colour, double opacity)
{
    uint32_t alpha = (uint32_t)lrint((colour >> 24) * opacity);
    return alpha << 24 | (colour & 0xffffff);
}

/* Three lines, as on every telephone. */
static void menu_draw(struct paint *paint, double opacity)
{
    struct paint_area area = menu_area(paint);
    paint_rectangle(paint, area, faded(STYLE_PAGE, opacity));
    for (int i = 0; i < 3; i++)
        paint_rectangle(paint,
                        (struct paint_area){area.x + 14, area.y + 15 + 9 * i, area.width - 28, 4},
                        faded(STYLE_TEXT, opacity));
}

/* Shows the button while the mouse moves and after a touch, for a while. */
static bool menu_take(struct viewer *viewer, const struct input_event *event)
{
    const struct paint *paint = window_paint(viewer->window);
    struct pages *state = viewer->pages;
    bool down = event->kind == INPUT_FINGER_DOWN ||
                (event->kind == INPUT_BUTTON_DOWN && event->button == INPUT_LEFT);
    if (down && viewer_menu_seen(viewer) && is_in_menu(paint, event)) {
        state->menu_pointed = false;
        if (hints_action(&viewer->hints, ACTION_SETTINGS, event->time_s))
            viewer_hints_keep(viewer);
        viewer->panel = PANEL_SETTINGS;
        gesture_cancel(viewer->gesture);
        viewer->overlay_stale = true;
        return true;
    }
    bool moved = event->kind == INPUT_MOVE && !event->buttons;
    if (moved || event->kind == INPUT_LEAVE)
        state->menu_pointed = moved && is_in_menu(paint, event);
    if (moved || event->kind == INPUT_FINGER_UP) {
        viewer->overlay_stale |= menu_opacity(viewer) < 1;
        state->menu_until_s = clock_s() + MENU_SECONDS;
        viewer->overlay_stale |= state->menu_faded_s > 0;
        state->menu_faded_s = 0;
    }
    return false;
}

bool viewer_pages_take(struct viewer *viewer, const struct input_event *event)
{
    if (viewer->kiosk) /* a stand opens no page */
        return false;
    if (page_is(viewer->panel))
        return page_take(viewer, event);
    viewer->pages->shown = PANEL_NONE;
    return viewer->panel == PANEL_NONE && menu_take(viewer, event);
}

struct paint_area viewer_pages_free(const struct viewer *viewer, const struct paint *paint)
{
    struct paint_area whole = {0, 0, paint_units(paint, paint->width),
                               paint_units(paint, paint->height)};
    if (!page_is(viewer->panel))
        return whole;
    struct paint_area area = ui_area(paint);
    if (area.x > 0)
        whole.width = area.x;
    else
        whole.height = area.y;
    return whole;
}

void viewer_pages_draw(struct viewer *viewer, struct paint *paint)
{
    if (page_is(viewer->panel)) {
        page_fresh(viewer);
        page_build(viewer, paint, NULL);
    } else if (viewer_menu_seen(viewer))
        menu_draw(paint, menu_opacity(viewer));
}
