#include "app/viewer/overlays/entry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/overlays/style.h"

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

void entry_open(struct entry *entry, const char *text)
{
    entry_close(entry);
    entry_type(entry, text);
}

void entry_close(struct entry *entry)
{
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

bool entry_type(struct entry *entry, const char *text)
{
    size_t length = strlen(text), kept = 0;
    if (!room_make(entry, length))
        return false;
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
    entry->text[entry->length] = '\0';
    return true;
}

static size_t place_left(const struct entry *entry)
{
    size_t place = entry->cursor;
    while (place && continues(entry->text[--place]))
        ;
    return place;
}

static size_t place_right(const struct entry *entry)
{
    size_t place = entry->cursor + (entry->cursor < entry->length);
    while (place < entry->length && continues(entry->text[place]))
        place++;
    return place;
}

static void erase(struct entry *entry, size_t from, size_t to)
{
    memmove(entry->text + from, entry->text + to, entry->length - to + 1);
    entry->length -= to - from;
    entry->cursor = from;
}

enum entry_answer entry_take(struct entry *entry, const struct input_event *event)
{
    if (event->kind == INPUT_TEXT)
        return entry_type(entry, event->text) ? ENTRY_CHANGED : ENTRY_FULL;
    if (event->kind != INPUT_KEY_DOWN || !entry->text)
        return ENTRY_OPEN;
    switch (event->key) {
    case INPUT_KEY_ENTER:
        return ENTRY_ACCEPTED;
    case INPUT_KEY_BACKSPACE:
        erase(entry, event->modifiers & INPUT_CTRL ? 0 : place_left(entry), entry->cursor);
        return ENTRY_CHANGED;
    case INPUT_KEY_DELETE:
        erase(entry, entry->cursor, place_right(entry));
        return ENTRY_CHANGED;
    case INPUT_KEY_ARROW_LEFT:
        entry->cursor = place_left(entry);
        return ENTRY_CHANGED;
    case INPUT_KEY_ARROW_RIGHT:
        entry->cursor = place_right(entry);
        return ENTRY_CHANGED;
    case INPUT_KEY_HOME:
        entry->cursor = 0;
        return ENTRY_CHANGED;
    case INPUT_KEY_END:
        entry->cursor = entry->length;
        return ENTRY_CHANGED;
    default:
        return ENTRY_OPEN;
    }
}

/* Begins the line as far left as still shows the cursor. */
void entry_line(const struct entry *entry, struct paint *paint, double width, char *line,
                size_t bytes, double *cursor)
{
    *line = '\0';
    *cursor = 0;
    if (!entry->text)
        return;
    size_t begin = entry->cursor, end = entry->cursor;
    while (begin && entry->text[begin - 1] != '\n')
        begin--;
    while (end < entry->length && entry->text[end] != '\n')
        end++;
    while (begin < entry->cursor &&
           (entry->cursor - begin >= bytes || continues(entry->text[begin])))
        begin++;
    snprintf(line, bytes, "%.*s", (int)(entry->cursor - begin), entry->text + begin);
    while (*line && (*cursor = paint_text_width(paint, STYLE_LETTER, line)) > width) {
        begin++;
        while (begin < entry->cursor && continues(entry->text[begin]))
            begin++;
        snprintf(line, bytes, "%.*s", (int)(entry->cursor - begin), entry->text + begin);
    }
    *cursor = paint_text_width(paint, STYLE_LETTER, line);
    snprintf(line, bytes, "%.*s", (int)fmin((double)(end - begin), (double)bytes - 1),
             entry->text + begin);
    line[paint_text_fit(paint, STYLE_LETTER, line, width)] = '\0';
}

int entry_lines(const struct entry *entry)
{
    int lines = 1;
    for (const char *at = entry->text; at && (at = strchr(at, '\n')); at++)
        lines++;
    return lines;
}
