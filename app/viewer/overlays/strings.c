#include "app/viewer/overlays/strings.h"

#include <string.h>

static const char *const strings[STRINGS][LANGUAGES] = {
#define STRING(name, en, de, fr, es, pl) [STRING_##name] = {en, de, fr, es, pl},
#define ACTION(name, de, fr, es, pl)
#include "app/viewer/overlays/strings.inc"
};

/* Beside English, which has its place in the table of actions. */
static const char *const actions[ACTIONS][LANGUAGES] = {
#define STRING(name, en, de, fr, es, pl)
#define ACTION(name, de, fr, es, pl) [ACTION_##name] = {NULL, de, fr, es, pl},
#include "app/viewer/overlays/strings.inc"
};

static _Atomic(int) used = LANGUAGE_EN;
static bool (*_Atomic shown)(enum string string);

void language_use(enum language language)
{
    used = (int)language;
}

enum language language_used(void)
{
    return (enum language)used;
}

const char *string_in(enum string string, enum language language)
{
    return strings[string][language];
}

void strings_limit(bool (*shows)(enum string string))
{
    shown = shows;
}

const char *string_of(enum string string)
{
    bool (*shows)(enum string string) = shown;
    if (shows && !shows(string))
        return "";
    return string_in(string, language_used());
}

const char *string_action_in(enum action action, enum language language)
{
    return language == LANGUAGE_EN ? action_rows[action].help : actions[action][language];
}

const char *string_action(enum action action)
{
    const char *text = string_action_in(action, language_used());
    return text ? text : action_rows[action].help;
}

/* Length of a text without a character at the end that has lost some of its bytes. */
static size_t whole_characters(const char *text, size_t length)
{
    size_t lead = length;
    while (lead && ((unsigned char)text[lead - 1] & 0xc0) == 0x80)
        lead--;
    if (!lead)
        return length;
    unsigned char c = (unsigned char)text[lead - 1];
    size_t wanted = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    return length - (lead - 1) < wanted ? lead - 1 : length;
}

void strings_fill(char *text, size_t bytes, const char *form, const char *const *values)
{
    size_t length = 0, count = 0;
    while (values[count])
        count++;
    for (; *form && length + 1 < bytes; form++) {
        bool mark = form[0] == '%' && form[1] >= '1' && (size_t)(form[1] - '1') < count;
        const char *from = mark ? values[form[1] - '1'] : form;
        size_t more = mark ? strlen(from) : 1, room = bytes - 1 - length;
        more = more < room ? more : room;
        memcpy(text + length, from, more);
        length += more;
        form += mark;
    }
    text[whole_characters(text, length)] = '\0';
}
