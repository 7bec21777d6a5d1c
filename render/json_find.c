#include <stdlib.h>
#include <string.h>

#include "render/json.h"

/* The string whose first quote is at `at`, into text, which has room for all that follows. What is
 * behind it, or NULL if it does not end. Characters beyond ASCII by their number become '?'. */
static const char *string_take(const char *at, char *text)
{
    static const char letters[] = "bfnrt", means[] = "\b\f\n\r\t";
    for (at++; *at && *at != '"'; at++) {
        if (*at != '\\') {
            *text++ = *at;
            continue;
        }
        const char *letter = *++at ? strchr(letters, *at) : NULL;
        if (!*at || (*at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") < 4))
            return NULL;
        if (*at == 'u') {
            const char digits[] = {at[1], at[2], at[3], at[4], '\0'};
            long code = strtol(digits, NULL, 16);
            *text++ = code > 0 && code < 0x80 ? (char)code : '?';
            at += 4;
        } else
            *text++ = letter ? means[letter - letters] : *at;
    }
    *text = '\0';
    return *at ? at + 1 : NULL;
}

static const char *blanks_skip(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

char *json_text_find(const char *json, const char *key)
{
    char *text = malloc(strlen(json) + 1);
    long depth = 0;
    for (const char *at = json; text && *at;) {
        if (*at != '"') {
            depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
            at++;
            continue;
        }
        if (!(at = string_take(at, text)))
            break;
        const char *next = blanks_skip(at);
        if (depth != 1 || *next != ':' || strcmp(text, key) != 0)
            continue;
        next = blanks_skip(next + 1);
        if (*next == '"' && string_take(next, text))
            return text;
        break;
    }
    free(text);
    return NULL;
}
