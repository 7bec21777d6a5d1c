#include "render/disk/text_lines.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum status text_check(const char *bytes, size_t length, const char *name, enum status wrong)
{
    const struct text text = text_lines_of(bytes, length);
    const char *nul = memchr(text.begin, '\0', (size_t)(text.end - text.begin));
    if (!nul)
        return STATUS_OK;
    return status_fail(wrong, "%s: not a text: byte %zu is NUL", name, (size_t)(nul - bytes) + 1);
}

struct text text_lines_of(const char *bytes, size_t length)
{
    size_t mark = length >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3) ? 3 : 0; /* byte-order mark */
    bool png = length >= 4 && !memcmp(bytes, "\x89PNG", 4); /* the signature of PNG has a 0x1a */
    const char *end = png ? NULL : memchr(bytes, '\x1a', length); /* end of a text of DOS */
    return (struct text){bytes + mark, end ? end : bytes + length};
}

void text_blanks_skip(struct text *text)
{
    while (text->begin < text->end && isspace((unsigned char)*text->begin))
        text->begin++;
}

void text_trim(struct text *text)
{
    text_blanks_skip(text);
    while (text->begin < text->end && isspace((unsigned char)text->end[-1]))
        text->end--;
}

bool text_line_take(struct text *rest, struct text *line)
{
    if (rest->begin == rest->end)
        return false;
    const char *newline = memchr(rest->begin, '\n', (size_t)(rest->end - rest->begin));
    *line = (struct text){rest->begin, newline ? newline : rest->end};
    rest->begin = newline ? newline + 1 : rest->end;
    return true;
}

bool text_line_next(struct text *rest, struct text *line)
{
    while (text_line_take(rest, line)) {
        text_trim(line);
        if (line->begin < line->end && *line->begin != '#' && *line->begin != ';')
            return true;
    }
    return false;
}

bool text_word_next(struct text *rest, struct text *word)
{
    text_blanks_skip(rest);
    *word = (struct text){rest->begin, rest->begin};
    while (word->end < rest->end && !isspace((unsigned char)*word->end))
        word->end++;
    rest->begin = word->end;
    return word->begin < word->end;
}

bool text_begins(const struct text *text, const char *with)
{
    size_t length = strlen(with);
    return (size_t)(text->end - text->begin) >= length && !strncasecmp(text->begin, with, length);
}

bool text_is(const struct text *text, const char *word)
{
    return (size_t)(text->end - text->begin) == strlen(word) && text_begins(text, word);
}

bool text_any_line(struct text text, bool (*test)(const struct text *line))
{
    struct text line;
    while (text_line_next(&text, &line))
        if (test(&line))
            return true;
    return false;
}

bool text_first_line(struct text text, bool (*test)(const struct text *line))
{
    struct text line;
    return text_line_next(&text, &line) && test(&line);
}
