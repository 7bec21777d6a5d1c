#include "app/viewer/overlays/hints.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/overlays/action_words.h"
#include "app/viewer/overlays/strings.h"
#include "app/viewer/overlays/style.h"

/* Hints in the order in which they are taught. Drags, the wheel and flights are gestures. */
static const struct {
    const char *name;
    enum action action; /* action whose key stands in the text; ACTION_NONE: no key */
    enum string text;
} rows[] = {{"settings", ACTION_SETTINGS, STRING_HINT_SETTINGS},
            {"drag", ACTION_NONE, STRING_HINT_DRAG},
            {"wheel", ACTION_NONE, STRING_HINT_WHEEL},
            {"hold", ACTION_NONE, STRING_HINT_HOLD},
            {"julia", ACTION_JULIA, STRING_HINT_JULIA},
            {"play", ACTION_PLAY, STRING_HINT_PLAY},
            {"help", ACTION_HELP, STRING_HINT_HELP}};

enum { ROWS = sizeof rows / sizeof *rows, DRAG = 1, WHEEL = 2, HOLD = 3 };

/* Number of the hint that is seen, or comes next; ROWS: none is left. */
static int current(const struct hints *hints)
{
    int row = 0;
    while (row < ROWS && (hints->learnt | hints->passed) >> row & 1)
        row++;
    return row;
}

static bool learn(struct hints *hints, int row, double now_s)
{
    bool fresh = !(hints->learnt >> row & 1);
    hints->learnt |= 1u << row;
    if (fresh)
        hints_begin(hints, now_s);
    return fresh;
}

void hints_begin(struct hints *hints, double now_s)
{
    hints->next_s = now_s + HINT_REST_S;
    hints->due = true;
}

bool hints_due(struct hints *hints, double now_s, double *wake_s)
{
    int row = current(hints);
    if (!hints->due && (row == ROWS || !(hints->next_s > 0)))
        return false; /* none is left, or hints have not begun, as on a stand */
    double due_s = hints->due ? hints->next_s : hints->next_s + HINT_SHOWN_S;
    if (now_s < due_s) {
        *wake_s = fmin(*wake_s, due_s);
        return false;
    }
    if (!hints->due) {
        hints->passed |= 1u << row;
        hints_begin(hints, now_s);
        *wake_s = fmin(*wake_s, hints->next_s);
    } else
        hints->due = false;
    return true;
}

bool hints_event(struct hints *hints, const struct input_event *event)
{
    switch (event->kind) {
    case INPUT_WHEEL:
        return learn(hints, WHEEL, event->time_s);
    case INPUT_MOVE:
        return event->buttons & 1u << INPUT_LEFT && learn(hints, DRAG, event->time_s);
    case INPUT_FINGER_MOVE:
        return learn(hints, DRAG, event->time_s);
    default:
        return false;
    }
}

bool hints_flight(struct hints *hints, double now_s)
{
    return learn(hints, HOLD, now_s);
}

bool hints_action(struct hints *hints, enum action action, double now_s)
{
    bool any = false;
    for (int i = 0; i < ROWS; i++)
        any |= action != ACTION_NONE && rows[i].action == action && learn(hints, i, now_s);
    return any;
}

void hints_write(const struct hints *hints, char text[HINTS_TEXT_BYTES])
{
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < ROWS; i++)
        if (hints->learnt >> i & 1)
            used += (size_t)snprintf(text + used, HINTS_TEXT_BYTES - used, "%s\n", rows[i].name);
}

void hints_read(struct hints *hints, const char *text)
{
    for (size_t length; *text; text += length, text += strspn(text, "\r\n")) {
        length = strcspn(text, "\r\n");
        for (int i = 0; i < ROWS; i++)
            if (length == strlen(rows[i].name) && !strncmp(text, rows[i].name, length))
                hints->learnt |= 1u << i;
    }
}

const char *hint_text(const struct hints *hints, const struct actions *actions, double now_s,
                      char text[HINT_BYTES])
{
    *text = '\0';
    for (int i = 0; i < ROWS && now_s >= hints->next_s; i++) {
        char key[BINDING_BYTES];
        const struct binding *first = &actions->binding[rows[i].action][0];
        if ((hints->learnt | hints->passed) >> i & 1 ||
            (rows[i].action != ACTION_NONE && !first->kind))
            continue;
        binding_words(first, key);
        string_fill(text, HINT_BYTES, rows[i].text, key);
        break;
    }
    return text;
}

void hint_draw(struct paint *paint, const char *text)
{
    double most = paint_units(paint, paint->width) - 4 * STYLE_GAP;
    double height = paint_units(paint, paint->height);
    int lines = paint_paragraph(paint, 0, 0, STYLE_LETTER, STYLE_LINE, most, 0, text);
    double wide = fmin(paint_text_width(paint, STYLE_LETTER, text), most);
    struct paint_area area = {STYLE_GAP, height - lines * STYLE_LINE - 2 * STYLE_GAP,
                              wide + 2 * STYLE_GAP, lines * STYLE_LINE + 6};
    paint_rectangle(paint, area, STYLE_PANEL);
    paint_paragraph(paint, area.x + STYLE_GAP, area.y + 3, STYLE_LETTER, STYLE_LINE, most,
                    STYLE_DIM, text);
}
