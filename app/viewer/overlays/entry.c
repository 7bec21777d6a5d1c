#include "app/viewer/overlays/entry.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/overlays/style.h"

enum { ENTRY_LINE_BYTES = 512 }; /* most of a line that is seen */

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static void steps_drop(struct entry *entry)
{
    while (entry->steps)
        free(entry->step[--entry->steps].text);
}

void entry_open(struct entry *entry, const char *text)
{
    entry_close(entry);
    entry_type(entry, text);
    steps_drop(entry);
}

void entry_close(struct entry *entry)
{
    steps_drop(entry);
    free(entry->text);
    *entry = (struct entry){0};
}

static bool room_make(struct entry *entry, size_t more)
{
    size_t wanted = entry->length + more + 1;
    if (wanted > ENTRY_BYTES_MAX)
        return false;
    if (wanted <= entry->room)
        return true;
    char *text = realloc(entry->text, 2 * wanted);
    if (!text)
        return false;
    entry->text = text;
    entry->room = 2 * wanted;
    return true;
}

/* ---- undo ---- */

/* Keeps the text before a change. Characters typed one after the other are one step. */
static void step_keep(struct entry *entry, bool types)
{
    bool goes_on = types && entry->types && entry->steps;
    entry->types = types;
    if (goes_on || !entry->text)
        return;
    if (entry->steps == ENTRY_STEPS) {
        free(entry->step[0].text);
        memmove(entry->step, entry->step + 1, (ENTRY_STEPS - 1) * sizeof *entry->step);
        entry->steps--;
    }
    char *text = strdup(entry->text);
    if (text) /* else this change cannot be undone */
        entry->step[entry->steps++] = (struct entry_step){text, entry->cursor};
}

static enum entry_answer step_undo(struct entry *entry)
{
    if (!entry->steps)
        return ENTRY_OPEN;
    struct entry_step *step = &entry->step[--entry->steps];
    free(entry->text);
    entry->text = step->text;
    entry->length = strlen(step->text);
    entry->room = entry->length + 1;
    entry->cursor = entry->anchor = step->cursor;
    entry->types = false;
    return ENTRY_CHANGED;
}

/* ---- changes ---- */

static void bytes_erase(struct entry *entry, size_t from, size_t to)
{
    memmove(entry->text + from, entry->text + to, entry->length - to + 1);
    entry->length -= to - from;
    entry->cursor = entry->anchor = from;
}

static bool is_selected(const struct entry *entry)
{
    return entry->anchor != entry->cursor;
}

static size_t selected_from(const struct entry *entry)
{
    return entry->anchor < entry->cursor ? entry->anchor : entry->cursor;
}

static size_t selected_to(const struct entry *entry)
{
    return entry->anchor > entry->cursor ? entry->anchor : entry->cursor;
}

char *entry_selected(const struct entry *entry)
{
    if (!entry->text)
        return strdup("");
    return is_selected(entry) ? strndup(entry->text + selected_from(entry),
                                        selected_to(entry) - selected_from(entry))
                              : strdup(entry->text);
}

void entry_erase(struct entry *entry)
{
    if (!is_selected(entry))
        return;
    step_keep(entry, false);
    bytes_erase(entry, selected_from(entry), selected_to(entry));
}

bool entry_type(struct entry *entry, const char *text)
{
    size_t length = strlen(text), kept = 0;
    if (!room_make(entry, length))
        return false;
    if (is_selected(entry))
        entry_erase(entry);
    else
        step_keep(entry, length < INPUT_TEXT_BYTES);
    char *at = entry->text + entry->cursor;
    memmove(at + length, at, entry->length - entry->cursor);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] >= ' ' && text[i] != 0x7f)
            at[kept++] = text[i];
        else if (text[i] == '\n' || text[i] == '\t')
            at[kept++] = text[i] == '\n' ? '\n' : ' ';
    memmove(at + kept, at + length, entry->length - entry->cursor);
    entry->length += kept;
    entry->cursor += kept;
    entry->anchor = entry->cursor;
    entry->text[entry->length] = '\0';
    return true;
}

/* ---- positions ---- */

static size_t before(const struct entry *entry, size_t at)
{
    while (at && continues(entry->text[--at]))
        ;
    return at;
}

static size_t after(const struct entry *entry, size_t at)
{
    at += at < entry->length;
    while (at < entry->length && continues(entry->text[at]))
        at++;
    return at;
}

/* Letters and digits of any script, and what stands within numbers. */
static bool in_word(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 || c == '_' || c == '.';
}

static size_t word_before(const struct entry *entry, size_t at)
{
    while (at && !in_word(entry->text[at - 1]))
        at--;
    while (at && in_word(entry->text[at - 1]))
        at--;
    return at;
}

static size_t word_after(const struct entry *entry, size_t at)
{
    while (at < entry->length && !in_word(entry->text[at]))
        at++;
    while (at < entry->length && in_word(entry->text[at]))
        at++;
    return at;
}

static size_t line_begin(const struct entry *entry)
{
    size_t at = entry->cursor;
    while (at && entry->text[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(const struct entry *entry)
{
    return entry->cursor + strcspn(entry->text + entry->cursor, "\n");
}

/* ---- keys ---- */

static enum entry_answer cursor_put(struct entry *entry, size_t at, bool selects)
{
    entry->cursor = at;
    if (!selects)
        entry->anchor = at;
    entry->types = false;
    return ENTRY_MOVED;
}

static enum entry_answer erase_to(struct entry *entry, size_t at)
{
    if (!is_selected(entry))
        entry->anchor = at;
    entry_erase(entry);
    return ENTRY_CHANGED;
}

static enum entry_answer all_select(struct entry *entry)
{
    entry->anchor = 0;
    return cursor_put(entry, entry->length, true);
}

enum entry_answer entry_take(struct entry *entry, const struct input_event *event)
{
    if (event->kind == INPUT_TEXT)
        return entry_type(entry, event->text) ? ENTRY_CHANGED : ENTRY_FULL;
    if (event->kind != INPUT_KEY_DOWN || !entry->text)
        return ENTRY_OPEN;
    bool words = event->modifiers & INPUT_CTRL, selects = event->modifiers & INPUT_SHIFT;
    bool ends = is_selected(entry) && !selects && !words; /* an arrow goes to that end */
    size_t left = words  ? word_before(entry, entry->cursor)
                  : ends ? selected_from(entry)
                         : before(entry, entry->cursor);
    size_t right = words  ? word_after(entry, entry->cursor)
                   : ends ? selected_to(entry)
                          : after(entry, entry->cursor);
    switch (event->key) {
    case INPUT_KEY_ENTER:
        return ENTRY_ACCEPTED;
    case INPUT_KEY_BACKSPACE:
        return erase_to(entry, left);
    case INPUT_KEY_DELETE:
        return erase_to(entry, right);
    case INPUT_KEY_ARROW_LEFT:
        return cursor_put(entry, left, selects);
    case INPUT_KEY_ARROW_RIGHT:
        return cursor_put(entry, right, selects);
    case INPUT_KEY_HOME:
        return cursor_put(entry, words ? 0 : line_begin(entry), selects);
    case INPUT_KEY_END:
        return cursor_put(entry, words ? entry->length : line_end(entry), selects);
    case 'a':
        return words ? all_select(entry) : ENTRY_OPEN;
    case 'z':
        return words ? step_undo(entry) : ENTRY_OPEN;
    default:
        return ENTRY_OPEN;
    }
}

/* ---- on the screen ---- */

/* Width of the line from the byte `first` to the byte `at`. */
static double width_to(const struct entry *entry, struct paint *paint, size_t at)
{
    char piece[ENTRY_LINE_BYTES];
    size_t bytes = at > entry->first ? at - entry->first : 0;
    if (bytes >= sizeof piece)
        return INFINITY;
    snprintf(piece, sizeof piece, "%.*s", (int)bytes, entry->text + entry->first);
    return paint_text_width(paint, STYLE_LETTER, piece);
}

/* Moves the part of the line that is seen no farther than the cursor needs. */
static void line_scroll(struct entry *entry, struct paint *paint, double width)
{
    size_t begin = line_begin(entry);
    if (entry->first < begin || entry->first > entry->cursor)
        entry->first = begin;
    if (entry->cursor - entry->first >= ENTRY_LINE_BYTES)
        entry->first = entry->cursor - ENTRY_LINE_BYTES + 1;
    while (entry->first < entry->cursor && continues(entry->text[entry->first]))
        entry->first++;
    while (entry->first < entry->cursor && width_to(entry, paint, entry->cursor) > width)
        entry->first = after(entry, entry->first);
}

struct entry_sight entry_line(struct entry *entry, struct paint *paint, double width, char *line,
                              size_t bytes)
{
    struct entry_sight sight = {0};
    *line = '\0';
    if (!entry->text)
        return sight;
    line_scroll(entry, paint, width);
    size_t end = line_end(entry), from = selected_from(entry), to = selected_to(entry);
    snprintf(line, bytes, "%.*s", (int)fmin((double)(end - entry->first), (double)bytes - 1),
             entry->text + entry->first);
    line[paint_text_fit(paint, STYLE_LETTER, line, width)] = '\0';
    sight.cursor = width_to(entry, paint, entry->cursor);
    sight.from = fmin(width_to(entry, paint, from), width);
    sight.to = fmin(width_to(entry, paint, to < end ? to : end), width);
    if (!is_selected(entry))
        sight.from = sight.to = sight.cursor;
    return sight;
}

void entry_point(struct entry *entry, struct paint *paint, double x, enum entry_press press,
                 int clicks)
{
    size_t at = entry->first, end;
    if (!entry->text)
        return;
    for (end = line_end(entry); at < end; at = after(entry, at)) {
        double middle = (width_to(entry, paint, at) + width_to(entry, paint, after(entry, at))) / 2;
        if (x < middle)
            break;
    }
    cursor_put(entry, at, press == ENTRY_DRAG);
    if (press == ENTRY_PRESS && clicks == 2) {
        entry->cursor = word_after(entry, at);
        entry->anchor = word_before(entry, entry->cursor);
    } else if (press == ENTRY_PRESS && clicks > 2)
        all_select(entry);
}

int entry_lines(const struct entry *entry)
{
    int lines = 1;
    for (const char *at = entry->text; at && (at = strchr(at, '\n')); at++)
        lines++;
    return lines;
}
